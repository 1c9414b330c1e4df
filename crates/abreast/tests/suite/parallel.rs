//! Batches on all cores have the same results as on one.
// WebAssembly has no threads for a pool.
#![cfg(all(feature = "rayon", not(target_family = "wasm")))]

use abreast::aes::Aes128;
use abreast::modes::{CounterWidth, Gcm};
use abreast::packets::{self, CipherKey, GcmKey, Packet};
use abreast::xtea::Xtea;
use abreast::{BlockCipher, Error};

/// Numbers of packets on both sides of a piece, and many pieces.
const BATCHES: [usize; 8] = [0, 1, 31, 32, 33, 256, 257, 5000];

/// Keys by their numbers, of two ciphers in turns.
fn keys(n: usize) -> Vec<Box<dyn BlockCipher>> {
    let key = |i: usize| (i as u128).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835).to_le_bytes();
    let cipher = |i| -> Box<dyn BlockCipher> {
        if i % 3 == 0 { Box::new(Xtea::new(&key(i))) } else { Box::new(Aes128::new(&key(i))) }
    };
    (0..n).map(cipher).collect()
}

#[test]
fn as_on_one_thread() {
    // More threads than this machine may have.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(5).build().unwrap();
    for n in BATCHES {
        let keys = keys(n);
        let mut messages: Vec<Vec<u8>> = (0..n).map(|i| vec![i as u8; i * 7 % 150]).collect();
        let mut expected = messages.clone();
        // Every fifth has a counter block that is too short.
        let iv = |i: usize| &[9; 16][..if i % 5 == 4 { 3 } else { keys[i].block_size() }];
        let batch = |messages: &mut [Vec<u8>], apply: &dyn Fn(&mut [Packet<'_, CipherKey<'_>>])| {
            let mut batch: Vec<_> = (messages.iter_mut().enumerate())
                .map(|(i, message)| Packet::new(&keys[i], iv(i), message.as_mut_slice()))
                .collect();
            apply(&mut batch);
            batch.iter().map(|packet| packet.result).collect::<Vec<_>>()
        };
        let ctr = |packets: &mut [Packet<'_, CipherKey<'_>>]| packets::ctr(packets, CounterWidth::Bits32);
        let one = batch(&mut expected, &ctr);
        let all = pool.install(|| batch(&mut messages, &|packets| packets::in_parallel(packets, ctr)));
        assert_eq!(one, all, "{n} packets");
        assert_eq!(expected, messages, "{n} packets");
        assert_eq!(all.iter().filter(|result| **result == Err(Error::CounterLength)).count(), n / 5);
    }
}

/// Tags go to their packets, whichever thread has them, and from outside of a pool.
#[test]
fn tags() {
    let gcm: Vec<_> = (0..700_u128).map(|i| Gcm::from_cipher(Aes128::new(&i.to_le_bytes()))).collect();
    let mut messages = vec![[3; 50]; gcm.len()];
    let mut tags = vec![[0; 16]; gcm.len()];
    let mut batch: Vec<Packet<'_, GcmKey<'_>>> = (gcm.iter().zip(&mut messages).zip(&mut tags))
        .map(|((gcm, message), tag)| Packet::new(gcm, &[5; 12], message.as_mut_slice()).with_tag(b"aad", tag))
        .collect();
    packets::in_parallel(&mut batch, packets::gcm_encrypt);
    for ((gcm, message), tag) in gcm.iter().zip(&mut messages).zip(&tags) {
        gcm.decrypt_detached(&[5; 12], b"aad", message.as_mut_slice(), tag).unwrap();
        assert_eq!(*message, [3; 50]);
    }
}
