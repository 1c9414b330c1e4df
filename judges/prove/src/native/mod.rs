//! The CPU at hand: calls of the real library, and single instructions. All of the `unsafe` of this judge is here.

#![allow(
    unsafe_code,
    reason = "a library is loaded and called, and instructions run that were decided at run time"
)]

pub(crate) mod instruction;

use std::ffi::{CString, c_void};
use std::path::Path;
use std::time::Duration;

use crate::forms::constant;
use crate::script::{Argument, Script};

/// The shape of every function that is called: arguments beyond those that it takes are in registers or on the stack of the
/// caller, where nobody looks for them.
type Function = extern "C" fn(u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64) -> i32;

/// The CPU time that this thread has taken.
pub(crate) fn thread_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a place for the time, which is there for the call. A Linux that runs this has the clock.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
}

/// Runs a script of numbers and returns the statuses of the calls and what the buffers hold afterwards.
pub(crate) fn run(library: &Path, script: &Script) -> Result<(Vec<i32>, Vec<Vec<u8>>), String> {
    // A name without a folder would be looked for among the libraries of the system.
    let path = std::path::absolute(library).map_err(|error| error.to_string())?;
    let name = CString::new(path.as_os_str().as_encoded_bytes()).map_err(|error| error.to_string())?;
    // SAFETY: a path that ends with a zero. What runs when the library is loaded is that of Rust's runtime.
    let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
    if handle.is_null() {
        return Err(format!("{} cannot be loaded", library.display()));
    }
    // Each buffer with room to move it to its alignment.
    let mut memory: Vec<Vec<u8>> =
        script.buffers.iter().map(|it| vec![0; it.contents.len() / 8 + 128]).collect();
    let mut places = Vec::new();
    for (buffer, memory) in script.buffers.iter().zip(&mut memory) {
        let address = memory.as_ptr().addr();
        let from = (address.next_multiple_of(64) - address) + buffer.offset as usize;
        for (to, byte) in memory[from..].iter_mut().zip(buffer.contents.chunks(8)) {
            *to = constant(byte).unwrap_or_default() as u8;
        }
        places.push((from, memory.as_mut_ptr().expose_provenance() + from));
    }
    let mut statuses = Vec::new();
    for call in &script.calls {
        let symbol = CString::new(call.function.as_str()).map_err(|error| error.to_string())?;
        // SAFETY: a library that was loaded, and a name that ends with a zero.
        let address = unsafe { libc::dlsym(handle, symbol.as_ptr()) };
        if address.is_null() {
            return Err(format!("the library has no function {}", call.function));
        }
        // SAFETY: a function of the C interface, of at most twelve arguments that are integers or pointers.
        let function = unsafe { std::mem::transmute::<*mut c_void, Function>(address) };
        let value = |memory: &[Vec<u8>], argument| match argument {
            Argument::Number(number) => number,
            Argument::Buffer(buffer) => places[buffer].1 as u64,
            Argument::Handle(buffer) => {
                let (from, _) = places[buffer];
                u64::from_le_bytes(memory[buffer][from..from + 8].try_into().unwrap_or_default())
            }
        };
        for (buffer, at, target) in script.pointers_of(call) {
            let address = value(&memory, target).to_le_bytes();
            let at = places[buffer].0 + at;
            memory[buffer][at..at + 8].copy_from_slice(&address);
        }
        let mut arguments = [0; 12];
        for (to, argument) in arguments.iter_mut().zip(&call.arguments) {
            *to = value(&memory, *argument);
        }
        let [a, b, c, d, e, f, g, h, i, j, k, l] = arguments;
        statuses.push(function(a, b, c, d, e, f, g, h, i, j, k, l));
    }
    let contents = script.buffers.iter().zip(&memory).zip(&places);
    let contents =
        contents.map(|((buffer, memory), (from, _))| memory[*from..][..buffer.contents.len() / 8].to_vec());
    Ok((statuses, contents.collect()))
}
