//! XTEA with a key for each message, and many keys for one message.
//!
//! Messages go to the device in units of 64 bytes, each of which has the number of its message; so they may have any
//! lengths, and short ones and long ones keep the device equally busy. The key schedule is done in the rounds: no round keys
//! are kept.

use core::fmt;
use std::sync::Arc;

use abreast::InOutBuf;
use abreast::modes::Direction;
use abreast::xtea::{ByteOrder, Xtea};
use zeroize::Zeroizing;

use crate::Error;
use crate::cipher::raw_blocks;
use crate::gpu::{CHUNKS_UNDER_WAY, Gpu, KernelCall, Task, Work};
use crate::layout::CYCLES;
use crate::program::Program;
use crate::self_test::{some_bytes, wrong};
use crate::slot::Times;
use crate::wanted::Wanted;

/// Bytes of a block.
const BLOCK: usize = 8;
/// Bytes of a unit: `UNIT` blocks of `many_keys.cl`.
const UNIT: usize = 8 * BLOCK;
/// Bytes of a key.
const KEY: usize = 16;
/// Bytes of the number of a message.
const NUMBER: usize = 4;

/// The longest ciphertext that many keys are tried on.
pub const LONGEST_TRIED: usize = 64;

/// A message under a key of its own.
pub struct KeyedMessage<'k, 'i, 'o> {
    /// The key.
    pub key: &'k [u8; 16],
    /// The message, whole blocks.
    pub buffer: InOutBuf<'i, 'o, u8>,
}

impl fmt::Debug for KeyedMessage<'_, '_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyedMessage").finish_non_exhaustive()
    }
}

/// Encrypts messages by XTEA with 32 cycles, block by block, each message under a key of its own.
///
/// ```no_run
/// use abreast::xtea::ByteOrder;
/// use abreast_gpu::{Gpu, KeyedMessage, Options, find_device, xtea_decrypt_many, xtea_encrypt_many};
///
/// let gpu = Gpu::open(&find_device(None)?, &Options::default())?;
/// let (keys, mut texts) = (vec![[7; 16]; 100_000], vec![[0; 64]; 100_000]);
/// let mut batch: Vec<_> = (keys.iter().zip(&mut texts))
///     .map(|(key, text)| KeyedMessage { key, buffer: text.as_mut_slice().into() })
///     .collect();
/// xtea_encrypt_many(&gpu, ByteOrder::LittleEndian, &mut batch)?;
/// xtea_decrypt_many(&gpu, ByteOrder::LittleEndian, &mut batch)?;
/// # Ok::<(), abreast_gpu::Error>(())
/// ```
///
/// # Errors
/// [`Error::Cipher`] with [`abreast::Error::PartialBlock`] if a message is no whole number of blocks; errors of the device.
/// Then nothing is done: finished messages are undone, so that messages in place are as they were; outputs elsewhere may have
/// zeros in them.
pub fn xtea_encrypt_many(
    gpu: &Arc<Gpu>,
    order: ByteOrder,
    messages: &mut [KeyedMessage<'_, '_, '_>],
) -> Result<Times, Error> {
    gpu.ready(Program::Xtea, SELF_TEST, of_many_keys)?;
    run(gpu, Direction::Encrypt, order, messages)
}

/// Decrypts messages; the inverse of [`xtea_encrypt_many`].
///
/// # Errors
/// The errors of [`xtea_encrypt_many`].
pub fn xtea_decrypt_many(
    gpu: &Arc<Gpu>,
    order: ByteOrder,
    messages: &mut [KeyedMessage<'_, '_, '_>],
) -> Result<Times, Error> {
    gpu.ready(Program::Xtea, SELF_TEST, of_many_keys)?;
    run(gpu, Direction::Decrypt, order, messages)
}

/// Returns the positions of the keys under which a ciphertext of XTEA with 32 cycles, whole blocks and up to 64 bytes, decrypts to the
/// wanted plaintext. The device returns only these positions, not the decrypted text, and the CPU tries each of the keys again
/// before its position is returned.
///
/// ```no_run
/// use abreast::xtea::ByteOrder;
/// use abreast_gpu::{Gpu, Options, Wanted, find_device, xtea_try_keys};
///
/// let gpu = Gpu::open(&find_device(None)?, &Options::default())?;
/// let keys: Vec<[u8; 16]> = (0..1_000_000_u128).map(u128::to_le_bytes).collect();
/// let ciphertext = [0xd8, 0xd4, 0xe9, 0xde, 0xd9, 0x1e, 0x13, 0xf7];
/// // Which of them make plaintexts that begin with four zeros?
/// let found = xtea_try_keys(&gpu, ByteOrder::LittleEndian, &keys, &ciphertext, &Wanted::beginning(&[0; 4]))?;
/// assert!(found.contains(&0));
/// # Ok::<(), abreast_gpu::Error>(())
/// ```
///
/// # Errors
/// [`Error::Cipher`] with [`abreast::Error::PartialBlock`] or [`abreast::Error::MessageTooLong`]; errors of the device.
pub fn xtea_try_keys(
    gpu: &Arc<Gpu>,
    order: ByteOrder,
    keys: &[[u8; 16]],
    ciphertext: &[u8],
    wanted: &Wanted<'_>,
) -> Result<Vec<usize>, Error> {
    gpu.ready(Program::Xtea, SELF_TEST, of_many_keys)?;
    search(gpu, order, keys, ciphertext, wanted)
}

/// The name of the self-test.
const SELF_TEST: &str = "xtea, many keys";

/// True if the output of a message is its input.
pub(crate) fn is_in_place(buffer: &mut InOutBuf<'_, '_, u8>) -> bool {
    let input = buffer.get_in().as_ptr();
    input == buffer.get_out().as_ptr()
}

/// Encrypts or decrypts a message on the CPU.
fn on_cpu(
    key: &[u8; 16],
    order: ByteOrder,
    direction: Direction,
    text: &mut [u8],
) -> Result<(), abreast::Error> {
    let kernel = Xtea::kernels().next().ok_or(abreast::Error::KernelUnavailable)?;
    raw_blocks(&Xtea::with_kernel(key, order, CYCLES as u8, kernel)?, direction, text.into())
}

/// Does messages, without the self-test.
fn run(
    gpu: &Gpu,
    direction: Direction,
    order: ByteOrder,
    messages: &mut [KeyedMessage<'_, '_, '_>],
) -> Result<Times, Error> {
    if messages.iter().any(|message| !message.buffer.len().is_multiple_of(BLOCK)) {
        return Err(abreast::Error::PartialBlock.into());
    }
    let done = vec![0; messages.len()];
    let mut batch = Batch { direction, order, messages, next: 0, begun: 0, done, waves: Default::default() };
    gpu.run(&mut batch, None).inspect_err(|_| batch.undo())
}

/// Messages on their way.
struct Batch<'a, 'k, 'i, 'o> {
    direction: Direction,
    order: ByteOrder,
    messages: &'a mut [KeyedMessage<'k, 'i, 'o>],
    /// The next message, and how many bytes of it have gone to the device.
    next: usize,
    begun: usize,
    /// Bytes of each message that have been handed out.
    done: Vec<usize>,
    /// The pieces in each slot.
    waves: [Vec<Piece>; CHUNKS_UNDER_WAY],
}

/// A piece of a message, in units of its own from byte `place` of a staging buffer on.
#[derive(Clone, Copy)]
struct Piece {
    message: usize,
    from: usize,
    len: usize,
    place: usize,
}

impl Batch<'_, '_, '_, '_> {
    /// Returns the pieces of the next messages that fit in `room`, and the units that they have.
    fn pieces(&mut self, mut room: usize) -> (Vec<Piece>, usize) {
        // Keys are aligned.
        room -= KEY;
        let (mut pieces, mut units) = (Vec::new(), 0);
        while let Some(message) = self.messages.get(self.next) {
            let left = message.buffer.len() - self.begun;
            let fit = room.saturating_sub(KEY) / (UNIT + NUMBER);
            let taken = left.div_ceil(UNIT).min(fit);
            if taken == 0 && left > 0 {
                break;
            }
            let len = left.min(taken * UNIT);
            if len > 0 {
                pieces.push(Piece { message: self.next, from: self.begun, len, place: units * UNIT });
                units += taken;
                room -= KEY + taken * (UNIT + NUMBER);
            }
            self.begun += len;
            if self.begun == message.buffer.len() {
                (self.next, self.begun) = (self.next + 1, 0);
            }
        }
        (pieces, units)
    }

    /// True if the CPU computes the same first block of a piece, and the same last one.
    fn is_right(&self, piece: Piece, staging: &[u8]) -> bool {
        let KeyedMessage { key, buffer } = &self.messages[piece.message];
        [0, piece.len - BLOCK].into_iter().all(|at| {
            let mut block = Zeroizing::new([0; BLOCK]);
            block.copy_from_slice(&buffer.get_in()[piece.from + at..][..BLOCK]);
            let done = on_cpu(key, self.order, self.direction, &mut *block);
            done.is_ok() && *block == staging[piece.place + at..][..BLOCK]
        })
    }

    /// Undoes the messages that have been handed out: in place the CPU inverts them, elsewhere zeros are left.
    fn undo(&mut self) {
        let inverse = match self.direction {
            Direction::Encrypt => Direction::Decrypt,
            Direction::Decrypt => Direction::Encrypt,
        };
        for (KeyedMessage { key, buffer }, done) in self.messages.iter_mut().zip(&self.done) {
            if !is_in_place(buffer) {
                buffer.get_out()[..*done].fill(0);
                continue;
            }
            on_cpu(key, self.order, inverse, &mut buffer.get_out()[..*done])
                .expect("what was done is whole blocks");
        }
    }
}

impl Work for Batch<'_, '_, '_, '_> {
    fn program(&self) -> Program {
        Program::Xtea
    }

    fn next(&mut self, slot: usize, staging: &mut [u8]) -> Option<Task> {
        let (pieces, units) = self.pieces(staging.len());
        if pieces.is_empty() {
            return None;
        }
        let numbers = units * UNIT;
        let keys = (numbers + units * NUMBER).next_multiple_of(KEY);
        let up = keys + pieces.len() * KEY;
        for (number, piece) in pieces.iter().enumerate() {
            let Piece { message, from, len, place } = *piece;
            let KeyedMessage { key, buffer } = &self.messages[message];
            staging[place..place + len].copy_from_slice(&buffer.get_in()[from..from + len]);
            let first = numbers + place / UNIT * NUMBER;
            for unit in staging[first..].as_chunks_mut().0.iter_mut().take(len.div_ceil(UNIT)) {
                *unit = (number as u32).to_le_bytes();
            }
            staging[keys + number * KEY..][..KEY].copy_from_slice(&key[..]);
        }
        let step = KernelCall {
            kernel: if self.direction == Direction::Encrypt { "many_encrypt" } else { "many_decrypt" },
            how: [(numbers / BLOCK) as u32, CYCLES, u32::from(self.order == ByteOrder::BigEndian), 0],
            first: [(numbers / 4) as u32, (keys / KEY) as u32, 0, 0],
            mask: [0; 4],
            items: numbers / BLOCK,
        };
        self.waves[slot] = pieces;
        Some(Task { up: 0..up, steps: vec![step], down: 0..numbers })
    }

    fn take(&mut self, slot: usize, staging: &[u8]) -> bool {
        let pieces = core::mem::take(&mut self.waves[slot]);
        let some = [pieces.first(), pieces.get(pieces.len() / 2), pieces.last()];
        if !some.into_iter().flatten().all(|piece| self.is_right(*piece, staging)) {
            return false;
        }
        for Piece { message, from, len, place } in pieces {
            let out = &mut self.messages[message].buffer.get_out()[from..from + len];
            out.copy_from_slice(&staging[place..place + len]);
            self.done[message] = from + len;
        }
        true
    }
}

/// Tries many keys, without the self-test.
fn search(
    gpu: &Gpu,
    order: ByteOrder,
    keys: &[[u8; 16]],
    ciphertext: &[u8],
    wanted: &Wanted<'_>,
) -> Result<Vec<usize>, Error> {
    if ciphertext.len() > LONGEST_TRIED {
        return Err(abreast::Error::MessageTooLong.into());
    }
    if !ciphertext.len().is_multiple_of(BLOCK) {
        return Err(abreast::Error::PartialBlock.into());
    }
    if wanted.is_longer_than(ciphertext.len()) {
        return Ok(Vec::new());
    }
    let found = Vec::new();
    let mut search = Search { order, keys, ciphertext, wanted, next: 0, found, chunks: Default::default() };
    gpu.run(&mut search, None)?;
    Ok(search.found)
}

/// Keys that are tried.
struct Search<'a> {
    order: ByteOrder,
    keys: &'a [[u8; 16]],
    ciphertext: &'a [u8],
    wanted: &'a Wanted<'a>,
    next: usize,
    found: Vec<usize>,
    /// The first key in each slot, and their number.
    chunks: [(usize, usize); CHUNKS_UNDER_WAY],
}

impl Search<'_> {
    /// True if a key fits, computed on the CPU.
    fn fits(&self, key: usize) -> bool {
        let mut text = Zeroizing::new([0; LONGEST_TRIED]);
        let text = &mut text[..self.ciphertext.len()];
        text.copy_from_slice(self.ciphertext);
        on_cpu(&self.keys[key], self.order, Direction::Decrypt, text).is_ok() && self.wanted.fits(text)
    }
}

impl Work for Search<'_> {
    fn program(&self) -> Program {
        Program::Xtea
    }

    fn next(&mut self, slot: usize, staging: &mut [u8]) -> Option<Task> {
        let len = self.ciphertext.len();
        let room = staging.len() - 3 * LONGEST_TRIED - 2 * KEY;
        let count = (self.keys.len() - self.next).min(room / (KEY + 1));
        if count == 0 {
            return None;
        }
        let keys = &self.keys[self.next..][..count];
        // A byte for each key; the texts; the keys.
        let texts = count.next_multiple_of(BLOCK);
        let keys_at = (texts + 3 * len).next_multiple_of(KEY);
        let up = keys_at + count * KEY;
        let (text, rest) = staging[texts..].split_at_mut(len);
        text.copy_from_slice(self.ciphertext);
        let (wanted, mask) = rest.split_at_mut(len);
        self.wanted.write(wanted, &mut mask[..len]);
        staging[keys_at..up].copy_from_slice(keys.as_flattened());
        self.chunks[slot] = (self.next, count);
        self.next += count;
        let step = KernelCall {
            kernel: "try_keys",
            how: [(len / BLOCK) as u32, CYCLES, u32::from(self.order == ByteOrder::BigEndian), count as u32],
            first: [(texts / BLOCK) as u32, (keys_at / KEY) as u32, 0, 0],
            mask: [0; 4],
            items: count,
        };
        Some(Task { up: texts..up, steps: vec![step], down: 0..count })
    }

    fn take(&mut self, slot: usize, staging: &[u8]) -> bool {
        let (first, count) = self.chunks[slot];
        let Some(found) = confirmed(&staging[..count], |n| self.fits(first + n)) else { return false };
        self.found.extend(found.into_iter().map(|n| first + n));
        true
    }
}

/// Returns the keys of a chunk that fit, if the device and the CPU agree; the CPU tries all keys that the device reported and some
/// others. None if the two differ.
pub(crate) fn confirmed(told: &[u8], fits: impl Fn(usize) -> bool) -> Option<Vec<usize>> {
    let count = told.len();
    let mut found = Vec::new();
    for n in (0..count).filter(|n| told[*n] != 0 || [0, count / 2, count - 1].contains(n)) {
        let told = told[n] != 0;
        if fits(n) != told {
            return None;
        }
        if told {
            found.push(n);
        }
    }
    Some(found)
}

/// Does the self-test: messages of several lengths, and keys of which one fits.
fn of_many_keys(gpu: &Arc<Gpu>) -> Result<(), Error> {
    let keys: Vec<[u8; 16]> = some_bytes(16 * 100, 1).as_chunks().0.to_vec();
    let lens = (0..keys.len()).map(|n| 8 * (n % 20));
    for order in [ByteOrder::LittleEndian, ByteOrder::BigEndian] {
        let mut texts: Vec<Vec<u8>> = lens.clone().zip(2..).map(|(len, n)| some_bytes(len, n)).collect();
        let mut expected = texts.clone();
        let kernel = Xtea::kernels().next().ok_or(abreast::Error::KernelUnavailable)?;
        for direction in [Direction::Encrypt, Direction::Decrypt] {
            let buffers = keys.iter().zip(&mut texts);
            let mut messages: Vec<_> = buffers
                .map(|(key, text)| KeyedMessage { key, buffer: InOutBuf::from(&mut text[..]) })
                .collect();
            run(gpu, direction, order, &mut messages)?;
            for (key, text) in keys.iter().zip(&mut expected) {
                let cipher = Xtea::with_kernel(key, order, 32, kernel)?;
                raw_blocks(&cipher, direction, (&mut text[..]).into())?;
            }
            if texts != expected {
                return Err(wrong(gpu));
            }
        }
        let mut plain = *b"PK\x03\x04 and something more.";
        let mut ciphertext = plain;
        let cipher = Xtea::with_kernel(&keys[77], order, 32, kernel)?;
        raw_blocks(&cipher, Direction::Encrypt, (&mut ciphertext[..]).into())?;
        // A byte that is another and does not count.
        plain[5] ^= 1;
        let mut mask = [0xff; 24];
        mask[5] = 0;
        if search(gpu, order, &keys, &ciphertext, &Wanted::masked(&plain, &mask))? != [77] {
            return Err(wrong(gpu));
        }
    }
    Ok(())
}
