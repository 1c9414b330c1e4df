//! Windows of rows: as many packets at a time as a batch sorts. They lie in allocated memory, since a thread may have little stack.

use super::{ColumnError, ColumnKey, RowKeys, WINDOW, Woven};
use crate::engine::backend::Direction;
use crate::packets::Packet;
use crate::wipe::wipe;
use crate::{Error, InOutBuf};
use abreast_simd::inlined::Flat;
use alloc::vec::Vec;

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
    let (mut window, mut rows, mut tags, mut results) = (room()?, room()?, room()?, room()?);
    loop {
        window.extend(slots.by_ref().take(WINDOW));
        if window.is_empty() {
            return Ok(());
        }
        for slot in &window {
            let mut tag = [0; 16];
            if let Tag::Read(read) = slot.tag {
                tag[..M::TAG].copy_from_slice(read);
            }
            rows.push(slot.row);
            tags.push(tag);
            results.push(Err(Error::NotProcessed));
        }
        let ran =
            keys.with_keys(&rows, |keys| run::<M, _>(direction, keys, &mut window, &mut tags, &mut results));
        let ran = ran.and_then(|ran| ran);
        if ran.is_ok() {
            for ((slot, tag), result) in window.iter_mut().zip(&tags).zip(&results) {
                if let (Tag::Write(place), Ok(())) = (&mut slot.tag, result) {
                    place.copy_from_slice(&tag[..M::TAG]);
                }
                done(slot, *result);
            }
        }
        wipe(tags.flat_mut());
        ran?;
        window.clear();
        rows.clear();
        tags.clear();
        results.clear();
    }
}

/// One batch, and the result of each of its rows.
fn run<M: Woven, K: ColumnKey<Mode = M>>(
    direction: Direction,
    keys: &[&K],
    window: &mut [Slot<'_>],
    tags: &mut [[u8; 16]],
    results: &mut [Result<(), Error>],
) -> Result<(), ColumnError> {
    let mut packets = room()?;
    for ((slot, tag), key) in window.iter_mut().zip(tags).zip(keys) {
        let io = InOutBuf::new(slot.input, &mut *slot.output).map_err(|_| ColumnError::OutputLength)?;
        packets.push(Packet::new(key.key(), slot.nonce, io).with_tag(slot.aad, &mut tag[..M::TAG]));
    }
    M::batch(direction, &mut packets);
    for (result, packet) in results.iter_mut().zip(&packets) {
        *result = packet.result;
    }
    Ok(())
}

/// Memory for a window of something.
fn room<T>() -> Result<Vec<T>, ColumnError> {
    let mut room = Vec::new();
    room.try_reserve_exact(WINDOW).map_err(|_| ColumnError::Keys(Error::OutOfMemory))?;
    Ok(room)
}
