//! Batches: arrays of descriptors, taken by the window.
//!
//! The fields of a descriptor become a packet of the library, a window of them at a time, on the stack. What cannot
//! become one gets its status at once, and the others go on.

pub mod aead;
pub mod blocks;

use std::cell::Cell;
use std::ffi::{c_int, c_void};

use abreast::Error;
use abreast::packets::Packet;
use smallvec::SmallVec;

use crate::buffers::{In, Out, in_out};
use crate::handle::{Handle, Kind};
use crate::status::{Status, call};

/// A message of a batch, with its key and what became of it.
///
/// What a mode has no use for is NULL and 0: begin with `struct abreast_packet packet = {0};`.
#[repr(C)]
#[derive(Debug)]
pub struct PacketItem {
    /// The key: a handle of the type that the batch says.
    pub key: *const c_void,
    /// Initialisation vector, nonce, counter block, or number of a sector.
    pub iv: In,
    /// Its bytes.
    pub iv_len: usize,
    /// What is authenticated and not encrypted; of CMAC the message.
    pub aad: In,
    /// Its bytes.
    pub aad_len: usize,
    /// The message.
    pub input: In,
    /// Where the result goes: input itself, or apart from it.
    pub output: Out,
    /// Bytes of both.
    pub len: usize,
    /// The tag: written by encryption, read by decryption.
    pub tag: Out,
    /// Its bytes.
    pub tag_len: usize,
    /// What became of the packet: a status, as if it had been alone.
    pub status: Cell<c_int>,
}

/// What describes an item of a batch.
pub(crate) trait Described {
    /// Where its status goes.
    fn status(&self) -> &Cell<c_int>;
}

impl Described for PacketItem {
    fn status(&self) -> &Cell<c_int> {
        &self.status
    }
}

/// An array of descriptors. How large one of them is, the caller says, whose version of the header may be another:
/// one that is larger has fields at its end that are not known here. When a struct grows here, those of older callers
/// are shorter than it.
#[repr(transparent)]
#[derive(Debug)]
pub struct Items<I>(*const I);

impl<I> Items<I> {
    fn check(&self, count: usize, size: usize) -> Result<(), Status> {
        if size < size_of::<I>() || !size.is_multiple_of(align_of::<I>()) {
            Err(Status::StructSize)
        } else if count.checked_mul(size).is_none_or(|bytes| bytes > isize::MAX as usize) {
            Err(Status::Length)
        } else if self.0.is_null() && count > 0 {
            Err(Status::NullPointer)
        } else if !self.0.is_aligned() {
            Err(Status::Alignment)
        } else {
            Ok(())
        }
    }

    /// One of the items that [`check`](Self::check) let pass.
    fn get(&self, index: usize, size: usize) -> &I {
        // SAFETY: aligned, not NULL and within an array that is not too long. The caller of the C function says that
        // its items may be read and written for as long as the call takes, and that nobody else does meanwhile. Here
        // all of them are shared references, and what is written is in cells.
        unsafe { &*self.0.byte_add(index * size) }
    }
}

/// Packets that are handed on together: as many as the library takes side by side.
const WINDOW: usize = 128;

/// Does a batch: `take` makes a packet of an item, given the items that are in the window already, or says by `None`
/// that these have to be done first; `run` does the packets of a window; `result` tells what became of one.
pub(crate) fn batch<'i, I: Described, P>(
    items: &'i Items<I>,
    count: usize,
    size: usize,
    mut take: impl FnMut(&'i I, &[&'i I]) -> Result<Option<P>, Status>,
    mut run: impl FnMut(&mut [P]),
    result: impl Fn(&P) -> Result<(), Error>,
) -> c_int {
    call(|| {
        items.check(count, size)?;
        let mut all_done = true;
        let mut done = |item: &I, result: Result<(), Status>| {
            let status = result.err().unwrap_or(Status::Ok);
            all_done &= status == Status::Ok;
            item.status().set(status as c_int);
        };
        let mut next = 0;
        while next < count {
            let mut window = SmallVec::<[P; WINDOW]>::new();
            let mut taken = SmallVec::<[&I; WINDOW]>::new();
            while next < count && window.len() < WINDOW {
                let item = items.get(next, size);
                match take(item, &taken) {
                    Ok(Some(packet)) => {
                        window.push(packet);
                        taken.push(item);
                    }
                    Ok(None) => break,
                    Err(status) => done(item, Err(status)),
                }
                next += 1;
            }
            run(&mut window);
            for (item, packet) in taken.iter().zip(&window) {
                done(item, result(packet).map_err(Status::from));
            }
        }
        if all_done { Ok(()) } else { Err(Status::Batch) }
    })
}

/// Does a batch of packets with keys of one kind, as the library refers to them.
pub(crate) fn each<'i, T: Kind + 'i, K>(
    packets: &'i Items<PacketItem>,
    count: usize,
    size: usize,
    key: impl Fn(&'i T) -> K,
    run: impl FnMut(&mut [Packet<'i, K>]),
) -> c_int {
    let take = |item: &'i PacketItem, _: &[&PacketItem]| {
        let key = key(&Handle::of_packet(&item.key)?.key);
        let (iv, associated_data) = (item.iv.bytes(item.iv_len)?, item.aad.bytes(item.aad_len)?);
        let tag = item.tag.bytes(item.tag_len, &[iv, associated_data, item.input.bytes(item.len)?])?;
        let buffer = in_out(&item.input, &item.output, item.len, &[iv, associated_data, tag])?;
        Ok(Some(Packet { key, iv, associated_data, buffer: buffer.into(), tag, result: Ok(()) }))
    };
    batch(packets, count, size, take, run, |packet| packet.result)
}

#[cfg(test)]
impl<I> From<&[I]> for Items<I> {
    fn from(items: &[I]) -> Self {
        Self(items.as_ptr())
    }
}
