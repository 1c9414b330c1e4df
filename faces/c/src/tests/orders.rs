//! Calls on a stream in a random order, beside a model of it: statuses, and bytes that messages in one call have.

use std::ffi::c_int;

use super::{OK, key, made};
use crate::buffers::{In, Out};
use crate::cipher::abreast_cipher_free;
use crate::modes::aead::{
    AeadHandle, abreast_aead_encrypt, abreast_aead_free, abreast_eax_new, abreast_gcm_new,
};
use crate::modes::aead_stream::{
    AeadStream, abreast_aead_stream_aad, abreast_aead_stream_begin, abreast_aead_stream_clone,
    abreast_aead_stream_finish, abreast_aead_stream_free, abreast_aead_stream_init,
    abreast_aead_stream_new_idle, abreast_aead_stream_reset, abreast_aead_stream_size,
    abreast_aead_stream_update, abreast_aead_stream_verify,
};
use crate::modes::operation::WhichWay;
use crate::status::Status;

/// Random numbers (Vigna's xorshift64*).
pub(super) struct Random(u64);

impl Random {
    /// The numbers of a seed, which is not 0.
    pub(super) fn of(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    pub(super) fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % end
    }

    pub(super) fn bytes(&mut self, len: usize) -> Vec<u8> {
        (0..len).map(|_| self.below(256) as u8).collect()
    }
}

/// A message as far as it has come.
struct Model {
    /// The status of a call that goes on with it.
    closed: c_int,
    direction: c_int,
    nonce: Vec<u8>,
    aad: Vec<u8>,
    input: Vec<u8>,
    output: Vec<u8>,
}

const WAYS: [c_int; 2] = [WhichWay::Encrypt as c_int, WhichWay::Decrypt as c_int];

fn at(bytes: &[u8]) -> In {
    In::from(bytes.as_ptr())
}

impl Model {
    fn begin(&mut self, direction: c_int, nonce: Vec<u8>, aad: Vec<u8>) {
        *self = Self { closed: OK, direction, nonce, aad, input: Vec::new(), output: Vec::new() };
    }

    /// Compares the bytes so far with a message in one call, and returns its tag.
    fn tag(&self, aead: *mut AeadHandle, tag_len: usize) -> Vec<u8> {
        let decrypts = self.direction == WAYS[1];
        let (plain, sealed) =
            if decrypts { (&self.output, &self.input) } else { (&self.input, &self.output) };
        let (mut text, mut tag) = (vec![0; plain.len()], vec![0; tag_len]);
        let (output, tag_at) = (Out::from(text.as_mut_ptr()), Out::from(tag.as_mut_ptr()));
        let (nonce, aad) = (at(&self.nonce), at(&self.aad));
        let (nonce_len, aad_len, len) = (self.nonce.len(), self.aad.len(), plain.len());
        let input = at(plain);
        let status = abreast_aead_encrypt(
            aead.into(),
            nonce,
            nonce_len,
            aad,
            aad_len,
            input,
            output,
            len,
            tag_at,
            tag_len,
        );
        assert_eq!(status, OK);
        assert_eq!(text, *sealed);
        tag
    }
}

/// Makes some calls on a stream, and returns the number of messages that came to their end.
fn some_calls(random: &mut Random, aead: *mut AeadHandle, tag_len: usize, count: usize) -> usize {
    // In memory of the library or of the caller.
    let size = abreast_aead_stream_size();
    let mut memory = vec![0; size + 16];
    let room = memory.as_mut_ptr().wrapping_add(random.below(16));
    let mut stream: *mut AeadStream = if random.below(2) == 0 {
        made(|place| abreast_aead_stream_new_idle(aead.into(), place))
    } else {
        made(|place| abreast_aead_stream_init(Out::from(room), size, aead.into(), place))
    };
    let mut model = Model {
        closed: Status::NotBegun as c_int,
        direction: 0,
        nonce: Vec::new(),
        aad: Vec::new(),
        input: Vec::new(),
        output: Vec::new(),
    };
    let mut ended = 0;
    for _ in 0..count {
        let len = 1 + random.below(40);
        match random.below(10) {
            0 | 1 => {
                let nonce_len = 1 + random.below(16);
                let (direction, nonce, aad) = (random.below(2), random.bytes(nonce_len), random.bytes(len));
                let unknown = random.below(8) == 0;
                let wanted = if unknown { 2 } else { WAYS[direction] };
                let status = abreast_aead_stream_begin(
                    stream.into(),
                    wanted,
                    at(&nonce),
                    nonce.len(),
                    at(&aad),
                    aad.len(),
                );
                assert_eq!(status, if unknown { Status::Direction as c_int } else { OK });
                if !unknown {
                    model.begin(wanted, nonce, aad);
                }
            }
            2 => {
                let (nonce, aad) = (random.bytes(12), random.bytes(len));
                let status = abreast_aead_stream_reset(stream.into(), at(&nonce), 12, at(&aad), len);
                let expected = if model.closed == Status::NotBegun as c_int { model.closed } else { OK };
                assert_eq!(status, expected);
                if status == OK {
                    model.begin(model.direction, nonce, aad);
                }
            }
            3 => {
                let aad = random.bytes(len);
                let status = abreast_aead_stream_aad(stream.into(), at(&aad), len);
                let late = if model.input.is_empty() { OK } else { Status::AssociatedDataLate as c_int };
                assert_eq!(status, if model.closed == OK { late } else { model.closed });
                if status == OK {
                    model.aad.extend(aad);
                }
            }
            4 => {
                let copy = made(|place| abreast_aead_stream_clone(stream.into(), place));
                let old = std::mem::replace(&mut stream, copy);
                abreast_aead_stream_free(old.into());
            }
            5 => {
                let mut tag = vec![0; tag_len];
                let place = Out::from(tag.as_mut_ptr());
                let status = abreast_aead_stream_finish(stream.into(), place, tag_len);
                let way = if model.direction == WAYS[0] { OK } else { Status::Direction as c_int };
                assert_eq!(status, if model.closed == OK { way } else { model.closed });
                if status == OK {
                    assert_eq!(tag, model.tag(aead, tag_len));
                    model.closed = Status::Finished as c_int;
                    ended += 1;
                }
            }
            6 => {
                let open = model.closed == OK && model.direction == WAYS[1];
                let mut tag = if open { model.tag(aead, tag_len) } else { vec![0; tag_len] };
                let forged = random.below(3) == 0;
                let changed = random.below(tag_len);
                tag[changed] ^= u8::from(forged);
                let status = abreast_aead_stream_verify(stream.into(), at(&tag), tag_len);
                let compared = if forged { Status::TagMismatch as c_int } else { OK };
                let way = if open { compared } else { Status::Direction as c_int };
                assert_eq!(status, if model.closed == OK { way } else { model.closed });
                if open {
                    model.closed = Status::Finished as c_int;
                    ended += 1;
                }
            }
            _ => {
                let (piece, mut text) = (random.bytes(len), vec![0; len]);
                let output = Out::from(text.as_mut_ptr());
                let status = abreast_aead_stream_update(stream.into(), at(&piece), output, len);
                assert_eq!(status, model.closed);
                if status == OK {
                    model.input.extend(piece);
                    model.output.extend(text);
                } else {
                    assert_eq!(text, vec![0; len]);
                }
            }
        }
    }
    abreast_aead_stream_free(stream.into());
    assert!(memory.iter().all(|byte| *byte == 0));
    ended
}

#[test]
fn calls_on_a_stream_in_any_order() {
    let mut ended = 0;
    for (name, new, tag_len) in
        [(c"aes-128", abreast_gcm_new as extern "C" fn(_, _) -> _, 16), (c"xtea", abreast_eax_new, 8)]
    {
        let cipher = key(name, 7);
        let aead = made(|place| new(cipher.into(), place));
        abreast_cipher_free(cipher.into());
        for seed in 1..=if cfg!(miri) { 1 } else { 500 } {
            ended += some_calls(&mut Random::of(seed), aead, tag_len, if cfg!(miri) { 30 } else { 60 });
        }
        abreast_aead_free(aead.into());
    }
    assert!(ended > if cfg!(miri) { 0 } else { 2000 }, "{ended} messages");
}
