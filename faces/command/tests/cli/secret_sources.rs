//! Sources of keys: other commands, several files, and files that others can read.

use std::fs;
#[cfg(unix)]
use std::os::unix::fs::PermissionsExt;

use crate::support::*;

/// The options that take a command of the shell, each with a command that works.
const COMMANDS: [(&str, &str); 2] = [("--key-command", "cat key"), ("--passphrase-command", "cat pass")];

#[cfg(unix)]
#[test]
fn a_secret_that_a_command_prints() {
    let place = Place::new();
    place.write("pass", b"secret\n");
    for (option, command) in COMMANDS {
        // Its standard input is not the data.
        let command = format!("cat; {command}");
        let sealed = place.pipe(["seal", "-", option, &command], b"hello").succeeds().stdout;
        place.write("sealed", &sealed);
        let opened = place.run(["open", "sealed", "-o", "-", option, &command]).succeeds().stdout;
        assert_eq!(opened, b"hello");
        place.run(["inspect", "sealed", option, &command]).succeeds();
    }
    fs::remove_file(place.path("sealed")).unwrap();
    place.seal(b"hello");
    place.run(["verify", "sealed", "--key-command", "tr -d '\\n' < key"]).succeeds();
    place.run(["verify", "sealed", "-k", "key"]).succeeds();
    // Bytes alone, with the cipher beside them.
    let raw = ["--key-command", "printf 0123456789abcdef", "--cipher", "aes-128-gcm"];
    let sealed_raw = place.pipe(["seal", "-"].into_iter().chain(raw), b"raw").succeeds().stdout;
    assert_eq!(place.pipe(["open", "-"].into_iter().chain(raw), &sealed_raw).succeeds().stdout, b"raw");
    // A plan wants a key, from wherever it is.
    place.write("message", b"hello");
    place.run(["plan", "message", "-o", "plan"]).succeeds();
    place.run(["seal", "message", "--plan", "plan", "--key-command", "cat key", "-o", "out"]).succeeds();
    place.run(["verify", "out", "-k", "key"]).succeeds();
}

/// Any end but exit code 0 is an error that names it, whatever was printed.
#[cfg(unix)]
#[test]
fn a_command_that_fails() {
    let place = Place::new();
    place.write("pass", b"secret\n");
    place.write("message", b"hello");
    for (option, works) in COMMANDS {
        for (command, code, cause) in [
            (format!("{works}; exit 3"), 1, "the command ended with exit code 3"),
            ("exit 255".into(), 1, "the command ended with exit code 255"),
            (format!("{works}; kill -9 $$"), 1, "the command was ended by signal 9"),
            ("kill -TERM $$".into(), 1, "the command was ended by signal 15"),
            ("yes".into(), 2, "the command printed 64 KiB or more"),
            (String::new(), 2, "empty"),
            ("true".into(), 2, "empty"),
            ("head -c 5000 /dev/zero".into(), 2, "too long"),
        ] {
            let cause = format!("{option}: {cause}");
            let run = place.run(["seal", "message", option, &command]);
            assert_eq!(run.code, Some(code), "{command}: {}", run.stderr);
            let cause = if code == 2 && !cause.contains("64 KiB") { option } else { &cause };
            run.fails(code, cause);
        }
        // The words of the program itself get through.
        let run = place.run(["seal", "message", option, "echo out of order >&2; exit 1"]);
        assert_eq!(
            run.stderr,
            format!("out of order\nabreast: {option}: the command ended with exit code 1\n")
        );
        assert_eq!(place.names(), ["key", "message", "pass"]);
    }
    let run = place.run(["seal", "message", "--passphrase-command", "printf 'a\\r\\n'"]);
    run.fails(2, "output of --passphrase-command: has a carriage return");
    let sources = [
        "--key-file=key",
        "--key-command=cat key",
        "--passphrase-file=pass",
        "--passphrase-fd=0",
        "--passphrase-command=cat pass",
    ];
    for (i, one) in sources.iter().enumerate() {
        for (_, other) in sources.iter().enumerate().filter(|(j, _)| *j != i) {
            place.refuses(["seal", "message", one, other], 2, "cannot be used with");
        }
        place.refuses(["seal", "message", one, "--new-key", "new"], 2, "cannot be used with");
    }
}

/// Several keys, in every order: each file is opened by the one that fits.
#[test]
fn several_keys() {
    let place = Place::new();
    for (name, cipher) in
        [("a", "aes-256-gcm"), ("b", "aes-128-gcm"), ("c", "serpent-256-gcm"), ("d", "aes-256-gcm")]
    {
        place.run(["keygen", "--cipher", cipher, "-o", &format!("{name}.key")]).succeeds();
        place.write(name, name.as_bytes());
        place.run(["seal", name, "-k", &format!("{name}.key")]).succeeds();
        fs::remove_file(place.path(name)).unwrap();
    }
    let files = ["a.abreast", "b.abreast", "c.abreast"];
    for order in
        [["a", "b", "c"], ["a", "c", "b"], ["b", "a", "c"], ["b", "c", "a"], ["c", "a", "b"], ["c", "b", "a"]]
    {
        let keys: Vec<_> = order.iter().flat_map(|name| ["-k".into(), format!("{name}.key")]).collect();
        let keys: Vec<_> = keys.iter().map(String::as_str).collect();
        place.run([&["verify"], &keys[..], &files].concat()).succeeds();
        place.run([&["open", "-f"], &keys[..], &files].concat()).succeeds();
        for name in ["a", "b", "c"] {
            assert_eq!(place.read(name), name.as_bytes());
        }
        let told = place.run([&["inspect"], &keys[..], &files].concat()).succeeds().stdout;
        let told = String::from_utf8(told).unwrap();
        let rows: Vec<_> = told.lines().filter(|line| line.starts_with("  key ")).map(str::trim).collect();
        assert_eq!(rows, ["a", "b", "c"].map(|name| format!("key         {name}.key")), "{told}");
        let formats = ["Cobblestone, AEAD_AES_256_GCM, key file", "ABREAST_SERPENT_256_GCM, key file"];
        assert!(formats.iter().all(|format| told.contains(format)), "{told}");

        // A file that none of them opens.
        let cause = "d.abreast: authentication failed: none of the 3 keys opens it";
        place.refuses([&["verify", "d.abreast"], &keys[..]].concat(), 3, cause);
        let run = place.run([&["inspect", "d.abreast"], &keys[..]].concat()).fails(3, cause);
        assert!(String::from_utf8(run.stdout).unwrap().contains("\n  key         none of those given\n"));
        place.refuses([&["seal", "a", "-o", "x"], &keys[..]].concat(), 2, "sealed with one key, not with 3");
    }
    // One bad key file is one too many.
    place.write("bad", b"no key");
    place.refuses(["verify", "a.abreast", "-k", "a.key", "-k", "bad"], 2, "bad: not a key file");
    place.refuses(["verify", "a.abreast", "-k", "-", "-k", "-"], 2, "is named twice");
    // None of them is written over.
    for key in ["a.key", "b.key"] {
        let args = ["open", "a.abreast", "-k", "a.key", "-k", "b.key", "-f", "-o", key];
        place.refuses(args, 4, "is the key file");
    }
}

/// A key of a file with a passphrase, and a passphrase for a file with a key, open neither; without either there is no row.
#[test]
fn the_other_kind_of_secret() {
    let place = Place::new();
    place.seal(b"hello");
    place.write("private", &sealed_with_passphrase("secret", b"hello"));
    place.write("pass", b"secret");
    let inspect = |file, key: &[&'static str]| place.run([&["inspect", file], key].concat());
    let told = |run: &Run| String::from_utf8(run.stdout.clone()).unwrap();
    let run = inspect("private", &["--passphrase-file", "pass"]).succeeds();
    assert!(told(&run).contains("\n  key         the passphrase\n"), "{}", told(&run));
    inspect("private", &["-k", "key"]).fails(3, "sealed with a passphrase, not with a key: leave out -k");
    inspect("sealed", &["--passphrase-file", "pass"])
        .fails(3, "sealed with a key, not with a passphrase: give -k");
    for file in ["private", "sealed"] {
        assert!(!told(&inspect(file, &[]).succeeds()).contains("  key "));
    }
    let run = place.run(["inspect", "sealed", "pass", "private"]);
    assert_eq!(run.code, Some(5), "{}", run.stderr);
    assert!(run.stderr.contains("pass: is not a sealed file") && run.stderr.contains("1 of 3 files failed"));
    assert_eq!(told(&run).lines().filter(|line| !line.starts_with(' ')).count(), 4, "{}", told(&run));
}

/// Every set of permissions: a file that others can read or change has a line on standard error, or fails the call.
#[cfg(unix)]
#[test]
fn files_that_others_can_read() {
    let place = Place::new();
    place.seal(b"hello");
    place.write("private", &sealed_with_passphrase("secret", b"hello"));
    place.write("pass", b"secret");
    for mode in 0..0o1000 {
        let verb = match (mode & 0o044, mode & 0o022) {
            (0, 0) => None,
            (_, 0) => Some("read"),
            (0, _) => Some("change"),
            _ => Some("read and change"),
        };
        // As root all can be read; otherwise those of the owner.
        if mode & 0o400 == 0 || (mode & 0o111 != 0 && mode % 7 != 0) {
            continue;
        }
        for (name, args) in [
            ("key", ["verify", "sealed", "-k", "key"]),
            ("pass", ["verify", "private", "--passphrase-file", "pass"]),
        ] {
            fs::set_permissions(place.path(name), fs::Permissions::from_mode(mode)).unwrap();
            let cause = verb.map(|verb| {
                format!("{name}: others than its owner can {verb} it (mode {mode:04o}); chmod go= makes it private\n")
            });
            let run = place.run(args);
            let warning = cause.as_ref().map_or(String::new(), |cause| format!("abreast: warning: {cause}"));
            assert_eq!((run.code, run.stderr), (Some(0), warning), "{mode:o}");
            let run = place.run(args.into_iter().chain(["--strict"]));
            let refused = cause.map(|cause| format!("abreast: {cause}"));
            let code = if refused.is_some() { 2 } else { 0 };
            assert_eq!((run.code, run.stderr), (Some(code), refused.unwrap_or_default()), "{mode:o}");
        }
    }
    // The advice is taken.
    for name in ["key", "pass"] {
        fs::set_permissions(place.path(name), fs::Permissions::from_mode(0o644)).unwrap();
        feed(place.shell(&format!("chmod go= {name}")), b"").succeeds();
    }
    place.run(["verify", "sealed", "-k", "key", "--strict"]).succeeds();
    // By a descriptor it is the same file; a pipe has no readers but this one.
    fs::set_permissions(place.path("pass"), fs::Permissions::from_mode(0o644)).unwrap();
    let by_descriptor = place.shell("\"$ABREAST\" verify private --strict --passphrase-fd 3 3< pass");
    feed(by_descriptor, b"").fails(2, "descriptor 3: others than its owner can read it (mode 0644)");
    let by_pipe = place.shell("cat pass | \"$ABREAST\" verify private --strict --passphrase-file -");
    feed(by_pipe, b"").succeeds();
    // With several keys each has its line.
    fs::copy(place.path("key"), place.path("copy")).unwrap();
    for name in ["key", "copy"] {
        fs::set_permissions(place.path(name), fs::Permissions::from_mode(0o640)).unwrap();
    }
    let run = place.run(["inspect", "sealed", "-k", "key", "-k", "copy"]);
    assert_eq!(run.stderr.lines().count(), 2, "{}", run.stderr);
}

/// New key files never have the fault, under any mask.
#[cfg(unix)]
#[test]
fn new_keys_are_private() {
    let place = Place::new();
    place.write("message", b"hello");
    for mask in ["000", "022", "027", "077"] {
        let script = format!(
            "umask {mask} && \"$ABREAST\" keygen -o made{mask} && \"$ABREAST\" seal message -f --new-key new{mask} > told \
             && \"$ABREAST\" verify message.abreast --strict -k new{mask} -k made{mask}"
        );
        feed(place.shell(&script), b"").succeeds();
    }
}
