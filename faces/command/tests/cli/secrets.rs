//! No call writes over its key, its passphrase, its inputs or another output of its own, under no name of
//! theirs and with `--force` neither.

use std::fs;
#[cfg(unix)]
use std::os::unix::fs::symlink;

use crate::support::*;

/// A folder with a key, a passphrase, a message, and the message sealed with each.
fn place() -> Place {
    let place = Place::new();
    place.seal(b"hello");
    place.write("message", b"hello");
    place.write("passphrase", b"tr0ub4dor");
    place.write("private", &sealed_with_passphrase("tr0ub4dor", b"hello"));
    place
}

#[cfg(unix)]
#[test]
fn the_key_file() {
    let place = place();
    fs::hard_link(place.path("key"), place.path("hard")).unwrap();
    symlink("key", place.path("symbolic")).unwrap();
    for output in ["key", "./key", "hard", "symbolic"] {
        for key in ["key", "symbolic", "hard"] {
            for (command, input) in [("seal", "message"), ("open", "sealed")] {
                place.refuses([command, input, "-k", key, "-f", "-o", output], 4, "is the key file");
            }
        }
    }
    // The name that an opened file gets by itself.
    fs::rename(place.path("sealed"), place.path("key.abreast")).unwrap();
    place.refuses(["open", "key.abreast", "-k", "key", "-f"], 4, "key: is the key file");
    // Standard output.
    let appended = place.shell("\"$ABREAST\" seal message -k key -o - >> key");
    let before = place.contents();
    feed(appended, b"").fails(4, "standard output: is the key file");
    assert!(place.contents() == before);
    let through = place.shell("\"$ABREAST\" seal message -k key -f -o /dev/fd/5 5>> key");
    feed(through, b"").fails(4, "/dev/fd/5: is the key file");
    assert!(place.contents() == before);
}

#[cfg(unix)]
#[test]
fn the_passphrase_file() {
    let place = place();
    fs::hard_link(place.path("passphrase"), place.path("hard")).unwrap();
    for output in ["passphrase", "hard"] {
        for (command, input) in [("seal", "message"), ("open", "private")] {
            let args = [command, input, "--passphrase-file", "passphrase", "-f", "-o", output];
            place.refuses(args, 4, "is the passphrase file");
        }
    }
    let before = place.contents();
    let by_descriptor =
        place.shell("\"$ABREAST\" open private --passphrase-fd 5 -f -o passphrase 5< passphrase");
    feed(by_descriptor, b"").fails(4, "passphrase: is the passphrase file");
    assert!(place.contents() == before);
}

#[cfg(unix)]
#[test]
fn the_new_key() {
    let place = place();
    symlink("new", place.path("dangling")).unwrap();
    for output in ["new", "./new", "dangling"] {
        for force in [&["-f"][..], &[]] {
            let args = ["seal", "message", "--new-key", "new", "-o", output];
            place.refuses(args.iter().chain(force), 4, "is the new key");
        }
    }
    place.refuses(["seal", "message", "--new-key", "message.abreast", "-f"], 4, "is the new key");
    // A key that another file needs stays, and the sealed file that would have been in its place is missing.
    place.write("b", b"hello");
    let run = place.run(["seal", "message", "b", "--new-key", "b.abreast", "-f"]);
    assert_eq!(run.code, Some(5), "{}", run.stderr);
    assert!(run.stderr.contains("b.abreast: is the new key"), "{}", run.stderr);
    place.run(["verify", "message.abreast", "-k", "b.abreast"]).succeeds();
    // An input that is not there does not become the key, to be sealed with itself.
    let before = place.contents();
    let run = place.run(["seal", "later", "--new-key", "later"]).fails(4, "later: is the input");
    assert_eq!(run.stdout, b"");
    assert!(place.contents() == before);
}

#[test]
fn other_inputs() {
    let place = place();
    place.write("a", b"a");
    place.write("a.abreast", b"precious");
    let run = place.run(["seal", "a", "a.abreast", "-k", "key", "-f", "--include-sealed"]);
    assert_eq!(run.code, Some(5), "{}", run.stderr);
    assert!(run.stderr.contains("a.abreast: is one of the inputs"), "{}", run.stderr);
    assert_eq!(place.read("a.abreast"), b"precious");
    // The second one is not there yet: the first one does not become it.
    let run = place.run(["seal", "message", "./message.abreast", "-k", "key"]);
    assert_eq!(run.code, Some(5), "{}", run.stderr);
    assert!(run.stderr.contains("message.abreast: is one of the inputs"), "{}", run.stderr);
    assert!(!place.path("message.abreast").exists());
    // In the other direction, and by way of a hard link.
    fs::rename(place.path("sealed"), place.path("x.abreast.abreast")).unwrap();
    fs::hard_link(place.path("private"), place.path("x.abreast")).unwrap();
    let before = place.contents();
    let run = place.run(["open", "x.abreast.abreast", "private", "-k", "key", "-f"]);
    assert!(run.stderr.contains("x.abreast: is one of the inputs"), "{}", run.stderr);
    assert!(place.contents() == before);
}

#[cfg(unix)]
#[test]
fn other_outputs() {
    let place = place();
    fs::create_dir(place.path("folder")).unwrap();
    symlink("folder", place.path("link")).unwrap();
    place.write("folder/a", b"a");
    let run = place.run(["seal", "folder/a", "link/a", "-k", "key", "-f"]);
    assert_eq!(run.code, Some(5), "{}", run.stderr);
    assert!(run.stderr.contains("link/a.abreast: is another output of the same call"), "{}", run.stderr);
    place.run(["verify", "folder/a.abreast", "-k", "key"]).succeeds();
}

/// Checks that a file that takes the place of the output during the work is looked at again.
#[test]
fn a_key_that_is_moved_to_the_output() {
    let place = place();
    place.write("old", b"old");
    let mut child = spawn(
        place.command(["seal", "-", "-k", "key", "-o", "old", "-f"]).stdin(std::process::Stdio::piped()),
    );
    let mut stdin = child.child.stdin.take().unwrap();
    begins_to_work(&mut stdin);
    let key = place.read("key");
    fs::rename(place.path("key"), place.path("old")).unwrap();
    drop(stdin);
    child.end().fails(4, "old: is the key file");
    assert_eq!(place.read("old"), key);
}
