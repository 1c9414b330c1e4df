//! The report on OpenCL devices: the example `report` of `abreast-gpu`, which checks every kernel and measures it.

use std::time::Duration;

use crate::outcome::Outcome;
use crate::process::{cargo, run_for};

/// A device that is slow, such as a CPU, takes minutes.
const LIMIT: Duration = Duration::from_secs(3600);

/// Builds it and runs it, on one device if there is a name.
pub(crate) fn report(name: &[&str]) -> Outcome {
    let mut command = cargo(&["run", "--release", "-p", "abreast-gpu", "--example", "report", "--"]);
    run_for(LIMIT, command.args(name))
}
