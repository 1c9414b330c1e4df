//! AES-GCM-SIV from RFC 8452 (2019), with keys of 16 and 32 bytes.

use crate::aes::Aes;
use crate::block::{BlockCipher, xor};

/// `encrypt`, section 4: the ciphertext, and the tag, which the RFC puts after it.
///
/// ```
/// use abreast_reference::gcm_siv;
///
/// // Appendix C.1.
/// let (mut key, mut nonce) = ([0; 16], [0; 12]);
/// (key[0], nonce[0]) = (1, 3);
/// let (c, tag) = gcm_siv::seal(&key, &nonce, &[], &[1, 0, 0, 0, 0, 0, 0, 0]);
/// assert_eq!(c, 0xb5d839330ac7b786_u64.to_be_bytes());
/// assert_eq!(tag, 0x578782fff6013b815b287c22493a364c_u128.to_be_bytes());
/// ```
///
/// # Panics
///
/// If the key has another number of bytes than 16 and 32.
pub fn seal(key: &[u8], nonce: &[u8; 12], aad: &[u8], plaintext: &[u8]) -> (Vec<u8>, [u8; 16]) {
    let (authentication, encryption) = derive_keys(key, nonce);
    let cipher = Aes::new(&encryption);
    let tag = tag(&authentication, &cipher, nonce, aad, plaintext);
    (aes_ctr(&cipher, &tag, plaintext), tag)
}

/// `decrypt`, section 5: the plaintext, or `None` where the tag does not belong to it.
///
/// ```
/// use abreast_reference::gcm_siv;
///
/// let (c, tag) = gcm_siv::seal(&[1; 32], &[2; 12], b"header", b"secret");
/// assert_eq!(gcm_siv::open(&[1; 32], &[2; 12], b"header", &c, &tag).unwrap(), b"secret");
/// assert_eq!(gcm_siv::open(&[1; 32], &[2; 12], b"leader", &c, &tag), None);
/// ```
///
/// # Panics
///
/// If the key has another number of bytes than 16 and 32.
pub fn open(
    key: &[u8],
    nonce: &[u8; 12],
    aad: &[u8],
    ciphertext: &[u8],
    expected: &[u8; 16],
) -> Option<Vec<u8>> {
    let (authentication, encryption) = derive_keys(key, nonce);
    let cipher = Aes::new(&encryption);
    let plaintext = aes_ctr(&cipher, expected, ciphertext);
    (tag(&authentication, &cipher, nonce, aad, &plaintext) == *expected).then_some(plaintext)
}

/// `derive_keys`, section 4: the key of POLYVAL, and the key of the message.
fn derive_keys(key: &[u8], nonce: &[u8; 12]) -> ([u8; 16], Vec<u8>) {
    assert!(matches!(key.len(), 16 | 32), "a key of {} bytes", key.len());
    let generating = Aes::new(key);
    let half = |number: u32| {
        let block: [u8; 16] = [&number.to_le_bytes()[..], nonce].concat().try_into().expect("16 bytes");
        generating.encrypt_block(&block)[..8].to_vec()
    };
    let authentication = [half(0), half(1)].concat().try_into().expect("16 bytes");
    let halves = if key.len() == 32 { 2..6 } else { 2..4 };
    (authentication, halves.flat_map(half).collect())
}

/// The tag of a plaintext, section 4.
fn tag(authentication: &[u8; 16], cipher: &Aes, nonce: &[u8; 12], aad: &[u8], plaintext: &[u8]) -> [u8; 16] {
    let bits = |bytes: &[u8]| (8 * bytes.len() as u64).to_le_bytes().to_vec();
    let length_block = [bits(aad), bits(plaintext)].concat();
    let mut s = polyval(authentication, &[padded(aad), padded(plaintext), length_block].concat());
    for (byte, nonce) in s.iter_mut().zip(nonce) {
        *byte ^= nonce;
    }
    s[15] &= 0x7f;
    cipher.encrypt_block(&s)
}

/// `right_pad_to_multiple_of_16_bytes`.
pub(crate) fn padded(bytes: &[u8]) -> Vec<u8> {
    let mut padded = bytes.to_vec();
    padded.resize(bytes.len().next_multiple_of(16), 0);
    padded
}

/// `AES_CTR`, section 4: the first four bytes of the block count, little-endian, and wrap.
fn aes_ctr(cipher: &Aes, tag: &[u8; 16], input: &[u8]) -> Vec<u8> {
    let mut block = *tag;
    block[15] |= 0x80;
    let mut output = Vec::new();
    for part in input.chunks(16) {
        let stream = cipher.encrypt_block(&block);
        output.extend(part.iter().zip(stream).map(|(byte, stream)| byte ^ stream));
        let counter = u32::from_le_bytes(block[..4].try_into().expect("four bytes"));
        block[..4].copy_from_slice(&counter.wrapping_add(1).to_le_bytes());
    }
    output
}

/// `POLYVAL`, section 3, of whole blocks.
pub(crate) fn polyval(h: &[u8; 16], blocks: &[u8]) -> [u8; 16] {
    let mut s = [0; 16];
    for block in blocks.as_chunks().0 {
        s = dot(&xor(&s, block), h);
    }
    s
}

/// `dot(a, b)`, section 3: a b x^-128 in the field of x^128 + x^127 + x^126 + x^121 + 1. Bit `i` of a little-endian number is the
/// coefficient of x^i.
fn dot(a: &[u8; 16], b: &[u8; 16]) -> [u8; 16] {
    let (a, b) = (u128::from_le_bytes(*a), u128::from_le_bytes(*b));
    let mut product = 0;
    for i in 0..128 {
        if a >> i & 1 == 1 {
            product ^= b;
        }
        // Divided by x: where the lowest coefficient is not zero, the polynomial is added first, whose own is one.
        let carry = product & 1;
        product = (product >> 1) ^ (carry << 127 | carry << 126 | carry << 125 | carry << 120);
    }
    product.to_le_bytes()
}
