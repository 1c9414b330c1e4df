//! The crate as its users see it: round trips near every boundary, and calls that must be refused. All lengths
//! are derived from the constants of the crate.

use std::collections::BTreeSet;
use std::io::{self, Read};
use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use abreast_sealed::{
    Aead, CHUNK, COMMITMENT, Error, FileCipher, FileKey, Format, HEADER, Header, Input, Key, Layout, Limits,
    MAX_CHUNKS, Opener, Output, Plan, PlannedPart, Progress, RUN, ReadAt, SALT, SEALED_CHUNK, Sealer, TAG,
    open, open_range, seal,
};

/// Chunks in a run, which one thread takes at a time.
const RUN_CHUNKS: usize = RUN / CHUNK;
/// Chunks in a part of the plans here, so that parts and runs do not end together.
const PART_CHUNKS: usize = 3;
/// A part of the message.
const PART: usize = PART_CHUNKS * CHUNK;

/// Bytes in which no two chunks are alike.
fn message(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i / 7 + i / CHUNK) as u8).collect()
}

fn key() -> Key {
    Key::generate(Aead::Aes256Gcm).unwrap()
}

/// Lengths at and around the boundaries of chunks, parts and runs.
fn lengths() -> impl Iterator<Item = usize> {
    let steps = [0, TAG, CHUNK, 2 * CHUNK, PART, 2 * PART, 3 * PART, RUN - CHUNK, RUN, RUN + CHUNK, 2 * RUN];
    steps.into_iter().flat_map(|step| step.saturating_sub(2)..=step + 2)
}

/// Limits by which a part has `part_chunks` chunks.
fn chunks(part_chunks: usize) -> Limits {
    Limits { min_part: 0, max_parts: 10_000, preferred_part: (part_chunks * CHUNK) as u64 }
}

/// Some of these bytes.
fn slice(bytes: &[u8], range: &std::ops::Range<u64>) -> Vec<u8> {
    bytes[range.start as usize..range.end as usize].to_vec()
}

/// Numbers in an order that is neither up nor down.
fn shuffled(count: usize) -> impl Iterator<Item = u32> {
    let divides = |d: usize, n: usize| n.is_multiple_of(d);
    let step = (2..).find(|step| !(2..=*step).any(|d| divides(d, count) && divides(d, *step))).unwrap();
    (0..count).map(move |i| ((i * step + 1) % count) as u32)
}

/// Seals by parts, in any order.
fn seal_by_parts(key: &Key, message: &[u8], limits: Limits) -> Vec<u8> {
    let plan = Plan::new(message.len() as u64, limits).unwrap();
    let mut file = vec![0; plan.sealed_len() as usize];
    let file_key = FileKey::of_plan(key, &plan).unwrap().to_bytes();
    let mut seen = BTreeSet::new();
    for number in shuffled(plan.parts().len()) {
        assert!(seen.insert(number));
        // A worker of its own for each part.
        let plan: Plan = plan.to_string().parse().unwrap();
        let cipher = FileKey::from_bytes(&file_key).unwrap().cipher();
        let part = plan.part(number).unwrap();
        let out = &mut file[part.sealed.start as usize..part.sealed.end as usize];
        let len = cipher.seal_part(&part, &slice(message, &part.plain), out).unwrap();
        assert_eq!(len, out.len());
    }
    file
}

/// Opens by parts, in any order.
fn open_by_parts(key: &Key, file: &[u8], limits: Limits) -> Result<Vec<u8>, Error> {
    let plan = Plan::of_sealed(file, file.len() as u64, limits)?;
    let mut message = vec![0; plan.message_len() as usize];
    for number in shuffled(plan.parts().len()) {
        let part = plan.part(number)?;
        let out = &mut message[part.plain.start as usize..part.plain.end as usize];
        let len = Header::from_bytes(file)?.unlock(key)?.open_part(&part, &slice(file, &part.sealed), out)?;
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
        assert_eq!(
            whole.len() as u64,
            HEADER as u64 + Layout::of_message(Format::Cobblestone, len as u64).unwrap().body()
        );
        let ways = [
            whole,
            seal_by_parts(&key, &message, chunks(PART_CHUNKS)),
            seal_by_parts(&key, &message, chunks(1)),
            seal_by_parts(&key, &message, Limits::default()),
            {
                let target = Mutex::new(Vec::new());
                let sealer = Sealer::new(&key).unwrap();
                let header = sealer.header().unwrap().clone();
                sealer.seal(Input::At(&message), Output::At(&target), four, &()).unwrap();
                let sealed = target.into_inner().unwrap();
                assert_eq!(Header::from_bytes(&sealed).unwrap(), header);
                sealed
            },
        ];
        for sealed in ways {
            assert!(open(&key, &sealed).unwrap() == message, "{len}");
            assert!(open_by_parts(&key, &sealed, chunks(PART_CHUNKS)).unwrap() == message, "{len}");
            assert!(open_by_parts(&key, &sealed, chunks(RUN_CHUNKS)).unwrap() == message, "{len}");
            let opener = Opener::new(&Header::read_at(&sealed).unwrap(), &key).unwrap();
            let target = Mutex::new(Vec::new());
            opener.open(Input::At(&sealed), Output::At(&target), four, &()).unwrap();
            assert!(target.into_inner().unwrap() == message, "{len}");
        }
    }
}

/// Equal keys, salts and messages give equal files, whichever way they are sealed: in one piece, by parts of any size in
/// memory, and by spans of parts through the workers.
#[test]
fn all_ways_make_the_same_file() {
    for aead in Aead::ALL {
        let key = Key::new(aead, &vec![1; aead.key_len()]).unwrap();
        let lengths: Vec<usize> =
            if aead == Aead::Aes256Gcm { lengths().collect() } else { vec![PART + CHUNK + 1] };
        for len in lengths {
            let message = message(len);
            let sealed = seal(&key, &message).unwrap();
            let salt = sealed[..SALT].try_into().unwrap();
            assert_eq!(Header::with_salt(&key, None, salt), Header::from_bytes(&sealed).unwrap());
            assert_eq!(Header::from_bytes(&sealed).unwrap().salt(), salt);
            let (file_key, header) = FileKey::derive(&key, salt, b"");
            assert_eq!(header, sealed[..HEADER]);
            let cipher = file_key.cipher();
            for part_chunks in [1, PART_CHUNKS, RUN_CHUNKS, RUN_CHUNKS + 1] {
                let plan = Plan::with_salt(len as u64, chunks(part_chunks), salt).unwrap();
                assert_eq!(plan.part_chunks() as usize, part_chunks);
                let of_sealed = Plan::of_sealed(&sealed, sealed.len() as u64, chunks(part_chunks)).unwrap();
                assert_eq!(plan, of_sealed);
                assert_eq!(plan.sealed_len() as usize, sealed.len());
                let mut file = Vec::new();
                for part in plan.parts() {
                    let mut out = vec![0; (part.sealed.end - part.sealed.start) as usize];
                    cipher.seal_part(&part, &slice(&message, &part.plain), &mut out).unwrap();
                    file.extend(out);
                }
                assert!(file == sealed, "{len}, {part_chunks}");

                // More workers than parts too.
                for shares in [1, 3, plan.parts().len() as u32 + 1] {
                    let mut file = Vec::new();
                    for share in 1..=shares {
                        let parts = plan.share(share, shares).unwrap();
                        let span = plan.span(parts.clone()).unwrap();
                        let workers = NonZeroUsize::new(share as usize % 3 + 1).unwrap();
                        let mut stream = Vec::new();
                        let output = Output::Stream(&mut stream);
                        let read = cipher.seal_parts(&plan, parts.clone(), &message, output, workers, &());
                        assert_eq!(read.unwrap(), span.plain.end - span.plain.start);
                        let target = Mutex::new(Vec::new());
                        let output = Output::At(&target);
                        cipher.seal_parts(&plan, parts, &message, output, workers, &()).unwrap();
                        assert!(target.into_inner().unwrap() == stream, "{len}, {share} of {shares}");
                        file.extend(stream);
                    }
                    assert!(file == sealed, "{len}, {part_chunks}, {shares}");
                }
            }
        }
    }
}

/// Under other keys, in place, as another AEAD too: the file that the new key would have made in one piece.
#[test]
fn files_go_over_to_a_new_key() {
    let old = key();
    for (aead, len) in
        Aead::ALL.into_iter().flat_map(|aead| [0, 1, PART, 2 * PART + 5].map(|len| (aead, len)))
    {
        let message = message(len);
        let sealed = seal(&old, &message).unwrap();
        let new = Key::generate(aead).unwrap();
        let expected = seal(&new, &message).unwrap();
        let from = Header::from_bytes(&sealed).unwrap().unlock(&old).unwrap();
        let to = Header::from_bytes(&expected).unwrap().unlock(&new).unwrap();
        let plan = Plan::of_sealed(&sealed, sealed.len() as u64, chunks(PART_CHUNKS)).unwrap();
        let mut resealed = sealed.clone();
        for number in shuffled(plan.parts().len()) {
            let part = plan.part(number).unwrap();
            let range = part.sealed.start as usize..part.sealed.end as usize;
            from.reseal_part(&to, &part, &mut resealed[range.clone()]).unwrap();
            // The file has other keys now.
            let mut again = resealed[range.clone()].to_vec();
            assert!(from.reseal_part(&to, &part, &mut again).is_err());
            // Nothing is left of a part that was changed, wherever that is.
            for at in [range.len() / 2, range.len() - 1] {
                let mut changed = sealed[range.clone()].to_vec();
                changed[at] ^= 1;
                let refused = from.reseal_part(&to, &part, &mut changed);
                if number == 0 && at < HEADER {
                    assert!(matches!(refused, Err(Error::WrongKey)));
                } else {
                    assert!(matches!(refused, Err(Error::Chunk(_) | Error::LastChunk(_))), "{refused:?}");
                    assert!(changed.iter().all(|byte| *byte == 0), "{number}, {at}");
                }
            }
            let mut shorter = sealed[range.clone()].to_vec();
            shorter.pop();
            let before = shorter.clone();
            let refused = from.reseal_part(&to, &part, &mut shorter);
            assert!(matches!(refused, Err(Error::PartLength { .. })) && shorter == before);
        }
        assert!(resealed == expected, "{aead:?}, {len}");
    }
}

#[test]
fn ranges_at_every_edge() {
    let key = key();
    let len = 2 * RUN + CHUNK + 100;
    let message = message(len);
    let sealed = seal(&key, &message).unwrap();
    let edges: BTreeSet<usize> = [0, CHUNK, RUN, RUN + CHUNK, 2 * RUN, 2 * RUN + CHUNK, len]
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
    for chunk in (0..RUN_CHUNKS).chain(RUN_CHUNKS + 2..2 * RUN_CHUNKS + 1) {
        spoilt[HEADER + chunk * SEALED_CHUNK] ^= 1;
    }
    let range = RUN as u64..(RUN + 2 * CHUNK) as u64;
    assert!(open_range(&key, &spoilt, range).unwrap() == message[RUN..RUN + 2 * CHUNK]);
}

#[test]
fn every_truncation_is_refused() {
    let key = key();
    // Whole, every length of a short file; of longer ones, all near each boundary.
    let short = seal(&key, &message(3 * TAG)).unwrap();
    let long = seal(&key, &message(PART + CHUNK + 100)).unwrap();
    let boundaries = [
        0,
        HEADER,
        HEADER + SEALED_CHUNK,
        HEADER + PART_CHUNKS * SEALED_CHUNK,
        HEADER + PART_CHUNKS * SEALED_CHUNK + SEALED_CHUNK,
    ];
    let near = |at: usize| at.saturating_sub(TAG + 2)..at + TAG + 2;
    let cuts = boundaries.into_iter().flat_map(near).chain(long.len() - TAG - 2..long.len());
    let cases = (0..short.len()).map(|cut| (&short, cut)).chain(cuts.map(|cut| (&long, cut)));
    for (file, cut) in cases {
        let cut_off = &file[..cut];
        assert!(matches!(open(&key, cut_off), Err(Error::Truncated | Error::LastChunk(_))), "{cut}");
        assert!(open_by_parts(&key, cut_off, chunks(PART_CHUNKS)).is_err(), "{cut}");
        assert!(open_range(&key, &cut_off, ..).is_err(), "{cut}");
    }
    for more in [1, TAG, SEALED_CHUNK] {
        let longer = [&long[..], &vec![0; more]].concat();
        assert!(
            open(&key, &longer).is_err() && open_by_parts(&key, &longer, chunks(PART_CHUNKS)).is_err(),
            "{more}"
        );
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
    let layout = Layout::of_body(Format::Cobblestone, (sealed.len() - HEADER) as u64).unwrap();
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
                let plan = Plan::of_sealed(&changed, changed.len() as u64, chunks(PART_CHUNKS)).unwrap();
                for part in plan.parts() {
                    let mut out = vec![0xaa; PART];
                    let opened = cipher.open_part(&part, &slice(&changed, &part.sealed), &mut out);
                    if part.sealed.contains(&(at as u64)) {
                        assert!(opened.is_err_and(|error| is_named(&error)), "{at}");
                        let room = (part.plain.end - part.plain.start) as usize;
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

/// A plan of three parts, their cipher, and the parts as they are sealed.
fn parts() -> (Plan, FileCipher, Vec<Vec<u8>>) {
    let key = key();
    let sealed = seal(&key, &message(2 * PART + 5)).unwrap();
    let plan = Plan::of_sealed(&sealed, sealed.len() as u64, chunks(PART_CHUNKS)).unwrap();
    let cipher = Header::from_bytes(&sealed).unwrap().unlock(&key).unwrap();
    let parts = plan.parts().map(|part| slice(&sealed, &part.sealed)).collect();
    (plan, cipher, parts)
}

#[test]
fn a_part_opens_in_its_place_alone() {
    let (plan, cipher, parts) = parts();
    let (other_plan, other_cipher, other_parts) = self::parts();
    assert_eq!(parts.len(), 3);
    let mut out = vec![0; PART];
    for (at, part) in plan.parts().enumerate() {
        cipher.open_part(&part, &parts[at], &mut out).unwrap();
        for (from, sealed) in parts.iter().enumerate().filter(|(from, _)| *from != at) {
            assert!(cipher.open_part(&part, sealed, &mut out).is_err(), "{from} as {at}");
        }
        // The same part of another file, under another key, and of the same length.
        let other = other_plan.part(part.number).unwrap();
        assert_eq!(part, other);
        for refused in [
            cipher.open_part(&part, &other_parts[at], &mut out),
            other_cipher.open_part(&part, &parts[at], &mut out),
        ] {
            let as_expected = match refused {
                Err(Error::WrongKey) => at == 0,
                Err(Error::Chunk(bad)) => bad == part.first_chunk && at == 1,
                Err(Error::LastChunk(bad)) => bad == part.first_chunk && at == 2,
                _ => false,
            };
            assert!(as_expected, "{at}");
        }
        let whole = parts[at].len();
        let cuts = [0, 1, TAG, HEADER, whole.saturating_sub(SEALED_CHUNK), whole - 1];
        for len in cuts.into_iter().filter(|len| *len < whole) {
            let refused = cipher.open_part(&part, &parts[at][..len], &mut out);
            let named = matches!(refused, Err(Error::PartLength { found, .. }) if found == len);
            assert!(named, "{at}, {len}: {refused:?}");
        }
        let longer = [&parts[at][..], &[0]].concat();
        assert!(matches!(cipher.open_part(&part, &longer, &mut out), Err(Error::PartLength { .. })));
    }
    // Whole parts of one length that were swapped: the chunks name their places.
    let sealed = seal(&key(), &message(5)).unwrap();
    assert!(cipher.open_part(&plan.part(2).unwrap(), &sealed[HEADER..], &mut out).is_err());
    let middle = |plan: &Plan, number| plan.part(number).unwrap();
    let key = key();
    let sealed = seal(&key, &message(4 * PART)).unwrap();
    let four = Plan::of_sealed(&sealed, sealed.len() as u64, chunks(PART_CHUNKS)).unwrap();
    let cipher = Header::from_bytes(&sealed).unwrap().unlock(&key).unwrap();
    let (one, two) = (middle(&four, 1), middle(&four, 2));
    for (place, bytes) in [(&one, &two), (&two, &one)] {
        let refused = cipher.open_part(place, &slice(&sealed, &bytes.sealed), &mut out);
        assert!(matches!(refused, Err(Error::Chunk(bad)) if bad == place.first_chunk), "{refused:?}");
    }
}

/// A file that was cut off at the end of a part, or of a chunk, does not open by a plan of the rest.
#[test]
fn a_file_without_its_last_part_is_cut_off() {
    let key = key();
    for len in [PART, 2 * PART, 2 * PART + 5] {
        let sealed = seal_by_parts(&key, &message(len), chunks(PART_CHUNKS));
        let plan = Plan::of_sealed(&sealed, sealed.len() as u64, chunks(PART_CHUNKS)).unwrap();
        let full = len.is_multiple_of(PART);
        assert_eq!(plan.parts().len(), len.div_ceil(PART));
        let last = plan.parts().next_back().unwrap();
        assert_eq!(last.sealed.end - last.sealed.start > (PART_CHUNKS * SEALED_CHUNK) as u64, full);
        for chunk in 0..len / CHUNK {
            let cut = &sealed[..HEADER + (chunk + 1) * SEALED_CHUNK];
            let refused = Plan::of_sealed(cut, cut.len() as u64, chunks(PART_CHUNKS));
            assert!(matches!(refused, Err(Error::Truncated)), "{chunk}");
            assert!(open_by_parts(&key, &cut[..cut.len() - 1], chunks(PART_CHUNKS)).is_err());
        }
        for len in [0, HEADER, HEADER + TAG - 1] {
            let refused = Plan::of_sealed(&sealed, len as u64, chunks(PART_CHUNKS));
            assert!(matches!(refused, Err(Error::Truncated)), "{len}");
        }
        for header in 0..HEADER {
            let refused = Plan::of_sealed(&sealed[..header], sealed.len() as u64, Limits::default());
            assert!(matches!(refused, Err(Error::Truncated)), "{header}");
        }
        assert!(matches!(
            Plan::of_sealed(&sealed, u64::MAX, Limits::default()),
            Err(Error::MessageTooLong | Error::Truncated)
        ));
    }
}

#[test]
fn lengths_of_chunks_are_checked() {
    let (_, cipher, _) = parts();
    let mut out = vec![0; 4 * SEALED_CHUNK];
    let mut plain = vec![0; 4 * CHUNK];
    for len in [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 2 * CHUNK + 7] {
        for last in [false, true] {
            let whole = len % CHUNK == 0;
            let bytes = message(len);
            let needed = Format::Cobblestone.sealed_len(0, len, last);
            if !last && !whole {
                assert!(matches!(needed, Err(Error::ChunkLength)), "{len}");
                let refused = cipher.seal_chunks(0, &bytes, last, &mut out);
                assert!(matches!(refused, Err(Error::ChunkLength)), "{len}");
                let refused = cipher.open_chunks(0, &bytes, last, &mut plain);
                assert!(matches!(refused, Err(Error::ChunkLength)), "{len}");
                continue;
            }
            let needed = needed.unwrap();
            assert_eq!(needed, len + (len / CHUNK + usize::from(last)) * TAG);
            assert_eq!(Format::Cobblestone.opened_len(0, needed, last).unwrap(), len);
            if needed > 0 {
                let refused = cipher.seal_chunks(9, &bytes, last, &mut out[..needed - 1]);
                assert!(matches!(refused, Err(Error::BufferTooShort(found)) if found == needed), "{len}");
            }
            assert_eq!(cipher.seal_chunks(9, &bytes, last, &mut out[..needed]).unwrap(), needed);
            if len > 0 {
                let refused = cipher.open_chunks(9, &out[..needed], last, &mut plain[..len - 1]);
                assert!(matches!(refused, Err(Error::BufferTooShort(found)) if found == len), "{len}");
            }
            assert_eq!(cipher.open_chunks(9, &out[..needed], last, &mut plain[..len]).unwrap(), len);
            assert!(plain[..len] == bytes);
            // Chunks that are the last ones are no others, and the other way round.
            if needed > 0 {
                let other = cipher.open_chunks(9, &out[..needed], !last, &mut plain);
                let named = matches!(other, Err(Error::ChunkLength | Error::Truncated | Error::LastChunk(_)));
                assert!(named, "{len}, {last}: {other:?}");
            }
        }
    }
    for len in [0, 1, TAG - 1, SEALED_CHUNK, SEALED_CHUNK + TAG - 1] {
        assert!(matches!(Format::Cobblestone.opened_len(0, len, true), Err(Error::Truncated)), "{len}");
        assert!(matches!(cipher.open_chunks(0, &out[..len], true, &mut plain), Err(Error::Truncated)));
    }
    assert!(matches!(Format::Cobblestone.sealed_len(0, usize::MAX, true), Err(Error::MessageTooLong)));
    assert!(Format::Cobblestone.opened_len(0, usize::MAX / SEALED_CHUNK * SEALED_CHUNK, false).is_ok());
    for first in [MAX_CHUNKS - 1, MAX_CHUNKS, u64::MAX - 1, u64::MAX] {
        let refused = cipher.seal_chunks(first, &message(2 * CHUNK), false, &mut out);
        assert!(matches!(refused, Err(Error::MessageTooLong)), "{first}");
        let refused = cipher.open_chunks(first, &vec![0; 2 * SEALED_CHUNK], false, &mut plain);
        assert!(matches!(refused, Err(Error::MessageTooLong)), "{first}");
    }
    for aead in Aead::ALL {
        assert!(
            matches!(Key::new(aead, &[0; 24]), Err(Error::KeyLength { aead: of, found: 24 }) if of == aead)
        );
    }
}

#[test]
fn lengths_of_parts_are_checked() {
    let (plan, cipher, _) = parts();
    let mut out = vec![0; HEADER + PART_CHUNKS * SEALED_CHUNK + TAG];
    for part in plan.parts() {
        let len = (part.plain.end - part.plain.start) as usize;
        for found in [0, len - 1, len + 1] {
            let refused = cipher.seal_part(&part, &message(found), &mut out);
            let named = matches!(refused, Err(Error::PartLength { planned, found: f }) if planned == len as u64 && f == found);
            assert!(named, "{refused:?}");
        }
        let needed = (part.sealed.end - part.sealed.start) as usize;
        let refused = cipher.seal_part(&part, &message(len), &mut out[..needed - 1]);
        assert!(matches!(refused, Err(Error::BufferTooShort(found)) if found == needed), "{refused:?}");
        assert_eq!(cipher.seal_part(&part, &message(len), &mut out).unwrap(), needed);
        let mut plain = vec![0; len - 1];
        let refused = cipher.open_part(&part, &out[..needed], &mut plain);
        assert!(matches!(refused, Err(Error::BufferTooShort(found)) if found == len), "{refused:?}");
    }
    // Fields with values that no plan has are refused, and nothing panics.
    let part = plan.part(1).unwrap();
    let wrong: [fn(&mut PlannedPart); 6] = [
        |part| part.plain.end += 1,
        |part| part.sealed.end -= 1,
        |part| part.sealed = 0..0,
        |part| part.plain.start = u64::MAX,
        |part| part.last = true,
        |part| part.first_chunk = u64::MAX,
    ];
    for change in wrong {
        let mut part = part.clone();
        change(&mut part);
        assert!(cipher.seal_part(&part, &message(PART), &mut out).is_err(), "{part:?}");
        let mut sealed = vec![0; PART_CHUNKS * SEALED_CHUNK];
        assert!(cipher.open_part(&part, &sealed, &mut out).is_err(), "{part:?}");
        assert!(cipher.reseal_part(&cipher, &part, &mut sealed).is_err(), "{part:?}");
    }
}

/// A plan does not seal under the key of another file, nor messages of another length, parts that it does not have, or inputs
/// that change.
#[test]
fn parts_of_another_message_or_key() {
    let key = key();
    let message = message(2 * PART + 5);
    let plan = Plan::new(message.len() as u64, chunks(PART_CHUNKS)).unwrap();
    let cipher = FileKey::of_plan(&key, &plan).unwrap().cipher();
    let seal = |cipher: &FileCipher, parts, file: &dyn ReadAt| {
        let mut out = Vec::new();
        let sealed = cipher.seal_parts(&plan, parts, file, Output::Stream(&mut out), NonZeroUsize::MIN, &());
        sealed.map(|_| out)
    };
    let other = FileKey::generate(&key, b"").unwrap().0.cipher();
    assert!(matches!(seal(&other, 0..1, &message), Err(Error::OtherSalt)));
    for len in [0, message.len() - 1, message.len() + 1] {
        let refused = seal(&cipher, 0..1, &vec![0; len]);
        let lengths = (message.len() as u64, len as u64);
        assert!(matches!(refused, Err(Error::OtherLength { planned, found }) if (planned, found) == lengths));
    }
    assert!(matches!(seal(&cipher, 2..4, &message), Err(Error::NoSuchPart { number: 3, .. })));
    assert!(seal(&cipher, 3..3, &message).unwrap().is_empty());

    // A file that gives other bytes than its size says, and one that changes on the way.
    for end in [0, 1, PART, PART + 1, message.len() - 1, message.len() + 1] {
        let bytes = Mutex::new(vec![3; end]);
        let file = Changing { bytes: &bytes, size: Some(message.len() as u64) };
        let parts = plan.parts().len() as u32;
        assert!(matches!(seal(&cipher, 0..parts, &file), Err(Error::InputChanged)), "{end}");
    }
    let bytes = Mutex::new(message.clone());
    let resize = Resize(&bytes, message.len() + 1, AtomicBool::new(false));
    let output = Output::Nothing;
    let refused = cipher.seal_parts(&plan, 0..1, &bytes, output, NonZeroUsize::MIN, &resize);
    assert!(matches!(refused, Err(Error::InputChanged)));

    #[cfg(feature = "passphrase")]
    {
        use abreast_sealed::{Costs, PassphraseLine};
        let costs = Costs { memory: 8192, passes: 1, lanes: 1 };
        let line = PassphraseLine::generate(key.aead(), costs).unwrap();
        let header = Header::generate_with_line(&key, line).unwrap().to_bytes();
        let refused = Plan::of_sealed(&header, 1000, Limits::default());
        assert!(matches!(refused, Err(Error::WithPassphrase)));
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
    header.unlock(&key).unwrap().seal_chunks(0, b"hello", true, &mut file[start..]).unwrap();
    let read = Header::from_bytes(&file).unwrap();
    let line = read.passphrase_line().unwrap();
    assert_eq!((line.aead(), line.costs()), (Aead::Aes128Gcm, costs));
    assert_eq!(open(&line.stretch(b"correct horse").unwrap(), &file).unwrap(), b"hello");
    let wrong = open(&line.stretch(b"correct house").unwrap(), &file);
    assert!(matches!(wrong, Err(Error::WrongKey)));
    // No byte of the line, nor of the bytes after it, can be changed.
    for at in 0..file.len() {
        let mut changed = file.clone();
        changed[at] ^= 1;
        assert!(open(&key, &changed).is_err(), "{at}");
    }
    let bad = PassphraseLine::generate(Aead::Aes128Gcm, Costs { memory: 1, ..costs });
    assert!(matches!(bad, Err(Error::Costs(Costs { memory: 1, passes: 1, lanes: 1 }))));

    // One line for several files, each with a salt of its own.
    let sealers = [(); 3].map(|()| Sealer::with_line(&key, line.clone()).unwrap());
    for (i, sealer) in sealers.iter().enumerate() {
        assert_eq!(sealer.header().unwrap().passphrase_line(), Some(line));
        assert!(
            sealers[..i]
                .iter()
                .all(|other| other.header().unwrap().salt() != sealer.header().unwrap().salt())
        );
    }

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
            matches!(line.stretch(&passphrase), Err(Error::PassphraseLength(found)) if found == passphrase.len())
        });
        let sealer = Sealer::with_passphrase(&passphrase, Aead::Aes128Gcm, costs);
        assert_eq!(sealer.is_ok(), good, "{len}");
    }
}

/// A file whose length changes after the first run was read, or that says another length than it gives.
struct Changing<'a> {
    bytes: &'a Mutex<Vec<u8>>,
    /// The length that it states, if not the true one.
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

/// Sets the length when the first run is done.
struct Resize<'a>(&'a Mutex<Vec<u8>>, usize, AtomicBool);

impl Progress for Resize<'_> {
    fn advance(&self, _: u64) {
        if !self.2.swap(true, Ordering::SeqCst) {
            self.0.lock().unwrap().resize(self.1, 3);
        }
    }
}

/// A file that shrank or grew is not sealed as if the bytes read were all of it. The lengths are those at which runs and
/// chunks end, and around them.
#[test]
fn an_input_of_another_length_than_it_had() {
    let key = Key::generate(Aead::Aes256Gcm).unwrap();
    let len = 4 * RUN + 77;
    let ends = [0, 1, CHUNK, RUN - 1, RUN, RUN + 1, 2 * RUN, 3 * RUN + 5, len - 1, len + 1, 5 * RUN, 9 * RUN];
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
