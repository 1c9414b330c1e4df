//! XTEA.

use super::words::{Article, Diagram, Part, StepStory, Story};
use crate::picture::{Chain, Fill, Held, Lanes, Layout, Registers, Stage};
use crate::source::{Item, Source, source};

const BLOCKS: Source = source!("xtea/blocks.rs");
const CYCLE: Source = source!("xtea/cycle.rs");
const ROUNDS: Source = source!("xtea/rounds.rs");
const VECTORS: Source = source!("xtea/vectors.rs");
const LADDER: Source = source!("xtea/mod.rs");

/// Half a cycle: the two shifts begin together, and everything takes a CPU cycle, in vectors of Zen 4 as in general registers.
/// (In vectors of Zen 5 shifts and additions take two.)
const HALF: [Stage; 5] = [
    Stage { label: "«»", instructions: 2, latency: 1 },
    Stage { label: "⊕", instructions: 1, latency: 1 },
    Stage { label: "+", instructions: 1, latency: 1 },
    Stage { label: "⊕", instructions: 1, latency: 1 },
    Stage { label: "+", instructions: 1, latency: 1 },
];

/// A pair alone.
const PAIRS: Chain = Chain {
    heading: "1 pair of vectors",
    stages: &HALF,
    chains: 1,
    row: "pair",
    slots: 4,
    cycles: 16,
    skip: 16,
    note: "«» shifts  ⊕ xor  + addition",
};

const PAIRS_AND_KEYS: [Held; 3] = [
    Held { label: "L", count: 6, colour: 0 },
    Held { label: "R", count: 6, colour: 2 },
    Held { label: "k", count: 4, colour: 1 },
];

/// The files of steps that stand alone, and their arguments.
const FILES: &[Source] = &[CYCLE, BLOCKS, ROUNDS];
const WITH_KEY: &str = "key: &Key, input: &[u8], output: &mut [u8]";
const WITH_ROUND_KEYS: &str = "keys: &RoundKeys, input: &[u8], output: &mut [u8]";

pub(super) const STORY: Story = Story {
    ladder: "xtea",
    title: "XTEA: one chain, and many beside it",
    workload: "25 KB",
    opening: &[
        "XTEA (Needham and Wheeler, 1997) is a block cipher of a few lines, without tables and without multiplications. Game servers \
         still speak it: one thread encrypts for thousands of players, and now and then a map of 25 KB has to go out.",
        "A block is 64 bits in two words, `left` and `right`. One cycle changes `left` by a mix of `right`, and then `right` by \
         a mix of the new `left`; there are 32 cycles. Read the second line of `cycle` below: it needs the result of the first. \
         That is all the trouble, and the whole page is about it. (A cycle is the cipher's own word for this step. The clock's cycles are \
         called CPU cycles here.)",
    ],
    cipher: &[
        Item::Whole(CYCLE, "mix"),
        Item::Within(CYCLE, "impl Direction for Encrypt", "cycle"),
    ],
    ideas: [
        "A block of XTEA is one chain of 320 instructions from its first to its last. Other blocks are other chains.",
        "A word of XTEA is 32 bits, so a register of 512 bits has room for a word of sixteen blocks.",
        "`left` and `right` alternate in memory, and every instruction wants sixteen of one kind.",
    ],
    article: Some(Article {
        title: "Making an algorithm 15x faster without parallelism",
        author: "Ranieri Althoff",
        date: "15 May 2020",
        address: "https://dev.to/rsa/making-an-algorithm-15x-faster-without-parallelism-38k5",
        machine: "Core i7-8809G, four cores; GCC 10.1",
        about: "The loop of a game server in C++. Messages of 25 KB went from 87 to 424 MB/s on the CPU; the 15 times of the \
                title are a GPU with a message of 1572 KB.",
        rows: &[
            ("the server's loop", "87 MB/s", "{s:while loop}"),
            ("on all cores", "4.3×", "{x:parallel over blocks}×"),
            ("rounds outside, blocks inside", "4.8×", "{x:rounds outside, blocks inside}×"),
            ("the key's work out of the loop", "5.23×", "{x:round keys before}×"),
            ("this library", "–", "{x:library}×"),
        ],
    }),
    parts: &[
        Part {
            title: "One block after another",
            short: "one by one",
            about: "Four ways to write the loop. Inside, each block is still its chain. (`D` is the direction, encryption or decryption.)",
            steps: 4,
            is_side_branch: false,
        },
        Part {
            title: "Vectors that the compiler makes",
            short: "by the compiler",
            about: "The loops change places: all blocks take one cycle together, then the next. The compiler sees that the \
                    blocks do not wait for each other, and puts them into the lanes of vectors. (`dispatch!` has the code in its braces compiled for the widest vectors \
                    of the CPU.)",
            steps: 5,
            is_side_branch: true,
        },
        Part {
            title: "Vectors written by hand",
            short: "by hand",
            about: "A second way up, from the bottom again: vectors are written out. The first are the narrowest, and a single chain of them, \
                    so they begin far below the compiler's wide loop over many blocks. (SSE2, AVX2 and AVX-512 are the names that x86 has for \
                    registers of 128, 256 and 512 bits.)",
            steps: 5,
            is_side_branch: false,
        },
    ],
    steps: &[
        StepStory::new(
            "while loop",
            &[Item::Whole(BLOCKS, "crypt"), Item::Whole(BLOCKS, "while_loop")],
        ).alone(FILES, WITH_KEY, "while_loop::<Encrypt>(key, input, output);")
        .shows(&[Diagram::Chain(Chain {
            heading: "One block",
            cycles: 15,
            skip: 0,
            row: "block",
            ..PAIRS
        })]),
        StepStory::new("for loop", &[Item::Whole(BLOCKS, "for_loop")]).alone(FILES, WITH_KEY, "for_loop::<Encrypt>(key, input, output);")
            .asks("The loop now states where it ends, and the compiler checks less. Faster?")
            .against("while loop"),
        StepStory::new("iterator map", &[Item::Whole(BLOCKS, "map")]).alone(FILES, WITH_KEY, "map::<Encrypt>(key, input, output);"),
        StepStory::new("parallel over blocks", &[Item::Whole(BLOCKS, "parallel")])
            .asks("Every core takes a share of the blocks. The article gained 4.3× with four cores. How much is it here?"),
        StepStory::new("rounds outside, blocks inside", &[Item::Whole(ROUNDS, "rounds_outside")]).alone(FILES, WITH_KEY, "rounds_outside::<Encrypt>(key, input, output);")
            .asks("Two loops change places, and the arithmetic stays the same. What can the compiler make of the new order?")
            .shows(&[Diagram::Lanes(Lanes {
                heading: "A block as one number of 64 bits",
                right: "half empty",
                widest: 16,
                registers: &[("left", 16, Fill::EverySecond), ("right", 16, Fill::EverySecond)],
            })]),
        StepStory::new("round keys before", &[Item::Whole(ROUNDS, "with_round_keys")]).alone(FILES, WITH_ROUND_KEYS, "with_round_keys::<Encrypt>(keys, input, output);")
            .asks("The sums of the key are made once, outside all loops. In 2020 that took the article from 4.8× to 5.23×. And today?"),
        StepStory::new("blocks as two words", &[Item::Whole(ROUNDS, "with_words")]).alone(FILES, WITH_ROUND_KEYS, "with_words::<Encrypt>(keys, input, output);").shows(&[Diagram::Lanes(Lanes {
            heading: "A block as two words of 32 bits",
            right: "full",
            widest: 16,
            registers: &[("left", 16, Fill::All), ("right", 16, Fill::All)],
        })]),
        StepStory::new("cache-blocked", &[Item::Whole(ROUNDS, "piece_by_piece")]).alone(FILES, WITH_ROUND_KEYS, "piece_by_piece::<Encrypt>(keys, input, output);")
            .asks("A piece of 4 KiB goes through all cycles before the next begins, so it never leaves the nearest cache. Faster?"),
        StepStory::new(
            "words apart",
            &[Item::Part(ROUNDS, "words_apart", "for ((left, right), block) in lefts.iter_mut()", "store_words((*left")],
        ).alone(FILES, WITH_ROUND_KEYS, "words_apart::<Encrypt>(keys, input, output);")
        .against("blocks as two words")
        .shows(&[Diagram::Layout(Layout {
            heading: "Words apart",
            right: "sorted once a piece",
            blocks: 8,
            words: &[("left", "L"), ("right", "R")],
        })]),
        StepStory::new("1 pair, 128 bits", &[Item::Whole(VECTORS, "one_pair")])
            .asks("Vectors by hand: a pair is a register of left words and one of right words, four blocks in 128 bits, and needs no detour through memory. Faster than the compiler's?")
            .shows(&[Diagram::Chain(PAIRS)]),
        StepStory::new(
            "6 pairs, 128 bits",
            &[
                Item::Whole(VECTORS, "PAIRS"),
                Item::Part(VECTORS, "several_pairs", "let mut pairs", "pairs = crypt"),
                Item::Whole(VECTORS, "crypt"),
                Item::Call(LADDER, "6 pairs, 128 bits"),
            ],
        )
        .tells(
            "Compare the two pictures: a pair alone leaves most slots empty, because every instruction waits for the one \
             before. Six pairs wait just as long, each for itself, but one of them is always ready, so the core is full. How much is that? \
             A pair alone takes the 320 CPU cycles of its chain, or more where vectors are slower than words. Six pairs are 2304 instructions, \
             for which a core with four slots needs 576 CPU cycles: not the time of one, but less than that of two. \
             With loading, sorting and storing it is {r:6 pairs, 128 bits|1 pair, 128 bits}× here.",
        )
        .shows(&[
            Diagram::Chain(Chain { heading: "6 pairs take turns", chains: 6, skip: 56, note: "without loads", ..PAIRS }),
            Diagram::Registers(Registers {
                heading: "16 registers, 6 pairs",
                right: "all of them held",
                total: 16,
                held: &PAIRS_AND_KEYS,
            }),
        ]),
        StepStory::new("6 pairs, AVX2", &[Item::Call(LADDER, "6 pairs, AVX2")])
            .against("6 pairs, 128 bits")
            .shows(&[Diagram::Lanes(Lanes {
                heading: "One instruction does",
                right: "twice as much",
                widest: 16,
                registers: &[("128 bits", 4, Fill::All), ("256 bits", 8, Fill::All)],
            })]),
        StepStory::new("6 pairs, AVX-512", &[Item::Call(LADDER, "6 pairs, AVX-512")])
            .asks("Twice the width once more. Twice as fast?")
            .tells(
                "That is the width that the compiler had in “words apart”, with {x:words apart}× there and {x:6 pairs, AVX-512}× here. \
                 Where the two are close, the compiler has done as well, now that the words lie apart. By hand nothing depends on what a \
                 compiler notices.",
            )
            .shows(&[Diagram::Lanes(Lanes {
                heading: "One instruction does",
                right: "twice as much again",
                widest: 16,
                registers: &[("512 bits", 16, Fill::All)],
            })]),
        StepStory::new("library", &[Item::Within(LADDER, "impl Steps", "library")])
            .shows(&[Diagram::Registers(Registers {
                heading: "32 registers, 8 pairs",
                right: "AVX-512 has room for more",
                total: 32,
                held: &[
                    Held { label: "L", count: 8, colour: 0 },
                    Held { label: "R", count: 8, colour: 2 },
                    Held { label: "k", count: 4, colour: 1 },
                ],
            })]),
    ],
    bound: &[
        "Half a cycle of the cipher is six instructions: two shifts, two xors, two additions. Five of them form the chain, since both shifts begin \
         together. A block alone therefore takes 64 × 5 = 320 CPU cycles for 8 bytes, 40 a byte. (The first steps are a little \
         below that: a core looks some hundreds of instructions ahead, and so begins the next block shortly before the last one has ended. It \
         does not look far enough to have several blocks under way; taking turns brings them near.)",
        "With enough chains nothing waits, and only the number of instructions counts: 384 for a pair of full vectors, with as many a CPU cycle \
         as the table says. That is the floor. The library runs at {f:library} % of the floor's speed; the rest is loading, sorting words and storing.",
    ],
    lessons: &[
        "A loop in another spelling is the same loop. Ask which work waits for which.",
        "**Six chains are faster than one because one chain takes one slot of the core at a time, and six have instructions ready for all of them.** No \
         instruction got quicker and none was saved.",
        "A vector is one instruction for many blocks, and still one chain. Wide and many go together.",
        "Threads divide the work by the number of cores at best, and only a long call pays for waking them.",
        "The compiler makes good vectors of data that lies well. A block read as one number of 64 bits leaves half of each vector empty.",
        "A message of one block has no other chain beside it: at 8 bytes the library is at {x:8 B/library} times the plain loop. A server with many short \
         messages hands over many at once: `packets::ecb_encrypt` takes them with a key for each.",
    ],
    library: ("two_words.rs", "crates/abreast/src/engine/two_words.rs"),
};
