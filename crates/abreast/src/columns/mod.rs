//! Columns of values, each encrypted by itself: the columns of tables in analytic programs and data lakes.
//!
//! [`Values`] are offsets and bytes, as Arrow's columnar format has them, with nulls. [`Weave`] encrypts them to another
//! column of the same shape, in which each value has its nonce and tag beside it; [`Column`] keeps lengths and offsets, with
//! nonces and tags apart. [`RowKeys`] is one key for all rows, or one for each. Rows are done in windows of [`WINDOW`], each a
//! batch of [`packets`](crate::packets), and nothing is allocated for a value.
//!
//! ```
//! use abreast::{aes::Aes256, columns::{Offsets, OffsetsMut, Values, Weave}, modes::Siv};
//!
//! let key = Siv::<Aes256>::new(&[7; 64]).map_err(abreast::columns::ColumnError::Keys)?;
//! let names = Values::new(Offsets::I32(&[0, 3, 3, 8]), b"Annbravo")?;
//!
//! let (mut sealed, mut offsets) = (vec![0; Weave::SIV.sealed_len(&names)?], [0; 4]);
//! Weave::SIV.seal(&names, &[], b"users.name".into(), &key, &mut sealed, OffsetsMut::I32(&mut offsets))?;
//! assert_eq!(offsets, [0, 19, 35, 56]);
//!
//! let column = Values::new(Offsets::I32(&offsets), &sealed)?;
//! let (mut opened, mut offsets, mut failed) = ([0; 8], [0; 4], [0]);
//! let offsets_out = OffsetsMut::I32(&mut offsets);
//! let count = Weave::SIV.open(&column, b"users.name".into(), &key, &mut opened, offsets_out, &mut failed)?;
//! assert_eq!((count, &opened, offsets), (0, b"Annbravo", [0, 3, 3, 8]));
//! # Ok::<(), abreast::columns::ColumnError>(())
//! ```

mod detached;
mod error;
mod keys;
mod mode;
mod prefix;
mod values;
mod weave;
mod windows;

pub use detached::Column;
pub use error::ColumnError;
pub use keys::{ColumnKey, Keys, Prepare, RowKeys};
pub use mode::*;
pub use prefix::Prefixes;
pub use values::{Offsets, OffsetsMut, Values};
pub use weave::Weave;

/// Rows that are done at a time: as many as a batch sorts.
pub const WINDOW: usize = crate::packets::WINDOW;

/// The associated data of a column: one string for all rows, or another column with one for each. A null is an empty string.
///
/// ```
/// use abreast::columns::{Aad, Offsets, Values};
///
/// let all_rows = Aad::from(b"users.name");
/// let ids = Values::new(Offsets::I32(&[0, 3, 6]), b"id1id2")?;
/// assert!(matches!((all_rows, Aad::from(ids)), (Aad::One(b"users.name"), Aad::PerRow(_))));
/// # Ok::<(), abreast::columns::ColumnError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub enum Aad<'a> {
    /// For all rows.
    One(&'a [u8]),
    /// For each row.
    PerRow(Values<'a>),
}

impl<'a> From<&'a [u8]> for Aad<'a> {
    fn from(string: &'a [u8]) -> Self {
        Self::One(string)
    }
}

impl<'a, const N: usize> From<&'a [u8; N]> for Aad<'a> {
    fn from(string: &'a [u8; N]) -> Self {
        Self::One(string)
    }
}

impl<'a> From<Values<'a>> for Aad<'a> {
    fn from(values: Values<'a>) -> Self {
        Self::PerRow(values)
    }
}

impl<'a> Aad<'a> {
    /// Returns the associated data of a row.
    #[inline]
    fn of(&self, row: usize) -> &'a [u8] {
        match self {
            Self::One(string) => string,
            Self::PerRow(values) => values.value(row),
        }
    }

    /// Refuses another number of rows, and associated data where nothing is authenticated.
    fn check<M: Woven>(&self, values: &Values<'_>) -> Result<(), ColumnError> {
        match self {
            Self::One([]) => Ok(()),
            _ if M::TAG == 0 => Err(ColumnError::AssociatedData),
            Self::PerRow(strings) if strings.len() != values.len() => Err(ColumnError::AssociatedDataRows),
            Self::One(_) | Self::PerRow(_) => Ok(()),
        }
    }
}

/// Refuses a bitmap of another length, and clears it.
fn check_failed(failed: &mut [u8], rows: usize) -> Result<(), ColumnError> {
    if failed.len() != rows.div_ceil(8) {
        return Err(ColumnError::FailedLength);
    }
    failed.fill(0);
    Ok(())
}
