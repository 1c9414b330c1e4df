//! Columns of values as they lie in memory: offsets and bytes, as Arrow's columnar format ("Variable-size Binary Layout")
//! has them.

use super::ColumnError;

/// The offsets of the values of a column in its bytes: one more than there are values. The first need not be 0.
#[derive(Clone, Copy, Debug)]
pub enum Offsets<'a> {
    /// Offsets of 32 bits: `Binary`, `Utf8`.
    I32(&'a [i32]),
    /// Offsets of 64 bits: `LargeBinary`, `LargeUtf8`.
    I64(&'a [i64]),
}

impl Offsets<'_> {
    /// Returns the number of offsets.
    fn count(self) -> usize {
        match self {
            Self::I32(offsets) => offsets.len(),
            Self::I64(offsets) => offsets.len(),
        }
    }

    #[inline]
    fn at(self, index: usize) -> Option<i64> {
        match self {
            Self::I32(offsets) => offsets.get(index).map(|offset| i64::from(*offset)),
            Self::I64(offsets) => offsets.get(index).copied(),
        }
    }
}

/// Room for offsets: one more than there are values. The first becomes 0.
#[derive(Debug)]
pub enum OffsetsMut<'a> {
    /// Offsets of 32 bits.
    I32(&'a mut [i32]),
    /// Offsets of 64 bits.
    I64(&'a mut [i64]),
}

impl OffsetsMut<'_> {
    /// Refuses another number of offsets than these values have, and values of more bytes in all than the last offset can
    /// say.
    pub(super) fn check(&self, rows: usize, total: Option<usize>) -> Result<usize, ColumnError> {
        let (count, most) = match self {
            Self::I32(offsets) => (offsets.len(), i32::MAX as u64),
            Self::I64(offsets) => (offsets.len(), i64::MAX as u64),
        };
        if rows.checked_add(1) != Some(count) {
            return Err(ColumnError::OffsetsLength);
        }
        total.filter(|total| *total as u64 <= most).ok_or(ColumnError::OffsetOverflow)
    }

    /// Writes an offset that was checked to be one.
    #[inline]
    pub(super) fn set(&mut self, index: usize, offset: usize) {
        match self {
            Self::I32(offsets) => {
                if let Some(place) = offsets.get_mut(index) {
                    *place = offset as i32;
                }
            }
            Self::I64(offsets) => {
                if let Some(place) = offsets.get_mut(index) {
                    *place = offset as i64;
                }
            }
        }
    }
}

/// A column of values of any lengths, some of which may be null.
///
/// ```
/// use abreast::columns::{Offsets, Values};
///
/// let names = Values::new(Offsets::I32(&[0, 3, 3, 8]), b"Annbravo")?.with_validity(&[0b101], 0)?;
/// assert_eq!((names.len(), names.value(0), names.value(2)), (3, &b"Ann"[..], &b"bravo"[..]));
/// assert!(!names.is_valid(1));
/// # Ok::<(), abreast::columns::ColumnError>(())
/// ```
#[derive(Clone, Copy)]
pub struct Values<'a> {
    offsets: Offsets<'a>,
    data: &'a [u8],
    /// A bit for each row, and the place of the first row's.
    validity: Option<(&'a [u8], usize)>,
}

impl<'a> Values<'a> {
    /// Takes a column without nulls. All offsets are looked at, once.
    ///
    /// # Errors
    /// [`ColumnError::NoOffsets`] if there is not even one; [`ColumnError::OffsetNegative`],
    /// [`ColumnError::OffsetDecreases`] and [`ColumnError::OffsetPastEnd`] with the first row that ends at a wrong place.
    pub fn new(offsets: Offsets<'a>, data: &'a [u8]) -> Result<Self, ColumnError> {
        match offsets {
            Offsets::I32(offsets) => check(offsets.iter().map(|offset| i64::from(*offset)), data.len())?,
            Offsets::I64(offsets) => check(offsets.iter().copied(), data.len())?,
        }
        Ok(Self { offsets, data, validity: None })
    }

    /// Adds a bitmap of the rows that are not null: bit `bit_offset + row`, the lowest bit of a byte first, is
    /// 1 if the row has a value.
    ///
    /// # Errors
    /// [`ColumnError::ValidityLength`] if the bitmap has fewer bits.
    pub fn with_validity(self, bitmap: &'a [u8], bit_offset: usize) -> Result<Self, ColumnError> {
        let end = bit_offset.checked_add(self.len()).ok_or(ColumnError::ValidityLength)?;
        if end.div_ceil(8) > bitmap.len() {
            return Err(ColumnError::ValidityLength);
        }
        Ok(Self { validity: Some((bitmap, bit_offset)), ..self })
    }

    /// Returns the number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.offsets.count().saturating_sub(1)
    }

    /// True if there are no rows. A column of empty values has some.
    ///
    /// ```
    /// use abreast::columns::{Offsets, Values};
    ///
    /// assert!(Values::new(Offsets::I32(&[0]), b"")?.is_empty());
    /// assert!(!Values::new(Offsets::I32(&[0, 0]), b"")?.is_empty());
    /// # Ok::<(), abreast::columns::ColumnError>(())
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// True if a row has a value. A row that does not exist has none.
    #[inline]
    #[must_use]
    pub fn is_valid(&self, row: usize) -> bool {
        row < self.len()
            && self.validity.is_none_or(|(bitmap, first)| {
                let bit = first + row;
                bitmap.get(bit / 8).is_some_and(|byte| byte >> (bit % 8) & 1 == 1)
            })
    }

    /// Returns the bytes of a row; none if it is null or does not exist.
    #[inline]
    #[must_use]
    pub fn value(&self, row: usize) -> &'a [u8] {
        let [start, end] = self.range(row);
        self.data.get(start..end).unwrap_or_default()
    }

    /// Returns the range of the bytes of a row; a row that is null or does not exist has none.
    #[inline]
    pub(super) fn range(&self, row: usize) -> [usize; 2] {
        if !self.is_valid(row) {
            return [0; 2];
        }
        // Checked: neither negative nor beyond the bytes.
        [row, row + 1].map(|index| self.offsets.at(index).unwrap_or(0) as usize)
    }

    /// All the bytes, of other rows too.
    pub(super) fn data_len(&self) -> usize {
        self.data.len()
    }

    /// The rows that are not null.
    pub(super) fn rows(self) -> impl Iterator<Item = usize> {
        (0..self.len()).filter(move |row| self.is_valid(*row))
    }

    /// Returns the bytes of all rows after a change of their lengths, which depends on the row, unless a `usize` cannot count them.
    pub(super) fn total(&self, len: impl Fn(usize, &[u8]) -> Option<usize>) -> Option<usize> {
        let mut total = 0_usize;
        for row in self.rows() {
            total = total.checked_add(len(row, self.value(row))?)?;
        }
        Some(total)
    }
}

impl core::fmt::Debug for Values<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Values").field("len", &self.len()).finish_non_exhaustive()
    }
}

/// Refuses offsets that are none.
fn check(mut offsets: impl Iterator<Item = i64>, len: usize) -> Result<(), ColumnError> {
    let mut before = offsets.next().ok_or(ColumnError::NoOffsets)?;
    let first = match usize::try_from(before) {
        Ok(first) if first <= len => Ok(()),
        Ok(_) => Err(ColumnError::OffsetPastEnd { row: 0 }),
        Err(_) if before < 0 => Err(ColumnError::OffsetNegative { row: 0 }),
        Err(_) => Err(ColumnError::OffsetPastEnd { row: 0 }),
    };
    first?;
    for (row, offset) in offsets.enumerate() {
        if offset < 0 {
            return Err(ColumnError::OffsetNegative { row });
        }
        if offset < before {
            return Err(ColumnError::OffsetDecreases { row });
        }
        if usize::try_from(offset).map_or(true, |offset| offset > len) {
            return Err(ColumnError::OffsetPastEnd { row });
        }
        before = offset;
    }
    Ok(())
}
