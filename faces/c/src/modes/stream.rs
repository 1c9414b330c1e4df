//! The modes of a block cipher without tags: messages in one call, and as streams that are split anywhere.

use std::ffi::c_int;

use abreast::modes::{Cbc, Cfb, Cfb8, CounterWidth, Ctr, Direction, Ofb};
use abreast::{BlockCipher, Error, InOutBuf};

use super::operation::Operation;
use crate::buffers::{Checked, In, Out, Place, Span, in_out};
use crate::cipher::{Cipher, CipherHandle, Shared, cipher, shared};
use crate::handle::{
    ConstStreamPtr, Kept, KeyPtr, Memory, StreamKind, StreamPtr, begin, begin_in, close, stream_room,
};
use crate::status::{Status, call, guarded};

/// A message in one of the modes, with the direction where the two differ.
#[derive(Clone, Debug)]
pub(super) enum Message<C> {
    Ecb(C, Direction),
    Cbc(Cbc<C>, Direction),
    Cfb(Cfb<C>, Direction),
    Cfb8(Cfb8<C>, Direction),
    Ofb(Ofb<C>),
    Ctr(Ctr<C>),
}

impl<C: BlockCipher> Message<C> {
    #[inline]
    pub(super) fn new(cipher: C, operation: Operation, iv: &[u8]) -> Result<Self, Status> {
        use Direction::{Decrypt, Encrypt};
        if let Some(width) = operation.counter_width() {
            return Ok(Self::Ctr(Ctr::from_cipher(cipher, iv, width)?));
        }
        Ok(match operation {
            Operation::EcbEncrypt | Operation::EcbDecrypt if !iv.is_empty() => return Err(Status::IvLength),
            Operation::EcbEncrypt => Self::Ecb(cipher, Encrypt),
            Operation::EcbDecrypt => Self::Ecb(cipher, Decrypt),
            Operation::CbcEncrypt => Self::Cbc(Cbc::from_cipher(cipher, iv)?, Encrypt),
            Operation::CbcDecrypt => Self::Cbc(Cbc::from_cipher(cipher, iv)?, Decrypt),
            Operation::CfbEncrypt => Self::Cfb(Cfb::from_cipher(cipher, iv)?, Encrypt),
            Operation::CfbDecrypt => Self::Cfb(Cfb::from_cipher(cipher, iv)?, Decrypt),
            Operation::Cfb8Encrypt => Self::Cfb8(Cfb8::from_cipher(cipher, iv)?, Encrypt),
            Operation::Cfb8Decrypt => Self::Cfb8(Cfb8::from_cipher(cipher, iv)?, Decrypt),
            Operation::Ofb => Self::Ofb(Ofb::from_cipher(cipher, iv)?),
            _ => return Err(Status::Operation),
        })
    }

    #[inline]
    pub(super) fn apply(&mut self, io: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
        use Direction::{Decrypt, Encrypt};
        match self {
            Self::Ecb(cipher, Encrypt) => return cipher.encrypt_raw_blocks(io),
            Self::Ecb(cipher, Decrypt) => return cipher.decrypt_raw_blocks(io),
            Self::Cbc(cbc, Encrypt) => return cbc.encrypt(io),
            Self::Cbc(cbc, Decrypt) => return cbc.decrypt(io),
            Self::Ctr(ctr) => return ctr.apply(io),
            Self::Cfb(cfb, Encrypt) => cfb.encrypt(io),
            Self::Cfb(cfb, Decrypt) => cfb.decrypt(io),
            Self::Cfb8(cfb, Encrypt) => cfb.encrypt(io),
            Self::Cfb8(cfb, Decrypt) => cfb.decrypt(io),
            Self::Ofb(ofb) => ofb.apply(io),
        }
        Ok(())
    }

    /// Writes the vector or counter block with which the message goes on.
    fn running_iv(&self, iv: &mut [u8]) -> Result<(), Status> {
        match self {
            Self::Ecb(..) => return Err(Status::Operation),
            Self::Cbc(cbc, _) => cbc.running_iv(iv)?,
            Self::Cfb(cfb, _) => cfb.running_iv(iv)?,
            Self::Cfb8(cfb, _) => cfb.running_iv(iv)?,
            Self::Ofb(ofb) => ofb.running_iv(iv)?,
            Self::Ctr(ctr) => ctr.running_counter(iv)?,
        }
        Ok(())
    }
}

/// Encrypts or decrypts a message in one call.
///
/// operation: ABREAST_ECB_ENCRYPT to ABREAST_CTR128 of enum abreast_operation, which gives the requirements of each
/// for the vector and the message. iv: the initialisation vector or first counter block, as long as the cipher's
/// blocks; none for ECB.
///
/// ABREAST_OPERATION, ABREAST_IV_LENGTH, ABREAST_PARTIAL_BLOCK for ECB and CBC, ABREAST_MESSAGE_TOO_LONG for CBC;
/// ABREAST_COUNTER_LENGTH, ABREAST_COUNTER_WIDTH and ABREAST_COUNTER_EXHAUSTED for counter mode. Then nothing was done.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_cipher_crypt(
    cipher: KeyPtr<CipherHandle>,
    operation: c_int,
    iv: In,
    iv_len: usize,
    input: In,
    output: Out,
    len: usize,
) -> c_int {
    call(|| {
        let iv = iv.bytes(iv_len)?;
        let io = Checked::new(&input, &output, len, [Span::of(iv)])?;
        let (cipher, operation) = (self::cipher(&cipher)?, Operation::of(operation)?);
        // Without a `Message`: to move one takes longer than a short message. Each width of a counter by itself: the
        // width is then a constant, and a short message need not examine it.
        match operation {
            Operation::Ctr16 => Ctr::message(cipher, iv, CounterWidth::Bits16, io.buffers())?,
            Operation::Ctr32 => Ctr::message(cipher, iv, CounterWidth::Bits32, io.buffers())?,
            Operation::Ctr64 => Ctr::message(cipher, iv, CounterWidth::Bits64, io.buffers())?,
            Operation::Ctr128 => Ctr::message(cipher, iv, CounterWidth::Bits128, io.buffers())?,
            Operation::EcbEncrypt if iv.is_empty() => cipher.encrypt_raw_blocks(io.buffers())?,
            Operation::EcbDecrypt if iv.is_empty() => cipher.decrypt_raw_blocks(io.buffers())?,
            Operation::EcbEncrypt | Operation::EcbDecrypt => return Err(Status::IvLength),
            Operation::CbcEncrypt => Cbc::from_cipher(cipher, iv)?.encrypt(io.buffers())?,
            Operation::CbcDecrypt => Cbc::from_cipher(cipher, iv)?.decrypt(io.buffers())?,
            Operation::CfbEncrypt => Cfb::from_cipher(cipher, iv)?.encrypt(io.buffers()),
            Operation::CfbDecrypt => Cfb::from_cipher(cipher, iv)?.decrypt(io.buffers()),
            Operation::Cfb8Encrypt => Cfb8::from_cipher(cipher, iv)?.encrypt(io.buffers()),
            Operation::Cfb8Decrypt => Cfb8::from_cipher(cipher, iv)?.decrypt(io.buffers()),
            Operation::Ofb => Ofb::from_cipher(cipher, iv)?.apply(io.buffers()),
            _ => return Err(Status::Operation),
        }
        Ok(())
    })
}

/// Encrypts a message of any length in CBC with the padding of PKCS #7, in place.
///
/// buffer: the message, len bytes, with room for 1 to 16 bytes of padding (8 with blocks of 64 bits): it has capacity
/// bytes. padded_len: where the length of the ciphertext goes; outside of the buffer.
///
/// ABREAST_BUFFER_LENGTHS if there is no room, ABREAST_IV_LENGTH, ABREAST_MESSAGE_TOO_LONG.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_cbc_encrypt_padded(
    cipher: KeyPtr<CipherHandle>,
    iv: In,
    iv_len: usize,
    buffer: Out,
    capacity: usize,
    len: usize,
    padded_len: Place<usize>,
) -> c_int {
    call(|| {
        let iv = iv.bytes(iv_len)?;
        let padded_len = padded_len.get(&[Span::of(iv), buffer.span(capacity)?])?;
        let buffer = buffer.bytes(capacity, &[Span::of(iv)])?;
        padded_len.write(Cbc::from_cipher(self::cipher(&cipher)?, iv)?.encrypt_pkcs7(buffer, len)?.len());
        Ok(())
    })
}

/// Decrypts a message in CBC with the padding of PKCS #7, in place. Whoever learns whether the padding of a forged
/// message was right learns the message: authenticate the ciphertext before it is decrypted.
///
/// buffer: the ciphertext, len bytes. plain_len: where the length of the message goes; outside of the buffer.
///
/// ABREAST_PADDING, and then the buffer is zeros; also if len is 0, as the ciphertext of an empty message is a block of
/// padding. ABREAST_PARTIAL_BLOCK, ABREAST_IV_LENGTH, ABREAST_MESSAGE_TOO_LONG; then nothing was done.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_cbc_decrypt_padded(
    cipher: KeyPtr<CipherHandle>,
    iv: In,
    iv_len: usize,
    buffer: Out,
    len: usize,
    plain_len: Place<usize>,
) -> c_int {
    call(|| {
        let iv = iv.bytes(iv_len)?;
        let plain_len = plain_len.get(&[Span::of(iv), buffer.span(len)?])?;
        let buffer = buffer.bytes(len, &[Span::of(iv)])?;
        plain_len.write(Cbc::from_cipher(self::cipher(&cipher)?, iv)?.decrypt_pkcs7(buffer)?.len());
        Ok(())
    })
}

/// A message without a tag in pieces.
#[derive(Debug)]
pub struct CipherStream {
    message: Message<Shared>,
    /// For the messages after this one.
    cipher: Kept<Cipher>,
    operation: Operation,
}

impl StreamKind for CipherStream {
    const KIND: u32 = 0xab12_c1f5;
}

impl CipherStream {
    fn new(cipher: Kept<Cipher>, operation: Operation, iv: &[u8]) -> Result<Self, Status> {
        Ok(Self { message: Message::new(shared(cipher.again()?), operation, iv)?, cipher, operation })
    }

    fn again(&self) -> Result<Self, Status> {
        let Self { message, cipher, operation } = self;
        Ok(Self { cipher: cipher.again()?, message: message.clone(), operation: *operation })
    }

    fn reset(&mut self, iv: &[u8]) -> Result<(), Status> {
        self.message = Message::new(shared(self.cipher.again()?), self.operation, iv)?;
        Ok(())
    }
}

/// Begins a message that comes in pieces; see abreast_cipher_crypt. The stream keeps the key.
///
/// ABREAST_OPERATION, ABREAST_IV_LENGTH, ABREAST_COUNTER_LENGTH, ABREAST_COUNTER_WIDTH.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_stream_new(
    cipher: KeyPtr<CipherHandle>,
    operation: c_int,
    iv: In,
    iv_len: usize,
    stream: Place<*mut CipherStream>,
) -> c_int {
    begin(stream, || CipherStream::new(cipher.keep()?, Operation::of(operation)?, iv.bytes(iv_len)?))
}

/// The bytes of memory that abreast_stream_init needs. Other versions of this library may need another number.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_stream_size() -> usize {
    guarded(0, stream_room::<CipherStream>)
}

/// Begins a message as abreast_stream_new does, with the stream in memory of the caller: a server keeps the streams in its
/// connections.
///
/// memory: size bytes, abreast_stream_size of them or more, of any alignment and content, apart from all other arguments. The
/// first abreast_stream_size belong to the library until the stream is freed. What it wrote in them is zeros then. The key is not
/// in them.
///
/// ABREAST_MEMORY_SIZE if size is too small, ABREAST_OVERLAP, and the statuses of abreast_stream_new.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_stream_init(
    memory: Out,
    size: usize,
    cipher: KeyPtr<CipherHandle>,
    operation: c_int,
    iv: In,
    iv_len: usize,
    stream: Place<*mut CipherStream>,
) -> c_int {
    begin_in(
        Memory::of(&memory, size),
        stream,
        || Ok([iv.span(iv_len)?, cipher.span()]),
        || CipherStream::new(cipher.keep()?, Operation::of(operation)?, iv.bytes(iv_len)?),
    )
}

/// Begins another message under the key and in the operation of a stream. Nothing is allocated.
///
/// ABREAST_IV_LENGTH, ABREAST_COUNTER_LENGTH; then the stream is as it was.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_stream_reset(stream: StreamPtr<CipherStream>, iv: In, iv_len: usize) -> c_int {
    call(|| {
        let iv = iv.bytes(iv_len)?;
        stream.get()?.reset(iv)
    })
}

/// Encrypts or decrypts the next piece: whole blocks in ECB and CBC, any length in all other modes.
///
/// ABREAST_PARTIAL_BLOCK; ABREAST_MESSAGE_TOO_LONG and ABREAST_COUNTER_EXHAUSTED as for abreast_cipher_crypt, for the
/// whole of the stream. Then nothing was done.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_stream_apply(
    stream: StreamPtr<CipherStream>,
    input: In,
    output: Out,
    len: usize,
) -> c_int {
    call(|| Ok(stream.get()?.message.apply(in_out(&input, &output, len, &[])?)?))
}

/// Goes to a byte of a stream in counter mode, from 0.
///
/// ABREAST_OPERATION for other modes; ABREAST_COUNTER_EXHAUSTED if the stream is not that long.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_stream_seek(stream: StreamPtr<CipherStream>, byte: u64) -> c_int {
    call(|| match &mut stream.get()?.message {
        Message::Ctr(ctr) => Ok(ctr.seek_to(byte.into())?),
        _ => Err(Status::Operation),
    })
}

/// Tells which byte of a stream in counter mode comes next.
///
/// ABREAST_OPERATION for other modes; ABREAST_LENGTH if the number of the byte has more than 64 bits.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_stream_position(stream: ConstStreamPtr<CipherStream>, byte: Place<u64>) -> c_int {
    call(|| {
        let Message::Ctr(ctr) = &stream.get()?.message else { return Err(Status::Operation) };
        let position = ctr.position().ok_or(Status::Length)?;
        byte.get(&[])?.write(position.try_into().map_err(|_| Status::Length)?);
        Ok(())
    })
}

/// Writes the initialisation vector, or counter block, with which another stream goes on where this one is, if this one is
/// between two blocks: in CBC and CFB the last block of ciphertext, in CFB8 the last bytes of ciphertext (at any byte), in OFB
/// the last block of keystream, in counter mode the counter block of the next block. Within a block it is the same in OFB and
/// counter mode, and in CFB the ciphertext of the block so far with the rest of its keystream, which is secret.
///
/// iv: as long as the cipher's blocks.
///
/// ABREAST_OPERATION for ECB; ABREAST_IV_LENGTH, ABREAST_COUNTER_LENGTH.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_stream_iv(stream: ConstStreamPtr<CipherStream>, iv: Out, iv_len: usize) -> c_int {
    call(|| stream.get()?.message.running_iv(iv.bytes(iv_len, &[])?))
}

/// Makes a stream that goes on as this one would. Each keeps the key, and neither affects the other.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_stream_clone(
    stream: ConstStreamPtr<CipherStream>,
    clone: Place<*mut CipherStream>,
) -> c_int {
    begin(clone, || stream.get()?.again())
}

/// Frees a stream and wipes it. NULL is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_stream_free(stream: StreamPtr<CipherStream>) {
    close(stream);
}
