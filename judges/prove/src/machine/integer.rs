//! Instructions on general registers.

use iced_x86::{ConditionCode, Instruction, Mnemonic, OpKind, Register};

use super::{Failure, Flags, Machine, Result};
use crate::bits::{rotate_left, rotate_right, shift_left, shift_right, swap_bytes};
use crate::forms::{Bit, ONE, Word, ZERO, add, add_carry, and, constant, negate, not, number, or, sub, xor};

/// A shift count that is known, of a 64-bit operand or of a narrower one.
fn count_of(count: u64, width: usize) -> usize {
    (count & if width == 64 { 63 } else { 31 }) as usize
}

fn low(width: usize) -> u128 {
    (1 << width) - 1
}

fn top(value: u128, width: usize) -> bool {
    value >> (width - 1) & 1 == 1
}

fn each(a: &[Bit], b: &[Bit], f: fn(Bit, Bit) -> Bit) -> Word {
    a.iter().zip(b).map(|(a, b)| f(*a, *b)).collect()
}

impl Machine<'_> {
    /// True if a condition holds.
    pub(super) fn condition(&self, condition: ConditionCode) -> Result<bool> {
        use ConditionCode::{a, ae, b, be, e, g, ge, l, le, ne, no, np, ns, o, p, s};
        let flags = &self.flags;
        let known = |flag: Option<bool>| flag.ok_or_else(|| Failure::new("a condition depends on data"));
        let zero = match flags.zero {
            None if self.assume_not_zero => Some(false),
            zero => zero,
        };
        let less = || Ok(known(flags.sign)? != known(flags.overflow)?);
        Ok(match condition {
            o => known(flags.overflow)?,
            no => !known(flags.overflow)?,
            b => known(flags.carry)?,
            ae => !known(flags.carry)?,
            e => known(zero)?,
            ne => !known(zero)?,
            be => known(flags.carry)? || known(flags.zero)?,
            a => !known(flags.carry)? && !known(flags.zero)?,
            s => known(flags.sign)?,
            ns => !known(flags.sign)?,
            p => known(flags.parity)?,
            np => !known(flags.parity)?,
            l => less()?,
            ge => !less()?,
            le => known(zero)? || less()?,
            g => !known(flags.zero)? && !less()?,
            ConditionCode::None => return Err(Failure::new("no condition")),
        })
    }

    fn set_flags(&mut self, result: u128, width: usize, carry: Option<bool>, overflow: Option<bool>) {
        self.pending = None;
        self.flags = Flags {
            carry,
            parity: Some((result as u8).count_ones().is_multiple_of(2)),
            zero: Some(result == 0),
            sign: Some(top(result, width)),
            overflow,
        };
    }

    /// The flags after a result that may depend on data.
    fn set_flags_of(&mut self, result: &[Bit], carry: Option<bool>, overflow: Option<bool>) {
        match constant(result) {
            Some(value) => self.set_flags(value, result.len(), carry, overflow),
            None => {
                self.pending = None;
                self.flags = Flags { carry, overflow, ..Flags::default() };
            }
        }
    }

    /// The carry, which may depend on data.
    fn carry(&self) -> Result<Bit> {
        match (&self.pending, self.flags.carry) {
            (Some((a, b, minus)), _) => {
                let (a, b) = (a.clone(), b.clone());
                // A borrow is the carry that a + !b + 1 does not give.
                Ok(if *minus {
                    let inverted: Word = b.iter().map(|bit| not(*bit)).collect();
                    not(add_carry(&a, &inverted, ONE).1)
                } else {
                    add_carry(&a, &b, ZERO).1
                })
            }
            (None, Some(carry)) => Ok(if carry { ONE } else { ZERO }),
            (None, None) => Err(Failure::new("a carry depends on data")),
        }
    }

    fn add_or_subtract(&mut self, a: &[Bit], b: &[Bit], minus: bool, with_carry: bool) -> Result<Word> {
        let width = a.len();
        let carry = if with_carry { self.carry()? } else { ZERO };
        if let (Some(x), Some(y), Some(c)) = (constant(a), constant(b), constant(&[carry])) {
            let (result, carry) = if minus {
                (x.wrapping_sub(y).wrapping_sub(c) & low(width), x < y + c)
            } else {
                ((x + y + c) & low(width), x + y + c > low(width))
            };
            let signs = if minus { top(x, width) != top(y, width) } else { top(x, width) == top(y, width) };
            let overflow = signs && top(result, width) != top(x, width);
            self.set_flags(result, width, Some(carry), Some(overflow));
            return Ok(number(result, width));
        }
        self.flags = Flags::default();
        self.pending = None;
        if carry == ZERO {
            self.pending = Some((a.to_vec(), b.to_vec(), minus));
            return Ok(if minus { sub(a, b) } else { add(a, b) });
        }
        if let (ONE, false) = (carry, minus) {
            // A constant, which sums have room for.
            return Ok(add(&add(a, b), &number(1, width)));
        }
        if minus {
            let inverted: Word = b.iter().map(|bit| not(*bit)).collect();
            return Ok(add_carry(a, &inverted, not(carry)).0);
        }
        Ok(add_carry(a, b, carry).0)
    }

    /// Does an instruction on general registers, and returns true if it is one.
    pub(super) fn integer(&mut self, x: &Instruction) -> Result<bool> {
        use Mnemonic as M;
        let m = x.mnemonic();
        match m {
            M::Nop | M::Endbr64 | M::Pause | M::Lfence | M::Prefetcht0 => {}
            M::Add | M::Sub | M::Adc | M::Sbb | M::Cmp => {
                let (a, b) = (self.read(x, 0)?, self.read(x, 1)?);
                let minus = matches!(m, M::Sub | M::Sbb | M::Cmp);
                let carry = matches!(m, M::Adc | M::Sbb);
                let result = self.add_or_subtract(&a, &b, minus, carry)?;
                if m != M::Cmp {
                    self.write(x, &result)?;
                }
            }
            M::And | M::Or | M::Xor | M::Test => {
                let (a, b) = (self.read(x, 0)?, self.read(x, 1)?);
                let f = [and, or, xor][usize::from(m == M::Or) + 2 * usize::from(m == M::Xor)];
                let result = each(&a, &b, f);
                self.set_flags_of(&result, Some(false), Some(false));
                if m != M::Test {
                    self.write(x, &result)?;
                }
            }
            M::Andn => {
                let (a, b) = (self.read(x, 1)?, self.read(x, 2)?);
                let result = each(&a, &b, |a, b| and(not(a), b));
                self.set_flags_of(&result, Some(false), Some(false));
                self.flags.parity = None;
                self.write(x, &result)?;
            }
            M::Inc | M::Dec => {
                let a = self.read(x, 0)?;
                let carry = self.flags.carry;
                let result = self.add_or_subtract(&a, &number(1, a.len()), m == M::Dec, false)?;
                self.pending = None;
                self.flags.carry = carry;
                self.write(x, &result)?;
            }
            M::Neg => {
                let a = self.read(x, 0)?;
                let result = match constant(&a) {
                    Some(_) => self.add_or_subtract(&number(0, a.len()), &a, true, false)?,
                    None => {
                        self.set_flags_of(&a, None, None);
                        negate(&a)
                    }
                };
                self.write(x, &result)?;
            }
            M::Not => {
                let result: Word = self.read(x, 0)?.into_iter().map(not).collect();
                self.write(x, &result)?;
            }
            M::Shl | M::Shr | M::Sar | M::Rol | M::Ror => self.shift(x)?,
            M::Shlx | M::Shrx | M::Sarx | M::Rorx => {
                let a = self.read(x, 1)?;
                let count = count_of(self.number_of(x, 2, "a count depends on data")?, a.len());
                self.write(x, &shifted(m, &a, count))?;
            }
            M::Shld | M::Shrd => {
                let (a, b) = (self.read(x, 0)?, self.read(x, 1)?);
                let count = count_of(self.number_of(x, 2, "a count depends on data")?, a.len());
                let width = a.len();
                let result = if m == M::Shld {
                    shift_left(&[b, a].concat(), count)[width..].to_vec()
                } else {
                    shift_right(&[a, b].concat(), count)[..width].to_vec()
                };
                if count > 0 {
                    self.set_flags_of(&result, None, None);
                }
                self.write(x, &result)?;
            }
            M::Bswap => {
                let a = self.read(x, 0)?;
                self.write(x, &swap_bytes(&a))?;
            }
            M::Movbe => {
                let a = self.read(x, 1)?;
                self.write(x, &swap_bytes(&a))?;
            }
            M::Lea => self.lea(x)?,
            M::Imul | M::Mul | M::Mulx | M::Div => self.multiply(x)?,
            M::Bt | M::Bts | M::Btr | M::Btc => self.bit(x)?,
            M::Bsf | M::Bsr | M::Tzcnt | M::Lzcnt | M::Popcnt => self.count(x)?,
            M::Bzhi | M::Blsr | M::Blsi | M::Blsmsk | M::Pext | M::Pdep | M::Bextr => self.fields(x)?,
            M::Push => {
                let bits = match x.op_kind(0) {
                    OpKind::Register | OpKind::Memory => self.read(x, 0)?,
                    _ => number(x.immediate(0).into(), 64),
                };
                self.push(&bits)?;
            }
            M::Pop => {
                let bits = self.pop(Self::width(x, 0) / 8)?;
                self.write(x, &bits)?;
            }
            M::Xchg => {
                let (a, b) = (self.read(x, 0)?, self.read(x, 1)?);
                self.write(x, &b)?;
                self.set_register(x.op_register(1), &a)?;
            }
            M::Xadd => {
                let (a, b) = (self.read(x, 0)?, self.read(x, 1)?);
                let sum = self.add_or_subtract(&a, &b, false, false)?;
                self.set_register(x.op_register(1), &a)?;
                self.write(x, &sum)?;
            }
            M::Cmpxchg => {
                let (a, b) = (self.read(x, 0)?, self.read(x, 1)?);
                let accumulator = self.general[0][..a.len()].to_vec();
                self.add_or_subtract(&accumulator, &a, true, false)?;
                if self.flags.zero.ok_or_else(|| Failure::new("a comparison of data"))? {
                    self.write(x, &b)?;
                } else {
                    let mut all = self.general[0].clone();
                    all[..a.len()].copy_from_slice(&a);
                    if a.len() == 32 {
                        all[32..].fill(ZERO);
                    }
                    self.general[0] = all;
                }
            }
            M::Cdq | M::Cqo => {
                let width = if m == M::Cdq { 32 } else { 64 };
                let sign = self.general[0][width - 1];
                let bits = vec![sign; width];
                self.set_register(if m == M::Cdq { Register::EDX } else { Register::RDX }, &bits)?;
            }
            M::Cdqe => {
                let bits = sign_extended(&self.general[0][..32], 64);
                self.general[0] = bits;
            }
            M::Cpuid => self.cpuid()?,
            M::Xgetbv => {
                // The system saves all registers, up to those of AVX-512.
                self.set_pointer(Register::RAX, 0xe7);
                self.set_pointer(Register::RDX, 0);
            }
            M::Movsb | M::Movsq | M::Stosb | M::Stosq | M::Stosd => self.strings(x)?,
            _ if x.condition_code() != ConditionCode::None => return self.conditional(x),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// `CMOVcc` and `SETcc`.
    fn conditional(&mut self, x: &Instruction) -> Result<bool> {
        let holds = self.condition(x.condition_code())?;
        if x.op_count() == 2 {
            let bits = self.read(x, u32::from(holds))?;
            self.write(x, &bits)?;
        } else {
            self.write(x, &number(holds.into(), 8))?;
        }
        Ok(true)
    }

    fn shift(&mut self, x: &Instruction) -> Result<()> {
        let a = self.read(x, 0)?;
        let width = a.len();
        let count = match x.op_count() {
            1 => 1,
            _ => count_of(self.number_of(x, 1, "a count depends on data")?, width),
        };
        let m = x.mnemonic();
        let result = shifted(m, &a, count);
        let turns = matches!(m, Mnemonic::Rol | Mnemonic::Ror);
        if count > 0 {
            let out = match m {
                Mnemonic::Shl => width.checked_sub(count).map(|i| a[i]),
                Mnemonic::Shr => a.get(count - 1).copied(),
                Mnemonic::Sar => Some(a[(count - 1).min(width - 1)]),
                Mnemonic::Rol => Some(result[0]),
                _ => Some(result[width - 1]),
            };
            let carry = out.and_then(|bit| constant(&[bit])).map(|bit| bit == 1);
            if turns {
                self.pending = None;
                self.flags.carry = carry;
                self.flags.overflow = None;
            } else {
                self.set_flags_of(&result, carry, None);
            }
        }
        self.write(x, &result)
    }

    fn lea(&mut self, x: &Instruction) -> Result<()> {
        let width = Self::width(x, 0);
        if let Ok(address) = self.address(x) {
            return self.write(x, &number(address.into(), width));
        }
        // Arithmetic on data.
        let part = |register: Register| match register {
            Register::None => Ok(vec![ZERO; 64]),
            register => Ok(sign_extended(&self.register(register)?, 64)),
        };
        let index = shift_left(&part(x.memory_index())?, x.memory_index_scale().trailing_zeros() as usize);
        let base = part(x.memory_base())?;
        let displacement = number(x.memory_displacement64().into(), width);
        let sum = add(&add(&base[..width], &index[..width]), &displacement);
        self.write(x, &sum)
    }

    fn bit(&mut self, x: &Instruction) -> Result<()> {
        let mut a = self.read(x, 0)?;
        if x.op_kind(0) == OpKind::Memory && x.op_kind(1) == OpKind::Register {
            return Err(Failure::new("a bit of a string in memory"));
        }
        let place = self.number_of(x, 1, "the place of a bit depends on data")? as usize % a.len();
        self.pending = None;
        self.flags = Flags { zero: self.flags.zero, ..Flags::default() };
        self.flags.carry = constant(&[a[place]]).map(|bit| bit == 1);
        a[place] = match x.mnemonic() {
            Mnemonic::Bts => ONE,
            Mnemonic::Btr => ZERO,
            Mnemonic::Btc => not(a[place]),
            _ => return Ok(()),
        };
        self.write(x, &a)
    }

    fn strings(&mut self, x: &Instruction) -> Result<()> {
        let size = match x.mnemonic() {
            Mnemonic::Movsb | Mnemonic::Stosb => 1,
            Mnemonic::Stosd => 4,
            _ => 8,
        };
        let times = if x.has_rep_prefix() { self.pointer(Register::RCX)? } else { 1 };
        let moves = matches!(x.mnemonic(), Mnemonic::Movsb | Mnemonic::Movsq);
        for _ in 0..times {
            let to = self.pointer(Register::RDI)?;
            let bits = if moves {
                let from = self.pointer(Register::RSI)?;
                self.set_pointer(Register::RSI, from + size);
                self.fetch(from, size as usize)?
            } else {
                self.general[0][..8 * size as usize].to_vec()
            };
            self.memory.write(to, &bits)?;
            self.set_pointer(Register::RDI, to + size);
        }
        if x.has_rep_prefix() {
            self.set_pointer(Register::RCX, 0);
        }
        Ok(())
    }
}

/// A word with its highest bit in as many more.
pub(super) fn sign_extended(bits: &[Bit], width: usize) -> Word {
    (0..width).map(|i| bits[i.min(bits.len() - 1)]).collect()
}

fn shifted(m: Mnemonic, a: &[Bit], count: usize) -> Word {
    match m {
        Mnemonic::Shl | Mnemonic::Shlx => shift_left(a, count),
        Mnemonic::Shr | Mnemonic::Shrx => shift_right(a, count),
        Mnemonic::Rol => rotate_left(a, count),
        Mnemonic::Ror | Mnemonic::Rorx => rotate_right(a, count),
        _ => (0..a.len()).map(|i| a[(i + count).min(a.len() - 1)]).collect(),
    }
}
