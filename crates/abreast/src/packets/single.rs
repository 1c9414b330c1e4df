//! Single packets, one after the other: by the modes that one message has.

#[cfg(feature = "aez")]
use super::key::AezKey;
#[cfg(feature = "modes")]
use super::key::XtsKey;
use super::key::{CipherKey, GcmKey};
use super::packet::Packet;
use crate::Error;
use crate::engine::backend::Direction;
#[cfg(feature = "aez")]
use crate::modes::WithTagLen;
use crate::modes::tag::check_len;
#[cfg(feature = "modes")]
use crate::modes::xts::Pair;
#[cfg(feature = "modes")]
use crate::modes::{Cbc, Ofb};
use crate::modes::{CounterWidth, Ctr, gcm};

/// Processes every packet of a batch by a function for one.
pub(super) fn each<'a, K>(
    packets: &mut [Packet<'a, K>],
    single: impl Fn(&mut Packet<'a, K>) -> Result<(), Error>,
) {
    for packet in packets {
        packet.result = single(packet);
    }
}

impl Packet<'_, CipherKey<'_>> {
    pub(super) fn ecb(&mut self, direction: Direction) -> Result<(), Error> {
        let (cipher, io) = (self.key.cipher(), self.buffer.reborrow());
        match direction {
            Direction::Encrypt => cipher.encrypt_raw_blocks(io),
            Direction::Decrypt => cipher.decrypt_raw_blocks(io),
        }
    }

    #[cfg(feature = "modes")]
    pub(super) fn cbc(&mut self, direction: Direction) -> Result<(), Error> {
        let mut cbc = Cbc::from_cipher(self.key.cipher(), self.iv)?;
        let io = self.buffer.reborrow();
        match direction {
            Direction::Encrypt => cbc.encrypt(io),
            Direction::Decrypt => cbc.decrypt(io),
        }
    }

    pub(super) fn ctr(&mut self, width: CounterWidth) -> Result<(), Error> {
        Ctr::message(self.key.cipher(), self.iv, width, self.buffer.reborrow())
    }

    #[cfg(feature = "modes")]
    pub(super) fn ofb(&mut self) -> Result<(), Error> {
        Ofb::from_cipher(self.key.cipher(), self.iv)?.apply(self.buffer.reborrow());
        Ok(())
    }
}

#[cfg(feature = "modes")]
impl Packet<'_, XtsKey<'_>> {
    pub(super) fn xts(&mut self, direction: Direction) -> Result<(), Error> {
        let number = self.iv.try_into().map_err(|_| Error::IvLength)?;
        let (Some(data), Some(tweak)) = (self.key.data.cipher_128(), self.key.tweak.cipher_128()) else {
            return Err(Error::BlockLength);
        };
        let len = self.buffer.len();
        Pair { data, tweak }.units(direction, u128::from_le_bytes(number), len, self.buffer.reborrow())
    }
}

impl Packet<'_, GcmKey<'_>> {
    pub(super) fn gcm(&mut self, direction: Direction) -> Result<(), Error> {
        check_len(self.tag, self.key.tag_len)?;
        let Some(cipher) = self.key.cipher.cipher_128() else {
            return Err(Error::BlockLength);
        };
        let (hash, io) = (self.key.hash, self.buffer.reborrow());
        match direction {
            Direction::Encrypt => gcm::encrypt(cipher, hash, self.iv, self.associated_data, io, self.tag),
            Direction::Decrypt => gcm::decrypt(cipher, hash, self.iv, self.associated_data, io, self.tag),
        }
    }
}

#[cfg(feature = "aez")]
impl Packet<'_, AezKey<'_>> {
    pub(crate) fn aez(&mut self, direction: Direction) -> Result<(), Error> {
        let strings = core::slice::from_ref(&self.associated_data);
        let strings = if self.associated_data.is_empty() { &[] } else { strings };
        let io = self.buffer.reborrow();
        let aez = WithTagLen { mode: self.key.aez, tag_len: self.key.tag_len };
        match direction {
            Direction::Encrypt => aez.encrypt_detached(self.iv, strings, io, self.tag),
            Direction::Decrypt => aez.decrypt_detached(self.iv, strings, io, self.tag),
        }
    }
}
