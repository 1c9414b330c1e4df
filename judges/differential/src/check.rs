//! Runs a case and compares all that came of it: results, outputs, tags, and the bytes around.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::arena::{Arena, NO_TAG, UNTOUCHED, contents};
use crate::case::{Case, Fault, Spec, Verdict, code, status};
use crate::pool::Pool;
use crate::subject::{Direction, Path};
use crate::{alone, batches, c};

/// A difference from the expected outcome.
#[derive(Clone, Debug)]
pub struct Difference {
    /// The place of the message in the case, if it is about one.
    pub index: Option<usize>,
    /// The description of the difference.
    pub what: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.index {
            Some(index) => write!(f, "packet {index}: {}", self.what),
            None => f.write_str(&self.what),
        }
    }
}

/// Memory and threads for cases, one after the other.
pub struct Runner {
    arena: Arena,
    threads: ThreadPool,
}

impl Runner {
    /// With threads enough for pieces of a batch to overtake each other.
    ///
    /// # Panics
    /// If the system has no threads left.
    #[must_use]
    pub fn new() -> Self {
        let threads = ThreadPoolBuilder::new().num_threads(3).build().expect("three threads");
        Self { arena: Arena::default(), threads }
    }

    /// Runs a case, and returns the first difference. A panic counts as one.
    pub fn run(&mut self, pool: &Pool, case: &Case) -> Option<Difference> {
        let run = AssertUnwindSafe(|| self.run_unguarded(pool, case));
        catch_unwind(run).unwrap_or_else(|payload| {
            let text = payload.downcast_ref::<String>().cloned();
            let text = text.or_else(|| payload.downcast_ref::<&str>().map(|text| (*text).to_owned()));
            let what = format!("a panic: {}", text.unwrap_or_default());
            Some(Difference { index: None, what })
        })
    }

    fn run_unguarded(&mut self, pool: &Pool, case: &Case) -> Option<Difference> {
        self.arena.fill(pool, case);
        let parcels = self.arena.parcels(pool, case);
        let (results, whole) = match case.path {
            Path::Batch | Path::Parallel => (batches::run(pool, case, parcels, &self.threads), None),
            Path::C => {
                let (results, whole) = c::run(pool, case, parcels);
                (results, Some(whole))
            }
            Path::Alone | Path::Pieces | Path::Seek => (alone::run(pool, case, parcels), None),
        };
        let mut all_done = true;
        for (index, (spec, result)) in case.specs.iter().zip(results).enumerate() {
            let verdict = case.verdict(spec);
            all_done &= verdict == Verdict::Done;
            if let Some(what) = self.compare(pool, case, index, spec, verdict, result) {
                return Some(Difference { index: Some(index), what });
            }
        }
        let expected = if all_done { 0 } else { status::BATCH };
        if let Some(whole) = whole
            && whole != expected
        {
            return Some(Difference { index: None, what: format!("the call gave {whole}, not {expected}") });
        }
        let trampled = self.arena.trampled()?;
        Some(Difference {
            index: Some(trampled),
            what: "something was written beside its buffers".to_owned(),
        })
    }

    fn compare(
        &self,
        pool: &Pool,
        case: &Case,
        index: usize,
        spec: &Spec,
        verdict: Verdict,
        result: i32,
    ) -> Option<String> {
        let expected = match verdict {
            Verdict::Done => 0,
            Verdict::Refused(code) => code,
            Verdict::Forged | Verdict::ForgedInPieces => code(Err(abreast::Error::TagMismatch)),
        };
        if result != expected {
            return Some(format!("the status is {result}, not {expected}"));
        }
        let contents = contents(pool, case, spec);
        let (input, output, tag) = self.arena.after(index);
        let len = contents.input.len();
        let flipped = match spec.fault {
            Fault::TextBit(bit) => Some(bit),
            _ => None,
        };
        if let Some(input) = input
            && let Some(at) = differs(input, contents.input, flipped)
        {
            return Some(format!("the input was changed at byte {at} of {len}"));
        }
        let unchanged =
            || if spec.in_place { differs(output, contents.input, None) } else { all(output, UNTOUCHED) };
        let wrong = match verdict {
            Verdict::Refused(_) => unchanged(),
            _ if case.mode.only_authenticates() => unchanged(),
            Verdict::Forged => all(output, 0),
            Verdict::ForgedInPieces => differs(output, contents.output, flipped),
            Verdict::Done => {
                let (text, zeros) = output.split_at(len - contents.zeros);
                differs(text, contents.output, None).or_else(|| all(zeros, 0).map(|at| at + text.len()))
            }
        };
        if let Some(at) = wrong {
            return Some(format!("byte {at} of {len} is wrong"));
        }
        let flipped = match spec.fault {
            Fault::TagBit(bit) => Some(bit),
            _ => None,
        };
        let written = case.direction == Direction::Encrypt && verdict == Verdict::Done;
        let wrong = match contents.tag.get(..spec.tag_len) {
            Some(right) if written || case.direction == Direction::Decrypt => differs(tag, right, flipped),
            _ => all(tag, NO_TAG),
        };
        wrong.map(|at| format!("byte {at} of the tag, which has {}, is wrong", tag.len()))
    }
}

impl Default for Runner {
    fn default() -> Self {
        Self::new()
    }
}

/// The first byte that differs, but for one bit that is to differ.
fn differs(got: &[u8], expected: &[u8], flipped: Option<usize>) -> Option<usize> {
    if got == expected && flipped.is_none() {
        return None;
    }
    let right = |at: usize| {
        let mask = flipped.filter(|bit| bit / 8 == at).map_or(0, |bit| 1 << (bit % 8));
        expected.get(at).map(|byte| byte ^ mask)
    };
    (0..got.len().max(expected.len())).find(|at| got.get(*at).copied() != right(*at))
}

/// The first byte that is another.
fn all(got: &[u8], value: u8) -> Option<usize> {
    got.iter().position(|byte| *byte != value)
}
