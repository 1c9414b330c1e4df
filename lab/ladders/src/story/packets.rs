//! Many messages with a key each.

use super::words::{AES_ROUNDS, Diagram, Part, StepStory, Story};
use crate::picture::{Chain, Fill, Held, Lanes, Registers};
use crate::source::{Item, Source, source};

const BY_HAND: Source = source!("packets/by_hand.rs");
const LIBRARY: Source = source!("packets/with_library.rs");
const LADDER: Source = source!("packets/mod.rs");

const CHAIN: Chain = Chain { heading: "One message", row: "msg", ..AES_ROUNDS };

pub(super) const STORY: Story = Story {
    ladder: "packets",
    title: "Packets: a chain and a key each",
    workload: "256 messages of 1600 B",
    opening: &[
        "This ladder is about what the library is for. A server holds thousands of connections, each with a key of its own, and sends \
         short messages on all of them. Every library has a function that encrypts one message; the server calls it in a loop.",
        "The mode here is CBC, because it makes the trouble plain: a block is xored with the ciphertext of the block before, so a \
         message is one chain of AES rounds from its first block to its last. Inside a message nothing can be done at the same \
         time, however clever the code. But the messages know nothing of each other.",
    ],
    cipher: &[Item::Whole(LIBRARY, "key_by_key")],
    ideas: [
        "A message in CBC is a chain of ten AES rounds a block. Each other message is another chain.",
        "A lane is a block of one message. Four messages share a register of 512 bits, each with its own key in its own lane.",
        "Messages lie anywhere in memory, and so do keys. Blocks are gathered into lanes; round keys are laid side by side once.",
    ],
    article: None,
    parts: &[
        Part {
            title: "One message after another",
            short: "one by one",
            about: "The loop that everybody writes, and what is left of it when everything but the chain is gone.",
            steps: 3,
            is_side_branch: false,
        },
        Part {
            title: "Messages take turns",
            short: "turns",
            about: "The loops change places: a round of several messages, then the next round.",
            steps: 2,
            is_side_branch: false,
        },
        Part {
            title: "A lane for each message",
            short: "lanes",
            about: "Wider registers, in which one instruction works for several messages and several keys.",
            steps: 2,
            is_side_branch: false,
        },
        Part {
            title: "The library",
            short: "",
            about: "All of it behind one call.",
            steps: 1,
            is_side_branch: false,
        },
    ],
    steps: &[
        StepStory::new("a loop over encrypt", &[Item::Whole(LIBRARY, "key_by_key")]),
        StepStory::new("keys kept", &[Item::Whole(LIBRARY, "keys_kept")])
            .asks("A key schedule takes about as long as a few blocks, and a message here has a hundred of them. How much do kept keys gain?"),
        StepStory::new("the chain by hand", &[Item::Whole(BY_HAND, "rounds")])
            .asks("No checks, no objects, no calls: only the chain. How much faster?")
            .shows(&[Diagram::Chain(CHAIN)]),
        StepStory::new("4 messages take turns", &[Item::Part(BY_HAND, "side_by_side", "let mut n = 0;", "chains = rounds")])
            .asks("Four messages at a time, on one core, with the same instructions for each. How much faster?")
            .shows(&[Diagram::Chain(Chain { heading: "4 messages take turns", chains: 4, ..CHAIN })]),
        StepStory::new("8 messages take turns", &[Item::Call(LADDER, "8 messages take turns")])
            .shows(&[Diagram::Chain(Chain { heading: "8 messages take turns", chains: 8, skip: 24, ..CHAIN })]),
        StepStory::new("a lane each, 256 bits", &[Item::Whole(BY_HAND, "in_lanes"), Item::Whole(BY_HAND, "key")])
            .shows(&[Diagram::Lanes(Lanes {
                heading: "Messages and keys in lanes",
                right: "two at once",
                widest: 4,
                registers: &[("blocks", 2, Fill::All), ("keys", 2, Fill::All)],
            })]),
        StepStory::new("a lane each, 512 bits", &[Item::Call(LADDER, "a lane each, 512 bits")])
            .asks("Twice the lanes. Twice as fast?")
            .shows(&[Diagram::Lanes(Lanes {
                heading: "Messages and keys in lanes",
                right: "four at once",
                widest: 4,
                registers: &[("blocks", 4, Fill::All), ("keys", 4, Fill::All)],
            })]),
        StepStory::new("library, one call", &[Item::Whole(LIBRARY, "in_one_call")])
            .against("keys kept")
            .shows(&[Diagram::Registers(Registers {
                heading: "32 registers of 512 bits",
                right: "keys come from memory",
                total: 32,
                held: &[Held { label: "m", count: 8, colour: 0 }],
            })]),
    ],
    bound: &[
        "A block is ten AES rounds, whatever the mode, so the floor is that of counter mode. A chain alone stays far from it: it takes \
         the latency of ten rounds for each 16 bytes, while the AES units could begin one or more rounds in every cycle. “The chain by \
         hand” runs at {f:the chain by hand} % of the floor's speed, and the library in one call at {f:library, one call} %.",
        "Every message has its own round keys, so each round loads a key for each message. That, and gathering blocks from \
         everywhere, is most of the rest.",
    ],
    lessons: &[
        "What cannot go side by side inside a message can go side by side between messages.",
        "**A loop over `encrypt` hides the messages from each other.** An interface that takes all of them is what makes the speed possible; \
         no cleverness below it can make up for that.",
        "Keys of their own are no obstacle: a lane has its own data and its own key.",
        "It is no use to wait for a batch. Hand over what there is: at 64 bytes a message the gain over the \
         loop is {x:256 messages of 64 B/library, one call}×, at 256 bytes {x:256 messages of 256 B/library, one call}×.",
    ],
    library: ("packets", "crates/abreast/src/packets"),
};
