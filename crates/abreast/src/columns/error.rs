//! Errors of columns.

use crate::Error;
use core::fmt;

/// The reason why a column was refused. Nothing was written then, except for [`Row`](Self::Row).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ColumnError {
    /// There are no offsets; a column of no rows has one.
    NoOffsets,
    /// An offset of this row is negative.
    OffsetNegative {
        /// The row.
        row: usize,
    },
    /// This row ends before it begins.
    OffsetDecreases {
        /// The row.
        row: usize,
    },
    /// An offset of this row is beyond the bytes of the column.
    OffsetPastEnd {
        /// The row.
        row: usize,
    },
    /// The validity bitmap has fewer bits than the column has rows.
    ValidityLength,
    /// The output offsets are not one more than the rows.
    OffsetsLength,
    /// The output has more bytes than its offsets can say.
    OffsetOverflow,
    /// The output is too short, or, for a [`Column`](super::Column), not as long as the input.
    OutputLength,
    /// The nonces are not as many bytes for each row as the mode takes.
    NonceLength,
    /// The tags are not as many bytes for each row as the mode has.
    TagLength,
    /// The mode authenticates nothing and takes no associated data.
    AssociatedData,
    /// The column of associated data has another number of rows.
    AssociatedDataRows,
    /// The numbers of the prefixes of rows are not as many as the rows.
    PrefixRows,
    /// The bitmap of failed rows does not have a bit for each row, in as few bytes as that takes.
    FailedLength,
    /// The bytes of the keys are not a whole number of keys.
    KeyBytes,
    /// There is no key for this row.
    NoKey {
        /// The row.
        row: usize,
    },
    /// This row cannot be encrypted. Rows before it may have been written.
    Row {
        /// The row.
        row: usize,
        /// Why.
        error: Error,
    },
    /// The keys cannot be prepared.
    Keys(Error),
}

impl fmt::Display for ColumnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoOffsets => f.write_str("the column has no offsets, not even the first"),
            Self::OffsetNegative { row } => write!(f, "an offset of row {row} is negative"),
            Self::OffsetDecreases { row } => write!(f, "row {row} ends before it begins"),
            Self::OffsetPastEnd { row } => {
                write!(f, "an offset of row {row} is beyond the bytes of the column")
            }
            Self::ValidityLength => {
                f.write_str("the validity bitmap has fewer bits than the column has rows")
            }
            Self::OffsetsLength => f.write_str("the output does not have one more offset than rows"),
            Self::OffsetOverflow => f.write_str("the output has more bytes than its offsets can say"),
            Self::OutputLength => f.write_str("the output length does not match the column"),
            Self::NonceLength => {
                f.write_str("the nonces have not the length that the mode takes for each row")
            }
            Self::TagLength => f.write_str("the tags have not the length that the mode takes for each row"),
            Self::AssociatedData => {
                f.write_str("the mode authenticates nothing and takes no associated data")
            }
            Self::AssociatedDataRows => {
                f.write_str("the column of associated data has another number of rows")
            }
            Self::PrefixRows => f.write_str("the numbers of prefixes are not as many as the rows"),
            Self::FailedLength => f.write_str("the length of the failed-row bitmap does not match the rows"),
            Self::KeyBytes => f.write_str("the bytes of the keys are not a whole number of keys"),
            Self::NoKey { row } => write!(f, "there is no key for row {row}"),
            Self::Row { row, error } => write!(f, "row {row}: {error}"),
            Self::Keys(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for ColumnError {}
