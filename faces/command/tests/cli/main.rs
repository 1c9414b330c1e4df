//! The command as its users meet it: its files, its messages and its exit codes.
#![forbid(unsafe_code)]

mod changing;
mod devices;
mod ending;
mod faults;
mod folders;
mod injection;
mod inspect;
mod jobs;
mod keyboard;
mod keys;
mod leaving_out;
mod messages;
mod names;
#[cfg(feature = "gpu")]
mod opencl;
mod passphrases;
mod plans;
mod ranges;
mod raw;
mod resealing;
mod resources;
mod round_trip;
mod secret_sources;
mod secrets;
mod sessions;
mod shells;
mod signals;
mod stdin;
mod support;
mod tampering;
mod targets;
mod terminal;
mod text;
mod trees;
mod vanishing;
