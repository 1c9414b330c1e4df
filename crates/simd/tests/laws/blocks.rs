//! The laws of [`Blocks`](abreast_simd::Blocks).

/// Tests of these names: each tries the law of that name, in the module `laws` beside it, at every
/// level that computes on blocks. The portable one is not among the levels with AES rounds.
macro_rules! at_every_level {
    ($($law:ident)*) => {
        $(#[test]
        fn $law() {
            #[inline(always)]
            fn at<I: abreast_simd::AesIsa>(isa: I) {
                laws::$law::<I::Blocks>(isa);
            }
            use abreast_simd::portable::{Portable, SoftBlock};
            laws::$law::<SoftBlock>(Portable);
            for level in abreast_simd::AesLevel::detect_all() {
                abreast_simd::dispatch_aes!(level, isa => at(isa));
            }
        })*
    };
}
pub(crate) use at_every_level;
pub(crate) use laws::check;

at_every_level! {
    memory lengths guard_pages splat first_lane
    bits add_words reverse_bytes count fold
    follow times_x times_powers_of_x
}

mod laws {
    use crate::random::{Random, rounds};
    use crate::{harness, row_of, wordwise};
    use abreast_simd::Blocks;

    harness!(Blocks);

    #[inline(always)]
    pub(super) fn splat<B: Blocks>(isa: B::Isa) {
        let mut random = Random::new();
        for _ in 0..20 {
            let block = random.row();
            check(isa, "splat", |[_]| [B::splat(isa, &block)], |[_]| [block]);
        }
    }

    #[inline(always)]
    pub(super) fn first_lane<B: Blocks>(isa: B::Isa) {
        let mut random = Random::new();
        for _ in 0..rounds() {
            let (block, all) = (random.row(), random.bytes(B::BYTES));
            let mut alone = block.to_vec();
            alone.resize(B::BYTES, 0);
            assert_eq!(bytes(B::first(isa, &block)), alone, "{isa:?}: first");
            assert_eq!(B::load(isa, &all).to_first(), all[..16], "{isa:?}: to_first");
        }
    }

    #[inline(always)]
    pub(super) fn bits<B: Blocks>(isa: B::Isa) {
        check(isa, "xor", |[a, b]: [B; 2]| [a ^ b], wordwise(|[a, b]| a ^ b));
        check(isa, "and", |[a, b]: [B; 2]| [a & b], wordwise(|[a, b]| a & b));
    }

    #[inline(always)]
    pub(super) fn add_words<B: Blocks>(isa: B::Isa) {
        let sum = wordwise(|[a, b]| a.wrapping_add(b));
        check(isa, "add_words", |[a, b]: [B; 2]| [a.add_words(b)], sum);
    }

    #[inline(always)]
    pub(super) fn reverse_bytes<B: Blocks>(isa: B::Isa) {
        check(
            isa,
            "reverse_bytes",
            |[a]: [B; 1]| [a.reverse_bytes()],
            |[mut row]| {
                row.reverse();
                [row]
            },
        );
    }

    /// From anywhere, and across the end of the numbers.
    #[inline(always)]
    pub(super) fn count<B: Blocks>(isa: B::Isa) {
        let mut random = Random::new();
        let anywhere = (0..rounds()).map(|_| random.next() as u32);
        for base in anywhere.chain(0..8).chain(u32::MAX - 8..=u32::MAX) {
            let lanes = 0..B::LANES as u32;
            let numbers: Vec<_> = lanes.flat_map(|lane| row_of([base.wrapping_add(lane), 0, 0, 0])).collect();
            assert_eq!(bytes(B::count(isa, base)), numbers, "{isa:?}: count({base})");
        }
    }

    #[inline(always)]
    pub(super) fn fold<B: Blocks>(isa: B::Isa) {
        let mut random = Random::new();
        for _ in 0..rounds() {
            let all = random.bytes(B::BYTES);
            let mut sum = vec![0; B::BYTES];
            for (i, byte) in all.iter().enumerate() {
                sum[i % 16] ^= byte;
            }
            assert_eq!(bytes(B::load(isa, &all).fold()), sum, "{isa:?}: fold");
        }
    }

    #[inline(always)]
    pub(super) fn follow<B: Blocks>(isa: B::Isa) {
        check_whole(
            isa,
            "follow",
            |[a, before]: [B; 2]| a.follow(before),
            |[a, before]| [&before[B::BYTES - 16..], &a[..B::BYTES - 16]].concat(),
        );
    }

    #[inline(always)]
    pub(super) fn times_x<B: Blocks>(isa: B::Isa) {
        for n in 1..=8 {
            check(
                isa,
                &format!("times_x({n})"),
                |[a]: [B; 1]| [a.times_x(n)],
                |[row]| [crate::times_x(row, n)],
            );
        }
    }
}
