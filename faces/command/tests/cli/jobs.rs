//! Jobs that people come with, each as a short story on the command line. Other files have the depth.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::support::*;

/// Makes a folder for runs with a file `notes.txt` of some chunks, and returns its contents.
fn with_notes() -> (Place, Vec<u8>) {
    let (place, notes) = (Place::new(), message(3 * CHUNK + 5));
    place.write("notes.txt", &notes);
    (place, notes)
}

/// Removes a file.
fn remove(place: &Place, name: &str) {
    fs::remove_file(place.path(name)).unwrap();
}

#[test]
fn one_file_with_a_key_of_its_own() {
    let (place, notes) = with_notes();
    let said = place.run(["seal", "notes.txt", "--new-key", "my.key"]).succeeds().stdout;
    remove(&place, "notes.txt");
    // The command that it prints opens the file.
    let said = String::from_utf8(said).unwrap();
    let command = said.lines().last().unwrap().split_once("To open: abreast ").unwrap().1;
    assert_eq!(command, "open notes.txt.abreast --key-file my.key");
    place.run(command.split(' ')).succeeds();
    assert!(place.read("notes.txt") == notes);
}

#[test]
fn one_file_with_a_passphrase() {
    let (place, notes) = with_notes();
    place.write("pass", b"correct horse battery staple\n");
    place.run(["seal", "notes.txt", "--passphrase-file", "pass", "--kdf-memory", "8M"]).succeeds();
    remove(&place, "notes.txt");
    place.run(["open", "notes.txt.abreast", "--passphrase-file", "pass"]).succeeds();
    assert!(place.read("notes.txt") == notes);
    place.write("pass", b"correct horse battery stable\n");
    remove(&place, "notes.txt");
    place.refuses(["open", "notes.txt.abreast", "--passphrase-file", "pass"], 3, "wrong key or passphrase");
}

#[test]
fn a_tampered_file() {
    let (place, _) = with_notes();
    place.run(["seal", "notes.txt", "-k", "key"]).succeeds();
    remove(&place, "notes.txt");
    let mut sealed = place.read("notes.txt.abreast");
    sealed[HEADER + 2 * SEALED_CHUNK + 77] ^= 1;
    place.write("notes.txt.abreast", &sealed);
    let cause = "notes.txt.abreast: authentication failed: chunk 2 was changed";
    place.refuses(["open", "notes.txt.abreast", "-k", "key"], 3, cause);
    place.refuses(["verify", "notes.txt.abreast", "-k", "key"], 3, cause);
    assert!(!place.path("notes.txt").exists());
}

#[test]
fn the_wrong_key() {
    let (place, _) = with_notes();
    place.run(["keygen", "other.key"]).succeeds();
    place.run(["seal", "notes.txt", "-k", "key"]).succeeds();
    remove(&place, "notes.txt");
    place.refuses(["open", "notes.txt.abreast", "-k", "other.key"], 3, "authentication failed: wrong key");
    // Among several the right one is found, and named.
    let keys = ["-k", "other.key", "-k", "key"];
    let told = place.run(["inspect", "notes.txt.abreast"].into_iter().chain(keys)).succeeds().stdout;
    assert!(String::from_utf8(told).unwrap().contains("\n  key         key\n"));
    place.run(["open", "notes.txt.abreast"].into_iter().chain(keys)).succeeds();
}

#[test]
fn a_folder_and_back() {
    let (place, notes) = with_notes();
    fs::create_dir_all(place.path("photos/2026/empty")).unwrap();
    for (name, mode) in [("photos/run", 0o755), ("photos/2026/a b.jpg", 0o644), ("photos/2026/c.jpg", 0o400)]
    {
        place.write(name, &notes[..mode as usize]);
        fs::set_permissions(place.path(name), fs::Permissions::from_mode(mode)).unwrap();
    }
    place.run(["seal", "-r", "photos", "--output-dir", "vault", "-k", "key"]).succeeds();
    place.run(["open", "-r", "vault/photos", "--output-dir", "back", "-k", "key"]).succeeds();
    feed(place.shell("exec diff -r photos back/photos"), b"").succeeds();
    let modes = |folder| {
        let list = format!("cd {folder} && exec find . -exec stat -c '%a %n' {{}} +");
        feed(place.shell(&list), b"").succeeds().stdout
    };
    assert_eq!(modes("photos"), modes("back/photos"));
}

#[test]
fn many_files_with_one_hash() {
    let place = Place::new();
    place.write("pass", b"tr0ub4dor");
    let names: Vec<_> = (0..20).map(|number| format!("{number}.txt")).collect();
    names.iter().for_each(|name| place.write(name, name.as_bytes()));
    let call = |command, names: &[String]| {
        let args = [command, "--passphrase-file", "pass", "-q"].map(String::from);
        place.run(args.iter().chain(names)).succeeds();
    };
    call("seal", &names);
    let sealed: Vec<_> = names.iter().map(|name| format!("{name}.abreast")).collect();
    let line = |name: &String| place.read(name).split(|byte| *byte == b'\n').next().unwrap().to_vec();
    assert!(line(&sealed[0]).starts_with(b"abreast/1 "));
    assert!(sealed.iter().all(|name| line(name) == line(&sealed[0])), "each has its own hash");
    names.iter().for_each(|name| remove(&place, name));
    call("open", &sealed);
    assert!(names.iter().all(|name| place.read(name) == name.as_bytes()));
}

#[test]
fn another_output_folder() {
    let (place, notes) = with_notes();
    place.write("b.txt", b"hello");
    place.run(["seal", "notes.txt", "b.txt", "--output-dir", "usb/today", "-k", "key"]).succeeds();
    assert_eq!(place.names_in("usb/today"), ["b.txt.abreast", "notes.txt.abreast"]);
    let sealed = ["usb/today/notes.txt.abreast", "usb/today/b.txt.abreast"];
    place.run(["open"].into_iter().chain(sealed).chain(["--output-dir", "back", "-k", "key"])).succeeds();
    assert!(place.read("back/notes.txt") == notes && place.read("back/b.txt") == b"hello");
}

#[test]
fn another_key_or_passphrase() {
    let (place, notes) = with_notes();
    place.write("pass", b"tr0ub4dor");
    place.run(["seal", "notes.txt", "-k", "key"]).succeeds();
    let sealed = "notes.txt.abreast";
    place.run(["reseal", sealed, "-k", "key", "--to-new-key", "new.key"]).succeeds();
    place.refuses(["verify", sealed, "-k", "key"], 3, "wrong key");
    place.run(["verify", sealed, "-k", "new.key"]).succeeds();
    let to = ["--to-passphrase-file", "pass", "--kdf-memory", "8M"];
    place.run(["reseal", sealed, "-k", "new.key"].into_iter().chain(to)).succeeds();
    let opened = place.run(["open", sealed, "--passphrase-file", "pass", "-o", "-"]).succeeds().stdout;
    assert!(opened == notes);
}

/// A range is authentic although the rest of the file is not read: a fault elsewhere does not hinder it, and one within does.
#[test]
fn a_range_of_a_file() {
    let (place, notes) = with_notes();
    place.run(["seal", "notes.txt", "-k", "key"]).succeeds();
    let range = |range| place.run(["open", "notes.txt.abreast", "-k", "key", "--range", range, "-o", "-"]);
    assert!(range("20000..20100").succeeds().stdout == notes[20000..20100]);
    assert!(range("-100..").succeeds().stdout == notes[notes.len() - 100..]);
    let mut sealed = place.read("notes.txt.abreast");
    sealed[HEADER + 5] ^= 1;
    place.write("notes.txt.abreast", &sealed);
    assert!(range("20000..20100").succeeds().stdout == notes[20000..20100]);
    assert_eq!(range("100..110").fails(3, "chunk 0 was changed").stdout, b"");
}

#[test]
fn a_look_without_writing() {
    let (place, _) = with_notes();
    place.run(["seal", "notes.txt", "-k", "key"]).succeeds();
    let before = place.contents();
    assert_eq!(place.run(["verify", "notes.txt.abreast", "-k", "key"]).succeeds().stdout, b"");
    assert!(place.contents() == before);
    let sealed = place.read("notes.txt.abreast");
    place.write("notes.txt.abreast", &sealed[..sealed.len() - 1]);
    place.refuses(["verify", "notes.txt.abreast", "-k", "key"], 3, "cut off");
}

#[test]
fn several_machines_for_one_file() {
    let (place, notes) = with_notes();
    place.run(["plan", "notes.txt", "-o", "plan", "--part-size", "16K"]).succeeds();
    let mut whole = Vec::new();
    for share in ["1/3", "2/3", "3/3"] {
        let args = ["seal", "notes.txt", "--plan", "plan", "--share", share, "-k", "key", "-o", "-"];
        let mut sealed = place.run(args).succeeds().stdout;
        assert!(!sealed.is_empty());
        whole.append(&mut sealed);
    }
    assert!(place.pipe(["open", "-k", "key"], &whole).succeeds().stdout == notes);
}

#[test]
fn what_a_file_is() {
    let (place, _) = with_notes();
    place.write("pass", b"tr0ub4dor");
    let told = |args: &[&str]| {
        String::from_utf8(place.run(["inspect"].iter().chain(args)).succeeds().stdout).unwrap()
    };
    place.run(["seal", "notes.txt", "-k", "key"]).succeeds();
    assert!(told(&["notes.txt.abreast"]).contains("could be Cobblestone by its size, with a key file"));
    assert!(told(&["notes.txt.abreast", "-k", "key"]).contains("AEAD_AES_256_GCM, key file"));
    place.run(["seal", "notes.txt", "--passphrase-file", "pass", "--kdf-memory", "8M", "-f"]).succeeds();
    assert!(told(&["notes.txt.abreast"]).contains("argon2id, memory 8 MiB"));
    place.refuses(["inspect", "key"], 2, "key: is a key file, not a sealed file");
    place.write("letter", &b"Dear Alice, long ago we agreed to meet where the river bends.\n".repeat(3));
    place.refuses(["inspect", "letter"], 3, "letter: is not a sealed file");
}

/// The help says who does what this command does not: age has public keys for other people, and `base64` makes text.
#[test]
fn jobs_of_other_programs() {
    let (place, notes) = with_notes();
    for args in [&["--help"][..], &["seal", "--help"]] {
        let help = String::from_utf8(place.run(args).succeeds().stdout).unwrap();
        let words = help.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains("To send files to other people, use age."), "{help}");
        assert!(words.contains("Where only text passes, pipe them through base64."), "{help}");
    }
    let text = "\"$ABREAST\" seal notes.txt -k key -o - | base64 > text && base64 -d text | \"$ABREAST\" open -k key";
    assert!(feed(place.shell(text), b"").succeeds().stdout == notes);
    assert!(place.read("text").is_ascii());
}
