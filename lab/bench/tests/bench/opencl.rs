//! OpenCL devices in measurements. Without a device, tests say that they are skipped.

use std::path::Path;

use abreast_runs::{Place, Run, skip, spawn};

use crate::place;

/// Runs the program with a folder for what is compiled that all runs share.
fn run(place: &Place, args: &[&str]) -> Run {
    spawn(place.command(args).env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"))).end()
}

#[test]
fn the_device_is_measured_by_its_name() {
    let place = place();
    let first = run(&place, &["bench", "xtea-ecb", "--device", "", "--size", "16K"]);
    if first.code == Some(1) && first.stderr.contains("no OpenCL") {
        return skip("there is no OpenCL device");
    }
    let first = String::from_utf8(first.succeeds().stdout).unwrap();
    let (device, _) = first.split_once(", driver ").expect("the first line names the device and its driver");
    let (name, _) = device.rsplit_once(", ").expect("its kind is named, too");
    let whats = [
        "xtea-ctr",
        "aes-128-ecb-decrypt",
        "aes-128-xts-512",
        "packets-xtea-ecb",
        "packets-xtea-be-ecb",
        "packets-rc4",
    ];
    let bench = [&["bench", "--device", name, "--size", "16K,64K"][..], &whats].concat();
    let table = String::from_utf8(run(&place, &bench).succeeds().stdout).unwrap();
    assert!(table.contains(name) && table.contains("65536"), "{table}");
    for what in whats {
        assert_eq!(
            table.lines().filter(|line| line.starts_with(&format!("{what} "))).count() / 2,
            1,
            "{table}"
        );
    }
    if table.contains(", CPU, ") {
        assert!(table.contains("a CPU device: no figure of a GPU"), "{table}");
    }
    for what in ["xtea-cbc", "packets-aes-128-ecb", "rc4-keys", "threads-xtea-ecb"] {
        run(&place, &["bench", what, "--device", name]).fails(2, "--device measures CIPHER-ecb");
    }
    run(&place, &["bench", "xtea-ecb", "--device", name, "--size", "17"]).fails(2, "whole");
}

/// Checks that measurements are kept for the command `abreast`, whose `raw --kernel auto` uses them.
#[test]
fn costs_are_kept_in_the_folder_of_the_command() {
    let place = place();
    let bench = ["bench", "xtea-ctr", "--device", "", "--size", "16K"];
    let first = spawn(place.command(bench).env("XDG_CACHE_HOME", place.path("cache"))).end();
    if first.code == Some(1) && first.stderr.contains("no OpenCL") {
        return skip("there is no OpenCL device");
    }
    first.succeeds();
    let kept = place.path("cache/abreast/opencl").read_dir().unwrap();
    assert!(kept.flatten().any(|entry| entry.file_type().is_ok_and(|it| it.is_file())));
}

#[test]
fn without_a_device_the_reason_is_told() {
    let place = place();
    let mut bench = place.command(["bench", "--device", ""]);
    bench.env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"));
    bench.env("OCL_ICD_VENDORS", Path::new("/nonexistent"));
    spawn(&mut bench).end().fails(1, "no OpenCL");
}
