//! Key files and passphrases that cannot be used.

use std::fs;

use crate::support::*;

#[test]
fn bad_key_files() {
    let place = Place::new();
    let good = String::from_utf8(place.read("key")).unwrap();
    place.seal(b"hello");
    for (bad, cause) in [
        (String::new(), "empty"),
        ("\n".into(), "not a key file"),
        (good.replace('\n', "\r\n"), "LF alone"),
        (format!("{good}x\n"), "LF alone"),
        (format!("{good}{good}"), "LF alone"),
        (good.replace('\n', "\0\n"), "hexadecimal"),
        (good.to_uppercase(), "not a key file"),
        (good.replace("256", "128"), "hexadecimal"),
        (good.replace("AES_256_GCM", "SERPENT"), "unknown cipher"),
        (good.replace("/1", "/9"), "not a key file"),
        (good.chars().take(60).collect(), "hexadecimal"),
        ("x".repeat(32), "--cipher"),
        ("x".repeat(33), "not a key file"),
        ("x".repeat(1 << 20), "too long"),
    ] {
        place.write("bad", bad.as_bytes());
        for command in ["open", "seal"] {
            place.refuses([command, "sealed", "-k", "bad", "-o", "out"], 2, cause);
        }
    }
    fs::create_dir(place.path("folder")).unwrap();
    place.refuses(["open", "sealed", "-k", "folder", "-o", "out"], 1, "folder: ");
    place.refuses(["open", "sealed", "-k", "missing", "-o", "out"], 1, "missing: No such file");
    place.refuses(["open", "sealed", "-k", "key", "--cipher", "aes-128-gcm", "-o", "out"], 2, "aes-256-gcm");
}

#[test]
fn bad_passphrases() {
    let place = Place::new();
    place.seal(b"hello");
    for (passphrase, cause) in [("", "empty"), ("\n", "empty"), (&*"x".repeat(5000), "too long")] {
        place.write("passphrase", passphrase.as_bytes());
        place.refuses(["seal", "key", "--passphrase-file", "passphrase"], 2, cause);
    }
    place.refuses(["seal", "key", "--passphrase-file", "missing"], 1, "missing: No such file");
    place.refuses(["seal", "key", "--passphrase-fd", "77"], 2, "descriptor 77: ");
    place.refuses(["seal", "-", "--passphrase-fd", "0"], 2, "cannot be both");
    place.refuses(["seal", "key", "--passphrase-file", "key", "-k", "key"], 2, "cannot be used with");
    place.refuses(
        ["open", "sealed", "-o", "out"],
        2,
        "sealed: is not sealed with a passphrase: give the key",
    );
}

/// Whatever key is given or missing, a file that begins as no sealed file does is told to be none.
#[test]
fn what_is_no_sealed_file() {
    let place = Place::new();
    place.seal(b"hello");
    place.write("text", "not sealed at all, and long enough for a header\n".repeat(3).as_bytes());
    place.write("passphrase", b"guess");
    // Of a length that no sealed file has: one chunk, and 5 bytes of another.
    place.write("odd", &message(HEADER + SEALED_CHUNK + 5));
    let keys: [&[&str]; 3] = [&[], &["-k", "key"], &["--passphrase-file", "passphrase"]];
    for key in keys {
        let odd = [&["verify", "odd"], key].concat();
        let cause = if key == ["-k", "key"] { "wrong key" } else { "cut off, or no sealed file" };
        place.refuses(odd, 3, cause);
        let verify = [&["verify", "text"], key].concat();
        place.refuses(
            verify,
            3,
            "text: is not a sealed file, or was changed at its beginning: it begins with text",
        );
    }
}

#[test]
fn the_cipher_of_a_passphrase() {
    let place = Place::new();
    place.write("passphrase", b"guess");
    place.run(["seal", "key", "--passphrase-file", "passphrase", "-o", "sealed"]).succeeds();
    let verify = |cipher| ["verify", "sealed", "--passphrase-file", "passphrase", "--cipher", cipher];
    place.run(verify("aes-256-gcm")).succeeds();
    let cause = "sealed: sealed with aes-256-gcm, and --cipher says otherwise";
    place.refuses(verify("aes-128-gcm"), 2, cause);
}

#[cfg(unix)]
#[test]
fn without_a_terminal_nothing_is_asked() {
    let place = Place::new();
    let run = feed(place.shell("setsid -w \"$ABREAST\" seal key"), b"guess\nguess\n");
    run.fails(2, "no terminal to ask for a passphrase on");
    assert_eq!(place.names(), ["key"]);
}

#[test]
fn keygen_prints_or_writes() {
    let place = Place::new();
    let printed = place.run(["keygen", "--cipher", "aes-128-gcm"]).succeeds().stdout;
    let printed = String::from_utf8(printed).unwrap();
    assert!(printed.starts_with("abreast-key/1 AEAD_AES_128_GCM "));
    assert_eq!(printed.trim_end().rsplit(' ').next().unwrap().len(), 32);
    place.run(["keygen", "-o", "other"]).succeeds();
    assert_ne!(place.read("key"), place.read("other"));
}

#[cfg(unix)]
#[test]
fn descriptors_that_are_not_for_reading() {
    let place = Place::new();
    let cause = "is open for writing alone: give a descriptor that is open for reading";
    for (arguments, cause) in [
        ("--passphrase-fd 1", cause),
        ("--passphrase-fd 2", cause),
        ("--passphrase-fd 5 5>> out", cause),
        ("--passphrase-fd 1 >&-", "the command was started without this descriptor"),
    ] {
        let run = spawn(&mut place.shell(&format!("\"$ABREAST\" seal key {arguments}"))).end();
        run.fails(2, cause);
    }
    assert_eq!(place.names(), ["key", "out"]);
    assert_eq!(place.read("out"), b"");
}

/// A new key never takes the place of something, with `--force` neither, and no message says that it would.
#[cfg(unix)]
#[test]
fn a_new_key_replaces_nothing() {
    let place = Place::new();
    let cause = "key: exists already, and a new key replaces no file: give another name";
    place.write("message", b"hello");
    place.refuses(["keygen", "-o", "key"], 4, cause);
    for force in [&[][..], &["--force"]] {
        place.refuses(["seal", "message", "--new-key", "key"].iter().chain(force), 4, cause);
    }
    feed(place.shell("mkfifo pipe"), b"").succeeds();
    place.refuses(["seal", "message", "--new-key", "pipe"], 1, "pipe: is not a place for a key");
}

/// A key file can come through a pipe, as from a password manager.
#[cfg(unix)]
#[test]
fn a_key_from_a_pipe() {
    let place = Place::new();
    place.seal(b"hello");
    let run = place.pipe(["open", "sealed", "-k", "/dev/stdin", "-o", "-"], &place.read("key"));
    assert_eq!(run.succeeds().stdout, b"hello");
}
