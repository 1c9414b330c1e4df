//! Key wrap (NIST SP 800-38F): deterministic authenticated encryption of keys, without (KW, RFC 3394) and with padding (KWP,
//! RFC 5649).
//!
//! A message is pieces of eight bytes and one more for its integrity. Each of six times as many steps encrypts that one together
//! with the next piece, and waits for the step before: a message by itself leaves the CPU waiting, so there are batches.

use super::tag::verdict;
use crate::engine::backend::{ChainingValue, Direction};
use crate::wipe::wipe;
use crate::{BlockCipher, BlockCipher128, Error};
use abreast_simd::Block;
use abreast_simd::inlined::CopyFrom;
use core::fmt;
use subtle::ConstantTimeEq;

/// Bytes of a piece, a semiblock of the standard.
// No boundary: a size.
pub(crate) const PIECE: usize = 8;
/// The most bytes of a message without padding: 2^54 pieces, less one, of which one is for integrity (SP 800-38F, table 1).
// No boundary: a limit, tested as an error.
const MOST: u64 = (1 << 57) - 16;
/// The most bytes of a message with padding (RFC 5649, section 1).
// No boundary: a limit, tested as an error.
const MOST_PADDED: u64 = u32::MAX as u64;
/// The first value of the piece for integrity (SP 800-38F, section 6.2; RFC 3394, section 2.2.3.1).
// No boundary: a constant of the mode.
const ICV1: u64 = 0xa6a6_a6a6_a6a6_a6a6;
/// The first half of it with padding, before the number of bytes (SP 800-38F, section 6.3; RFC 5649, section 3).
// No boundary: a constant of the mode.
const ICV2: u64 = 0xa659_59a6 << 32;

/// The kind of key wrap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Padding {
    /// KW: whole pieces, two of them at least.
    Without,
    /// KWP: bytes, at least one, with zeros up to a whole piece.
    Zeros,
}

impl Padding {
    /// Returns the bytes of a key with its padding.
    fn padded_len(self, len: usize) -> Result<usize, Error> {
        let (least, most) = match self {
            Self::Without => (2 * PIECE, MOST),
            Self::Zeros => (1, MOST_PADDED),
        };
        let padded = len.checked_next_multiple_of(PIECE).ok_or(Error::WrapLength)?;
        let taken = len >= least && len as u64 <= most && (len == padded || self == Self::Zeros);
        if taken { Ok(padded) } else { Err(Error::WrapLength) }
    }

    /// Returns the bytes of a wrapped key.
    fn wrapped_len(self, len: usize) -> Result<usize, Error> {
        self.padded_len(len)?.checked_add(PIECE).ok_or(Error::WrapLength)
    }

    /// Returns the bytes of the pieces in a wrapped key of `len`.
    fn unwrapped_len(self, len: usize) -> Result<usize, Error> {
        let pieces = len.checked_sub(PIECE).ok_or(Error::WrapLength)?;
        // The shortest key that can be in it is of a length that is wrapped.
        let shortest = if self == Self::Zeros { pieces.saturating_sub(PIECE - 1) } else { pieces };
        if self.padded_len(shortest)? == pieces { Ok(pieces) } else { Err(Error::WrapLength) }
    }

    /// The piece for integrity of a key of some bytes, big-endian.
    fn first_value(self, len: usize) -> u64 {
        match self {
            Self::Without => ICV1,
            Self::Zeros => ICV2 | len as u64,
        }
    }

    /// Compares the piece for integrity with the right one, and padding with zeros, all in constant time; returns the number of
    /// bytes of the key.
    fn verify(self, value: u64, pieces: &[u8]) -> Result<usize, Error> {
        let padded = pieces.len() as u64;
        let (wrong, len) = match self {
            Self::Without => (value ^ ICV1, padded),
            Self::Zeros => {
                let len = value & u64::from(u32::MAX);
                let zeros = padded.wrapping_sub(len);
                let last = pieces.last_chunk().map_or(0, |last| u64::from_be_bytes(*last));
                let bytes = last & !(u64::MAX << (8 * (zeros & 7)));
                (value & !u64::from(u32::MAX) ^ ICV2 | zeros >> 3 | bytes, len)
            }
        };
        verdict(wrong.ct_eq(&0))?;
        Ok(len as usize)
    }
}

/// Returns the number of steps for some pieces. A single piece, which only padding makes, is one block with the piece for
/// integrity, and does not count steps.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(crate) fn steps(pieces: usize) -> u64 {
    last_number(pieces).max(1)
}

/// Returns what a wrapping adds to the piece for integrity in the end: the number of the last step, if steps are counted.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn last_number(pieces: usize) -> u64 {
    if pieces == 1 { 0 } else { 6 * pieces as u64 }
}

/// The next step of a message: its piece, and the number that is added before its block.
///
/// The number that the standard adds after a step of wrapping is added before the next step here, so that both directions are
/// alike: a number, a block, a number, ...
#[derive(Clone, Copy)]
pub(crate) struct Step {
    /// Steps that are to come, this one too.
    pub(crate) left: u64,
    /// The number, big-endian.
    pub(crate) number: u64,
    /// The piece.
    pub(crate) piece: usize,
}

impl Step {
    /// No step.
    pub(crate) const NONE: Self = Self { left: 0, number: 0, piece: 0 };

    /// The first step of a message of some pieces.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn first(direction: Direction, pieces: usize) -> Self {
        match direction {
            Direction::Encrypt => Self { left: steps(pieces), number: 0, piece: 0 },
            Direction::Decrypt => {
                Self { left: steps(pieces), number: last_number(pieces), piece: pieces.saturating_sub(1) }
            }
        }
    }

    /// Goes on to the step after it.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn advance(&mut self, direction: Direction, pieces: usize) {
        self.left -= 1;
        match direction {
            Direction::Encrypt => {
                self.number += 1;
                self.piece += 1;
                if self.piece == pieces {
                    self.piece = 0;
                }
            }
            Direction::Decrypt => {
                self.number = self.number.wrapping_sub(1);
                self.piece = self.piece.checked_sub(1).unwrap_or(pieces - 1);
            }
        }
    }
}

/// Takes one message through all its steps. In the first half of `state` is the piece for integrity.
pub(crate) fn chain(
    cipher: &dyn BlockCipher,
    direction: Direction,
    state: &mut ChainingValue,
    pieces: &mut [u8],
) {
    let (pieces, _) = pieces.as_chunks_mut::<PIECE>();
    let mut step = Step::first(direction, pieces.len());
    let mut value = u128::from_le_bytes(*state) as u64;
    while step.left > 0
        && let Some(piece) = pieces.get_mut(step.piece)
    {
        let input =
            u128::from(value ^ step.number.swap_bytes()) | u128::from(u64::from_le_bytes(*piece)) << 64;
        *state = *Block::from(input).as_bytes();
        // A block has no part of one.
        let _ = match direction {
            Direction::Encrypt => cipher.encrypt_raw_blocks(state.as_mut_slice().into()),
            Direction::Decrypt => cipher.decrypt_raw_blocks(state.as_mut_slice().into()),
        };
        let output = u128::from_le_bytes(*state);
        value = output as u64;
        *piece = ((output >> 64) as u64).to_le_bytes();
        step.advance(direction, pieces.len());
    }
}

/// Puts a key and its padding into the places of the pieces, after that of the piece for integrity, and returns the state before
/// the first step.
///
/// # Errors
/// [`Error::WrapLength`]; [`Error::BufferLengths`] if the output is not as long as the wrapped key will be. Then nothing was done.
pub(crate) fn begin_wrap(padding: Padding, key: &[u8], output: &mut [u8]) -> Result<ChainingValue, Error> {
    if output.len() != padding.wrapped_len(key.len())? {
        return Err(Error::BufferLengths);
    }
    let (text, zeros) = output[PIECE..].split_at_mut(key.len());
    text.copy_from(key);
    zeros.fill(0);
    Ok(u128::from(padding.first_value(key.len()).swap_bytes()).to_le_bytes())
}

/// Puts the piece for integrity before the others, after the last step.
pub(crate) fn finish_wrap(state: &ChainingValue, output: &mut [u8]) -> usize {
    let number = last_number(output.len() / PIECE - 1);
    let value = u128::from_le_bytes(*state) as u64 ^ number.swap_bytes();
    output[..PIECE].copy_from(&value.to_le_bytes());
    output.len()
}

/// Copies the pieces of a wrapped key, and returns the state before the first step.
///
/// # Errors
/// [`Error::WrapLength`]; [`Error::BufferLengths`] if the output is not eight bytes shorter. Then nothing was done.
pub(crate) fn begin_unwrap(
    padding: Padding,
    wrapped: &[u8],
    output: &mut [u8],
) -> Result<ChainingValue, Error> {
    if output.len() != padding.unwrapped_len(wrapped.len())? {
        return Err(Error::BufferLengths);
    }
    let (value, pieces) = wrapped.split_at(PIECE);
    output.copy_from(pieces);
    Ok(*Block::from_part(value).as_bytes())
}

/// Verifies an unwrapped key after the last step, wipes the state, and returns the number of bytes of the key. What is not right
/// is never handed out.
///
/// # Errors
/// [`Error::TagMismatch`]; then the output is zeros.
pub(crate) fn finish_unwrap(
    padding: Padding,
    state: &mut ChainingValue,
    output: &mut [u8],
) -> Result<usize, Error> {
    let value = (u128::from_le_bytes(*state) as u64).swap_bytes();
    wipe(state);
    padding.verify(value, output).inspect_err(|_| output.fill(0))
}

/// A key that wraps other keys.
///
/// Equal keys have equal wrapped ones, which is all that is revealed; there is no nonce. The integrity check has 64 bits: a forgery
/// by chance succeeds with a probability of about 2^-64.
///
/// A key goes from one buffer to another, since a wrapped one is longer: by 8 bytes, and with padding by up to 15. One key by itself
/// leaves the CPU waiting; [`packets`](crate::packets) wrap many side by side.
///
/// ```
/// use abreast::{aes::Aes256, modes::KeyWrap};
///
/// let wrapping = KeyWrap::from_cipher(Aes256::new(&[7; 32]));
/// let mut wrapped = [0; 24];
/// wrapping.wrap(b"a key of 16 byte", &mut wrapped)?;
/// let mut key = [0; 16];
/// wrapping.unwrap(&wrapped, &mut key)?;
/// assert_eq!(&key, b"a key of 16 byte");
/// # Ok::<(), abreast::Error>(())
/// ```
pub struct KeyWrap<C>(C);

impl<C: BlockCipher128> KeyWrap<C> {
    /// Makes the mode under a cipher's key, the key-encryption key.
    pub fn from_cipher(cipher: C) -> Self {
        Self(cipher)
    }

    /// Returns the cipher.
    pub fn cipher(&self) -> &C {
        &self.0
    }

    /// Wraps a key of 16 bytes or more, a multiple of 8 (KW, RFC 3394), into a buffer that is 8 bytes longer.
    ///
    /// # Errors
    /// [`Error::WrapLength`], also if it has more than 2^57 - 16 bytes; [`Error::BufferLengths`] if the output has another length.
    /// Then nothing was done.
    pub fn wrap(&self, key: &[u8], output: &mut [u8]) -> Result<(), Error> {
        wrap(self.0.reference().cipher(), Padding::Without, key, output).map(|_| ())
    }

    /// Unwraps a key into a buffer that is 8 bytes shorter (KW, RFC 3394).
    ///
    /// # Errors
    /// [`Error::TagMismatch`] if it was not wrapped by this key, and then the output is zeros; [`Error::WrapLength`] if it has
    /// less than 24 bytes, or no multiple of 8; [`Error::BufferLengths`]. For these nothing was done.
    pub fn unwrap(&self, wrapped: &[u8], output: &mut [u8]) -> Result<(), Error> {
        unwrap(self.0.reference().cipher(), Padding::Without, wrapped, output).map(|_| ())
    }

    /// Wraps a key of 1 to 2^32 - 1 bytes, with zeros up to a multiple of 8 (KWP, RFC 5649), into a buffer of
    /// [`padded_len`](Self::padded_len) bytes.
    ///
    /// ```
    /// use abreast::{aes::Aes128, modes::KeyWrap};
    ///
    /// let wrapping = KeyWrap::from_cipher(Aes128::new(&[7; 16]));
    /// let key = b"twenty-one bytes long";
    /// let mut wrapped = vec![0; wrapping.padded_len(key.len())?];
    /// wrapping.wrap_padded(key, &mut wrapped)?;
    /// let mut unwrapped = vec![0; wrapped.len() - 8];
    /// let len = wrapping.unwrap_padded(&wrapped, &mut unwrapped)?;
    /// assert_eq!(&unwrapped[..len], key);
    /// # Ok::<(), abreast::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::WrapLength`]; [`Error::BufferLengths`] if the output has another length. Then nothing was done.
    pub fn wrap_padded(&self, key: &[u8], output: &mut [u8]) -> Result<(), Error> {
        wrap(self.0.reference().cipher(), Padding::Zeros, key, output).map(|_| ())
    }

    /// Unwraps a key and its padding into a buffer that is 8 bytes shorter (KWP, RFC 5649), and returns the number of bytes of
    /// the key. The up to 7 bytes after it are zeros.
    ///
    /// # Errors
    /// [`Error::TagMismatch`] if it was not wrapped by this key, and then the output is zeros; [`Error::WrapLength`] if it has
    /// less than 16 bytes, no multiple of 8, or more than 2^32 + 8; [`Error::BufferLengths`]. For these nothing was done.
    pub fn unwrap_padded(&self, wrapped: &[u8], output: &mut [u8]) -> Result<usize, Error> {
        unwrap(self.0.reference().cipher(), Padding::Zeros, wrapped, output)
    }

    /// Returns the bytes that [`wrap_padded`](Self::wrap_padded) makes of a key of `len`: the next multiple of 8, and 8 more.
    ///
    /// # Errors
    /// [`Error::WrapLength`] if it takes no such key.
    pub fn padded_len(&self, len: usize) -> Result<usize, Error> {
        Padding::Zeros.wrapped_len(len)
    }
}

/// Wraps one key.
pub(crate) fn wrap(
    cipher: &dyn BlockCipher,
    padding: Padding,
    key: &[u8],
    output: &mut [u8],
) -> Result<usize, Error> {
    let mut state = begin_wrap(padding, key, output)?;
    chain(cipher, Direction::Encrypt, &mut state, &mut output[PIECE..]);
    Ok(finish_wrap(&state, output))
}

/// Unwraps one key.
pub(crate) fn unwrap(
    cipher: &dyn BlockCipher,
    padding: Padding,
    wrapped: &[u8],
    output: &mut [u8],
) -> Result<usize, Error> {
    let mut state = begin_unwrap(padding, wrapped, output)?;
    chain(cipher, Direction::Decrypt, &mut state, output);
    finish_unwrap(padding, &mut state, output)
}

impl<C> fmt::Debug for KeyWrap<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyWrap").finish_non_exhaustive()
    }
}
