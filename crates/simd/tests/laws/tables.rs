//! The laws of the tables that differ from lane to lane.

use crate::random::{Random, rounds};
use abreast_simd::x86::{Avx512, Avx512Words, LaneTables};
use abreast_simd::{Isa, Words};

/// Rows of random bytes.
fn tables(random: &mut Random) -> Box<LaneTables> {
    let mut tables = Box::new([[0; 64]; 256]);
    tables.as_flattened_mut().copy_from_slice(&random.bytes(64 * 256));
    tables
}

/// The numbers in lanes, which count modulo 256, beside the lanes.
fn places(at: &[u8]) -> impl Iterator<Item = (usize, std::ops::Range<usize>)> {
    at.chunks_exact(4).enumerate().map(|(lane, at)| (usize::from(at[0]), 4 * lane..4 * lane + 4))
}

#[test]
fn look_up() {
    let Some(isa) = Avx512::detect() else { return };
    let mut random = Random::new();
    for _ in 0..rounds() {
        let (tables, at) = (tables(&mut random), random.bytes(64));
        let mut output = [0; 64];
        isa.run(
            #[inline(always)]
            || Avx512Words::load(isa, &at).look_up(&tables).store(&mut output),
        );
        for (row, lane) in places(&at) {
            assert_eq!(output[lane.clone()], tables[row][lane], "{at:x?}");
        }
    }
}

#[test]
fn put() {
    let Some(isa) = Avx512::detect() else { return };
    let mut random = Random::new();
    for _ in 0..rounds() {
        let (mut tables, at, words) = (tables(&mut random), random.bytes(64), random.bytes(64));
        let mut expected = tables.clone();
        for (row, lane) in places(&at) {
            expected[row][lane.clone()].copy_from_slice(&words[lane]);
        }
        isa.run(
            #[inline(always)]
            || Avx512Words::load(isa, &words).put(Avx512Words::load(isa, &at), &mut tables),
        );
        assert!(tables == expected, "{words:x?} to {at:x?}");
    }
}
