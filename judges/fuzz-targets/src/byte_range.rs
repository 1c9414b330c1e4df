//! Ranges as users write them after `--range`.

use abreast_cli::fuzzing::{ByteRange, Offset};

/// Checks that an accepted range has no other characters than numbers, units and signs, and that it parses as the same range
/// when it is written again in bytes.
pub(crate) fn run(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    let Ok(range) = text.parse::<ByteRange>() else { return };
    assert!(text.bytes().all(|byte| byte.is_ascii_digit() || b".-kmgtibKMGTIB".contains(&byte)), "{text:?}");
    let written = |offset| match offset {
        Offset::FromStart(bytes) => format!("{bytes}"),
        Offset::FromEnd(bytes) => format!("-{bytes}"),
    };
    let again = format!("{}..{}", written(range.start), range.end.map(written).unwrap_or_default());
    assert_eq!(again.parse(), Ok(range), "{text:?}");
}
