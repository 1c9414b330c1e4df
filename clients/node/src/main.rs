//! Opens a sealed file: `open KEY SEALED MESSAGE`, three paths.
//!
//! Compiled for WebAssembly, it runs in Node, and wherever else there is WASI.

use std::error::Error;
use std::fs;
use std::process::ExitCode;

use abreast_sealed::Key;

fn main() -> ExitCode {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    let [key, sealed, message] = &paths[..] else {
        eprintln!("usage: open KEY SEALED MESSAGE");
        return ExitCode::from(2);
    };
    match open(key, sealed, message) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("open: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Opens a file. The key is wiped when it is dropped.
fn open(key: &str, sealed: &str, message: &str) -> Result<(), Box<dyn Error>> {
    let key = Key::read(&mut fs::File::open(key)?, None)?;
    fs::write(message, abreast_sealed::open(&key, &fs::read(sealed)?)?)?;
    Ok(())
}
