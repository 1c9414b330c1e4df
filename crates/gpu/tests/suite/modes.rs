//! ECB, CTR and XTS of every cipher against the library on the CPU.

use std::sync::Arc;

use abreast::InOutBuf;
use abreast::kernels::{Algorithm, algorithms};
use abreast::modes::{CounterWidth, Ctr as CpuCtr, Xts as CpuXts};
use abreast_gpu::{CHUNKS_UNDER_WAY, Cipher, Error, Gpu, Stopped, Xts};

use crate::common::{Random, SHORT, USUAL, around, cases, on_each};

/// The ciphers that devices have kernels for: all of the registry.
fn each_cipher(gpu: &Arc<Gpu>, mut test: impl FnMut(Algorithm, &[u8], &Cipher)) {
    for (n, &algorithm) in algorithms().iter().enumerate() {
        let key = Random::new(n as u64).bytes(algorithm.key_len());
        let cipher =
            Cipher::new(gpu, algorithm, &key).unwrap_or_else(|error| panic!("{algorithm:?}: {error}"));
        test(algorithm, &key, &cipher);
    }
}

fn widths(algorithm: Algorithm) -> &'static [CounterWidth] {
    use CounterWidth::{Bits16, Bits32, Bits64, Bits128};
    if algorithm.block_size() == 8 { &[Bits16, Bits32, Bits64] } else { &[Bits16, Bits32, Bits64, Bits128] }
}

/// Both directions of ECB, from one buffer to another and back in place.
fn check_ecb(cipher: &Cipher, key: &[u8], input: &[u8]) {
    let algorithm = cipher.algorithm();
    let cpu = algorithm.with_key(key, None).unwrap();
    let name = (algorithm.name(), input.len());
    let mut expected = vec![0; input.len()];
    cpu.encrypt_raw_blocks(InOutBuf::new(input, &mut expected).unwrap()).unwrap();
    let mut output = vec![0; input.len()];
    cipher.encrypt_raw_blocks(InOutBuf::new(input, &mut output).unwrap()).unwrap();
    assert!(output == expected, "{name:?}, encryption");
    cipher.decrypt_raw_blocks((&mut output[..]).into()).unwrap();
    assert!(output == input, "{name:?}, decryption");
}

fn check_ctr(cipher: &Cipher, key: &[u8], input: &[u8], counter: &[u8], width: CounterWidth) {
    let algorithm = cipher.algorithm();
    let mut expected = input.to_vec();
    let cpu = algorithm.with_key(key, None).unwrap();
    CpuCtr::from_cipher(cpu, counter, width).unwrap().apply(&mut expected[..]).unwrap();
    let mut output = input.to_vec();
    cipher.ctr(counter, width).unwrap().apply((&mut output[..]).into()).unwrap();
    assert!(output == expected, "{} {} {width:?} {counter:x?}", algorithm.name(), input.len());
}

fn check_xts(
    xts: &Xts,
    cpu: &CpuXts<Box<dyn abreast::BlockCipher128>>,
    input: &[u8],
    first: u128,
    unit: usize,
) {
    let mut expected = input.to_vec();
    cpu.encrypt_units(first, unit, &mut expected[..]).unwrap();
    let mut output = vec![0; input.len()];
    xts.encrypt_units(first, unit, InOutBuf::new(input, &mut output).unwrap()).unwrap();
    assert!(output == expected, "{xts:?} {} in units of {unit}, encryption", input.len());
    xts.decrypt_units(first, unit, (&mut output[..]).into()).unwrap();
    assert!(output == input, "{xts:?} {} in units of {unit}, decryption", input.len());
}

type BothXts = (Xts, CpuXts<Box<dyn abreast::BlockCipher128>>);

fn xts_of(gpu: &Arc<Gpu>, algorithm: Algorithm) -> BothXts {
    let mut random = Random::new(1);
    let keys = [random.bytes(algorithm.key_len()), random.bytes(algorithm.key_len())];
    let [data, tweak] = keys.each_ref().map(|key| algorithm.with_key_128(key, None).unwrap());
    (Xts::new(gpu, algorithm, &keys[0], &keys[1]).unwrap(), CpuXts::new(data, tweak).unwrap())
}

fn ciphers_for_xts() -> impl Iterator<Item = Algorithm> {
    algorithms().iter().copied().filter(|algorithm| algorithm.block_size() == 16)
}

#[test]
fn every_length_up_to_4096() {
    let step = |cipher: &Cipher| cipher.algorithm().block_size();
    let input = Random::new(2).bytes(4096);
    on_each(SHORT, |gpu| {
        each_cipher(gpu, |_, key, cipher| {
            for len in (0..=4096).step_by(step(cipher)) {
                check_ecb(cipher, key, &input[..len]);
            }
            let counter = vec![0xa5; step(cipher)];
            for len in 0..=4096 {
                check_ctr(cipher, key, &input[..len], &counter, CounterWidth::Bits64);
            }
        });
        for algorithm in ciphers_for_xts() {
            let (xts, cpu) = xts_of(gpu, algorithm);
            for len in (0..=4096).filter(|len| !(1..16).contains(&(len % 512))) {
                check_xts(&xts, &cpu, &input[..len], 7, 512);
            }
        }
    });
}

/// Chunks are as long as the option says, and of XTS as long as leaves room for tweaks; a group of work items is 64.
#[test]
fn around_the_borders_of_chunks_and_of_groups() {
    on_each(SHORT, |gpu| {
        let chunks =
            [SHORT, SHORT * (CHUNKS_UNDER_WAY - 1), SHORT * CHUNKS_UNDER_WAY, SHORT * (CHUNKS_UNDER_WAY + 1)];
        let input = Random::new(3).bytes(SHORT * (CHUNKS_UNDER_WAY + 2));
        each_cipher(gpu, |_, key, cipher| {
            let block = cipher.algorithm().block_size();
            let groups = [64 * block, 128 * block];
            for len in around(&[&chunks[..], &groups].concat(), block) {
                check_ecb(cipher, key, &input[..len]);
            }
            for len in around(&[&chunks[..], &groups].concat(), 1) {
                check_ctr(cipher, key, &input[..len], &vec![0xff; block], CounterWidth::Bits64);
            }
        });
        for algorithm in ciphers_for_xts() {
            let (xts, cpu) = xts_of(gpu, algorithm);
            // Blocks that share a tweak: 1, 31, 32, half of 62, 29 of 58, 1 of 37, and of units longer than a chunk.
            for blocks in [1, 2, 31, 32, 33, 37, 58, 62, 64, 256, 257, 512] {
                let run = (1..=32.min(blocks)).rev().find(|run| blocks % run == 0).unwrap();
                let payload = (SHORT - 32) / (16 * run + 16) * 16 * run;
                let unit = 16 * blocks;
                for len in around(&[payload, 2 * payload, 3 * payload, 4 * payload, unit, 3 * unit], 16) {
                    let len = len.min(input.len());
                    check_xts(&xts, &cpu, &input[..len], u128::MAX - 1, unit);
                }
                // With a part of a block at the end, where there is a block before it to steal from.
                for len in [payload + 17, 2 * payload + 31, unit + 17, 2 * unit + 18] {
                    let len = len.min(input.len());
                    if len % unit >= 16 {
                        check_xts(&xts, &cpu, &input[..len], 1 << 64, unit);
                    }
                }
            }
        }
    });
}

#[test]
fn the_usual_chunk_and_one_more() {
    on_each(USUAL, |gpu| {
        let input = Random::new(4).bytes(CHUNKS_UNDER_WAY * USUAL + USUAL + 5);
        let algorithm = Algorithm::from_name("aes-128").unwrap();
        let key = Random::new(5).bytes(16);
        let cipher = Cipher::new(gpu, algorithm, &key).unwrap();
        for len in around(&[USUAL], 1).into_iter().chain([input.len()]) {
            check_ctr(&cipher, &key, &input[..len], &[0xff; 16], CounterWidth::Bits128);
        }
        let (xts, cpu) = xts_of(gpu, algorithm);
        check_xts(&xts, &cpu, &input[..2 * USUAL + 17], 3, 1 << 20);
    });
}

#[test]
fn lengths_up_to_64_mib() {
    const MOST: usize = 64 << 20;
    on_each(USUAL, |gpu| {
        let mut random = Random::new(6);
        let input = random.bytes(MOST);
        // One of all that there is, and others drawn.
        for case in 0..cases(12) {
            let len = if case == 0 { MOST } else { random.log_uniform(MOST) };
            let algorithm = algorithms()[random.below(algorithms().len())];
            let key = random.bytes(algorithm.key_len());
            let cipher = Cipher::new(gpu, algorithm, &key).unwrap();
            let block = algorithm.block_size();
            match random.below(3) {
                0 => check_ecb(&cipher, &key, &input[..len / block * block]),
                1 if block == 16 => {
                    let unit = 16 * (1 + random.log_uniform((1 << 20) - 1));
                    let len = if (1..16).contains(&(len % unit)) { len / unit * unit } else { len };
                    let (xts, cpu) = xts_of(gpu, algorithm);
                    check_xts(&xts, &cpu, &input[..len], u128::from(random.word()), unit);
                }
                _ => check_ctr(&cipher, &key, &input[..len], &random.bytes(block), CounterWidth::Bits64),
            }
        }
    });
}

/// Counters that wrap in each of their words, at each width, within a chunk and between two chunks.
#[test]
fn counters_wrap_where_they_have_to() {
    on_each(SHORT, |gpu| {
        let input = Random::new(7).bytes(3 * SHORT);
        each_cipher(gpu, |algorithm, key, cipher| {
            let block = algorithm.block_size();
            let blocks_of_a_chunk = (SHORT / block) as u128;
            for &width in widths(algorithm) {
                for bits in [16, 32, 64, 96, 128] {
                    let ones = u128::MAX >> (128 - bits);
                    for before in
                        [0, 1, 2, 3, 64, blocks_of_a_chunk - 1, blocks_of_a_chunk, blocks_of_a_chunk + 1]
                    {
                        for above in [0, u128::MAX << (bits - 1) << 1] {
                            let counter = (above | ones.wrapping_sub(before)).to_be_bytes();
                            check_ctr(cipher, key, &input, &counter[16 - block..], width);
                        }
                    }
                }
            }
        });
    });
}

#[test]
fn counters_end_where_keystream_would_repeat() {
    on_each(SHORT, |gpu| {
        each_cipher(gpu, |algorithm, key, cipher| {
            let block = algorithm.block_size();
            let all = block << 16;
            let counter = Random::new(8).bytes(block);
            let mut ctr = cipher.ctr(&counter, CounterWidth::Bits16).unwrap();
            let mut data = vec![0; all];
            ctr.apply((&mut data[..]).into()).unwrap();
            let cpu = algorithm.with_key(key, None).unwrap();
            let mut expected = vec![0; all];
            CpuCtr::from_cipher(cpu, &counter, CounterWidth::Bits16)
                .unwrap()
                .apply(&mut expected[..])
                .unwrap();
            assert!(data == expected, "{}", algorithm.name());

            let exhausted = Stopped { error: Error::Cipher(abreast::Error::CounterExhausted), done: 0 };
            assert_eq!(ctr.apply((&mut data[..1]).into()), Err(exhausted.clone()));
            let mut ctr = cipher.ctr(&counter, CounterWidth::Bits16).unwrap();
            let mut data = vec![0; all + 1];
            assert_eq!(ctr.apply((&mut data[..]).into()), Err(exhausted));
            assert!(data.iter().all(|byte| *byte == 0), "nothing is done");
            assert_eq!(ctr.position(), 0);
        });
    });
}

#[test]
fn streams_may_be_split_anywhere() {
    on_each(SHORT, |gpu| {
        let mut random = Random::new(9);
        each_cipher(gpu, |algorithm, key, cipher| {
            let input = random.bytes(5 * SHORT);
            let counter = random.bytes(algorithm.block_size());
            let cpu = algorithm.with_key(key, None).unwrap();
            let mut expected = input.clone();
            CpuCtr::from_cipher(cpu, &counter, CounterWidth::Bits32)
                .unwrap()
                .apply(&mut expected[..])
                .unwrap();
            for _ in 0..4 {
                let mut output = input.clone();
                let mut ctr = cipher.ctr(&counter, CounterWidth::Bits32).unwrap();
                let mut at = 0;
                while at < output.len() {
                    let len = random.log_uniform(2 * SHORT).min(output.len() - at);
                    ctr.apply((&mut output[at..at + len]).into()).unwrap();
                    at += len;
                    assert_eq!(ctr.position(), at as u128);
                }
                assert!(output == expected, "{}", algorithm.name());
            }
        });
    });
}

#[test]
fn what_the_cpu_refuses_is_refused() {
    use abreast::Error::{
        CounterLength, CounterWidth as Width, EqualKeys, KeyLength, PartialBlock, UnitLength,
    };
    on_each(SHORT, |gpu| {
        let aes = Algorithm::from_name("aes-128").unwrap();
        let xtea = Algorithm::from_name("xtea").unwrap();
        assert_eq!(Cipher::new(gpu, aes, &[0; 17]).unwrap_err(), Error::Cipher(KeyLength));
        let cipher = Cipher::new(gpu, aes, &[0; 16]).unwrap();
        let before = |error| Err(Stopped { error: Error::Cipher(error), done: 0 });
        assert_eq!(cipher.encrypt_raw_blocks((&mut [0; 17][..]).into()), before(PartialBlock));
        assert_eq!(cipher.ctr(&[0; 8], CounterWidth::Bits32).err(), Some(Error::Cipher(CounterLength)));
        let small = Cipher::new(gpu, xtea, &[0; 16]).unwrap();
        assert_eq!(small.ctr(&[0; 8], CounterWidth::Bits128).err(), Some(Error::Cipher(Width)));
        assert_eq!(Xts::new(gpu, aes, &[1; 16], &[1; 16]).unwrap_err(), Error::Cipher(EqualKeys));
        let xts = Xts::new(gpu, aes, &[1; 16], &[2; 16]).unwrap();
        for (unit, len) in [(15, 15), ((16 << 20) + 16, 32), (32, 33), (512, 527)] {
            assert_eq!(xts.encrypt_units(0, unit, (&mut vec![0; len][..]).into()), before(UnitLength));
        }
        let ragged = xts.encrypt_units(0, 520, (&mut vec![0; 1040][..]).into()).unwrap_err();
        assert!(matches!(ragged.error, Error::Unsupported(_)));
    });
}
