//! CMAC, the cipher-based message authentication code, from SP 800-38B (2005, update of 2016), over
//! ciphers with blocks of 8 or 16 bytes. It is the OMAC1 of Iwata and Kurosawa.

use crate::block::{BlockCipher, xor};

/// The code of a message, cut to `tag_len` bytes: `CMAC`, section 6.2.
///
/// ```
/// use abreast_reference::{aes::Aes, cmac};
///
/// // SP 800-38B, appendix D.1, example 1: the empty message.
/// let cipher = Aes::new(&0x2b7e151628aed2a6abf7158809cf4f3c_u128.to_be_bytes());
/// let tag = 0xbb1d6929e95937287fa37d129b756746_u128.to_be_bytes();
/// assert_eq!(cmac::mac(&cipher, b"", 16), tag);
/// ```
///
/// # Panics
///
/// If the tag would be empty or longer than a block, or the block has neither 8 nor 16 bytes.
pub fn mac<const N: usize>(cipher: &impl BlockCipher<N>, message: &[u8], tag_len: usize) -> Vec<u8> {
    assert!(1 <= tag_len && tag_len <= N, "a tag of {tag_len} bytes from a block of {N}");
    let (k1, k2) = subkeys(cipher);
    // `M_n*` is the last block, whole or not; of an empty message it is empty.
    let last = message.len().saturating_sub(1) / N * N;
    let (before, last) = message.split_at(last);
    let m_n = match <[u8; N]>::try_from(last) {
        Ok(last) => xor(&k1, &last),
        Err(_) => xor(&k2, &padded(last)),
    };
    let mut c = [0; N];
    for m in before.as_chunks::<N>().0 {
        c = cipher.encrypt_block(&xor(&c, m));
    }
    c = cipher.encrypt_block(&xor(&c, &m_n));
    c[..tag_len].to_vec()
}

/// True if a tag belongs to a message: section 6.3. The length of `tag` is taken as the one that both sides have agreed on; no
/// message has a tag of a length that [`mac`] does not make.
///
/// ```
/// use abreast_reference::{aes::Aes, cmac};
///
/// let cipher = Aes::new(&[0; 16]);
/// let tag = cmac::mac(&cipher, b"message", 8);
/// assert!(cmac::verify(&cipher, b"message", &tag));
/// assert!(!cmac::verify(&cipher, b"massage", &tag));
/// ```
///
/// # Panics
///
/// If the block has neither 8 nor 16 bytes.
pub fn verify<const N: usize>(cipher: &impl BlockCipher<N>, message: &[u8], tag: &[u8]) -> bool {
    (1..=N).contains(&tag.len()) && mac(cipher, message, tag.len()) == tag
}

/// `SUBK`, section 6.1: the subkeys `K1` and `K2`.
fn subkeys<const N: usize>(cipher: &impl BlockCipher<N>) -> ([u8; N], [u8; N]) {
    let l = cipher.encrypt_block(&[0; N]);
    let k1 = double(&l);
    let k2 = double(&k1);
    (k1, k2)
}

/// Steps 2 and 3 of section 6.1: one bit to the left, and `R_b` where a bit fell off.
fn double<const N: usize>(block: &[u8; N]) -> [u8; N] {
    let mut doubled = [0; N];
    let mut carry_in = 0;
    for (doubled, byte) in doubled.iter_mut().zip(block).rev() {
        *doubled = byte << 1 | carry_in;
        carry_in = byte >> 7;
    }
    if carry_in == 1 {
        doubled[N - 1] ^= r_b(N);
    }
    doubled
}

/// `R_b`, section 5.3, without its leading zeroes.
fn r_b(block_len: usize) -> u8 {
    match block_len {
        8 => 0b11011,
        16 => 0b10000111,
        _ => panic!("CMAC takes blocks of 8 or 16 bytes, not {block_len}"),
    }
}

/// `M_n* || 10^j`, step 4 of section 6.2: a one bit, and zeroes to the end of the block.
fn padded<const N: usize>(part: &[u8]) -> [u8; N] {
    let mut block = [0; N];
    block[..part.len()].copy_from_slice(part);
    block[part.len()] = 0x80;
    block
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aes::Aes;
    use crate::xtea::{ByteOrder, Xtea};

    /// Appendix D.1.
    #[test]
    fn examples_of_the_standard() {
        let cipher = Aes::new(&0x2b7e151628aed2a6abf7158809cf4f3c_u128.to_be_bytes());
        let (k1, k2) = subkeys(&cipher);
        assert_eq!(u128::from_be_bytes(k1), 0xfbeed618357133667c85e08f7236a8de);
        assert_eq!(u128::from_be_bytes(k2), 0xf7ddac306ae266ccf90bc11ee46d513b);

        let message = [
            0x6bc1bee22e409f96e93d7e117393172a,
            0xae2d8a571e03ac9c9eb76fac45af8e51,
            0x30c81c46a35ce411e5fbc1191a0a52ef,
            0xf69f2445df4f9b17ad2b417be66c3710_u128,
        ]
        .map(u128::to_be_bytes);
        for (len, tag) in [
            (0, 0xbb1d6929e95937287fa37d129b756746),
            (16, 0x070a16b46b4d4144f79bdd9dd04a287c),
            (40, 0xdfa66747de9ae63030ca32611497c827),
            (64, 0x51f0bebf7e3b9d92fc49741779363cfe_u128),
        ] {
            let message = &message.as_flattened()[..len];
            assert_eq!(mac(&cipher, message, 16), tag.to_be_bytes(), "{len}");
            assert_eq!(mac(&cipher, message, 5), tag.to_be_bytes()[..5], "{len}");
            assert!(verify(&cipher, message, &tag.to_be_bytes()), "{len}");
            assert!(!verify(&cipher, message, &(tag ^ 1).to_be_bytes()), "{len}");
        }
    }

    #[test]
    fn tags_of_no_length_verify() {
        let cipher = Xtea::new(&[7; 16], ByteOrder::BigEndian, 32);
        let mut long = mac(&cipher, b"message", 8);
        assert!(verify(&cipher, b"message", &long));
        long.push(0);
        assert!(!verify(&cipher, b"message", &long));
        assert!(!verify(&cipher, b"message", &[]));
    }

    #[test]
    fn doubling_reduces_by_the_length_of_the_block() {
        assert_eq!(double(&(1_u64 << 63).to_be_bytes()), 0x1b_u64.to_be_bytes());
        assert_eq!(double(&(1_u128 << 127).to_be_bytes()), 0x87_u128.to_be_bytes());
        assert_eq!(double(&0x80_u64.to_be_bytes()), 0x100_u64.to_be_bytes());
    }

    #[test]
    #[should_panic(expected = "a tag of 9 bytes from a block of 8")]
    fn no_tag_longer_than_the_block() {
        mac(&Xtea::new(&[0; 16], ByteOrder::BigEndian, 32), &[], 9);
    }
}
