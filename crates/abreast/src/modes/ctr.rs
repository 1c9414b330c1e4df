//! Counter mode (SP 800-38A, section 6.5): the cipher as a generator of keystream.

use crate::engine::backend::{Direction, Secrecy};
use crate::wipe::wipe;
use crate::{BlockCipher, BlockCipher128, Error, InOutBuf};
use abreast_simd::Block;
use abreast_simd::inlined::CopyFrom;
use core::fmt;

/// The number of low bits of the counter block that count; the others stay unchanged.
///
/// ```
/// use abreast::modes::CounterWidth;
///
/// assert_eq!(CounterWidth::Bits32.bits(), 32);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CounterWidth {
    /// 16 bits: SRTP (RFC 3711).
    Bits16,
    /// 32 bits: GCM, IPsec (RFC 3686).
    Bits32,
    /// 64 bits: LTE; the whole block of a 64-bit cipher.
    Bits64,
    /// The whole block of a 128-bit cipher: SP 800-38A, OpenSSL.
    Bits128,
}

impl CounterWidth {
    /// Returns the number of bits.
    #[must_use]
    pub const fn bits(self) -> u32 {
        match self {
            Self::Bits16 => 16,
            Self::Bits32 => 32,
            Self::Bits64 => 64,
            Self::Bits128 => 128,
        }
    }

    /// The bits that count.
    const fn mask(self) -> u128 {
        u128::MAX >> (128 - self.bits())
    }
}

/// A message or stream in counter mode: encryption and decryption are the same.
///
/// The counter block starts at a value that must never repeat under one key, and counts big-endian in
/// its low bits, modulo `2^w` for a width of `w` bits. A message has at most `2^w` blocks, whatever the
/// first counter is: one more would use keystream twice and is refused. With blocks of 64 bits a message also
/// has at most 2^32 of them, and a key is for some 2^20 (Sweet32). Calls may split the data
/// anywhere; [`seek_to`](Self::seek_to) goes to any byte.
///
/// Counter mode does not authenticate: whoever flips a bit of the ciphertext flips that bit of the plaintext.
///
/// ```
/// use abreast::{aes::Aes128, modes::{CounterWidth, Ctr}};
///
/// let aes = Aes128::new(b"a key of 16 byte");
/// let mut data = *b"attack at dawn, or a little later than that";
/// Ctr::from_cipher(&aes, &[7; 16], CounterWidth::Bits128)?.apply(data.as_mut_slice())?;
/// assert_ne!(&data[..14], b"attack at dawn");
/// Ctr::from_cipher(&aes, &[7; 16], CounterWidth::Bits128)?.apply(data.as_mut_slice())?;
/// assert_eq!(&data[..14], b"attack at dawn");
/// # Ok::<(), abreast::Error>(())
/// ```
// In this order, because the error of `Result<Ctr<C>, Error>` takes the place after `width`, where the
// spare values are that tell the two apart. If that place is a part of `first`, the compiler moves the
// counter in pieces of odd lengths, and the load of the whole waits until all are stored: 70 cycles of
// the 90 that a message of 16 bytes then takes.
#[derive(Clone)]
#[repr(C)]
pub struct Ctr<C> {
    width: CounterWidth,
    /// The keystream of the block that was begun and not finished, once asked for.
    stream: Option<[u8; 16]>,
    /// Bytes of that block's keystream not yet used.
    left: usize,
    first: u128,
    /// Blocks begun.
    begun: u128,
    cipher: C,
    /// The binary logarithm of the bytes of a block.
    log: u32,
}

impl<C: BlockCipher> Ctr<C> {
    /// Begins the stream with a counter block.
    ///
    /// # Errors
    /// [`Error::CounterLength`] if the counter block is not as long as the cipher's blocks;
    /// [`Error::CounterWidth`] if it has fewer bits than are to count.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub fn from_cipher(cipher: C, counter_block: &[u8], width: CounterWidth) -> Result<Self, Error> {
        let (first, size) = first_counter(&cipher, counter_block, width)?;
        Ok(Self::from_number(cipher, first, width, size))
    }

    /// Xors the keystream into a whole message in one call. The result is the same as with
    /// [`from_cipher`](Self::from_cipher) and [`apply`](Self::apply), in less time for a message of a block or two,
    /// since nothing is kept for a next call.
    ///
    /// # Errors
    /// Those of [`from_cipher`](Self::from_cipher) and [`apply`](Self::apply); then nothing has been done.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub fn message<'i, 'o>(
        cipher: C,
        counter_block: &[u8],
        width: CounterWidth,
        io: impl Into<InOutBuf<'i, 'o, u8>>,
    ) -> Result<(), Error> {
        let mut io = io.into();
        let (first, size) = first_counter(&cipher, counter_block, width)?;
        if io.len() as u64 <= run_from(first, width, size.trailing_zeros()) {
            xor_keystream(&cipher, first, &mut io);
            return Ok(());
        }
        Self::from_number(cipher, first, width, size).apply_later(io)
    }

    /// Begins the stream with a counter block, here as a number, for blocks of `size` bytes.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn from_number(cipher: C, first: u128, width: CounterWidth, size: usize) -> Self {
        Self { width, stream: None, left: 0, first, begun: 0, cipher, log: size.trailing_zeros() }
    }

    /// Makes a mode as [`from_cipher`](Self::from_cipher) does, for a cipher with blocks of 128 bits, which cannot fail.
    ///
    /// ```
    /// use abreast::{aes::Aes128, modes::{CounterWidth, Ctr}};
    ///
    /// let aes = Aes128::new(b"a key of 16 byte");
    /// let mut data = *b"attack at dawn";
    /// Ctr::from_block(&aes, &[0; 16], CounterWidth::Bits32).apply(data.as_mut_slice())?;
    /// # Ok::<(), abreast::Error>(())
    /// ```
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub fn from_block(cipher: C, counter_block: &[u8; 16], width: CounterWidth) -> Self
    where
        C: BlockCipher128,
    {
        Self::from_number(cipher, u128::from_be_bytes(*counter_block), width, 16)
    }

    /// Bytes of a block.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn block_size(&self) -> usize {
        1 << self.log
    }

    /// Bytes by which a length exceeds whole blocks.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn excess(&self, len: usize) -> usize {
        len & (self.block_size() - 1)
    }

    /// Blocks that a length begins.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn blocks(&self, len: usize) -> u128 {
        (len >> self.log) as u128 + u128::from(self.excess(len) > 0)
    }

    /// Xors the next keystream into the data, in place or from one buffer to another.
    ///
    /// # Errors
    /// [`Error::CounterExhausted`] if keystream would repeat; then nothing has been done.
    // Inlined so that the buffer's description is written once, right where the kernel reads it.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub fn apply<'i, 'o>(&mut self, io: impl Into<InOutBuf<'i, 'o, u8>>) -> Result<(), Error> {
        let mut io = io.into();
        if self.is_first_run(io.len()) {
            self.apply_first_run(&mut io);
            return Ok(());
        }
        self.apply_later(io)
    }

    /// True if data of this length is the first of the stream and one call of the kernel, which is all that short
    /// messages are: nothing else has to be checked, as a run is shorter than the stream, and no number of 128 bits is
    /// computed with.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn is_first_run(&self, len: usize) -> bool {
        self.begun == 0 && len as u64 <= self.run_from(self.first)
    }

    /// The first data of the stream.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn apply_first_run(&mut self, io: &mut InOutBuf<'_, '_, u8>) {
        let len = io.len();
        xor_keystream(&self.cipher, self.first, io);
        self.begun = self.blocks(len);
        self.left = self.excess(len.wrapping_neg());
    }

    /// Any data of the stream.
    #[inline(never)]
    fn apply_later(&mut self, io: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
        self.check(io.len())?;
        self.apply_unchecked(io);
        Ok(())
    }

    /// Goes to a byte of the stream.
    ///
    /// ```
    /// use abreast::{aes::Aes128, modes::{CounterWidth, Ctr}};
    ///
    /// let aes = Aes128::new(b"a key of 16 byte");
    /// let mut data = *b"the beginning, and the end";
    /// Ctr::from_block(&aes, &[0; 16], CounterWidth::Bits128).apply(data.as_mut_slice())?;
    /// let mut stream = Ctr::from_block(&aes, &[0; 16], CounterWidth::Bits128);
    /// stream.seek_to(19)?;
    /// assert_eq!((stream.position(), stream.within_block()), (Some(19), 3));
    /// stream.apply(&mut data[19..])?;
    /// assert_eq!(&data[19..], b"the end");
    /// # Ok::<(), abreast::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::CounterExhausted`] if the stream is not that long.
    pub fn seek_to(&mut self, byte: u128) -> Result<(), Error> {
        let size = self.block_size() as u128;
        let begun = byte.div_ceil(size);
        if begun.checked_sub(1).is_some_and(|last| last > self.last()) {
            return Err(Error::CounterExhausted);
        }
        self.forget();
        self.begun = begun;
        // Not from `begun`, whose bytes may be more than a number of 128 bits can count.
        self.left = (byte.wrapping_neg() % size) as usize;
        Ok(())
    }

    /// Returns the byte of the stream that comes next, or none if its number has more than 128 bits.
    #[must_use]
    pub fn position(&self) -> Option<u128> {
        let finished = self.begun - u128::from(self.left > 0);
        let size = self.block_size() as u128;
        finished.checked_mul(size)?.checked_add((size - self.left as u128) % size)
    }

    /// Writes the counter block of the next block: while a block is begun, of the block after it. After the last block that
    /// a message may have, this is the first counter block again, which must not be used.
    ///
    /// ```
    /// use abreast::{aes::Aes128, modes::{CounterWidth, Ctr}};
    ///
    /// let mut stream = Ctr::from_block(Aes128::new(&[7; 16]), &[0; 16], CounterWidth::Bits128);
    /// stream.apply([0; 40].as_mut_slice())?;
    /// let mut next = [0; 16];
    /// stream.running_counter(&mut next)?;
    /// assert_eq!(u128::from_be_bytes(next), 3);
    /// # Ok::<(), abreast::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::CounterLength`] if the buffer is not one block long.
    pub fn running_counter(&self, counter_block: &mut [u8]) -> Result<(), Error> {
        let size = self.block_size();
        if counter_block.len() != size {
            return Err(Error::CounterLength);
        }
        counter_block.copy_from(&self.counter(self.begun).to_be_bytes()[16 - size..]);
        Ok(())
    }

    /// Returns the number of bytes done of a block that has been begun.
    #[must_use]
    pub fn within_block(&self) -> usize {
        if self.left == 0 { 0 } else { self.block_size() - self.left }
    }

    /// The number of blocks begun, and the bytes used of the last of them: 1 to all.
    pub(crate) fn block_and_byte(&self) -> (u128, u8) {
        (self.begun, (self.block_size() - self.left) as u8)
    }

    /// Refuses data whose blocks would be more than the counter has values.
    #[inline]
    pub(crate) fn check(&self, len: usize) -> Result<(), Error> {
        let new_blocks = self.blocks(len.saturating_sub(self.left));
        match self.begun.checked_add(new_blocks) {
            Some(0) => Ok(()),
            Some(blocks) if blocks - 1 <= self.last() => Ok(()),
            _ => Err(Error::CounterExhausted),
        }
    }

    /// The number of the last block that a message may have. After 2^32 blocks of 64 bits the lack of equal
    /// ones in the keystream tells it from a random string.
    #[inline]
    fn last(&self) -> u128 {
        let mask = self.width.mask();
        if self.log == 3 { mask.min(u32::MAX.into()) } else { mask }
    }

    /// The counter block of a block of the stream.
    #[inline]
    fn counter(&self, block: u128) -> u128 {
        let mask = self.width.mask();
        self.first & !mask | self.first.wrapping_add(block) & mask
    }

    /// Applies the keystream to data that was checked.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn apply_unchecked(&mut self, mut io: InOutBuf<'_, '_, u8>) {
        if self.left == 0 && io.len() as u64 <= self.run() {
            self.apply_run(&mut io);
        } else {
            self.apply_in_runs(&mut io);
        }
    }

    /// Bytes from here on that the kernel can do in one call: it counts modulo 2^32, so a run ends where
    /// a wider counter carries beyond that, or a narrower one wraps.
    #[inline]
    fn run(&self) -> u64 {
        self.run_from(self.counter(self.begun))
    }

    /// Returns the bytes of the run that begins with a counter block.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn run_from(&self, counter: u128) -> u64 {
        run_from(counter, self.width, self.log)
    }

    /// Data that begins with a block and is no longer than a run.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn apply_run(&mut self, io: &mut InOutBuf<'_, '_, u8>) {
        let len = io.len();
        self.cipher.xor_keystream(self.counter(self.begun), Secrecy::Public, io);
        self.begun += self.blocks(len);
        self.left = self.excess(len.wrapping_neg());
    }

    /// Data that goes on in a block, or crosses the end of a run.
    #[inline(never)]
    fn apply_in_runs(&mut self, io: &mut InOutBuf<'_, '_, u8>) {
        let left = self.left.min(io.len());
        let (head, mut rest) = io.reborrow().split_at(left);
        if left > 0 {
            self.finish_block(head);
        }
        while !rest.is_empty() {
            let len = self.run().min(rest.len() as u64) as usize;
            let (mut run, after) = rest.split_at(len);
            self.apply_run(&mut run);
            rest = after;
        }
    }

    /// Goes on in the block that was begun and not finished. Its keystream is made again once, and then
    /// kept, so that most messages, which end where they end, need not store any.
    fn finish_block(&mut self, mut io: InOutBuf<'_, '_, u8>) {
        let mut stream = self.stream.unwrap_or_default();
        if self.stream.is_none() {
            let block = &mut stream[..1 << self.log];
            let counter = self.counter(self.begun - 1);
            self.cipher.xor_keystream(counter, Secrecy::Public, &mut block.into());
            self.stream = Some(stream);
        }
        let at = self.block_size() - self.left;
        io.xor_in2out(&stream[at..at + io.len()]);
        wipe(&mut stream);
        self.left -= io.len();
        if self.left == 0 {
            self.forget();
        }
    }

    /// Wipes the kept keystream.
    #[inline]
    fn forget(&mut self) {
        if let Some(stream) = &mut self.stream {
            wipe(stream);
            self.stream = None;
        }
    }
}

/// The first counter block as a number, and the bytes of a block.
// Inlined, and by way of words: the caller may just have written the block in pieces.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn first_counter(
    cipher: &impl BlockCipher,
    counter_block: &[u8],
    width: CounterWidth,
) -> Result<(u128, usize), Error> {
    let size = cipher.block_size();
    if counter_block.len() != size {
        return Err(Error::CounterLength);
    }
    if width.bits() as usize > 8 * size {
        return Err(Error::CounterWidth);
    }
    let first = match *counter_block {
        [a, b, c, d, e, f, g, h] => u64::from_be_bytes([a, b, c, d, e, f, g, h]).into(),
        [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] => {
            u128::from_be_bytes([a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p])
        }
        _ => return Err(Error::CounterLength),
    };
    Ok((first, size))
}

/// Xors the keystream from a counter block on into a message, no longer than a run.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn xor_keystream<C: BlockCipher + ?Sized>(cipher: &C, first: u128, io: &mut InOutBuf<'_, '_, u8>) {
    // With blocks of 16 bytes, the way of a block to memory and back takes longer than the loop.
    let is_short = cipher.block_size() == 8 && (1..=16).contains(&io.len());
    if !(is_short && xor_two_blocks(cipher, first as u64, io)) {
        cipher.xor_keystream(first, Secrecy::Public, io);
    }
}

/// Xors the keystream into a message of up to 16 bytes, if the cipher, whose blocks have 8, has a shorter way to one or two of
/// them than the loop of counter mode. True if it was done.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn xor_two_blocks<C: BlockCipher + ?Sized>(cipher: &C, first: u64, io: &mut InOutBuf<'_, '_, u8>) -> bool {
    let second = first & !u64::from(u32::MAX) | u64::from((first as u32).wrapping_add(1));
    let blocks = u128::from(first.swap_bytes()) | u128::from(second.swap_bytes()) << 64;
    let mut stream = *Block::from(blocks).as_bytes();
    let used = if io.len() <= 8 { 8 } else { 16 };
    let done = cipher.few_blocks(Direction::Encrypt, &mut (&mut stream[..used]).into());
    if done {
        (Block::from_part(io.get_in()) ^ Block::from(stream)).to_part(io.get_out());
        wipe(&mut stream);
    }
    done
}

/// Bytes from a counter on to where those of its low bits that count wrap, with blocks of `1 << log` bytes.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn run_from(counter: u128, width: CounterWidth, log: u32) -> u64 {
    let counting = width.mask() as u32;
    let blocks = u64::from(counting - (counter as u32 & counting)) + 1;
    blocks << log
}

impl<C> Drop for Ctr<C> {
    fn drop(&mut self) {
        if let Some(stream) = &mut self.stream {
            wipe(stream);
        }
    }
}

impl<C> fmt::Debug for Ctr<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ctr").field("width", &self.width).finish_non_exhaustive()
    }
}
