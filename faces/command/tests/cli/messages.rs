//! Messages that name the problem and its remedy, in the words of the command line.

use std::fs;

use crate::support::*;

#[test]
fn about_the_command_line() {
    let place = Place::new();
    place.write("plain", b"hello");
    for number in ["-1", "x", ""] {
        for (option, cause) in [
            ("--jobs", "the number of threads is a whole number from 1 on"),
            ("--kdf-passes", "the number of passes is a whole number from 1 to 512"),
            ("--passphrase-fd", "a file descriptor is a whole number from 0 on"),
        ] {
            let cause = if number.is_empty() { &format!("{option} <N>") } else { cause };
            place.refuses(["seal", "plain", option, number], 2, cause);
        }
    }
    place.refuses(
        ["seal", "plain", "-k", "key", "-j", "0"],
        2,
        "the number of threads is a whole number from 1 on",
    );
    for args in [
        &["seal", ""][..],
        &["seal", "plain", "-k", ""],
        &["seal", "plain", "-o", ""],
        &["seal", "plain", "--key-command", ""],
        &["seal", "plain", "--passphrase-command", ""],
    ] {
        place.refuses(args, 2, "has no value, or an empty one");
    }
    let raw = "raw encrypt --cipher aes-128 --mode ctr --key 00 --iv 00";
    for option in ["--counter-bits", "--tag-len", "--unit", "--drop"] {
        let args: Vec<_> = raw.split(' ').chain([option, "-1"]).collect();
        place.refuses(args, 2, &format!("'-1' for '{option} <N>'"));
    }
    let zeros = "0".repeat(64);
    for (args, cause) in [
        ("aes-128 --mode xts --unit 15", "--unit: a data unit has 16 bytes to 16 MiB, not 15"),
        ("aes-128 --mode xts --unit 16777217", "--unit: a data unit has 16 bytes to 16 MiB, not 16777217"),
        (
            "xtea --mode ctr --counter-bits 128",
            "--counter-bits: the blocks of xtea have 64 bits, fewer than 128",
        ),
        (
            "aes-128 --mode gcm --tag-len -1",
            "'--tag-len <N>': the number of bytes is a whole number from 0 on",
        ),
    ] {
        let (mode, iv) = (format!("raw encrypt --cipher {args} --key {zeros} --iv 00"), ["plain"]);
        place.refuses(mode.split(' ').chain(iv).collect::<Vec<_>>(), 2, cause);
    }
    place.write("-dash", b"hello");
    place.refuses(["seal", "-dash", "-k", "key"], 2, "the file of that name is ./-dash");
    for end in ["16777216T", "99999999999999999999"] {
        let cause = format!("{end} is more than 64 bits of bytes");
        place.refuses(["open", "sealed", "-k", "key", "--range", &format!("1..{end}")], 2, &cause);
    }
    // Wine reports such a name as a missing file.
    #[cfg(unix)]
    {
        let long = "n".repeat(250);
        place.write(&long, b"hello");
        let cause = "the name is too long: give a shorter one with -o";
        place.refuses(["seal", &long, "-k", "key"], 1, cause);
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
    place.refuses(padded.split(' '), 2, "message: has 17 bytes, which is not a whole number of blocks of 16");
    place.write("message", &[1; 16]);
    place.refuses(padded.split(' '), 3, "message: the plaintext does not end in valid padding");
}

/// Calls with their exit codes and what the messages say.
const FIRST_TRIES: [(&str, i32, &str); 29] = [
    ("seal photos -k key", 1, "photos: is a folder: -r takes all files in it"),
    ("seal f pass -k key -o outdir/", 2, "outdir/: is one output for several files: give --output-dir"),
    ("open f.abreast -k other.key -o x", 3, "wrong key or passphrase, or the file was changed"),
    ("open f.abreast --passphrase-file pass -o x", 3, "sealed with a key, not with a passphrase: give -k"),
    (
        "open cut -k key -o x",
        3,
        "compare its length with the original's, and copy it again (it has 30000 bytes)",
    ),
    ("open stump -k key -o x", 3, "cut off, or no sealed file (it has 60 bytes)"),
    ("seal f -k key", 4, "f.abreast: exists already; --force replaces it"),
    (
        "open f.abreast -k key -o f.abreast -f",
        4,
        "is the input, and would be written over: give the output another",
    ),
    ("keygen other.key", 4, "other.key: exists already, and a new key replaces no file: give another name"),
    ("encrypt f", 2, "encrypt is called seal here"),
    ("decrypt f", 2, "decrypt is called open here"),
    ("bench", 2, "bench is in another program: run abreast-bench"),
    ("seal f --passphrase secret", 2, "there is no --passphrase, since other users could see it"),
    ("open f.abreast -k key --range ..10", 2, "has no name of its own: give -o FILE, or -o - for a pipe"),
    ("open f.abreast -k key --range 9 -o x", 2, "'9' for '--range <A..B>': a range is written A..B"),
    ("open f.abreast -k key --range 9.. -o x", 2, "the range goes beyond the message, which has 5 bytes"),
    ("seal -k key", 2, "no file was named, and standard input is neither a pipe nor a file: give FILE"),
    ("seal f -k key -o sub/x", 1, "sub/x: the folder sub is missing"),
    ("seal f -k key -o f/x", 1, "f/x: its folder f is a file"),
    ("seal f --new-key sub/k -o x", 1, "sub/k: the folder sub is missing"),
    ("open f.abreast -k key -o sub/x", 1, "sub/x: the folder sub is missing"),
    (
        "open f.abreast -k damaged.key -o x",
        2,
        "damaged.key: the key file is damaged: the key is not lower-case",
    ),
    ("open f.abreast -k short.key -o x", 2, "hexadecimal, or too short or too long for its cipher"),
    ("open f.abreast -k pass -o x", 2, "pass: not a key file, or damaged: neither"),
    ("open f.abreast -k f.abreast -o x", 2, "a passphrase is given by --passphrase-file, and abreast keygen"),
    (
        "raw encrypt f -o x --key 00112233445566778899aabbccddeeff --cipher xtea-be --mode gcm --iv 00",
        2,
        "gcm needs blocks of 16 bytes, and xtea-be has blocks of 8",
    ),
    (
        "raw encrypt f -o x --key 00112233445566778899aabbccddeeff --cipher tea --mode xts --iv 00112233445566778899aabbccddeeff",
        2,
        "xts needs blocks of 16 bytes, and tea has blocks of 8",
    ),
    (
        "raw encrypt f -o x --key 00112233445566778899aabbccddeeff --cipher aes-128 --mode cbc --iv 00112233445566778899aabbccddeeff",
        2,
        "f: has 5 bytes, which is not a whole number of blocks of 16",
    ),
    (
        "raw encrypt f -o x --key 00112233445566778899aabbccddeeff --cipher xtea --mode ecb",
        2,
        "blocks of 8; --mode cbc-pkcs7 encrypts any length",
    ),
];

/// Calls that people try first, each answered with the fault, the value that was given, and what to do.
#[test]
fn about_what_people_try() {
    let place = Place::new();
    place.write("f", b"hello");
    place.write("f.abreast.abreast", b"");
    place.write("pass", b"tr0ub4dor");
    place.write("message", &message(2 * CHUNK));
    place.run(["keygen", "other.key"]).succeeds();
    place.run(["seal", "f", "-k", "key"]).succeeds();
    place.run(["seal", "message", "-k", "key", "-o", "long"]).succeeds();
    let long = place.read("long");
    place.write("cut", &long[..30000]);
    place.write("stump", &long[..60]);
    fs::create_dir(place.path("photos")).unwrap();
    let key = String::from_utf8(place.read("key")).unwrap();
    place.write("damaged.key", key.replace('\n', "Z\n").as_bytes());
    place.write("short.key", &key.as_bytes()[..50]);
    for (call, code, cause) in FIRST_TRIES {
        place.refuses(call.split(' '), code, cause);
    }
    // Among several files each failure has the name of its file, and the last line repeats the names.
    let run = place.run(["open", "f.abreast.abreast", "f.abreast", "-k", "key", "-f"]);
    assert_eq!(run.code, Some(5));
    assert!(
        run.stderr.contains("abreast: f.abreast: is one of the inputs, and would be written over"),
        "{}",
        run.stderr
    );
    assert!(run.stderr.ends_with("abreast: 1 of 2 files failed: f.abreast.abreast\n"), "{}", run.stderr);
}

/// Every name of the table of kernels can be asked for.
#[test]
fn kernels_of_each_cipher() {
    let place = Place::new();
    let table = String::from_utf8(spawn(&mut place.command(["kernels"])).end().succeeds().stdout).unwrap();
    let names =
        table.lines().skip(1).take_while(|line| !line.is_empty()).filter_map(|line| line.split(' ').next());
    let names: Vec<_> = names.collect();
    assert!(names.contains(&"rc4") && names.contains(&"aez"), "{names:?}");
    for name in names {
        for args in [&["kernels", name][..], &["kernels", name, "--json"]] {
            let told = spawn(&mut place.command(args)).end().succeeds().stdout;
            assert!(String::from_utf8(told).unwrap().contains(name), "{args:?}");
        }
    }
}
