//! The laws of the vectors: at every level that this CPU has, each operation is what its definition
//! says.
//!
//! A definition is a function of plain bytes, written from the documentation of the trait. Rows of
//! 16 bytes are independent of each other, so it speaks of rows, and vectors of every width are held
//! against it row by row. The portable set is held against it, too.
//!
//! `ABREAST_SHORT=1` asks for fewer rounds, for emulators.

#![cfg_attr(
    not(any(target_feature = "sse2", target_arch = "aarch64")),
    allow(
        unused,
        reason = "no other architecture has a level with AES rounds, and what only those use is unused"
    )
)]

mod aes;
mod blocks;
mod clmul;
mod guard;
mod inlined;
mod levels;
mod lines;
mod planes;
mod random;
mod sha;
#[cfg(target_feature = "sse2")]
mod tables;
mod words;

use std::fmt::Debug;

/// A row of a vector, as in memory.
type Row = [u8; 16];

/// The bytes of a row, counted.
const INDICES: [usize; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/// The 4 x 4 matrix of a row with its rows rotated up and its columns to the left.
fn rotated(row: Row, rows: usize, columns: usize) -> Row {
    INDICES.map(|i| row[(i / 4 + rows) % 4 * 4 + (i % 4 + columns) % 4])
}

/// The 4 x 4 matrix of a row, transposed.
fn transposed(row: Row) -> Row {
    INDICES.map(|i| row[i % 4 * 4 + i / 4])
}

/// The four words of a row.
fn words_of(row: Row) -> [u32; 4] {
    let word = |i| u32::from_le_bytes([row[i], row[i + 1], row[i + 2], row[i + 3]]);
    [word(0), word(4), word(8), word(12)]
}

/// The row of four words.
fn row_of(words: [u32; 4]) -> Row {
    let mut row = [0; 16];
    for (bytes, word) in row.chunks_exact_mut(4).zip(words) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    row
}

/// A definition word by word, as one row by row.
fn wordwise<const N: usize>(definition: impl Fn([u32; N]) -> u32) -> impl Fn([Row; N]) -> [Row; 1] {
    move |rows| {
        let rows = rows.map(words_of);
        [row_of([0, 1, 2, 3].map(|lane| definition(rows.map(|row| row[lane]))))]
    }
}

/// Asserts that each row of the outputs is what the definition makes of that row of the inputs.
///
/// Apart from [`check`](blocks::check), which is inlined into each level.
#[track_caller]
fn compare<const N: usize, const M: usize>(
    isa: &dyn Debug,
    law: &str,
    inputs: &[Vec<u8>; N],
    outputs: &[Vec<u8>; M],
    definition: &dyn Fn([Row; N]) -> [Row; M],
) {
    for at in (0..outputs[0].len()).step_by(16) {
        let row = |bytes: &Vec<u8>| Row::try_from(&bytes[at..at + 16]).unwrap();
        let (input, output) = (inputs.each_ref().map(row), outputs.each_ref().map(row));
        assert_eq!(output, definition(input), "{isa:?}: {law} at byte {at} of {inputs:x?}");
    }
}

/// A row times `x^n` in GF(2^128), as XTS counts its coefficients: little-endian, reduced by `x^128 + x^7 +
/// x^2 + x + 1`, one power after the other (IEEE 1619, section 5.2).
fn times_x(row: Row, n: u32) -> Row {
    (0..n).fold(row, |row, _| {
        let mut product = [0; 16];
        let mut carry = 0;
        for (product, byte) in product.iter_mut().zip(row) {
            *product = byte << 1 | carry;
            carry = byte >> 7;
        }
        product[0] ^= 0x87 * carry;
        product
    })
}

/// True if `f` panics.
fn panics<R>(f: impl FnOnce() -> R) -> bool {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(f)).is_err()
}

/// True if a panic ends the program, as on WebAssembly: panics cannot be tested then, and a message says so.
fn panics_abort() -> bool {
    let abort = cfg!(panic = "abort");
    if abort {
        eprintln!("skipped: a panic ends the program on this target");
    }
    abort
}

/// The laws that [`Words`](abreast_simd::Words) and [`Blocks`](abreast_simd::Blocks) share, whose loads and stores have the
/// same names but no trait in common.
macro_rules! harness {
    ($vector:ident) => {
        /// From anywhere, in any order, one row in several places too.
        #[inline(always)]
        pub(super) fn gather<V: $vector>(isa: V::Isa) {
            let mut random = $crate::random::Random::new();
            for _ in 0..$crate::random::rounds() {
                let places: Vec<_> = (0..7).map(|_| random.row()).collect();
                let from: Vec<_> =
                    (0..V::BYTES / 16).map(|_| random.next() as usize % places.len()).collect();
                let gathered = V::gather(
                    isa,
                    #[inline(always)]
                    |row| &places[from[row]],
                );
                let expected: Vec<u8> = from.iter().flat_map(|at| places[*at]).collect();
                assert_eq!(bytes(gathered), expected, "{isa:?}: gather");
            }
        }

        /// Asserts that `operation` is `definition` in every row.
        #[inline(always)]
        #[track_caller]
        pub(crate) fn check<V: $vector, const N: usize, const M: usize>(
            isa: V::Isa,
            law: &str,
            operation: impl Fn([V; N]) -> [V; M],
            definition: impl Fn([$crate::Row; N]) -> [$crate::Row; M],
        ) {
            let mut random = $crate::random::Random::new();
            for _ in 0..$crate::random::rounds() {
                let inputs = [(); N].map(|()| random.bytes(V::BYTES));
                let outputs = operation(inputs.each_ref().map(|bytes| V::load(isa, bytes))).map(bytes);
                $crate::compare(&isa, law, &inputs, &outputs, &definition);
            }
        }

        /// Asserts that `operation` on whole vectors is `definition` on their bytes.
        #[inline(always)]
        #[track_caller]
        pub(crate) fn check_whole<V: $vector, const N: usize>(
            isa: V::Isa,
            law: &str,
            operation: impl Fn([V; N]) -> V,
            definition: impl Fn([&[u8]; N]) -> Vec<u8>,
        ) {
            let mut random = $crate::random::Random::new();
            for _ in 0..$crate::random::rounds() {
                let inputs = [(); N].map(|()| random.bytes(V::BYTES));
                let output = bytes(operation(inputs.each_ref().map(|bytes| V::load(isa, bytes))));
                let expected = definition(inputs.each_ref().map(Vec::as_slice));
                assert_eq!(output, expected, "{isa:?}: {law} of {inputs:x?}");
            }
        }

        /// Row `i` times `x^i`.
        #[inline(always)]
        pub(crate) fn times_powers_of_x<V: $vector>(isa: V::Isa) {
            check_whole(
                isa,
                "times_powers_of_x",
                |[a]: [V; 1]| a.times_powers_of_x(isa),
                |[a]| {
                    let rows = (0..).zip(a.as_chunks::<16>().0);
                    rows.flat_map(|(i, row)| $crate::times_x(*row, i)).collect()
                },
            );
        }

        /// A vector as it lies in memory.
        fn bytes<V: $vector>(x: V) -> Vec<u8> {
            let mut bytes = vec![0; V::BYTES];
            x.store(&mut bytes);
            bytes
        }

        /// Loads see the slice and zeros, stores reach all of the slice and none of its surroundings.
        #[inline(always)]
        pub(crate) fn memory<V: $vector>(isa: V::Isa) {
            let mut random = $crate::random::Random::new();
            for n in (0..$crate::random::CONSTANTS).flat_map(|_| 0..=V::BYTES) {
                let around = random.bytes(V::BYTES + 32);
                let mut padded = around[16..16 + n].to_vec();
                padded.resize(V::BYTES, 0);
                let x = V::load_partial(isa, &around[16..16 + n]);
                assert_eq!(bytes(x), padded, "{isa:?}: {n} bytes loaded");

                let new = random.bytes(V::BYTES);
                let mut after = around.clone();
                V::load(isa, &new).store_partial(&mut after[16..16 + n]);
                let expected = [&around[..16], &new[..n], &around[16 + n..]].concat();
                assert_eq!(after, expected, "{isa:?}: {n} bytes stored");
            }
            let (old, new) = (random.bytes(V::BYTES + 32), random.bytes(V::BYTES));
            let mut after = old.clone();
            V::load(isa, &new).store(&mut after[16..16 + V::BYTES]);
            assert_eq!(after, [&old[..16], &new, &old[16 + V::BYTES..]].concat(), "{isa:?}: all bytes");
        }

        /// Slices of a wrong length are refused.
        #[inline(always)]
        pub(crate) fn lengths<V: $vector>(isa: V::Isa) {
            if $crate::panics_abort() {
                return;
            }
            let mut buffer = vec![0; 3 * V::BYTES];
            let x = V::load(isa, &buffer[..V::BYTES]);
            // A panic takes Miri a tenth of a second.
            let edges = [0, V::BYTES - 1, V::BYTES + 1, 3 * V::BYTES];
            let tried = |n: &usize| if cfg!(miri) { edges.contains(n) } else { *n != V::BYTES };
            for n in (0..=buffer.len()).filter(tried) {
                let slice = &mut buffer[..n];
                assert!($crate::panics(|| V::load(isa, slice)), "{isa:?}: {n} bytes loaded");
                assert!($crate::panics(|| x.store(slice)), "{isa:?}: {n} bytes stored");
                if n > V::BYTES {
                    assert!(
                        $crate::panics(|| V::load_partial(isa, slice)),
                        "{isa:?}: {n} bytes of a part loaded"
                    );
                    assert!($crate::panics(|| x.store_partial(slice)), "{isa:?}: {n} bytes of a part stored");
                }
            }
        }

        /// No byte outside the slice is touched: those next to it are in pages that fault.
        #[inline(always)]
        pub(crate) fn guard_pages<V: $vector>(isa: V::Isa) {
            let mut page = $crate::guard::GuardedPage::new();
            let filled = vec![0x5a; V::BYTES];
            let x = V::load(isa, &filled);
            for n in 0..=V::BYTES {
                for at_end in [false, true] {
                    let slice = if at_end { page.last(n) } else { page.first(n) };
                    x.store_partial(slice);
                    assert_eq!(slice, &filled[..n]);
                    let y = V::load_partial(isa, slice);
                    assert_eq!(bytes(y)[..n], filled[..n]);
                    if n == V::BYTES {
                        V::load(isa, slice).store(slice);
                        assert_eq!(slice, filled);
                    }
                }
            }
        }
    };
}
use harness;
