//! Short functions that are inlined whatever the profile: each does what its model in `core` does.

use crate::{panics, panics_abort};
use abreast_simd::inlined::{CopyFrom, Flat, Zipped};

#[test]
fn agrees_with_core() {
    for (a, b) in [(0, 0), (0, 3), (3, 0), (3, 5), (5, 3), (4, 4)] {
        let [mut ours, mut cores] =
            [(0..a).zipped(10..10 + b).collect::<Vec<_>>(), (0..a).zip(10..10 + b).collect()];
        assert_eq!(ours, cores);
        assert_eq!((0..a).zipped(0..b).size_hint(), (0..a).zip(0..b).size_hint());
        assert_eq!((0..a).zipped(0..).size_hint(), (0..a).zip(0..).size_hint());
        cores.iter_mut().for_each(|pair| pair.0 += 1);
        ours.copy_from(&cores);
        assert_eq!(ours, cores);
    }
    let mut arrays = [[1, 2, 3], [4, 5, 6]];
    assert_eq!(arrays.flat(), arrays.as_flattened());
    arrays.flat_mut()[4] = 7;
    assert_eq!(arrays, [[1, 2, 3], [4, 7, 6]]);
    assert!(<[[u8; 4]]>::flat(&[]).is_empty());
    assert!([[0_u8; 0]; 3].flat().is_empty());
}

#[test]
fn different_lengths_are_refused() {
    if panics_abort() {
        return;
    }
    assert!(panics(|| [0; 3].copy_from(&[0; 4])));
    assert!(panics(|| [0; 4].copy_from(&[0; 3])));
}
