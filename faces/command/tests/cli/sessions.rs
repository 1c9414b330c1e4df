//! Sessions at a terminal, as texts in `tests/sessions`.
//!
//! A line that begins with `$` is a command: `abreast`, or one of the few in [`Session::other`]. The lines after it are what it
//! prints, first on standard output and then on standard error: `*` stands for any text in a line, and `...` for any lines. Its
//! exit code is in brackets, unless it is 0. A line that begins with `<` is typed, once the terminal shows the lines before it. `(the
//! power fails after N lines)` kills the command after line N. Empty lines and those before the first command of a
//! part are for people.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;

use crate::support::*;

/// The sessions, by name.
const SESSIONS: [(&str, &str); 2] = [
    ("a-folder-for-years", include_str!("../sessions/a-folder-for-years.txt")),
    ("a-diary", include_str!("../sessions/a-diary.txt")),
];

/// The line of a power failure, around the number of lines.
const POWER_FAILS: (&str, &str) = ("(the power fails after ", " lines)");

#[test]
fn sessions_at_a_terminal() {
    for (name, text) in SESSIONS {
        if cfg!(unix) || !text.contains("\n< ") {
            Session::play(name, text);
        }
    }
    let folder = fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/sessions"));
    assert!(folder.is_ok_and(|folder| folder.count() == SESSIONS.len()), "a session is not played");
}

/// A session, while it is played.
struct Session {
    place: Place,
    /// The command that is played, for messages.
    at: String,
}

impl Session {
    /// Plays a session.
    fn play(name: &str, text: &str) {
        let mut session = Session { place: Place::new(), at: String::new() };
        for part in text.split("\n\n") {
            let mut calls = part.split("\n$ ");
            // The text for people, or nothing.
            let first = calls.next().unwrap_or_default();
            for call in first.strip_prefix("$ ").into_iter().chain(calls) {
                let (command, lines) = call.split_once('\n').unwrap_or((call, ""));
                session.at = format!("{name}: {command}");
                session.call(command, &lines.lines().collect::<Vec<_>>());
            }
        }
    }

    /// Runs a command, and compares it with the lines after it.
    fn call(&self, command: &str, lines: &[&str]) {
        let words: Vec<_> = command.split(' ').collect();
        let exit = lines.last().and_then(|line| line.strip_prefix('[')?.strip_suffix(']')?.parse().ok());
        let lines = if exit.is_some() { &lines[..lines.len() - 1] } else { lines };
        let exit = exit.unwrap_or(0);
        if let [line] = lines
            && let Some(after) = line.strip_prefix(POWER_FAILS.0)
        {
            let after = after.strip_suffix(POWER_FAILS.1).expect("a whole line");
            return self.killed(&words[1..], after.parse().expect("a number of lines"));
        }
        let (printed, code) = match &words[..] {
            ["abreast", ..] if lines.iter().any(|line| line.starts_with("< ")) => {
                return self.typed(command, lines, exit);
            }
            ["abreast", arguments @ ..] => {
                let run = self.place.run(arguments);
                (String::from_utf8(run.stdout).unwrap() + &run.stderr, run.code)
            }
            words => {
                let printed = self.other(words);
                let code = i32::from(!printed.is_empty());
                (printed, Some(code))
            }
        };
        self.compare(&printed, lines);
        assert_eq!(code, Some(exit), "{}: {printed}", self.at);
    }

    /// Does the work of a command that is not `abreast`, and returns what it prints, which is a failure.
    fn other(&self, words: &[&str]) -> String {
        let path = |name| self.place.path(name);
        match words {
            ["mkdir", folder] => fs::create_dir_all(path(folder)).unwrap(),
            ["write", file, text @ ..] => self.place.write(file, format!("{}\n", text.join(" ")).as_bytes()),
            ["fill", folder, files] => {
                for number in 0..files.parse().unwrap() {
                    self.place.write(format!("{folder}/{number}.jpg"), &message(number));
                }
            }
            ["cp", from, to] => copy(&path(from), &path(to)),
            ["mv", from, to] => fs::rename(path(from), path(to)).unwrap(),
            ["rm", file] => fs::remove_file(path(file)).unwrap(),
            ["damage", file, offset] => {
                let mut bytes = self.place.read(file);
                bytes[offset.parse::<usize>().unwrap()] ^= 1;
                self.place.write(file, &bytes);
            }
            ["diff", one, other] => {
                let [files, others] = [one, other].map(|name| list(&path(name)));
                let mut printed = String::new();
                for (name, file) in &files {
                    match others.get(name) {
                        Some(there) if there == file => {}
                        _ if name.is_empty() => printed += &format!("{one} differs from {other}\n"),
                        Some(_) => printed += &format!("{one}{name} differs in {other}\n"),
                        None => printed += &format!("{one}{name} is missing in {other}\n"),
                    }
                }
                for name in others.keys().filter(|name| !files.contains_key(*name)) {
                    printed += &format!("{other}{name} is missing in {one}\n");
                }
                return printed;
            }
            _ => panic!("{}: no such command", self.at),
        }
        String::new()
    }

    /// Runs the command, and kills it after a number of lines on standard error.
    fn killed(&self, arguments: &[&str], after: usize) {
        let mut process = spawn(&mut self.place.command(arguments));
        let lines = BufReader::new(process.child.stderr.take().unwrap()).lines();
        assert_eq!(lines.take(after).map_while(Result::ok).count(), after, "{}", self.at);
        process.child.kill().unwrap();
        assert_ne!(process.end().code, Some(0), "{}: it ended before the power failed", self.at);
    }

    /// Runs the command at a terminal, and types the answers. The lines after the last of them are compared with what the
    /// command prints elsewhere.
    #[cfg(unix)]
    fn typed(&self, command: &str, lines: &[&str], exit: i32) {
        let arguments = command.strip_prefix("abreast ").unwrap();
        let (mut keyboard, process) = crate::keyboard::Keyboard::run_under(&self.place, "", arguments);
        let last = lines.iter().rposition(|line| line.starts_with("< ")).unwrap();
        let mut seen = 0;
        for line in &lines[..=last] {
            if let Some(answer) = line.strip_prefix("< ") {
                keyboard.types(&format!("{answer}\n"));
                continue;
            }
            let at = || keyboard.shown()[seen..].find(line).map(|at| seen + at + line.len());
            wait_until(&format!("{}: {line}", self.at), || at().is_some());
            seen = at().unwrap();
        }
        let run = process.end();
        self.compare(&(String::from_utf8(run.stdout).unwrap() + &run.stderr), &lines[last + 1..]);
        assert_eq!(run.code, Some(exit), "{}", self.at);
    }

    /// Panics: there is no terminal to type on.
    #[cfg(not(unix))]
    fn typed(&self, _: &str, _: &[&str], _: i32) {
        unreachable!("{}: sessions with answers are left out", self.at)
    }

    /// Compares what was printed with the lines of the session.
    fn compare(&self, printed: &str, lines: &[&str]) {
        // Names of Windows have backslashes, which messages double.
        let printed =
            if cfg!(windows) { printed.replace("\\\\", "/").replace('\\', "/") } else { printed.into() };
        let printed: Vec<_> = printed.lines().collect();
        assert!(matches_lines(&printed, lines), "{}: {printed:#?} in place of {lines:#?}", self.at);
    }
}

/// Returns true if lines are those of a session.
fn matches_lines(printed: &[&str], lines: &[&str]) -> bool {
    match (printed, lines) {
        (_, ["...", rest @ ..]) => {
            (0..=printed.len()).any(|skipped| matches_lines(&printed[skipped..], rest))
        }
        ([printed, printed_rest @ ..], [line, rest @ ..]) => {
            matches(printed, line) && matches_lines(printed_rest, rest)
        }
        (printed, lines) => printed.is_empty() && lines.is_empty(),
    }
}

/// Returns true if a line is that of a session, where `*` stands for any text.
fn matches(printed: &str, line: &str) -> bool {
    match line.split_once('*') {
        None => printed == line,
        Some((start, rest)) => printed.strip_prefix(start).is_some_and(|end| {
            end.char_indices().map(|(at, _)| at).chain([end.len()]).any(|at| matches(&end[at..], rest))
        }),
    }
}

/// Copies a file, or a folder with all that is in it.
fn copy(from: &Path, to: &Path) {
    if from.is_file() {
        fs::copy(from, to).unwrap();
        return;
    }
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        copy(&entry.path(), &to.join(entry.file_name()));
    }
}

/// Lists all that is in a folder: the contents of files, and `None` for folders. A file alone has an empty name.
fn list(path: &Path) -> BTreeMap<String, Option<Vec<u8>>> {
    let mut all = BTreeMap::new();
    let mut rest = vec![(path.to_path_buf(), String::new())];
    while let Some((path, name)) = rest.pop() {
        let Ok(metadata) = fs::metadata(&path) else { continue };
        if metadata.is_dir() {
            for entry in fs::read_dir(&path).unwrap().map(Result::unwrap) {
                rest.push((entry.path(), format!("{name}/{}", entry.file_name().to_string_lossy())));
            }
        }
        all.insert(name, metadata.is_file().then(|| fs::read(&path).unwrap()));
    }
    all
}
