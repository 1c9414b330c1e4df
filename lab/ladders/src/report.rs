//! Measurements, as they are written to files and read back.

use serde::{Deserialize, Serialize};

use crate::machine::Machine;
use crate::sample::{Sample, Summary};

/// A run of ladders.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LaddersReport {
    /// The machine and the day.
    pub machine: Machine,
    /// True if few samples were taken, by `--quick`.
    #[serde(default)]
    pub quick: bool,
    /// The programs that wanted a CPU when the run began, on average over a minute, where the system tells it.
    #[serde(default)]
    pub load: Option<f64>,
    /// The ladders that were measured.
    pub ladders: Vec<LadderReport>,
}

/// A [`Ladder`](crate::ladder::Ladder) that was measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LadderReport {
    /// Its name on the command line.
    pub name: String,
    /// Its heading.
    pub title: String,
    /// A few sentences about the measurement, with the source of the steps.
    pub about: String,
    /// The instructions that bound the ladder, as they are on this CPU; none in a record of before they were probed.
    #[serde(default)]
    pub instructions: Vec<Instruction>,
    /// One after the other.
    pub workloads: Vec<WorkloadReport>,
}

/// A [`Workload`](crate::ladder::Workload) that was measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkloadReport {
    /// Its name.
    pub name: String,
    /// Bytes that a call encrypts or decrypts.
    pub bytes: usize,
    /// The core cycles per byte that this CPU cannot go below, if they are known.
    pub floor_cpb: Option<f64>,
    /// In their order.
    pub steps: Vec<StepReport>,
}

/// A [`Step`](crate::ladder::Step) that was measured, or not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepReport {
    /// Its name.
    pub name: String,
    /// The change against the step before, and the reason that it should help.
    pub change: String,
    /// The speed relative to the first step, by the source.
    pub then: Option<f64>,
    /// Why that differs from what was measured.
    pub differs: Option<String>,
    /// Why it was not measured, if it was not.
    pub missing: Option<String>,
    /// The core cycles per byte of the samples.
    pub cpb: Option<Summary>,
    /// 10^9 bytes per second, of the sample in the middle.
    pub gbps: Option<f64>,
    /// The samples that were preempted, which no figure counts.
    #[serde(default)]
    pub dropped: usize,
    /// Every sample, in the order in which they were taken; none in a record that keeps the figures above alone.
    #[serde(default)]
    pub samples: Vec<Sample>,
}

/// An instruction of this CPU, in core cycles.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Instruction {
    /// Its operation and its registers, such as "AES round, 512 bits".
    pub name: String,
    /// The cycles from its begin until another instruction can have the result.
    pub latency: f64,
    /// The number of them that begin in a cycle, where none waits for another.
    pub per_cycle: f64,
}

impl LaddersReport {
    /// True if more programs wanted a CPU than half of the threads of the machine, when the run began.
    #[must_use]
    pub fn was_busy(&self) -> bool {
        self.load.is_some_and(|load| load > self.machine.threads as f64 / 2.0)
    }

    /// Returns the number of steps whose samples scatter so much that their median says little.
    #[must_use]
    pub fn noisy(&self) -> usize {
        let workloads = self.ladders.iter().flat_map(|ladder| &ladder.workloads);
        let summaries = workloads.flat_map(|workload| &workload.steps).filter_map(|step| step.cpb);
        summaries.filter(Summary::is_noisy).count()
    }
}

impl WorkloadReport {
    /// Returns the speed of each step relative to the first, by the medians; `None` where something was not measured.
    #[must_use]
    pub fn factors(&self) -> Vec<Option<f64>> {
        let median = |step: &StepReport| step.cpb.map(|cycles| cycles.median);
        let first = self.steps.first().and_then(median);
        self.steps.iter().map(|step| Some(first? / median(step)?)).collect()
    }
}

/// A run of `abreast-bench bench`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BenchReport {
    /// The machine and the day.
    pub machine: Machine,
    /// True if figures are the time from the start of a call to its output, instead of the number of calls in a time.
    #[serde(default)]
    pub latency: bool,
    /// True if few samples were taken, by `--quick`.
    #[serde(default)]
    pub quick: bool,
    /// The rows that were measured.
    pub rows: Vec<BenchRow>,
}

/// A cipher in a mode at a kernel, in messages of a size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BenchRow {
    /// The cipher and the mode, such as `aes-128-ctr`.
    pub what: String,
    /// The kernel.
    pub kernel: String,
    /// Bytes of a message.
    pub size: usize,
    /// Messages of a batch, where that can be chosen.
    pub batch: Option<usize>,
    /// The threads that a batch is done on, where it may be several.
    #[serde(default)]
    pub threads: Option<usize>,
    /// 10^9 bytes per second, of the fastest sample.
    pub gbps: f64,
    /// Core cycles per byte, of the fastest sample: those that pass in the meantime, also where several threads work.
    pub cpb: f64,
    /// The cycles per byte that nothing goes below, if they are known.
    pub floor_cpb: Option<f64>,
    /// The cycles per byte of the same messages one by one, for a batch.
    pub single_cpb: Option<f64>,
    /// The cycles of the slowest process relative to those of the fastest, where several measured; the row is that of the one
    /// in the middle.
    #[serde(default)]
    pub spread: Option<f64>,
    /// The number of messages of `size` bytes that a call takes, each of them once. The time of a sample is for all of
    /// them.
    #[serde(default)]
    pub messages: Option<usize>,
    /// The number of calls in a sample, which has the mean of their times.
    #[serde(default)]
    pub calls: Option<u32>,
    /// Every sample, in the order in which they were taken. None in a record that keeps the figures above alone.
    #[serde(default)]
    pub samples: Vec<Sample>,
}

impl BenchRow {
    /// Returns the key of a row: the cipher and mode, the kernel, the size, the batch and the threads.
    #[must_use]
    pub fn key(&self) -> (&str, &str, usize, Option<usize>, Option<usize>) {
        (&self.what, &self.kernel, self.size, self.batch, self.threads)
    }

    /// The share of what the floor allows.
    #[must_use]
    pub fn of_floor(&self) -> Option<f64> {
        self.floor_cpb.map(|floor| floor / self.cpb)
    }

    /// Returns the speed of a batch relative to its messages one by one.
    #[must_use]
    pub fn gain(&self) -> Option<f64> {
        self.single_cpb.map(|single| single / self.cpb)
    }

    /// The core cycles of a message.
    #[must_use]
    pub fn cycles(&self) -> f64 {
        self.cpb * self.size as f64
    }
}

/// A comparison with other libraries, by `cargo xtask peers`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PeersReport {
    /// The machine and the day.
    pub machine: Machine,
    /// The libraries that were measured.
    pub peers: Vec<Library>,
    /// The libraries that were not measured.
    pub missing: Vec<MissingLibrary>,
    /// The results.
    pub cells: Vec<PeersCell>,
}

/// A library and its version.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Library {
    /// Its name.
    pub name: String,
    /// Its version, and those of its parts.
    pub version: String,
}

/// A library that was not there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MissingLibrary {
    /// Its name.
    pub name: String,
    /// The feature or the package that would bring it.
    pub wants: String,
}

/// A cipher in a mode at a length, done by several libraries.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PeersCell {
    /// The cipher and the mode, such as `aes128-ctr`.
    pub row: String,
    /// Bytes of a message.
    pub size: usize,
    /// The unit of the results.
    pub unit: CostUnit,
    /// The libraries that have it.
    pub results: Vec<PeerResult>,
}

/// The units of costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CostUnit {
    /// Core cycles per byte of messages.
    #[serde(rename = "c/B")]
    CyclesPerByte,
    /// Nanoseconds per key.
    #[serde(rename = "ns")]
    NanosecondsPerKey,
}

/// The cost of the work with a library.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PeerResult {
    /// Its name.
    pub peer: String,
    /// The number of samples.
    pub samples: usize,
    /// Half of the samples are below.
    pub median: f64,
    /// The smallest.
    pub min: f64,
    /// The largest.
    pub max: f64,
    /// The standard deviation.
    pub deviation: f64,
}

/// The names under which this library is measured: from Rust, and through its C functions.
pub const OURS: [&str; 2] = ["abreast", "abreast in C"];

impl PeersCell {
    /// The median of a library.
    #[must_use]
    pub fn median_of(&self, name: &str) -> Option<f64> {
        self.results.iter().find(|result| result.peer == name).map(|result| result.median)
    }

    /// The fastest of the other libraries.
    #[must_use]
    pub fn best_other(&self) -> Option<&PeerResult> {
        let others = self.results.iter().filter(|result| !OURS.contains(&&*result.peer));
        others.min_by(|one, other| one.median.total_cmp(&other.median))
    }
}
