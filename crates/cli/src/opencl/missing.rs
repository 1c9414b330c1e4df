//! The answers of a command that was built without OpenCL devices.

use abreast_lab::ladder::Ladder;

use super::{DeviceRow, NONE};
use crate::args::RawArgs;
use crate::failure::Failure;

/// Does nothing: there is no driver to be found.
pub fn find_drivers() {}

/// Returns the reason why there is no device.
pub(crate) fn devices() -> Result<Vec<DeviceRow>, String> {
    Err(NONE.into())
}

/// Refuses to run on a device.
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
