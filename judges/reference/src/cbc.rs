//! The cipher block chaining mode, CBC, from SP 800-38A, section 6.2, and the padding of PKCS #7,
//! from RFC 5652, section 6.3.

use std::error::Error;
use std::fmt;

use crate::block::{BlockCipher, xor};

/// Encrypts whole blocks: each is added to the ciphertext of the one before it, the first to the
/// initialization vector.
///
/// ```
/// use abreast_reference::{aes::Aes, cbc};
///
/// let cipher = Aes::new(&[0; 16]);
/// let ciphertext = cbc::encrypt(&cipher, &[1; 16], b"two blocks of 16 bytes, 32 bytes");
/// assert_eq!(cbc::decrypt(&cipher, &[1; 16], &ciphertext), b"two blocks of 16 bytes, 32 bytes");
/// ```
///
/// # Panics
///
/// If the plaintext is not made of whole blocks.
pub fn encrypt<const N: usize>(cipher: &impl BlockCipher<N>, iv: &[u8; N], plaintext: &[u8]) -> Vec<u8> {
    let mut before = *iv;
    let mut ciphertext = Vec::with_capacity(plaintext.len());
    for plaintext in blocks(plaintext) {
        before = cipher.encrypt_block(&xor(plaintext, &before));
        ciphertext.extend(before);
    }
    ciphertext
}

/// Decrypts whole blocks.
///
/// ```
/// use abreast_reference::{aes::Aes, cbc};
///
/// // SP 800-38A, appendix F.2.2, the first block.
/// let cipher = Aes::new(&0x2b7e151628aed2a6abf7158809cf4f3c_u128.to_be_bytes());
/// let iv = 0x000102030405060708090a0b0c0d0e0f_u128.to_be_bytes();
/// let ciphertext = 0x7649abac8119b246cee98e9b12e9197d_u128.to_be_bytes();
/// let plaintext = 0x6bc1bee22e409f96e93d7e117393172a_u128.to_be_bytes();
/// assert_eq!(cbc::decrypt(&cipher, &iv, &ciphertext), plaintext);
/// ```
///
/// # Panics
///
/// If the ciphertext is not made of whole blocks.
pub fn decrypt<const N: usize>(cipher: &impl BlockCipher<N>, iv: &[u8; N], ciphertext: &[u8]) -> Vec<u8> {
    let mut before = iv;
    let mut plaintext = Vec::with_capacity(ciphertext.len());
    for ciphertext in blocks(ciphertext) {
        plaintext.extend(xor(&cipher.decrypt_block(ciphertext), before));
        before = ciphertext;
    }
    plaintext
}

/// Pads a plaintext of any length, by one byte to a whole block, and encrypts it.
///
/// ```
/// use abreast_reference::{aes::Aes, cbc};
///
/// let cipher = Aes::new(&[0; 16]);
/// let ciphertext = cbc::encrypt_padded(&cipher, &[1; 16], b"secret");
/// assert_eq!(ciphertext.len(), 16);
/// assert_eq!(cbc::decrypt_padded(&cipher, &[1; 16], &ciphertext).unwrap(), b"secret");
/// ```
pub fn encrypt_padded<const N: usize>(
    cipher: &impl BlockCipher<N>,
    iv: &[u8; N],
    plaintext: &[u8],
) -> Vec<u8> {
    encrypt(cipher, iv, &pad::<N>(plaintext))
}

/// Decrypts, and takes off the padding.
///
/// ```
/// use abreast_reference::{aes::Aes, cbc};
///
/// let cipher = Aes::new(&[0; 16]);
/// let unpadded = cbc::encrypt(&cipher, &[1; 16], &[0; 16]);
/// assert_eq!(cbc::decrypt_padded(&cipher, &[1; 16], &unpadded), Err(cbc::BadPadding));
/// ```
///
/// # Errors
///
/// [`BadPadding`] if the plaintext does not end in a padding, or the ciphertext is empty or not
/// made of whole blocks, as no padded plaintext makes it.
pub fn decrypt_padded<const N: usize>(
    cipher: &impl BlockCipher<N>,
    iv: &[u8; N],
    ciphertext: &[u8],
) -> Result<Vec<u8>, BadPadding> {
    if !ciphertext.len().is_multiple_of(N) {
        return Err(BadPadding);
    }
    unpad::<N>(decrypt(cipher, iv, ciphertext))
}

/// The end of a decrypted message is no padding.
///
/// ```
/// assert_eq!(abreast_reference::cbc::BadPadding.to_string(), "the message does not end in a padding");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadPadding;

impl fmt::Display for BadPadding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the message does not end in a padding")
    }
}

impl Error for BadPadding {}

/// Section 5.2: the data of CBC is a multiple of the block.
fn blocks<const N: usize>(data: &[u8]) -> &[[u8; N]] {
    let (blocks, rest) = data.as_chunks::<N>();
    assert!(rest.is_empty(), "CBC takes whole blocks of {N} bytes, not {} bytes", data.len());
    blocks
}

/// RFC 5652, section 6.3: a plaintext of `lth` bytes is followed by `k - (lth mod k)` bytes, all of
/// this value.
fn pad<const K: usize>(plaintext: &[u8]) -> Vec<u8> {
    let padding = K - plaintext.len() % K;
    let mut padded = plaintext.to_vec();
    padded.resize(plaintext.len() + padding, padding as u8);
    padded
}

/// The plaintext without its padding.
fn unpad<const K: usize>(mut padded: Vec<u8>) -> Result<Vec<u8>, BadPadding> {
    let value = *padded.last().ok_or(BadPadding)?;
    let padding = usize::from(value);
    if !(1..=K).contains(&padding) {
        return Err(BadPadding);
    }
    let removed = padded.split_off(padded.len() - padding);
    if removed.iter().all(|byte| *byte == value) { Ok(padded) } else { Err(BadPadding) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aes::Aes;
    use crate::xtea::{ByteOrder, Xtea};

    /// Appendix F.2.1, the first two blocks.
    #[test]
    fn example_of_the_standard() {
        let cipher = Aes::new(&0x2b7e151628aed2a6abf7158809cf4f3c_u128.to_be_bytes());
        let iv = 0x000102030405060708090a0b0c0d0e0f_u128.to_be_bytes();
        let plaintext = [0x6bc1bee22e409f96e93d7e117393172a, 0xae2d8a571e03ac9c9eb76fac45af8e51];
        let ciphertext = [0x7649abac8119b246cee98e9b12e9197d, 0x5086cb9b507219ee95db113a917678b2];
        let [plaintext, ciphertext] = [plaintext, ciphertext].map(|blocks| blocks.map(u128::to_be_bytes));
        assert_eq!(encrypt(&cipher, &iv, plaintext.as_flattened()), ciphertext.as_flattened());
        assert_eq!(decrypt(&cipher, &iv, ciphertext.as_flattened()), plaintext.as_flattened());
    }

    #[test]
    fn paddings() {
        assert_eq!(pad::<4>(b""), b"\x04\x04\x04\x04");
        assert_eq!(pad::<4>(b"a"), b"a\x03\x03\x03");
        assert_eq!(pad::<4>(b"abc"), b"abc\x01");
        assert_eq!(pad::<4>(b"abcd"), b"abcd\x04\x04\x04\x04");
        for bad in [&b""[..], b"abc\x00", b"abc\x05", b"a\x02\x03\x03", b"\x03\x04\x04\x04", b"abc\xff"] {
            assert_eq!(unpad::<4>(bad.to_vec()), Err(BadPadding), "{bad:?}");
        }
    }

    fn round_trips<const N: usize>(cipher: &impl BlockCipher<N>) {
        for len in 0..=5 * N {
            let plaintext = vec![3; len];
            let ciphertext = encrypt_padded(cipher, &[1; N], &plaintext);
            assert_eq!(ciphertext.len(), len + N - len % N);
            assert_eq!(decrypt_padded(cipher, &[1; N], &ciphertext), Ok(plaintext.clone()), "{len}");
            if len % N == 0 {
                let ciphertext = encrypt(cipher, &[1; N], &plaintext);
                assert_eq!(decrypt(cipher, &[1; N], &ciphertext), plaintext, "{len}");
            } else {
                assert_eq!(decrypt_padded(cipher, &[1; N], &plaintext), Err(BadPadding), "{len}");
            }
        }
        assert_eq!(decrypt_padded(cipher, &[1; N], &[]), Err(BadPadding));
    }

    #[test]
    fn every_length_returns() {
        round_trips(&Aes::new(&[7; 24]));
        round_trips(&Xtea::new(&[7; 16], ByteOrder::BigEndian, 32));
    }

    #[test]
    #[should_panic(expected = "CBC takes whole blocks of 16 bytes, not 15 bytes")]
    fn no_partial_block() {
        encrypt(&Aes::new(&[0; 16]), &[0; 16], &[0; 15]);
    }
}
