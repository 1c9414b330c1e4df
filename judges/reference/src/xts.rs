//! XTS, the tweakable mode for storage, from IEEE 1619-2007 and SP 800-38E (2010), over any cipher
//! with 16-byte blocks.
//!
//! A *data unit*, such as a sector of a disk, is encrypted under two keys and a *tweak*: the number
//! of the unit, as 16 bytes with the least significant first. The standards split one key in two;
//! here the two are ciphers, `data_cipher` under `Key1` and `tweak_cipher` under `Key2`.

use crate::block::{BlockCipher, xor};

/// SP 800-38E, section 4: the most bytes of a data unit, 2^20 blocks.
const LONGEST_UNIT: usize = 16 << 20;

/// Encrypts one data unit, `XTS-AES-Enc`, section 5.3.2.
///
/// ```
/// use abreast_reference::{aes::Aes, xts};
///
/// let (data_cipher, tweak_cipher) = (Aes::new(&[1; 16]), Aes::new(&[2; 16]));
/// let ciphertext = xts::encrypt(&data_cipher, &tweak_cipher, &[3; 16], b"more than 16 bytes");
/// let plaintext = xts::decrypt(&data_cipher, &tweak_cipher, &[3; 16], &ciphertext);
/// assert_eq!(plaintext, b"more than 16 bytes");
/// ```
///
/// # Panics
///
/// If the unit has fewer than 16 bytes or more than 2^20 blocks.
pub fn encrypt(
    data_cipher: &impl BlockCipher<16>,
    tweak_cipher: &impl BlockCipher<16>,
    tweak: &[u8; 16],
    plaintext: &[u8],
) -> Vec<u8> {
    check_unit(plaintext);
    let mut t = tweak_cipher.encrypt_block(tweak);
    let (blocks, rest) = plaintext.as_chunks::<16>();
    let mut ciphertext = Vec::with_capacity(plaintext.len());
    for p in blocks {
        ciphertext.extend(encrypt_block(data_cipher, &t, p));
        t = multiply_by_alpha(&t);
    }
    if !rest.is_empty() {
        // The last whole block of ciphertext, `CC`, gives its start to the short block, which it
        // becomes, and its end to the plaintext of that, to make a whole block of it.
        let cc = ciphertext.split_off(ciphertext.len() - 16);
        let (c_m, cp) = cc.split_at(rest.len());
        ciphertext.extend(encrypt_block(data_cipher, &t, &joined(rest, cp)));
        ciphertext.extend(c_m);
    }
    ciphertext
}

/// Decrypts one data unit, `XTS-AES-Dec`, section 5.4.2.
///
/// ```
/// use abreast_reference::{aes::Aes, xts};
///
/// // IEEE 1619, vector 1.
/// let cipher = Aes::new(&[0; 16]);
/// let ciphertext = [0x917cf69ebd68b2ec9b9fe9a3eadda692, 0xcd43d2f59598ed858c02c2652fbf922e_u128];
/// let ciphertext = ciphertext.map(u128::to_be_bytes);
/// assert_eq!(xts::decrypt(&cipher, &cipher, &[0; 16], ciphertext.as_flattened()), [0; 32]);
/// ```
///
/// # Panics
///
/// If the unit has fewer than 16 bytes or more than 2^20 blocks.
pub fn decrypt(
    data_cipher: &impl BlockCipher<16>,
    tweak_cipher: &impl BlockCipher<16>,
    tweak: &[u8; 16],
    ciphertext: &[u8],
) -> Vec<u8> {
    check_unit(ciphertext);
    let mut t = tweak_cipher.encrypt_block(tweak);
    let (mut blocks, rest) = ciphertext.as_chunks::<16>();
    let last = if rest.is_empty() { None } else { blocks.split_off_last() };
    let mut plaintext = Vec::with_capacity(ciphertext.len());
    for c in blocks {
        plaintext.extend(decrypt_block(data_cipher, &t, c));
        t = multiply_by_alpha(&t);
    }
    if let Some(c) = last {
        // The last whole block was encrypted after the short one, so it has the later tweak.
        let pp = decrypt_block(data_cipher, &multiply_by_alpha(&t), c);
        let (p_m, cp) = pp.split_at(rest.len());
        plaintext.extend(decrypt_block(data_cipher, &t, &joined(rest, cp)));
        plaintext.extend(p_m);
    }
    plaintext
}

/// Encrypts consecutive data units of `unit_len` bytes, of which the last may be shorter. The first
/// has the tweak `first_tweak`, and each further one the number after that, modulo 2^128.
///
/// ```
/// use abreast_reference::{aes::Aes, xts};
///
/// let (data_cipher, tweak_cipher) = (Aes::new(&[1; 16]), Aes::new(&[2; 16]));
/// let units = xts::encrypt_units(&data_cipher, &tweak_cipher, &[0; 16], 512, &[7; 1024]);
/// let second = 1_u128.to_le_bytes();
/// assert_eq!(units[512..], xts::encrypt(&data_cipher, &tweak_cipher, &second, &[7; 512]));
/// ```
///
/// # Panics
///
/// If a unit has fewer than 16 bytes or more than 2^20 blocks.
pub fn encrypt_units(
    data_cipher: &impl BlockCipher<16>,
    tweak_cipher: &impl BlockCipher<16>,
    first_tweak: &[u8; 16],
    unit_len: usize,
    plaintext: &[u8],
) -> Vec<u8> {
    units(first_tweak, unit_len, plaintext)
        .flat_map(|(tweak, unit)| encrypt(data_cipher, tweak_cipher, &tweak, unit))
        .collect()
}

/// Decrypts consecutive data units of `unit_len` bytes, as [`encrypt_units`] numbers them.
///
/// ```
/// use abreast_reference::{aes::Aes, xts};
///
/// let (data_cipher, tweak_cipher) = (Aes::new(&[1; 16]), Aes::new(&[2; 16]));
/// let ciphertext = xts::encrypt_units(&data_cipher, &tweak_cipher, &[3; 16], 512, &[7; 1000]);
/// let plaintext = xts::decrypt_units(&data_cipher, &tweak_cipher, &[3; 16], 512, &ciphertext);
/// assert_eq!(plaintext, [7; 1000]);
/// ```
///
/// # Panics
///
/// If a unit has fewer than 16 bytes or more than 2^20 blocks.
pub fn decrypt_units(
    data_cipher: &impl BlockCipher<16>,
    tweak_cipher: &impl BlockCipher<16>,
    first_tweak: &[u8; 16],
    unit_len: usize,
    ciphertext: &[u8],
) -> Vec<u8> {
    units(first_tweak, unit_len, ciphertext)
        .flat_map(|(tweak, unit)| decrypt(data_cipher, tweak_cipher, &tweak, unit))
        .collect()
}

/// Section 5.1: the units of some data, each with its tweak.
fn units<'a>(
    first_tweak: &[u8; 16],
    unit_len: usize,
    data: &'a [u8],
) -> impl Iterator<Item = ([u8; 16], &'a [u8])> {
    assert!(unit_len >= 16, "XTS takes data units of 16 bytes or more, not {unit_len}");
    let first = u128::from_le_bytes(*first_tweak);
    (0..).zip(data.chunks(unit_len)).map(move |(i, unit)| (first.wrapping_add(i).to_le_bytes(), unit))
}

/// The lengths of a data unit that are allowed.
fn check_unit(unit: &[u8]) {
    let len = unit.len();
    assert!(len >= 16, "XTS takes data units of 16 bytes or more, not {len}");
    assert!(len <= LONGEST_UNIT, "XTS takes data units of 2^20 blocks or less, not {len} bytes");
}

/// `XTS-AES-blockEnc`, section 5.3.1, with the tweak encrypted and multiplied already.
fn encrypt_block(data_cipher: &impl BlockCipher<16>, t: &[u8; 16], p: &[u8; 16]) -> [u8; 16] {
    xor(&data_cipher.encrypt_block(&xor(p, t)), t)
}

/// `XTS-AES-blockDec`, section 5.4.1, with the tweak encrypted and multiplied already.
fn decrypt_block(data_cipher: &impl BlockCipher<16>, t: &[u8; 16], c: &[u8; 16]) -> [u8; 16] {
    xor(&data_cipher.decrypt_block(&xor(c, t)), t)
}

/// Section 5.2: multiplication by `α`, which is x, in GF(2^128), modulo x^128 + x^7 + x^2 + x + 1.
/// The coefficient of x^0 is the least significant bit of the first byte.
fn multiply_by_alpha(a: &[u8; 16]) -> [u8; 16] {
    let mut product = [0; 16];
    let mut carry_in = 0;
    for (product, byte) in product.iter_mut().zip(a) {
        *product = byte << 1 | carry_in;
        carry_in = byte >> 7;
    }
    if carry_in == 1 {
        product[0] ^= 0x87;
    }
    product
}

/// The block of two parts of one.
fn joined(start: &[u8], end: &[u8]) -> [u8; 16] {
    let mut block = [0; 16];
    block[..start.len()].copy_from_slice(start);
    block[start.len()..].copy_from_slice(end);
    block
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aes::Aes;
    use crate::serpent::Serpent;

    /// IEEE 1619, vector 2.
    #[test]
    fn whole_blocks() {
        let (data_cipher, tweak_cipher) = (Aes::new(&[0x11; 16]), Aes::new(&[0x22; 16]));
        let tweak = 0x3333333333_u128.to_le_bytes();
        let ciphertext = [0xc454185e6a16936e39334038acef838b, 0xfb186fff7480adc4289382ecd6d394f0_u128];
        let ciphertext = ciphertext.map(u128::to_be_bytes);
        assert_eq!(encrypt(&data_cipher, &tweak_cipher, &tweak, &[0x44; 32]), ciphertext.as_flattened());
        assert_eq!(decrypt(&data_cipher, &tweak_cipher, &tweak, ciphertext.as_flattened()), [0x44; 32]);
    }

    /// IEEE 1619, vector 15.
    #[test]
    fn a_stolen_ciphertext() {
        let data_cipher = Aes::new(&0xfffefdfcfbfaf9f8f7f6f5f4f3f2f1f0_u128.to_be_bytes());
        let tweak_cipher = Aes::new(&0xbfbebdbcbbbab9b8b7b6b5b4b3b2b1b0_u128.to_be_bytes());
        let tweak = 0x123456789a_u128.to_le_bytes();
        let plaintext = (0..17).collect::<Vec<u8>>();
        let mut ciphertext = 0x6c1625db4671522d3d7599601de7ca09_u128.to_be_bytes().to_vec();
        ciphertext.push(0xed);
        assert_eq!(encrypt(&data_cipher, &tweak_cipher, &tweak, &plaintext), ciphertext);
        assert_eq!(decrypt(&data_cipher, &tweak_cipher, &tweak, &ciphertext), plaintext);
    }

    #[test]
    fn every_length_returns() {
        let (data_cipher, tweak_cipher) = (Serpent::new(&[1; 32]), Serpent::new(&[2; 32]));
        for len in 16..=80 {
            let plaintext = (0..len).collect::<Vec<u8>>();
            let ciphertext = encrypt(&data_cipher, &tweak_cipher, &[3; 16], &plaintext);
            assert_eq!(decrypt(&data_cipher, &tweak_cipher, &[3; 16], &ciphertext), plaintext, "{len}");
        }
    }

    #[test]
    fn units_count_as_one_number() {
        let (data_cipher, tweak_cipher) = (Aes::new(&[1; 16]), Aes::new(&[2; 16]));
        for first in [0, 0xff, u64::MAX.into(), u128::MAX] {
            let tweaks = [first, first.wrapping_add(1), first.wrapping_add(2)].map(u128::to_le_bytes);
            let plaintext = [7; 20 + 20 + 19];
            let ciphertext = encrypt_units(&data_cipher, &tweak_cipher, &tweaks[0], 20, &plaintext);
            for (tweak, (unit, expected)) in
                tweaks.iter().zip(plaintext.chunks(20).zip(ciphertext.chunks(20)))
            {
                assert_eq!(encrypt(&data_cipher, &tweak_cipher, tweak, unit), expected);
            }
            assert_eq!(decrypt_units(&data_cipher, &tweak_cipher, &tweaks[0], 20, &ciphertext), plaintext);
        }
        assert_eq!(encrypt_units(&data_cipher, &tweak_cipher, &[0; 16], 512, &[]), []);
    }

    #[test]
    fn alpha_carries_and_reduces() {
        let times_alpha = |a: u128| u128::from_le_bytes(multiply_by_alpha(&a.to_le_bytes()));
        assert_eq!(times_alpha(1), 2);
        assert_eq!(times_alpha(0x80), 0x100);
        assert_eq!(times_alpha(1 << 127), 0x87);
        assert_eq!(times_alpha(u128::MAX), u128::MAX ^ 1 ^ 0x87);
    }

    #[test]
    #[should_panic(expected = "XTS takes data units of 16 bytes or more, not 15")]
    fn no_short_unit() {
        let cipher = Aes::new(&[0; 16]);
        encrypt(&cipher, &cipher, &[0; 16], &[0; 15]);
    }

    #[test]
    #[should_panic(expected = "XTS takes data units of 16 bytes or more, not 8")]
    fn no_short_last_unit() {
        let cipher = Aes::new(&[0; 16]);
        encrypt_units(&cipher, &cipher, &[0; 16], 16, &[0; 24]);
    }

    #[test]
    #[should_panic(expected = "XTS takes data units of 2^20 blocks or less, not 16777217 bytes")]
    fn no_long_unit() {
        let cipher = Aes::new(&[0; 16]);
        encrypt(&cipher, &cipher, &[0; 16], &vec![0; LONGEST_UNIT + 1]);
    }
}
