//! Documents, pictures and records: found, read, written, and drawn anew between marks.

use std::fs;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

/// The folder of the records.
pub(crate) const RECORDS: &str = "lab/records";

/// A document or picture that is drawn: where it is, from the root of the workspace, and its text.
pub(crate) type Drawn = (String, String);

/// Reads the text of a file.
pub(crate) fn text(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// Writes a file, and makes its folder.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), String> {
    let folder = path.parent().unwrap_or(path);
    let written = fs::create_dir_all(folder).and_then(|()| fs::write(path, text));
    written.map_err(|error| format!("{}: {error}", path.display()))
}

/// Returns the document with another text between two marks, which are comments with a name.
pub(crate) fn replaced(document: &str, name: &str, text: &str) -> Result<String, String> {
    let [begin, end] = [format!("<!-- records: {name} -->\n"), format!("<!-- /records: {name} -->\n")];
    let parts =
        document.split_once(&begin).and_then(|(before, rest)| Some((before, rest.split_once(&end)?.1)));
    let (before, after) = parts.ok_or_else(|| format!("a document lacks the marks '{name}'"))?;
    Ok(format!("{before}{begin}\n{text}\n{end}{after}"))
}

/// The records of a kind. Dates come first in their names, so the newest is the last.
pub(crate) fn records(root: &Path, kind: &str) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(root.join(RECORDS)).map_err(|error| format!("{RECORDS}: {error}"))?;
    let end = format!("-{kind}.json");
    let is_of_kind = |path: &PathBuf| path.to_string_lossy().ends_with(&end);
    let mut records: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(is_of_kind).collect();
    records.sort();
    Ok(records)
}

pub(crate) fn read<T: DeserializeOwned>(path: &Path) -> Result<T, String> {
    serde_json::from_str(&text(path)?).map_err(|error| format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_takes_the_place_of_the_old_one() {
        let document = "a\n<!-- records: x -->\nold\n<!-- /records: x -->\nb\n";
        let once = replaced(document, "x", "new\n").expect("marks");
        assert_eq!(once, "a\n<!-- records: x -->\n\nnew\n\n<!-- /records: x -->\nb\n");
        assert_eq!(replaced(&once, "x", "new\n").ok(), Some(once));
        assert!(replaced("a\n", "x", "new\n").is_err());
    }
}
