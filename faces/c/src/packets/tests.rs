//! Arrays of packets: sizes, pointers and statuses.

use super::*;
use crate::cipher::abreast_cipher_free;
use crate::cipher::of_packets;
use crate::modes::operation::Operation;
use crate::packets::operations::abreast_packets;
use crate::tests::{key, packet};

const OK: c_int = Status::Ok as c_int;
const NOT_PROCESSED: c_int = Status::NotProcessed as c_int;

/// Runs a batch of three packets, more than a window apart from each other, by something that may do nothing.
fn statuses(run: impl FnMut(&mut [Packet<'_, abreast::packets::CipherKey<'_>>])) -> (c_int, Vec<c_int>) {
    let xtea = key(c"xtea", 1);
    let mut data = [[0_u8; 8]; WINDOW + 2];
    let items: Vec<PacketItem> = data
        .iter_mut()
        .map(|data| PacketItem { status: Cell::new(OK), ..packet(xtea, data.as_mut_ptr(), 8) })
        .collect();
    let array = Items::from(items.as_slice());
    let size = size_of::<PacketItem>();
    let status = each(&array, items.len(), size, of_packets, run);
    abreast_cipher_free(xtea.into());
    (status, items.iter().map(|item| item.status.get()).collect())
}

#[test]
fn what_the_library_passes_over_is_not_done() {
    let (status, each) = statuses(|_| {});
    assert_eq!(status, Status::Batch as c_int);
    assert_eq!(each, [NOT_PROCESSED; WINDOW + 2]);
    let (status, each) = statuses(|window| window[1].result = Ok(()));
    assert_eq!(
        (status, each[0], each[1], each[2]),
        (Status::Batch as c_int, NOT_PROCESSED, OK, NOT_PROCESSED)
    );
    let (status, each) = statuses(|window| window.iter_mut().for_each(|packet| packet.result = Ok(())));
    assert_eq!((status, each), (OK, vec![OK; WINDOW + 2]));
}

#[test]
#[cfg_attr(miri, ignore = "what a panic carries is leaked on purpose, and Miri reports leaks")]
fn a_panic_leaves_no_packet_as_done() {
    let mut windows = 0;
    let (status, each) = statuses(|window| {
        window.iter_mut().for_each(|packet| packet.result = Ok(()));
        windows += 1;
        assert!(windows < 2, "a panic of this test");
    });
    assert_eq!(status, Status::Panic as c_int);
    assert_eq!(each[..WINDOW], [OK; WINDOW]);
    assert_eq!(each[WINDOW..], [NOT_PROCESSED; 2]);
}

#[test]
fn a_batch_that_is_refused_leaves_no_packet_as_done() {
    let xtea = key(c"xtea", 1);
    let items = [PacketItem { status: Cell::new(OK), ..packet(xtea, std::ptr::null_mut(), 0) }];
    for operation in [Operation::CfbEncrypt as c_int, 0, Operation::Hctr2Decrypt as c_int + 1] {
        items[0].status.set(OK);
        let status = abreast_packets(operation, Items::from(&items[..]), 1, size_of::<PacketItem>());
        assert_eq!((status, items[0].status.get()), (Status::Operation as c_int, NOT_PROCESSED));
    }
    abreast_cipher_free(xtea.into());
}
