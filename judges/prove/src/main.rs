//! Proofs that machine code computes a cipher.
mod bits;
mod forms;
mod spec;
fn main() {}
