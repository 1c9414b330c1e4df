//! Another key for sealed files.

use std::fs;
#[cfg(unix)]
use std::os::unix::fs::{PermissionsExt, symlink};
use std::thread;
use std::time::{Duration, Instant};

use crate::support::*;

/// Makes files of these lengths, sealed with the key, and a second key.
fn sealed_files(place: &Place, lens: &[usize]) -> Vec<String> {
    place.run(["keygen", "-o", "new"]).succeeds();
    fs::create_dir(place.path("files")).unwrap();
    let names: Vec<_> = (0..lens.len()).map(|number| format!("files/{number:04}.abreast")).collect();
    for (name, len) in names.iter().zip(lens) {
        place.write("message", &message(*len));
        place.run(["seal", "message", "-k", "key", "-o", name]).succeeds();
    }
    fs::remove_file(place.path("message")).unwrap();
    names
}

#[test]
fn lengths_at_the_ends_of_chunks_and_runs() {
    let place = Place::new();
    let lens = [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 16 * CHUNK - 1, 16 * CHUNK, 40 * CHUNK + 5];
    let names = sealed_files(&place, &lens);
    for jobs in ["1", "3"] {
        for (name, len) in names.iter().zip(lens) {
            place
                .run(["reseal", name, "-k", "key", "--to-key-file", "new", "-j", jobs, "-o", "out", "-f"])
                .succeeds();
            let opened = place.run(["open", "out", "-k", "new", "-o", "-"]).succeeds().stdout;
            assert!(opened == message(len), "{len}");
            place.run(["verify", "out", "-k", "key"]).fails(3, "authentication failed");
            // Through pipes.
            let piped = place
                .pipe(["reseal", "-k", "key", "--to-key-file", "new"], &place.read(name))
                .succeeds()
                .stdout;
            assert!(place.pipe(["open", "-k", "new"], &piped).succeeds().stdout == message(len), "{len}");
        }
    }
    // A changed or cut file stays as it is.
    let good = place.read(&names[7]);
    for at in [0, HEADER, HEADER + 20 * SEALED_CHUNK + 3, good.len() - 1] {
        let mut bad = good.clone();
        bad[at] ^= 1;
        for bad in [bad, good[..at].to_vec()] {
            place.write(&names[7], &bad);
            let run = place.run(["reseal", &names[7], "-k", "key", "--to-key-file", "new"]);
            assert_eq!(run.code, Some(3), "{}", run.stderr);
            assert!(place.read(&names[7]) == bad);
        }
    }
}

#[cfg(unix)]
#[test]
fn in_place() {
    let place = Place::new();
    let names = sealed_files(&place, &[5, 50_000]);
    fs::set_permissions(place.path(&names[0]), fs::Permissions::from_mode(0o640)).unwrap();
    symlink("0001.abreast", place.path("files/link")).unwrap();
    let time = |name: &str| place.path(name).metadata().unwrap().modified().unwrap();
    let before = time(&names[0]);
    let run = place.run(["reseal", "-r", "files", "-k", "key", "--to-key-file", "new", "-v"]);
    assert!(run.stderr.ends_with("abreast: 2 files resealed\n"), "{}", run.stderr);
    assert_eq!(time(&names[0]), before);
    assert_eq!(place.path(&names[0]).metadata().unwrap().permissions().mode() & 0o7777, 0o640);
    place.run(["verify", "-r", "files", "-k", "new"]).succeeds();
    let again = place.run(["reseal", "-r", "files", "-k", "key", "--to-key-file", "new", "-v"]);
    assert!(again.stderr.contains("skipped: it opens with the new key already"), "{}", again.stderr);
    assert!(again.stderr.ends_with("abreast: 0 files resealed, 2 skipped\n"), "{}", again.stderr);
    // Back again, through a link, which stays one.
    place.run(["reseal", "files/link", "-k", "new", "--to-key-file", "key"]).succeeds();
    assert!(place.path("files/link").is_symlink());
    place.run(["verify", "files/link", "-k", "key"]).succeeds();
    place.refuses(
        ["reseal", "files/link", "-k", "-", "--to-key-file", "-"],
        2,
        "cannot be both the old key and the new key",
    );
}

/// Elsewhere an output is made of files under the new key, too.
#[test]
fn to_another_place() {
    let place = Place::new();
    let names = sealed_files(&place, &[5, 6]);
    place.run(["reseal", &names[0], "-k", "key", "--to-key-file", "new"]).succeeds();
    place
        .run(["reseal", "-r", "files", "--output-dir", "out", "-k", "key", "--to-key-file", "new"])
        .succeeds();
    place.run(["verify", "-r", "out", "-k", "new"]).succeeds();
    assert_eq!(place.names_in("out/files").len(), 2);
    let piped =
        place.run(["reseal", &names[0], "-k", "key", "--to-key-file", "new", "-o", "-"]).succeeds().stdout;
    assert!(place.pipe(["open", "-k", "new"], &piped).succeeds().stdout == message(5));
}

#[test]
fn between_keys_and_passphrases() {
    let place = Place::new();
    place.write("old.txt", b"tr0ub4dor\n");
    place.write("new.txt", b"correct horse\n");
    place.write("a.abreast", &sealed_with_passphrase("tr0ub4dor", b"hello"));
    let opens =
        |args: &[&str]| place.run([&["open", "a.abreast", "-o", "-"], args].concat()).succeeds().stdout;
    place
        .run(["reseal", "a.abreast", "--passphrase-file", "old.txt", "--to-passphrase-file", "new.txt"])
        .succeeds();
    assert_eq!(opens(&["--passphrase-file", "new.txt"]), b"hello");
    let run = place.run([
        "reseal",
        "a.abreast",
        "--passphrase-file",
        "old.txt",
        "--to-passphrase-file",
        "new.txt",
        "-v",
    ]);
    assert!(run.code == Some(0) && run.stderr.contains("skipped"), "{}", run.stderr);
    place.run(["reseal", "a.abreast", "--passphrase-file", "new.txt", "--to-key-file", "key"]).succeeds();
    assert_eq!(opens(&["-k", "key"]), b"hello");
    place
        .run(["reseal", "a.abreast", "-k", "key", "--to-new-key", "x", "--to-cipher", "serpent-256-gcm"])
        .succeeds();
    assert_eq!(opens(&["-k", "x"]), b"hello");
}

/// The new key or passphrase may be printed by a command, with the messages of the option that was given.
#[cfg(unix)]
#[test]
fn to_what_a_command_prints() {
    let place = Place::new();
    place.run(["keygen", "-o", "new"]).succeeds();
    place.write("pass", b"tr0ub4dor\n");
    place.pipe(["seal", "-k", "key", "-o", "a"], b"hello").succeeds();
    let reseal = |more: &[&'static str]| [&["reseal", "a"], more].concat();
    place.run(reseal(&["--key-command", "cat key", "--to-key-command", "cat new"])).succeeds();
    place.run(["verify", "a", "-k", "new"]).succeeds();
    let cheap = ["-k", "new", "--to-passphrase-command", "cat pass", "--kdf-memory", "8M"];
    place.run(reseal(&cheap)).succeeds();
    place.run(["verify", "a", "--passphrase-file", "pass"]).succeeds();
    let old = ["--passphrase-file", "pass"];
    for (more, code, cause) in [
        (&["--to-key-command", "exit 3"][..], 1, "--to-key-command: the command ended with exit code 3"),
        (&["--to-key-command", "echo"], 2, "output of --to-key-command: "),
        (&["--to-key-command", "printf 0123456789abcdef"], 2, "does not say its cipher: give --to-cipher"),
        (&["--to-key-command", "cat new", "--to-cipher", "aes-128-gcm"], 2, "and --to-cipher says otherwise"),
        (&["--to-key-command", "cat new", "--kdf-memory", "8M"], 2, "cannot be used with"),
        (&["--to-key-command", "cat new", "--to-key-file", "new"], 2, "cannot be used with"),
        (
            &["--to-passphrase-command", "true"],
            2,
            "output of --to-passphrase-command: the passphrase is empty",
        ),
    ] {
        place.refuses(reseal(&[&old, more].concat()), code, cause);
    }
}

/// A run that is killed at any moment leaves each file under one of the two keys, and the same call again ends the work.
#[test]
fn killed_at_any_moment() {
    rotate_and_kill(40, 12);
}

/// A thousand files, two hundred times.
#[test]
#[ignore = "takes minutes"]
fn killed_at_any_moment_among_many() {
    rotate_and_kill(1000, 200);
}

/// Changes the key of files to and fro, and kills the run after a time that is drawn.
fn rotate_and_kill(files: usize, rounds: u32) {
    let place = Place::new();
    let names = sealed_files(&place, &vec![300; files]);
    let mut delay: u64 = 88_172_645_463_325_252;
    let (mut killed, mut temporary) = (0, 0);
    // A whole run takes so long on this machine.
    let start = Instant::now();
    place.run(["reseal", "-r", "files", "-k", "key", "--to-key-file", "new", "-q"]).succeeds();
    let whole = start.elapsed().as_micros() as u64;
    for round in 0..rounds {
        let (old, new) = if round % 2 == 0 { ("new", "key") } else { ("key", "new") };
        let start = Instant::now();
        let mut child = spawn(&mut place.command(["reseal", "-r", "files", "-k", old, "--to-key-file", new]));
        delay ^= delay << 13;
        delay ^= delay >> 7;
        delay ^= delay << 17;
        thread::sleep(Duration::from_micros(delay % whole));
        child.child.kill().unwrap();
        killed += u32::from(child.end().code.is_none());
        assert!(start.elapsed() < Duration::from_secs(60));
        let verify = ["verify", "-r", "files", "-q", "-k", new];
        place.run(verify.iter().chain(&["-k", old])).succeeds();
        // Between the creation of a file and its rename over another one it has a temporary name, which the next run tells.
        let mut left = place.names_in("files");
        let there = left.len();
        left.retain(|name| name.starts_with(".abreast-"));
        assert_eq!(there - left.len(), files, "round {round}");
        let note = |name| {
            format!("abreast: note: files/{name} was left by a run that was killed, and can be removed\n")
        };
        // Elsewhere leftovers are not told.
        let told = if cfg!(target_os = "linux") { &left[..] } else { &[] };
        let notes: String = told.iter().map(note).collect();
        let run = place.run(["reseal", "-r", "files", "-k", old, "--to-key-file", new, "-q"]);
        assert_eq!((run.code, run.stderr), (Some(0), notes), "round {round}");
        temporary += left.len();
        left.iter().for_each(|name| fs::remove_file(place.path("files").join(name)).unwrap());
        place.run(verify).succeeds();
    }
    assert_eq!(place.names_in("files").len(), names.len());
    tell(&format!(
        "{killed} of {rounds} runs on {files} files were killed, {temporary} left a temporary file"
    ));
}
