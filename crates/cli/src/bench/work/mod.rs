//! What can be measured, and what one call of it is.

mod aez;
mod modes;

use std::fmt;

use abreast::{Error, Kernel};

use super::messages::{Header, Messages, SLOTS, Turn, halves};
pub(crate) use aez::Aez;
pub(crate) use modes::{InMode, MODES, Mode};

/// What is measured where nothing is asked for.
pub(crate) const DEFAULT: [&str; 4] = ["aes-128-ctr", "aes-256-ctr", "aes-128-gcm", "aes-256-gcm"];

/// The longest message of a batch.
const LONGEST_IN_BATCH: usize = 16 << 20;

/// Something to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// A block cipher in a mode.
    InMode(InMode),
    /// AEZ in one of its ways.
    Aez(Aez),
}

impl What {
    /// Everything.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        InMode::all().map(Self::InMode).chain(Self::without_mode())
    }

    /// All that is no block cipher in a mode.
    pub(crate) fn without_mode() -> impl Iterator<Item = Self> {
        Aez::ALL.into_iter().map(Self::Aez)
    }

    /// What has a name such as `aes-128-gcm-decrypt`.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::all().find(|what| what.to_string() == name)
    }

    /// The kernels that this CPU has for it, best first.
    pub(crate) fn kernels(self) -> Vec<Kernel> {
        match self {
            Self::InMode(what) => what.cipher.kernels(),
            Self::Aez(_) => abreast::aez::Aez::kernels().collect(),
        }
    }

    /// Who has these kernels.
    pub(crate) const fn owner(self) -> &'static str {
        match self {
            Self::InMode(what) => what.cipher.name(),
            Self::Aez(what) => what.name(),
        }
    }

    /// Whether a call takes many messages.
    pub(crate) const fn is_batch(self) -> bool {
        matches!(self, Self::Aez(Aez::Batch))
    }

    /// What a message must be, if it cannot have this many bytes.
    pub(crate) fn refuses(self, size: usize) -> Option<String> {
        match self {
            Self::InMode(what) => what.refuses(size),
            _ => (self.is_batch() && size > LONGEST_IN_BATCH).then(|| "messages of up to 16 MiB".into()),
        }
    }

    /// Messages of a size; each call on one may have to wait for the call before.
    pub(crate) fn messages(self, size: usize, chained: bool) -> Messages {
        match self {
            Self::Aez(Aez::Decrypt) => Messages::with_output(size, chained),
            Self::Aez(Aez::Batch) => Messages::batch(size),
            Self::InMode(_) | Self::Aez(_) => Messages::new(size, chained),
        }
    }

    /// Laps of calls at a kernel.
    pub(crate) fn calls(self, kernel: Kernel) -> Result<Work, Error> {
        match self {
            Self::InMode(what) => what.calls(kernel),
            Self::Aez(what) => what.calls(kernel),
        }
    }

    /// Gives messages what the calls need to find there: tags, if they verify.
    pub(crate) fn prepare(self, kernel: Kernel, messages: &mut Messages) -> Result<(), Error> {
        match self {
            Self::InMode(what) => what.prepare(kernel, messages),
            Self::Aez(what) => what.prepare(kernel, messages),
        }
    }
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InMode(what) => what.fmt(f),
            Self::Aez(what) => f.write_str(what.name()),
        }
    }
}

/// Laps of calls on messages, under one key at one kernel; returns what the calls produced beside the
/// messages, so that two kernels can be compared.
pub(crate) type Work = Box<dyn FnMut(&mut Messages, u32) -> Result<u128, Error>>;

/// An AEAD, whose calls are the same for all of them.
trait Aead: 'static {
    /// Bytes of a tag.
    fn tag_len(&self) -> usize;
    /// Encrypts, and makes the tag.
    fn seal(&self, header: &Header, data: &mut [u8], tag: &mut [u8]) -> Result<(), Error>;
}

/// Calls that encrypt and make a tag.
fn sealing(aead: impl Aead) -> Work {
    let len = aead.tag_len();
    Box::new(move |messages, laps| {
        messages.run(laps, |Turn { header, data }| tag_from(len, |tag| aead.seal(header, data, tag)))
    })
}

/// What a call returns whose output is a tag.
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
        ] {
            assert_eq!(What::from_name(name), None, "{name}");
        }
    }
}
