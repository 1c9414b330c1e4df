//! Files that `seal` leaves out: the secrets in use, by their names and by their contents, and sealed files.

use std::fs;
use std::os::unix::fs::symlink;

use crate::keyboard::{Keyboard, NEW};
use crate::support::*;

/// Secrets in use and sealed files are left out by every spelling, and said to be.
#[test]
fn what_is_left_out() {
    let place = Place::new();
    place.write("passphrase", b"tr0ub4dor");
    place.write("a", b"hello");
    place.run(["seal", "a", "-k", "key"]).succeeds();
    fs::hard_link(place.path("key"), place.path("hard")).unwrap();
    symlink("key", place.path("symbolic")).unwrap();
    for force in [&[][..], &["--force"]] {
        for name in ["key", "./key", "hard", "symbolic"] {
            let run = place.run([&["seal", name, "-k", "key"], force].concat());
            let note = format!("abreast: note: {name}: left out: it is the key file in use\n");
            assert_eq!((run.code, run.stderr), (Some(0), note));
        }
        let run = place.run([&["seal", "passphrase", "--passphrase-file", "passphrase"], force].concat());
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let run = place.run([&["seal", "a.abreast", "-k", "key"], force].concat());
        assert!(run.code == Some(0) && run.stderr.contains("it is sealed already"), "{}", run.stderr);
    }
    assert_eq!(place.names(), ["a", "a.abreast", "hard", "key", "passphrase", "symbolic"]);
    // A name for the output cannot be given for nothing.
    place.refuses(["seal", "key", "-k", "key", "-o", "x"], 2, "key: left out: it is the key file in use");
    place.run(["seal", "a.abreast", "-k", "key", "--include-sealed"]).succeeds();
    place.run(["verify", "a.abreast.abreast", "-k", "key"]).succeeds();
}

/// A secret that the command got in another way than by its file is found by its contents.
#[test]
fn secrets_are_not_sealed_under_themselves() {
    let place = Place::new();
    place.write("pw", b"tr0ub4dor\n");
    place.write("copy", &place.read("key"));
    place.write("plain", b"hello");
    // By a pattern, so that the command does not name the file.
    let piped = ["--key-command", "cat k?y"];
    for secret in [&piped[..], &["-k", "copy"]] {
        let run = place.run([&["seal", "key", "copy", "plain", "--rm"], secret].concat());
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        assert!(run.stderr.contains("key: left out: it holds the key in use"), "{}", run.stderr);
        place.run(["open", "plain.abreast", "-k", "key"]).succeeds();
        fs::remove_file(place.path("plain.abreast")).unwrap();
    }
    let run = place.run(["seal", "pw", "plain", "--rm", "--passphrase-command", "cat p?"]);
    assert!(run.stderr.contains("pw: left out: it holds the passphrase in use"), "{}", run.stderr);
    assert_eq!(place.names(), ["copy", "key", "plain.abreast", "pw"]);
}

/// A secret that a command prints is not written over: not the file that the command names, and no copy of the secret.
#[test]
fn outputs_do_not_replace_secrets() {
    let place = Place::new();
    place.run(["keygen", "key2"]).succeeds();
    place.write("pw", b"tr0ub4dor\n");
    place.write("copy", &place.read("key"));
    place.write("plain", b"hello");
    place.write("copy.abreast", &place.read("key"));
    place.run(["seal", "plain", "-k", "key"]).succeeds();
    place.run(["seal", "plain", "-k", "key", "-o", "key.abreast"]).succeeds();
    let before = place.contents();
    let (named, printed) = ("cat key", "cat k?y");
    let held = "would be written over: give the output another name";
    for args in [
        &["seal", "plain", "-f", "--key-command", named, "-o", "key"][..],
        &["seal", "plain", "-f", "--key-command", printed, "-o", "key"],
        &["seal", "plain", "-f", "--key-command", named, "-o", "copy"],
        &["seal", "plain", "-f", "-k", "key", "-o", "copy"],
        &["seal", "plain", "-f", "--passphrase-command", "cat p?", "-o", "pw"],
        &["open", "plain.abreast", "-f", "--key-command", printed, "-o", "copy"],
        &["open", "key.abreast", "-f", "--key-command", named],
        &["reseal", "plain.abreast", "-f", "--key-command", printed, "--to-key-file", "key2", "-o", "copy"],
        &["reseal", "plain.abreast", "-f", "-k", "key", "--to-key-command", "cat key?", "-o", "key2"],
    ] {
        place.refuses(args, 4, held);
        assert_eq!(place.contents(), before, "{args:?}");
    }
}

/// Files that a command for the secret names are left out: what it reads them for is gone otherwise.
#[test]
fn stores_of_secrets_stay() {
    let place = Place::new();
    fs::create_dir(place.path("docs")).unwrap();
    place.write("docs/doc", b"hello");
    feed(place.shell("gzip -c key > 'docs/my key.gz' && gzip -c key > docs/k.gz && rm key"), b"").succeeds();
    for command in ["gzip -dc docs/k.gz", "gzip -dc < 'docs/my key.gz'", "cat docs/k.gz|gzip -dc"] {
        let run = place.run(["seal", "-r", "docs", "--rm", "--key-command", command]);
        let note = "left out: it is named in the command that prints the secret";
        assert!(run.code == Some(0) && run.stderr.contains(note), "{command}: {}", run.stderr);
        let opened = place.run(["open", "-r", "docs", "--key-command", command]);
        assert_eq!(opened.code, Some(0), "{command}: {}", opened.stderr);
        feed(place.shell("rm docs/*.abreast"), b"").succeeds();
    }
}

/// An original that an earlier call has sealed in some other way is looked at before it goes.
#[test]
fn secrets_with_an_output_stay() {
    let place = Place::new();
    place.write("pw", b"tr0ub4dor\r\n");
    place.write("plain", b"hello");
    place.write("copy", &place.read("key"));
    // Both have an output that holds the same bytes, sealed under the secret itself.
    place.pipe(["seal", "-", "-k", "key", "-o", "copy.abreast"], &place.read("copy")).succeeds();
    place.write("pw.abreast", &sealed_with_passphrase("tr0ub4dor", b"tr0ub4dor\r\n"));
    place.write("plain.abreast", &sealed_with_passphrase("tr0ub4dor", b"hello"));
    let before = place.contents();
    let run = place.run(["seal", "copy", "--rm", "--skip-existing", "-k", "key"]);
    let note = "abreast: note: copy: left out: it holds the key in use\n";
    assert_eq!((run.code, &*run.stderr), (Some(0), note));
    assert!(place.contents() == before);
    let print = "printf tr0ub4dor";
    let run = place.run(["seal", "pw", "--rm", "--skip-existing", "--passphrase-command", print]);
    let note = "abreast: note: pw: left out: it holds the passphrase in use\n";
    assert_eq!((run.code, &*run.stderr), (Some(0), note));
    assert!(place.contents() == before);
    // A typed one is known when the first file was compared.
    let (mut keyboard, child) = Keyboard::run_under(&place, "", "seal pw plain --rm --skip-existing");
    keyboard.answers("Passphrase: ", 1, "tr0ub4dor\n");
    let run = child.end();
    let summary = "abreast: 0 files sealed, 1 skipped, 1 left out\n";
    assert_eq!((run.code, run.stderr), (Some(0), format!("{note}{summary}")));
    assert_eq!(place.names(), ["copy", "copy.abreast", "key", "plain.abreast", "pw", "pw.abreast"]);
}

/// A typed passphrase is compared with files from the first one on.
#[test]
fn files_with_a_typed_passphrase() {
    let place = Place::new();
    for (name, text) in [("a", "tr0ub4dor"), ("b", "tr0ub4dor\n"), ("c", "tr0ub4dor\r\n"), ("d", "tr0ub4do")]
    {
        place.write(name, text.as_bytes());
    }
    let (mut keyboard, child) = Keyboard::run_under(&place, "", "seal a b c d --kdf-memory 8M");
    keyboard.answers(NEW, 1, "tr0ub4dor\n");
    keyboard.answers("The same again: ", 1, "tr0ub4dor\n");
    let run = child.end();
    let notes: String = ["a", "b", "c"]
        .map(|name| format!("abreast: note: {name}: left out: it holds the passphrase in use\n"))
        .concat();
    let summary = "abreast: 1 file sealed, 3 left out\n";
    assert_eq!((run.code, run.stderr), (Some(0), format!("{notes}{summary}")));
    assert_eq!(place.names(), ["a", "b", "c", "d", "d.abreast", "key"]);
}

/// Whoever names an output counts on it. Without a name, as in `seal *`, a line is enough.
#[test]
fn a_named_output_that_is_not_written() {
    let place = Place::new();
    place.write("copy", &place.read("key"));
    place.run(["seal", "key", "-k", "copy"]).fails(0, "note: key: left out: it holds the key in use");
    let to = |output| ["seal", "copy", "-k", "key", "-o", output];
    place.refuses(to("x"), 2, "copy: left out: it holds the key in use; x was not written");
    place.refuses(to("-"), 2, "copy: left out: it holds the key in use; standard output was not written");
    place.refuses(
        ["seal", "key", "-k", "key", "-o", "x"],
        2,
        "key: left out: it is the key file in use; x was",
    );
    // A folder keeps the names, and nothing in it was promised.
    fs::create_dir(place.path("folder")).unwrap();
    place.run(to("folder")).fails(0, "note: copy: left out");
    assert_eq!(place.names_in("folder"), [""; 0]);
}
