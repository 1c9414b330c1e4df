//! An x86-64 whose data are bits of the arena. Jumps, addresses and counts must be numbers: one that depends on data is an
//! error. So a run is one straight line of instructions, and it is the same for all data.

mod counts;
mod crypto;
mod foreign;
pub(crate) mod image;
mod integer;
pub(crate) mod memory;
mod moves;
mod operands;
mod shuffles;
mod vectors;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use iced_x86::{Decoder, DecoderOptions, Instruction, Mnemonic, Register};

use crate::forms::{Bit, Word, ZERO, constant, has_numbers, number, variables};
use image::Image;
use memory::Memory;

/// The reason why a run ends early.
#[derive(Clone, Debug)]
pub(crate) struct Failure(pub(crate) String);

impl Failure {
    pub(crate) fn new(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }
}

/// Something that a run may give.
type Result<T> = std::result::Result<T, Failure>;

/// Flags, of which those that are not known are None.
#[derive(Clone, Default)]
pub(crate) struct Flags {
    pub(crate) carry: Option<bool>,
    pub(crate) parity: Option<bool>,
    pub(crate) zero: Option<bool>,
    pub(crate) sign: Option<bool>,
    pub(crate) overflow: Option<bool>,
}

/// The address to which the outermost call returns.
const END: u64 = 0x5000_0000_0000;
/// The registers that a function leaves as they were, by the convention of System V.
const KEPT: [Register; 7] =
    [Register::RBX, Register::RSP, Register::RBP, Register::R12, Register::R13, Register::R14, Register::R15];
/// Instructions of a call, at most.
const LONGEST: usize = 5_000_000;

/// A CPU and its memory.
#[derive(Clone)]
pub(crate) struct Machine<'i> {
    image: &'i Image,
    pub(crate) general: Vec<Word>,
    pub(crate) vectors: Vec<Word>,
    pub(crate) masks: Vec<Word>,
    pub(crate) flags: Flags,
    /// Unknown contents of registers, each word of its own: general ones, vectors, of which all parts are alike, and masks. They are
    /// the same at each call, since variables take time.
    unknown: Vec<Word>,
    /// The carry out of the last addition or subtraction, if that was not of numbers: its operands, and true if it subtracts.
    pending: Option<(Word, Word, bool)>,
    pub(crate) memory: Memory,
    decoded: HashMap<u64, (Instruction, u64)>,
    /// True if words that are compared with zero, and of which nothing is known, are assumed not to be zero.
    pub(crate) assume_not_zero: bool,
    /// Functions of AES keep their tables closed.
    pub(crate) closed: bool,
    /// Memory from here on is free, for allocations.
    free: u64,
    /// Instructions so far.
    pub(crate) steps: usize,
    /// The instructions of which a result depended on data, in order.
    pub(crate) on_data: Vec<u64>,
    /// Constants of the library that were read as data: address and length.
    pub(crate) constants: BTreeSet<(u64, usize)>,
    /// Every instruction that was run, by its address.
    pub(crate) seen: BTreeMap<u64, Instruction>,
    /// All instructions that were run, in order and without their addresses, and all that was read of the library.
    pub(crate) trace: DefaultHasher,
}

impl<'i> Machine<'i> {
    /// A machine with the library in memory and nothing else.
    pub(crate) fn new(image: &'i Image, closed: bool) -> Self {
        let mut memory = Memory::default();
        image.regions.iter().for_each(|region| memory.add(region.clone()));
        Self {
            image,
            general: vec![vec![ZERO; 64]; 16],
            vectors: vec![vec![ZERO; 512]; 32],
            masks: vec![vec![ZERO; 64]; 8],
            flags: Flags::default(),
            unknown: Vec::new(),
            pending: None,
            memory,
            decoded: HashMap::new(),
            assume_not_zero: false,
            closed,
            free: foreign::HEAP,
            steps: 0,
            on_data: Vec::new(),
            constants: BTreeSet::new(),
            seen: BTreeMap::new(),
            trace: DefaultHasher::new(),
        }
    }

    /// Calls a function by the convention of System V, with numbers as arguments, and returns what it does: 32 bits. All other
    /// registers are of unknown contents.
    pub(crate) fn call(&mut self, function: u64, arguments: &[u64], stack: u64) -> Result<u32> {
        self.forget(0..16);
        let on_the_stack = arguments.len().saturating_sub(6) as u64;
        // The address to which the function returns lies below a multiple of 16.
        self.set_pointer(Register::RSP, stack - 8 * (on_the_stack % 2));
        for (number_of, argument) in [7, 6, 2, 1, 8, 9].into_iter().zip(arguments) {
            self.general[number_of] = number((*argument).into(), 64);
        }
        for argument in arguments.get(6..).unwrap_or_default().iter().rev() {
            self.push(&number((*argument).into(), 64))?;
        }
        let kept = KEPT.map(|register| self.general[register.number()].clone());
        self.push(&number(END.into(), 64))?;
        self.flags = Flags::default();
        let mut at = function;
        let first = self.steps;
        while at != END {
            at = match self.image.foreign(at).map(str::to_owned) {
                Some(name) => self.foreign(&name),
                None => self.step(at),
            }
            .map_err(|failure| {
                Failure(format!("{}, at {:#x}, step {}", failure.0, Image::in_file(at), self.steps))
            })?;
            self.steps += 1;
            if self.steps - first > LONGEST {
                return Err(Failure::new(format!("more than {LONGEST} instructions")));
            }
        }
        if let Some(i) = (0..KEPT.len()).find(|i| self.general[KEPT[*i].number()] != kept[*i]) {
            return Err(Failure::new(format!("{:?} is not what it was before the call", KEPT[i])));
        }
        let result = constant(&self.general[0][..32]);
        result.map(|it| it as u32).ok_or_else(|| Failure::new("a result that depends on data"))
    }

    /// Lets some general registers, all vectors and all masks have unknown contents. On numbers they keep what they have, as on the
    /// CPU that is compared with that.
    fn forget(&mut self, general: impl IntoIterator<Item = usize>) {
        if has_numbers() {
            return;
        }
        if self.unknown.is_empty() {
            self.unknown = (0..16 + 32 + 8).map(|_| variables(64)).collect();
        }
        general.into_iter().for_each(|i| self.general[i].clone_from(&self.unknown[i]));
        self.vectors = self.unknown[16..48].iter().map(|word| word.repeat(8)).collect();
        self.masks = self.unknown[48..].to_vec();
    }

    /// Decodes and does the instruction at an address, and returns that of the next one.
    fn step(&mut self, at: u64) -> Result<u64> {
        let (instruction, hash) = match self.decoded.get(&at) {
            Some(known) => *known,
            None => {
                let code = self.memory.code(at)?;
                let instruction = Decoder::with_ip(64, &code, at, DecoderOptions::NONE).decode();
                let known = (instruction, without_addresses(&instruction));
                self.decoded.insert(at, known);
                self.seen.insert(at, instruction);
                known
            }
        };
        self.trace.write_u64(hash);
        self.execute(&instruction)
    }

    /// Does an instruction, and returns the address of the next one.
    pub(crate) fn execute(&mut self, x: &Instruction) -> Result<u64> {
        if let Some(next) = self.jump(x)? {
            return Ok(next);
        }
        let known =
            self.integer(x)? || self.moves(x)? || self.vector(x)? || self.shuffle(x)? || self.crypto(x)?;
        if known {
            Ok(x.next_ip())
        } else {
            Err(Failure::new(format!("no meaning for {:?} ({:?})", x.mnemonic(), x.code())))
        }
    }

    /// Does an instruction that goes on elsewhere, if it is one.
    fn jump(&mut self, x: &Instruction) -> Result<Option<u64>> {
        let next = x.next_ip();
        if x.is_jcc_short_or_near() {
            return Ok(Some(if self.condition(x.condition_code())? { x.near_branch_target() } else { next }));
        }
        Ok(Some(match x.mnemonic() {
            Mnemonic::Jmp => self.target(x)?,
            Mnemonic::Call => {
                let target = self.target(x)?;
                self.push(&number(next.into(), 64))?;
                target
            }
            Mnemonic::Ret => self.pop_number()?,
            _ => return Ok(None),
        }))
    }

    fn target(&mut self, x: &Instruction) -> Result<u64> {
        if x.is_call_near() || x.is_jmp_short_or_near() {
            return Ok(x.near_branch_target());
        }
        self.number_of(x, 0, "a jump depends on data")
    }

    fn push(&mut self, bits: &[Bit]) -> Result<()> {
        let stack = self.pointer(Register::RSP)?.wrapping_sub(bits.len() as u64 / 8);
        self.set_pointer(Register::RSP, stack);
        self.memory.write(stack, bits)
    }

    fn pop(&mut self, bytes: usize) -> Result<Word> {
        let stack = self.pointer(Register::RSP)?;
        self.set_pointer(Register::RSP, stack + bytes as u64);
        self.memory.read(stack, bytes)
    }

    fn pop_number(&mut self) -> Result<u64> {
        let bits = self.pop(8)?;
        constant(&bits)
            .map(|it| it as u64)
            .ok_or_else(|| Failure::new("a return address that depends on data"))
    }

    /// The contents of a register of 64 bits that has to be a number.
    fn pointer(&self, register: Register) -> Result<u64> {
        let bits = &self.general[register.number()];
        constant(bits).map(|it| it as u64).ok_or_else(|| Failure::new("an address depends on data"))
    }

    fn set_pointer(&mut self, register: Register, value: u64) {
        self.general[register.number()] = number(value.into(), 64);
    }
}

/// A hash of an instruction, which is the same wherever the instruction and its target lie.
fn without_addresses(x: &Instruction) -> u64 {
    let mut x = *x;
    if x.is_ip_rel_memory_operand() {
        x.set_memory_displacement64(0);
    }
    if x.is_call_near() || x.is_jmp_short_or_near() || x.is_jcc_short_or_near() {
        x.set_near_branch64(0);
    }
    let mut hash = DefaultHasher::new();
    x.hash(&mut hash);
    hash.finish()
}
