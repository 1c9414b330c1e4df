//! The policy by which a file is encrypted.

use std::collections::BTreeMap;

use crate::Error;
use crate::batch::{FileContext, ModuleKey};
use crate::footer::Encryption;
use crate::keys::of_path;
use crate::module::{Algorithm, FILE_UNIQUE, MAX_PREFIX};

/// A key, and the metadata that readers find it by.
struct PolicyKey {
    key: ModuleKey,
    metadata: Option<Vec<u8>>,
}

/// A policy: keys, algorithm, footer and AAD prefix.
///
/// Without keys of columns, the key of the footer encrypts all columns. With them, columns that have none are left in clear, as
/// the other writers leave them.
///
/// ```
/// use abreast_parquet::{Algorithm, Policy};
///
/// let policy = Policy::new(&[1; 16])?
///     .column("patient.name", &[2; 16], Some(b"the id of that key"))?
///     .algorithm(Algorithm::AesGcmCtrV1)
///     .aad_prefix(b"table 7, file 3", true)?
///     .plaintext_footer(true);
/// # Ok::<(), abreast_parquet::Error>(())
/// ```
pub struct Policy {
    algorithm: Algorithm,
    footer: PolicyKey,
    columns: BTreeMap<String, PolicyKey>,
    plaintext_footer: bool,
    aad_prefix: Vec<u8>,
    store_aad_prefix: bool,
}

/// The key of a column under a policy.
#[derive(Clone, Copy)]
pub(crate) enum ColumnKey<'p> {
    /// The key of the footer.
    Footer(&'p ModuleKey),
    /// A key of its own, with metadata.
    Own(&'p ModuleKey, Option<&'p [u8]>),
}

impl<'p> ColumnKey<'p> {
    pub(crate) fn key(self) -> &'p ModuleKey {
        match self {
            Self::Footer(key) | Self::Own(key, _) => key,
        }
    }
}

impl Policy {
    /// Returns the policy of a footer key: `AES_GCM_V1`, with an encrypted footer and no AAD prefix.
    ///
    /// # Errors
    /// [`Error::KeyLength`].
    pub fn new(footer_key: &[u8]) -> Result<Self, Error> {
        Ok(Self {
            algorithm: Algorithm::AesGcmV1,
            footer: PolicyKey { key: ModuleKey::new(footer_key)?, metadata: None },
            columns: BTreeMap::new(),
            plaintext_footer: false,
            aad_prefix: Vec::new(),
            store_aad_prefix: true,
        })
    }

    /// Sets the metadata by which readers find the key of the footer.
    #[must_use]
    pub fn footer_key_metadata(mut self, metadata: &[u8]) -> Self {
        self.footer.metadata = Some(metadata.to_vec());
        self
    }

    /// Gives a column a key of its own, by its path joined by dots; or all columns below that path. Metadata is what readers find
    /// the key by.
    ///
    /// # Errors
    /// [`Error::KeyLength`].
    pub fn column(mut self, path: &str, key: &[u8], metadata: Option<&[u8]>) -> Result<Self, Error> {
        let key = PolicyKey { key: ModuleKey::new(key)?, metadata: metadata.map(<[u8]>::to_vec) };
        self.columns.insert(path.to_owned(), key);
        Ok(self)
    }

    /// Sets the algorithm.
    #[must_use]
    pub fn algorithm(mut self, algorithm: Algorithm) -> Self {
        self.algorithm = algorithm;
        self
    }

    /// Leaves the footer in clear, signed, so that readers without keys can read the columns that are in clear. It tells
    /// everybody the schema, the number of rows and the sizes of all columns, and no statistics of encrypted columns.
    #[must_use]
    pub fn plaintext_footer(mut self, plaintext: bool) -> Self {
        self.plaintext_footer = plaintext;
        self
    }

    /// Sets the AAD prefix, by which files differ that were exchanged for each other. One that is not stored has to be given by
    /// readers.
    ///
    /// # Errors
    /// [`Error::PrefixLength`] if it has more than [`MAX_PREFIX`] bytes.
    pub fn aad_prefix(mut self, prefix: &[u8], store: bool) -> Result<Self, Error> {
        if prefix.len() > MAX_PREFIX {
            return Err(Error::PrefixLength(prefix.len()));
        }
        self.aad_prefix = prefix.to_vec();
        self.store_aad_prefix = store;
        Ok(self)
    }

    /// Returns the encryption of a new file, and its context.
    pub(crate) fn begin(&self) -> Result<(Encryption, FileContext), Error> {
        let mut unique = [0; FILE_UNIQUE];
        getrandom::fill(&mut unique).map_err(Error::random)?;
        let has_prefix = !self.aad_prefix.is_empty();
        let encryption = Encryption {
            algorithm: self.algorithm,
            encrypted_footer: !self.plaintext_footer,
            aad_prefix: (has_prefix && self.store_aad_prefix).then(|| self.aad_prefix.clone()),
            aad_file_unique: unique.to_vec(),
            supply_aad_prefix: has_prefix && !self.store_aad_prefix,
            footer_key_metadata: self.footer.metadata.clone(),
        };
        Ok((encryption, FileContext::new(self.algorithm, &self.aad_prefix, &unique)))
    }

    pub(crate) fn footer_key(&self) -> &ModuleKey {
        &self.footer.key
    }

    /// Returns the key of a column, or `None` for one in clear.
    pub(crate) fn column_key(&self, path: &str) -> Option<ColumnKey<'_>> {
        if self.columns.is_empty() {
            return Some(ColumnKey::Footer(&self.footer.key));
        }
        let PolicyKey { key, metadata } = of_path(path, |path| self.columns.get(path))?;
        Some(ColumnKey::Own(key, metadata.as_deref()))
    }

    pub(crate) fn has_columns(&self) -> bool {
        !self.columns.is_empty()
    }

    /// Refuses keys for columns that there are not.
    pub(crate) fn check_columns(&self, paths: &[String]) -> Result<(), Error> {
        let used = |named: &str| {
            let below = |path: &String| {
                path.strip_prefix(named).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            };
            paths.iter().any(below)
        };
        match self.columns.keys().find(|named| !used(named)) {
            Some(named) => Err(Error::NoSuchColumn(named.clone())),
            None => Ok(()),
        }
    }
}

impl std::fmt::Debug for Policy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Policy").field("algorithm", &self.algorithm).finish_non_exhaustive()
    }
}
