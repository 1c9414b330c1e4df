//! Results: as a table, and as a file.

use std::path::Path;

use abreast_lab::report::{CostUnit, Library, MissingLibrary, OURS, PeersCell, PeersReport};

/// The line of a cell in the table.
pub(crate) fn line(cell: &PeersCell) -> String {
    let none = || String::from("-");
    let number = |cost: Option<f64>| match cost {
        Some(cost) if cost >= 100.0 => format!("{cost:.0}"),
        Some(cost) if cost >= 10.0 => format!("{cost:.1}"),
        Some(cost) => format!("{cost:.3}"),
        None => none(),
    };
    let ratio = |name| {
        let mark = |ratio: f64| format!("{ratio:.2}{}", if ratio < 1.0 { " <" } else { "  " });
        cell.ratio_of(name).map_or_else(|| none() + "  ", mark)
    };
    let best = cell.best_other();
    let name = best.map_or("-", |best| &*best.peer);
    let best = number(best.map(|best| best.median));
    let size = match (cell.unit, cell.size) {
        (CostUnit::NanosecondsPerKey, _) => String::from("ns"),
        (_, size) if size % (1 << 20) == 0 => format!("{} MiB", size >> 20),
        (_, size) if size % (1 << 10) == 0 => format!("{} KiB", size >> 10),
        (_, size) if size >= 10_000 && size % 1000 == 0 => format!("{} KB", size / 1000),
        (_, size) => format!("{size} B"),
    };
    let [rust, c] = OURS.map(|name| number(cell.median_of(name)));
    let [rust_ratio, c_ratio] = OURS.map(ratio);
    let row = &cell.row;
    let text = format!("{row:26}{size:>9}{rust:>10}{c:>10}{best:>10}  {name:20}{rust_ratio:>8}{c_ratio:>8}");
    text.trim_end().into()
}

/// Returns a sentence that counts the cells behind the best peer.
pub(crate) fn summary(report: &PeersReport) -> String {
    let compared = report.cells.iter().filter(|cell| cell.best_other().is_some()).count();
    let is_behind = |cell: &PeersCell, name| cell.ratio_of(name).is_some_and(|ratio| ratio < 1.0);
    let [rust, c] = OURS.map(|name| report.cells.iter().filter(|cell| is_behind(cell, name)).count());
    format!(
        "Of {compared} cells, the best peer is ahead of abreast in {rust}, and of abreast in C in {c} (<)."
    )
}

/// Writes all of it as JSON, a cell on each line.
///
/// # Errors
/// If the file cannot be written.
pub(crate) fn write(report: &PeersReport, file: &Path) -> std::io::Result<()> {
    let PeersReport { machine, peers, missing, cells } = report;
    let (machine, peers) = (serde_json::to_string(machine)?, serde_json::to_string(peers)?);
    let missing = serde_json::to_string(missing)?;
    let cells = cells.iter().map(serde_json::to_string).collect::<Result<Vec<_>, _>>()?.join(",\n");
    let text = format!(
        "{{\n\"machine\": {machine},\n\"peers\": {peers},\n\"missing\": {missing},\n\"cells\": [\n{cells}\n]\n}}\n"
    );
    std::fs::write(file, text)
}

/// Returns the text above the lines of the cells.
pub(crate) fn heading(report: &PeersReport) -> String {
    let mut text = format!("{}, {}\n\n", report.machine, report.machine.date);
    for Library { name, version } in &report.peers {
        text += &format!("{name:20}{version}\n");
    }
    for MissingLibrary { name, wants } in &report.missing {
        text += &format!("{name:20}not measured: it wants {wants}\n");
    }
    text += "\nMedians in cycles per byte, of keys in nanoseconds. Ratios are speeds: 1.00 and more is at least as fast as \
             the best peer.\n\n";
    let head = ["SIZE", "ABREAST", "IN C", "BEST"];
    text += &format!("{:26}{:>9}{:>10}{:>10}{:>10}", "ROW", head[0], head[1], head[2], head[3]);
    text + &format!("  {:20}{:>8}{:>8}\n", "PEER", "RATIO  ", "IN C  ")
}
