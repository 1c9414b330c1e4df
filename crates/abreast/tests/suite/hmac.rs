//! HMAC: known answers, another implementation, batches of messages and of keys, pieces, at every kernel.

use crate::common::boundaries::counts;
use crate::common::guarded::{End, flush, guarded};
use crate::common::{Random, long_or_short, number, same, tally};
use abreast::aes::Aes128;
use abreast::hmac::{Hmac, HmacHash, Sha1, Sha256};
use abreast::packets::{self, HmacKey, HmacPacket, Packet};
use abreast::{Error, Kernel};
use abreast_vectors::MacCase;
use hmac::{KeyInit, Mac};

/// A hash with its second opinion.
trait Judged: HmacHash {
    /// Its name in the known answers.
    const NAME: &str = <Self as HmacHash>::NAME;

    /// The full tag by another implementation.
    fn expected(key: &[u8], message: &[u8]) -> Vec<u8>;
}

impl Judged for Sha1 {
    fn expected(key: &[u8], message: &[u8]) -> Vec<u8> {
        let mac = hmac::Hmac::<sha1::Sha1>::new_from_slice(key).expect("any length");
        mac.chain_update(message).finalize().into_bytes().to_vec()
    }
}

impl Judged for Sha256 {
    fn expected(key: &[u8], message: &[u8]) -> Vec<u8> {
        let mac = hmac::Hmac::<sha2::Sha256>::new_from_slice(key).expect("any length");
        mac.chain_update(message).finalize().into_bytes().to_vec()
    }
}

/// Tests of these names for each hash.
macro_rules! of_each_hash {
    ($($test:ident)*) => {
        mod sha_1 { $(#[test] fn $test() { super::$test::<abreast::hmac::Sha1>(); })* }
        mod sha_256 { $(#[test] fn $test() { super::$test::<abreast::hmac::Sha256>(); })* }
    };
}

of_each_hash! {
    known_answers every_length lengths_of_keys batches_of_any_messages batches_of_one_length batches_of_any_keys
    pieces parts batches_of_parts tags_of_other_lengths_are_refused wrong_bits_are_found guard_pages kernels_are_those_of_the_cpu
    kernels_of_ciphers_are_refused differential
}

fn at<H: Judged>(key: &[u8], kernel: Kernel) -> Hmac<H> {
    Hmac::with_kernel(key, kernel).expect("its kernel")
}

/// The places where padding takes another block, one below and one above, after some blocks.
fn edges() -> impl Iterator<Item = usize> {
    [0, 1, 2, 3, 4, 5, 8, 16, 17]
        .into_iter()
        .flat_map(|blocks| [0, 1, 31, 54, 55, 56, 57, 62, 63].into_iter().map(move |rest| 64 * blocks + rest))
}

/// A length up to some 4 KiB, of any order of magnitude, half of them at an edge.
fn length(random: &mut Random) -> usize {
    if random.up_to(1) == 0 {
        let edges: Vec<_> = edges().collect();
        return random.pick(&edges);
    }
    let bits = random.up_to(12);
    random.up_to((1 << bits) - 1)
}

/// Results of all cases, at each kernel: alone, in a batch with all others, and with keys made together.
fn known_answers<H: Judged>() {
    let wycheproof = match <H as Judged>::NAME {
        "hmac-sha-1" => ("wycheproof_hmac_sha1", abreast_vectors::wycheproof_hmac_sha1()),
        _ => ("wycheproof_hmac_sha256", abreast_vectors::wycheproof_hmac_sha256()),
    };
    for (set, mut cases) in [("hmac", abreast_vectors::hmac()), wycheproof] {
        cases.retain(|case| case.cipher == <H as Judged>::NAME);
        for kernel in Hmac::<H>::kernels() {
            answers::<H>(&cases, kernel);
        }
        cases.iter().for_each(|_| tally::case(set));
    }
}

fn answers<H: Judged>(cases: &[MacCase], kernel: Kernel) {
    assert!(cases.len() > 6);
    let verdict = |case: &MacCase| if case.valid { Ok(()) } else { Err(Error::TagMismatch) };
    let keys: Vec<_> = cases.iter().map(|case| &case.key).collect();
    let many = Hmac::<H>::many_with_kernel(&keys, kernel).expect("its kernel");
    for (case, among_many) in cases.iter().zip(&many) {
        for hmac in [&at::<H>(&case.key, kernel), among_many] {
            let hmac = hmac.with_tag_len(case.tag.len()).expect("a length of tags");
            let mut tag = vec![0; case.tag.len()];
            hmac.mac(&case.message, &mut tag).expect("a tag of that length");
            assert_eq!(tag == case.tag, case.valid, "{} at {kernel}", case.name);
            assert_eq!(hmac.verify(&case.message, &case.tag), verdict(case), "{} at {kernel}", case.name);
            tally::answer();
        }
    }
    let mut tags: Vec<_> = cases.iter().map(|case| case.tag.clone()).collect();
    let mut batch: Vec<Packet<'_, HmacKey<'_, H>>> = (cases.iter().zip(&many).zip(&mut tags))
        .map(|((case, key), tag)| {
            let key = key.with_tag_len(case.tag.len()).expect("a length of tags");
            Packet::new(key, &[], [].as_mut_slice()).with_tag(&case.message, tag)
        })
        .collect();
    packets::hmac_verify(&mut batch);
    for (case, packet) in cases.iter().zip(&batch) {
        assert_eq!(packet.result, verdict(case), "{} at {kernel}, in a batch", case.name);
    }
    packets::hmac(&mut batch);
    assert!(batch.iter().all(|packet| packet.result.is_ok()));
    for (case, tag) in cases.iter().zip(&tags) {
        assert_eq!(*tag == case.tag, case.valid, "{} at {kernel}, in a batch", case.name);
    }
    tally::packets(2 * cases.len());
}

/// All lengths of one message up to some blocks, and the edges after them.
fn every_length<H: Judged>() {
    let mut random = Random::new(90);
    let (key, data) = (random.bytes(H::TAG_LEN), random.bytes(2048));
    for len in (0..=long_or_short(400, 130)).chain(edges()) {
        let expected = H::expected(&key, &data[..len]);
        for kernel in Hmac::<H>::kernels() {
            let mut tag = vec![0; H::TAG_LEN];
            at::<H>(&key, kernel).mac(&data[..len], &mut tag).expect("a full tag");
            same(&tag, &expected, || format!("{len} bytes at {kernel}"));
        }
    }
}

/// Keys of all lengths, alone and together.
fn lengths_of_keys<H: Judged>() {
    let mut random = Random::new(91);
    let data = random.bytes(300);
    let lens: Vec<_> = (0..=long_or_short(140, 70)).chain(edges()).collect();
    for kernel in Hmac::<H>::kernels() {
        for len in &lens {
            let mut tag = vec![0; H::TAG_LEN];
            at::<H>(&data[..*len % 300], kernel).mac(b"a message", &mut tag).expect("a full tag");
            let expected = H::expected(&data[..*len % 300], b"a message");
            same(&tag, &expected, || format!("a key of {} bytes at {kernel}", len % 300));
        }
    }
}

/// Tags of messages under keys, in one batch, whose keys were made together.
fn batch<H: Judged>(random: &mut Random, kernel: Kernel, lens: &[usize], key_lens: &[usize]) {
    let keys: Vec<_> = key_lens.iter().map(|len| random.bytes(*len)).collect();
    let messages: Vec<_> = lens.iter().map(|len| random.bytes(*len)).collect();
    let made = Hmac::<H>::many_with_kernel(&keys, kernel).expect("its kernel");
    assert_eq!(made.len(), keys.len());
    let tag_len = |n: usize| if n.is_multiple_of(3) { 1 + n % H::TAG_LEN } else { H::TAG_LEN };
    let mut tags: Vec<_> = (0..lens.len()).map(|n| vec![0xee; tag_len(n)]).collect();
    let mut packets: Vec<Packet<'_, HmacKey<'_, H>>> = (tags.iter_mut().zip(&messages).enumerate())
        .map(|(n, (tag, message))| {
            let key = made[n % made.len()].with_tag_len(tag.len()).expect("a length of tags");
            Packet::new(key, &[], [].as_mut_slice()).with_tag(message, tag)
        })
        .collect();
    packets::hmac(&mut packets);
    assert!(packets.iter().all(|packet| packet.result.is_ok()));
    packets::hmac_verify(&mut packets);
    assert!(packets.iter().all(|packet| packet.result.is_ok()));
    // One bit of every second tag is wrong.
    for (n, packet) in packets.iter_mut().enumerate().step_by(2) {
        let bit = n % (8 * packet.tag.len());
        packet.tag[bit / 8] ^= 1 << (bit % 8);
    }
    packets::hmac_verify(&mut packets);
    for (n, packet) in packets.iter_mut().enumerate() {
        let expected = if n % 2 == 0 { Err(Error::TagMismatch) } else { Ok(()) };
        assert_eq!(packet.result, expected, "message {n} of {} at {kernel}", lens.len());
        if n % 2 == 0 {
            let bit = n % (8 * packet.tag.len());
            packet.tag[bit / 8] ^= 1 << (bit % 8);
        }
    }
    drop(packets);
    for (n, (tag, message)) in tags.iter().zip(&messages).enumerate() {
        let expected = H::expected(&keys[n % keys.len()], message);
        same(tag, &expected[..tag.len()], || {
            format!("message {n} of {}, {} bytes, at {kernel}", lens.len(), message.len())
        });
    }
    tally::packets(3 * lens.len());
}

/// Numbers of messages around those of lanes and of windows.
fn numbers() -> impl Iterator<Item = usize> {
    let around = [1, 2, 3, 4, 8, 16, 64, 128].into_iter().flat_map(|n| [n - 1, n, n + 1]);
    let mut all: Vec<_> = around.chain(counts([], 200)).chain(0..=long_or_short(40, 0)).collect();
    all.sort_unstable();
    all.dedup();
    all.into_iter().step_by(long_or_short(1, 3))
}

/// Batches whose messages have any lengths, short and long beside each other.
fn batches_of_any_messages<H: Judged>() {
    let mut random = Random::new(92);
    for kernel in Hmac::<H>::kernels() {
        for count in numbers() {
            let lens: Vec<_> = (0..count).map(|_| length(&mut random)).collect();
            batch::<H>(&mut random, kernel, &lens, &[20]);
        }
    }
}

/// Batches whose messages all have the same length, at each edge.
fn batches_of_one_length<H: Judged>() {
    let mut random = Random::new(93);
    for kernel in Hmac::<H>::kernels() {
        for len in edges().step_by(long_or_short(1, 5)) {
            let count = random.pick(&[1, 2, 3, 4, 5, 15, 16, 17, 33, 70]);
            batch::<H>(&mut random, kernel, &vec![len; count], &[16, 64, 65]);
        }
    }
}

/// Numbers of keys around those that are made together, of any lengths.
fn batches_of_any_keys<H: Judged>() {
    let mut random = Random::new(94);
    for kernel in Hmac::<H>::kernels() {
        for count in numbers().filter(|count| *count > 0) {
            let key_lens: Vec<_> = (0..count).map(|_| length(&mut random) % 200).collect();
            batch::<H>(&mut random, kernel, &vec![30; count], &key_lens);
        }
        assert!(Hmac::<H>::many_with_kernel(&[[0; 3]; 0], kernel).expect("its kernel").is_empty());
    }
    assert_eq!(Hmac::<H>::many(&[b"a", b"b", b"c"]).len(), 3);
}

/// Messages split anywhere, also into empty pieces, and continued from a copy.
fn pieces<H: Judged>() {
    let mut random = Random::new(95);
    for _ in 0..long_or_short(300, 20) {
        let (len, key_len) = (length(&mut random), random.up_to(100));
        let (key, message) = (random.bytes(key_len), random.bytes(len));
        let expected = H::expected(&key, &message);
        for kernel in Hmac::<H>::kernels() {
            let hmac = at::<H>(&key, kernel);
            let mut pieces = hmac.pieces();
            let mut rest = message.as_slice();
            while !rest.is_empty() {
                let (head, tail) = rest.split_at(length(&mut random).min(rest.len()));
                pieces.update(head);
                rest = tail;
                pieces = pieces.clone();
            }
            let mut tag = vec![0; H::TAG_LEN];
            pieces.clone().finish(&mut tag).expect("a full tag");
            same(&tag, &expected, || format!("{len} bytes in pieces at {kernel}"));
            assert_eq!(pieces.clone().verify(&expected), Ok(()));
            let cut = pieces.with_tag_len(10).expect("a length of tags");
            assert_eq!(cut.clone().verify(&expected[..10]), Ok(()));
            assert_eq!(cut.verify(&expected), Err(Error::TagLength));
        }
    }
}

/// Messages in three parts, of which each may be empty, less than a block or more.
fn parts<H: Judged>() {
    let mut random = Random::new(96);
    let lens = [0, 1, 4, 12, 31, 55, 56, 63, 64, 65, 127, 128, 200];
    let step = long_or_short(1, 5);
    for kernel in Hmac::<H>::kernels() {
        let hmac = at::<H>(b"in parts", kernel);
        for (first, second) in lens.into_iter().flat_map(|a| lens.map(|b| (a, b))).step_by(step) {
            for third in lens {
                let message = random.bytes(first + second + third);
                let (head, rest) = message.split_at(first);
                let (middle, end) = rest.split_at(second);
                let mut tag = vec![0; H::TAG_LEN];
                hmac.mac_of_parts([head, middle, end], &mut tag).expect("a full tag");
                same(&tag, &H::expected(b"in parts", &message), || {
                    format!("{first}, {second} and {third} bytes at {kernel}")
                });
            }
        }
        assert_eq!(hmac.mac_of_parts([&[]; 3], &mut [0; 19]), Err(Error::TagLength));
    }
}

/// Batches of messages cut in three anywhere, also before the first byte and after the last.
fn batches_of_parts<H: Judged>() {
    let mut random = Random::new(97);
    for kernel in Hmac::<H>::kernels() {
        for count in numbers() {
            let keys: Vec<_> = (0..count).map(|_| random.bytes(20)).collect();
            let made = Hmac::<H>::many_with_kernel(&keys, kernel).expect("its kernel");
            let lens: Vec<_> = (0..count).map(|_| length(&mut random)).collect();
            let messages: Vec<_> = lens.iter().map(|len| random.bytes(*len)).collect();
            let mut tags: Vec<_> = (0..count).map(|n| vec![0xee; 1 + n % H::TAG_LEN]).collect();
            let mut packets = Vec::new();
            for (tag, (key, message)) in tags.iter_mut().zip(made.iter().zip(&messages)) {
                let (head, rest) = message.split_at(random.up_to(message.len()));
                let (middle, end) = rest.split_at(random.up_to(rest.len()));
                let key = key.with_tag_len(tag.len()).expect("a length of tags");
                packets.push(HmacPacket::new(key, [head, middle, end], tag));
            }
            packets::hmac_of_parts(&mut packets);
            assert!(packets.iter().all(|packet| packet.result.is_ok()));
            // The first bit of every second tag is wrong.
            packets.iter_mut().step_by(2).for_each(|packet| packet.tag[0] ^= 0x80);
            packets::hmac_verify_of_parts(&mut packets);
            for (n, packet) in packets.iter_mut().enumerate() {
                let expected = if n % 2 == 0 { Err(Error::TagMismatch) } else { Ok(()) };
                assert_eq!(packet.result, expected, "message {n} of {count} at {kernel}");
                packet.tag[0] ^= if n % 2 == 0 { 0x80 } else { 0 };
            }
            drop(packets);
            for ((tag, key), message) in tags.iter().zip(&keys).zip(&messages) {
                same(tag, &H::expected(key, message)[..tag.len()], || {
                    format!("{} bytes in parts, one of {count}, at {kernel}", message.len())
                });
            }
            tally::packets(2 * count);
        }
    }
    let hmac = Hmac::<H>::new(b"key");
    let mut packet = [HmacPacket::new(&hmac, [&[]; 3], &mut [])];
    packets::hmac_of_parts(&mut packet);
    assert_eq!(packet[0].result, Err(Error::TagLength));
}

fn tags_of_other_lengths_are_refused<H: Judged>() {
    let hmac = Hmac::<H>::new(b"key");
    let full = H::expected(b"key", b"message");
    for len in 0..=H::TAG_LEN + 9 {
        let expected = if len == H::TAG_LEN { Ok(()) } else { Err(Error::TagLength) };
        let mut tag = vec![0xee; len];
        assert_eq!(hmac.mac(b"message", &mut tag), expected);
        assert_eq!(tag, if expected.is_ok() { full.clone() } else { vec![0xee; len] });
        let mut given = full.clone();
        given.resize(len, 0);
        assert_eq!(hmac.verify(b"message", &given), expected);
        assert_eq!(hmac.pieces().finish(&mut tag), expected);
        let mut packet =
            [Packet::<HmacKey<'_, H>>::new(&hmac, &[], [].as_mut_slice()).with_tag(b"message", &mut given)];
        packets::hmac_verify(&mut packet);
        assert_eq!(packet[0].result, expected);
        let made = hmac.with_tag_len(len);
        match 1 <= len && len <= H::TAG_LEN {
            true => assert_eq!(made.expect("a length of tags").verify(b"message", &full[..len]), Ok(())),
            false => assert_eq!(made.map(|_| ()), Err(Error::TagLength)),
        }
        assert_eq!(hmac.pieces().with_tag_len(len).is_ok(), 1 <= len && len <= H::TAG_LEN);
    }
}

/// No bit of a tag, of any length, may be wrong.
fn wrong_bits_are_found<H: Judged>() {
    let hmac = Hmac::<H>::new(b"key");
    let full = H::expected(b"key", b"message");
    for len in 1..=H::TAG_LEN {
        let cut = hmac.with_tag_len(len).expect("a length of tags");
        for bit in 0..8 * len {
            let mut tag = full[..len].to_vec();
            tag[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(cut.verify(b"message", &tag), Err(Error::TagMismatch), "bit {bit} of {len} bytes");
        }
    }
}

/// No byte beside a message is read, and none beside a tag written.
fn guard_pages<H: Judged>() {
    let [message, tag] = [(); 2].map(|()| guarded(8192));
    let mut many: Vec<_> = (0..17).map(|_| guarded(4096)).collect();
    for kernel in Hmac::<H>::kernels() {
        let hmac = at::<H>(b"guarded", kernel);
        for len in (0..=130).chain(edges()) {
            for end in [End::First, End::Last] {
                let (from, to) = (flush(message, end, len), flush(tag, end, H::TAG_LEN));
                from.fill(7);
                hmac.mac(from, to).expect("a full tag");
                same(to, &H::expected(b"guarded", from), || {
                    format!("{len} bytes at the {end:?} at {kernel}")
                });
                assert_eq!(hmac.verify(from, to), Ok(()));
            }
        }
        for len in [0, 55, 64, 100, 300] {
            let mut tags = vec![vec![0; H::TAG_LEN]; many.len()];
            let messages: Vec<_> = many.iter_mut().map(|page| &*flush(page, End::Last, len)).collect();
            let mut batch: Vec<Packet<'_, HmacKey<'_, H>>> = (messages.iter().zip(&mut tags))
                .map(|(message, tag)| Packet::new(&hmac, &[], [].as_mut_slice()).with_tag(message, tag))
                .collect();
            packets::hmac(&mut batch);
            let expected = H::expected(b"guarded", messages[0]);
            assert!(tags.iter().all(|tag| *tag == expected), "{len} bytes at {kernel}");
        }
    }
}

/// The kernels with instructions come first if the CPU has them, then those of words, by their names.
fn kernels_are_those_of_the_cpu<H: Judged>() {
    let names: Vec<_> = Hmac::<H>::kernels().map(Kernel::name).collect();
    let words: Vec<_> = abreast_simd::Level::detect_all().rev().map(|level| level.name()).collect();
    let mut expected = Vec::new();
    if let Some(level) = abreast_simd::ShaLevel::detect_all().next() {
        expected.extend((words[0] == "avx512").then_some("sha-ni-avx512"));
        expected.push(level.name());
    }
    expected.extend(words);
    assert_eq!(names, expected);
    assert_eq!(Hmac::<H>::new(b"").kernel().name(), expected[0]);
    for kernel in Hmac::<H>::kernels() {
        assert_eq!(at::<H>(b"", kernel).kernel(), kernel);
        assert!(Aes128::with_kernel(&[0; 16], kernel).is_err());
    }
}

fn kernels_of_ciphers_are_refused<H: Judged>() {
    for kernel in Aes128::kernels() {
        assert_eq!(Hmac::<H>::with_kernel(b"key", kernel).map(|_| ()), Err(Error::KernelUnavailable));
        let many = Hmac::<H>::many_with_kernel(&[b"key"], kernel);
        assert_eq!(many.map(|_| ()), Err(Error::KernelUnavailable));
    }
}

/// Random batches; `ABREAST_CASES` and `ABREAST_SEED` as in the other tests of this kind.
fn differential<H: Judged>() {
    let cases = number("ABREAST_CASES").unwrap_or(long_or_short(300, 10) as u64);
    let first = number("ABREAST_SEED").unwrap_or(0x0ab2_ea57);
    let kernels: Vec<_> = Hmac::<H>::kernels().collect();
    for seed in first..first + cases {
        let mut random = Random::new(seed);
        let (messages, keys) = (random.up_to(140), 1 + random.up_to(40));
        let lens: Vec<_> = (0..messages).map(|_| length(&mut random)).collect();
        let key_lens: Vec<_> = (0..keys).map(|_| length(&mut random) % 150).collect();
        let kernel = random.pick(&kernels);
        batch::<H>(&mut random, kernel, &lens, &key_lens);
    }
}
