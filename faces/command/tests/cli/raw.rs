//! `raw` against published answers.

use std::fs::{self, File};

use abreast::kernels::algorithms;
use abreast::table::{MODES, ModeBlocks, ModeKeys, ModeRow};
use abreast_vectors::AezCase;
use data_encoding::HEXLOWER_PERMISSIVE as HEX;

use crate::support::*;

/// NIST SP 800-38A, appendix F: the plaintext of all examples.
const PLAINTEXT: &str = "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51\
                         30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710";

/// Cipher, mode, key, further options, plaintext, ciphertext with tag.
const ANSWERS: [(&str, &str, &str, &str, &str, &str); 21] = [
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
    // F.2.1, F.3.13, F.3.7 and F.4.1.
    (
        "aes-128",
        "cbc",
        "2b7e151628aed2a6abf7158809cf4f3c",
        "--iv 000102030405060708090a0b0c0d0e0f",
        PLAINTEXT,
        "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2\
         73bed6b8e3c1743b7116e69e222295163ff1caa1681fac09120eca307586e1a7",
    ),
    (
        "aes-128",
        "cfb",
        "2b7e151628aed2a6abf7158809cf4f3c",
        "--iv 000102030405060708090a0b0c0d0e0f",
        PLAINTEXT,
        "3b3fd92eb72dad20333449f8e83cfb4ac8a64537a0b3a93fcde3cdad9f1ce58b\
         26751f67a3cbb140b1808cf187a4f4dfc04b05357c5d1c0eeac4c66f9ff7f2e6",
    ),
    (
        "aes-128",
        "cfb8",
        "2b7e151628aed2a6abf7158809cf4f3c",
        "--iv 000102030405060708090a0b0c0d0e0f",
        "6bc1bee22e409f96e93d7e117393172aae2d",
        "3b79424c9c0dd436bace9e0ed4586a4f32b9",
    ),
    (
        "aes-128",
        "ofb",
        "2b7e151628aed2a6abf7158809cf4f3c",
        "--iv 000102030405060708090a0b0c0d0e0f",
        PLAINTEXT,
        "3b3fd92eb72dad20333449f8e83cfb4a7789508d16918f03f53c52dac54ed825\
         9740051e9c5fecf64344f7a82260edcc304c6528f659c77866a510d9c1d6ae5e",
    ),
    // IEEE 1619, vectors 2 and 15.
    (
        "aes-128",
        "xts",
        "1111111111111111111111111111111122222222222222222222222222222222",
        "--iv 33333333330000000000000000000000",
        "4444444444444444444444444444444444444444444444444444444444444444",
        "c454185e6a16936e39334038acef838bfb186fff7480adc4289382ecd6d394f0",
    ),
    (
        "aes-128",
        "xts",
        "fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0bfbebdbcbbbab9b8b7b6b5b4b3b2b1b0",
        "--iv 9a785634120000000000000000000000 --unit 17",
        "000102030405060708090a0b0c0d0e0f10",
        "6c1625db4671522d3d7599601de7ca09ed",
    ),
    // The paper on EAX, appendix G, cases 2 and 4, the latter with a part of its tag.
    (
        "aes-128",
        "eax",
        "91945d3f4dcbee0bf45ef52255f095a4",
        "--iv becaf043b0a23d843194ba972c66debd --aad fa3bfd4806eb53fa",
        "f7fb",
        "19dd5c4c9331049d0bdab0277408f67967e5",
    ),
    (
        "aes-128",
        "eax",
        "d07cf6cbb7f313bdde66b727afd3c5e8",
        "--iv 8408dfff3c1a2b1292dc199e46b7d617 --aad 33cce2eabff5a79d --tag-len 4",
        "481c9e39b1",
        "632a9d131ad4c168a4",
    ),
    // NESSIE, Serpent-256, set 4, vector 0.
    (
        "serpent-256",
        "ecb",
        "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
        "",
        "00112233445566778899aabbccddeeff",
        "2868b7a2d28ecd5e4fdefac3c4330074",
    ),
    // XTEA in the Linux kernel, test 2, its first block; and in PolarSSL, test 1.
    ("xtea", "ecb", "2b02056806144976775d0e266c287843", "", "74657374206d652e", "94ebc896846a49a8"),
    ("xtea-be", "ecb", "000102030405060708090a0b0c0d0e0f", "", "4142434445464748", "497df3d072612cb5"),
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
    // RFC 8452, C.1, the second, and C.2, the tenth.
    (
        "aes-128",
        "gcm-siv",
        "01000000000000000000000000000000",
        "--iv 030000000000000000000000",
        "0100000000000000",
        "b5d839330ac7b786578782fff6013b815b287c22493a364c",
    ),
    (
        "aes-256",
        "gcm-siv",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "--iv 030000000000000000000000 --aad 01 --tag-len 16",
        "02000000000000000000000000000000",
        "c91545823cc24f17dbb0e9e807d5ec17b292d28ff61189e8e49f3875ef91aff7",
    ),
    // RFC 5297, A.1.
    (
        "aes-128",
        "siv",
        "fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff",
        "--iv= --aad 101112131415161718191a1b1c1d1e1f2021222324252627",
        "112233445566778899aabbccddee",
        "85632d07c6e8f37f950acd320a2ecc9340c02b9690c4dc04daef7f6afe5c",
    ),
    // By the authors of HCTR2.
    (
        "aes-192",
        "hctr2",
        "7c7e6dabd80f058f79b35683e5e606138d5754a9245522e4",
        "--iv 6b",
        "35199db5d575980bc20e0aa15d95df118c",
        "cfdf1a3bd57d071c5aa6eed444a291404f",
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

/// Ciphers, with the lengths of their keys and blocks.
fn ciphers() -> impl Iterator<Item = (&'static str, usize, usize)> {
    algorithms().iter().map(|cipher| (cipher.name(), cipher.key_len(), cipher.block_size()))
}

/// Returns the arguments that encrypt or decrypt with a cipher in a mode, under some key and IV.
fn args(cipher: &str, mode: &str) -> String {
    let (_, key, block) = ciphers().find(|(name, ..)| *name == cipher).unwrap();
    let key = match ModeRow::from_name(mode).map(|row| row.keys) {
        Some(ModeKeys::OfCiphers(keys)) => keys * key,
        _ => key,
    };
    let key = HEX.encode(&(1..=key as u8).collect::<Vec<_>>());
    let iv = match mode {
        "ecb" | "cmac" => String::new(),
        "gcm-siv" => IV.to_owned(),
        _ => format!("--iv {}", HEX.encode(&(0x80..).take(block).collect::<Vec<u8>>())),
    };
    format!("--cipher {cipher} --mode {mode} --key {key} {iv}")
}

/// Modes: those of the library's table, but AEZ, which is a cipher here, and CMAC, which leaves nothing to decrypt; and CBC
/// with padding.
fn modes() -> impl Iterator<Item = &'static str> {
    let of_table = MODES.iter().map(|row| row.name).filter(|name| !["aez", "cmac"].contains(name));
    of_table.chain(["cbc-pkcs7"])
}

#[test]
fn every_cipher_in_every_mode() {
    let place = Place::new();
    for (cipher, key_len, block) in ciphers() {
        for mode in modes() {
            let args = args(cipher, mode);
            let of_16 = ModeRow::from_name(mode).is_some_and(|row| row.blocks == ModeBlocks::Of16);
            if block == 8 && of_16 {
                let cause = format!("--mode: {mode} needs blocks of 16 bytes, and {cipher} has blocks of 8");
                place.refuses(words(&format!("raw encrypt {args}")), 2, &cause);
                continue;
            }
            if matches!(mode, "siv" | "gcm-siv") && !cipher.starts_with("aes-") {
                let cause = format!("{mode} is for AES, not for {cipher}");
                place.refuses(words(&format!("raw encrypt {args}")), 2, &cause);
                continue;
            }
            if mode == "gcm-siv" && key_len == 24 {
                let cause = "--key: gcm-siv has keys of 16 or 32 bytes, not 24";
                place.refuses(words(&format!("raw encrypt {args}")), 2, cause);
                continue;
            }
            for len in [0, block, 512, 1041] {
                if len % block != 0 && matches!(mode, "ecb" | "cbc") {
                    continue;
                }
                let message = message(len);
                let run = place.pipe(words(&format!("raw encrypt {args}")), &message);
                if mode == "hctr2" && len < 16 {
                    run.fails(2, "the message has fewer than the 16 bytes that the mode takes at least");
                    continue;
                }
                let encrypted = run.succeeds().stdout;
                let more = match mode {
                    "cbc-pkcs7" => block - len % block,
                    "eax" | "gcm" | "siv" | "gcm-siv" => block,
                    _ => 0,
                };
                assert_eq!(encrypted.len(), len + more, "{args}, {len} bytes");
                assert!(len == 0 || encrypted[..len] != message, "{args}, {len} bytes");
                let run = place.pipe(words(&format!("raw decrypt {args}")), &encrypted);
                assert!(run.succeeds().stdout == message, "{args}, {len} bytes");
            }
        }
    }
}

/// NIST SP 800-38B, appendix D.1, examples 1 to 4.
#[test]
fn cmac_writes_the_tag_alone() {
    let place = Place::new();
    let args = "raw encrypt --cipher aes-128 --mode cmac --key 2b7e151628aed2a6abf7158809cf4f3c";
    let plaintext = HEX.decode(PLAINTEXT.as_bytes()).unwrap();
    for (len, tag) in [
        (0, "bb1d6929e95937287fa37d129b756746"),
        (16, "070a16b46b4d4144f79bdd9dd04a287c"),
        (40, "dfa66747de9ae63030ca32611497c827"),
        (64, "51f0bebf7e3b9d92fc49741779363cfe"),
    ] {
        let run = place.pipe(words(args), &plaintext[..len]);
        assert_eq!(HEX.encode(&run.succeeds().stdout), tag, "{len} bytes");
        let run = place.pipe(words(&format!("{args} --tag-len 5")), &plaintext[..len]);
        assert_eq!(HEX.encode(&run.succeeds().stdout), tag[..10], "{len} bytes");
    }
    let decrypt = args.replace("encrypt", "decrypt");
    place.refuses(words(&decrypt), 2, "make the tag with raw encrypt");
    place.refuses(words(&format!("{args} --iv 00")), 2, "--iv means nothing");
    place.refuses(words(&format!("{args} --tag-len 0")), 2, "tag");
    place.refuses(words(&format!("{args} --tag-len 17")), 2, "tag");
    place.refuses(words(&self::args("xtea", "cmac").replacen("", "raw encrypt --tag-len 9 ", 1)), 2, "tag");
}

/// Pieces go through in batches; the answers equal those for messages that fit in one batch.
#[test]
fn data_units_have_consecutive_numbers() {
    let place = Place::new();
    let message = message(300_016);
    let args = args("serpent-192", "xts");
    let (start, _) = args.split_once("--iv").unwrap();
    // The number of the last unit below 2^128, so that they wrap around.
    for unit in [16, 17, 512, 4096, 200_000] {
        let first = u128::MAX;
        let run = |iv: u128, data: &[u8]| {
            let iv = HEX.encode(&iv.to_le_bytes());
            let args = format!("raw encrypt {start} --unit {unit} --iv {iv}");
            place.pipe(words(&args), data).succeeds().stdout
        };
        let whole = run(first, &message);
        assert_eq!(whole.len(), message.len());
        let units = message.chunks(unit).zip(whole.chunks(unit)).enumerate();
        let last = message.len().div_ceil(unit) - 1;
        for (i, (unit, encrypted)) in units.filter(|(i, _)| [0, 1, 300, 7000, last].contains(i)) {
            assert!(run(first.wrapping_add(i as u128), unit) == encrypted, "{i}");
        }
    }
}

#[test]
fn data_units_that_are_none() {
    let place = Place::new();
    place.write("message", &message(512 + 15));
    let args = args("aes-256", "xts");
    let encrypt = format!("raw encrypt message -o out {args}");
    place.refuses(words(&encrypt), 2, "message: its last data unit would have less than 16 bytes");
    for unit in [0, 15, (16 << 20) + 1] {
        place.refuses(words(&format!("{encrypt} --unit {unit}")), 2, "data unit");
    }
    place.run(words(&format!("{encrypt} --unit {}", 16 << 20))).succeeds();
    let half = "000102030405060708090a0b0c0d0e0f";
    let equal = format!("--cipher aes-128 --mode xts --key {half}{half} --iv {half}");
    place.refuses(words(&format!("raw encrypt message -o x {equal}")), 2, "the two keys of XTS are the same");
    let single = equal.replacen(half, "", 1);
    place.refuses(words(&format!("raw encrypt message -o x {single}")), 2, "2 keys of 16 bytes");
    place.refuses(
        words(&format!("raw encrypt message -o x {args}00")),
        2,
        "--iv: the number of a unit has 16 bytes, not 17",
    );
}

/// The last block decides: until then nothing shows.
#[test]
fn padding_that_is_none() {
    let place = Place::new();
    for cipher in ["aes-192", "xtea"] {
        let args = args(cipher, "cbc-pkcs7");
        let whole = args.replace("cbc-pkcs7", "cbc");
        for len in [16, 512, 1 << 20] {
            // No message of this kind ends in a byte that says there is padding of 224 bytes.
            let mut message = message(len);
            message[len - 1] = 224;
            let unpadded = place.pipe(words(&format!("raw encrypt {whole}")), &message).succeeds().stdout;
            place.write("encrypted", &unpadded);
            place.refuses(words(&format!("raw decrypt {args} encrypted -o out")), 3, "padding");
            place.refuses(words(&format!("raw decrypt {args} encrypted")), 3, "padding");
        }
        for len in [0, 1, 7, 17, 41] {
            place.write("encrypted", &message(len));
            let block = if cipher == "xtea" { 8 } else { 16 };
            let cause = if len < block { "shorter than a block" } else { "not a whole number of blocks" };
            place.refuses(words(&format!("raw decrypt {args} encrypted")), 2, cause);
        }
    }
}

#[test]
fn nonces_of_any_length() {
    let place = Place::new();
    for len in [0, 1, 8, 12, 16, 17, 100] {
        let nonce = HEX.encode(&message(len));
        for mode in ["eax", "gcm"] {
            let args = ["--cipher", "serpent-256", "--mode", mode, "--aad", "0102", "--iv", &nonce];
            let key = ["--key", &HEX.encode(&[7; 32])];
            let args = [&args[..], &key].concat();
            if (mode, len) == ("gcm", 0) {
                place.refuses([&["raw", "encrypt"], &args[..]].concat(), 2, "the nonce is empty");
                continue;
            }
            let run = place.pipe([&["raw", "encrypt"], &args[..]].concat(), b"hello");
            let sealed = run.succeeds().stdout;
            let run = place.pipe([&["raw", "decrypt"], &args[..]].concat(), &sealed);
            assert_eq!(run.succeeds().stdout, b"hello");
        }
    }
}

#[test]
fn long_messages_stream() {
    let place = Place::new();
    let message = message((1 << 20) + 5);
    place.write("message", &message);
    let block = "--iv 000000000000000000000000000000ff";
    for (mode, iv) in [
        ("cbc-pkcs7", block),
        ("cfb", block),
        ("cfb8", block),
        ("ofb", block),
        ("ctr", block),
        ("eax", block),
        ("gcm", IV),
    ] {
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
    for (cipher, mode, tag_len) in [
        ("aes-128", "gcm", 16),
        ("aes-256", "gcm-siv", 16),
        ("aes-192", "siv", 16),
        ("serpent-256", "eax", 16),
        ("xtea-be", "eax", 8),
    ] {
        let args = args(cipher, mode);
        for len in [0, 1, 1 << 20] {
            let good = place.pipe(words(&format!("raw encrypt {args}")), &message(len)).succeeds().stdout;
            assert_eq!(good.len(), len + tag_len);
            for position in [0, len / 2, len, len + tag_len - 1] {
                let mut sealed = good.clone();
                sealed[position] ^= 1;
                place.write("sealed", &sealed);
                place.refuses(words(&format!("raw decrypt {args} sealed")), 3, "sealed: ");
                place.refuses(words(&format!("raw decrypt {args} sealed -o opened")), 3, "sealed: ");
                let piped = place.pipe(words(&format!("raw decrypt {args}")), &sealed);
                assert_eq!(piped.fails(3, "standard input: ").stdout, b"");
            }
            place.write("sealed", &good);
            place.refuses(words(&format!("raw decrypt {args} --aad 00 sealed")), 3, "sealed: ");
        }
        for len in 0..tag_len {
            place.write("sealed", &vec![0; len]);
            let args = format!("raw decrypt {args} sealed -o opened");
            place.refuses(words(&args), 3, "shorter than its tag");
        }
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
    for (cipher, mode) in
        [("aes-128", "gcm"), ("aes-128", "gcm-siv"), ("aes-128", "siv"), ("aes-128", "eax"), ("xtea", "eax")]
    {
        for len in 0..=17 {
            let args = format!("{} --tag-len {len}", args(cipher, mode));
            let fits = match (cipher, mode) {
                (_, "gcm") => matches!(len, 4 | 8 | 12..=16),
                (_, "gcm-siv" | "siv") => len == 16,
                ("xtea", _) => (1..=8).contains(&len),
                _ => (1..=16).contains(&len),
            };
            if !fits {
                place.refuses(words(&format!("raw encrypt {args}")), 2, "tag");
                continue;
            }
            let sealed = place.pipe(words(&format!("raw encrypt {args}")), b"hello").succeeds().stdout;
            assert_eq!(sealed.len(), 5 + len);
            let opened = place.pipe(words(&format!("raw decrypt {args}")), &sealed).succeeds().stdout;
            assert_eq!(opened, b"hello");
        }
    }
}

#[test]
fn arguments_that_make_no_sense() {
    let place = Place::new();
    place.write("message", &message(17));
    let cipher = "raw encrypt message -o out --cipher aes-128";
    let rc4 = "raw decrypt message -o out --cipher rc4 --legacy";
    for (args, code, cause) in [
        (
            format!("{cipher} --mode ecb {KEY}"),
            2,
            "message: has 17 bytes, which is not a whole number of blocks of 16",
        ),
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
        (
            format!("{cipher} --mode cbc {KEY} --iv {:032}", 0),
            2,
            "message: has 17 bytes, which is not a whole number of blocks of 16",
        ),
        (format!("{cipher} --mode cbc {KEY} {IV}"), 2, "initialisation vector"),
        (format!("{cipher} --mode cbc-pkcs7 {KEY} {IV}"), 2, "initialisation vector"),
        (format!("{cipher} --mode cfb {KEY} {IV}"), 2, "initialisation vector"),
        (format!("{cipher} --mode ofb {KEY} {IV}"), 2, "initialisation vector"),
        (format!("{cipher} --mode ofb {KEY}"), 2, "needs --iv"),
        (format!("{cipher} --mode eax {KEY}"), 2, "needs --iv"),
        (format!("{cipher} --mode eax {KEY} {IV} --unit 512"), 2, "--unit means nothing"),
        (format!("{cipher} --mode ccm {KEY}"), 2, "ccm"),
        (format!("{cipher} {KEY}"), 2, "aes-128 needs --mode"),
        (format!("{cipher} --mode gcm {KEY} {IV} --aad 00 --aad 01"), 2, "this mode takes one --aad"),
        (format!("raw encrypt message -o out --cipher aez --mode gcm {KEY} {IV}"), 2, "aez takes no --mode"),
        (format!("raw encrypt message -o out --cipher aez {KEY}"), 2, "aez needs --iv"),
        (
            format!("raw encrypt message -o out --cipher aez {KEY} --iv 0"),
            2,
            "--iv has an odd number of digits",
        ),
        (
            format!("raw encrypt message -o out --cipher aez {KEY} {IV} --aad x"),
            2,
            "--aad is not hexadecimal",
        ),
        (format!("raw encrypt message -o out --cipher aez {KEY} {IV} --unit 512"), 2, "nothing to aez"),
        (format!("raw encrypt message -o out --cipher aez {KEY} {IV} --kernel sse2"), 2, "not one of aez"),
        (format!("raw encrypt message -o out --cipher aez {KEY} {IV} --tag-len -1"), 2, "-1"),
        (format!("raw encrypt message -o out --cipher aez {KEY} {IV} --drop 1"), 2, "nothing to aez"),
        (format!("{cipher} --mode ecb {KEY} --drop 1"), 2, "--drop means nothing"),
        (format!("{rc4} {KEY} --mode ctr"), 2, "rc4 takes no --mode"),
        (format!("{rc4} {KEY} {IV}"), 2, "--iv means nothing to rc4"),
        (format!("{rc4} {KEY} --kernel three"), 2, "--kernel means nothing to rc4"),
        (format!("{rc4} --key="), 2, "--key: rc4 has keys of 1 to 256 bytes"),
        (format!("{rc4} --key {}", "00".repeat(257)), 2, "--key: rc4 has keys of 1 to 256 bytes"),
        (
            format!("{rc4} {KEY}").replace("--legacy", ""),
            2,
            "rc4 is broken and keeps nothing secret: --legacy",
        ),
        (
            format!("raw encrypt message -o out {} --counter-bits 128", args("xtea", "ctr")),
            2,
            "the blocks of xtea have 64 bits, fewer than 128",
        ),
        ("raw encrypt message -o out --cipher rot-13 --mode ecb --key 00".into(), 2, "rot-13"),
    ] {
        place.refuses(words(&args), code, cause);
    }
}

/// Arguments for a message of the vectors of AEZ.
fn args_of_aez(direction: &str, case: &AezCase, kernel: &str) -> Vec<String> {
    let (key, nonce, tag_len) = (HEX.encode(&case.key), HEX.encode(&case.nonce), case.tag_len.to_string());
    let args = ["raw", direction, "--cipher", "aez", "--kernel", kernel, "--key", &key, "--iv", &nonce];
    let strings = case.ads.iter().flat_map(|string| ["--aad".into(), HEX.encode(string)]);
    args.into_iter().chain(["--tag-len", &tag_len]).map(String::from).chain(strings).collect()
}

#[test]
fn known_answers_of_aez() {
    let place = Place::new();
    let kernels = kernels_of(&place, "aez");
    let cases = abreast_vectors::aez().into_iter().step_by(41).chain(abreast_vectors::generated_aez());
    for (case, kernel) in cases.zip(kernels.iter().cycle()) {
        let sealed = place.pipe(args_of_aez("encrypt", &case, kernel), &case.plaintext).succeeds().stdout;
        assert_eq!(HEX.encode(&sealed), HEX.encode(&case.ciphertext), "{}, {kernel}", case.name);
        let opened = place.pipe(args_of_aez("decrypt", &case, kernel), &case.ciphertext).succeeds().stdout;
        assert_eq!(HEX.encode(&opened), HEX.encode(&case.plaintext), "{}, {kernel}", case.name);
    }
}

/// Encrypts a message with AEZ and further arguments, checks that it decrypts again, and returns the ciphertext.
#[track_caller]
fn aez(place: &Place, args: &str, message: &[u8]) -> Vec<u8> {
    let args = format!("--cipher aez {KEY} {IV} {args}");
    let sealed = place.pipe(words(&format!("raw encrypt {args}")), message).succeeds().stdout;
    let opened = place.pipe(words(&format!("raw decrypt {args}")), &sealed).succeeds().stdout;
    assert!(opened == message, "{args}");
    sealed
}

#[test]
fn aez_there_and_back() {
    let place = Place::new();
    // Shorter than a single read, just as long, and longer.
    for len in [0, 1, 100, 128 << 10, (1 << 20) + 5] {
        let message = message(len);
        let usual = aez(&place, "", &message);
        assert_eq!(usual.len(), len + 16);
        for tag_len in [0, 1, 32, 40, 200_000] {
            let sealed = aez(&place, &format!("--tag-len {tag_len}"), &message);
            assert_eq!(sealed.len(), len + tag_len);
        }
        assert!(aez(&place, "--tag-len 16", &message) == usual);
        // From a file, whose length is known.
        place.write("message", &message);
        let args = format!("--cipher aez {KEY} {IV}");
        place.run(words(&format!("raw encrypt {args} message -o sealed -f"))).succeeds();
        assert!(place.read("sealed") == usual);
        place.run(words(&format!("raw decrypt {args} sealed -o opened -f"))).succeeds();
        assert!(place.read("opened") == message);
    }
}

#[test]
fn strings_of_aez_are_apart() {
    let place = Place::new();
    let none = "--aad=";
    let ways = ["", none, "--aad 00", "--aad 01", "--aad 0001", "--aad 00 --aad 01", "--aad 01 --aad 00"];
    let sealed: Vec<_> = ways.into_iter().map(|args| aez(&place, args, b"hello")).collect();
    for (i, one) in sealed.iter().enumerate() {
        assert!(!sealed[..i].contains(one), "{}", ways[i]);
    }
}

#[test]
fn nothing_unverified_of_aez_is_released() {
    let place = Place::new();
    let args = format!("raw decrypt --cipher aez {KEY} {IV}");
    for len in [0, 1, 100, 1 << 20] {
        let good = aez(&place, "", &message(len));
        for position in [0, len / 2, len, len + 15] {
            let mut sealed = good.clone();
            sealed[position] ^= 1;
            place.write("sealed", &sealed);
            place.refuses(words(&format!("{args} sealed")), 3, "sealed: the message is not authentic");
            place.refuses(words(&format!("{args} sealed -o opened")), 3, "sealed: ");
            assert_eq!(place.pipe(words(&args), &sealed).fails(3, "standard input: ").stdout, b"");
        }
        place.write("sealed", &good);
        place.refuses(words(&format!("{args} --aad 00 sealed -o opened")), 3, "sealed: ");
        place.refuses(words(&format!("{args} --tag-len 15 sealed -o opened")), 3, "sealed: ");
    }
    for len in 0..16 {
        place.write("sealed", &vec![0; len]);
        place.refuses(words(&format!("{args} sealed -o opened")), 3, "shorter than its tag");
    }
    // Without a tag there is nothing to verify.
    place.write("sealed", &message(100));
    let opened = place.run(words(&format!("{args} --tag-len 0 sealed"))).succeeds().stdout;
    assert!(opened.len() == 100 && opened != message(100));
}

#[cfg(unix)]
#[test]
fn what_does_not_fit_in_memory() {
    let place = Place::new();
    File::create(place.path("sparse")).unwrap().set_len(1 << 40).unwrap();
    let args = format!("raw encrypt --cipher aez {KEY} {IV}");
    let script = format!("ulimit -v 4000000; exec $ABREAST {args} sparse -o out");
    let run = spawn(&mut place.shell(&script)).end();
    assert_eq!(run.fails(1, "sparse: does not fit in memory").stdout, b"");
    fs::remove_file(place.path("sparse")).unwrap();
    for len in [(16 << 20) + 1, i64::MAX as u64, u64::MAX] {
        place.refuses(
            words(&format!("{args} --tag-len {len} key -o out")),
            2,
            "--tag-len: at most 16777216 bytes",
        );
    }
    assert_eq!(place.names(), ["key"]);
}

/// RFC 6229 and more; the bytes in front of a message are dropped.
#[test]
fn known_answers_of_rc4() {
    let place = Place::new();
    for case in abreast_vectors::rc4() {
        let (key, drop) = (HEX.encode(&case.key), case.offset.to_string());
        for (direction, from, to) in
            [("encrypt", &case.plaintext, &case.ciphertext), ("decrypt", &case.ciphertext, &case.plaintext)]
        {
            let args = ["raw", direction, "--cipher", "rc4", "--legacy", "--key", &key, "--drop", &drop];
            assert_eq!(&place.pipe(args, from).succeeds().stdout, to, "{}", case.name);
        }
    }
}

#[test]
fn streams_of_rc4_of_any_length() {
    let place = Place::new();
    let rc4 = format!("--cipher rc4 --legacy {KEY}");
    for len in [0, 1, 128 << 10, (1 << 20) + 5] {
        let message = message(len);
        place.write("message", &message);
        place.run(words(&format!("raw encrypt {rc4} message -o encrypted -f"))).succeeds();
        let encrypted = place.read("encrypted");
        assert!(len == 0 || encrypted != message);
        let decrypted = place.pipe(words(&format!("raw decrypt {rc4}")), &encrypted).succeeds().stdout;
        assert!(decrypted == message);
        let tail = encrypted.len() / 3;
        let args = format!("raw decrypt {rc4} --drop {tail}");
        assert!(place.pipe(words(&args), &encrypted[tail..]).succeeds().stdout == message[tail..]);
    }
}

/// Checks that `--legacy` allows, and demands nothing.
#[test]
fn legacy_is_harmless_elsewhere() {
    let place = Place::new();
    let args = args("aes-128", "gcm");
    let usual = place.pipe(words(&format!("raw encrypt {args}")), b"hello").succeeds().stdout;
    let allowed = place.pipe(words(&format!("raw encrypt --legacy {args}")), b"hello").succeeds().stdout;
    assert_eq!(usual, allowed);
}

/// A bad key stays out of the message about it.
#[test]
fn keys_are_not_repeated() {
    let place = Place::new();
    for (key, cause) in [
        ("secret0", "--key is not hexadecimal"),
        ("0011223344556677zz", "--key is not hexadecimal"),
        ("001122334455667", "--key has an odd number of digits"),
    ] {
        let run = place.run(["raw", "encrypt", "--cipher", "aes-128", "--mode", "ecb", "--key", key]);
        let run = run.fails(2, cause);
        assert!(!run.stderr.contains(key), "{}", run.stderr);
    }
}
