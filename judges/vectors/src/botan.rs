//! The cases of Botan's own tests that no other set here has.
//!
//! They are of several origins, which Botan's files name: libraries, standards, and Botan itself. Serpent in XTS and in
//! counter mode, XTEA, and counters of 32 and 64 bits that wrap are in no other published set.

use crate::reader::File;
use crate::{
    AeadCase, CtrCase, MacCase, ModeCase, Rc4Case, SivCase, aead, counter, mac, mode, mode_with_iv,
    rc4_stream, siv_message,
};

/// Single blocks of AES, Serpent and XTEA (big-endian words), and messages of a few blocks in ECB.
///
/// ```
/// assert!(abreast_vectors::botan_ecb().iter().any(|case| case.cipher == "xtea-be"));
/// ```
pub fn botan_ecb() -> Vec<ModeCase> {
    File::embedded("botan_ecb.txt", include_str!("../data/botan_ecb.txt"))
        .cases(|case| mode(case, Vec::new()))
}

/// AES, Serpent and XTEA in counter mode, with counters of a block and of 32 and 64 bits.
///
/// ```
/// assert!(abreast_vectors::botan_ctr().iter().any(|case| case.cipher == "serpent-256"));
/// ```
pub fn botan_ctr() -> Vec<CtrCase> {
    File::embedded("botan_ctr.txt", include_str!("../data/botan_ctr.txt")).cases(counter)
}

/// AES and Serpent in XTS.
///
/// ```
/// assert!(abreast_vectors::botan_xts().iter().any(|case| case.cipher == "serpent-256"));
/// ```
pub fn botan_xts() -> Vec<ModeCase> {
    File::embedded("botan_xts.txt", include_str!("../data/botan_xts.txt")).cases(mode_with_iv)
}

/// AES in CBC with the padding of PKCS #7.
///
/// ```
/// assert!(abreast_vectors::botan_cbc_pkcs7().iter().any(|case| case.plaintext.len() % 16 == 1));
/// ```
pub fn botan_cbc_pkcs7() -> Vec<ModeCase> {
    File::embedded("botan_cbc_pkcs7.txt", include_str!("../data/botan_cbc_pkcs7.txt")).cases(mode_with_iv)
}

/// AES-GCM, some with nonces that have not 12 bytes.
///
/// ```
/// assert!(abreast_vectors::botan_gcm().iter().any(|case| case.tag.len() < 16));
/// ```
pub fn botan_gcm() -> Vec<AeadCase> {
    File::embedded("botan_gcm.txt", include_str!("../data/botan_gcm.txt")).cases(aead)
}

/// AES in EAX.
///
/// ```
/// assert!(abreast_vectors::botan_eax().iter().any(|case| case.key.len() == 24));
/// ```
pub fn botan_eax() -> Vec<AeadCase> {
    File::embedded("botan_eax.txt", include_str!("../data/botan_eax.txt")).cases(aead)
}

/// AES in SIV, with one string of associated data or two.
///
/// ```
/// assert!(abreast_vectors::botan_siv().iter().any(|case| case.plaintext.len() > 100));
/// ```
pub fn botan_siv() -> Vec<SivCase> {
    File::embedded("botan_siv.txt", include_str!("../data/botan_siv.txt")).cases(siv_message)
}

/// RC4 with keys of 1 to 32 bytes, some with the first bytes of the keystream left out.
///
/// ```
/// assert!(abreast_vectors::botan_rc4().iter().any(|case| case.offset == 256));
/// ```
pub fn botan_rc4() -> Vec<Rc4Case> {
    File::embedded("botan_rc4.txt", include_str!("../data/botan_rc4.txt")).cases(rc4_stream)
}

/// CMAC of AES.
///
/// ```
/// assert!(abreast_vectors::botan_cmac().iter().any(|case| case.key.len() == 24));
/// ```
pub fn botan_cmac() -> Vec<MacCase> {
    File::embedded("botan_cmac.txt", include_str!("../data/botan_cmac.txt")).cases(mac)
}
