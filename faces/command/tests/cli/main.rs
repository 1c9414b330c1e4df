//! The command as its users meet it: its files, its messages and its exit codes.
#![forbid(unsafe_code)]
#![cfg_attr(windows, allow(dead_code, unused_imports, reason = "tests of Unix alone use the rest"))]

mod ags1;
mod changing;
#[cfg(unix)]
mod devices;
#[cfg(unix)]
mod ending;
#[cfg(unix)]
mod faults;
#[cfg(unix)]
mod folders;
#[cfg(unix)]
mod injection;
mod inspect;
#[cfg(unix)]
mod jobs;
#[cfg(unix)]
mod keyboard;
mod keys;
#[cfg(unix)]
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
#[cfg(unix)]
mod resources;
mod round_trip;
mod secret_sources;
mod secrets;
mod sessions;
#[cfg(unix)]
mod shells;
#[cfg(unix)]
mod signals;
#[cfg(unix)]
mod stdin;
mod support;
mod tampering;
mod targets;
#[cfg(unix)]
mod terminal;
mod text;
mod trees;
#[cfg(unix)]
mod vanishing;
#[cfg(windows)]
mod windows;
