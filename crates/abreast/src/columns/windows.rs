//! Windows of rows: as many packets at a time as a batch sorts, on the stack.

#![allow(clippy::disallowed_methods, reason = "arrays are made here and not in kernels")]

use super::{ColumnError, ColumnKey, RowKeys, WINDOW, Woven};
use crate::engine::backend::Direction;
use crate::packets::Packet;
use crate::{Error, InOutBuf};

/// The parts of a row besides its key.
pub(super) struct Slot<'a> {
    pub(super) row: usize,
    pub(super) nonce: &'a [u8],
    pub(super) aad: &'a [u8],
    pub(super) input: &'a [u8],
    /// The output, as long as the input.
    pub(super) output: &'a mut [u8],
    pub(super) tag: Tag<'a>,
}

/// The place of a tag, of as many bytes as the mode's.
pub(super) enum Tag<'a> {
    Write(&'a mut [u8]),
    Read(&'a [u8]),
}

/// Encrypts or decrypts rows, window by window, and hands on each with its result.
pub(super) fn in_windows<'a, M: Woven, K: RowKeys<Key: ColumnKey<Mode = M>>>(
    direction: Direction,
    slots: impl Iterator<Item = Slot<'a>>,
    keys: &mut K,
    mut done: impl FnMut(&mut Slot<'a>, Result<(), Error>),
) -> Result<(), ColumnError> {
    let mut slots = slots.fuse();
    loop {
        let mut window: [_; WINDOW] = core::array::from_fn(|_| slots.next());
        let mut rows = [0; WINDOW];
        let mut tags = [[0; 16]; WINDOW];
        let mut count = 0;
        for ((slot, row), tag) in window.iter().flatten().zip(&mut rows).zip(&mut tags) {
            *row = slot.row;
            if let Tag::Read(read) = slot.tag {
                tag[..M::TAG].copy_from_slice(read);
            }
            count += 1;
        }
        if count == 0 {
            return Ok(());
        }
        let results =
            keys.with_keys(&rows[..count], |keys| run::<M, K::Key>(direction, keys, &mut window, &mut tags))?;
        for ((slot, tag), result) in window.iter_mut().flatten().zip(&tags).zip(results) {
            if let (Tag::Write(place), Ok(())) = (&mut slot.tag, result) {
                place.copy_from_slice(&tag[..M::TAG]);
            }
            done(slot, result);
        }
    }
}

/// One batch, and the result of each of its rows.
fn run<M: Woven, K: ColumnKey<Mode = M>>(
    direction: Direction,
    keys: &[&K],
    window: &mut [Option<Slot<'_>>; WINDOW],
    tags: &mut [[u8; 16]; WINDOW],
) -> [Result<(), Error>; WINDOW] {
    let mut results = [Err(Error::NotProcessed); WINDOW];
    let Some(any) = keys.first() else { return results };
    let mut slots = window.iter_mut().zip(tags).zip(keys);
    let mut packets: [_; WINDOW] = core::array::from_fn(|_| {
        if let Some(((Some(slot), tag), key)) = slots.next()
            && let Ok(io) = InOutBuf::new(slot.input, &mut *slot.output)
        {
            Packet::new(key.key(), slot.nonce, io).with_tag(slot.aad, &mut tag[..M::TAG])
        } else {
            Packet::new(any.key(), &[], [].as_mut_slice())
        }
    });
    M::batch(direction, &mut packets[..keys.len()]);
    for (result, packet) in results.iter_mut().zip(&packets[..keys.len()]) {
        *result = packet.result;
    }
    results
}
