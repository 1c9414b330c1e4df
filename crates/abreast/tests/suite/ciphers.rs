//! Properties of single ciphers: Serpent's keys of every length and its other byte order, XTEA's cycles, byte orders and round
//! keys.

use crate::common::{Random, label, long_or_short, same};
use abreast::serpent::{Serpent, SubmissionOrder};
use abreast::xtea::{ByteOrder, Xtea};
use abreast::{BlockCipher, Error, Kernel};
use abreast_reference::{BlockCipher as _, ecb, serpent, xtea};

/// Encrypts and decrypts blocks, and compares.
fn check(cipher: &dyn BlockCipher, plaintext: &[u8], ciphertext: &[u8], what: &str) {
    let mut data = plaintext.to_vec();
    assert_eq!(cipher.encrypt_raw_blocks(data.as_mut_slice().into()), Ok(()));
    same(&data, ciphertext, || format!("{}, {what}", label(cipher)));
    assert_eq!(cipher.decrypt_raw_blocks(data.as_mut_slice().into()), Ok(()));
    same(&data, plaintext, || format!("{}, {what}, decrypted", label(cipher)));
}

#[test]
fn keys_of_serpent() {
    let mut random = Random::new(101);
    let data = random.bytes(16 * 40);
    for len in 0..=70 {
        let key = random.bytes(len);
        if !(16..=32).contains(&len) {
            assert_eq!(Serpent::new(&key).map(|_| ()), Err(Error::KeyLength), "{len} bytes");
            assert_eq!(SubmissionOrder::new(&key).map(|_| ()), Err(Error::KeyLength), "{len} bytes");
            for kernel in Serpent::kernels() {
                assert_eq!(Serpent::with_kernel(&key, kernel).map(|_| ()), Err(Error::KeyLength));
            }
            continue;
        }
        let expected = ecb::encrypt(&serpent::Serpent::new(&key), &data);
        let name = match len {
            16 | 24 | 32 => format!("serpent-{}", 8 * len),
            _ => "serpent".to_owned(),
        };
        for kernel in Serpent::kernels() {
            let serpent = Serpent::with_kernel(&key, kernel).expect("a key");
            assert_eq!((serpent.name(), serpent.kernel()), (name.as_str(), kernel));
            check(&serpent, &data, &expected, &format!("a key of {len} bytes"));
        }
        check(&Serpent::new(&key).expect("a key"), &data, &expected, &format!("a key of {len} bytes"));

        let reference = serpent::SubmissionOrder::new(&key);
        let serpent = SubmissionOrder::new(&key).expect("a key");
        for blocks in 0..40 {
            let plaintext = &data[..16 * blocks];
            let ciphertext: Vec<u8> = plaintext
                .as_chunks::<16>()
                .0
                .iter()
                .flat_map(|block| reference.encrypt_block(block))
                .collect();
            let what = || format!("in the submission's order, {blocks} blocks");
            crate::common::both_ways(plaintext, &ciphertext, len, what, |io| {
                assert_eq!(serpent.encrypt_raw_blocks(io), Ok(()));
            });
            crate::common::both_ways(&ciphertext, plaintext, len, what, |io| {
                assert_eq!(serpent.decrypt_raw_blocks(io), Ok(()));
            });
        }
        let mut part = [0x77; 17];
        let io = part.as_mut_slice();
        assert_eq!(serpent.encrypt_raw_blocks(io), Err(Error::PartialBlock));
        let io = part.as_mut_slice();
        assert_eq!(serpent.decrypt_raw_blocks(io), Err(Error::PartialBlock));
        assert_eq!(part, [0x77; 17]);
    }
}

const ORDERS: [(ByteOrder, xtea::ByteOrder); 2] = [
    (ByteOrder::LittleEndian, xtea::ByteOrder::LittleEndian),
    (ByteOrder::BigEndian, xtea::ByteOrder::BigEndian),
];

#[test]
fn cycles_of_xtea() {
    let mut random = Random::new(102);
    let data = random.bytes(8 * long_or_short(300, 70));
    for (order, reference_order) in ORDERS {
        let key = random.block();
        for kernel in Xtea::kernels() {
            let none = Xtea::with_kernel(&key, order, 0, kernel).map(|_| ());
            assert_eq!(none, Err(Error::Cycles));
        }
        for cycles in (1..=255).step_by(long_or_short(1, 6)) {
            let expected = ecb::encrypt(&xtea::Xtea::new(&key, reference_order, cycles), &data);
            for kernel in Xtea::kernels() {
                let xtea = Xtea::with_kernel(&key, order, cycles, kernel).expect("a number of cycles");
                check(&xtea, &data, &expected, &format!("{cycles} cycles"));
            }
            if cycles == 32 {
                let usual =
                    if order == ByteOrder::BigEndian { Xtea::big_endian(&key) } else { Xtea::new(&key) };
                check(&usual, &data, &expected, "as a rule");
            }
        }
    }
    assert_eq!(ByteOrder::default(), ByteOrder::LittleEndian);
}

/// Expanded as the paper has it.
#[test]
fn round_keys_of_xtea() {
    let mut random = Random::new(103);
    let data = random.bytes(8 * 100);
    for (order, reference_order) in ORDERS {
        let key = random.block();
        let word = |i: usize| {
            let bytes = [key[4 * i], key[4 * i + 1], key[4 * i + 2], key[4 * i + 3]];
            if order == ByteOrder::BigEndian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) }
        };
        let (mut keys, mut sum) = ([0; 64], 0_u32);
        for pair in keys.chunks_exact_mut(2) {
            pair[0] = sum.wrapping_add(word(sum as usize & 3));
            sum = sum.wrapping_add(0x9e37_79b9);
            pair[1] = sum.wrapping_add(word((sum >> 11) as usize & 3));
        }
        let expected = ecb::encrypt(&xtea::Xtea::new(&key, reference_order, 32), &data);
        check(&Xtea::from_round_keys(&keys, order), &data, &expected, "by round keys");
    }
}

/// Names say the order of bytes, and a kernel of AES is none of these ciphers'.
#[test]
fn kernels_and_names() {
    assert_eq!((Xtea::new(&[0; 16]).name(), Xtea::big_endian(&[0; 16]).name()), ("xtea", "xtea-be"));
    let of_aes: Vec<Kernel> = abreast::aes::Aes128::kernels().collect();
    for kernel in of_aes {
        let made = Serpent::with_kernel(&[0; 16], kernel).map(|_| ());
        assert_eq!(made, Err(Error::KernelUnavailable));
        let made = Xtea::with_kernel(&[0; 16], ByteOrder::LittleEndian, 32, kernel).map(|_| ());
        assert_eq!(made, Err(Error::KernelUnavailable));
    }
    for kernel in Xtea::kernels() {
        let made = abreast::aes::Aes256::with_kernel(&[0; 32], kernel).map(|_| ());
        assert_eq!(made, Err(Error::KernelUnavailable));
    }
}
