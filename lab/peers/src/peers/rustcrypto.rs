//! RustCrypto: ciphers and modes of a crate each.

use aes::{Aes128, Aes256};
use aes_gcm::AesGcm;
use aes_gcm_siv::AesGcmSiv;
use aes_kw::AesKw;
use cipher::consts::{U12, U16};
use cipher::{
    Array, Block, BlockCipherDecrypt, BlockCipherEncrypt, BlockModeDecrypt, BlockModeEncrypt, BlockSizeUser,
    InnerIvInit, KeyInit, StreamCipher, StreamCipherCoreWrapper,
};
use cmac::{Cmac, Mac};
use ctr::CtrCore;
use eax::Eax;
use eax::aead::AeadInOut;
use hmac::Hmac;
use rc4::Rc4;
use serpent::Serpent;
use sha1::Sha1;
use sha2::Sha256;
use xtea::Xtea;
use xts_mode::Xts128;

use crate::job::{Job, Message};
use crate::peer::{Peer, Work, work};
use crate::rows::{Cipher, Mode};

/// The crates of RustCrypto, and `xts-mode`, which is made for them.
pub(super) struct RustCrypto;

impl Peer for RustCrypto {
    fn name(&self) -> &'static str {
        "RustCrypto"
    }

    fn version(&self) -> String {
        const CRATES: [&str; 13] = [
            "aes",
            "aes-gcm",
            "aes-gcm-siv",
            "aes-kw",
            "cbc",
            "cmac",
            "ctr",
            "eax",
            "hmac",
            "rc4",
            "serpent",
            "xtea",
            "xts-mode",
        ];
        CRATES.map(|name| format!("{name} {}", super::locked(name))).join(", ")
    }

    fn open(&self, job: &mut Job) -> Option<Work> {
        match job.row.cipher {
            Cipher::Aes128 => tagged::<Aes128>(job).or_else(|| untagged::<Aes128>(job)),
            Cipher::Aes256 => tagged::<Aes256>(job).or_else(|| untagged::<Aes256>(job)),
            Cipher::Serpent256 => untagged::<Serpent>(job),
            Cipher::Xtea => match job.row.mode {
                Mode::Ecb => Some(work(job, key::<Xtea>, ecb)),
                Mode::Ctr => Some(work(job, key::<Xtea>, |xtea, message| {
                    let first = message.iv[8..].try_into().expect("a block");
                    let core = CtrCore::<&Xtea, ctr::flavors::Ctr64BE>::inner_iv_init(&*xtea, first);
                    StreamCipherCoreWrapper::from_core(core).apply_keystream(message.text);
                })),
                _ => None,
            },
            Cipher::Rc4 => Some(work(job, key::<Rc4>, |rc4, message| rc4.apply_keystream(message.text))),
            Cipher::HmacSha1 => Some(work(job, key::<Hmac<Sha1>>, mac::<_, 12>)),
            Cipher::HmacSha256 => Some(work(job, key::<Hmac<Sha256>>, mac::<_, 16>)),
            Cipher::Aez | Cipher::Cgo => None,
        }
    }
}

/// A key.
fn key<K: KeyInit>(key: &[u8]) -> K {
    K::new_from_slice(key).expect("a key of this length")
}

/// The blocks of a message.
#[inline(always)]
fn blocks<C: BlockSizeUser>(text: &mut [u8]) -> &mut [Block<C>] {
    Array::slice_as_chunks_mut(text).0
}

/// Encrypts blocks, each by itself.
#[inline(always)]
fn ecb<C: BlockCipherEncrypt>(cipher: &mut C, message: Message<'_>) {
    cipher.encrypt_blocks(blocks::<C>(message.text));
}

/// Modes without tags of a cipher with blocks of 128 bits.
fn untagged<C>(job: &Job) -> Option<Work>
where
    C: BlockCipherEncrypt + BlockCipherDecrypt + BlockSizeUser<BlockSize = U16> + KeyInit + 'static,
{
    Some(match job.row.mode {
        Mode::Ecb => work(job, key::<C>, ecb),
        Mode::Ctr => work(job, key::<C>, |cipher, message| {
            let core = CtrCore::<&C, ctr::flavors::Ctr32BE>::inner_iv_init(&*cipher, message.iv.into());
            StreamCipherCoreWrapper::from_core(core).apply_keystream(message.text);
        }),
        Mode::CbcEncrypt => work(job, key::<C>, |cipher, message| {
            let mut chain = cbc::Encryptor::<&C>::inner_iv_init(&*cipher, message.iv.into());
            chain.encrypt_blocks(blocks::<C>(message.text));
        }),
        Mode::CbcDecrypt => work(job, key::<C>, |cipher, message| {
            let mut chain = cbc::Decryptor::<&C>::inner_iv_init(&*cipher, message.iv.into());
            chain.decrypt_blocks(blocks::<C>(message.text));
        }),
        Mode::Xts => {
            let make = |keys: &[u8]| {
                let (data, tweak) = keys.split_at(keys.len() / 2);
                Xts128::<C>::new(key(data), key(tweak))
            };
            work(job, make, |xts, message| xts.encrypt_sector(message.text, Array(*message.iv)))
        }
        _ => return None,
    })
}

/// Modes with tags.
fn tagged<C>(job: &Job) -> Option<Work>
where
    C: BlockCipherEncrypt + BlockSizeUser<BlockSize = U16> + KeyInit + Clone + 'static,
{
    Some(match job.row.mode {
        Mode::Gcm => work(job, key::<AesGcm<C, U12>>, |gcm, message| {
            let nonce = message.iv[..12].try_into().expect("12 bytes");
            let tag = gcm.encrypt_inout_detached(nonce, message.associated_data, message.text.into());
            *message.tag = tag.expect("a message").into();
        }),
        Mode::Eax => work(job, key::<Eax<C>>, |eax, message| {
            let nonce = message.iv.into();
            let tag = eax.encrypt_inout_detached(nonce, message.associated_data, message.text.into());
            *message.tag = tag.expect("a message").into();
        }),
        Mode::GcmSiv => work(job, key::<AesGcmSiv<C>>, |gcm_siv, message| {
            let nonce = message.iv[..12].try_into().expect("12 bytes");
            let tag = gcm_siv.encrypt_inout_detached(nonce, message.associated_data, message.text.into());
            *message.tag = tag.expect("a message").into();
        }),
        Mode::KeyWrap => work(job, key::<AesKw<C>>, |wrapping, message| {
            let (input, output) = message.key_and_wrapped();
            wrapping.wrap_key(input, output).expect("8 bytes more");
        }),
        Mode::Cmac => work(job, key::<Cmac<C>>, mac::<_, 16>),
        _ => return None,
    })
}

/// Writes the first `TAG` bytes of a message's tag.
fn mac<M: Mac + Clone, const TAG: usize>(key: &mut M, message: Message<'_>) {
    let mut mac = key.clone();
    mac.update(message.text);
    message.tag[..TAG].copy_from_slice(&mac.finalize().into_bytes()[..TAG]);
}
