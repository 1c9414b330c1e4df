//! The picture of README.md: abreast beside the fastest other library in a few rows of `cargo xtask peers`, as linear bars.
//!
//! The picture is narrow, so that a phone shows its text at a readable size, and has its own colours for dark pages.

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
    let machine = &report.machine;
    // Cycles of the core in a second over cycles per byte.
    let speed = |cycles: f64| machine.clock / cycles / 1e9;
    let mut pairs = Vec::new();
    for row in &ROWS {
        let cell = cell(report, row)?;
        let ours = cell.median_of(OURS[0]).ok_or_else(|| format!("{}: no figure of ours", cell.row))?;
        let other = cell.best_other().ok_or_else(|| format!("{}: no other library", cell.row))?;
        // The loop of the article about XTEA, in C, by the name that readers understand.
        let peer = if other.peer == "the article's loop" { "a plain loop in C" } else { &*other.peer };
        pairs.push((speed(ours), speed(other.median), peer));
    }
    let longest = pairs.iter().fold(0.0_f64, |longest, (ours, other, _)| longest.max(*ours).max(*other));
    let (mut bars, mut words) = (String::new(), String::new());
    for (i, ((_, _, title, size), (ours, other, peer))) in ROWS.iter().zip(pairs).enumerate() {
        let top = 36.0 + ROW * i as f64;
        let (head, own, own_text, grey, grey_text) =
            (top + 12.0, top + 20.0, top + 34.0, top + 39.0, top + 51.0);
        let (wide, narrow) = (LONGEST * ours / longest, LONGEST * other / longest);
        let (after_wide, after_narrow) = (wide + 8.0, narrow + 8.0);
        let ratio = format!("{:.2}×", ours / other);
        let (class, ratio) = if ours < other { (" w", format!("slower: {ratio}")) } else { ("", ratio) };
        let (ours, other) = (digits(ours), digits(other));
        let _ = writeln!(
            bars,
            "<text y=\"{head}\"><tspan class=\"b\">{title}</tspan><tspan class=\"s\" dx=\"7\">{size}</tspan></text>\
             <text x=\"{WIDTH}\" y=\"{head}\" class=\"b e{class}\">{ratio}</text>\n\
             <rect y=\"{own}\" width=\"{wide:.1}\" height=\"17\" rx=\"2\" class=\"o\"/>\
             <text x=\"{after_wide:.1}\" y=\"{own_text}\" class=\"b\">{ours}</text>\n\
             <rect y=\"{grey}\" width=\"{narrow:.1}\" height=\"13\" rx=\"2\" class=\"g\"/>\
             <text x=\"{after_narrow:.1}\" y=\"{grey_text}\" class=\"s\">{other} {peer}</text>",
        );
        let _ = write!(words, "{title}, {size}: abreast {ours}, {peer} {other}. ");
    }
    let key = 36.0 + ROW * ROWS.len() as f64 + 8.0;
    let (key_text, first, second, height) = (key + 12.0, key + 40.0, key + 61.0, key + 90.0);
    let (cpu, clock, date, width) = (&machine.cpu, machine.clock / 1e9, &machine.date, WIDTH + 32.0);
    Ok(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-labelledby=\"t d\" \
         viewBox=\"-16 -14 {width} {height}\" width=\"{width}\" height=\"{height}\">\n\
         <title id=\"t\">abreast beside the fastest other library, GB/s on one core</title>\n\
         <desc id=\"d\">{words}</desc>\n<style>{STYLE}</style>\n\
         <rect x=\"-16\" y=\"-14\" width=\"100%\" height=\"100%\" style=\"fill:var(--paper)\"/>\n\
         <text y=\"12\" class=\"b\" style=\"font-size:18px\">GB/s on one core</text>\
         <text x=\"{WIDTH}\" y=\"12\" class=\"s e\">times the other</text>\n{bars}\
         <rect y=\"{key}\" width=\"16\" height=\"13\" rx=\"2\" class=\"o\"/>\
         <text x=\"23\" y=\"{key_text}\" class=\"b\">abreast</text>\
         <rect x=\"100\" y=\"{key}\" width=\"16\" height=\"13\" rx=\"2\" class=\"g\"/>\
         <text x=\"123\" y=\"{key_text}\" class=\"s\">the fastest other library in each row</text>\n\
         <text y=\"{first}\" class=\"s\">{cpu}, core clock {clock:.2} GHz</text>\n\
         <text y=\"{second}\" class=\"s\">{date}, medians of cargo xtask peers</text>\n</svg>\n",
    ))
}

/// Returns the cell of a row of the picture.
fn cell<'r>(report: &'r PeersReport, row: &(&str, usize, &str, &str)) -> Result<&'r PeersCell, String> {
    let found = report.cells.iter().find(|cell| cell.row == row.0 && cell.size == row.1);
    found.ok_or_else(|| format!("the record of peers has no row {} of {} bytes", row.0, row.1))
}

/// Returns a speed with three digits.
fn digits(speed: f64) -> String {
    if speed < 10.0 { format!("{speed:.2}") } else { format!("{speed:.1}") }
}
