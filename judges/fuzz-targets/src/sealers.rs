//! Every mode of authenticated encryption of the table: one call, batches, and messages that were changed.

use abreast::modes::Direction;
use abreast::packets::Packet;
use abreast::table::{ModeRow, Sealer, Sealing, TagLengths, Vector, sealing_modes};
use abreast::{Error, Kernel};
use abreast_reference::sealed;
use arbitrary::Arbitrary;

use crate::common::{Random, both_ways, same};
use crate::input::{fields, pick};

#[derive(Arbitrary, Debug)]
struct Case {
    mode: u8,
    seed: u64,
    messages: Vec<Fields>,
}

#[derive(Arbitrary, Clone, Copy, Debug)]
struct Fields {
    key_len: u8,
    kernel: u8,
    nonce_len: u8,
    aad_len: u8,
    len: u16,
    /// The fault of the message when it is opened, and the bit that is changed.
    fault: u8,
    bit: u16,
}

/// The most messages, and the most bytes of one: the reference is slow.
const MOST: usize = 40;
const LONGEST: usize = 700;

/// A message, with its ciphertext and tag by the reference.
struct Message {
    sealer: Box<dyn Sealer>,
    nonce: Vec<u8>,
    aad: Vec<u8>,
    plaintext: Vec<u8>,
    ciphertext: Vec<u8>,
    tag: Vec<u8>,
}

impl Message {
    fn new(random: &mut Random, row: &ModeRow, sealing: Sealing, fields: Fields) -> Self {
        let kernels: Vec<Kernel> = sealing.kernels().collect();
        let key = random.bytes(pick(sealing.key_lens, fields.key_len));
        let sealer = sealing.make(&key, pick(&kernels, fields.kernel)).expect("a key of the table");
        let Vector::Nonce(least, most) = row.vector else { panic!("{}: no nonce", row.name) };
        let nonce = random.bytes(usize::from(fields.nonce_len % 40).clamp(least, most));
        let aad = random.bytes(fields.aad_len.into());
        let plaintext = random.bytes(usize::from(fields.len) % LONGEST);
        let (ciphertext, tag) =
            sealed(row.name, &key, &nonce, &aad, &plaintext).expect("a mode of the reference");
        Self { sealer, nonce, aad, plaintext, ciphertext, tag }
    }

    /// Changes the ciphertext, the associated data or the tag, and returns the result of opening it.
    fn spoil(&mut self, row: &ModeRow, fields: Fields) -> Result<(), Error> {
        let flip = |bytes: &mut [u8]| {
            let at = usize::from(fields.bit) % (8 * bytes.len());
            bytes[at / 8] ^= 1 << (at % 8);
        };
        match fields.fault % 8 {
            1 if !self.ciphertext.is_empty() => flip(&mut self.ciphertext),
            2 if !self.aad.is_empty() => flip(&mut self.aad),
            3 => flip(&mut self.tag),
            4 if matches!(row.tags, TagLengths::Of(_)) => {
                self.tag.truncate(7);
                return Err(Error::TagLength);
            }
            _ => return Ok(()),
        }
        Err(Error::TagMismatch)
    }

    /// Returns the buffer after it was opened with a result.
    fn opened(&self, result: Result<(), Error>) -> Vec<u8> {
        match result {
            Ok(()) => self.plaintext.clone(),
            Err(Error::TagMismatch) => vec![0; self.plaintext.len()],
            Err(_) => self.ciphertext.clone(),
        }
    }
}

/// Every message becomes what the reference makes of it, alone and in a batch; one that was changed becomes zeros.
pub(crate) fn run(data: &[u8]) {
    let Some(case) = fields::<Case>(data) else { return };
    let modes: Vec<_> = sealing_modes().collect();
    let (row, sealing) = modes[usize::from(case.mode) % modes.len()];
    let mut random = Random::new(case.seed);
    let fields = &case.messages[..case.messages.len().min(MOST)];
    let mut messages: Vec<_> =
        fields.iter().map(|fields| Message::new(&mut random, row, sealing, *fields)).collect();

    for (at, message) in messages.iter().enumerate() {
        let what = || format!("{}, message {at} on {}", row.name, message.sealer.kernel());
        both_ways(&message.plaintext, &message.ciphertext, at, what, |io| {
            let mut tag = [0; 16];
            assert_eq!(message.sealer.seal(&message.nonce, &message.aad, io, &mut tag), Ok(()), "{}", what());
            same(&tag, &message.tag, what);
        });
    }
    batch(row, sealing, Direction::Encrypt, &messages, &vec![Ok(()); messages.len()]);

    let expected: Vec<_> =
        messages.iter_mut().zip(fields).map(|(message, fields)| message.spoil(row, *fields)).collect();
    for ((at, message), expected) in messages.iter().enumerate().zip(&expected) {
        let what = || format!("{}, message {at} on {}", row.name, message.sealer.kernel());
        let mut opened = message.ciphertext.clone();
        let io = opened.as_mut_slice().into();
        assert_eq!(
            message.sealer.open(&message.nonce, &message.aad, io, &message.tag),
            *expected,
            "{}",
            what()
        );
        same(&opened, &message.opened(*expected), what);
    }
    batch(row, sealing, Direction::Decrypt, &messages, &expected);
}

/// Encrypts or decrypts all messages in one call.
fn batch(
    row: &ModeRow,
    sealing: Sealing,
    direction: Direction,
    messages: &[Message],
    expected: &[Result<(), Error>],
) {
    let encrypts = direction == Direction::Encrypt;
    let from =
        |message: &Message| if encrypts { message.plaintext.clone() } else { message.ciphertext.clone() };
    let mut data: Vec<_> = messages.iter().map(from).collect();
    let mut tags: Vec<_> =
        messages.iter().map(|message| if encrypts { vec![0; 16] } else { message.tag.clone() }).collect();
    let packet = |((message, data), tag)| {
        let Message { sealer, nonce, aad, .. }: &Message = message;
        let data: &mut Vec<u8> = data;
        let tag: &mut Vec<u8> = tag;
        Packet::new(&**sealer, nonce, data.as_mut_slice()).with_tag(aad, tag)
    };
    let mut packets: Vec<Packet<'_, &dyn Sealer>> =
        messages.iter().zip(&mut data).zip(&mut tags).map(packet).collect();
    sealing.batch(direction, &mut packets);
    let results: Vec<_> = packets.iter().map(|packet| packet.result).collect();
    assert_eq!(results, expected, "{} in a batch", row.name);
    for (((message, data), tag), result) in messages.iter().zip(&data).zip(&tags).zip(expected) {
        let after = if encrypts { message.ciphertext.clone() } else { message.opened(*result) };
        same(data, &after, || format!("{} in a batch", row.name));
        same(tag, &message.tag, || format!("{} in a batch: the tag", row.name));
    }
}
