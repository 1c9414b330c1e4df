//! The best libraries that are known for each row of a comparison, and what they say about a new one.
//!
//! A comparison has the libraries that its machine has, often older ones than the best. So each cell is judged against
//! committed figures too: those of the same CPU, and the best library on any CPU, without which nothing is ahead.

use serde::{Deserialize, Serialize};

use crate::report::{PeersCell, PeersReport};

/// The best library of each cell on a CPU.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KnownPeers {
    /// The CPU, as [`Machine`](crate::machine::Machine) names it.
    pub cpu: String,
    /// The day of the newest figures.
    pub date: String,
    /// The cells.
    pub cells: Vec<KnownBest>,
}

/// The best library of a cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KnownBest {
    /// The row.
    pub row: String,
    /// Bytes of a message.
    pub size: usize,
    /// The library.
    pub peer: String,
    /// Its version. Later ones count as well; empty if any does.
    pub version: String,
    /// Its median, in the unit of the cell.
    pub median: f64,
}

/// The place of a library beside the best others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// At least as fast as all others that were measured, and as all that are known.
    Ahead,
    /// Slower than another one, measured now or known on this CPU.
    Behind,
    /// Ahead of those that were measured, among which the best known one is missing.
    Unknown,
}

/// The fastest other library of a cell, in the run or known on its CPU.
#[derive(Clone, Debug, PartialEq)]
pub struct Best {
    /// Its name, with the version if it was not measured in the run.
    pub peer: String,
    /// Its median, in the unit of the cell.
    pub median: f64,
}

/// Returns the best library that is known for a cell on the CPU of a report.
fn known_here<'k>(known: &'k [KnownPeers], report: &PeersReport, cell: &PeersCell) -> Option<&'k KnownBest> {
    known.iter().find(|known| known.cpu == report.machine.cpu)?.of(cell)
}

/// Returns the fastest other library of a cell of a report, if the run has one.
#[must_use]
pub fn best(known: &[KnownPeers], report: &PeersReport, cell: &PeersCell) -> Option<Best> {
    let measured = cell.best_other()?;
    Some(match known_here(known, report, cell) {
        Some(best) if best.median < measured.median => {
            Best { peer: format!("{} {}", best.peer, best.version).trim_end().into(), median: best.median }
        }
        _ => Best { peer: measured.peer.clone(), median: measured.median },
    })
}

/// Returns the speed of one of ours relative to the fastest other library, to the hundredths that are shown, and its place.
#[must_use]
pub fn standing(
    known: &[KnownPeers],
    report: &PeersReport,
    cell: &PeersCell,
    ours: &str,
) -> Option<(f64, Standing)> {
    let best = best(known, report, cell)?;
    let ratio = (100.0 * best.median / cell.median_of(ours)?).round() / 100.0;
    if ratio < 1.0 {
        return Some((ratio, Standing::Behind));
    }
    // Figures of this CPU say which library is the best one here; those of others only where there are none.
    let decided = match known_here(known, report, cell) {
        Some(best) => was_measured(report, best),
        None => known.iter().filter_map(|known| known.of(cell)).all(|best| was_measured(report, best)),
    };
    Some((ratio, if decided { Standing::Ahead } else { Standing::Unknown }))
}

impl KnownPeers {
    /// Returns the best library of a cell.
    fn of(&self, cell: &PeersCell) -> Option<&KnownBest> {
        self.cells.iter().find(|best| best.row == cell.row && best.size == cell.size)
    }
}

/// True if a library was measured in a version that is not older.
fn was_measured(report: &PeersReport, best: &KnownBest) -> bool {
    let same = report.peers.iter().find(|library| library.name == best.peer);
    same.is_some_and(|library| numbers(&library.version) >= numbers(&best.version))
}

/// Returns the numbers at the beginning of a version, as in `1.12.3-beta66`.
fn numbers(version: &str) -> Vec<u64> {
    let end = version.find(|letter: char| letter != '.' && !letter.is_ascii_digit()).unwrap_or(version.len());
    version[..end].split('.').map_while(|number| number.parse().ok()).collect()
}
