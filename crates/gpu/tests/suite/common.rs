//! Devices, random numbers, and the CPU's results.

use std::collections::BTreeMap;
use std::env;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock};

use abreast_gpu::{CHUNK, Device, Error, Gpu, LEAST_CHUNK, Options, devices};

/// The devices, or a line that the test is skipped. With `ABREAST_DEVICE`, a part of a name, the others are left out.
pub(crate) fn all_devices() -> Vec<Device> {
    let wanted = env::var("ABREAST_DEVICE").unwrap_or_default();
    match devices() {
        Ok(devices) => {
            let named: Vec<_> =
                devices.into_iter().filter(|device| device.name().contains(&wanted)).collect();
            assert!(!named.is_empty(), "no device is called {wanted}");
            named
        }
        Err(error @ (Error::NoLibrary | Error::NoDevice)) => {
            assert!(env::var_os("ABREAST_NO_SKIP").is_none_or(|value| value != "1"), "{error}");
            // Past the capture of the tests' output.
            let _ = writeln!(io::stderr(), "skipped: {error}");
            Vec::new()
        }
        Err(error) => panic!("{error}"),
    }
}

/// A folder for compiled kernels, which the tests of one build share.
pub(crate) fn cache_folder() -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("opencl")
}

/// Options for chunks of a length, copied by several threads whatever the machine.
pub(crate) fn options(chunk: usize) -> Options {
    Options { chunk, copy_threads: 3, ..Options::with_cache(&cache_folder()) }
}

/// Runs a test on each device, opened once for all tests of a length of chunks.
pub(crate) fn on_each(chunk: usize, test: impl Fn(&Arc<Gpu>)) {
    type Open = BTreeMap<(usize, usize), Arc<Gpu>>;
    static OPEN: OnceLock<Mutex<Open>> = OnceLock::new();
    for (n, device) in all_devices().iter().enumerate() {
        let open = || Gpu::open(device, &options(chunk)).expect("the device can be opened");
        let gpu =
            OPEN.get_or_init(Mutex::default).lock().unwrap().entry((n, chunk)).or_insert_with(open).clone();
        test(&gpu);
    }
}

/// Chunks of the shortest length, so that short messages have many.
pub(crate) const SHORT: usize = LEAST_CHUNK;
/// Chunks of the usual length.
pub(crate) const USUAL: usize = CHUNK;

/// Random numbers, the same for the same seed (splitmix64, Steele et al. 2014).
pub(crate) struct Random(u64);

impl Random {
    /// With `ABREAST_SEED` the seeds are others.
    pub(crate) fn new(seed: u64) -> Self {
        let other = env::var("ABREAST_SEED").ok().and_then(|text| text.parse::<u64>().ok()).unwrap_or(0);
        Self(seed ^ other.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    pub(crate) fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// A number below a bound.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.word()) * bound as u128) >> 64) as usize
    }

    /// A number from 0 to `most`, each power of two as likely as any other.
    pub(crate) fn log_uniform(&mut self, most: usize) -> usize {
        let bits = self.below(most.ilog2() as usize + 2);
        self.below(1 << bits).min(most)
    }

    pub(crate) fn bytes(&mut self, len: usize) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(len + 8);
        while bytes.len() < len {
            bytes.extend(self.word().to_le_bytes());
        }
        bytes.truncate(len);
        bytes
    }
}

/// Lengths around each of some boundaries: itself, one below and one above, in steps.
pub(crate) fn around(boundaries: &[usize], step: usize) -> Vec<usize> {
    let mut lens: Vec<usize> = boundaries
        .iter()
        .flat_map(|&boundary| [boundary.saturating_sub(step), boundary, boundary + step])
        .collect();
    lens.sort_unstable();
    lens.dedup();
    lens
}

/// Returns the number of random cases: `ABREAST_CASES`, or else `usual`.
pub(crate) fn cases(usual: usize) -> usize {
    env::var("ABREAST_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}
