//! Keys of sealed files: HKDF, and the comparison of commitments.

use abreast_sealed::{Aead, FileKey, Key};

use crate::examiner::{Examiner, public};

/// Derives the keys of a file with each AEAD, and compares the commitment that a file begins with.
#[inline(never)]
pub(super) fn run(x: &Examiner) {
    for aead in Aead::ALL {
        let name = aead.name();
        let key = Key::new(aead, &x.secret(aead.key_len())).expect("as long as the AEAD takes");
        let salt = public(24, 9).try_into().expect("24 bytes");
        let (_, mut header) =
            x.run(format_args!("sealed, {name}, derive"), || FileKey::derive(&key, &salt, b""));
        let right = x.run(format_args!("sealed, {name}, open"), || FileKey::from_header(&key, &header, b""));
        assert!(right.is_ok());
        header[55] ^= 1;
        let wrong =
            x.run(format_args!("sealed, {name}, a wrong key"), || FileKey::from_header(&key, &header, b""));
        assert!(wrong.is_err());
    }
}
