//! The rounds of Serpent and its key schedule, once for all steps but the full bit-slice.
//!
//! Serpent was designed for this arrangement: of a block's four words, the bits at one place are the input of an
//! S-box, so that a circuit on four words computes 32 S-boxes. Nothing in it asks how long a word is. A vector of
//! words, each from another block, encrypts these blocks side by side by the same text.

use std::hint::black_box;

use abreast_simd::{Word as _, Words, WordsIsa};

use super::circuits::{Bits, three_input, two_input};

/// The 33 round keys, of four words each.
pub(super) type RoundKeys = [[u32; 4]; 33];

/// The instructions that rounds are computed with.
pub(super) trait Instructions: Copy {
    /// A register: a word, or a vector of words.
    type Register: Bits;

    /// A word, everywhere in a register.
    fn splat(self, x: u32) -> Self::Register;
    /// Words rotated to the left.
    fn rotl(x: Self::Register, n: u32) -> Self::Register;
    /// Words shifted to the left.
    fn shl(x: Self::Register, n: u32) -> Self::Register;

    /// S-box `number`.
    #[inline(always)]
    fn sbox(number: usize, words: [Self::Register; 4]) -> [Self::Register; 4] {
        two_input(number, words)
    }

    /// The linear transformation.
    #[inline(always)]
    fn transform([a, b, c, d]: [Self::Register; 4]) -> [Self::Register; 4] {
        let (a, c) = (Self::rotl(a, 13), Self::rotl(c, 3));
        let b = Self::rotl(b ^ a ^ c, 1);
        let d = Self::rotl(d ^ c ^ Self::shl(a, 3), 7);
        let a = Self::rotl(a ^ b ^ d, 5);
        let c = Self::rotl(c ^ d ^ Self::shl(b, 7), 22);
        [a, b, c, d]
    }
}

/// Words in general registers.
#[derive(Clone, Copy)]
pub(super) struct OnWords;

impl Instructions for OnWords {
    type Register = u32;

    #[inline(always)]
    fn splat(self, x: u32) -> u32 {
        x
    }
    #[inline(always)]
    fn rotl(x: u32, n: u32) -> u32 {
        x.rotate_left(n)
    }
    #[inline(always)]
    fn shl(x: u32, n: u32) -> u32 {
        x << n
    }
}

/// Vectors, by operations on two of them.
#[derive(Clone, Copy)]
pub(super) struct OnVectors<I>(pub(super) I);

impl<I: WordsIsa> Instructions for OnVectors<I> {
    type Register = I::Words;

    #[inline(always)]
    fn splat(self, x: u32) -> I::Words {
        I::Words::splat(self.0, x)
    }
    #[inline(always)]
    fn rotl(x: I::Words, n: u32) -> I::Words {
        x.rotl(n)
    }
    #[inline(always)]
    fn shl(x: I::Words, n: u32) -> I::Words {
        x.shl(n)
    }
}

/// Vectors, by operations on three of them: an S-box takes 7 or 8 of these in place of 13 to 15 on two, and the
/// linear transformation has four sums of three words.
#[derive(Clone, Copy)]
pub(super) struct OnVectorsTernary<I>(pub(super) I);

/// `a ^ b ^ c`.
const XOR: i32 = 0x96;

impl<I: WordsIsa> Instructions for OnVectorsTernary<I> {
    type Register = I::Words;

    #[inline(always)]
    fn splat(self, x: u32) -> I::Words {
        I::Words::splat(self.0, x)
    }
    #[inline(always)]
    fn rotl(x: I::Words, n: u32) -> I::Words {
        x.rotl(n)
    }
    #[inline(always)]
    fn shl(x: I::Words, n: u32) -> I::Words {
        x.shl(n)
    }
    #[inline(always)]
    fn sbox(number: usize, words: [I::Words; 4]) -> [I::Words; 4] {
        three_input(number, words)
    }
    #[inline(always)]
    fn transform([a, b, c, d]: [I::Words; 4]) -> [I::Words; 4] {
        let (a, c) = (a.rotl(13), c.rotl(3));
        let b = I::Words::ternary::<XOR>(a, b, c).rotl(1);
        let d = I::Words::ternary::<XOR>(c, d, a.shl(3)).rotl(7);
        let a = I::Words::ternary::<XOR>(a, b, d).rotl(5);
        let c = I::Words::ternary::<XOR>(c, d, b.shl(7)).rotl(22);
        [a, b, c, d]
    }
}

/// All rounds of `N` groups of blocks. A group is four registers, which hold as many blocks as each of them has
/// words.
///
/// Each round is done for all groups before the next one, so that one group computes while another waits for its own
/// results.
#[inline(always)]
pub(super) fn encrypt<I: Instructions, const N: usize>(
    with: I,
    keys: &RoundKeys,
    groups: &mut [[I::Register; 4]; N],
) {
    let mut round = 0;
    loop {
        one_round(with, 0, keys[round], groups);
        one_round(with, 1, keys[round + 1], groups);
        one_round(with, 2, keys[round + 2], groups);
        one_round(with, 3, keys[round + 3], groups);
        one_round(with, 4, keys[round + 4], groups);
        one_round(with, 5, keys[round + 5], groups);
        one_round(with, 6, keys[round + 6], groups);
        if round == 24 {
            break;
        }
        one_round(with, 7, keys[round + 7], groups);
        round += 8;
    }
    // The last round has another round key in place of the linear transformation.
    for group in groups {
        *group = add(with, I::sbox(7, add(with, *group, keys[31])), keys[32]);
    }
}

/// A round: round key, S-box and linear transformation.
#[inline(always)]
fn one_round<I: Instructions, const N: usize>(
    with: I,
    sbox: usize,
    key: [u32; 4],
    groups: &mut [[I::Register; 4]; N],
) {
    for group in groups {
        *group = I::transform(I::sbox(sbox, add(with, *group, key)));
        if N > 1 {
            // The group is in memory between two rounds. Left to itself, the compiler moves instructions between the
            // rounds of both groups until there are not enough registers, which takes a sixth longer with AVX2.
            black_box(&mut *group);
        }
    }
}

/// A round key added to the four words of a group.
#[inline(always)]
pub(super) fn add<I: Instructions>(
    with: I,
    [a, b, c, d]: [I::Register; 4],
    key: [u32; 4],
) -> [I::Register; 4] {
    [a ^ with.splat(key[0]), b ^ with.splat(key[1]), c ^ with.splat(key[2]), d ^ with.splat(key[3])]
}

/// The round keys of a key of 256 bits: a recurrence makes words of the key's, and S-boxes make round keys of these.
pub(super) fn expand(key: &[u8; 32]) -> RoundKeys {
    const PHI: u32 = 0x9e37_79b9;
    let mut words = [0; 8 + 4 * 33];
    for (word, bytes) in words.iter_mut().zip(key.as_chunks().0) {
        *word = u32::from_le_bytes(*bytes);
    }
    for i in 8..words.len() {
        let sum = words[i - 8] ^ words[i - 5] ^ words[i - 3] ^ words[i - 1] ^ PHI ^ (i - 8) as u32;
        words[i] = sum.rotate_left(11);
    }
    let mut keys = [[0; 4]; 33];
    for (round, (key, words)) in keys.iter_mut().zip(words[8..].as_chunks().0).enumerate() {
        *key = two_input((35 - round) % 8, *words);
    }
    keys
}
