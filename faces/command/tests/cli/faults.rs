//! System calls that fail, one at a time, each in its turn, and the order of the calls that matter.
//!
//! After a fault a run does one of two things. It names the failure in one line, and leaves everything as it was; or it
//! succeeds, and then its output is opened and compared. Calls on which the outcome depends, such as a write of data,
//! may not fail without the run failing too.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::injection::*;
use crate::support::*;

/// Length of the message: three parts of sixteen chunks for the threads to share.
const LEN: usize = 700_000;

/// Calls and how they fail. After `EINTR` the call is to be made again.
const FAULTS: [Fault; 19] = [
    fault("pwrite64", "ENOSPC"),
    fault("pwrite64", "EIO"),
    fault("pwrite64", "EINTR"),
    fault("pread64", "EIO"),
    fault("read", "EIO"),
    fault("read", "EINTR"),
    fault("write", "EIO"),
    fault("write", "EINTR"),
    fault("fsync", "EIO"),
    fault("openat", "EMFILE"),
    fault("openat", "EACCES"),
    fault("renameat", "EIO"),
    fault("linkat", "EIO"),
    fault("newfstatat", "EIO"),
    fault("getrandom", "EIO"),
    fault("getrandom", "EINTR"),
    fault("statx", "EIO"),
    fault("clone3", "EAGAIN"),
    fault("socketpair", "EMFILE"),
];

/// More of them, for the wide form. Memory is not among them: the loader ends by a signal without it, and limits to the
/// address space are swept elsewhere.
const MORE_FAULTS: [Fault; 30] = [
    fault("pwrite64", "EDQUOT"),
    fault("pwrite64", "EFBIG"),
    fault("pread64", "EINTR"),
    fault("pread64", "ESTALE"),
    fault("read", "ESTALE"),
    fault("read", "ENOMEM"),
    fault("write", "ENOSPC"),
    fault("write", "EPIPE"),
    fault("fsync", "EINTR"),
    fault("fsync", "ENOSPC"),
    fault("fsync", "EDQUOT"),
    fault("openat", "EINTR"),
    fault("openat", "ENFILE"),
    fault("openat", "ENOSPC"),
    fault("renameat", "EACCES"),
    fault("linkat", "EACCES"),
    fault("linkat", "ENOSPC"),
    fault("linkat", "ENOMEM"),
    fault("renameat", "ENOSPC"),
    fault("newfstatat", "EACCES"),
    fault("newfstatat", "ENOMEM"),
    fault("readlink", "EIO"),
    fault("fcntl", "ENOLCK"),
    fault("close", "EIO"),
    fault("getdents64", "EIO"),
    fault("getrandom", "EFAULT"),
    fault("statx", "EACCES"),
    fault("clone3", "ENOMEM"),
    fault("fcntl", "EMFILE"),
    fault("prlimit64", "EPERM"),
];

const fn fault(call: &'static str, error: &'static str) -> Fault {
    Fault { call, error }
}

/// The output of a run that succeeds. The file `-` is standard output.
#[derive(Clone, Copy)]
enum Made {
    /// A sealed file with the whole message, and the arguments that open it.
    Sealed(&'static str, &'static str),
    /// A file with these bytes of the message.
    Opened(&'static str, (usize, usize)),
    /// A key file.
    Key(&'static str),
    /// The file of a plan.
    Plan(&'static str),
    /// Nothing.
    Nothing,
}

/// The command lines, for two threads where threads are used, and their outputs.
const COMMANDS: [(&str, Made); 10] = [
    ("seal message --new-key new -o out -j2", Made::Sealed("out", "-k new")),
    ("seal message -k key -o old -f -j2", Made::Sealed("old", "-k key")),
    ("seal - -k key -j2 < message", Made::Sealed("-", "-k key")),
    ("open sealed -k key -o old -f -j2", Made::Opened("old", (0, LEN))),
    ("open sealed -k key -o out -j2 --range 100000..650000", Made::Opened("out", (100_000, 650_000))),
    ("open - -k key -j2 < sealed", Made::Opened("-", (0, LEN))),
    ("open private --passphrase-file passphrase -o out", Made::Opened("out", (0, LEN))),
    ("verify sealed -k key -j2", Made::Nothing),
    ("keygen -o new", Made::Key("new")),
    ("plan message -o out", Made::Plan("out")),
];

/// Calls that count where files need names from the beginning.
const NAMED_FAULTS: [Fault; 12] = [
    fault("pwrite64", "ENOSPC"),
    fault("write", "EIO"),
    fault("fsync", "EIO"),
    fault("renameat", "EIO"),
    fault("renameat2", "EIO"),
    fault("renameat2", "EACCES"),
    fault("newfstatat", "EIO"),
    fault("newfstatat", "ENOMEM"),
    fault("fcntl", "ENOLCK"),
    fault("getrandom", "EIO"),
    fault("clone3", "EAGAIN"),
    fault("statx", "EIO"),
];

/// More of them, for the wide form.
const MORE_COMMANDS: [(&str, Made); 3] = [
    (
        "seal message --passphrase-file passphrase -o out -j3",
        Made::Sealed("out", "--passphrase-file passphrase"),
    ),
    ("seal message --cipher serpent-256-gcm --new-key new -o out -j8", Made::Sealed("out", "-k new")),
    ("verify - -k key < sealed", Made::Nothing),
];

#[test]
fn each_call_in_turn() {
    let done = sweep(&COMMANDS, &FAULTS, DRAWN, false);
    assert!(done.is_none_or(|faults| faults >= 200), "{done:?} faults");
}

#[test]
#[ignore = "injects thousands of faults: run with --ignored where there are minutes"]
fn each_call_in_turn_with_more_errors() {
    let all_commands = [&COMMANDS[..], &MORE_COMMANDS].concat();
    let all_faults = [&FAULTS[..], &MORE_FAULTS].concat();
    let done = sweep(&all_commands, &all_faults, ALL, false);
    assert!(done.is_none_or(|faults| faults >= 1000), "{done:?} faults");
}

/// Repeats the sweep where there are no files without a name.
#[test]
fn each_call_in_turn_where_files_have_names() {
    let commands = [COMMANDS[1], COMMANDS[4], COMMANDS[8], COMMANDS[9]];
    let done = sweep(&commands, &NAMED_FAULTS, DRAWN, true);
    assert!(done.is_none_or(|faults| faults >= 40), "{done:?} faults");
}

/// The random source of a file that is sealed with a passphrase. This is a test of its own, with few faults, since each
/// run may pay the whole cost of the passphrase hash.
#[test]
fn no_random_bytes_for_a_passphrase_file() {
    sweep(&MORE_COMMANDS[..1], &[fault("getrandom", "EIO")], DRAWN, false);
}

/// Turns in which a call fails: at most how many, and the longest way from one to the next, which is drawn.
#[derive(Clone, Copy)]
struct Turns {
    most: usize,
    step: usize,
}

/// Some of the first turns, others in each run of the tests.
const DRAWN: Turns = Turns { most: 20, step: 4 };
/// All turns.
const ALL: Turns = Turns { most: 1000, step: 1 };

/// Injects each fault into each command, in the first turn and in later ones, until a run ends before the turn comes. Returns
/// how many runs of the command were hit; runs in which the fault hit the loader do not count. `None` if there is no way to
/// inject any.
fn sweep(commands: &[(&str, Made)], faults: &[Fault], turns: Turns, named: bool) -> Option<usize> {
    if !has("strace") {
        return None;
    }
    let commands = Mutex::new(commands.iter());
    let next = || commands.lock().unwrap().next();
    let counts: Vec<_> = faults.iter().map(|_| AtomicUsize::new(0)).collect();
    let work = || {
        while let Some(&(command, made)) = next() {
            let swept = Swept::new(command, made, named);
            for (fault, count) in faults.iter().zip(&counts) {
                count.fetch_add(swept.each_turn(*fault, turns), Ordering::Relaxed);
            }
        }
    };
    thread::scope(|scope| {
        let threads = thread::available_parallelism().map_or(1, usize::from).min(4);
        // Each runs a bounded number of processes, all of which have a time limit.
        (0..threads).for_each(|_| drop(scope.spawn(work)));
    });
    for (Fault { call, error }, count) in faults.iter().zip(&counts) {
        assert!(
            count.load(Ordering::Relaxed) > 0,
            "{call} never failed with {error}: is it called something else?"
        );
    }
    let total = counts.into_iter().map(AtomicUsize::into_inner).sum();
    tell(&format!("{total} faults injected"));
    Some(total)
}

/// A command line under test, with a folder of its own.
struct Swept {
    /// The folder.
    place: Place,
    /// The arguments.
    command: String,
    /// The output of the arguments.
    made: Made,
    /// The message.
    message: Vec<u8>,
    /// The contents of the folder before each run.
    before: BTreeMap<OsString, Vec<u8>>,
    /// The turn of the call that finds no files without a name, if it is to find none.
    unnamed: Option<usize>,
}

impl Swept {
    fn new(command: &str, made: Made, named: bool) -> Swept {
        let place = Place::new();
        let message = message(LEN);
        place.seal(&message);
        place.write("message", &message);
        place.write("old", b"precious");
        place.write("passphrase", b"correct horse\n");
        place.write("private", &sealed_with_passphrase("correct horse", &message));
        let before = place.contents();
        let unnamed = if named { Some(turn_of_unnamed(&place, command).expect("such a file")) } else { None };
        Swept { place, command: command.to_owned(), made, message, before, unnamed }
    }

    /// Lets the first of such calls fail, then the second, and so on. Returns how many runs were hit.
    fn each_turn(&self, fault: Fault, turns: Turns) -> usize {
        let mut done = 0;
        let mut turn = 1;
        while turn <= turns.most {
            let (run, hits) = inject(&self.place, &self.command, fault, turn, self.unnamed);
            let texts: Vec<_> = hits.iter().map(|hit| &*hit.text).collect();
            let what = format!("{}: {}\n{}", self.command, texts.join("\n"), run.stderr);
            if !is_before_main(&run) {
                self.check(fault, &run, &hits, &what);
                done += usize::from(!hits.is_empty());
            }
            let after = self.place.contents();
            assert!(after == self.before, "left behind or changed: {:?}\n{what}", self.place.names());
            if hits.is_empty() {
                break;
            }
            turn += 1 + getrandom::u64().unwrap() as usize % turns.step;
        }
        done
    }

    /// Checks how a run ended, and removes the output of a good run.
    fn check(&self, fault: Fault, run: &Run, hits: &[Hit], what: &str) {
        if run.stderr.contains("old: replaced, but") {
            assert_eq!(run.code, Some(1), "{what}");
            self.check_made(run, what);
            return;
        }
        if run.code == Some(0) {
            assert!(!hits.iter().any(|hit| self.matters(fault, hit)), "the error went unnoticed\n{what}");
            assert_eq!(run.stderr, "", "{what}");
            self.check_made(run, what);
            return;
        }
        assert!(fault.error != "EINTR" && !hits.is_empty(), "failed for no reason\n{what}");
        assert!(matches!(run.code, Some(1 | 2)), "{:?}: {what}", run.code);
        // Calls are counted thread by thread, so the same number may hit a worker and then the message about it.
        if hits.iter().any(|hit| hit.text.starts_with("write(2<")) {
            return;
        }
        let line = run.stderr.strip_suffix('\n').unwrap_or_default();
        assert!(line.starts_with("abreast: ") && !line.contains('\n'), "not one line\n{what}");
        let names: Vec<_> = hits.iter().filter_map(|hit| self.shown(hit)).collect();
        assert!(
            names.is_empty() || names.iter().any(|name| line.contains(&format!(" {name}: "))),
            "no name of {names:?}\n{what}"
        );
    }

    /// Returns true if the run cannot have done its work without that call.
    fn matters(&self, fault: Fault, hit: &Hit) -> bool {
        let path = hit.path.as_deref().unwrap_or_default();
        let of_ours = Path::new(path).starts_with(self.place.path(""));
        match fault.call {
            _ if fault.error == "EINTR" => false,
            "fsync" | "renameat" | "renameat2" | "linkat" | "pwrite64" => true,
            "read" | "pread64" => of_ours,
            // A message that a file has been sealed may get lost, the file itself may not.
            "write" => of_ours || path.starts_with("pipe:") && self.made.file() == Some("-"),
            // The standard library asks with other flags, for hash tables, and probes ask for nothing.
            "getrandom" => {
                let arguments = hit.text.split(')').next().unwrap_or_default();
                arguments.ends_with(", 0") && !arguments.ends_with(", 0, 0")
            }
            _ => false,
        }
    }

    /// Returns the name that the message must give to the file that the failed call is about, if that is one of ours.
    fn shown(&self, hit: &Hit) -> Option<String> {
        let folder = self.place.path("");
        let path = hit.path.as_deref()?;
        if path.starts_with("pipe:") {
            return Some("standard output".to_owned());
        }
        let path = folder.join(path);
        let name = path.strip_prefix(&folder).ok()?.to_string_lossy().into_owned();
        // The temporary file and the folder stand for the output.
        let output = name.is_empty() || name == "." || name.starts_with(".abreast-") || name.starts_with('#');
        match self.made.file() {
            _ if self.command.contains(&format!("< {name}")) => Some("standard input".to_owned()),
            Some(file) if output && !self.command.contains("--new-key") => Some(file.to_owned()),
            // It may be for the key as well.
            _ if output => None,
            _ => Some(name),
        }
    }

    /// Checks the output of a good run, and removes it.
    #[track_caller]
    fn check_made(&self, run: &Run, what: &str) {
        let place = &self.place;
        let made = |file| if file == "-" { run.stdout.clone() } else { place.read(file) };
        match self.made {
            Made::Sealed(file, key) => {
                let sealed = made(file);
                let line = if sealed.starts_with(b"abreast/") {
                    sealed.iter().position(|&byte| byte == b'\n').unwrap() + 1
                } else {
                    0
                };
                assert_ne!(sealed[line..line + 24], [0; 24], "a salt of zeros\n{what}");
                let open = ["open", "-"].into_iter().chain(key.split(' '));
                let opened = place.pipe(open, &sealed);
                assert!(opened.code == Some(0) && opened.stdout == self.message, "{}\n{what}", opened.stderr);
            }
            Made::Opened(file, (start, end)) => {
                assert!(made(file) == self.message[start..end], "opened wrong\n{what}");
            }
            Made::Plan(file) => assert!(made(file).ends_with(b"\n"), "{what}"),
            Made::Key(_) | Made::Nothing => {}
        }
        if place.path("new").exists() {
            let key = String::from_utf8(place.read("new")).unwrap();
            assert!(key.starts_with("abreast-key/1 ") && !key.contains(&"0".repeat(32)), "{key}{what}");
        }
        for name in ["out", "new"] {
            let _ = std::fs::remove_file(place.path(name));
        }
        place.write("old", b"precious");
    }
}

impl Made {
    /// The file that it is in.
    fn file(self) -> Option<&'static str> {
        match self {
            Made::Sealed(file, _) | Made::Opened(file, _) | Made::Key(file) | Made::Plan(file) => Some(file),
            Made::Nothing => None,
        }
    }
}

/// Returns true if the fault hit the program loader, which reports it itself.
fn is_before_main(run: &Run) -> bool {
    run.code == Some(127) && run.stderr.contains("loading shared libraries")
}

/// The order of system calls that a crash of the machine must not find otherwise: the data is on the
/// disk before it gets its name, and the name is before the command says that all is well.
#[test]
fn fsync_link_fsync() {
    let place = Place::new();
    place.write("message", b"hello");
    if !has("strace") {
        return;
    }
    let script = "strace -f -o trace -e trace=fsync,fdatasync,linkat,rename,renameat,renameat2,exit_group \
                  \"$ABREAST\" seal message --new-key new";
    feed(place.shell(script), b"").succeeds();
    let trace = String::from_utf8(place.read("trace")).unwrap();
    let calls = trace.lines().filter_map(|line| line.split_whitespace().nth(1)?.split('(').next());
    let calls: Vec<_> = calls.filter(|call| call.starts_with(['f', 'l', 'r', 'e'])).collect();
    let once = ["fsync", "linkat", "fsync"];
    assert_eq!(calls, [&once[..], &once, &["exit_group"]].concat(), "{trace}");
}
