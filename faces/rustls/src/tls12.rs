//! Records of TLS 1.2 (RFC 5288): the last 8 bytes of a nonce stand before the ciphertext.

use rustls::crypto::cipher::{
    AeadKey, InboundOpaqueMessage, InboundPlainMessage, Iv, KeyBlockShape, MessageDecrypter,
    MessageEncrypter, Nonce, OutboundOpaqueMessage, OutboundPlainMessage, PrefixedPayload,
    Tls12AeadAlgorithm, UnsupportedOperationError, make_tls12_aad,
};
use rustls::{ConnectionTrafficSecrets, Error};

use crate::key::{Key, TAG, secrets};

/// Bytes of a nonce that the connection has, and that a record has.
const SALT: usize = 4;
const EXPLICIT: usize = 8;
/// The most bytes of a plaintext (RFC 5246, section 6.2.1).
const MAX_FRAGMENT: usize = 1 << 14;

pub(crate) static AES_128: Gcm = Gcm { key_len: 16 };
pub(crate) static AES_256: Gcm = Gcm { key_len: 32 };

pub(crate) struct Gcm {
    key_len: usize,
}

impl Tls12AeadAlgorithm for Gcm {
    fn encrypter(&self, key: AeadKey, iv: &[u8], explicit: &[u8]) -> Box<dyn MessageEncrypter> {
        Box::new(Encrypter { key: Key::new(&key, self.key_len), iv: nonce(iv, explicit).into() })
    }

    fn decrypter(&self, key: AeadKey, iv: &[u8]) -> Box<dyn MessageDecrypter> {
        Box::new(Decrypter { key: Key::new(&key, self.key_len), salt: nonce(iv, &[]) })
    }

    fn key_block_shape(&self) -> KeyBlockShape {
        KeyBlockShape { enc_key_len: self.key_len, fixed_iv_len: SALT, explicit_nonce_len: EXPLICIT }
    }

    fn extract_keys(
        &self,
        key: AeadKey,
        iv: &[u8],
        explicit: &[u8],
    ) -> Result<ConnectionTrafficSecrets, UnsupportedOperationError> {
        Ok(secrets(key, nonce(iv, explicit).into(), self.key_len))
    }
}

/// Returns a nonce of its two parts. A part that is too short is filled up with zeros.
fn nonce(salt: &[u8], explicit: &[u8]) -> [u8; SALT + EXPLICIT] {
    let mut nonce = [0; SALT + EXPLICIT];
    nonce[..SALT].iter_mut().zip(salt).for_each(|(to, from)| *to = *from);
    nonce[SALT..].iter_mut().zip(explicit).for_each(|(to, from)| *to = *from);
    nonce
}

struct Encrypter {
    key: Key,
    /// The salt, and a beginning for the explicit part, to which the number of a record is added by XOR.
    iv: Iv,
}

impl MessageEncrypter for Encrypter {
    fn encrypt(&mut self, msg: OutboundPlainMessage<'_>, seq: u64) -> Result<OutboundOpaqueMessage, Error> {
        let mut payload = PrefixedPayload::with_capacity(self.encrypted_payload_len(msg.payload.len()));
        let nonce = Nonce::new(&self.iv, seq).0;
        payload.extend_from_slice(&nonce[SALT..]);
        payload.extend_from_chunks(&msg.payload);
        let aad = make_tls12_aad(seq, msg.typ, msg.version, msg.payload.len());
        let tag = self.key.seal(&nonce, &aad, &mut payload.as_mut()[EXPLICIT..])?;
        payload.extend_from_slice(&tag);
        Ok(OutboundOpaqueMessage::new(msg.typ, msg.version, payload))
    }

    fn encrypted_payload_len(&self, payload_len: usize) -> usize {
        EXPLICIT + payload_len + TAG
    }
}

struct Decrypter {
    key: Key,
    /// The salt, and zeros.
    salt: [u8; SALT + EXPLICIT],
}

impl MessageDecrypter for Decrypter {
    fn decrypt<'a>(
        &mut self,
        mut msg: InboundOpaqueMessage<'a>,
        seq: u64,
    ) -> Result<InboundPlainMessage<'a>, Error> {
        let (explicit, rest) = msg.payload.split_first_chunk_mut::<EXPLICIT>().ok_or(Error::DecryptError)?;
        let len = rest.len().checked_sub(TAG).ok_or(Error::DecryptError)?;
        let aad = make_tls12_aad(seq, msg.typ, msg.version, len);
        self.key.open(&nonce(&self.salt, explicit), &aad, rest)?;
        if len > MAX_FRAGMENT {
            return Err(Error::PeerSentOversizedRecord);
        }
        Ok(msg.into_plain_message_range(EXPLICIT..EXPLICIT + len))
    }
}
