//! AEZ v5, after an article of July 2025 about an implementation in Rust.
//!
//! A message and the zeros that become its tag are enciphered together, in two passes over pairs of blocks. A pair
//! (M, M') becomes W = M + E(1, i) M' and X = M' + E(0, 0) W, where sums are xors. When the sum of all X has been turned
//! into S, the pair becomes Y = W + E(2, i) S and Z = X + E(2, i) S, and at last C' = Y + E(0, 0) Z and
//! C = Z + E(1, i) C'. Each E(j, i) is four rounds of AES on a block to which an offset has been added: j times J, a power
//! of two times I that is doubled once in eight pairs, and (i mod 8) times L. The rounds are few, so much of the article
//! is about the offsets.
//!
//! The messages are 16 bytes longer than their names say. With the tag there are then eight pairs, or 16, .., and the
//! two blocks that take a way of their own at the end of every message, and nothing between them.

mod eights;
mod key;
mod numbers;
mod one_by_one;
mod software;
mod vectors;

use abreast::InOutBuf;
use abreast::aez::Aez;
use abreast_reference::aez;
use abreast_simd::{AesBlocks, AesIsa, AesLevel, Blocks, dispatch_aes};

use eights::{DoubledInVectors, PassTwoUnrolled, SharedTerm};
use key::{Key, NONCE};
use one_by_one::{FromScratch, KeptMultiples, Running};
use vectors::Passes;

use crate::floor::{self, Floor};
use crate::ladder::{Ladder, Step, Workload};
use crate::sample::Random;

const KEY: [u8; 48] = *b"forty-eight bytes, which are taken as they are..";

/// Bytes of a KiB.
const KIB: usize = 1024;

/// The speeds that the article reports one after the other, in MiB/s, and why the factor over the first differs here.
const ARTICLE: [(f64, Option<&str>); 9] = [
    (88.0, None),
    (140.0, None),
    (187.0, None),
    (
        522.0,
        Some("At this length the doublings take most of the time, and this step leaves them as they are."),
    ),
    (
        723.0,
        Some(
            "An offset from scratch takes some 33 doublings on average at this length, and more is saved \
             than in the article. The steps that follow keep that lead.",
        ),
    ),
    (1.7 * 1024.0, None),
    (2.9 * 1024.0, None),
    (3.6 * 1024.0, None),
    (
        4.0 * 1024.0,
        Some(
            "The compiler has made a few instructions of the multiplication by two, in general registers, \
             which are idle otherwise. In a vector the doubling competes with the rounds and the xors: it is \
             slower on Zen 3.",
        ),
    ),
];

/// The ladder.
pub(super) fn ladder() -> Ladder {
    Ladder {
        name: "aez",
        title: "AEZ",
        about: "Encryption by AEZ v5 with a key of 48 bytes, a nonce of 12, no associated data and a tag of \
                16 bytes, after an article of 2025. Its author came from 88 MiB/s to 4.0 GiB/s in Rust; the \
                reference in C had 5.0 GiB/s there. The article's speeds are assigned to the steps in their \
                order.",
        instructions: floor::aes_instructions(),
        workloads: vec![
            workload("16 KiB", 16 * KIB, beside_the_article(all_steps())),
            // From scratch the offsets of a message take time in proportion to the square of its length: for each of
            // these some 2000 doublings on average.
            workload("1 MiB", KIB * KIB, steps_with_running_offsets()),
            workload("1 KiB", KIB, all_steps()),
        ],
    }
}

fn workload(name: &'static str, bytes: usize, steps: Vec<Step>) -> Workload {
    let input = Random::new(1).bytes(bytes + 16);
    let expected = aez::encrypt(&KEY, &NONCE, &[], 16, &input);
    // Five times four rounds for the two blocks of a pair.
    let floor = Floor::of_aes_rounds(10.0);
    Workload { name, bytes: input.len(), input, expected, steps, floor }
}

/// With the article's factors over its first speed.
fn beside_the_article(mut steps: Vec<Step>) -> Vec<Step> {
    for (step, (speed, differs)) in steps.iter_mut().zip(ARTICLE) {
        step.then = Some(speed / ARTICLE[0].0);
        step.differs = differs;
    }
    steps
}

fn all_steps() -> Vec<Step> {
    let mut steps = steps_from_scratch();
    steps.extend(steps_with_running_offsets());
    steps
}

/// The steps that make each offset from scratch.
fn steps_from_scratch() -> Vec<Step> {
    let key = Key::new(&KEY);
    vec![
        Step::new(
            "software AES",
            "The specification word by word: blocks are numbers of 128 bits, each offset is multiplied from \
             scratch, and an AES round is 16 look-ups in a table.",
            move |input, output| numbers::encrypt(&key, software::round, input, output),
        ),
        Step::if_detected(
            aes_level(),
            NO_AES,
            "AES instructions, called",
            "An AES round is one instruction instead of 16 look-ups. Code for any CPU cannot have it \
             inlined, though: each round is a call, and the block goes through memory.",
            |level| {
                Box::new(move |input, output| {
                    numbers::encrypt(
                        &key,
                        |state, key| dispatch_aes!(level, isa => round(isa.narrow(), state, key)),
                        input,
                        output,
                    );
                })
            },
        ),
        Step::if_detected(
            aes_level(),
            NO_AES,
            "AES instructions, inlined",
            "All of the encryption is compiled for CPUs with AES instructions. The rounds are inlined, and \
             the block stays in a register from one to the next.",
            |level| {
                Box::new(move |input, output| {
                    dispatch_aes!(level, isa => numbers::encrypt(
                        &key,
                        #[inline(always)]
                        |state, key| round(isa.narrow(), state, key),
                        input,
                        output,
                    ));
                })
            },
        ),
        one_block::<FromScratch>(
            "vector xors",
            "Blocks are vectors from the load to the store. As numbers they went to general registers for \
             each xor, and their bytes were reversed on the way there and back.",
        ),
    ]
}

/// The steps that make each offset from the one before.
fn steps_with_running_offsets() -> Vec<Step> {
    vec![
        one_block::<Running>(
            "running offset",
            "The power of two in the offsets is kept from one pair to the next and doubled once in eight \
             pairs. From scratch each offset began at I again, with more doublings the further it was in the \
             message.",
        ),
        one_block::<KeptMultiples>(
            "multiples of L kept",
            "The eight multiples of L that occur in offsets are made with the key. A load takes the place of \
             a loop of doublings, three times for each pair.",
        ),
        one_block::<SharedTerm>(
            "shared term for 8 pairs",
            "What the offsets of eight pairs have in common is made and moved to a vector once for all of \
             them. An offset is then a single xor with a multiple of L.",
        ),
        one_block::<PassTwoUnrolled>(
            "pass two on 8 pairs",
            "Pass two takes a round of all eight pairs before the next one. The CPU need not look beyond the \
             12 rounds of a pair, which wait for each other, to find independent work.",
        ),
        one_block::<DoubledInVectors>(
            "doubling in a vector",
            "The power of two is doubled in a vector, by shifts and a carry-less product: a special case \
             beside the multiplication by any number, which has its result in general registers.",
        ),
        wide(
            "vaes",
            "this CPU has no AES instructions on 256 bits",
            "VAES, 256 bits",
            "An instruction computes on two blocks, and left blocks and right blocks have vectors of their \
             own. The doubling is in general registers again.",
        ),
        wide(
            "avx512",
            "this CPU has no AES instructions on 512 bits",
            "VAES, 512 bits",
            "An instruction computes on four blocks. Nothing else changes.",
        ),
        Step::new(
            "library",
            "The library takes two registers side by side in both passes, and makes the xor after AES4 the \
             key of its last round. Messages have any length, with any associated data.",
            {
                let aez = Aez::new(&KEY);
                move |input, output| {
                    let (text, tag) = output.split_last_chunk_mut().expect("the tag has 16 bytes");
                    let io = InOutBuf::new(input, text).expect("both have the same length");
                    aez.encrypt_detached(&NONCE, &[], io, tag).expect("the message is not too long");
                }
            },
        ),
    ]
}

const NO_AES: &str = "this CPU has no AES instructions";

/// AES instructions on one block. On x86 there are two encodings of them, the better one last.
fn aes_level() -> Option<AesLevel> {
    AesLevel::detect_all().rfind(|level| ["aesni", "neon-aes"].contains(&level.name()))
}

/// A round of AES by its instruction.
#[inline(always)]
fn round<I: AesIsa>(isa: I, state: [u8; 16], key: [u8; 16]) -> [u8; 16] {
    I::Blocks::splat(isa, &state).encrypt_round(I::Blocks::splat(isa, &key)).to_first()
}

/// A step with vectors of one block.
fn one_block<P: Passes>(name: &'static str, change: &'static str) -> Step {
    let key = Key::new(&KEY);
    Step::if_detected(aes_level(), NO_AES, name, change, |level| {
        Box::new(move |input, output| {
            dispatch_aes!(level, isa => vectors::encrypt::<_, P>(isa.narrow(), &key, input, output));
        })
    })
}

/// A step with the vectors of a level that has this name.
fn wide(level: &str, why_missing: &'static str, name: &'static str, change: &'static str) -> Step {
    let key = Key::new(&KEY);
    let level = AesLevel::detect_all().find(|detected| detected.name() == level);
    Step::if_detected(level, why_missing, name, change, |level| {
        Box::new(move |input, output| {
            dispatch_aes!(level, isa => vectors::encrypt::<_, PassTwoUnrolled>(isa, &key, input, output));
        })
    })
}
