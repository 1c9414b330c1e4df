//! Ranges, shares and sizes, as users write them.

use std::ops::Bound;
use std::str::FromStr;

/// A place in the plaintext.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offset {
    /// Bytes from its start.
    FromStart(u64),
    /// Bytes before its end; before its start is its start.
    FromEnd(u64),
}

impl Offset {
    /// Returns the number of bytes from the start of a plaintext of that length.
    fn in_length(self, length: u64) -> u64 {
        match self {
            Offset::FromStart(bytes) => bytes,
            Offset::FromEnd(bytes) => length.saturating_sub(bytes),
        }
    }
}

/// Bytes `start..end` of the plaintext; without an end, all from `start` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByteRange {
    /// The first byte.
    pub start: Offset,
    /// The byte after the last one.
    pub end: Option<Offset>,
}

/// The bounds of a range, as the library takes them.
pub(crate) type Bounds = (Bound<u64>, Bound<u64>);

impl ByteRange {
    /// Returns the range in a plaintext of that length as the library takes it.
    pub(crate) fn in_length(self, length: u64) -> Bounds {
        let end = self.end.map_or(Bound::Unbounded, |end| Bound::Excluded(end.in_length(length)));
        (Bound::Included(self.start.in_length(length)), end)
    }
}

/// The shape of a range.
const RANGE: &str =
    "a range is written A..B, A.. or ..B, in bytes or with K, M, G or T as units, and -A counts from the end";

impl FromStr for ByteRange {
    type Err = String;

    fn from_str(text: &str) -> Result<ByteRange, String> {
        let (start, end) = text.split_once("..").ok_or(RANGE)?;
        let offset = |text: &str| {
            let (digits, from_end) = text.strip_prefix('-').map_or((text, false), |digits| (digits, true));
            let bytes = bytes(digits).map_err(|malformed| match malformed {
                Malformed::Size => RANGE.into(),
                Malformed::TooLarge => {
                    format!("{text} is more than 64 bits of bytes, the most that a range can name")
                }
            })?;
            Ok::<_, String>(if from_end { Offset::FromEnd(bytes) } else { Offset::FromStart(bytes) })
        };
        let start = if start.is_empty() { Offset::FromStart(0) } else { offset(start)? };
        let end = if end.is_empty() { None } else { Some(offset(end)?) };
        let reversed = match (start, end) {
            (Offset::FromStart(start), Some(Offset::FromStart(end))) => end < start,
            (Offset::FromEnd(start), Some(Offset::FromEnd(end))) => end > start,
            _ => false,
        };
        if reversed {
            return Err("the range ends before it starts".into());
        }
        Ok(ByteRange { start, end })
    }
}

/// The fault of a text that should be a number of bytes.
enum Malformed {
    /// Other than digits and a unit.
    Size,
    /// More than 64 bits hold.
    TooLarge,
}

/// Reads a number of bytes such as `1600`, `16K`, `16KB`, `16KiB`, `1M` or `2G`.
fn bytes(text: &str) -> Result<u64, Malformed> {
    let upper = text.to_ascii_uppercase();
    let short = upper.strip_suffix("IB").or_else(|| upper.strip_suffix('B')).unwrap_or(&upper);
    let units = [('K', 10), ('M', 20), ('G', 30), ('T', 40)];
    let unit = units.into_iter().find_map(|(unit, shift)| Some((short.strip_suffix(unit)?, shift)));
    // Bytes have no unit, so that `5B` is nothing.
    let (digits, shift) = unit.unwrap_or((&upper, 0));
    let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if !plain {
        return Err(Malformed::Size);
    }
    let bytes = digits.parse::<u64>().ok().and_then(|number| number.checked_mul(1 << shift));
    bytes.ok_or(Malformed::TooLarge)
}

/// One of several shares, as in `2/3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// The number of the share, from 1.
    pub number: u32,
    /// The number of shares.
    pub of: u32,
}

impl FromStr for Share {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Share, Self::Err> {
        let shape = "a share is written I/N, from 1/N to N/N";
        let number = |digits: &str| {
            let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
            digits.parse().ok().filter(|_| plain).ok_or(shape)
        };
        let (share, of) = text.split_once('/').ok_or(shape)?;
        let share = Share { number: number(share)?, of: number(of)? };
        if (1..=share.of).contains(&share.number) { Ok(share) } else { Err(shape) }
    }
}

/// The largest size.
const LARGEST: usize = 1 << 30;

/// Reads a size such as `1600`, `16K` or `1M`.
///
/// # Errors
///
/// Fails with a text for people if it is none, or more than 1 GiB.
pub fn parse_size(text: &str) -> Result<usize, &'static str> {
    let size = bytes(text).ok().and_then(|size| usize::try_from(size).ok());
    size.filter(|size| (1..=LARGEST).contains(size))
        .ok_or("a size is a number from 1 to 1024M, K and M being KiB and MiB")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_as_written() {
        use Offset::{FromEnd, FromStart};
        let range = |start, end| Ok(ByteRange { start, end });
        assert_eq!("3..8".parse(), range(FromStart(3), Some(FromStart(8))));
        assert_eq!("3..".parse(), range(FromStart(3), None));
        assert_eq!("..8".parse(), range(FromStart(0), Some(FromStart(8))));
        assert_eq!("..".parse(), range(FromStart(0), None));
        assert_eq!("5..5".parse(), range(FromStart(5), Some(FromStart(5))));
        assert_eq!("1K..2M".parse(), range(FromStart(1024), Some(FromStart(2 << 20))));
        assert_eq!("-100..".parse(), range(FromEnd(100), None));
        assert_eq!("-1g..-1kib".parse(), range(FromEnd(1 << 30), Some(FromEnd(1024))));
        assert_eq!("10..-10".parse(), range(FromStart(10), Some(FromEnd(10))));
        for bad in [
            "",
            "3",
            "3.8",
            "8..3",
            "-1..-3",
            "+1..3",
            "3..=8",
            "a..b",
            "1..99999999999999999999",
            "1B..2",
            "--1..2",
            "-..2",
            "K..2",
            "1..16777216T",
            "1 K..2K",
        ] {
            assert!(bad.parse::<ByteRange>().is_err(), "{bad}");
        }
        for (range, length, start, end) in [
            ("-100..", 50, 0, None),
            ("-20..-10", 50, 30, Some(40)),
            ("5..-60", 50, 5, Some(0)),
            ("..9", 5, 0, Some(9)),
        ] {
            let end = end.map_or(Bound::Unbounded, Bound::Excluded);
            assert_eq!(
                range.parse::<ByteRange>().unwrap().in_length(length),
                (Bound::Included(start), end),
                "{range}"
            );
        }
    }

    #[test]
    fn shares_as_written() {
        for (text, number, of) in
            [("1/1", 1, 1), ("2/3", 2, 3), ("03/12", 3, 12), ("4294967295/4294967295", u32::MAX, u32::MAX)]
        {
            assert_eq!(text.parse(), Ok(Share { number, of }), "{text}");
        }
        for bad in [
            "",
            "1",
            "/",
            "1/",
            "/1",
            "0/1",
            "0/0",
            "2/1",
            "+1/2",
            "1/+2",
            "-1/2",
            "1/2/3",
            "1 /2",
            "1/4294967296",
        ] {
            assert!(bad.parse::<Share>().is_err(), "{bad}");
        }
    }

    #[test]
    fn sizes_have_units() {
        assert_eq!(parse_size("1600"), Ok(1600));
        assert_eq!(parse_size("16K"), Ok(16384));
        assert_eq!(parse_size("1m"), Ok(1 << 20));
        assert_eq!(parse_size("64KB"), Ok(1 << 16));
        assert_eq!(parse_size("1GiB"), Ok(1 << 30));
        for wrong in
            ["", "0", "K", "+1", "-1", "1.5K", "1KM", "16 K", "5B", "1025M", "2G", "99999999999999999999M"]
        {
            assert!(parse_size(wrong).is_err(), "{wrong}");
        }
    }
}
