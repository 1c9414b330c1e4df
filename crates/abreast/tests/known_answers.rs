//! Published vectors under every kernel.

mod common;

use abreast::kernels::{Cipher, ciphers};
use abreast::modes::{CounterWidth, Ctr, Gcm};
use abreast::{BlockCipher, Error, GcmCipher};

/// The AES of a key, under every kernel of this CPU.
fn every_kernel(key: &[u8]) -> impl Iterator<Item = Box<dyn GcmCipher>> {
    let cipher: &Cipher = ciphers().iter().find(|cipher| cipher.key_len() == key.len()).expect("an AES key");
    common::kernels(*cipher)
        .into_iter()
        .map(|kernel| cipher.with_key(key, Some(kernel)).expect("kernel of the cipher"))
}

#[test]
fn blocks() {
    let cases = abreast_vectors::aes_blocks();
    assert!(!cases.is_empty());
    for case in cases {
        for aes in every_kernel(&case.key) {
            let mut data = case.plaintext.clone();
            aes.encrypt_raw_blocks(data.as_mut_slice().into()).expect("whole blocks");
            assert_eq!(data, case.ciphertext, "{} {}", case.name, aes.kernel());
            aes.decrypt_raw_blocks(data.as_mut_slice().into()).expect("whole blocks");
            assert_eq!(data, case.plaintext, "{} {}", case.name, aes.kernel());
        }
    }
}

#[test]
fn counter_mode() {
    let cases = abreast_vectors::ctr();
    assert!(!cases.is_empty());
    for case in cases {
        let width = match case.bits {
            16 => CounterWidth::Bits16,
            32 => CounterWidth::Bits32,
            64 => CounterWidth::Bits64,
            128 => CounterWidth::Bits128,
            other => panic!("{}: no counter of {other} bits", case.name),
        };
        for aes in every_kernel(&case.key) {
            let mut data = case.plaintext.clone();
            let mut ctr = Ctr::new(&aes, &case.counter, width).expect("a block");
            ctr.apply(data.as_mut_slice().into()).expect("short");
            assert_eq!(data, case.ciphertext, "{} {}", case.name, aes.kernel());
        }
    }
}

#[test]
fn galois_counter_mode() {
    let cases: Vec<_> = abreast_vectors::gcm().into_iter().chain(abreast_vectors::wycheproof_gcm()).collect();
    assert!(cases.len() > 300);
    for case in cases {
        for aes in every_kernel(&case.key) {
            let what = format!("{} {}", case.name, aes.kernel());
            let gcm = Gcm::new(&aes);
            let mut data = case.ciphertext.clone();
            let opened = gcm.decrypt(&case.nonce, &case.aad, data.as_mut_slice().into(), &case.tag);
            let mut pieces = case.ciphertext.clone();
            let opened_in_pieces = gcm.decryptor(&case.nonce, &case.aad).and_then(|mut decryptor| {
                let (head, tail) = pieces.split_at_mut(case.ciphertext.len() / 3);
                decryptor.update(head.into())?;
                decryptor.update(tail.into())?;
                decryptor.verify(&case.tag)
            });
            assert_eq!(opened, opened_in_pieces, "{what}");
            if !case.valid {
                assert!(matches!(opened, Err(Error::TagMismatch | Error::NonceLength)), "{what}");
                assert!(opened == Err(Error::NonceLength) || data.iter().all(|byte| *byte == 0), "{what}");
                continue;
            }
            assert_eq!(opened, Ok(()), "{what}");
            assert_eq!(data, case.plaintext, "{what}");
            assert_eq!(pieces, case.plaintext, "{what}");
            let mut tag = vec![0; case.tag.len()];
            assert_eq!(
                gcm.encrypt(&case.nonce, &case.aad, data.as_mut_slice().into(), &mut tag),
                Ok(()),
                "{what}"
            );
            assert_eq!((data, tag), (case.ciphertext.clone(), case.tag.clone()), "{what}");
        }
    }
}
