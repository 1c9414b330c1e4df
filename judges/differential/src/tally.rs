//! The counts of a run, for each mode, way to call it and kernel, and the table of them.

use std::fmt::Write as _;

use crate::case::{Case, Verdict};
use crate::draw::Focus;
use crate::subject::{Family, Kind, Mode, Path};

/// The most kernels of a family.
const KERNELS: usize = 16;

/// The counts of a run.
#[derive(Debug)]
pub struct Tally {
    /// Packets and single messages.
    pub packets: u64,
    /// Batches, each of them one call.
    pub batches: u64,
    /// Calls, batches among them; a stream in pieces counts as one.
    pub calls: u64,
    /// Bytes of messages.
    pub bytes: u64,
    /// Messages with something wrong on purpose.
    pub refused: u64,
    done: Vec<u64>,
    kinds: [u64; Kind::ALL.len()],
}

impl Default for Tally {
    fn default() -> Self {
        let done = vec![0; Mode::ALL.len() * Path::ALL.len() * 3 * KERNELS];
        Self { packets: 0, batches: 0, calls: 0, bytes: 0, refused: 0, done, kinds: [0; Kind::ALL.len()] }
    }
}

fn place(mode: Mode, path: Path, family: Family, kernel: usize) -> usize {
    ((mode as usize * Path::ALL.len() + path as usize) * 3 + family as usize) * KERNELS + kernel
}

impl Tally {
    /// Counts a case that was run.
    pub fn add(&mut self, case: &Case) {
        let packets = case.specs.len() as u64;
        self.packets += packets;
        self.batches += u64::from(case.path.is_batch());
        self.calls += if case.path.is_batch() { 1 } else { packets };
        for spec in &case.specs {
            if matches!(case.verdict(spec), Verdict::Refused(_)) {
                self.refused += 1;
                continue;
            }
            self.bytes += spec.len as u64;
            self.done[place(case.mode, case.path, spec.cipher().family(), spec.kernel)] += 1;
            self.kinds[spec.kind] += 1;
        }
    }

    /// Returns the names of all that was wanted and never ran: ciphers, and kernels in a mode and a way to call it.
    #[must_use]
    pub fn missing(&self, wanted: &[Focus]) -> Vec<String> {
        let mut missing = Vec::new();
        for &Focus { mode, path, family, kernel, .. } in wanted {
            if self.done[place(mode, path, family, kernel)] == 0 {
                let label = &family.kernels()[kernel].label;
                let text = format!("{}, {}, {label}", mode.name(), path.name());
                if !missing.contains(&text) {
                    missing.push(text);
                }
            }
        }
        let ciphers = Kind::ALL.iter().zip(self.kinds).filter(|(kind, count)| {
            *count == 0
                && wanted.iter().any(|focus| focus.mode.suits(**kind) && focus.family == kind.family())
        });
        missing.extend(ciphers.map(|(kind, _)| kind.name()));
        missing
    }

    /// The counts as a table: a line for each mode and way to call it, a column for each kernel.
    #[must_use]
    pub fn table(&self) -> String {
        let mut text = String::new();
        for (family, title) in
            [(Family::Aes, "AES and AEZ"), (Family::Words, "Serpent and XTEA"), (Family::Rc4, "RC4")]
        {
            let kernels = family.kernels();
            write!(text, "{title:22}").expect("a string takes any text");
            for kernel in kernels {
                write!(text, " {:>12}", kernel.label.chars().take(12).collect::<String>())
                    .expect("a string takes any text");
            }
            text.push('\n');
            for mode in Mode::ALL {
                for path in &mode.paths() {
                    let its = |kernel| self.done[place(mode, *path, family, kernel)];
                    if (0..kernels.len()).any(|kernel| its(kernel) > 0) {
                        let name = format!("  {} {}", mode.name(), path.name());
                        write!(text, "{name:22}").expect("a string takes any text");
                        for kernel in 0..kernels.len() {
                            write!(text, " {:>12}", its(kernel)).expect("a string takes any text");
                        }
                        text.push('\n');
                    }
                }
            }
        }
        for (kind, count) in Kind::ALL.iter().zip(self.kinds) {
            writeln!(text, "{:22} {count:>12}", kind.name()).expect("a string takes any text");
        }
        text
    }
}
