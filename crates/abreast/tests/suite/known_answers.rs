//! Published vectors under every kernel. Each case is counted for its set, by the name that `judges/vectors/answers.txt` has for it.

use crate::common::modes::{self, Inputs, Mode, Sealed};
use crate::common::{Subject, WIDTHS, long_or_short, same, tally};
use abreast::kernels::Algorithm;
use abreast::modes::{Cbc, Direction, Hctr2, KeyWrap, Siv, Xts};
use abreast::packets::{self, WrapPacket};
use abreast::serpent::{Serpent, SubmissionOrder};
use abreast::table::{ModeKeys, sealing_modes};
use abreast::xtea::{ByteOrder, Xtea};
use abreast::{BlockCipher, BlockCipher128, Error, Kernel};
use abreast_vectors::{AeadCase, CtrCase, KeyWrapCase, MacCase, ModeCase, SivCase};

fn cipher(name: &str) -> Algorithm {
    Algorithm::from_name(name).unwrap_or_else(|| panic!("there is no cipher {name}"))
}

/// The cipher of a name under a key, under every kernel of this CPU.
fn every_kernel(name: &str, key: &[u8]) -> impl Iterator<Item = Box<dyn BlockCipher>> {
    let cipher = cipher(name);
    crate::common::kernels(cipher)
        .into_iter()
        .map(move |kernel| cipher.with_key(key, Some(kernel)).expect("kernel of the cipher"))
}

/// The cases of some sets, each with the name of its set; in the short form one in seven cases of the large sets.
fn each<T>(
    sets: impl IntoIterator<Item = (&'static str, Vec<T>)>,
) -> impl Iterator<Item = (&'static str, T)> {
    sets.into_iter().flat_map(|(set, cases)| {
        assert!(!cases.is_empty(), "{set} has no cases");
        let step =
            if set.starts_with("cavp_") || set.starts_with("botan_") { long_or_short(1, 7) } else { 1 };
        cases.into_iter().step_by(step).map(move |case| (set, case))
    })
}

/// Both ways through a raw permutation.
fn check_blocks(cipher: &dyn BlockCipher, name: &str, plaintext: &[u8], ciphertext: &[u8]) {
    let mut data = plaintext.to_vec();
    cipher.encrypt_raw_blocks(data.as_mut_slice().into()).expect("whole blocks");
    same(&data, ciphertext, || format!("{name} {}", cipher.kernel()));
    cipher.decrypt_raw_blocks(data.as_mut_slice().into()).expect("whole blocks");
    same(&data, plaintext, || format!("{name} {}", cipher.kernel()));
}

#[test]
fn blocks_of_aes() {
    let sets = [
        ("aes_blocks", abreast_vectors::aes_blocks()),
        ("cavp_aes_blocks", abreast_vectors::cavp_aes_blocks()),
    ];
    for (set, case) in each(sets) {
        for aes in every_kernel(&format!("aes-{}", 8 * case.key.len()), &case.key) {
            check_blocks(&*aes, &case.name, &case.plaintext, &case.ciphertext);
        }
        tally::case(set);
    }
}

#[test]
fn blocks_of_serpent() {
    let cases = abreast_vectors::serpent_blocks();
    assert!(cases.len() > 1000);
    for case in cases {
        for serpent in every_kernel(&format!("serpent-{}", 8 * case.key.len()), &case.key) {
            check_blocks(&*serpent, &case.name, &case.plaintext, &case.ciphertext);
        }
        tally::case("serpent_blocks");
    }
}

#[test]
fn blocks_of_serpent_in_the_order_of_the_submission() {
    let cases = abreast_vectors::serpent_submission_blocks();
    assert!(!cases.is_empty());
    for case in cases {
        let serpent = SubmissionOrder::new(&case.key).expect("a key");
        let mut data = case.plaintext.clone();
        serpent.encrypt_raw_blocks(data.as_mut_slice()).expect("whole blocks");
        assert_eq!(data, case.ciphertext, "{}", case.name);
        serpent.decrypt_raw_blocks(data.as_mut_slice()).expect("whole blocks");
        assert_eq!(data, case.plaintext, "{}", case.name);
        // All bytes reversed, it is the order in use.
        let reversed = |bytes: &[u8]| bytes.iter().rev().copied().collect::<Vec<u8>>();
        for kernel in Serpent::kernels() {
            let serpent = Serpent::with_kernel(&reversed(&case.key), kernel).expect("a key");
            check_blocks(&serpent, &case.name, &reversed(&case.plaintext), &reversed(&case.ciphertext));
        }
        tally::case("serpent_submission_blocks");
    }
}

#[test]
fn blocks_of_xtea() {
    let cases = abreast_vectors::xtea_blocks();
    assert!(!cases.is_empty());
    for case in cases {
        let order = if case.big_endian { ByteOrder::BigEndian } else { ByteOrder::LittleEndian };
        let key = case.key.as_slice().try_into().expect("16 bytes");
        let cycles = u8::try_from(case.cycles).expect("up to 255 cycles");
        for kernel in Xtea::kernels() {
            let xtea = Xtea::with_kernel(key, order, cycles, kernel).expect("a number of cycles");
            check_blocks(&xtea, &case.name, &case.plaintext, &case.ciphertext);
        }
        tally::case("xtea_blocks");
    }
}

/// A case of a mode under every kernel: in one piece, and split in two. An invalid one is rejected, and
/// leaves zeros.
fn check(
    mode: &dyn Mode,
    [name, cipher_name]: [&str; 2],
    key: &[u8],
    inputs: &Inputs,
    sealed: &Sealed,
    valid: bool,
) {
    let subject = Subject::new(cipher(cipher_name), key.to_vec());
    let cut = sealed.ciphertext.len() / 3;
    let grain = mode.grain(subject.cipher.block_size()).expect("a mode that takes pieces");
    for fast in &subject.kernels {
        let what = || format!("{name} on {}", fast.any().kernel());
        let decrypt = |whole: bool| {
            let (mut data, mut tag) = (sealed.ciphertext.clone(), sealed.tag.clone());
            let io = data.as_mut_slice().into();
            let done = if whole {
                mode.whole(fast, inputs, Direction::Decrypt, io, &mut tag)
            } else {
                mode.pieces(fast, inputs, Direction::Decrypt, io, &[cut / grain * grain], &mut tag)
            };
            (done, data)
        };
        let ((opened, data), (opened_in_pieces, pieces)) = (decrypt(true), decrypt(false));
        assert_eq!(opened, opened_in_pieces, "{}", what());
        let mut made = (sealed.plaintext.clone(), vec![0; sealed.tag.len()]);
        let encrypted =
            mode.whole(fast, inputs, Direction::Encrypt, made.0.as_mut_slice().into(), &mut made.1);
        if valid {
            assert_eq!((opened, encrypted), (Ok(()), Ok(())), "{}", what());
            same(&data, &sealed.plaintext, what);
            same(&pieces, &sealed.plaintext, what);
            assert_eq!(made, (sealed.ciphertext.clone(), sealed.tag.clone()), "{}", what());
        } else {
            assert!(matches!(opened, Err(Error::TagMismatch | Error::NonceLength)), "{}", what());
            let zeros = data.iter().all(|byte| *byte == 0);
            assert!(
                zeros || opened == Err(Error::NonceLength) || mode.chains(Direction::Encrypt),
                "{}",
                what()
            );
            assert_ne!(made, (sealed.ciphertext.clone(), sealed.tag.clone()), "{}", what());
        }
    }
}

/// Returns the inputs of the cases of most modes, which have no nonce, no associated data and no tag.
fn inputs(iv: Vec<u8>) -> Inputs {
    Inputs { iv, before_wrap: None, nonce: Vec::new(), aad: Vec::new(), tag_len: 0, number: 0 }
}

fn check_mode<const N: usize>(mode: &dyn Mode, sets: [(&'static str, Vec<ModeCase>); N]) {
    for (set, ModeCase { name, cipher, key, iv, plaintext, ciphertext, valid, .. }) in each(sets) {
        let sealed = Sealed { plaintext, ciphertext, tag: Vec::new() };
        check(mode, [&name, &cipher], &key, &inputs(iv), &sealed, valid);
        tally::case(set);
    }
}

#[test]
fn modes_of_encryption_alone() {
    check_mode(
        &modes::Ecb,
        [
            ("ecb", abreast_vectors::ecb()),
            ("cavp_ecb", abreast_vectors::cavp_ecb()),
            ("botan_ecb", abreast_vectors::botan_ecb()),
        ],
    );
    check_mode(&modes::Cbc, [("cbc", abreast_vectors::cbc()), ("cavp_cbc", abreast_vectors::cavp_cbc())]);
    check_mode(&modes::Cfb, [("cfb", abreast_vectors::cfb()), ("cavp_cfb", abreast_vectors::cavp_cfb())]);
    check_mode(
        &modes::Cfb8,
        [("cfb8", abreast_vectors::cfb8()), ("cavp_cfb8", abreast_vectors::cavp_cfb8())],
    );
    check_mode(&modes::Ofb, [("ofb", abreast_vectors::ofb()), ("cavp_ofb", abreast_vectors::cavp_ofb())]);
}

#[test]
fn counter_mode() {
    let sets = [
        ("ctr", abreast_vectors::ctr()),
        ("generated_ctr", abreast_vectors::generated_ctr()),
        ("botan_ctr", abreast_vectors::botan_ctr()),
    ];
    for (set, CtrCase { name, cipher, key, counter, bits, plaintext, ciphertext }) in each(sets) {
        let width = WIDTHS.into_iter().find(|width| width.bits() == bits);
        let mode = modes::Ctr(width.unwrap_or_else(|| panic!("{name}: no counter of {bits} bits")));
        let sealed = Sealed { plaintext, ciphertext, tag: Vec::new() };
        check(&mode, [&name, &cipher], &key, &inputs(counter), &sealed, true);
        tally::case(set);
    }
}

fn check_aead<const N: usize>(mode: &dyn Mode, sets: [(&'static str, Vec<AeadCase>); N]) {
    assert!(sets.iter().flat_map(|(_, cases)| cases).any(|case| !case.valid));
    for (set, case) in each(sets) {
        let AeadCase { name, cipher, key, nonce, aad, plaintext, ciphertext, tag, valid, .. } = case;
        let inputs = Inputs { nonce, aad, tag_len: tag.len(), ..inputs(Vec::new()) };
        check(mode, [&name, &cipher], &key, &inputs, &Sealed { plaintext, ciphertext, tag }, valid);
        tally::case(set);
    }
}

#[test]
fn galois_counter_mode() {
    let sets = [
        ("gcm", abreast_vectors::gcm()),
        ("generated_gcm", abreast_vectors::generated_gcm()),
        ("wycheproof_gcm", abreast_vectors::wycheproof_gcm()),
        ("cavp_gcm", abreast_vectors::cavp_gcm()),
        ("botan_gcm", abreast_vectors::botan_gcm()),
    ];
    check_aead(&modes::Gcm, sets);
}

#[test]
fn eax() {
    let sets = [
        ("eax", abreast_vectors::eax()),
        ("wycheproof_eax", abreast_vectors::wycheproof_eax()),
        ("botan_eax", abreast_vectors::botan_eax()),
    ];
    check_aead(&modes::Eax, sets);
}

#[test]
fn siv() {
    let sets = [
        ("siv", abreast_vectors::siv()),
        ("wycheproof_siv", abreast_vectors::wycheproof_siv()),
        ("botan_siv", abreast_vectors::botan_siv()),
    ];
    for (set, case) in each(sets) {
        let SivCase { name, cipher: cipher_name, key, ads, plaintext, ciphertext, tag, valid, .. } = case;
        let algorithm = cipher(&cipher_name);
        let (mac, text) = key.split_at(key.len() / 2);
        let ads: Vec<_> = ads.iter().map(Vec::as_slice).collect();
        let joined = [&tag[..], &ciphertext].concat();
        for kernel in crate::common::kernels(algorithm) {
            let what = || format!("{name} on {kernel}");
            let of = |key| algorithm.with_key_128(key, Some(kernel)).expect("kernel of the cipher");
            let siv = Siv::from_ciphers(of(mac), of(text));
            let mut data = joined.clone();
            let opened = siv.decrypt_joined(&ads, data.as_mut_slice());
            let mut made = [&[0; 16], &plaintext[..]].concat();
            siv.encrypt_joined(&ads, made.as_mut_slice()).expect("few strings");
            if valid {
                assert_eq!(opened, Ok(()), "{}", what());
                assert_eq!((&data[..16], &data[16..]), (&[0; 16][..], &plaintext[..]), "{}", what());
                same(&made, &joined, what);
            } else {
                assert_eq!(opened, Err(Error::TagMismatch), "{}", what());
                assert!(data.iter().all(|byte| *byte == 0), "{}", what());
                assert_ne!(made, joined, "{}", what());
            }
        }
        tally::case(set);
    }
}

/// Cases of key wrap at each kernel: each alone, and then all of a set as batches, under the key of each case.
#[test]
fn key_wrap() {
    let sets = [
        ("key_wrap", abreast_vectors::key_wrap()),
        ("cavp_key_wrap", abreast_vectors::cavp_key_wrap()),
        ("wycheproof_key_wrap", abreast_vectors::wycheproof_key_wrap()),
    ];
    for (set, cases) in sets {
        let cases: Vec<_> = each([(set, cases)]).map(|(_, case)| case).collect();
        let mut batched = [0; 2];
        for name in ["aes-128", "aes-192", "aes-256"] {
            let of_cipher: Vec<_> = cases.iter().filter(|case| case.cipher == name).collect();
            for kernel in crate::common::kernels(cipher(name)) {
                let with = |case: &KeyWrapCase| {
                    cipher(name).with_key_128(&case.key, Some(kernel)).expect("kernel of the cipher")
                };
                let ciphers: Vec<_> = of_cipher.iter().map(|case| with(case)).collect();
                for padded in [false, true] {
                    let some: Vec<_> =
                        (of_cipher.iter().copied().zip(ciphers.iter().map(|cipher| &**cipher)))
                            .filter(|(case, _)| case.padded == padded)
                            .collect();
                    wrapped_keys(&some, padded, &format!("{set} on {kernel}"));
                    batched[usize::from(padded)] += some.len();
                }
            }
        }
        assert!(batched.iter().all(|count| *count > 0), "{set}");
        for _ in &cases {
            tally::case(set);
        }
    }
}

/// Wraps and unwraps keys, alone and as batches.
fn wrapped_keys(cases: &[(&KeyWrapCase, &dyn BlockCipher128)], padded: bool, what: &str) {
    let in_batch = |unwrap: bool, packets: &mut [WrapPacket<'_>]| match (unwrap, padded) {
        (false, false) => packets::key_wrap(packets),
        (false, true) => packets::key_wrap_padded(packets),
        (true, false) => packets::key_unwrap(packets),
        (true, true) => packets::key_unwrap_padded(packets),
    };
    // Outputs are as long as they would be if the length were right.
    let rooms = |unwrap: bool| -> Vec<Vec<u8>> {
        let room = |case: &KeyWrapCase| {
            if unwrap {
                case.ciphertext.len().saturating_sub(8)
            } else {
                case.plaintext.len().next_multiple_of(8) + 8
            }
        };
        cases.iter().map(|(case, _)| vec![0x3c; room(case)]).collect()
    };
    let (mut wrapped, mut unwrapped) = (rooms(false), rooms(true));
    let mut wraps: Vec<_> = (cases.iter().zip(&mut wrapped))
        .map(|((case, key), output)| WrapPacket::new(key, &case.plaintext, output))
        .collect();
    in_batch(false, &mut wraps);
    let mut unwraps: Vec<_> = (cases.iter().zip(&mut unwrapped))
        .map(|((case, key), output)| WrapPacket::new(key, &case.ciphertext, output))
        .collect();
    in_batch(true, &mut unwraps);
    for (((case, key), wrap), unwrap) in cases.iter().zip(&wraps).zip(&unwraps) {
        let what = || format!("{what}: {}", case.name);
        let mode = KeyWrap::from_cipher(*key);
        let (mut output, mut key) = (vec![0x3c; wrap.output.len()], vec![0x3c; unwrap.output.len()]);
        let (done, opened) = if padded {
            (mode.wrap_padded(&case.plaintext, &mut output), mode.unwrap_padded(&case.ciphertext, &mut key))
        } else {
            let opened = mode.unwrap(&case.ciphertext, &mut key).map(|()| key.len());
            (mode.wrap(&case.plaintext, &mut output), opened)
        };
        assert_eq!((done.map(|()| output.len()), opened), (wrap.result, unwrap.result), "{}", what());
        assert_eq!((&*wrap.output, &*unwrap.output), (&output[..], &key[..]), "{}", what());
        if case.valid {
            assert_eq!((done, opened), (Ok(()), Ok(case.plaintext.len())), "{}", what());
            same(&output, &case.ciphertext, what);
            same(&key[..case.plaintext.len()], &case.plaintext, what);
        } else {
            let refused = opened == Err(Error::WrapLength);
            assert!(refused || opened == Err(Error::TagMismatch), "{}", what());
            assert!(refused || key.iter().all(|byte| *byte == 0), "{}", what());
            assert!(done.is_err() || output != case.ciphertext, "{}", what());
        }
    }
}

/// Each mode of authenticated encryption of the table has published vectors, and gives their answers. Those of AEZ and SIV have
/// several strings, and tests of their own.
#[test]
fn modes_of_the_table() {
    for (row, sealing) in sealing_modes().filter(|(row, _)| !matches!(row.name, "siv" | "aez")) {
        let sets = abreast_vectors::aead_sets(row.name);
        assert!(sets.iter().any(|(_, cases)| cases.iter().any(|case| !case.valid)), "{}", row.name);
        for (set, case) in each(sets) {
            let AeadCase { name, cipher, key, nonce, aad, plaintext, ciphertext, tag, valid, .. } = &case;
            // The table has the modes over AES.
            if !cipher.starts_with("aes-") {
                continue;
            }
            for kernel in sealing.kernels() {
                let what = || format!("{name} on {kernel}");
                let sealer = sealing.make(key, kernel).expect("a key");
                let (mut opened, mut made, mut made_tag) =
                    (ciphertext.clone(), plaintext.clone(), vec![0; tag.len()]);
                let done = sealer.open(nonce, aad, opened.as_mut_slice().into(), tag);
                let sealed = sealer.seal(nonce, aad, made.as_mut_slice().into(), &mut made_tag);
                if *valid {
                    assert_eq!((done, sealed), (Ok(()), Ok(())), "{}", what());
                    same(&opened, plaintext, what);
                    assert_eq!((&made, &made_tag), (ciphertext, tag), "{}", what());
                } else {
                    assert!(matches!(done, Err(Error::TagMismatch | Error::NonceLength)), "{}", what());
                    let zeros = opened.iter().all(|byte| *byte == 0);
                    assert!(zeros || done == Err(Error::NonceLength), "{}", what());
                    assert_ne!((&made, &made_tag), (ciphertext, tag), "{}", what());
                }
            }
            if row.keys != ModeKeys::OfCiphers(1) {
                tally::case(set);
            }
        }
    }
}

#[test]
fn message_authentication() {
    let sets = [
        ("cmac", abreast_vectors::cmac()),
        ("wycheproof_cmac", abreast_vectors::wycheproof_cmac()),
        ("botan_cmac", abreast_vectors::botan_cmac()),
    ];
    for (set, MacCase { name, cipher, key, message, tag, valid, .. }) in each(sets) {
        if Algorithm::from_name(&cipher).is_none() {
            assert!(!valid, "{name}: there is no cipher {cipher}");
            tally::case(set);
            continue;
        }
        let inputs = Inputs { tag_len: tag.len(), ..inputs(Vec::new()) };
        let sealed = Sealed { plaintext: message.clone(), ciphertext: message, tag };
        check(&modes::Cmac, [&name, &cipher], &key, &inputs, &sealed, valid);
        tally::case(set);
    }
}

#[test]
fn cipher_block_chaining_with_padding() {
    let sets = [
        ("wycheproof_cbc_pkcs5", abreast_vectors::wycheproof_cbc_pkcs5()),
        ("botan_cbc_pkcs7", abreast_vectors::botan_cbc_pkcs7()),
    ];
    assert!(sets[0].1.iter().any(|case| !case.valid));
    for (set, case) in each(sets) {
        for cipher in every_kernel(&case.cipher, &case.key) {
            let what = || format!("{} on {}", case.name, cipher.kernel());
            let mut buffer = case.ciphertext.clone();
            let opened = Cbc::from_cipher(&cipher, &case.iv).expect("a block").decrypt_pkcs7(&mut buffer);
            if !case.valid {
                assert!(matches!(opened, Err(Error::Padding | Error::PartialBlock)), "{}", what());
                let zeros = buffer.iter().all(|byte| *byte == 0);
                assert!(zeros || !case.ciphertext.len().is_multiple_of(16), "{}", what());
                continue;
            }
            assert_eq!(opened.as_deref(), Ok(case.plaintext.as_slice()), "{}", what());
            buffer[..case.plaintext.len()].copy_from_slice(&case.plaintext);
            let sealed = Cbc::from_cipher(&cipher, &case.iv)
                .expect("a block")
                .encrypt_pkcs7(&mut buffer, case.plaintext.len());
            assert_eq!(sealed.as_deref(), Ok(case.ciphertext.as_slice()), "{}", what());
        }
        tally::case(set);
    }
}

/// Messages as one wide block.
#[test]
fn wide_blocks() {
    for (set, case) in each([("hctr2", abreast_vectors::hctr2())]) {
        for kernel in crate::common::kernels(cipher(&case.cipher)) {
            let what = format!("{} on {kernel}", case.name);
            let cipher = cipher(&case.cipher).with_key_128(&case.key, Some(kernel));
            let hctr2 = Hctr2::from_cipher(cipher.expect("kernel of the cipher"));
            let mut data = case.plaintext.clone();
            hctr2.encrypt(&case.iv, data.as_mut_slice()).expect("a block or more");
            assert_eq!(data, case.ciphertext, "{what}");
            hctr2.decrypt(&case.iv, data.as_mut_slice()).expect("a block or more");
            assert_eq!(data, case.plaintext, "{what}");
        }
        tally::case(set);
    }
}

/// A pair of keys in XTS mode.
fn xts(case: &ModeCase, kernel: Kernel) -> Result<Xts<Box<dyn BlockCipher128>>, Error> {
    let (data, tweak) = case.key.split_at(case.key.len() / 2);
    let with = |key| cipher(&case.cipher).with_key_128(key, Some(kernel)).expect("kernel of the cipher");
    Xts::new(with(data), with(tweak))
}

#[test]
fn data_units() {
    let sets = [
        ("xts", abreast_vectors::xts()),
        ("wycheproof_xts", abreast_vectors::wycheproof_xts()),
        ("cavp_xts", abreast_vectors::cavp_xts()),
        ("botan_xts", abreast_vectors::botan_xts()),
    ];
    for (set, case) in each(sets) {
        for kernel in crate::common::kernels(cipher(&case.cipher)) {
            let what = format!("{} on {kernel}", case.name);
            let xts = match xts(&case, kernel) {
                Ok(xts) => xts,
                Err(error) => {
                    assert_eq!((error, case.valid), (Error::EqualKeys, false), "{what}");
                    continue;
                }
            };
            assert!(case.valid, "{what}");
            // Numbers short of their high bytes.
            let number = case.iv.iter().rev().fold(0, |number, byte| number << 8 | u128::from(*byte));
            let mut data = case.plaintext.clone();
            xts.encrypt_units(number, data.len(), data.as_mut_slice()).expect("a unit");
            assert_eq!(data, case.ciphertext, "{what}");
            xts.decrypt_units(number, data.len(), data.as_mut_slice()).expect("a unit");
            assert_eq!(data, case.plaintext, "{what}");
        }
        tally::case(set);
    }
}
