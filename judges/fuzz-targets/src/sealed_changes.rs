//! Sealed files that were changed.

use std::fs::File;
use std::io::Write;
use std::num::NonZeroUsize;
use std::ops::Range;

use abreast_sealed::{
    Aead, CHUNK, Error, Format, HEADER, Header, Input, Key, Layout, Opener, Output, PassphraseLine, RUN,
    SALT, SEALED_CHUNK, Sealer,
};
use arbitrary::Arbitrary;
use rustix::fs::{MemfdFlags, memfd_create};

use crate::common::Random;
use crate::input::{fields, pick};

/// Two files under one key, what is done to the first of them, and how it is opened.
#[derive(Arbitrary, Debug)]
struct Case {
    seed: u64,
    aead: u8,
    with_line: bool,
    from_file: bool,
    threads: u8,
    /// Half of all messages are near the end of a chunk.
    len: u32,
    range: Option<(u32, u32)>,
    changes: Vec<Change>,
}

/// A change of a file, or a part of the other file that takes the place of the same part of this one.
#[derive(Arbitrary, Debug)]
enum Change {
    Flip { at: u32, bit: u8 },
    Truncate { at: u32 },
    Append { bytes: Vec<u8> },
    Remove { chunk: u8 },
    Repeat { chunk: u8 },
    Swap { chunks: (u8, u8) },
    SpliceHeader,
    SpliceChunk { chunk: u8 },
    SpliceTail { at: u32 },
}

/// The most changes of one file.
const MOST_CHANGES: usize = 8;
/// The longest message: more than one run of the work that threads share, which is 16 chunks.
const LONGEST: u32 = (RUN + 2 * CHUNK + 100) as u32;

impl Case {
    fn len(&self) -> usize {
        let len = self.len % (4 * LONGEST);
        (match len / LONGEST {
            0 => len % 300,
            1 => (len % 3) * CHUNK as u32 + len / 3 % 40,
            2 => 16 * CHUNK as u32 + len % 3 - 1,
            _ => len % LONGEST,
        }) as usize
    }

    fn key(&self, random: &mut Random) -> Key {
        let aead = pick(&Aead::ALL, self.aead);
        Key::new(aead, &random.bytes(aead.key_len())).expect("a key of its length")
    }

    /// Returns the passphrase line in front of the salt of a file, if it has one.
    fn line(&self) -> String {
        if !self.with_line {
            return String::new();
        }
        let aead = pick(&Aead::ALL, self.aead);
        format!("abreast/1 {} argon2id m=65536,t=3,p=4 AAECAwQFBgcICQoLDA0ODw\n", aead.name())
    }

    /// Seals a message. A passphrase takes a second to hash, so files with a line are made here, by chunks.
    fn seal(&self, key: &Key, random: &mut Random, message: &[u8]) -> Vec<u8> {
        let threads = self.threads();
        if !self.with_line {
            let (mut sealed, mut message) = (Vec::new(), message);
            let sealer = Sealer::new(key).expect("random bytes");
            let output = Output::Stream(&mut sealed);
            sealer.seal(Input::Stream(&mut message), output, threads, &()).expect("memory can be written");
            return sealed;
        }
        let salt = random.bytes(SALT).try_into().expect("a salt");
        let line = PassphraseLine::parse(self.line().as_bytes()).expect("a line");
        let header = Header::with_salt(key, Some(line), &salt);
        let cipher = header.unlock(key).expect("the key of the header");
        let layout = Layout::of_message(Format::Cobblestone, message.len() as u64).expect("a short message");
        let mut body = vec![0; layout.body() as usize];
        assert_eq!(cipher.seal_chunks(0, message, true, &mut body).ok(), Some(body.len()));
        [&header.to_bytes()[..], &body].concat()
    }

    fn threads(&self) -> NonZeroUsize {
        NonZeroUsize::new(1 + usize::from(self.threads % 3)).expect("not zero")
    }
}

impl Change {
    /// Does it to a file whose chunks begin at `body`.
    fn apply(&self, file: &mut Vec<u8>, other: &[u8], body: usize) {
        let chunk = |file: &[u8], number: u8| {
            let count = file.len().saturating_sub(body).div_ceil(SEALED_CHUNK).max(1);
            let start = (body + usize::from(number) % count * SEALED_CHUNK).min(file.len());
            start..(start + SEALED_CHUNK).min(file.len())
        };
        match self {
            Self::Flip { at, bit } => {
                let at = *at as usize % file.len().max(1);
                if let Some(byte) = file.get_mut(at) {
                    *byte ^= 1 << (bit % 8);
                }
            }
            Self::Truncate { at } => file.truncate(*at as usize % (file.len() + 1)),
            Self::Append { bytes } => file.extend(bytes),
            Self::Remove { chunk: number } => drop(file.drain(chunk(file, *number))),
            Self::Repeat { chunk: number } => {
                let range = chunk(file, *number);
                let copy = file[range.clone()].to_vec();
                file.splice(range.end..range.end, copy);
            }
            Self::Swap { chunks: (a, b) } => {
                let (a, b) = (chunk(file, *a), chunk(file, *b));
                if a.end <= b.start && a.len() == b.len() {
                    let (front, back) = file.split_at_mut(b.start);
                    front[a].swap_with_slice(&mut back[..b.end - b.start]);
                }
            }
            Self::SpliceHeader => splice(file, other, 0..body),
            Self::SpliceChunk { chunk: number } => splice(file, other, chunk(other, *number)),
            Self::SpliceTail { at } => {
                let at = *at as usize % (file.len().min(other.len()) + 1);
                file.truncate(at);
                file.extend(&other[at..]);
            }
        }
    }
}

/// Copies a part of another file to its place in this one, as far as both have it.
fn splice(file: &mut [u8], other: &[u8], part: Range<usize>) {
    let part = part.start.min(file.len())..part.end.min(file.len()).min(other.len());
    if !part.is_empty() {
        file[part.clone()].copy_from_slice(&other[part]);
    }
}

/// Opens a file as the command does, whole or a range of it, and gives what came out.
fn open(case: &Case, key: &Key, sealed: &[u8], range: Option<Range<u64>>) -> (Result<(), Error>, Vec<u8>) {
    let (mut input, mut plaintext) = (sealed, Vec::new());
    let opener = match Header::read(&mut input).and_then(|header| Opener::new(&header, key)) {
        Ok(opener) => opener,
        Err(error) => return (Err(error), plaintext),
    };
    let file = || {
        let mut file = File::from(memfd_create("sealed", MemfdFlags::CLOEXEC).expect("a file in memory"));
        file.write_all(sealed).expect("memory can be written");
        file
    };
    let threads = case.threads();
    let output = Output::Stream(&mut plaintext);
    let result = match range {
        Some(range) => opener.open_range(range, &file(), output, threads, &()),
        None if case.from_file => opener.open(Input::At(&file()), output, threads, &()),
        None => opener.open(Input::Stream(&mut input), output, threads, &()),
    };
    (result, plaintext)
}

/// A sealed file opens to its message. Changed in any way it does not open, and what was put out before that showed is
/// a beginning of the message. A range that opens is that range of a message.
pub(crate) fn run(data: &[u8]) {
    let Some(case) = fields::<Case>(data) else { return };
    let mut random = Random::new(case.seed);
    let key = case.key(&mut random);
    let messages = [random.bytes(case.len()), random.bytes(case.len())];
    let files = messages.each_ref().map(|message| case.seal(&key, &mut random, message));
    let body = case.line().len() + HEADER;
    assert!(!case.with_line || PassphraseLine::parse(case.line().as_bytes()).is_ok());

    let mut changed = files[0].clone();
    for change in case.changes.iter().take(MOST_CHANGES) {
        change.apply(&mut changed, &files[1], body);
    }
    let (result, plaintext) = open(&case, &key, &changed, None);
    match files.iter().position(|file| *file == changed) {
        Some(which) => {
            assert!(result.is_ok() && plaintext == messages[which], "a whole file: {result:?}");
            let mut other = key.bytes().to_vec();
            other[0] ^= 1;
            let other = Key::new(key.aead(), &other).expect("a key of its length");
            assert!(
                matches!(open(&case, &other, &changed, None), (Err(Error::WrongKey), none) if none.is_empty())
            );
        }
        None => {
            assert!(result.is_err(), "a changed file was opened");
            let begins = |message: &Vec<u8>| message.starts_with(&plaintext);
            assert!(messages.iter().any(begins), "something was put out that was not sealed");
        }
    }
    if let Some((start, len)) = case.range {
        let start = u64::from(start) % (case.len() as u64 + 2);
        let end = start + u64::from(len) % (case.len() as u64 + 2);
        let (result, plaintext) = open(&case, &key, &changed, Some(start..end));
        if result.is_ok() {
            let part = start as usize..end as usize;
            let has = |message: &Vec<u8>| message.get(part.clone()) == Some(&plaintext);
            assert!(messages.iter().any(has), "a range is not one of a message");
        } else if changed == files[0] {
            assert!(matches!(result, Err(Error::RangeBeyondEnd(_))) && end > case.len() as u64, "{result:?}");
        }
    }
}
