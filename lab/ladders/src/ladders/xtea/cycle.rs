//! XTEA itself: a cycle in both directions, on the words of a block and on vectors of such words.

use abreast_simd::Words;

/// The number of cycles; each changes both words of a block.
pub(super) const CYCLES: usize = 32;

/// Bytes of a block.
pub(super) const BLOCK: usize = 8;

/// The increment of the sum in each cycle, from the golden ratio.
const DELTA: u32 = 0x9e37_79b9;

/// The four words of a key.
pub(super) type Key = [u32; 4];

/// The words that each cycle combines with those of a block, in the order in which the cycles are done.
pub(super) type RoundKeys = [(u32, u32); CYCLES];

/// Encryption or decryption.
pub(super) trait Direction: 'static {
    /// Returns the number of the encryption cycle that is the `n`th cycle in this direction.
    fn cycle_number(n: usize) -> usize;
    /// A cycle of a block. Its words are a tuple, since Rust returns an array of 8 bytes as one number: LLVM
    /// would keep both words in one register, and take them apart in each cycle for a third of the time.
    fn cycle(keys: (u32, u32), block: (u32, u32)) -> (u32, u32);
}

/// A direction for vectors, too.
pub(super) trait VectorDirection: Direction {
    /// A cycle of many blocks, given as a vector of left words and one of right words.
    fn vector_cycle<W: Words>(keys: (W, W), halves: (W, W)) -> (W, W);
}

pub(super) struct Encrypt;

impl Direction for Encrypt {
    #[inline(always)]
    fn cycle_number(n: usize) -> usize {
        n
    }
    #[inline(always)]
    fn cycle(keys: (u32, u32), (left, right): (u32, u32)) -> (u32, u32) {
        let left = left.wrapping_add(mix(right) ^ keys.0);
        let right = right.wrapping_add(mix(left) ^ keys.1);
        (left, right)
    }
}

impl VectorDirection for Encrypt {
    #[inline(always)]
    fn vector_cycle<W: Words>(keys: (W, W), (left, right): (W, W)) -> (W, W) {
        let left = left + (mix_vector(right) ^ keys.0);
        let right = right + (mix_vector(left) ^ keys.1);
        (left, right)
    }
}

pub(super) struct Decrypt;

impl Direction for Decrypt {
    #[inline(always)]
    fn cycle_number(n: usize) -> usize {
        CYCLES - 1 - n
    }
    #[inline(always)]
    fn cycle(keys: (u32, u32), (left, right): (u32, u32)) -> (u32, u32) {
        let right = right.wrapping_sub(mix(left) ^ keys.1);
        let left = left.wrapping_sub(mix(right) ^ keys.0);
        (left, right)
    }
}

impl VectorDirection for Decrypt {
    #[inline(always)]
    fn vector_cycle<W: Words>(keys: (W, W), (left, right): (W, W)) -> (W, W) {
        let right = right - (mix_vector(left) ^ keys.1);
        let left = left - (mix_vector(right) ^ keys.0);
        (left, right)
    }
}

#[inline(always)]
fn mix(x: u32) -> u32 {
    (x << 4 ^ x >> 5).wrapping_add(x)
}

#[inline(always)]
fn mix_vector<W: Words>(x: W) -> W {
    (x.shl(4) ^ x.shr(5)) + x
}

/// The words of a key, as game servers read them.
pub(super) fn words_of(key: &[u8; 16]) -> Key {
    let mut words = [0; 4];
    for (word, bytes) in words.iter_mut().zip(key.as_chunks().0) {
        *word = u32::from_le_bytes(*bytes);
    }
    words
}

/// The round keys of the `n`th cycle: a sum, and the word of the key that the sum chooses.
#[inline(always)]
pub(super) fn keys_of_cycle<D: Direction>(key: &Key, n: usize) -> (u32, u32) {
    let sum = DELTA.wrapping_mul(D::cycle_number(n) as u32);
    let next = sum.wrapping_add(DELTA);
    (sum.wrapping_add(key[(sum & 3) as usize]), next.wrapping_add(key[(next >> 11 & 3) as usize]))
}

/// The round keys of all cycles.
pub(super) fn round_keys<D: Direction>(key: &Key) -> RoundKeys {
    let mut keys = [(0, 0); CYCLES];
    for (n, keys) in keys.iter_mut().enumerate() {
        *keys = keys_of_cycle::<D>(key, n);
    }
    keys
}

/// The words of a block, read as one number of 64 bits, as the server has it.
#[inline(always)]
pub(super) fn load(block: &[u8; BLOCK]) -> (u32, u32) {
    let number = u64::from_le_bytes(*block);
    (number as u32, (number >> 32) as u32)
}

/// The inverse of [`load`].
#[inline(always)]
pub(super) fn store((left, right): (u32, u32), block: &mut [u8; BLOCK]) {
    *block = (u64::from(left) | u64::from(right) << 32).to_le_bytes();
}

/// The words of a block, read as two numbers of 32 bits.
#[inline(always)]
pub(super) fn load_words(block: &[u8; BLOCK]) -> (u32, u32) {
    let words = block.as_chunks().0;
    (u32::from_le_bytes(words[0]), u32::from_le_bytes(words[1]))
}

/// The inverse of [`load_words`].
#[inline(always)]
pub(super) fn store_words((left, right): (u32, u32), block: &mut [u8; BLOCK]) {
    let words = block.as_chunks_mut().0;
    (words[0], words[1]) = (left.to_le_bytes(), right.to_le_bytes());
}
