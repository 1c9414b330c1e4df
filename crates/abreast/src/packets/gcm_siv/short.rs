//! Short messages of a batch: a message in each lane, for the keys that are derived, the hash and the keystream alike.

use crate::ciphers::aes::{Aes128, Aes256, AesEach, LANES, Row};
use crate::engine::backend::Direction;
use crate::engine::keyed::KeyedCipher as _;
use crate::ghash::{BLOCK, polyval_rows};
use crate::modes::gcm_siv::{Derived, SivMessage, lengths, take_nonce};
use crate::packets::key::GcmSivKey;
use crate::packets::packet::Packet;
use abreast_simd::inlined::Zipped;
use abreast_simd::{AesLevel, Block};
use cipher::consts::U16;
use core::array::from_mut;

/// A message of a batch.
type SivPacket<'p, 'k> = Packet<'p, GcmSivKey<'k>>;

/// Blocks of data, and of associated data, of a message that goes this way whatever the others are.
pub(crate) const MOST: usize = 8;

/// Blocks of both of the longest message that goes this way, with others that are as long. Longer ones fill vectors by themselves.
pub(crate) const LONGEST: usize = 40;

/// Rows of a pass.
pub(crate) const PASS: usize = 12;

/// Costs of a row of all lanes, of a message by itself, and of one of its blocks, in one unit: measured from 256 to 1600 bytes.
const COSTS: [usize; 3] = [52, 89, 1];

/// No block of any message.
const ZEROS: Row = [[0; BLOCK]; LANES];

/// The memory of a window, which the next one takes over.
pub(super) struct Lanes {
    pub(super) level: AesLevel,
    /// The keys that the messages came with.
    given: AesEach,
    /// The keys that were derived for them.
    own: AesEach,
    /// One of these, for a message that goes by itself.
    own_128: Aes128,
    own_256: Aes256,
    /// The bytes of the keys, the first 16 and the others.
    ciphers: [Row; 2],
    /// The keys of POLYVAL.
    hashes: Row,
    /// Blocks from which keys are derived, and later the keystream.
    rows: [Row; PASS],
    /// The blocks that are hashed.
    staged: [Row; PASS],
    /// Hashes, and then tags.
    tags: Row,
}

impl Lanes {
    /// Takes up another level.
    pub(super) fn set_level(&mut self, level: AesLevel) {
        self.level = level;
        self.given.set_level(level);
        self.own.set_level(level);
    }

    /// The memory for a level.
    pub(super) fn new(level: AesLevel) -> Self {
        Self {
            level,
            given: AesEach::new(level),
            own: AesEach::new(level),
            own_128: Aes128::without_key(),
            own_256: Aes256::without_key(),
            ciphers: [ZEROS; 2],
            hashes: ZEROS,
            rows: [ZEROS; PASS],
            staged: [ZEROS; PASS],
            tags: ZEROS,
        }
    }

    /// Derives the keys of messages whose keys have `key_len` bytes: by one call where all have one key, and else a block of each
    /// side by side.
    pub(super) fn derive(&mut self, items: &[SivPacket<'_, '_>], lanes: &[u8], key_len: usize) {
        let each = 2 + key_len / 8;
        let key_of = |at: &u8| items[usize::from(*at)].key;
        let first = key_of(&lanes[0]);
        let one_key = lanes.iter().all(|at| core::ptr::eq(key_of(at), first));
        for (lane, at) in lanes.iter().enumerate() {
            let item = &items[usize::from(*at)];
            if !one_key && let Some(keys) = item.key.forward() {
                self.given.put(lane, keys);
            }
            let asked = Derived::asked(item.iv, 0);
            for (i, rows) in self.rows.iter_mut().enumerate().take(each) {
                rows[lane] = asked;
                rows[lane][0] = i as u8;
            }
        }
        if one_key {
            self.rows[..each].iter_mut().for_each(|rows| first.encrypt_asked(&mut rows[..lanes.len()]));
        } else {
            self.given.encrypt(lanes.len(), &mut self.rows[..each]);
        }
        for lane in 0..lanes.len() {
            let pair = |i: usize| joined(&self.rows[2 * i][lane], &self.rows[2 * i + 1][lane]);
            self.hashes[lane] = pair(0);
            self.ciphers[0][lane] = pair(1);
            if key_len > 16 {
                self.ciphers[1][lane] = pair(2);
            }
        }
        self.own.expand(key_len, lanes.len(), &self.ciphers);
    }

    /// Encrypts or decrypts a message by itself, under the keys that were derived for it.
    pub(super) fn alone(&mut self, lane: usize, key_len: usize, message: SivMessage<'_, '_, '_>) {
        let mut message = SivMessage { hash_key: &self.hashes[lane], ..message };
        if key_len == 16 {
            self.own_128.set_from_lane(&self.own, lane);
            self.own_128.visit(&mut message);
        } else {
            self.own_256.set_from_lane(&self.own, lane);
            self.own_256.visit(&mut message);
        }
    }

    /// Encrypts or decrypts messages whose keys are derived; returns the right tags.
    pub(super) fn crypt(
        &mut self,
        direction: Direction,
        items: &mut [SivPacket<'_, '_>],
        lanes: &[u8],
    ) -> &Row {
        match direction {
            Direction::Encrypt => {
                self.make_tags(direction, items, lanes);
                self.apply(items, lanes);
            }
            Direction::Decrypt => {
                for (tag, at) in self.tags.iter_mut().zipped(lanes) {
                    *tag = items[usize::from(*at)].tag.first_chunk().copied().unwrap_or_default();
                }
                self.apply(items, lanes);
                self.make_tags(direction, items, lanes);
            }
        }
        &self.tags
    }

    /// Makes the tags of plaintexts, which are the input or the output.
    fn make_tags(&mut self, direction: Direction, items: &mut [SivPacket<'_, '_>], lanes: &[u8]) {
        let most = lanes.iter().map(|at| hashed(&items[usize::from(*at)])).max().unwrap_or(0);
        self.tags = ZEROS;
        // Messages of one pass, which most are, take it without the sums that later ones need.
        self.hash_pass(direction, items, lanes, most, 0);
        for first in (PASS..most).step_by(PASS) {
            self.hash_pass(direction, items, lanes, most, first);
        }
        for (tag, at) in self.tags.iter_mut().zipped(lanes) {
            take_nonce(tag, items[usize::from(*at)].iv);
        }
        self.own.encrypt(lanes.len(), from_mut(&mut self.tags));
    }

    /// Hashes the rows of a pass, from one on, of messages that have up to `most`.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn hash_pass(
        &mut self,
        direction: Direction,
        items: &mut [SivPacket<'_, '_>],
        lanes: &[u8],
        most: usize,
        first: usize,
    ) {
        let staged = &mut self.staged[..PASS.min(most - first)];
        for (lane, at) in lanes.iter().enumerate() {
            let item = &mut items[usize::from(*at)];
            // All messages end in the last row.
            let begin = most - hashed(item);
            let (before, own) = staged.split_at_mut(begin.saturating_sub(first).min(staged.len()));
            before.iter_mut().for_each(|row| row[lane] = [0; BLOCK]);
            let mut io = item.buffer.reborrow();
            let text = if direction == Direction::Encrypt { io.get_in() } else { &*io.get_out() };
            let (mut rows, mut done) = (own.iter_mut(), first.saturating_sub(begin));
            for data in [item.associated_data, text] {
                let blocks = data.len().div_ceil(BLOCK);
                let skipped = done.min(blocks);
                done -= skipped;
                if skipped == blocks {
                    continue;
                }
                let (whole, rest) = data[BLOCK * skipped..].as_chunks();
                for (block, row) in whole.iter().zip(&mut rows) {
                    row[lane] = *block;
                }
                if !rest.is_empty()
                    && let Some(row) = rows.next()
                {
                    row[lane] = *Block::from_part(rest).as_bytes();
                }
            }
            if let Some(row) = rows.next() {
                row[lane] = lengths(item.associated_data, text);
            }
        }
        polyval_rows(self.level, &self.hashes, lanes.len(), staged, &mut self.tags);
    }

    /// XORs the keystream that begins with each tag into the data.
    fn apply(&mut self, items: &mut [SivPacket<'_, '_>], lanes: &[u8]) {
        let most = lanes.iter().map(|at| text(&items[usize::from(*at)])).max().unwrap_or(0);
        let mut firsts = ZEROS;
        for (first, tag) in firsts.iter_mut().zipped(&self.tags).take(lanes.len()) {
            *first = *Block::from(u128::from_le_bytes(*tag) | 1 << 127).as_bytes();
        }
        if most > 0 {
            self.apply_pass(items, lanes, &firsts, most, 0);
        }
        for first in (PASS..most).step_by(PASS) {
            self.apply_pass(items, lanes, &firsts, most, first);
        }
    }

    /// XORs the keystream of a pass, from a block on, into the data.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn apply_pass(
        &mut self,
        items: &mut [SivPacket<'_, '_>],
        lanes: &[u8],
        firsts: &Row,
        most: usize,
        first: usize,
    ) {
        let stream = &mut self.rows[..PASS.min(most - first)];
        self.own.keystream(lanes.len(), firsts, first, stream);
        for (lane, at) in lanes.iter().enumerate() {
            let io = items[usize::from(*at)].buffer.reborrow();
            let done = (BLOCK * first).min(io.len());
            let (whole, mut rest) = io.split_at(done).1.into_chunks::<U16>();
            let (mut rows, left) = (stream.iter(), whole.len());
            for (mut block, row) in whole.into_iter().zip(&mut rows) {
                block.xor_in2out(&row[lane].into());
            }
            if left < stream.len()
                && let Some(row) = rows.next()
            {
                let made = Block::from_part(rest.get_in()) ^ Block::from(row[lane]);
                made.to_part(rest.get_out());
            }
        }
    }
}

/// Returns the blocks of the longest messages that go this way, of those with these blocks: the number for which all take least.
pub(super) fn longest_in_lanes(sizes: &[usize]) -> usize {
    let [row, message, block] = COSTS;
    let cost = |most: usize| {
        let alone = sizes.iter().map(|size| if *size > most { message + block * size } else { 0 });
        row * most + alone.sum::<usize>()
    };
    let candidates = sizes.iter().copied().filter(|size| *size <= LONGEST);
    candidates.min_by_key(|size| cost(*size)).unwrap_or(0)
}

/// True if a message goes this way whatever the others are.
pub(super) fn is_short(item: &SivPacket<'_, '_>) -> bool {
    text(item) <= MOST && item.associated_data.len() <= MOST * BLOCK
}

/// Returns the blocks of data and of associated data.
pub(super) fn blocks(item: &SivPacket<'_, '_>) -> usize {
    hashed(item) - 1
}

/// Returns the blocks of data.
fn text(item: &SivPacket<'_, '_>) -> usize {
    item.buffer.len().div_ceil(BLOCK)
}

/// Returns the blocks that are hashed.
fn hashed(item: &SivPacket<'_, '_>) -> usize {
    item.associated_data.len().div_ceil(BLOCK) + text(item) + 1
}

/// Returns the first halves of two blocks as one.
fn joined(low: &[u8; BLOCK], high: &[u8; BLOCK]) -> [u8; BLOCK] {
    let [low, high] = [low, high].map(|block| u128::from_le_bytes(*block));
    *Block::from(low & u128::from(u64::MAX) | high << 64).as_bytes()
}
