//! Lengths and counts: all orders of magnitude, and more often than others those at which a library may change its way.

use std::sync::LazyLock;

use abreast::boundaries::{Unit, constants};

use crate::random::Random;

/// The longest of the usual messages.
pub const LONG: usize = 64 << 10;
/// The longest of all messages, of which there are few: more than 2^16 blocks of 16 bytes.
pub const LONGEST: usize = (1 << 20) + 80;

/// Lengths in bytes at which the library may change its way, in order.
///
/// These are the constants that the library says decide a path, and beside them whole numbers of blocks of 8 or 16 bytes,
/// as groups of lanes and passes of a ladder have them; beyond 192 rows of 16 bytes a batch sorts by powers of two.
fn boundaries() -> &'static [usize] {
    static ALL: LazyLock<Vec<usize>> = LazyLock::new(|| {
        let mut rows: Vec<usize> = (1..=20).chain([24, 32, 48, 64, 96, 127, 128, 129]).collect();
        rows.extend([189, 190, 191, 192, 193, 194, 195, 198, 208, 224, 230, 240, 255, 256, 257]);
        rows.extend((9..=12).map(|log| 1 << log));
        let around = |row: usize| [-17, -16, -9, -8, -1, 0, 1, 7, 8, 9, 15].map(|by| 16 * row as isize + by);
        let mut all: Vec<usize> = rows.into_iter().flat_map(around).map(|len| len.max(0) as usize).collect();
        all.extend(0..=33);
        for constant in constants() {
            let bytes = match constant.unit {
                Unit::Bytes => constant.value,
                Unit::Blocks | Unit::Rows => 16 * constant.value,
                Unit::Pairs => 32 * constant.value,
                Unit::Packets | Unit::Items => continue,
            };
            all.extend([1, 8, 16].into_iter().flat_map(|by| [bytes.saturating_sub(by), bytes, bytes + by]));
        }
        all.sort_unstable();
        all.dedup();
        all
    });
    &ALL
}

/// Numbers of packets at which the library may change its way: lanes, windows of a batch, pieces of a thread.
fn counts() -> &'static [usize] {
    static ALL: LazyLock<Vec<usize>> = LazyLock::new(|| {
        let mut all: Vec<usize> = (0..=10).chain([12, 20, 40, 160, 192, 300, 512]).collect();
        // The lanes of all kernels are powers of two, or three times as many.
        all.extend((3..=8).flat_map(|log| [(1 << log) - 1, 1 << log, (1 << log) + 1, 3 << (log - 1)]));
        for constant in constants().iter().filter(|constant| constant.unit == Unit::Packets) {
            all.extend([constant.value.saturating_sub(1), constant.value, constant.value + 1]);
        }
        all
    });
    &ALL
}

/// A length up to `most`.
pub fn length(random: &mut Random, most: usize) -> usize {
    let known = boundaries();
    match known.partition_point(|len| *len <= most) {
        some @ 1.. if random.chance(1, 3) => known[random.up_to(some - 1)],
        _ => random.log_uniform(0, most),
    }
}

/// A length beyond the usual ones, often one at which counters of 16 bits are used up.
pub fn long_length(random: &mut Random) -> usize {
    let used_up = random.pick(&[8, 16]) << 16;
    if random.chance(1, 2) { used_up + random.up_to(40) - 20 } else { random.log_uniform(LONG, LONGEST) }
}

/// A number of packets up to 2000.
pub fn count(random: &mut Random) -> usize {
    if random.chance(2, 5) { random.pick(counts()) } else { random.log_uniform(1, 2000) }
}

/// The relation between the lengths of a batch.
#[derive(Clone, Debug)]
pub enum Style {
    /// Each by itself, up to a maximum.
    Any(usize),
    /// One of a few.
    Few(Vec<usize>),
    /// Near the first length: shorter by at most the second number.
    Near(usize, usize),
}

impl Style {
    /// A style for lengths up to `most`.
    pub fn draw(random: &mut Random, most: usize) -> Self {
        match random.up_to(9) {
            0 => Self::Few(vec![length(random, most)]),
            1 | 2 => {
                let distinct = 2 + random.up_to(3);
                Self::Few((0..distinct).map(|_| length(random, most)).collect())
            }
            3 | 4 => Self::Near(length(random, most), random.pick(&[1, 16, 64, 600])),
            _ => Self::Any(most),
        }
    }

    /// A length.
    pub fn length(&self, random: &mut Random) -> usize {
        match self {
            Self::Any(most) => length(random, *most),
            Self::Few(lengths) => random.pick(lengths),
            Self::Near(len, by) => len.saturating_sub(random.up_to(*by)),
        }
    }
}
