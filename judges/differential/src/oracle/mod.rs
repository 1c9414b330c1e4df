//! The judges: implementations that share no code with abreast.
//!
//! RustCrypto's ciphers and modes, zears for AEZ, arc4 for RC4, and the slow reference of this workspace for XTEA with
//! a number of cycles other than 32. Three modes are put together here from RustCrypto's CMAC and counter mode: counters of
//! 16 bits, which it does not have, and EAX and SIV where its types do not take the key or the nonce. HCTR2 is put together from
//! its POLYVAL and its ciphers.

mod nonce;
mod small;

use aead::AeadInOut;
use aes_gcm::AesGcm;
use aes_gcm_siv::AesGcmSiv;
use cipher::array::{Array, ArraySize};
use cipher::consts::{U1, U8, U12, U13, U16, U31, U60, U128};
use cipher::{
    BlockCipherDecrypt, BlockCipherEncrypt, BlockModeEncrypt, BlockSizeUser, InnerIvInit, KeyInit,
    StreamCipherCore,
};
use cmac::Mac as _;
use cmac::digest::InnerInit;
use ctr::{CtrCore, flavors};
use hmac::Hmac;
pub use nonce::nonce_for;
use polyval::Polyval;
use polyval::universal_hash::UniversalHash;
use small::Small;

use crate::subject::{Kind, Mode};
use abreast::xtea::ByteOrder;

/// The lengths of GCM's nonces, which are part of RustCrypto's type.
pub const GCM_NONCES: [usize; 8] = [1, 8, 12, 13, 16, 31, 60, 128];

/// A message, and all that belongs to it.
#[derive(Debug)]
pub struct Question<'a> {
    /// The cipher.
    pub kind: Kind,
    /// The mode.
    pub mode: Mode,
    /// The key.
    pub key: &'a [u8],
    /// The second key, of XTS.
    pub tweak_key: &'a [u8],
    /// Initialisation vector, nonce, counter block or number.
    pub iv: &'a [u8],
    /// Strings of associated data; of CMAC the message.
    pub strings: &'a [&'a [u8]],
    /// The message.
    pub plain: &'a [u8],
    /// Bytes of the tag, for AEZ.
    pub tag_len: usize,
    /// Bytes of a data unit, for XTS.
    pub unit: usize,
    /// Bytes of keystream that are left out, for RC4.
    pub skip: usize,
}

/// A ciphertext and its tag at full length.
#[derive(Debug, Default)]
pub struct Answer {
    /// The ciphertext.
    pub text: Vec<u8>,
    /// The tag.
    pub tag: Vec<u8>,
}

/// Returns the ciphertext and the tag that a mode makes of a message.
///
/// # Panics
/// If the mode is not defined for the cipher, or does not take the parameters of the question.
#[must_use]
pub fn answer(question: &Question<'_>) -> Answer {
    let key = question.key;
    match question.kind {
        Kind::Aes(16) if question.mode == Mode::GcmSiv => gcm_siv::<aes::Aes128>(question),
        Kind::Aes(_) if question.mode == Mode::GcmSiv => gcm_siv::<aes::Aes256>(question),
        Kind::Aes(16) => of_16::<aes::Aes128>(question),
        Kind::Aes(24) => of_16::<aes::Aes192>(question),
        Kind::Aes(_) => of_16::<aes::Aes256>(question),
        Kind::Serpent(_) => of_16::<serpent::Serpent>(question),
        Kind::Xtea(order, cycles) => of_8(Small::new(key, order == ByteOrder::BigEndian, cycles), question),
        Kind::Aez => {
            let tag_len = question.tag_len;
            let aez = zears::Aez::new(key);
            let mut text = aez.encrypt(question.iv, question.strings, tag_len as u32, question.plain);
            let tag =
                if question.mode == Mode::Aez { text.split_off(text.len() - tag_len) } else { Vec::new() };
            Answer { text, tag }
        }
        Kind::Sha1 => {
            Answer { text: Vec::new(), tag: hmac(Hmac::<sha1::Sha1>::new_from_slice(key), question) }
        }
        Kind::Sha256 => {
            Answer { text: Vec::new(), tag: hmac(Hmac::<sha2::Sha256>::new_from_slice(key), question) }
        }
        Kind::Rc4 => {
            let mut stream = vec![0; question.skip];
            stream.extend_from_slice(question.plain);
            arc4::Arc4::with_key(key).encrypt(&mut stream);
            Answer { text: stream.split_off(question.skip), tag: Vec::new() }
        }
    }
}

/// The full tag of HMAC under a key, which may have any length.
fn hmac<M: cmac::Mac, E: std::fmt::Debug>(key: Result<M, E>, question: &Question<'_>) -> Vec<u8> {
    key.expect("any length").chain_update(question.strings[0]).finalize().into_bytes().to_vec()
}

fn stream<C, S: InnerIvInit<Inner = C> + StreamCipherCore>(cipher: C, iv: &[u8], data: &mut [u8]) {
    S::inner_iv_slice_init(cipher, iv).expect("a block").apply_keystream_partial(data.into());
}

fn segments<C, M: InnerIvInit<Inner = C> + BlockModeEncrypt>(cipher: C, iv: &[u8], data: &mut [u8]) {
    let (segments, []) = Array::slice_as_chunks_mut(data) else { panic!("whole segments") };
    M::inner_iv_slice_init(cipher, iv).expect("a block").encrypt_blocks(segments);
}

/// The modes for blocks of any size: a macro, since the bounds of RustCrypto's modes name the size.
macro_rules! of_any {
    ($cipher:ty, $value:expr, $question:expr) => {{
        let (cipher, question): ($cipher, &Question<'_>) = ($value, $question);
        let Question { mode, iv, .. } = *question;
        let mut text = question.plain.to_vec();
        let data = text.as_mut_slice();
        let mut tag = Vec::new();
        match mode {
            Mode::Ecb | Mode::TryKeys => cipher.encrypt_blocks(Array::slice_as_chunks_mut(data).0),
            Mode::Cbc => segments::<$cipher, cbc::Encryptor<$cipher>>(cipher, iv, data),
            Mode::Cfb => {
                let cfb = cfb_mode::BufEncryptor::<$cipher>::inner_iv_slice_init(cipher, iv);
                cfb.expect("a block").encrypt(data);
            }
            Mode::Cfb8 => segments::<$cipher, cfb8::Encryptor<$cipher>>(cipher, iv, data),
            Mode::Ofb => stream::<$cipher, ofb::OfbCore<$cipher>>(cipher, iv, data),
            Mode::Ctr16 => ctr_16(&cipher, iv, data),
            Mode::Ctr32 => stream::<$cipher, CtrCore<$cipher, flavors::Ctr32BE>>(cipher, iv, data),
            Mode::Ctr64 => stream::<$cipher, CtrCore<$cipher, flavors::Ctr64BE>>(cipher, iv, data),
            Mode::Cmac => tag = mac(&cipher, &[question.strings[0]]),
            Mode::Eax => tag = eax(&cipher, iv, question.strings[0], data),
            _ => panic!("{mode:?} is not defined for this cipher"),
        }
        Answer { text, tag }
    }};
}

fn of_8(cipher: Small, question: &Question<'_>) -> Answer {
    of_any!(Small, cipher, question)
}

/// EAX (Bellare, Rogaway and Wagner, 2004) from its parts: OMAC^t is the CMAC of a message that follows the
/// number t, which is one block.
fn eax<C: cmac::block_api::CmacCipher + Clone>(
    cipher: &C,
    nonce: &[u8],
    header: &[u8],
    data: &mut [u8],
) -> Vec<u8> {
    let omac = |t: u8, message: &[u8]| {
        let mut block = vec![0; C::block_size()];
        *block.last_mut().expect("a block") = t;
        mac(cipher, &[&block, message])
    };
    let nonce = omac(0, nonce);
    ctr_whole(cipher, &nonce, data);
    nonce.iter().zip(omac(1, header)).zip(omac(2, data)).map(|((a, b), c)| a ^ b ^ c).collect()
}

/// S2V (RFC 5297, section 2.4) from CMAC.
fn s2v<C>(cipher: &C, strings: &[&[u8]], text: &[u8]) -> [u8; 16]
where
    C: cmac::block_api::CmacCipher + Clone,
{
    let number = |bytes: Vec<u8>| u128::from_be_bytes(bytes.try_into().expect("a block"));
    let double = |number: u128| (number << 1) ^ ((number >> 127) * 0x87);
    let mut sum = number(mac(cipher, &[&[0; 16]]));
    for string in strings {
        sum = double(sum) ^ number(mac(cipher, &[string]));
    }
    let end = if let Some(head) = text.len().checked_sub(16) {
        let (head, last) = text.split_at(head);
        let last = (number(last.to_vec()) ^ sum).to_be_bytes();
        mac(cipher, &[head, &last])
    } else {
        let mut padded = [0; 16];
        padded[..text.len()].copy_from_slice(text);
        padded[text.len()] = 0x80;
        mac(cipher, &[&(double(sum) ^ u128::from_be_bytes(padded)).to_be_bytes()])
    };
    end.try_into().expect("a block")
}

/// HCTR2 (eprint 2021/1441, section 2.4) from POLYVAL, forward.
fn hctr2<C>(cipher: &C, tweak: &[u8], text: &mut [u8])
where
    C: BlockCipherEncrypt + BlockSizeUser<BlockSize = U16>,
{
    let encrypted = |number: u128| {
        let mut block = Array(number.to_le_bytes());
        cipher.encrypt_block(&mut block);
        u128::from_le_bytes(block.0)
    };
    let hash_key = Array(encrypted(0).to_le_bytes());
    let hash = |text: &[u8]| {
        let mut hash = Polyval::new(&hash_key);
        let ragged = !text.len().is_multiple_of(16);
        let lengths = 16 * tweak.len() as u128 + 2 + u128::from(ragged);
        hash.update_padded(&lengths.to_le_bytes());
        hash.update_padded(tweak);
        hash.update_padded(&[text, &[1][..usize::from(ragged)]].concat());
        u128::from_le_bytes(hash.finalize().into())
    };
    let (first, rest) = text.split_first_chunk_mut().expect("a block or more");
    let input = u128::from_le_bytes(*first) ^ hash(rest);
    let output = encrypted(input);
    let mask = input ^ output ^ encrypted(1);
    for (number, part) in (1..).zip(rest.chunks_mut(16)) {
        let stream = encrypted(mask ^ number).to_le_bytes();
        part.iter_mut().zip(stream).for_each(|(byte, stream)| *byte ^= stream);
    }
    *first = (output ^ hash(rest)).to_le_bytes();
}

/// AES-GCM-SIV.
fn gcm_siv<C>(question: &Question<'_>) -> Answer
where
    AesGcmSiv<C>: KeyInit + AeadInOut<NonceSize = U12>,
    C: BlockSizeUser<BlockSize = U16> + BlockCipherEncrypt + KeyInit,
{
    let siv = AesGcmSiv::<C>::new_from_slice(question.key).expect("a key of the cipher");
    let nonce = question.iv.try_into().expect("12 bytes");
    let mut text = question.plain.to_vec();
    let tag = siv.encrypt_inout_detached(nonce, question.strings[0], text.as_mut_slice().into());
    let tag = tag.expect("a short message").to_vec();
    Answer { text, tag }
}

/// The CMAC of several parts of one message.
fn mac<C: cmac::block_api::CmacCipher + Clone>(cipher: &C, parts: &[&[u8]]) -> Vec<u8> {
    let mut mac = cmac::Cmac::<C>::inner_init(cipher.clone());
    parts.iter().for_each(|part| mac.update(part));
    mac.finalize().into_bytes().to_vec()
}

/// Counter mode in which the last 16 bits count.
fn ctr_16<C: BlockCipherEncrypt>(cipher: &C, iv: &[u8], data: &mut [u8]) {
    let (head, low) = iv.split_at(iv.len() - 2);
    let first = u16::from_be_bytes(low.try_into().expect("two bytes"));
    xor_counters(cipher, data, |n, block| {
        block[..head.len()].copy_from_slice(head);
        block[head.len()..].copy_from_slice(&first.wrapping_add(n as u16).to_be_bytes());
    });
}

/// Counter mode in which the whole block counts.
fn ctr_whole<C: BlockCipherEncrypt>(cipher: &C, iv: &[u8], data: &mut [u8]) {
    let mut first = [0; 16];
    first[16 - iv.len()..].copy_from_slice(iv);
    let first = u128::from_be_bytes(first);
    xor_counters(cipher, data, |n, block| {
        let counter = first.wrapping_add(n as u128).to_be_bytes();
        block.copy_from_slice(&counter[16 - block.len()..]);
    });
}

fn xor_counters<C: BlockCipherEncrypt>(cipher: &C, data: &mut [u8], counter: impl Fn(usize, &mut [u8])) {
    let mut blocks = vec![Array::default(); data.len().div_ceil(C::block_size())];
    blocks.iter_mut().enumerate().for_each(|(n, block)| counter(n, block));
    cipher.encrypt_blocks(&mut blocks);
    for (part, block) in data.chunks_mut(C::block_size()).zip(&blocks) {
        part.iter_mut().zip(block).for_each(|(byte, key)| *byte ^= key);
    }
}

/// The modes for blocks of 16 bytes, and with them the others.
fn of_16<C>(question: &Question<'_>) -> Answer
where
    C: KeyInit + BlockCipherEncrypt + BlockCipherDecrypt + BlockSizeUser<BlockSize = U16> + Clone,
{
    let Question { mode, key, iv, .. } = *question;
    let cipher = C::new_from_slice(key).expect("a key of the cipher");
    let mut text = question.plain.to_vec();
    match mode {
        Mode::Ctr128 => stream::<C, CtrCore<C, flavors::Ctr128BE>>(cipher, iv, &mut text),
        Mode::Xts | Mode::XtsUnits => {
            let number = u128::from_le_bytes(iv.try_into().expect("16 bytes"));
            let tweak = C::new_from_slice(question.tweak_key).expect("a key of the cipher");
            let xts = xts_mode::Xts128::new(cipher, tweak);
            let unit = if mode == Mode::Xts { text.len() } else { question.unit };
            if !text.is_empty() {
                xts.encrypt_area(&mut text, unit, 0, |n| Array(number.wrapping_add(n).to_le_bytes()));
            }
        }
        Mode::Gcm => {
            let (nonce, aad) = (iv, question.strings[0]);
            let tag = match nonce.len() {
                1 => gcm::<C, U1>(cipher, nonce, aad, &mut text),
                8 => gcm::<C, U8>(cipher, nonce, aad, &mut text),
                12 => gcm::<C, U12>(cipher, nonce, aad, &mut text),
                13 => gcm::<C, U13>(cipher, nonce, aad, &mut text),
                16 => gcm::<C, U16>(cipher, nonce, aad, &mut text),
                31 => gcm::<C, U31>(cipher, nonce, aad, &mut text),
                60 => gcm::<C, U60>(cipher, nonce, aad, &mut text),
                128 => gcm::<C, U128>(cipher, nonce, aad, &mut text),
                other => panic!("{other} is not among the lengths of nonces"),
            };
            return Answer { text, tag };
        }
        Mode::Hctr2 => {
            hctr2(&cipher, iv, &mut text);
            return Answer { text, tag: Vec::new() };
        }
        Mode::Siv => {
            let text_cipher = C::new_from_slice(question.tweak_key).expect("a key of the cipher");
            let strings = if iv.is_empty() { &[question.strings[0]][..] } else { &[question.strings[0], iv] };
            let tag = s2v(&cipher, strings, &text);
            let mut first = tag;
            first[8] &= 0x7f;
            first[12] &= 0x7f;
            stream::<C, CtrCore<C, flavors::Ctr128BE>>(text_cipher, &first, &mut text);
            return Answer { text, tag: tag.to_vec() };
        }
        Mode::Eax if iv.len() == 16 => {
            // RustCrypto's type takes keys of one length.
            let Ok(eax) = eax::Eax::<C>::new_from_slice(key) else { return of_any!(C, cipher, question) };
            let nonce = iv.try_into().expect("16 bytes");
            let tag = eax.encrypt_inout_detached(nonce, question.strings[0], text.as_mut_slice().into());
            return Answer { text, tag: tag.expect("a short message").to_vec() };
        }
        _ => return of_any!(C, cipher, question),
    }
    Answer { text, tag: Vec::new() }
}

fn gcm<C, N: ArraySize>(cipher: C, nonce: &[u8], aad: &[u8], text: &mut [u8]) -> Vec<u8>
where
    C: BlockCipherEncrypt + BlockSizeUser<BlockSize = U16>,
{
    let nonce = nonce.try_into().expect("as long as the type says");
    let tag = AesGcm::<C, N>::from(cipher).encrypt_inout_detached(nonce, aad, text.into());
    tag.expect("a short message").to_vec()
}
