//! The cost model: is the device faster than the CPU for a number of bytes?
//!
//! A call of the device takes a fixed time and a time for each byte; the CPU takes a time for each byte. Three constants of a
//! cipher, which are measured once per device and kept, tell where the lines cross. They are measured with counter mode, from
//! host memory to host memory, against one thread of the CPU; the other modes do about the same work for a byte.

use std::path::Path;

use abreast::kernels::Algorithm;

use crate::cache::{Cache, Name};
use crate::device::Device;

/// The costs of a call on the device and on the CPU.
///
/// ```
/// use abreast_gpu::Costs;
///
/// // 20 microseconds a call, 10 GB/s on the device and 1 GB/s on the CPU.
/// let costs = Costs { device_call: 2e-5, device_byte: 1e-10, cpu_byte: 1e-9 };
/// assert!(costs.cpu_is_faster(10_000) && !costs.cpu_is_faster(1 << 20));
/// assert_eq!(costs.crossover(), Some(22_223));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Costs {
    /// Seconds of a call to the device, however short.
    pub device_call: f64,
    /// Seconds for each byte on the device and on the way there and back.
    pub device_byte: f64,
    /// Seconds for each byte on one thread of the CPU.
    pub cpu_byte: f64,
}

impl Costs {
    /// Returns the costs that were measured before and kept in the folder [`Options::cache`](crate::Options::cache), if there
    /// are any.
    #[must_use]
    pub fn known(device: &Device, folder: &Path, algorithm: Algorithm) -> Option<Self> {
        Self::read(&Cache::in_folder(Some(folder)), device, algorithm)
    }

    /// Returns the costs that a cache holds, if it has any.
    pub(crate) fn read(cache: &Cache, device: &Device, algorithm: Algorithm) -> Option<Self> {
        let bytes = cache.get(&name(device, algorithm))?;
        let text = String::from_utf8(bytes).ok()?;
        let mut numbers = text.split_whitespace();
        let mut number = || seconds(numbers.next()?);
        Some(Self { device_call: number()?, device_byte: number()?, cpu_byte: number()? })
    }

    /// Keeps the costs in the cache of the device.
    pub(crate) fn keep(self, cache: &Cache, device: &Device, algorithm: Algorithm) {
        let Self { device_call, device_byte, cpu_byte } = self;
        let bits = [device_call, device_byte, cpu_byte].map(f64::to_bits);
        let text = format!("{:016x} {:016x} {:016x}\n", bits[0], bits[1], bits[2]);
        cache.put(&name(device, algorithm), text.as_bytes());
    }

    /// True if the CPU is expected to be faster for `len` bytes.
    #[must_use]
    pub fn cpu_is_faster(&self, len: usize) -> bool {
        let len = len as f64;
        len * self.cpu_byte < self.device_call + len * self.device_byte
    }

    /// Returns the number of bytes from which on the device is expected to be faster; none if it never is.
    #[must_use]
    pub fn crossover(&self) -> Option<u64> {
        let gain = self.cpu_byte - self.device_byte;
        (gain > 0.0).then(|| (self.device_call / gain).ceil() as u64)
    }
}

/// Returns the seconds that a cache holds as 16 digits of their bits. Decimal fractions would bring 30 KB of code to read and write
/// them, to every program that uses the library.
fn seconds(digits: &str) -> Option<f64> {
    let bits = u64::from_str_radix(digits, 16).ok().filter(|_| digits.len() == 16)?;
    Some(f64::from_bits(bits)).filter(|number| number.is_finite() && *number >= 0.0)
}

/// Returns the name in the cache.
fn name(device: &Device, algorithm: Algorithm) -> Name {
    let cpu = algorithm.best_kernel().map_or("", abreast::Kernel::name);
    Name::of("costs", &[&device.fingerprint(), algorithm.name(), cpu])
}
