//! AEZ over vectors of blocks: all that is around the two passes over the pairs, which is the same in every step.

use abreast_simd::{AesBlocks, AesIsa, Blocks};

use super::key::{Key, TAG_BITS, padded_nonce};

/// The two passes over the pairs. This is where a step differs from the one before.
pub(super) trait Passes {
    /// The first one, from a message to W and X of all pairs; gives the sum of all X, in every lane.
    fn first<I: AesIsa>(aes: &Aes<'_, I>, message: &[u8], output: &mut [u8]) -> I::Blocks;
    /// The second one, from W and X to the ciphertext; gives the sum of all Y, in every lane.
    fn second<I: AesIsa>(aes: &Aes<'_, I>, s: I::Blocks, buffer: &mut [u8]) -> I::Blocks;
}

/// The key, and its subkeys in every lane of a vector.
pub(super) struct Aes<'k, I: AesIsa> {
    pub(super) isa: I,
    pub(super) key: &'k Key,
    pub(super) i: I::Blocks,
    pub(super) j: I::Blocks,
    pub(super) l: I::Blocks,
    pub(super) zero: I::Blocks,
}

impl<'k, I: AesIsa> Aes<'k, I> {
    #[inline(always)]
    fn new(isa: I, key: &'k Key) -> Self {
        Self {
            isa,
            key,
            i: lanes(isa, key.i),
            j: lanes(isa, key.j),
            l: lanes(isa, key.l),
            zero: lanes(isa, 0),
        }
    }

    /// The four rounds of AES4 on a block to which its offset has been added.
    #[inline(always)]
    pub(super) fn aes4(&self, x: I::Blocks) -> I::Blocks {
        x.encrypt_round(self.j).encrypt_round(self.i).encrypt_round(self.l).encrypt_round(self.zero)
    }

    /// The ten rounds of AES10 on a block to which its offset has been added.
    #[inline(always)]
    fn aes10(&self, x: I::Blocks) -> I::Blocks {
        let mut x = x;
        for _ in 0..3 {
            x = x.encrypt_round(self.i).encrypt_round(self.j).encrypt_round(self.l);
        }
        x.encrypt_round(self.i)
    }

    /// The first pass on a vector of pairs whose E(1, i) has this offset: W and X.
    #[inline(always)]
    pub(super) fn w_and_x(
        &self,
        offset: I::Blocks,
        left: I::Blocks,
        right: I::Blocks,
    ) -> (I::Blocks, I::Blocks) {
        let w = left ^ self.aes4(right ^ offset);
        // The offset of E(0, 0) is I itself.
        (w, right ^ self.aes4(w ^ self.i))
    }

    /// The second pass on a vector of pairs, with the offsets of E(1, i) and E(2, i): the two blocks of the
    /// ciphertext and Y.
    #[inline(always)]
    pub(super) fn ciphertext_and_y(
        &self,
        [one, two]: [I::Blocks; 2],
        s: I::Blocks,
        w: I::Blocks,
        x: I::Blocks,
    ) -> (I::Blocks, I::Blocks, I::Blocks) {
        let s = self.aes4(s ^ two);
        let (y, z) = (w ^ s, x ^ s);
        let right = y ^ self.aes4(z ^ self.i);
        (z ^ self.aes4(right ^ one), right, y)
    }
}

/// Each of two blocks in every lane.
#[inline(always)]
fn blocks<I: AesIsa>(isa: I, [a, b]: &[[u8; 16]; 2]) -> [I::Blocks; 2] {
    [I::Blocks::splat(isa, a), I::Blocks::splat(isa, b)]
}

/// A number in every lane.
#[inline(always)]
pub(super) fn lanes<I: AesIsa>(isa: I, number: u128) -> I::Blocks {
    I::Blocks::splat(isa, &number.to_be_bytes())
}

/// Enciphers a message and 16 zeros. Its length is that of some times eight pairs, and a block more.
///
/// The hash of what comes with the message and the last two blocks are computed in every lane alike, which takes no
/// longer than in one.
#[inline(always)]
pub(super) fn encrypt<I: AesIsa, P: Passes>(isa: I, key: &Key, message: &[u8], output: &mut [u8]) {
    let aes = Aes::new(isa, key);
    let (pairs, last) = message.split_at(message.len() - 16);
    let (pairs_out, last_out) = output.split_at_mut(pairs.len());
    // The last two blocks: one of the message, and the zeros that become the tag.
    let m_x = I::Blocks::splat(isa, last.try_into().expect("a block has 16 bytes"));
    let [hash_tag, hash_nonce] = blocks(isa, &key.hash);
    let [last_1, last_2] = blocks(isa, &key.last);
    let nonce = I::Blocks::splat(isa, &padded_nonce());
    let delta = aes.aes4(lanes(isa, TAG_BITS) ^ hash_tag) ^ aes.aes4(nonce ^ hash_nonce);
    let e_1 = aes.aes4(last_1);

    let sum = P::first(&aes, pairs, pairs_out);

    let s_x = m_x ^ delta ^ sum ^ e_1;
    let s_y = aes.aes10(s_x ^ aes.l);

    let sum = P::second(&aes, s_x ^ s_y, pairs_out);

    let c_y = s_x ^ aes.aes10(s_y ^ I::Blocks::splat(isa, &key.multiples[1]));
    let c_x = s_y ^ delta ^ sum ^ aes.aes4(c_y ^ last_2);
    last_out[..16].copy_from_slice(&c_x.to_first());
    last_out[16..].copy_from_slice(&c_y.to_first());
}
