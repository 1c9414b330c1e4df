//! The framing of packets of SRTP, IPsec and QUIC, against the formulas of their standards.

use abreast::BlockCipher;
use abreast::aes::{Aes128, Aes256};
use abreast_frames::{ipsec, quic, srtp};
use arbitrary::Arbitrary;

use crate::common::Random;
use crate::input::{fields, pick};

#[derive(Arbitrary, Debug)]
struct Case<'a> {
    key: [u8; 16],
    salt: [u8; 14],
    ssrc: u32,
    rollovers: u32,
    sequence: u16,
    index: u64,
    label: u8,
    derived: u16,
    iv: [u8; 12],
    number: u64,
    seed: u64,
    /// For each packet its length, where its number begins, and its first byte.
    packets: Vec<(u8, u8, u8)>,
    packet: &'a [u8],
    number_at: u8,
}

/// The most packets of a batch: more than go side by side.
const MOST: usize = 70;

pub(crate) fn run(data: &[u8]) {
    let Some(case) = fields::<Case<'_>>(data) else { return };
    srtp_and_ipsec(&case);
    quic_nonce(&case);
    quic_headers(&case);
}

/// Encrypts one block.
fn encrypted(cipher: &impl BlockCipher, mut block: [u8; 16]) -> [u8; 16] {
    cipher.encrypt_raw_blocks(block.as_mut_slice().into()).expect("a block");
    block
}

/// A salt and what is added to its end, with the 16 bits that count after them.
fn with_salt(salt: &[u8; 14], what: u128) -> [u8; 16] {
    let mut block = [0; 16];
    for (i, byte) in block[..14].iter_mut().enumerate() {
        *byte = salt[i] ^ (what >> (8 * (13 - i))) as u8;
    }
    block
}

fn srtp_and_ipsec(case: &Case<'_>) {
    let index = srtp::index(case.rollovers, case.sequence);
    assert_eq!(index, u64::from(case.rollovers) * 65_536 + u64::from(case.sequence));
    let index_48 = u128::from(case.index % (1 << 48));
    let block = srtp::counter_block(&case.salt, case.ssrc, case.index);
    assert_eq!(block, with_salt(&case.salt, u128::from(case.ssrc) << 48 | index_48));

    use srtp::Label::*;
    let labels = [RtpEncryption, RtpAuthentication, RtpSalt, RtcpEncryption, RtcpAuthentication, RtcpSalt];
    let label = pick(&labels, case.label);
    let aes = Aes128::new(&case.key);
    let mut derived = vec![0x77; usize::from(case.derived) % 300];
    srtp::derive(&aes, &case.salt, label, case.index, &mut derived).expect("less than 1 MiB");
    let first = u128::from_be_bytes(with_salt(&case.salt, (label as u128) << 48 | index_48));
    for (count, part) in derived.chunks(16).enumerate() {
        let stream = encrypted(&aes, (first + count as u128).to_be_bytes());
        assert_eq!(part, &stream[..part.len()]);
    }

    let [a, b, c, d, e @ ..] = case.iv;
    let block = ipsec::counter_block([a, b, c, d], e);
    assert_eq!((&block[..12], &block[12..]), (&case.iv[..], &[0, 0, 0, 1][..]));
    assert_eq!(ipsec::gcm_nonce([a, b, c, d], e), case.iv);
    assert_eq!(
        ipsec::aad(case.ssrc, case.rollovers),
        *[case.ssrc.to_be_bytes(), case.rollovers.to_be_bytes()].as_flattened()
    );
    let extended = ipsec::aad_extended(case.ssrc, case.index);
    assert_eq!(
        (&extended[..4], &extended[4..]),
        (&case.ssrc.to_be_bytes()[..], &case.index.to_be_bytes()[..])
    );
}

fn quic_nonce(case: &Case<'_>) {
    let nonce = u128::from_be_bytes(
        [[0; 4].as_slice(), &quic::nonce(&case.iv, case.number)].concat().try_into().expect("16 bytes"),
    );
    let iv = u128::from_be_bytes([[0; 4].as_slice(), &case.iv].concat().try_into().expect("16 bytes"));
    assert_eq!(nonce, iv ^ u128::from(case.number));
}

/// Protection as section 5.4.1 of RFC 9001 has it, and taken away again; any bytes too.
fn quic_headers(case: &Case<'_>) {
    let mut random = Random::new(case.seed);
    let keys = [random.bytes(32), random.bytes(32)]
        .map(|key| Aes256::new(key.as_slice().try_into().expect("32 bytes")));
    let mut packets: Vec<(Vec<u8>, usize)> = Vec::new();
    for (len, at, first) in case.packets.iter().take(MOST) {
        let mut packet = random.bytes((*len).into());
        if let Some(byte) = packet.first_mut() {
            *byte = *first;
        }
        packets.push((packet, (*at).into()));
    }
    packets.push((case.packet.to_vec(), case.number_at.into()));
    let suits = |(packet, at): &(Vec<u8>, usize)| *at > 0 && packet.len() >= at + 20;
    for (packet, at) in &mut packets.clone() {
        let fits = suits(&(packet.clone(), *at));
        assert_eq!(quic::Header::new(&keys[0], packet, *at).is_ok(), fits);
    }
    packets.retain(suits);
    let mut sent = packets.clone();
    let headers = |packets: &mut Vec<(Vec<u8>, usize)>, work: fn(&mut [quic::Header<'_>])| {
        let mut headers: Vec<_> = packets
            .iter_mut()
            .enumerate()
            .map(|(i, (packet, at))| quic::Header::new(&keys[i % 2], packet, *at).expect("long enough"))
            .collect();
        work(&mut headers);
        headers.iter().map(quic::Header::number).collect::<Vec<_>>()
    };
    headers(&mut sent, quic::protect);
    for (i, ((before, at), (after, _))) in packets.iter().zip(&sent).enumerate() {
        let mask = encrypted(&keys[i % 2], before[at + 4..at + 20].try_into().expect("a block"));
        let mut expected = before.clone();
        let len = usize::from(before[0] & 3) + 1;
        expected[0] ^= mask[0] & if before[0] & 0x80 != 0 { 0x0f } else { 0x1f };
        expected[*at..at + len].iter_mut().zip(&mask[1..]).for_each(|(byte, mask)| *byte ^= mask);
        assert_eq!(*after, expected, "packet {i} of {}", packets.len());
    }
    let numbers = headers(&mut sent, quic::unprotect);
    assert_eq!(sent, packets);
    for ((packet, at), (number, len)) in packets.iter().zip(numbers) {
        let mut bytes = [0; 4];
        bytes[4 - len..].copy_from_slice(&packet[*at..at + len]);
        assert_eq!((u32::from_be_bytes(bytes), len), (number, usize::from(packet[0] & 3) + 1));
    }
}
