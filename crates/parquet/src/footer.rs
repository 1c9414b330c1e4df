//! Footers: how the metadata of a file is stored, encrypted or signed.
//!
//! ```text
//! PARE .. FileCryptoMetaData | module of FileMetaData | length of both u32 LE | PARE      an encrypted footer
//! PAR1 .. FileMetaData | nonce 12 | tag 16 | length of all three u32 LE | PAR1            a signed footer in clear
//! PAR1 .. FileMetaData | length u32 LE | PAR1                                             a file in clear
//! ```
//!
//! Source: Parquet Modular Encryption, section 5.

use std::io::{Read, Seek, SeekFrom};
use std::sync::Arc;

use crate::batch::{FileContext, Job, ModuleKey};
use crate::chunk::error_of;
use crate::error::Owner;
use crate::keys::KeySource;
use crate::module::{Algorithm, LENGTH, MAX_PREFIX, Module, NONCE, TAG};
use crate::thrift::Struct;
use crate::{Error, Fault};

/// The mark of files that readers without keys can read, in part at least.
pub(crate) const MARK: [u8; 4] = *b"PAR1";
/// The mark of files with an encrypted footer.
pub(crate) const ENCRYPTED_MARK: [u8; 4] = *b"PARE";
/// Bytes of a mark and of the length of the footer in front of it.
const TAIL: u64 = 8;
/// Bytes of the signature of a footer in clear.
pub(crate) const SIGNATURE: usize = NONCE + TAG;

/// The fields of structs that are read or changed.
pub(crate) mod field {
    /// FileMetaData.
    pub(crate) mod file {
        pub(crate) const SCHEMA: i16 = 2;
        pub(crate) const ROW_GROUPS: i16 = 4;
        pub(crate) const ENCRYPTION_ALGORITHM: i16 = 8;
        pub(crate) const SIGNING_KEY_METADATA: i16 = 9;
    }
    /// SchemaElement.
    pub(crate) mod schema {
        pub(crate) const NAME: i16 = 4;
        pub(crate) const CHILDREN: i16 = 5;
    }
    /// RowGroup.
    pub(crate) mod row_group {
        pub(crate) const COLUMNS: i16 = 1;
        pub(crate) const TOTAL_BYTE_SIZE: i16 = 2;
        pub(crate) const FILE_OFFSET: i16 = 5;
        pub(crate) const TOTAL_COMPRESSED_SIZE: i16 = 6;
        pub(crate) const ORDINAL: i16 = 7;
    }
    /// ColumnChunk.
    pub(crate) mod chunk {
        pub(crate) const FILE_PATH: i16 = 1;
        pub(crate) const FILE_OFFSET: i16 = 2;
        pub(crate) const META_DATA: i16 = 3;
        /// The offset of the offset index. Its length is the next field.
        pub(crate) const OFFSET_INDEX: i16 = 4;
        /// The offset of the column index. Its length is the next field.
        pub(crate) const COLUMN_INDEX: i16 = 6;
        pub(crate) const CRYPTO_METADATA: i16 = 8;
        pub(crate) const ENCRYPTED_METADATA: i16 = 9;
    }
    /// ColumnCryptoMetaData, and the struct of its second field.
    pub(crate) mod column_crypto {
        pub(crate) const FOOTER_KEY: i16 = 1;
        pub(crate) const COLUMN_KEY: i16 = 2;
        pub(crate) const PATH: i16 = 1;
        pub(crate) const KEY_METADATA: i16 = 2;
    }
    /// ColumnMetaData.
    pub(crate) mod column {
        pub(crate) const PATH: i16 = 3;
        pub(crate) const UNCOMPRESSED_SIZE: i16 = 6;
        pub(crate) const COMPRESSED_SIZE: i16 = 7;
        pub(crate) const DATA_PAGE_OFFSET: i16 = 9;
        pub(crate) const INDEX_PAGE_OFFSET: i16 = 10;
        pub(crate) const DICTIONARY_PAGE_OFFSET: i16 = 11;
        pub(crate) const BLOOM_FILTER_OFFSET: i16 = 14;
        pub(crate) const BLOOM_FILTER_LENGTH: i16 = 15;
        /// The fields that a footer in clear may tell of an encrypted column: type, encodings, path, codec, number of values, sizes
        /// and offsets, and no statistics nor anything that is not known here.
        pub(crate) const IN_CLEAR: [i16; 9] = [1, 2, 3, 4, 5, 6, 7, 9, 11];
    }
    /// PageHeader.
    pub(crate) mod page {
        pub(crate) const TYPE: i16 = 1;
        pub(crate) const UNCOMPRESSED_SIZE: i16 = 2;
        pub(crate) const COMPRESSED_SIZE: i16 = 3;
        pub(crate) const CRC: i16 = 4;
    }
    /// OffsetIndex, and PageLocation.
    pub(crate) mod offset_index {
        pub(crate) const PAGE_LOCATIONS: i16 = 1;
        pub(crate) const OFFSET: i16 = 1;
        pub(crate) const COMPRESSED_PAGE_SIZE: i16 = 2;
    }
    /// BloomFilterHeader.
    pub(crate) mod bloom {
        pub(crate) const NUM_BYTES: i16 = 1;
    }
    /// FileCryptoMetaData.
    pub(crate) mod crypto {
        pub(crate) const ENCRYPTION_ALGORITHM: i16 = 1;
        pub(crate) const KEY_METADATA: i16 = 2;
    }
    /// AesGcmV1 and AesGcmCtrV1, which are the fields 1 and 2 of EncryptionAlgorithm.
    pub(crate) mod algorithm {
        pub(crate) const GCM: i16 = 1;
        pub(crate) const GCM_CTR: i16 = 2;
        pub(crate) const AAD_PREFIX: i16 = 1;
        pub(crate) const AAD_FILE_UNIQUE: i16 = 2;
        pub(crate) const SUPPLY_AAD_PREFIX: i16 = 3;
    }
}

/// The encryption of a file as its metadata tells it to everybody; see [`inspect`](crate::inspect()).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Encryption {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// True if the footer is encrypted, false if it is signed.
    pub encrypted_footer: bool,
    /// The AAD prefix, if the file stores it.
    pub aad_prefix: Option<Vec<u8>>,
    /// The number of the file in the associated data.
    pub aad_file_unique: Vec<u8>,
    /// True if readers must give the AAD prefix, which the file does not store.
    pub supply_aad_prefix: bool,
    /// The metadata of the footer's key.
    pub footer_key_metadata: Option<Vec<u8>>,
}

impl Encryption {
    fn parse(algorithm: &Struct<'_>, encrypted_footer: bool, key: Option<&[u8]>) -> Result<Self, Error> {
        use field::algorithm::{AAD_FILE_UNIQUE, AAD_PREFIX, GCM, GCM_CTR, SUPPLY_AAD_PREFIX};
        let (gcm, ctr) = (algorithm.structure(GCM)?, algorithm.structure(GCM_CTR)?);
        let (algorithm, of) = match (gcm, ctr) {
            (Some(of), None) => (Algorithm::AesGcmV1, of),
            (None, Some(of)) => (Algorithm::AesGcmCtrV1, of),
            _ => return Err(Error::Unsupported("an algorithm other than AES_GCM_V1 and AES_GCM_CTR_V1")),
        };
        Ok(Self {
            algorithm,
            encrypted_footer,
            aad_prefix: of.binary(AAD_PREFIX)?.filter(|prefix| !prefix.is_empty()).map(<[u8]>::to_vec),
            aad_file_unique: of.binary(AAD_FILE_UNIQUE)?.unwrap_or(&[]).to_vec(),
            supply_aad_prefix: of.bool(SUPPLY_AAD_PREFIX)?.unwrap_or(false),
            footer_key_metadata: key.map(<[u8]>::to_vec),
        })
    }

    pub(crate) fn to_struct(&self) -> Struct<'static> {
        use field::algorithm::{AAD_FILE_UNIQUE, AAD_PREFIX, GCM, GCM_CTR, SUPPLY_AAD_PREFIX};
        let mut of = Struct::default();
        if let Some(prefix) = &self.aad_prefix {
            of.set_binary(AAD_PREFIX, prefix);
        }
        of.set_binary(AAD_FILE_UNIQUE, &self.aad_file_unique);
        if self.supply_aad_prefix {
            of.set_bool(SUPPLY_AAD_PREFIX, true);
        }
        let mut algorithm = Struct::default();
        let id = if self.algorithm == Algorithm::AesGcmV1 { GCM } else { GCM_CTR };
        algorithm.set_structure(id, &of);
        algorithm
    }

    /// Returns the prefix that is in the associated data, of the one that is stored and the one that the reader gives.
    fn prefix<'p>(&'p self, given: Option<&'p [u8]>) -> Result<&'p [u8], Error> {
        let given = given.filter(|prefix| !prefix.is_empty());
        if let Some(prefix) = given.filter(|prefix| prefix.len() > MAX_PREFIX) {
            return Err(Error::PrefixLength(prefix.len()));
        }
        match (self.aad_prefix.as_deref(), given) {
            (Some(stored), Some(given)) if stored != given => Err(Error::PrefixDiffers),
            (Some(stored), _) if stored.len() > MAX_PREFIX => Err(Error::PrefixLength(stored.len())),
            (Some(stored), _) => Ok(stored),
            (None, Some(given)) if self.supply_aad_prefix => Ok(given),
            (None, Some(_)) => Err(Error::PrefixUnused),
            (None, None) if self.supply_aad_prefix => Err(Error::PrefixMissing),
            (None, None) => Ok(&[]),
        }
    }
}

/// The end of a file as it is stored.
pub(crate) struct StoredFooter {
    /// The bytes between the data and the length of the footer.
    bytes: Vec<u8>,
    /// The offset at which they begin, and the data ends.
    pub(crate) start: u64,
    /// The encryption, or `None` for a file in clear.
    pub(crate) encryption: Option<Encryption>,
    /// The place at which an encrypted or signed footer has its module or its signature.
    module: usize,
}

/// The metadata of a file, which nobody has changed.
pub(crate) struct OpenedFooter {
    /// FileMetaData.
    pub(crate) metadata: Struct<'static>,
    /// The key of the footer and the context of modules, if the file is encrypted.
    pub(crate) encrypted: Option<(Arc<ModuleKey>, FileContext)>,
}

impl StoredFooter {
    /// Reads the end of a file.
    pub(crate) fn read<R: Read + Seek>(source: &mut R) -> Result<Self, Error> {
        let size = source.seek(SeekFrom::End(0)).map_err(Error::Read)?;
        // Marks at both ends, and a length.
        let footer_end = size.checked_sub(TAIL).filter(|end| *end >= 4).ok_or(Error::NotParquet)?;
        let (mut first, mut tail) = ([0; 4], [0; TAIL as usize]);
        read_at(source, 0, &mut first)?;
        read_at(source, footer_end, &mut tail)?;
        let mark = tail[4..].first_chunk().copied().filter(|mark| *mark == first);
        let mark = mark.filter(|mark| *mark == MARK || *mark == ENCRYPTED_MARK).ok_or(Error::NotParquet)?;
        let len = u32::from_le_bytes([tail[0], tail[1], tail[2], tail[3]]);
        let start = footer_end.checked_sub(len.into()).filter(|start| *start >= 4);
        let start = start.ok_or(Error::FooterLength(len))?;
        let mut bytes = vec![0; usize::try_from(len).map_err(|_| Error::FooterLength(len))?];
        read_at(source, start, &mut bytes)?;
        let (encryption, module) = Self::encryption(&bytes, mark == ENCRYPTED_MARK, len)?;
        Ok(Self { bytes, start, encryption, module })
    }

    fn encryption(bytes: &[u8], encrypted: bool, len: u32) -> Result<(Option<Encryption>, usize), Error> {
        let mut rest = bytes;
        let parsed = Struct::take(&mut rest)?;
        if encrypted {
            use field::crypto::{ENCRYPTION_ALGORITHM, KEY_METADATA};
            let algorithm = parsed.structure(ENCRYPTION_ALGORITHM)?;
            let algorithm =
                algorithm.ok_or(Error::Metadata("it does not name the algorithm of encryption"))?;
            let encryption = Encryption::parse(&algorithm, true, parsed.binary(KEY_METADATA)?)?;
            return Ok((Some(encryption), bytes.len() - rest.len()));
        }
        use field::file::{ENCRYPTION_ALGORITHM, SIGNING_KEY_METADATA};
        let Some(algorithm) = parsed.structure(ENCRYPTION_ALGORITHM)? else {
            return Ok((None, bytes.len()));
        };
        if rest.len() < SIGNATURE {
            return Err(Error::FooterLength(len));
        }
        let encryption = Encryption::parse(&algorithm, false, parsed.binary(SIGNING_KEY_METADATA)?)?;
        Ok((Some(encryption), bytes.len() - SIGNATURE))
    }

    /// Decrypts an encrypted footer, verifies one that is signed, and parses it.
    pub(crate) fn open(
        self,
        keys: &dyn KeySource,
        aad_prefix: Option<&[u8]>,
        empty_aad: bool,
    ) -> Result<OpenedFooter, Error> {
        let Some(encryption) = &self.encryption else {
            let metadata = Struct::parse(&self.bytes)?.into_owned();
            return Ok(OpenedFooter { metadata, encrypted: None });
        };
        let key = keys.footer_key(encryption.footer_key_metadata.as_deref())?;
        let key = key.ok_or(Error::MissingKey(Owner::Footer))?;
        let empty = FileContext::with_empty_aad(encryption.algorithm);
        let open = |context: &FileContext| {
            if encryption.encrypted_footer {
                self.decrypted(context, &key)
            } else {
                self.verified(context, &key)
            }
        };
        let full = encryption.prefix(aad_prefix);
        let full =
            full.map(|prefix| FileContext::new(encryption.algorithm, prefix, &encryption.aad_file_unique));
        let opened = full.and_then(|context| Ok((open(&context)?, context)));
        let (text, context) = match opened {
            Err(Error::NotAuthentic(place)) => match open(&empty) {
                Ok(text) if empty_aad => (text, empty),
                Ok(_) => return Err(Error::EmptyAad),
                Err(_) => return Err(Error::NotAuthentic(place)),
            },
            opened => opened?,
        };
        let metadata = Struct::parse(&text)?.into_owned();
        Ok(OpenedFooter { metadata, encrypted: Some((key, context)) })
    }

    fn decrypted(&self, context: &FileContext, key: &ModuleKey) -> Result<Vec<u8>, Error> {
        let stored = &self.bytes[self.module..];
        let len = stored.first_chunk().map(|len| u32::from_le_bytes(*len) as usize);
        let len = len.and_then(|len| len.checked_add(LENGTH)).filter(|len| *len <= stored.len());
        let len = len.ok_or_else(|| error_of(Fault::Length, Module::FOOTER, None))?;
        if stored[len..].iter().any(|byte| *byte != 0) {
            return Err(Error::Metadata("bytes follow the encrypted footer"));
        }
        open_module(context, key, Module::FOOTER, &stored[..len], None)
    }

    fn verified(&self, context: &FileContext, key: &ModuleKey) -> Result<Vec<u8>, Error> {
        let (footer, signature) = self.bytes.split_at(self.module);
        let (nonce, tag) = signature.split_at(NONCE);
        // The tag is that of the ciphertext, which is not stored.
        let (aad, mut text) = (context.aad(&Module::FOOTER), footer.to_vec());
        let tag = tag.first_chunk().ok_or_else(|| error_of(Fault::Length, Module::FOOTER, None))?;
        let gcm = key.gcm();
        gcm.encrypt_detached(nonce, &aad, text.as_mut_slice(), &mut [0; TAG])
            .map_err(|_| error_of(Fault::TooLong, Module::FOOTER, None))?;
        gcm.decrypt_detached(nonce, &aad, text.as_mut_slice(), tag)
            .map_err(|_| error_of(Fault::NotAuthentic, Module::FOOTER, None))?;
        Ok(footer.to_vec())
    }
}

/// Opens a copy of a module and returns its text.
pub(crate) fn open_module(
    context: &FileContext,
    key: &ModuleKey,
    module: Module,
    stored: &[u8],
    path: Option<&str>,
) -> Result<Vec<u8>, Error> {
    let mut buffer = stored.to_vec();
    let mut jobs = [Job::new(key, module, &mut buffer)];
    context.open(&mut jobs);
    jobs[0].result.map_err(|fault| error_of(fault, module, path))?;
    let text = context.algorithm().text(module.kind, buffer.len());
    let text = text.ok_or_else(|| error_of(Fault::Length, module, path))?;
    buffer.truncate(text.end);
    buffer.drain(..text.start);
    Ok(buffer)
}

/// Returns the module of a text.
pub(crate) fn seal_module(
    context: &FileContext,
    key: &ModuleKey,
    module: Module,
    text: &[u8],
    path: Option<&str>,
) -> Result<Vec<u8>, Error> {
    let mut buffer = vec![0; context.algorithm().overhead(module.kind) + text.len()];
    let at = context.algorithm().text(module.kind, buffer.len());
    let at = at.ok_or_else(|| error_of(Fault::Length, module, path))?;
    buffer[at].copy_from_slice(text);
    let mut jobs = [Job::new(key, module, &mut buffer)];
    context.seal(&mut jobs)?;
    jobs[0].result.map_err(|fault| error_of(fault, module, path))?;
    Ok(buffer)
}

/// Returns nonce and tag of a footer in clear.
pub(crate) fn sign(context: &FileContext, key: &ModuleKey, footer: &[u8]) -> Result<[u8; SIGNATURE], Error> {
    let module = seal_module(context, key, Module::FOOTER, footer, None)?;
    let mut signature = [0; SIGNATURE];
    signature[..NONCE].copy_from_slice(&module[LENGTH..][..NONCE]);
    signature[NONCE..].copy_from_slice(&module[module.len() - TAG..]);
    Ok(signature)
}

/// Fills a buffer with the bytes at an offset.
pub(crate) fn read_at<R: Read + Seek>(source: &mut R, offset: u64, buffer: &mut [u8]) -> Result<(), Error> {
    source.seek(SeekFrom::Start(offset)).map_err(Error::Read)?;
    source.read_exact(buffer).map_err(Error::Read)
}
