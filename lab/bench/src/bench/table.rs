//! The table of a measurement: rows as soon as they are known.

use std::io::{self, Write};

use abreast_lab::machine::Machine;
use abreast_lab::report::BenchRow;

/// Heads of all columns in their order, with the width that their cells may need.
const HEADS: [(&str, usize); 13] = [
    ("WHAT", 0),
    ("KERNEL", 0),
    ("SIZE (B)", 10),
    ("GB/s", 8),
    ("c/B", 8),
    ("FLOOR c/B", 9),
    ("OF FLOOR", 8),
    ("BATCH", 6),
    ("THREADS", 7),
    ("ONE BY ONE c/B", 14),
    ("GAIN", 7),
    ("CYCLES", 8),
    ("SPREAD", 7),
];
/// The number of columns that are aligned to the left, which come first: names.
const NAMES: usize = 2;

/// A table whose rows are printed one by one, so that the widths of its columns are known before.
pub(crate) struct Table<'w> {
    out: &'w mut dyn Write,
    /// The width of each column; `None` for a column that is left out.
    widths: [Option<usize>; HEADS.len()],
}

/// The properties of the rows that determine the columns.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Columns {
    /// The longest name of a cipher and mode.
    pub(crate) what: usize,
    /// The longest name of a kernel.
    pub(crate) kernel: usize,
    /// True if there are batches.
    pub(crate) batches: bool,
    /// True if some batches run on several threads.
    pub(crate) threads: bool,
    /// True if some batches stand beside the same messages one by one.
    pub(crate) gains: bool,
    /// True if the cycles of a whole message are shown, which may be a key.
    pub(crate) keys: bool,
    /// True if several processes measured.
    pub(crate) spreads: bool,
}

impl<'w> Table<'w> {
    /// A table without rows.
    pub(crate) fn new(out: &'w mut dyn Write, columns: &Columns) -> Self {
        let Columns { what, kernel, batches, threads, gains, keys, spreads } = *columns;
        let mut widths = HEADS.map(|(head, width)| Some(width.max(head.len())));
        widths[0] = widths[0].max(Some(what));
        widths[1] = widths[1].max(Some(kernel));
        for (width, is_shown) in widths[7..].iter_mut().zip([batches, threads, gains, gains, keys, spreads]) {
            *width = width.filter(|_| is_shown);
        }
        Self { out, widths }
    }

    /// Prints the lines above the rows.
    pub(crate) fn head(&mut self, machine: &Machine, latency: bool) -> io::Result<()> {
        writeln!(self.out, "{machine}{}\n", if latency { "; latencies" } else { "" })?;
        self.line(HEADS.map(|(head, _)| head.into()))
    }

    /// One row.
    pub(crate) fn row(&mut self, row: &BenchRow) -> io::Result<()> {
        let none = || String::from("-");
        self.line([
            row.what.clone(),
            row.kernel.clone(),
            row.size.to_string(),
            format!("{:.3}", row.gbps),
            format!("{:.3}", row.cpb),
            row.floor_cpb.map_or_else(none, |floor| format!("{floor:.3}")),
            row.of_floor().map_or_else(none, |share| format!("{:.0} %", 100.0 * share)),
            row.batch.map_or_else(none, |batch| batch.to_string()),
            row.threads.map_or_else(none, |threads| threads.to_string()),
            row.single_cpb.map_or_else(none, |single| format!("{single:.3}")),
            row.gain().map_or_else(none, |gain| format!("{gain:.2} x")),
            format!("{:.0}", row.cycles()),
            row.spread.map_or_else(none, |spread| format!("{spread:.2} x")),
        ])?;
        self.out.flush()
    }

    /// A line of cells, of the columns that are shown.
    fn line(&mut self, cells: [String; HEADS.len()]) -> io::Result<()> {
        let mut line = String::new();
        for (column, (cell, width)) in cells.iter().zip(self.widths).enumerate() {
            let Some(width) = width else { continue };
            let gap = if column == 0 { "" } else { "  " };
            line += &match column < NAMES {
                true => format!("{gap}{cell:width$}"),
                false => format!("{gap}{cell:>width$}"),
            };
        }
        writeln!(self.out, "{line}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::tests;

    fn row(what: &str) -> BenchRow {
        BenchRow { what: what.into(), gbps: 20.5, floor_cpb: Some(0.15625), ..tests::row(1600, 0.1875) }
    }

    fn printed(columns: Columns, rows: &[BenchRow]) -> String {
        let mut out = Vec::new();
        let mut table = Table::new(&mut out, &Columns { what: 11, ..columns });
        let machine = Machine { clock: 4e9, ..Machine::this() };
        table.head(&machine, false).expect("memory takes it");
        rows.iter().for_each(|row| table.row(row).expect("memory takes it"));
        String::from_utf8(out).expect("tables are text")
    }

    #[test]
    fn columns_are_aligned() {
        let text = printed(
            Columns::default(),
            &[row("aes-128-ctr"), BenchRow { floor_cpb: None, ..row("aes-128-ctr") }],
        );
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].ends_with(", core clock about 4.00 GHz"));
        assert_eq!(lines[3], "aes-128-ctr  vaes          1600    20.500     0.188      0.156      83 %");
        assert!(lines[2..].iter().all(|line| line.len() == lines[2].len()));
    }

    #[test]
    fn packets_have_columns_of_their_own() {
        let packets = BenchRow { batch: Some(256), single_cpb: Some(0.375), ..row("packets-aez") };
        let columns = Columns { batches: true, gains: true, ..Columns::default() };
        let text = printed(columns, &[row("aes-128-ctr"), packets]);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[3].ends_with("83 %       -               -        -"), "{}", lines[3]);
        assert!(lines[4].ends_with("83 %     256           0.375   2.00 x"), "{}", lines[4]);
        assert!(lines[2..].iter().all(|line| line.len() == lines[2].len()));
    }

    #[test]
    fn threads_have_a_column_of_their_own() {
        let threads = BenchRow { batch: Some(2048), threads: Some(4), ..row("threads-aez") };
        let columns = Columns { batches: true, threads: true, ..Columns::default() };
        let text = printed(columns, &[threads]);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[2].ends_with("OF FLOOR   BATCH  THREADS"), "{}", lines[2]);
        assert!(lines[3].ends_with("83 %    2048        4"), "{}", lines[3]);
    }
}
