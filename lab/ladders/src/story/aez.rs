//! AEZ.

use super::words::{AES_ROUNDS, Article, Diagram, Part, StepStory, Story};
use crate::picture::{Chain, Fill, Lanes};
use crate::source::{Item, Source, source};

const EIGHTS: Source = source!("aez/eights.rs");
const KEY: Source = source!("aez/key.rs");
const NUMBERS: Source = source!("aez/numbers.rs");
const ONE: Source = source!("aez/one_by_one.rs");
const SOFTWARE: Source = source!("aez/software.rs");
const VECTORS: Source = source!("aez/vectors.rs");
const LADDER: Source = source!("aez/mod.rs");

const CHAIN: Chain = Chain { heading: "Rounds of one block", ..AES_ROUNDS };

pub(super) const STORY: Story = Story {
    ladder: "aez",
    title: "AEZ: the work beside the rounds",
    workload: "16 KiB",
    opening: &[
        "AEZ v5 (Hoang, Krovetz and Rogaway, 2017) enciphers a message and its tag as one wide block: change a bit, and everything changes. \
         A nonce that repeats shows equal messages and nothing else.",
        "It needs ten AES rounds for 16 bytes, as many as AES-128 itself, so with AES instructions it could be as fast as counter mode. \
         But between the rounds each block gets an offset: a product of its number and parts of the key, in a field of 2^128 \
         elements. The way from {s:software AES} to {s:library} is mostly about making these offsets cheap.",
    ],
    cipher: &[Item::Within(VECTORS, "impl<'k, I: AesIsa> Aes<'k, I>", "w_and_x")],
    ideas: [
        "Four rounds of a block wait for each other, some four cycles each. Eight pairs of blocks fill that time.",
        "A lane is a block of 128 bits here. VAES has two or four of them in a register.",
        "The two blocks of a pair alternate in memory; wide registers want all left ones together.",
    ],
    article: Some(Article {
        title: "Making zears Fast",
        author: "Daniel Schadt, author of zears",
        date: "July 2025",
        address: "https://codeberg.org/dunj3/zears",
        machine: "not named; Rust",
        about: "An implementation of AEZ in Rust went from 88 MiB/s to 4.0 GiB/s in nine steps; the reference in C reached 5.0 GiB/s. The \
                link is the library's, since the article's own address is not known here.",
        rows: &[
            ("the first version", "88 MiB/s", "{s:software AES}"),
            ("vector xors", "5.93×", "{x:vector xors}×"),
            ("offsets kept", "8.22×", "{x:running offset}×"),
            ("eight pairs share", "33.7×", "{x:shared term for 8 pairs}×"),
            ("the article's last step", "46.5×", "{x:doubling in a vector}×"),
            ("this library", "–", "{x:library}×"),
        ],
    }),
    parts: &[
        Part {
            title: "The rounds",
            short: "rounds",
            about: "First the obvious: AES rounds become instructions. It helps less than one would think.",
            steps: 4,
            is_side_branch: false,
        },
        Part {
            title: "The offsets",
            short: "offsets",
            about: "Now everything that is not a round.",
            steps: 5,
            is_side_branch: false,
        },
        Part {
            title: "Wider registers",
            short: "wider",
            about: "The same passes, with more blocks for each instruction.",
            steps: 3,
            is_side_branch: false,
        },
    ],
    steps: &[
        StepStory::new(
            "software AES",
            &[
                Item::Whole(SOFTWARE, "round"),
                Item::Part(NUMBERS, "encrypt", "for (i, (src, dst))", "sum ^= x"),
            ],
        ),
        StepStory::new("AES instructions, called", &[Item::Call(LADDER, "AES instructions, called"), Item::Whole(LADDER, "round")])
            .asks("Sixteen lookups become one instruction. How much faster is the whole?"),
        StepStory::new("AES instructions, inlined", &[Item::Call(LADDER, "AES instructions, inlined"), Item::Whole(LADDER, "round")])
            .asks("The same instructions, but the call around each of them is gone. How much is that?"),
        StepStory::new(
            "vector xors",
            &[Item::Within(ONE, "impl<O: Offsets> Passes for O", "first"), Item::Within(VECTORS, "impl<'k, I: AesIsa> Aes<'k, I>", "w_and_x")],
        ),
        StepStory::new(
            "running offset",
            &[
                Item::Within(ONE, "impl Offsets for Running", "next"),
                Item::Within(ONE, "impl Running", "shared"),
                Item::Whole(KEY, "times"),
            ],
        )
        .asks("Rounds and xors stay. Each offset is now made from the one before, not from scratch. At 16 KiB, how much is that?"),
        StepStory::new("multiples of L kept", &[Item::Within(ONE, "impl Offsets for KeptMultiples", "next")])
            .against("running offset"),
        StepStory::new("shared term for 8 pairs", &[Item::Whole(EIGHTS, "first")])
            .against("vector xors")
            .shows(&[Diagram::Chain(CHAIN)]),
        StepStory::new(
            "pass two on 8 pairs",
            &[
                Item::Whole(EIGHTS, "aes4"),
                Item::Part(EIGHTS, "second_unrolled", "let mut state", "aes4(aes, &mut state);"),
            ],
        )
        .shows(&[Diagram::Chain(Chain { heading: "Rounds of eight blocks", chains: 8, skip: 24, ..CHAIN })]),
        StepStory::new("doubling in a vector", &[Item::Within(EIGHTS, "impl<I: AesIsa> Shared<I> for Doubled", "next")])
            .asks("The last multiplication in general registers becomes three instructions on a vector. The article gained by it. And here?"),
        StepStory::new("VAES, 256 bits", &[Item::Call(LADDER, "VAES, 256 bits")]).shows(&[Diagram::Lanes(Lanes {
            heading: "One instruction does",
            right: "twice as much",
            widest: 4,
            registers: &[("128 bits", 1, Fill::All), ("256 bits", 2, Fill::All)],
        })]),
        StepStory::new("VAES, 512 bits", &[Item::Call(LADDER, "VAES, 512 bits")])
            .against("VAES, 256 bits")
            .shows(&[Diagram::Lanes(Lanes {
                heading: "One instruction does",
                right: "twice as much again",
                widest: 4,
                registers: &[("512 bits", 4, Fill::All)],
            })]),
        StepStory::new("library", &[Item::Call(LADDER, "library")]),
    ],
    bound: &[
        "Ten AES rounds for 16 bytes are all that must be done; the floor is what the AES units take for them. The library runs at \
         {f:library} % of the floor's speed, and messages have any length, with any associated data. Two passes over the message, \
         the offsets, and some thirty rounds at its end that wait for each other are the rest.",
    ],
    lessons: &[
        "An instruction that is called costs as much as what it replaces. Compile the outermost loop for the CPU, once.",
        "Work that grows with the square of the length hides behind short tests.",
        "What eight neighbours have in common is computed once for them. What differs is a constant of the key.",
        "A step that is faster on one CPU is slower on another: the doubling in a vector competes with the rounds here.",
    ],
    library: ("aez", "crates/abreast/src/aez"),
};
