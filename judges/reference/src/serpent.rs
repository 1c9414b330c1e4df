//! Serpent with keys of 128 to 256 bits, from "Serpent: A Proposal for the Advanced Encryption
//! Standard" (Anderson, Biham and Knudsen, 1998).
//!
//! This is the conventional description of the paper, not the bit-sliced one that fast code
//! takes: the initial permutation gathers the four bits of an S-box in a nibble, the S-boxes are
//! looked up nibble by nibble, and the linear transformation is a table that says for each bit of
//! its output which bits of its input are added up.
//!
//! The paper numbers the bits of a block: word `w` of the bit-sliced description has the bits `32w`
//! to `32w + 31`. Here bit `i` of a block or of a key is the bit of weight 2^i in an integer. Bytes
//! come in two orders: [`Serpent`] reads them with the least significant first, as NESSIE and all
//! libraries do, [`SubmissionOrder`] with the most significant first, as the test vectors of the
//! submission were printed.

use std::fmt;

use crate::block::BlockCipher;

/// The number of rounds.
const R: usize = 32;

/// The fractional part of the golden ratio, of the key schedule.
const PHI: u32 = 0x9e3779b9;

/// Serpent under one key, with blocks and keys in the order of NESSIE.
///
/// ```
/// use abreast_reference::{BlockCipher, serpent::Serpent};
///
/// // NESSIE, 128-bit key, set 1, vector 0.
/// let key = (0x80_u128 << 120).to_be_bytes();
/// let ciphertext = 0x264e5481eff42a4606abda06c0bfda3d_u128.to_be_bytes();
/// assert_eq!(Serpent::new(&key).encrypt_block(&[0; 16]), ciphertext);
/// ```
#[derive(Clone)]
pub struct Serpent {
    /// The round keys after the initial permutation, `K̂_0` to `K̂_32`.
    round_keys: Vec<u128>,
}

impl Serpent {
    /// Expands a key of 16 to 32 bytes, of any length between them.
    ///
    /// # Panics
    ///
    /// If the key has another length.
    pub fn new(key: &[u8]) -> Self {
        Self { round_keys: round_keys(&prekeys(&padded(key))) }
    }
}

impl BlockCipher<16> for Serpent {
    /// `C = FP(B̂_32)`, where `B̂_0 = IP(P)` and `B̂_(i+1) = R_i(B̂_i)`.
    fn encrypt_block(&self, block: &[u8; 16]) -> [u8; 16] {
        let mut b = permute(&IP, u128::from_le_bytes(*block));
        for i in 0..R - 1 {
            b = transform(&LT_SUMS, s_hat(&SBOXES[i % 8], b ^ self.round_keys[i]));
        }
        // In the last round a second key takes the place of the linear transformation.
        b = s_hat(&SBOXES[(R - 1) % 8], b ^ self.round_keys[R - 1]) ^ self.round_keys[R];
        permute(&FP, b).to_le_bytes()
    }

    /// The inverses of all steps, in the opposite order.
    fn decrypt_block(&self, block: &[u8; 16]) -> [u8; 16] {
        let mut b = permute(&IP, u128::from_le_bytes(*block));
        b = s_hat(&INVERSE_SBOXES[(R - 1) % 8], b ^ self.round_keys[R]) ^ self.round_keys[R - 1];
        for i in (0..R - 1).rev() {
            b = s_hat(&INVERSE_SBOXES[i % 8], transform(&INV_LT_SUMS, b)) ^ self.round_keys[i];
        }
        permute(&FP, b).to_le_bytes()
    }
}

impl fmt::Debug for Serpent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Serpent").finish_non_exhaustive()
    }
}

/// Serpent in the byte order of the submission: all bytes of key, plaintext and ciphertext are
/// reversed.
///
/// ```
/// use abreast_reference::{BlockCipher, serpent::SubmissionOrder};
///
/// // The submission, variable key, first vector.
/// let key = (0x80_u128 << 120).to_be_bytes();
/// let ciphertext = 0x49afbfad9d5a34052cd8ffa5986bd2dd_u128.to_be_bytes();
/// assert_eq!(SubmissionOrder::new(&key).encrypt_block(&[0; 16]), ciphertext);
/// ```
#[derive(Clone)]
pub struct SubmissionOrder(Serpent);

impl SubmissionOrder {
    /// Expands a key of 16 to 32 bytes, of any length between them.
    ///
    /// # Panics
    ///
    /// If the key has another length.
    pub fn new(key: &[u8]) -> Self {
        let mut key = key.to_vec();
        key.reverse();
        Self(Serpent::new(&key))
    }
}

impl BlockCipher<16> for SubmissionOrder {
    fn encrypt_block(&self, block: &[u8; 16]) -> [u8; 16] {
        reversed(self.0.encrypt_block(&reversed(*block)))
    }

    fn decrypt_block(&self, block: &[u8; 16]) -> [u8; 16] {
        reversed(self.0.decrypt_block(&reversed(*block)))
    }
}

impl fmt::Debug for SubmissionOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SubmissionOrder").finish_non_exhaustive()
    }
}

/// The block with its last byte first.
fn reversed(mut block: [u8; 16]) -> [u8; 16] {
    block.reverse();
    block
}

/// A permutation of the bits of a block: bit `i` of the output is bit `table[i]` of the input.
type Permutation = [usize; 128];

/// The initial permutation: bit `i` of the four words goes to nibble `i`.
const IP: Permutation = {
    let mut table = [0; 128];
    let mut i = 0;
    while i < 128 {
        table[i] = 32 * (i % 4) + i / 4;
        i += 1;
    }
    table
};

/// The final permutation, the inverse of the initial one.
const FP: Permutation = {
    let mut table = [0; 128];
    let mut i = 0;
    while i < 128 {
        table[IP[i]] = i;
        i += 1;
    }
    table
};

/// `IP` or `FP` of a block.
fn permute(table: &Permutation, input: u128) -> u128 {
    let mut output = 0;
    for (i, from) in table.iter().enumerate() {
        output |= (input >> from & 1) << i;
    }
    output
}

/// The S-boxes, from the paper's appendix.
pub const SBOXES: [[u8; 16]; 8] = [
    [3, 8, 15, 1, 10, 6, 5, 11, 14, 13, 4, 2, 7, 0, 9, 12],
    [15, 12, 2, 7, 9, 0, 5, 10, 1, 11, 14, 8, 6, 13, 3, 4],
    [8, 6, 7, 9, 3, 12, 10, 15, 13, 1, 14, 4, 0, 11, 5, 2],
    [0, 15, 11, 8, 12, 9, 6, 3, 13, 1, 2, 4, 10, 7, 5, 14],
    [1, 15, 8, 3, 12, 0, 11, 6, 2, 5, 4, 10, 9, 14, 7, 13],
    [15, 5, 2, 11, 4, 10, 9, 12, 0, 3, 14, 8, 13, 6, 7, 1],
    [7, 2, 12, 5, 8, 4, 6, 11, 14, 9, 1, 15, 13, 3, 10, 0],
    [1, 13, 15, 0, 14, 8, 2, 11, 7, 4, 12, 10, 9, 3, 5, 6],
];

/// The inverse S-boxes: the S-boxes with their inputs and outputs switched.
pub const INVERSE_SBOXES: [[u8; 16]; 8] = {
    let mut tables = [[0; 16]; 8];
    let mut i = 0;
    while i < 8 {
        let mut x = 0;
        while x < 16 {
            tables[i][SBOXES[i][x] as usize] = x as u8;
            x += 1;
        }
        i += 1;
    }
    tables
};

/// `Ŝ`: 32 copies of one S-box side by side, each on a nibble.
fn s_hat(table: &[u8; 16], input: u128) -> u128 {
    let of = |nibble: u8| table[usize::from(nibble)];
    u128::from_le_bytes(input.to_le_bytes().map(|two| of(two & 0xf) | of(two >> 4) << 4))
}

/// The linear transformation as a table: bit `i` of the output is the sum of those bits of the
/// input that are set in entry `i`.
type Transformation = [u128; 128];

/// The linear transformation.
const LT: Transformation = {
    let [mut x0, mut x1, mut x2, mut x3] = WORDS;
    x0 = rotate_left(x0, 13);
    x2 = rotate_left(x2, 3);
    x1 = add(x1, add(x0, x2));
    x3 = add(x3, add(x2, shift_left(x0, 3)));
    x1 = rotate_left(x1, 1);
    x3 = rotate_left(x3, 7);
    x0 = add(x0, add(x1, x3));
    x2 = add(x2, add(x3, shift_left(x1, 7)));
    x0 = rotate_left(x0, 5);
    x2 = rotate_left(x2, 22);
    table_of([x0, x1, x2, x3])
};

/// The inverse linear transformation.
const INV_LT: Transformation = {
    let [mut x0, mut x1, mut x2, mut x3] = WORDS;
    x2 = rotate_left(x2, 32 - 22);
    x0 = rotate_left(x0, 32 - 5);
    x2 = add(x2, add(x3, shift_left(x1, 7)));
    x0 = add(x0, add(x1, x3));
    x3 = rotate_left(x3, 32 - 7);
    x1 = rotate_left(x1, 32 - 1);
    x3 = add(x3, add(x2, shift_left(x0, 3)));
    x1 = add(x1, add(x0, x2));
    x2 = rotate_left(x2, 32 - 3);
    x0 = rotate_left(x0, 32 - 13);
    table_of([x0, x1, x2, x3])
};

/// Both, as [`transform`] wants them.
static LT_SUMS: Sums = sums(&LT);
static INV_LT_SUMS: Sums = sums(&INV_LT);

/// A word of the paper's equations for the linear transformation, which it gives in place of the
/// table: for each bit the set of the bits of the input, after `IP`, that it is the sum of.
type Word = [u128; 32];

/// The words before the transformation: `IP` has brought bit `i` of word `w` to bit `4i + w`.
const WORDS: [Word; 4] = {
    let mut words = [[0; 32]; 4];
    let mut bit = 0;
    while bit < 128 {
        words[bit % 4][bit / 4] = 1 << bit;
        bit += 1;
    }
    words
};

/// The table that has the sums of four words in the places of their bits.
const fn table_of(words: [Word; 4]) -> Transformation {
    let mut table = [0; 128];
    let mut bit = 0;
    while bit < 128 {
        table[bit] = words[bit % 4][bit / 4];
        bit += 1;
    }
    table
}

/// `x <<< n`.
const fn rotate_left(x: Word, n: usize) -> Word {
    let mut rotated = [0; 32];
    let mut i = 0;
    while i < 32 {
        rotated[(i + n) % 32] = x[i];
        i += 1;
    }
    rotated
}

/// `x << n`: the lowest bits become the empty sum.
const fn shift_left(x: Word, n: usize) -> Word {
    let mut shifted = [0; 32];
    let mut i = n;
    while i < 32 {
        shifted[i] = x[i - n];
        i += 1;
    }
    shifted
}

/// `x ⊕ y`: a term in both sums cancels.
const fn add(x: Word, y: Word) -> Word {
    let mut sums = [0; 32];
    let mut i = 0;
    while i < 32 {
        sums[i] = x[i] ^ y[i];
        i += 1;
    }
    sums
}

/// The contribution of each nibble of the input to the output of a transformation, by its place and its value. Tests take
/// hundreds of thousands of blocks, for which sums that are ready are many times as fast as the table of bits.
type Sums = [[u128; 16]; 32];

/// The sums of a transformation.
const fn sums(table: &Transformation) -> Sums {
    let mut sums = [[0; 16]; 32];
    let mut bit = 0;
    while bit < 128 {
        let mut place = 0;
        while place < 32 {
            let mut nibble = 0;
            while nibble < 16 {
                let counted = (table[bit] >> (4 * place) & nibble).count_ones();
                sums[place][nibble as usize] |= ((counted % 2) as u128) << bit;
                nibble += 1;
            }
            place += 1;
        }
        bit += 1;
    }
    sums
}

/// The linear transformation, or its inverse, of a block.
fn transform(sums: &Sums, input: u128) -> u128 {
    let nibbles = input.to_le_bytes().into_iter().flat_map(|two| [two & 0xf, two >> 4]);
    nibbles.zip(sums).fold(0, |output, (nibble, sums)| output ^ sums[usize::from(nibble)])
}

/// A key shorter than 256 bits is followed by a one bit, and by zeroes to its end.
fn padded(key: &[u8]) -> [u8; 32] {
    assert!((16..=32).contains(&key.len()), "a Serpent key has 16 to 32 bytes, not {}", key.len());
    let mut padded = [0; 32];
    padded[..key.len()].copy_from_slice(key);
    if let Some(byte) = padded.get_mut(key.len()) {
        *byte = 1;
    }
    padded
}

/// The prekeys `w_0` to `w_131`. The key is `w_-8` to `w_-1`.
fn prekeys(key: &[u8; 32]) -> Vec<u32> {
    let mut w = key.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect::<Vec<_>>();
    for i in 0..4 * (R + 1) {
        // w_(i-n) is w[i + 8 - n].
        w.push((w[i] ^ w[i + 3] ^ w[i + 5] ^ w[i + 7] ^ PHI ^ i as u32).rotate_left(11));
    }
    w.split_off(8)
}

/// `K̂_i = IP(K_i)`. The paper takes S-box `3 - i` over four prekeys in its bit-sliced way; after
/// `IP` this is `Ŝ`.
fn round_keys(w: &[u32]) -> Vec<u128> {
    let mut round_keys = Vec::with_capacity(R + 1);
    for (i, w) in w.as_chunks::<4>().0.iter().enumerate() {
        let words = w.iter().rev().fold(0, |words, w| words << 32 | u128::from(*w));
        round_keys.push(s_hat(&SBOXES[(R + 3 - i) % 8], permute(&IP, words)));
    }
    round_keys
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The key `80 00 ..` of NESSIE's first vectors.
    fn first_key(len: usize) -> Vec<u8> {
        let mut key = vec![0; len];
        key[0] = 0x80;
        key
    }

    #[test]
    fn first_vectors_of_nessie() {
        let cases = [
            (16, 0x264e5481eff42a4606abda06c0bfda3d),
            (24, 0x9e274ead9b737bb21efcfca548602689),
            (32, 0xa223aa1288463c0e2be38ebd825616c0_u128),
        ];
        for (len, ciphertext) in cases {
            let cipher = Serpent::new(&first_key(len));
            assert_eq!(cipher.encrypt_block(&[0; 16]), ciphertext.to_be_bytes());
            assert_eq!(cipher.decrypt_block(&ciphertext.to_be_bytes()), [0; 16]);
        }
    }

    #[test]
    fn first_vector_of_the_submission() {
        let cipher = SubmissionOrder::new(&first_key(16));
        let ciphertext = 0x49afbfad9d5a34052cd8ffa5986bd2dd_u128.to_be_bytes();
        assert_eq!(cipher.encrypt_block(&[0; 16]), ciphertext);
        assert_eq!(cipher.decrypt_block(&ciphertext), [0; 16]);
    }

    /// The numbers of the bits that are set.
    fn bits_of(set: u128) -> Vec<u32> {
        (0..128).filter(|bit| set >> bit & 1 == 1).collect()
    }

    #[test]
    fn first_entries_of_the_tables() {
        assert_eq!(IP[..8], [0, 32, 64, 96, 1, 33, 65, 97]);
        assert_eq!(FP[..8], [0, 4, 8, 12, 16, 20, 24, 28]);
        assert_eq!(bits_of(LT[0]), [16, 52, 56, 70, 83, 94, 105]);
        assert_eq!(bits_of(LT[1]), [72, 114, 125]);
        assert_eq!(bits_of(LT[2]), [2, 9, 15, 30, 76, 84, 126]);
        assert_eq!(bits_of(LT[3]), [36, 90, 103]);
        assert_eq!(bits_of(INV_LT[0]), [53, 55, 72]);
        assert_eq!(bits_of(INV_LT[1]), [1, 5, 20, 90]);
        assert_eq!(bits_of(INV_LT[2]), [15, 102]);
        assert_eq!(bits_of(INV_LT[3]), [3, 31, 90]);
    }

    #[test]
    fn inverse_steps_undo_the_steps() {
        let start = 0x00112233445566778899aabbccddeeff;
        for (table, inverse) in SBOXES.iter().zip(&INVERSE_SBOXES) {
            assert_eq!(s_hat(inverse, s_hat(table, start)), start);
        }
        assert_eq!(transform(&INV_LT_SUMS, transform(&LT_SUMS, start)), start);
        assert_eq!(permute(&FP, permute(&IP, start)), start);
    }

    /// Checks the two criteria of the paper that a slip of the pen is likely to break: no differential has a probability above
    /// 1/4, and one bit never makes one bit.
    #[test]
    fn s_boxes_are_as_the_paper_wants_them() {
        for table in SBOXES {
            for input in 1..16 {
                let mut counts = [0; 16];
                for x in 0..16 {
                    counts[usize::from(table[x] ^ table[x ^ input])] += 1;
                }
                for (output, count) in counts.into_iter().enumerate() {
                    assert!(count <= 4);
                    assert!(count == 0 || input.count_ones() > 1 || output.count_ones() > 1);
                }
            }
        }
    }

    #[test]
    fn a_short_key_is_the_long_one_with_its_padding() {
        for len in 16..32 {
            let mut long = vec![0x5a; len];
            long.push(1);
            long.resize(32, 0);
            let short = Serpent::new(&long[..len]);
            assert_eq!(short.encrypt_block(&[7; 16]), Serpent::new(&long).encrypt_block(&[7; 16]), "{len}");
        }
    }

    #[test]
    fn keys_do_not_print() {
        assert_eq!(format!("{:?}", Serpent::new(&[0x42; 16])), "Serpent { .. }");
        assert_eq!(format!("{:?}", SubmissionOrder::new(&[0x42; 16])), "SubmissionOrder { .. }");
    }

    #[test]
    #[should_panic(expected = "a Serpent key has 16 to 32 bytes, not 15")]
    fn shorter_keys_panic() {
        Serpent::new(&[0; 15]);
    }

    #[test]
    #[should_panic(expected = "a Serpent key has 16 to 32 bytes, not 33")]
    fn longer_keys_panic() {
        Serpent::new(&[0; 33]);
    }
}
