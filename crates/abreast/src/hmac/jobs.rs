//! Many messages side by side, of any lengths: as one ends, the next takes its place.
//!
//! A job is a chaining value and what is to be hashed into it. Jobs are opened in places, the longest first, so that they
//! end about together, and a step hashes as many blocks as all that take part in it have in one piece. A piece is in the
//! message, or in a buffer of two blocks if it is cut by the bounds of the message's parts or is its end with the padding.

use super::compress::HashBlock;
use super::hash::{HashFunction, HashKernel, step};
use super::lanes::MOST_LANES;
use crate::engine::counting_sort::CountingSort;
use crate::wipe::wipe;
use abreast_simd::Block;
use abreast_simd::inlined::{CopyFrom, Flat, Zipped};
use abreast_simd::sha::Chain;
use core::array::from_mut;

/// Messages that are hashed together.
pub(crate) const WINDOW: usize = 64;

/// A message in up to three parts, such as a header, a ciphertext and a counter that is not sent.
pub(crate) type MessageParts<'m> = [&'m [u8]; 3];

/// A chaining value, and what is to be hashed into it.
#[derive(Clone, Copy)]
pub(crate) struct Job<'m> {
    /// The value before, and in the end after.
    pub(super) chain: Chain,
    pub(super) parts: MessageParts<'m>,
    pub(super) end: End,
}

/// The end of a job.
#[derive(Clone, Copy)]
pub(crate) enum End {
    /// Padding after the parts and the bytes hashed before them (FIPS 180-4, section 5.1.1).
    Padded {
        /// Bytes that were hashed before.
        before: u64,
    },
    /// None: the parts are whole blocks, or end in bytes that do not count.
    Open,
}

impl Job<'_> {
    /// Nothing to do.
    pub(super) const NONE: Self = Self { chain: [[0; 16]; 2], parts: [&[]; 3], end: End::Open };

    /// Returns the class of the length. Only the order of jobs depends on it.
    fn class(&self) -> usize {
        let blocks = len_of(&self.parts) / 64;
        if blocks < 16 {
            return blocks;
        }
        // Eight classes for each doubling.
        let doublings = blocks.ilog2() as usize;
        (16 + 8 * (doublings - 4) + (blocks >> (doublings - 3)) % 8).min(CLASSES - 1)
    }
}

// No boundary: messages so long are hashed in any order.
const CLASSES: usize = 128;
const _: () = assert!(CLASSES <= 1 << u8::BITS, "classes are bytes");

/// The rest of a job that was begun.
#[derive(Clone, Copy)]
struct Cursor<'m> {
    /// Its number.
    job: usize,
    /// Whole blocks of the message that come next.
    run: &'m [HashBlock],
    /// The blocks of the buffer that come after them: this number, from this one on.
    staged: (usize, usize),
    /// True if parts or the end come after both.
    unfinished: bool,
    parts: MessageParts<'m>,
    end: End,
    /// Bytes of all parts, with those hashed before.
    len: u64,
}

impl<'m> Cursor<'m> {
    const NONE: Self =
        Self { job: 0, run: &[], staged: (0, 0), unfinished: false, parts: [&[]; 3], end: End::Open, len: 0 };

    fn new(job: usize, of: &Job<'m>) -> Self {
        let before = match of.end {
            End::Padded { before } => before,
            End::Open => 0,
        };
        let len = of.parts.iter().fold(before, |sum, part| sum.wrapping_add(part.len() as u64));
        Self { job, unfinished: true, parts: of.parts, end: of.end, len, ..Self::NONE }
    }

    /// Blocks in one piece.
    fn blocks<'s>(&self, buffer: &'s [HashBlock; 2]) -> &'s [HashBlock]
    where
        'm: 's,
    {
        let (count, from) = self.staged;
        if self.run.is_empty() { &buffer[from..from + count] } else { self.run }
    }

    /// Leaves out blocks that were hashed.
    fn skip(&mut self, blocks: usize) {
        if self.run.is_empty() {
            let (count, from) = self.staged;
            self.staged = (count - blocks, from + blocks);
        } else {
            self.run = &self.run[blocks..];
        }
    }

    /// Finds the next pieces if there are none. False if the job has ended.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn advance(&mut self, buffer: &mut [HashBlock; 2]) -> bool {
        !self.run.is_empty() || self.staged.0 > 0 || self.unfinished && self.refill(buffer)
    }

    /// Takes whole blocks of the next part, and stages what follows them: all of it with its padding, where there is room.
    fn refill(&mut self, buffer: &mut [HashBlock; 2]) -> bool {
        let padded = matches!(self.end, End::Padded { .. });
        // Most messages have one part. A short one is staged as a whole: each piece is a step.
        if let ([part, [], []], true) = (self.parts, padded) {
            let (run, tail) =
                if part.len() <= MOST_STAGED { ([].as_slice(), part) } else { part.as_chunks() };
            (self.run, self.staged) = (run, (pad(tail, self.len, buffer), 0));
            self.unfinished = false;
            return true;
        }
        let mut left = len_of(&self.parts);
        if (left > MOST_STAGED || !padded)
            && let Some(part) = self.parts.iter_mut().find(|part| !part.is_empty())
        {
            (self.run, *part) = part.as_chunks();
            left = len_of(&self.parts);
        }
        if padded && left <= MOST_STAGED {
            self.staged = (pad_parts(&self.parts, self.len, buffer), 0);
            self.unfinished = false;
            return true;
        }
        if self.run.is_empty() && left >= 64 {
            // A block across the bounds of parts.
            let mut filled = 0;
            for part in &mut self.parts {
                let (head, rest) = part.split_at(part.len().min(64 - filled));
                buffer[0][filled..filled + head.len()].copy_from(head);
                (filled, *part) = (filled + head.len(), rest);
            }
            self.staged = (1, 0);
        }
        !self.run.is_empty() || self.staged.0 > 0
    }
}

/// Returns the bytes of all parts.
fn len_of(parts: &MessageParts<'_>) -> usize {
    parts.iter().fold(0, |sum, part| sum.saturating_add(part.len()))
}

/// Bytes that fit into a buffer with their padding.
pub(crate) const MOST_STAGED: usize = 2 * 64 - 9;

/// Writes the end of a message, [`MOST_STAGED`] bytes or fewer, with its padding (FIPS 180-4, section 5.1.1), and returns the
/// number of blocks. The message has `len` bytes in all.
///
/// All is written by rows, since a row that is loaded right after parts of it were stored makes the CPU wait.
fn pad(tail: &[u8], len: u64, buffer: &mut [HashBlock; 2]) -> usize {
    let blocks = if tail.len() < 56 { 1 } else { 2 };
    let (whole, rest) = tail.as_chunks::<16>();
    let end = u128::from_le_bytes(*Block::from_part(rest).as_bytes()) ^ 0x80 << (8 * rest.len());
    let bits = u128::from(len.wrapping_mul(8).swap_bytes()) << 64;
    for (i, row) in buffer.flat_mut().as_chunks_mut::<16>().0.iter_mut().enumerate().take(4 * blocks) {
        let bytes = whole.get(i).map_or(0, |row| u128::from_le_bytes(*row));
        let end = if i == whole.len() { end } else { 0 };
        let bits = if i == 4 * blocks - 1 { bits } else { 0 };
        *row = *Block::from(bytes ^ end ^ bits).as_bytes();
    }
    blocks
}

/// Writes the end of a message that lies in several parts, [`MOST_STAGED`] bytes or fewer, as [`pad`] does.
fn pad_parts(parts: &MessageParts<'_>, len: u64, buffer: &mut [HashBlock; 2]) -> usize {
    *buffer = [[0; 64]; 2];
    let bytes = buffer.flat_mut();
    let mut filled = 0;
    for part in parts {
        bytes[filled..filled + part.len()].copy_from(part);
        filled += part.len();
    }
    bytes[filled] = 0x80;
    let blocks = if filled < 56 { 1 } else { 2 };
    bytes[64 * blocks - 8..64 * blocks].copy_from(&len.wrapping_mul(8).to_be_bytes());
    blocks
}

/// Wipes the chaining values of jobs.
pub(crate) fn wipe_jobs(jobs: &mut [Job<'_>]) {
    for job in &mut *jobs {
        job.chain = [[0; 16]; 2];
    }
    zeroize::optimization_barrier(jobs);
}

/// Hashes jobs one after the other, with less to do beside the rounds.
pub(super) fn run_alone(hash: HashFunction, kernel: HashKernel, jobs: &mut [Job<'_>]) {
    let way = kernel.way(hash, 1);
    let mut buffer = [[0; 64]; 2];
    for job in jobs {
        let mut cursor = Cursor::new(0, job);
        while cursor.advance(&mut buffer) {
            let source = cursor.blocks(&buffer);
            let blocks = source.len();
            step(hash, way, from_mut(&mut job.chain), &[source], blocks);
            cursor.skip(blocks);
        }
    }
    wipe(buffer.flat_mut());
}

/// Hashes up to [`WINDOW`] jobs side by side.
pub(super) fn run(hash: HashFunction, kernel: HashKernel, jobs: &mut [Job<'_>]) {
    let mut cursors = [Cursor::NONE; MOST_LANES];
    let mut chains = [[[0; 16]; 2]; MOST_LANES];
    let mut buffers = [[[0; 64]; 2]; MOST_LANES];
    let mut order = [0; WINDOW];
    longest_first(jobs, &mut order);
    let mut waiting = order.iter().map(|job| usize::from(*job)).take(jobs.len());
    // The places that are taken. More than a step can take would wait, the longest messages among them.
    let mut open = 0;
    let places = kernel.way(hash, MOST_LANES).lanes();
    loop {
        while open < places
            && let Some(job) = waiting.next()
        {
            cursors[open] = Cursor::new(job, &jobs[job]);
            chains[open] = jobs[job].chain;
            open += usize::from(cursors[open].advance(&mut buffers[open]));
        }
        if open == 0 {
            break;
        }
        let way = kernel.way(hash, open);
        let used = way.lanes().min(open);
        // A place without a message hashes the first message again.
        let mut sources = [cursors[0].blocks(&buffers[0]); MOST_LANES];
        for (source, (cursor, buffer)) in
            sources.iter_mut().zipped(cursors.iter().zipped(&buffers)).take(used)
        {
            *source = cursor.blocks(buffer);
        }
        let blocks = sources[..used].iter().fold(usize::MAX, |least, source| least.min(source.len()));
        step(hash, way, &mut chains, &sources, blocks);
        // From the last one on: the place of one that has ended is taken by one that waits, or by the last.
        for place in (0..used).rev() {
            cursors[place].skip(blocks);
            while !cursors[place].advance(&mut buffers[place]) {
                jobs[cursors[place].job].chain = chains[place];
                if let Some(job) = waiting.next() {
                    cursors[place] = Cursor::new(job, &jobs[job]);
                    chains[place] = jobs[job].chain;
                    continue;
                }
                open -= 1;
                if place != open {
                    cursors[place] = cursors[open];
                    chains[place] = chains[open];
                    buffers[place] = buffers[open];
                }
                break;
            }
        }
    }
    wipe(chains.flat_mut().flat_mut());
    wipe(buffers.flat_mut().flat_mut());
}

/// Puts the numbers of jobs in order, the longest first.
fn longest_first(jobs: &[Job<'_>], order: &mut [u8; WINDOW]) {
    let (mut classes, mut others) = ([0; WINDOW], 0);
    let first = jobs.first().map_or(0, |job| job.class() as u8);
    for (number, ((class, place), job)) in classes.iter_mut().zipped(&mut *order).zipped(jobs).enumerate() {
        (*class, *place) = (job.class() as u8, number as u8);
        others |= *class ^ first;
    }
    if others == 0 {
        // Jobs of one class are in order, and counting them takes as long as padding them.
        return;
    }
    let mut sort = CountingSort::<CLASSES>::new();
    for class in &classes[..jobs.len()] {
        sort.count((*class).into());
    }
    sort.begin();
    for (number, class) in classes.iter().enumerate().take(jobs.len()) {
        order[jobs.len() - 1 - sort.place((*class).into())] = number as u8;
    }
}
