//! The system call of AArch64 by which the plugin of qemu is told something.

#![allow(unsafe_code, reason = "a system call that the emulator sees, and whose place in the program counts")]

use std::arch::asm;

use super::calls::{DIVISION, NUMBER};

/// Passes the operands of a division to the plugin.
pub(super) fn tell_division(dividend: u64, divisor: u64) {
    call(DIVISION, dividend, divisor);
}

/// Makes the system call that the plugin sees. Linux rejects it.
pub(super) fn call(what: u64, first: u64, second: u64) {
    // SAFETY: Linux has no system call of this number, and its arguments are numbers and not addresses.
    unsafe {
        asm!(
            "svc #0",
            in("x8") NUMBER,
            inlateout("x0") what => _,
            in("x1") first,
            in("x2") second,
            options(nostack),
        );
    }
}
