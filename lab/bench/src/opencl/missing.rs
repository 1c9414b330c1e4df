//! The answers of a program that was built without OpenCL devices.

use abreast_cli::Failure;
use abreast_cli::opencl::NONE;
use abreast_lab::ladder::Ladder;

use crate::bench::work::What;

/// Refuses to measure on a device.
pub(crate) fn bench(_: &str, _: &[What], _: &[usize]) -> Result<(), Failure> {
    Err(Failure::usage(NONE))
}

/// The step on a device, which is not there.
pub(crate) struct OpenClSteps;

impl OpenClSteps {
    /// Adds no step.
    pub(crate) fn add_to(_: &mut Ladder, _: bool) -> Self {
        Self
    }

    /// Returns nothing: there are no calls.
    pub(crate) fn apart(&self, _: &str) -> Option<String> {
        None
    }
}
