//! The protocol between the watched program and the plugin for qemu, which compiles this file too: a system call that Linux
//! does not have. The plugin sees its arguments, and qemu then rejects it.

/// The number of the system call.
pub(crate) const NUMBER: u64 = 0xab5e;

/// Its first argument: an operation begins, and is recorded if the second argument is not zero.
pub(crate) const BEGIN: u64 = 1;
/// The second and the third argument are the operands of a division.
pub(crate) const DIVISION: u64 = 2;
/// A mask and a value, which identify SDIV and UDIV of 32 and 64 bits: these instructions have the value in the bits of the
/// mask.
pub(crate) const DIVISIONS: (u32, u32) = (0x7fe0_f800, 0x1ac0_0800);
/// The operation has ended. The answer goes to the file whose descriptor is the second argument, from its beginning:
/// numbers of eight bytes, the least first.
pub(crate) const END: u64 = 3;

/// The head of the answer. Kind and value of each entry of the record follow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answer {
    /// Instructions.
    pub(crate) steps: u64,
    /// A hash of all addresses.
    pub(crate) hash: u64,
    /// The address of an instruction whose operands matter and were not seen, or zero.
    pub(crate) unseen: u64,
}
