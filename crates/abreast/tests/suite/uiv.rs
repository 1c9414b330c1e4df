//! UIV+: known answers, every number of cells side by side, and keys that make their successors, against the reference.

use crate::common::{Random, kernels, long_or_short, same, tally};
use abreast::aes::{Aes128, Aes256};
use abreast::boundaries::constants;
use abreast::kernels::Algorithm;
use abreast::modes::{Uiv, UivCell, UivCipher, UivUpdate};
use abreast::{Error, Kernel};
use abreast_reference::cgo;
use abreast_vectors::{uiv, uiv_et, uiv_prf, uiv_update};

fn kernels_of(name: &str) -> Vec<Kernel> {
    kernels(Algorithm::from_name(name).expect("a cipher"))
}

/// Keys of AES-128 and a nonce, of which the vectors have a part.
fn keys(parts: &[&[u8]], kernel: Kernel) -> Uiv<Aes128> {
    let mut seed = parts.concat();
    seed.resize(80, 0x5a);
    Uiv::with_kernel(&seed, kernel).expect("its kernel")
}

fn cell(parts: &[&[u8]]) -> [u8; 509] {
    parts.concat().try_into().expect("a cell")
}

fn block(bytes: &[u8]) -> [u8; 16] {
    bytes.try_into().expect("a block")
}

/// Checks the two parts of UIV+ through cells: the left part of a ciphertext is a block of the one, whatever the other keys, and
/// decryption of zeros shows the keystream.
#[test]
fn known_answers_of_parts() {
    for case in uiv_et() {
        let (tweak, right) = case.tweak.split_first_chunk().expect("a tweak");
        for kernel in kernels_of("aes-128") {
            let uiv = keys(&[&case.key], kernel);
            let plaintext = cell(&[&case.plaintext, right]);
            let mut data = plaintext;
            uiv.encrypt(tweak, &mut data);
            same(&data[..16], &case.ciphertext, || format!("{} on {kernel}", case.name));
            uiv.decrypt(tweak, &mut data);
            same(&data, &plaintext, || format!("{} on {kernel}", case.name));
        }
        tally::case("uiv_et");
    }
    for case in uiv_prf() {
        for kernel in kernels_of("aes-128") {
            let what = || format!("{} on {kernel}", case.name);
            let mut uiv = keys(&[&[9; 32], &case.key], kernel);
            if case.t == 0 {
                let mut data = cell(&[&case.input, &[0; 493]]);
                uiv.decrypt(&[1; 17], &mut data);
                same(&data[16..], &case.output, what);
            } else {
                uiv.update(&block(&case.input));
                same_keys(&uiv, &case.output, what);
            }
        }
        tally::case("uiv_prf");
    }
}

#[test]
fn known_answers_of_cells() {
    for case in uiv() {
        let tweak = case.tweak[..].try_into().expect("a tweak");
        for kernel in kernels_of("aes-128") {
            let what = || format!("{} on {kernel}", case.name);
            let uiv = keys(&[&case.key], kernel);
            let mut data = cell(&[&case.plaintext]);
            uiv.encrypt(&tweak, &mut data);
            same(&data, &case.ciphertext, what);
            uiv.decrypt(&tweak, &mut data);
            same(&data, &case.plaintext, what);
        }
        tally::case("uiv");
    }
}

#[test]
fn known_answers_of_new_keys() {
    for case in uiv_update() {
        for kernel in kernels_of("aes-128") {
            let mut uiv = keys(&[&case.seed], kernel);
            let nonce = *uiv.nonce();
            uiv.update(&nonce);
            same_keys(&uiv, &case.new_seed, || format!("{} on {kernel}", case.name));
        }
        tally::case("uiv_update");
    }
}

/// Checks that keys are those of a seed: the nonce, and what all the others do.
fn same_keys<C: UivCipher>(uiv: &Uiv<C>, seed: &[u8], what: impl Fn() -> String) {
    let (keys, nonce) = seed.split_last_chunk().expect("a nonce");
    assert_eq!(uiv.nonce(), nonce, "{}", what());
    assert!(uiv.is_nonce(nonce), "{}", what());
    let tweak = [0x77; 17];
    let mut data = [0x33; 509];
    uiv.encrypt(&tweak, &mut data);
    same(&data, &cgo::encrypt(keys, &tweak, &[0x33; 509]), &what);
    let before = data;
    uiv.decrypt(&tweak, &mut data);
    same(&data, &cgo::decrypt(keys, &tweak, &before), &what);
}

/// A cell of a batch, some of which are left out.
struct Item<C> {
    uiv: Uiv<C>,
    tag: [u8; 16],
    byte: u8,
    cell: [u8; 509],
    left_out: bool,
}

/// Every number of cells up to one beyond the keys that are made together, and beyond twice as many; and some left out.
fn batches<C: UivCipher>(name: &str) {
    let mut random = Random::new(230);
    let window = constants().iter().find(|it| it.name == "modes/uiv.rs WINDOW").expect("listed").value;
    let counts = (0..=window + 1).step_by(long_or_short(1, 5)).chain([2 * window, 2 * window + 1]);
    for (count, kernel) in
        counts.flat_map(|count| kernels_of(name).into_iter().map(move |kernel| (count, kernel)))
    {
        for left_out in [0, 2, 6] {
            let mut seeds = Vec::new();
            let mut items: Vec<_> = (0..count)
                .map(|_| {
                    seeds.push(random.bytes(C::SEED));
                    Item::<C> {
                        uiv: Uiv::with_kernel(seeds.last().expect("a seed"), kernel).expect("its kernel"),
                        tag: random.block(),
                        byte: random.word() as u8,
                        cell: cell(&[&random.bytes(509)]),
                        left_out: random.up_to(7) < left_out,
                    }
                })
                .collect();
            let what = |i: usize| format!("{name} on {kernel}, cell {i} of {count}");
            let before: Vec<_> = items.iter().map(|item| item.cell).collect();
            fn cell_of<C>(item: &mut Item<C>) -> Option<UivCell<'_, C>> {
                let Item { uiv, tag, byte, cell, left_out } = item;
                (!*left_out).then(|| UivCell::new(uiv, tag, *byte, cell))
            }
            Uiv::encrypt_each(&mut items.iter_mut().map(cell_of).collect::<Vec<_>>());
            for (i, (item, seed)) in items.iter().zip(&seeds).enumerate() {
                let tweak = [&item.tag[..], &[item.byte]].concat().try_into().expect("a tweak");
                let expected = cgo::encrypt(&seed[..C::SEED - 16], &tweak, &before[i]);
                same(&item.cell, if item.left_out { &before[i] } else { &expected }, || what(i));
            }
            Uiv::decrypt_each(&mut items.iter_mut().map(cell_of).collect::<Vec<_>>());
            for (i, item) in items.iter().enumerate() {
                same(&item.cell, &before[i], || what(i));
            }
            fn update_of<C>(item: &mut Item<C>) -> Option<UivUpdate<'_, C>> {
                let Item { uiv, tag, left_out, .. } = item;
                (!*left_out).then(|| UivUpdate::new(uiv, tag))
            }
            Uiv::update_each(&mut items.iter_mut().map(update_of).collect::<Vec<_>>());
            for (i, (item, seed)) in items.iter().zip(&seeds).enumerate() {
                let (keys, nonce) = cgo::update(&seed[..C::SEED - 16], &item.tag);
                let new = [&keys[..], &nonce].concat();
                same_keys(&item.uiv, if item.left_out { seed } else { &new }, || what(i));
            }
            tally::packets(3 * count);
        }
    }
}

#[test]
fn batches_of_aes_128() {
    batches::<Aes128>("aes-128");
}

#[test]
fn batches_of_aes_256() {
    batches::<Aes256>("aes-256");
}

/// Checks that every byte of seed, tweak and cell counts.
#[test]
fn every_byte_counts() {
    fn of<C: UivCipher>(random: &mut Random) {
        let seed = random.bytes(C::SEED);
        let result = |seed: &[u8], tweak: &[u8; 17], cell: &[u8; 509]| {
            let (mut uiv, mut data) = (Uiv::<C>::new(seed).expect("a seed"), *cell);
            uiv.encrypt(tweak, &mut data);
            let nonce = *uiv.nonce();
            uiv.update(&nonce);
            (data, *uiv.nonce())
        };
        let [tweak, data] = [[3; 509], [4; 509]];
        let tweak = *tweak.first_chunk().expect("17 bytes");
        let expected = result(&seed, &tweak, &data);
        for i in 0..C::SEED {
            let mut seed = seed.clone();
            seed[i] ^= 1;
            assert_ne!(result(&seed, &tweak, &data), expected, "byte {i} of the seed");
        }
        for i in 0..17 {
            let mut tweak = tweak;
            tweak[i] ^= 1;
            assert_ne!(result(&seed, &tweak, &data).0[..16], expected.0[..16], "byte {i} of the tweak");
        }
        for i in 0..509 {
            let mut data = data;
            data[i] ^= 1;
            assert_ne!(result(&seed, &tweak, &data).0[..16], expected.0[..16], "byte {i} of the cell");
        }
    }
    of::<Aes128>(&mut Random::new(231));
    of::<Aes256>(&mut Random::new(232));
}

#[test]
fn seeds_of_other_lengths_are_refused() {
    for len in (0..200).filter(|len| *len != 80) {
        assert_eq!(Uiv::<Aes128>::new(&vec![0; len]).err(), Some(Error::KeyLength), "{len} bytes");
    }
    for len in (0..200).filter(|len| *len != 112) {
        assert_eq!(Uiv::<Aes256>::new(&vec![0; len]).err(), Some(Error::KeyLength), "{len} bytes");
    }
    let other = Kernel::words(abreast_simd::Level::detect_all().next().expect("a level"));
    assert_eq!(Uiv::<Aes128>::with_kernel(&[0; 80], other).err(), Some(Error::KernelUnavailable));
    assert_eq!([Uiv::<Aes128>::SEED, Uiv::<Aes256>::SEED], [80, 112]);
}

/// One bit of the nonce is as wrong as all.
#[test]
fn nonces_are_compared_whole() {
    let uiv = Uiv::<Aes128>::new(&[7; 80]).expect("a seed");
    for bit in 0..128 {
        let other = (u128::from_le_bytes(*uiv.nonce()) ^ 1 << bit).to_le_bytes();
        assert!(!uiv.is_nonce(&other), "bit {bit}");
    }
    assert!(uiv.is_nonce(&[7; 16]));
}
