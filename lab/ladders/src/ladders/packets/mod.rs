//! Many messages with a key each: AES-128 in CBC mode.
//!
//! In CBC each block is xored with the ciphertext of the block before, so a message is one chain from its first block to its
//! last. Nothing in a message can go side by side. But a server has many messages, which know nothing of each other. The
//! ladder goes from a loop over them to the library's batches, which is what the library is for.
//!
//! All messages have the same length, and there are as many as fill all groups, so that no step cares for a rest.

mod by_hand;
mod messages;
mod with_library;

use abreast_reference::{aes::Aes, cbc};
use abreast_simd::{AesLevel, dispatch_aes};

use super::aes::{RoundKeys, lanes_of, round_keys};
use crate::floor::{self, Floor};
use crate::ladder::{Ladder, Step, Workload};
use crate::sample::Random;

use by_hand::side_by_side;
use messages::Messages;

/// The messages of a call.
const COUNT: usize = 256;

/// The ladder.
pub(super) fn ladder() -> Ladder {
    Ladder {
        name: "packets",
        title: "AES-128-CBC of packets",
        about: "Messages encrypted with AES-128 in CBC mode, 256 in a call, each under a key and an IV of its own.",
        instructions: floor::aes_instructions(),
        workloads: vec![
            workload("256 messages of 1600 B", 1600),
            workload("256 messages of 256 B", 256),
            workload("256 messages of 64 B", 64),
        ],
    }
}

fn workload(name: &'static str, len: usize) -> Workload {
    let mut random = Random::new(1);
    let input = random.bytes(COUNT * len);
    let mut blocks = || random.bytes(COUNT * 16).as_chunks().0.to_vec();
    let messages = Messages { len, keys: blocks(), ivs: blocks() };
    let mut expected = Vec::new();
    for ((key, iv), text) in messages.keys.iter().zip(&messages.ivs).zip(input.chunks(len)) {
        expected.extend(cbc::encrypt(&Aes::new(key), iv, text));
    }
    let steps = steps(&messages);
    Workload { name, bytes: input.len(), input, expected, steps, floor: Floor::of_aes_rounds(10.0) }
}

const NO_AES: &str = "this CPU has no AES instructions";

fn steps(messages: &Messages) -> Vec<Step> {
    let one_block = AesLevel::detect_all().rfind(|level| lanes_of(*level) == 1);
    let named = |name| AesLevel::detect_all().find(|level| level.name() == name);
    let mut steps = with_library::one_by_one(messages);
    steps.extend([
        by_hand::<1>(
            messages,
            one_block,
            NO_AES,
            "the chain by hand",
            "The loop of the library written out: load, xor, ten rounds, store. Nothing is around the chain any more, \
             and the time is that of the chain: ten rounds that wait for each other for each 16 bytes.",
        ),
        by_hand::<4>(
            messages,
            one_block,
            NO_AES,
            "4 messages take turns",
            "A round of four messages, each with its own round key, then the next round. While one message waits for \
             its round, the others begin theirs.",
        ),
        by_hand::<8>(
            messages,
            one_block,
            NO_AES,
            "8 messages take turns",
            "Twice as many. Now the AES units begin a round in nearly every cycle that they can, and each round loads \
             a round key of its own.",
        ),
        by_hand::<8>(
            messages,
            named("vaes"),
            "this CPU has no AES instructions on registers of 256 bits",
            "a lane each, 256 bits",
            "Two messages share a register, and one instruction does a round of both. Their round keys lie side by side, \
             so that one load brings both. With eight registers, sixteen messages are under way.",
        ),
        by_hand::<8>(
            messages,
            named("avx512"),
            "this CPU has no AVX-512, or no AES instructions for it",
            "a lane each, 512 bits",
            "Four messages in a register: thirty-two are under way. Gathering their blocks from 32 places, and bringing \
             them back there, is now a good part of the time.",
        ),
    ]);
    steps.push(with_library::all_messages(messages));
    steps
}

/// A step with `N` registers of messages side by side.
fn by_hand<const N: usize>(
    messages: &Messages,
    level: Option<AesLevel>,
    why_missing: &'static str,
    name: &'static str,
    change: &'static str,
) -> Step {
    let messages = messages.clone();
    Step::if_detected(level, why_missing, name, change, |level| {
        let expanded: Vec<RoundKeys> = messages.keys.iter().map(round_keys).collect();
        let keys = by_hand::in_lanes(&expanded, lanes_of(level));
        Box::new(move |input, output| {
            dispatch_aes!(level, isa => side_by_side::<N, _>(isa, &messages, &keys, input, output));
        })
    })
}
