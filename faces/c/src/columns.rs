//! Columns of values, by Arrow's C data interface (<https://arrow.apache.org/docs/format/CDataInterface.html>).
//!
//! A column comes as two structs with pointers to buffers, whose lengths its type and its offsets tell. It is looked at and never
//! released. The result is memory of this library, which its release callbacks free.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::mem::MaybeUninit;
use std::ptr::{null, null_mut};

use abreast::columns::{
    Aad, ColumnError, ColumnKey, Offsets, OffsetsMut, Prefixes, RowKeys, Values, Weave, Woven,
};
use abreast::modes::Gcm;

use crate::buffers::{In, Place, Span, check, values};
use crate::cipher::Shared128;
use crate::handle::{KeyPtr, boxed};
use crate::modes::aead::{AeadHandle, SivKey};
use crate::status::{Status, call, guarded};

/// The type of a column.
#[repr(C)]
#[derive(Debug)]
pub struct ArrowSchema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *mut *mut ArrowSchema,
    dictionary: *mut ArrowSchema,
    release: Option<unsafe extern "C" fn(*mut ArrowSchema)>,
    private_data: *mut c_void,
}

/// The buffers of a column.
#[repr(C)]
#[derive(Debug)]
pub struct ArrowArray {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *const *const c_void,
    children: *mut *mut ArrowArray,
    dictionary: *mut ArrowArray,
    release: Option<unsafe extern "C" fn(*mut ArrowArray)>,
    private_data: *mut c_void,
}

/// A pointer to one of these structs.
#[repr(transparent)]
#[derive(Debug)]
pub struct ArrowPtr<T>(*const T);

impl<T> ArrowPtr<T> {
    fn get(&self) -> Result<&T, Status> {
        check(self.0)?;
        // SAFETY: aligned and not NULL. The caller of the C function says that the struct may be read for as long as the call takes,
        // and that nobody writes to it meanwhile.
        Ok(unsafe { &*self.0 })
    }
}

/// A column as it came from C.
struct Column<'a> {
    values: Values<'a>,
    is_large: bool,
}

/// A bitmap with a bit for each row.
type Bits = Vec<u8>;

/// Memory for a number of values, which are zeros.
fn zeros<T: Copy + Default>(count: usize) -> Result<Vec<T>, Status> {
    let mut zeros = Vec::new();
    zeros.try_reserve_exact(count).map_err(|_| Status::OutOfMemory)?;
    zeros.resize(count, T::default());
    Ok(zeros)
}

/// The size in a format: digits that begin with 0 only where they end with it, as Arrow writes numbers.
fn size_of_values(digits: &[u8]) -> Option<usize> {
    let canonical = digits == b"0" || !digits.starts_with(b"0");
    let all = digits.iter().all(u8::is_ascii_digit);
    if canonical && all { str::from_utf8(digits).ok()?.parse().ok() } else { None }
}

/// The column that two structs describe. `lengths` is room for the offsets of values of one length.
#[inline(never)]
fn column<'a>(pair: Pair<'a>, lengths: &'a mut Vec<i32>) -> Result<Column<'a>, Status> {
    let (schema, array) = (pair.schema.get()?, pair.array.get()?);
    if schema.release.is_none() || array.release.is_none() || schema.format.is_null() {
        return Err(Status::Column);
    }
    // SAFETY: not NULL. The caller of the C function says that the struct is one of Arrow's, whose formats end with a zero.
    let format = unsafe { CStr::from_ptr(schema.format) }.to_bytes();
    let is_large = matches!(format, b"Z" | b"U");
    // Bytes of each value, if they are as many for all.
    let size = match format {
        b"z" | b"u" | b"Z" | b"U" => None,
        _ => Some(format.strip_prefix(b"w:").and_then(size_of_values).ok_or(Status::ColumnType)?),
    };
    if !schema.dictionary.is_null() || !array.dictionary.is_null() {
        return Err(Status::ColumnType);
    }
    let number = |number: i64| usize::try_from(number).map_err(|_| Status::Column);
    let (rows, first) = (number(array.length)?, number(array.offset)?);
    let end = first.checked_add(rows).filter(|end| *end < isize::MAX as usize).ok_or(Status::Column)?;
    let buffers = if size.is_some() { 2 } else { 3 };
    if array.n_buffers != buffers as i64 || array.n_children != 0 || schema.n_children != 0 {
        return Err(Status::Column);
    }
    // Less than no nulls are unknown ones, which -1 alone says.
    if !(-1..=array.length).contains(&array.null_count) {
        return Err(Status::Column);
    }
    // SAFETY: the caller of the C function says that the struct is one of Arrow's: it has as many buffers as it says, which nobody
    // writes, each as long as the type, the length, the offset and the last of the column's offsets tell, or NULL if that is nothing.
    let (buffers, bytes) = (unsafe { values(array.buffers, buffers) }?, |at: *const c_void, len| unsafe {
        values::<u8>(at.cast(), len)
    });
    let made = match (size, buffers) {
        (Some(size), [_, data]) => {
            let total = end.checked_mul(size).ok_or(Status::Column)?;
            let data = bytes(*data, total)?.get(first * size..).unwrap_or_default();
            i32::try_from(rows * size).map_err(|_| Status::ColumnLength)?;
            *lengths = zeros(rows + 1)?;
            for (row, end) in lengths.iter_mut().enumerate() {
                *end = (row * size) as i32;
            }
            Values::new(Offsets::I32(lengths), data)
        }
        (_, [_, offsets, data]) => {
            // Without rows there may be no offsets either.
            let count = if rows == 0 { 0 } else { end + 1 };
            // SAFETY: as above.
            let offsets = unsafe {
                if is_large {
                    Offsets::I64(values(offsets.cast(), count)?.get(first..end + 1).unwrap_or(&[0]))
                } else {
                    Offsets::I32(values(offsets.cast(), count)?.get(first..end + 1).unwrap_or(&[0]))
                }
            };
            let last = match offsets {
                Offsets::I32(offsets) => offsets.last().map_or(0, |last| i64::from(*last)),
                Offsets::I64(offsets) => offsets.last().copied().unwrap_or(0),
            };
            // The last offset alone tells how many bytes there are.
            Values::new(offsets, bytes(*data, usize::try_from(last).unwrap_or(0))?)
        }
        _ => return Err(Status::Column),
    };
    let mut made = made?;
    if array.null_count != 0 && !buffers[0].is_null() {
        made = made.with_validity(bytes(buffers[0], end.div_ceil(8))?, first)?;
    } else if array.null_count > 0 {
        return Err(Status::Column);
    }
    Ok(Column { values: made, is_large })
}

impl From<ColumnError> for Status {
    #[cold]
    fn from(error: ColumnError) -> Self {
        match error {
            ColumnError::OffsetNegative { .. }
            | ColumnError::OffsetDecreases { .. }
            | ColumnError::OffsetPastEnd { .. } => Self::ColumnOffsets,
            ColumnError::OffsetOverflow => Self::ColumnLength,
            ColumnError::NonceLength => Self::NonceLength,
            ColumnError::AssociatedDataRows => Self::ColumnRows,
            ColumnError::Row { error, .. } | ColumnError::Keys(error) => error.into(),
            _ => Self::Other,
        }
    }
}

/// The memory of a column that was made.
struct Made {
    /// The addresses of the buffers, as the array has them.
    buffers: [*const c_void; 3],
    validity: Bits,
    narrow: Vec<i32>,
    wide: Vec<i64>,
    data: Vec<u8>,
    rows: usize,
    nulls: usize,
}

impl Made {
    /// Memory for rows with so many bytes.
    fn new(rows: usize, is_large: bool, len: usize) -> Result<Self, Status> {
        let count = |wanted| if wanted { rows + 1 } else { 0 };
        Ok(Self {
            buffers: [null(); 3],
            validity: Bits::new(),
            narrow: zeros(count(!is_large))?,
            wide: zeros(count(is_large))?,
            data: zeros(len)?,
            rows,
            nulls: 0,
        })
    }

    /// The places of offsets and bytes.
    fn places(&mut self) -> (OffsetsMut<'_>, &mut [u8]) {
        let offsets = if self.wide.is_empty() {
            OffsetsMut::I32(&mut self.narrow)
        } else {
            OffsetsMut::I64(&mut self.wide)
        };
        (offsets, &mut self.data)
    }

    /// Makes rows null that were, and those that are not authentic.
    fn mark(&mut self, values: &Values<'_>, failed: &[u8]) -> Result<(), Status> {
        let refused = |row: usize| failed.get(row / 8).is_some_and(|byte| byte >> (row % 8) & 1 == 1);
        let is_null = |row: &usize| !values.is_valid(*row) || refused(*row);
        self.nulls = (0..self.rows).filter(is_null).count();
        if self.nulls > 0 {
            self.validity = zeros(self.rows.div_ceil(8))?;
            for row in (0..self.rows).filter(|row| !is_null(row)) {
                self.validity[row / 8] |= 1 << (row % 8);
            }
        }
        Ok(())
    }

    /// Hands the column to C.
    fn give(
        self,
        schema: &mut MaybeUninit<ArrowSchema>,
        array: &mut MaybeUninit<ArrowArray>,
    ) -> Result<(), Status> {
        let (rows, nulls, is_large) = (self.rows as i64, self.nulls as i64, !self.wide.is_empty());
        let made = boxed(self)?;
        // SAFETY: it was made just now, and nobody else has it.
        let buffers = unsafe {
            let whole = &mut *made;
            let validity = if whole.nulls == 0 { null() } else { whole.validity.as_ptr().cast() };
            let offsets = if is_large { whole.wide.as_ptr().cast() } else { whole.narrow.as_ptr().cast() };
            whole.buffers = [validity, offsets, whole.data.as_ptr().cast()];
            (&raw const (*made).buffers).cast()
        };
        schema.write(ArrowSchema {
            format: if is_large { c"Z" } else { c"z" }.as_ptr(),
            name: null(),
            metadata: null(),
            flags: NULLABLE,
            n_children: 0,
            children: null_mut(),
            dictionary: null_mut(),
            release: Some(release_schema),
            private_data: null_mut(),
        });
        array.write(ArrowArray {
            length: rows,
            null_count: nulls,
            offset: 0,
            n_buffers: 3,
            n_children: 0,
            buffers,
            children: null_mut(),
            dictionary: null_mut(),
            release: Some(release_array),
            private_data: made.cast(),
        });
        Ok(())
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        // The data may be plaintext that was not yet found authentic.
        self.data.fill(0);
        std::hint::black_box(&self.data);
    }
}

/// The flag of a column that may have nulls.
const NULLABLE: i64 = 2;

unsafe extern "C" fn release_schema(schema: *mut ArrowSchema) {
    // SAFETY: the consumer calls it once, with the struct or where it was moved to. Nothing else was allocated for it.
    unsafe { (*schema).release = None }
}

unsafe extern "C" fn release_array(array: *mut ArrowArray) {
    // SAFETY: the consumer calls it once, with the struct or where it was moved to, of which `boxed` made the private data.
    guarded((), || unsafe {
        drop(Box::from_raw((*array).private_data.cast::<Made>()));
        (*array).private_data = null_mut();
        (*array).release = None;
    });
}

/// The arguments of both directions.
struct Task<'a> {
    column: Column<'a>,
    aad: Aad<'a>,
    prefix: [&'a [u8]; 1],
    /// Nonces to encrypt with, or where the number of rows goes that are not authentic.
    way: Way<'a>,
}

/// The direction of a call.
enum Way<'a> {
    Seal(&'a [u8]),
    Open(Option<&'a mut MaybeUninit<usize>>),
}

impl Task<'_> {
    /// Does all rows under a key.
    fn run<M: Woven, K: RowKeys<Key: ColumnKey<Mode = M>>>(
        &mut self,
        weave: Weave<'static, M>,
        key: K,
    ) -> Result<Made, Status> {
        let Self { column: Column { values, is_large }, aad, prefix, way } = self;
        let weave = weave.with_prefixes(Prefixes::one(prefix));
        let rows = values.len();
        match way {
            Way::Seal(nonces) => {
                let mut made = Made::new(rows, *is_large, weave.sealed_len(values)?)?;
                let (offsets, out) = made.places();
                weave.seal(values, nonces, *aad, key, out, offsets)?;
                made.mark(values, &[])?;
                Ok(made)
            }
            Way::Open(invalid) => {
                let mut made = Made::new(rows, *is_large, weave.opened_len(values)?)?;
                let mut failed: Bits = zeros(rows.div_ceil(8))?;
                let (offsets, out) = made.places();
                let count = weave.open(values, *aad, key, out, offsets, &mut failed)?;
                made.mark(values, &failed)?;
                match invalid {
                    Some(place) => _ = place.write(count),
                    None if count > 0 => return Err(Status::TagMismatch),
                    None => {}
                }
                Ok(made)
            }
        }
    }

    /// Does all rows under the key of a handle.
    fn under(&mut self, aead: &KeyPtr<AeadHandle>) -> Result<Made, Status> {
        if let Ok(gcm) = aead.about::<Gcm<Shared128>>() {
            return self.run(Weave::GCM, &gcm.key);
        }
        let siv = aead.about::<SivKey>()?;
        self.run(Weave::SIV, &siv.key.mode)
    }
}

/// Makes a column and gives it to C, or structs that say that they were released. `others` is what the call looks at besides.
fn made(
    schema: &Place<ArrowSchema>,
    array: &Place<ArrowArray>,
    others: [Span; 8],
    make: impl FnOnce() -> Result<Made, Status>,
) -> Result<(), Status> {
    let (schema, array) = (schema.get(&others)?, array.get(&others)?);
    Span::of(array).apart(&[Span::of(schema)])?;
    // Zeros say that a struct was released: its callback is NULL.
    (*schema, *array) = (MaybeUninit::zeroed(), MaybeUninit::zeroed());
    make()?.give(schema, array)
}

/// A column that a call works on, with what is authenticated beside it.
#[derive(Clone, Copy)]
struct Pair<'p> {
    schema: &'p ArrowPtr<ArrowSchema>,
    array: &'p ArrowPtr<ArrowArray>,
}

impl Pair<'_> {
    fn spans(&self) -> [Span; 2] {
        [Span::at(self.schema.0), Span::at(self.array.0)]
    }
}

/// Does all rows of a column.
fn done(
    aead: &KeyPtr<AeadHandle>,
    values: Pair<'_>,
    prefix: &[u8],
    aad: &[u8],
    each: Pair<'_>,
    way: Way<'_>,
) -> Result<Made, Status> {
    let (mut lengths, mut aad_lengths) = (Vec::new(), Vec::new());
    let column = column(values, &mut lengths)?;
    let aad = if each.schema.0.is_null() && each.array.0.is_null() {
        Aad::One(aad)
    } else {
        let strings = self::column(each, &mut aad_lengths)?.values;
        let is_missing = |row: usize| column.values.is_valid(row) && !strings.is_valid(row);
        if !aad.is_empty() || (0..column.values.len()).any(is_missing) {
            return Err(Status::ColumnRows);
        }
        Aad::PerRow(strings)
    };
    Task { column, aad, prefix: [prefix], way }.under(aead)
}

/// Encrypts each value of a column, and writes another one whose values have all that decryption needs but the key.
///
/// aead: a key in SIV, under which equal values become equal, or in GCM. schema, array: binary values, strings, or binary
/// values of one length (the formats z, Z, u, U and w of Arrow), from any offset on. They are read, and not released. prefix: bytes
/// that come before each value, such as those that name its key; they are not authenticated. nonces: with GCM 12 bytes for each row,
/// null ones too, which must never repeat under a key; with SIV none. aad: associated data of all rows; or aad_schema and
/// aad_array, a column with a string for each row, null at most where the value is, and NULL otherwise. schema_out, array_out: the
/// result, binary values (Z for Z and U, z for the others), nulls where the column has them. Its release callbacks free it; it has no
/// name. If the call fails, both are structs that were released. But ABREAST_NULL_POINTER, ABREAST_LENGTH, ABREAST_OVERLAP and
/// ABREAST_ALIGNMENT may leave them as they were: set release to NULL before the call.
///
/// A value becomes the nonce, its ciphertext and the tag with GCM, and the tag and its ciphertext with SIV.
///
/// ABREAST_COLUMN_TYPE, ABREAST_COLUMN, ABREAST_COLUMN_OFFSETS, ABREAST_COLUMN_ROWS, ABREAST_COLUMN_LENGTH,
/// ABREAST_NONCE_LENGTH, ABREAST_MESSAGE_TOO_LONG, ABREAST_OUT_OF_MEMORY.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_column_encrypt(
    aead: KeyPtr<AeadHandle>,
    schema: ArrowPtr<ArrowSchema>,
    array: ArrowPtr<ArrowArray>,
    prefix: In,
    prefix_len: usize,
    nonces: In,
    nonces_len: usize,
    aad: In,
    aad_len: usize,
    aad_schema: ArrowPtr<ArrowSchema>,
    aad_array: ArrowPtr<ArrowArray>,
    schema_out: Place<ArrowSchema>,
    array_out: Place<ArrowArray>,
) -> c_int {
    call(|| {
        let values = Pair { schema: &schema, array: &array };
        let each = Pair { schema: &aad_schema, array: &aad_array };
        let ([a, b], [c, d], key) = (values.spans(), each.spans(), aead.span());
        let (prefix, nonces, aad) =
            (prefix.bytes(prefix_len)?, nonces.bytes(nonces_len)?, aad.bytes(aad_len)?);
        let others = [a, b, c, d, key, Span::of(prefix), Span::of(nonces), Span::of(aad)];
        made(&schema_out, &array_out, others, || done(&aead, values, prefix, aad, each, Way::Seal(nonces)))
    })
}

/// Decrypts a column of abreast_column_encrypt, with the same prefix and associated data, to binary values.
///
/// invalid: where the number of rows goes that are not authentic or do not begin with the prefix; they become null. If it is
/// NULL, one such row is ABREAST_TAG_MISMATCH, and there is no result.
///
/// The bytes of the result are wiped when they are freed. The statuses of abreast_column_encrypt.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_column_decrypt(
    aead: KeyPtr<AeadHandle>,
    schema: ArrowPtr<ArrowSchema>,
    array: ArrowPtr<ArrowArray>,
    prefix: In,
    prefix_len: usize,
    aad: In,
    aad_len: usize,
    aad_schema: ArrowPtr<ArrowSchema>,
    aad_array: ArrowPtr<ArrowArray>,
    invalid: Place<usize>,
    schema_out: Place<ArrowSchema>,
    array_out: Place<ArrowArray>,
) -> c_int {
    call(|| {
        let values = Pair { schema: &schema, array: &array };
        let each = Pair { schema: &aad_schema, array: &aad_array };
        let ([a, b], [c, d], key) = (values.spans(), each.spans(), aead.span());
        let (prefix, aad) = (prefix.bytes(prefix_len)?, aad.bytes(aad_len)?);
        let others = [a, b, c, d, key, Span::of(prefix), Span::of(aad), invalid.span()];
        let way = Way::Open(invalid.wanted(&others[..7])?);
        made(&schema_out, &array_out, others, || done(&aead, values, prefix, aad, each, way))
    })
}

#[cfg(all(test, feature = "full"))]
mod tests {
    use super::*;
    use crate::modes::aead::{abreast_aead_free, abreast_aes_gcm_new};
    use crate::names::Text;
    use crate::tests::made;

    const ROWS: usize = if cfg!(miri) { 5 } else { 200 };

    unsafe extern "C" fn keep_schema(_: *mut ArrowSchema) {}
    unsafe extern "C" fn keep_array(_: *mut ArrowArray) {}

    /// A column of C's over buffers.
    fn of(format: &CStr, length: usize, buffers: &[*const c_void]) -> (ArrowSchema, ArrowArray) {
        let schema = ArrowSchema {
            format: format.as_ptr(),
            name: null(),
            metadata: null(),
            flags: NULLABLE,
            n_children: 0,
            children: null_mut(),
            dictionary: null_mut(),
            release: Some(keep_schema),
            private_data: null_mut(),
        };
        let array = ArrowArray {
            length: length as i64,
            null_count: -1,
            offset: 1,
            n_buffers: buffers.len() as i64,
            n_children: 0,
            buffers: buffers.as_ptr(),
            children: null_mut(),
            dictionary: null_mut(),
            release: Some(keep_array),
            private_data: null_mut(),
        };
        (schema, array)
    }

    /// The status of a look at a column.
    fn status_of(schema: &ArrowSchema, array: &ArrowArray) -> Result<usize, Status> {
        let pair = Pair { schema: &ArrowPtr(schema), array: &ArrowPtr(array) };
        column(pair, &mut Vec::new()).map(|column| column.values.len())
    }

    #[test]
    fn sizes_of_values_are_written_in_one_way() {
        const LETTERS: &[u8] = b"0149+-. ";
        const MOST: usize = if cfg!(miri) { 2 } else { 3 };
        let text = vec![5_u8; 2 * 1000];
        let buffers = [null(), text.as_ptr().cast()];
        let mut words = vec![Vec::new()];
        let mut last = words.clone();
        for _ in 0..MOST {
            last = last
                .iter()
                .flat_map(|word| LETTERS.iter().map(|letter| [&word[..], &[*letter]].concat()))
                .collect();
            words.extend_from_slice(&last);
        }
        let mut accepted = 0;
        for word in words {
            let format = [b"w:", &word[..], &[0]].concat();
            let (schema, array) = of(CStr::from_bytes_with_nul(&format).expect("one zero"), 1, &buffers);
            // The number by hand, and the digits that it has.
            let number =
                word.iter().fold(0, |number, digit| 10 * number + i64::from(*digit) - i64::from(b'0'));
            let right = number.to_string().into_bytes() == word;
            accepted += usize::from(right);
            let expected = if right { Ok(1) } else { Err(Status::ColumnType) };
            assert_eq!(status_of(&schema, &array), expected, "{:?}", String::from_utf8(word));
        }
        assert_eq!(accepted, if cfg!(miri) { 4 + 12 } else { 4 + 12 + 48 });
    }

    #[test]
    fn numbers_of_nulls_are_those_of_some_rows_or_unknown() {
        let (text, valid) = ([5_u8; 3], [0xff_u8; 1]);
        let ends: Vec<i32> = (0..=3).collect();
        let rows = 2;
        let buffers = [valid.as_ptr().cast(), ends.as_ptr().cast(), text.as_ptr().cast()];
        let numbers = (-9..=9).chain([i64::MIN, i64::MIN + 1, i64::MAX]);
        for null_count in numbers {
            let (schema, array) = of(c"z", rows, &buffers);
            let array = ArrowArray { null_count, ..array };
            let expected = if (-1..=2).contains(&null_count) { Ok(rows) } else { Err(Status::Column) };
            assert_eq!(status_of(&schema, &array), expected, "{null_count}");
        }
        for n_children in [-1, 1] {
            let (schema, array) = of(c"z", rows, &buffers);
            let schema = ArrowSchema { n_children, ..schema };
            assert_eq!(status_of(&schema, &array), Err(Status::Column));
        }
    }

    #[test]
    fn columns_go_there_and_back() {
        let key = [7_u8; 32];
        let gcm = made(|place| abreast_aes_gcm_new(In::from(&key), 32, Text::none(), place));
        let (text, nonces) = (vec![5_u8; 3 * (ROWS + 1)], vec![9_u8; 12 * ROWS]);
        let ends: Vec<i64> = (0..=ROWS as i64 + 1).map(|row| row * 3).collect();
        let valid = [0xfb_u8; ROWS / 8 + 1];
        let none = || In::from(null());
        let [at_valid, at_ends, at_text] =
            [valid.as_ptr().cast(), ends.as_ptr().cast::<c_void>(), text.as_ptr().cast()];
        for (format, buffers) in [(c"Z", &[at_valid, at_ends, at_text][..]), (c"w:3", &[at_valid, at_text])] {
            let (schema, array) = of(format, ROWS, buffers);
            let (mut sealed_type, mut sealed) = of(c"", 0, &[]);
            let (mut opened_type, mut opened) = of(c"", 0, &[]);
            let status = abreast_column_encrypt(
                gcm.into(),
                ArrowPtr(&raw const schema),
                ArrowPtr(&raw const array),
                none(),
                0,
                In::from(nonces.as_ptr()),
                nonces.len(),
                none(),
                0,
                ArrowPtr(null()),
                ArrowPtr(null()),
                Place::from(&raw mut sealed_type),
                Place::from(&raw mut sealed),
            );
            assert_eq!(status, 0, "{format:?}");
            let mut invalid = 7;
            let mut open_with = |array: &ArrowArray, invalid: *mut usize, strings: (*const _, *const _)| {
                abreast_column_decrypt(
                    gcm.into(),
                    ArrowPtr(&raw const sealed_type),
                    ArrowPtr(array),
                    none(),
                    0,
                    none(),
                    0,
                    ArrowPtr(strings.0),
                    ArrowPtr(strings.1),
                    Place::from(invalid),
                    Place::from(&raw mut opened_type),
                    Place::from(&raw mut opened),
                )
            };
            // A schema without an array, and the reverse, are refused.
            for half in [(&raw const schema, null()), (null(), &raw const array)] {
                assert_eq!(open_with(&sealed, &raw mut invalid, half), Status::NullPointer as c_int);
            }
            let mut open =
                |array: &ArrowArray, invalid: *mut usize| open_with(array, invalid, (null(), null()));
            sealed.length -= 1;
            sealed.offset += 1;
            assert_eq!(open(&sealed, &raw mut invalid), 0);
            assert_eq!((invalid, opened.length, opened.null_count > 0), (0, ROWS as i64 - 1, true));
            // SAFETY: the callbacks of these structs, each called once; the buffers are there until then.
            unsafe {
                assert_eq!(*(*opened.buffers.add(2)).cast::<[u8; 3]>(), [5; 3]);
                opened.release.expect("made")(&raw mut opened);
                sealed.release.expect("made")(&raw mut sealed);
                sealed_type.release.expect("made")(&raw mut sealed_type);
            }
            assert!(opened.release.is_none() && sealed.release.is_none());
        }
        abreast_aead_free(gcm.into());
    }
}
