//! RC4, from "Applied Cryptography" (Schneier, second edition, 1996), section 17.1.
//!
//! The cipher was never published by its author. The book prints the algorithm that was posted in 1994, for which RFC 6229 has
//! answers. It is broken: its keystream can be told from random bytes.

use std::fmt;

/// RC4 under one key, at some byte of its keystream.
///
/// ```
/// use abreast_reference::rc4::Rc4;
///
/// let ciphertext = Rc4::new(b"Key").apply(b"Plaintext");
/// assert_eq!(ciphertext, [0xbb, 0xf3, 0x16, 0xe8, 0xd9, 0x40, 0xaf, 0x0a, 0xd3]);
/// assert_eq!(Rc4::new(b"Key").apply(&ciphertext), b"Plaintext");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Rc4 {
    /// The S-box, a permutation of all bytes.
    pub s: [u8; 256],
    /// The counter that reaches every element of the S-box in turn.
    pub i: u8,
    /// The counter that goes about at random.
    pub j: u8,
}

impl Rc4 {
    /// Initialises the S-box with a key of 1 to 256 bytes.
    ///
    /// # Panics
    ///
    /// If the key has another length.
    pub fn new(key: &[u8]) -> Self {
        assert!(matches!(key.len(), 1..=256), "an RC4 key has 1 to 256 bytes, not {}", key.len());
        let mut s = [0; 256];
        let mut k = [0; 256];
        for i in 0..256 {
            s[i] = i as u8;
            k[i] = key[i % key.len()];
        }
        let mut j = 0_u8;
        for i in 0..256 {
            j = j.wrapping_add(s[i]).wrapping_add(k[i]);
            s.swap(i, j.into());
        }
        Self { s, i: 0, j: 0 }
    }

    /// The next `len` bytes of the keystream.
    ///
    /// ```
    /// use abreast_reference::rc4::Rc4;
    ///
    /// let mut cipher = Rc4::new(&[1, 2, 3, 4, 5]);
    /// assert_eq!(cipher.keystream(3), [0xb2, 0x39, 0x63]);
    /// assert_eq!(cipher.keystream(2), [0x05, 0xf0]);
    /// ```
    pub fn keystream(&mut self, len: usize) -> Vec<u8> {
        (0..len).map(|_| self.next_byte()).collect()
    }

    /// Encrypts the next bytes, or decrypts them: the sum of `text` and keystream.
    pub fn apply(&mut self, text: &[u8]) -> Vec<u8> {
        text.iter().map(|byte| byte ^ self.next_byte()).collect()
    }

    /// The book's `K`.
    fn next_byte(&mut self) -> u8 {
        let Self { s, i, j } = self;
        *i = i.wrapping_add(1);
        *j = j.wrapping_add(s[usize::from(*i)]);
        s.swap((*i).into(), (*j).into());
        let t = s[usize::from(*i)].wrapping_add(s[usize::from(*j)]);
        s[usize::from(t)]
    }
}

impl fmt::Debug for Rc4 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rc4").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_split_text_goes_on() {
        let text = [7; 600];
        let whole = Rc4::new(b"key").apply(&text);
        for at in 0..=text.len() {
            let mut cipher = Rc4::new(b"key");
            let parts = [cipher.apply(&text[..at]), cipher.apply(&text[at..])];
            assert_eq!(parts.concat(), whole, "split at {at}");
        }
    }

    #[test]
    fn keys_repeat_up_to_256_bytes() {
        let long: Vec<u8> = b"four".repeat(64);
        assert_eq!(Rc4::new(&long), Rc4::new(b"four"));
        // A byte changed at the very end counts.
        let other = [&long[..255], b"!"].concat();
        assert_ne!(Rc4::new(&other), Rc4::new(&long));
    }

    #[test]
    fn keys_do_not_print() {
        assert_eq!(format!("{:?}", Rc4::new(&[0x42; 16])), "Rc4 { .. }");
    }

    #[test]
    #[should_panic(expected = "an RC4 key has 1 to 256 bytes, not 0")]
    fn no_empty_key() {
        Rc4::new(&[]);
    }

    #[test]
    #[should_panic(expected = "an RC4 key has 1 to 256 bytes, not 257")]
    fn no_longer_key() {
        Rc4::new(&[0; 257]);
    }
}
