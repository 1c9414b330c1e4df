//! The computation of keys and tags, which knows the hash at run time: it is compiled once, for both.

use super::hash::{HashFunction, HashKernel, digest};
use super::jobs::{End, Job, MessageParts, WINDOW, run};
use super::lanes::MOST_LANES;
use crate::wipe::wipe;
use abreast_simd::inlined::{CopyFrom, Flat, Zipped};
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

    fn wipe(&mut self) {
        wipe(self.inner.0.flat_mut());
    }
}

/// Computes the tags of up to [`WINDOW`] messages, side by side.
pub(crate) fn tags(hash: HashFunction, kernel: HashKernel, messages: &mut [HmacMessage<'_>]) {
    tags_of::<WINDOW, MOST_LANES>(hash, kernel, messages);
}

/// Computes the tag of one message.
pub(super) fn tag(hash: HashFunction, kernel: HashKernel, message: HmacMessage<'_>) -> [u8; 32] {
    let mut message = [message];
    tags_of::<1, 1>(hash, kernel, &mut message);
    message[0].tag
}

/// Computes the tags of up to `N` messages.
fn tags_of<const N: usize, const PLACES: usize>(
    hash: HashFunction,
    kernel: HashKernel,
    messages: &mut [HmacMessage<'_>],
) {
    let mut digests = [[0; 32]; N];
    let mut jobs = [Job::NONE; N];
    for (job, message) in jobs.iter_mut().zipped(&*messages) {
        let (chain, before) = message.inner;
        *job = Job { chain, parts: message.parts, end: End::Padded { before } };
    }
    let used = messages.len().min(N);
    run::<PLACES>(hash, kernel, &mut jobs[..used]);
    for (place, job) in digests.iter_mut().zipped(&mut jobs) {
        *place = digest(&job.chain);
        wipe(job.chain.flat_mut());
    }
    let mut jobs = [Job::NONE; N];
    for ((job, message), inner) in jobs.iter_mut().zipped(&*messages).zipped(&digests) {
        let parts = [&inner[..hash.digest_len()], &[], &[]];
        *job = Job { chain: message.key.outer, parts, end: End::Padded { before: 64 } };
    }
    run::<PLACES>(hash, kernel, &mut jobs[..used]);
    for (message, job) in messages.iter_mut().zipped(&mut jobs) {
        message.tag = digest(&job.chain);
        message.wipe();
        wipe(job.chain.flat_mut());
    }
    wipe(digests.flat_mut());
}

/// Keys that are prepared together.
pub(crate) const KEYS: usize = WINDOW / 2;

/// Prepares a key.
pub(super) fn expand_one(hash: HashFunction, place: &mut Midstates, key: &[u8]) {
    let kernel = place.kernel;
    expand::<1, 2, 2>(hash, kernel, &mut [place], &[key]);
}

/// Prepares up to [`KEYS`] keys, side by side.
pub(super) fn expand_many(
    hash: HashFunction,
    kernel: HashKernel,
    places: &mut [&mut Midstates],
    keys: &[&[u8]],
) {
    expand::<KEYS, { 2 * KEYS }, MOST_LANES>(hash, kernel, places, keys);
}

/// Prepares up to `N` keys, whose pads are `PADS` blocks.
fn expand<const N: usize, const PADS: usize, const PLACES: usize>(
    hash: HashFunction,
    kernel: HashKernel,
    places: &mut [&mut Midstates],
    keys: &[&[u8]],
) {
    let mut pads = [[[0; 64]; 2]; N];
    let mut jobs = [Job::NONE; N];
    let used = keys.len().min(N);
    for ((job, key), [pad, _]) in jobs.iter_mut().zipped(keys).zipped(&mut pads) {
        if let Some(place) = pad.get_mut(..key.len()) {
            place.copy_from(key);
        } else {
            *job = Job { chain: hash.initial(), parts: [key, &[], &[]], end: End::Padded { before: 0 } };
        }
    }
    // A job of a short key is open and empty, and nothing is done.
    run::<PLACES>(hash, kernel, &mut jobs[..used]);
    for ((job, key), [pad, _]) in jobs.iter_mut().zipped(keys).zipped(&mut pads) {
        if key.len() > pad.len() {
            let (start, _) = pad.split_at_mut(hash.digest_len());
            start.copy_from(&digest(&job.chain)[..hash.digest_len()]);
            wipe(job.chain.flat_mut());
        }
    }
    for [inner, outer] in &mut pads {
        for (inner, outer) in inner.iter_mut().zipped(outer) {
            (*inner, *outer) = (*inner ^ 0x36, *inner ^ 0x5c);
        }
    }
    let mut jobs = [Job::NONE; PADS];
    for (job, pad) in jobs.iter_mut().zipped(pads.flat()) {
        *job = Job { chain: hash.initial(), parts: [pad, &[], &[]], end: End::Open };
    }
    run::<PLACES>(hash, kernel, &mut jobs[..2 * used]);
    for (place, jobs) in places.iter_mut().zipped(jobs.as_chunks_mut::<2>().0) {
        (place.inner, place.outer) = (jobs[0].chain, jobs[1].chain);
        wipe(jobs[0].chain.flat_mut());
        wipe(jobs[1].chain.flat_mut());
    }
    wipe(pads.flat_mut().flat_mut());
}
