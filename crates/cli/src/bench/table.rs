//! The output: a table for people, or lines of JSON for programs.

use std::fs;
use std::io::{self, Write};

use crate::names;

/// What was measured of a kernel.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// The cipher and the mode.
    pub(crate) what: String,
    /// The name of the kernel.
    pub(crate) kernel: &'static str,
    /// Bytes of a message.
    pub(crate) size: usize,
    /// 10^9 bytes per second.
    pub(crate) gbps: f64,
    /// Core cycles per byte.
    pub(crate) cpb: f64,
    /// The cycles per byte that nothing goes below, if they are known.
    pub(crate) floor_cpb: Option<f64>,
}

/// Where rows go, as soon as they are known.
pub(crate) enum Table<'w> {
    /// Columns, as wide as these.
    Columns(&'w mut dyn Write, Widths),
    /// An object a line.
    Json(&'w mut dyn Write),
}

/// Widths of the columns that hold names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Widths {
    /// Of the cipher and the mode.
    pub(crate) what: usize,
    /// Of the kernel.
    pub(crate) kernel: usize,
}

impl Table<'_> {
    /// What stands above the rows; `clock` is in cycles per second.
    pub(crate) fn head(&mut self, clock: f64) -> io::Result<()> {
        let Self::Columns(out, Widths { what, kernel }) = self else { return Ok(()) };
        writeln!(out, "{}, core clock about {:.2} GHz", cpu_model(), clock / 1e9)?;
        writeln!(
            out,
            "\n{:what$}  {:kernel$}  {:>10}  {:>8}  {:>8}  {:>9}  {:>8}",
            "WHAT", "KERNEL", "SIZE (B)", "GB/s", "c/B", "FLOOR c/B", "OF FLOOR"
        )
    }

    /// One row.
    pub(crate) fn row(&mut self, row: &Row) -> io::Result<()> {
        match self {
            Self::Columns(out, Widths { what, kernel }) => {
                let floor = row.floor_cpb.map_or("-".into(), |floor| format!("{floor:.3}"));
                let share =
                    row.floor_cpb.map_or("-".into(), |floor| format!("{:.0} %", 100.0 * floor / row.cpb));
                writeln!(
                    out,
                    "{:what$}  {:kernel$}  {:>10}  {:>8.3}  {:>8.3}  {:>9}  {:>8}",
                    row.what, row.kernel, row.size, row.gbps, row.cpb, floor, share
                )?;
                out.flush()
            }
            Self::Json(out) => {
                writeln!(out, "{}", json(row))?;
                out.flush()
            }
        }
    }
}

/// A row as an object. Six fields of three kinds are no reason to depend on a library.
fn json(row: &Row) -> String {
    format!(
        "{{\"what\":{},\"kernel\":{},\"size\":{},\"gbps\":{:.4},\"cpb\":{:.5},\"floor_cpb\":{}}}",
        names::json(&row.what),
        names::json(row.kernel),
        row.size,
        row.gbps,
        row.cpb,
        row.floor_cpb.map_or("null".into(), |floor| format!("{floor:.5}")),
    )
}

/// The CPU in the words of its maker, where the system knows them.
fn cpu_model() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model =
        info.lines().filter_map(|line| line.split_once(':')).find(|(key, _)| key.trim() == "model name");
    model.map_or_else(|| format!("unknown CPU ({})", std::env::consts::ARCH), |(_, name)| name.trim().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROW: Row = Row {
        what: String::new(),
        kernel: "vaes",
        size: 1600,
        gbps: 20.5,
        cpb: 0.1875,
        floor_cpb: Some(0.15625),
    };

    fn printed(table: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        table(&mut out);
        String::from_utf8(out).expect("tables are text")
    }

    #[test]
    fn lines_of_json() {
        let row = Row { what: "aes-128-ctr".into(), ..ROW };
        let text = printed(|out| {
            let mut table = Table::Json(out);
            table.head(4e9).expect("memory takes it");
            table.row(&row).expect("memory takes it");
            table.row(&Row { floor_cpb: None, ..row }).expect("memory takes it");
        });
        assert_eq!(
            text,
            "{\"what\":\"aes-128-ctr\",\"kernel\":\"vaes\",\"size\":1600,\"gbps\":20.5000,\"cpb\":0.18750,\
             \"floor_cpb\":0.15625}\n\
             {\"what\":\"aes-128-ctr\",\"kernel\":\"vaes\",\"size\":1600,\"gbps\":20.5000,\"cpb\":0.18750,\
             \"floor_cpb\":null}\n"
        );
    }

    #[test]
    fn columns_are_aligned() {
        let text = printed(|out| {
            let mut table = Table::Columns(out, Widths { what: 11, kernel: 6 });
            table.head(4e9).expect("memory takes it");
            table.row(&Row { what: "aes-128-ctr".into(), ..ROW }).expect("memory takes it");
            table.row(&Row { what: "aes-128-ctr".into(), floor_cpb: None, ..ROW }).expect("memory takes it");
        });
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].ends_with(", core clock about 4.00 GHz"));
        assert_eq!(lines[3], "aes-128-ctr  vaes          1600    20.500     0.188      0.156      83 %");
        assert!(lines[2..].iter().all(|line| line.len() == lines[2].len()));
    }
}
