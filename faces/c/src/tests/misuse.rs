//! Pointers that C should not give, of the kinds that would be undefined behaviour if they were taken: not aligned, or
//! to memory that the call uses for something else.

use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::ptr::null_mut;

use super::{OK, batch, encrypt_blocks, key, made, packet};
use crate::aez::{AdString, AdStrings, abreast_aez_encrypt, abreast_aez_new};
use crate::buffers::{In, Out, Place, Words};
use crate::cipher::{CipherHandle, abreast_cipher_free, abreast_cipher_new};
use crate::modes::aead::{
    AeadHandle, abreast_aead_decrypt, abreast_aead_encrypt, abreast_aead_free, abreast_eax_new,
    abreast_gcm_new,
};
use crate::modes::aead_stream::{
    AeadStream, abreast_aead_stream_clone, abreast_aead_stream_free, abreast_aead_stream_new,
    abreast_aead_stream_update,
};
use crate::modes::cmac::{
    CmacStream, abreast_cmac_free, abreast_cmac_new, abreast_cmac_stream_clone, abreast_cmac_stream_free,
    abreast_cmac_stream_new, abreast_cmac_stream_update,
};
use crate::modes::key_wrap::{WrapItem, abreast_wrap_packets};
use crate::modes::operation::Operation;
use crate::modes::padded::{
    PaddedStream, abreast_padded_stream_clone, abreast_padded_stream_free, abreast_padded_stream_new,
    abreast_padded_stream_update,
};
use crate::modes::stream::{
    CipherStream, abreast_cbc_decrypt_padded, abreast_cbc_encrypt_padded, abreast_cipher_crypt,
    abreast_stream_apply, abreast_stream_clone, abreast_stream_free, abreast_stream_new,
    abreast_stream_position, abreast_stream_seek,
};
use crate::modes::xts::abreast_xts_new;
use crate::names::Text;
use crate::packets::operations::abreast_packets;
use crate::packets::{Items, PacketItem};
use crate::rc4::{Rc4Stream, abreast_rc4_stream_apply, abreast_rc4_stream_free, abreast_rc4_stream_new};
use crate::status::Status;
use crate::xtea::{abreast_xtea_decrypt, abreast_xtea_encrypt};

const ALIGNMENT: c_int = Status::Alignment as c_int;
const OVERLAP: c_int = Status::Overlap as c_int;
const WRONG_KEY: c_int = Status::WrongKey as c_int;

/// A pointer to something with an address one more.
fn crooked<T>(pointer: *mut T) -> *mut T {
    pointer.wrapping_byte_add(1)
}

#[test]
fn places_that_are_not_aligned() {
    let secret = [1; 16];
    let mut places = [null_mut::<CipherHandle>(); 2];
    let place = Place::from(crooked(places.as_mut_ptr()));
    assert_eq!(
        abreast_cipher_new(Text::from(c"xtea"), In::from(&secret), 16, Text::none(), place),
        ALIGNMENT
    );
    assert_eq!(places, [null_mut(); 2]);

    let xtea = key(c"xtea", 1);
    let iv = [0; 8];
    let ctr = Operation::Ctr64 as c_int;
    let stream: *mut CipherStream =
        made(|place| abreast_stream_new(xtea.into(), ctr, In::from(&iv), 8, place));
    let mut numbers = [0_u64; 2];
    let place = Place::from(crooked(numbers.as_mut_ptr()));
    assert_eq!(abreast_stream_position(stream.into(), place), ALIGNMENT);
    let mut data = [7_u8; 16];
    let memory = data.as_mut_ptr();
    let (input, output) = (In::from(memory.cast_const()), Out::from(memory));
    assert_eq!(abreast_stream_apply(crooked(stream).into(), input, output, 16), ALIGNMENT);

    let mut lens = [0_usize; 2];
    let start = lens.as_mut_ptr();
    let place = || Place::from(crooked(start));
    let buffer = || Out::from(memory);
    let padded = abreast_cbc_encrypt_padded(xtea.into(), In::from(&iv), 8, buffer(), 16, 5, place());
    assert_eq!(padded, ALIGNMENT);
    let plain = abreast_cbc_decrypt_padded(xtea.into(), In::from(&iv), 8, buffer(), 16, place());
    assert_eq!(plain, ALIGNMENT);
    assert_eq!((numbers, data, lens), ([0; 2], [7; 16], [0; 2]));
    abreast_stream_free(crooked(stream).into());
    abreast_stream_free(stream.into());
    abreast_cipher_free(crooked(xtea).into());
    abreast_cipher_free(xtea.into());
}

#[test]
fn handles_that_are_none() {
    let mut data = [7_u8; 16];
    let memory = data.as_mut_ptr();
    let xtea = key(c"xtea", 1);
    let secret = [1; 16];
    let aez: *mut AeadHandle = made(|place| abreast_aez_new(In::from(&secret), 16, Text::none(), place));
    for other in [crooked(xtea), aez.cast()] {
        assert_eq!(encrypt_blocks(other, memory.cast_const(), memory, 16), WRONG_KEY);
    }
    let mut place = null_mut();
    let status = abreast_xts_new(aez.cast::<CipherHandle>().into(), xtea.into(), Place::from(&raw mut place));
    assert_eq!((status, place), (WRONG_KEY, null_mut()));
    let items = [xtea.cast(), crooked(xtea).cast(), aez, null_mut()].map(|key| packet(key, null_mut(), 0));
    let status = batch(Operation::EcbEncrypt, &items);
    let each = items.map(|item| item.status.get());
    assert_eq!(status, Status::Batch as c_int);
    assert_eq!(each, [OK, WRONG_KEY, WRONG_KEY, Status::NullPointer as c_int]);
    assert_eq!(data, [7; 16]);
    abreast_cipher_free(aez.cast::<CipherHandle>().into());
    abreast_aead_free(aez.into());
    abreast_cipher_free(xtea.into());
}

/// Every call on a stream with a handle of each other type, of a key or a stream.
#[test]
fn handles_of_another_type_in_place_of_streams() {
    let (secret, iv) = ([1; 16], [9; 16]);
    let cipher = key(c"xtea", 1);
    let eax = made(|place| abreast_eax_new(cipher.into(), place));
    let cmac = made(|place| abreast_cmac_new(cipher.into(), place));
    let ctr = Operation::Ctr64 as c_int;
    let stream = made(|place| abreast_stream_new(cipher.into(), ctr, In::from(&iv), 8, place));
    let none = || In::from(std::ptr::null());
    let aead: *mut AeadStream =
        made(|place| abreast_aead_stream_new(eax.into(), 0, In::from(&iv), 8, none(), 0, place));
    let ecb = Operation::EcbEncrypt as c_int;
    let padded = made(|place| abreast_padded_stream_new(cipher.into(), ecb, 1, none(), 0, place));
    let pieces = made(|place| abreast_cmac_stream_new(cmac.into(), place));
    let rc4 = made(|place| abreast_rc4_stream_new(In::from(&secret), 16, place));

    let mut data = [7_u8; 16];
    let memory = data.as_mut_ptr();
    let input = || In::from(memory.cast_const());
    let output = || Out::from(memory);
    // The type that each call is for, by its place among the handles.
    let update = |which: usize, other: *mut c_void| match which {
        0 => abreast_stream_apply(other.cast::<CipherStream>().into(), input(), output(), 16),
        1 => abreast_aead_stream_update(other.cast::<AeadStream>().into(), input(), output(), 16),
        2 => {
            let mut written = 0;
            let (stream, written) = (other.cast::<PaddedStream>(), Place::from(&raw mut written));
            abreast_padded_stream_update(stream.into(), input(), 16, output(), 16, written)
        }
        3 => abreast_cmac_stream_update(other.cast::<CmacStream>().into(), input(), 16),
        _ => abreast_rc4_stream_apply(other.cast::<Rc4Stream>().into(), input(), output(), 16),
    };
    let clone = |which: usize, other: *mut c_void| {
        let mut place = null_mut::<c_void>();
        let at = &raw mut place;
        match which {
            0 => abreast_stream_clone(other.cast::<CipherStream>().into(), Place::from(at.cast())),
            1 => abreast_aead_stream_clone(other.cast::<AeadStream>().into(), Place::from(at.cast())),
            2 => abreast_padded_stream_clone(other.cast::<PaddedStream>().into(), Place::from(at.cast())),
            _ => abreast_cmac_stream_clone(other.cast::<CmacStream>().into(), Place::from(at.cast())),
        }
    };
    let free = |which: usize, other: *mut c_void| match which {
        0 => abreast_stream_free(other.cast::<CipherStream>().into()),
        1 => abreast_aead_stream_free(other.cast::<AeadStream>().into()),
        2 => abreast_padded_stream_free(other.cast::<PaddedStream>().into()),
        3 => abreast_cmac_stream_free(other.cast::<CmacStream>().into()),
        _ => abreast_rc4_stream_free(other.cast::<Rc4Stream>().into()),
    };
    let streams: [*mut c_void; 5] = [stream.cast(), aead.cast(), padded.cast(), pieces.cast(), rc4.cast()];
    let keys: [*mut c_void; 3] = [cipher.cast(), eax.cast(), cmac.cast()];
    for which in 0..streams.len() {
        for (at, other) in streams.iter().chain(&keys).enumerate().filter(|(at, _)| *at != which) {
            assert_eq!(update(which, *other), WRONG_KEY, "a call for {which} on {at}");
            if which < 4 {
                assert_eq!(clone(which, *other), WRONG_KEY, "a copy by {which} of {at}");
            }
            free(which, *other);
        }
    }
    assert_eq!(data, [7; 16]);
    // None of them was harmed, and all of them are there.
    for (which, stream) in streams.into_iter().enumerate() {
        assert_eq!(update(which, stream), OK, "{which}");
        free(which, stream);
    }
    abreast_cmac_free(cmac.into());
    abreast_aead_free(eax.into());
    abreast_cipher_free(cipher.into());
}

/// One type of C stands for keys of three modes: each call looks which one it has.
#[test]
fn keys_of_the_right_type_and_another_mode() {
    let (aes, xtea, secret, nonce) = (key(c"aes-128", 1), key(c"xtea", 1), [1; 16], [0; 12]);
    let gcm = made(|place| abreast_gcm_new(aes.into(), place));
    // Miri is quicker with XTEA, whose tags have 8 bytes.
    let eax = made(|place| abreast_eax_new(xtea.into(), place));
    let aez = made(|place| abreast_aez_new(In::from(&secret), 16, Text::none(), place));
    let mut tags = [[0_u8; 16]; 3];
    for ((aead, tag_len), tag) in [(gcm, 16), (eax, 8), (aez, 16)].into_iter().zip(&mut tags) {
        let mut data = [7_u8; 20];
        let (memory, tag) = (data.as_mut_ptr(), tag.as_mut_ptr());
        let io = || (In::from(memory.cast_const()), Out::from(memory), 20);
        let nonce = || (In::from(&nonce), 12);
        let ((nonce_at, nonce_len), (input, output, len)) = (nonce(), io());
        let aad = In::from(std::ptr::null());
        let status = abreast_aead_encrypt(
            aead.into(),
            nonce_at,
            nonce_len,
            aad,
            0,
            input,
            output,
            len,
            Out::from(tag),
            tag_len,
        );
        assert_eq!(status, OK);
        let ((nonce_at, nonce_len), (input, output, len)) = (nonce(), io());
        let aad = In::from(std::ptr::null());
        let tag = In::from(tag.cast_const());
        let status =
            abreast_aead_decrypt(aead.into(), nonce_at, nonce_len, aad, 0, input, output, len, tag, tag_len);
        assert_eq!((status, data), (OK, [7; 20]));
    }
    assert!(tags[0] != tags[1] && tags[1] != tags[2] && tags[2] != tags[0]);
    for other in [gcm, eax] {
        let mut tag = [0_u8; 16];
        let (ad, none) = (AdStrings::from(std::ptr::null()), Out::from(null_mut()));
        let (nonce, input) = (In::from(&nonce), In::from(std::ptr::null()));
        let tag = Out::from(tag.as_mut_ptr());
        let status = abreast_aez_encrypt(other.into(), nonce, 12, ad, 0, input, none, 0, tag, 16);
        assert_eq!(status, WRONG_KEY);
    }
    let mut stream = std::ptr::dangling_mut::<AeadStream>();
    let (at, aad) = (In::from(&nonce), In::from(std::ptr::null()));
    let status = abreast_aead_stream_new(aez.into(), 0, at, 12, aad, 0, Place::from(&raw mut stream));
    assert_eq!((status, stream), (WRONG_KEY, null_mut()));
    // A cipher is none of the three, and is left alone.
    abreast_aead_free(aes.cast::<AeadHandle>().into());
    for aead in [gcm, eax, aez, null_mut()] {
        abreast_aead_free(aead.into());
    }
    abreast_cipher_free(aes.into());
    abreast_cipher_free(xtea.into());
}

#[test]
fn operations_of_other_calls() {
    const OPERATION: c_int = Status::Operation as c_int;
    let (xtea, iv) = (key(c"xtea", 1), [0; 8]);
    let mut data = [7_u8; 16];
    let memory = data.as_mut_ptr();
    for other in [Operation::GcmEncrypt as c_int, Operation::CmacVerify as c_int, 0, 26, -1] {
        let (input, output) = (In::from(memory.cast_const()), Out::from(memory));
        let status = abreast_cipher_crypt(xtea.into(), other, In::from(&iv), 8, input, output, 16);
        let mut stream = std::ptr::dangling_mut::<CipherStream>();
        let place = Place::from(&raw mut stream);
        assert_eq!(abreast_stream_new(xtea.into(), other, In::from(&iv), 8, place), OPERATION);
        assert_eq!((status, stream), (OPERATION, null_mut()));
    }
    // ECB has no vector.
    let (input, output) = (In::from(memory.cast_const()), Out::from(memory));
    let ecb = Operation::EcbEncrypt as c_int;
    let status = abreast_cipher_crypt(xtea.into(), ecb, In::from(&iv), 8, input, output, 16);
    assert_eq!((status, data), (Status::IvLength as c_int, [7; 16]));
    // No stream but one in counter mode has a place to go to.
    for operation in [Operation::Ofb, Operation::CbcDecrypt, Operation::Cfb8Encrypt] {
        let made = |place| abreast_stream_new(xtea.into(), operation as c_int, In::from(&iv), 8, place);
        let stream: *mut CipherStream = super::made(made);
        let mut position = 7;
        assert_eq!(abreast_stream_seek(stream.into(), 0), OPERATION);
        let place = Place::from(&raw mut position);
        assert_eq!((abreast_stream_position(stream.into(), place), position), (OPERATION, 7));
        abreast_stream_free(stream.into());
    }
    abreast_cipher_free(xtea.into());
}

#[test]
fn a_handle_where_the_key_was() {
    let mut memory = [null_mut::<CipherHandle>(); 2];
    let start = memory.as_mut_ptr();
    let status = abreast_cipher_new(
        Text::from(c"xtea"),
        In::from(start.cast::<u8>().cast_const()),
        16,
        Text::none(),
        Place::from(start),
    );
    assert_eq!((status, memory[1]), (OK, null_mut()));
    let zeros = [0; 16];
    let expected =
        made(|place| abreast_cipher_new(Text::from(c"xtea"), In::from(&zeros), 16, Text::none(), place));
    let blocks = [memory[0], expected].map(|key| {
        let mut block = [0_u8; 8];
        let place = block.as_mut_ptr();
        assert_eq!(encrypt_blocks(key, place.cast_const(), place, 8), OK);
        block
    });
    assert_eq!(blocks[0], blocks[1]);
    abreast_cipher_free(memory[0].into());
    abreast_cipher_free(expected.into());
}

#[test]
fn outputs_over_what_is_read() {
    let iv = [0; 8];
    // A length within the buffer, and over the vector.
    let xtea = key(c"xtea", 1);
    let mut words = [7_usize; 4];
    let start = words.as_mut_ptr();
    let bytes = start.cast::<u8>();
    for at in 0..2 {
        let place = || Place::from(start.wrapping_add(at));
        let buffer = || Out::from(bytes);
        let padded = abreast_cbc_encrypt_padded(xtea.into(), In::from(&iv), 8, buffer(), 16, 5, place());
        let plain = abreast_cbc_decrypt_padded(xtea.into(), In::from(&iv), 8, buffer(), 16, place());
        assert_eq!((padded, plain), (OVERLAP, OVERLAP));
    }
    let over_iv = In::from(bytes.cast_const());
    let (place, buffer) = (Place::from(start), Out::from(bytes.wrapping_add(16)));
    assert_eq!(abreast_cbc_decrypt_padded(xtea.into(), over_iv, 8, buffer, 16, place), OVERLAP);
    assert_eq!(words, [7; 4]);

    // The output over round keys.
    let mut round_keys = [7_u32; 64];
    let start = round_keys.as_mut_ptr();
    for run in [abreast_xtea_encrypt, abreast_xtea_decrypt] {
        let place = start.cast::<u8>().wrapping_add(248);
        let (input, output) = (In::from(place.cast_const()), Out::from(place));
        assert_eq!(run(Words::from(start.cast_const()), input, output, 8), OVERLAP);
    }
    assert_eq!(round_keys, [7; 64]);

    // The output, and the tag, over the array of strings.
    let secret = [1; 16];
    let aez: *mut AeadHandle = made(|place| abreast_aez_new(In::from(&secret), 16, Text::none(), place));
    let string = [5; 4];
    let mut strings =
        [AdString { data: In::from(&string), len: 4 }, AdString { data: In::from(&string), len: 4 }];
    let array = strings.as_mut_ptr();
    let mut data = [7_u8; 32];
    let (over, apart) = (array.wrapping_add(1).cast::<u8>(), data.as_mut_ptr());
    for (output, tag) in [(over, apart.wrapping_add(16)), (apart, over)] {
        let status = abreast_aez_encrypt(
            aez.into(),
            In::from(&iv),
            8,
            AdStrings::from(array.cast_const()),
            2,
            In::from(apart.cast_const()),
            Out::from(output),
            16,
            Out::from(tag),
            16,
        );
        assert_eq!(status, OVERLAP);
    }
    assert_eq!((data, strings[1].len), ([7; 32], 4));
    abreast_aead_free(aez.into());
    abreast_cipher_free(xtea.into());
}

#[test]
fn outputs_over_descriptors() {
    let xtea = key(c"xtea", 1);
    let mut items = [0, 8].map(|len| PacketItem { status: Cell::new(OK), ..packet(xtea, null_mut(), len) });
    let array = items.as_mut_ptr();
    let plain = [7; 8];
    // The second writes to where the first lies.
    items[1].input = In::from(&plain);
    items[1].output = Out::from(array.cast());
    let status = batch(Operation::EcbEncrypt, &items);
    let each = items.map(|item| item.status.get());
    assert_eq!((status, each), (Status::Batch as c_int, [OK, OVERLAP]));
    abreast_cipher_free(xtea.into());
}

#[test]
fn descriptors_of_another_size() {
    let xtea = key(c"xtea", 1);
    let items = [packet(xtea, null_mut(), 0)];
    let size = size_of::<PacketItem>();
    for other in [0, 1, size - 8, size + 1, size + 8, 2 * size, usize::MAX / 8 * 8] {
        let status = abreast_packets(Operation::EcbEncrypt as c_int, Items::from(&items[..]), 1, other);
        assert_eq!((status, items[0].status.get()), (Status::StructSize as c_int, -1), "{other}");
    }
    abreast_cipher_free(xtea.into());
}

#[test]
fn operations_that_are_none_for_no_packets() {
    for operation in [c_int::MIN, -1, 0, Operation::CfbEncrypt as c_int, 38, c_int::MAX] {
        let packets = abreast_packets(operation, Items::from(&[][..]), 0, size_of::<PacketItem>());
        let keys = abreast_wrap_packets(operation, Items::from(&[][..]), 0, size_of::<WrapItem>());
        assert_eq!([packets, keys], [Status::Operation as c_int; 2], "{operation}");
    }
    let packets = abreast_packets(Operation::Ofb as c_int, Items::from(&[][..]), 0, size_of::<PacketItem>());
    let keys =
        abreast_wrap_packets(Operation::KeyWrap as c_int, Items::from(&[][..]), 0, size_of::<WrapItem>());
    assert_eq!([packets, keys], [OK; 2]);
}
