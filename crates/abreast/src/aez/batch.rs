//! Many messages, each with its own key.

use super::core::{Constants, Ends, Filled, Lanes, Part, Parts, kept, padding, tweak};
use super::pairs::{With, mixed, separated};
use super::rounds::{Instructions, LaneKeys, Rounds};
use super::subkeys::Subkeys;
use super::{Aez, Job, Keyed, all_zeros, hash};
use crate::Error;
use crate::modes::Direction;
use crate::packets::Packet;
use abreast_simd::{AesIsa, AesLevel, Blocks as _, Isa, Places, dispatch_aes};

/// The most messages that are sorted at a time.
const WINDOW: usize = 64;
/// The most pairs of a message that goes side by side with others. A longer one fills vectors by itself.
const MOST_PAIRS: usize = 24;
/// The most lanes: two registers of AVX-512.
const MOST_LANES: usize = 8;
/// The most pairs of short messages, for which less memory is wiped.
const FEW_PAIRS: usize = 2;

/// No number of pairs.
const ALONE: u8 = 255;

/// Encrypts or decrypts packets as [`Aez`] does them one by one. Short ones go side by side, so that they hide each
/// other's latency: as they come, as long as neighbours are alike, and then sorted.
pub(crate) fn batch(direction: Direction, packets: &mut [Packet<'_, &Aez>]) {
    let mut short = true;
    for packet in &*packets {
        short &= packet.buffer.len() < 16 + 32 * (FEW_PAIRS + 1);
    }
    if short {
        batch_with(direction, packets, Rows::new(&mut [0; FEW_PAIRS * 48 * MOST_LANES]));
    } else {
        batch_with(direction, packets, Rows::new(&mut [0; MOST_PAIRS * 48 * MOST_LANES]));
    }
}

fn batch_with(direction: Direction, packets: &mut [Packet<'_, &Aez>], mut rows: Rows<'_>) {
    for window in packets.chunks_mut(WINDOW) {
        let Some(level) = window.iter().find_map(Packet::level) else {
            alone(direction, window);
            continue;
        };
        let done = dispatch_aes!(level, isa => neighbours::<_, 2>(isa, level, direction, window, &mut rows));
        let rest = &mut window[done..];
        if !rest.is_empty() {
            let mut sorted = [const { None }; WINDOW];
            let sorted = sort(level, direction, rest, &mut sorted);
            dispatch_aes!(level, isa => side_by_side::<_, 2>(isa, direction, sorted, &mut rows));
        }
    }
}

/// One packet after the other.
fn alone(direction: Direction, packets: &mut [Packet<'_, &Aez>]) {
    for packet in packets {
        packet.result = packet.aez(direction);
    }
}

/// Packets in the order of their numbers of pairs; those that do not go side by side are done.
fn sort<'s, 'l, 'p, 'k>(
    level: AesLevel,
    direction: Direction,
    packets: &'l mut [Packet<'p, &'k Aez>],
    sorted: &'s mut [Lane<'l, 'p, 'k>; WINDOW],
) -> &'s mut [Lane<'l, 'p, 'k>] {
    let mut classes = [ALONE; WINDOW];
    let mut begins = [0; MOST_PAIRS + 1];
    for (class, packet) in classes.iter_mut().zip(&mut *packets) {
        match packet.pairs(level) {
            Some(pairs) => {
                *class = pairs as u8;
                begins[pairs] += 1;
            }
            None => packet.result = packet.aez(direction),
        }
    }
    // Where each class begins, and then its members.
    let mut all = 0_u8;
    for begin in &mut begins {
        all += ::core::mem::replace(begin, all);
    }
    for (packet, class) in packets.iter_mut().zip(classes) {
        if let Some(begin) = begins.get_mut(usize::from(class)) {
            sorted[usize::from(*begin)] = Some(packet);
            *begin += 1;
        }
    }
    &mut sorted[..usize::from(all)]
}

impl Packet<'_, &Aez> {
    /// The level at which it can go side by side with others.
    #[inline(always)]
    fn level(&self) -> Option<AesLevel> {
        match self.key.keyed {
            Keyed::Rounds(level) => Some(level),
            Keyed::Sliced(..) => None,
        }
    }

    /// How many pairs it has, if it can go side by side with others at a level: with a tag of a block, behind a
    /// block of the message at least, and a nonce of no more than one.
    #[inline(always)]
    fn pairs(&self, level: AesLevel) -> Option<usize> {
        let pairs = self.buffer.len().checked_sub(16)? / 32;
        let suits =
            pairs <= MOST_PAIRS && self.tag.len() == 16 && self.iv.len() <= 16 && self.level() == Some(level);
        suits.then_some(pairs)
    }
}

/// A block for each lane.
type Row = [[u8; 16]; MOST_LANES];

/// What lies in memory for a while.
struct Rows<'r> {
    /// The hashes of all but the nonces.
    hash: Row,
    /// What tags are deciphered to.
    y: Row,
    /// Vectors of offsets, of W and of X, for each pair.
    pairs: &'r mut [u8],
}

impl<'r> Rows<'r> {
    fn new(pairs: &'r mut [u8]) -> Self {
        Self { hash: [ZEROS; MOST_LANES], y: [ZEROS; MOST_LANES], pairs }
    }
}

impl Drop for Rows<'_> {
    fn drop(&mut self) {
        // At once: `zeroize` writes byte by byte, which for these would take as long as a batch.
        self.hash.fill(ZEROS);
        self.y.fill(ZEROS);
        self.pairs.fill(0);
        zeroize::optimization_barrier(self);
        zeroize::optimization_barrier(self.pairs);
    }
}

/// The packets in the lanes.
trait InLanes {
    /// That of a lane; lanes behind the last packet repeat the first one.
    fn get(&self, lane: usize) -> &Packet<'_, &Aez>;
    /// Where its message goes; nowhere behind the last packet.
    fn message(&mut self, lane: usize) -> &mut [u8];
    /// Where its tag goes; nowhere behind the last packet.
    fn tag(&mut self, lane: usize) -> &mut [u8];
    /// Notes its result.
    fn finish(&mut self, lane: usize, result: Result<(), Error>);
}

/// As many packets as there are lanes, side by side in memory.
struct Neighbours<'l, 'p, 'k>(&'l mut [Packet<'p, &'k Aez>]);

impl InLanes for Neighbours<'_, '_, '_> {
    #[inline(always)]
    fn get(&self, lane: usize) -> &Packet<'_, &Aez> {
        &self.0[lane]
    }
    #[inline(always)]
    fn message(&mut self, lane: usize) -> &mut [u8] {
        self.0[lane].buffer.get_out()
    }
    #[inline(always)]
    fn tag(&mut self, lane: usize) -> &mut [u8] {
        self.0[lane].tag
    }
    #[inline(always)]
    fn finish(&mut self, lane: usize, result: Result<(), Error>) {
        self.0[lane].result = result;
    }
}

/// A packet on its way to a lane.
type Lane<'l, 'p, 'k> = Option<&'l mut Packet<'p, &'k Aez>>;

/// Packets of which none has fewer pairs than the first.
struct Sorted<'s, 'l, 'p, 'k>(&'s mut [Lane<'l, 'p, 'k>]);

impl InLanes for Sorted<'_, '_, '_, '_> {
    #[inline(always)]
    fn get(&self, lane: usize) -> &Packet<'_, &Aez> {
        match self.0.get(lane).unwrap_or(&self.0[0]) {
            Some(packet) => packet,
            None => unreachable!("sorted packets are there"),
        }
    }
    #[inline(always)]
    fn message(&mut self, lane: usize) -> &mut [u8] {
        match self.0.get_mut(lane) {
            Some(Some(packet)) => packet.buffer.get_out(),
            _ => &mut [],
        }
    }
    #[inline(always)]
    fn tag(&mut self, lane: usize) -> &mut [u8] {
        match self.0.get_mut(lane) {
            Some(Some(packet)) => packet.tag,
            _ => &mut [],
        }
    }
    #[inline(always)]
    fn finish(&mut self, lane: usize, result: Result<(), Error>) {
        if let Some(Some(packet)) = self.0.get_mut(lane) {
            packet.result = result;
        }
    }
}

const ZEROS: [u8; 16] = [0; 16];

/// All ones if something is so.
#[inline(always)]
fn mask(so: bool) -> &'static [u8; 16] {
    if so { &[255; 16] } else { &ZEROS }
}

/// Where blocks are in messages. `ALIKE` ones have as many bytes.
#[derive(Clone, Copy)]
struct Layout<const ALIKE: bool> {
    bytes: usize,
}

impl<const ALIKE: bool> Layout<ALIKE> {
    /// Bytes before the last block.
    #[inline(always)]
    fn ends(self, bytes: usize) -> usize {
        (if ALIKE { self.bytes } else { bytes }).saturating_sub(16)
    }

    /// How many pairs there are.
    #[inline(always)]
    fn pairs(self, bytes: usize) -> usize {
        self.ends(bytes) / 32
    }

    /// Where the first or the second block behind the pairs begins.
    #[inline(always)]
    fn part(self, n: usize, bytes: usize) -> usize {
        self.ends(bytes) / 32 * 32 + 16 * n
    }

    /// How many bytes this block has, if it is there, be it padding alone.
    #[inline(always)]
    fn part_len(self, n: usize, bytes: usize) -> Option<usize> {
        let bytes = self.ends(bytes) % 32;
        if n == 0 { (bytes > 0).then_some(bytes.min(16)) } else { bytes.checked_sub(16) }
    }
}

/// Some bytes of a message, which has them if it is one of those that are `ALIKE`.
#[inline(always)]
fn bytes<const ALIKE: bool, const B: usize>(src: &[u8], at: usize) -> Option<&[u8; B]> {
    if ALIKE { src[at..at + B].first_chunk() } else { src.get(at..at + B)?.first_chunk() }
}

/// The same for writing.
#[inline(always)]
fn bytes_mut<const ALIKE: bool, const B: usize>(dst: &mut [u8], at: usize) -> Option<&mut [u8; B]> {
    if ALIKE { dst[at..at + B].first_chunk_mut() } else { dst.get_mut(at..at + B)?.first_chunk_mut() }
}

/// The hash of what comes with a message beside its nonce, if its tag is a block.
struct HashBesideNonce<'a> {
    associated_data: &'a [u8],
}

impl Job for HashBesideNonce<'_> {
    type Out = [u8; 16];

    #[inline(always)]
    fn run<I: Isa, W: Rounds<I>>(self, with: With<'_, I, W>) -> [u8; 16] {
        W::One::to_first(hash::beside_nonce(with, 16, &[self.associated_data]))
    }
}

/// Lane by lane a place in the output.
struct Messages<'o, P, F, const ALIKE: bool> {
    packets: &'o mut P,
    /// Where it is in a message of so many bytes.
    at: F,
}

impl<P: InLanes, F: Fn(usize) -> usize, const ALIKE: bool> Places<[u8; 16]> for Messages<'_, P, F, ALIKE> {
    #[inline(always)]
    fn of(&mut self, lane: usize) -> Option<&mut [u8; 16]> {
        let dst = self.packets.message(lane);
        let at = (self.at)(dst.len());
        bytes_mut::<ALIKE, 16>(dst, at)
    }
}

/// Lane by lane a pair of the output.
struct Pairs<'o, P, const ALIKE: bool> {
    packets: &'o mut P,
    number: usize,
}

impl<P: InLanes, const ALIKE: bool> Places<[[u8; 16]; 2]> for Pairs<'_, P, ALIKE> {
    #[inline(always)]
    fn of(&mut self, lane: usize) -> Option<&mut [[u8; 16]; 2]> {
        // There is a block behind each pair.
        let dst = bytes_mut::<ALIKE, 48>(self.packets.message(lane), 32 * self.number)?;
        dst.as_chunks_mut().0.first_chunk_mut()
    }
}

/// Lane by lane the tag.
struct Tags<'o, P>(&'o mut P);

impl<P: InLanes> Places<[u8; 16]> for Tags<'_, P> {
    #[inline(always)]
    fn of(&mut self, lane: usize) -> Option<&mut [u8; 16]> {
        self.0.tag(lane).first_chunk_mut()
    }
}

/// Packets on an instruction set, in vectors of `N` registers.
struct On<I, P, const N: usize, const ALIKE: bool> {
    isa: I,
    packets: P,
    layout: Layout<ALIKE>,
}

impl<I: AesIsa, P: InLanes, const N: usize, const ALIKE: bool> Constants<[I::Blocks; N]>
    for On<I, P, N, ALIKE>
{
    #[inline(always)]
    fn of(&self, block: impl for<'k> Fn(&'k Subkeys) -> &'k [u8; 16]) -> [I::Blocks; N] {
        self.each(
            #[inline(always)]
            |packet| block(&packet.key.subkeys),
        )
    }
    #[inline(always)]
    fn two(
        &self,
        blocks: impl for<'k> Fn(&'k Subkeys) -> &'k [[u8; 16]; 2],
    ) -> ([I::Blocks; N], [I::Blocks; N]) {
        Instructions::<N>::gather_pairs(
            self.isa,
            #[inline(always)]
            |lane| blocks(&self.packets.get(lane).key.subkeys),
        )
    }
}

impl<I: AesIsa, P: InLanes, const N: usize, const ALIKE: bool> On<I, P, N, ALIKE> {
    /// A block of each lane.
    #[inline(always)]
    fn each<'b>(&'b self, block: impl Fn(&'b Packet<'b, &'b Aez>) -> &'b [u8; 16]) -> [I::Blocks; N] {
        Instructions::<N>::gather(
            self.isa,
            #[inline(always)]
            |lane| block(self.packets.get(lane)),
        )
    }

    /// The same block in each lane, if they are alike, and one of each lane otherwise.
    #[inline(always)]
    fn each_if_unlike<'b>(
        &'b self,
        block: impl Fn(&'b Packet<'b, &'b Aez>) -> &'b [u8; 16],
    ) -> [I::Blocks; N] {
        if ALIKE {
            <Instructions<N> as Rounds<I>>::splat(self.isa, block(self.packets.get(0)))
        } else {
            self.each(block)
        }
    }

    /// Whether something is so in any lane, of which the first stands for others that are alike.
    #[inline(always)]
    fn any(&self, so: impl Fn(&Packet<'_, &Aez>) -> bool) -> bool {
        let lanes = if ALIKE { 1 } else { <Instructions<N> as Rounds<I>>::LANES };
        let mut any = false;
        for lane in 0..lanes {
            any |= so(self.packets.get(lane));
        }
        any
    }

    /// The hash of what comes with each message, from that of the length of its tag.
    #[inline(always)]
    fn delta(
        &self,
        keys: LaneKeys<[I::Blocks; N]>,
        tag: [I::Blocks; N],
        rows: &mut Rows<'_>,
    ) -> [I::Blocks; N] {
        let xor = <Instructions<N> as Rounds<I>>::xor;
        let mut hash = tag;
        if self.any(
            #[inline(always)]
            |packet| !ALIKE && !packet.associated_data.is_empty(),
        ) {
            hash = self.hash(rows);
        }
        let first = self.packets.get(0).iv.len();
        // The usual length in code of its own, where it is known.
        let nonce = if ALIKE && first == 12 {
            Instructions::<N>::gather_parts(
                self.isa,
                #[inline(always)]
                |lane| &self.packets.get(lane).iv[..12],
            )
        } else {
            Instructions::<N>::gather_parts(
                self.isa,
                #[inline(always)]
                |lane| self.packets.get(lane).iv,
            )
        };
        let padding = self.each_if_unlike(
            #[inline(always)]
            |packet| padding(packet.iv.len()),
        );
        let offset = self.each(
            #[inline(always)]
            |packet| {
                let offsets = &packet.key.subkeys.nonce;
                let len = if ALIKE { first } else { packet.iv.len() };
                if len == 16 { &offsets.whole } else { &offsets.part }
            },
        );
        Instructions::aes4(self.isa, keys, xor(xor(nonce, padding), offset), hash)
    }

    /// The hash of all but the nonces.
    #[inline(always)]
    fn hash(&self, rows: &mut Rows<'_>) -> [I::Blocks; N] {
        for lane in 0..<Instructions<N> as Rounds<I>>::LANES {
            let Packet { key, associated_data, .. } = self.packets.get(lane);
            rows.hash[lane] = *key.subkeys.tag_16();
            if !associated_data.is_empty() {
                rows.hash[lane] = key.visit(HashBesideNonce { associated_data });
            }
        }
        Instructions::<N>::gather(
            self.isa,
            #[inline(always)]
            |lane| &rows.hash[lane],
        )
    }

    /// One of the two blocks before the last, if any lane has it.
    #[inline(always)]
    fn part(&self, n: usize) -> Option<Part<[I::Blocks; N]>> {
        let layout = self.layout;
        let len = |packet: &Packet<'_, &Aez>| layout.part_len(n, packet.buffer.len());
        if !self.any(
            #[inline(always)]
            |packet| len(packet).is_some(),
        ) {
            return None;
        }
        let present = if ALIKE {
            None
        } else {
            Some(self.each(
                #[inline(always)]
                |packet| mask(len(packet).is_some()),
            ))
        };
        if !self.any(
            #[inline(always)]
            |packet| len(packet).unwrap_or(0) > 0,
        ) {
            let e = self.of(
                #[inline(always)]
                |subkeys| &subkeys.padding,
            );
            return Some(Part::Padding(match present {
                None => e,
                Some(present) => <Instructions<N> as Rounds<I>>::and(e, present),
            }));
        }
        let padding = self.each_if_unlike(
            #[inline(always)]
            |packet| padding(len(packet).unwrap_or(0)),
        );
        let kept = self.each_if_unlike(
            #[inline(always)]
            |packet| kept(len(packet).unwrap_or(0)),
        );
        let block = self.each(
            #[inline(always)]
            |packet| {
                let at = layout.part(n, packet.buffer.len());
                bytes::<ALIKE, 16>(packet.buffer.get_in(), at).unwrap_or(&ZEROS)
            },
        );
        let block = <Instructions<N> as Rounds<I>>::and(block, kept);
        Some(Part::Filled(Filled {
            block: <Instructions<N> as Rounds<I>>::xor(block, padding),
            kept,
            padding,
            present,
            tweak: tweak(self, 4 + n),
        }))
    }

    /// The last blocks, and what comes with them.
    #[inline(always)]
    fn ends(
        &self,
        direction: Direction,
        keys: LaneKeys<[I::Blocks; N]>,
        tag: [I::Blocks; N],
        rows: &mut Rows<'_>,
    ) -> Ends<[I::Blocks; N]> {
        Ends {
            delta: self.delta(keys, tag, rows),
            x: self.each(
                #[inline(always)]
                |packet| {
                    let at = self.layout.ends(packet.buffer.len());
                    bytes::<ALIKE, 16>(packet.buffer.get_in(), at).unwrap_or(&ZEROS)
                },
            ),
            y: match direction {
                Direction::Encrypt => <Instructions<N> as Rounds<I>>::splat(self.isa, &ZEROS),
                Direction::Decrypt => self.each(
                    #[inline(always)]
                    |packet| packet.tag.first_chunk().unwrap_or(&ZEROS),
                ),
            },
        }
    }

    /// The offsets of a pair.
    #[inline(always)]
    fn offsets(&self, pair: usize) -> [I::Blocks; N] {
        <Instructions<N> as Rounds<I>>::xor(
            self.of(
                #[inline(always)]
                |subkeys| &subkeys.octets[pair / 8 % 8],
            ),
            self.of(
                #[inline(always)]
                |subkeys| &subkeys.multiples[pair % 8],
            ),
        )
    }

    /// A pair of each lane, zeros if there are not as many.
    #[inline(always)]
    fn pair(&self, pair: usize) -> ([I::Blocks; N], [I::Blocks; N]) {
        Instructions::<N>::gather_pairs(
            self.isa,
            #[inline(always)]
            |lane| match bytes::<ALIKE, 32>(self.packets.get(lane).buffer.get_in(), 32 * pair) {
                Some(pair) => pair.as_chunks().0.first_chunk().unwrap_or(&[ZEROS; 2]),
                None => &[ZEROS; 2],
            },
        )
    }

    /// A sum with those lanes of a vector that have a pair.
    #[inline(always)]
    fn add_pair(&self, sum: [I::Blocks; N], pair: usize, mut vector: [I::Blocks; N]) -> [I::Blocks; N] {
        let pairs = |packet: &Packet<'_, &Aez>| self.layout.pairs(packet.buffer.len());
        // No lane has fewer than the first.
        if !ALIKE && pair >= pairs(self.packets.get(0)) {
            let counts = self.each(
                #[inline(always)]
                |packet| mask(pair < pairs(packet)),
            );
            vector = <Instructions<N> as Rounds<I>>::and(vector, counts);
        }
        <Instructions<N> as Rounds<I>>::xor(sum, vector)
    }

    /// Enciphers or deciphers the texts in the lanes, of which none has more pairs than `most`.
    #[inline(always)]
    fn together(mut self, direction: Direction, most: usize, rows: &mut Rows<'_>) {
        let Self { isa, layout, .. } = self;
        let bytes = <Instructions<N> as Rounds<I>>::BYTES;
        let (keys, tag) = Instructions::<N>::keys_of(
            isa,
            #[inline(always)]
            |lane| &self.packets.get(lane).key.subkeys,
        );
        let i = keys.i();
        let zero = <Instructions<N> as Rounds<I>>::splat(isa, &ZEROS);
        let lanes: Lanes<'_, '_, I, Instructions<N>, _> = Lanes { isa, keys, constants: &self, direction };
        let parts = Parts { u: self.part(0), v: self.part(1) };
        let (early, ends) = lanes.begin(
            &parts,
            #[inline(always)]
            || self.ends(direction, keys, tag, rows),
        );

        let mut sum = zero;
        for (number, held) in rows.pairs.chunks_exact_mut(3 * bytes).take(most).enumerate() {
            let (left, right) = self.pair(number);
            let offsets = self.offsets(number);
            let (w, x) = mixed::<I, Instructions<N>>(isa, keys, i, offsets, left, right);
            sum = self.add_pair(sum, number, x);
            <Instructions<N> as Rounds<I>>::store(offsets, &mut held[..bytes]);
            <Instructions<N> as Rounds<I>>::store(w, &mut held[bytes..][..bytes]);
            <Instructions<N> as Rounds<I>>::store(x, &mut held[2 * bytes..]);
        }
        let middle = lanes.middle(&ends, early, sum);
        let after = lanes.finish(&parts, &ends, middle);
        let s = <Instructions<N> as Rounds<I>>::xor(
            middle.s,
            self.of(
                #[inline(always)]
                |subkeys| &subkeys.j_3,
            ),
        );

        // All has been read that is now written over, but for pairs, which have been copied.
        let mut sum = zero;
        for (number, held) in rows.pairs.chunks_exact(3 * bytes).take(most).enumerate() {
            let offsets = <Instructions<N> as Rounds<I>>::load(isa, &held[..bytes]);
            let w = <Instructions<N> as Rounds<I>>::load(isa, &held[bytes..][..bytes]);
            let x = <Instructions<N> as Rounds<I>>::load(isa, &held[2 * bytes..]);
            let (left, right, y) = separated::<I, Instructions<N>>(isa, keys, i, offsets, s, w, x);
            sum = self.add_pair(sum, number, y);
            let packets = &mut self.packets;
            Instructions::<N>::scatter_pairs::<I>(left, right, &mut Pairs::<_, ALIKE> { packets, number });
        }
        // Whole blocks, of which the next covers what there is too much of.
        if parts.u.is_some() {
            self.put(
                after.u,
                #[inline(always)]
                |bytes| layout.part(0, bytes),
            );
        }
        if let Some(Part::Filled(_)) = parts.v {
            self.put(
                after.v,
                #[inline(always)]
                |bytes| layout.part(1, bytes),
            );
        }
        self.put(
            <Instructions<N> as Rounds<I>>::xor(after.x, sum),
            #[inline(always)]
            |bytes| layout.ends(bytes),
        );

        if direction == Direction::Encrypt {
            Instructions::<N>::scatter::<I>(after.y, &mut Tags(&mut self.packets));
        } else {
            <Instructions<N> as Rounds<I>>::store(after.y, &mut rows.y.as_flattened_mut()[..bytes]);
        }
        for lane in 0..<Instructions<N> as Rounds<I>>::LANES {
            let mut result = Ok(());
            if direction == Direction::Decrypt {
                result = all_zeros(&rows.y[lane]).inspect_err(|_| self.packets.message(lane).fill(0));
            }
            self.packets.finish(lane, result);
        }
    }

    /// Writes a block of each lane to its message.
    #[inline(always)]
    fn put(&mut self, vector: [I::Blocks; N], at: impl Fn(usize) -> usize) {
        let packets = &mut self.packets;
        Instructions::<N>::scatter::<I>(vector, &mut Messages::<_, _, ALIKE> { packets, at });
    }
}

/// The first packets as they come, as many at a time as there are lanes, as long as these are alike. Gives how many
/// there were.
#[inline(always)]
fn neighbours<I: AesIsa, const N: usize>(
    isa: I,
    level: AesLevel,
    direction: Direction,
    packets: &mut [Packet<'_, &Aez>],
    rows: &mut Rows<'_>,
) -> usize {
    // Registers of one block gain nothing: the core looks far enough ahead to see the next message.
    if I::Blocks::LANES == 1 {
        alone(direction, packets);
        return packets.len();
    }
    let lanes = <Instructions<N> as Rounds<I>>::LANES;
    let mut done = 0;
    for packets in packets.chunks_exact_mut(lanes) {
        let bytes = packets[0].buffer.len();
        let Some(pairs) = packets[0].pairs(level).filter(|_| alike(level, packets)) else { break };
        let on = On::<I, _, N, true> { isa, packets: Neighbours(packets), layout: Layout { bytes } };
        on.together(direction, pairs, rows);
        done += lanes;
    }
    done
}

/// Whether all lengths are those of the first packet, none has associated data, and all have keys of a level.
#[inline(always)]
fn alike(level: AesLevel, packets: &[Packet<'_, &Aez>]) -> bool {
    let (len, nonce) = (packets[0].buffer.len(), packets[0].iv.len());
    for packet in packets {
        if packet.buffer.len() != len
            || packet.iv.len() != nonce
            || packet.tag.len() != 16
            || !packet.associated_data.is_empty()
            || packet.level() != Some(level)
        {
            return false;
        }
    }
    true
}

/// Sorted packets, as many at a time as there are lanes.
#[inline(always)]
fn side_by_side<I: AesIsa, const N: usize>(
    isa: I,
    direction: Direction,
    packets: &mut [Lane<'_, '_, '_>],
    rows: &mut Rows<'_>,
) {
    for packets in packets.chunks_mut(<Instructions<N> as Rounds<I>>::LANES) {
        let layout = Layout { bytes: 0 };
        match packets {
            [Some(packet)] => packet.result = packet.aez(direction),
            [.., Some(last)] => {
                let most = layout.pairs(last.buffer.len());
                let on = On::<I, _, N, false> { isa, packets: Sorted(packets), layout };
                on.together(direction, most, rows);
            }
            _ => {}
        }
    }
}
