//! Columns under rings of keys, whose values begin with the bytes that name their key: `abreast.keyring`.

use abreast::columns::{Aad, ColumnError, Offsets, OffsetsMut, Prefixes, Values};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::collections::BTreeSet;
use zeroize::Zeroizing;

use crate::arguments::flag;
use crate::buffers::{Input, release};
use crate::columns::{
    AnyKey, Column, Failed, Made, Numbers, Strings, Task, aad_of, check_index, has, in_mode, key_numbers, of,
    random_nonces, rows_of, run, validity,
};
use crate::errors;

/// The generations of one key as Python has them, the primary first: the bytes before each value, and the key.
type Generations<'py> = Vec<(Vec<u8>, Bound<'py, PyAny>)>;

/// Several keys with their generations, of which a row has one.
struct Ring<'k> {
    keys: Vec<AnyKey<'k>>,
    prefixes: Vec<&'k [u8]>,
    /// For each key, the generation that new values get.
    primary: Vec<u32>,
    /// For each key, its generations in the order in which they are tried: those without prefixes last.
    order: Vec<Vec<u32>>,
}

impl<'k> Ring<'k> {
    fn new(ring: &'k [Generations<'_>]) -> PyResult<Self> {
        let mut made =
            Self { keys: Vec::new(), prefixes: Vec::new(), primary: Vec::new(), order: Vec::new() };
        for generations in ring {
            let first = made.keys.len();
            for (prefix, key) in generations {
                made.keys.push(AnyKey::of(key)?);
                made.prefixes.push(prefix);
            }
            if made.keys.len() == first {
                return Err(PyValueError::new_err("a key of the ring has no generation"));
            }
            let mut order: Vec<_> = (first as u32..made.keys.len() as u32).collect();
            order.sort_by_key(|number| made.prefixes[*number as usize].is_empty());
            made.primary.push(first as u32);
            made.order.push(order);
        }
        Ok(made)
    }

    /// The number of the key of a row.
    fn key_of(key_index: Option<&[u32]>, row: usize) -> usize {
        key_index.map_or(0, |index| index[row] as usize)
    }

    /// The generation that may have made a value, after another one that has not.
    fn generation(&self, key: usize, value: &[u8], after: Option<u32>) -> Option<u32> {
        let mut order = self.order[key].iter().copied();
        if let Some(after) = after {
            order.find(|number| *number == after);
        }
        order.find(|number| value.starts_with(self.prefixes[*number as usize]))
    }

    /// Refuses another number of numbers of keys than there are rows, and those of no key.
    fn check(&self, key_index: Option<&[u32]>, rows: usize) -> PyResult<()> {
        check_index(key_index, self.primary.len())?;
        match key_index {
            Some(index) if index.len() != rows => Err(PyValueError::new_err(format!(
                "there are {rows} rows and {} numbers of keys",
                index.len()
            ))),
            None if self.primary.is_empty() => Err(PyValueError::new_err("the ring has no key")),
            _ => Ok(()),
        }
    }
}

/// Rows in a bitmap, the lowest bit of a byte first.
fn bitmap(rows: usize, has: impl Fn(usize) -> bool) -> Vec<u8> {
    let mut bits = vec![0; rows.div_ceil(8)];
    for row in (0..rows).filter(|row| has(*row)) {
        bits[row / 8] |= 1 << (row % 8);
    }
    bits
}

fn set(bits: &mut [u8], row: usize, on: bool) {
    let bit = 1 << (row % 8);
    bits[row / 8] = if on { bits[row / 8] | bit } else { bits[row / 8] & !bit };
}

/// Values that were opened or sealed, in memory of this module that is wiped.
struct Part {
    offsets: Vec<i64>,
    data: Zeroizing<Vec<u8>>,
}

impl Part {
    fn value(&self, row: usize) -> &[u8] {
        let [start, end] = [row, row + 1].map(|at| self.offsets.get(at).map_or(0, |offset| *offset as usize));
        self.data.get(start..end).unwrap_or_default()
    }

    fn values<'a>(&'a self, bits: &'a [u8]) -> Result<Values<'a>, ColumnError> {
        Values::new(Offsets::I64(&self.offsets), &self.data)?.with_validity(bits, 0)
    }

    /// One that has for each row the bytes of some place.
    fn of_rows<'a>(rows: usize, value: impl Fn(usize) -> &'a [u8]) -> Self {
        let mut offsets = Vec::with_capacity(rows + 1);
        let mut end = 0;
        offsets.push(0);
        for row in 0..rows {
            end += value(row).len();
            offsets.push(end as i64);
        }
        // Never moved, so that no copy is left behind.
        let mut data = Zeroizing::new(Vec::with_capacity(end));
        (0..rows).for_each(|row| data.extend_from_slice(value(row)));
        Self { offsets, data }
    }
}

/// The values of a column with the names of their keys.
#[derive(Clone, Copy)]
struct Sealed<'a> {
    values: Values<'a>,
    aad: Aad<'a>,
    key_index: Option<&'a [u32]>,
}

impl<'a> Sealed<'a> {
    /// Values of which some are left out.
    fn only(self, bits: &'a [u8]) -> Result<Values<'a>, ColumnError> {
        self.values.with_validity(bits, 0)
    }

    /// The first generation that may have made each row, and the rows for which there is one.
    fn generations(&self, ring: &Ring<'_>, taken: impl Fn(usize) -> bool) -> (Vec<u32>, Vec<u8>) {
        let rows = self.values.len();
        let (mut which, mut known) = (vec![0; rows], vec![0; rows.div_ceil(8)]);
        for row in (0..rows).filter(|row| self.values.is_valid(*row) && taken(*row)) {
            let key = Ring::key_of(self.key_index, row);
            if let Some(generation) = ring.generation(key, self.values.value(row), None) {
                which[row] = generation;
                set(&mut known, row, true);
            }
        }
        (which, known)
    }

    /// Opens the rows of a bitmap, each by one generation after the other that may have made it. Returns the values and the
    /// rows that no generation opens.
    fn open(&self, ring: &Ring<'_>, mut which: Vec<u32>, known: &[u8]) -> Result<(Part, Vec<u8>), Failed> {
        let rows = self.values.len();
        let (mut left, mut refused) = (known.to_vec(), vec![0; rows.div_ceil(8)]);
        let (mut parts, mut part_of) = (Vec::new(), vec![0_u32; rows]);
        while let Some(row) = (0..rows).find(|row| has(&left, *row)) {
            // All rows that are left and have keys of the mode of the first.
            let one = ring.keys[which[row] as usize];
            let same = |row| has(&left, row) && ring.keys[which[row] as usize].same_mode(&one);
            let now = bitmap(rows, same);
            let task = Task {
                values: self.only(&now)?,
                aad: self.aad,
                prefixes: Prefixes::of_rows(&ring.prefixes, &which)?,
            };
            let mut keys = in_mode(one, &ring.keys, Numbers::Of(&which));
            let mut part =
                Part { offsets: vec![0; rows + 1], data: Zeroizing::new(vec![0; keys.opened_len(&task)?]) };
            let mut failed = vec![0; rows.div_ceil(8)];
            keys.open(&task, &mut part.data, OffsetsMut::I64(&mut part.offsets), &mut failed)?;
            drop(keys);
            parts.push(part);
            for row in (0..rows).filter(|row| has(&now, *row)) {
                if !has(&failed, row) {
                    part_of[row] = parts.len() as u32;
                    set(&mut left, row, false);
                    continue;
                }
                let key = Ring::key_of(self.key_index, row);
                match ring.generation(key, self.values.value(row), Some(which[row])) {
                    Some(generation) => which[row] = generation,
                    None => {
                        set(&mut left, row, false);
                        set(&mut refused, row, true);
                    }
                }
            }
        }
        let one = match parts.pop() {
            Some(one) if parts.is_empty() && refused.iter().all(|bits| *bits == 0) => {
                return Ok((one, refused));
            }
            one => one,
        };
        parts.extend(one);
        let value = |row: usize| match part_of[row].checked_sub(1).and_then(|part| parts.get(part as usize)) {
            Some(part) => part.value(row),
            None => &[][..],
        };
        Ok((Part::of_rows(rows, value), refused))
    }
}

/// The exception for values that are not opened: those that name a key that the ring does not have, or else those that are not
/// authentic.
#[cold]
fn not_opened(py: Python<'_>, values: &Values<'_>, unknown: &[u8], refused: &[u8]) -> PyErr {
    let rows = values.len();
    let mut ids = BTreeSet::new();
    let mut named = Vec::new();
    for row in rows_of(unknown, rows) {
        if let [0 | 1, a, b, c, d, ..] = values.value(row) {
            ids.insert(u32::from_be_bytes([*a, *b, *c, *d]));
            named.push(row);
        }
    }
    if named.is_empty() {
        return errors::invalid_rows(
            py,
            "row",
            rows_of(&bitmap(rows, |row| has(unknown, row) || has(refused, row)), rows),
        );
    }
    errors::unknown_keys(py, named, ids.into_iter().collect())
}

/// Encrypts a column with the primaries of keys, or decrypts it with any of their generations. `abreast.keyring` has the
/// documentation.
#[pyfunction]
#[pyo3(signature = (ring, values, associated_data, key_index, opening, to_null))]
pub(crate) fn ring_column<'py>(
    py: Python<'py>,
    ring: Vec<Generations<'py>>,
    values: Column,
    associated_data: Strings,
    key_index: Option<Input<'_>>,
    #[pyo3(from_py_with = flag)] opening: bool,
    #[pyo3(from_py_with = flag)] to_null: bool,
) -> PyResult<Made<'py>> {
    let (ring, rows) = (Ring::new(&ring)?, values.values()?);
    let aad = aad_of(&associated_data, &rows)?;
    let key_index = key_numbers(key_index.as_ref())?;
    ring.check(key_index, rows.len())?;
    if !opening {
        let Some(one) = ring.primary.first().map(|first| ring.keys[*first as usize]) else {
            return Err(PyValueError::new_err("the ring has no key"));
        };
        let numbers: Vec<_> = (0..rows.len()).map(|row| ring.primary[Ring::key_of(key_index, row)]).collect();
        if !ring.primary.iter().all(|key| ring.keys[*key as usize].same_mode(&one)) {
            return Err(PyValueError::new_err(
                "the keys of a column are of one mode, and these are of several",
            ));
        }
        let task =
            Task { values: rows, aad, prefixes: Prefixes::of_rows(&ring.prefixes, &numbers).map_err(of)? };
        let mut keys = in_mode(one, &ring.keys, Numbers::Of(&numbers));
        let done = run(py, &values, &mut *keys, &task, Some(None))?;
        let validity = validity(py, &values, &rows, (&[], 0));
        return Ok((done.offsets, done.data, validity));
    }
    let sealed = Sealed { values: rows, aad, key_index };
    let (which, known) = sealed.generations(&ring, |_| true);
    let unknown = bitmap(rows.len(), |row| rows.is_valid(row) && !has(&known, row));
    if !to_null && unknown.iter().any(|bits| *bits != 0) {
        return Err(not_opened(py, &rows, &unknown, &unknown));
    }
    let all = unknown.iter().all(|bits| *bits == 0);
    let mut used = (0..rows.len()).filter(|row| has(&known, *row)).map(|row| ring.keys[which[row] as usize]);
    if let Some(one) = used.next()
        && (ring.keys.iter().all(|key| key.same_mode(&one)) || used.all(|key| key.same_mode(&one)))
    {
        // All at once, to the place where the interpreter has them.
        let values_of = if all { rows } else { sealed.only(&known).map_err(of)? };
        let prefixes = Prefixes::of_rows(&ring.prefixes, &which).map_err(of)?;
        let mut keys = in_mode(one, &ring.keys, Numbers::Of(&which));
        let done = run(py, &values, &mut *keys, &Task { values: values_of, aad, prefixes }, None)?;
        let again = |row: &usize| {
            ring.generation(Ring::key_of(key_index, *row), rows.value(*row), Some(which[*row])).is_some()
        };
        let failed = rows_of(&done.failed, rows.len());
        if !failed.iter().any(again) {
            if !to_null && !failed.is_empty() {
                return Err(errors::invalid_rows(py, "row", failed));
            }
            let refused = bitmap(rows.len(), |row| has(&unknown, row) || has(&done.failed, row));
            let count = refused.iter().map(|bits| bits.count_ones() as usize).sum();
            return Ok((done.offsets, done.data, validity(py, &values, &rows, (&refused, count))));
        }
    }
    let work = || sealed.open(&ring, which, &known);
    let (part, refused) = release(py, usize::MAX, work)?;
    let refused = bitmap(rows.len(), |row| has(&unknown, row) || has(&refused, row));
    let count = refused.iter().map(|bits| bits.count_ones() as usize).sum();
    if !to_null && count > 0 {
        return Err(errors::invalid_rows(py, "row", rows_of(&refused, rows.len())));
    }
    let ends: Vec<_> = part.offsets.iter().skip(1).map(|end| *end as usize).collect();
    let offsets = values.offsets_like(py, &ends)?;
    Ok((offsets, values.copy(py, &part.data)?, validity(py, &values, &rows, (&refused, count))))
}

/// Opens a column with any generations of keys and encrypts it with the primaries of others, without a copy of the plaintext
/// outside this module. Values that begin as those of the new primary are kept if `keep` is true. Returns the column and the
/// number of values that were kept.
#[pyfunction]
#[pyo3(signature = (ring, to, values, associated_data, to_associated_data, key_index, keep))]
#[allow(clippy::too_many_arguments, reason = "Python's function has keywords")]
pub(crate) fn ring_reencrypt<'py>(
    py: Python<'py>,
    ring: Vec<Generations<'py>>,
    to: Vec<Generations<'py>>,
    values: Column,
    associated_data: Strings,
    to_associated_data: Strings,
    key_index: Option<Input<'_>>,
    #[pyo3(from_py_with = flag)] keep: bool,
) -> PyResult<(Made<'py>, usize)> {
    let (ring, to, rows) = (Ring::new(&ring)?, Ring::new(&to)?, values.values()?);
    let (aad, to_aad) = (aad_of(&associated_data, &rows)?, aad_of(&to_associated_data, &rows)?);
    let key_index = key_numbers(key_index.as_ref())?;
    ring.check(key_index, rows.len())?;
    to.check(key_index, rows.len())?;
    let count = rows.len();
    let primary: Vec<_> = (0..count).map(|row| to.primary[Ring::key_of(key_index, row)]).collect();
    let kept = bitmap(count, |row| {
        let prefix = to.prefixes[primary[row] as usize];
        keep && rows.is_valid(row) && !prefix.is_empty() && rows.value(row).starts_with(prefix)
    });
    let sealed = Sealed { values: rows, aad, key_index };
    let (which, known) = sealed.generations(&ring, |row| !has(&kept, row));
    let unknown = bitmap(count, |row| rows.is_valid(row) && !has(&known, row) && !has(&kept, row));
    if unknown.iter().any(|bits| *bits != 0) {
        return Err(not_opened(py, &rows, &unknown, &unknown));
    }
    let one = to.primary.first().map(|first| to.keys[*first as usize]);
    let one = one.ok_or_else(|| PyValueError::new_err("the ring has no key"))?;
    if !to.primary.iter().all(|key| to.keys[*key as usize].same_mode(&one)) {
        return Err(PyValueError::new_err("the keys of a column are of one mode, and these are of several"));
    }
    let mut keys = in_mode(one, &to.keys, Numbers::Of(&primary));
    let nonces = random_nonces(count * keys.nonce_len())?;
    let work = || {
        let (opened, refused) = sealed.open(&ring, which, &known)?;
        if refused.iter().any(|bits| *bits != 0) {
            return Ok(Err(refused));
        }
        let task = Task {
            values: opened.values(&known)?,
            aad: to_aad,
            prefixes: Prefixes::of_rows(&to.prefixes, &primary)?,
        };
        let mut part =
            Part { offsets: vec![0; count + 1], data: Zeroizing::new(vec![0; keys.sealed_len(&task)?]) };
        keys.seal(&task, &nonces, &mut part.data, OffsetsMut::I64(&mut part.offsets))?;
        drop(opened);
        let value = |row| if has(&kept, row) { rows.value(row) } else { part.value(row) };
        Ok::<_, Failed>(Ok(if kept.iter().any(|bits| *bits != 0) {
            Part::of_rows(count, value)
        } else {
            part
        }))
    };
    let part = match release(py, usize::MAX, work)? {
        Ok(part) => part,
        Err(refused) => return Err(errors::invalid_rows(py, "row", rows_of(&refused, count))),
    };
    let ends: Vec<_> = part.offsets.iter().skip(1).map(|end| *end as usize).collect();
    let made = (
        values.offsets_like(py, &ends)?,
        values.copy(py, &part.data)?,
        validity(py, &values, &rows, (&[], 0)),
    );
    Ok((made, kept.iter().map(|bits| bits.count_ones() as usize).sum()))
}
