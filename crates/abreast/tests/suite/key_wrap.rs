//! Key wrap, alone and in batches: against the reference at every kernel, at the lengths and counts that decide a path, and what
//! is refused.

use crate::common::boundaries::{counts, lengths};
use crate::common::guarded::{End, flush, guarded, put};
use crate::common::{Random, Reference, kernels, label, long_or_short, same, tally};
use abreast::kernels::algorithms;
use abreast::modes::{Direction, KeyWrap};
use abreast::packets::{self, CipherKey, WrapPacket};
use abreast::{BlockCipher, BlockCipher128, Error};
use abreast_reference::key_wrap;

/// A way to wrap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Padding {
    Without,
    Zeros,
}

const PADDINGS: [Padding; 2] = [Padding::Without, Padding::Zeros];

impl Padding {
    fn takes(self, len: usize) -> bool {
        match self {
            Self::Without => len >= 16 && len.is_multiple_of(8),
            Self::Zeros => len > 0,
        }
    }

    fn wrapped(self, reference: &Reference, key: &[u8]) -> Vec<u8> {
        let Reference::Of16(reference) = reference else { panic!("a cipher of 128 bits") };
        match self {
            Self::Without => key_wrap::wrap(reference, key),
            Self::Zeros => key_wrap::wrap_padded(reference, key),
        }
    }

    fn alone<C: BlockCipher128>(
        self,
        direction: Direction,
        wrapping: &KeyWrap<C>,
        input: &[u8],
        output: &mut [u8],
    ) -> Result<usize, Error> {
        let len = output.len();
        match (self, direction) {
            (Self::Without, Direction::Encrypt) => wrapping.wrap(input, output).map(|()| len),
            (Self::Without, Direction::Decrypt) => wrapping.unwrap(input, output).map(|()| len),
            (Self::Zeros, Direction::Encrypt) => wrapping.wrap_padded(input, output).map(|()| len),
            (Self::Zeros, Direction::Decrypt) => wrapping.unwrap_padded(input, output),
        }
    }

    fn batch(self, direction: Direction, packets: &mut [WrapPacket<'_>]) {
        match (self, direction) {
            (Self::Without, Direction::Encrypt) => packets::key_wrap(packets),
            (Self::Without, Direction::Decrypt) => packets::key_unwrap(packets),
            (Self::Zeros, Direction::Encrypt) => packets::key_wrap_padded(packets),
            (Self::Zeros, Direction::Decrypt) => packets::key_unwrap_padded(packets),
        }
    }
}

/// A cipher under a key, at a kernel, and the reference.
struct Wrapping {
    cipher: Box<dyn BlockCipher128>,
    reference: Reference,
}

/// Every cipher with blocks of 128 bits at every kernel, `count` keys each.
fn every_kernel(random: &mut Random, count: usize) -> Vec<Vec<Wrapping>> {
    let mut all = Vec::new();
    for &algorithm in algorithms() {
        for kernel in kernels(algorithm) {
            let mut some = Vec::new();
            for _ in 0..count {
                let key = random.bytes(algorithm.key_len());
                // Ciphers with smaller blocks are refused elsewhere.
                let Ok(cipher) = algorithm.with_key_128(&key, Some(kernel)) else { break };
                some.push(Wrapping { cipher, reference: Reference::new(algorithm.name(), &key) });
            }
            if !some.is_empty() {
                all.push(some);
            }
        }
    }
    assert!(all.len() >= 6, "AES and Serpent with three sizes of keys");
    all
}

/// Bytes of keys, up to `most`, at which messages get to another class or another path: the constants count bytes of blocks, of
/// which each piece of eight bytes has six.
fn key_lengths(cipher: &dyn BlockCipher, most: usize) -> Vec<usize> {
    let mut all: Vec<_> = (1..=41).collect();
    for blocks in lengths([CipherKey::from(cipher)], 16, 12 * most) {
        let pieces = blocks / 96;
        all.extend((8 * pieces.saturating_sub(1)..=8 * (pieces + 1)).step_by(8));
    }
    all.retain(|len| *len > 0 && *len <= most);
    all.sort_unstable();
    all.dedup();
    all
}

/// A key that is wrapped or unwrapped, and its answer.
struct Member {
    input: Vec<u8>,
    answer: Vec<u8>,
    result: Result<usize, Error>,
}

/// Makes a member of a batch: of a key, of what is wrong with it, or of a wrapped key that was changed.
fn member(
    random: &mut Random,
    padding: Padding,
    direction: Direction,
    reference: &Reference,
    len: usize,
    bad: bool,
) -> Member {
    let key = random.bytes(len);
    let wrapped = padding.wrapped(reference, &key);
    match direction {
        Direction::Encrypt => Member { input: key, result: Ok(wrapped.len()), answer: wrapped },
        Direction::Decrypt if bad => {
            let mut forged = wrapped;
            let bit = random.up_to(8 * forged.len() - 1);
            forged[bit / 8] ^= 1 << (bit % 8);
            Member { answer: vec![0; forged.len() - 8], input: forged, result: Err(Error::TagMismatch) }
        }
        Direction::Decrypt => {
            let mut answer = key;
            answer.resize(wrapped.len() - 8, 0);
            Member { input: wrapped, answer, result: Ok(len) }
        }
    }
}

/// Runs members as a batch, member `at` under `keys[at % keys.len()]`, and compares every result.
fn check(
    padding: Padding,
    direction: Direction,
    keys: &[&Wrapping],
    members: &[Member],
    what: impl Fn() -> String,
) {
    let mut outputs: Vec<_> = members.iter().map(|member| vec![0x3c; member.answer.len()]).collect();
    let mut batch: Vec<_> = (members.iter().zip(&mut outputs).enumerate())
        .map(|(at, (member, output))| WrapPacket::new(&keys[at % keys.len()].cipher, &member.input, output))
        .collect();
    padding.batch(direction, &mut batch);
    let results: Vec<_> = batch.iter().map(|packet| packet.result).collect();
    for (at, ((member, output), result)) in members.iter().zip(&outputs).zip(results).enumerate() {
        let what = || {
            let len = member.input.len();
            format!("{}, {padding:?} {direction:?}, {at} of {}, {len} bytes", what(), members.len())
        };
        assert_eq!(result, member.result, "{}", what());
        same(output, &member.answer, what);
    }
    tally::packets(members.len());
}

/// Checks one key alone, at every length that decides a path.
#[test]
fn alone() {
    let mut random = Random::new(0x3394);
    for wrapping in every_kernel(&mut random, 1).iter().flatten() {
        let mode = KeyWrap::from_cipher(&*wrapping.cipher);
        let kernel = label(mode.cipher());
        for len in key_lengths(&wrapping.cipher, long_or_short(4096, 300)) {
            for padding in PADDINGS.into_iter().filter(|padding| padding.takes(len)) {
                for direction in [Direction::Encrypt, Direction::Decrypt] {
                    for bad in [false, true] {
                        let member = member(&mut random, padding, direction, &wrapping.reference, len, bad);
                        let mut output = vec![0x3c; member.answer.len()];
                        let result = padding.alone(direction, &mode, &member.input, &mut output);
                        let what = || format!("{kernel}, {padding:?} {direction:?} {len}");
                        assert_eq!(result, member.result, "{}", what());
                        same(&output, &member.answer, what);
                    }
                }
            }
        }
    }
}

/// Checks batches of every number of keys that decides a path, of one length and of many, under one wrapping key and under a key
/// each; some wrapped keys were changed.
#[test]
fn batches_of_any_number() {
    let mut random = Random::new(0x5649);
    for wrapping in every_kernel(&mut random, 7) {
        let kernel = label(&wrapping[0].cipher);
        let counts = counts([CipherKey::from(&wrapping[0].cipher)], long_or_short(150, 70));
        let most = counts.iter().copied().max().unwrap_or_default();
        for padding in PADDINGS {
            for direction in [Direction::Encrypt, Direction::Decrypt] {
                for (own_keys, mixed) in [(false, false), (true, false), (false, true), (true, true)] {
                    let keys: Vec<_> = wrapping[..if own_keys { 7 } else { 1 }].iter().collect();
                    let one_len = 16 + 8 * random.up_to(3);
                    let members: Vec<_> = (0..most)
                        .map(|at| {
                            let len = match (mixed, padding) {
                                (false, _) => one_len,
                                (true, Padding::Without) => 8 * random_len(&mut random, 2, 16),
                                (true, Padding::Zeros) => random_len(&mut random, 1, 130),
                            };
                            let bad = mixed && random.up_to(5) == 0;
                            let reference = &keys[at % keys.len()].reference;
                            member(&mut random, padding, direction, reference, len, bad)
                        })
                        .collect();
                    for &count in &counts {
                        check(padding, direction, &keys, &members[..count], || {
                            format!("{kernel}, own keys {own_keys}, mixed {mixed}")
                        });
                    }
                }
            }
        }
    }
}

/// A number whose logarithm is uniform.
fn random_len(random: &mut Random, least: usize, most: usize) -> usize {
    let bits = random.up_to(most.ilog2() as usize);
    (least.max(1 << bits) + random.up_to((1 << bits) - 1)).min(most)
}

/// Checks lengths at which the classes of a batch change, next to short ones.
#[test]
fn batches_of_long_keys() {
    let mut random = Random::new(0x800_38f);
    for wrapping in every_kernel(&mut random, 3) {
        let kernel = label(&wrapping[0].cipher);
        let keys: Vec<_> = wrapping.iter().collect();
        let lens: Vec<_> = (key_lengths(&wrapping[0].cipher, long_or_short(6000, 700)).into_iter())
            .filter(|len| *len > 200)
            .collect();
        for padding in PADDINGS {
            for direction in [Direction::Encrypt, Direction::Decrypt] {
                let mut lens: Vec<_> = lens.iter().copied().filter(|len| padding.takes(*len)).collect();
                lens.extend([16, 24, 32, 40, 48]);
                random.shuffle(&mut lens);
                let members: Vec<_> = (lens.iter().enumerate())
                    .map(|(at, len)| {
                        let reference = &keys[at % keys.len()].reference;
                        member(&mut random, padding, direction, reference, *len, at % 9 == 8)
                    })
                    .collect();
                check(padding, direction, &keys, &members, || kernel.clone());
            }
        }
    }
}

/// Checks a batch of ciphers of all kinds and kernels. Those with blocks of 64 bits are refused, and leave their outputs alone.
#[test]
fn ciphers_of_all_kinds() {
    let mut random = Random::new(0x38f);
    let wrapping: Vec<_> = every_kernel(&mut random, 2).into_iter().flatten().collect();
    let small: Vec<_> = (algorithms().iter())
        .map(|algorithm| algorithm.with_key(&random.bytes(algorithm.key_len()), None).expect("a key"))
        .filter(|cipher| cipher.block_size() == 8)
        .collect();
    assert!(!small.is_empty());
    for padding in PADDINGS {
        for direction in [Direction::Encrypt, Direction::Decrypt] {
            let members: Vec<_> = (0..200)
                .map(|at| {
                    let reference = &wrapping[at % wrapping.len()].reference;
                    member(&mut random, padding, direction, reference, 16 + 8 * (at % 5), at % 7 == 3)
                })
                .collect();
            let mut outputs: Vec<_> = members.iter().map(|member| vec![0x3c; member.answer.len()]).collect();
            let mut batch: Vec<_> = (members.iter().zip(&mut outputs).enumerate())
                .map(|(at, (member, output))| {
                    let key = if at % 11 == 5 {
                        CipherKey::from(&small[at % small.len()])
                    } else {
                        CipherKey::from(&wrapping[at % wrapping.len()].cipher)
                    };
                    WrapPacket::new(key, &member.input, output)
                })
                .collect();
            padding.batch(direction, &mut batch);
            let results: Vec<_> = batch.iter().map(|packet| packet.result).collect();
            for (at, ((member, output), result)) in members.iter().zip(&outputs).zip(results).enumerate() {
                if at % 11 == 5 {
                    assert_eq!(result, Err(Error::BlockLength));
                    assert!(output.iter().all(|byte| *byte == 0x3c), "nothing was done");
                } else {
                    assert_eq!(result, member.result, "{at}");
                    same(output, &member.answer, || format!("{padding:?} {direction:?} {at}"));
                }
            }
        }
    }
}

/// Nothing before or after the buffers is touched, alone and in batches.
#[test]
fn memory_ends() {
    let mut random = Random::new(0x5652);
    let [from, to] = [guarded(1 << 12), guarded(1 << 12)];
    for wrapping in every_kernel(&mut random, 1).iter().flatten() {
        let mode = KeyWrap::from_cipher(&*wrapping.cipher);
        for len in [1, 7, 8, 9, 16, 17, 24, 32, 40, 104] {
            for padding in PADDINGS.into_iter().filter(|padding| padding.takes(len)) {
                for (direction, end) in [
                    (Direction::Encrypt, End::First),
                    (Direction::Encrypt, End::Last),
                    (Direction::Decrypt, End::First),
                    (Direction::Decrypt, End::Last),
                ] {
                    let member = member(&mut random, padding, direction, &wrapping.reference, len, false);
                    let input = &*put(from, end, &member.input);
                    let output = flush(to, end, member.answer.len());
                    assert_eq!(padding.alone(direction, &mode, input, output), member.result);
                    same(output, &member.answer, || label(mode.cipher()));
                    // Others fill the lanes.
                    let mut others = vec![vec![0; output.len()]; 9];
                    let mut batch: Vec<_> =
                        others.iter_mut().map(|other| WrapPacket::new(&mode, input, other)).collect();
                    batch.insert(4, WrapPacket::new(&mode, input, output));
                    padding.batch(direction, &mut batch);
                    assert!(batch.iter().all(|packet| packet.result == member.result));
                    same(batch[4].output, &member.answer, || label(mode.cipher()));
                }
            }
        }
    }
}

/// Each changed bit of a wrapped key, and each header, length and padding that is not right, gives one error and zeros.
#[test]
fn anything_changed() {
    let mut random = Random::new(0x5650);
    for wrapping in every_kernel(&mut random, 1).iter().flatten() {
        let mode = KeyWrap::from_cipher(&*wrapping.cipher);
        for len in [1, 7, 8, 9, 15, 16, 17, 32, 40] {
            for padding in PADDINGS.into_iter().filter(|padding| padding.takes(len)) {
                let key = random.bytes(len);
                let wrapped = padding.wrapped(&wrapping.reference, &key);
                let forged: Vec<_> = (0..8 * wrapped.len())
                    .map(|bit| {
                        let mut forged = wrapped.clone();
                        forged[bit / 8] ^= 1 << (bit % 8);
                        forged
                    })
                    .collect();
                all_wrong(padding, &mode, &forged);
            }
        }
    }
}

/// Fails unless no wrapped key is right, alone and in a batch.
fn all_wrong(padding: Padding, mode: &KeyWrap<&dyn BlockCipher128>, forged: &[Vec<u8>]) {
    let what = label(mode.cipher());
    let mut outputs: Vec<_> = forged.iter().map(|forged| vec![0x3c; forged.len() - 8]).collect();
    for (forged, output) in forged.iter().zip(&mut outputs) {
        let result = padding.alone(Direction::Decrypt, mode, forged, output);
        assert_eq!(result, Err(Error::TagMismatch), "{what} {forged:02x?}");
        assert!(output.iter().all(|byte| *byte == 0), "{what}");
        output.fill(0x3c);
    }
    let mut batch: Vec<_> = (forged.iter().zip(&mut outputs))
        .map(|(forged, output)| WrapPacket::new(mode, forged, output))
        .collect();
    padding.batch(Direction::Decrypt, &mut batch);
    assert!(batch.iter().all(|packet| packet.result == Err(Error::TagMismatch)), "{what}");
    assert!(outputs.iter().flatten().all(|byte| *byte == 0), "{what}");
}

/// Each header that says a length, with each padding: what is right is known from the standard's three conditions.
#[test]
fn headers_and_padding() {
    let mut random = Random::new(0x5651);
    for wrapping in every_kernel(&mut random, 1).iter().flatten() {
        let mode = KeyWrap::from_cipher(&*wrapping.cipher);
        let Reference::Of16(reference) = &wrapping.reference else { panic!("a cipher of 128 bits") };
        // The key as it is wrapped, with its header: the reference decrypts one block or goes through all steps.
        for pieces in 1..=3_usize {
            let (mut right, mut wrong) = (Vec::new(), Vec::new());
            for magic in [0xa659_59a6_u32, 0xa659_59a7, 0x2659_59a6, 0xa6a6_a6a6] {
                for len in (0..=8 * pieces as u32 + 9).chain([u32::MAX, 1 << 31, 1 << 8, 1 << 16]) {
                    for zeros in 0..=8 {
                        let mut text = vec![0x77; 8 * pieces];
                        text[8 * pieces - zeros..].fill(0);
                        let padded = 8 * pieces as u32;
                        let is_right = magic == 0xa659_59a6
                            && len <= padded
                            && padded - len < 8
                            && padded - len <= zeros as u32;
                        let header = [magic.to_be_bytes(), len.to_be_bytes()].concat();
                        let wrapped = key_wrap::wrap_as(reference, &[header, text.clone()].concat());
                        if is_right {
                            right.push((wrapped, text, len as usize));
                        } else {
                            wrong.push(wrapped);
                        }
                    }
                }
            }
            assert_eq!(right.len(), (1..=8).sum::<usize>() + 8);
            all_wrong(Padding::Zeros, &mode, &wrong);
            for (wrapped, text, len) in right {
                let mut output = vec![0x3c; text.len()];
                assert_eq!(mode.unwrap_padded(&wrapped, &mut output), Ok(len), "{}", label(mode.cipher()));
                same(&output, &text, || label(mode.cipher()));
            }
        }
    }
}

/// Lengths that are refused, of keys and of outputs; nothing is written then.
#[test]
fn lengths_that_are_refused() {
    let cipher = abreast::aes::Aes128::new(&[7; 16]);
    let mode = KeyWrap::from_cipher(&cipher);
    for padding in PADDINGS {
        for direction in [Direction::Encrypt, Direction::Decrypt] {
            for len in 0..=66_usize {
                let input = vec![1; len];
                let fits = match (padding, direction) {
                    (_, Direction::Encrypt) => padding.takes(len).then(|| len.next_multiple_of(8) + 8),
                    (Padding::Without, _) => (len >= 24 && len.is_multiple_of(8)).then(|| len - 8),
                    (Padding::Zeros, _) => (len >= 16 && len.is_multiple_of(8)).then(|| len - 8),
                };
                for room in 0..=80 {
                    let mut output = vec![0x3c; room];
                    let alone = padding.alone(direction, &mode, &input, &mut output);
                    let mut other = vec![0x3c; room];
                    let mut batch = [WrapPacket::new(&mode, &input, &mut other)];
                    padding.batch(direction, &mut batch);
                    assert_eq!(batch[0].result, alone, "{padding:?} {direction:?} {len} {room}");
                    let refused = match fits {
                        None => Error::WrapLength,
                        Some(fits) if fits != room => Error::BufferLengths,
                        Some(_) => {
                            assert_eq!(alone.is_ok(), direction == Direction::Encrypt);
                            continue;
                        }
                    };
                    assert_eq!(alone, Err(refused), "{padding:?} {direction:?} {len} {room}");
                    assert!(output.iter().chain(&other).all(|byte| *byte == 0x3c), "nothing was done");
                }
            }
        }
    }
    assert_eq!(mode.padded_len(1), Ok(16));
    assert_eq!(mode.padded_len(0), Err(Error::WrapLength));
    #[cfg(target_pointer_width = "64")]
    {
        assert_eq!(mode.padded_len(u32::MAX as usize), Ok((1 << 32) + 8));
        assert_eq!(mode.padded_len(1 << 32), Err(Error::WrapLength));
    }
    assert_eq!(mode.padded_len(usize::MAX), Err(Error::WrapLength));
}

/// A batch in which each packet was not yet processed says so, whatever an earlier one left.
#[test]
fn results_of_an_earlier_batch() {
    let cipher = abreast::aes::Aes256::new(&[7; 32]);
    let (mut first, mut other) = ([0; 24], [0; 24]);
    let mut batch =
        [WrapPacket::new(&cipher, &[1; 16], &mut first), WrapPacket::new(&cipher, &[1; 15], &mut other)];
    assert!(batch.iter().all(|packet| packet.result == Err(Error::NotProcessed)));
    batch[0].result = Err(Error::TagMismatch);
    batch[1].result = Ok(3);
    packets::key_wrap(&mut batch);
    assert_eq!(batch[0].result, Ok(24));
    assert_eq!(batch[1].result, Err(Error::WrapLength));
    assert_eq!(format!("{:?}", batch[0]), "WrapPacket { len: 16, result: Ok(24), .. }");
    assert_eq!(format!("{:?}", KeyWrap::from_cipher(cipher)), "KeyWrap { .. }");
}
