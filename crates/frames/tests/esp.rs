//! ESP as a whole: packets of documents and of scapy, random batches against single calls, malformed packets.

mod common;

use abreast::aes::{Aes128, Aes192, Aes256};
use abreast::hmac::{Hmac, Sha1, Sha256};
use abreast::modes::{Cbc, CounterWidth, Ctr, Gcm};
use abreast::{BlockCipher128, Kernel};
use abreast_frames::PacketError;
use abreast_frames::ipsec::{Association, EspAlgorithms, EspAuthentication, EspPacket, EspSuite, open, seal};
use abreast_vectors::esp;
use common::{Random, counts, kernels};

/// Seals a text at all kernels and opens the packet again. A packet without a tag is compared as far as it goes.
fn known(suite: EspSuite<'_>, [spi, sequence]: [u64; 2], extended: bool, text: &[u8], packet: &[u8]) {
    let best = Association::new(spi as u32, suite).expect("keys");
    let at = |kernels| Association::with_kernels(spi as u32, suite, kernels).expect("kernels");
    for association in kernels().into_iter().map(at).chain([best]) {
        let association = if extended { association.with_extended_numbers() } else { association };
        assert_eq!(association.spi(), spi as u32);
        let (front, len) = (association.front(), association.front() + text.len());
        let mut buffer = vec![0xee; len + association.tag_len() + 3];
        buffer[front..len].copy_from_slice(text);
        let mut batch = [EspPacket::new(&association, sequence, &packet[8..front], &mut buffer, len)];
        assert_eq!((batch[0].text(), batch[0].sequence()), (None, None));
        seal(&mut batch);
        let sealed = len + association.tag_len();
        assert_eq!((batch[0].result, batch[0].sequence()), (Ok(sealed), Some(sequence)));
        assert_eq!(buffer[..packet.len()], *packet, "{suite:?}");
        assert_eq!(buffer[sealed..], [0xee; 3]);
        let mut batch = [EspPacket::received(&association, (sequence >> 32) as u32, &mut buffer, sealed)];
        open(&mut batch);
        assert_eq!((batch[0].result, batch[0].sequence()), (Ok(len), Some(sequence)));
        assert_eq!(batch[0].text(), Some(text));
    }
}

/// Packets of RFC 3602, of a draft for RFC 4106 and of scapy. Those that the RFC has no tags of are compared as far as they go.
#[test]
fn known_packets() {
    for case in esp() {
        let suite = named(&case.suite).with_keys(&case.key, &case.authentication_key).expect("keys");
        known(suite, [case.spi.into(), case.sequence], case.extended, &case.text, &case.packet);
    }
}

/// The algorithms of a name.
fn named(name: &str) -> EspAlgorithms {
    EspAlgorithms::ALL.into_iter().find(|one| one.name() == name).expect("a name of algorithms")
}

/// Salt comes after the key, where there is one, and GCM takes no other key.
#[test]
fn algorithms_with_keys() {
    let (material, tags): (Vec<u8>, [u8; 32]) = ((0..40).collect(), [9; 32]);
    for algorithms in EspAlgorithms::ALL {
        let salted = !algorithms.name().contains("cbc");
        for len in 0..40 {
            let made = algorithms
                .with_keys(&material[..len], if algorithms.name() == "aes-gcm" { &[] } else { &tags });
            let (mut expected, salt) = (len, if salted { 4 } else { 0 });
            match made {
                Err(error) => {
                    assert!(salted && len < 4 && error == PacketError::KeyLength, "{algorithms:?}, {len}")
                }
                Ok(EspSuite::Cbc { key, authentication } | EspSuite::Counter { key, authentication, .. }) => {
                    expected -= salt;
                    assert_eq!(key, &material[..expected]);
                    let sha1 = matches!(authentication, EspAuthentication::HmacSha1(key) if key == tags);
                    assert_eq!(sha1, algorithms.name().contains("sha1"));
                }
                Ok(EspSuite::Gcm { key, salt: last }) => {
                    assert_eq!([key, &last].concat(), material[..len]);
                    assert_eq!(algorithms, EspAlgorithms::Gcm);
                }
            }
            if let Ok(EspSuite::Counter { nonce, .. }) = made {
                assert_eq!(nonce, material[len - 4..len]);
            }
        }
    }
    assert_eq!(EspAlgorithms::Gcm.with_keys(&material[..20], &tags).err(), Some(PacketError::KeyLength));
}

/// Bytes that an association is made of.
struct Material {
    mode: Mode,
    key: Vec<u8>,
    mac_key: Vec<u8>,
    salt: [u8; 4],
    spi: u32,
    extended: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Cbc,
    Counter,
    Gcm,
}

impl Material {
    fn new(random: &mut Random) -> Self {
        let (key_len, mac_len) = (random.pick(&[16, 24, 32]), random.pick(&[20, 32]));
        Self {
            mode: random.pick(&[Mode::Cbc, Mode::Counter, Mode::Gcm]),
            key: random.bytes(key_len),
            mac_key: random.bytes(mac_len),
            salt: (random.next() as u32).to_be_bytes(),
            spi: random.next() as u32,
            extended: random.up_to(1) == 1,
        }
    }

    fn association(&self, kernels: [Kernel; 2]) -> Association {
        let (key, salt) = (&*self.key, self.salt);
        let authentication = match self.mac_key.len() {
            20 => EspAuthentication::HmacSha1(&self.mac_key),
            _ => EspAuthentication::HmacSha256(&self.mac_key),
        };
        let suite = match self.mode {
            Mode::Cbc => EspSuite::Cbc { key, authentication },
            Mode::Counter => EspSuite::Counter { key, nonce: salt, authentication },
            Mode::Gcm => EspSuite::Gcm { key, salt },
        };
        let association = Association::with_kernels(self.spi, suite, kernels).expect("kernels");
        if self.extended { association.with_extended_numbers() } else { association }
    }
}

struct Case {
    association: usize,
    sequence: u64,
    iv: Vec<u8>,
    text: Vec<u8>,
    packet: Vec<u8>,
}

fn case(random: &mut Random, association: usize, material: &Material) -> Case {
    let mut len = random.len();
    if material.mode == Mode::Cbc {
        len = len / 16 * 16;
    }
    let sequence = if material.extended { random.next() } else { random.next() >> 32 };
    let iv = random.bytes(if material.mode == Mode::Cbc { 16 } else { 8 });
    let text = random.bytes(len);
    let key = &*material.key;
    let packet = match key.len() {
        16 => expected(Aes128::new(key.try_into().expect("16 bytes")), material, sequence, &iv, &text),
        24 => expected(Aes192::new(key.try_into().expect("24 bytes")), material, sequence, &iv, &text),
        _ => expected(Aes256::new(key.try_into().expect("32 bytes")), material, sequence, &iv, &text),
    };
    Case { association, sequence, iv, text, packet }
}

/// A packet by single calls.
fn expected(
    cipher: impl BlockCipher128,
    material: &Material,
    sequence: u64,
    iv: &[u8],
    text: &[u8],
) -> Vec<u8> {
    let (spi, low) = (material.spi.to_be_bytes(), (sequence as u32).to_be_bytes());
    let upper = ((sequence >> 32) as u32).to_be_bytes();
    let upper = if material.extended { &upper[..] } else { &[] };
    let mut text = text.to_vec();
    let front = [&spi, &low, iv].concat();
    match material.mode {
        Mode::Gcm => {
            let mut tag = [0; 16];
            let (nonce, aad) = ([&material.salt, iv].concat(), [&spi, upper, &low].concat());
            let sealed = Gcm::from_cipher(cipher).encrypt_detached(&nonce, &aad, &mut text[..], &mut tag);
            sealed.expect("a short message");
            return [&front[..], &text, &tag].concat();
        }
        Mode::Counter => {
            let block = [&material.salt, iv, &[0, 0, 0, 1]].concat();
            let block = block[..].try_into().expect("16 bytes");
            Ctr::from_block(&cipher, &block, CounterWidth::Bits32).apply(&mut text[..]).expect("short");
        }
        Mode::Cbc => {
            Cbc::from_cipher(&cipher, iv).expect("a block").encrypt(&mut text[..]).expect("whole blocks")
        }
    }
    let packet = [&front[..], &text].concat();
    let authenticated = [&packet[..], upper].concat();
    let mut tag = vec![0; material.mac_key.len()];
    match material.mac_key.len() {
        20 => Hmac::<Sha1>::new(&material.mac_key).mac(&authenticated, &mut tag),
        _ => Hmac::<Sha256>::new(&material.mac_key).mac(&authenticated, &mut tag),
    }
    .expect("a full tag");
    tag.truncate(if tag.len() == 20 { 12 } else { 16 });
    [packet, tag].concat()
}

/// Batches of packets of all suites, under associations at every kernel.
#[test]
fn batches() {
    let mut random = Random(0xe5b);
    for count in counts() {
        let material: Vec<_> = (0..24).map(|_| Material::new(&mut random)).collect();
        let cases: Vec<_> = (0..count)
            .map(|_| {
                let association = random.up_to(material.len() - 1);
                case(&mut random, association, &material[association])
            })
            .collect();
        for kernels in kernels() {
            let associations: Vec<_> = material.iter().map(|m| m.association(kernels)).collect();
            round_trip(&associations, &material, &cases);
        }
        let kernels = kernels();
        let mixed: Vec<_> =
            material.iter().enumerate().map(|(n, m)| m.association(kernels[n % kernels.len()])).collect();
        round_trip(&mixed, &material, &cases);
    }
}

fn round_trip(associations: &[Association], material: &[Material], cases: &[Case]) {
    let mut buffers: Vec<_> = (cases.iter())
        .map(|case| {
            let mut buffer = vec![0xee; associations[case.association].front()];
            buffer.extend(&case.text);
            buffer.resize(case.packet.len() + 5, 0xee);
            buffer
        })
        .collect();
    let mut batch: Vec<_> = (cases.iter().zip(&mut buffers))
        .map(|(case, buffer)| {
            let association = &associations[case.association];
            let len = association.front() + case.text.len();
            EspPacket::new(association, case.sequence, &case.iv, buffer, len)
        })
        .collect();
    seal(&mut batch);
    for (n, (case, packet)) in cases.iter().zip(&batch).enumerate() {
        assert_eq!(packet.result, Ok(case.packet.len()), "packet {n}");
    }
    for (n, (case, buffer)) in cases.iter().zip(&buffers).enumerate() {
        let mode = material[case.association].mode;
        assert!(buffer[..case.packet.len()] == case.packet, "packet {n} of {}, {mode:?}", cases.len());
        assert_eq!(buffer[case.packet.len()..], [0xee; 5]);
    }
    // One bit of every third packet is wrong, wherever it is.
    let wrong = |n: usize| n % 3 == 1;
    for (n, (case, buffer)) in cases.iter().zip(&mut buffers).enumerate().filter(|(n, _)| wrong(*n)) {
        let bit = (n * 0x9e37_79b9) % (8 * case.packet.len());
        buffer[bit / 8] ^= 1 << (bit % 8);
    }
    let received = buffers.clone();
    let mut batch: Vec<_> = (cases.iter().zip(&mut buffers))
        .map(|(case, buffer)| {
            let upper = (case.sequence >> 32) as u32;
            EspPacket::received(&associations[case.association], upper, buffer, case.packet.len())
        })
        .collect();
    open(&mut batch);
    let results: Vec<_> = batch.iter().map(|packet| packet.result).collect();
    for (n, (case, packet)) in cases.iter().zip(&batch).enumerate() {
        assert_eq!(packet.text(), if wrong(n) { None } else { Some(&*case.text) }, "packet {n}");
    }
    for (n, ((case, buffer), (mut received, result))) in
        (cases.iter().zip(&buffers)).zip(received.into_iter().zip(results)).enumerate()
    {
        let association = &associations[case.association];
        let (front, end) = (association.front(), association.front() + case.text.len());
        if !wrong(n) {
            assert_eq!(result, Ok(end), "packet {n}");
            continue;
        }
        assert_eq!(result, Err(PacketError::TagMismatch), "packet {n}");
        if material[case.association].mode == Mode::Gcm {
            received[front..end].fill(0);
        }
        assert!(*buffer == received, "packet {n}");
    }
}

/// An upper half that is another one is found, and not looked at without extended numbers.
#[test]
fn upper_halves() {
    let authentication = EspAuthentication::HmacSha256(&[3; 32]);
    for suite in [
        EspSuite::Cbc { key: &[1; 16], authentication },
        EspSuite::Counter { key: &[1; 16], nonce: [2; 4], authentication },
        EspSuite::Gcm { key: &[1; 16], salt: [2; 4] },
    ] {
        for extended in [false, true] {
            let association = Association::new(9, suite).expect("keys");
            let association = if extended { association.with_extended_numbers() } else { association };
            let iv = vec![5; association.front() - 8];
            let (mut buffer, len) = ([7; 100], association.front() + 32);
            let sequence = if extended { 5 << 32 | 6 } else { 6 };
            let mut batch = [EspPacket::new(&association, sequence, &iv, &mut buffer, len)];
            seal(&mut batch);
            let sealed = batch[0].result.expect("sealed");
            for upper in [4, 5] {
                let mut buffer = buffer;
                let mut batch = [EspPacket::received(&association, upper, &mut buffer, sealed)];
                open(&mut batch);
                let expected = if extended && upper != 5 { Err(PacketError::TagMismatch) } else { Ok(len) };
                assert_eq!(batch[0].result, expected, "{suite:?}");
            }
        }
    }
}

/// Lengths, vectors and numbers that are refused, with nothing changed.
#[test]
fn packets_that_are_refused() {
    let authentication = EspAuthentication::HmacSha1(&[3; 20]);
    for suite in [
        EspSuite::Cbc { key: &[1; 16], authentication },
        EspSuite::Counter { key: &[1; 16], nonce: [2; 4], authentication },
        EspSuite::Gcm { key: &[1; 16], salt: [2; 4] },
    ] {
        let association = Association::new(9, suite).expect("keys");
        let (front, tag_len) = (association.front(), association.tag_len());
        let sealed = |sequence: u64, iv_len: usize, room: usize, len: usize| {
            let (iv, mut buffer) = (vec![5; iv_len], vec![7; room]);
            let mut batch = [EspPacket::new(&association, sequence, &iv, &mut buffer, len)];
            seal(&mut batch);
            let result = batch[0].result;
            assert!(result.is_ok() || buffer == vec![7; room], "{suite:?}");
            result
        };
        let opened = |room: usize, len: usize| {
            let mut buffer = vec![7; room];
            let mut batch = [EspPacket::received(&association, 0, &mut buffer, len)];
            open(&mut batch);
            let result = batch[0].result;
            assert!(result == Err(PacketError::TagMismatch) || buffer == vec![7; room], "{suite:?}");
            result
        };
        let (iv, len) = (front - 8, front + 32);
        assert_eq!(sealed(1, iv, len + tag_len, len), Ok(len + tag_len));
        assert_eq!(sealed(u32::MAX.into(), iv, len + tag_len, len), Ok(len + tag_len));
        assert_eq!(sealed(1 << 32, iv, len + tag_len, len), Err(PacketError::Index));
        for iv in (0..20).filter(|len| *len != iv) {
            assert_eq!(sealed(1, iv, len + tag_len, len), Err(PacketError::IvLength));
        }
        for room in 0..len + tag_len {
            assert_eq!(sealed(1, iv, room, len), Err(PacketError::Room));
        }
        for len in 0..front {
            assert_eq!(sealed(1, iv, 100, len), Err(PacketError::TooShort));
        }
        assert_eq!(sealed(1, iv, 100, usize::MAX), Err(PacketError::Room));
        for len in 0..front + tag_len {
            assert_eq!(opened(100, len), Err(PacketError::TooShort));
        }
        for len in [101, 1 << 40, usize::MAX] {
            assert_eq!(opened(100, len), Err(PacketError::Room));
        }
        assert_eq!(opened(100, front + tag_len), Err(PacketError::TagMismatch));
        for more in 1..16 {
            let cbc = matches!(suite, EspSuite::Cbc { .. });
            let expected = if cbc { PacketError::PartialBlock } else { PacketError::TagMismatch };
            assert_eq!(opened(100, front + more + tag_len), Err(expected));
            let expected = if cbc { Err(PacketError::PartialBlock) } else { Ok(front + more + tag_len) };
            assert_eq!(sealed(1, iv, 100, front + more), expected);
        }
    }
}

#[test]
fn keys_that_are_refused() {
    let (sha1, sha256) = (EspAuthentication::HmacSha1(&[3; 20]), EspAuthentication::HmacSha256(&[3; 32]));
    let refused = |suite| Association::new(1, suite).err();
    for len in 0..40 {
        let (key, good) = (&[1; 40][..len], matches!(len, 16 | 24 | 32));
        let expected = if good { None } else { Some(PacketError::KeyLength) };
        assert_eq!(refused(EspSuite::Cbc { key, authentication: sha1 }), expected);
        assert_eq!(refused(EspSuite::Counter { key, nonce: [0; 4], authentication: sha256 }), expected);
        assert_eq!(refused(EspSuite::Gcm { key, salt: [0; 4] }), expected);
        for (authentication, right) in
            [(EspAuthentication::HmacSha1(key), 20), (EspAuthentication::HmacSha256(key), 32)]
        {
            let expected = if len == right { None } else { Some(PacketError::KeyLength) };
            assert_eq!(refused(EspSuite::Cbc { key: &[1; 16], authentication }), expected);
        }
    }
    if let Some(aes) = Aes128::kernels().next() {
        let suite = EspSuite::Cbc { key: &[1; 16], authentication: sha1 };
        let made = Association::with_kernels(1, suite, [aes, aes]);
        assert_eq!(made.err(), Some(PacketError::Kernel));
    }
}
