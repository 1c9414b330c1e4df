//! Counts the cases, so that a file cut short, or a selection that takes nothing, cannot pass.

use std::collections::{BTreeMap, HashSet};

use abreast_vectors::{
    AeadCase, AezCase, CgoCase, CgoOperation, KeyWrapCase, MacCase, ModeCase, aes_blocks, aez, aez_extract,
    aez_hash, botan_cbc_pkcs7, botan_cmac, botan_ctr, botan_eax, botan_ecb, botan_gcm, botan_rc4, botan_siv,
    botan_xts, cavp_aes_blocks, cavp_cbc, cavp_cfb, cavp_cfb8, cavp_ecb, cavp_gcm, cavp_key_wrap, cavp_ofb,
    cavp_xts, cbc, cfb, cfb8, cgo, cmac, cobblestone, ctr, eax, ecb, esp, gcm, gcm_siv, generated_aez,
    generated_ctr, generated_gcm, hctr2, hmac, key_wrap, lines, ofb, quic, rc4, serpent_blocks,
    serpent_submission_blocks, siv, uiv, uiv_et, uiv_prf, uiv_update, wycheproof_cbc_pkcs5, wycheproof_cmac,
    wycheproof_eax, wycheproof_gcm, wycheproof_gcm_siv, wycheproof_hmac_sha1, wycheproof_hmac_sha256,
    wycheproof_key_wrap, wycheproof_siv, wycheproof_xts, xtea_blocks, xts,
};

/// Counts the cases for each value of a property.
fn tally<T: Ord>(values: impl IntoIterator<Item = T>) -> BTreeMap<T, usize> {
    let mut tally = BTreeMap::new();
    for value in values {
        *tally.entry(value).or_default() += 1;
    }
    tally
}

#[test]
fn aes_blocks_have_every_key_length() {
    let cases = aes_blocks();
    assert_eq!(cases.len(), 16);
    assert_eq!(tally(cases.iter().map(|case| case.key.len())), BTreeMap::from([(16, 6), (24, 5), (32, 5)]));
    assert!(cases.iter().all(|case| case.plaintext.len() == 16 && case.ciphertext.len() == 16));
}

#[test]
fn ctr_has_every_key_length_and_two_widths() {
    let cases = ctr();
    assert_eq!(cases.len(), 12);
    assert_eq!(tally(cases.iter().map(|case| case.key.len())), BTreeMap::from([(16, 4), (24, 4), (32, 4)]));
    assert_eq!(tally(cases.iter().map(|case| case.bits)), BTreeMap::from([(32, 9), (128, 3)]));
    assert!(cases.iter().all(|case| case.cipher == format!("aes-{}", 8 * case.key.len())));
    assert!(cases.iter().all(|case| case.counter.len() == 16));
    assert!(cases.iter().all(|case| case.plaintext.len() == case.ciphertext.len()));
}

#[test]
fn gcm_has_every_key_length_and_three_nonce_lengths() {
    let cases = gcm();
    assert_eq!(cases.len(), 18);
    assert_eq!(tally(cases.iter().map(|case| case.key.len())), BTreeMap::from([(16, 6), (24, 6), (32, 6)]));
    assert_eq!(tally(cases.iter().map(|case| case.nonce.len())), BTreeMap::from([(8, 3), (12, 12), (60, 3)]));
    assert!(cases.iter().all(|case| case.cipher == format!("aes-{}", 8 * case.key.len())));
    assert!(cases.iter().all(|case| case.tag.len() == 16 && case.valid));
}

#[test]
fn packets_of_esp_and_quic() {
    let suites = tally(esp().into_iter().map(|case| (case.suite, case.extended)));
    let suites: Vec<_> =
        suites.iter().map(|((suite, extended), count)| (&**suite, *extended, *count)).collect();
    let expected = [
        ("aes-cbc-hmac-sha1-96", false, 3),
        ("aes-cbc-hmac-sha1-96", true, 1),
        ("aes-cbc-hmac-sha256-128", false, 1),
        ("aes-ctr-hmac-sha1-96", false, 1),
        ("aes-ctr-hmac-sha256-128", true, 1),
        ("aes-gcm", false, 2),
        ("aes-gcm", true, 2),
    ];
    assert_eq!(suites, expected);
    assert_eq!(tally(quic().iter().map(|case| case.packet.len())), BTreeMap::from([(135, 1), (1200, 1)]));
    for case in quic() {
        assert_eq!(case.header.len() + case.payload.len() + 16, case.packet.len());
    }
}

#[test]
fn cases_of_botan() {
    let ciphers = tally(botan_ecb().into_iter().map(|case| case.cipher));
    let ciphers: Vec<_> = ciphers.iter().map(|(cipher, count)| (cipher.as_str(), *count)).collect();
    let aes = [("aes-128", 381), ("aes-192", 447), ("aes-256", 511)];
    let serpent = [("serpent-128", 4), ("serpent-192", 7), ("serpent-256", 75)];
    assert_eq!(ciphers, [&aes[..], &serpent, &[("xtea-be", 68)]].concat());
    assert_eq!(
        tally(botan_ctr().into_iter().map(|case| case.bits)),
        BTreeMap::from([(32, 1), (64, 65), (128, 130)])
    );
    let counts = [
        botan_xts().len(),
        botan_cbc_pkcs7().len(),
        botan_gcm().len(),
        botan_eax().len(),
        botan_siv().len(),
        botan_rc4().len(),
        botan_cmac().len(),
    ];
    assert_eq!(counts, [441, 65, 17, 99, 320, 75, 24]);
}

#[test]
fn serpent_blocks_are_the_eight_sets_of_nessie() {
    let cases = serpent_blocks();
    assert_eq!(cases.len(), 3468);
    assert_eq!(
        tally(cases.iter().map(|case| case.key.len())),
        BTreeMap::from([(16, 1028), (24, 1156), (32, 1284)])
    );
    assert!(cases.iter().all(|case| case.plaintext.len() == 16 && case.ciphertext.len() == 16));
    // The rules of the inputs are code: one answer of each, as NESSIE prints it with its input.
    for (name, key, plaintext, ciphertext) in [
        ("128 set 1 vector 1", 1 << 126, 0, 0x4a231b3bc727993407ac6ec8350e8524),
        ("128 set 2 vector 0", 0, 1 << 127, 0xa3b35de7c358ddd82644678c64b8bcbb),
        ("128 set 3 vector 255", u128::MAX, u128::MAX, 0x2dee675b6b7401367da2a80fb44b8065),
        ("128 set 4 vector 0", ASCENDING, TEXT, 0x563e2cf8740a27c164804560391e9b27),
        ("128 set 4 vector 1", KEY, RANDOM, 0x92d7f8ef2c36c53409f275902f06539f),
        ("128 set 8 vector 0", ASCENDING, 0x33b3dc87eddd9b0f6a1f407d14919365, TEXT),
    ] {
        let case = cases.iter().find(|case| case.name == format!("NESSIE Serpent-{name}")).expect(name);
        assert_eq!(case.key, u128::to_be_bytes(key), "{name}");
        assert_eq!(case.plaintext, u128::to_be_bytes(plaintext), "{name}");
        assert_eq!(case.ciphertext, u128::to_be_bytes(ciphertext), "{name}");
    }
}

const ASCENDING: u128 = 0x000102030405060708090a0b0c0d0e0f;
const TEXT: u128 = 0x00112233445566778899aabbccddeeff;
const KEY: u128 = 0x2bd6459f82c5b300952c49104881ff48;
const RANDOM: u128 = 0xea024714ad5c4d84ea024714ad5c4d84;

#[test]
fn serpent_submission_blocks_have_every_key_length() {
    let cases = serpent_submission_blocks();
    assert_eq!(tally(cases.iter().map(|case| case.key.len())), BTreeMap::from([(16, 2), (24, 2), (32, 2)]));
    assert!(cases.iter().all(|case| case.plaintext.len() == 16 && case.ciphertext.len() == 16));
}

#[test]
fn xtea_blocks_have_both_orders_and_many_cycles() {
    let cases = xtea_blocks();
    assert_eq!(cases.len(), 34);
    assert_eq!(tally(cases.iter().map(|case| case.big_endian)), BTreeMap::from([(false, 15), (true, 19)]));
    assert_eq!(
        tally(cases.iter().map(|case| case.cycles)),
        BTreeMap::from([(1, 2), (2, 2), (8, 2), (16, 2), (31, 2), (32, 18), (33, 2), (64, 2), (128, 2)])
    );
    assert!(cases.iter().all(|case| case.key.len() == 16));
    assert!(cases.iter().all(|case| case.plaintext.len() == 8 && case.ciphertext.len() == 8));
}

/// The lengths of key and block of a cipher.
fn lengths(cipher: &str) -> (usize, usize) {
    match cipher {
        "aes-128" | "serpent-128" => (16, 16),
        "aes-192" | "serpent-192" => (24, 16),
        "aes-256" | "serpent-256" => (32, 16),
        "tea" | "tea-be" | "xtea" | "xtea-be" => (16, 8),
        _ => panic!("no cipher `{cipher}`"),
    }
}

/// Checks the cases of a mode, but for ECB, and counts them by cipher and by length.
#[track_caller]
fn check_mode(cases: &[ModeCase], keys: usize, ciphers: &[(&str, usize)], plaintexts: &[(usize, usize)]) {
    for case in cases {
        let (key_len, block_len) = lengths(&case.cipher);
        assert_eq!((case.key.len(), case.iv.len()), (keys * key_len, block_len), "{}", case.name);
        assert_eq!(case.plaintext.len(), case.ciphertext.len(), "{}", case.name);
    }
    assert_eq!(
        tally(cases.iter().map(|case| case.cipher.as_str())),
        BTreeMap::from_iter(ciphers.iter().copied())
    );
    assert_eq!(
        tally(cases.iter().map(|case| case.plaintext.len())),
        BTreeMap::from_iter(plaintexts.iter().copied())
    );
}

const AES: [(&str, usize); 3] = [("aes-128", 1), ("aes-192", 1), ("aes-256", 1)];
const OTHERS: [(&str, usize); 5] =
    [("serpent-128", 2), ("serpent-192", 2), ("serpent-256", 2), ("xtea", 6), ("xtea-be", 6)];

#[test]
fn ecb_has_both_block_lengths() {
    let cases = ecb();
    assert!(cases.iter().all(|case| case.iv.is_empty() && case.key.len() == lengths(&case.cipher).0));
    assert!(cases.iter().all(|case| case.plaintext.len() == case.ciphertext.len()));
    let ciphers = OTHERS.into_iter().chain([("tea", 2), ("tea-be", 4)]);
    assert_eq!(tally(cases.iter().map(|case| case.cipher.as_str())), ciphers.collect());
    assert_eq!(
        tally(cases.iter().map(|case| case.plaintext.len())),
        BTreeMap::from([(8, 6), (16, 3), (48, 3), (96, 3), (256, 3), (608, 3), (1024, 3)])
    );
}

#[test]
fn chained_modes_have_every_cipher() {
    let ciphers = [&AES[..], &OTHERS].concat();
    let whole = [(16, 3), (48, 3), (64, 3), (96, 3), (256, 3), (608, 3), (1024, 3)];
    let any = [(1, 3), (16, 3), (48, 3), (64, 3), (100, 3), (257, 3), (600, 3)];
    check_mode(&cbc(), 1, &ciphers, &whole);
    check_mode(&cfb(), 1, &ciphers, &any);
    check_mode(&ofb(), 1, &ciphers, &any);
    let others = [("serpent-128", 2), ("serpent-192", 2), ("serpent-256", 1), ("xtea", 5), ("xtea-be", 5)];
    let ciphers = [&AES[..], &others].concat();
    check_mode(&cfb8(), 1, &ciphers, &[(1, 3), (16, 3), (18, 3), (48, 3), (100, 3), (257, 3)]);
}

#[test]
fn hctr2_has_every_length_of_message_and_tweak() {
    let cases = hctr2();
    let ciphers = tally(cases.iter().map(|case| case.cipher.as_str()));
    assert_eq!(ciphers, BTreeMap::from([("aes-128", 80), ("aes-192", 60), ("aes-256", 140)]));
    let lengths = tally(cases.iter().map(|case| (case.iv.len(), case.plaintext.len())));
    assert_eq!(lengths.len(), 5 * 7);
    assert!(lengths.values().all(|count| *count == 8));
    assert!(cases.iter().all(|case| case.valid && case.plaintext.len() == case.ciphertext.len()));
}

#[test]
fn onions_are_whole() {
    assert_eq!([uiv_et().len(), uiv_prf().len(), uiv().len(), uiv_update().len()], [20, 20, 12, 10]);
    assert!(uiv_prf().iter().all(|case| case.output.len() == if case.t == 0 { 493 } else { 80 }));
    let cases = cgo();
    let operations = tally(cases.iter().map(|case| (format!("{:?}", case.operation), case.hop)));
    let expected = [
        ("Backward", 1, 6),
        ("Forward", 1, 6),
        ("Originate", 1, 6),
        ("Client", 1, 4),
        ("Client", 2, 4),
        ("Client", 3, 6),
    ];
    assert_eq!(operations, expected.map(|(name, hop, count)| ((name.to_owned(), hop), count)).into());
    let hops = |case: &CgoCase| if case.operation == CgoOperation::Client { 3 } else { 1 };
    for case in &cases {
        assert_eq!([case.states.len(), case.new_states.len()], [hops(case); 2], "{}", case.name);
        assert_eq!([case.cell.len(), case.new_cell.len()], [509; 2], "{}", case.name);
    }
}

#[test]
fn xts_has_all_of_ieee_and_serpent() {
    let cases = xts();
    let ciphers =
        [("aes-128", 14), ("aes-256", 5), ("serpent-128", 2), ("serpent-192", 2), ("serpent-256", 2)];
    let plaintexts = [
        (16, 1),
        (17, 2),
        (18, 1),
        (19, 1),
        (20, 1),
        (32, 3),
        (48, 1),
        (100, 1),
        (257, 1),
        (512, 12),
        (600, 1),
    ];
    check_mode(&cases, 2, &ciphers, &plaintexts);
    let invalid: Vec<_> = cases.iter().filter(|case| !case.valid).map(|case| case.name.as_str()).collect();
    assert_eq!(invalid, ["IEEE 1619 vector 1"]);
}

#[test]
fn generated_ctr_has_every_cipher_and_two_widths() {
    let cases = generated_ctr();
    assert_eq!(
        tally(cases.iter().map(|case| (case.cipher.as_str(), case.bits))),
        BTreeMap::from([
            (("serpent-128", 32), 2),
            (("serpent-128", 128), 2),
            (("serpent-192", 32), 2),
            (("serpent-192", 128), 2),
            (("serpent-256", 32), 2),
            (("serpent-256", 128), 2),
            (("xtea", 32), 6),
            (("xtea", 64), 6),
            (("xtea-be", 32), 6),
            (("xtea-be", 64), 6),
        ])
    );
    for case in &cases {
        assert_eq!((case.key.len(), case.counter.len()), lengths(&case.cipher), "{}", case.name);
        assert_eq!(case.plaintext.len(), case.ciphertext.len(), "{}", case.name);
    }
}

/// Checks valid sealed messages, and counts them by cipher.
#[track_caller]
fn check_sealed(cases: &[AeadCase], ciphers: &[(&str, usize)]) {
    for case in cases {
        assert_eq!((case.key.len(), case.tag.len()), lengths(&case.cipher), "{}", case.name);
        assert_eq!(case.plaintext.len(), case.ciphertext.len(), "{}", case.name);
        assert!(case.valid, "{}", case.name);
    }
    assert_eq!(
        tally(cases.iter().map(|case| case.cipher.as_str())),
        BTreeMap::from_iter(ciphers.iter().copied())
    );
}

#[test]
fn eax_and_generated_gcm_have_every_cipher() {
    check_sealed(&eax(), &[&[("aes-128", 10)], &OTHERS[..]].concat());
    check_sealed(&generated_gcm(), &OTHERS[..3]);
    let nonces = BTreeMap::from([(8, 1), (12, 4), (60, 1)]);
    assert_eq!(tally(generated_gcm().iter().map(|case| case.nonce.len())), nonces);
}

#[test]
fn rc4_is_all_of_the_rfc() {
    let cases = rc4();
    let (rfc, classic): (Vec<_>, Vec<_>) = cases.iter().partition(|case| case.name.starts_with("RFC 6229"));
    // Two keys of each length, eighteen places of each.
    let lengths = [5, 7, 8, 10, 16, 24, 32];
    assert_eq!(tally(rfc.iter().map(|case| case.key.len())), BTreeMap::from(lengths.map(|len| (len, 36))));
    let offsets = tally(rfc.iter().map(|case| case.offset));
    assert_eq!(offsets.len(), 18);
    assert!(offsets.values().all(|&count| count == 14));
    assert!(rfc.iter().all(|case| case.plaintext == [0; 16] && case.ciphertext.len() == 16));
    assert_eq!(
        tally(classic.iter().map(|case| case.plaintext.len())),
        BTreeMap::from([(5, 1), (9, 1), (14, 1)])
    );
    assert!(classic.iter().all(|case| case.offset == 0 && case.plaintext.len() == case.ciphertext.len()));
}

#[test]
fn aez_has_every_short_length_and_those_around_pairs() {
    let cases = aez();
    assert_eq!(cases.len(), 400);
    check_aez(&cases);
    let around = |len: &usize| [0, 1, 15, 16, 17, 31].contains(&(len % 32));
    let lengths = (0..128).chain((128..512).filter(around));
    assert_eq!(
        tally(cases.iter().map(|case| (case.plaintext.len(), case.tag_len))),
        BTreeMap::from_iter(lengths.flat_map(|len| [((len, 0), 1), ((len, 16), 1)]))
    );
    assert!(cases.iter().all(|case| (case.key.len(), case.nonce.len()) == (48, 16)));
    assert!(cases.iter().all(|case| case.ads.iter().map(Vec::len).eq([10, 0, 15])));
}

#[test]
fn generated_aez_has_what_aez_has_not() {
    let cases = generated_aez();
    assert_eq!(cases.len(), 236);
    check_aez(&cases);
    let tally_of = |length: fn(&AezCase) -> usize| tally(cases.iter().map(length));
    let tags = tally_of(|case| case.tag_len);
    assert!((0..=32).all(|len| tags[&len] >= 2) && tags[&100] == 2, "{tags:?}");
    let keys = [0, 1, 16, 24, 32, 47, 48, 49, 64, 96, 127, 128, 129, 255, 256, 257];
    assert!(tally_of(|case| case.key.len()).into_keys().eq(keys));
    let nonces = [0, 1, 8, 11, 12, 13, 15, 16, 17, 24, 31, 32, 33, 48, 128, 129, 144, 257];
    assert!(tally_of(|case| case.nonce.len()).into_keys().eq(nonces));
    assert_eq!(tally_of(|case| case.ads.len()), BTreeMap::from([(0, 3), (1, 228), (2, 3), (4, 1), (20, 1)]));
    // The lengths that are enciphered: all of AEZ-tiny, and all that decide in AEZ-core.
    let enciphered = tally_of(|case| case.ciphertext.len());
    assert!((1..32).all(|len| enciphered.contains_key(&len)), "{enciphered:?}");
    for pairs in [0, 1, 2, 7, 8, 9] {
        for rest in [0, 1, 15, 16, 17, 31] {
            assert!(enciphered.contains_key(&(32 * pairs + rest + 32)), "{pairs} pairs and {rest} bytes");
        }
    }
    let long = cases.iter().map(|case| case.plaintext.len()).filter(|&len| len > 511);
    assert!(long.eq([512, 527, 1000, 1024, 2047, 4096, 2080]));
}

/// Checks the lengths that belong together.
#[track_caller]
fn check_aez(cases: &[AezCase]) {
    for case in cases {
        assert_eq!(case.ciphertext.len(), case.plaintext.len() + case.tag_len, "{}", case.name);
    }
}

#[test]
fn aez_parts_are_whole() {
    let cases = aez_extract();
    assert_eq!(cases.len(), 109);
    assert!(cases.iter().all(|case| case.subkeys.len() == 48));
    assert!((0..=106).all(|len| cases.iter().any(|case| case.key.len() == len)));
    let cases = aez_hash();
    assert_eq!(cases.len(), 21);
    assert!(cases.iter().all(|case| case.key.len() == 48 && case.hash.len() == 16));
    assert!((1..=17).all(|count| cases.iter().any(|case| case.strings.len() == count)));
}

#[test]
fn cmac_has_every_cipher() {
    let cases = cmac();
    assert!(cases.iter().all(|case| (case.key.len(), case.tag.len()) == lengths(&case.cipher) && case.valid));
    assert_eq!(
        tally(cases.iter().map(|case| case.cipher.as_str())),
        BTreeMap::from([
            ("aes-128", 4),
            ("aes-192", 4),
            ("aes-256", 4),
            ("serpent-128", 3),
            ("serpent-192", 2),
            ("serpent-256", 2),
            ("xtea", 7),
            ("xtea-be", 7),
        ])
    );
}

#[test]
fn wycheproof_gcm_is_whole() {
    let cases = wycheproof_gcm();
    assert_eq!(cases.len(), 316);
    assert_eq!(tally(cases.iter().map(|case| case.valid)), BTreeMap::from([(false, 87), (true, 229)]));
    assert_eq!(
        tally(cases.iter().flat_map(|case| case.flags.iter().map(String::as_str))),
        BTreeMap::from([
            ("CounterWrap", 36),
            ("KnownTestVector", 7),
            ("LongIv", 18),
            ("ModifiedTag", 81),
            ("Pseudorandom", 120),
            ("SmallIv", 36),
            ("SpecialCase", 12),
            ("ZeroLengthIv", 6),
        ])
    );
}

#[test]
fn wycheproof_eax_is_whole() {
    let cases = wycheproof_eax();
    assert_eq!(cases.len(), 240);
    assert_eq!(tally(cases.iter().map(|case| case.valid)), BTreeMap::from([(false, 81), (true, 159)]));
    assert_eq!(
        tally(cases.iter().flat_map(|case| case.flags.iter().map(String::as_str))),
        BTreeMap::from([
            ("CounterWrap", 8),
            ("KnownTestVector", 10),
            ("LongNonce", 9),
            ("ModifiedTag", 81),
            ("Pseudorandom", 120),
            ("SmallIv", 12),
        ])
    );
}

#[test]
fn wycheproof_cbc_pkcs5_is_whole() {
    let cases = wycheproof_cbc_pkcs5();
    assert_eq!(
        tally(cases.iter().map(|case| (case.cipher.as_str(), case.valid))),
        BTreeMap::from([
            (("aes-128", false), 48),
            (("aes-128", true), 24),
            (("aes-192", false), 48),
            (("aes-192", true), 24),
            (("aes-256", false), 48),
            (("aes-256", true), 24),
        ])
    );
    assert_eq!(
        tally(cases.iter().flat_map(|case| case.flags.iter().map(String::as_str))),
        BTreeMap::from([("BadPadding", 141), ("NoPadding", 3), ("Pseudorandom", 72)])
    );
}

#[test]
fn wycheproof_xts_is_whole() {
    let cases = wycheproof_xts();
    assert_eq!(
        tally(cases.iter().map(|case| case.cipher.as_str())),
        BTreeMap::from([("aes-128", 41), ("aes-192", 41), ("aes-256", 41)])
    );
    assert!(cases.iter().all(|case| case.valid && case.key.len() == 2 * lengths(&case.cipher).0));
    assert!(cases.iter().all(|case| (1..=16).contains(&case.iv.len())));
    assert!(cases.iter().all(|case| case.plaintext.len() == case.ciphertext.len()));
}

#[test]
fn siv_has_every_key_length() {
    let cases = siv();
    assert_eq!(cases.len(), 17);
    assert_eq!(tally(cases.iter().map(|case| case.key.len())), BTreeMap::from([(32, 7), (48, 5), (64, 5)]));
    assert_eq!(
        tally(cases.iter().map(|case| case.ads.len())),
        BTreeMap::from([(0, 3), (1, 6), (2, 5), (3, 2), (4, 1)])
    );
    for case in &cases {
        assert_eq!(case.key.len(), 2 * lengths(&case.cipher).0, "{}", case.name);
        assert_eq!(case.plaintext.len(), case.ciphertext.len(), "{}", case.name);
        assert_eq!(case.tag.len(), 16, "{}", case.name);
    }
}

#[test]
fn gcm_siv_has_both_key_lengths() {
    let cases = gcm_siv();
    assert_eq!(tally(cases.iter().map(|case| case.key.len())), BTreeMap::from([(16, 34), (32, 36)]));
    assert!(cases.iter().all(|case| case.nonce.len() == 12 && case.tag.len() == 16 && case.valid));
    // The counter wraps in both.
    assert_eq!(cases.iter().filter(|case| case.name.starts_with("RFC 8452 C.3")).count(), 2);
    let cases = wycheproof_gcm_siv();
    assert_eq!(tally(cases.iter().map(|case| case.valid)), BTreeMap::from([(false, 66), (true, 136)]));
}

#[test]
fn wycheproof_siv_is_whole() {
    let cases = wycheproof_siv();
    assert_eq!(
        tally(cases.iter().map(|case| (case.cipher.as_str(), case.valid))),
        BTreeMap::from([
            (("aes-128", false), 216),
            (("aes-128", true), 84),
            (("aes-192", false), 216),
            (("aes-192", true), 84),
            (("aes-256", false), 216),
            (("aes-256", true), 84),
        ])
    );
    assert!(cases.iter().all(|case| case.tag.len() == 16 && case.ads.len() == 2));
}

#[test]
fn key_wrap_is_whole() {
    let counts = |cases: Vec<KeyWrapCase>| tally(cases.into_iter().map(|case| (case.padded, case.valid)));
    assert_eq!(counts(key_wrap()), BTreeMap::from([((false, true), 6), ((true, true), 2)]));
    assert_eq!(
        counts(cavp_key_wrap()),
        BTreeMap::from([
            ((false, false), 54),
            ((false, true), 486),
            ((true, false), 54),
            ((true, true), 486)
        ])
    );
    assert_eq!(
        counts(wycheproof_key_wrap()),
        BTreeMap::from([
            ((false, false), 129),
            ((false, true), 36),
            ((true, false), 177),
            ((true, true), 77)
        ])
    );
}

#[test]
fn wycheproof_cmac_is_whole() {
    let cases = wycheproof_cmac();
    assert_eq!(cases.len(), 311);
    assert_eq!(tally(cases.iter().map(|case| case.valid)), BTreeMap::from([(false, 248), (true, 63)]));
    assert_eq!(
        tally(cases.iter().flat_map(|case| case.flags.iter().map(String::as_str))),
        BTreeMap::from([("InvalidKeySize", 5), ("ModifiedTag", 243), ("Pseudorandom", 63)])
    );
    assert!(cases.iter().all(|case| case.tag.len() == 16 || case.flags == ["InvalidKeySize"]));
}

#[test]
fn hmac_has_both_hashes() {
    let cases = hmac();
    assert_eq!(
        tally(cases.iter().map(|case| (case.cipher.as_str(), case.tag.len()))),
        BTreeMap::from([
            (("hmac-sha-1", 12), 1),
            (("hmac-sha-1", 20), 7),
            (("hmac-sha-256", 16), 1),
            (("hmac-sha-256", 32), 6),
        ])
    );
}

#[test]
fn wycheproof_hmac_is_whole() {
    let counted = |cases: &[MacCase]| tally(cases.iter().map(|case| (case.tag.len(), case.valid)));
    assert_eq!(
        counted(&wycheproof_hmac_sha1()),
        BTreeMap::from([((10, false), 50), ((10, true), 33), ((20, false), 54), ((20, true), 33)])
    );
    assert_eq!(
        counted(&wycheproof_hmac_sha256()),
        BTreeMap::from([((16, false), 54), ((16, true), 33), ((32, false), 54), ((32, true), 33)])
    );
}

#[test]
fn cobblestone_is_whole() {
    let cases = cobblestone();
    assert_eq!(cases.len(), 70);
    assert_eq!(
        tally(cases.iter().map(|case| (case.aead, case.valid))),
        BTreeMap::from([
            (("AEAD_AES_128_GCM", false), 25),
            (("AEAD_AES_128_GCM", true), 10),
            (("AEAD_AES_256_GCM", false), 25),
            (("AEAD_AES_256_GCM", true), 10),
        ])
    );
    for case in &cases {
        assert_eq!(case.aead_key.is_some(), case.base_nonce.is_some(), "{}", case.name);
        assert_eq!(case.message_len.is_some(), case.message_sha512.is_some(), "{}", case.name);
    }
    let valid = |aead| cases.iter().filter(move |case| case.valid && case.aead == aead);
    assert!(valid("AEAD_AES_128_GCM").all(|case| case.key.len() == 16));
    assert!(valid("AEAD_AES_256_GCM").all(|case| case.key.len() == 32));
}

#[test]
fn cavp_is_whole() {
    let blocks = cavp_aes_blocks();
    assert_eq!(
        tally(blocks.iter().map(|case| case.key.len())),
        BTreeMap::from([(16, 284), (24, 350), (32, 405)])
    );
    assert!(blocks.iter().all(|case| case.plaintext.len() == 16 && case.ciphertext.len() == 16));
    let ecb = cavp_ecb();
    assert_eq!(
        tally(ecb.iter().map(|case| case.plaintext.len() / 16)),
        (1..=10).map(|len| (len, 6)).collect()
    );
    for cases in [cavp_cbc(), cavp_cfb(), cavp_cfb8(), cavp_ofb()] {
        assert_eq!(cases.len(), blocks.len() + 60);
        assert!(cases.iter().all(|case| case.iv.len() == 16 && case.valid));
        assert!(cases.iter().all(|case| case.plaintext.len() == case.ciphertext.len()));
    }
    // The known answer tests of the modes are made of blocks: one of each, as NIST prints it.
    let [cbc, cfb8, ofb] = [cavp_cbc(), cavp_cfb8(), cavp_ofb()]
        .map(|cases| cases.into_iter().find(|case| case.name.ends_with("GFSbox128 0")).expect("a case"));
    const BLOCK: u128 = 0xf34481ec3cc627bacd5dc3fb08f273e6;
    const ANSWER: u128 = 0x0336763e966d92595a567cc9ce537f5e;
    assert_eq!((cbc.plaintext, cbc.ciphertext), (BLOCK.to_be_bytes().into(), ANSWER.to_be_bytes().into()));
    assert_eq!((ofb.iv, ofb.ciphertext), (BLOCK.to_be_bytes().into(), ANSWER.to_be_bytes().into()));
    assert_eq!((cfb8.iv, cfb8.ciphertext), (BLOCK.to_be_bytes().into(), vec![0x03]));

    let cases = cavp_xts();
    assert_eq!(tally(cases.iter().map(|case| case.cipher.as_str())), XTS_BY_KEY.into());
    assert_eq!(tally(cases.iter().map(|case| case.plaintext.len())), XTS_BY_LENGTH.into());
    let cases = cavp_gcm();
    assert_eq!(tally(cases.iter().map(|case| case.valid)), BTreeMap::from([(false, 1575), (true, 1575)]));
    assert_eq!(
        tally(cases.iter().map(|case| case.tag.len())),
        [4, 8, 12, 13, 14, 15, 16].map(|len| (len, 450)).into()
    );
}

const XTS_BY_KEY: [(&str, usize); 2] = [("aes-128", 1600), ("aes-256", 1200)];
const XTS_BY_LENGTH: [(usize, usize); 4] = [(16, 400), (25, 400), (32, 1200), (48, 800)];

#[test]
fn lines_are_distinct_and_many() {
    let lines = lines();
    let mut cases = HashSet::new();
    for line in &lines {
        let mut fields = line.splitn(12, ' ').skip(1).collect::<Vec<_>>();
        assert_eq!(fields.pop().map(str::is_empty), Some(false), "{line}");
        assert_eq!(fields.len(), 10, "{line}");
        cases.insert(fields);
    }
    // Some are in two sets: the messages of Wycheproof that the papers print, and NESSIE's of two numbers.
    assert!(cases.len() >= 16_000, "{} of {} lines are distinct", cases.len(), lines.len());
}

#[test]
fn names_are_unique() {
    let mut names = HashSet::new();
    let blocks = [aes_blocks(), cavp_aes_blocks(), serpent_blocks(), serpent_submission_blocks()].concat();
    let modes =
        [ecb(), cbc(), cfb(), cfb8(), ofb(), xts(), wycheproof_cbc_pkcs5(), wycheproof_xts()].concat();
    let cavp = [cavp_ecb(), cavp_cbc(), cavp_cfb(), cavp_cfb8(), cavp_ofb(), cavp_xts()].concat();
    let counters = [ctr(), generated_ctr()].concat();
    let sealed = [gcm(), generated_gcm(), eax(), wycheproof_gcm(), wycheproof_eax(), cavp_gcm()].concat();
    let hmac = [hmac(), wycheproof_hmac_sha1(), wycheproof_hmac_sha256()].concat();
    let codes = [cmac(), wycheproof_cmac(), hmac].concat();
    let messages = [aez(), generated_aez()].concat();
    let all = blocks
        .into_iter()
        .map(|case| case.name)
        .chain(xtea_blocks().into_iter().map(|case| case.name))
        .chain(modes.into_iter().map(|case| case.name))
        .chain(cavp.into_iter().map(|case| case.name))
        .chain(counters.into_iter().map(|case| case.name))
        .chain(sealed.into_iter().map(|case| case.name))
        .chain(codes.into_iter().map(|case| case.name))
        .chain(rc4().into_iter().map(|case| case.name))
        .chain([siv(), wycheproof_siv()].concat().into_iter().map(|case| case.name))
        .chain(
            [key_wrap(), cavp_key_wrap(), wycheproof_key_wrap()].concat().into_iter().map(|case| case.name),
        )
        .chain(uiv_et().into_iter().map(|case| case.name))
        .chain(uiv_prf().into_iter().map(|case| case.name))
        .chain(uiv().into_iter().map(|case| case.name))
        .chain(uiv_update().into_iter().map(|case| case.name))
        .chain(cgo().into_iter().map(|case| case.name))
        .chain(messages.into_iter().map(|case| case.name))
        .chain(aez_extract().into_iter().map(|case| case.name))
        .chain(aez_hash().into_iter().map(|case| case.name))
        .chain(cobblestone().into_iter().map(|case| case.name));
    for name in all {
        assert!(names.insert(name.clone()), "{name}");
    }
}
