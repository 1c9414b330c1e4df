//! TEA, from "TEA, a Tiny Encryption Algorithm" (Wheeler and Needham, 1994).
//!
//! The paper computes on words of 32 bits and does not say how they come from bytes. Both orders are in use.

use std::fmt;

use crate::block::BlockCipher;
use crate::words::{ByteOrder, block_of, words_of};

/// The paper's `delta`, from the golden ratio.
const DELTA: u32 = 0x9e3779b9;

/// The paper's `n`: cycles of two rounds.
const CYCLES: u32 = 32;

/// TEA under one key, with one order of bytes.
///
/// ```
/// use abreast_reference::{BlockCipher, tea::Tea, words::ByteOrder};
///
/// let cipher = Tea::new(&[0; 16], ByteOrder::BigEndian);
/// assert_eq!(cipher.encrypt_block(&[0; 8]), 0x41ea3a0a94baa940_u64.to_be_bytes());
/// ```
#[derive(Clone)]
pub struct Tea {
    /// The paper's `a` to `d`.
    key: [u32; 4],
    byte_order: ByteOrder,
}

impl Tea {
    /// Takes a key of 16 bytes, and the order of the bytes in the words of key, plaintext and ciphertext.
    pub fn new(key: &[u8; 16], byte_order: ByteOrder) -> Self {
        let mut words = [0; 4];
        for (word, bytes) in words.iter_mut().zip(key.as_chunks::<4>().0) {
            *word = byte_order.word(*bytes);
        }
        Self { key: words, byte_order }
    }
}

impl BlockCipher<8> for Tea {
    /// `code()`.
    fn encrypt_block(&self, block: &[u8; 8]) -> [u8; 8] {
        let [a, b, c, d] = self.key;
        let (mut y, mut z) = words_of(self.byte_order, block);
        let mut sum = 0_u32;
        for _ in 0..CYCLES {
            sum = sum.wrapping_add(DELTA);
            y = y.wrapping_add(mix(z, a, sum, b));
            z = z.wrapping_add(mix(y, c, sum, d));
        }
        block_of(self.byte_order, y, z)
    }

    /// `decode()`.
    fn decrypt_block(&self, block: &[u8; 8]) -> [u8; 8] {
        let [a, b, c, d] = self.key;
        let (mut y, mut z) = words_of(self.byte_order, block);
        let mut sum = DELTA.wrapping_mul(CYCLES);
        for _ in 0..CYCLES {
            z = z.wrapping_sub(mix(y, c, sum, d));
            y = y.wrapping_sub(mix(z, a, sum, b));
            sum = sum.wrapping_sub(DELTA);
        }
        block_of(self.byte_order, y, z)
    }
}

impl fmt::Debug for Tea {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tea").finish_non_exhaustive()
    }
}

/// `(x<<4)+a ^ x+sum ^ (x>>5)+b`, the value that one word adds to the other; in C, sums bind before `^`.
fn mix(x: u32, a: u32, sum: u32, b: u32) -> u32 {
    (x << 4).wrapping_add(a) ^ x.wrapping_add(sum) ^ (x >> 5).wrapping_add(b)
}
