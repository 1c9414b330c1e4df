//! XTS, for sectors.

use std::ffi::c_int;

use abreast::modes::Xts;

use crate::buffers::{Checked, In, Out, Place, Span};
use crate::cipher::{CipherHandle, Shared128, shared_128};
use crate::handle::{FreedKeyPtr, Handle, KeyPtr, Kind, make_alone, release};
use crate::status::{Status, call};

/// A handle of a pair of keys in XTS.
pub type XtsHandle = Handle<Xts<Shared128>>;

impl Kind for Xts<Shared128> {
    const KIND: u32 = 0xab12_7e57;
}

/// Makes a pair of keys in XTS of two keys of one cipher and one length, with blocks of 128 bits. It keeps them.
///
/// ABREAST_EQUAL_KEYS, ABREAST_BLOCK_LENGTH; ABREAST_DIFFERENT_CIPHERS if the two have different names, such as
/// "aes-128" and "aes-256".
#[unsafe(no_mangle)]
pub extern "C" fn abreast_xts_new(
    data: KeyPtr<CipherHandle>,
    tweak: KeyPtr<CipherHandle>,
    xts: Place<*mut XtsHandle>,
) -> c_int {
    make_alone(&xts, || Ok(Xts::new(shared_128(&data)?, shared_128(&tweak)?)?))
}

/// Frees a handle. NULL is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_xts_free(xts: FreedKeyPtr<XtsHandle>) {
    release(&xts);
}

/// Encrypts data units, such as sectors, with consecutive numbers.
///
/// first: the number of the first one, 16 bytes, little-endian. Numbers wrap from 2^128 - 1 to 0 without an error.
/// unit: bytes of a unit, 16 to 2^24; the last one may be shorter. A single unit is one call with unit equal to len.
///
/// ABREAST_UNIT_LENGTH if unit, or the last unit, is less than 16 bytes or more than 2^24, and if len is 0, whatever
/// unit is: there is no data unit without a block. Then nothing was done.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_xts_encrypt(
    xts: KeyPtr<XtsHandle>,
    first: In,
    unit: usize,
    input: In,
    output: Out,
    len: usize,
) -> c_int {
    call(|| {
        let first = first.array()?;
        let io = Checked::new(&input, &output, some(len)?, [Span::of(first)])?;
        Ok(xts.get()?.key.encrypt_units(u128::from_le_bytes(*first), unit, io.buffers())?)
    })
}

/// Decrypts data units; the inverse of abreast_xts_encrypt.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_xts_decrypt(
    xts: KeyPtr<XtsHandle>,
    first: In,
    unit: usize,
    input: In,
    output: Out,
    len: usize,
) -> c_int {
    call(|| {
        let first = first.array()?;
        let io = Checked::new(&input, &output, some(len)?, [Span::of(first)])?;
        Ok(xts.get()?.key.decrypt_units(u128::from_le_bytes(*first), unit, io.buffers())?)
    })
}

/// A length that is not 0. The library takes no units at all as well as many; here that is refused like a packet, which
/// is one unit, of 0 bytes.
fn some(len: usize) -> Result<usize, Status> {
    if len == 0 { Err(Status::UnitLength) } else { Ok(len) }
}
