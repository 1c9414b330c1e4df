//! HCTR2 (Crowley, Huckleberry and Biggers, "Length-preserving encryption with HCTR2", eprint 2021/1441): a message of any length
//! from a block on as one wide block under a tweak.

use crate::engine::backend::Direction;
use crate::ghash::BLOCK;
use crate::loops::hctr2::{Hctr2Keys, Hctr2Messages, Hctr2Part, crypt, make_keys};
use crate::{BlockCipher128, Error, InOutBuf};
use abreast_simd::Wiped;
use core::fmt;
use core::slice::from_mut;

/// Bytes of a message at most: those whose blocks a counter of 32 bits can number.
// No boundary: more than any test has memory for; `check_len` is tested by lengths alone.
const MOST: u64 = 1 << 36;

/// A key in HCTR2, the wide-block mode that fscrypt encrypts names with.
///
/// A ciphertext is as long as its message, of 16 bytes to 64 GiB, and every bit of it depends on every bit of the message and of
/// the tweak, which may have any length. Equal messages with equal tweaks have equal ciphertexts, and nothing is authenticated:
/// a change of the ciphertext makes noise of the whole plaintext, and is not reported.
///
/// ```
/// use abreast::{aes::Aes256, modes::Hctr2};
///
/// let hctr2 = Hctr2::from_cipher(Aes256::new(&[7; 32]));
/// let mut name = *b"annual-report-2026.pdf";
/// hctr2.encrypt(b"the folder's number", name.as_mut_slice())?;
/// hctr2.decrypt(b"the folder's number", name.as_mut_slice())?;
/// assert_eq!(&name, b"annual-report-2026.pdf");
/// # Ok::<(), abreast::Error>(())
/// ```
pub struct Hctr2<C>(Wiped<KeyedHctr2<C>>);

/// A cipher with the keys that are made by it.
struct KeyedHctr2<C> {
    cipher: C,
    keys: Hctr2Keys,
}

impl<C: BlockCipher128> Hctr2<C> {
    /// Makes the mode under a cipher's key. The powers of the hash key take 1280 bytes.
    pub fn from_cipher(cipher: C) -> Self {
        // Filled where it is returned, so that no copy of the powers is left behind.
        let mut hctr2 = Self(Wiped::new(KeyedHctr2 { cipher, keys: Hctr2Keys::ZERO }));
        let keyed = &mut *hctr2.0;
        make_keys(keyed.cipher.reference(), &mut keyed.keys);
        hctr2
    }

    /// Returns the cipher.
    pub fn cipher(&self) -> &C {
        &self.0.cipher
    }

    /// The keys that were made by the cipher.
    #[cfg(feature = "batches")]
    pub(crate) fn keys(&self) -> &Hctr2Keys {
        &self.0.keys
    }

    /// Encrypts a message under a tweak.
    ///
    /// # Errors
    /// [`Error::MessageTooShort`], [`Error::MessageTooLong`]; then nothing was done.
    pub fn encrypt<'i, 'o>(&self, tweak: &[u8], io: impl Into<InOutBuf<'i, 'o, u8>>) -> Result<(), Error> {
        self.crypt(Direction::Encrypt, tweak, io.into())
    }

    /// Decrypts a message; the inverse of [`encrypt`](Self::encrypt).
    ///
    /// # Errors
    /// The errors of [`encrypt`](Self::encrypt).
    pub fn decrypt<'i, 'o>(&self, tweak: &[u8], io: impl Into<InOutBuf<'i, 'o, u8>>) -> Result<(), Error> {
        self.crypt(Direction::Decrypt, tweak, io.into())
    }

    fn crypt(&self, direction: Direction, tweak: &[u8], io: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
        check_len(io.len() as u64)?;
        let (keys, mut block) = (&self.0.keys, [0; BLOCK]);
        let (parts, blocks) = (&mut [Hctr2Part::new(tweak, io)], from_mut(&mut block));
        crypt(self.0.cipher.reference(), Hctr2Messages { direction, keys, parts, blocks });
        Ok(())
    }
}

/// Refuses messages that are too short or too long. Takes a length rather than a slice: no machine that runs the tests has
/// messages as long as the limit.
pub(crate) fn check_len(len: u64) -> Result<(), Error> {
    if len < BLOCK as u64 {
        Err(Error::MessageTooShort)
    } else if len > MOST {
        Err(Error::MessageTooLong)
    } else {
        Ok(())
    }
}

impl<C> fmt::Debug for Hctr2<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hctr2").finish_non_exhaustive()
    }
}
