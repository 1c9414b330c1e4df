//! Folders, many files, and what is left out.

use std::collections::BTreeMap;
use std::fs;
#[cfg(unix)]
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::time::{Duration, SystemTime};

use crate::support::*;

/// A generator of small numbers, seeded by the number of a round.
struct Draw(u64);

impl Draw {
    /// Draws a number below `end`.
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

/// Makes a folder with files, links and folders in it, all drawn.
#[cfg(unix)]
fn draw_tree(draw: &mut Draw, folder: &Path, depth: u32) {
    fs::create_dir_all(folder).unwrap();
    for number in 0..draw.below(5) {
        // Names may have any bytes but two.
        let name =
            ["a", "b c", "-k", ".hidden", "\u{e9}\n", "x.abreast.txt", "~", "*"][draw.below(8) as usize];
        let path = folder.join(format!("{name}{number}"));
        match draw.below(5) {
            0 if depth > 0 => draw_tree(draw, &path, depth - 1),
            1 => symlink(["a0", "/nowhere", "..", "."][draw.below(4) as usize], &path).unwrap(),
            _ => {
                fs::write(&path, message([0, 1, 17, CHUNK, CHUNK + 1][draw.below(5) as usize])).unwrap();
                let mode = [0o600, 0o644, 0o755, 0o400, 0o640][draw.below(5) as usize];
                fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
                let time = SystemTime::UNIX_EPOCH
                    + Duration::new(draw.below(2_000_000_000), draw.below(1_000_000_000) as u32);
                fs::File::open(&path).unwrap().set_modified(time).unwrap();
            }
        }
    }
    let mode = [0o700, 0o755, 0o500, 0o555][draw.below(4) as usize];
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(draw.below(2_000_000_000));
    let open = fs::File::open(folder).unwrap();
    open.set_modified(time).unwrap();
    open.set_permissions(fs::Permissions::from_mode(mode)).unwrap();
}

/// Describes all that is in a folder: by its path its mode, and its time and contents, the target of a link, or nothing.
#[cfg(unix)]
fn describe(folder: &Path) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    let mut rest = vec![folder.to_path_buf()];
    while let Some(path) = rest.pop() {
        let metadata = fs::symlink_metadata(&path).unwrap();
        let name = path.strip_prefix(folder).unwrap().to_string_lossy().into_owned();
        let contents = if metadata.is_symlink() {
            fs::read_link(&path).unwrap().to_string_lossy().into_owned()
        } else if metadata.is_dir() {
            rest.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            String::new()
        } else {
            format!("{:?}", fs::read(&path).unwrap())
        };
        let (mode, time) = (metadata.mode(), (metadata.mtime(), metadata.mtime_nsec()));
        all.insert(name, format!("{mode:o} {time:?} {contents}"));
    }
    all
}

#[cfg(unix)]
#[test]
fn folders_come_back_as_they_were() {
    for round in 0..24 {
        let place = Place::new();
        let tree = place.path("a/tree");
        fs::create_dir(place.path("a")).unwrap();
        draw_tree(&mut Draw(round), &tree, 3);
        let before = describe(&tree);
        let files = before.values().filter(|what| what.starts_with("100")).count();
        let sealed = place.run(["seal", "-r", "a/tree", "--output-dir", "out", "-k", "key", "-q"]).succeeds();
        assert_eq!(sealed.stdout, b"");
        let verified = place.run(["verify", "-r", "out", "-k", "key"]);
        assert_eq!(verified.code, Some(i32::from(files == 0)), "{}", verified.stderr);
        place.run(["open", "-r", "out/tree", "--output-dir", "back", "-k", "key", "-q"]).succeeds();
        assert_eq!(describe(&place.path("back/tree")), before, "round {round}");
        assert_eq!(describe(&tree), before, "round {round}: the originals");
        // Nothing in the sealed folder is in the clear but names and links.
        for (name, what) in describe(&place.path("out/tree")) {
            assert!(!what.starts_with("100") || name.ends_with(".abreast"), "{name}");
        }
        // The same call again does what is missing.
        let again =
            place.run(["seal", "-r", "a/tree", "--output-dir", "out", "-k", "key", "--skip-existing"]);
        let said = match files {
            0 => "abreast: note: no files were found\n".to_owned(),
            files => format!("abreast: 0 files sealed, {files} skipped\n"),
        };
        assert_eq!((again.code, again.stderr), (Some(0), said));
        make_removable(&place.path(""));
    }
}

/// Lets the folder of a test be removed.
#[cfg(unix)]
fn make_removable(folder: &Path) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        if entry.file_type().unwrap().is_dir() {
            fs::set_permissions(entry.path(), fs::Permissions::from_mode(0o700)).unwrap();
            make_removable(&entry.path());
        }
    }
}

#[test]
fn folders_in_place() {
    let place = Place::new();
    fs::create_dir_all(place.path("a/b")).unwrap();
    place.write("a/1", b"one");
    place.write("a/b/2", b"two");
    place.run(["seal", "-r", "a", "-k", "key", "--rm"]).succeeds();
    let names = |folder: &str| place.names_in(folder);
    assert_eq!(
        (names("a"), names("a/b")),
        (vec!["1.abreast".into(), "b".into()], vec!["2.abreast".to_owned()])
    );
    place.run(["reseal", "-r", "a", "-k", "key", "--to-new-key", "new"]).succeeds();
    let run = place.run(["verify", "-r", "a", "-k", "key"]);
    assert!(
        run.stderr.replace('\\', "/").ends_with("abreast: 2 of 2 files failed: a/1.abreast, a/b/2.abreast\n"),
        "{}",
        run.stderr
    );
    place.run(["open", "-r", "a", "-k", "new"]).succeeds();
    assert_eq!((place.read("a/1"), place.read("a/b/2")), (b"one".to_vec(), b"two".to_vec()));
}

/// The output folder may be within the input.
#[test]
fn a_folder_into_itself() {
    let place = Place::new();
    place.write("1", b"one");
    let run = place.run(["seal", "-r", ".", "--output-dir", "out", "-k", "key"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stderr.contains("key: left out: it is the key file in use"), "{}", run.stderr);
    let again = place.run(["seal", "-r", ".", "--output-dir", "out", "-k", "key", "--skip-existing"]);
    assert!(again.stderr.contains("out: left out: it is the folder of the outputs"), "{}", again.stderr);
    assert_eq!(place.names_in("out"), ["1.abreast"]);
}

/// Nothing is written through a link in the folder of the outputs.
#[cfg(unix)]
#[test]
fn links_lead_nowhere() {
    let place = Place::new();
    fs::create_dir_all(place.path("in/sub")).unwrap();
    fs::create_dir_all(place.path("elsewhere")).unwrap();
    fs::create_dir_all(place.path("out/in")).unwrap();
    place.write("in/sub/file", b"hello");
    symlink("../../elsewhere", place.path("out/in/sub")).unwrap();
    let run = place.run(["seal", "-r", "in", "--output-dir", "out", "-k", "key"]);
    assert_eq!(run.code, Some(5));
    assert!(run.stderr.contains("out/in/sub: is there already, and is not a folder"), "{}", run.stderr);
    assert_eq!(place.names_in("elsewhere"), [""; 0]);
}

/// An original goes once its sealed file holds the same bytes, and stays otherwise.
#[test]
fn originals_are_removed_after_a_look() {
    let place = Place::new();
    for (name, len) in [("empty", 0), ("short", 5), ("long", 5 * CHUNK)] {
        place.write(name, &message(len));
    }
    place.run(["seal", "empty", "short", "long", "-k", "key", "--rm"]).succeeds();
    assert_eq!(place.names(), ["empty.abreast", "key", "long.abreast", "short.abreast"]);
    place.run(["open", "empty.abreast", "short.abreast", "long.abreast", "-k", "key"]).succeeds();
    assert!(place.read("long") == message(5 * CHUNK));
    // What an earlier call has sealed is compared, too.
    place.write("short", b"other");
    let run = place.run(["seal", "empty", "short", "long", "-k", "key", "--rm", "--skip-existing"]);
    assert_eq!(run.code, Some(5));
    assert!(run.stderr.contains("short: stays: the sealed file holds something else"), "{}", run.stderr);
    assert_eq!(place.names(), ["empty.abreast", "key", "long.abreast", "short", "short.abreast"]);
    place.refuses(["seal", "short", "-k", "key", "--rm", "-o", "-"], 2, "opens the sealed file again");
    place.refuses(["seal", "-", "-k", "key", "--rm", "-o", "x"], 2, "name the files");
}

/// An empty pipe may be the output of a command that failed.
#[test]
fn empty_standard_input() {
    let place = Place::new();
    for args in [&["seal", "-k", "key", "-o", "out"][..], &["seal", "-", "-k", "key", "-o", "out"]] {
        place.pipe(args, b"").fails(1, "standard input: is empty, as it is after a command that failed");
        assert_eq!(place.names(), ["key"]);
    }
    place.pipe(["seal", "-k", "key", "-o", "out", "--allow-empty"], b"").succeeds();
    assert_eq!(place.pipe(["open", "-k", "key"], &place.read("out")).succeeds().stdout, b"");
    let sealed = place.pipe(["seal", "-k", "key"], b"h").succeeds().stdout;
    assert_eq!(place.pipe(["open", "-k", "key"], &sealed).succeeds().stdout, b"h");
}

#[cfg(unix)]
#[test]
fn reports_for_programs() {
    let place = Place::new();
    place.write("a", b"hello");
    place.write("b\"\n", b"hello");
    let run = place.run(["seal", "a", "b\"\n", "key", "missing", "-k", "key", "--json"]);
    assert_eq!(run.code, Some(5));
    let lines = String::from_utf8(run.stdout).unwrap();
    assert_eq!(
        lines.lines().collect::<Vec<_>>(),
        [
            r#"{"file":"key","status":"left out","reason":"it is the key file in use"}"#,
            r#"{"file":"a","status":"sealed","output":"a.abreast"}"#,
            r#"{"file":"b\"\u000a","status":"sealed","output":"b\"\u000a.abreast"}"#,
            r#"{"file":"missing","status":"failed","exit":1,"message":"missing: No such file or directory"}"#,
            r#"{"summary":{"files":3,"sealed":2,"skipped":0,"left_out":1,"failed":1}}"#,
        ]
    );
    place.refuses(["seal", "a", "-o", "-", "-k", "key", "--json"], 2, "--json prints on standard output");
    let quiet = place.run(["seal", "a", "key", "-k", "key", "-q", "-f"]).succeeds();
    assert_eq!((quiet.stdout, quiet.stderr), (Vec::new(), String::new()));
}

#[test]
fn nothing_to_do_is_said() {
    let place = Place::new();
    fs::create_dir(place.path("empty")).unwrap();
    place.refuses(["verify", "-r", "empty", "-k", "key"], 1, "no files were found");
    let run = place.run(["seal", "-r", "empty", "-k", "key"]);
    assert_eq!((run.code, &*run.stderr), (Some(0), "abreast: note: no files were found\n"));
    place.refuses(["open", "missing", "-k", "key"], 1, "missing: No such file");
}

/// Two names of one file are two files, and both go.
#[cfg(unix)]
#[test]
fn hard_links_are_removed() {
    let place = Place::new();
    place.write("a", b"hello");
    fs::hard_link(place.path("a"), place.path("b")).unwrap();
    place.run(["seal", "a", "b", "-k", "key", "--rm"]).succeeds();
    assert_eq!(place.names(), ["a.abreast", "b.abreast", "key"]);
    place.write("c", b"hello");
    symlink("c", place.path("link")).unwrap();
    let run = place.run(["seal", "c", "link", "-k", "key", "--rm"]);
    assert!(run.stderr.ends_with("abreast: 1 of 2 files failed: link\n"), "{}", run.stderr);
}

/// Folders, pipes and dangling links do not count as outputs that exist.
#[test]
fn what_is_no_output_is_not_skipped() {
    let place = Place::new();
    place.write("a", b"hello");
    fs::create_dir(place.path("a.abreast")).unwrap();
    let run = place.run(["seal", "a", "-k", "key", "--skip-existing"]);
    assert!(run.code != Some(0) && run.stderr.contains("a.abreast: "), "{:?} {}", run.code, run.stderr);
    #[cfg(unix)]
    {
        place.write("b", b"hello");
        symlink("nowhere", place.path("b.abreast")).unwrap();
        place.refuses(["seal", "b", "-k", "key", "--skip-existing"], 4, "b.abreast: exists already");
        place.write("c", b"hello");
        place.run(["seal", "c", "-k", "key", "-o", "sealed"]).succeeds();
        symlink("sealed", place.path("c.abreast")).unwrap();
        place.run(["seal", "c", "-k", "key", "--skip-existing"]).succeeds();
        assert_eq!(place.read("c.abreast"), place.read("sealed"));
    }
}
