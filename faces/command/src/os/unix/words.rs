//! Words of shells.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use crate::names::is_hostile;

/// A file name as an argument in a shell.
pub(crate) fn shell_word(name: &OsStr) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"/._-+,:=@%".contains(byte);
    let bytes = name.as_bytes();
    // A leading dash would be an option.
    let path = if bytes.starts_with(b"-") { [b"./", bytes].concat() } else { bytes.to_vec() };
    if !path.is_empty() && path.iter().all(plain) {
        return String::from_utf8_lossy(&path).into_owned();
    }
    let mut word = String::from("$'");
    let mut special = false;
    for chunk in path.utf8_chunks() {
        for char in chunk.valid().chars() {
            match char {
                '\'' | '\\' => word.extend(['\\', char]),
                _ if is_hostile(char) => {
                    special = true;
                    let mut utf8 = [0; 4];
                    char.encode_utf8(&mut utf8)
                        .bytes()
                        .for_each(|byte| word.push_str(&format!("\\x{byte:02x}")));
                }
                _ => word.push(char),
            }
        }
        for byte in chunk.invalid() {
            special = true;
            word.push_str(&format!("\\x{byte:02x}"));
        }
    }
    word.push('\'');
    // Without special characters the quotes that every shell knows will do.
    if special { word } else { format!("'{}'", String::from_utf8_lossy(&path).replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_for_shells() {
        let word = |bytes: &[u8]| shell_word(OsStr::from_bytes(bytes));
        assert_eq!(word(b"dir/README.md"), "dir/README.md");
        assert_eq!(word(b"-rf"), "./-rf");
        assert_eq!(word(b"it's here"), r"'it'\''s here'");
        assert_eq!(word(b"a\n'\xff"), r"$'a\x0a\'\xff'");
        assert_eq!(word(b""), "''");
    }
}
