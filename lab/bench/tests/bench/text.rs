//! The text that the program prints for people.

use abreast_runs::spawn;

use crate::place;

#[test]
fn help() {
    let place = place();
    let printed = |args: &[&str]| String::from_utf8(place.run(args).succeeds().stdout).unwrap();
    let all = printed(&["--help"]);
    assert!(all.contains("Exit codes:") && all.contains("Examples:"), "{all}");
    for command in ["bench", "ladder"] {
        assert!(all.contains(&format!("\n  {command} ")), "{command}");
        let help = printed(&[command, "--help"]);
        assert!(help.contains(&format!("Usage: abreast-bench {command}")), "{help}");
        assert!(help.contains(&format!("\n  abreast-bench {command} xtea")), "{help}");
        assert!(help.lines().all(|line| line.len() <= 100), "{help}");
    }
    assert!(printed(&["--version"]).starts_with("abreast-bench 0."));
    place.refuses(["ladder"], 2, "<NAME>");
    place.refuses(["bnech"], 2, "did you mean bench?");
    place.refuses(["bench", "xtea-gcm"], 2, "ciphers with blocks of 64 bits have no xts, hctr2, gcm and siv");
    assert_eq!(place.run([""; 0]).code, Some(2));
}

#[test]
fn tables_arrive_or_are_an_error() {
    let place = place();
    let calls =
        ["--help", "help bench", "--version", "bench aes-128-ctr --size 16 --quick", "ladder xtea --quick"];
    for args in calls {
        let run = spawn(&mut place.shell(&format!("\"$ABREAST\" {args} >/dev/full"))).end();
        run.fails(1, "standard output: No space left on device");
    }
}

/// A table that nobody gets is refused before it is measured, unless there are other reports.
#[test]
fn tables_have_an_output() {
    let place = place();
    for args in ["bench aez --size 16", "bench aez --size 16 --against before", "ladder xtea"] {
        let run = spawn(&mut place.shell(&format!("\"$ABREAST\" {args} --quick >&-"))).end();
        run.fails(1, "standard output: is closed");
    }
    spawn(&mut place.shell("\"$ABREAST\" bench aez --size 16 --quick --json report >&-")).end().succeeds();
    assert!(!place.read("report").is_empty());
}

/// Every step of sealing files has a row, and nothing is left in the folder.
#[test]
fn files() {
    let place = place();
    let run = place.run(["files", "--size", "1M", "--trials", "1", "--jobs", "2"]).succeeds();
    let table = String::from_utf8(run.stdout).unwrap();
    for step in ["read", "encrypt", "write", "sync", "copy", "hash", "seal", "open", "verify"] {
        let row = table.lines().find(|line| line.starts_with(&format!("{step} ")));
        let milliseconds = row.and_then(|row| row.split_whitespace().nth(1)?.parse::<f64>().ok());
        assert!(milliseconds.is_some_and(|it| it >= 0.0), "{step}: {table}");
    }
    assert_eq!(std::fs::read_dir(place.path("")).unwrap().count(), 0);
    place.refuses(["files", "--size", "1K"], 2, "1M or more");
    place.refuses(["files", "missing"], 1, "missing: No such file");
}
