//! Multiplication by powers of `x` in the fields of the modes, in constant time.
//!
//! CMAC (SP 800-38B, section 5.3), AEZ ("doubling") and XTS (IEEE 1619, section 5.2) share GF(2^128) with the polynomial
//! `x^128 + x^7 + x^2 + x + 1`, where the lowest bit of a number is the coefficient of 1. They differ in how a block is
//! read as a number: big-endian in CMAC and AEZ, little-endian in XTS. GHASH counts the bits from the other end, and is
//! computed as POLYVAL (RFC 8452), which has a polynomial of its own.

/// `a` times `x^n` in GF(2^128), for `n` up to 64.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(crate) const fn times_x(a: u128, n: u32) -> u128 {
    let carry = a.unbounded_shr(128 - n);
    a << n ^ carry ^ carry << 1 ^ carry << 2 ^ carry << 7
}

/// `a` times `x` in GF(2^64) with the polynomial `x^64 + x^4 + x^3 + x + 1`, which CMAC takes for blocks of 64 bits.
pub(crate) const fn times_x_64(a: u64) -> u64 {
    a << 1 ^ (a >> 63).wrapping_neg() & 0x1b
}

/// `a` times `x` in the field of POLYVAL, `x^128 + x^127 + x^126 + x^121 + 1`.
pub(crate) const fn times_x_polyval(a: u128) -> u128 {
    a << 1 ^ (a >> 127).wrapping_neg() & (0xc2 << 120 | 1)
}
