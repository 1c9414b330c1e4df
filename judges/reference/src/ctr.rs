//! The counter mode, CTR, from SP 800-38A, section 6.5 and appendix B.
//!
//! The standard leaves the way from one counter block to the next to the protocol. Here it is the
//! standard incrementing function of appendix B.1, with the number of bits `m` that count spelled
//! out: 16 in SRTP, 32 in GCM and RFC 3686, 64 in LTE, all of the block in most libraries.

use crate::block::BlockCipher;

/// Encrypts or decrypts `data` of any length (section 6.5: both are the same), with
/// `counter_block` as the first counter block and its low `m` bits as the counter.
///
/// The counter reduces modulo 2^m; the other bits of the block never change.
///
/// ```
/// use abreast_reference::{aes::Aes, ctr};
///
/// let cipher = Aes::new(&[0; 16]);
/// let ciphertext = ctr::xor(&cipher, &[0xff; 16], 32, b"attack at dawn, not at dusk");
/// assert_eq!(ctr::xor(&cipher, &[0xff; 16], 32, &ciphertext), b"attack at dawn, not at dusk");
/// ```
///
/// # Panics
///
/// If `m` is zero or more than the bits of a block, or if `data` has more than 2^m blocks, for
/// then a counter block, and its keystream, would come a second time.
pub fn xor<const N: usize>(
    cipher: &impl BlockCipher<N>,
    counter_block: &[u8; N],
    m: u32,
    data: &[u8],
) -> Vec<u8> {
    let blocks = data.len().div_ceil(N) as u128;
    assert!(m >= 128 || blocks <= 1 << m, "{blocks} blocks are more than a counter of {m} bits can number");
    let mut counter_block = *counter_block;
    let mut output = Vec::with_capacity(data.len());
    for block in data.chunks(N) {
        let output_block = cipher.encrypt_block(&counter_block);
        // If the last block is short, only the most significant bytes of the output block are used: `zip` stops there.
        output.extend(block.iter().zip(output_block).map(|(data, key)| data ^ key));
        increment(&mut counter_block, m);
    }
    output
}

/// The standard incrementing function, appendix B.1: adds one to the low `m` bits of the block,
/// modulo 2^m, and leaves the others.
///
/// ```
/// let mut block = [0x12, 0xff, 0xff];
/// abreast_reference::ctr::increment(&mut block, 16);
/// assert_eq!(block, [0x12, 0, 0]);
/// ```
///
/// # Panics
///
/// If `m` is zero or more than the bits of a block.
pub fn increment<const N: usize>(block: &mut [u8; N], m: u32) {
    let m = m as usize;
    assert!(1 <= m && m <= 8 * N, "a counter of {m} bits in a block of {}", 8 * N);
    // Addition with the carry in the open: a bit that goes from one to zero carries into the next.
    for bit in 0..m {
        let byte = &mut block[N - 1 - bit / 8];
        *byte ^= 1 << (bit % 8);
        if *byte & 1 << (bit % 8) != 0 {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aes::Aes;
    use crate::xtea::{ByteOrder, Xtea};

    fn incremented(block: u128, m: u32) -> u128 {
        let mut bytes = block.to_be_bytes();
        increment(&mut bytes, m);
        u128::from_be_bytes(bytes)
    }

    #[test]
    fn counters_of_every_width_reduce_modulo_their_width() {
        for m in 1..128 {
            let fixed = u128::MAX << m;
            let last = !fixed;
            assert_eq!(incremented(u128::MAX, m), fixed, "{m} bits, all ones above");
            assert_eq!(incremented(last, m), 0, "{m} bits, all zeroes above");
            assert_eq!(incremented(fixed, m), fixed + 1, "{m} bits, from zero");
        }
        assert_eq!(incremented(u128::MAX, 128), 0);
    }

    #[test]
    fn increments_as_integers_do() {
        for block in [0_u128, 0xff, 0xfffe, 0xffff, 0xf0f1f2f3f4f5f6f7f8f9fafbfcfdfeff, u128::MAX >> 1] {
            assert_eq!(incremented(block, 128), block + 1, "{block:#034x}");
        }
    }

    /// Every counter block that occurs, read back through a cipher that changes nothing.
    struct Identity;

    impl BlockCipher<2> for Identity {
        fn encrypt_block(&self, block: &[u8; 2]) -> [u8; 2] {
            *block
        }

        fn decrypt_block(&self, block: &[u8; 2]) -> [u8; 2] {
            *block
        }
    }

    #[test]
    fn the_keystream_is_the_counter_blocks_in_order() {
        assert_eq!(xor(&Identity, &[0xab, 0xfe], 8, &[0; 7]), [0xab, 0xfe, 0xab, 0xff, 0xab, 0x00, 0xab]);
        assert_eq!(xor(&Identity, &[0xab, 0xfe], 16, &[0; 6]), [0xab, 0xfe, 0xab, 0xff, 0xac, 0x00]);
        assert_eq!(xor(&Identity, &[0, 0], 16, &[0x0f]), [0x0f]);
        assert_eq!(xor(&Identity, &[0, 0], 16, &[]), []);
    }

    #[test]
    fn all_of_a_small_block_may_count() {
        let cipher = Xtea::new(&[7; 16], ByteOrder::BigEndian, 32);
        let keystream = [u64::MAX, 0, 1].map(|counter| cipher.encrypt_block(&counter.to_be_bytes()));
        assert_eq!(xor(&cipher, &[0xff; 8], 64, &[0; 21]), keystream.as_flattened()[..21]);
    }

    #[test]
    fn a_message_may_use_every_counter_once() {
        assert_eq!(xor(&Identity, &[0, 0x80], 8, &[0; 512]).len(), 512);
    }

    #[test]
    #[should_panic(expected = "257 blocks are more than a counter of 8 bits can number")]
    fn no_counter_twice() {
        xor(&Identity, &[0, 0x80], 8, &[0; 513]);
    }

    #[test]
    #[should_panic(expected = "a counter of 129 bits in a block of 128")]
    fn no_counter_wider_than_the_block() {
        xor(&Aes::new(&[0; 16]), &[0; 16], 129, &[0]);
    }
}
