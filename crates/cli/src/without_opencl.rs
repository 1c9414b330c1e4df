//! What stands for OpenCL devices in a command that was built without them.

use abreast_lab::ladder::Ladder;

use crate::args::{Command, RawArgs, RawDirection};
use crate::failure::Failure;

/// What is said where a device is asked for.
const NONE: &str = "this command was built without OpenCL (the feature gpu)";

/// A device as `kernels` shows it, of which there are none.
pub(crate) struct DeviceRow {
    pub(crate) name: String,
    pub(crate) kind: String,
    pub(crate) memory: u64,
    pub(crate) driver: String,
    pub(crate) pays: String,
}

/// Nothing is to be found.
pub(crate) fn find_drivers(_: &Command) {}

/// No device.
pub(crate) fn devices() -> Result<Vec<DeviceRow>, String> {
    Err(NONE.into())
}

/// Whether `raw` is to run on a device.
pub(crate) fn is_asked_by(args: &RawArgs) -> bool {
    let (RawDirection::Encrypt(run) | RawDirection::Decrypt(run)) = &args.direction;
    matches!(run.kernel.as_deref(), Some("opencl" | "auto")) || run.device.is_some()
}

/// Refuses to.
pub(crate) fn raw(_: &RawArgs) -> Result<(), Failure> {
    Err(Failure::usage(NONE))
}

/// Refuses to measure.
pub(crate) fn bench(_: &str, _: &[crate::bench::work::What], _: &[usize]) -> Result<(), Failure> {
    Err(Failure::usage(NONE))
}

/// The step on a device, which is not there.
pub(crate) struct OpenClSteps;

impl OpenClSteps {
    /// No step is added.
    pub(crate) fn add_to(_: &mut Ladder, _: bool) -> Self {
        Self
    }

    /// Nothing to tell.
    pub(crate) fn apart(&self, _: &str) -> Option<String> {
        None
    }
}
