//! Many messages, each with its own key.

use super::Aez;
use crate::modes::Direction;
use crate::{Error, InOutBuf};

/// A message of a batch.
///
/// ```
/// use abreast::aez::{Aez, Message, decrypt_batch, encrypt_batch};
///
/// let keys = [Aez::new(b"one"), Aez::new(b"two")];
/// let mut texts = [*b"to the first", *b"to the other"];
/// let mut tags = [[0; 16]; 2];
/// let mut batch: Vec<_> = (keys.iter().zip(&mut texts).zip(&mut tags))
///     .map(|((key, text), tag)| Message::new(key, b"nonce", &[], text.as_mut_slice().into(), tag))
///     .collect();
/// encrypt_batch(&mut batch);
/// assert!(batch.iter().all(|message| message.result.is_ok()));
/// decrypt_batch(&mut batch);
/// assert_eq!(texts[1], *b"to the other");
/// ```
pub struct Message<'a, 'i, 'o> {
    /// The key, one of its own or not.
    pub key: &'a Aez,
    /// The nonce.
    pub nonce: &'a [u8],
    /// The associated data.
    pub associated_data: &'a [&'a [u8]],
    /// The message.
    pub buffer: InOutBuf<'i, 'o, u8>,
    /// The tag, at most 32 bytes: written by encryption, read by decryption.
    pub tag: &'a mut [u8],
    /// What became of it.
    pub result: Result<(), Error>,
}

impl<'a, 'i, 'o> Message<'a, 'i, 'o> {
    /// A message to be done.
    pub fn new(
        key: &'a Aez,
        nonce: &'a [u8],
        associated_data: &'a [&'a [u8]],
        buffer: InOutBuf<'i, 'o, u8>,
        tag: &'a mut [u8],
    ) -> Self {
        Self { key, nonce, associated_data, buffer, tag, result: Ok(()) }
    }

    /// By itself.
    fn alone(&mut self, direction: Direction) {
        let Self { key, nonce, associated_data, buffer, tag, result } = self;
        *result = match direction {
            Direction::Encrypt => key.encrypt(nonce, associated_data, buffer.reborrow(), tag),
            Direction::Decrypt => key.decrypt(nonce, associated_data, buffer.reborrow(), tag),
        };
    }
}

/// Encrypts messages as [`Aez::encrypt`] does, each with the result that it has there; one never touches the
/// others.
///
/// Short ones go side by side, so that they hide each other's latency. Their order does not matter, nor whether
/// their lengths and keys are the same.
pub fn encrypt_batch(messages: &mut [Message<'_, '_, '_>]) {
    batch(Direction::Encrypt, messages);
}

/// Decrypts messages as [`Aez::decrypt`] does, likewise.
pub fn decrypt_batch(messages: &mut [Message<'_, '_, '_>]) {
    batch(Direction::Decrypt, messages);
}

fn batch(direction: Direction, messages: &mut [Message<'_, '_, '_>]) {
    for message in messages {
        message.alone(direction);
    }
}
