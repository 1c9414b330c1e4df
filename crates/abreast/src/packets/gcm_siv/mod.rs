//! Messages side by side: the blocks that their keys are made of pass the cipher together, keys are expanded in lanes, and short
//! messages are hashed in lanes, too.

#![allow(clippy::disallowed_methods, reason = "arrays are made here and not in kernels")]

pub(crate) mod short;

use super::key::GcmSivKey;
use super::packet::Packet;
use crate::ciphers::aes::LANES;
use crate::engine::backend::Direction;
use crate::ghash::BLOCK;
use crate::modes::gcm_siv::SivMessage;
use crate::modes::gcm_siv::{check_lengths, check_nonce, verify};
use crate::modes::tag::check_len;
use crate::{Error, InOutBuf};
use abreast_simd::inlined::CopyFrom;
use abreast_simd::inlined::{ArrayList, Zipped};
use abreast_simd::{AesLevel, Wiped};
use short::{LONGEST, Lanes, blocks, is_short, longest_in_lanes};

/// Messages that are done together.
pub(crate) const WINDOW: usize = LANES;
/// The fewest messages for which that is quicker.
pub(crate) const LEAST: usize = 7;

type Item<'p, 'k> = Packet<'p, GcmSivKey<'k>>;

/// Encrypts or decrypts the messages of a batch.
pub(crate) fn batch(direction: Direction, items: &mut [Item<'_, '_>]) {
    if items.len() >= LEAST
        && let Some(keys) = items[0].key.forward()
    {
        return in_lanes(direction, items, keys.level);
    }
    for items in items.chunks_mut(WINDOW) {
        let waiting = checked(items);
        one_by_one(direction, items, waiting);
    }
}

/// Refuses messages with wrong lengths; the others wait.
fn checked(items: &mut [Item<'_, '_>]) -> Waiting {
    let mut waiting = Waiting(0);
    for (at, item) in items.iter_mut().enumerate() {
        item.result = check(item);
        if item.result == Err(Error::NotProcessed) {
            waiting.0 |= 1 << at;
        }
    }
    waiting
}

/// Does the messages that wait, one after the other.
fn one_by_one(direction: Direction, items: &mut [Item<'_, '_>], waiting: Waiting) {
    for at in waiting.places() {
        let item = &mut items[at];
        let (key, nonce, aad) = (item.key, item.iv, item.associated_data);
        finish(direction, item, |io, tag| key.crypt(direction, nonce, aad, io, tag));
    }
}

/// Does a batch with the short messages of each window in lanes.
// A call, so that the memory is not on the stack of batches that have none to do.
#[inline(never)]
fn in_lanes(direction: Direction, items: &mut [Item<'_, '_>], level: AesLevel) {
    let mut memory = Wiped::new(Lanes::new(level));
    for items in items.chunks_mut(WINDOW) {
        let mut waiting = checked(items);
        for key_len in [16, 32] {
            together(direction, key_len, items, &mut waiting, &mut memory);
        }
        one_by_one(direction, items, waiting);
    }
}

/// The messages of a window that wait, a bit for each.
#[derive(Clone, Copy)]
struct Waiting(u32);

impl Waiting {
    /// Returns their places.
    fn places(self) -> impl Iterator<Item = usize> {
        (0..WINDOW).filter(move |at| self.0 >> at & 1 == 1)
    }
}

/// Returns what is wrong with the lengths of a message, or that it is not processed.
fn check(item: &Item<'_, '_>) -> Result<(), Error> {
    check_len(item.tag, BLOCK)?;
    check_nonce(item.iv)?;
    check_lengths(item.associated_data.len() as u64, item.buffer.len() as u64)?;
    Err(Error::NotProcessed)
}

/// Does a message by `crypt`, which turns its tag into the right one.
fn finish(
    direction: Direction,
    item: &mut Item<'_, '_>,
    crypt: impl FnOnce(&mut InOutBuf<'_, '_, u8>, &mut [u8; BLOCK]) -> Result<(), Error>,
) {
    let mut right = item.tag.first_chunk().copied().unwrap_or_default();
    let mut io = item.buffer.reborrow();
    let done = crypt(&mut io, &mut right);
    item.result = match direction {
        Direction::Encrypt => done.inspect(|()| item.tag.copy_from(&right)),
        Direction::Decrypt => done.and_then(|()| verify(&mut right, item.tag, &mut io)),
    };
}

/// Does the messages that wait whose keys have `key_len` bytes and are at the kernel of the first of them, unless they are too few.
fn together(
    direction: Direction,
    key_len: usize,
    items: &mut [Item<'_, '_>],
    waiting: &mut Waiting,
    memory: &mut Lanes,
) {
    let level_of = |item: &Item<'_, '_>| {
        let keys = item.key.forward()?;
        (keys.rounds() == key_len / 4 + 7).then_some(keys.level)
    };
    let Some(level) = waiting.places().find_map(|at| level_of(&items[at])) else { return };
    // The short ones first, whose lanes go on together.
    let (mut lanes, mut long) = (ArrayList::<u8, WINDOW>::new(), ArrayList::<u8, WINDOW>::new());
    let of_level = || waiting.places().filter(|at| level_of(&items[*at]) == Some(level));
    let mut most = 0;
    if of_level().any(|at| !is_short(&items[at])) {
        let mut sizes = ArrayList::<usize, WINDOW>::new();
        of_level().for_each(|at| sizes.push(blocks(&items[at]).min(LONGEST + 1)));
        most = longest_in_lanes(sizes.items());
    }
    for at in of_level() {
        let item = &items[at];
        if is_short(item) || blocks(item) <= most { &mut lanes } else { &mut long }.push(at as u8);
    }
    let short = lanes.items().len();
    long.items().iter().for_each(|at| lanes.push(*at));
    let lanes = lanes.items();
    if lanes.len() < LEAST {
        return;
    }
    memory.set_level(level);
    memory.derive(items, lanes, key_len);
    for (lane, at) in lanes.iter().enumerate() {
        waiting.0 &= !(1 << at);
        let item = &mut items[usize::from(*at)];
        if lane >= short
            && let Ok(nonce) = check_nonce(item.iv)
        {
            let (aad, hash_key) = (item.associated_data, &[0; BLOCK]);
            finish(direction, item, |io, tag| {
                memory.alone(lane, key_len, SivMessage { direction, hash_key, nonce, aad, io, tag });
                Ok(())
            });
        }
    }
    let lanes = &lanes[..short];
    if !lanes.is_empty() {
        let tags = memory.crypt(direction, items, lanes);
        for (at, right) in lanes.iter().zipped(tags) {
            finish(direction, &mut items[usize::from(*at)], |_, tag| {
                tag.copy_from(right);
                Ok(())
            });
        }
    }
}
