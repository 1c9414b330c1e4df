//! Helpers that the tests share.
#![allow(dead_code, reason = "each test takes a part of it")]

#[cfg(feature = "packets")]
use abreast::{
    Kernel,
    aes::Aes128,
    hmac::{Hmac, Sha1},
};

/// Each kernel of AES with one of HMAC, so that all of both are there.
#[cfg(feature = "packets")]
pub(crate) fn kernels() -> Vec<[Kernel; 2]> {
    let (aes, hmac): (Vec<_>, Vec<_>) = (Aes128::kernels().collect(), Hmac::<Sha1>::kernels().collect());
    let most = aes.len().max(hmac.len());
    (0..most).map(|i| [aes[i % aes.len()], hmac[i % hmac.len()]]).collect()
}

/// Reads hexadecimal digits, with spaces between them.
pub(crate) fn bytes(digits: &str) -> Vec<u8> {
    let digits: Vec<u8> = digits.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    let byte = |pair: &[u8]| u8::from_str_radix(str::from_utf8(pair).expect("ASCII"), 16).expect("digits");
    digits.chunks(2).map(byte).collect()
}

/// Random numbers that are the same in each run (SplitMix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ word >> 31
    }

    /// A number of up to so many bits, with any number of bits equally often.
    pub(crate) fn of_bits(&mut self, bits: usize) -> u64 {
        let bits = self.up_to(bits);
        self.next() & (1_u64 << bits).wrapping_sub(1)
    }

    pub(crate) fn up_to(&mut self, most: usize) -> usize {
        (self.next() % (most as u64 + 1)) as usize
    }

    pub(crate) fn bytes(&mut self, len: usize) -> Vec<u8> {
        (0..len).map(|_| self.next() as u8).collect()
    }

    /// A length of any order of magnitude up to some 2000 bytes.
    pub(crate) fn len(&mut self) -> usize {
        let bits = self.up_to(11);
        self.up_to((1 << bits) - 1)
    }

    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.up_to(from.len() - 1)]
    }
}

/// The packets whose number is a boundary of windows.
pub(crate) fn counts() -> impl Iterator<Item = usize> {
    [0, 1, 2, 3, 17, 31, 32, 33, 63, 64, 65, 97, 200].into_iter()
}
