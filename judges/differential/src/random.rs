//! Random numbers from a seed of 64 bits, the same on every machine.

/// SplitMix64 (Steele, Lea and Flood, 2014).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The numbers of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The numbers of a seed for one of several purposes.
    #[must_use]
    pub fn split(seed: u64, purpose: &[u64]) -> Self {
        purpose.iter().fold(Self(seed), |random, word| Self(random.clone().word() ^ word))
    }

    /// 64 random bits.
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// A number from 0 to `most`.
    pub fn up_to(&mut self, most: usize) -> usize {
        ((u128::from(self.word()) * (most as u128 + 1)) >> 64) as usize
    }

    /// True `n` times in `of`.
    pub fn chance(&mut self, n: usize, of: usize) -> bool {
        self.up_to(of - 1) < n
    }

    /// One of several things.
    ///
    /// # Panics
    /// If there is none.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.up_to(from.len() - 1)]
    }

    /// A number from `least` to `most` whose logarithm is uniform, so that small numbers are as likely as large ones.
    pub fn log_uniform(&mut self, least: usize, most: usize) -> usize {
        let (low, high) = ((least + 1) as f64, (most + 2) as f64);
        let fraction = (self.word() >> 11) as f64 / (1_u64 << 53) as f64;
        ((low.ln() + fraction * (high.ln() - low.ln())).exp() as usize).clamp(least + 1, most + 1) - 1
    }

    /// Random bytes.
    #[must_use]
    pub fn bytes(&mut self, len: usize) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(len + 8);
        while bytes.len() < len {
            bytes.extend(self.word().to_le_bytes());
        }
        bytes.truncate(len);
        bytes
    }

    /// Puts things into a random order.
    pub fn shuffle<T>(&mut self, things: &mut [T]) {
        for last in (1..things.len()).rev() {
            let other = self.up_to(last);
            things.swap(last, other);
        }
    }
}
