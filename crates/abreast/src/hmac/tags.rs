//! The computation of keys and tags, which knows the hash at run time: it is compiled once, for both.

use super::hash::{HashFunction, HashKernel, digest};
use super::jobs::{End, Job, MessageParts, WINDOW, pad, run, run_alone, wipe_jobs};
use crate::wipe::wipe;
use abreast_simd::inlined::{ArrayList, CopyFrom, Flat, Zipped};
use abreast_simd::sha::Chain;

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
}

/// Writes the first bytes of the full tag, as many as there is room for.
pub(crate) fn write_tag(full: &[u8; 32], tag: &mut [u8]) {
    tag.copy_from(&full[..tag.len()]);
}

/// A message under a key, and in the end its full tag, after that of SHA-1 zeros.
#[derive(Clone, Copy)]
pub(crate) struct HmacMessage<'m> {
    key: &'m Midstates,
    /// The chaining value of the inner hash, and the bytes hashed so far.
    inner: (Chain, u64),
    parts: MessageParts<'m>,
    /// The full tag, once it is computed.
    pub(crate) tag: [u8; 32],
}

impl<'m> HmacMessage<'m> {
    /// A message in parts.
    pub(crate) fn new(key: &'m Midstates, parts: MessageParts<'m>) -> Self {
        Self::after(key, (key.inner, 64), parts)
    }

    /// The rest of a message, after whole blocks.
    pub(super) fn after(key: &'m Midstates, inner: (Chain, u64), parts: MessageParts<'m>) -> Self {
        Self { key, inner, parts, tag: [0; 32] }
    }
}

/// Computes the tags of up to [`WINDOW`] messages, side by side.
pub(crate) fn tags(hash: HashFunction, kernel: HashKernel, messages: &mut [HmacMessage<'_>]) {
    tags_of::<WINDOW>(hash, kernel, messages);
}

/// Wipes the tags of messages, of which all were handed out that the caller may have.
#[cfg(feature = "batches")]
pub(crate) fn wipe_tags(messages: &mut [HmacMessage<'_>]) {
    for message in &mut *messages {
        message.tag = [0; 32];
    }
    zeroize::optimization_barrier(messages);
}

/// Computes the tag of one message.
pub(super) fn tag(hash: HashFunction, kernel: HashKernel, message: HmacMessage<'_>) -> [u8; 32] {
    let mut message = [message];
    tags_of::<1>(hash, kernel, &mut message);
    message[0].tag
}

/// Hashes jobs of up to `N` messages.
fn run_up_to<const N: usize>(hash: HashFunction, kernel: HashKernel, jobs: &mut [Job<'_>]) {
    if N == 1 {
        run_alone(hash, kernel, jobs);
    } else {
        run(hash, kernel, jobs);
    }
}

/// Computes the tags of up to `N` messages; the tags of any more are zeros.
fn tags_of<const N: usize>(hash: HashFunction, kernel: HashKernel, messages: &mut [HmacMessage<'_>]) {
    let mut jobs = ArrayList::<_, N>::new();
    for message in messages.iter().take(N) {
        let (chain, before) = message.inner;
        jobs.push(Job { chain, parts: message.parts, end: End::Padded { before } });
    }
    run_up_to::<N>(hash, kernel, jobs.items_mut());
    // The outer hash has one block.
    let mut blocks = [[[0; 64]; 2]; N];
    for (block, job) in blocks.iter_mut().zipped(jobs.items()) {
        pad(&digest(&job.chain)[..hash.digest_len()], 64 + hash.digest_len() as u64, block);
    }
    wipe_jobs(jobs.items_mut());
    let mut jobs = ArrayList::<_, N>::new();
    for (message, [block, _]) in messages.iter().zipped(&blocks) {
        jobs.push(Job { chain: message.key.outer, parts: [block, &[], &[]], end: End::Open });
    }
    run_up_to::<N>(hash, kernel, jobs.items_mut());
    for (message, job) in messages.iter_mut().zipped(jobs.items()) {
        message.tag = digest(&job.chain);
        message.inner.0 = [[0; 16]; 2];
    }
    wipe_jobs(jobs.items_mut());
    drop(jobs);
    zeroize::optimization_barrier(messages);
    wipe(blocks.flat_mut().flat_mut());
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
