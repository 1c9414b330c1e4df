//! A run: all proofs on all cores, the faults, the comparison with the CPU, and a table.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::claims::Subject;
use crate::faults::{self, KINDS, Seen};
use crate::forms;
use crate::hardware::Forms;
use crate::machine::image::Image;
use crate::plan;
use crate::proof::{self, Verdict};

/// The time limit of a proof.
const LIMITS: [Duration; 2] = [Duration::from_secs(60), Duration::from_secs(900)];
/// The time limit of a proof about a planted fault that no number shows.
const FAULT_LIMIT: Duration = Duration::from_secs(10);
/// Faults of a kind that are tried until one is not harmless.
const FAULTS: usize = 4;
/// The stack of a thread: values of names go as deep as a cipher has rounds, times its gates.
const STACK: usize = 1 << 30;

/// The cipher, the kernel and the mode of a line of the table.
type Row = (String, String, String);

/// Proofs and faults of a cipher at a kernel in a mode.
#[derive(Default)]
struct Entry {
    lengths: Vec<usize>,
    proved: usize,
    time: Duration,
    steps: usize,
    shown: usize,
    stopped: usize,
    no_proof: usize,
    harmless: usize,
}

/// All that a run finds.
#[derive(Default)]
struct Findings {
    table: BTreeMap<Row, Entry>,
    forms: Forms,
    failures: Vec<String>,
}

/// All that threads share.
struct Run<'r> {
    library: &'r Path,
    bytes: &'r [u8],
    image: &'r Image,
    folder: &'r Path,
    choice: Choice<'r>,
    findings: Mutex<Findings>,
}

/// The proofs that are asked for.
#[derive(Clone, Copy)]
pub(crate) struct Choice<'c> {
    /// All kernels, modes and lengths.
    pub(crate) long: bool,
    /// A line for each proof, when it ends.
    pub(crate) show: bool,
    /// Only the claims whose titles hold this.
    pub(crate) only: &'c str,
}

/// Proves everything of which the title contains a text, and prints the results. True if all is proved.
pub(crate) fn all(library: &Path, folder: &Path, choice: Choice<'_>) -> Result<bool, String> {
    let bytes = std::fs::read(library).map_err(|error| format!("{}: {error}", library.display()))?;
    let image = Image::parse(&bytes)?;
    let start = Instant::now();
    let subjects: Vec<Subject> = plan::subjects(&image, choice.long)
        .into_iter()
        .filter(|it| it.title().contains(choice.only))
        .collect();
    if subjects.is_empty() {
        return Err(format!("nothing to prove is called {:?}", choice.only));
    }
    println!("{} claims", subjects.len());
    let run = Run { library, bytes: &bytes, image: &image, folder, choice, findings: Mutex::default() };
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    // The second subject of a row has its faults planted, or the only one: beyond a group, and quick.
    let begins = |i: usize| i == 0 || subjects.get(i).is_none_or(|it| row(it) != row(&subjects[i - 1]));
    let planted = |i: usize| if begins(i) { begins(i + 1) } else { begins(i - 1) };
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let work = || {
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    let Some(subject) = subjects.get(i) else { break };
                    run.one(subject, planted(i));
                }
            };
            let builder = std::thread::Builder::new().stack_size(STACK);
            builder.spawn_scoped(scope, work).expect("a thread");
        }
    });
    let findings = run.findings.into_inner().map_err(|_| "a thread ended early")?;
    report(findings, &image, subjects.len(), start)
}

fn row(subject: &Subject) -> Row {
    (subject.cipher.to_owned(), subject.kernel.clone(), subject.mode.name())
}

impl Run<'_> {
    /// Proves one claim, and plants faults if it is asked to.
    fn one(&self, subject: &Subject, with_faults: bool) {
        let Self { library, image, .. } = *self;
        let long = self.choice.long;
        let limit = LIMITS[usize::from(long)];
        let (tried, claim) = proof::prove(image, limit, || subject.claim(image));
        if self.choice.show {
            eprintln!("{:.1} s, {}", tried.time.as_secs_f64(), subject.title());
        }
        let failure = match &tried.verdict {
            Verdict::Proved => proof::sample(library, &claim, 1).err(),
            Verdict::Different(witness) => {
                let really = match proof::confirm(library, witness) {
                    Ok(true) => "the library gives a wrong result for it".to_owned(),
                    Ok(false) => {
                        "the library gives the right result for it, so this judge is wrong".to_owned()
                    }
                    Err(reason) => reason,
                };
                let bit = witness.bit;
                Some(format!("DIFFERENT in bit {bit}; {really}:\n{}", witness.script.to_text()))
            }
            Verdict::NotProved(reason) => Some(format!("NOT PROVED: {reason}")),
            Verdict::Refused(reason) => Some(format!("NOT PROVED: it {reason}")),
            Verdict::Exhausted => Some(format!(
                "NOT PROVED within its time and memory; the first names that the code does not reach are of {}",
                forms::first_not_reached().unwrap_or_else(|| "nothing".to_owned())
            )),
        };
        let mut seen = Vec::new();
        let mut failures: Vec<String> = failure.into_iter().collect();
        if with_faults && failures.is_empty() {
            // Each kind in the long form, and one of them, by turns, in the short form.
            let turn = subject.title().bytes().map(usize::from).sum::<usize>();
            for i in 0..if long { KINDS.len() } else { 1 } {
                match self.until_seen(subject, &tried, turn + i) {
                    Ok(tries) => seen.extend(tries),
                    Err(reason) => failures.push(reason),
                }
            }
        }
        let mut findings = self.findings.lock().expect("no panic");
        findings.forms.add(tried.machine.seen.values());
        let entry = findings.table.entry(row(subject)).or_default();
        entry.lengths.push(subject.len);
        entry.proved += usize::from(matches!(tried.verdict, Verdict::Proved));
        entry.time += tried.time;
        entry.steps += tried.machine.steps - tried.before;
        for seen in seen {
            match seen {
                Seen::Shown => entry.shown += 1,
                Seen::Stopped => entry.stopped += 1,
                Seen::NoProof => entry.no_proof += 1,
                Seen::Harmless => entry.harmless += 1,
                Seen::Contradicted(reason) => failures.push(format!("a planted fault: {reason}")),
            }
        }
        for failure in failures {
            let failure = format!("{}: {failure}", subject.title());
            // At once, for those who wait, and again at the end.
            eprintln!("FAILED {failure}");
            findings.failures.push(failure);
        }
    }

    /// Plants faults until one is seen. Code that the length does not need may be changed without harm.
    fn until_seen(
        &self,
        subject: &Subject,
        tried: &proof::Tried<'_>,
        turn: usize,
    ) -> Result<Vec<Seen>, String> {
        let mut tries = Vec::new();
        for i in 0..KINDS.len() {
            let kind = KINDS[(turn + i) % KINDS.len()];
            let possible = faults::possible(self.image, &tried.machine, tried.on_data_before, kind);
            // From the middle on, where the rounds are.
            let step = (possible.len() / (2 * FAULTS)).max(1);
            let chosen = possible.iter().skip(possible.len() / 2).step_by(step).take(FAULTS);
            for fault in chosen {
                let seen = faults::plant(self.bytes, self.image, self.folder, subject, FAULT_LIMIT, fault)?;
                let harmless = seen == Seen::Harmless;
                tries.push(seen);
                if !harmless {
                    return Ok(tries);
                }
            }
        }
        Err("no planted fault is seen".to_owned())
    }
}

fn report(findings: Findings, image: &Image, subjects: usize, start: Instant) -> Result<bool, String> {
    let Findings { table, forms, mut failures } = findings;
    println!(
        "cipher, kernel, mode | bytes of a message | proofs | s | instructions | faults shown, stopped, no proof, harmless"
    );
    for ((cipher, kernel, mode), entry) in &table {
        let mut lengths = entry.lengths.clone();
        lengths.sort_unstable();
        lengths.dedup();
        println!(
            "{cipher} {kernel} {mode} | {} | {} of {} | {:.1} | {} | {}, {}, {}, {}",
            ranges(&lengths),
            entry.proved,
            entry.lengths.len(),
            entry.time.as_secs_f64(),
            entry.steps,
            entry.shown,
            entry.stopped,
            entry.no_proof,
            entry.harmless,
        );
    }
    let proofs = start.elapsed();
    let compared = forms.compare(image)?;
    println!("\n{} forms of instructions agree with this CPU", compared.agree);
    for (what, forms) in
        [("this CPU does not have", compared.untested), ("no state was found for", compared.never)]
    {
        if !forms.is_empty() {
            println!("UNTESTED, {} forms that {what}: {}", forms.len(), forms.join("; "));
        }
    }
    failures.extend(compared.wrong.into_iter().map(|it| format!("a meaning is wrong: {it}")));
    let proved: usize = table.values().map(|entry| entry.proved).sum();
    println!(
        "{proved} of {subjects} claims proved, {:.0} s for the proofs and faults, {:.0} s in all",
        proofs.as_secs_f64(),
        start.elapsed().as_secs_f64()
    );
    for failure in &failures {
        println!("FAILED {failure}");
    }
    Ok(failures.is_empty() && proved == subjects)
}

/// Lengths in few words: neighbours of the same distance together.
fn ranges(lengths: &[usize]) -> String {
    match lengths {
        [first, .., last] if lengths.len() > 12 => {
            format!("{} lengths from {first} to {last}", lengths.len())
        }
        _ => lengths.iter().map(usize::to_string).collect::<Vec<_>>().join(" "),
    }
}
