//! Galois/Counter Mode (SP 800-38D), counter mode and GHASH in one pass.
//!
//! The hash of one pass's ciphertext is computed between the rounds of another: when encrypting, of the
//! pass before, which is still in the first-level cache; when decrypting, of the same pass. AES rounds
//! and carry-less products use different units of the CPU, so the hash costs little more than the
//! instructions it takes to issue.

use super::ctr::CtrPasses;
use crate::ghash::{GhashKey, PASS, Product, absorb, absorb_first, absorb_vector};
use crate::spec::{Job, On, Passes, Secrecy, ladder};
use crate::{Error, GcmCipher, InOutBuf};
use abreast_simd::{Block, Blocks, Clmul, Isa};
use core::fmt;
use subtle::ConstantTimeEq;
use zeroize::Zeroize;

const BLOCK: usize = 16;

/// Bytes of a message: 2^39 - 256 bits (SP 800-38D, section 5.2.1.1).
const MAX_MESSAGE: u64 = (1 << 36) - 32;
/// Bytes of associated data, and of a nonce: what a 64-bit count of bits can say.
const MAX_HASHED: u64 = (1 << 61) - 1;

/// Which side the ciphertext is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub enum Direction {
    Encrypt,
    Decrypt,
}

/// The hash key of a cipher: its encrypted zero block and powers of it.
pub(crate) struct MakeKey;

impl Job for MakeKey {
    type Out = GhashKey;

    #[inline(always)]
    fn run<I: Isa, S: On<I>>(self, isa: I, keys: &S::Keys) -> GhashKey {
        let zero = S::load_partial(isa, &[0; BLOCK]);
        let [h] = S::encrypt(
            isa,
            keys,
            [zero],
            #[inline(always)]
            |_| (),
        );
        GhashKey::new::<S::Ghash>(S::ghash_isa(isa), &first_block::<I, S>(h))
    }
}

#[inline(always)]
fn first_block<I: Isa, S: On<I>>(group: S::Group) -> [u8; BLOCK] {
    let mut block = [0; BLOCK];
    S::store_partial(group, &mut block);
    block
}

/// The block that ends the hash: two lengths in bits.
#[inline(always)]
fn lengths(aad: u64, data: u64) -> [u8; BLOCK] {
    (u128::from(8 * aad) << 64 | u128::from(8 * data)).to_be_bytes()
}

/// The first counter block (section 7.1, step 2), as a big-endian number.
#[inline(always)]
fn first_counter<V: Clmul>(isa: V::Isa, key: &GhashKey, nonce: &[u8]) -> (u128, Secrecy) {
    if let &[a, b, c, d, e, f, g, h, i, j, k, l] = nonce {
        (u128::from_be_bytes([a, b, c, d, e, f, g, h, i, j, k, l, 0, 0, 0, 1]), Secrecy::Public)
    } else {
        let zero = V::splat(isa, &[0; BLOCK]);
        let lengths = lengths(0, nonce.len() as u64);
        // The hash as the kernels hold it has its bytes reversed.
        (u128::from_le_bytes(absorb(isa, key, zero, nonce, Some(&lengths)).to_first()), Secrecy::Secret)
    }
}

/// The counter block `blocks` after this one: the low 32 bits count (section 6.2).
#[inline(always)]
fn advance(counter: u128, blocks: u32) -> u128 {
    let low = u128::from(u32::MAX);
    counter & !low | u128::from((counter as u32).wrapping_add(blocks))
}

/// A whole message at once; returns its full tag.
pub(crate) struct Message<'a, 'i, 'o> {
    pub(crate) key: &'a GhashKey,
    pub(crate) direction: Direction,
    pub(crate) nonce: &'a [u8],
    pub(crate) aad: &'a [u8],
    pub(crate) io: &'a mut InOutBuf<'i, 'o, u8>,
}

impl Job for Message<'_, '_, '_> {
    type Out = [u8; BLOCK];

    #[inline(always)]
    fn run<I: Isa, S: On<I>>(self, isa: I, keys: &S::Keys) -> [u8; BLOCK] {
        let hash_isa = S::ghash_isa(isa);
        let (first, secrecy) = first_counter::<S::Ghash>(hash_isa, self.key, self.nonce);
        let mut mask =
            CtrPasses::<I, S> { isa, keys, counter: S::counter(isa, &Block::from(first), secrecy) };
        let [mask] = mask.keystream::<1>(
            #[inline(always)]
            |_| (),
        );

        let hash = absorb_first::<S::Ghash>(hash_isa, self.key, self.aad);
        let lengths = lengths(self.aad.len() as u64, self.io.len() as u64);
        let passes =
            CtrPasses { isa, keys, counter: S::counter(isa, &Block::from(advance(first, 1)), secrecy) };
        let hash = crypt::<I, S>(passes, self.key, hash, self.direction, self.io, Some(&lengths));
        let mask = S::Ghash::first(hash_isa, &first_block::<I, S>(mask));
        (hash.reverse_bytes() ^ mask).to_first()
    }
}

/// What a message in pieces needs between them.
#[derive(Clone)]
#[doc(hidden)]
pub struct Running {
    /// The first counter block, whose keystream masks the hash.
    first: u128,
    /// The counter block to come.
    counter: u128,
    /// Whether they are secret.
    secrecy: Secrecy,
    /// The hash so far, as the kernels hold it.
    hash: [u8; BLOCK],
}

impl Drop for Running {
    fn drop(&mut self) {
        // The counters, too: from a nonce that is not 12 bytes long they come by way of the hash key.
        self.first.zeroize();
        self.counter.zeroize();
        self.hash.zeroize();
    }
}

/// Starts a message in pieces: the nonce and the associated data.
pub(crate) struct Begin<'a> {
    pub(crate) key: &'a GhashKey,
    pub(crate) nonce: &'a [u8],
    pub(crate) aad: &'a [u8],
}

impl Job for Begin<'_> {
    type Out = Running;

    #[inline(always)]
    fn run<I: Isa, S: On<I>>(self, isa: I, _: &S::Keys) -> Running {
        let isa = S::ghash_isa(isa);
        let (first, secrecy) = first_counter::<S::Ghash>(isa, self.key, self.nonce);
        let hash = absorb_first::<S::Ghash>(isa, self.key, self.aad).to_first();
        Running { first, counter: advance(first, 1), secrecy, hash }
    }
}

/// A piece of a message: whole blocks, unless it is the last.
pub(crate) struct Piece<'a, 'i, 'o> {
    pub(crate) key: &'a GhashKey,
    pub(crate) direction: Direction,
    pub(crate) running: &'a mut Running,
    pub(crate) io: &'a mut InOutBuf<'i, 'o, u8>,
}

impl Job for Piece<'_, '_, '_> {
    type Out = ();

    #[inline(always)]
    fn run<I: Isa, S: On<I>>(self, isa: I, keys: &S::Keys) {
        let blocks = self.io.len().div_ceil(BLOCK) as u32;
        let passes = CtrPasses {
            isa,
            keys,
            counter: S::counter(isa, &Block::from(self.running.counter), self.running.secrecy),
        };
        let hash = S::Ghash::first(S::ghash_isa(isa), &self.running.hash);
        self.running.hash = crypt::<I, S>(passes, self.key, hash, self.direction, self.io, None).to_first();
        self.running.counter = advance(self.running.counter, blocks);
    }
}

/// The tag of a message in pieces, from its lengths.
pub(crate) struct Finish<'a> {
    pub(crate) key: &'a GhashKey,
    pub(crate) running: &'a Running,
    pub(crate) aad_len: u64,
    pub(crate) data_len: u64,
}

impl Job for Finish<'_> {
    type Out = [u8; BLOCK];

    #[inline(always)]
    fn run<I: Isa, S: On<I>>(self, isa: I, keys: &S::Keys) -> [u8; BLOCK] {
        let counter = S::counter(isa, &Block::from(self.running.first), self.running.secrecy);
        let [mask] = CtrPasses::<I, S> { isa, keys, counter }.keystream::<1>(
            #[inline(always)]
            |_| (),
        );
        let isa = S::ghash_isa(isa);
        let hash = S::Ghash::first(isa, &self.running.hash);
        let hash = absorb(isa, self.key, hash, &[], Some(&lengths(self.aad_len, self.data_len)));
        (hash.reverse_bytes() ^ S::Ghash::first(isa, &first_block::<I, S>(mask))).to_first()
    }
}

/// Groups of a pass of the main loop: no more blocks than there are powers of the hash key.
const fn depth<I: Isa, S: On<I>>() -> usize {
    let most = PASS * BLOCK / S::GROUP;
    if S::DEPTH < most { S::DEPTH } else { most }
}

/// Counter mode and the hash of the ciphertext, and of a last block if there is one.
#[inline(always)]
fn crypt<I: Isa, S: On<I>>(
    mut passes: CtrPasses<'_, I, S>,
    key: &GhashKey,
    mut hash: S::Ghash,
    direction: Direction,
    io: &mut InOutBuf<'_, '_, u8>,
    last: Option<&[u8; BLOCK]>,
) -> S::Ghash {
    let isa = S::ghash_isa(passes.isa);
    let pass = depth::<I, S>() * S::GROUP;
    let done = io.len() - io.len() % pass;
    if done > 0 {
        match depth::<I, S>() {
            8 => whole_passes::<8, I, S>(&mut passes, key, &mut hash, direction, io),
            4 => whole_passes::<4, I, S>(&mut passes, key, &mut hash, direction, io),
            2 => whole_passes::<2, I, S>(&mut passes, key, &mut hash, direction, io),
            _ => whole_passes::<1, I, S>(&mut passes, key, &mut hash, direction, io),
        }
    }
    if direction == Direction::Decrypt {
        // In place the ciphertext is gone once it is decrypted.
        hash = absorb(isa, key, hash, &io.get_in()[done..], last);
    }
    let (_, rest) = io.reborrow().split_at(done);
    ladder(depth::<I, S>() / 2, &mut passes, rest);
    if direction == Direction::Encrypt {
        // The last of the whole passes has not been hashed.
        hash = absorb(isa, key, hash, &io.get_out()[done.saturating_sub(pass)..], last);
    }
    hash
}

/// The hash of one pass, vector by vector between the rounds.
struct Stitch<'a, V> {
    key: &'a GhashKey,
    before: V,
    product: Product<V>,
    pass: &'a [u8],
}

impl<'a, V: Clmul> Stitch<'a, V> {
    #[inline(always)]
    fn new(isa: V::Isa, key: &'a GhashKey, before: V, pass: &'a [u8]) -> Self {
        Self { key, before, product: Product::zero(V::splat(isa, &[0; BLOCK])), pass }
    }

    /// The share of step `i` of `STEPS`, of a pass of `VECTORS` vectors.
    #[inline(always)]
    fn step(&mut self, isa: V::Isa, vectors: usize, steps: usize, i: usize) {
        let mut vector = i * vectors / steps;
        while vector < (i + 1) * vectors / steps {
            // The vector that takes up the hash so far comes last, so that there is time to compute it.
            let at = (vector + 1) % vectors;
            absorb_vector(isa, self.key, &mut self.product, self.before, self.pass, vectors, at);
            vector += 1;
        }
    }
}

/// The main loops, over all whole passes of a buffer. A call, for messages in one piece and in many.
///
/// Decryption hashes each pass's own ciphertext. Encryption hashes that of the pass before, and so leaves
/// the last pass to be hashed.
#[inline(always)]
fn whole_passes<const N: usize, I: Isa, S: On<I>>(
    passes: &mut CtrPasses<'_, I, S>,
    key: &GhashKey,
    hash: &mut S::Ghash,
    direction: Direction,
    io: &mut InOutBuf<'_, '_, u8>,
) {
    passes.isa.call(
        #[inline(always)]
        || {
            // Copies, which can stay in registers: the loops write memory that might be behind a reference.
            let mut local = CtrPasses { ..*passes };
            *hash = match direction {
                Direction::Encrypt => encrypt_passes::<N, I, S>(&mut local, key, *hash, io.reborrow()),
                Direction::Decrypt => decrypt_passes::<N, I, S>(&mut local, key, *hash, io.reborrow()),
            };
            passes.counter = local.counter;
        },
    );
}

#[inline(always)]
fn encrypt_passes<const N: usize, I: Isa, S: On<I>>(
    passes: &mut CtrPasses<'_, I, S>,
    key: &GhashKey,
    mut hash: S::Ghash,
    mut io: InOutBuf<'_, '_, u8>,
) -> S::Ghash {
    let isa = S::ghash_isa(passes.isa);
    let bytes = N * S::GROUP;
    let vectors = bytes / S::Ghash::BYTES;
    let mut pending: &[u8] = &[];
    if io.len() >= bytes {
        let (mut pass, rest) = io.split_at(bytes);
        passes.pass::<N>(pass.reborrow());
        (pending, io) = (pass.into_out(), rest);
    }
    while io.len() >= bytes {
        let (mut pass, rest) = io.split_at(bytes);
        let mut stitch = Stitch::new(isa, key, hash, &pending[..bytes]);
        let stream = passes.keystream::<N>(
            #[inline(always)]
            |i| stitch.step(isa, vectors, S::STEPS, i),
        );
        passes.xor(stream, &mut pass);
        hash = stitch.product.reduce(isa);
        (pending, io) = (pass.into_out(), rest);
    }
    hash
}

#[inline(always)]
fn decrypt_passes<const N: usize, I: Isa, S: On<I>>(
    passes: &mut CtrPasses<'_, I, S>,
    key: &GhashKey,
    mut hash: S::Ghash,
    mut io: InOutBuf<'_, '_, u8>,
) -> S::Ghash {
    let isa = S::ghash_isa(passes.isa);
    let bytes = N * S::GROUP;
    let vectors = bytes / S::Ghash::BYTES;
    while io.len() >= bytes {
        let (mut pass, rest) = io.split_at(bytes);
        let mut stitch = Stitch::new(isa, key, hash, &pass.get_in()[..bytes]);
        let stream = passes.keystream::<N>(
            #[inline(always)]
            |i| stitch.step(isa, vectors, S::STEPS, i),
        );
        let product = stitch.product;
        passes.xor(stream, &mut pass);
        hash = product.reduce(isa);
        io = rest;
    }
    hash
}

/// A key in Galois/Counter Mode.
///
/// Nonces are 12 bytes as a rule and must never repeat under one key; any other length but none is
/// allowed. Tags have 16 bytes as a rule, or 15, 14, 13, 12, 8 or 4 (appendix C of the standard says how
/// few messages the short ones are good for). A message has at most 2^36 - 32 bytes.
///
/// The powers of the hash key are computed once and take 1152 bytes.
///
/// ```
/// use abreast::{aes::Aes256, modes::Gcm};
///
/// let gcm = Gcm::new(Aes256::new(&[7; 32]));
/// let (nonce, aad) = ([1; 12], b"sent in clear");
/// let mut data = *b"attack at dawn";
/// let mut tag = [0; 16];
/// gcm.encrypt(&nonce, aad, data.as_mut_slice().into(), &mut tag)?;
/// gcm.decrypt(&nonce, aad, data.as_mut_slice().into(), &tag)?;
/// assert_eq!(&data, b"attack at dawn");
/// # Ok::<(), abreast::Error>(())
/// ```
pub struct Gcm<C> {
    cipher: C,
    key: GhashKey,
}

impl<C: GcmCipher> Gcm<C> {
    /// The mode under a cipher's key.
    pub fn new(cipher: C) -> Self {
        let key = cipher.gcm_key();
        Self { cipher, key }
    }

    /// The cipher.
    pub fn cipher(&self) -> &C {
        &self.cipher
    }

    /// Encrypts a message and writes its tag, which is as long as the buffer for it.
    ///
    /// # Errors
    /// [`Error::NonceLength`], [`Error::TagLength`], [`Error::MessageTooLong`]; then nothing was done.
    // Inlined so that the buffer's description is written once, right where the kernel reads it.
    #[inline(always)]
    pub fn encrypt(
        &self,
        nonce: &[u8],
        aad: &[u8],
        mut io: InOutBuf<'_, '_, u8>,
        tag: &mut [u8],
    ) -> Result<(), Error> {
        check_tag(tag)?;
        check_nonce(nonce)?;
        check_lengths(aad.len() as u64, io.len() as u64)?;
        let full = self.cipher.gcm_message(&self.key, Direction::Encrypt, nonce, aad, &mut io);
        tag.copy_from_slice(&full[..tag.len()]);
        Ok(())
    }

    /// Decrypts a message whose tag is right; otherwise the output is zeros.
    ///
    /// # Errors
    /// [`Error::TagMismatch`]; [`Error::NonceLength`], [`Error::TagLength`], [`Error::MessageTooLong`],
    /// and then nothing was done.
    #[inline(always)]
    pub fn decrypt(
        &self,
        nonce: &[u8],
        aad: &[u8],
        mut io: InOutBuf<'_, '_, u8>,
        tag: &[u8],
    ) -> Result<(), Error> {
        check_tag(tag)?;
        check_nonce(nonce)?;
        check_lengths(aad.len() as u64, io.len() as u64)?;
        let full = self.cipher.gcm_message(&self.key, Direction::Decrypt, nonce, aad, &mut io);
        if same_tag(&full, tag) {
            return Ok(());
        }
        io.get_out().zeroize();
        Err(Error::TagMismatch)
    }

    /// A message to encrypt in pieces.
    ///
    /// # Errors
    /// [`Error::NonceLength`], [`Error::MessageTooLong`] for the associated data.
    pub fn encryptor(&self, nonce: &[u8], aad: &[u8]) -> Result<GcmEncryptor<'_, C>, Error> {
        Ok(GcmEncryptor(Pieces::new(self, Direction::Encrypt, nonce, aad)?))
    }

    /// A message to decrypt in pieces. The plaintext is not to be trusted before
    /// [`GcmDecryptor::verify`] says so.
    ///
    /// # Errors
    /// [`Error::NonceLength`], [`Error::MessageTooLong`] for the associated data.
    pub fn decryptor(&self, nonce: &[u8], aad: &[u8]) -> Result<GcmDecryptor<'_, C>, Error> {
        Ok(GcmDecryptor(Pieces::new(self, Direction::Decrypt, nonce, aad)?))
    }
}

impl<C> fmt::Debug for Gcm<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gcm").finish_non_exhaustive()
    }
}

fn check_tag(tag: &[u8]) -> Result<(), Error> {
    if matches!(tag.len(), 4 | 8 | 12..=16) { Ok(()) } else { Err(Error::TagLength) }
}

/// Whether a tag is the beginning of the full one. Its length is no secret; its bytes are compared in
/// constant time.
fn same_tag(full: &[u8; BLOCK], tag: &[u8]) -> bool {
    // As numbers: byte by byte, with a barrier after each, costs as much as a short message.
    let (mut a, mut b) = ([0; BLOCK], [0; BLOCK]);
    a[..tag.len()].copy_from_slice(&full[..tag.len()]);
    b[..tag.len()].copy_from_slice(tag);
    u128::from_ne_bytes(a).ct_eq(&u128::from_ne_bytes(b)).into()
}

fn check_nonce(nonce: &[u8]) -> Result<(), Error> {
    if nonce.is_empty() || nonce.len() as u64 > MAX_HASHED { Err(Error::NonceLength) } else { Ok(()) }
}

fn check_lengths(aad: u64, data: u64) -> Result<(), Error> {
    if aad > MAX_HASHED || data > MAX_MESSAGE { Err(Error::MessageTooLong) } else { Ok(()) }
}

/// A message in pieces, split anywhere.
struct Pieces<'g, C> {
    gcm: &'g Gcm<C>,
    direction: Direction,
    running: Running,
    aad_len: u64,
    data_len: u64,
    /// The block that the last piece ended in: its keystream, and its ciphertext so far.
    stream: [u8; BLOCK],
    ciphertext: [u8; BLOCK],
}

impl<'g, C: GcmCipher> Pieces<'g, C> {
    fn new(gcm: &'g Gcm<C>, direction: Direction, nonce: &[u8], aad: &[u8]) -> Result<Self, Error> {
        check_nonce(nonce)?;
        check_lengths(aad.len() as u64, 0)?;
        let running = gcm.cipher.gcm_begin(&gcm.key, nonce, aad);
        let aad_len = aad.len() as u64;
        Ok(Self { gcm, direction, running, aad_len, data_len: 0, stream: [0; BLOCK], ciphertext: [0; BLOCK] })
    }

    fn update(&mut self, mut io: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
        let len = self.data_len.checked_add(io.len() as u64).ok_or(Error::MessageTooLong)?;
        check_lengths(self.aad_len, len)?;
        let filled = (self.data_len % BLOCK as u64) as usize;
        self.data_len = len;
        if filled > 0 {
            let head = io.len().min(BLOCK - filled);
            let (head, rest) = io.split_at(head);
            let end = filled + head.len();
            self.part_of_block(head, filled);
            io = rest;
            if end < BLOCK {
                return Ok(());
            }
            self.hash_block(BLOCK);
        }
        let whole = io.len() - io.len() % BLOCK;
        let (mut whole, tail) = io.split_at(whole);
        self.gcm.cipher.gcm_piece(&self.gcm.key, self.direction, &mut self.running, &mut whole);
        if !tail.is_empty() {
            self.stream = [0; BLOCK];
            let counter = self.running.counter;
            self.gcm.cipher.xor_keystream(
                counter,
                self.running.secrecy,
                &mut self.stream.as_mut_slice().into(),
            );
            self.running.counter = advance(counter, 1);
            self.part_of_block(tail, 0);
        }
        Ok(())
    }

    /// Xors keystream into a part of a block, from byte `at` on.
    fn part_of_block(&mut self, mut io: InOutBuf<'_, '_, u8>, at: usize) {
        let block = at..at + io.len();
        if self.direction == Direction::Decrypt {
            self.ciphertext[block.clone()].copy_from_slice(io.get_in());
        }
        io.xor_in2out(&self.stream[block.clone()]);
        if self.direction == Direction::Encrypt {
            self.ciphertext[block].copy_from_slice(io.get_out());
        }
    }

    /// Hashes the first bytes of the kept block of ciphertext.
    fn hash_block(&mut self, len: usize) {
        let block = &self.ciphertext[..len];
        self.gcm.cipher.gcm_hash(&self.gcm.key, &mut self.running, block);
    }

    fn tag(mut self) -> [u8; BLOCK] {
        let filled = (self.data_len % BLOCK as u64) as usize;
        if filled > 0 {
            self.hash_block(filled);
        }
        self.gcm.cipher.gcm_finish(&self.gcm.key, &self.running, self.aad_len, self.data_len)
    }
}

impl<C> Drop for Pieces<'_, C> {
    fn drop(&mut self) {
        self.stream.zeroize();
    }
}

/// A message that is encrypted in pieces; made by [`Gcm::encryptor`].
pub struct GcmEncryptor<'g, C>(Pieces<'g, C>);

impl<C: GcmCipher> GcmEncryptor<'_, C> {
    /// Encrypts the next piece, of any length.
    ///
    /// # Errors
    /// [`Error::MessageTooLong`]; then nothing was done.
    pub fn update(&mut self, io: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
        self.0.update(io)
    }

    /// Writes the tag, which is as long as the buffer for it.
    ///
    /// # Errors
    /// [`Error::TagLength`].
    pub fn finish(self, tag: &mut [u8]) -> Result<(), Error> {
        check_tag(tag)?;
        let full = self.0.tag();
        tag.copy_from_slice(&full[..tag.len()]);
        Ok(())
    }
}

/// A message that is decrypted in pieces; made by [`Gcm::decryptor`].
pub struct GcmDecryptor<'g, C>(Pieces<'g, C>);

impl<C: GcmCipher> GcmDecryptor<'_, C> {
    /// Decrypts the next piece, of any length. The caller keeps the plaintext to itself until
    /// [`verify`](Self::verify) has said that it is authentic.
    ///
    /// # Errors
    /// [`Error::MessageTooLong`]; then nothing was done.
    pub fn update(&mut self, io: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
        self.0.update(io)
    }

    /// Compares the tag, in constant time.
    ///
    /// # Errors
    /// [`Error::TagMismatch`]: all plaintext is to be thrown away. [`Error::TagLength`].
    pub fn verify(self, tag: &[u8]) -> Result<(), Error> {
        check_tag(tag)?;
        let full = self.0.tag();
        if same_tag(&full, tag) { Ok(()) } else { Err(Error::TagMismatch) }
    }
}

impl<C> fmt::Debug for GcmEncryptor<'_, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GcmEncryptor").finish_non_exhaustive()
    }
}

impl<C> fmt::Debug for GcmDecryptor<'_, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GcmDecryptor").finish_non_exhaustive()
    }
}

/// Hashes bytes of ciphertext that were processed elsewhere.
pub(crate) struct Hash<'a> {
    pub(crate) key: &'a GhashKey,
    pub(crate) running: &'a mut Running,
    pub(crate) data: &'a [u8],
}

impl Job for Hash<'_> {
    type Out = ();

    #[inline(always)]
    fn run<I: Isa, S: On<I>>(self, isa: I, _: &S::Keys) {
        let isa = S::ghash_isa(isa);
        let hash = S::Ghash::first(isa, &self.running.hash);
        self.running.hash = absorb(isa, self.key, hash, self.data, None).to_first();
    }
}
