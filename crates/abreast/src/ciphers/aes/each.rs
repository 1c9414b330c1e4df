//! AES under a key of each message: the round keys of many keys lie side by side, laid out once, and blocks of all messages pass them
//! together, as often as a mode wants.
//!
//! In memory and not in vectors, so that one type is for every level: where a register has several lanes, it is loaded from the round
//! keys of as many messages.

use super::round_keys::{AES_128_ROUND_KEYS, REGISTERS};
use super::schedule::{MOST_ROUND_KEYS, expand_in_registers, round_keys_of};
use super::{AesKernel, AesKey};
use abreast_simd::inlined::{Flat, Zipped};
use abreast_simd::{AesBlocks, AesIsa, AesLevel, Blocks, dispatch_aes};

/// Keys side by side: four registers of four blocks, which keep the AES units busy.
pub(crate) const LANES: usize = 16;

/// A row: a block of each message.
pub(crate) type Row = [[u8; 16]; LANES];

/// Round keys of encryption of up to [`LANES`] keys of one length.
pub(crate) struct AesEach {
    level: AesLevel,
    /// For each round, 16 bytes of each key.
    keys: [Row; MOST_ROUND_KEYS],
    /// The number of round keys.
    rounds: usize,
}

/// Round keys of encryption where a key has them.
#[derive(Clone, Copy)]
pub(crate) struct ForwardKeys<'k> {
    pub(crate) level: AesLevel,
    /// The first one, and those after the ones that are left out.
    first: &'k [u8; 16],
    rest: &'k [[u8; 16]],
}

impl ForwardKeys<'_> {
    /// Returns the number of round keys.
    pub(crate) fn rounds(&self) -> usize {
        1 + self.rest.len()
    }
}

impl<const RK: usize> AesKey<RK> {
    /// The round keys of encryption, if they are for AES instructions.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn forward(&self) -> Option<ForwardKeys<'_>> {
        let Self::Rounds(level, _, keys) = self else { return None };
        let (first, rest) = keys.encrypt.split_first()?;
        Some(ForwardKeys { level: *level, first, rest: &rest[keys.left_out()..] })
    }
}

impl<const RK: usize> AesKey<RK> {
    /// Copies the key of a lane, for encryption only. AES-192, whose round keys leave room, is not supported.
    pub(crate) fn set_from_lane(&mut self, each: &AesEach, lane: usize) {
        if !matches!(self, Self::Rounds(level, ..) if *level == each.level) {
            *self = Self::blank(AesKernel::Rounds(each.level));
        }
        if let Self::Rounds(_, _, keys) = self {
            for (key, rows) in keys.encrypt.iter_mut().zipped(&each.keys) {
                *key = rows[lane];
            }
        }
    }
}

impl AesEach {
    /// No keys yet, for a level.
    pub(crate) fn new(level: AesLevel) -> Self {
        Self { level, keys: [[[0; 16]; LANES]; MOST_ROUND_KEYS], rounds: 0 }
    }

    /// Takes up another level. The keys stay, since they are for any.
    pub(crate) fn set_level(&mut self, level: AesLevel) {
        self.level = level;
    }

    /// Takes the round keys of a message's key. All of them have one length.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn put(&mut self, lane: usize, keys: ForwardKeys<'_>) {
        self.keys[0][lane] = *keys.first;
        for (rows, key) in self.keys[1..].iter_mut().zipped(keys.rest) {
            rows[lane] = *key;
        }
        self.rounds = keys.rounds();
    }

    /// Expands keys of 16 or 32 bytes, of which the first row has the first 16 of each, as many side by side as a register has lanes.
    pub(crate) fn expand(&mut self, key_len: usize, used: usize, keys: &[Row; 2]) {
        let Self { level, keys: round_keys, rounds } = self;
        *rounds = round_keys_of(key_len);
        dispatch_aes!(*level, isa => if key_len == 16 {
            expand::<_, AES_128_ROUND_KEYS>(isa, used, keys, round_keys);
        } else {
            expand::<_, MOST_ROUND_KEYS>(isa, used, keys, round_keys);
        });
    }

    /// Encrypts blocks of the first `used` messages, a row of them after the other.
    pub(crate) fn encrypt(&self, used: usize, rows: &mut [Row]) {
        self.run(used, None, rows);
    }

    /// Makes the keystream of the first `used` messages from a block on, a block for each row. `firsts` are the first counter
    /// blocks, whose first word counts, little-endian.
    pub(crate) fn keystream(&self, used: usize, firsts: &Row, from: usize, rows: &mut [Row]) {
        self.run(used, Some((firsts, from)), rows);
    }

    /// Encrypts the rows, or counters in their place.
    fn run(&self, used: usize, firsts: Option<(&Row, usize)>, rows: &mut [Row]) {
        let keys = &self.keys[..self.rounds];
        dispatch_aes!(self.level, isa => encrypt(isa, keys, used, firsts, rows));
    }
}

/// Expands keys, a register of them at a time.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn expand<I: AesIsa, const RK: usize>(
    isa: I,
    used: usize,
    keys: &[Row; 2],
    round_keys: &mut [Row; MOST_ROUND_KEYS],
) {
    let size = I::Blocks::BYTES;
    for at in (0..16 * used).step_by(size) {
        expand_in_registers::<I, RK>(
            isa,
            if RK == AES_128_ROUND_KEYS { 16 } else { 32 },
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            |byte| I::Blocks::load(isa, &keys[byte / 16].flat()[at..][..size]),
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            |byte, words| {
                if let Some(rows) = round_keys.get_mut(byte / 16) {
                    words.store(&mut rows.flat_mut()[at..][..size]);
                }
            },
        );
    }
}

/// Encrypts blocks of each of the first `used` messages, and of some more.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn encrypt<I: AesIsa>(isa: I, keys: &[Row], used: usize, firsts: Option<(&Row, usize)>, rows: &mut [Row]) {
    let [first, middle @ .., last] = keys else { return };
    let part = registers_of::<I>() * I::Blocks::BYTES;
    for (number, row) in rows.iter_mut().enumerate() {
        let number = number + firsts.map_or(0, |(_, from)| from);
        let number = I::Blocks::splat(isa, &(number as u128).to_le_bytes());
        for at in (0..16 * used).step_by(part) {
            let mut states = registers(isa, firsts.map_or(&*row, |(firsts, _)| firsts), at);
            let states = &mut states[..registers_of::<I>()];
            if firsts.is_some() {
                states.iter_mut().for_each(
                    #[cfg_attr(not(abreast_unoptimized), inline(always))]
                    |state| *state = state.add_words(number),
                );
            }
            for (state, key) in states.iter_mut().zipped(registers(isa, first, at)) {
                *state = *state ^ key;
            }
            for keys in middle {
                for (state, key) in states.iter_mut().zipped(registers(isa, keys, at)) {
                    *state = state.encrypt_round(key);
                }
            }
            for (state, key) in states.iter_mut().zipped(registers(isa, last, at)) {
                *state = state.encrypt_last(key);
            }
            let places = row.flat_mut()[at..][..part].chunks_exact_mut(I::Blocks::BYTES);
            for (state, place) in states.iter().zipped(places) {
                state.store(place);
            }
        }
    }
}

/// Returns the number of registers that go through the rounds together: all lanes, or [`REGISTERS`].
#[cfg_attr(not(abreast_unoptimized), inline(always))]
const fn registers_of<I: AesIsa>() -> usize {
    let all = LANES / I::Blocks::LANES;
    if all < REGISTERS { all } else { REGISTERS }
}

/// Loads a part of a row from a byte on: [`registers_of`] registers, and zeros.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn registers<I: AesIsa>(isa: I, row: &Row, at: usize) -> [I::Blocks; REGISTERS] {
    let mut registers = [I::Blocks::splat(isa, &[0; 16]); REGISTERS];
    let bytes = row.flat()[at..][..registers_of::<I>() * I::Blocks::BYTES].chunks_exact(I::Blocks::BYTES);
    for (register, bytes) in registers.iter_mut().zipped(bytes) {
        *register = I::Blocks::load(isa, bytes);
    }
    registers
}
