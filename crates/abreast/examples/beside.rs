//! Ciphers of this library at each of their kernels beside those of RustCrypto, in one program: for targets on which
//! nothing else measures, such as WebAssembly. Figures are MB/s, the best of several trials over 16 KiB, in place.

use std::time::{Duration, Instant};

use abreast::kernels::algorithms;
use abreast::modes::Gcm;
use aead::AeadInOut as _;
use cipher::{Block, BlockCipherEncrypt, BlockSizeUser, KeyInit};

const BYTES: usize = 16 << 10;
const TRIALS: u32 = 12;
const TRIAL: Duration = Duration::from_millis(30);

/// The best of the trials.
fn measure(what: &str, mut work: impl FnMut(&mut [u8])) {
    let mut data = vec![0; BYTES];
    let mut best = 0.0_f64;
    for _ in 0..TRIALS {
        let (start, mut calls) = (Instant::now(), 0);
        while start.elapsed() < TRIAL {
            work(&mut data);
            calls += 1;
        }
        best = best.max((calls * BYTES) as f64 / 1e6 / start.elapsed().as_secs_f64());
    }
    println!("{what:36} {best:8.1}");
}

fn theirs<C: KeyInit + BlockCipherEncrypt + BlockSizeUser>(name: &str, key: &[u8]) {
    let cipher = C::new_from_slice(key).expect("a key");
    measure(name, |data| cipher.encrypt_blocks(Block::<C>::slice_as_chunks_mut(data).0));
}

fn main() {
    for name in ["aes-128", "serpent-256", "xtea-be"] {
        let cipher = algorithms().iter().find(|cipher| cipher.name() == name).expect("a cipher");
        let key = vec![7; cipher.key_len()];
        for kernel in cipher.kernels() {
            let ours = cipher.with_key(&key, Some(kernel)).expect("its key and kernel");
            measure(&format!("{name}-ecb {kernel}"), |data| {
                ours.encrypt_raw_blocks(data.into()).expect("whole blocks");
            });
        }
        match name {
            "aes-128" => theirs::<aes::Aes128>("aes-128-ecb RustCrypto", &key),
            "serpent-256" => theirs::<serpent::Serpent>("serpent-256-ecb RustCrypto", &key),
            _ => theirs::<xtea::Xtea>("xtea-be-ecb RustCrypto", &key),
        }
    }
    let cipher = algorithms().first().expect("a cipher");
    let key = vec![7; cipher.key_len()];
    for kernel in cipher.kernels() {
        let gcm = Gcm::from_cipher(cipher.with_key_128(&key, Some(kernel)).expect("its key and kernel"));
        measure(&format!("aes-128-gcm {kernel}"), |data| {
            gcm.encrypt_detached(&[1; 12], b"", data, &mut [0; 16]).expect("a short message");
        });
    }
    let gcm = aes_gcm::Aes128Gcm::new_from_slice(&key).expect("a key");
    measure("aes-128-gcm RustCrypto", |data| {
        gcm.encrypt_inout_detached(&[1; 12].into(), b"", data.into()).expect("a short message");
    });
}
