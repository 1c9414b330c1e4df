//! The command `abreast`.

fn main() {}
