//! Inputs of the kernels on OpenCL devices, which are in `abreast-gpu`: round keys as bytes, and tweaks of XTS.
//!
//! They are computed by the schedules and the arithmetic of this crate, so that there is one text of each.

use crate::Error;
use crate::ciphers::xtea::{self, ByteOrder};
use crate::ciphers::{aes, serpent};
use crate::gf128;
use crate::wipe::wipe;
use alloc::vec::Vec;
use core::ops::Deref;

/// Round keys in the order of encryption, wiped when they are dropped: 16 bytes each, of XTEA 4.
pub struct RoundKeys(Vec<u8>);

impl Deref for RoundKeys {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl Drop for RoundKeys {
    fn drop(&mut self) {
        wipe(&mut self.0);
    }
}

/// Returns the 11, 13 or 15 round keys of AES (FIPS 197, section 5.2).
///
/// # Errors
/// [`Error::KeyLength`] if the key has not 16, 24 or 32 bytes.
pub fn of_aes(key: &[u8]) -> Result<RoundKeys, Error> {
    aes::round_keys(key).map(RoundKeys).ok_or(Error::KeyLength)
}

/// Returns the 33 round keys of Serpent, for encryption and for decryption. Those between two rounds are added inside the linear
/// transformation, and are turned or mixed to suit (`ciphers/serpent/rounds.rs`).
///
/// # Errors
/// [`Error::KeyLength`] if the key has not 16 to 32 bytes.
pub fn of_serpent(key: &[u8]) -> Result<[RoundKeys; 2], Error> {
    if !(16..=32).contains(&key.len()) {
        return Err(Error::KeyLength);
    }
    let mut keys = serpent::round_keys(key);
    let copies = keys.each_ref().map(|keys| RoundKeys(keys.as_flattened().to_vec()));
    keys.iter_mut().for_each(|keys| wipe(keys.as_flattened_mut()));
    Ok(copies)
}

/// Returns the 64 round keys of XTEA with 32 cycles: little-endian words, whatever the byte order of the key's words is.
///
/// # Errors
/// [`Error::KeyLength`] if the key has not 16 bytes.
pub fn of_xtea(key: &[u8], order: ByteOrder) -> Result<RoundKeys, Error> {
    let key = key.try_into().map_err(|_| Error::KeyLength)?;
    Ok(RoundKeys(xtea::round_keys(key, order)))
}

/// Returns the tweak of XTS `blocks` blocks later in its unit (IEEE 1619, section 5.2), up to 64.
#[must_use]
pub fn tweak_after(tweak: u128, blocks: u32) -> u128 {
    gf128::times_x(tweak, blocks)
}
