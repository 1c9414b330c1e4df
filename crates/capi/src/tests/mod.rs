//! Calls as C makes them, from Rust, so that Miri can follow what becomes of the pointers: `cargo xtask test` has a step
//! for it. Known answers are with the clients in C.

mod batches;
mod misuse;

use std::cell::Cell;
use std::ffi::{CStr, c_int};
use std::ptr::{null, null_mut};

use crate::buffers::{In, Out, Place};
use crate::cipher::{CipherHandle, abreast_cipher_free, abreast_cipher_new, abreast_ecb_encrypt};
use crate::modes::gcm::{
    abreast_gcm_free, abreast_gcm_new, abreast_gcm_stream_finish, abreast_gcm_stream_free,
    abreast_gcm_stream_new, abreast_gcm_stream_update,
};
use crate::names::Text;
use crate::packets::aead::abreast_packets_gcm_encrypt;
use crate::packets::blocks::abreast_packets_ecb_encrypt;
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
    let cipher = key(c"aes-128", 1);
    let gcm = made(|place| abreast_gcm_new(cipher.into(), place));
    let nonce = [0; 12];
    let aad = In::from(null());
    let stream = made(|place| abreast_gcm_stream_new(gcm.into(), 0, In::from(&nonce), 12, aad, 0, place));
    abreast_cipher_free(cipher.into());
    abreast_gcm_free(gcm.into());
    let (mut data, mut tag) = ([0_u8; 40], [0_u8; 16]);
    let memory = data.as_mut_ptr();
    for (at, len) in [(0, 7), (7, 33)] {
        let place = memory.wrapping_add(at);
        let (input, output) = (In::from(place.cast_const()), Out::from(place));
        assert_eq!(abreast_gcm_stream_update(stream.into(), input, output, len), OK);
    }
    let place = tag.as_mut_ptr();
    assert_eq!(abreast_gcm_stream_finish(stream.into(), Out::from(place), 16), OK);
    let again = abreast_gcm_stream_finish(stream.into(), Out::from(place), 16);
    assert_eq!(again, Status::Finished as c_int);
    abreast_gcm_stream_free(stream.into());
    assert!(data != [0; 40] && tag != [0; 16]);
}

#[test]
fn batches_in_place_and_from_one_input() {
    let keys = [key(c"xtea", 1), key(c"aes-128", 2), key(c"serpent-128", 3)];
    let mut alone = [[7_u8; 32]; 3];
    for (key, data) in keys.iter().zip(&mut alone) {
        let memory = data.as_mut_ptr();
        let (input, output) = (In::from(memory.cast_const()), Out::from(memory));
        assert_eq!(abreast_ecb_encrypt((*key).into(), input, output, 32), OK);
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
    let size = size_of::<PacketItem>();
    let status = abreast_packets_ecb_encrypt(Items::from(items.as_slice()), items.len(), size);
    assert_eq!(status, Status::Batch as c_int);
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
    assert_eq!(abreast_packets_gcm_encrypt(Items::from(items.as_slice()), items.len(), size), OK);
    assert_eq!((data[0], tags[0]), (data[1], tags[1]));
    let status = abreast_packets_ecb_encrypt(Items::from(items.as_slice()), items.len(), size);
    assert_eq!((status, items[0].status.get()), (Status::Batch as c_int, Status::WrongKey as c_int));
    for key in keys {
        abreast_cipher_free(key.into());
    }
    abreast_gcm_free(gcm.into());
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
