//! The format against published vectors, and against itself along every path through the workers.

use std::io::{self, Cursor, Read, Write};
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Mutex, mpsc};
use std::thread;
use std::time::Duration;

use sha2::{Digest, Sha512};

use super::*;

/// Opens a sealed file in memory. The output stays in `plain`, whatever happens after it.
fn open(key: &Key, context: &[u8], mut sealed: &[u8], jobs: usize, plain: &mut Vec<u8>) -> Result<(), Error> {
    let header = Header::read(&mut sealed)?;
    let opener = Opener {
        cipher: header.unlock_in_context(key, context)?,
        body_offset: header.body_offset(),
        length: ags1::SealedLength::Unknown,
    };
    let jobs = NonZeroUsize::new(jobs).unwrap();
    opener.open(Input::Stream(&mut sealed), Output::Stream(plain), jobs, &())
}

#[test]
fn wycheproof() {
    within_limit(|| {
        let cases = abreast_vectors::cobblestone();
        assert_eq!(cases.len(), 70);
        for case in cases {
            let what = &case.name;
            let aead = Aead::from_name(case.aead).unwrap();
            let Ok(key) = Key::new(aead, &case.key) else {
                assert!(!case.valid, "{what}");
                continue;
            };
            for jobs in [1, 3] {
                let mut plain = Vec::new();
                let outcome = open(&key, &case.context, &case.ciphertext, jobs, &mut plain);
                assert_eq!(outcome.is_ok(), case.valid, "{what}: {outcome:?}");
                // A bad file yields exactly the good chunks before the first bad one.
                if let (Some(length), Some(digest)) = (case.message_len, &case.message_sha512) {
                    assert_eq!(plain.len(), length, "{what}");
                    assert_eq!(Sha512::digest(&plain)[..], digest[..], "{what}");
                } else {
                    assert!(plain.is_empty(), "{what}");
                }
            }
        }
    });
}

/// Returns a message in which no two chunks are alike.
fn message(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i / 7 + i / CHUNK) as u8).collect()
}

/// Runs `work` with an input and an output of each kind, and returns the output of each.
fn each_path(
    bytes: &[u8],
    skip: usize,
    mut work: impl FnMut(Input<'_>, Output<'_>) -> Result<(), Error>,
) -> Vec<Vec<u8>> {
    let mut results = Vec::new();
    for to_file in [false, true] {
        for from_file in [false, true] {
            let mut stream = &bytes[skip..];
            let source = if from_file { Input::At(&bytes) } else { Input::Stream(&mut stream) };
            if to_file {
                let file = Mutex::new(Vec::new());
                work(source, Output::At(&file)).unwrap();
                results.push(file.into_inner().unwrap());
            } else {
                let mut out = Vec::new();
                work(source, Output::Stream(&mut out)).unwrap();
                results.push(out);
            }
        }
    }
    results
}

#[test]
fn every_path_round_trips() {
    within_limit(|| {
        for aead in [Aead::Aes256Gcm, Aead::Serpent256Gcm] {
            round_trips(&Key::generate(aead).unwrap());
        }
    });
}

/// Runs a test whose threads wait for each other, and fails if it is not done within ten minutes. The thread that it runs
/// in is not joined, so that one that waits forever does not hang the others.
fn within_limit(test: impl FnOnce() + Send + 'static) {
    let (done, outcome) = mpsc::channel();
    thread::spawn(move || {
        let outcome = catch_unwind(AssertUnwindSafe(test));
        let _ = done.send(outcome);
    });
    match outcome.recv_timeout(Duration::from_secs(600)).expect("an end within ten minutes") {
        Ok(()) => {}
        Err(panic) => resume_unwind(panic),
    }
}

/// Messages of many lengths along every path.
fn round_trips(key: &Key) {
    let run = RUN;
    for len in [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, run - 1, run, run + 1, 2 * run, 5 * run + 5] {
        let message = message(len);
        for jobs in [1, 4] {
            let jobs = NonZeroUsize::new(jobs).unwrap();
            let sealed = each_path(&message, 0, |input, output| {
                Sealer::new(key)?.seal(input, output, jobs, &()).map(drop)
            });
            for sealed in sealed {
                assert_eq!(sealed.len(), HEADER + len + (len / CHUNK + 1) * 16);
                let header = Header::read(&mut &sealed[..]).unwrap();
                let opener = Opener::new(&header, key).unwrap();
                let opened =
                    each_path(&sealed, HEADER, |input, output| opener.open(input, output, jobs, &()));
                for opened in opened {
                    assert!(opened == message, "{len} bytes, {jobs} jobs");
                }
                opener.open(Input::At(&sealed), Output::Nothing, jobs, &()).unwrap();
            }
        }
    }
}

/// More runs than workers, so that each of these takes many of them; in files of the system.
#[cfg(any(unix, windows))]
#[test]
fn many_runs_from_file_to_file() {
    within_limit(|| {
        let key = Key::generate(Aead::Aes128Gcm).unwrap();
        let message = message(40 * RUN + 5);
        let jobs = NonZeroUsize::new(3).unwrap();
        let [plain, sealed, opened] = [(); 3].map(|()| tempfile::tempfile().unwrap());
        plain.write_all_at(&message, 0).unwrap();
        let sealer = Sealer::new(&key).unwrap();
        sealer.seal(Input::At(&plain), Output::At(&sealed), jobs, &()).unwrap();
        let opener = Opener::new(&Header::read_at(&sealed).unwrap(), &key).unwrap();
        opener.open(Input::At(&sealed), Output::At(&opened), jobs, &()).unwrap();
        let bytes = |file: &dyn ReadAt| {
            let mut bytes = vec![0; file.size().unwrap() as usize];
            assert_eq!(at::fill(&mut bytes, |rest, done| file.read_at(rest, done)).unwrap(), bytes.len());
            bytes
        };
        assert!(bytes(&opened) == message);
        // And in order by one worker, so that faults in both directions do not cancel out.
        let mut in_order = Vec::new();
        open(&key, b"", &bytes(&sealed), 1, &mut in_order).unwrap();
        assert!(in_order == message);
    });
}

/// A stream that gives or takes one byte at a time, and is interrupted before each.
struct Slow<T>(T, bool);

impl<T> Slow<T> {
    /// Every second call is interrupted.
    fn interrupted(&mut self) -> io::Result<()> {
        self.1 = !self.1;
        if self.1 { Err(io::ErrorKind::Interrupted.into()) } else { Ok(()) }
    }
}

impl<T: Read> Read for Slow<T> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.interrupted()?;
        let len = buffer.len().min(1);
        self.0.read(&mut buffer[..len])
    }
}

impl<T: Write> Write for Slow<T> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.interrupted()?;
        self.0.write(&buffer[..buffer.len().min(1)])
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[test]
fn short_and_interrupted_calls_make_no_difference() {
    within_limit(|| {
        let key = Key::generate(Aead::Aes128Gcm).unwrap();
        let message = message(2 * CHUNK + 3);
        let jobs = NonZeroUsize::new(2).unwrap();
        let mut sealed = Vec::new();
        let sealer = Sealer::new(&key).unwrap();
        let mut input = Slow(&message[..], false);
        let mut output = Slow(&mut sealed, false);
        sealer.seal(Input::Stream(&mut input), Output::Stream(&mut output), jobs, &()).unwrap();
        let mut sealed = Slow(Cursor::new(sealed), false);
        let header = Header::read(&mut sealed).unwrap();
        let mut plain = Slow(Vec::new(), false);
        let opener = Opener::new(&header, &key).unwrap();
        opener.open(Input::Stream(&mut sealed), Output::Stream(&mut plain), jobs, &()).unwrap();
        assert!(plain.0 == message);
    });
}

/// Cuts or lengthens a file as soon as the first run of it has been worked on.
struct Resize<'a>(&'a Mutex<Vec<u8>>, u64);

impl Progress for Resize<'_> {
    fn advance(&self, _: u64) {
        self.0.lock().unwrap().resize(self.1 as usize, 0);
    }
}

#[test]
fn an_input_that_changes_its_size_is_sealed_consistently_or_not_at_all() {
    within_limit(|| {
        let key = Key::generate(Aead::Aes256Gcm).unwrap();
        let run = RUN as u64;
        for (before, after) in [(8 * run, 0), (8 * run + 9, 2 * run), (8 * run, 3 * run + 1), (9, 4 * run)] {
            for jobs in [1, 4] {
                let jobs = NonZeroUsize::new(jobs).unwrap();
                let input = Mutex::new(vec![0; before as usize]);
                let mut sealed = Vec::new();
                let output = Output::Stream(&mut sealed);
                let sealer = Sealer::new(&key).unwrap();
                match sealer.seal(Input::At(&input), output, jobs, &Resize(&input, after)) {
                    Ok(_) => open(&key, b"", &sealed, 1, &mut Vec::new()).unwrap(),
                    Err(error) => assert!(matches!(error, Error::InputChanged), "{error}"),
                }
            }
        }
    });
}

#[test]
fn the_first_bad_chunk_is_the_one_reported() {
    within_limit(|| {
        let key = Key::generate(Aead::Aes256Gcm).unwrap();
        let message = message(100 * CHUNK);
        let mut sealed = Vec::new();
        let jobs = NonZeroUsize::new(4).unwrap();
        let sealer = Sealer::new(&key).unwrap();
        sealer.seal(Input::Stream(&mut &message[..]), Output::Stream(&mut sealed), jobs, &()).unwrap();
        for chunk in [17, 18, 40, 99] {
            sealed[HEADER + chunk * SEALED_CHUNK] ^= 1;
        }
        for _ in 0..20 {
            let mut plain = Vec::new();
            let outcome = open(&key, b"", &sealed, 4, &mut plain);
            assert!(matches!(outcome, Err(Error::Chunk(17))), "{outcome:?}");
            assert!(plain == message[..17 * CHUNK]);
        }
    });
}
