//! Tables of text, as a terminal shows them, and how tables and pictures write numbers.

use std::fmt::Write as _;

use crate::ladder::LONGEST_NAME;
use crate::report::{LadderReport, StepReport, WorkloadReport};

/// Columns that are as wide as their widest cell: the cells of the first column begin at its left edge, those of the others
/// end at the right edge.
#[derive(Clone, Debug, Default)]
pub struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with the heads of its columns.
    #[must_use]
    pub fn new(heads: &[&str]) -> Self {
        Self { rows: vec![heads.iter().map(|&head| head.into()).collect()] }
    }

    /// Adds a row, of as many cells as there are heads.
    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }
}

impl std::fmt::Display for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        for row in &self.rows {
            let mut line = String::new();
            for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
                if column == 0 {
                    let _ = write!(line, "{cell:width$}");
                } else {
                    let _ = write!(line, "  {cell:>width$}");
                }
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

/// A number with three significant digits, or with three decimals if it is below 1.
#[must_use]
pub fn number(x: f64) -> String {
    match x {
        _ if x >= 100.0 => format!("{x:.0}"),
        _ if x >= 10.0 => format!("{x:.1}"),
        _ if x >= 1.0 => format!("{x:.2}"),
        _ => format!("{x:.3}"),
    }
}

/// A speed in bytes per second, from 10^9 of them.
#[must_use]
pub fn speed(gbps: f64) -> String {
    if gbps < 1.0 { format!("{:.0} MB/s", 1000.0 * gbps) } else { format!("{gbps:.2} GB/s") }
}

/// A length in bytes, with the units that the command takes.
#[must_use]
pub fn size(bytes: usize) -> String {
    match bytes {
        _ if bytes >= 1 << 20 && bytes.is_multiple_of(1 << 20) => format!("{}M", bytes >> 20),
        _ if bytes >= 1 << 10 && bytes.is_multiple_of(1 << 10) => format!("{}K", bytes >> 10),
        _ => bytes.to_string(),
    }
}

/// Returns the tables of a ladder, one for each workload: with all figures, or in 80 columns with a bar for each step.
#[must_use]
pub fn of_ladder(ladder: &LadderReport, full: bool) -> String {
    let mut text = format!("{}\n\n", ladder.title);
    for workload in &ladder.workloads {
        if full {
            let _ = write!(text, "{}\n{}", workload.name, of_workload(workload));
        } else {
            text += &bars(workload);
        }
        for step in &workload.steps {
            if let Some(why) = &step.missing {
                let _ = writeln!(text, "not measured: {}, since {why}", step.name);
            }
        }
        let scattered = |step: &&StepReport| step.cpb.is_some_and(|cycles| cycles.is_noisy());
        let noisy = workload.steps.iter().filter(scattered).count();
        if noisy > 0 {
            let _ =
                writeln!(text, "? samples scatter by more than 10 %: no bar would be true ({noisy} steps)");
        }
        let dropped: usize = workload.steps.iter().map(|step| step.dropped).sum();
        if dropped > 0 {
            let _ = writeln!(text, "{dropped} samples were disturbed by other programs and left out");
        }
        text.push('\n');
    }
    text
}

/// The cells of the longest bar.
const LONGEST_BAR: f64 = 26.0;

/// Returns the steps of a workload in 80 columns: cycles per byte, times as fast as the first step, and a bar as long as that.
#[must_use]
pub fn bars(workload: &WorkloadReport) -> String {
    let factors = workload.factors();
    let first = workload.steps.first().and_then(|step| step.cpb).map(|cycles| cycles.median);
    let floor = workload.floor_cpb.zip(first).map(|(floor, first)| first / floor);
    let most = factors.iter().copied().flatten().chain(floor).fold(1.0, f64::max);
    let cells = |times: f64| (LONGEST_BAR * times / most).round().max(1.0) as usize;
    let width = LONGEST_NAME + 3;
    let mut text = format!("{:width$}{:>9}{:>9}\n", workload.name, "c/B", "TIMES");
    for (i, (step, factor)) in workload.steps.iter().zip(&factors).enumerate() {
        let name = format!("{:2} {}", i + 1, step.name);
        let Some((cycles, factor)) = step.cpb.zip(*factor) else {
            let _ = writeln!(text, "{name:width$}{:>9}{:>9}", "-", "-");
            continue;
        };
        let bar = if cycles.is_noisy() { "?".into() } else { "#".repeat(cells(factor)) };
        let _ = writeln!(text, "{name:width$}{:>9}{factor:>9.2}  {bar}", number(cycles.median));
    }
    if let (Some(cycles), Some(factor)) = (workload.floor_cpb, floor) {
        let dots = ".".repeat(cells(factor));
        let _ = writeln!(text, "{:width$}{:>9}{factor:>9.2}  {dots}", "   floor", number(cycles));
    }
    text
}

/// The table of a workload: cycles per byte, and how many times as fast as the first step each step is.
#[must_use]
pub fn of_workload(workload: &WorkloadReport) -> Table {
    let mut table =
        Table::new(&["STEP", "GB/s", "c/B", "MEAN", "DEVIATION", "P99", "MAX", "TIMES", "THEN", "OF FLOOR"]);
    let none = || String::from("-");
    for (step, factor) in workload.steps.iter().zip(workload.factors()) {
        let then = step.then.map_or_else(none, |then| format!("{then:.2}"));
        let Some(cycles) = step.cpb else {
            let mut cells = vec![step.name.clone()];
            cells.extend((0..7).map(|_| none()));
            cells.extend([then, none()]);
            table.row(cells);
            continue;
        };
        let cell = |cycles: f64| if cycles < 100.0 { format!("{cycles:.3}") } else { format!("{cycles:.1}") };
        let mut cells = vec![step.name.clone(), step.gbps.map_or_else(none, |speed| format!("{speed:.3}"))];
        cells.extend([cycles.median, cycles.mean, cycles.deviation].map(cell));
        cells.extend([cycles.p99.map_or_else(none, cell), cell(cycles.max)]);
        cells.push(factor.map_or_else(none, |factor| format!("{factor:.2}")));
        cells.push(then);
        cells.push(
            workload.floor_cpb.map_or_else(none, |floor| format!("{:.0} %", 100.0 * floor / cycles.median)),
        );
        table.row(cells);
    }
    table
}
