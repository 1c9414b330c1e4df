//! Opens a sealed file: `open KEY SEALED MESSAGE`, three paths.
//!
//! Compiled for WebAssembly, it runs in Node, and wherever else there is WASI.

use std::error::Error;
use std::fs;

use abreast_sealed::Key;

fn main() -> Result<(), Box<dyn Error>> {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    let [key, sealed, message] = &paths[..] else {
        return Err("usage: open KEY SEALED MESSAGE".into());
    };
    let key = Key::read(&mut fs::File::open(key)?, None)?;
    fs::write(message, abreast_sealed::open(&key, &fs::read(sealed)?)?)?;
    Ok(())
}
