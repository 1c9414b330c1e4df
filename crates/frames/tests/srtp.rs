//! SRTP as a whole: packets of libsrtp and of RFC 7714, random batches against single calls, malformed packets.

mod common;

use abreast::BlockCipher128;
use abreast::aes::{Aes128, Aes192, Aes256};
use abreast::hmac::{Hmac, Sha1};
use abreast::modes::{CounterWidth, Ctr, Gcm};
use abreast_frames::PacketError;
use abreast_frames::srtp::{
    self, Label, Profile, Session, SessionKeys, SrtpPacket, estimated_index, index, protect, unprotect,
};
use common::{Random, bytes, counts, kernels};

/// The protocol of a packet, and its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Rtp { rollovers: u32 },
    Rtcp { index: u32 },
    Clear { index: u32 },
}

impl Kind {
    fn packet<'a>(self, session: &'a Session, buffer: &'a mut [u8], len: usize) -> SrtpPacket<'a> {
        match self {
            Self::Rtp { rollovers } => SrtpPacket::rtp(session, rollovers, buffer, len),
            Self::Rtcp { index } => SrtpPacket::rtcp(session, index, buffer, len),
            Self::Clear { index } => SrtpPacket::rtcp(session, index, buffer, len).in_the_clear(),
        }
    }

    /// The packet as a receiver has it, who does not know its index in RTCP.
    fn received<'a>(self, session: &'a Session, buffer: &'a mut [u8], len: usize) -> SrtpPacket<'a> {
        match self {
            Self::Rtp { rollovers } => SrtpPacket::rtp(session, rollovers, buffer, len),
            Self::Rtcp { .. } | Self::Clear { .. } => SrtpPacket::rtcp(session, 0, buffer, len),
        }
    }

    fn overhead(self, profile: Profile) -> usize {
        match self {
            Self::Rtp { .. } => profile.rtp_overhead(),
            Self::Rtcp { .. } | Self::Clear { .. } => profile.rtcp_overhead(),
        }
    }
}

/// Protects one packet and unprotects it again.
fn known(session: &Session, kind: Kind, plain: &str, protected: &str) {
    let (plain, protected) = (bytes(plain), bytes(protected));
    let mut buffer = plain.clone();
    buffer.resize(protected.len() + 3, 0xee);
    let mut batch = [kind.packet(session, &mut buffer, plain.len())];
    protect(&mut batch);
    assert_eq!(batch[0].result, Ok(protected.len()));
    assert_eq!(buffer, [&protected[..], &[0xee; 3]].concat(), "{:?}, {kind:?}", session.profile());
    let mut batch = [kind.received(session, &mut buffer, protected.len())];
    unprotect(&mut batch);
    assert_eq!(batch[0].result, Ok(plain.len()));
    assert_eq!(batch[0].is_encrypted(), !matches!(kind, Kind::Clear { .. }));
    if let Kind::Rtcp { index } | Kind::Clear { index } = kind {
        assert_eq!(batch[0].index(), index.into());
    }
    assert_eq!(buffer[..plain.len()], plain);
}

/// Sessions of a master key at the best kernels and at all.
fn sessions(profile: Profile, key: &str, salt: &str) -> Vec<Session> {
    let (key, salt) = (bytes(key), bytes(salt));
    let mut all = vec![Session::new(profile, &key, &salt).expect("lengths of the profile")];
    let with = |kernels| Session::with_kernels(profile, &key, &salt, kernels).expect("kernels");
    all.extend(kernels().into_iter().map(with));
    all
}

const RTP: Kind = Kind::Rtp { rollovers: 0 };
const TEST_KEY: [&str; 2] = ["e1f97a0d3e018be0d64fa32c06de4139", "0ec675ad498afeebb6960b3aabe6"];
const TEST_KEY_GCM: [&str; 2] = ["000102030405060708090a0b0c0d0e0f", "a0a1a2a3a4a5a6a7a8a9aaab"];
const AB: &str = "abababababababababababababababab";

/// The packets of `test/srtp_driver.c` in libsrtp (`srtp_validate` and its variants).
#[test]
fn packets_of_srtp_driver() {
    let rtp = format!("800f1234decafbadcafebabe{AB}");
    let rtcp = format!("81c8000bcafebabe{AB}");
    for session in sessions(Profile::Aes128CmSha1_80, TEST_KEY[0], TEST_KEY[1]) {
        let expected = "800f1234decafbadcafebabe4e55dc4ce79978d88ca4d215949d2402b78d6acc99ea179b8dbb";
        known(&session, RTP, &rtp, expected);
        let expected = "81c8000bcafebabe7128035be487b9bdbef89041f977a5a880000001993e08cd54d6c1230798";
        known(&session, Kind::Rtcp { index: 1 }, &rtcp, expected);
    }
    for session in sessions(Profile::Aes128Gcm, TEST_KEY_GCM[0], TEST_KEY_GCM[1]) {
        let expected =
            "800f1234decafbadcafebabec5002ede04cfdd2eb91159e0880aa06ed2976826f796b201df3131a127e8a392";
        known(&session, RTP, &rtp, expected);
        let expected =
            "81c8000bcafebabec98b8b5df0392a55852b6c21ac8e7025c52c6fbea2b3b446ea31123ba88ce61e80000001";
        known(&session, Kind::Rtcp { index: 1 }, &rtcp, expected);
    }
    let (key, salt) = ("73edc66c4fa15776fb57f9505c17136550ffda71f3e8e5f1", "c8522f3acd4ce86d5add78edbb11");
    for session in sessions(Profile::Aes192CmSha1_80, key, salt) {
        let expected = "800f0000decafbad00000000d98865552f2762c3ef37f837acfdb7122d6bc4dc84c76f74aea5";
        known(&session, RTP, &format!("800f0000decafbad00000000{AB}"), expected);
    }
    let (key, salt) =
        ("f0f04914b513f2763a1b1fa130f10e2998f6f6e43e4309d1e622a0e332b9f1b6", "3b04803de51ee7c96423ab5b78d2");
    for session in sessions(Profile::Aes256CmSha1_80, key, salt) {
        let expected = "800f1234decafbadcafebabef1d9de17ff251ff1aa007774b0b4b40da08d9d9a5b3a55d8873b";
        known(&session, RTP, &rtp, expected);
    }
}

/// A packet of RTP as the program wrote it that asked libsrtp.
fn asked(sequence: u16, sources: u8, extension: Option<u16>, len: usize) -> String {
    let first = 0x80 | sources | if extension.is_some() { 0x10 } else { 0 };
    let mut packet = format!("{first:02x}60{sequence:04x}0102030412345678");
    packet.extend((0..4 * sources).map(|i| format!("{:02x}", 0x40 + i)));
    if let Some(words) = extension {
        packet += &format!("1000{words:04x}");
        packet.extend((0..4 * words).map(|i| format!("{:02x}", 0xe0 + i)));
    }
    packet.extend((0..len).map(|i| format!("{:02x}", (7 * i + len) as u8)));
    packet
}

/// Packets made by libsrtp 2.7, through pylibsrtp 1.0.0: after a roll-over, with contributing sources, extensions, and empty.
#[test]
fn packets_of_libsrtp() {
    let cm = [
        "8060ffff0102030412345678ad75d568493555d03b7c08eb72cad7b45b731fffd307e69dbf9a503cb88d",
        "806000000102030412345678106f91dbdeaf4e6ef114213896cfb3b1f10dcf49aa97b92833b08cf45343",
        "926000010102030412345678404142434445464710000003e0e1e2e3e4e5e6e7e8e9eaebc8b7eabe25f95ebf431ebd09774b09\
         06dceb347b202d069203348488ddf551bfd59b41617aa58e85cb454b",
        "906000020102030412345678100000008c248ef68c7401e2bec9",
        "81c800061234567880000001024674c628f01f2e7331",
        "81c8000612345678780eebf6025ef52e9a1c9e0ce2624976386257d5800000023725c3ed97b208b323b9",
    ];
    let gcm_128 = [
        "8060ffff0102030412345678afa959fb823a873affb021d806dc14c2ed6fd5f3d27bcdbf0ddb4007b46a7e5a25520cce",
        "806000000102030412345678a973aa6f3fcf71a43e174ebcc807980894944346f28cd797fe466969df1265e85eb483e2",
        "926000010102030412345678404142434445464710000003e0e1e2e3e4e5e6e7e8e9eaeb1b574e2d2c7d5251960026741b6d52\
         c7efd58e3c114d5b6d7c39ba97dee50bf10f47d1deca7d90a720bee3482b7c9b529c",
        "9060000201020304123456781000000024d81ab7d7754dc486a0ed07fbfbf482",
        "81c80006123456784a4be589a3b50ce4e5ab2f3ccbb4c9bc80000001",
        "81c800061234567833009f0ad3a24ae0a846690affb026ee55a70980cae917658fb5d3264cf2a7ee5baaf82380000002",
    ];
    let gcm_256 = [
        "8060ffff0102030412345678f26b1d647e5bd67f02f6409ba36edb7ac9845df194ca2851aa7250de023fa586e1d500de",
        "806000000102030412345678d7b2db6e792f008059999dcd1c2a4994d3188aa0a4e0297b0630982758f666eff01f1bb9",
        "926000010102030412345678404142434445464710000003e0e1e2e3e4e5e6e7e8e9eaeb74afc3959fc1016990d25f9839661a\
         30126f307a9f92dcadfa8c6b7e068f5916c186a46909835b2a2c0d362d317115e19e",
        "90600002010203041234567810000000ba3f7d83412a6234217c85bc78f35fe8",
        "81c80006123456780ee1a5a15d375d698894080fa41887c380000001",
        "81c800061234567871178a1b98ec2baf22484d3f3a51f653aea1cf6a7636e7b65d2f19d2c4f04184052e372280000002",
    ];
    // Shorter tags of RTP, and those of RTCP as they were.
    let cm_32: Vec<_> = (cm.iter().enumerate())
        .map(|(n, packet)| if n < 4 { &packet[..packet.len() - 12] } else { packet })
        .collect();
    for (profile, expected) in [
        (Profile::Aes128CmSha1_80, cm.as_slice()),
        (Profile::Aes128CmSha1_32, &cm_32),
        (Profile::Aes128Gcm, &gcm_128),
        (Profile::Aes256Gcm, &gcm_256),
    ] {
        let key: String = (0..profile.key_len()).map(|i| format!("{:02x}", 0x11 + i)).collect();
        let salt: String = (0..profile.salt_len()).map(|i| format!("{:02x}", 0xa0 + i)).collect();
        let after = Kind::Rtp { rollovers: 1 };
        for session in sessions(profile, &key, &salt) {
            known(&session, RTP, &asked(0xffff, 0, None, 20), expected[0]);
            known(&session, after, &asked(0, 0, None, 20), expected[1]);
            known(&session, after, &asked(1, 2, Some(3), 33), expected[2]);
            known(&session, after, &asked(2, 0, Some(0), 0), expected[3]);
            known(&session, Kind::Rtcp { index: 1 }, "81c8000612345678", expected[4]);
            let text: String = (0..20).map(|i| format!("{:02x}", 7 * i + 20)).collect();
            known(&session, Kind::Rtcp { index: 2 }, &format!("81c8000612345678{text}"), expected[5]);
        }
    }
}

/// RFC 7714, sections 16 and 17: under session keys, RTCP also in the clear.
#[test]
fn packets_of_rfc_7714() {
    let (key, salt) =
        (bytes("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"), *b"Quid pro quo");
    let rtp = "8040f17b 8041f8d3 5501a0b2 47616c6c 69612065 7374206f 6d6e6973 20646976 69736120 696e2070 \
               61727465 73207472 6573";
    let rtcp = "81c8000d 4d617273 4e545031 4e545032 52545020 0000042a 0000e930 4c756e61 \
                deadbeef deadbeef deadbeef deadbeef deadbeef";
    for (profile, of_rtp, of_rtcp, tag) in [
        (
            Profile::Aes128Gcm,
            "8040f17b 8041f8d3 5501a0b2 f24de3a3 fb34de6c acba861c 9d7e4bca be633bd5 0d294e6f 42a5f47a 51c7d19b \
             36de3adf 8833899d 7f27beb1 6a9152cf 765ee439 0cce",
            "81c8000d 4d617273 63e94885 dcdab67c a727d766 2f6b7e99 7ff5c0f7 6c06f32d c676a5f1 730d6fda 4ce09b46 \
             86303ded 0bb9275b c84aa458 96cf4d2f c5abf872 45d9eade 800005d4",
            "841dd968 3dd78ec9 2ae58790 125f62b3",
        ),
        (
            Profile::Aes256Gcm,
            "8040f17b 8041f8d3 5501a0b2 32b1de78 a822fe12 ef9f78fa 332e33aa b1801238 9a58e2f3 b50b2a02 76ffae0f \
             1ba63799 b87b7aa3 db36dfff d6b0f9bb 7878d7a7 6c13",
            "81c8000d 4d617273 d50ae4d1 f5ce5d30 4ba297e4 7d470c28 2c3ece5d bffe0a50 a2eaa5c1 110555be 8415f658 \
             c61de047 6f1b6fad 1d1eb30c 4446839f 57ff6f6c b26ac3be 800005d4",
            "91db4afb feee5a97 8fab4393 ed2615fe",
        ),
    ] {
        let keys = SessionKeys { encryption: &key[..profile.key_len()], authentication: &[], salt: &salt };
        let session = Session::from_session_keys(profile, keys, keys).expect("lengths of the profile");
        known(&session, RTP, rtp, of_rtp);
        known(&session, Kind::Rtcp { index: 0x5d4 }, rtcp, of_rtcp);
        known(&session, Kind::Clear { index: 0x5d4 }, rtcp, &format!("{rtcp} {tag} 000005d4"));
    }
}

/// A packet with its session, and the bytes that it is expected to become.
struct Case {
    session: usize,
    kind: Kind,
    plain: Vec<u8>,
    protected: Vec<u8>,
}

/// The keys that a session is made of.
struct Master {
    profile: Profile,
    key: Vec<u8>,
    salt: Vec<u8>,
}

/// A packet of any kind with a header of any length, and what single calls make of it.
fn case(random: &mut Random, session: usize, master: &Master) -> Case {
    let len = random.len();
    let kind = match random.up_to(3) {
        0 | 1 => Kind::Rtp { rollovers: random.next() as u32 },
        2 => Kind::Rtcp { index: random.next() as u32 >> 1 },
        _ => Kind::Clear { index: random.next() as u32 >> 1 },
    };
    let (header, mut plain) = match kind {
        Kind::Rtp { .. } => {
            let (sources, extended) = (random.pick(&[0, 0, 1, 2, 15]), random.up_to(1) == 1);
            let mut header = random.bytes(12 + 4 * sources);
            header[0] = 0x80 | random.next() as u8 & 0x20 | (u8::from(extended) << 4) | sources as u8;
            if extended {
                let words = random.len() / 8;
                header.extend(random.bytes(2));
                header.extend((words as u16).to_be_bytes());
                header.extend(random.bytes(4 * words));
            }
            (header.len(), header)
        }
        _ => {
            let mut header = random.bytes(8);
            header[0] = 0x80 | header[0] & 0x3f;
            (8, header)
        }
    };
    plain.extend(random.bytes(len));
    let key = &*master.key;
    let protected = match key.len() {
        16 => expected(&Aes128::new(key.try_into().expect("16 bytes")), master, kind, header, &plain),
        24 => expected(&Aes192::new(key.try_into().expect("24 bytes")), master, kind, header, &plain),
        _ => expected(&Aes256::new(key.try_into().expect("32 bytes")), master, kind, header, &plain),
    };
    Case { session, kind, plain, protected }
}

/// A packet by single calls of counter mode, HMAC and GCM.
fn expected(by: &impl BlockCipher128, master: &Master, kind: Kind, header: usize, plain: &[u8]) -> Vec<u8> {
    let mut master_salt = [0; 14];
    master_salt[..master.salt.len()].copy_from_slice(&master.salt);
    let derived = |label, len| {
        let mut key = vec![0; len];
        srtp::derive(by, &master_salt, label, 0, &mut key).expect("a key");
        key
    };
    let labels = match kind {
        Kind::Rtp { .. } => [Label::RtpEncryption, Label::RtpAuthentication, Label::RtpSalt],
        _ => [Label::RtcpEncryption, Label::RtcpAuthentication, Label::RtcpSalt],
    };
    let (key, mac) = (derived(labels[0], master.key.len()), derived(labels[1], 20));
    let salt = derived(labels[2], master.salt.len());
    let (ssrc, number, trailer) = match kind {
        Kind::Rtp { rollovers } => {
            let number = u64::from(rollovers) << 16 | u64::from(plain[2]) << 8 | u64::from(plain[3]);
            (&plain[8..12], number, Vec::new())
        }
        Kind::Rtcp { index } => (&plain[4..8], index.into(), (index | 1 << 31).to_be_bytes().to_vec()),
        Kind::Clear { index } => (&plain[4..8], index.into(), index.to_be_bytes().to_vec()),
    };
    let mut packet = plain.to_vec();
    let text = if matches!(kind, Kind::Clear { .. }) { plain.len() } else { header };
    if matches!(master.profile, Profile::Aes128Gcm | Profile::Aes256Gcm) {
        let mut nonce = [&[0, 0], ssrc, &number.to_be_bytes()[2..]].concat();
        nonce.iter_mut().zip(&salt).for_each(|(byte, salt)| *byte ^= salt);
        let aad = [&plain[..text], &trailer].concat();
        let mut tag = [0; 16];
        let io = &mut packet[text..];
        match key.len() {
            16 => Gcm::from_cipher(Aes128::new(key[..].try_into().expect("16 bytes")))
                .encrypt_detached(&nonce, &aad, io, &mut tag),
            _ => Gcm::from_cipher(Aes256::new(key[..].try_into().expect("32 bytes")))
                .encrypt_detached(&nonce, &aad, io, &mut tag),
        }
        .expect("a short message");
        return [&packet[..], &tag, &trailer].concat();
    }
    let salt = salt.try_into().expect("14 bytes");
    let counter = srtp::counter_block(&salt, u32::from_be_bytes(ssrc.try_into().expect("4 bytes")), number);
    let io = &mut packet[text..];
    match key.len() {
        16 => ctr(Aes128::new(key[..].try_into().expect("16 bytes")), &counter, io),
        24 => ctr(Aes192::new(key[..].try_into().expect("24 bytes")), &counter, io),
        _ => ctr(Aes256::new(key[..].try_into().expect("32 bytes")), &counter, io),
    }
    packet.extend(trailer);
    let more = match kind {
        Kind::Rtp { rollovers } => rollovers.to_be_bytes().to_vec(),
        _ => Vec::new(),
    };
    let short = matches!(kind, Kind::Rtp { .. })
        && matches!(
            master.profile,
            Profile::Aes128CmSha1_32 | Profile::Aes192CmSha1_32 | Profile::Aes256CmSha1_32
        );
    let mut tag = [0; 20];
    Hmac::<Sha1>::new(&mac).mac(&[&packet[..], &more].concat(), &mut tag).expect("a full tag");
    packet.extend(&tag[..if short { 4 } else { 10 }]);
    packet
}

fn ctr(cipher: impl BlockCipher128, counter: &[u8; 16], text: &mut [u8]) {
    Ctr::from_block(&cipher, counter, CounterWidth::Bits16).apply(text).expect("short");
}

/// Batches of packets of all profiles and kinds, under sessions at every kernel.
#[test]
fn batches() {
    let mut random = Random(0x5274);
    for count in counts() {
        let masters: Vec<_> = (Profile::ALL.into_iter().chain(Profile::ALL))
            .map(|profile| {
                let (key, salt) = (random.bytes(profile.key_len()), random.bytes(profile.salt_len()));
                Master { profile, key, salt }
            })
            .collect();
        let cases: Vec<_> = (0..count)
            .map(|_| {
                let session = random.up_to(masters.len() - 1);
                case(&mut random, session, &masters[session])
            })
            .collect();
        for kernels in kernels() {
            let with = |m: &Master| Session::with_kernels(m.profile, &m.key, &m.salt, kernels);
            let sessions: Vec<_> = masters.iter().map(|m| with(m).expect("kernels")).collect();
            round_trip(&sessions, &cases);
        }
        // Kernels of all kinds in one batch.
        let with = |(n, m): (usize, &Master)| {
            let kernels = kernels();
            Session::with_kernels(m.profile, &m.key, &m.salt, kernels[n % kernels.len()])
        };
        let sessions: Vec<_> = masters.iter().enumerate().map(|of| with(of).expect("kernels")).collect();
        round_trip(&sessions, &cases);
    }
}

fn round_trip(sessions: &[Session], cases: &[Case]) {
    let mut buffers: Vec<_> = (cases.iter())
        .map(|case| {
            let mut buffer = case.plain.clone();
            buffer.resize(case.protected.len() + 5, 0xee);
            buffer
        })
        .collect();
    let mut batch: Vec<_> = (cases.iter().zip(&mut buffers))
        .map(|(case, buffer)| case.kind.packet(&sessions[case.session], buffer, case.plain.len()))
        .collect();
    protect(&mut batch);
    for (case, packet) in cases.iter().zip(&batch) {
        let profile = sessions[case.session].profile();
        assert_eq!(packet.result, Ok(case.plain.len() + case.kind.overhead(profile)), "{:?}", case.kind);
    }
    for (n, (case, buffer)) in cases.iter().zip(&buffers).enumerate() {
        let profile = sessions[case.session].profile();
        let (packet, rest) = buffer.split_at(case.protected.len());
        assert!(packet == case.protected, "packet {n} of {}, {profile:?}, {:?}", cases.len(), case.kind);
        assert_eq!(rest, [0xee; 5]);
    }
    // One bit of every third packet is wrong: any but those that say how long header and packet are.
    let wrong = |n: usize| n % 3 == 1;
    let bit = |n: usize, case: &Case| 16 + (n * 0x9e37_79b9) % (8 * case.protected.len() - 16);
    for (n, (case, buffer)) in cases.iter().zip(&mut buffers).enumerate().filter(|(n, _)| wrong(*n)) {
        let bit = bit(n, case);
        buffer[bit / 8] ^= 1 << (bit % 8);
    }
    let received = buffers.clone();
    let mut batch: Vec<_> = (cases.iter().zip(&mut buffers))
        .map(|(case, buffer)| case.kind.received(&sessions[case.session], buffer, case.protected.len()))
        .collect();
    unprotect(&mut batch);
    let results: Vec<_> = batch.iter().map(|packet| packet.result).collect();
    for (n, (case, packet)) in cases.iter().zip(&batch).enumerate().filter(|(n, _)| !wrong(*n)) {
        match case.kind {
            Kind::Rtp { rollovers } => assert_eq!(packet.index() >> 16, rollovers.into(), "packet {n}"),
            Kind::Rtcp { index } | Kind::Clear { index } => assert_eq!(packet.index(), index.into()),
        }
        assert_eq!(packet.is_encrypted(), !matches!(case.kind, Kind::Clear { .. }));
    }
    for (n, ((case, buffer), (received, result))) in
        (cases.iter().zip(&buffers)).zip(received.iter().zip(results)).enumerate()
    {
        let profile = sessions[case.session].profile();
        if !wrong(n) {
            assert_eq!(result, Ok(case.plain.len()), "packet {n}, {profile:?}, {:?}", case.kind);
            assert!(buffer[..case.plain.len()] == case.plain, "packet {n}, {profile:?}, {:?}", case.kind);
            continue;
        }
        // The length of an extension may be among what is wrong.
        assert!(
            matches!(result, Err(PacketError::TagMismatch | PacketError::TooShort)),
            "packet {n}, {profile:?}, {:?}, bit {}: {result:?}",
            case.kind,
            bit(n, case)
        );
        let gcm = matches!(profile, Profile::Aes128Gcm | Profile::Aes256Gcm);
        if !gcm || result == Err(PacketError::TooShort) {
            assert!(buffer == received, "packet {n}, {profile:?}, {:?}", case.kind);
        } else {
            let end = case.plain.len();
            assert_eq!(buffer[end..], received[end..], "packet {n}, {profile:?}, {:?}", case.kind);
            let was = |i: usize| buffer[i] == received[i] || buffer[i] == 0;
            assert!((0..end).all(was), "packet {n}, {profile:?}, {:?}", case.kind);
        }
    }
}

/// Another number of roll-overs is another packet, which may be tried after the first one failed.
#[test]
fn a_packet_may_be_tried_again() {
    let session = &sessions(Profile::Aes128CmSha1_80, TEST_KEY[0], TEST_KEY[1])[0];
    let mut buffer = bytes("800f1234decafbadcafebabe0102030400000000000000000000");
    let mut batch = [SrtpPacket::rtp(session, 7, &mut buffer, 16)];
    protect(&mut batch);
    for (rollovers, expected) in
        [(6, Err(PacketError::TagMismatch)), (8, Err(PacketError::TagMismatch)), (7, Ok(16))]
    {
        let mut batch = [SrtpPacket::rtp(session, rollovers, &mut buffer, 26)];
        assert_eq!(batch[0].result, Err(PacketError::NotProcessed));
        unprotect(&mut batch);
        assert_eq!(batch[0].result, expected);
        assert_eq!(batch[0].index(), index(rollovers, 0x1234));
    }
    assert_eq!(buffer[..16], bytes("800f1234decafbadcafebabe01020304"));
}

/// A result without the bytes of its packet, of a batch with a good packet around it.
fn refused(
    session: &Session,
    direction: fn(&mut [SrtpPacket<'_>]),
    kind: Kind,
    buffer: &[u8],
    len: usize,
) -> PacketError {
    let mut bytes = buffer.to_vec();
    let mut good = [[0x80; 60]; 2];
    let [before, after] = &mut good;
    let mut batch = [
        RTP.packet(session, before, 30),
        kind.packet(session, &mut bytes, len),
        RTP.packet(session, after, 30),
    ];
    protect(&mut batch[..1]);
    protect(&mut batch[2..]);
    assert_eq!(batch[0].result, batch[2].result);
    batch[0].result.expect("a good packet");
    direction(&mut batch[1..2]);
    let result = batch[1].result.expect_err("refused");
    assert_eq!(bytes, buffer, "{kind:?}, {len} bytes");
    result
}

/// Headers that end after the packet, other versions, no room, indices of too many bits.
#[test]
fn packets_that_are_refused() {
    for profile in Profile::ALL {
        let session = Session::new(profile, &vec![1; profile.key_len()], &vec![2; profile.salt_len()]);
        let session = &session.expect("lengths of the profile");
        let rtcp = Kind::Rtcp { index: 1 };
        let clear = Kind::Clear { index: 1 };
        for (kind, shortest) in [(RTP, 12), (rtcp, 8), (clear, 8)] {
            let overhead = kind.overhead(profile);
            let buffer = [0x80; 100];
            for len in 0..shortest {
                assert_eq!(refused(session, protect, kind, &buffer, len), PacketError::TooShort, "{len}");
            }
            for len in 0..shortest + overhead {
                assert_eq!(refused(session, unprotect, kind, &buffer, len), PacketError::TooShort, "{len}");
            }
            for room in 0..overhead {
                let buffer = &buffer[..40 + room];
                assert_eq!(refused(session, protect, kind, buffer, 40), PacketError::Room, "{room}");
            }
            for len in [101, 1 << 40, usize::MAX] {
                assert_eq!(refused(session, protect, kind, &buffer, len), PacketError::Room, "{len}");
                assert_eq!(refused(session, unprotect, kind, &buffer, len), PacketError::Room, "{len}");
            }
            for first in [0, 0x40, 0xc0] {
                assert_eq!(refused(session, protect, kind, &[first; 90], 60), PacketError::Version);
                assert_eq!(refused(session, unprotect, kind, &[first; 90], 60), PacketError::Version);
            }
        }
        for kind in [Kind::Rtcp { index: 1 << 31 }, Kind::Clear { index: u32::MAX }] {
            assert_eq!(refused(session, protect, kind, &[0x80; 90], 60), PacketError::Index);
        }
        // Contributing sources, and an extension with words, up to the end and one byte beyond.
        for (first, words, header) in
            [(0x8f, 0, 72), (0x90, 0, 16), (0x90, 5, 36), (0x95, 0, 36), (0x9f, 3, 88)]
        {
            let mut buffer = vec![0; header + 40];
            buffer[0] = first;
            let at = 12 + 4 * usize::from(first & 15);
            buffer[at + 3] = words;
            for len in 12..header {
                assert_eq!(refused(session, protect, RTP, &buffer, len), PacketError::TooShort, "{len}");
                let len = len + profile.rtp_overhead();
                assert_eq!(refused(session, unprotect, RTP, &buffer, len), PacketError::TooShort, "{len}");
            }
            let mut batch = [RTP.packet(session, &mut buffer, header)];
            protect(&mut batch);
            assert_eq!(batch[0].result, Ok(header + profile.rtp_overhead()));
        }
    }
}

/// Counter mode has 2^16 blocks for a packet; GCM has more.
#[test]
fn the_longest_packet() {
    for profile in [Profile::Aes128CmSha1_80, Profile::Aes128Gcm] {
        let session =
            Session::new(profile, &[1; 16], &vec![2; profile.salt_len()]).expect("lengths of the profile");
        let limit = 12 + (16 << 16);
        let mut buffer = vec![0x80; limit + 40];
        let mut batch = [RTP.packet(&session, &mut buffer, limit)];
        protect(&mut batch);
        assert_eq!(batch[0].result, Ok(limit + profile.rtp_overhead()));
        let mut batch = [RTP.packet(&session, &mut buffer, limit + 1)];
        protect(&mut batch);
        let gcm = profile == Profile::Aes128Gcm;
        assert_eq!(batch[0].result, if gcm { Ok(limit + 17) } else { Err(PacketError::TooLong) });
    }
}

/// A packet that is refused for its length is not written to, nor the room behind it: RTP, RTCP, and both ways.
#[test]
fn a_packet_too_long_stays_as_it_was() {
    let session = Session::new(Profile::Aes128CmSha1_80, &[1; 16], &[2; 14]).expect("their lengths");
    let whole = vec![0x80; 12 + (16 << 16) + 40];
    let mut buffer = whole.clone();
    for (rtcp, header) in [(false, 12), (true, 8)] {
        let len = header + (16 << 16) + 1;
        for (run, len) in [(protect as fn(&mut [SrtpPacket<'_>]), len), (unprotect, len + 14)] {
            let len = if rtcp || len < header + (16 << 16) + 14 { len } else { len - 4 };
            let packet = &mut buffer[..];
            let mut batch = [if rtcp {
                SrtpPacket::rtcp(&session, 7, packet, len)
            } else {
                SrtpPacket::rtp(&session, 7, packet, len)
            }];
            run(&mut batch);
            assert_eq!(batch[0].result, Err(PacketError::TooLong), "RTCP: {rtcp}, {len} bytes");
            assert!(buffer == whole, "RTCP: {rtcp}, {len} bytes: written");
        }
    }
}

#[test]
fn keys_that_are_refused() {
    for profile in Profile::ALL {
        let (key, salt) = (profile.key_len(), profile.salt_len());
        for len in (0..40).filter(|len| *len != key) {
            let made = Session::new(profile, &vec![1; len], &vec![2; salt]);
            assert_eq!(made.err(), Some(PacketError::KeyLength), "{len}");
        }
        for len in (0..20).filter(|len| *len != salt) {
            let made = Session::new(profile, &vec![1; key], &vec![2; len]);
            assert_eq!(made.err(), Some(PacketError::SaltLength), "{len}");
        }
        let good = (vec![1; key], vec![2; 20], vec![3; salt]);
        let made = |[encryption, authentication, salt]: [usize; 3]| {
            let keys = SessionKeys {
                encryption: &good.0[..key.min(encryption)],
                authentication: &good.1[..authentication],
                salt: &good.2[..salt],
            };
            let good = SessionKeys { encryption: &good.0, authentication: &good.1, salt: &good.2 };
            let of_rtp = Session::from_session_keys(profile, keys, good).err();
            assert_eq!(of_rtp, Session::from_session_keys(profile, good, keys).err());
            of_rtp
        };
        let gcm = matches!(profile, Profile::Aes128Gcm | Profile::Aes256Gcm);
        assert_eq!(made([key, 20, salt]), None);
        assert_eq!(made([key - 1, 20, salt]), Some(PacketError::KeyLength));
        assert_eq!(made([key, 19, salt]), if gcm { None } else { Some(PacketError::KeyLength) });
        assert_eq!(made([key, 20, salt - 1]), Some(PacketError::SaltLength));
        let (aes, hmac) = (Aes128::kernels().next(), Hmac::<Sha1>::kernels().next());
        if let (Some(aes), Some(hmac)) = (aes, hmac)
            && !gcm
        {
            let made = |kernels| Session::with_kernels(profile, &good.0, &good.2, kernels).err();
            assert_eq!(made([aes, hmac]), None);
            assert_eq!(made([aes, aes]), Some(PacketError::Kernel));
        }
    }
}

/// Section 3.3.1: half of all numbers ahead and half behind.
#[test]
fn indices_that_are_estimated() {
    for (rollovers, highest, sequence, expected) in [
        (0, 0, 0, (0, 0)),
        (5, 0, 0x8000, (5, 0x8000)),
        (5, 0, 0x8001, (4, 0x8001)),
        (5, 0x7fff, 0xffff, (5, 0xffff)),
        (5, 0x7ffe, 0xffff, (4, 0xffff)),
        (5, 0x8000, 0, (5, 0)),
        (5, 0x8001, 0, (6, 0)),
        (5, 0x8001, 1, (5, 1)),
        (5, 0xffff, 0x7ffe, (6, 0x7ffe)),
        (5, 0xffff, 0x7fff, (5, 0x7fff)),
        (0, 0, 0xffff, (u32::MAX, 0xffff)),
        (u32::MAX, 0xffff, 0, (0, 0)),
    ] {
        let (rollovers_expected, sequence_expected) = expected;
        let expected = index(rollovers_expected, sequence_expected);
        assert_eq!(estimated_index(rollovers, highest, sequence), expected, "{highest}, {sequence}");
    }
}
