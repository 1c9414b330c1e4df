//! AES of packets.

use super::words::{AES_ROUNDS, Article, Diagram, Part, StepStory, Story};
use crate::picture::{Chain, Fill, Held, Lanes, Registers};
use crate::source::{Item, Source, source};

const TABLES: Source = source!("aes/with_tables.rs");
const MAKING: Source = source!("aes/tables.rs");
const PACKETS: Source = source!("aes/packets.rs");
const INSTRUCTIONS: Source = source!("aes/with_instructions.rs");
const LIBRARY: Source = source!("aes/with_library.rs");

/// The files of steps that stand alone, and their arguments.
const FILES: &[Source] = &[TABLES, MAKING, PACKETS];
const PACKET: &str = "keys: &RoundKeys, nonce: &Nonce, input: &[u8], output: &mut [u8]";

pub(super) const STORY: Story = Story {
    ladder: "aes",
    title: "AES packets: tables, bits, instructions",
    workload: "256 packets of 1600 B",
    opening: &[
        "Packets of a network, 1600 bytes each, encrypted with AES-128 in counter mode. AES without instructions for it is a matter of \
         tables: a round looks up sixteen bytes of the state. The first steps ask how far that can be driven, and the answer on a \
         processor of today is: hardly any further.",
        "They have another flaw: the places that are looked up are secret, and whoever shares a cache learns the key from them. The steps after \
         them have no tables: bits side by side in wide registers, and then the AES instructions.",
    ],
    cipher: &[Item::Whole(TABLES, "column"), Item::Whole(TABLES, "round")],
    ideas: [
        "A block is ten rounds that wait for each other. Counter mode has as many blocks as one likes.",
        "Lanes are blocks: a register of 512 bits has room for four.",
        "Counter blocks differ in one byte, and the key is the same: prepare once what all of them need.",
    ],
    article: Some(Article {
        title: "AES Optimization on Tilera TILE-Gx",
        author: "Nils Liaaen Corneliusen",
        date: "23 December 2011",
        address: "https://ignorantus.com/pages/tilegx_aes/",
        machine: "TILE-Gx, 36 simple cores without AES instructions",
        about: "Packets of 1600 bytes on a processor whose cores have 64 registers. 256 of them went from 9,497,409 cycles to \
                5,880,589 by inlining, cheaper addresses, and round keys that stay in registers.",
        rows: &[
            ("the usual routine", "1.00×", "{s:a call for each block}"),
            ("the article's last step", "1.61×", "{x:last round without a table}×"),
            ("bits side by side", "–", "{x:bit-sliced}×"),
            ("this library", "–", "{x:library, packet by packet}×"),
        ],
    }),
    parts: &[
        Part {
            title: "The usual routine",
            short: "",
            about: "A round as lookups, a block as a call.",
            steps: 1,
            is_side_branch: false,
        },
        Part {
            title: "Better tables",
            short: "tables",
            about: "Five ideas about addresses and registers that were worth a lot on another processor.",
            steps: 5,
            is_side_branch: true,
        },
        Part {
            title: "No tables: bits",
            short: "bits",
            about: "Another way: no lookup at all, and therefore nothing that a cache could tell.",
            steps: 1,
            is_side_branch: true,
        },
        Part {
            title: "AES instructions",
            short: "instructions",
            about: "The way that today's processors offer. One instruction is a round; the rest is keeping it busy.",
            steps: 6,
            is_side_branch: false,
        },
    ],
    steps: &[
        StepStory::new("a call for each block", &[Item::Whole(TABLES, "call_for_each_block")]).alone(FILES, PACKET, "call_for_each_block(keys, nonce, input, output);"),
        StepStory::new("inlined, on words", &[Item::Whole(TABLES, "by_columns"), Item::Whole(TABLES, "inlined")]).alone(FILES, PACKET, "inlined(keys, nonce, input, output);"),
        StepStory::new("1 KiB-aligned tables", &[Item::Whole(TABLES, "aligned"), Item::Whole(TABLES, "aligned_tables")]).alone(FILES, PACKET, "aligned_tables(keys, nonce, input, output);")
            .asks("Four tables become one that begins at a round address, so that a table and an index make an address in one instruction. Faster on x86?"),
        StepStory::new("64 bits, keys in registers", &[Item::Whole(TABLES, "written_out")]).alone(FILES, PACKET, "local_keys(keys, nonce, input, output);")
            .asks("All eleven round keys stay in local variables. The TILE-Gx has 64 registers for them, x86 has 16. Faster?"),
        StepStory::new("last round without a table", &[Item::Whole(TABLES, "masked"), Item::Whole(TABLES, "masked_last_round")]).alone(FILES, PACKET, "masked_last_round(keys, nonce, input, output);"),
        StepStory::new(
            "cached counters",
            &[Item::Within(TABLES, "impl Shared", "after_two_rounds"), Item::Whole(TABLES, "own_lookups")],
        ).alone(FILES, PACKET, "cached_counters(keys, nonce, input, output);"),
        StepStory::new("bit-sliced", &[Item::Part(LIBRARY, "bit_sliced", "let sliced", "let cipher")])
            .asks("A hundred logical operations in place of each lookup, but on a whole register of bits. Slower?"),
        StepStory::new(
            "AES instructions, one block",
            &[Item::Whole(INSTRUCTIONS, "one_block")],
        )
        .shows(&[Diagram::Chain(AES_ROUNDS)]),
        StepStory::new("AES instructions, 8 blocks", &[Item::Whole(INSTRUCTIONS, "encrypt")])
            .shows(&[Diagram::Chain(Chain { heading: "8 blocks", chains: 8, skip: 24, ..AES_ROUNDS })]),
        StepStory::new("VAES, keys in registers", &[Item::Whole(INSTRUCTIONS, "keys_in_registers"), Item::Call(INSTRUCTIONS, "VAES, keys in registers")])
            .shows(&[Diagram::Registers(Registers {
                heading: "16 registers of 256 bits",
                right: "11 keys, 4 for blocks",
                total: 16,
                held: &[
                    Held { label: "k", count: 11, colour: 1 },
                    Held { label: "b", count: 4, colour: 0 },
                    Held { label: "c", count: 1, colour: 7 },
                ],
            })]),
        StepStory::new("AVX-512, keys in registers", &[Item::Call(INSTRUCTIONS, "AVX-512, keys in registers")])
            .against("VAES, keys in registers")
            .shows(&[
                Diagram::Registers(Registers {
                    heading: "32 registers of 512 bits",
                    right: "11 keys, 8 for blocks",
                    total: 32,
                    held: &[
                        Held { label: "k", count: 11, colour: 1 },
                        Held { label: "b", count: 8, colour: 0 },
                        Held { label: "c", count: 2, colour: 7 },
                    ],
                }),
                Diagram::Lanes(Lanes {
                    heading: "Blocks in a register",
                    right: "four for an instruction",
                    widest: 4,
                    registers: &[("256 bits", 2, Fill::All), ("512 bits", 4, Fill::All)],
                }),
            ]),
        StepStory::new("library, packet by packet", &[Item::Whole(LIBRARY, "packet_by_packet")])
            .asks("A call for each packet, with every check of a library. How much is left?"),
        StepStory::new("library, all packets", &[Item::Part(LIBRARY, "all_packets", "let mut batch", "packets::ctr")]),
    ],
    bound: &[
        "A block is ten AES rounds. The floor is ten rounds at the rate of the AES units; nothing else is counted. “AVX-512, keys in \
         registers” runs at {f:AVX-512, keys in registers} % of the floor's speed, and the library, which looks for nothing in \
         advance and takes packets of any length, at {f:library, packet by packet} %.",
    ],
    lessons: &[
        "Cleverness about addresses is worth what the CPU charges for addresses. On x86 a load computes its own.",
        "Constant time need not be slow: bit-sliced AES is ahead of every table here as soon as a message fills the registers. A short packet does \
         not: {x:64 packets of 64 B/bit-sliced}× at 64 bytes.",
        "An AES instruction has a latency of some four cycles, and one or two begin in each. One block at a time wastes most of \
         them; eight in flight waste nearly none.",
        "For short packets the cost is in what surrounds the rounds: loading keys, making counters, finding the packet.",
    ],
    library: ("ciphers/aes", "crates/abreast/src/ciphers/aes"),
};
