//! The packets of a group as vectors: blocks, masks and constants, gathered from the lanes.

use super::super::key::AezKey;
use super::super::packet::Packet;
use super::lanes::{Layout, MOST_LANES, PacketLanes, bytes};
use crate::aez::aez_core::{Ends, Filled, PartialBlock, SubkeySource, kept, padding, tweak};
use crate::aez::instructions::{Instructions, LaneSubkeys};
use crate::aez::pairs::With;
use crate::aez::rounds::AezVectors;
use crate::aez::subkeys::AezSubkeys;
use crate::aez::{AezLoop, hash};
use crate::engine::backend::Direction;
use abreast_simd::{AesIsa, Isa};

/// A block of zeros.
pub(super) const ZEROS: [u8; 16] = [0; 16];

/// All ones if something is so.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn mask(so: bool) -> &'static [u8; 16] {
    if so { &[255; 16] } else { &ZEROS }
}

/// A block for each lane.
type LaneBlocks = [[u8; 16]; MOST_LANES];

/// Values that lie in memory for a while.
pub(super) struct Scratch<'r> {
    /// The hashes of all but the nonces.
    hash: LaneBlocks,
    /// The deciphered tags.
    pub(super) y: LaneBlocks,
    /// Vectors of offsets, of W and of X, for each pair.
    pub(super) pairs: &'r mut [u8],
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
    pub(super) fn each<'b>(
        &'b self,
        block: impl Fn(&'b Packet<'b, AezKey<'b>>) -> &'b [u8; 16],
    ) -> [I::Blocks; N] {
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
    pub(super) fn part(&self, n: usize) -> Option<PartialBlock<[I::Blocks; N]>> {
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
    pub(super) fn ends(
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
    pub(super) fn offsets(&self, pair: usize) -> [I::Blocks; N] {
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
    pub(super) fn pair(&self, pair: usize) -> ([I::Blocks; N], [I::Blocks; N]) {
        Instructions::<N>::gather_pairs(
            self.isa,
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            |lane| match bytes::<ALIKE, 32>(self.packets.get(lane).buffer.get_in(), 32 * pair) {
                Some(pair) => pair.as_chunks().0.first_chunk().unwrap_or(&[ZEROS; 2]),
                None => &[ZEROS; 2],
            },
        )
    }
}
