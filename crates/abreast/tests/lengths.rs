//! Messages of every length up to 2100 bytes and around every step of the ladders up to three main passes
//! and more, in place and from buffer to buffer, misaligned, against the reference.

mod common;

use abreast::modes::{CounterWidth, Ctr, Gcm};
use abreast::{BlockCipher, Error, InOutBuf};
use abreast_reference::{BlockCipher as _, ctr, gcm};
use common::{Random, both_ways, label, lengths, same, short, subjects};

/// The lengths of this run.
fn of_this_run() -> Vec<usize> {
    if short() { lengths(272, 3) } else { lengths(2100, 7) }
}

#[test]
fn raw_blocks() {
    let mut random = Random::new(1);
    for subject in subjects(&mut random) {
        let data = random.bytes(8192);
        let mut whole: Vec<usize> = of_this_run().into_iter().map(|len| len / 16 * 16).collect();
        whole.dedup();
        let longest = whole.last().copied().unwrap_or_default();
        let (mut encrypted, mut decrypted) = (Vec::new(), Vec::new());
        for block in data[..longest].as_chunks::<16>().0 {
            encrypted.extend(subject.reference.encrypt_block(block));
            decrypted.extend(subject.reference.decrypt_block(block));
        }
        for aes in &subject.kernels {
            for (at, len) in whole.iter().copied().enumerate() {
                let what = || format!("{}, {len} bytes", label(aes));
                both_ways(&data[..len], &encrypted[..len], at, what, |io| {
                    assert_eq!(aes.encrypt_raw_blocks(io), Ok(()));
                });
                both_ways(&data[..len], &decrypted[..len], at, what, |io| {
                    assert_eq!(aes.decrypt_raw_blocks(io), Ok(()));
                });
            }
        }
    }
}

#[test]
fn counter_mode() {
    let mut random = Random::new(2);
    for subject in subjects(&mut random) {
        let lengths = of_this_run();
        let data = random.bytes(lengths.last().copied().unwrap_or_default());
        let counter = random.block();
        let expected = ctr::xor(&subject.reference, &counter, 128, &data);
        for aes in &subject.kernels {
            for (at, len) in lengths.iter().copied().enumerate() {
                let what = || format!("{}, {len} bytes", label(aes));
                both_ways(&data[..len], &expected[..len], at, what, |io| {
                    let mut ctr = Ctr::new(&**aes, &counter, CounterWidth::Bits128).expect("a block");
                    assert_eq!(ctr.apply(io), Ok(()));
                });
            }
        }
    }
}

/// Both directions: `messages` for the lengths of the message, `aads` for those of the associated data.
fn check_gcm(seed: u64, of: impl Fn(usize) -> (usize, usize), lengths: &[usize]) {
    let mut random = Random::new(seed);
    for subject in subjects(&mut random) {
        let (data, aads) = (random.bytes(8192), random.bytes(8192));
        let nonce = random.bytes(12);
        for (at, (len, aad_len)) in lengths.iter().map(|len| of(*len)).enumerate() {
            let (plaintext, aad) = (&data[..len], &aads[..aad_len]);
            let (ciphertext, tag) = gcm::seal(&subject.reference, &nonce, aad, plaintext, 16);
            for aes in &subject.kernels {
                let what = || format!("{}, {aad_len} bytes of data, {len} of message", label(aes));
                let gcm = Gcm::new(&**aes);
                both_ways(plaintext, &ciphertext, at, what, |io| {
                    let mut made = [0; 16];
                    assert_eq!(gcm.encrypt(&nonce, aad, io, &mut made), Ok(()));
                    same(&made, &tag, || format!("{}, the tag", what()));
                });
                both_ways(&ciphertext, plaintext, at, what, |io| {
                    assert_eq!(gcm.decrypt(&nonce, aad, io, &tag), Ok(()), "{}", what());
                });
            }
        }
    }
}

#[test]
fn galois_counter_mode() {
    check_gcm(3, |len| (len, len % 37), &of_this_run());
}

#[test]
fn associated_data() {
    let every = if short() { lengths(80, 0) } else { lengths(600, 2) };
    check_gcm(4, |len| (len % 19, len), &every);
}

#[test]
fn nonces() {
    let mut random = Random::new(5);
    let every = if short() { lengths(40, 0) } else { lengths(300, 2) };
    for subject in subjects(&mut random) {
        let (nonces, plaintext) = (random.bytes(8192), random.bytes(40));
        for len in every.iter().copied().filter(|len| *len > 0) {
            let nonce = &nonces[..len];
            let (ciphertext, tag) = gcm::seal(&subject.reference, nonce, b"data", &plaintext, 16);
            for aes in &subject.kernels {
                let what = || format!("{}, a nonce of {len} bytes", label(aes));
                let (mut data, mut made) = (plaintext.clone(), [0; 16]);
                let sealed = Gcm::new(&**aes).encrypt(nonce, b"data", data.as_mut_slice().into(), &mut made);
                assert_eq!(sealed, Ok(()), "{}", what());
                same(&data, &ciphertext, what);
                same(&made, &tag, what);
            }
        }
    }
}

/// Every misalignment of the input against every one of the output, for a length with a tail.
#[test]
fn misalignments() {
    let mut random = Random::new(6);
    let step = if short() { 13 } else { 1 };
    for subject in subjects(&mut random) {
        let data = random.bytes(1024 + 256 + 64 + 16 + 7);
        let counter = random.block();
        let expected = ctr::xor(&subject.reference, &counter, 32, &data);
        for aes in &subject.kernels {
            for from in (0..64).step_by(step) {
                for to in (0..64).step_by(step) {
                    let mut input = vec![0; from];
                    input.extend(&data);
                    let mut output = vec![0; to + data.len()];
                    let io = InOutBuf::new(&input[from..], &mut output[to..]).expect("equal lengths");
                    let mut ctr = Ctr::new(&**aes, &counter, CounterWidth::Bits32).expect("a block");
                    assert_eq!(ctr.apply(io), Ok(()));
                    same(&output[to..], &expected, || format!("{}, from {from} to {to}", label(aes)));
                }
            }
        }
    }
}

#[test]
fn parts_of_blocks_are_refused() {
    let mut random = Random::new(7);
    for subject in subjects(&mut random) {
        let data = random.bytes(1100);
        for aes in &subject.kernels {
            for len in (0..data.len()).filter(|len| len % 16 != 0) {
                let mut buffer = data[..len].to_vec();
                assert_eq!(aes.encrypt_raw_blocks(buffer.as_mut_slice().into()), Err(Error::PartialBlock));
                assert_eq!(aes.decrypt_raw_blocks(buffer.as_mut_slice().into()), Err(Error::PartialBlock));
                same(&buffer, &data[..len], || format!("{}, {len} bytes", label(aes)));
            }
        }
    }
}

#[test]
fn buffers_of_different_lengths_are_an_error() {
    let made = InOutBuf::new(&[0; 16][..], &mut [0; 17][..]).map(|_: InOutBuf<'_, '_, u8>| ());
    assert_eq!(made.map_err(Error::from), Err(Error::BufferLengths));
}
