//! Serpent, after an article about SIMD in the library Botan (2009).
//!
//! A block cipher there encrypted one block a call. The article gives it a second interface, `encrypt_n`,
//! which takes as many blocks as a mode has; behind it, Serpent encrypts four blocks side by side in the
//! registers of SSE2, and eight in an experiment. The steps after that are what CPUs have had to offer since.
//!
//! * `interface`: both interfaces, and the modes on top of them.
//! * `circuits`, `rounds`: the cipher, written once for words and for vectors of words.
//! * `scalar`, `vectors`, `bitslice`: the steps.
//! * `aes`: AES by the same interfaces, which the article measures for comparison.

mod aes;
mod bitslice;
mod circuits;
mod interface;
mod rounds;
mod scalar;
mod vectors;

use abreast::modes::{CounterWidth, Ctr};
use abreast::{BlockCipher, InOutBuf, serpent};
use abreast_reference::{aes::Aes as ReferenceAes, serpent::Serpent as ReferenceSerpent};
use abreast_reference::{ctr as reference_ctr, ecb as reference_ecb};
use abreast_simd::{AesLevel, Level, Words, WordsIsa, dispatch};

use crate::floor::{self, Floor, WordOperations};
use crate::ladder::{Ladder, Run, Step, Workload};
use crate::sample::Random;

use aes::{Aes128, EightRegisters, OneRegister};
use bitslice::FullBitslice;
use interface::{COUNTER, EachBlock, ManyBlocks, ctr, ecb};
use scalar::Scalar;
use vectors::Groups;

const KEY: [u8; 32] = *b"a key of thirty-two bytes, or so";
const AES_KEY: [u8; 16] = *b"a key of 16 byte";

/// The article's factors for four blocks side by side and for two times four, where it has them for a mode.
type Article = [Option<f64>; 2];

/// Bytes of the long messages.
const LONG: usize = 16 << 10;

/// The ladder.
pub(super) fn ladder() -> Ladder {
    Ladder {
        name: "serpent",
        title: "Serpent",
        about: "Serpent with a key of 256 bits, after an article of 2009 about SIMD in the library Botan. \
                On a Core 2 of 2.4 GHz it measured 42.1 MiB/s with one block a call, 113.5 with many \
                blocks a call and four of them in the registers of SSE2, and more than 160 with two such \
                groups interleaved, in counter mode, where it had begun at 39.7. The other steps are of later instruction sets. In the last workload, \
                AES goes through the same two interfaces.",
        instructions: floor::word_instructions(),
        workloads: vec![
            serpent_ecb("16 KiB, ECB", LONG, [Some(113.5 / 42.1), None]),
            serpent_ctr("16 KiB, CTR", LONG, [Some(100.8 / 39.7), Some(160.0 / 39.7)]),
            serpent_ecb("256 B, ECB", 256, [None; 2]),
            aes_ecb("16 KiB, AES-128: one block a call or many", LONG),
        ],
    }
}

/// Blocks of Serpent, each by itself.
fn serpent_ecb(name: &'static str, bytes: usize, article: Article) -> Workload {
    let input = Random::new(1).bytes(bytes);
    let expected = reference_ecb::encrypt(&ReferenceSerpent::new(&KEY), &input);
    let mut steps = steps(ecb, article);
    steps.push(Step::new("library", LIBRARY, raw_blocks(library())));
    Workload { name, bytes, input, expected, steps, floor: Some(floor()) }
}

/// The counter mode of Serpent.
fn serpent_ctr(name: &'static str, bytes: usize, article: Article) -> Workload {
    let input = Random::new(1).bytes(bytes);
    let expected = reference_ctr::xor(&ReferenceSerpent::new(&KEY), &COUNTER, 128, &input);
    let mut steps = steps(ctr, article);
    steps.push(Step::new("library", LIBRARY, {
        let cipher = library();
        move |input, output| {
            let io = InOutBuf::new(input, output).expect("both have the same length");
            let mut ctr = Ctr::from_block(&cipher, &COUNTER, CounterWidth::Bits128);
            ctr.apply(io).expect("no counter comes twice");
        }
    }));
    Workload { name, bytes, input, expected, steps, floor: Some(floor()) }
}

const LIBRARY: &str = "The kernel of this library that is chosen for this CPU: up to four groups of the \
    widest registers side by side, and round keys are added in the linear transformation, to words that wait \
    for others anyway.";

fn library() -> serpent::Serpent {
    serpent::Serpent::new(&KEY).expect("Serpent takes 32 bytes")
}

/// A cipher of the library in ECB.
fn raw_blocks(cipher: impl BlockCipher + 'static) -> impl FnMut(&[u8], &mut [u8]) + 'static {
    move |input, output| {
        let io = InOutBuf::new(input, output).expect("both have the same length");
        cipher.encrypt_raw_blocks(io).expect("the input is whole blocks");
    }
}

/// The steps of Serpent in a mode, without the library.
fn steps(mode: fn(Box<dyn ManyBlocks>) -> Run, [four, two_times_four]: Article) -> Vec<Step> {
    let keys = rounds::expand(&KEY);
    vec![
        Step::new(
            "one block a call",
            "The interface that block ciphers had: a mode calls the cipher for each block, through a table \
             of functions. The four words of the block are in general registers, and an S-box is a circuit \
             on them.",
            mode(Box::new(EachBlock(Box::new(Scalar(keys))))),
        ),
        Step::new(
            "encrypt_n, one by one",
            "One call for all blocks, which loops over them. That saves little, since a call is short and \
             a block is long, but now the cipher knows all the blocks that it could encrypt side by side.",
            mode(Box::new(Scalar(keys))),
        ),
        Step {
            then: four,
            ..Step::if_detected(
                level(&["sse2", "neon", "simd128"]),
                "this CPU has neither SSE2 nor NEON",
                "4 blocks, SSE2 or NEON",
                "A register of 128 bits holds a word of each of four blocks, so that an instruction works \
                 for four. It is not four times as fast, because SSE2 has no rotation and takes three \
                 instructions for it.",
                |level| mode(Box::new(Groups::<1, false> { level, keys })),
            )
        },
        Step {
            then: two_times_four,
            ..Step::if_detected(
                level(&["sse2", "neon", "simd128"]),
                "this CPU has neither SSE2 nor NEON",
                "2 x 4 blocks, interleaved",
                "Two groups of four blocks, by turns in each round. One of them alone leaves the CPU \
                 waiting for results; now there is work for this time.",
                |level| mode(Box::new(Groups::<2, true> { level, keys })),
            )
        },
        Step::if_detected(
            level(&["avx2"]),
            "this CPU has no AVX2",
            "8 blocks, AVX2",
            "One group again, of eight blocks in registers of 256 bits. It takes the time of four in SSE2.",
            |level| mode(Box::new(Groups::<1, false> { level, keys })),
        ),
        Step::if_detected(
            level(&["avx512"]),
            "this CPU has no AVX-512",
            "16 blocks, AVX-512",
            "Registers of 512 bits, and a rotation is one instruction. The compiler joins two logic \
             operations in one of three inputs where it can.",
            |level| mode(Box::new(Groups::<1, false> { level, keys })),
        ),
        Step::if_detected(
            level(&["avx512"]),
            "this CPU has no AVX-512",
            "16 blocks, three-input logic",
            "Circuits that were searched for with operations on three inputs: an S-box takes 7 or 8 of \
             them, and on two inputs 13 to 15. The compiler had found a part of the difference by itself.",
            |level| mode(Box::new(Groups::<1, true> { level, keys })),
        ),
        Step::new(
            "2 groups of the widest",
            "Two groups in the widest registers of this CPU, for the same reason as two times four blocks.",
            mode(Box::new(Groups::<2, true> { level: Level::best(), keys })),
        ),
        Step::new(
            "full bit-slice",
            "A register for each of the 128 bits of a block, so that rotations and shifts are no \
             instructions any more. In exchange, operands are in memory, bits are transposed on the way in \
             and out, and a pass is as many blocks as a register has bits, however few are there.",
            mode(Box::new(FullBitslice::new(Level::best(), &keys))),
        ),
    ]
}

/// The first of some instruction sets that this CPU has.
fn level(names: &[&str]) -> Option<Level> {
    Level::detect_all().find(|level| names.contains(&level.name()))
}

/// Returns the floor of Serpent in the arrangement of all steps but the full bit-slice. That one has fewer
/// instructions, two thirds with AVX2, but is bound by loads and stores, which a floor leaves out.
fn floor() -> Floor {
    Floor::of_words(|level| dispatch!(level, isa => operations(isa)))
}

/// The instructions on a group of blocks, as the widest registers have them.
#[inline(always)]
fn operations<I: WordsIsa>(_: I) -> WordOperations {
    // The eight S-boxes together, a sum of three words, a rotation, and the shifts in it. With instructions
    // of three inputs (AVX-512) a sum is one of them, and there are rotations, too. Without, a sum is two,
    // and a rotation two shifts and an or.
    let (sboxes, sum, rotation, shifts) = if I::Words::TERNARY {
        (7 + 7 + 7 + 8 + 7 + 7 + 7 + 8, 1, 1, 1)
    } else {
        (14 + 14 + 13 + 15 + 14 + 14 + 14 + 15, 2, 3, 2)
    };
    let round_keys = 33 * 4;
    // In 31 of the 32 rounds: six rotations, two shifts and four sums of three words.
    let linear = 31 * (6 * rotation + 2 + 4 * sum);
    // A 4 x 4 matrix of words on the way in and one on the way out.
    let transpositions = 2 * 8;
    WordOperations {
        all: f64::from(32 / 8 * sboxes + round_keys + linear + transpositions),
        shifts: f64::from(31 * (6 * shifts + 2)),
        bytes: 4.0 * I::Words::BYTES as f64,
    }
}

/// Blocks of AES, each by itself.
fn aes_ecb(name: &'static str, bytes: usize) -> Workload {
    let input = Random::new(1).bytes(bytes);
    let expected = reference_ecb::encrypt(&ReferenceAes::new(&AES_KEY), &input);
    let cipher = || AesLevel::detect_all().next_back().map(|level| Aes128::new(level, &AES_KEY));
    let why = "this CPU has no AES instructions";
    let steps = vec![
        Step::if_detected(
            cipher(),
            why,
            "one block a call",
            "The interface with one block a call again, and behind it the CPU's instructions for AES. Each \
             block costs two calls: that of the mode, and one to code that is compiled for these \
             instructions.",
            |cipher| ecb(Box::new(EachBlock(Box::new(cipher)))),
        ),
        Step::if_detected(
            cipher(),
            why,
            "encrypt_n, one by one",
            "One call for all blocks, which loops over them. The article changed no more than this for \
             AES, and explained the gain by a better use of caches.",
            |cipher| ecb(Box::new(OneRegister(cipher))),
        )
        .then(134.4 / 112.7)
        .differs(
            "The article's AES looked up tables and took some 325 cycles for a block; with instructions \
             for AES it is a dozen, of which a call is a larger part.",
        ),
        Step::if_detected(
            cipher(),
            why,
            "encrypt_n, 8 registers",
            "Eight registers at a time, the widest that this CPU has AES rounds for. Rounds of different \
             blocks do not wait for each other, and a round key is loaded once for all of them.",
            |cipher| ecb(Box::new(EightRegisters(cipher))),
        ),
        Step::new(
            "library",
            "The kernel of this library that is chosen for this CPU.",
            raw_blocks(abreast::aes::Aes128::new(&AES_KEY)),
        ),
    ];
    Workload { name, bytes, input, expected, steps, floor: Floor::of_aes_rounds(10.0) }
}
