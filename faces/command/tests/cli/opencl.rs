//! OpenCL devices in the command. Without a device, tests say that they are skipped.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

use abreast::kernels::algorithms;
use data_encoding::HEXLOWER as HEX;

use abreast_runs::skip;

use crate::support::*;

/// The folder in which the tests keep compiled programs.
const CACHE: &str = env!("CARGO_TARGET_TMPDIR");

/// The command with that folder.
fn command<A: AsRef<OsStr>>(place: &Place, args: impl IntoIterator<Item = A>) -> Command {
    let mut command = place.command(args);
    command.env("XDG_CACHE_HOME", CACHE);
    command
}

/// Returns true if there is a device; if not, the test is skipped.
fn has_device(place: &Place) -> bool {
    let listed = spawn(&mut command(place, ["kernels"])).end().succeeds().stdout;
    if String::from_utf8(listed).unwrap().contains("\nOpenCL device ") {
        return true;
    }
    skip("there is no OpenCL device");
    false
}

fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

#[test]
fn raw_on_a_device_equals_the_cpu() {
    let place = Place::new();
    if !has_device(&place) {
        return;
    }
    let input = message(70_017);
    for cipher in algorithms() {
        let (name, block) = (cipher.name(), cipher.block_size());
        for mode in ["ecb", "ctr --counter-bits 32", "xts --unit 4096"] {
            let is_xts = mode.starts_with("xts");
            if is_xts && block == 8 {
                continue;
            }
            let key: Vec<u8> = (0..cipher.key_len() * if is_xts { 2 } else { 1 }).map(|i| i as u8).collect();
            let iv = HEX.encode(&vec![0xff; block]);
            let iv = if mode == "ecb" { String::new() } else { format!("--iv {iv}") };
            let len = if mode == "ecb" { input.len() / block * block } else { input.len() };
            place.write("in", &input[..len]);
            for direction in ["encrypt", "decrypt"] {
                let key = HEX.encode(&key);
                let args = format!("raw {direction} --cipher {name} --mode {mode} --key {key} {iv} in");
                let run = |args: &str| spawn(&mut command(&place, words(args))).end().succeeds().stdout;
                let on_device = run(&format!("{args} --kernel opencl"));
                assert!(on_device == run(&args) && on_device.len() == len, "{args}");
            }
        }
    }
}

#[test]
fn the_device_is_listed_and_chosen_by_its_name() {
    let place = Place::new();
    if !has_device(&place) {
        return;
    }
    let run = |args: &[&str]| spawn(&mut command(&place, args)).end();
    let json = String::from_utf8(run(&["kernels", "--json"]).succeeds().stdout).unwrap();
    let (_, row) = json.split_once("{\"device\":\"").expect("a device is an object");
    let name = row.split_once('"').unwrap().0.to_owned();
    let raw = "raw encrypt --cipher xtea --mode ecb --key 000102030405060708090a0b0c0d0e0f";
    let args = |more: &str| format!("{raw} {more}");
    let plain = feed(command(&place, words(raw)), &[0; 64]).succeeds().stdout;
    for kernel in ["opencl", "auto"] {
        let more = args(&format!("--kernel {kernel} --device"));
        let args = words(&more).into_iter().chain([&*name]);
        assert_eq!(feed(command(&place, args), &[0; 64]).succeeds().stdout, plain, "{kernel}");
    }
    let other = args("--kernel opencl --device no-such-device -o out");
    let refused = feed(command(&place, words(&other)), &[0; 64])
        .fails(2, "no OpenCL device, or more than one, is called");
    assert!(refused.stderr.contains(&name) && !place.path("out").exists());
}

#[cfg(unix)]
#[test]
fn without_a_device_nothing_is_written_and_the_reason_is_told() {
    let place = Place::new();
    place.write("in", &message(1000));
    let without = |args: &[&str]| {
        let mut command = command(&place, args);
        spawn(command.env("OCL_ICD_VENDORS", Path::new("/nonexistent"))).end()
    };
    let raw =
        "raw encrypt --cipher xtea --mode ctr --key 000102030405060708090a0b0c0d0e0f --iv 0000000000000000";
    let before = place.contents();
    let asked = format!("{raw} in -o out --kernel opencl");
    without(&words(&asked)).fails(1, "no OpenCL");
    assert!(place.contents() == before, "{:?}", place.names());
    // `auto` does without a device, and the table of kernels is complete.
    without(&words(&format!("{raw} in -o auto --kernel auto"))).succeeds();
    without(&words(&format!("{raw} in -o cpu"))).succeeds();
    assert!(place.read("auto") == place.read("cpu"));
    let listed = String::from_utf8(without(&["kernels"]).succeeds().stdout).unwrap();
    assert!(listed.starts_with("cipher ") && listed.contains("\nno OpenCL"), "{listed}");
}

#[test]
fn what_devices_do_not_have_is_refused() {
    let place = Place::new();
    let key = "--key 000102030405060708090a0b0c0d0e0f";
    for mode in ["cbc --iv 00000000000000000000000000000000", "gcm --iv 00", "cmac"] {
        let args = format!("raw encrypt --cipher aes-128 --mode {mode} {key} --kernel opencl -o out");
        place.refuses(words(&args), 2, "in the modes ecb, ctr and xts");
    }
    let rc4 = format!("raw encrypt --cipher rc4 --legacy {key} --kernel opencl -o out");
    place.refuses(words(&rc4), 2, "--kernel means nothing to rc4");
    let cpu = format!("raw encrypt --cipher aes-128 --mode ecb {key} --kernel sliced-sse2 --device x -o out");
    place.refuses(words(&cpu), 2, "--device is for --kernel opencl");
}

/// The driver of NVIDIA in a folder of libraries, and no file that names it, as in containers. It is no library here, so it
/// gives no device; the test checks that it is named to the loader beside the drivers that are named already.
#[cfg(unix)]
#[test]
fn a_driver_that_no_file_names_is_named_beside_the_others() {
    let place = Place::new();
    let is_named = Path::new("/etc/OpenCL/vendors").read_dir().into_iter().flatten().flatten().any(|entry| {
        std::fs::read_to_string(entry.path()).is_ok_and(|text| text.contains("libnvidia-opencl"))
    });
    if is_named || !has_device(&place) {
        return;
    }
    std::fs::create_dir(place.path("lib")).unwrap();
    place.write("lib/libnvidia-opencl.so.1", b"");
    let list = |more: &[(&str, &OsStr)]| {
        let mut command = place.command(["kernels"]);
        command.env("XDG_CACHE_HOME", place.path("cache")).env("LD_LIBRARY_PATH", place.path("lib"));
        command.env_remove("OCL_ICD_VENDORS").envs(more.iter().copied());
        String::from_utf8(spawn(&mut command).end().succeeds().stdout).unwrap()
    };
    let vendors = place.path("cache").join("abreast/opencl/vendors");
    // The caller's choice stays.
    assert!(list(&[("OCL_ICD_VENDORS", OsStr::new("/nonexistent"))]).contains("\nno OpenCL"));
    assert!(!vendors.exists());
    assert!(list(&[]).contains("\nOpenCL device "), "the other drivers are found, too");
    let named = std::fs::read_to_string(vendors.join("nvidia.icd")).unwrap();
    assert_eq!(Path::new(named.trim()), place.path("lib").join("libnvidia-opencl.so.1"));
}
