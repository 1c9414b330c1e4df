//! The system as Unix has it.

mod console;
mod ending;
mod files;
mod process;
mod streams;
mod words;

pub(crate) use console::*;
pub(crate) use ending::*;
pub(crate) use files::*;
pub(crate) use process::*;
pub(crate) use streams::*;
pub(crate) use words::*;
