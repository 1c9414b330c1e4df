//! AES-GCM-SIV (RFC 8452): each message has keys of its own, derived from its nonce; POLYVAL of the plaintext, encrypted,
//! is the tag; counter mode starts from the tag. A nonce that repeats reveals equal messages and nothing else.

mod limits;
mod message;

#[cfg(feature = "full")]
use super::sealer::Sealer;
use super::tag::same_tag;
#[cfg(feature = "batches")]
use crate::ciphers::aes::ForwardKeys;
use crate::ciphers::aes::{Aes128, Aes256};
use crate::engine::backend::Direction;
use crate::engine::keyed::KeyedCipher;
use crate::ghash::BLOCK;
use crate::mode_call::ModeCall;
use crate::wipe::wipe;
use crate::{BlockCipher, Error, InOutBuf, Kernel};
use abreast_simd::inlined::{CopyFrom, Flat};
use abreast_simd::{Block, Wiped};
use core::fmt;
pub(crate) use limits::{NONCE, check_lengths, check_nonce};
pub(crate) use message::SivMessage;
#[cfg(feature = "batches")]
pub(crate) use message::{lengths, take_nonce};

/// A key in AES-GCM-SIV, of 16 bytes for AES-128 or of 32 for AES-256.
///
/// Nonces have 12 bytes and tags 16. A message has at most 2^36 bytes, and so has associated data. The nonce should not
/// repeat; where it does, equal messages with equal associated data have equal ciphertexts, which is all that is revealed.
///
/// ```
/// use abreast::modes::GcmSiv;
///
/// let key = GcmSiv::new(&[7; 32])?;
/// let (nonce, associated_data) = ([1; 12], b"sent in clear");
/// let mut data = *b"attack at dawn";
/// let mut tag = [0; 16];
/// key.encrypt_detached(&nonce, associated_data, data.as_mut_slice(), &mut tag)?;
/// key.decrypt_detached(&nonce, associated_data, data.as_mut_slice(), &tag)?;
/// assert_eq!(&data, b"attack at dawn");
/// # Ok::<(), abreast::Error>(())
/// ```
pub struct GcmSiv(Wiped<KeyedGcmSiv>);

/// The cipher from which the keys of messages are derived.
#[allow(clippy::large_enum_variant, reason = "a box for the larger one would need an allocator")]
enum KeyedGcmSiv {
    Aes128(Aes128),
    Aes256(Aes256),
}

/// A cipher of this mode.
trait MessageCipher: KeyedCipher + BlockCipher {
    /// Bytes of a key.
    // No boundary: the size of a key.
    const KEY: usize;
    /// Encrypts or decrypts a message under the first bytes of a derived key.
    fn crypt(key: &DerivedKey, kernel: Kernel, message: &mut SivMessage<'_, '_, '_>) -> Result<(), Error>;
}

macro_rules! message_ciphers {
    ($($type:ident, key $key:literal;)*) => {$(
        impl MessageCipher for $type {
            // No boundary: the size of a key.
            const KEY: usize = $key;
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            fn crypt(
                key: &DerivedKey,
                kernel: Kernel,
                message: &mut SivMessage<'_, '_, '_>,
            ) -> Result<(), Error> {
                Self::visit_once(key.first_chunk().ok_or(Error::KeyLength)?, kernel, message)
            }
        }
    )*};
}
message_ciphers! {
    Aes128, key 16;
    Aes256, key 32;
}

/// A key that was derived: its first bytes, as many as the cipher has.
pub(crate) type DerivedKey = [u8; 32];

/// Blocks that the keys of a message are derived from at most.
// No boundary: room for those of the longest key.
const MOST_DERIVED: usize = 6;

/// The keys of a message.
pub(crate) struct Derived {
    pub(crate) hash: [u8; BLOCK],
    pub(crate) cipher: DerivedKey,
}

impl Derived {
    pub(crate) const ZERO: Self = Self { hash: [0; BLOCK], cipher: [0; 32] };

    /// Derives the keys of a message.
    fn set<C: MessageCipher>(&mut self, cipher: &C, nonce: &[u8; NONCE]) {
        let mut blocks = [[0; BLOCK]; MOST_DERIVED];
        let used = &mut blocks[..2 + C::KEY / 8];
        for (i, block) in used.iter_mut().enumerate() {
            *block = Self::asked(nonce, i);
        }
        cipher.mode_call(&mut ModeCall::Ecb(Direction::Encrypt, &mut used.flat_mut().into()));
        for (i, block) in used.iter().enumerate() {
            self.take(i, block);
        }
        wipe(blocks.flat_mut());
    }

    /// Returns a block that is to be encrypted: its number and the nonce (section 4). As a number, since a block that is loaded right
    /// after parts of it were stored makes the CPU wait.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn asked(nonce: &[u8], number: usize) -> [u8; BLOCK] {
        let nonce = u128::from_le_bytes(*Block::from_part(nonce).as_bytes());
        *Block::from(nonce << 32 | number as u128).as_bytes()
    }

    /// Takes a part of the keys from an encrypted block, its first half.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn take(&mut self, number: usize, block: &[u8; BLOCK]) {
        let half = match number.checked_sub(2) {
            None => &mut self.hash[8 * number..][..8],
            Some(number) => &mut self.cipher[8 * number..][..8],
        };
        half.copy_from(&block[..8]);
    }
}

impl GcmSiv {
    /// Makes the mode under a key of 16 or 32 bytes, for the best kernel of this CPU.
    ///
    /// # Errors
    /// [`Error::KeyLength`].
    pub fn new(key: &[u8]) -> Result<Self, Error> {
        Self::made(key, |key| Ok(Aes128::new(key)), |key| Ok(Aes256::new(key)))
    }

    /// Makes the mode under a key of 16 or 32 bytes, for a given kernel, one of [`kernels`](Self::kernels).
    ///
    /// # Errors
    /// [`Error::KeyLength`]; [`Error::KernelUnavailable`] if the kernel is another cipher's; [`Error::OutOfMemory`] for a
    /// bit-sliced one. Encryption and decryption have it then, too: the round keys of each message take memory of their own.
    pub fn with_kernel(key: &[u8], kernel: Kernel) -> Result<Self, Error> {
        Self::made(key, |key| Aes128::with_kernel(key, kernel), |key| Aes256::with_kernel(key, kernel))
    }

    /// Makes a key by the cipher of its length.
    fn made(
        key: &[u8],
        of_128: impl FnOnce(&[u8; 16]) -> Result<Aes128, Error>,
        of_256: impl FnOnce(&[u8; 32]) -> Result<Aes256, Error>,
    ) -> Result<Self, Error> {
        if let Ok(key) = key.try_into() {
            Ok(Self(Wiped::new(KeyedGcmSiv::Aes128(of_128(key)?))))
        } else if let Ok(key) = key.try_into() {
            Ok(Self(Wiped::new(KeyedGcmSiv::Aes256(of_256(key)?))))
        } else {
            Err(Error::KeyLength)
        }
    }

    /// Makes the mode under a key of AES-256, for the best kernel of this CPU.
    pub(crate) fn of_256(key: &[u8; 32]) -> Self {
        Self(Wiped::new(KeyedGcmSiv::Aes256(Aes256::new(key))))
    }

    /// Returns the kernels that this CPU can run, best first: those of AES.
    pub fn kernels() -> impl Iterator<Item = Kernel> {
        Kernel::of_aes()
    }

    /// Returns the kernel that computes it.
    #[must_use]
    pub fn kernel(&self) -> Kernel {
        match &*self.0 {
            KeyedGcmSiv::Aes128(cipher) => KeyedCipher::kernel(cipher),
            KeyedGcmSiv::Aes256(cipher) => KeyedCipher::kernel(cipher),
        }
    }

    /// Encrypts a message and writes its tag.
    ///
    /// # Errors
    /// [`Error::NonceLength`], [`Error::MessageTooLong`]; then nothing was done.
    pub fn encrypt_detached<'i, 'o>(
        &self,
        nonce: &[u8],
        associated_data: &[u8],
        io: impl Into<InOutBuf<'i, 'o, u8>>,
        tag: &mut [u8; BLOCK],
    ) -> Result<(), Error> {
        self.crypt(Direction::Encrypt, nonce, associated_data, &mut io.into(), tag)
    }

    /// Decrypts a message whose tag is right; otherwise the output is zeros.
    ///
    /// # Errors
    /// [`Error::TagMismatch`]; [`Error::NonceLength`], [`Error::MessageTooLong`], and then nothing was done.
    pub fn decrypt_detached<'i, 'o>(
        &self,
        nonce: &[u8],
        associated_data: &[u8],
        io: impl Into<InOutBuf<'i, 'o, u8>>,
        tag: &[u8; BLOCK],
    ) -> Result<(), Error> {
        let (mut io, mut right) = (io.into(), *tag);
        self.crypt(Direction::Decrypt, nonce, associated_data, &mut io, &mut right)?;
        verify(&mut right, tag, &mut io)
    }

    /// The round keys, where those of many keys can lie side by side.
    #[cfg(feature = "batches")]
    pub(crate) fn forward(&self) -> Option<ForwardKeys<'_>> {
        match &*self.0 {
            KeyedGcmSiv::Aes128(cipher) => cipher.batch_key().forward(),
            KeyedGcmSiv::Aes256(cipher) => cipher.batch_key().forward(),
        }
    }

    /// Encrypts blocks from which keys of messages are derived.
    #[cfg(feature = "batches")]
    pub(crate) fn encrypt_asked(&self, blocks: &mut [[u8; BLOCK]]) {
        let call = &mut ModeCall::Ecb(Direction::Encrypt, &mut blocks.flat_mut().into());
        match &*self.0 {
            KeyedGcmSiv::Aes128(cipher) => cipher.mode_call(call),
            KeyedGcmSiv::Aes256(cipher) => cipher.mode_call(call),
        }
    }

    /// Encrypts or decrypts a message; `tag` becomes the right one.
    pub(crate) fn crypt(
        &self,
        direction: Direction,
        nonce: &[u8],
        aad: &[u8],
        io: &mut InOutBuf<'_, '_, u8>,
        tag: &mut [u8; BLOCK],
    ) -> Result<(), Error> {
        let nonce = check_nonce(nonce)?;
        check_lengths(aad.len() as u64, io.len() as u64)?;
        match &*self.0 {
            KeyedGcmSiv::Aes128(cipher) => under_own_keys(cipher, direction, nonce, aad, io, tag),
            KeyedGcmSiv::Aes256(cipher) => under_own_keys(cipher, direction, nonce, aad, io, tag),
        }
    }
}

/// Derives the keys of a message, and encrypts or decrypts it.
fn under_own_keys<C: MessageCipher>(
    cipher: &C,
    direction: Direction,
    nonce: &[u8; NONCE],
    aad: &[u8],
    io: &mut InOutBuf<'_, '_, u8>,
    tag: &mut [u8; BLOCK],
) -> Result<(), Error> {
    let mut derived = Wiped::new(Derived::ZERO);
    derived.set(cipher, nonce);
    let message = &mut SivMessage { direction, hash_key: &derived.hash, nonce, aad, io, tag };
    C::crypt(&derived.cipher, KeyedCipher::kernel(cipher), message)
}

/// Compares a tag with the right one, which is wiped. A message that was not verified is never handed out.
pub(crate) fn verify(
    right: &mut [u8; BLOCK],
    tag: &[u8],
    io: &mut InOutBuf<'_, '_, u8>,
) -> Result<(), Error> {
    let same = same_tag(right, tag);
    wipe(right);
    same.inspect_err(|_| io.get_out().fill(0))
}

#[cfg(feature = "full")]
impl Sealer for GcmSiv {
    fn mode(&self) -> &'static str {
        "gcm-siv"
    }
    fn kernel(&self) -> Kernel {
        self.kernel()
    }
    fn seal(&self, nonce: &[u8], aad: &[u8], io: InOutBuf<'_, '_, u8>, tag: &mut [u8]) -> Result<(), Error> {
        self.encrypt_detached(nonce, aad, io, tag.try_into().map_err(|_| Error::TagLength)?)
    }
    fn open(&self, nonce: &[u8], aad: &[u8], io: InOutBuf<'_, '_, u8>, tag: &[u8]) -> Result<(), Error> {
        self.decrypt_detached(nonce, aad, io, tag.try_into().map_err(|_| Error::TagLength)?)
    }
}

impl fmt::Debug for GcmSiv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GcmSiv").finish_non_exhaustive()
    }
}
