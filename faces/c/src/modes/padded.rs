//! ECB and CBC of pieces that are split anywhere, with the padding of PKCS #7 or without.

use std::ffi::c_int;

use abreast::modes::{BlockBuffer, Direction};
use abreast::{BlockCipher as _, InOutBuf};

use super::UntilFinished;
use super::operation::Operation;
use super::stream::Message;
use crate::buffers::{In, Out, Place};
use crate::cipher::{Cipher, CipherHandle, Shared, shared};
use crate::handle::{
    ConstStreamPtr, Kept, KeyPtr, Memory, StreamKind, StreamPtr, begin, begin_in, close, stream_room,
};
use crate::status::{Status, call, guarded};

/// The state of a message in pieces until it is finished.
#[derive(Clone)]
struct Blocks {
    message: Message<Shared>,
    buffer: BlockBuffer,
}

/// A message of whole blocks in pieces that are split anywhere.
pub struct PaddedStream {
    blocks: UntilFinished<Blocks>,
    /// For the messages after this one.
    cipher: Kept<Cipher>,
    operation: Operation,
    padding: bool,
}

impl StreamKind for PaddedStream {
    const KIND: u32 = 0xab12_9ad5;
}

/// The ends of [`abreast_padded_stream_finish`] that leave the stream as it was.
const REFUSED: [Status; 2] = [Status::BufferLengths, Status::PartialBlock];

impl PaddedStream {
    fn new(
        cipher: &KeyPtr<CipherHandle>,
        operation: c_int,
        padding: c_int,
        iv: &[u8],
    ) -> Result<Self, Status> {
        let (cipher, operation, padding) = (cipher.keep()?, Operation::of(operation)?, padding != 0);
        let blocks = Self::blocks(&cipher, operation, padding, iv)?;
        Ok(Self { blocks: UntilFinished::new(blocks), cipher, operation, padding })
    }

    fn blocks(
        cipher: &Kept<Cipher>,
        operation: Operation,
        padding: bool,
        iv: &[u8],
    ) -> Result<Blocks, Status> {
        let direction = match operation {
            Operation::EcbEncrypt | Operation::CbcEncrypt => Direction::Encrypt,
            Operation::EcbDecrypt | Operation::CbcDecrypt => Direction::Decrypt,
            _ => return Err(Status::Operation),
        };
        let key = shared(cipher.again()?);
        let size = key.block_size();
        let buffer = if padding { BlockBuffer::padded(size, direction) } else { BlockBuffer::whole(size) };
        Ok(Blocks { message: Message::new(key, operation, iv)?, buffer })
    }
}

/// Begins a message in ECB or CBC that comes in pieces split anywhere: a part of a block is kept for the next piece.
/// The stream keeps the key.
///
/// operation: ABREAST_ECB_ENCRYPT, ABREAST_ECB_DECRYPT, ABREAST_CBC_ENCRYPT or ABREAST_CBC_DECRYPT. padding: 0 if
/// the message is a number of whole blocks; any other number if it has any length and is padded by PKCS #7. iv: none for ECB.
///
/// ABREAST_OPERATION, ABREAST_IV_LENGTH.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_padded_stream_new(
    cipher: KeyPtr<CipherHandle>,
    operation: c_int,
    padding: c_int,
    iv: In,
    iv_len: usize,
    stream: Place<*mut PaddedStream>,
) -> c_int {
    begin(stream, || PaddedStream::new(&cipher, operation, padding, iv.bytes(iv_len)?))
}

/// The bytes of memory that abreast_padded_stream_init needs. Other versions of this library may need another number.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_padded_stream_size() -> usize {
    guarded(0, stream_room::<PaddedStream>)
}

/// Begins a message as abreast_padded_stream_new does, with the stream in memory of the caller: see abreast_stream_init.
///
/// ABREAST_MEMORY_SIZE, ABREAST_OVERLAP, ABREAST_OPERATION, ABREAST_IV_LENGTH.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_padded_stream_init(
    memory: Out,
    size: usize,
    cipher: KeyPtr<CipherHandle>,
    operation: c_int,
    padding: c_int,
    iv: In,
    iv_len: usize,
    stream: Place<*mut PaddedStream>,
) -> c_int {
    begin_in(
        Memory::of(&memory, size),
        stream,
        || Ok([iv.span(iv_len)?, cipher.span()]),
        || PaddedStream::new(&cipher, operation, padding, iv.bytes(iv_len)?),
    )
}

/// Begins another message under the key and in the operation of a stream, whether the one before is finished or not.
/// Nothing is allocated.
///
/// ABREAST_IV_LENGTH; then the stream is as it was.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_padded_stream_reset(
    stream: StreamPtr<PaddedStream>,
    iv: In,
    iv_len: usize,
) -> c_int {
    call(|| {
        let iv = iv.bytes(iv_len)?;
        let PaddedStream { blocks, cipher, operation, padding } = stream.get()?;
        blocks.reset(|blocks| {
            *blocks = PaddedStream::blocks(cipher, *operation, *padding, iv)?;
            Ok(())
        })
    })
}

/// Takes the next piece, of any length, and writes the blocks that are whole now. When a padded message is decrypted, the
/// last block is kept back as long as it may be the end.
///
/// output: has capacity bytes; len and 15 more are enough for any cipher. It may be the input, and otherwise has no byte in
/// common with it. written: where the number of bytes of output goes.
///
/// ABREAST_BUFFER_LENGTHS if the output is too short, ABREAST_MESSAGE_TOO_LONG for CBC, ABREAST_FINISHED; then nothing was
/// done.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_padded_stream_update(
    stream: StreamPtr<PaddedStream>,
    input: In,
    len: usize,
    output: Out,
    capacity: usize,
    written: Place<usize>,
) -> c_int {
    call(|| {
        let (input_span, output_span) = (input.span(len)?, output.span(capacity)?);
        let written = written.get(&[input_span, output_span])?;
        let Blocks { message, buffer } = stream.get()?.blocks.get()?;
        let mut blocks = |io: InOutBuf<'_, '_, u8>| message.apply(io);
        let done = if len > 0 && output.only_read().address() == input.address() {
            let room = buffer.output_len(len).max(len);
            if capacity < room {
                return Err(Status::BufferLengths);
            }
            buffer.update_in_place(output.bytes(room, &[])?, len, &mut blocks)
        } else {
            let output = output.bytes(capacity, &[input_span])?;
            buffer.update(input.bytes(len)?, output, &mut blocks)
        };
        written.write(done?);
        Ok(())
    })
}

/// Ends the message. If it is padded, writes the last block when encrypting, and the part of that block that is not padding
/// when decrypting. Whoever learns whether the padding of a forged message was right learns the message: authenticate the
/// ciphertext before it is decrypted. The stream is finished then.
///
/// output: has capacity bytes; a block of the cipher is enough. written: where the number of bytes of output goes.
///
/// ABREAST_BUFFER_LENGTHS if the output is too short, ABREAST_PARTIAL_BLOCK if the message is not a multiple of the block: then
/// the stream is as it was, and may go on. ABREAST_PADDING, also for an empty ciphertext; ABREAST_MESSAGE_TOO_LONG for CBC,
/// ABREAST_FINISHED.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_padded_stream_finish(
    stream: StreamPtr<PaddedStream>,
    output: Out,
    capacity: usize,
    written: Place<usize>,
) -> c_int {
    call(|| {
        let written = written.get(&[output.span(capacity)?])?;
        let output = output.bytes(capacity, &[])?;
        let end =
            |Blocks { mut message, mut buffer }: Blocks| Ok(buffer.finish(output, |io| message.apply(io))?);
        let blocks = &mut stream.get()?.blocks;
        written.write(blocks.finish(|blocks| Ok(blocks.clone()), end, &REFUSED, |_| ())?);
        Ok(())
    })
}

/// Makes a stream that goes on as this one would, finished or not. Each keeps the key, and neither affects the other.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_padded_stream_clone(
    stream: ConstStreamPtr<PaddedStream>,
    clone: Place<*mut PaddedStream>,
) -> c_int {
    begin(clone, || {
        let PaddedStream { blocks, cipher, operation, padding } = stream.get()?;
        let (blocks, cipher) = (blocks.again(|blocks| Ok(blocks.clone()))?, cipher.again()?);
        Ok(PaddedStream { blocks, cipher, operation: *operation, padding: *padding })
    })
}

/// Frees a stream and wipes it. NULL is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_padded_stream_free(stream: StreamPtr<PaddedStream>) {
    close(stream);
}
