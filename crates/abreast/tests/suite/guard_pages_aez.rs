//! No byte beside a buffer of AEZ is touched, as in [`guard_pages`](crate::guard_pages).

use crate::common::aez::{MAX_DETACHED, Message, Shape, aez_kernels, at_len, in_place_or_not};
use crate::common::guarded::{End, flush, guarded, put};
use crate::common::modes::DIRECTIONS;
use crate::common::{Random, same, short};
use crate::guard_pages::CAPACITY;
use abreast::aez::Aez;
use abreast::modes::Direction;
use abreast::packets::{Packet, aez_decrypt, aez_encrypt};
use abreast::{Error, InOutBuf};

/// The buffers of a message of AEZ, each in guarded memory of its own.
struct Guarded {
    input: &'static mut [u8],
    output: &'static mut [u8],
    tag: &'static mut [u8],
    nonce: &'static mut [u8],
    ads: [&'static mut [u8]; 2],
}

impl Guarded {
    fn new() -> Self {
        Self {
            input: guarded(CAPACITY),
            output: guarded(CAPACITY),
            tag: guarded(1),
            nonce: guarded(1),
            ads: [guarded(1), guarded(1)],
        }
    }
}

/// A message of AEZ: every other with the usual lengths around it, the others with all kinds of them.
fn shape_of_aez(len: usize) -> Shape {
    let ads = vec![len * 5 % 71, len * 3 % 40];
    let (key, nonce, tag) = (len % 101, len * 7 % 50, len * 7 % (MAX_DETACHED + 1));
    let mixed = Shape { key, nonce, ads, tag, message: len };
    let usual = Shape { ads: vec![5, 20], ..Shape::of(len) };
    if len % 4 < 2 { usual } else { mixed }
}

/// Every length of a few vectors, and around chunks and passes.
fn lengths_of_aez() -> Vec<usize> {
    if short() {
        return (0..=70).chain([255, 256, 257, 300]).collect();
    }
    let around = |chunk: usize| (chunk - 33..=chunk + 33).filter(|len| *len > 300);
    (0..=300).chain([512, 1024, 2048, 2080, 4096].into_iter().flat_map(around)).collect()
}

/// At both ends of their memory: the message, the tag apart and after the ciphertext, the nonce, the data; a forgery
/// too.
#[test]
fn aez() {
    let mut random = Random::new(36);
    let Guarded { input, output, tag, nonce, ads: [first, second] } = Guarded::new();
    for len in lengths_of_aez() {
        let message = Message::new(&mut random, &shape_of_aez(len));
        let (ciphertext, sealed_tag) = message.parts();
        for kernel in aez_kernels() {
            for (end, in_place) in
                [(End::First, true), (End::First, false), (End::Last, true), (End::Last, false)]
            {
                let what = || format!("AEZ on {kernel}, flush at the {end:?}, {:?}", message.shape());
                let key = put(input, end, &message.key);
                let aez = Aez::with_kernel(key, kernel).expect("a kernel of AEZ");
                let (nonce, first) = (put(nonce, end, &message.nonce), put(first, end, &message.ads[0]));
                let ads: &[&[u8]] = &[first, put(second, end, &message.ads[1])];
                let mut once = |data: &[u8], call: &mut dyn FnMut(InOutBuf<'_, '_, u8>)| {
                    let input = put(input, end, data);
                    let output = flush(output, end, data.len());
                    call(in_place_or_not(in_place, input, output));
                    if in_place { input.to_vec() } else { output.to_vec() }
                };

                let tag = flush(tag, end, message.tag_len);
                let done = once(&message.plaintext, &mut |io| {
                    assert_eq!(
                        at_len(&aez, message.tag_len).encrypt_detached(nonce, ads, io, tag),
                        Ok(()),
                        "{}",
                        what()
                    );
                });
                same(&done, ciphertext, what);
                same(tag, sealed_tag, what);
                let done = once(ciphertext, &mut |io| {
                    assert_eq!(
                        at_len(&aez, message.tag_len).decrypt_detached(nonce, ads, io, tag),
                        Ok(()),
                        "{}",
                        what()
                    );
                });
                same(&done, &message.plaintext, what);

                let done = once(&message.with_room(9), &mut |io| {
                    let done = at_len(&aez, message.tag_len).encrypt_joined(nonce, ads, io);
                    assert_eq!(done, Ok(()), "{}", what());
                });
                same(&done, &message.ciphertext, what);
                let done = once(&message.ciphertext, &mut |io| {
                    let done = at_len(&aez, message.tag_len).decrypt_joined(nonce, ads, io);
                    assert_eq!(done, Ok(()), "{}", what());
                });
                same(&done, &message.with_room(0), what);

                if message.tag_len >= 8 {
                    tag[0] ^= 1;
                    let done = once(ciphertext, &mut |io| {
                        assert_eq!(
                            at_len(&aez, message.tag_len).decrypt_detached(nonce, ads, io, tag),
                            Err(Error::TagMismatch),
                            "{}",
                            what()
                        );
                    });
                    same(&done, &vec![0; len], what);
                }
            }
        }
    }
}

/// Checks batches of AEZ with every buffer of a message at one end of its guarded memory, by turns.
#[test]
fn batches_of_aez() {
    const LANES: usize = 17;
    let mut random = Random::new(37);
    let mut memory: Vec<_> = (0..LANES).map(|_| Guarded::new()).collect();
    let messages: Vec<_> = lengths_of_aez()
        .into_iter()
        .map(|len| Message::new(&mut random, &shape_of_aez(len).of_packet()))
        .collect();
    for kernel in aez_kernels() {
        let at_kernel = |message: &Message| Aez::with_kernel(&message.key, kernel).expect("a kernel of AEZ");
        let keys: Vec<_> = messages.iter().map(at_kernel).collect();
        for batch in 0..messages.len() {
            let count = [LANES, 1 + batch % LANES, 8, 4][batch % 4];
            // Neighbours in some batches, lengths far from each other in others.
            let which = |lane: usize| (batch + lane * [1, 37][batch / 4 % 2]) % messages.len();
            let ways = |lane: usize| {
                let end = if (batch / 8 + lane).is_multiple_of(2) { End::First } else { End::Last };
                (end, (batch / 16 + lane / 2).is_multiple_of(2))
            };
            for direction in DIRECTIONS {
                let mut of_lanes: Vec<_> = memory[..count]
                    .iter_mut()
                    .enumerate()
                    .map(|(lane, memory)| {
                        let (message, (end, in_place)) = (&messages[which(lane)], ways(lane));
                        let (ciphertext, tag) = message.parts();
                        let text =
                            if direction == Direction::Encrypt { &message.plaintext } else { ciphertext };
                        let Guarded { input, output, tag: place, nonce, ads: [data, _] } = memory;
                        let io =
                            in_place_or_not(in_place, put(input, end, text), flush(output, end, text.len()));
                        let tag = if direction == Direction::Encrypt {
                            flush(place, end, tag.len())
                        } else {
                            put(place, end, tag)
                        };
                        (put(nonce, end, &message.nonce), put(data, end, message.string()), io, tag)
                    })
                    .collect();
                let mut packets: Vec<_> = of_lanes
                    .iter_mut()
                    .enumerate()
                    .map(|(lane, (nonce, data, io, tag))| {
                        Packet::new(at_len(&keys[which(lane)], tag.len()), nonce, io.reborrow())
                            .with_tag(data, tag)
                    })
                    .collect();
                match direction {
                    Direction::Encrypt => aez_encrypt(&mut packets),
                    Direction::Decrypt => aez_decrypt(&mut packets),
                }
                for (lane, mut packet) in packets.into_iter().enumerate() {
                    let message = &messages[which(lane)];
                    let what = || {
                        format!("AEZ on {kernel}, {direction:?}, {lane} of {count}, {:?}", message.shape())
                    };
                    let (ciphertext, tag) = message.parts();
                    let text = if direction == Direction::Encrypt { ciphertext } else { &message.plaintext };
                    assert_eq!(packet.result, Ok(()), "{}", what());
                    same(packet.buffer.get_out(), text, what);
                    same(packet.tag, tag, what);
                }
            }
        }
    }
}
