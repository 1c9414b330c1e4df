//! The tables of AES and its key schedule, from the definitions in FIPS 197.
//!
//! A column of the state is a word whose lowest byte is row 0, as a little-endian machine loads it from memory.

/// The round keys of AES-128, four columns each.
pub(super) type RoundKeys = [[u32; 4]; 11];

/// The S-box (section 5.1.1).
pub(super) static S_BOX: [u8; 256] = s_box();

/// `SubBytes` and the products of `MixColumns` for rows 0, 1, 2 and 3 of a column, in four tables, wherever the linker
/// places each.
pub(super) static TE0: [u32; 256] = te(0);
pub(super) static TE1: [u32; 256] = te(1);
pub(super) static TE2: [u32; 256] = te(2);
pub(super) static TE3: [u32; 256] = te(3);

/// The four tables one after the other, each at a multiple of its own length.
pub(super) static TE: Aligned = Aligned([te(0), te(1), te(2), te(3)]);

/// Four tables of 1 KiB.
#[repr(align(1024))]
pub(super) struct Aligned(pub(super) [[u32; 256]; 4]);

/// Times x in GF(2^8) (section 4.2).
const fn times_x(byte: u8) -> u8 {
    (byte << 1) ^ (0x1b * (byte >> 7))
}

const fn s_box() -> [u8; 256] {
    // The powers of x + 1, which are all elements but zero: the inverse of power i is power 255 - i.
    let mut powers = [1; 256];
    let mut i = 1;
    while i < 256 {
        powers[i] = powers[i - 1] ^ times_x(powers[i - 1]);
        i += 1;
    }
    // Zero, for want of an inverse, is taken as its own.
    let mut table = [0x63; 256];
    let mut i = 0;
    while i < 255 {
        let b: u8 = powers[255 - i];
        table[powers[i] as usize] ^=
            b ^ b.rotate_left(1) ^ b.rotate_left(2) ^ b.rotate_left(3) ^ b.rotate_left(4);
        i += 1;
    }
    table
}

/// The table of a row: what its byte contributes to the new column (section 5.1.3).
const fn te(row: u32) -> [u32; 256] {
    let s_box = s_box();
    let mut table = [0; 256];
    let mut i = 0;
    while i < 256 {
        let s = s_box[i];
        let double = times_x(s);
        table[i] = u32::from_le_bytes([double, s, s, double ^ s]).rotate_left(8 * row);
        i += 1;
    }
    table
}

/// The key schedule (section 5.2).
pub(super) fn expand(key: &[u8; 16]) -> RoundKeys {
    let mut keys = [[0; 4]; 11];
    for (word, bytes) in keys[0].iter_mut().zip(key.as_chunks().0) {
        *word = u32::from_le_bytes(*bytes);
    }
    let mut constant = 1;
    for round in 1..keys.len() {
        let before = keys[round - 1];
        let mut word = before[3].rotate_right(8).to_le_bytes();
        for byte in &mut word {
            *byte = S_BOX[usize::from(*byte)];
        }
        word[0] ^= constant;
        constant = times_x(constant);
        let mut sum = u32::from_le_bytes(word);
        for (column, before) in keys[round].iter_mut().zip(before) {
            sum ^= before;
            *column = sum;
        }
    }
    keys
}
