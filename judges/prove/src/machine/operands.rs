//! The operands of instructions: registers, memory, immediates, and the masks of AVX-512.

use iced_x86::{EncodingKind, Instruction, Mnemonic, OpKind, Register};

use std::hash::Hasher as _;

use super::{Failure, Machine, Result};
use crate::forms::{Bit, ONE, Word, ZERO, constant, number, with_names};

/// Returns how many bits each bit of a mask is for.
fn masked_bits(x: &Instruction) -> usize {
    let name = format!("{:?}", x.mnemonic()).to_lowercase();
    let shuffles = [("32x2", 32), ("32x4", 32), ("32x8", 32), ("64x2", 64), ("64x4", 64)];
    if let Some((_, bits)) = shuffles.iter().find(|(end, _)| name.ends_with(end)) {
        return *bits;
    }
    let ends = [
        ("dqu8", 8),
        ("dqu16", 16),
        ("32", 32),
        ("64", 64),
        ("alignr", 8),
        ("lqdq", 64),
        ("hqdq", 64),
        ("ldq", 32),
        ("hdq", 32),
        ("lbw", 8),
        ("hbw", 8),
        ("lwd", 16),
        ("hwd", 16),
        ("ps", 32),
        ("pd", 64),
        ("b", 8),
        ("w", 16),
        ("d", 32),
        ("q", 64),
    ];
    ends.iter().find(|(end, _)| name.ends_with(end)).map_or(8, |(_, bits)| *bits)
}

/// True if the CPU wants the address of the operand in memory to be a multiple of its size.
fn wants_alignment(x: &Instruction) -> bool {
    use Mnemonic as M;
    match x.mnemonic() {
        M::Movdqa | M::Movaps | M::Movapd | M::Movntdq => true,
        M::Vmovdqa | M::Vmovaps | M::Vmovapd | M::Vmovdqa32 | M::Vmovdqa64 | M::Vmovntdq => true,
        M::Movdqu | M::Movups | M::Movupd | M::Lddqu => false,
        // All others with the old encoding and a whole vector in memory.
        _ => {
            let vector = |i| x.op_kind(i) == OpKind::Register && x.op_register(i).is_vector_register();
            x.code().encoding() == EncodingKind::Legacy
                && x.memory_size().size() == 16
                && (0..x.op_count()).any(vector)
        }
    }
}

impl Machine<'_> {
    /// The bits of an operand.
    pub(super) fn width(x: &Instruction, operand: u32) -> usize {
        match x.op_kind(operand) {
            OpKind::Register => 8 * x.op_register(operand).size(),
            _ => 8 * x.memory_size().size(),
        }
    }

    pub(super) fn register(&self, register: Register) -> Result<Word> {
        if register.is_gpr() {
            let high = matches!(register, Register::AH | Register::BH | Register::CH | Register::DH);
            let from = if high { 8 } else { 0 };
            let all = &self.general[register.full_register().number()];
            return Ok(all[from..from + 8 * register.size()].to_vec());
        }
        if register.is_vector_register() {
            return Ok(self.vectors[register.number()][..8 * register.size()].to_vec());
        }
        if register.is_k() {
            return Ok(self.masks[register.number()].clone());
        }
        Err(Failure::new(format!("the register {register:?}")))
    }

    /// The low bits of a mask, as many as there are elements.
    pub(super) fn mask(&self, register: Register, elements: usize) -> Result<u64> {
        let bits = &self.masks[register.number()][..elements];
        constant(bits).map(|it| it as u64).ok_or_else(|| Failure::new("a mask depends on data"))
    }

    pub(super) fn set_register(&mut self, register: Register, bits: &[Bit]) -> Result<()> {
        if register.is_gpr() {
            let high = matches!(register, Register::AH | Register::BH | Register::CH | Register::DH);
            let from = if high { 8 } else { 0 };
            let all = &mut self.general[register.full_register().number()];
            all[from..from + bits.len()].copy_from_slice(bits);
            with_names(&mut all[from..from + bits.len()]);
            if bits.len() == 32 {
                all[32..].fill(ZERO);
            }
            return Ok(());
        }
        if register.is_k() {
            let mut bits = bits.to_vec();
            bits.resize(64, ZERO);
            self.masks[register.number()] = bits;
            return Ok(());
        }
        Err(Failure::new(format!("the register {register:?}")))
    }

    /// The address of the operand in memory.
    pub(super) fn address(&self, x: &Instruction) -> Result<u64> {
        let segment = match x.segment_prefix() {
            Register::FS | Register::GS => return Err(Failure::new("memory of the thread")),
            _ => 0,
        };
        if x.is_ip_rel_memory_operand() {
            return Ok(x.ip_rel_memory_address());
        }
        let part = |register: Register| match register {
            Register::None => Ok(0),
            register if register.is_vector_register() => Err(Failure::new("a gather or a scatter")),
            register => {
                let bits = self.register(register)?;
                constant(&bits).map(|it| it as u64).ok_or_else(|| Failure::new("an address depends on data"))
            }
        };
        let index = part(x.memory_index())?.wrapping_mul(x.memory_index_scale().into());
        Ok(part(x.memory_base())?.wrapping_add(index).wrapping_add(x.memory_displacement64()) + segment)
    }

    /// The address of the operand in memory for a load or a store, which has to be aligned if the instruction wants that.
    fn place(&self, x: &Instruction) -> Result<u64> {
        let address = self.address(x)?;
        let size = x.memory_size().size() as u64;
        if wants_alignment(x) && !address.is_multiple_of(size) {
            return Err(Failure::new(format!(
                "accesses {address:#x} by {:?}, which wants a multiple of {size}",
                x.mnemonic()
            )));
        }
        Ok(address)
    }

    /// Loads, and takes note of constants of the library.
    fn load(&mut self, address: u64, len: usize) -> Result<Word> {
        let bits = self.fetch(address, len)?;
        if self.of_the_library(address) {
            self.constants.insert((address, len));
        }
        Ok(bits)
    }

    fn of_the_library(&self, address: u64) -> bool {
        self.image.regions.iter().any(|it| (it.start..it.start + it.bytes.len() as u64).contains(&address))
    }

    /// Loads, and puts what is of the library into the trace of the run.
    pub(super) fn fetch(&mut self, address: u64, len: usize) -> Result<Word> {
        let bits = self.memory.read(address, len)?;
        if self.of_the_library(address) {
            bits.chunks(64).for_each(|part| self.trace.write_u128(constant(part).unwrap_or(u128::MAX)));
        }
        Ok(bits)
    }

    /// The bits of an operand. Of memory under a mask only the elements that the mask has are read.
    pub(super) fn read(&mut self, x: &Instruction, operand: u32) -> Result<Word> {
        match x.op_kind(operand) {
            OpKind::Register => self.register(x.op_register(operand)),
            OpKind::Memory => {
                let address = self.place(x)?;
                let len = x.memory_size().size();
                if x.is_broadcast() {
                    let bits = self.load(address, len)?;
                    let full = 8 * x.op_register(0).size();
                    return Ok(bits.repeat(full / bits.len()));
                }
                if x.op_mask() == Register::None || operand == 0 {
                    return self.load(address, len);
                }
                let element = masked_bits(x) / 8;
                let mask = self.mask(x.op_mask(), len / element)?;
                let mut out = Vec::with_capacity(8 * len);
                for i in 0..len / element {
                    if mask >> i & 1 == 1 {
                        out.extend(self.load(address + (i * element) as u64, element)?);
                    } else {
                        out.extend(vec![ZERO; 8 * element]);
                    }
                }
                Ok(out)
            }
            _ => {
                let width = Self::width(x, 0).min(64);
                Ok(number(x.immediate(operand).into(), width))
            }
        }
    }

    /// An operand that has to be a number.
    pub(super) fn number_of(&mut self, x: &Instruction, operand: u32, otherwise: &str) -> Result<u64> {
        let bits = self.read(x, operand)?;
        constant(&bits).map(|it| it as u64).ok_or_else(|| Failure::new(otherwise))
    }

    /// Writes the first operand. A mask leaves elements as they are, or clears them.
    pub(super) fn write(&mut self, x: &Instruction, bits: &[Bit]) -> Result<()> {
        if bits.iter().any(|bit| *bit != ZERO && *bit != ONE) {
            self.on_data.push(x.ip());
        }
        let masked = x.op_mask() != Register::None;
        if x.op_kind(0) == OpKind::Memory {
            let address = self.place(x)?;
            let bits = &bits[..8 * x.memory_size().size()];
            if !masked {
                return self.memory.write(address, bits);
            }
            let element = masked_bits(x);
            let mask = self.mask(x.op_mask(), bits.len() / element)?;
            for (i, part) in bits.chunks(element).enumerate().filter(|(i, _)| mask >> i & 1 == 1) {
                self.memory.write(address + (i * element / 8) as u64, part)?;
            }
            return Ok(());
        }
        let register = x.op_register(0);
        if !register.is_vector_register() {
            return self.set_register(register, bits);
        }
        let mut bits = bits.to_vec();
        let legacy = x.code().encoding() == EncodingKind::Legacy;
        let old = &self.vectors[register.number()];
        if masked {
            let element = masked_bits(x);
            let mask = self.mask(x.op_mask(), bits.len() / element)?;
            for (i, part) in bits.chunks_mut(element).enumerate().filter(|(i, _)| mask >> i & 1 == 0) {
                if x.zeroing_masking() {
                    part.fill(ZERO);
                } else {
                    part.copy_from_slice(&old[i * element..][..part.len()]);
                }
            }
        }
        with_names(&mut bits);
        let vector = &mut self.vectors[register.number()];
        vector[..bits.len()].copy_from_slice(&bits);
        if !legacy {
            vector[bits.len()..].fill(ZERO);
        }
        Ok(())
    }

    /// The two sources of an operation on vectors: the last operands that are no immediate.
    pub(super) fn two(&mut self, x: &Instruction) -> Result<(Word, Word)> {
        let last = Self::last_source(x);
        let first = if last >= 2 { last - 1 } else { 0 };
        Ok((self.read(x, first)?, self.read(x, last)?))
    }

    /// The last operand that is no immediate.
    pub(super) fn last_source(x: &Instruction) -> u32 {
        let last = x.op_count() - 1;
        if matches!(x.op_kind(last), OpKind::Immediate8) { last - 1 } else { last }
    }

    /// Writes a function of the elements of two sources.
    pub(super) fn by_two(
        &mut self,
        x: &Instruction,
        element: usize,
        f: impl Fn(&[Bit], &[Bit]) -> Word,
    ) -> Result<bool> {
        let (a, b) = self.two(x)?;
        let out: Word = a.chunks(element).zip(b.chunks(element)).flat_map(|(a, b)| f(a, b)).collect();
        self.write(x, &out)?;
        Ok(true)
    }

    /// Writes a function of the elements of the last source.
    pub(super) fn by_one(
        &mut self,
        x: &Instruction,
        element: usize,
        f: impl Fn(&[Bit]) -> Word,
    ) -> Result<bool> {
        let a = self.read(x, Self::last_source(x))?;
        let out: Word = a.chunks(element).flat_map(f).collect();
        self.write(x, &out)?;
        Ok(true)
    }
}

/// True for the forms whose two sources are one register, by which code makes zeros or ones.
pub(super) fn with_itself(x: &Instruction) -> bool {
    let last = x.op_count() - 1;
    let other = if last >= 2 { last - 1 } else { 0 };
    x.op_kind(last) == OpKind::Register
        && x.op_kind(other) == OpKind::Register
        && x.op_register(last) == x.op_register(other)
        && !matches!(x.mnemonic(), Mnemonic::Mov)
}
