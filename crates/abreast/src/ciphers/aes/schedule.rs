//! The key expansion (FIPS 197, section 5.2), for every key size: word by word, and four words at a time where there
//! are AES instructions.
//!
//! The second text is kept because a key of AES-128 for both directions takes 125 cycles with it and 330 with the first
//! (Zen 5): word by word, every word goes through memory to a register and back.

use abreast_simd::{AesBlocks, AesIsa, Blocks};

/// Expands a key of 16, 24 or 32 bytes to `RK` round keys: 11, 13 or 15.
///
/// `sub_word` is the S-box on each byte of a little-endian word: the CPU's where it has one.
#[inline(always)]
pub(super) fn expand<const RK: usize>(key: &[u8], sub_word: impl Fn(u32) -> u32) -> [[u8; 16]; RK] {
    let words_in_key = key.len() / 4;
    let mut keys = [[0; 16]; RK];
    let words = keys.as_flattened_mut();
    words[..key.len()].copy_from_slice(key);
    let mut previous = word(words, words_in_key - 1);
    let mut constant = 1u32;
    for i in words_in_key..4 * RK {
        if i % words_in_key == 0 {
            // A word of FIPS 197 has its first byte on top; on little-endian words RotWord turns right.
            previous = sub_word(previous.rotate_right(8)) ^ constant;
            constant = constant << 1 ^ if constant == 0x80 { 0x11b } else { 0 };
        } else if words_in_key > 6 && i % words_in_key == 4 {
            previous = sub_word(previous);
        }
        previous ^= word(words, i - words_in_key);
        words[4 * i..4 * i + 4].copy_from_slice(&previous.to_le_bytes());
    }
    keys
}

/// The round constants, in the first byte of every word: for the S-box of one word in all columns.
const CONSTANTS: [[u8; 16]; 10] = {
    let mut constants = [[0; 16]; 10];
    let (mut i, mut constant) = (0, 1);
    while i < 10 {
        let mut column = 0;
        while column < 4 {
            constants[i][4 * column] = constant;
            column += 1;
        }
        constant = constant << 1 ^ if constant & 0x80 == 0 { 0 } else { 0x1b };
        i += 1;
    }
    constants
};

/// Word `n` of a register, rotated by `RotWord` or not, in every column.
const fn in_columns(n: u8, rotated: bool) -> [u8; 16] {
    let mut indices = [0; 16];
    let mut i = 0;
    while i < 16 {
        indices[i as usize] = 4 * n + if rotated { (i + 1) % 4 } else { i % 4 };
        i += 1;
    }
    indices
}

/// The words of a register moved up by `n`, with zeros below.
const fn moved_up(n: u8) -> [u8; 16] {
    let mut indices = [0x80; 16];
    let mut i = 4 * n;
    while i < 16 {
        indices[i as usize] = i - 4 * n;
        i += 1;
    }
    indices
}

/// Word `i` becomes the XOR of words 0 to `i`: what adding each word to the next one comes to.
#[inline(always)]
fn running_xor<B: AesBlocks>(words: B) -> B {
    let pairs = words ^ words.shuffle_bytes(&const { moved_up(1) });
    pairs ^ pairs.shuffle_bytes(&const { moved_up(2) })
}

/// As [`expand`], by registers of four words. The same word in all four columns makes `ShiftRows` do nothing, so that the
/// last round of encryption is the S-box and the XOR of the round constant.
#[inline(always)]
pub(super) fn expand_in_registers<I: AesIsa, const RK: usize>(isa: I, key: &[u8], keys: &mut [[u8; 16]; RK]) {
    let constant = |n: usize| I::Blocks::first(isa, &CONSTANTS[n]);
    let (blocks, rest) = key.as_chunks::<16>();
    let mut a = I::Blocks::first(isa, &blocks[0]);
    keys[0] = a.to_first();
    match (blocks.get(1), rest) {
        // Four words to a key.
        (None, []) => {
            for (n, key) in keys[1..].iter_mut().enumerate() {
                let sub = a.shuffle_bytes(&const { in_columns(3, true) }).encrypt_last(constant(n));
                a = running_xor(a) ^ sub;
                *key = a.to_first();
            }
        }
        // Eight.
        (Some(second), _) => {
            let zero = I::Blocks::first(isa, &[0; 16]);
            let mut b = I::Blocks::first(isa, second);
            keys[1] = b.to_first();
            for (n, pair) in keys[2..].chunks_mut(2).enumerate() {
                let sub = b.shuffle_bytes(&const { in_columns(3, true) }).encrypt_last(constant(n));
                a = running_xor(a) ^ sub;
                pair[0] = a.to_first();
                let sub = a.shuffle_bytes(&const { in_columns(3, false) }).encrypt_last(zero);
                b = running_xor(b) ^ sub;
                if let Some(key) = pair.get_mut(1) {
                    *key = b.to_first();
                }
            }
        }
        // Six: a register, and half of one, of which the upper words are of no use and are written over.
        (None, rest) => {
            let mut b = I::Blocks::load_partial(isa, rest);
            let bytes = keys.as_flattened_mut();
            bytes[16..24].copy_from_slice(rest);
            for n in 0..8 {
                let sub = b.shuffle_bytes(&const { in_columns(1, true) }).encrypt_last(constant(n));
                a = running_xor(a) ^ sub;
                bytes[24 * (n + 1)..][..16].copy_from_slice(&a.to_first());
                b = running_xor(b) ^ a.shuffle_bytes(&const { in_columns(3, false) });
                if let Some(place) = bytes.get_mut(24 * (n + 1) + 16..24 * (n + 2)) {
                    place.copy_from_slice(&b.to_first()[..8]);
                }
            }
        }
    }
}

#[inline(always)]
fn word(bytes: &[u8], i: usize) -> u32 {
    u32::from_le_bytes([bytes[4 * i], bytes[4 * i + 1], bytes[4 * i + 2], bytes[4 * i + 3]])
}
