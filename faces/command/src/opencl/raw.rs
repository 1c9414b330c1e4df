//! `abreast raw` on a device.

use std::fs;

use abreast::InOutBuf;
use abreast::modes::Direction;
use abreast_gpu::{CHUNK, Cipher, Costs, DeviceKind, Error, Stopped, Times, Xts};

use super::device::{failure, open};
use super::run_of;
use crate::args::{Mode, RawArgs, RawCipher, RawRun};
use crate::failure::Failure;
use crate::raw::pump::Pump;
use crate::raw::{Job, UNIT};

/// The most bytes that go through a device in one call of `raw`: several chunks, so that copies and kernels overlap.
const BATCH: usize = 4 * CHUNK;
/// The fewest.
const LEAST_BATCH: usize = 1 << 20;

/// Runs `abreast raw` with `--kernel opencl` or `auto`.
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
    // An automatic choice without a name ignores devices that are missing or fail, and CPU devices: these take time from the
    // CPU, whose own kernels are faster.
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
    // A call without data rejects a bad length before anything is opened.
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

/// Passes everything through a device. The output appears when all of it is done.
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
