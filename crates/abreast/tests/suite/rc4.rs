//! RC4: known answers, splits and skips, many streams and many keys at every kernel, and two other libraries.

#![cfg(feature = "legacy")]

use crate::common::boundaries::{counts, lengths};
use crate::common::guarded::{End, flush, guarded};
use crate::common::{Random, both_ways, long_or_short, number, same, tally};
use abreast::rc4::{
    Message, Rc4, Stream, apply_keys, apply_keys_with_kernel, apply_many, apply_many_with_kernel,
};
use abreast::xtea::Xtea;
use abreast::{Error, InOutBuf};
use abreast_vectors::Rc4Case;
use cipher::{KeyInit, StreamCipher};

fn rc4(key: &[u8]) -> Rc4 {
    Rc4::new(key).expect("a key")
}

/// The first bytes of a keystream, by another library.
fn keystream(key: &[u8], len: usize) -> Vec<u8> {
    let mut stream = vec![0; len];
    arc4::Arc4::with_key(key).encrypt(&mut stream);
    stream
}

/// A length up to some 6 KiB: a quarter of them where the streams go another way, a quarter near a multiple of 16.
fn length(random: &mut Random) -> usize {
    match random.up_to(3) {
        0 => random.up_to(40),
        1 => random.up_to(6000),
        2 => random.pick(&lengths([], 16, 6000)),
        _ => (16 * random.up_to(150) + random.up_to(2)).saturating_sub(1),
    }
}

fn key(random: &mut Random) -> Vec<u8> {
    let len = random.pick(&[1, 5, 7, 16, 16, 20, 32, 200, 255, 256]);
    random.bytes(len)
}

/// All of RFC 6229 among them: one stream, and all keys together at each kernel.
#[test]
fn known_answers() {
    let sets = [("rc4", abreast_vectors::rc4()), ("botan_rc4", abreast_vectors::botan_rc4())];
    for (set, cases) in sets {
        check(&cases);
        cases.iter().for_each(|_| tally::case(set));
    }
}

/// Each message alone, and all of them together.
fn check(cases: &[Rc4Case]) {
    for case in cases {
        let mut stream = rc4(&case.key);
        stream.skip(case.offset as u64);
        let mut got = case.plaintext.clone();
        stream.apply(got.as_mut_slice());
        assert_eq!(got, case.ciphertext, "{}", case.name);
    }
    for kernel in Rc4::kernels() {
        let mut got: Vec<_> = cases.iter().map(|case| case.plaintext.clone()).collect();
        let mut messages: Vec<_> = cases
            .iter()
            .zip(&mut got)
            .map(|(case, data)| Message {
                key: &case.key,
                skip: case.offset as u64,
                buffer: data.as_mut_slice().into(),
            })
            .collect();
        apply_keys_with_kernel(&mut messages, kernel).expect("keys of RC4 at a kernel of its own");
        for (case, got) in cases.iter().zip(got) {
            assert_eq!(got, case.ciphertext, "{} at {kernel}", case.name);
        }
    }
}

#[test]
fn keys_of_other_lengths_are_refused() {
    assert_eq!(Rc4::new(&[]).map(|_| ()), Err(Error::KeyLength));
    assert_eq!(Rc4::new(&[1; 257]).map(|_| ()), Err(Error::KeyLength));
    let mut data = [7; 20];
    let [first, second] = data.as_chunks_mut::<10>().0 else { panic!("two of ten") };
    let mut messages = [
        Message { key: &[1], skip: 0, buffer: first.as_mut_slice().into() },
        Message { key: &[], skip: 0, buffer: second.as_mut_slice().into() },
    ];
    assert_eq!(apply_keys(&mut messages), Err(Error::KeyLength));
    assert_eq!(data, [7; 20], "nothing is done");
}

#[test]
fn kernels_of_ciphers_are_refused() {
    for kernel in Xtea::kernels() {
        assert_eq!(apply_many_with_kernel(&mut [], kernel), Err(Error::KernelUnavailable));
        assert_eq!(apply_keys_with_kernel(&mut [], kernel), Err(Error::KernelUnavailable));
    }
    for kernel in Rc4::kernels() {
        let made = Xtea::with_kernel(&[0; 16], Default::default(), 32, kernel).map(|_| ());
        assert_eq!(made, Err(Error::KernelUnavailable));
        assert!(abreast::aes::Aes128::with_kernel(&[0; 16], kernel).is_err());
    }
}

/// All that there is on this CPU, by the names that scripts use.
#[test]
fn kernels_have_names() {
    let names: Vec<_> = Rc4::kernels().map(|kernel| kernel.name()).collect();
    let lanes = abreast_simd::Level::detect_all().any(|level| level.name() == "avx512");
    let known = ["three", "two", "one", "lanes-avx512"];
    assert_eq!(names, known[..if lanes { 4 } else { 3 }]);
}

#[test]
fn every_length() {
    let mut random = Random::new(60);
    let data = random.bytes(700);
    let stream = keystream(b"every length", 700);
    for len in 0..=700 {
        let expected: Vec<u8> = data[..len].iter().zip(&stream).map(|(a, b)| a ^ b).collect();
        both_ways(
            &data[..len],
            &expected,
            len,
            || format!("{len} bytes"),
            |io| {
                rc4(b"every length").apply(io);
            },
        );
    }
}

/// Pieces, skips and keystream, in any order.
#[test]
fn splits() {
    let mut random = Random::new(61);
    for _ in 0..long_or_short(400, 40) {
        let key = key(&mut random);
        let expected = keystream(&key, 20_000);
        let (mut stream, mut at) = (rc4(&key), 0);
        while at < 12_000 {
            let len = length(&mut random);
            if random.up_to(3) == 0 {
                stream = Rc4::import(&stream.export()).expect("just exported").clone();
            }
            if random.up_to(3) == 0 {
                stream.skip(len as u64);
            } else {
                let mut piece = vec![0; len];
                match random.up_to(1) {
                    0 => stream.write_keystream(&mut piece),
                    _ => stream.apply(piece.as_mut_slice()),
                }
                same(&piece, &expected[at..at + len], || format!("{len} bytes at {at}"));
            }
            at += len;
        }
    }
}

#[test]
fn states_that_are_none_are_refused() {
    let mut state = rc4(b"some key").export();
    assert!(Rc4::import(&state).is_ok());
    state[3] = state[4];
    assert_eq!(Rc4::import(&state).map(|_| ()), Err(Error::Permutation));
    assert_eq!(Rc4::import(&[0; 258]).map(|_| ()), Err(Error::Permutation));
}

/// An imported `j` may be any byte, `i + 1` too: the states of Finney among them, which no key leads to.
#[test]
fn states_that_no_key_leads_to() {
    let mut state = rc4(b"Finney").export();
    let one = state[..256].iter().position(|byte| *byte == 1).expect("a permutation");
    state.swap(one, 4);
    (state[256], state[257]) = (3, 4);
    let mut stream = Rc4::import(&state).expect("a permutation");
    let mut got = vec![0; 5000];
    stream.write_keystream(&mut got);
    let mut expected = Vec::new();
    let (mut i, mut j) = (3_u8, 4_u8);
    for _ in 0..5000 {
        i = i.wrapping_add(1);
        j = j.wrapping_add(state[usize::from(i)]);
        state.swap(i.into(), j.into());
        let sum = state[usize::from(i)].wrapping_add(state[usize::from(j)]);
        expected.push(state[usize::from(sum)]);
    }
    same(&got, &expected, || "from a state of Finney".to_owned());
    assert_eq!(stream.export()[257], stream.export()[256].wrapping_add(1));
}

/// Streams of all lengths, under keys of all lengths, at all places.
#[test]
fn many_streams() {
    let mut random = Random::new(62);
    for count in (0..=65).step_by(long_or_short(1, 13)).chain(counts([], long_or_short(200, 20))) {
        let keys: Vec<_> = (0..count).map(|_| key(&mut random)).collect();
        let skips: Vec<_> = (0..count).map(|_| random.up_to(600)).collect();
        let scale = random.pick(&[0, 0, 6000]);
        let mut data = || {
            let len = length(&mut random) + scale;
            random.bytes(len)
        };
        let datas: Vec<_> = (0..count).map(|_| data()).collect();
        let run = |apply: &dyn Fn(&mut [Stream<'_, '_, '_>]), what: &str| {
            let mut states: Vec<_> = keys.iter().map(|key| rc4(key)).collect();
            for (state, skip) in states.iter_mut().zip(&skips) {
                state.skip(*skip as u64);
            }
            let mut outputs: Vec<_> = datas.iter().map(|data| vec![0; data.len()]).collect();
            let mut streams: Vec<_> = states
                .iter_mut()
                .zip(datas.iter().zip(&mut outputs))
                .map(|(state, (data, output))| Stream {
                    state,
                    buffer: InOutBuf::new(data, output).expect("equal lengths"),
                })
                .collect();
            apply(&mut streams);
            for (n, ((data, output), state)) in datas.iter().zip(&outputs).zip(&states).enumerate() {
                let stream = keystream(&keys[n], skips[n] + data.len() + 24);
                let expected: Vec<u8> = data.iter().zip(&stream[skips[n]..]).map(|(a, b)| a ^ b).collect();
                let what = || format!("stream {n} of {count}, {} bytes, {what}", data.len());
                same(output, &expected, what);
                let mut after = [0; 24];
                state.clone().write_keystream(&mut after);
                same(&after, &stream[skips[n] + data.len()..], what);
            }
        };
        run(&|streams| apply_many(streams), "by the best kernel");
        for kernel in Rc4::kernels() {
            run(&|streams| apply_many_with_kernel(streams, kernel).expect("its kernel"), kernel.name());
        }
    }
}

/// Streams of one length in place, so that all kernels are at their full width.
#[test]
fn many_streams_of_one_length() {
    let mut random = Random::new(63);
    for (count, len) in [(48, 8192), (33, 4100), (16, 2048), (17, 2047), (3, 512), (7, 511), (2, 20_000)] {
        let keys: Vec<_> = (0..count).map(|_| random.bytes(16)).collect();
        for kernel in Rc4::kernels() {
            let mut states: Vec<_> = keys.iter().map(|key| rc4(key)).collect();
            let mut datas = vec![vec![0; len]; count];
            let mut streams: Vec<_> = states
                .iter_mut()
                .zip(&mut datas)
                .map(|(state, data)| Stream { state, buffer: data.as_mut_slice().into() })
                .collect();
            apply_many_with_kernel(&mut streams, kernel).expect("its kernel");
            for (key, data) in keys.iter().zip(&datas) {
                same(data, &keystream(key, len), || format!("{count} streams of {len} bytes, {kernel}"));
            }
        }
    }
}

#[test]
fn many_keys() {
    let mut random = Random::new(64);
    for count in (0..=65).step_by(long_or_short(1, 13)) {
        let keys: Vec<_> = (0..count).map(|_| key(&mut random)).collect();
        let alike = random.up_to(1) == 0;
        let skips: Vec<_> =
            (0..count).map(|_| if alike { 1024 } else { random.pick(&[0, 768, 33, 3000]) }).collect();
        let mut data = || {
            let len = if alike { 64 } else { length(&mut random) };
            random.bytes(len)
        };
        let datas: Vec<_> = (0..count).map(|_| data()).collect();
        for kernel in Rc4::kernels() {
            let mut outputs = datas.clone();
            let mut messages: Vec<_> = (keys.iter().zip(&skips).zip(&mut outputs))
                .map(|((key, skip), output)| Message {
                    key,
                    skip: *skip as u64,
                    buffer: output.as_mut_slice().into(),
                })
                .collect();
            apply_keys_with_kernel(&mut messages, kernel).expect("keys and its kernel");
            for (n, (data, output)) in datas.iter().zip(&outputs).enumerate() {
                let stream = keystream(&keys[n], skips[n] + data.len());
                let expected: Vec<u8> = data.iter().zip(&stream[skips[n]..]).map(|(a, b)| a ^ b).collect();
                same(output, &expected, || format!("message {n} of {count}, {kernel}"));
            }
        }
    }
}

/// No byte beside a buffer is touched.
#[test]
fn guard_pages() {
    let [input, output] = [(); 2].map(|()| guarded(8192));
    let expected = keystream(b"guarded", 2100);
    for len in (0..=300).chain([511, 512, 1023, 2048, 2100]) {
        for end in [End::First, End::Last] {
            let (from, to) = (flush(input, end, len), flush(output, end, len));
            from.fill(0);
            rc4(b"guarded").apply(InOutBuf::new(from, to).expect("equal lengths"));
            same(to, &expected[..len], || format!("{len} bytes at the {end:?}"));
            rc4(b"guarded").apply(&mut *from);
            same(from, &expected[..len], || format!("{len} bytes in place at the {end:?}"));
        }
    }
    for kernel in Rc4::kernels() {
        for len in [600, 2048, 2100] {
            let mut pages: Vec<_> = (0..17).map(|_| guarded(4096)).collect();
            let mut states = vec![rc4(b"guarded"); 17];
            let mut streams: Vec<_> = states
                .iter_mut()
                .zip(&mut pages)
                .map(|(state, page)| Stream { state, buffer: flush(page, End::Last, len).into() })
                .collect();
            apply_many_with_kernel(&mut streams, kernel).expect("its kernel");
            for page in &mut pages {
                same(flush(page, End::Last, len), &expected[..len], || format!("{len} bytes, {kernel}"));
            }
        }
    }
}

#[test]
fn through_the_trait() {
    let mut stream = rc4(b"a trait");
    let mut data = vec![0; 300];
    stream.apply_keystream(&mut data[..7]);
    stream.write_keystream(&mut data[7..200]);
    let (head, tail) = data.split_at_mut(250);
    StreamCipher::apply_keystream_inout(&mut stream, (&mut head[200..]).into());
    stream.try_apply_keystream(tail).expect("it never ends");
    same(&data, &keystream(b"a trait", 300), || "pieces".to_owned());
    assert_eq!(format!("{stream:?}"), "Rc4 { .. }");
}

/// Random cases against two libraries; `ABREAST_CASES` and `ABREAST_SEED` as in the other tests of this kind.
#[test]
fn differential() {
    let cases = number("ABREAST_CASES").unwrap_or(long_or_short(500, 30) as u64);
    let first = number("ABREAST_SEED").unwrap_or(0x0ab2_ea57);
    for seed in first..first + cases {
        let mut random = Random::new(seed);
        let key = key(&mut random);
        let len = length(&mut random);
        let data = random.bytes(len);
        let mut expected = data.clone();
        rc4::Rc4::new_from_slice(&key).expect("a key").apply_keystream(&mut expected);
        let stream = keystream(&key, len);
        let second: Vec<u8> = data.iter().zip(stream).map(|(a, b)| a ^ b).collect();
        same(&second, &expected, || format!("the libraries do not agree, seed {seed}"));
        both_ways(&data, &expected, seed as usize, || format!("seed {seed}"), |io| rc4(&key).apply(io));
    }
}
