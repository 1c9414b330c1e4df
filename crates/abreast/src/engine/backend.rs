//! What a cipher's author writes and what a mode's author writes, and how the two meet.
//!
//! A *specification* ([`Spec`]) is one way to compute a cipher, with the round keys that it wants; AES
//! has two, one over AES instructions and one bit-sliced. [`On`] is that specification on one
//! instruction set: how blocks come into registers, and the rounds. A mode is a [`Job`]: a loop over
//! `On`, generic in both. A cipher's `visit` matches the kernel kept with its key and runs the job
//! inside the instruction set, so that loads, counters, rounds and stores are compiled as one function
//! and the data never leaves registers in between.
//!
//! Everything here must be `#[inline(always)]` down to the intrinsics; see the crate `abreast-simd`.

use abreast_simd::{AesLevel, Block, Blocks, Clmul, Isa};

/// A chaining value: a block, in the first bytes.
pub(crate) type Chain = [u8; 16];

/// One way to compute a cipher.
pub(crate) trait Spec: 'static {
    /// Round keys as this way wants them.
    type Keys;
    /// Bytes of a block, 8 or 16.
    const BLOCK: usize;
}

/// A specification on an instruction set.
///
/// The unit is the *group*: the least number of blocks that go through the rounds together. A *pass*
/// is `N` groups, interleaved round by round so that they hide each other's latency.
pub(crate) trait On<I: Isa>: Spec {
    /// The registers of one group, blocks in the order of memory.
    type Group: Copy;
    /// Bytes of one group.
    const GROUP: usize;
    /// Groups in the passes of the main loop: 1, 2, 4 or 8, picked by measuring.
    const DEPTH: usize;

    /// Whether a pass mostly waits for its own results, so that it costs nearly the same for one group as for
    /// several. The rest of a buffer then goes through one pass, in part idle, and not through several.
    const WAITS: bool;

    /// A group from exactly [`GROUP`](Self::GROUP) bytes.
    fn load(isa: I, src: &[u8]) -> Self::Group;
    /// A group to exactly [`GROUP`](Self::GROUP) bytes.
    fn store(group: Self::Group, dst: &mut [u8]);
    /// A group from fewer bytes, zeros behind them.
    fn load_partial(isa: I, src: &[u8]) -> Self::Group;
    /// The first bytes of a group.
    fn store_partial(group: Self::Group, dst: &mut [u8]);
    /// A group of one block, again and again.
    fn splat(isa: I, block: &[u8; 16]) -> Self::Group;
    /// The xor of two groups.
    fn xor(a: Self::Group, b: Self::Group) -> Self::Group;
    /// The last block of `before`, and behind it all blocks of `group` but the last: the block in front
    /// of each.
    fn follow(isa: I, group: Self::Group, before: Self::Group) -> Self::Group;

    /// A running counter.
    type Counter: Copy;
    /// The counter that starts with a given block, a big-endian number. A secret one takes no branch on its
    /// value.
    fn counter(isa: I, block: &Block, secrecy: Secrecy) -> Self::Counter;
    /// The next blocks: their low 32 bits count, modulo 2^32.
    fn count<const N: usize>(isa: I, counter: &mut Self::Counter) -> [Self::Group; N];

    /// The tweaks of a group of XTS from its first one: each block is the one before times `x`.
    fn tweaks(isa: I, first: &[u8; 16]) -> Self::Group;
    /// The tweaks of the group behind.
    fn next_tweaks(isa: I, tweaks: Self::Group) -> Self::Group;
    /// The tweaks of the first `N` groups from `tweaks` on, which becomes those of the group behind them.
    #[inline(always)]
    fn take_tweaks<const N: usize>(isa: I, tweaks: &mut Self::Group) -> [Self::Group; N] {
        let mut taken = [*tweaks; N];
        for taken in &mut taken[1..] {
            *tweaks = Self::next_tweaks(isa, *tweaks);
            *taken = *tweaks;
        }
        *tweaks = Self::next_tweaks(isa, *tweaks);
        taken
    }

    /// Calls of `step` in one call of [`encrypt`](Self::encrypt).
    const STEPS: usize;
    /// All rounds forward. Between them `step(0)`, `step(1)`, .. may do unrelated work that overlaps.
    fn encrypt<const N: usize>(
        isa: I,
        keys: &Self::Keys,
        groups: [Self::Group; N],
        step: impl FnMut(usize),
    ) -> [Self::Group; N];
    /// All rounds backward.
    fn decrypt<const N: usize>(isa: I, keys: &Self::Keys, groups: [Self::Group; N]) -> [Self::Group; N];
    /// All rounds forward for the first `blocks` blocks of a group; the others become anything.
    #[inline(always)]
    fn encrypt_few(isa: I, keys: &Self::Keys, group: Self::Group, _blocks: usize) -> Self::Group {
        let [group] = Self::encrypt(
            isa,
            keys,
            [group],
            #[inline(always)]
            |_| (),
        );
        group
    }
    /// All rounds backward for the first `blocks` blocks of a group; the others become anything.
    #[inline(always)]
    fn decrypt_few(isa: I, keys: &Self::Keys, group: Self::Group, _blocks: usize) -> Self::Group {
        let [group] = Self::decrypt(isa, keys, [group]);
        group
    }

    /// One block by itself, as the chaining modes hold it, in which each block waits for the one before.
    type Lone: Copy;
    /// A block from exactly [`BLOCK`](Spec::BLOCK) bytes.
    fn load_lone(isa: I, src: &[u8]) -> Self::Lone;
    /// A block to exactly [`BLOCK`](Spec::BLOCK) bytes.
    fn store_lone(block: Self::Lone, dst: &mut [u8]);
    /// The xor of two blocks.
    fn xor_lone(a: Self::Lone, b: Self::Lone) -> Self::Lone;
    /// The first input of a chain, as [`link`](Self::link) takes it.
    fn begin_chain(isa: I, keys: &Self::Keys, block: Self::Lone) -> Self::Lone;
    /// Encrypts an input of a chain. Gives the output, and the next input: the sum of the output and `next`.
    fn link(isa: I, keys: &Self::Keys, input: Self::Lone, next: Self::Lone) -> (Self::Lone, Self::Lone);

    /// The vector for GHASH beside these rounds.
    type Ghash: Clmul;
    /// The token of that vector.
    fn ghash_isa(isa: I) -> <Self::Ghash as Blocks>::Isa;
    /// Where [`Ghash`](Self::Ghash) is in software: the carry-less products that the CPU has all the same.
    #[inline(always)]
    fn carryless(_keys: &Self::Keys) -> Option<AesLevel> {
        None
    }
}

/// How a kernel cuts data: what the tests take lengths from.
#[derive(Clone, Copy, Debug, Default)]
#[doc(hidden)]
pub struct PassSizes {
    /// Bytes of a block.
    pub block: usize,
    /// Bytes of a group.
    pub group: usize,
    /// Groups of the widest pass; the others have half of that, a quarter, and so on down to one.
    pub depth: usize,
}

/// Whether a counter may be known to who watches the time: as a rule it is sent along, but GCM hashes a
/// nonce that is not 12 bytes long under the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub enum Secrecy {
    Public,
    Secret,
}

/// Which way the data goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From plaintext to ciphertext.
    Encrypt,
    /// From ciphertext to plaintext.
    Decrypt,
}

/// Blocks from a counter block on that a kernel can count, as the low 32 bits of the counter wrap after them.
#[inline(always)]
pub(crate) fn blocks_before_wrap(counter: u128) -> u64 {
    (1 << 32) - u64::from(counter as u32)
}
