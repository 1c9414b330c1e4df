//! The computation of a group of messages, one in each lane: AEZ-core (paper, section 4), as in
//! [`aez_core`](crate::aez::aez_core), with constants that are gathered from the keys.
//!
//! Between the two passes over the pairs, their vectors lie in memory, in [`Scratch`]. `ALIKE` messages need no masks;
//! for others, blocks that a lane does not have are masked, so that they add nothing to a sum.

use super::super::key::AezKey;
use super::super::packet::Packet;
use super::lanes::{Layout, MOST_LANES, Messages, PacketLanes, PairPlaces, Tags, bytes};
use crate::Error;
use crate::aez::aez_core::{
    Ends, Filled, LaneSource, PartialBlock, PartialBlocks, SubkeySource, kept, padding, tweak,
};
use crate::aez::instructions::{Instructions, LaneSubkeys};
use crate::aez::pairs::{With, mixed, separated};
use crate::aez::rounds::AezVectors;
use crate::aez::subkeys::AezSubkeys;
use crate::aez::{AezLoop, all_zeros, hash};
use crate::engine::backend::Direction;
use abreast_simd::inlined::Flat;
use abreast_simd::{AesIsa, Isa};

const ZEROS: [u8; 16] = [0; 16];

/// All ones if something is so.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn mask(so: bool) -> &'static [u8; 16] {
    if so { &[255; 16] } else { &ZEROS }
}

/// A block for each lane.
type LaneBlocks = [[u8; 16]; MOST_LANES];

/// Values that lie in memory for a while.
pub(super) struct Scratch<'r> {
    /// The hashes of all but the nonces.
    hash: LaneBlocks,
    /// The deciphered tags.
    y: LaneBlocks,
    /// Vectors of offsets, of W and of X, for each pair.
    pairs: &'r mut [u8],
}

impl<'r> Scratch<'r> {
    pub(super) fn new(pairs: &'r mut [u8]) -> Self {
        Self { hash: [ZEROS; MOST_LANES], y: [ZEROS; MOST_LANES], pairs }
    }
}

impl Drop for Scratch<'_> {
    fn drop(&mut self) {
        // At once: `zeroize` writes byte by byte, which for these would take as long as a batch.
        self.hash.fill(ZEROS);
        self.y.fill(ZEROS);
        self.pairs.fill(0);
        zeroize::optimization_barrier(self);
        zeroize::optimization_barrier(self.pairs);
    }
}

/// The hash of a message's header without its nonce, if the tag is a block.
struct HashBesideNonce<'a> {
    associated_data: &'a [u8],
}

impl AezLoop for HashBesideNonce<'_> {
    type Out = [u8; 16];

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn run<I: Isa, W: AezVectors<I>>(self, with: With<'_, I, W>) -> [u8; 16] {
        W::One::to_first(hash::beside_nonce(with, 16, &[self.associated_data]))
    }
}

/// Packets on an instruction set, in vectors of `N` registers.
pub(super) struct LaneRun<I, P, const N: usize, const ALIKE: bool> {
    pub(super) isa: I,
    pub(super) packets: P,
    pub(super) layout: Layout<ALIKE>,
}

impl<I: AesIsa, P: PacketLanes, const N: usize, const ALIKE: bool> SubkeySource<[I::Blocks; N]>
    for LaneRun<I, P, N, ALIKE>
{
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn of(&self, block: impl for<'k> Fn(&'k AezSubkeys) -> &'k [u8; 16]) -> [I::Blocks; N] {
        self.each(
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            |packet| block(&packet.key.aez.0.subkeys),
        )
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn two(
        &self,
        blocks: impl for<'k> Fn(&'k AezSubkeys) -> &'k [[u8; 16]; 2],
    ) -> ([I::Blocks; N], [I::Blocks; N]) {
        Instructions::<N>::gather_pairs(
            self.isa,
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            |lane| blocks(&self.packets.get(lane).key.aez.0.subkeys),
        )
    }
}

impl<I: AesIsa, P: PacketLanes, const N: usize, const ALIKE: bool> LaneRun<I, P, N, ALIKE> {
    /// A block of each lane.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn each<'b>(&'b self, block: impl Fn(&'b Packet<'b, AezKey<'b>>) -> &'b [u8; 16]) -> [I::Blocks; N] {
        Instructions::<N>::gather(
            self.isa,
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            |lane| block(self.packets.get(lane)),
        )
    }

    /// Returns one block for all lanes if they are alike, or else one for each.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn each_if_unlike<'b>(
        &'b self,
        block: impl Fn(&'b Packet<'b, AezKey<'b>>) -> &'b [u8; 16],
    ) -> [I::Blocks; N] {
        if ALIKE {
            <Instructions<N> as AezVectors<I>>::splat(self.isa, block(self.packets.get(0)))
        } else {
            self.each(block)
        }
    }

    /// True if something holds in any lane, of which the first stands for others that are alike.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn any(&self, so: impl Fn(&Packet<'_, AezKey<'_>>) -> bool) -> bool {
        let lanes = if ALIKE { 1 } else { <Instructions<N> as AezVectors<I>>::LANES };
        let mut any = false;
        for lane in 0..lanes {
            any |= so(self.packets.get(lane));
        }
        any
    }

    /// Returns the hash of each message's header, from the hash of the length of its tag.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn delta(
        &self,
        keys: LaneSubkeys<[I::Blocks; N]>,
        tag: [I::Blocks; N],
        rows: &mut Scratch<'_>,
    ) -> [I::Blocks; N] {
        let xor = <Instructions<N> as AezVectors<I>>::xor;
        let mut hash = tag;
        if self.any(
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            |packet| !ALIKE && !packet.associated_data.is_empty(),
        ) {
            hash = self.hash(rows);
        }
        let first = self.packets.get(0).iv.len();
        // The usual length in code of its own, where it is known.
        let nonce = if ALIKE && first == 12 {
            Instructions::<N>::gather_parts(
                self.isa,
                #[cfg_attr(not(abreast_unoptimized), inline(always))]
                |lane| &self.packets.get(lane).iv[..12],
            )
        } else {
            Instructions::<N>::gather_parts(
                self.isa,
                #[cfg_attr(not(abreast_unoptimized), inline(always))]
                |lane| self.packets.get(lane).iv,
            )
        };
        let padding = self.each_if_unlike(
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            |packet| padding(packet.iv.len()),
        );
        let offset = self.each(
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            |packet| {
                let offsets = &packet.key.aez.0.subkeys.nonce;
                let len = if ALIKE { first } else { packet.iv.len() };
                if len == 16 { &offsets.whole } else { &offsets.part }
            },
        );
        Instructions::aes4(self.isa, keys, xor(xor(nonce, padding), offset), hash)
    }

    /// The hash of all but the nonces.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn hash(&self, rows: &mut Scratch<'_>) -> [I::Blocks; N] {
        for lane in 0..<Instructions<N> as AezVectors<I>>::LANES {
            let Packet { key, associated_data, .. } = self.packets.get(lane);
            rows.hash[lane] = *key.aez.0.subkeys.tag_16();
            if !associated_data.is_empty() {
                rows.hash[lane] = key.aez.visit(HashBesideNonce { associated_data });
            }
        }
        Instructions::<N>::gather(
            self.isa,
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            |lane| &rows.hash[lane],
        )
    }

    /// One of the two blocks before the last, if any lane has it.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn part(&self, n: usize) -> Option<PartialBlock<[I::Blocks; N]>> {
        let layout = self.layout;
        let len = |packet: &Packet<'_, AezKey<'_>>| layout.part_len(n, packet.buffer.len());
        if !self.any(
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            |packet| len(packet).is_some(),
        ) {
            return None;
        }
        let present = if ALIKE {
            None
        } else {
            Some(self.each(
                #[cfg_attr(not(abreast_unoptimized), inline(always))]
                |packet| mask(len(packet).is_some()),
            ))
        };
        if !self.any(
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            |packet| len(packet).unwrap_or(0) > 0,
        ) {
            let e = self.of(
                #[cfg_attr(not(abreast_unoptimized), inline(always))]
                |subkeys| &subkeys.padding,
            );
            return Some(PartialBlock::Padding(match present {
                None => e,
                Some(present) => <Instructions<N> as AezVectors<I>>::and(e, present),
            }));
        }
        let padding = self.each_if_unlike(
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            |packet| padding(len(packet).unwrap_or(0)),
        );
        let kept = self.each_if_unlike(
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            |packet| kept(len(packet).unwrap_or(0)),
        );
        let block = self.each(
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            |packet| {
                let at = layout.part(n, packet.buffer.len());
                bytes::<ALIKE, 16>(packet.buffer.get_in(), at).unwrap_or(&ZEROS)
            },
        );
        let block = <Instructions<N> as AezVectors<I>>::and(block, kept);
        Some(PartialBlock::Filled(Filled {
            block: <Instructions<N> as AezVectors<I>>::xor(block, padding),
            kept,
            padding,
            present,
            tweak: tweak(self, 4 + n),
        }))
    }

    /// Returns the last blocks, and the hash of the header.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn ends(
        &self,
        direction: Direction,
        keys: LaneSubkeys<[I::Blocks; N]>,
        tag: [I::Blocks; N],
        rows: &mut Scratch<'_>,
    ) -> Ends<[I::Blocks; N]> {
        Ends {
            delta: self.delta(keys, tag, rows),
            x: self.each(
                #[cfg_attr(not(abreast_unoptimized), inline(always))]
                |packet| {
                    let at = self.layout.ends(packet.buffer.len());
                    bytes::<ALIKE, 16>(packet.buffer.get_in(), at).unwrap_or(&ZEROS)
                },
            ),
            y: match direction {
                Direction::Encrypt => <Instructions<N> as AezVectors<I>>::splat(self.isa, &ZEROS),
                Direction::Decrypt => self.each(
                    #[cfg_attr(not(abreast_unoptimized), inline(always))]
                    |packet| packet.tag.first_chunk().unwrap_or(&ZEROS),
                ),
            },
        }
    }

    /// The offsets of a pair.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn offsets(&self, pair: usize) -> [I::Blocks; N] {
        <Instructions<N> as AezVectors<I>>::xor(
            self.of(
                #[cfg_attr(not(abreast_unoptimized), inline(always))]
                |subkeys| &subkeys.octets[pair / 8 % 8],
            ),
            self.of(
                #[cfg_attr(not(abreast_unoptimized), inline(always))]
                |subkeys| &subkeys.multiples[pair % 8],
            ),
        )
    }

    /// A pair of each lane, zeros if there are not as many.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn pair(&self, pair: usize) -> ([I::Blocks; N], [I::Blocks; N]) {
        Instructions::<N>::gather_pairs(
            self.isa,
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            |lane| match bytes::<ALIKE, 32>(self.packets.get(lane).buffer.get_in(), 32 * pair) {
                Some(pair) => pair.as_chunks().0.first_chunk().unwrap_or(&[ZEROS; 2]),
                None => &[ZEROS; 2],
            },
        )
    }

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
        let Self { isa, layout, .. } = self;
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
            <Instructions<N> as AezVectors<I>>::xor(after.x, sum),
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            |bytes| layout.ends(bytes),
        );

        if direction == Direction::Encrypt {
            Instructions::<N>::scatter::<I>(after.y, &mut Tags(&mut self.packets));
        } else {
            <Instructions<N> as AezVectors<I>>::store(after.y, &mut rows.y.flat_mut()[..bytes]);
        }
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
