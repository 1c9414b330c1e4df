//! Frames against the examples of their documents, and game servers' against frames made by another implementation.

mod common;

use abreast::aes::{Aes128, Aes192, Aes256};
use abreast::modes::{CounterWidth, Gcm};
use abreast::packets::{self, CipherKey, Packet};
use abreast::xtea::Xtea;
use abreast::{BlockCipher, Error};
use abreast_frames::game::{Format, Frame, FrameError, LARGE_LIMIT, LIMIT, Layout, Mark, next_sequence};
use abreast_frames::quic::{Header, TooShort, protect, unprotect};
use abreast_frames::srtp::{self, Label};
use abreast_frames::{ipsec, quic};
use common::bytes;

fn hex<const N: usize>(digits: &str) -> [u8; N] {
    bytes(digits).try_into().expect("so many bytes")
}

const BYTES: Format = Format { layout: Layout::Bytes, marked: true, limit: LIMIT };
const UNMARKED: Format = Format { marked: false, ..BYTES };
const BLOCKS: Format = Format { layout: Layout::Blocks, marked: true, limit: LARGE_LIMIT };
const FIFTH: Mark = Mark::Sequence { number: 5, deflated: true };
const SEVENTH: Mark = Mark::Sequence { number: 7, deflated: false };

/// The key that game frames are under here.
fn game_key() -> Xtea {
    Xtea::new(&hex("000102030405060708090a0b0c0d0e0f"))
}

fn crypt(key: &Xtea, frames: &mut [Frame<'_>], batch: fn(&mut [Packet<'_, CipherKey<'_>>])) {
    let mut packets: Vec<_> = frames.iter_mut().map(|frame| Packet::new(key, &[], frame.blocks())).collect();
    batch(&mut packets);
    assert!(packets.iter().all(|packet| packet.result == Ok(())));
}

/// A frame around a payload.
fn sent(format: Format, payload: &[u8], mark: Mark) -> Vec<u8> {
    let len = format.frame_len(payload.len()).expect("short");
    let mut buffer = vec![0xee; len + 3];
    buffer[format.front()..][..payload.len()].copy_from_slice(payload);
    let mut frame = format.build(&mut buffer, payload.len()).expect("room");
    crypt(&game_key(), std::slice::from_mut(&mut frame), packets::ecb_encrypt);
    let frame = frame.finish(mark).expect("a mark that suits").to_vec();
    assert_eq!(buffer[len..], [0xee; 3]);
    frame
}

/// The frames were made by a program in Python, with the reference code of XTEA and zlib's Adler-32.
#[test]
fn game_frames() {
    for (payload, [adler, none, sequence, blocks, blocks_adler]) in [
        (
            "",
            [
                "0c001404eb127db6446cbeb47b43",
                "08007db6446cbeb47b43",
                "0c00050000807db6446cbeb47b43",
                "010007000000e2bcb9facfa09faf",
                "01000f067d1ce2bcb9facfa09faf",
            ],
        ),
        (
            "\x1e",
            [
                "0c0079045b16f3f36915b84277a3",
                "0800f3f36915b84277a3",
                "0c0005000080f3f36915b84277a3",
                "010007000000a927a17e4fc91ff3",
                "01001a046511a927a17e4fc91ff3",
            ],
        ),
        (
            "123456",
            [
                "0c0089056a1877bac3a3d4baf271",
                "080077bac3a3d4baf271",
                "0c000500008077bac3a3d4baf271",
                "010007000000b8458ee540854eab",
                "01002f044e13b8458ee540854eab",
            ],
        ),
        (
            "1234567",
            [
                "14006407d93d5c78907a3ba0a615b6d40c684855d381",
                "10005c78907a3ba0a615b6d40c684855d381",
                "1400050000805c78907a3ba0a615b6d40c684855d381",
                "0100070000002655b7a8eb25fa35",
                "01001a0461112655b7a8eb25fa35",
            ],
        ),
        (
            "you see a rat",
            [
                "1400c308504f7cd4b232c3d3aceb9c152f975c6c48da",
                "10007cd4b232c3d3aceb9c152f975c6c48da",
                "1400050000807cd4b232c3d3aceb9c152f975c6c48da",
                "020007000000d7b7b899b0fe2a6f62b067e8c6ba833d",
                "0200c8091e58d7b7b899b0fe2a6f62b067e8c6ba833d",
            ],
        ),
    ] {
        for (format, mark, expected) in [
            (BYTES, Mark::Adler32, adler),
            (UNMARKED, Mark::None, none),
            (BYTES, FIFTH, sequence),
            (BLOCKS, SEVENTH, blocks),
            (BLOCKS, Mark::Adler32, blocks_adler),
        ] {
            let mut frame = bytes(expected);
            assert_eq!(sent(format, payload.as_bytes(), mark), frame, "{format:?}, {mark:?}");
            assert_eq!(format.whole_len([frame[0], frame[1]]), Ok(frame.len()));

            let mut received = format.parse(&mut frame).expect("a frame");
            match mark {
                Mark::None => assert_eq!(received.check_adler32(), Err(FrameError::Mark)),
                Mark::Adler32 => assert_eq!(received.check_adler32(), Ok(())),
                Mark::Sequence { number, deflated } => {
                    assert_eq!(received.sequence(), Some((number, deflated)));
                    assert_eq!(received.check_adler32(), Err(FrameError::Checksum));
                }
            }
            crypt(&game_key(), std::slice::from_mut(&mut received), packets::ecb_decrypt);
            assert_eq!(received.payload().map(|got| got.to_vec()), Ok(payload.as_bytes().to_vec()));
        }
    }
}

/// Every length; and the servers' own longest ones.
#[test]
fn game_frames_come_back() {
    for format in [BYTES, UNMARKED, BLOCKS] {
        for len in (0..200).chain([24_000, format.limit - format.front() - 7]) {
            let payload: Vec<u8> = (0..len).map(|i| (i * 7 + len) as u8).collect();
            let mut frame = sent(format, &payload, if format.marked { FIFTH } else { Mark::None });
            let mut received = format.parse(&mut frame).expect("a frame");
            assert!(received.blocks().len() < len + 11);
            crypt(&game_key(), std::slice::from_mut(&mut received), packets::ecb_decrypt);
            assert!(received.payload().is_ok_and(|got| *got == payload[..]), "{format:?}, {len} bytes");
        }
    }
}

#[test]
fn game_frames_that_are_refused() {
    let longest = Format { limit: usize::MAX, ..BYTES };
    let most = 0xfff8 - 2;
    assert_eq!(longest.frame_len(most), Ok(2 + 4 + 0xfff8));
    assert_eq!(longest.frame_len(most + 1), Err(FrameError::TooLong));
    assert_eq!(longest.frame_len(usize::MAX), Err(FrameError::TooLong));
    let longest = Format { limit: usize::MAX, ..BLOCKS };
    assert_eq!(longest.frame_len(8 * 0xffff - 1), Ok(6 + 8 * 0xffff));
    assert_eq!(longest.frame_len(8 * 0xffff), Err(FrameError::TooLong));
    // 24,590 less 6 in front are 3,073 blocks.
    assert_eq!(BYTES.frame_len(24_582), Ok(LIMIT));
    assert_eq!(BYTES.frame_len(24_583), Err(FrameError::TooLong));
    assert_eq!(BYTES.whole_len(24_588_u16.to_le_bytes()), Ok(LIMIT));
    assert_eq!(BYTES.whole_len(24_596_u16.to_le_bytes()), Err(FrameError::TooLong));
    assert_eq!(BLOCKS.whole_len(8_187_u16.to_le_bytes()), Err(FrameError::TooLong));

    let error = |format: Format, frame: &[u8]| format.parse(&mut frame.to_vec()).err();
    assert_eq!(error(BYTES, &[]), Some(FrameError::Length));
    assert_eq!(error(BYTES, &[12]), Some(FrameError::Length));
    for (format, outer) in [(BYTES, 0), (BYTES, 3), (BYTES, 4), (BYTES, 11), (BYTES, 13), (UNMARKED, 12)] {
        assert_eq!(error(format, &[outer, 0]), Some(FrameError::PartialBlock), "{outer}");
    }
    assert_eq!(error(BLOCKS, &[0, 0, 1, 2, 3, 4]), Some(FrameError::PartialBlock));
    for (format, frame) in [(BYTES, sent(BYTES, b"12", FIFTH)), (BLOCKS, sent(BLOCKS, b"12", FIFTH))] {
        for len in 2..frame.len() {
            assert_eq!(error(format, &frame[..len]), Some(FrameError::Length));
        }
        assert_eq!(error(format, &[&frame[..], &[0]].concat()), Some(FrameError::Length));
    }

    let mut buffer = [0; 21];
    assert_eq!(BYTES.build(&mut buffer, 7).err(), Some(FrameError::BufferTooShort));
    let finish = |format: Format, mark| format.build(&mut [0; 64], 7).map(|frame| frame.finish(mark).err());
    assert_eq!(finish(BYTES, Mark::None), Ok(Some(FrameError::Mark)));
    assert_eq!(finish(UNMARKED, FIFTH), Ok(Some(FrameError::Mark)));
    let number = 1 << 31;
    assert_eq!(finish(BYTES, Mark::Sequence { number, deflated: false }), Ok(Some(FrameError::Sequence)));

    let mut frame = sent(BYTES, b"you see a rat", Mark::Adler32);
    frame[21] ^= 1;
    let checked = BYTES.parse(&mut frame).map(|frame| frame.check_adler32());
    assert_eq!(checked, Ok(Err(FrameError::Checksum)));
}

/// Checks the lengths that a payload may state once it is decrypted.
#[test]
fn lengths_inside_game_frames() {
    let payload = |format: Format, blocks: [u8; 16]| {
        let mut frame = sent(format, b"123456789", if format.marked { FIFTH } else { Mark::None });
        let mut frame = format.parse(&mut frame).expect("a frame");
        frame.blocks().copy_from_slice(&blocks);
        frame.payload().map(|payload| payload.len())
    };
    let begin = |start: [u8; 2]| {
        let mut blocks = [0x33; 16];
        blocks[..2].copy_from_slice(&start);
        blocks
    };
    for format in [BYTES, UNMARKED] {
        for (len, start) in [(0, [0, 0]), (5, [5, 0]), (14, [14, 0])] {
            assert_eq!(payload(format, begin(start)), Ok(len));
        }
        for start in [[15, 0], [16, 0], [0, 1], [0xff, 0xff]] {
            assert_eq!(payload(format, begin(start)), Err(FrameError::InnerLength));
        }
    }
    for (padding, len) in [(0, Ok(15)), (7, Ok(8)), (15, Ok(0)), (16, Err(FrameError::InnerLength))] {
        assert_eq!(payload(BLOCKS, begin([padding, 0])), len);
    }
    assert_eq!(payload(BLOCKS, begin([0xff, 0])), Err(FrameError::InnerLength));
}

#[test]
fn numbers_of_game_frames() {
    assert_eq!([0, 1, 0x7fff_fffe, 0x7fff_ffff].map(next_sequence), [1, 2, 0x7fff_ffff, 1]);
}

/// RFC 3711, B.2: the first and the last three blocks of the longest packet but a few.
#[test]
fn keystream_of_srtp() {
    let key = Aes128::new(&hex("2B7E151628AED2A6ABF7158809CF4F3C"));
    let counter = srtp::counter_block(&hex("F0F1F2F3F4F5F6F7F8F9FAFBFCFD"), 0, srtp::index(0, 0));
    assert_eq!(counter, hex("F0F1F2F3F4F5F6F7F8F9FAFBFCFD0000"));
    let mut stream = vec![0; 1_044_512];
    let mut batch = [Packet::new(&key, &counter, stream.as_mut_slice())];
    packets::ctr(&mut batch, CounterWidth::Bits16);
    assert_eq!(batch[0].result, Ok(()));
    let first = "E03EAD0935C95E80E166B16DD92B4EB4 D23513162B02D0F72A43A2FE4A5F97AB \
                 41E95B3BB0A2E8DD477901E4FCA894C0";
    let last = "EC8CDF7398607CB0F2D21675EA9EA1E4 362B7C3C6773516318A077D7FC5073AE \
                6A2CC3787889374FBEB4C81B17BA6C44";
    assert_eq!((&stream[..48], &stream[1_044_464..]), (&bytes(first)[..], &bytes(last)[..]));
}

/// Section 4.1.1: salt, sender and index lie at offsets 0, 4 and 8.
#[test]
fn counter_blocks_of_srtp() {
    let ssrc = 0xdead_beef;
    let index = srtp::index(0x0102_0304, 0x0506);
    assert_eq!(index, 0x0102_0304_0506);
    assert_eq!(srtp::counter_block(&[0; 14], ssrc, index), hex("00000000 DEADBEEF 010203040506 0000"));
    assert_eq!(srtp::counter_block(&[0xff; 14], ssrc, index), hex("FFFFFFFF 21524110 FEFDFCFBFAF9 0000"));
    assert_eq!(srtp::counter_block(&[0; 14], 0, 1 << 48 | 7), hex("00000000 00000000 000000000007 0000"));
}

/// RFC 3711, B.3.
#[test]
fn keys_of_srtp() {
    let master = Aes128::new(&hex("E1F97A0D3E018BE0D64FA32C06DE4139"));
    let salt = hex("0EC675AD498AFEEBB6960B3AABE6");
    let derived = |label, len| {
        let mut key = vec![0xee; len];
        srtp::derive(&master, &salt, label, 0, &mut key).expect("a key");
        key
    };
    assert_eq!(derived(Label::RtpEncryption, 16), bytes("C61E7A93744F39EE10734AFE3FF7A087"));
    assert_eq!(derived(Label::RtpSalt, 14), bytes("30CBBC08863D8C85D49DB34A9AE1"));
    let authentication = "CEBE321F6FF7716B6FD4AB49AF256A15 6D38BAA48F0A0ACF3C34E2359E6CDBCE \
                          E049646C43D9327AD175578EF7227098 6371C10C9A369AC2F94A8C5FBCDDDC25 \
                          6D6E919A48B610EF17C2041E47403576 6B68642C59BBFC2F34DB60DBDFB2";
    assert_eq!(derived(Label::RtpAuthentication, 94), bytes(authentication));

    // Label and turn are next to each other, and then the bits that count.
    let block = hex::<16>("0EC675AD498AFEEEB7980F3FADE10000");
    let mut expected = [0; 16];
    expected.copy_from_slice(&block);
    assert_eq!(master.encrypt_raw_blocks(expected.as_mut_slice().into()), Ok(()));
    let mut key = [0; 16];
    assert_eq!(srtp::derive(&master, &salt, Label::RtcpSalt, 0x010e_0405_0607, &mut key), Ok(()));
    assert_eq!(key, expected);
    let mut too_much = vec![0; (16 << 16) + 1];
    let refused = srtp::derive(&master, &salt, Label::RtpSalt, 0, &mut too_much);
    assert_eq!(refused, Err(Error::CounterExhausted));
}

/// RFC 3686, section 6: all nine, as one batch.
#[test]
fn counter_mode_of_ipsec() {
    let single = "53696E676C6520626C6F636B206D7367";
    let double = "000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F";
    let longer = "000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F20212223";
    let cases = [
        ("AE6852F8121067CC4BF7A5765577F39E", "00000030", "0000000000000000", single),
        ("7E24067817FAE0D743D6CE1F32539163", "006CB6DB", "C0543B59DA48D90B", double),
        ("7691BE035E5020A8AC6E618529F9A0DC", "00E0017B", "27777F3F4A1786F0", longer),
        ("16AF5B145FC9F579C175F93E3BFB0EED863D06CCFDB78515", "00000048", "36733C147D6D93CB", single),
        ("7C5CB2401B3DC33C19E7340819E0F69C678C3DB8E6F6A91A", "0096B03B", "020C6EADC2CB500D", double),
        ("02BF391EE8ECB159B959617B0965279BF59B60A786D3E0FE", "0007BDFD", "5CBD60278DCC0912", longer),
        (
            "776BEFF2851DB06F4C8A0542C8696F6C6A81AF1EEC96B4D37FC1D689E6C1C104",
            "00000060",
            "DB5672C97AA8F0B2",
            single,
        ),
        (
            "F6D66D6BD52D59BB0796365879EFF886C66DD51A5B6A99744B50590C87A23884",
            "00FAAC24",
            "C1585EF15A43D875",
            double,
        ),
        (
            "FF7A617CE69148E4F1726E2F43581DE2AA62D9F805532EDFF1EED687FB54153D",
            "001CC5B7",
            "51A51D70A1C11148",
            longer,
        ),
    ];
    let answers = [
        "E4095D4FB7A7B3792D6175A3261311B8",
        "5104A106168A72D9790D41EE8EDAD388EB2E1EFC46DA57C8FCE630DF9141BE28",
        "C1CF48A89F2FFDD9CF4652E9EFDB72D74540A42BDE6D7836D59A5CEAAEF3105325B2072F",
        "4B55384FE259C9C84E7935A003CBE928",
        "453243FC609B23327EDFAAFA7131CD9F8490701C5AD4A79CFC1FE0FF42F4FB00",
        "96893FC55E5C722F540B7DD1DDF7E758D288BC95C69165884536C811662F2188ABEE0935",
        "145AD01DBF824EC7560863DC71E3E0C0",
        "F05E231B3894612C49EE000B804EB2A9B8306B508F839D6A5530831D9344AF1C",
        "EB6C52821D0BBBF7CE7594462ACA4FAAB407DF866569FD07F48CC0B583D6071F1EC0E6B8",
    ];
    let key = |digits: &str| -> Box<dyn BlockCipher> {
        match digits.len() / 2 {
            16 => Box::new(Aes128::new(&hex(digits))),
            24 => Box::new(Aes192::new(&hex(digits))),
            _ => Box::new(Aes256::new(&hex(digits))),
        }
    };
    let keys = cases.map(|(digits, ..)| key(digits));
    let counters = cases.map(|(_, nonce, iv, _)| ipsec::counter_block(hex(nonce), hex(iv)));
    let mut texts = cases.map(|(.., text)| bytes(text));
    let mut batch: Vec<_> = (keys.iter().zip(&counters).zip(&mut texts))
        .map(|((key, counter), text)| Packet::new(key, counter, text.as_mut_slice()))
        .collect();
    packets::ctr(&mut batch, CounterWidth::Bits32);
    assert!(batch.iter().all(|packet| packet.result == Ok(())));
    assert_eq!(texts, answers.map(bytes));
}

/// The test cases of draft-mcgrew-gcm-test-01 with extended sequence numbers and without.
#[test]
fn gcm_of_ipsec() {
    let extended = Gcm::from_cipher(Aes128::new(&hex("4c80cdefbb5d10da906ac73c3613a634")));
    let usual = Gcm::from_cipher(Aes192::new(&hex("feffe9928665731c6d6a8f9467308308feffe9928665731c")));
    let mut texts = [
        bytes(
            "45000048699a000080114db7c0a80102c0a801010a9bf15638d3010000010000\
             00000000045f736970045f756470037369700963796265726369747902646b00\
             0021000101020201",
        ),
        bytes(
            "45000028a4ad4000400678800a01038f0a010612802306b8cb712602dd6bb03e\
             501016d075680001",
        ),
    ];
    let mut tags = [[0; 16]; 2];
    let nonces = [
        ipsec::gcm_nonce(hex("2e443b68"), hex("4956ed7e3b244cfe")),
        ipsec::gcm_nonce(hex("cafebabe"), hex("facedbaddecaf888")),
    ];
    let aads = [ipsec::aad_extended(0x4321, 0x8765_4321_0000_0000).to_vec(), ipsec::aad(0xa5f8, 10).to_vec()];
    let [first_text, other_text] = &mut texts;
    let [first_tag, other_tag] = &mut tags;
    packets::gcm_encrypt(&mut [
        Packet::new(&extended, &nonces[0], first_text.as_mut_slice()).with_tag(&aads[0], first_tag),
        Packet::new(&usual, &nonces[1], other_text.as_mut_slice()).with_tag(&aads[1], other_tag),
    ]);
    let ciphertexts = [
        bytes(
            "fecf537e729d5b07dc30df528dd22b768d1b98736696a6fd348509fa13ceac34\
             cfa2436f14a3f3cf65925bf1f4a13c5d15b21e1884f5ff6247aeabb786b93bce\
             61bc17d768fd9732",
        ),
        bytes(
            "a5b1f8066029aea40e598b8122de02420938b3ab33f828e687b8858b5bfbdbd0\
             315b27452144cc77",
        ),
    ];
    assert_eq!(texts, ciphertexts);
    assert_eq!(tags, [hex("459018148f6cbe722fd04796562dfdb4"), hex("95457b9652037f5318027b5b4cd7a636")]);
}

/// RFC 9001, A.2 and A.3: the client's and the server's Initial, as one batch.
#[test]
fn headers_of_quic() -> Result<(), TooShort> {
    let keys = ["9f50449e04a0e810283a1e9933adedd2", "c206b8d9b9f0f37644430b490eeaa314"];
    let keys = keys.map(|key| Aes128::new(&hex(key)));
    let plain = [
        "c300000001088394c8f03e5157080000449e 00000002 d1b1c98dd7689fb8ec11d242b123dc9b",
        "c1000000010008f067a5502a4262b5004075 0001 5a48 2cd0991cd25b0aac406a5816b6394100",
    ];
    let protected = [
        "c000000001088394c8f03e5157080000449e 7b9aec34 d1b1c98dd7689fb8ec11d242b123dc9b",
        "cf000000010008f067a5502a4262b5004075 c0d9 5a48 2cd0991cd25b0aac406a5816b6394100",
    ];
    let mut packets = plain.map(bytes);
    let [client, server] = &mut packets;
    protect(&mut [Header::new(&keys[0], client, 18)?, Header::new(&keys[1], server, 18)?]);
    assert_eq!(packets, protected.map(bytes));
    let [client, server] = &mut packets;
    let mut headers = [Header::new(&keys[0], client, 18)?, Header::new(&keys[1], server, 18)?];
    unprotect(&mut headers);
    assert_eq!(headers.map(|header| header.number()), [(2, 4), (1, 2)]);
    assert_eq!(packets, plain.map(bytes));
    Ok(())
}

/// RFC 9001, A.3, all of it: nonce, AEAD and header.
#[test]
fn a_packet_of_quic() -> Result<(), TooShort> {
    let gcm = Gcm::from_cipher(Aes128::new(&hex("cf3a5331653c364c88f0f379b6067e37")));
    let nonce = quic::nonce(&hex("0ac1493ca1905853b0bba03e"), 1);
    assert_eq!(nonce, hex("0ac1493ca1905853b0bba03f"));
    assert_eq!(quic::nonce(&[0; 12], 0x0102_0304_0506_0708), hex("00000000 0102030405060708"));
    let header = bytes("c1000000010008f067a5502a4262b50040750001");
    let mut payload = bytes(
        "02000000000600405a020000560303eefce7f7b37ba1d1632e96677825ddf739\
         88cfc79825df566dc5430b9a045a1200130100002e00330024001d00209d3c94\
         0d89690b84d08a60993c144eca684d1081287c834d5311bcf32bb9da1a002b00\
         020304",
    );
    let mut tag = [0; 16];
    let packet = Packet::new(&gcm, &nonce, payload.as_mut_slice()).with_tag(&header, &mut tag);
    packets::gcm_encrypt(&mut [packet]);
    let mut packet = [&header[..], &payload, &tag].concat();
    let key = Aes128::new(&hex("c206b8d9b9f0f37644430b490eeaa314"));
    protect(&mut [Header::new(&key, &mut packet, 18)?]);
    let expected = "cf000000010008f067a5502a4262b5004075c0d95a482cd0991cd25b0aac406a\
                    5816b6394100f37a1c69797554780bb38cc5a99f5ede4cf73c3ec2493a1839b3\
                    dbcba3f6ea46c5b7684df3548e7ddeb9c3bf9c73cc3f3bded74b562bfb19fb84\
                    022f8ef4cdd93795d77d06edbb7aaf2f58891850abbdca3d20398c276456cbc4\
                    2158407dd074ee";
    assert_eq!(packet, bytes(expected));
    Ok(())
}

/// More headers than are done at once, long and short, with numbers of every length and a key each.
#[test]
fn many_headers_of_quic() -> Result<(), TooShort> {
    for count in [0, 1, 31, 32, 33, 64, 100] {
        let keys: Vec<_> = (0..count).map(|i| Aes256::new(&[i as u8; 32])).collect();
        let plain: Vec<Vec<u8>> =
            (0..count).map(|i| (0..60).map(|j| (j * 89 + i * 53 + i / 7) as u8).collect()).collect();
        let mut packets = plain.clone();
        protect(&mut headers_of(&keys, &mut packets)?);
        for (i, (key, (plain, packet))) in keys.iter().zip(plain.iter().zip(&packets)).enumerate() {
            let at = 1 + i % 20;
            let mut mask = [0; 16];
            mask.copy_from_slice(&plain[at + 4..at + 20]);
            assert_eq!(key.encrypt_raw_blocks(mask.as_mut_slice().into()), Ok(()));
            let mut expected = plain.clone();
            expected[0] ^= mask[0] & if plain[0] < 0x80 { 0x1f } else { 0x0f };
            for j in 0..=usize::from(plain[0] & 3) {
                expected[at + j] ^= mask[1 + j];
            }
            assert_eq!(*packet, expected, "{i} of {count}");
        }
        unprotect(&mut headers_of(&keys, &mut packets)?);
        assert_eq!(packets, plain);
    }
    Ok(())
}

fn headers_of<'a>(keys: &'a [Aes256], packets: &'a mut [Vec<u8>]) -> Result<Vec<Header<'a>>, TooShort> {
    let headers = keys.iter().zip(packets).enumerate();
    headers.map(|(i, (key, packet))| Header::new(key, packet, 1 + i % 20)).collect()
}

#[test]
fn packets_too_short_for_a_sample() {
    let key = Aes128::new(&[0; 16]);
    for (len, at) in [(0, 0), (0, 1), (40, 0), (20, 1), (39, 20), (40, 41), (40, usize::MAX)] {
        assert_eq!(Header::new(&key, &mut vec![0; len], at).err(), Some(TooShort), "{len}, {at}");
    }
    for (len, at) in [(21, 1), (40, 20)] {
        assert!(Header::new(&key, &mut vec![0; len], at).is_ok());
    }
}
