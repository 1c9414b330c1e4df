//! The time to prepare a raw key of XTEA for each row of a column, beside `Xtea::new` for each: nanoseconds per key, the best
//! of many trials.
//!
//! ```sh
//! cargo run --release --example column_keys --features full
//! ```

use abreast::columns::{ColumnError, Keys, RowKeys, WINDOW};
use abreast::xtea::Xtea;
use std::hint::black_box;
use std::time::{Duration, Instant};

const KEYS: usize = 200_000;

/// Nanoseconds per key.
fn best(mut trial: impl FnMut() -> Result<(), ColumnError>) -> Result<f64, ColumnError> {
    let mut best = Duration::MAX;
    for _ in 0..200 {
        let start = Instant::now();
        trial()?;
        best = best.min(start.elapsed());
    }
    Ok(best.as_nanos() as f64 / KEYS as f64)
}

fn main() -> Result<(), ColumnError> {
    let raw: Vec<u8> = (0..16 * KEYS).map(|i| (i * 7 + i / 251) as u8).collect();
    let rows: Vec<usize> = (0..KEYS).collect();
    let one_by_one = best(|| {
        let ciphers: Vec<Xtea> = raw.as_chunks().0.iter().map(Xtea::new).collect();
        black_box(&ciphers);
        Ok(())
    })?;
    // One window of keys at a time, without memory for all of them at once.
    let mut some = Vec::with_capacity(WINDOW);
    let in_cache = best(|| {
        for keys in raw.as_chunks().0.chunks(WINDOW) {
            some.clear();
            some.extend(keys.iter().map(Xtea::new));
            black_box(&some);
        }
        Ok(())
    })?;
    let in_columns = best(|| {
        let mut keys = Keys::<Xtea, 16>::new(&raw)?;
        for rows in rows.chunks(WINDOW) {
            keys.with_keys(rows, |keys| black_box(keys).len())?;
        }
        Ok(())
    })?;
    println!("Xtea::new, all in a Vec         {one_by_one:6.2} ns");
    println!("Xtea::new, {WINDOW} in a Vec        {in_cache:6.2} ns");
    println!("columns::Keys, {WINDOW} at a time   {in_columns:6.2} ns");
    Ok(())
}
