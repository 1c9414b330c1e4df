//! Packets: every message of a batch has the same result as by itself, whatever lies beside it.

use crate::common::boundaries::{counts as boundary_counts, lengths as boundary_lengths};
use crate::common::packets::{How, Kind, Member, Pool, check, random_parts, test_per_how};
use crate::common::{Random, long_or_short, number, same};
use abreast::BlockCipher;
use abreast::modes::Direction;
use abreast::packets::{self, Packet};
use abreast::xtea::Xtea;

/// Lengths that matter: nothing, around a block of either size, and some.
const LENGTHS: [usize; 16] = [0, 1, 7, 8, 9, 15, 16, 17, 24, 31, 32, 33, 48, 64, 100, 256];

/// Mostly short ones.
fn length(random: &mut Random) -> usize {
    match random.up_to(9) {
        0..5 => random.pick(&LENGTHS),
        5..8 => random.up_to(130),
        8 => random.up_to(600),
        _ => random.up_to(1700),
    }
}

/// Up to some of the widest batches, and one more.
fn counts() -> impl Iterator<Item = usize> {
    (0..=65).step_by(long_or_short(1, 13))
}

/// In place, from buffer to buffer, or by turns.
fn in_place(way: usize, at: usize) -> bool {
    match way % 3 {
        0 => true,
        1 => false,
        _ => at % 3 == 1,
    }
}

/// Every number of messages, under keys of one cipher at one kernel: all different.
fn one_cipher(how: How) {
    let mut random = Random::new(301);
    for kind in Kind::all().into_iter().filter(|kind| how.suits(*kind)) {
        let lengths: Vec<_> = (0..97).map(|_| (kind, length(&mut random))).collect();
        let pool = Pool::new(&mut random, how, lengths);
        for &direction in how.directions() {
            for form in (0..pool.forms(0)).step_by(long_or_short(1, 3)) {
                for count in counts() {
                    let batch: Vec<_> = (0..count)
                        .map(|at| pool.member(direction, count + at, form, in_place(count + form, at)))
                        .collect();
                    check("one cipher", how, direction, &batch);
                }
            }
        }
    }
}
test_per_how!(one_cipher);

/// In such batches nothing but the lane differs.
fn equal_lengths(how: How) {
    let mut random = Random::new(302);
    let kinds = [Kind::listed("aes-128"), Kind::listed("aes-256"), Kind::Serpent(32), Kind::listed("xtea")];
    for kind in kinds.into_iter().filter(|kind| how.suits(*kind)) {
        let mut lengths = [LENGTHS.as_slice(), &[1024, 1700]].concat();
        lengths.iter_mut().for_each(|len| *len = how.length(*len, kind.block()));
        lengths.dedup();
        for len in lengths.into_iter().step_by(long_or_short(1, 7)) {
            let pool = Pool::new(&mut random, how, [(kind, len); 66]);
            for &direction in how.directions() {
                for form in (0..pool.forms(0)).step_by(long_or_short(1, 3)) {
                    // Slow kernels have fewer lanes.
                    let counts = [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 65];
                    for count in counts.into_iter().filter(|count| len < 1000 || *count < 18) {
                        let way = count + len;
                        let batch: Vec<_> = (0..count)
                            .map(|at| pool.member(direction, 3 * count + at, form, in_place(way, at)))
                            .collect();
                        check("equal lengths", how, direction, &batch);
                    }
                }
            }
        }
    }
}
test_per_how!(equal_lengths);

/// Ciphers, sizes of keys, kernels and forms side by side, in the order of chance, with some that are long.
fn all_together(how: How) {
    let mut random = Random::new(303);
    let messages: Vec<_> = (0..331)
        .map(|at| {
            let len = if at % 37 == 5 { 5000 } else { length(&mut random) };
            (random.pick(&Kind::all()), len)
        })
        .collect();
    let pool = Pool::new(&mut random, how, messages);
    let wide = [127, 128, 129, 255, 256, 257, 511, 512, 513, 600, 771];
    for &direction in how.directions() {
        for (way, count) in counts().chain(wide).enumerate() {
            let batch: Vec<_> = (0..count)
                .map(|at| {
                    let which = 7 * count + at;
                    let form = random.up_to(pool.forms(which) - 1);
                    pool.member(direction, which, form, in_place(way, at))
                })
                .collect();
            check("all together", how, direction, &batch);
        }
    }
}
test_per_how!(all_together);

/// The very same message many times, and many messages under one key.
fn shared_keys(how: How) {
    let mut random = Random::new(304);
    let kinds = [Kind::listed("aes-192"), Kind::Serpent(17), Kind::listed("xtea-be")];
    for kind in kinds.into_iter().filter(|kind| how.suits(*kind)) {
        let pool = Pool::new(&mut random, how, [0, 16, 40, 333].map(|len| (kind, len)));
        let parts: Vec<_> =
            (0..70).map(|at| random_parts(&mut random, how, kind, [16, 17 * at % 200][at % 2])).collect();
        for form in 0..pool.forms(0) {
            let (judge, key) = (pool.key(1, 0), pool.key(1, form));
            for &direction in how.directions() {
                for which in 0..pool.len() {
                    check(
                        "one message",
                        how,
                        direction,
                        &vec![pool.member(direction, which, form, true); 35],
                    );
                }
                for count in [2, 3, 8, 17, 33, 70] {
                    let batch: Vec<_> = parts[..count]
                        .iter()
                        .map(|plain| {
                            let encrypted =
                                Member::judged(how, Direction::Encrypt, judge, key, plain.clone());
                            match direction {
                                Direction::Encrypt => encrypted,
                                Direction::Decrypt => {
                                    Member::judged(how, direction, judge, key, encrypted.after)
                                }
                            }
                        })
                        .collect();
                    assert!(batch.iter().all(|member| member.result == Ok(())));
                    check("one key", how, direction, &batch);
                }
            }
        }
    }
}
test_per_how!(shared_keys);

/// Long messages of one length class, not in the order of their lengths, and a short one among them: the rows of a
/// group are those of its longest message, which need not be its last.
fn one_length_class(how: How) {
    let mut random = Random::new(307);
    for kind in [Kind::listed("aes-128"), Kind::Serpent(32), Kind::listed("xtea")]
        .into_iter()
        .filter(|kind| how.suits(*kind))
    {
        for lengths in [[3104, 48, 3088], [3680, 48, 3088], [4095, 3073, 3081]] {
            let pool = Pool::new(&mut random, how, lengths.map(|len| (kind, len)));
            for &direction in how.directions() {
                for form in 0..pool.forms(0) {
                    for count in [3, long_or_short(40, 3)] {
                        let batch: Vec<_> = (0..count)
                            .map(|at| pool.member(direction, at, form, in_place(form, at)))
                            .collect();
                        check("one length class", how, direction, &batch);
                    }
                }
            }
        }
    }
}
test_per_how!(one_length_class);

/// Messages whose lengths are those at which a kernel or a batch goes another way, all of them in one batch, and any of
/// them beside any other, in as many packets as make a difference.
fn boundaries(how: How) {
    let mut random = Random::new(308);
    for kind in [Kind::listed("aes-128"), Kind::Serpent(32), Kind::listed("xtea")]
        .into_iter()
        .filter(|kind| how.suits(*kind))
    {
        let keys: Vec<_> = kind
            .kernels()
            .iter()
            .map(|kernel| kind.key(&random.bytes(kind.key_len()), *kernel, false))
            .collect();
        let most = long_or_short(16_500, 3200);
        let mut lengths = boundary_lengths(keys.iter().map(|key| key.cipher()), kind.block(), most);
        lengths.iter_mut().for_each(|len| *len = how.length(*len, kind.block()));
        lengths.dedup();
        let counts = boundary_counts(keys.iter().map(|key| key.cipher()), long_or_short(129, 20));
        let pool = Pool::new(&mut random, how, lengths.iter().map(|len| (kind, *len)));
        let mut order: Vec<_> = (0..pool.len()).collect();
        for &direction in how.directions() {
            for form in 0..pool.forms(0) {
                random.shuffle(&mut order);
                let all: Vec<_> =
                    order.iter().map(|at| pool.member(direction, *at, form, in_place(form, *at))).collect();
                check("all boundaries", how, direction, &all);
                for count in counts.iter().copied() {
                    let batch: Vec<_> = (0..count)
                        .map(|at| {
                            let which = random.up_to(pool.len() - 1);
                            pool.member(direction, which, form, in_place(count, at))
                        })
                        .collect();
                    check("boundaries", how, direction, &batch);
                }
            }
        }
    }
}
test_per_how!(boundaries);

/// More than any number of lanes, or of bits of an index.
fn very_many(how: How) {
    let mut random = Random::new(305);
    let messages: Vec<_> = (0..long_or_short(2003, 401))
        .map(|at| (random.pick(&Kind::all()), if at % 500 == 7 { 1700 } else { random.pick(&LENGTHS) / 2 }))
        .collect();
    // At the best kernels, which this many messages are for.
    let pool = Pool::with_forms(&mut random, how, messages, 1);
    let count = long_or_short(65_537, 2_003);
    for &direction in how.directions() {
        let batch: Vec<_> =
            (0..count).map(|at| pool.member(direction, at, 0, in_place(at / 1000, at))).collect();
        check("very many", how, direction, &batch);
    }
}
test_per_how!(very_many);

/// Checks a very large batch with a key for each message; keys of XTEA are small.
#[test]
fn very_many_keys() {
    let mut random = Random::new(306);
    let count = long_or_short(65_537, 2_003);
    let keys: Vec<_> = (0..count).map(|_| Xtea::new(&random.block())).collect();
    let texts: Vec<_> = (0..count).map(|at| random.bytes(8 * (at % 5))).collect();
    let mut got = texts.clone();
    let mut batch: Vec<_> =
        (keys.iter().zip(&mut got)).map(|(key, text)| Packet::new(key, &[], text.as_mut_slice())).collect();
    packets::ecb_encrypt(&mut batch);
    assert!(batch.iter().all(|packet| packet.result == Ok(())));
    for (at, (key, mut text)) in keys.iter().zip(texts).enumerate() {
        assert_eq!(key.encrypt_raw_blocks(text.as_mut_slice().into()), Ok(()));
        same(&got[at], &text, || format!("packet {at}"));
    }
}

fn random_batches(how: How) {
    let cases = number("ABREAST_CASES").unwrap_or(long_or_short(40, 3) as u64);
    let first = number("ABREAST_SEED").unwrap_or(0x9ac_ce75);
    for seed in first..first + cases {
        let mut random = Random::new(seed);
        let (count, most) = (1 + random.up_to(80), random.pick(&[16, 16, 64, 300, 1700]));
        let kinds = [random.pick(&Kind::all()), random.pick(&Kind::all())];
        let messages: Vec<_> = (0..count).map(|_| (random.pick(&kinds), random.up_to(most))).collect();
        let pool = Pool::new(&mut random, how, messages);
        for &direction in how.directions() {
            let form = random.up_to(9);
            let batch: Vec<_> =
                (0..pool.len()).map(|at| pool.member(direction, at, form, random.up_to(1) == 0)).collect();
            check(&format!("seed {seed}"), how, direction, &batch);
        }
    }
}
test_per_how!(random_batches);
