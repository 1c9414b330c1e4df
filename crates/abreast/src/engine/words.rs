//! Backends over vectors of 32-bit words: all of [`Backend`] but the rounds.
//!
//! Bit-sliced AES, Serpent and ciphers over two words differ in their rounds, but all of them load a group of blocks as a few
//! registers in the order of memory. Loads, stores, counters and tweaks follow from that.

use crate::engine::backend::{Backend, Secrecy, Spec};
use crate::engine::multibuf::Rows;
use abreast_simd::inlined::{Flat, Zipped};
use abreast_simd::portable::{Portable, SoftBlock};
use abreast_simd::{AesLevel, Block, Words, WordsIsa};

/// The registers of a group.
pub(crate) trait Registers<W: Words>: Copy {
    /// The number of registers.
    const COUNT: usize;
    /// Returns registers that all have the same words.
    fn splat(words: W) -> Self;
    /// The registers in order.
    fn each(&self) -> &[W];
    /// The registers in order, mutable.
    fn each_mut(&mut self) -> &mut [W];
}

impl<W: Words, const R: usize> Registers<W> for [W; R] {
    const COUNT: usize = R;

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn splat(words: W) -> Self {
        [words; R]
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn each(&self) -> &[W] {
        self
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn each_mut(&mut self) -> &mut [W] {
        self
    }
}

/// Marks a specification that implements [`WordsBackend`]. Without the marker, the implementation of [`Backend`] below
/// would conflict with others under the coherence rules: any specification might come to implement `WordsBackend`.
pub(crate) trait OverWords: Spec {}

/// A specification over words: the rounds, and a block by itself. [`Backend`] follows from it.
pub(crate) trait WordsBackend<I: WordsIsa>: OverWords {
    /// See [`Backend::Group`].
    type Group: Registers<I::Words>;
    /// See [`Backend::INTERLEAVE`].
    const INTERLEAVE: usize;
    /// See [`Backend::LATENCY_BOUND`].
    const LATENCY_BOUND: bool;

    /// See [`Backend::encrypt`].
    fn encrypt<const N: usize>(isa: I, keys: &Self::Keys, groups: &mut [Self::Group; N]);
    /// See [`Backend::decrypt`].
    fn decrypt<const N: usize>(isa: I, keys: &Self::Keys, groups: &mut [Self::Group; N]);
    /// See [`Backend::ANY_NUMBER`].
    const ANY_NUMBER: bool = false;
    /// All rounds forward for any number of groups.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn encrypt_some(isa: I, keys: &Self::Keys, groups: &mut [Self::Group]) {
        for group in groups {
            Self::encrypt(isa, keys, core::array::from_mut(group));
        }
    }
    /// All rounds backward for any number of groups.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn decrypt_some(isa: I, keys: &Self::Keys, groups: &mut [Self::Group]) {
        for group in groups {
            Self::decrypt(isa, keys, core::array::from_mut(group));
        }
    }
    /// See [`Backend::encrypt_partial`].
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn encrypt_partial(isa: I, keys: &Self::Keys, group: &mut Self::Group, _blocks: usize) {
        Self::encrypt(isa, keys, core::array::from_mut(group));
    }
    /// See [`Backend::decrypt_partial`].
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn decrypt_partial(isa: I, keys: &Self::Keys, group: &mut Self::Group, _blocks: usize) {
        Self::decrypt(isa, keys, core::array::from_mut(group));
    }

    /// See [`Backend::SerialBlock`].
    type SerialBlock: Copy;
    /// See [`Backend::load_serial`].
    fn load_serial(isa: I, src: &[u8]) -> Self::SerialBlock;
    /// See [`Backend::store_serial`].
    fn store_serial(block: Self::SerialBlock, dst: &mut [u8]);
    /// See [`Backend::xor_serial`].
    fn xor_serial(a: Self::SerialBlock, b: Self::SerialBlock) -> Self::SerialBlock;
    /// All rounds forward.
    fn encrypt_serial(isa: I, keys: &Self::Keys, block: Self::SerialBlock) -> Self::SerialBlock;

    /// See [`Backend::clmul_level`].
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn clmul_level(_keys: &Self::Keys) -> Option<AesLevel> {
        None
    }
}

/// A vector of words for each size of block: the lanes that count, which are the last ones of the blocks,
/// and `0, 1, ..` in these lanes.
struct Counting {
    lanes: [u8; 16],
    numbers: [u8; 64],
}

const fn counting(block: usize) -> Counting {
    let mut tables = Counting { lanes: [0; 16], numbers: [0; 64] };
    let mut i = block - 4;
    while i < 64 {
        if i < 16 {
            (tables.lanes[i], tables.lanes[i + 1], tables.lanes[i + 2], tables.lanes[i + 3]) =
                (255, 255, 255, 255);
        }
        tables.numbers[i] = (i / block) as u8;
        i += block;
    }
    tables
}

const COUNTING_8: Counting = counting(8);
const COUNTING_16: Counting = counting(16);

#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn counting_of<S: Spec>() -> &'static Counting {
    if S::BLOCK == 8 { &COUNTING_8 } else { &COUNTING_16 }
}

impl<I: WordsIsa, S: OverWords + WordsBackend<I>> Backend<I> for S {
    type Group = S::Group;
    const GROUP: usize = S::Group::COUNT * I::Words::BYTES;
    const INTERLEAVE: usize = S::INTERLEAVE;
    const LATENCY_BOUND: bool = S::LATENCY_BOUND;

    // By index: of a chain of iterators the compiler does not always see that it ends at a constant.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn load(isa: I, src: &[u8]) -> Self::Group {
        let mut group = S::Group::splat(I::Words::splat(isa, 0));
        for (i, register) in group.each_mut().iter_mut().enumerate() {
            *register = I::Words::load(isa, &src[i * I::Words::BYTES..][..I::Words::BYTES]);
        }
        group
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn store(group: Self::Group, dst: &mut [u8]) {
        for (i, register) in group.each().iter().enumerate() {
            register.store(&mut dst[i * I::Words::BYTES..][..I::Words::BYTES]);
        }
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn load_partial(isa: I, src: &[u8]) -> Self::Group {
        let mut group = S::Group::splat(I::Words::splat(isa, 0));
        // Not unrolled: the number of registers is known at run time alone.
        let mut rest = src;
        for register in &mut group.each_mut()[..src.len().div_ceil(I::Words::BYTES)] {
            let part;
            (part, rest) = rest.split_at(rest.len().min(I::Words::BYTES));
            *register = I::Words::load_partial(isa, part);
        }
        group
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn store_partial(group: Self::Group, dst: &mut [u8]) {
        let mut rest = dst;
        for register in &group.each()[..rest.len().div_ceil(I::Words::BYTES)] {
            let part;
            (part, rest) = rest.split_at_mut(rest.len().min(I::Words::BYTES));
            register.store_partial(part);
        }
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn splat(isa: I, block: &[u8; 16]) -> Self::Group {
        let mut row = *block;
        if S::BLOCK == 8 {
            row = (u128::from_le_bytes(row) << 64 | u128::from_le_bytes(row) & u128::from(u64::MAX))
                .to_le_bytes();
        }
        S::Group::splat(I::Words::splat_row(isa, &row))
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn xor(mut a: Self::Group, b: Self::Group) -> Self::Group {
        for (a, b) in a.each_mut().iter_mut().zipped(b.each()) {
            *a = *a ^ *b;
        }
        a
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn shift_in(_: I, group: Self::Group, before: Self::Group) -> Self::Group {
        let mut following = group;
        let mut before = before.each()[S::Group::COUNT - 1];
        for (following, register) in following.each_mut().iter_mut().zipped(group.each()) {
            *following = register.shift_in(before, S::BLOCK);
            before = *register;
        }
        following
    }

    /// The next blocks, the counting lanes in the CPU's byte order.
    type Counter = I::Words;
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn counter(isa: I, block: &Block, _: Secrecy) -> I::Words {
        let tables = counting_of::<S>();
        let counting = I::Words::splat_row(isa, &tables.lanes);
        // As a number: of bytes that are turned around one by one, LLVM 22 makes wrong code for WebAssembly where a part of
        // them is known.
        let number = u128::from_le_bytes(*block.as_bytes());
        let bytes = if S::BLOCK == 8 {
            let half = u128::from((number as u64).swap_bytes());
            half << 64 | half
        } else {
            number.swap_bytes()
        };
        let block = I::Words::splat_row(isa, &bytes.to_le_bytes());
        let first = (block & !counting) | (block.swap_bytes() & counting);
        first + I::Words::load(isa, &tables.numbers[..I::Words::BYTES])
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn count<const N: usize>(isa: I, counter: &mut I::Words) -> [Self::Group; N] {
        let counting = I::Words::splat_row(isa, &counting_of::<S>().lanes);
        let blocks = I::Words::splat(isa, (I::Words::BYTES / S::BLOCK) as u32) & counting;
        let mut groups = [S::Group::splat(*counter); N];
        for group in &mut groups {
            for register in group.each_mut() {
                *register = (*counter & !counting) | (counter.swap_bytes() & counting);
                *counter = *counter + blocks;
            }
        }
        groups
    }

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn tweaks(isa: I, first: &[u8; 16]) -> Self::Group {
        let first = I::Words::splat_row(isa, first).times_powers_of_x(isa);
        tweaks_from::<I, S>(isa, first)
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn next_tweaks(isa: I, tweaks: Self::Group) -> Self::Group {
        let last = tweaks.each()[S::Group::COUNT - 1];
        tweaks_from::<I, S>(isa, last.times_x(isa, I::Words::LANES as u32 / 4))
    }

    type RunKeys<'k> = &'k S::Keys;
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn run_keys<const ENCRYPT: bool>(_: I, keys: &S::Keys) -> &S::Keys {
        keys
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn run<const ENCRYPT: bool, const N: usize>(
        isa: I,
        keys: &S::Keys,
        mut groups: [Self::Group; N],
    ) -> [Self::Group; N] {
        if ENCRYPT {
            S::encrypt(isa, keys, &mut groups);
        } else {
            S::decrypt(isa, keys, &mut groups);
        }
        groups
    }

    const ANY_NUMBER: bool = S::ANY_NUMBER;
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn run_some<const ENCRYPT: bool, const N: usize>(
        isa: I,
        keys: &S::Keys,
        mut groups: [Self::Group; N],
        count: usize,
    ) -> [Self::Group; N] {
        if ENCRYPT {
            S::encrypt_some(isa, keys, &mut groups[..count]);
        } else {
            S::decrypt_some(isa, keys, &mut groups[..count]);
        }
        groups
    }

    const STITCHES: usize = 1;
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn encrypt<const N: usize>(
        isa: I,
        keys: &S::Keys,
        mut groups: [Self::Group; N],
        mut stitch: impl FnMut(usize),
    ) -> [Self::Group; N] {
        S::encrypt(isa, keys, &mut groups);
        stitch(0);
        groups
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn decrypt<const N: usize>(isa: I, keys: &S::Keys, mut groups: [Self::Group; N]) -> [Self::Group; N] {
        S::decrypt(isa, keys, &mut groups);
        groups
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn encrypt_partial(isa: I, keys: &S::Keys, mut group: Self::Group, blocks: usize) -> Self::Group {
        S::encrypt_partial(isa, keys, &mut group, blocks);
        group
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn decrypt_partial(isa: I, keys: &S::Keys, mut group: Self::Group, blocks: usize) -> Self::Group {
        S::decrypt_partial(isa, keys, &mut group, blocks);
        group
    }

    type SerialBlock = S::SerialBlock;
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn load_serial(isa: I, src: &[u8]) -> S::SerialBlock {
        S::load_serial(isa, src)
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn store_serial(block: S::SerialBlock, dst: &mut [u8]) {
        S::store_serial(block, dst);
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn xor_serial(a: S::SerialBlock, b: S::SerialBlock) -> S::SerialBlock {
        S::xor_serial(a, b)
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn begin_serial(_: I, _: &S::Keys, block: S::SerialBlock) -> S::SerialBlock {
        block
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn encrypt_then_xor(
        isa: I,
        keys: &S::Keys,
        input: S::SerialBlock,
        next: S::SerialBlock,
    ) -> (S::SerialBlock, S::SerialBlock) {
        let output = S::encrypt_serial(isa, keys, input);
        (output, S::xor_serial(output, next))
    }

    // Words have no carry-less products; where the CPU has them, the hash is done apart, at its own level.
    type Ghash = SoftBlock;
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn ghash_isa(_: I) -> Portable {
        Portable
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn clmul_level(keys: &S::Keys) -> Option<AesLevel> {
        S::clmul_level(keys)
    }
}

/// A group of tweaks from its first register.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn tweaks_from<I: WordsIsa, S: WordsBackend<I>>(isa: I, mut register: I::Words) -> S::Group {
    let mut tweaks = S::Group::splat(register);
    for tweak in &mut tweaks.each_mut()[1..] {
        register = register.times_x(isa, I::Words::LANES as u32 / 4);
        *tweak = register;
    }
    tweaks
}

/// The four words of sixteen bytes in each lane, a vector for each.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(crate) fn words_of_rows<'b, I: WordsIsa>(isa: I, row: impl Fn(usize) -> &'b [u8; 16]) -> [I::Words; 4] {
    let rows = I::Words::LANES / 4;
    let mut vectors = [I::Words::splat(isa, 0); 4];
    for (n, vector) in vectors.iter_mut().enumerate() {
        *vector = I::Words::gather(
            isa,
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            |i| row(n * rows + i),
        );
    }
    I::Words::transpose(vectors)
}

/// The inverse of [`words_of_rows`].
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(crate) fn rows_of_words<W: Words>(words: [W; 4], rows: &mut Rows) {
    let bytes = rows.flat_mut();
    for (n, vector) in W::transpose(words).into_iter().enumerate() {
        vector.store(&mut bytes[n * W::BYTES..][..W::BYTES]);
    }
}
