//! A plugin for qemu-aarch64 that takes notes of what the program of `judges/constant-time` goes through: the addresses of
//! the instructions, by the blocks of them that qemu translates, and that of each access to memory. One access is not told:
//! DC ZVA, by which the `memset` of the C library clears the middle of a range of which it has written both ends.
//!
//! The program says by a system call where an operation begins and ends (`calls.rs`), and has its trace in a file then.
//! Notes are taken of the thread that says so. The interface is version 1 of qemu's plugins ("QEMU TCG Plugins" in its
//! documentation, of which Debian 12 has version 7.2). No package has its header, and the crates that declare it are under
//! the GPL, so what is needed of it is declared here.

#![allow(unsafe_code, reason = "qemu calls, and is called, as C is")]

mod interface;

#[path = "../../constant-time/src/stepper/calls.rs"]
mod calls;
#[path = "../../constant-time/src/stepper/recorder.rs"]
mod recorder;
#[path = "../../constant-time/src/trace.rs"]
mod trace;

use std::cell::RefCell;
use std::ffi::{c_char, c_int, c_uint, c_void};
use std::fs::File;
use std::io;
use std::mem::ManuallyDrop;
use std::os::fd::{FromRawFd as _, RawFd};
use std::os::unix::fs::FileExt as _;
use std::ptr::without_provenance_mut;

use calls::{Answer, BEGIN, DIVISION, DIVISIONS, END, NUMBER};
use interface::{Block, Id, Instruction};
use recorder::Recorder;
use trace::{DATA, INSTRUCTION, OPERAND};

/// The notes of one thread of the program, which is a thread of qemu.
struct Notes {
    recorder: Recorder,
    /// True if an operation is going on.
    watching: bool,
    /// The address of an instruction whose operands are not seen and matter, or zero.
    unseen: u64,
}

thread_local! {
    // Never dropped, or each access would ask whether it was.
    static NOTES: RefCell<ManuallyDrop<Notes>> = const {
        let recorder = Recorder::new();
        RefCell::new(ManuallyDrop::new(Notes { recorder, watching: false, unseen: 0 }))
    };
}

/// The version of the interface, which qemu looks up.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals, reason = "the name is qemu's")]
pub static qemu_plugin_version: c_int = 1;

/// Installs the plugin: the function that qemu calls first.
#[unsafe(no_mangle)]
pub extern "C" fn qemu_plugin_install(id: Id, _: *const c_void, _: c_int, _: *const *const c_char) -> c_int {
    // SAFETY: functions of the types that the interface asks for, which stay as long as qemu runs.
    unsafe {
        interface::qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
        interface::qemu_plugin_register_vcpu_syscall_cb(id, on_system_call);
    }
    0
}

/// Asks to be told whenever a block runs, and what its instructions touch. A block runs from its first instruction to its
/// last, so where it begins says all.
extern "C" fn on_translation(_: Id, block: *mut Block) {
    // SAFETY: the block is there during the call, and so are its instructions, whose numbers are below their count.
    unsafe {
        let count = interface::qemu_plugin_tb_n_insns(block);
        let passage = Passage { start: interface::qemu_plugin_tb_vaddr(block), count: count as u64 };
        interface::qemu_plugin_register_vcpu_tb_exec_cb(
            block,
            on_block,
            interface::NO_REGISTERS,
            passage.packed(),
        );
        for number in 0..count {
            let instruction = interface::qemu_plugin_tb_get_insn(block, number);
            let address = without_provenance_mut(interface::qemu_plugin_insn_vaddr(instruction) as usize);
            interface::qemu_plugin_register_vcpu_mem_cb(
                instruction,
                on_access,
                interface::NO_REGISTERS,
                interface::READS_AND_WRITES,
                address,
            );
            if is_unseen(word(instruction)) {
                interface::qemu_plugin_register_vcpu_insn_exec_cb(
                    instruction,
                    on_unseen,
                    interface::NO_REGISTERS,
                    address,
                );
            }
        }
    }
}

/// Instructions one after the other.
struct Passage {
    /// The address of the first. Those of programs have 48 bits.
    start: u64,
    /// The number of instructions, at most 512.
    count: u64,
}

impl Passage {
    /// In a word, which qemu hands back.
    fn packed(&self) -> *mut c_void {
        without_provenance_mut((self.start << 16 | self.count) as usize)
    }

    fn unpacked(word: *mut c_void) -> Self {
        let word = word.addr() as u64;
        Self { start: word >> 16, count: word & 0xffff }
    }
}

/// An instruction of AArch64.
///
/// # Safety
/// The instruction must be one of the block that is being translated.
unsafe fn word(instruction: *const Instruction) -> u32 {
    // SAFETY: the caller promises it. The bytes are there during the translation, four of them on AArch64, maybe not at an
    // address of words.
    unsafe { interface::qemu_plugin_insn_data(instruction).cast::<u32>().read_unaligned() }
}

/// True if the time of an instruction depends on its operands, or if it touches memory without a call of `on_access`: SDIV and
/// UDIV; FDIV and FSQRT of numbers and of vectors; PRFM. (Arm Architecture Reference Manual for A-profile, C4.1.)
fn is_unseen(instruction: u32) -> bool {
    const KINDS: [(u32, u32); 8] = [
        DIVISIONS,
        (0xff20_fc00, 0x1e20_1800),
        (0xff3f_fc00, 0x1e21_c000),
        (0xbfa0_fc00, 0x2e20_fc00),
        (0xbfbf_fc00, 0x2ea1_f800),
        (0xffc0_0000, 0xf980_0000),
        (0xffe0_0c00, 0xf8a0_0800),
        (0xffe0_0c00, 0xf880_0000),
    ];
    KINDS.iter().any(|(mask, value)| instruction & mask == *value)
}

extern "C" fn on_block(_: c_uint, passage: *mut c_void) {
    note(|notes| {
        let Passage { start, count } = Passage::unpacked(passage);
        notes.recorder.trace.steps += count;
        notes.recorder.hash(INSTRUCTION, start);
        for number in 0..count {
            notes.recorder.record(INSTRUCTION, start + 4 * number);
        }
    });
}

/// The program tells the operands of divisions of integers, and has none left in it.
extern "C" fn on_unseen(_: c_uint, address: *mut c_void) {
    note(|notes| notes.unseen = address.addr() as u64);
}

/// In the record, the instruction stands once more before what it touches.
extern "C" fn on_access(_: c_uint, _: u32, address: u64, instruction: *mut c_void) {
    note(|notes| {
        notes.recorder.hash(DATA, address);
        notes.recorder.record(INSTRUCTION, instruction.addr() as u64);
        notes.recorder.record(DATA, address);
    });
}

/// Takes a note, if an operation is going on.
fn note(of: impl FnOnce(&mut Notes)) {
    NOTES.with_borrow_mut(|notes| {
        if notes.watching {
            of(notes);
        }
    });
}

extern "C" fn on_system_call(
    _: Id,
    _: c_uint,
    number: i64,
    what: u64,
    first: u64,
    second: u64,
    _: u64,
    _: u64,
    _: u64,
    _: u64,
    _: u64,
) {
    if number.cast_unsigned() != NUMBER {
        return;
    }
    NOTES.with_borrow_mut(|notes| match what {
        BEGIN => {
            notes.recorder.begin(first != 0);
            notes.unseen = 0;
            notes.watching = true;
        }
        DIVISION if notes.watching => {
            for operand in [first, second] {
                notes.recorder.hash(OPERAND, operand);
                notes.recorder.record(OPERAND, operand);
            }
        }
        END => {
            notes.watching = false;
            // Without the answer, the program fails.
            let _ = answer(notes, first as RawFd);
        }
        _ => {}
    });
}

/// Writes the trace to a file of the program, whose descriptors are those of qemu.
fn answer(notes: &Notes, file: RawFd) -> io::Result<()> {
    let Recorder { trace, record, .. } = &notes.recorder;
    let Answer { steps, hash, unseen } =
        Answer { steps: trace.steps, hash: trace.hash, unseen: notes.unseen };
    let head = [steps, hash, unseen];
    let entries = record.iter().flat_map(|(kind, value)| [*kind, *value]);
    let bytes: Vec<u8> = head.into_iter().chain(entries).flat_map(u64::to_le_bytes).collect();
    // SAFETY: the program has the file open, and waits; it is not closed here.
    let file = ManuallyDrop::new(unsafe { File::from_raw_fd(file) });
    file.write_all_at(&bytes, 0)
}
