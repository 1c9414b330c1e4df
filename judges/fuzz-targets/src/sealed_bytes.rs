//! Any bytes as a sealed file.

use std::num::NonZeroUsize;

use abreast_sealed::ags1::{self, SealedLength};
use abreast_sealed::{Aead, Format, Header, Input, Key, Layout, Opener, Output};

use crate::input::pick;

/// Nothing was ever sealed with this key, so nothing may open: the format commits to its key. The first byte picks the
/// AEAD. The body is opened all the same by a commitment that is put right, and gives nothing either.
pub(crate) fn run(data: &[u8]) {
    let Some((&aead, file)) = data.split_first() else { return };
    let stream = ags1::open(&[7; 16], b"", file, SealedLength::Unknown);
    assert!(stream.is_err(), "a stream that nobody sealed was opened");
    let aead = pick(&Aead::ALL, aead);
    let mut rest = file;
    let Ok(header) = Header::read(&mut rest) else { return };
    let aead = header.passphrase_line().map_or(aead, |line| line.aead());
    let key = Key::new(aead, &[7; 32][..aead.key_len()]).expect("a key of its length");
    let read = file.len() - rest.len();
    assert_eq!(read as u64, header.body_offset());
    if let Ok(layout) = Layout::of_body(Format::Cobblestone, rest.len() as u64) {
        assert_eq!(layout.message + 16 * layout.chunks, rest.len() as u64);
    }
    assert!(header.unlock(&key).is_err(), "bytes that nobody sealed have the commitment of the key");

    // The salt of the file, as its sealer would have committed to it.
    let salt = file[read - 56..read - 32].try_into().expect("24 bytes");
    let committed = Header::with_salt(&key, header.passphrase_line().cloned(), salt);
    assert_eq!(committed.to_bytes()[..read - 32], file[..read - 32]);
    let opener = Opener::new(&committed, &key).expect("the commitment of the key");
    let (mut plaintext, input) = (Vec::new(), Input::Stream(&mut rest));
    let opened = opener.open(input, Output::Stream(&mut plaintext), NonZeroUsize::MIN, &());
    assert!(opened.is_err() && plaintext.is_empty(), "bytes that nobody sealed were opened");
}
