//! The meanings of instructions, compared with the CPU at hand: each form that a proof used, on random and on extreme states.
//!
//! A form is an instruction without the numbers of its registers and without its address: what is left of it decides about its
//! meaning. It is run on symbols, whose values are compared, or on numbers if its meaning is of numbers only.

use std::collections::BTreeMap;

use iced_x86::{
    CpuidFeature, Encoder, FlowControl, Instruction, InstructionInfoFactory, Mnemonic, OpKind, Register,
};

use crate::forms::{Bit, Values, Word, begin, constant, from_bytes, number, variables};
use crate::machine::Machine;
use crate::machine::image::Image;
use crate::machine::memory::{Region, Rights, filled};
use crate::native::instruction::{Code, FLAGS, Scratch, State};

/// The forms of proofs, each with an instruction of that form.
#[derive(Default)]
pub(crate) struct Forms(BTreeMap<String, Instruction>);

/// The result of the comparison.
#[derive(Default)]
pub(crate) struct Compared {
    /// Forms that agree with the CPU on every state.
    pub(crate) agree: usize,
    /// Forms that this CPU does not have.
    pub(crate) untested: Vec<String>,
    /// Forms of which no state could be run by the machine.
    pub(crate) never: Vec<String>,
    /// Disagreements.
    pub(crate) wrong: Vec<String>,
}

impl Forms {
    /// Adds the forms of instructions.
    pub(crate) fn add<'x>(&mut self, instructions: impl Iterator<Item = &'x Instruction>) {
        for x in instructions {
            let jumps = !matches!(x.flow_control(), FlowControl::Next);
            let apart = matches!(x.mnemonic(), Mnemonic::Cpuid | Mnemonic::Xgetbv) || x.has_rep_prefix();
            if jumps || apart {
                continue;
            }
            self.0.entry(form(x)).or_insert(*x);
        }
    }

    /// Compares every form with the CPU.
    pub(crate) fn compare(&self, image: &Image) -> Result<Compared, String> {
        let mut compared = Compared::default();
        let ready: Vec<(&String, Instruction)> = self
            .0
            .iter()
            .filter_map(|(form, x)| {
                if x.cpuid_features().iter().all(|feature| here(*feature)) {
                    return Some((form, with_plain_address(*x)));
                }
                compared.untested.push(form.clone());
                None
            })
            .collect();
        let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let parts = ready.chunks(ready.len().div_ceil(threads).max(1));
        std::thread::scope(|scope| {
            let started: Vec<_> = parts.map(|part| scope.spawn(|| compare_all(image, part))).collect();
            for part in started {
                let part = part.join().map_err(|_| "a thread ended early")??;
                compared.agree += part.agree;
                compared.never.extend(part.never);
                compared.wrong.extend(part.wrong);
            }
            Ok(compared)
        })
    }
}

/// Compares forms with the CPU, one after the other.
fn compare_all(image: &Image, forms: &[(&String, Instruction)]) -> Result<Compared, String> {
    let mut compared = Compared::default();
    let mut scratch = Scratch::new();
    let mut encoded = Vec::new();
    for (form, x) in forms {
        let mut encoder = Encoder::new(64);
        encoder.encode(x, 0x1000).map_err(|error| format!("{form}: {error}"))?;
        encoded.push(encoder.take_buffer());
    }
    let code = Code::new(&encoded)?;
    for (index, (form, x)) in forms.iter().enumerate() {
        match compare(image, x, &code, index, &mut scratch) {
            Ok(0) => compared.never.push((*form).clone()),
            Ok(_) => compared.agree += 1,
            Err(difference) => compared.wrong.push(format!("{form}: {difference}")),
        }
    }
    Ok(compared)
}

/// The name of a form: the encoding, the immediates of vectors, which registers are the same, the mask.
fn form(x: &Instruction) -> String {
    let operands: Vec<String> = (0..x.op_count())
        .map(|i| match x.op_kind(i) {
            OpKind::Register => {
                let register = x.op_register(i);
                let first =
                    (0..i).find(|j| x.op_kind(*j) == OpKind::Register && x.op_register(*j) == register);
                let high = matches!(register, Register::AH | Register::BH | Register::CH | Register::DH);
                format!("{}{}", first.unwrap_or(i), if high { "h" } else { "" })
            }
            OpKind::Memory => "m".to_owned(),
            _ => format!("{:x}", x.immediate(i) & 0xff),
        })
        .collect();
    let mask = match (x.op_mask(), x.zeroing_masking()) {
        (Register::None, _) => "",
        (_, true) => " {kz}",
        (_, false) => " {k}",
    };
    let address = if x.mnemonic() == Mnemonic::Lea {
        format!(" {}{}", x.memory_base() != Register::None, x.memory_index_scale())
    } else {
        String::new()
    };
    format!(
        "{:?} {}{mask}{}{address}",
        x.code(),
        operands.join(","),
        if x.is_broadcast() { " {1to}" } else { "" }
    )
}

/// Returns an instruction with the operand in memory at the address that RBX holds. LEA keeps its address, which is its operand.
fn with_plain_address(mut x: Instruction) -> Instruction {
    let memory = (0..x.op_count()).any(|i| x.op_kind(i) == OpKind::Memory);
    if memory && (x.mnemonic() != Mnemonic::Lea || x.is_ip_rel_memory_operand()) {
        x.set_memory_base(Register::RBX);
        x.set_memory_index(Register::None);
        x.set_memory_index_scale(1);
        x.set_memory_displacement64(0);
        x.set_memory_displ_size(0);
    }
    x
}

/// True if the CPU at hand has a feature.
fn here(feature: CpuidFeature) -> bool {
    use CpuidFeature as F;
    match feature {
        F::INTEL8086
        | F::INTEL186
        | F::INTEL286
        | F::INTEL386
        | F::INTEL486
        | F::X64
        | F::CMOV
        | F::SSE
        | F::SSE2
        | F::MULTIBYTENOP
        | F::CET_IBT
        | F::CMPXCHG16B
        | F::PAUSE => true,
        F::SSE3 => is_x86_feature_detected!("sse3"),
        F::SSSE3 => is_x86_feature_detected!("ssse3"),
        F::SSE4_1 => is_x86_feature_detected!("sse4.1"),
        F::SSE4_2 => is_x86_feature_detected!("sse4.2"),
        F::AVX => is_x86_feature_detected!("avx"),
        F::AVX2 => is_x86_feature_detected!("avx2"),
        F::AVX512F => is_x86_feature_detected!("avx512f"),
        F::AVX512BW => is_x86_feature_detected!("avx512bw"),
        F::AVX512DQ => is_x86_feature_detected!("avx512dq"),
        F::AVX512VL => is_x86_feature_detected!("avx512vl"),
        F::AVX512_VBMI => is_x86_feature_detected!("avx512vbmi"),
        F::AVX512_VBMI2 => is_x86_feature_detected!("avx512vbmi2"),
        F::AES => is_x86_feature_detected!("aes"),
        F::VAES => is_x86_feature_detected!("vaes"),
        F::PCLMULQDQ => is_x86_feature_detected!("pclmulqdq"),
        F::VPCLMULQDQ => is_x86_feature_detected!("vpclmulqdq"),
        F::GFNI => is_x86_feature_detected!("gfni"),
        F::BMI1 => is_x86_feature_detected!("bmi1"),
        F::BMI2 => is_x86_feature_detected!("bmi2"),
        F::LZCNT => is_x86_feature_detected!("lzcnt"),
        F::POPCNT => is_x86_feature_detected!("popcnt"),
        F::MOVBE => is_x86_feature_detected!("movbe"),
        _ => false,
    }
}

/// Masks and flags for which a form is run on symbols.
const SETTINGS: u64 = 4;
/// Random values of the symbols for each.
const RANDOM: u64 = 3;
/// Values of every byte of every second register, or of all: zeros, ones, the highest bits, the lowest bits.
const EXTREMES: [u8; 4] = [0, 0xff, 0x80, 1];

/// Compares a form with the CPU, and returns on how many states.
fn compare(
    image: &Image,
    x: &Instruction,
    code: &Code,
    index: usize,
    scratch: &mut Scratch,
) -> Result<usize, String> {
    let mut done = 0;
    for setting in 0..SETTINGS {
        begin(std::time::Duration::from_secs(60));
        let before = Before::new(x, scratch.address(), setting);
        let mut on_symbols = before.machine(image, |word| word.to_vec());
        let known = on_symbols.execute(x).is_ok();
        let random = (0..RANDOM).map(|i| before.values(SETTINGS * i + setting + 1, None));
        let extreme = [2, 1].map(|step| before.values(setting + 1, Some((EXTREMES[setting as usize], step))));
        for mut values in random.chain(extreme) {
            if known {
                check(&on_symbols, &before, &mut values, x, code, index, scratch)?;
                done += 1;
            }
            // Meanings of numbers are often other code than those of symbols.
            let mut on_numbers = before.machine(image, |word| from_bytes(&values.bytes(word)));
            if on_numbers.execute(x).is_ok() {
                check(&on_numbers, &before, &mut values, x, code, index, scratch)?;
                done += 1;
            }
        }
    }
    Ok(done)
}

/// A state before an instruction. What the instruction uses is variables, the rest is numbers.
struct Before {
    general: Vec<Word>,
    vectors: Vec<Word>,
    memory: Word,
    masks: Vec<u64>,
    flags: u64,
    scratch: u64,
}

impl Before {
    fn new(x: &Instruction, scratch: u64, setting: u64) -> Self {
        let mut info = InstructionInfoFactory::new();
        let info = info.info(x);
        let uses = |wanted: &dyn Fn(Register) -> Option<usize>, i: usize| {
            info.used_registers().iter().any(|used| wanted(used.register()) == Some(i))
        };
        let vector = |it: Register| it.is_vector_register().then(|| it.number());
        let general_register = |it: Register| it.is_gpr().then(|| it.full_register().number());
        let fixed = |i: usize, len: usize| {
            from_bytes(&(0..len).map(|j| (37 * i + 11 * j + 5) as u8).collect::<Vec<u8>>())
        };
        let word = |used: bool, i: usize, len: usize| if used { variables(8 * len) } else { fixed(i, len) };
        let mut general: Vec<Word> = (0..16).map(|i| word(uses(&general_register, i), i, 8)).collect();
        let vectors = (0..32).map(|i| word(uses(&vector, i), i, 64)).collect();
        let memory = word(!info.used_memory().is_empty(), 40, 128);
        for pointer in [3, 4] {
            general[pointer] = number(scratch.into(), 64);
        }
        let random =
            |i: u64| (setting + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left((7 * i % 64) as u32);
        let masks = (0..8).map(|i| if setting == 3 { [0, u64::MAX, 1][i as usize % 3] } else { random(i) });
        Self { general, vectors, memory, masks: masks.collect(), flags: random(3) & FLAGS, scratch }
    }

    /// Values of the variables: random, and in every second register extreme, so that two sources differ, or in all, so that they are
    /// equal.
    fn values(&self, seed: u64, extreme: Option<(u8, usize)>) -> Values {
        let mut values = Values::random(seed);
        if let Some((byte, step)) = extreme {
            let words = self.general.iter().step_by(step).chain(self.vectors.iter().step_by(step));
            for word in words.chain([&self.memory]).filter(|word| constant(&word[..64]).is_none()) {
                for (i, bit) in word.iter().enumerate() {
                    values.choose(*bit, byte >> (i % 8) & 1 == 1);
                }
            }
        }
        values
    }

    fn machine<'i>(&self, image: &'i Image, mut given: impl FnMut(&[Bit]) -> Word) -> Machine<'i> {
        let mut machine = Machine::new(image, false);
        machine.general = self.general.iter().map(|word| given(word)).collect();
        machine.vectors = self.vectors.iter().map(|word| given(word)).collect();
        machine.masks = self.masks.iter().map(|mask| number((*mask).into(), 64)).collect();
        let flag = |bit: u32| Some(self.flags >> bit & 1 == 1);
        machine.flags.carry = flag(0);
        machine.flags.parity = flag(2);
        machine.flags.zero = flag(6);
        machine.flags.sign = flag(7);
        machine.flags.overflow = flag(11);
        machine.memory.add(Region {
            name: "scratch".to_owned(),
            start: self.scratch - 64,
            bytes: filled(0, 128),
            rights: Rights::Write,
        });
        machine.memory.put(self.scratch - 64, &given(&self.memory));
        machine
    }
}

/// Runs the instruction on the CPU and compares all that it leaves.
fn check(
    machine: &Machine<'_>,
    before: &Before,
    values: &mut Values,
    x: &Instruction,
    code: &Code,
    index: usize,
    scratch: &mut Scratch,
) -> Result<(), String> {
    let mut state = State::new();
    for (to, from) in state.general.iter_mut().zip(&before.general) {
        *to = values.word(from) as u64;
    }
    for (i, vector) in before.vectors.iter().enumerate() {
        state.set_vector(i, &values.bytes(vector));
    }
    before.masks.iter().enumerate().for_each(|(i, mask)| state.set_mask(i, *mask));
    state.flags = before.flags | 2;
    scratch.set(&values.bytes(&before.memory).try_into().unwrap_or([0; 128]));
    code.run(index, &mut state);

    for (i, bits) in machine.general.iter().enumerate() {
        let ours = values.word(bits) as u64;
        if ours != state.general[i] {
            return Err(format!("register {i} is {ours:#x}, and {:#x} on the CPU", state.general[i]));
        }
    }
    for (i, bits) in machine.vectors.iter().enumerate() {
        let (ours, theirs) = (values.bytes(bits), state.vector(i));
        if ours[..theirs.len()] != theirs {
            return Err(format!("vector {i} is {ours:02x?}, and {theirs:02x?} on the CPU"));
        }
    }
    for (i, mask) in machine.masks.iter().enumerate() {
        let written = x.op_count() > 0 && x.op_kind(0) == OpKind::Register && x.op_register(0).is_k();
        if written && here(CpuidFeature::AVX512F) && values.word(mask) as u64 != state.mask(i) {
            return Err(format!("mask {i} is {:#x}, and {:#x} on the CPU", values.word(mask), state.mask(i)));
        }
    }
    let flags = &machine.flags;
    let known = [(0, flags.carry), (2, flags.parity), (6, flags.zero), (7, flags.sign), (11, flags.overflow)];
    for (bit, ours) in known {
        if ours.is_some_and(|ours| ours != (state.flags >> bit & 1 == 1)) {
            return Err(format!("bit {bit} of the flags is {ours:?}, and not so on the CPU"));
        }
    }
    let ours = values.bytes(&machine.memory.look(before.scratch - 64, 128));
    if ours != scratch.get() {
        return Err("memory is another than on the CPU".to_owned());
    }
    Ok(())
}
