//! File names that are not what they seem.

use std::ffi::OsStr;
#[cfg(unix)]
use std::os::unix::ffi::OsStrExt;
use std::process::{Command, Stdio};

use crate::support::*;

/// Names that break lines, change terminals, are not text, look like options or end in themselves.
const ODD: [&[u8]; 8] = [
    b"two\nlines",
    b"\x1b[31mred",
    b"\xff\xfe",
    b"-o",
    b"--help",
    b"a b'c\"d",
    b"\xe2\x80\xaegnp.exe",
    b"a\\n",
];

#[cfg(unix)]
#[test]
fn are_sealed_and_opened_like_others() {
    let place = Place::new();
    for name in ODD {
        let name = OsStr::from_bytes(name);
        place.write(name, b"hello");
        place.run(["seal", "-k", "key", "--"].map(OsStr::new).into_iter().chain([name])).succeeds();
        let sealed = [name.as_bytes(), b".abreast"].concat();
        let sealed = OsStr::from_bytes(&sealed);
        std::fs::remove_file(place.path(name)).unwrap();
        place.run(["open", "-k", "key", "--"].map(OsStr::new).into_iter().chain([sealed])).succeeds();
        assert_eq!(place.read(name), b"hello");
    }
}

#[cfg(unix)]
#[test]
fn are_escaped_in_messages() {
    let place = Place::new();
    for (name, shown) in ODD.into_iter().zip([
        "two\\nlines: ",
        "\\u{1b}[31mred: ",
        "\\xff\\xfe: ",
        "-o: ",
        "--help: ",
        "a b'c\"d: ",
        "\\u{202e}gnp.exe: ",
        "a\\\\n: ",
    ]) {
        let args = ["verify", "-k", "key", "--"].map(OsStr::new);
        let args = args.into_iter().chain([OsStr::from_bytes(name)]);
        place.run(args).fails(1, &format!("abreast: {shown}No such file or directory"));
    }
    place.run(["se\u{202e}al"]).fails(2, "se\\u{202e}al");
}

/// Checks that commands printed by `seal --new-key` can be pasted into a shell.
#[cfg(unix)]
#[test]
fn are_quoted_in_commands() {
    if !has("bash") {
        return;
    }
    let place = Place::new();
    for name in ODD {
        place.write(OsStr::from_bytes(name), b"hello");
        let args = ["seal", "--new-key", "new key", "--"].map(OsStr::new);
        let run = place.run(args.into_iter().chain([OsStr::from_bytes(name)])).succeeds();
        let said = String::from_utf8(run.stdout).unwrap();
        let command = said.lines().last().unwrap().split_once("To open: abreast ").unwrap().1;
        let mut shell = Command::new("bash");
        shell.args(["-c", &format!("\"$ABREAST\" {command} -o -")]);
        shell.env("ABREAST", env!("CARGO_BIN_EXE_abreast")).current_dir(place.path("")).stdin(Stdio::null());
        assert_eq!(spawn(&mut shell).end().succeeds().stdout, b"hello", "{command}");
        std::fs::remove_file(place.path("new key")).unwrap();
    }
}

/// Lines for programs have the bytes of a name that is not UTF-8, and of no other.
#[cfg(unix)]
#[test]
fn are_told_to_programs_without_loss() {
    let place = Place::new();
    let odd = OsStr::from_bytes(b"a\xff");
    place.write(odd, b"hello");
    let run = |args: &[&str], name: &[u8]| {
        let args = args.iter().map(OsStr::new).chain([OsStr::from_bytes(name)]);
        place.run(args)
    };
    let seal = run(&["seal", "-k", "key", "--json", "--progress", "json"], b"a\xff");
    let output =
        r#""output":"a\ufffd.abreast","output_hex":"61ff2e61627265617374"}"#.replace("\\ufffd", "\u{fffd}");
    let file = "\"file\":\"a\u{fffd}\",\"file_hex\":\"61ff\"";
    let lines = String::from_utf8(seal.stdout).unwrap();
    assert!(lines.starts_with(&format!("{{{file},\"status\":\"sealed\",{output}\n")), "{lines}");
    assert!(seal.stderr.starts_with(&format!("{{{file},\"done\":")), "{}", seal.stderr);
    std::fs::copy(place.path("key"), place.path(odd)).unwrap();
    place.pipe(["seal", "-k", "key", "-o", "\u{e9}"], b"hello").succeeds();
    let told = run(&["inspect", "--json", "\u{e9}", "-k"], b"a\xff").succeeds().stdout;
    let told = String::from_utf8(told).unwrap();
    let key = "\"key\":\"a\u{fffd}\",\"key_hex\":\"61ff\",\"file_bytes\"";
    assert!(told.starts_with("{\"file\":\"\u{e9}\",\"cipher\"") && told.contains(key), "{told}");
}
