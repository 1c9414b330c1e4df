//! abreast, called from Rust.

use abreast::aes::{Aes128, Aes256};
use abreast::aez::Aez;
use abreast::modes::{Cbc, Cmac, CounterWidth, Ctr, Eax, Gcm, GcmSiv, Hctr2, Xts};
use abreast::rc4::Rc4;
use abreast::serpent::Serpent;
use abreast::xtea::Xtea;
use abreast::{BlockCipher as _, BlockCipher128};

use crate::job::{Job, Message};
use crate::peer::{Peer, Work, work};
use crate::rows::{Cipher, Mode, Task};

/// The library through its public interface.
pub(super) struct Abreast;

impl Peer for Abreast {
    fn name(&self) -> &'static str {
        "abreast"
    }

    fn version(&self) -> String {
        super::locked("abreast")
    }

    fn open(&self, job: &mut Job) -> Option<Work> {
        if job.row.task == Task::Packets {
            return super::abreast_batches::open(job);
        }
        match job.row.cipher {
            Cipher::Aes128 => of_128(job, |key| Aes128::new(key.try_into().expect("16 bytes"))),
            Cipher::Aes256 => of_128(job, |key| Aes256::new(key.try_into().expect("32 bytes"))),
            Cipher::Serpent256 => of_128(job, |key| Serpent::new(key).expect("32 bytes")),
            Cipher::Xtea => of_xtea(job),
            Cipher::Rc4 => {
                let make = |key: &[u8]| Rc4::new(key).expect("16 bytes");
                Some(work(job, make, |rc4, message| rc4.apply(message.text)))
            }
            Cipher::Aez => Some(work(job, Aez::new, |aez, message| {
                let Message { iv, associated_data, text, tag } = message.with_tag_after();
                aez.encrypt_detached(iv, &[associated_data], text, tag).expect("a message");
            })),
            Cipher::HmacSha1 | Cipher::HmacSha256 | Cipher::Cgo => None,
        }
    }
}

/// A mode of a cipher with blocks of 128 bits.
fn of_128<C: BlockCipher128 + 'static>(job: &Job, make: fn(&[u8]) -> C) -> Option<Work> {
    Some(match job.row.mode {
        Mode::Ecb => work(job, make, |cipher, message| {
            cipher.encrypt_raw_blocks(message.text.into()).expect("whole blocks");
        }),
        Mode::Ctr => work(job, make, |cipher, message| {
            let mut stream = Ctr::from_block(&*cipher, message.iv, CounterWidth::Bits32);
            stream.apply(message.text).expect("not that many blocks");
        }),
        Mode::CbcEncrypt => work(job, make, |cipher, message| {
            let mut stream = Cbc::from_cipher(&*cipher, message.iv).expect("a block");
            stream.encrypt(message.text).expect("whole blocks");
        }),
        Mode::CbcDecrypt => work(job, make, |cipher, message| {
            let mut stream = Cbc::from_cipher(&*cipher, message.iv).expect("a block");
            stream.decrypt(message.text).expect("whole blocks");
        }),
        Mode::Xts => {
            let make = move |keys: &[u8]| {
                let (data, tweak) = keys.split_at(keys.len() / 2);
                Xts::new(make(data), make(tweak)).expect("two keys")
            };
            work(job, make, |xts, message| {
                let (unit, len) = (u128::from_le_bytes(*message.iv), message.text.len());
                xts.encrypt_units(unit, len, message.text).expect("a unit");
            })
        }
        Mode::Gcm => work(
            job,
            move |key| Gcm::from_cipher(make(key)),
            |gcm, message| {
                let Message { iv, associated_data, text, tag } = message;
                gcm.encrypt_detached(&iv[..12], associated_data, text, tag).expect("a message");
            },
        ),
        Mode::Eax => work(
            job,
            move |key| Eax::from_cipher(make(key)),
            |eax, message| {
                let Message { iv, associated_data, text, tag } = message;
                eax.encrypt_detached(iv, associated_data, text, tag).expect("a tag");
            },
        ),
        Mode::Cmac => work(
            job,
            move |key| Cmac::from_cipher(make(key)),
            |cmac, message| {
                cmac.mac(message.text, message.tag).expect("a tag");
            },
        ),
        Mode::GcmSiv => {
            let make = |key: &[u8]| GcmSiv::new(key).expect("16 or 32 bytes");
            work(job, make, |gcm_siv, message| {
                let Message { iv, associated_data, text, tag } = message;
                gcm_siv.encrypt_detached(&iv[..12], associated_data, text, tag).expect("a message");
            })
        }
        Mode::Hctr2 => work(
            job,
            move |key| Hctr2::from_cipher(make(key)),
            |hctr2, message| hctr2.encrypt(message.iv, message.text).expect("a block or more"),
        ),
        Mode::KeyWrap | Mode::Srtp | Mode::EspCbc | Mode::Forward | Mode::Originate | Mode::Itself => {
            return None;
        }
    })
}

/// A mode of XTEA, whose blocks have 64 bits.
fn of_xtea(job: &Job) -> Option<Work> {
    let make = |key: &[u8]| Xtea::new(key.try_into().expect("16 bytes"));
    Some(match job.row.mode {
        Mode::Ecb => work(job, make, |xtea, message| {
            xtea.encrypt_raw_blocks(message.text.into()).expect("whole blocks");
        }),
        Mode::Ctr => work(job, make, |xtea, message| {
            let stream = Ctr::from_cipher(&*xtea, &message.iv[8..], CounterWidth::Bits64);
            stream.expect("a block").apply(message.text).expect("not that many blocks");
        }),
        _ => return None,
    })
}
