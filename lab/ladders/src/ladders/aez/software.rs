//! An AES round without AES instructions.

/// The multiples 2, 1, 1 and 3 of the S-box in a word: what a byte in the first row adds to its column.
static TABLE: [u32; 256] = table();

/// `SubBytes`, `ShiftRows`, `MixColumns` and `AddRoundKey`, column by column from the table, as in the proposal of
/// Rijndael.
pub(super) fn round(state: [u8; 16], key: [u8; 16]) -> [u8; 16] {
    let mut columns = [0; 16];
    for c in 0..4 {
        let mut column = u32::from_le_bytes([key[4 * c], key[4 * c + 1], key[4 * c + 2], key[4 * c + 3]]);
        for row in 0..4 {
            let byte = state[(4 * (c + row) + row) % 16];
            column ^= TABLE[usize::from(byte)].rotate_left(8 * row as u32);
        }
        columns[4 * c..4 * c + 4].copy_from_slice(&column.to_le_bytes());
    }
    columns
}

const fn table() -> [u32; 256] {
    let mut table = [0; 256];
    // All elements of the field but zero are powers of 3; each is met together with its inverse.
    let (mut x, mut inverse) = (1, 1);
    loop {
        table[x as usize] = entry(inverse);
        x = double(x) ^ x;
        inverse = divided_by_3(inverse);
        if x == 1 {
            break;
        }
    }
    table[0] = entry(0);
    table
}

/// An entry for a byte with this inverse.
const fn entry(inverse: u8) -> u32 {
    let sum = inverse
        ^ inverse.rotate_left(1)
        ^ inverse.rotate_left(2)
        ^ inverse.rotate_left(3)
        ^ inverse.rotate_left(4);
    let s = sum ^ 0x63;
    u32::from_le_bytes([double(s), s, s, double(s) ^ s])
}

/// Twice an element of the field of AES.
const fn double(x: u8) -> u8 {
    (x << 1) ^ ((x >> 7) * 0x1b)
}

/// The product with 0xf6, the inverse of 3.
const fn divided_by_3(x: u8) -> u8 {
    let (mut product, mut multiple, mut bits) = (0, x, 0xf6_u8);
    while bits != 0 {
        if bits & 1 == 1 {
            product ^= multiple;
        }
        multiple = double(multiple);
        bits >>= 1;
    }
    product
}
