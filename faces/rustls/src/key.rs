//! A key of AES-GCM, with the errors of rustls.

use abreast::aes::Aes;
use abreast::modes::Gcm;
use rustls::crypto::cipher::{AeadKey, Iv};
use rustls::{ConnectionTrafficSecrets, Error};

/// Bytes of a tag.
pub(crate) const TAG: usize = 16;

/// A key of AES-GCM. There is none if rustls was given one of another length than the suite's, and then nothing is encrypted.
pub(crate) struct Key(Option<Box<Gcm<Aes>>>);

impl Key {
    pub(crate) fn new(key: &AeadKey, len: usize) -> Self {
        let aes = Some(key.as_ref()).filter(|key| key.len() == len).and_then(|key| Aes::new(key).ok());
        Self(aes.map(|aes| Box::new(Gcm::from_cipher(aes))))
    }

    /// Encrypts in place and returns the tag.
    pub(crate) fn seal(&self, nonce: &[u8; 12], aad: &[u8], data: &mut [u8]) -> Result<[u8; TAG], Error> {
        let mut tag = [0; TAG];
        let gcm = self.0.as_ref().ok_or(Error::EncryptError)?;
        gcm.encrypt_detached(nonce, aad, data, &mut tag).map_err(|_| Error::EncryptError)?;
        Ok(tag)
    }

    /// Decrypts in place what the tag at its end is right for, and returns the bytes before the tag.
    pub(crate) fn open<'d>(
        &self,
        nonce: &[u8; 12],
        aad: &[u8],
        data: &'d mut [u8],
    ) -> Result<&'d [u8], Error> {
        let (data, tag) = data.split_last_chunk_mut::<TAG>().ok_or(Error::DecryptError)?;
        let gcm = self.0.as_ref().ok_or(Error::DecryptError)?;
        gcm.decrypt_detached(nonce, aad, &mut *data, tag).map_err(|_| Error::DecryptError)?;
        Ok(data)
    }
}

/// Returns a key in the form in which the kernel's TLS takes it.
pub(crate) fn secrets(key: AeadKey, iv: Iv, len: usize) -> ConnectionTrafficSecrets {
    match len {
        16 => ConnectionTrafficSecrets::Aes128Gcm { key, iv },
        _ => ConnectionTrafficSecrets::Aes256Gcm { key, iv },
    }
}
