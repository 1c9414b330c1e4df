//! HMAC side by side.

use super::key::HmacKey;
use super::packet::Packet;
use crate::Error;
use crate::engine::backend::Direction;
use crate::hmac::{HmacHash, WINDOW, full_tag, tags, wipe_jobs, write_tag};
use crate::modes::tag::{check_len, same_tag_of_32};
use crate::wipe::wipe;
use abreast_simd::inlined::{ArrayList, Zipped};
use core::fmt;

/// A message of a batch of HMAC in up to three parts, such as a header, a ciphertext and a counter that is not sent.
///
/// Its tag is that of the parts one after the other.
pub struct HmacPacket<'a, H> {
    /// The key, its own or shared with others.
    pub key: HmacKey<'a, H>,
    /// The parts of the message, each of any length.
    pub parts: [&'a [u8]; 3],
    /// The tag, as long as the key's.
    pub tag: &'a mut [u8],
    /// The result of a single call. [`Error::NotProcessed`] until a batch has processed it; a batch does not read the result of
    /// an earlier one.
    pub result: Result<(), Error>,
}

impl<'a, H> HmacPacket<'a, H> {
    /// Makes a message that waits for a batch.
    #[inline]
    pub fn new(key: impl Into<HmacKey<'a, H>>, parts: [&'a [u8]; 3], tag: &'a mut [u8]) -> Self {
        Self { key: key.into(), parts, tag, result: Err(Error::NotProcessed) }
    }
}

impl<H> fmt::Debug for HmacPacket<'_, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lens = self.parts.map(<[u8]>::len);
        f.debug_struct("HmacPacket")
            .field("lens", &lens)
            .field("result", &self.result)
            .finish_non_exhaustive()
    }
}

/// A message of a batch, in one part or in several.
pub(super) trait HmacItem<'m, H: 'm> {
    /// Returns the key and the parts.
    fn message(&self) -> (HmacKey<'m, H>, [&'m [u8]; 3]);
    /// Returns the places of the tag and of the result.
    fn places(&mut self) -> (&mut [u8], &mut Result<(), Error>);
}

impl<'m, 'a: 'm, 'k: 'm, H: 'm> HmacItem<'m, H> for Packet<'a, HmacKey<'k, H>> {
    fn message(&self) -> (HmacKey<'m, H>, [&'m [u8]; 3]) {
        (self.key, [self.associated_data, &[], &[]])
    }
    fn places(&mut self) -> (&mut [u8], &mut Result<(), Error>) {
        (self.tag, &mut self.result)
    }
}

impl<'m, 'a: 'm, H: 'm> HmacItem<'m, H> for HmacPacket<'a, H> {
    fn message(&self) -> (HmacKey<'m, H>, [&'m [u8]; 3]) {
        (self.key, self.parts)
    }
    fn places(&mut self) -> (&mut [u8], &mut Result<(), Error>) {
        (self.tag, &mut self.result)
    }
}

/// Writes or compares the tags of messages. The kernel is that of the first key of a window: any one serves all keys.
pub(super) fn hmac<'m, H: HmacHash>(direction: Direction, packets: &mut [impl HmacItem<'m, H>]) {
    for packets in packets.chunks_mut(WINDOW) {
        let Some((first, _)) = packets.first().map(HmacItem::message) else { continue };
        let (mut keys, mut jobs) = (ArrayList::<_, WINDOW>::new(), ArrayList::<_, WINDOW>::new());
        for packet in &*packets {
            let (key, parts) = packet.message();
            keys.push(key.midstates);
            jobs.push(key.midstates.job(parts));
        }
        let jobs = jobs.items_mut();
        let mut full = [0; 32];
        tags(H::FUNCTION, first.midstates.kernel(), keys.items(), jobs);
        for (packet, job) in packets.iter_mut().zipped(&*jobs) {
            let (key, _) = packet.message();
            let (tag, result) = packet.places();
            full = full_tag(job);
            *result = check_len(tag, key.tag_len).and_then(|()| match direction {
                Direction::Encrypt => {
                    write_tag(&full, tag);
                    Ok(())
                }
                Direction::Decrypt => same_tag_of_32(&full, tag),
            });
        }
        wipe(&mut full);
        wipe_jobs(jobs);
    }
}
