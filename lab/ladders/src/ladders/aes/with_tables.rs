//! The steps that look up tables: bytes of the state are addresses, which leaks keys through the caches.

use super::packets::{KEY, Nonce, Packets, counter_block};
use super::tables::{RoundKeys, S_BOX, TE, TE0, TE1, TE2, TE3, expand};
use crate::ladder::Step;

/// From the textbook's routine to cached counters.
pub(super) fn steps(packets: &Packets) -> Vec<Step> {
    let keys = expand(&KEY);
    let step = |name, change, encrypt: fn(&RoundKeys, &Nonce, &[u8], &mut [u8])| {
        packets.step(name, change, move |nonce, input, output| encrypt(&keys, nonce, input, output))
    };
    vec![
        step(
            "a call for each block",
            "The usual routine: a round is 16 lookups in four tables of 1 KiB, which hold SubBytes together with \
             MixColumns, and the last round, without MixColumns, looks up the S-box.",
            call_for_each_block,
        ),
        step(
            "inlined, on words",
            "The routine is inlined into the loop over the blocks of a packet. Counter blocks and keystream are words \
             in registers and no longer go through memory as bytes.",
            inlined,
        ),
        step(
            "1 KiB-aligned tables",
            "The four tables are one array, aligned to 1 KiB. An instruction of the TILE-Gx then makes an address from \
             that of a table and a byte of the state; x86 needs one register instead of four for the tables.",
            aligned_tables,
        )
        .differs(
            "A load on x86 adds the address of the tables, a constant and four times the index by itself, so that \
             there was no instruction to save.",
        ),
        step(
            "64 bits, keys in registers",
            "Input and output are words of 64 bits, and the rounds are written out with local copies of the round \
             keys, all of which the TILE-Gx keeps in registers.",
            local_keys,
        )
        .differs(
            "A round takes all 16 registers of x86 for states and indices, so that the local round keys lie on the \
             stack and only the loop over the rounds is saved.",
        ),
        step(
            "last round without a table",
            "The last round takes the S-box from the four tables, each entry of which holds it twice, and masks the \
             other bytes. One table less competes for the cache.",
            masked_last_round,
        )
        .then(1.61)
        .differs(
            "The compiler makes words of the routine's bytes from the start, lookups need no instructions for \
             addresses, the registers are too few for the round keys, and a cache of 32 KiB has room for the S-box, so \
             that inlining is nearly all that is left of the gain.",
        ),
        step(
            "cached counters",
            "Counter blocks whose counters differ in the last byte alone share 15 of the 16 lookups of the first round \
             and 12 of the second. These 27 of 160 are done once for a packet of fewer than 256 blocks.",
            cached_counters,
        ),
    ]
}

/// Returns the contribution of a byte of a row to a new column, from a table of its own for each row.
#[inline(always)]
fn separate(row: usize, byte: u8) -> u32 {
    let table = match row {
        0 => &TE0,
        1 => &TE1,
        2 => &TE2,
        _ => &TE3,
    };
    table[usize::from(byte)]
}

/// Returns the contribution of a byte of a row to a new column, from the one array of all tables.
#[inline(always)]
fn aligned(row: usize, byte: u8) -> u32 {
    TE.0[row][usize::from(byte)]
}

/// Returns the contribution of a byte of a row in the last round, from the S-box.
#[inline(always)]
fn substituted(row: usize, byte: u8) -> u32 {
    u32::from(S_BOX[usize::from(byte)]) << (8 * row)
}

/// Returns the contribution of a byte of a row in the last round without the S-box: the second table after that of a
/// row holds the byte in the place of that row.
#[inline(always)]
fn masked(row: usize, byte: u8) -> u32 {
    aligned((row + 2) % 4, byte) & (0xff << (8 * row))
}

/// A new column, without the round key: of each row the byte that `ShiftRows` brings there, looked up.
#[inline(always)]
fn column(state: [u32; 4], number: usize, lookup: impl Fn(usize, u8) -> u32) -> u32 {
    let mut sum = 0;
    for row in 0..4 {
        sum ^= lookup(row, (state[(number + row) % 4] >> (8 * row)) as u8);
    }
    sum
}

/// A round, by a table for each row.
#[inline(always)]
fn round(state: [u32; 4], key: [u32; 4], lookup: impl Fn(usize, u8) -> u32) -> [u32; 4] {
    let mut next = key;
    for (number, next) in next.iter_mut().enumerate() {
        *next ^= column(state, number, &lookup);
    }
    next
}

/// The first round key added to a block.
#[inline(always)]
fn whitened(keys: &RoundKeys, mut block: [u32; 4]) -> [u32; 4] {
    for (column, key) in block.iter_mut().zip(keys[0]) {
        *column ^= key;
    }
    block
}

/// All rounds.
#[inline(always)]
fn encrypt(keys: &RoundKeys, block: [u32; 4], lookup: impl Fn(usize, u8) -> u32) -> [u32; 4] {
    let mut state = whitened(keys, block);
    for key in &keys[1..10] {
        state = round(state, *key, &lookup);
    }
    round(state, keys[10], substituted)
}

/// The words of some bytes.
#[inline(always)]
fn columns(bytes: &[u8; 16]) -> [u32; 4] {
    let mut columns = [0; 4];
    for (column, bytes) in columns.iter_mut().zip(bytes.as_chunks().0) {
        *column = u32::from_le_bytes(*bytes);
    }
    columns
}

/// Encrypts a block, in the shape of a library's function: from bytes to bytes.
#[inline(never)]
fn encrypt_block(keys: &RoundKeys, block: &[u8; 16], encrypted: &mut [u8; 16]) {
    let state = encrypt(keys, columns(block), separate);
    for (bytes, column) in encrypted.as_chunks_mut().0.iter_mut().zip(state) {
        *bytes = column.to_le_bytes();
    }
}

fn call_for_each_block(keys: &RoundKeys, nonce: &Nonce, input: &[u8], output: &mut [u8]) {
    let mut keystream = [0; 16];
    let blocks = input.as_chunks::<16>().0.iter().zip(output.as_chunks_mut::<16>().0);
    for (counter, (input, output)) in (1..).zip(blocks) {
        encrypt_block(keys, &counter_block(nonce, counter), &mut keystream);
        for (output, (input, key)) in output.iter_mut().zip(input.iter().zip(keystream)) {
            *output = input ^ key;
        }
    }
}

/// The blocks of a packet by words of 32 bits: `keystream` makes four of four.
#[inline(always)]
fn by_columns(nonce: &Nonce, input: &[u8], output: &mut [u8], keystream: impl Fn([u32; 4]) -> [u32; 4]) {
    let mut block = columns(&counter_block(nonce, 0));
    let blocks = input.as_chunks::<16>().0.iter().zip(output.as_chunks_mut::<16>().0);
    for (counter, (input, output)) in (1_u32..).zip(blocks) {
        block[3] = counter.swap_bytes();
        let words = columns(input).into_iter().zip(keystream(block));
        for (bytes, (input, key)) in output.as_chunks_mut().0.iter_mut().zip(words) {
            *bytes = (input ^ key).to_le_bytes();
        }
    }
}

fn inlined(keys: &RoundKeys, nonce: &Nonce, input: &[u8], output: &mut [u8]) {
    by_columns(
        nonce,
        input,
        output,
        #[inline(always)]
        |block| encrypt(keys, block, separate),
    );
}

fn aligned_tables(keys: &RoundKeys, nonce: &Nonce, input: &[u8], output: &mut [u8]) {
    by_columns(
        nonce,
        input,
        output,
        #[inline(always)]
        |block| encrypt(keys, block, aligned),
    );
}

/// Encrypts the blocks of a packet by words of 64 bits: `keystream` makes four words of 32 bits from four.
#[inline(always)]
fn by_pairs(nonce: &Nonce, input: &[u8], output: &mut [u8], keystream: impl Fn([u32; 4]) -> [u32; 4]) {
    let mut block = columns(&counter_block(nonce, 0));
    let blocks = input.as_chunks::<16>().0.iter().zip(output.as_chunks_mut::<16>().0);
    for (counter, (input, output)) in (1_u32..).zip(blocks) {
        block[3] = counter.swap_bytes();
        let [a, b, c, d] = keystream(block).map(u64::from);
        let words = input.as_chunks().0.iter().zip([a | b << 32, c | d << 32]);
        for (bytes, (input, key)) in output.as_chunks_mut().0.iter_mut().zip(words) {
            *bytes = (u64::from_le_bytes(*input) ^ key).to_le_bytes();
        }
    }
}

/// All rounds, written out: each round key is a variable of its own.
#[inline(always)]
fn written_out(keys: &RoundKeys, block: [u32; 4], last: impl Fn(usize, u8) -> u32) -> [u32; 4] {
    let state = whitened(keys, block);
    let state = round(state, keys[1], aligned);
    let state = round(state, keys[2], aligned);
    from_round_3(keys, state, last)
}

/// The rounds from the third on.
#[inline(always)]
fn from_round_3(keys: &RoundKeys, state: [u32; 4], last: impl Fn(usize, u8) -> u32) -> [u32; 4] {
    let state = round(state, keys[3], aligned);
    let state = round(state, keys[4], aligned);
    let state = round(state, keys[5], aligned);
    let state = round(state, keys[6], aligned);
    let state = round(state, keys[7], aligned);
    let state = round(state, keys[8], aligned);
    let state = round(state, keys[9], aligned);
    round(state, keys[10], last)
}

/// The blocks of a packet by rounds that are written out, with a local copy of the round keys; `last` is the lookup of the
/// last round.
#[inline(always)]
fn with_local_keys(
    keys: &RoundKeys,
    nonce: &Nonce,
    input: &[u8],
    output: &mut [u8],
    last: impl Fn(usize, u8) -> u32,
) {
    let keys = *keys;
    by_pairs(
        nonce,
        input,
        output,
        #[inline(always)]
        |block| written_out(&keys, block, &last),
    );
}

fn local_keys(keys: &RoundKeys, nonce: &Nonce, input: &[u8], output: &mut [u8]) {
    with_local_keys(keys, nonce, input, output, substituted);
}

fn masked_last_round(keys: &RoundKeys, nonce: &Nonce, input: &[u8], output: &mut [u8]) {
    with_local_keys(keys, nonce, input, output, masked);
}

/// The common part of blocks whose counters differ in the last byte alone, which is row 3 of column 3.
///
/// `ShiftRows` brings that byte to column 0, so that the first round changes column 0 alone, by one lookup. From there
/// row 0 stays in column 0, row 1 goes to column 3, row 2 to column 2 and row 3 to column 1, so that the second round
/// changes each column by one lookup. These are five of 32 lookups; the other 27 are in here.
struct Shared {
    /// Column 0 after the first round, but for the lookup of the last byte.
    first: u32,
    /// The state after the second round, but for the lookups of column 0.
    second: [u32; 4],
}

impl Shared {
    /// By two whole rounds of one of the blocks, from which its own lookups are taken out again.
    #[inline(always)]
    fn new(keys: &RoundKeys, block: [u32; 4]) -> Self {
        let state = whitened(keys, block);
        let first = round(state, keys[1], aligned);
        let mut second = round(first, keys[2], aligned);
        for (column, own) in second.iter_mut().zip(own_lookups(first[0])) {
            *column ^= own;
        }
        Self { first: first[0] ^ own_lookup(state), second }
    }

    /// The state of another of the blocks after the second round.
    #[inline(always)]
    fn after_two_rounds(&self, keys: &RoundKeys, block: [u32; 4]) -> [u32; 4] {
        let mut state = own_lookups(self.first ^ own_lookup(whitened(keys, block)));
        for (column, shared) in state.iter_mut().zip(self.second) {
            *column ^= shared;
        }
        state
    }
}

/// The lookup of the last byte of a state.
#[inline(always)]
fn own_lookup(state: [u32; 4]) -> u32 {
    aligned(3, (state[3] >> 24) as u8)
}

/// The lookups of the bytes of column 0, for each column that of the byte that goes there.
#[inline(always)]
fn own_lookups(column: u32) -> [u32; 4] {
    let [a, b, c, d] = column.to_le_bytes();
    [aligned(0, a), aligned(3, d), aligned(2, c), aligned(1, b)]
}

fn cached_counters(keys: &RoundKeys, nonce: &Nonce, input: &[u8], output: &mut [u8]) {
    assert!(
        input.len() < 16 * 256,
        "a longer packet needs this again where the second byte of the counter changes"
    );
    let keys = *keys;
    let shared = Shared::new(&keys, columns(&counter_block(nonce, 1)));
    by_pairs(
        nonce,
        input,
        output,
        #[inline(always)]
        |block| from_round_3(&keys, shared.after_two_rounds(&keys, block), masked),
    );
}
