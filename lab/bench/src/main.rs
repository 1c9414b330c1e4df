//! The program `abreast-bench`; all of it is in the library.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    abreast_bench::main()
}
