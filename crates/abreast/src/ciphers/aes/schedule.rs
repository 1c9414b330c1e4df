//! The key expansion (FIPS 197, section 5.2), for every key size: word by word, and four words at a time where there
//! are AES instructions.
//!
//! The second text is kept because a key of AES-128 for both directions takes 125 cycles with it and 330 with the first
//! (Zen 5): word by word, every word goes through memory to a register and back.

use super::round_keys::{AES_128_ROUND_KEYS, AesRoundKeys, OPTIONAL};
use abreast_simd::inlined::{CopyFrom, Flat, Zipped};
use abreast_simd::{AesBlocks, AesIsa, Blocks, Places};

/// Round keys of AES-256, the most that there are.
pub(super) const MOST_ROUND_KEYS: usize = 15;

/// Returns the number of round keys of a key of 16, 24 or 32 bytes: 11, 13 or 15.
pub(super) const fn round_keys_of(key_len: usize) -> usize {
    key_len / 4 + 7
}

/// Expands a key of 16, 24 or 32 bytes to its [round keys](round_keys_of).
///
/// `sub_word` is the S-box on each byte of a little-endian word: the CPU's where it has one.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn expand(key: &[u8], keys: &mut [[u8; 16]], sub_word: impl Fn(u32) -> u32) {
    let words_in_key = key.len() / 4;
    let words = keys.flat_mut();
    words[..key.len()].copy_from(key);
    let mut previous = word(words, words_in_key - 1);
    let mut constant = 1u32;
    for i in words_in_key..words.len() / 4 {
        if i % words_in_key == 0 {
            // A word of FIPS 197 has its first byte on top; on little-endian words RotWord turns right.
            previous = sub_word(previous.rotate_right(8)) ^ constant;
            constant = constant << 1 ^ if constant == 0x80 { 0x11b } else { 0 };
        } else if words_in_key > 6 && i % words_in_key == 4 {
            previous = sub_word(previous);
        }
        previous ^= word(words, i - words_in_key);
        words[4 * i..4 * i + 4].copy_from(&previous.to_le_bytes());
    }
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

/// Word `i` becomes the XOR of words 0 to `i`, as if each word were added to the next one in turn.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn running_xor<B: AesBlocks>(words: B) -> B {
    let pairs = words ^ words.shuffle_bytes(&const { moved_up(1) });
    pairs ^ pairs.shuffle_bytes(&const { moved_up(2) })
}

/// Lanes of the widest register of AES instructions.
pub(super) const MOST_LANES: usize = 4;

/// Round keys and the key that they are to be expanded from.
pub(super) type AesExpansion<'a, const RK: usize> = (&'a mut AesRoundKeys<RK>, &'a [u8]);

/// The places for the round keys of a group of keys: for each lane 16 bytes at `at` of those for one direction.
struct RoundKeyPlaces<'g, 'a, const RK: usize> {
    group: &'g mut [Option<AesExpansion<'a, RK>>],
    encrypt: bool,
    at: usize,
}

impl<const RK: usize> Places<[u8; 16]> for RoundKeyPlaces<'_, '_, RK> {
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn of(&mut self, lane: usize) -> Option<&mut [u8; 16]> {
        let (keys, _) = self.group.get_mut(lane)?.as_mut()?;
        let keys = if self.encrypt { &mut keys.encrypt } else { &mut keys.decrypt };
        keys.flat_mut().get_mut(self.at..)?.first_chunk_mut()
    }
}

impl<const RK: usize> RoundKeyPlaces<'_, '_, RK> {
    /// Puts four words of each key of the group where byte `at` of its round keys goes. Words that would not fit have no
    /// place.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn put<B: Blocks>(&mut self, at: usize, words: B) {
        self.at = at;
        words.scatter(self);
    }
}

/// Bytes `at` to `at + 15` of each key, zeros where it has ended.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn part<I: AesIsa>(isa: I, keys: &[&[u8]; MOST_LANES], at: usize) -> I::Blocks {
    I::Blocks::gather_parts(
        isa,
        #[cfg_attr(not(abreast_unoptimized), inline(always))]
        |lane| &keys[lane][at..keys[lane].len().min(at + 16)],
    )
}

/// Expands keys of one size, a register of them at a time, for `BOTH` directions or for encryption alone.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn expand_each<I: AesIsa, const RK: usize, const BOTH: bool>(
    isa: I,
    keyed: &mut [Option<AesExpansion<'_, RK>>],
) {
    for group in keyed.chunks_mut(I::Blocks::LANES) {
        // Groups are filled from the front.
        let Some((_, first)) = &group[0] else { return };
        let mut keys = [*first; MOST_LANES];
        for (key, keyed) in keys.iter_mut().zipped(&*group) {
            if let Some((_, its)) = keyed {
                *key = its;
            }
        }
        let left_out = left_out::<RK>(first.len());
        let mut places = RoundKeyPlaces { group, encrypt: true, at: 0 };
        expand_in_registers::<I, RK>(
            isa,
            keys[0].len(),
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            |at| part(isa, &keys, at),
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            |at, words| places.put(at, words),
        );
        for (keys, _) in places.group.iter_mut().flatten() {
            keys.left_out = left_out;
        }
        match left_out {
            _ if !BOTH => {}
            0 => decryption_keys::<I, RK, 0>(isa, places.group),
            _ => decryption_keys::<I, RK, OPTIONAL>(isa, places.group),
        }
    }
}

/// Returns the number of round keys that a key leaves out of the room for `RK`: 2 for AES-192 in the room for AES-256.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn left_out<const RK: usize>(key_len: usize) -> usize {
    // A constant for AES-128, so that its loops are unrolled.
    if RK == AES_128_ROUND_KEYS { 0 } else { RK - round_keys_of(key_len) }
}

/// Makes the round keys of the equivalent inverse cipher (FIPS 197, section 5.3.5) from those of encryption.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn decryption_keys<I: AesIsa, const RK: usize, const LEFT_OUT: usize>(
    isa: I,
    group: &mut [Option<AesExpansion<'_, RK>>],
) {
    for place in 0..RK {
        if 1 <= place && place <= LEFT_OUT {
            continue;
        }
        // The first and the last round key change places. The others follow the blank ones, in reverse order.
        let source = if place == 0 || place == RK - 1 { RK - 1 - place } else { RK - 1 + LEFT_OUT - place };
        let zero = [0; 16];
        let key = I::Blocks::gather(
            isa,
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            |lane| match group.get(lane) {
                Some(Some((keys, _))) => &keys.encrypt[source],
                _ => &zero,
            },
        );
        let key = if place == 0 || place == RK - 1 { key } else { key.inv_mix_columns() };
        key.scatter(&mut RoundKeyPlaces { group, encrypt: false, at: 16 * place });
    }
}

/// Expands as [`expand`] does, by registers of four words, with a key in each lane. The same word in all four columns makes
/// `ShiftRows` do nothing, so that the last round of encryption is the S-box and the XOR of the round constant.
///
/// `part` gives four words of each key from a byte on. `put` takes four words of the round keys of each, and the byte where they go;
/// there may be no place for the last ones.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn expand_in_registers<I: AesIsa, const RK: usize>(
    isa: I,
    key_len: usize,
    part: impl Fn(usize) -> I::Blocks,
    mut put: impl FnMut(usize, I::Blocks),
) {
    let constant = |n: usize| I::Blocks::splat(isa, &CONSTANTS[n]);
    let mut a = part(0);
    put(0, a);
    match if RK == AES_128_ROUND_KEYS { 16 } else { key_len } {
        // Four words to a key.
        16 => {
            for n in 0..10 {
                let sub = a.shuffle_bytes(&const { in_columns(3, true) }).encrypt_last(constant(n));
                a = running_xor(a) ^ sub;
                put(16 * (n + 1), a);
            }
        }
        // Eight.
        32 => {
            let zero = I::Blocks::splat(isa, &[0; 16]);
            let mut b = part(16);
            put(16, b);
            for n in 0..7 {
                let sub = b.shuffle_bytes(&const { in_columns(3, true) }).encrypt_last(constant(n));
                a = running_xor(a) ^ sub;
                put(32 * (n + 1), a);
                let sub = a.shuffle_bytes(&const { in_columns(3, false) }).encrypt_last(zero);
                b = running_xor(b) ^ sub;
                // There is no place for the last one.
                put(32 * (n + 1) + 16, b);
            }
        }
        // Six: a register, and half of one, of which the upper words are of no use and are written over. All but the first
        // round key follow the blank ones.
        _ => {
            let blank = 16 * left_out::<RK>(key_len);
            let mut b = part(16);
            put(blank + 16, b);
            for n in 0..8 {
                let sub = b.shuffle_bytes(&const { in_columns(1, true) }).encrypt_last(constant(n));
                a = running_xor(a) ^ sub;
                put(blank + 24 * (n + 1), a);
                b = running_xor(b) ^ a.shuffle_bytes(&const { in_columns(3, false) });
                put(blank + 24 * (n + 1) + 16, b);
            }
        }
    }
}

#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn word(bytes: &[u8], i: usize) -> u32 {
    u32::from_le_bytes([bytes[4 * i], bytes[4 * i + 1], bytes[4 * i + 2], bytes[4 * i + 3]])
}
