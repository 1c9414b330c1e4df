//! Memory, and files larger than any of it.

use std::fs::{self, File};
use std::io::Read;
use std::process::Stdio;
use std::time::Duration;

use crate::support::*;

/// The most memory that a process has had resident so far, in KiB; `None` once it has ended.
fn peak(pid: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().trim_end_matches(" kB").parse().unwrap())
}

/// Reads a process's output to its end, and returns its length and the memory that the process took.
fn drain(mut process: Process) -> (u64, u64) {
    let mut stdout = process.child.stdout.take().unwrap();
    let mut buffer = vec![0; 1 << 20];
    let (mut total, mut most) = (0, 0);
    loop {
        // Measured while the process waits for room in the pipe.
        most = most.max(peak(process.child.id()).unwrap_or(0));
        let len = stdout.read(&mut buffer).unwrap();
        if len == 0 {
            break;
        }
        total += len as u64;
    }
    process.end().succeeds();
    assert!(most > 0, "never measured");
    (total, most)
}

#[test]
fn memory_does_not_grow_with_the_file() {
    let place = Place::new();
    let len: u64 = 200 << 20;
    File::create(place.path("sparse")).unwrap().set_len(len).unwrap();
    let seal = ["seal", "sparse", "-k", "key", "-o", "-", "--jobs", "999"];
    let (sealed, most) = drain(spawn(&mut place.command(seal)));
    assert_eq!(sealed, 56 + len + (len / CHUNK as u64 + 1) * 16);
    assert!(most < 64 << 10, "{most} KiB");

    let mut seal = spawn(&mut place.command(["seal", "sparse", "-k", "key", "-o", "-"]));
    let mut open = place.command(["open", "-", "-k", "key", "--jobs", "999"]);
    let (opened, most) = drain(spawn(open.stdin(Stdio::from(seal.child.stdout.take().unwrap()))));
    seal.end().succeeds();
    assert_eq!(opened, len);
    assert!(most < 64 << 10, "{most} KiB");
}

/// Beyond 32 bits, where offsets go wrong.
#[test]
#[ignore = "writes and reads 5 GiB: run with --ignored where there is the disk and the time"]
fn five_gibibytes() {
    let place = Place::new();
    let limit = Duration::from_secs(1800);
    let start = |args: &[&str]| Process::spawn(&mut place.command(args), limit);
    let len: u64 = (5 << 30) + 12345;
    File::create(place.path("sparse")).unwrap().set_len(len).unwrap();
    start(&["seal", "sparse", "-k", "key", "-o", "sealed"]).end().succeeds();
    start(&["verify", "sealed", "-k", "key"]).end().succeeds();
    let range = format!("{}..{}", (4_u64 << 30) - 3, (4_u64 << 30) + 3);
    let part = place.run(["open", "sealed", "-k", "key", "-o", "-", "--range", &range]).succeeds();
    assert_eq!(part.stdout, [0; 6]);
    let (opened, most) = drain(start(&["open", "sealed", "-k", "key", "-o", "-"]));
    assert_eq!(opened, len);
    assert!(most < 64 << 10, "{most} KiB");
}

/// Files of the kernel have no size that could be trusted.
#[test]
fn files_without_a_size() {
    let place = Place::new();
    let text = fs::read("/proc/self/limits").unwrap();
    assert_eq!(fs::metadata("/proc/self/limits").unwrap().len(), 0);
    place.run(["seal", "/proc/self/limits", "-k", "key", "-o", "sealed"]).succeeds();
    let opened = place.run(["open", "sealed", "-k", "key", "-o", "-"]).succeeds().stdout;
    // Core dumps are off in the command, so that its keys do not end up in one.
    let core = |text: &[u8]| {
        let text = String::from_utf8(text.to_vec()).unwrap();
        text.lines().find(|line| line.starts_with("Max core file size")).unwrap().to_owned()
    };
    assert_eq!(words(&core(&opened))[4..6], ["0", "0"]);
    assert_eq!(opened.split(|&byte| byte == b'\n').count(), text.split(|&byte| byte == b'\n').count());
}

/// Files of `/sys` have a size of a page and fewer bytes. Nothing tells them from a file that lost its end.
#[test]
fn files_with_another_size() {
    let place = Place::new();
    let file = "/sys/kernel/uevent_seqnum";
    let (bytes, size) = (fs::read(file).unwrap().len(), fs::metadata(file).unwrap().len());
    assert!((bytes as u64) < size);
    let run = place.run(["seal", file, "-k", "key", "-o", "sealed"]);
    let cause = format!("gave {bytes} bytes, and has {size}: if that is usual, read it through a pipe");
    assert!(run.code == Some(1) && run.stderr.contains(&cause), "{}", run.stderr);
    assert!(!place.path("sealed").exists());
}

/// The words of a line.
fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}
