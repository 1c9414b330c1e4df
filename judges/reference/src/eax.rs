//! EAX, from "The EAX Mode of Operation" (Bellare, Rogaway and Wagner, 2004), over ciphers with
//! blocks of 8 or 16 bytes.
//!
//! Nonce, header and ciphertext each have their OMAC, told apart by a number in front; the OMAC of
//! the nonce is also the first counter block. The paper's ciphertext ends with the tag, which is
//! separate here.

use crate::block::{BlockCipher, xor};
use crate::{cmac, ctr};

/// `EAX.Encrypt`: the ciphertext, as long as the plaintext, and a tag of `tag_len` bytes,
/// the paper's `τ`. Nonce, header and plaintext have any length, zero included.
///
/// ```
/// use abreast_reference::{aes::Aes, eax};
///
/// let cipher = Aes::new(&[0; 16]);
/// let (ciphertext, tag) = eax::seal(&cipher, b"nonce", b"header", b"secret", 16);
/// assert_eq!(eax::open(&cipher, b"nonce", b"header", &ciphertext, &tag).unwrap(), b"secret");
/// assert_eq!(eax::open(&cipher, b"twice", b"header", &ciphertext, &tag), None);
/// ```
///
/// # Panics
///
/// If the tag would be empty or longer than a block, or the block has neither 8 nor 16 bytes.
pub fn seal<const N: usize>(
    cipher: &impl BlockCipher<N>,
    nonce: &[u8],
    header: &[u8],
    plaintext: &[u8],
    tag_len: usize,
) -> (Vec<u8>, Vec<u8>) {
    assert!(1 <= tag_len && tag_len <= N, "a tag of {tag_len} bytes from a block of {N}");
    let n = omac(cipher, 0, nonce);
    let ciphertext = ctr(cipher, &n, plaintext);
    let tag = full_tag(cipher, &n, header, &ciphertext);
    (ciphertext, tag[..tag_len].to_vec())
}

/// `EAX.Decrypt`: the plaintext, or `None`, the paper's `INVALID`, where the tag does not belong to
/// the ciphertext or has a length that [`seal`] does not make.
///
/// The length of `tag` is taken as the `τ` that both sides have agreed on.
///
/// ```
/// use abreast_reference::{aes::Aes, eax};
///
/// // The paper, appendix G, first vector: an empty message.
/// let cipher = Aes::new(&0x233952dee4d5ed5f9b9c6d6ff80ff478_u128.to_be_bytes());
/// let nonce = 0x62ec67f9c3a4a407fcb2a8c49031a8b3_u128.to_be_bytes();
/// let header = 0x6bfb914fd07eae6b_u64.to_be_bytes();
/// let tag = 0xe037830e8389f27b025a2d6527e79d01_u128.to_be_bytes();
/// assert_eq!(eax::open(&cipher, &nonce, &header, &[], &tag), Some(vec![]));
/// assert_eq!(eax::open(&cipher, &nonce, &header, &[0], &tag), None);
/// ```
///
/// # Panics
///
/// If the block has neither 8 nor 16 bytes.
pub fn open<const N: usize>(
    cipher: &impl BlockCipher<N>,
    nonce: &[u8],
    header: &[u8],
    ciphertext: &[u8],
    tag: &[u8],
) -> Option<Vec<u8>> {
    if !(1..=N).contains(&tag.len()) {
        return None;
    }
    let n = omac(cipher, 0, nonce);
    let expected = full_tag(cipher, &n, header, ciphertext);
    (tag == &expected[..tag.len()]).then(|| ctr(cipher, &n, ciphertext))
}

/// `OMAC^t_K(M)`: the OMAC of `[t]_n || M`, with `t` as a block in front of the message.
fn omac<const N: usize>(cipher: &impl BlockCipher<N>, t: u8, message: &[u8]) -> [u8; N] {
    let mut tweaked = vec![0; N - 1];
    tweaked.push(t);
    tweaked.extend(message);
    cmac::mac(cipher, &tweaked, N).try_into().expect("a whole tag is a block")
}

/// `CTR^N_K(M)`: the counter is all of the block.
fn ctr<const N: usize>(cipher: &impl BlockCipher<N>, n: &[u8; N], message: &[u8]) -> Vec<u8> {
    ctr::xor(cipher, n, 8 * N as u32, message)
}

/// `N ⊕ C ⊕ H`: the tag before it is cut to length.
fn full_tag<const N: usize>(
    cipher: &impl BlockCipher<N>,
    n: &[u8; N],
    header: &[u8],
    ciphertext: &[u8],
) -> [u8; N] {
    let h = omac(cipher, 1, header);
    let c = omac(cipher, 2, ciphertext);
    xor(&xor(n, &c), &h)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aes::Aes;
    use crate::xtea::{ByteOrder, Xtea};

    /// Appendix G, the second vector.
    #[test]
    fn example_of_the_paper() {
        let cipher = Aes::new(&0x91945d3f4dcbee0bf45ef52255f095a4_u128.to_be_bytes());
        let nonce = 0xbecaf043b0a23d843194ba972c66debd_u128.to_be_bytes();
        let header = 0xfa3bfd4806eb53fa_u64.to_be_bytes();
        let tag = 0x5c4c9331049d0bdab0277408f67967e5_u128.to_be_bytes();
        let sealed = seal(&cipher, &nonce, &header, &[0xf7, 0xfb], 16);
        assert_eq!(sealed, (vec![0x19, 0xdd], tag.to_vec()));
        assert_eq!(open(&cipher, &nonce, &header, &[0x19, 0xdd], &tag), Some(vec![0xf7, 0xfb]));
    }

    fn round_trips<const N: usize>(cipher: &impl BlockCipher<N>) {
        for len in 0..=3 * N {
            let text = vec![3; len];
            // The lengths of nonce and header walk through theirs in other steps.
            let (nonce, header) = (&text[..len * 5 % (len + 1)], &text[..len * 3 % (len + 1)]);
            let (ciphertext, full) = seal(cipher, nonce, header, &text, N);
            for tag_len in 1..=N {
                let tag = full[..tag_len].to_vec();
                assert_eq!(open(cipher, nonce, header, &ciphertext, &tag), Some(text.clone()), "{len}");
                assert_eq!(seal(cipher, nonce, header, &text, tag_len), (ciphertext.clone(), tag), "{len}");
            }
            let longer = [&full[..], &[0]].concat();
            assert_eq!(open(cipher, nonce, header, &ciphertext, &longer), None, "{len}");
            assert_eq!(open(cipher, nonce, header, &ciphertext, &[]), None, "{len}");
        }
    }

    #[test]
    fn every_length_returns() {
        round_trips(&Aes::new(&[7; 24]));
        round_trips(&Xtea::new(&[7; 16], ByteOrder::BigEndian, 32));
    }

    #[test]
    fn any_changed_bit_fails() {
        let cipher = Aes::new(&[7; 16]);
        let (nonce, header) = (vec![1; 12], b"header".to_vec());
        let (ciphertext, tag) = seal(&cipher, &nonce, &header, b"a plaintext of 23 bytes", 4);
        let genuine = [nonce, header, ciphertext, tag];
        for part in 0..4 {
            for bit in 0..8 * genuine[part].len() {
                let mut forged = genuine.clone();
                forged[part][bit / 8] ^= 1 << (bit % 8);
                let [nonce, header, ciphertext, tag] = &forged;
                assert_eq!(open(&cipher, nonce, header, ciphertext, tag), None, "part {part}, bit {bit}");
            }
        }
    }

    #[test]
    #[should_panic(expected = "a tag of 0 bytes from a block of 16")]
    fn no_empty_tag() {
        seal(&Aes::new(&[0; 16]), &[], &[], &[], 0);
    }
}
