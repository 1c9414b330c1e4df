//! Columns at the edges of their memory: whatever a column reads or writes lies flush against a page that faults.

use crate::common::guarded::{End, flush, guarded, put};
use crate::common::{Random, long_or_short, same};
use abreast::aes::Aes128;
use abreast::aez::Aez;
use abreast::columns::{ColumnKey, Keys, Offsets, OffsetsMut, Prepare, Values, WINDOW, Weave, Woven};
use abreast::modes::{Gcm, Siv};
use abreast::xtea::Xtea;

/// More than any column here has bytes, in whole pages.
const CAPACITY: usize = 1 << 20;

/// Values of up to 70 bytes, and where each begins and ends.
fn column(random: &mut Random, rows: usize) -> (Vec<i32>, Vec<u8>) {
    let (mut offsets, mut data) = (vec![0], Vec::new());
    for _ in 0..rows {
        let len = random.up_to(70);
        data.extend(random.bytes(len));
        offsets.push(data.len() as i32);
    }
    (offsets, data)
}

/// A column is encrypted and decrypted in guarded memory as it is in other memory.
fn woven<P: Prepare<N>, const N: usize>(weave: Weave<<P as ColumnKey>::Mode>) {
    let mut random = Random::new(N as u64);
    let mut memory = [(); 8].map(|()| guarded(CAPACITY));
    for (rows, ends) in [1, 2, 9, WINDOW, long_or_short(WINDOW + 3, WINDOW + 1)]
        .into_iter()
        .flat_map(|rows| [(rows, [End::First, End::Last]), (rows, [End::Last, End::First])])
    {
        let (offsets, data) = column(&mut random, rows);
        let raw = random.bytes(rows * N);
        let nonces = random.bytes(rows * <P::Mode as Woven>::NONCE);
        let aad = if <P::Mode as Woven>::TAG > 0 { &b"associated data"[..] } else { b"" };
        let validity = vec![0xff; rows.div_ceil(8)];
        let values = Values::new(Offsets::I32(&offsets), &data).expect("a column");
        let mut expected = vec![0; weave.sealed_len(&values).expect("short")];
        let mut expected_offsets = vec![0; rows + 1];
        let keys = Keys::<P, N>::new(&raw).expect("whole keys");
        let out = OffsetsMut::I64(&mut expected_offsets);
        weave.seal(&values, &nonces, aad.into(), keys, &mut expected, out).expect("a column");

        // Neighbours in the order of the code lie at different ends.
        let [one, two] = ends;
        let [first, second, third, fourth, fifth, sixth, seventh, eighth] = memory.each_mut();
        let (data_place, raw) = (put(first, one, &data), put(second, two, &raw));
        let (nonces, aad) = (put(third, one, &nonces), put(fourth, two, aad));
        let (validity, sealed) = (put(fifth, one, &validity), flush(sixth, two, expected.len()));
        let (opened, failed) = (flush(seventh, one, data.len()), flush(eighth, two, validity.len()));
        let of = |offsets, data| {
            let values = Values::new(offsets, data).expect("a column");
            values.with_validity(validity, 0).expect("a bit for each row")
        };
        let (mut sealed_offsets, mut opened_offsets) = (vec![0; rows + 1], vec![0; rows + 1]);
        let keys = || Keys::<P, N>::new(raw).expect("whole keys");
        let values = of(Offsets::I32(&offsets), data_place);
        let out = OffsetsMut::I64(&mut sealed_offsets);
        let done = weave.seal(&values, nonces, (&*aad).into(), keys(), sealed, out);
        assert_eq!((done, &sealed_offsets), (Ok(()), &expected_offsets), "{rows} rows, {ends:?}");
        same(sealed, &expected, || format!("{rows} rows, {ends:?}"));

        let values = of(Offsets::I64(&sealed_offsets), sealed);
        let out = OffsetsMut::I32(&mut opened_offsets);
        let done = weave.open(&values, (&*aad).into(), keys(), opened, out, failed);
        assert_eq!((done, &opened_offsets), (Ok(0), &offsets), "{rows} rows, {ends:?}");
        same(opened, &data, || format!("{rows} rows, {ends:?}"));
    }
}

#[test]
fn gcm() {
    woven::<Gcm<Aes128>, 16>(Weave::GCM);
}

#[test]
fn siv() {
    woven::<Siv<Aes128>, 32>(Weave::SIV);
}

#[test]
fn aez() {
    woven::<Aez, 48>(Weave::AEZ);
}

#[test]
fn xtea_in_counter_mode() {
    woven::<Xtea, 16>(Weave::CTR);
}
