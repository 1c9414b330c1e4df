//! Thrift's compact protocol, as far as structs of Parquet are changed here.
//!
//! A struct is a list of fields, each with the bytes of its value. Values are walked over, to find their ends, and parsed
//! only where one is needed. So a field that is not known here goes through unchanged, byte for byte, and nothing is
//! allocated for values. A library would build all values of a footer, and drop fields of later versions of the format.
//!
//! Source: `thrift-compact-protocol.md` of apache/thrift.

use std::borrow::Cow;

/// Structs, lists and maps inside each other that are walked over. Structs of Parquet have seven.
const MAX_DEPTH: u32 = 32;

/// The fault of bytes that are no struct.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bad(pub(crate) &'static str);

const ENDS: Bad = Bad("a Thrift struct ends early");

type Parsed<T> = Result<T, Bad>;

/// The numbers of types.
mod kind {
    pub(super) const TRUE: u8 = 1;
    pub(super) const FALSE: u8 = 2;
    pub(super) const I8: u8 = 3;
    pub(super) const I16: u8 = 4;
    pub(super) const I32: u8 = 5;
    pub(super) const I64: u8 = 6;
    pub(super) const DOUBLE: u8 = 7;
    pub(super) const BINARY: u8 = 8;
    pub(super) const LIST: u8 = 9;
    pub(super) const SET: u8 = 10;
    pub(super) const MAP: u8 = 11;
    pub(super) const STRUCT: u8 = 12;
    pub(super) const UUID: u8 = 13;
}

/// A field of a struct.
#[derive(Clone, Debug)]
struct Field<'a> {
    id: i16,
    kind: u8,
    /// The value as it is stored. A bool has none: its kind says it.
    value: Cow<'a, [u8]>,
}

/// A struct of fields in ascending order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Struct<'a> {
    fields: Vec<Field<'a>>,
}

fn take<'a>(input: &mut &'a [u8], len: usize) -> Parsed<&'a [u8]> {
    let (taken, rest) = input.split_at_checked(len).ok_or(ENDS)?;
    *input = rest;
    Ok(taken)
}

fn byte(input: &mut &[u8]) -> Parsed<u8> {
    let (first, rest) = input.split_first().ok_or(ENDS)?;
    *input = rest;
    Ok(*first)
}

fn varint(input: &mut &[u8]) -> Parsed<u64> {
    let mut value = 0_u64;
    for shift in (0..64).step_by(7) {
        let next = byte(input)?;
        let bits = u64::from(next & 0x7f);
        if shift == 63 && bits > 1 {
            break;
        }
        value |= bits << shift;
        if next & 0x80 == 0 {
            return Ok(value);
        }
    }
    Err(Bad("a number of a Thrift struct has more than 64 bits"))
}

fn zigzag(input: &mut &[u8]) -> Parsed<i64> {
    varint(input).map(|value| (value >> 1) as i64 ^ -((value & 1) as i64))
}

fn len(input: &mut &[u8]) -> Parsed<usize> {
    // A string or a list has at least a byte for each of its parts.
    usize::try_from(varint(input)?).ok().filter(|len| *len <= input.len()).ok_or(ENDS)
}

fn list_header(input: &mut &[u8]) -> Parsed<(u8, usize)> {
    let first = byte(input)?;
    let count = if first >> 4 == 15 { len(input)? } else { usize::from(first >> 4) };
    Ok((first & 15, count))
}

/// Walks over a value. A bool has a byte of its own in a list, and none in a struct.
fn skip(input: &mut &[u8], kind: u8, in_list: bool, depth: u32) -> Parsed<()> {
    let depth = depth.checked_sub(1).ok_or(Bad("structs are nested too deeply"))?;
    match kind {
        kind::TRUE | kind::FALSE if !in_list => Ok(()),
        kind::TRUE | kind::FALSE | kind::I8 => byte(input).map(drop),
        kind::I16 | kind::I32 | kind::I64 => varint(input).map(drop),
        kind::DOUBLE => take(input, 8).map(drop),
        kind::UUID => take(input, 16).map(drop),
        kind::BINARY => {
            let len = len(input)?;
            take(input, len).map(drop)
        }
        kind::LIST | kind::SET => {
            let (kind, count) = list_header(input)?;
            (0..count).try_for_each(|_| skip(input, kind, true, depth))
        }
        kind::MAP => {
            let count = len(input)?;
            let kinds = if count == 0 { 0 } else { byte(input)? };
            (0..count).try_for_each(|_| {
                skip(input, kinds >> 4, true, depth)?;
                skip(input, kinds & 15, true, depth)
            })
        }
        kind::STRUCT => {
            let mut last = 0;
            while let Some((_, kind)) = field_header(input, &mut last)? {
                skip(input, kind, false, depth)?;
            }
            Ok(())
        }
        _ => Err(Bad("a Thrift struct has a value of an unknown type")),
    }
}

fn field_header(input: &mut &[u8], last: &mut i16) -> Parsed<Option<(i16, u8)>> {
    let first = byte(input)?;
    if first == 0 {
        return Ok(None);
    }
    let id = match first >> 4 {
        0 => i16::try_from(zigzag(input)?).ok(),
        delta => last.checked_add(i16::from(delta)),
    };
    *last = id.ok_or(Bad("a Thrift struct has a field with a number of more than 16 bits"))?;
    Ok(Some((*last, first & 15)))
}

fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn put_zigzag(out: &mut Vec<u8>, value: i64) {
    put_varint(out, ((value << 1) ^ (value >> 63)) as u64);
}

impl<'a> Struct<'a> {
    /// Parses a struct, of which the bytes are taken from the input.
    pub(crate) fn take(input: &mut &'a [u8]) -> Parsed<Self> {
        let mut fields: Vec<Field<'a>> = Vec::new();
        let mut last = 0;
        while let Some((id, kind)) = field_header(input, &mut last)? {
            let start = *input;
            skip(input, kind, false, MAX_DEPTH)?;
            let value = Cow::Borrowed(&start[..start.len() - input.len()]);
            fields.push(Field { id, kind, value });
        }
        // Writers go by number. Of a repeated field one reader takes the first and another one the last.
        fields.sort_by_key(|field| field.id);
        if fields.windows(2).any(|two| two[0].id == two[1].id) {
            return Err(Bad("a Thrift struct has a field twice"));
        }
        Ok(Self { fields })
    }

    /// Parses bytes that are a struct and perhaps zeros, with which some writers fill up their buffers.
    pub(crate) fn parse(mut input: &'a [u8]) -> Parsed<Self> {
        let parsed = Self::take(&mut input)?;
        if input.iter().all(|byte| *byte == 0) {
            Ok(parsed)
        } else {
            Err(Bad("bytes follow a Thrift struct"))
        }
    }

    fn field(&self, id: i16) -> Option<&Field<'a>> {
        let at = self.fields.binary_search_by_key(&id, |field| field.id).ok()?;
        Some(&self.fields[at])
    }

    fn of_kind(&self, id: i16, kind: u8) -> Parsed<Option<&[u8]>> {
        match self.field(id) {
            Some(field) if field.kind != kind => Err(Bad("a field has another type than the format says")),
            field => Ok(field.map(|field| &*field.value)),
        }
    }

    /// True if there is such a field.
    pub(crate) fn has(&self, id: i16) -> bool {
        self.field(id).is_some()
    }

    fn number(&self, id: i16, kind: u8) -> Parsed<Option<i64>> {
        self.of_kind(id, kind)?.map(|mut value| zigzag(&mut value)).transpose()
    }

    pub(crate) fn i64(&self, id: i16) -> Parsed<Option<i64>> {
        self.number(id, kind::I64)
    }

    pub(crate) fn i32(&self, id: i16) -> Parsed<Option<i32>> {
        let number = self.number(id, kind::I32)?.map(i32::try_from).transpose();
        number.map_err(|_| Bad("a number of a Thrift struct has more than 32 bits"))
    }

    pub(crate) fn i16(&self, id: i16) -> Parsed<Option<i16>> {
        let number = self.number(id, kind::I16)?.map(i16::try_from).transpose();
        number.map_err(|_| Bad("a number of a Thrift struct has more than 16 bits"))
    }

    pub(crate) fn bool(&self, id: i16) -> Parsed<Option<bool>> {
        match self.field(id).map(|field| field.kind) {
            None => Ok(None),
            Some(kind::TRUE) => Ok(Some(true)),
            Some(kind::FALSE) => Ok(Some(false)),
            Some(_) => Err(Bad("a field has another type than the format says")),
        }
    }

    pub(crate) fn binary(&self, id: i16) -> Parsed<Option<&[u8]>> {
        self.of_kind(id, kind::BINARY)?.map(|mut value| binary(&mut value)).transpose()
    }

    pub(crate) fn structure(&self, id: i16) -> Parsed<Option<Struct<'_>>> {
        self.of_kind(id, kind::STRUCT)?.map(|mut value| Struct::take(&mut value)).transpose()
    }

    /// Returns the structs of a list.
    pub(crate) fn structures(&self, id: i16) -> Parsed<Option<Vec<Struct<'_>>>> {
        self.list(id, kind::STRUCT, Struct::take)
    }

    /// Returns the strings of a list.
    pub(crate) fn binaries(&self, id: i16) -> Parsed<Option<Vec<&[u8]>>> {
        self.list(id, kind::BINARY, binary)
    }

    fn list<'s, T>(
        &'s self,
        id: i16,
        of: u8,
        parse: impl Fn(&mut &'s [u8]) -> Parsed<T>,
    ) -> Parsed<Option<Vec<T>>> {
        let Some(mut value) = self.of_kind(id, kind::LIST)? else { return Ok(None) };
        let (kind, count) = list_header(&mut value)?;
        if kind != of && count > 0 {
            return Err(Bad("a list has elements of another type than the format says"));
        }
        (0..count).map(|_| parse(&mut value)).collect::<Parsed<_>>().map(Some)
    }

    fn set(&mut self, id: i16, kind: u8, value: Vec<u8>) {
        let field = Field { id, kind, value: Cow::Owned(value) };
        match self.fields.binary_search_by_key(&id, |field| field.id) {
            Ok(at) => self.fields[at] = field,
            Err(at) => self.fields.insert(at, field),
        }
    }

    fn set_number(&mut self, id: i16, kind: u8, number: i64) {
        let mut value = Vec::new();
        put_zigzag(&mut value, number);
        self.set(id, kind, value);
    }

    pub(crate) fn set_i64(&mut self, id: i16, number: i64) {
        self.set_number(id, kind::I64, number);
    }

    pub(crate) fn set_i32(&mut self, id: i16, number: i32) {
        self.set_number(id, kind::I32, number.into());
    }

    pub(crate) fn set_i16(&mut self, id: i16, number: i16) {
        self.set_number(id, kind::I16, number.into());
    }

    pub(crate) fn set_bool(&mut self, id: i16, value: bool) {
        self.set(id, if value { kind::TRUE } else { kind::FALSE }, Vec::new());
    }

    pub(crate) fn set_binary(&mut self, id: i16, bytes: &[u8]) {
        let mut value = Vec::with_capacity(bytes.len() + 5);
        put_binary(&mut value, bytes);
        self.set(id, kind::BINARY, value);
    }

    pub(crate) fn set_structure(&mut self, id: i16, structure: &Struct<'_>) {
        self.set(id, kind::STRUCT, structure.to_bytes());
    }

    /// Sets a list of structs, of which each has been written to its bytes.
    pub(crate) fn set_structures(&mut self, id: i16, structures: &[Vec<u8>]) {
        let mut value = list_start(kind::STRUCT, structures.len());
        structures.iter().for_each(|bytes| value.extend_from_slice(bytes));
        self.set(id, kind::LIST, value);
    }

    pub(crate) fn set_binaries(&mut self, id: i16, binaries: &[&[u8]]) {
        let mut value = list_start(kind::BINARY, binaries.len());
        binaries.iter().for_each(|bytes| put_binary(&mut value, bytes));
        self.set(id, kind::LIST, value);
    }

    pub(crate) fn remove(&mut self, id: i16) {
        self.retain(|field| field != id);
    }

    /// Removes all fields but some.
    pub(crate) fn retain(&mut self, keep: impl Fn(i16) -> bool) {
        self.fields.retain(|field| keep(field.id));
    }

    /// Appends the struct to bytes.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        let mut last = 0_i16;
        for Field { id, kind, value } in &self.fields {
            match id.checked_sub(last) {
                Some(delta @ 1..=15) => out.push((delta as u8) << 4 | kind),
                _ => {
                    out.push(*kind);
                    put_zigzag(out, (*id).into());
                }
            }
            out.extend_from_slice(value);
            last = *id;
        }
        out.push(0);
    }

    /// Returns the struct as bytes.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let values: usize = self.fields.iter().map(|field| field.value.len() + 4).sum();
        let mut out = Vec::with_capacity(values + 1);
        self.write(&mut out);
        out
    }

    /// Returns the struct with values of its own.
    pub(crate) fn into_owned(self) -> Struct<'static> {
        let own = |Field { id, kind, value }| Field { id, kind, value: Cow::Owned(Cow::into_owned(value)) };
        Struct { fields: self.fields.into_iter().map(own).collect() }
    }
}

fn binary<'a>(input: &mut &'a [u8]) -> Parsed<&'a [u8]> {
    let len = len(input)?;
    take(input, len)
}

fn put_binary(out: &mut Vec<u8>, bytes: &[u8]) {
    put_varint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

fn list_start(kind: u8, count: usize) -> Vec<u8> {
    let mut out = Vec::new();
    if count < 15 {
        out.push((count as u8) << 4 | kind);
    } else {
        out.push(0xf0 | kind);
        put_varint(&mut out, count as u64);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{MAX_DEPTH, Struct};

    /// A struct with a field of each type, numbers that go up by more than 15, and values in forms that writers do not choose.
    fn all_types() -> Vec<u8> {
        let mut bytes = vec![
            0x11, 0x12, 0x13, 0x80, 0x14, 0x03, 0x15, 0x80, 0x80, 0x00, 0x16, 0xff, 0xff, 0xff, 0xff, 0xff,
            0xff, 0xff, 0xff, 0xff, 0x01,
        ];
        bytes.extend([0x17, 0, 1, 2, 3, 4, 5, 6, 7, 0x18, 3, b'a', b'b', b'c']);
        // A list of two bools, a set of 16 bytes in the long form, a map of texts to numbers, an empty map.
        bytes.extend([0x19, 0x21, 1, 2, 0x1a, 0xf3, 16]);
        bytes.extend([9; 16]);
        bytes.extend([0x1b, 1, 0x85, 1, b'x', 2, 0x1b, 0, 0x1c, 0x15, 2, 0]);
        bytes.extend([0x0d, 0xd0, 0x0f]);
        bytes.extend([7; 16]);
        bytes.push(0);
        bytes
    }

    #[test]
    fn fields_go_through() {
        let bytes = all_types();
        let parsed = Struct::parse(&bytes).expect("a struct");
        assert_eq!(parsed.to_bytes(), bytes);
        assert_eq!((parsed.bool(1), parsed.bool(2)), (Ok(Some(true)), Ok(Some(false))));
        assert_eq!(
            (parsed.i16(4), parsed.i32(5), parsed.i64(6)),
            (Ok(Some(-2)), Ok(Some(0)), Ok(Some(i64::MIN)))
        );
        assert_eq!(parsed.binary(8), Ok(Some(&b"abc"[..])));
        assert_eq!(parsed.structure(13).expect("a struct").expect("a field").i32(1), Ok(Some(1)));
        assert!(parsed.has(1000) && !parsed.has(999));
        assert_eq!(parsed.i64(5), Err(super::Bad("a field has another type than the format says")));

        let mut changed = parsed.clone();
        changed.set_i64(6, 77);
        changed.set_binary(900, b"new");
        changed.remove(13);
        let bytes = changed.to_bytes();
        let again = Struct::parse(&bytes).expect("a struct");
        assert_eq!((again.i64(6), again.binary(900)), (Ok(Some(77)), Ok(Some(&b"new"[..]))));
        assert!(!again.has(13) && again.has(1000));
        let filled = [&bytes[..], &[0; 9]].concat();
        assert!(Struct::parse(&filled).is_ok());
        assert!(Struct::parse(&[&filled[..], &[1]].concat()).is_err());
    }

    #[test]
    fn cut_structs_are_refused() {
        let bytes = all_types();
        for len in 0..bytes.len() {
            assert!(Struct::parse(&bytes[..len]).is_err(), "{len} bytes");
        }
    }

    #[test]
    fn lies_are_refused() {
        // A list, a text and a map of more elements than there are bytes; fields twice; numbers of more than 64 and 16 bits.
        for bytes in [
            &[0x19, 0xf3, 0xff, 0xff, 0xff, 0xff, 0x0f, 0][..],
            &[0x18, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 0],
            &[0x1b, 0x7f, 0x88, 0],
            &[0x11, 0x01, 0x02, 0],
            &[0x16, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02, 0],
            &[0x01, 0x80, 0x80, 0x04, 0],
            &[0x1e, 0],
            &[0x19, 0x10, 0, 0],
        ] {
            assert!(Struct::parse(bytes).is_err(), "{bytes:?}");
        }
        // Lists inside each other.
        for (depth, parses) in [(MAX_DEPTH, true), (MAX_DEPTH + 1, false), (1_000_000, false)] {
            let mut bytes = vec![0x19];
            bytes.extend(std::iter::repeat_n(0x19, depth as usize - 1));
            bytes.extend([0x03, 0]);
            assert_eq!(Struct::parse(&bytes).is_ok(), parses, "{depth} lists");
        }
    }
}
