//! The command `abreast`.
mod sealed;
fn main() {}
