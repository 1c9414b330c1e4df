//! Calls as C makes them, from Rust, so that Miri can follow what becomes of the pointers: `cargo xtask test` has a step
//! for it. Known answers are with the clients in C.

mod batches;
mod misuse;

use std::cell::Cell;
use std::ffi::{CStr, c_int};
use std::ptr::{null, null_mut};

use crate::buffers::{In, Out, Place};
use crate::cipher::{CipherHandle, abreast_cipher_free, abreast_cipher_new};
use crate::modes::aead::{abreast_aead_free, abreast_eax_new, abreast_gcm_new};
use crate::modes::aead_stream::{
    abreast_aead_stream_finish, abreast_aead_stream_free, abreast_aead_stream_new, abreast_aead_stream_update,
};
use crate::modes::operation::Operation;
use crate::modes::stream::abreast_cipher_crypt;
use crate::names::Text;
use crate::packets::operations::abreast_packets;
use crate::packets::{Items, PacketItem};
use crate::rc4::{Rc4Piece, abreast_rc4_apply_streams, abreast_rc4_stream_free, abreast_rc4_stream_new};
use crate::status::Status;

const OK: c_int = Status::Ok as c_int;

/// The handle that a function puts out where its last argument points.
fn made<H>(make: impl FnOnce(Place<*mut H>) -> c_int) -> *mut H {
    let mut place = null_mut();
    assert_eq!(make(Place::from(&raw mut place)), OK);
    place
}

pub(crate) fn key(name: &'static CStr, byte: u8) -> *mut CipherHandle {
    let key = [byte; 16];
    made(|place| abreast_cipher_new(Text::from(name), In::from(&key), 16, Text::none(), place))
}

/// Whole blocks, from one buffer to another.
pub(crate) fn encrypt_blocks(key: *mut CipherHandle, input: *const u8, output: *mut u8, len: usize) -> c_int {
    let (operation, none) = (Operation::EcbEncrypt as c_int, In::from(null()));
    abreast_cipher_crypt(key.into(), operation, none, 0, In::from(input), Out::from(output), len)
}

/// A batch of an operation.
pub(crate) fn batch(operation: Operation, items: &[PacketItem]) -> c_int {
    abreast_packets(operation as c_int, Items::from(items), items.len(), size_of::<PacketItem>())
}

/// A packet in place.
pub(crate) fn packet<K>(key: *mut K, memory: *mut u8, len: usize) -> PacketItem {
    PacketItem {
        key: key.cast_const().cast(),
        iv: In::from(&[]),
        iv_len: 0,
        aad: In::from(&[]),
        aad_len: 0,
        input: In::from(memory.cast_const()),
        output: Out::from(memory),
        len,
        tag: Out::from(null_mut()),
        tag_len: 0,
        status: Cell::new(-1),
    }
}

#[test]
fn a_stream_outlives_its_keys() {
    // GCM wants blocks of 16 bytes. Miri is quicker with XTEA.
    let aeads =
        [(c"aes-128", abreast_gcm_new as extern "C" fn(_, _) -> _, 16), (c"xtea", abreast_eax_new, 8)];
    for (name, new, tag_len) in aeads {
        let cipher = key(name, 1);
        let aead = made(|place| new(cipher.into(), place));
        let nonce = [0; 12];
        let aad = In::from(null());
        let stream =
            made(|place| abreast_aead_stream_new(aead.into(), 0, In::from(&nonce), 12, aad, 0, place));
        abreast_cipher_free(cipher.into());
        abreast_aead_free(aead.into());
        let (mut data, mut tag) = ([0_u8; 40], [0_u8; 16]);
        let memory = data.as_mut_ptr();
        for (at, len) in [(0, 7), (7, 33)] {
            let place = memory.wrapping_add(at);
            let (input, output) = (In::from(place.cast_const()), Out::from(place));
            assert_eq!(abreast_aead_stream_update(stream.into(), input, output, len), OK);
        }
        let place = tag.as_mut_ptr();
        assert_eq!(abreast_aead_stream_finish(stream.into(), Out::from(place), tag_len), OK);
        let again = abreast_aead_stream_finish(stream.into(), Out::from(place), tag_len);
        assert_eq!(again, Status::Finished as c_int);
        abreast_aead_stream_free(stream.into());
        assert!(data != [0; 40] && tag != [0; 16]);
    }
}

#[test]
fn batches_in_place_and_from_one_input() {
    let keys = [key(c"xtea", 1), key(c"aes-128", 2), key(c"serpent-128", 3)];
    let mut alone = [[7_u8; 32]; 3];
    for (key, data) in keys.iter().zip(&mut alone) {
        let memory = data.as_mut_ptr();
        assert_eq!(encrypt_blocks(*key, memory.cast_const(), memory, 32), OK);
    }
    let mut data = [[7_u8; 32]; 3];
    let shared = [7_u8; 32];
    let mut outputs = [[0_u8; 32]; 3];
    let mut items = Vec::new();
    for ((key, data), output) in keys.iter().zip(&mut data).zip(&mut outputs) {
        items.push(packet(*key, data.as_mut_ptr(), 32));
        items.push(packet(null_mut::<CipherHandle>(), null_mut(), 0));
        let output = Out::from(output.as_mut_ptr());
        items.push(PacketItem { input: In::from(&shared), output, ..packet(*key, null_mut(), 32) });
    }
    assert_eq!(batch(Operation::EcbEncrypt, &items), Status::Batch as c_int);
    for (index, item) in items.iter().enumerate() {
        let expected = if index % 3 == 1 { Status::NullPointer as c_int } else { OK };
        assert_eq!(item.status.get(), expected);
    }
    assert_eq!((data, outputs), (alone, alone));

    let gcm = made(|place| abreast_gcm_new(keys[1].into(), place));
    let (mut data, mut tags, nonce) = ([[0_u8; 20]; 2], [[0_u8; 16]; 2], [9; 12]);
    let mut items = Vec::new();
    for (data, tag) in data.iter_mut().zip(&mut tags) {
        let tag = Out::from(tag.as_mut_ptr());
        let packet = packet(gcm, data.as_mut_ptr(), 20);
        items.push(PacketItem { iv: In::from(&nonce), iv_len: 12, tag, tag_len: 16, ..packet });
    }
    assert_eq!(batch(Operation::GcmEncrypt, &items), OK);
    assert_eq!((data[0], tags[0]), (data[1], tags[1]));
    // Of another type, and of the same type and another mode.
    for other in [Operation::EcbEncrypt, Operation::EaxEncrypt, Operation::AezEncrypt] {
        assert_eq!(batch(other, &items), Status::Batch as c_int);
        assert_eq!(items[0].status.get(), Status::WrongKey as c_int);
    }
    for key in keys {
        abreast_cipher_free(key.into());
    }
    abreast_aead_free(gcm.into());
}

#[test]
fn a_stream_twice_in_a_batch() {
    let secret = [5; 16];
    let stream = made(|place| abreast_rc4_stream_new(In::from(&secret), 16, place));
    let mut data = [[0_u8; 600]; 3];
    let pieces = data.each_mut().map(|data| {
        let memory = data.as_mut_ptr();
        let (input, output) = (In::from(memory.cast_const()), Out::from(memory));
        Rc4Piece { stream: stream.into(), input, output, len: 600, status: Cell::new(-1) }
    });
    let size = size_of::<Rc4Piece>();
    assert_eq!(abreast_rc4_apply_streams(Items::from(pieces.as_slice()), 3, size), OK);
    assert!(data[0] != data[1] && data[1] != data[2]);
    abreast_rc4_stream_free(stream.into());
}
