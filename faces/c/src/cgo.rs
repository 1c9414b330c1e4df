//! Counter Galois Onion: circuits of Tor at relays and at clients, with AES-128.

use std::cell::Cell;
use std::ffi::{c_int, c_void};

use abreast::Error;
use abreast::aes::Aes128;
use abreast_frames::cgo::{self, CELL, CgoError, Client, Hop, Relay, RelayCell, Seeds, TAG};

use crate::buffers::{In, Out, Place, Span};
use crate::cipher::kernel_of;
use crate::handle::{StreamKind, StreamPtr, begin, close};
use crate::names::Text;
use crate::packets::{Batch, Described, Items, QUARTER, Room, batch};
use crate::status::{Status, call};

/// The most hops of a client, so that their keys stay where they are.
const HOPS: usize = 8;

/// A circuit at a relay.
#[derive(Debug)]
pub struct CgoRelayStream(Relay<Aes128>);

impl StreamKind for CgoRelayStream {
    const KIND: u32 = 0xab12_4c73;
}

/// A circuit at a client.
#[derive(Debug)]
pub struct CgoClientStream(Vec<Hop<Aes128>>);

impl StreamKind for CgoClientStream {
    const KIND: u32 = 0xab12_4c74;
}

/// Returns the keys of a hop.
fn seeds(keys: &In, keys_len: usize) -> Result<Seeds<'_, Aes128>, Status> {
    Seeds::of(keys.bytes(keys_len)?).map_err(status_of)
}

/// Returns the status of an error.
fn status_of(error: CgoError) -> Status {
    match error {
        CgoError::Length { .. } => Status::KeyLength,
        CgoError::Hop { .. } => Status::NoHop,
        CgoError::Unrecognized => Status::TagMismatch,
        _ => Status::Other,
    }
}

/// Begins a circuit at a relay, in Counter Galois Onion with AES-128, by which Tor encrypts relay cells (proposal 359).
///
/// keys: 180 bytes from the handshake: the seeds forward and backward, and the binding, which is not looked at.
/// kernel: as for abreast_cipher_new.
///
/// ABREAST_KEY_LENGTH, ABREAST_UNKNOWN_KERNEL, ABREAST_OUT_OF_MEMORY.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_cgo_relay_new(
    keys: In,
    keys_len: usize,
    kernel: Text,
    relay: Place<*mut CgoRelayStream>,
) -> c_int {
    begin(relay, || {
        let (seeds, kernel) = (seeds(&keys, keys_len)?, kernel_of(Aes128::kernels(), kernel.get())?);
        Ok(CgoRelayStream(Relay::with_kernel(&seeds, kernel)?))
    })
}

/// Frees a circuit and wipes it. NULL is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_cgo_relay_free(relay: StreamPtr<CgoRelayStream>) {
    close(relay);
}

/// A cell of a batch, with its circuit at a relay.
#[repr(C)]
#[derive(Debug)]
pub struct CgoCell {
    /// The circuit.
    pub relay: StreamPtr<CgoRelayStream>,
    /// The cell without its header, 509 bytes, which are changed in their place. The first 16 are its tag.
    pub cell: Out,
    /// The command byte of the header: 3 for RELAY, 9 for RELAY_EARLY.
    pub command: u8,
    /// 1 if the cell is for this relay, or was originated by it, and so has a tag for SENDME; 0 otherwise.
    pub has_tag: Cell<u8>,
    /// This tag, or zeros.
    pub tag: Cell<[u8; 16]>,
    /// The result: a status.
    pub status: Cell<c_int>,
}

impl Described for CgoCell {
    fn status(&self) -> &Cell<c_int> {
        &self.status
    }
    fn key(&self) -> *const c_void {
        self.relay.address()
    }
}

/// Takes cells of many circuits from the clients' side, side by side. A cell that has a tag then is for this relay, and is
/// plaintext; others are for the next relay.
///
/// A circuit may be there several times: its cells are done in their order, as by calls one after the other.
/// cell_size: sizeof(struct abreast_cgo_cell).
///
/// ABREAST_BATCH if some were not done: each has its own status.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_cgo_forward(cells: Items<CgoCell>, count: usize, cell_size: usize) -> c_int {
    batch::<QUARTER, _, _>(&cells, count, cell_size, Relayed(cgo::forward))
}

/// Takes cells of many circuits from the side away from the clients, as abreast_cgo_forward does from the other. None has a tag
/// then.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_cgo_backward(cells: Items<CgoCell>, count: usize, cell_size: usize) -> c_int {
    batch::<QUARTER, _, _>(&cells, count, cell_size, Relayed(cgo::backward))
}

/// Encrypts cells of this relay for the clients of many circuits, as abreast_cgo_backward does. The payload comes after the first
/// 16 bytes, which the tag takes.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_cgo_originate(cells: Items<CgoCell>, count: usize, cell_size: usize) -> c_int {
    batch::<QUARTER, _, _>(&cells, count, cell_size, Relayed(cgo::originate))
}

/// A batch at a relay, and what is done with it.
struct Relayed(fn(&mut [RelayCell<'_, Aes128>]));

impl<'i> Batch<'i, CgoCell> for Relayed {
    type Packet<'w>
        = RelayCell<'w, Aes128>
    where
        'i: 'w;

    /// A cell, unless its circuit is in the window already.
    fn take<'w>(
        &self,
        item: &'i CgoCell,
        array: Span,
        window: &'i [CgoCell],
        _: &'w mut Room,
    ) -> Result<Option<RelayCell<'w, Aes128>>, Status>
    where
        'i: 'w,
    {
        if window.iter().any(|other| other.relay.is(&item.relay)) {
            return Ok(None);
        }
        let relay = &mut item.relay.get()?.0;
        let cell = item.cell.bytes(CELL, &[array])?.try_into().map_err(|_| Status::Length)?;
        Ok(Some(RelayCell::new(relay, item.command, cell)))
    }

    fn run(&mut self, window: &mut [RelayCell<'_, Aes128>]) -> Result<(), Error> {
        (self.0)(window);
        Ok(())
    }

    fn result(item: &CgoCell, cell: &RelayCell<'_, Aes128>) -> Result<(), Status> {
        item.has_tag.set(cell.tag.is_some().into());
        item.tag.set(cell.tag.unwrap_or_default());
        Ok(())
    }
}

/// Begins a circuit at a client, without hops.
///
/// ABREAST_OUT_OF_MEMORY.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_cgo_client_new(client: Place<*mut CgoClientStream>) -> c_int {
    begin(client, || {
        let mut hops = Vec::new();
        hops.try_reserve_exact(HOPS).map_err(|_| Status::OutOfMemory)?;
        Ok(CgoClientStream(hops))
    })
}

/// Adds a hop to the end of a circuit.
///
/// keys, kernel: as for abreast_cgo_relay_new.
///
/// ABREAST_KEY_LENGTH, ABREAST_UNKNOWN_KERNEL, ABREAST_OUT_OF_MEMORY; ABREAST_NO_HOP if the circuit has 8 hops already.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_cgo_client_add_hop(
    client: StreamPtr<CgoClientStream>,
    keys: In,
    keys_len: usize,
    kernel: Text,
) -> c_int {
    call(|| {
        let (seeds, kernel) = (seeds(&keys, keys_len)?, kernel_of(Aes128::kernels(), kernel.get())?);
        let hops = &mut client.get()?.0;
        if hops.len() == HOPS {
            return Err(Status::NoHop);
        }
        hops.push(Hop::with_kernel(&seeds, kernel)?);
        Ok(())
    })
}

/// Encrypts a cell for a hop, counted from 0, and makes new keys of that hop.
///
/// command: as in struct abreast_cgo_cell.
/// cell: 509 bytes, which are changed in their place. The payload comes after the first 16, which the tag takes.
/// tag: where the 16 bytes of the cell's tag go.
///
/// ABREAST_NO_HOP. Then nothing was done.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_cgo_client_originate(
    client: StreamPtr<CgoClientStream>,
    hop: usize,
    command: u8,
    cell: Out,
    tag: Out,
) -> c_int {
    call(|| {
        let (cell_span, client) = (cell.span(CELL)?, client.get()?);
        let tag = tag.bytes(TAG, &[cell_span])?;
        let made = Client(&mut client.0).originate(hop, command, cell.array()?).map_err(status_of)?;
        tag.copy_from_slice(&made);
        Ok(())
    })
}

/// Takes the layers off a cell that came back, up to that of the hop that originated it.
///
/// command, cell, tag: as for abreast_cgo_client_originate.
/// hop: where the number of that hop goes, counted from 0.
///
/// ABREAST_TAG_MISMATCH if the cell is from no hop: then it is noise, and Tor closes the circuit.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_cgo_client_backward(
    client: StreamPtr<CgoClientStream>,
    command: u8,
    cell: Out,
    hop: Place<usize>,
    tag: Out,
) -> c_int {
    call(|| {
        let (cell_span, tag_span) = (cell.span(CELL)?, tag.span(TAG)?);
        let hop = hop.get(&[cell_span, tag_span])?;
        let (client, tag) = (client.get()?, tag.bytes(TAG, &[cell_span])?);
        let received = Client(&mut client.0).backward(command, cell.array()?).ok_or(Status::TagMismatch)?;
        hop.write(received.hop);
        tag.copy_from_slice(&received.tag);
        Ok(())
    })
}

/// Frees a circuit and wipes it. NULL is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_cgo_client_free(client: StreamPtr<CgoClientStream>) {
    close(client);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ptr::null;

    fn made<S>(new: impl FnOnce(Place<*mut S>) -> c_int) -> *mut S {
        let mut place = std::ptr::null_mut();
        assert_eq!(new(Place::from(&raw mut place)), Status::Ok as c_int);
        place
    }

    fn keys(hop: u8) -> [u8; 180] {
        let mut keys = [hop; 180];
        keys.iter_mut().zip(0..).for_each(|(byte, i): (&mut u8, u8)| *byte ^= i);
        keys
    }

    /// Cells of two circuits of two hops there and back, one of them with two cells in a batch.
    #[test]
    #[cfg_attr(miri, ignore = "a minute there; `--long` runs it")]
    fn circuits_through_c() {
        const OK: c_int = Status::Ok as c_int;
        let relays: Vec<_> = (0..2)
            .map(|hop| {
                made(|place| abreast_cgo_relay_new(In::from(&keys(hop)), 180, Text::at(null()), place))
            })
            .collect();
        let client = made(|place| abreast_cgo_client_new(place));
        for hop in 0..2 {
            let added =
                abreast_cgo_client_add_hop(client.into(), In::from(&keys(hop)), 180, Text::at(null()));
            assert_eq!(added, OK);
        }
        let mut cells = [[1; CELL], [2; CELL]];
        let mut tags = [[0; TAG]; 2];
        for (cell, tag) in cells.iter_mut().zip(&mut tags) {
            let (cell, tag) = (cell.as_mut_ptr().into(), tag.as_mut_ptr().into());
            assert_eq!(abreast_cgo_client_originate(client.into(), 1, 3, cell, tag), OK);
        }
        let items = |relay: *mut CgoRelayStream, cells: &mut [[u8; CELL]; 2]| {
            let mut cells = cells.iter_mut();
            [(); 2].map(|()| CgoCell {
                relay: relay.into(),
                cell: cells.next().expect("a cell").as_mut_ptr().into(),
                command: 3,
                has_tag: Cell::new(7),
                tag: Cell::new([7; TAG]),
                status: Cell::new(-1),
            })
        };
        for (hop, relay) in relays.iter().enumerate() {
            let batch = items(*relay, &mut cells);
            assert_eq!(abreast_cgo_forward(Items::from(&batch[..]), 2, size_of::<CgoCell>()), OK);
            for (item, tag) in batch.iter().zip(&tags) {
                assert_eq!(item.has_tag.get(), u8::from(hop == 1));
                assert_eq!(item.tag.get(), if hop == 1 { *tag } else { [0; TAG] });
            }
        }
        assert_eq!((&cells[0][16..], &cells[1][16..]), (&[1; 493][..], &[2; 493][..]));

        let batch = items(relays[1], &mut cells);
        assert_eq!(abreast_cgo_originate(Items::from(&batch[..]), 2, size_of::<CgoCell>()), OK);
        let sent = batch.map(|item| item.tag.get());
        let batch = items(relays[0], &mut cells);
        assert_eq!(abreast_cgo_backward(Items::from(&batch[..]), 2, size_of::<CgoCell>()), OK);
        for (cell, sent) in cells.iter_mut().zip(&sent) {
            let (mut hop, mut tag) = (9, [0; TAG]);
            let place = Place::from(&raw mut hop);
            let (at, to) = (cell.as_mut_ptr().into(), tag.as_mut_ptr().into());
            assert_eq!(abreast_cgo_client_backward(client.into(), 3, at, place, to), OK);
            assert_eq!((hop, tag), (1, *sent));
        }
        assert_eq!((&cells[0][16..], &cells[1][16..]), (&[1; 493][..], &[2; 493][..]));

        // A cell that nobody sent; a hop that is not there.
        let (mut hop, mut tag, mut noise) = (9, [5; TAG], [3; CELL]);
        let place = Place::from(&raw mut hop);
        let (at, to) = (noise.as_mut_ptr().into(), tag.as_mut_ptr().into());
        let wrong = abreast_cgo_client_backward(client.into(), 3, at, place, to);
        assert_eq!((wrong, hop, tag), (Status::TagMismatch as c_int, 9, [5; TAG]));
        let (at, to) = (noise.as_mut_ptr().into(), tag.as_mut_ptr().into());
        let refused = abreast_cgo_client_originate(client.into(), 2, 3, at, to);
        assert_eq!((refused, tag), (Status::NoHop as c_int, [5; TAG]));
        for relay in relays {
            abreast_cgo_relay_free(relay.into());
        }
        abreast_cgo_client_free(client.into());
    }

    #[test]
    fn what_is_refused() {
        let mut place = std::ptr::null_mut();
        for len in [0, 179, 181] {
            let refused = abreast_cgo_relay_new(
                In::from(&[0; 200]),
                len,
                Text::at(null()),
                Place::from(&raw mut place),
            );
            assert_eq!((refused, place.is_null()), (Status::KeyLength as c_int, true));
        }
        let client = made(|place| abreast_cgo_client_new(place));
        for hop in 0..=HOPS {
            let added =
                abreast_cgo_client_add_hop(client.into(), In::from(&keys(hop as u8)), 180, Text::at(null()));
            let expected = if hop < HOPS { Status::Ok } else { Status::NoHop };
            assert_eq!(added, expected as c_int);
        }
        // The tag in the cell; a handle of another type.
        let mut cell = [0; CELL];
        let at = cell.as_mut_ptr();
        let overlap =
            abreast_cgo_client_originate(client.into(), 0, 3, at.into(), at.wrapping_add(500).into());
        assert_eq!(overlap, Status::Overlap as c_int);
        let item = CgoCell {
            relay: client.cast::<CgoRelayStream>().into(),
            cell: at.into(),
            command: 3,
            has_tag: Cell::new(7),
            tag: Cell::new([7; TAG]),
            status: Cell::new(-1),
        };
        assert_eq!(
            abreast_cgo_forward(Items::from(std::slice::from_ref(&item)), 1, size_of::<CgoCell>()),
            Status::Batch as c_int
        );
        assert_eq!((item.status.get(), cell), (Status::WrongKey as c_int, [0; CELL]));
        abreast_cgo_client_free(client.into());
        abreast_cgo_relay_free(std::ptr::null_mut::<CgoRelayStream>().into());
    }
}
