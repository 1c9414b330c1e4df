//! AES-128 in counter mode, for packets.
//!
//! The ladder follows an article about AES on the TILE-Gx (2011), a processor of 36 cores without AES instructions. A
//! core issues up to three instructions in a cycle, in the order of the program, and has 64 registers of 64 bits. The
//! article begins with the usual routine, which looks up four tables, and ends at 208 cycles for a block, 1.61 times as
//! fast. The cached counters are from the same author's article about AES in SRTP (2010). The last steps are the ways of
//! today: no tables at all, then AES instructions, and in the end all round keys in registers again.
//!
//! All packets have the same key, and each has a nonce of 12 bytes, to which a counter of 32 bits is added that begins
//! at 1, as in RFC 3686. Packets are multiples of 64 bytes, which is the widest register, so that no step has to care
//! for partial blocks.

mod packets;
mod tables;
mod with_instructions;
mod with_library;
mod with_tables;

use abreast_reference::{aes::Aes, ctr};

use crate::floor::{self, Floor};
use crate::ladder::{Ladder, Workload};
use crate::sample::Random;
use packets::{KEY, Packets, counter_block};

pub(super) use with_instructions::{RoundKeys, lanes_of};

/// Returns the round keys of a key, as registers load them.
pub(super) fn round_keys(key: &[u8; 16]) -> RoundKeys {
    tables::expand(key).map(with_instructions::bytes)
}

/// Rounds of AES-128: nine whole ones and the last.
const ROUNDS: f64 = 10.0;

/// The ladder.
pub(super) fn ladder() -> Ladder {
    Ladder {
        name: "aes",
        title: "AES-128-CTR of packets",
        about: "Packets encrypted with AES-128 in counter mode, all under one key. The steps up to the last round \
                without its own table are from an article about AES on the many-core processor TILE-Gx (2011), the \
                cached counters from the same author's article about AES in SRTP (2010).",
        instructions: floor::aes_instructions(),
        workloads: vec![workload("256 packets of 1600 B", 256, 1600), workload("64 packets of 64 B", 64, 64)],
    }
}

fn workload(name: &'static str, count: usize, len: usize) -> Workload {
    let mut random = Random::new(1);
    let input = random.bytes(count * len);
    let packets = Packets { len, nonces: random.bytes(count * 12).as_chunks().0.to_vec() };
    let reference = Aes::new(&KEY);
    let mut expected = Vec::new();
    for (nonce, packet) in packets.nonces.iter().zip(input.chunks(len)) {
        expected.extend(ctr::xor(&reference, &counter_block(nonce, 1), 32, packet));
    }
    let mut steps = with_tables::steps(&packets);
    steps.push(with_library::bit_sliced(&packets));
    steps.extend(with_instructions::steps(&packets));
    steps.extend([with_library::one_after_the_other(&packets), with_library::all_packets(&packets)]);
    Workload { name, bytes: input.len(), input, expected, steps, floor: Floor::of_aes_rounds(ROUNDS) }
}
