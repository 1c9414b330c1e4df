//! Files that save time: compiled kernels and measured constants, in a folder that the caller names.
//!
//! A read returns the bytes that were written, or nothing: a file begins with the SHA-256 of the rest and of its name, and one
//! that does not match counts as absent. A file is written under a temporary name and renamed, so that a reader at the same
//! time sees the old one or the new one. Anyone who may write to the folder can make the device run any code, as with all files
//! of a user; the folder is made for its owner alone.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

/// A folder of such files, or none.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cache(Option<PathBuf>);

/// Bytes of a checksum.
const CHECKSUM: usize = 32;

impl Cache {
    /// Makes a cache in a folder, which is made when something is put there.
    pub(crate) fn in_folder(folder: Option<&Path>) -> Self {
        // An empty name would be the folder that the process happens to be in.
        Self(folder.filter(|folder| !folder.as_os_str().is_empty()).map(Path::to_owned))
    }

    /// Returns the contents kept under a name, if they are there and undamaged.
    pub(crate) fn get(&self, name: &Name) -> Option<Vec<u8>> {
        let mut bytes = fs::read(self.path(name)?).ok()?;
        let checksum = bytes.get(..CHECKSUM)?;
        if checksum != name.checksum(&bytes[CHECKSUM..]) {
            return None;
        }
        bytes.drain(..CHECKSUM);
        Some(bytes)
    }

    /// Keeps something under a name. Where that is not possible, the next process has to do without.
    pub(crate) fn put(&self, name: &Name, bytes: &[u8]) {
        let _ = self.try_put(name, bytes);
    }

    fn try_put(&self, name: &Name, bytes: &[u8]) -> Option<()> {
        let (folder, path) = (self.0.as_ref()?, self.path(name)?);
        make_private(folder).ok()?;
        let mut file = tempfile::NamedTempFile::new_in(folder).ok()?;
        file.write_all(&name.checksum(bytes)).ok()?;
        file.write_all(bytes).ok()?;
        file.as_file().sync_all().ok()?;
        file.persist(path).ok()?;
        Some(())
    }

    fn path(&self, name: &Name) -> Option<PathBuf> {
        Some(self.0.as_ref()?.join(&name.0))
    }
}

/// Makes a folder, and those above it, for its owner alone.
pub(crate) fn make_private(folder: &Path) -> std::io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// The name of a file: its kind, and the hash of all that it depends on.
pub(crate) struct Name(String);

impl Name {
    /// Returns the name of a file of the kind `what`, made from `parts`.
    pub(crate) fn of(what: &str, parts: &[&str]) -> Self {
        let mut hash = Sha256::new();
        for part in [env!("CARGO_PKG_VERSION")].iter().chain(parts) {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        let hex: String = hash.finalize()[..16].iter().map(|byte| format!("{byte:02x}")).collect();
        Self(format!("{what}-{hex}"))
    }

    fn checksum(&self, bytes: &[u8]) -> [u8; CHECKSUM] {
        let mut hash = Sha256::new();
        hash.update((self.0.len() as u64).to_le_bytes());
        hash.update(&self.0);
        hash.update(bytes);
        hash.finalize().into()
    }
}
