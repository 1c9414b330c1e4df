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
    /// What is known of packets beside.
    pub(crate) packets: Option<OfPackets>,
}

/// A batch, and what it is compared with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OfPackets {
    /// Messages of a batch.
    pub(crate) batch: usize,
    /// Core cycles per byte of the same messages one by one.
    pub(crate) single_cpb: f64,
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
    /// Whether there are columns for packets.
    pub(crate) packets: bool,
}

impl Table<'_> {
    /// What stands above the rows; `clock` is in cycles per second.
    pub(crate) fn head(&mut self, clock: f64) -> io::Result<()> {
        let Self::Columns(out, widths) = self else { return Ok(()) };
        writeln!(out, "{}, core clock about {:.2} GHz\n", cpu_model(), clock / 1e9)?;
        let names = ["WHAT", "KERNEL", "SIZE (B)", "GB/s", "c/B", "FLOOR c/B", "OF FLOOR"];
        let packets = ["BATCH", "ONE BY ONE c/B", "GAIN"];
        line(out, *widths, names.map(String::from), packets.map(String::from))
    }

    /// One row.
    pub(crate) fn row(&mut self, row: &Row) -> io::Result<()> {
        match self {
            Self::Columns(out, widths) => {
                let none = || String::from("-");
                let cells = [
                    row.what.clone(),
                    row.kernel.into(),
                    row.size.to_string(),
                    format!("{:.3}", row.gbps),
                    format!("{:.3}", row.cpb),
                    row.floor_cpb.map_or_else(none, |floor| format!("{floor:.3}")),
                    row.floor_cpb.map_or_else(none, |floor| format!("{:.0} %", 100.0 * floor / row.cpb)),
                ];
                let packets = row.packets.map_or_else(
                    || [(); 3].map(|()| none()),
                    |OfPackets { batch, single_cpb }| {
                        let gain = single_cpb / row.cpb;
                        [batch.to_string(), format!("{single_cpb:.3}"), format!("{gain:.2} x")]
                    },
                );
                line(out, *widths, cells, packets)?;
                out.flush()
            }
            Self::Json(out) => {
                writeln!(out, "{}", json(row))?;
                out.flush()
            }
        }
    }
}

/// A line of cells, the last three of them if there are packets.
fn line(
    out: &mut dyn Write,
    Widths { what: w, kernel: k, packets }: Widths,
    [what, kernel, size, gbps, cpb, floor, share]: [String; 7],
    [batch, single, gain]: [String; 3],
) -> io::Result<()> {
    write!(out, "{what:w$}  {kernel:k$}  {size:>10}  {gbps:>8}  {cpb:>8}  {floor:>9}  {share:>8}")?;
    if packets {
        write!(out, "  {batch:>6}  {single:>14}  {gain:>7}")?;
    }
    writeln!(out)
}

/// A row as an object. Eight fields of three kinds are no reason to depend on a library.
fn json(row: &Row) -> String {
    let (batch, single) = row.packets.map_or_else(Default::default, |OfPackets { batch, single_cpb }| {
        (format!("\"batch\":{batch},"), format!("\"single_cpb\":{single_cpb:.5},"))
    });
    format!(
        "{{\"what\":{},\"kernel\":{},\"size\":{},{batch}\"gbps\":{:.4},\"cpb\":{:.5},{single}\"floor_cpb\":{}}}",
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
        packets: None,
    };
    const PACKETS: Option<OfPackets> = Some(OfPackets { batch: 256, single_cpb: 0.375 });

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
            table.row(&Row { floor_cpb: None, ..row.clone() }).expect("memory takes it");
            table.row(&Row { packets: PACKETS, ..row }).expect("memory takes it");
        });
        assert_eq!(
            text,
            "{\"what\":\"aes-128-ctr\",\"kernel\":\"vaes\",\"size\":1600,\"gbps\":20.5000,\"cpb\":0.18750,\
             \"floor_cpb\":0.15625}\n\
             {\"what\":\"aes-128-ctr\",\"kernel\":\"vaes\",\"size\":1600,\"gbps\":20.5000,\"cpb\":0.18750,\
             \"floor_cpb\":null}\n\
             {\"what\":\"aes-128-ctr\",\"kernel\":\"vaes\",\"size\":1600,\"batch\":256,\"gbps\":20.5000,\
             \"cpb\":0.18750,\"single_cpb\":0.37500,\"floor_cpb\":0.15625}\n"
        );
    }

    #[test]
    fn columns_are_aligned() {
        let text = printed(|out| {
            let mut table = Table::Columns(out, Widths { what: 11, kernel: 6, packets: false });
            table.head(4e9).expect("memory takes it");
            table.row(&Row { what: "aes-128-ctr".into(), ..ROW }).expect("memory takes it");
            table.row(&Row { what: "aes-128-ctr".into(), floor_cpb: None, ..ROW }).expect("memory takes it");
        });
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].ends_with(", core clock about 4.00 GHz"));
        assert_eq!(lines[3], "aes-128-ctr  vaes          1600    20.500     0.188      0.156      83 %");
        assert!(lines[2..].iter().all(|line| line.len() == lines[2].len()));
    }

    #[test]
    fn packets_have_columns_of_their_own() {
        let text = printed(|out| {
            let mut table = Table::Columns(out, Widths { what: 11, kernel: 6, packets: true });
            table.head(4e9).expect("memory takes it");
            table.row(&Row { what: "aes-128-ctr".into(), ..ROW }).expect("memory takes it");
            table.row(&Row { what: "packets-aez".into(), packets: PACKETS, ..ROW }).expect("memory takes it");
        });
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[3].ends_with("83 %       -               -        -"), "{}", lines[3]);
        assert!(lines[4].ends_with("83 %     256           0.375   2.00 x"), "{}", lines[4]);
        assert!(lines[2..].iter().all(|line| line.len() == lines[2].len()));
    }
}
