//! The laws of [`ShaRounds`](abreast_simd::ShaRounds), from the rounds and schedules of FIPS 180-4, section 6.

use crate::random::{Random, rounds};
use abreast_simd::sha::{Chain, SHA1_CONSTANTS, SHA256_CONSTANTS};
use abreast_simd::{ShaIsa, ShaLevel, ShaRounds, dispatch_sha};

/// A state, and sixteen words of a message.
struct Input {
    chain: [u32; 8],
    words: [[u32; 4]; 4],
}

/// The chaining value of words.
fn chain_of(words: [u32; 8]) -> Chain {
    let [a, b, c, d, e, f, g, h] = words;
    [crate::row_of([a, b, c, d]), crate::row_of([e, f, g, h])]
}

/// The words of a chaining value.
fn words_of(chain: &Chain) -> [u32; 8] {
    let [[a, b, c, d], [e, f, g, h]] = chain.map(crate::words_of);
    [a, b, c, d, e, f, g, h]
}

/// Tries every operation at one level, for a hash with `used` words of state.
#[inline(always)]
fn laws<R: ShaRounds>(
    isa: R::Isa,
    used: usize,
    round: impl Fn([u32; 8], u32, usize) -> [u32; 8],
    next: impl Fn(&[u32]) -> u32,
) {
    let mut random = Random::new();
    for _ in 0..rounds().div_ceil(20) {
        let mut word = || random.next() as u32;
        let mut chain = [0; 8];
        chain[..used].fill_with(&mut word);
        let words = [(); 4].map(|()| [(); 4].map(|()| word()));
        let input = Input { chain, words };
        state::<R>(isa, &input);
        for step in 0..4 * R::STEPS {
            match step / R::STEPS {
                0 => four_rounds::<R, 0>(isa, &input, step, &round, &next),
                1 => four_rounds::<R, 1>(isa, &input, step, &round, &next),
                2 => four_rounds::<R, 2>(isa, &input, step, &round, &next),
                _ => four_rounds::<R, 3>(isa, &input, step, &round, &next),
            }
            if R::UNIFORM {
                four_rounds::<R, 0>(isa, &input, step, &round, &next);
            }
        }
    }
}

/// A state is what was loaded, and the sum after a block is word by word.
#[inline(always)]
fn state<R: ShaRounds>(isa: R::Isa, input: &Input) {
    assert_eq!(stored::<R>(loaded::<R>(isa, &[[0; 16]; 2])), [0; 8]);
    let loaded = loaded::<R>(isa, &chain_of(input.chain));
    assert_eq!(stored::<R>(loaded), input.chain, "{:x?}", input.chain);
    let twice = stored::<R>(R::finish(R::begin(loaded), loaded));
    assert_eq!(twice, input.chain.map(|word| word.wrapping_add(word)), "{:x?}", input.chain);
}

/// A state of a chaining value.
#[inline(always)]
fn loaded<R: ShaRounds>(isa: R::Isa, chain: &Chain) -> R::State {
    R::load(
        isa,
        #[inline(always)]
        |_| chain,
    )
}

/// The words of a state.
#[inline(always)]
fn stored<R: ShaRounds>(state: R::State) -> [u32; 8] {
    let mut words = [0; 8];
    R::store(
        state,
        #[inline(always)]
        |_, chain| words = words_of(chain),
    );
    words
}

/// Four rounds with words of the message, and with the four after them.
#[inline(always)]
fn four_rounds<R: ShaRounds, const QUARTER: usize>(
    isa: R::Isa,
    input: &Input,
    step: usize,
    round: &impl Fn([u32; 8], u32, usize) -> [u32; 8],
    next: &impl Fn(&[u32]) -> u32,
) {
    let (chain, none) = (chain_of(input.chain), [[0; 16]; 2]);
    let rows = input.words.map(|words| crate::row_of(words.map(u32::swap_bytes)));
    let vectors = rows.each_ref().map(
        #[inline(always)]
        |row| {
            R::message(
                isa,
                #[inline(always)]
                |_| row,
            )
        },
    );
    let mut all = input.words.as_flattened().to_vec();
    for _ in 0..4 {
        all.push(next(&all));
    }
    for (vector, words) in [(vectors[0], &all[..4]), (R::schedule(vectors), &all[16..])] {
        let state = vector.rounds::<QUARTER>(R::begin(loaded::<R>(isa, &chain)), step);
        let got = stored::<R>(R::finish(state, loaded::<R>(isa, &none)));
        let numbered = words.iter().zip(4 * step..);
        let expected = numbered.fold(input.chain, |state, (word, t)| round(state, *word, t));
        assert_eq!(got, expected, "{isa:?}: step {step} of {:x?}, {:x?}", input.chain, input.words);
    }
}

/// A round of SHA-1 (section 6.1.2, step 3).
fn round_of_sha1([a, b, c, d, e, ..]: [u32; 8], word: u32, t: usize) -> [u32; 8] {
    let f = match t / 20 {
        0 => b & c ^ !b & d,
        2 => b & c ^ b & d ^ c & d,
        _ => b ^ c ^ d,
    };
    let terms = [a.rotate_left(5), f, e, SHA1_CONSTANTS[t / 20], word];
    [terms.into_iter().fold(0, u32::wrapping_add), a, b.rotate_left(30), c, d, 0, 0, 0]
}

/// The next word of the schedule of SHA-1.
fn word_of_sha1(w: &[u32]) -> u32 {
    let t = w.len();
    (w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16]).rotate_left(1)
}

/// A round of SHA-256 (section 6.2.2, step 3).
fn round_of_sha256([a, b, c, d, e, f, g, h]: [u32; 8], word: u32, t: usize) -> [u32; 8] {
    let sum = |terms: &[u32]| terms.iter().fold(0, |sum: u32, term| sum.wrapping_add(*term));
    let turned = |x: u32, by: [u32; 3]| by.into_iter().fold(0, |sum, n| sum ^ x.rotate_right(n));
    let constant = SHA256_CONSTANTS[t / 4][t % 4];
    let t1 = sum(&[h, turned(e, [6, 11, 25]), e & f ^ !e & g, constant, word]);
    let t2 = sum(&[turned(a, [2, 13, 22]), a & b ^ a & c ^ b & c]);
    [sum(&[t1, t2]), a, b, c, sum(&[d, t1]), e, f, g]
}

/// The next word of the schedule of SHA-256.
fn word_of_sha256(w: &[u32]) -> u32 {
    let t = w.len();
    let (x, y) = (w[t - 2], w[t - 15]);
    let terms = [
        x.rotate_right(17) ^ x.rotate_right(19) ^ x >> 10,
        w[t - 7],
        y.rotate_right(7) ^ y.rotate_right(18) ^ y >> 3,
        w[t - 16],
    ];
    terms.into_iter().fold(0, u32::wrapping_add)
}

#[test]
fn sha1() {
    #[inline(always)]
    fn at<I: ShaIsa>(isa: I) {
        laws::<I::Sha1>(isa, 5, round_of_sha1, word_of_sha1);
    }
    for level in ShaLevel::detect_all() {
        dispatch_sha!(level, isa => at(isa));
    }
}

#[test]
fn sha256() {
    #[inline(always)]
    fn at<I: ShaIsa>(isa: I) {
        laws::<I::Sha256>(isa, 8, round_of_sha256, word_of_sha256);
    }
    for level in ShaLevel::detect_all() {
        dispatch_sha!(level, isa => at(isa));
    }
}

/// The constants are the first bits of roots: square roots of 2, 3, 5 and 10 for SHA-1, cube roots of primes for SHA-256.
#[test]
fn constants_are_those_of_the_standard() {
    for (constant, square) in SHA1_CONSTANTS.into_iter().zip([2_u128, 3, 5, 10]) {
        let root = (square << 60).isqrt();
        assert_eq!(u128::from(constant), root);
    }
    let primes = (2_u128..).filter(|n| (2..*n).all(|divisor| n % divisor != 0));
    for (constant, prime) in SHA256_CONSTANTS.as_flattened().iter().zip(primes) {
        // The integer part of a cube root below 512, and 32 bits after it.
        let mut root = 0_u128;
        for bit in (0..35).rev() {
            let larger = root | 1 << bit;
            if larger.pow(3) <= prime << 96 {
                root = larger;
            }
        }
        assert_eq!(u128::from(*constant), root & 0xffff_ffff, "of {prime}");
    }
}
