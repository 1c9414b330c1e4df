//! Packets of SRTP, ESP and QUIC as a whole: any bytes protected and unprotected, and changed on the way.

use abreast_frames::PacketError;
use abreast_frames::ipsec::{self, Association, EspAuthentication, EspPacket, EspSuite};
use abreast_frames::quic::{self, PacketKey, PacketKeys, QuicPacket, header_key};
use abreast_frames::srtp::{self, Profile, Session, SrtpPacket};
use arbitrary::Arbitrary;

use crate::input::{fields, pick};

#[derive(Arbitrary, Debug)]
struct Case<'a> {
    key: [u8; 32],
    salt: [u8; 14],
    packets: Vec<One<'a>>,
}

#[derive(Arbitrary, Debug)]
struct One<'a> {
    /// The profile or the suite.
    suite: u8,
    kind: u8,
    number: u32,
    upper: u32,
    bytes: &'a [u8],
    /// The part of the bytes that is the packet; the rest is room behind it.
    len: u16,
    /// The bit that is wrong, if any.
    wrong: Option<u16>,
}

/// The most packets: more than a window.
const MOST: usize = 70;

pub(crate) fn run(data: &[u8]) {
    let Some(mut case) = fields::<Case<'_>>(data) else { return };
    case.packets.truncate(MOST);
    of_srtp(&case);
    of_esp(&case);
    of_quic(&case);
}

/// Changes a bit of a packet. True if there is one to change.
fn change(packet: &mut [u8], wrong: Option<u16>) -> bool {
    match wrong {
        Some(bit) if !packet.is_empty() => {
            let bit = usize::from(bit) % (8 * packet.len());
            packet[bit / 8] ^= 1 << (bit % 8);
            true
        }
        _ => false,
    }
}

/// A packet of RTP or RTCP.
fn packet<'a>(one: &One<'_>, session: &'a Session, buffer: &'a mut [u8], len: usize) -> SrtpPacket<'a> {
    match one.kind % 3 {
        0 => SrtpPacket::rtp(session, one.upper, buffer, len),
        1 => SrtpPacket::rtcp(session, one.number, buffer, len),
        _ => SrtpPacket::rtcp(session, one.number, buffer, len).in_the_clear(),
    }
}

fn of_srtp(case: &Case<'_>) {
    let sessions = Profile::ALL.map(|profile| {
        let (key, salt) = (&case.key[..profile.key_len()], &case.salt[..profile.salt_len()]);
        Session::new(profile, key, salt).expect("lengths of the profile")
    });
    let session = |one: &One<'_>| pick(&sessions.each_ref(), one.suite);
    let batch = |buffers: &mut [Vec<u8>], lens: &[usize], work: fn(&mut [SrtpPacket<'_>])| {
        let parts = case.packets.iter().zip(buffers).zip(lens);
        let mut batch: Vec<_> =
            parts.map(|((one, buffer), len)| packet(one, session(one), buffer, *len)).collect();
        work(&mut batch);
        batch.iter().map(|packet| packet.result).collect::<Vec<_>>()
    };
    let before: Vec<Vec<u8>> = case.packets.iter().map(|one| one.bytes.to_vec()).collect();
    let lens: Vec<_> = case.packets.iter().map(|one| usize::from(one.len) % (one.bytes.len() + 2)).collect();
    // Bytes that nobody protected. Tags of four bytes may be right by chance, and no fuzzer will find one.
    let mut received = before.clone();
    for (result, one) in batch(&mut received, &lens, srtp::unprotect).iter().zip(&case.packets) {
        assert!(result.is_err(), "{result:?}, {one:?}");
    }
    let mut buffers = before.clone();
    let sent = batch(&mut buffers, &lens, srtp::protect);
    let mut changed = Vec::new();
    for ((buffer, before), (one, result)) in
        buffers.iter_mut().zip(&before).zip(case.packets.iter().zip(&sent))
    {
        let Ok(len) = *result else {
            assert_eq!(buffer, before);
            changed.push(false);
            continue;
        };
        assert_eq!(buffer[len..], before[len..]);
        changed.push(change(&mut buffer[..len], one.wrong));
    }
    let lens_sent: Vec<_> = sent.iter().map(|result| result.unwrap_or(0)).collect();
    let opened = batch(&mut buffers, &lens_sent, srtp::unprotect);
    for (n, (result, len)) in opened.iter().zip(&lens).enumerate() {
        match sent[n] {
            Ok(_) if !changed[n] => {
                assert_eq!(*result, Ok(*len), "packet {n}");
                assert_eq!(buffers[n][..*len], before[n][..*len], "packet {n}");
            }
            Ok(_) => assert!(result.is_err(), "packet {n}: {result:?}"),
            Err(_) => assert_eq!(*result, Err(PacketError::TooShort), "packet {n}"),
        }
    }
}

fn of_esp(case: &Case<'_>) {
    let (sha1, sha256) =
        (EspAuthentication::HmacSha1(&case.key[..20]), EspAuthentication::HmacSha256(&case.key));
    let [a, b, c, d, ..] = case.salt;
    let (short, long, salt) = (&case.key[..16], &case.key[..], [a, b, c, d]);
    let suites = [
        EspSuite::Cbc { key: short, authentication: sha1 },
        EspSuite::Cbc { key: long, authentication: sha256 },
        EspSuite::Counter { key: long, nonce: salt, authentication: sha1 },
        EspSuite::Counter { key: short, nonce: salt, authentication: sha256 },
        EspSuite::Gcm { key: short, salt },
        EspSuite::Gcm { key: long, salt },
    ];
    let made = suites.map(|suite| Association::new(7, suite).expect("keys"));
    let extended = suites.map(|suite| Association::new(7, suite).expect("keys").with_extended_numbers());
    let association = |one: &One<'_>| {
        pick(&if one.kind & 1 == 0 { made.each_ref() } else { extended.each_ref() }, one.suite)
    };
    let sequence = |one: &One<'_>| {
        u64::from(one.number) | if one.kind & 1 == 0 { 0 } else { u64::from(one.upper) << 32 }
    };
    let lens: Vec<_> = case.packets.iter().map(|one| usize::from(one.len) % (one.bytes.len() + 2)).collect();
    let before: Vec<Vec<u8>> = case.packets.iter().map(|one| one.bytes.to_vec()).collect();
    let open = |buffers: &mut [Vec<u8>], lens: &[usize]| {
        let parts = case.packets.iter().zip(buffers).zip(lens);
        let mut batch: Vec<_> = parts
            .map(|((one, buffer), len)| EspPacket::received(association(one), one.upper, buffer, *len))
            .collect();
        ipsec::open(&mut batch);
        batch.iter().map(|packet| packet.result).collect::<Vec<_>>()
    };
    for result in open(&mut before.clone(), &lens) {
        assert!(result.is_err(), "{result:?}");
    }
    let mut buffers = before.clone();
    let iv = &case.key[..16];
    let mut batch: Vec<_> = (case.packets.iter().zip(&mut buffers).zip(&lens))
        .map(|((one, buffer), len)| {
            let association = association(one);
            EspPacket::new(association, sequence(one), &iv[..association.front() - 8], buffer, *len)
        })
        .collect();
    ipsec::seal(&mut batch);
    let sent: Vec<_> = batch.iter().map(|packet| packet.result).collect();
    let mut changed = Vec::new();
    for (n, one) in case.packets.iter().enumerate() {
        let Ok(len) = sent[n] else {
            assert_eq!(buffers[n], before[n]);
            changed.push(false);
            continue;
        };
        assert_eq!(buffers[n][len..], before[n][len..]);
        changed.push(change(&mut buffers[n][..len], one.wrong));
    }
    let lens_sent: Vec<_> = sent.iter().map(|result| result.unwrap_or(0)).collect();
    for (n, result) in open(&mut buffers, &lens_sent).into_iter().enumerate() {
        let front = association(&case.packets[n]).front();
        match sent[n] {
            Ok(_) if !changed[n] => {
                assert_eq!(result, Ok(lens[n]), "packet {n}");
                assert_eq!(buffers[n][front..lens[n]], before[n][front..lens[n]], "packet {n}");
            }
            Ok(_) => assert_eq!(result, Err(PacketError::TagMismatch), "packet {n}"),
            Err(_) => assert_eq!(result, Err(PacketError::TooShort), "packet {n}"),
        }
    }
}

fn of_quic(case: &Case<'_>) {
    let (short, long, iv) = (&case.key[..16], &case.key[..], case.salt.first_chunk().expect("12 bytes"));
    let headers = [short, long].map(|key| header_key(key).expect("a length of keys"));
    let made = [short, long].map(|key| PacketKey::new(key, iv).expect("a length of keys"));
    let [even, odd] = made.each_ref().map(Some);
    // With both phases or with one of them.
    let keys = |one: &One<'_>| {
        let phases = pick(&[[even, odd], [even, None], [None, odd]], one.kind);
        PacketKeys::of_phases(pick(&headers.each_ref(), one.suite), phases).expect("a key")
    };
    let number = |one: &One<'_>| u64::from(one.upper) << 29 | u64::from(one.number);
    let number_at = |one: &One<'_>| usize::from(one.len) % 64;
    let mut buffers: Vec<Vec<u8>> = case.packets.iter().map(|one| one.bytes.to_vec()).collect();
    for (one, buffer) in case.packets.iter().zip(&mut buffers) {
        let len = usize::from(buffer.first().unwrap_or(&0) & 3) + 1;
        if let Some(place) = buffer.get_mut(number_at(one)..number_at(one) + len) {
            place.copy_from_slice(&number(one).to_be_bytes()[8 - len..]);
        }
    }
    let before = buffers.clone();
    // A packet that is too short for a sample has no result.
    let run = |buffers: &mut [Vec<u8>], work: fn(&mut [QuicPacket<'_>])| {
        let parts = case.packets.iter().zip(buffers);
        let (mut batch, mut there) = (Vec::new(), Vec::new());
        for (one, buffer) in parts {
            let packet = QuicPacket::new(keys(one), number(one), buffer, number_at(one));
            there.push(packet.is_ok());
            batch.extend(packet);
        }
        work(&mut batch);
        let mut done = batch.iter().map(|packet| (packet.result, packet.number));
        there.into_iter().map(|there| there.then(|| done.next()).flatten()).collect::<Vec<_>>()
    };
    let sent = run(&mut buffers, quic::seal);
    let mut changed = Vec::new();
    for (n, one) in case.packets.iter().enumerate() {
        let sealed = matches!(sent[n], Some((Ok(()), _)));
        assert!(sealed || buffers[n] == before[n], "packet {n}");
        changed.push(!sealed || change(&mut buffers[n], one.wrong));
    }
    for (n, opened) in run(&mut buffers, quic::open).into_iter().enumerate() {
        let clear = before[n].len().saturating_sub(16);
        match opened {
            Some((result, found)) if !changed[n] => {
                assert_eq!((result, found), (Ok(()), number(&case.packets[n])), "packet {n}");
                assert_eq!(buffers[n][..clear], before[n][..clear], "packet {n}");
            }
            Some((result, _)) => assert!(result.is_err(), "packet {n}: {result:?}"),
            None => assert_eq!(sent[n], None, "packet {n}"),
        }
    }
}
