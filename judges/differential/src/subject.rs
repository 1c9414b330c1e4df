//! The subjects of the tests: ciphers, modes, kernels, and the ways to call them.

use std::sync::LazyLock;

use abreast::Kernel;
use abreast::aez::Aez;
use abreast::hmac::{Hmac, HmacHash, Sha1, Sha256};
use abreast::modes::CounterWidth;
pub use abreast::modes::Direction;
use abreast::rc4::Rc4;
use abreast::table::{Does, ModeBlocks, ModeKeys, ModeRow, TagLengths};
use abreast::xtea::{ByteOrder, Xtea};
use abreast_simd::AesLevel;

/// A cipher with all that its keys depend on, or the hash of HMAC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// AES with keys of this many bytes.
    Aes(usize),
    /// Serpent with keys of this many bytes.
    Serpent(usize),
    /// XTEA with this number of cycles.
    Xtea(ByteOrder, u8),
    /// AEZ.
    Aez,
    /// RC4.
    Rc4,
    /// SHA-1.
    Sha1,
    /// SHA-256.
    Sha256,
}

impl Kind {
    /// Every cipher and hash.
    pub const ALL: [Self; 15] = [
        Self::Aes(16),
        Self::Aes(24),
        Self::Aes(32),
        Self::Serpent(16),
        Self::Serpent(17),
        Self::Serpent(24),
        Self::Serpent(32),
        Self::Xtea(ByteOrder::LittleEndian, 32),
        Self::Xtea(ByteOrder::BigEndian, 32),
        Self::Xtea(ByteOrder::LittleEndian, 16),
        Self::Xtea(ByteOrder::BigEndian, 64),
        Self::Aez,
        Self::Rc4,
        Self::Sha1,
        Self::Sha256,
    ];

    /// Its name.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            Self::Aes(len) => format!("aes-{}", 8 * len),
            Self::Serpent(len) => format!("serpent-{}", 8 * len),
            Self::Xtea(order, cycles) => {
                let order = if order == ByteOrder::BigEndian { "xtea-be" } else { "xtea" };
                if cycles == 32 { order.to_owned() } else { format!("{order}-{cycles}") }
            }
            Self::Aez => "aez".to_owned(),
            Self::Rc4 => "rc4".to_owned(),
            Self::Sha1 => "sha1".to_owned(),
            Self::Sha256 => "sha256".to_owned(),
        }
    }

    /// Bytes of a block; 1 where there are none.
    #[must_use]
    pub fn block(self) -> usize {
        match self {
            Self::Aes(_) | Self::Serpent(_) => 16,
            Self::Xtea(..) => 8,
            Self::Aez | Self::Rc4 | Self::Sha1 | Self::Sha256 => 1,
        }
    }

    /// Bytes of the longest tag, where a tag may be cut: of a block, or of the hash.
    #[must_use]
    pub fn full_tag(self) -> usize {
        match self {
            Self::Sha1 => Sha1::TAG_LEN,
            Self::Sha256 => Sha256::TAG_LEN,
            other => other.block(),
        }
    }

    /// Returns the family of its kernels.
    #[must_use]
    pub fn family(self) -> Family {
        match self {
            Self::Aes(_) | Self::Aez => Family::Aes,
            Self::Serpent(_) | Self::Xtea(..) => Family::Words,
            Self::Rc4 => Family::Rc4,
            Self::Sha1 | Self::Sha256 => Family::Hashes,
        }
    }

    /// True if C can make a key of it.
    #[must_use]
    pub fn in_c(self) -> bool {
        self != Self::Serpent(17)
    }
}

/// Ciphers that share a list of kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// AES and AEZ.
    Aes,
    /// Serpent and XTEA.
    Words,
    /// RC4.
    Rc4,
    /// The hashes of HMAC.
    Hashes,
}

/// A kernel of this CPU, with a name that no other kernel of its family has.
#[derive(Clone, Debug)]
pub struct NamedKernel {
    /// The kernel.
    pub kernel: Kernel,
    /// The name in tables.
    pub label: String,
    /// True if C finds the kernel by its name.
    pub in_c: bool,
    /// The most bytes of a batch: fewer where the kernel is slow.
    pub budget: usize,
}

impl Family {
    /// Every family.
    pub const ALL: [Self; 4] = [Self::Aes, Self::Words, Self::Rc4, Self::Hashes];

    /// The kernels of this CPU, best first.
    #[must_use]
    pub fn kernels(self) -> &'static [NamedKernel] {
        static AES: LazyLock<Vec<NamedKernel>> = LazyLock::new(|| {
            // The library lists one of two kernels of the same name, AES-NI with and without AVX.
            let listed: Vec<_> = Aez::kernels().collect();
            let others = AesLevel::detect_all().map(Kernel::aes_rounds);
            named(listed.iter().copied().chain(others.filter(|other| !listed.contains(other))))
        });
        static WORDS: LazyLock<Vec<NamedKernel>> = LazyLock::new(|| named(Xtea::kernels()));
        static RC4: LazyLock<Vec<NamedKernel>> = LazyLock::new(|| named(Rc4::kernels()));
        static HASHES: LazyLock<Vec<NamedKernel>> = LazyLock::new(|| named(Hmac::<Sha1>::kernels()));
        match self {
            Self::Aes => &AES,
            Self::Words => &WORDS,
            Self::Rc4 => &RC4,
            Self::Hashes => &HASHES,
        }
    }
}

fn named(kernels: impl Iterator<Item = Kernel>) -> Vec<NamedKernel> {
    let mut all: Vec<NamedKernel> = Vec::new();
    for kernel in kernels {
        let name = kernel.name();
        let again = all.iter().any(|other| other.label == name);
        let budget = match name {
            "portable" | "sliced-portable" => 128 << 10,
            "sse2" | "sliced-sse2" => 512 << 10,
            "one" | "two" | "three" => 1 << 20,
            _ => 2 << 20,
        };
        let label = if again { format!("{name}-legacy-encoding") } else { name.to_owned() };
        all.push(NamedKernel { kernel, label, in_c: !again, budget });
    }
    all
}

/// A mode of operation, or a substitute for one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are those of the field")]
pub enum Mode {
    Ecb,
    Cbc,
    Cfb,
    Cfb8,
    Ofb,
    Ctr16,
    Ctr32,
    Ctr64,
    Ctr128,
    Xts,
    /// Several data units in one call.
    XtsUnits,
    Hctr2,
    Gcm,
    Eax,
    /// With a string of associated data, and a nonce or none.
    Siv,
    GcmSiv,
    Cmac,
    HmacSha1,
    HmacSha256,
    Aez,
    /// With any number of strings, and a tag of any length after the ciphertext.
    AezJoined,
    /// Messages with a key each.
    Rc4Keys,
    /// Streams that were begun before.
    Rc4Streams,
    /// The search among keys.
    TryKeys,
    /// The search among keys of RC4.
    Rc4TryKeys,
}

impl Mode {
    /// Every mode.
    pub const ALL: [Self; 25] = [
        Self::Ecb,
        Self::Cbc,
        Self::Cfb,
        Self::Cfb8,
        Self::Ofb,
        Self::Ctr16,
        Self::Ctr32,
        Self::Ctr64,
        Self::Ctr128,
        Self::Xts,
        Self::XtsUnits,
        Self::Hctr2,
        Self::Gcm,
        Self::Eax,
        Self::Siv,
        Self::GcmSiv,
        Self::Cmac,
        Self::HmacSha1,
        Self::HmacSha256,
        Self::Aez,
        Self::AezJoined,
        Self::Rc4Keys,
        Self::Rc4Streams,
        Self::TryKeys,
        Self::Rc4TryKeys,
    ];

    /// Its name on the command line and in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Ecb => "ecb",
            Self::Cbc => "cbc",
            Self::Cfb => "cfb",
            Self::Cfb8 => "cfb8",
            Self::Ofb => "ofb",
            Self::Ctr16 => "ctr16",
            Self::Ctr32 => "ctr32",
            Self::Ctr64 => "ctr64",
            Self::Ctr128 => "ctr128",
            Self::Xts => "xts",
            Self::XtsUnits => "xts-units",
            Self::Hctr2 => "hctr2",
            Self::Gcm => "gcm",
            Self::Eax => "eax",
            Self::Siv => "siv",
            Self::GcmSiv => "gcm-siv",
            Self::Cmac => "cmac",
            Self::HmacSha1 => "hmac-sha1",
            Self::HmacSha256 => "hmac-sha256",
            Self::Aez => "aez",
            Self::AezJoined => "aez-joined",
            Self::Rc4Keys => "rc4-keys",
            Self::Rc4Streams => "rc4-streams",
            Self::TryKeys => "try-keys",
            Self::Rc4TryKeys => "rc4-try-keys",
        }
    }

    /// The row of the library's table; `None` if it has none, as what is no mode.
    #[must_use]
    pub fn row(self) -> Option<&'static ModeRow> {
        ModeRow::from_name(match self {
            Self::Ctr16 | Self::Ctr32 | Self::Ctr64 | Self::Ctr128 => "ctr",
            Self::XtsUnits => "xts",
            Self::AezJoined => "aez",
            other => other.name(),
        })
    }

    /// True if the library has an operation of the mode.
    fn does(self, operation: Does) -> bool {
        self.row().is_some_and(|row| row.operations.contains(&operation))
    }

    /// True if the C interface has batches of it.
    #[must_use]
    pub fn in_c(self) -> bool {
        self.does(Does::Batch)
    }

    /// Returns the hash of HMAC, which is no mode of a cipher.
    #[must_use]
    pub fn hash(self) -> Option<Kind> {
        match self {
            Self::HmacSha1 => Some(Kind::Sha1),
            Self::HmacSha256 => Some(Kind::Sha256),
            _ => None,
        }
    }

    /// True if a message is authenticated and stays as it is: then it is the first string of associated data.
    #[must_use]
    pub fn only_authenticates(self) -> bool {
        self == Self::Cmac || self.hash().is_some()
    }

    /// The bits that count, in counter mode.
    #[must_use]
    pub fn width(self) -> Option<CounterWidth> {
        Some(match self {
            Self::Ctr16 => CounterWidth::Bits16,
            Self::Ctr32 => CounterWidth::Bits32,
            Self::Ctr64 => CounterWidth::Bits64,
            Self::Ctr128 => CounterWidth::Bits128,
            _ => return None,
        })
    }

    /// True if the ciphertext of the beginning of a message is the beginning of its ciphertext.
    #[must_use]
    pub fn has_prefixes(self) -> bool {
        !matches!(self, Self::Xts | Self::XtsUnits | Self::Hctr2 | Self::AezJoined) && !self.has_tag()
    }

    /// The lengths of the tags that go apart from the message.
    #[must_use]
    pub fn tags(self) -> TagLengths {
        if self.hash().is_some() {
            return TagLengths::UpToABlock;
        }
        self.row().filter(|_| self != Self::AezJoined).map_or(TagLengths::NoTag, |row| row.tags)
    }

    /// True if a tag goes with the message.
    #[must_use]
    pub fn has_tag(self) -> bool {
        self.tags() != TagLengths::NoTag
    }

    /// True if keys are searched for; nothing is written then.
    #[must_use]
    pub fn is_search(self) -> bool {
        matches!(self, Self::TryKeys | Self::Rc4TryKeys)
    }

    /// True if messages are whole numbers of blocks.
    #[must_use]
    pub fn whole_blocks(self) -> bool {
        matches!(self, Self::Ecb | Self::Cbc)
    }

    /// True if the mode is defined for a cipher.
    #[must_use]
    pub fn suits(self, kind: Kind) -> bool {
        if let Some(hash) = self.hash() {
            return kind == hash;
        }
        match (self, self.row().map(|row| (row.blocks, row.keys))) {
            (Self::Ctr128, _) => kind.block() == 16,
            (Self::TryKeys, _) | (_, Some((ModeBlocks::Any, _))) => kind.block() > 1,
            (_, Some((ModeBlocks::Of16, _))) => kind.block() == 16,
            // A mode with keys of its own is AEZ, or over AES.
            (_, Some((ModeBlocks::None, ModeKeys::Own(lens)))) if !lens.is_empty() => {
                lens.iter().any(|len| kind == Kind::Aes(*len))
            }
            (_, Some(_)) => kind == Kind::Aez,
            (_, None) => kind == Kind::Rc4,
        }
    }

    /// The directions between which there is a difference.
    #[must_use]
    pub fn directions(self) -> &'static [Direction] {
        match self {
            Self::Ofb
            | Self::Ctr16
            | Self::Ctr32
            | Self::Ctr64
            | Self::Ctr128
            | Self::Rc4Keys
            | Self::Rc4Streams => &[Direction::Encrypt],
            Self::TryKeys | Self::Rc4TryKeys => &[Direction::Decrypt],
            _ => &[Direction::Encrypt, Direction::Decrypt],
        }
    }

    /// The ways to call it.
    #[must_use]
    pub fn paths(self) -> Vec<Path> {
        use Path::{Alone, Batch, C, Parallel, Pieces, Seek};
        match self {
            Self::XtsUnits | Self::AezJoined => vec![Alone],
            Self::Rc4Keys => vec![Batch, C, Alone],
            Self::Rc4Streams => vec![Batch, C, Alone, Pieces],
            Self::TryKeys | Self::Rc4TryKeys => vec![Batch],
            Self::HmacSha1 | Self::HmacSha256 => vec![Batch, Parallel, C, Alone, Pieces],
            _ => {
                let has = |path: &Path| match path {
                    Batch | Parallel => self.does(Does::Batch),
                    C => self.in_c(),
                    Alone => self.does(Does::Once),
                    Pieces => self.does(Does::Stream),
                    Seek => self.width().is_some(),
                };
                Path::ALL.into_iter().filter(has).collect()
            }
        }
    }
}

/// A way to call the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Path {
    /// A batch, in Rust.
    Batch,
    /// A batch on several threads.
    Parallel,
    /// A batch, through the C interface.
    C,
    /// One call for each message.
    Alone,
    /// A stream in pieces for each message.
    Pieces,
    /// A stream for each message that goes from place to place.
    Seek,
}

impl Path {
    /// Every way.
    pub const ALL: [Self; 6] = [Self::Batch, Self::Parallel, Self::C, Self::Alone, Self::Pieces, Self::Seek];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Batch => "batch",
            Self::Parallel => "parallel",
            Self::C => "c",
            Self::Alone => "alone",
            Self::Pieces => "pieces",
            Self::Seek => "seek",
        }
    }

    /// True if all messages of a case are one call.
    #[must_use]
    pub fn is_batch(self) -> bool {
        matches!(self, Self::Batch | Self::Parallel | Self::C)
    }
}
