//! The laws of [`Clmul`](abreast_simd::Clmul).

use crate::blocks::at_every_level;

at_every_level! { products swap_halves }

mod laws {
    use crate::Row;
    use crate::blocks::check;
    use abreast_simd::Clmul;

    #[inline(always)]
    pub(super) fn products<B: Clmul>(isa: B::Isa) {
        check(
            isa,
            "clmul_low",
            |[x, y]: [B; 2]| [x.clmul_low(y)],
            |rows| {
                let [[a, _], [b, _]] = rows.map(halves);
                [product(a, b).to_le_bytes()]
            },
        );
        check(
            isa,
            "clmul_high",
            |[x, y]: [B; 2]| [x.clmul_high(y)],
            |rows| {
                let [[_, a], [_, b]] = rows.map(halves);
                [product(a, b).to_le_bytes()]
            },
        );
    }

    #[inline(always)]
    pub(super) fn swap_halves<B: Clmul>(isa: B::Isa) {
        let rotation = |[row]: [Row; 1]| [u128::from_le_bytes(row).rotate_left(64).to_le_bytes()];
        check(isa, "swap_halves", |[x]: [B; 1]| [x.swap_halves()], rotation);
    }

    /// The low and the high half of a block.
    fn halves(row: Row) -> [u64; 2] {
        let block = u128::from_le_bytes(row);
        [block as u64, (block >> 64) as u64]
    }

    /// A product of polynomials, term by term.
    fn product(a: u64, b: u64) -> u128 {
        (0..64).filter(|i| b >> i & 1 == 1).fold(0, |sum, i| sum ^ u128::from(a) << i)
    }
}
