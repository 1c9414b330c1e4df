//! Files that were changed, cut, put together anew or sealed with another key: all refused with
//! code 3, with nothing written to a file and nothing unverified written to a pipe.

use std::time::{Duration, Instant};

use crate::support::*;

/// Checks that a file is refused on all ways, and how much of the message a pipe gets before.
#[track_caller]
fn refused(place: &Place, bad: &[u8], message: &[u8], good_chunks: usize, what: &str) {
    place.write("sealed", bad);
    for jobs in ["1", "3"] {
        for args in [
            &["verify", "sealed", "-k", "key", "-j", jobs][..],
            &["open", "sealed", "-k", "key", "-o", "opened", "-j", jobs],
        ] {
            place.refuses(args, 3, "sealed: authentication failed");
        }
        let piped = place.run(["open", "sealed", "-k", "key", "-o", "-", "-j", jobs]);
        let piped = piped.fails(3, "authentication failed").stdout;
        assert!(piped == message[..good_chunks * CHUNK], "{what}: {} bytes came out", piped.len());
        let piped = place.pipe(["open", "-", "-k", "key", "-j", jobs], bad);
        let piped = piped.fails(3, "standard input: authentication failed").stdout;
        assert!(piped == message[..good_chunks * CHUNK], "{what}: {} bytes came out", piped.len());
    }
}

/// The chunks of a sealed file, with the header first.
fn chunks(sealed: &[u8]) -> Vec<&[u8]> {
    let (header, body) = sealed.split_at(HEADER);
    std::iter::once(header).chain(body.chunks(SEALED_CHUNK)).collect()
}

#[test]
fn cut_at_every_edge() {
    let place = Place::new();
    let message = message(2 * CHUNK + 100);
    let sealed = place.seal(&message);
    let body = |chunk: usize| HEADER + chunk * SEALED_CHUNK;
    let edges = [0, 1, 8, 23, 24, 25, HEADER - 1, HEADER, HEADER + 1, HEADER + 15, HEADER + 16, HEADER + 17];
    let later = [body(1) - 17, body(1) - 16, body(1) - 1, body(1), body(1) + 1, body(1) + 16, body(2) - 1];
    let last = [body(2), body(2) + 15, body(2) + 16, body(2) + 99, sealed.len() - 17, sealed.len() - 1];
    for cut in edges.into_iter().chain(later).chain(last) {
        let good = cut.saturating_sub(HEADER) / SEALED_CHUNK;
        refused(&place, &sealed[..cut], &message, good, &format!("cut to {cut}"));
    }
}

#[test]
fn flipped_bits() {
    let place = Place::new();
    let message = message(2 * CHUNK + 100);
    let sealed = place.seal(&message);
    let body = |chunk: usize| HEADER + chunk * SEALED_CHUNK;
    for position in
        [0, 23, 24, 55, body(0), body(1) - 17, body(1) - 16, body(1) - 1, body(1), sealed.len() - 1]
    {
        for bit in [0, 7] {
            let mut bad = sealed.clone();
            bad[position] ^= 1 << bit;
            let good = position.saturating_sub(HEADER) / SEALED_CHUNK;
            refused(&place, &bad, &message, good, &format!("bit {bit} of byte {position}"));
        }
    }
}

#[test]
fn chunks_swapped_doubled_dropped_and_added() {
    let place = Place::new();
    let message = message(3 * CHUNK + 100);
    let sealed = place.seal(&message);
    let parts = chunks(&sealed);
    let [header, a, b, c, last] = parts[..] else { panic!("{} parts", parts.len()) };
    std::fs::remove_file(place.path("sealed")).unwrap();
    let other = place.seal(&message);
    let other = chunks(&other);
    let empty = &a[..16];
    for (what, parts, good) in [
        ("swapped", vec![header, b, a, c, last], 0),
        ("doubled", vec![header, a, a, b, c, last], 1),
        ("dropped", vec![header, a, c, last], 1),
        ("the last one dropped", vec![header, a, b, c], 3),
        ("the last one early", vec![header, a, b, last], 2),
        ("the last one doubled", vec![header, a, b, c, last, last], 3),
        ("a short one in the middle", vec![header, a, &b[..CHUNK], c, last], 1),
        ("one more that is empty", vec![header, a, b, c, last, empty], 3),
        ("trailing bytes", vec![header, a, b, c, last, b"x"], 3),
        ("a second file after", vec![header, a, b, c, last, header, a, b, c, last], 3),
        ("a chunk of another file", vec![header, a, other[2], c, last], 1),
        ("the header of another file", vec![other[0], a, b, c, last], 0),
    ] {
        refused(&place, &parts.concat(), &message, good, what);
    }
}

#[test]
fn other_keys_and_other_files() {
    let place = Place::new();
    let sealed = place.seal(b"hello");
    place.run(["keygen", "-o", "other"]).succeeds();
    place.refuses(["open", "sealed", "-k", "other", "-o", "opened"], 3, "wrong key");
    place.write("passphrase", b"guess");
    place.refuses(
        ["open", "sealed", "--passphrase-file", "passphrase", "-o", "x"],
        3,
        "sealed with a key, not with a passphrase: give -k; or it was changed",
    );
    // The same words as for a changed header: they tell nobody which it was.
    let mut bad = sealed.clone();
    bad[0] ^= 1;
    place.write("sealed", &bad);
    place.refuses(["open", "sealed", "-k", "key", "-o", "opened"], 3, "wrong key");
    place.write("sealed", b"");
    place.refuses(["open", "sealed", "-k", "key", "-o", "opened"], 3, "cut off");
    place.write("sealed", &message(1000));
    place.refuses(["open", "sealed", "-k", "key", "-o", "opened"], 3, "wrong key");
}

#[test]
fn changed_passphrase_lines() {
    let place = Place::new();
    place.write("passphrase", b"tr0ub4dor");
    let sealed = sealed_with_passphrase("tr0ub4dor", b"hello");
    let line = sealed.iter().position(|&byte| byte == b'\n').unwrap() + 1;
    let open = ["open", "sealed", "--passphrase-file", "passphrase", "-o", "opened"];
    for position in 0..line {
        let mut bad = sealed.clone();
        bad[position] ^= 1;
        place.write("sealed", &bad);
        // One bit makes another version of the first, too.
        place.refuses(open, 3, "sealed: ");
    }
    for cut in 0..line + HEADER {
        place.write("sealed", &sealed[..cut]);
        place.refuses(open, 3, "authentication failed");
    }
    let text = String::from_utf8(sealed[..line].to_vec()).unwrap();
    for (from, to) in
        [("m=8192", "m=8193"), ("t=1", "t=2"), ("m=8192", "m=08192"), ("p=1 ", "p=1 extra "), ("256", "128")]
    {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text);
        place.write("sealed", &[changed.as_bytes(), &sealed[line..]].concat());
        place.refuses(open, 3, "authentication failed");
    }
    place.write("sealed", &[b"abreast/1 ".as_slice(), &[b'x'; 100_000]].concat());
    place.refuses(open, 3, "has no end");
}

#[cfg(unix)]
#[test]
fn costs_that_would_tie_up_the_machine_are_refused_at_once() {
    let place = Place::new();
    place.write("passphrase", b"tr0ub4dor");
    for costs in ["m=4194304,t=1,p=1", "m=1048576,t=1000,p=1", "m=8192,t=4294967295,p=1", "m=65536,t=1,p=255"]
    {
        let line = format!("abreast/1 AEAD_AES_256_GCM argon2id {costs} MDEyMzQ1Njc4OWFiY2RlZg\n");
        place.write("bomb", &[line.as_bytes(), &[0; 100]].concat());
        let start = Instant::now();
        // Half a gigabyte of address space: less than any of these would take.
        let limited = place.shell(
            "ulimit -v 524288 && exec \"$ABREAST\" open bomb -o opened --jobs 1 --passphrase-file passphrase",
        );
        feed(limited, b"").fails(3, "costs of the passphrase hash are out of bounds");
        assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
    }
    assert_eq!(place.names(), ["bomb", "key", "passphrase"]);
}
