//! Passphrases of random words.
//!
//! The words are the large list of the Electronic Frontier Foundation for passphrases from dice, of 2016: 7776 common
//! words of 3 to 9 letters, none of which begins another one, without those that are rude or hard to spell
//! (<https://www.eff.org/dice>, Joseph Bonneau, CC BY 3.0 US). It is a file here without the numbers of the dice. The crates
//! that carry it bring a table of as many pointers, five times its bytes, and an edition that has not changed since needs
//! no updates; a test compares it with the checksum of the published file.

use zeroize::Zeroizing;

use crate::failure::Failure;
use crate::keygen;
use abreast_sealed::Aead;

/// The list, a word in each line.
const LIST: &str = include_str!("eff_large.txt");

/// The number of words in the list.
pub(super) const LISTED: u16 = 7776;

/// The number of words in a passphrase.
pub(super) const COUNT: usize = 10;

/// The bits of entropy of a passphrase, which are 12.92 for each word.
pub(super) const BITS: u32 = 129;

/// The length of the longest word.
const LONGEST: usize = 9;

/// Makes a passphrase: words with a hyphen between two.
pub(super) fn passphrase() -> Result<Zeroizing<String>, Failure> {
    let mut text = Zeroizing::new(String::with_capacity(COUNT * (LONGEST + 1)));
    let mut left = COUNT;
    while left > 0 {
        // A new key is random bytes of the system, with all checks.
        let random = keygen::generate(Aead::Aes256Gcm)?;
        for pair in random.bytes().as_chunks::<2>().0 {
            let number = number(u16::from_le_bytes(*pair)).filter(|_| left > 0);
            let Some(word) = number.and_then(|number| LIST.lines().nth(number)) else { continue };
            if !text.is_empty() {
                text.push('-');
            }
            text.push_str(word);
            left -= 1;
        }
    }
    Ok(text)
}

/// Returns the number of the word that a random number chooses. Those beyond the last multiple of the length of the list
/// choose none, so that each word has as many.
fn number(random: u16) -> Option<usize> {
    let bound = u16::MAX / LISTED * LISTED;
    if random >= bound { None } else { Some(usize::from(random % LISTED)) }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fmt::Write as _;

    use data_encoding::HEXLOWER;
    use sha2::{Digest, Sha256};

    use super::*;

    /// The published file has a number of five dice in front of each word.
    #[test]
    fn the_list_is_the_published_one() {
        let mut published = String::new();
        for (number, word) in LIST.lines().enumerate() {
            let dice = [1296, 216, 36, 6, 1].map(|place| number / place % 6 + 1);
            dice.iter().for_each(|die| write!(published, "{die}").unwrap());
            writeln!(published, "\t{word}").unwrap();
        }
        let checksum = HEXLOWER.encode(&Sha256::digest(published.as_bytes()));
        assert_eq!(checksum, "addd35536511597a02fa0a9ff1e5284677b8883b83e986e43f15a3db996b903e");
        assert_eq!(LIST.lines().map(str::len).max(), Some(LONGEST));
        assert_eq!((f64::from(LISTED).log2() * COUNT as f64).floor() as u32, BITS);
    }

    /// Each word comes from as many numbers as every other.
    #[test]
    fn no_word_is_likelier() {
        let mut counts = BTreeMap::new();
        (0..=u16::MAX).filter_map(number).for_each(|number| *counts.entry(number).or_insert(0) += 1);
        assert_eq!(LIST.lines().count(), usize::from(LISTED));
        assert!(counts.keys().copied().eq(0..usize::from(LISTED)));
        assert!(counts.values().all(|count| *count == 8));
    }

    /// No two choices of words are one text: no word begins another, so each ends where it must.
    #[test]
    fn words_are_told_apart() {
        let sorted: Vec<_> = LIST.lines().collect();
        assert!(sorted.windows(2).all(|pair| pair[0] < pair[1] && !pair[1].starts_with(pair[0])));
        for _ in 0..100 {
            let text = passphrase().unwrap();
            assert!(text.capacity() >= text.len() && text.capacity() == COUNT * (LONGEST + 1), "it moved");
            let (mut rest, mut count) = (text.as_str(), 0);
            while !rest.is_empty() {
                let word = sorted.iter().find(|word| rest.starts_with(**word)).unwrap();
                rest = &rest[word.len()..];
                rest = rest.strip_prefix('-').unwrap_or(rest);
                count += 1;
            }
            assert_eq!(count, COUNT, "{}", *text);
        }
        assert_ne!(*passphrase().unwrap(), *passphrase().unwrap());
    }
}
