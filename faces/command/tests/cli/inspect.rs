//! The output of `inspect` for files that are not sealed ones.

use crate::support::*;

#[test]
fn files_that_are_not_sealed() {
    let place = Place::new();
    let long = |start: &[u8]| [start, &message(1000)].concat();
    for (what, bytes) in [
        ("nothing", Vec::new()),
        ("text", b"Dear Alice,\nlong ago we agreed to meet where the river bends, and I\n".repeat(3)),
        (
            "text beyond ASCII",
            "Größe und Übermut säen Ärger, wußte schon meine Tante Käthe.\n".repeat(3).into(),
        ),
        ("source code", include_bytes!("inspect.rs").to_vec()),
        ("zeros", vec![0; 1000]),
        ("a pattern", [0xde, 0xad, 0xbe, 0xef].repeat(100)),
        (
            "UTF-16",
            "\u{feff}Dear Alice, long ago".repeat(9).encode_utf16().flat_map(u16::to_le_bytes).collect(),
        ),
        ("a program", std::fs::read(env!("CARGO_BIN_EXE_abreast")).unwrap()),
        ("PNG", long(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x02\0\0\0\x01\x90")),
        ("JPEG", long(b"\xff\xd8\xff\xe0\0\x10JFIF\0\x01\x01\x01\0H\0H\0\0\xff\xdb\0C\0")),
        ("gzip", long(b"\x1f\x8b\x08\x08\x12\x34\x56\x78")),
        ("ZIP", long(b"PK\x03\x04\x14\0\0\0\x08\0")),
        ("xz", long(b"\xfd7zXZ\0")),
        ("openssl", long(b"Salted__")),
    ] {
        place.write("file", &bytes);
        let run = place.run(["inspect", "file"]);
        let said = format!("{what}: {:?} {}", run.code, run.stderr);
        assert!(run.code == Some(3) && run.stderr.contains("file: is not a sealed file"), "{said}");
        assert_eq!(run.stdout, b"", "{what}");
    }
}

/// Lengths that no sealed file has: less than the shortest, or with a rest that does not hold a tag.
#[test]
fn lengths_that_are_none() {
    let place = Place::new();
    let sealed = place.seal(&message(3 * CHUNK));
    for len in [1, HEADER, HEADER + 15, HEADER + SEALED_CHUNK, HEADER + SEALED_CHUNK + 15] {
        place.write("sealed", &sealed[..len]);
        let bytes = if len == 1 { "byte" } else { "bytes" };
        place.refuses(["inspect", "sealed"], 3, &format!("or was cut off: no sealed file has {len} {bytes}"));
    }
    for len in [HEADER + 16, HEADER + SEALED_CHUNK + 16] {
        place.write("sealed", &sealed[..len]);
        let said = String::from_utf8(place.run(["inspect", "sealed"]).succeeds().stdout).unwrap();
        assert!(said.contains("could be Cobblestone by its size, with a key file; only that key can tell"));
    }
}

/// No sealed file is called anything else.
#[test]
fn sealed_files_of_all_kinds() {
    let place = Place::new();
    for len in (0..40).chain([CHUNK - 1, CHUNK, 3 * CHUNK + 1]) {
        place
            .pipe(["seal", "-", "-k", "key", "-o", "sealed", "-f", "--allow-empty"], &vec![0; len])
            .succeeds();
        place.run(["inspect", "sealed"]).succeeds();
    }
}

#[test]
fn lines_for_programs() {
    let place = Place::new();
    place.seal(&message(CHUNK));
    let said = |args: &[&str]| String::from_utf8(place.run(args).succeeds().stdout).unwrap();
    let sizes = format!(
        "\"file_bytes\":{},\"message_bytes\":{CHUNK},\"header_bytes\":{HEADER},\"chunks\":2}}\n",
        HEADER + SEALED_CHUNK + 16
    );
    let unknown = "{\"file\":\"sealed\",\"cipher\":null,\"kdf\":null,\"key\":null,";
    assert_eq!(said(&["inspect", "sealed", "--json"]), format!("{unknown}{sizes}"));
    let known = "{\"file\":\"sealed\",\"cipher\":\"AEAD_AES_256_GCM\",\"kdf\":null,\"key\":\"key\",";
    assert_eq!(said(&["inspect", "sealed", "-k", "key", "--json"]), format!("{known}{sizes}"));
    place.write("p", &sealed_with_passphrase("tr0ub4dor", b"hello"));
    let kdf = "\"kdf\":{\"name\":\"argon2id\",\"memory_kib\":8192,\"passes\":1,\"lanes\":1}";
    assert!(said(&["inspect", "p", "--json"]).contains(kdf));
    // A file that fails has its line too, and only one.
    place.write("text", b"hello");
    let run = place.run(["inspect", "--json", "text", "missing", "sealed"]);
    let lines = String::from_utf8(run.stdout.clone()).unwrap();
    let starts = [
        "{\"file\":\"text\",\"status\":\"failed\",\"exit\":3,",
        "{\"file\":\"missing\",\"status\":\"failed\",\"exit\":1,",
        unknown,
    ];
    assert_eq!(lines.lines().count(), starts.len(), "{lines}");
    for (line, start) in lines.lines().zip(starts) {
        assert!(line.starts_with(start), "{lines}");
    }
    assert_eq!(run.code, Some(5));
}
