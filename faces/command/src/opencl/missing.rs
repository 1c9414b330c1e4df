//! The answers of a command that was built without OpenCL devices.

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
