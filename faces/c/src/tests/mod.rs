//! Calls as C makes them, from Rust, so that Miri and sanitizers can follow the pointers: `cargo xtask test` has a step for
//! it. Known answers are with the clients in C.

mod batches;
mod devices;
mod misuse;
mod orders;
mod overlaps;
mod placed;
#[cfg(any(miri, abreast_planted = "address", abreast_planted = "thread"))]
mod planted;
mod streams;
mod strings;

use std::cell::Cell;
use std::ffi::{CStr, c_int};
use std::mem::MaybeUninit;
use std::ptr::{null, null_mut};

use crate::buffers::{In, Out, Place, Places};
use crate::cipher::{
    CipherHandle, abreast_cipher_free, abreast_cipher_init, abreast_cipher_new, abreast_cipher_size,
    abreast_ciphers_init,
};
use crate::handle::TOGETHER;
use crate::modes::aead::{abreast_aead_encrypt, abreast_aead_free, abreast_eax_new, abreast_gcm_new};
use crate::modes::aead_stream::{
    abreast_aead_stream_finish, abreast_aead_stream_free, abreast_aead_stream_new, abreast_aead_stream_reset,
    abreast_aead_stream_update,
};
use crate::modes::cmac::{
    abreast_cmac_free, abreast_cmac_new, abreast_cmac_stream_finish, abreast_cmac_stream_free,
    abreast_cmac_stream_new, abreast_cmac_stream_reset, abreast_cmac_stream_update,
};
use crate::modes::operation::Operation;
use crate::modes::stream::{
    abreast_cipher_crypt, abreast_stream_apply, abreast_stream_free, abreast_stream_new, abreast_stream_reset,
};
use crate::names::Text;
use crate::packets::operations::abreast_packets;
use crate::packets::{Items, PacketItem};
use crate::rc4::{Rc4Piece, abreast_rc4_apply_streams, abreast_rc4_stream_free, abreast_rc4_stream_new};
use crate::status::Status;
use crate::xtea::abreast_xtea_new;

const OK: c_int = Status::Ok as c_int;

/// The handle that a function puts out where its last argument points.
pub(crate) fn made<H>(make: impl FnOnce(Place<*mut H>) -> c_int) -> *mut H {
    let mut place = null_mut();
    assert_eq!(make(Place::from(&raw mut place)), OK);
    place
}

pub(crate) fn key(name: &'static CStr, byte: u8) -> *mut CipherHandle {
    let key = [byte; 16];
    // Miri follows pointers, and the time it takes is that of the rounds.
    if cfg!(miri) && name == c"xtea" {
        return made(|place| abreast_xtea_new(In::from(&key), 0, 1, Text::none(), place));
    }
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
        let again = |place| abreast_aead_stream_finish(stream.into(), Out::from(place), tag_len);
        assert_eq!(again(place), Status::Finished as c_int);
        assert!(data != [0; 40] && tag != [0; 16]);

        // The same message once more, which is refused at first if it has no nonce where one has to be.
        let reset =
            |len| abreast_aead_stream_reset(stream.into(), In::from(&nonce), len, In::from(null()), 0);
        if tag_len == 16 {
            assert_eq!(reset(0), Status::NonceLength as c_int);
            assert_eq!(again(place), Status::Finished as c_int);
        }
        assert_eq!(reset(12), OK);
        let (mut data_again, mut tag_again) = ([0_u8; 40], [0_u8; 16]);
        let memory = data_again.as_mut_ptr();
        let (input, output) = (In::from(memory.cast_const()), Out::from(memory));
        assert_eq!(abreast_aead_stream_update(stream.into(), input, output, 40), OK);
        assert_eq!(again(tag_again.as_mut_ptr()), OK);
        assert_eq!((data_again, tag_again), (data, tag));
        abreast_aead_stream_free(stream.into());
    }
}

#[test]
fn streams_begin_anew() {
    let cipher = key(c"xtea", 1);
    let (iv, operations) = ([9; 8], [Operation::CbcEncrypt, Operation::Cfb8Decrypt, Operation::Ctr64]);
    for operation in operations {
        let new = |place| abreast_stream_new(cipher.into(), operation as c_int, In::from(&iv), 8, place);
        let stream = made(new);
        let reset = |len| abreast_stream_reset(stream.into(), In::from(&iv), len);
        let results = [0, 1, 2].map(|round| {
            let mut data = [7_u8; 24];
            let memory = data.as_mut_ptr();
            let (input, output) = (In::from(memory.cast_const()), Out::from(memory));
            assert_eq!(abreast_stream_apply(stream.into(), input, output, 24), OK);
            // One that is refused leaves the stream where it is.
            let refused = if round == 0 { reset(8) } else { reset(7) };
            assert_eq!(refused == OK, round == 0);
            data
        });
        assert_eq!(results[0], results[1]);
        assert_ne!(results[1], results[2]);
        abreast_stream_free(stream.into());
    }
    abreast_cipher_free(cipher.into());

    let cipher = key(c"xtea", 2);
    let cmac = made(|place| abreast_cmac_new(cipher.into(), place));
    abreast_cipher_free(cipher.into());
    let stream = made(|place| abreast_cmac_stream_new(cmac.into(), place));
    let tags = [0, 1, 2].map(|round| {
        let mut tag = [0_u8; 8];
        assert_eq!(abreast_cmac_stream_update(stream.into(), In::from(&iv), 8), OK);
        if round == 1 {
            // Earlier input is forgotten.
            assert_eq!(abreast_cmac_stream_reset(stream.into()), OK);
            assert_eq!(abreast_cmac_stream_update(stream.into(), In::from(&iv), 8), OK);
        }
        assert_eq!(abreast_cmac_stream_finish(stream.into(), Out::from(tag.as_mut_ptr()), 8), OK);
        assert_eq!(abreast_cmac_stream_reset(stream.into()), OK);
        tag
    });
    assert!(tags[0] != [0; 8] && tags[0] == tags[1] && tags[1] == tags[2]);
    abreast_cmac_stream_free(stream.into());
    abreast_cmac_free(cmac.into());
}

#[test]
fn keys_in_memory_of_the_caller() {
    let aeads =
        [(c"aes-128", abreast_gcm_new as extern "C" fn(_, _) -> _, 16), (c"xtea", abreast_eax_new, 8)];
    for (name, new, tag_len) in aeads {
        // Not by `key`, which takes fewer cycles of XTEA in Miri.
        let secret = [1; 16];
        let elsewhere =
            made(|place| abreast_cipher_new(Text::from(name), In::from(&secret), 16, Text::none(), place));
        let mut expected = [7_u8; 32];
        let buffer = expected.as_mut_ptr();
        assert_eq!(encrypt_blocks(elsewhere, buffer.cast_const(), buffer, 32), OK);
        abreast_cipher_free(elsewhere.into());

        let size = abreast_cipher_size(Text::from(name));
        let mut memory = vec![MaybeUninit::<u8>::uninit(); size + 64];
        let start = memory.as_mut_ptr().cast::<u8>();
        for &at in if cfg!(miri) { &[1][..] } else { &[0, 1, 63] } {
            let init = |size, place| {
                let room = Out::from(start.wrapping_add(at));
                abreast_cipher_init(room, size, Text::from(name), In::from(&secret), 16, Text::none(), place)
            };
            let cipher = made(|place| init(size, place));
            assert!(cipher.addr() - start.addr() - at < 64);
            let mut data = [7_u8; 32];
            let buffer = data.as_mut_ptr();
            assert_eq!(encrypt_blocks(cipher, buffer.cast_const(), buffer, 32), OK);
            assert_eq!(data, expected);

            // A key of a mode keeps the key after its handle is freed, and the memory until it is freed itself.
            let aead = made(|place| new(cipher.into(), place));
            abreast_cipher_free(cipher.into());
            let (nonce, mut tag) = ([0; 12], [0_u8; 16]);
            // The comparison has ended the rights of the other pointer.
            let buffer = data.as_mut_ptr();
            let (aad, input) = (In::from(null()), In::from(buffer.cast_const()));
            let (output, tag_at) = (Out::from(buffer), Out::from(tag.as_mut_ptr()));
            let done = abreast_aead_encrypt(
                aead.into(),
                In::from(&nonce),
                12,
                aad,
                0,
                input,
                output,
                32,
                tag_at,
                tag_len,
            );
            assert_eq!((done, data != expected && tag != [0; 16]), (OK, true));
            abreast_aead_free(aead.into());
            // The handle is invalid now.
            assert_eq!(encrypt_blocks(cipher, null(), null_mut(), 0), Status::WrongKey as c_int);
        }
    }
}

#[test]
fn many_keys_in_memory_of_the_caller() {
    // Two groups of those that are made together, and one key more.
    const COUNT: usize = if cfg!(miri) { TOGETHER + 1 } else { 2 * TOGETHER + 1 };
    let names = [(c"xtea-be", 16), (c"aes-192", 24), (c"serpent-128", 16)];
    for (name, key_len) in names.into_iter().take(if cfg!(miri) { 1 } else { 3 }) {
        let keys: Vec<u8> = (0..COUNT * key_len).map(|i| (i * 7 + i / 256) as u8).collect();
        let size = abreast_cipher_size(Text::from(name));
        for apart in if cfg!(miri) { &[5][..] } else { &[0, 1, 64 + 5] } {
            let stride = size + *apart;
            let mut memory = vec![0xa5_u8; COUNT * stride];
            let mut handles = [null_mut::<CipherHandle>(); COUNT];
            let start = memory.as_mut_ptr();
            let status = abreast_ciphers_init(
                Out::from(start),
                stride,
                COUNT,
                Text::from(name),
                In::from(keys.as_ptr()),
                key_len,
                Text::none(),
                Places::from(handles.as_mut_ptr()),
            );
            assert_eq!(status, OK);
            for (i, (handle, key)) in handles.iter().zip(keys.chunks(key_len)).enumerate() {
                let in_its_place = handle.addr() - start.addr() - i * stride;
                assert!(in_its_place < 64, "{in_its_place}");
                let secret = In::from(key.as_ptr());
                let alone =
                    made(|place| abreast_cipher_new(Text::from(name), secret, key_len, Text::none(), place));
                let blocks = [*handle, alone].map(|key| {
                    let mut block = [9_u8; 16];
                    let buffer = block.as_mut_ptr();
                    assert_eq!(encrypt_blocks(key, buffer.cast_const(), buffer, 16), OK);
                    block
                });
                assert_eq!(blocks[0], blocks[1], "key {i}");
                abreast_cipher_free(alone.into());
                abreast_cipher_free((*handle).into());
            }
            // Bytes between the keys are not written.
            for place in memory.chunks(stride) {
                assert_eq!(place[size..], vec![0xa5; *apart]);
            }
        }
    }
}

#[test]
fn many_keys_that_are_refused() {
    let size = abreast_cipher_size(Text::from(c"xtea"));
    let mut memory = vec![0_usize; 2 * size / size_of::<usize>() + 4];
    let start = memory.as_mut_ptr();
    let (bytes, secret) = (start.cast::<u8>(), [1_u8; 32]);
    let mut handles = [null_mut::<CipherHandle>(); 2];
    let at_handles = handles.as_mut_ptr();
    let init = |stride, count, name, key: *const u8, key_len, handles| {
        let (room, key, kernel) = (Out::from(bytes), In::from(key), Text::none());
        abreast_ciphers_init(room, stride, count, name, key, key_len, kernel, Places::from(handles))
    };
    let xtea = || Text::from(c"xtea");
    let key = secret.as_ptr();
    assert_eq!(init(size, 0, xtea(), null(), 16, null_mut()), OK);
    // An argument that is wrong for some keys is wrong for none.
    for (status, expected) in [
        (init(size - 1, 0, xtea(), null(), 16, null_mut()), Status::MemorySize),
        (init(size, 0, xtea(), null(), 15, null_mut()), Status::KeyLength),
        (init(size, 0, Text::none(), null(), 16, null_mut()), Status::NullPointer),
        (init(size, 0, Text::from(c"des"), null(), 16, null_mut()), Status::UnknownCipher),
    ] {
        assert_eq!(status, expected as c_int);
    }
    // SAFETY: places of this function, which nobody else uses.
    unsafe { at_handles.write_bytes(0xff, 2) };
    for (status, expected) in [
        (init(size - 1, 2, xtea(), key, 16, at_handles), Status::MemorySize),
        (init(size, 2, xtea(), key, 15, at_handles), Status::KeyLength),
        (init(size, 2, xtea(), null(), 16, at_handles), Status::NullPointer),
        (init(size, 2, Text::none(), key, 16, at_handles), Status::NullPointer),
        (init(size, 2, Text::from(c"des"), key, 16, at_handles), Status::UnknownCipher),
        (init(size, 2, xtea(), bytes.wrapping_add(size), 16, at_handles), Status::Overlap),
    ] {
        assert_eq!(status, expected as c_int);
        // SAFETY: as above.
        assert!(unsafe { (*at_handles).is_null() && (*at_handles.add(1)).is_null() });
    }
    let over_memory = start.cast::<*mut CipherHandle>();
    assert_eq!(init(size, 2, xtea(), key, 16, over_memory), Status::Overlap as c_int);
    assert_eq!(init(size, 2, xtea(), key, 16, null_mut()), Status::NullPointer as c_int);
    for count in [usize::MAX, usize::MAX / 8, usize::MAX / 16] {
        assert_eq!(init(size, count, xtea(), key, 16, at_handles), Status::Length as c_int);
    }
    // Handles over keys: neither is written.
    let mut both = [7_usize; 4];
    let place = both.as_mut_ptr();
    assert_eq!(init(size, 2, xtea(), place.cast(), 16, place.cast()), Status::Overlap as c_int);
    assert_eq!(both, [7; 4]);
}

#[test]
fn memory_that_does_not_do_for_a_key() {
    assert_eq!(abreast_cipher_size(Text::from(c"des")), 0);
    assert_eq!(abreast_cipher_size(Text::none()), 0);
    let size = abreast_cipher_size(Text::from(c"xtea"));
    let mut memory = vec![1_u8; size + 128];
    let start = memory.as_mut_ptr();
    // A place with no room for a handle in front of it.
    let at = start.wrapping_add(start.align_offset(64) + 1);
    let init = |room, size, key, key_len, place| {
        abreast_cipher_init(Out::from(room), size, Text::from(c"xtea"), key, key_len, Text::none(), place)
    };
    let secret = [1; 16];
    let mut cipher: *mut CipherHandle = null_mut();
    let at_cipher = &raw mut cipher;
    let refused = |room: *mut u8, size: usize, key: In, key_len: usize| {
        let status = init(room, size, key, key_len, Place::from(at_cipher));
        // SAFETY: a place of this function, which nobody else uses now.
        assert!(unsafe { *at_cipher }.is_null());
        status
    };
    let (short, overlap) = (Status::MemorySize as c_int, Status::Overlap as c_int);
    assert_eq!(refused(at, size - 1, In::from(&secret), 16), short);
    assert_eq!(refused(at.wrapping_add(32), size - 1, In::from(&secret), 16), short);
    assert_eq!(refused(at, 0, In::from(&secret), 16), short);
    assert_eq!(refused(null_mut(), size, In::from(&secret), 16), Status::NullPointer as c_int);
    assert_eq!(refused(at, size, In::from(&secret), 15), Status::KeyLength as c_int);
    assert_eq!(refused(at, size, In::from(at.wrapping_add(size - 1).cast_const()), 16), overlap);
    assert!(memory.iter().all(|byte| *byte == 1));
    // The zero at the end of the name.
    memory[..5].copy_from_slice(b"xtea\0");
    let name = memory.as_mut_ptr();
    let room = Out::from(name.wrapping_add(4));
    let status = abreast_cipher_init(
        room,
        size,
        Text::at(name.cast_const().cast()),
        In::from(&secret),
        16,
        Text::none(),
        Place::from(at_cipher),
    );
    assert_eq!(status, overlap);
    // The place for the handle is inside, where NULL is written then.
    let place = Place::from(start.wrapping_add(start.align_offset(64) + 64).cast());
    assert_eq!(init(at, size, In::from(&secret), 16, place), overlap);
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
    // Keys of another type, and of the same type and another mode.
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
