//! Batches of packets against the same packets one by one.

use abreast::modes::Direction;
use arbitrary::Arbitrary;

use crate::common::Random;
use crate::common::packets::{How, Kind, Member, Parts, check, random_parts};
use crate::input::{fields, pick};

#[derive(Arbitrary, Debug)]
struct Case {
    how: u8,
    decrypt: bool,
    seed: u64,
    /// True if all packets are for the cipher and the kernel of the first, so that they go side by side.
    alike: bool,
    packets: Vec<Message>,
}

#[derive(Arbitrary, Clone, Copy, Debug)]
struct Message {
    kind: u8,
    kernel: u8,
    len: u16,
    flags: u8,
}

/// The most packets of a batch, and the most bytes of it.
const MOST: usize = 140;
const MOST_BYTES: usize = 60_000;

impl Message {
    /// Short ones, ones around 1 to 4 KiB, where the library may go another way, and others.
    fn len(self) -> usize {
        let len = usize::from(self.len >> 2);
        match self.len % 4 {
            0 => len % 300,
            1 => len % 70,
            2 => 1024 * (1 + len % 4) + len / 4 % 257 - 128,
            _ => len % 5200,
        }
    }

    fn has(self, flag: u8) -> bool {
        self.flags >> flag & 1 != 0
    }

    /// Makes something wrong with about a quarter of them.
    fn spoil(self, parts: &mut Parts) {
        match self.flags >> 3 {
            1 => parts.iv.truncate(parts.iv.len().saturating_sub(1)),
            2 => parts.iv.push(0),
            3 => parts.input.push(0),
            4 => parts.tag.push(0),
            5 => parts.tag.clear(),
            6 => parts.tag.iter_mut().for_each(|byte| *byte ^= 1),
            7 => parts.aad.push(0),
            _ => {}
        }
    }
}

/// Every packet becomes what it is alone, a bad one too, whatever lies beside it.
pub(crate) fn run(data: &[u8]) {
    let Some(case) = fields::<Case>(data) else { return };
    let how = pick(&How::ALL, case.how);
    let direction = if case.decrypt { Direction::Decrypt } else { Direction::Encrypt };
    let mut random = Random::new(case.seed);
    let (mut keys, mut bytes) = (Vec::new(), 0);
    for message in case.packets.iter().take(MOST) {
        bytes += message.len();
        if bytes > MOST_BYTES {
            break;
        }
        let like = if case.alike { &case.packets[0] } else { message };
        let kind = pick(&Kind::all(), like.kind);
        if how.suits(kind) {
            let key =
                kind.key(&random.bytes(kind.key_len()), pick(&kind.kernels(), like.kernel), message.has(0));
            keys.push((key, kind, *message));
        }
    }
    let mut batch = Vec::new();
    for (key, kind, message) in &keys {
        let mut parts = random_parts(&mut random, how, *kind, message.len());
        if direction == Direction::Decrypt && how.directions().contains(&direction) {
            parts = Member::judged(how, Direction::Encrypt, &**key, &**key, parts).after;
        }
        message.spoil(&mut parts);
        let parts = parts.in_place(message.has(1));
        batch.push(Member::judged(how, direction, &**key, &**key, parts));
    }
    check("fuzzed", how, direction, &batch);
}
