//! Keys to read files by.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use crate::error::Owner;
use crate::{Error, ModuleKey};

/// A source of keys: a table such as [`Keys`], or a service.
///
/// The metadata of a key is what the writer stored beside it, if anything; a path is that of a column, joined by dots.
///
/// ```
/// use abreast_parquet::{Error, KeySource, ModuleKey, Owner};
/// use std::sync::Arc;
///
/// /// One key for all that is encrypted.
/// struct OneKey(Arc<ModuleKey>);
/// impl KeySource for OneKey {
///     fn footer_key(&self, _: Option<&[u8]>) -> Result<Option<Arc<ModuleKey>>, Error> {
///         Ok(Some(self.0.clone()))
///     }
///     fn column_key(&self, _: &Owner, _: &str, _: Option<&[u8]>) -> Result<Option<Arc<ModuleKey>>, Error> {
///         Ok(Some(self.0.clone()))
///     }
/// }
/// let keys = OneKey(Arc::new(ModuleKey::new(&[7; 32])?));
/// assert!(keys.footer_key(None)?.is_some());
/// # Ok::<(), Error>(())
/// ```
pub trait KeySource {
    /// Returns the key of the footer, or `None` if there is none.
    ///
    /// # Errors
    /// [`Error::KeyLength`], or [`Error::Key`] with the reason.
    fn footer_key(&self, metadata: Option<&[u8]>) -> Result<Option<Arc<ModuleKey>>, Error>;

    /// Returns the key of a column, or `None` if there is none. It is asked for once a column.
    ///
    /// # Errors
    /// [`Error::KeyLength`], or [`Error::Key`] with the reason.
    fn column_key(
        &self,
        owner: &Owner,
        path: &str,
        metadata: Option<&[u8]>,
    ) -> Result<Option<Arc<ModuleKey>>, Error>;
}

/// Keys by column, by metadata, and of the footer.
///
/// ```
/// use abreast_parquet::{Access, Keys};
///
/// let keys = Keys::new()
///     .footer(b"the footer's key")?
///     .column("user.name", b"a column's key..")?
///     .metadata(b"key 7", &[7; 16])?;
/// let access = Access::new(&keys);
/// # assert!(access.aad_prefix.is_none());
/// # Ok::<(), abreast_parquet::Error>(())
/// ```
#[derive(Default)]
pub struct Keys {
    footer: Option<Arc<ModuleKey>>,
    columns: HashMap<String, Arc<ModuleKey>>,
    by_metadata: HashMap<Vec<u8>, Arc<ModuleKey>>,
}

impl Keys {
    /// Returns a table without keys.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the key of the footer, and of columns that have none of their own.
    ///
    /// # Errors
    /// [`Error::KeyLength`].
    pub fn footer(mut self, key: &[u8]) -> Result<Self, Error> {
        self.footer = Some(Arc::new(ModuleKey::new(key)?));
        Ok(self)
    }

    /// Adds the key of a column, by its path joined by dots, or of all columns below that path.
    ///
    /// # Errors
    /// [`Error::KeyLength`].
    pub fn column(mut self, path: &str, key: &[u8]) -> Result<Self, Error> {
        self.columns.insert(path.to_owned(), Arc::new(ModuleKey::new(key)?));
        Ok(self)
    }

    /// Adds a key by the metadata that the file stores for it.
    ///
    /// # Errors
    /// [`Error::KeyLength`].
    pub fn metadata(mut self, metadata: &[u8], key: &[u8]) -> Result<Self, Error> {
        self.by_metadata.insert(metadata.to_vec(), Arc::new(ModuleKey::new(key)?));
        Ok(self)
    }
}

impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keys").field("columns", &self.columns.keys()).finish_non_exhaustive()
    }
}

/// Returns the entry of a path or of the longest path above it.
pub(crate) fn of_path<'t, T>(path: &str, get: impl Fn(&str) -> Option<&'t T>) -> Option<&'t T> {
    let ends = std::iter::once(path.len()).chain(path.rmatch_indices('.').map(|(at, _)| at));
    ends.map(|end| &path[..end]).find_map(get)
}

impl KeySource for Keys {
    fn footer_key(&self, metadata: Option<&[u8]>) -> Result<Option<Arc<ModuleKey>>, Error> {
        let found = metadata.and_then(|metadata| self.by_metadata.get(metadata));
        Ok(self.footer.as_ref().or(found).cloned())
    }

    fn column_key(
        &self,
        _owner: &Owner,
        path: &str,
        metadata: Option<&[u8]>,
    ) -> Result<Option<Arc<ModuleKey>>, Error> {
        let named = of_path(path, |path| self.columns.get(path));
        Ok(named.or_else(|| metadata.and_then(|metadata| self.by_metadata.get(metadata))).cloned())
    }
}
