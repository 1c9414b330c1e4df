//! Single instructions on the CPU at hand, from one state of its registers to the next.

use std::arch::global_asm;
use std::arch::x86_64::__cpuid_count;
use std::ptr::{null_mut, with_exposed_provenance_mut};
use std::sync::{Mutex, OnceLock};

/// Registers, as the code below loads and stores them. Its offsets are those of these fields.
#[repr(C, align(64))]
#[derive(Clone)]
pub(crate) struct State {
    /// The area of XSAVE: vectors and masks.
    area: [u8; 4096],
    /// RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8 to R15.
    pub(crate) general: [u64; 16],
    /// Carry, parity, zero, sign, overflow in their places in RFLAGS, and nothing else.
    pub(crate) flags: u64,
    stack: u64,
}

/// The bits of [`State::flags`] that are loaded.
pub(crate) const FLAGS: u64 = 0x8c5;

/// The parts of the area that are loaded and stored: SSE, AVX, and those of AVX-512.
const PARTS: u64 = 0xe6;
const PRESENT: usize = 512;

global_asm!(
    ".pushsection .bss.abreast_prove, \"aw\", @nobits",
    ".p2align 3",
    "abreast_prove_state: .skip 8",
    "abreast_prove_rdi: .skip 8",
    ".popsection",
    ".pushsection .text.abreast_prove, \"ax\", @progbits",
    // rdi: the state. rsi: the code, which ends with a jump to abreast_prove_back.
    "abreast_prove_run:",
    "push rbx",
    "push rbp",
    "push r12",
    "push r13",
    "push r14",
    "push r15",
    "mov [rip + abreast_prove_state], rdi",
    "mov [rip + abreast_prove_rdi], rsi",
    "mov [rdi + 4232], rsp",
    "mov eax, 0xe6",
    "xor edx, edx",
    "xrstor64 [rdi]",
    "push [rdi + 4224]",
    "popfq",
    "mov rax, [rdi + 4096]",
    "mov rcx, [rdi + 4104]",
    "mov rdx, [rdi + 4112]",
    "mov rbx, [rdi + 4120]",
    "mov rsp, [rdi + 4128]",
    "mov rbp, [rdi + 4136]",
    "mov rsi, [rdi + 4144]",
    "mov r8, [rdi + 4160]",
    "mov r9, [rdi + 4168]",
    "mov r10, [rdi + 4176]",
    "mov r11, [rdi + 4184]",
    "mov r12, [rdi + 4192]",
    "mov r13, [rdi + 4200]",
    "mov r14, [rdi + 4208]",
    "mov r15, [rdi + 4216]",
    "mov rdi, [rdi + 4152]",
    "jmp [rip + abreast_prove_rdi]",
    "abreast_prove_back:",
    "mov [rip + abreast_prove_rdi], rdi",
    "mov rdi, [rip + abreast_prove_state]",
    "mov [rdi + 4096], rax",
    "mov [rdi + 4104], rcx",
    "mov [rdi + 4112], rdx",
    "mov [rdi + 4120], rbx",
    "mov [rdi + 4128], rsp",
    "mov [rdi + 4136], rbp",
    "mov [rdi + 4144], rsi",
    "mov [rdi + 4160], r8",
    "mov [rdi + 4168], r9",
    "mov [rdi + 4176], r10",
    "mov [rdi + 4184], r11",
    "mov [rdi + 4192], r12",
    "mov [rdi + 4200], r13",
    "mov [rdi + 4208], r14",
    "mov [rdi + 4216], r15",
    "mov rax, [rip + abreast_prove_rdi]",
    "mov [rdi + 4152], rax",
    "mov rsp, [rdi + 4232]",
    "pushfq",
    "pop [rdi + 4224]",
    "mov eax, 0xe6",
    "xor edx, edx",
    "xsave64 [rdi]",
    "cld",
    "pop r15",
    "pop r14",
    "pop r13",
    "pop r12",
    "pop rbp",
    "pop rbx",
    "ret",
    ".popsection",
);

unsafe extern "C" {
    fn abreast_prove_run(state: *mut State, code: *const u8);
    fn abreast_prove_back();
}

/// The offsets in the area of what is beyond SSE, if the CPU has it: AVX, masks, upper halves, upper registers.
#[derive(Clone, Copy)]
struct Offsets {
    parts: u64,
    avx: usize,
    masks: usize,
    upper_halves: usize,
    upper_registers: usize,
}

fn offsets() -> Offsets {
    static OFFSETS: OnceLock<Offsets> = OnceLock::new();
    *OFFSETS.get_or_init(ask_for_offsets)
}

fn ask_for_offsets() -> Offsets {
    #[allow(unused_unsafe, reason = "newer compilers say that this is safe")]
    // SAFETY: every x86-64 has CPUID, and leaf 13 is zeros where there is no XSAVE.
    let leaf = |part| unsafe { __cpuid_count(13, part) };
    let enabled = u64::from(leaf(0).eax) & PARTS;
    let place = |part| leaf(part).ebx as usize;
    Offsets {
        parts: enabled,
        avx: place(2),
        masks: place(5),
        upper_halves: place(6),
        upper_registers: place(7),
    }
}

impl State {
    /// Zeros everywhere.
    pub(crate) fn new() -> Box<Self> {
        let mut state = Box::new(Self { area: [0; 4096], general: [0; 16], flags: 0, stack: 0 });
        state.area[24..28].copy_from_slice(&0x1f80_u32.to_le_bytes());
        state.area[PRESENT..PRESENT + 8].copy_from_slice(&offsets().parts.to_le_bytes());
        state
    }

    /// The bits of a vector that the CPU has, in the order of its bytes: pieces of the area.
    fn pieces(register: usize) -> Vec<std::ops::Range<usize>> {
        let at = offsets();
        let wide = at.parts & 0xe0 == 0xe0;
        let mut pieces = Vec::new();
        if register >= 16 {
            let from = at.upper_registers + 64 * (register - 16);
            pieces.extend(wide.then_some(from..from + 64));
            return pieces;
        }
        let sse = 160 + 16 * register;
        pieces.push(sse..sse + 16);
        if at.parts & 4 != 0 {
            pieces.push(at.avx + 16 * register..at.avx + 16 * register + 16);
        }
        if wide {
            pieces.push(at.upper_halves + 32 * register..at.upper_halves + 32 * register + 32);
        }
        pieces
    }

    /// A vector, as many bytes of it as the CPU has.
    pub(crate) fn vector(&self, register: usize) -> Vec<u8> {
        let present = self.present();
        let piece = |(i, range): (usize, std::ops::Range<usize>)| {
            let part = if register >= 16 { 7 } else { [1, 2, 6][i] };
            // Parts that are not marked as present are in their initial state, zeros.
            if present >> part & 1 == 1 { self.area[range].to_vec() } else { vec![0; range.len()] }
        };
        Self::pieces(register).into_iter().enumerate().flat_map(piece).collect()
    }

    fn present(&self) -> u64 {
        u64::from_le_bytes(self.area[PRESENT..PRESENT + 8].try_into().unwrap_or_default())
    }

    /// Sets as many bytes of a vector as the CPU has.
    pub(crate) fn set_vector(&mut self, register: usize, bytes: &[u8]) {
        let mut rest = bytes;
        for range in Self::pieces(register) {
            let (now, later) = rest.split_at(range.len());
            self.area[range].copy_from_slice(now);
            rest = later;
        }
    }

    /// A mask register, zero if the CPU has none.
    pub(crate) fn mask(&self, register: usize) -> u64 {
        let from = offsets().masks + 8 * register;
        if self.present() >> 5 & 1 == 0 {
            return 0;
        }
        u64::from_le_bytes(self.area[from..from + 8].try_into().unwrap_or_default())
    }

    /// Sets a mask register, if the CPU has it.
    pub(crate) fn set_mask(&mut self, register: usize, mask: u64) {
        if offsets().parts >> 5 & 1 == 1 {
            let from = offsets().masks + 8 * register;
            self.area[from..from + 8].copy_from_slice(&mask.to_le_bytes());
        }
    }
}

/// Instructions in memory that can be run.
pub(crate) struct Code {
    place: *mut u8,
    len: usize,
}

/// Bytes for each instruction and the jump back.
const SLOT: usize = 64;

impl Code {
    /// Takes the bytes of instructions, none of which jumps.
    pub(crate) fn new(instructions: &[Vec<u8>]) -> Result<Self, String> {
        let len = (SLOT * instructions.len()).next_multiple_of(4096).max(4096);
        let mut bytes = vec![0xcc; len];
        for (slot, instruction) in bytes.chunks_mut(SLOT).zip(instructions) {
            // jmp [rip], and the address behind it.
            let jump =
                [&[0xff, 0x25, 0, 0, 0, 0][..], &(abreast_prove_back as *const () as u64).to_le_bytes()];
            let all = [instruction, &jump.concat()[..]].concat();
            slot[..all.len()].copy_from_slice(&all);
        }
        // SAFETY: new pages, which nobody else has.
        let place = unsafe {
            let rights = libc::PROT_READ | libc::PROT_WRITE;
            libc::mmap(null_mut(), len, rights, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1, 0)
        };
        if place == libc::MAP_FAILED {
            return Err("no memory for code".to_owned());
        }
        let place = place.cast::<u8>();
        // SAFETY: as many bytes as were mapped; afterwards the pages are code, and nothing writes them.
        let status = unsafe {
            place.copy_from_nonoverlapping(bytes.as_ptr(), len);
            libc::mprotect(place.cast(), len, libc::PROT_READ | libc::PROT_EXEC)
        };
        if status == 0 {
            Ok(Self { place, len })
        } else {
            Err("the system refuses pages of new code".to_owned())
        }
    }

    /// Runs one of them. Its operand in memory, and its stack, have to be in a [`Scratch`].
    ///
    /// # Panics
    /// If there is no such instruction.
    pub(crate) fn run(&self, index: usize, state: &mut State) {
        // The code between has one place for the state.
        static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
        assert!(SLOT * (index + 1) <= self.len);
        let _alone = ONE_AT_A_TIME.lock();
        // SAFETY: an instruction that a compiler wrote into the library, none of which jumps or calls the system, with its
        // memory in a buffer of the caller. It comes back by the jump behind it, and the registers that a caller expects to
        // find again are restored.
        unsafe { abreast_prove_run(state, self.place.add(SLOT * index)) };
    }
}

impl Drop for Code {
    fn drop(&mut self) {
        // SAFETY: the pages that were mapped, in which nothing runs now.
        unsafe { libc::munmap(self.place.cast(), self.len) };
    }
}

/// Memory for the operand of an instruction.
pub(crate) struct Scratch(Box<[u8; 4096]>);

impl Scratch {
    /// Zeros.
    pub(crate) fn new() -> Self {
        Self(Box::new([0; 4096]))
    }

    /// An address in it, a multiple of 64, with at least 1024 bytes on either side.
    pub(crate) fn address(&mut self) -> u64 {
        (self.0.as_mut_ptr().expose_provenance() as u64 + 1024).next_multiple_of(64)
    }

    /// Sets the 64 bytes at the address and those before it.
    pub(crate) fn set(&mut self, bytes: &[u8; 128]) {
        let at = self.address() - 64;
        // SAFETY: 128 bytes of this buffer.
        unsafe { with_exposed_provenance_mut::<[u8; 128]>(at as usize).write(*bytes) };
    }

    /// The bytes that [`set`](Self::set) set.
    pub(crate) fn get(&mut self) -> [u8; 128] {
        let at = self.address() - 64;
        // SAFETY: as above.
        unsafe { with_exposed_provenance_mut::<[u8; 128]>(at as usize).read() }
    }
}
