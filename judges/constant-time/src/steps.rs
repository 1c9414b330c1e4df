//! Runs the operations step by step under several secrets, and compares their traces.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Instant;

use rayon::prelude::*;

use crate::child;
use crate::examiner::Extent;
use crate::image::{Place, place};
use crate::planted::{HARMLESS, LEAKS};
use crate::public::PUBLIC;
use crate::table::Table;
use crate::trace::{DATA, INSTRUCTION, OPERAND};

/// The most differences that are located: each takes two more runs.
const PLACES: usize = 20;

/// The outcome of all comparisons.
pub(crate) struct Differences {
    /// Faults, one entry each.
    pub(crate) wrong: Vec<String>,
    /// The number of planted leaks that were caught.
    pub(crate) caught: usize,
}

/// The machine that runs the operations.
pub(crate) struct Machine {
    /// The table's name for it.
    pub(crate) tool: &'static str,
    /// By Rust's name.
    architecture: &'static str,
    /// This program, as it was built for the machine.
    program: PathBuf,
    /// The emulator that runs it, with arguments; empty if this machine does.
    below: Vec<String>,
    /// The seeds of the secrets, two of them at least. A branch on a bit goes the same way under `n` secrets in one of
    /// `2^(n-1)` cases.
    seeds: Range<u64>,
    /// Kernels that must be there; otherwise the examination is incomplete.
    kernels: &'static [&'static str],
}

impl Machine {
    /// This one, which takes single steps.
    pub(crate) fn this(extent: Extent) -> io::Result<Self> {
        Ok(Self {
            tool: "steps",
            architecture: std::env::consts::ARCH,
            program: std::env::current_exe()?,
            below: Vec::new(),
            seeds: if extent == Extent::Short { 1..3 } else { 1..4 },
            kernels: &[],
        })
    }

    /// An AArch64 in qemu, with the plugin that takes notes, and the folder with the C library.
    pub(crate) fn aarch64(plugin: &Path, root: &Path, program: &Path, extent: Extent) -> Self {
        let plugin = format!("file={}", plugin.display());
        Self {
            tool: "qemu",
            architecture: "aarch64",
            program: program.to_owned(),
            below: ["qemu-aarch64", "-L", &root.to_string_lossy(), "-plugin", &plugin]
                .map(str::to_owned)
                .into(),
            seeds: if extent == Extent::Short { 1..7 } else { 1..17 },
            kernels: &["neon-aes", "neon", "sliced-neon"],
        }
    }

    /// The names of all subjects of this machine.
    pub(crate) fn subjects(&self) -> io::Result<Vec<String>> {
        let output = self.run(1, &["subjects".to_owned()])?;
        Ok(output.lines().map(str::to_owned).collect())
    }

    /// Runs the operations under the secrets of a seed.
    fn watched(&self, seed: u64, tool: &str, extent: Extent, wanted: &[String]) -> io::Result<String> {
        let mut arguments = ["watched", tool, extent.name()].map(str::to_owned).to_vec();
        arguments.extend_from_slice(wanted);
        self.run(seed, &arguments)
    }

    /// Runs the program to its end and returns its output.
    fn run(&self, seed: u64, arguments: &[String]) -> io::Result<String> {
        let below: Vec<&str> = self.below.iter().map(String::as_str).collect();
        let command = child::command(&below, &self.program, arguments, child::secrets(seed)?)?;
        let (status, output) = child::run(command)?;
        if status.success() { Ok(output) } else { Err(io::Error::other(format!("{}: {status}", self.tool))) }
    }

    /// Runs the operation of a number again under two secrets, and says where it first differs.
    fn difference(
        &self,
        seeds: [u64; 2],
        extent: Extent,
        subject: &str,
        number: usize,
    ) -> io::Result<Difference> {
        let tool = format!("steps={number}");
        let (mut runs, mut loaded) = (Vec::new(), 0);
        for seed in seeds {
            let output = self.watched(seed, &tool, extent, &[subject.to_owned()])?;
            let hexadecimal = |text: &str| u64::from_str_radix(text, 16).ok();
            let begin = output.lines().find_map(|line| hexadecimal(line.strip_prefix("loaded ")?));
            loaded = begin.ok_or_else(|| io::Error::other("a program that does not say where it lies"))?;
            let entry = |line: &str| {
                let (kind, value) = line.strip_prefix("record ")?.split_once(' ')?;
                Some((kind.parse::<u64>().ok()?, hexadecimal(value)?))
            };
            runs.push(output.lines().filter_map(entry).collect::<Vec<_>>());
        }
        let nowhere = |text: &str| Ok(Difference { text: text.to_owned(), function: None });
        let place = |address: u64| place(&self.program, loaded, address);
        let Some(at) = runs[0].iter().zip(&runs[1]).position(|(a, b)| a != b) else {
            return nowhere("the number of steps depends on a secret");
        };
        let (kind, what) = (runs[0][at].0, |run: usize| runs[run][at].1);
        // A jump is before the first instruction that differs.
        let mut instructions = runs[0][..at].iter().rev().filter(|(kind, _)| *kind == INSTRUCTION);
        let Some((_, address)) = instructions.next() else {
            return nowhere("at its first instruction");
        };
        let what = match kind {
            INSTRUCTION => format!("goes on at {} or {}", place(what(0))?.text, place(what(1))?.text),
            DATA => format!("touches {:x} or {:x}", what(0), what(1)),
            OPERAND => format!("works with {:x} or {:x}, which takes time", what(0), what(1)),
            kind => return Err(io::Error::other(format!("an entry of the kind {kind}"))),
        };
        let Place { text, function } = place(*address)?;
        Ok(Difference { text: format!("the instruction {text} {what}"), function })
    }
}

/// The first difference between two runs of an operation.
struct Difference {
    text: String,
    /// The function, if it is one of the program.
    function: Option<String>,
}

impl Difference {
    /// True if the difference is public by design, during an operation. The two runs are then not compared any further.
    fn is_public(&self, operation: &str) -> bool {
        let Some(function) = &self.function else { return false };
        PUBLIC.iter().any(|entry| entry.is_during(operation) && entry.is_inside(function))
    }
}

/// An operation of a run.
struct Operation<'t> {
    subject: &'t str,
    name: &'t str,
    steps: u64,
    hash: &'t str,
}

/// Runs the subjects and the planted leaks.
///
/// The short form has all of them in one process for each secret, since an emulator takes its time to begin. The long form
/// has a process for each subject, and reports its result when it has ended.
pub(crate) fn run(
    machine: &Machine,
    extent: Extent,
    subjects: &[String],
    table: &mut Table,
) -> io::Result<Differences> {
    let planted = LEAKS.iter().chain([&HARMLESS]).map(|leak| format!("planted {}", leak.name)).collect();
    let mut groups: Vec<Vec<String>> = vec![planted];
    match extent {
        Extent::Short => groups[0].extend_from_slice(subjects),
        Extent::Long => groups.extend(subjects.iter().map(|subject| vec![subject.clone()])),
    }
    let mut comparison = Comparison { machine, extent, planted: BTreeMap::new(), wrong: Vec::new() };
    for (number, group) in groups.iter().enumerate() {
        let start = Instant::now();
        let Compared { operations, steps } = comparison.group(group, table)?;
        if let ([subject], Extent::Long) = (&group[..], extent) {
            println!(
                "{}: {number} of {}: {subject}: {operations} operations, {steps} steps, {} s",
                machine.tool,
                subjects.len(),
                start.elapsed().as_secs()
            );
        }
    }
    Ok(comparison.end(subjects))
}

/// Counts of the operations and instructions that were compared.
#[derive(Default)]
struct Compared {
    operations: u64,
    /// Instructions of all runs.
    steps: u64,
}

/// Runs under several secrets, and the results of those that have ended.
struct Comparison<'m> {
    machine: &'m Machine,
    extent: Extent,
    /// The planted leaks by name; true if the leak was caught.
    planted: BTreeMap<String, bool>,
    wrong: Vec<String>,
}

impl Comparison<'_> {
    /// Runs some subjects and compares the runs.
    fn group(&mut self, wanted: &[String], table: &mut Table) -> io::Result<Compared> {
        let (machine, extent) = (self.machine, self.extent);
        let outputs: Vec<String> = machine
            .seeds
            .clone()
            .into_par_iter()
            .map(|seed| machine.watched(seed, "steps", extent, wanted))
            .collect::<io::Result<_>>()?;
        let runs: Vec<Vec<Operation<'_>>> = outputs.iter().map(|output| operations(output)).collect();
        let mut compared = Compared::default();
        if runs.iter().any(|run| run.len() != runs[0].len()) {
            self.wrong.push(format!("the secrets decide how many operations there are in {wanted:?}"));
            return Ok(compared);
        }
        let mut begun = BTreeSet::new();
        for (number, first) in runs[0].iter().enumerate() {
            // Runs that differ from the first, one for each way that they went.
            let mut ways = BTreeSet::from([(first.steps, first.hash)]);
            let others = runs.iter().map(|run| &run[number]).zip(machine.seeds.clone());
            let others: Vec<_> = others.filter(|(it, _)| ways.insert((it.steps, it.hash))).collect();
            if let Some(leak) = first.subject.strip_prefix("planted ") {
                self.planted.insert(leak.to_owned(), !others.is_empty());
                continue;
            }
            // Its number among the operations of its subject, which is counted where there is a difference alone.
            let within = || runs[0][..number].iter().filter(|it| it.subject == first.subject).count();
            let steps = runs.iter().map(|run| run[number].steps).sum::<u64>();
            compared.operations += 1;
            compared.steps += steps;
            let row = table.row(machine.tool, first.subject);
            row.subjects += u64::from(begun.insert(first.subject));
            row.operations += 1;
            row.steps += steps;
            let mut leak = None;
            for (_, seed) in &others {
                let may_be_public = PUBLIC.iter().any(|entry| entry.is_during(first.name));
                let place = if self.wrong.len() < PLACES || may_be_public {
                    machine.difference([machine.seeds.start, *seed], extent, first.subject, within())?
                } else {
                    Difference { text: "depends on a secret, too".to_owned(), function: None }
                };
                if !place.is_public(first.name) {
                    leak = Some(place.text);
                    break;
                }
            }
            if let Some(place) = leak {
                row.differences += 1;
                self.wrong.push(format!("{}: {}: {place}", first.subject, first.name));
            } else if !others.is_empty() {
                row.public += 1;
            }
        }
        let left_out = wanted.iter().filter(|it| !it.starts_with("planted ") && !begun.contains(it.as_str()));
        self.wrong.extend(left_out.map(|subject| format!("{}: it was not run: {subject}", machine.tool)));
        Ok(compared)
    }

    /// Checks that the planted leaks were caught and that the expected kernels are there.
    fn end(self, subjects: &[String]) -> Differences {
        let Self { machine, planted, wrong, .. } = self;
        let mut found = Differences { wrong, caught: 0 };
        for leak in LEAKS.iter().filter(|leak| leak.needs.met(machine.architecture)) {
            match planted.get(leak.name) {
                Some(true) => found.caught += 1,
                _ => found
                    .wrong
                    .push(format!("{}: what was planted was not caught: {}", machine.tool, leak.name)),
            }
        }
        if found.caught < 4 {
            found.wrong.push(format!("{}: fewer than four planted leaks were caught", machine.tool));
        }
        if planted.get(HARMLESS.name) != Some(&false) {
            found.wrong.push(format!("{}: it was taken for a leak: {}", machine.tool, HARMLESS.name));
        }
        for kernel in machine.kernels {
            if !subjects.iter().any(|subject| subject.ends_with(&format!(" {kernel}"))) {
                found.wrong.push(format!("{}: the kernel {kernel} is not there", machine.tool));
            }
        }
        found
    }
}

fn operations(output: &str) -> Vec<Operation<'_>> {
    let parse = |line: &str| -> Option<Operation<'_>> {
        // The line with the lifetime of the output.
        let line = &output[line.as_ptr().addr() - output.as_ptr().addr()..][..line.len()];
        let mut fields = line.strip_prefix("step ")?.split('\t');
        Some(Operation {
            subject: fields.next()?,
            name: fields.next()?,
            steps: fields.next()?.parse().ok()?,
            hash: fields.next()?,
        })
    };
    output.lines().filter_map(parse).collect()
}
