//! The tables of kernels in the book, from a record of `abreast-bench bench`.

use std::fmt::Write as _;

use abreast_lab::report::{BenchReport, BenchRow};
use abreast_lab::table::size;

use crate::document::replaced;

/// The kernels of the table, best first.
const KERNELS: [&str; 6] = ["avx512", "vaes", "aesni", "sliced-avx2", "avx2", "sse2"];

/// The modes of the table, and the lengths of messages.
const ROWS: [&str; 11] = [
    "aes-128-ctr",
    "aes-256-ctr",
    "aes-128-gcm",
    "aes-256-gcm",
    "aes-128-xts",
    "serpent-256-ctr",
    "serpent-256-xts",
    "serpent-256-gcm",
    "xtea-ctr",
    "aez",
    "aez-batch",
];
const COLUMNS: [usize; 4] = [64, 1600, 16 << 10, 1 << 20];

/// The rows of the table of packets, at the kernel and the lengths given.
const PACKETS: [&str; 9] = [
    "packets-xtea-ecb",
    "packets-aes-128-ctr",
    "packets-aes-128-gcm",
    "packets-aes-128-cbc",
    "packets-aes-128-cmac",
    "packets-serpent-256-ctr",
    "packets-serpent-256-cbc",
    "packets-aez",
    "packets-rc4",
];
const PACKET_KERNELS: [&str; 2] = ["avx512", "three"];
const PACKET_COLUMNS: [usize; 5] = [16, 32, 64, 256, 1600];
/// The message length at which the table has cycles per byte.
const CYCLES_AT: usize = 16 << 10;

/// Returns the page with the tables of this record.
pub(crate) fn drawn(page: &str, report: &BenchReport) -> Result<String, String> {
    replaced(page, "kernels", &table(report))
}

/// The table, in Markdown.
fn table(report: &BenchReport) -> String {
    let machine = &report.machine;
    let mut table = format!(
        "{}, {}, one core. GB/s by length of message; the last two columns at 16K.\n\n",
        machine.cpu, machine.date
    );
    let heads: Vec<String> = COLUMNS.iter().map(|bytes| size(*bytes)).collect();
    table += &format!("| | kernel | {} | cycles/byte | of the floor |\n", heads.join(" | "));
    table += &format!("|---|---|{}\n", "---:|".repeat(heads.len() + 2));
    for what in ROWS {
        for kernel in KERNELS {
            let at = |size| report.rows.iter().find(|row| row.key() == (what, kernel, size, None, None));
            let Some(cycles) = at(CYCLES_AT) else { continue };
            let _ = write!(table, "| {what} | `{kernel}` |");
            for bytes in COLUMNS {
                let speed = at(bytes).map_or("-".to_owned(), |row| format!("{:.2}", row.gbps));
                let _ = write!(table, " {speed} |");
            }
            let share =
                cycles.floor_cpb.map_or("-".into(), |floor| format!("{:.0} %", 100.0 * floor / cycles.cpb));
            let _ = writeln!(table, " {:.3} | {share} |", cycles.cpb);
        }
    }
    table + &packets(&report.rows)
}

/// The table of batches, in Markdown; nothing if there are none.
fn packets(rows: &[BenchRow]) -> String {
    let mut table = String::new();
    for what in PACKETS {
        let at = |size| {
            let of = |row: &&BenchRow| {
                row.what == what && row.size == size && PACKET_KERNELS.contains(&&*row.kernel)
            };
            rows.iter().find(of)
        };
        if at(PACKET_COLUMNS[0]).is_none() {
            continue;
        }
        let _ = write!(table, "| {what} |");
        for bytes in PACKET_COLUMNS {
            let cell = at(bytes).map_or("-".to_owned(), |row| {
                let single = row.single_cpb.map_or(String::new(), |single| format!(" ({single:.2})"));
                format!("{:.2}{single}", row.cpb)
            });
            let _ = write!(table, " {cell} |");
        }
        table.push('\n');
    }
    if table.is_empty() {
        return table;
    }
    let heads: Vec<String> = PACKET_COLUMNS.iter().map(|bytes| size(*bytes)).collect();
    format!(
        "\n## Packets\n\nBatches of 256 messages, each with a key of its own, at `avx512`: cycles per byte by length of message, and \
         in brackets those of the same messages one by one.\n\n| | {} |\n|---|{}\n{table}",
        heads.join(" | "),
        "---:|".repeat(heads.len())
    )
}
