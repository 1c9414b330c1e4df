//! The command on Windows: names that lead elsewhere, files that others hold open, and what Windows has not.

use std::fs::{self, File};
use std::io::{Cursor, ErrorKind, Write};
use std::os::windows::fs::OpenOptionsExt;
use std::os::windows::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use rpassword::{ConfigBuilder, read_password_with_config};

use crate::support::*;

/// Gives a process a console of its own, without a window: `CREATE_NO_WINDOW`.
const NEW_CONSOLE: u32 = 0x0800_0000;

/// Names under which Windows makes no file of that name, each with a part of the message.
const NO_FILES: [(&str, &str); 14] = [
    ("NUL", "device"),
    ("con", "device"),
    ("aux.txt", "device"),
    ("COM1", "device"),
    ("lpt1.abreast", "device"),
    ("Prn .x", "device"),
    (r"\\.\NUL", "device"),
    (r"\\.\pipe\abreast", "device"),
    (r"sub\nul", "device"),
    ("plain:hidden", "stream"),
    ("plain::$DATA", "stream"),
    ("out.", "dot or a space"),
    ("out ", "dot or a space"),
    (r"sub.\out", "dot or a space"),
];

#[test]
fn names_that_lead_elsewhere() {
    let place = Place::new();
    let sealed = place.seal(b"hello");
    place.write("plain", b"plain");
    fs::create_dir(place.path("sub")).unwrap();
    for (name, cause) in NO_FILES {
        for force in [&[][..], &["--force"]] {
            for args in [
                ["seal", "plain", "-k", "key", "-o", name],
                ["open", "sealed", "-k", "key", "-o", name],
                ["reseal", "sealed", "-kkey", "--to-key-file=key", "-o", name],
            ] {
                place.refuses([&args, force].concat(), 2, cause);
            }
        }
        place.refuses(["keygen", "-o", name], 2, cause);
        place.refuses(["plan", "plain", "-o", name], 2, cause);
        place.refuses(["seal", "plain", "--new-key", name], 2, cause);
        // A folder that is there, or not.
        let folder = place.run(["seal", "plain", "-k", "key", "--output-dir", name]);
        assert!(matches!(folder.code, Some(2 | 4)), "{name}: {}", folder.stderr);
    }
    // A stream that is not there.
    place.refuses(["seal", "plain:hidden", "-k", "key"], 1, "plain:hidden: ");
    assert_eq!((place.read("plain"), place.read("sealed")), (b"plain".to_vec(), sealed));
    assert_eq!(place.names(), ["key", "plain", "sealed", "sub"]);
    assert_eq!(place.names_in("sub"), [""; 0]);
}

#[test]
fn names_that_are_long() {
    let place = Place::new();
    let mut folder = String::from("f");
    for _ in 0..5 {
        folder += &format!("\\{}", "long".repeat(20));
    }
    fs::create_dir_all(place.path(&folder)).unwrap();
    let file = format!("{folder}\\plain");
    assert!(place.path(&file).as_os_str().len() > 300);
    place.write(&file, b"hello");
    let (sealed, whole) = (format!("{file}.abreast"), place.path(&file));
    place.run(["seal", &file, "-k", "key"]).succeeds();
    fs::remove_file(&whole).unwrap();
    place.run(["open", &sealed, "-k", "key", "-o", whole.to_str().unwrap()]).succeeds();
    assert_eq!(place.read(&file), b"hello");
    place.run(["open", &sealed, "-k", "key", "-f"]).succeeds();
    place.run(["seal", "-r", "f", "--output-dir", "out", "-k", "key"]);
    place.run(["verify", "-r", "out", "-k", "key"]).succeeds();
    assert_eq!(place.names_in(&folder), ["plain", "plain.abreast"]);
    // One name has a limit of its own.
    let name = "n".repeat(300);
    let run = place.run(["seal", &file, "-k", "key", "-o", &name]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert_eq!(place.names(), ["f", "key", "out"]);
}

/// Letters of either case are the same in a name.
#[test]
fn names_in_another_case() {
    let place = Place::new();
    place.write("plain", b"hello");
    place.refuses(["seal", "plain", "-k", "key", "-o", "KEY", "--force"], 4, "is the key file");
    place.refuses(["seal", "plain", "-k", "key", "-o", "PLAIN", "--force"], 4, "is the input");
    place.refuses(["seal", "plain", "--new-key", "neu", "-o", "NEU"], 4, "is the new key");
    place.refuses(["seal", "Plain", "--new-key", "KEY"], 4, "exists already");
}

#[test]
fn outputs_replace_by_force_alone() {
    let place = Place::new();
    place.write("plain", b"new");
    place.write("out", b"old");
    place.refuses(["seal", "plain", "-k", "key", "-o", "out"], 4, "exists already");
    place.run(["seal", "plain", "-k", "key", "-o", "out", "--force"]).succeeds();
    place.run(["verify", "out", "-k", "key"]).succeeds();
    assert_eq!(place.names(), ["key", "out", "plain"]);
    // One that comes to be there during the work.
    place.write("message", &message(1 << 20));
    let mut command = place.command(["seal", "-", "-k", "key", "-o", "late"]);
    let mut child = spawn(command.stdin(Stdio::piped()));
    let mut stdin = child.child.stdin.take().unwrap();
    begins_to_work(&mut stdin);
    place.write("late", b"old");
    drop(stdin);
    child.end().fails(4, "late: exists already");
    assert_eq!(place.read("late"), b"old");
    assert_eq!(place.names(), ["key", "late", "message", "out", "plain"]);
}

/// Another program may share a file with nobody, or with readers alone.
#[test]
fn files_that_others_hold_open() {
    let place = Place::new();
    place.seal(b"sealed");
    place.write("plain", b"hello");
    place.write("out", b"old");
    let hold =
        |name: &str, shared| File::options().read(true).share_mode(shared).open(place.path(name)).unwrap();
    const READ: u32 = 1;
    let held = hold("plain", 0);
    let run = place.run(["seal", "plain", "-k", "key"]);
    run.fails(1, "plain: Permission denied: another program has it open");
    drop(held);
    let held = hold("plain", READ);
    place.run(["seal", "plain", "-k", "key"]).succeeds();
    place.run(["open", "plain.abreast", "-k", "key", "-o", "copy"]).succeeds();
    let run = place.run(["seal", "plain", "-k", "key", "--rm", "-f"]);
    run.fails(1, "plain: is sealed, and stays: it cannot be removed");
    drop(held);
    for shared in [0, READ] {
        let held = hold("out", shared);
        let run = place.run(["seal", "plain", "-k", "key", "-o", "out", "-f"]);
        run.fails(1, "out: Permission denied: another program has it open");
        drop(held);
        assert_eq!(place.read("out"), b"old");
    }
    let held = hold("sealed", READ);
    let run = place.run(["reseal", "sealed", "-k", "key", "--to-new-key", "new"]);
    run.fails(1, "sealed: Permission denied: another program has it open");
    drop(held);
    place.run(["verify", "sealed", "-k", "key"]).succeeds();
    assert_eq!(place.names(), ["copy", "key", "out", "plain", "plain.abreast", "sealed"]);
}

/// Times come back, of files and of folders.
#[test]
fn folders_come_back_with_their_times() {
    let place = Place::new();
    fs::create_dir_all(place.path("tree/a/b")).unwrap();
    fs::create_dir_all(place.path("tree/empty")).unwrap();
    let times = [("tree/1", 1_000_000_000), ("tree/a/2", 1_500_000_001), ("tree/a/b/.3", 7)];
    let time = |seconds| SystemTime::UNIX_EPOCH + Duration::new(seconds, 123_456_700);
    for (name, seconds) in times {
        place.write(name, name.as_bytes());
        File::options().write(true).open(place.path(name)).unwrap().set_modified(time(seconds)).unwrap();
    }
    let folders = [("tree/a/b", 5), ("tree/a", 6), ("tree/empty", 8), ("tree", 9)];
    for (name, seconds) in folders {
        let mut options = File::options();
        let folder = options.access_mode(0x100).custom_flags(0x0200_0000).open(place.path(name));
        folder.unwrap().set_modified(time(seconds)).unwrap();
    }
    place.run(["seal", "-r", "tree", "--output-dir", "vault", "-k", "key", "-q"]).succeeds();
    place.run(["open", "-r", r"vault\tree\.", "--output-dir", "back", "-k", "key", "-q"]).succeeds();
    for (name, seconds) in times.into_iter().chain(folders) {
        let name = name.replacen("tree", "back", 1);
        let metadata = place.path(&name).metadata().unwrap();
        assert_eq!(metadata.modified().unwrap(), time(seconds), "{name}");
    }
    assert_eq!(place.read("back/a/b/.3"), b"tree/a/b/.3");
}

/// Commands are those of cmd, with their own quotes.
#[test]
fn commands_that_print_secrets() {
    let place = Place::new();
    place.write("a b", &place.read("key"));
    place.write("plain", b"hello");
    for (number, command) in
        ["type key", "type \"a b\"", "(type nothing 2>nul) & type \"a b\"", "type \"a b\" | find \"abreast\""]
            .into_iter()
            .enumerate()
    {
        let out = format!("out{number}");
        place.run(["seal", "plain", "--key-command", command, "-o", &out]).succeeds();
        place.run(["verify", &out, "-k", "key"]).succeeds();
    }
    let run = place.run(["seal", "plain", "--key-command", "exit 3"]);
    run.fails(1, "--key-command: the command ended with exit code 3");
    // Programs end their lines in CR and LF, which is neither part of a passphrase nor of a key.
    place.run(["seal", "plain", "--passphrase-command", "echo secret", "-o", "x"]).succeeds();
    place.write("pass", b"secret\n");
    place.run(["verify", "x", "--passphrase-file", "pass"]).succeeds();
    let two = "(echo a) & echo b";
    place.run(["seal", "plain", "--passphrase-command", two, "-o", "y"]).fails(2, "has more than one line");
}

/// The options that Windows has nothing for are errors.
#[test]
fn what_windows_has_not() {
    let place = Place::new();
    place.write("plain", b"hello");
    place.refuses(
        ["seal", "plain", "-k", "key", "--strict"],
        2,
        "--strict looks at modes, which Windows has not",
    );
    place.refuses(["seal", "plain", "--passphrase-fd", "3"], 2, "Windows has no descriptors but 0");
    let sealed =
        place.pipe(["seal", "plain", "--passphrase-fd", "0", "-o", "-"], b"secret\n").succeeds().stdout;
    place.write("sealed", &sealed);
    place.write("pass", b"secret");
    assert_eq!(
        place.run(["open", "sealed", "--passphrase-file", "pass", "-o", "-"]).succeeds().stdout,
        b"hello"
    );
}

/// Nothing of the format depends on the system.
#[test]
fn lines_end_as_they_do_elsewhere() {
    let place = Place::new();
    let key = String::from_utf8(place.read("key")).unwrap();
    assert!(key.ends_with('\n') && !key.contains('\r'), "{key:?}");
    place.write("plain", b"a\r\nb\n\x1a");
    place.run(["plan", "plain", "-o", "plan"]).succeeds();
    assert!(!place.read("plan").contains(&b'\r'));
    let sealed = place.pipe(["seal", "-", "-k", "key"], &place.read("plain")).succeeds().stdout;
    let opened = place.pipe(["open", "-", "-k", "key"], &sealed).succeeds().stdout;
    assert_eq!(opened, b"a\r\nb\n\x1a");
}

/// Sends Ctrl-C to this console, as the reader of passwords does when it reads one.
fn press() {
    let config = ConfigBuilder::new().input_reader(Cursor::new("\u{3}")).output_discard().build();
    let pressed = read_password_with_config(config);
    assert_eq!(pressed.unwrap_err().kind(), ErrorKind::Interrupted, "the console has no Ctrl-C");
}

/// Leaves nothing after Ctrl-C. The system sends it to all processes of a console, so that this has one of its own.
#[test]
fn ctrl_c() {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "windows::ctrl_c_in_this_console", "--ignored"]).stdin(Stdio::null());
    let run = spawn(command.creation_flags(NEW_CONSOLE)).end();
    assert_eq!(run.code, Some(0), "{}{}", String::from_utf8_lossy(&run.stdout), run.stderr);
    assert!(String::from_utf8_lossy(&run.stdout).contains("1 passed"), "{:?}", run.stdout);
}

#[test]
#[ignore = "it ends whatever shares its console"]
fn ctrl_c_in_this_console() {
    ctrlc::set_handler(|| {}).unwrap();
    for force in [&[][..], &["--force"]] {
        for new_key in [false, true] {
            let place = Place::new();
            let secret = if new_key { ["--new-key", "new"] } else { ["-k", "key"] };
            if !force.is_empty() {
                place.write("out", b"old");
            }
            let before = place.contents();
            let mut command = place.command([&["seal", "-", "-o", "out"], &secret[..], force].concat());
            let mut child = spawn(command.stdin(Stdio::piped()));
            child.child.stdin.as_mut().unwrap().write_all(&[1; 1 << 20]).unwrap();
            wait_until("a temporary file", || {
                place.names().iter().any(|name| name.starts_with(".abreast-") && !name.ends_with(".new"))
            });
            press();
            let run = child.end();
            assert_eq!((run.code, &*run.stderr), (Some(130), ""));
            assert!(place.contents() == before, "left behind: {:?}", place.names());
        }
    }
}
