//! The plan of a file that is sealed in parts: where each part lies in the message and in the file.
//!
//! Parts are for those who seal or open one file on several machines, or store it as the parts of one object. The
//! defaults of [`Limits`] suit the multipart uploads of S3. The file is the same, byte for byte, however it is cut.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use data_encoding::HEXLOWER;

use crate::format::{CHUNK, HEADER, SALT, SEALED_CHUNK};
use crate::layout::Layout;
use crate::passphrase::MAGIC;
use crate::salt::draw_salt;
use crate::{Error, Header, random};

/// The first characters of a plan as text.
const PREFIX: &str = "abreast-plan/";

/// The limits on the parts of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The smallest length of a part in the sealed file, in bytes. The last part may be shorter.
    pub min_part: u64,
    /// The most parts, at least 1.
    pub max_parts: u32,
    /// The bytes of the message in a part where the other two limits allow it, rounded down to whole chunks, of which a part
    /// has at least one.
    pub preferred_part: u64,
}

impl Default for Limits {
    /// Returns the limits of S3 on the parts of an upload, 5 MiB or more and at most 10 000 of them; and parts of 8 MiB, until
    /// there would be too many.
    fn default() -> Limits {
        Limits { min_part: 5 << 20, max_parts: 10_000, preferred_part: 8 << 20 }
    }
}

impl Limits {
    /// Returns the number of chunks of a part, for a message of that length.
    fn part_chunks(&self, message_len: u64) -> Result<u32, Error> {
        if self.max_parts == 0 {
            return Err(Error::Limits);
        }
        let chunks = message_len.div_ceil(CHUNK as u64);
        let fewest = self.min_part.div_ceil(SEALED_CHUNK as u64).max(chunks.div_ceil(self.max_parts.into()));
        let preferred = (self.preferred_part / CHUNK as u64).min(u32::MAX.into());
        match u32::try_from(fewest.max(preferred).max(1)) {
            Ok(chunks) => Ok(chunks),
            // One part, which is the last.
            Err(_) if chunks <= u32::MAX.into() => Ok(u32::MAX),
            Err(_) => Err(Error::Limits),
        }
    }
}

/// The plan of one file: its salt, the length of its message, and its cut into parts. It is not secret, and as text
/// it is one line without its end: `abreast-plan/1 message=123 part-chunks=512 salt=` and 48 digits.
///
/// All parts except the last one consist of the same number of whole chunks. The header belongs to the first part. If the
/// message ends with a full chunk, the last chunk of the file is empty; it still belongs to the last part, which then has one
/// chunk more.
///
/// A plan is for one message. Whoever seals two different messages of one length by one plan and one [`Key`](crate::Key)
/// uses nonces again: that gives away the XOR of both, and lets others forge chunks. So the message must not change
/// between the plan and the last part. A plan is for files that are sealed with a key; with a passphrase each worker
/// would have to hash it.
///
/// ```
/// use abreast_sealed::{Aead, FileKey, Key, Limits, Plan, open};
///
/// let key = Key::generate(Aead::Aes256Gcm)?;
/// let message = vec![7; 1_000_000];
/// let limits = Limits { min_part: 0, preferred_part: 256 << 10, ..Limits::default() };
/// let text = Plan::new(message.len() as u64, limits)?.to_string();
///
/// // Each worker has the plan and the key of the file, and takes parts in any order.
/// let plan: Plan = text.parse()?;
/// let file_key = FileKey::derive(&key, plan.salt(), b"").0.to_bytes();
/// let mut file = vec![0; plan.sealed_len() as usize];
/// for part in plan.parts().rev() {
///     let cipher = FileKey::from_bytes(&file_key)?.cipher();
///     let bytes = &message[part.plain.start as usize..part.plain.end as usize];
///     let sealed = &mut file[part.sealed.start as usize..part.sealed.end as usize];
///     cipher.seal_part(&part, bytes, sealed)?;
/// }
/// assert_eq!(open(&key, &file)?, message);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Plan {
    /// The salt.
    salt: [u8; SALT],
    /// The length of the message in bytes.
    message_len: u64,
    /// Full chunks in each part but the last.
    part_chunks: u32,
}

/// The range of a part of a plan, or of several that follow each other.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct PlannedPart {
    /// Its number, from 0; of several parts, that of the first.
    pub number: u32,
    /// The number of its first chunk.
    pub first_chunk: u64,
    /// Its bytes in the message.
    pub plain: Range<u64>,
    /// Its bytes in the sealed file. Those of the first part begin with the header.
    pub sealed: Range<u64>,
    /// True if the file ends with it.
    pub last: bool,
}

impl PlannedPart {
    /// Returns the number of bytes of the header that it begins with: all or none.
    pub(crate) fn header_len(&self) -> usize {
        if self.sealed.contains(&0) { HEADER } else { 0 }
    }
}

impl Plan {
    /// The plan of a new file for a message of that length in bytes, with a new salt.
    ///
    /// # Errors
    /// The errors of [`with_salt`](Plan::with_salt); [`Error::Random`] and [`Error::NotRandom`] if the system has no random
    /// bytes.
    pub fn new(message_len: u64, limits: Limits) -> Result<Plan, Error> {
        Plan::with_salt(message_len, limits, &draw_salt(random::fill)?)
    }

    /// The plan that belongs to a salt. Two files with one key and one salt give each other away, so for a new file there
    /// is [`new`](Plan::new).
    ///
    /// # Errors
    /// [`Error::MessageTooLong`] beyond 4 PiB; [`Error::Limits`] if there may be no part, or only parts of more than
    /// 2^32 - 1 chunks (64 TiB) would keep to the limits; [`Error::Salt`] if the salt begins with `abreast/`, as a
    /// passphrase line does.
    pub fn with_salt(message_len: u64, limits: Limits, salt: &[u8; SALT]) -> Result<Plan, Error> {
        if salt.starts_with(MAGIC) {
            return Err(Error::Salt);
        }
        Layout::of_message(message_len)?;
        Ok(Plan { salt: *salt, message_len, part_chunks: limits.part_chunks(message_len)? })
    }

    /// A plan by which to open a sealed file of that length in bytes, which begins with `header`; the bytes after the
    /// header there do not matter. The numbers of a part in the plan are authentic once that part has been opened, and
    /// the length once the last part has.
    ///
    /// # Errors
    /// The errors of [`Header::from_bytes`]; [`Error::Truncated`] if no sealed file has that length; [`Error::WithPassphrase`]
    /// if the file was sealed with a passphrase; [`Error::MessageTooLong`] and [`Error::Limits`] as with
    /// [`with_salt`](Plan::with_salt).
    pub fn of_sealed(header: &[u8], sealed_len: u64, limits: Limits) -> Result<Plan, Error> {
        let header = Header::from_bytes(header)?;
        if header.passphrase_line().is_some() {
            return Err(Error::WithPassphrase);
        }
        let body = sealed_len.checked_sub(HEADER as u64).ok_or(Error::Truncated)?;
        Plan::with_salt(Layout::of_body(body)?.message, limits, header.salt())
    }

    /// The salt of the file.
    #[must_use]
    pub fn salt(&self) -> &[u8; SALT] {
        &self.salt
    }

    /// The length of the message in bytes.
    #[must_use]
    pub fn message_len(&self) -> u64 {
        self.message_len
    }

    /// Returns the number of full chunks of each part except the last.
    #[must_use]
    pub fn part_chunks(&self) -> u32 {
        self.part_chunks
    }

    /// The length of the sealed file in bytes, header and all.
    #[must_use]
    pub fn sealed_len(&self) -> u64 {
        HEADER as u64 + self.layout().body()
    }

    /// The layout of the file.
    fn layout(&self) -> Layout {
        Layout::of_message(self.message_len).expect("no plan is made of a longer message")
    }

    /// Returns the number of parts, at least one.
    fn count(&self) -> u32 {
        let count = count(self.message_len, self.part_chunks);
        u32::try_from(count).expect("no plan is made of more parts")
    }

    /// All parts, in their order.
    pub fn parts(&self) -> impl ExactSizeIterator<Item = PlannedPart> + DoubleEndedIterator + '_ {
        (0..self.count()).map(|number| self.cut(number..number + 1))
    }

    /// The part of that number, from 0.
    ///
    /// # Errors
    /// [`Error::NoSuchPart`] if there are fewer parts.
    pub fn part(&self, number: u32) -> Result<PlannedPart, Error> {
        if number < self.count() { Ok(self.cut(number..number + 1)) } else { Err(Error::NoSuchPart(number)) }
    }

    /// Parts that follow each other, as one. Those of an empty range are no bytes.
    ///
    /// # Errors
    /// [`Error::NoSuchPart`] if there are fewer parts; [`Error::RangeReversed`] if the range ends before it begins.
    pub fn span(&self, parts: Range<u32>) -> Result<PlannedPart, Error> {
        if parts.start > parts.end {
            return Err(Error::RangeReversed);
        }
        if parts.end > self.count() {
            return Err(Error::NoSuchPart(parts.end - 1));
        }
        Ok(self.cut(parts))
    }

    /// The parts that one of several workers takes if each takes parts that follow each other, and all take as many as
    /// the others or one more. `share` counts from 1, as in "share 1 of 3". Where there are more workers than parts,
    /// some have none.
    ///
    /// # Errors
    /// [`Error::NoSuchShare`] unless `share` is one of `1..=shares`.
    pub fn share(&self, share: u32, shares: u32) -> Result<Range<u32>, Error> {
        if share == 0 || share > shares {
            return Err(Error::NoSuchShare { share, shares });
        }
        let count = u64::from(self.count());
        // At most the number of parts.
        let start = |share: u32| (u64::from(share) * count / u64::from(shares)) as u32;
        Ok(start(share - 1)..start(share))
    }

    /// Returns the range of several parts.
    fn cut(&self, parts: Range<u32>) -> PlannedPart {
        let layout = self.layout();
        let chunks = |part: u32| u64::from(part) * u64::from(self.part_chunks);
        let plain = |part: u32| (chunks(part) * CHUNK as u64).min(self.message_len);
        let sealed = |part: u32| match part {
            0 => 0,
            part if part == self.count() => self.sealed_len(),
            part => HEADER as u64 + chunks(part) * SEALED_CHUNK as u64,
        };
        PlannedPart {
            number: parts.start,
            first_chunk: chunks(parts.start).min(layout.chunks),
            plain: plain(parts.start)..plain(parts.end),
            sealed: sealed(parts.start)..sealed(parts.end),
            last: parts.end == self.count() && !parts.is_empty(),
        }
    }
}

/// Returns the number of parts of `part_chunks` chunks in a message of that length. A last chunk that is empty has no part of
/// its own, so it is not counted.
fn count(message_len: u64, part_chunks: u32) -> u64 {
    message_len.div_ceil(CHUNK as u64).div_ceil(part_chunks.into()).max(1)
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Plan { salt, message_len, part_chunks } = self;
        let salt = HEXLOWER.encode(salt);
        write!(f, "{PREFIX}1 message={message_len} part-chunks={part_chunks} salt={salt}")
    }
}

/// Why a text is not a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlanError {
    /// The text does not begin as a plan does.
    NotAPlan,
    /// The plan is of another version than 1.
    Version,
    /// This field is missing, not in its place, not written as a plan writes it, or of a value that no plan has.
    Field(&'static str),
    /// Something follows the plan.
    End,
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlanError::NotAPlan => f.write_str("not a plan: it does not begin with abreast-plan/"),
            PlanError::Version => f.write_str("a plan of another version than 1"),
            PlanError::Field(name) => write!(f, "the field {name}= of the plan is missing or malformed"),
            PlanError::End => f.write_str("something follows the plan"),
        }
    }
}

impl std::error::Error for PlanError {}

/// Takes a plan in the one spelling that [`Display`](fmt::Display) gives it, without an end of line.
impl FromStr for Plan {
    type Err = PlanError;

    fn from_str(text: &str) -> Result<Plan, PlanError> {
        /// A number without a sign, and without zeros in front.
        fn number<T: FromStr + ToString>(digits: &str) -> Option<T> {
            digits.parse().ok().filter(|number: &T| number.to_string() == digits)
        }
        let mut words = text.strip_prefix(PREFIX).ok_or(PlanError::NotAPlan)?.split(' ');
        if words.next() != Some("1") {
            return Err(PlanError::Version);
        }
        let mut field = |name| {
            let value = words.next().and_then(|word| word.strip_prefix(name)?.strip_prefix('='));
            value.ok_or(PlanError::Field(name))
        };
        let message_len = field("message")?;
        let part_chunks = field("part-chunks")?;
        let salt = field("salt")?;
        if words.next().is_some() {
            return Err(PlanError::End);
        }
        let message_len: Option<u64> = number(message_len).filter(|len| Layout::of_message(*len).is_ok());
        let message_len = message_len.ok_or(PlanError::Field("message"))?;
        let fits = |chunks: &u32| *chunks > 0 && u32::try_from(count(message_len, *chunks)).is_ok();
        let part_chunks = number(part_chunks).filter(fits).ok_or(PlanError::Field("part-chunks"))?;
        let salt = HEXLOWER.decode(salt.as_bytes()).ok().and_then(|salt| salt.try_into().ok());
        let salt = salt.filter(|salt: &[u8; SALT]| !salt.starts_with(MAGIC));
        Ok(Plan { salt: salt.ok_or(PlanError::Field("salt"))?, message_len, part_chunks })
    }
}

#[cfg(test)]
mod tests;
