//! Columns of values with any offsets and nulls.

use abreast::aes::Aes128;
use abreast::aez::Aez;
use abreast::columns::{Column, ColumnError, Keys, Offsets, OffsetsMut, Prepare, Values, Weave, Woven};
use abreast::modes::{Gcm, GcmSiv, Siv};
use abreast::xtea::Xtea;
use arbitrary::Arbitrary;

use crate::common::Random;
use crate::input::fields;

#[derive(Arbitrary, Debug)]
struct Case {
    mode: u8,
    /// True if offsets are taken unchanged; otherwise they are taken as lengths.
    hostile: bool,
    narrow: bool,
    bit_offset: u8,
    seed: u64,
    data_len: u16,
    validity: Option<Vec<u8>>,
    offsets: Vec<i16>,
}

/// Offsets that are none are refused; a column that is taken opens after it was sealed, and as something sealed it opens
/// nowhere.
pub(crate) fn run(data: &[u8]) {
    let Some(case) = fields::<Case>(data) else { return };
    match case.mode % 6 {
        0 => check::<Gcm<Aes128>, 16>(&case, Weave::GCM),
        1 => check::<Siv<Aes128>, 32>(&case, Weave::SIV),
        2 => check::<Aez, 48>(&case, Weave::AEZ),
        3 => check::<Xtea, 16>(&case, Weave::CTR),
        4 => check::<GcmSiv, 16>(&case, Weave::GCM_SIV),
        _ => check::<GcmSiv, 32>(&case, Weave::GCM_SIV),
    }
}

/// Returns the values with the nulls of a case.
fn mask<'a>(case: &'a Case, values: Values<'a>) -> Result<Values<'a>, ColumnError> {
    match &case.validity {
        Some(bitmap) => values.with_validity(bitmap, case.bit_offset.into()),
        None => Ok(values),
    }
}

fn check<P: Prepare<N>, const N: usize>(case: &Case, weave: Weave<'_, P::Mode>) {
    let mut random = Random::new(case.seed);
    let (mut wide, mut at) = (Vec::new(), 0);
    for offset in &case.offsets {
        wide.push(if case.hostile { i64::from(*offset) } else { at });
        at += i64::from(offset.unsigned_abs() % 2048);
    }
    let narrow: Vec<_> = wide.iter().map(|offset| *offset as i32).collect();
    let data = random.bytes(case.data_len.into());
    let offsets = if case.narrow { Offsets::I32(&narrow) } else { Offsets::I64(&wide) };
    let Ok(values) = Values::new(offsets, &data) else { return };
    let Ok(values) = mask(case, values) else { return };
    let rows = values.len();
    let raw = random.bytes(rows * N);
    let keys = || Keys::<P, N>::new(&raw).expect("whole keys");
    let nonces = random.bytes(rows * P::Mode::NONCE);
    let aad = if P::Mode::TAG > 0 { &b"associated data"[..] } else { b"" };

    let mut sealed = vec![0; weave.sealed_len(&values).expect("short")];
    let mut offsets = vec![0; rows + 1];
    let out = OffsetsMut::I64(&mut offsets);
    weave.seal(&values, &nonces, aad.into(), keys(), &mut sealed, out).expect("short");
    let column =
        mask(case, Values::new(Offsets::I64(&offsets), &sealed).expect("a column")).expect("as before");
    let mut opened = vec![0; weave.opened_len(&column).expect("short")];
    let (mut opened_offsets, mut failed) = (vec![0; rows + 1], vec![0; rows.div_ceil(8)]);
    let out = OffsetsMut::I64(&mut opened_offsets);
    let count = weave.open(&column, aad.into(), keys(), &mut opened, out, &mut failed);
    assert_eq!(count, Ok(0));
    let result = mask(case, Values::new(Offsets::I64(&opened_offsets), &opened).expect("a column"));
    let result = result.expect("as before");
    for row in 0..rows {
        assert_eq!(result.value(row), values.value(row), "row {row}");
    }

    // The column with tags apart.
    let (mut output, mut tags) = (vec![0; data.len()], vec![0; rows * P::Mode::TAG]);
    let sealed = Column { values, output: &mut output, nonces: &nonces, tags: &mut tags, aad: aad.into() };
    sealed.encrypt(keys()).expect("short");
    let same_places = if case.narrow { Offsets::I32(&narrow) } else { Offsets::I64(&wide) };
    let column = mask(case, Values::new(same_places, &output).expect("as before")).expect("as before");
    let mut again = vec![0; data.len()];
    let opened =
        Column { values: column, output: &mut again, nonces: &nonces, tags: &mut tags, aad: aad.into() };
    assert_eq!(opened.decrypt(keys(), &mut failed), Ok(0));
    let result = mask(case, Values::new(same_places, &again).expect("as before")).expect("as before");
    for row in 0..rows {
        assert_eq!(result.value(row), values.value(row), "row {row}, with tags apart");
    }

    let out = OffsetsMut::I64(&mut opened_offsets);
    let mut opened = vec![0; weave.opened_len(&values).expect("short")];
    let count = weave.open(&values, aad.into(), keys(), &mut opened, out, &mut failed);
    if P::Mode::TAG > 0 {
        let all = (0..rows).filter(|row| values.is_valid(*row)).count();
        assert_eq!(count, Ok(all), "values that nobody sealed were opened");
        assert!(opened.iter().all(|byte| *byte == 0));
    }
}
