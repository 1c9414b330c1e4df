//! Buffers of a call that lie over each other: each that is written, in every way in which it may have bytes in common
//! with another one, and next to it.

use std::ffi::c_int;
use std::ptr::null_mut;

use super::{OK, batch, key, made, packet};
use crate::buffers::{In, Out};
use crate::cipher::abreast_cipher_free;
use crate::modes::aead::{
    AeadHandle, abreast_aead_decrypt, abreast_aead_encrypt, abreast_aead_free, abreast_eax_new,
};
use crate::modes::operation::Operation;
use crate::modes::stream::abreast_cipher_crypt;
use crate::packets::PacketItem;
use crate::status::Status;

/// The buffers of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Iv,
    Aad,
    Input,
    Output,
    Tag,
}
use Part::{Aad, Input, Iv, Output, Tag};

/// All parts, and bytes of each in a mode of XTEA.
const PARTS: [(Part, usize); 5] = [(Iv, 8), (Aad, 20), (Input, 24), (Output, 24), (Tag, 8)];
/// Between the parts where they are apart.
const APART: usize = 64;
const ARENA: usize = APART * (PARTS.len() + 2);

/// The places of the parts in one stretch of memory.
struct Places {
    start: *mut u8,
    at: [usize; PARTS.len()],
}

impl Places {
    fn len(part: Part) -> usize {
        PARTS[part as usize].1
    }
    fn pointer(&self, part: Part) -> *mut u8 {
        self.start.wrapping_add(self.at[part as usize])
    }
    fn read(&self, part: Part) -> In {
        In::from(self.pointer(part).cast_const())
    }
    fn written(&self, part: Part) -> Out {
        Out::from(self.pointer(part))
    }
    /// The status of a batch of one packet.
    fn packet<K>(&self, operation: Operation, key: *mut K, parts: &[Part]) -> c_int {
        let uses = |part| if parts.contains(&part) { Self::len(part) } else { 0 };
        let item = PacketItem {
            iv: self.read(Iv),
            iv_len: uses(Iv),
            aad: self.read(Aad),
            aad_len: uses(Aad),
            input: self.read(Input),
            output: self.written(Output),
            tag: self.written(Tag),
            tag_len: uses(Tag),
            ..packet(key, null_mut(), uses(Output))
        };
        let items = [item];
        let status = batch(operation, &items);
        let its = items[0].status.get();
        assert_eq!(status == OK, its == OK, "the status of the batch is that of its one packet");
        its
    }
    fn aead(&self, direction: Operation, aead: *mut AeadHandle) -> c_int {
        let (nonce, aad) = (self.read(Iv), self.read(Aad));
        let (input, output, tag) = (self.read(Input), self.written(Output), self.pointer(Tag));
        let [iv_len, aad_len, len, tag_len] = [Iv, Aad, Input, Tag].map(Self::len);
        if direction == Operation::EaxEncrypt {
            let tag = Out::from(tag);
            abreast_aead_encrypt(aead.into(), nonce, iv_len, aad, aad_len, input, output, len, tag, tag_len)
        } else {
            let tag = In::from(tag.cast_const());
            abreast_aead_decrypt(aead.into(), nonce, iv_len, aad, aad_len, input, output, len, tag, tag_len)
        }
    }
}

/// Runs a call with the parts that it has at every place in question. Its outputs may overlap nothing, except that
/// the output may be the input itself.
fn check(what: &str, parts: &[Part], written: &[Part], run: impl Fn(&Places) -> c_int) {
    let call = |at: [usize; PARTS.len()]| {
        let mut arena = [7_u8; ARENA];
        let status = run(&Places { start: arena.as_mut_ptr(), at });
        if status == Status::Overlap as c_int {
            assert_eq!(arena, [7; ARENA], "{what}: something was written, at {at:?}");
        }
        status
    };
    let apart = [1, 2, 3, 4, 5].map(|place| place * APART);
    // Decryption finds no right tag here.
    let done = call(apart);
    assert!(done == OK || done == Status::TagMismatch as c_int, "{what}: {done}");
    for of in written {
        for other in parts.iter().filter(|other| *other != of) {
            let (len, begin) = (Places::len(*of), apart[*other as usize]);
            let end = begin + Places::len(*other);
            let over = [begin, begin + 1, end - 1, begin - 1, begin + 1 - len];
            let next_to = [end, begin - len];
            let mut at = apart;
            for place in over.into_iter().chain(next_to) {
                at[*of as usize] = place;
                let is_input = (*of, *other, place) == (Output, Input, begin);
                let expected =
                    if next_to.contains(&place) || is_input { done } else { Status::Overlap as c_int };
                assert_eq!(call(at), expected, "{what}: {of:?} at {place}, {other:?} at {begin}");
            }
        }
    }
}

#[test]
fn what_is_written_overlaps_nothing() {
    let xtea = key(c"xtea", 1);
    let eax = made(|place| abreast_eax_new(xtea.into(), place));
    let (message, all) = ([Iv, Input, Output], [Iv, Aad, Input, Output, Tag]);
    check("a call", &message, &[Output], |places| {
        let operation = Operation::CbcEncrypt as c_int;
        let (iv, input, output) = (places.read(Iv), places.read(Input), places.written(Output));
        abreast_cipher_crypt(xtea.into(), operation, iv, Places::len(Iv), input, output, Places::len(Input))
    });
    check("a packet", &message, &[Output], |places| places.packet(Operation::CbcEncrypt, xtea, &message));
    check("EAX", &all, &[Output, Tag], |places| places.aead(Operation::EaxEncrypt, eax));
    check("EAX backward", &all, &[Output], |places| places.aead(Operation::EaxDecrypt, eax));
    check("a packet of EAX", &all, &[Output, Tag], |places| places.packet(Operation::EaxEncrypt, eax, &all));
    check("a packet of EAX backward", &all, &[Output], |places| {
        places.packet(Operation::EaxDecrypt, eax, &all)
    });
    abreast_aead_free(eax.into());
    abreast_cipher_free(xtea.into());
}
