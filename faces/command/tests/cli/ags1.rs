//! Streams of Apache Iceberg: sealed, opened and verified, with and without the length that shows a cut.

use crate::support::*;

const BLOCK: usize = 1 << 20;
const SEALED_BLOCK: usize = BLOCK + 28;

/// A folder with a raw key.
fn place() -> Place {
    let place = Place::new();
    place.write("dek", &[7; 24]);
    place
}

fn seal(place: &Place, message: &[u8]) -> Vec<u8> {
    place.write("message", message);
    place
        .run([
            "seal",
            "--format",
            "ags1",
            "--aad-prefix",
            "00ff",
            "-k",
            "dek",
            "message",
            "-o",
            "stream",
            "-f",
        ])
        .succeeds();
    let stream = place.read("stream");
    assert_eq!(stream.len(), 8 + message.len() + message.len().div_ceil(BLOCK).max(1) * 28);
    assert_eq!(stream[..8], *b"AGS1\0\0\x10\0");
    stream
}

const OPEN: [&str; 6] = ["--format", "ags1", "--aad-prefix", "00FF", "-k", "dek"];

#[test]
fn streams_round_trip() {
    let place = place();
    for len in [0, 1, BLOCK, 2 * BLOCK + 5] {
        let message = message(len);
        let stream = seal(&place, &message);
        let length = stream.len().to_string();
        let trusted = ["--sealed-length", &length];
        for jobs in ["1", "3"] {
            let args =
                [&["open"][..], &OPEN, &trusted, &["stream", "-o", "opened", "-f", "-j", jobs]].concat();
            let run = place.run(args).succeeds();
            assert!(run.stderr.is_empty(), "{}", run.stderr);
            assert!(place.read("opened") == message, "{len}");
        }
        let piped = place.pipe([&["open"][..], &OPEN, &trusted, &["-"]].concat(), &stream).succeeds();
        assert!(piped.stdout == message, "{len}");
        place.run([&["verify"][..], &OPEN, &trusted, &["stream"]].concat()).succeeds();
        if len > BLOCK {
            let range = ["--range", "1048570..1048580", "stream", "-o", "-"];
            let ranged = place.run([&["open"][..], &OPEN, &trusted, &range].concat()).succeeds();
            assert!(ranged.stdout == message[1_048_570..1_048_580]);
        }
        let share = ["--share", "1/1", "stream", "-o", "-"];
        assert!(place.run([&["open"][..], &OPEN, &trusted, &share].concat()).succeeds().stdout == message);
        // Without a length, a warning, which nothing silences.
        for silent in [&[][..], &["-q"], &["--json"]] {
            let verified = place.run([&["verify"][..], &OPEN, silent, &["stream"]].concat());
            assert_eq!(verified.code, Some(0));
            assert!(verified.stderr.contains("warning: stream: no --sealed-length"), "{len}");
        }
    }
}

#[test]
fn bad_streams_are_refused() {
    let place = place();
    let stream = seal(&place, &message(2 * BLOCK + 5));
    let length = stream.len().to_string();
    let trusted = ["--sealed-length", &length];
    let verify = |bytes: &[u8], more: &[&str]| {
        place.write("stream", bytes);
        place.run([&["verify"][..], &OPEN, more, &["stream"]].concat())
    };
    let cut = &stream[..8 + 2 * SEALED_BLOCK];
    verify(cut, &trusted).fails(3, &format!("its trusted length is {length}"));
    assert_eq!(verify(cut, &[]).code, Some(0));
    verify(&stream[..8], &[]).fails(3, "cut off");
    verify(&stream[..100], &[]).fails(3, "block 0");
    verify(&[&stream[..8], &stream[8 + SEALED_BLOCK..]].concat(), &[]).fails(3, "block 0");
    verify(b"AGS2\0\0\x10\0", &[]).fails(3, "AGS1");
    place.write("stream", &stream);
    for (args, code, cause) in [
        (&["verify", "stream", "--format", "ags1", "-k", "dek"][..], 3, "AAD prefix"),
        (&["verify", "stream", "--format", "ags1"], 2, "one key"),
        (&["verify", "stream", "--format", "ags1", "-k", "dek", "-k", "dek"], 2, "one key"),
        (&["verify", "stream", "--format", "ags1", "-k", "message"], 2, "not a key of AGS1"),
        (&["verify", "stream", "--format", "ags1", "-k", "dek", "--aad-prefix", "0"], 2, "hexadecimal"),
        (&["verify", "stream", "-k", "key"], 3, "a stream of Iceberg, which --format ags1 opens"),
        (&["inspect", "stream"], 3, "a stream of Iceberg, which --format ags1 opens"),
        (&["verify", "stream", "-k", "key", "--aad-prefix", "00"], 2, "--aad-prefix is for --format ags1"),
        (
            &["verify", "stream", "-k", "key", "--sealed-length", "5"],
            2,
            "--sealed-length is for --format ags1",
        ),
        (
            &["verify", "stream", "stream", "--format", "ags1", "-k", "dek", "--sealed-length", "5"],
            2,
            "one file",
        ),
        (&["seal", "message", "--rm", "--format", "ags1", "-k", "dek"], 2, "--rm"),
        (&["seal", "dek", "--format", "ags1", "-k", "dek", "-o", "x"], 2, "left out"),
    ] {
        place.run(args).fails(code, cause);
    }
    // A key of abreast keygen does, too.
    place.run(["seal", "message", "--format", "ags1", "-k", "key", "-o", "other"]).succeeds();
    let length = place.read("other").len().to_string();
    place.run(["verify", "other", "--format", "ags1", "-k", "key", "--sealed-length", &length]).succeeds();
}
