//! `raw` against published answers.

use data_encoding::HEXLOWER_PERMISSIVE as HEX;

use crate::support::*;

/// NIST SP 800-38A, appendix F: the plaintext of all examples.
const PLAINTEXT: &str = "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51\
                         30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710";

/// Cipher, mode, key, further options, plaintext, ciphertext with tag.
const ANSWERS: [(&str, &str, &str, &str, &str, &str); 6] = [
    // SP 800-38A, F.1.1 and F.1.5.
    (
        "aes-128",
        "ecb",
        "2b7e151628aed2a6abf7158809cf4f3c",
        "",
        PLAINTEXT,
        "3ad77bb40d7a3660a89ecaf32466ef97f5d3d58503b9699de785895a96fdbaaf\
         43b1cd7f598ece23881b00e3ed0306887b0c785e27e8ad3f8223207104725dd4",
    ),
    (
        "aes-256",
        "ecb",
        "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
        "",
        PLAINTEXT,
        "f3eed1bdb5d2a03c064b5a7e3db181f8591ccb10d410ed26dc5ba74a31362870\
         b6ed21b99ca6f4f9f153e7b1beafed1d23304b7a39f9f3ff067d8d8f9e24ecc7",
    ),
    // F.5.1 and F.5.3.
    (
        "aes-128",
        "ctr",
        "2b7e151628aed2a6abf7158809cf4f3c",
        "--iv f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff",
        PLAINTEXT,
        "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff\
         5ae4df3edbd5d35e5b4f09020db03eab1e031dda2fbe03d1792170a0f3009cee",
    ),
    (
        "aes-192",
        "ctr",
        "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",
        "--iv f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff --counter-bits 64",
        PLAINTEXT,
        "1abc932417521ca24f2b0459fe7e6e0b090339ec0aa6faefd5ccc2c6f4ce8e94\
         1e36b26bd1ebc670d1bd1d665620abf74f78a7f6d29809585a97daec58c6b050",
    ),
    // The GCM specification of McGrew and Viega, test cases 2 and 16.
    (
        "aes-128",
        "gcm",
        "00000000000000000000000000000000",
        "--iv 000000000000000000000000",
        "00000000000000000000000000000000",
        "0388dace60b6a392f328c2b971b2fe78ab6e47d42cec13bdf53a67b21257bddf",
    ),
    (
        "aes-256",
        "gcm",
        "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308",
        "--iv cafebabefacedbaddecaf888 --aad feedfacedeadbeeffeedfacedeadbeefabaddad2",
        "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72\
         1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39",
        "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa\
         8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662\
         76fc6ece0f4e1768cddf8853bb2d551b",
    ),
];

/// Arguments from words.
fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

#[test]
fn known_answers_on_every_kernel() {
    let place = Place::new();
    for (cipher, mode, key, more, plain, sealed) in ANSWERS {
        let (plain, sealed) = (HEX.decode(plain.as_bytes()).unwrap(), HEX.decode(sealed.as_bytes()).unwrap());
        for kernel in kernels_of(&place, cipher) {
            let args = format!("--cipher {cipher} --mode {mode} --key {key} --kernel {kernel} {more}");
            let encrypt =
                words(&format!("raw encrypt {args}")).into_iter().map(String::from).collect::<Vec<_>>();
            assert_eq!(place.pipe(&encrypt, &plain).succeeds().stdout, sealed, "{args}");
            let decrypt = format!("raw decrypt {args}");
            assert_eq!(place.pipe(words(&decrypt), &sealed).succeeds().stdout, plain, "{args}");
        }
    }
}

/// The kernels that `abreast kernels --json` lists for a cipher.
fn kernels_of(place: &Place, cipher: &str) -> Vec<String> {
    let json = String::from_utf8(place.run(["kernels", "--json"]).succeeds().stdout).unwrap();
    let line = json.lines().find(|line| line.contains(&format!("\"cipher\":\"{cipher}\""))).unwrap();
    let list = line.split_once("\"kernels\":[").unwrap().1.split_once(']').unwrap().0;
    list.split(',').map(|name| name.trim_matches('"').to_owned()).collect()
}

const KEY: &str = "--key 000102030405060708090a0b0c0d0e0f";
const IV: &str = "--iv 000000000000000000000000";

#[test]
fn long_messages_stream() {
    let place = Place::new();
    let message = message((1 << 20) + 5);
    place.write("message", &message);
    for (mode, iv) in [("ctr", "--iv 000000000000000000000000000000ff"), ("gcm", IV)] {
        let args = format!("--cipher aes-128 --mode {mode} {KEY} {iv}");
        place.run(words(&format!("raw encrypt {args} message -o sealed -f"))).succeeds();
        let piped = place.pipe(words(&format!("raw encrypt {args}")), &message).succeeds().stdout;
        assert!(piped == place.read("sealed"));
        place.run(words(&format!("raw decrypt {args} sealed -o opened -f"))).succeeds();
        assert!(place.read("opened") == message);
        let opened = place.run(words(&format!("raw decrypt {args} sealed"))).succeeds().stdout;
        assert!(opened == message);
    }
}

#[test]
fn nothing_unverified_is_released() {
    let place = Place::new();
    let args = format!("--cipher aes-128 --mode gcm {KEY} {IV}");
    for len in [0, 1, 1 << 20] {
        let mut sealed = place.pipe(words(&format!("raw encrypt {args}")), &message(len)).succeeds().stdout;
        assert_eq!(sealed.len(), len + 16);
        sealed[len] ^= 1;
        place.write("sealed", &sealed);
        place.refuses(words(&format!("raw decrypt {args} sealed")), 3, "sealed: ");
        place.refuses(words(&format!("raw decrypt {args} sealed -o opened")), 3, "sealed: ");
        let piped = place.pipe(words(&format!("raw decrypt {args}")), &sealed).fails(3, "standard input: ");
        assert_eq!(piped.stdout, b"");
    }
    for len in 0..16 {
        place.write("sealed", &vec![0; len]);
        place.refuses(words(&format!("raw decrypt {args} sealed -o opened")), 3, "shorter than its tag");
    }
}

#[test]
fn what_is_held_back_has_a_bound() {
    let place = Place::new();
    let args = format!("--cipher aes-128 --mode gcm {KEY} {IV}");
    for (more, fits) in [(0, true), (1, false)] {
        place.write("message", &message((16 << 20) + more));
        place.run(words(&format!("raw encrypt {args} message -o sealed -f"))).succeeds();
        if fits {
            let opened = place.run(words(&format!("raw decrypt {args} sealed"))).succeeds().stdout;
            assert!(opened == place.read("message"));
        } else {
            place.refuses(words(&format!("raw decrypt {args} sealed")), 1, "use -o FILE");
            place.run(words(&format!("raw decrypt {args} sealed -o opened"))).succeeds();
            assert!(place.read("opened") == place.read("message"));
        }
    }
}

#[test]
fn tags_of_all_lengths() {
    let place = Place::new();
    for len in [4, 8, 12, 13, 14, 15, 16] {
        let args = format!("--cipher aes-128 --mode gcm {KEY} {IV} --tag-len {len}");
        let sealed = place.pipe(words(&format!("raw encrypt {args}")), b"hello").succeeds().stdout;
        assert_eq!(sealed.len(), 5 + len);
        let opened = place.pipe(words(&format!("raw decrypt {args}")), &sealed).succeeds().stdout;
        assert_eq!(opened, b"hello");
    }
}

#[test]
fn arguments_that_make_no_sense() {
    let place = Place::new();
    place.write("message", &message(17));
    let cipher = "raw encrypt message -o out --cipher aes-128";
    for (args, code, cause) in [
        (format!("{cipher} --mode ecb {KEY}"), 1, "message: "),
        (format!("{cipher} --mode ecb {KEY} {IV}"), 2, "--iv means nothing"),
        (format!("{cipher} --mode ctr {KEY}"), 2, "needs --iv"),
        (format!("{cipher} --mode ctr {KEY} {IV}"), 2, "counter block"),
        (format!("{cipher} --mode ctr {KEY} {IV}00000000 --aad 00"), 2, "--aad means nothing"),
        (format!("{cipher} --mode ctr {KEY} {IV}00000000 --tag-len 16"), 2, "--tag-len means nothing"),
        (format!("{cipher} --mode gcm {KEY} {IV} --counter-bits 32"), 2, "--counter-bits means nothing"),
        (format!("{cipher} --mode gcm {KEY} {IV} --tag-len 5"), 2, "tag"),
        (format!("{cipher} --mode gcm {KEY} {IV} --tag-len 17"), 2, "tag"),
        (format!("{cipher} --mode ecb {KEY}00"), 2, "keys of 16 bytes"),
        (format!("{cipher} --mode ecb {KEY} --kernel abacus"), 2, "--kernel: not one of aes-128"),
        (format!("{cipher} --mode ofb {KEY}"), 2, "ofb"),
        ("raw encrypt message -o out --cipher rot-13 --mode ecb --key 00".into(), 2, "rot-13"),
    ] {
        place.refuses(words(&args), code, cause);
    }
}

/// A bad key stays out of the message about it.
#[test]
fn keys_are_not_repeated() {
    let place = Place::new();
    for key in ["secret0", "0011223344556677zz"] {
        let run = place.run(["raw", "encrypt", "--cipher", "aes-128", "--mode", "ecb", "--key", key]);
        let run = run.fails(2, "--key is not hexadecimal");
        assert!(!run.stderr.contains(key), "{}", run.stderr);
    }
}
