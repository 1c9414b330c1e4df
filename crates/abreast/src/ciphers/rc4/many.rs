//! Scheduling: one stream to its end, or several interleaved until the shortest of them ends.

use super::schedule::{KeyBatch, schedule};
use super::stream::{BUFFER, Buffers, Rc4State, STEPS, fill};
use crate::{Error, InOutBuf};
use abreast_simd::inlined::{CopyFrom, Zipped};
use core::array::from_mut;
use core::fmt;
use core::mem::swap;

/// A message under a key of its own.
pub struct Message<'k, 'i, 'o> {
    /// The key, 1 to 256 bytes.
    pub key: &'k [u8],
    /// The number of bytes of keystream to leave out before the message.
    pub skip: u64,
    /// The message, to be encrypted or decrypted.
    pub buffer: InOutBuf<'i, 'o, u8>,
}

impl Message<'_, '_, '_> {
    pub(super) fn task(&mut self) -> Task<'_, '_> {
        Task { skip: self.skip, data: self.buffer.reborrow() }
    }
}

impl fmt::Debug for Message<'_, '_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Message").field("skip", &self.skip).finish_non_exhaustive()
    }
}

/// The use of the keystream of a state: some bytes are left out, then it is added to the data.
pub(super) struct Task<'i, 'o> {
    pub(super) skip: u64,
    pub(super) data: InOutBuf<'i, 'o, u8>,
}

impl Task<'_, '_> {
    pub(super) fn nothing() -> Self {
        Self { skip: 0, data: [].as_mut_slice().into() }
    }

    /// Bytes before something changes.
    pub(super) fn wanted(&self) -> usize {
        if self.skip == 0 { self.data.len() } else { self.skip.try_into().unwrap_or(usize::MAX) }
    }

    /// Takes at most [`wanted`](Self::wanted) bytes of keystream.
    pub(super) fn take(&mut self, keystream: &[u8]) {
        if self.skip == 0 {
            let data = core::mem::replace(&mut self.data, Self::nothing().data);
            let (now, after) = data.split_at(keystream.len());
            xor(now, keystream);
            self.data = after;
        } else {
            self.skip -= keystream.len() as u64;
        }
    }

    /// Goes on byte by byte until whole steps can be done, or to the end.
    pub(super) fn align(&mut self, state: &mut Rc4State) {
        while self.wanted() > 0 && (!state.is_aligned() || self.wanted() < STEPS) {
            self.take(&[state.next()]);
        }
    }

    /// All of it.
    pub(super) fn finish(&mut self, state: &mut Rc4State) {
        self.align(state);
        if self.wanted() > 0 {
            let mut buffers = Buffers::new();
            while self.wanted() > 0 {
                buffers.run(from_mut(state), from_mut(self));
                self.align(state);
            }
        }
    }
}

/// Adds keystream to all of the data. Not by `xor_in2out` alone, which goes byte by byte where input and
/// output are the same.
fn xor(data: InOutBuf<'_, '_, u8>, keystream: &[u8]) {
    let (data, keystream) = xor_blocks::<64>(data, keystream);
    let (mut data, keystream) = xor_blocks::<16>(data, keystream);
    data.xor_in2out(keystream);
}

/// Adds keystream to all whole blocks and returns the rest.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn xor_blocks<'i, 'o, 'k, const B: usize>(
    data: InOutBuf<'i, 'o, u8>,
    keystream: &'k [u8],
) -> (InOutBuf<'i, 'o, u8>, &'k [u8]) {
    let (blocks, after) = keystream.as_chunks::<B>();
    let (mut data, data_after) = data.split_at(B * blocks.len());
    for (n, block) in blocks.iter().enumerate() {
        let mut sum = *block;
        for (byte, input) in sum.iter_mut().zipped(&data.get_in()[B * n..][..B]) {
            *byte ^= input;
        }
        data.get_out()[B * n..][..B].copy_from(&sum);
    }
    (data_after, after)
}

/// A way to take `N` tasks on together.
pub(super) trait SideBySide<const N: usize> {
    /// Bytes for which it pays.
    const LEAST: usize;

    /// Takes tasks, whose states are aligned, on by about as many bytes as the least of them wants, which is at
    /// least [`LEAST`](Self::LEAST).
    fn run(&mut self, states: &mut [Rc4State; N], tasks: &mut [Task<'_, '_>; N]);
}

impl<const N: usize> SideBySide<N> for Buffers<N> {
    const LEAST: usize = STEPS;

    fn run(&mut self, states: &mut [Rc4State; N], tasks: &mut [Task<'_, '_>; N]) {
        let mut left = tasks.iter().map(Task::wanted).min().unwrap_or(0) / STEPS * STEPS;
        while left > 0 {
            let len = left.min(BUFFER);
            fill(states, self, len);
            for (task, buffer) in tasks.iter_mut().zipped(&self.0) {
                task.take(&buffer[..len]);
            }
            left -= len;
        }
    }
}

/// Messages under keys of their own, `N` at a time.
pub(super) fn keyed<const N: usize, W: SideBySide<N>>(
    messages: &mut [Message<'_, '_, '_>],
    way: &mut W,
) -> Result<(), Error> {
    let (groups, rest) = messages.as_chunks_mut::<N>();
    for group in groups {
        let mut states = [Rc4State::FIRST; N];
        schedule(&mut states, &KeyBatch::new(group.each_ref().map(|message| message.key))?);
        let mut tasks = group.each_mut().map(|message| message.task());
        loop {
            for (task, state) in tasks.iter_mut().zipped(&mut states) {
                task.align(state);
            }
            if tasks.iter().any(|task| task.wanted() < W::LEAST) {
                break;
            }
            way.run(&mut states, &mut tasks);
        }
        for (task, state) in tasks.iter_mut().zipped(&mut states) {
            task.finish(state);
        }
    }
    for message in rest {
        let mut state = Rc4State::FIRST;
        schedule(from_mut(&mut state), &KeyBatch::new([message.key])?);
        message.task().finish(&mut state);
    }
    Ok(())
}

/// Bytes for which it pays to swap a state to another place and back.
pub(crate) const WORTH_MOVING: usize = 512;

/// A stream that is somewhere else, with its task.
pub(super) type Elsewhere<'s, 'i, 'o> = (&'s mut Rc4State, Task<'i, 'o>);

/// Takes `N` of the tasks on again and again, as long as it pays for `N` of them. Tasks for which it does
/// not pay are finished alone; those left over at the end are returned.
///
/// The states are swapped to one place, since registers are too few for `N` places.
pub(super) fn together<'s, 'i, 'o, const N: usize, W: SideBySide<N>>(
    streams: &mut dyn Iterator<Item = Elsewhere<'s, 'i, 'o>>,
    way: &mut W,
) -> impl Iterator<Item = Elsewhere<'s, 'i, 'o>> {
    let mut states = [Rc4State::FIRST; N];
    let mut tasks = [(); N].map(|()| Task::nothing());
    let mut homes = [const { None }; N];
    while {
        let mut places = states.iter_mut().zipped(&mut tasks).zipped(&mut homes);
        places.all(|((state, task), home)| occupy(state, task, home, streams, W::LEAST))
    } {
        way.run(&mut states, &mut tasks);
    }
    for (state, home) in states.iter_mut().zipped(&mut homes) {
        if let Some(home) = home {
            swap(state, *home);
        }
    }
    homes.into_iter().zipped(tasks).filter_map(|(home, task)| Some((home?, task)))
}

/// Sees to it that in this place there is a task that wants `least` bytes: is there?
fn occupy<'s, 'i, 'o>(
    state: &mut Rc4State,
    task: &mut Task<'i, 'o>,
    home: &mut Option<&'s mut Rc4State>,
    streams: &mut dyn Iterator<Item = Elsewhere<'s, 'i, 'o>>,
    least: usize,
) -> bool {
    task.align(state);
    if task.wanted() >= least {
        return true;
    }
    if let Some(home) = home.take() {
        task.finish(state);
        swap(state, home);
    }
    for (elsewhere, mut next) in streams {
        next.align(elsewhere);
        if next.wanted() >= least.max(WORTH_MOVING) {
            swap(state, elsewhere);
            (*task, *home) = (next, Some(elsewhere));
            return true;
        }
        next.finish(elsewhere);
    }
    false
}
