//! The rows of the one table of modes (`mode_rows!`) as values, from which the faces and the
//! tests take their lists. Not part of the interface.

use crate::aez::Aez;
use crate::boundaries::pass_sizes;
use crate::ciphers::aes::Aes128;
use crate::columns::{Column, ColumnError, RowKeys};
use crate::engine::backend::Direction;
use crate::kernels::Algorithm;
pub use crate::modes::sealer::Sealer;
use crate::modes::{Eax, Gcm, Siv, mode_rows};
use crate::packets::{self, Packet};
use crate::{BlockCipher, BlockCipher128, Error, InOutBuf, Kernel};
use abreast_simd::{AesLevel, Baseline, Isa, Level};
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::any::Any;
use core::fmt;
use core::slice::from_ref;

/// A mode of operation.
#[derive(Clone, Copy, Debug)]
pub struct ModeRow {
    /// Its name, such as `gcm`.
    pub name: &'static str,
    /// The keys.
    pub keys: ModeKeys,
    /// The blocks that the cipher has to have.
    pub blocks: ModeBlocks,
    /// The vector.
    pub vector: Vector,
    /// The tags.
    pub tags: TagLengths,
    /// True if there is associated data. In CMAC it is the message.
    pub aad: bool,
    /// Bytes of a message at most, and of its associated data.
    pub most: [u64; 2],
    /// The direction in which a block waits for the block before it.
    pub waits: Waits,
    /// The operations that exist.
    pub operations: &'static [Does],
    /// The mode as authenticated encryption with one string of associated data, if it is that. Over ciphers, it is over AES.
    pub sealing: Option<Sealing>,
}

/// The keys of a mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModeKeys {
    /// Keys of a cipher, as many as this.
    OfCiphers(usize),
    /// A key of one of these lengths, or of any length if the list is empty.
    Own(&'static [usize]),
}

/// The blocks of the ciphers of a mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModeBlocks {
    /// Blocks of any size.
    Any,
    /// Blocks of 16 bytes.
    Of16,
    /// The mode is for one cipher, which it brings along.
    None,
}

/// The initialisation vector of a mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vector {
    /// No vector.
    NoVector,
    /// A block of the cipher.
    Block,
    /// A first counter block.
    Counter,
    /// The number of a data unit, 16 bytes.
    Unit,
    /// A nonce of a number of bytes from one to another.
    Nonce(usize, usize),
}

/// The lengths of the tags of a mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TagLengths {
    /// No tags.
    NoTag,
    /// One of these numbers of bytes, of which the last is the usual one.
    Of(&'static [usize]),
    /// One byte to a block, which is the usual one.
    UpToABlock,
    /// Up to this number of bytes; 16 are usual.
    UpTo(usize),
}

/// The direction in which the blocks of a message wait for each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waits {
    /// Neither: they go side by side.
    Never,
    /// Encryption: each needs the ciphertext of the one before, which is there in decryption.
    Encrypting,
    /// Both, for the text or for the tag.
    Always,
}

/// An operation of a mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Does {
    /// A message in one call, in place too.
    Once,
    /// A message in pieces.
    Stream,
    /// Many messages in one call.
    Batch,
    /// The values of a column.
    Column,
}

/// Numbers as text: `16 or 32`, `16, 24 or 32`.
#[derive(Clone, Copy, Debug)]
pub struct OneOf<'a>(pub &'a [usize]);

impl fmt::Display for OneOf<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, number) in self.0.iter().enumerate() {
            f.write_str(match self.0.len() - at {
                _ if at == 0 => "",
                1 => " or ",
                _ => ", ",
            })?;
            write!(f, "{number}")?;
        }
        Ok(())
    }
}

/// Makes a key of the mode of bytes.
type MakeSealer = fn(&[u8], Kernel) -> Result<Box<dyn Sealer>, Error>;

/// Encrypts a column under a key of the mode, or decrypts it if there is a bitmap of failures.
type ColumnOf = fn(&dyn Sealer, Column<'_>, Option<&mut [u8]>) -> Result<usize, ColumnError>;

/// A mode as authenticated encryption.
#[derive(Clone, Copy, Debug)]
pub struct Sealing {
    name: &'static str,
    /// True if the tag comes before the ciphertext where the two are one string.
    pub tag_first: bool,
    /// Bytes of its keys.
    pub key_lens: &'static [usize],
    make: MakeSealer,
}

/// The functions of a mode for many messages. A list of their own, so that a program that makes keys by the table need not
/// have all batches.
struct Many {
    name: &'static str,
    batch: fn(Direction, &mut [Packet<'_, &dyn Sealer>]),
    column: Option<ColumnOf>,
}

impl Sealing {
    /// Makes the mode under a key, at one of [`kernels`](Self::kernels).
    ///
    /// # Errors
    /// [`Error::KeyLength`], [`Error::KernelUnavailable`].
    pub fn make(&self, key: &[u8], kernel: Kernel) -> Result<Box<dyn Sealer>, Error> {
        (self.make)(key, kernel)
    }

    /// Returns the kernels that this CPU can run, best first.
    pub fn kernels(&self) -> impl Iterator<Item = Kernel> {
        Aes128::kernels()
    }

    /// Encrypts or decrypts a batch by the mode's own function. Packets with a key of another mode are not processed.
    pub fn batch(&self, direction: Direction, packets: &mut [Packet<'_, &dyn Sealer>]) {
        if let Some(many) = self.many() {
            (many.batch)(direction, packets);
        }
    }

    /// Encrypts a column, or decrypts it if there is a bitmap of failures, and returns their number; `None` if the mode has no
    /// columns.
    pub fn column(
        &self,
        key: &dyn Sealer,
        column: Column<'_>,
        failed: Option<&mut [u8]>,
    ) -> Option<Result<usize, ColumnError>> {
        Some((self.many()?.column?)(key, column, failed))
    }

    /// Returns the functions for many messages, which each such mode has.
    fn many(&self) -> Option<&'static Many> {
        MANY.iter().find(|many| many.name == self.name)
    }
}

/// A kernel of a cipher that the target has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelRow {
    /// Its name.
    pub name: &'static str,
    /// The features of the CPU that it needs, separated by commas; empty for what every CPU has.
    pub needs: &'static str,
    /// True if this CPU can run it.
    pub runs: bool,
}

/// Lists every kernel of a cipher that the target has, best first, with those that this CPU cannot run.
#[must_use]
pub fn kernels_of_target(cipher: Algorithm) -> Vec<KernelRow> {
    let row = |(name, needs, runs)| KernelRow { name, needs, runs };
    let is_of_words = cipher.best_kernel().is_some_and(|kernel| kernel.words_level().is_ok());
    let mut rows: Vec<_> = if is_of_words {
        Level::all().map(row).collect()
    } else {
        let sliced = (Kernel::aes_sliced().name(), <Baseline as Isa>::FEATURES, true);
        [sliced].into_iter().chain(AesLevel::all()).map(row).collect()
    };
    rows.reverse();
    // Two encodings under one name are one kernel: the better one that runs, or the one that needs less.
    rows.dedup_by(|worse, better| {
        let is_same = worse.name == better.name;
        if is_same && !better.runs {
            *better = *worse;
        }
        is_same
    });
    rows
}

/// Returns the number of blocks of a message that go side by side in ECB, and in other modes in which they do not wait.
#[must_use]
pub fn blocks_at_a_time(cipher: &dyn BlockCipher) -> [usize; 2] {
    let sizes = pass_sizes(cipher);
    [sizes.depth, sizes.interleave].map(|groups| groups * sizes.group / sizes.block)
}

/// Lists the modes that have this operation.
pub fn modes_with(operation: Does) -> impl Iterator<Item = &'static ModeRow> {
    MODES.iter().filter(move |row| row.operations.contains(&operation))
}

/// Lists the modes that are authenticated encryption with one string of associated data.
pub fn sealing_modes() -> impl Iterator<Item = (&'static ModeRow, Sealing)> {
    MODES.iter().filter_map(|row| Some((row, row.sealing?)))
}

impl ModeRow {
    /// Returns the mode of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<&'static Self> {
        MODES.iter().find(|row| row.name == name)
    }
}

/// Runs a batch of keys whose type is known, given those whose type is not.
fn batch_of<'k, M: Sealer, K>(
    packets: &mut [Packet<'_, &'k dyn Sealer>],
    key: impl Fn(&'k M) -> K,
    run: impl FnOnce(&mut [Packet<'_, K>]),
) {
    let mut members = Vec::with_capacity(packets.len());
    let mut results = Vec::with_capacity(packets.len());
    for packet in packets {
        packet.result = Err(Error::NotProcessed);
        let any: &dyn Any = packet.key;
        if let Some(mode) = any.downcast_ref::<M>() {
            let io = packet.buffer.reborrow();
            members.push(
                Packet::<K>::new(key(mode), packet.iv, io).with_tag(packet.associated_data, packet.tag),
            );
            results.push(&mut packet.result);
        }
    }
    run(&mut members);
    for (result, member) in results.into_iter().zip(members) {
        *result = member.result;
    }
}

/// Does a column under a key whose type is known.
fn column_of<M: Sealer>(
    key: &dyn Sealer,
    column: Column<'_>,
    failed: Option<&mut [u8]>,
) -> Result<usize, ColumnError>
where
    for<'k> &'k M: RowKeys,
{
    let any: &dyn Any = key;
    let Some(key) = any.downcast_ref::<M>() else { return Err(ColumnError::Keys(Error::KeyLength)) };
    match failed {
        Some(failed) => column.decrypt(key, failed),
        None => column.encrypt(key).map(|()| 0),
    }
}

/// AES under a key, in a box.
fn aes(key: &[u8], kernel: Kernel) -> Result<Box<dyn BlockCipher128>, Error> {
    let name = match key.len() {
        16 => "aes-128",
        24 => "aes-192",
        32 => "aes-256",
        _ => return Err(Error::KeyLength),
    };
    Algorithm::from_name(name).ok_or(Error::KeyLength)?.with_key_128(key, Some(kernel))
}

macro_rules! rows {
    ($(
        $name:literal: keys $keys:expr, blocks $blocks:ident, vector $vector:expr, tags $tags:expr, aad $aad:literal,
        most $most:expr, waits $waits:ident, does [$($does:ident)*]
        $(, seals $sealed:ty $(, tag $first:ident)?, keys $lens:expr, made $make:expr, batch $packet_key:expr, $encrypt:path, $decrypt:path
            $(, column $column:ident)?)?;
    )*) => {
        /// Every mode.
        pub static MODES: &[ModeRow] = {
            use ModeKeys::{OfCiphers, Own};
            use TagLengths::{NoTag, Of, UpTo, UpToABlock};
            use Vector::{Block, Counter, NoVector, Nonce, Unit};
            &[$(ModeRow {
                name: $name,
                keys: $keys,
                blocks: ModeBlocks::$blocks,
                vector: $vector,
                tags: $tags,
                aad: $aad,
                most: $most,
                waits: Waits::$waits,
                operations: &[$(Does::$does),*],
                sealing: rows!(@sealing $name $(, $sealed, [$($first)?], $lens, $make)?),
            }),*]
        };

        /// The modes that are authenticated encryption, for many messages.
        static MANY: &[Many] = &[$($(Many {
            name: $name,
            batch: |direction, packets| {
                batch_of::<$sealed, _>(packets, $packet_key, |packets| match direction {
                    Direction::Encrypt => $encrypt(packets),
                    Direction::Decrypt => $decrypt(packets),
                });
            },
            column: rows!(@column $sealed $(, $column)?),
        },)?)*];
    };
    (@sealing $name:literal) => { None };
    (@sealing $name:literal, $sealed:ty, [$($first:ident)?], $lens:expr, $make:expr) => {
        Some(Sealing {
            name: $name,
            tag_first: rows!(@is $($first)?),
            key_lens: $lens,
            make: |key, kernel| {
                let make: fn(&[u8], Kernel) -> Result<$sealed, Error> = $make;
                Ok(Box::new(make(key, kernel)?))
            },
        })
    };
    (@is first) => { true };
    (@is) => { false };
    (@column $sealed:ty, column_of) => { Some(column_of::<$sealed>) };
    (@column $sealed:ty) => { None };
}
mode_rows!(rows);

impl Sealer for Gcm<Box<dyn BlockCipher128>> {
    fn mode(&self) -> &'static str {
        "gcm"
    }
    fn kernel(&self) -> Kernel {
        self.cipher().kernel()
    }
    fn seal(&self, nonce: &[u8], aad: &[u8], io: InOutBuf<'_, '_, u8>, tag: &mut [u8]) -> Result<(), Error> {
        self.with_tag_len(tag.len())?.encrypt_detached(nonce, aad, io, tag)
    }
    fn open(&self, nonce: &[u8], aad: &[u8], io: InOutBuf<'_, '_, u8>, tag: &[u8]) -> Result<(), Error> {
        self.with_tag_len(tag.len())?.decrypt_detached(nonce, aad, io, tag)
    }
}

impl Sealer for Eax<Box<dyn BlockCipher128>> {
    fn mode(&self) -> &'static str {
        "eax"
    }
    fn kernel(&self) -> Kernel {
        self.cipher().kernel()
    }
    fn seal(&self, nonce: &[u8], aad: &[u8], io: InOutBuf<'_, '_, u8>, tag: &mut [u8]) -> Result<(), Error> {
        self.with_tag_len(tag.len())?.encrypt_detached(nonce, aad, io, tag)
    }
    fn open(&self, nonce: &[u8], aad: &[u8], io: InOutBuf<'_, '_, u8>, tag: &[u8]) -> Result<(), Error> {
        self.with_tag_len(tag.len())?.decrypt_detached(nonce, aad, io, tag)
    }
}

/// The strings are those of a batch: the associated data, and the nonce if there is one.
impl Sealer for Siv<Box<dyn BlockCipher128>> {
    fn mode(&self) -> &'static str {
        "siv"
    }
    fn kernel(&self) -> Kernel {
        self.ciphers()[0].kernel()
    }
    fn seal(&self, nonce: &[u8], aad: &[u8], io: InOutBuf<'_, '_, u8>, tag: &mut [u8]) -> Result<(), Error> {
        let tag = tag.try_into().map_err(|_| Error::TagLength)?;
        self.encrypt_detached(&[aad, nonce][..if nonce.is_empty() { 1 } else { 2 }], io, tag)
    }
    fn open(&self, nonce: &[u8], aad: &[u8], io: InOutBuf<'_, '_, u8>, tag: &[u8]) -> Result<(), Error> {
        let tag = tag.try_into().map_err(|_| Error::TagLength)?;
        self.decrypt_detached(&[aad, nonce][..if nonce.is_empty() { 1 } else { 2 }], io, tag)
    }
}

/// An empty string is none.
impl Sealer for Aez {
    fn mode(&self) -> &'static str {
        "aez"
    }
    fn kernel(&self) -> Kernel {
        self.kernel()
    }
    fn seal(&self, nonce: &[u8], aad: &[u8], io: InOutBuf<'_, '_, u8>, tag: &mut [u8]) -> Result<(), Error> {
        let strings = if aad.is_empty() { &[] } else { from_ref(&aad) };
        self.with_tag_len(tag.len())?.encrypt_detached(nonce, strings, io, tag)
    }
    fn open(&self, nonce: &[u8], aad: &[u8], io: InOutBuf<'_, '_, u8>, tag: &[u8]) -> Result<(), Error> {
        let strings = if aad.is_empty() { &[] } else { from_ref(&aad) };
        self.with_tag_len(tag.len())?.decrypt_detached(nonce, strings, io, tag)
    }
}
