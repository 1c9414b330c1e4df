//! Measurements: the constants of the cost model, and for the report on a device (`cargo xtask gpu-report`) the speeds of the
//! parts of the work.

use std::sync::Arc;
use std::time::Instant;

use abreast::InOutBuf;
use abreast::kernels::Algorithm;
use abreast::modes::{CounterWidth, Ctr as CpuCtr, Direction};

use crate::Error;
use crate::cipher::{Cipher, Mode, Stopped, Stream};
use crate::cost::Costs;
use crate::gpu::{CHUNKS_UNDER_WAY, Gpu, Task, Work};
use crate::program::Program;

/// Bytes for which a call is measured: of one that is all latency, and of one with many chunks.
const SHORT: usize = 64;
const LONG: usize = 32 << 20;
/// The bytes that the CPU is measured with.
const ON_CPU: usize = 1 << 20;
/// Repetitions of each measurement; the fastest run counts.
const TIMES: usize = 3;

impl Costs {
    /// Returns the costs of a cipher on a device; measures them if they are not in the cache of the device.
    ///
    /// # Errors
    /// The errors of the device.
    pub fn of(gpu: &Arc<Gpu>, algorithm: Algorithm) -> Result<Self, Error> {
        match Self::read(gpu.cache(), gpu.device(), algorithm) {
            Some(costs) => Ok(costs),
            None => Self::measure(gpu, algorithm),
        }
    }

    /// Measures the costs of a cipher, and keeps them.
    ///
    /// # Errors
    /// The errors of the device.
    pub fn measure(gpu: &Arc<Gpu>, algorithm: Algorithm) -> Result<Self, Error> {
        let cipher = Cipher::new(gpu, algorithm, &vec![0; algorithm.key_len()])?;
        let counter = vec![0; algorithm.block_size()];
        let mut data = vec![0; LONG];
        let mut device = |len: usize| {
            let mut best = f64::INFINITY;
            for _ in 0..=TIMES {
                let mut ctr = cipher.ctr(&counter, CounterWidth::Bits64)?;
                let start = Instant::now();
                ctr.apply((&mut data[..len]).into()).map_err(|Stopped { error, .. }| error)?;
                best = best.min(start.elapsed().as_secs_f64());
            }
            Ok::<f64, Error>(best)
        };
        let (short, long) = (device(SHORT)?, device(LONG)?);
        let cpu = algorithm.with_key(&vec![0; algorithm.key_len()], None)?;
        let mut best = f64::INFINITY;
        for _ in 0..=TIMES {
            let mut ctr = CpuCtr::from_cipher(&cpu, &counter, CounterWidth::Bits64)?;
            let start = Instant::now();
            ctr.apply(&mut data[..ON_CPU])?;
            best = best.min(start.elapsed().as_secs_f64());
        }
        let costs = Self {
            device_call: short,
            device_byte: (long - short).max(0.0) / LONG as f64,
            cpu_byte: best / ON_CPU as f64,
        };
        costs.keep(gpu.cache(), gpu.device(), algorithm);
        Ok(costs)
    }
}

/// Bytes per second.
#[derive(Clone, Copy, Debug)]
pub struct Rates {
    /// Kernels on data that is on the device.
    pub resident: f64,
    /// Whole chunks from pinned memory and back, copies and kernels side by side.
    pub pinned: f64,
    /// Copies from pinned memory to the device.
    pub to_device: f64,
    /// Copies from the device to pinned memory.
    pub from_device: f64,
}

/// Runs of a kernel on the data on the device.
const REPETITIONS: usize = 32;
/// Chunks that go through for each other figure.
const CHUNKS: usize = 24;

/// Measures the rates of encryption in a mode: raw blocks or, with a counter, counter mode.
///
/// # Errors
/// The errors of the device.
pub fn rates(cipher: &Cipher, counter: bool) -> Result<Rates, Error> {
    let mut data = vec![0; cipher.gpu().chunk()];
    let run = |what, data: &mut [u8]| -> Result<(f64, crate::Times), Error> {
        let mode = match counter {
            true => Mode::Ctr { first: 0, mask: u128::MAX },
            false => Mode::Ecb(Direction::Encrypt),
        };
        let chunks = if what == Part::Resident { 1 } else { CHUNKS };
        let mut work = Again {
            stream: Stream::new(cipher, mode, InOutBuf::from(data)),
            what,
            left: chunks,
            tasks: Default::default(),
        };
        let start = Instant::now();
        let times = cipher.run_work(&mut work)?;
        Ok((start.elapsed().as_secs_f64(), times))
    };
    let len = data.len() as f64;
    // The first run is for memory that was never touched, and clocks that are low.
    run(Part::All, &mut data)?;
    let all = run(Part::All, &mut data)?.0.min(run(Part::All, &mut data)?.0);
    let resident = run(Part::Resident, &mut data)?.1.kernels;
    let to = run(Part::ToDevice, &mut data)?.1.to_device;
    let from = run(Part::FromDevice, &mut data)?.1.from_device;
    let chunks = CHUNKS as f64;
    Ok(Rates {
        resident: len * REPETITIONS as f64 / resident,
        pinned: len * chunks / all,
        to_device: len * chunks / to,
        from_device: len * chunks / from,
    })
}

/// The part of the work that is done with each chunk.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    All,
    Resident,
    ToDevice,
    FromDevice,
}

/// Chunks that are in the staging buffers once, and go to the device again and again.
struct Again<'c, 'i, 'o> {
    stream: Stream<'c, 'static, 'i, 'o>,
    what: Part,
    left: usize,
    tasks: [Option<Task>; CHUNKS_UNDER_WAY],
}

impl Work for Again<'_, '_, '_> {
    fn program(&self) -> Program {
        self.stream.program()
    }

    fn next(&mut self, slot: usize, staging: &mut [u8]) -> Option<Task> {
        self.left = self.left.checked_sub(1)?;
        if self.tasks[slot].is_none() {
            self.stream.rewind();
            self.tasks[slot] = self.stream.next(slot, staging);
        }
        let mut task = self.tasks[slot].clone()?;
        match self.what {
            Part::All => {}
            Part::Resident => task.steps = vec![task.steps[0]; REPETITIONS],
            Part::ToDevice => (task.steps, task.down) = (Vec::new(), 0..0),
            Part::FromDevice => (task.steps, task.up) = (Vec::new(), 0..0),
        }
        Some(task)
    }

    fn take(&mut self, _: usize, _: &[u8]) -> bool {
        true
    }
}
