//! The operands of divisions on AArch64, whose time depends on them on most CPUs: SDIV and UDIV are not among the
//! instructions for which ARM promises a time that does not depend on data (DIT).
//!
//! A plugin of qemu 7.2 sees no registers. So each of these instructions, in the code of this program and of the libraries
//! that it is linked to, is replaced by a breakpoint (BRK) before anything is watched. Its handler, which gets the registers
//! from the signal, tells the plugin the operands and puts the quotient where it belongs. Divisions of floating-point numbers
//! are left. The plugin knows all these instructions, and it is an error if one of them is run during an operation.

#![allow(unsafe_code, reason = "instructions are replaced, and a signal handler does their work")]

use std::ffi::{CStr, OsStr};
use std::hint::black_box;
use std::mem::zeroed;
use std::ops::Range;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;
use std::ptr::{null_mut, with_exposed_provenance, with_exposed_provenance_mut};
use std::sync::OnceLock;

use object::{Object as _, ObjectSection as _};

use super::calls::DIVISIONS;
use super::system_call::tell_division;

/// A breakpoint that the compiler does not make: it writes smaller numbers.
const BREAKPOINT: u32 = 0xd420_0000 | 0x0d1f << 5;

/// The addresses of the replaced instructions, in order, with the original instructions.
static REPLACED: OnceLock<Vec<(usize, u32)>> = OnceLock::new();

/// True if an instruction is SDIV or UDIV, of 32 or 64 bits.
fn is_division(instruction: u32) -> bool {
    let (mask, value) = DIVISIONS;
    instruction & mask == value
}

/// Replaces every division.
///
/// # Panics
/// If the code cannot be read or written, or does not divide afterwards.
pub(super) fn replace() {
    let mut codes: Vec<Range<usize>> = objects().iter().map(code_of).collect();
    codes.sort_unstable_by_key(|code| code.start);
    let find = |at: usize| {
        // SAFETY: an instruction of code that stays loaded.
        let instruction = unsafe { with_exposed_provenance::<u32>(at).read() };
        is_division(instruction).then_some((at, instruction))
    };
    let divisions = codes.iter().flat_map(|code| code.clone().step_by(4).filter_map(find)).collect();
    let divisions: &Vec<(usize, u32)> = REPLACED.get_or_init(|| divisions);
    // SAFETY: a handler that has the type that SA_SIGINFO asks for.
    unsafe {
        let mut action: libc::sigaction = zeroed();
        action.sa_sigaction = on_breakpoint as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO;
        libc::sigaction(libc::SIGTRAP, &raw const action, null_mut());
    }
    codes.iter().for_each(|code| protect(code, libc::PROT_WRITE));
    for (at, _) in divisions {
        // SAFETY: an instruction for which the handler is there. Emulators have no stale caches.
        unsafe { with_exposed_provenance_mut::<u32>(*at).write(BREAKPOINT) };
    }
    codes.iter().for_each(|code| protect(code, 0));

    assert_eq!(black_box(1_000_000_007_u64) / black_box(1009), 991_080);
    assert_eq!(black_box(u64::MAX) / black_box(u64::MAX - 1), 1);
    assert_eq!(black_box(-1_000_000_007_i64) / black_box(1009), -991_080);
    assert_eq!(black_box(-1_000_000_007_i32) / black_box(-1009), 991_080);
    assert_eq!(black_box(4_000_000_007_u32) / black_box(1009), 3_964_321);
}

/// A program or a library that is loaded: its file, and where it lies.
type Loaded = (PathBuf, usize);

/// All of them.
fn objects() -> Vec<Loaded> {
    unsafe extern "C" fn add(
        object: *mut libc::dl_phdr_info,
        _: usize,
        objects: *mut libc::c_void,
    ) -> libc::c_int {
        // SAFETY: the list that is handed in below, an object that is there during the call, and its name, which is text.
        let (objects, object, name) =
            unsafe { (&mut *objects.cast::<Vec<Loaded>>(), &*object, CStr::from_ptr((*object).dlpi_name)) };
        let file = match name.to_bytes() {
            [] => std::env::current_exe().expect("this program"),
            name => PathBuf::from(OsStr::from_bytes(name)),
        };
        objects.push((file, object.dlpi_addr as usize));
        0
    }
    let mut objects: Vec<Loaded> = Vec::new();
    // SAFETY: a function of the type that is asked for, with the list that it takes.
    unsafe { libc::dl_iterate_phdr(Some(add), (&raw mut objects).cast()) };
    objects
}

/// Returns the addresses of an object's code. No constants lie among them.
fn code_of((file, loaded): &Loaded) -> Range<usize> {
    let bytes = std::fs::read(file).expect("a file that is loaded");
    let parsed = object::File::parse(&*bytes).expect("a file that is loaded");
    let code = parsed.section_by_name(".text").expect("code");
    let number = |value: u64| usize::try_from(value).expect("an address");
    let start = loaded + number(code.address());
    start..start + number(code.size())
}

/// Makes code readable and executable, with more rights besides.
fn protect(code: &Range<usize>, rights: libc::c_int) {
    // SAFETY: a question.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
    let begin = code.start & !(page - 1);
    let pages = with_exposed_provenance_mut::<libc::c_void>(begin);
    // SAFETY: code, which stays readable and executable. The end is rounded up by the kernel.
    let done = unsafe { libc::mprotect(pages, code.end - begin, libc::PROT_READ | libc::PROT_EXEC | rights) };
    assert_eq!(done, 0, "code that cannot be written");
}

extern "C" fn on_breakpoint(_: libc::c_int, _: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: the context belongs to the signal, and nobody else has it meanwhile.
    let registers = unsafe { &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext };
    let replaced = REPLACED.get().map_or(&[][..], Vec::as_slice);
    let Ok(found) = replaced.binary_search_by_key(&(registers.pc as usize), |(at, _)| *at) else {
        // SAFETY: ends this process: a breakpoint of somebody else, such as an abort.
        unsafe { libc::abort() };
    };
    let instruction = replaced[found].1;
    let number = |lowest: u32| (instruction >> lowest & 31) as usize;
    // Number 31 is a register that is always zero.
    let read = |number: usize| registers.regs.get(number).copied().unwrap_or(0);
    let (dividend, divisor) = (read(number(5)), read(number(16)));
    let quotient = divide(instruction, dividend, divisor);
    if let Some(register) = registers.regs.get_mut(number(0)) {
        *register = quotient;
    }
    registers.pc += 4;
}

/// Divides like SDIV and UDIV: rounds towards zero; division by zero gives zero, and the least number divided by minus one
/// gives itself.
fn divide(instruction: u32, dividend: u64, divisor: u64) -> u64 {
    let (wide, signed) = (instruction >> 31 == 1, instruction & 1 << 10 != 0);
    let extended = |value: u64| match (wide, signed) {
        (true, _) => value,
        (false, true) => i64::from(value as i32) as u64,
        (false, false) => u64::from(value as u32),
    };
    let (dividend, divisor) = (extended(dividend), extended(divisor));
    tell_division(dividend, divisor);
    let magnitude = |value: u64| if signed { (value as i64).unsigned_abs() } else { value };
    let quotient = long_division(magnitude(dividend), magnitude(divisor));
    let negative = signed && ((dividend ^ divisor) as i64) < 0;
    let quotient = if negative { quotient.wrapping_neg() } else { quotient };
    if wide { quotient } else { u64::from(quotient as u32) }
}

/// Divides bit by bit, without a division. The time that it takes depends on the operands, which are in the trace already.
fn long_division(dividend: u64, divisor: u64) -> u64 {
    let (mut quotient, mut rest) = (0, 0_u128);
    if divisor != 0 {
        for bit in (0..64).rev() {
            rest = rest << 1 | u128::from(dividend >> bit & 1);
            if rest >= u128::from(divisor) {
                rest -= u128::from(divisor);
                quotient |= 1 << bit;
            }
        }
    }
    quotient
}
