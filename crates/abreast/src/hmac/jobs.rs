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
        let blocks = self.parts.iter().fold(0, |sum: usize, part| sum.saturating_add(part.len())) / 64;
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
    parts: MessageParts<'m>,
    end: End,
    /// Bytes of all parts, with those hashed before.
    len: u64,
    /// Whole blocks that come next, unless some are staged.
    run: &'m [HashBlock],
    /// The blocks of the buffer that are still to be hashed: this number, from this one on.
    staged: (usize, usize),
}

impl<'m> Cursor<'m> {
    const NONE: Self = Self { job: 0, parts: [&[]; 3], end: End::Open, len: 0, run: &[], staged: (0, 0) };

    fn new(job: usize, of: &Job<'m>) -> Self {
        let before = match of.end {
            End::Padded { before } => before,
            End::Open => 0,
        };
        let len = of.parts.iter().fold(before, |sum, part| sum.wrapping_add(part.len() as u64));
        Self { job, parts: of.parts, end: of.end, len, ..Self::NONE }
    }

    /// Blocks in one piece.
    fn blocks<'s>(&self, buffer: &'s [HashBlock; 2]) -> &'s [HashBlock]
    where
        'm: 's,
    {
        let (count, from) = self.staged;
        if count > 0 { &buffer[from..from + count] } else { self.run }
    }

    /// Leaves out blocks that were hashed.
    fn skip(&mut self, blocks: usize) {
        let (count, from) = self.staged;
        if count > 0 {
            self.staged = (count - blocks, from + blocks);
        } else {
            self.run = &self.run[blocks..];
        }
    }

    /// Finds the next piece if the last one has come to its end. False if there is none.
    fn advance(&mut self, buffer: &mut [HashBlock; 2]) -> bool {
        if self.staged.0 > 0 || !self.run.is_empty() {
            return true;
        }
        if let Some(part) = self.parts.iter_mut().find(|part| !part.is_empty())
            && let (run @ [_, ..], rest) = part.as_chunks()
        {
            (self.run, *part) = (run, rest);
            return true;
        }
        if let End::Padded { .. } = self.end
            && let Some(tail) = only_one(&self.parts)
        {
            (self.parts, self.end) = (Self::NONE.parts, End::Open);
            self.staged = (pad(tail, self.len, buffer), 0);
            return true;
        }
        let bytes = buffer.flat_mut();
        let mut filled = 0;
        for part in &mut self.parts {
            let (head, rest) = part.split_at(part.len().min(64 - filled));
            bytes[filled..filled + head.len()].copy_from(head);
            (filled, *part) = (filled + head.len(), rest);
        }
        let mut blocks = filled / 64;
        if let End::Padded { .. } = self.end
            && self.parts.iter().all(|part| part.is_empty())
        {
            let mut tail = [0; 64];
            tail.copy_from(&bytes[..64]);
            // A whole block leaves the end for the next time.
            if filled < 64 {
                blocks = pad(&tail[..filled], self.len, buffer);
                self.end = End::Open;
            }
            wipe(&mut tail);
        }
        self.staged = (blocks, 0);
        blocks > 0
    }
}

/// Returns the one part that is not empty, or an empty one. None if there are several.
fn only_one<'m>(parts: &MessageParts<'m>) -> Option<&'m [u8]> {
    let mut rest = parts.iter().filter(|part| !part.is_empty());
    let first = rest.next().map_or([].as_slice(), |part| *part);
    rest.next().is_none().then_some(first)
}

/// Writes the end of a message, less than a block, with its padding (FIPS 180-4, section 5.1.1), and returns the number of
/// blocks. The message has `len` bytes in all.
///
/// All is written by rows, since a row that is loaded right after parts of it were stored makes the CPU wait.
pub(super) fn pad(tail: &[u8], len: u64, buffer: &mut [HashBlock; 2]) -> usize {
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
    let mut sort = CountingSort::<CLASSES>::new();
    let mut classes = [0; WINDOW];
    for (class, job) in classes.iter_mut().zipped(jobs) {
        *class = job.class() as u8;
        sort.count((*class).into());
    }
    sort.begin();
    for (number, class) in classes.iter().enumerate().take(jobs.len()) {
        order[jobs.len() - 1 - sort.place((*class).into())] = number as u8;
    }
}
