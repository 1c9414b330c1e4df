//! Sealing and opening again, along every way through the command and with another implementation.

#[cfg(unix)]
use std::os::unix::fs::PermissionsExt;

use cobblestone::{Key, Key256};
use data_encoding::HEXLOWER;

use crate::support::*;

#[test]
fn files_of_all_sizes() {
    let place = Place::new();
    for len in [0, 1, 16383, 16384, 16385, 5 * CHUNK, 5 * CHUNK + 7, 3 << 20] {
        let message = message(len);
        place.write("message", &message);
        for jobs in ["1", "2", "7"] {
            place.run(["seal", "message", "-k", "key", "-f", "--jobs", jobs]).succeeds();
            let sealed = place.read("message.abreast");
            assert_eq!(sealed.len(), HEADER + len + (len / CHUNK + 1) * 16);
            let verified = place.run(["verify", "message.abreast", "-k", "key", "-j", jobs]).succeeds();
            assert_eq!(verified.stdout, b"");
            place.run(["open", "message.abreast", "-k", "key", "-f", "-j", jobs]).succeeds();
            assert!(place.read("message") == message, "{len} bytes, {jobs} jobs");

            let piped = place
                .pipe(["seal", "-", "-k", "key", "-j", jobs, "--allow-empty"], &message)
                .succeeds()
                .stdout;
            let opened = place.pipe(["open", "-", "-k", "key", "-j", jobs], &piped).succeeds().stdout;
            assert!(opened == message, "{len} bytes through pipes, {jobs} jobs");
            place.pipe(["verify", "-", "-k", "key", "-j", jobs], &piped).succeeds();
        }
    }
}

#[test]
fn from_files_to_pipes_and_back() {
    let place = Place::new();
    let message = message(1_000_000);
    place.write("message", &message);
    let sealed = place.run(["seal", "message", "-k", "key", "-o", "-"]).succeeds().stdout;
    place.pipe(["open", "-", "-k", "key", "-o", "opened"], &sealed).succeeds();
    assert!(place.read("opened") == message);
    place.pipe(["seal", "-", "-k", "key", "-o", "sealed"], &message).succeeds();
    assert!(place.run(["open", "sealed", "-k", "key", "-o", "-"]).succeeds().stdout == message);
}

/// The first command of the README.
#[cfg(unix)]
#[test]
fn a_new_key() {
    let place = Place::new();
    place.write("README.md", b"hello\n");
    let run = place.run(["seal", "README.md", "--new-key", "my.key"]).succeeds();
    let said = String::from_utf8(run.stdout).unwrap();
    assert!(said.contains("abreast open README.md.abreast --key-file my.key\n"), "{said}");
    for private in ["my.key", "README.md.abreast"] {
        assert_eq!(place.path(private).metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
    place.run(["open", "README.md.abreast", "--key-file", "my.key", "-o", "again"]).succeeds();
    assert_eq!(place.read("again"), b"hello\n");
    place.refuses(["seal", "README.md", "--new-key", "my.key", "-f"], 4, "my.key: exists already");
    place.refuses(["seal", "README.md", "--new-key", "other.key"], 4, "README.md.abreast: exists already");
    place.refuses(["seal", "missing", "--new-key", "other.key"], 1, "missing: No such file");
    place.refuses(["seal", "README.md", "--new-key", "a", "-k", "key"], 2, "cannot be used with");
}

#[test]
fn a_new_key_stays_if_one_of_several_files_needs_it() {
    let place = Place::new();
    place.write("a", b"a");
    let run = place.run(["seal", "missing", "a", "--new-key", "my.key"]);
    assert_eq!(run.code, Some(5));
    place.run(["open", "a.abreast", "-k", "my.key", "-o", "again"]).succeeds();
    place.refuses_several(["seal", "no", "none", "--new-key", "other.key"]);
}

impl Place {
    /// The command fails with all of several files, and the folder is as it was.
    fn refuses_several<const N: usize>(&self, args: [&str; N]) {
        let before = self.names();
        assert_eq!(self.run(args).code, Some(5));
        assert_eq!(self.names(), before);
    }
}

#[test]
fn several_files_with_a_bad_one_among_them() {
    let place = Place::new();
    for name in ["a", "b", "c"] {
        place.write(name, name.as_bytes());
    }
    place.run(["seal", "a", "b", "c", "-k", "key"]).succeeds();
    let mut bad = place.read("b.abreast");
    bad[HEADER] ^= 1;
    place.write("b.abreast", &bad);
    let files = ["a.abreast", "b.abreast", "c.abreast"];
    let verified = place.run(["verify", "-k", "key"].iter().chain(&files));
    assert_eq!(verified.code, Some(5));
    let lines: Vec<_> = verified.stderr.lines().collect();
    assert!(lines[0].starts_with("abreast: b.abreast: authentication failed"), "{lines:?}");
    assert_eq!(lines[1..], ["abreast: 1 of 3 files failed: b.abreast"]);
    let opened = place.run(["open", "-f", "-k", "key"].iter().chain(&files));
    assert_eq!(opened.code, Some(5));
    place.refuses(["seal", "a", "b", "-k", "key", "-o", "x"], 2, "several files");
    place.refuses(["open", "a.abreast", "b.abreast", "-k", "key", "-o", "x"], 2, "several files");
}

#[test]
fn sealed_here_and_opened_by_cobblestone() {
    let place = Place::new();
    for len in [0, 1, CHUNK - 1, CHUNK, 40 * CHUNK + 3] {
        let message = message(len);
        let sealed = place.seal(&message);
        let key: [u8; 32] = key_bytes(&place.read("key")).try_into().unwrap();
        let opened = cobblestone::decrypt(&Key256::from_bytes(&key), b"", &sealed).unwrap();
        assert!(opened == message, "{len}");
        std::fs::remove_file(place.path("sealed")).unwrap();
    }
    place.run(["keygen", "--cipher", "aes-128-gcm", "-o", "key128"]).succeeds();
    let sealed = place.pipe(["seal", "-", "-k", "key128"], b"hello").succeeds().stdout;
    let key: [u8; 16] = key_bytes(&place.read("key128")).try_into().unwrap();
    assert_eq!(cobblestone::decrypt(&Key::from_bytes(&key), b"", &sealed).unwrap(), b"hello");
}

#[test]
fn sealed_by_cobblestone_and_opened_here() {
    let place = Place::new();
    for len in [0, 1, CHUNK - 1, CHUNK, 40 * CHUNK + 3] {
        let message = message(len);
        place.write("raw", &[7; 32]);
        place.write("sealed", &cobblestone::encrypt(&Key256::from_bytes(&[7; 32]), b"", &message).unwrap());
        let args = ["open", "sealed", "-k", "raw", "--cipher", "aes-256-gcm", "-o", "-"];
        assert!(place.run(args).succeeds().stdout == message, "{len}");
        place.write("raw", &[9; 16]);
        place.write("sealed", &cobblestone::encrypt(&Key::from_bytes(&[9; 16]), b"", &message).unwrap());
        let args = ["open", "sealed", "-k", "raw", "--cipher", "aes-128-gcm", "-o", "-"];
        assert!(place.run(args).succeeds().stdout == message, "{len}");
    }
}

/// Serpent-256-GCM under its private name. A file that does not name its cipher opens with the right one only.
#[test]
fn serpent() {
    let place = Place::new();
    place.write("raw", &[7; 32]);
    place.run(["keygen", "--cipher", "serpent-256-gcm", "-o", "serpent.key"]).succeeds();
    assert!(place.read("serpent.key").starts_with(b"abreast-key/1 ABREAST_SERPENT_256_GCM "));
    let named = ["--key-file", "serpent.key"];
    let unnamed = ["--key-file", "raw", "--cipher", "serpent-256-gcm"];
    for len in [0, 1, 5 * CHUNK + 7] {
        let message = message(len);
        for key in [&named[..], &unnamed] {
            let sealed =
                place.pipe([&["seal", "-", "--allow-empty"], key].concat(), &message).succeeds().stdout;
            let opened = place.pipe([&["open", "-"], key].concat(), &sealed).succeeds().stdout;
            assert!(opened == message, "{len} bytes");
        }
        let sealed =
            place.pipe([&["seal", "-", "--allow-empty"], &unnamed[..]].concat(), &message).succeeds().stdout;
        place.write("sealed", &sealed);
        let other = ["open", "sealed", "-k", "raw", "--cipher", "aes-256-gcm", "-o", "out"];
        place.refuses(other, 3, "sealed: authentication failed: wrong key");
        place.refuses(["open", "sealed", "-k", "serpent.key", "-o", "out"], 3, "wrong key");
        assert!(cobblestone::decrypt(&Key256::from_bytes(&[7; 32]), b"", &sealed).is_err());
    }
    let mut sealed = place.pipe([&["seal", "-"], &named[..]].concat(), &message(2 * CHUNK)).succeeds().stdout;
    sealed[HEADER + CHUNK + 20] ^= 1;
    place.pipe([&["verify", "-"], &named[..]].concat(), &sealed).fails(3, "chunk 1 was changed");

    place.write("passphrase", b"correct horse\n");
    let seal = ["seal", "-", "--passphrase-file", "passphrase", "--cipher", "serpent-256-gcm"];
    place.write("sealed", &place.pipe(seal, b"hello").succeeds().stdout);
    assert!(place.read("sealed").starts_with(b"abreast/1 ABREAST_SERPENT_256_GCM argon2id "));
    let open = ["open", "sealed", "--passphrase-file", "passphrase", "-o", "-"];
    assert_eq!(place.run(open).succeeds().stdout, b"hello");
    let told = String::from_utf8(place.run(["inspect", "sealed"]).succeeds().stdout).unwrap();
    assert!(told.contains("private to abreast, ABREAST_SERPENT_256_GCM, passphrase"), "{told}");
}

#[test]
fn passphrases() {
    let place = Place::new();
    place.write("passphrase", b"correct horse\n");
    let seal = ["seal", "-", "--passphrase-file", "passphrase"];
    let sealed = place.pipe(seal, b"hello").succeeds().stdout;
    assert!(sealed.starts_with(b"abreast/1 AEAD_AES_256_GCM argon2id m=65536,t=3,p=4 "));
    place.write("sealed", &sealed);
    let opened = place.pipe(["open", "sealed", "--passphrase-fd", "0", "-o", "-"], b"correct horse");
    assert_eq!(opened.succeeds().stdout, b"hello");
    place
        .pipe(["verify", "sealed", "--passphrase-fd", "0"], b"battery staple")
        .fails(3, "sealed: authentication");
    place.refuses(["verify", "sealed", "-k", "key"], 3, "sealed with a passphrase");
}

#[test]
fn a_passphrase_file_as_documented() {
    let place = Place::new();
    place.write("passphrase", b"tr0ub4dor");
    place.write("sealed", &sealed_with_passphrase("tr0ub4dor", b"hello"));
    let args = ["open", "sealed", "--passphrase-file", "passphrase", "-o", "-"];
    assert_eq!(place.run(args).succeeds().stdout, b"hello");
}

/// The key in a key file.
fn key_bytes(line: &[u8]) -> Vec<u8> {
    let hex = line.trim_ascii_end().rsplit(|&byte| byte == b' ').next().unwrap();
    HEXLOWER.decode(hex).unwrap()
}
