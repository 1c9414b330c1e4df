//! AEZ v5, by Hoang, Krovetz and Rogaway ("AEZ v5: Authenticated Encryption by Enciphering", 21 March 2017).
//!
//! Zeros are appended to the message, and both are enciphered as one wide block: every bit of the output depends on
//! every bit of the input. The tag is not computed separately: the appended zeros make the ciphertext longer than
//! the message, and decryption checks that the zeros come back. So a repeated nonce reveals only whether the same
//! message was encrypted with it again, and plaintext released before its tag was checked reveals nothing about
//! other messages.
//!
//! [`Aez`] takes one message at a time, [`packets`](crate::packets) many with a key each. [`AezAead`] implements the
//! traits of `aead`.
//!
//! The price is that a message has to be in memory whole: nothing of the output is known before all of the
//! input is. A key is good for 2^48 bytes.

mod aead;
pub(crate) mod aez_core;
mod circuit;
pub(crate) mod hash;
pub(crate) mod instructions;
mod limits;
mod one_text;
pub(crate) mod pairs;
pub(crate) mod rounds;
pub(crate) mod subkeys;
mod tagged;
pub(crate) mod text;
pub(crate) mod tiny;

use self::aez_core::SubkeySource as _;
use abreast_simd::inlined::Zipped;
pub use aead::AezAead;

use crate::ciphers::aes::Apart;
use crate::engine::backend::Direction;
use crate::engine::kernel::Choice;
use crate::engine::passes::split_up_to;
use crate::modes::WithTagLen;
use crate::modes::tag::verdict;
use crate::{Error, InOutBuf, Kernel};
use abreast_simd::{AesLevel, Isa, Wiped, baseline, dispatch_aes};
use circuit::{Circuit, CircuitKeys};
use core::fmt;
use instructions::Instructions;
#[cfg(feature = "alloc")]
pub(crate) use pairs::TWEAKS;
use pairs::With;
use rounds::AezVectors;
#[cfg(feature = "alloc")]
pub(crate) use rounds::WIDEST;
use subkeys::AezSubkeys;
use subtle::ConstantTimeEq;
use text::Text;

/// The longest tag that need not follow the ciphertext.
pub(crate) const MAX_DETACHED: usize = 32;

/// A key of AEZ.
///
/// * Keys have any length. One of 48 bytes is used as it is; others are hashed by BLAKE2b; use at least 16 bytes.
/// * Nonces have any length, and associated data is any number of strings. No string and an empty string are
///   different.
/// * Tags have 16 bytes, or by [`with_tag_len`](Self::with_tag_len) another number; one of `n` bytes is forged with
///   probability 2^-8n.
/// * [Without a tag](Self::unauthenticated) AEZ enciphers: every bit of the output depends on every bit of the message,
///   but no change is detected.
/// * A message has at most 2^48 bytes, the limit for all messages of a key together.
///
/// ```
/// use abreast::aez::Aez;
///
/// let aez = Aez::new(b"forty-eight bytes, which are taken as they are..");
/// let mut message = *b"attack at dawn";
/// let mut tag = [0; 16];
/// aez.encrypt_detached(b"nonce", &[b"sent in clear"], message.as_mut_slice(), &mut tag)?;
/// aez.decrypt_detached(b"nonce", &[b"sent in clear"], message.as_mut_slice(), &tag)?;
/// assert_eq!(&message, b"attack at dawn");
/// # Ok::<(), abreast::Error>(())
/// ```
pub struct Aez(pub(crate) Wiped<KeyedAez>);

/// A key, laid out for the kernel that will use it.
pub(crate) struct KeyedAez {
    pub(crate) subkeys: AezSubkeys,
    pub(crate) keyed: Keyed,
}

/// The kernel, with the round keys that it wants beside the subkeys.
#[allow(clippy::large_enum_variant, reason = "a box for the larger one would need an allocator")]
pub(crate) enum Keyed {
    AezVectors(AesLevel),
    Sliced(Apart<CircuitKeys>),
}

/// An operation with a key, for each instruction set.
pub(crate) trait AezLoop {
    type Out;
    fn run<I: Isa, W: AezVectors<I>>(self, with: With<'_, I, W>) -> Self::Out;
}

impl Aez {
    /// Makes a key, for the best kernel of this CPU.
    #[must_use]
    pub fn new(key: &[u8]) -> Self {
        let kernel = Kernel::best_of_aes();
        Self::made(key, kernel, |keys| {
            keys.place(CircuitKeys::ZERO);
            Ok(())
        })
        .unwrap_or_else(|_| unreachable!("the kernel is one of AES"))
    }

    /// Makes a key for a given kernel, one of [`kernels`](Self::kernels).
    ///
    /// # Errors
    /// [`Error::KernelUnavailable`] if the kernel is another cipher's; [`Error::OutOfMemory`] for a bit-sliced one.
    pub fn with_kernel(key: &[u8], kernel: Kernel) -> Result<Self, Error> {
        Self::made(key, kernel, |keys| keys.try_fill_place(CircuitKeys::ZERO))
    }

    /// Makes a key. `reserve` allocates the memory of the round keys of bit-sliced kernels.
    fn made(
        key: &[u8],
        kernel: Kernel,
        reserve: impl FnOnce(&mut Apart<CircuitKeys>) -> Result<(), Error>,
    ) -> Result<Self, Error> {
        let keyed = match kernel.0 {
            Choice::AesRounds(level) => Keyed::AezVectors(level),
            Choice::AesSliced => Keyed::Sliced(Apart::NONE),
            _ => return Err(Error::KernelUnavailable),
        };
        let mut aez = Self(Wiped::new(KeyedAez { subkeys: AezSubkeys::ZERO, keyed }));
        let KeyedAez { subkeys, keyed } = &mut *aez.0;
        subkeys.set(key);
        if let Keyed::Sliced(keys) = keyed {
            reserve(keys)?;
            keys.set(subkeys);
        }
        (aez.0.subkeys.l_tag[1], aez.0.subkeys.padding) = aez.visit(Usual);
        Ok(aez)
    }

    /// Returns the kernels that this CPU can run, best first: those of AES.
    pub fn kernels() -> impl Iterator<Item = Kernel> {
        Kernel::of_aes()
    }

    /// Returns the kernel of this key.
    #[must_use]
    pub fn kernel(&self) -> Kernel {
        match &self.0.keyed {
            Keyed::AezVectors(level) => Kernel::aes_rounds(*level),
            Keyed::Sliced(_) => Kernel::aes_sliced(),
        }
    }

    /// Returns this key with tags of `tag_len` bytes. [`Aez::encrypt_detached`] has room for 32 of them at most,
    /// [`Aez::encrypt_joined`] for any number.
    ///
    /// ```
    /// use abreast::{Error, aez::Aez};
    ///
    /// let (aez, mut tag) = (Aez::new(b"a key of any length"), [0; 8]);
    /// let short = aez.with_tag_len(8)?;
    /// let mut message = *b"attack at dawn";
    /// short.encrypt_detached(b"nonce", &[], message.as_mut_slice(), &mut tag)?;
    /// short.decrypt_detached(b"nonce", &[], message.as_mut_slice(), &tag)?;
    /// assert_eq!(aez.with_tag_len(0).err(), Some(Error::TagLength));
    /// # Ok::<(), abreast::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::TagLength`] if it is 0: a key that authenticates nothing is [`unauthenticated`](Self::unauthenticated).
    pub fn with_tag_len(&self, tag_len: usize) -> Result<WithTagLen<'_, Self>, Error> {
        if tag_len == 0 { Err(Error::TagLength) } else { Ok(WithTagLen { mode: self, tag_len }) }
    }

    /// Returns this key as a cipher for messages of any length, with ciphertexts of the same length. **Nothing is
    /// authenticated**: tags have no bytes, every ciphertext decrypts to something, and that is `Ok`. An empty message gives
    /// nothing.
    ///
    /// ```
    /// use abreast::aez::Aez;
    ///
    /// let aez = Aez::new(b"a key of any length");
    /// let mut name = *b"a name.txt";
    /// aez.unauthenticated().encrypt_detached(b"folder", &[], name.as_mut_slice(), &mut [])?;
    /// aez.unauthenticated().decrypt_detached(b"folder", &[], name.as_mut_slice(), &[])?;
    /// assert_eq!(&name, b"a name.txt");
    /// # Ok::<(), abreast::Error>(())
    /// ```
    #[must_use]
    pub fn unauthenticated(&self) -> WithTagLen<'_, Self> {
        WithTagLen { mode: self, tag_len: 0 }
    }

    /// With tags of 16 bytes.
    pub(crate) fn with_full_tag(&self) -> WithTagLen<'_, Self> {
        WithTagLen { mode: self, tag_len: 16 }
    }

    /// Encrypts a message. The end of the ciphertext goes to `tag`.
    ///
    /// # Errors
    /// [`Error::MessageTooLong`]; then nothing was done.
    #[cfg_attr(not(abreast_unoptimized), inline(always))] // As far as the description of the call, which is written once, where the kernel reads it.
    pub fn encrypt_detached<'i, 'o>(
        &self,
        nonce: &[u8],
        associated_data: &[&[u8]],
        io: impl Into<InOutBuf<'i, 'o, u8>>,
        tag: &mut [u8; 16],
    ) -> Result<(), Error> {
        self.with_full_tag().encrypt_detached(nonce, associated_data, io, tag)
    }

    /// Decrypts a message if its tag is right; otherwise the output is zeros.
    ///
    /// # Errors
    /// [`Error::TagMismatch`]; [`Error::MessageTooLong`], and then nothing was done.
    #[cfg_attr(not(abreast_unoptimized), inline(always))] // As `encrypt_detached`.
    pub fn decrypt_detached<'i, 'o>(
        &self,
        nonce: &[u8],
        associated_data: &[&[u8]],
        io: impl Into<InOutBuf<'i, 'o, u8>>,
        tag: &[u8; 16],
    ) -> Result<(), Error> {
        self.with_full_tag().decrypt_detached(nonce, associated_data, io, tag)
    }

    /// Encrypts a message that is followed by room for the tag, 16 bytes of any content; the whole becomes the
    /// ciphertext.
    ///
    /// ```
    /// use abreast::aez::Aez;
    ///
    /// let aez = Aez::new(b"a key of any length");
    /// let mut buffer = *b"attack at dawn and sixteen bytes";
    /// aez.encrypt_joined(b"nonce", &[b"sent in clear"], buffer.as_mut_slice())?;
    /// aez.decrypt_joined(b"nonce", &[b"sent in clear"], buffer.as_mut_slice())?;
    /// assert_eq!(&buffer, b"attack at dawn a\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
    /// # Ok::<(), abreast::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::BufferTooShort`] if the tag has no room, [`Error::MessageTooLong`]; then nothing was done.
    pub fn encrypt_joined<'i, 'o>(
        &self,
        nonce: &[u8],
        associated_data: &[&[u8]],
        io: impl Into<InOutBuf<'i, 'o, u8>>,
    ) -> Result<(), Error> {
        self.with_full_tag().encrypt_joined(nonce, associated_data, io)
    }

    /// Decrypts a whole ciphertext from [`encrypt_joined`](Self::encrypt_joined), if it is authentic: the output is
    /// the message and 16 zeros. Otherwise it is nothing but zeros.
    ///
    /// # Errors
    /// [`Error::TagMismatch`], for a ciphertext too short to have a tag too; [`Error::MessageTooLong`], and then
    /// nothing was done.
    pub fn decrypt_joined<'i, 'o>(
        &self,
        nonce: &[u8],
        associated_data: &[&[u8]],
        io: impl Into<InOutBuf<'i, 'o, u8>>,
    ) -> Result<(), Error> {
        self.with_full_tag().decrypt_joined(nonce, associated_data, io)
    }

    /// A text in one piece.
    fn whole(
        &self,
        direction: Direction,
        tag_len: usize,
        nonce: &[u8],
        associated_data: &[&[u8]],
        buffer: &mut [u8],
    ) {
        let text = &mut Text { io: buffer.into(), end: &[], end_out: &mut [] };
        self.encipher(&mut Encipher { direction, tag_len, nonce, associated_data, text });
    }

    /// Never inlined, so that kernels are compiled in this crate.
    #[inline(never)]
    fn encipher(&self, message: &mut Encipher<'_, '_, '_, '_>) {
        self.visit(message);
    }

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn visit<J: AezLoop>(&self, job: J) -> J::Out {
        let subkeys = &self.0.subkeys;
        match &self.0.keyed {
            Keyed::AezVectors(level) => dispatch_aes!(*level, isa => {
                job.run::<_, Instructions<2>>(With { isa, subkeys, kept: &() })
            }),
            Keyed::Sliced(kept) => {
                let isa = baseline();
                isa.run(
                    #[cfg_attr(not(abreast_unoptimized), inline(always))]
                    || job.run::<_, Circuit<2>>(With { isa, subkeys, kept }),
                )
            }
        }
    }
}

impl fmt::Debug for Aez {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Aez").field("kernel", &self.kernel()).finish_non_exhaustive()
    }
}

/// Values that most messages need, kept with the key: the hash of the usual tag length, and E of padding alone.
struct Usual;

impl AezLoop for Usual {
    type Out = ([u8; 16], [u8; 16]);

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn run<I: Isa, W: AezVectors<I>>(self, with: With<'_, I, W>) -> ([u8; 16], [u8; 16]) {
        (hash::hash_of_tag_len(with, 16), one_text::e_of_padding(with))
    }
}

/// One message.
struct Encipher<'a, 'i, 'o, 't> {
    direction: Direction,
    tag_len: usize,
    nonce: &'a [u8],
    associated_data: &'a [&'a [u8]],
    text: &'a mut Text<'i, 'o, 't>,
}

impl AezLoop for &mut Encipher<'_, '_, '_, '_> {
    type Out = ();

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn run<I: Isa, W: AezVectors<I>>(self, with: With<'_, I, W>) {
        with.isa.align_frame();
        let &mut Encipher { direction, tag_len, nonce, associated_data, ref mut text } = self;
        let delta = hash::hash(with, tag_len, nonce, associated_data);
        if text.len() == tag_len {
            with.isa.run(
                #[cfg_attr(not(abreast_unoptimized), inline(always))]
                || prf(with, delta, text),
            );
        } else if text.len() < 32 {
            with.isa.run(
                #[cfg_attr(not(abreast_unoptimized), inline(always))]
                || {
                    with.isa.align_frame();
                    tiny::encipher(with, delta, direction, text);
                },
            );
        } else {
            one_text::encipher(with, delta, direction, text);
        }
    }
}

/// AEZ-prf: the tag of an empty message, or zeros from it (paper, section 4). It is in one of the two pieces
/// of the text, and the other is empty.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn prf<I: Isa, W: AezVectors<I>>(
    with: With<'_, I, W>,
    delta: <W::One as AezVectors<I>>::Vector,
    text: &mut Text<'_, '_, '_>,
) {
    let mut io = text.io.reborrow();
    let mut n = 0;
    while !io.is_empty() {
        let (mut part, rest) = split_up_to(io, 16);
        part.xor_in2out(&prf_block(with, delta, n)[..part.len()]);
        (io, n) = (rest, n + 1);
    }
    for (n, (src, dst)) in (0..).zipped(text.end.chunks(16).zipped(text.end_out.chunks_mut(16))) {
        let block = prf_block(with, delta, n);
        for ((dst, src), byte) in dst.iter_mut().zipped(src).zipped(block) {
            *dst = src ^ byte;
        }
    }
}

/// Returns a block of the output of AEZ-prf.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn prf_block<I: Isa, W: AezVectors<I>>(
    with: With<'_, I, W>,
    delta: <W::One as AezVectors<I>>::Vector,
    n: u128,
) -> [u8; 16] {
    let isa = with.isa;
    let delta = W::One::xor(delta, with.of(|subkeys| &subkeys.multiples[2]));
    let input = W::One::xor(delta, W::One::first(isa, &n.to_be_bytes()));
    W::One::to_first(W::One::aes10(isa, with.keys::<W::One>(), input, W::One::first(isa, &[0; 16])))
}

/// Accepts a tag that deciphers to zeros.
pub(crate) fn all_zeros(bytes: &[u8]) -> Result<(), Error> {
    let sum = bytes.iter().fold(0, |sum, byte| sum | byte);
    verdict(sum.ct_eq(&0))
}

#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn check_tag(len: usize) -> Result<(), Error> {
    if len <= MAX_DETACHED { Ok(()) } else { Err(Error::TagLength) }
}
