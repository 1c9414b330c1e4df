//! Packets: many messages, each with a key of its own, in one call.
//!
//! A server has thousands of connections, a key for each of them, and at every tick a short message for most. One
//! message is too short to fill the registers, and leaves the CPU waiting while one round depends on the one before.
//! A batch of messages fills both: [`Packet`]s in any order, of any lengths, with keys of their own or shared, each
//! with the result of a single call.
//!
//! ```
//! use abreast::{packets::{self, Packet}, xtea::Xtea};
//!
//! let keys = [Xtea::new(b"the first's key."), Xtea::new(b"the other's key.")];
//! let mut messages = [*b"to the first one", *b"to the other one"];
//! let mut batch: Vec<_> = (keys.iter().zip(&mut messages))
//!     .map(|(key, message)| Packet::new(key, &[], message.as_mut_slice()))
//!     .collect();
//! packets::ecb_encrypt(&mut batch);
//! assert!(batch.iter().all(|packet| packet.result.is_ok()));
//! packets::ecb_decrypt(&mut batch);
//! assert_eq!(messages[1], *b"to the other one");
//! ```
//!
//! One batch is one mode. The meaning of `iv`, `associated_data` and `tag` of a packet depends on it; a field that the mode
//! does not use is left empty.
//!
//! | mode | key | `iv` | `associated_data` | `tag` |
//! |---|---|---|---|---|
//! | [`ecb_encrypt`], [`ecb_decrypt`] | [`CipherKey`] | | | |
//! | [`cbc_encrypt`], [`cbc_decrypt`] | [`CipherKey`] | a block | | |
//! | [`ctr`] | [`CipherKey`] | the first counter block | | |
//! | [`ofb`] | [`CipherKey`] | a block | | |
//! | [`xts_encrypt`], [`xts_decrypt`] | [`XtsKey`] | the sector's number, 16 bytes, little-endian | | |
//! | [`hctr2_encrypt`], [`hctr2_decrypt`] | [`Hctr2Key`] | the tweak | | |
//! | [`gcm_encrypt`], [`gcm_decrypt`] | [`GcmKey`] | nonce | any | 16 bytes |
//! | [`eax_encrypt`], [`eax_decrypt`] | [`EaxKey`] | nonce | any | a block |
//! | [`siv_encrypt`], [`siv_decrypt`] | [`SivKey`] | none, or a nonce | any | 16 bytes |
//! | [`gcm_siv_encrypt`], [`gcm_siv_decrypt`] | [`GcmSivKey`] | nonce, 12 bytes | any | 16 bytes |
//! | [`cmac`], [`cmac_verify`] | [`CmacKey`] | | the message | a block |
//! | [`hmac`](hmac()), [`hmac_verify`] | [`HmacKey`] | | the message | 20 or 32 bytes |
//! | [`aez_encrypt`], [`aez_decrypt`] | [`AezKey`] | nonce | one string, or none if empty | 16 bytes |
//!
//! A key made `with_tag_len`, such as [`Gcm::with_tag_len`](crate::modes::Gcm::with_tag_len), has tags of another length
//! (those of AEZ have at most 32 bytes here). A `tag` with another length than the key's is refused:
//! [`Error::TagLength`].
//!
//! Messages of HMAC may be in parts, such as a header, a ciphertext and a counter that is not sent: batches of [`HmacPacket`]s,
//! [`hmac_of_parts`] and [`hmac_verify_of_parts`] (feature `hmac`).
//!
//! Key wrap puts out more than it takes in, so that its batches are of [`WrapPacket`]s: [`key_wrap`], [`key_unwrap`],
//! [`key_wrap_padded`] and [`key_unwrap_padded`] (feature `keywrap`).
//!
//! RC4, whose keys are used up by a message or kept as a running stream, has its own batches
//! (`abreast::rc4::apply_keys` and `apply_many`, feature `legacy`).
//!
//! # How it works
//! Where a packet by itself leaves the CPU waiting, several go side by side, one in each lane: those of serial modes, and
//! short ones of ciphers that are computed by operations on 32-bit words (Serpent, XTEA and TEA). They are sorted by
//! length, 128 at a time (CMAC, EAX, SIV, HMAC, key wrap and AEZ: 64; in EAX, nonces and associated data are hashed in one pass). Where lanes
//! gain nothing, such as for a few blocks in counter mode with AES instructions, packets are processed one after the other
//! in one loop, so that the CPU overlaps several. In counter mode, four consecutive packets of one block each are
//! processed together. A message that is long enough to fill the registers is processed singly, and so is every packet of
//! bit-sliced AES. The lengths at which one way becomes faster than the other were measured.
//!
//! Nothing is allocated. Every packet has its own result: one that is refused, or whose tag is wrong, never touches the
//! others. A result is [`Error::NotProcessed`] until the last byte of the packet has been written, or its tag written or
//! compared; where a packet keeps that result, its buffer may be unchanged, and so hold the plaintext if the packet is
//! encrypted in place.
//!
//! Keys may be of several kinds and sizes in one batch; it is as fast as batches of one kind each would be. A packet
//! refers to its key, and a batch with many keys is limited by how many bytes of them it reads into the caches: 176 of a
//! key for AES-128, 240 for AES-256, 528 for Serpent, 16 for XTEA with 32 cycles.
//!
//! `in_parallel` does a batch on all cores, with the same results (feature `rayon`).
//!
//! The borrow checker sees to it that no buffer is in a batch twice. A key may be, with different vectors.

#[cfg(feature = "aez")]
mod aez;
#[cfg(feature = "modes")]
mod cmac;
#[cfg(feature = "modes")]
mod eax;
mod gcm;
#[cfg(feature = "siv")]
pub(crate) mod gcm_siv;
#[cfg(feature = "hctr2")]
mod hctr2;
#[cfg(feature = "hmac")]
mod hmac;
mod key;
#[cfg(feature = "keywrap")]
mod key_wrap;
#[cfg(feature = "modes")]
mod keystreams;
mod modes;
mod packet;
#[cfg(feature = "rayon")]
mod parallel;
mod schedule;
mod single;
#[cfg(feature = "siv")]
mod siv;
#[cfg(feature = "alloc")]
mod try_keys;

#[cfg(feature = "hmac")]
pub use hmac::HmacPacket;
#[cfg(feature = "aez")]
pub use key::AezKey;
#[cfg(feature = "hctr2")]
pub use key::Hctr2Key;
#[cfg(feature = "hmac")]
pub use key::HmacKey;
pub use key::{CipherKey, GcmKey};
#[cfg(feature = "modes")]
pub use key::{CmacKey, EaxKey, XtsKey};
#[cfg(feature = "siv")]
pub use key::{GcmSivKey, SivKey};
#[cfg(feature = "keywrap")]
pub use key_wrap::WrapPacket;
#[cfg(feature = "rayon")]
pub use parallel::in_parallel;
#[cfg(all(feature = "full", feature = "rayon"))]
pub(crate) use parallel::{FEWEST, MOST};
#[cfg(feature = "columns")]
pub(crate) use schedule::batch::WINDOW;
#[cfg(feature = "full")]
pub(crate) use schedule::batch::{SHORT_CHAIN, SINGLES};
#[cfg(feature = "full")]
pub(crate) use schedule::length_class::EXACT_ROWS;
#[cfg(feature = "alloc")]
pub use try_keys::try_keys;
#[cfg(feature = "full")]
pub(crate) use {cmac::WINDOW as MAC_WINDOW, eax::FEW as FEW_OF_EAX, key_wrap::WINDOW as WRAP_WINDOW};

pub use abreast_simd::buffer::Buffer;
#[cfg(feature = "full")]
pub(crate) use aez::{FEW_PAIRS, MOST_LANES as MOST_AEZ_LANES, MOST_PAIRS, WINDOW as AEZ_WINDOW};
pub use packet::Packet;
use schedule::batch;

#[cfg(doc)]
use crate::Error;
use crate::engine::backend::Direction;
#[cfg(feature = "hmac")]
use crate::hmac::HmacHash;
use crate::modes::CounterWidth;
#[cfg(feature = "keywrap")]
use crate::modes::key_wrap::Padding;

/// Encrypts the blocks of each packet, as [`encrypt_raw_blocks`](crate::BlockCipher::encrypt_raw_blocks) does.
///
/// Equal blocks give equal blocks, so this is only for protocols that prescribe it. Results: [`Error::PartialBlock`].
pub fn ecb_encrypt(packets: &mut [Packet<'_, CipherKey<'_>>]) {
    batch::process(&modes::EcbBatch(Direction::Encrypt), packets);
}

/// Decrypts the blocks of each packet; the inverse of [`ecb_encrypt`].
pub fn ecb_decrypt(packets: &mut [Packet<'_, CipherKey<'_>>]) {
    batch::process(&modes::EcbBatch(Direction::Decrypt), packets);
}

/// Encrypts each packet as [`Cbc`](crate::modes::Cbc) does.
///
/// ```
/// use abreast::{aes::Aes128, packets::{self, Packet}};
///
/// let keys = [Aes128::new(&[1; 16]), Aes128::new(&[2; 16])];
/// let (ivs, mut messages) = ([[3; 16], [4; 16]], [[5; 32], [6; 32]]);
/// let mut batch: Vec<_> = (keys.iter().zip(&ivs).zip(&mut messages))
///     .map(|((key, iv), message)| Packet::new(key, iv, message.as_mut_slice()))
///     .collect();
/// packets::cbc_encrypt(&mut batch);
/// packets::cbc_decrypt(&mut batch);
/// assert!(batch.iter().all(|packet| packet.result.is_ok()));
/// assert_eq!(messages, [[5; 32], [6; 32]]);
/// ```
///
/// Results: [`Error::IvLength`], [`Error::PartialBlock`], [`Error::MessageTooLong`].
#[cfg(feature = "modes")]
pub fn cbc_encrypt(packets: &mut [Packet<'_, CipherKey<'_>>]) {
    batch::process(&modes::FeedbackBatch::Cbc, packets);
}

/// Decrypts each packet; the inverse of [`cbc_encrypt`].
#[cfg(feature = "modes")]
pub fn cbc_decrypt(packets: &mut [Packet<'_, CipherKey<'_>>]) {
    batch::process(&modes::CbcDecryptBatch, packets);
}

/// Xors the keystream of counter mode into each packet, as [`Ctr`](crate::modes::Ctr) does.
///
/// ```
/// use abreast::{aes::Aes128, modes::CounterWidth, packets::{self, Packet}};
///
/// let keys = [Aes128::new(&[1; 16]), Aes128::new(&[2; 16])];
/// let (mut first, mut second) = (*b"to the first", *b"to the second one");
/// let mut batch = [
///     Packet::new(&keys[0], &[0; 16], first.as_mut_slice()),
///     Packet::new(&keys[1], &[0; 16], second.as_mut_slice()),
/// ];
/// packets::ctr(&mut batch, CounterWidth::Bits32);
/// assert!(batch.iter().all(|packet| packet.result.is_ok()));
/// ```
///
/// Results: [`Error::CounterLength`], [`Error::CounterWidth`], [`Error::CounterExhausted`].
pub fn ctr(packets: &mut [Packet<'_, CipherKey<'_>>], width: CounterWidth) {
    batch::process(&modes::CtrBatch::new(width), packets);
}

/// Xors the keystream of output feedback into each packet, as [`Ofb`](crate::modes::Ofb) does.
///
/// ```
/// use abreast::{packets::{self, Packet}, xtea::Xtea};
///
/// let keys = [Xtea::new(&[1; 16]), Xtea::new(&[2; 16])];
/// let (mut first, mut second) = (*b"to the first", *b"to the second one");
/// let mut batch = [
///     Packet::new(&keys[0], &[0; 8], first.as_mut_slice()),
///     Packet::new(&keys[1], &[0; 8], second.as_mut_slice()),
/// ];
/// packets::ofb(&mut batch);
/// assert!(batch.iter().all(|packet| packet.result.is_ok()));
/// ```
///
/// Results: [`Error::IvLength`].
#[cfg(feature = "modes")]
pub fn ofb(packets: &mut [Packet<'_, CipherKey<'_>>]) {
    batch::process(&modes::FeedbackBatch::Ofb, packets);
}

/// Encrypts each packet as one data unit of [`Xts`](crate::modes::Xts).
///
/// ```
/// use abreast::{aes::Aes256, modes::Xts, packets::{self, Packet}};
///
/// let disk = Xts::new(Aes256::new(&[1; 32]), Aes256::new(&[2; 32]))?;
/// let (numbers, mut sectors) = ([7_u128.to_le_bytes(), 9_u128.to_le_bytes()], [[0; 512]; 2]);
/// let mut batch: Vec<_> = (numbers.iter().zip(&mut sectors))
///     .map(|(number, sector)| Packet::new(&disk, number, sector.as_mut_slice()))
///     .collect();
/// packets::xts_encrypt(&mut batch);
/// packets::xts_decrypt(&mut batch);
/// assert_eq!(sectors, [[0; 512]; 2]);
/// # Ok::<(), abreast::Error>(())
/// ```
///
/// Results: [`Error::IvLength`]; [`Error::UnitLength`], also for an empty packet: a data unit has at
/// least 16 bytes.
#[cfg(feature = "modes")]
pub fn xts_encrypt(packets: &mut [Packet<'_, XtsKey<'_>>]) {
    single::each(packets, |packet| packet.xts(Direction::Encrypt));
}

/// Decrypts each packet; the inverse of [`xts_encrypt`].
#[cfg(feature = "modes")]
pub fn xts_decrypt(packets: &mut [Packet<'_, XtsKey<'_>>]) {
    single::each(packets, |packet| packet.xts(Direction::Decrypt));
}

/// Encrypts each packet as [`Hctr2`](crate::modes::Hctr2) does. Packets that follow each other under one key take less time.
///
/// ```
/// use abreast::{aes::Aes256, modes::Hctr2, packets::{self, Packet}};
///
/// let names = Hctr2::from_cipher(Aes256::new(&[7; 32]));
/// let (mut first, mut second) = (*b"a name of a file", *b"the name of another file");
/// let mut batch = [
///     Packet::new(&names, b"folder 1", first.as_mut_slice()),
///     Packet::new(&names, b"folder 2", second.as_mut_slice()),
/// ];
/// packets::hctr2_encrypt(&mut batch);
/// packets::hctr2_decrypt(&mut batch);
/// assert_eq!(&first, b"a name of a file");
/// ```
///
/// Results: [`Error::MessageTooShort`], [`Error::MessageTooLong`].
#[cfg(feature = "hctr2")]
pub fn hctr2_encrypt(packets: &mut [Packet<'_, Hctr2Key<'_>>]) {
    hctr2::hctr2(Direction::Encrypt, packets);
}

/// Decrypts each packet; the inverse of [`hctr2_encrypt`].
#[cfg(feature = "hctr2")]
pub fn hctr2_decrypt(packets: &mut [Packet<'_, Hctr2Key<'_>>]) {
    hctr2::hctr2(Direction::Decrypt, packets);
}

/// Encrypts each packet and writes its tag, as [`Gcm`](crate::modes::Gcm) does.
///
/// ```
/// use abreast::{Error, aes::Aes128, modes::Gcm, packets::{self, Packet}};
///
/// let keys = [Gcm::from_cipher(Aes128::new(&[1; 16])), Gcm::from_cipher(Aes128::new(&[2; 16]))];
/// let (mut messages, mut tags) = ([*b"to the first", *b"to the other"], [[0; 16]; 2]);
/// let mut batch: Vec<_> = (keys.iter().zip(&mut messages).zip(&mut tags))
///     .map(|((key, message), tag)| Packet::new(key, &[0; 12], message.as_mut_slice()).with_tag(b"header", tag))
///     .collect();
/// packets::gcm_encrypt(&mut batch);
/// batch[1].tag[0] ^= 1;
/// packets::gcm_decrypt(&mut batch);
/// assert_eq!((batch[0].result, batch[1].result), (Ok(()), Err(Error::TagMismatch)));
/// assert_eq!(messages, [*b"to the first", [0; 12]]);
/// ```
///
/// Results: [`Error::NonceLength`], [`Error::TagLength`], [`Error::MessageTooLong`].
pub fn gcm_encrypt(packets: &mut [Packet<'_, GcmKey<'_>>]) {
    gcm::gcm(Direction::Encrypt, packets);
}

/// Decrypts each packet whose tag is right and fills the others with zeros; the inverse of [`gcm_encrypt`].
///
/// Results: the same, and [`Error::TagMismatch`].
pub fn gcm_decrypt(packets: &mut [Packet<'_, GcmKey<'_>>]) {
    gcm::gcm(Direction::Decrypt, packets);
}

/// Encrypts each packet and writes its tag, as [`Eax`](crate::modes::Eax) does.
///
/// ```
/// use abreast::{modes::Eax, packets::{self, Packet}, xtea::Xtea};
///
/// let keys = [Eax::from_cipher(Xtea::new(&[1; 16])), Eax::from_cipher(Xtea::new(&[2; 16]))];
/// let (mut messages, mut tags) = ([*b"to the first", *b"to the other"], [[0; 8]; 2]);
/// let mut batch: Vec<_> = (keys.iter().zip(&mut messages).zip(&mut tags))
///     .map(|((key, message), tag)| Packet::new(key, b"nonce 1", message.as_mut_slice()).with_tag(b"", tag))
///     .collect();
/// packets::eax_encrypt(&mut batch);
/// packets::eax_decrypt(&mut batch);
/// assert!(batch.iter().all(|packet| packet.result.is_ok()));
/// ```
///
/// Results: [`Error::TagLength`].
#[cfg(feature = "modes")]
pub fn eax_encrypt(packets: &mut [Packet<'_, EaxKey<'_>>]) {
    eax::eax(Direction::Encrypt, packets);
}

/// Decrypts each packet whose tag is right and fills the others with zeros; the inverse of [`eax_encrypt`].
///
/// Results: the same, and [`Error::TagMismatch`].
#[cfg(feature = "modes")]
pub fn eax_decrypt(packets: &mut [Packet<'_, EaxKey<'_>>]) {
    eax::eax(Direction::Decrypt, packets);
}

/// Encrypts each packet and writes its tag, as [`Siv`](crate::modes::Siv) does with the associated data as a string, even if
/// it is empty, and after it the nonce as another, unless that is empty.
///
/// ```
/// use abreast::{aes::Aes128, modes::Siv, packets::{self, Packet}};
///
/// let keys = [Siv::<Aes128>::new(&[1; 32])?, Siv::<Aes128>::new(&[2; 32])?];
/// let (mut messages, mut tags) = ([*b"to the first", *b"to the other"], [[0; 16]; 2]);
/// let mut batch: Vec<_> = (keys.iter().zip(&mut messages).zip(&mut tags))
///     .map(|((key, message), tag)| Packet::new(key, &[], message.as_mut_slice()).with_tag(b"header", tag))
///     .collect();
/// packets::siv_encrypt(&mut batch);
/// packets::siv_decrypt(&mut batch);
/// assert!(batch.iter().all(|packet| packet.result.is_ok()));
/// # Ok::<(), abreast::Error>(())
/// ```
///
/// Results: [`Error::TagLength`].
#[cfg(feature = "siv")]
pub fn siv_encrypt(packets: &mut [Packet<'_, SivKey<'_>>]) {
    siv::siv(Direction::Encrypt, packets);
}

/// Decrypts each packet whose tag is right and fills the others with zeros; the inverse of [`siv_encrypt`].
///
/// Results: the same, and [`Error::TagMismatch`].
#[cfg(feature = "siv")]
pub fn siv_decrypt(packets: &mut [Packet<'_, SivKey<'_>>]) {
    siv::siv(Direction::Decrypt, packets);
}

/// Encrypts each packet and writes its tag, as [`GcmSiv`](crate::modes::GcmSiv) does.
///
/// ```
/// use abreast::{modes::GcmSiv, packets::{self, Packet}};
///
/// let keys = [GcmSiv::new(&[1; 32])?, GcmSiv::new(&[2; 32])?];
/// let (mut messages, mut tags) = ([*b"to the first", *b"to the other"], [[0; 16]; 2]);
/// let mut batch: Vec<_> = (keys.iter().zip(&mut messages).zip(&mut tags))
///     .map(|((key, message), tag)| Packet::new(key, &[0; 12], message.as_mut_slice()).with_tag(b"header", tag))
///     .collect();
/// packets::gcm_siv_encrypt(&mut batch);
/// packets::gcm_siv_decrypt(&mut batch);
/// assert!(batch.iter().all(|packet| packet.result.is_ok()));
/// # Ok::<(), abreast::Error>(())
/// ```
///
/// Results: [`Error::NonceLength`], [`Error::TagLength`], [`Error::MessageTooLong`].
#[cfg(feature = "siv")]
pub fn gcm_siv_encrypt(packets: &mut [Packet<'_, GcmSivKey<'_>>]) {
    gcm_siv::batch(Direction::Encrypt, packets);
}

/// Decrypts each packet whose tag is right and fills the others with zeros; the inverse of [`gcm_siv_encrypt`].
///
/// Results: the same, and [`Error::TagMismatch`].
#[cfg(feature = "siv")]
pub fn gcm_siv_decrypt(packets: &mut [Packet<'_, GcmSivKey<'_>>]) {
    gcm_siv::batch(Direction::Decrypt, packets);
}

/// Writes the tag of each packet's associated data, as [`Cmac`](crate::modes::Cmac) does. Buffers are not looked at.
///
/// ```
/// use abreast::{Error, aes::Aes128, modes::Cmac, packets::{self, Packet}};
///
/// let keys = [Cmac::from_cipher(Aes128::new(&[1; 16])), Cmac::from_cipher(Aes128::new(&[2; 16]))];
/// let mut tags = [[0; 16]; 2];
/// let mut batch: Vec<_> = (keys.iter().zip(&mut tags))
///     .map(|(key, tag)| Packet::new(key, &[], &mut [][..]).with_tag(b"open the door", tag))
///     .collect();
/// packets::cmac(&mut batch);
/// batch[1].associated_data = b"open the vault";
/// packets::cmac_verify(&mut batch);
/// assert_eq!((batch[0].result, batch[1].result), (Ok(()), Err(Error::TagMismatch)));
/// ```
///
/// Results: [`Error::TagLength`].
#[cfg(feature = "modes")]
pub fn cmac(packets: &mut [Packet<'_, CmacKey<'_>>]) {
    cmac::cmac(Direction::Encrypt, packets);
}

/// Compares the tag of each packet's associated data, in constant time.
///
/// Results: as for [`cmac`], and [`Error::TagMismatch`].
#[cfg(feature = "modes")]
pub fn cmac_verify(packets: &mut [Packet<'_, CmacKey<'_>>]) {
    cmac::cmac(Direction::Decrypt, packets);
}

/// Writes the tag of each packet's associated data, as [`Hmac`](crate::hmac::Hmac) does. Buffers are not looked at.
///
/// ```
/// use abreast::{hmac::{Hmac, Sha256}, packets::{self, Packet}};
///
/// let keys = Hmac::<Sha256>::many(&[b"one session's key", b"and the other one"]);
/// let mut tags = [[0; 32]; 2];
/// let mut batch: Vec<_> = (keys.iter().zip(&mut tags))
///     .map(|(key, tag)| Packet::new(key, &[], &mut [][..]).with_tag(b"open the door", tag))
///     .collect();
/// packets::hmac(&mut batch);
/// packets::hmac_verify(&mut batch);
/// assert!(batch.iter().all(|packet| packet.result.is_ok()));
/// ```
///
/// Results: [`Error::TagLength`].
#[cfg(feature = "hmac")]
pub fn hmac<H: HmacHash>(packets: &mut [Packet<'_, HmacKey<'_, H>>]) {
    hmac::hmac(Direction::Encrypt, packets);
}

/// Compares the tag of each packet's associated data, in constant time.
///
/// Results: as for [`hmac`](hmac()), and [`Error::TagMismatch`].
#[cfg(feature = "hmac")]
pub fn hmac_verify<H: HmacHash>(packets: &mut [Packet<'_, HmacKey<'_, H>>]) {
    hmac::hmac(Direction::Decrypt, packets);
}

/// Writes the tag of each message, whose parts are hashed one after the other.
///
/// ```
/// use abreast::hmac::{Hmac, Sha1};
/// use abreast::packets::{self, HmacPacket};
///
/// let keys = Hmac::<Sha1>::many(&[b"one session's key", b"and the other one"]);
/// let rollovers = 7_u32.to_be_bytes();
/// let mut tags = [[0; 10]; 2];
/// let mut batch = Vec::new();
/// for (key, tag) in keys.iter().zip(&mut tags) {
///     let parts = [b"header and ciphertext".as_slice(), &rollovers, &[]];
///     batch.push(HmacPacket::new(key.with_tag_len(10)?, parts, tag));
/// }
/// packets::hmac_of_parts(&mut batch);
/// assert!(batch.iter().all(|packet| packet.result.is_ok()));
/// # Ok::<(), abreast::Error>(())
/// ```
///
/// Results: [`Error::TagLength`].
#[cfg(feature = "hmac")]
pub fn hmac_of_parts<H: HmacHash>(packets: &mut [HmacPacket<'_, H>]) {
    hmac::hmac(Direction::Encrypt, packets);
}

/// Compares the tag of each message, in constant time.
///
/// ```
/// use abreast::{Error, hmac::{Hmac, Sha256}, packets::{self, HmacPacket}};
///
/// let key = Hmac::<Sha256>::new(b"a key of a session");
/// let mut tag = [0; 32];
/// key.mac(b"header and ciphertext", &mut tag)?;
/// let mut batch = [HmacPacket::new(&key, [b"header and ", b"ciphertext", b""], &mut tag)];
/// packets::hmac_verify_of_parts(&mut batch);
/// assert_eq!(batch[0].result, Ok(()));
/// # Ok::<(), abreast::Error>(())
/// ```
///
/// Results: as for [`hmac_of_parts`], and [`Error::TagMismatch`].
#[cfg(feature = "hmac")]
pub fn hmac_verify_of_parts<H: HmacHash>(packets: &mut [HmacPacket<'_, H>]) {
    hmac::hmac(Direction::Decrypt, packets);
}

/// Wraps the key of each packet, as [`KeyWrap::wrap`](crate::modes::KeyWrap::wrap) does.
///
/// ```
/// use abreast::{aes::Aes128, packets::{self, WrapPacket}};
///
/// let wrapping = [Aes128::new(&[1; 16]), Aes128::new(&[2; 16])];
/// let mut wrapped = [[0; 40]; 2];
/// let mut batch: Vec<_> = (wrapping.iter().zip(&mut wrapped))
///     .map(|(cipher, wrapped)| WrapPacket::new(cipher, &[7; 32], wrapped))
///     .collect();
/// packets::key_wrap(&mut batch);
/// assert!(batch.iter().all(|packet| packet.result == Ok(40)));
/// ```
///
/// Results: [`Error::WrapLength`], [`Error::BufferLengths`]; [`Error::BlockLength`] for a cipher with blocks of 64 bits.
#[cfg(feature = "keywrap")]
pub fn key_wrap(packets: &mut [WrapPacket<'_>]) {
    key_wrap::key_wrap(Direction::Encrypt, Padding::Without, packets);
}

/// Unwraps each key that is right and fills the other outputs with zeros, as
/// [`KeyWrap::unwrap`](crate::modes::KeyWrap::unwrap) does; the inverse of [`key_wrap`].
///
/// ```
/// use abreast::{aes::Aes128, packets::{self, WrapPacket}};
///
/// let wrapping = Aes128::new(&[1; 16]);
/// let (mut wrapped, mut key) = ([0; 40], [0; 32]);
/// packets::key_wrap(&mut [WrapPacket::new(&wrapping, &[7; 32], &mut wrapped)]);
/// let mut batch = [WrapPacket::new(&wrapping, &wrapped, &mut key)];
/// packets::key_unwrap(&mut batch);
/// assert_eq!((batch[0].result, key), (Ok(32), [7; 32]));
/// ```
///
/// Results: the same, and [`Error::TagMismatch`].
#[cfg(feature = "keywrap")]
pub fn key_unwrap(packets: &mut [WrapPacket<'_>]) {
    key_wrap::key_wrap(Direction::Decrypt, Padding::Without, packets);
}

/// Wraps the key of each packet with padding, as [`KeyWrap::wrap_padded`](crate::modes::KeyWrap::wrap_padded) does.
///
/// ```
/// use abreast::{aes::Aes128, packets::{self, WrapPacket}};
///
/// let wrapping = Aes128::new(&[1; 16]);
/// let (mut wrapped, mut key) = ([0; 32], [0; 24]);
/// packets::key_wrap_padded(&mut [WrapPacket::new(&wrapping, b"twenty-one bytes long", &mut wrapped)]);
/// let mut batch = [WrapPacket::new(&wrapping, &wrapped, &mut key)];
/// packets::key_unwrap_padded(&mut batch);
/// assert_eq!((batch[0].result, &key[..21]), (Ok(21), &b"twenty-one bytes long"[..]));
/// ```
///
/// Results: as for [`key_wrap`].
#[cfg(feature = "keywrap")]
pub fn key_wrap_padded(packets: &mut [WrapPacket<'_>]) {
    key_wrap::key_wrap(Direction::Encrypt, Padding::Zeros, packets);
}

/// Unwraps each key that is right, with its padding, and fills the other outputs with zeros, as
/// [`KeyWrap::unwrap_padded`](crate::modes::KeyWrap::unwrap_padded) does; the inverse of [`key_wrap_padded`]. The result is the
/// number of bytes without the padding.
///
/// Results: as for [`key_wrap`], and [`Error::TagMismatch`].
#[cfg(feature = "keywrap")]
pub fn key_unwrap_padded(packets: &mut [WrapPacket<'_>]) {
    key_wrap::key_wrap(Direction::Decrypt, Padding::Zeros, packets);
}

/// Encrypts each packet and writes its tag, as [`Aez`](crate::aez::Aez) does with one string of associated data, or with
/// none if it is empty.
///
/// ```
/// use abreast::{aez::Aez, packets::{self, Packet}};
///
/// let keys = [Aez::new(b"one player's key"), Aez::new(b"the other's key")];
/// let (mut messages, mut tags) = ([*b"to the first", *b"to the other"], [[0; 16]; 2]);
/// let mut batch: Vec<_> = (keys.iter().zip(&mut messages).zip(&mut tags))
///     .map(|((key, message), tag)| Packet::new(key, b"nonce 1", message.as_mut_slice()).with_tag(b"", tag))
///     .collect();
/// packets::aez_encrypt(&mut batch);
/// packets::aez_decrypt(&mut batch);
/// assert!(batch.iter().all(|packet| packet.result.is_ok()));
/// ```
///
/// Results: [`Error::TagLength`].
#[cfg(feature = "aez")]
pub fn aez_encrypt(packets: &mut [Packet<'_, AezKey<'_>>]) {
    aez::batch(Direction::Encrypt, packets);
}

/// Decrypts each packet whose tag is right and fills the others with zeros; the inverse of [`aez_encrypt`].
///
/// Results: the same, and [`Error::TagMismatch`].
#[cfg(feature = "aez")]
pub fn aez_decrypt(packets: &mut [Packet<'_, AezKey<'_>>]) {
    aez::batch(Direction::Decrypt, packets);
}
