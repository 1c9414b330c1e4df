//! XTEA where a cipher by name is not enough: other numbers of cycles, and round keys that came expanded.

use std::ffi::c_int;

use abreast::BlockCipher;
use abreast::xtea::{ByteOrder, Xtea};

use crate::buffers::{In, Out, Place, Span, Words, in_out};
use crate::cipher::{CipherHandle, allocated, kernel_of};
use crate::handle::make;
use crate::names::Text;
use crate::status::call;

/// Little-endian for 0, big-endian for all else.
pub(crate) fn order(big_endian: c_int) -> ByteOrder {
    if big_endian == 0 { ByteOrder::LittleEndian } else { ByteOrder::BigEndian }
}

/// Prepares a key of XTEA, for 1 to 255 cycles of two rounds.
///
/// key: 16 bytes. big_endian: whether key and blocks are big-endian words; 0 for little-endian ones.
/// kernel, cipher: as for abreast_cipher_new.
///
/// ABREAST_CYCLES, ABREAST_UNKNOWN_KERNEL.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_xtea_new(
    key: In,
    big_endian: c_int,
    cycles: u8,
    kernel: Text,
    cipher: Place<*mut CipherHandle>,
) -> c_int {
    make(&cipher, || {
        let kernel = kernel_of(Xtea::kernels(), kernel.get())?;
        allocated(Xtea::with_kernel(key.array()?, order(big_endian), cycles, kernel)?)
    })
}

/// Makes a key from the 64 round keys of 32 cycles, expanded elsewhere: for each cycle two of them, each the sum plus the word
/// of the key that the sum selects, before the sum grows and after.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_xtea_new_expanded(
    round_keys: Words,
    big_endian: c_int,
    cipher: Place<*mut CipherHandle>,
) -> c_int {
    make(&cipher, || allocated(Xtea::from_round_keys(round_keys.array()?, order(big_endian))))
}

/// Encrypts whole blocks of little-endian words under 64 expanded round keys, without a handle and without
/// allocating: for programs that keep their keys that way. With a handle, abreast_cipher_crypt spares the copy of the keys.
///
/// ABREAST_PARTIAL_BLOCK; then nothing was done.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_xtea_encrypt(round_keys: Words, input: In, output: Out, len: usize) -> c_int {
    call(|| {
        let round_keys = round_keys.array()?;
        let io = in_out(&input, &output, len, &[Span::of(round_keys)])?;
        Ok(expanded(round_keys).encrypt_raw_blocks(io)?)
    })
}

/// Decrypts whole blocks; the inverse of abreast_xtea_encrypt.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_xtea_decrypt(round_keys: Words, input: In, output: Out, len: usize) -> c_int {
    call(|| {
        let round_keys = round_keys.array()?;
        let io = in_out(&input, &output, len, &[Span::of(round_keys)])?;
        Ok(expanded(round_keys).decrypt_raw_blocks(io)?)
    })
}

#[inline]
fn expanded(round_keys: &[u32; 64]) -> Xtea {
    Xtea::from_round_keys(round_keys, ByteOrder::LittleEndian)
}
