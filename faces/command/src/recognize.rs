//! Recognises by the first bytes that a file is not a sealed file.

use abreast_sealed::SALT;

/// The beginnings of common types of files; types that begin with text, or with few different bytes, are found without
/// this. Each is so long that a random salt begins like one of them once in 100 million times.
const TYPES: [(&[u8], &str); 14] = [
    (b"AGS1\0\0\x10\0", "a stream of Iceberg, which --format ags1 opens"),
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff\xe0", "a JPEG image"),
    (b"\xff\xd8\xff\xe1", "a JPEG image"),
    (b"\x1f\x8b\x08\x00", "a gzip file"),
    (b"\x1f\x8b\x08\x08", "a gzip file"),
    (b"PK\x03\x04", "a ZIP file"),
    (b"\xfd7zXZ", "an xz file"),
    (b"\x28\xb5\x2f\xfd", "a zstd file"),
    (b"BZh9", "a bzip2 file"),
    (b"7z\xbc\xaf", "a 7z file"),
    (b"%PDF", "a PDF document"),
    (b"Salted__", "a file of openssl enc"),
    (b"\x7fELF", "a program"),
];

/// Describes the beginning of a file that does not look like a random salt and a commitment.
///
/// 8 of 24 random bytes have the same value once in 10^11 times, and there are 12 different values or fewer even more
/// rarely; 56 random bytes are text more rarely still. So a sealed file is practically never called anything else.
pub(crate) fn not_random(start: &[u8]) -> Option<String> {
    if let Some((_, name)) = TYPES.into_iter().find(|(magic, _)| start.starts_with(magic)) {
        return Some(format!("as {name}"));
    }
    let text = start.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    let shows = |char: char| !char.is_control() || matches!(char, '\t' | '\n' | '\r' | '\x0c');
    // The end may be in the middle of a character.
    if text.len() + 3 >= start.len() && text.chars().all(shows) {
        return Some("with text".into());
    }
    let mut counts = [0; 256];
    start[..SALT].iter().for_each(|byte| counts[usize::from(*byte)] += 1);
    let different = counts.iter().filter(|count| **count > 0).count();
    if different <= SALT / 2 || counts.iter().any(|count| *count >= SALT / 3) {
        return Some("with hardly any different bytes".into());
    }
    None
}

#[cfg(test)]
mod tests {
    use abreast_sealed::HEADER;

    use super::*;

    #[test]
    fn what_cannot_be_a_salt() {
        let start = |bytes: &[u8]| not_random(&[bytes, &[0; HEADER]].concat()[..HEADER]);
        assert!(start(b"").unwrap().contains("hardly any"));
        assert!(start(b"\x89PNG\r\n\x1a\n01234567890123456789").unwrap().contains("PNG"));
        let text = "a sentence that goes on and on, \u{fc}ber alles M\u{f6}gliche".repeat(2);
        for end in HEADER..=HEADER + 1 {
            assert_eq!(not_random(&text.as_bytes()[end - HEADER..end]).as_deref(), Some("with text"));
        }
    }

    #[test]
    fn random_bytes_are_not_taken_for_something_else() {
        let mut start = [0; HEADER];
        for _ in 0..10_000 {
            getrandom::fill(&mut start).unwrap();
            assert_eq!(not_random(&start), None, "{start:?}");
        }
    }
}
