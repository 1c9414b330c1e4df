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
    broadcast total unzip_and_zip gather gather_parts gather_pairs
    scatter scatter_pairs
    follow times_x times_powers_of_x
}

/// A block from fewer bytes is those and zeros, and no byte beside them is read.
#[test]
fn block_from_part() {
    use abreast_simd::Block;
    let mut random = crate::random::Random::new();
    let mut page = crate::guard::GuardedPage::new();
    for n in (0..crate::random::CONSTANTS).flat_map(|_| 0..=16) {
        let part = random.bytes(n);
        let mut padded = [0; 16];
        padded[..n].copy_from_slice(&part);
        for at_end in [false, true] {
            let slice = if at_end { page.last(n) } else { page.first(n) };
            slice.copy_from_slice(&part);
            assert_eq!(Block::from_part(slice).as_bytes(), &padded, "{n} bytes");
        }
    }
    for n in if crate::panics_abort() { 0..0 } else { 17..if cfg!(miri) { 18 } else { 40 } } {
        assert!(crate::panics(|| Block::from_part(&vec![0; n])), "{n} bytes");
    }
    let number = u128::from_le_bytes(random.row());
    assert_eq!(Block::from(number).as_bytes(), &number.to_le_bytes());
}

mod laws {
    use crate::random::{CONSTANTS, Random, few, rounds};
    use crate::{harness, row_of, wordwise};
    use abreast_simd::{Blocks, Places};

    harness!(Blocks);

    #[inline(always)]
    pub(super) fn splat<B: Blocks>(isa: B::Isa) {
        let mut random = Random::new();
        for _ in 0..CONSTANTS {
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
    pub(super) fn broadcast<B: Blocks>(isa: B::Isa) {
        let everywhere = |[a]: [&[u8]; 1]| a[..16].repeat(B::LANES);
        check_whole(isa, "broadcast", |[a]: [B; 1]| a.broadcast(), everywhere);
    }

    #[inline(always)]
    pub(super) fn total<B: Blocks>(isa: B::Isa) {
        let sum = |[a]: [&[u8]; 1]| {
            let mut sum = [0; 16];
            for (i, byte) in a.iter().enumerate() {
                sum[i % 16] ^= byte;
            }
            sum.repeat(B::LANES)
        };
        check_whole(isa, "total", |[a]: [B; 1]| a.total(), sum);
    }

    /// Every second block of two vectors side by side, from the first or from the second on; and back.
    #[inline(always)]
    pub(super) fn unzip_and_zip<B: Blocks>(isa: B::Isa) {
        let every_second = |from: usize| {
            move |[a, b]: [&[u8]; 2]| {
                let all = [a, b].concat();
                all.as_chunks::<16>().0.iter().skip(from).step_by(2).flatten().copied().collect()
            }
        };
        check_whole(isa, "unzip, first", |[a, b]: [B; 2]| B::unzip(a, b).0, every_second(0));
        check_whole(isa, "unzip, second", |[a, b]: [B; 2]| B::unzip(a, b).1, every_second(1));
        // By turns, as much of it as is one of the two vectors.
        let turns = |from: usize| {
            move |[a, b]: [&[u8]; 2]| {
                let pairs = a.as_chunks::<16>().0.iter().zip(b.as_chunks::<16>().0);
                let all: Vec<u8> = pairs.flat_map(|(a, b)| [*a, *b]).flatten().collect();
                all[from * B::BYTES..][..B::BYTES].to_vec()
            }
        };
        check_whole(isa, "zip, first", |[a, b]: [B; 2]| B::zip(a, b).0, turns(0));
        check_whole(isa, "zip, second", |[a, b]: [B; 2]| B::zip(a, b).1, turns(1));

        let mut random = Random::new();
        for _ in 0..rounds() {
            let inputs = [(); 2].map(|()| random.bytes(B::BYTES));
            let [a, b] = inputs.each_ref().map(|bytes| B::load(isa, bytes));
            let (even, odd) = B::unzip(a, b);
            let (x, y) = B::zip(even, odd);
            assert_eq!([bytes(x), bytes(y)], inputs, "{isa:?}: zip after unzip");
            let (x, y) = B::zip(a, b);
            let (even, odd) = B::unzip(x, y);
            assert_eq!([bytes(even), bytes(odd)], inputs, "{isa:?}: unzip after zip");
        }
    }

    /// Each of any length.
    #[inline(always)]
    pub(super) fn gather_parts<B: Blocks>(isa: B::Isa) {
        let mut random = Random::new();
        for n in few(0..17 * rounds(), 5) {
            let parts: Vec<_> = (0..B::LANES).map(|lane| random.bytes((n + 5 * lane) % 17)).collect();
            let gathered = B::gather_parts(
                isa,
                #[inline(always)]
                |lane| &parts[lane],
            );
            let padded = parts.iter().flat_map(|part| part.iter().copied().chain([0; 16]).take(16));
            assert_eq!(bytes(gathered), padded.collect::<Vec<_>>(), "{isa:?}: gather_parts");
        }
    }

    #[inline(always)]
    pub(super) fn gather_pairs<B: Blocks>(isa: B::Isa) {
        let mut random = Random::new();
        for _ in 0..rounds() {
            let pairs: Vec<_> = (0..7).map(|_| [random.row(), random.row()]).collect();
            let from: Vec<_> = (0..B::LANES).map(|_| random.next() as usize % pairs.len()).collect();
            let (firsts, seconds) = B::gather_pairs(
                isa,
                #[inline(always)]
                |lane| &pairs[from[lane]],
            );
            let expected = |which: usize| from.iter().flat_map(|at| pairs[*at][which]).collect::<Vec<u8>>();
            assert_eq!(bytes(firsts), expected(0), "{isa:?}: gather_pairs, firsts");
            assert_eq!(bytes(seconds), expected(1), "{isa:?}: gather_pairs, seconds");
        }
    }

    /// Places of which some are missing, in any order.
    struct Scattered<T> {
        all: Vec<T>,
        of: Vec<Option<usize>>,
    }

    impl<T: Clone> Scattered<T> {
        fn new<B: Blocks>(random: &mut Random, empty: T) -> Self {
            let first = random.next() as usize;
            let of = (0..B::LANES)
                .map(|lane| (!random.next().is_multiple_of(4)).then_some((first + 3 * lane) % 7))
                .collect();
            Self { all: vec![empty; 7], of }
        }
    }

    impl<T> Places<T> for Scattered<T> {
        #[inline(always)]
        fn of(&mut self, lane: usize) -> Option<&mut T> {
            self.all.get_mut(self.of[lane]?)
        }
    }

    /// To where there is a place, and nowhere else.
    #[inline(always)]
    pub(super) fn scatter<B: Blocks>(isa: B::Isa) {
        let mut random = Random::new();
        for _ in 0..rounds() {
            let src = random.bytes(B::BYTES);
            let mut places = Scattered::new::<B>(&mut random, [0x55; 16]);
            let mut expected = places.all.clone();
            B::load(isa, &src).scatter(&mut places);
            for (of, block) in places.of.iter().zip(src.as_chunks::<16>().0) {
                of.iter().for_each(|&at| expected[at] = *block);
            }
            assert_eq!(places.all, expected, "{isa:?}: scatter");
        }
    }

    #[inline(always)]
    pub(super) fn scatter_pairs<B: Blocks>(isa: B::Isa) {
        let mut random = Random::new();
        for _ in 0..rounds() {
            let [firsts, seconds] = [(); 2].map(|()| random.bytes(B::BYTES));
            let mut places = Scattered::new::<B>(&mut random, [[0x55; 16]; 2]);
            let mut expected = places.all.clone();
            B::scatter_pairs(B::load(isa, &firsts), B::load(isa, &seconds), &mut places);
            let pairs = firsts.as_chunks::<16>().0.iter().zip(seconds.as_chunks::<16>().0);
            for (of, (first, second)) in places.of.iter().zip(pairs) {
                of.iter().for_each(|&at| expected[at] = [*first, *second]);
            }
            assert_eq!(places.all, expected, "{isa:?}: scatter_pairs");
        }
    }

    #[inline(always)]
    pub(super) fn follow<B: Blocks>(isa: B::Isa) {
        check_whole(
            isa,
            "follow",
            |[a, before]: [B; 2]| a.shift_in(before),
            |[a, before]| [&before[B::BYTES - 16..], &a[..B::BYTES - 16]].concat(),
        );
    }

    #[inline(always)]
    pub(super) fn times_x<B: Blocks>(isa: B::Isa) {
        for n in few(1..=32, 7) {
            check(
                isa,
                &format!("times_x({n})"),
                |[a]: [B; 1]| [a.times_x(n)],
                |[row]| [crate::times_x(row, n)],
            );
        }
    }
}
