//! Blocks: the interface of the ciphers that permute them, and their sum.

/// A block cipher under one key: a permutation of blocks of `N` bytes, and its inverse.
///
/// The block length is part of the type, so that a mode made for 16-byte blocks (GCM) takes no
/// cipher of another size, and one made for any block (CBC) takes all of them.
pub trait BlockCipher<const N: usize> {
    /// The forward permutation: plaintext to ciphertext.
    fn encrypt_block(&self, block: &[u8; N]) -> [u8; N];

    /// The inverse permutation: ciphertext to plaintext.
    fn decrypt_block(&self, block: &[u8; N]) -> [u8; N];
}

impl<const N: usize, C: BlockCipher<N> + ?Sized> BlockCipher<N> for Box<C> {
    fn encrypt_block(&self, block: &[u8; N]) -> [u8; N] {
        (**self).encrypt_block(block)
    }

    fn decrypt_block(&self, block: &[u8; N]) -> [u8; N] {
        (**self).decrypt_block(block)
    }
}

/// Returns the XOR of two blocks.
pub(crate) fn xor<const N: usize>(a: &[u8; N], b: &[u8; N]) -> [u8; N] {
    let mut sum = *a;
    for (sum, b) in sum.iter_mut().zip(b) {
        *sum ^= b;
    }
    sum
}
