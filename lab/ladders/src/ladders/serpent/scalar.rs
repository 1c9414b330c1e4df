//! One block at a time, in general registers.

use super::interface::{BLOCK, ManyBlocks, OneBlock};
use super::rounds::{OnWords, RoundKeys, encrypt};

/// A block after the other.
pub(super) struct Scalar(pub(super) RoundKeys);

impl Scalar {
    #[inline(always)]
    fn encrypt(&self, input: &[u8; BLOCK], output: &mut [u8; BLOCK]) {
        let mut block = [[0; 4]];
        for (word, bytes) in block[0].iter_mut().zip(input.as_chunks().0) {
            *word = u32::from_le_bytes(*bytes);
        }
        encrypt(OnWords, &self.0, &mut block);
        for (word, bytes) in block[0].iter().zip(output.as_chunks_mut().0) {
            *bytes = word.to_le_bytes();
        }
    }
}

impl OneBlock for Scalar {
    fn encrypt_block(&self, input: &[u8; BLOCK], output: &mut [u8; BLOCK]) {
        self.encrypt(input, output);
    }
}

impl ManyBlocks for Scalar {
    fn encrypt_n(&self, input: &[u8], output: &mut [u8]) {
        for (input, output) in input.as_chunks().0.iter().zip(output.as_chunks_mut().0) {
            self.encrypt(input, output);
        }
    }
}
