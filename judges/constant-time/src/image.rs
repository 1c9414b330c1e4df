//! The program in memory: where it lies, and the function that an address is in.

#![allow(unsafe_code, reason = "a symbol of the linker is declared")]

use std::io;
use std::path::Path;

use object::{Object as _, ObjectSymbol as _};

unsafe extern "C" {
    /// The beginning of the program, a symbol of the GNU and LLVM linkers.
    static __executable_start: u8;
}

/// Returns the address at which this program lies.
pub(crate) fn load_address() -> usize {
    (&raw const __executable_start).expose_provenance()
}

/// A place in a program.
pub(crate) struct Place {
    /// The name of the place in messages.
    pub(crate) text: String,
    /// The function that it is in, if it is one of the program.
    pub(crate) function: Option<String>,
}

/// The place of an address in a program, which lay somewhere when it ran.
pub(crate) fn place(program: &Path, loaded: u64, address: u64) -> io::Result<Place> {
    let bytes = std::fs::read(program)?;
    let file = object::File::parse(&*bytes).map_err(io::Error::other)?;
    let offset = address.wrapping_sub(loaded);
    let within = file.symbols().find(|symbol| {
        symbol.size() > 0 && (symbol.address()..symbol.address() + symbol.size()).contains(&offset)
    });
    Ok(match within.and_then(|symbol| Some((symbol.address(), symbol.name().ok()?.to_owned()))) {
        Some((start, name)) => {
            let function = format!("{:#}", rustc_demangle::demangle(&name));
            let text = format!("{offset:#x} ({function} + {:#x})", offset - start);
            Place { text, function: Some(function) }
        }
        None => Place { text: format!("{address:#x}"), function: None },
    })
}
