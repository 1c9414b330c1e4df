//! The time to encrypt one tick, on one thread and on all: the mean, the 99th percentile and the maximum, in microseconds.
//!
//! A game server encrypts the pending packets of its players every ten milliseconds; players notice the longest
//! tick.
//!
//! ```sh
//! cargo run --release --example tick --features full,rayon
//! ```

use std::time::{Duration, Instant};

use abreast::packets::{self, CipherKey, Packet};
use abreast::xtea::Xtea;

/// Players, each with a key and a message.
const PLAYERS: usize = 3000;
/// Bytes of a message.
const BYTES: usize = 48;
/// Ticks that are measured.
const TICKS: usize = 2000;

fn main() {
    let keys: Vec<_> = (0..PLAYERS as u128).map(|n| Xtea::new(&n.to_le_bytes())).collect();
    println!(
        "{PLAYERS} messages of {BYTES} bytes, a key each, XTEA, {TICKS} ticks; the pool has {} threads",
        rayon::current_num_threads()
    );
    println!("{:12} {:>9} {:>9} {:>9}  us", "", "mean", "p99", "max");
    report("one thread", measure(&keys, packets::ecb_encrypt));
    report("all threads", measure(&keys, |batch| packets::in_parallel(batch, packets::ecb_encrypt)));
}

/// Encrypts each tick, and returns the times.
fn measure(keys: &[Xtea], encrypt: impl Fn(&mut [Packet<'_, CipherKey<'_>>])) -> Vec<Duration> {
    let mut messages = vec![[0; BYTES]; keys.len()];
    let mut batch: Vec<_> = (keys.iter().zip(&mut messages))
        .map(|(key, message)| Packet::new(key, &[], message.as_mut_slice()))
        .collect();
    (0..TICKS)
        .map(|_| {
            let start = Instant::now();
            encrypt(&mut batch);
            start.elapsed()
        })
        .collect()
}

/// A line of the table.
fn report(name: &str, mut times: Vec<Duration>) {
    times.sort();
    let us = |time: Duration| time.as_secs_f64() * 1e6;
    let mean = times.iter().sum::<Duration>() / TICKS as u32;
    let (p99, max) = (times[TICKS * 99 / 100], times[TICKS - 1]);
    println!("{name:12} {:9.1} {:9.1} {:9.1}", us(mean), us(p99), us(max));
}
