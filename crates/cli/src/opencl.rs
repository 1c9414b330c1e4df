//! OpenCL devices: what `kernels` shows of them, `raw` on one, `bench --device`, and the step of the ladder of XTEA.

mod bench;

use std::cell::RefCell;
use std::fs;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use abreast::InOutBuf;
use abreast::kernels::Algorithm;
use abreast::modes::Direction;
use abreast_gpu::{
    CHUNK, Cipher, Costs, Device, DeviceKind, Error, Gpu, Options, Stopped, Times, Xts, find_device,
};
use abreast_lab::ladder::{Ladder, Step};
use abreast_lab::ladders::xtea;

use crate::args::{Command, Mode, RawArgs, RawCipher, RawDirection, RawRun};
use crate::cache;
use crate::failure::{Exit, Failure};
use crate::raw::pump::Pump;
use crate::raw::{Job, UNIT};

pub(crate) use bench::bench;

/// The most bytes that go through a device in one call of `raw`: several chunks, so that copies and kernels overlap.
const BATCH: usize = 4 * CHUNK;
/// The fewest.
const LEAST_BATCH: usize = 1 << 20;

/// What is said of every figure of a device that is no GPU.
const NO_GPU: &str = "a CPU device: no figure of a GPU";

/// The folder for what is compiled and measured.
fn cache_folder() -> Option<PathBuf> {
    Some(cache::folder()?.join("opencl"))
}

/// Makes drivers known that the loader does not find by itself, if the command can have a use for them. It has to be called
/// while there is one thread.
pub(crate) fn find_drivers(command: &Command) {
    let uses_devices = match command {
        Command::Raw(args) => is_asked_by(args),
        Command::Kernels(_) | Command::Bench(_) | Command::Ladder(_) => true,
        _ => false,
    };
    if let Some(folder) = cache_folder().filter(|_| uses_devices) {
        // Where the folder cannot be written, the drivers that are known have to do.
        let _ = abreast_gpu::find_drivers(&folder.join("vendors"));
    }
}

/// Takes a device into use.
fn open(name: Option<&str>) -> Result<Arc<Gpu>, Failure> {
    let device = find_device(name).map_err(failure)?;
    Gpu::open(&device, &Options { cache: cache_folder(), ..Options::default() }).map_err(failure)
}

/// What a failure of a device means.
fn failure(error: Error) -> Failure {
    let exit = match error {
        Error::Name { .. } | Error::Unsupported(_) | Error::Cipher(_) => Exit::Usage,
        _ => Exit::Io,
    };
    Failure::plain(exit, error)
}

/// A device as `kernels` shows it.
pub(crate) struct DeviceRow {
    pub(crate) name: String,
    pub(crate) kind: String,
    pub(crate) memory: u64,
    pub(crate) driver: String,
    /// From how many bytes on it is faster than a thread of the CPU, by cipher, as far as that was measured.
    pub(crate) pays: String,
}

/// The devices, or why there is none.
pub(crate) fn devices() -> Result<Vec<DeviceRow>, String> {
    let devices = abreast_gpu::devices().map_err(|error| error.to_string())?;
    let folder = cache_folder();
    let row = |device: &Device| DeviceRow {
        name: device.name().into(),
        kind: device.kind().to_string(),
        memory: device.memory(),
        driver: device.driver().into(),
        pays: folder.as_ref().map_or(String::new(), |folder| pays(device, folder)),
    };
    Ok(devices.iter().map(row).collect())
}

/// From how many bytes on a device is faster.
fn pays(device: &Device, folder: &std::path::Path) -> String {
    let known = abreast::kernels::algorithms().iter().filter_map(|&algorithm| {
        let from = match Costs::known(device, folder, algorithm)?.crossover() {
            Some(bytes) => bytes.to_string(),
            None => "never".into(),
        };
        Some(format!("{} {from}", algorithm.name()))
    });
    match known.collect::<Vec<_>>() {
        known if known.is_empty() => "not measured: abreast bench --device NAME".into(),
        known => known.join(", "),
    }
}

/// The options of `raw`, whatever the direction.
fn run_of(args: &RawArgs) -> (&RawRun, Direction) {
    match &args.direction {
        RawDirection::Encrypt(run) => (run, Direction::Encrypt),
        RawDirection::Decrypt(run) => (run, Direction::Decrypt),
    }
}

/// Whether `raw` is to run on a device.
pub(crate) fn is_asked_by(args: &RawArgs) -> bool {
    let (run, _) = run_of(args);
    matches!(run.kernel.as_deref(), Some("opencl" | "auto")) || run.device.is_some()
}

/// `abreast raw` with `--kernel opencl` or `auto`.
pub(crate) fn raw(args: &RawArgs) -> Result<(), Failure> {
    let (run, direction) = run_of(args);
    let automatic = match run.kernel.as_deref() {
        Some("opencl") => false,
        Some("auto") => true,
        _ => return Err(Failure::usage("--device is for --kernel opencl and --kernel auto")),
    };
    let (cipher, mode) = match (run.cipher, run.mode) {
        (RawCipher::Block(cipher), Some(mode @ (Mode::Ecb | Mode::Ctr | Mode::Xts))) => (cipher, mode),
        (RawCipher::Rc4, _) => {
            return Err(Failure::usage(
                "--kernel means nothing to rc4: there is one way to go about one stream",
            ));
        }
        _ => return Err(Failure::usage("OpenCL devices have block ciphers in the modes ecb, ctr and xts")),
    };
    let job = Job::new(run, cipher, mode, direction, |_| Ok(None))?;
    // Where it is automatic and no device was named, a device that is not there or does not work is done without, and so is a
    // CPU device: it takes time from the CPU, whose own kernels are faster.
    let may_do_without = automatic && run.device.is_none();
    let opened = match open(run.device.as_deref()) {
        Ok(gpu) if may_do_without && gpu.device().kind() == DeviceKind::Cpu => return job.run(),
        Ok(gpu) if automatic => Costs::of(&gpu, cipher).map(|costs| (gpu, Some(costs))).map_err(failure),
        Ok(gpu) => Ok((gpu, None)),
        Err(failure) => Err(failure),
    };
    let (gpu, costs) = match opened {
        Err(_) if may_do_without => return job.run(),
        opened => opened?,
    };
    let (data_key, tweak_key) = job.key.split_at(cipher.key_len());
    if mode == Mode::Xts {
        let xts = Xts::new(&gpu, cipher, data_key, tweak_key).map_err(failure)?;
        let xts = costs.into_iter().fold(xts, Xts::with_costs);
        return in_units(&job, &xts);
    }
    let keyed = Cipher::new(&gpu, cipher, data_key).map_err(failure)?;
    let keyed = costs.into_iter().fold(keyed, Cipher::with_costs);
    if mode == Mode::Ecb {
        return pass(&job, batch(run), |io| match direction {
            Direction::Encrypt => keyed.encrypt_raw_blocks(io),
            Direction::Decrypt => keyed.decrypt_raw_blocks(io),
        });
    }
    let mut ctr = keyed.ctr(&job.iv, job.counter_width()).map_err(|error| match error {
        Error::Cipher(abreast::Error::CounterLength) => {
            job.bad_iv("the first counter block", cipher.block_size())
        }
        error => failure(error),
    })?;
    pass(&job, batch(run), |io| ctr.apply(io))
}

/// Bytes that go through a device in one call: all of a file that is not too long.
fn batch(run: &RawRun) -> usize {
    let file = fs::metadata(&run.input).ok().filter(fs::Metadata::is_file);
    let len = file.map_or(BATCH as u64, |file| file.len().next_multiple_of(LEAST_BATCH as u64));
    len.clamp(LEAST_BATCH as u64, BATCH as u64) as usize
}

/// XTS, as many units together as fill a batch.
fn in_units(job: &Job<'_>, xts: &Xts) -> Result<(), Failure> {
    let unit = job.run.unit.unwrap_or(UNIT);
    let mut number = job.first_unit()?;
    // Of no data, to have a bad length refused before anything is opened.
    xts.encrypt_units(0, unit, (&mut [][..]).into()).map_err(|stopped| failure(stopped.error))?;
    let together = (batch(job.run) / unit).max(1);
    pass(job, together * unit, |io| {
        let first = number;
        number = number.wrapping_add(together as u128);
        match job.direction {
            Direction::Encrypt => xts.encrypt_units(first, unit, io),
            Direction::Decrypt => xts.decrypt_units(first, unit, io),
        }
    })
}

/// Passes everything through a device. What it writes appears when all of it is done.
fn pass(
    job: &Job<'_>,
    batch: usize,
    mut work: impl FnMut(InOutBuf<'_, '_, u8>) -> Result<Times, Stopped>,
) -> Result<(), Failure> {
    let mut of_device = None;
    let passed = Pump::open(job.run, batch)?.stream(|io| match work(io) {
        Ok(_) => Ok(()),
        Err(Stopped { error: Error::Cipher(error), .. }) => Err(error),
        Err(Stopped { error, .. }) => {
            of_device = Some(error);
            Err(abreast::Error::NotProcessed)
        }
    });
    match of_device {
        Some(error) => Err(failure(error)),
        None => passed,
    }
}

/// What the calls of the step of a workload took: in all, and apart.
type Calls = Rc<RefCell<Vec<(f64, Times)>>>;

/// The last step of the ladder of XTEA: an OpenCL device, from host memory.
pub(crate) struct OpenClSteps {
    device: String,
    workloads: Vec<(&'static str, Calls)>,
}

/// The lengths for which there is the step: those of the article, and one that fills the pipeline.
const OF_ARTICLE: [&str; 3] = ["25 KB", "500 KB", "1572 KB"];

impl OpenClSteps {
    /// Adds the step, or why it is missing, to the ladder of XTEA; to others nothing. Where there is a device and time for it, it
    /// adds a long message, too.
    pub(crate) fn add_to(ladder: &mut Ladder, quick: bool) -> Self {
        let mut steps = Self { device: String::new(), workloads: Vec::new() };
        if ladder.name != "xtea" {
            return steps;
        }
        let algorithm = Algorithm::from_name("xtea").expect("XTEA is in the registry");
        let opened = find_device(None).and_then(|device| {
            let gpu = Gpu::open(&device, &Options { cache: cache_folder(), ..Options::default() })?;
            Ok(Rc::new(Cipher::new(&gpu, algorithm, &xtea::KEY)?))
        });
        let cipher = match opened {
            Ok(cipher) => cipher,
            Err(_) => {
                for workload in ladder.workloads.iter_mut().filter(|it| OF_ARTICLE.contains(&it.name)) {
                    let run = Err("this machine has no OpenCL device that works");
                    workload.steps.push(Step { run, ..Step::new("OpenCL", CHANGE, |_, _| {}) });
                }
                return steps;
            }
        };
        let device = cipher.gpu().device();
        steps.device = format!("{}, {}", device.name(), device.kind());
        let name = match device.kind() {
            DeviceKind::Cpu => "OpenCL on a CPU device",
            _ => "OpenCL",
        };
        if !quick {
            ladder.workloads.push(xtea::long_message());
        }
        for workload in &mut ladder.workloads {
            if !OF_ARTICLE.contains(&workload.name) && workload.name != xtea::LONG {
                continue;
            }
            let calls = Calls::default();
            let (kept, cipher) = (calls.clone(), cipher.clone());
            workload.steps.push(Step::new(name, CHANGE, move |input, output| {
                let start = Instant::now();
                let buffers = InOutBuf::new(input, output).expect("both have the same length");
                // A device that fails leaves an output that the ladder finds out.
                if let Ok(times) = cipher.encrypt_raw_blocks(buffers) {
                    kept.borrow_mut().push((start.elapsed().as_secs_f64(), times));
                }
            }));
            steps.workloads.push((workload.name, calls));
        }
        steps
    }

    /// What the step of a workload took apart, as medians.
    pub(crate) fn apart(&self, workload: &str) -> Option<String> {
        let (_, calls) = self.workloads.iter().find(|(name, _)| *name == workload)?;
        let calls = calls.borrow();
        let median = |part: fn(&(f64, Times)) -> f64| {
            let mut seconds: Vec<f64> = calls.iter().map(part).collect();
            seconds.sort_by(f64::total_cmp);
            seconds.get(seconds.len() / 2).map_or(0.0, |seconds| seconds * 1e6)
        };
        let all = median(|(all, _)| *all);
        let to = median(|(_, times)| times.to_device);
        let kernels = median(|(_, times)| times.kernels);
        let back = median(|(_, times)| times.from_device);
        let device = &self.device;
        let note = if device.ends_with("CPU") { format!(" ({NO_GPU})") } else { String::new() };
        Some(format!(
            "{workload} by OpenCL on {device}{note}: {all:.0} us a call, of which {to:.0} us are copies to the device, \
             {kernels:.0} us kernels and {back:.0} us copies back (medians; chunks overlap)"
        ))
    }
}

/// What changes with the step.
const CHANGE: &str = "Each block is a work item of a kernel. The message is copied to the device and back, and launching a \
                      kernel takes as long as many blocks: it pays for long messages, if at all.";
