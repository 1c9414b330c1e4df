//! The command as its users meet it: what it writes, what it says and how it ends.

mod faults;
mod injection;
mod keys;
mod names;
mod process;
mod ranges;
mod raw;
mod resources;
mod round_trip;
mod signals;
mod support;
mod tampering;
mod targets;
mod text;
