//! Messages in pieces: however a message is split, it comes out as it does in one piece, and a stream can
//! be entered at any byte.

use crate::common::boundaries;
use crate::common::modes::{Beginnings, DIRECTIONS, Inputs, Mode, Sealed, both_directions};
use crate::common::{Fast, Random, Subject, both_ways, label, long_or_short, same, subjects};
use abreast::modes::{CounterWidth, Ctr};
use abreast::packets::CipherKey;
use abreast::{BlockCipher, Error};

/// A message of some length under every cipher for which the mode is, with its other inputs.
fn messages(
    mode: &dyn Mode,
    random: &mut Random,
    len: usize,
    mut check: impl FnMut(&Subject, &Inputs, &Sealed, &mut Random),
) {
    for subject in subjects(random) {
        let block = subject.cipher.block_size();
        let Some(grain) = mode.grain(block).filter(|_| mode.suits(block)) else {
            continue;
        };
        let inputs = Inputs::new(&subject, random);
        let plaintext = random.bytes(len / grain * grain);
        let (ciphertext, tag) = mode.seal(&subject, &inputs, &plaintext);
        check(&subject, &inputs, &Sealed { plaintext, ciphertext, tag }, random);
    }
}

/// Does a message in the pieces that `cuts` makes, which are moved to where the mode allows them.
fn check_pieces(mode: &dyn Mode, fast: &Fast, inputs: &Inputs, sealed: &Sealed, cuts: &[usize]) {
    let grain = mode.grain(fast.any().block_size()).expect("a mode that takes pieces");
    let cuts: Vec<usize> = cuts.iter().map(|cut| cut / grain * grain).collect();
    both_directions(
        sealed,
        || format!("{}, {} cut at {cuts:?}", label(fast.any()), mode.name()),
        &DIRECTIONS,
        |direction, io, tag| mode.pieces(fast, inputs, direction, io, &cuts, tag),
        |data, expected, what, operation| both_ways(data, expected, cuts.len(), what, operation),
    );
}

/// Two pieces split anywhere, all bytes alone, and pieces of random lengths, some of them empty.
fn split_anywhere(mode: &dyn Mode) {
    let mut random = Random::new(11);
    messages(mode, &mut random, 200, |subject, inputs, sealed, _| {
        for fast in &subject.kernels {
            for cut in (0..=sealed.plaintext.len()).step_by(long_or_short(1, 19)) {
                check_pieces(mode, fast, inputs, sealed, &[cut]);
            }
        }
    });
    let len = long_or_short(400, 50);
    messages(mode, &mut random, len, |subject, inputs, sealed, _| {
        let cuts: Vec<usize> = (0..sealed.plaintext.len()).collect();
        for fast in &subject.kernels {
            check_pieces(mode, fast, inputs, sealed, &cuts);
        }
    });
    for _ in 0..long_or_short(20, 1) {
        let len = random.up_to(long_or_short(if mode.chains(DIRECTIONS[0]) { 1500 } else { 6000 }, 800));
        messages(mode, &mut random, len, |subject, inputs, sealed, random| {
            let mut cuts = Vec::new();
            let mut at = 0;
            while at <= sealed.plaintext.len() {
                cuts.push(at);
                at += match random.up_to(3) {
                    0 => random.up_to(20),
                    1 => 16 * random.up_to(9),
                    _ => random.length() / 2,
                };
            }
            for fast in &subject.kernels {
                check_pieces(mode, fast, inputs, sealed, &cuts);
            }
        });
    }
}

crate::common::modes::test_per_mode!(split_anywhere);

/// Pieces as long as it takes some kernel to go another way, after one of any such length.
fn split_at_boundaries(mode: &dyn Mode) {
    let mut random = Random::new(12);
    for subject in subjects(&mut random) {
        let block = subject.cipher.block_size();
        let Some(grain) = mode.grain(block).filter(|_| mode.suits(block)) else { continue };
        let inputs = Inputs::new(&subject, &mut random);
        let unit = mode.bytes_per_block(block);
        let most = long_or_short(4208, 200) / block * unit;
        let keys = subject.kernels.iter().map(|fast| CipherKey::from(fast.any()));
        let lengths = boundaries::lengths(keys, unit, most);
        let message = Beginnings::new(mode, &subject, &inputs, random.bytes(2 * most + 40));
        for length in &lengths {
            let first = random.pick(&lengths);
            let cuts = [first, first + length];
            let sealed = message.of(mode, &subject, &inputs, (cuts[1] + random.up_to(40)) / grain * grain);
            for fast in &subject.kernels {
                check_pieces(mode, fast, &inputs, &sealed, &cuts);
            }
        }
    }
}

crate::common::modes::test_per_mode!(split_at_boundaries);

/// The reference's keystream from any byte of a stream on.
fn keystream(subject: &Subject, first: u128, width: CounterWidth, byte: u128, len: usize) -> Vec<u8> {
    let mask = u128::MAX >> (128 - width.bits());
    let block = subject.cipher.block_size() as u128;
    let counter = first & !mask | first.wrapping_add(byte / block) & mask;
    let skipped = (byte % block) as usize;
    subject.reference.ctr(counter, width, &vec![0; skipped + len])[skipped..].to_vec()
}

/// Seeks and compares `len` bytes, in two pieces.
fn check_seek<C: BlockCipher>(
    ctr: &mut Ctr<C>,
    subject: &Subject,
    (first, width): (u128, CounterWidth),
    byte: u128,
    len: usize,
    what: &str,
) {
    let what = || format!("{what}, {width:?}, {len} bytes from {byte:#x} on");
    assert_eq!(ctr.seek_to(byte), Ok(()), "{}", what());
    assert_eq!(ctr.position(), Some(byte), "{}", what());
    let mut got = vec![0; len];
    let (head, tail) = got.split_at_mut(len / 3);
    assert_eq!(ctr.apply(head), Ok(()), "{}", what());
    assert_eq!(ctr.position(), Some(byte + (len / 3) as u128), "{}", what());
    assert_eq!(ctr.apply(tail), Ok(()), "{}", what());
    same(&got, &keystream(subject, first, width, byte, len), what);
}

#[test]
fn seek_to_every_byte() {
    let mut random = Random::new(14);
    for subject in subjects(&mut random) {
        for width in subject.widths() {
            let first = subject.counter(&mut random);
            for cipher in subject.kernels() {
                let mut ctr =
                    Ctr::from_cipher(cipher, &subject.counter_block(first), width).expect("a block");
                for byte in (0..700).step_by(long_or_short(1, 61)) {
                    check_seek(&mut ctr, &subject, (first, width), byte, 40, &label(cipher));
                }
                // Back and forth, from anywhere in a block.
                for _ in 0..long_or_short(100, 5) {
                    let (byte, len) = (random.up_to((1 << 19) - 256) as u128, random.up_to(200));
                    check_seek(&mut ctr, &subject, (first, width), byte, len, &label(cipher));
                }
            }
        }
    }
}

#[test]
fn seek_far() {
    let mut random = Random::new(15);
    for subject in subjects(&mut random) {
        for width in subject.widths() {
            let first = subject.counter(&mut random);
            for cipher in subject.kernels() {
                let mut ctr =
                    Ctr::from_cipher(cipher, &subject.counter_block(first), width).expect("a block");
                // At each power of two below the end of the stream, and in front of it.
                for bit in (8..u128::BITS.min(subject.most_blocks(width) + 3)).step_by(long_or_short(1, 5)) {
                    for byte in [1 << bit, (1 << bit) - 1, (1 << bit) - 16, (1 << bit) + 33] {
                        check_seek(&mut ctr, &subject, (first, width), byte, 100, &label(cipher));
                    }
                }
            }
        }
    }
}

/// Blocks at which a counter carries out of its low 16, 32 or 64 bits, and their neighbours. With a first counter taken at
/// random such a block is hardly ever a round number.
#[test]
fn seek_to_carries() {
    let mut random = Random::new(16);
    for subject in subjects(&mut random) {
        let size = subject.cipher.block_size() as u128;
        for width in subject.widths() {
            for ones in [16, 32, 64].into_iter().filter(|ones| *ones <= width.bits()) {
                let first = subject.counter(&mut random);
                let low = u128::MAX >> (128 - ones);
                // The first block after the carry.
                let carry = low + 1 - (first & low);
                for cipher in subject.kernels() {
                    let mut ctr =
                        Ctr::from_cipher(cipher, &subject.counter_block(first), width).expect("a block");
                    for block in carry.saturating_sub(2)..carry + 2 {
                        if (block + 7)
                            .checked_shr(subject.most_blocks(width))
                            .is_some_and(|beyond| beyond != 0)
                        {
                            continue;
                        }
                        for byte in [block * size, block * size + 1, block * size + size - 1] {
                            check_seek(&mut ctr, &subject, (first, width), byte, 40, &label(cipher));
                        }
                    }
                }
            }
        }
    }
}

/// `Ctr::message` gives the same results and errors as a stream whose first call is its last.
#[test]
fn a_message_of_counter_mode_in_one_call() {
    let mut random = Random::new(16);
    for subject in subjects(&mut random) {
        let size = subject.cipher.block_size();
        for width in subject.widths() {
            for before in [0, 1, 2, 33, u128::from(u64::MAX)] {
                // The low 32 bits, which kernels count, wrap `before` blocks on.
                let first = (subject.counter(&mut random) | u128::from(u32::MAX)).wrapping_sub(before);
                let block = subject.counter_block(first);
                for len in [0, 1, size - 1, size, size + 1, 4 * size, 40 * size + 3] {
                    let data = random.bytes(len);
                    let expected = subject.reference.ctr(first, width, &data);
                    for cipher in subject.kernels() {
                        let what = || format!("{}, {width:?}, {len} bytes from {first:#x}", label(cipher));
                        let mut buffer = data.clone();
                        assert_eq!(
                            Ctr::message(cipher, &block, width, buffer.as_mut_slice()),
                            Ok(()),
                            "{}",
                            what()
                        );
                        same(&buffer, &expected, what);
                    }
                }
            }
        }
        let cipher = subject.kernels().next().expect("a kernel");
        let mut untouched = [7; 40];
        let mut refusal = |len: usize, width| {
            let (block, made) = (vec![0; len], Ctr::from_cipher(cipher, &vec![0; len], width).map(|_| ()));
            assert_eq!(Ctr::message(cipher, &block, width, untouched.as_mut_slice()), made);
            assert_eq!(untouched, [7; 40]);
            made
        };
        assert_eq!(refusal(size - 1, CounterWidth::Bits16), Err(Error::CounterLength));
        if size == 8 {
            assert_eq!(refusal(size, CounterWidth::Bits128), Err(Error::CounterWidth));
        }
        let mut long = vec![7; (1 << 16) * size + 1];
        let block = vec![0; size];
        let refused = Ctr::message(cipher, &block, CounterWidth::Bits16, long.as_mut_slice());
        assert_eq!(refused, Err(Error::CounterExhausted));
        assert!(long.iter().all(|byte| *byte == 7));
    }
}
