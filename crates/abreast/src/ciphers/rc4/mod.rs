//! RC4 (Rivest, 1987; posted anonymously to sci.crypt in 1994): a stream cipher with keys of 1 to 256 bytes.
//!
//! **Broken.** Its keystream is biased from the first byte to the last, so that a text that is encrypted often
//! enough, under whatever keys, can be read (RFC 7465 forbids it in TLS for that); keys that are related give
//! themselves away (WEP). It has no nonce: two messages under one key give away their xor. Nor is it constant
//! time, here or anywhere: by its design, every step reads memory at secret indices. It is here, behind the
//! feature `legacy`, for protocols and formats that cannot be changed:
//!
//! | who | how |
//! |---|---|
//! | BitTorrent, message stream encryption | keys of 20 bytes, the first 1024 bytes of keystream left out |
//! | Kerberos (RFC 4757), NTLM | a key schedule for each message, 32 to 1500 bytes |
//! | PDF, up to revision 4 of its encryption | a key for each object |
//! | Office 97 to 2003 | a key for every 512 or 1024 bytes |
//! | WEP, TKIP, MPPE | a key for each packet |
//! | captures of old TLS, malware | to read them |
//!
//! ```
//! use abreast::rc4::Rc4;
//!
//! let mut data = *b"Plaintext";
//! Rc4::new(b"Key")?.apply(data.as_mut_slice());
//! assert_eq!(data, [0xbb, 0xf3, 0x16, 0xe8, 0xd9, 0x40, 0xaf, 0x0a, 0xd3]);
//! # Ok::<(), abreast::Error>(())
//! ```
//!
//! Many streams at once ([`apply_many`]) and many keys at once ([`apply_keys`]) go side by side, where the CPU
//! would wait for one alone.

#[cfg(target_feature = "sse2")]
mod lanes;
mod many;
mod schedule;
mod stream;
#[cfg(feature = "alloc")]
mod try_keys;

use crate::engine::kernel::{Choice, Interleave};
use crate::{Error, InOutBuf, Kernel};
use abreast_simd::inlined::Zipped;
use core::array::from_mut;
use core::fmt;
pub use many::Message;
#[cfg(feature = "alloc")]
pub(crate) use many::WORTH_MOVING;
use many::{Elsewhere, Task, keyed, together};
use schedule::{KeyBatch, is_key, schedule};
#[cfg(feature = "alloc")]
pub(crate) use stream::{BUFFER, STEPS};
use stream::{Buffers, Rc4State};
#[cfg(feature = "alloc")]
pub use try_keys::try_keys;

#[cfg(target_feature = "sse2")]
use lanes::in_lanes;
#[cfg(all(feature = "alloc", target_feature = "sse2"))]
pub(crate) use lanes::{LANES, LEAST};

impl Interleave {
    fn of(kernel: Kernel) -> Result<Self, Error> {
        match kernel.0 {
            Choice::Rc4(interleave) => Ok(interleave),
            _ => Err(Error::KernelUnavailable),
        }
    }

    /// All of the streams.
    fn run(self, streams: &mut dyn Iterator<Item = Elsewhere<'_, '_, '_>>) {
        match self {
            Self::One => streams.for_each(|(state, mut task)| task.finish(state)),
            Self::Two => Self::One.run(&mut together(streams, &mut Buffers::<2>::new())),
            Self::Three => Self::Two.run(&mut together(streams, &mut Buffers::<3>::new())),
            #[cfg(target_feature = "sse2")]
            Self::Lanes(isa) => Self::Three.run(&mut in_lanes(isa, streams).into_iter().flatten()),
        }
    }

    /// All of the messages.
    fn run_keyed(self, messages: &mut [Message<'_, '_, '_>]) -> Result<(), Error> {
        if messages.iter().any(|message| !is_key(message.key)) {
            return Err(Error::KeyLength);
        }
        match self {
            Self::One => keyed(messages, &mut Buffers::<1>::new()),
            Self::Two => keyed(messages, &mut Buffers::<2>::new()),
            Self::Three => keyed(messages, &mut Buffers::<3>::new()),
            // Messages with a key each are too short for lanes.
            #[cfg(target_feature = "sse2")]
            Self::Lanes(_) => keyed(messages, &mut Buffers::<3>::new()),
        }
    }
}

/// A stream under a key, at any place in it.
///
/// Encryption and decryption are the same. It has no end, and can be interrupted and continued at any byte.
///
/// ```
/// use abreast::rc4::Rc4;
///
/// let mut data = *b"Plaintext";
/// Rc4::new(b"Key")?.apply(data.as_mut_slice());
/// assert_eq!(data[..4], [0xbb, 0xf3, 0x16, 0xe8]);
///
/// let mut stream = Rc4::new(b"Key")?;
/// stream.skip(4);
/// let mut saved = Rc4::import(&stream.export())?;
/// let mut keystream = [0; 5];
/// saved.write_keystream(&mut keystream);
/// assert_eq!(keystream[0], data[4] ^ b'n');
/// # Ok::<(), abreast::Error>(())
/// ```
#[derive(Clone)]
pub struct Rc4(Rc4State);

impl Rc4 {
    /// Makes the stream of a key.
    ///
    /// # Errors
    /// [`Error::KeyLength`] if the key has no byte or more than 256.
    pub fn new(key: &[u8]) -> Result<Self, Error> {
        let mut state = Rc4State::FIRST;
        schedule(from_mut(&mut state), &KeyBatch::new([key])?);
        Ok(Self(state))
    }

    /// Xors the next keystream into the data.
    pub fn apply<'i, 'o>(&mut self, io: impl Into<InOutBuf<'i, 'o, u8>>) {
        Task { skip: 0, data: io.into() }.finish(&mut self.0);
    }

    /// Leaves out the next `n` bytes of keystream.
    pub fn skip(&mut self, n: u64) {
        Task { skip: n, ..Task::nothing() }.finish(&mut self.0);
    }

    /// Puts out the next keystream.
    pub fn write_keystream(&mut self, keystream: &mut [u8]) {
        keystream.fill(0);
        self.apply(keystream);
    }

    /// Exports the state: the 256 bytes of `S`, then `i` and `j`. Whoever has this has the rest of the
    /// keystream, and can find the part before it.
    #[must_use]
    pub fn export(&self) -> [u8; 258] {
        let mut bytes = [0; 258];
        for (byte, word) in bytes.iter_mut().zipped(self.0.s) {
            *byte = word as u8;
        }
        (bytes[256], bytes[257]) = (self.0.i, self.0.j);
        bytes
    }

    /// Returns a stream in the state that [`export`](Self::export) returned.
    ///
    /// # Errors
    /// [`Error::Permutation`] if the 256 bytes are not all different.
    pub fn import(bytes: &[u8; 258]) -> Result<Self, Error> {
        let mut state = Rc4State { s: [256; 256], i: bytes[256], j: bytes[257] };
        let mut seen = [false; 256];
        for (word, byte) in state.s.iter_mut().zipped(bytes) {
            *word = u32::from(*byte);
            seen[usize::from(*byte)] = true;
        }
        if seen == [true; 256] { Ok(Self(state)) } else { Err(Error::Permutation) }
    }

    /// Returns the kernels for many streams that this CPU can run, best first.
    pub fn kernels() -> impl Iterator<Item = Kernel> {
        Kernel::of_rc4()
    }
}

impl fmt::Debug for Rc4 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rc4").finish_non_exhaustive()
    }
}

/// A stream, and the data to xor its next keystream into.
pub struct Stream<'s, 'i, 'o> {
    /// The stream.
    pub state: &'s mut Rc4,
    /// The data, of any length.
    pub buffer: InOutBuf<'i, 'o, u8>,
}

impl Stream<'_, '_, '_> {
    fn task(&mut self) -> Elsewhere<'_, '_, '_> {
        (&mut self.state.0, Task { skip: 0, data: self.buffer.reborrow() })
    }
}

/// Applies [`Rc4::apply`] to many streams side by side.
///
/// It pays from some 512 bytes in each, and most where they are of about the same length.
///
/// ```
/// use abreast::rc4::{Rc4, Stream, apply_many};
///
/// let [mut a, mut b] = [Rc4::new(b"one key")?, Rc4::new(b"another key")?];
/// let (mut first, mut second) = ([0; 1500], [0; 900]);
/// apply_many(&mut [
///     Stream { state: &mut a, buffer: first.as_mut_slice().into() },
///     Stream { state: &mut b, buffer: second.as_mut_slice().into() },
/// ]);
/// # Ok::<(), abreast::Error>(())
/// ```
pub fn apply_many(streams: &mut [Stream<'_, '_, '_>]) {
    Interleave::Three.run(&mut streams.iter_mut().map(Stream::task));
}

/// Applies many streams as [`apply_many`] does, by one of [`Rc4::kernels`].
///
/// ```
/// use abreast::rc4::{Rc4, Stream, apply_many_with_kernel};
///
/// for kernel in Rc4::kernels() {
///     let (mut rc4, mut data) = (Rc4::new(b"Key")?, *b"Plaintext");
///     let stream = Stream { state: &mut rc4, buffer: data.as_mut_slice().into() };
///     apply_many_with_kernel(&mut [stream], kernel)?;
///     assert_eq!(data[..4], [0xbb, 0xf3, 0x16, 0xe8]);
/// }
/// # Ok::<(), abreast::Error>(())
/// ```
///
/// # Errors
/// [`Error::KernelUnavailable`] if the kernel is a cipher's.
pub fn apply_many_with_kernel(streams: &mut [Stream<'_, '_, '_>], kernel: Kernel) -> Result<(), Error> {
    Interleave::of(kernel)?.run(&mut streams.iter_mut().map(Stream::task));
    Ok(())
}

/// Encrypts or decrypts messages under keys of their own: as [`Rc4::new`], [`Rc4::skip`] and [`Rc4::apply`] do for each, side by side.
///
/// ```
/// use abreast::rc4::{Message, apply_keys};
///
/// let (mut first, mut second) = (*b"a packet", *b"another packet");
/// apply_keys(&mut [
///     Message { key: b"its key", skip: 0, buffer: first.as_mut_slice().into() },
///     Message { key: b"its own key", skip: 256, buffer: second.as_mut_slice().into() },
/// ])?;
/// # Ok::<(), abreast::Error>(())
/// ```
///
/// # Errors
/// [`Error::KeyLength`] if a key has no byte or more than 256. Then nothing is done.
pub fn apply_keys(messages: &mut [Message<'_, '_, '_>]) -> Result<(), Error> {
    // Three of them are no faster than two (Zen 5, 64 bytes each: 14.4 c/B and 13.1): schedules run out of registers.
    Interleave::Two.run_keyed(messages)
}

/// Applies many keys as [`apply_keys`] does, by one of [`Rc4::kernels`].
///
/// ```
/// use abreast::rc4::{Message, Rc4, apply_keys_with_kernel};
///
/// for kernel in Rc4::kernels() {
///     let mut data = *b"Plaintext";
///     let message = Message { key: b"Key", skip: 0, buffer: data.as_mut_slice().into() };
///     apply_keys_with_kernel(&mut [message], kernel)?;
///     assert_eq!(data[..4], [0xbb, 0xf3, 0x16, 0xe8]);
/// }
/// # Ok::<(), abreast::Error>(())
/// ```
///
/// # Errors
/// The errors of [`apply_keys`]; [`Error::KernelUnavailable`] if the kernel is a cipher's.
pub fn apply_keys_with_kernel(messages: &mut [Message<'_, '_, '_>], kernel: Kernel) -> Result<(), Error> {
    Interleave::of(kernel)?.run_keyed(messages)
}
