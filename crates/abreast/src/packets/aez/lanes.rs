//! The packets in the lanes, and where their blocks lie in memory.
//!
//! A message is pairs of blocks, up to 31 bytes after them, and a last block, after which comes the tag (paper,
//! section 4, "AEZ-core"). Where messages are `ALIKE`, one length stands for all. Where they are not, each lane is
//! asked for its own, and may have less than others: then there is nothing to read, and nowhere to write.

use super::super::key::AezKey;
use super::super::packet::Packet;
use crate::Error;
use abreast_simd::Places;

/// The most lanes: two registers of AVX-512.
pub(crate) const MOST_LANES: usize = 8;

/// The packets in the lanes.
pub(super) trait PacketLanes {
    /// Returns the packet of a lane; lanes after the last packet repeat the first one.
    fn get(&self, lane: usize) -> &Packet<'_, AezKey<'_>>;
    /// Returns the place of its message; nowhere after the last packet.
    fn message(&mut self, lane: usize) -> &mut [u8];
    /// Returns the place of its tag; nowhere after the last packet.
    fn tag(&mut self, lane: usize) -> &mut [u8];
    /// Notes its result.
    fn finish(&mut self, lane: usize, result: Result<(), Error>);
}

/// Packets side by side in memory, one for each lane.
pub(super) struct Neighbours<'l, 'p, 'k>(pub(super) &'l mut [Packet<'p, AezKey<'k>>]);

impl PacketLanes for Neighbours<'_, '_, '_> {
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn get(&self, lane: usize) -> &Packet<'_, AezKey<'_>> {
        &self.0[lane]
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn message(&mut self, lane: usize) -> &mut [u8] {
        self.0[lane].buffer.get_out()
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn tag(&mut self, lane: usize) -> &mut [u8] {
        self.0[lane].tag
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn finish(&mut self, lane: usize, result: Result<(), Error>) {
        self.0[lane].result = result;
    }
}

/// A packet on its way to a lane.
pub(super) type Lane<'l, 'p, 'k> = Option<&'l mut Packet<'p, AezKey<'k>>>;

/// Packets of which none has fewer pairs than the first.
pub(super) struct Sorted<'s, 'l, 'p, 'k>(pub(super) &'s mut [Lane<'l, 'p, 'k>]);

impl PacketLanes for Sorted<'_, '_, '_, '_> {
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn get(&self, lane: usize) -> &Packet<'_, AezKey<'_>> {
        match self.0.get(lane).unwrap_or(&self.0[0]) {
            Some(packet) => packet,
            None => unreachable!("sorted packets are there"),
        }
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn message(&mut self, lane: usize) -> &mut [u8] {
        match self.0.get_mut(lane) {
            Some(Some(packet)) => packet.buffer.get_out(),
            _ => &mut [],
        }
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn tag(&mut self, lane: usize) -> &mut [u8] {
        match self.0.get_mut(lane) {
            Some(Some(packet)) => packet.tag,
            _ => &mut [],
        }
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn finish(&mut self, lane: usize, result: Result<(), Error>) {
        if let Some(Some(packet)) = self.0.get_mut(lane) {
            packet.result = result;
        }
    }
}

/// The places of blocks in messages. `ALIKE` ones have as many bytes.
#[derive(Clone, Copy)]
pub(super) struct Layout<const ALIKE: bool> {
    pub(super) bytes: usize,
}

impl<const ALIKE: bool> Layout<ALIKE> {
    /// Bytes before the last block.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(super) fn ends(self, bytes: usize) -> usize {
        (if ALIKE { self.bytes } else { bytes }).saturating_sub(16)
    }

    /// Returns the number of pairs.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(super) fn pairs(self, bytes: usize) -> usize {
        self.ends(bytes) / 32
    }

    /// Returns the beginning of the first or second block after the pairs.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(super) fn part(self, n: usize, bytes: usize) -> usize {
        self.ends(bytes) / 32 * 32 + 16 * n
    }

    /// Returns the number of bytes of this block if it is there, be it padding alone.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(super) fn part_len(self, n: usize, bytes: usize) -> Option<usize> {
        let bytes = self.ends(bytes) % 32;
        if n == 0 { (bytes > 0).then_some(bytes.min(16)) } else { bytes.checked_sub(16) }
    }
}

/// Some bytes of a message, which has them if it is one of those that are `ALIKE`.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn bytes<const ALIKE: bool, const B: usize>(src: &[u8], at: usize) -> Option<&[u8; B]> {
    if ALIKE { src[at..at + B].first_chunk() } else { src.get(at..at + B)?.first_chunk() }
}

/// Returns the place of a block to write to.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn bytes_mut<const ALIKE: bool, const B: usize>(dst: &mut [u8], at: usize) -> Option<&mut [u8; B]> {
    if ALIKE { dst[at..at + B].first_chunk_mut() } else { dst.get_mut(at..at + B)?.first_chunk_mut() }
}

/// Lane by lane a place in the output.
pub(super) struct Messages<'o, P, F, const ALIKE: bool> {
    pub(super) packets: &'o mut P,
    /// Returns its place in a message of so many bytes.
    pub(super) at: F,
}

impl<P: PacketLanes, F: Fn(usize) -> usize, const ALIKE: bool> Places<[u8; 16]>
    for Messages<'_, P, F, ALIKE>
{
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn of(&mut self, lane: usize) -> Option<&mut [u8; 16]> {
        let dst = self.packets.message(lane);
        let at = (self.at)(dst.len());
        bytes_mut::<ALIKE, 16>(dst, at)
    }
}

/// Lane by lane a pair of the output.
pub(super) struct PairPlaces<'o, P, const ALIKE: bool> {
    pub(super) packets: &'o mut P,
    pub(super) number: usize,
}

impl<P: PacketLanes, const ALIKE: bool> Places<[[u8; 16]; 2]> for PairPlaces<'_, P, ALIKE> {
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn of(&mut self, lane: usize) -> Option<&mut [[u8; 16]; 2]> {
        // There is a block after each pair.
        let dst = bytes_mut::<ALIKE, 48>(self.packets.message(lane), 32 * self.number)?;
        dst.as_chunks_mut().0.first_chunk_mut()
    }
}

/// Lane by lane the tag.
pub(super) struct Tags<'o, P>(pub(super) &'o mut P);

impl<P: PacketLanes> Places<[u8; 16]> for Tags<'_, P> {
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn of(&mut self, lane: usize) -> Option<&mut [u8; 16]> {
        self.0.tag(lane).first_chunk_mut()
    }
}
