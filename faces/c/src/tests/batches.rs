//! Batches of every mode as C makes them: from one input to outputs apart from it, and in place; at addresses that are
//! not aligned; and with one tag that several packets compare.

use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::ptr::{from_mut, null, null_mut};

use super::{OK, batch, key, made, packet};
use crate::aez::abreast_aez_new;
use crate::buffers::{In, Out, Place};
use crate::cipher::{CipherHandle, abreast_cipher_free, abreast_cipher_new};
use crate::modes::aead::{abreast_aead_free, abreast_eax_new, abreast_gcm_new};
use crate::modes::cmac::{abreast_cmac_free, abreast_cmac_new};
use crate::modes::key_wrap::{WrapItem, abreast_key_wrap, abreast_wrap_packets};
use crate::modes::operation::Operation;
use crate::modes::xts::{abreast_xts_free, abreast_xts_new};
use crate::names::Text;
use crate::packets::{Items, PacketItem};
use crate::rc4::{Rc4Message, abreast_rc4_apply_keys};
use crate::status::Status;

const PACKETS: usize = 3;
/// The longest message, and the byte in front of it so that it is not aligned.
const MEMORY: usize = 40;
/// The longest tag, and the byte in front of it so that it is not aligned.
const TAG: usize = 17;

/// The key, the lengths and the operations of packets of a mode.
struct Shape {
    key: *const c_void,
    iv_len: usize,
    /// The first two are alike, so that their tags are.
    lens: [usize; PACKETS],
    tag_len: usize,
    /// True if a wrong tag is tried.
    wrong_tag: bool,
    encrypt: Operation,
    decrypt: Operation,
}

/// Runs a batch, and gives the status of each packet.
fn statuses(operation: Operation, items: &[PacketItem]) -> Vec<Status> {
    let status = batch(operation, items);
    let all = [Status::Ok, Status::TagMismatch, Status::NotProcessed];
    let of = |number: c_int| all.into_iter().find(|known| *known as c_int == number).expect("another status");
    let each: Vec<Status> = items.iter().map(|item| of(item.status.get())).collect();
    let expected = if each.iter().all(|status| *status == Status::Ok) { Status::Ok } else { Status::Batch };
    assert_eq!(status, expected as c_int);
    each
}

/// Keys wrapped and unwrapped, alone and as a batch of which one has no key and one overlaps its input.
#[test]
fn wrapped_keys() {
    let wrapping = key(c"aes-128", 7);
    let mut keys = [[5_u8; 17]; PACKETS];
    let mut wrapped = [[0_u8; 24]; PACKETS];
    let mut written = 0_usize;
    let mut one = |operation: Operation, input: *const u8, len, output: *mut u8, output_len| {
        abreast_key_wrap(
            wrapping.into(),
            operation as c_int,
            In::from(input),
            len,
            Out::from(output),
            output_len,
            Place::from(&raw mut written),
        )
    };
    assert_eq!(
        one(
            Operation::KeyWrapPadded,
            keys[0].as_ptr().wrapping_add(1),
            13,
            from_mut(&mut wrapped[0]).cast(),
            24
        ),
        OK
    );
    assert_eq!(
        one(Operation::KeyUnwrapPadded, wrapped[0].as_ptr(), 24, from_mut(&mut keys[1]).cast(), 16),
        OK
    );
    assert_eq!((written, keys[1][..13] == [5; 13], keys[1][13..16] == [0; 3]), (13, true, true));
    let item = |key: *mut CipherHandle, input: *const u8, output: *mut u8| WrapItem {
        key: key.into(),
        input: In::from(input),
        len: 16,
        output: Out::from(output),
        output_len: 24,
        written: Cell::new(0),
        status: Cell::new(0),
    };
    let places = wrapped.each_mut().map(|place| from_mut(place).cast::<u8>());
    let input = keys[0].as_ptr().wrapping_add(1);
    let items = [
        item(wrapping, input, places[0]),
        item(null_mut(), input, places[1]),
        item(wrapping, places[2].wrapping_add(3).cast_const(), places[2]),
    ];
    let status = abreast_wrap_packets(
        Operation::KeyWrap as c_int,
        Items::from(&items[..]),
        PACKETS,
        size_of::<WrapItem>(),
    );
    let statuses = items.each_ref().map(|item| item.status.get());
    let expected = [Status::Ok, Status::NullPointer, Status::Overlap].map(|status| status as c_int);
    assert_eq!((status, statuses, items[0].written.get()), (Status::Batch as c_int, expected, 24));
    abreast_cipher_free(wrapping.into());
}

/// Packets there and back.
fn there_and_back(shape: &Shape) {
    let (plain, iv) = ([0x5a_u8; MEMORY], [9_u8; 17]);
    let mut sealed = [[0_u8; MEMORY]; PACKETS];
    let mut tags = [[0_u8; TAG]; PACKETS];
    let item = |n: usize, input: *const u8, output: *mut u8, tag: *mut u8| PacketItem {
        key: shape.key,
        iv: In::from(iv.as_ptr().wrapping_add(1)),
        iv_len: shape.iv_len,
        input: In::from(input.wrapping_add(1)),
        output: Out::from(output.wrapping_add(1)),
        len: shape.lens[n],
        tag: Out::from(tag.wrapping_add(1)),
        tag_len: shape.tag_len,
        ..packet(null::<CipherHandle>().cast_mut(), output, 0)
    };

    // From one input.
    let outputs = sealed.each_mut().map(|bytes| bytes.as_mut_ptr());
    let own_tags = tags.each_mut().map(|bytes| bytes.as_mut_ptr());
    let items: Vec<_> = (0..PACKETS).map(|n| item(n, plain.as_ptr(), outputs[n], own_tags[n])).collect();
    assert_eq!(statuses(shape.encrypt, &items), [Status::Ok; PACKETS]);
    assert_eq!((sealed[0], tags[0]), (sealed[1], tags[1]));
    assert!(sealed[0] != [0; MEMORY] && (shape.tag_len == 0 || tags[2] != [0; TAG]));

    // A wrong tag, which the first two compare.
    if shape.wrong_tag {
        tags[0][1] ^= 1;
        let mut opened = [[0xee_u8; MEMORY]; PACKETS];
        let inputs = sealed.each_ref().map(|bytes| bytes.as_ptr());
        let outputs = opened.each_mut().map(|bytes| bytes.as_mut_ptr());
        let own_tags = tags.each_mut().map(|bytes| bytes.as_mut_ptr());
        let shared = [own_tags[0], own_tags[0], own_tags[2]];
        let items: Vec<_> = (0..PACKETS).map(|n| item(n, inputs[n], outputs[n], shared[n])).collect();
        let expected = [Status::TagMismatch, Status::TagMismatch, Status::Ok];
        assert_eq!(statuses(shape.decrypt, &items), expected);
        for (opened, len) in opened.iter().zip(shape.lens).take(2) {
            assert_eq!(opened[1..=len], [0; MEMORY][1..=len]);
        }
        tags[0][1] ^= 1;
    }

    // In place, by one tag.
    let memory = sealed.each_mut().map(|bytes| bytes.as_mut_ptr());
    let own_tags = tags.each_mut().map(|bytes| bytes.as_mut_ptr());
    let shared = [own_tags[0], own_tags[0], own_tags[2]];
    let items: Vec<_> = (0..PACKETS).map(|n| item(n, memory[n].cast_const(), memory[n], shared[n])).collect();
    assert_eq!(statuses(shape.decrypt, &items), [Status::Ok; PACKETS]);
    for (opened, len) in sealed.iter().zip(shape.lens) {
        assert_eq!(opened[1..=len], plain[1..=len]);
    }
}

#[test]
fn modes_without_tags() {
    let xtea = key(c"xtea", 1);
    let modes: [(usize, [usize; PACKETS], Operation, Operation); 6] = [
        (0, [32, 32, 16], Operation::EcbEncrypt, Operation::EcbDecrypt),
        (8, [32, 32, 16], Operation::CbcEncrypt, Operation::CbcDecrypt),
        (8, [33, 33, 5], Operation::Ctr16, Operation::Ctr16),
        (8, [33, 33, 5], Operation::Ctr32, Operation::Ctr32),
        (8, [33, 33, 5], Operation::Ctr64, Operation::Ctr64),
        (8, [33, 33, 5], Operation::Ofb, Operation::Ofb),
    ];
    // The widths of the counter differ in the library alone: where Miri follows pointers, one is enough.
    let widths = [Operation::Ctr16, Operation::Ctr64];
    for (iv_len, lens, encrypt, decrypt) in modes {
        if cfg!(miri) && widths.contains(&encrypt) {
            continue;
        }
        // They share the fields that they have no use for, too.
        let key = xtea.cast_const().cast();
        there_and_back(&Shape { key, iv_len, lens, tag_len: 0, wrong_tag: false, encrypt, decrypt });
    }
    abreast_cipher_free(xtea.into());
}

#[test]
fn modes_with_tags_over_any_cipher() {
    let xtea = key(c"xtea", 1);
    let eax = made(|place| abreast_eax_new(xtea.into(), place));
    there_and_back(&Shape {
        key: eax.cast_const().cast(),
        iv_len: 5,
        lens: [33, 33, 5],
        tag_len: 8,
        wrong_tag: true,
        encrypt: Operation::EaxEncrypt,
        decrypt: Operation::EaxDecrypt,
    });
    let cmac = made(|place| abreast_cmac_new(xtea.into(), place));
    let mut tag = [0_u8; TAG];
    let message = [7_u8; 20];
    let item = |tag: *mut u8| PacketItem {
        aad: In::from(&message),
        aad_len: message.len(),
        tag: Out::from(tag.wrapping_add(1)),
        tag_len: 8,
        ..packet(cmac, null_mut(), 0)
    };
    assert_eq!(statuses(Operation::Cmac, &[item(tag.as_mut_ptr())]), [Status::Ok]);
    let shared = tag.as_mut_ptr();
    let items: Vec<_> = (0..PACKETS).map(|_| item(shared)).collect();
    assert_eq!(statuses(Operation::CmacVerify, &items), [Status::Ok; PACKETS]);
    abreast_cipher_free(xtea.into());
    abreast_aead_free(eax.into());
    abreast_cmac_free(cmac.into());
}

#[test]
#[cfg_attr(miri, ignore = "half a minute there, with the pointers of other modes; `--long` runs it")]
fn modes_over_wide_blocks() {
    let [data, tweak] = [1, 2].map(|byte| {
        let bytes = [byte; 16];
        made(|place| {
            abreast_cipher_new(Text::from(c"serpent-128"), In::from(&bytes), 16, Text::none(), place)
        })
    });
    let gcm = made(|place| abreast_gcm_new(data.into(), place));
    there_and_back(&Shape {
        key: gcm.cast_const().cast(),
        iv_len: 12,
        lens: [33, 33, 5],
        tag_len: 16,
        // Miri takes seconds for each batch, and has the wrong tags of EAX.
        wrong_tag: !cfg!(miri),
        encrypt: Operation::GcmEncrypt,
        decrypt: Operation::GcmDecrypt,
    });
    let xts = made(|place| abreast_xts_new(data.into(), tweak.into(), place));
    there_and_back(&Shape {
        key: xts.cast_const().cast(),
        iv_len: 16,
        lens: [33, 33, 16],
        tag_len: 0,
        wrong_tag: false,
        encrypt: Operation::XtsEncrypt,
        decrypt: Operation::XtsDecrypt,
    });
    abreast_cipher_free(data.into());
    abreast_cipher_free(tweak.into());
    abreast_aead_free(gcm.into());
    abreast_xts_free(xts.into());
}

#[test]
#[cfg_attr(miri, ignore = "half a minute there, with the pointers of other modes; `--long` runs it")]
fn aez() {
    let secret = [3; 48];
    let aez = made(|place| abreast_aez_new(In::from(&secret), 48, Text::none(), place));
    there_and_back(&Shape {
        key: aez.cast_const().cast(),
        iv_len: 5,
        lens: [17, 17, 5],
        tag_len: 16,
        // Miri takes half a minute for each batch: there AES rounds are bit-sliced.
        wrong_tag: !cfg!(miri),
        encrypt: Operation::AezEncrypt,
        decrypt: Operation::AezDecrypt,
    });
    abreast_aead_free(aez.into());
}

#[test]
fn messages_of_rc4() {
    let secret = [5; 16];
    let mut data = [[0_u8; 33]; PACKETS];
    let memory = data.each_mut().map(|bytes| from_mut(bytes).cast::<u8>());
    let messages = memory.map(|memory| Rc4Message {
        key: In::from(&secret),
        key_len: 16,
        skip: 1,
        input: In::from(memory.cast_const()),
        output: Out::from(memory),
        len: 33,
        status: Cell::new(-1),
    });
    let size = size_of::<Rc4Message>();
    assert_eq!(abreast_rc4_apply_keys(Items::from(messages.as_slice()), PACKETS, size), OK);
    assert!(messages.iter().all(|message| message.status.get() == OK));
    assert!(data[0] != [0; 33] && data[0] == data[1] && data[1] == data[2]);
}
