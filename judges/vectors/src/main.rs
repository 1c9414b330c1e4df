//! Prints the known answers, a line for each case, for programs in other languages. The format of a line is described at
//! [`abreast_vectors::lines`].
#![forbid(unsafe_code)]

use std::io::{self, Write as _};
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut text = abreast_vectors::lines().join("\n");
    text.push('\n');
    match io::stdout().lock().write_all(text.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("abreast-vectors: {error}");
            ExitCode::FAILURE
        }
    }
}
