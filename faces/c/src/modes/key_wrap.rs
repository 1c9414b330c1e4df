//! Key wrap: keys encrypted by a key of a cipher, alone and in batches.

use std::cell::Cell;
use std::ffi::{c_int, c_void};

use abreast::Error;
use abreast::modes::KeyWrap;
use abreast::packets::{self, WrapPacket};

use super::operation::Operation;
use crate::buffers::{In, Out, Place, Span};
use crate::cipher::{CipherHandle, cipher, of_packets};
use crate::handle::KeyPtr;
use crate::packets::{Batch, Described, Items, QUARTER, Room, batch, prepared};
use crate::status::{Status, call};

/// Wraps or unwraps a key with another one, which is that of a cipher with blocks of 128 bits.
///
/// operation: ABREAST_KEY_WRAP, ABREAST_KEY_UNWRAP, ABREAST_KEY_WRAP_PADDED or ABREAST_KEY_UNWRAP_PADDED.
/// input: len bytes; see the operation.
/// output: output_len bytes, which have no byte in common with input. A wrapped key has 8 bytes more than the key, after padding to
/// a multiple of 8; the place of an unwrapped one has 8 bytes less than the wrapped.
/// written: where the number of bytes that count goes, which is less than output_len if there is padding.
///
/// ABREAST_TAG_MISMATCH if the key was not wrapped by this one; then the output is zeros. ABREAST_WRAP_LENGTH,
/// ABREAST_BUFFER_LENGTHS if output_len is another number, ABREAST_BLOCK_LENGTH, ABREAST_OPERATION.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_key_wrap(
    wrapping: KeyPtr<CipherHandle>,
    operation: c_int,
    input: In,
    len: usize,
    output: Out,
    output_len: usize,
    written: Place<usize>,
) -> c_int {
    call(|| {
        let (of_input, of_output) = (input.span(len)?, output.span(output_len)?);
        let written = written.get(&[of_input, of_output])?;
        let (input, output) = (input.bytes(len)?, output.bytes(output_len, &[of_input])?);
        let wrapping = KeyWrap::from_cipher(cipher(&wrapping)?.cipher_128().ok_or(Status::BlockLength)?);
        written.write(match Operation::of(operation)? {
            Operation::KeyWrap => wrapping.wrap(input, output).map(|()| output_len),
            Operation::KeyUnwrap => wrapping.unwrap(input, output).map(|()| output_len),
            Operation::KeyWrapPadded => wrapping.wrap_padded(input, output).map(|()| output_len),
            Operation::KeyUnwrapPadded => wrapping.unwrap_padded(input, output),
            _ => return Err(Status::Operation),
        }?);
        Ok(())
    })
}

/// A key of a batch, with the key that wraps it and with its result.
#[repr(C)]
#[derive(Debug)]
pub struct WrapItem {
    /// The wrapping key.
    pub key: KeyPtr<CipherHandle>,
    /// The key to be wrapped, or the wrapped key.
    pub input: In,
    /// Its bytes.
    pub len: usize,
    /// The place of the result, apart from input.
    pub output: Out,
    /// Its bytes, as many as for a single call.
    pub output_len: usize,
    /// The bytes of the output that count, if the status is ABREAST_OK.
    pub written: Cell<usize>,
    /// The result: the status of a single call.
    pub status: Cell<c_int>,
}

impl Described for WrapItem {
    fn status(&self) -> &Cell<c_int> {
        &self.status
    }
    fn key(&self) -> *const c_void {
        self.key.address()
    }
}

/// Does as abreast_key_wrap for each of many keys, side by side, under one wrapping key or under a key each.
///
/// packet_size: sizeof(struct abreast_wrap_packet).
///
/// ABREAST_BATCH if some were not done: each has its own status. ABREAST_OPERATION: then nothing was done, and all packets have
/// ABREAST_NOT_PROCESSED.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_wrap_packets(
    operation: c_int,
    packets: Items<WrapItem>,
    count: usize,
    packet_size: usize,
) -> c_int {
    let run = match Operation::of(operation) {
        Ok(Operation::KeyWrap) => packets::key_wrap,
        Ok(Operation::KeyUnwrap) => packets::key_unwrap,
        Ok(Operation::KeyWrapPadded) => packets::key_wrap_padded,
        Ok(Operation::KeyUnwrapPadded) => packets::key_unwrap_padded,
        _ => return call(|| prepared(&packets, count, packet_size).and(Err(Status::Operation))),
    };
    batch::<QUARTER, _, _>(&packets, count, packet_size, Keys { run })
}

/// A batch of keys, and what is done with them.
struct Keys {
    run: fn(&mut [WrapPacket<'_>]),
}

impl<'i> Batch<'i, WrapItem> for Keys {
    type Packet<'w>
        = WrapPacket<'w>
    where
        'i: 'w;

    fn take<'w>(
        &self,
        item: &'i WrapItem,
        array: Span,
        _: &'i [WrapItem],
        _: &'w mut Room,
    ) -> Result<Option<WrapPacket<'w>>, Status>
    where
        'i: 'w,
    {
        let handle = item.key.get()?;
        let input = item.input.bytes(item.len)?;
        let output = item.output.bytes(item.output_len, &[array, Span::of(input)])?;
        Ok(Some(WrapPacket::new(of_packets(&handle.key), input, output)))
    }

    fn run(&mut self, window: &mut [WrapPacket<'_>]) -> Result<(), Error> {
        (self.run)(window);
        Ok(())
    }

    fn result(item: &WrapItem, packet: &WrapPacket<'_>) -> Result<(), Status> {
        item.written.set(packet.result?);
        Ok(())
    }
}
