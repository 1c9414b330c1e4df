//! The electronic codebook mode, ECB, from SP 800-38A, section 6.1.

use crate::block::BlockCipher;

/// Encrypts whole blocks, each by itself.
///
/// ```
/// use abreast_reference::{aes::Aes, ecb};
///
/// let cipher = Aes::new(&[0; 16]);
/// let ciphertext = ecb::encrypt(&cipher, b"two blocks of 16 bytes, 32 bytes");
/// assert_eq!(ecb::decrypt(&cipher, &ciphertext), b"two blocks of 16 bytes, 32 bytes");
/// ```
///
/// # Panics
///
/// If the plaintext is not made of whole blocks.
pub fn encrypt<const N: usize>(cipher: &impl BlockCipher<N>, plaintext: &[u8]) -> Vec<u8> {
    blocks(plaintext).iter().flat_map(|block| cipher.encrypt_block(block)).collect()
}

/// Decrypts whole blocks, each by itself.
///
/// ```
/// use abreast_reference::{aes::Aes, ecb};
///
/// // SP 800-38A, appendix F.1.2, the first block.
/// let cipher = Aes::new(&0x2b7e151628aed2a6abf7158809cf4f3c_u128.to_be_bytes());
/// let ciphertext = 0x3ad77bb40d7a3660a89ecaf32466ef97_u128.to_be_bytes();
/// let plaintext = 0x6bc1bee22e409f96e93d7e117393172a_u128.to_be_bytes();
/// assert_eq!(ecb::decrypt(&cipher, &ciphertext), plaintext);
/// ```
///
/// # Panics
///
/// If the ciphertext is not made of whole blocks.
pub fn decrypt<const N: usize>(cipher: &impl BlockCipher<N>, ciphertext: &[u8]) -> Vec<u8> {
    blocks(ciphertext).iter().flat_map(|block| cipher.decrypt_block(block)).collect()
}

/// Section 5.2: the data of ECB is a multiple of the block.
fn blocks<const N: usize>(data: &[u8]) -> &[[u8; N]] {
    let (blocks, rest) = data.as_chunks::<N>();
    assert!(rest.is_empty(), "ECB takes whole blocks of {N} bytes, not {} bytes", data.len());
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aes::Aes;
    use crate::xtea::{ByteOrder, Xtea};

    /// Appendix F.1.1, the first two blocks.
    #[test]
    fn example_of_the_standard() {
        let cipher = Aes::new(&0x2b7e151628aed2a6abf7158809cf4f3c_u128.to_be_bytes());
        let plaintext = [0x6bc1bee22e409f96e93d7e117393172a, 0xae2d8a571e03ac9c9eb76fac45af8e51];
        let ciphertext = [0x3ad77bb40d7a3660a89ecaf32466ef97, 0xf5d3d58503b9699de785895a96fdbaaf];
        let [plaintext, ciphertext] = [plaintext, ciphertext].map(|blocks| blocks.map(u128::to_be_bytes));
        assert_eq!(encrypt(&cipher, plaintext.as_flattened()), ciphertext.as_flattened());
        assert_eq!(decrypt(&cipher, ciphertext.as_flattened()), plaintext.as_flattened());
    }

    #[test]
    fn small_blocks() {
        let cipher = Xtea::new(b"0123456789012345", ByteOrder::LittleEndian, 32);
        let ciphertext = encrypt(&cipher, b"ABCDEFGHABCDEFGH");
        assert_eq!(ciphertext, [0xea0c3d7c1c22557f_u64.to_be_bytes(); 2].as_flattened());
        assert_eq!(decrypt(&cipher, &ciphertext), b"ABCDEFGHABCDEFGH");
        assert_eq!(encrypt(&cipher, &[]), []);
    }

    #[test]
    #[should_panic(expected = "ECB takes whole blocks of 16 bytes, not 17 bytes")]
    fn no_partial_block() {
        encrypt(&Aes::new(&[0; 16]), &[0; 17]);
    }
}
