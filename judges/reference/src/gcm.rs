//! GCM, the Galois/Counter Mode, from SP 800-38D (2007), over any cipher with 16-byte blocks.
//!
//! A block is a bit string whose first bit, the coefficient of x^0, is the most significant bit of
//! its first byte. Read as a big-endian integer, as it is here, a block is therefore the polynomial
//! with its bits reversed: multiplication by x is a shift to the *right*.

use crate::block::BlockCipher;
use crate::ctr;

/// The constant `R` of section 6.3, the bits 11100001 and 120 zeroes: x^128 = 1 + x + x^2 + x^7.
const R: u128 = 0xe1 << 120;

/// `X • Y`, section 6.3, algorithm 1: the product of two blocks in GF(2^128).
///
/// ```
/// use abreast_reference::gcm;
///
/// // The block of a single first bit is the one of the field.
/// let one = (1_u128 << 127).to_be_bytes();
/// assert_eq!(gcm::multiply(&one, &[0x5a; 16]), [0x5a; 16]);
/// ```
pub fn multiply(x: &[u8; 16], y: &[u8; 16]) -> [u8; 16] {
    let x = u128::from_be_bytes(*x);
    let mut z = 0;
    let mut v = u128::from_be_bytes(*y);
    for i in 0..128 {
        if x >> (127 - i) & 1 == 1 {
            z ^= v;
        }
        v = if v & 1 == 0 { v >> 1 } else { (v >> 1) ^ R };
    }
    z.to_be_bytes()
}

/// `GHASH_H(X)`, section 6.4, algorithm 2: the hash of whole blocks under the hash subkey `h`.
///
/// ```
/// assert_eq!(abreast_reference::gcm::ghash(&[0x66; 16], &[]), [0; 16]);
/// ```
///
/// # Panics
///
/// If the length of `x` is not a multiple of 16 bytes.
pub fn ghash(h: &[u8; 16], x: &[u8]) -> [u8; 16] {
    let (blocks, rest) = x.as_chunks::<16>();
    assert!(rest.is_empty(), "GHASH takes whole blocks of 16 bytes, not {} bytes", x.len());
    let mut y = [0; 16];
    for block in blocks {
        for (y, x) in y.iter_mut().zip(block) {
            *y ^= x;
        }
        y = multiply(&y, h);
    }
    y
}

/// Authenticated encryption, `GCM-AE`, section 7.1, algorithm 4: the ciphertext, as long as the
/// plaintext, and a tag of `tag_len` bytes.
///
/// ```
/// use abreast_reference::{aes::Aes, gcm};
///
/// let cipher = Aes::new(&[0; 16]);
/// let (ciphertext, tag) = gcm::seal(&cipher, &[1; 12], b"header", b"secret", 16);
/// assert_eq!(gcm::open(&cipher, &[1; 12], b"header", &ciphertext, &tag).unwrap(), b"secret");
/// assert_eq!(gcm::open(&cipher, &[2; 12], b"header", &ciphertext, &tag), None);
/// ```
///
/// # Panics
///
/// If a length is not supported (section 5.2.1): the nonce is empty, the plaintext has more than
/// 2^36 - 32 bytes, nonce or additional data have 2^61 bytes or more, or the tag does not have 4,
/// 8 or 12 to 16 bytes.
pub fn seal(
    cipher: &impl BlockCipher<16>,
    nonce: &[u8],
    aad: &[u8],
    plaintext: &[u8],
    tag_len: usize,
) -> (Vec<u8>, Vec<u8>) {
    assert!(
        lengths_supported(nonce, aad, plaintext, tag_len),
        "GCM with a nonce of {} bytes, additional data of {}, plaintext of {} and a tag of {tag_len}",
        nonce.len(),
        aad.len(),
        plaintext.len(),
    );
    let h = cipher.encrypt_block(&[0; 16]);
    let j0 = pre_counter_block(&h, nonce);
    let ciphertext = gctr(cipher, &inc32(j0), plaintext);
    let tag = full_tag(cipher, &h, &j0, aad, &ciphertext);
    (ciphertext, tag[..tag_len].to_vec())
}

/// Authenticated decryption, `GCM-AD`, section 7.2, algorithm 5: the plaintext, or `None`, the
/// standard's *FAIL*, where the tag does not belong to the ciphertext or a length is not supported
/// (the lengths of [`seal`]).
///
/// The length of `tag` is taken as the `t` that both sides have agreed on.
///
/// ```
/// use abreast_reference::{aes::Aes, gcm};
///
/// // Case 2 of the GCM paper.
/// let cipher = Aes::new(&[0; 16]);
/// let ciphertext = 0x0388dace60b6a392f328c2b971b2fe78_u128.to_be_bytes();
/// let tag = 0xab6e47d42cec13bdf53a67b21257bddf_u128.to_be_bytes();
/// assert_eq!(gcm::open(&cipher, &[0; 12], &[], &ciphertext, &tag), Some(vec![0; 16]));
/// assert_eq!(gcm::open(&cipher, &[0; 12], &[0], &ciphertext, &tag), None);
/// ```
pub fn open(
    cipher: &impl BlockCipher<16>,
    nonce: &[u8],
    aad: &[u8],
    ciphertext: &[u8],
    tag: &[u8],
) -> Option<Vec<u8>> {
    if !lengths_supported(nonce, aad, ciphertext, tag.len()) {
        return None;
    }
    let h = cipher.encrypt_block(&[0; 16]);
    let j0 = pre_counter_block(&h, nonce);
    let plaintext = gctr(cipher, &inc32(j0), ciphertext);
    let expected = full_tag(cipher, &h, &j0, aad, ciphertext);
    (tag == &expected[..tag.len()]).then_some(plaintext)
}

/// Sections 5.2.1.1 and 5.2.1.2, in bytes where the standard has bits. When a tag of 4 or 8 bytes
/// may be used (appendix C) is the caller's to know.
fn lengths_supported(nonce: &[u8], aad: &[u8], text: &[u8], tag_len: usize) -> bool {
    let nonce_len = nonce.len() as u64;
    let aad_len = aad.len() as u64;
    let text_len = text.len() as u64;
    (1..1 << 61).contains(&nonce_len)
        && aad_len < 1 << 61
        && text_len <= (1 << 36) - 32
        && matches!(tag_len, 4 | 8 | 12..=16)
}

/// `J_0`, the pre-counter block, step 2 of algorithm 4.
fn pre_counter_block(h: &[u8; 16], nonce: &[u8]) -> [u8; 16] {
    if let Ok(nonce) = <[u8; 12]>::try_from(nonce) {
        let mut j0 = [0; 16];
        j0[..12].copy_from_slice(&nonce);
        j0[15] = 1;
        j0
    } else {
        let mut x = padded(nonce);
        x.extend([0; 8]);
        x.extend(bit_len(nonce));
        ghash(h, &x)
    }
}

/// `inc_32`, section 6.2.
fn inc32(mut block: [u8; 16]) -> [u8; 16] {
    ctr::increment(&mut block, 32);
    block
}

/// `GCTR_K`, section 6.5, algorithm 3: the counter mode with a counter of 32 bits.
fn gctr(cipher: &impl BlockCipher<16>, icb: &[u8; 16], x: &[u8]) -> Vec<u8> {
    ctr::xor(cipher, icb, 32, x)
}

/// Steps 4 to 6 of algorithm 4 and 5 to 7 of algorithm 5: the tag before it is cut to length.
fn full_tag(
    cipher: &impl BlockCipher<16>,
    h: &[u8; 16],
    j0: &[u8; 16],
    aad: &[u8],
    ciphertext: &[u8],
) -> Vec<u8> {
    let mut x = padded(aad);
    x.extend(padded(ciphertext));
    x.extend(bit_len(aad));
    x.extend(bit_len(ciphertext));
    let s = ghash(h, &x);
    gctr(cipher, j0, &s)
}

/// The bytes, and zeroes to the end of their last block.
fn padded(bytes: &[u8]) -> Vec<u8> {
    let mut padded = bytes.to_vec();
    padded.resize(bytes.len().next_multiple_of(16), 0);
    padded
}

/// `[len(X)]_64`: the length in bits as a 64-bit big-endian integer.
fn bit_len(bytes: &[u8]) -> [u8; 8] {
    (8 * bytes.len() as u64).to_be_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aes::Aes;
    use crate::serpent::Serpent;

    fn product(x: u128, y: u128) -> u128 {
        u128::from_be_bytes(multiply(&x.to_be_bytes(), &y.to_be_bytes()))
    }

    /// The intermediate values of case 2 in appendix B of the GCM paper (McGrew and Viega).
    #[test]
    fn ghash_of_the_second_case_of_the_paper() {
        let h = 0x66e94bd4ef8a2c3b884cfa59ca342b2e_u128;
        let c = 0x0388dace60b6a392f328c2b971b2fe78_u128;
        assert_eq!(product(c, h), 0x5e2ec746917062882c85b0685353deb7);

        let lengths = 128_u128;
        let x = [c.to_be_bytes(), lengths.to_be_bytes()];
        let hash = ghash(&h.to_be_bytes(), x.as_flattened());
        assert_eq!(u128::from_be_bytes(hash), 0xf38cbb1ad69223dcc3457ae5b6b0f885);
        assert_eq!(u128::from_be_bytes(Aes::new(&[0; 16]).encrypt_block(&[0; 16])), h);
    }

    /// The second case again, over another cipher: the answer of both libgcrypt 1.10 and Botan 2.19.
    #[test]
    fn any_cipher_of_the_block_size_will_do() {
        let (ciphertext, tag) = seal(&Serpent::new(&[0; 16]), &[0; 12], &[], &[0; 16], 16);
        assert_eq!(ciphertext, 0x0c5dabb01245e3a3544e291f3b0f250f_u128.to_be_bytes());
        assert_eq!(tag, 0xb2aa8ad5bb938f143e55830e76ace592_u128.to_be_bytes());
    }

    #[test]
    fn multiplication_is_that_of_a_field() {
        let one = 1 << 127;
        let (a, b, c) = (0x0388dace60b6a392f328c2b971b2fe78, 0x66e94bd4ef8a2c3b884cfa59ca342b2e, u128::MAX);
        assert_eq!(product(a, one), a);
        assert_eq!(product(a, 0), 0);
        assert_eq!(product(a, b), product(b, a));
        assert_eq!(product(product(a, b), c), product(a, product(b, c)));
        assert_eq!(product(a, b ^ c), product(a, b) ^ product(a, c));
        // x^127 times x is x^128, reduced.
        assert_eq!(product(1, one >> 1), R);
    }

    #[test]
    fn a_short_tag_is_the_start_of_the_long_one() {
        let cipher = Aes::new(&[7; 32]);
        let (ciphertext, full) = seal(&cipher, &[1], b"aad", b"plaintext", 16);
        for tag_len in 0..=17 {
            let tag = full.get(..tag_len).map_or(vec![0; tag_len], <[u8]>::to_vec);
            let opened = open(&cipher, &[1], b"aad", &ciphertext, &tag);
            if [4, 8, 12, 13, 14, 15, 16].contains(&tag_len) {
                assert_eq!(seal(&cipher, &[1], b"aad", b"plaintext", tag_len), (ciphertext.clone(), tag));
                assert_eq!(opened.as_deref(), Some(&b"plaintext"[..]), "{tag_len}");
            } else {
                assert_eq!(opened, None, "{tag_len}");
            }
        }
    }

    #[test]
    fn any_changed_bit_fails() {
        let cipher = Aes::new(&[7; 16]);
        let (nonce, aad) = (vec![1; 12], b"aad".to_vec());
        let (ciphertext, tag) = seal(&cipher, &nonce, &aad, b"a plaintext of 23 bytes", 4);
        let genuine = [nonce, aad, ciphertext, tag];
        for part in 0..4 {
            for bit in 0..8 * genuine[part].len() {
                let mut forged = genuine.clone();
                forged[part][bit / 8] ^= 1 << (bit % 8);
                let [nonce, aad, ciphertext, tag] = &forged;
                assert_eq!(open(&cipher, nonce, aad, ciphertext, tag), None, "part {part}, bit {bit}");
            }
        }
    }

    #[test]
    #[should_panic(expected = "GCM with a nonce of 0 bytes")]
    fn no_empty_nonce() {
        seal(&Aes::new(&[0; 16]), &[], &[], &[], 16);
    }

    #[test]
    #[should_panic(expected = "a tag of 11")]
    fn no_odd_tag() {
        seal(&Aes::new(&[0; 16]), &[0; 12], &[], &[], 11);
    }

    #[test]
    #[should_panic(expected = "GHASH takes whole blocks of 16 bytes, not 17 bytes")]
    fn no_partial_block() {
        ghash(&[0; 16], &[0; 17]);
    }
}
