//! A range of the plaintext, as users write it.

use std::ops::Bound;
use std::str::FromStr;

/// Bytes `start..end` of the plaintext; without an end, all from `start` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ByteRange {
    /// The first byte.
    pub(crate) start: u64,
    /// The byte after the last one.
    pub(crate) end: Option<u64>,
}

impl ByteRange {
    /// The range as the library takes it.
    pub(crate) fn bounds(self) -> (Bound<u64>, Bound<u64>) {
        (Bound::Included(self.start), self.end.map_or(Bound::Unbounded, Bound::Excluded))
    }
}

impl FromStr for ByteRange {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<ByteRange, Self::Err> {
        let shape = "a range is written A..B, A.. or ..B, in bytes";
        let (start, end) = text.split_once("..").ok_or(shape)?;
        let number = |digits: &str| {
            let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            if plain { digits.parse().map_err(|_| "the range is beyond any file") } else { Err(shape) }
        };
        let start = if start.is_empty() { 0 } else { number(start)? };
        let end = if end.is_empty() { None } else { Some(number(end)?) };
        if end.is_some_and(|end| end < start) {
            return Err("the range ends before it starts");
        }
        Ok(ByteRange { start, end })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_as_written() {
        let range = |start, end| Ok(ByteRange { start, end });
        assert_eq!("3..8".parse(), range(3, Some(8)));
        assert_eq!("3..".parse(), range(3, None));
        assert_eq!("..8".parse(), range(0, Some(8)));
        assert_eq!("..".parse(), range(0, None));
        assert_eq!("5..5".parse(), range(5, Some(5)));
        for bad in ["", "3", "3.8", "8..3", "-1..3", "+1..3", "3..=8", "a..b", "1..99999999999999999999"] {
            assert!(bad.parse::<ByteRange>().is_err(), "{bad}");
        }
    }
}
