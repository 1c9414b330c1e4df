//! Key files.

use abreast_sealed::{Aead, Key};

use crate::input::pick;

/// A key file is accepted as a line that names the AEAD, in one spelling but for the line feed, or as the bytes of the
/// key alone where the AEAD is told. The first byte says what is asked for.
pub(crate) fn run(data: &[u8]) {
    let Some((&asked, mut file)) = data.split_first() else { return };
    let asked = pick(&[None, Some(Aead::Aes128Gcm), Some(Aead::Aes256Gcm), Some(Aead::Serpent256Gcm)], asked);
    let whole = file;
    let Ok(key) = Key::read(&mut file, asked) else { return };
    assert_eq!(key.bytes().len(), key.aead().key_len());
    assert!(asked.is_none_or(|asked| asked == key.aead()));
    let line = key.to_line();
    let line = line.as_bytes();
    let is_line = whole == line || whole == &line[..line.len() - 1];
    let is_raw = whole == key.bytes() && asked.is_some();
    assert!(is_line || is_raw, "another spelling of a key was accepted");
    let again = Key::read(&mut &*line, None).expect("the line of a key");
    assert_eq!((again.aead(), again.bytes()), (key.aead(), key.bytes()));
}
