//! The tables and pictures of the pages about ladders, from a record of `abreast-bench ladder`.

use std::fmt::Write as _;
use std::path::Path;

use abreast_lab::chart;
use abreast_lab::report::{LadderReport, LaddersReport, WorkloadReport};

use crate::document::{Drawn, replaced, text};

/// The folder of the pages, one for each ladder.
const PAGES: &str = "book/src/ladders";

/// Adds all pages and their pictures.
pub(crate) fn drawn(root: &Path, report: &LaddersReport, files: &mut Vec<Drawn>) -> Result<(), String> {
    for ladder in &report.ladders {
        let page = format!("{PAGES}/{}.md", ladder.name);
        let text = text(&root.join(&page))?;
        let machine = format!("Measured on {}, {}.\n\n", report.machine, report.machine.date);
        let page_drawn = replaced(&text, "ladder", &(machine + &figures(ladder, files)?))?;
        files.push((page, page_drawn));
    }
    Ok(())
}

/// The figures of a ladder: a picture of the first workload, and a table of each.
fn figures(ladder: &LadderReport, files: &mut Vec<Drawn>) -> Result<String, String> {
    let mut text = String::new();
    for (i, workload) in ladder.workloads.iter().enumerate() {
        let _ = write!(text, "### {}\n\n", workload.name);
        if i == 0 {
            let title = format!("{}, {}", ladder.title, workload.name);
            let picture = chart::of_workload(Some(&title), workload).map_err(|error| error.to_string())?;
            files.push((format!("{PAGES}/{}.svg", ladder.name), picture));
            let _ = write!(text, "![{title}: core cycles per byte of each step]({}.svg)\n\n", ladder.name);
            text += &steps(workload);
        }
        text += &table(workload);
    }
    Ok(text.trim_end().to_owned() + "\n")
}

/// Returns the list of steps, with the change that each makes.
fn steps(workload: &WorkloadReport) -> String {
    let step = |step: &abreast_lab::report::StepReport| {
        let differs = step.differs.iter().map(|why| format!(" *Then and here:* {why}"));
        let missing = step.missing.iter().map(|why| format!(" *Not measured:* {why}."));
        let rest: String = differs.chain(missing).collect();
        format!("1. **{}.** {}{rest}\n", step.name, step.change)
    };
    workload.steps.iter().map(step).collect::<String>() + "\n"
}

/// The figures of each step.
fn table(workload: &WorkloadReport) -> String {
    let mut table = String::from(
        "| step | cycles/byte | 99th percentile | maximum | times | then |\n|---|---:|---:|---:|---:|---:|\n",
    );
    for (step, factor) in workload.steps.iter().zip(workload.factors()) {
        let cell = |number: Option<f64>| number.map_or("-".to_owned(), |number| format!("{number:.2}"));
        let _ = writeln!(
            table,
            "| {} | {} | {} | {} | {} | {} |",
            step.name,
            cell(step.cpb.map(|cycles| cycles.median)),
            cell(step.cpb.and_then(|cycles| cycles.p99)),
            cell(step.cpb.map(|cycles| cycles.max)),
            cell(factor),
            cell(step.then),
        );
    }
    if let Some(floor) = workload.floor_cpb {
        let _ = writeln!(table, "| *floor* | {floor:.2} | | | | |");
    }
    table + "\n"
}
