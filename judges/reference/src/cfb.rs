//! The cipher feedback mode, CFB, from SP 800-38A, section 6.3.
//!
//! Its parameter `s` is the length of a segment, in bits there and in bytes here. Two are in use:
//! the whole block, where this module also takes a last segment that is short, as libraries do
//! though the standard does not; and one byte, the 8-bit CFB mode.

use crate::block::BlockCipher;

/// Encrypts data of any length in segments of a block.
///
/// ```
/// use abreast_reference::{aes::Aes, cfb};
///
/// let cipher = Aes::new(&[0; 16]);
/// let ciphertext = cfb::encrypt(&cipher, &[1; 16], b"attack at dawn, not at dusk");
/// assert_eq!(cfb::decrypt(&cipher, &[1; 16], &ciphertext), b"attack at dawn, not at dusk");
/// ```
pub fn encrypt<const N: usize>(cipher: &impl BlockCipher<N>, iv: &[u8; N], plaintext: &[u8]) -> Vec<u8> {
    encrypt_segments(cipher, iv, N, plaintext)
}

/// Decrypts data of any length in segments of a block.
///
/// ```
/// use abreast_reference::{aes::Aes, cfb};
///
/// // SP 800-38A, appendix F.3.14, the first block.
/// let cipher = Aes::new(&0x2b7e151628aed2a6abf7158809cf4f3c_u128.to_be_bytes());
/// let iv = 0x000102030405060708090a0b0c0d0e0f_u128.to_be_bytes();
/// let ciphertext = 0x3b3fd92eb72dad20333449f8e83cfb4a_u128.to_be_bytes();
/// let plaintext = 0x6bc1bee22e409f96e93d7e117393172a_u128.to_be_bytes();
/// assert_eq!(cfb::decrypt(&cipher, &iv, &ciphertext), plaintext);
/// ```
pub fn decrypt<const N: usize>(cipher: &impl BlockCipher<N>, iv: &[u8; N], ciphertext: &[u8]) -> Vec<u8> {
    decrypt_segments(cipher, iv, N, ciphertext)
}

/// Encrypts data of any length in segments of a byte.
///
/// ```
/// use abreast_reference::{aes::Aes, cfb};
///
/// let cipher = Aes::new(&[0; 16]);
/// let ciphertext = cfb::encrypt_8(&cipher, &[1; 16], b"attack at dawn");
/// assert_eq!(cfb::decrypt_8(&cipher, &[1; 16], &ciphertext), b"attack at dawn");
/// ```
pub fn encrypt_8<const N: usize>(cipher: &impl BlockCipher<N>, iv: &[u8; N], plaintext: &[u8]) -> Vec<u8> {
    encrypt_segments(cipher, iv, 1, plaintext)
}

/// Decrypts data of any length in segments of a byte.
///
/// ```
/// use abreast_reference::{aes::Aes, cfb};
///
/// // SP 800-38A, appendix F.3.8, the first four segments.
/// let cipher = Aes::new(&0x2b7e151628aed2a6abf7158809cf4f3c_u128.to_be_bytes());
/// let iv = 0x000102030405060708090a0b0c0d0e0f_u128.to_be_bytes();
/// assert_eq!(cfb::decrypt_8(&cipher, &iv, &[0x3b, 0x79, 0x42, 0x4c]), [0x6b, 0xc1, 0xbe, 0xe2]);
/// ```
pub fn decrypt_8<const N: usize>(cipher: &impl BlockCipher<N>, iv: &[u8; N], ciphertext: &[u8]) -> Vec<u8> {
    decrypt_segments(cipher, iv, 1, ciphertext)
}

/// CFB encryption with segments of `s` bytes.
fn encrypt_segments<const N: usize>(
    cipher: &impl BlockCipher<N>,
    iv: &[u8; N],
    s: usize,
    plaintext: &[u8],
) -> Vec<u8> {
    let mut input_block = *iv;
    let mut ciphertext = Vec::with_capacity(plaintext.len());
    for plaintext in plaintext.chunks(s) {
        let segment = add_output_block(&cipher.encrypt_block(&input_block), plaintext);
        shift_in(&mut input_block, &segment);
        ciphertext.extend(segment);
    }
    ciphertext
}

/// CFB decryption with segments of `s` bytes: here too the cipher encrypts.
fn decrypt_segments<const N: usize>(
    cipher: &impl BlockCipher<N>,
    iv: &[u8; N],
    s: usize,
    ciphertext: &[u8],
) -> Vec<u8> {
    let mut input_block = *iv;
    let mut plaintext = Vec::with_capacity(ciphertext.len());
    for ciphertext in ciphertext.chunks(s) {
        plaintext.extend(add_output_block(&cipher.encrypt_block(&input_block), ciphertext));
        shift_in(&mut input_block, ciphertext);
    }
    plaintext
}

/// `segment ⊕ MSB_s(O_j)`.
fn add_output_block(output_block: &[u8], segment: &[u8]) -> Vec<u8> {
    segment.iter().zip(output_block).map(|(data, key)| data ^ key).collect()
}

/// `I_j = LSB_(b-s)(I_(j-1)) | C_(j-1)`: the segment pushes as many bytes out at the front.
fn shift_in<const N: usize>(input_block: &mut [u8; N], segment: &[u8]) {
    input_block.rotate_left(segment.len());
    input_block[N - segment.len()..].copy_from_slice(segment);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aes::Aes;
    use crate::xtea::{ByteOrder, Xtea};

    /// Appendix F.3.13, the first two blocks, cut anywhere.
    #[test]
    fn example_of_the_standard_with_whole_blocks() {
        let cipher = Aes::new(&0x2b7e151628aed2a6abf7158809cf4f3c_u128.to_be_bytes());
        let iv = 0x000102030405060708090a0b0c0d0e0f_u128.to_be_bytes();
        let plaintext = [0x6bc1bee22e409f96e93d7e117393172a, 0xae2d8a571e03ac9c9eb76fac45af8e51];
        let ciphertext = [0x3b3fd92eb72dad20333449f8e83cfb4a, 0xc8a64537a0b3a93fcde3cdad9f1ce58b];
        let [plaintext, ciphertext] = [plaintext, ciphertext].map(|blocks| blocks.map(u128::to_be_bytes));
        for len in 0..=32 {
            let [plaintext, ciphertext] = [&plaintext, &ciphertext].map(|all| &all.as_flattened()[..len]);
            assert_eq!(encrypt(&cipher, &iv, plaintext), ciphertext);
            assert_eq!(decrypt(&cipher, &iv, ciphertext), plaintext);
        }
    }

    /// Appendix F.3.7: 18 segments.
    #[test]
    fn example_of_the_standard_with_bytes() {
        let cipher = Aes::new(&0x2b7e151628aed2a6abf7158809cf4f3c_u128.to_be_bytes());
        let iv = 0x000102030405060708090a0b0c0d0e0f_u128.to_be_bytes();
        let mut plaintext = 0x6bc1bee22e409f96e93d7e117393172a_u128.to_be_bytes().to_vec();
        plaintext.extend([0xae, 0x2d]);
        let mut ciphertext = 0x3b79424c9c0dd436bace9e0ed4586a4f_u128.to_be_bytes().to_vec();
        ciphertext.extend([0x32, 0xb9]);
        assert_eq!(encrypt_8(&cipher, &iv, &plaintext), ciphertext);
        assert_eq!(decrypt_8(&cipher, &iv, &ciphertext), plaintext);
    }

    #[test]
    fn every_length_returns() {
        let cipher = Xtea::new(&[7; 16], ByteOrder::BigEndian, 32);
        for len in 0..=40 {
            let plaintext = vec![3; len];
            assert_eq!(decrypt(&cipher, &[1; 8], &encrypt(&cipher, &[1; 8], &plaintext)), plaintext);
            assert_eq!(decrypt_8(&cipher, &[1; 8], &encrypt_8(&cipher, &[1; 8], &plaintext)), plaintext);
        }
    }
}
