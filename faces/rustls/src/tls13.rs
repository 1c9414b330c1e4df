//! Records of TLS 1.3 (RFC 8446, section 5.2).

use rustls::crypto::cipher::{
    AeadKey, InboundOpaqueMessage, InboundPlainMessage, Iv, MessageDecrypter, MessageEncrypter, Nonce,
    OutboundOpaqueMessage, OutboundPlainMessage, PrefixedPayload, Tls13AeadAlgorithm,
    UnsupportedOperationError, make_tls13_aad,
};
use rustls::{ConnectionTrafficSecrets, ContentType, Error, ProtocolVersion};

use crate::key::{Key, TAG, secrets};

pub(crate) static AES_128: Gcm = Gcm { key_len: 16 };
pub(crate) static AES_256: Gcm = Gcm { key_len: 32 };

pub(crate) struct Gcm {
    key_len: usize,
}

impl Tls13AeadAlgorithm for Gcm {
    fn encrypter(&self, key: AeadKey, iv: Iv) -> Box<dyn MessageEncrypter> {
        Box::new(Records { key: Key::new(&key, self.key_len), iv })
    }

    fn decrypter(&self, key: AeadKey, iv: Iv) -> Box<dyn MessageDecrypter> {
        Box::new(Records { key: Key::new(&key, self.key_len), iv })
    }

    fn key_len(&self) -> usize {
        self.key_len
    }

    fn extract_keys(
        &self,
        key: AeadKey,
        iv: Iv,
    ) -> Result<ConnectionTrafficSecrets, UnsupportedOperationError> {
        Ok(secrets(key, iv, self.key_len))
    }
}

/// The records of one direction.
struct Records {
    key: Key,
    iv: Iv,
}

impl MessageEncrypter for Records {
    fn encrypt(&mut self, msg: OutboundPlainMessage<'_>, seq: u64) -> Result<OutboundOpaqueMessage, Error> {
        let len = self.encrypted_payload_len(msg.payload.len());
        let mut payload = PrefixedPayload::with_capacity(len);
        payload.extend_from_chunks(&msg.payload);
        payload.extend_from_slice(&[u8::from(msg.typ)]);
        let tag = self.key.seal(&Nonce::new(&self.iv, seq).0, &make_tls13_aad(len), payload.as_mut())?;
        payload.extend_from_slice(&tag);
        // Every record says that it is of TLS 1.2 (section 5.1).
        Ok(OutboundOpaqueMessage::new(ContentType::ApplicationData, ProtocolVersion::TLSv1_2, payload))
    }

    fn encrypted_payload_len(&self, payload_len: usize) -> usize {
        payload_len + 1 + TAG
    }
}

impl MessageDecrypter for Records {
    fn decrypt<'a>(
        &mut self,
        mut msg: InboundOpaqueMessage<'a>,
        seq: u64,
    ) -> Result<InboundPlainMessage<'a>, Error> {
        let aad = make_tls13_aad(msg.payload.len());
        let len = self.key.open(&Nonce::new(&self.iv, seq).0, &aad, &mut msg.payload)?.len();
        msg.payload.truncate(len);
        msg.into_tls13_unpadded_message()
    }
}
