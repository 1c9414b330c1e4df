//! Columns: one key for all rows, and keys that are prepared for as long as the rows need them.

use abreast::Kernel;
use abreast::aes::Aes256;
use abreast::columns::{Column, ColumnError, Keys, Offsets, OffsetsMut, RowKeys, Values, Weave};
use abreast::kernels::Algorithm;
use abreast::modes::{Gcm, Siv};
use abreast::serpent::Serpent;

use crate::examiner::{Examiner, public};

/// The offsets of the rows, one of which is empty.
const OFFSETS: [i32; 7] = [0, 16, 16, 53, 60, 300, 333];
const ROWS: usize = OFFSETS.len() - 1;
const LEN: usize = 333;

/// The columns of a cipher.
#[inline(never)]
pub(super) fn run(x: &Examiner, algorithm: Algorithm, kernel: Kernel) {
    let keys = [(); 2].map(|()| x.secret(algorithm.key_len()));
    let ciphers = keys.each_ref().map(|key| algorithm.with_key_128(key, Some(kernel)).expect("its kernel"));
    let [mac, text] = ciphers;
    woven(x, &Siv::from_ciphers(mac, text));
    let cipher = algorithm.with_key_128(&keys[0], Some(kernel)).expect("its kernel");
    detached(x, "one key", &Gcm::from_cipher(cipher));

    // Keys of rows are made for the best kernel.
    if algorithm.best_kernel() == Some(kernel) {
        let raw = x.secret(32 * ROWS);
        match algorithm.name() {
            "aes-256" => detached_under_keys(x, || Keys::<Gcm<Aes256>, 32>::new(&raw)),
            "serpent-256" => detached_under_keys(x, || Keys::<Gcm<Serpent>, 32>::new(&raw)),
            _ => {}
        }
    }
}

/// Values that become longer.
#[inline(never)]
fn woven<C: abreast::BlockCipher128>(x: &Examiner, siv: &Siv<C>) {
    let data = x.secret(LEN);
    let mut sealed = x.secret(LEN + 16 * ROWS);
    let (mut offsets, mut opened, mut failed) = ([0; ROWS + 1], x.secret(LEN), [0]);
    let done = x.run(format_args!("column, siv, seal"), || {
        let values = Values::new(Offsets::I32(&OFFSETS), &data)?;
        Weave::SIV.seal(&values, &[], b"name".into(), siv, &mut sealed, OffsetsMut::I32(&mut offsets))
    });
    assert!(done.is_ok(), "{done:?}");
    let done = x.run(format_args!("column, siv, open"), || {
        let values = Values::new(Offsets::I32(&offsets), &sealed)?;
        let mut out = OFFSETS;
        Weave::SIV.open(&values, b"name".into(), siv, &mut opened, OffsetsMut::I32(&mut out), &mut failed)
    });
    let count = done.expect("a column");
    x.publish(&count);
    assert_eq!(count, 0);
}

/// Runs a column whose values keep their lengths, with one key for all rows.
#[inline(never)]
fn detached<C: abreast::BlockCipher128>(x: &Examiner, what: &str, gcm: &Gcm<C>) {
    column(x, what, || Ok(gcm), || Ok(gcm));
}

/// Runs a column whose values keep their lengths, with a key for each row.
#[inline(never)]
fn detached_under_keys<K: RowKeys>(x: &Examiner, keys: impl Fn() -> Result<K, ColumnError>) {
    column(x, "keys of rows", &keys, &keys);
}

fn column<K: RowKeys>(
    x: &Examiner,
    what: &str,
    sealing: impl FnOnce() -> Result<K, ColumnError>,
    opening: impl FnOnce() -> Result<K, ColumnError>,
) {
    let (data, nonces) = (x.secret(LEN), public(12 * ROWS, 3));
    let (mut sealed, mut opened, mut tags, mut failed) =
        (x.secret(LEN), x.secret(LEN), x.secret(16 * ROWS), [0]);
    let done = x.run(format_args!("column, gcm, {what}, encrypt"), || {
        let values = Values::new(Offsets::I32(&OFFSETS), &data)?;
        let column =
            Column { values, output: &mut sealed, nonces: &nonces, tags: &mut tags, aad: b"name".into() };
        column.encrypt(sealing()?)
    });
    assert!(done.is_ok(), "{done:?}");
    let done = x.run(format_args!("column, gcm, {what}, decrypt"), || {
        let values = Values::new(Offsets::I32(&OFFSETS), &sealed)?;
        let column =
            Column { values, output: &mut opened, nonces: &nonces, tags: &mut tags, aad: b"name".into() };
        column.decrypt(opening()?, &mut failed)
    });
    let count = done.expect("a column");
    x.publish(&count);
    assert_eq!(count, 0);
}
