//! Many messages, each with its own key.

use super::core::{Constants, Ends, Lanes, Part, kept, padding};
use super::pairs::{With, mixed, separated};
use super::rounds::{Instructions, LaneKeys, Rounds};
use super::subkeys::Subkeys;
use super::{Aez, Job, Keyed, all_zeros, hash};
use crate::modes::Direction;
use crate::packets::Packet;
use abreast_simd::{AesIsa, AesLevel, Block, Blocks as _, Isa, Places, dispatch_aes};

/// The most messages that are sorted at a time.
const WINDOW: usize = 64;
/// The most pairs of a message that goes side by side with others. A longer one fills vectors by itself.
const MOST_PAIRS: usize = 24;
/// The most lanes: two registers of AVX-512.
const MOST_LANES: usize = 8;
/// Bytes of pairs in all lanes.
const PAIRS: usize = MOST_PAIRS * 32 * MOST_LANES;

/// No number of pairs.
const ALONE: u8 = 255;

/// Encrypts or decrypts packets as [`Aez`] does them one by one. Short ones go side by side, so that they hide each
/// other's latency.
pub(crate) fn batch(direction: Direction, packets: &mut [Packet<'_, &Aez>]) {
    let mut rows = Rows::EMPTY;
    for window in packets.chunks_mut(WINDOW) {
        let Some(level) = window.iter().find_map(Packet::level) else {
            window.iter_mut().for_each(|packet| packet.result = packet.aez(direction));
            continue;
        };
        let mut classes = [ALONE; WINDOW];
        let mut begins = [0; MOST_PAIRS + 1];
        for (class, packet) in classes.iter_mut().zip(&mut *window) {
            match packet.pairs(level) {
                Some(pairs) => {
                    *class = pairs as u8;
                    begins[pairs] += 1;
                }
                None => packet.result = packet.aez(direction),
            }
        }
        // Those of the same number of pairs side by side: where each class begins, and then its members.
        let mut all = 0_u8;
        for begin in &mut begins {
            all += ::core::mem::replace(begin, all);
        }
        let mut sorted = [const { None }; WINDOW];
        for (packet, class) in window.iter_mut().zip(classes) {
            if let Some(begin) = begins.get_mut(usize::from(class)) {
                sorted[usize::from(*begin)] = Some(packet);
                *begin += 1;
            }
        }
        let sorted = &mut sorted[..usize::from(all)];
        dispatch_aes!(level, isa => side_by_side::<_, 2>(isa, direction, sorted, &mut rows));
    }
}

impl Packet<'_, &Aez> {
    /// The level at which it can go side by side with others.
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

/// What lies in memory for a while, written block by block or vector by vector, and never moved: what is written in
/// pieces and read as a whole waits until the pieces have left the store buffer.
struct Rows {
    /// The nonces, without padding.
    nonce: Row,
    /// The hashes of all but the nonces.
    hash: Row,
    /// What tags are deciphered to.
    y: Row,
    /// Vectors of W and of X, for each pair.
    pairs: [u8; PAIRS],
    /// The most pairs there were.
    most: usize,
}

impl Rows {
    const EMPTY: Self = Self {
        nonce: [ZEROS; MOST_LANES],
        hash: [ZEROS; MOST_LANES],
        y: [ZEROS; MOST_LANES],
        pairs: [0; PAIRS],
        most: 0,
    };
}

impl Drop for Rows {
    fn drop(&mut self) {
        // At once: `zeroize` writes byte by byte, which for these would take as long as a batch.
        for row in [&mut self.nonce, &mut self.hash, &mut self.y] {
            row.fill(ZEROS);
        }
        self.pairs[..32 * MOST_LANES * self.most].fill(0);
        zeroize::optimization_barrier(self);
    }
}

/// A packet in a lane. Lanes behind the last packet have none.
type Lane<'l, 'p, 'k> = Option<&'l mut Packet<'p, &'k Aez>>;

/// Lane by lane what a group of packets has. None has fewer pairs than the first. Lanes behind the last packet have
/// what the first lane has.
struct Group<'k> {
    subkeys: [&'k Subkeys; MOST_LANES],
    lens: [usize; MOST_LANES],
    nonces: [usize; MOST_LANES],
    /// Whether all have the same lengths.
    alike: bool,
    /// Whether any has associated data.
    with_data: bool,
    /// The most pairs.
    most: usize,
}

/// Lane by lane what a group of packets reads.
struct Inputs<'p> {
    src: [&'p [u8]; MOST_LANES],
    tags: [&'p [u8]; MOST_LANES],
}

impl<'k> Group<'k> {
    #[inline(always)]
    fn new(packets: &[Lane<'_, '_, 'k>], lanes: usize, rows: &mut Rows) -> Option<Self> {
        let first = packets.first()?.as_deref()?;
        let mut group = Self {
            subkeys: [&first.key.subkeys; MOST_LANES],
            lens: [first.buffer.len(); MOST_LANES],
            nonces: [first.iv.len(); MOST_LANES],
            alike: true,
            with_data: false,
            most: 0,
        };
        for lane in 0..lanes {
            let packet = packets.get(lane).and_then(Option::as_deref).unwrap_or(first);
            let (len, nonce) = (packet.buffer.len(), packet.iv.len());
            group.subkeys[lane] = &packet.key.subkeys;
            group.lens[lane] = len;
            group.nonces[lane] = nonce;
            group.alike &= len == group.lens[0] && nonce == group.nonces[0];
            group.with_data |= !packet.associated_data.is_empty();
            group.most = group.most.max((len - 16) / 32);
            rows.nonce[lane] = *Block::from_part(packet.iv).as_bytes();
        }
        if group.with_data {
            for lane in 0..lanes {
                let packet = packets.get(lane).and_then(Option::as_deref).unwrap_or(first);
                let Packet { key, associated_data, .. } = packet;
                rows.hash[lane] = key.subkeys.tag_16;
                if !associated_data.is_empty() {
                    rows.hash[lane] = key.visit(HashBesideNonce { associated_data });
                }
            }
        }
        Some(group)
    }
}

impl<'p> Inputs<'p> {
    #[inline(always)]
    fn new(packets: &'p [Lane<'_, '_, '_>], lanes: usize) -> Self {
        let mut inputs = Self { src: [&[]; MOST_LANES], tags: [&[]; MOST_LANES] };
        for lane in 0..lanes {
            if let Some(packet) = packets.get(lane).unwrap_or(&packets[0]) {
                inputs.src[lane] = packet.buffer.get_in();
                inputs.tags[lane] = packet.tag;
            }
        }
        inputs
    }
}

const ZEROS: [u8; 16] = [0; 16];

/// A block of some bytes, zeros if there is none.
#[inline(always)]
fn block(src: &[u8], at: usize) -> &[u8; 16] {
    src.get(at..at + 16).and_then(<[u8]>::first_chunk).unwrap_or(&ZEROS)
}

/// All ones if something is so.
#[inline(always)]
fn mask(so: bool) -> &'static [u8; 16] {
    if so { &[255; 16] } else { &ZEROS }
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

/// Lane by lane a block of the output.
struct Outputs<'o, 'p, F> {
    dst: &'o mut [&'p mut [u8]; MOST_LANES],
    /// Where the block is in a lane; nowhere if behind the end.
    at: F,
}

impl<F: Fn(usize) -> usize> Places for Outputs<'_, '_, F> {
    #[inline(always)]
    fn of(&mut self, lane: usize) -> Option<&mut [u8; 16]> {
        let at = (self.at)(lane);
        self.dst[lane].get_mut(at..at.saturating_add(16))?.first_chunk_mut()
    }
}

/// A group on an instruction set, in vectors of `N` registers, whose lanes have equal lengths if they are `ALIKE`.
struct On<'g, 'k, I, const N: usize, const ALIKE: bool> {
    isa: I,
    group: &'g Group<'k>,
}

impl<I: AesIsa, const N: usize, const ALIKE: bool> Constants<[I::Blocks; N]> for On<'_, '_, I, N, ALIKE> {
    #[inline(always)]
    fn of(&self, block: impl for<'k> Fn(&'k Subkeys) -> &'k [u8; 16]) -> [I::Blocks; N] {
        self.each(
            #[inline(always)]
            |lane| block(self.group.subkeys[lane]),
        )
    }
}

impl<I: AesIsa, const N: usize, const ALIKE: bool> On<'_, '_, I, N, ALIKE> {
    /// A block of each lane.
    #[inline(always)]
    fn each<'b>(&self, block: impl Fn(usize) -> &'b [u8; 16]) -> [I::Blocks; N] {
        Instructions::<N>::gather(self.isa, block)
    }

    /// The same block in each lane, if they are alike, and one of each lane otherwise.
    #[inline(always)]
    fn each_if_unlike<'b>(&self, block: impl Fn(usize) -> &'b [u8; 16]) -> [I::Blocks; N] {
        if ALIKE { <Instructions<N> as Rounds<I>>::splat(self.isa, block(0)) } else { self.each(block) }
    }

    /// Bytes of the message in a lane, but for the last block.
    #[inline(always)]
    fn len(&self, lane: usize) -> usize {
        self.group.lens[if ALIKE { 0 } else { lane }] - 16
    }

    /// How many pairs it has.
    #[inline(always)]
    fn pairs(&self, lane: usize) -> usize {
        self.len(lane) / 32
    }

    /// Where the first or the second block behind the pairs begins.
    #[inline(always)]
    fn part_at(&self, n: usize, lane: usize) -> usize {
        self.len(lane) / 32 * 32 + 16 * n
    }

    /// How many bytes this block has, if it is there, be it padding alone.
    #[inline(always)]
    fn part_len(&self, n: usize, lane: usize) -> Option<usize> {
        let bytes = self.len(lane) % 32;
        if n == 0 { (bytes > 0).then_some(bytes.min(16)) } else { bytes.checked_sub(16) }
    }

    /// Where a half of a pair begins, if there are as many; otherwise nowhere.
    #[inline(always)]
    fn half_at(&self, pair: usize, half: usize, lane: usize) -> usize {
        if ALIKE || pair < self.pairs(lane) { 32 * pair + 16 * half } else { usize::MAX - 16 }
    }

    /// The hash of what comes with each message.
    #[inline(always)]
    fn delta(&self, keys: LaneKeys<[I::Blocks; N]>, rows: &Rows) -> [I::Blocks; N] {
        let xor = <Instructions<N> as Rounds<I>>::xor;
        let nonces = &self.group.nonces;
        let nonce = self.each(
            #[inline(always)]
            |lane| &rows.nonce[lane],
        );
        let padding = self.each_if_unlike(
            #[inline(always)]
            |lane| padding(nonces[lane]),
        );
        let offset = self.each(
            #[inline(always)]
            |lane| {
                let offsets = &self.group.subkeys[lane].nonce;
                if nonces[if ALIKE { 0 } else { lane }] == 16 { &offsets.whole } else { &offsets.part }
            },
        );
        let hash = if self.group.with_data {
            self.each(
                #[inline(always)]
                |lane| &rows.hash[lane],
            )
        } else {
            self.of(
                #[inline(always)]
                |subkeys| &subkeys.tag_16,
            )
        };
        Instructions::aes4(self.isa, keys, xor(xor(nonce, padding), offset), hash)
    }

    /// One of the two blocks before the last, if any lane has it.
    #[inline(always)]
    fn part(&self, n: usize, inputs: &Inputs<'_>) -> Option<Part<[I::Blocks; N]>> {
        let mut lanes = 0..if ALIKE { 1 } else { <Instructions<N> as Rounds<I>>::LANES };
        if !lanes.clone().any(|lane| self.part_len(n, lane).is_some()) {
            return None;
        }
        let len = |lane: usize| self.part_len(n, lane).unwrap_or(0);
        let padding = self.each_if_unlike(
            #[inline(always)]
            |lane| padding(len(lane)),
        );
        let kept = self.each_if_unlike(
            #[inline(always)]
            |lane| kept(len(lane)),
        );
        let block = self.each(
            #[inline(always)]
            |lane| block(inputs.src[lane], self.part_at(n, lane)),
        );
        let block = <Instructions<N> as Rounds<I>>::and(block, kept);
        Some(Part {
            block: <Instructions<N> as Rounds<I>>::xor(block, padding),
            kept,
            padding,
            present: self.each_if_unlike(
                #[inline(always)]
                |lane| mask(self.part_len(n, lane).is_some()),
            ),
            filled: lanes.any(|lane| len(lane) > 0),
        })
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

    /// A sum with those lanes of a vector that have a pair.
    #[inline(always)]
    fn add_pair(&self, sum: [I::Blocks; N], pair: usize, mut vector: [I::Blocks; N]) -> [I::Blocks; N] {
        // No lane has fewer than the first.
        if !ALIKE && pair >= self.pairs(0) {
            let counts = self.each(
                #[inline(always)]
                |lane| mask(pair < self.pairs(lane)),
            );
            vector = <Instructions<N> as Rounds<I>>::and(vector, counts);
        }
        <Instructions<N> as Rounds<I>>::xor(sum, vector)
    }

    /// Enciphers or deciphers the texts in the lanes.
    #[inline(always)]
    fn together(
        &self,
        direction: Direction,
        packets: &mut [Lane<'_, '_, '_>],
        rows: &mut Rows,
    ) {
        let Self { isa, group } = *self;
        let bytes = <Instructions<N> as Rounds<I>>::BYTES;
        let inputs = Inputs::new(packets, <Instructions<N> as Rounds<I>>::LANES);
        let keys = Instructions::<N>::keys_of(
            isa,
            #[inline(always)]
            |lane| group.subkeys[lane],
        );
        let zero = <Instructions<N> as Rounds<I>>::splat(isa, &ZEROS);
        let ends = Ends {
            delta: self.delta(keys, rows),
            x: self.each(
                #[inline(always)]
                |lane| block(inputs.src[lane], self.len(lane)),
            ),
            y: match direction {
                Direction::Encrypt => zero,
                Direction::Decrypt => self.each(
                    #[inline(always)]
                    |lane| block(inputs.tags[lane], 0),
                ),
            },
            u: self.part(0, &inputs),
            v: self.part(1, &inputs),
        };
        let lanes: Lanes<'_, '_, I, Instructions<N>, _> = Lanes { isa, keys, constants: self, direction };
        let early = lanes.begin(&ends);
        let i = self.of(
            #[inline(always)]
            |subkeys| &subkeys.i,
        );
        let mut sum = zero;
        for (pair, held) in rows.pairs.chunks_exact_mut(2 * bytes).take(group.most).enumerate() {
            let left = self.each(
                #[inline(always)]
                |lane| block(inputs.src[lane], self.half_at(pair, 0, lane)),
            );
            let right = self.each(
                #[inline(always)]
                |lane| block(inputs.src[lane], self.half_at(pair, 1, lane)),
            );
            let (w, x) = mixed::<I, Instructions<N>>(isa, keys, i, self.offsets(pair), left, right);
            sum = self.add_pair(sum, pair, x);
            let (for_w, for_x) = held.split_at_mut(bytes);
            <Instructions<N> as Rounds<I>>::store(w, for_w);
            <Instructions<N> as Rounds<I>>::store(x, for_x);
        }
        let middle = lanes.middle(&ends, early, sum);
        let after = lanes.finish(&ends, middle);
        let s = <Instructions<N> as Rounds<I>>::xor(
            middle.s,
            self.of(
                #[inline(always)]
                |subkeys| &subkeys.j_3,
            ),
        );

        // All has been read.
        let mut dst: [&mut [u8]; MOST_LANES] = Default::default();
        for (dst, packet) in dst.iter_mut().zip(&mut *packets) {
            if let Some(packet) = packet {
                *dst = packet.buffer.get_out();
            }
        }
        let mut sum = zero;
        for (pair, held) in rows.pairs.chunks_exact(2 * bytes).take(group.most).enumerate() {
            let (w, x) = held.split_at(bytes);
            let w = <Instructions<N> as Rounds<I>>::load(isa, w);
            let x = <Instructions<N> as Rounds<I>>::load(isa, x);
            let (left, right, y) =
                separated::<I, Instructions<N>>(isa, keys, i, self.offsets(pair), s, w, x);
            sum = self.add_pair(sum, pair, y);
            self.put(
                left,
                &mut dst,
                #[inline(always)]
                |lane| self.half_at(pair, 0, lane),
            );
            self.put(
                right,
                &mut dst,
                #[inline(always)]
                |lane| self.half_at(pair, 1, lane),
            );
        }
        // Whole blocks, of which the next covers what there is too much of.
        if ends.u.is_some() {
            self.put(
                after.u,
                &mut dst,
                #[inline(always)]
                |lane| self.part_at(0, lane),
            );
        }
        if ends.v.is_some_and(|part| part.filled) {
            self.put(
                after.v,
                &mut dst,
                #[inline(always)]
                |lane| self.part_at(1, lane),
            );
        }
        self.put(
            <Instructions<N> as Rounds<I>>::xor(after.x, sum),
            &mut dst,
            #[inline(always)]
            |lane| self.len(lane),
        );

        match direction {
            Direction::Encrypt => {
                let mut tags: [&mut [u8]; MOST_LANES] = Default::default();
                for (tag, packet) in tags.iter_mut().zip(packets) {
                    if let Some(packet) = packet {
                        *tag = packet.tag;
                        packet.result = Ok(());
                    }
                }
                self.put(
                    after.y,
                    &mut tags,
                    #[inline(always)]
                    |_| 0,
                );
            }
            Direction::Decrypt => {
                <Instructions<N> as Rounds<I>>::store(after.y, &mut rows.y.as_flattened_mut()[..bytes]);
                for (packet, y) in packets.iter_mut().zip(&rows.y) {
                    if let Some(packet) = packet {
                        packet.result = all_zeros(y).inspect_err(|_| packet.buffer.get_out().fill(0));
                    }
                }
            }
        }
    }

    /// Writes a block of each lane to where it belongs.
    #[inline(always)]
    fn put(
        &self,
        vector: [I::Blocks; N],
        dst: &mut [&mut [u8]; MOST_LANES],
        at: impl Fn(usize) -> usize,
    ) {
        Instructions::<N>::scatter::<I>(vector, &mut Outputs { dst, at });
    }
}

/// Sorted packets, as many at a time as there are lanes.
#[inline(always)]
fn side_by_side<I: AesIsa, const N: usize>(
    isa: I,
    direction: Direction,
    packets: &mut [Lane<'_, '_, '_>],
    rows: &mut Rows,
) {
    let lanes = <Instructions<N> as Rounds<I>>::LANES;
    for packets in packets.chunks_mut(lanes) {
        // Registers of one block gain nothing: the core looks far enough ahead to see the next message.
        if I::Blocks::LANES == 1 || packets.len() == 1 {
            for packet in packets.iter_mut().flatten() {
                packet.result = packet.aez(direction);
            }
            continue;
        }
        let Some(group) = Group::new(packets, lanes, rows) else { continue };
        rows.most = rows.most.max(group.most);
        let group = &group;
        if group.alike {
            On::<I, N, true> { isa, group }.together(direction, packets, rows);
        } else {
            On::<I, N, false> { isa, group }.together(direction, packets, rows);
        }
    }
}
