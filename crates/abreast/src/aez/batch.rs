//! Many messages, each with its own key.

use super::core::{Constants, Ends, Lanes, Part, kept, padding};
use super::pairs::{With, mixed, separated};
use super::rounds::{Instructions, LaneKeys, Rounds};
use super::subkeys::Subkeys;
use super::{Aez, Job, Keyed, all_zeros, hash};
use crate::modes::Direction;
use crate::packets::Packet;
use abreast_simd::{AesIsa, AesLevel, Block, Blocks as _, Isa, dispatch_aes};

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
pub(crate) fn batch(direction: Direction, messages: &mut [Packet<'_, &Aez>]) {
    let mut rows = Rows::EMPTY;
    for window in messages.chunks_mut(WINDOW) {
        let Some(level) = window.iter().find_map(Packet::level) else {
            window.iter_mut().for_each(|message| message.result = message.aez(direction));
            continue;
        };
        let mut classes = [ALONE; WINDOW];
        let mut begins = [0; MOST_PAIRS + 1];
        for (class, message) in classes.iter_mut().zip(&mut *window) {
            match message.pairs(level) {
                Some(pairs) => {
                    *class = pairs as u8;
                    begins[pairs] += 1;
                }
                None => message.result = message.aez(direction),
            }
        }
        // Those of the same number of pairs side by side: where each class begins, and then its members.
        let mut all = 0_u8;
        for begin in &mut begins {
            all += ::core::mem::replace(begin, all);
        }
        let mut order = [0; WINDOW];
        for (n, &class) in (0..).zip(&classes) {
            if let Some(begin) = begins.get_mut(usize::from(class)) {
                order[usize::from(*begin)] = n;
                *begin += 1;
            }
        }
        let order = &order[..usize::from(all)];
        dispatch_aes!(level, isa => side_by_side::<_, 2>(isa, direction, window, order, &mut rows));
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

/// What goes into lanes and comes out of them, written block by block and never moved: what is written in pieces
/// and read as a whole waits until the pieces have left the store buffer.
struct Rows {
    /// The nonces, without padding.
    nonce: Row,
    /// The hashes of all but the nonces.
    hash: Row,
    /// What becomes of the blocks behind the pairs.
    u: Row,
    v: Row,
    x: Row,
    y: Row,
    /// Vectors of left blocks and of right ones, or of W and X, for each pair.
    pairs: [u8; PAIRS],
}

impl Rows {
    const EMPTY: Self = Self {
        nonce: [ZEROS; MOST_LANES],
        hash: [ZEROS; MOST_LANES],
        u: [ZEROS; MOST_LANES],
        v: [ZEROS; MOST_LANES],
        x: [ZEROS; MOST_LANES],
        y: [ZEROS; MOST_LANES],
        pairs: [0; PAIRS],
    };
}

impl Drop for Rows {
    fn drop(&mut self) {
        // At once: `zeroize` writes byte by byte, which for these would take as long as a batch.
        for row in [&mut self.nonce, &mut self.hash, &mut self.u, &mut self.v, &mut self.x, &mut self.y] {
            row.fill(ZEROS);
        }
        self.pairs.fill(0);
        zeroize::optimization_barrier(self);
    }
}

/// The messages that go side by side, one in each lane. None has fewer pairs than the first.
struct Group<'m> {
    subkeys: [&'m Subkeys; MOST_LANES],
    pairs: [&'m [[u8; 32]]; MOST_LANES],
    /// The blocks behind the pairs. The last two are whole. Of those before, u and v, there are as many bytes as
    /// `parts` says; what follows in memory is the beginning of x.
    u: [&'m [u8; 16]; MOST_LANES],
    v: [&'m [u8; 16]; MOST_LANES],
    x: [&'m [u8; 16]; MOST_LANES],
    y: [&'m [u8; 16]; MOST_LANES],
    parts: [u8; MOST_LANES],
    nonces: [u8; MOST_LANES],
    /// Whether `parts` and `nonces` are the same in all lanes.
    alike: bool,
    /// Which have associated data.
    with_data: [bool; MOST_LANES],
}

impl<'m> Group<'m> {
    #[inline(always)]
    fn new(subkeys: &'m Subkeys) -> Self {
        let none = [&ZEROS; MOST_LANES];
        Self {
            subkeys: [subkeys; MOST_LANES],
            pairs: [&[]; MOST_LANES],
            u: none,
            v: none,
            x: none,
            y: none,
            parts: [0; MOST_LANES],
            nonces: [0; MOST_LANES],
            alike: true,
            with_data: [false; MOST_LANES],
        }
    }

    /// Puts a message into a lane.
    #[inline(always)]
    fn put(&mut self, direction: Direction, lane: usize, message: &'m Packet<'_, &'m Aez>, rows: &mut Rows) {
        let Packet { key, iv: nonce, associated_data, buffer, tag, .. } = message;
        rows.nonce[lane] = *Block::from_part(nonce).as_bytes();
        if !associated_data.is_empty() {
            rows.hash[lane] = key.visit(HashBesideNonce { associated_data });
            self.with_data[lane] = true;
        }
        let src = buffer.get_in();
        let block = |at: usize| src.get(at..).and_then(<[u8]>::first_chunk).unwrap_or(&ZEROS);
        let ends = src.len() - 16;
        let (pairs, parts) = src[..ends].as_chunks();
        self.subkeys[lane] = &key.subkeys;
        self.pairs[lane] = pairs;
        self.u[lane] = block(ends - parts.len());
        self.v[lane] = block(ends - parts.len() + 16);
        self.x[lane] = block(ends);
        self.y[lane] = match direction {
            Direction::Encrypt => &ZEROS,
            Direction::Decrypt => tag.first_chunk().unwrap_or(&ZEROS),
        };
        self.parts[lane] = parts.len() as u8;
        self.nonces[lane] = nonce.len() as u8;
        self.alike &= self.parts[lane] == self.parts[0] && self.nonces[lane] == self.nonces[0];
    }

    /// Bytes of u or v in a lane, if it has it, be it padding alone.
    #[inline(always)]
    fn part(&self, n: usize, lane: usize) -> Option<usize> {
        let parts = usize::from(self.parts[lane]);
        if n == 0 { (parts > 0).then_some(parts.min(16)) } else { parts.checked_sub(16) }
    }

    /// A half of a pair in a lane, zeros if there are not as many.
    #[inline(always)]
    fn half(&self, pair: usize, half: usize, lane: usize) -> &[u8; 16] {
        self.pairs[lane].get(pair).map_or(&ZEROS, |pair| &pair.as_chunks().0[half])
    }
}

const ZEROS: [u8; 16] = [0; 16];

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

/// A group on an instruction set, in vectors of `N` registers.
struct On<'g, 'm, I, const N: usize> {
    isa: I,
    group: &'g Group<'m>,
}

impl<I: AesIsa, const N: usize> Constants<[I::Blocks; N]> for On<'_, '_, I, N> {
    #[inline(always)]
    fn of(&self, block: impl for<'k> Fn(&'k Subkeys) -> &'k [u8; 16]) -> [I::Blocks; N] {
        self.each(
            #[inline(always)]
            |lane| block(self.group.subkeys[lane]),
        )
    }
}

impl<I: AesIsa, const N: usize> On<'_, '_, I, N> {
    /// A block of each lane.
    #[inline(always)]
    fn each<'b>(&self, block: impl Fn(usize) -> &'b [u8; 16]) -> [I::Blocks; N] {
        Instructions::<N>::gather(self.isa, block)
    }

    /// The same block in each lane, if they are alike, and one of each lane otherwise.
    #[inline(always)]
    fn each_if_unlike<'b>(&self, block: impl Fn(usize) -> &'b [u8; 16]) -> [I::Blocks; N] {
        if self.group.alike {
            <Instructions<N> as Rounds<I>>::splat(self.isa, block(0))
        } else {
            self.each(block)
        }
    }

    /// The hash of what comes with each message.
    #[inline(always)]
    fn delta(&self, keys: LaneKeys<[I::Blocks; N]>, rows: &Rows) -> [I::Blocks; N] {
        let xor = <Instructions<N> as Rounds<I>>::xor;
        let len = |lane: usize| usize::from(self.group.nonces[lane]);
        let nonce = self.each(
            #[inline(always)]
            |lane| &rows.nonce[lane],
        );
        let padding = self.each_if_unlike(
            #[inline(always)]
            |lane| padding(len(lane)),
        );
        // The tweak (4, 1) of a whole block, or (4, 0).
        let i = self.each(
            #[inline(always)]
            |lane| {
                let subkeys = self.group.subkeys[lane];
                if len(lane) == 16 { &subkeys.i_2 } else { &subkeys.i }
            },
        );
        let l = self.each(
            #[inline(always)]
            |lane| {
                if len(lane) == 16 { &self.group.subkeys[lane].multiples[0] } else { &ZEROS }
            },
        );
        let j = self.of(
            #[inline(always)]
            |subkeys| &subkeys.strings[0],
        );
        let input = xor(xor(nonce, padding), xor(xor(i, l), j));
        let hash = if self.group.with_data.contains(&true) {
            self.each(
                #[inline(always)]
                |lane| {
                    let alone = &self.group.subkeys[lane].tag_16;
                    if self.group.with_data[lane] { &rows.hash[lane] } else { alone }
                },
            )
        } else {
            self.of(
                #[inline(always)]
                |subkeys| &subkeys.tag_16,
            )
        };
        Instructions::aes4(self.isa, keys, input, hash)
    }

    /// One of the two blocks before the last, if any lane has it.
    #[inline(always)]
    fn part(&self, n: usize, blocks: &[&[u8; 16]; MOST_LANES]) -> Option<Part<[I::Blocks; N]>> {
        let group = self.group;
        let mut lanes = 0..<Instructions<N> as Rounds<I>>::LANES;
        if !lanes.clone().any(|lane| group.part(n, lane).is_some()) {
            return None;
        }
        let len = |lane: usize| group.part(n, lane).unwrap_or(0);
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
            |lane| blocks[lane],
        );
        let block = <Instructions<N> as Rounds<I>>::and(block, kept);
        Some(Part {
            block: <Instructions<N> as Rounds<I>>::xor(block, padding),
            kept,
            padding,
            present: self.each_if_unlike(
                #[inline(always)]
                |lane| mask(group.part(n, lane).is_some()),
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
        let pairs = &self.group.pairs;
        // No lane has fewer than the first.
        if pair >= pairs[0].len() {
            let counts = self.each(
                #[inline(always)]
                |lane| mask(pair < pairs[lane].len()),
            );
            vector = <Instructions<N> as Rounds<I>>::and(vector, counts);
        }
        <Instructions<N> as Rounds<I>>::xor(sum, vector)
    }
}

/// Enciphers or deciphers the texts in the lanes, of which none has fewer pairs than the first and none more than
/// `most`.
#[inline(always)]
fn together<I: AesIsa, const N: usize>(
    isa: I,
    direction: Direction,
    group: &Group<'_>,
    most: usize,
    rows: &mut Rows,
) {
    let on = On::<I, N> { isa, group };
    let bytes = <Instructions<N> as Rounds<I>>::BYTES;
    let keys = Instructions::<N>::keys_of(
        isa,
        #[inline(always)]
        |lane| group.subkeys[lane],
    );
    let ends = Ends {
        delta: on.delta(keys, rows),
        x: on.each(
            #[inline(always)]
            |lane| group.x[lane],
        ),
        y: on.each(
            #[inline(always)]
            |lane| group.y[lane],
        ),
        u: on.part(0, &group.u),
        v: on.part(1, &group.v),
    };
    let lanes: Lanes<'_, '_, I, Instructions<N>, _> = Lanes { isa, keys, constants: &on, direction };
    let early = lanes.begin(&ends);
    let i = on.of(
        #[inline(always)]
        |subkeys| &subkeys.i,
    );

    let mut sum = <Instructions<N> as Rounds<I>>::splat(isa, &ZEROS);
    for (pair, held) in rows.pairs.chunks_exact_mut(2 * bytes).take(most).enumerate() {
        let left = on.each(
            #[inline(always)]
            |lane| group.half(pair, 0, lane),
        );
        let right = on.each(
            #[inline(always)]
            |lane| group.half(pair, 1, lane),
        );
        let (w, x) = mixed::<I, Instructions<N>>(isa, keys, i, on.offsets(pair), left, right);
        sum = on.add_pair(sum, pair, x);
        let (for_w, for_x) = held.split_at_mut(bytes);
        <Instructions<N> as Rounds<I>>::store(w, for_w);
        <Instructions<N> as Rounds<I>>::store(x, for_x);
    }
    let middle = lanes.middle(&ends, early, sum);
    let after = lanes.finish(&ends, middle);
    let s = <Instructions<N> as Rounds<I>>::xor(
        middle.s,
        on.of(
            #[inline(always)]
            |subkeys| &subkeys.j_3,
        ),
    );
    let mut sum = <Instructions<N> as Rounds<I>>::splat(isa, &ZEROS);
    for (pair, held) in rows.pairs.chunks_exact_mut(2 * bytes).take(most).enumerate() {
        let (left_half, right_half) = held.split_at_mut(bytes);
        let w = <Instructions<N> as Rounds<I>>::load(isa, left_half);
        let x = <Instructions<N> as Rounds<I>>::load(isa, right_half);
        let (left, right, y) = separated::<I, Instructions<N>>(isa, keys, i, on.offsets(pair), s, w, x);
        sum = on.add_pair(sum, pair, y);
        <Instructions<N> as Rounds<I>>::store(left, left_half);
        <Instructions<N> as Rounds<I>>::store(right, right_half);
    }

    let x = <Instructions<N> as Rounds<I>>::xor(after.x, sum);
    <Instructions<N> as Rounds<I>>::store(after.u, &mut rows.u.as_flattened_mut()[..bytes]);
    <Instructions<N> as Rounds<I>>::store(after.v, &mut rows.v.as_flattened_mut()[..bytes]);
    <Instructions<N> as Rounds<I>>::store(x, &mut rows.x.as_flattened_mut()[..bytes]);
    <Instructions<N> as Rounds<I>>::store(after.y, &mut rows.y.as_flattened_mut()[..bytes]);
}

/// The messages of an order, as many at a time as there are lanes.
#[inline(always)]
fn side_by_side<I: AesIsa, const N: usize>(
    isa: I,
    direction: Direction,
    messages: &mut [Packet<'_, &Aez>],
    order: &[u8],
    rows: &mut Rows,
) {
    let lanes = <Instructions<N> as Rounds<I>>::LANES;
    for numbers in order.chunks(lanes) {
        // Registers of one block gain nothing: the core looks far enough ahead to see the next message.
        if I::Blocks::LANES == 1 || numbers.len() == 1 {
            for &n in numbers {
                let message = &mut messages[usize::from(n)];
                message.result = message.aez(direction);
            }
            continue;
        }
        let mut group = Group::new(&messages[0].key.subkeys);
        for lane in 0..lanes {
            // Lanes without a message of their own do the first one again.
            let n = numbers.get(lane).unwrap_or(&numbers[0]);
            group.put(direction, lane, &messages[usize::from(*n)], rows);
        }
        let most = group.pairs[numbers.len() - 1].len();
        together::<I, N>(isa, direction, &group, most, rows);
        for (lane, &n) in numbers.iter().enumerate() {
            messages[usize::from(n)].take(direction, lane, 16 * lanes, rows);
        }
    }
}

impl Packet<'_, &Aez> {
    /// Takes what has become of it from its lane.
    #[inline(always)]
    fn take(&mut self, direction: Direction, lane: usize, bytes: usize, rows: &Rows) {
        let dst = self.buffer.get_out();
        let ends = dst.len() - 16;
        let (pairs, parts) = dst[..ends].as_chunks_mut::<32>();
        for (pair, held) in pairs.iter_mut().zip(rows.pairs.chunks_exact(2 * bytes)) {
            let (left, right) = held.split_at(bytes);
            let halves = pair.as_chunks_mut::<16>().0;
            halves[0] = left.as_chunks().0[lane];
            halves[1] = right.as_chunks().0[lane];
        }
        // Whole blocks, of which the next covers what there is too much of.
        let parts = parts.len();
        for (at, row) in [(ends - parts, &rows.u), (ends - parts + 16, &rows.v), (ends, &rows.x)] {
            if let Some(block) = dst.get_mut(at..).and_then(<[u8]>::first_chunk_mut) {
                *block = row[lane];
            }
        }
        if direction == Direction::Encrypt {
            self.tag.copy_from_slice(&rows.y[lane]);
            self.result = Ok(());
        } else {
            self.result = all_zeros(&rows.y[lane]).inspect_err(|_| dst.fill(0));
        }
    }
}
