//! Folders that are renamed, files that are exchanged, file systems that lack something, and memory that runs out, all in
//! the middle of the work: the output is complete in its place, or nothing is left of it.

use std::fs;
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::{ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::injection::turn_of_unnamed;
use crate::support::*;

/// The ways of file systems to give a file its place.
const WAYS: [&str; 6] = ["", NAMED, LINKED, RESERVED, IN_PLACE, UNLINKED];

/// A run in the middle of its work.
struct Halfway {
    process: Process,
    stdin: ChildStdin,
    rest: Vec<u8>,
}

impl Halfway {
    /// Starts a command that reads its standard input, of which more than a pipe holds is written.
    fn new(place: &Place, rules: &str, arguments: &str, folder: &Path, input: &[u8]) -> Halfway {
        let mut command = if rules.is_empty() {
            place.shell(&format!("exec \"$ABREAST\" {arguments}"))
        } else {
            place.lacking(rules, arguments)
        };
        command.env("FOLDER", folder.canonicalize().unwrap()).current_dir(folder);
        let mut process = spawn(command.stdin(Stdio::piped()));
        let mut stdin = process.child.stdin.take().unwrap();
        // One that refuses the output does not read.
        let _ = stdin.write_all(&input[..1 << 20]);
        Halfway { process, stdin, rest: input[1 << 20..].to_vec() }
    }

    /// Gives it the rest.
    fn end(mut self) -> Run {
        self.stdin.write_all(&self.rest).unwrap();
        drop(self.stdin);
        self.process.end()
    }
}

/// All files below a folder.
fn files(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path.display().to_string()) }
    }
    found
}

/// The folder is the working directory of the command, and the output is named without it or with it.
#[test]
fn a_folder_that_goes_away_takes_nothing_along() {
    let place = Place::new();
    let message = message(3 << 20);
    let sealed = place.seal(&message);
    fs::remove_file(place.path("sealed")).unwrap();
    let before = files(&place.path(""));
    let ways = if has("strace") { &WAYS[..] } else { &WAYS[..1] };
    let mut runs = 0;
    for rules in ways {
        for (command, input) in [("seal", &message), ("open", &sealed)] {
            for change in ["renamed", "exchanged", "removed", "parent"] {
                for (output, force) in [("out", ""), ("../folder/out", ""), ("out", "-f")] {
                    let (parent, other) = (place.path("parent"), place.path("other"));
                    let folder = parent.join("folder");
                    fs::create_dir_all(&folder).unwrap();
                    let what = format!("{rules}: {command} -o {output} {force}, {change}");
                    let arguments = format!("{command} - -k ../../key -o {output} {force}");
                    let run = Halfway::new(&place, rules, &arguments, &folder, input);
                    match change {
                        "parent" => fs::rename(&parent, &other).unwrap(),
                        "removed" if rules.is_empty() || *rules == UNLINKED => {
                            fs::remove_dir(&folder).unwrap()
                        }
                        "removed" => fs::remove_dir_all(&folder).unwrap(),
                        _ => fs::rename(&folder, &other).unwrap(),
                    }
                    if change == "exchanged" {
                        fs::create_dir(&folder).unwrap();
                    }
                    let run = run.end();
                    assert_eq!(run.code, Some(1), "{what}\n{}", run.stderr);
                    assert!(run.stderr.contains("run it again"), "{what}\n{}", run.stderr);
                    assert_eq!(files(&place.path("")), before, "{what}");
                    for folder in [parent, other] {
                        let _ = fs::remove_dir_all(folder);
                    }
                    runs += 1;
                }
            }
        }
    }
    tell(&format!("{runs} folders went away"));
}

/// A file that has a name can be exchanged for another one, which is never taken for the output.
#[test]
fn a_temporary_file_that_is_exchanged() {
    let place = Place::new();
    let message = message(3 << 20);
    let sealed = place.seal(&message);
    if !has("strace") {
        return;
    }
    for rules in [NAMED, LINKED, RESERVED, IN_PLACE] {
        for force in ["", "-f"] {
            let folder = place.path("folder");
            fs::create_dir(&folder).unwrap();
            let arguments = format!("open - -k ../key -o out {force}");
            let run = Halfway::new(&place, rules, &arguments, &folder, &sealed);
            for file in files(&folder) {
                fs::remove_file(&file).unwrap();
                fs::write(file, b"evil").unwrap();
            }
            let run = run.end();
            assert_eq!(run.code, Some(1), "{rules} {force}: {}", run.stderr);
            assert!(run.stderr.contains("was replaced by another file during the work"), "{}", run.stderr);
            for file in files(&folder) {
                assert_eq!(fs::read(file).unwrap(), b"evil", "{rules} {force}");
            }
            fs::remove_dir_all(&folder).unwrap();
        }
    }
}

/// On file systems without files that have no name, without renames that replace nothing, without links, without renames.
#[test]
fn every_way_of_a_file_system() {
    let place = Place::new();
    let message = message(3 << 20);
    let sealed = place.seal(&message);
    place.write("message", &message);
    if !has("strace") {
        return;
    }
    let run = |rules: &str, arguments: &str| spawn(&mut place.lacking(rules, arguments)).end();
    for rules in WAYS {
        let before = place.contents();
        run(rules, "seal message -k key").succeeds();
        place.run(["verify", "message.abreast", "-k", "key"]).succeeds();
        run(rules, "open sealed -k key -o opened").succeeds();
        assert!(place.read("opened") == message, "{rules}");
        run(rules, "keygen -o new").succeeds();
        assert_eq!(place.read("new").len(), place.read("key").len());
        run(rules, "plan message -o plan --part-size 16K").succeeds();
        assert!(place.read("plan").ends_with(b"\n"));
        for name in ["message.abreast", "opened", "new", "plan"] {
            assert_eq!(fs::metadata(place.path(name)).unwrap().mode() & 0o777, 0o600, "{rules} {name}");
            // An existing file is not replaced, and the refusal costs no work.
            let inode = fs::metadata(place.path(name)).unwrap().ino();
            run(rules, &format!("open sealed -k key -o {name}")).fails(4, "exists already");
            let force = run(rules, &format!("open sealed -k key -o {name} -f"));
            if rules == IN_PLACE {
                force.fails(4, "cannot replace a file in one step");
                assert_eq!(fs::metadata(place.path(name)).unwrap().ino(), inode);
            } else {
                force.succeeds();
                assert!(place.read(name) == message, "{rules}");
            }
            fs::remove_file(place.path(name)).unwrap();
        }
        // A failure removes the unfinished file.
        let mut bad = sealed.clone();
        *bad.last_mut().unwrap() ^= 1;
        for (name, force) in [("out", ""), ("out", "-f"), ("sealed", "-f")] {
            let folder = place.path("");
            let halfway =
                Halfway::new(&place, rules, &format!("open - -k key -o {name} {force}"), &folder, &bad);
            // Nothing replaces a file on such a file system.
            if (rules, name) == (IN_PLACE, "sealed") {
                drop(halfway);
                continue;
            }
            let run = halfway.end();
            assert_eq!(run.code, Some(3), "{rules}: {}", run.stderr);
        }
        assert!(place.contents() == before, "{rules}: {:?}", place.names());
    }
}

/// A real one: FAT has no links, and no files without a name.
#[test]
fn a_file_system_without_links() {
    let place = Place::new();
    if !rustix::process::geteuid().is_root() || !has("mkfs.vfat") {
        tell("a_file_system_without_links skipped: root alone can mount one, made by mkfs.vfat");
        return;
    }
    let script = "truncate -s 64M image && mkfs.vfat image > made && mkdir fat && mount -o loop image fat";
    if feed(place.shell(script), b"").code != Some(0) {
        tell("a_file_system_without_links skipped: nothing can be mounted here");
        return;
    }
    place.write("message", &message(3 << 20));
    let script = "trap 'umount fat' EXIT; set -e
        \"$ABREAST\" seal message -k key -o fat/sealed
        \"$ABREAST\" open fat/sealed -k key -o fat/opened
        \"$ABREAST\" open fat/sealed -k key -o fat/opened 2> refused && exit 90
        \"$ABREAST\" open fat/sealed -k key -o fat/opened -f
        \"$ABREAST\" keygen -o fat/new
        \"$ABREAST\" plan fat/opened -o fat/plan
        cmp fat/opened message
        ls -A fat > listed";
    feed(place.shell(script), b"").succeeds();
    assert_eq!(place.read("listed"), b"new\nopened\nplan\nsealed\n");
    assert_eq!(place.read("refused"), b"abreast: fat/opened: exists already; --force replaces it\n");
}

/// A file that is worked on is never called left over, however late it is locked, and a look at it costs it no lock.
#[test]
fn a_file_in_use_is_not_left_over() {
    if !has("strace") {
        return;
    }
    let place = Place::new();
    place.write("plain", b"hello");
    let arguments = "seal - -k key -o o1 --allow-empty";
    let unnamed = turn_of_unnamed(&place, arguments).unwrap();
    for late in ["fcntl", "renameat2"] {
        let script = format!(
            "exec strace -D -f -qq -o /dev/null -e trace=openat,{late} \
             -e inject=openat:error=EOPNOTSUPP:when={unnamed} -e inject={late}:delay_enter=700000 \
             \"$ABREAST\" {arguments}"
        );
        let mut slow = place.shell(&script);
        let mut slow = spawn(slow.env_remove("LD_LIBRARY_PATH").stdin(Stdio::piped()));
        slow.child.stdin.as_mut().unwrap().write_all(b"hello").unwrap();
        // Its file has the one name for a while, and then the other; all the while nobody says a word about it.
        let mut seen = Vec::new();
        wait_until("both names", || {
            let _ = fs::remove_file(place.path("o2"));
            place.run(["seal", "plain", "-k", "key", "-o", "o2"]).succeeds();
            seen.extend(place.names().into_iter().filter(|name| name.starts_with(".abreast-")));
            [".new", ".tmp"].iter().all(|end| seen.iter().any(|name| name.ends_with(end)))
        });
        assert!(slow.child.try_wait().unwrap().is_none(), "{late}: it has ended");
        fs::remove_file(place.path("o2")).unwrap();
        place.run(["seal", "plain", "-k", "key", "-o", "o2"]).succeeds();
        drop(slow.child.stdin.take());
        slow.end().succeeds();
        place.run(["verify", "o1", "-k", "key"]).succeeds();
        fs::remove_file(place.path("o1")).unwrap();
        fs::remove_file(place.path("o2")).unwrap();
    }
}

/// With less and less memory, a run succeeds, or says in one line that there is none, and leaves nothing.
#[test]
fn memory_that_runs_out() {
    sweep_memory(16_000, 60_000, 1_000);
}

#[test]
#[ignore = "runs the command a thousand times: run with --ignored where there are minutes"]
fn memory_that_runs_out_in_small_steps() {
    sweep_memory(14_000, 60_000, 400);
}

/// Runs commands with limits to their address space, in KiB.
fn sweep_memory(from: usize, to: usize, step: usize) {
    let place = Place::new();
    let message = message(2 << 20);
    place.seal(&message);
    place.write("message", &message);
    place.write("private", &sealed_with_passphrase("correct horse", &message));
    place.write("passphrase", b"correct horse\n");
    let before = place.contents();
    let (mut good, mut refused, mut unloaded) = (0, 0, 0);
    for rules in if has("strace") { &["", NAMED][..] } else { &[""] } {
        for arguments in [
            "seal message -k key -o out -j3",
            "open sealed -k key -o out -j3",
            "open private --passphrase-file passphrase -o out",
            "keygen -o out",
            "plan message -o out",
        ] {
            for limit in (from..to).step_by(step) {
                // Not of `strace`, which needs more than the command.
                let script =
                    format!("sh -c 'ulimit -v {limit}; exec \"$0\" \"$@\"' \"$ABREAST\" {arguments}");
                let mut command = place.lacking(rules, "");
                command = if rules.is_empty() {
                    place.shell(&format!("exec {script}"))
                } else {
                    let mut limited = Command::new("sh");
                    let under = command.get_args().nth(1).unwrap().to_str().unwrap();
                    let under = under.replace("\"$ABREAST\" ", &script);
                    limited
                        .args(["-c", &under])
                        .envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
                    limited.current_dir(place.path("")).stdin(Stdio::null());
                    limited
                };
                let run = feed(command, b"");
                let what = format!("{arguments}, {limit} KiB: {}", run.stderr);
                match run.code {
                    Some(0) => {
                        good += 1;
                        assert!(place.path("out").exists(), "{what}");
                        fs::remove_file(place.path("out")).unwrap();
                    }
                    // The loader or the shell had none.
                    Some(126 | 127 | 2) | None
                        if run.stderr.contains("loading") || run.stderr.contains("annot") =>
                    {
                        unloaded += 1;
                    }
                    Some(1) => {
                        refused += 1;
                        assert!(
                            run.stderr.starts_with("abreast: ") && run.stderr.contains("memory"),
                            "{what}"
                        );
                    }
                    // The kernel had no room for the program itself, before any of its code ran.
                    _ if run.stderr.is_empty() && limit < 20_000 => unloaded += 1,
                    other => panic!("{other:?}: {what}"),
                }
                assert!(place.contents() == before, "{what}: {:?}", place.names());
            }
        }
    }
    assert!(good > 0 && refused > 0, "{good}, {refused}");
    tell(&format!(
        "{good} runs succeeded, {refused} had no memory, {unloaded} did not begin; nothing was left"
    ));
}

/// A passphrase is hashed before there is an output.
#[test]
fn a_passphrase_is_hashed_before_the_output_is_created() {
    if !has("strace") {
        return;
    }
    let place = Place::new();
    place.write("passphrase", b"correct horse\n");
    for arguments in [
        "seal key --passphrase-file passphrase -o private",
        "open private --passphrase-file passphrase -o out",
    ] {
        let script = format!("exec strace -f -qq -o trace -e trace=mmap,openat \"$ABREAST\" {arguments}");
        feed(place.shell(&script), b"").succeeds();
        let trace = String::from_utf8(place.read("trace")).unwrap();
        // The 64 MiB of a hash. The command sets less aside when it begins, and the C library more for a thread, which
        // nobody can write to at first.
        let is_hash = |line: &str| {
            let size = line.split("mmap(NULL, ").nth(1)?.split(',').next()?.parse::<usize>().ok()?;
            Some(size >> 20 == 64 && line.contains("PROT_READ|PROT_WRITE"))
        };
        let hashed = trace.lines().position(|line| is_hash(line) == Some(true)).unwrap();
        let created = trace.lines().position(|line| line.contains("O_TMPFILE")).unwrap();
        assert!(hashed < created, "{trace}");
    }
}

/// A folder whose listing ends in an error is not the end of the command.
#[test]
fn a_folder_that_cannot_be_listed() {
    if !has("strace") {
        return;
    }
    let place = Place::new();
    place.write("plain", b"hello");
    for call in ["close", "getdents64", "fcntl", "newfstatat"] {
        for turn in 1..=6 {
            let script = format!(
                "exec strace -f -qq -o /dev/null -P . -P \"$PWD\" -e trace={call} -e inject={call}:error=EIO:when={turn} \
                 \"$ABREAST\" seal plain -k key -o out"
            );
            let run = feed(place.shell(&script), b"");
            assert!(matches!(run.code, Some(0 | 1)), "{call} {turn}: {:?} {}", run.code, run.stderr);
            assert_eq!(place.path("out").exists(), run.code == Some(0), "{call} {turn}: {}", run.stderr);
            let _ = fs::remove_file(place.path("out"));
            assert_eq!(place.names(), ["key", "plain"]);
        }
    }
}

/// Each of many files costs as much as each of a few. Their outputs are there already, so that no disk is waited for, and
/// the time measures only the command.
#[test]
fn many_files_cost_the_same() {
    let place = Place::new();
    let names: Vec<_> = (0..48_000).map(|number| format!("{number:06}")).collect();
    for name in &names {
        place.write(name, b"");
        place.write(format!("{name}.abreast"), b"");
    }
    let cost = |count: usize| {
        place.write("list", names[..count].join("\0").as_bytes());
        let script =
            "ulimit -s unlimited; xargs -0 -n 200000 -s 6000000 \"$ABREAST\" seal -k key < list; times";
        let run = spawn(&mut place.shell(script)).end();
        assert_eq!(run.stderr.matches("exists already").count(), count);
        user_time(&String::from_utf8(run.stdout).unwrap())
    };
    let (few, many) = (cost(names.len() / 8), cost(names.len()));
    tell(&format!("{} files in {many:.2} s, an eighth of them in {few:.2} s", names.len()));
    // Eight times as much, and the grain of the clock; 40 times where each file was compared with all others.
    assert!(many < 16.0 * few + 0.3, "{few} s, {many} s");
}

/// The seconds that the children of a shell took outside of the kernel, from the output of `times`.
fn user_time(times: &str) -> f64 {
    let time = times.lines().nth(1).unwrap().split_whitespace().next().unwrap();
    let (minutes, seconds) = time.strip_suffix('s').unwrap().split_once('m').unwrap();
    60.0 * minutes.parse::<f64>().unwrap() + seconds.parse::<f64>().unwrap()
}

/// The last of many files costs no more than the first.
#[test]
#[ignore = "seals 100 000 files: run with --ignored where there are minutes"]
fn a_hundred_thousand_files_cost_the_same() {
    many_files(100_000, 1_000);
}

/// Seals `count` files, and compares the time of the first `part` of them with the time of the last.
fn many_files(count: usize, part: usize) {
    let place = Place::new();
    let names: Vec<_> = (0..count).map(|number| format!("{number:06}")).collect();
    names.iter().for_each(|name| place.write(name, b"x"));
    place.write("list", names.join("\0").as_bytes());
    // More arguments than some systems allow would be cut into several calls by xargs, so that the limit is raised.
    let script = "ulimit -s unlimited; exec xargs -0 -n 200000 -s 6000000 \"$ABREAST\" seal -k key < list";
    let begin = Instant::now();
    let process = Process::spawn(&mut place.shell(script), Duration::from_secs(600));
    process.end().succeeds();
    let whole = begin.elapsed();
    let written = |name: &String| {
        let metadata = fs::metadata(place.path(format!("{name}.abreast"))).unwrap();
        metadata.ctime() as f64 + metadata.ctime_nsec() as f64 / 1e9
    };
    let times: Vec<_> = names.iter().map(written).collect();
    let first = times[part - 1] - times[0];
    let last = times[count - 1] - times[count - part];
    tell(&format!("{count} files in {whole:.1?}: the first {part} in {first:.2} s, the last in {last:.2} s"));
    // Twice is far beyond the noise of a disk, and was left behind long before 57 000 files.
    assert!(last < 2.0 * first + 0.5, "{first} s, {last} s");
}

/// SIGKILL in the middle, where files have no name.
#[test]
fn a_kill_leaves_nothing() {
    let place = Place::new();
    let before = place.contents();
    let folder = place.path("");
    let run = Halfway::new(&place, "", "seal - -k key -o out", &folder, &message(2 << 20));
    run.process.signal(Signal::KILL);
    assert_eq!(run.process.end().code, None);
    assert!(place.contents() == before, "{:?}", place.names());
}
