//! Cells of a comparison beside the best libraries that are known.

use abreast_lab::known::{KnownBest, KnownPeers, Standing, best, standing};
use abreast_lab::machine::Machine;
use abreast_lab::report::{CostUnit, Library, OURS, PeerResult, PeersCell, PeersReport};

/// A report with one cell, in which ours and one other library have these medians.
fn report(ours: f64, other: f64, version: &str) -> PeersReport {
    let result = |peer: &str, median| PeerResult {
        peer: peer.into(),
        samples: 1,
        median,
        min: median,
        max: median,
        deviation: 0.0,
    };
    let results = vec![result(OURS[0], ours), result("quick", other)];
    PeersReport {
        machine: Machine { cpu: "here".into(), ..Machine::this() },
        peers: vec![Library { name: "quick".into(), version: version.into() }],
        missing: Vec::new(),
        cells: vec![PeersCell { row: "row".into(), size: 16, unit: CostUnit::CyclesPerByte, results }],
    }
}

/// The best of the cell on a CPU.
fn known(cpu: &str, peer: &str, version: &str, median: f64) -> KnownPeers {
    let best = KnownBest { row: "row".into(), size: 16, peer: peer.into(), version: version.into(), median };
    KnownPeers { cpu: cpu.into(), date: "2026-11-25".into(), cells: vec![best] }
}

#[test]
fn nothing_is_ahead_without_the_best_known_library() {
    use Standing::{Ahead, Behind, Unknown};
    for (name, ours, other, version, known, wanted) in [
        ("nothing is known", 1.0, 2.0, "1.0", vec![], Ahead),
        ("slower than another one of the run", 1.0, 0.9, "1.0", vec![], Behind),
        ("the best was measured", 1.0, 2.0, "1.0", vec![known("here", "quick", "1.0", 1.5)], Ahead),
        (
            "a later version",
            1.0,
            2.0,
            "1.10.2, of a crate",
            vec![known("here", "quick", "1.9-beta", 1.5)],
            Ahead,
        ),
        ("an older version", 1.0, 2.0, "1.9", vec![known("here", "quick", "1.10", 1.5)], Unknown),
        ("another library", 1.0, 2.0, "1.0", vec![known("here", "other", "", 1.5)], Unknown),
        ("a better figure of this CPU", 1.0, 2.0, "1.0", vec![known("here", "quick", "1.0", 0.9)], Behind),
        ("a figure of another CPU", 1.0, 2.0, "1.0", vec![known("there", "quick", "1.0", 0.1)], Ahead),
        ("another CPU's best is missing", 1.0, 2.0, "1.0", vec![known("there", "other", "2", 9.0)], Unknown),
        (
            "this CPU decides where both are known",
            1.0,
            2.0,
            "1.0",
            vec![known("there", "other", "2", 0.1), known("here", "quick", "1.0", 1.5)],
            Ahead,
        ),
        ("a tie in hundredths", 1.0, 1.0, "1.0", vec![known("here", "quick", "1.0", 0.996)], Ahead),
    ] {
        let report = report(ours, other, version);
        let found = standing(&known, &report, &report.cells[0], OURS[0]);
        assert_eq!(found.map(|(_, standing)| standing), Some(wanted), "{name}");
        assert_eq!(standing(&known, &report, &report.cells[0], OURS[1]), None, "{name}: not measured");
    }

    let (report, known) = (report(1.0, 2.0, "1.0"), [known("here", "other", "3.0", 0.5)]);
    let (ratio, _) = standing(&known, &report, &report.cells[0], OURS[0]).expect("it was measured");
    let best = best(&known, &report, &report.cells[0]).expect("another one was measured");
    assert_eq!((ratio, &*best.peer), (0.5, "other 3.0"));
}
