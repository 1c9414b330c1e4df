//! The picture of the speed and the table of figures, from a record of what `abreast bench --json` printed.
//!
//! A record is `bench/record/<date>-<cpu>.jsonl`, one measurement a line. Its name is where the date and the
//! CPU in the title come from, and the newest one is drawn unless another is asked for. The picture is
//! `docs/speed.svg`; the table replaces what stands between two marks in `README.md`.
//!
//! `cargo run -p speed-picture`, in the root of the workspace, with the name of a record or without.

#![forbid(unsafe_code)]

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use plotters::prelude::*;
use serde_json::Value;

const RECORDS: &str = "bench/record";
const PICTURE: &str = "docs/speed.svg";
const README: &str = "README.md";

/// What the table stands between.
const MARKS: [&str; 2] = ["<!-- cargo run -p speed-picture -->\n", "<!-- /cargo run -p speed-picture -->\n"];

/// A panel each.
const PANELS: [(&str, &str); 4] = [
    ("aes-128-ctr", "AES-128-CTR"),
    ("aes-128-gcm", "AES-128-GCM"),
    ("serpent-256-ctr", "Serpent-256-CTR"),
    ("xtea-ctr", "XTEA-CTR"),
];
/// Those with the room for a key to the curves of their cipher, and where.
const WITH_KEY: [(usize, (i32, i32)); 2] = [(1, (98, 54)), (3, (116, 92))];

/// A curve in each panel, in colours that colour-blind people tell apart (Okabe and Ito).
const KERNELS: [(&str, RGBColor); 6] = [
    ("avx512", RGBColor(0, 114, 178)),
    ("vaes", RGBColor(213, 94, 0)),
    ("aesni", RGBColor(0, 158, 115)),
    ("sliced-avx2", RGBColor(204, 121, 167)),
    ("avx2", RGBColor(230, 159, 0)),
    ("sse2", RGBColor(86, 180, 233)),
];

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
const COLUMNS: [u64; 4] = [64, 1600, 16 << 10, 1 << 20];

/// What the table of packets shows, at the kernel and the lengths given.
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
const PACKET_COLUMNS: [u64; 5] = [16, 32, 64, 256, 1600];
/// Where the cycles per byte of the table are taken.
const CYCLES_AT: u64 = 16 << 10;

/// Letters in the names of makers and products that are capitals.
const CAPITALS: [&str; 3] = ["amd", "arm", "epyc"];

const INK: RGBColor = RGBColor(36, 41, 47);
const GRID: RGBColor = RGBColor(225, 228, 232);

/// One measurement.
struct Row {
    what: String,
    kernel: String,
    size: u64,
    gbps: f64,
    cpb: f64,
    floor: Option<f64>,
    /// Of a batch: the cycles per byte of its messages one by one.
    single: Option<f64>,
}

/// Draws the picture of the speed, and the tables of figures in the README.
#[derive(Parser)]
struct Args {
    /// What `abreast bench --json` printed; the newest record if there is none.
    record: Option<String>,
}

fn main() -> ExitCode {
    match draw(Args::parse().record.as_deref()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("speed-picture: {why}");
            ExitCode::FAILURE
        }
    }
}

/// Draws a record, the newest if none is named.
fn draw(record: Option<&str>) -> Result<(), String> {
    let record = record.map_or_else(newest, |name| Ok(name.into()))?;
    let rows = read(&record)?;
    let machine = machine(&record)?;
    let svg = picture(&rows, &machine).map_err(|error| format!("{PICTURE}: {error}"))?;
    write(PICTURE, &svg)?;
    let readme = fs::read_to_string(README).map_err(|error| format!("{README}: {error}"))?;
    write(README, &replaced(&readme, &table(&rows, &machine))?)?;
    println!("{} drawn: {} measurements, {machine}", record.display(), rows.len());
    Ok(())
}

fn write(path: &str, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| format!("{path}: {error}"))
}

/// Dates come first in the names of records, so the newest is the last.
fn newest() -> Result<PathBuf, String> {
    let entries = fs::read_dir(RECORDS).map_err(|error| format!("{RECORDS}: {error}"))?;
    let records = entries.flatten().map(|entry| entry.path());
    let newest = records.filter(|path| path.extension().is_some_and(|end| end == "jsonl")).max();
    newest.ok_or_else(|| format!("{RECORDS} holds no record"))
}

/// `2026-11-21-amd-epyc-zen5.jsonl` is "AMD EPYC Zen5, 2026-11-21".
fn machine(record: &Path) -> Result<String, String> {
    let name = record.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let parts: Vec<&str> = name.splitn(4, '-').collect();
    let [year, month, day, cpu] = parts[..] else {
        return Err(format!("{name}: a record is named YEAR-MONTH-DAY-CPU.jsonl"));
    };
    let words: Vec<String> = cpu.split('-').map(named).collect();
    Ok(format!("{}, {year}-{month}-{day}", words.join(" ")))
}

/// A word with its capitals.
fn named(word: &str) -> String {
    if CAPITALS.contains(&word) {
        return word.to_uppercase();
    }
    let mut chars = word.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}

fn read(record: &Path) -> Result<Vec<Row>, String> {
    let text = fs::read_to_string(record).map_err(|error| format!("{}: {error}", record.display()))?;
    let spoilt = |line: &str| format!("{}: no measurement: {line}", record.display());
    text.lines().map(|line| row(line).ok_or_else(|| spoilt(line))).collect()
}

fn row(line: &str) -> Option<Row> {
    let value: Value = serde_json::from_str(line).ok()?;
    Some(Row {
        what: value["what"].as_str()?.to_owned(),
        kernel: value["kernel"].as_str()?.to_owned(),
        size: value["size"].as_u64()?,
        gbps: value["gbps"].as_f64()?,
        cpb: value["cpb"].as_f64()?,
        floor: value["floor_cpb"].as_f64(),
        single: value["single_cpb"].as_f64(),
    })
}

/// The curve of a mode at a kernel: speed over the length of a message.
fn curve(rows: &[Row], what: &str, kernel: &str) -> Vec<(f64, f64)> {
    let mine = rows.iter().filter(|row| row.what == what && row.kernel == kernel);
    let mut curve: Vec<(f64, f64)> = mine.map(|row| (row.size as f64, row.gbps)).collect();
    curve.sort_by(|a, b| a.0.total_cmp(&b.0));
    curve
}

/// The picture: a panel for each mode, and in it a curve for each kernel.
fn picture(rows: &[Row], machine: &str) -> Result<String, String> {
    let curves = |what| KERNELS.map(|(kernel, colour)| (kernel, colour, curve(rows, what, kernel)));
    let points: Vec<(f64, f64)> =
        PANELS.iter().flat_map(|(what, _)| curves(what)).flat_map(|(.., curve)| curve).collect();
    if points.is_empty() {
        return Err("the record has none of the kernels to draw".to_owned());
    }
    let lengths = points.iter().fold((f64::MAX, f64::MIN), |(a, b), (x, _)| (a.min(*x), b.max(*x)));

    let mut svg = String::new();
    {
        let page = SVGBackend::with_string(&mut svg, (1120, 380)).into_drawing_area();
        page.fill(&WHITE).map_err(text)?;
        let title = format!("Encryption on one core: {machine}");
        let page = page.titled(&title, ("sans-serif", 19).into_font().color(&INK)).map_err(text)?;
        let panels = page.margin(4, 8, 8, 16).split_evenly((1, PANELS.len()));
        for (i, (panel, (what, heading))) in panels.iter().zip(PANELS).enumerate() {
            // Ciphers differ by more than one scale could show.
            let top = curves(what).iter().flat_map(|(.., curve)| curve).map(|(_, y)| *y).fold(1.0, f64::max);
            let step = if top < 10.0 { 1.0 } else { 5.0 };
            let top = (top * 1.02 / step).ceil() * step;
            let mut chart = ChartBuilder::on(panel)
                .caption(heading, ("sans-serif", 16).into_font().color(&INK))
                .x_label_area_size(44)
                .y_label_area_size(52)
                .margin_right(8)
                // With a margin, or rounding may leave out the labels at the ends.
                .build_cartesian_2d((0.9 * lengths.0..1.1 * lengths.1).log_scale().base(4.0), 0.0..top)
                .map_err(text)?;
            let mut mesh = chart.configure_mesh();
            if i == 0 {
                mesh.y_desc("GB/s (10⁹ bytes a second)");
            }
            mesh.x_desc("length of a message (bytes)")
                .x_labels(5)
                .x_label_formatter(&|x| size(x.round() as u64))
                .y_label_formatter(&|y| format!("{y:.0}"))
                .y_labels((top / step) as usize + 1)
                .max_light_lines(0)
                .bold_line_style(GRID)
                .axis_style(INK)
                .label_style(("sans-serif", 13).into_font().color(&INK))
                .axis_desc_style(("sans-serif", 14).into_font().color(&INK))
                .draw()
                .map_err(text)?;
            for (kernel, colour, curve) in curves(what) {
                if curve.is_empty() {
                    continue;
                }
                let line = colour.stroke_width(2);
                let marks = curve.clone().into_iter().map(|at| Circle::new(at, 3, colour.filled()));
                chart
                    .draw_series(LineSeries::new(curve, line))
                    .map_err(text)?
                    .label(kernel)
                    .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], line));
                chart.draw_series(marks).map_err(text)?;
            }
            for (_, (x, y)) in WITH_KEY.iter().filter(|(panel, _)| *panel == i) {
                chart
                    .configure_series_labels()
                    .position(SeriesLabelPosition::Coordinate(*x, *y))
                    .label_font(("sans-serif", 14).into_font().color(&INK))
                    .background_style(WHITE)
                    .border_style(GRID)
                    .draw()
                    .map_err(text)?;
            }
        }
        page.present().map_err(text)?;
    }
    Ok(svg)
}

fn text(error: impl std::error::Error) -> String {
    error.to_string()
}

/// A length with the units that `abreast bench` takes.
fn size(bytes: u64) -> String {
    match bytes {
        _ if bytes >= 1 << 20 && bytes.is_multiple_of(1 << 20) => format!("{}M", bytes >> 20),
        _ if bytes >= 1 << 10 && bytes.is_multiple_of(1 << 10) => format!("{}K", bytes >> 10),
        _ => bytes.to_string(),
    }
}

/// The table, in Markdown.
fn table(rows: &[Row], machine: &str) -> String {
    let mut table =
        format!("{machine}, one core. GB/s by length of message; the last two columns at 16K.\n\n");
    let heads: Vec<String> = COLUMNS.iter().map(|bytes| size(*bytes)).collect();
    table += &format!("| | kernel | {} | cycles/byte | of the floor |\n", heads.join(" | "));
    table += &format!("|---|---|{}\n", "---:|".repeat(heads.len() + 2));
    for what in ROWS {
        for (kernel, _) in KERNELS {
            let at =
                |size| rows.iter().find(|row| (&*row.what, &*row.kernel, row.size) == (what, kernel, size));
            let Some(cycles) = at(CYCLES_AT) else { continue };
            let _ = write!(table, "| {what} | `{kernel}` |");
            for bytes in COLUMNS {
                let speed = at(bytes).map_or("-".to_owned(), |row| format!("{:.2}", row.gbps));
                let _ = write!(table, " {speed} |");
            }
            let share =
                cycles.floor.map_or("-".to_owned(), |floor| format!("{:.0} %", 100.0 * floor / cycles.cpb));
            let _ = writeln!(table, " {:.3} | {share} |", cycles.cpb);
        }
    }
    table + &packets(rows)
}

/// The table of batches, in Markdown; nothing if there are none.
fn packets(rows: &[Row]) -> String {
    let mut table = String::new();
    for what in PACKETS {
        let at = |size| {
            let of =
                |row: &&Row| row.what == what && row.size == size && PACKET_KERNELS.contains(&&*row.kernel);
            rows.iter().find(of)
        };
        if at(PACKET_COLUMNS[0]).is_none() {
            continue;
        }
        let _ = write!(table, "| {what} |");
        for bytes in PACKET_COLUMNS {
            let cell = at(bytes).map_or("-".to_owned(), |row| {
                let single = row.single.map_or(String::new(), |single| format!(" ({single:.2})"));
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
        "\nBatches of 256 messages, each with a key of its own, at `avx512`: cycles per byte by length of message, and \
         in brackets those of the same messages one by one.\n\n| | {} |\n|---|{}\n{table}",
        heads.join(" | "),
        "---:|".repeat(heads.len())
    )
}

/// The document with another table between the marks.
fn replaced(document: &str, table: &str) -> Result<String, String> {
    let [begin, end] = MARKS;
    let parts = document.split_once(begin).and_then(|(before, rest)| Some((before, rest.split_once(end)?.1)));
    let (before, behind) = parts.ok_or_else(|| format!("{README} lacks the marks of the table"))?;
    Ok(format!("{before}{begin}\n{table}\n{end}{behind}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_records() {
        let named = |name: &str| machine(Path::new(name)).ok();
        assert_eq!(named("x/2026-11-21-amd-epyc-zen5.jsonl").as_deref(), Some("AMD EPYC Zen5, 2026-11-21"));
        assert_eq!(named("2026-11-21.jsonl"), None);
    }

    #[test]
    fn a_measurement_is_a_line() {
        let line = "{\"what\":\"aes-128-ctr\",\"kernel\":\"vaes\",\"size\":1600,\"gbps\":20.5,\"cpb\":0.1875,\"floor_cpb\":null}";
        let row = row(line).expect("a line of bench");
        assert_eq!((&*row.what, &*row.kernel, row.size, row.floor), ("aes-128-ctr", "vaes", 1600, None));
        assert!(super::row("{}").is_none());
        assert!(super::row("AMD EPYC").is_none());
    }

    #[test]
    fn the_table_takes_the_place_of_the_old_one() {
        let [begin, end] = MARKS;
        let once = replaced(&format!("a\n{begin}old\n{end}b\n"), "new\n").expect("marks");
        assert_eq!(once, format!("a\n{begin}\nnew\n\n{end}b\n"));
        assert_eq!(replaced(&once, "new\n").ok(), Some(once));
        assert!(replaced("a\n", "new\n").is_err());
    }

    #[test]
    fn lengths_have_units() {
        assert_eq!([16, 1600, 4096, 1 << 20].map(size), ["16", "1600", "4K", "1M"]);
    }
}
