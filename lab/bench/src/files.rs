//! `abreast-bench files`: how fast files are sealed, opened and verified in a folder, and what the parts of that cost.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::num::NonZeroUsize;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use abreast_cli::{Exit, Failure, parse_size, print};
use abreast_lab::machine::Machine;
use abreast_sealed::output::Place;
use abreast_sealed::{
    Aead, Costs, Header, Input, Key, Opener, Output, PassphraseLine, ReadAt, Sealer, WriteAt,
};
use clap::ValueHint;
use rustix::time::{ClockId, clock_gettime};

/// Bytes that are read and written at once, as many as a worker takes.
const PIECE: usize = 256 << 10;
/// The smallest file: times of shorter ones are those of opening it.
const SMALLEST: usize = 1 << 20;

/// Measure how fast files are sealed, opened and verified, and what the parts of that cost
///
/// Each row tells the median of the trials. CPU s counts all threads, in the program and in the kernel. The copy is that of the
/// standard library, which leaves the copying to the kernel, and not the wait for the disk; neither is in any row but
/// those of sync, seal and open.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Rows:
  read     the file, from the system's cache, in pieces of 256 KiB by one thread
  encrypt  as many bytes in memory, into chunks as in a sealed file, by all threads
  write    a new file of as many bytes, in such pieces by one thread
  sync     that file, to the disk
  copy     the file into a new one, by the kernel
  hash     a passphrase at the usual costs, once
  seal     the file into a new one under a key, sync included
  open     the sealed file into a new one, sync included
  verify   the sealed file

In a folder of tmpfs, as /dev/shm, there is no disk, and the rows tell what the rest costs.")]
pub(crate) struct Args {
    /// The folder to work in, with room for four such files
    #[arg(value_name = "DIR", default_value = ".", value_hint = ValueHint::DirPath)]
    folder: PathBuf,
    /// Length of the file, from 1M on, with K, M or G
    #[arg(long, value_name = "SIZE", default_value = "256M", value_parser = parse_length)]
    size: usize,
    /// Number of threads [default: one for each core]
    #[arg(short, long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
    /// Number of trials
    #[arg(long, value_name = "N", default_value = "5")]
    trials: NonZeroUsize,
}

/// Parses the length of the file.
fn parse_length(given: &str) -> Result<usize, String> {
    let size = parse_size(given)?;
    if size < SMALLEST { Err("the length is 1M or more".into()) } else { Ok(size) }
}

/// The time that a step took.
#[derive(Clone, Copy)]
struct Taken {
    wall: Duration,
    /// CPU time of all threads.
    cpu: Duration,
}

/// Input of zeros that costs no time.
struct Nothing(u64);

impl ReadAt for Nothing {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let left = usize::try_from(self.0.saturating_sub(offset)).unwrap_or(usize::MAX);
        Ok(buffer.len().min(left))
    }

    fn size(&self) -> io::Result<u64> {
        Ok(self.0)
    }
}

/// Output that costs no time.
impl WriteAt for Nothing {
    fn write_all_at(&self, _: &[u8], _: u64) -> io::Result<()> {
        Ok(())
    }
}

/// The names of the steps, in their order.
const STEPS: [&str; 9] = ["read", "encrypt", "write", "sync", "copy", "hash", "seal", "open", "verify"];

/// Runs the command.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    // Removed with everything in it when this returns.
    let folder = tempfile::Builder::new().prefix(".abreast-bench-").tempdir_in(&args.folder);
    let folder = folder.map_err(|error| failure(&args.folder, &error))?;
    let jobs = args.jobs.or_else(|| thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN);
    let work = Work::begin(folder.path(), args.size, jobs).map_err(|error| failure(&args.folder, &error))?;
    let mut taken = vec![Vec::new(); STEPS.len()];
    for _ in 0..args.trials.get() {
        let trial = work.trial().map_err(|error| failure(&args.folder, &error))?;
        taken.iter_mut().zip(trial).for_each(|(all, one)| all.push(one));
    }
    let machine = Machine::this();
    let mut table = format!(
        "{}, {} threads, {} MiB, median of {}\n\nSTEP          ms    GB/s   CPU ms\n",
        machine.cpu,
        jobs,
        args.size >> 20,
        args.trials
    );
    for (step, mut all) in STEPS.iter().zip(taken) {
        all.sort_by_key(|taken| taken.wall);
        let Taken { wall, cpu } = all[all.len() / 2];
        let speed = match *step {
            "hash" => format!("{:>7}", "-"),
            _ => format!("{:7.2}", args.size as f64 / wall.as_secs_f64() / 1e9),
        };
        let (wall, cpu) = (wall.as_secs_f64() * 1e3, cpu.as_secs_f64() * 1e3);
        table.push_str(&format!("{step:8} {wall:7.1} {speed} {cpu:8.1}\n"));
    }
    print(&table)
}

/// Returns the failure of the work in a folder.
fn failure(folder: &Path, error: &io::Error) -> Failure {
    Failure::new(Exit::Io, folder, error)
}

/// The files and keys of the trials.
struct Work<'a> {
    folder: &'a Path,
    size: usize,
    jobs: NonZeroUsize,
    key: Key,
    line: PassphraseLine,
}

impl Work<'_> {
    /// Writes the file to seal, of bytes that no file system can compress, and seals it once.
    fn begin(folder: &Path, size: usize, jobs: NonZeroUsize) -> io::Result<Work<'_>> {
        let key = Key::generate(Aead::Aes256Gcm).map_err(io::Error::other)?;
        let line = PassphraseLine::generate(Aead::Aes256Gcm, Costs::DEFAULT).map_err(io::Error::other)?;
        let work = Work { folder, size, jobs, key, line };
        let message = File::create_new(work.path("message"))?;
        let sealer = work.sealer()?;
        let input = Nothing(size as u64);
        sealer.seal(Input::At(&input), Output::At(&message), jobs, &()).map_err(io::Error::other)?;
        message.set_len(size as u64)?;
        work.seal("sealed")?;
        Ok(work)
    }

    /// Returns the path of a file.
    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Returns a sealer for one file.
    fn sealer(&self) -> io::Result<Sealer> {
        Sealer::new(&self.key).map_err(io::Error::other)
    }

    /// Runs each step once, in the order of [`STEPS`].
    fn trial(&self) -> io::Result<[Taken; STEPS.len()]> {
        let mut piece = vec![0; PIECE];
        let read = timed(|| {
            let mut message = File::open(self.path("message"))?;
            while message.read(&mut piece)? > 0 {}
            Ok(())
        })?;
        let nothing = Nothing(self.size as u64);
        let sealer = self.sealer()?;
        let encrypt = timed(|| {
            let sealed = sealer.seal(Input::At(&nothing), Output::At(&nothing), self.jobs, &());
            sealed.map(drop).map_err(io::Error::other)
        })?;
        let mut written = File::create_new(self.path("written"))?;
        let write = timed(|| {
            let whole = (0..self.size / PIECE).try_for_each(|_| written.write_all(&piece));
            whole.and_then(|()| written.write_all(&piece[..self.size % PIECE]))
        })?;
        let sync = timed(|| written.sync_all())?;
        fs::remove_file(self.path("written"))?;
        let copy = timed(|| fs::copy(self.path("message"), self.path("copied")).map(drop))?;
        fs::remove_file(self.path("copied"))?;
        let hash = timed(|| self.line.stretch(b"a passphrase").map(drop).map_err(io::Error::other))?;
        let seal = timed(|| self.seal("resealed"))?;
        fs::remove_file(self.path("resealed"))?;
        let open = timed(|| self.open(Some("opened")))?;
        fs::remove_file(self.path("opened"))?;
        let verify = timed(|| self.open(None))?;
        Ok([read, encrypt, write, sync, copy, hash, seal, open, verify])
    }

    /// Seals the file into a new one.
    fn seal(&self, name: &str) -> io::Result<()> {
        let message = File::open(self.path("message"))?;
        self.write_new(name, |output| {
            self.sealer()?
                .seal(Input::At(&message), output, self.jobs, &())
                .map(drop)
                .map_err(io::Error::other)
        })
    }

    /// Opens the sealed file into a new one, or only verifies it.
    fn open(&self, name: Option<&str>) -> io::Result<()> {
        let sealed = File::open(self.path("sealed"))?;
        let mut start = vec![0; abreast_sealed::HEADER];
        sealed.read_exact_at(&mut start, 0)?;
        let header = Header::from_bytes(&start).map_err(io::Error::other)?;
        let opener = Opener::new(&header, &self.key).map_err(io::Error::other)?;
        let open = |output: Output<'_>| {
            opener.open(Input::At(&sealed), output, self.jobs, &()).map_err(io::Error::other)
        };
        match name {
            Some(name) => self.write_new(name, open),
            None => open(Output::Nothing),
        }
    }

    /// Writes a new file, which gets its place when it is complete and on the disk.
    fn write_new(&self, name: &str, write: impl FnOnce(Output<'_>) -> io::Result<()>) -> io::Result<()> {
        let place = Place::open(&self.path(name), false).map_err(io::Error::other)?;
        let mut file = place.create().map_err(io::Error::other)?;
        write(file.output())?;
        file.publish().map(drop).map_err(io::Error::other)
    }
}

/// Runs a step, and returns the time that it took.
fn timed(step: impl FnOnce() -> io::Result<()>) -> io::Result<Taken> {
    let cpu = || {
        let time = clock_gettime(ClockId::ProcessCPUTime);
        Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
    };
    let (begin, before) = (Instant::now(), cpu());
    step()?;
    Ok(Taken { wall: begin.elapsed(), cpu: cpu().saturating_sub(before) })
}
