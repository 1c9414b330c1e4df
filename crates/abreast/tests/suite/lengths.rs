//! Messages of every length up to a thousand bytes and around every step of the ladders up to three
//! main passes and more, in place and from buffer to buffer, misaligned, against the reference.

use crate::common::boundaries;
use crate::common::modes::{Beginnings, Cmac, DIRECTIONS, Eax, Gcm, Inputs, Mode, Sealed, both_directions};
use crate::common::{Fast, Random, both_ways, label, lengths, long_or_short, same, short, subjects};
use abreast::modes::{CounterWidth, Ctr, Direction};
use abreast::packets::CipherKey;
use abreast::{Error, InOutBuf};

/// The lengths of this run for ladders; fewer where the reference has to begin anew for each of them.
/// Three of the longest passes, of 128 blocks, are 384 bytes where each byte takes a block.
fn of_ladders(mode: &dyn Mode, block: usize) -> Vec<usize> {
    if mode.bytes_per_block(block) == 1 {
        return (0..=long_or_short(450, 70)).collect();
    }
    match (short(), mode.has_prefixes()) {
        (true, true) => lengths(140, 2),
        (true, false) => lengths(66, 1),
        (false, true) => lengths(1300, 7),
        (false, false) => lengths(700, 3),
    }
}

/// For chains, which have no ladder: some blocks and a part.
fn of_chains() -> Vec<usize> {
    (0..=long_or_short(200, 40)).collect()
}

/// One message in one call, in both ways.
fn check_whole(
    mode: &dyn Mode,
    fast: &Fast,
    inputs: &Inputs,
    (sealed, directions): (&Sealed, &[Direction]),
    at: usize,
    more: &dyn Fn() -> String,
) {
    both_directions(
        sealed,
        || format!("{}, {}{}", label(fast.any()), mode.name(), more()),
        directions,
        |direction, io, tag| mode.whole(fast, inputs, direction, io, tag),
        |data, expected, what, operation| both_ways(data, expected, at, what, operation),
    );
}

fn every_length(mode: &dyn Mode) {
    let mut random = Random::new(1);
    for subject in subjects(&mut random) {
        let block = subject.cipher.block_size();
        if !mode.suits(block) {
            continue;
        }
        let inputs = Inputs::new(&subject, &mut random);
        let message = Beginnings::new(mode, &subject, &inputs, random.bytes(8192));
        for (directions, lengths) in [(true, of_chains()), (false, of_ladders(mode, block))] {
            let directions: Vec<_> =
                DIRECTIONS.into_iter().filter(|direction| mode.chains(*direction) == directions).collect();
            if directions.is_empty() {
                continue;
            }
            for (at, len) in lengths.into_iter().filter(|len| mode.takes(*len, block)).enumerate() {
                let sealed = message.of(mode, &subject, &inputs, len);
                for fast in &subject.kernels {
                    check_whole(mode, fast, &inputs, (&sealed, &directions), at, &String::new);
                }
            }
        }
    }
}

crate::common::modes::test_per_mode!(every_length);

/// Messages of the lengths at which some kernel goes another way.
fn every_boundary(mode: &dyn Mode) {
    let mut random = Random::new(9);
    for subject in subjects(&mut random) {
        let block = subject.cipher.block_size();
        if !mode.suits(block) {
            continue;
        }
        let inputs = Inputs::new(&subject, &mut random);
        let unit = mode.bytes_per_block(block);
        let most = long_or_short(8320, 300) / block * unit;
        let message = Beginnings::new(mode, &subject, &inputs, random.bytes(most + block));
        let keys = subject.kernels.iter().map(|fast| CipherKey::from(fast.any()));
        let lengths = boundaries::lengths(keys, unit, most);
        for (at, len) in lengths.into_iter().filter(|len| mode.takes(*len, block)).enumerate() {
            let sealed = message.of(mode, &subject, &inputs, len);
            for fast in &subject.kernels {
                check_whole(mode, fast, &inputs, (&sealed, &DIRECTIONS), at, &String::new);
            }
        }
    }
}

crate::common::modes::test_per_mode!(every_boundary);

/// Short messages with other inputs, each varied by a number.
fn varied(
    mode: &dyn Mode,
    numbers: impl Iterator<Item = usize> + Clone,
    vary: impl Fn(&mut Inputs, &[u8], usize),
) {
    let mut random = Random::new(2);
    for subject in subjects(&mut random) {
        if !mode.suits(subject.cipher.block_size()) {
            continue;
        }
        let mut inputs = Inputs::new(&subject, &mut random);
        let (bytes, plaintext) = (random.bytes(8192), random.bytes(40));
        for number in numbers.clone() {
            vary(&mut inputs, &bytes, number);
            if inputs.tag_len > subject.cipher.block_size() {
                continue;
            }
            let plaintext = &plaintext[..number % 41];
            let (ciphertext, tag) = mode.seal(&subject, &inputs, plaintext);
            let sealed = Sealed { plaintext: plaintext.to_vec(), ciphertext, tag };
            for fast in &subject.kernels {
                check_whole(mode, fast, &inputs, (&sealed, &DIRECTIONS), number, &|| {
                    format!(", {inputs:x?}")
                });
            }
        }
    }
}

/// Checks associated data of these lengths. EAX gets shorter ones than GCM, since CMAC takes one block after the other.
fn every_aad(mode: &dyn Mode, lengths: Vec<usize>) {
    varied(mode, lengths.into_iter(), |inputs, bytes, len| inputs.aad = bytes[..len].to_vec());
}

#[test]
fn associated_data_of_gcm() {
    every_aad(&Gcm, if short() { lengths(80, 0) } else { lengths(600, 2) });
}

#[test]
fn headers_of_eax() {
    every_aad(&Eax, if short() { lengths(40, 0) } else { lengths(300, 1) });
}

#[test]
fn nonces_of_gcm() {
    let lengths = if short() { lengths(40, 0) } else { lengths(300, 2) };
    varied(&Gcm, lengths.into_iter().filter(|len| *len > 0), |inputs, bytes, len| {
        inputs.nonce = bytes[..len].to_vec();
    });
}

/// No nonce too.
#[test]
fn nonces_of_eax() {
    varied(&Eax, 0..=long_or_short(300, 40), |inputs, bytes, len| inputs.nonce = bytes[..len].to_vec());
}

#[test]
fn tags_of_every_length() {
    for mode in [&Eax as &dyn Mode, &Cmac] {
        varied(mode, 1..=16, |inputs, _, len| inputs.tag_len = len);
    }
    varied(&Gcm, [4, 8, 12, 13, 14, 15, 16].into_iter(), |inputs, _, len| inputs.tag_len = len);
}

/// Every misalignment of the input against every one of the output, for a length with a tail.
#[test]
fn misalignments() {
    let mut random = Random::new(6);
    // No common divisor with the alignments.
    let step = if short() { 31 } else { 3 };
    for subject in subjects(&mut random) {
        let data = random.bytes(1024 + 256 + 64 + 16 + 7);
        let counter = subject.counter(&mut random);
        let expected = subject.reference.ctr(counter, CounterWidth::Bits32, &data);
        for cipher in subject.kernels() {
            for from in (0..64).step_by(step) {
                for to in (0..64).step_by(step) {
                    let mut input = vec![0; from];
                    input.extend(&data);
                    let mut output = vec![0; to + data.len()];
                    let io = InOutBuf::new(&input[from..], &mut output[to..]).expect("equal lengths");
                    let block = subject.counter_block(counter);
                    let mut ctr = Ctr::from_cipher(cipher, &block, CounterWidth::Bits32).expect("a block");
                    assert_eq!(ctr.apply(io), Ok(()));
                    same(&output[to..], &expected, || format!("{}, from {from} to {to}", label(cipher)));
                }
            }
        }
    }
}

/// Checks that the modes for whole blocks reject partial ones.
#[test]
fn parts_of_blocks_are_refused() {
    use crate::common::modes::{Cbc, Ecb};
    let mut random = Random::new(7);
    for subject in subjects(&mut random) {
        let data = random.bytes(long_or_short(1100, 100));
        let inputs = Inputs::new(&subject, &mut random);
        for fast in &subject.kernels {
            for mode in [&Ecb as &dyn Mode, &Cbc] {
                for len in (0..data.len()).filter(|len| !mode.takes(*len, subject.cipher.block_size())) {
                    let mut buffer = data[..len].to_vec();
                    for direction in DIRECTIONS {
                        let io = buffer.as_mut_slice().into();
                        let done = mode.whole(fast, &inputs, direction, io, &mut []);
                        assert_eq!(done, Err(Error::PartialBlock), "{}", mode.name());
                    }
                    same(&buffer, &data[..len], || format!("{}, {len} bytes", label(fast.any())));
                }
            }
        }
    }
}

/// Initialisation vectors are one block long.
#[test]
fn other_initialisation_vectors_are_refused() {
    use crate::common::modes::{Cbc, Cfb, Cfb8, Ofb};
    let modes: [&dyn Mode; 4] = [&Cbc, &Cfb, &Cfb8, &Ofb];
    let mut random = Random::new(8);
    for subject in subjects(&mut random) {
        let mut inputs = Inputs::new(&subject, &mut random);
        for len in (0..40).filter(|len| *len != subject.cipher.block_size()) {
            inputs.iv = vec![0; len];
            for fast in &subject.kernels {
                for (mode, direction) in modes.into_iter().flat_map(|mode| DIRECTIONS.map(|d| (mode, d))) {
                    let mut buffer = [0x77; 32];
                    let io = buffer.as_mut_slice().into();
                    let done = mode.whole(fast, &inputs, direction, io, &mut []);
                    assert_eq!(done, Err(Error::IvLength), "{}, {}", label(fast.any()), mode.name());
                    assert_eq!(buffer, [0x77; 32]);
                }
            }
        }
    }
}

#[test]
fn buffers_of_different_lengths_are_an_error() {
    let made = InOutBuf::new(&[0; 16][..], &mut [0; 17][..]).map(|_: InOutBuf<'_, '_, u8>| ());
    assert_eq!(made.map_err(Error::from), Err(Error::BufferLengths));
}
