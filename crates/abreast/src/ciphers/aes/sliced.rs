//! AES bit-sliced, for CPUs without instructions for it: constant time, at every width.
//!
//! Käsper and Schwabe ("Faster and timing-attack resistant AES-GCM", CHES 2009) put bit `i` of eight
//! blocks side by side in one register: byte `p` of plane `i` holds bit `i` of byte `p` of all eight
//! blocks, so that the S-box is a circuit over eight planes. Here every row of 128 bits holds eight
//! blocks of its own, which makes the same text serve registers of any width.
//!
//! The bytes of a block lie row by row: byte `4r + c` of a plane belongs to row `r` and column `c` of
//! the AES state. Two savings follow.
//!
//! * `ShiftRows` is never done (Adomnicai and Peyrin, "Fixslicing AES-like ciphers", TCHES 2021). After
//!   `k` rounds the element of row `r` and column `c` stands in column `c + kr`. The neighbour in the
//!   next row, which `MixColumns` wants, then stands one lane and `k` bytes on, for every element
//!   alike: one byte shuffle, whatever `k` is. Round keys are laid out to match, and as the number of
//!   rounds is even, only the odd rows are left to undo at the end.
//! * The constant of the S-box is added by the round keys: `MixColumns` maps a column of 0x63 to itself.
//!
//! Whole passes are calls: one costs some 2000 instructions, and a copy in every mode and direction
//! would cost half a megabyte.

use super::permuted::{ONES, PermutedKeys};
use super::sbox::{InvSubBytes, SubBytes};
use super::schedule::{MOST_ROUND_KEYS, expand, round_keys_of};
use crate::ciphers::aes::sbox::sub_word;
use crate::engine::backend::{Backend, Spec};
use crate::engine::words::{OverWords, WordsBackend};
use crate::wipe::wipe;
use abreast_simd::inlined::{CopyFrom, Flat, Zipped};
use abreast_simd::{Baseline, Plane, Words, WordsIsa};

/// AES, bit-sliced: the same code for all key sizes.
pub(crate) struct AesSliced;

/// A round key as planes: each byte 0 or 255.
pub(crate) type PlaneKey = [[u8; 16]; 8];

/// The constant of the S-box, which the round keys carry.
const SBOX_CONSTANT: u8 = 0x63;

/// Round keys as planes, none of which crosses a cache line, and as few blocks take them.
#[repr(align(16))]
pub(crate) struct SlicedKeys {
    /// Room for the most; a key of AES-128 or AES-192 leaves the last ones blank.
    planes: [PlaneKey; MOST_ROUND_KEYS],
    rounds: usize,
    permuted: PermutedKeys,
}

impl SlicedKeys {
    /// No key yet.
    pub(super) const ZERO: Self =
        Self { planes: [[[0; 16]; 8]; MOST_ROUND_KEYS], rounds: 0, permuted: PermutedKeys::ZERO };

    /// Expands a key in place: a copy of the round keys would stay in memory that nobody wipes.
    pub(super) fn fill(&mut self, key: &[u8]) {
        let mut room = [[0; 16]; MOST_ROUND_KEYS];
        let bytes = &mut room[..round_keys_of(key.len())];
        expand(key, bytes, sub_word);
        for (round, (planes, bytes)) in self.planes.iter_mut().zipped(&*bytes).enumerate() {
            *planes = plane_key(bytes, round);
        }
        self.rounds = bytes.len() - 1;
        if <<Baseline as WordsIsa>::Words as Words>::LOOKUP {
            self.permuted.fill(bytes);
        }
        wipe(bytes.flat_mut());
    }

    /// Returns the round keys that the key has.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn planes(&self) -> &[PlaneKey] {
        &self.planes[..=self.rounds]
    }
}

/// Returns the key that is added after `rounds` rounds, with the constant of the S-box.
pub(crate) fn plane_key(bytes: &[u8; 16], rounds: usize) -> PlaneKey {
    let constant = if rounds == 0 { 0 } else { SBOX_CONSTANT };
    let mut placed = [0; 16];
    for (p, byte) in bytes.iter().enumerate() {
        let (row, column) = (p % 4, p / 4);
        placed[4 * row + (column + rounds * row) % 4] = byte ^ constant;
    }
    let number = u128::from_le_bytes(placed);
    wipe(&mut placed);
    let mut planes = [[0; 16]; 8];
    for (i, plane) in planes.iter_mut().enumerate() {
        let set = number >> i & ONES;
        *plane = (set << 8).wrapping_sub(set).to_le_bytes();
    }
    planes
}

impl Drop for SlicedKeys {
    fn drop(&mut self) {
        wipe(self.planes.flat_mut().flat_mut());
    }
}

/// The planes of words.
type PlaneOf<W> = <W as Words>::Plane;

/// Eight registers of bytes to eight planes of bits, or back: the 8 x 8 matrix of bits that stands at
/// each byte position is transposed.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn transpose_bits<P: Plane>(isa: P::Isa, x: [P; 8]) -> [P; 8] {
    let [a, b, c, d, e, f, g, h] = x;
    let (a, b) = P::swap_bits(isa, 0x55, 1, a, b);
    let (c, d) = P::swap_bits(isa, 0x55, 1, c, d);
    let (e, f) = P::swap_bits(isa, 0x55, 1, e, f);
    let (g, h) = P::swap_bits(isa, 0x55, 1, g, h);
    let (a, c) = P::swap_bits(isa, 0x33, 2, a, c);
    let (b, d) = P::swap_bits(isa, 0x33, 2, b, d);
    let (e, g) = P::swap_bits(isa, 0x33, 2, e, g);
    let (f, h) = P::swap_bits(isa, 0x33, 2, f, h);
    let (a, e) = P::swap_bits(isa, 0x0f, 4, a, e);
    let (b, f) = P::swap_bits(isa, 0x0f, 4, b, f);
    let (c, g) = P::swap_bits(isa, 0x0f, 4, c, g);
    let (d, h) = P::swap_bits(isa, 0x0f, 4, d, h);
    [a, b, c, d, e, f, g, h]
}

/// Blocks as FIPS 197 orders their bytes to planes.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn slice<P: Plane>(isa: P::Isa, mut blocks: [P; 8]) -> [P; 8] {
    for block in &mut blocks {
        *block = block.transpose_bytes();
    }
    transpose_bits(isa, blocks)
}

/// The inverse of [`slice`].
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn unslice<P: Plane>(isa: P::Isa, planes: [P; 8]) -> [P; 8] {
    let mut blocks = transpose_bits(isa, planes);
    for block in &mut blocks {
        *block = block.transpose_bytes();
    }
    blocks
}

/// Takes the planes of an even number of rounds from the layout without `ShiftRows` to that with it, or
/// back: after `2 mod 4` rounds the halves of odd rows have changed places.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn settle_rows<P: Plane>(isa: P::Isa, mut planes: [P; 8], rounds: usize) -> [P; 8] {
    if !rounds.is_multiple_of(4) {
        let odd_rows = P::splat_row(isa, &[0, 0, 0, 0, 255, 255, 255, 255, 0, 0, 0, 0, 255, 255, 255, 255]);
        for plane in &mut planes {
            *plane = *plane ^ ((*plane ^ plane.rotate_bytes(0, 2)) & odd_rows);
        }
    }
    planes
}

/// `AddRoundKey`.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn add_key<P: Plane>(isa: P::Isa, mut planes: [P; 8], key: &PlaneKey) -> [P; 8] {
    for (plane, key) in planes.iter_mut().zipped(key) {
        *plane = *plane ^ P::splat_row(isa, key);
    }
    planes
}

/// Every element times two in GF(2^8): the planes move up, and the top one comes back in four.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn doubled<P: Plane>([a, b, c, d, e, f, g, h]: [P; 8]) -> [P; 8] {
    [h, a ^ h, b, c ^ h, d ^ h, e, f, g]
}

/// The sum of two sets of planes.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn xor<P: Plane>(mut a: [P; 8], b: [P; 8]) -> [P; 8] {
    for (a, b) in a.iter_mut().zipped(b) {
        *a = *a ^ b;
    }
    a
}

/// `MixColumns` after `SHIFTED` rounds modulo 4.
///
/// An element becomes `2 (a0 + a1) + a1 + (a2 + a3)`, where `a1` is the next row's element.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn mix_columns<const SHIFTED: usize, P: Plane>(a: [P; 8]) -> [P; 8] {
    let (mut sums, mut rest) = (a, a);
    for i in 0..8 {
        let next = a[i].rotate_bytes(1, SHIFTED);
        sums[i] = a[i] ^ next;
        rest[i] = next ^ sums[i].rotate_bytes(2, 2 * SHIFTED);
    }
    xor(rest, doubled(sums))
}

/// `InvMixColumns`, which is `MixColumns` after adding `4 (a0 + a2)`.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn inv_mix_columns<const SHIFTED: usize, P: Plane>(a: [P; 8]) -> [P; 8] {
    let mut sums = a;
    for i in 0..8 {
        sums[i] = a[i] ^ a[i].rotate_bytes(2, 2 * SHIFTED);
    }
    mix_columns::<SHIFTED, P>(xor(a, doubled(doubled(sums))))
}

/// `SubBytes`, `MixColumns` after `SHIFTED` rounds modulo 4, and `AddRoundKey`.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn encrypt_round<const SHIFTED: usize, P: Plane>(isa: P::Isa, key: &PlaneKey, groups: &mut [[P; 8]]) {
    for planes in groups {
        *planes = add_key(isa, mix_columns::<SHIFTED, P>(P::apply(SubBytes, *planes)), key);
    }
}

/// `AddRoundKey`, `InvMixColumns` after `SHIFTED` rounds modulo 4, and `InvSubBytes`.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn decrypt_round<const SHIFTED: usize, P: Plane>(isa: P::Isa, key: &PlaneKey, groups: &mut [[P; 8]]) {
    for planes in groups {
        *planes = P::apply(InvSubBytes, inv_mix_columns::<SHIFTED, P>(add_key(isa, *planes, key)));
    }
}

/// A round with each key, the first of all being the first of these.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn encrypt_rounds<P: Plane>(isa: P::Isa, keys: &[PlaneKey], groups: &mut [[P; 8]]) {
    for (round, key) in (1..).zipped(keys) {
        match round % 4 {
            0 => encrypt_round::<0, P>(isa, key, groups),
            1 => encrypt_round::<1, P>(isa, key, groups),
            2 => encrypt_round::<2, P>(isa, key, groups),
            _ => encrypt_round::<3, P>(isa, key, groups),
        }
    }
}

/// A whole round with each of an even number of keys and no key before them, as AEZ has it. A call.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
#[cfg(feature = "aez")]
pub(crate) fn whole_rounds<I: WordsIsa, const N: usize>(
    isa: I,
    keys: &[PlaneKey],
    groups: &mut [[I::Words; 8]; N],
) {
    in_planes(
        isa,
        groups,
        #[cfg_attr(not(abreast_unoptimized), inline(always))]
        |groups| {
            for planes in groups.iter_mut() {
                *planes = slice(isa, *planes);
            }
            encrypt_rounds(isa, keys, groups);
            for planes in groups.iter_mut() {
                *planes = unslice(isa, settle_rows(isa, *planes, keys.len()));
            }
        },
    );
}

/// Work on blocks as planes. A call for each number of groups: encryption takes 5 % longer where one group goes by way of
/// memory between two rounds (SSE2, Zen 3).
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn in_planes<I: WordsIsa, const N: usize>(
    isa: I,
    groups: &mut [[I::Words; 8]; N],
    work: impl Fn(&mut [[PlaneOf<I::Words>; 8]]),
) {
    isa.run(
        #[cfg_attr(not(abreast_unoptimized), inline(always))]
        || PlaneOf::<I::Words>::with(groups, work),
    );
}

/// All rounds forward. A call, and one for every key size.
///
/// The groups take turns round by round: the S-box alone is a chain of 27 gates, and where a gate takes
/// two cycles (Zen 5) one group cannot keep the units busy.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn encrypt<I: WordsIsa, const N: usize>(isa: I, keys: &[PlaneKey], groups: &mut [[I::Words; 8]; N]) {
    in_planes(
        isa,
        groups,
        #[cfg_attr(not(abreast_unoptimized), inline(always))]
        |groups| {
            let rounds = keys.len() - 1;
            for planes in groups.iter_mut() {
                *planes = add_key(isa, slice(isa, *planes), &keys[0]);
            }
            encrypt_rounds(isa, &keys[1..rounds], groups);
            for planes in groups.iter_mut() {
                let last = add_key(isa, Plane::apply(SubBytes, *planes), &keys[rounds]);
                *planes = unslice(isa, settle_rows(isa, last, rounds));
            }
        },
    );
}

/// All rounds backward. A call, and one for every key size and number of groups: between two rounds each is in memory.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn decrypt<I: WordsIsa>(isa: I, keys: &[PlaneKey], groups: &mut [[I::Words; 8]]) {
    isa.run(
        #[cfg_attr(not(abreast_unoptimized), inline(always))]
        || {
            PlaneOf::<I::Words>::with(
                groups,
                #[cfg_attr(not(abreast_unoptimized), inline(always))]
                |groups| decrypt_planes(isa, keys, groups),
            );
        },
    );
}

/// All rounds backward, on planes.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn decrypt_planes<P: Plane>(isa: P::Isa, keys: &[PlaneKey], groups: &mut [[P; 8]]) {
    let rounds = keys.len() - 1;
    for planes in groups.iter_mut() {
        let settled = settle_rows(isa, slice(isa, *planes), rounds);
        *planes = P::apply(InvSubBytes, add_key(isa, settled, &keys[rounds]));
    }
    for round in (1..rounds).rev() {
        match round % 4 {
            0 => decrypt_round::<0, _>(isa, &keys[round], groups),
            1 => decrypt_round::<1, _>(isa, &keys[round], groups),
            2 => decrypt_round::<2, _>(isa, &keys[round], groups),
            _ => decrypt_round::<3, _>(isa, &keys[round], groups),
        }
    }
    for planes in groups.iter_mut() {
        *planes = unslice(isa, add_key(isa, *planes, &keys[0]));
    }
}

/// Registers of blocks that go through byte shuffles together, at most. Five take as long as a group (Zen 5).
pub(crate) const FEW: usize = 4;

/// Returns the number of registers that `blocks` blocks fill, if they go through byte shuffles.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn few<I: WordsIsa>(blocks: usize) -> Option<usize> {
    let registers = blocks.div_ceil(I::Words::LANES / 4);
    (I::Words::LOOKUP && registers <= FEW).then_some(registers)
}

/// The first registers of a group.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn first<W, const N: usize>(group: &mut [W; 8]) -> &mut [W; N] {
    const { assert!(N <= 8) };
    group.first_chunk_mut().expect("no more than there are")
}

impl Spec for AesSliced {
    type Keys = SlicedKeys;
    const BLOCK: usize = 16;
}

impl OverWords for AesSliced {}

impl<I: WordsIsa> WordsBackend<I> for AesSliced {
    type Group = [I::Words; 8];
    /// Planes in vectors leave the units of the CPU idle if there is one group; those in general registers do not, and of
    /// two groups more would be in memory.
    const INTERLEAVE: usize = if PlaneOf::<I::Words>::REGISTERS == 1 { 2 } else { 1 };
    const LATENCY_BOUND: bool = false;

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn encrypt<const N: usize>(isa: I, keys: &SlicedKeys, groups: &mut [[I::Words; 8]; N]) {
        encrypt(isa, keys.planes(), groups);
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn decrypt<const N: usize>(isa: I, keys: &SlicedKeys, groups: &mut [[I::Words; 8]; N]) {
        decrypt(isa, keys.planes(), groups);
    }

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn encrypt_partial(isa: I, keys: &SlicedKeys, group: &mut [I::Words; 8], blocks: usize) {
        match few::<I>(blocks) {
            Some(1) => keys.permuted.encrypt::<I, 1>(isa, first(group)),
            Some(2) => keys.permuted.encrypt::<I, 2>(isa, first(group)),
            Some(_) => keys.permuted.encrypt::<I, 4>(isa, first(group)),
            None => encrypt(isa, keys.planes(), core::array::from_mut(group)),
        }
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn decrypt_partial(isa: I, keys: &SlicedKeys, group: &mut [I::Words; 8], blocks: usize) {
        match few::<I>(blocks) {
            Some(1) => keys.permuted.decrypt::<I, 1>(isa, first(group)),
            Some(2) => keys.permuted.decrypt::<I, 2>(isa, first(group)),
            Some(_) => keys.permuted.decrypt::<I, 4>(isa, first(group)),
            None => decrypt(isa, keys.planes(), core::array::from_mut(group)),
        }
    }

    // Without byte shuffles, one block is as much work as a group: each block of a chain costs a whole circuit.
    type SerialBlock = [u8; 16];
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn load_serial(_: I, src: &[u8]) -> [u8; 16] {
        let mut block = [0; 16];
        block.copy_from(src);
        block
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn store_serial(block: [u8; 16], dst: &mut [u8]) {
        dst.copy_from(&block);
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn xor_serial(a: [u8; 16], b: [u8; 16]) -> [u8; 16] {
        (u128::from_ne_bytes(a) ^ u128::from_ne_bytes(b)).to_ne_bytes()
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn encrypt_serial(isa: I, keys: &SlicedKeys, block: [u8; 16]) -> [u8; 16] {
        let mut group = <Self as Backend<I>>::load_partial(isa, &block);
        <Self as WordsBackend<I>>::encrypt_partial(isa, keys, &mut group, 1);
        let mut block = [0; 16];
        <Self as Backend<I>>::store_partial(group, &mut block);
        block
    }
}
