//! Files that several calls seal together by a plan, and contents that several calls open.

use std::fs::{self, File};
use std::io::Read;
#[cfg(unix)]
use std::os::unix::fs::symlink;
use std::time::{Duration, SystemTime};

use crate::support::*;

/// Chunks in a part of the plans here.
const PART_CHUNKS: usize = 2;
/// A part of the message.
const PART: usize = PART_CHUNKS * CHUNK;

/// A folder with a message of that length and a plan of small parts for it.
fn planned(len: usize) -> (Place, Vec<u8>) {
    let place = Place::new();
    let message = message(len);
    place.write("message", &message);
    place.run(["plan", "message", "-o", "plan", "--part-size", "32K"]).succeeds();
    (place, message)
}

/// The arguments that seal a share.
fn share<'a>(share: &'a str, output: &'a str) -> [&'a str; 10] {
    ["seal", "message", "--plan", "plan", "--share", share, "-k", "key", "-o", output]
}

#[test]
fn shares_together_are_the_sealed_file() {
    for len in [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, PART - 1, PART, PART + 1, 5 * PART, 7 * PART + CHUNK + 9] {
        let (place, message) = planned(len);
        place.run(["seal", "message", "--plan", "plan", "-k", "key", "-o", "whole"]).succeeds();
        let whole = place.read("whole");
        assert_eq!(whole.len(), HEADER + len + (len / CHUNK + 1) * 16);
        let salt: String = whole[..24].iter().map(|byte| format!("{byte:02x}")).collect();
        let plan = String::from_utf8(place.read("plan")).unwrap();
        let line = format!("abreast-plan/1 message={len} part-chunks={PART_CHUNKS} salt={salt}\nmodified=");
        assert!(plan.starts_with(&line), "{plan}");
        // More shares than parts too; those are empty.
        for shares in [1, 2, 3, 11] {
            // In any order, by any number of threads, and once more after one was lost.
            let last = format!("{shares}/{shares}");
            for number in (1..=shares).rev() {
                let (which, output) = (format!("{number}/{shares}"), format!("out.{number}"));
                let jobs = if number % 2 == 0 { "1" } else { "3" };
                place.run(share(&which, &output).into_iter().chain(["-f", "--jobs", jobs])).succeeds();
            }
            // By the option's other name.
            let mut by_part = share(&last, "-");
            by_part[4] = "--part";
            let again = place.run(by_part).succeeds().stdout;
            let outputs: Vec<Vec<u8>> =
                (1..=shares).map(|number| place.read(format!("out.{number}"))).collect();
            assert!(again == outputs[shares - 1]);
            assert!(outputs.concat() == whole, "{len} bytes, {shares} shares");
            assert!(!outputs[shares - 1].is_empty(), "the last share has the end of the file");
        }
        place.run(["open", "whole", "-k", "key", "-o", "opened"]).succeeds();
        assert!(place.read("opened") == message);
        let names = place.names();
        assert!(!names.iter().any(|name| name.contains("tmp")), "{names:?}");
    }
}

#[test]
fn shares_of_the_contents_together_are_the_contents() {
    let place = Place::new();
    // More than one part of 8 MiB, and less than one.
    for len in [0, 5, (16 << 20) + 3] {
        let message = message(len);
        place.pipe(["seal", "-", "-k", "key", "-f", "-o", "sealed", "--allow-empty"], &message).succeeds();
        for shares in [1, 2, 4] {
            let mut opened = Vec::new();
            for number in 1..=shares {
                let which = format!("{number}/{shares}");
                let args = ["open", "sealed", "-k", "key", "-f", "-o", "part", "--share", &which];
                place.run(args).succeeds();
                opened.extend(place.read("part"));
            }
            assert!(opened == message, "{len} bytes, {shares} shares");
        }
    }
    // The parts are even, whole parts of 8 MiB.
    place.run(["open", "sealed", "-k", "key", "-f", "-o", "part", "--part", "2/3"]).succeeds();
    assert_eq!(place.read("part").len(), 8 << 20);

    // With a passphrase too, which has its line in front; and a file that was cut off has no shares.
    place.write("pass", b"secret\n");
    place.write("private", &sealed_with_passphrase("secret", &message(100)));
    let args = ["open", "private", "--passphrase-file", "pass", "-o", "-", "--share", "1/1"];
    assert!(place.run(args).succeeds().stdout == message(100));
    File::options().write(true).open(place.path("sealed")).unwrap().set_len(1 << 20).unwrap();
    place.refuses(
        ["open", "sealed", "-k", "key", "-o", "none", "--share", "1/2"],
        3,
        "authentication failed",
    );
}

#[test]
fn a_changed_input_is_refused() {
    let (place, message) = planned(5 * PART);
    let refused = |place: &Place| {
        for which in ["1/2", "2/2"] {
            place.refuses(share(which, "out"), 1, "message: was changed since its plan was made");
        }
        place.refuses(["seal", "message", "--plan", "plan", "-k", "key"], 1, "make a new plan");
    };
    let file = File::options().write(true).open(place.path("message")).unwrap();
    let modified = file.metadata().unwrap().modified().unwrap();
    // The least that the system keeps.
    let least = Duration::from_nanos(if cfg!(windows) { 100 } else { 1 });
    file.set_modified(modified + least).unwrap();
    refused(&place);
    file.set_modified(modified).unwrap();
    place.run(share("1/2", "out")).succeeds();
    fs::remove_file(place.path("out")).unwrap();
    for len in [0, message.len() as u64 - 1, message.len() as u64 + 1] {
        file.set_len(len).unwrap();
        file.set_modified(modified).unwrap();
        refused(&place);
    }
    place.write("message", &message);
    file.set_modified(SystemTime::UNIX_EPOCH - Duration::from_millis(1)).unwrap();
    refused(&place);
    // Before 1970 a time can be pinned as well.
    place.run(["plan", "message", "-f", "-o", "plan"]).succeeds();
    assert!(String::from_utf8(place.read("plan")).unwrap().ends_with("\nmodified=-1.999000000\n"));
    place.run(share("1/2", "out")).succeeds();
}

/// An input that changes while a share is sealed leaves no share.
#[test]
fn an_input_that_changes_on_the_way() {
    let (place, _) = planned(8 << 20);
    let mut child = spawn(&mut place.command(share("1/1", "-")));
    let mut stdout = child.child.stdout.take().unwrap();
    stdout.read_exact(&mut [0; 100]).unwrap();
    place.write("message", &message(8 << 20));
    std::io::copy(&mut stdout, &mut std::io::sink()).unwrap();
    child.end().fails(1, "changed while it was read");
}

#[test]
fn plans_are_strict() {
    let (place, _) = planned(5 * PART);
    let plan = String::from_utf8(place.read("plan")).unwrap();
    for (from, to, cause) in [
        ("abreast-plan/1", "abreast-plan/2", "another version"),
        ("abreast-plan/1", "", "not a plan"),
        ("message=", "message=+", "the field message= of the plan"),
        ("part-chunks=2", "part-chunks=0", "the field part-chunks= of the plan"),
        ("salt=", "salt=00", "the field salt= of the plan"),
        ("\nmodified=", " modified=", "plan"),
        ("\nmodified=", "\nmodified=0", "time of modification"),
        ("\nmodified=", "\n\nmodified=", "time of modification"),
    ] {
        place.write("plan", plan.replacen(from, to, 1).as_bytes());
        place.refuses(share("1/2", "out"), 2, cause);
    }
    for bad in [&b""[..], b"\xff\xfe", &[b'a'; 1000]] {
        place.write("plan", bad);
        place.refuses(share("1/2", "out"), 2, "plan: not a plan");
    }
    place.write("plan", format!("{plan}{plan}").as_bytes());
    place.refuses(share("1/2", "out"), 2, "time of modification");
    fs::remove_file(place.path("plan")).unwrap();
    place.refuses(share("1/2", "out"), 1, "plan: No such file");
}

#[cfg(unix)]
#[test]
fn that_make_no_sense() {
    let (place, _) = planned(5 * PART);
    for which in ["0/3", "4/3", "1", "1/0", "a/b", "1/2/3", "-1/3"] {
        let which = format!("--share={which}");
        let args = ["seal", "message", "--plan", "plan", &which, "-k", "key", "-o", "out"];
        place.refuses(args, 2, "a share is written I/N");
    }
    place.refuses(["seal", "message", "--share", "1/2", "-k", "key", "-o", "out"], 2, "--plan");
    place.refuses(["seal", "message", "--plan", "plan", "--share", "1/2", "-k", "key"], 2, "--output");
    place.refuses(["seal", "message", "--plan", "plan"], 2, "--key-file");
    place.refuses(["seal", "message", "--plan", "plan", "--new-key", "new"], 2, "give --key-file");
    place.write("pass", b"secret");
    place.refuses(["seal", "message", "--plan", "plan", "--passphrase-file", "pass"], 2, "give --key-file");
    place.refuses(["seal", "message", "key", "--plan", "plan", "-k", "key"], 2, "a plan is for one file");
    place.refuses(["seal", "-", "--plan", "plan", "-k", "key"], 2, "a regular file given by name");
    place.refuses(["plan", "-", "-o", "other"], 2, "a regular file given by name");
    place.refuses(["plan", "/dev/null", "-o", "other"], 2, "a regular file given by name");
    place.refuses(["plan", ".", "-o", "other"], 1, "is a folder");
    place.refuses(["plan", "message"], 2, "--output");
    for size in ["0", "x", "2G", "-1"] {
        let size = format!("--part-size={size}");
        place.refuses(["plan", "message", "-o", "other", &size], 2, "a size is a number");
    }
    // A file whose contents the kernel makes up when it is read.
    place.refuses(["plan", "/proc/version", "-o", "other"], 2, "more bytes than its length");
    place.seal(b"hello");
    place.write("message", b"hello");
    let open = ["open", "sealed", "-k", "key", "-o", "out", "--share", "1/2"];
    place.refuses(open.into_iter().chain(["--range", "0..1"]), 2, "--range");
    place.refuses(["open", "sealed", "-k", "key", "--share", "1/2"], 2, "give -o FILE");
    let several = ["open", "sealed", "sealed", "-k", "key", "-o", "out", "--share", "1/2"];
    place.refuses(several, 2, "a range or a share is opened in one file, not in several");
}

#[cfg(unix)]
#[test]
fn outputs_replace_nothing_of_the_call() {
    let (place, _) = planned(5 * PART);
    place.refuses(["plan", "message", "-o", "plan"], 4, "exists already");
    place.refuses(["plan", "message", "-f", "-o", "message"], 4, "is the input");
    symlink("plan", place.path("link")).unwrap();
    for output in ["plan", "link", "message", "key"] {
        let what = match output {
            "message" => "is the input",
            "key" => "is the key file",
            _ => "is the plan",
        };
        place.refuses(share("1/2", output).into_iter().chain(["-f"]), 4, what);
    }
    place.write("out", b"there");
    place.refuses(share("1/2", "out"), 4, "exists already");
    place.run(share("1/2", "out").into_iter().chain(["-f"])).succeeds();
    // A plan can go through a pipe.
    let printed = place.run(["plan", "message", "-o", "-"]).succeeds().stdout;
    assert!(printed.starts_with(b"abreast-plan/1 message=163840 part-chunks=512 salt="));
}
