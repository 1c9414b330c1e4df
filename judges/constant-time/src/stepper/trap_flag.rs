//! Single steps of x86-64, taken by this process itself.
//!
//! The trap flag makes the CPU stop after each instruction, and the kernel hands this process a SIGTRAP with all registers.
//! They determine the memory that the next instruction is about to touch: iced-x86 knows the instructions, AVX-512, VAES and
//! GFNI among them.
//!
//! The process steps through itself and is not traced by another one (ptrace): no step then switches between processes, which
//! is several times as fast. The handler allocates nothing, since it may interrupt the allocator.

#![allow(unsafe_code, reason = "a signal handler reads the registers and the code of what it interrupted")]

use std::arch::asm;
use std::arch::x86_64::__cpuid_count;
use std::mem::zeroed;
use std::ops::Range;
use std::ptr::{null_mut, without_provenance};
use std::slice::from_raw_parts;
use std::sync::atomic::{AtomicPtr, Ordering};

use iced_x86::{
    Decoder, DecoderOptions, Instruction, InstructionInfoFactory, InstructionInfoOptions, Mnemonic, OpKind,
    Register,
};

use super::recorder::Recorder;
use crate::trace::{DATA, INSTRUCTION, OPERAND, Trace};

/// True if the short form must do with fewer operations than other tools: a step takes a microsecond.
pub(crate) const SLOW: bool = true;

/// Instructions that are remembered as they were decoded, a power of two.
const REMEMBERED: usize = 1 << 17;

/// Takes steps.
pub(crate) struct Stepper {
    notes: Box<Notes>,
    /// The number of the operation that is recorded.
    record: Option<u64>,
    operation: u64,
}

/// The notes that the handler takes.
struct Notes {
    recorder: Recorder,
    remembered: Vec<Remembered>,
    factory: InstructionInfoFactory,
    /// The offsets of the registers' parts in the area that the kernel saves (XSAVE, by CPUID leaf 13).
    parts: Parts,
    /// The code that the kernel lends to read the clock, which takes turns by the time.
    clock: Range<u64>,
}

/// Offsets.
#[derive(Clone, Copy)]
struct Parts {
    upper_128: usize,
    masks: usize,
    upper_256: usize,
    upper_16: usize,
}

/// An address: base, index and scale, displacement and segment.
#[derive(Clone, Copy)]
struct Address {
    base: Register,
    index: Register,
    scale: u64,
    displacement: u64,
    segment: Register,
    size: usize,
}

/// An instruction, as far as its addresses go.
#[derive(Clone, Copy)]
struct Remembered {
    at: u64,
    addresses: [Address; 2],
    count: usize,
    /// Registers whose contents are part of the trace.
    registers: [Register; 3],
    /// True if the contents of the memory are part of the trace, too.
    contents: bool,
}

const NOWHERE: Address = Address {
    base: Register::None,
    index: Register::None,
    scale: 1,
    displacement: 0,
    segment: Register::None,
    size: 0,
};
const NOTHING: Remembered =
    Remembered { at: 0, addresses: [NOWHERE; 2], count: 0, registers: [Register::None; 3], contents: false };

/// The notes of the one stepper of this process, while it takes steps.
static NOTES: AtomicPtr<Notes> = AtomicPtr::new(null_mut());

impl Stepper {
    /// Prepares everything; `record` is the number of an operation whose steps are shown. None if a step cannot be
    /// taken here.
    pub(crate) fn new(record: Option<u64>) -> Option<Self> {
        let offset = |part: u32| __cpuid_count(13, part).ebx as usize;
        let parts =
            Parts { upper_128: offset(2), masks: offset(5), upper_256: offset(6), upper_16: offset(7) };
        // SAFETY: reads a number that the kernel gave to the process.
        let clock = unsafe { libc::getauxval(libc::AT_SYSINFO_EHDR) };
        let notes = Box::new(Notes {
            recorder: Recorder::new(),
            remembered: vec![NOTHING; REMEMBERED],
            factory: InstructionInfoFactory::new(),
            parts,
            clock: clock..clock + 0x2000,
        });
        // A stack of its own, so that the handler does not write below the one of the operation.
        let stack = vec![0_u8; 1 << 18].leak();
        let mut stepper = Self { notes, record: None, operation: 0 };
        // SAFETY: a handler that has the type that SA_SIGINFO asks for, on a stack that is never freed.
        unsafe {
            let place = libc::stack_t { ss_sp: stack.as_mut_ptr().cast(), ss_flags: 0, ss_size: stack.len() };
            libc::sigaltstack(&raw const place, null_mut());
            let mut action: libc::sigaction = zeroed();
            action.sa_sigaction = on_step as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            libc::sigaction(libc::SIGTRAP, &raw const action, null_mut());
        }
        let (_, trace) = stepper.run(|| std::hint::black_box(1) + 1);
        (trace.steps > 0).then_some(Self { record, operation: 0, ..stepper })
    }

    /// Runs something step by step; where one operation is recorded, the others as the CPU does, for the time that it takes.
    pub(crate) fn run<T>(&mut self, work: impl FnOnce() -> T) -> (T, Trace) {
        let recording = self.record == Some(self.operation);
        self.operation += 1;
        self.notes.recorder.begin(recording);
        if self.record.is_some() && !recording {
            return (work(), Trace::default());
        }
        NOTES.store(&raw mut *self.notes, Ordering::SeqCst);
        // SAFETY: sets the trap flag, for which the handler is there, and clears it again. The stack is used as the
        // compiler expects without `nostack`.
        unsafe { asm!("pushfq", "or qword ptr [rsp], 0x100", "popfq") };
        let result = work();
        // SAFETY: as above.
        unsafe { asm!("pushfq", "and qword ptr [rsp], -257", "popfq") };
        NOTES.store(null_mut(), Ordering::SeqCst);
        (result, self.notes.recorder.trace)
    }

    /// The record of the last operation, if it is the one.
    pub(crate) fn record(&self) -> &[(u64, u64)] {
        &self.notes.recorder.record
    }
}

extern "C" fn on_step(_: libc::c_int, _: *mut libc::siginfo_t, context: *mut libc::c_void) {
    let notes = NOTES.load(Ordering::SeqCst);
    if notes.is_null() {
        return;
    }
    // SAFETY: the notes belong to the running stepper, which has no other access to them meanwhile; the context belongs to
    // the signal.
    unsafe { (*notes).step(&*context.cast::<libc::ucontext_t>()) };
}

impl Notes {
    /// Takes note of the instruction that comes next.
    fn step(&mut self, context: &libc::ucontext_t) {
        let registers = &context.uc_mcontext.gregs;
        let at = registers[libc::REG_RIP as usize] as u64;
        if self.clock.contains(&at) {
            return;
        }
        self.recorder.trace.steps += 1;
        self.add(INSTRUCTION, at);
        let slot = (at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 47) as usize % REMEMBERED;
        if self.remembered[slot].at != at {
            self.remembered[slot] = self.decode(at);
        }
        let known = self.remembered[slot];
        for address in &known.addresses[..known.count] {
            let base = general(registers, address.base);
            let index = if address.index.is_vector_register() {
                self.add_contents(context, address.index);
                0
            } else {
                general(registers, address.index)
            };
            let segment = match address.segment {
                Register::FS => fs_base(),
                _ => 0,
            };
            let place = base
                .wrapping_add(index.wrapping_mul(address.scale))
                .wrapping_add(address.displacement)
                .wrapping_add(segment);
            self.add(DATA, place);
            if known.contents {
                let len = address.size.min(64);
                // SAFETY: the instruction is about to read these bytes.
                let bytes = unsafe { from_raw_parts(without_provenance::<u8>(place as usize), len) };
                self.add_bytes(bytes);
            }
        }
        for register in known.registers.into_iter().filter(|register| *register != Register::None) {
            self.add_contents(context, register);
        }
    }

    fn add(&mut self, kind: u64, value: u64) {
        self.recorder.hash(kind, value);
        self.recorder.record(kind, value);
    }

    fn add_bytes(&mut self, bytes: &[u8]) {
        for part in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..part.len()].copy_from_slice(part);
            self.add(OPERAND, u64::from_le_bytes(word));
        }
    }

    /// The contents of a register of any kind.
    fn add_contents(&mut self, context: &libc::ucontext_t, register: Register) {
        if register.is_gpr() {
            let value = general(&context.uc_mcontext.gregs, register.full_register());
            let bits = 8 * register.size() as u32;
            self.add(OPERAND, if bits == 64 { value } else { value & ((1 << bits) - 1) });
            return;
        }
        let saved = context.uc_mcontext.fpregs.cast::<u8>();
        // SAFETY: the kernel saves the registers in the standard form of XSAVE: 512 bytes of the legacy form, with the
        // sixteen XMM registers from 160 on, then which parts are there, then the parts.
        let read = |offset: usize, len: usize| unsafe { from_raw_parts(saved.add(offset).cast_const(), len) };
        let present = u64::from_le_bytes(read(512, 8).try_into().unwrap_or_default());
        let parts = self.parts;
        let mut put = |part: u32, offset: usize, len: usize| {
            if present & (1 << part) != 0 {
                self.add_bytes(read(offset, len));
            }
        };
        let (number, size) = (register.number(), register.size());
        if register.is_k() {
            put(5, parts.masks + 8 * number, 8);
        } else if register.is_vector_register() && number < 16 {
            let (upper_128, upper_256) = (parts.upper_128, parts.upper_256);
            put(1, 160 + 16 * number, 16);
            if size > 16 {
                put(2, upper_128 + 16 * number, 16);
            }
            if size > 32 {
                put(6, upper_256 + 32 * number, 32);
            }
        } else if register.is_vector_register() {
            put(7, parts.upper_16 + 64 * (number - 16), size);
        }
    }

    /// Decodes the instruction at an address: the memory that it touches, and the operands that belong to the trace.
    fn decode(&mut self, at: u64) -> Remembered {
        // SAFETY: the instruction that the CPU is about to run, and the bytes after it in the same code.
        let code = unsafe { from_raw_parts(without_provenance::<u8>(at as usize), 15) };
        let instruction = Decoder::with_ip(64, code, at, DecoderOptions::NONE).decode();
        let mut known = Remembered { at, ..NOTHING };
        // Without registers, whose list would grow.
        let options = InstructionInfoOptions::NO_REGISTER_USAGE;
        for used in self.factory.info_options(&instruction, options).used_memory().iter().take(2) {
            known.addresses[known.count] = Address {
                base: used.base().full_register(),
                index: if used.index().is_vector_register() {
                    used.index()
                } else {
                    used.index().full_register()
                },
                scale: u64::from(used.scale()),
                displacement: used.displacement(),
                segment: used.segment(),
                size: used.memory_size().size(),
            };
            known.count += 1;
        }
        let mut watch = Vec3::default();
        if known.count > 0 && instruction.op_mask() != Register::None {
            watch.push(instruction.op_mask());
        }
        operands_that_take_time(&instruction, &mut watch, &mut known.contents);
        known.registers = watch.0;
        known
    }
}

/// Up to three registers, without allocation.
struct Vec3([Register; 3], usize);

impl Default for Vec3 {
    fn default() -> Self {
        Self([Register::None; 3], 0)
    }
}

impl Vec3 {
    fn push(&mut self, register: Register) {
        if self.1 < 3 && register != Register::None {
            self.0[self.1] = register;
            self.1 += 1;
        }
    }
}

/// Registers, and whether memory, whose contents decide how long an instruction takes or which memory it touches.
fn operands_that_take_time(instruction: &Instruction, watch: &mut Vec3, contents: &mut bool) {
    use Mnemonic::{
        Div, Divpd, Divps, Divsd, Divss, Fdiv, Fdivp, Fdivr, Fdivrp, Fidiv, Fidivr, Fsqrt, Idiv, Maskmovdqu,
        Pdep, Pext, Sqrtpd, Sqrtps, Sqrtsd, Sqrtss, Vdivpd, Vdivps, Vdivsd, Vdivss, Vgatherdpd, Vgatherdps,
        Vgatherqpd, Vgatherqps, Vmaskmovdqu, Vmaskmovpd, Vmaskmovps, Vpgatherdd, Vpgatherdq, Vpgatherqd,
        Vpgatherqq, Vpmaskmovd, Vpmaskmovq, Vsqrtpd, Vsqrtps, Vsqrtsd, Vsqrtss,
    };
    let operand = |n: u32| match instruction.try_op_kind(n) {
        Ok(OpKind::Register) => instruction.op_register(n),
        _ => Register::None,
    };
    match instruction.mnemonic() {
        Div | Idiv => {
            watch.push(Register::RAX);
            watch.push(Register::RDX);
            watch.push(operand(0));
            *contents = true;
        }
        Divpd | Divps | Divsd | Divss | Fdiv | Fdivp | Fdivr | Fdivrp | Fidiv | Fidivr | Fsqrt | Sqrtpd
        | Sqrtps | Sqrtsd | Sqrtss | Vdivpd | Vdivps | Vdivsd | Vdivss | Vsqrtpd | Vsqrtps | Vsqrtsd
        | Vsqrtss => {
            (0..instruction.op_count().min(3)).for_each(|n| watch.push(operand(n)));
            *contents = true;
        }
        Pdep | Pext => {
            watch.push(operand(2));
            *contents = true;
        }
        Maskmovdqu | Vmaskmovdqu | Vmaskmovpd | Vmaskmovps | Vpmaskmovd | Vpmaskmovq => {
            watch.push(operand(1))
        }
        // Gathers of AVX2 have a vector as the mask; gathers of AVX-512 have a mask register.
        Vgatherdpd | Vgatherdps | Vgatherqpd | Vgatherqps | Vpgatherdd | Vpgatherdq | Vpgatherqd
        | Vpgatherqq => {
            watch.push(operand(2));
        }
        _ => {}
    }
}

/// A general register. Others are zero: of segments only FS has a base, which is added by itself.
fn general(registers: &[i64; 23], register: Register) -> u64 {
    let number = match register {
        Register::RAX => libc::REG_RAX,
        Register::RBX => libc::REG_RBX,
        Register::RCX => libc::REG_RCX,
        Register::RDX => libc::REG_RDX,
        Register::RSI => libc::REG_RSI,
        Register::RDI => libc::REG_RDI,
        Register::RBP => libc::REG_RBP,
        Register::RSP => libc::REG_RSP,
        Register::R8 => libc::REG_R8,
        Register::R9 => libc::REG_R9,
        Register::R10 => libc::REG_R10,
        Register::R11 => libc::REG_R11,
        Register::R12 => libc::REG_R12,
        Register::R13 => libc::REG_R13,
        Register::R14 => libc::REG_R14,
        Register::R15 => libc::REG_R15,
        _ => return 0,
    };
    registers[number as usize] as u64
}

/// Returns the base of FS: the address of a word that holds its own address.
fn fs_base() -> u64 {
    let base;
    // SAFETY: the first word of the thread's block, by the ABI of ELF.
    unsafe { asm!("mov {}, fs:[0]", out(reg) base, options(nostack, readonly, preserves_flags)) };
    base
}
