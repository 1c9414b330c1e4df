//! The cost model: is the device faster than the CPU for so many bytes?
//!
//! A call of the device takes a time that does not depend on the data, and then a time for each byte; the CPU takes a time
//! for each byte. Three constants of a cipher, which are measured once per device and kept, tell where
//! the lines cross. They are measured with counter mode, from host memory to host memory, against one thread of the CPU; the
//! other modes differ little in what they do for a byte.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use abreast::kernels::Algorithm;
use abreast::modes::{CounterWidth, Ctr as CpuCtr};

use crate::Error;
use crate::cache::{Cache, Name};
use crate::cipher::{Cipher, Stopped};
use crate::device::Device;
use crate::gpu::Gpu;

/// What a call costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Costs {
    /// Seconds of a call to the device, however short.
    pub device_call: f64,
    /// Seconds for each byte on the device and on the way there and back.
    pub device_byte: f64,
    /// Seconds for each byte on one thread of the CPU.
    pub cpu_byte: f64,
}

/// Bytes for which a call is measured: of one that is all latency, and of one with many chunks.
const SHORT: usize = 64;
const LONG: usize = 32 << 20;
/// The bytes that the CPU is measured with.
const ON_CPU: usize = 1 << 20;
/// How often each is measured; the fastest counts.
const TIMES: usize = 3;

impl Costs {
    /// Those of a cipher on a device, which are measured if they are not in the cache of the device.
    ///
    /// # Errors
    /// Those of the device.
    pub fn of(gpu: &Arc<Gpu>, algorithm: Algorithm) -> Result<Self, Error> {
        match Self::read(gpu.cache(), gpu.device(), algorithm) {
            Some(costs) => Ok(costs),
            None => Self::measure(gpu, algorithm),
        }
    }

    /// Those that were measured before and kept in a folder, that of [`Options::cache`](crate::Options::cache).
    #[must_use]
    pub fn known(device: &Device, folder: &Path, algorithm: Algorithm) -> Option<Self> {
        Self::read(&Cache::in_folder(Some(folder)), device, algorithm)
    }

    fn read(cache: &Cache, device: &Device, algorithm: Algorithm) -> Option<Self> {
        let bytes = cache.get(&name(device, algorithm))?;
        let text = String::from_utf8(bytes).ok()?;
        let mut numbers = text.split_whitespace().map(str::parse::<f64>);
        let mut number = || numbers.next()?.ok().filter(|number| number.is_finite() && *number >= 0.0);
        Some(Self { device_call: number()?, device_byte: number()?, cpu_byte: number()? })
    }

    /// Measures those of a cipher, and keeps them.
    ///
    /// # Errors
    /// Those of the device.
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
        let Self { device_call, device_byte, cpu_byte } = costs;
        let text = format!("{device_call:e} {device_byte:e} {cpu_byte:e}\n");
        gpu.cache().put(&name(gpu.device(), algorithm), text.as_bytes());
        Ok(costs)
    }

    /// Whether the CPU is expected to be faster for so many bytes.
    #[must_use]
    pub fn cpu_is_faster(&self, len: usize) -> bool {
        let len = len as f64;
        len * self.cpu_byte < self.device_call + len * self.device_byte
    }

    /// From how many bytes on the device is expected to be faster; none if it never is.
    #[must_use]
    pub fn crossover(&self) -> Option<u64> {
        let gain = self.cpu_byte - self.device_byte;
        (gain > 0.0).then(|| (self.device_call / gain).ceil() as u64)
    }
}

/// The name in the cache.
fn name(device: &Device, algorithm: Algorithm) -> Name {
    let cpu = algorithm.best_kernel().map_or("", abreast::Kernel::name);
    Name::of("costs", &[&device.fingerprint(), algorithm.name(), cpu])
}
