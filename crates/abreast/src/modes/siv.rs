//! SIV (RFC 5297): deterministic authenticated encryption. S2V, which is CMAC over several strings, makes a synthetic
//! initialisation vector from associated data and message, and counter mode under a second key starts from that vector, which
//! is also the tag.

use super::cmac::CmacSubkeys;
use super::tag::same_tag;
use super::{CounterWidth, Ctr};
use crate::engine::backend::ChainingValue;
use crate::gf128::times_x;
use crate::mode_call::ModeCall;
use crate::wipe::wipe;
use crate::{BlockCipher128, Error, InOutBuf};
use abreast_simd::Wiped;
use abreast_simd::inlined::{CopyFrom, Zipped};
use cipher::KeyInit;
use core::fmt;

/// The most strings of associated data: S2V is proved for as many as a block has bits, less one, and the message is the
/// last of them (section 7).
pub(crate) const MOST_STRINGS: usize = 126;

/// The bits of the vector that are cleared for the first counter block (section 2.5): the highest of either half of its
/// low 64 bits.
const CLEARED: u128 = 1 << 63 | 1 << 31;

/// A pair of keys in SIV mode: the first for the tag, the second for the message.
///
/// Equal messages with equal associated data have equal ciphertexts, which is all that is revealed; no nonce is needed. To
/// encrypt equal messages differently, pass a nonce as the last string of associated data (section 3).
///
/// ```
/// use abreast::{aes::Aes256, modes::Siv};
///
/// // 64 bytes: two keys of AES-256.
/// let siv = Siv::<Aes256>::new(&[7; 64])?;
/// let mut data = *b"attack at dawn";
/// let mut tag = [0; 16];
/// siv.encrypt_detached(&[b"sent in clear"], data.as_mut_slice(), &mut tag)?;
/// siv.decrypt_detached(&[b"sent in clear"], data.as_mut_slice(), &tag)?;
/// assert_eq!(&data, b"attack at dawn");
/// # Ok::<(), abreast::Error>(())
/// ```
pub struct Siv<C>(Wiped<KeyedSiv<C>>);

/// The ciphers of tag and message, with the values that are derived from the former's key.
struct KeyedSiv<C> {
    mac: C,
    text: C,
    subkeys: CmacSubkeys,
    /// The CMAC of a block of zeros, with which S2V begins.
    begun: ChainingValue,
}

impl<C: BlockCipher128> Siv<C> {
    /// Makes the mode under a key of twice the length of the cipher's: 32, 48 or 64 bytes with AES. The first half is for the
    /// tag.
    ///
    /// # Errors
    /// [`Error::KeyLength`].
    pub fn new(key: &[u8]) -> Result<Self, Error>
    where
        C: KeyInit,
    {
        if !key.len().is_multiple_of(2) {
            return Err(Error::KeyLength);
        }
        let (mac, text) = key.split_at(key.len() / 2);
        let cipher = |key| C::new_from_slice(key).map_err(|_| Error::KeyLength);
        Ok(Self::from_ciphers(cipher(mac)?, cipher(text)?))
    }

    /// Makes the mode under two keys of a cipher: one for the tag, then one for the message.
    ///
    /// ```
    /// use abreast::{aes::Aes128, modes::Siv};
    ///
    /// let siv = Siv::from_ciphers(Aes128::new(&[1; 16]), Aes128::new(&[2; 16]));
    /// let mut buffer = *b"room for the tagattack at dawn";
    /// siv.encrypt_joined(&[b"sent in clear"], buffer.as_mut_slice())?;
    /// siv.decrypt_joined(&[b"sent in clear"], buffer.as_mut_slice())?;
    /// assert_eq!(&buffer[16..], b"attack at dawn");
    /// # Ok::<(), abreast::Error>(())
    /// ```
    pub fn from_ciphers(mac: C, text: C) -> Self {
        let mut siv = Self::without_subkeys(mac, text);
        siv.compute_subkeys();
        siv
    }

    /// The mode without its subkeys, for callers that set keys in place. It must not be used before `compute_subkeys`.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn without_subkeys(mac: C, text: C) -> Self {
        Self(Wiped::new(KeyedSiv { mac, text, subkeys: CmacSubkeys::ZERO, begun: [0; 16] }))
    }

    /// Computes the subkeys, and the beginning of S2V, in place.
    pub(crate) fn compute_subkeys(&mut self) {
        let siv = &mut *self.0;
        siv.subkeys.set(&siv.mac);
        siv.begun = siv.subkeys.mac(&siv.mac, [0; 16], &[0; 16]);
    }

    /// Returns the ciphers of tag and message, to set their keys.
    #[cfg(feature = "alloc")]
    pub(crate) fn ciphers_mut(&mut self) -> [&mut C; 2] {
        let siv = &mut *self.0;
        [&mut siv.mac, &mut siv.text]
    }

    /// Returns the ciphers of tag and message.
    pub fn ciphers(&self) -> [&C; 2] {
        [&self.0.mac, &self.0.text]
    }

    /// Returns the subkeys of the tag's cipher, and the first value of S2V.
    pub(crate) fn parts(&self) -> (&CmacSubkeys, &ChainingValue) {
        (&self.0.subkeys, &self.0.begun)
    }

    /// Encrypts a message and writes its tag. The associated data are up to 126 strings; an empty string is another thing
    /// than none.
    ///
    /// # Errors
    /// [`Error::MessageTooLong`] if there are more strings; then nothing was done.
    pub fn encrypt_detached<'i, 'o>(
        &self,
        associated_data: &[&[u8]],
        io: impl Into<InOutBuf<'i, 'o, u8>>,
        tag: &mut [u8; 16],
    ) -> Result<(), Error> {
        let io = io.into();
        check_strings(associated_data)?;
        *tag = self.s2v(associated_data, io.get_in());
        self.xor(tag, io);
        Ok(())
    }

    /// Decrypts a message whose tag is right; otherwise the output is zeros.
    ///
    /// # Errors
    /// [`Error::TagMismatch`]; [`Error::MessageTooLong`] if there are more than 126 strings, and then nothing was done.
    pub fn decrypt_detached<'i, 'o>(
        &self,
        associated_data: &[&[u8]],
        io: impl Into<InOutBuf<'i, 'o, u8>>,
        tag: &[u8; 16],
    ) -> Result<(), Error> {
        let mut io = io.into();
        check_strings(associated_data)?;
        self.xor(tag, io.reborrow());
        let mut right = self.s2v(associated_data, io.get_out());
        let same = same_tag(&right, tag);
        wipe(&mut right);
        same.inspect_err(|_| io.get_out().fill(0))
    }

    /// Encrypts a message that comes after room for the tag, 16 bytes of any content; the whole becomes tag and
    /// ciphertext, in the order of the RFC.
    ///
    /// # Errors
    /// [`Error::BufferTooShort`] if the tag has no room, [`Error::MessageTooLong`] as for
    /// [`encrypt_detached`](Self::encrypt_detached); then nothing was done.
    pub fn encrypt_joined<'i, 'o>(
        &self,
        associated_data: &[&[u8]],
        io: impl Into<InOutBuf<'i, 'o, u8>>,
    ) -> Result<(), Error> {
        let io = io.into();
        if io.len() < 16 {
            return Err(Error::BufferTooShort);
        }
        let (mut begin, message) = io.split_at(16);
        let mut tag = [0; 16];
        self.encrypt_detached(associated_data, message, &mut tag)?;
        begin.get_out().copy_from(&tag);
        Ok(())
    }

    /// Decrypts a whole ciphertext from [`encrypt_joined`](Self::encrypt_joined), if it is authentic: the output is 16
    /// zeros and the message. Otherwise it is nothing but zeros.
    ///
    /// # Errors
    /// [`Error::TagMismatch`], also if the input is too short for a tag; [`Error::MessageTooLong`], and then nothing
    /// was done.
    pub fn decrypt_joined<'i, 'o>(
        &self,
        associated_data: &[&[u8]],
        io: impl Into<InOutBuf<'i, 'o, u8>>,
    ) -> Result<(), Error> {
        let mut io = io.into();
        check_strings(associated_data)?;
        let Some(tag) = io.get_in().first_chunk::<16>().copied() else {
            io.get_out().fill(0);
            return Err(Error::TagMismatch);
        };
        let (mut begin, message) = io.split_at(16);
        begin.get_out().fill(0);
        self.decrypt_detached(associated_data, message, &tag)
    }

    /// The synthetic vector (section 2.4).
    fn s2v(&self, associated_data: &[&[u8]], message: &[u8]) -> ChainingValue {
        let mut sum = self.0.begun;
        for string in associated_data {
            sum = with_string(&sum, &self.0.subkeys.mac(&self.0.mac, [0; 16], string));
        }
        let (head, mut end) = last_string(&sum, message);
        let mut chain = [0; 16];
        if !head.is_empty() {
            self.0.mac.mode_call(&mut ModeCall::Mac(&mut chain, head));
        }
        let vector = self.0.subkeys.mac(&self.0.mac, chain, end.bytes());
        end.wipe();
        wipe(&mut sum);
        wipe(&mut chain);
        vector
    }

    /// Encrypts or decrypts a message. The vector is public, and so are the counters.
    fn xor(&self, vector: &[u8; 16], io: InOutBuf<'_, '_, u8>) {
        let first = u128::from_be_bytes(first_counter(vector));
        Ctr::from_number(&self.0.text, first, CounterWidth::Bits128, 16).apply_unchecked(io);
    }
}

impl<C> fmt::Debug for Siv<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Siv").finish_non_exhaustive()
    }
}

/// Refuses more strings than S2V has a proof for.
fn check_strings(strings: &[&[u8]]) -> Result<(), Error> {
    if strings.len() <= MOST_STRINGS { Ok(()) } else { Err(Error::MessageTooLong) }
}

/// The first counter block of a vector (section 2.5).
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(crate) fn first_counter(vector: &[u8; 16]) -> [u8; 16] {
    (u128::from_be_bytes(*vector) & !CLEARED).to_be_bytes()
}

/// Returns the sum of S2V after another string, of which this is the CMAC: the sum times `x`, and the CMAC.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(crate) fn with_string(sum: &ChainingValue, mac: &ChainingValue) -> ChainingValue {
    (times_x(u128::from_be_bytes(*sum), 1) ^ u128::from_be_bytes(*mac)).to_be_bytes()
}

/// The end of the string over which the last CMAC of S2V is: up to two blocks, in which the sum is.
#[derive(Clone, Copy)]
pub(crate) struct LastString {
    bytes: [u8; 32],
    len: usize,
}

impl LastString {
    /// One that is not used.
    pub(crate) const NONE: Self = Self { bytes: [0; 32], len: 0 };

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn add(&mut self, at: usize, sum: &ChainingValue) {
        for (byte, sum) in self.bytes[at..].iter_mut().zipped(sum) {
            *byte ^= sum;
        }
    }

    pub(crate) fn wipe(&mut self) {
        wipe(&mut self.bytes);
    }
}

/// The input of the last CMAC of S2V (section 2.4): blocks of the message, none or more, and a last string. `sum` is the
/// sum over the strings before the message.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(crate) fn last_string<'m>(sum: &ChainingValue, message: &'m [u8]) -> (&'m [u8], LastString) {
    let mut end = LastString::NONE;
    let Some(beyond) = message.len().checked_sub(16) else {
        end.bytes[..message.len()].copy_from(message);
        end.bytes[message.len()] = 0x80;
        end.len = 16;
        end.add(0, &with_string(sum, &[0; 16]));
        return (&[], end);
    };
    let (head, tail) = message.split_at(beyond / 16 * 16);
    end.bytes[..tail.len()].copy_from(tail);
    end.len = tail.len();
    end.add(tail.len() - 16, sum);
    (head, end)
}
