//! How the watched program talks with the plugin for qemu, which compiles this file too: by a system call that Linux does
//! not have. The plugin sees its arguments, and qemu then refuses it.

/// The number of the system call.
pub(crate) const NUMBER: u64 = 0xab5e;

/// Its first argument: an operation begins, and is recorded if the second argument is not zero.
pub(crate) const BEGIN: u64 = 1;
/// The second and the third argument are the operands of a division.
pub(crate) const DIVISION: u64 = 2;
/// Which instructions these are, SDIV and UDIV of 32 and 64 bits: those that have these values in the bits of a mask, which
/// comes first.
pub(crate) const DIVISIONS: (u32, u32) = (0x7fe0_f800, 0x1ac0_0800);
/// The operation has ended. The answer goes to the file whose descriptor is the second argument, from its beginning:
/// numbers of eight bytes, the least first.
pub(crate) const END: u64 = 3;

/// What the answer begins with. Kind and value of each entry of the record follow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answer {
    /// Instructions.
    pub(crate) steps: u64,
    /// A hash of all addresses.
    pub(crate) hash: u64,
    /// The address of an instruction whose operands matter and were not seen, or zero.
    pub(crate) unseen: u64,
}
