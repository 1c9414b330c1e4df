//! Reports of `ladder` and `bench`: all that was asked for, and figures that can be.

use std::os::unix::fs::PermissionsExt as _;

use abreast_lab::ladders;
use abreast_lab::report::{BenchReport, LaddersReport};
use abreast_lab::sample::FEWEST_FOR_P99;

use abreast_runs::{feed, spawn};

use crate::place;

/// All steps of all ladders, and the pictures and the page of them.
#[test]
fn ladders_are_complete() {
    let place = place();
    let reports = ["--json", "all.json", "--html", "all.html", "--svg", "pictures"];
    let printed = place.run(["ladder", "all", "--quick"].iter().chain(&reports)).succeeds().stdout;
    let printed = String::from_utf8(printed).unwrap();
    let report: LaddersReport = serde_json::from_slice(&place.read("all.json")).unwrap();
    assert!(report.machine.clock > 1e8 && report.machine.date.len() == 10, "{:?}", report.machine);
    assert_eq!(report.ladders.iter().map(|ladder| &*ladder.name).collect::<Vec<_>>(), ladders::NAMES);
    let page = String::from_utf8(place.read("all.html")).unwrap();
    let mut pictures = 0;
    for measured in &report.ladders {
        let ladder = ladders::by_name(&measured.name).unwrap();
        // The command adds a step on an OpenCL device to the ladder of XTEA and, if there is one, a long message.
        let added =
            if measured.name == "xtea" { measured.workloads.len() - ladder.workloads.len() } else { 0 };
        assert!(added <= 1 && measured.workloads.len() == ladder.workloads.len() + added);
        pictures += added;
        for (measured, workload) in measured.workloads.iter().zip(&ladder.workloads) {
            assert_eq!(measured.name, workload.name);
            let on_device = measured.steps.iter().filter(|step| step.name.starts_with("OpenCL")).count();
            assert_eq!(measured.steps.len() - on_device, workload.steps.len(), "{}", workload.name);
            for (measured, step) in measured.steps.iter().zip(&workload.steps) {
                let what = format!("{} of {}", step.name, workload.name);
                assert_eq!(measured.name, step.name);
                assert!(printed.contains(step.name) && page.contains(step.name), "{what}");
                assert!(measured.dropped <= measured.samples.len() / 2, "{what}");
                assert_eq!(measured.missing.is_some(), step.run.is_err(), "{what}");
                assert_eq!(measured.samples.is_empty(), step.run.is_err(), "{what}");
                assert!(measured.samples.iter().all(|sample| sample.seconds > 0.0 && sample.cycles > 0.0));
                if let Some(cycles) = measured.cpb {
                    assert_eq!(
                        cycles.p99.is_some(),
                        measured.samples.len() - measured.dropped >= FEWEST_FOR_P99,
                        "{what}"
                    );
                    let p99 = cycles.p99.unwrap_or(cycles.max);
                    assert!(cycles.max >= p99 && p99 >= cycles.median, "{what}");
                    assert!(cycles.median >= cycles.min && cycles.min > 0.0, "{what}");
                }
            }
            pictures += 1;
        }
    }
    let drawn = std::fs::read_dir(place.path("pictures")).unwrap();
    let svg = |path: std::path::PathBuf| std::fs::read_to_string(path).unwrap().starts_with("<svg ");
    assert_eq!(drawn.map(|entry| svg(entry.unwrap().path())).filter(|&is_svg| is_svg).count(), pictures);
    // A card for each step, with its listing.
    assert!(page.matches("<article").count() >= 60 && page.matches("<figure>").count() >= 60);
    assert!(printed.contains(" steps, at most about "), "{printed}");
    let rows = printed.lines().filter(|line| line.contains("TIMES") || line.contains("  #"));
    assert!(rows.map(|line| line.chars().count()).max().is_some_and(|most| most <= 80), "{printed}");
    let list = String::from_utf8(place.run(["ladder", "--list"]).succeeds().stdout).unwrap();
    assert!(
        ladders::NAMES.iter().all(|name| list.lines().any(|line| line.starts_with(&format!("{name} ")))),
        "{list}"
    );
    place.refuses(["ladder", "xtae"], 2, "xtea");
    place.refuses(["ladder", "xtea", "--json", "all.json"], 4, "exists already");
    place.refuses(["ladder", "xtea", "--html", "-"], 2, "take names");
    place.refuses(["ladder", "xtea", "--html", "new", "--json", "new"], 2, "the same file");
}

#[test]
fn benchmarks_are_complete() {
    let place = place();
    let words = ["bench", "aes-128-gcm", "packets-xtea-ecb", "--size", "16,64", "--quick", "--json", "-"];
    let report: BenchReport = serde_json::from_slice(&place.run(words).succeeds().stdout).unwrap();
    let sizes = |what| report.rows.iter().filter(move |row| row.what == what).map(|row| row.size);
    for what in ["aes-128-gcm", "packets-xtea-ecb"] {
        assert!([16, 64].iter().all(|wanted| sizes(what).any(|size| size == *wanted)), "{what}");
    }
    for row in &report.rows {
        let fastest = row.samples.iter().map(|sample| sample.seconds).fold(f64::INFINITY, f64::min);
        assert!(
            row.samples.len() >= 3 && fastest > 0.0 && row.cpb > 0.0 && row.gbps > 0.0,
            "{:?}",
            row.key()
        );
        assert_eq!(row.batch.is_some(), row.what.starts_with("packets-"));
        assert_eq!(row.threads, None);
        let per_sample = (row.messages, row.calls);
        assert!(matches!(per_sample, (Some(1..), Some(1..))), "{:?}: {per_sample:?}", row.key());
    }
    assert!(report.quick);
}

/// A loop for a profiler names its process first and measures nothing; figures come as comma-separated values, too.
#[test]
fn loops_and_lists() {
    let place = place();
    let words = ["bench", "xtea-ecb", "--loop", "1", "--size", "64", "--cpu", "0"];
    let printed = String::from_utf8(place.run(words).succeeds().stdout).unwrap();
    let lines: Vec<&str> = printed.lines().collect();
    assert!(lines.len() == 2 && lines[0].starts_with("pid ") && lines[1].ends_with(" GB/s"), "{printed}");
    assert!(lines[0].contains(": xtea-ecb at ") && lines[0].ends_with("64 bytes, 1 seconds"), "{printed}");
    place.refuses(["bench", "aez", "rc4", "--loop", "1"], 2, "--loop takes one WHAT");
    place.refuses(["bench", "aez", "--loop", "1", "--size", "16,32"], 2, "--loop takes one --size");
    place.refuses(["bench", "aez", "--loop", "1", "--quick"], 2, "cannot be used with");
    place.refuses(["bench", "aez", "--loop", "1", "--cpu", "99999"], 2, "--cpu 99999");
    let list = String::from_utf8(place.run(["bench", "--list"]).succeeds().stdout).unwrap();
    assert!(list.lines().all(|line| line.len() <= 80), "{list}");
    assert!(
        ["aes-128-gcm", "packets-rc4", "threads"]
            .iter()
            .all(|name| list.split_whitespace().any(|it| it == *name))
    );
    place.refuses(["bench", "aes-128-gmc"], 2, "the nearest are aes-128-gcm, ");
    place.run(["bench", "aez", "--size", "16", "--quick", "--csv", "aez.csv"]).succeeds();
    let csv = String::from_utf8(place.read("aez.csv")).unwrap();
    let columns: Vec<usize> = csv.lines().map(|line| line.split(',').count()).collect();
    assert!(columns.len() > 1 && columns.iter().all(|&count| count == 9), "{csv}");
    place.refuses(
        ["bench", "aez", "--csv", "a", "--html", "a"],
        2,
        "--csv and --html cannot go to the same file",
    );
}

/// Several processes tell the row in the middle, and the spread.
#[test]
fn benchmarks_of_several_processes() {
    let place = place();
    let words = ["bench", "xtea-ecb", "--size", "64", "--quick", "--processes", "3", "--json", "all.json"];
    let printed = String::from_utf8(place.run(words).succeeds().stdout).unwrap();
    assert!(printed.lines().nth(2).is_some_and(|heads| heads.ends_with("SPREAD")), "{printed}");
    let report: BenchReport = serde_json::from_slice(&place.read("all.json")).unwrap();
    assert!(!report.rows.is_empty());
    assert!(report.rows.iter().all(|row| row.spread.is_some_and(|spread| spread >= 1.0)), "{printed}");
    place.refuses(["bench", "--processes", "0"], 2, "the number of processes is 1 to 100");
    place.refuses(["bench", "--processes", "2", "--save", "a"], 2, "cannot be used with");
}

/// A batch on 1, 2, 4 and so on up to all threads, with a picture of all ciphers.
#[test]
fn benchmarks_on_threads_are_complete() {
    let place = place();
    let words =
        ["bench", "threads", "--quick", "--json", "all.json", "--html", "all.html", "--svg", "pictures"];
    let printed = String::from_utf8(place.run(words).succeeds().stdout).unwrap();
    assert!(printed.contains("BATCH  THREADS"), "{printed}");
    let report: BenchReport = serde_json::from_slice(&place.read("all.json")).unwrap();
    for what in
        ["aes-128-ctr", "aes-128-gcm", "serpent-256-ctr", "xtea-ctr"].map(|what| format!("threads-{what}"))
    {
        let rows = || report.rows.iter().filter(|row| row.what == what);
        let numbers: Vec<usize> = rows().filter_map(|row| row.threads).collect();
        assert!(numbers[0] == 1 && numbers.last() == Some(&report.machine.threads), "{what}: {numbers:?}");
        assert!(
            numbers.windows(2).all(|pair| pair[0] < pair[1] && pair[1] <= 2 * pair[0]),
            "{what}: {numbers:?}"
        );
        assert!(
            rows().all(|row| row.batch == Some(2048) && row.gbps > 0.0 && row.samples.len() >= 3),
            "{what}"
        );
        assert!(printed.contains(&what));
    }
    let page = String::from_utf8(place.read("all.html")).unwrap();
    for head in ["threads", "cycles", "of floor"] {
        assert!(page.contains(&format!("<th>{head}</th>")), "{head}");
    }
    assert!(page.contains("--quick") && page.matches("<svg ").count() == 1);
    let picture = String::from_utf8(place.read("pictures/threads-2048-of-1600.svg")).unwrap();
    assert!(picture.contains("GB/s over the number of threads"));
    place.refuses(["bench", "aez", "--threads", "2"], 2, "nothing is done on several threads");
}

/// A baseline is kept and compared with, not replaced unasked, and refused where it is from another machine.
#[test]
fn baselines() {
    let place = place();
    let bench = |words: &[&str]| {
        let mut command = place.command(["bench", "aez", "--size", "16", "--quick"].iter().chain(words));
        spawn(command.env("XDG_CACHE_HOME", place.path("cache"))).end()
    };
    let message = bench(&["--against", "before"]);
    assert!(message.code == Some(2) && message.stderr.contains("no baseline 'before'"), "{}", message.stderr);
    bench(&["--save", "before"]).succeeds();
    // What is compiled for devices will be there, too, and is for the owner alone to write.
    for folder in ["cache", "cache/abreast", "cache/abreast/baselines"] {
        let mode = std::fs::metadata(place.path(folder)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700, "{folder}");
    }
    assert_eq!(bench(&["--save", "before"]).code, Some(4));
    let compared = String::from_utf8(bench(&["--against", "before"]).succeeds().stdout).unwrap();
    assert!(compared.contains("without a change beyond the noise"), "{compared}");
    let message = bench(&["--against", "before", "--latency"]);
    assert!(message.code == Some(2) && message.stderr.contains("cannot be compared"), "{}", message.stderr);
    let whole = ["bench", "aez", "--size", "16", "--against", "before"];
    let whole = spawn(place.command(whole).env("XDG_CACHE_HOME", place.path("cache"))).end();
    whole.fails(2, "was taken with --quick, and cannot be compared without it");
    feed(place.shell("mkfifo cache/abreast/baselines/pipe.json"), b"").succeeds();
    for words in [&["--against", "pipe"][..], &["--save", "pipe"], &["--save", "pipe", "--force"]] {
        bench(words).fails(2, "it is not a regular file");
    }
    let kept = "cache/abreast/baselines/before.json";
    let text = String::from_utf8(place.read(kept)).unwrap().replace("\"cpu\":\"", "\"cpu\":\"another ");
    place.write(kept, text.as_bytes());
    let message = bench(&["--against", "before"]);
    assert!(
        message.code == Some(2) && message.stderr.contains("is from another machine"),
        "{}",
        message.stderr
    );
}
