//! The round keys of a cipher as kernels read them.

use abreast::for_devices::{of_aes, of_serpent, of_xtea};
use abreast::kernels::Algorithm;
use abreast::xtea::ByteOrder;
use zeroize::{Zeroize, Zeroizing};

use crate::Error;
use crate::program::Program;

/// The cycles of XTEA and TEA.
pub(crate) const CYCLES: u32 = 32;

/// The properties of a cipher that the kernels need.
#[derive(Clone, Copy)]
pub(crate) struct Layout {
    pub(crate) program: Program,
    /// Rounds or cycles.
    pub(crate) rounds: u32,
    /// True if words are big-endian.
    pub(crate) big_endian: bool,
}

impl Layout {
    /// Returns the properties of a cipher, if there is a kernel for it.
    pub(crate) fn of(algorithm: Algorithm) -> Option<Self> {
        let layout = |program, rounds, big_endian| Some(Self { program, rounds, big_endian });
        match algorithm.name() {
            "aes-128" => layout(Program::Aes, 10, false),
            "aes-192" => layout(Program::Aes, 12, false),
            "aes-256" => layout(Program::Aes, 14, false),
            "tea" => layout(Program::Tea, CYCLES, false),
            "tea-be" => layout(Program::Tea, CYCLES, true),
            "xtea" => layout(Program::Xtea, CYCLES, false),
            "xtea-be" => layout(Program::Xtea, CYCLES, true),
            name if name.starts_with("serpent-") => layout(Program::Serpent, 32, false),
            _ => None,
        }
    }

    /// Returns the round keys as the kernels read them: words in the order of memory.
    pub(crate) fn round_keys(self, key: &[u8]) -> Result<Zeroizing<Vec<u8>>, Error> {
        Ok(Zeroizing::new(match self.program {
            Program::Aes => aes_planes(&of_aes(key)?),
            Program::Serpent => {
                let [encrypt, decrypt] = of_serpent(key)?;
                [&*encrypt, &*decrypt].concat()
            }
            Program::Tea => bytes_of(&mut words_of(key, self.big_endian)),
            Program::Xtea => {
                let order = if self.big_endian { ByteOrder::BigEndian } else { ByteOrder::LittleEndian };
                of_xtea(key, order)?.to_vec()
            }
            Program::Rc4 => Vec::new(),
        }))
    }
}

/// Returns a key of 16 bytes as words.
fn words_of(key: &[u8], big_endian: bool) -> Vec<u32> {
    let word = if big_endian { u32::from_be_bytes } else { u32::from_le_bytes };
    key.as_chunks().0.iter().map(|bytes| word(*bytes)).collect()
}

/// Returns words as bytes; the words are wiped.
fn bytes_of(words: &mut [u32]) -> Vec<u8> {
    let bytes = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    words.zeroize();
    bytes
}

/// Returns the round keys of AES as planes, eight words for each: bit `i` of the byte of row `r` and column `c`, moved on as
/// `ShiftRows` would have moved it by then, at bits `8 r + 2 c` and `8 r + 2 c + 1` of word `i`. All but the first have the
/// constant of the S-box in them.
fn aes_planes(round_keys: &[u8]) -> Vec<u8> {
    let mut planes = Vec::with_capacity(2 * round_keys.len());
    for (round, key) in round_keys.chunks_exact(16).enumerate() {
        let mut words = [0_u32; 8];
        for (p, byte) in key.iter().enumerate() {
            let (row, column) = (p % 4, p / 4);
            let byte = byte ^ if round == 0 { 0 } else { 0x63 };
            let at = 8 * row + 2 * ((column + round * row) % 4);
            for (i, word) in words.iter_mut().enumerate() {
                *word |= (u32::from(byte >> i & 1) * 3) << at;
            }
        }
        planes.append(&mut bytes_of(&mut words));
    }
    planes
}
