//! Runs the operations step by step under several secrets, and compares what they go through.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use object::{Object as _, ObjectSymbol as _};

use crate::child;
use crate::examiner::Extent;
use crate::planted::{HARMLESS, LEAKS};
use crate::stepper::{DATA, INSTRUCTION};
use crate::table::Table;

/// What came of it.
pub(crate) struct Differences {
    /// What is wrong, each with a line of its own.
    pub(crate) wrong: Vec<String>,
    /// How many planted leaks were caught.
    pub(crate) caught: usize,
}

/// An operation of a run.
struct Operation<'t> {
    subject: &'t str,
    name: &'t str,
    steps: u64,
    hash: &'t str,
}

/// Runs the subjects of the names, all if there are none, and the planted leaks.
pub(crate) fn run(extent: Extent, subjects: &BTreeSet<String>, table: &mut Table) -> io::Result<Differences> {
    // Two secrets tell nearly everything apart that depends on one; more are for what does so seldom.
    let seeds: &[u64] = if extent == Extent::Short { &[1, 2] } else { &[1, 2, 3] };
    let mut wanted: Vec<String> = subjects.iter().cloned().collect();
    if !wanted.is_empty() {
        let planted = LEAKS.iter().chain([&HARMLESS]).map(|leak| format!("planted {}", leak.name));
        wanted.extend(planted);
    }
    let outputs: Vec<String> =
        seeds.iter().map(|seed| watched(*seed, "steps", extent, &wanted)).collect::<io::Result<_>>()?;
    let runs: Vec<Vec<Operation<'_>>> = outputs.iter().map(|output| operations(output)).collect();
    let mut found = Differences { wrong: Vec::new(), caught: 0 };
    if runs.iter().any(|run| run.len() != runs[0].len()) {
        found.wrong.push("the secrets decide how many operations there are".to_owned());
        return Ok(found);
    }
    let mut planted = BTreeMap::new();
    let mut begun = BTreeSet::new();
    for (number, first) in runs[0].iter().enumerate() {
        let others = runs[1..].iter().map(|run| &run[number]);
        let other = others.clone().position(|other| (other.steps, other.hash) != (first.steps, first.hash));
        if let Some(leak) = first.subject.strip_prefix("planted ") {
            planted.insert(leak, other.is_some());
            continue;
        }
        let row = table.row("steps", first.subject);
        row.subjects += u64::from(begun.insert(first.subject));
        row.operations += 1;
        row.steps += first.steps + others.map(|other| other.steps).sum::<u64>();
        if let Some(other) = other {
            row.differences += 1;
            let within = runs[0][..number].iter().filter(|it| it.subject == first.subject).count();
            let place = difference([seeds[0], seeds[1 + other]], extent, first.subject, within)?;
            found.wrong.push(format!("{}: {}: {place}", first.subject, first.name));
        }
    }
    for leak in LEAKS.iter().filter(|leak| (leak.runs)()) {
        match planted.get(leak.name) {
            Some(true) => found.caught += 1,
            _ => found.wrong.push(format!("the steps did not catch what was planted: {}", leak.name)),
        }
    }
    if planted.get(HARMLESS.name) != Some(&false) {
        found.wrong.push(format!("the steps take it for a leak: {}", HARMLESS.name));
    }
    Ok(found)
}

/// Runs the operations under the secrets of a seed.
fn watched(seed: u64, tool: &str, extent: Extent, wanted: &[String]) -> io::Result<String> {
    let mut arguments = ["watched", tool, extent.name()].map(str::to_owned).to_vec();
    arguments.extend_from_slice(wanted);
    let (status, output) = child::run(child::command(&[], &arguments, child::secrets(seed)?)?)?;
    if status.success() { Ok(output) } else { Err(io::Error::other(format!("steps: {status}"))) }
}

fn operations(output: &str) -> Vec<Operation<'_>> {
    let parse = |line: &str| -> Option<Operation<'_>> {
        // Of the same life as the output.
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

/// Runs the operation of a number again under two secrets, and says where it first differs.
fn difference(seeds: [u64; 2], extent: Extent, subject: &str, number: usize) -> io::Result<String> {
    let tool = format!("steps={number}");
    let mut runs = Vec::new();
    for seed in seeds {
        let output = watched(seed, &tool, extent, &[subject.to_owned()])?;
        let entry = |line: &str| {
            let (kind, value) = line.strip_prefix("record ")?.split_once(' ')?;
            Some((kind.parse::<u64>().ok()?, u64::from_str_radix(value, 16).ok()?))
        };
        runs.push(output.lines().filter_map(entry).collect::<Vec<_>>());
    }
    let Some(at) = runs[0].iter().zip(&runs[1]).position(|(a, b)| a != b) else {
        return Ok("the number of steps depends on a secret".to_owned());
    };
    let (kind, what) = (runs[0][at].0, |run: usize| runs[run][at].1);
    // A jump is before the first instruction that differs.
    let instructions = runs[0][..at].iter().rev().filter(|(kind, _)| *kind == INSTRUCTION);
    let Some((_, place)) = instructions.clone().next() else {
        return Ok("at its first instruction".to_owned());
    };
    let what = match kind {
        INSTRUCTION => format!("goes on at {} or {}", symbol(what(0))?, symbol(what(1))?),
        DATA => format!("touches {:x} or {:x}", what(0), what(1)),
        _ => format!("works with {:x} or {:x}, which takes time", what(0), what(1)),
    };
    Ok(format!("the instruction {} {what}", symbol(*place)?))
}

/// The function that an address of this program is in. Without random addresses, Linux puts it here.
fn symbol(address: u64) -> io::Result<String> {
    const BASE: u64 = 0x5555_5555_4000;
    let bytes = std::fs::read(std::env::current_exe()?)?;
    let file = object::File::parse(&*bytes).map_err(io::Error::other)?;
    let offset = address.wrapping_sub(BASE);
    let within = file.symbols().find(|symbol| {
        symbol.size() > 0 && (symbol.address()..symbol.address() + symbol.size()).contains(&offset)
    });
    Ok(match within.and_then(|symbol| Some((symbol.address(), symbol.name().ok()?.to_owned()))) {
        Some((start, name)) => {
            format!("{offset:#x} ({:#} + {:#x})", rustc_demangle::demangle(&name), offset - start)
        }
        None => format!("{address:#x}"),
    })
}
