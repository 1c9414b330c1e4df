//! Bytes before each value that say which key it has.

use super::{ColumnError, Values};

/// The bytes before the values of rows, such as those that say which of several keys a value has: Tink's are 1 and the number
/// of the key in four bytes, the highest first.
///
/// ```
/// use abreast::columns::{Prefixes, Values, Offsets, OffsetsMut, Weave};
/// use abreast::{aes::Aes128, modes::Siv};
///
/// let key = Siv::<Aes128>::new(&[7; 32]).map_err(abreast::columns::ColumnError::Keys)?;
/// let names = Values::new(Offsets::I32(&[0, 3, 8]), b"Annbravo")?;
/// let strings: [&[u8]; 2] = [&[1, 0, 0, 0, 9], &[]];
/// let weave = Weave::SIV.with_prefixes(Prefixes::of_rows(&strings, &[0, 1])?);
/// let (mut sealed, mut offsets) = (vec![0; weave.sealed_len(&names)?], [0; 3]);
/// weave.seal(&names, &[], b"".into(), &key, &mut sealed, OffsetsMut::I32(&mut offsets))?;
/// assert_eq!((&sealed[..5], offsets), (&[1, 0, 0, 0, 9][..], [0, 24, 45]));
/// # Ok::<(), abreast::columns::ColumnError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Prefixes<'a> {
    strings: &'a [&'a [u8]],
    /// For each row, the number of its string; the first for all rows otherwise.
    numbers: Option<&'a [u32]>,
}

impl<'a> Prefixes<'a> {
    /// No bytes.
    pub const NONE: Self = Self { strings: &[], numbers: None };

    /// Takes one string for all rows.
    ///
    /// ```
    /// use abreast::columns::{Prefixes, Weave};
    ///
    /// // The prefix of Tink for a key of the number 9.
    /// let weave = Weave::GCM.with_prefixes(Prefixes::one(&[&[1, 0, 0, 0, 9]]));
    /// ```
    #[must_use]
    pub const fn one(string: &'a [&'a [u8]; 1]) -> Self {
        Self { strings: string, numbers: None }
    }

    /// Takes one of several strings for each row, null rows too, by their numbers.
    ///
    /// # Errors
    /// [`ColumnError::NoKey`] with the first row whose number is too large.
    pub fn of_rows(strings: &'a [&'a [u8]], numbers: &'a [u32]) -> Result<Self, ColumnError> {
        match numbers.iter().position(|number| *number as usize >= strings.len()) {
            None => Ok(Self { strings, numbers: Some(numbers) }),
            Some(row) => Err(ColumnError::NoKey { row }),
        }
    }

    /// Returns the bytes of a row.
    #[inline]
    pub(super) fn of(&self, row: usize) -> &'a [u8] {
        let string = match (self.strings, self.numbers) {
            ([], _) => return &[],
            (strings, None) => strings.first(),
            (strings, Some(numbers)) => numbers.get(row).and_then(|number| strings.get(*number as usize)),
        };
        string.copied().unwrap_or_default()
    }

    /// Refuses another number of rows.
    pub(super) fn check(&self, values: &Values<'_>) -> Result<(), ColumnError> {
        match self.numbers {
            Some(numbers) if numbers.len() != values.len() => Err(ColumnError::PrefixRows),
            _ => Ok(()),
        }
    }
}
