//! The crate as its users see it: round trips near every boundary, and what is refused. All lengths are derived from
//! the constants of the crate.

use std::collections::BTreeSet;
use std::io::{self, Read};
use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use abreast_sealed::{
    Aead, CHUNK, COMMITMENT, Error, FileCipher, HEADER, Header, Input, Key, Layout, MAX_CHUNKS, Opener,
    Output, PART, PART_CHUNKS, Progress, ReadAt, SALT, SEALED_CHUNK, SEALED_PART, Sealer, TAG, open,
    open_range, seal,
};

/// Bytes in which no two chunks are alike.
fn message(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i / 7 + i / CHUNK) as u8).collect()
}

fn key() -> Key {
    Key::generate(Aead::Aes256Gcm).unwrap()
}

/// Lengths at and around the boundaries of chunks and parts.
fn lengths() -> impl Iterator<Item = usize> {
    let steps = [0, TAG, CHUNK, 2 * CHUNK, PART - CHUNK, PART, PART + CHUNK, 2 * PART];
    steps.into_iter().flat_map(|step| step.saturating_sub(2)..=step + 2)
}

/// Seals by parts, in the order of `order`, which is given the number of parts.
fn seal_by_parts(key: &Key, message: &[u8], order: impl Fn(u64) -> Vec<u64>) -> Vec<u8> {
    let layout = Layout::of_message(message.len() as u64).unwrap();
    let header = Header::generate(key).unwrap();
    let mut file = header.to_bytes();
    let start = file.len();
    file.resize(start + layout.body() as usize, 0);
    for index in order(layout.parts()) {
        // A worker of its own for each part.
        let cipher = header.unlock(key).unwrap();
        let part = layout.part(index).unwrap();
        let bytes = &message[part.message.start as usize..part.message.end as usize];
        let out = &mut file[start + part.body.start as usize..start + part.body.end as usize];
        assert_eq!(cipher.seal_part(index, bytes, part.last, out).unwrap(), out.len());
    }
    file
}

/// Opens by parts, the last one first.
fn open_by_parts(key: &Key, file: &[u8]) -> Result<Vec<u8>, Error> {
    let header = Header::from_bytes(file)?;
    let body = &file[header.body_offset() as usize..];
    let layout = Layout::of_body(body.len() as u64)?;
    let mut message = vec![0; layout.message as usize];
    for index in (0..layout.parts()).rev() {
        let part = layout.part(index).unwrap();
        let bytes = &body[part.body.start as usize..part.body.end as usize];
        let out = &mut message[part.message.start as usize..part.message.end as usize];
        let len = header.unlock(key)?.open_part(index, bytes, part.last, out)?;
        assert_eq!(len, out.len());
    }
    Ok(message)
}

#[test]
fn every_length_round_trips_on_every_level() {
    let key = key();
    let four = NonZeroUsize::new(4).unwrap();
    for len in lengths() {
        let message = message(len);
        let whole = seal(&key, &message).unwrap();
        assert_eq!(whole.len() as u64, HEADER as u64 + Layout::of_message(len as u64).unwrap().body());
        let ways = [
            whole,
            seal_by_parts(&key, &message, |parts| (0..parts).collect()),
            seal_by_parts(&key, &message, |parts| (0..parts).rev().collect()),
            {
                let target = Mutex::new(Vec::new());
                let sealer = Sealer::new(&key).unwrap();
                let header = sealer.header().clone();
                sealer.seal(Input::At(&message), Output::At(&target), four, &()).unwrap();
                let sealed = target.into_inner().unwrap();
                assert_eq!(Header::from_bytes(&sealed).unwrap(), header);
                sealed
            },
        ];
        for sealed in ways {
            assert!(open(&key, &sealed).unwrap() == message, "{len}");
            assert!(open_by_parts(&key, &sealed).unwrap() == message, "{len}");
            let opener = Opener::new(&Header::read_at(&sealed).unwrap(), &key).unwrap();
            let target = Mutex::new(Vec::new());
            opener.open(Input::At(&sealed), Output::At(&target), four, &()).unwrap();
            assert!(target.into_inner().unwrap() == message, "{len}");
        }
    }
}

/// The same header, key and message give the same file, whichever way it is sealed.
#[test]
fn all_ways_make_the_same_file() {
    for aead in Aead::ALL {
        let key = Key::new(aead, &vec![1; aead.key_len()]).unwrap();
        let sealed = seal(&key, &message(PART + CHUNK + 1)).unwrap();
        let header = Header::from_bytes(&sealed).unwrap();
        let salt = sealed[..SALT].try_into().unwrap();
        assert_eq!(Header::with_salt(&key, None, salt), header);
        let cipher = header.unlock(&key).unwrap();
        let mut out = vec![0; SEALED_PART];
        let part = cipher.seal_part(1, &message(PART + CHUNK + 1)[PART..], true, &mut out).unwrap();
        assert!(sealed[HEADER + SEALED_PART..] == out[..part]);
    }
}

#[test]
fn ranges_at_every_edge() {
    let key = key();
    let len = 2 * PART + CHUNK + 100;
    let message = message(len);
    let sealed = seal(&key, &message).unwrap();
    let edges: BTreeSet<usize> = [0, CHUNK, PART, PART + CHUNK, 2 * PART, 2 * PART + CHUNK, len]
        .into_iter()
        .flat_map(|edge| edge.saturating_sub(1)..=(edge + 1).min(len))
        .collect();
    for &start in &edges {
        for &end in edges.range(start..) {
            let range = start as u64..end as u64;
            assert!(open_range(&key, &sealed, range).unwrap() == message[start..end], "{start}..{end}");
        }
        assert!(open_range(&key, &sealed, start as u64..).unwrap() == message[start..]);
        assert!(open_range(&key, &sealed, ..start as u64).unwrap() == message[..start]);
    }
    let len = len as u64;
    assert_eq!(open_range(&key, &sealed, len - 1..=len - 1).unwrap(), message[message.len() - 1..]);
    for (start, end) in [(0, len + 1), (len + 1, len + 1), (len + 1, 4), (u64::MAX, u64::MAX)] {
        let refused = open_range(&key, &sealed, start..end);
        assert!(matches!(refused, Err(Error::RangeBeyondEnd(found)) if found == len), "{start}..{end}");
    }
    assert!(matches!(open_range(&key, &sealed, ..=u64::MAX), Err(Error::RangeBeyondEnd(_))));
    for (start, end) in [(5, 4), (len, 0), (len, len - 1)] {
        let refused = open_range(&key, &sealed, start..end);
        assert!(matches!(refused, Err(Error::RangeReversed)), "{start}..{end}");
    }
    // Chunks beside the range are not read.
    let mut spoilt = sealed.clone();
    for chunk in (0..PART_CHUNKS).chain(PART_CHUNKS + 2..2 * PART_CHUNKS + 1) {
        spoilt[HEADER + chunk * SEALED_CHUNK] ^= 1;
    }
    let range = PART as u64..(PART + 2 * CHUNK) as u64;
    assert!(open_range(&key, &spoilt, range).unwrap() == message[PART..PART + 2 * CHUNK]);
}

#[test]
fn every_truncation_is_refused() {
    let key = key();
    // Whole, every length of a short file; of longer ones, all near each boundary.
    let short = seal(&key, &message(3 * TAG)).unwrap();
    let long = seal(&key, &message(PART + CHUNK + 100)).unwrap();
    let boundaries =
        [0, HEADER, HEADER + SEALED_CHUNK, HEADER + SEALED_PART, HEADER + SEALED_PART + SEALED_CHUNK];
    let near = |at: usize| at.saturating_sub(TAG + 2)..at + TAG + 2;
    let cuts = boundaries.into_iter().flat_map(near).chain(long.len() - TAG - 2..long.len());
    let cases = (0..short.len()).map(|cut| (&short, cut)).chain(cuts.map(|cut| (&long, cut)));
    for (file, cut) in cases {
        let cut_off = &file[..cut];
        assert!(matches!(open(&key, cut_off), Err(Error::Truncated | Error::LastChunk(_))), "{cut}");
        assert!(open_by_parts(&key, cut_off).is_err(), "{cut}");
        assert!(open_range(&key, &cut_off, ..).is_err(), "{cut}");
    }
    for more in [1, TAG, SEALED_CHUNK] {
        let longer = [&long[..], &vec![0; more]].concat();
        assert!(open(&key, &longer).is_err() && open_by_parts(&key, &longer).is_err(), "{more}");
    }
}

/// A bit in each kind of bytes: salt, commitment, ciphertext and tag of each kind of chunk.
#[test]
fn every_changed_byte_is_refused() {
    let key = key();
    let sealed = seal(&key, &message(PART + CHUNK + 100)).unwrap();
    for at in 0..HEADER {
        let mut changed = sealed.clone();
        changed[at] ^= 1;
        assert!(matches!(open(&key, &changed), Err(Error::WrongKey)), "{at}");
    }
    assert_eq!(HEADER, SALT + COMMITMENT);
    let layout = Layout::of_body((sealed.len() - HEADER) as u64).unwrap();
    for chunk in [0, 1, PART_CHUNKS - 1, PART_CHUNKS, PART_CHUNKS + 1] {
        let start = HEADER + chunk * SEALED_CHUNK;
        let end = (start + SEALED_CHUNK).min(sealed.len());
        for at in [start, (start + end) / 2, end - TAG - 1, end - TAG, end - 1] {
            for bit in [0, 7] {
                let mut changed = sealed.clone();
                changed[at] ^= 1 << bit;
                let number = chunk as u64;
                let is_named = |error: &Error| match error {
                    Error::Chunk(bad) => *bad == number && number + 1 < layout.chunks,
                    Error::LastChunk(bad) => *bad == number && number + 1 == layout.chunks,
                    _ => false,
                };
                assert!(open(&key, &changed).is_err_and(|error| is_named(&error)), "{at}");
                // The part it is in, and no other.
                let cipher = Header::from_bytes(&changed).unwrap().unlock(&key).unwrap();
                for index in 0..layout.parts() {
                    let part = layout.part(index).unwrap();
                    let body = HEADER as u64 + part.body.start..HEADER as u64 + part.body.end;
                    let bytes = &changed[body.start as usize..body.end as usize];
                    let mut out = vec![0xaa; PART];
                    let opened = cipher.open_part(index, bytes, part.last, &mut out);
                    if body.contains(&(at as u64)) {
                        assert!(opened.is_err_and(|error| is_named(&error)), "{at}");
                        let room = (part.message.end - part.message.start) as usize;
                        assert!(out[..room].iter().all(|byte| *byte == 0), "plaintext was left, {at}");
                    } else {
                        opened.unwrap();
                    }
                }
            }
        }
    }
    // Another key, and a key for another AEAD.
    assert!(matches!(open(&self::key(), &sealed), Err(Error::WrongKey)));
    let serpent = Key::new(Aead::Serpent256Gcm, key.bytes()).unwrap();
    assert!(matches!(open(&serpent, &sealed), Err(Error::WrongKey)));
}

/// Three parts and their cipher.
fn parts() -> (FileCipher, Vec<Vec<u8>>) {
    let key = key();
    let sealed = seal(&key, &message(2 * PART + 5)).unwrap();
    let cipher = Header::from_bytes(&sealed).unwrap().unlock(&key).unwrap();
    (cipher, sealed[HEADER..].chunks(SEALED_PART).map(<[u8]>::to_vec).collect())
}

#[test]
fn a_part_opens_in_its_place_alone() {
    let (cipher, parts) = parts();
    let mut out = vec![0; PART];
    let open = |index, part: usize, last, out: &mut [u8]| cipher.open_part(index, &parts[part], last, out);
    for (part, last) in [(0, false), (1, false), (2, true)] {
        open(part as u64, part, last, &mut out).unwrap();
        for index in (0..4).filter(|index| *index != part as u64) {
            let first = index * PART_CHUNKS as u64;
            let refused = open(index, part, last, &mut out);
            let named = match refused {
                Err(Error::Chunk(bad)) if !last => bad,
                Err(Error::LastChunk(bad)) if last => bad,
                other => panic!("{part} as {index}: {other:?}"),
            };
            assert_eq!(named, first, "{part} as {index}");
        }
        // The wrong `last` never opens: whoever is wrong about it is wrong about the length of the file.
        assert!(matches!(open(part as u64, part, !last, &mut out), Err(Error::PartLength)));
    }
    // A full part cut to what could be a last one.
    for len in [0, 1, TAG - 1, SEALED_CHUNK, SEALED_CHUNK + TAG - 1] {
        let refused = cipher.open_part(0, &parts[0][..len], true, &mut out);
        assert!(matches!(refused, Err(Error::Truncated)), "{len}: {refused:?}");
    }
    for len in [TAG, SEALED_CHUNK + TAG, SEALED_PART - 1] {
        let refused = cipher.open_part(0, &parts[0][..len], true, &mut out);
        assert!(matches!(refused, Err(Error::LastChunk(_))), "{len}: {refused:?}");
    }
}

/// Without the last chunk, a file whose other parts are whole does not open.
#[test]
fn an_empty_last_part_is_part_of_the_file() {
    let key = key();
    let message = message(PART);
    let sealed = seal_by_parts(&key, &message, |parts| {
        assert_eq!(parts, 2);
        vec![1, 0]
    });
    assert_eq!(sealed.len(), HEADER + SEALED_PART + TAG);
    assert!(open(&key, &sealed).unwrap() == message);
    assert!(matches!(open(&key, &sealed[..sealed.len() - TAG]), Err(Error::Truncated)));
}

#[test]
fn lengths_and_numbers_of_parts_are_checked() {
    let (cipher, sealed) = parts();
    let mut out = vec![0; SEALED_PART + TAG];
    for (len, last) in [(0, false), (PART - 1, false), (PART, true), (PART + 1, true), (PART + 1, false)] {
        let refused = cipher.seal_part(0, &message(len), last, &mut out);
        assert!(matches!(refused, Err(Error::PartLength)), "{len}, {last}");
    }
    for (len, last) in [(0, false), (SEALED_PART - 1, false), (SEALED_PART, true), (SEALED_PART + 1, false)] {
        let refused = cipher.open_part(0, &vec![0; len], last, &mut out);
        assert!(matches!(refused, Err(Error::PartLength)), "{len}, {last}");
    }
    for (len, last, needed) in [
        (0, true, TAG),
        (CHUNK, true, CHUNK + 2 * TAG),
        (PART - 1, true, SEALED_PART - 1),
        (PART, false, SEALED_PART),
    ] {
        let refused = cipher.seal_part(0, &message(len), last, &mut out[..needed - 1]);
        assert!(matches!(refused, Err(Error::BufferTooShort(found)) if found == needed), "{len}");
        assert_eq!(cipher.seal_part(0, &message(len), last, &mut out[..needed]).unwrap(), needed);
    }
    for (part, needed) in [(0, PART), (2, 5)] {
        let refused = cipher.open_part(part as u64, &sealed[part], part == 2, &mut out[..needed - 1]);
        assert!(matches!(refused, Err(Error::BufferTooShort(found)) if found == needed), "{part}");
        assert_eq!(
            cipher.open_part(part as u64, &sealed[part], part == 2, &mut out[..needed]).unwrap(),
            needed
        );
    }
    let end = MAX_CHUNKS / PART_CHUNKS as u64;
    assert_eq!(cipher.seal_part(end - 1, &message(PART - 1), true, &mut out).unwrap(), SEALED_PART - 1);
    // The last part of the longest message is not full.
    for (index, len) in [(end - 1, PART), (end, 0), (u64::MAX, 0), (u64::MAX / 16, 0)] {
        let refused = cipher.seal_part(index, &message(len), len < PART, &mut out);
        assert!(matches!(refused, Err(Error::MessageTooLong)), "{index}");
        let sealed = vec![0; if len == PART { SEALED_PART } else { TAG }];
        let refused = cipher.open_part(index, &sealed, len < PART, &mut out);
        assert!(matches!(refused, Err(Error::MessageTooLong)), "{index}");
    }
    for aead in Aead::ALL {
        assert!(matches!(Key::new(aead, &[0; 24]), Err(Error::KeyLength(found)) if found == aead));
    }
}

/// A passphrase leads to the same key wherever its line is read.
#[cfg(feature = "passphrase")]
#[test]
fn passphrases() {
    use abreast_sealed::{Costs, MAX_HEADER, MAX_PASSPHRASE, PassphraseLine};

    let costs = Costs { memory: 8192, passes: 1, lanes: 1 };
    let line = PassphraseLine::generate(Aead::Aes128Gcm, costs).unwrap();
    let key = line.stretch(b"correct horse").unwrap();
    let header = Header::generate_with_line(&key, line).unwrap();
    assert!(header.body_offset() <= MAX_HEADER as u64);
    let mut file = header.to_bytes();
    let start = file.len();
    file.resize(start + 5 + TAG, 0);
    header.unlock(&key).unwrap().seal_part(0, b"hello", true, &mut file[start..]).unwrap();
    let read = Header::from_bytes(&file).unwrap();
    let line = read.passphrase_line().unwrap();
    assert_eq!((line.aead(), line.costs()), (Aead::Aes128Gcm, costs));
    assert_eq!(open(&line.stretch(b"correct horse").unwrap(), &file).unwrap(), b"hello");
    let wrong = open(&line.stretch(b"correct house").unwrap(), &file);
    assert!(matches!(wrong, Err(Error::WrongKey)));
    // No byte of the line, nor of what follows, can be changed.
    for at in 0..file.len() {
        let mut changed = file.clone();
        changed[at] ^= 1;
        assert!(open(&key, &changed).is_err(), "{at}");
    }
    let bad = PassphraseLine::generate(Aead::Aes128Gcm, Costs { memory: 1, ..costs });
    assert!(matches!(bad, Err(Error::Costs)));

    // Another AEAD's key would make a file that no passphrase opens.
    let (other, line) = (Key::generate(Aead::Aes256Gcm).unwrap(), line.clone());
    let refused = Header::generate_with_line(&other, line.clone());
    let found = (Aead::Aes256Gcm, Aead::Aes128Gcm);
    assert!(matches!(refused, Err(Error::OtherAead { key, line }) if (key, line) == found));
    let mixed = Header::with_salt(&other, Some(line.clone()), &[7; SALT]);
    assert!(matches!(mixed.unlock(&other), Err(Error::WrongKey)));

    // The bounds of the format.
    for (len, good) in [(0, false), (1, true), (MAX_PASSPHRASE, true), (MAX_PASSPHRASE + 1, false)] {
        let passphrase = vec![b'x'; len];
        assert!(if good {
            line.stretch(&passphrase).is_ok()
        } else {
            matches!(line.stretch(&passphrase), Err(Error::PassphraseLength))
        });
        let sealer = Sealer::with_passphrase(&passphrase, Aead::Aes128Gcm, costs);
        assert_eq!(sealer.is_ok(), good, "{len}");
    }
}

/// A file whose length changes after the first part was read, or that says another length than it gives.
struct Changing<'a> {
    bytes: &'a Mutex<Vec<u8>>,
    /// What it says of its length, if not the truth.
    size: Option<u64>,
}

impl ReadAt for Changing<'_> {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        self.bytes.read_at(buffer, offset)
    }
    fn size(&self) -> io::Result<u64> {
        self.size.map_or_else(|| self.bytes.size(), Ok)
    }
}

/// Sets the length when the first part is done.
struct Resize<'a>(&'a Mutex<Vec<u8>>, usize, AtomicBool);

impl Progress for Resize<'_> {
    fn advance(&self, _: u64) {
        if !self.2.swap(true, Ordering::SeqCst) {
            self.0.lock().unwrap().resize(self.1, 3);
        }
    }
}

/// What was read of a file that shrank or grew is not sealed as if it were all of it. The lengths are those at which parts
/// and chunks end, and around them.
#[test]
fn an_input_of_another_length_than_it_had() {
    let key = Key::generate(Aead::Aes256Gcm).unwrap();
    let len = 4 * PART + 77;
    let ends =
        [0, 1, CHUNK, PART - 1, PART, PART + 1, 2 * PART, 3 * PART + 5, len - 1, len + 1, 5 * PART, 9 * PART];
    for (workers, end) in [1, 4].into_iter().flat_map(|workers| ends.map(|end| (workers, end))) {
        let workers = NonZeroUsize::new(workers).unwrap();
        let bytes = Mutex::new(vec![3; len]);
        let resize = Resize(&bytes, end, AtomicBool::new(false));
        let (output, input) = (Mutex::new(Vec::new()), Changing { bytes: &bytes, size: None });
        let sealed =
            Sealer::new(&key).unwrap().seal(Input::At(&input), Output::At(&output), workers, &resize);
        assert!(matches!(sealed, Err(Error::InputChanged)), "{len} to {end} bytes: {sealed:?}");

        // It gives `end` bytes and says that they are `len`.
        let bytes = Mutex::new(vec![3; end]);
        let input = Changing { bytes: &bytes, size: Some(len as u64) };
        let sealed = Sealer::new(&key).unwrap().seal(Input::At(&input), Output::At(&output), workers, &());
        let Err(Error::InputSize { size, read }) = sealed else { panic!("{end} of {len} bytes: {sealed:?}") };
        assert_eq!((size, read), (len as u64, end as u64));
    }
}

/// A source that says that it read more than it was asked for has failed; nobody looks beyond a buffer for it.
#[test]
fn sources_that_read_too_much() {
    struct TooMuch;
    impl ReadAt for TooMuch {
        fn read_at(&self, buffer: &mut [u8], _: u64) -> io::Result<usize> {
            Ok(buffer.len() + 1)
        }
        fn size(&self) -> io::Result<u64> {
            Ok(1000)
        }
    }
    impl Read for TooMuch {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            Ok(buffer.len() + 1)
        }
    }
    let key = Key::generate(Aead::Aes256Gcm).unwrap();
    let workers = NonZeroUsize::new(3).unwrap();
    for input in [Input::At(&TooMuch), Input::Stream(&mut TooMuch)] {
        let sealed = Sealer::new(&key).unwrap().seal(input, Output::Nothing, workers, &());
        assert!(matches!(sealed, Err(Error::Read(error)) if error.kind() == io::ErrorKind::InvalidData));
    }
    assert!(matches!(open_range(&key, &TooMuch, ..), Err(Error::Read(_))));
}
