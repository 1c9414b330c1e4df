//! Products, counts and fields of bits, most of which have to be of numbers; and the CPU that this machine says it is.

use iced_x86::{Instruction, Mnemonic, Register};

use super::{Failure, Flags, Machine, Result};
use crate::bits::shift_left;
use crate::forms::{Bit, Word, ZERO, add, constant, number};

impl Machine<'_> {
    pub(super) fn multiply(&mut self, x: &Instruction) -> Result<()> {
        let m = x.mnemonic();
        self.pending = None;
        if m == Mnemonic::Div {
            return self.divide(x);
        }
        let flags = std::mem::take(&mut self.flags);
        if m == Mnemonic::Mulx {
            self.flags = flags;
            let (a, b) = (self.general[2][..Self::width(x, 0)].to_vec(), self.read(x, 2)?);
            let width = a.len();
            let product = self.wide(&a, &b)?;
            self.set_register(x.op_register(1), &product[..width])?;
            return self.set_register(x.op_register(0), &product[width..]);
        }
        if x.op_count() == 1 {
            if m == Mnemonic::Imul {
                return Err(Failure::new("a signed product of two registers"));
            }
            let b = self.read(x, 0)?;
            let width = b.len();
            if width < 32 {
                return Err(Failure::new("a product of narrow registers"));
            }
            let a = self.general[0][..width].to_vec();
            let product = self.wide(&a, &b)?;
            let (low, high) =
                if width == 64 { (Register::RAX, Register::RDX) } else { (Register::EAX, Register::EDX) };
            let over = constant(&product[width..]).map(|high| high != 0);
            self.flags = Flags { carry: over, overflow: over, ..Flags::default() };
            self.set_register(low, &product[..width])?;
            return self.set_register(high, &product[width..]);
        }
        let (a, b) = if x.op_count() == 3 { (self.read(x, 1)?, self.read(x, 2)?) } else { self.two(x)? };
        let product = product(&a, &b).ok_or_else(|| Failure::new("a product of data"))?;
        self.write(x, &product)
    }

    /// All bits of a product without signs.
    fn wide(&self, a: &[Bit], b: &[Bit]) -> Result<Word> {
        let long = |x: &[Bit]| [x, &vec![ZERO; x.len()]].concat();
        product(&long(a), &long(b)).ok_or_else(|| Failure::new("a product of data"))
    }

    fn divide(&mut self, x: &Instruction) -> Result<()> {
        let divisor = self.number_of(x, 0, "a quotient of data")?;
        let width = Self::width(x, 0);
        let (low, high) = match width {
            16 => (Register::AX, Register::DX),
            32 => (Register::EAX, Register::EDX),
            64 => (Register::RAX, Register::RDX),
            _ => return Err(Failure::new("a quotient of a byte")),
        };
        let dividend = constant(&[&self.general[0][..width], &self.general[2][..width]].concat());
        let dividend = dividend.ok_or_else(|| Failure::new("a quotient of data"))?;
        let quotient = dividend.checked_div(divisor.into()).filter(|quotient| quotient >> width == 0);
        let quotient = quotient.ok_or_else(|| Failure::new("a quotient that does not fit"))?;
        self.flags = Flags::default();
        self.set_register(low, &number(quotient, width))?;
        self.set_register(high, &number(dividend % u128::from(divisor), width))
    }

    pub(super) fn count(&mut self, x: &Instruction) -> Result<()> {
        let width = Self::width(x, 0) as u64;
        let a = self.number_of(x, 1, "a count of data")?;
        let zero = a == 0;
        let leading = width - 1 - u64::from(a.checked_ilog2().unwrap_or(0));
        self.pending = None;
        self.flags = Flags::default();
        let result = match x.mnemonic() {
            Mnemonic::Popcnt => {
                let clear = Some(false);
                let zero = Some(zero);
                self.flags = Flags { carry: clear, parity: clear, sign: clear, overflow: clear, zero };
                a.count_ones().into()
            }
            Mnemonic::Tzcnt if zero => width,
            Mnemonic::Lzcnt if zero => width,
            Mnemonic::Bsf | Mnemonic::Bsr if zero => return Err(Failure::new("the place of no bit")),
            Mnemonic::Tzcnt | Mnemonic::Bsf => a.trailing_zeros().into(),
            Mnemonic::Lzcnt => leading,
            _ => width - 1 - leading,
        };
        match x.mnemonic() {
            Mnemonic::Tzcnt | Mnemonic::Lzcnt => {
                self.flags.carry = Some(zero);
                self.flags.zero = Some(result == 0);
            }
            Mnemonic::Bsf | Mnemonic::Bsr => self.flags.zero = Some(zero),
            _ => {}
        }
        self.write(x, &number(result.into(), width as usize))
    }

    pub(super) fn fields(&mut self, x: &Instruction) -> Result<()> {
        let m = x.mnemonic();
        let width = Self::width(x, 0);
        let a = self.number_of(x, 1, "a field of data")?;
        let b = if x.op_count() == 3 { self.number_of(x, 2, "a field of data")? } else { 0 };
        let ones = |n: u64| if n >= 64 { u64::MAX } else { (1 << n) - 1 };
        let result = match m {
            Mnemonic::Bzhi => a & ones(b & 0xff),
            Mnemonic::Blsr => a & a.wrapping_sub(1),
            Mnemonic::Blsi => a & a.wrapping_neg(),
            Mnemonic::Blsmsk => a ^ a.wrapping_sub(1),
            Mnemonic::Bextr => {
                let moved = if b & 0xff < 64 { a >> (b & 0xff) } else { 0 };
                moved & ones(b >> 8 & 0xff)
            }
            Mnemonic::Pext => chosen(b).enumerate().map(|(to, from)| (a >> from & 1) << to).sum(),
            _ => chosen(b).enumerate().map(|(from, to)| (a >> from & 1) << to).sum(),
        };
        if !matches!(m, Mnemonic::Pext | Mnemonic::Pdep) {
            self.pending = None;
            self.flags = Flags { zero: Some(result == 0), ..Flags::default() };
        }
        self.write(x, &number(result.into(), width))
    }

    /// This machine is a CPU with every instruction set for which the library has kernels, whatever CPU it runs on.
    pub(super) fn cpuid(&mut self) -> Result<()> {
        let [leaf, part] = [Register::RAX, Register::RCX].map(|it| self.pointer(it).map(|it| it as u32));
        let set = |bits: &[u32]| bits.iter().fold(0_u32, |all, bit| all | 1 << bit);
        let (leaf, part) = (leaf?, part?);
        let values = match (leaf, part) {
            // "GenuineIntel" names a maker without which some programs ask for less.
            (0, _) => {
                [7, u32::from_le_bytes(*b"Genu"), u32::from_le_bytes(*b"ntel"), u32::from_le_bytes(*b"ineI")]
            }
            // SSE3 to SSE4.2, the product without carries, AES, XSAVE, AVX and others; SSE2 in the last.
            (1, _) => {
                let features = set(&[0, 1, 9, 12, 13, 19, 20, 22, 23, 25, 26, 27, 28, 29]);
                [0, 0, features, set(&[0, 4, 8, 15, 23, 24, 25, 26])]
            }
            // BMI, AVX2, AVX-512; VBMI, GFNI, VAES and products of vectors.
            (7, 0) => [0, set(&[3, 5, 8, 16, 17, 19, 21, 28, 30, 31]), set(&[1, 6, 8, 9, 10, 12, 14]), 0],
            (0x8000_0000, _) => [0x8000_0001, 0, 0, 0],
            (0x8000_0001, _) => [0, 0, set(&[0, 5]), 0],
            _ => [0; 4],
        };
        for (register, value) in
            [Register::EAX, Register::EBX, Register::ECX, Register::EDX].into_iter().zip(values)
        {
            self.set_register(register, &number(value.into(), 32))?;
        }
        Ok(())
    }
}

/// The places of the bits of a mask.
fn chosen(mask: u64) -> impl Iterator<Item = u32> {
    (0..64).filter(move |i| mask >> i & 1 == 1)
}

/// The low half of a product, if one factor is a number with few bits, or both are numbers.
pub(super) fn product(a: &[Bit], b: &[Bit]) -> Option<Word> {
    let width = a.len();
    let (a, b) = if constant(a).is_some() { (b, a) } else { (a, b) };
    let factor = constant(b)?;
    if let Some(a) = constant(a) {
        return Some(number(a.wrapping_mul(factor), width));
    }
    let places = (0..width).filter(|i| factor >> i & 1 == 1);
    Some(places.fold(number(0, width), |sum, place| add(&sum, &shift_left(a, place))))
}
