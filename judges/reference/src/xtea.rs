//! XTEA, from "Tea extensions" (Needham and Wheeler, 1997).
//!
//! The paper computes on words of 32 bits and does not say how they come from bytes. Both orders
//! are in use, and so are numbers of cycles other than the 32 that the paper recommends: all of
//! them are parameters here.

use std::fmt;

use crate::block::BlockCipher;
use crate::words::{block_of, words_of};

pub use crate::words::ByteOrder;

/// The paper's `DELTA`, from the golden ratio.
const DELTA: u32 = 0x9e3779b9;

/// XTEA under one key, with one order of bytes and one number of cycles.
///
/// ```
/// use abreast_reference::{BlockCipher, xtea::{ByteOrder, Xtea}};
///
/// let cipher = Xtea::new(b"0123456789012345", ByteOrder::LittleEndian, 32);
/// let ciphertext = 0xea0c3d7c1c22557f_u64.to_be_bytes();
/// assert_eq!(cipher.encrypt_block(b"ABCDEFGH"), ciphertext);
/// ```
#[derive(Clone)]
pub struct Xtea {
    /// The paper's `k[0]` to `k[3]`.
    k: [u32; 4],
    byte_order: ByteOrder,
    /// The paper's `N`: each cycle is two rounds, one for each word of the block.
    cycles: u8,
}

impl Xtea {
    /// Takes a key of 16 bytes; the order of the bytes in the words of key, plaintext and
    /// ciphertext; and the number of cycles, from 1 to 255.
    ///
    /// # Panics
    ///
    /// If the number of cycles is zero.
    pub fn new(key: &[u8; 16], byte_order: ByteOrder, cycles: u8) -> Self {
        assert!(cycles > 0, "XTEA with no cycles encrypts nothing");
        let mut k = [0; 4];
        for (k, bytes) in k.iter_mut().zip(key.as_chunks::<4>().0) {
            *k = byte_order.word(*bytes);
        }
        Self { k, byte_order, cycles }
    }

    /// The paper's `limit`, the final value of `sum`: `DELTA * N`, modulo 2^32.
    fn limit(&self) -> u32 {
        DELTA.wrapping_mul(self.cycles.into())
    }
}

impl BlockCipher<8> for Xtea {
    /// `tean()` with positive `N`.
    fn encrypt_block(&self, block: &[u8; 8]) -> [u8; 8] {
        let (mut y, mut z) = words_of(self.byte_order, block);
        let mut sum = 0_u32;
        while sum != self.limit() {
            y = y.wrapping_add(mix(z, sum, self.k[(sum & 3) as usize]));
            sum = sum.wrapping_add(DELTA);
            z = z.wrapping_add(mix(y, sum, self.k[(sum >> 11 & 3) as usize]));
        }
        block_of(self.byte_order, y, z)
    }

    /// `tean()` with negative `N`.
    fn decrypt_block(&self, block: &[u8; 8]) -> [u8; 8] {
        let (mut y, mut z) = words_of(self.byte_order, block);
        let mut sum = self.limit();
        while sum != 0 {
            z = z.wrapping_sub(mix(y, sum, self.k[(sum >> 11 & 3) as usize]));
            sum = sum.wrapping_sub(DELTA);
            y = y.wrapping_sub(mix(z, sum, self.k[(sum & 3) as usize]));
        }
        block_of(self.byte_order, y, z)
    }
}

impl fmt::Debug for Xtea {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Xtea").finish_non_exhaustive()
    }
}

/// `(x<<4 ^ x>>5) + x ^ sum + k`, the value that one word adds to the other; in C, sums bind before `^`.
fn mix(x: u32, sum: u32, k: u32) -> u32 {
    (x << 4 ^ x >> 5).wrapping_add(x) ^ sum.wrapping_add(k)
}

#[cfg(test)]
mod tests {
    use super::ByteOrder::{BigEndian, LittleEndian};
    use super::*;

    fn check(byte_order: ByteOrder, key: u128, plaintext: u64, ciphertext: u64) {
        let cipher = Xtea::new(&key.to_be_bytes(), byte_order, 32);
        assert_eq!(u64::from_be_bytes(cipher.encrypt_block(&plaintext.to_be_bytes())), ciphertext);
        assert_eq!(u64::from_be_bytes(cipher.decrypt_block(&ciphertext.to_be_bytes())), plaintext);
    }

    #[test]
    fn little_endian_words() {
        check(LittleEndian, 0xefbeaddeefbeaddeefbeaddeefbeadde, 0xefbeaddeefbeadde, 0xb58cf2fae0c04009);
        check(LittleEndian, 0x30313233343536373839303132333435, 0x4142434445464748, 0xea0c3d7c1c22557f);
        check(LittleEndian, 0, 0, 0xd8d4e9ded91e13f7);
    }

    #[test]
    fn big_endian_words() {
        check(BigEndian, 0x000102030405060708090a0b0c0d0e0f, 0x4142434445464748, 0x497df3d072612cb5);
        check(BigEndian, 0x000102030405060708090a0b0c0d0e0f, 0x4141414141414141, 0xe78f2d13744341d8);
        check(BigEndian, 0, 0, 0xdee9d4d8f7131ed9);
    }

    #[test]
    fn any_number_of_cycles_is_undone() {
        let block = *b"ABCDEFGH";
        let mut seen = vec![block];
        for cycles in 1..=255 {
            let cipher = Xtea::new(b"0123456789012345", LittleEndian, cycles);
            let ciphertext = cipher.encrypt_block(&block);
            assert_eq!(cipher.decrypt_block(&ciphertext), block, "{cycles} cycles");
            assert!(!seen.contains(&ciphertext), "{cycles} cycles");
            seen.push(ciphertext);
        }
    }

    /// Worked by hand: of a block of zeroes the first round changes nothing where `k[0]` is zero,
    /// and the second makes `z` the sum of `DELTA` and `k[3]`.
    #[test]
    fn one_cycle() {
        let cipher = Xtea::new(&1_u128.to_be_bytes(), BigEndian, 1);
        assert_eq!(cipher.encrypt_block(&[0; 8]), [0, 0, 0, 0, 0x9e, 0x37, 0x79, 0xba]);
    }

    #[test]
    fn keys_do_not_print() {
        assert_eq!(format!("{:?}", Xtea::new(&[0x42; 16], BigEndian, 32)), "Xtea { .. }");
    }

    #[test]
    #[should_panic(expected = "XTEA with no cycles encrypts nothing")]
    fn no_cycles_panic() {
        Xtea::new(&[0; 16], BigEndian, 0);
    }
}
