//! Logic, arithmetic and shifts of the elements of vectors.

use iced_x86::{Instruction, Mnemonic, OpKind};

use super::counts::product;
use super::integer::sign_extended;
use super::operands::with_itself;
use super::{Failure, Machine, Result};
use crate::bits::{of_three, rotate_left, rotate_right, shift_left, shift_right};
use crate::forms::{Bit, ONE, Word, ZERO, add, and, constant, not, or, sub, xor};

/// The bits of the elements that the last letter of a mnemonic names.
fn element(m: Mnemonic) -> usize {
    match format!("{m:?}").as_bytes().last() {
        Some(b'b') => 8,
        Some(b'w') => 16,
        Some(b'd') => 32,
        _ => 64,
    }
}

impl Machine<'_> {
    /// Does an instruction of logic or arithmetic, and returns true if it is one.
    pub(super) fn vector(&mut self, x: &Instruction) -> Result<bool> {
        use Mnemonic as M;
        let m = x.mnemonic();
        match m {
            M::Pxor | M::Xorps | M::Xorpd | M::Vpxor | M::Vpxord | M::Vpxorq | M::Vxorps | M::Vxorpd => {
                self.by_two(x, 1, |a, b| vec![xor(a[0], b[0])])
            }
            M::Pand | M::Andps | M::Andpd | M::Vpand | M::Vpandd | M::Vpandq | M::Vandps | M::Vandpd => {
                self.by_two(x, 1, |a, b| vec![and(a[0], b[0])])
            }
            M::Por | M::Orps | M::Orpd | M::Vpor | M::Vpord | M::Vporq | M::Vorps | M::Vorpd => {
                self.by_two(x, 1, |a, b| vec![or(a[0], b[0])])
            }
            M::Pandn
            | M::Andnps
            | M::Andnpd
            | M::Vpandn
            | M::Vpandnd
            | M::Vpandnq
            | M::Vandnps
            | M::Vandnpd => self.by_two(x, 1, |a, b| vec![and(not(a[0]), b[0])]),
            M::Vpternlogd | M::Vpternlogq => {
                let [a, b, c] = [self.read(x, 0)?, self.read(x, 1)?, self.read(x, 2)?];
                let values = x.immediate8();
                let out: Word = (0..a.len()).map(|i| of_three(values, a[i], b[i], c[i])).collect();
                self.write(x, &out)?;
                Ok(true)
            }
            M::Paddb | M::Paddw | M::Paddd | M::Paddq | M::Vpaddb | M::Vpaddw | M::Vpaddd | M::Vpaddq => {
                self.by_two(x, element(m), add)
            }
            M::Psubb | M::Psubw | M::Psubd | M::Psubq | M::Vpsubb | M::Vpsubw | M::Vpsubd | M::Vpsubq => {
                self.by_two(x, element(m), sub)
            }
            M::Psllw
            | M::Pslld
            | M::Psllq
            | M::Psrlw
            | M::Psrld
            | M::Psrlq
            | M::Psraw
            | M::Psrad
            | M::Vpsllw
            | M::Vpslld
            | M::Vpsllq
            | M::Vpsrlw
            | M::Vpsrld
            | M::Vpsrlq
            | M::Vpsraw
            | M::Vpsrad
            | M::Vpsraq
            | M::Vprold
            | M::Vprolq
            | M::Vprord
            | M::Vprorq => self.shift_elements(x),
            M::Vpsllvw
            | M::Vpsllvd
            | M::Vpsllvq
            | M::Vpsrlvw
            | M::Vpsrlvd
            | M::Vpsrlvq
            | M::Vprolvd
            | M::Vprolvq
            | M::Vprorvd
            | M::Vprorvq
            | M::Vpsravd
            | M::Vpsravq
            | M::Vpsravw => self.shift_each(x),
            M::Pslldq | M::Vpslldq => {
                let by = 8 * usize::from(x.immediate8()).min(16);
                self.by_one(x, 128, |a| shift_left(a, by))
            }
            M::Psrldq | M::Vpsrldq => {
                let by = 8 * usize::from(x.immediate8()).min(16);
                self.by_one(x, 128, |a| shift_right(a, by))
            }
            M::Vpshldd | M::Vpshldq | M::Vpshrdd | M::Vpshrdq => {
                let width = element(m);
                let by = usize::from(x.immediate8()) % width;
                let left = matches!(m, M::Vpshldd | M::Vpshldq);
                self.by_two(x, width, |a, b| {
                    if left {
                        shift_left(&[b, a].concat(), by)[width..].to_vec()
                    } else {
                        shift_right(&[a, b].concat(), by)[..width].to_vec()
                    }
                })
            }
            M::Pmaddwd | M::Vpmaddwd => self.by_two_tried(x, 32, |a, b| {
                let wide = |x: &[Bit]| sign_extended(x, 32);
                let low = product(&wide(&a[..16]), &wide(&b[..16]))?;
                Some(add(&low, &product(&wide(&a[16..]), &wide(&b[16..]))?))
            }),
            M::Pmuludq | M::Vpmuludq => self.by_two_tried(x, 64, |a, b| {
                let factor = |x: &[Bit]| Some(constant(&x[..32])? as u64);
                Some(crate::forms::number((factor(a)? * factor(b)?).into(), 64))
            }),
            M::Pcmpeqb
            | M::Pcmpeqw
            | M::Pcmpeqd
            | M::Pcmpeqq
            | M::Vpcmpeqb
            | M::Vpcmpeqw
            | M::Vpcmpeqd
            | M::Vpcmpeqq => self.compare_equal(x),
            M::Pcmpgtb
            | M::Pcmpgtw
            | M::Pcmpgtd
            | M::Pcmpgtq
            | M::Vpcmpgtb
            | M::Vpcmpgtw
            | M::Vpcmpgtd
            | M::Vpcmpgtq => {
                let width = element(m);
                let greater = |a: &[Bit], b: &[Bit]| {
                    // Data is compared with zero alone: zero is greater than a negative number.
                    if constant(a) == Some(0) && constant(b).is_none() {
                        return Some(vec![b[width - 1]; width]);
                    }
                    let signed = |x: &[Bit]| {
                        let low = 128 - width as u32;
                        constant(x).map(|value| (value << low) as i128 >> low)
                    };
                    let holds = signed(a)? > signed(b)?;
                    Some(vec![if holds { ONE } else { ZERO }; width])
                };
                self.by_two_tried(x, width, greater)
            }
            M::Vptestmb
            | M::Vptestmw
            | M::Vptestmd
            | M::Vptestmq
            | M::Vptestnmb
            | M::Vptestnmd
            | M::Vptestnmq => {
                let (a, b) = self.two(x)?;
                let negated = format!("{m:?}").contains("nm");
                let any = |(a, b): (&[Bit], &[Bit])| {
                    let none = a.iter().zip(b).fold(ONE, |none, (a, b)| and(none, not(and(*a, *b))));
                    if negated { none } else { not(none) }
                };
                let width = element(m);
                let bits: Word = a.chunks(width).zip(b.chunks(width)).map(any).collect();
                self.write_mask(x, &bits)?;
                Ok(true)
            }
            M::Vpmovm2b | M::Vpmovm2w | M::Vpmovm2d | M::Vpmovm2q => {
                let width = element(m);
                let lanes = Self::width(x, 0) / width;
                let mask = self.mask(x.op_register(1), lanes)?;
                let bit = |i: usize| if mask >> i & 1 == 1 { ONE } else { ZERO };
                let out: Word = (0..lanes).flat_map(|i| vec![bit(i); width]).collect();
                self.write(x, &out)?;
                Ok(true)
            }
            M::Vpmovb2m | M::Vpmovw2m | M::Vpmovd2m | M::Vpmovq2m => {
                let width = match m {
                    M::Vpmovb2m => 8,
                    M::Vpmovw2m => 16,
                    M::Vpmovd2m => 32,
                    _ => 64,
                };
                let bits: Word = self.read(x, 1)?.chunks(width).map(|part| part[width - 1]).collect();
                self.write_mask(x, &bits)?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Does what `by_two` does with a function that some data do not have.
    fn by_two_tried(
        &mut self,
        x: &Instruction,
        element: usize,
        f: impl Fn(&[Bit], &[Bit]) -> Option<Word>,
    ) -> Result<bool> {
        let (a, b) = self.two(x)?;
        let out: Option<Vec<Word>> = a.chunks(element).zip(b.chunks(element)).map(|(a, b)| f(a, b)).collect();
        let out = out.ok_or_else(|| Failure::new(format!("{:?} of data", x.mnemonic())))?;
        self.write(x, &out.concat())?;
        Ok(true)
    }

    /// Ones in the elements that are equal.
    fn compare_equal(&mut self, x: &Instruction) -> Result<bool> {
        let width = element(x.mnemonic());
        let equal =
            |a: &[Bit], b: &[Bit]| a.iter().zip(b).fold(ONE, |all, (a, b)| and(all, not(xor(*a, *b))));
        if x.op_register(0).is_k() {
            let (a, b) = self.two(x)?;
            let bits: Word = a.chunks(width).zip(b.chunks(width)).map(|(a, b)| equal(a, b)).collect();
            self.write_mask(x, &bits)?;
            return Ok(true);
        }
        if with_itself(x) {
            return self.by_two(x, width, |a, _| vec![ONE; a.len()]);
        }
        self.by_two(x, width, |a, b| vec![equal(a, b); a.len()])
    }

    /// Shifts all elements by one count.
    fn shift_elements(&mut self, x: &Instruction) -> Result<bool> {
        let m = x.mnemonic();
        let last = x.op_count() - 1;
        let width = element(m);
        let count = if x.op_kind(last) == OpKind::Immediate8 {
            x.immediate8().into()
        } else {
            let bits = self.read(x, last)?;
            let count = constant(&bits[..64]).ok_or_else(|| Failure::new("a count depends on data"))?;
            count.min(255) as usize
        };
        let source = if x.op_kind(last) != OpKind::Immediate8 && last == 1 { 0 } else { last - 1 };
        let a = self.read(x, source)?;
        let out: Word = a.chunks(width).flat_map(|a| shifted(m, a, count)).collect();
        self.write(x, &out)?;
        Ok(true)
    }

    /// Shifts each element by a count of its own.
    fn shift_each(&mut self, x: &Instruction) -> Result<bool> {
        let m = x.mnemonic();
        self.by_two_tried(x, element(m), |a, b| {
            let count = constant(b)?;
            Some(shifted(m, a, count.min(255) as usize))
        })
    }
}

fn shifted(m: Mnemonic, a: &[Bit], count: usize) -> Word {
    let name = format!("{m:?}").to_lowercase();
    let width = a.len();
    match name.trim_start_matches('v').get(1..4) {
        Some("sll") => shift_left(a, count.min(width)),
        Some("srl") => shift_right(a, count.min(width)),
        Some("sra") => (0..width).map(|i| a[(i + count).min(width - 1)]).collect(),
        Some("rol") => rotate_left(a, count),
        _ => rotate_right(a, count),
    }
}
