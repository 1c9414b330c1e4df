//! Keys of modes and streams in memory of the caller: they do what those in memory of the library do, leave nothing when they
//! are freed, and refuse memory that will not do.

use std::ffi::{c_int, c_void};
use std::ptr::{null, null_mut};

use super::{OK, key, made};
use crate::aez::{abreast_aez_init, abreast_aez_new, abreast_aez_size};
use crate::buffers::{In, Out, Place};
use crate::cipher::{CipherHandle, abreast_cipher_free, abreast_cipher_new};
use crate::modes::aead::{
    AeadHandle, abreast_aead_encrypt, abreast_aead_free, abreast_eax_init, abreast_eax_new, abreast_eax_size,
    abreast_gcm_init, abreast_gcm_new, abreast_gcm_siv_init, abreast_gcm_siv_new, abreast_gcm_siv_size,
    abreast_gcm_size, abreast_siv_init, abreast_siv_new, abreast_siv_size,
};
use crate::modes::aead_stream::{
    AeadStream, abreast_aead_stream_begin, abreast_aead_stream_clone, abreast_aead_stream_finish,
    abreast_aead_stream_free, abreast_aead_stream_init, abreast_aead_stream_new_idle,
    abreast_aead_stream_size, abreast_aead_stream_update,
};
use crate::modes::cmac::{
    CmacHandle, CmacStream, abreast_cmac_free, abreast_cmac_new, abreast_cmac_stream_finish,
    abreast_cmac_stream_free, abreast_cmac_stream_init, abreast_cmac_stream_new, abreast_cmac_stream_size,
    abreast_cmac_stream_update,
};
use crate::modes::hmac::{
    HmacHandle, HmacStream, abreast_hmac_free, abreast_hmac_sha1_new, abreast_hmac_sha256_new,
    abreast_hmac_stream_finish, abreast_hmac_stream_free, abreast_hmac_stream_init, abreast_hmac_stream_new,
    abreast_hmac_stream_size, abreast_hmac_stream_update,
};
use crate::modes::operation::{Operation, WhichWay};
use crate::modes::padded::{
    PaddedStream, abreast_padded_stream_finish, abreast_padded_stream_free, abreast_padded_stream_init,
    abreast_padded_stream_new, abreast_padded_stream_size, abreast_padded_stream_update,
};
use crate::modes::stream::{
    CipherStream, abreast_stream_apply, abreast_stream_free, abreast_stream_init, abreast_stream_new,
    abreast_stream_size,
};
use crate::names::Text;
use crate::rc4::{
    Rc4Stream, abreast_rc4_stream_apply, abreast_rc4_stream_free, abreast_rc4_stream_init,
    abreast_rc4_stream_new, abreast_rc4_stream_size,
};
use crate::status::Status;

/// Bytes that a caller's memory has before.
const BEFORE: u8 = 0xa5;
const SECRET: [u8; 32] = [0x3c; 32];
const IV: [u8; 16] = [9; 16];

/// The handles that keys of modes and streams are made of.
struct Made {
    aes: *mut CipherHandle,
    xtea: *mut CipherHandle,
    gcm: *mut AeadHandle,
    cmac: *mut CmacHandle,
    hmacs: [*mut HmacHandle; 2],
}

/// A kind of handle: its size, how it is made in a caller's memory and elsewhere, what it computes, and its end.
struct Kind {
    name: &'static str,
    size: extern "C" fn() -> usize,
    init: fn(&Made, Out, usize, Place<*mut c_void>) -> c_int,
    new: fn(&Made, Place<*mut c_void>) -> c_int,
    run: fn(*mut c_void) -> Vec<u8>,
    free: fn(*mut c_void),
}

/// The place of a handle of another type: pointers all have one layout.
fn at<H>(place: Place<*mut c_void>) -> Place<*mut H> {
    Place::from(place.pointer().cast())
}

fn iv() -> In {
    In::from(&IV)
}

fn secret() -> In {
    In::from(&SECRET)
}

/// A message under a key of a mode.
fn sealed(aead: *mut c_void) -> Vec<u8> {
    let mut all = vec![7; 40 + 8];
    let text = all.as_mut_ptr();
    let (input, output, tag) =
        (In::from(text.cast_const()), Out::from(text), Out::from(text.wrapping_add(40)));
    let aead = aead.cast::<AeadHandle>();
    let (aad, mut whole) = (In::from(&SECRET), [0; 16]);
    let mut status = abreast_aead_encrypt(aead.into(), iv(), 12, aad, 32, input, output, 40, tag, 8);
    if status == Status::TagLength as c_int {
        let (input, output) = (In::from(text.cast_const()), Out::from(text));
        let tag = Out::from(whole.as_mut_ptr());
        status =
            abreast_aead_encrypt(aead.into(), iv(), 12, In::from(&SECRET), 32, input, output, 40, tag, 16);
    }
    assert_eq!(status, OK);
    all.extend(whole);
    all
}

/// A piece of a stream in place, by a function for it.
fn piece(apply: impl FnOnce(In, Out, usize) -> c_int) -> Vec<u8> {
    let mut data = vec![7; 40];
    let text = data.as_mut_ptr();
    assert_eq!(apply(In::from(text.cast_const()), Out::from(text), 40), OK);
    data
}

fn tag(end: impl FnOnce(Out) -> c_int) -> [u8; 8] {
    let mut tag = [0; 8];
    assert_eq!(end(Out::from(tag.as_mut_ptr())), OK);
    tag
}

const CTR: c_int = Operation::Ctr64 as c_int;
const CBC: c_int = Operation::CbcEncrypt as c_int;

const KINDS: &[Kind] = &[
    Kind {
        name: "GCM",
        size: abreast_gcm_size,
        init: |made, memory, size, place| abreast_gcm_init(memory, size, made.aes.into(), at(place)),
        new: |made, place| abreast_gcm_new(made.aes.into(), at(place)),
        run: sealed,
        free: |aead| abreast_aead_free(aead.cast::<AeadHandle>().into()),
    },
    Kind {
        name: "EAX",
        size: abreast_eax_size,
        init: |made, memory, size, place| abreast_eax_init(memory, size, made.xtea.into(), at(place)),
        new: |made, place| abreast_eax_new(made.xtea.into(), at(place)),
        run: sealed,
        free: |aead| abreast_aead_free(aead.cast::<AeadHandle>().into()),
    },
    Kind {
        name: "GCM-SIV",
        size: abreast_gcm_siv_size,
        init: |_, memory, size, place| {
            abreast_gcm_siv_init(memory, size, secret(), 16, Text::none(), at(place))
        },
        new: |_, place| abreast_gcm_siv_new(secret(), 16, Text::none(), at(place)),
        run: sealed,
        free: |aead| abreast_aead_free(aead.cast::<AeadHandle>().into()),
    },
    Kind {
        name: "SIV",
        size: abreast_siv_size,
        init: |made, memory, size, place| {
            abreast_siv_init(memory, size, made.aes.into(), made.aes.into(), at(place))
        },
        new: |made, place| abreast_siv_new(made.aes.into(), made.aes.into(), at(place)),
        run: sealed,
        free: |aead| abreast_aead_free(aead.cast::<AeadHandle>().into()),
    },
    Kind {
        name: "AEZ",
        size: abreast_aez_size,
        init: |_, memory, size, place| abreast_aez_init(memory, size, secret(), 32, Text::none(), at(place)),
        new: |_, place| abreast_aez_new(secret(), 32, Text::none(), at(place)),
        run: sealed,
        free: |aead| abreast_aead_free(aead.cast::<AeadHandle>().into()),
    },
    Kind {
        name: "a stream",
        size: abreast_stream_size,
        init: |made, memory, size, place| {
            abreast_stream_init(memory, size, made.xtea.into(), CTR, iv(), 8, at(place))
        },
        new: |made, place| abreast_stream_new(made.xtea.into(), CTR, iv(), 8, at(place)),
        run: |stream| {
            let stream = stream.cast::<CipherStream>();
            piece(|input, output, len| abreast_stream_apply(stream.into(), input, output, len))
        },
        free: |stream| abreast_stream_free(stream.cast::<CipherStream>().into()),
    },
    Kind {
        name: "a padded stream",
        size: abreast_padded_stream_size,
        init: |made, memory, size, place| {
            abreast_padded_stream_init(memory, size, made.xtea.into(), CBC, 1, iv(), 8, at(place))
        },
        new: |made, place| abreast_padded_stream_new(made.xtea.into(), CBC, 1, iv(), 8, at(place)),
        run: |stream| {
            let (stream, mut out, mut done) = (stream.cast::<PaddedStream>(), [0; 64], [0; 2]);
            let (output, written) = (out.as_mut_ptr(), done.as_mut_ptr());
            let update = |output, written| {
                abreast_padded_stream_update(stream.into(), secret(), 29, output, 48, written)
            };
            assert_eq!(update(Out::from(output), Place::from(written)), OK);
            let (rest, written) = (Out::from(output.wrapping_add(48)), Place::from(written.wrapping_add(1)));
            assert_eq!(abreast_padded_stream_finish(stream.into(), rest, 16, written), OK);
            assert_eq!(done, [24, 8]);
            out.to_vec()
        },
        free: |stream| abreast_padded_stream_free(stream.cast::<PaddedStream>().into()),
    },
    Kind {
        name: "a stream with a tag",
        size: abreast_aead_stream_size,
        init: |made, memory, size, place| abreast_aead_stream_init(memory, size, made.gcm.into(), at(place)),
        new: |made, place| abreast_aead_stream_new_idle(made.gcm.into(), at(place)),
        run: |stream| {
            let stream = stream.cast::<AeadStream>();
            let way = WhichWay::Encrypt as c_int;
            assert_eq!(abreast_aead_stream_begin(stream.into(), way, iv(), 12, secret(), 32), OK);
            let first =
                piece(|input, output, len| abreast_aead_stream_update(stream.into(), input, output, len));
            // A copy is in memory of the library.
            let copy: *mut AeadStream = made(|place| abreast_aead_stream_clone(stream.into(), place));
            let mut tags = [stream, copy].map(|stream| {
                let mut tag = [0; 16];
                let place = Out::from(tag.as_mut_ptr());
                assert_eq!(abreast_aead_stream_finish(stream.into(), place, 16), OK);
                tag
            });
            abreast_aead_stream_free(copy.into());
            assert_eq!(tags[0], tags[1]);
            [first.as_slice(), &std::mem::take(&mut tags[0])].concat()
        },
        free: |stream| abreast_aead_stream_free(stream.cast::<AeadStream>().into()),
    },
    Kind {
        name: "a stream of CMAC",
        size: abreast_cmac_stream_size,
        init: |made, memory, size, place| abreast_cmac_stream_init(memory, size, made.cmac.into(), at(place)),
        new: |made, place| abreast_cmac_stream_new(made.cmac.into(), at(place)),
        run: |stream| {
            let stream = stream.cast::<CmacStream>();
            assert_eq!(abreast_cmac_stream_update(stream.into(), secret(), 29), OK);
            tag(|tag| abreast_cmac_stream_finish(stream.into(), tag, 8)).to_vec()
        },
        free: |stream| abreast_cmac_stream_free(stream.cast::<CmacStream>().into()),
    },
    Kind {
        name: "a stream of HMAC-SHA-1",
        size: abreast_hmac_stream_size,
        init: |made, memory, size, place| {
            abreast_hmac_stream_init(memory, size, made.hmacs[0].into(), at(place))
        },
        new: |made, place| abreast_hmac_stream_new(made.hmacs[0].into(), at(place)),
        run: hmac_tag,
        free: |stream| abreast_hmac_stream_free(stream.cast::<HmacStream>().into()),
    },
    Kind {
        name: "a stream of HMAC-SHA-256",
        size: abreast_hmac_stream_size,
        init: |made, memory, size, place| {
            abreast_hmac_stream_init(memory, size, made.hmacs[1].into(), at(place))
        },
        new: |made, place| abreast_hmac_stream_new(made.hmacs[1].into(), at(place)),
        run: hmac_tag,
        free: |stream| abreast_hmac_stream_free(stream.cast::<HmacStream>().into()),
    },
    Kind {
        name: "a stream of RC4",
        size: abreast_rc4_stream_size,
        init: |_, memory, size, place| abreast_rc4_stream_init(memory, size, secret(), 32, at(place)),
        new: |_, place| abreast_rc4_stream_new(secret(), 32, at(place)),
        run: |stream| {
            let stream = stream.cast::<Rc4Stream>();
            piece(|input, output, len| abreast_rc4_stream_apply(stream.into(), input, output, len))
        },
        free: |stream| abreast_rc4_stream_free(stream.cast::<Rc4Stream>().into()),
    },
];

fn hmac_tag(stream: *mut c_void) -> Vec<u8> {
    let stream = stream.cast::<HmacStream>();
    assert_eq!(abreast_hmac_stream_update(stream.into(), secret(), 29), OK);
    tag(|tag| abreast_hmac_stream_finish(stream.into(), tag, 8)).to_vec()
}

/// Runs something with the handles that others are made of.
fn with_handles(run: impl FnOnce(&Made)) {
    let (aes, xtea) = (key(c"aes-128", 5), key(c"xtea", 6));
    let made = Made {
        aes,
        xtea,
        gcm: made(|place| abreast_gcm_new(aes.into(), place)),
        cmac: made(|place| abreast_cmac_new(xtea.into(), place)),
        hmacs: [
            made(|place| abreast_hmac_sha1_new(secret(), 20, Text::none(), place)),
            made(|place| abreast_hmac_sha256_new(secret(), 32, Text::none(), place)),
        ],
    };
    run(&made);
    abreast_aead_free(made.gcm.into());
    abreast_cmac_free(made.cmac.into());
    for hmac in made.hmacs {
        abreast_hmac_free(hmac.into());
    }
    abreast_cipher_free(aes.into());
    abreast_cipher_free(xtea.into());
}

#[test]
fn they_compute_the_same_and_leave_zeros() {
    with_handles(|handles| {
        for kind in KINDS {
            let elsewhere = made(|place| (kind.new)(handles, place));
            let expected = (kind.run)(elsewhere);
            (kind.free)(elsewhere);
            let size = (kind.size)();
            for from in if cfg!(miri) { &[3][..] } else { &[0, 1, 8, 31, 63, 64] } {
                let mut memory = vec![BEFORE; from + size + 64];
                let start = memory.as_mut_ptr();
                let room = start.wrapping_add(*from);
                let handle = made(|place| (kind.init)(handles, Out::from(room), size, place));
                let inside = handle.addr().wrapping_sub(room.addr());
                assert!(inside < 64, "{} begins at {inside}", kind.name);
                assert_eq!((kind.run)(handle), expected, "{}", kind.name);
                (kind.free)(handle);
                // Each byte is as it was, or was wiped, and those that are the handle's are.
                let used: Vec<_> = memory.iter().enumerate().filter(|(_, byte)| **byte != BEFORE).collect();
                assert!(used.iter().all(|(_, byte)| **byte == 0), "{} leaves something", kind.name);
                let ends = [used.first(), used.last()].map(|end| end.expect("some bytes").0);
                assert_eq!(ends[0], from + inside, "{}", kind.name);
                assert!(ends[1] < from + size, "{} wrote beyond its memory", kind.name);
                assert_eq!(used.len(), ends[1] - ends[0] + 1, "{} leaves gaps", kind.name);
                assert!(size - used.len() < 64, "{} takes {} of {size}", kind.name, used.len());
            }
        }
    });
}

#[test]
fn memory_that_will_not_do() {
    with_handles(|handles| {
        for kind in KINDS {
            let size = (kind.size)();
            let mut memory = vec![BEFORE; size + 128];
            let start = memory.as_mut_ptr();
            let mut handle = start.cast::<c_void>();
            let place = &raw mut handle;
            for from in if cfg!(miri) { &[1][..] } else { &[0, 1, 32, 63] } {
                for (room, size, status) in [
                    (start.wrapping_add(*from), size - 1, Status::MemorySize),
                    (start.wrapping_add(*from), 0, Status::MemorySize),
                    (null_mut(), size, Status::NullPointer),
                    (start, usize::MAX, Status::Length),
                ] {
                    let given = (kind.init)(handles, Out::from(room), size, Place::from(place));
                    assert_eq!(given, status as c_int, "{}, {size} bytes", kind.name);
                    // SAFETY: a place of this function, which nobody else uses now.
                    assert!(unsafe { (*place).is_null() });
                }
            }
            // The place for the handle is inside, where NULL is written.
            let inside = start.wrapping_add(start.align_offset(8) + 8).cast::<*mut c_void>();
            let given = (kind.init)(handles, Out::from(start), size, Place::from(inside));
            assert_eq!(given, Status::Overlap as c_int, "{}", kind.name);
            let written = memory.iter().filter(|byte| **byte != BEFORE).count();
            assert_eq!(written, size_of::<usize>(), "{}", kind.name);
        }
    });
    // Inputs of the call lie in the memory.
    let size = abreast_rc4_stream_size().max(abreast_aez_size()).max(abreast_gcm_siv_size());
    let mut memory = vec![BEFORE; size];
    let start = memory.as_mut_ptr();
    let inside = || In::from(start.wrapping_add(size / 2).cast_const());
    let overlap = Status::Overlap as c_int;
    let mut stream = null_mut();
    assert_eq!(
        abreast_rc4_stream_init(Out::from(start), size, inside(), 16, Place::from(&raw mut stream)),
        overlap
    );
    let mut aead = null_mut();
    let at_aead = &raw mut aead;
    let place = || Place::from(at_aead);
    assert_eq!(abreast_aez_init(Out::from(start), size, inside(), 16, Text::none(), place()), overlap);
    assert_eq!(abreast_gcm_siv_init(Out::from(start), size, inside(), 16, Text::none(), place()), overlap);
    // A call that is refused for its key writes nothing.
    let none = In::from(null());
    assert_eq!(
        abreast_gcm_siv_init(Out::from(start), size, none, 0, Text::none(), place()),
        Status::KeyLength as c_int
    );
    assert!(memory.iter().all(|byte| *byte == BEFORE));
}

/// A key of a mode stays in its memory for as long as a stream needs it.
#[test]
fn a_stream_keeps_a_key_in_memory_of_the_caller() {
    let size = abreast_gcm_size();
    let mut memory = vec![BEFORE; size];
    let start = memory.as_mut_ptr();
    let cipher: *mut CipherHandle =
        made(|place| abreast_cipher_new(Text::from(c"aes-128"), secret(), 16, Text::none(), place));
    let gcm = made(|place| abreast_gcm_init(Out::from(start), size, cipher.into(), place));
    abreast_cipher_free(cipher.into());
    let mut room = vec![BEFORE; abreast_aead_stream_size()];
    let place = room.as_mut_ptr();
    let stream: *mut AeadStream =
        made(|at| abreast_aead_stream_init(Out::from(place), abreast_aead_stream_size(), gcm.into(), at));
    abreast_aead_free(gcm.into());
    let way = WhichWay::Encrypt as c_int;
    assert_eq!(abreast_aead_stream_begin(stream.into(), way, iv(), 12, secret(), 32), OK);
    piece(|input, output, len| abreast_aead_stream_update(stream.into(), input, output, len));
    abreast_aead_stream_free(stream.into());
    for memory in [memory, room] {
        assert!(memory.iter().all(|byte| [0, BEFORE].contains(byte)));
    }
}

/// The memory of a live key is no room for a stream under it.
#[test]
fn a_stream_in_the_memory_of_its_key_is_refused() {
    let room = abreast_aead_stream_size();
    let mut memory = vec![BEFORE; abreast_gcm_size() + room];
    let start = memory.as_mut_ptr();
    let cipher: *mut CipherHandle =
        made(|place| abreast_cipher_new(Text::from(c"aes-128"), secret(), 16, Text::none(), place));
    let gcm = made(|place| abreast_gcm_init(Out::from(start), abreast_gcm_size(), cipher.into(), place));
    for from in [0, 8] {
        let mut stream = null_mut();
        let place = Place::from(&raw mut stream);
        let given = abreast_aead_stream_init(Out::from(start.wrapping_add(from)), room, gcm.into(), place);
        assert_eq!(
            (given, stream),
            (Status::Overlap as c_int, null_mut()),
            "{from} bytes from the beginning"
        );
    }
    abreast_cipher_free(cipher.into());
    abreast_aead_free(gcm.into());
}
