//! No byte beside a buffer is touched: every buffer lies flush against a page that faults, once before it
//! and once behind it.
//!
//! A failure is a fault that ends the test program; a debugger says where.

mod common;

use abreast::modes::{CounterWidth, Ctr, Gcm};
use abreast::{BlockCipher, InOutBuf};
use abreast_reference::{BlockCipher as _, ctr, gcm};
use common::guarded::{End, flush, guarded};
use common::{Random, Subject, label, lengths, same, short, subjects};

const ENDS: [End; 2] = [End::First, End::Last];
const CAPACITY: usize = 8192;

fn of_this_run() -> Vec<usize> {
    if short() { lengths(80, 1) } else { lengths(600, 7) }
}

/// Two guarded buffers, one to read and one to write.
type Buffers = [&'static mut [u8]; 2];

/// Runs an operation on guarded buffers: in place, and from one to another, at both ends of each.
fn guarded_ways(
    [first, second]: &mut Buffers,
    data: &[u8],
    expected: &[u8],
    what: impl Fn() -> String,
    mut operation: impl FnMut(InOutBuf<'_, '_, u8>),
) {
    for from in ENDS {
        let buffer = flush(first, from, data.len());
        buffer.copy_from_slice(data);
        operation(buffer.into());
        same(buffer, expected, || format!("{}, in place at the {from:?} byte", what()));
        for to in ENDS {
            let input = flush(first, from, data.len());
            input.copy_from_slice(data);
            let output = flush(second, to, data.len());
            operation(InOutBuf::new(input, output).expect("equal lengths"));
            same(output, expected, || format!("{}, from {from:?} to {to:?}", what()));
        }
    }
}

/// Runs `check` with every key size and length.
fn every_length(seed: u64, mut check: impl FnMut(&Subject, &[u8], &mut Buffers)) {
    let mut random = Random::new(seed);
    let mut buffers = [guarded(CAPACITY), guarded(CAPACITY)];
    for subject in subjects(&mut random) {
        let data = random.bytes(CAPACITY);
        for len in of_this_run() {
            check(&subject, &data[..len], &mut buffers);
        }
    }
}

#[test]
fn raw_blocks() {
    every_length(31, |subject, data, buffers| {
        let (blocks, []) = data.as_chunks::<16>() else { return };
        let encrypted: Vec<_> = blocks.iter().map(|b| subject.reference.encrypt_block(b)).collect();
        let decrypted: Vec<_> = blocks.iter().map(|b| subject.reference.decrypt_block(b)).collect();
        for aes in &subject.kernels {
            let what = || format!("{}, {} bytes", label(aes), data.len());
            guarded_ways(buffers, data, encrypted.as_flattened(), what, |io| {
                assert_eq!(aes.encrypt_raw_blocks(io), Ok(()));
            });
            guarded_ways(buffers, data, decrypted.as_flattened(), what, |io| {
                assert_eq!(aes.decrypt_raw_blocks(io), Ok(()));
            });
        }
    });
}

#[test]
fn counter_mode() {
    every_length(32, |subject, data, buffers| {
        // Wraps behind the third block, so that a run of the kernel ends there.
        let counter = (u128::MAX - 2).to_be_bytes();
        let expected = ctr::xor(&subject.reference, &counter, 32, data);
        for aes in &subject.kernels {
            let what = || format!("{}, {} bytes", label(aes), data.len());
            let start = || Ctr::new(&**aes, &counter, CounterWidth::Bits32).expect("a block");
            guarded_ways(buffers, data, &expected, what, |io| {
                assert_eq!(start().apply(io), Ok(()));
            });
            guarded_ways(buffers, data, &expected, what, |io| {
                let mut ctr = start();
                let (head, tail) = io.split_at(data.len() / 3);
                assert_eq!(ctr.apply(head), Ok(()));
                assert_eq!(ctr.apply(tail), Ok(()));
            });
        }
    });
}

#[test]
fn galois_counter_mode() {
    every_length(33, |subject, data, buffers| {
        let (sealed, tag) = gcm::seal(&subject.reference, &[1; 12], b"data", data, 16);
        let zeros = vec![0; data.len()];
        for aes in &subject.kernels {
            let what = || format!("{}, {} bytes", label(aes), data.len());
            let gcm = Gcm::new(&**aes);
            guarded_ways(buffers, data, &sealed, what, |io| {
                let mut made = [0; 16];
                assert_eq!(gcm.encrypt(&[1; 12], b"data", io, &mut made), Ok(()));
                same(&made, &tag, what);
            });
            guarded_ways(buffers, &sealed, data, what, |io| {
                assert_eq!(gcm.decrypt(&[1; 12], b"data", io, &tag), Ok(()), "{}", what());
            });
            guarded_ways(buffers, &sealed, &zeros, what, |io| {
                assert!(gcm.decrypt(&[1; 12], b"other data", io, &tag).is_err(), "{}", what());
            });
        }
    });
}

#[test]
fn galois_counter_mode_in_pieces() {
    every_length(34, |subject, data, buffers| {
        let (sealed, tag) = gcm::seal(&subject.reference, &[1; 12], b"data", data, 16);
        for aes in &subject.kernels {
            let what = || format!("{}, {} bytes", label(aes), data.len());
            let gcm = Gcm::new(&**aes);
            guarded_ways(buffers, data, &sealed, what, |io| {
                let mut encryptor = gcm.encryptor(&[1; 12], b"data").expect("a nonce");
                let (head, tail) = io.split_at(data.len() / 3);
                assert_eq!(encryptor.update(head), Ok(()));
                assert_eq!(encryptor.update(tail), Ok(()));
                let mut made = [0; 16];
                assert_eq!(encryptor.finish(&mut made), Ok(()));
                same(&made, &tag, what);
            });
            guarded_ways(buffers, &sealed, data, what, |io| {
                let mut decryptor = gcm.decryptor(&[1; 12], b"data").expect("a nonce");
                let (head, tail) = io.split_at(data.len() / 3);
                assert_eq!(decryptor.update(head), Ok(()));
                assert_eq!(decryptor.update(tail), Ok(()));
                assert_eq!(decryptor.verify(&tag), Ok(()), "{}", what());
            });
        }
    });
}

/// What is only read or short: associated data, nonce, tag, key, counter block.
#[test]
fn everything_else() {
    let mut random = Random::new(35);
    let [first, second, third] = [(); 3].map(|()| guarded(CAPACITY));
    for subject in subjects(&mut random) {
        let bytes = random.bytes(CAPACITY);
        for len in of_this_run() {
            let nonce_len = 1 + len % 150;
            let tag_len = [4, 8, 12, 13, 14, 15, 16][len % 7];
            let (sealed, tag) =
                gcm::seal(&subject.reference, &bytes[..nonce_len], &bytes[..len], &bytes[..20], tag_len);
            for aes in &subject.kernels {
                for end in ENDS {
                    let what = || format!("{}, {len} bytes of data, flush at the {end:?}", label(aes));
                    let key = flush(first, end, subject.key.len());
                    key.copy_from_slice(&subject.key);
                    let aes = subject.cipher.with_key(key, Some(aes.kernel())).expect("a key");
                    let aad = flush(first, end, len);
                    aad.copy_from_slice(&bytes[..len]);
                    let nonce = flush(second, end, nonce_len);
                    nonce.copy_from_slice(&bytes[..nonce_len]);
                    let made = flush(third, end, tag_len);
                    let gcm = Gcm::new(aes);

                    let mut data = bytes[..20].to_vec();
                    assert_eq!(gcm.encrypt(nonce, aad, data.as_mut_slice().into(), made), Ok(()));
                    same(&data, &sealed, what);
                    same(made, &tag, what);
                    let opened = gcm.decrypt(nonce, aad, data.as_mut_slice().into(), made);
                    assert_eq!(opened, Ok(()), "{}", what());

                    made.fill(0);
                    let encryptor = gcm.encryptor(nonce, aad).and_then(|mut encryptor| {
                        encryptor.update(data.as_mut_slice().into()).map(|()| encryptor)
                    });
                    assert_eq!(encryptor.and_then(|encryptor| encryptor.finish(made)), Ok(()));
                    same(made, &tag, what);

                    let block = flush(second, end, 16);
                    assert!(Ctr::new(gcm.cipher(), block, CounterWidth::Bits64).is_ok());
                }
            }
        }
    }
}
