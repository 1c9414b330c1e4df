//! No byte beside a buffer is touched: every buffer lies flush against a page that faults, once before it
//! and once after it.
//!
//! A failure is a fault that ends the test program; a debugger says where.

use crate::common::aez::{MAX_DETACHED, Message, Shape, aez_kernels, at_len, in_place_or_not};
use crate::common::guarded::{End, flush, guarded, put};
use crate::common::modes::{Beginnings, DIRECTIONS, Inputs, Mode, both_directions};
use crate::common::{Fast, Random, label, lengths, long_or_short, same, short, subjects, subjects_16};
use abreast::aez::Aez;
use abreast::modes::{Cbc, Cmac, CounterWidth, Ctr, Direction, Eax, Gcm};
use abreast::packets::{Packet, aez_decrypt, aez_encrypt};
use abreast::{Error, InOutBuf};
use abreast_reference::gcm;

const ENDS: [End; 2] = [End::First, End::Last];
const CAPACITY: usize = 8192;

/// The lengths for chains, which have no passes.
fn of_chains() -> Vec<usize> {
    (0..=long_or_short(100, 33)).collect()
}

/// The lengths for modes with passes of many blocks: every length up to the smallest pass and more, and around each other
/// pass. Where each byte takes a block (CFB with segments of a byte), a pass has as many bytes as otherwise blocks, and
/// all passes are among the shorter list.
fn of_passes(block_per_byte: bool) -> Vec<usize> {
    match (short(), block_per_byte) {
        (true, true) => (0..=33).collect(),
        (true, false) => lengths(33, 0),
        (false, true) => (0..=150).collect(),
        (false, false) => lengths(160, 2),
    }
}

/// Two guarded buffers, one to read and one to write.
type Buffers = [&'static mut [u8]; 2];

/// Runs an operation on guarded buffers: in place, and from one to another, at both ends of each.
fn guarded_ways(
    [first, second]: &mut Buffers,
    data: &[u8],
    expected: &[u8],
    what: &dyn Fn() -> String,
    operation: &mut dyn FnMut(InOutBuf<'_, '_, u8>),
) {
    for from in ENDS {
        let buffer = flush(first, from, data.len());
        buffer.copy_from_slice(data);
        operation(buffer.into());
        same(buffer, expected, || format!("{}, in place at the {from:?} byte", what()));
        for to in ENDS {
            let input = flush(first, from, data.len());
            input.copy_from_slice(data);
            let output = flush(second, to, data.len());
            operation(InOutBuf::new(input, output).expect("equal lengths"));
            same(output, expected, || format!("{}, from {from:?} to {to:?}", what()));
        }
    }
}

/// Every length in one call, and in two pieces.
fn every_length(mode: &dyn Mode) {
    let mut random = Random::new(31);
    let mut buffers = [guarded(CAPACITY), guarded(CAPACITY)];
    for subject in subjects(&mut random) {
        let block = subject.cipher.block_size();
        if !mode.suits(block) {
            continue;
        }
        let inputs = Inputs::new(&subject, &mut random);
        let message = Beginnings::new(mode, &subject, &inputs, random.bytes(CAPACITY));
        for direction in DIRECTIONS {
            let lens = if mode.chains(direction) {
                of_chains()
            } else {
                of_passes(mode.bytes_per_block(block) == 1)
            };
            for len in lens.into_iter().filter(|len| mode.takes(*len, block)) {
                let sealed = message.of(mode, &subject, &inputs, len);
                for fast in &subject.kernels {
                    let what = |how: &str| format!("{}, {}{how}", label(fast.any()), mode.name());
                    both_directions(
                        &sealed,
                        || what(""),
                        &[direction],
                        |direction, io, tag| mode.whole(fast, &inputs, direction, io, tag),
                        |data, expected, what, run| guarded_ways(&mut buffers, data, expected, what, run),
                    );
                    let Some(grain) = mode.grain(block).filter(|_| len <= 100) else { continue };
                    both_directions(
                        &sealed,
                        || what(" in pieces"),
                        &[direction],
                        |direction, io, tag| {
                            mode.pieces(fast, &inputs, direction, io, &[len / 3 / grain * grain], tag)
                        },
                        |data, expected, what, run| guarded_ways(&mut buffers, data, expected, what, run),
                    );
                }
            }
        }
    }
}

crate::common::modes::test_per_mode!(every_length);

/// The zeros that a forged message becomes.
#[test]
fn forgeries() {
    let mut random = Random::new(33);
    let mut buffers = [guarded(CAPACITY), guarded(CAPACITY)];
    for subject in subjects(&mut random) {
        for len in of_chains() {
            let data = random.bytes(len);
            let zeros = vec![0; len];
            for fast in &subject.kernels {
                let what = || format!("{}, {len} bytes", label(fast.any()));
                guarded_ways(&mut buffers, &data, &zeros, &what, &mut |io| {
                    let eax = Eax::from_cipher(fast.any());
                    let opened =
                        eax.with_tag_len(8).map(|eax| eax.decrypt_detached(b"nonce", b"header", io, &[7; 8]));
                    assert_eq!(opened, Ok(Err(Error::TagMismatch)));
                });
                let Some(cipher) = fast.of_16() else { continue };
                guarded_ways(&mut buffers, &data, &zeros, &what, &mut |io| {
                    assert!(
                        Gcm::from_cipher(cipher).decrypt_detached(&[1; 12], b"data", io, &[7; 16]).is_err()
                    );
                });
            }
        }
    }
}

/// XTS and CFB have been known elsewhere to read past the end of messages whose last vector is short, by
/// the widest registers: here that faults, at every length up to some registers of 64 bytes and a part.
#[test]
fn tails_of_xts_and_cfb_read_nothing_beyond() {
    use crate::common::modes::Cfb;
    let mut random = Random::new(34);
    let [input, output] = [(); 2].map(|()| guarded(CAPACITY));
    let bytes = random.bytes(CAPACITY);
    for subject in subjects(&mut random) {
        let inputs = Inputs::new(&subject, &mut random);
        for len in 0..=if short() { 80 } else { 300 } {
            let (data, to) = (flush(input, End::Last, len), flush(output, End::Last, len));
            for fast in &subject.kernels {
                for direction in DIRECTIONS {
                    data.copy_from_slice(&bytes[..len]);
                    let io = InOutBuf::new(data, to).expect("equal lengths");
                    assert_eq!(Cfb.whole(fast, &inputs, direction, io, &mut []), Ok(()));
                    if let (Fast::Of16(xts), true) = (fast, len >= 16) {
                        let io = InOutBuf::new(data, to).expect("equal lengths");
                        let done = match direction {
                            Direction::Encrypt => xts.encrypt_units(7, len, io),
                            Direction::Decrypt => xts.decrypt_units(7, len, io),
                        };
                        assert_eq!(done, Ok(()));
                    }
                }
            }
        }
    }
}

/// Checks the buffers that are only read, or short: associated data, nonce, tag, key, counter block, initialisation vector.
#[test]
fn everything_else() {
    let mut random = Random::new(35);
    let [first, second, third] = [(); 3].map(|()| guarded(CAPACITY));
    for subject in subjects_16(&mut random) {
        let bytes = random.bytes(CAPACITY);
        for len in of_chains() {
            let nonce_len = 1 + len % 150;
            let tag_len = [4, 8, 12, 13, 14, 15, 16][len % 7];
            let (sealed, tag) = gcm::seal(
                subject.reference.of_16(),
                &bytes[..nonce_len],
                &bytes[..len],
                &bytes[..20],
                tag_len,
            );
            for cipher in subject.kernels_16() {
                for end in ENDS {
                    let what = || format!("{}, {len} bytes of data, flush at the {end:?}", label(cipher));
                    let key = flush(first, end, subject.key.len());
                    key.copy_from_slice(&subject.key);
                    let cipher = subject.cipher.with_key_128(key, Some(cipher.kernel())).expect("a key");
                    let aad = flush(first, end, len);
                    aad.copy_from_slice(&bytes[..len]);
                    let nonce = flush(second, end, nonce_len);
                    nonce.copy_from_slice(&bytes[..nonce_len]);
                    let made = flush(third, end, tag_len);
                    let gcm = Gcm::from_cipher(cipher);

                    let mut data = bytes[..20].to_vec();
                    let cut = gcm.with_tag_len(tag_len).expect("a length of the standard");
                    assert_eq!(cut.encrypt_detached(nonce, aad, data.as_mut_slice(), made), Ok(()));
                    same(&data, &sealed, what);
                    same(made, &tag, what);
                    let opened = cut.decrypt_detached(nonce, aad, data.as_mut_slice(), made);
                    assert_eq!(opened, Ok(()), "{}", what());

                    made.fill(0);
                    let encryptor = gcm.encryptor(nonce, aad).and_then(|encryptor| {
                        let mut encryptor = encryptor.with_tag_len(tag_len)?;
                        encryptor.update(data.as_mut_slice()).map(|()| encryptor)
                    });
                    assert_eq!(encryptor.and_then(|encryptor| encryptor.finish(made)), Ok(()));
                    same(made, &tag, what);

                    let block = flush(second, end, 16);
                    assert!(Ctr::from_cipher(gcm.cipher(), block, CounterWidth::Bits64).is_ok());
                    assert!(Cbc::from_cipher(gcm.cipher(), block).is_ok());

                    let eax = Eax::from_cipher(gcm.cipher());
                    let eax = eax.with_tag_len(tag_len).expect("up to a block");
                    let nonce = flush(second, end, nonce_len);
                    eax.encrypt_detached(nonce, aad, data.as_mut_slice(), made).expect("up to a block");
                    eax.decrypt_detached(nonce, aad, data.as_mut_slice(), made).expect("authentic");
                    let cmac = Cmac::from_cipher(gcm.cipher());
                    let cmac = cmac.with_tag_len(tag_len).expect("up to a block");
                    cmac.mac(aad, made).expect("up to a block");
                    cmac.verify(aad, made).expect("authentic");
                }
            }
        }
    }
}

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
