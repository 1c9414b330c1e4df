//! The page of a benchmark: curves, and a table of figures.

use std::fmt::Write as _;

use super::text::{about_machine, page};
use crate::chart::{self, DARK_STYLE, DrawError};
use crate::picture::escaped;
use crate::report::{BenchReport, BenchRow};
use crate::table::{number, size};

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
td.heat { background: color-mix(in srgb, #2f81f7 calc(var(--share) * .55), transparent) }
";

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
    body += &heat(report);
    body += "<h2>Figures</h2>\n<div class=\"wide\">\n<table>\n<tr>";
    let columns = columns(report);
    columns.iter().for_each(|(head, _)| body += &format!("<th>{head}</th>"));
    body += "</tr>\n";
    for row in &report.rows {
        let cells = columns.iter().map(|(_, cell)| format!("<td>{}</td>", escaped(&cell(row))));
        let _ = writeln!(body, "<tr>{}</tr>", cells.collect::<String>());
    }
    body += "</table>\n</div>\n";
    let title = if report.latency { "Latencies" } else { "Benchmark" };
    let machine = about_machine(&report.machine, report.quick);
    let body = format!("<h1>{title}</h1>\n<p class=\"machine\">{machine}</p>\n{body}");
    Ok(page(title, &format!("{STYLE}{DARK_STYLE}"), &body))
}

/// Returns the kernels by the lengths of messages, for all work with several kernels: GB/s, in a colour that is the deeper the
/// nearer a kernel is to the fastest at that length.
fn heat(report: &BenchReport) -> String {
    let rows = || report.rows.iter().filter(|row| row.batch.is_none() && row.threads.is_none());
    let mut whats: Vec<&str> = rows().map(|row| &*row.what).collect();
    whats.dedup();
    let mut body = String::new();
    for what in whats {
        let of = || rows().filter(|row| row.what == what);
        let (mut kernels, mut sizes) = (Vec::new(), Vec::new());
        for row in of() {
            if !kernels.contains(&&*row.kernel) {
                kernels.push(&*row.kernel);
            }
            if !sizes.contains(&row.size) {
                sizes.push(row.size);
            }
        }
        if kernels.len() < 2 {
            continue;
        }
        let _ = write!(body, "<tr><th>{}</th>", escaped(what));
        sizes.iter().for_each(|bytes| body += &format!("<th>{}</th>", size(*bytes)));
        body += "</tr>\n";
        for kernel in kernels {
            let _ = write!(body, "<tr><td>{}</td>", escaped(kernel));
            for bytes in &sizes {
                let here = || of().filter(|row| row.size == *bytes);
                let best = here().map(|row| row.gbps).fold(0.0, f64::max);
                let speed = here().find(|row| row.kernel == kernel).map_or(0.0, |row| row.gbps);
                let share = 100.0 * speed / best;
                let _ =
                    write!(body, "<td class=\"heat\" style=\"--share:{share:.0}%\">{}</td>", number(speed));
            }
            body += "</tr>\n";
        }
    }
    if body.is_empty() {
        return body;
    }
    format!(
        "<h2>Kernels by length</h2>\n<p class=\"machine\">GB/s by bytes of a message: the deeper the colour, the nearer to the \
         fastest kernel at that length.</p>\n<div class=\"wide\">\n<table>\n{body}</table>\n</div>\n"
    )
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
