//! The part of qemu's interface for plugins that is needed here. qemu itself has the functions.

use std::ffi::{c_int, c_uint, c_void};

/// The number of this plugin.
pub(crate) type Id = u64;

/// A block of instructions that is being translated.
#[repr(C)]
pub(crate) struct Block {
    _private: [u8; 0],
}

/// One of its instructions.
#[repr(C)]
pub(crate) struct Instruction {
    _private: [u8; 0],
}

/// A function for instructions reads no registers: `QEMU_PLUGIN_CB_NO_REGS`.
pub(crate) const NO_REGISTERS: c_int = 0;

/// A function for accesses is called for either kind: `QEMU_PLUGIN_MEM_RW`.
pub(crate) const READS_AND_WRITES: c_int = 3;

/// Called when a block is translated.
type OnTranslation = extern "C" fn(Id, *mut Block);

/// Called before a block or an instruction, with the number of the CPU and what was given for it.
type OnExecution = extern "C" fn(c_uint, *mut c_void);

/// Called after an access to memory, with its kind and its address besides.
type OnAccess = extern "C" fn(c_uint, u32, u64, *mut c_void);

/// Called before a system call, with its number and arguments.
type OnSystemCall = extern "C" fn(Id, c_uint, i64, u64, u64, u64, u64, u64, u64, u64, u64);

unsafe extern "C" {
    pub(crate) fn qemu_plugin_register_vcpu_tb_trans_cb(id: Id, function: OnTranslation);
    pub(crate) fn qemu_plugin_register_vcpu_syscall_cb(id: Id, function: OnSystemCall);
    pub(crate) fn qemu_plugin_register_vcpu_tb_exec_cb(
        block: *mut Block,
        function: OnExecution,
        flags: c_int,
        data: *mut c_void,
    );
    pub(crate) fn qemu_plugin_tb_vaddr(block: *const Block) -> u64;
    pub(crate) fn qemu_plugin_tb_n_insns(block: *const Block) -> usize;
    pub(crate) fn qemu_plugin_tb_get_insn(block: *const Block, number: usize) -> *mut Instruction;
    pub(crate) fn qemu_plugin_insn_vaddr(instruction: *const Instruction) -> u64;
    pub(crate) fn qemu_plugin_insn_data(instruction: *const Instruction) -> *const c_void;
    pub(crate) fn qemu_plugin_register_vcpu_insn_exec_cb(
        instruction: *mut Instruction,
        function: OnExecution,
        flags: c_int,
        data: *mut c_void,
    );
    pub(crate) fn qemu_plugin_register_vcpu_mem_cb(
        instruction: *mut Instruction,
        function: OnAccess,
        flags: c_int,
        which: c_int,
        data: *mut c_void,
    );
}
