//! File names for people: with control characters made visible, and in JSON.

use std::ffi::OsStr;
use std::path::is_separator;

use data_encoding::HEXLOWER;

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

/// Returns a field of a JSON object with a file name. A name that is not UTF-8 has its bytes in a second field, in hexadecimal,
/// since the text cannot tell them.
pub(crate) fn json_path(field: &str, name: &OsStr) -> String {
    let text = json(&name.to_string_lossy());
    match name.to_str() {
        Some(_) => format!("\"{field}\":{text}"),
        None => {
            let bytes = HEXLOWER.encode(name.as_encoded_bytes());
            format!("\"{field}\":{text},\"{field}_hex\":\"{bytes}\"")
        }
    }
}

/// Returns true if a terminal may do something else with a character than show it: a control character, one that turns
/// the direction of text or breaks lines, or one that takes no room, so that two names look the same. The joiners
/// U+200C and U+200D are left as they are, because some scripts are not read without them.
pub(crate) fn is_hostile(char: char) -> bool {
    char.is_control()
        || matches!(char, '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{feff}')
        || matches!(char, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_messages() {
        let escaped = |name: &str| escape(OsStr::new(name));
        assert_eq!(escaped("grüße 1.txt"), "grüße 1.txt");
        assert_eq!(escaped("a\nb\x1b[31m\x7f"), "a\\nb\\u{1b}[31m\\u{7f}");
        assert_eq!(escaped("\u{202e}txt.exe"), "\\u{202e}txt.exe");
        #[cfg(unix)]
        assert_eq!(escape(std::os::unix::ffi::OsStrExt::from_bytes(b"\xff\\n")), "\\xff\\\\n");
        assert_eq!(
            escaped("a\u{61c}b\u{200b}c\u{feff}d\u{e0001}e\u{e007f}"),
            "a\\u{61c}b\\u{200b}c\\u{feff}d\\u{e0001}e\\u{e007f}"
        );
        assert_eq!(one_line("a\n  b\x1b"), "a b\\u{1b}");
    }

    #[test]
    fn names_in_json() {
        assert_eq!(json("a\"\\\n\u{e9}"), "\"a\\\"\\\\\\u000a\u{e9}\"");
        assert_eq!(json_path("file", OsStr::new("\u{e9}")), "\"file\":\"\u{e9}\"");
        #[cfg(unix)]
        assert_eq!(
            json_path("file", std::os::unix::ffi::OsStrExt::from_bytes(b"a\xff\xc3\xa9")),
            "\"file\":\"a\u{fffd}\u{e9}\",\"file_hex\":\"61ffc3a9\""
        );
    }
}
