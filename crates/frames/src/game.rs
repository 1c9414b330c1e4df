//! Frames of game servers with XTEA: The Forgotten Server, Canary, and clients such as OTClient.
//!
//! All numbers are little-endian. Blocks are encrypted one by one by [`Xtea`](abreast::xtea::Xtea), under a key of a
//! connection, which those programs keep as four words.
//!
//! ```text
//! Bytes:   bytes after this, u16 | mark, u32 | XTEA( bytes of the payload, u16 | payload | padding )
//! Blocks:  blocks, u16            | mark, u32 | XTEA( bytes of padding, u8      | payload | padding )
//! ```
//!
//! The mark is the Adler-32 of all that is encrypted, or a number that counts the frames of a direction, whose top bit
//! says that the payload was deflated. The oldest protocols have none. None of this authenticates: who changes a block
//! on the way changes the message. Those protocols are designed so.
//!
//! ```
//! use abreast::{packets::{self, Packet}, xtea::Xtea};
//! use abreast_frames::game::{Format, LIMIT, Layout, Mark};
//!
//! let format = Format { layout: Layout::Bytes, marked: true, limit: LIMIT };
//! let keys = [Xtea::new(b"of the first one"), Xtea::new(b"of the other one")];
//! let payloads: [&[u8]; 2] = [b"you see a rat", b"you are dead"];
//!
//! // Payloads lie after a gap for the header.
//! let mut buffers = [[0; 64]; 2];
//! let mut frames = Vec::new();
//! for (buffer, payload) in buffers.iter_mut().zip(payloads) {
//!     buffer[format.front()..][..payload.len()].copy_from_slice(payload);
//!     frames.push(format.build(buffer, payload.len())?);
//! }
//! // One batch for all connections.
//! let mut batch: Vec<_> = (frames.iter_mut().zip(&keys))
//!     .map(|(frame, key)| Packet::new(key, &[], frame.blocks()))
//!     .collect();
//! packets::ecb_encrypt(&mut batch);
//! let mut sent = Vec::new();
//! for frame in frames {
//!     sent.push(frame.finish(Mark::Adler32)?);
//! }
//!
//! // At the other end.
//! let mut frame = format.parse(&mut *sent[1])?;
//! frame.check_adler32()?;
//! packets::ecb_decrypt(&mut [Packet::new(&keys[1], &[], frame.blocks())]);
//! assert_eq!(frame.payload()?, b"you are dead");
//! # Ok::<(), abreast_frames::game::FrameError>(())
//! ```

use core::fmt;

/// Bytes of the longest frame of servers that derive from The Forgotten Server.
pub const LIMIT: usize = 24_590;
/// Bytes of the longest frame of servers that have raised the limit.
pub const LARGE_LIMIT: usize = 65_500;

/// Bytes of the length in front.
const OUTER: usize = 2;
/// Bytes of a mark.
const MARK: usize = 4;
/// Bytes of a block.
const BLOCK: usize = 8;
/// More bytes than the length of a frame can state, in bytes or in blocks.
const MOST: usize = BLOCK << 16;
/// The value of padding bytes. Nobody looks at them.
const PADDING: u8 = 0x33;
/// The bit of a mark that says that the payload was deflated.
const DEFLATED: u32 = 1 << 31;

/// The encoding of lengths.
///
/// ```
/// use abreast_frames::game::{Format, LIMIT, Layout};
///
/// let bytes = Format { layout: Layout::Bytes, marked: true, limit: LIMIT };
/// let blocks = Format { layout: Layout::Blocks, ..bytes };
/// assert_eq!((bytes.front(), bytes.frame_len(13)?), (8, 6 + 16));
/// assert_eq!((blocks.front(), blocks.frame_len(13)?), (7, 6 + 16));
/// # Ok::<(), abreast_frames::game::FrameError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Lengths in bytes, as two-byte numbers: of the frame in front of it, of the payload inside.
    Bytes,
    /// The blocks of the frame in front of it, and the padding inside, in one byte: clients from 14.05 on.
    Blocks,
}

/// The format that all frames of a protocol have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// The encoding of lengths.
    pub layout: Layout,
    /// True if frames have a mark.
    pub marked: bool,
    /// The most bytes of a frame, all of it, such as [`LIMIT`].
    pub limit: usize,
}

/// A mark to write.
///
/// ```
/// use abreast::{packets::{self, Packet}, xtea::Xtea};
/// use abreast_frames::game::{Format, LIMIT, Layout, Mark};
///
/// let format = Format { layout: Layout::Blocks, marked: true, limit: LIMIT };
/// let (key, mut buffer) = (Xtea::new(b"of a connection."), [0; 32]);
/// let mut frame = format.build(&mut buffer, 5)?;
/// packets::ecb_encrypt(&mut [Packet::new(&key, &[], frame.blocks())]);
/// let sent = frame.finish(Mark::Sequence { number: 7, deflated: false })?;
/// assert_eq!(format.parse(sent)?.sequence(), Some((7, false)));
/// # Ok::<(), abreast_frames::game::FrameError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// None.
    None,
    /// The checksum of all that is encrypted.
    Adler32,
    /// The number of the frame.
    Sequence {
        /// Up to 2^31 - 1; see [`next_sequence`].
        number: u32,
        /// True if the payload was deflated.
        deflated: bool,
    },
}

/// Returns the number of the frame after one that has this number: they go from 1 to 2^31 - 1, and begin again.
///
/// ```
/// use abreast_frames::game::next_sequence;
///
/// assert_eq!((next_sequence(1), next_sequence((1 << 31) - 1)), (2, 1));
/// ```
#[must_use]
pub const fn next_sequence(number: u32) -> u32 {
    if number >= DEFLATED - 1 { 1 } else { number + 1 }
}

impl Format {
    /// Returns the number of bytes in front of the payload.
    #[must_use]
    pub const fn front(self) -> usize {
        self.encrypted_from() + self.inner()
    }

    /// Returns the number of bytes of a frame around a payload of `payload` bytes.
    ///
    /// # Errors
    /// [`FrameError::TooLong`].
    pub fn frame_len(self, payload: usize) -> Result<usize, FrameError> {
        // Beyond that the sum might overflow.
        if payload > self.limit.min(MOST) {
            return Err(FrameError::TooLong);
        }
        let len = self.encrypted_from() + (self.inner() + payload).next_multiple_of(BLOCK);
        self.outer(len).map(|_| len)
    }

    /// Puts a frame around a payload that lies in a buffer after [`front`](Self::front) bytes: lengths and padding.
    /// Then [`Frame::blocks`] are encrypted, and [`Frame::finish`] is called.
    ///
    /// # Errors
    /// [`FrameError::TooLong`]; [`FrameError::BufferTooShort`] if the buffer ends before the padding does.
    pub fn build(self, buffer: &mut [u8], payload: usize) -> Result<Frame<'_>, FrameError> {
        let len = self.frame_len(payload)?;
        let outer = self.outer(len)?;
        let bytes = buffer.get_mut(..len).ok_or(FrameError::BufferTooShort)?;
        bytes[..OUTER].copy_from_slice(&outer.to_le_bytes());
        let (front, after) = (self.front(), self.front() + payload);
        bytes[after..].fill(PADDING);
        match self.layout {
            Layout::Bytes => {
                let payload = u16::try_from(payload).map_err(|_| FrameError::TooLong)?;
                bytes[front - 2..front].copy_from_slice(&payload.to_le_bytes());
            }
            // Less than a block.
            Layout::Blocks => bytes[front - 1] = (len - after) as u8,
        }
        Ok(Frame { format: self, bytes })
    }

    /// Returns the number of bytes of a whole frame that begins with these two: for reading from a stream.
    ///
    /// ```
    /// use abreast_frames::game::{Format, LIMIT, Layout};
    ///
    /// let format = Format { layout: Layout::Bytes, marked: true, limit: LIMIT };
    /// // Two bytes were read from a stream: 20 more belong to the frame.
    /// assert_eq!(format.whole_len(20_u16.to_le_bytes())?, 22);
    /// # Ok::<(), abreast_frames::game::FrameError>(())
    /// ```
    ///
    /// # Errors
    /// [`FrameError::TooLong`]; [`FrameError::PartialBlock`] if the encrypted part cannot be whole blocks, or is empty.
    pub fn whole_len(self, start: [u8; 2]) -> Result<usize, FrameError> {
        let outer = usize::from(u16::from_le_bytes(start));
        let len = match self.layout {
            Layout::Bytes => OUTER + outer,
            Layout::Blocks => self.encrypted_from() + BLOCK * outer,
        };
        if len > self.limit {
            return Err(FrameError::TooLong);
        }
        match len.checked_sub(self.encrypted_from()) {
            Some(blocks) if blocks > 0 && blocks.is_multiple_of(BLOCK) => Ok(len),
            _ => Err(FrameError::PartialBlock),
        }
    }

    /// Takes a frame that was received, from its first byte to its last. Then its mark is looked at,
    /// [`Frame::blocks`] are decrypted, and [`Frame::payload`] is called.
    ///
    /// # Errors
    /// The errors of [`whole_len`](Self::whole_len); [`FrameError::Length`] if there are more bytes, or fewer.
    pub fn parse(self, frame: &mut [u8]) -> Result<Frame<'_>, FrameError> {
        let start = frame.first_chunk().ok_or(FrameError::Length)?;
        if self.whole_len(*start)? != frame.len() {
            return Err(FrameError::Length);
        }
        Ok(Frame { format: self, bytes: frame })
    }

    /// Returns the number of bytes in front of the encrypted part.
    const fn encrypted_from(self) -> usize {
        OUTER + if self.marked { MARK } else { 0 }
    }

    /// Returns the number of bytes that are encrypted in front of the payload.
    const fn inner(self) -> usize {
        match self.layout {
            Layout::Bytes => 2,
            Layout::Blocks => 1,
        }
    }

    /// Returns the length in front of a frame of `len` bytes, as the layout counts it.
    fn outer(self, len: usize) -> Result<u16, FrameError> {
        let outer = match self.layout {
            Layout::Bytes => len - OUTER,
            Layout::Blocks => (len - self.encrypted_from()) / BLOCK,
        };
        let outer = u16::try_from(outer).ok().filter(|_| len <= self.limit);
        outer.ok_or(FrameError::TooLong)
    }
}

/// A frame in a buffer.
///
/// ```
/// use abreast_frames::game::{Format, FrameError, LIMIT, Layout, Mark};
///
/// // The blocks stay in clear here: their checksum is over them as they are sent.
/// let format = Format { layout: Layout::Bytes, marked: true, limit: LIMIT };
/// let mut buffer = [0; 32];
/// buffer[format.front()..][..5].copy_from_slice(b"hello");
/// let sent = format.build(&mut buffer, 5)?.finish(Mark::Adler32)?;
///
/// let received = format.parse(sent)?;
/// received.check_adler32()?;
/// assert_eq!(received.payload()?, b"hello");
///
/// sent[10] ^= 1;
/// assert_eq!(format.parse(sent)?.check_adler32(), Err(FrameError::Checksum));
/// # Ok::<(), FrameError>(())
/// ```
pub struct Frame<'b> {
    format: Format,
    /// All of it.
    bytes: &'b mut [u8],
}

impl<'b> Frame<'b> {
    /// Returns the encrypted part: whole blocks.
    pub fn blocks(&mut self) -> &mut [u8] {
        &mut self.bytes[self.format.encrypted_from()..]
    }

    /// Writes the mark of a frame whose blocks are encrypted, and returns the frame.
    ///
    /// # Errors
    /// [`FrameError::Mark`] if the format has a mark and this is none, or the other way round;
    /// [`FrameError::Sequence`] if a number has more than 31 bits.
    pub fn finish(self, mark: Mark) -> Result<&'b mut [u8], FrameError> {
        let mark = match mark {
            Mark::None => None,
            Mark::Adler32 => Some(self.adler32()),
            Mark::Sequence { number, .. } if number >= DEFLATED => return Err(FrameError::Sequence),
            Mark::Sequence { number, deflated } => Some(number | if deflated { DEFLATED } else { 0 }),
        };
        if mark.is_some() != self.format.marked {
            return Err(FrameError::Mark);
        }
        if let Some(mark) = mark {
            self.bytes[OUTER..][..MARK].copy_from_slice(&mark.to_le_bytes());
        }
        Ok(self.bytes)
    }

    /// Compares the mark with the checksum, before the blocks are decrypted.
    ///
    /// # Errors
    /// [`FrameError::Checksum`]; [`FrameError::Mark`] if the format has no mark.
    pub fn check_adler32(&self) -> Result<(), FrameError> {
        match self.mark().ok_or(FrameError::Mark)? == self.adler32() {
            true => Ok(()),
            false => Err(FrameError::Checksum),
        }
    }

    /// Returns the number that the mark is, and true if the payload was deflated; `None` if the format has no mark. Servers
    /// and clients send number 0 for a frame that is but a sign of life.
    #[must_use]
    pub fn sequence(&self) -> Option<(u32, bool)> {
        self.mark().map(|mark| (mark & !DEFLATED, mark & DEFLATED != 0))
    }

    /// Returns the payload, once the blocks are decrypted.
    ///
    /// # Errors
    /// [`FrameError::InnerLength`], as after decryption under another key.
    pub fn payload(self) -> Result<&'b mut [u8], FrameError> {
        let front = self.format.front();
        let (from, after) = (self.format.encrypted_from(), self.bytes.len() - front);
        let len = match self.format.layout {
            Layout::Bytes => Some(usize::from(u16::from_le_bytes([self.bytes[from], self.bytes[from + 1]]))),
            Layout::Blocks => after.checked_sub(self.bytes[from].into()),
        };
        let payload = len.and_then(|len| self.bytes[front..].get_mut(..len));
        payload.ok_or(FrameError::InnerLength)
    }

    fn mark(&self) -> Option<u32> {
        let mark = self.bytes[OUTER..].first_chunk().filter(|_| self.format.marked);
        mark.map(|mark| u32::from_le_bytes(*mark))
    }

    fn adler32(&self) -> u32 {
        adler2::adler32_slice(&self.bytes[self.format.encrypted_from()..])
    }
}

impl fmt::Debug for Frame<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let len = self.bytes.len();
        f.debug_struct("Frame").field("format", &self.format).field("len", &len).finish_non_exhaustive()
    }
}

/// An error in a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FrameError {
    /// The frame is longer than the limit.
    TooLong,
    /// The buffer has no room for the frame.
    BufferTooShort,
    /// The buffer is not as long as the frame says that it is.
    Length,
    /// The encrypted part is not a whole number of blocks, or is empty.
    PartialBlock,
    /// The checksum is wrong.
    Checksum,
    /// The number of a frame has more than 31 bits.
    Sequence,
    /// The format has no mark and one is asked for, or the other way round.
    Mark,
    /// The length of the payload, or of the padding, is more than there is.
    InnerLength,
}

impl fmt::Display for FrameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TooLong => "the frame is longer than the limit",
            Self::BufferTooShort => "the buffer has no room for the frame",
            Self::Length => "the frame is not as long as it says",
            Self::PartialBlock => "what is encrypted is no whole number of blocks, or none",
            Self::Checksum => "the checksum of the frame is wrong",
            Self::Sequence => "the number of the frame has more than 31 bits",
            Self::Mark => "the format of the frame has a mark and none was given, or the other way round",
            Self::InnerLength => "the payload or its padding is longer than the frame",
        })
    }
}

impl core::error::Error for FrameError {}
