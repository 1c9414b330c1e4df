//! OpenCL devices in measurements, or the answers of a program that was built without them.

#[cfg(feature = "gpu")]
mod bench;
#[cfg(feature = "gpu")]
mod ladder;
#[cfg(not(feature = "gpu"))]
mod missing;

#[cfg(feature = "gpu")]
pub(crate) use self::{bench::bench, ladder::OpenClSteps};
#[cfg(not(feature = "gpu"))]
pub(crate) use missing::{OpenClSteps, bench};
