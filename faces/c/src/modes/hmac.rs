//! HMAC with SHA-1 and with SHA-256.

use std::ffi::{c_char, c_int};

use abreast::hmac::{Hmac, HmacHash, Sha1, Sha256};
use abreast::packets::HmacKey;
use abreast::{Error, Kernel};

use super::mac_stream::MacMessage;
use crate::buffers::{In, Out, Place, Span};
use crate::cipher::kernel_of;
use crate::handle::{
    About, ConstStreamPtr, FreedKeyPtr, KeyPtr, Kind, Memory, StreamKind, StreamPtr, begin, begin_in, close,
    make_alone, release, stream_room,
};
use crate::names::Text;
use crate::status::{Status, call, guarded};
use crate::texts::name_for_c;

/// The referent of C's type of these keys: the handle of a key for one of the hashes.
#[derive(Debug)]
pub struct HmacHandle(());

impl Kind for Hmac<Sha1> {
    const KIND: u32 = 0xab12_5a01;
}

impl Kind for Hmac<Sha256> {
    const KIND: u32 = 0xab12_5a56;
}

impl About<Hmac<Sha1>> for HmacHandle {}
impl About<Hmac<Sha256>> for HmacHandle {}

/// A key for one of the hashes.
enum EitherKey<'h> {
    Sha1(&'h Hmac<Sha1>),
    Sha256(&'h Hmac<Sha256>),
}

impl<'h> EitherKey<'h> {
    fn of(key: &'h KeyPtr<HmacHandle>) -> Result<Self, Status> {
        if let Ok(hmac) = key.about::<Hmac<Sha1>>() {
            return Ok(Self::Sha1(&hmac.key));
        }
        Ok(Self::Sha256(&key.about::<Hmac<Sha256>>()?.key))
    }
}

fn new<H: HmacHash>(key: &In, key_len: usize, kernel: &Text) -> Result<Hmac<H>, Status> {
    let kernel = kernel_of(Hmac::<H>::kernels(), kernel.get())?;
    Ok(Hmac::with_kernel(key.bytes(key_len)?, kernel)?)
}

/// Makes a key for HMAC-SHA-1 of a key of any length, which should have 20 random bytes or more. It is for protocols that prescribe
/// it; collisions of SHA-1 do not break it.
///
/// kernel: NULL for the best one of this CPU, or one that abreast_kernel_at lists for "hmac-sha-1".
///
/// ABREAST_UNKNOWN_KERNEL.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_hmac_sha1_new(
    key: In,
    key_len: usize,
    kernel: Text,
    hmac: Place<*mut HmacHandle>,
) -> c_int {
    make_alone(&hmac, || new::<Sha1>(&key, key_len, &kernel))
}

/// Makes a key for HMAC-SHA-256 of a key of any length, which should have 32 random bytes or more.
///
/// kernel: as for abreast_hmac_sha1_new.
///
/// ABREAST_UNKNOWN_KERNEL.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_hmac_sha256_new(
    key: In,
    key_len: usize,
    kernel: Text,
    hmac: Place<*mut HmacHandle>,
) -> c_int {
    make_alone(&hmac, || new::<Sha256>(&key, key_len, &kernel))
}

/// Frees a handle. NULL is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_hmac_free(hmac: FreedKeyPtr<HmacHandle>) {
    if !release::<Hmac<Sha1>, _>(&hmac) {
        release::<Hmac<Sha256>, _>(&hmac);
    }
}

/// The name of the kernel in use, such as "sha-ni"; NULL if hmac is. It is not to be freed.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_hmac_kernel(hmac: KeyPtr<HmacHandle>) -> *const c_char {
    let null = std::ptr::null();
    let kernel = |key: EitherKey<'_>| match key {
        EitherKey::Sha1(hmac) => hmac.kernel(),
        EitherKey::Sha256(hmac) => hmac.kernel(),
    };
    let name = |kernel: Kernel| name_for_c(kernel.name());
    guarded(null, || EitherKey::of(&hmac).map(kernel).map_or(null, name))
}

/// Writes the tag of a message, as long as the hash, 20 or 32 bytes, or cut down to tag_len bytes, at least one.
///
/// ABREAST_TAG_LENGTH.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_hmac_mac(
    hmac: KeyPtr<HmacHandle>,
    message: In,
    len: usize,
    tag: Out,
    tag_len: usize,
) -> c_int {
    call(|| {
        let message = message.bytes(len)?;
        let (hmac, tag) = (EitherKey::of(&hmac)?, tag.bytes(tag_len, &[Span::of(message)])?);
        match hmac {
            EitherKey::Sha1(hmac) => hmac.with_tag_len(tag_len)?.mac(message, tag)?,
            EitherKey::Sha256(hmac) => hmac.with_tag_len(tag_len)?.mac(message, tag)?,
        }
        Ok(())
    })
}

/// Compares the tag of a message, in constant time.
///
/// ABREAST_TAG_MISMATCH, ABREAST_TAG_LENGTH.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_hmac_verify(
    hmac: KeyPtr<HmacHandle>,
    message: In,
    len: usize,
    tag: In,
    tag_len: usize,
) -> c_int {
    call(|| {
        let (message, tag) = (message.bytes(len)?, tag.bytes(tag_len)?);
        match EitherKey::of(&hmac)? {
            EitherKey::Sha1(hmac) => hmac.with_tag_len(tag_len)?.verify(message, tag)?,
            EitherKey::Sha256(hmac) => hmac.with_tag_len(tag_len)?.verify(message, tag)?,
        }
        Ok(())
    })
}

/// Returns a key as a batch refers to it.
#[inline]
pub(crate) fn of_packets<H: HmacHash>(hmac: &Hmac<H>, tag_len: usize) -> Result<HmacKey<'_, H>, Error> {
    Ok(hmac.with_tag_len(tag_len)?.into())
}

/// A message for one of the hashes.
enum Message {
    Sha1(MacMessage<Hmac<Sha1>>),
    Sha256(MacMessage<Hmac<Sha256>>),
}

/// A message for HMAC in pieces.
pub struct HmacStream(Message);

impl StreamKind for HmacStream {
    const KIND: u32 = 0xab12_5a05;
}

/// Does something with the message of a stream, whichever the hash is.
macro_rules! each {
    ($stream:expr, |$message:ident| $work:expr) => {
        match $stream {
            Message::Sha1($message) => $work,
            Message::Sha256($message) => $work,
        }
    };
}

/// Begins a message for HMAC that comes in pieces. The stream keeps the key.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_hmac_stream_new(hmac: KeyPtr<HmacHandle>, stream: Place<*mut HmacStream>) -> c_int {
    begin(stream, || HmacStream::new(&hmac))
}

/// The bytes of memory that abreast_hmac_stream_init needs. Other versions of this library may need another number.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_hmac_stream_size() -> usize {
    guarded(0, stream_room::<HmacStream>)
}

/// Begins a message as abreast_hmac_stream_new does, with the stream in memory of the caller: see abreast_stream_init.
///
/// ABREAST_MEMORY_SIZE, ABREAST_OVERLAP.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_hmac_stream_init(
    memory: Out,
    size: usize,
    hmac: KeyPtr<HmacHandle>,
    stream: Place<*mut HmacStream>,
) -> c_int {
    begin_in(Memory::of(&memory, size), stream, || Ok([hmac.span()]), || HmacStream::new(&hmac))
}

impl HmacStream {
    fn new(hmac: &KeyPtr<HmacHandle>) -> Result<Self, Status> {
        Ok(Self(match EitherKey::of(hmac)? {
            EitherKey::Sha1(_) => Message::Sha1(MacMessage::new(hmac.keep()?)),
            EitherKey::Sha256(_) => Message::Sha256(MacMessage::new(hmac.keep()?)),
        }))
    }
}

/// Begins another message under the key of a stream, whether the one before is finished or not. Nothing is allocated.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_hmac_stream_reset(stream: StreamPtr<HmacStream>) -> c_int {
    call(|| each!(&mut stream.get()?.0, |message| message.reset()))
}

/// Takes in the next piece, of any length.
///
/// ABREAST_FINISHED.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_hmac_stream_update(stream: StreamPtr<HmacStream>, data: In, len: usize) -> c_int {
    call(|| {
        let data = data.bytes(len)?;
        each!(&mut stream.get()?.0, |message| message.update(data))
    })
}

/// Writes the tag. The stream is finished then.
///
/// ABREAST_TAG_LENGTH: then the stream is as it was. ABREAST_FINISHED.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_hmac_stream_finish(
    stream: StreamPtr<HmacStream>,
    tag: Out,
    tag_len: usize,
) -> c_int {
    call(|| {
        let tag = tag.bytes(tag_len, &[])?;
        each!(&mut stream.get()?.0, |message| message.finish(tag))
    })
}

/// Compares the tag, in constant time. The stream is finished then.
///
/// ABREAST_TAG_MISMATCH; ABREAST_TAG_LENGTH, and then the stream is as it was; ABREAST_FINISHED.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_hmac_stream_verify(
    stream: StreamPtr<HmacStream>,
    tag: In,
    tag_len: usize,
) -> c_int {
    call(|| {
        let tag = tag.bytes(tag_len)?;
        each!(&mut stream.get()?.0, |message| message.verify(tag))
    })
}

/// Makes a stream that goes on as this one would, finished or not. Each keeps the key, and neither affects the other: the
/// common beginning of several messages is processed once.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_hmac_stream_clone(
    stream: ConstStreamPtr<HmacStream>,
    clone: Place<*mut HmacStream>,
) -> c_int {
    begin(clone, || {
        Ok(HmacStream(match &stream.get()?.0 {
            Message::Sha1(message) => Message::Sha1(message.again()?),
            Message::Sha256(message) => Message::Sha256(message.again()?),
        }))
    })
}

/// Frees a stream and wipes it. NULL is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_hmac_stream_free(stream: StreamPtr<HmacStream>) {
    close(stream);
}
