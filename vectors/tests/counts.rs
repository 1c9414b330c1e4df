//! Counts the cases, so that a file cut short, or a selection that takes nothing, cannot pass.

use std::collections::{BTreeMap, HashSet};

use abreast_vectors::{aes_blocks, cobblestone, ctr, gcm, wycheproof_gcm};

/// How many cases there are for each value of a property.
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
    assert!(cases.iter().all(|case| case.counter.len() == 16));
    assert!(cases.iter().all(|case| case.plaintext.len() == case.ciphertext.len()));
}

#[test]
fn gcm_has_every_key_length_and_three_nonce_lengths() {
    let cases = gcm();
    assert_eq!(cases.len(), 18);
    assert_eq!(tally(cases.iter().map(|case| case.key.len())), BTreeMap::from([(16, 6), (24, 6), (32, 6)]));
    assert_eq!(tally(cases.iter().map(|case| case.nonce.len())), BTreeMap::from([(8, 3), (12, 12), (60, 3)]));
    assert!(cases.iter().all(|case| case.tag.len() == 16 && case.valid));
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
fn names_are_unique() {
    let mut names = HashSet::new();
    let blocks = aes_blocks().into_iter().map(|case| case.name);
    let counters = ctr().into_iter().map(|case| case.name);
    let sealed = gcm().into_iter().chain(wycheproof_gcm()).map(|case| case.name);
    let chunked = cobblestone().into_iter().map(|case| case.name);
    for name in blocks.chain(counters).chain(sealed).chain(chunked) {
        assert!(names.insert(name.clone()), "{name}");
    }
}
