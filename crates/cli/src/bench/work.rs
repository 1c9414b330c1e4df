//! What can be measured, and what one call of it is.

use std::fmt;

use abreast::kernels::{Cipher, ciphers};
use abreast::modes::{CounterWidth, Ctr, Gcm};
use abreast::{BlockCipher, Error, GcmCipher};

use super::messages::{Messages, Turn};

/// What is measured where nothing is asked for.
pub(crate) const DEFAULT: [&str; 4] = ["aes-128-ctr", "aes-256-ctr", "aes-128-gcm", "aes-256-gcm"];

/// A mode, in a direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Raw blocks, encrypted.
    Ecb,
    /// Raw blocks, decrypted.
    EcbDecrypt,
    /// Counter mode, the same in both directions.
    Ctr,
    /// Galois/counter mode, encryption.
    Gcm,
    /// Galois/counter mode, verification and decryption.
    GcmDecrypt,
}

/// Every mode.
const MODES: [Mode; 5] = [Mode::Ecb, Mode::EcbDecrypt, Mode::Ctr, Mode::Gcm, Mode::GcmDecrypt];

impl Mode {
    /// The end of the names of what it makes.
    const fn name(self) -> &'static str {
        match self {
            Self::Ecb => "ecb",
            Self::EcbDecrypt => "ecb-decrypt",
            Self::Ctr => "ctr",
            Self::Gcm => "gcm",
            Self::GcmDecrypt => "gcm-decrypt",
        }
    }

    /// Whether a message must be whole blocks.
    pub(crate) const fn takes_whole_blocks(self) -> bool {
        matches!(self, Self::Ecb | Self::EcbDecrypt)
    }
}

/// Something to measure: a cipher in a mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct What {
    /// The cipher.
    pub(crate) cipher: Cipher,
    /// The mode.
    pub(crate) mode: Mode,
}

impl What {
    /// Everything.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        ciphers().iter().flat_map(|&cipher| MODES.map(|mode| Self { cipher, mode }))
    }

    /// What has a name such as `aes-128-gcm-decrypt`.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::all().find(|what| what.to_string() == name)
    }
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.cipher.name(), self.mode.name())
    }
}

/// Laps of calls on messages, under one key at one kernel; returns what the calls produced beside the
/// messages, so that two kernels can be compared.
pub(crate) type Work = Box<dyn FnMut(&mut Messages, u32) -> Result<u128, Error>>;

/// The calls of a mode, each of them a whole message. The loop over calls is compiled for each mode.
pub(crate) fn calls(mode: Mode, cipher: Box<dyn GcmCipher>) -> Work {
    match mode {
        Mode::Ecb => Box::new(move |messages, laps| {
            messages.run(laps, |Turn { data, .. }| {
                cipher.encrypt_raw_blocks((&mut *data).into())?;
                Ok(last(data))
            })
        }),
        Mode::EcbDecrypt => Box::new(move |messages, laps| {
            messages.run(laps, |Turn { data, .. }| {
                cipher.decrypt_raw_blocks((&mut *data).into())?;
                Ok(last(data))
            })
        }),
        Mode::Ctr => Box::new(move |messages, laps| {
            messages.run(laps, |Turn { header, data }| {
                let mut ctr = Ctr::new(&*cipher, &header.counter, CounterWidth::Bits128)?;
                ctr.apply((&mut *data).into())?;
                Ok(last(data))
            })
        }),
        Mode::Gcm => {
            let gcm = Gcm::new(cipher);
            Box::new(move |messages, laps| {
                messages.run(laps, |Turn { header, data }| {
                    let mut tag = [0; 16];
                    gcm.encrypt(header.nonce(), &header.aad, data.into(), &mut tag)?;
                    Ok(u128::from_le_bytes(tag))
                })
            })
        }
        Mode::GcmDecrypt => {
            let gcm = Gcm::new(cipher);
            Box::new(move |messages, laps| {
                messages.run(laps, |Turn { header, data }| {
                    let tag = &header.tags[usize::from(header.turn)];
                    gcm.decrypt(header.nonce(), &header.aad, (&mut *data).into(), tag)?;
                    header.turn = !header.turn;
                    Ok(last(data))
                })
            })
        }
    }
}

/// Gives messages what the calls of a mode need to find there: tags, if they verify.
pub(crate) fn prepare(mode: Mode, cipher: Box<dyn GcmCipher>, messages: &mut Messages) -> Result<(), Error> {
    if mode == Mode::GcmDecrypt {
        let gcm = Gcm::new(cipher);
        messages.keep_numbers();
        messages.run(1, |Turn { header, data }| {
            // Encrypting does to a text what decrypting does, and gives the tag of what comes out.
            let mut tags = [[0; 16]; 2];
            for tag in tags.iter_mut().rev() {
                gcm.encrypt(header.nonce(), &header.aad, (&mut *data).into(), tag)?;
            }
            header.tags = tags;
            Ok(0)
        })?;
    }
    Ok(())
}

/// The last byte of a message, which waits for its last block.
#[inline(always)]
fn last(data: &[u8]) -> u128 {
    data.last().copied().unwrap_or(0).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back() {
        for what in What::all() {
            assert_eq!(What::from_name(&what.to_string()), Some(what));
        }
        assert!(DEFAULT.iter().all(|name| What::from_name(name).is_some()));
        assert_eq!(What::all().count(), ciphers().len() * MODES.len());
    }

    #[test]
    fn other_names_do_not() {
        for name in ["", "aes-128", "ctr", "aes-128-", "aes-128-ctr-decrypt", "AES-128-CTR"] {
            assert_eq!(What::from_name(name), None, "{name}");
        }
    }

    #[test]
    fn decryption_in_place_finds_valid_tags_lap_after_lap() -> Result<(), Error> {
        let cipher = || ciphers()[0].with_key(&[7; 16], None);
        for chained in [false, true] {
            let mut messages = Messages::new(100, chained);
            prepare(Mode::GcmDecrypt, cipher()?, &mut messages)?;
            let before = messages.bytes().to_vec();
            let mut decrypt = calls(Mode::GcmDecrypt, cipher()?);
            decrypt(&mut messages, 1)?;
            assert_ne!(messages.bytes(), before);
            decrypt(&mut messages, 3)?;
            assert_eq!(messages.bytes(), before);
        }
        Ok(())
    }
}
