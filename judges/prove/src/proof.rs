//! A proof: a script, run on symbols, and what its outputs have to be.

use std::hash::Hasher as _;
use std::path::Path;
use std::time::Duration;

use crate::forms::{self, Bit, Values, Word, begin, exhausted, show};
use crate::machine::image::Image;
use crate::machine::{Failure, Machine};
use crate::native::thread_time;
use crate::script::Script;

/// Assignments that are tried to tell forms apart.
const TRIED: u64 = 8;

/// The claim: after the calls the buffers hold these.
pub(crate) struct Claim {
    /// The calls. The last one is the one under examination; those before it prepare its key.
    pub(crate) script: Script,
    /// The numbers of buffers, and what they have to hold.
    pub(crate) outputs: Vec<(usize, Word)>,
    /// True if tables of AES are kept closed.
    pub(crate) closed: bool,
}

/// The outcome of a proof.
#[derive(Debug)]
pub(crate) enum Verdict {
    /// Equal for every value of every variable.
    Proved,
    /// An input for which the outputs differ.
    Different(Witness),
    /// The forms differ, and their values agree wherever they were compared.
    NotProved(String),
    /// The code does what it must not, such as an access beside a buffer, or what nobody here knows.
    Refused(String),
    /// There was not enough time or memory.
    Exhausted,
}

/// An input that shows a difference.
#[derive(Debug)]
pub(crate) struct Witness {
    /// The calls, on numbers.
    pub(crate) script: Script,
    /// The contents that the first buffer that differs has to have.
    pub(crate) expected: Vec<u8>,
    /// The number of that buffer.
    pub(crate) buffer: usize,
    /// The first bit that differs.
    pub(crate) bit: usize,
}

/// A proof that was tried.
pub(crate) struct Tried<'i> {
    pub(crate) verdict: Verdict,
    /// CPU time.
    pub(crate) time: Duration,
    /// The machine after the last call.
    pub(crate) machine: Machine<'i>,
    /// The instructions before the last call.
    pub(crate) before: usize,
    /// The place in the list of instructions on data at which the last call begins.
    pub(crate) on_data_before: usize,
}

/// Makes a claim and tries to prove it.
pub(crate) fn prove<'i>(
    image: &'i Image,
    limit: Duration,
    claim: impl FnOnce() -> Claim,
) -> (Tried<'i>, Claim) {
    begin(limit);
    attempt(image, claim)
}

/// Makes the calls of a claim on random numbers alone. It cannot be proved so, but it takes no time to be refuted.
pub(crate) fn refute(image: &Image, seed: u64, limit: Duration, claim: impl FnOnce() -> Claim) -> Verdict {
    forms::begin_with_numbers(seed, limit);
    match attempt(image, claim).0.verdict {
        Verdict::Proved => Verdict::NotProved("it was not refuted".to_owned()),
        verdict => verdict,
    }
}

/// A claim after its calls were made on a machine.
pub(crate) struct Made<'i> {
    pub(crate) claim: Claim,
    pub(crate) machine: Machine<'i>,
    /// The instructions before the last call.
    pub(crate) before: usize,
    /// The place in the list of instructions on data at which the last call begins.
    pub(crate) on_data_before: usize,
    /// The reason why the calls came to no end.
    pub(crate) outcome: Result<(), Failure>,
}

/// Makes a claim and its calls.
pub(crate) fn make<'i>(image: &'i Image, claim: impl FnOnce() -> Claim) -> Made<'i> {
    let claim = claim();
    forms::forget_reached();
    let mut machine = claim.script.machine(image, claim.closed);
    let (mut before, mut on_data_before) = (0, 0);
    let mut outcome = Ok(());
    for call in 0..claim.script.calls.len() {
        (before, on_data_before) = (machine.steps, machine.on_data.len());
        outcome = claim.script.step(&mut machine, image, call);
        if outcome.is_err() {
            break;
        }
    }
    Made { claim, machine, before, on_data_before, outcome }
}

fn attempt<'i>(image: &'i Image, claim: impl FnOnce() -> Claim) -> (Tried<'i>, Claim) {
    let start = thread_time();
    let Made { claim, machine, before, on_data_before, outcome } = make(image, claim);
    let verdict = judge(&machine, &claim, outcome);
    (Tried { verdict, time: thread_time() - start, machine, before, on_data_before }, claim)
}

fn judge(machine: &Machine<'_>, claim: &Claim, outcome: Result<(), Failure>) -> Verdict {
    if exhausted() {
        return Verdict::Exhausted;
    }
    if let Err(Failure(reason)) = outcome {
        return Verdict::Refused(reason);
    }
    for (buffer, expected) in &claim.outputs {
        let found = claim.script.contents(machine, *buffer);
        if found != *expected {
            return tell_apart(claim, *buffer, &found, expected);
        }
    }
    // Nothing may have run out while the outputs were compared, and no buffer may be empty by mistake.
    if exhausted() { Verdict::Exhausted } else { Verdict::Proved }
}

/// Looks for an input that shows a difference.
fn tell_apart(claim: &Claim, buffer: usize, found: &[Bit], expected: &[Bit]) -> Verdict {
    // Random inputs do not keep to assumptions.
    let tried = if forms::has_assumptions() { 0 } else { TRIED };
    let differ: Vec<usize> = (0..expected.len()).filter(|i| found.get(*i) != expected.get(*i)).collect();
    for seed in 1..=tried {
        let mut values = Values::random(seed);
        if let Some(bit) = differ.iter().find(|bit| values.bit(found[**bit]) != values.bit(expected[**bit])) {
            return Verdict::Different(Witness {
                script: claim.script.with_values(&mut values),
                expected: values.bytes(expected),
                buffer,
                bit: *bit,
            });
        }
    }
    if exhausted() {
        return Verdict::Exhausted;
    }
    let first = differ[0];
    Verdict::NotProved(format!(
        "{} of {} bits of {} have another form, and the same value in {tried} cases; bit {first} is off by {}; \
         the first names that the code does not reach are of {}",
        differ.len(),
        expected.len(),
        claim.script.buffers[buffer].name,
        show(forms::xor(found[first], expected[first])),
        forms::first_not_reached().unwrap_or_else(|| "nothing".to_owned()),
    ))
}

/// The status of a kernel that the CPU at hand cannot run.
const UNKNOWN_KERNEL: &str = "106";

/// Runs a script of numbers in a process of its own, on the real library, and returns what the buffers hold. None if this CPU does not
/// have the kernel.
fn on_the_library(library: &Path, script: &Script) -> Result<Option<Vec<Vec<u8>>>, String> {
    use std::io::Write as _;
    use std::process::{Command, Stdio};
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut child = Command::new(program)
        .arg("--run")
        .arg(library)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| error.to_string())?;
    let text = script.to_text();
    if let Some(mut input) = child.stdin.take() {
        input.write_all(text.as_bytes()).map_err(|error| error.to_string())?;
    }
    let output = child.wait_with_output().map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(format!("the library ends its process: {}", output.status));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let mut lines = text.lines();
    let statuses = lines.next().unwrap_or_default();
    match statuses.split(' ').find(|status| *status != "0") {
        Some(UNKNOWN_KERNEL) => return Ok(None),
        Some(_) => return Err(format!("the library returns {statuses}")),
        None => {}
    }
    let line = |line: &str| {
        let digits = line.as_bytes().chunks(2);
        digits.map(|it| u8::from_str_radix(&String::from_utf8_lossy(it), 16).unwrap_or_default()).collect()
    };
    Ok(Some(lines.map(line).collect()))
}

/// True if the real library, too, has a wrong output for the input. None if this CPU cannot run it.
pub(crate) fn confirm(library: &Path, witness: &Witness) -> Result<Option<bool>, String> {
    let buffers = on_the_library(library, &witness.script)?;
    Ok(buffers.map(|buffers| buffers.get(witness.buffer) != Some(&witness.expected)))
}

/// Makes the calls of a proved claim on numbers, on the real library, and compares: a check of all that is trusted. False if this CPU
/// cannot run them.
pub(crate) fn sample(library: &Path, claim: &Claim, seed: u64) -> Result<bool, String> {
    let mut values = Values::random(seed);
    let script = claim.script.with_values(&mut values);
    let Some(buffers) = on_the_library(library, &script)? else { return Ok(false) };
    for (buffer, expected) in &claim.outputs {
        if buffers.get(*buffer) != Some(&values.bytes(expected)) {
            return Err(format!(
                "the library writes another {} than was proved",
                claim.script.buffers[*buffer].name
            ));
        }
    }
    Ok(true)
}

/// The key of a claim among the results that are kept: all that decides about its proof. The calls are made on numbers, which takes no
/// time, and take the one line of instructions that there is.
pub(crate) fn key(
    image: &Image,
    limit: Duration,
    claim: impl FnOnce() -> Claim,
) -> Option<(u64, Machine<'_>)> {
    forms::begin_with_numbers(1, limit);
    let made = make(image, claim);
    made.outcome.ok()?;
    Some((made.machine.trace.finish(), made.machine))
}
