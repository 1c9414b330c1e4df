//! Instructions that move registers and memory, and parts of them.

use iced_x86::{Instruction, Mnemonic, OpKind, Register};

use super::integer::sign_extended;
use super::{Machine, Result};
use crate::forms::{Word, ZERO, constant, number};

impl Machine<'_> {
    /// Does an instruction that moves bits, and returns true if it is one.
    pub(super) fn moves(&mut self, x: &Instruction) -> Result<bool> {
        use Mnemonic as M;
        let m = x.mnemonic();
        match m {
            M::Mov | M::Movdqu | M::Movdqa | M::Movups | M::Movaps | M::Movapd | M::Movupd | M::Lddqu => {
                let bits = self.read(x, 1)?;
                self.write(x, &bits)?;
            }
            M::Vmovdqu
            | M::Vmovdqa
            | M::Vmovups
            | M::Vmovaps
            | M::Vmovapd
            | M::Vmovupd
            | M::Vlddqu
            | M::Vmovdqu8
            | M::Vmovdqu16
            | M::Vmovdqu32
            | M::Vmovdqu64
            | M::Vmovdqa32
            | M::Vmovdqa64
            | M::Vmovntdq
            | M::Movntdq => {
                let bits = self.read(x, 1)?;
                self.write(x, &bits)?;
            }
            M::Movzx => {
                let mut bits = self.read(x, 1)?;
                bits.resize(Self::width(x, 0), ZERO);
                self.write(x, &bits)?;
            }
            M::Movsx | M::Movsxd => {
                let bits = self.read(x, 1)?;
                self.write(x, &sign_extended(&bits, Self::width(x, 0)))?;
            }
            M::Movd | M::Movq | M::Vmovd | M::Vmovq => {
                let mut bits = self.read(x, 1)?;
                bits.truncate(if matches!(m, M::Movd | M::Vmovd) && Self::narrow(x) { 32 } else { 64 });
                bits.resize(Self::width(x, 0), ZERO);
                self.write(x, &bits)?;
            }
            M::Movss | M::Movsd | M::Vmovss | M::Vmovsd => {
                let width = if matches!(m, M::Movss | M::Vmovss) { 32 } else { 64 };
                if x.op_count() == 3 {
                    let (a, b) = self.two(x)?;
                    self.write(x, &[&b[..width], &a[width..]].concat())?;
                } else {
                    let mut bits = self.read(x, 1)?;
                    bits.truncate(width);
                    if x.op_kind(0) == OpKind::Register {
                        let kept = x.op_kind(1) == OpKind::Register;
                        let old = self.read(x, 0)?;
                        let rest = if kept { old[width..].to_vec() } else { vec![ZERO; 128 - width] };
                        bits.extend(rest);
                    }
                    self.write(x, &bits)?;
                }
            }
            M::Movlps
            | M::Movlpd
            | M::Movhps
            | M::Movhpd
            | M::Movlhps
            | M::Movhlps
            | M::Vmovlps
            | M::Vmovlpd
            | M::Vmovhps
            | M::Vmovhpd
            | M::Vmovlhps
            | M::Vmovhlps => self.halves(x)?,
            M::Pextrb
            | M::Pextrw
            | M::Pextrd
            | M::Pextrq
            | M::Vpextrb
            | M::Vpextrw
            | M::Vpextrd
            | M::Vpextrq
            | M::Extractps
            | M::Vextractps => {
                let element = match m {
                    M::Pextrb | M::Vpextrb => 8,
                    M::Pextrw | M::Vpextrw => 16,
                    M::Pextrq | M::Vpextrq => 64,
                    _ => 32,
                };
                let a = self.read(x, 1)?;
                let at = element * (usize::from(x.immediate8()) % (128 / element));
                let mut bits = a[at..at + element].to_vec();
                if x.op_kind(0) == OpKind::Register {
                    bits.resize(Self::width(x, 0), ZERO);
                }
                self.write(x, &bits)?;
            }
            M::Pinsrb
            | M::Pinsrw
            | M::Pinsrd
            | M::Pinsrq
            | M::Vpinsrb
            | M::Vpinsrw
            | M::Vpinsrd
            | M::Vpinsrq => {
                let element = match m {
                    M::Pinsrb | M::Vpinsrb => 8,
                    M::Pinsrw | M::Vpinsrw => 16,
                    M::Pinsrq | M::Vpinsrq => 64,
                    _ => 32,
                };
                let (mut a, b) = self.two(x)?;
                let at = element * (usize::from(x.immediate8()) % (128 / element));
                a[at..at + element].copy_from_slice(&b[..element]);
                self.write(x, &a)?;
            }
            M::Insertps | M::Vinsertps => {
                let chosen = usize::from(x.immediate8());
                let (mut a, b) = self.two(x)?;
                let from = if b.len() == 32 { 0 } else { 32 * (chosen >> 6) };
                let to = 32 * (chosen >> 4 & 3);
                a[to..to + 32].copy_from_slice(&b[from..from + 32]);
                for i in (0..4).filter(|i| chosen >> i & 1 == 1) {
                    a[32 * i..32 * i + 32].fill(ZERO);
                }
                self.write(x, &a)?;
            }
            M::Pmovmskb | M::Vpmovmskb | M::Movmskps | M::Vmovmskps | M::Movmskpd | M::Vmovmskpd => {
                let element = match m {
                    M::Pmovmskb | M::Vpmovmskb => 8,
                    M::Movmskps | M::Vmovmskps => 32,
                    _ => 64,
                };
                let mut bits: Word = self.read(x, 1)?.chunks(element).map(|part| part[element - 1]).collect();
                bits.resize(Self::width(x, 0), ZERO);
                self.write(x, &bits)?;
            }
            M::Vzeroupper => self.vectors[..16].iter_mut().for_each(|vector| vector[128..].fill(ZERO)),
            M::Vmaskmovps | M::Vmaskmovpd | M::Vpmaskmovd | M::Vpmaskmovq => self.masked_move(x)?,
            _ => return self.mask_registers(x),
        }
        Ok(true)
    }

    /// True if one of the operands has 32 bits: MOVD has the same opcode for 64.
    fn narrow(x: &Instruction) -> bool {
        (0..2).any(|operand| Self::width(x, operand) == 32)
    }

    /// Moves of 64 bits to and from a half of a register.
    fn halves(&mut self, x: &Instruction) -> Result<()> {
        use Mnemonic as M;
        let m = x.mnemonic();
        let high = matches!(m, M::Movhps | M::Movhpd | M::Vmovhps | M::Vmovhpd);
        if x.op_kind(0) == OpKind::Memory {
            let from = if high { 64 } else { 0 };
            let bits = self.read(x, 1)?[from..from + 64].to_vec();
            return self.write(x, &bits);
        }
        let (a, b) = self.two(x)?;
        let out = match m {
            M::Movlhps | M::Vmovlhps => [&a[..64], &b[..64]],
            M::Movhlps | M::Vmovhlps => [&b[64..], &a[64..]],
            _ if high => [&a[..64], &b[..64]],
            _ => [&b[..64], &a[64..]],
        };
        self.write(x, &out.concat())
    }

    /// Moves of the elements whose mask, a number in a vector, has its highest bit.
    fn masked_move(&mut self, x: &Instruction) -> Result<()> {
        let element =
            if matches!(x.mnemonic(), Mnemonic::Vmaskmovps | Mnemonic::Vpmaskmovd) { 32 } else { 64 };
        let mask = self.read(x, 1)?;
        let address = self.address(x)?;
        let mut out = Vec::new();
        let store = x.op_kind(0) == OpKind::Memory;
        let data = if store { self.read(x, 2)? } else { Vec::new() };
        for (i, part) in mask.chunks(element).enumerate() {
            let at = address + (i * element / 8) as u64;
            let chosen = constant(&part[element - 1..]);
            match (chosen, store) {
                (None, _) => return Err(super::Failure::new("a mask depends on data")),
                (Some(1), true) => self.memory.write(at, &data[i * element..][..element])?,
                (Some(1), false) => out.extend(self.fetch(at, element / 8)?),
                _ => out.extend(vec![ZERO; element]),
            }
        }
        if store { Ok(()) } else { self.write(x, &out) }
    }

    /// Instructions on the mask registers of AVX-512.
    fn mask_registers(&mut self, x: &Instruction) -> Result<bool> {
        use Mnemonic as M;
        let m = x.mnemonic();
        let name = format!("{m:?}").to_lowercase();
        if !name.starts_with('k') {
            return Ok(false);
        }
        let width = match name.as_bytes().last() {
            Some(b'b') => 8,
            Some(b'w') => 16,
            Some(b'd') => 32,
            _ => 64,
        };
        let ones = if width == 64 { u64::MAX } else { (1 << width) - 1 };
        if name.starts_with("kmov") {
            let mut bits = self.read(x, 1)?;
            bits.truncate(width);
            let to = if x.op_kind(0) == OpKind::Register && x.op_register(0).is_k() {
                64
            } else {
                Self::width(x, 0)
            };
            bits.resize(to, ZERO);
            self.write(x, &bits)?;
            return Ok(true);
        }
        let source = |machine: &mut Self, operand| -> Result<u64> {
            let bits = machine.read(x, operand)?;
            let mask = constant(&bits[..width.min(bits.len())]);
            mask.map(|mask| mask as u64).ok_or_else(|| super::Failure::new("a mask depends on data"))
        };
        if m == M::Kunpckbw || m == M::Kunpckwd || m == M::Kunpckdq {
            let half = 8 * match m {
                M::Kunpckbw => 1,
                M::Kunpckwd => 2,
                _ => 4,
            };
            let (a, b) = (self.number_of(x, 1, "a mask of data")?, self.number_of(x, 2, "a mask of data")?);
            let low = (1 << half) - 1;
            self.write(x, &number(((a & low) << half | b & low).into(), 64))?;
            return Ok(true);
        }
        let stem = &name[..name.len() - 1];
        let result = match stem {
            "knot" => !source(self, 1)?,
            "kshiftl" => source(self, 1)?.checked_shl(x.immediate8().into()).unwrap_or(0),
            "kshiftr" => source(self, 1)?.checked_shr(x.immediate8().into()).unwrap_or(0),
            "kand" => source(self, 1)? & source(self, 2)?,
            "kandn" => !source(self, 1)? & source(self, 2)?,
            "kor" => source(self, 1)? | source(self, 2)?,
            "kxor" => source(self, 1)? ^ source(self, 2)?,
            "kxnor" => !(source(self, 1)? ^ source(self, 2)?),
            "kadd" => source(self, 1)?.wrapping_add(source(self, 2)?),
            _ => return Ok(false),
        };
        let result = result & ones;
        self.write(x, &number(result.into(), 64))?;
        Ok(true)
    }

    /// The mask register that an instruction writes as a whole.
    pub(super) fn write_mask(&mut self, x: &Instruction, bits: &[crate::forms::Bit]) -> Result<()> {
        let mut all = bits.to_vec();
        if x.op_mask() != Register::None {
            let mask = self.mask(x.op_mask(), all.len())?;
            all.iter_mut().enumerate().filter(|(i, _)| mask >> i & 1 == 0).for_each(|(_, bit)| *bit = ZERO);
        }
        all.resize(64, ZERO);
        self.set_register(x.op_register(0), &all)
    }
}
