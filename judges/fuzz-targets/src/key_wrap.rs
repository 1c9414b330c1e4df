//! Key wrap: one call, batches under a key each, and wrapped keys that were changed.

use abreast::kernels::algorithms;
use abreast::modes::KeyWrap;
use abreast::packets::{self, WrapPacket};
use abreast::{BlockCipher as _, BlockCipher128, Error};
use abreast_reference::key_wrap::{unwrap, unwrap_padded, wrap, wrap_padded};
use arbitrary::Arbitrary;

use crate::common::{Random, Reference, kernels, same};
use crate::input::{fields, pick};

#[derive(Arbitrary, Debug)]
struct Case {
    padded: bool,
    seed: u64,
    keys: Vec<Fields>,
}

#[derive(Arbitrary, Clone, Copy, Debug)]
struct Fields {
    cipher: u8,
    kernel: u8,
    len: u16,
    /// The fault of the wrapped key, and the bit that is changed.
    fault: u8,
    bit: u16,
}

/// The most keys, and the most bytes of one: the reference is slow.
const MOST: usize = 70;
const LONGEST: usize = 300;

/// A key, the key that wraps it, and the wrapped key by the reference.
struct Message {
    cipher: Box<dyn BlockCipher128>,
    reference: Reference,
    key: Vec<u8>,
    wrapped: Vec<u8>,
}

impl Message {
    fn new(random: &mut Random, padded: bool, fields: Fields) -> Self {
        let of_128: Vec<_> = algorithms().iter().filter(|algorithm| algorithm.block_size() == 16).collect();
        let algorithm = *pick(&of_128, fields.cipher);
        let kernel = pick(&kernels(algorithm), fields.kernel);
        let key = random.bytes(algorithm.key_len());
        let cipher = algorithm.with_key_128(&key, Some(kernel)).expect("a key of the table");
        let reference = Reference::new(algorithm.name(), &key);
        let len = 1 + usize::from(fields.len) % LONGEST;
        let key = random.bytes(if padded { len } else { len.next_multiple_of(8) + 8 });
        let k = reference.of_16();
        let wrapped = if padded { wrap_padded(k, &key) } else { wrap(k, &key) };
        Self { cipher, reference, key, wrapped }
    }

    /// Changes the wrapped key, and returns what unwrapping it gives by the reference.
    fn spoil(&mut self, padded: bool, fields: Fields) -> Option<Vec<u8>> {
        let bit = usize::from(fields.bit) % (8 * self.wrapped.len());
        match fields.fault % 4 {
            0 => self.wrapped[bit / 8] ^= 1 << (bit % 8),
            1 => self.wrapped.truncate(bit / 8),
            _ => {}
        }
        let k = self.reference.of_16();
        if padded { unwrap_padded(k, &self.wrapped) } else { unwrap(k, &self.wrapped) }
    }
}

/// Every key becomes what the reference makes of it, alone and in a batch; one that was changed becomes zeros.
pub(crate) fn run(data: &[u8]) {
    let Some(case) = fields::<Case>(data) else { return };
    let padded = case.padded;
    let mut random = Random::new(case.seed);
    let fields = &case.keys[..case.keys.len().min(MOST)];
    let mut messages: Vec<_> =
        fields.iter().map(|fields| Message::new(&mut random, padded, *fields)).collect();

    let mut outputs: Vec<_> = messages.iter().map(|message| vec![7; message.wrapped.len()]).collect();
    let mut batch: Vec<_> = (messages.iter().zip(&mut outputs))
        .map(|(message, output)| WrapPacket::new(&message.cipher, &message.key, output))
        .collect();
    if padded {
        packets::key_wrap_padded(&mut batch)
    } else {
        packets::key_wrap(&mut batch)
    }
    for (message, packet) in messages.iter().zip(&batch) {
        let what = || format!("{} bytes on {}", message.key.len(), message.cipher.kernel());
        assert_eq!(packet.result, Ok(message.wrapped.len()), "{}", what());
        same(packet.output, &message.wrapped, what);
        let mode = KeyWrap::from_cipher(&message.cipher);
        let mut output = vec![7; message.wrapped.len()];
        let done = if padded {
            mode.wrap_padded(&message.key, &mut output)
        } else {
            mode.wrap(&message.key, &mut output)
        };
        assert_eq!(done, Ok(()), "{}", what());
        same(&output, &message.wrapped, what);
    }

    let expected: Vec<_> =
        messages.iter_mut().zip(fields).map(|(message, fields)| message.spoil(padded, *fields)).collect();
    let room = |message: &Message| vec![7; message.wrapped.len().saturating_sub(8)];
    let mut outputs: Vec<_> = messages.iter().map(room).collect();
    let mut batch: Vec<_> = (messages.iter().zip(&mut outputs))
        .map(|(message, output)| WrapPacket::new(&message.cipher, &message.wrapped, output))
        .collect();
    if padded {
        packets::key_unwrap_padded(&mut batch)
    } else {
        packets::key_unwrap(&mut batch)
    }
    for ((message, packet), expected) in messages.iter().zip(&batch).zip(&expected) {
        let what = || format!("{} wrapped bytes on {}", message.wrapped.len(), message.cipher.kernel());
        let mode = KeyWrap::from_cipher(&message.cipher);
        let mut output = room(message);
        let len = output.len();
        let opened = if padded {
            mode.unwrap_padded(&message.wrapped, &mut output)
        } else {
            mode.unwrap(&message.wrapped, &mut output).map(|()| len)
        };
        assert_eq!(opened, packet.result, "{}", what());
        same(packet.output, &output, what);
        match expected {
            Some(key) => {
                assert_eq!(opened, Ok(key.len()), "{}", what());
                same(&output[..key.len()], key, what);
            }
            None if opened == Err(Error::WrapLength) => assert!(output.iter().all(|byte| *byte == 7)),
            None => {
                assert_eq!(opened, Err(Error::TagMismatch), "{}", what());
                assert!(output.iter().all(|byte| *byte == 0), "{}", what());
            }
        }
    }
}
