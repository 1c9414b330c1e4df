//! The comparison with other libraries: the picture of README.md, and the page `book/src/peers.md` with its pictures, from a
//! record of `cargo xtask peers`.

use std::fmt::Write as _;
use std::path::Path;

use abreast_lab::chart::{self, Curve};
use abreast_lab::known::{KnownPeers, Standing, best, standing};
use abreast_lab::report::{CostUnit, OURS, PeersCell, PeersReport};
use abreast_lab::table::number;

use crate::beside;
use crate::document::{Drawn, replaced, text};

/// The folder of the pictures.
const PICTURES: &str = "book/src/speed";
/// The page with the whole table.
const PAGE: &str = "book/src/peers.md";

/// The rows with a picture in the page, with their titles.
const DRAWN: [(&str, &str); 4] = [
    ("aes128-ctr", "AES-128-CTR"),
    ("aes128-gcm", "AES-128-GCM"),
    ("serpent256-ctr", "Serpent-256-CTR"),
    ("xtea-ecb", "XTEA, raw blocks"),
];
/// The lengths that pictures show.
const LENGTHS: [usize; 6] = [16, 64, 256, 1600, 16 << 10, 1 << 20];
/// Other libraries in a picture: the best ones of long messages.
const OTHERS: usize = 4;

/// Adds the pictures and the page.
pub(crate) fn drawn(
    root: &Path,
    report: &PeersReport,
    known: &[KnownPeers],
    files: &mut Vec<Drawn>,
) -> Result<(), String> {
    files.push((format!("{PICTURES}/beside.svg"), beside::drawn(report)?));
    for (row, title) in DRAWN {
        let picture =
            chart::of_curves(Some(title), &curves(report, row)).map_err(|error| error.to_string())?;
        files.push((format!("{PICTURES}/{row}.svg"), picture));
    }
    let page = text(&root.join(PAGE))?;
    files.push((PAGE.to_owned(), replaced(&page, "peers", &all(report, known))?));
    Ok(())
}

/// A curve for each of ours, and for the best of the others.
fn curves(report: &PeersReport, row: &str) -> Vec<Curve> {
    let cells: Vec<&PeersCell> =
        report.cells.iter().filter(|cell| cell.row == row && LENGTHS.contains(&cell.size)).collect();
    let mut others: Vec<(&str, f64)> = cells.last().map_or_else(Vec::new, |cell| {
        let others = cell.results.iter().filter(|result| !OURS.contains(&&*result.peer));
        others.map(|result| (&*result.peer, result.median)).collect()
    });
    others.sort_by(|a, b| a.1.total_cmp(&b.1));
    let names = OURS.into_iter().chain(others.into_iter().take(OTHERS).map(|(name, _)| name));
    let points = |name: &str| {
        cells.iter().filter_map(|cell| Some((cell.size as f64, cell.median_of(name)?))).collect()
    };
    names
        .map(|name| (name.to_owned(), points(name)))
        .filter(|(_, points): &Curve| !points.is_empty())
        .collect()
}

/// Returns the machine and date of the measurement, and the libraries that were measured or missing.
fn heading(report: &PeersReport) -> String {
    let versions: Vec<String> =
        report.peers.iter().map(|peer| format!("{} ({})", peer.name, peer.version)).collect();
    let missing: Vec<String> =
        report.missing.iter().map(|peer| format!("{} (needs {})", peer.name, peer.wants)).collect();
    let mut text = format!(
        "{}, {}. Medians.\n\nLibraries: {}.\n",
        report.machine,
        report.machine.date,
        versions.join(", ")
    );
    if !missing.is_empty() {
        let _ = write!(text, "\nNot measured: {}.\n", missing.join(", "));
    }
    text
}

/// The whole table, in Markdown.
fn all(report: &PeersReport, known: &[KnownPeers]) -> String {
    let mut table = heading(report);
    table += "\n| row | bytes | abreast | in C | best other | | speed, Rust | speed, C |\n|---|---:|---:|---:|---:|---|---:|---:|\n";
    for cell in &report.cells {
        let cost = |cost: Option<f64>| cost.map_or("-".to_owned(), number);
        let ratio = |name| marked(standing(known, report, cell, name));
        let best = best(known, report, cell);
        let bytes = if cell.unit == CostUnit::NanosecondsPerKey {
            "a key, ns".to_owned()
        } else {
            cell.size.to_string()
        };
        let _ = writeln!(
            table,
            "| {} | {bytes} | {} | {} | {} | {} | {} | {} |",
            cell.row,
            cost(cell.median_of(OURS[0])),
            cost(cell.median_of(OURS[1])),
            cost(best.as_ref().map(|best| best.median)),
            best.as_ref().map_or("", |best| &*best.peer),
            ratio(OURS[0]),
            ratio(OURS[1]),
        );
    }
    table
}

/// Returns a ratio: in italics if another library is ahead, with a question mark if the best known one was not measured.
fn marked(standing: Option<(f64, Standing)>) -> String {
    standing.map_or("-".to_owned(), |(ratio, standing)| match standing {
        Standing::Ahead => format!("{ratio:.2}"),
        Standing::Behind => format!("*{ratio:.2}*"),
        Standing::Unknown => format!("{ratio:.2}?"),
    })
}
