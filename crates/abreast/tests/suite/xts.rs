//! Data units of XTS: many in one call, their numbers, their lengths, and keys that are the same.

use crate::common::guarded::guarded;
use crate::common::modes::{DIRECTIONS, Inputs, Mode, Sealed, both_directions};
use crate::common::{Fast, Random, both_ways, label, long_or_short, same, short, subjects_16};
use abreast::kernels::{Algorithm, algorithms};
use abreast::modes::{Direction, Xts};
use abreast::serpent::Serpent;
use abreast::{BlockCipher128, Error, InOutBuf};

/// The mode of a cipher at a kernel.
fn xts(fast: &Fast) -> &Xts<Box<dyn BlockCipher128>> {
    let Fast::Of16(xts) = fast else { panic!("blocks of 16 bytes") };
    xts
}

/// Units of `unit` bytes with a first number, against the reference.
fn check_units(seed: u64, numbers: &[u128], unit: usize, lengths: impl Iterator<Item = usize> + Clone) {
    let mut random = Random::new(seed);
    let mode = crate::common::modes::Xts(Some(unit));
    for subject in subjects_16(&mut random) {
        let mut inputs = Inputs::new(&subject, &mut random);
        for number in numbers {
            inputs.number = *number;
            for len in lengths.clone().filter(|len| mode.takes(*len, 16)) {
                let plaintext = random.bytes(len);
                let (ciphertext, tag) = mode.seal(&subject, &inputs, &plaintext);
                let sealed = Sealed { plaintext, ciphertext, tag };
                for fast in &subject.kernels {
                    both_directions(
                        &sealed,
                        || format!("{}, units of {unit} bytes from {number:#x} on", label(fast.any())),
                        &DIRECTIONS,
                        |direction, io, tag| mode.whole(fast, &inputs, direction, io, tag),
                        |data, expected, what, operation| both_ways(data, expected, len, what, operation),
                    );
                }
            }
        }
    }
}

/// The numbers of some units are encrypted together: less and more of them, the last one shorter, with
/// ciphertext that is stolen in all, in the last, in all but the last.
#[test]
fn many_units() {
    for (seed, unit) in (0..).zip([16, 17, 31, 32, 48, 61]) {
        let units = [0, 1, 2, 31, 32, 33, 64, 65];
        let units = &units[..if short() { 5 } else { units.len() }];
        let parts: &[usize] = if short() { &[0, 23] } else { &[0, 16, 17, 31, 40] };
        let lengths = units
            .iter()
            .flat_map(|n| parts.iter().filter(|part| **part < unit).map(move |part| unit * n + part));
        check_units(70 + seed, &[0x1234_5678_9abc_def0_1122_3344_5566_7788], unit, lengths);
    }
}

#[test]
fn sectors() {
    for unit in [512, 4096] {
        let lengths = [unit, 3 * unit, 3 * unit + 100].into_iter();
        check_units(80, &[1000], unit, lengths.take(long_or_short(3, 1)));
    }
}

/// The number of a unit is one of 128 bits, and after the last comes the first.
#[test]
fn numbers_wrap() {
    let numbers: Vec<u128> = [u32::MAX.into(), u64::MAX.into(), u128::MAX]
        .into_iter()
        .flat_map(|end: u128| [0, 1, 31, 33].map(|before| end - before))
        .collect();
    check_units(81, &numbers, 24, [24 * 3, 24 * 40 + 17].into_iter());
    // Units of whole blocks, which go together, and a last one that does not.
    check_units(86, &numbers, 32, [32 * 3, 32 * 40 + 17].into_iter());
}

/// Tweaks that carry out of their highest bit, and those of the next to last block, which stealing takes
/// in another order: every length of a unit.
#[test]
fn every_length_of_a_unit() {
    let mut random = Random::new(82);
    let mode = crate::common::modes::Xts(None);
    for subject in subjects_16(&mut random) {
        let inputs = Inputs::new(&subject, &mut random);
        let data = random.bytes(600);
        for len in (16..=long_or_short(600, 150)).step_by(long_or_short(1, 3)) {
            let (expected, _) = mode.seal(&subject, &inputs, &data[..len]);
            for fast in &subject.kernels {
                let what = || format!("{}, {len} bytes", label(fast.any()));
                let mut buffer = data[..len].to_vec();
                let io = buffer.as_mut_slice();
                assert_eq!(xts(fast).encrypt_units(inputs.number, len, io), Ok(()));
                same(&buffer, &expected, what);
                // No byte at the end is left as it was: some have been known to forget the last ones.
                let (last, from) = (&buffer[len - 16..], &data[len - 16..len]);
                assert!(last.iter().zip(from).filter(|(a, b)| a == b).count() < 8, "{}", what());
                // A unit is the same as one that could be longer.
                buffer.copy_from_slice(&data[..len]);
                let io = buffer.as_mut_slice();
                assert_eq!(xts(fast).encrypt_units(inputs.number, 1000, io), Ok(()));
                same(&buffer, &expected, what);
            }
        }
    }
}

/// The tweak of a stolen tail is computed by itself, 64 blocks at a time: units that end just before such a step, on it and
/// just after it.
#[test]
fn stolen_tails_of_long_units() {
    let mut random = Random::new(85);
    let mode = crate::common::modes::Xts(None);
    for subject in subjects_16(&mut random) {
        let inputs = Inputs::new(&subject, &mut random);
        let data = random.bytes(16 * 195);
        for blocks in [63, 64, 65, 66, 127, 128, 129, 192, 193] {
            for len in [16 * blocks + 1, 16 * blocks + 15] {
                let (expected, _) = mode.seal(&subject, &inputs, &data[..len]);
                for fast in &subject.kernels {
                    let what = || format!("{}, {len} bytes", label(fast.any()));
                    let mut buffer = data[..len].to_vec();
                    assert_eq!(xts(fast).encrypt_units(inputs.number, len, buffer.as_mut_slice()), Ok(()));
                    same(&buffer, &expected, what);
                    assert_eq!(xts(fast).decrypt_units(inputs.number, len, buffer.as_mut_slice()), Ok(()));
                    same(&buffer, &data[..len], what);
                }
            }
        }
    }
}

#[test]
fn other_lengths_of_units_are_refused() {
    let mut random = Random::new(83);
    let longest = 16 << 20;
    for subject in subjects_16(&mut random) {
        let data = random.bytes(200);
        for fast in &subject.kernels {
            let units = |direction, unit, io: InOutBuf<'_, '_, u8>| match direction {
                Direction::Encrypt => xts(fast).encrypt_units(5, unit, io),
                Direction::Decrypt => xts(fast).decrypt_units(5, unit, io),
            };
            for direction in DIRECTIONS {
                let refused = |unit: usize, len: usize| {
                    let mut buffer = data[..len].to_vec();
                    let done = units(direction, unit, buffer.as_mut_slice().into());
                    assert_eq!(done, Err(Error::UnitLength), "{len} bytes in units of {unit}");
                    same(&buffer, &data[..len], || label(fast.any()));
                };
                // Too short a unit, be there data or not; too long a one; too short a last one.
                for unit in (0..16).chain([longest + 1, usize::MAX]) {
                    for len in [0, 1, 15, 16, 32, 100] {
                        refused(unit, len);
                    }
                }
                for len in 1..16 {
                    for unit in [16, 17, 64, longest] {
                        refused(unit, len);
                    }
                    refused(32, 32 + len);
                    refused(61, 122 + len);
                }
                assert_eq!(units(direction, 16, [].as_mut_slice().into()), Ok(()));
                assert_eq!(units(direction, longest, [].as_mut_slice().into()), Ok(()));
            }
        }
    }
}

/// The longest unit, 2^20 blocks, is one; a byte more is not.
#[test]
fn the_longest_unit() {
    if short() {
        return;
    }
    let longest = 16 << 20;
    let long = &mut guarded(longest + 4096)[..longest];
    for subject in subjects_16(&mut Random::new(84)) {
        let fast = subject.kernels.first().expect("a kernel");
        assert_eq!(xts(fast).encrypt_units(5, longest, &mut *long), Ok(()));
        // The tweak of the last block is that of the first times x^(2^20 - 1).
        let mut tweak = 5_u128.to_le_bytes();
        use abreast_reference::BlockCipher as _;
        tweak = subject.tweak_reference.of_16().encrypt_block(&tweak);
        let mut tweak = u128::from_le_bytes(tweak);
        for _ in 1..1 << 20 {
            tweak = (tweak << 1) ^ ((tweak >> 127) * 0x87);
        }
        let last = subject.reference.of_16().encrypt_block(&tweak.to_le_bytes());
        let last = u128::from_le_bytes(last) ^ tweak;
        same(&long[longest - 16..], &last.to_le_bytes(), || label(fast.any()));
        assert_eq!(xts(fast).decrypt_units(5, longest, &mut *long), Ok(()));
        assert!(long.iter().all(|byte| *byte == 0), "{}", label(fast.any()));
    }
}

#[test]
fn equal_keys_are_refused() {
    for subject in subjects_16(&mut Random::new(85)) {
        let kernels: Vec<_> = subject.kernels_16().map(|cipher| cipher.kernel()).collect();
        let with = |key: &[u8], kernel| subject.cipher.with_key_128(key, Some(kernel)).expect("a key");
        let mut other = subject.key.clone();
        for (a, b) in kernels.iter().flat_map(|a| kernels.iter().map(move |b| (*a, *b))) {
            let made = Xts::new(with(&subject.key, a), with(&subject.key, b)).map(|_| ());
            assert_eq!(made, Err(Error::EqualKeys), "{} on {a} and {b}", subject.cipher.name());
            other[0] ^= 1;
            assert!(Xts::new(with(&subject.key, a), with(&other, b)).is_ok());
            other[0] ^= 1;
        }
    }
}

/// Checks that XTS rejects two ciphers that differ, by name, and keys of different lengths of one type.
#[test]
fn different_ciphers_are_refused() {
    let wide: Vec<_> = algorithms().iter().filter(|cipher| cipher.block_size() == 16).collect();
    let with = |cipher: &Algorithm, byte: u8| {
        cipher.with_key_128(&vec![byte; cipher.key_len()], None).expect("a key of its length")
    };
    for data in &wide {
        for tweak in &wide {
            let made = Xts::new(with(data, 1), with(tweak, 2)).map(|_| ());
            let expected = if data == tweak { Ok(()) } else { Err(Error::DifferentCiphers) };
            assert_eq!(made, expected, "{} and {}", data.name(), tweak.name());
        }
    }
    let serpent = |len: usize| Serpent::new(&[7; 32][..len]).expect("a key");
    assert_eq!(Xts::new(serpent(32), serpent(16)).map(|_| ()), Err(Error::DifferentCiphers));
}
