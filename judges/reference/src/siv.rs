//! SIV, the synthetic initialisation vector mode, from RFC 5297 (2008), over ciphers with blocks of 16 bytes.

use crate::block::{BlockCipher, xor};
use crate::{cmac, ctr};

/// `SIV-ENCRYPT`, section 2.6: the synthetic vector, which the RFC puts before the ciphertext, and the ciphertext.
///
/// ```
/// use abreast_reference::{aes::Aes, siv};
///
/// // Appendix A.1.
/// let k1 = Aes::new(&0xfffefdfcfbfaf9f8f7f6f5f4f3f2f1f0_u128.to_be_bytes());
/// let k2 = Aes::new(&0xf0f1f2f3f4f5f6f7f8f9fafbfcfdfeff_u128.to_be_bytes());
/// let ad: [u8; 24] = core::array::from_fn(|i| 0x10 + i as u8);
/// let plaintext = &0x112233445566778899aabbccddee_u128.to_be_bytes()[2..];
/// let (v, c) = siv::seal(&k1, &k2, &[&ad], plaintext);
/// assert_eq!(v, 0x85632d07c6e8f37f950acd320a2ecc93_u128.to_be_bytes());
/// assert_eq!(c, 0x40c02b9690c4dc04daef7f6afe5c_u128.to_be_bytes()[2..]);
/// ```
///
/// # Panics
///
/// If there are more than 126 strings of associated data.
pub fn seal(
    k1: &impl BlockCipher<16>,
    k2: &impl BlockCipher<16>,
    ads: &[&[u8]],
    plaintext: &[u8],
) -> ([u8; 16], Vec<u8>) {
    let v = s2v(k1, ads, plaintext);
    (v, ctr(k2, &v, plaintext))
}

/// `SIV-DECRYPT`, section 2.7: the plaintext, or `None`, the RFC's `FAIL`, where the vector does not belong to the plaintext.
///
/// ```
/// use abreast_reference::{aes::Aes, siv};
///
/// let (k1, k2) = (Aes::new(&[1; 16]), Aes::new(&[2; 16]));
/// let (v, c) = siv::seal(&k1, &k2, &[b"header"], b"secret");
/// assert_eq!(siv::open(&k1, &k2, &[b"header"], &v, &c).unwrap(), b"secret");
/// assert_eq!(siv::open(&k1, &k2, &[b"leader"], &v, &c), None);
/// ```
///
/// # Panics
///
/// If there are more than 126 strings of associated data.
pub fn open(
    k1: &impl BlockCipher<16>,
    k2: &impl BlockCipher<16>,
    ads: &[&[u8]],
    v: &[u8; 16],
    ciphertext: &[u8],
) -> Option<Vec<u8>> {
    let plaintext = ctr(k2, v, ciphertext);
    (s2v(k1, ads, &plaintext) == *v).then_some(plaintext)
}

/// `S2V`, section 2.4: the last of the strings is the plaintext.
fn s2v(k: &impl BlockCipher<16>, ads: &[&[u8]], plaintext: &[u8]) -> [u8; 16] {
    assert!(ads.len() <= 126, "{} strings of associated data", ads.len());
    let mac = |message: &[u8]| -> [u8; 16] {
        cmac::mac(k, message, 16).try_into().expect("a whole tag is a block")
    };
    let mut d = mac(&[0; 16]);
    for s in ads {
        d = xor(&dbl(&d), &mac(s));
    }
    let t = if plaintext.len() >= 16 {
        // `Sn xorend D`: D is added to the end.
        let (head, end) = plaintext.split_at(plaintext.len() - 16);
        [head, &xor(&d, end.try_into().expect("16 bytes"))].concat()
    } else {
        let mut padded = [0; 16];
        padded[..plaintext.len()].copy_from_slice(plaintext);
        padded[plaintext.len()] = 0x80;
        xor(&dbl(&d), &padded).to_vec()
    };
    mac(&t)
}

/// `dbl`, section 2.3: one bit to the left, and the constant where a bit fell off.
fn dbl(block: &[u8; 16]) -> [u8; 16] {
    let number = u128::from_be_bytes(*block);
    let constant = if number >> 127 == 1 { 0b10000111 } else { 0 };
    (number << 1 ^ constant).to_be_bytes()
}

/// Counter mode from `V` with the 31st and the 63rd bit cleared, counted from 0 at the right: section 2.5.
fn ctr(k: &impl BlockCipher<16>, v: &[u8; 16], message: &[u8]) -> Vec<u8> {
    let mut q = *v;
    q[8] &= 0x7f;
    q[12] &= 0x7f;
    ctr::xor(k, &q, 128, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aes::Aes;

    #[test]
    fn any_changed_bit_fails() {
        let (k1, k2) = (Aes::new(&[7; 16]), Aes::new(&[8; 16]));
        for len in [0, 1, 15, 16, 17, 40] {
            let text = vec![3; len];
            let ads = [b"one".to_vec(), Vec::new(), b"the third of them".to_vec()];
            let opened = |ads: &[Vec<u8>], v: &[u8], c: &[u8]| {
                let ads: Vec<_> = ads.iter().map(Vec::as_slice).collect();
                open(&k1, &k2, &ads, v.try_into().expect("16 bytes"), c)
            };
            let slices: Vec<_> = ads.iter().map(Vec::as_slice).collect();
            let (v, c) = seal(&k1, &k2, &slices, &text);
            assert_eq!(opened(&ads, &v, &c), Some(text));
            for bit in 0..128 {
                let mut forged = v;
                forged[bit / 8] ^= 1 << (bit % 8);
                assert_eq!(opened(&ads, &forged, &c), None, "{len} bytes, bit {bit} of the vector");
            }
            for bit in 0..8 * len {
                let mut forged = c.clone();
                forged[bit / 8] ^= 1 << (bit % 8);
                assert_eq!(opened(&ads, &v, &forged), None, "{len} bytes, bit {bit}");
            }
            assert_eq!(opened(&ads[..1], &v, &c), None, "{len} bytes, other strings");
            assert_eq!(
                opened(&[&ads[..], &[Vec::new()]].concat(), &v, &c),
                None,
                "{len} bytes, an empty string"
            );
        }
    }

    #[test]
    #[should_panic(expected = "127 strings of associated data")]
    fn no_more_strings_than_bits() {
        let k = Aes::new(&[0; 16]);
        seal(&k, &k, &[&[] as &[u8]; 127], &[]);
    }
}
