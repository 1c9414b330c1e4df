//! Notation of numbers in tables and pictures.

use abreast_lab::table::{number, size};

#[test]
fn lengths_have_units() {
    assert_eq!([16, 1600, 4096, 1 << 20].map(size), ["16", "1600", "4K", "1M"]);
}

#[test]
fn numbers_have_three_digits() {
    assert_eq!([123.4, 12.34, 1.234, 0.1234].map(number), ["123", "12.3", "1.23", "0.123"]);
}
