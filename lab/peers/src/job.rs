//! The work of the peers: one set of keys, vectors and buffers for all of them.

use std::ffi::c_char;

use abreast_lab::sample::Random;

use crate::rows::{Mode, PACKETS, Row, Task};

/// Initialisation vectors, which messages take by turns.
const IVS: usize = 256;
/// A line of the cache: where buffers start.
const LINE: usize = 64;

/// A cell of the table: a row at a size, with its memory.
///
/// Messages are numbered. Each takes the key, the vector, the buffer and the place for a tag whose turn it is, so the
/// same number means the same work for every peer.
pub(crate) struct Job {
    /// The row.
    pub(crate) row: Row,
    /// Messages of a call: one, or a batch.
    pub(crate) batch: usize,
    keys: Vec<u8>,
    key_len: usize,
    /// One less than the number of keys, which is a power of two.
    key_mask: usize,
    ivs: Vec<[u8; 16]>,
    associated_data: [u8; 13],
    /// Buffers from `start` on, `stride` bytes apart.
    data: Vec<u8>,
    start: usize,
    stride: usize,
    /// One less than the number of buffers, which is a power of two.
    buffer_mask: usize,
    /// The bytes of a buffer that are worked on: the message, with its header and the place of its tag where they are parts of it.
    len: usize,
    /// The contents of the buffers before a peer's output is looked at.
    plain: Vec<u8>,
    /// Places for tags, one for each key.
    tags: Vec<[u8; 16]>,
}

/// A message, to be worked on in place.
pub(crate) struct Message<'j> {
    /// The initialisation vector, whose last four bytes count from 1.
    pub(crate) iv: &'j [u8; 16],
    /// Associated data, where the mode takes any.
    pub(crate) associated_data: &'j [u8],
    /// The message, with its header and the place of its tag where they are parts of it.
    pub(crate) text: &'j mut [u8],
    /// The place for the tag, in other modes that have one.
    pub(crate) tag: &'j mut [u8; 16],
}

impl Message<'_> {
    /// Returns the message with the last 16 bytes of its text as the place of the tag, as AEZ has it.
    #[inline(always)]
    pub(crate) fn with_tag_after(self) -> Self {
        let (text, tag) = self.text.split_last_chunk_mut().expect("room for a tag");
        Self { text, tag, ..self }
    }
}

impl<'j> Message<'j> {
    /// Returns a key to be wrapped, and the place of the wrapped one, which has 8 bytes more.
    pub(crate) fn key_and_wrapped(self) -> (&'j [u8], &'j mut [u8]) {
        let len = (self.text.len() - 8) / 2;
        let (key, wrapped) = self.text.split_at_mut(len);
        (key, wrapped)
    }
}

impl Job {
    /// A row at one of its sizes.
    pub(crate) fn new(row: Row, size: usize) -> Self {
        let mut random = Random::new(1);
        let batch = if row.task == Task::Packets { PACKETS } else { 1 };
        let keys = if row.task == Task::Messages { 1 } else { PACKETS };
        let buffers = match row.task {
            Task::Packets => PACKETS,
            // A short message does not wait for the one before to be written.
            _ if size <= 64 => 16,
            _ if size <= 256 => 8,
            _ => 1,
        };
        let key_len = row.key_len();
        let len = row.front() + size + row.behind(size);
        let stride = len.next_multiple_of(LINE);
        let mut plain = random.bytes(stride * buffers);
        if row.mode == Mode::Srtp {
            // Version 2, without contributing sources and extensions: a header of 12 bytes.
            plain.iter_mut().step_by(stride).for_each(|first| *first = 2 << 6);
        }
        let data = vec![0; plain.len() + LINE];
        let start = data.as_ptr().align_offset(LINE).min(LINE);
        let iv = |_| {
            let mut iv: [u8; 16] = random.bytes(16).try_into().expect("16 bytes");
            // Counters start at 1, so that none wraps around: widths differ from library to library.
            iv[12..].copy_from_slice(&1_u32.to_be_bytes());
            iv
        };
        Self {
            ivs: (0..IVS).map(iv).collect(),
            keys: random.bytes(keys * key_len),
            associated_data: random.bytes(13).try_into().expect("13 bytes"),
            row,
            batch,
            key_len,
            key_mask: keys - 1,
            data,
            start,
            stride,
            buffer_mask: buffers - 1,
            len,
            plain,
            tags: vec![[0; 16]; keys],
        }
    }

    /// The keys.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &[u8]> {
        self.keys.chunks_exact(self.key_len)
    }

    /// The key of message `m`.
    #[inline(always)]
    pub(crate) fn key(&self, m: usize) -> &[u8] {
        let start = (m & self.key_mask) * self.key_len;
        &self.keys[start..start + self.key_len]
    }

    /// One less than the number of keys: ANDed with the number of a message, it gives the number of its key.
    #[inline(always)]
    pub(crate) const fn key_mask(&self) -> usize {
        self.key_mask
    }

    /// Message `m`.
    #[inline(always)]
    pub(crate) fn message(&mut self, m: usize) -> Message<'_> {
        let start = self.start + (m & self.buffer_mask) * self.stride;
        // SAFETY: from `start` on there are buffer_mask + 1 buffers of `stride` bytes, which are `len` or more.
        let text = unsafe { self.data.get_unchecked_mut(start..start + self.len) };
        // SAFETY: there are IVS vectors, a power of two, and key_mask + 1 tags.
        let (iv, tag) = unsafe {
            (self.ivs.get_unchecked(m & (IVS - 1)), self.tags.get_unchecked_mut(m & self.key_mask))
        };
        Message { iv, associated_data: &self.associated_data, text, tag }
    }

    /// The messages of a batch, at once.
    pub(crate) fn packets(&mut self) -> impl Iterator<Item = Message<'_>> {
        let texts = self.data[self.start..].chunks_mut(self.stride).map(|buffer| &mut buffer[..self.len]);
        let associated_data = &self.associated_data;
        let messages = texts.zip(&self.ivs).zip(&mut self.tags);
        messages.map(move |((text, iv), tag)| Message { iv, associated_data, text, tag }).take(self.batch)
    }

    /// Restores the contents that all buffers have before a message is encrypted.
    pub(crate) fn reset(&mut self) {
        self.data[self.start..][..self.plain.len()].copy_from_slice(&self.plain);
        self.tags.fill([0; 16]);
    }

    /// Returns the contents of the buffers and of the places for tags.
    pub(crate) fn output(&self) -> (&[u8], &[[u8; 16]]) {
        (&self.data[self.start..][..self.plain.len()], &self.tags)
    }

    /// The number of calls after which all buffers were worked on, and one of them twice.
    pub(crate) fn calls_to_compare(&self) -> usize {
        (self.buffer_mask + 1) / self.batch + 1
    }

    /// Returns the job as shims take it.
    pub(crate) fn for_c(&mut self) -> CJob {
        CJob {
            cipher: self.row.cipher.name().as_ptr(),
            mode: self.row.mode.name().as_ptr(),
            keys_only: (self.row.task == Task::Keys).into(),
            keys: self.keys.as_ptr(),
            key_len: self.key_len,
            key_mask: self.key_mask,
            ivs: self.ivs.as_ptr(),
            iv_mask: IVS - 1,
            associated_data: self.associated_data.as_ptr(),
            associated_data_len: self.associated_data.len(),
            data: self.data[self.start..].as_mut_ptr(),
            len: self.len,
            stride: self.stride,
            buffer_mask: self.buffer_mask,
            tags: self.tags.as_mut_ptr(),
            batch: self.batch,
        }
    }
}

/// `struct job` of the shims, see `shim/job.h`. Its pointers are good for as long as the job is borrowed.
#[repr(C)]
pub(crate) struct CJob {
    cipher: *const c_char,
    mode: *const c_char,
    keys_only: std::ffi::c_int,
    keys: *const u8,
    key_len: usize,
    key_mask: usize,
    ivs: *const [u8; 16],
    iv_mask: usize,
    associated_data: *const u8,
    associated_data_len: usize,
    data: *mut u8,
    len: usize,
    stride: usize,
    buffer_mask: usize,
    tags: *mut [u8; 16],
    batch: usize,
}
