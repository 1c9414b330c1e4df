//! Opens a sealed file: `open KEY SEALED MESSAGE`, three paths.
//!
//! Compiled for WebAssembly, it runs in Node, and wherever else there is WASI.

use std::error::Error;
use std::fs::{self, File};
use std::num::NonZeroUsize;
use std::process::ExitCode;

use abreast_sealed::{Header, Input, Key, Opener, Output};

fn main() -> ExitCode {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    let [key, sealed, message] = &paths[..] else {
        eprintln!("usage: open KEY SEALED MESSAGE");
        return ExitCode::from(2);
    };
    let part = format!("{message}.part");
    let opened = open(key, sealed, &part).and_then(|()| Ok(fs::rename(&part, message)?));
    match opened {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Chunks before a bad one may be in it, or it is not there.
            let _ = fs::remove_file(&part);
            eprintln!("open: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Opens a file, a part at a time, so that the memory need not grow. The key is wiped when it is dropped.
fn open(key: &str, sealed: &str, message: &str) -> Result<(), Box<dyn Error>> {
    let key = Key::read(&mut File::open(key)?, None)?;
    let mut input = File::open(sealed)?;
    let opener = Opener::new(&Header::read(&mut input)?, &key)?;
    let mut output = File::create(message)?;
    opener.open(Input::Stream(&mut input), Output::Stream(&mut output), NonZeroUsize::MIN, &())?;
    Ok(())
}
