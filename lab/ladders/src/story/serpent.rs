//! Serpent.

use super::words::{Article, Diagram, Part, StepStory, Story};
use crate::picture::{Chain, Fill, Held, Lanes, Layout, Registers, Stage};
use crate::source::{Item, Source, source};

const BITSLICE: Source = source!("serpent/bitslice.rs");
const INTERFACE: Source = source!("serpent/interface.rs");
const CIRCUITS: Source = source!("serpent/circuits.rs");
const ROUNDS: Source = source!("serpent/rounds.rs");
const SCALAR: Source = source!("serpent/scalar.rs");
const VECTORS: Source = source!("serpent/vectors.rs");
const LADDER: Source = source!("serpent/mod.rs");

/// A round of a group: logic that comes two by two, then rotations of two cycles.
const ROUND: [Stage; 4] = [
    Stage { label: "S", instructions: 2, latency: 1 },
    Stage { label: "S", instructions: 2, latency: 1 },
    Stage { label: "«", instructions: 2, latency: 2 },
    Stage { label: "⊕", instructions: 2, latency: 1 },
];

const CHAIN: Chain = Chain {
    heading: "1 group",
    stages: &ROUND,
    chains: 1,
    row: "group",
    slots: 4,
    cycles: 15,
    skip: 0,
    note: "S S-box  « rotation  ⊕ xor",
};

/// The files of steps that stand alone.
const FILES: &[Source] = &[SCALAR, INTERFACE, ROUNDS, CIRCUITS];

pub(super) const STORY: Story = Story {
    ladder: "serpent",
    title: "Serpent: made for vectors",
    workload: "16 KiB, ECB",
    opening: &[
        "Serpent (Anderson, Biham and Knudsen, 1998) came second when AES was chosen. Its designers meant it to be computed on bits side by \
         side: an S-box is a circuit of logic operations on four words, which computes 32 of them at once.",
        "Nothing in that circuit asks how long a word is. A vector of words, each of another block, encrypts all of these blocks by \
         the same text. But first somebody has to hand over more than one block.",
    ],
    cipher: &[Item::Whole(ROUNDS, "one_round"), Item::Within(ROUNDS, "pub(super) trait Instructions", "transform")],
    ideas: [
        "The operations of a round wait for each other; a second group of blocks does not.",
        "A lane is a word of 32 bits: four, eight or sixteen blocks share each instruction.",
        "A block is four words in a row. Vectors want all first words, all second words and so on: a transposition.",
    ],
    article: Some(Article {
        title: "Speeding up Serpent: SIMD Edition",
        author: "Jack Lloyd, author of Botan",
        date: "9 September 2009",
        address: "https://randombit.net/bitbashing/posts/serpent_in_simd.html",
        machine: "Core 2 of 2.4 GHz; g++ 4.3.3",
        about: "Block ciphers in Botan took one block a call. A second interface, `encrypt_n`, takes many, and Serpent puts four of them \
                side by side with SSE2: 42.1 to 113.5 MiB/s in ECB. Two such groups together came to more than 160 MiB/s in \
                counter mode.",
        rows: &[
            ("one block a call", "42.1 MiB/s", "{s:one block a call}"),
            ("four blocks, ECB", "2.70×", "{x:4 blocks, SSE2 or NEON}×"),
            ("two times four, CTR", "4.03×", "{x:16 KiB, CTR/2 x 4 blocks, interleaved}×"),
            ("this library, ECB", "–", "{x:library}×"),
        ],
    }),
    parts: &[
        Part {
            title: "One block after another",
            short: "one",
            about: "The interface comes first: as long as a call is one block, no cipher can put blocks side by side.",
            steps: 2,
            is_side_branch: false,
        },
        Part {
            title: "Blocks side by side",
            short: "side by side",
            about: "More lanes, then more groups, then better circuits.",
            steps: 6,
            is_side_branch: false,
        },
        Part {
            title: "A register for each bit",
            short: "bits",
            about: "The idea taken to its end: rotations disappear, and memory takes their place.",
            steps: 1,
            is_side_branch: true,
        },
        Part {
            title: "The library",
            short: "",
            about: "What is left when all of this is weighed.",
            steps: 1,
            is_side_branch: false,
        },
    ],
    steps: &[
        StepStory::new("one block a call", &[Item::Within(INTERFACE, "impl ManyBlocks for EachBlock", "encrypt_n")]),
        StepStory::new("encrypt_n, one by one", &[Item::Within(SCALAR, "impl ManyBlocks for Scalar", "encrypt_n")]).alone(FILES, "cipher: &Scalar, input: &[u8], output: &mut [u8]", "ManyBlocks::encrypt_n(cipher, input, output);")
            .asks("One call for all blocks, which still does them one by one. How much is a thousand calls?"),
        StepStory::new("4 blocks, SSE2 or NEON", &[Item::Whole(VECTORS, "encrypt_passes"), Item::Whole(VECTORS, "load")])
            .asks("An instruction now works for four blocks. Four times as fast?")
            .shows(&[Diagram::Layout(Layout {
                heading: "Four blocks, transposed",
                right: "once in, once out",
                blocks: 4,
                words: &[("1st", "a"), ("2nd", "b"), ("3rd", "c"), ("4th", "d")],
            })]),
        StepStory::new("2 x 4 blocks, interleaved", &[Item::Whole(ROUNDS, "one_round"), Item::Call(LADDER, "2 x 4 blocks, interleaved")])
            .shows(&[
                Diagram::Chain(CHAIN),
                Diagram::Chain(Chain { heading: "2 groups take turns", chains: 2, ..CHAIN }),
            ]),
        StepStory::new("8 blocks, AVX2", &[Item::Call(LADDER, "8 blocks, AVX2")])
            .against("2 x 4 blocks, interleaved")
            .asks("One group again, but of eight blocks in registers of twice the width. Faster than two groups of four?")
            .shows(&[Diagram::Lanes(Lanes {
                heading: "One instruction does",
                right: "twice as much",
                widest: 16,
                registers: &[("128 bits", 4, Fill::All), ("256 bits", 8, Fill::All)],
            })]),
        StepStory::new("16 blocks, AVX-512", &[Item::Call(LADDER, "16 blocks, AVX-512")])
            .against("8 blocks, AVX2")
            .asks("Twice the width once more. Twice as fast?")
            .shows(&[Diagram::Lanes(Lanes {
                heading: "One instruction does",
                right: "rotations, too",
                widest: 16,
                registers: &[("512 bits", 16, Fill::All)],
            })]),
        StepStory::new(
            "16 blocks, three-input logic",
            &[Item::Within(ROUNDS, "impl<I: WordsIsa> Instructions for OnVectorsTernary", "transform")],
        ),
        StepStory::new("2 groups of the widest", &[Item::Call(LADDER, "2 groups of the widest")]),
        StepStory::new("full bit-slice", &[Item::Whole(BITSLICE, "transform")])
            .asks("A rotation becomes another numbering of registers and costs nothing. But a block has 128 bits and the CPU 32 registers. Faster?"),
        StepStory::new("library", &[Item::Whole(LADDER, "raw_blocks")]).shows(&[Diagram::Registers(Registers {
            heading: "32 registers, 4 groups",
            right: "room for the circuits",
            total: 32,
            held: &[Held { label: "w", count: 16, colour: 0 }, Held { label: "t", count: 8, colour: 7 }],
        })]),
    ],
    bound: &[
        "The floor counts the instructions of one group of the widest registers: S-boxes, round keys, the linear transformation and the \
         transpositions, with three-input logic where the CPU has it. The library runs at {f:library} % of the floor's speed. The full \
         bit-slice has fewer instructions and is bound by loads and stores, which a floor leaves out.",
    ],
    lessons: &[
        "The interface came first. No cipher can put blocks side by side that it is not given.",
        "Twice the width is not twice the speed while instructions wait for each other. Two groups gain as much as wider registers, and both \
         together more.",
        "Where rotations are instructions and logic takes three inputs, the same circuit is half as long.",
        "A full bit-slice wants thousands of bytes at once: at 256 bytes it is at {x:256 B, ECB/full bit-slice}×.",
    ],
    library: ("ciphers/serpent", "crates/abreast/src/ciphers/serpent"),
};
