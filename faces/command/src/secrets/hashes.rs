//! Passphrase lines with the keys that were made of them, so that files with one line share a hash.

use std::collections::VecDeque;

use abreast_sealed::{Aead, Costs, Error, Key, PassphraseLine};

/// The most lines that are kept. Files of one call to seal have one line, so few are enough.
const KEPT: usize = 16;

/// The lines, the latest last, with their keys, which are wiped when they are dropped.
#[derive(Default)]
pub(super) struct Hashes(VecDeque<(PassphraseLine, Key)>);

impl Hashes {
    /// Returns the key of a line.
    pub(super) fn get(&self, line: &PassphraseLine) -> Option<&Key> {
        self.0.iter().find(|(kept, _)| kept == line).map(|(_, key)| key)
    }

    /// Keeps the key of a line.
    pub(super) fn keep(&mut self, line: &PassphraseLine, key: Key) {
        if self.0.len() == KEPT {
            self.0.pop_front();
        }
        self.0.push_back((line.clone(), key));
    }

    /// Returns the line for new files, and its key, which is hashed for the first of them.
    pub(super) fn for_sealing(
        &mut self,
        aead: Aead,
        costs: Costs,
        passphrase: &[u8],
    ) -> Result<&(PassphraseLine, Key), Error> {
        if self.0.iter().all(|(line, _)| line.aead() != aead) {
            let line = PassphraseLine::generate(aead, costs)?;
            let key = line.stretch(passphrase)?;
            self.keep(&line, key);
        }
        Ok(self.0.iter().find(|(line, _)| line.aead() == aead).expect("a line of this cipher was kept"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each line has its own key for as long as it is kept, and there are never many.
    #[test]
    fn few_lines_are_kept() {
        let mut hashes = Hashes::default();
        let mut made = Vec::new();
        for number in 0..KEPT + 5 {
            let line = PassphraseLine::generate(Aead::Aes128Gcm, Costs::DEFAULT).unwrap();
            assert!(hashes.get(&line).is_none());
            hashes.keep(&line, Key::new(Aead::Aes128Gcm, &[number as u8; 16]).unwrap());
            made.push(line);
        }
        assert_eq!(hashes.0.len(), KEPT);
        for (number, line) in made.iter().enumerate() {
            let kept = hashes.get(line).map(|key| key.bytes()[0]);
            assert_eq!(kept, (number >= 5).then_some(number as u8), "{number}");
        }
    }

    /// One line for each cipher.
    #[test]
    fn new_files_share_a_line() {
        let mut hashes = Hashes::default();
        let costs = Costs { memory: Costs::MIN_MEMORY, passes: 1, lanes: 1 };
        let mut line = |aead| hashes.for_sealing(aead, costs, b"guess").unwrap().0.clone();
        let first = line(Aead::Aes256Gcm);
        assert_eq!(first, line(Aead::Aes256Gcm));
        assert_ne!(first, line(Aead::Aes128Gcm));
        assert_eq!(first, line(Aead::Aes256Gcm));
    }
}
