//! Passphrases of files and descriptors: their line ends, the costs of their hash, and the files that share one.

use std::collections::BTreeSet;

use crate::support::*;

/// The passphrase line of a sealed file.
fn line(sealed: &[u8]) -> String {
    let end = sealed.iter().position(|&byte| byte == b'\n').unwrap();
    String::from_utf8(sealed[..end].to_vec()).unwrap()
}

/// The salt of a sealed file with a passphrase.
fn salt(sealed: &[u8]) -> &[u8] {
    let start = sealed.iter().position(|&byte| byte == b'\n').unwrap() + 1;
    &sealed[start..start + 24]
}

/// Any text that a person would not type, by a file and by a descriptor: refused where files are sealed, and taken as
/// before where they are opened, with a word about it if it does not open them.
#[cfg(unix)]
#[test]
fn line_ends_in_a_passphrase_file() {
    let place = Place::new();
    place.write("message", b"hello");
    place.write("other", &sealed_with_passphrase("pass", b"hello"));
    for (text, cause) in [
        ("pass\r\n", "has a carriage return (CR)"),
        ("pass\r", "has a carriage return (CR)"),
        ("pa\rss\n", "has a carriage return (CR)"),
        ("pass\n\n", "has more than one line"),
        ("pass\nword", "has more than one line"),
        ("pass\r\nword\r\n", "has more than one line"),
        ("\npass\n", "has more than one line"),
    ] {
        place.write("pass", text.as_bytes());
        let by_descriptor =
            |args: &str| feed(place.shell(&format!("\"$ABREAST\" {args} --passphrase-fd 3 3< pass")), b"");
        place.refuses(["seal", "message", "--passphrase-file", "pass"], 2, &format!("pass: {cause}"));
        by_descriptor("seal message").fails(2, &format!("descriptor 3: {cause}"));
        let old = text.strip_suffix('\n').unwrap_or(text);
        place.write("old", &sealed_with_passphrase(old, b"hello"));
        place.run(["verify", "old", "--passphrase-file", "pass"]).succeeds();
        by_descriptor("verify old").succeeds();
        let told = format!("or the file was changed; pass {cause}");
        place.refuses(["verify", "other", "--passphrase-file", "pass"], 3, &told);
    }
    for text in ["pass", "pass\n"] {
        place.write("pass", text.as_bytes());
        place.run(["verify", "other", "--passphrase-file", "pass"]).succeeds();
        place.run(["seal", "message", "--passphrase-file", "pass", "--kdf-memory", "8M", "-f"]).succeeds();
    }
    place.write("pass", b"word");
    let run = place.run(["verify", "other", "--passphrase-file", "pass"]).fails(3, "authentication failed");
    assert!(run.stderr.ends_with("or the file was changed\n"), "{}", run.stderr);
}

/// All files of a call have one line, so that its hash is made once, and a salt of their own.
#[test]
fn files_of_a_call_share_a_hash() {
    let place = Place::new();
    place.write("pass", b"secret");
    let names: Vec<_> = (0..150).map(|number| number.to_string()).collect();
    names.iter().for_each(|name| place.write(name, name.as_bytes()));
    let call = |command: &str, names: &[String], more: &[&str]| {
        let args = [command, "--passphrase-file", "pass", "--progress", "none"].map(String::from);
        let more: Vec<_> = more.iter().map(|arg| (*arg).to_owned()).collect();
        place.run([&args[..], &more, names].concat())
    };
    // A hash that takes so long that 150 of them would run into the limit of a test.
    let costs = ["--kdf-memory", "64M", "--kdf-passes", "64"];
    call("seal", &names, &costs).succeeds();
    let sealed: Vec<_> = names.iter().map(|name| format!("{name}.abreast")).collect();
    let files: Vec<_> = sealed.iter().map(|name| place.read(name)).collect();
    let lines: BTreeSet<_> = files.iter().map(|file| line(file)).collect();
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines.first().unwrap().contains(" argon2id m=65536,t=64,p=4 "), "{lines:?}");
    assert_eq!(files.iter().map(|file| salt(file)).collect::<BTreeSet<_>>().len(), files.len());
    call("verify", &sealed, &[]).succeeds();

    // Another call has another line, and so has another cipher.
    call("seal", &names[..1], &["--kdf-memory", "8M", "-f"]).succeeds();
    assert!(!lines.contains(&line(&place.read("0.abreast"))));
}

/// Files that get a new passphrase take no line of a file that was read, however many those are.
#[test]
fn new_lines_are_not_old_ones() {
    let place = Place::new();
    place.write("old", b"old");
    place.write("new", b"new");
    let names: Vec<_> = (0..40).map(|number| format!("{number}.abreast")).collect();
    names.iter().for_each(|name| place.write(name, &sealed_with("old", name.as_bytes())));
    let args = ["reseal", "--passphrase-file", "old", "--to-passphrase-file", "new", "--kdf-memory", "9M"];
    place.run(args.into_iter().chain(names.iter().map(String::as_str))).succeeds();
    let lines: BTreeSet<_> = names.iter().map(|name| line(&place.read(name))).collect();
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines.first().unwrap().contains(" m=9216,t=3,p=4 "), "{lines:?}");
}

/// The costs are those asked for, within their bounds, and a reader may lower the bound.
#[cfg(unix)]
#[test]
fn costs_of_the_hash() {
    let place = Place::new();
    place.write("message", b"hello");
    place.write("pass", b"secret");
    let seal = |more: &[&'static str]| {
        [&["seal", "message", "--passphrase-file", "pass", "-o", "sealed", "-f"], more].concat()
    };
    for (more, costs) in [
        (&["--kdf-memory", "8M"][..], "m=8192,t=3,p=4"),
        (&["--kdf-memory", "8193K", "--kdf-passes", "1"], "m=8193,t=1,p=4"),
        (&["--kdf-passes", "2"], "m=65536,t=2,p=4"),
        (&["--kdf-memory", "8388608", "--kdf-passes", "5"], "m=8192,t=5,p=4"),
    ] {
        place.run(seal(more)).succeeds();
        let line = line(&place.read("sealed"));
        assert!(line.contains(&format!(" argon2id {costs} ")), "{line}");
        place.run(["verify", "sealed", "--passphrase-file", "pass"]).succeeds();
    }
    for (more, cause) in [
        (
            &["--kdf-memory", "7M"][..],
            "'7M' for '--kdf-memory <SIZE>': the memory of a passphrase hash is 8M to 1024M",
        ),
        (&["--kdf-memory", "1025M"], "is 8M to 1024M"),
        (&["--kdf-memory", "8388609"], "in whole KiB"),
        (&["--kdf-memory", "much"], "is 8M to 1024M"),
        (&["--kdf-passes", "0"], "from 1 to 512"),
        (&["--kdf-passes", "513"], "from 1 to 512"),
        (&["--kdf-passes", "65"], "memory 64 MiB, passes 65, lanes 4; 8 MiB to 1 GiB of memory"),
        (&["--kdf-memory", "1024M", "--kdf-passes", "5"], "memory 1024 MiB, passes 5"),
    ] {
        place.refuses(seal(more), 2, cause);
    }
    for option in ["--kdf-memory=8M", "--kdf-passes=1"] {
        for key in [["-k", "key"], ["--new-key", "new"], ["--key-command", "cat key"]] {
            place.refuses(["seal", "message", option].into_iter().chain(key), 2, "cannot be used with");
        }
    }

    place.run(seal(&["--kdf-memory", "9M"])).succeeds();
    let names = ["verify", "open", "inspect"];
    for command in names {
        let output: &[&str] = if command == "open" { &["-o", "opened", "-f"] } else { &[] };
        let limited = |most| {
            [&[command, "sealed", "--passphrase-file", "pass", "--kdf-max-memory", most], output].concat()
        };
        for most in ["9M", "9216K", "1024M"] {
            let run = place.run(limited(most));
            assert_eq!((run.code, &*run.stderr), (Some(0), ""));
        }
        for (most, said) in [("8M", "8 MiB"), ("9215K", "9215 KiB")] {
            let cause = format!(
                "sealed: its passphrase hash takes 9 MiB of memory, and --kdf-max-memory allows {said}"
            );
            place.run(limited(most)).fails(2, &cause);
        }
    }
    // Nothing is allocated: there would be no room for it.
    place.write("greedy", &sealed_with_line("m=1048576,t=1,p=1"));
    let limited = "ulimit -v 524288 && exec \"$ABREAST\" verify greedy --jobs 1 --passphrase-file pass --kdf-max-memory 512M";
    feed(place.shell(limited), b"").fails(2, "takes 1024 MiB of memory, and --kdf-max-memory allows 512 MiB");
}

/// A file that only begins as one with such costs does.
fn sealed_with_line(costs: &str) -> Vec<u8> {
    let sealed = sealed_with_passphrase("secret", b"hello");
    String::from_utf8_lossy(&sealed[..60])
        .replace("m=8192,t=1,p=1", costs)
        .into_bytes()
        .into_iter()
        .chain(sealed[60..].to_vec())
        .collect()
}
