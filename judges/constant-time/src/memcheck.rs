//! Client requests of Valgrind (valgrind.h, memcheck.h): marks for memory, and questions.
//!
//! A request is a sequence of rotations that changes nothing, which Valgrind knows. Outside of Valgrind it does nothing.

#![allow(unsafe_code, reason = "a client request is a sequence of instructions")]

/// The requests of memcheck begin with these two letters.
#[cfg(target_arch = "x86_64")]
const MEMCHECK: u64 = (b'M' as u64) << 24 | (b'C' as u64) << 16;

#[cfg(target_arch = "x86_64")]
fn request(code: u64, first: u64, second: u64) -> u64 {
    let arguments: [u64; 6] = [code, first, second, 0, 0, 0];
    let mut answer = 0;
    // SAFETY: four rotations by 128 bits together leave RDI as it was, and the exchange of RBX with itself is none. Valgrind
    // takes the array, which is borrowed for the request, from RAX and leaves its answer in RDX.
    unsafe {
        std::arch::asm!(
            "rol rdi, 3",
            "rol rdi, 13",
            "rol rdi, 61",
            "rol rdi, 51",
            "xchg rbx, rbx",
            in("rax") arguments.as_ptr(),
            inout("rdx") answer,
            out("rdi") _,
        );
    }
    answer
}

/// Other architectures are looked at by other tools.
#[cfg(not(target_arch = "x86_64"))]
fn request(_: u64, _: u64, _: u64) -> u64 {
    0
}
#[cfg(not(target_arch = "x86_64"))]
const MEMCHECK: u64 = 0;

/// True if this process runs in Valgrind.
pub(crate) fn is_watching() -> bool {
    request(0x1001, 0, 0) != 0
}

/// Marks bytes as undefined: values that depend on them may be computed, but must not decide a jump or an address.
pub(crate) fn make_undefined(bytes: &[u8]) {
    request(MEMCHECK + 1, bytes.as_ptr().addr() as u64, bytes.len() as u64);
}

/// Marks a value as defined.
pub(crate) fn make_defined<T>(value: &T) {
    request(MEMCHECK + 2, (&raw const *value).addr() as u64, size_of::<T>() as u64);
}

/// Returns the number of errors so far.
pub(crate) fn errors() -> u64 {
    request(0x1201, 0, 0)
}

/// Writes a line into Valgrind's log, between the errors.
pub(crate) fn say(text: &str) {
    let text = format!("@@ {text}\n\0");
    // VALGRIND_PRINTF_VALIST_BY_REF without arguments: the text has no per cent sign.
    let text = text.replace('%', "%%");
    let none = [0_u64; 3];
    request(0x1403, text.as_ptr().addr() as u64, none.as_ptr().addr() as u64);
}
