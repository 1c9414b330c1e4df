//! Packets of QUIC (RFC 9001, section 5).

use abreast::aes::Aes;
use abreast_frames::quic::{Header, header_key, protect, unprotect};
use rustls::Error;
use rustls::crypto::cipher::{AeadKey, Iv, Nonce};
use rustls::quic::{Algorithm, HeaderProtectionKey, PacketKey, Tag};

use crate::key::{Key, TAG};

/// Bytes of a sample.
const SAMPLE: usize = 16;
/// The most bytes of a packet number.
const NUMBER: usize = 4;

pub(crate) static AES_128: Gcm = Gcm { key_len: 16 };
pub(crate) static AES_256: Gcm = Gcm { key_len: 32 };

pub(crate) struct Gcm {
    key_len: usize,
}

impl Algorithm for Gcm {
    fn packet_key(&self, key: AeadKey, iv: Iv) -> Box<dyn PacketKey> {
        Box::new(Packets { key: Key::new(&key, self.key_len), iv })
    }

    fn header_protection_key(&self, key: AeadKey) -> Box<dyn HeaderProtectionKey> {
        let right = Some(key.as_ref()).filter(|key| key.len() == self.key_len);
        Box::new(Headers(right.and_then(|key| header_key(key).ok())))
    }

    fn aead_key_len(&self) -> usize {
        self.key_len
    }
}

/// The key of the headers of one direction. There is none if rustls was given one of another length than the suite's.
struct Headers(Option<Aes>);

impl Headers {
    fn apply(
        &self,
        sample: &[u8],
        first: &mut u8,
        number: &mut [u8],
        change: impl Fn(&mut [Header<'_>]),
    ) -> Result<(), Error> {
        let refused = |why: String| Error::General(why);
        let key = self.0.as_ref().ok_or_else(|| refused("the header key has the wrong length".to_owned()))?;
        let sample: &[u8; SAMPLE] = sample
            .try_into()
            .map_err(|_| refused(format!("a sample has {} bytes: it must have {SAMPLE}", sample.len())))?;
        if number.len() > NUMBER {
            let len = number.len();
            return Err(refused(format!("a packet number has {len} bytes: it can have up to {NUMBER}")));
        }
        let header = Header::apart(key, sample, first, number);
        change(&mut [header.map_err(|error| refused(error.to_string()))?]);
        Ok(())
    }
}

impl HeaderProtectionKey for Headers {
    fn encrypt_in_place(&self, sample: &[u8], first: &mut u8, number: &mut [u8]) -> Result<(), Error> {
        self.apply(sample, first, number, protect)
    }

    fn decrypt_in_place(&self, sample: &[u8], first: &mut u8, number: &mut [u8]) -> Result<(), Error> {
        self.apply(sample, first, number, unprotect)
    }

    fn sample_len(&self) -> usize {
        SAMPLE
    }
}

/// The key of the packets of one direction and phase.
struct Packets {
    key: Key,
    iv: Iv,
}

impl PacketKey for Packets {
    fn encrypt_in_place(&self, number: u64, header: &[u8], payload: &mut [u8]) -> Result<Tag, Error> {
        let tag = self.key.seal(&Nonce::new(&self.iv, number).0, header, payload)?;
        Ok(Tag::from(tag.as_slice()))
    }

    fn encrypt_in_place_for_path(
        &self,
        path: u32,
        number: u64,
        header: &[u8],
        payload: &mut [u8],
    ) -> Result<Tag, Error> {
        let tag = self.key.seal(&Nonce::for_path(path, &self.iv, number).0, header, payload)?;
        Ok(Tag::from(tag.as_slice()))
    }

    fn decrypt_in_place<'a>(
        &self,
        number: u64,
        header: &[u8],
        payload: &'a mut [u8],
    ) -> Result<&'a [u8], Error> {
        self.key.open(&Nonce::new(&self.iv, number).0, header, payload)
    }

    fn decrypt_in_place_for_path<'a>(
        &self,
        path: u32,
        number: u64,
        header: &[u8],
        payload: &'a mut [u8],
    ) -> Result<&'a [u8], Error> {
        self.key.open(&Nonce::for_path(path, &self.iv, number).0, header, payload)
    }

    fn tag_len(&self) -> usize {
        TAG
    }

    // The limits of RFC 9001, sections 6.6 and B.1.
    fn confidentiality_limit(&self) -> u64 {
        1 << 23
    }

    fn integrity_limit(&self) -> u64 {
        1 << 52
    }
}
