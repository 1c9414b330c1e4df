//! Ranges as users write them after `--range`.

use abreast_cli::fuzzing::ByteRange;

/// Checks that an accepted range is digits around two dots, and that it parses as the same range when it is written again.
pub(crate) fn run(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    let Ok(range) = text.parse::<ByteRange>() else { return };
    assert!(text.bytes().all(|byte| byte == b'.' || byte.is_ascii_digit()), "{text:?}");
    assert!(range.end.is_none_or(|end| range.start <= end), "{text:?}");
    let end = range.end.map(|end| end.to_string()).unwrap_or_default();
    assert_eq!(format!("{}..{end}", range.start).parse(), Ok(range), "{text:?}");
}
