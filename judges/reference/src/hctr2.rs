//! HCTR2 from "Length-preserving encryption with HCTR2" by Paul Crowley, Nathan Huckleberry and Eric Biggers (eprint 2021/1441),
//! over any cipher with blocks of 16 bytes.

use crate::block::{BlockCipher, xor};
use crate::gcm_siv::{padded, polyval};

/// `Encrypt`, section 2.4.
///
/// ```
/// use abreast_reference::{aes::Aes, hctr2};
///
/// let cipher = Aes::new(&[7; 32]);
/// let u = hctr2::encrypt(&cipher, b"tweak", b"a message of 25 bytes ...");
/// assert_eq!(hctr2::decrypt(&cipher, b"tweak", &u), b"a message of 25 bytes ...");
/// ```
///
/// # Panics
///
/// If the message is shorter than a block.
pub fn encrypt(cipher: &impl BlockCipher<16>, tweak: &[u8], plaintext: &[u8]) -> Vec<u8> {
    let (m, n) = plaintext.split_first_chunk().expect("a message of a block or more");
    let mm = xor(m, &hash(cipher, tweak, n));
    let uu = cipher.encrypt_block(&mm);
    let v = xctr(cipher, &s(cipher, &mm, &uu), n);
    let u = xor(&uu, &hash(cipher, tweak, &v));
    [&u[..], &v].concat()
}

/// `Decrypt`, section 2.4.
///
/// # Panics
///
/// If the message is shorter than a block.
pub fn decrypt(cipher: &impl BlockCipher<16>, tweak: &[u8], ciphertext: &[u8]) -> Vec<u8> {
    let (u, v) = ciphertext.split_first_chunk().expect("a message of a block or more");
    let uu = xor(u, &hash(cipher, tweak, v));
    let mm = cipher.decrypt_block(&uu);
    let n = xctr(cipher, &s(cipher, &mm, &uu), v);
    let m = xor(&mm, &hash(cipher, tweak, &n));
    [&m[..], &n].concat()
}

/// `S`, the nonce of XCTR, with `L` the encrypted number 1.
fn s(cipher: &impl BlockCipher<16>, mm: &[u8; 16], uu: &[u8; 16]) -> [u8; 16] {
    let l = cipher.encrypt_block(&1_u128.to_le_bytes());
    xor(&xor(mm, uu), &l)
}

/// `H`, section 2.2: POLYVAL under the encrypted number 0. The first block tells the bits of the tweak and if the text ends
/// with a block.
fn hash(cipher: &impl BlockCipher<16>, tweak: &[u8], text: &[u8]) -> [u8; 16] {
    let bits = 8 * tweak.len() as u128;
    let (lengths, text) = if text.len().is_multiple_of(16) {
        (2 * bits + 2, text.to_vec())
    } else {
        (2 * bits + 3, padded(&[text, &[1]].concat()))
    };
    let h = cipher.encrypt_block(&[0; 16]);
    polyval(&h, &[lengths.to_le_bytes().to_vec(), padded(tweak), text].concat())
}

/// `XCTR`, section 2.3: block `i` of the keystream, counted from 1, is the encrypted nonce XORed with the number `i`.
fn xctr(cipher: &impl BlockCipher<16>, nonce: &[u8; 16], text: &[u8]) -> Vec<u8> {
    let mut output = Vec::new();
    for (i, part) in (1_u128..).zip(text.chunks(16)) {
        let stream = cipher.encrypt_block(&xor(nonce, &i.to_le_bytes()));
        output.extend(part.iter().zip(stream).map(|(byte, stream)| byte ^ stream));
    }
    output
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aes::Aes;
    use crate::serpent::Serpent;

    #[test]
    fn every_length_returns() {
        let (aes, serpent) = (Aes::new(&[1; 16]), Serpent::new(&[2; 32]));
        for len in 16..=80 {
            let plaintext = (0..len).collect::<Vec<u8>>();
            for tweak in 0..40 {
                let tweak = vec![9; tweak];
                let ciphertext = encrypt(&aes, &tweak, &plaintext);
                assert_eq!(decrypt(&aes, &tweak, &ciphertext), plaintext, "{len}");
                let ciphertext = encrypt(&serpent, &tweak, &plaintext);
                assert_eq!(decrypt(&serpent, &tweak, &ciphertext), plaintext, "{len}");
            }
        }
    }

    /// A text that ends with a bit set and zeros is not the same as a shorter one.
    #[test]
    fn padding_is_told_apart() {
        let cipher = Aes::new(&[1; 16]);
        let mut longer = [0; 16];
        longer[5] = 1;
        assert_ne!(hash(&cipher, &[], &[0; 5]), hash(&cipher, &[], &longer));
    }
}
