//! Counter mode.

use std::ffi::c_int;

use abreast::modes::{CounterWidth, Ctr};

use crate::buffers::{In, Out, Place, Span, in_out};
use crate::cipher::{CipherHandle, Shared, cipher, shared};
use crate::handle::{ConstStreamPtr, KeyPtr, StreamPtr, begin, close};
use crate::status::{Status, call};

/// A stream in counter mode.
#[derive(Debug)]
pub struct CtrStream(Ctr<Shared>);

/// A width by its number of bits.
pub(crate) fn width_of(bits: u32) -> Result<CounterWidth, Status> {
    use CounterWidth::{Bits16, Bits32, Bits64, Bits128};
    let widths = [Bits16, Bits32, Bits64, Bits128];
    widths.into_iter().find(|width| width.bits() == bits).ok_or(Status::CounterWidth)
}

/// Xors the keystream of counter mode into a message: encryption and decryption are the same.
///
/// width: how many low bits of the counter block count, big-endian: 16 (SRTP), 32 (GCM, IPsec), 64 (LTE; XTEA) or
/// 128. counter: the first counter block, as long as the cipher's blocks. It must never repeat under a key.
///
/// ABREAST_COUNTER_LENGTH, ABREAST_COUNTER_WIDTH; ABREAST_COUNTER_EXHAUSTED for more than 2^width blocks, and with blocks
/// of 64 bits (XTEA) for more than 2^32 of them whatever the width is: beyond that, the lack of equal blocks tells the
/// keystream from random bytes. Then nothing was done.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_ctr_apply(
    cipher: KeyPtr<CipherHandle>,
    width: u32,
    counter: In,
    counter_len: usize,
    input: In,
    output: Out,
    len: usize,
) -> c_int {
    call(|| {
        let counter = counter.bytes(counter_len)?;
        let io = in_out(&input, &output, len, &[Span::of(counter)])?;
        Ok(Ctr::from_cipher(self::cipher(&cipher)?, counter, width_of(width)?)?.apply(io)?)
    })
}

/// Begins a stream in counter mode; see abreast_ctr_apply. The stream keeps the key.
///
/// ABREAST_COUNTER_LENGTH, ABREAST_COUNTER_WIDTH.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_ctr_stream_new(
    cipher: KeyPtr<CipherHandle>,
    width: u32,
    counter: In,
    counter_len: usize,
    stream: Place<*mut CtrStream>,
) -> c_int {
    begin(stream, || {
        Ok(CtrStream(Ctr::from_cipher(shared(&cipher)?, counter.bytes(counter_len)?, width_of(width)?)?))
    })
}

/// Xors the next keystream into the data.
///
/// ABREAST_COUNTER_EXHAUSTED as for abreast_ctr_apply, for the whole of the stream; then nothing was done.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_ctr_stream_apply(
    stream: StreamPtr<CtrStream>,
    input: In,
    output: Out,
    len: usize,
) -> c_int {
    call(|| Ok(stream.get()?.0.apply(in_out(&input, &output, len, &[])?)?))
}

/// Goes to a byte of the stream, from 0.
///
/// ABREAST_COUNTER_EXHAUSTED if the stream is not that long; see abreast_ctr_apply.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_ctr_stream_seek(stream: StreamPtr<CtrStream>, byte: u64) -> c_int {
    call(|| Ok(stream.get()?.0.seek_to(byte.into())?))
}

/// Tells which byte of the stream comes next.
///
/// ABREAST_LENGTH if its number has more than 64 bits.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_ctr_stream_position(stream: ConstStreamPtr<CtrStream>, byte: Place<u64>) -> c_int {
    call(|| {
        let position = stream.get()?.0.position().ok_or(Status::Length)?;
        byte.get(&[])?.write(position.try_into().map_err(|_| Status::Length)?);
        Ok(())
    })
}

/// Frees a stream and wipes it. NULL is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_ctr_stream_free(stream: StreamPtr<CtrStream>) {
    close(stream);
}
