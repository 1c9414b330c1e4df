//! Every known answer, through the reference.

use abreast_reference::{BlockCipher, aes::Aes, ctr, gcm};
use abreast_vectors::AeadCase;

#[test]
fn aes_blocks() {
    for case in abreast_vectors::aes_blocks() {
        let cipher = Aes::new(&case.key);
        let plaintext = case.plaintext.try_into().expect("a block has 16 bytes");
        let ciphertext = case.ciphertext.try_into().expect("a block has 16 bytes");
        assert_eq!(cipher.encrypt_block(&plaintext), ciphertext, "{}", case.name);
        assert_eq!(cipher.decrypt_block(&ciphertext), plaintext, "{}", case.name);
    }
}

#[test]
fn aes_ctr() {
    for case in abreast_vectors::ctr() {
        let cipher = Aes::new(&case.key);
        let counter = case.counter.try_into().expect("a counter block has 16 bytes");
        assert_eq!(ctr::xor(&cipher, &counter, case.bits, &case.plaintext), case.ciphertext, "{}", case.name);
        assert_eq!(ctr::xor(&cipher, &counter, case.bits, &case.ciphertext), case.plaintext, "{}", case.name);
        // None of the published messages carries out of its low 16 bits.
        for bits in [16, 32, 64, 128] {
            assert_eq!(
                ctr::xor(&cipher, &counter, bits, &case.plaintext),
                case.ciphertext,
                "{} with {bits} bits",
                case.name
            );
        }
    }
}

#[test]
fn aes_gcm_of_the_paper() {
    for case in abreast_vectors::gcm() {
        check_gcm(&case);
    }
}

#[test]
fn aes_gcm_of_wycheproof() {
    for case in abreast_vectors::wycheproof_gcm() {
        check_gcm(&case);
    }
}

fn check_gcm(case: &AeadCase) {
    let AeadCase { name, key, nonce, aad, plaintext, ciphertext, tag, valid, .. } = case;
    let cipher = Aes::new(key);
    let opened = gcm::open(&cipher, nonce, aad, ciphertext, tag);
    assert_eq!(opened.as_ref(), valid.then_some(plaintext), "{name}");
    // An empty nonce is an error of the caller's, and `seal` has its own test for that.
    if !nonce.is_empty() {
        let sealed = gcm::seal(&cipher, nonce, aad, plaintext, tag.len());
        assert_eq!(sealed == (ciphertext.clone(), tag.clone()), *valid, "{name}");
    }
}

/// The chunks of C2SP chunked encryption, under the chunk key that each case gives: as many
/// genuine ones as it says, and to the end of the file if it is valid.
#[test]
fn aes_gcm_chunks_of_cobblestone() {
    const HEADER: usize = 24 + 32;
    const CHUNK: usize = 16384 + 16;
    let mut opened = 0;
    for case in abreast_vectors::cobblestone() {
        let (Some(key), Some(base_nonce)) = (&case.aead_key, &case.base_nonce) else {
            continue;
        };
        let cipher = Aes::new(key);
        let mut message_len = 0;
        let mut complete = false;
        for (index, chunk) in (0_u64..).zip(case.ciphertext[HEADER..].chunks(CHUNK)) {
            let mut nonce = base_nonce.clone();
            for (byte, index) in nonce[4..].iter_mut().zip(index.to_be_bytes()) {
                *byte ^= index;
            }
            // Nothing may follow a short chunk, and a tag alone is the shortest.
            let parts = chunk.len().checked_sub(16).map(|at| chunk.split_at(at));
            let plaintext = parts.and_then(|(text, tag)| gcm::open(&cipher, &nonce, &[], text, tag));
            let Some(plaintext) = plaintext else {
                complete = false;
                break;
            };
            message_len += plaintext.len();
            complete = chunk.len() < CHUNK;
        }
        assert_eq!(complete, case.valid, "{}", case.name);
        assert_eq!(message_len, case.message_len.unwrap_or(0), "{}", case.name);
        opened += 1;
    }
    assert_eq!(opened, 50, "cases with a chunk key");
}
