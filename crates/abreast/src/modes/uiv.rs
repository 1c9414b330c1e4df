//! UIV+ (Degabriele, Melloni, Münch and Stam, "Counter Galois Onion", eprint 2025/583), in the sizes of Tor's proposal 359: a cell of
//! 509 bytes as one block under a tweak of 17, and keys that make their successors.

use super::tag::same_tag;
use crate::ciphers::aes::{Aes128, Aes256};
use crate::engine::backend::{Direction, Secrecy};
use crate::engine::kernel::{Choice, Kernel};
use crate::engine::keyed::KeyedCipher;
use crate::ghash::{BLOCK, FewPowers};
use crate::loops::uiv::{BEFORE_KEYS, CELL, TWEAK, UivStream, first_counter, hash};
use crate::wipe::wipe;
use crate::{BlockCipher, BlockCipher128, Error};
use abreast_simd::inlined::{CopyFrom, Zipped};
use abreast_simd::{Block, Wiped};
use core::fmt;

/// Keys that are made together.
pub(crate) const WINDOW: usize = 16;

/// Bytes of the longest seed.
// No boundary: room for it.
const MOST_SEED: usize = 112;

/// The keys and the nonce of one direction of a circuit in UIV+, the wide block of Counter Galois Onion, by which Tor encrypts cells.
///
/// A cell has 509 bytes and keeps its place and length. The tweak is the tag of the cell before, 16 bytes, and a byte of associated
/// data. Encryption is a wide block: every bit of the result depends on every bit of the cell. Decryption is not, so
/// a protocol lets those decrypt who need not fear changed cells. Nothing is authenticated but by the first 16 bytes, the tag, of which
/// the receiver knows the value.
///
/// ```
/// use abreast::{aes::Aes128, modes::Uiv};
///
/// let keys = Uiv::<Aes128>::new(&[7; 80])?;
/// let (tweak, mut cell) = ([3; 17], [1; 509]);
/// keys.encrypt(&tweak, &mut cell);
/// keys.decrypt(&tweak, &mut cell);
/// assert_eq!(cell, [1; 509]);
/// # Ok::<(), abreast::Error>(())
/// ```
///
/// The cipher is AES-128 or AES-256. A value takes about 1 KiB, so that a hundred thousand circuits of two directions have room in memory.
pub struct Uiv<C>(Wiped<UivKeys<C>>);

/// The keys: of the left block `KB` and `KU`, of the right part `K` and `B` (proposal 359, "UIV+").
struct UivKeys<C> {
    block: C,
    stream: C,
    /// Powers of the key that hashes the tweak and the right part.
    powers: FewPowers,
    /// The key that hashes the left block.
    left: [u8; BLOCK],
    nonce: [u8; BLOCK],
}

/// A cipher of UIV+: [`Aes128`] or [`Aes256`].
///
/// ```
/// use abreast::{aes::{Aes128, Aes256}, modes::UivCipher};
///
/// assert_eq!((Aes128::SEED, Aes256::SEED), (80, 112));
/// ```
pub trait UivCipher: BlockCipher128 + Sized {
    /// Bytes of a seed: the keys and the nonce of a direction, 80 for AES-128 and 112 for AES-256.
    // No boundary: the only length.
    const SEED: usize;

    /// Makes the keys of a seed.
    #[doc(hidden)]
    fn keyed(seed: &[u8], kernel: Option<Kernel>) -> Result<Uiv<Self>, Error>;

    /// Encrypts or decrypts cells.
    #[doc(hidden)]
    fn crypt(direction: Direction, cells: &mut [Option<UivCell<'_, Self>>]);

    /// Makes the next keys of those that are there.
    #[doc(hidden)]
    fn update(updates: &mut [Option<UivUpdate<'_, Self>>]);
}

/// A cell with its keys and its tweak, as [`Uiv::encrypt_each`] takes them.
pub struct UivCell<'a, C> {
    keys: &'a UivKeys<C>,
    tweak: [u8; TWEAK],
    cell: &'a mut [u8; CELL],
}

impl<'a, C> UivCell<'a, C> {
    /// Makes a cell under keys, with a tweak of a tag and a byte.
    #[inline]
    pub fn new(keys: &'a Uiv<C>, tag: &[u8; BLOCK], byte: u8, cell: &'a mut [u8; CELL]) -> Self {
        let mut tweak = [byte; TWEAK];
        tweak[..BLOCK].copy_from(tag);
        Self { keys: &keys.0, tweak, cell }
    }
}

/// Keys, and the block that new ones are made from, as [`Uiv::update_each`] takes them.
pub struct UivUpdate<'a, C> {
    keys: &'a mut UivKeys<C>,
    input: [u8; BLOCK],
}

impl<'a, C> UivUpdate<'a, C> {
    /// Takes keys that are to be replaced.
    #[inline]
    pub fn new(keys: &'a mut Uiv<C>, input: &[u8; BLOCK]) -> Self {
        Self { keys: &mut keys.0, input: *input }
    }
}

impl<C: UivCipher> UivUpdate<'_, C> {
    fn kernel(&self) -> Kernel {
        self.keys.block.kernel()
    }
}

macro_rules! uiv_ciphers {
    ($($type:ident, seed $seed:literal;)*) => {$(
        // Not generic over the cipher, so that the loops are compiled once, in this crate.
        impl UivCipher for $type {
            // No boundary: the only length.
            const SEED: usize = $seed;

            fn keyed(seed: &[u8], kernel: Option<Kernel>) -> Result<Uiv<Self>, Error> {
                if seed.len() != $seed {
                    return Err(Error::KeyLength);
                }
                keyed(&Parts::of(seed), |key| {
                    let key = key.try_into().map_err(|_| Error::KeyLength)?;
                    kernel.map_or_else(|| Ok(Self::new(key)), |kernel| Self::with_kernel(key, kernel))
                })
            }
            #[inline(never)]
            fn crypt(direction: Direction, cells: &mut [Option<UivCell<'_, Self>>]) {
                crypt(direction, cells);
            }
            #[inline(never)]
            fn update(updates: &mut [Option<UivUpdate<'_, Self>>]) {
                update(updates);
            }
        }
    )*};
}
uiv_ciphers! {
    Aes128, seed 80;
    Aes256, seed 112;
}

/// Makes the keys of the parts of a seed.
fn keyed<C: UivCipher + KeyedCipher>(
    parts: &Parts<'_>,
    make: impl Fn(&[u8]) -> Result<C, Error>,
) -> Result<Uiv<C>, Error> {
    let mut uiv = Uiv(Wiped::new(UivKeys {
        block: make(parts.block)?,
        stream: make(parts.stream)?,
        powers: FewPowers::ZERO,
        left: [0; BLOCK],
        nonce: [0; BLOCK],
    }));
    uiv.0.take(parts);
    Ok(uiv)
}

/// A step of a cell.
#[derive(Clone, Copy)]
enum CellStep {
    /// The hash of the tweak and the right part.
    Hash,
    /// The left block, which takes up the hash before and after the cipher.
    Left,
    /// Keystream for the right part.
    Stream,
}

/// Takes cells through three steps. A step of one cell is followed by that of another, of which the CPU does a part at the same time.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn crypt<C: UivCipher + KeyedCipher>(direction: Direction, cells: &mut [Option<UivCell<'_, C>>]) {
    let steps = match direction {
        Direction::Encrypt => [CellStep::Hash, CellStep::Left, CellStep::Stream],
        Direction::Decrypt => [CellStep::Stream, CellStep::Hash, CellStep::Left],
    };
    // A hash is there from one step of a cell to the next.
    let mut hashes = [[0; BLOCK]; 2];
    for time in 0..cells.len() + 2 {
        for (behind, step) in steps.into_iter().enumerate() {
            let Some(at) = time.checked_sub(behind) else { break };
            let Some(Some(UivCell { keys, tweak, cell })) = cells.get_mut(at) else { continue };
            let (kernel, hashed) = (KeyedCipher::kernel(&keys.block), &mut hashes[at % 2]);
            match step {
                CellStep::Hash => hash(kernel, &keys.powers, tweak, cell, hashed),
                CellStep::Left => left(direction, &keys.block, hashed, cell),
                CellStep::Stream => stream(kernel, keys, cell),
            }
        }
    }
}

/// Takes the left block through the cipher, and wipes the hash, which it takes up before and after.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn left<C: BlockCipher>(direction: Direction, cipher: &C, hash: &mut [u8; BLOCK], cell: &mut [u8; CELL]) {
    let Some(left) = cell.first_chunk_mut() else { return };
    *left = *(Block::from(*left) ^ Block::from(*hash)).as_bytes();
    let io = left.as_mut_slice().into();
    // A whole block: nothing is refused.
    let _ = match direction {
        Direction::Encrypt => cipher.encrypt_raw_blocks(io),
        Direction::Decrypt => cipher.decrypt_raw_blocks(io),
    };
    *left = *(Block::from(*left) ^ Block::from(*hash)).as_bytes();
    wipe(hash);
}

/// Xors the keystream that belongs to the left block into the right part.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn stream<C: UivCipher + KeyedCipher>(kernel: Kernel, keys: &UivKeys<C>, cell: &mut [u8; CELL]) {
    let Some((left, right)) = cell.split_first_chunk_mut() else { return };
    let Some(right) = right.first_chunk_mut() else { return };
    let first = first_counter(kernel, &keys.left, left);
    if !keys.stream.visit(UivStream { first: &first, right: &mut *right }) {
        keystream(&keys.stream, &first, 0, right);
    }
}

/// Xors keystream from a block's number on.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn keystream<C: BlockCipher>(cipher: &C, first: &Block, number: u128, data: &mut [u8]) {
    let counter = u128::from_be_bytes(*first.as_bytes()) + number;
    cipher.xor_keystream(counter, Secrecy::Secret, &mut data.into());
}

/// Makes the next keys (`UPDATE` in proposal 359), side by side those that follow each other at one kernel.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn update<C: UivCipher + KeyedCipher>(mut updates: &mut [Option<UivUpdate<'_, C>>]) {
    if updates.iter().all(Option::is_none) {
        return;
    }
    let mut seeds = Wiped::new([[0; MOST_SEED]; WINDOW]);
    while let Some(kernel) = updates.iter().flatten().next().map(UivUpdate::kernel) {
        let alike =
            |update: &&Option<UivUpdate<'_, C>>| update.as_ref().is_none_or(|it| it.kernel() == kernel);
        let (window, rest) = updates.split_at_mut(updates.iter().take(WINDOW).take_while(alike).count());
        for (update, seed) in window.iter_mut().flatten().zipped(seeds.iter_mut()) {
            let seed = &mut seed[..C::SEED];
            seed.fill(0);
            let first = first_counter(kernel, &update.keys.left, &update.input);
            keystream(&update.keys.stream, &first, BEFORE_KEYS, seed);
            update.keys.take(&Parts::of(seed));
            wipe(&mut update.input);
        }
        let parts = seeds.iter().map(|seed| Parts::of(&seed[..C::SEED]));
        let keyed = window.iter_mut().flatten().zipped(parts).flat_map(|(update, parts)| {
            let UivKeys { block, stream, .. } = &mut *update.keys;
            [(block, parts.block), (stream, parts.stream)]
        });
        #[cfg(feature = "alloc")]
        C::set_keys(keyed);
        #[cfg(not(feature = "alloc"))]
        keyed.for_each(|(cipher, key)| cipher.set_key(key));
        updates = rest;
    }
}

/// The parts of a seed, in their order.
struct Parts<'s> {
    block: &'s [u8],
    powers: &'s [u8],
    stream: &'s [u8],
    left: &'s [u8],
    nonce: &'s [u8],
}

impl<'s> Parts<'s> {
    /// Divides a seed: keys of AES, each with one of the hash, and the nonce.
    fn of(seed: &'s [u8]) -> Self {
        let (of_block, rest) = seed.split_at((seed.len() - BLOCK) / 2);
        let (of_stream, nonce) = rest.split_at(of_block.len());
        let (block, powers) = of_block.split_at(of_block.len() - BLOCK);
        let (stream, left) = of_stream.split_at(of_stream.len() - BLOCK);
        Self { block, powers, stream, left, nonce }
    }
}

impl<C: KeyedCipher> UivKeys<C> {
    /// Takes up all parts of a seed but the keys of AES.
    fn take(&mut self, parts: &Parts<'_>) {
        let level = match KeyedCipher::kernel(&self.block).0 {
            Choice::AesRounds(level) => Some(level),
            _ => None,
        };
        if let Some(key) = parts.powers.first_chunk() {
            self.powers.set(level, key);
        }
        self.left.copy_from(parts.left);
        self.nonce.copy_from(parts.nonce);
    }
}

impl<C: UivCipher> Uiv<C> {
    /// Bytes of a seed: 80 for AES-128 and 112 for AES-256.
    // No boundary: the only length.
    pub const SEED: usize = C::SEED;

    /// Makes the keys of a seed (`J || S || N` in proposal 359), for the best kernel of this CPU.
    ///
    /// # Errors
    /// [`Error::KeyLength`] if the seed has not [`SEED`](Self::SEED) bytes.
    pub fn new(seed: &[u8]) -> Result<Self, Error> {
        C::keyed(seed, None)
    }

    /// Makes the keys of a seed, for a given kernel, one of those of the cipher.
    ///
    /// # Errors
    /// [`Error::KeyLength`]; [`Error::KernelUnavailable`] if the kernel is another cipher's; [`Error::OutOfMemory`] for a
    /// bit-sliced one.
    pub fn with_kernel(seed: &[u8], kernel: Kernel) -> Result<Self, Error> {
        C::keyed(seed, Some(kernel))
    }

    /// Returns the kernel that computes it.
    #[must_use]
    pub fn kernel(&self) -> Kernel {
        self.0.block.kernel()
    }

    /// Returns the nonce `N`, which a sender puts into the first 16 bytes of a cell that it originates.
    #[must_use]
    pub fn nonce(&self) -> &[u8; BLOCK] {
        &self.0.nonce
    }

    /// True if a tag is the nonce; compared in constant time.
    #[must_use]
    pub fn is_nonce(&self, tag: &[u8; BLOCK]) -> bool {
        same_tag(&self.0.nonce, tag).is_ok()
    }

    /// Encrypts a cell under a tweak.
    pub fn encrypt(&self, tweak: &[u8; TWEAK], cell: &mut [u8; CELL]) {
        self.crypt(Direction::Encrypt, tweak, cell);
    }

    /// Decrypts a cell; the inverse of [`encrypt`](Self::encrypt).
    pub fn decrypt(&self, tweak: &[u8; TWEAK], cell: &mut [u8; CELL]) {
        self.crypt(Direction::Decrypt, tweak, cell);
    }

    fn crypt(&self, direction: Direction, tweak: &[u8; TWEAK], cell: &mut [u8; CELL]) {
        C::crypt(direction, &mut [Some(UivCell { keys: &self.0, tweak: *tweak, cell })]);
    }

    /// Replaces the keys and the nonce by those that they make from a block (`UPDATE` in proposal 359).
    ///
    /// ```
    /// use abreast::{aes::Aes128, modes::Uiv};
    ///
    /// let mut keys = Uiv::<Aes128>::new(&[7; 80])?;
    /// let nonce = *keys.nonce();
    /// assert!(keys.is_nonce(&nonce));
    /// keys.update(&nonce);
    /// assert!(!keys.is_nonce(&nonce));
    /// # Ok::<(), abreast::Error>(())
    /// ```
    pub fn update(&mut self, input: &[u8; BLOCK]) {
        C::update(&mut [Some(UivUpdate::new(self, input))]);
    }

    /// Encrypts cells, as [`encrypt`](Self::encrypt) does, side by side; places without a cell are passed over.
    ///
    /// ```
    /// use abreast::{aes::Aes128, modes::{Uiv, UivCell}};
    ///
    /// let circuits = [Uiv::<Aes128>::new(&[1; 80])?, Uiv::<Aes128>::new(&[2; 80])?];
    /// let mut cells = [[0; 509]; 2];
    /// let mut batch: Vec<_> = (circuits.iter().zip(&mut cells))
    ///     .map(|(keys, cell)| Some(UivCell::new(keys, &[3; 16], 0, cell)))
    ///     .collect();
    /// Uiv::encrypt_each(&mut batch);
    /// Uiv::decrypt_each(&mut batch);
    /// assert_eq!(cells, [[0; 509]; 2]);
    /// # Ok::<(), abreast::Error>(())
    /// ```
    pub fn encrypt_each(cells: &mut [Option<UivCell<'_, C>>]) {
        C::crypt(Direction::Encrypt, cells);
    }

    /// Decrypts cells, as [`encrypt_each`](Self::encrypt_each) encrypts them.
    pub fn decrypt_each(cells: &mut [Option<UivCell<'_, C>>]) {
        C::crypt(Direction::Decrypt, cells);
    }

    /// Replaces keys, as [`update`](Self::update) does. They are expanded side by side. Wipes the blocks that they were made from.
    ///
    /// ```
    /// use abreast::{aes::Aes128, modes::{Uiv, UivUpdate}};
    ///
    /// let (mut one, mut same) = (Uiv::<Aes128>::new(&[1; 80])?, Uiv::<Aes128>::new(&[1; 80])?);
    /// one.update(&[5; 16]);
    /// Uiv::update_each(&mut [Some(UivUpdate::new(&mut same, &[5; 16]))]);
    /// assert_eq!(one.nonce(), same.nonce());
    /// # Ok::<(), abreast::Error>(())
    /// ```
    pub fn update_each(updates: &mut [Option<UivUpdate<'_, C>>]) {
        C::update(updates);
    }
}

impl<C> fmt::Debug for Uiv<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Uiv").finish_non_exhaustive()
    }
}

impl<C> fmt::Debug for UivCell<'_, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UivCell").finish_non_exhaustive()
    }
}

impl<C> fmt::Debug for UivUpdate<'_, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UivUpdate").finish_non_exhaustive()
    }
}
