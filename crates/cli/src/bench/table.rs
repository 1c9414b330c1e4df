//! The table of a measurement: rows as soon as they are known.

use std::io::{self, Write};

use abreast_lab::machine::Machine;
use abreast_lab::report::BenchRow;

/// Columns whose rows are printed one by one, so that their widths are known before.
pub(crate) struct Table<'w> {
    out: &'w mut dyn Write,
    widths: Widths,
}

/// Widths of the columns that hold names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Widths {
    /// Of the cipher and the mode.
    pub(crate) what: usize,
    /// Of the kernel.
    pub(crate) kernel: usize,
    /// Whether there are columns for packets.
    pub(crate) packets: bool,
    /// Whether there is a column for the cycles of a whole message, which may be a key.
    pub(crate) keys: bool,
}

impl<'w> Table<'w> {
    /// A table without rows.
    pub(crate) fn new(out: &'w mut dyn Write, widths: Widths) -> Self {
        Self { out, widths }
    }

    /// What stands above the rows.
    pub(crate) fn head(&mut self, machine: &Machine, latency: bool) -> io::Result<()> {
        writeln!(self.out, "{machine}{}\n", if latency { "; latencies" } else { "" })?;
        let names = ["WHAT", "KERNEL", "SIZE (B)", "GB/s", "c/B", "FLOOR c/B", "OF FLOOR"];
        let packets = ["BATCH", "ONE BY ONE c/B", "GAIN"];
        self.line(names.map(String::from), packets.map(String::from), "CYCLES")
    }

    /// One row.
    pub(crate) fn row(&mut self, row: &BenchRow) -> io::Result<()> {
        let none = || String::from("-");
        let cells = [
            row.what.clone(),
            row.kernel.clone(),
            row.size.to_string(),
            format!("{:.3}", row.gbps),
            format!("{:.3}", row.cpb),
            row.floor_cpb.map_or_else(none, |floor| format!("{floor:.3}")),
            row.floor_cpb.map_or_else(none, |floor| format!("{:.0} %", 100.0 * floor / row.cpb)),
        ];
        let packets = match (row.batch, row.single_cpb) {
            (Some(batch), Some(single)) => {
                [batch.to_string(), format!("{single:.3}"), format!("{:.2} x", single / row.cpb)]
            }
            _ => [none(), none(), none()],
        };
        self.line(cells, packets, &format!("{:.0}", row.cpb * row.size as f64))?;
        self.out.flush()
    }

    /// A line of cells, the last ones of them if there are packets and keys.
    fn line(
        &mut self,
        [what, kernel, size, gbps, cpb, floor, share]: [String; 7],
        [batch, single, gain]: [String; 3],
        cycles: &str,
    ) -> io::Result<()> {
        let Widths { what: w, kernel: k, packets, keys } = self.widths;
        write!(self.out, "{what:w$}  {kernel:k$}  {size:>10}  {gbps:>8}  {cpb:>8}  {floor:>9}  {share:>8}")?;
        if packets {
            write!(self.out, "  {batch:>6}  {single:>14}  {gain:>7}")?;
        }
        if keys {
            write!(self.out, "  {cycles:>8}")?;
        }
        writeln!(self.out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(what: &str) -> BenchRow {
        BenchRow {
            what: what.into(),
            kernel: "vaes".into(),
            size: 1600,
            batch: None,
            gbps: 20.5,
            cpb: 0.1875,
            floor_cpb: Some(0.15625),
            single_cpb: None,
            samples: Vec::new(),
        }
    }

    fn printed(packets: bool, rows: &[BenchRow]) -> String {
        let mut out = Vec::new();
        let mut table = Table::new(&mut out, Widths { what: 11, kernel: 6, packets, keys: false });
        let machine = Machine { clock: 4e9, ..Machine::this() };
        table.head(&machine, false).expect("memory takes it");
        rows.iter().for_each(|row| table.row(row).expect("memory takes it"));
        String::from_utf8(out).expect("tables are text")
    }

    #[test]
    fn columns_are_aligned() {
        let text = printed(false, &[row("aes-128-ctr"), BenchRow { floor_cpb: None, ..row("aes-128-ctr") }]);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].ends_with(", core clock about 4.00 GHz"));
        assert_eq!(lines[3], "aes-128-ctr  vaes          1600    20.500     0.188      0.156      83 %");
        assert!(lines[2..].iter().all(|line| line.len() == lines[2].len()));
    }

    #[test]
    fn packets_have_columns_of_their_own() {
        let packets = BenchRow { batch: Some(256), single_cpb: Some(0.375), ..row("packets-aez") };
        let text = printed(true, &[row("aes-128-ctr"), packets]);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[3].ends_with("83 %       -               -        -"), "{}", lines[3]);
        assert!(lines[4].ends_with("83 %     256           0.375   2.00 x"), "{}", lines[4]);
        assert!(lines[2..].iter().all(|line| line.len() == lines[2].len()));
    }
}
