//! The picture of README.md: abreast beside the fastest other library in a few rows of `cargo xtask peers`, as linear bars.
//!
//! It is narrow, so that a phone shows its text at a readable size, and has its own colours for dark pages.

use std::fmt::Write as _;

use abreast_lab::report::{OURS, PeersCell, PeersReport};

/// A row of the picture: the row and length of the record, its title, and the words beside it.
const ROWS: [(&str, usize, &str, &str); 6] = [
    ("aes256-gcm", 16 << 10, "AES-256-GCM", "16 KiB"),
    ("aez", 16 << 10, "AEZ", "16 KiB"),
    ("packets aes128-gcm", 1600, "AES-128-GCM packets", "1600 bytes, a key each"),
    ("xtea-ecb", 25_000, "XTEA", "25 KB"),
    ("serpent256-ctr", 16 << 10, "Serpent-256-CTR", "16 KiB"),
    ("aes128-cbc-encrypt", 64, "AES-128-CBC", "64 bytes, encryption"),
];

/// Width of the picture, of the longest bar, and height of a row.
const WIDTH: f64 = 500.0;
const LONGEST: f64 = 330.0;
const ROW: f64 = 66.0;

const STYLE: &str = "svg{--ink:#1f2328;--soft:#59636e;--paper:#fff;--other:#b0b8c1;--ours:#0969da;--behind:#9a3412;\
font-family:-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif}\
text{fill:var(--ink);font-size:15px}.s{fill:var(--soft)}.b{font-weight:600}.e{text-anchor:end}\
.o{fill:var(--ours)}.g{fill:var(--other)}.w{fill:var(--behind)}\
@media(prefers-color-scheme:dark){svg{--ink:#e6edf3;--soft:#9198a1;--paper:#0d1117;--other:#59636e;--ours:#4493f8;--behind:#f0a044}}";

/// Draws the picture.
pub(crate) fn drawn(report: &PeersReport) -> Result<String, String> {
    let cells: Vec<&PeersCell> = ROWS.iter().map(|row| cell(report, row)).collect::<Result<_, _>>()?;
    // Cycles of the core in a second over cycles per byte.
    let speed = |cycles: f64| report.machine.clock / cycles / 1e9;
    let mut bars = String::new();
    let mut words = String::new();
    let mut longest: f64 = 0.0;
    let mut pairs = Vec::new();
    for cell in cells {
        let ours =
            cell.median_of(OURS[0]).map(speed).ok_or_else(|| format!("{}: no figure of ours", cell.row))?;
        let other = cell.best_other().ok_or_else(|| format!("{}: no other library", cell.row))?;
        longest = longest.max(ours).max(speed(other.median));
        pairs.push((ours, speed(other.median), &*other.peer));
    }
    for (i, ((_, _, title, size), (ours, other, peer))) in ROWS.iter().zip(pairs).enumerate() {
        let top = 36.0 + ROW * i as f64;
        let (wide, narrow) = (LONGEST * ours / longest, LONGEST * other / longest);
        let (class, ratio) = if ours < other { (" w", "slower: ") } else { ("", "") };
        let _ = writeln!(
            bars,
            "<text x=\"0\" y=\"{:.0}\"><tspan class=\"b\">{title}</tspan><tspan class=\"s\" dx=\"7\">{size}</tspan></text>\
             <text x=\"{WIDTH}\" y=\"{:.0}\" class=\"b e{class}\">{ratio}{:.2}×</text>\n\
             <rect y=\"{:.0}\" width=\"{wide:.1}\" height=\"17\" rx=\"2\" class=\"o\"/>\
             <text x=\"{:.1}\" y=\"{:.0}\" class=\"b\">{ours:.3$}</text>\n\
             <rect y=\"{:.0}\" width=\"{narrow:.1}\" height=\"13\" rx=\"2\" class=\"g\"/>\
             <text x=\"{:.1}\" y=\"{:.0}\" class=\"s\">{other:.4$} {peer}</text>",
            top + 12.0,
            top + 12.0,
            ours / other,
            digits(ours),
            digits(other),
            top + 20.0,
            wide + 8.0,
            top + 34.0,
            top + 39.0,
            narrow + 8.0,
            top + 51.0,
        );
        let _ = write!(
            words,
            "{title}, {size}: abreast {ours:.1$}, {peer} {other:.2$}. ",
            digits(ours),
            digits(other)
        );
    }
    let end = 36.0 + ROW * ROWS.len() as f64 + 6.0;
    let machine = &report.machine;
    Ok(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-labelledby=\"t d\" viewBox=\"-16 -14 {} {:.0}\" \
         width=\"{}\" height=\"{:.0}\">\n<title id=\"t\">abreast beside the fastest other library, GB/s on one core</title>\n\
         <desc id=\"d\">{words}</desc>\n<style>{STYLE}</style>\n\
         <rect x=\"-16\" y=\"-14\" width=\"100%\" height=\"100%\" style=\"fill:var(--paper)\"/>\n\
         <text x=\"0\" y=\"12\" class=\"b\" style=\"font-size:18px\">GB/s on one core</text>\
         <text x=\"{WIDTH}\" y=\"12\" class=\"s e\">times the other</text>\n{bars}\
         <rect y=\"{end:.0}\" width=\"16\" height=\"13\" rx=\"2\" class=\"o\"/>\
         <text x=\"23\" y=\"{1:.0}\" class=\"b\">abreast</text>\
         <rect x=\"100\" y=\"{end:.0}\" width=\"16\" height=\"13\" rx=\"2\" class=\"g\"/>\
         <text x=\"123\" y=\"{1:.0}\" class=\"s\">the fastest other library in each row</text>\n\
         <text y=\"{4:.0}\" class=\"s\">{5}, {6:.2} GHz</text>\n\
         <text y=\"{7:.0}\" class=\"s\">{8}, medians of cargo xtask peers</text>\n</svg>\n",
        WIDTH + 32.0,
        end + 12.0,
        WIDTH + 32.0,
        end + 92.0,
        end + 38.0,
        machine.cpu,
        machine.clock / 1e9,
        end + 59.0,
        machine.date,
    ))
}

/// Returns the cell of a row of the picture.
fn cell<'r>(report: &'r PeersReport, row: &(&str, usize, &str, &str)) -> Result<&'r PeersCell, String> {
    let found = report.cells.iter().find(|cell| cell.row == row.0 && cell.size == row.1);
    found.ok_or_else(|| format!("the record of peers has no row {} of {} bytes", row.0, row.1))
}

/// Returns the decimal places that leave three digits.
fn digits(speed: f64) -> usize {
    if speed < 10.0 { 2 } else { 1 }
}
