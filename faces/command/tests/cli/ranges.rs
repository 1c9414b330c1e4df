//! Ranges of a sealed file.

use abreast_sealed::WriteAt as _;

use crate::support::*;

#[test]
fn slices_at_all_edges() {
    let place = Place::new();
    let len = 40 * CHUNK + 100;
    let message = message(len);
    place.seal(&message);
    let edges = [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 16 * CHUNK, 17 * CHUNK, 40 * CHUNK, len - 1, len];
    for (i, &start) in edges.iter().enumerate() {
        for &end in &edges[i..] {
            let range = format!("{start}..{end}");
            let args = ["open", "sealed", "-k", "key", "-o", "-", "--range", &range];
            assert!(place.run(args).succeeds().stdout == message[start..end], "{range}");
        }
    }
    for (range, slice) in [("5..", 5..len), ("..5", 0..5), ("..", 0..len)] {
        place.run(["open", "sealed", "-k", "key", "-f", "-o", "part", "--range", range]).succeeds();
        assert!(place.read("part") == message[slice], "{range}");
    }
}

#[test]
fn of_messages_that_end_with_a_chunk() {
    let place = Place::new();
    for len in [0, CHUNK, 16 * CHUNK, 32 * CHUNK] {
        let message = message(len);
        place.pipe(["seal", "-", "-k", "key", "-f", "-o", "sealed", "--allow-empty"], &message).succeeds();
        for start in [0, len.saturating_sub(1), len] {
            let range = format!("{start}..{len}");
            let args = ["open", "sealed", "-k", "key", "-o", "-", "--range", &range];
            assert!(place.run(args).succeeds().stdout == message[start..], "{len}, {range}");
        }
    }
}

#[test]
fn only_the_chunks_needed_and_the_last_one_count() {
    let place = Place::new();
    let message = message(100 * CHUNK + 5);
    place.seal(&message);
    let file = std::fs::File::options().write(true).open(place.path("sealed")).unwrap();
    let spoil = |chunk: u64, mask: u8| {
        let at = HEADER as u64 + chunk * SEALED_CHUNK as u64;
        let mut byte = [place.read("sealed")[at as usize]];
        byte[0] ^= mask;
        file.write_all_at(&byte, at).unwrap();
    };
    let range = format!("{}..{}", 50 * CHUNK, 52 * CHUNK);
    let open = ["open", "sealed", "-k", "key", "-f", "-o", "part", "--range", &range];
    for unread in (0..50).chain(52..100) {
        spoil(unread, 1);
    }
    place.run(open).succeeds();
    assert!(place.read("part") == message[50 * CHUNK..52 * CHUNK]);
    for read in [50, 51, 100] {
        spoil(read, 1);
        let which = if read == 100 {
            "100, the last, was changed, or the file"
        } else {
            &format!("{read} was changed")
        };
        place.refuses(open, 3, &format!("chunk {which}"));
        spoil(read, 1);
    }
    place.run(open).succeeds();
    // Without the end, nobody knows whether there was more.
    file.set_len((HEADER + 100 * SEALED_CHUNK) as u64).unwrap();
    place.refuses(open, 3, "cut off");
    file.set_len((HEADER + 60 * SEALED_CHUNK + 20) as u64).unwrap();
    place.refuses(open, 3, "chunk 60, the last, was changed, or the file was cut off or added to");
}

#[test]
fn that_make_no_sense() {
    let place = Place::new();
    let sealed = place.seal(b"hello");
    for (range, cause) in [
        ("0..6", "beyond the message, which has 5 bytes"),
        ("6..", "beyond the message, which has 5 bytes"),
        ("6..6", "beyond the message, which has 5 bytes"),
        ("3..2", "ends before it starts"),
        ("-1..2", "ends before it begins"),
        ("+1..2", "written A..B"),
        ("all", "written A..B"),
        ("0..99999999999999999999", "more than 64 bits"),
    ] {
        let range = format!("--range={range}");
        place.refuses(["open", "sealed", "-k", "key", "-o", "part", &range], 2, cause);
    }
    place.refuses(["open", "sealed", "-k", "key", "--range", "0..1"], 2, "give -o FILE");
    let several = ["open", "sealed", "sealed", "-k", "key", "-o", "part", "--range", "0..1"];
    place.refuses(several, 2, "a range or a share is opened in one file, not in several");
    let piped = place.pipe(["open", "-", "-k", "key", "-o", "-", "--range", "0..1"], &sealed);
    piped.fails(2, "a regular file given by name");
}

/// A minus counts from the end, as in tail -c, and units are powers of 1024.
#[test]
fn from_the_end_and_with_units() {
    let place = Place::new();
    let message = message(5000);
    place.seal(&message);
    for (range, wanted) in [
        ("-100..", &message[4900..]),
        ("-1K..", &message[5000 - 1024..]),
        ("1k..2KiB", &message[1024..2048]),
        ("-10..-5", &message[4990..4995]),
        ("4995..-1", &message[4995..4999]),
        ("..-4998", &message[..2]),
        ("-1G..", &message[..]),
        ("-0..", &[]),
    ] {
        for args in [&["--range", range][..], &[&*format!("--range={range}")]] {
            let run = place.run([&["open", "sealed", "-k", "key", "-o", "-"], args].concat()).succeeds();
            assert!(run.stdout == wanted, "{range}");
        }
    }
}

#[test]
fn other_names_for_commands() {
    let place = Place::new();
    for (other, name) in [
        ("encrypt", "seal"),
        ("decrypt", "open"),
        ("rekey", "reseal"),
        ("check", "verify"),
        ("genkey", "keygen"),
    ] {
        let answer = format!("{other} is called {name} here: run abreast {name} --help");
        place.refuses([other, "file"], 2, &answer);
    }
}
