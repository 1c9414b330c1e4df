//! Files with other metadata of their keys, and the same data.

use std::collections::HashMap;
use std::io::{Read, Seek, Write};

use crate::error::{Error, Owner};
use crate::footer::{ENCRYPTED_MARK, MARK, StoredFooter, field, read_at};
use crate::source::{Access, number_of, path_of};
use crate::target::{FooterSealing, Target, write_footer};
use crate::thrift::Struct;

/// Bytes of a piece in which data are copied.
const PIECE: u64 = 1 << 20;

/// A function that returns the new metadata of a key for its owner and its old metadata.
pub type Rewrap<'a> = &'a mut dyn FnMut(&Owner, &[u8]) -> Result<Vec<u8>, Error>;

/// Copies an encrypted file with other metadata of its keys, which stay what they are: after a key service has wrapped them anew.
/// Data is copied as it is, and only the footer is encrypted again.
///
/// `wrap` gives the new metadata for the old one, and is asked once for each.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use abreast_parquet::{Access, Keys, Policy, encrypt, inspect, rewrap};
/// use std::io::Cursor;
///
/// # let plain = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/plain.parquet"));
/// let (mut file, mut new) = (Vec::new(), Vec::new());
/// encrypt(&mut Cursor::new(plain), &mut file, &Policy::new(&[7; 32])?.footer_key_metadata(b"old"))?;
/// let keys = Keys::new().footer(&[7; 32])?;
/// let mut wrap = |_: &_, old: &[u8]| Ok([b"no longer ", old].concat());
/// rewrap(&mut Cursor::new(&file), &mut new, Access::new(&keys), &mut wrap)?;
/// let seen = inspect(&mut Cursor::new(&new))?.ok_or("the file is in clear")?;
/// assert_eq!(seen.footer_key_metadata.as_deref(), Some(&b"no longer old"[..]));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// Errors of [`decrypt()`](crate::decrypt()) about footers, and of `wrap`.
pub fn rewrap<R: Read + Seek, W: Write>(
    source: &mut R,
    target: &mut W,
    access: Access<'_>,
    wrap: Rewrap<'_>,
) -> Result<(), Error> {
    let stored = StoredFooter::read(source)?;
    let data_end = stored.start;
    let mut encryption = stored.encryption.clone().ok_or(Error::NotEncrypted)?;
    let opened = stored.open(access.keys, access.aad_prefix, access.empty_aad)?;
    let (key, context) = opened.encrypted.ok_or(Error::NotEncrypted)?;
    if let Some(old) = &mut encryption.footer_key_metadata {
        *old = wrap(&Owner::Footer, old)?;
    }
    let mut metadata = opened.metadata;
    let row_groups = rewrapped(&metadata, wrap)?;
    metadata.set_structures(field::file::ROW_GROUPS, &row_groups);

    let mut target = Target::new(target);
    target.write(if encryption.encrypted_footer { &ENCRYPTED_MARK } else { &MARK })?;
    let mut piece = vec![0; PIECE as usize];
    while target.position < data_end {
        let len = PIECE.min(data_end - target.position) as usize;
        read_at(source, target.position, &mut piece[..len])?;
        target.write(&piece[..len])?;
    }
    write_footer(
        &mut target,
        metadata,
        Some(&FooterSealing { encryption: &encryption, context: &context, key: &key }),
    )
}

/// Returns row groups with other metadata of the keys of columns.
fn rewrapped(metadata: &Struct<'_>, wrap: Rewrap<'_>) -> Result<Vec<Vec<u8>>, Error> {
    use field::chunk::CRYPTO_METADATA;
    use field::column_crypto::{COLUMN_KEY, KEY_METADATA, PATH};
    let mut made: HashMap<Vec<u8>, Vec<u8>> = HashMap::new();
    let mut written = Vec::new();
    for (index, row_group) in
        metadata.structures(field::file::ROW_GROUPS)?.unwrap_or_default().iter().enumerate()
    {
        let number = number_of(row_group, index)?;
        let mut columns = Vec::new();
        for mut chunk in row_group.structures(field::row_group::COLUMNS)?.unwrap_or_default() {
            let crypto = chunk.structure(CRYPTO_METADATA)?.map(Struct::into_owned);
            let own = crypto.as_ref().map(|crypto| crypto.structure(COLUMN_KEY)).transpose()?.flatten();
            let own = own.map(Struct::into_owned);
            if let Some((mut crypto, mut own)) = crypto.zip(own)
                && let Some(old) = own.binary(KEY_METADATA)?.map(<[u8]>::to_vec)
            {
                let new = match made.get(&old) {
                    Some(new) => new.clone(),
                    None => {
                        let path = path_of(&own.binaries(PATH)?.unwrap_or_default());
                        wrap(&Owner::Column { path, row_group: number }, &old)?
                    }
                };
                own.set_binary(KEY_METADATA, &new);
                crypto.set_structure(COLUMN_KEY, &own);
                chunk.set_structure(CRYPTO_METADATA, &crypto);
                made.insert(old, new);
            }
            columns.push(chunk.to_bytes());
        }
        let mut row_group = row_group.clone();
        row_group.set_structures(field::row_group::COLUMNS, &columns);
        written.push(row_group.to_bytes());
    }
    Ok(written)
}
