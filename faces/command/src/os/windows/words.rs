//! Words of the shells of Windows.

use std::ffi::OsStr;

/// Returns a file name as an argument in a shell. Names with quotes there are none.
pub(crate) fn shell_word(name: &OsStr) -> String {
    let plain = |char: char| char.is_ascii_alphanumeric() || "\\/._-+:".contains(char);
    let name = name.to_string_lossy();
    // A leading dash would be an option.
    let path = if name.starts_with('-') { format!(".\\{name}") } else { name.into_owned() };
    if !path.is_empty() && path.chars().all(plain) { path } else { format!("\"{path}\"") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_for_shells() {
        let word = |name: &str| shell_word(OsStr::new(name));
        assert_eq!(word(r"C:\dir\README.md"), r"C:\dir\README.md");
        assert_eq!(word("-rf"), r".\-rf");
        assert_eq!(word("it's here"), "\"it's here\"");
        assert_eq!(word(""), "\"\"");
    }
}
