//! Development tasks: `cargo xtask test`, `cargo xtask ci`.

fn main() {}
