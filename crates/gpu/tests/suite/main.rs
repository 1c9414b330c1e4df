//! Every kernel against the CPU, on each OpenCL device of this machine. Without a device, tests say that they are skipped;
//! `ABREAST_NO_SKIP=1` makes that a failure.

mod common;

mod absence;
mod cache;
mod costs;
mod drivers;
mod faults;
mod many;
mod modes;
mod rc4;
