//! ESP as a whole: packets of documents and of scapy, random batches against single calls, malformed packets.

mod common;

use abreast::aes::{Aes128, Aes192, Aes256};
use abreast::hmac::{Hmac, Sha1, Sha256};
use abreast::modes::{Cbc, CounterWidth, Ctr, Gcm};
use abreast::{BlockCipher128, Kernel};
use abreast_frames::PacketError;
use abreast_frames::ipsec::{Association, EspAuthentication, EspPacket, EspSuite, open, seal};
use common::{Random, bytes, counts, kernels};

/// Seals a text at all kernels and opens the packet again. A packet without a tag is compared as far as it goes.
fn known(suite: EspSuite<'_>, [spi, sequence]: [u64; 2], extended: bool, text: &str, packet: &str) {
    let (text, packet) = (bytes(text), bytes(packet));
    let best = Association::new(spi as u32, suite).expect("keys");
    let at = |kernels| Association::with_kernels(spi as u32, suite, kernels).expect("kernels");
    for association in kernels().into_iter().map(at).chain([best]) {
        let association = if extended { association.with_extended_numbers() } else { association };
        assert_eq!(association.spi(), spi as u32);
        let (front, len) = (association.front(), association.front() + text.len());
        let mut buffer = vec![0xee; len + association.tag_len() + 3];
        buffer[front..len].copy_from_slice(&text);
        let mut batch = [EspPacket::new(&association, sequence, &packet[8..front], &mut buffer, len)];
        assert_eq!(batch[0].text(), None);
        seal(&mut batch);
        let sealed = len + association.tag_len();
        assert_eq!(batch[0].result, Ok(sealed));
        assert_eq!(buffer[..packet.len()], packet, "{suite:?}");
        assert_eq!(buffer[sealed..], [0xee; 3]);
        let mut batch = [EspPacket::received(&association, (sequence >> 32) as u32, &mut buffer, sealed)];
        open(&mut batch);
        assert_eq!(batch[0].result, Ok(len));
        assert_eq!(batch[0].text(), Some(&*text));
    }
}

/// RFC 3602, section 4, cases 5 and 6, which have no tags.
#[test]
fn cbc_of_rfc_3602() {
    let key = bytes("90d382b410eeba7ad938c46cec1a82bf");
    let suite = EspSuite::Cbc { key: &key, authentication: EspAuthentication::HmacSha1(&[7; 20]) };
    known(
        suite,
        [0x4321, 1],
        false,
        "08000ebda70a00008e9c083db95b070008090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f202122232425262728292a2b\
         2c2d2e2f3031323334353637 0102030405060708090a0b0c0d0e 0e 01",
        "0000432100000001e96e8c08ab465763fd098d45dd3ff893f663c25d325c18c6a9453e194e120849a4870b66cc6b9965330013b4\
         898dc856a4699e523a55db080b59ec3a8e4b7e52775b07d1db34ed9c538ab50c551b874aa269add047ad2d5913ac19b7cfbad4a6",
    );
    known(
        suite,
        [0x4321, 8],
        false,
        "0800b5e8a80a0500a69c083d0b660e00777777777777777777777777 0102 02 01",
        "000043210000000869d08df7d203329db093fc4924e5bd80f51995881ec4e0c4488987ce742e8109689bb379d2d750c0d915dca3\
         46a89f75",
    );
}

/// The test cases of draft-mcgrew-gcm-test-01 with extended sequence numbers and without, for RFC 4106.
#[test]
fn gcm_of_the_draft() {
    let key = bytes("4c80cdefbb5d10da906ac73c3613a634");
    known(
        EspSuite::Gcm { key: &key, salt: [0x2e, 0x44, 0x3b, 0x68] },
        [0x4321, 0x8765_4321_0000_0000],
        true,
        "45000048699a000080114db7c0a80102c0a801010a9bf15638d301000001000000000000045f736970045f756470037369700963\
         796265726369747902646b000021000101020201",
        "0000432100000000 4956ed7e3b244cfe fecf537e729d5b07dc30df528dd22b768d1b98736696a6fd348509fa13ceac34cfa243\
         6f14a3f3cf65925bf1f4a13c5d15b21e1884f5ff6247aeabb786b93bce61bc17d768fd9732 459018148f6cbe722fd04796562dfdb4",
    );
    let key = bytes("feffe9928665731c6d6a8f9467308308feffe9928665731c");
    known(
        EspSuite::Gcm { key: &key, salt: [0xca, 0xfe, 0xba, 0xbe] },
        [0xa5f8, 10],
        false,
        "45000028a4ad4000400678800a01038f0a010612802306b8cb712602dd6bb03e501016d075680001",
        "0000a5f80000000a facedbaddecaf888 a5b1f8066029aea40e598b8122de02420938b3ab33f828e687b8858b5bfbdbd0315b27\
         452144cc77 95457b9652037f5318027b5b4cd7a636",
    );
}

/// Packets made by scapy 2.8.0: all suites, with extended sequence numbers and without.
#[test]
fn packets_of_scapy() {
    let key: Vec<u8> = (1..=32).collect();
    let mac_key: Vec<u8> = (0x80..0xa0).collect();
    let (sha1, sha256) =
        (EspAuthentication::HmacSha1(&mac_key[..20]), EspAuthentication::HmacSha256(&mac_key));
    let salt = [0x40, 0x41, 0x42, 0x43];
    let text =
        "03e807d0002d8894000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f2021222324 01 01 11";
    for (suite, extended, packet) in [
        (
            EspSuite::Cbc { key: &key[..16], authentication: sha1 },
            false,
            "c0c1c2c3c4c5c6c7c8c9cacbcccdcecfd2a7935dd4aafaf2a93b375fc71120fe8e78566222489926ff95f30dde5b6be45836\
             ade3f24482af301d060777f41121023cf1b4d2e68c3479b095cb",
        ),
        (
            EspSuite::Cbc { key: &key[..24], authentication: sha256 },
            false,
            "c0c1c2c3c4c5c6c7c8c9cacbcccdcecfc00ce7a2cc30d7a183583a0bc0f889d768261e5d545544314ae39f97719e49bb0b10\
             0615fa2e1497b49831f9680aee89c7c3ca226fd2d9a806f57d7d4c023042",
        ),
        (
            EspSuite::Counter { key: &key[..16], nonce: salt, authentication: sha1 },
            false,
            "c0c1c2c3c4c5c6c7eedcc95cbc0c4195c777c1150227748d4d4a2b57a64106a382cb8d1ad203e2206bb015d23f37cd9caa44\
             5d7849f7731b51bc79ddaf155240734366ab",
        ),
        (
            EspSuite::Counter { key: &key, nonce: salt, authentication: sha256 },
            true,
            "c0c1c2c3c4c5c6c725239d9d70f2ed74db67acc1bf7eced1954c6f1380724642f308290f2b24dda37f6c3cc5cfd31dcba4a2\
             9dcea5c77d3867ab5968edcd25b932407a5f9cd32416",
        ),
        (
            EspSuite::Cbc { key: &key, authentication: sha1 },
            true,
            "c0c1c2c3c4c5c6c7c8c9cacbcccdcecfb8de70d06ce7700666a76360db82dca3399387e04632644d44ffa237d7e08abd1302\
             0181058d18e7cc444a39b5dbf909152e7e46caf9a84be178bbf8",
        ),
        (
            EspSuite::Gcm { key: &key[..16], salt },
            false,
            "c0c1c2c3c4c5c6c746ab268caa61803892db9d0ac213f2307ba005c22f27dd8c9a746d4879e3641d916bd5a9672e791ab368\
             0f7f3eca316000be71d01b5d1956cf4fc2827dbd619a",
        ),
        (
            EspSuite::Gcm { key: &key, salt },
            true,
            "c0c1c2c3c4c5c6c79ead62c88c52c0d9e318391f3b34cdb36f7c2cd5dfc30ddb9492adfe95d36a3eacb682d476bb6c12a064\
             2010a5412d0e59be53c679c1784d1e73e78384d5c5bb",
        ),
    ] {
        let sequence = if extended { 0x9abc_0102_0304 } else { 0x0102_0304 };
        known(suite, [0x1234_5678, sequence], extended, text, &format!("1234567801020304{packet}"));
    }
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
