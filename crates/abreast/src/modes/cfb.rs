//! Cipher feedback (SP 800-38A, section 6.3), with segments of a block and of a byte.
//!
//! Encryption is a chain, one segment after the other. Decryption is not: the inputs of the cipher are
//! ciphertext, which is all there.

use super::cbc::{chain_behind, chain_from};
use crate::spec::{Direction, Job, On, Passes, ladder, load, rounds, split_up_to, store};
use crate::work::{Chain, Work};
use crate::{BlockCipher, Error, InOutBuf};
use abreast_simd::Isa;
use core::fmt;
use zeroize::Zeroize;

/// Whole blocks forward, one after the other.
pub(crate) struct Encrypt<'a, 'i, 'o> {
    pub(crate) chain: &'a mut Chain,
    pub(crate) io: &'a mut InOutBuf<'i, 'o, u8>,
}

impl Job for Encrypt<'_, '_, '_> {
    type Out = ();

    #[inline(always)]
    fn run<I: Isa, S: On<I>>(self, isa: I, keys: &S::Keys) {
        let mut ciphertext = S::load_lone(isa, &self.chain[..S::BLOCK]);
        let mut input = S::begin_chain(isa, keys, ciphertext);
        let mut at = 0;
        while at < self.io.len() {
            let plaintext = S::load_lone(isa, &self.io.get_in()[at..][..S::BLOCK]);
            let (output, next) = S::link(isa, keys, input, plaintext);
            ciphertext = S::xor_lone(output, plaintext);
            S::store_lone(ciphertext, &mut self.io.get_out()[at..][..S::BLOCK]);
            input = next;
            at += S::BLOCK;
        }
        S::store_lone(ciphertext, &mut self.chain[..S::BLOCK]);
    }
}

/// Whole blocks backward, side by side.
pub(crate) struct Decrypt<'a, 'i, 'o> {
    pub(crate) chain: &'a mut Chain,
    pub(crate) io: &'a mut InOutBuf<'i, 'o, u8>,
}

impl Job for Decrypt<'_, '_, '_> {
    type Out = ();

    #[inline(always)]
    fn run<I: Isa, S: On<I>>(self, isa: I, keys: &S::Keys) {
        let behind = chain_behind::<S>(self.chain, self.io.get_in());
        let before = S::splat(isa, self.chain);
        ladder::<I, S>(S::DEPTH, &mut Passing::<I, S> { isa, keys, before }, self.io.reborrow());
        *self.chain = behind;
    }
}

struct Passing<'k, I: Isa, S: On<I>> {
    isa: I,
    keys: &'k S::Keys,
    /// The ciphertext in front; its last block counts.
    before: S::Group,
}

impl<I: Isa, S: On<I>> Passes<I, S> for Passing<'_, I, S> {
    #[inline(always)]
    fn pass<const N: usize, const WHOLE: bool>(&mut self, mut io: InOutBuf<'_, '_, u8>) {
        let ciphertext = load::<N, WHOLE, I, S>(self.isa, &io);
        let mut inputs = ciphertext;
        for (input, ciphertext) in inputs.iter_mut().zip(ciphertext) {
            *input = S::follow(self.isa, ciphertext, self.before);
            self.before = ciphertext;
        }
        let mut stream = rounds::<true, N, WHOLE, I, S>(self.isa, self.keys, inputs, io.len());
        for (stream, ciphertext) in stream.iter_mut().zip(ciphertext) {
            *stream = S::xor(*stream, ciphertext);
        }
        store::<N, WHOLE, I, S>(stream, &mut io);
    }
}

/// The last block of ciphertext when a byte has joined it.
#[inline(always)]
fn shifted(chain: Chain, byte: u8, size: usize) -> Chain {
    (u128::from_le_bytes(chain) >> 8 | u128::from(byte) << (8 * (size - 1))).to_le_bytes()
}

/// Bytes forward, one after the other.
pub(crate) struct Encrypt8<'a, 'i, 'o> {
    pub(crate) chain: &'a mut Chain,
    pub(crate) io: &'a mut InOutBuf<'i, 'o, u8>,
}

impl Job for Encrypt8<'_, '_, '_> {
    type Out = ();

    #[inline(always)]
    fn run<I: Isa, S: On<I>>(self, isa: I, keys: &S::Keys) {
        let mut chain = *self.chain;
        let mut stream = [0; 16];
        let mut at = 0;
        while at < self.io.len() {
            let block = S::load_lone(isa, &chain[..S::BLOCK]);
            let (output, _) = S::link(isa, keys, S::begin_chain(isa, keys, block), block);
            S::store_lone(output, &mut stream[..S::BLOCK]);
            let byte = self.io.get_in()[at] ^ stream[0];
            self.io.get_out()[at] = byte;
            chain = shifted(chain, byte, S::BLOCK);
            at += 1;
        }
        *self.chain = chain;
        stream.zeroize();
    }
}

/// A message in cipher feedback mode with segments of a block, encrypted or decrypted in pieces that are
/// split anywhere. Also known as CFB128, or CFB64 for 64-bit blocks.
///
/// The initialisation vector, one block, must be unpredictable for each message. CFB does not authenticate:
/// who flips a bit of the ciphertext flips that bit of the plaintext and garbles the block behind it.
///
/// ```
/// use abreast::{modes::Cfb, serpent::Serpent};
///
/// let serpent = Serpent::new(b"a key of 16 byte")?;
/// let mut data = *b"attack at dawn, or a little later than that";
/// Cfb::from_cipher(&serpent, &[7; 16])?.encrypt(data.as_mut_slice());
/// Cfb::from_cipher(&serpent, &[7; 16])?.decrypt(data.as_mut_slice());
/// assert_eq!(&data[..14], b"attack at dawn");
/// # Ok::<(), abreast::Error>(())
/// ```
pub struct Cfb<C> {
    cipher: C,
    /// The last block of ciphertext; or, when a block has been begun, its ciphertext as far as it goes and
    /// then the rest of its keystream.
    chain: Chain,
    /// Bytes done of a block that has been begun.
    begun: usize,
}

impl<C: BlockCipher> Cfb<C> {
    /// The message that begins with an initialisation vector.
    ///
    /// # Errors
    /// [`Error::IvLength`] if it is not one block long.
    pub fn from_cipher(cipher: C, iv: &[u8]) -> Result<Self, Error> {
        let chain = chain_from(&cipher, iv)?;
        Ok(Self { cipher, chain, begun: 0 })
    }

    /// Encrypts the next piece of the message.
    pub fn encrypt<'i, 'o>(&mut self, io: impl Into<InOutBuf<'i, 'o, u8>>) {
        self.transform(Direction::Encrypt, io.into());
    }

    /// Decrypts the next piece of the message.
    pub fn decrypt<'i, 'o>(&mut self, io: impl Into<InOutBuf<'i, 'o, u8>>) {
        self.transform(Direction::Decrypt, io.into());
    }

    #[inline(always)]
    fn transform(&mut self, direction: Direction, mut io: InOutBuf<'_, '_, u8>) {
        let size = self.cipher.block_size();
        if self.begun > 0 {
            let left = (size - self.begun).min(io.len());
            let (head, rest) = io.split_at(left);
            self.part_of_block(direction, head);
            self.begun %= size;
            io = rest;
        }
        let whole = io.len() - io.len() % size;
        let (mut whole, tail) = io.split_at(whole);
        self.cipher.work(&mut Work::Cfb(direction, &mut self.chain, &mut whole));
        if !tail.is_empty() {
            let chain = &mut self.chain[..size];
            self.cipher.work(&mut Work::Ecb(Direction::Encrypt, &mut chain.into()));
            self.part_of_block(direction, tail);
        }
    }

    /// Goes on in a block whose keystream is in `chain`.
    fn part_of_block(&mut self, direction: Direction, mut io: InOutBuf<'_, '_, u8>) {
        let part = &mut self.chain[self.begun..][..io.len()];
        for (i, kept) in part.iter_mut().enumerate() {
            let (input, stream) = (io.get_in()[i], *kept);
            io.get_out()[i] = input ^ stream;
            *kept = if direction == Direction::Encrypt { input ^ stream } else { input };
        }
        self.begun += io.len();
    }
}

impl<C> Drop for Cfb<C> {
    fn drop(&mut self) {
        self.chain.zeroize();
    }
}

impl<C> fmt::Debug for Cfb<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cfb").finish_non_exhaustive()
    }
}

/// Bytes that are decrypted together: a block each, in all as many as the widest passes have.
pub(crate) const TOGETHER: usize = 128;

/// A message in cipher feedback mode with segments of a byte (CFB8), in pieces that are split anywhere.
///
/// Encryption runs the cipher once for every byte, decryption does so for many bytes together. All else is
/// as in [`Cfb`].
///
/// ```
/// use abreast::{aes::Aes128, modes::Cfb8};
///
/// let aes = Aes128::new(b"a key of 16 byte");
/// let mut data = *b"attack at dawn";
/// Cfb8::from_cipher(&aes, &[7; 16])?.encrypt(data.as_mut_slice());
/// Cfb8::from_cipher(&aes, &[7; 16])?.decrypt(data.as_mut_slice());
/// assert_eq!(&data, b"attack at dawn");
/// # Ok::<(), abreast::Error>(())
/// ```
pub struct Cfb8<C> {
    cipher: C,
    chain: Chain,
}

impl<C: BlockCipher> Cfb8<C> {
    /// The message that begins with an initialisation vector.
    ///
    /// # Errors
    /// [`Error::IvLength`] if it is not one block long.
    pub fn from_cipher(cipher: C, iv: &[u8]) -> Result<Self, Error> {
        let chain = chain_from(&cipher, iv)?;
        Ok(Self { cipher, chain })
    }

    /// Encrypts the next piece of the message.
    pub fn encrypt<'i, 'o>(&mut self, io: impl Into<InOutBuf<'i, 'o, u8>>) {
        self.cipher.work(&mut Work::Cfb8(&mut self.chain, &mut io.into()));
    }

    /// Decrypts the next piece of the message.
    pub fn decrypt<'i, 'o>(&mut self, io: impl Into<InOutBuf<'i, 'o, u8>>) {
        let io = io.into();
        let size = self.cipher.block_size();
        let mut inputs = [0; 16 * TOGETHER];
        let mut rest = io;
        while !rest.is_empty() {
            let (mut bytes, behind) = split_up_to(rest, TOGETHER);
            let inputs = &mut inputs[..bytes.len() * size];
            for (input, byte) in inputs.chunks_exact_mut(size).zip(bytes.get_in()) {
                input.copy_from_slice(&self.chain[..size]);
                self.chain = shifted(self.chain, *byte, size);
            }
            self.cipher.work(&mut Work::Ecb(Direction::Encrypt, &mut (&mut *inputs).into()));
            for (i, stream) in inputs.chunks_exact(size).enumerate() {
                let byte = bytes.get_in()[i] ^ stream[0];
                bytes.get_out()[i] = byte;
            }
            rest = behind;
        }
        inputs.zeroize();
    }
}

impl<C> Drop for Cfb8<C> {
    fn drop(&mut self) {
        self.chain.zeroize();
    }
}

impl<C> fmt::Debug for Cfb8<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cfb8").finish_non_exhaustive()
    }
}
