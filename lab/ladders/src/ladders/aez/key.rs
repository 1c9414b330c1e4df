//! The key, the nonce, and arithmetic on blocks as numbers of 128 bits.

/// The nonce of every message.
pub(super) const NONCE: [u8; 12] = *b"its own once";

/// The length of the tag in bits, which is hashed with every message, as is the nonce.
pub(super) const TAG_BITS: u128 = 128;

/// The subkeys, and what is made of them before any message is known.
#[derive(Clone, Copy)]
pub(super) struct Key {
    pub(super) i: u128,
    pub(super) j: u128,
    pub(super) l: u128,
    /// The multiples 1, 2, .., 7, 0 of L as bytes: those in the offsets of E(j, 1), E(j, 2), .., E(j, 8).
    pub(super) multiples: [[u8; 16]; 8],
    /// The offsets of E(3, 1) and E(4, 0), which hash the length of the tag and the nonce.
    pub(super) hash: [[u8; 16]; 2],
    /// The offsets of E(0, 1) and E(0, 2), for the last two blocks.
    pub(super) last: [[u8; 16]; 2],
}

impl Key {
    /// A key of 48 bytes is the three subkeys as they are.
    pub(super) fn new(key: &[u8; 48]) -> Self {
        let [i, j, l] = [0, 16, 32].map(|at| number(&key[at..at + 16]));
        let multiples = [1, 2, 3, 4, 5, 6, 7, 0].map(|n| times(n, l).to_be_bytes());
        let mut key = Self { i, j, l, multiples, hash: [[0; 16]; 2], last: [[0; 16]; 2] };
        key.hash = [(3, 1), (4, 0)].map(|(j, i)| key.offset(j, i).to_be_bytes());
        key.last = [(0, 1), (0, 2)].map(|(j, i)| key.offset(j, i).to_be_bytes());
        key
    }

    /// The offset of E(j, i), from scratch: what a block is xored with before the four rounds of AES4.
    #[inline(always)]
    pub(super) fn offset(&self, j: u32, i: u32) -> u128 {
        let mut power = self.i;
        for _ in 0..i.div_ceil(8) {
            power = times(2, power);
        }
        times(j, self.j) ^ power ^ times(i % 8, self.l)
    }
}

/// `n` times a block, by doubling and adding.
#[inline(always)]
pub(super) fn times(mut n: u32, mut x: u128) -> u128 {
    let mut product = 0;
    while n != 0 {
        if n % 2 == 1 {
            product ^= x;
        }
        x = (x << 1) ^ ((x >> 127) * 135);
        n /= 2;
    }
    product
}

/// The nonce as a whole block: after it a one, and zeros.
#[inline(always)]
pub(super) fn padded_nonce() -> [u8; 16] {
    let mut block = [0; 16];
    block[..12].copy_from_slice(&NONCE);
    block[12] = 0x80;
    block
}

/// The number that 16 bytes are. The first bit is the most significant one.
#[inline(always)]
pub(super) fn number(bytes: &[u8]) -> u128 {
    u128::from_be_bytes(bytes.try_into().expect("a block has 16 bytes"))
}
