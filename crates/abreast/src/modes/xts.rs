//! XTS (IEEE 1619, SP 800-38E): sectors of a disk, each encrypted by itself to the same length.
//!
//! Every block is XORed with a tweak before and after the cipher; the tweaks of a unit are its encrypted number times
//! the powers of `x` in GF(2^128). All tweaks of a register are multiplied at once, while the CPU does rounds: AES
//! rounds use other execution units than the multiplication. The numbers of many units are encrypted together.

use crate::engine::backend::{ChainingValue, Direction};
use crate::engine::passes::split_up_to;
use crate::gf128::times_x;
use crate::mode_call::{ModeCall, ModeCall128};
use crate::modes::chain::xor_block;
use crate::wipe::wipe;
use crate::{BlockCipher128, Error, InOutBuf};
use abreast_simd::Block;
use abreast_simd::inlined::{CopyFrom, Flat};
use core::fmt;
use core::slice::from_ref;
use subtle::ConstantTimeEq;

const BLOCK: usize = 16;

/// Units whose numbers are encrypted together.
pub(crate) const TOGETHER: usize = 32;

/// The bytes that a data unit may have: at most 2^20 blocks (SP 800-38E).
const UNIT: core::ops::RangeInclusive<usize> = BLOCK..=BLOCK << 20;

/// A pair of keys in XTS mode: one for the data and one for the tweaks.
///
/// A data unit, such as a sector, has 16 bytes to 16 MiB and a number of 128 bits; its ciphertext is as long
/// as it is. Equal units with equal numbers are encrypted equally, and nothing is authenticated: the mode is
/// for disks and not for messages.
///
/// ```
/// use abreast::{aes::Aes256, modes::Xts};
///
/// let xts = Xts::new(Aes256::new(&[1; 32]), Aes256::new(&[2; 32]))?;
/// let mut sectors = [0; 8 * 512];
/// // Sectors 1000 to 1007.
/// xts.encrypt_units(1000, 512, sectors.as_mut_slice())?;
/// // Sector 1002 alone.
/// xts.decrypt_units(1002, 512, &mut sectors[2 * 512..3 * 512])?;
/// assert_eq!(sectors[2 * 512..3 * 512], [0; 512]);
/// # Ok::<(), abreast::Error>(())
/// ```
pub struct Xts<C> {
    data: C,
    tweak: C,
}

impl<C: BlockCipher128> Xts<C> {
    /// Makes the mode under two keys.
    ///
    /// # Errors
    /// [`Error::EqualKeys`] if they are the same, with which the mode is not secure; [`Error::DifferentCiphers`] if
    /// they are for different ciphers or of different lengths, which a trait object or [`Serpent`] can hide.
    ///
    /// [`Serpent`]: crate::serpent::Serpent
    pub fn new(data: C, tweak: C) -> Result<Self, Error> {
        if data.name() != tweak.name() {
            return Err(Error::DifferentCiphers);
        }
        // Ciphers do not keep their keys as they were given, but different ones differ here too, except
        // with a probability of 2^-128.
        let [mut a, mut b] = [[0; BLOCK]; 2];
        data.mode_call(&mut ModeCall::Ecb(Direction::Encrypt, &mut a.as_mut_slice().into()));
        tweak.mode_call(&mut ModeCall::Ecb(Direction::Encrypt, &mut b.as_mut_slice().into()));
        let equal: bool = u128::from_ne_bytes(a).ct_eq(&u128::from_ne_bytes(b)).into();
        wipe(&mut a);
        wipe(&mut b);
        if equal { Err(Error::EqualKeys) } else { Ok(Self { data, tweak }) }
    }

    /// Returns the cipher of the data.
    pub fn cipher(&self) -> &C {
        &self.data
    }

    /// Encrypts units of `unit` bytes with consecutive numbers from `first` on, modulo 2^128. The last may
    /// be shorter. The number is the tweak, as a little-endian number of 16 bytes. With an empty buffer there are no units, and
    /// nothing is done.
    ///
    /// # Errors
    /// [`Error::UnitLength`] if `unit` or the last unit is shorter than 16 bytes, or `unit` longer
    /// than 16 MiB; then nothing was done.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub fn encrypt_units<'i, 'o>(
        &self,
        first: u128,
        unit: usize,
        io: impl Into<InOutBuf<'i, 'o, u8>>,
    ) -> Result<(), Error> {
        self.pair().units(Direction::Encrypt, first, unit, io.into())
    }

    /// Decrypts units; the inverse of [`encrypt_units`](Self::encrypt_units).
    ///
    /// # Errors
    /// The errors of [`encrypt_units`](Self::encrypt_units).
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub fn decrypt_units<'i, 'o>(
        &self,
        first: u128,
        unit: usize,
        io: impl Into<InOutBuf<'i, 'o, u8>>,
    ) -> Result<(), Error> {
        self.pair().units(Direction::Decrypt, first, unit, io.into())
    }

    /// The ciphers of data and tweaks.
    pub(crate) fn ciphers(&self) -> [&C; 2] {
        [&self.data, &self.tweak]
    }

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn pair(&self) -> Pair<'_, C> {
        Pair { data: &self.data, tweak: &self.tweak }
    }
}

/// The number of a unit as a block (IEEE 1619, section 5.1), written in one piece, as it is loaded.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn tweak_input(number: u128) -> ChainingValue {
    *Block::from(number).as_bytes()
}

/// The two ciphers of a key.
pub(crate) struct Pair<'c, C: ?Sized> {
    pub(crate) data: &'c C,
    pub(crate) tweak: &'c C,
}

impl<C: BlockCipher128 + ?Sized> Pair<'_, C> {
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn units(
        &self,
        direction: Direction,
        first: u128,
        unit: usize,
        mut io: InOutBuf<'_, '_, u8>,
    ) -> Result<(), Error> {
        // One unit, as of a sector, without a division.
        if io.len() == unit && UNIT.contains(&unit) && unit.is_multiple_of(BLOCK) {
            let mut number = [tweak_input(first)];
            if self.tweak.few_blocks(Direction::Encrypt, &mut number[0].as_mut_slice().into()) {
                self.with_tweaks(direction, &mut number, unit, &mut io);
            } else {
                self.whole_units(direction, &mut number, unit, &mut io);
            }
            return Ok(());
        }
        self.some_units(direction, first, unit, io)
    }

    /// Any number of units, of any length.
    #[inline(never)]
    fn some_units(
        &self,
        direction: Direction,
        first: u128,
        unit: usize,
        io: InOutBuf<'_, '_, u8>,
    ) -> Result<(), Error> {
        let last = io.len().checked_rem(unit).unwrap_or(0);
        if !UNIT.contains(&unit) || (1..BLOCK).contains(&last) {
            return Err(Error::UnitLength);
        }
        // Units of whole blocks go together; others, or a last one that is not, by themselves.
        let ragged = if !unit.is_multiple_of(BLOCK) {
            io.len()
        } else if !last.is_multiple_of(BLOCK) {
            last
        } else {
            0
        };
        let whole = io.len() - ragged;
        let (whole, ragged) = io.split_at(whole);
        let number = first.wrapping_add((whole.len() / unit) as u128);
        if !whole.is_empty() {
            self.many_units(direction, first, unit, whole);
        }
        if !ragged.is_empty() {
            self.ragged_units(direction, number, unit, ragged);
        }
        Ok(())
    }

    /// Units of whole blocks, as many as there are numbers, which are encrypted here and then wiped.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn whole_units(
        &self,
        direction: Direction,
        numbers: &mut [ChainingValue],
        unit: usize,
        io: &mut InOutBuf<'_, '_, u8>,
    ) {
        self.tweak.mode_call(&mut ModeCall::Ecb(Direction::Encrypt, &mut numbers.flat_mut().into()));
        self.with_tweaks(direction, numbers, unit, io);
    }

    /// Encrypts or decrypts units whose numbers are encrypted already, and wipes these.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn with_tweaks(
        &self,
        direction: Direction,
        tweaks: &mut [ChainingValue],
        unit: usize,
        io: &mut InOutBuf<'_, '_, u8>,
    ) {
        if !self.short_unit(direction, tweaks, io) {
            self.data.mode_call_128(&mut ModeCall128::Xts(direction, tweaks, unit, io));
        }
        wipe(tweaks.flat_mut());
    }

    /// Takes a unit of one block, if the cipher has a short way to it. True if it was one and was done.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn short_unit(
        &self,
        direction: Direction,
        tweaks: &[ChainingValue],
        io: &mut InOutBuf<'_, '_, u8>,
    ) -> bool {
        let (Ok(mut block), [tweak, ..]) = (ChainingValue::try_from(io.get_in()), tweaks) else {
            return false;
        };
        xor_block(&mut block, tweak);
        let done = self.data.few_blocks(direction, &mut block.as_mut_slice().into());
        if done {
            xor_block(&mut block, tweak);
            io.get_out().copy_from(&block);
        }
        wipe(&mut block);
        done
    }

    /// Any number of units of whole blocks.
    #[inline(never)]
    fn many_units(&self, direction: Direction, mut number: u128, unit: usize, io: InOutBuf<'_, '_, u8>) {
        let mut numbers = [[0; BLOCK]; TOGETHER];
        let mut rest = io;
        while !rest.is_empty() {
            let (mut units, after) = split_up_to(rest, TOGETHER * unit);
            let numbers = &mut numbers[..units.len().div_ceil(unit)];
            for bytes in &mut *numbers {
                *bytes = tweak_input(number);
                number = number.wrapping_add(1);
            }
            self.whole_units(direction, numbers, unit, &mut units);
            rest = after;
        }
    }

    /// Units that end in a part of a block.
    #[inline(never)]
    fn ragged_units(&self, direction: Direction, mut number: u128, unit: usize, io: InOutBuf<'_, '_, u8>) {
        let mut rest = io;
        while !rest.is_empty() {
            let (data, after) = split_up_to(rest, unit);
            let mut tweak = tweak_input(number);
            self.tweak.mode_call(&mut ModeCall::Ecb(Direction::Encrypt, &mut tweak.as_mut_slice().into()));
            let stolen = data.len() % BLOCK;
            let whole = if stolen == 0 { data.len() } else { data.len() - stolen - BLOCK };
            let (mut whole, tail) = data.split_at(whole);
            if !whole.is_empty() {
                self.data.mode_call_128(&mut ModeCall128::Xts(direction, from_ref(&tweak), unit, &mut whole));
            }
            if !tail.is_empty() {
                self.steal(direction, u128::from_le_bytes(tweak), whole.len() / BLOCK, tail);
            }
            wipe(&mut tweak);
            number = number.wrapping_add(1);
            rest = after;
        }
    }

    /// The end of a unit, a block and a part of one, after `blocks` others: the part takes bytes from the
    /// block's ciphertext (IEEE 1619, section 5.3.2).
    fn steal(&self, direction: Direction, mut tweak: u128, blocks: usize, mut io: InOutBuf<'_, '_, u8>) {
        for _ in 0..blocks / 64 {
            tweak = times_x(tweak, 64);
        }
        let rest = (blocks % 64) as u32;
        let mut tweaks = [times_x(tweak, rest), times_x(tweak, rest + 1)];
        if direction == Direction::Decrypt {
            tweaks.reverse();
        }
        let (block, part) = io.get_in().split_at(BLOCK);
        let (mut first, mut second) = ([0; BLOCK], [0; BLOCK]);
        first.copy_from(block);
        second[..part.len()].copy_from(part);
        let len = part.len();

        self.one_block(direction, tweaks[0], &mut first);
        second[len..].copy_from(&first[len..]);
        self.one_block(direction, tweaks[1], &mut second);
        let (block, part) = io.get_out().split_at_mut(BLOCK);
        block.copy_from(&second);
        part.copy_from(&first[..len]);
        wipe(&mut tweaks);
        wipe(&mut first);
        wipe(&mut second);
    }

    /// One block with its tweak.
    fn one_block(&self, direction: Direction, tweak: u128, block: &mut [u8; BLOCK]) {
        let mut tweak = tweak.to_le_bytes();
        let mut io = block.as_mut_slice().into();
        self.data.mode_call_128(&mut ModeCall128::Xts(direction, from_ref(&tweak), BLOCK, &mut io));
        wipe(&mut tweak);
    }
}

impl<C> fmt::Debug for Xts<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Xts").finish_non_exhaustive()
    }
}
