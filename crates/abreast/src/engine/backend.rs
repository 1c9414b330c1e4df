//! Backends: a cipher on an instruction set, as the author of the cipher writes it.
//!
//! A *specification* ([`Spec`]) is one way to compute a cipher, with round keys laid out for it. AES has two, one over AES
//! instructions and one bit-sliced. [`Backend`] is a specification on one instruction set: how blocks come into registers,
//! and the rounds. A mode is a loop over a backend, generic in the cipher and the instruction set
//! ([`ModeLoop`](super::passes::ModeLoop)). A key runs the loop inside the instruction set of its kernel, so that loads,
//! counters, rounds and stores are compiled as one function and the data stays in registers in between.
//!
//! Every function here has to be `#[cfg_attr(not(abreast_unoptimized), inline(always))]` down to the intrinsics; the crate `abreast-simd` says why.

use abreast_simd::{AesLevel, Block, Blocks, Clmul, Isa};
use cipher::array::Array;
use cipher::consts::U16;
use inout::InOut;

/// A chaining value: a block, in the first bytes.
pub(crate) type ChainingValue = [u8; 16];

/// A block of 128 bits, in place or from one place to another.
pub(crate) type InOutBlock<'i, 'o> = InOut<'i, 'o, Array<u8, U16>>;

/// One way to compute a cipher.
pub(crate) trait Spec: 'static {
    /// Round keys, laid out for these rounds.
    type Keys;
    /// Bytes of a block, 8 or 16.
    const BLOCK: usize;
}

/// A specification on an instruction set.
///
/// The unit is the *group*: the fewest blocks that go through the rounds together. A *pass* is `N` groups, interleaved
/// round by round so that they hide each other's latency.
pub(crate) trait Backend<I: Isa>: Spec {
    /// The registers of one group, blocks in the order of memory.
    type Group: Copy;
    /// Bytes of one group.
    const GROUP: usize;
    /// Groups in the passes of the main loop: 1, 2, 4 or 8, picked by measuring.
    const INTERLEAVE: usize;
    /// Groups in the passes of ECB, which leaves registers free, up to 16: more than it takes to hide the latency of the
    /// rounds, so that the beginning and the end of a pass, where few rounds are under way, come less often.
    const INTERLEAVE_ECB: usize = Self::INTERLEAVE;

    /// True if the backend is latency-bound: a pass of one group takes nearly as long as a pass of several. The rest of a
    /// buffer then goes through one pass that is partly empty, and not through several narrower ones.
    const LATENCY_BOUND: bool;

    /// A group from exactly [`GROUP`](Self::GROUP) bytes.
    fn load(isa: I, src: &[u8]) -> Self::Group;
    /// A group to exactly [`GROUP`](Self::GROUP) bytes.
    fn store(group: Self::Group, dst: &mut [u8]);
    /// A group from fewer bytes, zeros after them.
    fn load_partial(isa: I, src: &[u8]) -> Self::Group;
    /// The first bytes of a group.
    fn store_partial(group: Self::Group, dst: &mut [u8]);
    /// A group of one block, again and again.
    fn splat(isa: I, block: &[u8; 16]) -> Self::Group;
    /// The xor of two groups.
    fn xor(a: Self::Group, b: Self::Group) -> Self::Group;
    /// The last block of `before`, and after it all blocks of `group` but the last: the block before
    /// of each.
    fn shift_in(isa: I, group: Self::Group, before: Self::Group) -> Self::Group;
    /// True if loading a group a second time costs less than keeping it in a register over the rounds.
    const LOADS_AGAIN: bool = false;

    /// A running counter.
    type Counter: Copy;
    /// The counter that starts with a given block, a big-endian number. A secret one takes no branch on its
    /// value.
    fn counter(isa: I, block: &Block, secrecy: Secrecy) -> Self::Counter;
    /// The next blocks: their low 32 bits count, modulo 2^32.
    fn count<const N: usize>(isa: I, counter: &mut Self::Counter) -> [Self::Group; N];

    /// The first groups of counter blocks from a given block on, as it stands in memory, of which the last byte counts
    /// and does not reach 255. At most four groups.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn first_counters<const N: usize>(isa: I, first: &[u8; 16]) -> [Self::Group; N] {
        let first = Block::from(u128::from_be_bytes(*first));
        Self::count(isa, &mut Self::counter(isa, &first, Secrecy::Public))
    }

    /// The tweaks of a group of XTS from its first one: each block is the one before times `x`.
    fn tweaks(isa: I, first: &[u8; 16]) -> Self::Group;
    /// The tweaks of the next group.
    fn next_tweaks(isa: I, tweaks: Self::Group) -> Self::Group;
    /// The tweaks of the first `N` groups from `tweaks` on, which becomes those of the group after them.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn take_tweaks<const N: usize>(isa: I, tweaks: &mut Self::Group) -> [Self::Group; N] {
        let mut taken = [*tweaks; N];
        for taken in &mut taken[1..] {
            *tweaks = Self::next_tweaks(isa, *tweaks);
            *taken = *tweaks;
        }
        *tweaks = Self::next_tweaks(isa, *tweaks);
        taken
    }

    /// True if a run of passes keeps the tweaks of all `N` groups and advances each one independently, by
    /// [`tweaks_after`](Self::tweaks_after).
    const KEEPS_TWEAKS: bool = false;
    /// The tweaks `n` groups later.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn tweaks_after(isa: I, tweaks: Self::Group, n: usize) -> Self::Group {
        (0..n).fold(tweaks, |tweaks, _| Self::next_tweaks(isa, tweaks))
    }

    /// The round keys of one direction, as a run of passes holds them.
    type RunKeys<'k>: Copy;
    /// The round keys for a run of passes, forward or backward.
    fn run_keys<const ENCRYPT: bool>(isa: I, keys: &Self::Keys) -> Self::RunKeys<'_>;
    /// All rounds of one pass of a run, forward or backward.
    fn run<const ENCRYPT: bool, const N: usize>(
        isa: I,
        keys: Self::RunKeys<'_>,
        groups: [Self::Group; N],
    ) -> [Self::Group; N];

    /// True if the rounds take any number of groups at run time, in the time of that many.
    const ANY_NUMBER: bool = false;
    /// [`run`](Self::run) of the first `_count` groups; the others become anything.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn run_some<const ENCRYPT: bool, const N: usize>(
        isa: I,
        keys: Self::RunKeys<'_>,
        groups: [Self::Group; N],
        _count: usize,
    ) -> [Self::Group; N] {
        Self::run::<ENCRYPT, N>(isa, keys, groups)
    }

    /// Calls of `stitch` in one call of [`encrypt`](Self::encrypt).
    const STITCHES: usize;
    /// All rounds forward. Between them `stitch(0)`, `stitch(1)`, .. may do unrelated work that overlaps.
    fn encrypt<const N: usize>(
        isa: I,
        keys: &Self::Keys,
        groups: [Self::Group; N],
        stitch: impl FnMut(usize),
    ) -> [Self::Group; N];
    /// All rounds backward.
    fn decrypt<const N: usize>(isa: I, keys: &Self::Keys, groups: [Self::Group; N]) -> [Self::Group; N];
    /// All rounds forward for the first `blocks` blocks of a group; the others become anything.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn encrypt_partial(isa: I, keys: &Self::Keys, group: Self::Group, _blocks: usize) -> Self::Group {
        let [group] = Self::encrypt(
            isa,
            keys,
            [group],
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            |_| (),
        );
        group
    }
    /// All rounds backward for the first `blocks` blocks of a group; the others become anything.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn decrypt_partial(isa: I, keys: &Self::Keys, group: Self::Group, _blocks: usize) -> Self::Group {
        let [group] = Self::decrypt(isa, keys, [group]);
        group
    }

    /// A single block, as the serial modes hold it, in which each block waits for the one before.
    type SerialBlock: Copy;
    /// A block from exactly [`BLOCK`](Spec::BLOCK) bytes.
    fn load_serial(isa: I, src: &[u8]) -> Self::SerialBlock;
    /// A block to exactly [`BLOCK`](Spec::BLOCK) bytes.
    fn store_serial(block: Self::SerialBlock, dst: &mut [u8]);
    /// The XOR of two blocks.
    fn xor_serial(a: Self::SerialBlock, b: Self::SerialBlock) -> Self::SerialBlock;
    /// A block as the first input of [`encrypt_then_xor`](Self::encrypt_then_xor).
    fn begin_serial(isa: I, keys: &Self::Keys, block: Self::SerialBlock) -> Self::SerialBlock;
    /// Encrypts an input. Returns the output, and the next input: the output XORed with `next`.
    fn encrypt_then_xor(
        isa: I,
        keys: &Self::Keys,
        input: Self::SerialBlock,
        next: Self::SerialBlock,
    ) -> (Self::SerialBlock, Self::SerialBlock);

    /// The vector for GHASH beside these rounds.
    type Ghash: Clmul;
    /// The token of that vector.
    fn ghash_isa(isa: I) -> <Self::Ghash as Blocks>::Isa;
    /// The first blocks of a group, as many as that vector has.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn ghash_of(isa: I, group: Self::Group) -> Self::Ghash {
        let mut bytes = [0; 64];
        let bytes = &mut bytes[..Self::Ghash::BYTES];
        Self::store_partial(group, bytes);
        Self::Ghash::load(Self::ghash_isa(isa), bytes)
    }
    /// Returns, where [`Ghash`](Self::Ghash) is in software, the carry-less products that the CPU has all the same.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn clmul_level(_keys: &Self::Keys) -> Option<AesLevel> {
        None
    }
}

/// The sizes by which a kernel cuts data; the tests derive lengths from them.
#[derive(Clone, Copy, Debug, Default)]
#[doc(hidden)]
pub struct PassSizes {
    /// Bytes of a block.
    pub block: usize,
    /// Bytes of a group.
    pub group: usize,
    /// Groups of the widest pass, of ECB; the others have half of that, a quarter, and so on down to one.
    pub depth: usize,
    /// Groups of the widest pass of other modes.
    pub interleave: usize,
}

/// The secrecy of a counter, on which the timing must not depend if it is secret. As a rule a counter is public, since it is
/// sent with the message. Where GCM hashes a nonce that is not 12 bytes long, the counter depends on the key and is secret.
/// The counters of EAX are secret, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub enum Secrecy {
    Public,
    Secret,
}

/// A direction as a loop is compiled for it: one of the two, or [`Direction`] itself, which is asked in every pass.
pub(crate) trait Way: Copy {
    /// Returns the direction.
    fn direction(self) -> Direction;
}

/// From plaintext to ciphertext.
#[derive(Clone, Copy)]
pub(crate) struct Forward;

/// From ciphertext to plaintext.
#[derive(Clone, Copy)]
pub(crate) struct Backward;

impl Way for Forward {
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn direction(self) -> Direction {
        Direction::Encrypt
    }
}

impl Way for Backward {
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn direction(self) -> Direction {
        Direction::Decrypt
    }
}

impl Way for Direction {
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn direction(self) -> Direction {
        self
    }
}

/// The direction of the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From plaintext to ciphertext.
    Encrypt,
    /// From ciphertext to plaintext.
    Decrypt,
}

/// Blocks from a counter block on that a kernel can count, as the low 32 bits of the counter wrap after them.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(crate) fn blocks_before_wrap(counter: u128) -> u64 {
    (1 << 32) - u64::from(counter as u32)
}

/// Bytes of a message of `len` bytes that come before the low 32 bits of a secret counter wrap, all of them as a rule.
///
/// Where the counter wraps inside the message is as much as timing can tell of the counter. So it is one branch that
/// depends on it. A minimum would make a length of it, on which the branches of all that follows depend.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(crate) fn len_before_wrap(counter: u128, size: usize, len: usize) -> usize {
    if (len.div_ceil(size) as u64) <= blocks_before_wrap(counter) { len } else { cut(counter, size) }
}

/// A call, so that the compiler makes a branch of its condition.
#[cold]
#[inline(never)]
fn cut(counter: u128, size: usize) -> usize {
    (blocks_before_wrap(counter) * size as u64) as usize
}
