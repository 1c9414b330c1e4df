//! The field of 2^128 elements of XTS and CMAC, modulo `x^128 + x^7 + x^2 + x + 1`, and that of POLYVAL.

use crate::forms::{Bit, Word, ZERO, and, xor, xor_all};

/// Reduces a polynomial of any degree.
fn reduce(mut product: Word) -> Word {
    for i in (128..product.len()).rev() {
        for power in [0, 1, 2, 7] {
            product[i - 128 + power] = xor(product[i - 128 + power], product[i]);
        }
    }
    product.truncate(128);
    product
}

/// The product of two polynomials, the coefficient of `x^i` of which is bit `i`.
pub(crate) fn product(a: &[Bit], b: &[Bit]) -> Word {
    let coefficient = |k: usize| {
        let pairs = (0..a.len()).filter(|i| *i <= k && k - i < b.len());
        xor_all(&pairs.map(|i| and(a[i], b[k - i])).collect::<Vec<_>>())
    };
    (0..a.len() + b.len()).map(coefficient).collect()
}

/// A tweak of XTS times `x` (IEEE 1619, section 5.2).
pub(crate) fn double(tweak: &[Bit]) -> Word {
    reduce([&[ZERO], tweak].concat())
}

/// The coefficients of POLYVAL's field, `x^128 + x^127 + x^126 + x^121 + 1`, but the highest.
const POLYVAL: [usize; 4] = [0, 121, 126, 127];

/// A hash key of POLYVAL times `x` (RFC 8452, appendix A).
pub(crate) fn polyval_double(x: &[Bit]) -> Word {
    let mut doubled = [&[ZERO], &x[..127]].concat();
    for power in POLYVAL {
        doubled[power] = xor(doubled[power], x[127]);
    }
    doubled
}

/// The product of POLYVAL: of two elements and of `x^-128` (RFC 8452, section 3).
pub(crate) fn dot(a: &[Bit], b: &[Bit]) -> Word {
    let mut product = product(a, b);
    // A multiple of the field's polynomial clears the lowest coefficients one by one, and what is left is divided.
    for i in 0..128 {
        let lowest = product[i];
        for power in [121, 126, 127, 128] {
            product[i + power] = xor(product[i + power], lowest);
        }
    }
    product.split_off(128)
}

/// A block of CMAC times `x` (SP 800-38B, section 6.1), of 64 or 128 bits: bytes as in memory, the highest first.
pub(crate) fn cmac_double(x: &[Bit]) -> Word {
    let number = crate::bits::swap_bytes(x);
    let low: &[usize] = if x.len() == 128 { &[0, 1, 2, 7] } else { &[0, 1, 3, 4] };
    let mut doubled = [&[ZERO], &number[..x.len() - 1]].concat();
    for i in low {
        doubled[*i] = xor(doubled[*i], number[x.len() - 1]);
    }
    crate::bits::swap_bytes(&doubled)
}
