//! The tally: how many answers the test programs of a task have checked, of each kind.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

/// The variable by which test programs are told where to count. A step that counts by itself sets it.
pub(crate) const TALLY: &str = "ABREAST_TALLY";

/// The file into which test programs write how much they checked, by the variable `ABREAST_TALLY`: each line is a number
/// and what was counted.
pub(crate) fn tally_file() -> PathBuf {
    std::env::temp_dir().join(format!("abreast-tally-{}", std::process::id()))
}

/// Adds up the counts of the test programs so far, and removes their file.
pub(crate) fn tally() -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    let text = fs::read_to_string(tally_file()).unwrap_or_default();
    for (count, what) in text.lines().filter_map(|line| line.split_once(' ')) {
        *counts.entry(what.to_owned()).or_default() += count.parse::<u64>().unwrap_or(0);
    }
    // There is none where nothing was counted.
    let _ = fs::remove_file(tally_file());
    counts
}
