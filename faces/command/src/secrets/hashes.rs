//! Passphrase lines with the keys that were made of them, so that files with one line share a hash.

use std::collections::VecDeque;

use abreast_sealed::{Aead, Costs, Error, Key, PassphraseLine};

/// The most lines of files that are kept. Files of one call to seal have one line, so few are enough.
const KEPT: usize = 16;

/// The lines with their keys, which are wiped when they are dropped.
#[derive(Default)]
pub(super) struct Hashes {
    /// The lines of files, the latest last.
    read: VecDeque<(PassphraseLine, Key)>,
    /// The lines for new files, one for each cipher. They are kept apart: a new file never takes a line that was read.
    new: Vec<(PassphraseLine, Key)>,
}

impl Hashes {
    /// Returns the key of a line.
    pub(super) fn get(&self, line: &PassphraseLine) -> Option<&Key> {
        self.read.iter().chain(&self.new).find(|(kept, _)| kept == line).map(|(_, key)| key)
    }

    /// Keeps the key of a line that was read.
    pub(super) fn keep(&mut self, line: &PassphraseLine, key: Key) {
        if self.read.len() == KEPT {
            self.read.pop_front();
        }
        self.read.push_back((line.clone(), key));
    }

    /// Returns the line for new files, and its key, which is hashed for the first of them.
    pub(super) fn for_sealing(
        &mut self,
        aead: Aead,
        costs: Costs,
        passphrase: &[u8],
    ) -> Result<&(PassphraseLine, Key), Error> {
        if self.new.iter().all(|(line, _)| line.aead() != aead) {
            let line = PassphraseLine::generate(aead, costs)?;
            let key = line.stretch(passphrase)?;
            self.new.push((line, key));
        }
        Ok(self.new.iter().find(|(line, _)| line.aead() == aead).expect("a line of this cipher was kept"))
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
        assert_eq!(hashes.read.len(), KEPT);
        for (number, line) in made.iter().enumerate() {
            let kept = hashes.get(line).map(|key| key.bytes()[0]);
            assert_eq!(kept, (number >= 5).then_some(number as u8), "{number}");
        }
    }

    /// One line for each cipher, and none that was read.
    #[test]
    fn new_files_share_a_line() {
        let mut hashes = Hashes::default();
        let costs = Costs { memory: Costs::MIN_MEMORY, passes: 1, lanes: 1 };
        for _ in 0..KEPT {
            let read = PassphraseLine::generate(Aead::Aes256Gcm, costs).unwrap();
            hashes.keep(&read, Key::new(Aead::Aes256Gcm, &[1; 32]).unwrap());
        }
        let read: Vec<_> = hashes.read.iter().map(|(line, _)| line.clone()).collect();
        let mut line = |aead| hashes.for_sealing(aead, costs, b"guess").unwrap().0.clone();
        let first = line(Aead::Aes256Gcm);
        assert!(!read.contains(&first));
        assert_eq!(first, line(Aead::Aes256Gcm));
        assert_ne!(first, line(Aead::Aes128Gcm));
        assert_eq!(first, line(Aead::Aes256Gcm));
    }
}
