//! XTS (IEEE 1619): units of a disk.
//!
//! The CPU encrypts the numbers of the units, and the device multiplies the results by powers of `x`. A long unit has a tweak
//! for every run of at most 32 blocks, so that the device need not go further. Ciphertext stealing, in a last unit that is no
//! whole number of blocks, is done by the CPU.

use core::fmt;

use abreast::for_devices::tweak_after;
use abreast::modes::{Direction, Xts as CpuXts};
use abreast::{BlockCipher128, InOutBuf};

use crate::Error;
use crate::cipher::{Cipher, Mode, Stopped, raw_blocks, xor};
use crate::cost::Costs;
use crate::slot::Times;
use crate::tweaks::{MOST_BLOCKS_OF_A_TWEAK, Tweaks, encrypted};

/// Bytes of a block.
const BLOCK: usize = 16;

/// XTS under two keys.
///
/// ```no_run
/// use abreast::kernels::Algorithm;
/// use abreast_gpu::{Costs, Gpu, Options, Xts, find_device};
///
/// let (device, options) = (find_device(None)?, Options::default());
/// let aes = Algorithm::from_name("aes-256").ok_or("no such cipher")?;
/// let costs = Costs { device_call: 2e-5, device_byte: 1e-10, cpu_byte: 1e-9 };
/// // The CPU does what is shorter than a copy to the device is worth.
/// let disk = Xts::new(&Gpu::open(&device, &options)?, aes, &[1; 32], &[2; 32])?.with_costs(costs);
/// let mut sectors = vec![0; 64 << 20];
/// disk.encrypt_units(0, 4096, sectors.as_mut_slice().into())?;
/// disk.decrypt_units(0, 4096, sectors.as_mut_slice().into())?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Xts {
    data: Cipher,
    tweak: Box<dyn BlockCipher128>,
    cpu: CpuXts<Box<dyn BlockCipher128>>,
}

impl Xts {
    /// Makes the mode of a cipher, which is under the key for data, and of the key for tweaks.
    pub(crate) fn of(cipher: Cipher, data: &[u8], tweak: &[u8]) -> Result<Self, Error> {
        let keyed = |key| cipher.algorithm().with_key_128(key, None);
        Ok(Self { tweak: keyed(tweak)?, cpu: CpuXts::new(keyed(data)?, keyed(tweak)?)?, data: cipher })
    }

    /// Lets the CPU work, too: where it is faster by these costs, where the device fails, and where units are no whole number of
    /// blocks.
    #[must_use]
    pub fn with_costs(self, costs: Costs) -> Self {
        Self { data: self.data.with_costs(costs), ..self }
    }

    /// Encrypts units of `unit` bytes with consecutive numbers from `first` on, as [`abreast::modes::Xts`] does.
    ///
    /// # Errors
    /// [`Error::Cipher`] with [`abreast::Error::UnitLength`], and [`Error::Unsupported`] if `unit` is no whole number of blocks
    /// and the CPU may not work, before anything was done. If the device fails, the bytes that are not done are as they were.
    pub fn encrypt_units(
        &self,
        first: u128,
        unit: usize,
        io: InOutBuf<'_, '_, u8>,
    ) -> Result<Times, Stopped> {
        self.units(Direction::Encrypt, first, unit, io)
    }

    /// Decrypts units that [`encrypt_units`](Self::encrypt_units) encrypted.
    ///
    /// # Errors
    /// The errors of [`encrypt_units`](Self::encrypt_units).
    pub fn decrypt_units(
        &self,
        first: u128,
        unit: usize,
        io: InOutBuf<'_, '_, u8>,
    ) -> Result<Times, Stopped> {
        self.units(Direction::Decrypt, first, unit, io)
    }

    fn units(
        &self,
        direction: Direction,
        first: u128,
        unit: usize,
        io: InOutBuf<'_, '_, u8>,
    ) -> Result<Times, Stopped> {
        // A call without data, to have a bad length rejected as the CPU rejects it.
        self.cpu.encrypt_units(0, unit, &mut [][..]).map_err(Stopped::before)?;
        let last = io.len() % unit;
        if (1..BLOCK).contains(&last) {
            return Err(Stopped::before(abreast::Error::UnitLength));
        }
        if !unit.is_multiple_of(BLOCK) {
            if !self.data.may_use_cpu() {
                return Err(Stopped::before(Error::Unsupported(RAGGED)));
            }
            let done = match direction {
                Direction::Encrypt => self.cpu.encrypt_units(first, unit, io),
                Direction::Decrypt => self.cpu.decrypt_units(first, unit, io),
            };
            return done.map(|()| Times::default()).map_err(Stopped::before);
        }
        // The last whole block of a unit that ends in a part of one goes with that part.
        let stolen = if last.is_multiple_of(BLOCK) { 0 } else { BLOCK + last % BLOCK };
        let (whole, end) = (io.len() - stolen, io.len());
        let (blocks, tail) = io.split_at(whole);
        let tweaks = Tweaks::new(&*self.tweak, first, unit / BLOCK);
        let ran = self.data.run(Mode::Xts { direction, tweaks }, blocks, |io| {
            let from = whole - io.len();
            self.on_cpu(direction, first, unit, from, io)
        });
        let times = ran?;
        if stolen > 0 {
            let number = first.wrapping_add((end / unit) as u128);
            self.steal(direction, number, (last - stolen) / BLOCK, tail)
                .map_err(|error| Stopped { error: error.into(), done: whole })?;
        }
        Ok(times)
    }

    /// Encrypts or decrypts whole blocks from byte `from` of all on, which may be amid a unit.
    fn on_cpu(
        &self,
        direction: Direction,
        first: u128,
        unit: usize,
        from: usize,
        io: InOutBuf<'_, '_, u8>,
    ) -> Result<(), abreast::Error> {
        let number = first.wrapping_add((from / unit) as u128);
        let amid = (unit - from % unit) % unit;
        let amid = amid.min(io.len());
        let (mut begun, rest) = io.split_at(amid);
        let mut tweak = self.tweak_of(number, from % unit / BLOCK)?;
        while !begun.is_empty() {
            let (mut block, after) = begun.split_at(BLOCK);
            begun = after;
            let mut text = [0; BLOCK];
            text.copy_from_slice(block.get_in());
            self.one_block(direction, tweak, &mut text)?;
            block.get_out().copy_from_slice(&text);
            tweak = tweak_after(tweak, 1);
        }
        let number = number.wrapping_add(u128::from(amid > 0));
        match direction {
            Direction::Encrypt => self.cpu.encrypt_units(number, unit, rest),
            Direction::Decrypt => self.cpu.decrypt_units(number, unit, rest),
        }
    }

    /// Does ciphertext stealing (IEEE 1619, section 5.3.2): block `at` of a unit and the part of a block after it.
    fn steal(
        &self,
        direction: Direction,
        number: u128,
        at: usize,
        mut io: InOutBuf<'_, '_, u8>,
    ) -> Result<(), abreast::Error> {
        let tweak = self.tweak_of(number, at)?;
        let next = tweak_after(tweak, 1);
        // Decryption takes the two tweaks the other way round.
        let [outer, inner] = match direction {
            Direction::Encrypt => [tweak, next],
            Direction::Decrypt => [next, tweak],
        };
        let (block, part) = io.get_in().split_at(BLOCK);
        let mut text = [0; BLOCK];
        text.copy_from_slice(block);
        self.one_block(direction, outer, &mut text)?;
        let len = part.len();
        let mut joined = text;
        joined[..len].copy_from_slice(part);
        self.one_block(direction, inner, &mut joined)?;
        let out = io.get_out();
        out[..BLOCK].copy_from_slice(&joined);
        out[BLOCK..].copy_from_slice(&text[..len]);
        Ok(())
    }

    fn one_block(
        &self,
        direction: Direction,
        tweak: u128,
        block: &mut [u8; BLOCK],
    ) -> Result<(), abreast::Error> {
        xor(block, &tweak.to_le_bytes());
        raw_blocks(self.data.cpu(), direction, block.as_mut_slice().into())?;
        xor(block, &tweak.to_le_bytes());
        Ok(())
    }

    /// Returns the tweak of a block of a unit.
    fn tweak_of(&self, number: u128, block: usize) -> Result<u128, abreast::Error> {
        let mut tweak = encrypted(&*self.tweak, number)?;
        for _ in 0..block / MOST_BLOCKS_OF_A_TWEAK {
            tweak = tweak_after(tweak, MOST_BLOCKS_OF_A_TWEAK as u32);
        }
        Ok(tweak_after(tweak, (block % MOST_BLOCKS_OF_A_TWEAK) as u32))
    }
}

/// Error text for data units that end in a partial block.
const RAGGED: &str = "XTS on OpenCL devices has data units of whole blocks";

impl fmt::Debug for Xts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Xts").field("data", &self.data).finish_non_exhaustive()
    }
}
