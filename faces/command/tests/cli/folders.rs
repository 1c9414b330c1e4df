//! Folders that are not like others, and the leftovers of earlier runs in them.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;

use rustix::process::Signal;

use crate::support::*;

/// Some file systems cannot sync a folder; another error of it is one.
#[test]
fn a_folder_that_cannot_be_synced() {
    let place = Place::new();
    place.write("plain", b"hello");
    if !has("strace") {
        return;
    }
    for (error, code) in [("EINVAL", 0), ("EIO", 1)] {
        let script = format!(
            "exec strace -f -qq -o /dev/null -e trace=fsync -e inject=fsync:error={error}:when=2 \
             \"$ABREAST\" seal plain -k key -o out"
        );
        let run = spawn(&mut place.shell(&script)).end();
        assert_eq!(run.code, Some(code), "{}", run.stderr);
        assert_eq!(place.path("out").exists(), code == 0, "{error}");
        if code == 0 {
            place.run(["verify", "out", "-k", "key"]).succeeds();
            fs::remove_file(place.path("out")).unwrap();
        }
    }
}

/// A folder to drop files into: its owner may write and not read. Root may both, unless it gives that up.
#[test]
fn a_folder_that_cannot_be_read() {
    let place = Place::new();
    place.write("plain", b"hello");
    for mode in [0o300, 0o1333] {
        let folder = place.path("folder");
        fs::create_dir(&folder).unwrap();
        fs::set_permissions(&folder, fs::Permissions::from_mode(mode)).unwrap();
        let root = rustix::process::geteuid().is_root();
        let other = if root { "setpriv --bounding-set=-dac_override,-dac_read_search" } else { "" };
        let read = place.shell(&format!("exec {other} ls folder")).output().unwrap();
        assert!(!read.status.success(), "the folder can be read");
        let script = format!("exec {other} \"$ABREAST\" seal plain -k key -o folder/out");
        spawn(&mut place.shell(&script)).end().succeeds();
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).unwrap();
        place.run(["verify", "folder/out", "-k", "key"]).succeeds();
        fs::remove_dir_all(&folder).unwrap();
    }
}

#[test]
fn what_a_killed_run_left_is_named() {
    if !has("strace") {
        return;
    }
    let place = Place::new();
    place.write("plain", b"hello");
    fs::create_dir(place.path("folder")).unwrap();
    let start = || {
        // Without a folder of its own for `strace`: the rules are for calls about this one.
        let folder = place.path("folder").canonicalize().unwrap();
        let mut command = place.lacking(NAMED, "seal - -o folder/out -k key");
        let mut child = spawn(command.env("FOLDER", folder).stdin(Stdio::piped()));
        child.child.stdin.as_mut().unwrap().write_all(b"h").unwrap();
        let temporaries = || {
            let entries = fs::read_dir(place.path("folder")).unwrap().map(|entry| entry.unwrap().file_name());
            entries.filter(|name| name.to_string_lossy().ends_with(".tmp")).collect::<Vec<_>>()
        };
        wait_until("a temporary file", || temporaries().len() == 1);
        (child, temporaries().remove(0).into_string().unwrap())
    };
    // One that is worked on is not left over.
    let (child, left) = start();
    place.run(["seal", "plain", "-k", "key", "-o", "folder/1"]).succeeds();
    child.signal(Signal::KILL);
    assert_eq!(child.end().code, None);
    let note =
        format!("abreast: note: folder/{left} was left by a run that was killed, and can be removed\n");
    let run = place.run(["seal", "plain", "-k", "key", "-o", "folder/2"]);
    assert_eq!((run.code, &*run.stderr), (Some(0), &*note));
    let run = place.run(["seal", "plain", "-k", "key", "-o", "folder/2"]);
    assert_eq!(run.code, Some(4));
    assert!(place.path("folder").join(&left).exists(), "it is not the command's to remove");
    // Elsewhere nothing is said of it, and of several files in one folder it is said once.
    place.run(["seal", "plain", "-k", "key", "-o", "3"]).succeeds();
    for name in ["a", "b"] {
        place.write(format!("folder/{name}"), b"hello");
    }
    let run = place.run(["seal", "folder/a", "folder/b", "-k", "key"]);
    assert_eq!((run.code, &*run.stderr), (Some(0), &*note));
}
