//! Lengths and counts that tests derive from the constants that decide a path.

use abreast::boundaries::{Boundary, Unit, constants, of_kernel};
use abreast::packets::CipherKey;

/// Bytes of one unit of a constant, for a cipher with blocks of `block` bytes; none if it counts no bytes.
fn bytes_of(unit: Unit, block: usize) -> Option<usize> {
    match unit {
        Unit::Bytes => Some(1),
        Unit::Blocks => Some(block),
        Unit::Rows => Some(16),
        Unit::Pairs => Some(32),
        Unit::Packets | Unit::Items => None,
    }
}

/// The constants that concern some keys.
fn all_of<'k>(keys: impl IntoIterator<Item = CipherKey<'k>>) -> Vec<Boundary> {
    let mut list = constants();
    for key in keys {
        list.extend(of_kernel(key));
    }
    list
}

/// Lengths up to `most`: each constant that counts bytes, one below and one above, in bytes, in blocks and in rows, and
/// the powers of two of rows, at which the length classes of a batch change.
pub(crate) fn lengths<'k>(
    keys: impl IntoIterator<Item = CipherKey<'k>>,
    block: usize,
    most: usize,
) -> Vec<usize> {
    let mut places: Vec<usize> = (0..32).map(|bit| 16 << bit).collect();
    for Boundary { value, unit, .. } in all_of(keys) {
        if let Some(bytes) = bytes_of(unit, block) {
            places.push(value * bytes);
            // AEZ has up to 31 bytes between its pairs and its last block.
            if unit == Unit::Pairs {
                places.extend([value * bytes + 16, (value + 1) * bytes + 16]);
            }
        }
    }
    let mut lengths = vec![0, 1];
    for place in places.into_iter().filter(|place| *place <= most) {
        for step in [1, block, 16] {
            lengths.extend([place.saturating_sub(step), place, place + step]);
        }
    }
    lengths.retain(|len| *len <= most);
    lengths.sort_unstable();
    lengths.dedup();
    lengths
}

/// Numbers of packets up to `most`: each constant that counts packets, one below and one above.
pub(crate) fn counts<'k>(keys: impl IntoIterator<Item = CipherKey<'k>>, most: usize) -> Vec<usize> {
    let mut counts = vec![0, 1];
    for Boundary { value, unit, .. } in all_of(keys) {
        if matches!(unit, Unit::Packets | Unit::Items) {
            counts.extend([value.saturating_sub(1), value, value + 1]);
        }
    }
    counts.retain(|count| *count <= most);
    counts.sort_unstable();
    counts.dedup();
    counts
}
