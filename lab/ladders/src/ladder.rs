//! Ladders: a cipher, workloads, and for each workload the steps from the textbook's way to the library's.

use std::hint::black_box;
use std::time::{Duration, Instant};

use crate::floor::Floor;
use crate::report::{Instruction, LadderReport, StepReport, WorkloadReport};
use crate::sample::{Effort, Random, Summary, by_turns};

/// A cipher that is made faster step by step.
pub struct Ladder {
    /// Its name on the command line.
    pub name: &'static str,
    /// The heading of the table and the picture.
    pub title: &'static str,
    /// A few sentences about the measurement, with the source of the steps.
    pub about: &'static str,
    /// The instructions that bound it, where there are such.
    pub instructions: Vec<Instruction>,
    /// The work of all steps, one workload after the other.
    pub workloads: Vec<Workload>,
}

/// Work that several steps do, each in its own way.
pub struct Workload {
    /// The length of the messages and the direction, such as "25 KB".
    pub name: &'static str,
    /// Bytes that are encrypted or decrypted, which speeds are relative to.
    pub bytes: usize,
    /// The input of a step.
    pub input: Vec<u8>,
    /// The output that a step must make, by the reference.
    pub expected: Vec<u8>,
    /// From the slowest to the fastest, as a rule.
    pub steps: Vec<Step>,
    /// The floor that this CPU cannot go below, if it is known.
    pub floor: Option<Floor>,
}

/// One way to do the work: it reads the input and writes all of the output.
pub type Run = Box<dyn FnMut(&[u8], &mut [u8])>;

/// A step of a ladder.
pub struct Step {
    /// The name in tables and pictures, at most [`LONGEST_NAME`] letters.
    pub name: &'static str,
    /// The change against the step before, and the reason that it should help.
    pub change: &'static str,
    /// The speed relative to the first step, by the source.
    pub then: Option<f64>,
    /// Why a measurement today differs from what the source says.
    pub differs: Option<&'static str>,
    /// The function that does the work, or the reason that this machine cannot run it.
    pub run: Result<Run, &'static str>,
}

/// The most letters of the name of a step: the room that pictures have for it.
pub const LONGEST_NAME: usize = 30;

impl Step {
    /// A step that can be measured.
    pub fn new(
        name: &'static str,
        change: &'static str,
        run: impl FnMut(&[u8], &mut [u8]) + 'static,
    ) -> Self {
        Self { name, change, then: None, differs: None, run: Ok(Box::new(run)) }
    }

    /// A step for which a token of `abreast-simd` is needed, or the reason why it is missing.
    pub fn if_detected<T>(
        token: Option<T>,
        why: &'static str,
        name: &'static str,
        change: &'static str,
        run: impl FnOnce(T) -> Run,
    ) -> Self {
        let run = token.map(run).ok_or(why);
        Self { name, change, then: None, differs: None, run }
    }

    /// With the factor over the first step that the source of the ladder reports.
    #[must_use]
    pub fn then(mut self, factor: f64) -> Self {
        self.then = Some(factor);
        self
    }

    /// With a sentence about why a measurement today differs from what the source reports.
    #[must_use]
    pub fn differs(mut self, why: &'static str) -> Self {
        self.differs = Some(why);
        self
    }
}

/// A step whose output is not that of the reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongOutput {
    /// The workload.
    pub workload: &'static str,
    /// The step.
    pub step: &'static str,
}

impl std::fmt::Display for WrongOutput {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the step '{}' of '{}' has another output than the reference", self.step, self.workload)
    }
}

impl std::error::Error for WrongOutput {}

impl Ladder {
    /// Runs each step once, and compares what it has made with the reference.
    ///
    /// # Errors
    /// The first step whose output is wrong.
    pub fn check(&mut self) -> Result<(), WrongOutput> {
        self.workloads.iter_mut().try_for_each(Workload::check)
    }

    /// Measures all workloads; `progress` is called after each.
    ///
    /// # Errors
    /// The first step whose output is wrong.
    pub fn measure(
        &mut self,
        effort: &Effort,
        mut progress: impl FnMut(&Workload),
    ) -> Result<LadderReport, WrongOutput> {
        let mut workloads = Vec::new();
        for workload in &mut self.workloads {
            workloads.push(workload.measure(effort)?);
            progress(workload);
        }
        Ok(LadderReport {
            name: self.name.into(),
            title: self.title.into(),
            about: self.about.into(),
            instructions: self.instructions.clone(),
            workloads,
        })
    }
}

impl Workload {
    fn check(&mut self) -> Result<(), WrongOutput> {
        let mut memory = Memory::new(self);
        for step in &mut self.steps {
            if let Ok(run) = &mut step.run {
                memory.place(&self.input);
                memory.run(run, 1);
                memory.compare(&self.expected).map_err(|()| wrong(self.name, step.name))?;
            }
        }
        Ok(())
    }

    /// Measures all steps by turns.
    ///
    /// # Errors
    /// The first step whose output is wrong. The output of each sample is wiped before and compared after it, so that no
    /// step needs a check of its own before.
    pub fn measure(&mut self, effort: &Effort) -> Result<WorkloadReport, WrongOutput> {
        let mut memory = Memory::new(self);
        let Self { name, input, expected, steps, .. } = self;
        let (name, mut runs) = (*name, Vec::new());
        for step in &mut *steps {
            if let Ok(run) = &mut step.run {
                runs.push((step.name, run));
            }
        }
        let mut samples = by_turns(runs.len(), effort, |i, calls| {
            let (step, run) = &mut runs[i];
            memory.place(input);
            let time = memory.run(run, calls);
            memory.compare(expected).map_err(|()| wrong(name, step))?;
            Ok(time)
        })?
        .into_iter();
        let bytes = self.bytes as f64;
        let report = |step: &Step| {
            let samples = match step.run {
                Ok(_) => samples.next().unwrap_or_default(),
                Err(_) => Vec::new(),
            };
            let dropped = samples.iter().filter(|sample| sample.preempted).count();
            let quiet = || samples.iter().filter(|sample| !sample.preempted);
            StepReport {
                name: step.name.into(),
                change: step.change.into(),
                then: step.then,
                differs: step.differs.map(Into::into),
                missing: step.run.as_ref().err().map(|why| (*why).into()),
                cpb: Summary::of(quiet().map(|sample| sample.cycles / bytes)),
                gbps: Summary::of(quiet().map(|sample| sample.seconds))
                    .map(|seconds| bytes / seconds.median / 1e9),
                dropped,
                samples,
            }
        };
        Ok(WorkloadReport {
            name: name.into(),
            bytes: self.bytes,
            floor_cpb: self.floor.map(Floor::cycles_per_byte),
            steps: self.steps.iter().map(report).collect(),
        })
    }
}

fn wrong(workload: &'static str, step: &'static str) -> WrongOutput {
    WrongOutput { workload, step }
}

/// Input and output, which lie somewhere else in a page for each sample: some places are slower than others, since loads
/// are compared with the stores before them by the lower 12 bits of addresses only.
struct Memory {
    bytes: Vec<u8>,
    /// The earliest offset of the output.
    half: usize,
    input: std::ops::Range<usize>,
    output: std::ops::Range<usize>,
    random: Random,
}

/// Bytes of a page.
const PAGE: usize = 4096;
/// The alignment of messages: no two share a cache line.
const LINE: usize = 64;

impl Memory {
    fn new(workload: &Workload) -> Self {
        let half = (workload.input.len() + PAGE).next_multiple_of(PAGE);
        let bytes = vec![0; half + workload.expected.len() + 2 * PAGE];
        Self { bytes, half, input: 0..0, output: 0..workload.expected.len(), random: Random::new(2) }
    }

    /// Chooses other places, puts the input there and wipes the output.
    fn place(&mut self, input: &[u8]) {
        let start = self.bytes.as_ptr().align_offset(LINE).min(LINE);
        let [a, b] = [(); 2].map(|()| self.random.below(PAGE / LINE) * LINE);
        let at = start + a;
        self.input = at..at + input.len();
        let at = start + self.half + b;
        self.output = at..at + self.output.len();
        self.bytes[self.input.clone()].copy_from_slice(input);
        self.bytes[self.output.clone()].fill(0);
    }

    /// The time of some calls.
    fn run(&mut self, run: &mut Run, calls: u32) -> Duration {
        let (input, output) = self.bytes.split_at_mut(self.output.start);
        let input = &input[self.input.clone()];
        let output = &mut output[..self.output.len()];
        let start = Instant::now();
        for _ in 0..calls {
            run(black_box(input), black_box(&mut *output));
        }
        start.elapsed()
    }

    fn compare(&self, expected: &[u8]) -> Result<(), ()> {
        if self.bytes[self.output.clone()] == *expected { Ok(()) } else { Err(()) }
    }
}
