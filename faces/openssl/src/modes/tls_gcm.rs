//! The additions of TLS 1.2 (RFC 5288) and SSH (RFC 5647) to GCM: nonces of a fixed part and a counter that the cipher keeps,
//! and records with their explicit nonce and their tag, in one call.

use abreast::modes::Direction;

use super::aead::{Aead, AeadMode, NonceState, TagState};
use super::tls_records::TAG;
use crate::buffers::Buffers;
use crate::core::Param;
use crate::fault::Fault;

/// Bytes of the explicit part of a nonce, in front of each record (RFC 5288, section 3).
const EXPLICIT: usize = 8;
/// Bytes of its fixed part, at least.
const FIXED: usize = 4;
/// Bytes of the associated data of a record (RFC 5246, section 6.2.3.3). The last two are the length.
const AAD: usize = 13;

impl<M: AeadMode> Aead<M> {
    /// Takes the associated data of a record; its length is that of the whole record, and becomes that of the message. A
    /// length that no record can have is refused, and so is the record that comes with it.
    pub(super) fn set_record(&mut self, param: &Param) -> Result<(), Fault> {
        let aad: [u8; AAD] = param.bytes()?.unwrap_or_default().try_into().map_err(|_| Fault::TlsAad)?;
        self.tag[..AAD].copy_from_slice(&aad);
        self.tag_state = TagState::None;
        self.records.asked = true;
        let len = u16::from_be_bytes([aad[AAD - 2], aad[AAD - 1]]);
        let around = EXPLICIT + if self.direction == Direction::Decrypt { TAG } else { 0 };
        let len = len.checked_sub(around as u16).ok_or(Fault::TlsAad)?;
        self.tag[AAD - 2..AAD].copy_from_slice(&len.to_be_bytes());
        self.records.used = true;
        Ok(())
    }

    /// Takes the fixed part of the nonces. The rest is a counter: it begins at random when encrypting. A length of -1 says
    /// that the whole nonce is given (`EVP_CTRL_AEAD_SET_IV_FIXED`).
    pub(super) fn set_fixed_nonce(&mut self, param: &Param) -> Result<(), Fault> {
        let whole = param.data_size == usize::MAX;
        let len = if whole { self.nonce_len } else { param.data_size };
        if !whole && (len < FIXED || self.nonce_len.saturating_sub(len) < EXPLICIT) {
            return Err(Fault::IvLength);
        }
        let fixed = Param { data_size: len, ..*param };
        self.nonce[..len].copy_from_slice(fixed.bytes()?.ok_or(Fault::Parameter)?);
        if self.direction == Direction::Encrypt && !whole {
            getrandom::fill(&mut self.nonce[len..self.nonce_len]).map_err(|_| Fault::Random)?;
        }
        self.records.generates = true;
        self.nonce_state = NonceState::Ready;
        Ok(())
    }

    /// Gives the last bytes of the nonce of the message that begins with this, and counts on to the next.
    pub(super) fn generate_nonce(&mut self, param: &mut Param) -> Result<(), Fault> {
        if !self.records.generates || self.nonce_len < EXPLICIT {
            return Err(Fault::NoIv);
        }
        // Without a length, all of it is wanted (`EVP_CTRL_GCM_IV_GEN`).
        let most = if param.data_size == 0 { self.nonce_len } else { param.data_size.min(self.nonce_len) };
        let mut wanted = Param { data_size: most, ..*param };
        let room = wanted.room(most)?;
        self.start()?;
        let last = self.nonce_len - room.len()..self.nonce_len;
        room.copy_from_slice(&self.nonce[last]);
        let next = self.next_explicit();
        self.explicit().copy_from_slice(&next);
        Ok(())
    }

    /// Takes the last bytes of the nonce of a message to decrypt, which begins with this.
    pub(super) fn set_explicit_nonce(&mut self, param: &Param) -> Result<(), Fault> {
        let bytes = param.bytes()?.ok_or(Fault::Parameter)?;
        if !self.records.generates || self.direction == Direction::Encrypt || bytes.len() > self.nonce_len {
            return Err(Fault::NoIv);
        }
        self.key.get()?;
        self.nonce[self.nonce_len - bytes.len()..self.nonce_len].copy_from_slice(bytes);
        self.start()
    }

    /// Returns the counting part of the nonce.
    fn explicit(&mut self) -> &mut [u8] {
        &mut self.nonce[self.nonce_len.saturating_sub(EXPLICIT)..self.nonce_len]
    }

    /// Returns the counting part of the nonce of the next message.
    fn next_explicit(&self) -> [u8; EXPLICIT] {
        let mut count = [0; EXPLICIT];
        let from = self.nonce_len.saturating_sub(EXPLICIT);
        count[EXPLICIT - (self.nonce_len - from)..].copy_from_slice(&self.nonce[from..self.nonce_len]);
        u64::from_be_bytes(count).wrapping_add(1).to_be_bytes()
    }

    /// Encrypts or decrypts a record in place: explicit nonce, message, tag. Gives the length of the record or of the
    /// message. Whatever comes of it, the record and its nonce are used up.
    pub(super) fn record(&mut self, buffers: &mut Buffers) -> Result<usize, Fault> {
        let done = self.one_record(buffers);
        self.records.asked = false;
        self.message = None;
        self.nonce_state = NonceState::Used;
        self.tag_state = TagState::None;
        done
    }

    fn one_record(&mut self, buffers: &mut Buffers) -> Result<usize, Fault> {
        let aad: [u8; AAD] = self.tag[..AAD].try_into().map_err(|_| Fault::TlsAad)?;
        let len = buffers.len();
        self.key.get()?;
        if !buffers.in_place() || len < EXPLICIT + TAG || self.nonce_len < EXPLICIT {
            return Err(Fault::TlsRecord);
        }
        if !self.records.generates {
            return Err(Fault::NoIv);
        }
        let (explicit, rest) = buffers.output(len)?.split_at_mut(EXPLICIT);
        let (message, tag) = rest.split_at_mut(len - EXPLICIT - TAG);
        let tag: &mut [u8; TAG] = tag.try_into().map_err(|_| Fault::TlsRecord)?;
        self.tag_len = Some(TAG);
        if self.direction == Direction::Encrypt {
            explicit.copy_from_slice(self.explicit());
            M::seal(self.key.get()?, self.nonce(), &aad, message.into(), tag)?;
            let next = self.next_explicit();
            self.explicit().copy_from_slice(&next);
            Ok(len)
        } else {
            self.explicit().copy_from_slice(explicit);
            let message_len = message.len();
            M::open(self.key.get()?, self.nonce(), &aad, message.into(), tag)?;
            Ok(message_len)
        }
    }
}
