//! RC4.

use super::words::{Article, Diagram, Part, StepStory, Story};
use crate::picture::{Chain, Held, Registers, Stage};
use crate::source::{Item, Source, source};

const ONE: Source = source!("rc4/one.rs");
const MANY: Source = source!("rc4/side_by_side.rs");
const STATE: Source = source!("rc4/state.rs");
const LADDER: Source = source!("rc4/mod.rs");

/// A step of RC4 as a chain: a load from the first-level cache takes some four cycles.
const STEP: [Stage; 4] = [
    Stage { label: "S[i]", instructions: 1, latency: 4 },
    Stage { label: "+j", instructions: 1, latency: 1 },
    Stage { label: "S[j]", instructions: 1, latency: 4 },
    Stage { label: "st", instructions: 2, latency: 1 },
];

/// With the next element loaded ahead, only the addition to `j` waits.
const AHEAD: [Stage; 3] = [
    Stage { label: "+j", instructions: 1, latency: 1 },
    Stage { label: "S[j]", instructions: 1, latency: 4 },
    Stage { label: "st", instructions: 3, latency: 1 },
];

const CHAIN: Chain = Chain {
    heading: "A step waits for its loads",
    stages: &STEP,
    chains: 1,
    row: "stream",
    slots: 4,
    cycles: 10,
    skip: 0,
    note: "one step, drawn by its loads",
};

/// The files of steps that stand alone, and their arguments.
const FILES: &[Source] = &[STATE, ONE, MANY];
const BYTES: &str = "state: &mut State<u8>, input: &[u8], output: &mut [u8]";
const WORDS: &str = "state: &mut State<u32>, input: &[u8], output: &mut [u8]";
const STREAM: &str = "states: &mut [State<u32>; 1], input: &[u8], output: &mut [u8]";

pub(super) const STORY: Story = Story {
    ladder: "rc4",
    title: "RC4: loads that wait for stores",
    workload: "16 KiB, 8 streams",
    opening: &[
        "RC4 is broken, and nothing new should use it. BitTorrent, old documents and old networks still speak it, and it is the \
         clearest lesson about memory that a cipher can give.",
        "Its state is a table `s` of all 256 bytes and two indices. A step reads three entries and writes two, at places that depend \
         on what was read a moment ago. The CPU must find out whether a load wants what a store has just written. Where it guesses \
         wrong, or has to wait, time passes; there is hardly any arithmetic.",
    ],
    cipher: &[Item::Whole(STATE, "State")],
    ideas: [
        "A step of RC4 waits for the `j` of the step before, and for what that step has stored.",
        "There are no lanes here: each byte needs its own place in its own table. AVX-512 can gather, for sixteen streams.",
        "A table of words of 32 bits is four times as large as one of bytes, and can still be the faster one.",
    ],
    article: Some(Article {
        title: "Improving RC4 encrypt performance",
        author: "Amitabha Banerjee",
        date: "24 March 2009",
        address: "https://blogs.oracle.com/hotnets/entry/improving_rc4_encrypt_performance",
        machine: "Sun Fire X4150; Sun Studio 12",
        about: "The RC4 of OpenSolaris under a profiler. Loads and stores were put into another order, in three versions, and \
                the last gained 15 %.",
        rows: &[
            ("two loads fewer", "–", "{x:16 KiB, one stream/version 2}×"),
            ("a byte used one step late", "1.15×", "{x:16 KiB, one stream/version 3}×"),
            ("this library, one stream", "–", "{x:16 KiB, one stream/library}×"),
            ("this library, eight streams", "–", "{x:library}×"),
        ],
    }),
    parts: &[
        Part {
            title: "One stream after another",
            short: "one stream",
            about: "The same three loads and two stores in every step. Only their order changes, and how they are written down.",
            steps: 7,
            is_side_branch: false,
        },
        Part {
            title: "Streams that take turns",
            short: "several",
            about: "Each stream has its own table, so no stream waits for another.",
            steps: 4,
            is_side_branch: false,
        },
    ],
    steps: &[
        StepStory::new("version 1", &[Item::Whole(ONE, "version_1")]).alone(FILES, BYTES, "version_1(state, input, output);").shows(&[Diagram::Chain(CHAIN)]),
        StepStory::new("version 2", &[Item::Whole(ONE, "version_2")]).alone(FILES, BYTES, "version_2(state, input, output);"),
        StepStory::new("version 3", &[Item::Whole(ONE, "one_step_late"), Item::Whole(ONE, "step")]).alone(FILES, BYTES, "version_3(state, input, output);")
            .asks("A byte of keystream is used one step after its load, so nothing waits for that load. In 2009 this gave 15 %. And today?"),
        StepStory::new(
            "version 3, words",
            &[Item::Whole(ONE, "version_3_words"), Item::Within(STATE, "impl Element for u32", "byte")],
        ).alone(FILES, WORDS, "version_3_words(state, input, output);")
        .asks("The table grows from 256 bytes to 1 KiB. Slower?")
        .against("version 3"),
        StepStory::new("next element ahead", &[Item::Whole(ONE, "next_element_ahead")]).alone(FILES, WORDS, "next_element_ahead(state, input, output);")
            .against("version 2")
            .shows(&[Diagram::Chain(Chain {
                heading: "S[i] is there already",
                stages: &AHEAD,
                note: "one addition waits",
                ..CHAIN
            })]),
        StepStory::new(
            "four bytes at a time",
            &[Item::Part(MANY, "keystream", "let s = &mut", "copy_from_slice"), Item::Whole(MANY, "swap")],
        ).alone(FILES, STREAM, "crypt::<1, 4, 256>(states, input, output);"),
        StepStory::new("sixteen steps written out", &[Item::Whole(MANY, "written_out")]).alone(FILES, STREAM, "crypt::<1, 16, 256>(states, input, output);"),
        StepStory::new("2 streams", &[Item::Call(LADDER, "2 streams")]).alone(FILES, "states: &mut [State<u32>; 2], input: &[u8], output: &mut [u8]", "crypt::<2, 16, 256>(states, input, output);")
            .asks("Two streams take turns, step by step. Each has as much to do as before. Faster together?")
            .shows(&[Diagram::Chain(Chain { heading: "2 streams take turns", chains: 2, ..CHAIN })]),
        StepStory::new("4 streams", &[Item::Call(LADDER, "4 streams")]).alone(FILES, "states: &mut [State<u32>; 4], input: &[u8], output: &mut [u8]", "crypt::<4, 16, 256>(states, input, output);")
            .asks("Four streams, then. Better still?")
            .shows(&[Diagram::Registers(Registers {
                heading: "16 registers, 4 streams",
                right: "too many to hold",
                total: 16,
                held: &[
                    Held { label: "j", count: 4, colour: 0 },
                    Held { label: "x", count: 4, colour: 2 },
                    Held { label: "w", count: 4, colour: 4 },
                    Held { label: "t", count: 6, colour: 7 },
                ],
            })]),
        StepStory::new("8 streams", &[Item::Call(LADDER, "8 streams")]).alone(FILES, "states: &mut [State<u32>; 8], input: &[u8], output: &mut [u8]", "crypt::<8, 16, 256>(states, input, output);"),
        StepStory::new(
            "library",
            &[Item::Part(LADDER, "streams", "let mut ciphers", "apply_many")],
        ),
    ],
    bound: &[
        "Counting instructions says nothing here, so no floor is drawn: the time is that of values on their way from stores to \
         loads. `cargo xtask mca rc4` shows the loops as llvm-mca sees them, as if no load waited for a store and as if every load \
         did; the truth lies between.",
    ],
    lessons: &[
        "The same instructions in another order take another time.",
        "Words can beat bytes although their table is larger, because a byte is a part of a register and costs extra work.",
        "The way out is not to wait: a second stream works while the first one waits. With more streams than the registers can \
         hold, some of that is lost again.",
        "A key schedule is 256 steps of the same kind. For short messages it is all of the cost, and keys can go side by side, too: \
         {x:key set-up: 64 messages of 64 B/library}× in the last workload.",
    ],
    library: ("ciphers/rc4", "crates/abreast/src/ciphers/rc4"),
};
