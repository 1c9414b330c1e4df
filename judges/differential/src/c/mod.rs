//! The C interface, called as a C program calls it.
//!
//! The declarations are translated from `abreast.h`, not taken from the crate that defines the functions, so that a layout
//! or a number that the two do not agree on is noticed. All `unsafe` of this crate is here: calls of declared
//! functions, with pointers into slices that are borrowed for as long as the call takes.

#![allow(unsafe_code, reason = "functions of C are called, with pointers")]

pub mod keys;

use std::ffi::c_int;
use std::ptr::null;

use abreast_c_bindings::*;

use crate::arena::Parcel;
use crate::batches::rc4_key;
use crate::case::{Case, Fault, Spec};
use crate::pool::Pool;
use crate::subject::{Direction, Mode};
use keys::Handle;

/// Runs a case as one batch, and returns the statuses of each message and of the call.
pub(crate) fn run(pool: &Pool, case: &Case, parcels: Vec<Parcel<'_>>) -> (Vec<i32>, i32) {
    match case.mode {
        Mode::Rc4Keys => rc4_keys(pool, case, parcels),
        Mode::Rc4Streams => rc4_streams(pool, case, parcels),
        _ => packets(pool, case, parcels),
    }
}

fn packets(pool: &Pool, case: &Case, parcels: Vec<Parcel<'_>>) -> (Vec<i32>, i32) {
    let packet = |(spec, parcel): (&Spec, Parcel<'_>)| {
        let keyed = pool.keyed_in_c(spec.kind, spec.entry(pool, case.mode).key, spec.kernel);
        let (output, len) = (parcel.output.as_mut_ptr(), parcel.output.len());
        let mut packet = abreast_packet {
            key: keyed.of_mode(case.mode),
            iv: or_null(parcel.iv),
            iv_len: parcel.iv.len(),
            aad: or_null(parcel.aad),
            aad_len: parcel.aad.len(),
            input: parcel.input.map_or(output.cast_const(), <[u8]>::as_ptr),
            output,
            len,
            tag: parcel.tag.as_mut_ptr(),
            tag_len: parcel.tag.len(),
            // The previous status does not matter.
            status: 77,
        };
        match spec.fault {
            Fault::Overlap if spec.len > 2 => {
                // Within the buffer.
                packet.output = output.wrapping_add(1);
                packet.len -= 1;
            }
            Fault::NoInput => packet.input = null(),
            Fault::WrongKey => packet.key = keyed.of_another_mode(case.mode),
            _ => {}
        }
        packet
    };
    let mut batch: Vec<_> = case.specs.iter().zip(parcels).map(packet).collect();
    let (packets, count, size) = (batch.as_mut_ptr(), batch.len(), size_of::<abreast_packet>());
    // SAFETY: so many descriptions of this size, whose pointers go to buffers that are borrowed for the call, apart
    // from each other, and to handles that live as long as the pool.
    let whole = unsafe { abreast_packets(operation(case.mode, case.direction), packets, count, size) };
    (batch.iter().map(|packet| packet.status).collect(), whole)
}

/// The number of `enum abreast_operation`.
fn operation(mode: Mode, direction: Direction) -> c_int {
    let decrypts = c_int::from(direction != Direction::Encrypt);
    match mode {
        Mode::Ecb => 1 + decrypts,
        Mode::Cbc => 3 + decrypts,
        Mode::Ofb => 9,
        Mode::Ctr16 => 10,
        Mode::Ctr32 => 11,
        Mode::Ctr64 => 12,
        Mode::Ctr128 => 13,
        Mode::Xts => 14 + decrypts,
        Mode::Gcm => 16 + decrypts,
        Mode::Eax => 18 + decrypts,
        Mode::Aez => 20 + decrypts,
        Mode::Cmac => 22 + decrypts,
        Mode::GcmSiv => 24 + decrypts,
        Mode::Siv => 26 + decrypts,
        Mode::Hctr2 => 28 + decrypts,
        Mode::HmacSha1 => 34 + decrypts,
        Mode::HmacSha256 => 36 + decrypts,
        mode => panic!("{mode:?} has no batch of packets in C"),
    }
}

/// A pointer to bytes, or NULL if there are none, which C programs have there.
fn or_null(bytes: &[u8]) -> *const u8 {
    if bytes.is_empty() { null() } else { bytes.as_ptr() }
}

fn rc4_keys(pool: &Pool, case: &Case, parcels: Vec<Parcel<'_>>) -> (Vec<i32>, i32) {
    let message = |(spec, parcel): (&Spec, Parcel<'_>)| {
        let key = rc4_key(pool, case, spec, parcel.iv);
        let output = parcel.output.as_mut_ptr();
        abreast_rc4_message {
            key: or_null(key),
            key_len: key.len(),
            skip: spec.entry(pool, case.mode).skip as u64,
            input: parcel.input.map_or(output.cast_const(), <[u8]>::as_ptr),
            output,
            len: parcel.output.len(),
            status: 77,
        }
    };
    let mut batch: Vec<_> = case.specs.iter().zip(parcels).map(message).collect();
    // SAFETY: so many descriptions of this size, whose pointers go to buffers that are borrowed for the call.
    let whole =
        unsafe { abreast_rc4_apply_keys(batch.as_mut_ptr(), batch.len(), size_of::<abreast_rc4_message>()) };
    (batch.iter().map(|message| message.status).collect(), whole)
}

fn rc4_streams(pool: &Pool, case: &Case, parcels: Vec<Parcel<'_>>) -> (Vec<i32>, i32) {
    let stream = |spec: &Spec| {
        let entry = spec.entry(pool, case.mode);
        let key = &pool.bytes(spec.kind, entry.key).key;
        // SAFETY: the key is borrowed for the call, and the place may be written.
        let make = |place| unsafe { abreast_rc4_stream_new(key.as_ptr(), key.len(), place) };
        let stream = Handle::new(abreast_rc4_stream_free, make);
        // SAFETY: a stream that nobody else uses.
        assert_eq!(unsafe { abreast_rc4_stream_skip(stream.0, entry.skip as u64) }, 0);
        stream
    };
    let streams: Vec<_> = case.specs.iter().map(stream).collect();
    let piece = |(stream, parcel): (&Handle, Parcel<'_>)| {
        let output = parcel.output.as_mut_ptr();
        abreast_rc4_piece {
            stream: stream.0,
            input: parcel.input.map_or(output.cast_const(), <[u8]>::as_ptr),
            output,
            len: parcel.output.len(),
            status: 77,
        }
    };
    let mut batch: Vec<_> = streams.iter().zip(parcels).map(piece).collect();
    // SAFETY: so many descriptions of this size, whose pointers go to buffers that are borrowed for the call and to
    // streams that are there once each.
    let whole =
        unsafe { abreast_rc4_apply_streams(batch.as_mut_ptr(), batch.len(), size_of::<abreast_rc4_piece>()) };
    (batch.iter().map(|piece| piece.status).collect(), whole)
}
