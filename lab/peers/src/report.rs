//! Results: as a table, and as a file.

use std::path::Path;

use abreast_lab::known::{KnownPeers, Standing, best, standing};
use abreast_lab::report::{CostUnit, Library, MissingLibrary, OURS, PeersCell, PeersReport};

/// Returns the best libraries that are known.
pub(crate) fn known() -> Vec<KnownPeers> {
    serde_json::from_str(include_str!("../../records/known-best.json")).expect("it is committed")
}

/// Returns the line of a cell in the table.
pub(crate) fn line(known: &[KnownPeers], report: &PeersReport, cell: &PeersCell) -> String {
    let none = || String::from("-");
    let number = |cost: Option<f64>| match cost {
        Some(cost) if cost >= 100.0 => format!("{cost:.0}"),
        Some(cost) if cost >= 10.0 => format!("{cost:.1}"),
        Some(cost) => format!("{cost:.3}"),
        None => none(),
    };
    let ratio = |name| {
        standing(known, report, cell, name).map_or_else(none, |(ratio, standing)| match standing {
            Standing::Ahead => format!("{ratio:.2}  "),
            Standing::Behind => format!("{ratio:.2} <"),
            Standing::Unknown => format!("{ratio:.2} ?"),
        })
    };
    let best = best(known, report, cell);
    let name = best.as_ref().map_or("-", |best| &*best.peer);
    let best = number(best.as_ref().map(|best| best.median));
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

/// Returns sentences that count the cells behind the best peer, and those that were not measured beside it.
pub(crate) fn summary(known: &[KnownPeers], report: &PeersReport) -> String {
    let compared = report.cells.iter().filter(|cell| cell.best_other().is_some()).count();
    let count = |name, wanted| {
        let place = |cell| standing(known, report, cell, name).map(|(_, standing)| standing);
        report.cells.iter().filter(|cell| place(cell) == Some(wanted)).count()
    };
    let [rust, c] = OURS.map(|name| count(name, Standing::Behind));
    let [unknown_rust, unknown_c] = OURS.map(|name| count(name, Standing::Unknown));
    format!(
        "Of {compared} cells, the best peer is ahead of abreast in {rust}, and of abreast in C in {c} (<). In {unknown_rust} and \
         {unknown_c}, nobody knows (?): the best peer that is known was not measured."
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
             the best peer, measured here or, with its version, known on this CPU.\n\n";
    let head = ["SIZE", "ABREAST", "IN C", "BEST"];
    text += &format!("{:26}{:>9}{:>10}{:>10}{:>10}", "ROW", head[0], head[1], head[2], head[3]);
    text + &format!("  {:20}{:>8}{:>8}\n", "PEER", "RATIO  ", "IN C  ")
}
