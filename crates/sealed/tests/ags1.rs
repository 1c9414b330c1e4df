//! Streams of Iceberg: round trips around every border, ranges drawn at random, and everything that must be refused. A second
//! implementation, written from the specification alone, is the judge here, and streams of Iceberg's own; another one is in the tests of
//! Python, and `clients/iceberg` has Iceberg's classes at every length.

use std::num::NonZeroUsize;
use std::sync::Mutex;

use abreast::aes::Aes128;
use abreast::modes::Gcm;
use abreast_sealed::ags1::{
    self, BLOCK, HEADER, KeyMetadata, SEALED_BLOCK, SealedLength, open, open_range, seal,
};
use abreast_sealed::{
    Aead, Error, FileKey, Format, Input, Key, Layout, Limits, Opener, Output, Plan, Sealer,
};

const KEY: [u8; 16] = [7; 16];
const PREFIX: &[u8] = b"the AAD prefix";
/// Bytes of a block besides its text: nonce and tag.
const MORE: usize = 12 + 16;

/// Bytes in which no two blocks are alike.
fn message(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i / 7 + i / BLOCK) as u8).collect()
}

/// Numbers that are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % end
    }
}

/// Lengths at every border, and some drawn log-uniformly around them.
fn lengths() -> Vec<usize> {
    let mut random = Random(45);
    let mut lengths =
        vec![0, 1, MORE, BLOCK - MORE, BLOCK - 1, BLOCK, BLOCK + 1, SEALED_BLOCK, 2 * BLOCK, 3 * BLOCK + 1];
    for border in [0, BLOCK, 2 * BLOCK] {
        for _ in 0..4 {
            let distance = 1_usize << random.below(19);
            lengths.push(border + distance + random.below(distance as u64) as usize);
        }
    }
    lengths
}

/// Opens a stream by its specification.
fn reference(stream: &[u8]) -> Option<Vec<u8>> {
    let gcm = Gcm::from_cipher(Aes128::new(&KEY));
    let mut rest = stream.strip_prefix(b"AGS1\x00\x00\x10\x00")?;
    let mut message = Vec::new();
    let mut number = 0_u32;
    while !rest.is_empty() || number == 0 {
        let (block, after) = rest.split_at(rest.len().min((1 << 20) + 28));
        let (nonce, sealed) = block.split_at_checked(12)?;
        let (text, tag) = sealed.split_at_checked(sealed.len().checked_sub(16)?)?;
        let mut text = text.to_vec();
        let aad = [PREFIX, &number.to_le_bytes()].concat();
        gcm.decrypt_detached(nonce, &aad, &mut text[..], tag.try_into().unwrap()).ok()?;
        message.extend_from_slice(&text);
        (rest, number) = (after, number + 1);
    }
    Some(message)
}

/// Bytes from hexadecimal digits.
fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}

fn trusted(stream: &[u8]) -> SealedLength {
    SealedLength::Trusted(stream.len() as u64)
}

fn keys() -> FileKey {
    FileKey::ags1(&KEY, PREFIX).unwrap()
}

fn opener(length: SealedLength) -> Opener {
    let stream = seal(&KEY, PREFIX, b"").unwrap();
    Opener::ags1(&ags1::Header::from_bytes(&stream).unwrap(), &keys(), length).unwrap()
}

/// Opens a stream in order, header and all.
fn open_stream(mut stream: &[u8], length: SealedLength) -> (Result<(), Error>, Vec<u8>) {
    let mut message = Vec::new();
    let header = ags1::Header::read(&mut stream).unwrap();
    let opener = Opener::ags1(&header, &keys(), length).unwrap();
    let two = NonZeroUsize::new(2).unwrap();
    let done = opener.open(Input::Stream(&mut stream), Output::Stream(&mut message), two, &());
    (done, message)
}

#[test]
fn every_length_round_trips_on_every_level() {
    let four = NonZeroUsize::new(4).unwrap();
    for len in lengths() {
        let message = message(len);
        let expected = HEADER + len + len.div_ceil(BLOCK).max(1) * MORE;
        let layout = Layout::of_message(Format::Ags1, len as u64).unwrap();
        assert_eq!(layout.file(), expected as u64, "{len}");
        assert_eq!(Layout::of_body(Format::Ags1, layout.body()).unwrap(), layout, "{len}");

        let whole = seal(&KEY, PREFIX, &message).unwrap();
        let target = Mutex::new(Vec::new());
        let sealer = Sealer::ags1(&keys()).unwrap();
        sealer.seal(Input::Stream(&mut &message[..]), Output::At(&target), four, &()).unwrap();
        let by_threads = target.into_inner().unwrap();
        let plan = Plan::ags1(len as u64, Limits { min_part: 0, preferred_part: BLOCK as u64, max_parts: 9 })
            .unwrap();
        let mut by_parts = vec![0; plan.sealed_len() as usize];
        for part in plan.parts().rev() {
            // A worker of its own for each part.
            let cipher = FileKey::from_bytes(&keys().to_bytes()).unwrap().cipher();
            let text = &message[part.plain.start as usize..part.plain.end as usize];
            let out = &mut by_parts[part.sealed.start as usize..part.sealed.end as usize];
            assert_eq!(cipher.seal_part(&part, text, out).unwrap(), out.len());
        }
        let mut by_spans = Vec::new();
        for number in 0..plan.parts().len() as u32 {
            let parts = number..number + 1;
            let out = Output::Stream(&mut by_spans);
            keys().cipher().seal_parts(&plan, parts, &message, out, four, &()).unwrap();
        }
        for stream in [whole, by_threads, by_parts, by_spans] {
            assert_eq!(stream.len(), expected, "{len}");
            assert!(reference(&stream).unwrap() == message, "{len}");
            assert!(open(&KEY, PREFIX, &stream, trusted(&stream)).unwrap() == message, "{len}");
            assert!(open(&KEY, PREFIX, &stream, SealedLength::Unknown).unwrap() == message, "{len}");
            let (done, opened) = open_stream(&stream, trusted(&stream));
            assert!(done.is_ok() && opened == message, "{len}");
            let target = Mutex::new(Vec::new());
            opener(trusted(&stream)).open(Input::At(&stream), Output::At(&target), four, &()).unwrap();
            assert!(target.into_inner().unwrap() == message, "{len}");
            for part in Plan::of_ags1(&stream, stream.len() as u64, Limits::default()).unwrap().parts() {
                let sealed = &stream[part.sealed.start as usize..part.sealed.end as usize];
                let mut text = vec![0; (part.plain.end - part.plain.start) as usize];
                keys().cipher().open_part(&part, sealed, &mut text).unwrap();
                assert!(text == message[part.plain.start as usize..part.plain.end as usize], "{len}");
            }
        }
    }
}

/// A stream that another implementation made, of the package `cryptography`: AES-128 and AES-192, the nonce 0, 1, ..
#[test]
fn a_stream_of_another_implementation() {
    let text = b"a manifest of Iceberg";
    for (key_len, body) in [(16, BODY_128), (24, BODY_192)] {
        let key: Vec<u8> = (0..key_len).collect();
        let stream = [&b"AGS1\x00\x00\x10\x00"[..], &bytes(body)].concat();
        assert_eq!(open(&key, b"prefix", &stream, trusted(&stream)).unwrap(), text);
    }
}

const BODY_128: &str =
    "000102030405060708090a0bf24ccaaf0872913138a641e55083396bd6447f943460a698957b1cd6ef2d144efeb4029e8e";
const BODY_192: &str =
    "000102030405060708090a0b87d94ffaf7d0af6ba347fced998995136bfd56795f94e6d8d46ecc4889b6efa3b76ba4f86c";

/// Streams and key metadata that Iceberg's Java library made: `StandardEncryptionManager` of `iceberg-core` 1.12.0, with `setFileLength` of
/// its `EncryptionUtil` and before. The keys were drawn for this test.
#[test]
fn streams_and_key_metadata_of_iceberg() {
    for (metadata, before, stream) in OF_ICEBERG {
        let (metadata, before, stream) = (bytes(metadata), bytes(before), bytes(stream));
        let read = KeyMetadata::parse(&metadata).unwrap();
        assert_eq!(read.length(), trusted(&stream));
        assert_eq!(
            open(read.key(), read.aad_prefix(), &stream, read.length()).unwrap(),
            b"a manifest of Iceberg"
        );
        assert_eq!(read.to_bytes()[..], metadata);
        let unknown = KeyMetadata::parse(&before).unwrap();
        assert_eq!((unknown.key(), unknown.length()), (read.key(), SealedLength::Unknown));
        assert_eq!(unknown.to_bytes()[..], before);
    }
}

const OF_ICEBERG: [(&str, &str, &str); 2] = [
    (
        "01208404851100e7e74eabad39708b5d479d02205ac1ab60f8aa07e63fc1923074c01b340272",
        "01208404851100e7e74eabad39708b5d479d02205ac1ab60f8aa07e63fc1923074c01b3400",
        "4147533100001000fb733054b1fffa612909abccc9ece8c3725110e5d99bb970230b201692451e367b307a6396f7049ee1ead29c6e3927df15",
    ),
    (
        "0140521f393939201041f49e004a76b0f442ade590f1a8acbcce612667bbc640f94b022036696e2e1eba53d16a30d8d107ab6afa0272",
        "0140521f393939201041f49e004a76b0f442ade590f1a8acbcce612667bbc640f94b022036696e2e1eba53d16a30d8d107ab6afa00",
        "41475331000010007d094251c9906c80d2261b4f1ab4620be84b9682490107994b8a2e687f91b4950422e666225da0c0324b03b77409b4ab4a",
    ),
];

#[test]
fn ranges() {
    let mut random = Random(7);
    for len in [0, 1, BLOCK, 2 * BLOCK + 5, 3 * BLOCK] {
        let message = message(len);
        let stream = seal(&KEY, PREFIX, &message).unwrap();
        let mut ends = vec![0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, len];
        ends.extend((0..12).map(|_| random.below(len as u64 + 1) as usize));
        ends.retain(|end| *end <= len);
        for start in &ends {
            for end in ends.iter().filter(|end| *end >= start) {
                let range = *start as u64..*end as u64;
                let opened = open_range(&KEY, PREFIX, &stream, trusted(&stream), range).unwrap();
                assert!(opened == message[*start..*end], "{len}: {start}..{end}");
            }
        }
        let beyond = open_range(&KEY, PREFIX, &stream, trusted(&stream), ..=len as u64);
        assert!(matches!(beyond, Err(Error::RangeBeyondEnd(found)) if found == len as u64));
    }
    // Only the blocks of the range are looked at.
    let mut stream = seal(&KEY, PREFIX, &message(3 * BLOCK)).unwrap();
    *stream.last_mut().unwrap() ^= 1;
    let length = trusted(&stream);
    assert!(open_range(&KEY, PREFIX, &stream, length, 5..2 * BLOCK as u64).is_ok());
    assert!(matches!(open_range(&KEY, PREFIX, &stream, length, 2 * BLOCK as u64..), Err(Error::Block(2))));
}

#[test]
fn cuts_are_found_by_the_trusted_length() {
    for len in [0, 1, BLOCK, 2 * BLOCK + 5, 3 * BLOCK] {
        let message = message(len);
        let stream = seal(&KEY, PREFIX, &message).unwrap();
        let borders: Vec<usize> = (0..=3).map(|blocks| HEADER + blocks * SEALED_BLOCK).collect();
        let around = borders.iter().flat_map(|border| border.saturating_sub(2)..border + MORE + 3);
        for cut in around.chain([0, 1, stream.len().saturating_sub(1)]).filter(|cut| *cut < stream.len()) {
            let part = &stream[..cut];
            let refused = open(&KEY, PREFIX, part, trusted(&stream));
            assert!(refused.is_err(), "{len} cut at {cut}");
            let refused = open_range(&KEY, PREFIX, &part, trusted(&stream), ..0);
            assert!(refused.is_err(), "{len} cut at {cut}");
            let outcome = open(&KEY, PREFIX, part, SealedLength::Unknown);
            if borders[1..].contains(&cut) {
                // The format's own gap, which the trusted length closes.
                assert!(outcome.unwrap() == message[..(cut - HEADER) / SEALED_BLOCK * BLOCK], "{cut}");
            } else if cut >= HEADER {
                assert!(matches!(outcome, Err(Error::Truncated | Error::Block(_))), "{len} cut at {cut}");
            }
            if cut >= HEADER {
                let (outcome, opened) = open_stream(part, trusted(&stream));
                assert!(outcome.is_err() && message.starts_with(&opened), "{len} cut at {cut}");
            }
        }
        for more in [&[0][..], &stream[HEADER..]] {
            let longer = [&stream, more].concat();
            let found = Some(longer.len() as u64);
            let refused = open(&KEY, PREFIX, &longer, trusted(&stream));
            assert!(matches!(refused, Err(Error::SealedLength { found: at, .. }) if at == found));
            // Nothing is read in order that the length does not cover, but a byte.
            let (outcome, opened) = open_stream(&longer, trusted(&stream));
            assert!(matches!(outcome, Err(Error::SealedLength { found: None, .. })) && opened == message);
        }
    }
}

#[test]
fn changes_are_found() {
    let message = message(3 * BLOCK - 5);
    let stream = seal(&KEY, PREFIX, &message).unwrap();
    let length = trusted(&stream);
    let at = |block: usize| HEADER + block * SEALED_BLOCK;
    for block in 0..3 {
        for place in [at(block), at(block) + 12, at(block) + 500_000, at(block + 1).min(stream.len()) - 1] {
            let mut changed = stream.clone();
            changed[place] ^= 0x10;
            let refused = open(&KEY, PREFIX, &changed, length);
            assert!(matches!(refused, Err(Error::Block(found)) if found == block as u64), "{place}");
            let (_, opened) = open_stream(&changed, length);
            assert!(opened.len() <= block * BLOCK && message.starts_with(&opened));
        }
    }
    let mut swapped = stream.clone();
    swapped[HEADER..at(2)].rotate_left(SEALED_BLOCK);
    assert!(matches!(open(&KEY, PREFIX, &swapped, length), Err(Error::Block(0))));
    for byte in 0..HEADER {
        let mut changed = stream.clone();
        changed[byte] ^= 1;
        assert!(matches!(open(&KEY, PREFIX, &changed, length), Err(Error::NotAgs1)));
    }
    // A stream does not end in an empty block after full ones.
    let mut more = [0; MORE];
    keys().cipher().seal_chunks(0, b"", true, &mut more).unwrap();
    let ended = [&seal(&KEY, PREFIX, &vec![1; BLOCK]).unwrap()[..], &more].concat();
    assert!(matches!(open(&KEY, PREFIX, &ended, trusted(&ended)), Err(Error::Truncated)));
    assert!(matches!(open_stream(&ended, trusted(&ended)).0, Err(Error::Truncated)));
    // No bytes of a message are authentic either.
    let empty = seal(&KEY, PREFIX, b"").unwrap();
    assert!(matches!(open(&[8; 16], PREFIX, &empty, trusted(&empty)), Err(Error::Block(0))));
    assert!(matches!(open_range(&[8; 16], PREFIX, &stream, length, 5..5), Err(Error::Block(2))));
    for prefix in [&b""[..], b"the AAD prefiy", b"the AAD prefix\0"] {
        assert!(matches!(open(&KEY, prefix, &stream, length), Err(Error::Block(0))));
    }
    assert!(matches!(open(&[8; 16], PREFIX, &stream, length), Err(Error::Block(0))));
    for len in [0, 15, 17, 33] {
        assert!(
            matches!(open(&vec![7; len], PREFIX, &stream, length), Err(Error::AesKeyLength(found)) if found == len)
        );
    }
}

#[test]
fn another_key_without_the_message() {
    let other = FileKey::ags1(&[9; 32], b"another prefix").unwrap();
    for len in [0, 5, BLOCK, 2 * BLOCK + 9] {
        let message = message(len);
        let stream = seal(&KEY, PREFIX, &message).unwrap();
        let mut resealed = Vec::new();
        let out = Output::Stream(&mut resealed);
        let sealer = Sealer::ags1(&other).unwrap();
        opener(trusted(&stream)).reseal(sealer, Input::At(&stream), out, NonZeroUsize::MIN, &()).unwrap();
        assert!(open(&[9; 32], b"another prefix", &resealed, trusted(&stream)).unwrap() == message);
        let plan = Plan::of_ags1(&resealed, resealed.len() as u64, Limits::default()).unwrap();
        for part in plan.parts() {
            let sealed = &mut resealed[part.sealed.start as usize..part.sealed.end as usize];
            other.cipher().reseal_part(&keys().cipher(), &part, sealed).unwrap();
        }
        assert!(open(&KEY, PREFIX, &resealed, trusted(&stream)).unwrap() == message);
    }
}

/// Keys, plans and files of the two formats do not go together.
#[test]
fn formats_do_not_mix() {
    let key = Key::generate(Aead::Aes128Gcm).unwrap();
    let cobblestone = FileKey::generate(&key, b"").unwrap().0;
    assert!(matches!(Sealer::ags1(&cobblestone), Err(Error::OtherFormat)));
    let header = ags1::Header::from_bytes(b"AGS1\x00\x00\x10\x00").unwrap();
    assert!(matches!(Opener::ags1(&header, &cobblestone, SealedLength::Unknown), Err(Error::OtherFormat)));
    let plan = Plan::ags1(5, Limits::default()).unwrap();
    assert!(matches!(FileKey::of_plan(&key, &plan), Err(Error::OtherFormat)));
    let mut out = vec![0; 100];
    let part = plan.part(0).unwrap();
    assert!(matches!(
        cobblestone.cipher().seal_part(&part, b"hello", &mut out),
        Err(Error::PartLength { .. })
    ));
    let refused = cobblestone.cipher().seal_parts(
        &plan,
        0..1,
        &b"hello".as_slice(),
        Output::Nothing,
        NonZeroUsize::MIN,
        &(),
    );
    assert!(matches!(refused, Err(Error::OtherFormat)));
    let stream = seal(&KEY, PREFIX, b"hello").unwrap();
    let refused = opener(trusted(&stream)).reseal(
        Sealer::new(&key).unwrap(),
        Input::At(&stream),
        Output::Nothing,
        NonZeroUsize::MIN,
        &(),
    );
    assert!(matches!(refused, Err(Error::OtherFormat)));
    // Keys as bytes.
    for len in [16, 24, 32] {
        let keys = FileKey::ags1(&vec![3; len], PREFIX).unwrap();
        let bytes = keys.to_bytes();
        assert_eq!(FileKey::from_bytes(&bytes).unwrap().to_bytes(), bytes);
        assert_eq!(keys.name(), format!("aes-{}-gcm", 8 * len));
    }
    for bad in [&[4][..], &[4, 16], &[4, 15, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]] {
        assert!(matches!(FileKey::from_bytes(bad), Err(Error::FileKey)));
    }
}

/// Key metadata byte for byte: the version, then the fields of Avro's record.
#[test]
fn key_metadata() {
    let bytes = |length: &[u8]| [&[1, 32][..], &KEY, &[2, 28], PREFIX, length].concat();
    for (length, end) in [
        (Some(0), &[2, 0][..]),
        (Some(36), &[2, 72]),
        (Some(64), &[2, 0x80, 1]),
        (Some(u64::MAX >> 1), &[2, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1]),
        (None, &[0]),
    ] {
        let made = KeyMetadata::new(&KEY, PREFIX, length).to_bytes();
        assert_eq!(made[..], bytes(end)[..], "{length:?}");
        let read = KeyMetadata::parse(&made).unwrap();
        assert_eq!((read.key(), read.aad_prefix()), (&KEY[..], PREFIX));
        assert_eq!(read.length(), length.map_or(SealedLength::Unknown, SealedLength::Trusted));
        assert!(!format!("{read:?}").contains("7, 7"));
        for cut in 0..made.len() {
            // Without its last field it is that of an early writer.
            let early = cut == bytes(&[]).len();
            assert_eq!(KeyMetadata::parse(&made[..cut]).is_ok(), early, "{cut}");
        }
        assert!(matches!(KeyMetadata::parse(&[&made[..], &[0]].concat()), Err(Error::KeyMetadata)));
    }
    let without_prefix = [&[1, 32][..], &KEY, &[0, 0]].concat();
    assert_eq!(KeyMetadata::parse(&without_prefix).unwrap().aad_prefix(), b"");
    for bad in [
        &[2, 0, 0, 0][..],
        // A negative number of bytes, a branch that there is not, a negative length, and numbers of more than 64 bits.
        &[1, 1],
        &[1, 0, 4],
        &[1, 0, 0, 2, 1],
        &[1, 0, 0, 2, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2],
        &[1, 0, 0, 2, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1],
    ] {
        assert!(matches!(KeyMetadata::parse(bad), Err(Error::KeyMetadata)), "{bad:?}");
    }
}
