//! Columns against one call for each value.

use crate::common::{Random, same};
use abreast::aes::{Aes128, Aes192, Aes256};
use abreast::aez::Aez;
use abreast::columns::{
    Aad, Column, ColumnError, ColumnKey, Keys, Offsets, OffsetsMut, Prefixes, Prepare, RowKeys, Values,
    WINDOW, Weave, Woven,
};
use abreast::modes::{CounterWidth, Ctr, Gcm, Siv};
use abreast::serpent::Serpent;
use abreast::xtea::Xtea;
use abreast::{BlockCipher128, Error};

/// A column that owns its parts.
struct Owned {
    offsets: Vec<i64>,
    data: Vec<u8>,
    validity: Vec<u8>,
    bit_offset: usize,
}

impl Owned {
    /// Makes `rows` rows of log-uniform lengths, empty ones among them, in the middle of other bytes. About one in six is null;
    /// some null rows have bytes.
    fn new(random: &mut Random, rows: usize) -> Self {
        let first = random.up_to(9);
        let (mut offsets, bit_offset) = (vec![first as i64], random.up_to(11));
        let mut at = first;
        for _ in 0..rows {
            // One in some hundred is too long for one pass, or for one thread.
            let most = if random.up_to(200) == 0 { 17 } else { 11 };
            let most = 1 << random.up_to(most);
            at += random.up_to(most);
            offsets.push(at as i64);
        }
        let more = random.up_to(2);
        let mut validity = random.bytes((bit_offset + rows).div_ceil(8) + more);
        for row in 0..rows {
            let bit = bit_offset + row;
            validity[bit / 8] &= !(1 << (bit % 8));
            validity[bit / 8] |= u8::from(random.up_to(5) > 0) << (bit % 8);
        }
        let data = random.bytes(at + 7);
        Self { offsets, data, validity, bit_offset }
    }

    fn values<'a>(&'a self, narrow: &'a [i32]) -> Values<'a> {
        let offsets = if narrow.is_empty() { Offsets::I64(&self.offsets) } else { Offsets::I32(narrow) };
        let values = Values::new(offsets, &self.data).expect("a column");
        values.with_validity(&self.validity, self.bit_offset).expect("enough bits")
    }

    fn narrow(&self) -> Vec<i32> {
        self.offsets.iter().map(|offset| i32::try_from(*offset).expect("short")).collect()
    }
}

/// The rows of a column around which windows begin and end.
fn counts() -> Vec<usize> {
    vec![0, 1, 2, WINDOW - 1, WINDOW, WINDOW + 1, 2 * WINDOW + 3]
}

/// A mode of columns, and its result for one value.
trait Judge: ColumnKey {
    const NAME: &'static str;
    /// The value that a value becomes.
    fn one(&self, nonce: &[u8], aad: &[u8], value: &[u8]) -> Vec<u8>;
}

impl<C: BlockCipher128> Judge for Gcm<C> {
    const NAME: &'static str = "GCM";
    fn one(&self, nonce: &[u8], aad: &[u8], value: &[u8]) -> Vec<u8> {
        let (mut data, mut tag) = (value.to_vec(), [0; 16]);
        self.encrypt_detached(nonce, aad, data.as_mut_slice(), &mut tag).expect("short");
        [nonce, &data, &tag].concat()
    }
}

impl<C: BlockCipher128> Judge for Siv<C> {
    const NAME: &'static str = "SIV";
    fn one(&self, _: &[u8], aad: &[u8], value: &[u8]) -> Vec<u8> {
        let mut data = [&[0; 16], value].concat();
        self.encrypt_joined(&[aad], data.as_mut_slice()).expect("one string");
        data
    }
}

impl Judge for Aez {
    const NAME: &'static str = "AEZ";
    fn one(&self, _: &[u8], aad: &[u8], value: &[u8]) -> Vec<u8> {
        let mut data = [value, &[0; 16]].concat();
        let strings: &[&[u8]] = if aad.is_empty() { &[] } else { &[aad] };
        self.encrypt_joined(&[], strings, data.as_mut_slice()).expect("short");
        data
    }
}

impl Judge for Xtea {
    const NAME: &'static str = "XTEA in counter mode";
    fn one(&self, nonce: &[u8], _: &[u8], value: &[u8]) -> Vec<u8> {
        let mut data = value.to_vec();
        let mut ctr = Ctr::from_cipher(self, nonce, CounterWidth::Bits64).expect("a block");
        ctr.apply(data.as_mut_slice()).expect("short");
        [nonce, &data].concat()
    }
}

type ModeOf<K> = <K as ColumnKey>::Mode;

/// Seals and opens a column of each size, row by row as one call each does, and with some rows changed.
fn check<J: Judge, K: RowKeys<Key = J>>(
    seed: u64,
    without: Weave<'_, ModeOf<J>>,
    judge: &dyn Fn(usize) -> J,
    keys: &dyn Fn(usize) -> K,
) {
    let mut random = Random::new(seed);
    let (nonce_len, authentic) = (<ModeOf<J>>::NONCE, <ModeOf<J>>::TAG > 0);
    for (round, rows) in counts().into_iter().enumerate() {
        let what = format!("{}, {rows} rows", J::NAME);
        let column = Owned::new(&mut random, rows);
        let narrow = column.narrow();
        let values = column.values(if round % 2 == 0 { &narrow } else { &[] });
        let nonces = random.bytes(rows * nonce_len);
        let prefix = random.bytes(9);
        let prefix: [&[u8]; 3] = [&prefix[..5], b"", &prefix];
        let numbers: Vec<_> = (0..rows).map(|_| random.up_to(2) as u32).collect();
        let first = [prefix[0]];
        let which = random.up_to(2);
        let prefixes = match which {
            0 => Prefixes::NONE,
            1 => Prefixes::one(&first),
            _ => Prefixes::of_rows(&prefix, &numbers).expect("of three"),
        };
        let prefix_of =
            |row| [&[], prefix[0], prefix.get(numbers[row] as usize).copied().unwrap_or(&[])][which];
        let weave = without.with_prefixes(prefixes);
        let strings = Owned::new(&mut random, rows);
        let aad = match round % 3 {
            _ if !authentic => Aad::One(b""),
            0 => Aad::One(b"table.column"),
            1 => Aad::PerRow(strings.values(&[])),
            _ => Aad::One(b""),
        };
        let aad_of = |row| match aad {
            Aad::One(string) => string,
            Aad::PerRow(strings) => strings.value(row),
        };
        let (mut expected, mut expected_offsets) = (Vec::new(), vec![0]);
        for row in 0..rows {
            if values.is_valid(row) {
                let nonce = &nonces[row * nonce_len..][..nonce_len];
                expected.extend(prefix_of(row));
                expected.extend(judge(row).one(nonce, aad_of(row), values.value(row)));
            }
            expected_offsets.push(expected.len() as i64);
        }
        assert_eq!(weave.sealed_len(&values), Ok(expected.len()), "{what}");
        // More room than there needs to be.
        let mut out = vec![0x3c; expected.len() + 5];
        let mut offsets = vec![-1; rows + 1];
        let sealed = weave.seal(&values, &nonces, aad, keys(rows), &mut out, OffsetsMut::I64(&mut offsets));
        assert_eq!(sealed, Ok(()), "{what}");
        assert_eq!(offsets, expected_offsets, "{what}");
        same(&out[..expected.len()], &expected, || what.clone());
        assert_eq!(out[expected.len()..], [0x3c; 5], "{what}");

        // Some rows changed.
        let mut bad = vec![false; rows];
        for (row, bad) in bad.iter_mut().enumerate() {
            let [start, end] = [offsets[row] as usize, offsets[row + 1] as usize];
            if authentic && end > start && random.up_to(7) == 0 {
                out[start + random.up_to(end - start - 1)] ^= 1 << random.up_to(7);
                *bad = true;
            }
        }
        let sealed = Values::new(Offsets::I64(&offsets), &out).expect("a column");
        let sealed = sealed.with_validity(&column.validity, column.bit_offset).expect("enough bits");
        let (mut plain, mut plain_offsets) = (Vec::new(), vec![0]);
        for (row, bad) in bad.iter().enumerate() {
            let value = values.value(row);
            plain.extend(if *bad { vec![0; value.len()] } else { value.to_vec() });
            plain_offsets.push(plain.len() as i32);
        }
        let mut opened = vec![0x3c; plain.len()];
        let (mut opened_offsets, mut failed) = (vec![-1; rows + 1], vec![0xff; rows.div_ceil(8)]);
        let offsets_out = OffsetsMut::I32(&mut opened_offsets);
        let count = weave.open(&sealed, aad, keys(rows), &mut opened, offsets_out, &mut failed);
        assert_eq!(count, Ok(bad.iter().filter(|bad| **bad).count()), "{what}");
        same(&opened, &plain, || what.clone());
        assert_eq!(opened_offsets, plain_offsets, "{what}");
        let failed: Vec<_> = (0..8 * failed.len()).map(|bit| failed[bit / 8] >> (bit % 8) & 1 == 1).collect();
        assert_eq!(failed[..rows], bad, "{what}");
        assert!(failed[rows..].iter().all(|bit| !bit), "{what}");
    }
}

/// Raw keys, a few more than the longest column has rows.
fn raw(len: usize) -> Vec<u8> {
    Random::new(len as u64).bytes(len * (2 * WINDOW + 9))
}

/// The bytes of a key among them.
fn nth<const N: usize>(raw: &[u8], which: usize) -> &[u8; N] {
    &raw.as_chunks().0[which]
}

/// Returns the key number of each row: a few keys in some order, and for the last rows keys of their own.
fn indices() -> Vec<u32> {
    (0..2 * WINDOW as u32 + 9)
        .map(|row| if row > WINDOW as u32 + 50 { row } else { row * row % 11 })
        .collect()
}

/// With one key for all rows, with keys looked up, with raw keys of rows, and with raw keys by number.
fn in_all_ways<J: Judge + Prepare<N>, const N: usize>(
    seed: u64,
    weave: Weave<'_, ModeOf<J>>,
    make: impl Fn(&[u8; N]) -> J,
) where
    for<'k> &'k J: RowKeys<Key = J>,
{
    let (raw, indices) = (raw(N), indices());
    let one = make(nth(&raw, 3));
    check(seed, weave, &|_| make(nth(&raw, 3)), &|_| &one);
    let many: Vec<J> = (0..2 * WINDOW + 9).map(|which| make(nth(&raw, which))).collect();
    let many = &many;
    check(seed + 1, weave, &|row| make(nth(&raw, row)), &|_| move |row: usize| &many[row]);
    check(seed + 2, weave, &|row| make(nth(&raw, row)), &|_| Keys::<J, N>::new(&raw).expect("keys"));
    check(seed + 3, weave, &|row| make(nth(&raw, indices[row] as usize)), &|_| {
        Keys::<J, N>::new(&raw).expect("keys").with_indices(&indices)
    });
}

#[test]
fn gcm() {
    in_all_ways::<_, 16>(100, Weave::GCM, |key| Gcm::from_cipher(Aes128::new(key)));
    in_all_ways::<_, 24>(110, Weave::GCM, |key| Gcm::from_cipher(Aes192::new(key)));
    in_all_ways::<_, 32>(120, Weave::GCM, |key| Gcm::from_cipher(Aes256::new(key)));
    in_all_ways::<_, 16>(130, Weave::GCM, |key| Gcm::from_cipher(Serpent::new(key).expect("a key")));
    in_all_ways::<_, 32>(140, Weave::GCM, |key| Gcm::from_cipher(Serpent::new(key).expect("a key")));
}

#[test]
fn siv() {
    in_all_ways::<_, 32>(200, Weave::SIV, |key| Siv::<Aes128>::new(key).expect("two keys"));
    in_all_ways::<_, 48>(210, Weave::SIV, |key| Siv::<Aes192>::new(key).expect("two keys"));
    in_all_ways::<_, 64>(220, Weave::SIV, |key| Siv::<Aes256>::new(key).expect("two keys"));
    in_all_ways::<_, 48>(230, Weave::SIV, |key| Siv::<Serpent>::new(key).expect("two keys"));
}

#[test]
fn aez() {
    in_all_ways::<_, 48>(300, Weave::AEZ, |key| Aez::new(key));
}

#[test]
fn xtea_in_counter_mode() {
    in_all_ways::<_, 16>(400, Weave::CTR, Xtea::new);
}

#[test]
fn prefixes() {
    let key = Siv::<Aes128>::new(&[7; 32]).expect("two keys");
    let two = || Values::new(Offsets::I32(&[0, 3, 8]), b"Annbravo").expect("a column");
    let strings: [&[u8]; 2] = [&[1, 0, 0, 0, 9], b""];
    assert_eq!(Prefixes::of_rows(&strings, &[1, 2, 0]).err(), Some(ColumnError::NoKey { row: 1 }));
    assert_eq!(Prefixes::of_rows(&[], &[0]).err(), Some(ColumnError::NoKey { row: 0 }));
    // One number for two rows.
    let weave = Weave::SIV.with_prefixes(Prefixes::of_rows(&strings, &[0]).expect("of two"));
    let (mut out, mut offsets, mut failed) = ([0x3c; 100], [0; 3], [0]);
    let sealed = weave.seal(&two(), &[], b"".into(), &key, &mut out, OffsetsMut::I32(&mut offsets));
    assert_eq!(sealed, Err(ColumnError::PrefixRows));
    let offsets_out = OffsetsMut::I32(&mut offsets);
    let opened = weave.open(&two(), b"".into(), &key, &mut out, offsets_out, &mut failed);
    assert_eq!((opened, out), (Err(ColumnError::PrefixRows), [0x3c; 100]));
    // Values cut at every length, around the ends of prefix and tag too.
    let weave = Weave::SIV.with_prefixes(Prefixes::one(strings.first_chunk().expect("two")));
    let one = Values::new(Offsets::I32(&[0, 3]), b"Ann").expect("a column");
    let (mut sealed, mut offsets) = ([0; 24], [0; 2]);
    weave.seal(&one, &[], b"".into(), &key, &mut sealed, OffsetsMut::I32(&mut offsets)).expect("enough room");
    for len in 0..=24_usize {
        let offsets = [0, len as i32];
        let values = Values::new(Offsets::I32(&offsets), &sealed).expect("a column");
        let (mut opened, mut offsets, mut failed) = ([0x3c; 3], [0; 2], [0]);
        let offsets_out = OffsetsMut::I32(&mut offsets);
        let count = weave.open(&values, b"".into(), &key, &mut opened, offsets_out, &mut failed);
        assert_eq!((count, failed[0]), (Ok(usize::from(len < 24)), u8::from(len < 24)), "{len} bytes");
        let room = len.saturating_sub(21);
        assert_eq!(&opened[..room], if len < 24 { &b"\0\0\0"[..room] } else { b"Ann" }, "{len} bytes");
        assert_eq!((offsets, &opened[room..]), ([0, room as i32], &b"<<<"[room..]), "{len} bytes");
    }
}

/// The detached form writes the same as single calls, and nothing between rows.
fn check_detached<J: Judge + Prepare<N>, const N: usize>(seed: u64, make: impl Fn(&[u8; N]) -> J) {
    let mut random = Random::new(seed);
    let raw = raw(N);
    let (nonce_len, tag_len) = (<ModeOf<J>>::NONCE, <ModeOf<J>>::TAG);
    for rows in counts() {
        let what = format!("{}, {rows} rows", J::NAME);
        let column = Owned::new(&mut random, rows);
        let values = column.values(&[]);
        let nonces = random.bytes(nonce_len * rows);
        let strings = Owned::new(&mut random, rows);
        let aad = if tag_len > 0 { Aad::PerRow(strings.values(&[])) } else { Aad::One(b"") };
        let (mut expected, mut expected_tags) = (vec![0x3c; column.data.len()], vec![0x5a; tag_len * rows]);
        for row in (0..rows).filter(|row| values.is_valid(*row)) {
            let range = column.offsets[row] as usize..column.offsets[row + 1] as usize;
            let (nonce, aad) = (&nonces[nonce_len * row..][..nonce_len], strings.values(&[]).value(row));
            let woven = make(nth(&raw, row)).one(nonce, aad, values.value(row));
            let (text, tag) = if <ModeOf<J>>::TAG_FIRST {
                let (tag, text) = woven.split_at(tag_len);
                (text, tag)
            } else {
                woven[nonce_len..].split_at(range.len())
            };
            expected[range].copy_from_slice(text);
            expected_tags[tag_len * row..][..tag_len].copy_from_slice(tag);
        }
        let (mut output, mut tags) = (vec![0x3c; column.data.len()], vec![0x5a; tag_len * rows]);
        let keys = || Keys::<J, N>::new(&raw).expect("keys");
        let encrypted =
            Column { values, output: &mut output, nonces: &nonces, tags: &mut tags, aad }.encrypt(keys());
        assert_eq!(encrypted, Ok(()), "{what}");
        same(&output, &expected, || what.clone());
        same(&tags, &expected_tags, || what.clone());

        let bad: Vec<_> = (0..rows).map(|row| tag_len > 0 && values.is_valid(row) && row % 5 == 1).collect();
        (0..rows).filter(|row| bad[*row]).for_each(|row| tags[16 * row + row % 16] ^= 0x10);
        let sealed = Values::new(Offsets::I64(&column.offsets), &output).expect("a column");
        let values = sealed.with_validity(&column.validity, column.bit_offset).expect("enough bits");
        let (mut opened, mut failed) = (vec![0x3c; output.len()], vec![0xff; rows.div_ceil(8)]);
        let count = Column { values, output: &mut opened, nonces: &nonces, tags: &mut tags, aad }
            .decrypt(keys(), &mut failed);
        assert_eq!(count, Ok(bad.iter().filter(|bad| **bad).count()), "{what}");
        let mut plain = vec![0x3c; output.len()];
        for row in (0..rows).filter(|row| values.is_valid(*row)) {
            let range = column.offsets[row] as usize..column.offsets[row + 1] as usize;
            assert_eq!(failed[row / 8] >> (row % 8) & 1 == 1, bad[row], "row {row} of {what}");
            match bad[row] {
                false => plain[range.clone()].copy_from_slice(&column.data[range]),
                true => plain[range].fill(0),
            }
        }
        same(&opened, &plain, || what.clone());
    }
}

#[test]
fn detached() {
    check_detached::<_, 16>(500, |key| Gcm::from_cipher(Aes128::new(key)));
    check_detached::<_, 24>(510, |key| Gcm::from_cipher(Serpent::new(key).expect("a key")));
    check_detached::<_, 64>(520, |key| Siv::<Aes256>::new(key).expect("two keys"));
    check_detached::<_, 48>(530, |key| Aez::new(key));
    check_detached::<_, 16>(540, Xtea::new);
}

#[test]
fn hostile_offsets() {
    let of = |offsets: &[i64]| Values::new(Offsets::I64(offsets), &[0; 10]).err();
    let of_32 = |offsets: &[i32]| Values::new(Offsets::I32(offsets), &[0; 10]).err();
    assert_eq!((of(&[]), of_32(&[])), (Some(ColumnError::NoOffsets), Some(ColumnError::NoOffsets)));
    assert_eq!((of(&[10]), of_32(&[0, 0, 10])), (None, None));
    assert_eq!(of(&[11]), Some(ColumnError::OffsetPastEnd { row: 0 }));
    assert_eq!(of(&[i64::MAX]), Some(ColumnError::OffsetPastEnd { row: 0 }));
    assert_eq!(of(&[-1, 3]), Some(ColumnError::OffsetNegative { row: 0 }));
    assert_eq!(of_32(&[0, 3, -1]), Some(ColumnError::OffsetNegative { row: 1 }));
    assert_eq!(of_32(&[0, 3, i32::MIN, 4]), Some(ColumnError::OffsetNegative { row: 1 }));
    assert_eq!(of(&[0, 5, 4]), Some(ColumnError::OffsetDecreases { row: 1 }));
    assert_eq!(of(&[0, 5, 11]), Some(ColumnError::OffsetPastEnd { row: 1 }));
    assert_eq!(of_32(&[0, i32::MAX]), Some(ColumnError::OffsetPastEnd { row: 0 }));
    assert_eq!(of(&[0, i64::MAX, 0]), Some(ColumnError::OffsetPastEnd { row: 0 }));
    let values = Values::new(Offsets::I32(&[0, 1, 2, 3, 4, 5, 6, 7, 8]), &[0; 10]).expect("a column");
    assert_eq!(values.with_validity(&[0xff], 0).err(), None);
    assert_eq!(values.with_validity(&[0xff], 1).err(), Some(ColumnError::ValidityLength));
    assert_eq!(values.with_validity(&[], usize::MAX).err(), Some(ColumnError::ValidityLength));
    assert_eq!((values.value(8), values.value(usize::MAX)), (&[][..], &[][..]));
}

/// A value so long that where its ciphertext ends has more than 31 bits, or only just not.
#[test]
fn overflow_of_offsets() {
    let key = Siv::<Aes128>::new(&[1; 32]).expect("two keys");
    // Zeros that are never touched.
    let data = vec![0; i32::MAX as usize];
    let mut out = [0; 4];
    for (end, error) in
        [(i32::MAX - 15, ColumnError::OffsetOverflow), (i32::MAX - 16, ColumnError::OutputLength)]
    {
        let offsets = [0, end];
        let values = Values::new(Offsets::I32(&offsets), &data).expect("a column");
        let mut narrow = [7; 2];
        let sealed = Weave::SIV.seal(&values, &[], b"".into(), &key, &mut out, OffsetsMut::I32(&mut narrow));
        assert_eq!((sealed, narrow), (Err(error), [7; 2]), "nothing was written");
        let mut wide = [7; 2];
        let sealed = Weave::SIV.seal(&values, &[], b"".into(), &key, &mut out, OffsetsMut::I64(&mut wide));
        assert_eq!((sealed, wide), (Err(ColumnError::OutputLength), [7; 2]));
    }
}

#[test]
fn wrong_lengths() {
    let gcm = Gcm::from_cipher(Aes128::new(&[1; 16]));
    let values = Values::new(Offsets::I32(&[0, 3, 5]), b"fiver").expect("a column");
    let one = Values::new(Offsets::I32(&[0, 3]), b"aad").expect("a column");
    let seal = |nonces: usize, aad, out: usize, offsets: usize| {
        let (mut out, mut offsets) = (vec![7; out], vec![7; offsets]);
        let nonces = vec![1; nonces];
        let sealed = Weave::GCM.seal(&values, &nonces, aad, &gcm, &mut out, OffsetsMut::I32(&mut offsets));
        assert!(sealed.is_ok() || out.iter().all(|byte| *byte == 7), "nothing was written");
        sealed
    };
    assert_eq!(seal(24, b"".into(), 61, 3), Ok(()));
    assert_eq!(seal(23, b"".into(), 61, 3), Err(ColumnError::NonceLength));
    assert_eq!(seal(24, one.into(), 61, 3), Err(ColumnError::AssociatedDataRows));
    let in_ctr = |aad| {
        let xtea = Xtea::new(&[1; 16]);
        Weave::CTR.seal(&values, &[1; 16], aad, &xtea, &mut [7; 21], OffsetsMut::I32(&mut [7; 3]))
    };
    assert_eq!(in_ctr(b"".into()), Ok(()));
    assert_eq!(in_ctr(b"aad".into()), Err(ColumnError::AssociatedData));
    assert_eq!(in_ctr(one.into()), Err(ColumnError::AssociatedData));
    assert_eq!(seal(24, b"".into(), 60, 3), Err(ColumnError::OutputLength));
    assert_eq!(seal(24, b"".into(), 61, 2), Err(ColumnError::OffsetsLength));
    let mut offsets = [0; 3];
    let mut open = |failed: &mut [u8]| {
        Weave::GCM.open(&values, b"".into(), &gcm, &mut [], OffsetsMut::I32(&mut offsets), failed)
    };
    assert_eq!(open(&mut []), Err(ColumnError::FailedLength));
    // Both too short to be authentic.
    let mut failed = [0];
    assert_eq!((open(&mut failed), failed), (Ok(2), [0b11]));
    let mut tags = [0; 32];
    let mut output = [7; 5];
    let column = |nonces: &[u8], output: &mut [u8], tags: &mut [u8]| {
        Column { values, output, nonces, tags, aad: b"".into() }.encrypt(&gcm)
    };
    assert_eq!(column(&[0; 24], &mut output[..4], &mut tags), Err(ColumnError::OutputLength));
    assert_eq!(column(&[0; 25], &mut output, &mut tags), Err(ColumnError::NonceLength));
    assert_eq!(column(&[0; 24], &mut output, &mut tags[1..]), Err(ColumnError::TagLength));
    assert_eq!(output, [7; 5], "nothing was written");
    assert_eq!(column(&[0; 24], &mut output, &mut tags), Ok(()));
}

#[test]
fn keys_that_are_missing() {
    let values = Values::new(Offsets::I32(&[0, 3, 5]), b"fiver").expect("a column");
    assert!(matches!(Keys::<Gcm<Aes128>, 16>::new(&[0; 33]), Err(ColumnError::KeyBytes)));
    let (mut out, mut offsets) = ([0; 61], [0; 3]);
    let mut seal = |keys: Keys<'_, Gcm<Aes128>, 16>| {
        Weave::GCM.seal(&values, &[0; 24], b"".into(), keys, &mut out, OffsetsMut::I32(&mut offsets))
    };
    let keys = |len: usize| Keys::new(&[0; 48][..len]).expect("whole keys");
    assert_eq!(seal(keys(16)), Err(ColumnError::NoKey { row: 1 }));
    assert_eq!(seal(keys(48)), Ok(()));
    assert_eq!(seal(keys(48).with_indices(&[0, 3])), Err(ColumnError::NoKey { row: 1 }));
    assert_eq!(seal(keys(48).with_indices(&[3, 0])), Err(ColumnError::NoKey { row: 0 }));
    assert_eq!(seal(keys(48).with_indices(&[0])), Err(ColumnError::NoKey { row: 1 }));
    assert_eq!(seal(keys(48).with_indices(&[2, 2])), Ok(()));
    assert_eq!(seal(keys(0)), Err(ColumnError::NoKey { row: 0 }));
    let _: Error = Error::TagMismatch;
}
