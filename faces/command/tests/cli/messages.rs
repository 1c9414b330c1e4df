//! Messages that name the problem and its remedy, in the words of the command line.

use std::fs;

use crate::support::*;

#[test]
fn about_the_command_line() {
    let place = Place::new();
    place.write("plain", b"hello");
    for jobs in ["0", "-1", "x"] {
        let args = ["seal", "plain", "-k", "key", &format!("--jobs={jobs}")];
        place.refuses(args, 2, "the number of threads is a whole number from 1 on");
    }
    place.refuses(["sael"], 2, "did you mean seal?");
    place.refuses(["open", "key", "--key", "key"], 2, "did you mean --key-file?");
    place.refuses(["seal", "plain", "-k", "key", "--cipher", "aes-256-gmc"], 2, "did you mean aes-256-gcm?");
}

/// An option's value is nothing else, wherever the option stands among the files.
#[test]
fn options_are_not_files() {
    let place = Place::new();
    place.write("a", b"hello");
    place.write("b", b"hello");
    for args in [["a", "b", "missing", "-k", "key"], ["a", "-k", "key", "b", "missing"]] {
        let run = place.run([&["seal", "-f"], &args[..]].concat());
        assert_eq!(run.code, Some(5));
        assert!(run.stderr.ends_with("abreast: 1 of 3 files failed: missing\n"), "{}", run.stderr);
        assert_eq!(place.names(), ["a", "a.abreast", "b", "b.abreast", "key"]);
    }
}

#[test]
fn about_keys() {
    let place = Place::new();
    place.seal(b"hello");
    let two = place.read("key").repeat(2);
    place.write("two", &two);
    place.refuses(["open", "sealed", "-k", "two", "-o", "x"], 2, "two: the key file is more than one line");
    place.refuses(
        ["open", "sealed", "-k", "key", "--cipher", "aes-128-gcm", "-o", "x"],
        2,
        "key: the key is for aes-256-gcm, and --cipher says otherwise",
    );
}

#[test]
fn about_names() {
    let place = Place::new();
    place.seal(b"hello");
    fs::rename(place.path("sealed"), place.path(".abreast")).unwrap();
    let cause = "nothing is left of the name without .abreast: tell with -o where to write";
    place.refuses(["open", ".abreast", "-k", "key"], 2, cause);
}

/// Not a failed authentication: whoever made the file has a newer command.
#[test]
fn about_what_is_newer() {
    let place = Place::new();
    place.write("passphrase", b"tr0ub4dor");
    let sealed = sealed_with_passphrase("tr0ub4dor", b"hello");
    let line = sealed.iter().position(|&byte| byte == b'\n').unwrap() + 1;
    let text = String::from_utf8(sealed[..line].to_vec()).unwrap();
    for (from, to, what) in [
        ("abreast/1", "abreast/2", "version"),
        ("abreast/1", "abreast/10", "version"),
        ("argon2id", "scrypt", "passphrase hash"),
        ("AES_256_GCM", "AES_256_SIV", "cipher"),
    ] {
        let newer = text.replacen(from, to, 1);
        place.write("sealed", &[newer.as_bytes(), &sealed[line..]].concat());
        let cause = format!("sealed: names a {what} that is not known here: it is from a newer version");
        place.refuses(["open", "sealed", "--passphrase-file", "passphrase", "-o", "x"], 3, &cause);
    }
}

#[test]
fn about_arguments_of_raw() {
    let place = Place::new();
    place.write("message", b"");
    let block = "00112233445566778899aabbccddeeff";
    for (args, cause) in [
        ("--mode ecb --key 0".into(), "--key has an odd number of digits, 1"),
        ("--mode ecb --key 0g".into(), "--key is not hexadecimal"),
        ("--mode ecb --key 00".into(), "--key: aes-128 has keys of 16 bytes, not 1"),
        (
            format!("--mode xts --key {block} --iv {block}"),
            "--key: this mode takes 2 keys of 16 bytes, 32 together",
        ),
        (
            format!("--mode xts --key {block}{block} --iv 00"),
            "--iv: the number of a unit has 16 bytes, not 1",
        ),
        (
            format!("--mode cbc --key {block} --iv 0011"),
            "--iv: the initialisation vector has 16 bytes, not 2",
        ),
        (
            format!("--mode ofb --key {block} --iv {block}00"),
            "--iv: the initialisation vector has 16 bytes, not 17",
        ),
        (format!("--mode ctr --key {block} --iv 0011"), "--iv: the first counter block has 16 bytes, not 2"),
        (
            format!("--mode gcm --key {block} --iv="),
            "--iv: the nonce is empty, and gcm takes at least one byte",
        ),
        (
            format!("--mode gcm --key {block} --iv 00 --tag-len 5"),
            "--tag-len: gcm has tags of 4, 8 or 12 to 16 bytes, not 5",
        ),
        (
            format!("--mode gcm-siv --key {block} --iv {block} --tag-len 16"),
            "--iv: the nonce has 12 bytes, not 16",
        ),
        (
            format!("--mode gcm-siv --key {block} --iv 000102030405060708090a0b --tag-len 12"),
            "--tag-len: gcm-siv has tags of 16 bytes, not 12",
        ),
        (
            format!("--mode eax --key {block} --iv 00 --tag-len 17"),
            "--tag-len: this mode has tags of 1 to 16 bytes, not 17",
        ),
    ] {
        let args = format!("raw decrypt message --cipher aes-128 {args}");
        place.refuses(args.split(' '), 2, cause);
    }
    let other =
        format!("raw decrypt message --cipher aes-192 --mode gcm-siv --key {block}0011223344556677 --iv 00");
    place.refuses(other.split(' '), 2, "--key: gcm-siv has keys of 16 or 32 bytes, not 24");
    let padded = format!("raw decrypt message --cipher aes-128 --mode cbc-pkcs7 --key {block} --iv {block}");
    place.refuses(
        padded.split(' '),
        2,
        "message: shorter than a block, and a padded message has at least one",
    );
    place.write("message", &[1; 17]);
    place.refuses(padded.split(' '), 2, "message: the data is not a whole number of blocks");
    place.write("message", &[1; 16]);
    place.refuses(padded.split(' '), 3, "message: the plaintext does not end in valid padding");
}

/// Habits from other programs are answered with what there is here.
#[test]
fn about_habits() {
    let place = Place::new();
    place.write("plain", b"hello");
    place.refuses(
        ["seal", "plain", "--passphrase", "secret"],
        2,
        "there is no --passphrase, since other users could see it",
    );
    place.refuses(["seal", "plain", "-k", "key", "-o", "sub/x"], 1, "sub/x: the folder sub is missing");
    place.refuses(["seal", "plain", "--new-key", "sub/k"], 1, "sub/k: the folder sub is missing");
    place.run(["keygen", "other.key"]).succeeds();
    place.refuses(["keygen", "other.key"], 4, "other.key: exists already");
    fs::create_dir(place.path("photos")).unwrap();
    place.refuses(["seal", "photos", "-k", "key"], 1, "photos: is a folder: -r takes all files in it");
}
