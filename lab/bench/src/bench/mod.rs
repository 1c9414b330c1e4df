//! `abreast-bench bench`: how fast the kernels are on this machine, and how fast they could be.
//!
//! [`work`] says what a call is, [`messages`] what it works on and [`threads`] where it is made, the lab times it, [`floors`]
//! says how fast it could be, [`table`] prints, [`processes`] has several processes measure, [`baseline`] compares with an
//! earlier run, and [`steady`] repeats one kernel for a profiler.

mod baseline;
mod error;
mod floors;
mod messages;
mod names;
mod processes;
mod steady;
mod subject;
mod table;
mod threads;
pub(crate) mod work;

use std::ffi::OsStr;
use std::io::{self, Write};
use std::time::Duration;

use abreast::Kernel;
use abreast_cli::{Exit, Failure, parse_size, print};
use abreast_lab::chart;
use abreast_lab::machine::Machine;
use abreast_lab::page;
use abreast_lab::report::{BenchReport, BenchRow};
use abreast_lab::sample::{Effort, Sample, by_turns};
use clap::builder::{PossibleValue, TypedValueParser};
use clap::error::ErrorKind;

use crate::opencl;
use crate::reports::{self, Contents, ReportArgs, Reports};
use baseline::{BaselineArgs, Way};
use error::Error;
use floors::Rates;
use messages::Messages;
use processes::ProcessArgs;
use subject::Subject;
use table::{Columns, Table};
use work::What;

/// Sizes where none are asked for, as far as they suit: blocks, packets, a chunk of a sealed file, a buffer
/// beyond the first-level cache.
const SIZES: [usize; 6] = [16, 64, 256, 1600, 16 << 10, 1 << 20];
/// Default sizes of packets: those of games, speech, names, and the largest in most networks.
const PACKET_SIZES: [usize; 5] = [16, 32, 64, 256, 1600];
/// Default sizes of packets on several threads: the first alone for `--quick`.
const THREAD_SIZES: [usize; 2] = [1600, 16 << 10];
/// The effort for each row.
const EFFORT: Effort =
    Effort { sample: Duration::from_micros(40), most: 300, fewest: 3, budget: Duration::from_millis(40) };
/// The effort for each row with `--quick`.
const QUICK: Effort = Effort { most: 30, budget: Duration::from_millis(4), ..EFFORT };
/// The most messages of a batch.
const LARGEST_BATCH: usize = 1 << 16;

/// Measure the speed of ciphers and modes, for each kernel that this CPU can run
///
/// Each row tells the fastest of up to 300 trials of 40 microseconds, in which the kernels take turns. GB/s
/// are 10^9 bytes per second, c/B are core cycles per byte. Before a kernel is timed, its output is compared
/// with that of another.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
What is measured:
  Each call takes a fresh message of the given size in place, under a key that
  is ready and with a new IV or nonce: no keystream is left over from the call
  before. GCM, GCM-SIV and EAX take nonces of 12 bytes, 13 bytes of associated
  data and tags of a block. CTR takes such a nonce and a block number as its IV, and
  counts in the whole block. ECB is raw blocks, no way to encrypt messages. xts
  takes a message as one data unit; xts-512 takes it as sectors of 512 bytes
  with consecutive numbers, all in one call. HCTR2 has tweaks of 16 bytes. cmac makes a tag and changes
  nothing. AEZ takes nonces of 12 bytes, no associated data and tags of 16
  bytes.
  aez-batch encrypts a batch in one call, each message under a key of its own
  that is ready: 64 messages of the given size, or as many as make 256 KiB, but
  at least 4. RC4's keys have 16 bytes. rc4 is one stream that goes on from call
  to call, rc4-streams 48 of them in one call. rc4-key schedules a key for each
  message, and rc4-keys does the same for 48 in one call. The kernels of RC4 are
  how many streams go side by side.
  packets-CIPHER-MODE, packets-aez and packets-rc4 are a batch of messages in one
  call, each with a key of its own that is ready (RC4: 16 bytes, to be scheduled),
  an IV and a buffer: 256 messages, or --batch. 'packets' alone is xtea-ecb,
  aes-128-ctr, -gcm and -cbc, serpent-256-ctr, aez and rc4 of them. In the same
  run, the same messages go one by one through what the library has for one
  message, and their cycles per byte stand beside: the gain is how often one goes
  into the other. A batch is put together before the clock starts. What verifies
  tags decrypts to another place.
  threads-CIPHER-MODE and threads-aez are such a batch, of 2048 messages or
  --batch, on 1, 2, 4 and so on up to all threads of this machine, or on
  --threads of them: packets::in_parallel in a pool of so many. They are measured
  at the best kernel, or at --kernel; the numbers of threads take turns, and c/B
  counts the cycles that pass, not those of all threads together. 'threads' alone
  is aes-128-ctr and -gcm, serpent-256-ctr and xtea-ctr of them.
  key-CIPHER, key-CIPHER-gcm and key-aez make a key ready and drop it: the
  message is the key, so its size is that of the key, and CYCLES is for one.
  Memory for the key is allocated each time.
  Messages of 2 KiB and less lie in a ring of up to 64 independent slots: 16 KiB
  at most, in the first-level cache, no two on the same cache line. So calls do
  not wait for each other. A larger message is one buffer for all calls. For
  gcm-decrypt and eax-decrypt each slot keeps its nonce and alternates between
  two texts with valid tags, each of which decrypts to the other. aez-decrypt,
  gcm-siv-decrypt and siv-decrypt decrypt to another place. A batch keeps its nonces, or keys of RC4.
  With --latency there is one buffer and one nonce, and where a call finds them
  and its data is computed from the output of the call before (encryption with
  GCM, GCM-SIV, SIV and EAX, and CMAC: the tag; else the last byte), so it cannot begin
  earlier. The verdict on a tag is a branch, which CPUs predict: it is not
  waited for.

The floor:
  The cycles per byte that the AES and carry-less units of this core need for
  the kernel's registers, from rates that are probed first. ECB, CTR, XTS and
  the decryption of CBC and CFB: the AES rounds. GCM: the rounds or three
  products a block, whichever take longer, since the units overlap. GCM-SIV: one
  after the other, since it encrypts from the tag on. HCTR2: so too, with the
  products twice. The
  encryption of CBC and CFB, OFB, CMAC and EAX: the latency of a round, times
  the rounds, since each block waits for the one before, and of SIV those of
  CMAC and then of CTR; for messages of 16 KiB
  and more only, since shorter ones overlap; in packets others go beside, so the
  floor of those modes is the AES rounds. AEZ: ten rounds a block. Memory is
  no part of it. Unknown (-, null) with --latency, for bit-sliced kernels,
  Serpent, TEA, XTEA and RC4, and on several threads.

Examples:
  abreast-bench bench
  abreast-bench bench aes-128-ctr aes-128-gcm --size 1600,64K
  abreast-bench bench aes-256-gcm --kernel vaes --latency --json -
  abreast-bench bench threads --html threads.html
  abreast-bench bench xtea-ecb --processes 12
  abreast-bench bench aes-128-gcm --kernel vaes --loop 10
  abreast-bench bench xtea-ecb --save before
  abreast-bench bench xtea-ecb --against before")]
pub(crate) struct Args {
    /// Work to measure: a block cipher that `abreast kernels` shows and a mode, such as
    /// serpent-256-cbc-decrypt, or aez, aez-decrypt, aez-batch, rc4, rc4-streams, rc4-key or rc4-keys; with
    /// packets- in front, a batch with many keys; `packets` for some of those; with threads- in front, such a batch on
    /// several threads; `threads` for some of those; key-aes-128 and the like, key set-up
    /// [default: aes-128-ctr aes-256-ctr aes-128-gcm aes-256-gcm]
    ///
    /// The modes are ecb, cbc, cfb, cfb8, xts, xts-512, hctr2, eax, gcm, gcm-siv and siv, all of them with -decrypt too,
    /// ofb, ctr and cmac. For ciphers with blocks of 64 bits there is no xts, hctr2, gcm and siv, and gcm-siv is for aes-128 and
    /// aes-256; for packets there is no cfb, cfb8 and xts-512.
    #[arg(value_name = "WHAT", value_parser = WhatParser, hide_possible_values = true)]
    what: Vec<Whats>,
    /// Name all work that can be measured
    #[arg(long)]
    list: bool,
    /// Bytes of a message, with K for KiB and M for MiB; may be repeated or a list [default: those of
    /// 16,64,256,1600,16K,1M that suit; for packets 16,32,64,256,1600; on threads 1600,16K, --quick 1600]
    #[arg(long, value_name = "N,..", value_delimiter = ',', value_parser = parse_size)]
    size: Vec<usize>,
    /// Packets of a batch; may be repeated or a list [default: 256; on threads 2048]
    #[arg(long, value_name = "N,..", value_delimiter = ',', value_parser = parse_batch)]
    batch: Vec<usize>,
    /// Threads for a batch on threads; may be repeated or a list [default: 1,2,4 and so on up to those of this machine]
    #[arg(long, value_name = "N,..", value_delimiter = ',', value_parser = parse_threads)]
    threads: Vec<usize>,
    /// Only this kernel
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// Measure an OpenCL device in place of the CPU's kernels, by its name, a part of it, or '' for the first, from host
    /// memory: CIPHER-ctr, and from how many bytes on that is faster than one thread of the CPU, which raw --kernel auto goes
    /// by; CIPHER-ecb and -ecb-decrypt, -xts-512 and -xts-512-decrypt, packets-xtea-ecb and packets-rc4 [default of WHAT:
    /// some of each]
    #[arg(long, value_name = "NAME", conflicts_with_all = ["kernel", "latency", "batch", "threads", "quick", "json", "csv", "html", "svg", "save", "against"])]
    device: Option<String>,
    /// Measure the time from the start of a call to its output, not how many calls fit in a time
    #[arg(long)]
    latency: bool,
    /// Do nothing but call one kernel for some seconds, for a profiler: one WHAT, one --size [default: 16K], the best kernel or
    /// --kernel; prints the process id first
    #[arg(long = "loop", value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86400),
        conflicts_with_all = ["device", "latency", "quick", "processes", "json", "csv", "html", "svg", "save", "against"])]
    seconds: Option<u64>,
    /// Stay on this CPU, counted from 0, so that no sample is moved to another
    #[arg(long, value_name = "N", conflicts_with_all = ["device", "processes"])]
    cpu: Option<usize>,
    /// Take fewer samples; the report and a baseline have a note of that
    #[arg(long)]
    quick: bool,
    /// The processes that measure.
    #[command(flatten)]
    processes: ProcessArgs,
    /// The reports to write.
    #[command(flatten)]
    reports: ReportArgs,
    /// The baseline to keep or to compare with.
    #[command(flatten)]
    baseline: BaselineArgs,
}

/// The work that a word on the command line stands for.
#[derive(Clone, Debug)]
struct Whats(Vec<What>);

/// The parser of WHAT, which knows all names for completions, and parts of names for messages: the names
/// are too many.
#[derive(Clone)]
struct WhatParser;

impl TypedValueParser for WhatParser {
    type Value = Whats;

    fn parse_ref(
        &self,
        command: &clap::Command,
        _: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<Whats, clap::Error> {
        let known = value.to_str().and_then(What::from_word);
        known.map(Whats).ok_or_else(|| {
            let message = format!(
                "'{}' is no cipher and mode; the nearest are {}; --list names all (ciphers with blocks of 64 bits have no \
                 xts, hctr2, gcm and siv)",
                value.display(),
                names::nearest(&value.to_string_lossy()).join(", ")
            );
            clap::Error::raw(ErrorKind::InvalidValue, message).with_cmd(command)
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(names::all().map(PossibleValue::new)))
    }
}

/// Reads the number of messages of a batch.
fn parse_batch(text: &str) -> Result<usize, String> {
    let number = Some(text).filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
    let number = number.and_then(|text| text.parse().ok());
    number
        .filter(|number| (1..=LARGEST_BATCH).contains(number))
        .ok_or_else(|| format!("a batch has 1 to {LARGEST_BATCH} messages"))
}

/// Reads a number of threads.
fn parse_threads(text: &str) -> Result<usize, String> {
    let number = Some(text).filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
    let number = number.and_then(|text| text.parse().ok());
    number
        .filter(|number| (1..=threads::MOST).contains(number))
        .ok_or_else(|| format!("a batch is done on 1 to {} threads", threads::MOST))
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    if let Some(device) = &args.device {
        let whats: Vec<What> = args.what.iter().flat_map(|Whats(whats)| whats.iter().copied()).collect();
        return opencl::bench(device, &whats, &args.size);
    }
    if args.list {
        return print(&names::list());
    }
    // Everything that can be refused is refused before anything takes time.
    let plan = Plan::new(args)?;
    args.cpu.map_or(Ok(()), steady::stay_on)?;
    if let Some(seconds) = args.seconds {
        return plan.repeat(seconds, !args.size.is_empty());
    }
    if args.processes.is_for_parent() {
        processes::end_with_parent();
        return print(&reports::json(&plan.measure(None)?)?);
    }
    if args.baseline.is_used() {
        let way = Way { latency: plan.latency, quick: plan.quick };
        return baseline::run(&args.baseline, args.reports.force, way, plan.rows());
    }
    let reports = Reports::open(&args.reports, &plan.picture_names())?;
    let apart = args.processes.several().map(processes::measure).transpose()?.and_then(processes::merged);
    let mut stdout = io::stdout().lock();
    let out: Option<&mut dyn Write> = if args.reports.json_is_output() { None } else { Some(&mut stdout) };
    let report = match (apart, out) {
        (Some(report), Some(out)) => plan.print(report, out)?,
        (Some(report), None) => report,
        (None, out) => plan.measure(out)?,
    };
    if reports.is_empty() { Ok(()) } else { reports.write(contents(&report)?) }
}

/// Returns the contents of the reports.
fn contents(report: &BenchReport) -> Result<Contents, Failure> {
    let drawn = |error: chart::DrawError| Failure::plain(Exit::Io, error);
    let mut pictures = Vec::new();
    for picture in chart::of_bench(report) {
        pictures.push(picture.drawn(Some(&picture.title)).map_err(drawn)?);
    }
    let html = page::of_bench(report).map_err(drawn)?;
    Ok(Contents { json: reports::json(report)?, csv: reports::csv_of_bench(report), html, pictures })
}

/// The work to measure.
struct Plan {
    parts: Vec<Part>,
    /// True if the time of a call counts, instead of the number of calls in a time.
    latency: bool,
    /// True if few samples are taken.
    quick: bool,
}

/// Something to measure, at each of some sizes.
struct Part {
    /// The work, once for each number of threads if it can run on several.
    whats: Vec<What>,
    sizes: Vec<usize>,
    kernels: Vec<Kernel>,
}

impl Part {
    /// One of them, for what they have in common.
    fn what(&self) -> What {
        self.whats[0]
    }
}

impl Plan {
    /// Makes the plan that the arguments ask for.
    fn new(args: &Args) -> Result<Self, Error> {
        let asked: Vec<What> = match args.what[..] {
            [] => work::DEFAULT.iter().filter_map(|name| What::from_name(name)).collect(),
            _ => args.what.iter().flat_map(|Whats(whats)| whats.clone()).collect(),
        };
        if !args.batch.is_empty() && !asked.iter().any(|what| what.batch().is_some()) {
            return Err(Error::Batch);
        }
        if !args.threads.is_empty() && !asked.iter().any(|what| what.threads().is_some()) {
            return Err(Error::NoThreads);
        }
        let numbers = if args.threads.is_empty() { threads::usual() } else { args.threads.clone() };
        let mut parts = Vec::new();
        for what in asked.into_iter().flat_map(|what| what.in_batches(&args.batch)) {
            if args.latency && what.is_batch() {
                return Err(Error::Latency { what });
            }
            parts.push(Part {
                whats: what.on_threads(&numbers),
                sizes: sizes(what, &args.size, args.quick)?,
                kernels: kernels(what, args.kernel.as_deref())?,
            });
        }
        Ok(Self { parts, latency: args.latency, quick: args.quick })
    }

    /// The names of the pictures, in their order.
    fn picture_names(&self) -> Vec<String> {
        let mut names = Vec::new();
        for part in &self.parts {
            let what = part.what();
            let batch = what.batch().map_or(String::new(), |batch| format!(" {batch}"));
            let of_part = match what.threads() {
                // A picture for all that is done on threads, at each size.
                Some(_) => {
                    part.sizes.iter().map(|size| format!("{}{batch} of {size}", work::THREADS)).collect()
                }
                None => vec![format!("{what}{batch}")],
            };
            for name in of_part.iter().map(|words| reports::file_name(words)) {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        names
    }

    /// Returns the number of rows.
    fn rows(&self) -> usize {
        self.parts.iter().map(|part| part.whats.len() * part.sizes.len() * part.kernels.len()).sum()
    }

    /// Measures all of it, and prints each row as soon as it is known if there is a table.
    fn measure(&self, out: Option<&mut dyn Write>) -> Result<BenchReport, Error> {
        let mut table = out.map(|out| Table::new(out, &self.columns()));
        let (latency, quick) = (self.latency, self.quick);
        let mut report = BenchReport { machine: Machine::this(), latency, quick, rows: Vec::new() };
        if let Some(table) = &mut table {
            table.head(&report.machine, latency).map_err(Error::Write)?;
        }
        let effort = if quick { QUICK } else { EFFORT };
        let mut floors = Floors { latency, known: Vec::new() };
        for Part { whats, sizes, kernels } in &self.parts {
            for &size in sizes {
                let rows = compare(whats, size, kernels, &effort, &mut floors)?;
                if let Some(table) = &mut table {
                    rows.iter().try_for_each(|row| table.row(row)).map_err(Error::Write)?;
                }
                report.rows.extend(rows);
            }
        }
        Ok(report)
    }

    /// Calls one kernel for some seconds, and does nothing beside it.
    fn repeat(&self, seconds: u64, is_sized: bool) -> Result<(), Failure> {
        let [part] = &self.parts[..] else { return Err(Failure::usage("--loop takes one WHAT")) };
        let size = match part.sizes[..] {
            [size] => size,
            _ if is_sized => return Err(Failure::usage("--loop takes one --size")),
            ref sizes => sizes.iter().copied().find(|&size| size == steady::SIZE).unwrap_or(sizes[0]),
        };
        steady::run(part.what(), part.kernels[0], size, seconds)
    }

    /// Prints the table of a report that was measured apart, and returns it.
    fn print(&self, report: BenchReport, out: &mut dyn Write) -> Result<BenchReport, Error> {
        let mut table = Table::new(out, &Columns { spreads: true, ..self.columns() });
        let printed = table.head(&report.machine, self.latency);
        let printed = printed.and_then(|()| report.rows.iter().try_for_each(|row| table.row(row)));
        printed.map(|()| report).map_err(Error::Write)
    }

    /// Returns the columns of the table.
    fn columns(&self) -> Columns {
        let whats = || self.parts.iter().map(Part::what);
        let kernels = self.parts.iter().flat_map(|part| &part.kernels);
        Columns {
            what: whats().map(|what| what.to_string().len()).max().unwrap_or(0),
            kernel: kernels.map(|kernel| kernel.name().len()).max().unwrap_or(0),
            batches: whats().any(|what| what.batch().is_some()),
            threads: whats().any(|what| what.threads().is_some()),
            gains: whats().any(|what| what.batch().is_some() && what.threads().is_none()),
            keys: whats().any(|what| matches!(what, What::Keys(_))),
            spreads: false,
        }
    }
}

/// The sizes to measure: those that were asked for, or the usual ones that suit.
fn sizes(what: What, asked: &[usize], quick: bool) -> Result<Vec<usize>, Error> {
    if asked.is_empty() {
        if let What::Keys(what) = what {
            return Ok(vec![what.len()]);
        }
        let usual = match (what.threads(), what.batch()) {
            (Some(_), _) => &THREAD_SIZES[..if quick { 1 } else { THREAD_SIZES.len() }],
            (None, Some(_)) => &PACKET_SIZES,
            (None, None) => &SIZES,
        };
        return Ok(usual.iter().copied().filter(|&size| what.refuses(size).is_none()).collect());
    }
    match asked.iter().find_map(|&size| Some((size, what.refuses(size)?))) {
        Some((size, takes)) => Err(Error::Size { what, size, takes }),
        None => Ok(asked.to_vec()),
    }
}

/// The kernels to measure: one that was asked for, or all; on several threads the best.
fn kernels(what: What, asked: Option<&str>) -> Result<Vec<Kernel>, Error> {
    let mut kernels = what.kernels();
    if let Some(asked) = asked {
        let available = kernels.iter().map(|kernel| kernel.name()).collect();
        kernels.retain(|kernel| kernel.name() == asked);
        if kernels.is_empty() {
            return Err(Error::Kernel { asked: asked.into(), cipher: what.owner(), available });
        }
    } else if what.threads().is_some() {
        kernels.truncate(1);
    }
    Ok(kernels)
}

/// The floors of kernels, each probed when it is first asked for.
struct Floors {
    /// Latencies have no floor here.
    latency: bool,
    /// The kernels that were probed, with their rates.
    known: Vec<(Kernel, Option<Rates>)>,
}

impl Floors {
    /// The floor of a cipher and mode at a kernel, for messages of a size.
    fn of(&mut self, what: What, size: usize, kernel: Kernel) -> Option<f64> {
        if self.latency {
            return None;
        }
        let known = self.known.iter().find(|(known, _)| *known == kernel).map(|(_, rates)| *rates);
        let rates = known.unwrap_or_else(|| {
            let rates = Rates::of(kernel);
            self.known.push((kernel, rates));
            rates
        });
        rates?.floor(what, size)
    }
}

/// Measures kernels and numbers of threads side by side, on the same messages.
fn compare(
    whats: &[What],
    size: usize,
    kernels: &[Kernel],
    effort: &Effort,
    floors: &mut Floors,
) -> Result<Vec<BenchRow>, Error> {
    let mut messages = whats[0].messages(size, floors.latency);
    check(whats, size, kernels, &mut messages)?;

    let pairs = kernels.iter().flat_map(|&kernel| whats.iter().map(move |&what| (what, kernel)));
    let mut subjects =
        pairs.map(|(what, kernel)| Subject::new(what, kernel)).collect::<Result<Vec<_>, _>>()?;
    // Packets one by one come after all others, kernel by kernel. On several threads, the figure for one thread says more.
    let count = subjects.len();
    let has_alone =
        subjects.iter().any(|subject| subject.calls.alone.is_some() && subject.what.threads().is_none());
    let turns = if has_alone { 2 * count } else { count };
    // The last calls of each are those of a sample.
    let mut calls = vec![0; turns];
    let mut samples = by_turns(turns, effort, |i, laps| {
        calls[i] = laps;
        subjects[i % count].run(i >= count, &mut messages, laps).map(|ran| ran.time)
    })?;
    let alone = samples.split_off(count);
    let bytes = (messages.slots() * size) as f64;
    let fastest = |samples: &[Sample]| Sample::fastest(samples).expect("every subject has samples");
    let row = |(i, (samples, subject)): (usize, (Vec<Sample>, &Subject))| {
        let best = fastest(&samples);
        BenchRow {
            what: subject.what.to_string(),
            kernel: subject.kernel.name().into(),
            size,
            batch: subject.what.batch(),
            threads: subject.what.threads(),
            gbps: bytes / best.seconds / 1e9,
            cpb: best.cycles / bytes,
            floor_cpb: floors.of(subject.what, size, subject.kernel),
            single_cpb: alone.get(i).map(|samples| fastest(samples).cycles / bytes),
            spread: None,
            messages: Some(messages.slots()),
            calls: Some(calls[i]),
            samples,
        }
    };
    Ok(samples.into_iter().zip(&subjects).enumerate().map(row).collect())
}

/// Makes sure that no wrong kernel gets a speed: what each makes of the messages is compared with what the
/// simplest kernel of the cipher makes of them, and that in turn with the best one; what a batch makes of them, on each
/// number of threads, with what calls one by one do.
fn check(whats: &[What], size: usize, kernels: &[Kernel], messages: &mut Messages) -> Result<(), Error> {
    let what = whats[0];
    let every = what.kernels();
    let (Some(&best), Some(&simplest)) = (every.first(), every.last()) else { return Ok(()) };

    what.prepare(simplest, messages).map_err(|error| Error::Call { what, kernel: simplest, error })?;
    let mut outcome = |kernel| {
        let mut made: Option<(Vec<u8>, u128)> = None;
        for &what in whats {
            let mut subject = Subject::new(what, kernel)?;
            for alone in [false, true] {
                if alone && (subject.calls.alone.is_none() || what != whats[0]) {
                    continue;
                }
                messages.reset();
                let sum = subject.run(alone, messages, 2)?.sum;
                match &made {
                    None => made = Some((messages.bytes().to_vec(), sum)),
                    Some((bytes, first)) if bytes == messages.bytes() && *first == sum => {}
                    Some(_) => return Err(Error::Alone { what, size, kernel }),
                }
            }
        }
        Ok(made)
    };
    let expected = outcome(simplest)?;
    for &kernel in [best].iter().chain(kernels).filter(|kernel| **kernel != simplest) {
        if outcome(kernel)? != expected {
            return Err(Error::Output { what, size, kernel, other: simplest });
        }
    }
    messages.reset();
    Ok(())
}

#[cfg(test)]
mod tests;
