//! The work that can be measured, and the meaning of one call of it.

mod aez;
mod keys;
mod modes;
mod packets;
mod rc4;

use std::fmt;
use std::time::{Duration, Instant};

use abreast::{Error, InOutBuf, Kernel};

use super::messages::{Header, Messages, Turn, halves};
pub(crate) use aez::Aez;
pub(crate) use keys::Keys;
#[cfg(feature = "gpu")]
pub(crate) use modes::SECTOR;
pub(crate) use modes::{InMode, Mode};
pub(crate) use packets::{GROUP as PACKETS, How, Packets, THREADS};
pub(crate) use rc4::Rc4;

/// The work that is measured by default.
pub(crate) const DEFAULT: [&str; 4] = ["aes-128-ctr", "aes-256-ctr", "aes-128-gcm", "aes-256-gcm"];

/// The longest message of a batch.
const LONGEST_IN_BATCH: usize = 4 << 20;

/// Something to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// A block cipher in a mode.
    InMode(InMode),
    /// AEZ in one of its ways.
    Aez(Aez),
    /// RC4 in one of its ways.
    Rc4(Rc4),
    /// A batch of packets, on the calling thread or on several.
    Packets(Packets),
    /// Key set-up.
    Keys(Keys),
}

impl What {
    /// Everything.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        let packets = Packets::all().chain(Packets::on_threads()).map(Self::Packets);
        let keys = Keys::all().map(Self::Keys);
        InMode::all().map(Self::InMode).chain(Self::without_mode()).chain(packets).chain(keys)
    }

    /// All that is no block cipher in a mode.
    pub(crate) fn without_mode() -> impl Iterator<Item = Self> {
        Aez::ALL.into_iter().map(Self::Aez).chain(Rc4::ALL.map(Self::Rc4))
    }

    /// Returns the work with a name such as `aes-128-gcm-decrypt`.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::all().find(|what| what.to_string() == name)
    }

    /// Returns the work that a word on the command line stands for: a name, or the name of a group.
    pub(crate) fn from_word(word: &str) -> Option<Vec<Self>> {
        match word {
            PACKETS => Some(Packets::usual().map(Self::Packets).collect()),
            THREADS => Some(Packets::usual_on_threads().map(Self::Packets).collect()),
            name => Self::from_name(name).map(|what| vec![what]),
        }
    }

    /// Messages of a batch, where that is for the user to choose.
    pub(crate) fn batch(self) -> Option<usize> {
        match self {
            Self::Packets(Packets { batch, .. }) => Some(batch),
            Self::InMode(_) | Self::Aez(_) | Self::Rc4(_) | Self::Keys(_) => None,
        }
    }

    /// Returns the work once for each number of messages in `batches`; unchanged if `batches` is empty or the user
    /// cannot choose the number.
    pub(crate) fn in_batches(self, batches: &[usize]) -> Vec<Self> {
        match self {
            Self::Packets(packets) if !batches.is_empty() => {
                batches.iter().map(|&batch| Self::Packets(Packets { batch, ..packets })).collect()
            }
            _ => vec![self],
        }
    }

    /// The threads that a batch is done on, where it may be several.
    pub(crate) fn threads(self) -> Option<usize> {
        match self {
            Self::Packets(packets) => packets.threads,
            _ => None,
        }
    }

    /// Returns the work once for each of `numbers` of threads; unchanged if it runs on one thread only.
    pub(crate) fn on_threads(self, numbers: &[usize]) -> Vec<Self> {
        match self {
            Self::Packets(packets) if packets.threads.is_some() => {
                let on = |&threads| Self::Packets(Packets { threads: Some(threads), ..packets });
                numbers.iter().map(on).collect()
            }
            _ => vec![self],
        }
    }

    /// The kernels that this CPU has for it, best first.
    pub(crate) fn kernels(self) -> Vec<Kernel> {
        match self {
            Self::InMode(what) => what.cipher.kernels(),
            Self::Aez(_) => abreast::aez::Aez::kernels().collect(),
            Self::Rc4(what) => what.kernels(),
            Self::Packets(what) => what.kernels(),
            Self::Keys(what) => what.kernels(),
        }
    }

    /// Returns the name of the cipher that the kernels belong to.
    pub(crate) const fn owner(self) -> &'static str {
        match self {
            Self::InMode(what) => what.cipher.name(),
            Self::Aez(what) => what.name(),
            Self::Rc4(what) => what.name(),
            Self::Packets(what) => what.owner(),
            Self::Keys(what) => what.owner(),
        }
    }

    /// Returns true if a call takes many messages.
    pub(crate) const fn is_batch(self) -> bool {
        match self {
            Self::InMode(_) | Self::Keys(_) => false,
            Self::Aez(what) => matches!(what, Aez::Batch),
            Self::Rc4(what) => what.is_batch(),
            Self::Packets(_) => true,
        }
    }

    /// Describes the messages that are accepted, if those of `size` bytes are not.
    pub(crate) fn refuses(self, size: usize) -> Option<String> {
        match self {
            Self::InMode(what) => what.refuses(size),
            Self::Packets(what) => what.refuses(size),
            Self::Keys(what) => what.refuses(size),
            _ => (self.is_batch() && size > LONGEST_IN_BATCH).then(|| "messages of up to 4 MiB".into()),
        }
    }

    /// Messages of a size; each call on one may have to wait for the call before.
    pub(crate) fn messages(self, size: usize, chained: bool) -> Messages {
        match self {
            Self::InMode(what) => what.messages(size, chained),
            Self::Keys(_) => Messages::new(size, chained),
            Self::Aez(what) => what.messages(size, chained),
            Self::Rc4(what) => what.messages(size, chained),
            Self::Packets(what) => what.messages(size),
        }
    }

    /// Laps of calls at a kernel.
    pub(crate) fn calls(self, kernel: Kernel) -> Result<Calls, Error> {
        match self {
            Self::InMode(what) => what.calls(kernel).map(timed),
            Self::Aez(what) => what.calls(kernel).map(timed),
            Self::Rc4(what) => what.calls(kernel).map(timed),
            Self::Packets(what) => what.calls(kernel),
            Self::Keys(what) => Ok(timed(what.calls(kernel))),
        }
    }

    /// Gives messages what the calls need to find there: tags, if they verify.
    pub(crate) fn prepare(self, kernel: Kernel, messages: &mut Messages) -> Result<(), Error> {
        match self {
            Self::InMode(what) => what.prepare(kernel, messages),
            Self::Aez(what) => what.prepare(kernel, messages),
            Self::Rc4(_) | Self::Keys(_) => Ok(()),
            Self::Packets(what) => what.prepare(kernel, messages),
        }
    }
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InMode(what) => what.fmt(f),
            Self::Aez(what) => f.write_str(what.name()),
            Self::Rc4(what) => f.write_str(what.name()),
            Self::Packets(what) => what.fmt(f),
            Self::Keys(what) => what.fmt(f),
        }
    }
}

/// The calls of some work at a kernel.
pub(crate) struct Calls {
    /// The calls that are measured.
    pub(crate) run: Timed,
    /// Calls for the same messages one by one, where `run` takes a batch of packets.
    pub(crate) alone: Option<Timed>,
}

/// Laps of calls on messages, which time themselves.
pub(crate) type Timed = Box<dyn FnMut(&mut Messages, u32) -> Result<Ran, Error> + Send>;

/// The result of laps of calls.
pub(crate) struct Ran {
    /// The time of the calls, without what led up to them.
    pub(crate) time: Duration,
    /// The output beside the messages, so that two kernels can be compared.
    pub(crate) sum: u128,
}

/// The calls of work to which nothing leads up.
fn timed(mut work: Work) -> Calls {
    let run = move |messages: &mut Messages, laps| {
        let start = Instant::now();
        let sum = work(messages, laps)?;
        Ok(Ran { time: start.elapsed(), sum })
    };
    Calls { run: Box::new(run), alone: None }
}

/// Laps of calls on messages, under one key at one kernel; returns what the calls produced beside the
/// messages.
pub(crate) type Work = Box<dyn FnMut(&mut Messages, u32) -> Result<u128, Error> + Send>;

/// An AEAD, whose calls are the same for all of them.
trait Aead: Send + 'static {
    /// Bytes of a tag.
    fn tag_len(&self) -> usize;
    /// Encrypts, and makes the tag.
    fn seal(&self, header: &Header, data: &mut [u8], tag: &mut [u8]) -> Result<(), Error>;
}

/// An AEAD whose ciphertext is no plaintext that would stand for another one, so that it decrypts to another place. Its tags
/// have 16 bytes.
trait OpenedApart: Aead {
    /// Verifies the tag, and decrypts.
    fn open(&self, header: &Header, io: InOutBuf<'_, '_, u8>, tag: &[u8; 16]) -> Result<(), Error>;
}

/// Calls that verify a tag and decrypt to another place.
fn opening_apart(aead: impl OpenedApart) -> Work {
    Box::new(move |messages, laps| {
        let size = messages.size();
        messages.run(laps, |Turn { header, data }| {
            let (message, output) = halves(data, size);
            let io = InOutBuf::new(message, &mut *output).expect("both have that size");
            aead.open(header, io, &header.tags[0])?;
            Ok(last(output))
        })
    })
}

/// Encrypts messages that are to be decrypted to another place.
fn seal_all(aead: &impl Aead, messages: &mut Messages) -> Result<(), Error> {
    messages.keep_numbers();
    let size = messages.size();
    messages.turns().try_for_each(|Turn { header, data }| {
        let (message, _) = halves(data, size);
        let mut tag = [0; 16];
        aead.seal(header, message, &mut tag)?;
        header.tags[0] = tag;
        Ok(())
    })
}

/// The buffer for a tag of 16 bytes.
#[inline(always)]
fn sized(tag: &mut [u8]) -> Result<&mut [u8; 16], Error> {
    tag.try_into().map_err(|_| Error::TagLength)
}

/// Calls that encrypt and make a tag.
fn sealing(aead: impl Aead) -> Work {
    let len = aead.tag_len();
    Box::new(move |messages, laps| {
        messages.run(laps, |Turn { header, data }| tag_from(len, |tag| aead.seal(header, data, tag)))
    })
}

/// Returns the tag that `make` writes, as the result of a call.
#[inline(always)]
fn tag_from(len: usize, make: impl FnOnce(&mut [u8]) -> Result<(), Error>) -> Result<u128, Error> {
    let mut tag = [0; 16];
    make(&mut tag[..len])?;
    Ok(u128::from_le_bytes(tag))
}

/// The last byte of a message, which waits for its last block.
#[inline(always)]
fn last(data: &[u8]) -> u128 {
    data.last().copied().unwrap_or(0).into()
}

#[cfg(test)]
mod tests {
    use super::modes::MODES;
    use super::*;

    #[test]
    fn names_come_back() {
        for what in What::all() {
            assert_eq!(What::from_name(&what.to_string()), Some(what));
        }
        assert!(DEFAULT.iter().all(|name| What::from_name(name).is_some()));
        for mode in MODES.map(|(mode, _)| mode) {
            assert!(InMode::all().any(|what| what.mode == mode), "{mode:?}");
        }
    }

    #[test]
    fn other_names_do_not() {
        for name in [
            "",
            "aes-128",
            "ctr",
            "aes-128-",
            "aes-128-ctr-decrypt",
            "AES-128-CTR",
            "xtea-gcm",
            "aez-ctr",
            "aez-batch-decrypt",
            "packets",
            "packets-aes-128-cfb",
            "packets-aes-128-xts-512",
            "packets-xtea-gcm",
            "packets-rc4-keys",
            "threads",
            "threads-rc4",
            "threads-aes-128-cfb",
            "key-rc4",
            "key-xtea-gcm",
        ] {
            assert_eq!(What::from_name(name), None, "{name}");
        }
    }
}
