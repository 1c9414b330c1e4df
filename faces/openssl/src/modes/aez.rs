//! AEZ: a message and its tag as one block of any length, so that a message comes in one piece. Strings of associated data
//! come before it, one in a piece.

use std::sync::Arc;

use abreast::InOutBuf;
use abreast::aez::Aez;
use abreast::modes::Direction;
use zeroize::Zeroizing;

use super::aead::MOST_NONCE;
use crate::buffers::Buffers;
use crate::context::{About, CipherMode};
use crate::core::{Param, data_type, evp_mode, name};
use crate::fault::Fault;
use crate::keys::Shared;

/// Bytes of a key that is taken as it is. Others are hashed.
const KEY: usize = 48;
/// Bytes of a key at most, far beyond use.
const MOST_KEY: u64 = 1024;
const NONCE: usize = 16;
/// Bytes of a tag at most, as the library has room for.
const MOST_TAG: usize = 32;

/// AEZ with what a context keeps.
#[derive(Clone)]
pub(crate) struct InAez {
    key: Option<Shared<Aez>>,
    key_len: usize,
    direction: Direction,
    nonce: [u8; MOST_NONCE],
    nonce_len: usize,
    /// True while the nonce is good for a message, and if there ever was one.
    has_nonce: bool,
    had_nonce: bool,
    strings: Vec<Zeroizing<Vec<u8>>>,
    tag: [u8; MOST_TAG],
    tag_len: usize,
    has_tag: bool,
}

impl InAez {
    /// Encrypts or decrypts the message.
    fn message(&mut self, io: InOutBuf<'_, '_, u8>) -> Result<(), Fault> {
        let key = self.key.as_ref().ok_or(Fault::NoKey)?.with_tag_len(self.tag_len)?;
        // The nonce is used up, so that a second piece is not taken for a message of its own.
        if !std::mem::take(&mut self.has_nonce) {
            return Err(Fault::OneUpdate);
        }
        let strings: Vec<&[u8]> = self.strings.iter().map(|string| string.as_slice()).collect();
        let (nonce, tag) = (&self.nonce[..self.nonce_len], &mut self.tag[..self.tag_len]);
        if self.direction == Direction::Encrypt {
            key.encrypt_detached(nonce, &strings, io, tag)?;
            self.has_tag = true;
        } else if std::mem::take(&mut self.has_tag) {
            key.decrypt_detached(nonce, &strings, io, tag)?;
        } else {
            return Err(Fault::NoTag);
        }
        self.strings.clear();
        Ok(())
    }
}

impl CipherMode for InAez {
    const ABOUT: About = About {
        cipher: "aez",
        mode: "v5",
        number: evp_mode::OTHER,
        key_len: KEY,
        iv_len: NONCE,
        block: 1,
        aead: true,
        custom_iv: true,
    };
    const ANSWERS: &'static [Param] = &[
        Param::described(name::KEYLEN, data_type::UNSIGNED_INTEGER),
        Param::described(name::IVLEN, data_type::UNSIGNED_INTEGER),
        Param::described(name::TAGLEN, data_type::UNSIGNED_INTEGER),
        Param::described(name::IV, data_type::OCTET_STRING),
        Param::described(name::UPDATED_IV, data_type::OCTET_STRING),
        Param::described(name::TAG, data_type::OCTET_STRING),
        Param::END,
    ];
    const TAKES: &'static [Param] = &[
        Param::described(name::KEYLEN, data_type::UNSIGNED_INTEGER),
        Param::described(name::IVLEN, data_type::UNSIGNED_INTEGER),
        Param::described(name::TAG, data_type::OCTET_STRING),
        Param::END,
    ];

    fn new() -> Self {
        Self {
            key: None,
            key_len: KEY,
            direction: Direction::Decrypt,
            nonce: [0; MOST_NONCE],
            nonce_len: NONCE,
            has_nonce: false,
            had_nonce: false,
            strings: Vec::new(),
            tag: [0; MOST_TAG],
            tag_len: 16,
            has_tag: false,
        }
    }

    fn begin(&mut self, direction: Direction, key: Option<&[u8]>, iv: Option<&[u8]>) -> Result<(), Fault> {
        self.direction = direction;
        self.strings.clear();
        if let Some(iv) = iv {
            self.nonce.get_mut(..iv.len()).ok_or(Fault::IvLength)?.copy_from_slice(iv);
            self.nonce_len = iv.len();
            self.has_nonce = true;
            self.had_nonce = true;
        }
        if let Some(key) = key {
            if key.len() != self.key_len {
                return Err(Fault::KeyLength);
            }
            self.key = Some(Arc::new(Box::new(Aez::new(key))));
        }
        Ok(())
    }

    fn update(&mut self, buffers: &mut Buffers) -> Result<usize, Fault> {
        if !buffers.has_output() {
            self.strings.push(Zeroizing::new(buffers.input().to_vec()));
            return Ok(buffers.len());
        }
        // An empty piece is none: an empty message is one that ends without a piece.
        if buffers.len() == 0 {
            return Ok(0);
        }
        buffers.in_out(|io| self.message(io))?;
        Ok(buffers.len())
    }

    /// The tag was written or compared with the message, unless that is empty.
    fn finish(&mut self, _: &mut Buffers) -> Result<usize, Fault> {
        if !self.had_nonce {
            return Err(Fault::NoIv);
        }
        if self.has_nonce {
            self.message((&mut [][..]).into())?;
        }
        Ok(0)
    }

    fn get(&mut self, param: &mut Param) -> Result<(), Fault> {
        match param.name() {
            it if it == name::TAGLEN => param.put_number(self.tag_len as u64),
            it if it == name::IV || it == name::UPDATED_IV => {
                if !self.had_nonce {
                    return Err(Fault::NoIv);
                }
                if param.data_size < self.nonce_len {
                    return Err(Fault::Parameter);
                }
                param.put_bytes(&self.nonce[..self.nonce_len])
            }
            it if it == name::TAG => {
                if !self.has_tag || self.direction == Direction::Decrypt || param.data_size != self.tag_len {
                    return Err(Fault::NoTag);
                }
                param.put_bytes(&self.tag[..self.tag_len])
            }
            _ => Ok(()),
        }
    }

    fn set(&mut self, param: &Param) -> Result<(), Fault> {
        match param.name() {
            it if it == name::KEYLEN => {
                let len = param.number()?;
                if !(1..=MOST_KEY).contains(&len) {
                    return Err(Fault::KeyLength);
                }
                self.key_len = len as usize;
            }
            it if it == name::IVLEN => {
                let len = usize::try_from(param.number()?).ok().filter(|len| *len <= MOST_NONCE);
                self.nonce_len = len.ok_or(Fault::IvLength)?;
            }
            it if it == name::TAG => {
                if !(1..=MOST_TAG).contains(&param.data_size) {
                    return Err(Fault::TagLength);
                }
                self.tag_len = param.data_size;
                self.has_tag = false;
                if let Some(tag) = param.bytes()? {
                    self.tag[..tag.len()].copy_from_slice(tag);
                    self.has_tag = true;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn key_len(&self) -> usize {
        self.key_len
    }

    fn iv_len(&self) -> usize {
        self.nonce_len
    }
}
