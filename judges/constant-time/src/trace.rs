//! The trace of an operation, as a hash: the addresses of its instructions and of the memory that they touch.
//!
//! The plugin for qemu (`judges/qemu-trace`) compiles this file too.

/// The length and the hash of a trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Trace {
    /// Instructions.
    pub(crate) steps: u64,
    /// A hash of all addresses.
    pub(crate) hash: u64,
}

/// The address of an instruction: the first kind of entry that a step adds to a record.
pub(crate) const INSTRUCTION: u64 = 1;
/// An address of data.
pub(crate) const DATA: u64 = 2;
/// Indices of a gather or scatter, a mask, an operand of a division.
pub(crate) const OPERAND: u64 = 3;
