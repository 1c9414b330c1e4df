//! The laws of [`AesBlocks`](abreast_simd::AesBlocks), from the steps of FIPS 197, section 5.

use crate::Row;
use abreast_simd::{AesIsa, AesLevel, dispatch_aes};
use std::sync::LazyLock;

/// Tests of these names: each tries the law of that name at every level with AES rounds.
macro_rules! at_every_level {
    ($($law:ident)*) => {
        $(#[test]
        fn $law() {
            #[inline(always)]
            fn at<I: AesIsa>(isa: I) {
                laws::$law::<I::Blocks>(isa);
            }
            for level in AesLevel::detect_all() {
                dispatch_aes!(level, isa => at(isa));
            }
        })*
    };
}

at_every_level! { encrypt decrypt decryption_keys }

mod laws {
    use super::*;
    use crate::blocks::check;
    use abreast_simd::AesBlocks;

    #[inline(always)]
    pub(super) fn encrypt<B: AesBlocks>(isa: B::Isa) {
        check(
            isa,
            "encrypt_round",
            |[x, key]: [B; 2]| [x.encrypt_round(key)],
            |[x, key]| [add_round_key(mix_columns(shift_rows(sub_bytes(x))), key)],
        );
        check(
            isa,
            "encrypt_last",
            |[x, key]: [B; 2]| [x.encrypt_last(key)],
            |[x, key]| [add_round_key(shift_rows(sub_bytes(x)), key)],
        );
    }

    #[inline(always)]
    pub(super) fn decrypt<B: AesBlocks>(isa: B::Isa) {
        check(
            isa,
            "decrypt_round",
            |[x, key]: [B; 2]| [x.decrypt_round(key)],
            |[x, key]| [add_round_key(inv_mix_columns(inv_sub_bytes(inv_shift_rows(x))), key)],
        );
        check(
            isa,
            "decrypt_last",
            |[x, key]: [B; 2]| [x.decrypt_last(key)],
            |[x, key]| [add_round_key(inv_sub_bytes(inv_shift_rows(x)), key)],
        );
    }

    #[inline(always)]
    pub(super) fn decryption_keys<B: AesBlocks>(isa: B::Isa) {
        let definition = |[x]: [Row; 1]| [inv_mix_columns(x)];
        check(isa, "inv_mix_columns", |[x]: [B; 1]| [x.inv_mix_columns()], definition);
        // Every place, and zeros.
        let indices = [15, 0x80, 13, 0, 11, 2, 9, 4, 7, 6, 5, 8, 3, 10, 0x80, 12];
        let definition = |[x]: [Row; 1]| [indices.map(|i| x.get(usize::from(i)).copied().unwrap_or(0))];
        check(isa, "shuffle_bytes", |[x]: [B; 1]| [x.shuffle_bytes(&indices)], definition);
    }
}

/// The definitions hold the first round of FIPS 197, appendix B, and their inverses undo them.
#[test]
fn definitions_are_those_of_the_standard() {
    let row = |x: u128| x.to_be_bytes();
    let start = row(0x193de3be_a0f4e22b_9ac68d2a_e9f84808);
    let substituted = row(0xd42711ae_e0bf98f1_b8b45de5_1e415230);
    let shifted = row(0xd4bf5d30_e0b452ae_b84111f1_1e2798e5);
    let mixed = row(0x046681e5_e0cb199a_48f8d37a_2806264c);
    assert_eq!(sub_bytes(start), substituted);
    assert_eq!(shift_rows(substituted), shifted);
    assert_eq!(mix_columns(shifted), mixed);
    assert_eq!(inv_mix_columns(mixed), shifted);
    assert_eq!(inv_shift_rows(shifted), substituted);
    assert_eq!(inv_sub_bytes(substituted), start);
}

/// The product in GF(2^8) (section 4.2).
fn times(a: u8, b: u8) -> u8 {
    let mut shifted = a;
    let mut product = 0;
    for i in 0..8 {
        if b >> i & 1 == 1 {
            product ^= shifted;
        }
        shifted = shifted << 1 ^ if shifted & 0x80 == 0 { 0 } else { 0x1b };
    }
    product
}

/// The table of section 5.1.1: the inverse, which is the power 254, then the affine map.
static SBOX: LazyLock<[u8; 256]> = LazyLock::new(|| {
    let mut sbox = [0; 256];
    for x in 0..=255 {
        let (inverse, _) = (1..8).fold((1, x), |(product, power), _| {
            let square = times(power, power);
            (times(product, square), square)
        });
        let rotated = |n| u8::rotate_left(inverse, n);
        sbox[usize::from(x)] = inverse ^ rotated(1) ^ rotated(2) ^ rotated(3) ^ rotated(4) ^ 0x63;
    }
    sbox
});

static INV_SBOX: LazyLock<[u8; 256]> = LazyLock::new(|| {
    let mut inverse = [0; 256];
    for (x, &y) in SBOX.iter().enumerate() {
        inverse[usize::from(y)] = x as u8;
    }
    inverse
});

fn sub_bytes(state: Row) -> Row {
    state.map(|x| SBOX[usize::from(x)])
}

fn inv_sub_bytes(state: Row) -> Row {
    state.map(|x| INV_SBOX[usize::from(x)])
}

/// Row `r` of the state, which is filled column by column, moved left by `r`.
fn shift_rows(state: Row) -> Row {
    let mut shifted = state;
    for (i, byte) in shifted.iter_mut().enumerate() {
        let (row, column) = (i % 4, i / 4);
        *byte = state[row + 4 * ((column + row) % 4)];
    }
    shifted
}

/// Row `r` of the state moved right by `r`, as three moves to the left: four of them are none.
fn inv_shift_rows(state: Row) -> Row {
    shift_rows(shift_rows(shift_rows(state)))
}

fn mix_columns(state: Row) -> Row {
    mixed(state, [2, 3, 1, 1])
}

fn inv_mix_columns(state: Row) -> Row {
    mixed(state, [14, 11, 13, 9])
}

/// Columns multiplied by the circulant matrix with this first row.
fn mixed(state: Row, first_row: [u8; 4]) -> Row {
    let mut product = [0; 16];
    for (i, byte) in product.iter_mut().enumerate() {
        let (row, column) = (i % 4, i / 4);
        for j in 0..4 {
            *byte ^= times(first_row[(j + 4 - row) % 4], state[4 * column + j]);
        }
    }
    product
}

fn add_round_key(state: Row, key: Row) -> Row {
    (u128::from_ne_bytes(state) ^ u128::from_ne_bytes(key)).to_ne_bytes()
}
