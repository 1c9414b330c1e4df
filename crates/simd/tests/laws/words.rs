//! The laws of [`Words`](abreast_simd::Words).

/// Tests of these names: each tries the law of that name at every level, and on portable words where they are no level.
macro_rules! at_every_level {
    ($($law:ident)*) => {
        $(#[test]
        fn $law() {
            #[inline(always)]
            fn at<I: abreast_simd::WordsIsa>(isa: I) {
                laws::$law::<I::Words>(isa);
            }
            at(abreast_simd::portable::Portable);
            for level in abreast_simd::Level::detect_all() {
                abreast_simd::dispatch!(level, isa => at(isa));
            }
        })*
    };
}

pub(crate) use at_every_level;
pub(crate) use laws::check;

at_every_level! {
    memory lengths guard_pages splats gather
    sums bits rotations shifts ternary
    swap_bytes shuffle_bytes lookup rotate_bytes transpose_bytes
    unzip zip transpose
    follow times_x times_powers_of_x
}

mod laws {
    use crate::random::{CONSTANTS, Random, few};
    use crate::{harness, rotated, row_of, transposed, words_of, wordwise};
    use abreast_simd::Words;

    harness!(Words);

    #[inline(always)]
    pub(super) fn splats<W: Words>(isa: W::Isa) {
        let mut random = Random::new();
        for _ in 0..CONSTANTS {
            let (x, row) = (random.next() as u32, random.row());
            check(isa, "splat", |[_]| [W::splat(isa, x)], wordwise(|[_]| x));
            check(isa, "splat_row", |[_]| [W::splat_row(isa, &row)], |[_]| [row]);
        }
    }

    #[inline(always)]
    pub(super) fn sums<W: Words>(isa: W::Isa) {
        check(isa, "add", |[a, b]: [W; 2]| [a + b], wordwise(|[a, b]| a.wrapping_add(b)));
        check(isa, "sub", |[a, b]: [W; 2]| [a - b], wordwise(|[a, b]| a.wrapping_sub(b)));
    }

    #[inline(always)]
    pub(super) fn bits<W: Words>(isa: W::Isa) {
        check(isa, "xor", |[a, b]: [W; 2]| [a ^ b], wordwise(|[a, b]| a ^ b));
        check(isa, "and", |[a, b]: [W; 2]| [a & b], wordwise(|[a, b]| a & b));
        check(isa, "or", |[a, b]: [W; 2]| [a | b], wordwise(|[a, b]| a | b));
        check(isa, "not", |[a]: [W; 1]| [!a], wordwise(|[a]| !a));
    }

    #[inline(always)]
    pub(super) fn rotations<W: Words>(isa: W::Isa) {
        for n in 1..32 {
            let law = format!("rotl({n})");
            check(isa, &law, |[a]: [W; 1]| [a.rotl(n)], wordwise(|[a]| a.rotate_left(n)));
        }
        // Called as in ciphers: the count known, and folded into the instructions.
        macro_rules! by_constants {
            ($($n:literal)*) => { $(
                let law = concat!("rotl of constant ", $n);
                check(isa, law, |[a]: [W; 1]| [a.rotl($n)], wordwise(|[a]| a.rotate_left($n)));
            )* };
        }
        by_constants!(1 7 8 13 16 22 24 31);
    }

    #[inline(always)]
    pub(super) fn shifts<W: Words>(isa: W::Isa) {
        for n in 0..32 {
            check(isa, &format!("shl({n})"), |[a]: [W; 1]| [a.shl(n)], wordwise(|[a]| a << n));
            check(isa, &format!("shr({n})"), |[a]: [W; 1]| [a.shr(n)], wordwise(|[a]| a >> n));
        }
        check(isa, "shl 3", |[a]: [W; 1]| [a.shl(3)], wordwise(|[a]| a << 3));
        check(isa, "shr 29", |[a]: [W; 1]| [a.shr(29)], wordwise(|[a]| a >> 29));
    }

    #[inline(always)]
    pub(super) fn ternary<W: Words>(isa: W::Isa) {
        /// The function of every table, by the two hexadecimal digits of the table.
        macro_rules! every_table {
            ($($high:literal)*) => {
                [$(every_table!(@ $high: 0x0 0x1 0x2 0x3 0x4 0x5 0x6 0x7 0x8 0x9 0xa 0xb 0xc 0xd 0xe 0xf)),*]
            };
            (@ $high:literal: $($low:literal)*) => { [$(W::ternary::<{ $high << 4 | $low }>),*] };
        }
        type Ternary<W> = fn(W, W, W) -> W;
        let functions: [[Ternary<W>; 16]; 16] =
            every_table!(0x0 0x1 0x2 0x3 0x4 0x5 0x6 0x7 0x8 0x9 0xa 0xb 0xc 0xd 0xe 0xf);
        // Miri takes a second for each.
        let step = if cfg!(miri) { 51 } else { 1 };
        for (table, function) in functions.as_flattened().iter().enumerate().step_by(step) {
            let value = |a: u32, b: u32, c: u32| (table >> (4 * (a & 1) + 2 * (b & 1) + (c & 1)) & 1) as u32;
            check(
                isa,
                &format!("ternary::<{table:#04x}>"),
                |[a, b, c]: [W; 3]| [function(a, b, c)],
                wordwise(|[a, b, c]| (0..32).map(|i| value(a >> i, b >> i, c >> i) << i).sum()),
            );
        }
    }

    #[inline(always)]
    pub(super) fn swap_bytes<W: Words>(isa: W::Isa) {
        check(isa, "swap_bytes", |[a]: [W; 1]| [a.swap_bytes()], wordwise(|[a]| a.swap_bytes()));
    }

    #[inline(always)]
    pub(super) fn shuffle_bytes<W: Words>(isa: W::Isa) {
        let mut random = Random::new();
        for _ in 0..CONSTANTS {
            let pattern = random.row().map(|byte| byte % 16);
            check(
                isa,
                &format!("shuffle_bytes({pattern:?})"),
                |[a]: [W; 1]| [a.shuffle_bytes(pattern)],
                |[row]| [pattern.map(|from| row[usize::from(from)])],
            );
        }
    }

    #[inline(always)]
    pub(super) fn lookup<W: Words>(isa: W::Isa) {
        let mut random = Random::new();
        for _ in 0..CONSTANTS {
            let table = random.row();
            check(
                isa,
                &format!("lookup({table:?})"),
                |[a]: [W; 1]| [(a & W::splat(isa, 0x8f8f_8f8f)).lookup(&table)],
                |[row]| [row.map(|byte| if byte < 0x80 { table[usize::from(byte & 15)] } else { 0 })],
            );
        }
    }

    #[inline(always)]
    pub(super) fn rotate_bytes<W: Words>(isa: W::Isa) {
        for (rows, columns) in (0..8).flat_map(|rows| (0..8).map(move |columns| (rows, columns))) {
            check(
                isa,
                &format!("rotate_bytes({rows}, {columns})"),
                |[a]: [W; 1]| [a.rotate_bytes(rows, columns)],
                |[row]| [rotated(row, rows, columns)],
            );
        }
    }

    #[inline(always)]
    pub(super) fn transpose_bytes<W: Words>(isa: W::Isa) {
        check(isa, "transpose_bytes", |[a]: [W; 1]| [a.transpose_bytes()], |[row]| [transposed(row)]);
    }

    #[inline(always)]
    pub(super) fn unzip<W: Words>(isa: W::Isa) {
        check(
            isa,
            "unzip",
            |[a, b]: [W; 2]| <[W; 2]>::from(W::unzip(a, b)),
            |rows| {
                let [[a, b, c, d], [e, f, g, h]] = rows.map(words_of);
                [row_of([a, c, e, g]), row_of([b, d, f, h])]
            },
        );
    }

    #[inline(always)]
    pub(super) fn zip<W: Words>(isa: W::Isa) {
        check(
            isa,
            "zip",
            |[a, b]: [W; 2]| <[W; 2]>::from(W::zip(a, b)),
            |rows| {
                let [[a, c, e, g], [b, d, f, h]] = rows.map(words_of);
                [row_of([a, b, c, d]), row_of([e, f, g, h])]
            },
        );
    }

    #[inline(always)]
    pub(super) fn transpose<W: Words>(isa: W::Isa) {
        check(isa, "transpose", W::transpose, |rows| {
            let matrix = rows.map(words_of);
            [0, 1, 2, 3].map(|i| row_of(matrix.map(|row| row[i])))
        });
    }

    #[inline(always)]
    pub(super) fn follow<W: Words>(isa: W::Isa) {
        for size in [8, 16] {
            check_whole(
                isa,
                &format!("follow by blocks of {size} bytes"),
                |[a, before]: [W; 2]| a.shift_in(before, size),
                |[a, before]| [&before[W::BYTES - size..], &a[..W::BYTES - size]].concat(),
            );
        }
    }

    #[inline(always)]
    pub(super) fn times_x<W: Words>(isa: W::Isa) {
        for n in few(1..=24, 8) {
            check(
                isa,
                &format!("times_x({n})"),
                |[a]: [W; 1]| [a.times_x(isa, n)],
                |[row]| [crate::times_x(row, n)],
            );
        }
    }
}
