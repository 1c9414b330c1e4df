//! Outputs that are not regular files: block devices, standard output that is closed or full.

use std::io::Write;
use std::process::{Command, Stdio};

use crate::support::*;

/// Calls that only print.
const PRINTING: [&str; 8] = [
    "kernels",
    "kernels --json",
    "completions bash",
    "man",
    "licenses",
    "inspect sealed",
    "inspect sealed --json",
    "verify sealed -k key --json",
];

/// A device of a driver that is not there, major number 240 being for experiments: its node is there, if this
/// user may make one.
#[test]
fn a_block_device_is_overwritten_by_force_alone() {
    let place = Place::new();
    place.write("plain", b"hello");
    let made = Command::new("mknod").arg(place.path("disk")).args(["b", "240", "0"]).output().unwrap();
    if !made.status.success() {
        eprintln!("skipped: only root makes devices");
        return;
    }
    place.refuses(["seal", "plain", "-k", "key", "-o", "disk"], 4, "disk: is a block device; --force");
    place.run(["seal", "plain", "-k", "key", "-o", "disk", "-f"]).fails(1, "disk: No such device");
}

#[test]
fn standard_output_that_is_closed() {
    let place = Place::new();
    place.write("plain", b"hello");
    place.seal(b"hello");
    let raw = "raw encrypt --cipher aes-128 --mode ecb --key 00112233445566778899aabbccddeeff";
    for args in
        ["seal plain -k key -o -", "open sealed -k key -o -", "keygen", raw].into_iter().chain(PRINTING)
    {
        let run = spawn(&mut place.shell(&format!("\"$ABREAST\" {args} >&-"))).end();
        run.fails(1, "standard output: is closed");
        // To throw the output away is another thing.
        spawn(&mut place.shell(&format!("\"$ABREAST\" {args} >/dev/null"))).end().succeeds();
    }
    // Programs that ask whether the command is there often want no output.
    spawn(&mut place.shell("\"$ABREAST\" --version <>/dev/null 1<&0")).end().succeeds();
}

/// A reader that stops early causes no error message, only an exit code.
#[test]
fn standard_output_that_nobody_reads() {
    let place = Place::new();
    place.seal(b"hello");
    place.write("other", &place.read("sealed"));
    let several =
        ["inspect sealed other", "verify sealed other -k key --json", "--help", "seal --help", "-V"];
    for args in several.into_iter().chain(PRINTING) {
        let script = format!("read line && exec \"$ABREAST\" {args}");
        let mut child = spawn(place.shell(&script).stdin(Stdio::piped()));
        // The command starts when nobody reads any more.
        drop(child.child.stdout.take());
        child.child.stdin.as_mut().unwrap().write_all(b"\n").unwrap();
        let run = child.end();
        assert_eq!((run.code, &*run.stderr), (Some(1), ""), "{args}");
    }
}

#[test]
fn what_is_printed_arrives_or_is_an_error() {
    let place = Place::new();
    place.seal(b"hello");
    for args in ["--help", "help seal", "-V", "--version", "keygen"].into_iter().chain(PRINTING) {
        let run = spawn(&mut place.shell(&format!("\"$ABREAST\" {args} >/dev/full"))).end();
        run.fails(1, "standard output: No space left on device");
    }
}
