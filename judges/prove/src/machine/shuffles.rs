//! Instructions that permute, spread and blend the elements of vectors.

use iced_x86::{Instruction, Mnemonic, OpKind};

use super::integer::sign_extended;
use super::{Failure, Machine, Result};
use crate::bits::shift_right;
use crate::forms::{Bit, Word, ZERO, and, constant, not, or, table};

/// Two bits of an immediate.
fn pair(immediate: u8, i: usize) -> usize {
    usize::from(immediate >> (2 * i) & 3)
}

impl Machine<'_> {
    /// Does an instruction that moves elements, and returns true if it is one.
    pub(super) fn shuffle(&mut self, x: &Instruction) -> Result<bool> {
        use Mnemonic as M;
        let m = x.mnemonic();
        let chosen = x.immediate8();
        match m {
            M::Pshufd | M::Vpshufd => self
                .by_one(x, 128, |a| (0..4).flat_map(|i| a[32 * pair(chosen, i)..][..32].to_vec()).collect()),
            M::Pshuflw | M::Vpshuflw | M::Pshufhw | M::Vpshufhw => {
                let from = if matches!(m, M::Pshuflw | M::Vpshuflw) { 0 } else { 64 };
                self.by_one(x, 128, |a| {
                    let mut out = a.to_vec();
                    for i in 0..4 {
                        let word = &a[from + 16 * pair(chosen, i)..][..16];
                        out[from + 16 * i..][..16].copy_from_slice(word);
                    }
                    out
                })
            }
            M::Shufps | M::Vshufps => self.by_two(x, 128, |a, b| {
                (0..4).flat_map(|i| [a, b][i / 2][32 * pair(chosen, i)..][..32].to_vec()).collect()
            }),
            M::Shufpd | M::Vshufpd => {
                let (a, b) = self.two(x)?;
                let halves = (0..a.len() / 64).flat_map(|i| {
                    let source = if i % 2 == 0 { &a } else { &b };
                    source[128 * (i / 2) + 64 * usize::from(chosen >> i & 1)..][..64].to_vec()
                });
                let out: Word = halves.collect();
                self.write(x, &out)?;
                Ok(true)
            }
            M::Punpcklbw | M::Vpunpcklbw => self.interleave(x, 8, false),
            M::Punpckhbw | M::Vpunpckhbw => self.interleave(x, 8, true),
            M::Punpcklwd | M::Vpunpcklwd => self.interleave(x, 16, false),
            M::Punpckhwd | M::Vpunpckhwd => self.interleave(x, 16, true),
            M::Punpckldq | M::Vpunpckldq | M::Unpcklps | M::Vunpcklps => self.interleave(x, 32, false),
            M::Punpckhdq | M::Vpunpckhdq | M::Unpckhps | M::Vunpckhps => self.interleave(x, 32, true),
            M::Punpcklqdq | M::Vpunpcklqdq | M::Unpcklpd | M::Vunpcklpd => self.interleave(x, 64, false),
            M::Punpckhqdq | M::Vpunpckhqdq | M::Unpckhpd | M::Vunpckhpd => self.interleave(x, 64, true),
            M::Pshufb | M::Vpshufb => self.shuffle_bytes(x),
            M::Palignr | M::Vpalignr => {
                let by = 8 * usize::from(chosen);
                self.by_two(x, 128, |a, b| shift_right(&[b, a].concat(), by)[..128].to_vec())
            }
            M::Valignd | M::Valignq => {
                let element = if m == M::Valignd { 32 } else { 64 };
                let (a, b) = self.two(x)?;
                let by = element * (usize::from(chosen) % (a.len() / element));
                let out = &[&b[..], &a[..]].concat()[by..by + a.len()];
                self.write(x, out)?;
                Ok(true)
            }
            M::Vbroadcastss | M::Vpbroadcastd => self.spread(x, 32),
            M::Vbroadcastsd
            | M::Vpbroadcastq
            | M::Movddup
            | M::Vmovddup
            | M::Vbroadcasti32x2
            | M::Vbroadcastf32x2 => self.spread(x, 64),
            M::Vpbroadcastb => self.spread(x, 8),
            M::Vpbroadcastw => self.spread(x, 16),
            M::Vbroadcasti128
            | M::Vbroadcastf128
            | M::Vbroadcasti32x4
            | M::Vbroadcastf32x4
            | M::Vbroadcasti64x2
            | M::Vbroadcastf64x2 => self.spread(x, 128),
            M::Vbroadcasti64x4 | M::Vbroadcastf64x4 | M::Vbroadcasti32x8 | M::Vbroadcastf32x8 => {
                self.spread(x, 256)
            }
            M::Vpermq | M::Vpermpd if x.op_kind(2) == OpKind::Immediate8 => self
                .by_one(x, 256, |a| (0..4).flat_map(|i| a[64 * pair(chosen, i)..][..64].to_vec()).collect()),
            M::Vpermb => self.permute(x, 8),
            M::Vpermw => self.permute(x, 16),
            M::Vpermd | M::Vpermps => self.permute(x, 32),
            M::Vpermq | M::Vpermpd => self.permute(x, 64),
            M::Vpermt2b | M::Vpermi2b => self.permute_two(x, 8),
            M::Vpermt2w | M::Vpermi2w => self.permute_two(x, 16),
            M::Vpermt2d | M::Vpermi2d | M::Vpermt2ps | M::Vpermi2ps => self.permute_two(x, 32),
            M::Vpermt2q | M::Vpermi2q | M::Vpermt2pd | M::Vpermi2pd => self.permute_two(x, 64),
            M::Vperm2i128 | M::Vperm2f128 => {
                let (a, b) = self.two(x)?;
                let both = [a, b].concat();
                let half = |chosen: u8| match chosen & 8 {
                    0 => both[128 * usize::from(chosen & 3)..][..128].to_vec(),
                    _ => vec![ZERO; 128],
                };
                self.write(x, &[half(chosen), half(chosen >> 4)].concat())?;
                Ok(true)
            }
            M::Vshufi64x2 | M::Vshufi32x4 | M::Vshuff64x2 | M::Vshuff32x4 => {
                let (a, b) = self.two(x)?;
                let lanes = a.len() / 128;
                let lane = |i: usize| {
                    let which = if lanes == 4 { pair(chosen, i) } else { usize::from(chosen >> i & 1) };
                    [&a, &b][2 * i / lanes][128 * which..][..128].to_vec()
                };
                let out: Word = (0..lanes).flat_map(lane).collect();
                self.write(x, &out)?;
                Ok(true)
            }
            M::Vextracti128
            | M::Vextractf128
            | M::Vextracti32x4
            | M::Vextractf32x4
            | M::Vextracti64x2
            | M::Vextractf64x2 => self.extract(x, 128),
            M::Vextracti64x4 | M::Vextractf64x4 | M::Vextracti32x8 | M::Vextractf32x8 => self.extract(x, 256),
            M::Vinserti128
            | M::Vinsertf128
            | M::Vinserti32x4
            | M::Vinsertf32x4
            | M::Vinserti64x2
            | M::Vinsertf64x2 => self.insert(x, 128),
            M::Vinserti64x4 | M::Vinsertf64x4 | M::Vinserti32x8 | M::Vinsertf32x8 => self.insert(x, 256),
            M::Pblendw | M::Vpblendw => self.by_two(x, 128, |a, b| blended(a, b, 16, chosen)),
            M::Vpblendd | M::Blendps | M::Vblendps => self.blend(x, 32, chosen),
            M::Blendpd | M::Vblendpd => self.blend(x, 64, chosen),
            M::Vpblendvb | M::Vblendvps | M::Vblendvpd => {
                let element = match m {
                    M::Vpblendvb => 8,
                    M::Vblendvps => 32,
                    _ => 64,
                };
                let [a, b, mask] = [self.read(x, 1)?, self.read(x, 2)?, self.read(x, 3)?];
                let bit = |i: usize| {
                    let chosen = mask[i / element * element + element - 1];
                    or(and(b[i], chosen), and(a[i], not(chosen)))
                };
                let out: Word = (0..a.len()).map(bit).collect();
                self.write(x, &out)?;
                Ok(true)
            }
            M::Vpblendmb | M::Vpblendmw | M::Vpblendmd | M::Vpblendmq => self.blend_by_mask(x),
            M::Pmovzxbw | M::Vpmovzxbw => self.widen(x, 8, 16, false),
            M::Pmovzxbd | M::Vpmovzxbd => self.widen(x, 8, 32, false),
            M::Pmovzxwd | M::Vpmovzxwd => self.widen(x, 16, 32, false),
            M::Pmovzxdq | M::Vpmovzxdq => self.widen(x, 32, 64, false),
            M::Pmovzxbq | M::Vpmovzxbq => self.widen(x, 8, 64, false),
            M::Pmovsxbd | M::Vpmovsxbd => self.widen(x, 8, 32, true),
            M::Pmovsxbw | M::Vpmovsxbw => self.widen(x, 8, 16, true),
            M::Pmovsxdq | M::Vpmovsxdq => self.widen(x, 32, 64, true),
            M::Packuswb | M::Vpackuswb => self.pack(x),
            _ => Ok(false),
        }
    }

    /// Halves words without signs, of which those that depend on data need no saturation.
    fn pack(&mut self, x: &Instruction) -> Result<bool> {
        let (a, b) = self.two(x)?;
        let mut out = Vec::with_capacity(a.len());
        for (a, b) in a.chunks(128).zip(b.chunks(128)) {
            for word in a.chunks(16).chain(b.chunks(16)) {
                match constant(word) {
                    Some(value) if value >= 0x8000 => out.extend([ZERO; 8]),
                    Some(value) if value >= 0x100 => out.extend([crate::forms::ONE; 8]),
                    _ if word[8..].iter().all(|bit| *bit == ZERO) => out.extend(&word[..8]),
                    _ => return Err(Failure::new("a saturation of data")),
                }
            }
        }
        self.write(x, &out)?;
        Ok(true)
    }

    fn interleave(&mut self, x: &Instruction, element: usize, high: bool) -> Result<bool> {
        let from = if high { 64 } else { 0 };
        self.by_two(x, 128, |a, b| {
            let pairs = a[from..from + 64].chunks(element).zip(b[from..from + 64].chunks(element));
            pairs.flat_map(|(a, b)| [a, b].concat()).collect()
        })
    }

    /// Repeats the first bits of a source.
    fn spread(&mut self, x: &Instruction, element: usize) -> Result<bool> {
        if matches!(x.mnemonic(), Mnemonic::Vmovddup) && x.op_kind(1) == OpKind::Register {
            return self.by_one(x, 128, |a| a[..64].repeat(2));
        }
        let bits = self.read(x, 1)?;
        let bits = bits[..element].repeat(Self::width(x, 0) / element);
        self.write(x, &bits)?;
        Ok(true)
    }

    /// A shuffle of bytes by numbers, or a table of numbers that data look up.
    fn shuffle_bytes(&mut self, x: &Instruction) -> Result<bool> {
        let (a, b) = self.two(x)?;
        let mut out = Vec::with_capacity(a.len());
        for (lane, places) in a.chunks(128).zip(b.chunks(128)) {
            let numbers: Option<Vec<u8>> = lane.chunks(8).map(|byte| Some(constant(byte)? as u8)).collect();
            for place in places.chunks(8) {
                match (constant(place), &numbers) {
                    (Some(place), _) if place & 0x80 != 0 => out.extend([ZERO; 8]),
                    (Some(place), _) => out.extend(&lane[8 * (place as usize & 15)..][..8]),
                    (None, Some(numbers)) => {
                        let found = table(&place[..4], 8, numbers);
                        out.extend(found.into_iter().map(|bit| and(bit, not(place[7]))));
                    }
                    (None, None) => return Err(Failure::new("a shuffle of data by data")),
                }
            }
        }
        self.write(x, &out)?;
        Ok(true)
    }

    fn permute(&mut self, x: &Instruction, element: usize) -> Result<bool> {
        let (places, a) = (self.read(x, 1)?, self.read(x, 2)?);
        let out = looked_up(&places, &a, element)?;
        self.write(x, &out)?;
        Ok(true)
    }

    /// The elements of two tables, of which the first operand is one, or the places.
    fn permute_two(&mut self, x: &Instruction, element: usize) -> Result<bool> {
        let [first, second, third] = [self.read(x, 0)?, self.read(x, 1)?, self.read(x, 2)?];
        let by_table = format!("{:?}", x.mnemonic()).contains("rmt2");
        let (places, a) = if by_table { (second, first) } else { (first, second) };
        let out = looked_up(&places, &[a, third].concat(), element)?;
        self.write(x, &out)?;
        Ok(true)
    }

    fn extract(&mut self, x: &Instruction, element: usize) -> Result<bool> {
        let a = self.read(x, 1)?;
        let at = usize::from(x.immediate8()) % (a.len() / element);
        self.write(x, &a[element * at..][..element])?;
        Ok(true)
    }

    fn insert(&mut self, x: &Instruction, element: usize) -> Result<bool> {
        let (mut a, b) = self.two(x)?;
        let at = usize::from(x.immediate8()) % (a.len() / element);
        a[element * at..][..element].copy_from_slice(&b[..element]);
        self.write(x, &a)?;
        Ok(true)
    }

    fn blend(&mut self, x: &Instruction, element: usize, chosen: u8) -> Result<bool> {
        let (a, b) = self.two(x)?;
        self.write(x, &blended(&a, &b, element, chosen))?;
        Ok(true)
    }

    /// Takes the second source where the mask has a bit, and elsewhere the first or zeros.
    fn blend_by_mask(&mut self, x: &Instruction) -> Result<bool> {
        let element = match x.mnemonic() {
            Mnemonic::Vpblendmb => 8,
            Mnemonic::Vpblendmw => 16,
            Mnemonic::Vpblendmd => 32,
            _ => 64,
        };
        let (a, b) = self.two(x)?;
        let mask = self.mask(x.op_mask(), a.len() / element)?;
        let mut out = b;
        for (i, part) in out.chunks_mut(element).enumerate().filter(|(i, _)| mask >> i & 1 == 0) {
            if x.zeroing_masking() {
                part.fill(ZERO);
            } else {
                part.copy_from_slice(&a[i * element..][..part.len()]);
            }
        }
        let vector = &mut self.vectors[x.op_register(0).number()];
        vector.fill(ZERO);
        vector[..out.len()].copy_from_slice(&out);
        Ok(true)
    }

    fn widen(&mut self, x: &Instruction, from: usize, to: usize, signed: bool) -> Result<bool> {
        let a = self.read(x, 1)?;
        let count = Self::width(x, 0) / to;
        let wide = |part: &[Bit]| {
            if signed { sign_extended(part, to) } else { [part, &vec![ZERO; to - from]].concat() }
        };
        let out: Word = a.chunks(from).take(count).flat_map(wide).collect();
        self.write(x, &out)?;
        Ok(true)
    }
}

/// The elements of a table at places that are numbers, or numbers at places that depend on data.
fn looked_up(places: &[Bit], values: &[Bit], element: usize) -> Result<Word> {
    let count = values.len() / element;
    let index_bits = count.ilog2() as usize;
    let mut out = Vec::with_capacity(places.len());
    for place in places.chunks(element) {
        match constant(&place[..index_bits]) {
            Some(place) => out.extend(&values[element * place as usize..][..element]),
            None => {
                let byte = |value: &[Bit]| constant(value).map(|value| value as u8);
                let numbers: Option<Vec<u8>> = values.chunks(element).map(byte).collect();
                match numbers {
                    Some(numbers) if element == 8 => out.extend(table(&place[..index_bits], 8, &numbers)),
                    _ => return Err(Failure::new("a permutation of data by data")),
                }
            }
        }
    }
    Ok(out)
}

fn blended(a: &[Bit], b: &[Bit], element: usize, chosen: u8) -> Word {
    (0..a.len()).map(|i| if chosen >> (i / element) & 1 == 1 { b[i] } else { a[i] }).collect()
}
