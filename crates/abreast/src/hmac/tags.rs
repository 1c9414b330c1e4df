//! The computation of keys and tags, which knows the hash at run time: it is compiled once, for both.

use super::compress::HashBlock;
use super::hash::{HashFunction, HashKernel, digest, step};
use super::jobs::{End, Job, MessageParts, WINDOW, run, run_alone, wipe_jobs};
use super::lanes::MOST_LANES;
use crate::wipe::wipe;
use abreast_simd::inlined::{ArrayList, CopyFrom, Flat, Zipped};
use abreast_simd::sha::Chain;
use core::slice::from_ref;

/// The chaining values after the pads of a key, and the kernel.
pub(crate) struct Midstates {
    pub(super) inner: Chain,
    outer: Chain,
    kernel: HashKernel,
}

impl Midstates {
    /// No key yet.
    pub(super) const fn blank(kernel: HashKernel) -> Self {
        Self { inner: [[0; 16]; 2], outer: [[0; 16]; 2], kernel }
    }

    /// The kernel that was chosen with the key.
    pub(crate) fn kernel(&self) -> HashKernel {
        self.kernel
    }

    /// Returns the job of a message in parts.
    pub(crate) fn job<'m>(&self, parts: MessageParts<'m>) -> Job<'m> {
        Self::job_after((self.inner, 64), parts)
    }

    /// Returns the job of the rest of a message: after a chaining value, and after bytes with those of the pad.
    pub(super) fn job_after<'m>((chain, before): (Chain, u64), parts: MessageParts<'m>) -> Job<'m> {
        Job { chain, parts, end: End::Padded { before } }
    }
}

/// Writes the first bytes of the full tag, as many as there is room for.
pub(crate) fn write_tag(full: &[u8; 32], tag: &mut [u8]) {
    tag.copy_from(&full[..tag.len()]);
}

/// The full tag that [`tags`] has left in a job, after that of SHA-1 zeros.
pub(crate) fn full_tag(job: &Job<'_>) -> [u8; 32] {
    digest(&job.chain)
}

/// Computes the tags of up to [`WINDOW`] messages, side by side: the jobs of the messages become their tags. The outer hashes, of a
/// block each, take turns on a small stack.
pub(crate) fn tags(hash: HashFunction, kernel: HashKernel, keys: &[&Midstates], jobs: &mut [Job<'_>]) {
    run(hash, kernel, jobs);
    for (keys, jobs) in keys.chunks(MOST_LANES).zipped(jobs.chunks_mut(MOST_LANES)) {
        outer::<MOST_LANES>(hash, kernel, keys, jobs);
    }
}

/// Computes the tag of one message.
pub(super) fn tag(hash: HashFunction, key: &Midstates, job: Job<'_>) -> [u8; 32] {
    let mut jobs = [job];
    run_alone(hash, key.kernel, &mut jobs);
    outer::<1>(hash, key.kernel, &[key], &mut jobs);
    let tag = full_tag(&jobs[0]);
    wipe_jobs(&mut jobs);
    tag
}

/// Hashes jobs of up to `N` messages.
fn run_up_to<const N: usize>(hash: HashFunction, kernel: HashKernel, jobs: &mut [Job<'_>]) {
    if N == 1 {
        run_alone(hash, kernel, jobs);
    } else {
        run(hash, kernel, jobs);
    }
}

/// Computes the outer hashes of up to `N` messages, of one block each.
fn outer<const N: usize>(
    hash: HashFunction,
    kernel: HashKernel,
    keys: &[&Midstates],
    messages: &mut [Job<'_>],
) {
    let (mut blocks, mut chains) = ([[0; 64]; N], [[[0; 16]; 2]; N]);
    for ((block, chain), (key, message)) in
        blocks.iter_mut().zipped(&mut chains).zipped(keys.iter().zipped(&*messages))
    {
        *block = digest_block(hash, &message.chain);
        *chain = key.outer;
    }
    let mut sources = [&blocks[..1]; N];
    for (source, block) in sources.iter_mut().zipped(&blocks) {
        *source = from_ref(block);
    }
    let mut done = 0;
    while done < messages.len() {
        // The places of a step are a divisor of N, so that all are there.
        let way = kernel.way(hash, messages.len() - done);
        step(hash, way, &mut chains[done..], &sources[done..], 1);
        done += way.lanes();
    }
    for (message, chain) in messages.iter_mut().zipped(&chains) {
        message.chain = *chain;
    }
    wipe(chains.flat_mut().flat_mut());
    wipe(blocks.flat_mut());
}

/// The block of a digest with its padding, after a block of the pad.
fn digest_block(hash: HashFunction, chain: &Chain) -> HashBlock {
    let len = hash.digest_len();
    let digest = digest(chain);
    let (rows, _) = digest.as_chunks::<16>();
    let [first, second] = [u128::from_le_bytes(rows[0]), u128::from_le_bytes(rows[1])];
    let bits = u128::from((8 * (64 + len as u64)).swap_bytes()) << 64;
    // The end of the message is in the second row, or at the beginning of the third.
    let end = 0x80 << (8 * (len % 16));
    let rows = if len < 32 { [first, second | end, 0, bits] } else { [first, second, end, bits] };
    let mut block = [0; 64];
    for (place, row) in block.as_chunks_mut::<16>().0.iter_mut().zipped(rows) {
        *place = row.to_le_bytes();
    }
    block
}

/// Keys that are prepared together.
pub(crate) const KEYS: usize = WINDOW / 2;

/// Prepares a key.
pub(super) fn expand_one(hash: HashFunction, place: &mut Midstates, key: &[u8]) {
    let kernel = place.kernel;
    expand::<1, 2>(hash, kernel, &mut [place], &[key]);
}

/// Prepares up to [`KEYS`] keys, side by side.
pub(super) fn expand_many(
    hash: HashFunction,
    kernel: HashKernel,
    places: &mut [&mut Midstates],
    keys: &[&[u8]],
) {
    expand::<KEYS, { 2 * KEYS }>(hash, kernel, places, keys);
}

/// Prepares up to `N` keys, whose pads are `PADS` blocks.
fn expand<const N: usize, const PADS: usize>(
    hash: HashFunction,
    kernel: HashKernel,
    places: &mut [&mut Midstates],
    keys: &[&[u8]],
) {
    let mut pads = [[[0; 64]; 2]; N];
    let mut jobs = ArrayList::<_, N>::new();
    for (key, [pad, _]) in keys.iter().zipped(&mut pads) {
        // A job without a message does nothing.
        let mut job = Job::NONE;
        if let Some(place) = pad.get_mut(..key.len()) {
            place.copy_from(key);
        } else {
            job = Job { chain: hash.initial(), parts: [key, &[], &[]], end: End::Padded { before: 0 } };
        }
        jobs.push(job);
    }
    if keys.iter().any(|key| key.len() > 64) {
        run_up_to::<N>(hash, kernel, jobs.items_mut());
    }
    for ((job, key), [pad, _]) in jobs.items().iter().zipped(keys).zipped(&mut pads) {
        if key.len() > pad.len() {
            pad[..hash.digest_len()].copy_from(&digest(&job.chain)[..hash.digest_len()]);
        }
    }
    wipe_jobs(jobs.items_mut());
    for [inner, outer] in &mut pads {
        for (inner, outer) in inner.iter_mut().zipped(outer) {
            (*inner, *outer) = (*inner ^ 0x36, *inner ^ 0x5c);
        }
    }
    let mut jobs = ArrayList::<_, PADS>::new();
    for pad in pads[..keys.len()].flat() {
        jobs.push(Job { chain: hash.initial(), parts: [pad, &[], &[]], end: End::Open });
    }
    run_up_to::<N>(hash, kernel, jobs.items_mut());
    for (place, jobs) in places.iter_mut().zipped(jobs.items().as_chunks::<2>().0) {
        (place.inner, place.outer) = (jobs[0].chain, jobs[1].chain);
    }
    wipe_jobs(jobs.items_mut());
    drop(jobs);
    wipe(pads.flat_mut().flat_mut());
}
