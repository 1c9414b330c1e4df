//! Block ciphers in modes.

use std::fmt;

use abreast::kernels::{Algorithm, algorithms};
use abreast::modes::{Cbc, Cfb, Cfb8, Cmac, CounterWidth, Ctr, Eax, Gcm, GcmSiv, Hctr2, Ofb, Siv, Xts};
use abreast::table::{ModeBlocks, ModeKeys, ModeRow};
use abreast::{BlockCipher, BlockCipher128, Error, InOutBuf, Kernel};

use super::{
    Aead, Header, Messages, OpenedApart, Turn, Work, last, opening_apart, seal_all, sealing, sized, tag_from,
};

/// Bytes of the sectors that XTS is measured with.
pub(crate) const SECTOR: usize = 512;

/// A mode, in a direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Raw blocks, encrypted.
    Ecb,
    /// Raw blocks, decrypted.
    EcbDecrypt,
    /// Cipher block chaining, encryption.
    Cbc,
    /// Cipher block chaining, decryption.
    CbcDecrypt,
    /// Cipher feedback by blocks, encryption.
    Cfb,
    /// Cipher feedback by blocks, decryption.
    CfbDecrypt,
    /// Cipher feedback by bytes, encryption.
    Cfb8,
    /// Cipher feedback by bytes, decryption.
    Cfb8Decrypt,
    /// Output feedback, the same in both directions.
    Ofb,
    /// Counter mode, the same in both directions.
    Ctr,
    /// XTS, one data unit, encryption.
    Xts,
    /// XTS, one data unit, decryption.
    XtsDecrypt,
    /// XTS, sectors in sequence, encryption.
    XtsSectors,
    /// XTS, sectors in sequence, decryption.
    XtsSectorsDecrypt,
    /// HCTR2, encryption.
    Hctr2,
    /// HCTR2, decryption.
    Hctr2Decrypt,
    /// EAX, encryption.
    Eax,
    /// EAX, verification and decryption.
    EaxDecrypt,
    /// Galois/counter mode, encryption.
    Gcm,
    /// Galois/counter mode, verification and decryption.
    GcmDecrypt,
    /// AES-GCM-SIV, encryption.
    GcmSiv,
    /// AES-GCM-SIV, verification and decryption.
    GcmSivDecrypt,
    /// SIV, encryption.
    Siv,
    /// SIV, verification and decryption.
    SivDecrypt,
    /// A tag alone.
    Cmac,
}

/// Every mode, with the end of the names of what it makes.
pub(crate) const MODES: [(Mode, &str); 25] = [
    (Mode::Ecb, "ecb"),
    (Mode::EcbDecrypt, "ecb-decrypt"),
    (Mode::Cbc, "cbc"),
    (Mode::CbcDecrypt, "cbc-decrypt"),
    (Mode::Cfb, "cfb"),
    (Mode::CfbDecrypt, "cfb-decrypt"),
    (Mode::Cfb8, "cfb8"),
    (Mode::Cfb8Decrypt, "cfb8-decrypt"),
    (Mode::Ofb, "ofb"),
    (Mode::Ctr, "ctr"),
    (Mode::Xts, "xts"),
    (Mode::XtsDecrypt, "xts-decrypt"),
    (Mode::XtsSectors, "xts-512"),
    (Mode::XtsSectorsDecrypt, "xts-512-decrypt"),
    (Mode::Hctr2, "hctr2"),
    (Mode::Hctr2Decrypt, "hctr2-decrypt"),
    (Mode::Eax, "eax"),
    (Mode::EaxDecrypt, "eax-decrypt"),
    (Mode::Gcm, "gcm"),
    (Mode::GcmDecrypt, "gcm-decrypt"),
    (Mode::GcmSiv, "gcm-siv"),
    (Mode::GcmSivDecrypt, "gcm-siv-decrypt"),
    (Mode::Siv, "siv"),
    (Mode::SivDecrypt, "siv-decrypt"),
    (Mode::Cmac, "cmac"),
];

impl Mode {
    /// The row of the library's table.
    pub(crate) fn row(self) -> Option<&'static ModeRow> {
        let (_, ending) = MODES.iter().find(|(mode, _)| *mode == self)?;
        ModeRow::from_name(ending.trim_end_matches("-decrypt").trim_end_matches("-512"))
    }
}

/// A cipher in a mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct InMode {
    /// The cipher.
    pub(crate) cipher: Algorithm,
    /// The mode.
    pub(crate) mode: Mode,
    /// The end of the name.
    ending: &'static str,
}

impl InMode {
    /// All that are defined.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        let every = |&cipher| MODES.map(|(mode, ending)| Self { cipher, mode, ending });
        algorithms().iter().flat_map(every).filter(|what| what.is_defined())
    }

    /// Returns the same cipher in another mode.
    pub(super) fn with(self, mode: Mode) -> Self {
        let ending = MODES.iter().find(|(known, _)| *known == mode).map_or("", |(_, ending)| ending);
        Self { mode, ending, ..self }
    }

    /// Returns true if the mode is defined for the cipher, by the table of modes.
    fn is_defined(self) -> bool {
        let Some(row) = self.mode.row() else { return false };
        match (row.blocks, row.keys) {
            (ModeBlocks::Any, _) => true,
            (ModeBlocks::Of16, _) => self.cipher.block_size() == 16,
            // A mode with keys of its own is over AES.
            (ModeBlocks::None, ModeKeys::Own(lens)) => {
                self.cipher.name().starts_with("aes-") && lens.contains(&self.cipher.key_len())
            }
            (ModeBlocks::None, ModeKeys::OfCiphers(_)) => false,
        }
    }

    /// Returns the messages that calls work on.
    pub(super) fn messages(self, size: usize, chained: bool) -> Messages {
        match self.mode {
            Mode::GcmSivDecrypt | Mode::SivDecrypt => Messages::with_output(size, chained),
            _ => Messages::new(size, chained),
        }
    }

    /// Describes the messages that are accepted, if those of `size` bytes are not.
    pub(super) fn refuses(self, size: usize) -> Option<String> {
        use Mode::*;
        match self.mode {
            Ecb | EcbDecrypt | Cbc | CbcDecrypt => {
                let block = self.cipher.block_size();
                (!size.is_multiple_of(block)).then(|| format!("whole blocks of {block} bytes"))
            }
            Xts | XtsDecrypt => {
                (!(16..=16 << 20).contains(&size)).then(|| "one unit of 16 bytes to 16 MiB".into())
            }
            Hctr2 | Hctr2Decrypt => (size < 16).then(|| "messages of 16 bytes or more".into()),
            XtsSectors | XtsSectorsDecrypt => {
                (!size.is_multiple_of(SECTOR)).then(|| format!("whole sectors of {SECTOR} bytes"))
            }
            _ => None,
        }
    }

    /// The calls of a cipher in a mode, each of them a whole message. The loop over calls is compiled for each
    /// mode.
    pub(super) fn calls(self, kernel: Kernel) -> Result<Work, Error> {
        let cipher = || self.keyed(kernel);
        Ok(match self.mode {
            Mode::Ecb => with_iv(cipher()?, |cipher, _, data| cipher.encrypt_raw_blocks(data.into())),
            Mode::EcbDecrypt => with_iv(cipher()?, |cipher, _, data| cipher.decrypt_raw_blocks(data.into())),
            Mode::Cbc => with_iv(cipher()?, |cipher, iv, data| Cbc::from_cipher(cipher, iv)?.encrypt(data)),
            Mode::CbcDecrypt => {
                with_iv(cipher()?, |cipher, iv, data| Cbc::from_cipher(cipher, iv)?.decrypt(data))
            }
            Mode::Cfb => with_iv(cipher()?, |cipher, iv, data| {
                Cfb::from_cipher(cipher, iv).map(|mut cfb| cfb.encrypt(data))
            }),
            Mode::CfbDecrypt => with_iv(cipher()?, |cipher, iv, data| {
                Cfb::from_cipher(cipher, iv).map(|mut cfb| cfb.decrypt(data))
            }),
            Mode::Cfb8 => with_iv(cipher()?, |cipher, iv, data| {
                Cfb8::from_cipher(cipher, iv).map(|mut cfb| cfb.encrypt(data))
            }),
            Mode::Cfb8Decrypt => with_iv(cipher()?, |cipher, iv, data| {
                Cfb8::from_cipher(cipher, iv).map(|mut cfb| cfb.decrypt(data))
            }),
            Mode::Ofb => with_iv(cipher()?, |cipher, iv, data| {
                Ofb::from_cipher(cipher, iv).map(|mut ofb| ofb.apply(data))
            }),
            Mode::Ctr if self.cipher.block_size() == 16 => {
                let cipher = self.keyed_128(kernel, 1)?;
                Box::new(move |messages, laps| {
                    messages.run(laps, |Turn { header, data }| {
                        let mut ctr = Ctr::from_block(&*cipher, &header.counter, CounterWidth::Bits128);
                        ctr.apply(&mut *data)?;
                        Ok(last(data))
                    })
                })
            }
            Mode::Ctr => with_iv(cipher()?, |cipher, iv, data| {
                Ctr::from_cipher(cipher, iv, CounterWidth::Bits64)?.apply(data)
            }),
            Mode::Xts => with_number(self.xts(kernel)?, |xts, number, data| {
                xts.encrypt_units(number, data.len(), data)
            }),
            Mode::XtsDecrypt => with_number(self.xts(kernel)?, |xts, number, data| {
                xts.decrypt_units(number, data.len(), data)
            }),
            Mode::XtsSectors => {
                with_number(self.xts(kernel)?, |xts, number, data| xts.encrypt_units(number, SECTOR, data))
            }
            Mode::XtsSectorsDecrypt => {
                with_number(self.xts(kernel)?, |xts, number, data| xts.decrypt_units(number, SECTOR, data))
            }
            Mode::Hctr2 => with_number(self.hctr2(kernel)?, |hctr2, number, data| {
                hctr2.encrypt(&number.to_le_bytes(), data)
            }),
            Mode::Hctr2Decrypt => with_number(self.hctr2(kernel)?, |hctr2, number, data| {
                hctr2.decrypt(&number.to_le_bytes(), data)
            }),
            Mode::Eax => sealing(Eax::from_cipher(cipher()?)),
            Mode::EaxDecrypt => opening(Eax::from_cipher(cipher()?)),
            Mode::Gcm => sealing(self.gcm(kernel)?),
            Mode::GcmDecrypt => opening(self.gcm(kernel)?),
            Mode::GcmSiv => sealing(self.gcm_siv(kernel)?),
            Mode::GcmSivDecrypt => opening_apart(self.gcm_siv(kernel)?),
            Mode::Siv => sealing(self.siv(kernel)?),
            Mode::SivDecrypt => opening_apart(self.siv(kernel)?),
            Mode::Cmac => {
                let block = self.cipher.block_size();
                let cmac = Cmac::from_cipher(cipher()?);
                Box::new(move |messages, laps| {
                    messages.run(laps, |Turn { data, .. }| tag_from(block, |tag| cmac.mac(data, tag)))
                })
            }
        })
    }

    /// Gives messages tags, if the calls verify them.
    pub(super) fn prepare(self, kernel: Kernel, messages: &mut Messages) -> Result<(), Error> {
        match self.mode {
            Mode::EaxDecrypt => add_tags(&Eax::from_cipher(self.keyed(kernel)?), messages),
            Mode::GcmDecrypt => add_tags(&self.gcm(kernel)?, messages),
            Mode::GcmSivDecrypt => seal_all(&self.gcm_siv(kernel)?, messages),
            Mode::SivDecrypt => seal_all(&self.siv(kernel)?, messages),
            _ => Ok(()),
        }
    }

    /// The cipher under some key at a kernel.
    fn keyed(self, kernel: Kernel) -> Result<Box<dyn BlockCipher>, Error> {
        self.cipher.with_key(&self.key(1), Some(kernel))
    }

    /// Returns the cipher, with blocks of 128 bits, under one of several keys.
    fn keyed_128(self, kernel: Kernel, key: u8) -> Result<Box<dyn BlockCipher128>, Error> {
        self.cipher.with_key_128(&self.key(key), Some(kernel))
    }

    /// XTS under two such keys.
    fn xts(self, kernel: Kernel) -> Result<Xts<Box<dyn BlockCipher128>>, Error> {
        Xts::new(self.keyed_128(kernel, 1)?, self.keyed_128(kernel, 101)?)
    }

    /// HCTR2 under such a key.
    fn hctr2(self, kernel: Kernel) -> Result<Hctr2<Box<dyn BlockCipher128>>, Error> {
        Ok(Hctr2::from_cipher(self.keyed_128(kernel, 1)?))
    }

    /// GCM under such a key.
    fn gcm(self, kernel: Kernel) -> Result<Gcm<Box<dyn BlockCipher128>>, Error> {
        Ok(Gcm::from_cipher(self.keyed_128(kernel, 1)?))
    }

    /// AES-GCM-SIV under such a key.
    fn gcm_siv(self, kernel: Kernel) -> Result<GcmSiv, Error> {
        GcmSiv::with_kernel(&self.key(1), kernel)
    }

    /// SIV under two such keys.
    fn siv(self, kernel: Kernel) -> Result<Siv<Box<dyn BlockCipher128>>, Error> {
        Ok(Siv::from_ciphers(self.keyed_128(kernel, 1)?, self.keyed_128(kernel, 101)?))
    }

    /// A key that begins with that byte.
    fn key(self, first: u8) -> Vec<u8> {
        (first..).take(self.cipher.key_len()).collect()
    }
}

impl fmt::Display for InMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.cipher.name(), self.ending)
    }
}

/// Calls that take an IV.
fn with_iv(
    cipher: Box<dyn BlockCipher>,
    call: impl Fn(&dyn BlockCipher, &[u8], &mut [u8]) -> Result<(), Error> + Send + 'static,
) -> Work {
    let block = cipher.block_size();
    Box::new(move |messages, laps| {
        messages.run(laps, |Turn { header, data }| {
            call(&*cipher, header.iv(block), data)?;
            Ok(last(data))
        })
    })
}

/// Calls that take the number of a data unit, or a tweak made of it.
fn with_number<C: Send + 'static>(
    mode: C,
    call: impl Fn(&C, u128, &mut [u8]) -> Result<(), Error> + Send + 'static,
) -> Work {
    Box::new(move |messages, laps| {
        messages.run(laps, |Turn { header, data }| {
            call(&mode, header.unit(), data)?;
            Ok(last(data))
        })
    })
}

/// An AEAD that does to a text the same when it decrypts as when it encrypts.
trait Involutive: Aead {
    /// Verifies the tag, and decrypts.
    fn open(&self, header: &Header, data: &mut [u8], tag: &[u8]) -> Result<(), Error>;
}

impl Aead for Gcm<Box<dyn BlockCipher128>> {
    #[inline(always)]
    fn tag_len(&self) -> usize {
        16
    }
    #[inline(always)]
    fn seal(&self, header: &Header, data: &mut [u8], tag: &mut [u8]) -> Result<(), Error> {
        self.encrypt_detached(header.nonce(), &header.aad, data, sized(tag)?)
    }
}

impl Involutive for Gcm<Box<dyn BlockCipher128>> {
    #[inline(always)]
    fn open(&self, header: &Header, data: &mut [u8], tag: &[u8]) -> Result<(), Error> {
        self.decrypt_detached(
            header.nonce(),
            &header.aad,
            data,
            tag.try_into().map_err(|_| Error::TagLength)?,
        )
    }
}

impl Aead for Eax<Box<dyn BlockCipher>> {
    #[inline(always)]
    fn tag_len(&self) -> usize {
        self.cipher().block_size()
    }
    #[inline(always)]
    fn seal(&self, header: &Header, data: &mut [u8], tag: &mut [u8]) -> Result<(), Error> {
        self.encrypt_detached(header.nonce(), &header.aad, data, tag)
    }
}

impl Involutive for Eax<Box<dyn BlockCipher>> {
    #[inline(always)]
    fn open(&self, header: &Header, data: &mut [u8], tag: &[u8]) -> Result<(), Error> {
        self.decrypt_detached(header.nonce(), &header.aad, data, tag)
    }
}

impl Aead for GcmSiv {
    #[inline(always)]
    fn tag_len(&self) -> usize {
        16
    }
    #[inline(always)]
    fn seal(&self, header: &Header, data: &mut [u8], tag: &mut [u8]) -> Result<(), Error> {
        self.encrypt_detached(header.nonce(), &header.aad, data, sized(tag)?)
    }
}

impl OpenedApart for GcmSiv {
    #[inline(always)]
    fn open(&self, header: &Header, io: InOutBuf<'_, '_, u8>, tag: &[u8; 16]) -> Result<(), Error> {
        self.decrypt_detached(header.nonce(), &header.aad, io, tag)
    }
}

impl Aead for Siv<Box<dyn BlockCipher128>> {
    #[inline(always)]
    fn tag_len(&self) -> usize {
        16
    }
    #[inline(always)]
    fn seal(&self, header: &Header, data: &mut [u8], tag: &mut [u8]) -> Result<(), Error> {
        self.encrypt_detached(&[&header.aad, header.nonce()], data, sized(tag)?)
    }
}

impl OpenedApart for Siv<Box<dyn BlockCipher128>> {
    #[inline(always)]
    fn open(&self, header: &Header, io: InOutBuf<'_, '_, u8>, tag: &[u8; 16]) -> Result<(), Error> {
        self.decrypt_detached(&[&header.aad, header.nonce()], io, tag)
    }
}

/// Calls that verify a tag and decrypt.
fn opening(aead: impl Involutive) -> Work {
    let len = aead.tag_len();
    Box::new(move |messages, laps| {
        messages.run(laps, |Turn { header, data }| {
            aead.open(header, data, &header.tags[usize::from(header.turn)][..len])?;
            header.turn = !header.turn;
            Ok(last(data))
        })
    })
}

/// Gives messages tags.
fn add_tags(aead: &impl Aead, messages: &mut Messages) -> Result<(), Error> {
    messages.keep_numbers();
    messages.run(1, |Turn { header, data }| {
        // Encrypting does to a text what decrypting does, and gives the tag of what comes out.
        let mut tags = [[0; 16]; 2];
        for tag in tags.iter_mut().rev() {
            aead.seal(header, data, &mut tag[..aead.tag_len()])?;
        }
        header.tags = tags;
        Ok(0)
    })?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::{What, halves};
    use super::*;

    #[test]
    fn decryption_in_place_finds_valid_tags_lap_after_lap() -> Result<(), Error> {
        for name in ["aes-128-gcm-decrypt", "aes-128-eax-decrypt", "xtea-eax-decrypt"] {
            let what = What::from_name(name).expect("the name is known");
            let kernel = what.kernels()[0];
            for chained in [false, true] {
                let mut messages = Messages::new(100, chained);
                what.prepare(kernel, &mut messages)?;
                let before = messages.bytes().to_vec();
                let mut decrypt = what.calls(kernel)?.run;
                decrypt(&mut messages, 1)?;
                assert_ne!(messages.bytes(), before);
                decrypt(&mut messages, 3)?;
                assert_eq!(messages.bytes(), before);
            }
        }
        Ok(())
    }

    #[test]
    fn every_row_of_the_table_is_measured() {
        let of_ciphers = MODES.map(|(mode, ending)| mode.row().unwrap_or_else(|| panic!("{ending}")).name);
        for row in abreast::table::MODES {
            // AEZ is named by itself here, without a cipher.
            let measured = if row.name == "aez" {
                What::from_name("aez").is_some()
            } else {
                of_ciphers.contains(&row.name)
            };
            assert!(measured, "{}", row.name);
        }
    }

    /// Decryption to another place gives the messages back, with and without waiting for each other.
    #[test]
    fn modes_whose_counter_is_the_tag_decrypt_apart() -> Result<(), Error> {
        let names = ["aes-256-gcm-siv-decrypt", "serpent-192-siv-decrypt"];
        for (chained, name) in [false, true].into_iter().flat_map(|chained| names.map(|name| (chained, name)))
        {
            let what = What::from_name(name).expect("the name is known");
            let kernel = what.kernels()[0];
            let mut messages = what.messages(100, chained);
            let texts = |messages: &mut Messages, output: bool| {
                let half = |turn: Turn<'_>| {
                    let (message, written) = halves(turn.data, 100);
                    if output { written.to_vec() } else { message.to_vec() }
                };
                messages.turns().map(half).collect::<Vec<_>>()
            };
            let before = texts(&mut messages, false);
            what.prepare(kernel, &mut messages)?;
            messages.reset();
            (what.calls(kernel)?.run)(&mut messages, 2)?;
            assert_eq!(texts(&mut messages, true), before);
        }
        Ok(())
    }

    /// Each decryption gives back what the encryption of the same name was given.
    #[test]
    fn decryptions_undo_encryptions() -> Result<(), Error> {
        let verifies = |what: &InMode| what.mode.row().is_some_and(|row| row.sealing.is_some());
        let decrypts = |what: &InMode| what.ending.ends_with("-decrypt");
        for decrypt in InMode::all().filter(|what| decrypts(what) && !verifies(what)) {
            let name = decrypt.to_string();
            let encrypt = What::from_name(name.trim_end_matches("-decrypt")).expect("it has an inverse");
            let kernel = decrypt.cipher.kernels()[0];
            let mut messages = Messages::new(2 * SECTOR, true);
            let before = messages.bytes().to_vec();
            (encrypt.calls(kernel)?.run)(&mut messages, 1)?;
            assert_ne!(messages.bytes(), before, "{name}");
            decrypt.calls(kernel)?(&mut messages, 1)?;
            assert_eq!(messages.bytes(), before, "{name}");
        }
        Ok(())
    }
}
