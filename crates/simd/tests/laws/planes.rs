//! The laws of [`Plane`](abreast_simd::Plane), of the planes that each vector of words becomes.

use crate::words::at_every_level;

at_every_level! { gates splats swap_bits rotate_bytes transpose_bytes circuits }

mod laws {
    use crate::random::{CONSTANTS, Random};
    use crate::words::check;
    use crate::{INDICES, Row, rotated, transposed};
    use abreast_simd::{Circuit, Gates, Plane, Words};

    /// Asserts that an operation on at most eight planes is its definition in every row, as words that become planes and back.
    #[inline(always)]
    fn check_planes<W: Words, const N: usize, const M: usize>(
        isa: W::Isa,
        law: &str,
        operation: impl Fn([W::Plane; N]) -> [W::Plane; M],
        definition: impl Fn([Row; N]) -> [Row; M],
    ) {
        let on_words = |words: [W; N]| {
            let mut group = [[words[0]; 8]];
            group[0][..N].copy_from_slice(&words);
            W::Plane::with(&mut group, |groups| {
                let outputs = operation(*groups[0].first_chunk().expect("at most eight"));
                groups[0][..M].copy_from_slice(&outputs);
            });
            *group[0].first_chunk().expect("at most eight")
        };
        check(isa, law, on_words, definition);
    }

    /// A definition byte by byte.
    fn bytewise<const N: usize, const M: usize>(
        definition: impl Fn([u8; N]) -> [u8; M],
    ) -> impl Fn([Row; N]) -> [Row; M] {
        move |rows| {
            let mut results = [[0; 16]; M];
            for at in INDICES {
                for (result, byte) in results.iter_mut().zip(definition(rows.map(|row| row[at]))) {
                    result[at] = byte;
                }
            }
            results
        }
    }

    #[inline(always)]
    pub(super) fn gates<W: Words>(isa: W::Isa) {
        check_planes::<W, 2, 1>(isa, "xor", |[a, b]| [a ^ b], bytewise(|[a, b]| [a ^ b]));
        check_planes::<W, 2, 1>(isa, "and", |[a, b]| [a & b], bytewise(|[a, b]| [a & b]));
    }

    #[inline(always)]
    pub(super) fn splats<W: Words>(isa: W::Isa) {
        let mut random = Random::new();
        for _ in 0..CONSTANTS {
            let row = random.row();
            let splat = |_| [W::Plane::splat_row(isa, &row)];
            check_planes::<W, 1, 1>(isa, "splat_row", splat, |_| [row]);
        }
    }

    #[inline(always)]
    pub(super) fn swap_bits<W: Words>(isa: W::Isa) {
        for (mask, shift) in [(0x55, 1), (0x33, 2), (0x0f, 4), (0x01, 7), (0x11, 1)] {
            check_planes::<W, 2, 2>(
                isa,
                &format!("swap_bits({mask:#x}, {shift})"),
                |[a, b]| W::Plane::swap_bits(isa, mask, shift, a, b).into(),
                bytewise(|[a, b]| {
                    [a & !(mask << shift) | (b & mask) << shift, b & !mask | a >> shift & mask]
                }),
            );
        }
    }

    #[inline(always)]
    pub(super) fn rotate_bytes<W: Words>(isa: W::Isa) {
        for (rows, columns) in (0..8).flat_map(|rows| (0..8).map(move |columns| (rows, columns))) {
            check_planes::<W, 1, 1>(
                isa,
                &format!("rotate_bytes({rows}, {columns})"),
                |[a]| [a.rotate_bytes(rows, columns)],
                |[row]| [rotated(row, rows, columns)],
            );
        }
    }

    #[inline(always)]
    pub(super) fn transpose_bytes<W: Words>(isa: W::Isa) {
        let transpose = |[a]: [W::Plane; 1]| [a.transpose_bytes()];
        check_planes::<W, 1, 1>(isa, "transpose_bytes", transpose, |[row]| [transposed(row)]);
    }

    /// In which every output depends on several inputs, and on no others.
    #[derive(Clone, Copy)]
    struct Mixed;

    impl Circuit for Mixed {
        fn apply<G: Gates>(self, bits: [G; 8]) -> [G; 8] {
            let mut mixed = bits;
            for (i, out) in mixed.iter_mut().enumerate() {
                *out = bits[i] & bits[(i + 1) % 8] ^ bits[(i + 3) % 8];
            }
            mixed
        }
    }

    #[inline(always)]
    pub(super) fn circuits<W: Words>(isa: W::Isa) {
        check_planes::<W, 8, 8>(
            isa,
            "apply",
            |planes| W::Plane::apply(Mixed, planes),
            bytewise(|bits| Mixed.apply(bits)),
        );
    }
}
