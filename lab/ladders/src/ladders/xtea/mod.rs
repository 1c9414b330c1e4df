//! XTEA with little-endian words and 32 cycles, as game servers use it.
//!
//! From an article about the C++ code of such a server (2020). Its steps are loops over the blocks of a
//! message: one block after the other, then on several cores, then with the cycles of the cipher outside and
//! the blocks inside, so that the compiler makes vectors of blocks. The ladder goes on from there to vectors
//! that are full, to vectors that are written out, and to the library.
//!
//! Half a cycle is a chain of five instructions: a shift, an xor, an addition, an xor with the round key, an
//! addition. So the 64 halves of a block take 320 CPU cycles, forty per byte, and whatever is faster has
//! several blocks under way at once. (The CPU itself begins a block a little before the one before it has
//! ended.)

mod blocks;
mod cycle;
mod rounds;
mod vectors;

use abreast::xtea::Xtea;
use abreast::{BlockCipher, InOutBuf};
use abreast_reference::{ecb, xtea};
use abreast_simd::{Level, dispatch};

use crate::floor::{self, Floor, WordOperations};
use crate::ladder::{Ladder, Step, Workload};
use crate::sample::Random;

use cycle::{CYCLES, Decrypt, Encrypt, Key, RoundKeys, VectorDirection, round_keys, words_of};

/// The key of all workloads, for steps that are added from elsewhere.
pub const KEY: [u8; 16] = *b"a key of 16 byte";

/// The name of the workload that [`long_message`] makes.
pub const LONG: &str = "64 MiB";

/// The messages of a call where messages are short.
const SHORT_MESSAGES: usize = 64;

/// Bytes of a KB, as the article counts.
const KB: usize = 1000;

/// Bytes for which the article reports its factors.
const ARTICLE: usize = 25 * KB;

/// The ladder.
pub(super) fn ladder() -> Ladder {
    let floor = Some(floor());
    Ladder {
        name: "xtea",
        title: "XTEA",
        about: "Whole blocks without a mode, with little-endian words and 32 cycles, after an article \
                about the C++ code of a game server (2020). A call of the workloads with 32 and 8 bytes \
                works through 64 messages, one after the other.",
        instructions: floor::word_instructions(),
        workloads: vec![
            workload::<Encrypt>("25 KB", 1, ARTICLE, floor),
            workload::<Decrypt>("25 KB, decryption", 1, ARTICLE, floor),
            workload::<Encrypt>("500 KB", 1, 500 * KB, floor),
            workload::<Encrypt>("1572 KB", 1, 1572 * KB, floor),
            workload::<Encrypt>("32 B", SHORT_MESSAGES, 32, None),
            workload::<Encrypt>("8 B", SHORT_MESSAGES, 8, None),
        ],
    }
}

/// A message that is much longer than caches and than what a GPU takes at a time, for a step that is added from elsewhere,
/// beside those that say how fast the CPU is.
#[must_use]
pub fn long_message() -> Workload {
    let mut workload = workload::<Encrypt>(LONG, 1, 64 << 20, Some(floor()));
    workload.steps.retain(|step| ["for loop", "words apart", "library"].contains(&step.name));
    workload
}

/// Returns the floor of XTEA with vectors of words. Half a cycle is two shifts, two xors and two additions on a
/// register that holds a word of each of its blocks; AVX-512 has no shorter way, since there is an addition between the
/// two xors. Loads and stores, and the separation of left words from right words, are left out.
fn floor() -> Floor {
    let halves = 2.0 * CYCLES as f64;
    Floor::of_words(|level| WordOperations {
        all: 6.0 * halves,
        shifts: 2.0 * halves,
        bytes: dispatch!(level, isa => vectors::pair_bytes(isa)) as f64,
    })
}

/// The two ends of a ladder, in a direction.
trait Ends: VectorDirection {
    fn reference(cipher: &xtea::Xtea, input: &[u8]) -> Vec<u8>;
    fn library(cipher: &Xtea, blocks: InOutBuf<'_, '_, u8>) -> Result<(), abreast::Error>;
}

impl Ends for Encrypt {
    fn reference(cipher: &xtea::Xtea, input: &[u8]) -> Vec<u8> {
        ecb::encrypt(cipher, input)
    }
    fn library(cipher: &Xtea, blocks: InOutBuf<'_, '_, u8>) -> Result<(), abreast::Error> {
        cipher.encrypt_raw_blocks(blocks)
    }
}

impl Ends for Decrypt {
    fn reference(cipher: &xtea::Xtea, input: &[u8]) -> Vec<u8> {
        ecb::decrypt(cipher, input)
    }
    fn library(cipher: &Xtea, blocks: InOutBuf<'_, '_, u8>) -> Result<(), abreast::Error> {
        cipher.decrypt_raw_blocks(blocks)
    }
}

/// Messages of `len` bytes, one after the other.
fn workload<D: Ends>(name: &'static str, messages: usize, len: usize, floor: Option<Floor>) -> Workload {
    let input = Random::new(1).bytes(messages * len);
    let reference = xtea::Xtea::new(&KEY, xtea::ByteOrder::LittleEndian, CYCLES as u8);
    let expected = D::reference(&reference, &input);
    let steps = Steps { len, key: words_of(&KEY), keys: round_keys::<D>(&words_of(&KEY)) };
    let steps = if messages == 1 { steps.for_a_long_message::<D>() } else { steps.for_short_messages::<D>() };
    Workload { name, bytes: input.len(), input, expected, steps, floor }
}

/// The data that steps are made from.
#[derive(Clone, Copy)]
struct Steps {
    /// Bytes of a message.
    len: usize,
    key: Key,
    keys: RoundKeys,
}

impl Steps {
    fn for_a_long_message<D: Ends>(self) -> Vec<Step> {
        let [while_loop, for_loop, map] = self.block_by_block::<D>();
        let [rounds_outside, round_keys, words] = self.rounds_outside::<D>();
        vec![
            while_loop,
            for_loop,
            map,
            self.article(
                self.with_key(
                    "parallel over blocks",
                    "The blocks are divided among all cores. Waking the other cores and waiting for them \
                     takes time, too, and in the slowest samples a lot of it.",
                    blocks::parallel::<D>,
                ),
                4.3,
                Some("The factor is about the number of idle cores at most; the article's CPU had four, with two threads each."),
            ),
            self.article(rounds_outside, 4.8, None),
            self.article(
                round_keys,
                5.23,
                Some("LLVM had already moved all work on the key out of the inner loop."),
            ),
            words,
            self.with_round_keys(
                "cache-blocked",
                "A piece of 4 KiB goes through all cycles before the next piece begins, and so stays in \
                 the first-level cache. It helps little at most: computing a cycle takes longer \
                 than fetching its blocks.",
                rounds::piece_by_piece::<D>,
            ),
            self.with_round_keys(
                "words apart",
                "The words of a piece are copied into an array of left words and one of right words, so \
                 that vectors are loaded as they are needed and no cycle moves words between lanes.",
                rounds::words_apart::<D>,
            ),
            self.one_pair::<D>(
                "Vectors written out: a pair of registers, left words and right words, goes through all \
                 cycles without touching memory. Alone it is a step back, since a pair is a chain, as one \
                 block was, and 128 bits are few.",
            ),
            self.several_pairs::<D>(
                "6 pairs, 128 bits",
                "Six pairs take turns: while an instruction of one is under way, the others have instructions that are ready.",
                &["sse2", "neon", "simd128"],
                "this CPU has no vectors of 128 bits",
            ),
            self.several_pairs::<D>(
                "6 pairs, AVX2",
                "The same code with registers of twice the width: half the instructions for a byte.",
                &["avx2"],
                "this CPU has no AVX2",
            ),
            self.several_pairs::<D>(
                "6 pairs, AVX-512",
                "Twice the width again. A core whose units have 256 bits takes two turns for a register of 512, and gains little.",
                &["avx512"],
                "this CPU has no AVX-512",
            ),
            self.library::<D>(
                "The kernel of this library for this CPU: as the steps before, with eight pairs, and for \
                 messages of any length.",
            ),
        ]
    }

    fn for_short_messages<D: Ends>(self) -> Vec<Step> {
        let [while_loop, for_loop, map] = self.block_by_block::<D>();
        let [rounds_outside, round_keys, words] = self.rounds_outside::<D>();
        vec![
            while_loop,
            for_loop,
            map,
            rounds_outside,
            round_keys,
            words,
            self.one_pair::<D>(
                "Vectors written out, which need not be full: four blocks fill a pair of 128 bits, and \
                 fewer take as long as four. A message takes a chain at least, so wider vectors or more of \
                 them would not help.",
            ),
            self.library::<D>(
                "Each message is a call of this library, with its checks. Up to four blocks go through \
                 general registers, which is better where vectors take two CPU cycles for an addition (Zen \
                 5), and worse on Zen 3.",
            ),
        ]
    }

    fn block_by_block<D: VectorDirection>(self) -> [Step; 3] {
        [
            self.with_key(
                "while loop",
                "Block after block, each by the book, at positions that a variable counts. A block is a \
                 chain of 320 instructions. Each takes a CPU cycle, and takes one slot of several in it.",
                blocks::while_loop::<D>,
            ),
            self.with_key(
                "for loop",
                "The loop says where positions begin and end, so that the compiler need not find out. The \
                 time is that of the chains, so nothing changes.",
                blocks::for_loop::<D>,
            ),
            self.with_key(
                "iterator map",
                "There are no positions at all, and none to check. The time is still that of the chains.",
                blocks::map::<D>,
            ),
        ]
    }

    fn rounds_outside<D: VectorDirection>(self) -> [Step; 3] {
        [
            self.with_key(
                "rounds outside, blocks inside",
                "All blocks go through a cycle before the next cycle begins. The blocks in the inner loop \
                 do not wait for each other, and the compiler makes vectors of them, as far as the message \
                 fills vectors.",
                rounds::rounds_outside::<D>,
            ),
            self.with_round_keys(
                "round keys before",
                "The sums are added to the words of the key once per key, not once per message.",
                rounds::with_round_keys::<D>,
            ),
            self.with_round_keys(
                "blocks as two words",
                "A block is read as two numbers of 32 bits, not as one of 64. Vectors of the latter have a \
                 word in every second lane only; now they are full.",
                rounds::with_words::<D>,
            ),
        ]
    }

    fn one_pair<D: VectorDirection>(self, change: &'static str) -> Step {
        self.with_vectors(
            "1 pair, 128 bits",
            change,
            &["sse2", "neon", "simd128"],
            "this CPU has no vectors of 128 bits",
            |level, keys, input, output| {
                dispatch!(level, isa => vectors::one_pair::<D, _>(isa, keys, input, output));
            },
        )
    }

    fn several_pairs<D: VectorDirection>(
        self,
        name: &'static str,
        change: &'static str,
        levels: &[&str],
        why: &'static str,
    ) -> Step {
        self.with_vectors(name, change, levels, why, |level, keys, input, output| {
            dispatch!(level, isa => vectors::several_pairs::<D, _>(isa, keys, input, output));
        })
    }

    fn library<D: Ends>(self, change: &'static str) -> Step {
        let cipher = Xtea::new(&KEY);
        Step::new(
            "library",
            change,
            self.each_message(move |input, output| {
                let blocks = InOutBuf::new(input, output).expect("both have the same length");
                D::library(&cipher, blocks).expect("the input is whole blocks");
            }),
        )
    }

    /// A step for which the article has a factor, and why the factor is another one today.
    fn article(self, step: Step, factor: f64, differs: Option<&'static str>) -> Step {
        if self.len != ARTICLE {
            return step;
        }
        let step = step.then(factor);
        match differs {
            Some(why) => step.differs(why),
            None => step,
        }
    }

    fn with_key(self, name: &'static str, change: &'static str, crypt: fn(&Key, &[u8], &mut [u8])) -> Step {
        Step::new(name, change, self.each_message(move |input, output| crypt(&self.key, input, output)))
    }

    fn with_round_keys(
        self,
        name: &'static str,
        change: &'static str,
        crypt: fn(&RoundKeys, &[u8], &mut [u8]),
    ) -> Step {
        Step::new(name, change, self.each_message(move |input, output| crypt(&self.keys, input, output)))
    }

    /// A step on the vectors of the level that has one of these names.
    fn with_vectors(
        self,
        name: &'static str,
        change: &'static str,
        levels: &[&str],
        why: &'static str,
        crypt: fn(Level, &RoundKeys, &[u8], &mut [u8]),
    ) -> Step {
        let level = Level::detect_all().find(|level| levels.contains(&level.name()));
        Step::if_detected(level, why, name, change, |level| {
            Box::new(self.each_message(move |input, output| crypt(level, &self.keys, input, output)))
        })
    }

    fn each_message(
        self,
        mut crypt: impl FnMut(&[u8], &mut [u8]) + 'static,
    ) -> impl FnMut(&[u8], &mut [u8]) + 'static {
        move |input, output| {
            for (input, output) in input.chunks(self.len).zip(output.chunks_mut(self.len)) {
                crypt(input, output);
            }
        }
    }
}
