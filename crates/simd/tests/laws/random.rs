//! Inputs: the same in every run, and not only the even-tempered ones.

/// SplitMix64.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new() -> Self {
        Self(0)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// Any bytes; one time in four zeros, ones, few ones or few zeros, where carries and sums of
    /// partial products are at their least and most.
    pub(crate) fn bytes(&mut self, n: usize) -> Vec<u8> {
        let kind = self.next() % 16;
        let mut byte = || {
            let [a, b, c, ..] = self.next().to_le_bytes();
            match kind {
                0 => 0,
                1 => 0xff,
                2 => a & b & c,
                3 => a | b | c,
                _ => a,
            }
        };
        (0..n).map(|_| byte()).collect()
    }

    pub(crate) fn row(&mut self) -> super::Row {
        self.bytes(16).try_into().unwrap()
    }
}

/// Returns the number of random inputs for each operation. Miri, which looks at how each is done, needs few.
pub(crate) fn rounds() -> usize {
    if cfg!(miri) {
        2
    } else if std::env::var_os("ABREAST_SHORT").is_some_and(|v| v == "1") {
        32
    } else {
        400
    }
}

/// The number of random constants for each operation, such as tables and patterns.
pub(crate) const CONSTANTS: usize = if cfg!(miri) { 1 } else { 20 };

/// All of a range; in Miri each `step`th.
pub(crate) fn few<R: Iterator>(range: R, step: usize) -> impl Iterator<Item = R::Item> {
    range.step_by(if cfg!(miri) { step } else { 1 })
}
