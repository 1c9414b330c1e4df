//! XTS (IEEE 1619, SP 800-38E): sectors of a disk, each encrypted by itself to the same length.
//!
//! Every block is added to a tweak before and after the cipher; the tweaks of a unit are its encrypted
//! number times the powers of `x` in GF(2^128). Whole registers of tweaks are multiplied together, between
//! the rounds as it were: the units of the CPU that do so are not those that do AES rounds. The numbers of
//! many units are encrypted together.

use crate::spec::{Direction, Job, On, Passes, ladder, load, rounds, rounds_of_few, split_up_to, store};
use crate::work::{Chain, Work, Work128};
use crate::{BlockCipher128, Error, InOutBuf};
use abreast_simd::Isa;
use core::fmt;
use subtle::ConstantTimeEq;
use zeroize::Zeroize;

const BLOCK: usize = 16;

/// Data units of `unit` bytes, the last of which may be shorter.
pub(crate) struct Units<'a, 'i, 'o, const ENCRYPT: bool> {
    /// The encrypted number of each unit.
    pub(crate) tweaks: &'a [Chain],
    pub(crate) unit: usize,
    pub(crate) io: &'a mut InOutBuf<'i, 'o, u8>,
}

impl<const ENCRYPT: bool> Job for Units<'_, '_, '_, ENCRYPT> {
    type Out = ();

    #[inline(always)]
    fn run<I: Isa, S: On<I>>(self, isa: I, keys: &S::Keys) {
        let mut rest = self.io.reborrow();
        for tweak in self.tweaks {
            let (unit, behind) = split_up_to(rest, self.unit);
            let tweaks = S::tweaks(isa, tweak);
            let mut passes = Passing::<I, S, ENCRYPT> { isa, keys, tweaks };
            let stolen = unit.len() % BLOCK;
            if stolen == 0 {
                ladder::<I, S>(S::DEPTH, &mut passes, unit);
            } else {
                let whole = unit.len() - stolen - BLOCK;
                let (whole, tail) = unit.split_at(whole);
                // The tweak behind the whole blocks, of which the last may be no whole group.
                let behind = whole.len() % S::GROUP / BLOCK;
                ladder::<I, S>(S::DEPTH, &mut passes, whole);
                passes.steal(behind, tail);
            }
            rest = behind;
        }
    }
}

struct Passing<'k, I: Isa, S: On<I>, const ENCRYPT: bool> {
    isa: I,
    keys: &'k S::Keys,
    tweaks: S::Group,
}

impl<I: Isa, S: On<I>, const ENCRYPT: bool> Passes<I, S> for Passing<'_, I, S, ENCRYPT> {
    #[inline(always)]
    fn pass<const N: usize>(&mut self, mut io: InOutBuf<'_, '_, u8>) {
        let tweaks = S::take_tweaks::<N>(self.isa, &mut self.tweaks);
        let mut groups = load::<N, I, S>(self.isa, &io);
        for (group, tweak) in groups.iter_mut().zip(tweaks) {
            *group = S::xor(*group, tweak);
        }
        groups = rounds::<ENCRYPT, N, I, S>(self.isa, self.keys, groups);
        for (group, tweak) in groups.iter_mut().zip(tweaks) {
            *group = S::xor(*group, tweak);
        }
        store::<N, I, S>(groups, &mut io);
    }

    #[inline(always)]
    fn partial(&mut self, mut io: InOutBuf<'_, '_, u8>) {
        let group = S::xor(S::load_partial(self.isa, io.get_in()), self.tweaks);
        let group = rounds_of_few::<ENCRYPT, I, S>(self.isa, self.keys, group, io.len());
        S::store_partial(S::xor(group, self.tweaks), io.get_out());
    }
}

impl<I: Isa, S: On<I>, const ENCRYPT: bool> Passing<'_, I, S, ENCRYPT> {
    /// The end of a unit, one block and a part: the part takes bytes from the block's ciphertext (IEEE
    /// 1619, section 5.3.2). `blocks` of the tweaks have been used.
    #[inline(always)]
    fn steal(&mut self, blocks: usize, mut io: InOutBuf<'_, '_, u8>) {
        let mut first = [0; BLOCK];
        S::store_partial(self.tweaks, &mut first);
        for _ in 0..blocks {
            first = times_x(first);
        }
        let mut second = times_x(first);
        if !ENCRYPT {
            core::mem::swap(&mut first, &mut second);
        }
        let (block, part) = io.get_in().split_at(BLOCK);
        let (mut whole, mut last) = ([0; BLOCK], [0; BLOCK]);
        whole.copy_from_slice(block);
        last[..part.len()].copy_from_slice(part);

        let done = self.one(whole, &first);
        last[part.len()..].copy_from_slice(&done[part.len()..]);
        let len = part.len();
        let whole = self.one(last, &second);
        let (block, part) = io.get_out().split_at_mut(BLOCK);
        block.copy_from_slice(&whole);
        part.copy_from_slice(&done[..len]);
        first.zeroize();
        second.zeroize();
    }

    /// One block with its tweak.
    #[inline(always)]
    fn one(&self, mut block: [u8; BLOCK], tweak: &[u8; BLOCK]) -> [u8; BLOCK] {
        let tweak = S::splat(self.isa, tweak);
        let group = S::xor(S::load_partial(self.isa, &block), tweak);
        let group = rounds_of_few::<ENCRYPT, I, S>(self.isa, self.keys, group, BLOCK);
        S::store_partial(S::xor(group, tweak), &mut block);
        block
    }
}

/// A tweak, a little-endian polynomial over GF(2), times `x`.
fn times_x(tweak: [u8; BLOCK]) -> [u8; BLOCK] {
    let tweak = u128::from_le_bytes(tweak);
    (tweak << 1 ^ (tweak >> 127).wrapping_neg() & 0x87).to_le_bytes()
}

/// Units whose numbers are encrypted together.
const TOGETHER: usize = 32;

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
/// xts.encrypt_units(1000, 512, sectors.as_mut_slice().into())?;
/// // Sector 1002 alone.
/// xts.decrypt_units(1002, 512, (&mut sectors[2 * 512..3 * 512]).into())?;
/// assert_eq!(sectors[2 * 512..3 * 512], [0; 512]);
/// # Ok::<(), abreast::Error>(())
/// ```
pub struct Xts<C> {
    data: C,
    tweak: C,
}

impl<C: BlockCipher128> Xts<C> {
    /// The mode under two keys.
    ///
    /// # Errors
    /// [`Error::EqualKeys`] if they are the same, with which the mode is not secure.
    pub fn new(data: C, tweak: C) -> Result<Self, Error> {
        // Ciphers do not keep their keys as they were given, but different ones differ here too, except
        // with a probability of 2^-128.
        let [mut a, mut b] = [[0; BLOCK]; 2];
        data.work(Work::Ecb(Direction::Encrypt, &mut a.as_mut_slice().into()));
        tweak.work(Work::Ecb(Direction::Encrypt, &mut b.as_mut_slice().into()));
        let equal: bool = u128::from_ne_bytes(a).ct_eq(&u128::from_ne_bytes(b)).into();
        a.zeroize();
        b.zeroize();
        if equal { Err(Error::EqualKeys) } else { Ok(Self { data, tweak }) }
    }

    /// The cipher of the data.
    pub fn cipher(&self) -> &C {
        &self.data
    }

    /// Encrypts units of `unit` bytes with consecutive numbers from `first` on, modulo 2^128. The last may
    /// be shorter. The number is the tweak, as a little-endian number of 16 bytes.
    ///
    /// # Errors
    /// [`Error::UnitLength`] if `unit` or what is left for the last one is less than 16 bytes, or `unit`
    /// more than 16 MiB; then nothing was done.
    pub fn encrypt_units(&self, first: u128, unit: usize, io: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
        self.units(Direction::Encrypt, first, unit, io)
    }

    /// Decrypts units; the converse of [`encrypt_units`](Self::encrypt_units).
    ///
    /// # Errors
    /// As there.
    pub fn decrypt_units(&self, first: u128, unit: usize, io: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
        self.units(Direction::Decrypt, first, unit, io)
    }

    #[inline(always)]
    fn units(
        &self,
        direction: Direction,
        first: u128,
        unit: usize,
        mut io: InOutBuf<'_, '_, u8>,
    ) -> Result<(), Error> {
        let last = io.len().checked_rem(unit).unwrap_or(0);
        if !UNIT.contains(&unit) || (1..BLOCK).contains(&last) {
            return Err(Error::UnitLength);
        }
        if io.len() <= unit {
            if !io.is_empty() {
                self.some_units(direction, &mut [first.to_le_bytes()], unit, &mut io);
            }
            return Ok(());
        }
        let mut number = first;
        let mut rest = io;
        while !rest.is_empty() {
            let (mut io, behind) = split_up_to(rest, TOGETHER * unit);
            let mut tweaks = [[0; BLOCK]; TOGETHER];
            let tweaks = &mut tweaks[..io.len().div_ceil(unit)];
            for tweak in &mut *tweaks {
                *tweak = number.to_le_bytes();
                number = number.wrapping_add(1);
            }
            self.some_units(direction, tweaks, unit, &mut io);
            rest = behind;
        }
        Ok(())
    }

    /// As many units as there are numbers, which are encrypted here and then wiped.
    #[inline(always)]
    fn some_units(
        &self,
        direction: Direction,
        tweaks: &mut [[u8; BLOCK]],
        unit: usize,
        io: &mut InOutBuf<'_, '_, u8>,
    ) {
        self.tweak.work(Work::Ecb(Direction::Encrypt, &mut tweaks.as_flattened_mut().into()));
        self.data.work_128(Work128::Xts(direction, tweaks, unit, io));
        tweaks.as_flattened_mut().zeroize();
    }
}

impl<C> fmt::Debug for Xts<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Xts").finish_non_exhaustive()
    }
}
