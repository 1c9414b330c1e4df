//! Packets of QUIC whole: against the examples of RFC 9001, and against packets that the test puts together by single calls.

mod common;

use abreast::BlockCipher;
use abreast::aes::{Aes, Aes128};
use abreast::modes::Gcm;
use abreast_frames::PacketError;
use abreast_frames::quic::{
    Header, PacketKey, PacketKeys, QuicPacket, TooShort, full_number, header_key, mask, nonce, open, seal,
    unprotect,
};
use abreast_vectors::quic;
use common::Random;

/// RFC 9001, A.2 and A.3: the Initial of the client and that of the server.
#[test]
fn initial_packets() -> Result<(), TooShort> {
    for case in quic() {
        let iv = case.iv[..].try_into().expect("12 bytes");
        let key = PacketKey::new(&case.key, iv).expect("16 bytes");
        let header_key = header_key(&case.header_key).expect("16 bytes");
        let keys = PacketKeys::of_phases(&header_key, [Some(&key), None]).expect("a key");
        let (len, number) = (case.header.len(), case.number.into());
        let number_at = len - 1 - usize::from(case.header[0] & 3);
        let mut packet = [&case.header[..], &case.payload, &[0; 16]].concat();
        let mut batch = [QuicPacket::new(keys, number, &mut packet, number_at)?];
        seal(&mut batch);
        assert_eq!((batch[0].result, batch[0].header_len()), (Ok(()), len));
        assert_eq!(packet, case.packet);
        let mut received = [QuicPacket::new(keys, 0, &mut packet, number_at)?];
        open(&mut received);
        let [opened] = received;
        assert_eq!((opened.result, opened.number, opened.header_len()), (Ok(()), number, len));
        assert_eq!(opened.payload(), case.payload);
        assert_eq!(packet[..len], case.header);
        // A call for one mask gives the RFC's for this sample.
        let sample = case.packet[number_at + 4..][..16].try_into().expect("16 bytes");
        assert_eq!(mask(&header_key, sample).to_vec(), case.mask);
    }
    Ok(())
}

/// The key of a packet by its first byte, with the keys of both phases there, of one, and of none.
#[test]
fn keys_of_phases() -> Result<(), TooShort> {
    let header = header_key(&[3; 32]).expect("32 bytes");
    let [even, odd] = [1, 2].map(|byte| PacketKey::new(&[byte; 16], &[byte; 12]).expect("16 bytes"));
    assert!(PacketKeys::of_phases(&header, [None, None]).is_none());
    // For each first byte with a phase of 0, of 1, and of a long header: the key of the packet.
    for (keys, of_packets) in [
        ([Some(&even), Some(&odd)], [Some(&even), Some(&odd), Some(&even)]),
        ([Some(&even), None], [Some(&even), None, Some(&even)]),
        ([None, Some(&odd)], [None, Some(&odd), Some(&odd)]),
    ] {
        for (first, key) in [0x40, 0x44, 0xc4].into_iter().zip(of_packets) {
            let (mut packet, mut expected) = ([first; 40], [first; 40]);
            let keys = PacketKeys::of_phases(&header, keys).expect("a key");
            let mut batch = [QuicPacket::new(keys, 1, &mut packet, 5)?];
            seal(&mut batch);
            let result = batch[0].result;
            if let Some(key) = key {
                let keys = PacketKeys::of_phases(&header, [Some(key), Some(key)]).expect("a key");
                seal(&mut [QuicPacket::new(keys, 1, &mut expected, 5)?]);
                assert_eq!(result, Ok(()));
            } else {
                assert_eq!(result, Err(PacketError::KeyPhase));
            }
            assert_eq!(packet, expected, "{first:#x}");
        }
    }
    for len in (0..40).filter(|len| !matches!(len, 16 | 32)) {
        assert_eq!(PacketKey::new(&[1; 40][..len], &[1; 12]).err(), Some(PacketError::KeyLength));
        assert_eq!(header_key(&[1; 40][..len]).err(), Some(PacketError::KeyLength));
    }
    Ok(())
}

/// RFC 9000, A.3, and every number near the one that is expected.
#[test]
fn numbers() {
    assert_eq!(full_number(0xa82f_30ea + 1, 0x9b32, 2), 0xa82f_9b32);
    let mut random = Random(700);
    for _ in 0..100_000 {
        let len = 1 + random.up_to(3);
        let half = 1_u64 << (8 * len - 1);
        let expected = random.of_bits(62);
        let number = if random.up_to(1) == 0 {
            expected.saturating_sub(random.of_bits(8 * len - 1).min(half - 1))
        } else {
            (expected + random.of_bits(8 * len - 1)).min((1 << 62) - 1)
        };
        let sent = number as u32 & (u64::MAX >> (64 - 8 * len)) as u32;
        assert_eq!(full_number(expected, sent, len), number, "{expected}, {len} bytes");
    }
    // Numbers that QUIC does not have are no reason to panic.
    for expected in [1 << 62, 1 << 63, u64::MAX] {
        for len in [0, 1, 4, 5, 100] {
            for sent in [0, 1, u32::MAX] {
                let _ = full_number(expected, sent, len);
            }
        }
    }
}

/// A connection's keys and a packet of it, sealed by hand.
struct Case {
    gcm: [Gcm<Aes>; 2],
    iv: [[u8; 12]; 2],
    header: Aes,
    phase: bool,
    number: u64,
    number_at: usize,
    clear: Vec<u8>,
    sealed: Vec<u8>,
    /// Bytes before the payload.
    header_len: usize,
}

impl Case {
    fn new(random: &mut Random) -> Self {
        let key_len = if random.up_to(1) == 0 { 16 } else { 32 };
        let aes = |random: &mut Random| Aes::new(&random.bytes(key_len)).expect("a length of keys");
        let gcm = [(); 2].map(|()| Gcm::from_cipher(aes(random)));
        let iv = [(); 2].map(|()| random.bytes(12).try_into().expect("12 bytes"));
        let header = aes(random);
        let number_at = 1 + random.up_to(39);
        let mut clear = random.bytes(number_at);
        let number = random.of_bits(62);
        let number_len = usize::from(clear[0] & 3) + 1;
        clear.extend(&number.to_be_bytes()[8 - number_len..]);
        let header_len = clear.len();
        let payload_len = (4 - number_len) + random.of_bits(11) as usize;
        clear.extend(random.bytes(payload_len));
        let phase = random.up_to(1) == 1;
        let other = clear[0] & 0x80 == 0 && (clear[0] & 4 != 0) != phase;
        let mut sealed = clear.clone();
        let (aad, payload) = sealed.split_at_mut(header_len);
        let mut tag = [0; 16];
        let (key, iv_of_key) = (&gcm[usize::from(other)], &iv[usize::from(other)]);
        let done = key.encrypt_detached(&nonce(iv_of_key, number), aad, payload, &mut tag);
        assert_eq!(done, Ok(()));
        sealed.extend(tag);
        let mut masked = sealed.clone();
        let mut block: [u8; 16] = sealed[number_at + 4..][..16].try_into().expect("16 bytes");
        assert_eq!(header.encrypt_raw_blocks(block.as_mut_slice().into()), Ok(()));
        masked[0] ^= block[0] & if masked[0] & 0x80 == 0 { 0x1f } else { 0x0f };
        for i in 0..number_len {
            masked[number_at + i] ^= block[1 + i];
        }
        clear.extend([0; 16]);
        Self { gcm, iv, header, phase, number, number_at, clear, sealed: masked, header_len }
    }

    fn keys(&self) -> PacketKeys<'_> {
        PacketKeys::new(&self.gcm[0], &self.iv[0], &self.header)
            .in_phase(self.phase)
            .with_other_phase(&self.gcm[1], &self.iv[1])
    }

    fn is_of_other_phase(&self) -> bool {
        self.clear[0] & 0x80 == 0 && (self.clear[0] & 4 != 0) != self.phase
    }
}

/// The fate of a packet before it is opened.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fate {
    Whole,
    /// A bit of payload or tag is changed.
    Changed,
    /// The key of the other phase is not there.
    OnePhase,
}

/// Batches of any size, with long and short headers, numbers of every length, both phases, and packets that are not authentic between
/// the others.
#[test]
fn batches() -> Result<(), TooShort> {
    let mut random = Random(701);
    for count in [0, 1, 2, 3, 31, 32, 33, 64, 65, 100] {
        let cases: Vec<Case> = (0..count).map(|_| Case::new(&mut random)).collect();
        let mut buffers: Vec<Vec<u8>> = cases.iter().map(|case| case.clear.clone()).collect();
        let packets = cases.iter().zip(&mut buffers);
        let mut packets = packets
            .map(|(case, packet)| QuicPacket::new(case.keys(), case.number, packet, case.number_at))
            .collect::<Result<Vec<_>, _>>()?;
        assert!(packets.iter().all(|packet| packet.result.is_err() && packet.payload().is_empty()));
        seal(&mut packets);
        assert!(packets.iter().all(|packet| packet.result.is_ok()));
        for (i, (case, packet)) in cases.iter().zip(&buffers).enumerate() {
            assert!(*packet == case.sealed, "packet {i} of {count}");
        }

        let fates: Vec<Fate> = (0..count)
            .map(|_| [Fate::Whole, Fate::Whole, Fate::Changed, Fate::OnePhase][random.up_to(3)])
            .collect();
        let sent: Vec<Vec<u8>> = cases
            .iter()
            .zip(&fates)
            .map(|(case, fate)| {
                let mut packet = case.sealed.clone();
                if *fate == Fate::Changed {
                    // Not in the header, which would give another number and another payload.
                    let at = case.header_len.max(case.number_at + 20);
                    let at = if at < packet.len() { at } else { packet.len() - 1 };
                    packet[at] ^= 1 << random.up_to(7);
                }
                packet
            })
            .collect();
        let mut buffers = sent.clone();
        let mut packets = Vec::new();
        for ((case, packet), fate) in cases.iter().zip(&mut buffers).zip(&fates) {
            let mut keys = case.keys();
            if *fate == Fate::OnePhase {
                keys = PacketKeys::new(&case.gcm[0], &case.iv[0], &case.header).in_phase(case.phase);
            }
            packets.push(QuicPacket::new(keys, case.number, packet, case.number_at)?);
        }
        open(&mut packets);
        let results: Vec<_> =
            packets.iter().map(|packet| (packet.result, packet.number, packet.payload().to_vec())).collect();
        for (i, ((case, fate), (result, number, payload))) in
            cases.iter().zip(&fates).zip(results).enumerate()
        {
            let what = format!("packet {i} of {count}, {fate:?}");
            let clear = &case.clear[case.header_len..case.clear.len() - 16];
            match fate {
                Fate::OnePhase if case.is_of_other_phase() => {
                    assert_eq!(result, Err(PacketError::KeyPhase), "{what}");
                    assert_eq!(buffers[i], sent[i], "{what}");
                }
                Fate::Changed => {
                    // The sample may have been changed, and with it the header: nothing is authentic then either.
                    let wrong = matches!(result, Err(PacketError::TagMismatch));
                    assert!(wrong && payload.is_empty(), "{what}: {result:?}");
                    let body = &buffers[i][..case.clear.len() - 16];
                    let body = body.get(case.number_at + 4..).unwrap_or(&[]);
                    assert!(body.iter().all(|byte| *byte == 0), "{what}");
                }
                _ => {
                    assert_eq!((result, number), (Ok(()), case.number), "{what}");
                    assert_eq!(payload, clear, "{what}");
                    assert_eq!(buffers[i][..case.header_len], case.clear[..case.header_len], "{what}");
                }
            }
        }
    }
    Ok(())
}

/// A packet that is to be sealed in a phase whose key is not there stays as it was, and so do its neighbours' results.
#[test]
fn a_phase_without_a_key() -> Result<(), TooShort> {
    let gcm = Gcm::from_cipher(Aes128::new(&[1; 16]));
    let header = Aes128::new(&[2; 16]);
    let keys = PacketKeys::new(&gcm, &[3; 12], &header).in_phase(false);
    let (mut right, mut wrong) = ([0x40; 60], [0x44; 60]);
    let mut packets = [QuicPacket::new(keys, 1, &mut wrong, 5)?, QuicPacket::new(keys, 1, &mut right, 5)?];
    seal(&mut packets);
    assert_eq!(packets.map(|packet| packet.result), [Err(PacketError::KeyPhase), Ok(())]);
    assert_eq!(wrong, [0x44; 60]);
    assert_ne!(right, [0x40; 60]);
    Ok(())
}

/// Headers whose parts are apart are those of whole packets.
#[test]
fn headers_apart() -> Result<(), TooShort> {
    let mut random = Random(702);
    for _ in 0..1000 {
        let case = Case::new(&mut random);
        let at = case.number_at;
        let sample = case.sealed[at + 4..][..16].try_into().expect("16 bytes");
        let mut first = case.sealed[0];
        let mut number: [u8; 4] = case.sealed[at..at + 4].try_into().expect("4 bytes");
        let mut apart = [Header::apart(&case.header, sample, &mut first, &mut number)?];
        unprotect(&mut apart);
        let sent = apart[0].number();
        let number_len = case.header_len - at;
        assert_eq!(sent.1, number_len);
        assert_eq!(full_number(case.number, sent.0, sent.1), case.number);
        assert_eq!(first, case.clear[0]);
        assert_eq!(number[..number_len], case.clear[at..case.header_len]);
        assert_eq!(number[number_len..], case.sealed[case.header_len..at + 4], "bytes behind the number");
        // The other way, with a slice of the number alone.
        let mut number = number[..number_len].to_vec();
        abreast_frames::quic::protect(&mut [Header::apart(&case.header, sample, &mut first, &mut number)?]);
        assert_eq!(first, case.sealed[0]);
        assert_eq!(number, case.sealed[at..case.header_len]);
    }
    let key = Aes128::new(&[0; 16]);
    assert_eq!(Header::apart(&key, &[0; 16], &mut 0, &mut []).err(), Some(TooShort));
    Ok(())
}

#[test]
fn packets_too_short() {
    let (gcm, header) = (Gcm::from_cipher(Aes128::new(&[1; 16])), Aes128::new(&[2; 16]));
    let keys = PacketKeys::new(&gcm, &[3; 12], &header);
    for (len, at) in [(0, 0), (0, 1), (40, 0), (20, 1), (39, 20), (40, 41), (40, usize::MAX)] {
        assert_eq!(QuicPacket::new(keys, 0, &mut vec![0; len], at).err(), Some(TooShort), "{len}, {at}");
    }
    for first in 0..=255 {
        for (len, at) in [(21, 1), (40, 20)] {
            let mut packet = vec![0; len];
            packet[0] = first;
            let mut packets = [QuicPacket::new(keys, 0, &mut packet, at).expect("long enough")];
            seal(&mut packets);
            open(&mut packets);
            assert_eq!(packets[0].result, Ok(()), "{first}, {len}, {at}");
            assert_eq!(packets[0].payload().len(), 3 - usize::from(first & 3));
        }
    }
}
