//! The cases of NIST's Cryptographic Algorithm Validation Program for AES.
//!
//! The known answer tests of all modes are one set of blocks: CBC has them as plaintexts with vectors of zeros, and the
//! modes that make a keystream have them as vectors, with plaintexts of zeros.

use crate::reader::File;
use crate::{AeadCase, BlockCase, KeyWrapCase, ModeCase, aead, block, mode, mode_with_iv, wrapped};

const BLOCK: usize = 16;

/// Single blocks of AES: GFSbox, KeySbox, VarKey and VarTxt for each key length, all of them.
///
/// ```
/// assert!(abreast_vectors::cavp_aes_blocks().iter().any(|case| case.key.len() == 24));
/// ```
pub fn cavp_aes_blocks() -> Vec<BlockCase> {
    File::embedded("cavp_aes_blocks.txt", include_str!("../data/cavp_aes_blocks.txt")).cases(block)
}

/// AES in ECB, messages of one to ten blocks: ECBMMT.
///
/// ```
/// assert!(abreast_vectors::cavp_ecb().iter().any(|case| case.plaintext.len() == 160));
/// ```
pub fn cavp_ecb() -> Vec<ModeCase> {
    messages("ecb")
}

/// AES in CBC: the known answer tests, and messages of one to ten blocks (CBCMMT).
///
/// ```
/// assert!(abreast_vectors::cavp_cbc().iter().any(|case| case.plaintext.len() == 160));
/// ```
pub fn cavp_cbc() -> Vec<ModeCase> {
    let zeros = || vec![0; BLOCK];
    let blocks = blocks("CBC", |case| (zeros(), case.plaintext, case.ciphertext));
    blocks.chain(messages("cbc")).collect()
}

/// AES in CFB with segments of a block: the known answer tests, and messages of one to ten blocks (CFB128MMT).
///
/// ```
/// assert!(abreast_vectors::cavp_cfb().iter().any(|case| case.plaintext.len() == 160));
/// ```
pub fn cavp_cfb() -> Vec<ModeCase> {
    keystream("CFB128", BLOCK).chain(messages("cfb")).collect()
}

/// AES in CFB with segments of a byte: the known answer tests, and messages of one to ten bytes (CFB8MMT).
///
/// ```
/// assert!(abreast_vectors::cavp_cfb8().iter().any(|case| case.plaintext.len() == 10));
/// ```
pub fn cavp_cfb8() -> Vec<ModeCase> {
    keystream("CFB8", 1).chain(messages("cfb8")).collect()
}

/// AES in OFB: the known answer tests, and messages of one to ten blocks (OFBMMT).
///
/// ```
/// assert!(abreast_vectors::cavp_ofb().iter().any(|case| case.plaintext.len() == 160));
/// ```
pub fn cavp_ofb() -> Vec<ModeCase> {
    keystream("OFB", BLOCK).chain(messages("ofb")).collect()
}

/// AES-XTS: data units of 16, 25, 32 and 48 bytes.
///
/// ```
/// assert!(abreast_vectors::cavp_xts().iter().any(|case| case.plaintext.len() == 25));
/// ```
pub fn cavp_xts() -> Vec<ModeCase> {
    File::embedded("cavp_xts.txt", include_str!("../data/cavp_xts.txt")).cases(mode_with_iv)
}

/// AES-GCM: for each combination of lengths one message, and one whose tag is wrong.
///
/// ```
/// assert!(abreast_vectors::cavp_gcm().iter().any(|case| case.tag.len() == 4 && !case.valid));
/// ```
pub fn cavp_gcm() -> Vec<AeadCase> {
    File::embedded("cavp_gcm.txt", include_str!("../data/cavp_gcm.txt")).cases(|case| {
        let valid = case.is_second("Valid", ["no", "yes"]);
        AeadCase { valid, ..aead(case) }
    })
}

/// AES key wrap without padding and with it: some of each length of message, one in five of which must fail to be unwrapped.
///
/// ```
/// assert!(abreast_vectors::cavp_key_wrap().iter().any(|case| case.padded && !case.valid));
/// ```
pub fn cavp_key_wrap() -> Vec<KeyWrapCase> {
    File::embedded("cavp_key_wrap.txt", include_str!("../data/cavp_key_wrap.txt")).cases(wrapped)
}

/// The multiblock message tests of a mode.
fn messages(wanted: &str) -> Vec<ModeCase> {
    let all = File::embedded("cavp_messages.txt", include_str!("../data/cavp_messages.txt")).cases(|case| {
        let iv = case.bytes("IV");
        (case.text("Mode"), mode(case, iv))
    });
    all.into_iter().filter(|(mode, _)| mode == wanted).map(|(_, case)| case).collect()
}

/// The known answer tests of a mode, each made of a block: vector, plaintext and ciphertext.
fn blocks(
    mode: &str,
    case: impl Fn(BlockCase) -> (Vec<u8>, Vec<u8>, Vec<u8>),
) -> impl Iterator<Item = ModeCase> {
    cavp_aes_blocks().into_iter().map(move |it| {
        let (name, key) = (it.name.replace("CAVP ECB", &format!("CAVP {mode}")), it.key.clone());
        let cipher = format!("aes-{}", 8 * key.len());
        let (iv, plaintext, ciphertext) = case(it);
        ModeCase { name, cipher, key, iv, plaintext, ciphertext, valid: true, flags: Vec::new() }
    })
}

/// The known answer tests of a mode that encrypts its vector, with plaintexts of `len` zeros.
fn keystream(mode: &str, len: usize) -> impl Iterator<Item = ModeCase> {
    blocks(mode, move |case| (case.plaintext, vec![0; len], case.ciphertext[..len].to_vec()))
}
