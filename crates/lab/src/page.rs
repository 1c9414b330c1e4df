//! One page of HTML that holds everything: pictures, tables and sentences, and needs nothing from a network.

use std::fmt::Write as _;

use crate::chart::{self, DARK_STYLE, DrawError};
use crate::machine::Machine;
use crate::report::{BenchReport, LadderReport, LaddersReport, WorkloadReport};

const STYLE: &str = "
:root { color-scheme: light dark; --ink: #24292f; --paper: #ffffff; --faint: #6e7781; --grid: #e1e4e8 }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --paper: #0d1117; --faint: #9198a1; --grid: #30363d } }
body { color: var(--ink); background: var(--paper); font: 16px/1.5 system-ui, sans-serif; margin: 0 auto;
  max-width: 60rem; padding: 1rem }
h1, h2, h3 { line-height: 1.2; margin: 2rem 0 .5rem }
p.machine, td.change { color: var(--faint) }
.wide { overflow-x: auto }
.wide svg { display: block; min-width: 40rem; max-width: 100%; height: auto }
table { border-collapse: collapse; font-size: .875rem; font-variant-numeric: tabular-nums }
th, td { border-bottom: 1px solid var(--grid); padding: .25rem .5rem; text-align: right; vertical-align: top }
th:first-child, td:first-child, .change { text-align: left }
td:first-child { white-space: nowrap }
td.change { min-width: 20rem }
";

/// The page of a run of ladders.
///
/// # Errors
/// If a picture cannot be drawn.
pub fn of_ladders(report: &LaddersReport) -> Result<String, DrawError> {
    let mut body = String::new();
    for ladder in &report.ladders {
        body += &of_ladder(ladder)?;
    }
    Ok(page("Ladders", &report.machine, &body))
}

fn of_ladder(ladder: &LadderReport) -> Result<String, DrawError> {
    let mut body = format!(
        "<h2 id=\"{}\">{}</h2>\n<p>{}</p>\n",
        ladder.name,
        escaped(&ladder.title),
        escaped(&ladder.about)
    );
    for workload in &ladder.workloads {
        let _ = write!(body, "<h3>{}</h3>\n<div class=\"wide\">\n", escaped(&workload.name));
        body += &chart::of_workload(None, workload)?;
        body += "</div>\n<div class=\"wide\">\n";
        body += &table(workload);
        body += "</div>\n";
    }
    Ok(body)
}

/// The page of a benchmark.
///
/// # Errors
/// If a picture cannot be drawn.
pub fn of_bench(report: &BenchReport) -> Result<String, DrawError> {
    let mut body = String::new();
    for picture in chart::of_bench(report) {
        let (title, drawn) = (escaped(&picture.title), picture.drawn(None)?);
        let _ = write!(body, "<h2>{title}</h2>\n<div class=\"wide\">\n{drawn}</div>\n");
    }
    body += "<h2>Figures</h2>\n<div class=\"wide\">\n<table>\n<tr><th>what</th><th>kernel</th><th>bytes</th>\
             <th>batch</th><th>threads</th><th>GB/s</th><th>c/B</th><th>floor</th><th>one by one</th></tr>\n";
    for row in &report.rows {
        let cell = |number: Option<f64>| number.map_or("-".into(), |number| format!("{number:.3}"));
        let count = |number: Option<usize>| number.map_or("-".into(), |number| number.to_string());
        let _ = writeln!(
            body,
            "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{:.3}</td><td>{:.3}</td><td>{}</td><td>{}</td></tr>",
            escaped(&row.what),
            escaped(&row.kernel),
            row.size,
            count(row.batch),
            count(row.threads),
            row.gbps,
            row.cpb,
            cell(row.floor_cpb),
            cell(row.single_cpb),
        );
    }
    body += "</table>\n</div>\n";
    Ok(page(if report.latency { "Latencies" } else { "Benchmark" }, &report.machine, &body))
}

/// What every page has around its body.
fn page(title: &str, machine: &Machine, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <link rel=\"icon\" href=\"data:,\">\n<title>abreast: {title}</title>\n\
         <style>{STYLE}{DARK_STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n\
         <p class=\"machine\">{}, {} threads, abreast {}, {}. Figures of one run compare with each other; those of another \
         machine or run do not.</p>\n{body}</body>\n</html>\n",
        escaped(&machine.to_string()),
        machine.threads,
        escaped(&machine.version),
        escaped(&machine.date),
        title = escaped(title),
    )
}

/// The steps of a workload with what changes in each.
fn table(workload: &WorkloadReport) -> String {
    let mut table = String::from(
        "<table>\n<tr><th>step</th><th>c/B</th><th>p99</th><th>max</th><th>times</th><th>then</th><th class=\"change\">what changes</th></tr>\n",
    );
    for (step, factor) in workload.steps.iter().zip(workload.factors()) {
        let cell = |number: Option<f64>| number.map_or("-".into(), |number| format!("{number:.2}"));
        let cycles = step.cpb;
        let why = step.missing.iter().map(|why| format!(" Not measured: {why}."));
        let differs = step.differs.iter().map(|why| format!(" {why}"));
        let change: String = [step.change.clone()].into_iter().chain(why).chain(differs).collect();
        let _ = writeln!(
            table,
            "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td class=\"change\">{}</td></tr>",
            escaped(&step.name),
            cell(cycles.map(|cycles| cycles.median)),
            cell(cycles.map(|cycles| cycles.p99)),
            cell(cycles.map(|cycles| cycles.max)),
            cell(factor),
            cell(step.then),
            escaped(&change),
        );
    }
    table + "</table>\n"
}

/// Text with the letters that HTML takes for its own written as entities.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
