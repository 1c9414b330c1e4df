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
use crate::kept::{self, Kept, Proved};
use crate::machine::Machine;
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

/// The outcomes of planted faults that are counted, in the order of the table.
const COUNTED: [Seen; kept::OUTCOMES] =
    [Seen::Shown, Seen::NotRun, Seen::Stopped, Seen::NoProof, Seen::Harmless];
/// Planted faults that a run of all claims has to see, at least.
const FAULTS_SEEN: usize = 40;
/// Random numbers on which code is tried that is not proved.
const NUMBERS: u64 = 4;

/// The cipher, the kernel and the mode of a line of the table.
type Row = (String, String, String);

/// Proofs and faults of a cipher at a kernel in a mode.
#[derive(Default)]
struct Entry {
    lengths: Vec<usize>,
    all: Proved,
}

/// All that a run finds.
#[derive(Default)]
struct Findings {
    table: BTreeMap<Row, Entry>,
    forms: Forms,
    failures: Vec<String>,
    /// Claims that were known from a run before.
    known: usize,
}

/// All that threads share.
struct Run<'r> {
    library: &'r Path,
    bytes: &'r [u8],
    image: &'r Image,
    folder: &'r Path,
    choice: Choice<'r>,
    /// In the long form.
    kept: Option<Kept>,
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
    let kept = choice.long.then(|| Kept::open(folder)).transpose()?;
    let run = Run { library, bytes: &bytes, image: &image, folder, choice, kept, findings: Mutex::default() };
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
    report(findings, &image, subjects.len(), choice.only, start)
}

fn row(subject: &Subject) -> Row {
    let batch = if subject.packets.is_some() { ", packets" } else { "" };
    (subject.cipher.to_owned(), subject.kernel.clone(), subject.mode.name() + batch)
}

impl Run<'_> {
    /// Proves one claim, and plants faults if it is asked to; or finds it among the results that are kept.
    fn one(&self, subject: &Subject, with_faults: bool) {
        let title = subject.title();
        let limit = LIMITS[usize::from(self.choice.long)];
        let key = self.kept.as_ref().and_then(|kept| {
            let (trace, machine) = proof::key(self.image, limit, || subject.claim(self.image))?;
            Some((kept, kept.key(&title, trace, with_faults), machine))
        });
        if let Some((kept, key, machine)) = &key
            && let Some(proved) = kept.known(*key)
        {
            let mut findings = self.findings.lock().expect("no panic");
            findings.known += 1;
            return findings.add(subject, machine, proved, Vec::new());
        }
        let (proved, machine, mut failures) = self.prove(subject, limit, with_faults);
        if self.choice.show {
            eprintln!("{:.1} s, {title}", proved.time.as_secs_f64());
        }
        if let Some((kept, key, _)) = key
            && failures.is_empty()
        {
            failures.extend(kept.keep(key, &proved).err());
        }
        self.findings.lock().expect("no panic").add(subject, &machine, &proved, failures);
    }

    /// Proves one claim, and returns what was found with the machine and with all that failed.
    fn prove(
        &self,
        subject: &Subject,
        limit: Duration,
        with_faults: bool,
    ) -> (Proved, Machine<'_>, Vec<String>) {
        let Self { library, image, .. } = *self;
        let (mut tried, claim) = proof::prove(image, limit, || subject.claim(image));
        let mut proved =
            Proved { time: tried.time, steps: tried.machine.steps - tried.before, ..Proved::default() };
        let mut failures = Vec::new();
        let sampled = match tried.verdict {
            Verdict::Proved if forms::has_assumptions() => {
                forms::begin_with_numbers(1, limit);
                Some(proof::sample(library, &subject.claim(image), 1))
            }
            Verdict::Proved => Some(proof::sample(library, &claim, 1)),
            _ => None,
        };
        match sampled {
            Some(Ok(run)) => proved.proofs = [1, usize::from(run)],
            Some(Err(reason)) => failures.push(reason),
            None => {}
        }
        if let Verdict::NotProved(reason) = &tried.verdict
            && forms::has_assumptions()
        {
            // Random inputs beside the assumption show it as well.
            let refuted =
                (1..=NUMBERS).map(|seed| proof::refute(image, seed, limit, || subject.claim(image)));
            let mut refuted = refuted.filter(|it| matches!(it, Verdict::Different(_)));
            tried.verdict = refuted.next().unwrap_or_else(|| Verdict::NotProved(reason.clone()));
        }
        failures.extend(self.failure(&tried.verdict));
        if with_faults && failures.is_empty() {
            // Each kind in the long form. In the short form one of them by turns, but not the last, which is often harmless.
            let turn = subject.title().bytes().map(usize::from).sum::<usize>() % (KINDS.len() - 1);
            for i in 0..if self.choice.long { KINDS.len() } else { 1 } {
                match self.until_seen(subject, &tried, turn + i) {
                    Ok(tries) => tries.iter().for_each(|(kind, seen)| match seen {
                        Seen::Contradicted(reason) => failures.push(format!("a planted fault: {reason}")),
                        counted => {
                            let outcome = COUNTED.iter().position(|it| it == counted);
                            proved.faults[*kind][outcome.expect("all others are counted")] += 1;
                        }
                    }),
                    Err(reason) => failures.push(reason),
                }
            }
        }
        (proved, tried.machine, failures)
    }

    /// Says what a verdict fails for, if it does.
    fn failure(&self, verdict: &Verdict) -> Option<String> {
        Some(match verdict {
            Verdict::Proved => return None,
            Verdict::Different(witness) => {
                let really = match proof::confirm(self.library, witness) {
                    Ok(Some(true)) => "the library gives a wrong result for it".to_owned(),
                    Ok(Some(false)) => {
                        "the library gives the right result for it, by registers that happen to be right, or this judge is wrong"
                            .to_owned()
                    }
                    Ok(None) => "this CPU does not have the kernel".to_owned(),
                    Err(reason) => reason,
                };
                let bit = witness.bit;
                format!("DIFFERENT in bit {bit}; {really}:\n{}", witness.script.to_text())
            }
            Verdict::NotProved(reason) => format!("NOT PROVED: {reason}"),
            Verdict::Refused(reason) => format!("NOT PROVED: it {reason}"),
            Verdict::Exhausted => format!(
                "NOT PROVED within its time and memory; the first names that the code does not reach are of {}",
                forms::first_not_reached().unwrap_or_else(|| "nothing".to_owned())
            ),
        })
    }

    /// Plants faults until one is seen. Code that the length does not need may be changed without harm.
    fn until_seen(
        &self,
        subject: &Subject,
        tried: &proof::Tried<'_>,
        turn: usize,
    ) -> Result<Vec<(usize, Seen)>, String> {
        let mut tries = Vec::new();
        // In the short form, faults that random numbers show come first: to prove that one is harmless takes as long as the claim.
        let proofs = [false, true].into_iter().skip(usize::from(self.choice.long));
        for (proving, i) in proofs.flat_map(|proving| (0..KINDS.len()).map(move |i| (proving, i))) {
            let kind = (turn + i) % KINDS.len();
            let possible = faults::possible(self.image, &tried.machine, tried.on_data_before, KINDS[kind]);
            // From the middle on, where the rounds are.
            let step = (possible.len() / (2 * FAULTS)).max(1);
            let chosen = possible.iter().skip(possible.len() / 2).step_by(step).take(FAULTS);
            for fault in chosen {
                let (bytes, image, folder) = (self.bytes, self.image, self.folder);
                let seen = faults::plant(bytes, image, folder, subject, FAULT_LIMIT, fault, proving)?;
                let Some(seen) = seen else { continue };
                let harmless = seen == Seen::Harmless;
                tries.push((kind, seen));
                if !harmless {
                    return Ok(tries);
                }
            }
        }
        Err("no planted fault is seen".to_owned())
    }
}

impl Findings {
    /// Adds a claim to its row, and says at once what failed, for those who wait: it comes again at the end.
    fn add(&mut self, subject: &Subject, machine: &Machine<'_>, proved: &Proved, failures: Vec<String>) {
        self.forms.add(machine.seen.values());
        let entry = self.table.entry(row(subject)).or_default();
        entry.lengths.push(subject.len);
        entry.all.add(proved);
        for failure in failures {
            let failure = format!("{}: {failure}", subject.title());
            eprintln!("FAILED {failure}");
            self.failures.push(failure);
        }
    }
}

fn report(
    findings: Findings,
    image: &Image,
    subjects: usize,
    only: &str,
    start: Instant,
) -> Result<bool, String> {
    let Findings { table, forms, mut failures, known } = findings;
    println!(
        "cipher, kernel, mode | bytes of a message | proofs | s of CPU time | instructions | faults shown, not run, stopped, no \
         proof, harmless"
    );
    for ((cipher, kernel, mode), entry) in &table {
        let mut lengths = entry.lengths.clone();
        lengths.sort_unstable();
        lengths.dedup();
        println!(
            "{cipher} {kernel} {mode} | {} | {} of {} | {:.1} | {} | {}",
            ranges(&lengths),
            entry.all.proofs[0],
            entry.lengths.len(),
            entry.all.time.as_secs_f64(),
            entry.all.steps,
            entry.all.outcomes().map(|count| count.to_string()).join(", "),
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
    let mut all = Proved::default();
    table.values().for_each(|entry| all.add(&entry.all));
    let [proved, run] = all.proofs;
    if run < proved {
        println!("UNTESTED, {} claims about kernels that this CPU cannot run", proved - run);
    }
    println!("\nplanted faults | seen, and not run | stopped | no proof | proved to be harmless");
    for (kind, [shown, not_run, stopped, no_proof, harmless]) in KINDS.iter().zip(all.faults) {
        println!("{kind:?} | {shown}, {not_run} | {stopped} | {no_proof} | {harmless}");
    }
    let seen = all.outcomes().iter().sum::<usize>() - all.outcomes()[kept::OUTCOMES - 1];
    println!("{seen} planted faults are seen");
    if only.is_empty() && seen < FAULTS_SEEN {
        failures.push(format!("{seen} planted faults are seen, of which there are {FAULTS_SEEN} at least"));
    }
    println!(
        "{proved} of {subjects} claims proved, {known} of them by a run before, {:.0} s for the proofs and faults, {:.0} s in all",
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
