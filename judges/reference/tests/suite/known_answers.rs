//! Every known answer, through the reference.

use abreast_reference::rc4::Rc4;
use abreast_reference::serpent::{Serpent, SubmissionOrder};
use abreast_reference::xtea::{ByteOrder, Xtea};
use abreast_reference::{
    BlockCipher, Named, aes::Aes, aez, cbc, cfb, cmac, ctr, eax, ecb, gcm, hctr2, named, ofb, siv, xts,
};
use abreast_vectors::{AeadCase, AezCase, CtrCase, MacCase, ModeCase, SivCase};

#[test]
fn aes_blocks() {
    for case in [abreast_vectors::aes_blocks(), abreast_vectors::cavp_aes_blocks()].concat() {
        let cipher = Aes::new(&case.key);
        let plaintext = case.plaintext.try_into().expect("a block has 16 bytes");
        let ciphertext = case.ciphertext.try_into().expect("a block has 16 bytes");
        assert_eq!(cipher.encrypt_block(&plaintext), ciphertext, "{}", case.name);
        assert_eq!(cipher.decrypt_block(&ciphertext), plaintext, "{}", case.name);
    }
}

#[test]
fn serpent_blocks() {
    let in_use: fn(&[u8]) -> Box<dyn BlockCipher<16>> = |key| Box::new(Serpent::new(key));
    let submitted: fn(&[u8]) -> Box<dyn BlockCipher<16>> = |key| Box::new(SubmissionOrder::new(key));
    let in_use = abreast_vectors::serpent_blocks().into_iter().map(|case| (case, in_use));
    let submitted = abreast_vectors::serpent_submission_blocks().into_iter().map(|case| (case, submitted));
    for (case, cipher) in in_use.chain(submitted) {
        let cipher = cipher(&case.key);
        let plaintext = case.plaintext.try_into().expect("a block has 16 bytes");
        let ciphertext = case.ciphertext.try_into().expect("a block has 16 bytes");
        assert_eq!(cipher.encrypt_block(&plaintext), ciphertext, "{}", case.name);
        assert_eq!(cipher.decrypt_block(&ciphertext), plaintext, "{}", case.name);
    }
}

#[test]
fn xtea_blocks() {
    for case in abreast_vectors::xtea_blocks() {
        let order = if case.big_endian { ByteOrder::BigEndian } else { ByteOrder::LittleEndian };
        let key = case.key.try_into().expect("a key has 16 bytes");
        let cycles = case.cycles.try_into().expect("up to 255 cycles");
        let cipher = Xtea::new(&key, order, cycles);
        let plaintext = case.plaintext.try_into().expect("a block has 8 bytes");
        let ciphertext = case.ciphertext.try_into().expect("a block has 8 bytes");
        assert_eq!(cipher.encrypt_block(&plaintext), ciphertext, "{}", case.name);
        assert_eq!(cipher.decrypt_block(&ciphertext), plaintext, "{}", case.name);
    }
}

#[test]
fn rc4_messages() {
    for case in [abreast_vectors::rc4(), abreast_vectors::botan_rc4()].concat() {
        let mut cipher = Rc4::new(&case.key);
        cipher.keystream(case.offset);
        assert_eq!(cipher.clone().apply(&case.plaintext), case.ciphertext, "{}", case.name);
        assert_eq!(cipher.apply(&case.ciphertext), case.plaintext, "{}", case.name);
    }
}

#[test]
fn aez_subkeys() {
    for case in abreast_vectors::aez_extract() {
        assert_eq!(aez::extract(&case.key).as_slice(), case.subkeys, "{}", case.name);
    }
}

#[test]
fn aez_hashes() {
    for case in abreast_vectors::aez_hash() {
        let tag_bits = u128::from(case.tag_bits).to_be_bytes();
        let mut strings = vec![tag_bits.as_slice()];
        strings.extend(case.strings.iter().map(Vec::as_slice));
        assert_eq!(aez::hash(&case.key, &strings).as_slice(), case.hash, "{}", case.name);
    }
}

#[test]
fn aez_messages() {
    for case in [abreast_vectors::aez(), abreast_vectors::generated_aez()].concat() {
        let AezCase { name, key, nonce, ads, tag_len, plaintext, ciphertext } = case;
        let ads: Vec<_> = ads.iter().map(Vec::as_slice).collect();
        assert_eq!(aez::encrypt(&key, &nonce, &ads, tag_len, &plaintext), ciphertext, "{name}");
        assert_eq!(aez::decrypt(&key, &nonce, &ads, tag_len, &ciphertext), Some(plaintext), "{name}");
    }
}

fn cipher(name: &str, key: &[u8]) -> Named {
    named(name, key).unwrap_or_else(|| panic!("{name} is not known"))
}

fn of_16(name: &str, key: &[u8]) -> impl BlockCipher<16> {
    match cipher(name, key) {
        Named::Of16(cipher) => cipher,
        Named::Of8(_) => panic!("{name} has other blocks"),
    }
}

/// Evaluates an expression with a cipher of either size.
macro_rules! with_cipher {
    ($name:expr, $key:expr, $cipher:ident => $with:expr) => {
        match cipher($name, $key) {
            Named::Of8($cipher) => $with,
            Named::Of16($cipher) => $with,
        }
    };
}

/// A mode with an initialisation vector, in both directions.
macro_rules! check_mode {
    ($cases:expr, $encrypt:path, $decrypt:path) => {
        for ModeCase { name, cipher, key, iv, plaintext, ciphertext, .. } in $cases {
            with_cipher!(&cipher, &key, cipher => {
                let iv = iv.as_slice().try_into().expect("a block");
                assert_eq!($encrypt(&cipher, iv, &plaintext), ciphertext, "{name}");
                assert_eq!($decrypt(&cipher, iv, &ciphertext), plaintext, "{name}");
            });
        }
    };
}

#[test]
fn modes_of_encryption_alone() {
    for ModeCase { name, cipher, key, plaintext, ciphertext, .. } in
        [abreast_vectors::ecb(), abreast_vectors::cavp_ecb(), abreast_vectors::botan_ecb()].concat()
    {
        with_cipher!(&cipher, &key, cipher => {
            assert_eq!(ecb::encrypt(&cipher, &plaintext), ciphertext, "{name}");
            assert_eq!(ecb::decrypt(&cipher, &ciphertext), plaintext, "{name}");
        });
    }
    check_mode!([abreast_vectors::cbc(), abreast_vectors::cavp_cbc()].concat(), cbc::encrypt, cbc::decrypt);
    check_mode!([abreast_vectors::cfb(), abreast_vectors::cavp_cfb()].concat(), cfb::encrypt, cfb::decrypt);
    check_mode!(
        [abreast_vectors::cfb8(), abreast_vectors::cavp_cfb8()].concat(),
        cfb::encrypt_8,
        cfb::decrypt_8
    );
    check_mode!([abreast_vectors::ofb(), abreast_vectors::cavp_ofb()].concat(), ofb::xor, ofb::xor);
}

#[test]
fn cbc_with_padding() {
    let cases = [abreast_vectors::wycheproof_cbc_pkcs5(), abreast_vectors::botan_cbc_pkcs7()];
    for ModeCase { name, cipher, key, iv, plaintext, ciphertext, valid, .. } in cases.concat() {
        let cipher = of_16(&cipher, &key);
        let iv = iv.as_slice().try_into().expect("a block");
        let opened = cbc::decrypt_padded(&cipher, iv, &ciphertext).ok();
        assert_eq!(opened.as_ref(), valid.then_some(&plaintext), "{name}");
        assert_eq!(cbc::encrypt_padded(&cipher, iv, &plaintext) == ciphertext, valid, "{name}");
    }
}

#[test]
fn xts_units() {
    let cases = [
        abreast_vectors::xts(),
        abreast_vectors::wycheproof_xts(),
        abreast_vectors::cavp_xts(),
        abreast_vectors::botan_xts(),
    ];
    for case in cases.concat() {
        let ModeCase { name, cipher, key, iv, plaintext, ciphertext, .. } = case;
        let (data, tweak) = key.split_at(key.len() / 2);
        let (data, tweak) = (of_16(&cipher, data), of_16(&cipher, tweak));
        let mut number = [0; 16];
        number[..iv.len()].copy_from_slice(&iv);
        // Equal keys too, which are invalid for no other reason.
        assert_eq!(xts::encrypt(&data, &tweak, &number, &plaintext), ciphertext, "{name}");
        assert_eq!(xts::decrypt(&data, &tweak, &number, &ciphertext), plaintext, "{name}");
    }
}

#[test]
fn wide_blocks() {
    for ModeCase { name, cipher, key, iv, plaintext, ciphertext, .. } in abreast_vectors::hctr2() {
        let cipher = of_16(&cipher, &key);
        assert_eq!(hctr2::encrypt(&cipher, &iv, &plaintext), ciphertext, "{name}");
        assert_eq!(hctr2::decrypt(&cipher, &iv, &ciphertext), plaintext, "{name}");
    }
}

#[test]
fn counter_mode() {
    let of_aes = abreast_vectors::ctr();
    let published = of_aes.len();
    let others = [abreast_vectors::generated_ctr(), abreast_vectors::botan_ctr()].concat();
    for (i, case) in of_aes.into_iter().chain(others).enumerate() {
        let CtrCase { name, cipher, key, counter, bits, plaintext, ciphertext } = case;
        // None of the published messages carries out of its low 16 bits.
        for bits in if i < published { vec![16, 32, 64, 128] } else { vec![bits] } {
            with_cipher!(&cipher, &key, cipher => {
                let counter = counter.as_slice().try_into().expect("a block");
                assert_eq!(ctr::xor(&cipher, counter, bits, &plaintext), ciphertext, "{name} with {bits} bits");
                assert_eq!(ctr::xor(&cipher, counter, bits, &ciphertext), plaintext, "{name} with {bits} bits");
            });
        }
    }
}

#[test]
fn galois_counter_mode() {
    let cases = [
        abreast_vectors::gcm(),
        abreast_vectors::generated_gcm(),
        abreast_vectors::wycheproof_gcm(),
        abreast_vectors::cavp_gcm(),
        abreast_vectors::botan_gcm(),
    ];
    for AeadCase { name, cipher, key, nonce, aad, plaintext, ciphertext, tag, valid, .. } in cases.concat() {
        let cipher = of_16(&cipher, &key);
        let opened = gcm::open(&cipher, &nonce, &aad, &ciphertext, &tag);
        assert_eq!(opened.as_ref(), valid.then_some(&plaintext), "{name}");
        // An empty nonce is an error of the caller's, and `seal` has its own test for that.
        if !nonce.is_empty() {
            let sealed = gcm::seal(&cipher, &nonce, &aad, &plaintext, tag.len());
            assert_eq!(sealed == (ciphertext, tag), valid, "{name}");
        }
    }
}

#[test]
fn eax_messages() {
    let cases = [abreast_vectors::eax(), abreast_vectors::wycheproof_eax(), abreast_vectors::botan_eax()];
    for AeadCase { name, cipher, key, nonce, aad, plaintext, ciphertext, tag, valid, .. } in cases.concat() {
        with_cipher!(&cipher, &key, cipher => {
            let opened = eax::open(&cipher, &nonce, &aad, &ciphertext, &tag);
            assert_eq!(opened.as_ref(), valid.then_some(&plaintext), "{name}");
            let sealed = eax::seal(&cipher, &nonce, &aad, &plaintext, tag.len());
            assert_eq!(sealed == (ciphertext, tag), valid, "{name}");
        });
    }
}

#[test]
fn siv_messages() {
    let cases = [abreast_vectors::siv(), abreast_vectors::wycheproof_siv(), abreast_vectors::botan_siv()];
    for SivCase { name, cipher, key, ads, plaintext, ciphertext, tag, valid, .. } in cases.concat() {
        let (mac, text) = key.split_at(key.len() / 2);
        let (mac, text) = (of_16(&cipher, mac), of_16(&cipher, text));
        let ads: Vec<_> = ads.iter().map(Vec::as_slice).collect();
        let tag = tag.as_slice().try_into().expect("a block");
        let opened = siv::open(&mac, &text, &ads, tag, &ciphertext);
        assert_eq!(opened.as_ref(), valid.then_some(&plaintext), "{name}");
        let sealed = siv::seal(&mac, &text, &ads, &plaintext);
        assert_eq!(sealed == (*tag, ciphertext), valid, "{name}");
    }
}

#[test]
fn message_authentication() {
    let cases = [abreast_vectors::cmac(), abreast_vectors::wycheproof_cmac(), abreast_vectors::botan_cmac()];
    for case in cases.concat() {
        let MacCase { name, cipher, key, message, tag, valid, .. } = case;
        // The others are invalid for having keys that are none of AES.
        if cipher.starts_with("aes-") && ![16, 24, 32].contains(&key.len()) {
            assert!(!valid, "{name}");
            continue;
        }
        with_cipher!(&cipher, &key, cipher => {
            assert_eq!(cmac::verify(&cipher, &message, &tag), valid, "{name}");
            assert_eq!(cmac::mac(&cipher, &message, tag.len()) == tag, valid, "{name}");
        });
    }
}

/// The chunks of C2SP chunked encryption, under the chunk key that each case gives: as many
/// genuine ones as it says, and to the end of the file if it is valid.
#[test]
fn aes_gcm_chunks_of_cobblestone() {
    const HEADER: usize = 24 + 32;
    const CHUNK: usize = 16384 + 16;
    let mut opened = 0;
    for case in abreast_vectors::cobblestone() {
        let (Some(key), Some(base_nonce)) = (&case.aead_key, &case.base_nonce) else {
            continue;
        };
        let cipher = Aes::new(key);
        let mut message_len = 0;
        let mut complete = false;
        for (index, chunk) in (0_u64..).zip(case.ciphertext[HEADER..].chunks(CHUNK)) {
            let mut nonce = base_nonce.clone();
            for (byte, index) in nonce[4..].iter_mut().zip(index.to_be_bytes()) {
                *byte ^= index;
            }
            // Nothing may follow a short chunk, and a tag alone is the shortest.
            let parts = chunk.len().checked_sub(16).map(|at| chunk.split_at(at));
            let plaintext = parts.and_then(|(text, tag)| gcm::open(&cipher, &nonce, &[], text, tag));
            let Some(plaintext) = plaintext else {
                complete = false;
                break;
            };
            message_len += plaintext.len();
            complete = chunk.len() < CHUNK;
        }
        assert_eq!(complete, case.valid, "{}", case.name);
        assert_eq!(message_len, case.message_len.unwrap_or(0), "{}", case.name);
        opened += 1;
    }
    assert_eq!(opened, 50, "cases with a chunk key");
}
