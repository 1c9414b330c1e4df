//! Key set-up: from the bytes of a key to an object that is ready to encrypt, which is wiped again.
//!
//! The bytes of a message are the key. Ciphers are made as the registry makes them, as objects of any cipher on the heap,
//! so allocation is part of the time.

use std::fmt;
use std::hint::black_box;

use abreast::aez::Aez;
use abreast::kernels::{Algorithm, algorithms};
use abreast::modes::Gcm;
use abreast::{Error, Kernel};

use super::{Messages, Turn, Work};

/// The prefix of all names.
const PREFIX: &str = "key-";
/// Bytes of a key of AEZ.
const AEZ_KEY: usize = 48;

/// The purpose of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keys {
    /// A block cipher.
    Cipher(Algorithm),
    /// GCM over it, with the powers of the hash key.
    Gcm(Algorithm),
    /// AEZ.
    Aez,
}

impl Keys {
    /// All of them.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        let gcm = algorithms().iter().filter(|cipher| cipher.block_size() == 16);
        algorithms().iter().copied().map(Self::Cipher).chain(gcm.copied().map(Self::Gcm)).chain([Self::Aez])
    }

    /// Bytes of a key.
    pub(crate) fn len(self) -> usize {
        match self {
            Self::Cipher(cipher) | Self::Gcm(cipher) => cipher.key_len(),
            Self::Aez => AEZ_KEY,
        }
    }

    /// The kernels that this CPU has for it, best first.
    pub(super) fn kernels(self) -> Vec<Kernel> {
        match self {
            Self::Cipher(cipher) | Self::Gcm(cipher) => cipher.kernels(),
            Self::Aez => Aez::kernels().collect(),
        }
    }

    /// Returns the name of the cipher that the kernels belong to.
    pub(super) const fn owner(self) -> &'static str {
        match self {
            Self::Cipher(cipher) | Self::Gcm(cipher) => cipher.name(),
            Self::Aez => "aez",
        }
    }

    /// Describes the messages that are accepted, if those of `size` bytes are not.
    pub(super) fn refuses(self, size: usize) -> Option<String> {
        (size != self.len()).then(|| format!("keys of {} bytes", self.len()))
    }

    /// Calls, each of which makes a key of a message.
    pub(super) fn calls(self, kernel: Kernel) -> Work {
        match self {
            Self::Cipher(cipher) => each_key(move |key| cipher.with_key(key, Some(kernel))),
            Self::Gcm(cipher) => {
                each_key(move |key| cipher.with_key_128(key, Some(kernel)).map(Gcm::from_cipher))
            }
            Self::Aez => each_key(move |key| Aez::with_kernel(key, kernel)),
        }
    }
}

/// Calls that make something of a key, and drop it.
fn each_key<T>(make: impl Fn(&[u8]) -> Result<T, Error> + Send + 'static) -> Work {
    Box::new(move |messages: &mut Messages, laps| {
        messages.run(laps, |Turn { data, .. }| {
            drop(black_box(make(data)?));
            Ok(0)
        })
    })
}

impl fmt::Display for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cipher(cipher) => write!(f, "{PREFIX}{}", cipher.name()),
            Self::Gcm(cipher) => write!(f, "{PREFIX}{}-gcm", cipher.name()),
            Self::Aez => write!(f, "{PREFIX}aez"),
        }
    }
}
