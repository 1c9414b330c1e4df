//! Single steps: the addresses of the instructions of an operation, and of the memory that they touch.
//!
//! Under two secrets the same operation has to go through the same addresses. To them are added
//!
//! * the lanes of a gather or scatter, and the mask of a load or store of some lanes;
//! * the operands of divisions and square roots, of `pdep` and `pext`, whose time depends on them on some CPUs.
//!
//! On x86-64 this process takes the steps itself. On AArch64 it runs in an emulator, which takes note of them.

#[cfg(all(target_arch = "aarch64", target_os = "linux"))]
mod calls;
#[cfg(all(target_arch = "aarch64", target_os = "linux"))]
mod divisions;
#[cfg(all(target_arch = "aarch64", target_os = "linux"))]
mod emulator;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod recorder;
#[cfg(all(target_arch = "aarch64", target_os = "linux"))]
mod system_call;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod trap_flag;

#[cfg(all(target_arch = "aarch64", target_os = "linux"))]
pub(crate) use emulator::*;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
pub(crate) use trap_flag::*;

#[cfg(not(all(any(target_arch = "aarch64", target_arch = "x86_64"), target_os = "linux")))]
pub(crate) use elsewhere::*;

/// The stepper of systems on which no steps can be taken.
#[cfg(not(all(any(target_arch = "aarch64", target_arch = "x86_64"), target_os = "linux")))]
mod elsewhere {
    use crate::trace::Trace;

    pub(crate) struct Stepper;

    /// True if the short form must do with fewer operations than other tools.
    pub(crate) const SLOW: bool = true;

    impl Stepper {
        pub(crate) fn new(_: Option<u64>) -> Option<Self> {
            None
        }
        pub(crate) fn run<T>(&mut self, work: impl FnOnce() -> T) -> (T, Trace) {
            (work(), Trace::default())
        }
        pub(crate) fn record(&self) -> &[(u64, u64)] {
            &[]
        }
    }
}
