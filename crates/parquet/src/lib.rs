//! Parquet modular encryption over the batches of [`abreast`].
//!
//! A file of Parquet is encrypted in modules: each page, each header of a page, each index and Bloom filter, the metadata of
//! columns, and the footer. Pages have 10 to 160 KB as a rule, and their headers, which are half of all modules, less than 100
//! bytes. The modules of a column chunk become one batch here, short ones beside long ones.
//!
//! * [`encrypt()`] and [`decrypt()`] copy whole files, [`rewrap()`] changes the metadata of keys, and [`inspect()`] tells what everybody
//!   can see of a file.
//! * [`read_footer`] and [`FileContext::open_chunk`] are for engines that read files themselves: a column chunk is opened in memory. The
//!   borders of its modules need no key, so nothing has to be parsed before.
//! * [`FileContext::open`] and [`FileContext::seal`] take any modules of a file, each with a key of its own.
//! * `key_material` has the metadata of keys as PyArrow and parquet-java write it (feature `key-tools`).
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use abreast_parquet::{Access, Keys, Policy, decrypt, encrypt};
//! use std::io::Cursor;
//!
//! # let plain = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/plain.parquet"));
//! let policy = Policy::new(b"the footer's key")?.column("name", b"a column's key..", None)?;
//! let mut encrypted = Vec::new();
//! encrypt(&mut Cursor::new(plain), &mut encrypted, &policy)?;
//!
//! let keys = Keys::new().footer(b"the footer's key")?.column("name", b"a column's key..")?;
//! let mut decrypted = Vec::new();
//! decrypt(&mut Cursor::new(&encrypted), &mut decrypted, Access::new(&keys))?;
//! # Ok(())
//! # }
//! ```
//!
//! # The format
//!
//! `AES_GCM_V1` and `AES_GCM_CTR_V1`, keys of 128, 192 and 256 bits, footers that are encrypted or in clear and signed, AAD prefixes
//! that are stored or given by the reader. Nothing that belongs to an encrypted column is written in clear, Bloom filters and
//! indexes included; a footer in clear has no statistics of encrypted columns. Fields of structs that are not known here go
//! through unchanged.
//!
//! In `AES_GCM_CTR_V1` pages are not authenticated: who changes them is not found out.
//!
//! Source: Parquet Modular Encryption (`Encryption.md` and `parquet.thrift` of apache/parquet-format).

#![forbid(unsafe_code)]

mod batch;
mod chunk;
mod crc;
mod error;
mod file;
mod footer;
#[cfg(feature = "key-tools")]
mod json;
#[cfg(feature = "key-tools")]
pub mod key_material;
mod keys;
mod module;
mod pages;
mod policy;
mod rewrap;
mod source;
mod target;
mod thrift;

pub use batch::{FileContext, Job, ModuleKey};
pub use chunk::{ChunkPlace, Page};
pub use error::{Error, Owner, Place};
pub use file::{decrypt, encrypt, inspect};
pub use footer::Encryption;
pub use keys::{KeySource, Keys};
pub use module::{Algorithm, Fault, LENGTH, MAX_ORDINAL, MAX_PREFIX, Module, ModuleKind, NONCE, TAG};
pub use policy::Policy;
pub use rewrap::{Rewrap, rewrap};
pub use source::{Access, Chunk, Footer, Report, read_footer};
