//! Runs the operations in Valgrind's memcheck with secrets marked as undefined, and checks its findings against the list of
//! public values.

use std::collections::BTreeSet;
use std::fs::read_to_string;
use std::io;

use crate::child;
use crate::examiner::Extent;
use crate::planted::{By, HARMLESS, LEAKS};
use crate::public::{PUBLIC, matches};
use crate::table::Table;

/// The outcome of a run of memcheck.
pub(crate) struct Findings {
    /// Faults, one entry each.
    pub(crate) wrong: Vec<String>,
    /// The subjects that memcheck went through. It hides instruction sets that it does not know: AVX-512, VAES, GFNI.
    pub(crate) subjects: BTreeSet<String>,
    /// The number of planted leaks that were caught.
    pub(crate) caught: usize,
}

/// Something that memcheck has found.
struct Finding {
    kind: String,
    /// Functions, the innermost first.
    stack: Vec<String>,
}

impl Finding {
    /// The function that it is in; of one that copies or compares memory, its caller.
    fn inside(&self) -> &str {
        let of_c = ["memmove", "memcpy", "memset", "bcmp", "memcmp", "__memcpy_avx_unaligned_erms"];
        let mut functions = self.stack.iter().map(String::as_str);
        functions.find(|function| !of_c.contains(function)).unwrap_or("an unknown function")
    }
}

/// Runs memcheck over everything.
pub(crate) fn run(extent: Extent, table: &mut Table) -> io::Result<Findings> {
    let log = tempfile::NamedTempFile::new()?;
    let place = format!("--log-file={}", log.path().display());
    let below = [
        "valgrind",
        "--tool=memcheck",
        "--error-limit=no",
        "--leak-check=no",
        "--num-callers=8",
        "--demangle=yes",
        place.as_str(),
    ];
    let arguments = ["watched", "memcheck", extent.name()].map(str::to_owned);
    let (status, output) =
        child::run(child::command(&below, &std::env::current_exe()?, &arguments, child::secrets(1)?)?)?;
    let text = read_to_string(log.path())?;
    if !status.success() {
        let last: Vec<&str> = text.lines().rev().take(20).collect();
        return Err(io::Error::other(format!("memcheck: {status}\n{}", last.join("\n"))));
    }
    for line in output.lines() {
        if let Some((subject, operations)) = line.strip_prefix("end ").and_then(|line| line.split_once('\t'))
            && !subject.starts_with("planted ")
        {
            let row = table.row("memcheck", subject);
            row.subjects += 1;
            let operations = operations.split('\t').next().unwrap_or_default();
            row.operations += operations.parse::<u64>().unwrap_or(0);
        }
    }
    Ok(judge(&text, table))
}

/// Reads the log.
fn judge(text: &str, table: &mut Table) -> Findings {
    let mut found = Findings { wrong: Vec::new(), subjects: BTreeSet::new(), caught: 0 };
    let (mut planted, mut seen, mut matched) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    let mut operations: BTreeSet<&str> = BTreeSet::new();
    let mut pending: Vec<Finding> = Vec::new();
    for line in text.lines() {
        // `==123== text` of memcheck, `**123** text` of the program that it runs.
        let mark = line.get(..2).filter(|mark| ["==", "**"].contains(mark)).unwrap_or_default();
        let Some((_, line)) = line.get(2..).and_then(|rest| rest.split_once(mark)) else { continue };
        let line = line.trim();
        if let Some(subject) = line.strip_prefix("@@ subject ") {
            match subject.strip_prefix("planted ") {
                Some(leak) => planted.insert(leak.to_owned()),
                None => found.subjects.insert(subject.to_owned()),
            };
        } else if let Some(rest) = line.strip_prefix("@@ operation ") {
            let (subject, rest) = rest.split_once(": ").unwrap_or((rest, ""));
            let operation = rest.rsplit_once(": ").map_or(rest, |(operation, _)| operation);
            let findings = std::mem::take(&mut pending);
            if let Some(leak) = subject.strip_prefix("planted ") {
                seen.insert(leak.to_owned());
                continue;
            }
            let used = PUBLIC.iter().flat_map(|entry| entry.during).filter(|part| matches(part, operation));
            operations.extend(used.copied());
            // A place that was seen before is not told again, but the operation is.
            let mut leak = !PUBLIC.iter().any(|entry| entry.is_during(operation));
            for finding in findings {
                let entry = PUBLIC
                    .iter()
                    .position(|entry| entry.is_during(operation) && entry.is_inside(finding.inside()));
                match entry {
                    Some(entry) => drop(matched.insert(entry)),
                    None => {
                        leak = true;
                        let stack = finding.stack.join("\n      by ");
                        found
                            .wrong
                            .push(format!("{subject}: {operation}: {}\n      in {stack}", finding.kind));
                    }
                }
            }
            let row = table.row("memcheck", subject);
            if leak {
                row.differences += 1;
                found.wrong.push(format!("{subject}: {operation}: depends on a secret"));
            } else {
                row.public += 1;
            }
        } else if line.starts_with("Conditional jump")
            || line.starts_with("Use of")
            || line.starts_with("Syscall")
        {
            pending.push(Finding { kind: line.to_owned(), stack: Vec::new() });
        } else if let Some(function) = line.strip_prefix("at 0x").or_else(|| line.strip_prefix("by 0x"))
            && let Some((_, function)) = function.split_once(": ")
            && let Some(finding) = pending.last_mut()
        {
            let function = function.rsplit_once(" (").map_or(function, |(function, _)| function);
            finding.stack.push(function.to_owned());
        }
    }
    for finding in pending {
        found.wrong.push(format!(
            "outside of an operation: {}\n      in {}",
            finding.kind,
            finding.stack.join("\n      by ")
        ));
    }
    for leak in LEAKS.iter().filter(|leak| leak.by == By::Both && planted.contains(leak.name)) {
        if seen.contains(leak.name) {
            found.caught += 1;
        } else {
            found.wrong.push(format!("memcheck did not catch what was planted: {}", leak.name));
        }
    }
    if found.caught < 4 {
        found.wrong.push("memcheck was given fewer than four planted leaks".to_owned());
    }
    if seen.contains(HARMLESS.name) {
        found.wrong.push(format!("memcheck takes it for a leak: {}", HARMLESS.name));
    }
    for (number, entry) in PUBLIC.iter().enumerate().filter(|(number, _)| !matched.contains(number)) {
        found
            .wrong
            .push(format!("entry {number} of the list of what is public matches nothing: {}", entry.reason));
    }
    for part in PUBLIC.iter().flat_map(|entry| entry.during).filter(|part| !operations.contains(**part)) {
        found.wrong.push(format!("the list of what is public has an operation that shows nothing: {part}"));
    }
    found
}
