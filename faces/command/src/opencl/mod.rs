//! OpenCL devices: their lines in `kernels` and `raw` on one, or the answer of a command that was built without them.

#[cfg(feature = "gpu")]
mod device;
#[cfg(not(feature = "gpu"))]
mod missing;
#[cfg(feature = "gpu")]
mod raw;

use abreast::modes::Direction;

use crate::args::{RawArgs, RawDirection, RawRun};

#[cfg(feature = "gpu")]
pub(crate) use self::{device::devices, raw::raw};
#[cfg(feature = "gpu")]
pub use device::{NO_GPU, failure, find_drivers, open};
#[cfg(not(feature = "gpu"))]
pub use missing::find_drivers;
#[cfg(not(feature = "gpu"))]
pub(crate) use missing::{devices, raw};

/// The answer of a program without the feature `gpu` to one who asks for a device.
pub const NONE: &str = "this command was built without OpenCL (the feature gpu)";

/// A device as `kernels` shows it.
pub(crate) struct DeviceRow {
    pub(crate) name: String,
    pub(crate) kind: String,
    pub(crate) memory: u64,
    pub(crate) driver: String,
    /// The bytes from which on it is faster than a thread of the CPU, by cipher, as far as that was measured.
    pub(crate) pays: String,
}

/// Returns the options of `raw`, whatever the direction.
fn run_of(args: &RawArgs) -> (&RawRun, Direction) {
    match &args.direction {
        RawDirection::Encrypt(run) => (run, Direction::Encrypt),
        RawDirection::Decrypt(run) => (run, Direction::Decrypt),
    }
}

/// Returns true if `raw` must run on a device.
pub(crate) fn is_asked_by(args: &RawArgs) -> bool {
    let (run, _) = run_of(args);
    matches!(run.kernel.as_deref(), Some("opencl" | "auto")) || run.device.is_some()
}
