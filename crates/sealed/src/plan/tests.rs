//! Plans: parts without a gap, and lengths that make none.

use super::*;
use crate::format::{AGS1_HEADER, CHUNK, HEADER, SEALED_CHUNK};
use crate::format::{MAX_CHUNKS, TAG};

const MOST: u64 = MAX_CHUNKS * CHUNK as u64 - 1;

fn plan(message_len: u64, part_chunks: u32) -> Plan {
    Plan { salt: Some([1; SALT]), message_len, part_chunks }
}

/// The parts follow each other without a gap and cover message and file, and each is as long as its chunks are.
fn check(plan: &Plan) {
    let (mut plain, mut sealed, mut chunk) = (0, 0, 0);
    let count = plan.parts().len();
    assert_eq!(plan.share(1, 1).unwrap(), 0..count as u32);
    for (number, part) in plan.parts().enumerate() {
        assert_eq!(plan.part(number as u32).unwrap(), part);
        assert_eq!(part.number as usize, number);
        assert_eq!((part.plain.start, part.sealed.start, part.first_chunk), (plain, sealed, chunk));
        assert_eq!(part.last, number == count - 1);
        let len = part.plain.end - part.plain.start;
        let full = u64::from(plan.part_chunks) * CHUNK as u64;
        assert!(if part.last { len <= full } else { len == full });
        assert!(len > 0 || plan.message_len == 0);
        let chunks = len / CHUNK as u64 + u64::from(part.last);
        let header = if number == 0 { HEADER as u64 } else { 0 };
        assert_eq!(part.sealed.end - part.sealed.start, header + len + chunks * TAG as u64);
        (plain, sealed, chunk) = (part.plain.end, part.sealed.end, chunk + chunks);
    }
    assert_eq!((plain, sealed), (plan.message_len(), plan.sealed_len()));
    assert_eq!(chunk, Layout::of_message(Format::Cobblestone, plain).unwrap().chunks);
    let refused = plan.part(count as u32);
    assert!(matches!(refused, Err(Error::NoSuchPart { number, .. }) if number == count as u32));
}

#[test]
fn parts_cover_the_file() {
    for part_chunks in [1, 2, 3, 16, u32::MAX] {
        let (part, chunk) = (u64::from(part_chunks.min(16)) * CHUNK as u64, CHUNK as u64);
        for steps in [0, chunk, part, part + chunk, 2 * part, 5 * part] {
            for message_len in steps.saturating_sub(1)..=steps + 1 {
                check(&plan(message_len, part_chunks));
            }
        }
    }
    check(&plan(MOST, u32::MAX));
    check(&plan(MOST, 1 << 28));
}

#[test]
fn spans_are_parts_together() {
    for message_len in [0, 1, 3 * CHUNK as u64, 7 * CHUNK as u64 + 5, 8 * CHUNK as u64] {
        let plan = plan(message_len, 2);
        let count = plan.parts().len() as u32;
        for start in 0..=count {
            for end in start..=count {
                let span = plan.span(start..end).unwrap();
                let sum = |len: fn(&PlannedPart) -> u64| {
                    (start..end).map(|number| len(&plan.part(number).unwrap())).sum::<u64>()
                };
                assert_eq!(span.plain.end - span.plain.start, sum(|part| part.plain.end - part.plain.start));
                let sealed = span.sealed.end - span.sealed.start;
                assert_eq!(sealed, sum(|part| part.sealed.end - part.sealed.start));
                assert_eq!(span.last, start < end && end == count);
                if start < count {
                    let first = plan.part(start).unwrap();
                    assert_eq!((span.first_chunk, span.number), (first.first_chunk, start));
                    assert_eq!(
                        (span.plain.start, span.sealed.start),
                        (first.plain.start, first.sealed.start)
                    );
                }
            }
        }
        assert!(
            matches!(plan.span(0..count + 1), Err(Error::NoSuchPart { number, parts }) if (number, parts) == (count, count))
        );
        assert!(matches!(plan.span(u32::MAX..u32::MAX), Err(Error::NoSuchPart { .. })));
        #[allow(clippy::reversed_empty_ranges, reason = "it is what is refused")]
        let reversed = plan.span(1..0);
        assert!(matches!(reversed, Err(Error::RangeReversed)));
    }
}

#[test]
fn shares_are_even_and_leave_nothing_out() {
    for parts in [1, 2, 3, 10, 1000] {
        let plan = plan(parts * CHUNK as u64, 1);
        for shares in [1, 2, 3, 7, 10, 11, 1001, u32::MAX] {
            let mut end = 0;
            for share in (1..=shares).take(2000) {
                let taken = plan.share(share, shares).unwrap();
                assert_eq!(taken.start, end);
                let even = parts / u64::from(shares);
                assert!((even..=even + 1).contains(&(taken.len() as u64)), "{taken:?}");
                end = taken.end;
            }
            assert_eq!(plan.share(shares, shares).unwrap().end, parts as u32);
            assert!(shares > 2000 || end == parts as u32);
        }
        for (share, shares) in [(0, 0), (0, 1), (2, 1), (1, 0), (u32::MAX, 3)] {
            assert!(matches!(plan.share(share, shares), Err(Error::NoSuchShare { .. })));
        }
    }
}

/// Parts keep to the limits where these can be kept to, at lengths that no test could seal.
#[test]
fn parts_keep_to_their_limits() {
    let terabyte = 1_000_000_000_000;
    let s3 = Limits::default();
    for (message_len, chunks, parts) in [
        (0, 512, 1),
        (8 << 20, 512, 1),
        ((8 << 20) + 1, 512, 2),
        (10_000 * (8 << 20), 512, 10_000),
        (10_000 * (8 << 20) + 1, 513, 9981),
        (terabyte, 6104, 10_000),
        (MOST, 27_487_791, 10_000),
    ] {
        let plan = Plan::with_salt(message_len, s3, &[1; SALT]).unwrap();
        assert_eq!((plan.part_chunks(), plan.parts().len()), (chunks, parts), "{message_len}");
        for part in plan.parts().filter(|part| !part.last) {
            assert!(part.sealed.end - part.sealed.start >= s3.min_part, "{message_len}");
        }
    }
    let extremes = [0, 1, CHUNK as u64, SEALED_CHUNK as u64, 1 << 46, u64::MAX - 1, u64::MAX];
    let messages = [0, 1, CHUNK as u64, terabyte, (1 << 46) - 1, 1 << 46, (1 << 46) + 1, MOST];
    for (min_part, preferred_part) in extremes.into_iter().flat_map(|a| extremes.map(|b| (a, b))) {
        for max_parts in [0, 1, 2, 10_000, u32::MAX] {
            for message_len in messages {
                let limits = Limits { min_part, max_parts, preferred_part };
                let plan = match Plan::with_salt(message_len, limits, &[1; SALT]) {
                    Ok(plan) => plan,
                    Err(Error::Limits { .. }) => {
                        // The message is too long for so many parts of 2^32 - 1 chunks, or parts are smaller than allowed.
                        let most = u64::from(u32::MAX) * CHUNK as u64;
                        let too_long = u128::from(message_len) > u128::from(max_parts) * u128::from(most);
                        let sealed = u64::from(u32::MAX) * SEALED_CHUNK as u64;
                        let too_small = min_part > sealed && message_len > most;
                        assert!(too_long || too_small || max_parts == 0, "{limits:?}, {message_len}");
                        continue;
                    }
                    Err(error) => panic!("{error}"),
                };
                let count = plan.parts().len() as u32;
                assert!(count <= max_parts, "{limits:?}, {message_len}");
                let first = plan.part(0).unwrap();
                assert!(first.last || first.sealed.end - HEADER as u64 >= min_part, "{limits:?}");
                assert_eq!(plan.part(count - 1).unwrap().sealed.end, plan.sealed_len());
                assert_eq!(plan.to_string().parse(), Ok(plan));
            }
        }
    }
    for message_len in [MOST + 1, u64::MAX] {
        assert!(matches!(Plan::new(message_len, s3), Err(Error::MessageTooLong)), "{message_len}");
    }
}

#[test]
fn salts_of_plans() {
    let refused = Plan::with_salt(1, Limits::default(), b"abreast/1 AEAD_AES_256_G");
    assert!(matches!(refused, Err(Error::Salt)));
    let salt = || *Plan::new(1, Limits::default()).unwrap().salt().unwrap();
    assert_ne!(salt(), salt());
}

#[test]
fn plans_as_text() {
    let text =
        "abreast-plan/1 message=123 part-chunks=512 salt=010101010101010101010101010101010101010101010101";
    assert_eq!(plan(123, 512).to_string(), text);
    assert_eq!(text.parse(), Ok(plan(123, 512)));
    let with = |from: &str, to: &str| text.replacen(from, to, 1).parse::<Plan>();
    let field = |name| Err(PlanError::Field(name));
    for (from, to, error) in [
        ("abreast-plan/", "abreast/", Err(PlanError::NotAPlan)),
        ("abreast-plan/1", " abreast-plan/1", Err(PlanError::NotAPlan)),
        ("abreast-plan/1", "abreast-plan/", Err(PlanError::Version)),
        ("abreast-plan/1", "abreast-plan/2", Err(PlanError::Version)),
        ("abreast-plan/1", "abreast-plan/01", Err(PlanError::Version)),
        ("/1 ", "/1  ", field("message")),
        ("message", "Message", field("message")),
        ("=123", "=", field("message")),
        ("=123", "=+123", field("message")),
        ("=123", "=0123", field("message")),
        ("=123", "=-1", field("message")),
        ("=123", "=1e3", field("message")),
        ("=123", "=4503599627370496", field("message")),
        ("=123", "=18446744073709551616", field("message")),
        (" message=123", "", field("message")),
        ("=512", "=0", field("part-chunks")),
        ("=512", "=4294967296", field("part-chunks")),
        ("=512", "=0512", field("part-chunks")),
        ("part-chunks", "parts", field("part-chunks")),
        ("=0101", "=01", field("salt")),
        ("=0101", "=010101", field("salt")),
        ("=01", "=0A", field("salt")),
        ("=01", "=0g", field("salt")),
        ("=0101010101010101", "=616272656173742f", field("salt")),
        (" salt=", " salt ", field("salt")),
    ] {
        assert_eq!(with(from, to), error, "{from} as {to}");
    }
    for more in [" ", "\n", " more=1", "0"] {
        assert!(format!("{text}{more}").parse::<Plan>().is_err(), "{more:?}");
    }
    assert_eq!(format!("{text} more=1").parse::<Plan>(), Err(PlanError::End));
    for cut in 0..text.len() {
        assert!(text[..cut].parse::<Plan>().is_err(), "{cut}");
    }
    // More parts than have numbers.
    assert_eq!(with("=123 part-chunks=512", "=4503599627370495 part-chunks=64"), field("part-chunks"));
    assert!(with("=123 part-chunks=512", "=4503599627370495 part-chunks=65").is_ok());
}

#[test]
fn plans_of_streams() {
    let block = crate::ags1::BLOCK as u64;
    let text = "abreast-plan/1 message=123 part-chunks=8 format=ags1";
    let plan = Plan::ags1(123, Limits::default()).unwrap();
    assert_eq!((plan.to_string(), plan.salt(), plan.format()), (text.to_owned(), None, Format::Ags1));
    assert_eq!(text.parse(), Ok(plan));
    for bad in ["format=ags2", "format=", "salt=ags1", "format=ags1 "] {
        assert!(text.replace("format=ags1", bad).parse::<Plan>().is_err(), "{bad}");
    }
    // The longest message has no block more than the format.
    let most = crate::ags1::MAX_BLOCKS * block;
    assert!(Plan::ags1(most, Limits::default()).is_ok());
    assert!(matches!(Plan::ags1(most + 1, Limits::default()), Err(Error::MessageTooLong)));
    for message in [0, 1, block - 1, block, block + 1, 16 * block, 16 * block + 1] {
        let plan = Plan::ags1(message, Limits { min_part: 0, ..Limits::default() }).unwrap();
        let (mut plain, mut sealed) = (0, 0);
        for part in plan.parts() {
            assert_eq!((part.plain.start, part.sealed.start), (plain, sealed), "{message}");
            assert_eq!(part.first_chunk * block, plain);
            (plain, sealed) = (part.plain.end, part.sealed.end);
        }
        assert_eq!((plain, sealed), (message, plan.sealed_len()));
        assert_eq!(sealed, 8 + message + message.div_ceil(block).max(1) * 28);
        let header = AGS1_HEADER;
        assert_eq!(
            Plan::of_ags1(&header, sealed, Limits { min_part: 0, ..Limits::default() }).unwrap(),
            plan
        );
    }
    // A stream that ends in an empty block, or within one.
    for length in [0, 7, 8, 35, 8 + block + 28 + 28, 8 + block + 28 + 27] {
        let refused = Plan::of_ags1(&AGS1_HEADER, length, Limits::default());
        assert!(matches!(refused, Err(Error::Truncated)), "{length}");
    }
}
