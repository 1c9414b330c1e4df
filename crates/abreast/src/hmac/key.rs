//! Keys for HMAC, and messages in pieces.

use super::hash::{HashFunction, HashKernel};
use super::jobs::{End, Job, MessageParts, run_alone};
#[cfg(feature = "alloc")]
use super::tags::{KEYS, expand_many};
use super::tags::{Midstates, expand_one, tag, write_tag};
use crate::modes::WithTagLen;
use crate::modes::tag::{check_len, same_tag_of_32};
use crate::wipe::wipe;
use crate::{Error, Kernel};
use abreast_simd::Wiped;
use abreast_simd::inlined::{CopyFrom, Flat};
use abreast_simd::sha::Chain;
#[cfg(feature = "alloc")]
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

/// A hash function as a type: [`Sha1`] or [`Sha256`].
///
/// ```
/// use abreast::hmac::{Hmac, HmacHash, Sha1, Sha256};
///
/// fn tag<H: HmacHash>(key: &[u8], message: &[u8]) -> Result<Vec<u8>, abreast::Error> {
///     let mut tag = vec![0; H::TAG_LEN];
///     Hmac::<H>::new(key).mac(message, &mut tag)?;
///     Ok(tag)
/// }
/// assert_eq!(tag::<Sha1>(b"key", b"message")?.len(), 20);
/// assert_eq!(tag::<Sha256>(b"key", b"message")?.len(), 32);
/// # Ok::<(), abreast::Error>(())
/// ```
pub trait HmacHash: Function {
    /// Name of HMAC with it, such as `hmac-sha-256`.
    const NAME: &'static str;
    /// Bytes of a full tag.
    const TAG_LEN: usize;
}

mod sealed {
    /// Keeps [`HmacHash`](super::HmacHash) closed.
    pub trait Function: Send + Sync + 'static {
        /// The function, as the engine knows it.
        #[allow(private_interfaces, reason = "nothing outside can name the trait")]
        const FUNCTION: super::HashFunction;
    }
}
use sealed::Function;

/// SHA-1 (FIPS 180-4): tags of 20 bytes.
#[derive(Clone, Copy, Debug)]
pub struct Sha1(());

/// SHA-256 (FIPS 180-4): tags of 32 bytes.
#[derive(Clone, Copy, Debug)]
pub struct Sha256(());

impl Function for Sha1 {
    #[allow(private_interfaces, reason = "nothing outside can name the trait")]
    const FUNCTION: HashFunction = HashFunction::Sha1;
}

impl Function for Sha256 {
    #[allow(private_interfaces, reason = "nothing outside can name the trait")]
    const FUNCTION: HashFunction = HashFunction::Sha256;
}

impl HmacHash for Sha1 {
    const NAME: &'static str = "hmac-sha-1";
    const TAG_LEN: usize = HashFunction::Sha1.digest_len();
}

impl HmacHash for Sha256 {
    const NAME: &'static str = "hmac-sha-256";
    const TAG_LEN: usize = HashFunction::Sha256.digest_len();
}

/// A key for HMAC.
///
/// Tags are as long as the hash, 20 or 32 bytes, or by [`with_tag_len`](Self::with_tag_len) shorter.
///
/// ```
/// use abreast::hmac::{Hmac, Sha256};
///
/// let hmac = Hmac::<Sha256>::new(b"a key of thirty-two random bytes");
/// let (mut tag, mut short) = ([0; 32], [0; 16]);
/// hmac.mac(b"attack at dawn", &mut tag)?;
/// hmac.verify(b"attack at dawn", &tag)?;
/// hmac.with_tag_len(16)?.mac(b"attack at dawn", &mut short)?;
/// assert_eq!(short, tag[..16]);
/// # Ok::<(), abreast::Error>(())
/// ```
pub struct Hmac<H>(Wiped<Midstates>, PhantomData<H>);

impl<H: HmacHash> Hmac<H> {
    /// Prepares a key of any length, for the best kernel of this CPU. One of more than 64 bytes is hashed first.
    ///
    /// A key should have at least as many random bytes as the hash, 20 or 32 (RFC 2104, section 3).
    #[must_use]
    pub fn new(key: &[u8]) -> Self {
        Self::at(HashKernel::best(), key)
    }

    /// Prepares a key for a given kernel, one of [`kernels`](Self::kernels).
    ///
    /// # Errors
    /// [`Error::KernelUnavailable`] if the kernel is a cipher's.
    pub fn with_kernel(key: &[u8], kernel: Kernel) -> Result<Self, Error> {
        Ok(Self::at(HashKernel::of(kernel)?, key))
    }

    fn at(kernel: HashKernel, key: &[u8]) -> Self {
        let mut hmac = Self(Wiped::new(Midstates::blank(kernel)), PhantomData);
        expand_one(H::FUNCTION, &mut hmac.0, key);
        hmac
    }

    /// Prepares many keys, of any lengths, for the best kernel of this CPU: side by side, as messages are.
    ///
    /// ```
    /// use abreast::hmac::{Hmac, Sha1};
    ///
    /// let keys = Hmac::<Sha1>::many(&[b"one key".as_slice(), b"and another one"]);
    /// assert_eq!(keys.len(), 2);
    /// ```
    #[cfg(feature = "alloc")]
    #[must_use]
    pub fn many(keys: &[impl AsRef<[u8]>]) -> Vec<Self> {
        Self::many_at(HashKernel::best(), keys)
    }

    /// Prepares many keys, as [`many`](Self::many) does, for a given kernel.
    ///
    /// ```
    /// use abreast::hmac::{Hmac, Sha256};
    ///
    /// let mut tag = [0; 32];
    /// Hmac::<Sha256>::new(&[2; 32]).mac(b"message", &mut tag)?;
    /// // Each kernel makes the same tags.
    /// for kernel in Hmac::<Sha256>::kernels() {
    ///     let keys = Hmac::<Sha256>::many_with_kernel(&[[1; 32], [2; 32]], kernel)?;
    ///     keys[1].verify(b"message", &tag)?;
    /// }
    /// # Ok::<(), abreast::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::KernelUnavailable`] if the kernel is a cipher's.
    #[cfg(feature = "alloc")]
    pub fn many_with_kernel(keys: &[impl AsRef<[u8]>], kernel: Kernel) -> Result<Vec<Self>, Error> {
        Ok(Self::many_at(HashKernel::of(kernel)?, keys))
    }

    #[cfg(feature = "alloc")]
    fn many_at(kernel: HashKernel, keys: &[impl AsRef<[u8]>]) -> Vec<Self> {
        let blank = || Self(Wiped::new(Midstates::blank(kernel)), PhantomData);
        let mut made = Vec::with_capacity(keys.len());
        made.resize_with(keys.len(), blank);
        for (made, keys) in made.chunks_mut(KEYS).zip(keys.chunks(KEYS)) {
            let keys: Vec<&[u8]> = keys.iter().map(AsRef::as_ref).collect();
            let mut places: Vec<&mut Midstates> = made.iter_mut().map(|hmac| &mut *hmac.0).collect();
            expand_many(H::FUNCTION, kernel, &mut places, &keys);
        }
        made
    }

    /// Returns the kernels that this CPU can run, best first.
    pub fn kernels() -> impl Iterator<Item = Kernel> {
        Kernel::of_hashes()
    }

    /// Returns the kernel that was chosen with the key.
    #[must_use]
    pub fn kernel(&self) -> Kernel {
        self.0.kernel().kernel()
    }

    /// Returns this key with tags of `tag_len` bytes, 1 to the length of the hash: the first ones of the full tag. A forgery
    /// by chance succeeds with a probability of `2^-8n` for `n` bytes. Protocols take 10, 12 or 16 bytes, and for speech 4.
    ///
    /// # Errors
    /// [`Error::TagLength`] if it is another number.
    pub fn with_tag_len(&self, tag_len: usize) -> Result<WithTagLen<'_, Self>, Error> {
        check_tag_len::<H>(tag_len)?;
        Ok(WithTagLen { mode: self, tag_len })
    }

    /// Writes the full tag of a message.
    ///
    /// # Errors
    /// [`Error::TagLength`] if the buffer has not [`TAG_LEN`](HmacHash::TAG_LEN) bytes.
    pub fn mac(&self, message: &[u8], tag: &mut [u8]) -> Result<(), Error> {
        self.with_full_tag().mac(message, tag)
    }

    /// Compares the full tag of a message, in constant time.
    ///
    /// # Errors
    /// [`Error::TagMismatch`]; [`Error::TagLength`] if the tag has not [`TAG_LEN`](HmacHash::TAG_LEN) bytes.
    pub fn verify(&self, message: &[u8], tag: &[u8]) -> Result<(), Error> {
        self.with_full_tag().verify(message, tag)
    }

    /// Writes the full tag of a message in three parts, such as a header, a ciphertext and a counter that is not sent: for
    /// protocols of packets.
    ///
    /// # Errors
    /// [`Error::TagLength`] if the buffer has not [`TAG_LEN`](HmacHash::TAG_LEN) bytes.
    #[doc(hidden)]
    pub fn mac_of_parts(&self, parts: [&[u8]; 3], tag: &mut [u8]) -> Result<(), Error> {
        check_len(tag, H::TAG_LEN)?;
        write_tag(&self.full(parts), tag);
        Ok(())
    }

    /// Begins a message in pieces, split anywhere.
    pub fn pieces(&self) -> HmacPieces<'_, H> {
        HmacPieces::new(self)
    }

    /// With tags as long as the hash.
    pub(crate) fn with_full_tag(&self) -> WithTagLen<'_, Self> {
        WithTagLen { mode: self, tag_len: H::TAG_LEN }
    }

    /// The chaining values after the pads.
    pub(crate) fn midstates(&self) -> &Midstates {
        &self.0
    }

    /// The full tag of a message, and zeros after that of SHA-1.
    fn full(&self, parts: MessageParts<'_>) -> [u8; 32] {
        tag(H::FUNCTION, &self.0, self.0.job(parts))
    }
}

/// With tags of a length that was asked for.
impl<H: HmacHash> WithTagLen<'_, Hmac<H>> {
    /// Computes a tag as [`Hmac::mac`] does.
    ///
    /// # Errors
    /// [`Error::TagLength`] if the buffer is not as long as the tag.
    pub fn mac(&self, message: &[u8], tag: &mut [u8]) -> Result<(), Error> {
        self.check(tag)?;
        write_tag(&self.mode.full([message, &[], &[]]), tag);
        Ok(())
    }

    /// Verifies a tag as [`Hmac::verify`] does.
    ///
    /// # Errors
    /// [`Error::TagMismatch`]; [`Error::TagLength`] if the tag has another length.
    pub fn verify(&self, message: &[u8], tag: &[u8]) -> Result<(), Error> {
        self.check(tag)?;
        same_tag_of_32(&self.mode.full([message, &[], &[]]), tag)
    }
}

impl<H> fmt::Debug for Hmac<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hmac").finish_non_exhaustive()
    }
}

/// Refuses a length of no bytes, or of more than the hash has.
fn check_tag_len<H: HmacHash>(tag_len: usize) -> Result<(), Error> {
    if (1..=H::TAG_LEN).contains(&tag_len) { Ok(()) } else { Err(Error::TagLength) }
}

/// A message for HMAC in pieces; made by [`Hmac::pieces`].
///
/// ```
/// use abreast::hmac::{Hmac, Sha1};
///
/// let hmac = Hmac::<Sha1>::new(b"a key of 20 bytes...");
/// let mut pieces = hmac.pieces().with_tag_len(12)?;
/// pieces.update(b"attack ");
/// pieces.update(b"at dawn");
/// let mut tag = [0; 12];
/// pieces.clone().finish(&mut tag)?;
/// pieces.verify(&tag)?;
/// # Ok::<(), abreast::Error>(())
/// ```
pub struct HmacPieces<'h, H> {
    hmac: &'h Hmac<H>,
    chain: Chain,
    /// The end of the message so far, less than a block.
    held: [u8; 64],
    /// Bytes of the message so far.
    len: u64,
    tag_len: usize,
}

impl<'h, H: HmacHash> HmacPieces<'h, H> {
    fn new(hmac: &'h Hmac<H>) -> Self {
        Self { hmac, chain: hmac.0.inner, held: [0; 64], len: 0, tag_len: H::TAG_LEN }
    }

    /// Returns the message with a tag of `tag_len` bytes instead of a full one.
    ///
    /// # Errors
    /// [`Error::TagLength`] if that is 0 or more than the hash has.
    pub fn with_tag_len(mut self, tag_len: usize) -> Result<Self, Error> {
        check_tag_len::<H>(tag_len)?;
        self.tag_len = tag_len;
        Ok(self)
    }

    /// Bytes that are held.
    fn held(&self) -> usize {
        (self.len % 64) as usize
    }

    /// Returns a copy that refers to an equal key in another place, in which a face keeps it.
    #[doc(hidden)]
    #[must_use]
    pub fn clone_under<'n>(&self, hmac: &'n Hmac<H>) -> HmacPieces<'n, H> {
        let Self { chain, held, len, tag_len, .. } = *self;
        HmacPieces { hmac, chain, held, len, tag_len }
    }

    /// Takes in the next piece, of any length.
    pub fn update(&mut self, data: &[u8]) {
        let held = self.held();
        self.len = self.len.wrapping_add(data.len() as u64);
        if held + data.len() < 64 {
            self.held[held..held + data.len()].copy_from(data);
            return;
        }
        // Whole blocks are hashed, and the bytes after them are not.
        let mut jobs = [Job { chain: self.chain, parts: [&self.held[..held], data, &[]], end: End::Open }];
        run_alone(H::FUNCTION, self.hmac.0.kernel(), &mut jobs);
        self.chain = jobs[0].chain;
        let rest = &data[data.len() - self.held()..];
        self.held[..rest.len()].copy_from(rest);
    }

    /// Writes the tag.
    ///
    /// # Errors
    /// [`Error::TagLength`] if the buffer is not as long as the tag.
    pub fn finish(self, tag: &mut [u8]) -> Result<(), Error> {
        check_len(tag, self.tag_len)?;
        write_tag(&self.full(), tag);
        Ok(())
    }

    /// Compares the tag, in constant time.
    ///
    /// # Errors
    /// [`Error::TagMismatch`]; [`Error::TagLength`] if the tag is not as long as it is to be.
    pub fn verify(self, tag: &[u8]) -> Result<(), Error> {
        check_len(tag, self.tag_len)?;
        same_tag_of_32(&self.full(), tag)
    }

    fn full(&self) -> [u8; 32] {
        let held = &self.held[..self.held()];
        let before = (self.len - held.len() as u64).wrapping_add(64);
        tag(H::FUNCTION, &self.hmac.0, Midstates::job_after((self.chain, before), [held, &[], &[]]))
    }
}

impl<H: HmacHash> Clone for HmacPieces<'_, H> {
    fn clone(&self) -> Self {
        self.clone_under(self.hmac)
    }
}

impl<H> Drop for HmacPieces<'_, H> {
    fn drop(&mut self) {
        wipe(self.chain.flat_mut());
        wipe(&mut self.held);
    }
}

impl<H> fmt::Debug for HmacPieces<'_, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HmacPieces").finish_non_exhaustive()
    }
}
