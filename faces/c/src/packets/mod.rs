//! Batches: arrays of descriptors, taken by the window.
//!
//! The fields of a descriptor become a packet of the library, a window of them at a time, on the stack. A
//! descriptor that cannot become one gets its status at once, and the others go on.
//!
//! Batches fail closed: before anything else every descriptor says that it was not processed, and nothing but the
//! library's word for a packet makes that ABREAST_OK.

pub mod operations;

use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::marker::PhantomData;
use std::mem::MaybeUninit;

use abreast::packets::Packet;
use abreast::prefetch;
use abreast::{Error, InOutBuf};
use abreast_simd::inlined::{ArrayList, Zipped as _};

use crate::buffers::{Checked, In, Out, Span, in_out, values};
use crate::handle::{Handle, Kind};
use crate::status::{Status, call};

/// A message of a batch, with its key and its result.
///
/// Fields that a mode does not use are NULL and 0: begin with `struct abreast_packet packet = {0};`. Anything else in them is
/// not read, but must be a valid buffer all the same (see BUFFERS).
#[repr(C)]
#[derive(Debug)]
pub struct PacketItem {
    /// The key: a handle of the type that the operation wants.
    pub key: *const c_void,
    /// Initialisation vector, nonce, counter block, or number of a sector.
    pub iv: In,
    /// Its bytes.
    pub iv_len: usize,
    /// Associated data: authenticated, not encrypted. For CMAC and HMAC the message.
    pub aad: In,
    /// Its bytes.
    pub aad_len: usize,
    /// The message.
    pub input: In,
    /// The place of the result: input itself, or apart from it.
    pub output: Out,
    /// Bytes of both.
    pub len: usize,
    /// The tag: written by encryption, read by decryption.
    pub tag: Out,
    /// Its bytes.
    pub tag_len: usize,
    /// The result: the status of a single call.
    pub status: Cell<c_int>,
}

/// A description of an item of a batch.
pub(crate) trait Described {
    /// Returns the place of its status.
    fn status(&self) -> &Cell<c_int>;
    /// The address of its key.
    fn key(&self) -> *const c_void;
}

impl Described for PacketItem {
    fn status(&self) -> &Cell<c_int> {
        &self.status
    }
    fn key(&self) -> *const c_void {
        self.key
    }
}

/// An array of descriptors. How large one of them is, the caller says, whose version of the header may be another.
/// There has been one version of each struct so far, and any other size is refused: a larger struct has fields
/// that would be ignored here.
#[repr(transparent)]
#[derive(Debug)]
pub struct Items<I>(*const I);

impl<I> Items<I> {
    fn get(&self, count: usize, size: usize) -> Result<&[I], Status> {
        if size != size_of::<I>() {
            return Err(Status::StructSize);
        }
        // SAFETY: the caller of the C function says that `count` items may be read and written for as long as the call
        // takes, and that nobody else does meanwhile. Here all of them are shared references, and the fields that are
        // written are cells.
        unsafe { values(self.0, count) }
    }
}

/// Packets that are handed on together: as many as the library takes side by side. Under Miri few, so that the few
/// packets of its tests are more than one window.
pub(crate) const WINDOW: usize = if cfg!(miri) { 2 } else { 128 };
/// Packets of modes that the library takes 64 at a time, and that need the more stack for it.
pub(crate) const HALF: usize = WINDOW / 2;
/// Packets of EAX and of key wrap, so that a batch takes less than 32 KiB of stack.
pub(crate) const QUARTER: usize = if cfg!(miri) { 1 } else { WINDOW / 4 };

/// Bytes of the longest tag there is, that of AEZ.
const LONGEST_TAG: usize = 32;

/// Room for a copy of a tag, which costs nothing where none is made.
pub(crate) type Room = MaybeUninit<[u8; LONGEST_TAG]>;

/// The way in which the items of a batch are handed to the library.
pub(crate) trait Batch<'i, I> {
    /// An item as the library takes it, while a window lasts.
    type Packet<'w>
    where
        'i: 'w;

    /// Makes a packet of an item, given the array of all and the items that are in the window already; or says by
    /// `None` that these have to be done first.
    fn take<'w>(
        &self,
        item: &'i I,
        array: Span,
        window: &'i [I],
        room: &'w mut Room,
    ) -> Result<Option<Self::Packet<'w>>, Status>
    where
        'i: 'w;

    /// Does the packets of a window, or says why none of them was done.
    fn run(&mut self, window: &mut [Self::Packet<'_>]) -> Result<(), Error>;

    /// Returns the result of a packet of a window that was done, and notes in its item what that has of it besides.
    fn result(item: &I, packet: &Self::Packet<'_>) -> Result<(), Status>;
}

/// Does a batch, up to `W` items at a time.
pub(crate) fn batch<'i, const W: usize, I: Described, B: Batch<'i, I>>(
    items: &'i Items<I>,
    count: usize,
    size: usize,
    mut how: B,
) -> c_int {
    call(|| {
        let items = prepared(items, count, size)?;
        let array = Span::of(items);
        // All statuses, of which that of success has no bits.
        let mut statuses = Status::Ok as c_int;
        let mut done = |item: &I, result: Result<(), Status>| {
            let status = result.err().unwrap_or(Status::Ok) as c_int;
            statuses |= status;
            item.status().set(status);
        };
        let mut begin = 0;
        while begin < items.len() {
            let mut rooms = [const { MaybeUninit::uninit() }; W];
            let mut window = ArrayList::<B::Packet<'_>, W>::new();
            // A server that wakes up for a batch finds its keys in a distant cache or in memory, and would wait for one after
            // the other: 27 microseconds of a tick of the game server instead of 28, when that was measured.
            let waiting = &items[begin..];
            for item in waiting.iter().take(W) {
                prefetch(item.key());
            }
            // An item that is refused ends the window, so that packet and item have the same place in it.
            let mut refused = None;
            for (item, room) in waiting.iter().zipped(&mut rooms) {
                // A slice that may be shorter, so that there is no check where no mode looks at it.
                let taken = waiting.get(..window.items().len()).unwrap_or_default();
                match how.take(item, array, taken, room) {
                    Ok(Some(packet)) => window.push(packet),
                    Ok(None) => break,
                    Err(status) => {
                        refused = Some(status);
                        break;
                    }
                }
            }
            let ran = how.run(window.items_mut());
            for (item, packet) in waiting.iter().zipped(window.items()) {
                done(item, ran.map_err(Status::from).and_then(|()| B::result(item, packet)));
            }
            begin += window.items().len();
            if let Some(status) = refused {
                done(&items[begin], Err(status));
                begin += 1;
            }
        }
        if statuses == Status::Ok as c_int { Ok(()) } else { Err(Status::Batch) }
    })
}

/// The items of an array, each of which says that it was not processed.
pub(crate) fn prepared<I: Described>(items: &Items<I>, count: usize, size: usize) -> Result<&[I], Status> {
    let items = items.get(count, size)?;
    for item in items {
        item.status().set(Status::NotProcessed as c_int);
    }
    Ok(items)
}

/// The use of the tags of packets by a mode.
#[derive(Clone, Copy)]
pub(crate) enum Tag {
    /// There are no tags.
    None,
    /// Tags are written.
    Written,
    /// Tags are compared. Packets may share one, so each is copied: the library wants a tag that is its own.
    Compared,
}

/// The buffers of a packet.
struct Message<'w> {
    iv: &'w [u8],
    associated_data: &'w [u8],
    buffer: InOutBuf<'w, 'w, u8>,
    /// The place of a tag to write.
    tag: &'w mut [u8],
    /// A tag that is compared.
    expected: &'w [u8],
}

impl<'w> Message<'w> {
    /// The buffers, if there is nothing unusual about any of them. `None` says that [`one_by_one`](Self::one_by_one) has to
    /// tell whether they may be used, and why not.
    ///
    /// These are fewer branches, and none with a reason, so that a packet's pointers and lengths stay in registers: a
    /// packet of one block in counter mode takes 28 cycles instead of 31, one of GCM 81 instead of 86.
    #[inline(always)]
    fn usual(item: &'w PacketItem, tag: Tag, array: Span) -> Option<Self> {
        if matches!(tag, Tag::None) {
            // A mode without tags has no associated data either.
            if item.aad_len | item.tag_len != 0 {
                return None;
            }
            let (iv, of_iv) = item.iv.usual(item.iv_len)?;
            let (buffer, _) = Checked::usual(&item.input, &item.output, item.len, [array, of_iv])?;
            let buffer = buffer.buffers();
            return Some(Self { iv, associated_data: &[], buffer, tag: &mut [], expected: &[] });
        }
        let (iv, of_iv) = item.iv.usual(item.iv_len)?;
        let (associated_data, of_aad) = item.aad.usual(item.aad_len)?;
        let (expected, of_tag) = item.tag.only_read().usual(item.tag_len)?;
        let (buffer, [from, _]) =
            Checked::usual(&item.input, &item.output, item.len, [array, of_iv, of_aad, of_tag])?;
        let buffer = buffer.buffers();
        Some(match tag {
            Tag::Written => {
                let tag = item.tag.usual(item.tag_len, [array, of_iv, of_aad, from])?;
                Self { iv, associated_data, buffer, tag, expected: &[] }
            }
            Tag::Compared | Tag::None => Self { iv, associated_data, buffer, tag: &mut [], expected },
        })
    }

    /// The buffers, or the fault of the first that must not be used.
    #[cold]
    #[inline(never)]
    fn one_by_one(item: &'w PacketItem, tag: Tag, array: Span) -> Result<Self, Status> {
        let (iv, associated_data) = (item.iv.bytes(item.iv_len)?, item.aad.bytes(item.aad_len)?);
        let (of_iv, of_aad) = (Span::of(iv), Span::of(associated_data));
        let (input, of_tag) = (item.input.span(item.len)?, item.tag.span(item.tag_len)?);
        let buffer = in_out(&item.input, &item.output, item.len, &[array, of_iv, of_aad, of_tag])?;
        Ok(match tag {
            Tag::Written => {
                let tag = item.tag.bytes(item.tag_len, &[array, of_iv, of_aad, input])?;
                Self { iv, associated_data, buffer, tag, expected: &[] }
            }
            Tag::Compared => {
                let expected = item.tag.only_read().bytes(item.tag_len)?;
                Self { iv, associated_data, buffer, tag: &mut [], expected }
            }
            Tag::None => Self { iv, associated_data, buffer, tag: &mut [], expected: &[] },
        })
    }
}

/// A copy of a tag, which has to be no longer than the longest.
#[inline(always)]
fn copied<'w>(tag: &[u8], room: &'w mut Room) -> Option<&'w mut [u8]> {
    let copy = room.write([0; LONGEST_TAG]).get_mut(..tag.len())?;
    copy.copy_from_slice(tag);
    Some(copy)
}

/// A batch of packets with keys of one kind, as the library refers to them.
struct Packets<T, F, R> {
    tag: Tag,
    key: F,
    run: R,
    kind: PhantomData<fn(&T)>,
}

impl<'i, T, K, F, R> Batch<'i, PacketItem> for Packets<T, F, R>
where
    T: Kind + 'i,
    F: Fn(&'i T, usize) -> Result<K, Error>,
    R: FnMut(&mut [Packet<'_, K>]),
{
    type Packet<'w>
        = Packet<'w, K>
    where
        'i: 'w;

    #[inline(always)]
    fn take<'w>(
        &self,
        item: &'i PacketItem,
        array: Span,
        _: &'i [PacketItem],
        room: &'w mut Room,
    ) -> Result<Option<Packet<'w, K>>, Status>
    where
        'i: 'w,
    {
        let key = &Handle::of_packet(&item.key)?.key;
        let message = match Message::usual(item, self.tag, array) {
            Some(message) => message,
            None => Message::one_by_one(item, self.tag, array)?,
        };
        let tag = match self.tag {
            Tag::Compared => copied(message.expected, room).ok_or(Status::TagLength)?,
            Tag::Written | Tag::None => message.tag,
        };
        // Last, as for one message alone: a pointer that is wrong counts more than a length of its tag.
        let key = (self.key)(key, item.tag_len)?;
        let Message { iv, associated_data, buffer, .. } = message;
        // A packet that the library does not come to is not done.
        let result = Err(Error::NotProcessed);
        Ok(Some(Packet { key, iv, associated_data, buffer: buffer.into(), tag, result }))
    }

    fn run(&mut self, window: &mut [Packet<'_, K>]) -> Result<(), Error> {
        (self.run)(window);
        Ok(())
    }

    fn result(_: &PacketItem, packet: &Packet<'_, K>) -> Result<(), Status> {
        packet.result.map_err(Status::from)
    }
}

/// Does a batch of packets with tags: their lengths are those that the descriptors name.
pub(crate) fn each_tagged<'i, const W: usize, T: Kind + 'i, K>(
    packets: &'i Items<PacketItem>,
    count: usize,
    size: usize,
    tag: Tag,
    key: impl Fn(&'i T, usize) -> Result<K, Error>,
    run: impl FnMut(&mut [Packet<'_, K>]),
) -> c_int {
    batch::<W, _, _>(packets, count, size, Packets { tag, key, run, kind: PhantomData })
}

/// Does a batch of packets with keys of one kind, as the library refers to them.
pub(crate) fn each<'i, T: Kind + 'i, K>(
    packets: &'i Items<PacketItem>,
    count: usize,
    size: usize,
    key: impl Fn(&'i T) -> K,
    run: impl FnMut(&mut [Packet<'_, K>]),
) -> c_int {
    each_tagged::<WINDOW, _, _>(packets, count, size, Tag::None, |cipher, _| Ok(key(cipher)), run)
}

#[cfg(test)]
impl<I> From<&[I]> for Items<I> {
    fn from(items: &[I]) -> Self {
        Self(items.as_ptr())
    }
}

#[cfg(test)]
mod tests;
