//! The computation of a group of messages, one in each lane: AEZ-core (paper, section 4), as in
//! [`aez_core`](crate::aez::aez_core), with constants that are gathered from the keys.
//!
//! Between the two passes over the pairs, their vectors lie in memory, in [`Scratch`]. `ALIKE` messages need no masks; for others,
//! blocks that a lane does not have are masked, so that they add nothing to a sum.

use super::super::key::AezKey;
use super::super::packet::Packet;
use super::inputs::{LaneRun, Scratch, ZEROS, mask};
use super::lanes::{Messages, PacketLanes, PairPlaces, Tags};
use crate::Error;
use crate::aez::aez_core::{Enciphered, LaneSource, PartialBlock, PartialBlocks, SubkeySource as _};
use crate::aez::all_zeros;
use crate::aez::instructions::Instructions;
use crate::aez::pairs::{mixed, separated};
use crate::aez::rounds::AezVectors;
use crate::engine::backend::Direction;
use abreast_simd::AesIsa;
use abreast_simd::inlined::Flat;

impl<I: AesIsa, P: PacketLanes, const N: usize, const ALIKE: bool> LaneRun<I, P, N, ALIKE> {
    /// A sum with those lanes of a vector that have a pair.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn add_pair(&self, sum: [I::Blocks; N], pair: usize, mut vector: [I::Blocks; N]) -> [I::Blocks; N] {
        let pairs = |packet: &Packet<'_, AezKey<'_>>| self.layout.pairs(packet.buffer.len());
        // No lane has fewer than the first.
        if !ALIKE && pair >= pairs(self.packets.get(0)) {
            let counts = self.each(
                #[cfg_attr(not(abreast_unoptimized), inline(always))]
                |packet| mask(pair < pairs(packet)),
            );
            vector = <Instructions<N> as AezVectors<I>>::and(vector, counts);
        }
        <Instructions<N> as AezVectors<I>>::xor(sum, vector)
    }

    /// Enciphers or deciphers the texts in the lanes, of which none has more pairs than `most`.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(super) fn together(mut self, direction: Direction, most: usize, rows: &mut Scratch<'_>) {
        let isa = self.isa;
        let bytes = <Instructions<N> as AezVectors<I>>::BYTES;
        let (keys, tag) = Instructions::<N>::keys_of(
            isa,
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            |lane| &self.packets.get(lane).key.aez.0.subkeys,
        );
        let i = keys.i();
        let zero = <Instructions<N> as AezVectors<I>>::splat(isa, &ZEROS);
        let lanes: LaneSource<'_, '_, I, Instructions<N>, _> =
            LaneSource { isa, keys, constants: &self, direction };
        let parts = PartialBlocks { u: self.part(0), v: self.part(1) };
        let (early, ends) = lanes.begin(
            &parts,
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            || self.ends(direction, keys, tag, rows),
        );

        let mut sum = zero;
        for (number, held) in rows.pairs.chunks_exact_mut(3 * bytes).take(most).enumerate() {
            let (left, right) = self.pair(number);
            let offsets = self.offsets(number);
            let (w, x) = mixed::<I, Instructions<N>>(isa, keys, i, offsets, left, right);
            sum = self.add_pair(sum, number, x);
            <Instructions<N> as AezVectors<I>>::store(offsets, &mut held[..bytes]);
            <Instructions<N> as AezVectors<I>>::store(w, &mut held[bytes..][..bytes]);
            <Instructions<N> as AezVectors<I>>::store(x, &mut held[2 * bytes..]);
        }
        let middle = lanes.middle(&ends, early, sum);
        let after = lanes.finish(&parts, &ends, middle);
        let s = <Instructions<N> as AezVectors<I>>::xor(
            middle.s,
            self.of(
                #[cfg_attr(not(abreast_unoptimized), inline(always))]
                |subkeys| &subkeys.j_3,
            ),
        );

        // All has been read that is now written over, but for pairs, which have been copied.
        let mut sum = zero;
        let mut written = 0;
        for (number, held) in rows.pairs.chunks_exact(3 * bytes).take(most).enumerate() {
            let offsets = <Instructions<N> as AezVectors<I>>::load(isa, &held[..bytes]);
            let w = <Instructions<N> as AezVectors<I>>::load(isa, &held[bytes..][..bytes]);
            let x = <Instructions<N> as AezVectors<I>>::load(isa, &held[2 * bytes..]);
            let (left, right, y) = separated::<I, Instructions<N>>(isa, keys, i, offsets, s, w, x);
            sum = self.add_pair(sum, number, y);
            let packets = &mut self.packets;
            Instructions::<N>::scatter_pairs::<I>(
                left,
                right,
                &mut PairPlaces::<_, ALIKE> { packets, number },
            );
            written = number + 1;
        }
        let x = <Instructions<N> as AezVectors<I>>::xor(after.x, sum);
        self.write_ends(direction, &parts, Enciphered { x, ..after }, rows);
        self.set_results(direction, written, rows);
    }

    /// Writes the blocks after the pairs, and the tags, which decryption keeps to compare them.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn write_ends(
        &mut self,
        direction: Direction,
        parts: &PartialBlocks<[I::Blocks; N]>,
        after: Enciphered<[I::Blocks; N]>,
        rows: &mut Scratch<'_>,
    ) {
        let layout = self.layout;
        // Whole blocks: the next write covers the surplus bytes.
        if parts.u.is_some() {
            self.put(
                after.u,
                #[cfg_attr(not(abreast_unoptimized), inline(always))]
                |bytes| layout.part(0, bytes),
            );
        }
        if let Some(PartialBlock::Filled(_)) = parts.v {
            self.put(
                after.v,
                #[cfg_attr(not(abreast_unoptimized), inline(always))]
                |bytes| layout.part(1, bytes),
            );
        }
        self.put(
            after.x,
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            |bytes| layout.ends(bytes),
        );

        if direction == Direction::Encrypt {
            Instructions::<N>::scatter::<I>(after.y, &mut Tags(&mut self.packets));
        } else {
            <Instructions<N> as AezVectors<I>>::store(
                after.y,
                &mut rows.y.flat_mut()[..<Instructions<N> as AezVectors<I>>::BYTES],
            );
        }
    }

    /// Sets the result of each message: an error if it has more than the `written` pairs, or if its tag is wrong.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn set_results(&mut self, direction: Direction, written: usize, rows: &Scratch<'_>) {
        let layout = self.layout;
        for lane in 0..<Instructions<N> as AezVectors<I>>::LANES {
            let pairs = layout.pairs(self.packets.get(lane).buffer.len());
            let mut result = if pairs <= written { Ok(()) } else { Err(Error::NotProcessed) };
            if direction == Direction::Decrypt && result.is_ok() {
                result = all_zeros(&rows.y[lane]).inspect_err(|_| self.packets.message(lane).fill(0));
            }
            self.packets.finish(lane, result);
        }
    }

    /// Writes a block of each lane to its message.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn put(&mut self, vector: [I::Blocks; N], at: impl Fn(usize) -> usize) {
        let packets = &mut self.packets;
        Instructions::<N>::scatter::<I>(vector, &mut Messages::<_, _, ALIKE> { packets, at });
    }
}
