//! Ciphers for use: a cipher that is made here has passed its self-test, in which every kernel of it runs in each mode
//! and both directions, on lengths of one block, of some work groups and of a chunk with a bit more.

use std::sync::Arc;

use abreast::kernels::Algorithm;
use abreast::modes::{CounterWidth, Ctr as CpuCtr, Direction, Xts as CpuXts};

use crate::Error;
use crate::cipher::{Cipher, Stopped, raw_blocks};
use crate::gpu::Gpu;
use crate::options::LEAST_CHUNK;
use crate::self_test::{some_bytes, wrong};
use crate::xts::Xts;

impl Cipher {
    /// Makes a cipher under a key, for a device. The first cipher of a kind has the kernels compiled and tested.
    ///
    /// # Errors
    /// [`Error::Cipher`] if the key has another length than the cipher's; [`Error::Build`], [`Error::WrongResult`] and
    /// others, if the device cannot do it.
    pub fn new(gpu: &Arc<Gpu>, algorithm: Algorithm, key: &[u8]) -> Result<Self, Error> {
        let cipher = Self::untested(gpu, algorithm, key)?;
        gpu.ready(cipher.program(), algorithm.name(), |gpu| of_cipher(gpu, algorithm))?;
        Ok(cipher)
    }
}

impl Xts {
    /// Makes the mode under two keys of one cipher with blocks of 128 bits.
    ///
    /// # Errors
    /// The errors of [`Cipher::new`]; [`Error::Cipher`] if the keys are the same or the cipher has other blocks.
    pub fn new(gpu: &Arc<Gpu>, algorithm: Algorithm, data: &[u8], tweak: &[u8]) -> Result<Self, Error> {
        Self::of(Cipher::new(gpu, algorithm, data)?, data, tweak)
    }
}

/// Bytes of the longest message: several work groups, with a part of one.
const LEN: usize = LEAST_CHUNK + 3 * 16;

/// Tests a cipher with blocks in all modes.
fn of_cipher(gpu: &Arc<Gpu>, algorithm: Algorithm) -> Result<(), Error> {
    let key = some_bytes(algorithm.key_len(), 1);
    let cipher = Cipher::untested(gpu, algorithm, &key)?;
    let cpu = algorithm.with_key(&key, None)?;
    let block = algorithm.block_size();
    let error = |Stopped { error, .. }| error;
    for len in [block, LEN] {
        let input = some_bytes(len, 2);
        for direction in [Direction::Encrypt, Direction::Decrypt] {
            let [mut ours, mut theirs] = [input.clone(), input.clone()];
            match direction {
                Direction::Encrypt => cipher.encrypt_raw_blocks((&mut ours[..]).into()),
                Direction::Decrypt => cipher.decrypt_raw_blocks((&mut ours[..]).into()),
            }
            .map_err(error)?;
            raw_blocks(&*cpu, direction, (&mut theirs[..]).into())?;
            if ours != theirs {
                return Err(wrong(gpu));
            }
        }
        // The lower half of the counter wraps within the first work group.
        let counter = (u128::MAX >> 1 << 64 | u128::from(u64::MAX - 40)).to_be_bytes();
        let [mut ours, mut theirs] = [input.clone(), input.clone()];
        let counter = &counter[16 - block..];
        let whole = if block == 8 { CounterWidth::Bits64 } else { CounterWidth::Bits128 };
        cipher.ctr(counter, whole)?.apply((&mut ours[..]).into()).map_err(error)?;
        CpuCtr::from_cipher(&*cpu, counter, whole)?.apply(&mut theirs[..])?;
        if ours != theirs {
            return Err(wrong(gpu));
        }
    }
    if block == 16 {
        let tweak_key = some_bytes(algorithm.key_len(), 3);
        let xts = Xts::of(cipher, &key, &tweak_key)?;
        let keyed = |key: &[u8]| algorithm.with_key_128(key, None);
        let cpu = CpuXts::new(keyed(&key)?, keyed(&tweak_key)?)?;
        let input = some_bytes(LEN, 4);
        // Units of all blocks that one tweak can serve, and of two such runs.
        for unit in [512, 1024] {
            let [mut ours, mut theirs] = [input.clone(), input.clone()];
            xts.encrypt_units(5, unit, (&mut ours[..]).into()).map_err(error)?;
            cpu.encrypt_units(5, unit, &mut theirs[..])?;
            if ours != theirs {
                return Err(wrong(gpu));
            }
            xts.decrypt_units(5, unit, (&mut ours[..]).into()).map_err(error)?;
            if ours != input {
                return Err(wrong(gpu));
            }
        }
    }
    Ok(())
}
