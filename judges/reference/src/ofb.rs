//! The output feedback mode, OFB, from SP 800-38A, section 6.4.

use crate::block::BlockCipher;

/// Encrypts or decrypts `data` of any length: both are the same.
///
/// ```
/// use abreast_reference::{aes::Aes, ofb};
///
/// let cipher = Aes::new(&[0; 16]);
/// let ciphertext = ofb::xor(&cipher, &[1; 16], b"attack at dawn, not at dusk");
/// assert_eq!(ofb::xor(&cipher, &[1; 16], &ciphertext), b"attack at dawn, not at dusk");
/// ```
pub fn xor<const N: usize>(cipher: &impl BlockCipher<N>, iv: &[u8; N], data: &[u8]) -> Vec<u8> {
    // Each output block is the next input block.
    let mut output_block = *iv;
    let mut output = Vec::with_capacity(data.len());
    for block in data.chunks(N) {
        output_block = cipher.encrypt_block(&output_block);
        // If the last block is short, only the most significant bytes of the output block are used: `zip` stops there.
        output.extend(block.iter().zip(output_block).map(|(data, key)| data ^ key));
    }
    output
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aes::Aes;
    use crate::xtea::{ByteOrder, Xtea};

    /// Appendix F.4.1, the first two blocks, cut anywhere.
    #[test]
    fn example_of_the_standard() {
        let cipher = Aes::new(&0x2b7e151628aed2a6abf7158809cf4f3c_u128.to_be_bytes());
        let iv = 0x000102030405060708090a0b0c0d0e0f_u128.to_be_bytes();
        let plaintext = [0x6bc1bee22e409f96e93d7e117393172a, 0xae2d8a571e03ac9c9eb76fac45af8e51];
        let ciphertext = [0x3b3fd92eb72dad20333449f8e83cfb4a, 0x7789508d16918f03f53c52dac54ed825];
        let [plaintext, ciphertext] = [plaintext, ciphertext].map(|blocks| blocks.map(u128::to_be_bytes));
        for len in 0..=32 {
            let [plaintext, ciphertext] = [&plaintext, &ciphertext].map(|all| &all.as_flattened()[..len]);
            assert_eq!(xor(&cipher, &iv, plaintext), ciphertext);
            assert_eq!(xor(&cipher, &iv, ciphertext), plaintext);
        }
    }

    #[test]
    fn the_keystream_is_the_chain_of_blocks() {
        let cipher = Xtea::new(&[7; 16], ByteOrder::BigEndian, 32);
        let first = cipher.encrypt_block(&[1; 8]);
        let keystream = [first, cipher.encrypt_block(&first)];
        assert_eq!(xor(&cipher, &[1; 8], &[0; 11]), keystream.as_flattened()[..11]);
    }
}
