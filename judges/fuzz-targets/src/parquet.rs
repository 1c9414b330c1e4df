//! Any bytes as a file of Parquet, in clear or encrypted, and as the metadata of keys.

use std::io::Cursor;

use abreast_parquet::key_material::{ExternalMaterial, KeyMetadata};
use abreast_parquet::{
    Access, Algorithm, Error, FileContext, Job, Keys, Module, ModuleKey, Policy, decrypt, encrypt, inspect,
    read_footer,
};

/// The key of everything, as the encrypted files of the corpus have it.
const KEY: [u8; 16] = [7; 16];

fn keys() -> Keys {
    Keys::new().footer(&KEY).expect("a key of AES")
}

fn decrypted(file: &[u8]) -> Result<Vec<u8>, Error> {
    let (mut plain, keys) = (Vec::new(), keys());
    let mut access = Access::new(&keys);
    access.empty_aad = true;
    decrypt(&mut Cursor::new(file), &mut plain, access).map(|_| plain)
}

/// Encrypts a file in clear and decrypts it.
fn through(plain: &[u8], policy: &Policy) -> Option<Vec<u8>> {
    let mut file = Vec::new();
    encrypt(&mut Cursor::new(plain), &mut file, policy).ok()?;
    assert!(inspect(&mut Cursor::new(&file)).is_ok_and(|seen| seen.is_some()));
    let back =
        decrypted(&file).unwrap_or_else(|error| panic!("what was encrypted is not decrypted: {error}"));
    let keys = keys();
    read_footer(&mut Cursor::new(&file), Access::new(&keys))
        .expect("the footer of a file that was decrypted");
    Some(back)
}

/// Returns a file whose footer is that of a file in clear, encrypted: after the number of the new file, which its pages are encrypted with.
/// Its metadata is authentic, and yet anything.
fn with_encrypted_footer(data: &[u8]) -> Option<Vec<u8>> {
    let (unique, file) = data.split_first_chunk::<8>()?;
    let (rest, _) = file.split_last_chunk::<4>()?;
    let (rest, len) = rest.split_last_chunk()?;
    let at = rest.len().checked_sub(u32::from_le_bytes(*len) as usize)?;
    let (body, footer) = rest.split_at(at);
    let mut file = [b"PARE", body.get(4..)?].concat();
    // FileCryptoMetaData: EncryptionAlgorithm, AesGcmV1, and in it the number.
    let start = file.len();
    file.extend([0x1c, 0x1c, 0x28, 8]);
    file.extend(unique);
    file.extend([0; 3]);
    let key = ModuleKey::new(&KEY).expect("a key of AES");
    let mut module = [&[0; 16], footer, &[0; 16]].concat();
    let mut jobs = [Job::new(&key, Module::FOOTER, &mut module)];
    FileContext::new(Algorithm::AesGcmV1, b"", unique).seal(&mut jobs).expect("random bytes");
    file.extend(module);
    let len = u32::try_from(file.len() - start).ok()?;
    file.extend(len.to_le_bytes());
    file.extend(b"PARE");
    Some(file)
}

/// A file in clear that can be encrypted comes back, and is then the same each time. One that is encrypted ends without a panic.
pub(crate) fn run(data: &[u8]) {
    if let Ok(metadata) = KeyMetadata::parse(data) {
        assert_eq!(KeyMetadata::parse(metadata.to_json().as_bytes()), Ok(metadata));
    }
    if let Ok(material) = ExternalMaterial::parse(data) {
        assert_eq!(ExternalMaterial::parse(material.to_json().as_bytes()), Ok(material));
    }
    if let Some(file) = with_encrypted_footer(data) {
        let _ = decrypted(&file);
    }
    let plain = decrypted(data);
    let plain = plain.as_deref().unwrap_or(data);
    let policy = || Policy::new(&KEY).expect("a key of AES");
    if let Some(back) = through(plain, &policy()) {
        let other = policy().algorithm(Algorithm::AesGcmCtrV1).plaintext_footer(true);
        assert!(
            through(&back, &other).is_some_and(|again| again == back),
            "a file differs after another round"
        );
    }
}
