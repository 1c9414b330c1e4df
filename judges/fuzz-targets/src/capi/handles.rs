//! Sequences of calls on keys and streams, with every mistake that a caller may make: NULL, lengths that cannot be,
//! buffers that overlap, names that there are not, streams that are finished, handles that are freed in any order.

use std::ptr::{null, null_mut};

use arbitrary::Arbitrary;

use super::abi::*;
use super::caller::{Call, Caller, FREE, Function, Kind};
use super::make::operation;
use super::memory::Buffer;
use super::{ALIGNMENT, DIRECTION, FINISHED, NULL_POINTER, OK, TAG_LENGTH, TAG_MISMATCH};
use crate::input::{fields, pick};

#[derive(Arbitrary, Debug)]
struct Case {
    seed: u64,
    calls: Vec<Call>,
}

/// The most calls of a case.
const MOST_CALLS: usize = 60;

/// No sequence of calls does anything but what the header says.
pub(crate) fn run(data: &[u8]) {
    let Some(case) = fields::<Case>(data) else { return };
    let mut caller = Caller::new(case.seed);
    for call in case.calls.iter().take(MOST_CALLS) {
        caller.make(call);
    }
}

impl Caller {
    fn make(&mut self, call: &Call) {
        let [key, iv, aad, tag] =
            [call.key, call.iv, call.aad, call.tag].map(|span| self.memory.buffer(span));
        let io = self.memory.in_out(call.input, call.output);
        let [input, output] = io;
        let (number, slot) = (call.number as usize, call.slots.0);
        match call.function {
            Function::New(which) => self.new_key(which, call, key),
            Function::Stream(which) => self.new_stream(which, call, key, iv, aad),
            Function::Free(which) => self.free(which, slot),
            Function::Whole(which) => self.whole(which, call, iv, io),
            Function::Sealed(which) => {
                let ways: [(Sealing, bool); 2] = [(abreast_aead_encrypt, true), (aead_decrypt, false)];
                let (mode, writes_tag) = pick(&ways, which);
                let handle = self.handle(Kind::Aead, slot);
                let (reads, writes) =
                    if writes_tag { (vec![iv, aad], vec![tag]) } else { (vec![iv, aad, tag], vec![]) };
                let (from, to, len) = (input.start, output.start, input.len);
                self.call(call, Some(io), &reads, &writes, || {
                    let (aad, aad_len) = (aad.start, aad.len);
                    // SAFETY: a handle that is not freed, or NULL; buffers in the memory, or of a length that is
                    // refused.
                    unsafe { mode(handle, iv.start, iv.len, aad, aad_len, from, to, len, tag.start, tag.len) }
                });
            }
            Function::Mac => {
                let cmac = self.handle(Kind::Cmac, slot);
                let (reads, writes) =
                    if call.flag { (vec![aad], vec![tag]) } else { (vec![aad, tag], vec![]) };
                self.call(call, None, &reads, &writes, || {
                    // SAFETY: as above.
                    unsafe {
                        match call.flag {
                            true => abreast_cmac_mac(cmac, aad.start, aad.len, tag.start, tag.len),
                            false => abreast_cmac_verify(cmac, aad.start, aad.len, tag.start, tag.len),
                        }
                    }
                });
            }
            Function::Padded => {
                let cipher = self.handle(Kind::Cipher, slot);
                // The place for the length: nowhere, where it cannot be, anywhere in the memory, or apart from all.
                let mut own = [usize::MAX; 2];
                let (place, in_memory) = match call.name {
                    0 => (null_mut(), false),
                    1..16 => (own.as_mut_ptr().wrapping_byte_add(1), false),
                    16..64 => match self.memory.put(u16::from(call.slots.1) * 16, &[usize::MAX]) {
                        Some(place) => (place, true),
                        None => return,
                    },
                    _ => (own.as_mut_ptr(), false),
                };
                let made = in_memory.then_some(Buffer { start: place.cast(), len: size_of::<usize>() });
                let writes: Vec<Buffer> = made.into_iter().chain([tag]).collect();
                let len = if tag.len == 0 { number } else { number % (tag.len.saturating_add(9)) };
                let status = self.call(call, None, &[iv], &writes, || {
                    // SAFETY: as above, and a place for a length, or one that is refused.
                    unsafe {
                        match call.flag {
                            true => abreast_cbc_encrypt_padded(
                                cipher, iv.start, iv.len, tag.start, tag.len, len, place,
                            ),
                            false => abreast_cbc_decrypt_padded(
                                cipher, iv.start, iv.len, tag.start, tag.len, place,
                            ),
                        }
                    }
                });
                if status == OK {
                    assert!(!place.is_null() && place.is_aligned(), "{call:?}");
                    // SAFETY: it was written.
                    assert!(unsafe { place.read() } <= tag.len, "{call:?}");
                }
            }
            Function::Xts => {
                let xts = self.handle(Kind::Xts, slot);
                let Some(first) = self.memory.fixed(call.iv, 16) else { return };
                let unit = if call.name.is_multiple_of(2) { number } else { number % 600 };
                self.call(call, Some(io), &[Buffer { start: first, len: 16 }], &[], || {
                    // SAFETY: as above, and 16 bytes, or NULL.
                    unsafe {
                        match call.flag {
                            true => {
                                abreast_xts_encrypt(xts, first, unit, input.start, output.start, input.len)
                            }
                            false => {
                                abreast_xts_decrypt(xts, first, unit, input.start, output.start, input.len)
                            }
                        }
                    }
                });
            }
            Function::Hctr2 => {
                let hctr2 = self.handle(Kind::Hctr2, slot);
                self.call(call, Some(io), &[iv], &[], || {
                    // SAFETY: as above.
                    unsafe {
                        let mode = if call.flag { abreast_hctr2_encrypt } else { abreast_hctr2_decrypt };
                        mode(hctr2, iv.start, iv.len, input.start, output.start, input.len)
                    }
                });
            }
            Function::Aez => self.aez(call, iv, aad, io, tag),
            Function::Rc4 => {
                let skip = u64::from(call.number % 1000);
                self.call(call, Some(io), &[key], &[], || {
                    // SAFETY: as above.
                    unsafe {
                        abreast_rc4_apply(key.start, key.len, skip, input.start, output.start, input.len)
                    }
                });
            }
            Function::Piece(which) => {
                let streams: [(Kind, Piece); 3] = [
                    (Kind::Stream, abreast_stream_apply),
                    (Kind::AeadStream, abreast_aead_stream_update),
                    (Kind::Rc4, abreast_rc4_stream_apply),
                ];
                let (kind, piece) = pick(&streams, which);
                let stream = self.handle(kind, slot);
                let status = self.call(call, Some(io), &[], &[], || {
                    // SAFETY: as above.
                    unsafe { piece(stream, input.start, output.start, input.len) }
                });
                assert!(
                    status != OK || !self.finished.contains(&stream),
                    "{call:?}: the stream was finished"
                );
            }
            Function::Take => {
                let stream = self.handle(Kind::CmacStream, slot);
                let status = self.call(call, None, &[aad], &[], || {
                    // SAFETY: as above.
                    unsafe { abreast_cmac_stream_update(stream, aad.start, aad.len) }
                });
                assert!(
                    status != OK || !self.finished.contains(&stream),
                    "{call:?}: the stream was finished"
                );
            }
            Function::Finish(which) => self.finish(which, call, tag),
            Function::Move => self.move_stream(call, slot),
        }
    }

    fn free(&mut self, which: u8, slot: u8) {
        let (kind, free) = pick(&FREE, which);
        let handle = self.handle(kind, slot);
        self.handles[kind as usize].retain(|other| *other != handle);
        self.finished.remove(&handle);
        // SAFETY: NULL, or a handle of this kind that was not freed and is forgotten now.
        unsafe { free(handle) };
    }

    fn aez(&mut self, call: &Call, nonce: Buffer, aad: Buffer, io: [Buffer; 2], tag: Buffer) {
        let aez = self.handle(Kind::Aead, call.slots.0);
        let [input, output] = io;
        let count = usize::from(call.kernel % 11);
        let strings = vec![abreast_string { data: aad.start, len: aad.len }; count];
        // An array that may be NULL, crooked, too long to be one, or in the memory, where outputs may be over it.
        let mut array = None;
        let (ad, count) = match call.kernel {
            200..=239 => {
                let Some(start) = self.memory.put(u16::from(call.slots.1) * 16, &strings) else { return };
                array = Some(Buffer { start: start.cast(), len: size_of_val(strings.as_slice()) });
                (start.cast_const(), count)
            }
            240..=245 => (null(), count),
            246..=250 => (strings.as_ptr().wrapping_byte_add(1), count.max(1)),
            251.. => (strings.as_ptr(), usize::MAX / 8),
            _ => (strings.as_ptr(), count),
        };
        let mut reads = if strings.is_empty() { vec![nonce] } else { vec![nonce, aad] };
        reads.extend(array);
        let joined = call.number as usize % 100;
        let encrypts = call.flag && call.name.is_multiple_of(2);
        let (reads, writes) = if encrypts {
            (reads, vec![tag])
        } else if call.name.is_multiple_of(2) {
            ([reads, vec![tag]].concat(), vec![])
        } else {
            (reads, vec![])
        };
        let detached: [SealingStrings; 2] = [aez_decrypt, abreast_aez_encrypt];
        let joined_modes: [JoinedStrings; 2] = [abreast_aez_decrypt_joined, abreast_aez_encrypt_joined];
        let (Buffer { start: from, len }, Buffer { start: to, .. }) = (input, output);
        self.call(call, Some(io), &reads, &writes, || {
            let nonce_len = nonce.len;
            // SAFETY: as above; the strings are an array of so many, or refused.
            unsafe {
                if call.name.is_multiple_of(2) {
                    let mode = detached[usize::from(call.flag)];
                    mode(aez, nonce.start, nonce_len, ad, count, from, to, len, tag.start, tag.len)
                } else {
                    let mode = joined_modes[usize::from(call.flag)];
                    mode(aez, nonce.start, nonce_len, ad, count, joined, from, to, len)
                }
            }
        });
    }

    /// One message of a cipher in a mode without a tag, or under round keys that lie in the memory.
    fn whole(&mut self, which: u8, call: &Call, iv: Buffer, io: [Buffer; 2]) {
        let cipher = self.handle(Kind::Cipher, call.slots.0);
        let [Buffer { start: from, len }, Buffer { start: to, .. }] = io;
        let expanded: [Expanded; 2] = [abreast_xtea_encrypt, abreast_xtea_decrypt];
        let Some(round_keys) = self.memory.fixed(call.key, 256) else { return };
        let which = usize::from(which) % 10;
        let reads = if which < 8 { iv } else { Buffer { start: round_keys, len: 256 } };
        let status = self.call(call, Some(io), &[reads], &[], || {
            // SAFETY: as above.
            unsafe {
                match which {
                    0..8 => {
                        abreast_cipher_crypt(cipher, operation(call.number), iv.start, iv.len, from, to, len)
                    }
                    _ => expanded[which - 8](round_keys.cast_const().cast(), from, to, len),
                }
            }
        });
        assert!(status != OK || which >= 8 || !cipher.is_null(), "{call:?}");
    }

    fn finish(&mut self, which: u8, call: &Call, tag: Buffer) {
        let ends: [(Kind, Finish, bool); 4] = [
            (Kind::AeadStream, abreast_aead_stream_finish, true),
            (Kind::AeadStream, aead_stream_verify, false),
            (Kind::CmacStream, abreast_cmac_stream_finish, true),
            (Kind::CmacStream, cmac_stream_verify, false),
        ];
        let (kind, finish, writes) = pick(&ends, which);
        let stream = self.handle(kind, call.slots.0);
        let [reads, writes] = if writes { [vec![], vec![tag]] } else { [vec![tag], vec![]] };
        let status = self.call(call, None, &reads, &writes, || {
            // SAFETY: as above.
            unsafe { finish(stream, tag.start, tag.len) }
        });
        let was_finished = self.finished.contains(&stream);
        assert!(
            !was_finished
                || status == FINISHED
                || (NULL_POINTER..=ALIGNMENT).contains(&status)
                || status == DIRECTION,
            "{call:?}: finished twice, status {status}"
        );
        if matches!(status, OK | TAG_LENGTH | TAG_MISMATCH) {
            self.finished.insert(stream);
        }
    }

    /// Goes to another place of a stream, where that can be done.
    fn move_stream(&mut self, call: &Call, slot: u8) {
        let [ctr, rc4] = [Kind::Stream, Kind::Rc4].map(|kind| self.handle(kind, slot));
        let byte = u64::from(call.number) << (call.name % 33);
        let mut position = 0;
        if call.flag {
            // SAFETY: as above.
            let status = self.call(call, None, &[], &[], || unsafe { abreast_stream_seek(ctr, byte) });
            // SAFETY: as above, and a place for a number.
            let told = self
                .call(call, None, &[], &[], || unsafe { abreast_stream_position(ctr, &raw mut position) });
            assert!(status != OK || told != OK || position == byte, "{call:?}");
        } else {
            let Some(state) = self.memory.fixed(call.key, 258) else { return };
            let written = Buffer { start: state, len: 258 };
            // SAFETY: as above.
            self.call(call, None, &[], &[], || unsafe { abreast_rc4_stream_skip(rc4, byte % 2000) });
            // SAFETY: as above, and 258 bytes, or NULL.
            self.call(call, None, &[], &[written], || unsafe { abreast_rc4_stream_export(rc4, state) });
        }
    }
}
