//! AEZ as the specification writes it: blocks are numbers of 128 bits, and each E makes its offset from scratch. Only
//! what does a round of AES is left open.

use super::key::{Key, TAG_BITS, number, padded_nonce, times};

/// Enciphers a message and 16 zeros. Its length is that of some pairs, and a block more.
#[inline(always)]
pub(super) fn encrypt(
    key: &Key,
    round: impl Fn([u8; 16], [u8; 16]) -> [u8; 16],
    message: &[u8],
    output: &mut [u8],
) {
    let aes = Aes { key, round };
    let (pairs, last) = message.split_at(message.len() - 16);
    let (pairs_out, last_out) = output.split_at_mut(pairs.len());
    // The last two blocks: one of the message, and the zeros that become the tag.
    let (m_x, m_y) = (number(last), 0);
    let delta = aes.e4(3, 1, TAG_BITS) ^ aes.e4(4, 0, number(&padded_nonce()));

    let mut sum = 0;
    for (i, (src, dst)) in (1..).zip(pairs.chunks_exact(32).zip(pairs_out.chunks_exact_mut(32))) {
        let (left, right) = (number(&src[..16]), number(&src[16..]));
        let w = left ^ aes.e4(1, i, right);
        let x = right ^ aes.e4(0, 0, w);
        dst[..16].copy_from_slice(&w.to_be_bytes());
        dst[16..].copy_from_slice(&x.to_be_bytes());
        sum ^= x;
    }

    let s_x = m_x ^ delta ^ sum ^ aes.e4(0, 1, m_y);
    let s_y = m_y ^ aes.e10(1, s_x);

    let mut sum = 0;
    for (i, pair) in (1..).zip(pairs_out.chunks_exact_mut(32)) {
        let (w, x) = (number(&pair[..16]), number(&pair[16..]));
        let s = aes.e4(2, i, s_x ^ s_y);
        let (y, z) = (w ^ s, x ^ s);
        let right = y ^ aes.e4(0, 0, z);
        let left = z ^ aes.e4(1, i, right);
        pair[..16].copy_from_slice(&left.to_be_bytes());
        pair[16..].copy_from_slice(&right.to_be_bytes());
        sum ^= y;
    }

    let c_y = s_x ^ aes.e10(2, s_y);
    let c_x = s_y ^ delta ^ sum ^ aes.e4(0, 2, c_y);
    last_out[..16].copy_from_slice(&c_x.to_be_bytes());
    last_out[16..].copy_from_slice(&c_y.to_be_bytes());
}

/// A key, and a round of AES.
struct Aes<'k, R> {
    key: &'k Key,
    round: R,
}

impl<R: Fn([u8; 16], [u8; 16]) -> [u8; 16]> Aes<'_, R> {
    /// E(j, i) with four rounds.
    #[inline(always)]
    fn e4(&self, j: u32, i: u32, x: u128) -> u128 {
        let &Key { i: key_i, j: key_j, l: key_l, .. } = self.key;
        self.rounds(&[key_j, key_i, key_l, 0], x ^ self.key.offset(j, i))
    }

    /// E(-1, i) with ten rounds.
    #[inline(always)]
    fn e10(&self, i: u32, x: u128) -> u128 {
        let &Key { i: key_i, j: key_j, l: key_l, .. } = self.key;
        let keys = [key_i, key_j, key_l, key_i, key_j, key_l, key_i, key_j, key_l, key_i];
        self.rounds(&keys, x ^ times(i, key_l))
    }

    #[inline(always)]
    fn rounds(&self, keys: &[u128], x: u128) -> u128 {
        let mut state = x.to_be_bytes();
        for key in keys {
            state = (self.round)(state, key.to_be_bytes());
        }
        u128::from_be_bytes(state)
    }
}
