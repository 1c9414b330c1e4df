//! Faults in system calls: one run of the command in which `strace` lets calls fail, and the calls that were hit.

use std::fs;

use tempfile::NamedTempFile;

use crate::support::*;

/// A way in which a system call fails.
#[derive(Clone, Copy)]
pub(crate) struct Fault {
    /// The call.
    pub(crate) call: &'static str,
    /// Its error.
    pub(crate) error: &'static str,
}

/// A call that was made to fail.
pub(crate) struct Hit {
    /// The call as `strace` shows it, with the path of each descriptor.
    pub(crate) text: String,
    /// The path that it is about, if any: the first name among its arguments, or else the first descriptor's.
    pub(crate) path: Option<String>,
}

/// Runs the shell command `$ABREAST arguments` and lets the call fail when it comes for the `turn`-th time in a
/// thread. Returns the calls that failed, too. With `unnamed`, the file system has no files without a name:
/// the [`turn_of_unnamed`].
pub(crate) fn inject(
    place: &Place,
    arguments: &str,
    fault: Fault,
    turn: usize,
    unnamed: Option<usize>,
) -> (Run, Vec<Hit>) {
    let Fault { call, error } = fault;
    let lacks = unnamed.map_or(String::new(), |turn| {
        format!("-e trace={call},openat -e inject=openat:error=EOPNOTSUPP:when={turn}")
    });
    let trace = NamedTempFile::new().unwrap();
    let mut command = place.shell(&format!(
        "strace -f -y -qq -o \"$TRACE\" -e trace={call} {lacks} -e inject={call}:error={error}:when={turn} \
         \"$ABREAST\" {arguments}"
    ));
    // Cargo sets it for tests. The loader would look for each library in each of its folders.
    command.env("TRACE", trace.path()).env_remove("LD_LIBRARY_PATH");
    let run = feed(command, b"");
    let mut hits = hits(&fs::read_to_string(trace.path()).unwrap());
    hits.retain(|hit| hit.text.starts_with(call));
    (run, hits)
}

/// Runs the shell command `$ABREAST arguments`, and returns how many files its first thread had opened when it came to the
/// last one without a name. Its output is removed.
pub(crate) fn turn_of_unnamed(place: &Place, arguments: &str) -> Option<usize> {
    let before = place.contents();
    let trace = NamedTempFile::new().unwrap();
    let mut command =
        place.shell(&format!("strace -f -qq -o \"$TRACE\" -e trace=openat \"$ABREAST\" {arguments}"));
    command.env("TRACE", trace.path()).env_remove("LD_LIBRARY_PATH");
    feed(command, b"");
    for name in place.contents().into_keys() {
        match before.get(&name) {
            Some(bytes) => place.write(name, bytes),
            None => fs::remove_file(place.path(name)).unwrap(),
        }
    }
    let trace = fs::read_to_string(trace.path()).unwrap();
    let first = trace.split_whitespace().next()?;
    let calls = trace.lines().filter(|line| line.starts_with(first));
    Some(calls.collect::<Vec<_>>().iter().rposition(|line| line.contains("O_TMPFILE"))? + 1)
}

/// The calls in a trace that were made to fail.
fn hits(trace: &str) -> Vec<Hit> {
    let lines = trace.lines().filter_map(|line| line.trim_start().split_once(' '));
    let lines: Vec<_> = lines.map(|(thread, text)| (thread, text.trim_start())).collect();
    let failed = lines.iter().enumerate().filter(|(_, (_, text))| text.ends_with("(INJECTED)"));
    let whole = failed.map(|(at, &(thread, text))| {
        // Another thread's call may have come between the beginning of the line and its end.
        let begun = |(other, text): &&(&str, &str)| *other == thread && text.ends_with("<unfinished ...>");
        match lines[..at].iter().rev().find(begun) {
            Some((_, begun)) if text.starts_with("<... ") => format!("{begun} {text}"),
            _ => text.to_owned(),
        }
    });
    whole.map(|text| Hit { path: path(&text), text }).collect()
}

/// The path that a call is about.
fn path(text: &str) -> Option<String> {
    let (call, arguments) = text.split_once('(')?;
    let between = |open, close| Some(arguments.split_once(open)?.1.split_once(close)?.0.to_owned());
    // Quoted text in other calls is data.
    let takes_name =
        ["openat", "statx", "newfstatat", "linkat", "readlink", "renameat", "renameat2"].contains(&call);
    let name = if takes_name { between('"', '"').filter(|name| !name.is_empty()) } else { None };
    name.or_else(|| between('<', '>')).filter(|path: &String| !path.is_empty())
}

#[test]
fn hits_are_read_from_traces() {
    let trace = "\
12  openat(AT_FDCWD</tmp/a>, \"key\", O_RDONLY|O_CLOEXEC) = -1 EIO (Input/output error) (INJECTED)
12  write(3</tmp/a/out>, \"\\\"x\\\"\", 3 <unfinished ...>
13  fsync(4</tmp/a>) = 0
12  <... write resumed>) = -1 EIO (Input/output error) (INJECTED)
13  getrandom(0x7ffc, 24, 0) = -1 EIO (Input/output error) (INJECTED)
";
    let hits = hits(trace);
    let paths: Vec<_> = hits.iter().map(|hit| hit.path.as_deref()).collect();
    assert_eq!(paths, [Some("key"), Some("/tmp/a/out"), None]);
    assert!(hits[1].text.starts_with("write(3"), "{}", hits[1].text);
}
