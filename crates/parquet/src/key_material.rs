//! Key material: the metadata of keys that the key tools of Arrow and parquet-java write.
//!
//! Each file has data keys of its own. The metadata of a data key holds it wrapped: by the key service under a master key, or
//! under a key encryption key that the service wraps (double wrapping), so that a service is asked once for many files. Metadata
//! is JSON, flat, its fields in any order:
//!
//! | field | value |
//! |---|---|
//! | `keyMaterialType` | `PKMT1` |
//! | `internalStorage` | true, or false for a `keyReference` into a file beside the data |
//! | `isFooterKey`, `kmsInstanceID`, `kmsInstanceURL` | the last two of footers only |
//! | `masterKeyID`, `doubleWrapping` | |
//! | `wrappedDEK` | the service's text; or base64 of nonce, ciphertext and tag by AES-GCM |
//! | `keyEncryptionKeyID`, `wrappedKEK` | of double wrapping: base64 of 16 bytes, and the service's text |
//!
//! In double wrapping the bytes of the identifier are the associated data. The file beside the data is
//! `_KEY_MATERIAL_FOR_<name of the file>.json`, an object of references and of key material as texts.
//!
//! Source: `key_material.h`, `key_metadata.h` and `file_key_wrapper.cc` of apache/arrow, which say what parquet-java does.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use data_encoding::BASE64;
use zeroize::Zeroizing;

use crate::error::Owner;
use crate::json::{self, Value};
use crate::keys::KeySource;
use crate::module::{NONCE, TAG};
use crate::{Error, ModuleKey};

/// The only type of key material.
const TYPE: &str = "PKMT1";
/// Bytes of key encryption keys and of their identifiers, as Arrow makes them.
const KEK: usize = 16;

/// A key service.
pub trait Kms {
    /// Returns a key, wrapped under a master key, as text.
    ///
    /// # Errors
    /// A sentence.
    fn wrap_key(&self, key: &[u8], master_key_id: &str) -> Result<String, String>;

    /// Returns a key that was wrapped under a master key.
    ///
    /// # Errors
    /// A sentence.
    fn unwrap_key(&self, wrapped: &str, master_key_id: &str) -> Result<Zeroizing<Vec<u8>>, String>;
}

impl<K: Kms + ?Sized> Kms for &K {
    fn wrap_key(&self, key: &[u8], master_key_id: &str) -> Result<String, String> {
        (**self).wrap_key(key, master_key_id)
    }

    fn unwrap_key(&self, wrapped: &str, master_key_id: &str) -> Result<Zeroizing<Vec<u8>>, String> {
        (**self).unwrap_key(wrapped, master_key_id)
    }
}

/// The reason why key metadata cannot be parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadMaterial(&'static str);

impl fmt::Display for BadMaterial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the key metadata is not that of key tools: {}", self.0)
    }
}

impl std::error::Error for BadMaterial {}

/// A data key, wrapped once or twice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wrapped {
    /// By the service: its text.
    Single(String),
    /// Under a key encryption key.
    Double {
        /// The identifier of the key encryption key.
        kek_id: Vec<u8>,
        /// The text of the service for that key.
        wrapped_kek: String,
        /// Nonce, ciphertext and tag.
        wrapped_dek: Vec<u8>,
    },
}

/// The material of a key.
///
/// ```
/// use abreast_parquet::key_material::{KeyMaterial, Wrapped};
///
/// let json = br#"{"keyMaterialType":"PKMT1","isFooterKey":false,"masterKeyID":"master","wrappedDEK":"a text","doubleWrapping":false}"#;
/// let material = KeyMaterial::parse(json)?;
/// assert_eq!(material.wrapped, Wrapped::Single("a text".to_owned()));
/// # Ok::<(), abreast_parquet::key_material::BadMaterial>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyMaterial {
    /// The identifier and the address of the key service, in material of footers.
    pub kms_instance: Option<(String, String)>,
    /// The identifier of the master key.
    pub master_key_id: String,
    /// The data key.
    pub wrapped: Wrapped,
}

/// The metadata of a key.
///
/// ```
/// use abreast_parquet::key_material::KeyMetadata;
///
/// let json = br#"{"keyMaterialType":"PKMT1","internalStorage":false,"keyReference":"footerKey"}"#;
/// let metadata = KeyMetadata::parse(json)?;
/// assert_eq!(metadata, KeyMetadata::Reference("footerKey".to_owned()));
/// assert_eq!(KeyMetadata::parse(metadata.to_json().as_bytes())?, metadata);
/// # Ok::<(), abreast_parquet::key_material::BadMaterial>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyMetadata {
    /// The material itself.
    Internal(KeyMaterial),
    /// The name of the material in the file beside the data.
    Reference(String),
}

struct Fields(Vec<(String, Value)>);

impl Fields {
    fn parse(bytes: &[u8]) -> Result<Self, BadMaterial> {
        let text = str::from_utf8(bytes).ok();
        let fields = Self(text.and_then(json::parse).ok_or(BadMaterial("it is no flat object of JSON"))?);
        match fields.text("keyMaterialType", "it has no keyMaterialType") {
            Ok(TYPE) => Ok(fields),
            Ok(_) => Err(BadMaterial("its keyMaterialType is not PKMT1")),
            Err(error) => Err(error),
        }
    }

    fn get(&self, name: &str) -> Option<&Value> {
        self.0.iter().find(|(field, _)| field == name).map(|(_, value)| value)
    }

    fn text(&self, name: &str, missing: &'static str) -> Result<&str, BadMaterial> {
        match self.get(name) {
            Some(Value::Text(text)) => Ok(text),
            _ => Err(BadMaterial(missing)),
        }
    }

    fn bool(&self, name: &str) -> Option<bool> {
        match self.get(name) {
            Some(Value::Bool(value)) => Some(*value),
            _ => None,
        }
    }

    fn base64(&self, name: &str, missing: &'static str) -> Result<Vec<u8>, BadMaterial> {
        BASE64.decode(self.text(name, missing)?.as_bytes()).map_err(|_| BadMaterial(missing))
    }

    fn material(&self) -> Result<KeyMaterial, BadMaterial> {
        let kms_instance = match (self.get("kmsInstanceID"), self.get("kmsInstanceURL")) {
            (Some(Value::Text(id)), Some(Value::Text(url))) => Some((id.clone(), url.clone())),
            _ => None,
        };
        let wrapped = match self.bool("doubleWrapping") {
            Some(true) => Wrapped::Double {
                kek_id: self.base64("keyEncryptionKeyID", "it has no base64 text keyEncryptionKeyID")?,
                wrapped_kek: self.text("wrappedKEK", "it has no text wrappedKEK")?.to_owned(),
                wrapped_dek: self.base64("wrappedDEK", "it has no base64 text wrappedDEK")?,
            },
            Some(false) => Wrapped::Single(self.text("wrappedDEK", "it has no text wrappedDEK")?.to_owned()),
            None => return Err(BadMaterial("it does not say doubleWrapping")),
        };
        let master_key_id = self.text("masterKeyID", "it has no text masterKeyID")?.to_owned();
        Ok(KeyMaterial { kms_instance, master_key_id, wrapped })
    }
}

impl KeyMaterial {
    /// Parses material as it is stored in the file beside the data.
    ///
    /// # Errors
    /// [`BadMaterial`].
    pub fn parse(json: &[u8]) -> Result<Self, BadMaterial> {
        Fields::parse(json)?.material()
    }

    /// Returns the JSON: with `internal`, as key metadata, and otherwise as material for the file beside the data.
    #[must_use]
    pub fn to_json(&self, internal: bool) -> String {
        let text = |text: &str| Value::Text(text.to_owned());
        let mut fields = vec![("keyMaterialType", text(TYPE))];
        if internal {
            fields.push(("internalStorage", Value::Bool(true)));
        }
        fields.push(("isFooterKey", Value::Bool(self.kms_instance.is_some())));
        if let Some((id, url)) = &self.kms_instance {
            fields.extend([("kmsInstanceID", text(id)), ("kmsInstanceURL", text(url))]);
        }
        fields.push(("masterKeyID", text(&self.master_key_id)));
        match &self.wrapped {
            Wrapped::Single(wrapped) => {
                fields.extend([("wrappedDEK", text(wrapped)), ("doubleWrapping", Value::Bool(false))]);
            }
            Wrapped::Double { kek_id, wrapped_kek, wrapped_dek } => fields.extend([
                ("wrappedDEK", Value::Text(BASE64.encode(wrapped_dek))),
                ("doubleWrapping", Value::Bool(true)),
                ("keyEncryptionKeyID", Value::Text(BASE64.encode(kek_id))),
                ("wrappedKEK", text(wrapped_kek)),
            ]),
        }
        json::write(fields)
    }
}

impl KeyMetadata {
    /// Parses the metadata of a key.
    ///
    /// # Errors
    /// [`BadMaterial`].
    pub fn parse(json: &[u8]) -> Result<Self, BadMaterial> {
        let fields = Fields::parse(json)?;
        match fields.bool("internalStorage") {
            Some(true) => fields.material().map(Self::Internal),
            Some(false) => {
                Ok(Self::Reference(fields.text("keyReference", "it has no text keyReference")?.to_owned()))
            }
            None => Err(BadMaterial("it does not say internalStorage")),
        }
    }

    /// Returns the JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        match self {
            Self::Internal(material) => material.to_json(true),
            Self::Reference(name) => json::write([
                ("keyMaterialType", Value::Text(TYPE.to_owned())),
                ("internalStorage", Value::Bool(false)),
                ("keyReference", Value::Text(name.clone())),
            ]),
        }
    }
}

/// Material by reference: the contents of the file beside the data.
///
/// ```
/// use abreast_parquet::key_material::{ExternalMaterial, KeyMaterial, Wrapped};
///
/// let wrapped = Wrapped::Single("text of the service".to_owned());
/// let material = KeyMaterial { kms_instance: None, master_key_id: "master".to_owned(), wrapped };
/// let mut external = ExternalMaterial::default();
/// external.insert("columnKey0", material.clone());
/// let read = ExternalMaterial::parse(external.to_json().as_bytes())?;
/// assert_eq!(read.get("columnKey0"), Some(&material));
/// # Ok::<(), abreast_parquet::key_material::BadMaterial>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExternalMaterial {
    entries: Vec<(String, KeyMaterial)>,
}

impl ExternalMaterial {
    /// Parses the contents of the file.
    ///
    /// # Errors
    /// [`BadMaterial`].
    pub fn parse(json: &[u8]) -> Result<Self, BadMaterial> {
        let text = str::from_utf8(json).ok();
        let fields = text.and_then(json::parse).ok_or(BadMaterial("the file is no flat object of JSON"))?;
        let entry = |(name, value)| match value {
            Value::Text(material) => Ok((name, KeyMaterial::parse(material.as_bytes())?)),
            _ => Err(BadMaterial("a reference has no text")),
        };
        Ok(Self { entries: fields.into_iter().map(entry).collect::<Result<_, _>>()? })
    }

    /// Returns the contents of the file.
    #[must_use]
    pub fn to_json(&self) -> String {
        let entry = |(name, material): &'_ (String, KeyMaterial)| (name.clone(), material.to_json(false));
        let entries: Vec<_> = self.entries.iter().map(entry).collect();
        json::write(entries.iter().map(|(name, text)| (name.as_str(), Value::Text(text.clone()))))
    }

    /// Returns the material of a reference.
    #[must_use]
    pub fn get(&self, reference: &str) -> Option<&KeyMaterial> {
        self.entries.iter().find(|(name, _)| name == reference).map(|(_, material)| material)
    }

    /// Adds the material of a reference, in the place of any that it has.
    pub fn insert(&mut self, reference: &str, material: KeyMaterial) {
        self.entries.retain(|(name, _)| name != reference);
        self.entries.push((reference.to_owned(), material));
    }
}

/// A key encryption key with its identifier and the text of the service.
struct Kek {
    key: ModuleKey,
    id: Vec<u8>,
    wrapped: String,
}

/// The key tools: keys of files by a key service.
///
/// Key encryption keys are kept, so that the service is asked once for each. A [`KeySource`] to read by.
///
/// ```
/// use abreast_parquet::key_material::{KeyMetadata, KeyTools, Kms};
/// use abreast_parquet::{Access, Policy, decrypt, encrypt};
/// use std::io::Cursor;
/// use zeroize::Zeroizing;
///
/// /// A service for tests: it wraps nothing.
/// struct Clear;
/// impl Kms for Clear {
///     fn wrap_key(&self, key: &[u8], _: &str) -> Result<String, String> {
///         Ok(key.iter().map(|byte| format!("{byte:02x}")).collect())
///     }
///     fn unwrap_key(&self, wrapped: &str, _: &str) -> Result<Zeroizing<Vec<u8>>, String> {
///         let byte = |at| u8::from_str_radix(&wrapped[at..at + 2], 16).map_err(|error| error.to_string());
///         (0..wrapped.len()).step_by(2).map(byte).collect::<Result<_, _>>().map(Zeroizing::new)
///     }
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let plain = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/plain.parquet"));
/// let tools = KeyTools::new(Clear, None);
/// let (key, material) = tools.generate(16, "master", true, Some(("instance", "url")))?;
/// let metadata = KeyMetadata::Internal(material).to_json();
/// let mut file = Vec::new();
/// let policy = Policy::new(&key)?.footer_key_metadata(metadata.as_bytes());
/// encrypt(&mut Cursor::new(plain), &mut file, &policy)?;
///
/// // The tools find the key by its metadata.
/// decrypt(&mut Cursor::new(&file), &mut Vec::new(), Access::new(&tools))?;
/// assert_eq!(tools.data_key(metadata.as_bytes())?, key);
/// # Ok(())
/// # }
/// ```
pub struct KeyTools<K> {
    kms: K,
    external: Option<ExternalMaterial>,
    /// For reading, by the text of the service and the master key.
    opened: Mutex<HashMap<(String, String), Arc<ModuleKey>>>,
    /// For writing, by the master key.
    made: Mutex<HashMap<String, Arc<Kek>>>,
}

impl<K> fmt::Debug for KeyTools<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyTools").finish_non_exhaustive()
    }
}

impl<K: Kms> KeyTools<K> {
    /// Returns the tools over a service. `external` is the material of a file whose metadata has references.
    #[must_use]
    pub fn new(kms: K, external: Option<ExternalMaterial>) -> Self {
        Self { kms, external, opened: Mutex::default(), made: Mutex::default() }
    }

    /// Returns the data key of material, of which [`data_key`](Self::data_key) takes the JSON.
    ///
    /// # Errors
    /// The sentence of the service, or one about the material.
    pub fn unwrap(&self, material: &KeyMaterial) -> Result<Zeroizing<Vec<u8>>, String> {
        let KeyMaterial { master_key_id, wrapped, .. } = material;
        let (kek_id, wrapped_kek, wrapped_dek) = match wrapped {
            Wrapped::Single(wrapped) => return self.kms.unwrap_key(wrapped, master_key_id),
            Wrapped::Double { kek_id, wrapped_kek, wrapped_dek } => (kek_id, wrapped_kek, wrapped_dek),
        };
        let entry = (wrapped_kek.clone(), master_key_id.clone());
        let kept = self.opened.lock().unwrap_or_else(PoisonError::into_inner).get(&entry).cloned();
        let kek = match kept {
            Some(kek) => kek,
            None => {
                let kek = self.kms.unwrap_key(wrapped_kek, master_key_id)?;
                let kek = Arc::new(ModuleKey::new(&kek).map_err(|error| error.to_string())?);
                self.opened.lock().unwrap_or_else(PoisonError::into_inner).insert(entry, kek.clone());
                kek
            }
        };
        let parts = wrapped_dek.split_first_chunk::<NONCE>().zip(wrapped_dek.last_chunk::<TAG>());
        let parts = parts.filter(|_| wrapped_dek.len() >= NONCE + TAG);
        let ((nonce, rest), tag) = parts.ok_or("the wrapped data key is shorter than a nonce and a tag")?;
        let mut key = Zeroizing::new(rest[..rest.len() - TAG].to_vec());
        let opened = kek.gcm().decrypt_detached(nonce, kek_id, key.as_mut_slice(), tag);
        opened.map_err(|_| "the wrapped data key is not authentic")?;
        Ok(key)
    }

    /// Makes a new data key of `len` bytes, and its material under a master key.
    ///
    /// # Errors
    /// The sentence of the service, or that there are no random bytes or no such keys.
    pub fn generate(
        &self,
        len: usize,
        master_key_id: &str,
        double_wrapping: bool,
        kms_instance: Option<(&str, &str)>,
    ) -> Result<(Zeroizing<Vec<u8>>, KeyMaterial), String> {
        let mut key = Zeroizing::new(vec![0; len]);
        fill(&mut key)?;
        let material = self.wrap(&key, master_key_id, double_wrapping, kms_instance)?;
        Ok((key, material))
    }

    /// Returns the material of a data key under a master key.
    ///
    /// # Errors
    /// The sentence of the service, or that there are no random bytes.
    pub fn wrap(
        &self,
        key: &[u8],
        master_key_id: &str,
        double_wrapping: bool,
        kms_instance: Option<(&str, &str)>,
    ) -> Result<KeyMaterial, String> {
        let wrapped = if double_wrapping {
            let kek = self.kek(master_key_id)?;
            let mut wrapped_dek = vec![0; NONCE + key.len() + TAG];
            fill(&mut wrapped_dek[..NONCE])?;
            wrapped_dek[NONCE..][..key.len()].copy_from_slice(key);
            let (nonce, rest) = wrapped_dek.split_at_mut(NONCE);
            let (text, tag) = rest.split_last_chunk_mut().ok_or("no room for a tag")?;
            let sealed = kek.key.gcm().encrypt_detached(nonce, &kek.id, text, tag);
            sealed.map_err(|error| error.to_string())?;
            Wrapped::Double { kek_id: kek.id.clone(), wrapped_kek: kek.wrapped.clone(), wrapped_dek }
        } else {
            Wrapped::Single(self.kms.wrap_key(key, master_key_id)?)
        };
        let kms_instance = kms_instance.map(|(id, url)| (id.to_owned(), url.to_owned()));
        Ok(KeyMaterial { kms_instance, master_key_id: master_key_id.to_owned(), wrapped })
    }

    fn kek(&self, master_key_id: &str) -> Result<Arc<Kek>, String> {
        let kept = || self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kek) = kept().get(master_key_id).cloned() {
            return Ok(kek);
        }
        let mut key = Zeroizing::new([0; KEK]);
        let mut id = vec![0; KEK];
        fill(&mut key[..])?;
        fill(&mut id)?;
        // No lock is held while the service is asked, which may wait for another thread that asks here.
        let wrapped = self.kms.wrap_key(&key[..], master_key_id)?;
        let key = ModuleKey::new(&key[..]).map_err(|error| error.to_string())?;
        Ok(kept()
            .entry(master_key_id.to_owned())
            .or_insert_with(|| Arc::new(Kek { key, id, wrapped }))
            .clone())
    }

    /// Returns the data key of the metadata of a key.
    ///
    /// # Errors
    /// The sentence of the service, or one about the metadata.
    pub fn data_key(&self, metadata: &[u8]) -> Result<Zeroizing<Vec<u8>>, String> {
        self.unwrap(&self.material(metadata)?)
    }

    /// Returns the key material of the metadata of a key, which holds it or names it in the file beside the data.
    ///
    /// # Errors
    /// A sentence about the metadata.
    pub fn material(&self, metadata: &[u8]) -> Result<KeyMaterial, String> {
        match KeyMetadata::parse(metadata).map_err(|error| error.to_string())? {
            KeyMetadata::Internal(material) => Ok(material),
            KeyMetadata::Reference(name) => {
                let found = self.external.as_ref().and_then(|external| external.get(&name)).cloned();
                found.ok_or_else(|| {
                    format!(
                        "the key material {name:?} is in another file, _KEY_MATERIAL_FOR_ and the name of this one, which was not given"
                    )
                })
            }
        }
    }

    fn key(&self, owner: &Owner, metadata: Option<&[u8]>) -> Result<Option<Arc<ModuleKey>>, Error> {
        let Some(metadata) = metadata else { return Ok(None) };
        let key = self.data_key(metadata).map_err(|reason| Error::Key { owner: owner.clone(), reason })?;
        ModuleKey::new(&key).map(Arc::new).map(Some)
    }
}

fn fill(bytes: &mut [u8]) -> Result<(), String> {
    getrandom::fill(bytes).map_err(|error| Error::random(error).to_string())
}

impl<K: Kms> KeySource for KeyTools<K> {
    fn footer_key(&self, metadata: Option<&[u8]>) -> Result<Option<Arc<ModuleKey>>, Error> {
        self.key(&Owner::Footer, metadata)
    }

    fn column_key(
        &self,
        owner: &Owner,
        _path: &str,
        metadata: Option<&[u8]>,
    ) -> Result<Option<Arc<ModuleKey>>, Error> {
        self.key(owner, metadata)
    }
}
