//! The plan of a file that is sealed in parts: where each part lies in the message and in the file.
//!
//! Parts are for those who seal or open one file on several machines, or store it as the parts of one object. The
//! defaults of [`Limits`] suit the multipart uploads of S3. The file is the same, byte for byte, however it is cut.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use data_encoding::HEXLOWER;

use crate::format::{AGS1_HEADER_LEN, Format, SALT};
use crate::layout::Layout;
use crate::limits::Limits;
use crate::passphrase::MAGIC;
use crate::salt::draw_salt;
use crate::stream;
use crate::{Error, FileKey, Header, Key, random};

/// The first characters of a plan as text.
const PREFIX: &str = "abreast-plan/";

/// The last word of the plan of a stream of AGS1.
const FORMAT_AGS1: &str = "format=ags1";

impl Limits {
    /// Returns the number of chunks of a part, for a message of that length.
    fn part_chunks(&self, format: Format, message_len: u64) -> Result<u32, Error> {
        let shape = format.shape();
        let refused = || Error::Limits { message_len, limits: *self };
        if self.max_parts == 0 {
            return Err(refused());
        }
        let chunks = message_len.div_ceil(shape.chunk as u64);
        let fewest =
            self.min_part.div_ceil(shape.sealed_chunk() as u64).max(chunks.div_ceil(self.max_parts.into()));
        let preferred = (self.preferred_part / shape.chunk as u64).min(u32::MAX.into());
        match u32::try_from(fewest.max(preferred).max(1)) {
            Ok(chunks) => Ok(chunks),
            // One part, which is the last.
            Err(_) if chunks <= u32::MAX.into() => Ok(u32::MAX),
            Err(_) => Err(refused()),
        }
    }
}

/// The plan of one file: its salt, the length of its message, and its cut into parts. It is not secret, and as text
/// it is one line without its end: `abreast-plan/1 message=123 part-chunks=512 salt=` and 48 digits. The plan of a stream of
/// [`Format::Ags1`] has `format=ags1` in place of a salt.
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
/// let file_key = FileKey::of_plan(&key, &plan)?.to_bytes();
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
    /// The salt of a file of Cobblestone; none of a stream of AGS1.
    salt: Option<[u8; SALT]>,
    /// The length of the message in bytes.
    message_len: u64,
    /// Full chunks in each part but the last.
    part_chunks: u32,
}

/// The range of a part of a plan, or of several that follow each other.
///
/// ```
/// use abreast_sealed::{HEADER, Limits, Plan};
///
/// let plan = Plan::new(20_000_000, Limits::default())?;
/// let [first, second, third] = [plan.part(0)?, plan.part(1)?, plan.part(2)?];
/// // The first part begins with the header, and each follows the one before it.
/// assert_eq!((first.plain.start, first.sealed.start), (0, 0));
/// assert_eq!((first.plain.end, first.sealed.end), (second.plain.start, second.sealed.start));
/// assert_eq!((third.plain.end, third.sealed.end, third.last), (20_000_000, plan.sealed_len(), true));
/// // 16 bytes of tag for each chunk.
/// let tags = 16 * (second.first_chunk - first.first_chunk);
/// assert_eq!(first.sealed.end, HEADER as u64 + first.plain.end + tags);
/// # Ok::<(), abreast_sealed::Error>(())
/// ```
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

impl FileKey {
    /// Derives the keys of the file of a plan that is to be sealed with a key.
    ///
    /// # Errors
    /// [`Error::OtherFormat`] if the plan is for a stream of [`Format::Ags1`].
    pub fn of_plan(key: &Key, plan: &Plan) -> Result<FileKey, Error> {
        let salt = plan.salt().ok_or(Error::OtherFormat)?;
        Ok(FileKey::derive(key, salt, b"").0)
    }
}

impl Plan {
    /// Makes the plan of a new file for a message of that length in bytes, with a new salt.
    ///
    /// # Errors
    /// The errors of [`with_salt`](Plan::with_salt); [`Error::Random`] and [`Error::NotRandom`] if the system has no random
    /// bytes.
    pub fn new(message_len: u64, limits: Limits) -> Result<Plan, Error> {
        Plan::with_salt(message_len, limits, &draw_salt(random::fill)?)
    }

    /// Makes the plan that belongs to a salt. Two files with one key and one salt give each other away, so for a new file there
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
        Plan::cut_by(message_len, limits, Some(*salt))
    }

    /// Makes the plan of a new stream of [`Format::Ags1`] for a message of that length in bytes. A part that is sealed again differs
    /// from the first one, because its nonces are random, and takes its place as well.
    ///
    /// ```
    /// use abreast_sealed::ags1::{self, SealedLength};
    /// use abreast_sealed::{FileKey, Limits, Plan};
    ///
    /// let (key, prefix, message) = ([7; 16], b"prefix", vec![1; 20_000_000]);
    /// let plan = Plan::ags1(message.len() as u64, Limits::default())?;
    /// let cipher = FileKey::ags1(&key, prefix)?.cipher();
    /// let mut stream = vec![0; plan.sealed_len() as usize];
    /// for part in plan.parts().rev() {
    ///     let bytes = &message[part.plain.start as usize..part.plain.end as usize];
    ///     cipher.seal_part(&part, bytes, &mut stream[part.sealed.start as usize..part.sealed.end as usize])?;
    /// }
    /// assert_eq!(ags1::open(&key, prefix, &stream, SealedLength::Trusted(plan.sealed_len()))?, message);
    /// # Ok::<(), abreast_sealed::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::MessageTooLong`] beyond 2 PiB, and [`Error::Limits`] as with [`with_salt`](Plan::with_salt).
    pub fn ags1(message_len: u64, limits: Limits) -> Result<Plan, Error> {
        Plan::cut_by(message_len, limits, None)
    }

    /// Makes a plan by which to open a stream of [`Format::Ags1`] of that length in bytes, which begins with `header`. The length must
    /// come from a trusted place, since nothing in the stream authenticates it.
    ///
    /// ```
    /// use abreast_sealed::{Limits, Plan, ags1};
    ///
    /// let stream = ags1::seal(&[7; 16], b"prefix", &[1; 5_000_000])?;
    /// let plan = Plan::of_ags1(&stream[..8], stream.len() as u64, Limits::default())?;
    /// assert_eq!(plan.message_len(), 5_000_000);
    /// # Ok::<(), abreast_sealed::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`ags1::Header::from_bytes`](crate::ags1::Header::from_bytes) and [`Plan::ags1`]; [`Error::Truncated`] if no
    /// stream that was sealed in one piece has that length.
    pub fn of_ags1(header: &[u8], sealed_len: u64, limits: Limits) -> Result<Plan, Error> {
        stream::Header::from_bytes(header)?;
        let body = sealed_len.checked_sub(AGS1_HEADER_LEN as u64).ok_or(Error::Truncated)?;
        let plan = Plan::ags1(Layout::of_body(Format::Ags1, body)?.message, limits)?;
        if plan.sealed_len() == sealed_len { Ok(plan) } else { Err(Error::Truncated) }
    }

    /// Makes the plan of a message of that length, with a salt for Cobblestone and none for AGS1.
    fn cut_by(message_len: u64, limits: Limits, salt: Option<[u8; SALT]>) -> Result<Plan, Error> {
        let mut plan = Plan { salt, message_len, part_chunks: 1 };
        Layout::of_message(plan.format(), message_len)?;
        plan.part_chunks = limits.part_chunks(plan.format(), message_len)?;
        Ok(plan)
    }

    /// Makes a plan by which to open a sealed file of that length in bytes, which begins with `header`; the bytes after the
    /// header there do not matter. The numbers of a part in the plan are authentic once that part has been opened, and
    /// the length once the last part has.
    ///
    /// ```
    /// use abreast_sealed::{Aead, FileKey, HEADER, Key, Limits, Plan, seal};
    ///
    /// let key = Key::generate(Aead::Aes256Gcm)?;
    /// let sealed = seal(&key, &[7; 100_000])?;
    /// let limits = Limits { min_part: 0, preferred_part: 32 << 10, ..Limits::default() };
    /// let plan = Plan::of_sealed(&sealed[..HEADER], sealed.len() as u64, limits)?;
    /// assert_eq!((plan.message_len(), plan.part_chunks(), plan.parts().len()), (100_000, 2, 4));
    /// let (cipher, part) = (FileKey::of_plan(&key, &plan)?.cipher(), plan.part(3)?);
    /// let mut plain = vec![0; (part.plain.end - part.plain.start) as usize];
    /// cipher.open_part(&part, &sealed[part.sealed.start as usize..part.sealed.end as usize], &mut plain)?;
    /// assert!(plain.iter().all(|byte| *byte == 7));
    /// # Ok::<(), abreast_sealed::Error>(())
    /// ```
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
        let body = sealed_len.checked_sub(header.body_offset()).ok_or(Error::Truncated)?;
        Plan::with_salt(Layout::of_body(Format::Cobblestone, body)?.message, limits, header.salt())
    }

    /// Returns the salt of the file; `None` for a stream of [`Format::Ags1`].
    #[must_use]
    pub fn salt(&self) -> Option<&[u8; SALT]> {
        self.salt.as_ref()
    }

    /// Returns the format of the file.
    ///
    /// ```
    /// use abreast_sealed::{Format, Limits, Plan};
    ///
    /// let [file, stream] = [Plan::new(1000, Limits::default())?, Plan::ags1(1000, Limits::default())?];
    /// assert_eq!((file.format(), stream.format()), (Format::Cobblestone, Format::Ags1));
    /// # Ok::<(), abreast_sealed::Error>(())
    /// ```
    #[must_use]
    pub fn format(&self) -> Format {
        if self.salt.is_some() { Format::Cobblestone } else { Format::Ags1 }
    }

    /// Returns the same plan with other limits on its parts.
    ///
    /// ```
    /// use abreast_sealed::{Limits, Plan};
    ///
    /// let plan = Plan::new(20_000_000, Limits::default())?;
    /// let one = plan.with_limits(Limits { preferred_part: 64 << 20, ..Limits::default() })?;
    /// assert_eq!((plan.parts().len(), one.parts().len(), plan.salt()), (3, 1, one.salt()));
    /// # Ok::<(), abreast_sealed::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Limits`] as with [`with_salt`](Plan::with_salt).
    pub fn with_limits(&self, limits: Limits) -> Result<Plan, Error> {
        Plan::cut_by(self.message_len, limits, self.salt)
    }

    /// Returns the number of bytes of the message in a full chunk.
    #[must_use]
    pub fn chunk(&self) -> usize {
        self.format().shape().chunk
    }

    /// Returns the length of the message in bytes.
    #[must_use]
    pub fn message_len(&self) -> u64 {
        self.message_len
    }

    /// Returns the number of full chunks of each part except the last.
    #[must_use]
    pub fn part_chunks(&self) -> u32 {
        self.part_chunks
    }

    /// Returns the length of the sealed file in bytes, header and all.
    #[must_use]
    pub fn sealed_len(&self) -> u64 {
        self.layout().file()
    }

    /// Returns the layout of the file.
    fn layout(&self) -> Layout {
        Layout::of_message(self.format(), self.message_len).expect("no plan is made of a longer message")
    }

    /// Returns the number of parts, at least one.
    fn count(&self) -> u32 {
        let count = count(self.format(), self.message_len, self.part_chunks);
        u32::try_from(count).expect("no plan is made of more parts")
    }

    /// Returns all parts, in their order.
    pub fn parts(&self) -> impl ExactSizeIterator<Item = PlannedPart> + DoubleEndedIterator + '_ {
        (0..self.count()).map(|number| self.cut(number..number + 1))
    }

    /// Returns the part of that number, from 0.
    ///
    /// # Errors
    /// [`Error::NoSuchPart`] if there are fewer parts.
    pub fn part(&self, number: u32) -> Result<PlannedPart, Error> {
        let parts = self.count();
        if number < parts {
            Ok(self.cut(number..number + 1))
        } else {
            Err(Error::NoSuchPart { number, parts })
        }
    }

    /// Returns parts that follow each other, as one. Those of an empty range are no bytes.
    ///
    /// ```
    /// use abreast_sealed::{Limits, Plan};
    ///
    /// let plan = Plan::new(20_000_000, Limits::default())?;
    /// assert_eq!(plan.span(1..3)?.plain, plan.part(1)?.plain.start..plan.part(2)?.plain.end);
    /// # Ok::<(), abreast_sealed::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NoSuchPart`] if there are fewer parts; [`Error::RangeReversed`] if the range ends before it begins.
    pub fn span(&self, parts: Range<u32>) -> Result<PlannedPart, Error> {
        if parts.start > parts.end {
            return Err(Error::RangeReversed);
        }
        if parts.end > self.count() {
            return Err(Error::NoSuchPart { number: parts.end - 1, parts: self.count() });
        }
        Ok(self.cut(parts))
    }

    /// Returns the parts that one of several workers takes if each takes parts that follow each other, and all take as many as
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
        let (layout, shape) = (self.layout(), self.format().shape());
        let chunks = |part: u32| u64::from(part) * u64::from(self.part_chunks);
        let plain = |part: u32| (chunks(part) * shape.chunk as u64).min(self.message_len);
        let sealed = |part: u32| match part {
            0 => 0,
            part if part == self.count() => self.sealed_len(),
            part => shape.header as u64 + chunks(part) * shape.sealed_chunk() as u64,
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
fn count(format: Format, message_len: u64, part_chunks: u32) -> u64 {
    message_len.div_ceil(format.shape().chunk as u64).div_ceil(part_chunks.into()).max(1)
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Plan { salt, message_len, part_chunks } = self;
        write!(f, "{PREFIX}1 message={message_len} part-chunks={part_chunks} ")?;
        match salt {
            Some(salt) => write!(f, "salt={}", HEXLOWER.encode(salt)),
            None => f.write_str(FORMAT_AGS1),
        }
    }
}

/// The reason why a text is not a plan.
///
/// ```
/// use abreast_sealed::{Limits, Plan, PlanError};
///
/// let plan = Plan::new(1000, Limits::default())?;
/// let text = plan.to_string();
/// assert_eq!(text.parse(), Ok(plan));
/// assert_eq!(format!("{text} more").parse::<Plan>(), Err(PlanError::End));
/// assert_eq!(text.replace("message=1000", "message=01000").parse::<Plan>(), Err(PlanError::Field("message")));
/// # Ok::<(), abreast_sealed::Error>(())
/// ```
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
        /// Returns a number without a sign, and without zeros in front.
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
        let is_last = |word: &&str| *word == FORMAT_AGS1 || word.starts_with("salt=");
        let last = words.next().filter(is_last).ok_or(PlanError::Field("salt"))?;
        if words.next().is_some() {
            return Err(PlanError::End);
        }
        let salt = if last == FORMAT_AGS1 {
            None
        } else {
            let digits = last.strip_prefix("salt=").and_then(|salt| HEXLOWER.decode(salt.as_bytes()).ok());
            let salt = digits.and_then(|salt| salt.try_into().ok());
            let salt = salt.filter(|salt: &[u8; SALT]| !salt.starts_with(MAGIC));
            Some(salt.ok_or(PlanError::Field("salt"))?)
        };
        let format = if salt.is_some() { Format::Cobblestone } else { Format::Ags1 };
        let fits = |len: &u64| Layout::of_message(format, *len).is_ok();
        let message_len: Option<u64> = number(message_len).filter(fits);
        let message_len = message_len.ok_or(PlanError::Field("message"))?;
        let fits = |chunks: &u32| *chunks > 0 && u32::try_from(count(format, message_len, *chunks)).is_ok();
        let part_chunks = number(part_chunks).filter(fits).ok_or(PlanError::Field("part-chunks"))?;
        Ok(Plan { salt, message_len, part_chunks })
    }
}

#[cfg(test)]
mod tests;
