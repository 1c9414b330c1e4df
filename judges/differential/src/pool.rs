//! Pools: keys and messages whose answers a judge has given, for many batches to take from in ever new company.
//!
//! Judges are slow, so they are asked once for each message of a pool, when it is first used. A pool is made of a seed
//! alone: no part of it depends on the messages used before, so that a case can be repeated by itself. Where the
//! beginnings of a message are messages too, one answer serves all lengths up to its own.

use std::cell::OnceCell;
use std::rc::Rc;

use crate::c::keys::Keyed as KeyedInC;
use crate::keys::{Bytes, Keyed};
use crate::lengths::{LONG, LONGEST, length};
use crate::oracle::{Answer, GCM_NONCES, Question, answer, nonce_for};
use crate::random::Random;
use crate::subject::{Kind, Mode};

/// Keys of each cipher.
const KEYS: usize = 64;
/// Kernels of a family, at most.
const KERNELS: usize = 16;
/// Messages whose beginnings are messages: short ones, longer ones, and of the full length.
const PREFIXED: [usize; 3] = [96, 12, 4];
/// Messages of lengths of their own.
const FIXED: usize = 160;

/// A message of a pool, with its parameters.
#[derive(Debug)]
pub struct Entry {
    /// The number of the key.
    pub key: usize,
    /// Initialisation vector, nonce, counter block or number.
    pub iv: Vec<u8>,
    /// The offsets and lengths of the strings of associated data in the noise; of CMAC and HMAC, of the message.
    strings: Vec<(usize, usize)>,
    /// The offset of the message in the noise.
    at: usize,
    /// Bytes of the message.
    pub len: usize,
    /// Bytes of the tag where it depends on them, for AEZ.
    pub tag_len: usize,
    /// Bytes of a data unit.
    pub unit: usize,
    /// Bytes of keystream that are left out.
    pub skip: usize,
    answer: OnceCell<Answer>,
}

/// A pool.
pub struct Pool {
    seed: u64,
    noise: Vec<u8>,
    keys: Vec<OnceCell<Rc<Bytes>>>,
    keyed: Vec<OnceCell<Keyed>>,
    c: Vec<OnceCell<KeyedInC>>,
    entries: Vec<OnceCell<Vec<Entry>>>,
}

fn cells<T>(n: usize) -> Vec<OnceCell<T>> {
    (0..n).map(|_| OnceCell::new()).collect()
}

impl Pool {
    /// The pool of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let kinds = Kind::ALL.len();
        Self {
            seed,
            noise: Random::split(seed, &[0]).bytes(2 * LONGEST),
            keys: cells(kinds * KEYS),
            keyed: cells(kinds * KEYS * KERNELS),
            c: cells(kinds * KEYS * KERNELS),
            entries: cells(kinds * Mode::ALL.len()),
        }
    }

    /// The bytes of a key.
    pub fn bytes(&self, kind: usize, key: usize) -> &Rc<Bytes> {
        self.keys[kind * KEYS + key].get_or_init(|| {
            let random = &mut Random::split(self.seed, &[1, kind as u64, key as u64]);
            let len = match Kind::ALL[kind] {
                Kind::Aes(len) | Kind::Serpent(len) => len,
                Kind::Xtea(..) => 16,
                Kind::Aez => random.pick(&[48, 48, 16, 32, 0, 100]),
                // Up to a block of the hash, and longer keys, which are hashed themselves.
                Kind::Sha1 | Kind::Sha256 => random.pick(&[0, 1, 16, 20, 32, 63, 64, 65, 131]),
                Kind::Rc4 => random.pick(&[1, 5, 13, 16, 16, 20, 32, 200, 255, 256]),
            };
            let key = random.bytes(len);
            let tweak = key.iter().map(|byte| byte ^ 0x5c).collect();
            Rc::new(Bytes { key, tweak })
        })
    }

    /// Returns a key of the library, at the kernel of a number.
    pub fn keyed(&self, kind: usize, key: usize, kernel: usize) -> &Keyed {
        self.keyed[(kind * KEYS + key) * KERNELS + kernel].get_or_init(|| {
            let which = Kind::ALL[kind];
            Keyed::new(which, self.bytes(kind, key).clone(), which.family().kernels()[kernel].kernel)
        })
    }

    /// Returns a key of the C interface, at the kernel of a number.
    pub fn keyed_in_c(&self, kind: usize, key: usize, kernel: usize) -> &KeyedInC {
        self.c[(kind * KEYS + key) * KERNELS + kernel].get_or_init(|| {
            let which = Kind::ALL[kind];
            let name = which.family().kernels()[kernel].kernel.name();
            KeyedInC::new(which, self.bytes(kind, key).clone(), name)
        })
    }

    /// The messages of a mode and a cipher, in the order of their lengths. The last is longer than [`LONG`].
    pub fn entries(&self, mode: Mode, kind: usize) -> &[Entry] {
        let index = Mode::ALL.iter().position(|other| *other == mode).expect("a mode");
        self.entries[index * Kind::ALL.len() + kind].get_or_init(|| {
            let random = &mut Random::split(self.seed, &[2, index as u64, kind as u64]);
            // All ciphers have messages of the same lengths, so that messages of several meet.
            let lengths = lengths(&mut Random::split(self.seed, &[3, index as u64]), mode);
            let entry = |len| {
                let mut made = entry(random, mode, Kind::ALL[kind], len);
                if mode == Mode::Gcm && random.chance(1, 10) {
                    let blocks = random.log_uniform(0, 3000) as u32;
                    let first = u128::from(random.word()) << 32 | u128::from(u32::MAX - blocks);
                    made.iv = nonce_for(Kind::ALL[kind], &self.bytes(kind, made.key).key, first);
                }
                made
            };
            lengths.into_iter().map(entry).collect()
        })
    }

    /// The plaintext of a message, and `more` bytes that follow it in the noise.
    #[must_use]
    pub fn plain(&self, entry: &Entry, more: usize) -> &[u8] {
        &self.noise[entry.at..entry.at + entry.len + more]
    }

    /// Its strings of associated data.
    #[must_use]
    pub fn strings(&self, entry: &Entry) -> Vec<&[u8]> {
        entry.strings.iter().map(|(at, len)| &self.noise[*at..*at + *len]).collect()
    }

    /// Its first string of associated data, or an empty one.
    #[must_use]
    pub fn aad(&self, entry: &Entry) -> &[u8] {
        entry.strings.first().map_or(&[], |(at, len)| &self.noise[*at..*at + *len])
    }

    /// Returns the judge's answer for a message.
    pub fn answer<'p>(&'p self, mode: Mode, kind: usize, entry: &'p Entry) -> &'p Answer {
        entry.answer.get_or_init(|| {
            let bytes = self.bytes(kind, entry.key);
            let mut strings = self.strings(entry);
            if mode == Mode::Aez {
                // A batch has no difference between an empty string and none.
                strings.retain(|string| !string.is_empty());
            }
            let plain = if mode.only_authenticates() { &[] } else { self.plain(entry, 0) };
            answer(&Question {
                kind: Kind::ALL[kind],
                mode,
                key: &bytes.key,
                tweak_key: &bytes.tweak,
                iv: &entry.iv,
                strings: &strings,
                plain,
                tag_len: entry.tag_len,
                unit: entry.unit,
                skip: entry.skip,
            })
        })
    }
}

/// The lengths of a mode's messages, in order.
fn lengths(random: &mut Random, mode: Mode) -> Vec<usize> {
    let mut all = Vec::new();
    if mode == Mode::Cfb8 {
        // A call of the cipher for each byte.
        all.extend((0..PREFIXED[0]).map(|_| random.log_uniform(32, 4096)));
    } else if mode.has_prefixes() {
        all.extend((0..PREFIXED[0]).map(|_| random.log_uniform(32, 4096)));
        all.extend((0..PREFIXED[1]).map(|_| random.log_uniform(4096, LONG)));
        all.extend([LONG + 64; PREFIXED[2]]);
        // Room for messages that are a little longer.
        all.iter_mut().for_each(|len| *len = len.next_multiple_of(16));
    } else {
        while all.len() < FIXED {
            let most = if random.chance(1, 2) { LONG } else { 2048 };
            let len = length(random, most);
            let times = random.pick(&[1, 1, 1, 1, 5]);
            all.extend(std::iter::repeat_n(len, times));
        }
    }
    all.sort_unstable();
    if mode != Mode::Cfb8 {
        all.push(LONGEST);
    }
    if matches!(mode, Mode::Xts | Mode::XtsUnits | Mode::Hctr2) {
        all.iter_mut().for_each(|len| *len = (*len).max(16));
    }
    all
}

/// A message of a mode.
fn entry(random: &mut Random, mode: Mode, kind: Kind, len: usize) -> Entry {
    let aad = |random: &mut Random| {
        let most = random.pick(&[0, 16, 64, 64, 1024, 16 << 10]);
        let aad_len = length(random, most);
        (random.up_to(LONGEST), aad_len)
    };
    let mut made = Entry {
        key: random.up_to(KEYS - 1),
        iv: random.bytes(kind.block()),
        strings: vec![(0, 0)],
        at: random.up_to(LONGEST / 2),
        len,
        tag_len: 0,
        unit: 16 + random.log_uniform(0, 600),
        skip: 0,
        answer: OnceCell::new(),
    };
    match mode {
        Mode::Ctr16 | Mode::Ctr32 | Mode::Ctr64 | Mode::Ctr128 => near_wrap(random, &mut made.iv),
        Mode::Xts | Mode::XtsUnits if random.chance(1, 4) => {
            made.iv = (u128::MAX - random.log_uniform(0, 100) as u128).to_le_bytes().to_vec();
        }
        Mode::Gcm => {
            let nonce_len = if random.chance(3, 4) { 12 } else { random.pick(&GCM_NONCES) };
            (made.iv, made.strings) = (random.bytes(nonce_len), vec![aad(random)]);
        }
        Mode::GcmSiv => (made.iv, made.strings) = (random.bytes(12), vec![aad(random)]),
        Mode::Eax | Mode::Siv => {
            let any = random.log_uniform(0, 300);
            let nonce_len = random.pick(&[12, 16, any]);
            (made.iv, made.strings) = (random.bytes(nonce_len), vec![aad(random)]);
        }
        Mode::Hctr2 => {
            let any = random.log_uniform(0, 1000);
            let tweak_len = random.pick(&[16, 32, any]);
            made.iv = random.bytes(tweak_len);
        }
        mode if mode.only_authenticates() => made.strings = vec![(made.at, len)],
        Mode::Aez | Mode::AezJoined => {
            let any = random.log_uniform(0, 64);
            let nonce_len = random.pick(&[12, 16, any]);
            made.iv = random.bytes(nonce_len);
            let strings = if mode == Mode::Aez { 1 } else { random.pick(&[0, 1, 1, 2, 3, 9]) };
            made.strings = (0..strings).map(|_| aad(random)).collect();
            let longest = if mode == Mode::Aez { 32 } else { 100 };
            let any = random.up_to(longest);
            made.tag_len = random.pick(&[16, 16, any]);
        }
        Mode::Rc4Keys | Mode::Rc4Streams | Mode::Rc4TryKeys => {
            made.iv = Vec::new();
            let any = random.log_uniform(0, 3000);
            made.skip = random.pick(&[0, 0, 256, 1024, any]);
        }
        _ => {}
    }
    if mode == Mode::XtsUnits {
        // The last unit may be shorter than the others, but not than a block.
        while (1..16).contains(&(len % made.unit)) {
            made.unit += 1;
        }
    }
    made
}

/// Lets some of the lowest bits of a counter block, half of the time, carry soon.
fn near_wrap(random: &mut Random, iv: &mut [u8]) {
    if random.chance(1, 2) {
        let mut block = [0; 16];
        block[16 - iv.len()..].copy_from_slice(iv);
        let bits = random.pick(&[8, 16, 24, 32, 32, 64, 64, 128]).min(8 * iv.len() as u32);
        let before = random.log_uniform(0, 5000) as u128 & u128::MAX >> (128 - bits);
        let number = (u128::from_be_bytes(block) | u128::MAX >> (128 - bits)) - before;
        iv.copy_from_slice(&number.to_be_bytes()[16 - iv.len()..]);
    }
}
