//! A case: one batch, or calls one after the other, as numbers that refer to a pool.

use abreast::Error;
use abreast::table::{TagLengths, Vector};

use crate::pool::{Entry, Pool};
use crate::subject::{Direction, Kind, Mode, Path};

/// The fault that a message has on purpose. A length that the mode does not accept is wrong by itself, and so is the length of
/// a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Nothing.
    None,
    /// The initialisation vector or the nonce has this many bytes.
    IvLength(usize),
    /// A bit of the tag is another one.
    TagBit(usize),
    /// A bit of the ciphertext is another one.
    TextBit(usize),
    /// The last byte of the associated data is missing.
    AadCut,
    /// The key has no bytes, or too many, for RC4.
    KeyLength(usize),
    /// In C: the output begins one byte after the input.
    Overlap,
    /// In C: the pointer to the input is NULL.
    NoInput,
    /// In C: the key is one for another mode.
    WrongKey,
}

/// A message of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spec {
    /// The place in the case as it was drawn, by which descriptions refer to it.
    pub number: usize,
    /// The cipher, an index into [`Kind::ALL`].
    pub kind: usize,
    /// The message, an index into [`Pool::entries`].
    pub entry: usize,
    /// Bytes of the message, or of its beginning.
    pub len: usize,
    /// The kernel, an index into the kernels of the cipher's family.
    pub kernel: usize,
    /// True if the output replaces the input.
    pub in_place: bool,
    /// The number of bytes by which its buffers are moved on in memory.
    pub shift: usize,
    /// Bytes of the tag.
    pub tag_len: usize,
    /// The fault.
    pub fault: Fault,
    /// The seed of the places at which it is cut into pieces.
    pub cuts: u64,
}

/// A case.
#[derive(Clone, Debug)]
pub struct Case {
    /// The seed from which all of it was drawn.
    pub seed: u64,
    /// The mode.
    pub mode: Mode,
    /// The direction.
    pub direction: Direction,
    /// The way to call the library.
    pub path: Path,
    /// The messages.
    pub specs: Vec<Spec>,
}

/// The expected outcome of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The message is processed.
    Done,
    /// The message is rejected with a status, and nothing is written.
    Refused(i32),
    /// Its tag is wrong, and the output is zeros.
    Forged,
    /// Its tag is wrong, which is known only after the plaintext was handed out.
    ForgedInPieces,
}

/// The numbers of statuses that only C has.
pub mod status {
    /// Some packets were not done.
    pub const BATCH: i32 = 110;
    /// A pointer is NULL that may not be.
    pub const NULL_POINTER: i32 = 100;
    /// Buffers overlap that may not.
    pub const OVERLAP: i32 = 102;
    /// A key is not one for this batch.
    pub const WRONG_KEY: i32 = 107;
}

/// The number that the C interface has for a result, as its header prints it.
#[must_use]
pub fn code(result: Result<(), Error>) -> i32 {
    match result {
        Ok(()) => 0,
        Err(Error::KeyLength) => 1,
        Err(Error::KernelUnavailable) => 2,
        Err(Error::BufferLengths) => 3,
        Err(Error::PartialBlock) => 4,
        Err(Error::CounterLength) => 5,
        Err(Error::CounterWidth) => 6,
        Err(Error::CounterExhausted) => 7,
        Err(Error::IvLength) => 8,
        Err(Error::NonceLength) => 9,
        Err(Error::TagLength) => 10,
        Err(Error::BufferTooShort) => 11,
        Err(Error::MessageTooLong) => 12,
        Err(Error::UnitLength) => 15,
        Err(Error::BlockLength) => 16,
        Err(Error::TagMismatch) => 19,
        Err(Error::MessageTooShort) => 130,
        Err(_) => -1,
    }
}

impl Spec {
    /// The cipher.
    #[must_use]
    pub fn cipher(&self) -> Kind {
        Kind::ALL[self.kind]
    }

    /// The message of the pool.
    pub fn entry<'p>(&self, pool: &'p Pool, mode: Mode) -> &'p Entry {
        &pool.entries(mode, self.kind)[self.entry]
    }
}

impl Case {
    /// Returns the outcome of a message that the documentation promises. No message has two faults.
    #[must_use]
    pub fn verdict(&self, spec: &Spec) -> Verdict {
        use Verdict::{Forged, ForgedInPieces, Refused};
        let refused = |error| Refused(code(Err(error)));
        let (kind, block) = (spec.cipher(), spec.cipher().block());
        match spec.fault {
            Fault::None => {}
            Fault::IvLength(_) => {
                return refused(match self.mode.row().map(|row| row.vector) {
                    Some(Vector::Counter) => Error::CounterLength,
                    Some(Vector::Nonce(..)) => Error::NonceLength,
                    _ => Error::IvLength,
                });
            }
            Fault::KeyLength(_) => return refused(Error::KeyLength),
            // Buffers of two bytes each, a byte apart, at least.
            Fault::Overlap if spec.len <= 2 => {}
            Fault::Overlap => return Refused(status::OVERLAP),
            Fault::NoInput => return Refused(status::NULL_POINTER),
            Fault::WrongKey => return Refused(status::WRONG_KEY),
            Fault::TagBit(_) | Fault::TextBit(_) | Fault::AadCut if self.path == Path::Pieces => {
                return ForgedInPieces;
            }
            Fault::TagBit(_) | Fault::TextBit(_) | Fault::AadCut => return Forged,
        }
        if self.mode == Mode::Rc4Keys
            && self.path == Path::Batch
            && self.specs.iter().any(|other| matches!(other.fault, Fault::KeyLength(_)))
        {
            // In Rust the call as a whole is refused.
            return refused(Error::KeyLength);
        }
        if self.mode.has_tag() && !is_tag_len(self.mode, kind, spec.tag_len) {
            return refused(Error::TagLength);
        }
        if self.mode.whole_blocks() && !spec.len.is_multiple_of(block) {
            return refused(Error::PartialBlock);
        }
        if self.mode == Mode::Xts && spec.len < 16 {
            return refused(Error::UnitLength);
        }
        if self.mode == Mode::Hctr2 && spec.len < 16 {
            return refused(Error::MessageTooShort);
        }
        if let Some(width) = self.mode.width() {
            let bits = width.bits();
            if bits as usize > 8 * block {
                return refused(Error::CounterWidth);
            }
            if bits < 64 && spec.len.div_ceil(block) > 1 << bits {
                return refused(Error::CounterExhausted);
            }
        }
        Verdict::Done
    }
}

/// True if the mode defines tags of `len` bytes.
#[must_use]
pub fn is_tag_len(mode: Mode, kind: Kind, len: usize) -> bool {
    match mode.tags() {
        TagLengths::NoTag => len == 0,
        TagLengths::Of(lens) => lens.contains(&len),
        TagLengths::UpToABlock => (1..=kind.full_tag()).contains(&len),
        TagLengths::UpTo(most) => len <= most,
    }
}
