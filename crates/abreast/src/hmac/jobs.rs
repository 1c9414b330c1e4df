//! Many messages side by side, of any lengths: as one ends, the next takes its place.
//!
//! A job is a chaining value and what is to be hashed into it. Jobs are opened in places, the longest first, so that they
//! end about together, and a step hashes as many blocks as all that take part in it have in one piece. A piece is in the
//! message, or in a buffer of two blocks if it is cut by the bounds of the message's parts or is its end with the padding.

use super::compress::HashBlock;
use super::hash::{HashFunction, HashKernel, HashWay, step};
use crate::engine::counting_sort::CountingSort;
use crate::wipe::wipe;
use abreast_simd::inlined::{CopyFrom, Flat, Zipped};
use abreast_simd::sha::Chain;

/// Messages that are hashed together.
pub(crate) const WINDOW: usize = 64;

/// A message in up to three parts, such as a header, a ciphertext and a counter that is not sent.
pub(crate) type MessageParts<'m> = [&'m [u8]; 3];

/// A chaining value, and what is to be hashed into it.
#[derive(Clone, Copy)]
pub(super) struct Job<'m> {
    /// The value before, and in the end after.
    pub(super) chain: Chain,
    pub(super) parts: MessageParts<'m>,
    pub(super) end: End,
}

/// The end of a job.
#[derive(Clone, Copy)]
pub(super) enum End {
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
            blocks = (filled + 1 + 8).div_ceil(64);
            bytes[filled..64 * blocks].fill(0);
            bytes[filled] = 0x80;
            bytes[64 * blocks - 8..64 * blocks].copy_from(&self.len.wrapping_mul(8).to_be_bytes());
            self.end = End::Open;
        }
        self.staged = (blocks, 0);
        blocks > 0
    }
}

/// Hashes jobs, `PLACES` of them at a time at most.
pub(super) fn run<const PLACES: usize>(hash: HashFunction, kernel: HashKernel, jobs: &mut [Job<'_>]) {
    for jobs in jobs.chunks_mut(WINDOW) {
        run_window::<PLACES>(hash, kernel, jobs);
    }
}

fn run_window<const PLACES: usize>(hash: HashFunction, kernel: HashKernel, jobs: &mut [Job<'_>]) {
    let mut order = [0; WINDOW];
    longest_first(jobs, &mut order);
    let mut waiting = order.iter().map(|job| usize::from(*job)).take(jobs.len());
    let mut cursors = [Cursor::NONE; PLACES];
    let mut chains = [[[0; 16]; 2]; PLACES];
    let mut buffers = [[[0; 64]; 2]; PLACES];
    // The places that are taken. More than a step can take would wait, the longest messages among them.
    let mut open = 0;
    let places = limited::<PLACES>(hash, kernel, PLACES).lanes();
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
        let way = limited::<PLACES>(hash, kernel, open);
        let used = way.lanes().min(open);
        // A place without a message hashes the first message again.
        let mut sources = [cursors[0].blocks(&buffers[0]); PLACES];
        for (source, (cursor, buffer)) in
            sources.iter_mut().zipped(cursors.iter().zipped(&buffers)).take(used)
        {
            *source = cursor.blocks(buffer);
        }
        let blocks = sources[..used].iter().fold(usize::MAX, |least, source| least.min(source.len()));
        step(hash, way, &mut chains, &sources, blocks);
        // From the last one on: the place of one that has ended is taken by the last.
        for place in (0..used).rev() {
            cursors[place].skip(blocks);
            if !cursors[place].advance(&mut buffers[place]) {
                jobs[cursors[place].job].chain = chains[place];
                open -= 1;
                cursors[place] = cursors[open];
                chains[place] = chains[open];
                buffers[place] = buffers[open];
            }
        }
    }
    wipe(chains.flat_mut().flat_mut());
    wipe(buffers.flat_mut().flat_mut());
}

/// The way to take a step with some messages, unless it is for more than there are places: then that for one.
fn limited<const PLACES: usize>(hash: HashFunction, kernel: HashKernel, messages: usize) -> HashWay {
    let way = kernel.way(hash, messages);
    if way.lanes() > PLACES { kernel.way(hash, 1) } else { way }
}

/// Puts the numbers of jobs in order, the longest first.
fn longest_first(jobs: &[Job<'_>], order: &mut [u8; WINDOW]) {
    if jobs.len() == 1 {
        return;
    }
    let mut sort = CountingSort::<CLASSES>::new();
    for job in jobs {
        sort.count(job.class());
    }
    sort.begin();
    for (number, job) in jobs.iter().enumerate() {
        order[jobs.len() - 1 - sort.place(job.class())] = number as u8;
    }
}
