//! Batches of AEZ against the same packets one by one.

use abreast::aez::Aez;
use abreast::modes::Direction;
use abreast::packets::{AezKey, Packet, aez_decrypt, aez_encrypt};
use abreast::{Error, InOutBuf};
use arbitrary::Arbitrary;

use crate::common::aez::{aez_kernels, at_len, in_place_or_not};
use crate::common::{Random, same};
use crate::input::{fields, pick};

#[derive(Arbitrary, Debug)]
struct Case {
    kernel: u8,
    /// True if packets may have other kernels than the first.
    mixed: bool,
    decrypt: bool,
    seed: u64,
    packets: Vec<Message>,
}

#[derive(Arbitrary, Clone, Copy, Debug)]
struct Message {
    kernel: u8,
    len: u16,
    nonce: u8,
    aad: u8,
    tag: u8,
    flags: u8,
}

/// The most packets of a batch.
const MOST: usize = 70;

/// A message with its key and what is written.
struct Member {
    key: Aez,
    nonce: Vec<u8>,
    aad: Vec<u8>,
    input: Vec<u8>,
    output: Vec<u8>,
    tag: Vec<u8>,
    in_place: bool,
}

impl Member {
    fn new(random: &mut Random, message: Message, kernel: u8) -> Self {
        let len = usize::from(message.len >> 2) % if message.len.is_multiple_of(4) { 3000 } else { 300 };
        let nonce_len = if message.nonce.is_multiple_of(3) { message.nonce % 40 } else { 12 };
        let tag_len = if message.tag.is_multiple_of(3) { message.tag % 36 } else { 16 };
        let key_len = if message.flags & 4 == 0 { 48 } else { message.aad.into() };
        Self {
            key: Aez::with_kernel(&random.bytes(key_len), pick(&aez_kernels(), kernel))
                .expect("a kernel of AEZ"),
            nonce: random.bytes(nonce_len.into()),
            aad: random.bytes((message.aad % 70).into()),
            input: random.bytes(len),
            output: vec![0x3c; len],
            tag: vec![0x3c; tag_len.into()],
            in_place: message.flags & 1 != 0,
        }
    }

    fn io<'a>(in_place: bool, input: &'a mut [u8], output: &'a mut [u8]) -> InOutBuf<'a, 'a, u8> {
        in_place_or_not(in_place, input, output)
    }

    /// Does it by itself.
    fn alone(&mut self, direction: Direction) -> Result<(), Error> {
        let strings = [self.aad.as_slice()];
        // A packet has one string of associated data, or none if that is empty.
        let strings = if self.aad.is_empty() { &[][..] } else { &strings };
        let io = Self::io(self.in_place, &mut self.input, &mut self.output);
        match direction {
            Direction::Encrypt => {
                at_len(&self.key, self.tag.len()).encrypt_detached(&self.nonce, strings, io, &mut self.tag)
            }
            Direction::Decrypt => {
                at_len(&self.key, self.tag.len()).decrypt_detached(&self.nonce, strings, io, &self.tag)
            }
        }
    }

    fn written(&self) -> [Vec<u8>; 3] {
        [self.input.clone(), self.output.clone(), self.tag.clone()]
    }
}

pub(crate) fn run(data: &[u8]) {
    let Some(case) = fields::<Case>(data) else { return };
    let mut random = Random::new(case.seed);
    let mut members: Vec<Member> = Vec::new();
    for message in case.packets.iter().take(MOST) {
        let kernel = if case.mixed { message.kernel } else { case.kernel };
        let mut member = Member::new(&mut random, *message, kernel);
        if case.decrypt && member.alone(Direction::Encrypt).is_ok() {
            if !member.in_place {
                member.input = std::mem::replace(&mut member.output, vec![0x3c; member.input.len()]);
            }
            if let (1, Some(byte)) = (message.flags >> 4 & 3, member.tag.first_mut()) {
                *byte ^= 1;
            }
        }
        members.push(member);
    }
    let direction = if case.decrypt { Direction::Decrypt } else { Direction::Encrypt };
    let before: Vec<_> = members.iter().map(Member::written).collect();
    let expected: Vec<_> =
        members.iter_mut().map(|member| (member.alone(direction), member.written())).collect();
    for (member, before) in members.iter_mut().zip(before) {
        [member.input, member.output, member.tag] = before;
    }
    let mut batch: Vec<Packet<'_, AezKey<'_>>> = members
        .iter_mut()
        .map(|Member { key, nonce, aad, input, output, tag, in_place }| {
            Packet::new(at_len(key, tag.len()), nonce, Member::io(*in_place, input, output))
                .with_tag(aad, tag)
        })
        .collect();
    match direction {
        Direction::Encrypt => aez_encrypt(&mut batch),
        Direction::Decrypt => aez_decrypt(&mut batch),
    }
    let results: Vec<_> = batch.into_iter().map(|packet| packet.result).collect();
    for (at, (result, expected)) in results.iter().zip(&expected).enumerate() {
        let what =
            || format!("packet {at} of {}, {direction:?}, {:?}", results.len(), members[at].key.kernel());
        assert_eq!(*result, expected.0, "{}", what());
        for (got, expected) in members[at].written().iter().zip(&expected.1) {
            same(got, expected, what);
        }
    }
}
