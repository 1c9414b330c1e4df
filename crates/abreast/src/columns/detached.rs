//! Values that keep their lengths: nonces and tags are apart.

use super::mode::Woven;
use super::values::Values;
use super::windows::{Slot, Tag, in_windows};
use super::{Aad, ColumnError, ColumnKey, RowKeys, check_failed};
use crate::engine::backend::Direction;

/// The mode of the keys of rows.
type ModeOf<K> = <<K as RowKeys>::Key as ColumnKey>::Mode;

/// A column whose values stay where they are: the output has the offsets of the input. The key determines the mode, as for
/// a [`Weave`](super::Weave): GCM, SIV, AEZ, or XTEA in counter mode.
///
/// ```
/// use abreast::{aes::Aes128, columns::{Column, Offsets, Values}, modes::Gcm};
///
/// let key = Gcm::from_cipher(Aes128::new(&[7; 16]));
/// let (offsets, nonces) = ([0, 3, 3, 8], (0..3 * 12).collect::<Vec<u8>>());
/// let (mut output, mut tags) = ([0; 8], [0; 3 * 16]);
/// let values = Values::new(Offsets::I32(&offsets), b"Annbravo")?;
/// Column { values, output: &mut output, nonces: &nonces, tags: &mut tags, aad: b"".into() }.encrypt(&key)?;
///
/// let (mut opened, mut failed) = ([0; 8], [0]);
/// let values = Values::new(Offsets::I32(&offsets), &output)?;
/// let column = Column { values, output: &mut opened, nonces: &nonces, tags: &mut tags, aad: b"".into() };
/// assert_eq!(column.decrypt(&key, &mut failed)?, 0);
/// assert_eq!(&opened, b"Annbravo");
/// # Ok::<(), abreast::columns::ColumnError>(())
/// ```
#[derive(Debug)]
pub struct Column<'a> {
    /// The input.
    pub values: Values<'a>,
    /// The output, as long as all the bytes of `values`. Bytes of no row, and those of null rows, stay as they are.
    pub output: &'a mut [u8],
    /// 12 bytes for each row with GCM and 8 with XTEA, null rows too; none with SIV and AEZ.
    pub nonces: &'a [u8],
    /// 16 bytes for each row, null ones too, and none with XTEA: written by encryption, read by decryption.
    pub tags: &'a mut [u8],
    /// Associated data: authenticated, not encrypted.
    pub aad: Aad<'a>,
}

impl Column<'_> {
    /// Encrypts the values and writes their tags.
    ///
    /// # Errors
    /// [`ColumnError::OutputLength`], [`ColumnError::NonceLength`], [`ColumnError::TagLength`],
    /// [`ColumnError::AssociatedData`], [`ColumnError::AssociatedDataRows`]; then nothing was written. [`ColumnError::NoKey`],
    /// [`ColumnError::Keys`], [`ColumnError::Row`]; then the output is of no use.
    pub fn encrypt<K: RowKeys>(self, mut keys: K) -> Result<(), ColumnError> {
        self.check::<ModeOf<K>>()?;
        let (nonce_len, tag_len) = (ModeOf::<K>::NONCE, ModeOf::<K>::TAG);
        let (aad, values) = (self.aad, self.values);
        let mut tags = Places { rest: self.tags, at: 0 };
        let mut places = Places { rest: self.output, at: 0 };
        let slots = values.rows().map(|row| {
            let tag = tags.next([row * tag_len, (row + 1) * tag_len]);
            let (input, nonce) = (values.value(row), &self.nonces[row * nonce_len..][..nonce_len]);
            let output = places.next(values.range(row));
            Slot { row, nonce, aad: aad.of(row), input, output, tag: Tag::Write(tag) }
        });
        let mut refused = None;
        in_windows::<ModeOf<K>, K>(Direction::Encrypt, slots, &mut keys, |slot, result| {
            if let Err(error) = result {
                refused = refused.or(Some(ColumnError::Row { row: slot.row, error }));
            }
        })?;
        refused.map_or(Ok(()), Err)
    }

    /// Decrypts the values whose tags are right, fills the others with zeros, and returns how many these are. Their bits in
    /// `failed` are 1, the lowest bit of a byte first. XTEA in counter mode has no tags, and **authenticates nothing**.
    ///
    /// # Errors
    /// As for [`encrypt`](Self::encrypt), and [`ColumnError::FailedLength`].
    pub fn decrypt<K: RowKeys>(self, mut keys: K, failed: &mut [u8]) -> Result<usize, ColumnError> {
        self.check::<ModeOf<K>>()?;
        let (nonce_len, tag_len) = (ModeOf::<K>::NONCE, ModeOf::<K>::TAG);
        let (aad, values, tags) = (self.aad, self.values, &*self.tags);
        check_failed(failed, values.len())?;
        let mut places = Places { rest: self.output, at: 0 };
        let slots = values.rows().map(|row| {
            let (input, nonce) = (values.value(row), &self.nonces[row * nonce_len..][..nonce_len]);
            let (output, tag) = (places.next(values.range(row)), &tags[row * tag_len..][..tag_len]);
            Slot { row, nonce, aad: aad.of(row), input, output, tag: Tag::Read(tag) }
        });
        let mut count = 0;
        in_windows::<ModeOf<K>, K>(Direction::Decrypt, slots, &mut keys, |slot, result| {
            if result.is_err() {
                slot.output.fill(0);
                failed[slot.row / 8] |= 1 << (slot.row % 8);
                count += 1;
            }
        })?;
        Ok(count)
    }

    fn check<M: Woven>(&self) -> Result<(), ColumnError> {
        let rows = self.values.len();
        if self.output.len() != self.values.data_len() {
            return Err(ColumnError::OutputLength);
        }
        if Some(self.nonces.len()) != rows.checked_mul(M::NONCE) {
            return Err(ColumnError::NonceLength);
        }
        if Some(self.tags.len()) != rows.checked_mul(M::TAG) {
            return Err(ColumnError::TagLength);
        }
        self.aad.check::<M>(&self.values)
    }
}

/// An output, of values or of tags, from which the places of rows are taken in their order.
struct Places<'a> {
    rest: &'a mut [u8],
    /// The beginning of the rest.
    at: usize,
}

impl<'a> Places<'a> {
    /// The place of the next row; bytes before it stay as they are.
    fn next(&mut self, [start, end]: [usize; 2]) -> &'a mut [u8] {
        let _ = self.rest.split_off_mut(..start.saturating_sub(self.at));
        self.at = end;
        self.rest.split_off_mut(..end.saturating_sub(start)).unwrap_or_default()
    }
}
