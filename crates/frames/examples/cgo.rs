//! The time of a cell of Tor at a relay: forward, backward and originated, in batches over 1, 8, 32 and 256 circuits.
//!
//! `cargo run --release -p abreast-frames --example cgo` prints nanoseconds a cell, the best of many short trials.

use abreast::aes::{Aes128, Aes256};
use abreast::modes::UivCipher;
use abreast_frames::cgo::{self, RELAY, Relay, RelayCell, Seeds};
use std::time::Instant;

/// Trials, of which the best counts.
const TRIALS: usize = 2000;
/// Cells of a trial at least.
const CELLS: usize = 512;

fn main() {
    println!("ns a cell        circuits   forward  backward originate");
    cipher::<Aes128>("AES-128");
    cipher::<Aes256>("AES-256");
}

fn cipher<C: UivCipher>(name: &str) {
    for circuits in [1, 8, 32, 256] {
        let mut relays: Vec<Relay<C>> = (0..circuits)
            .map(|i| {
                let keys: Vec<u8> = (0..Seeds::<C>::LEN).map(|at| (7 * at + 31 * i) as u8).collect();
                Relay::new(&Seeds::of(&keys).expect("the right length"))
            })
            .collect();
        let mut cells = vec![[5; cgo::CELL]; circuits];
        let mut time = |batch: fn(&mut [RelayCell<'_, C>])| {
            let mut best = f64::INFINITY;
            let repeats = CELLS.div_ceil(circuits);
            for _ in 0..TRIALS {
                let start = Instant::now();
                for _ in 0..repeats {
                    let mut batched: Vec<_> = (relays.iter_mut().zip(&mut cells))
                        .map(|(relay, cell)| RelayCell::new(relay, RELAY, cell))
                        .collect();
                    batch(&mut batched);
                }
                best = best.min(start.elapsed().as_nanos() as f64 / (repeats * circuits) as f64);
            }
            best
        };
        let [forward, backward, originate] = [cgo::forward, cgo::backward, cgo::originate].map(&mut time);
        println!("{name:16} {circuits:8} {forward:9.1} {backward:9.1} {originate:9.1}");
    }
}
