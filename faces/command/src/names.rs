//! File names for people: with control characters made visible, and as a shell would take them.

use std::ffi::OsStr;
use std::path::is_separator;

/// A file name in a message: no control character, no line break and no byte that is not text gets
/// through to a terminal as it is.
pub(crate) fn escape(name: &OsStr) -> String {
    let mut escaped = String::new();
    for chunk in name.as_encoded_bytes().utf8_chunks() {
        for char in chunk.valid().chars() {
            match char {
                '\\' if !is_separator(char) => escaped.push_str("\\\\"),
                _ if is_hostile(char) => escaped.extend(char.escape_default()),
                _ => escaped.push(char),
            }
        }
        for byte in chunk.invalid() {
            escaped.push_str(&format!("\\x{byte:02x}"));
        }
    }
    escaped
}

/// Returns a message of another program as one line, with control characters made visible.
pub fn one_line(text: &str) -> String {
    let words = text.split([' ', '\n']).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    words
        .chars()
        .map(|char| if is_hostile(char) { char.escape_default().to_string() } else { char.into() })
        .collect()
}

/// A file name as an argument in a shell.
pub(crate) fn shell_word(name: &OsStr) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"/._-+,:=@%".contains(byte);
    let bytes = name.as_encoded_bytes();
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

/// A string of JSON.
pub(crate) fn json(text: &str) -> String {
    let mut json = String::from("\"");
    for char in text.chars() {
        match char {
            '"' | '\\' => json.extend(['\\', char]),
            _ if is_hostile(char) => {
                char.encode_utf16(&mut [0; 2])
                    .iter()
                    .for_each(|unit| json.push_str(&format!("\\u{unit:04x}")));
            }
            _ => json.push(char),
        }
    }
    json.push('"');
    json
}

/// Returns true if a terminal may do something else with a character than show it: a control character, one that turns
/// the direction of text or breaks lines, or one that takes no room, so that two names look the same. The joiners
/// U+200C and U+200D are left as they are, because some scripts are not read without them.
fn is_hostile(char: char) -> bool {
    char.is_control()
        || matches!(char, '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{feff}')
        || matches!(char, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_messages() {
        let escaped = |bytes: &[u8]| escape(OsStr::from_bytes(bytes));
        assert_eq!(escaped("grüße 1.txt".as_bytes()), "grüße 1.txt");
        assert_eq!(escaped(b"a\nb\x1b[31m\x7f"), "a\\nb\\u{1b}[31m\\u{7f}");
        assert_eq!(escaped(b"\xff\\n"), "\\xff\\\\n");
        assert_eq!(escaped("\u{202e}txt.exe".as_bytes()), "\\u{202e}txt.exe");
        assert_eq!(
            escaped("a\u{61c}b\u{200b}c\u{feff}d\u{e0001}e\u{e007f}".as_bytes()),
            "a\\u{61c}b\\u{200b}c\\u{feff}d\\u{e0001}e\\u{e007f}"
        );
        assert_eq!(one_line("a\n  b\x1b"), "a b\\u{1b}");
    }

    #[test]
    fn names_for_shells() {
        let word = |bytes: &[u8]| shell_word(OsStr::from_bytes(bytes));
        assert_eq!(word(b"dir/README.md"), "dir/README.md");
        assert_eq!(word(b"-rf"), "./-rf");
        assert_eq!(word(b"it's here"), r"'it'\''s here'");
        assert_eq!(word(b"a\n'\xff"), r"$'a\x0a\'\xff'");
        assert_eq!(word(b""), "''");
    }

    #[test]
    fn names_in_json() {
        assert_eq!(json("a\"\\\n\u{e9}"), "\"a\\\"\\\\\\u000a\u{e9}\"");
    }
}
