//! Streams that are copied, that tell their running vector, that take associated data in pieces, and that keep parts of
//! blocks.

use std::ffi::c_int;
use std::ptr::null;

use super::{OK, key, made};
use crate::buffers::{In, Out, Place};
use crate::cipher::{CipherHandle, abreast_cipher_free};
use crate::modes::aead::{abreast_aead_encrypt, abreast_aead_free, abreast_eax_new, abreast_gcm_new};
use crate::modes::aead_stream::{
    AeadStream, abreast_aead_stream_aad, abreast_aead_stream_clone, abreast_aead_stream_finish,
    abreast_aead_stream_free, abreast_aead_stream_new, abreast_aead_stream_update,
};
use crate::modes::cmac::{
    abreast_cmac_free, abreast_cmac_new, abreast_cmac_stream_clone, abreast_cmac_stream_finish,
    abreast_cmac_stream_free, abreast_cmac_stream_new, abreast_cmac_stream_update,
};
use crate::modes::operation::{Operation, WhichWay};
use crate::modes::padded::{
    PaddedStream, abreast_padded_stream_clone, abreast_padded_stream_finish, abreast_padded_stream_free,
    abreast_padded_stream_new, abreast_padded_stream_reset, abreast_padded_stream_update,
};
use crate::modes::stream::{
    CipherStream, abreast_stream_apply, abreast_stream_clone, abreast_stream_free, abreast_stream_iv,
    abreast_stream_new,
};
use crate::status::Status;

// Most of it with XTEA, whose kernel for a CPU without vectors takes the least time in Miri.
const IV: [u8; 16] = [9; 16];

fn stream(cipher: *mut CipherHandle, operation: Operation, iv: &[u8; 8]) -> *mut CipherStream {
    made(|place| abreast_stream_new(cipher.into(), operation as c_int, In::from(iv), 8, place))
}

/// Some bytes of a stream, in place.
fn apply<const N: usize>(stream: *mut CipherStream) -> [u8; N] {
    let mut data = [7; N];
    let memory = data.as_mut_ptr();
    let (input, output) = (In::from(memory.cast_const()), Out::from(memory));
    assert_eq!(abreast_stream_apply(stream.into(), input, output, N), OK);
    data
}

#[test]
fn copies_go_on_and_so_does_the_running_vector() {
    let cipher = key(c"xtea", 3);
    for operation in [Operation::CbcEncrypt, Operation::CfbDecrypt, Operation::Ofb, Operation::Ctr64] {
        let first = stream(cipher, operation, &[9; 8]);
        apply::<16>(first);
        let copy = made(|place| abreast_stream_clone(first.into(), place));
        let mut iv = [0; 8];
        let running = Out::from(iv.as_mut_ptr());
        assert_eq!(abreast_stream_iv(first.into(), running, 8), OK);
        let other = stream(cipher, operation, &iv);
        let expected = apply::<24>(first);
        // A copy needs nothing of its original.
        abreast_stream_free(first.into());
        assert_eq!(apply::<24>(copy), expected);
        assert_eq!(apply::<24>(other), expected);
        let short = abreast_stream_iv(copy.into(), Out::from(iv.as_mut_ptr()), 7);
        assert!(short == Status::IvLength as c_int || short == Status::CounterLength as c_int);
        abreast_stream_free(copy.into());
        abreast_stream_free(other.into());
    }
    let new =
        |place| abreast_stream_new(cipher.into(), Operation::EcbEncrypt as c_int, In::from(null()), 0, place);
    let ecb = made(new);
    let mut iv = [0; 8];
    let none = abreast_stream_iv(ecb.into(), Out::from(iv.as_mut_ptr()), 8);
    assert_eq!(none, Status::Operation as c_int);
    abreast_stream_free(ecb.into());
    abreast_cipher_free(cipher.into());
}

fn sealed(stream: *mut AeadStream, tag_len: usize) -> ([u8; 20], [u8; 16]) {
    let (mut data, mut tag) = ([7; 20], [0; 16]);
    let memory = data.as_mut_ptr();
    let (input, output) = (In::from(memory.cast_const()), Out::from(memory));
    assert_eq!(abreast_aead_stream_update(stream.into(), input, output, 20), OK);
    assert_eq!(abreast_aead_stream_finish(stream.into(), Out::from(tag.as_mut_ptr()), tag_len), OK);
    (data, tag)
}

#[test]
fn associated_data_in_pieces_and_copies() {
    let aad = [5; 37];
    for (name, new, tag_len) in
        [(c"aes-128", abreast_gcm_new as extern "C" fn(_, _) -> _, 16), (c"xtea", abreast_eax_new, 8)]
    {
        let cipher = key(name, 4);
        let aead = made(|place| new(cipher.into(), place));
        abreast_cipher_free(cipher.into());
        let (mut expected, mut tag) = ([7; 20], [0; 16]);
        let memory = expected.as_mut_ptr();
        let (input, output) = (In::from(memory.cast_const()), Out::from(memory));
        let tag_at = Out::from(tag.as_mut_ptr());
        let done = abreast_aead_encrypt(
            aead.into(),
            In::from(&IV),
            12,
            In::from(&aad),
            37,
            input,
            output,
            20,
            tag_at,
            tag_len,
        );
        assert_eq!(done, OK);

        let (nonce, direction) = (In::from(&IV), WhichWay::Encrypt as c_int);
        let begin =
            |place| abreast_aead_stream_new(aead.into(), direction, nonce, 12, In::from(&aad), 5, place);
        let first = made(begin);
        abreast_aead_free(aead.into());
        let more = |stream: *mut AeadStream, at: usize, len| {
            abreast_aead_stream_aad(stream.into(), In::from(aad.as_ptr().wrapping_add(at)), len)
        };
        assert_eq!(more(first, 5, 20), OK);
        let copy = made(|place| abreast_aead_stream_clone(first.into(), place));
        assert_eq!(more(copy, 0, 1), OK);
        assert_eq!(more(first, 25, 12), OK);
        assert_eq!(sealed(first, tag_len), (expected, tag));
        assert_ne!(sealed(copy, tag_len).1, tag);
        assert_eq!(more(copy, 0, 1), Status::Finished as c_int);
        // A copy of a finished stream is finished.
        let after = made(|place| abreast_aead_stream_clone(first.into(), place));
        let data = In::from(aad.as_ptr());
        let mut out = [0; 37];
        let late = abreast_aead_stream_update(after.into(), data, Out::from(out.as_mut_ptr()), 37);
        assert_eq!(late, Status::Finished as c_int);
        for stream in [first, copy, after] {
            abreast_aead_stream_free(stream.into());
        }
    }

    let cipher = key(c"aes-128", 4);
    let aead = made(|place| abreast_gcm_new(cipher.into(), place));
    let direction = WhichWay::Decrypt as c_int;
    let begin = |place| {
        abreast_aead_stream_new(aead.into(), direction, In::from(&IV), 12, In::from(null()), 0, place)
    };
    let stream = made(begin);
    let mut data = [0; 3];
    let memory = data.as_mut_ptr();
    let (input, output) = (In::from(memory.cast_const()), Out::from(memory));
    assert_eq!(abreast_aead_stream_update(stream.into(), input, output, 3), OK);
    let late = abreast_aead_stream_aad(stream.into(), In::from(&aad), 37);
    assert_eq!(late, Status::AssociatedDataLate as c_int);
    abreast_aead_stream_free(stream.into());
    abreast_aead_free(aead.into());
    abreast_cipher_free(cipher.into());
}

#[test]
fn copies_of_macs() {
    let cipher = key(c"xtea", 5);
    let cmac = made(|place| abreast_cmac_new(cipher.into(), place));
    abreast_cipher_free(cipher.into());
    let first = made(|place| abreast_cmac_stream_new(cmac.into(), place));
    abreast_cmac_free(cmac.into());
    assert_eq!(abreast_cmac_stream_update(first.into(), In::from(&IV), 11), OK);
    let copy = made(|place| abreast_cmac_stream_clone(first.into(), place));
    let tags = [first, copy].map(|stream| {
        let mut tag = [0; 8];
        assert_eq!(abreast_cmac_stream_update(stream.into(), In::from(&IV), 5), OK);
        assert_eq!(abreast_cmac_stream_finish(stream.into(), Out::from(tag.as_mut_ptr()), 8), OK);
        abreast_cmac_stream_free(stream.into());
        tag
    });
    assert_eq!(tags[0], tags[1]);
}

/// A message in pieces of some bytes, in place or not.
fn padded(stream: *mut PaddedStream, message: &[u8], piece: usize, in_place: bool) -> Vec<u8> {
    let mut all = Vec::new();
    let mut done = 0;
    for piece in message.chunks(piece) {
        let mut buffer = vec![0; piece.len() + 16];
        if in_place {
            buffer[..piece.len()].copy_from_slice(piece);
        }
        let output = buffer.as_mut_ptr();
        let input = if in_place { output.cast_const() } else { piece.as_ptr() };
        let (len, capacity, written) = (piece.len(), piece.len() + 16, Place::from(&raw mut done));
        let (input, output) = (In::from(input), Out::from(output));
        let status = abreast_padded_stream_update(stream.into(), input, len, output, capacity, written);
        assert_eq!(status, OK);
        all.extend_from_slice(&buffer[..done]);
    }
    let mut last = [0; 16];
    let (output, written) = (Out::from(last.as_mut_ptr()), Place::from(&raw mut done));
    assert_eq!(abreast_padded_stream_finish(stream.into(), output, 16, written), OK);
    all.extend_from_slice(&last[..done]);
    all
}

#[test]
fn pieces_that_are_padded() {
    let cipher = key(c"xtea", 6);
    let new = |operation: Operation, padding| {
        let iv = In::from(&IV);
        made(|place| abreast_padded_stream_new(cipher.into(), operation as c_int, padding, iv, 8, place))
    };
    let message: Vec<u8> = (0..50).collect();
    let (encrypting, decrypting) = (new(Operation::CbcEncrypt, 1), new(Operation::CbcDecrypt, 1));
    let expected = padded(encrypting, &message, 50, false);
    assert_eq!(expected.len(), 56);
    for (piece, in_place) in [(1, false), (7, true), (16, false), (16, true), (33, true)] {
        for stream in [encrypting, decrypting] {
            assert_eq!(abreast_padded_stream_reset(stream.into(), In::from(&IV), 8), OK);
        }
        assert_eq!(padded(encrypting, &message, piece, in_place), expected);
        assert_eq!(padded(decrypting, &expected, piece, in_place), message);
    }

    // A copy on the way, and calls that are refused.
    assert_eq!(abreast_padded_stream_reset(encrypting.into(), In::from(&IV), 8), OK);
    let update = |stream: *mut PaddedStream, at: usize, len, capacity| {
        let input = In::from(message.as_ptr().wrapping_add(at));
        let mut scratch = [0; 80];
        let (output, mut done) = (Out::from(scratch.as_mut_ptr()), 0);
        let status = abreast_padded_stream_update(
            stream.into(),
            input,
            len,
            output,
            capacity,
            Place::from(&raw mut done),
        );
        (status, scratch[..done].to_vec())
    };
    // A rejected call writes nothing.
    let finish = |stream: *mut PaddedStream| {
        let (mut out, mut done) = ([0x55; 16], 7);
        let (output, written) = (Out::from(out.as_mut_ptr()), Place::from(&raw mut done));
        let status = abreast_padded_stream_finish(stream.into(), output, 16, written);
        assert_eq!((out, done), ([0x55; 16], 7));
        status
    };
    assert_eq!(update(encrypting, 0, 20, 15).0, Status::BufferLengths as c_int);
    let (status, head) = update(encrypting, 0, 20, 16);
    assert_eq!((status, head.as_slice()), (OK, &expected[..16]));
    let copy = made(|place| abreast_padded_stream_clone(encrypting.into(), place));
    abreast_padded_stream_free(encrypting.into());
    assert_eq!(padded(copy, &message[20..], 30, false), expected[16..]);
    assert_eq!(update(copy, 0, 1, 16).0, Status::Finished as c_int);
    assert_eq!(finish(copy), Status::Finished as c_int);

    let whole = new(Operation::CbcEncrypt, 0);
    assert_eq!(update(whole, 0, 20, 80).0, OK);
    // A stream that rejects its end goes on.
    assert_eq!(finish(whole), Status::PartialBlock as c_int);
    assert_eq!(update(whole, 20, 4, 80).0, OK);
    let (mut out, mut done) = ([0; 16], 7);
    let (output, written) = (Out::from(out.as_mut_ptr()), Place::from(&raw mut done));
    assert_eq!(abreast_padded_stream_finish(whole.into(), output, 16, written), OK);
    assert_eq!(done, 0);
    assert_eq!(abreast_padded_stream_reset(decrypting.into(), In::from(&IV), 8), OK);
    assert_eq!(update(decrypting, 0, 8, 80), (OK, vec![]));
    assert_eq!(finish(decrypting), Status::Padding as c_int);

    let mut none = std::ptr::null_mut();
    let refused = abreast_padded_stream_new(
        cipher.into(),
        Operation::Ofb as c_int,
        1,
        In::from(&IV),
        8,
        Place::from(&raw mut none),
    );
    assert_eq!((refused, none.is_null()), (Status::Operation as c_int, true));
    for stream in [copy, whole, decrypting] {
        abreast_padded_stream_free(stream.into());
    }
    abreast_cipher_free(cipher.into());
}
