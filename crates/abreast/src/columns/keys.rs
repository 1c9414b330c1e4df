//! The key of a row: one for all, one that is looked up, or one that is made of bytes for as long as it is needed.

use super::ColumnError;
use super::WINDOW;
use super::mode::{Woven, column_modes};
use crate::Error;
use crate::ciphers::aes::{Aes128, Aes192, Aes256};
#[cfg(feature = "serpent")]
use crate::ciphers::serpent::Serpent;
#[cfg(feature = "xtea")]
use crate::ciphers::xtea::Xtea;
use crate::engine::keyed::KeyedCipher;
use crate::modes::{Gcm, Siv};
use alloc::vec::Vec;
use core::fmt;

mod sealed {
    pub trait SealedKey {}
}
use sealed::SealedKey;

/// A key that columns take: a [`Gcm`], a [`Siv`], an `Aez` or an [`Xtea`].
///
/// ```
/// use abreast::columns::{ColumnKey, Weave};
/// use abreast::{aes::Aes128, modes::{Gcm, GcmSiv, Siv}};
///
/// /// Bytes by which each value under such a key becomes longer.
/// fn overhead<K: ColumnKey>() -> usize {
///     Weave::<K::Mode>::OVERHEAD
/// }
/// assert_eq!(overhead::<Gcm<Aes128>>(), 12 + 16);
/// assert_eq!(overhead::<GcmSiv>(), 12 + 16);
/// assert_eq!(overhead::<Siv<Aes128>>(), 16);
/// ```
pub trait ColumnKey: SealedKey {
    /// The mode of a column under such a key.
    type Mode: Woven;
    #[doc(hidden)]
    fn key(&self) -> <Self::Mode as Woven>::Key<'_>;
}

/// The keys of the rows of a column: a reference to one for all rows, a closure from the number of a row to a reference, or
/// [`Keys`] made of bytes.
///
/// ```
/// use abreast::aes::Aes128;
/// use abreast::columns::{ColumnError, Offsets, OffsetsMut, RowKeys, Values, Weave};
/// use abreast::modes::Siv;
///
/// // Over one key for all rows, and over a key for each.
/// fn seal<'k, K: RowKeys<Key = Siv<Aes128>>>(names: &Values<'_>, keys: K) -> Result<Vec<u8>, ColumnError> {
///     let (mut sealed, mut offsets) = (vec![0; Weave::SIV.sealed_len(names)?], [0; 3]);
///     Weave::SIV.seal(names, &[], b"".into(), keys, &mut sealed, OffsetsMut::I32(&mut offsets))?;
///     Ok(sealed)
/// }
/// let names = Values::new(Offsets::I32(&[0, 3, 8]), b"Annbravo")?;
/// let keys = [[1; 32], [2; 32]].map(|key| Siv::<Aes128>::new(&key));
/// let [Ok(first), Ok(second)] = &keys else { panic!("keys of 32 bytes") };
/// let one = seal(&names, first)?;
/// let each = seal(&names, |row: usize| if row == 0 { first } else { second })?;
/// assert!(one[..19] == each[..19] && one[19..] != each[19..]);
/// # Ok::<(), ColumnError>(())
/// ```
pub trait RowKeys {
    /// The type of each key.
    type Key: ColumnKey;
    /// Prepares the keys of one to [`WINDOW`] rows, which are in increasing order, and calls `run` with a key for each row.
    ///
    /// # Errors
    /// [`ColumnError::NoKey`], [`ColumnError::Keys`]; then nothing was run.
    fn with_keys<R>(
        &mut self,
        rows: &[usize],
        run: impl FnOnce(&[&Self::Key]) -> R,
    ) -> Result<R, ColumnError>;
}

/// Runs with references that are looked up row by row.
fn looked_up<'k, K: 'k, R>(rows: &[usize], key: impl Fn(usize) -> &'k K, run: impl FnOnce(&[&K]) -> R) -> R {
    let Some(first) = rows.first() else { return run(&[]) };
    let mut keys = [key(*first); WINDOW];
    for (place, row) in keys.iter_mut().zip(rows).skip(1) {
        *place = key(*row);
    }
    run(&keys[..rows.len().min(WINDOW)])
}

impl<'k, K: ColumnKey + 'k, F: Fn(usize) -> &'k K> RowKeys for F {
    type Key = K;
    fn with_keys<R>(&mut self, rows: &[usize], run: impl FnOnce(&[&K]) -> R) -> Result<R, ColumnError> {
        Ok(looked_up(rows, &*self, run))
    }
}

/// A key that columns take, and a reference to it as the key of all rows.
macro_rules! column_key {
    ([$($parameter:tt)*] $key:ty, $mode:ty) => {
        impl<$($parameter)*> SealedKey for $key {}
        impl<$($parameter)*> ColumnKey for $key {
            type Mode = $mode;
            #[inline]
            fn key(&self) -> <$mode as Woven>::Key<'_> {
                self.into()
            }
        }
        impl<$($parameter)*> RowKeys for &$key {
            type Key = $key;
            fn with_keys<R>(
                &mut self,
                rows: &[usize],
                run: impl FnOnce(&[&$key]) -> R,
            ) -> Result<R, ColumnError> {
                Ok(run(&[*self; WINDOW][..rows.len().min(WINDOW)]))
            }
        }
    };
}
macro_rules! keys {
    ($(
        $(#[$cfg:meta])?
        {
            $weave:ident $doc:literal $mode:ident;
            [$($parameter:tt)*] $type:ty, made [$($len:literal $make:expr),*];
            $($rest:tt)*
        }
    )*) => {$(
        $(#[$cfg])?
        const _: () = {
            column_key!([$($parameter)*] $type, super::mode::$mode);
            $(impl Prepare<$len> for $type {
                fn prepare(places: &mut Vec<Self>, keys: &[&[u8; $len]]) -> Result<(), Error> {
                    let make: fn(&[u8; $len]) -> Result<Self, Error> = $make;
                    places.clear();
                    places.reserve_exact(WINDOW);
                    for key in keys {
                        places.push(make(key)?);
                    }
                    Ok(())
                }
            })*
        };
    )*};
}
column_modes!(keys);

/// A key that is made of `N` bytes, several side by side where that is faster.
///
/// ```
/// use abreast::columns::{ColumnError, Keys, Prepare};
/// use abreast::{aes::Aes128, modes::{Gcm, Siv}};
///
/// /// Bytes of keys, one for each row, of a mode that the caller names.
/// fn keys_of<K: Prepare<N>, const N: usize>(bytes: &[u8]) -> Result<Keys<'_, K, N>, ColumnError> {
///     Keys::new(bytes)
/// }
/// // Three keys of 32 bytes for SIV, or six of 16 for GCM.
/// keys_of::<Siv<Aes128>, 32>(&[7; 96])?;
/// keys_of::<Gcm<Aes128>, 16>(&[7; 96])?;
/// assert_eq!(keys_of::<Gcm<Aes128>, 16>(&[7; 90]).err(), Some(ColumnError::KeyBytes));
/// # Ok::<(), ColumnError>(())
/// ```
pub trait Prepare<const N: usize>: ColumnKey + Sized {
    /// Makes the first of `places` keys of these bytes. There are as many, or places are added.
    #[doc(hidden)]
    fn prepare(places: &mut Vec<Self>, keys: &[&[u8; N]]) -> Result<(), Error>;
}

/// Adds places that have no key yet, for the best kernel.
fn add_blank<C: KeyedCipher, T>(
    variant: u8,
    places: &mut Vec<T>,
    count: usize,
    of: impl Fn(&dyn Fn() -> C) -> T,
) -> Result<(), Error> {
    let kernel = C::best_kernel().ok_or(Error::KernelUnavailable)?;
    let blank = C::blanks(variant, kernel)?;
    // Never more than these, so that no key is ever moved.
    places.reserve_exact(WINDOW.saturating_sub(places.len()));
    while places.len() < count {
        places.push(of(&blank));
    }
    Ok(())
}

macro_rules! prepare {
    ($($cipher:ident $variant:literal, key $key:literal, both $both:literal;)*) => {$(
        impl Prepare<$key> for Gcm<$cipher> {
            fn prepare(places: &mut Vec<Self>, keys: &[&[u8; $key]]) -> Result<(), Error> {
                add_blank($variant, places, keys.len(), |blank| Self::without_powers(blank()))?;
                let ciphers = places.iter_mut().map(Self::cipher_mut);
                $cipher::set_keys(ciphers.zip(keys.iter().map(|key| key.as_slice())));
                places[..keys.len()].iter_mut().for_each(Self::compute_powers);
                Ok(())
            }
        }

        impl Prepare<$both> for Siv<$cipher> {
            fn prepare(places: &mut Vec<Self>, keys: &[&[u8; $both]]) -> Result<(), Error> {
                add_blank($variant, places, keys.len(), |blank| Self::without_subkeys(blank(), blank()))?;
                let ciphers = places.iter_mut().flat_map(Self::ciphers_mut);
                let halves = keys.iter().flat_map(|key| [&key[..$key], &key[$key..]]);
                $cipher::set_keys(ciphers.zip(halves));
                places[..keys.len()].iter_mut().for_each(Self::compute_subkeys);
                Ok(())
            }
        }
    )*};
}
prepare! {
    Aes128 0, key 16, both 32;
    Aes192 0, key 24, both 48;
    Aes256 0, key 32, both 64;
}
#[cfg(feature = "serpent")]
prepare! {
    Serpent 0, key 16, both 32;
    Serpent 1, key 24, both 48;
    Serpent 2, key 32, both 64;
}

/// Little-endian words.
#[cfg(feature = "xtea")]
impl Prepare<16> for Xtea {
    fn prepare(places: &mut Vec<Self>, keys: &[&[u8; 16]]) -> Result<(), Error> {
        add_blank(0, places, keys.len(), |blank| blank())?;
        places.iter_mut().zip(keys).for_each(|(cipher, key)| cipher.set_words(key));
        Ok(())
    }
}

/// Keys of `N` bytes, one after the other in memory, for a mode `P` such as [`Gcm<Aes128>`](Gcm). They are prepared for up to
/// 128 rows at a time, side by side, each once for the rows that share it; the prepared keys are wiped when this is dropped.
///
/// ```
/// use abreast::{aes::Aes128, columns::{Keys, Offsets, OffsetsMut, Values, Weave}, modes::Gcm};
///
/// // Three values of two tenants.
/// let values = Values::new(Offsets::I32(&[0, 3, 3, 8]), b"Annbravo")?;
/// let (raw, tenants) = ([7; 2 * 16], [0, 1, 1]);
/// let keys = Keys::<Gcm<Aes128>, 16>::new(&raw)?.with_indices(&tenants);
/// let mut out = vec![0; Weave::GCM.sealed_len(&values)?];
/// let nonces: Vec<u8> = (0..3 * 12).collect();
/// Weave::GCM.seal(&values, &nonces, b"".into(), keys, &mut out, OffsetsMut::I32(&mut [0; 4]))?;
/// # Ok::<(), abreast::columns::ColumnError>(())
/// ```
pub struct Keys<'a, P, const N: usize> {
    raw: &'a [[u8; N]],
    /// For each row, the number of its key.
    indices: Option<&'a [u32]>,
    prepared: Vec<P>,
}

impl<'a, P: Prepare<N>, const N: usize> Keys<'a, P, N> {
    /// Takes a key for each row.
    ///
    /// # Errors
    /// [`ColumnError::KeyBytes`] if the bytes are not a whole number of keys.
    pub fn new(raw: &'a [u8]) -> Result<Self, ColumnError> {
        match raw.as_chunks() {
            (raw, []) => Ok(Self { raw, indices: None, prepared: Vec::new() }),
            _ => Err(ColumnError::KeyBytes),
        }
    }

    /// Adds the number of the key of each row, null rows included.
    #[must_use]
    pub fn with_indices(self, indices: &'a [u32]) -> Self {
        Self { indices: Some(indices), ..self }
    }

    /// The number of a row's key.
    fn index(&self, row: usize) -> Result<usize, ColumnError> {
        let index = self.indices.map_or(Some(row), |indices| indices.get(row).map(|index| *index as usize));
        index.filter(|index| *index < self.raw.len()).ok_or(ColumnError::NoKey { row })
    }
}

impl<P: Prepare<N>, const N: usize> RowKeys for Keys<'_, P, N> {
    type Key = P;

    fn with_keys<R>(&mut self, rows: &[usize], run: impl FnOnce(&[&P]) -> R) -> Result<R, ColumnError> {
        let Some(&first) = rows.first() else { return Ok(run(&[])) };
        // The different keys, and which of them each row has.
        let mut different = [self.index(first)?; WINDOW];
        let mut which = [0; WINDOW];
        let mut count = 1;
        for (which, row) in which.iter_mut().zip(rows) {
            let index = self.index(*row)?;
            // Rows of their own have keys of their own.
            let known = if self.indices.is_some() || *row == first {
                different[..count].iter().rposition(|known| *known == index)
            } else {
                None
            };
            *which = known.unwrap_or(count);
            if known.is_none() {
                different[count] = index;
                count += 1;
            }
        }
        let mut raw = [&self.raw[different[0]]; WINDOW];
        for (raw, index) in raw.iter_mut().zip(&different[..count]) {
            *raw = &self.raw[*index];
        }
        P::prepare(&mut self.prepared, &raw[..count]).map_err(ColumnError::Keys)?;
        let mut keys = [&self.prepared[0]; WINDOW];
        for (key, which) in keys.iter_mut().zip(&which[..rows.len()]) {
            *key = &self.prepared[*which];
        }
        Ok(run(&keys[..rows.len()]))
    }
}

impl<P, const N: usize> fmt::Debug for Keys<'_, P, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keys").field("count", &self.raw.len()).finish_non_exhaustive()
    }
}
