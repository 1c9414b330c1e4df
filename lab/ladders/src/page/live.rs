//! The part of a page that runs steps in the reader's browser: words and figures for its script, and the script.

use super::text::PageError;
use crate::picture::escaped;
use crate::report::{LadderReport, WorkloadReport};

/// The script of the pages.
pub const SCRIPT: &str = include_str!("live.js");

/// Returns the part of the page for which the script makes a button. No reader without the script sees it.
pub(super) fn part(ladder: &LadderReport, workload: &WorkloadReport) -> Result<String, PageError> {
    let names = workload.steps.iter().map(|step| &step.name);
    let steps: Vec<_> = names.zip(workload.factors()).collect();
    let steps = serde_json::to_string(&steps).map_err(|error| PageError::Words(error.to_string()))?;
    Ok(format!(
        "<div class=\"live\" hidden data-ladder=\"{}\" data-workload=\"{}\" data-steps=\"{}\">\n\
         <p><b>On your machine.</b> The same steps, compiled to WebAssembly, run in this page, and their bars are drawn beside the record's. \
         Some things differ from a program: registers have 128 bits, there are no AES instructions, so that the library computes AES in slices \
         of bits, there is one thread, and the browser compiles the module again and has a coarse clock. Times are relative to the first step \
         of each.</p>\n</div>\n",
        escaped(&ladder.name),
        escaped(&workload.name),
        escaped(&steps)
    ))
}
