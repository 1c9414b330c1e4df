//! Outputs: their places, and the files left when an output does not get there.

use std::fs;
use std::io::Read;
#[cfg(unix)]
use std::os::unix::fs::{PermissionsExt, symlink};

use crate::support::*;

#[test]
fn existing_outputs_are_refused_and_replaced_by_force() {
    let place = Place::new();
    place.write("a", b"hello");
    place.write("a.abreast", b"precious");
    place.refuses(["seal", "a", "-k", "key"], 4, "a.abreast: exists already");
    place.run(["seal", "a", "-k", "key", "--force"]).succeeds();
    place.refuses(["open", "a.abreast", "-k", "key"], 4, "a: exists already");
    place.write("a", b"precious");
    place.run(["open", "a.abreast", "-k", "key", "--force"]).succeeds();
    assert_eq!(place.read("a"), b"hello");
    place.refuses(["keygen", "-o", "key"], 4, "key: exists already");
    let raw = ["raw", "encrypt", "--cipher", "aes-128", "--mode", "ecb", "--key", "00", "-o", "a", "a"];
    place.refuses(
        raw.map(|arg| if arg == "00" { "00112233445566778899aabbccddeeff" } else { arg }),
        4,
        "a: ",
    );
}

#[test]
fn a_failure_leaves_the_old_output() {
    let place = Place::new();
    let mut bad = place.seal(&message(5 * CHUNK));
    let end = bad.len() - 1;
    bad[end] ^= 1;
    place.write("sealed", &bad);
    place.write("opened", b"precious");
    place.refuses(["open", "sealed", "-k", "key", "-o", "opened", "--force"], 3, "chunk 5");
}

#[test]
fn names_for_the_output() {
    let place = Place::new();
    place.seal(b"hello");
    place.refuses(["open", "sealed", "-k", "key"], 2, "tell with -o");
    fs::rename(place.path("sealed"), place.path(".abreast")).unwrap();
    place.refuses(["open", ".abreast", "-k", "key"], 2, "tell with -o");
    fs::create_dir(place.path("folder")).unwrap();
    place.refuses(["open", ".abreast", "-k", "key", "-o", "folder"], 2, "nothing is left of the name");
    place.refuses(
        ["open", ".abreast", "-k", "key", "-o", "no/where"],
        1,
        "no/where: the folder no is missing",
    );
    place.refuses(["seal", "folder", "-k", "key"], 1, "folder: is a folder");
}

#[cfg(unix)]
#[test]
fn the_input_is_not_overwritten_under_any_name() {
    let place = Place::new();
    let sealed = place.seal(b"hello");
    fs::hard_link(place.path("sealed"), place.path("hard")).unwrap();
    symlink("sealed", place.path("symbolic")).unwrap();
    for output in ["sealed", "./sealed", "hard", "symbolic"] {
        for command in ["seal", "open"] {
            place.refuses([command, "sealed", "-k", "key", "--force", "-o", output], 4, "is the input");
        }
    }
    // Standard input and output are files under other names too.
    let appended = place.shell("\"$ABREAST\" seal - -k key < sealed >> sealed");
    feed(appended, b"").fails(4, "standard output: is the input");
    assert_eq!(place.read("sealed"), sealed);
}

#[cfg(unix)]
#[test]
fn a_symbolic_link_is_replaced_and_not_followed() {
    let place = Place::new();
    place.write("plain", b"hello");
    place.write("victim", b"precious");
    symlink("victim", place.path("link")).unwrap();
    symlink("nothing", place.path("dangling")).unwrap();
    for link in ["link", "dangling"] {
        place.refuses(["seal", "plain", "-k", "key", "-o", link], 4, "exists already");
        place.run(["seal", "plain", "-k", "key", "-o", link, "--force"]).succeeds();
        assert!(place.path(link).symlink_metadata().unwrap().is_file());
    }
    assert_eq!(place.read("victim"), b"precious");
    assert!(!place.path("nothing").exists());
}

#[cfg(unix)]
#[test]
fn outputs_are_private_whatever_the_umask() {
    let place = Place::new();
    let script = "umask 0; \"$ABREAST\" keygen -o new && echo hi > plain && \"$ABREAST\" seal plain -k new -o new.abreast && \
                  \"$ABREAST\" open new.abreast -k new -o again";
    feed(place.shell(script), b"").succeeds();
    for name in ["new", "new.abreast", "again"] {
        assert_eq!(place.path(name).metadata().unwrap().permissions().mode() & 0o777, 0o600, "{name}");
    }
}

#[cfg(unix)]
#[test]
fn pipes_by_name_are_written_through() {
    let place = Place::new();
    feed(place.shell("mkfifo fifo"), b"").succeeds();
    let message = message(300_000);
    place.write("message", &message);
    let seal = spawn(&mut place.command(["seal", "message", "-k", "key", "-o", "fifo"]));
    // Opening a pipe waits for the other side, so processes that can be killed do it.
    let sealed = feed(place.shell("cat fifo"), b"").succeeds().stdout;
    seal.end().succeeds();
    assert!(place.pipe(["open", "-", "-k", "key"], &sealed).succeeds().stdout == message);
    assert_eq!(place.names(), ["fifo", "key", "message"]);

    let open = spawn(&mut place.command(["open", "fifo", "-k", "key", "-o", "opened"]));
    feed(place.shell("cat > fifo"), &sealed).succeeds();
    open.end().succeeds();
    assert!(place.read("opened") == message);
}

/// To open a pipe waits for its other end, which nobody but the call itself would open.
#[cfg(unix)]
#[test]
fn a_pipe_is_not_both_read_and_written() {
    let place = Place::new();
    place.seal(b"hello");
    feed(place.shell("mkfifo pipe message.abreast && ln -s pipe link"), b"").succeeds();
    place.write("message", b"hello");
    let raw = ["--cipher", "aes-128", "--mode", "ecb", "--key", "00112233445566778899aabbccddeeff"];
    for output in ["pipe", "./pipe", "link"] {
        for force in [&[][..], &["-f"]] {
            let refuses = |args: &[&str], cause| {
                place.refuses(args.iter().chain(&["-o", output]).chain(force), 4, cause);
            };
            refuses(&["seal", "pipe", "-k", "key"], "is the input");
            refuses(&["open", "pipe", "-k", "key"], "is the input");
            refuses(&["seal", "message", "-k", "pipe"], "is the key file");
            refuses(&["open", "sealed", "-k", "pipe"], "is the key file");
            refuses(&["seal", "message", "--passphrase-file", "pipe"], "is the passphrase file");
            refuses(&[&["raw", "encrypt", "pipe"], &raw[..]].concat(), "is the input");
        }
    }
    place.refuses(["seal", "message", "-k", "message.abreast"], 4, "is the key file");
    // Standard output, opened for both directions so that the shell does not wait either.
    let run = feed(place.shell("\"$ABREAST\" seal message -k pipe -o - 1<>pipe"), b"");
    run.fails(4, "standard output: is the key file");
}

/// Nor is a writer waited for where only a regular file will do.
#[cfg(unix)]
#[test]
fn a_pipe_has_no_ranges() {
    let place = Place::new();
    feed(place.shell("mkfifo pipe"), b"").succeeds();
    place.refuses(["inspect", "pipe"], 2, "pipe: only a regular file can be inspected");
    let range = ["open", "pipe", "-k", "key", "-o", "out", "--range", "0..1"];
    place.refuses(range, 2, "pipe: a range or a share is opened in a regular file given by name");
    place.refuses(["inspect", "/dev/null"], 2, "only a regular file");
}

#[cfg(unix)]
#[test]
fn devices_are_written_through() {
    let place = Place::new();
    place.write("message", &message(300_000));
    place.run(["seal", "message", "-k", "key", "-o", "/dev/null"]).succeeds();
    let full = place.run(["seal", "message", "-k", "key", "-o", "/dev/full"]);
    full.fails(1, "/dev/full: No space left on device");
    let by_name = place.run(["seal", "message", "-k", "key", "-o", "/dev/stdout"]).succeeds();
    assert_eq!(by_name.stdout.len(), HEADER + 300_000 + 19 * 16);
    for device in ["/dev/null", "/dev/full", "/dev/stdout"] {
        assert!(!fs::symlink_metadata(device).unwrap().is_file(), "{device}");
    }
    place.refuses(["seal", "message", "-k", "key", "-o", "/dev/abreast-is-no-device"], 1, "No such file");
    // A file by way of the device folder: not renamed over, and refused like any other.
    let existing = place.shell("\"$ABREAST\" seal message -k key -o /dev/stdout > out");
    feed(existing, b"").fails(4, "/dev/stdout: exists already");
    feed(place.shell("\"$ABREAST\" seal message -k key -o /dev/stdout --force > out"), b"").succeeds();
    place.run(["verify", "out", "-k", "key"]).succeeds();
}

/// A full disk, at each write in turn: the limit on the size of files stands in for it.
#[cfg(unix)]
#[test]
fn no_room() {
    let place = Place::new();
    let message = message(2 << 20);
    place.seal(&message);
    place.write("message", &message);
    place.write("old", b"precious");
    let before = place.contents();
    for (command, input) in [("seal", "message"), ("open", "sealed")] {
        for blocks in [0, 1, 8, 512, 1024, 3072, 4000] {
            for jobs in [1, 3] {
                let limited = place.shell(&format!(
                    "ulimit -f {blocks} && exec \"$ABREAST\" {command} {input} -k key -o old --force -j {jobs}"
                ));
                feed(limited, b"").fails(1, "old: File too large");
                assert!(place.contents() == before, "{:?}", place.names());
            }
        }
    }
    let limited = place.shell("ulimit -f 1024 && exec \"$ABREAST\" seal message --new-key new");
    feed(limited, b"").fails(1, "message.abreast: File too large");
    assert!(place.contents() == before, "{:?}", place.names());
}

#[test]
fn a_reader_that_goes_away() {
    let place = Place::new();
    place.write("message", &message(4 << 20));
    let mut seal = spawn(&mut place.command(["seal", "message", "-k", "key", "-o", "-"]));
    let mut start = [0; 100];
    let mut stdout = seal.child.stdout.take().unwrap();
    stdout.read_exact(&mut start).unwrap();
    drop(stdout);
    let run = seal.end();
    assert_eq!((run.code, &*run.stderr), (Some(1), ""));
}

#[cfg(unix)]
#[test]
fn closed_descriptors() {
    let place = Place::new();
    place.write("message", b"hello");
    let script =
        "\"$ABREAST\" seal message -k key -f <&- >&- 2>&- && \"$ABREAST\" verify message.abreast -k key";
    feed(place.shell(script), b"").succeeds();
    // The message of a failure has nowhere to go, but its code has.
    let script = "\"$ABREAST\" verify message -k key <&- >&- 2>&-";
    let run = feed(place.shell(script), b"");
    assert_eq!((run.code, &*run.stderr), (Some(3), ""));
}
