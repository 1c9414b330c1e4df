//! The names of all work: a list, and those nearest to an unknown name.

use super::work::{PACKETS, THREADS, What};

/// The letters of a line.
const LINE: usize = 80;
/// The names that are offered in place of one that does not exist.
const NEAREST: usize = 3;

/// Returns all names in columns.
pub(super) fn list() -> String {
    let names: Vec<String> = all().collect();
    let width = names.iter().map(String::len).max().unwrap_or(0) + 2;
    let mut text = String::new();
    for row in names.chunks(LINE / width) {
        let row: String = row.iter().map(|name| format!("{name:width$}")).collect();
        text += row.trim_end();
        text.push('\n');
    }
    text
}

/// All names, and those of groups.
pub(super) fn all() -> impl Iterator<Item = String> {
    What::all().map(|what| what.to_string()).chain([PACKETS.into(), THREADS.into()])
}

/// Returns the names that take the fewest changes from another, by letters.
pub(super) fn nearest(name: &str) -> Vec<String> {
    let mut names: Vec<(usize, String)> = all().map(|known| (changes(name, &known), known)).collect();
    names.sort();
    names.truncate(NEAREST);
    names.into_iter().map(|(_, name)| name).collect()
}

/// Returns the letters that have to be added, taken out, exchanged or swapped with their neighbour (optimal string alignment).
/// Letters beyond 64 do not count: no name is as long.
fn changes(one: &str, other: &str) -> usize {
    let [one, other] = [one, other].map(|name| name.chars().take(64).collect::<Vec<char>>());
    let mut rows: Vec<Vec<usize>> = vec![(0..=other.len()).collect()];
    for i in 1..=one.len() {
        let mut row = vec![i];
        for j in 1..=other.len() {
            let differs = usize::from(one[i - 1] != other[j - 1]);
            let mut fewest = (rows[i - 1][j - 1] + differs).min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1] {
                fewest = fewest.min(rows[i - 2][j - 2] + 1);
            }
            row.push(fewest);
        }
        rows.push(row);
    }
    rows[one.len()][other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_counted() {
        for (one, other, wanted) in [
            ("", "", 0),
            ("", "ab", 2),
            ("aez", "aez", 0),
            ("aes", "aez", 1),
            ("xtea", "tea", 1),
            ("ab", "ba", 1),
        ] {
            assert_eq!((changes(one, other), changes(other, one)), (wanted, wanted), "{one} {other}");
        }
    }

    #[test]
    fn the_nearest_name_comes_first() {
        for (name, wanted) in
            [("aes-128-gmc", "aes-128-gcm"), ("serpent256-ctr", "serpent-256-ctr"), ("packet", "packets")]
        {
            assert_eq!(nearest(name)[0], wanted);
        }
        assert!(list().lines().all(|line| line.len() <= LINE));
        assert_eq!(list().split_whitespace().count(), all().count());
    }
}
