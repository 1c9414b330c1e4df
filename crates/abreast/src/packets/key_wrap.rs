//! Key wrap side by side: each message is a chain of blocks that leaves the CPU waiting, so those of many go together, a block of
//! each in a step.

#![allow(clippy::disallowed_methods, reason = "arrays are made here and not in kernels")]

use super::key::CipherKey;
use super::schedule::batch;
use super::schedule::batch_mode::{BatchItem, BatchMode, LaneUse};
use super::schedule::rows::{ZEROS, beginnings};
use crate::Error;
use crate::ciphers::CipherRef;
use crate::engine::backend::{ChainingValue, Direction};
use crate::engine::multibuf::{LaneGroup, MOST_LANES, MultiBuffer, Rows, ShortMessages};
use crate::modes::key_wrap::{
    PIECE, Padding, Step, begin_unwrap, begin_wrap, chain, finish_unwrap, finish_wrap, steps,
};
use crate::wipe::wipe;
use abreast_simd::inlined::{CopyFrom, Flat, Zipped};
use abreast_simd::{AesIsa, Isa};
use core::fmt;
use zeroize::optimization_barrier;

/// Messages whose chains go together.
pub(crate) const WINDOW: usize = 64;

/// A key to be wrapped or unwrapped in a batch, with the key that does it and with its result.
pub struct WrapPacket<'a> {
    /// The cipher under the wrapping key, its own or shared with others.
    pub key: CipherKey<'a>,
    /// The key to be wrapped, or the wrapped key.
    pub input: &'a [u8],
    /// The place of the wrapped key, or of the unwrapped one, as long as for a single call.
    pub output: &'a mut [u8],
    /// The bytes of the output that count, or the error of a single call. [`Error::NotProcessed`] until a batch has processed it; a
    /// batch does not read the result of an earlier one.
    pub result: Result<usize, Error>,
}

impl<'a> WrapPacket<'a> {
    /// Makes a key that waits for a batch.
    #[inline]
    pub fn new(key: impl Into<CipherKey<'a>>, input: &'a [u8], output: &'a mut [u8]) -> Self {
        Self { key: key.into(), input, output, result: Err(Error::NotProcessed) }
    }
}

impl fmt::Debug for WrapPacket<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let len = self.input.len();
        f.debug_struct("WrapPacket").field("len", &len).field("result", &self.result).finish_non_exhaustive()
    }
}

/// Wraps or unwraps the keys of a batch.
pub(super) fn key_wrap(direction: Direction, padding: Padding, packets: &mut [WrapPacket<'_>]) {
    for packets in packets.chunks_mut(WINDOW) {
        window(direction, padding, packets);
    }
}

/// Wraps or unwraps up to [`WINDOW`] keys.
fn window(direction: Direction, padding: Padding, packets: &mut [WrapPacket<'_>]) {
    let mut states = [[0; 16]; WINDOW];
    for (packet, state) in packets.iter_mut().zipped(&mut states) {
        let begun = match direction {
            _ if packet.key.0.cipher_128().is_none() => Err(Error::BlockLength),
            Direction::Encrypt => begin_wrap(padding, packet.input, packet.output),
            Direction::Decrypt => begin_unwrap(padding, packet.input, packet.output),
        };
        packet.result = begun.and_then(|begun| {
            *state = begun;
            Err(Error::NotProcessed)
        });
    }
    let mut done = [Err(Error::NotProcessed); WINDOW];
    chains(direction, packets, &mut states, &mut done);
    for ((packet, state), done) in packets.iter_mut().zipped(&mut states).zipped(done) {
        if done.is_ok() {
            packet.result = match direction {
                Direction::Encrypt => Ok(finish_wrap(state, packet.output)),
                Direction::Decrypt => finish_unwrap(padding, state, packet.output),
            };
        } else if packet.result == Err(Error::NotProcessed) {
            // Half-way, it is neither.
            packet.output.fill(0);
        }
    }
    wipe(states.flat_mut());
}

/// Takes the messages that were begun through all their steps.
fn chains(
    direction: Direction,
    packets: &mut [WrapPacket<'_>],
    states: &mut [ChainingValue; WINDOW],
    done: &mut [Result<(), Error>; WINDOW],
) {
    let Some(any) = packets.first().map(|packet| packet.key.0) else { return };
    let len = packets.len();
    let mut begun = packets.iter_mut().zipped(&*states);
    let mut items: [_; WINDOW] = core::array::from_fn(|_| match begun.next() {
        Some((packet, state)) if packet.result == Err(Error::NotProcessed) => {
            let pieces = match direction {
                Direction::Encrypt => &mut packet.output[PIECE..],
                Direction::Decrypt => &mut *packet.output,
            };
            WrapItem { cipher: packet.key.0, state: *state, pieces, result: Err(Error::NotProcessed) }
        }
        _ => WrapItem { cipher: any, state: [0; 16], pieces: &mut [], result: Err(Error::NotProcessed) },
    });
    batch::process(&WrapBatch(direction), &mut items[..len]);
    for ((item, state), done) in items.iter_mut().zipped(states).zipped(done) {
        (*state, *done) = (item.state, item.result);
        item.state = [0; 16];
    }
    optimization_barrier(&items);
}

/// A message in a batch: its pieces where they stay, and before them the one for integrity in the first half of the state.
struct WrapItem<'m, 'k> {
    cipher: CipherRef<'k>,
    state: ChainingValue,
    pieces: &'m mut [u8],
    result: Result<(), Error>,
}

impl<'k> BatchItem<'k> for WrapItem<'_, 'k> {
    const CHAINED: bool = true;

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn cipher(&self) -> CipherRef<'k> {
        self.cipher
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn finish(&mut self, result: Result<(), Error>) {
        self.result = result;
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn open<'a>(&'a mut self, group: &mut LaneGroup<'a>) {
        group.push(self.state, (&mut *self.pieces).into());
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn take_chain(&mut self, chain: &ChainingValue) {
        self.state = *chain;
    }
}

/// The steps of key wrap. One code for both directions, since a branch a step costs nothing.
#[derive(Clone, Copy)]
struct WrapBatch(Direction);

impl BatchMode<WrapItem<'_, '_>> for WrapBatch {
    const LANES: LaneUse = LaneUse::Chains128;

    /// Returns the bytes of the blocks of all steps, by which messages are sorted; an error if the message was refused.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn check(&self, item: &WrapItem<'_, '_>, _: usize) -> Result<usize, Error> {
        match item.pieces.len() / PIECE {
            0 => Err(Error::NotProcessed),
            pieces => Ok(usize::try_from(steps(pieces)).unwrap_or(usize::MAX).saturating_mul(16)),
        }
    }
    fn single(&self, item: &mut WrapItem<'_, '_>) -> Result<(), Error> {
        if item.pieces.is_empty() {
            return Err(Error::NotProcessed);
        }
        chain(item.cipher.cipher(), self.0, &mut item.state, item.pieces);
        Ok(())
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn in_turn<I: AesIsa, S: ShortMessages<I>>(
        &self,
        _: I,
        _: &S::Keys,
        item: &mut WrapItem<'_, '_>,
    ) -> Result<(), Error> {
        self.single(item)
    }

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn direction(&self) -> Direction {
        self.0
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn run_chains<I: Isa, S: MultiBuffer<I>>(&self, isa: I, keys: &S::LaneKeys, group: &mut LaneGroup<'_>) {
        let mut value = beginnings::<I, S>(isa, keys, group);
        let mut rows = [ZEROS; 2];
        let mut outputs = ZEROS;
        let mut steps = Steps::new(self.0, group);
        steps.fill(group, &mut rows[0]);
        for number in 0..steps.count {
            let [row, next] = &mut rows;
            let (row, next) = if number % 2 == 0 { (row, next) } else { (next, row) };
            // Made while the rounds before go on: a row is no piece that these put out.
            if number > 0 {
                steps.put(group, &outputs);
            }
            steps.fill(group, next);
            let row = S::gather(
                isa,
                keys,
                #[cfg_attr(not(abreast_unoptimized), inline(always))]
                |lane| &row[lane],
            );
            for (value, block) in value.as_mut().iter_mut().zipped(row.as_ref()) {
                let input = S::xor(S::first_half(isa, *value), *block);
                *value = match self.0 {
                    Direction::Encrypt => S::encrypt_block(isa, keys, input),
                    Direction::Decrypt => S::decrypt_block(isa, keys, input),
                };
            }
            S::scatter(keys, value, &mut outputs);
        }
        steps.put(group, &outputs);
        wipe(rows.flat_mut().flat_mut());
        wipe(outputs.flat_mut());
    }
}

/// The steps of the messages of a group, and where they are. A row is made a step ahead, so that the rounds do not wait for it.
struct Steps {
    direction: Direction,
    /// Steps of the longest message.
    count: u64,
    /// The step of each message whose row is made next.
    to_fill: [Step; MOST_LANES],
    /// The step of each message whose output comes next.
    to_put: [Step; MOST_LANES],
}

impl Steps {
    /// The first steps.
    fn new(direction: Direction, group: &mut LaneGroup<'_>) -> Self {
        let mut first = [Step::NONE; MOST_LANES];
        let mut count = 0;
        for (lane, step) in first.iter_mut().enumerate().take(group.used()) {
            *step = Step::first(direction, group.message(lane).len() / PIECE);
            count = count.max(step.left);
        }
        Self { direction, count, to_fill: first, to_put: first }
    }

    /// Makes the next row: of each message the number of the step and its piece.
    #[inline(never)]
    fn fill(&mut self, group: &mut LaneGroup<'_>, rows: &mut Rows) {
        let lanes = self.to_fill.iter_mut().zipped(rows).take(group.used());
        for (lane, (step, row)) in lanes.enumerate() {
            let (pieces, _) = group.message(lane).as_chunks::<PIECE>();
            if step.left > 0
                && let Some(piece) = pieces.get(step.piece)
            {
                row[..PIECE].copy_from(&step.number.to_be_bytes());
                row[PIECE..].copy_from(piece);
                step.advance(self.direction, pieces.len());
            }
        }
    }

    /// Puts the second half of each output in the place of its piece, and takes the first half of the last one.
    #[inline(never)]
    fn put(&mut self, group: &mut LaneGroup<'_>, outputs: &Rows) {
        let lanes = self.to_put.iter_mut().zipped(outputs).take(group.used());
        for (lane, (step, output)) in lanes.enumerate() {
            let (pieces, _) = group.message(lane).as_chunks_mut::<PIECE>();
            let count = pieces.len();
            if step.left > 0
                && let Some(piece) = pieces.get_mut(step.piece)
            {
                piece.copy_from(&output[PIECE..]);
                step.advance(self.direction, count);
                if step.left == 0 {
                    group.finish_lane(lane, *output);
                }
            }
        }
    }
}
