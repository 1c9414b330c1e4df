//! Remains of keys and messages in the memory of a program after all of them are dropped.
//!
//! The program runs four times, twice under each of two sets of secrets, and stops after each subject. A byte that is the
//! same under the same secrets and differs between the two depends on a secret: it is a part of a key, of a round key, of
//! anything derived from one, or of a message. No list of secrets to look for is needed.
//!
//! In the unused part of the stack such bytes were put there by the compiler: they are counted. Anywhere else they are an
//! error.

#![allow(unsafe_code, reason = "a signal lets a process go on")]

use std::fs::read_to_string;
use std::io::{self, Read as _};
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::child;
use crate::examiner::Extent;
use crate::memory::{self, Piece};
use crate::planted::RESIDUES;

/// The time limit between two stops.
const LIMIT: Duration = Duration::from_secs(600);

/// The remains after a subject.
struct Left {
    subject: String,
    /// Bytes of the free stack.
    stack: usize,
    /// Bytes of the free stack that are parts of a key or message, unchanged.
    verbatim: usize,
    /// Bytes elsewhere, with the first place.
    elsewhere: Option<(usize, String)>,
}

/// Runs all operations, and returns the errors found.
pub(crate) fn run(extent: Extent) -> io::Result<Vec<String>> {
    let mut runs = Vec::new();
    for seed in [1, 1, 2, 2] {
        let arguments = ["watched", "residue", extent.name()].map(str::to_owned);
        let mut command = child::command(&[], &std::env::current_exe()?, &arguments, child::secrets(seed)?)?;
        runs.push(Run(command.stdout(Stdio::piped()).spawn()?));
    }
    let mut secrets = Vec::new();
    child::secrets(1)?.read_to_end(&mut secrets)?;
    let words = secrets.windows(8).step_by(1).map(|word| word.try_into().unwrap_or_default());
    let words: std::collections::HashSet<[u8; 8]> = words.collect();

    let mut wrong = Vec::new();
    let (mut caught, mut table) = (0, Vec::new());
    while let Some(left) = next(&mut runs, &words)? {
        match (left.subject.strip_prefix("planted "), left.elsewhere) {
            (Some(name), found) => match (RESIDUES.iter().any(|(planted, _)| *planted == name), found) {
                (true, Some(_)) => caught += 1,
                (true, None) => wrong.push(format!("the residue that was planted was not found: {name}")),
                (false, Some((count, place))) => wrong.push(format!("{name}: {count} bytes, {place}")),
                (false, None) => {}
            },
            (None, found) => {
                table.push((left.subject.clone(), left.stack, left.verbatim));
                if let Some((count, place)) = found {
                    wrong.push(format!(
                        "{}: {count} bytes that depend on a secret are left, {place}",
                        left.subject
                    ));
                }
            }
        }
    }
    if caught != RESIDUES.len() || table.is_empty() {
        wrong.push(format!(
            "{caught} of {} planted residues were found, {} subjects",
            RESIDUES.len(),
            table.len()
        ));
    }
    println!("{caught} planted residues found");
    println!("SUBJECT                             FREE STACK   OF KEYS AND MESSAGES   ELSEWHERE");
    for (subject, stack, verbatim) in &table {
        println!(
            "{subject:36}{stack:>10}{verbatim:>23}{:>12}",
            wrong.iter().filter(|it| it.starts_with(subject)).count()
        );
    }
    Ok(wrong)
}

/// A process that is ended in any case.
struct Run(Child);

impl Drop for Run {
    fn drop(&mut self) {
        child::end(&mut self.0);
    }
}

impl Run {
    /// Waits until it has stopped, and gives the line that it wrote; nothing if it has ended.
    fn next(&mut self) -> io::Result<Option<String>> {
        let start = Instant::now();
        loop {
            if let Some(status) = self.0.try_wait()? {
                return if status.success() {
                    Ok(None)
                } else {
                    Err(io::Error::other(format!("residue: {status}")))
                };
            }
            let stat = read_to_string(format!("/proc/{}/stat", self.0.id()))?;
            if stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('T')) {
                break;
            }
            if start.elapsed() > LIMIT {
                return Err(io::Error::other("a process neither stops nor ends"));
            }
            sleep(Duration::from_millis(1));
        }
        // One line was written before the process stopped, in one piece that fits into a pipe.
        let mut bytes = [0; 4096];
        let output = self.0.stdout.as_mut().ok_or_else(|| io::Error::other("no standard output"))?;
        let len = output.read(&mut bytes)?;
        Ok(Some(String::from_utf8_lossy(&bytes[..len]).trim().to_owned()))
    }

    fn go_on(&self) {
        // SAFETY: a signal to a child that is waited for and has stopped.
        unsafe { libc::kill(self.0.id().cast_signed(), libc::SIGCONT) };
    }
}

/// Returns the remains at the next stop of the runs, or `None` if they have ended.
fn next(runs: &mut [Run], secrets: &std::collections::HashSet<[u8; 8]>) -> io::Result<Option<Left>> {
    let lines: Vec<Option<String>> = runs.iter_mut().map(Run::next).collect::<io::Result<_>>()?;
    let Some(line) = lines[0].clone() else { return Ok(None) };
    if lines.iter().any(|other| other.as_ref() != Some(&line)) {
        return Err(io::Error::other("the runs are not at the same place"));
    }
    let mut fields = line.strip_prefix("end ").unwrap_or(&line).split('\t');
    let subject = fields.next().unwrap_or_default().to_owned();
    let stack = fields.nth(1).and_then(|text| u64::from_str_radix(text, 16).ok()).unwrap_or(0);
    let images: Vec<Vec<Piece>> = runs.iter().map(|run| memory::of(run.0.id())).collect::<io::Result<_>>()?;
    let mut left = Left { subject, stack: 0, verbatim: 0, elsewhere: None };
    for (number, piece) in images[0].iter().enumerate() {
        let others: Vec<&Piece> = images[1..].iter().filter_map(|image| image.get(number)).collect();
        let [again, other, other_again] = others[..] else {
            return Err(io::Error::other("the runs differ in their memory"));
        };
        let same = |other: &&Piece| (other.start, other.bytes.len()) == (piece.start, piece.bytes.len());
        if ![again, other, other_again].iter().all(same) {
            return Err(io::Error::other("the runs differ in their memory"));
        }
        let depends = |at: usize| {
            let (one, two) = (piece.bytes[at], other.bytes[at]);
            one != two && one == again.bytes[at] && two == other_again.bytes[at]
        };
        // A single byte may be one of the clock's that happens to be the same twice.
        let of_several =
            |at: usize| (at..(at + 4).min(piece.bytes.len())).filter(|at| depends(*at)).count() >= 3;
        for at in (0..piece.bytes.len()).filter(|at| depends(*at) && of_several(*at)) {
            let address = piece.start + at as u64;
            if piece.name == "[stack]" && address < stack {
                left.stack += 1;
                let word = piece.bytes[at..].first_chunk::<8>();
                left.verbatim += usize::from(word.is_some_and(|word| secrets.contains(word)));
            } else {
                let name = if piece.name.is_empty() { "memory without a name" } else { &piece.name };
                let found =
                    left.elsewhere.get_or_insert_with(|| (0, format!("the first at {address:x}, {name}")));
                found.0 += 1;
            }
        }
    }
    runs.iter().for_each(Run::go_on);
    Ok(Some(left))
}
