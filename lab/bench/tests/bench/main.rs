//! The program as its users meet it: what it writes, what it says and how it ends.
#![forbid(unsafe_code)]

mod measurements;
#[cfg(feature = "gpu")]
mod opencl;
mod text;

use abreast_runs::Place;

/// Makes an empty folder for runs of the program.
fn place() -> Place {
    Place::of(env!("CARGO_BIN_EXE_abreast-bench"))
}
