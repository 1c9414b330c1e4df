//! Ranges, shares and sizes, as users write them.

use std::ops::Bound;
use std::str::FromStr;

/// Bytes `start..end` of the plaintext; without an end, all from `start` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByteRange {
    /// The first byte.
    pub start: u64,
    /// The byte after the last one.
    pub end: Option<u64>,
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
pub fn parse_size(text: &str) -> Result<usize, String> {
    let (digits, unit) = match text.strip_suffix(['K', 'k']) {
        Some(digits) => (digits, 1 << 10),
        None => text.strip_suffix(['M', 'm']).map_or((text, 1), |digits| (digits, 1 << 20)),
    };
    let number = Some(digits).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
    let size = number.and_then(|digits| digits.parse::<usize>().ok()?.checked_mul(unit));
    size.filter(|size| (1..=LARGEST).contains(size))
        .ok_or_else(|| "a size is a number from 1 to 1024M, K and M being KiB and MiB".into())
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
        for wrong in ["", "0", "K", "+1", "-1", "1.5K", "1KM", "16 K", "1025M", "99999999999999999999M"] {
            assert!(parse_size(wrong).is_err(), "{wrong}");
        }
    }
}
