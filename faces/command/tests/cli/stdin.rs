//! Standard input and other descriptors: read for one purpose, and as they are given.

use std::io::Write;
use std::os::fd::OwnedFd;
use std::process::Stdio;

use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};

use crate::support::*;

/// Names of standard input.
const NAMES: [&str; 5] = ["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0", "/proc/thread-self/fd/0"];

#[test]
fn is_not_both_the_secret_and_the_data() {
    let place = Place::new();
    let key = place.read("key");
    for data in NAMES {
        for secret in NAMES {
            for (option, what) in [("-k", "the key"), ("--passphrase-file", "the passphrase")] {
                for command in ["seal", "open"] {
                    let run = place.pipe([command, data, option, secret, "-o", "out"], &key);
                    run.fails(2, &format!("standard input: cannot be both {what} and the data"));
                }
            }
        }
        let run = place.pipe(["seal", data, "--passphrase-fd", "0", "-o", "out"], b"secret");
        run.fails(2, "standard input: cannot be both the passphrase and the data");
    }
    assert_eq!(place.names(), ["key"]);
}

#[test]
fn is_not_read_twice() {
    let place = Place::new();
    for other in NAMES {
        let run = place.pipe(["seal", "-", other, "-k", "key"], b"hello");
        assert_eq!(run.fails(2, "standard input: is named twice, and can be read only once").stdout, b"");
    }
}

/// Checks that one pipe under two numbers is recognized.
#[test]
fn other_descriptors_are_compared_too() {
    let place = Place::new();
    for (arguments, cause) in [
        ("seal - --passphrase-fd 5 -o out", "standard input: cannot be both the passphrase and the data"),
        ("seal - --passphrase-file /dev/fd/5 -o out", "standard input: cannot be both"),
        ("seal /dev/fd/5 --passphrase-fd 5 -o out", "/dev/fd/5: cannot be both the passphrase and the data"),
        ("verify /dev/fd/5 /dev/fd/5 -k key", "/dev/fd/5: is named twice"),
    ] {
        feed(place.shell(&format!("\"$ABREAST\" {arguments} 5<&0")), b"secret").fails(2, cause);
    }
    // A file, too, where both share one position in it.
    place.write("file", b"secret");
    let script = "exec <file; \"$ABREAST\" seal - --passphrase-fd 5 -o out 5<&0";
    let run = spawn(&mut place.shell(script)).end();
    run.fails(2, "standard input: cannot be both the passphrase and the data");
    assert_eq!(place.names(), ["file", "key"]);
}

/// Checks that a wrong redirection is not taken for an empty message.
#[test]
fn that_is_closed_is_an_error() {
    let place = Place::new();
    place.seal(b"hello");
    let commands = [("seal - -k key -o out", 1), ("open - -k key -o out", 1), ("open sealed -k - -o out", 1)];
    for (args, code) in commands {
        let run = spawn(&mut place.shell(&format!("\"$ABREAST\" {args} <&-"))).end();
        run.fails(code, "standard input: is closed");
    }
    assert_eq!(place.names(), ["key", "sealed"]);
    spawn(&mut place.shell("\"$ABREAST\" seal - -k key -o out --allow-empty </dev/null")).end().succeeds();
}

/// A file that is opened twice does not disturb itself.
#[test]
fn a_file_by_its_own_name_may_be_both() {
    let place = Place::new();
    place.write("plain", b"hello");
    let run = spawn(&mut place.shell("\"$ABREAST\" seal - -k key -o out < plain")).end();
    run.succeeds();
    let opened = place.run(["open", "out", "-k", "key", "-o", "-"]).succeeds().stdout;
    assert_eq!(opened, place.read("plain"));
    place.run(["verify", "out", "out", "-k", "key"]).succeeds();
}

#[test]
fn may_be_the_secret() {
    let place = Place::new();
    place.seal(b"hello");
    let key = place.read("key");
    for name in NAMES {
        let run = place.pipe(["open", "sealed", "-k", name, "-o", "-"], &key);
        assert_eq!(run.succeeds().stdout, b"hello", "{name}");
    }
    place.write("sealed", &sealed_with_passphrase("secret", b"hello"));
    for name in NAMES {
        let run = place.pipe(["open", "sealed", "--passphrase-file", name, "-o", "-"], b"secret\n");
        assert_eq!(run.succeeds().stdout, b"hello", "{name}");
    }
}

/// The descriptor itself: a socket cannot be opened by name, and a file would be read from its beginning.
#[test]
fn passphrases_from_descriptors() {
    let place = Place::new();
    place.write("sealed", &sealed_with_passphrase("secret", b"hello"));
    place.write("file", b"line 1\nsecret\n");
    let script = "exec 5< file; read line <&5; \"$ABREAST\" open sealed --passphrase-fd 5 -o -";
    assert_eq!(spawn(&mut place.shell(script)).end().succeeds().stdout, b"hello");
    let (ours, theirs): (OwnedFd, OwnedFd) =
        socketpair(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None).unwrap();
    let mut command = place.shell("exec \"$ABREAST\" open sealed --passphrase-fd 5 -o - 5<&0 </dev/null");
    let child = spawn(command.stdin(Stdio::from(theirs)));
    drop(command);
    std::fs::File::from(ours).write_all(b"secret\n").unwrap();
    assert_eq!(child.end().succeeds().stdout, b"hello");
}

/// Among the descriptors that the command opens for itself is one that nothing ever arrives on.
#[test]
fn descriptors_that_were_not_given() {
    let place = Place::new();
    for number in ["3", "4", "5", "6", "7", "8", "9", "77", "4294967295"] {
        let script = format!(
            "timeout 10 \"$ABREAST\" seal key --passphrase-fd {number} 3<&- 4<&- 5<&- 6<&- 7<&- 8<&- 9<&-"
        );
        let run = spawn(&mut place.shell(&script)).end();
        run.fails(2, "the command was started without this descriptor");
    }
    assert_eq!(place.names(), ["key"]);
}
