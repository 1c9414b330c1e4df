//! Pages of ladders: every listing is there, bars are as long as their numbers say, and nothing comes from a network.

use std::collections::BTreeSet;

use abreast_lab::ladder::Ladder;
use abreast_lab::ladders;
use abreast_lab::machine::Machine;
use abreast_lab::page::{of_bench, of_ladders, sections, style_of_book};
use abreast_lab::picture::Bars;
use abreast_lab::report::{BenchReport, BenchRow, LadderReport, LaddersReport, StepReport, WorkloadReport};
use abreast_lab::sample::Summary;
use abreast_lab::story;
use abreast_lab::table::of_ladder;

/// A report of a ladder, in which each step has samples around a number of cycles, and scatters by a share of them.
fn report(ladder: &Ladder, scatter: f64) -> LadderReport {
    let workloads = ladder.workloads.iter().map(|workload| WorkloadReport {
        name: workload.name.into(),
        bytes: workload.bytes,
        floor_cpb: Some(0.5),
        steps: workload
            .steps
            .iter()
            .enumerate()
            .map(|(i, step)| {
                let cycles = 40.0 / (i + 1) as f64;
                StepReport {
                    name: step.name.into(),
                    change: step.change.into(),
                    then: step.then,
                    differs: step.differs.map(Into::into),
                    missing: None,
                    cpb: Summary::of(
                        (0..100).map(|n| cycles * (1.0 + scatter * (f64::from(n) / 50.0 - 1.0))),
                    ),
                    gbps: Some(4.0 / cycles),
                    dropped: 1,
                    samples: Vec::new(),
                }
            })
            .collect(),
    });
    LadderReport {
        name: ladder.name.into(),
        title: ladder.title.into(),
        about: ladder.about.into(),
        instructions: ladder.instructions.clone(),
        workloads: workloads.collect(),
    }
}

fn run(ladders: Vec<LadderReport>) -> LaddersReport {
    LaddersReport { machine: Machine::this(), quick: false, load: Some(0.1), ladders }
}

fn all() -> Vec<Ladder> {
    ladders::NAMES.into_iter().filter_map(ladders::by_name).collect()
}

/// Returns the values of an attribute.
fn values<'p>(page: &'p str, attribute: &str) -> Vec<&'p str> {
    let begin = format!(" {attribute}=\"");
    page.split(&begin).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

#[test]
fn pages_hold_everything() {
    let ladders = all();
    assert_eq!(story::ALL.map(|story| story.ladder), ladders::NAMES);
    let page =
        of_ladders(&run(ladders.iter().map(|ladder| report(ladder, 0.01)).collect()), None).expect("a page");
    for words in ["<script", "<link rel=\"stylesheet", " src=", "@import", "url(", "<iframe", "\n\n"] {
        assert!(!page.contains(words), "{words}");
    }
    let ids = values(&page, "id");
    let names: BTreeSet<&str> = ids.iter().copied().collect();
    assert_eq!(ids.len(), names.len(), "an id is there twice");
    let targets = values(&page, "href").into_iter().filter_map(|href| href.strip_prefix('#'));
    for target in targets.chain(values(&page, "aria-labelledby").into_iter().flat_map(|ids| ids.split(' '))) {
        assert!(names.contains(target), "nothing at #{target}");
    }
    for ladder in &ladders {
        for step in &ladder.workloads[0].steps {
            assert!(page.contains(&step.name.replace('&', "&amp;")), "{}", step.name);
        }
    }
    assert!(!page.contains("was busy") && !page.contains("class=\"noisy\""));
}

#[test]
fn bars_are_as_long_as_their_numbers() {
    for ladder in all() {
        let report = report(&ladder, 0.01);
        let html: String = sections(&run(vec![report.clone()]), &report)
            .expect("a page")
            .into_iter()
            .filter(|section| section.title == "The ladder")
            .map(|section| section.html)
            .collect();
        let told = story::by_name(ladder.name).expect("a story").workload;
        let workload = report.workloads.iter().find(|workload| workload.name == told).expect("that workload");
        let widths: Vec<f64> = html
            .split("style=\"width:")
            .skip(1)
            .filter_map(|rest| rest.split('%').next()?.parse().ok())
            .collect();
        assert_eq!(widths.len(), workload.steps.len() + 1, "{}", ladder.name);
        let floor = 40.0 / 0.5;
        for (width, times) in widths.iter().zip(workload.factors().into_iter().flatten()) {
            assert!((width - 100.0 * times / floor).abs() < 0.01, "{}: {width} for {times}", ladder.name);
        }
        let bars = Bars::of("", workload);
        assert!((bars.length(2.0) - 2.0 * bars.length(1.0)).abs() < 1e-9);
    }
}

#[test]
fn a_busy_machine_is_named() {
    let ladder = ladders::by_name("xtea").expect("a ladder");
    let mut noisy = run(vec![report(&ladder, 0.5)]);
    let page = of_ladders(&noisy, None).expect("a page");
    assert!(page.contains("This machine was busy") && page.contains("This run cannot tell."));
    assert!(page.contains("class=\"noisy\"") && page.contains("class=\"hollow\""));
    let text = of_ladder(&noisy.ladders[0], false);
    assert!(text.contains("  ?\n") && !text.contains("##"), "{text}");
    noisy.ladders = vec![report(&ladder, 0.01)];
    noisy.load = Some(100.0);
    assert!(of_ladders(&noisy, None).expect("a page").contains("Other programs wanted this CPU"));
}

#[test]
fn a_step_without_words_is_an_error() {
    let ladder = ladders::by_name("rc4").expect("a ladder");
    let told = story::by_name("rc4").expect("a story").workload;
    let mut report = report(&ladder, 0.01);
    let run = run(Vec::new());
    let workload = report.workloads.iter().position(|workload| workload.name == told).expect("that workload");
    report.workloads[workload].steps[2].name = "another".into();
    assert!(sections(&run, &report).is_err());
    report.workloads.remove(workload);
    assert!(sections(&run, &report).is_err());
    report.name = "another".into();
    assert!(sections(&run, &report).is_err());
}

#[test]
fn tables_fit_80_columns() {
    for ladder in all() {
        let text = of_ladder(&report(&ladder, 0.01), false);
        for line in text.lines().filter(|line| !line.starts_with("not measured")) {
            assert!(line.chars().count() <= 80, "{line}");
        }
        assert!(text.contains("##") && text.contains("floor"));
    }
}

#[test]
fn the_book_has_colours_for_each_theme() {
    let style = style_of_book();
    for theme in ["light", "rust", "coal", "navy", "ayu"] {
        assert!(style.contains(&format!(".{theme} .ladder")), "{theme}");
    }
}

/// A kernel's colour is its share of the fastest one's speed at that length, and work with one kernel has none.
#[test]
fn kernels_are_coloured_by_length() {
    let row = |what: &str, kernel: &str, size, gbps| BenchRow {
        what: what.into(),
        kernel: kernel.into(),
        size,
        batch: None,
        threads: None,
        gbps,
        cpb: 4.0 / gbps,
        floor_cpb: None,
        single_cpb: None,
        spread: None,
        messages: None,
        calls: None,
        samples: Vec::new(),
    };
    let rows = vec![
        row("aez", "wide", 16, 1.0),
        row("aez", "narrow", 16, 2.0),
        row("aez", "wide", 64, 8.0),
        row("aez", "narrow", 64, 2.0),
        row("rc4", "one", 16, 1.0),
    ];
    let report = BenchReport { machine: Machine::this(), latency: false, quick: false, rows };
    let page = of_bench(&report).expect("a page");
    for (share, speed) in [(50, "1.00"), (100, "2.00"), (100, "8.00"), (25, "2.00")] {
        let cell = format!("<td class=\"heat\" style=\"--share:{share}%\">{speed}</td>");
        assert!(page.contains(&cell), "{cell}");
    }
    assert_eq!(page.matches("class=\"heat\"").count(), 4);
}
