//! One page of HTML that holds everything: pictures, tables and sentences, and needs nothing from a network.

use std::fmt::Write as _;

use crate::chart::{self, DARK_STYLE, DrawError};
use crate::machine::Machine;
use crate::report::{BenchReport, BenchRow, LadderReport, LaddersReport, WorkloadReport};

/// The layout. Content wider than the window scrolls, and a shade at its edge shows where it goes on, since phones show no
/// bars: the shades stay at the edges and are covered by strips that scroll with the ends of the content.
const STYLE: &str = "
:root { color-scheme: light dark; --ink: #24292f; --paper: #ffffff; --faint: #6e7781; --grid: #e1e4e8 }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --paper: #0d1117; --faint: #9198a1; --grid: #30363d } }
body { color: var(--ink); background: var(--paper); font: 16px/1.5 system-ui, sans-serif; margin: 0 auto;
  max-width: 60rem; padding: 1rem }
h1, h2, h3 { line-height: 1.2; margin: 2rem 0 .5rem }
p.machine, td.change { color: var(--faint) }
.wide { overflow-x: auto; --shade: rgb(128 128 128 / 40%);
  background: linear-gradient(to right, var(--paper) 50%, transparent) 0 0 / 2rem 100% no-repeat local,
    linear-gradient(to left, var(--paper) 50%, transparent) 100% 0 / 2rem 100% no-repeat local,
    linear-gradient(to right, var(--shade), transparent) 0 0 / .75rem 100% no-repeat scroll,
    linear-gradient(to left, var(--shade), transparent) 100% 0 / .75rem 100% no-repeat scroll }
.wide svg { display: block; min-width: 40rem; max-width: 100%; height: auto }
table { border-collapse: collapse; font-size: .875rem; font-variant-numeric: tabular-nums }
th, td { border-bottom: 1px solid var(--grid); padding: .25rem .5rem; text-align: right; vertical-align: top }
th:first-child, td:first-child, .change { text-align: left }
td, code { white-space: nowrap }
td.change { min-width: 20rem; white-space: normal }
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
    Ok(page("Ladders", &report.machine, report.quick, &body))
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
    body += "<h2>Figures</h2>\n<div class=\"wide\">\n<table>\n<tr>";
    let columns = columns(report);
    columns.iter().for_each(|(head, _)| body += &format!("<th>{head}</th>"));
    body += "</tr>\n";
    for row in &report.rows {
        let cells = columns.iter().map(|(_, cell)| format!("<td>{}</td>", escaped(&cell(row))));
        let _ = writeln!(body, "<tr>{}</tr>", cells.collect::<String>());
    }
    body += "</table>\n</div>\n";
    Ok(page(if report.latency { "Latencies" } else { "Benchmark" }, &report.machine, report.quick, &body))
}

/// A column of the figures of a benchmark: its head, and its cell in a row.
type Column = (&'static str, fn(&BenchRow) -> String);

/// The columns of the figures of a benchmark, which are those of the terminal. The columns of batches and threads are left out
/// where no row has any.
fn columns(report: &BenchReport) -> Vec<Column> {
    fn decimals(number: Option<f64>) -> String {
        number.map_or("-".into(), |number| format!("{number:.3}"))
    }
    fn count(number: Option<usize>) -> String {
        number.map_or("-".into(), |number| number.to_string())
    }
    let has = |cell: fn(&BenchRow) -> bool| report.rows.iter().any(cell);
    let columns: [(bool, Column); 12] = [
        (true, ("what", |row| row.what.clone())),
        (true, ("kernel", |row| row.kernel.clone())),
        (true, ("bytes", |row| row.size.to_string())),
        (has(|row| row.batch.is_some()), ("batch", |row| count(row.batch))),
        (has(|row| row.threads.is_some()), ("threads", |row| count(row.threads))),
        (true, ("GB/s", |row| format!("{:.3}", row.gbps))),
        (true, ("c/B", |row| format!("{:.3}", row.cpb))),
        (true, ("cycles", |row| format!("{:.0}", row.cycles()))),
        (true, ("floor", |row| decimals(row.floor_cpb))),
        (
            true,
            ("of floor", |row| row.of_floor().map_or("-".into(), |share| format!("{:.0} %", 100.0 * share))),
        ),
        (has(|row| row.single_cpb.is_some()), ("one by one", |row| decimals(row.single_cpb))),
        (
            has(|row| row.single_cpb.is_some()),
            ("gain", |row| row.gain().map_or("-".into(), |gain| format!("{gain:.2} x"))),
        ),
    ];
    columns.into_iter().filter_map(|(is_shown, column)| is_shown.then_some(column)).collect()
}

/// Returns the page with this body: the parts of every page around it.
fn page(title: &str, machine: &Machine, quick: bool, body: &str) -> String {
    let quick = if quick { " Few samples were taken (<code>--quick</code>)." } else { "" };
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <link rel=\"icon\" href=\"data:,\">\n<title>abreast: {title}</title>\n\
         <style>{STYLE}{DARK_STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n\
         <p class=\"machine\">{}, {} threads, abreast {}, {}. Figures of one run compare with each other; those of another \
         machine or run do not.{quick}</p>\n{body}</body>\n</html>\n",
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
            cell(cycles.and_then(|cycles| cycles.p99)),
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
