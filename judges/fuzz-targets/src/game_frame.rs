//! Frames of game servers: any bytes taken apart, and frames that are built and taken apart again.

use abreast::BlockCipher;
use abreast::xtea::Xtea;
use abreast_frames::game::{Format, FrameError, LARGE_LIMIT, LIMIT, Layout, Mark, next_sequence};
use arbitrary::Arbitrary;

use crate::common::Random;
use crate::input::fields;

#[derive(Arbitrary, Debug)]
struct Case<'a> {
    blocks: bool,
    marked: bool,
    limit: Limit,
    mark: AnyMark,
    payload: u32,
    room: u16,
    seed: u64,
    received: &'a [u8],
}

#[derive(Arbitrary, Clone, Copy, Debug)]
enum Limit {
    Usual,
    Large,
    Any(u32),
    None,
}

#[derive(Arbitrary, Clone, Copy, Debug)]
enum AnyMark {
    None,
    Adler32,
    Sequence { number: u32, deflated: bool },
}

/// Checks that received bytes are used only if they are a whole frame, whose parts lie within it, and that a frame that is
/// built has the announced length and can be read again.
pub(crate) fn run(data: &[u8]) {
    let Some(case) = fields::<Case<'_>>(data) else { return };
    let format = Format {
        layout: if case.blocks { Layout::Blocks } else { Layout::Bytes },
        marked: case.marked,
        limit: match case.limit {
            Limit::Usual => LIMIT,
            Limit::Large => LARGE_LIMIT,
            Limit::Any(limit) => limit as usize,
            Limit::None => usize::MAX,
        },
    };
    parse(format, case.received);
    build(format, &case);
}

fn parse(format: Format, received: &[u8]) {
    let mut bytes = received.to_vec();
    let start = received.first_chunk::<2>().map(|start| format.whole_len(*start));
    let mut frame = match format.parse(&mut bytes) {
        Ok(frame) => frame,
        Err(FrameError::Length) => {
            assert!(start.is_none_or(|len| len.is_ok_and(|len| len != received.len())));
            return;
        }
        Err(error) => return assert_eq!(start, Some(Err(error))),
    };
    assert_eq!(start, Some(Ok(received.len())));
    assert!(received.len() <= format.limit);
    assert_eq!(frame.sequence().is_some(), format.marked);
    assert_eq!(frame.check_adler32() == Err(FrameError::Mark), !format.marked);
    let blocks = frame.blocks().len();
    assert!(blocks > 0 && blocks.is_multiple_of(8) && blocks < received.len());
    if let Ok(payload) = frame.payload() {
        assert!(format.front() + payload.len() <= received.len());
    }
    assert_eq!(bytes, received);
}

fn build(format: Format, case: &Case<'_>) {
    let payload = case.payload as usize % (1 << 17);
    let len = format.frame_len(payload);
    let mut random = Random::new(case.seed);
    let key = Xtea::new(&random.block());
    let message = random.bytes(payload);
    // Not always enough room.
    let mut buffer = vec![0xa5; (format.front() + payload + usize::from(case.room % 16)).saturating_sub(4)];
    let room = buffer.len();
    if let Some(place) = buffer.get_mut(format.front()..format.front() + payload) {
        place.copy_from_slice(&message);
    }
    let mut frame = match (len, format.build(&mut buffer, payload)) {
        (Ok(len), Ok(frame)) => {
            assert!(len <= room && len <= format.limit);
            frame
        }
        (Ok(len), Err(FrameError::BufferTooShort)) => return assert!(len > room),
        (Ok(_), Err(error)) => panic!("{format:?}, {payload} bytes: {error}"),
        (Err(error), built) => return assert_eq!(built.err(), Some(error)),
    };
    let len = len.unwrap_or_default();
    key.encrypt_raw_blocks(frame.blocks().into()).expect("whole blocks");
    let (mark, expected) = match case.mark {
        AnyMark::None => (Mark::None, !format.marked),
        AnyMark::Adler32 => (Mark::Adler32, format.marked),
        AnyMark::Sequence { number, deflated } => {
            (Mark::Sequence { number, deflated }, format.marked && number < 1 << 31)
        }
    };
    let finished = frame.finish(mark);
    assert_eq!(finished.is_ok(), expected, "{format:?}, {mark:?}");
    let Ok(sent) = finished else { return };
    assert_eq!(sent.len(), len);
    let mut received = sent.to_vec();
    let mut frame = format.parse(&mut received).expect("a frame that was built");
    if let AnyMark::Sequence { number, deflated } = case.mark {
        assert_eq!(frame.sequence(), Some((number, deflated)));
        assert!((1..1 << 31).contains(&next_sequence(number)));
    } else if format.marked {
        assert_eq!(frame.check_adler32(), Ok(()));
    }
    key.decrypt_raw_blocks(frame.blocks().into()).expect("whole blocks");
    assert_eq!(frame.payload().expect("the key of the sender"), message);
}
