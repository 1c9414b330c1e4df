//! The padding of PKCS #7 at the end of CBC messages: its bytes for every length, and the rejection of wrong ones.

use crate::common::{Random, Subject, label, long_or_short, same, subjects, with_reference};
use abreast::Error;
use abreast::modes::Cbc;
use abreast_reference::cbc;

fn encrypted(subject: &Subject, iv: &[u8], plaintext: &[u8]) -> Vec<u8> {
    with_reference!(&subject.reference, cipher => cbc::encrypt(cipher, iv.try_into().expect("a block"), plaintext))
}

#[test]
fn every_length() {
    let mut random = Random::new(91);
    for subject in subjects(&mut random) {
        let block = subject.cipher.block_size();
        let (iv, data) = (random.bytes(block), random.bytes(200));
        for len in 0..=long_or_short(200, 40) {
            let plaintext = &data[..len];
            let padded = block - len % block;
            let expected = with_reference!(&subject.reference, cipher => {
                cbc::encrypt_padded(cipher, iv.as_slice().try_into().expect("a block"), plaintext)
            });
            assert_eq!(expected.len(), len + padded);
            for cipher in subject.kernels() {
                let what = || format!("{}, {len} bytes", label(cipher));
                let new = || Cbc::from_cipher(cipher, &iv).expect("a block");
                // Room to spare, and none.
                for spare in [0, 1, 40] {
                    let mut buffer = [plaintext, &vec![0x77; padded + spare]].concat();
                    let sealed = new().encrypt_pkcs7(&mut buffer, len).expect("room for padding");
                    same(sealed, &expected, what);
                    let (ciphertext, after) = buffer.split_at_mut(len + padded);
                    assert!(after.iter().all(|byte| *byte == 0x77), "{}", what());
                    assert_eq!(new().decrypt_pkcs7(ciphertext).as_deref(), Ok(plaintext), "{}", what());
                }
                // No room, or a message longer than its buffer.
                for room in [0, 1, padded - 1] {
                    let mut buffer = [plaintext, &vec![0x77; room.min(padded - 1)]].concat();
                    let before = buffer.clone();
                    let sealed = new().encrypt_pkcs7(&mut buffer, len).map(|_| ());
                    assert_eq!(sealed, Err(Error::BufferLengths), "{}", what());
                    assert_eq!(buffer, before, "{}", what());
                }
                let mut buffer = plaintext.to_vec();
                for beyond in [len + 1, len + 100, usize::MAX - 3, usize::MAX] {
                    let sealed = new().encrypt_pkcs7(&mut buffer, beyond).map(|_| ());
                    assert_eq!(sealed, Err(Error::BufferLengths), "{}", what());
                    same(&buffer, plaintext, what);
                }
                // The blocks before may have been done already.
                let whole = len / block * block;
                let mut cbc = new();
                let mut buffer = [plaintext, &vec![0; padded]].concat();
                let (head, tail) = buffer.split_at_mut(whole);
                assert_eq!(cbc.encrypt(head), Ok(()));
                assert!(cbc.encrypt_pkcs7(tail, len - whole).is_ok());
                same(&buffer, &expected, what);
            }
        }
    }
}

/// A last block is padding if it ends in `n` bytes of the value `n`, from one to a block of them.
fn is_padded(block: &[u8]) -> bool {
    let n = usize::from(*block.last().expect("a block"));
    (1..=block.len()).contains(&n) && block[block.len() - n..].iter().all(|byte| usize::from(*byte) == n)
}

/// Last blocks with any last byte, and with any byte of the padding wrong: wrong padding is refused, and
/// nothing of the message is left.
#[test]
fn bad_padding() {
    let mut random = Random::new(92);
    for subject in subjects(&mut random) {
        let size = subject.cipher.block_size();
        let iv = random.bytes(size);
        let mut lasts = Vec::new();
        for end in (0..=255_u8).filter(|end| *end <= 20 || end % long_or_short(1, 50) as u8 == 5) {
            // The right one, if there is one, and each of its bytes wrong; another byte in front.
            let mut last = vec![end; size];
            lasts.push(last.clone());
            for at in 0..size {
                last[at] ^= 1 << random.up_to(7);
                lasts.push(last.clone());
                last[at] = end;
            }
            let right = size - usize::from(end).min(size);
            last[..right].copy_from_slice(&random.bytes(right));
            lasts.push(last);
        }
        for last in lasts {
            let message = [random.bytes(size), last.clone()].concat();
            let ciphertext = encrypted(&subject, &iv, &message);
            for cipher in subject.kernels() {
                let mut buffer = ciphertext.clone();
                let opened = Cbc::from_cipher(cipher, &iv)
                    .expect("a block")
                    .decrypt_pkcs7(&mut buffer)
                    .map(|m| m.to_vec());
                if is_padded(&last) {
                    let len = message.len() - usize::from(*last.last().expect("a block"));
                    assert_eq!(opened.as_deref(), Ok(&message[..len]), "{}, {last:x?}", label(cipher));
                } else {
                    assert_eq!(opened, Err(Error::Padding), "{}, {last:x?}", label(cipher));
                    assert!(buffer.iter().all(|byte| *byte == 0), "{}: plaintext was left", label(cipher));
                }
            }
        }
    }
}

#[test]
fn parts_of_blocks_are_refused() {
    let mut random = Random::new(93);
    for subject in subjects(&mut random) {
        let size = subject.cipher.block_size();
        let data = random.bytes(100);
        for len in (0..100).filter(|len| *len == 0 || len % size != 0) {
            for cipher in subject.kernels() {
                let mut buffer = data[..len].to_vec();
                let opened = Cbc::from_cipher(cipher, &data[..size])
                    .expect("a block")
                    .decrypt_pkcs7(&mut buffer)
                    .map(|_| ());
                // The ciphertext of an empty message is a block of padding: nothing at all lacks it.
                let expected = if len == 0 { Error::Padding } else { Error::PartialBlock };
                assert_eq!(opened, Err(expected), "{}", label(cipher));
                same(&buffer, &data[..len], || label(cipher));
            }
        }
    }
}
