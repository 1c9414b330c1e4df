//! Columns of values: `abreast.columns`, on `abreast::columns`.

use abreast::aes::{Aes128, Aes192, Aes256};
use abreast::aez::Aez;
use abreast::columns::{
    Aad, ColumnError, ColumnKey, InGcm, Keys, Offsets, OffsetsMut, Prefixes, Prepare, RowKeys, Values, Weave,
    Woven,
};
use abreast::modes::{CounterWidth, Ctr, Gcm, GcmSiv, Siv};
use abreast::xtea::Xtea;
use abreast::{BlockCipher128, Counted};
use pyo3::exceptions::{PyOSError, PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyList, PyTuple, PyType};
use std::any::Any;
use std::sync::Arc;
use zeroize::Zeroizing;

use crate::aead::Aead;
use crate::aead_mode::{GcmMode, Mode};
use crate::arguments::{class_of, flag};
use crate::buffers::{Input, NewBytes, Room, release};
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
        let len = Counted(raw.len(), "bytes");
        return Err(PyValueError::new_err(format!(
            "keys of {size} bytes one after the other have {len}; they have to have {size} or a multiple of it"
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
            return Err(PyValueError::new_err(format!("key_size is {key_size}, not 16, 24 or 32")));
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
    /// The function that makes the memory for the bytes of results, if it is not to be a `bytes`.
    make: Option<Py<PyAny>>,
}

impl<'py> FromPyObject<'_, 'py> for Column {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        type Items<'py> = (
            Bound<'py, PyAny>,
            Bound<'py, PyAny>,
            Option<Bound<'py, PyAny>>,
            Bound<'py, PyAny>,
            Option<Py<PyAny>>,
        );
        let (offsets, data, validity, validity_offset, make): Items<'py> = object.extract()?;
        Ok(Self {
            offsets: Input::exported(&offsets)?,
            data: Input::exported(&data)?,
            validity: validity.map(|bitmap| Input::exported(&bitmap)).transpose()?,
            validity_offset: number(&validity_offset)?,
            make,
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

    /// Bytes of an offset.
    pub(crate) fn width(&self) -> usize {
        self.offsets.item_size()
    }

    /// Memory for the bytes of a result.
    pub(crate) fn room<'py>(&self, py: Python<'py>, len: usize) -> PyResult<Room<'py>> {
        Room::new(py, self.make.as_ref().map(|make| make.bind(py)), len)
    }

    /// A result that has some bytes.
    pub(crate) fn copy<'py>(&self, py: Python<'py>, data: &[u8]) -> PyResult<Bound<'py, PyAny>> {
        let mut room = self.room(py, data.len())?;
        room.first(data.len())?.copy_from_slice(data);
        Ok(room.finish())
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
                return Err(PyTypeError::new_err(format!(
                    "offsets are whole numbers of 32 or 64 bits with sign, such as memoryview(b).cast('i'), and not items of the format {:?}",
                    self.offsets.item_format()
                )));
            }
        };
        let values = Values::new(offsets, &self.data).map_err(of)?;
        match &self.validity {
            None => Ok(values),
            Some(bitmap) => values.with_validity(bitmap, self.validity_offset).map_err(of),
        }
    }
}

/// The reason why a column was not done.
pub(crate) enum Failed {
    Column(ColumnError),
    /// The handler of a signal raised this.
    Signal(PyErr),
}

impl From<ColumnError> for Failed {
    fn from(error: ColumnError) -> Self {
        Self::Column(error)
    }
}

impl From<Failed> for PyErr {
    #[cold]
    fn from(failed: Failed) -> Self {
        match failed {
            Failed::Column(error) => of(error),
            Failed::Signal(raised) => raised,
        }
    }
}

/// The keys of rows, with a look at signals whenever some are made ready.
struct Watched<'w, K> {
    keys: &'w mut K,
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

/// The values of a call, what is authenticated with them, and the bytes before them.
#[derive(Clone, Copy)]
pub(crate) struct Task<'a> {
    pub(crate) values: Values<'a>,
    pub(crate) aad: Aad<'a>,
    pub(crate) prefixes: Prefixes<'a>,
}

/// A mode with the keys of rows: [`Weave`] without its types.
pub(crate) trait Rows: Send {
    /// Bytes of a nonce.
    fn nonce_len(&self) -> usize;
    /// Bytes of all values after encryption.
    fn sealed_len(&self, task: &Task<'_>) -> Result<usize, ColumnError>;
    /// Bytes of all values after decryption.
    fn opened_len(&self, task: &Task<'_>) -> Result<usize, ColumnError>;
    /// Encrypts all rows.
    fn seal(
        &mut self,
        task: &Task<'_>,
        nonces: &[u8],
        out: &mut [u8],
        offsets: OffsetsMut<'_>,
    ) -> Result<(), Failed>;
    /// Decrypts all rows, and returns how many are not authentic.
    fn open(
        &mut self,
        task: &Task<'_>,
        out: &mut [u8],
        offsets: OffsetsMut<'_>,
        failed: &mut [u8],
    ) -> Result<usize, Failed>;
}

struct InMode<M, K> {
    weave: Weave<'static, M>,
    keys: K,
}

impl<M: Woven, K: RowKeys<Key: ColumnKey<Mode = M>>> InMode<M, K> {
    /// Does a work with keys that look at signals.
    fn watched<T>(
        &mut self,
        work: impl FnOnce(Weave<'static, M>, Watched<'_, K>) -> Result<T, ColumnError>,
    ) -> Result<T, Failed> {
        let mut raised = None;
        let keys = Watched { keys: &mut self.keys, watch: Watch::new(), raised: &mut raised };
        let done = work(self.weave, keys);
        match raised {
            Some(raised) => Err(Failed::Signal(raised)),
            None => Ok(done?),
        }
    }
}

impl<M: Woven, K: RowKeys<Key: ColumnKey<Mode = M>> + Send> Rows for InMode<M, K> {
    fn nonce_len(&self) -> usize {
        M::NONCE
    }

    fn sealed_len(&self, task: &Task<'_>) -> Result<usize, ColumnError> {
        self.weave.with_prefixes(task.prefixes).sealed_len(&task.values)
    }

    fn opened_len(&self, task: &Task<'_>) -> Result<usize, ColumnError> {
        self.weave.with_prefixes(task.prefixes).opened_len(&task.values)
    }

    fn seal(
        &mut self,
        task: &Task<'_>,
        nonces: &[u8],
        out: &mut [u8],
        offsets: OffsetsMut<'_>,
    ) -> Result<(), Failed> {
        self.watched(|weave, keys| {
            weave.with_prefixes(task.prefixes).seal(&task.values, nonces, task.aad, keys, out, offsets)
        })
    }

    fn open(
        &mut self,
        task: &Task<'_>,
        out: &mut [u8],
        offsets: OffsetsMut<'_>,
        failed: &mut [u8],
    ) -> Result<usize, Failed> {
        self.watched(|weave, keys| {
            weave.with_prefixes(task.prefixes).open(&task.values, task.aad, keys, out, offsets, failed)
        })
    }
}

/// The number of the key of each row.
#[derive(Clone, Copy)]
pub(crate) enum Numbers<'a> {
    /// The first for all.
    First,
    /// The number of the row.
    Own,
    /// One of these.
    Of(&'a [u32]),
}

/// The modes of prepared keys.
macro_rules! modes {
    ($($variant:ident $type:ty, $weave:ident;)*) => {
        /// A key in its mode.
        #[derive(Clone, Copy)]
        pub(crate) enum AnyKey<'k> {
            $($variant(&'k $type)),*
        }

        /// The mode of one key, with all keys of it by their numbers. The numbers of other modes' keys belong to rows that
        /// are null.
        pub(crate) fn in_mode<'k>(one: AnyKey<'k>, keys: &[AnyKey<'k>], numbers: Numbers<'k>) -> Box<dyn Rows + 'k> {
            match one {
                $(AnyKey::$variant(one) => {
                    let same = |key: &AnyKey<'k>| match key {
                        AnyKey::$variant(key) => *key,
                        _ => one,
                    };
                    let keys: Vec<_> = keys.iter().map(same).collect();
                    let key = move |row: usize| {
                        let number = match numbers {
                            Numbers::First => 0,
                            Numbers::Own => row,
                            Numbers::Of(numbers) => numbers[row] as usize,
                        };
                        keys.get(number).copied().unwrap_or(one)
                    };
                    Box::new(InMode { weave: Weave::$weave, keys: key })
                })*
            }
        }
    };
}
modes! {
    Gcm GcmMode, GCM;
    Siv Siv<Arc<dyn BlockCipher128>>, SIV;
    GcmSiv GcmSiv, GCM_SIV;
    Aez Aez, AEZ;
}

impl<'k> AnyKey<'k> {
    /// The key that an object has.
    ///
    /// # Errors
    /// `TypeError` for an object that has none for columns, `ValueError` for one with short tags.
    pub(crate) fn of(key: &'k Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(siv) = key.cast::<AesSiv>() {
            return Ok(Self::Siv(&siv.get().siv));
        }
        let aead = key.cast::<Aead>().map_err(|_| unknown(key))?.get();
        let found = match &aead.mode {
            Mode::Gcm(gcm) => Self::Gcm(gcm),
            Mode::Aez(aez) => Self::Aez(aez),
            Mode::Eax(_) => return Err(unknown(key)),
            Mode::Other(sealer) => {
                let sealer: &dyn Any = &***sealer;
                Self::GcmSiv(sealer.downcast_ref().ok_or_else(|| unknown(key))?)
            }
        };
        if aead.tag_len != 16 {
            return Err(PyValueError::new_err(format!(
                "the values of a column have tags of 16 bytes, and the key's have {}; make it without tag_length",
                aead.tag_len
            )));
        }
        Ok(found)
    }

    /// True if both are of one mode.
    pub(crate) fn same_mode(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }
}

/// The parts of a column that was made: offsets, bytes and validity.
pub(crate) type Made<'py> = (Bound<'py, PyBytes>, Bound<'py, PyAny>, Option<Bound<'py, PyBytes>>);

/// Nonces of the system's random bytes, stretched by AES-256 in counter mode, which is faster for many.
pub(crate) fn random_nonces(len: usize) -> PyResult<Vec<u8>> {
    let mut nonces = vec![0; len];
    if len == 0 {
        return Ok(nonces);
    }
    let mut seed = Zeroizing::new([0; 48]);
    getrandom::fill(&mut *seed)
        .map_err(|error| PyOSError::new_err(format!("the system gives no random bytes: {error}")))?;
    let (key, counter) = seed.split_first_chunk::<32>().unwrap_or_else(|| unreachable!("48 bytes have 32"));
    Ctr::from_cipher(Aes256::new(key), counter, CounterWidth::Bits128)
        .and_then(|mut stream| stream.apply(&mut nonces[..]))
        .map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(nonces)
}

/// True if the bit of a row is 1, the lowest bit of a byte first.
pub(crate) fn has(bits: &[u8], row: usize) -> bool {
    bits[row / 8] >> (row % 8) & 1 == 1
}

/// A column whose bytes the interpreter has, and which of its rows are not authentic.
pub(crate) struct Done<'py> {
    pub(crate) offsets: Bound<'py, PyBytes>,
    pub(crate) data: Bound<'py, PyAny>,
    pub(crate) failed: Vec<u8>,
    pub(crate) count: usize,
}

/// Encrypts a column with these nonces or random ones, or decrypts it where there are `None`.
pub(crate) fn run<'py>(
    py: Python<'py>,
    column: &Column,
    rows: &mut dyn Rows,
    task: &Task<'_>,
    nonces: Option<Option<&[u8]>>,
) -> PyResult<Done<'py>> {
    let (count, width) = (task.values.len(), column.width());
    let total = if nonces.is_none() { rows.opened_len(task) } else { rows.sealed_len(task) }.map_err(of)?;
    if width == 4 && i32::try_from(total).is_err() {
        return Err(of(ColumnError::OffsetOverflow));
    }
    let random;
    let nonces = match nonces {
        Some(None) => {
            random = random_nonces(count * rows.nonce_len())?;
            Some(&random[..])
        }
        Some(given) => given,
        None => None,
    };
    let mut offsets = NewBytes::new(py, (count + 1) * width)?;
    let mut data = column.room(py, total)?;
    let mut failed = vec![0; count.div_ceil(8)];
    let places =
        if width == 4 { OffsetsMut::I32(offsets.numbers()?) } else { OffsetsMut::I64(offsets.numbers()?) };
    let (out, failed_out) = (data.first(total)?, &mut failed[..]);
    let count = release(py, total, || match nonces {
        Some(nonces) => rows.seal(task, nonces, out, places).map(|()| 0),
        None => rows.open(task, out, places, failed_out),
    })?;
    Ok(Done { offsets: offsets.finish(), data: data.finish(), failed, count })
}

/// The rows of a bitmap.
pub(crate) fn rows_of(bits: &[u8], rows: usize) -> Vec<usize> {
    (0..rows).filter(|row| has(bits, *row)).collect()
}

/// The bitmap of the rows that have a value and are not in another bitmap, which is none if all rows have one.
pub(crate) fn validity<'py>(
    py: Python<'py>,
    column: &Column,
    values: &Values<'_>,
    done: (&[u8], usize),
) -> Option<Bound<'py, PyBytes>> {
    let (failed, count) = done;
    (column.has_nulls() || count > 0).then(|| {
        let mut bitmap = vec![0; values.len().div_ceil(8)];
        let left = |row: &usize| values.is_valid(*row) && (count == 0 || !has(failed, *row));
        for row in (0..values.len()).filter(left) {
            bitmap[row / 8] |= 1 << (row % 8);
        }
        PyBytes::new(py, &bitmap)
    })
}

/// The mode and keys that Python has in one object, for as many rows.
fn rows_of_key<'k>(
    key: &'k Bound<'_, PyAny>,
    many: &'k [Bound<'_, PyAny>],
    key_index: Option<&'k [u32]>,
    rows: usize,
) -> PyResult<Box<dyn Rows + 'k>> {
    let numbers = key_index.map_or(Numbers::Own, Numbers::Of);
    if let Ok(keys) = key.cast::<XteaKeys>() {
        let keys = keys.get();
        check_count(keys.__len__(), key_index, rows)?;
        let keys = keys.keys()?;
        let keys = match key_index {
            Some(index) => keys.with_indices(index),
            None => keys,
        };
        return Ok(Box::new(InMode { weave: Weave::CTR, keys }));
    }
    if let Ok(keys) = key.cast::<AesGcmKeys>() {
        let keys = keys.get();
        check_count(keys.__len__(), key_index, rows)?;
        return match keys.size {
            16 => raw_gcm(Keys::<Gcm<Aes128>, 16>::new(&keys.raw), key_index),
            24 => raw_gcm(Keys::<Gcm<Aes192>, 24>::new(&keys.raw), key_index),
            _ => raw_gcm(Keys::<Gcm<Aes256>, 32>::new(&keys.raw), key_index),
        };
    }
    if is_one(key) {
        let one = AnyKey::of(key)?;
        return match key_index {
            None => Ok(in_mode(one, &[one], Numbers::First)),
            Some(_) => {
                Err(PyValueError::new_err("key_index is for many keys, and there is one for all rows"))
            }
        };
    }
    let keys: Vec<_> = many.iter().map(AnyKey::of).collect::<PyResult<_>>()?;
    if let Some(other) = keys.iter().position(|key| !key.same_mode(&keys[0])) {
        return Err(PyTypeError::new_err(format!(
            "the keys of a column are of one mode, and key {other} is not"
        )));
    }
    let count = key_index.map_or(keys.len(), <[u32]>::len);
    if count < rows {
        return Err(PyValueError::new_err(format!(
            "there are {rows} rows and keys for {count}; pass key_index"
        )));
    }
    check_count(keys.len(), key_index, rows)?;
    check_index(key_index, keys.len())?;
    match keys.first() {
        Some(first) => Ok(in_mode(*first, &keys, numbers)),
        // For no rows: any mode that has no nonces to check.
        None => Ok(Box::new(InMode { weave: Weave::CTR, keys: Keys::<Xtea, 16>::new(&[]).map_err(of)? })),
    }
}

/// Refuses more keys than rows where each row has its own: some of them would be for nothing, and rows may be missing.
fn check_count(keys: usize, key_index: Option<&[u32]>, rows: usize) -> PyResult<()> {
    if key_index.is_none() && keys > rows {
        return Err(PyValueError::new_err(format!(
            "there are {keys} keys for {rows} rows; pass one for each row, or key_index"
        )));
    }
    Ok(())
}

/// Refuses numbers of keys that there are not.
pub(crate) fn check_index(key_index: Option<&[u32]>, keys: usize) -> PyResult<()> {
    match key_index.and_then(|index| index.iter().position(|at| *at as usize >= keys)) {
        None => Ok(()),
        Some(row) => Err(of(ColumnError::NoKey { row })),
    }
}

/// True for an object that is one key.
fn is_one(key: &Bound<'_, PyAny>) -> bool {
    key.is_instance_of::<Aead>() || key.is_instance_of::<AesSiv>()
}

fn raw_gcm<'k, P, const N: usize>(
    keys: Result<Keys<'k, P, N>, ColumnError>,
    key_index: Option<&'k [u32]>,
) -> PyResult<Box<dyn Rows + 'k>>
where
    P: Prepare<N> + ColumnKey<Mode = InGcm> + Send + Sync + 'k,
{
    let keys = keys.map_err(of)?;
    let keys = match key_index {
        Some(index) => keys.with_indices(index),
        None => keys,
    };
    Ok(Box::new(InMode { weave: Weave::GCM, keys }))
}

#[cold]
fn unknown(key: &Bound<'_, PyAny>) -> PyErr {
    let name = class_of(key);
    PyTypeError::new_err(format!(
        "a column takes an AESGCM, SerpentGCM, AESGCMSIV, AESSIV, AEZ, AESGCMKeys, XTEAKeys, or an iterable of keys of one mode, and not {name}"
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

/// Associated data for these rows.
///
/// # Errors
/// `ValueError` for a null where the value is none.
pub(crate) fn aad_of<'a>(strings: &'a Strings, rows: &Values<'_>) -> PyResult<Aad<'a>> {
    let aad = match strings {
        Strings::One(one) => Aad::One(one),
        Strings::PerRow(column) => Aad::PerRow(column.values()?),
    };
    // The library takes a null for an empty string, and so would open a value bound to the one under the other.
    if let Aad::PerRow(each) = &aad
        && strings.has_nulls()
        && each.len() == rows.len()
        && let Some(row) = (0..rows.len()).find(|row| rows.is_valid(*row) && !each.is_valid(*row))
    {
        return Err(PyValueError::new_err(format!(
            "the associated data of row {row} is null; it can be b\"\", or null where the value is"
        )));
    }
    Ok(aad)
}

/// The numbers of keys in a buffer.
pub(crate) fn key_numbers<'a>(key_index: Option<&'a Input<'_>>) -> PyResult<Option<&'a [u32]>> {
    if let Some(index) = key_index.filter(|index| index.item_size() != 4 || !index.items_are("IL")) {
        return Err(PyTypeError::new_err(format!(
            "key_index has numbers of 32 bits without sign, such as array('I'), and not items of the format {:?}",
            index.item_format()
        )));
    }
    key_index.map(Input::numbers).transpose()
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
    #[pyo3(from_py_with = flag)] opening: bool,
    #[pyo3(from_py_with = flag)] to_null: bool,
) -> PyResult<Made<'py>> {
    let (py, rows) = (key.py(), values.values()?);
    let aad = aad_of(&associated_data, &rows)?;
    let key_index = key_numbers(key_index.as_ref())?;
    let many: Vec<_> =
        if is_one(key) || key.is_instance_of::<XteaKeys>() || key.is_instance_of::<AesGcmKeys>() {
            Vec::new()
        } else {
            key.try_iter().map_err(|_| unknown(key))?.collect::<PyResult<_>>()?
        };
    let mut keys = rows_of_key(key, &many, key_index, rows.len())?;
    let task = Task { values: rows, aad, prefixes: Prefixes::NONE };
    let nonces = (!opening).then_some(nonces.as_deref());
    let done = run(py, &values, &mut *keys, &task, nonces)?;
    if done.count > 0 && !to_null {
        return Err(errors::invalid_rows(py, "row", rows_of(&done.failed, rows.len())));
    }
    let validity = validity(py, &values, &rows, (&done.failed, done.count));
    Ok((done.offsets, done.data, validity))
}
