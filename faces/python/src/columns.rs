//! Columns of values: `abreast.columns`, on `abreast::columns`.

use abreast::aes::{Aes128, Aes192, Aes256};
use abreast::columns::{
    Aad, ColumnError, ColumnKey, Keys, Offsets, OffsetsMut, RowKeys, Values, Weave, Woven,
};
use abreast::modes::{CounterWidth, Ctr, Gcm};
use abreast::xtea::Xtea;
use pyo3::exceptions::{PyOSError, PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyList, PyTuple, PyType};
use zeroize::Zeroizing;

use crate::aead::Aead;
use crate::aead_mode::{GcmMode, Mode};
use crate::buffers::{Input, NewBytes, release};
use crate::errors;
use crate::numbers::number;
use crate::signals::Watch;
use crate::siv::AesSiv;

/// Many keys of AES-GCM as they are, 16, 24 or 32 bytes each, which are prepared as columns need them.
#[pyclass(name = "AESGCMKeys", module = "abreast.columns", frozen)]
pub(crate) struct AesGcmKeys {
    raw: Zeroizing<Vec<u8>>,
    size: usize,
}

/// Many keys of XTEA as they are, 16 bytes each, with words in little-endian order.
#[pyclass(name = "XTEAKeys", module = "abreast.columns", frozen)]
pub(crate) struct XteaKeys {
    raw: Zeroizing<Vec<u8>>,
}

/// A copy of keys that lie one after the other.
fn raw_keys(raw: &[u8], size: usize) -> PyResult<Zeroizing<Vec<u8>>> {
    if raw.is_empty() || !raw.len().is_multiple_of(size) {
        let len = raw.len();
        return Err(PyValueError::new_err(format!(
            "keys of {size} bytes one after the other have not {len} bytes"
        )));
    }
    Ok(Zeroizing::new(raw.to_vec()))
}

#[pymethods]
impl AesGcmKeys {
    #[new]
    #[pyo3(signature = (raw, *, key_size))]
    fn new(raw: Input<'_>, #[pyo3(from_py_with = number)] key_size: usize) -> PyResult<Self> {
        if ![16, 24, 32].contains(&key_size) {
            return Err(PyValueError::new_err("key_size is 16, 24 or 32"));
        }
        Ok(Self { raw: raw_keys(&raw, key_size)?, size: key_size })
    }

    fn __len__(&self) -> usize {
        self.raw.len() / self.size
    }
}

#[pymethods]
impl XteaKeys {
    #[new]
    fn new(raw: Input<'_>) -> PyResult<Self> {
        Ok(Self { raw: raw_keys(&raw, 16)? })
    }

    pub(crate) fn __len__(&self) -> usize {
        self.raw.len() / 16
    }
}

impl XteaKeys {
    /// The keys, as they are prepared for up to [`columns::WINDOW`](abreast::columns::WINDOW) messages at a time.
    pub(crate) fn keys(&self) -> PyResult<Keys<'_, Xtea, 16>> {
        Keys::new(&self.raw).map_err(of)
    }
}

/// An error of a column as an exception.
#[cold]
pub(crate) fn of(error: ColumnError) -> PyErr {
    match error {
        ColumnError::OffsetOverflow => PyOverflowError::new_err(
            "the result has 2 GiB or more, and offsets of 32 bits end there; use offsets of 64 bits (large_binary)",
        ),
        error => PyValueError::new_err(error.to_string()),
    }
}

/// A column as it came from Python: objects that are held, and their buffers.
pub(crate) struct Column {
    offsets: Input<'static>,
    data: Input<'static>,
    validity: Option<Input<'static>>,
    validity_offset: usize,
}

impl<'py> FromPyObject<'_, 'py> for Column {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        type Items<'py> =
            (Bound<'py, PyAny>, Bound<'py, PyAny>, Option<Bound<'py, PyAny>>, Bound<'py, PyAny>);
        let (offsets, data, validity, validity_offset): Items<'py> = object.extract()?;
        Ok(Self {
            offsets: Input::exported(&offsets)?,
            data: Input::exported(&data)?,
            validity: validity.map(|bitmap| Input::exported(&bitmap)).transpose()?,
            validity_offset: number(&validity_offset)?,
        })
    }
}

impl Column {
    /// The column of an object, if it is an `abreast.columns.Values`.
    pub(crate) fn of(object: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        // Python's own lists and tuples are none, and their classes are cheaper to look at.
        if object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>() {
            return Ok(None);
        }
        if !object.is_instance(CLASS.import(object.py(), "abreast.columns", "Values")?)? {
            return Ok(None);
        }
        object.call_method0("_parts")?.extract().map(Some)
    }

    /// True if there may be nulls.
    pub(crate) fn has_nulls(&self) -> bool {
        self.validity.is_some()
    }

    /// Offsets of the width that those of this column have: 0, and then where each value ends.
    ///
    /// # Errors
    /// `OverflowError` if they are too narrow.
    pub(crate) fn offsets_like<'py>(&self, py: Python<'py>, ends: &[usize]) -> PyResult<Bound<'py, PyBytes>> {
        let width = self.offsets.item_size();
        let mut offsets = NewBytes::new(py, (ends.len() + 1) * width)?;
        let all = std::iter::once(&0).chain(ends);
        if width == 4 {
            for (place, end) in offsets.numbers::<i32>()?.iter_mut().zip(all) {
                *place = i32::try_from(*end).map_err(|_| of(ColumnError::OffsetOverflow))?;
            }
        } else {
            for (place, end) in offsets.numbers::<i64>()?.iter_mut().zip(all) {
                *place = i64::try_from(*end).map_err(|_| of(ColumnError::OffsetOverflow))?;
            }
        }
        Ok(offsets.finish())
    }

    pub(crate) fn values(&self) -> PyResult<Values<'_>> {
        let offsets = match self.offsets.item_size() {
            4 if self.offsets.items_are("il") => Offsets::I32(self.offsets.numbers()?),
            8 if self.offsets.items_are("lq") => Offsets::I64(self.offsets.numbers()?),
            _ => {
                return Err(PyTypeError::new_err(
                    "offsets are whole numbers of 32 or 64 bits with sign, such as memoryview(b).cast('i')",
                ));
            }
        };
        let values = Values::new(offsets, &self.data).map_err(of)?;
        match &self.validity {
            None => Ok(values),
            Some(bitmap) => values.with_validity(bitmap, self.validity_offset).map_err(of),
        }
    }
}

/// The keys of rows, with a look at signals whenever some are made ready.
struct Watched<'w, K> {
    keys: K,
    watch: Watch,
    /// The exception of a signal's handler.
    raised: &'w mut Option<PyErr>,
}

impl<K: RowKeys> RowKeys for Watched<'_, K> {
    type Key = K::Key;

    fn with_keys<R>(
        &mut self,
        rows: &[usize],
        run: impl FnOnce(&[&Self::Key]) -> R,
    ) -> Result<R, ColumnError> {
        if let Err(raised) = self.watch.look() {
            *self.raised = Some(raised);
            // Ends the work; the caller raises the exception of the handler.
            return Err(ColumnError::NoKey { row: rows.first().copied().unwrap_or_default() });
        }
        self.keys.with_keys(rows, run)
    }
}

/// The parts of a column that was made: offsets, bytes and validity.
type Made<'py> = (Bound<'py, PyBytes>, Bound<'py, PyBytes>, Option<Bound<'py, PyBytes>>);

/// A column that is sealed or opened.
struct Work<'a, 'py> {
    py: Python<'py>,
    column: &'a Column,
    values: Values<'a>,
    aad: Aad<'a>,
    /// For sealing: the nonces, or none for random ones.
    nonces: Option<&'a [u8]>,
    key_index: Option<&'a [u32]>,
    opening: bool,
    /// Rows that are not authentic become null.
    to_null: bool,
}

/// Nonces of the system's random bytes, stretched by AES-256 in counter mode, which is faster for many.
fn random_nonces(len: usize) -> PyResult<Vec<u8>> {
    let mut seed = Zeroizing::new([0; 48]);
    getrandom::fill(&mut *seed)
        .map_err(|error| PyOSError::new_err(format!("the system gives no random bytes: {error}")))?;
    let (key, counter) = seed.split_first_chunk::<32>().unwrap_or_else(|| unreachable!("48 bytes have 32"));
    let mut nonces = vec![0; len];
    Ctr::from_cipher(Aes256::new(key), counter, CounterWidth::Bits128)
        .and_then(|mut stream| stream.apply(&mut nonces[..]))
        .map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(nonces)
}

impl<'py> Work<'_, 'py> {
    fn run<M: Woven, K>(self, weave: Weave<M>, keys: K) -> PyResult<Made<'py>>
    where
        K: RowKeys<Key: ColumnKey<Mode = M>> + Send,
    {
        let (py, rows, size) = (self.py, self.values.len(), self.column.offsets.item_size());
        let random;
        let nonces = match self.nonces {
            Some(nonces) => nonces,
            None => {
                random = random_nonces(if self.opening { 0 } else { rows * M::NONCE })?;
                &random
            }
        };
        let values = &self.values;
        let total =
            if self.opening { weave.opened_len(values) } else { weave.sealed_len(values) }.map_err(of)?;
        if size == 4 && i32::try_from(total).is_err() {
            return Err(of(ColumnError::OffsetOverflow));
        }
        let mut offsets = NewBytes::new(py, (rows + 1) * size)?;
        let mut data = NewBytes::new(py, total)?;
        let mut failed = vec![0; rows.div_ceil(8)];
        let places =
            if size == 4 { OffsetsMut::I32(offsets.numbers()?) } else { OffsetsMut::I64(offsets.numbers()?) };
        let (aad, out, failed_out) = (self.aad, data.as_mut(), &mut failed[..]);
        let mut raised = None;
        let keys = Watched { keys, watch: Watch::new(), raised: &mut raised };
        let done = release(py, total, || {
            if self.opening {
                weave.open(values, aad, keys, out, places, failed_out)
            } else {
                weave.seal(values, nonces, aad, keys, out, places).map(|()| 0)
            }
        });
        if let Some(raised) = raised {
            return Err(raised);
        }
        let count = done.map_err(of)?;
        if count > 0 && !self.to_null {
            let refused = |row: &usize| failed[row / 8] >> (row % 8) & 1 == 1;
            return Err(errors::invalid_rows(py, (0..rows).filter(refused).collect()));
        }
        let validity = if self.column.validity.is_some() || count > 0 {
            let mut bitmap = vec![0; rows.div_ceil(8)];
            for row in (0..rows).filter(|row| values.is_valid(*row) && failed[row / 8] >> (row % 8) & 1 == 0)
            {
                bitmap[row / 8] |= 1 << (row % 8);
            }
            Some(PyBytes::new(py, &bitmap))
        } else {
            None
        };
        Ok((offsets.finish(), data.finish(), validity))
    }

    /// One key for all rows.
    fn one_key(&self) -> PyResult<()> {
        match self.key_index {
            None => Ok(()),
            Some(_) => {
                Err(PyValueError::new_err("key_index is for many keys, and there is one for all rows"))
            }
        }
    }

    /// With the keys that Python has in one object.
    fn with(self, key: &Bound<'_, PyAny>) -> PyResult<Made<'py>> {
        if let Ok(aead) = key.cast::<Aead>() {
            self.one_key()?;
            let aead = aead.get();
            if aead.tag_len != 16 {
                return Err(PyValueError::new_err(
                    "the values of a column have tags of 16 bytes; make the key without tag_length",
                ));
            }
            return match &aead.mode {
                Mode::Gcm(gcm) => self.run(Weave::GCM, &***gcm),
                Mode::Aez(aez) => self.run(Weave::AEZ, &***aez),
                Mode::Eax(_) | Mode::Other(_) => Err(unknown(key)),
            };
        }
        if let Ok(siv) = key.cast::<AesSiv>() {
            self.one_key()?;
            return self.run(Weave::SIV, &siv.get().siv);
        }
        if let Ok(keys) = key.cast::<XteaKeys>() {
            let keys = keys.get().keys()?;
            return match self.key_index {
                Some(index) => self.run(Weave::CTR, keys.with_indices(index)),
                None => self.run(Weave::CTR, keys),
            };
        }
        if let Ok(keys) = key.cast::<AesGcmKeys>() {
            let keys = keys.get();
            return match keys.size {
                16 => self.raw_gcm(Keys::<Gcm<Aes128>, 16>::new(&keys.raw).map_err(of)?),
                24 => self.raw_gcm(Keys::<Gcm<Aes192>, 24>::new(&keys.raw).map_err(of)?),
                _ => self.raw_gcm(Keys::<Gcm<Aes256>, 32>::new(&keys.raw).map_err(of)?),
            };
        }
        self.with_sequence(key)
    }

    fn raw_gcm<P, const N: usize>(self, keys: Keys<'_, P, N>) -> PyResult<Made<'py>>
    where
        P: abreast::columns::Prepare<N> + ColumnKey<Mode = abreast::columns::InGcm> + Send + Sync,
    {
        match self.key_index {
            Some(index) => self.run(Weave::GCM, keys.with_indices(index)),
            None => self.run(Weave::GCM, keys),
        }
    }

    /// A sequence of keys of GCM, and which of them each row has.
    fn with_sequence(self, key: &Bound<'_, PyAny>) -> PyResult<Made<'py>> {
        let keys: Vec<Bound<'_, PyAny>> =
            key.try_iter().map_err(|_| unknown(key))?.collect::<PyResult<_>>()?;
        let gcm = |key: &Bound<'_, PyAny>| match key.cast::<Aead>().map(|aead| aead.get().mode.clone()) {
            Ok(Mode::Gcm(gcm)) => Ok(gcm),
            _ => Err(unknown(key)),
        };
        let keys: Vec<_> = keys.iter().map(gcm).collect::<PyResult<_>>()?;
        let keys: Vec<&GcmMode> = keys.iter().map(|key| &***key).collect();
        let (index, rows) = (self.key_index, self.values.len());
        let count = index.map_or(keys.len(), <[u32]>::len);
        if count < rows {
            return Err(PyValueError::new_err(format!(
                "there are {rows} rows and keys for {count}; pass key_index"
            )));
        }
        if let Some(row) = index.and_then(|index| index.iter().position(|at| *at as usize >= keys.len())) {
            return Err(PyValueError::new_err(format!("there is no key for row {row}")));
        }
        self.run(Weave::GCM, move |row: usize| keys[index.map_or(row, |index| index[row] as usize)])
    }
}

#[cold]
fn unknown(key: &Bound<'_, PyAny>) -> PyErr {
    let name = errors::class_of(key);
    PyTypeError::new_err(format!(
        "a column takes an AESGCM, SerpentGCM, AESSIV, AEZ, AESGCMKeys, XTEAKeys, or an iterable of AESGCM, and not {name}"
    ))
}

/// Associated data: one string, or a column with one for each row.
pub(crate) enum Strings {
    One(Input<'static>),
    PerRow(Column),
}

impl Strings {
    fn has_nulls(&self) -> bool {
        matches!(self, Self::PerRow(column) if column.has_nulls())
    }
}

impl<'py> FromPyObject<'_, 'py> for Strings {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        match Input::exported(&object) {
            Ok(one) => Ok(Self::One(one)),
            Err(error) => object.extract().map(Self::PerRow).map_err(|_| error),
        }
    }
}

/// Encrypts or decrypts a column. The functions of `abreast.columns` have the documentation.
#[pyfunction]
#[pyo3(signature = (key, values, nonces, associated_data, key_index, opening, to_null))]
#[allow(clippy::too_many_arguments, reason = "one function serves both directions; Python's have keywords")]
pub(crate) fn column<'py>(
    key: &Bound<'py, PyAny>,
    values: Column,
    nonces: Option<Input<'_>>,
    associated_data: Strings,
    key_index: Option<Input<'_>>,
    opening: bool,
    to_null: bool,
) -> PyResult<Made<'py>> {
    let aad = match &associated_data {
        Strings::One(one) => Aad::One(one),
        Strings::PerRow(column) => Aad::PerRow(column.values()?),
    };
    if key_index.as_ref().is_some_and(|index| index.item_size() != 4 || !index.items_are("IL")) {
        return Err(PyTypeError::new_err(
            "key_index has numbers of 32 bits without sign, such as array('I')",
        ));
    }
    let key_index = key_index.as_ref().map(Input::numbers).transpose()?;
    let (py, nonces) = (key.py(), nonces.as_deref());
    let rows = values.values()?;
    // The library takes a null for an empty string, and so would open a value bound to the one under the other.
    if let Aad::PerRow(strings) = &aad
        && associated_data.has_nulls()
        && strings.len() == rows.len()
        && let Some(row) = (0..rows.len()).find(|row| rows.is_valid(*row) && !strings.is_valid(*row))
    {
        return Err(PyValueError::new_err(format!(
            "the associated data of row {row} is null; it can be b\"\", or null where the value is"
        )));
    }
    Work { py, column: &values, values: rows, aad, nonces, key_index, opening, to_null }.with(key)
}
