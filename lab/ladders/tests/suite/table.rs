//! Notation of numbers in tables and pictures.

use abreast_lab::machine::Machine;
use abreast_lab::table::{number, size};

#[test]
fn lengths_have_units() {
    assert_eq!([16, 1600, 4096, 1 << 20].map(size), ["16", "1600", "4K", "1M"]);
}

#[test]
fn numbers_have_three_digits() {
    assert_eq!([123.4, 12.34, 1.234, 0.1234].map(number), ["123", "12.3", "1.23", "0.123"]);
}

#[test]
fn designs_are_known_by_family_and_model() {
    let design = |cpu: &str| Machine { cpu: cpu.into(), ..Machine::this() }.design();
    assert_eq!(design("AMD EPYC (family 26, model 2)"), Some("Zen 5"));
    assert_eq!(design("AMD EPYC (family 25, model 17)"), Some("Zen 4"));
    assert_eq!(design("AMD EPYC (family 25, model 1)"), Some("Zen 3"));
    assert_eq!(design("unknown CPU (aarch64)"), None);
}
