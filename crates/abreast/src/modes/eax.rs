//! EAX (Bellare, Rogaway and Wagner, "The EAX mode of operation", FSE 2004): counter mode, and three CMACs,
//! of nonce, header and ciphertext, as tag.
//!
//! The CMAC of the ciphertext is a chain, and the counter mode is not: done chunk by chunk in one function,
//! the CPU does counter mode while the chain waits for itself.

use super::cmac::{Subkeys, before_last, check_tag, same_tag};
use super::part_of_block;
use crate::modes::ctr::CtrPasses;
use crate::spec::{Direction, Job, On, Secrecy, ladder, split_up_to};
use crate::work::{Chain, Work};
use crate::{BlockCipher, Error, InOutBuf};
use abreast_simd::{Block, Isa};
use core::fmt;
use zeroize::Zeroize;

/// Counter mode and CBC-MAC of the ciphertext, over whole blocks.
pub(crate) struct CtrMac<'a, 'i, 'o, const ENCRYPT: bool> {
    pub(crate) counter: &'a Block,
    pub(crate) chain: &'a mut Chain,
    pub(crate) io: &'a mut InOutBuf<'i, 'o, u8>,
}

impl<const ENCRYPT: bool> Job for CtrMac<'_, '_, '_, ENCRYPT> {
    type Out = ();

    #[inline(always)]
    fn run<I: Isa, S: On<I>>(self, isa: I, keys: &S::Keys) {
        let counter = S::counter(isa, self.counter, Secrecy::Secret);
        let mut passes = CtrPasses::<I, S> { isa, keys, counter };
        let mut chain = Linking::<I, S> { isa, keys, input: None };
        let before = S::load_lone(isa, &self.chain[..S::BLOCK]);
        let mut rest = self.io.reborrow();
        while !rest.is_empty() {
            let (mut chunk, behind) = split_up_to(rest, S::DEPTH * S::GROUP);
            if !ENCRYPT {
                chain.absorb(before, chunk.get_in());
            }
            // The narrowest passes will do: there is time.
            ladder::<I, S>(1, &mut passes, chunk.reborrow());
            if ENCRYPT {
                chain.absorb(before, chunk.get_out());
            }
            rest = behind;
        }
        if let Some(input) = chain.input {
            let (output, _) = S::link(isa, keys, input, before);
            S::store_lone(output, &mut self.chain[..S::BLOCK]);
        }
    }
}

/// A CBC-MAC that goes on.
struct Linking<'k, I: Isa, S: On<I>> {
    isa: I,
    keys: &'k S::Keys,
    /// The input to be encrypted next, once there was a block.
    input: Option<S::Lone>,
}

impl<I: Isa, S: On<I>> Linking<'_, I, S> {
    /// Takes in whole blocks, to the first of which `before` is added.
    #[inline(always)]
    fn absorb(&mut self, before: S::Lone, blocks: &[u8]) {
        for block in blocks.chunks_exact(S::BLOCK) {
            let block = S::load_lone(self.isa, block);
            self.input = Some(match self.input {
                Some(input) => S::link(self.isa, self.keys, input, block).1,
                None => S::begin_chain(self.isa, self.keys, S::xor_lone(before, block)),
            });
        }
    }
}

/// The three strings that are authenticated, as the block in front of them says (section 3, OMAC^t).
#[derive(Clone, Copy)]
pub(crate) enum Part {
    Nonce,
    Header,
    Ciphertext,
}

impl Part {
    /// The block that names the part, of `size` bytes: its number, big-endian.
    pub(crate) fn block(self, size: usize) -> &'static [u8] {
        const NUMBERS: [[u8; 16]; 3] = [0u128.to_be_bytes(), 1u128.to_be_bytes(), 2u128.to_be_bytes()];
        &NUMBERS[self as usize][16 - size..]
    }
}

/// A key in EAX mode: authenticated encryption with associated data, here called header.
///
/// Nonces have any length, none too, and must never repeat under one key. Tags have up to as many bytes as
/// the cipher's blocks.
///
/// ```
/// use abreast::{modes::Eax, serpent::Serpent};
///
/// let eax = Eax::from_cipher(Serpent::new(&[7; 32])?);
/// let (nonce, header) = (b"a nonce of any length", b"sent in clear");
/// let mut data = *b"attack at dawn";
/// let mut tag = [0; 16];
/// eax.encrypt_detached(nonce, header, data.as_mut_slice().into(), &mut tag)?;
/// eax.decrypt_detached(nonce, header, data.as_mut_slice().into(), &tag)?;
/// assert_eq!(&data, b"attack at dawn");
/// # Ok::<(), abreast::Error>(())
/// ```
pub struct Eax<C> {
    cipher: C,
    subkeys: Subkeys,
    /// What the chain is after the block that names the part.
    begun: [Chain; 3],
}

impl<C: BlockCipher> Eax<C> {
    /// The mode under a cipher's key.
    pub fn from_cipher(cipher: C) -> Self {
        let subkeys = Subkeys::new(&cipher);
        let mut eax = Self { cipher, subkeys, begun: [[0; 16]; 3] };
        for part in [Part::Nonce, Part::Header, Part::Ciphertext] {
            let size = eax.cipher.block_size();
            eax.cipher.work(&mut Work::Mac(&mut eax.begun[part as usize], part.block(size)));
        }
        eax
    }

    /// The cipher.
    pub fn cipher(&self) -> &C {
        &self.cipher
    }

    /// The subkeys, and what the chain is after the block that names each part.
    pub(crate) fn parts(&self) -> (&Subkeys, &[Chain; 3]) {
        (&self.subkeys, &self.begun)
    }

    /// Encrypts a message and writes its tag, cut down to the length of the buffer for it.
    ///
    /// # Errors
    /// [`Error::TagLength`]; then nothing was done.
    pub fn encrypt_detached(
        &self,
        nonce: &[u8],
        header: &[u8],
        mut io: InOutBuf<'_, '_, u8>,
        tag: &mut [u8],
    ) -> Result<(), Error> {
        check_tag(tag, self.cipher.block_size())?;
        let full = self.message(Direction::Encrypt, nonce, header, &mut io);
        tag.copy_from_slice(&full[..tag.len()]);
        Ok(())
    }

    /// Decrypts a message whose tag is right; otherwise the output is zeros.
    ///
    /// # Errors
    /// [`Error::TagMismatch`]; [`Error::TagLength`], and then nothing was done.
    pub fn decrypt_detached(
        &self,
        nonce: &[u8],
        header: &[u8],
        mut io: InOutBuf<'_, '_, u8>,
        tag: &[u8],
    ) -> Result<(), Error> {
        check_tag(tag, self.cipher.block_size())?;
        let full = self.message(Direction::Decrypt, nonce, header, &mut io);
        same_tag(&full, tag).inspect_err(|_| io.get_out().fill(0))
    }

    /// A message to encrypt or decrypt in pieces. When decrypting, the plaintext is not to be trusted
    /// before [`EaxPieces::verify`] says so.
    pub fn pieces(&self, direction: Direction, nonce: &[u8], header: &[u8]) -> EaxPieces<'_, C> {
        let mut counter = self.omac(Part::Nonce, nonce);
        let tag = u128::from_ne_bytes(counter) ^ u128::from_ne_bytes(self.omac(Part::Header, header));
        let bits = 8 * self.cipher.block_size();
        let first = u128::from_be_bytes(counter) >> (128 - bits);
        counter.zeroize();
        EaxPieces {
            eax: self,
            direction,
            counter: first,
            tag: tag.to_ne_bytes(),
            chain: self.begun[Part::Ciphertext as usize],
            held: [0; 16],
            stream: [0; 16],
            len: 0,
            empty: true,
        }
    }

    #[inline(always)]
    fn message(
        &self,
        direction: Direction,
        nonce: &[u8],
        header: &[u8],
        io: &mut InOutBuf<'_, '_, u8>,
    ) -> [u8; 16] {
        let mut pieces = self.pieces(direction, nonce, header);
        pieces.update(io.reborrow());
        pieces.full()
    }

    /// OMAC^t of a string that is there as a whole.
    fn omac(&self, part: Part, data: &[u8]) -> Chain {
        let size = self.cipher.block_size();
        if data.is_empty() {
            let mut chain = [0; 16];
            self.subkeys.finish(&self.cipher, &mut chain, part.block(size));
            return chain;
        }
        let mut chain = self.begun[part as usize];
        let (head, last) = before_last(data, size);
        if !head.is_empty() {
            self.cipher.work(&mut Work::Mac(&mut chain, head));
        }
        self.subkeys.finish(&self.cipher, &mut chain, last);
        chain
    }
}

impl<C> Drop for Eax<C> {
    fn drop(&mut self) {
        self.begun.zeroize();
    }
}

impl<C> fmt::Debug for Eax<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Eax").finish_non_exhaustive()
    }
}

/// A message in EAX mode in pieces, split anywhere; made by [`Eax::pieces`].
pub struct EaxPieces<'e, C> {
    eax: &'e Eax<C>,
    direction: Direction,
    /// The next counter block, a big-endian number.
    counter: u128,
    /// The tag but for the ciphertext's part.
    tag: Chain,
    /// The ciphertext's part so far.
    chain: Chain,
    /// The end of the ciphertext so far, which may be its last block, and the keystream of that block.
    held: [u8; 16],
    stream: [u8; 16],
    len: usize,
    /// Whether there has been no ciphertext.
    empty: bool,
}

impl<C: BlockCipher> EaxPieces<'_, C> {
    /// Encrypts or decrypts the next piece, of any length.
    pub fn update(&mut self, io: InOutBuf<'_, '_, u8>) {
        let size = self.eax.cipher.block_size();
        if io.is_empty() {
            return;
        }
        self.empty = false;
        let room = if self.len == 0 { 0 } else { (size - self.len).min(io.len()) };
        let (head, rest) = io.split_at(room);
        self.part_of_block(head);
        if rest.is_empty() {
            return;
        }
        if self.len > 0 {
            // What is held is a whole block, and not the last.
            self.eax.cipher.work(&mut Work::Mac(&mut self.chain, &self.held[..size]));
        }
        let whole = (rest.len() - 1) / size * size;
        let (mut whole, last) = rest.split_at(whole);
        self.whole_blocks(&mut whole);
        self.stream = [0; 16];
        let stream = &mut self.stream[..size];
        self.eax.cipher.xor_keystream(self.counter, Secrecy::Secret, &mut stream.into());
        self.counter = self.counter.wrapping_add(1);
        self.len = 0;
        self.part_of_block(last);
    }

    /// Whole blocks, none of which is the last. They are cut where the kernel's counter of 32 bits wraps,
    /// which is as much as timing can tell of the counter.
    fn whole_blocks(&mut self, io: &mut InOutBuf<'_, '_, u8>) {
        let size = self.eax.cipher.block_size();
        let mut rest = io.reborrow();
        while !rest.is_empty() {
            let run = ((1 << 32) - u64::from(self.counter as u32)) * size as u64;
            let len = run.min(rest.len() as u64) as usize;
            let (mut part, behind) = rest.split_at(len);
            self.eax.cipher.work(&mut Work::CtrMac(self.direction, self.counter, &mut self.chain, &mut part));
            self.counter = self.counter.wrapping_add((len / size) as u128);
            rest = behind;
        }
    }

    /// Goes on in the block whose keystream is in `stream`.
    fn part_of_block(&mut self, io: InOutBuf<'_, '_, u8>) {
        let end = self.len + io.len();
        part_of_block(self.direction, &self.stream, &mut self.held, self.len, io);
        self.len = end;
    }

    /// Writes the tag, cut down to the length of the buffer for it.
    ///
    /// # Errors
    /// [`Error::TagLength`] if that is none or more than a block.
    pub fn finish(self, tag: &mut [u8]) -> Result<(), Error> {
        check_tag(tag, self.eax.cipher.block_size())?;
        let full = self.full();
        tag.copy_from_slice(&full[..tag.len()]);
        Ok(())
    }

    /// Compares the tag, in constant time.
    ///
    /// # Errors
    /// [`Error::TagMismatch`]: all plaintext is to be thrown away. [`Error::TagLength`].
    pub fn verify(self, tag: &[u8]) -> Result<(), Error> {
        check_tag(tag, self.eax.cipher.block_size())?;
        same_tag(&self.full(), tag)
    }

    fn full(mut self) -> Chain {
        let eax = self.eax;
        if self.empty {
            self.chain = eax.omac(Part::Ciphertext, &[]);
        } else {
            eax.subkeys.finish(&eax.cipher, &mut self.chain, &self.held[..self.len]);
        }
        (u128::from_ne_bytes(self.tag) ^ u128::from_ne_bytes(self.chain)).to_ne_bytes()
    }
}

impl<C> Drop for EaxPieces<'_, C> {
    fn drop(&mut self) {
        self.counter.zeroize();
        self.tag.zeroize();
        self.chain.zeroize();
        self.held.zeroize();
        self.stream.zeroize();
    }
}

impl<C> fmt::Debug for EaxPieces<'_, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EaxPieces").finish_non_exhaustive()
    }
}
