//! Steps as rows: a branch of the ladder, a name, a bar whose length is the number beside it, and the number.

use std::fmt::Write as _;

use crate::picture::{escaped, times};
use crate::report::{StepReport, WorkloadReport};
use crate::story::Story;

/// Returns the rows of the workload that a page is about, with the branches and links to the cards.
pub(super) fn with_branches(story: &Story, workload: &WorkloadReport) -> String {
    let branches = branches(story, workload.steps.len());
    rows(workload, |i, _| {
        let branch = branch(&branches, i);
        let link = format!("<a class=\"row\" href=\"#{}-{}\">", story.ladder, i + 1);
        (format!("{link}{branch}<span class=\"n\">{}</span>", i + 1), "</a>")
    })
}

/// Returns the rows of another workload.
pub(super) fn plain(workload: &WorkloadReport) -> String {
    format!(
        "<div class=\"plain\">\n{}</div>\n",
        rows(workload, |_, _| ("<div class=\"row\">".into(), "</div>"))
    )
}

/// Returns rows; `around` gives the beginning and the end of each.
fn rows(workload: &WorkloadReport, around: impl Fn(usize, &StepReport) -> (String, &'static str)) -> String {
    let factors = workload.factors();
    let first = workload.steps.first().and_then(|step| step.cpb).map(|cycles| cycles.median);
    let floor = workload.floor_cpb.zip(first).map(|(floor, first)| first / floor);
    let longest = factors.iter().copied().flatten().chain(floor).fold(1.0, f64::max);
    let mut html = String::from("<ol class=\"rows\">\n");
    for (i, (step, factor)) in workload.steps.iter().zip(factors).enumerate() {
        let (begin, end) = around(i, step);
        let class = match step.cpb {
            Some(cycles) if cycles.is_noisy() => "noisy",
            _ if step.name.starts_with("library") => "ours",
            _ => "",
        };
        let (width, figure) =
            factor.map_or((0.0, "–".into()), |factor| (100.0 * factor / longest, times(factor)));
        let _ = writeln!(
            html,
            "<li class=\"{class}\">{begin}<span class=\"name\">{}</span><span class=\"bar\"><span style=\"width:{width:.2}%\"></span></span>\
             <b>{figure}</b>{end}</li>",
            escaped(&step.name)
        );
    }
    if let Some(floor) = floor {
        let (width, figure) = (100.0 * floor / longest, times(floor));
        let before = if html.contains("class=\"n\"") { "<span></span><span class=\"n\"></span>" } else { "" };
        let _ = writeln!(
            html,
            "<li class=\"least\"><div class=\"row\">{before}<span class=\"name\">floor</span><span class=\"bar\">\
             <span style=\"width:{width:.2}%\"></span></span><b>{figure}</b></div></li>"
        );
    }
    html + "</ol>\n"
}

/// The branch of each step: true for a side branch, and true for the first step of one.
fn branches(story: &Story, steps: usize) -> Vec<(bool, bool)> {
    let mut branches = Vec::new();
    for part in story.parts {
        branches.extend((0..part.steps).map(|i| (part.is_side_branch, part.is_side_branch && i == 0)));
    }
    branches.resize(steps, (false, false));
    branches
}

/// Draws the piece of the branches that belongs to a row, however high the row is.
fn branch(branches: &[(bool, bool)], i: usize) -> String {
    let (is_side, begins) = branches[i];
    let last_of_trunk = branches.iter().rposition(|(is_side, _)| !is_side).unwrap_or(0);
    let mut lines = String::new();
    let (top, bottom) = (if i == 0 { 14 } else { 0 }, if i == last_of_trunk { 14 } else { 28 });
    if i <= last_of_trunk {
        let _ = write!(lines, "<line x1=\"7\" y1=\"{top}\" x2=\"7\" y2=\"{bottom}\"/>");
    }
    if begins {
        lines += "<path d=\"M7 0C7 10 21 4 21 14\"/>";
    } else if is_side {
        lines += "<line x1=\"21\" y1=\"0\" x2=\"21\" y2=\"14\"/>";
    }
    if is_side && branches.get(i + 1).is_some_and(|next| *next == (true, false)) {
        lines += "<line x1=\"21\" y1=\"14\" x2=\"21\" y2=\"28\"/>";
    }
    let side = if is_side { " side" } else { "" };
    format!(
        "<span class=\"branch{side}\" aria-hidden=\"true\"><svg width=\"30\" height=\"100%\" viewBox=\"0 0 30 28\" \
         preserveAspectRatio=\"none\">{lines}</svg></span>"
    )
}
