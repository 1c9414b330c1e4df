//! RC4 of many messages, each with a key of its own, and many keys for one message.
//!
//! A stream cannot be cut, so a work item is a message. Messages go to the device in waves: their keys first, of which
//! it makes states, and then piece after piece of all of them. The states stay on the device meanwhile. So messages may
//! be of any length; those of a wave should have about the same.

use std::sync::Arc;

use abreast::rc4::{Message, Rc4, apply_keys};

use crate::Error;
use crate::gpu::{CHUNKS_UNDER_WAY, Gpu, KernelCall, Task, Work};
use crate::many::{LONGEST_TRIED, confirmed, is_in_place};
use crate::program::Program;
use crate::self_test::{some_bytes, wrong};
use crate::slot::Times;
use crate::wanted::Wanted;

/// Bytes of the longest key.
const LONGEST_KEY: usize = 256;
/// Bytes of a piece that are enough to have copies outweigh states, which are read and written with every piece.
const PIECE: usize = 256;
/// Bytes that pieces and keys are multiples of.
const ALIGNED: usize = 16;
/// Bytes of a state: 256, and its two places.
const STATE: usize = 260;
/// Bytes of a length, and of the number of bytes that are left out.
const NUMBER: usize = 4;
/// The most bytes of keystream that are left out in front of a message.
pub const MOST_SKIPPED: u64 = 1 << 20;

/// Encrypts or decrypts messages by RC4, each under a key of its own, as [`abreast::rc4::apply_keys`] does.
///
/// ```no_run
/// use abreast::rc4::Message;
/// use abreast_gpu::{Gpu, Options, find_device, rc4_apply_keys};
///
/// let gpu = Gpu::open(&find_device(None)?, &Options::default())?;
/// let mut texts = vec![[0; 1024]; 10_000];
/// let mut batch: Vec<_> = texts
///     .iter_mut()
///     .map(|text| Message { key: b"a key of its own", skip: 768, buffer: text.as_mut_slice().into() })
///     .collect();
/// rc4_apply_keys(&gpu, &mut batch)?;
/// # Ok::<(), abreast_gpu::Error>(())
/// ```
///
/// # Errors
/// [`Error::Cipher`] with [`abreast::Error::KeyLength`]; [`Error::Unsupported`] if more than [`MOST_SKIPPED`] bytes are to be
/// left out; errors of the device. Then nothing is done: finished messages are undone, so that messages in place are as they
/// were; outputs elsewhere may have zeros in them.
pub fn rc4_apply_keys(gpu: &Arc<Gpu>, messages: &mut [Message<'_, '_, '_>]) -> Result<Times, Error> {
    gpu.ready(Program::Rc4, SELF_TEST, of_rc4)?;
    run(gpu, messages)
}

/// Returns the positions of the keys under which a ciphertext of RC4 of up to 64 bytes decrypts to the wanted plaintext, if the first
/// `skip` bytes of keystream are left out. The CPU tries each of the keys again before its position is returned.
///
/// ```no_run
/// use abreast_gpu::{Gpu, Options, Wanted, find_device, rc4_try_keys};
///
/// let gpu = Gpu::open(&find_device(None)?, &Options::default())?;
/// let keys: Vec<_> = (0..1_000_000_u32).map(u32::to_be_bytes).collect();
/// let found = rc4_try_keys(&gpu, &keys, 0, &[0xbb, 0xf3, 0x16, 0xe8], &Wanted::beginning(b"Plai"))?;
/// println!("{} keys fit", found.len());
/// # Ok::<(), abreast_gpu::Error>(())
/// ```
///
/// # Errors
/// [`Error::Cipher`] with [`abreast::Error::KeyLength`] or [`abreast::Error::MessageTooLong`]; [`Error::Unsupported`] as for
/// [`rc4_apply_keys`]; errors of the device.
pub fn rc4_try_keys(
    gpu: &Arc<Gpu>,
    keys: &[impl AsRef<[u8]>],
    skip: u64,
    ciphertext: &[u8],
    wanted: &Wanted<'_>,
) -> Result<Vec<usize>, Error> {
    gpu.ready(Program::Rc4, SELF_TEST, of_rc4)?;
    search(gpu, keys, skip, ciphertext, wanted)
}

/// The name of the self-test.
const SELF_TEST: &str = "rc4";

fn check_key(key: &[u8]) -> Result<(), Error> {
    if (1..=LONGEST_KEY).contains(&key.len()) { Ok(()) } else { Err(abreast::Error::KeyLength.into()) }
}

fn check_skip(skip: u64) -> Result<(), Error> {
    let too_much = "RC4 on OpenCL devices leaves out at most 1 MiB of keystream in front of a message";
    if skip <= MOST_SKIPPED { Ok(()) } else { Err(Error::Unsupported(too_much)) }
}

/// Makes the stream of a message on the CPU.
fn stream(key: &[u8], skip: u64) -> Result<Rc4, abreast::Error> {
    let mut rc4 = Rc4::new(key)?;
    rc4.skip(skip);
    Ok(rc4)
}

/// Does messages, without the self-test.
fn run(gpu: &Gpu, messages: &mut [Message<'_, '_, '_>]) -> Result<Times, Error> {
    messages.iter().try_for_each(|message| {
        check_key(message.key)?;
        check_skip(message.skip)
    })?;
    let done = vec![0; messages.len()];
    let mut batch = Batch { messages, next: 0, done, waves: Default::default() };
    gpu.run(&mut batch, None).inspect_err(|_| batch.undo())
}

/// Messages on their way.
struct Batch<'a, 'k, 'i, 'o> {
    messages: &'a mut [Message<'k, 'i, 'o>],
    next: usize,
    /// Bytes of each message that have been handed out.
    done: Vec<usize>,
    /// The messages whose states are in each slot.
    waves: [Option<Wave>; CHUNKS_UNDER_WAY],
}

/// Messages whose states are in a slot.
struct Wave {
    first: usize,
    count: usize,
    /// Bytes of the place of a message, which its key has to fit in too.
    place: usize,
    /// Bytes of the longest message.
    longest: usize,
    /// Bytes of each message that have gone to the device, at most its length. None while there are only keys.
    begun: Option<usize>,
    /// Some of the messages, whose streams the CPU computes too.
    checked: Vec<(usize, Rc4)>,
}

impl Wave {
    /// Returns the offset of the lengths in a staging buffer.
    fn lengths(&self) -> usize {
        self.count * self.place
    }

    /// Returns the numbers of the messages in it.
    fn messages(&self) -> core::ops::Range<usize> {
        self.first..self.first + self.count
    }

    fn step(&self, kernel: &'static str) -> KernelCall {
        let word = |at: usize| (at / 4) as u32;
        let lengths = self.lengths();
        let numbers = NUMBER * self.count;
        KernelCall {
            kernel,
            how: [self.count as u32, self.place as u32, 0, 0],
            first: [word(lengths), word(lengths + numbers), word(lengths + 2 * numbers), 0],
            mask: [0; 4],
            items: self.count,
        }
    }
}

impl Batch<'_, '_, '_, '_> {
    /// Returns the next wave, if there are more messages.
    fn wave(&mut self, room: usize) -> Option<Wave> {
        let left = &self.messages[self.next..];
        let longest_key = left.iter().map(|message| message.key.len()).max()?;
        let longest = left.iter().map(|message| message.buffer.len()).max()?;
        let place = longest.min(PIECE).max(longest_key).next_multiple_of(ALIGNED);
        let count = left.len().min(room / (place + 2 * NUMBER + STATE));
        let first = self.next;
        self.next += count;
        let longest = left[..count].iter().map(|message| message.buffer.len()).max()?;
        let mut checked: Vec<(usize, Rc4)> = Vec::new();
        for message in [first, first + count / 2, first + count - 1] {
            if checked.iter().all(|(other, _)| *other != message) {
                let Message { key, skip, .. } = &self.messages[message];
                checked.push((message, stream(key, *skip).expect("keys were looked at")));
            }
        }
        Some(Wave { first, count, place, longest, begun: None, checked })
    }

    /// Undoes the messages that have been handed out: in place the CPU encrypts them again, which decrypts them; elsewhere
    /// zeros are left.
    fn undo(&mut self) {
        for (message, done) in self.messages.iter_mut().zip(&self.done) {
            if !is_in_place(&mut message.buffer) {
                message.buffer.get_out()[..*done].fill(0);
                continue;
            }
            let mut rc4 = stream(message.key, message.skip).expect("keys were looked at");
            rc4.apply(&mut message.buffer.get_out()[..*done]);
        }
    }
}

impl Work for Batch<'_, '_, '_, '_> {
    fn program(&self) -> Program {
        Program::Rc4
    }

    fn next(&mut self, slot: usize, staging: &mut [u8]) -> Option<Task> {
        let unfinished = |wave: &Wave| wave.begun.is_none_or(|begun| begun < wave.longest);
        let Some(mut wave) = self.waves[slot].take().filter(unfinished) else {
            // Keys first.
            let wave = self.wave(staging.len())?;
            let (lengths, place) = (wave.lengths(), wave.place);
            for (n, message) in self.messages[wave.messages()].iter().enumerate() {
                staging[n * place..][..message.key.len()].copy_from_slice(message.key);
                let numbers = [message.key.len() as u32, message.skip as u32];
                for (i, number) in numbers.into_iter().enumerate() {
                    let at = lengths + NUMBER * (i * wave.count + n);
                    staging[at..at + NUMBER].copy_from_slice(&number.to_le_bytes());
                }
            }
            let up = lengths + 2 * NUMBER * wave.count;
            let step = wave.step("rc4_schedule");
            self.waves[slot] = Some(wave);
            return Some(Task { up: 0..up, steps: vec![step], down: 0..0 });
        };
        let begun = wave.begun.unwrap_or(0);
        let (lengths, place) = (wave.lengths(), wave.place);
        for (n, message) in self.messages[wave.messages()].iter().enumerate() {
            let text = message.buffer.get_in();
            let text = &text[begun.min(text.len())..(begun + place).min(text.len())];
            staging[n * place..][..text.len()].copy_from_slice(text);
            let at = lengths + NUMBER * n;
            staging[at..at + NUMBER].copy_from_slice(&(text.len() as u32).to_le_bytes());
        }
        let up = lengths + NUMBER * wave.count;
        let step = wave.step("rc4_apply");
        wave.begun = Some(begun + place);
        self.waves[slot] = Some(wave);
        Some(Task { up: 0..up, steps: vec![step], down: 0..lengths })
    }

    fn take(&mut self, slot: usize, staging: &[u8]) -> bool {
        let Some(wave) = &mut self.waves[slot] else { return true };
        let Some(end) = wave.begun else {
            // States were made, and nothing came back.
            wave.begun = Some(0);
            return true;
        };
        let (place, from) = (wave.place, end - wave.place);
        let part = |len: usize| from.min(len)..end.min(len);
        for (message, rc4) in &mut wave.checked {
            let text = self.messages[*message].buffer.get_in();
            let mut expected = text[part(text.len())].to_vec();
            rc4.apply(&mut expected[..]);
            if expected != staging[(*message - wave.first) * place..][..expected.len()] {
                return false;
            }
        }
        for (n, message) in self.messages[wave.messages()].iter_mut().enumerate() {
            let part = part(message.buffer.len());
            let len = part.len();
            message.buffer.get_out()[part.clone()].copy_from_slice(&staging[n * place..][..len]);
            self.done[wave.first + n] = part.end;
        }
        true
    }
}

/// Tries many keys, without the self-test.
fn search(
    gpu: &Gpu,
    keys: &[impl AsRef<[u8]>],
    skip: u64,
    ciphertext: &[u8],
    wanted: &Wanted<'_>,
) -> Result<Vec<usize>, Error> {
    let keys: Vec<&[u8]> = keys.iter().map(AsRef::as_ref).collect();
    keys.iter().try_for_each(|key| check_key(key))?;
    check_skip(skip)?;
    if ciphertext.len() > LONGEST_TRIED {
        return Err(abreast::Error::MessageTooLong.into());
    }
    if wanted.is_longer_than(ciphertext.len()) {
        return Ok(Vec::new());
    }
    let place = keys.iter().map(|key| key.len()).max().unwrap_or(1).next_multiple_of(4);
    let (found, chunks) = (Vec::new(), Default::default());
    let mut search = Search { keys, place, skip, ciphertext, wanted, next: 0, found, chunks };
    gpu.run(&mut search, None)?;
    Ok(search.found)
}

/// Keys that are tried.
struct Search<'a> {
    keys: Vec<&'a [u8]>,
    /// Bytes of the place of a key.
    place: usize,
    skip: u64,
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
        let mut text = zeroize::Zeroizing::new([0; LONGEST_TRIED]);
        let text = &mut text[..self.ciphertext.len()];
        text.copy_from_slice(self.ciphertext);
        let done = stream(self.keys[key], self.skip).map(|mut rc4| rc4.apply(&mut *text));
        done.is_ok() && self.wanted.fits(text)
    }
}

impl Work for Search<'_> {
    fn program(&self) -> Program {
        Program::Rc4
    }

    fn next(&mut self, slot: usize, staging: &mut [u8]) -> Option<Task> {
        // Texts of whole words, the last of which the mask cuts off.
        let len = self.ciphertext.len();
        let words = len.div_ceil(4);
        let room = staging.len() - 3 * LONGEST_TRIED - NUMBER;
        let count = (self.keys.len() - self.next).min(room / (self.place + NUMBER + 1));
        if count == 0 {
            return None;
        }
        let texts = count.next_multiple_of(4);
        let lengths = texts + 3 * 4 * words;
        let keys = lengths + NUMBER * count;
        let up = keys + self.place * count;
        staging[texts..lengths].fill(0);
        let (text, rest) = staging[texts..].split_at_mut(4 * words);
        text[..len].copy_from_slice(self.ciphertext);
        let (wanted, mask) = rest.split_at_mut(4 * words);
        self.wanted.write(&mut wanted[..len], &mut mask[..len]);
        for (n, key) in self.keys[self.next..][..count].iter().enumerate() {
            staging[lengths + NUMBER * n..][..NUMBER].copy_from_slice(&(key.len() as u32).to_le_bytes());
            staging[keys + self.place * n..][..key.len()].copy_from_slice(key);
        }
        self.chunks[slot] = (self.next, count);
        self.next += count;
        let word = |at: usize| (at / 4) as u32;
        let step = KernelCall {
            kernel: "rc4_try_keys",
            how: [count as u32, self.place as u32, words as u32, self.skip as u32],
            first: [word(texts), word(lengths), word(keys), 0],
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

/// Does the self-test: messages of several lengths, and keys of which one fits.
fn of_rc4(gpu: &Arc<Gpu>) -> Result<(), Error> {
    let keys: Vec<Vec<u8>> = (0..100).map(|n| some_bytes(1 + n * 256 / 100, n as u32)).collect();
    let mut texts: Vec<Vec<u8>> = (0..100).map(|n| some_bytes(n * 37 % 600, n as u32 + 2)).collect();
    let mut expected = texts.clone();
    let buffers = keys.iter().zip(&mut texts).zip(0..);
    let mut messages: Vec<_> = buffers
        .map(|((key, text), n)| Message { key, skip: n % 5, buffer: (&mut text[..]).into() })
        .collect();
    run(gpu, &mut messages)?;
    for ((key, text), n) in keys.iter().zip(&mut expected).zip(0..) {
        let mut rc4 = Rc4::new(key)?;
        rc4.skip(n % 5);
        rc4.apply(&mut text[..]);
    }
    let ciphertext = &mut b"%PDF-1.3".to_vec();
    let mut message = [Message { key: &keys[33], skip: 3, buffer: (&mut ciphertext[..]).into() }];
    apply_keys(&mut message)?;
    let found = search(gpu, &keys, 3, ciphertext, &Wanted::beginning(b"%PDF-"))?;
    if texts != expected || found != [33] { Err(wrong(gpu)) } else { Ok(()) }
}
