//! The target of a copy: a writer that counts, and the footer at its end.

use std::io::Write;

use crate::batch::{FileContext, ModuleKey};
use crate::error::Error;
use crate::footer::{ENCRYPTED_MARK, Encryption, MARK, field, seal_module, sign};
use crate::module::Module;
use crate::thrift::Struct;

/// A target that counts its bytes.
pub(super) struct Target<'a, W> {
    pub(super) writer: &'a mut W,
    pub(super) position: u64,
}

impl<'a, W: Write> Target<'a, W> {
    pub(super) fn new(writer: &'a mut W) -> Self {
        Self { writer, position: 0 }
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.position += bytes.len() as u64;
        self.writer.write_all(bytes).map_err(Error::Write)
    }
}

/// The encryption of a footer.
pub(super) struct FooterSealing<'s> {
    pub(super) encryption: &'s Encryption,
    pub(super) context: &'s FileContext,
    pub(super) key: &'s ModuleKey,
}

/// Writes the end of a file: the metadata, encrypted or signed if the file is, its length, and the mark.
pub(super) fn write_footer<W: Write>(
    target: &mut Target<'_, W>,
    mut metadata: Struct<'_>,
    sealing: Option<&FooterSealing<'_>>,
) -> Result<(), Error> {
    let start = target.position;
    metadata.remove(field::file::ENCRYPTION_ALGORITHM);
    metadata.remove(field::file::SIGNING_KEY_METADATA);
    let mut mark = MARK;
    match sealing {
        None => target.write(&metadata.to_bytes())?,
        Some(FooterSealing { encryption, context, key }) if encryption.encrypted_footer => {
            mark = ENCRYPTED_MARK;
            let mut crypto = Struct::default();
            crypto.set_structure(field::crypto::ENCRYPTION_ALGORITHM, &encryption.to_struct());
            if let Some(key_metadata) = &encryption.footer_key_metadata {
                crypto.set_binary(field::crypto::KEY_METADATA, key_metadata);
            }
            let module = seal_module(context, key, Module::FOOTER, &metadata.to_bytes(), None)?;
            target.write(&crypto.to_bytes())?;
            target.write(&module)?;
        }
        Some(FooterSealing { encryption, context, key }) => {
            metadata.set_structure(field::file::ENCRYPTION_ALGORITHM, &encryption.to_struct());
            if let Some(key_metadata) = &encryption.footer_key_metadata {
                metadata.set_binary(field::file::SIGNING_KEY_METADATA, key_metadata);
            }
            let bytes = metadata.to_bytes();
            let signature = sign(context, key, &bytes)?;
            target.write(&bytes)?;
            target.write(&signature)?;
        }
    }
    let len = u32::try_from(target.position - start).ok().filter(|len| i32::try_from(*len).is_ok());
    let len = len.ok_or(Error::Metadata("the footer would have 2^31 bytes or more"))?;
    target.write(&len.to_le_bytes())?;
    target.write(&mark)?;
    target.writer.flush().map_err(Error::Write)
}
