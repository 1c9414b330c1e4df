//! Values that are encrypted as they lie: nonce, ciphertext and tag of each in one place.

use super::mode::{Woven, column_modes};
use super::values::{OffsetsMut, Values};
use super::windows::{Slot, Tag, in_windows};
use super::{Aad, ColumnError, ColumnKey, Prefixes, RowKeys, check_failed};
use crate::engine::backend::Direction;
use core::cell::RefCell;
use core::marker::PhantomData;

/// A way to encrypt each value of a column to a value that has all that decryption needs but the key.
///
/// | | a value becomes | longer by | equal values | authenticated |
/// |---|---|---|---|---|
/// | [`GCM`](Weave::GCM) | nonce, ciphertext, tag | 28 bytes | differ by the nonce, which must never repeat under a key | yes |
/// | [`AEZ`](Weave::AEZ) | ciphertext | 16 bytes | become equal | yes |
/// | [`GCM_SIV`](Weave::GCM_SIV) | nonce, ciphertext, tag | 28 bytes | differ by the nonce; become equal if it repeats | yes |
/// | [`SIV`](Weave::SIV) | tag, ciphertext | 16 bytes | become equal | yes |
/// | [`CTR`](Weave::CTR), XTEA | first counter block, ciphertext | 8 bytes | differ by the counter block, from which on counters must never repeat under a key | no |
///
/// A null row becomes an empty value; the validity bitmap of the input also holds for the output.
/// [`with_prefixes`](Weave::with_prefixes) puts bytes before each value that say which key it has.
///
/// ```
/// use abreast::{aes::Aes128, columns::{Offsets, OffsetsMut, Values, Weave}, modes::Gcm};
///
/// let keys = [Gcm::from_cipher(Aes128::new(&[1; 16])), Gcm::from_cipher(Aes128::new(&[2; 16]))];
/// let names = Values::new(Offsets::I32(&[0, 3, 8]), b"Annbravo")?;
/// let nonces: [u8; 24] = core::array::from_fn(|i| i as u8);
/// let (mut sealed, mut offsets) = (vec![0; Weave::GCM.sealed_len(&names)?], [0; 3]);
/// // A key of its own for each row.
/// let key_of = |row: usize| &keys[row];
/// Weave::GCM.seal(&names, &nonces, b"".into(), key_of, &mut sealed, OffsetsMut::I32(&mut offsets))?;
/// assert_eq!(offsets, [0, 31, 64]);
/// # Ok::<(), abreast::columns::ColumnError>(())
/// ```
pub struct Weave<'p, M> {
    prefixes: Prefixes<'p>,
    mode: PhantomData<fn() -> M>,
}

macro_rules! constants {
    ($(
        $(#[$cfg:meta])?
        { $weave:ident $doc:literal $mode:ident; $($rest:tt)* }
    )*) => {$(
        $(#[$cfg])?
        impl Weave<'_, super::mode::$mode> {
            #[doc = $doc]
            pub const $weave: Self = Self { prefixes: Prefixes::NONE, mode: PhantomData };
        }
    )*};
}
column_modes!(constants);

impl<'w, M: Woven> Weave<'w, M> {
    /// Bytes by which a value becomes longer, besides its prefix.
    pub const OVERHEAD: usize = M::NONCE + M::TAG;

    /// Returns a way that writes these bytes before each value, and expects them there. They are not authenticated; a value
    /// that does not begin with them does not open.
    #[must_use]
    pub fn with_prefixes<'p>(&self, prefixes: Prefixes<'p>) -> Weave<'p, M> {
        Weave { prefixes, mode: PhantomData }
    }

    /// Returns the change of the lengths of values.
    fn change(&self, direction: Direction) -> Change<'w> {
        Change { prefixes: self.prefixes, overhead: Self::OVERHEAD, direction }
    }

    /// Returns the number of bytes of all values after encryption.
    ///
    /// # Errors
    /// [`ColumnError::OffsetOverflow`] if no `usize` can say it.
    pub fn sealed_len(&self, values: &Values<'_>) -> Result<usize, ColumnError> {
        self.change(Direction::Encrypt).total(values)
    }

    /// Returns the number of bytes of all values after decryption.
    ///
    /// ```
    /// use abreast::columns::{Offsets, Values, Weave};
    ///
    /// // Values of GCM have 28 bytes around them.
    /// let sealed = Values::new(Offsets::I32(&[0, 31, 64]), &[0; 64])?;
    /// assert_eq!(Weave::GCM.opened_len(&sealed)?, 3 + 5);
    /// # Ok::<(), abreast::columns::ColumnError>(())
    /// ```
    ///
    /// # Errors
    /// [`ColumnError::OffsetOverflow`] if no `usize` can say it.
    pub fn opened_len(&self, values: &Values<'_>) -> Result<usize, ColumnError> {
        self.change(Direction::Decrypt).total(values)
    }

    /// Encrypts the values of a column into the beginning of `out`, one after the other, and writes their offsets, the first of
    /// which is 0. `nonces` has the nonces of all rows, null ones too, 12 bytes each with GCM, 8 with CTR, and is empty with
    /// the others.
    ///
    /// # Errors
    /// [`ColumnError::OffsetsLength`], [`ColumnError::OffsetOverflow`], [`ColumnError::OutputLength`] if `out` is shorter
    /// than [`sealed_len`](Self::sealed_len), [`ColumnError::NonceLength`], [`ColumnError::AssociatedData`],
    /// [`ColumnError::AssociatedDataRows`]; then nothing was written. [`ColumnError::NoKey`], [`ColumnError::Keys`],
    /// [`ColumnError::Row`] if a value is longer than the mode allows; then the contents of `out` and of the offsets are
    /// of no use.
    pub fn seal<K: RowKeys<Key: ColumnKey<Mode = M>>>(
        &self,
        values: &Values<'_>,
        nonces: &[u8],
        aad: Aad<'_>,
        mut keys: K,
        out: &mut [u8],
        mut offsets_out: OffsetsMut<'_>,
    ) -> Result<(), ColumnError> {
        self.prefixes.check(values)?;
        let total = offsets_out.check(values.len(), self.sealed_len(values).ok())?;
        let out = out.get_mut(..total).ok_or(ColumnError::OutputLength)?;
        if Some(nonces.len()) != values.len().checked_mul(M::NONCE) {
            return Err(ColumnError::NonceLength);
        }
        aad.check::<M>(values)?;
        self.change(Direction::Encrypt).write_offsets(values, &mut offsets_out);
        let mut rest = out;
        let slots = values.rows().map(|row| {
            let (input, prefix) = (values.value(row), self.prefixes.of(row));
            if !prefix.is_empty() {
                rest.split_off_mut(..prefix.len()).unwrap_or_default().copy_from_slice(prefix);
            }
            let [nonce_out, front, output, back] = [
                M::NONCE,
                if M::TAG_FIRST { M::TAG } else { 0 },
                input.len(),
                if M::TAG_FIRST { 0 } else { M::TAG },
            ]
            .map(|len| rest.split_off_mut(..len).unwrap_or_default());
            let nonce = &nonces[row * M::NONCE..][..M::NONCE];
            nonce_out.copy_from_slice(nonce);
            let tag = Tag::Write(if M::TAG_FIRST { front } else { back });
            Slot { row, nonce, aad: aad.of(row), input, output, tag }
        });
        let mut refused = None;
        in_windows::<M, K>(Direction::Encrypt, slots, &mut keys, |slot, result| {
            if let Err(error) = result {
                refused = refused.or(Some(ColumnError::Row { row: slot.row, error }));
            }
        })?;
        refused.map_or(Ok(()), Err)
    }

    /// Decrypts the values of a column that [`seal`](Self::seal) made, and returns how many rows did not authenticate. They
    /// are those whose bit in `failed` is 1, the lowest bit of a byte first; their output is zeros, as long as the value
    /// would be. A value that is too short to be one has no output.
    ///
    /// # Errors
    /// As for [`seal`](Self::seal), and [`ColumnError::FailedLength`] if `failed` does not have a bit for each row in as few
    /// bytes as that takes. Without authentication ([`CTR`](Weave::CTR)), only values that are too short fail.
    pub fn open<K: RowKeys<Key: ColumnKey<Mode = M>>>(
        &self,
        values: &Values<'_>,
        aad: Aad<'_>,
        mut keys: K,
        out: &mut [u8],
        mut offsets_out: OffsetsMut<'_>,
        failed: &mut [u8],
    ) -> Result<usize, ColumnError> {
        self.prefixes.check(values)?;
        let total = offsets_out.check(values.len(), self.opened_len(values).ok())?;
        let out = out.get_mut(..total).ok_or(ColumnError::OutputLength)?;
        aad.check::<M>(values)?;
        check_failed(failed, values.len())?;
        self.change(Direction::Decrypt).write_offsets(values, &mut offsets_out);
        let refused = RefCell::new((failed, 0));
        let refuse = |row: usize| {
            let (failed, count) = &mut *refused.borrow_mut();
            failed[row / 8] |= 1 << (row % 8);
            *count += 1;
        };
        let mut rest = out;
        let slots = values.rows().filter_map(|row| {
            let (value, prefix) = (values.value(row), self.prefixes.of(row));
            // Without prefixes nothing is compared: a call of `memcmp` for no bytes takes longer than all else.
            let body = if prefix.is_empty() { Some(value) } else { value.strip_prefix(prefix) };
            let Some(body) = body.filter(|body| body.len() >= Self::OVERHEAD) else {
                refuse(row);
                // A wrong prefix has room in the output.
                let len = self.change(Direction::Decrypt).len(row, value).unwrap_or(0);
                rest.split_off_mut(..len).unwrap_or_default().fill(0);
                return None;
            };
            let (nonce, sealed) = body.split_at(M::NONCE);
            let (tag, input) = if M::TAG_FIRST {
                sealed.split_at(M::TAG)
            } else {
                let (input, tag) = sealed.split_at(sealed.len() - M::TAG);
                (tag, input)
            };
            let output = rest.split_off_mut(..input.len()).unwrap_or_default();
            Some(Slot { row, nonce, aad: aad.of(row), input, output, tag: Tag::Read(tag) })
        });
        in_windows::<M, K>(Direction::Decrypt, slots, &mut keys, |slot, result| {
            if result.is_err() {
                slot.output.fill(0);
                refuse(slot.row);
            }
        })?;
        Ok(refused.into_inner().1)
    }
}

/// The change of the lengths of values, which is one for all modes but for a number, so that its loops are there once.
struct Change<'a> {
    prefixes: Prefixes<'a>,
    /// Bytes of nonce and tag.
    overhead: usize,
    direction: Direction,
}

impl Change<'_> {
    /// The length of the value of a row, unless a `usize` cannot say it.
    #[inline]
    fn len(&self, row: usize, value: &[u8]) -> Option<usize> {
        let more = self.prefixes.of(row).len() + self.overhead;
        match self.direction {
            Direction::Encrypt => value.len().checked_add(more),
            Direction::Decrypt => Some(value.len().saturating_sub(more)),
        }
    }

    /// Returns the bytes of all values.
    #[inline(never)]
    fn total(&self, values: &Values<'_>) -> Result<usize, ColumnError> {
        values.total(|row, value| self.len(row, value)).ok_or(ColumnError::OffsetOverflow)
    }

    /// Writes where values begin and end; all was checked.
    #[inline(never)]
    fn write_offsets(&self, values: &Values<'_>, offsets: &mut OffsetsMut<'_>) {
        let mut at = 0;
        offsets.set(0, 0);
        for row in 0..values.len() {
            if values.is_valid(row) {
                at += self.len(row, values.value(row)).unwrap_or(0);
            }
            offsets.set(row + 1, at);
        }
    }
}

impl<M> Clone for Weave<'_, M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M> Copy for Weave<'_, M> {}

impl<M> core::fmt::Debug for Weave<'_, M> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Weave").finish_non_exhaustive()
    }
}
