//! Messages that fit in one register, with what is usual beside them: many of these go one after the other in a batch,
//! and then it counts how few instructions each takes.
//!
//! The blocks of the message and its counters are one vector each, the block that masks the tag is encrypted beside
//! them, and the hash is two products and a reduction.

use super::BLOCK;
use crate::InOutBuf;
use crate::ghash::{GhashKey, Product, absorb_first};
use crate::lanes::ByRounds;
use crate::spec::{Direction, On};
use abreast_simd::{AesIsa, Block, Blocks};

/// Ones and behind them zeros: from the right place on, as many ones as a message has bytes.
static KEPT: [u8; 128] = {
    let mut kept = [0; 128];
    let mut i = 0;
    while i < 64 {
        kept[i] = 255;
        i += 1;
    }
    kept
};

/// Encrypts or decrypts a message of up to a group, with a nonce of 12 bytes and associated data of up to 16, and
/// gives its full tag. Of anything else `None`, and then nothing was done.
#[inline(always)]
pub(crate) fn short<I: AesIsa, S: ByRounds<I>>(
    isa: I,
    keys: &S::Keys,
    key: &GhashKey,
    direction: Direction,
    nonce: &[u8],
    aad: &[u8],
    io: &mut InOutBuf<'_, '_, u8>,
) -> Option<[u8; BLOCK]> {
    let len = io.len();
    let &[a, b, c, d, e, f, g, h, i, j, k, l] = nonce else { return None };
    if len > <S as On<I>>::GROUP || aad.len() > BLOCK {
        return None;
    }
    // Section 7.1, step 2; the last byte counts, and never leaves itself.
    let first = Block::from(u128::from_le_bytes([a, b, c, d, e, f, g, h, i, j, k, l, 0, 0, 0, 1]));
    let next = Block::from(u128::from_le_bytes([a, b, c, d, e, f, g, h, i, j, k, l, 0, 0, 0, 2]));
    let narrow = isa.narrow();
    let [mask] = <S as On<I::Narrow>>::encrypt(
        narrow,
        keys,
        [<S as On<I::Narrow>>::load(narrow, first.as_bytes())],
        #[inline(always)]
        |_| (),
    );
    let mask = <I::Narrow as AesIsa>::Blocks::to_first(mask);

    let mut hash = absorb_first::<I::Blocks>(isa, key, aad);
    let mut product = Product::zero(I::Blocks::splat(isa, &[0; BLOCK]));
    if len > 0 {
        let [stream] = <S as On<I>>::encrypt(
            isa,
            keys,
            [S::first_counters(isa, next.as_bytes())?],
            #[inline(always)]
            |_| (),
        );
        let whole = len == I::Blocks::BYTES;
        let input =
            if whole { I::Blocks::load(isa, io.get_in()) } else { I::Blocks::load_partial(isa, io.get_in()) };
        let output = input ^ stream;
        let mut ciphertext = if direction == Direction::Encrypt { output } else { input };
        if whole {
            output.store(io.get_out());
        } else {
            output.store_partial(io.get_out());
            let kept = I::Blocks::load(isa, &KEPT[64 - len..][..I::Blocks::BYTES]);
            ciphertext = ciphertext & kept;
        }
        product.add(ciphertext.reverse_bytes() ^ hash, &key.powers(isa, len.div_ceil(BLOCK)));
        hash = I::Blocks::splat(isa, &[0; BLOCK]);
    }
    // The two lengths in bits, with their bytes reversed like all blocks here.
    let lengths = Block::from(8 * (aad.len() as u128) << 64 | 8 * (len as u128));
    product.add(I::Blocks::first(isa, lengths.as_bytes()) ^ hash, &key.powers(isa, 0));
    Some((product.reduce(isa).reverse_bytes() ^ I::Blocks::first(isa, &mask)).to_first())
}
