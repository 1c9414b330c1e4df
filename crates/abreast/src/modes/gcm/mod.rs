//! Galois/Counter Mode (SP 800-38D): counter mode, and a polynomial hash of the ciphertext as the tag.

mod limits;
mod pieces;

use super::tag::same_tag;
use super::{Decryptor, Encryptor, WithTagLen};
use crate::engine::backend::Direction;
use crate::ghash::{BLOCK, GhashKey};
use crate::loops::gcm::GcmMessage;
use crate::mode_call::ModeCall128;
use crate::{BlockCipher128, Error, InOutBuf};
use abreast_simd::Wiped;
use abreast_simd::inlined::CopyFrom;
use core::fmt;
use limits::{check_lengths, check_nonce, check_tag_len};

/// A key in Galois/Counter Mode.
///
/// Nonces are 12 bytes as a rule and must never repeat under one key; any other length except 0 is allowed. Tags have 16 bytes,
/// or by [`with_tag_len`](Self::with_tag_len) another length of the standard. A message has at most 2^36 - 32 bytes.
///
/// The powers of the hash key are computed once and take 1280 bytes.
///
/// ```
/// use abreast::{aes::Aes256, modes::Gcm};
///
/// let gcm = Gcm::from_cipher(Aes256::new(&[7; 32]));
/// let (nonce, associated_data) = ([1; 12], b"sent in clear");
/// let mut data = *b"attack at dawn";
/// let mut tag = [0; 16];
/// gcm.encrypt_detached(&nonce, associated_data, data.as_mut_slice(), &mut tag)?;
/// gcm.decrypt_detached(&nonce, associated_data, data.as_mut_slice(), &tag)?;
/// assert_eq!(&data, b"attack at dawn");
/// # Ok::<(), abreast::Error>(())
/// ```
pub struct Gcm<C>(Wiped<KeyedGcm<C>>);

/// A cipher with its hash key.
struct KeyedGcm<C> {
    cipher: C,
    key: GhashKey,
}

impl<C: BlockCipher128> Gcm<C> {
    /// Makes the mode under a cipher's key.
    pub fn from_cipher(cipher: C) -> Self {
        // Filled where it is returned, so that no copy of the powers is left behind.
        let mut gcm = Self::without_powers(cipher);
        gcm.compute_powers();
        gcm
    }

    /// Returns the mode before its powers are computed, for those who have a place for it. It is not to be used yet.
    #[doc(hidden)]
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub fn without_powers(cipher: C) -> Self {
        Self(Wiped::new(KeyedGcm { cipher, key: GhashKey::ZERO }))
    }

    /// Returns the cipher, to set its key before the powers are computed.
    #[doc(hidden)]
    pub fn cipher_mut(&mut self) -> &mut C {
        &mut self.0.cipher
    }

    /// Computes the powers where they are.
    #[doc(hidden)]
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub fn compute_powers(&mut self) {
        let gcm = &mut *self.0;
        gcm.cipher.mode_call_128(&mut ModeCall128::GcmKey(&mut gcm.key));
    }

    /// Returns the cipher.
    pub fn cipher(&self) -> &C {
        &self.0.cipher
    }

    /// Returns this key with tags of `tag_len` bytes: 4, 8 or 12 to 16. The standard (appendix C) says how few messages
    /// tags of 4 and 8 bytes are good for.
    ///
    /// ```
    /// use abreast::{aes::Aes128, modes::Gcm};
    ///
    /// let (gcm, mut tag) = (Gcm::from_cipher(Aes128::new(&[7; 16])), [0; 12]);
    /// let mut data = *b"attack at dawn";
    /// gcm.with_tag_len(12)?.encrypt_detached(&[1; 12], b"", data.as_mut_slice(), &mut tag)?;
    /// gcm.with_tag_len(12)?.decrypt_detached(&[1; 12], b"", data.as_mut_slice(), &tag)?;
    /// assert_eq!(&data, b"attack at dawn");
    /// # Ok::<(), abreast::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::TagLength`] if it is another number.
    pub fn with_tag_len(&self, tag_len: usize) -> Result<WithTagLen<'_, Self>, Error> {
        check_tag_len(tag_len)?;
        Ok(WithTagLen { mode: self, tag_len })
    }

    /// Encrypts a message and writes its tag.
    ///
    /// # Errors
    /// [`Error::NonceLength`], [`Error::MessageTooLong`]; then nothing was done.
    // Inlined so that the buffer's description is written once, right where the kernel reads it.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub fn encrypt_detached<'i, 'o>(
        &self,
        nonce: &[u8],
        associated_data: &[u8],
        io: impl Into<InOutBuf<'i, 'o, u8>>,
        tag: &mut [u8; BLOCK],
    ) -> Result<(), Error> {
        encrypt(&self.0.cipher, &self.0.key, nonce, associated_data, io.into(), tag)
    }

    /// Decrypts a message whose tag is right; otherwise the output is zeros.
    ///
    /// # Errors
    /// [`Error::TagMismatch`]; [`Error::NonceLength`], [`Error::MessageTooLong`], and then nothing was done.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub fn decrypt_detached<'i, 'o>(
        &self,
        nonce: &[u8],
        associated_data: &[u8],
        io: impl Into<InOutBuf<'i, 'o, u8>>,
        tag: &[u8; BLOCK],
    ) -> Result<(), Error> {
        decrypt(&self.0.cipher, &self.0.key, nonce, associated_data, io.into(), tag)
    }

    /// The powers of the hash key.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn hash_key(&self) -> &GhashKey {
        &self.0.key
    }

    /// Begins a message to encrypt in pieces.
    ///
    /// ```
    /// use abreast::{aes::Aes128, modes::Gcm};
    ///
    /// let gcm = Gcm::from_cipher(Aes128::new(&[7; 16]));
    /// let (mut data, mut tag) = (*b"attack at dawn", [0; 16]);
    /// let mut message = gcm.encryptor(&[1; 12], b"")?;
    /// for piece in data.chunks_mut(5) {
    ///     message.update(piece)?;
    /// }
    /// message.finish(&mut tag)?;
    /// gcm.decrypt_detached(&[1; 12], b"", data.as_mut_slice(), &tag)?;
    /// # Ok::<(), abreast::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NonceLength`], [`Error::MessageTooLong`] for the associated data.
    pub fn encryptor(&self, nonce: &[u8], associated_data: &[u8]) -> Result<Encryptor<'_, Self>, Error> {
        Ok(Encryptor::new(self, self.begin_with(nonce, associated_data)?))
    }

    /// Begins a message to decrypt in pieces. The plaintext is not to be trusted before
    /// [`Decryptor::verify`] says so.
    ///
    /// ```
    /// use abreast::{Error, aes::Aes128, modes::Gcm};
    ///
    /// let gcm = Gcm::from_cipher(Aes128::new(&[7; 16]));
    /// let mut message = gcm.decryptor(&[1; 12], b"")?;
    /// let mut piece = *b"a forgery";
    /// message.update(piece.as_mut_slice())?;
    /// assert_eq!(message.verify(&[0; 16]), Err(Error::TagMismatch));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NonceLength`], [`Error::MessageTooLong`] for the associated data.
    pub fn decryptor(&self, nonce: &[u8], associated_data: &[u8]) -> Result<Decryptor<'_, Self>, Error> {
        Ok(Decryptor::new(self, self.begin_with(nonce, associated_data)?))
    }
}

/// With tags of a length that was asked for.
impl<C: BlockCipher128> WithTagLen<'_, Gcm<C>> {
    /// Encrypts as [`Gcm::encrypt_detached`] does.
    ///
    /// # Errors
    /// The errors of [`Gcm::encrypt_detached`]; [`Error::TagLength`] if the buffer is not as long as the tag, and then nothing
    /// was done.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub fn encrypt_detached<'i, 'o>(
        &self,
        nonce: &[u8],
        associated_data: &[u8],
        io: impl Into<InOutBuf<'i, 'o, u8>>,
        tag: &mut [u8],
    ) -> Result<(), Error> {
        let io = io.into();
        self.check(tag)?;
        encrypt(&self.mode.0.cipher, &self.mode.0.key, nonce, associated_data, io, tag)
    }

    /// Decrypts as [`Gcm::decrypt_detached`] does.
    ///
    /// # Errors
    /// The errors of [`Gcm::decrypt_detached`]; [`Error::TagLength`] if the tag has another length, and then nothing was done.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub fn decrypt_detached<'i, 'o>(
        &self,
        nonce: &[u8],
        associated_data: &[u8],
        io: impl Into<InOutBuf<'i, 'o, u8>>,
        tag: &[u8],
    ) -> Result<(), Error> {
        let io = io.into();
        self.check(tag)?;
        decrypt(&self.mode.0.cipher, &self.mode.0.key, nonce, associated_data, io, tag)
    }
}

impl<C> fmt::Debug for Gcm<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gcm").finish_non_exhaustive()
    }
}

/// Encrypts a message; see [`Gcm::encrypt_detached`]. The tag has a length that was asked for.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(crate) fn encrypt(
    cipher: &(impl BlockCipher128 + ?Sized),
    key: &GhashKey,
    nonce: &[u8],
    aad: &[u8],
    mut io: InOutBuf<'_, '_, u8>,
    tag: &mut [u8],
) -> Result<(), Error> {
    check(nonce, aad, &io)?;
    let full = message(cipher, key, Direction::Encrypt, nonce, aad, &mut io);
    tag.copy_from(&full[..tag.len()]);
    Ok(())
}

/// Decrypts a message; see [`Gcm::decrypt_detached`]. The tag has a length that was asked for.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(crate) fn decrypt(
    cipher: &(impl BlockCipher128 + ?Sized),
    key: &GhashKey,
    nonce: &[u8],
    aad: &[u8],
    mut io: InOutBuf<'_, '_, u8>,
    tag: &[u8],
) -> Result<(), Error> {
    check(nonce, aad, &io)?;
    let full = message(cipher, key, Direction::Decrypt, nonce, aad, &mut io);
    // All at once: the caller sees this memory, so the compiler keeps the write.
    same_tag(&full, tag).inspect_err(|_| io.get_out().fill(0))
}

#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn message(
    cipher: &(impl BlockCipher128 + ?Sized),
    key: &GhashKey,
    direction: Direction,
    nonce: &[u8],
    aad: &[u8],
    io: &mut InOutBuf<'_, '_, u8>,
) -> [u8; BLOCK] {
    let mut tag = [0; BLOCK];
    cipher.mode_call_128(&mut ModeCall128::Gcm(GcmMessage { key, direction, nonce, aad, io, tag: &mut tag }));
    tag
}

/// The reason why a message is refused.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(crate) fn check(nonce: &[u8], aad: &[u8], io: &InOutBuf<'_, '_, u8>) -> Result<(), Error> {
    check_nonce(nonce)?;
    check_lengths(aad.len() as u64, io.len() as u64)
}
