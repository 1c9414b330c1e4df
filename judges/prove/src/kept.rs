//! Results of proofs that are kept for the next run, in a file, so that a long run that was stopped goes on.
//!
//! A result is kept by a hash of the judge itself, the claim, the instructions of its calls, in order and without their addresses,
//! and all that these read of the library. A change of any of them makes it a claim that is not known.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::Write as _;
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use crate::faults::KINDS;

/// The outcomes of planted faults that are counted.
pub(crate) const OUTCOMES: usize = 5;

/// A claim that was proved, or all of a row.
#[derive(Clone, Default, Debug, PartialEq, Eq)]
pub(crate) struct Proved {
    /// CPU time.
    pub(crate) time: Duration,
    /// Instructions.
    pub(crate) steps: usize,
    /// Proofs, and among them those whose calls the CPU has run as well.
    pub(crate) proofs: [usize; 2],
    /// Planted faults by their kinds and outcomes.
    pub(crate) faults: [[usize; OUTCOMES]; KINDS.len()],
}

impl Proved {
    /// Adds another one.
    pub(crate) fn add(&mut self, other: &Self) {
        self.time += other.time;
        self.steps += other.steps;
        self.proofs.iter_mut().zip(other.proofs).for_each(|(to, from)| *to += from);
        let faults = self.faults.as_flattened_mut().iter_mut();
        faults.zip(other.faults.as_flattened()).for_each(|(to, from)| *to += from);
    }

    /// Planted faults by their outcomes.
    pub(crate) fn outcomes(&self) -> [usize; OUTCOMES] {
        let mut outcomes = [0; OUTCOMES];
        for of_kind in self.faults {
            outcomes.iter_mut().zip(of_kind).for_each(|(to, count)| *to += count);
        }
        outcomes
    }

    fn to_text(&self) -> String {
        let numbers = [self.time.as_micros() as usize, self.steps].into_iter();
        let numbers = numbers.chain(self.proofs).chain(self.faults.into_iter().flatten());
        numbers.map(|it| it.to_string()).collect::<Vec<_>>().join(" ")
    }

    fn from_text(text: &str) -> Option<Self> {
        let numbers: Option<Vec<usize>> = text.split(' ').map(|it| it.parse().ok()).collect();
        let [time, steps, proofs, run, faults @ ..] = &numbers?[..] else { return None };
        Some(Self {
            time: Duration::from_micros(*time as u64),
            steps: *steps,
            proofs: [*proofs, *run],
            faults: faults.as_chunks().0.try_into().ok()?,
        })
    }
}

/// The file, and what it held before.
pub(crate) struct Kept {
    judge: u64,
    known: HashMap<u64, Proved>,
    file: Mutex<File>,
}

impl Kept {
    /// Opens the file of a folder, or makes it.
    pub(crate) fn open(folder: &Path) -> Result<Self, String> {
        let path = folder.join("proved");
        let failed = |error| format!("{}: {error}", path.display());
        let judge = fs::read(std::env::current_exe().map_err(failed)?).map_err(failed)?;
        let file = OpenOptions::new().create(true).append(true).open(&path).map_err(failed)?;
        let text = fs::read_to_string(&path).map_err(failed)?;
        // The last line may be cut.
        let line = |line: &str| {
            let (key, proved) = line.strip_suffix(" .")?.split_once(' ')?;
            Some((u64::from_str_radix(key, 16).ok()?, Proved::from_text(proved)?))
        };
        let mut hash = DefaultHasher::new();
        judge.hash(&mut hash);
        Ok(Self {
            judge: hash.finish(),
            known: text.lines().filter_map(line).collect(),
            file: Mutex::new(file),
        })
    }

    /// The key of a claim, given its title, the trace of its calls, and if it has faults planted.
    pub(crate) fn key(&self, title: &str, trace: u64, with_faults: bool) -> u64 {
        let mut hash = DefaultHasher::new();
        (self.judge, title, trace, with_faults).hash(&mut hash);
        hash.finish()
    }

    /// The result of before.
    pub(crate) fn known(&self, key: u64) -> Option<&Proved> {
        self.known.get(&key)
    }

    /// Keeps a result.
    pub(crate) fn keep(&self, key: u64, proved: &Proved) -> Result<(), String> {
        let line = format!("{key:016x} {} .\n", proved.to_text());
        let mut file = self.file.lock().map_err(|_| "a thread ended early")?;
        file.write_all(line.as_bytes()).map_err(|error| format!("the results: {error}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_found_again() {
        let folder = std::env::temp_dir().join(format!("abreast-prove-kept-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let proved = Proved {
            time: Duration::from_micros(1_234_567),
            steps: 89,
            proofs: [1, 0],
            faults: [[1, 0, 2, 0, 3], [0; 5], [9; 5], [0, 0, 0, 0, 7]],
        };
        let kept = Kept::open(&folder).expect("a file");
        let key = kept.key("a claim", 5, true);
        assert_eq!(kept.known(key), None);
        kept.keep(key, &proved).expect("room");
        // A line that was being written when the run was stopped.
        kept.file.lock().expect("no panic").write_all(b"0123456789abcdef 12 3").expect("room");
        let again = Kept::open(&folder).expect("a file");
        assert_eq!(again.known(key), Some(&proved));
        assert_eq!(again.known.len(), 1);
        for other in [again.key("a claim", 6, true), again.key("a claim", 5, false), again.key("", 5, true)] {
            assert_eq!(again.known(other), None);
        }
        fs::remove_dir_all(&folder).expect("a folder");
    }
}
