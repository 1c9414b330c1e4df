//! EAX (Bellare, Rogaway and Wagner, "The EAX mode of operation", FSE 2004): counter mode, and three CMACs,
//! of nonce, header and ciphertext, as tag.
//!
//! The CMAC of the ciphertext is a chain, and the counter mode is not: so both are done chunk by chunk in one function, and the
//! CPU does counter mode while the chain waits for itself.

use super::chain::xor_block;
use super::cmac::{CmacSubkeys, before_last, check_tag_len};
use super::eax_state::EaxState;
use super::stream::{Streaming, sealed};
use super::tag::same_tag;
use super::{Decryptor, Encryptor, WithTagLen};
use crate::engine::backend::{ChainingValue, Direction, Secrecy, len_before_wrap};
use crate::mode_call::ModeCall;
use crate::wipe::wipe;
use crate::{BlockCipher, Error, InOutBuf};
use abreast_simd::Wiped;
use abreast_simd::inlined::CopyFrom;
use core::fmt;

/// The three strings that are authenticated, as the block before them says (section 3, OMAC^t).
#[derive(Clone, Copy)]
pub(crate) enum OmacPart {
    Nonce,
    Header,
    Ciphertext,
}

impl OmacPart {
    /// The block that names the part, of `size` bytes: its number, big-endian.
    pub(crate) fn block(self, size: usize) -> &'static [u8] {
        const NUMBERS: [[u8; 16]; 3] = [0u128.to_be_bytes(), 1u128.to_be_bytes(), 2u128.to_be_bytes()];
        &NUMBERS[self as usize][16 - size..]
    }
}

/// A key in EAX mode: authenticated encryption with associated data, which the paper calls header.
///
/// Nonces have any length, including 0, and must never repeat under one key. Tags have as many bytes as the cipher's blocks, or
/// by [`with_tag_len`](Self::with_tag_len) fewer.
///
/// ```
/// use abreast::{modes::Eax, serpent::Serpent};
///
/// let eax = Eax::from_cipher(Serpent::new(&[7; 32])?);
/// let (nonce, associated_data) = (b"a nonce of any length", b"sent in clear");
/// let mut data = *b"attack at dawn";
/// let mut tag = [0; 16];
/// eax.encrypt_detached(nonce, associated_data, data.as_mut_slice(), &mut tag)?;
/// eax.decrypt_detached(nonce, associated_data, data.as_mut_slice(), &tag)?;
/// assert_eq!(&data, b"attack at dawn");
/// # Ok::<(), abreast::Error>(())
/// ```
pub struct Eax<C>(Wiped<KeyedEax<C>>);

/// A cipher with the values that are derived from its key.
struct KeyedEax<C> {
    cipher: C,
    subkeys: CmacSubkeys,
    /// The chain after the block that names the part.
    begun: [ChainingValue; 3],
}

impl<C: BlockCipher> Eax<C> {
    /// Makes the mode under a cipher's key.
    pub fn from_cipher(cipher: C) -> Self {
        let subkeys = CmacSubkeys::new(&cipher);
        let mut eax = KeyedEax { cipher, subkeys, begun: [[0; 16]; 3] };
        for part in [OmacPart::Nonce, OmacPart::Header, OmacPart::Ciphertext] {
            let size = eax.cipher.block_size();
            eax.cipher.mode_call(&mut ModeCall::Mac(&mut eax.begun[part as usize], part.block(size)));
        }
        Self(Wiped::new(eax))
    }

    /// Returns the cipher.
    pub fn cipher(&self) -> &C {
        &self.0.cipher
    }

    /// Returns the subkeys, and the chaining value after the block that names each part.
    pub(crate) fn parts(&self) -> (&CmacSubkeys, &[ChainingValue; 3]) {
        (&self.0.subkeys, &self.0.begun)
    }

    /// Returns this key with tags of `tag_len` bytes, 1 to a block: the first ones of the full tag. A forgery by chance
    /// succeeds with a probability of `2^-8n` for `n` bytes, so fewer than eight are for special cases only.
    ///
    /// # Errors
    /// [`Error::TagLength`] if it is another number.
    pub fn with_tag_len(&self, tag_len: usize) -> Result<WithTagLen<'_, Self>, Error> {
        check_tag_len(tag_len, self.0.cipher.block_size())?;
        Ok(WithTagLen { mode: self, tag_len })
    }

    /// Encrypts a message and writes its tag, a block.
    ///
    /// # Errors
    /// [`Error::TagLength`] if the buffer for it is not as long; then nothing was done.
    pub fn encrypt_detached<'i, 'o>(
        &self,
        nonce: &[u8],
        associated_data: &[u8],
        io: impl Into<InOutBuf<'i, 'o, u8>>,
        tag: &mut [u8],
    ) -> Result<(), Error> {
        self.with_full_tag().encrypt_detached(nonce, associated_data, io, tag)
    }

    /// Decrypts a message whose tag, a block, is right; otherwise the output is zeros.
    ///
    /// # Errors
    /// [`Error::TagMismatch`]; [`Error::TagLength`] if the tag is not as long, and then nothing was done.
    pub fn decrypt_detached<'i, 'o>(
        &self,
        nonce: &[u8],
        associated_data: &[u8],
        io: impl Into<InOutBuf<'i, 'o, u8>>,
        tag: &[u8],
    ) -> Result<(), Error> {
        self.with_full_tag().decrypt_detached(nonce, associated_data, io, tag)
    }

    /// With tags of a block.
    pub(crate) fn with_full_tag(&self) -> WithTagLen<'_, Self> {
        WithTagLen { mode: self, tag_len: self.0.cipher.block_size() }
    }

    /// Begins a message to encrypt in pieces.
    pub fn encryptor(&self, nonce: &[u8], associated_data: &[u8]) -> Encryptor<'_, Self> {
        Encryptor::new(self, self.begin_with(nonce, associated_data))
    }

    /// Begins a message to decrypt in pieces. The plaintext is not to be trusted before [`Decryptor::verify`] says so.
    pub fn decryptor(&self, nonce: &[u8], associated_data: &[u8]) -> Decryptor<'_, Self> {
        Decryptor::new(self, self.begin_with(nonce, associated_data))
    }

    /// The beginning of a message whose header may go on.
    fn begin_with(&self, nonce: &[u8], header: &[u8]) -> EaxState {
        let mut state = self.begin_nonce(nonce);
        self.header(&mut state, header);
        state
    }

    /// The beginning of a message before its header.
    fn begin_nonce(&self, nonce: &[u8]) -> EaxState {
        let mut counter = self.omac(OmacPart::Nonce, nonce);
        let bits = 8 * self.0.cipher.block_size();
        let (first, tag) = (u128::from_be_bytes(counter) >> (128 - bits), counter);
        wipe(&mut counter);
        EaxState {
            counter: first,
            tag,
            chain: self.0.begun[OmacPart::Header as usize],
            held: [0; 16],
            stream: [0; 16],
            len: 0,
            empty: true,
            in_header: true,
        }
    }

    /// Takes in the next piece of the header.
    fn header(&self, state: &mut EaxState, mut data: &[u8]) {
        let size = self.0.cipher.block_size();
        state.empty &= data.is_empty();
        let (head, rest) = data.split_at(data.len().min(size - state.len));
        state.held[state.len..][..head.len()].copy_from(head);
        state.len += head.len();
        data = rest;
        if data.is_empty() {
            return;
        }
        // The held bytes are a whole block, and not the last.
        self.0.cipher.mode_call(&mut ModeCall::Mac(&mut state.chain, &state.held[..size]));
        let (whole, last) = before_last(data, size);
        if !whole.is_empty() {
            self.0.cipher.mode_call(&mut ModeCall::Mac(&mut state.chain, whole));
        }
        state.held[..last.len()].copy_from(last);
        state.len = last.len();
    }

    /// Puts the header's part into the tag, when the message begins or ends.
    fn end_header(&self, state: &mut EaxState) {
        if !state.in_header {
            return;
        }
        if state.empty {
            state.chain = self.omac(OmacPart::Header, &[]);
        } else {
            self.0.subkeys.finish(&self.0.cipher, &mut state.chain, &state.held[..state.len]);
        }
        self.add_header(state);
    }

    /// Adds the header's part to the tag, and begins that of the ciphertext.
    fn add_header(&self, state: &mut EaxState) {
        xor_block(&mut state.tag, &state.chain);
        state.chain = self.0.begun[OmacPart::Ciphertext as usize];
        (state.len, state.empty, state.in_header) = (0, true, false);
    }

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn message(
        &self,
        direction: Direction,
        nonce: &[u8],
        header: &[u8],
        io: &mut InOutBuf<'_, '_, u8>,
    ) -> [u8; 16] {
        let mut state = self.begin_nonce(nonce);
        state.chain = self.omac(OmacPart::Header, header);
        self.add_header(&mut state);
        self.piece(&mut state, direction, io.reborrow());
        self.full(&mut state)
    }

    /// OMAC^t of a string that is there as a whole.
    fn omac(&self, part: OmacPart, data: &[u8]) -> ChainingValue {
        let size = self.0.cipher.block_size();
        if data.is_empty() {
            let mut chain = [0; 16];
            self.0.subkeys.finish(&self.0.cipher, &mut chain, part.block(size));
            return chain;
        }
        let mut chain = self.0.begun[part as usize];
        let (head, last) = before_last(data, size);
        if !head.is_empty() {
            self.0.cipher.mode_call(&mut ModeCall::Mac(&mut chain, head));
        }
        self.0.subkeys.finish(&self.0.cipher, &mut chain, last);
        chain
    }
}

impl<C> fmt::Debug for Eax<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Eax").finish_non_exhaustive()
    }
}

/// With tags of a length that was asked for.
impl<C: BlockCipher> WithTagLen<'_, Eax<C>> {
    /// Encrypts as [`Eax::encrypt_detached`] does.
    ///
    /// # Errors
    /// [`Error::TagLength`] if the buffer is not as long as the tag; then nothing was done.
    pub fn encrypt_detached<'i, 'o>(
        &self,
        nonce: &[u8],
        associated_data: &[u8],
        io: impl Into<InOutBuf<'i, 'o, u8>>,
        tag: &mut [u8],
    ) -> Result<(), Error> {
        let mut io = io.into();
        self.check(tag)?;
        let full = self.mode.message(Direction::Encrypt, nonce, associated_data, &mut io);
        tag.copy_from(&full[..tag.len()]);
        Ok(())
    }

    /// Decrypts as [`Eax::decrypt_detached`] does.
    ///
    /// # Errors
    /// [`Error::TagMismatch`]; [`Error::TagLength`] if the tag has another length, and then nothing was done.
    pub fn decrypt_detached<'i, 'o>(
        &self,
        nonce: &[u8],
        associated_data: &[u8],
        io: impl Into<InOutBuf<'i, 'o, u8>>,
        tag: &[u8],
    ) -> Result<(), Error> {
        let mut io = io.into();
        self.check(tag)?;
        let full = self.mode.message(Direction::Decrypt, nonce, associated_data, &mut io);
        same_tag(&full, tag).inspect_err(|_| io.get_out().fill(0))
    }
}

impl<C: BlockCipher> Eax<C> {
    /// Encrypts or decrypts the next piece, of any length.
    fn piece(&self, state: &mut EaxState, direction: Direction, io: InOutBuf<'_, '_, u8>) {
        let size = self.0.cipher.block_size();
        if io.is_empty() {
            return;
        }
        self.end_header(state);
        state.empty = false;
        let room = if state.len == 0 { 0 } else { (size - state.len).min(io.len()) };
        let (head, rest) = io.split_at(room);
        state.part_of_block(direction, head);
        if rest.is_empty() {
            return;
        }
        if state.len > 0 {
            // The held bytes are a whole block, and not the last.
            self.0.cipher.mode_call(&mut ModeCall::Mac(&mut state.chain, &state.held[..size]));
        }
        let whole = (rest.len() - 1) / size * size;
        let (mut whole, last) = rest.split_at(whole);
        self.whole_blocks(state, direction, &mut whole);
        state.stream = [0; 16];
        let stream = &mut state.stream[..size];
        self.0.cipher.xor_keystream(state.counter, Secrecy::Secret, &mut stream.into());
        state.counter = state.counter.wrapping_add(1);
        state.len = 0;
        state.part_of_block(direction, last);
    }

    /// Whole blocks, none of which is the last. They are cut where the kernel's counter of 32 bits wraps,
    /// which is as much as timing can tell of the counter.
    fn whole_blocks(&self, state: &mut EaxState, direction: Direction, io: &mut InOutBuf<'_, '_, u8>) {
        let size = self.0.cipher.block_size();
        let mut rest = io.reborrow();
        while !rest.is_empty() {
            let len = len_before_wrap(state.counter, size, rest.len());
            let (mut part, after) = rest.split_at(len);
            self.0.cipher.mode_call(&mut ModeCall::CtrMac(
                direction,
                state.counter,
                &mut state.chain,
                &mut part,
            ));
            state.counter = state.counter.wrapping_add((len / size) as u128);
            rest = after;
        }
    }

    fn full(&self, state: &mut EaxState) -> ChainingValue {
        self.end_header(state);
        if state.empty {
            state.chain = self.omac(OmacPart::Ciphertext, &[]);
        } else {
            self.0.subkeys.finish(&self.0.cipher, &mut state.chain, &state.held[..state.len]);
        }
        (u128::from_ne_bytes(state.tag) ^ u128::from_ne_bytes(state.chain)).to_ne_bytes()
    }
}

impl<C> sealed::SealedStreaming for Eax<C> {}

impl<C: BlockCipher> Streaming for Eax<C> {
    type State = EaxState;

    fn begin(&self, nonce: &[u8]) -> Result<EaxState, Error> {
        Ok(self.begin_nonce(nonce))
    }

    fn associated_data(&self, state: &mut EaxState, data: &[u8]) -> Result<(), Error> {
        if !state.in_header {
            return Err(Error::AssociatedDataLate);
        }
        self.header(state, data);
        Ok(())
    }

    fn update(
        &self,
        state: &mut EaxState,
        direction: Direction,
        io: InOutBuf<'_, '_, u8>,
    ) -> Result<(), Error> {
        self.piece(state, direction, io);
        Ok(())
    }

    fn full_tag(&self, state: &mut EaxState) -> ChainingValue {
        self.full(state)
    }

    fn full_tag_len(&self) -> usize {
        self.0.cipher.block_size()
    }

    fn check_tag_len(&self, tag_len: usize) -> Result<(), Error> {
        check_tag_len(tag_len, self.0.cipher.block_size())
    }
}
