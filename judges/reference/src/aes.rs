//! AES with 128-, 192- and 256-bit keys, from FIPS 197 (2001, update 1 of 2023).
//!
//! The state is kept as the standard draws it, `s[r][c]` in row `r` and column `c`, and the S-box
//! is computed from its definition, so that there is no table of constants to get wrong. The
//! inverse cipher is the straight one of section 5.3, not the "equivalent" one of section 5.3.5
//! that fast code takes.

use std::fmt;

use crate::block::BlockCipher;

/// The state (section 3.4): the byte in row `r` and column `c` is `s[r][c]`.
type State = [[u8; 4]; 4];

/// A word of the key schedule, and a column of the state: four bytes, row 0 first.
type Word = [u8; 4];

/// AES under one key. The length of the key picks AES-128, AES-192 or AES-256.
///
/// ```
/// use abreast_reference::{BlockCipher, aes::Aes};
///
/// // FIPS 197, appendix B.
/// let key = 0x2b7e151628aed2a6abf7158809cf4f3c_u128.to_be_bytes();
/// let plaintext = 0x3243f6a8885a308d313198a2e0370734_u128.to_be_bytes();
/// let ciphertext = 0x3925841d02dc09fbdc118597196a0b32_u128.to_be_bytes();
/// assert_eq!(Aes::new(&key).encrypt_block(&plaintext), ciphertext);
/// ```
#[derive(Clone)]
pub struct Aes {
    /// The key schedule, `4 * (Nr + 1)` words.
    w: Vec<Word>,
}

impl Aes {
    /// Expands a key of 16, 24 or 32 bytes.
    ///
    /// # Panics
    ///
    /// If the key has another length.
    pub fn new(key: &[u8]) -> Self {
        Self { w: key_expansion(key) }
    }

    /// The round key of one round: four words, one for each column.
    fn round_key(&self, round: usize) -> &[Word] {
        &self.w[4 * round..4 * round + 4]
    }

    /// `Nr`, the number of rounds: 10, 12 or 14.
    fn rounds(&self) -> usize {
        self.w.len() / 4 - 1
    }
}

impl BlockCipher<16> for Aes {
    /// `Cipher()`, section 5.1.
    fn encrypt_block(&self, block: &[u8; 16]) -> [u8; 16] {
        let mut s = state_from(block);
        add_round_key(&mut s, self.round_key(0));
        for round in 1..self.rounds() {
            sub_bytes(&mut s);
            shift_rows(&mut s);
            mix_columns(&mut s);
            add_round_key(&mut s, self.round_key(round));
        }
        sub_bytes(&mut s);
        shift_rows(&mut s);
        add_round_key(&mut s, self.round_key(self.rounds()));
        block_from(&s)
    }

    /// `InvCipher()`, section 5.3.
    fn decrypt_block(&self, block: &[u8; 16]) -> [u8; 16] {
        let mut s = state_from(block);
        add_round_key(&mut s, self.round_key(self.rounds()));
        for round in (1..self.rounds()).rev() {
            inv_shift_rows(&mut s);
            inv_sub_bytes(&mut s);
            add_round_key(&mut s, self.round_key(round));
            inv_mix_columns(&mut s);
        }
        inv_shift_rows(&mut s);
        inv_sub_bytes(&mut s);
        add_round_key(&mut s, self.round_key(0));
        block_from(&s)
    }
}

impl fmt::Debug for Aes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Aes").finish_non_exhaustive()
    }
}

/// One of the rounds of `Cipher()` before the last, section 5.1, of which AEZ is made.
pub(crate) fn round(block: &[u8; 16], round_key: &[u8; 16]) -> [u8; 16] {
    let mut s = state_from(block);
    sub_bytes(&mut s);
    shift_rows(&mut s);
    mix_columns(&mut s);
    add_round_key(&mut s, round_key.as_chunks().0);
    block_from(&s)
}

/// Section 3.4: `s[r][c] = in[r + 4c]`.
fn state_from(block: &[u8; 16]) -> State {
    let mut s = State::default();
    for r in 0..4 {
        for c in 0..4 {
            s[r][c] = block[r + 4 * c];
        }
    }
    s
}

/// Section 3.4: `out[r + 4c] = s[r][c]`.
fn block_from(s: &State) -> [u8; 16] {
    let mut block = [0; 16];
    for r in 0..4 {
        for c in 0..4 {
            block[r + 4 * c] = s[r][c];
        }
    }
    block
}

/// `xTimes()`, section 4.2: multiplication by x in GF(2^8), modulo x^8 + x^4 + x^3 + x + 1.
const fn x_times(b: u8) -> u8 {
    (b << 1) ^ if b & 0x80 != 0 { 0x1b } else { 0 }
}

/// Section 4.2: multiplication in GF(2^8), by adding up the multiples `b`, `bx`, `bx^2`, ... that
/// the bits of `a` call for.
const fn multiply(mut a: u8, mut b: u8) -> u8 {
    let mut product = 0;
    while a != 0 {
        if a & 1 != 0 {
            product ^= b;
        }
        a >>= 1;
        b = x_times(b);
    }
    product
}

/// Section 4.4: the multiplicative inverse in GF(2^8), as `b^254`; zero goes to zero.
const fn inverse(b: u8) -> u8 {
    // 254 = 2 + 4 + 8 + ... + 128.
    let mut power = multiply(b, b);
    let mut product = power;
    let mut exponent = 2;
    while exponent < 128 {
        power = multiply(power, power);
        product = multiply(product, power);
        exponent *= 2;
    }
    product
}

/// Section 5.1.1: `b'_i = b_i + b_(i+4) + b_(i+5) + b_(i+6) + b_(i+7) + c_i` on the inverse, with
/// indices modulo 8 and `c = {63}`.
const fn s_box_of(byte: u8) -> u8 {
    let b = inverse(byte);
    // A rotation to the left by 8 - n brings bit i + n to bit i.
    b ^ b.rotate_left(4) ^ b.rotate_left(3) ^ b.rotate_left(2) ^ b.rotate_left(1) ^ 0x63
}

/// `SBox()`, section 5.1.1, table 4.
const S_BOX: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = s_box_of(byte as u8);
        byte += 1;
    }
    table
};

/// `InvSBox()`, section 5.3.2, table 6: the S-box with its inputs and outputs switched.
const INV_S_BOX: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        table[S_BOX[byte] as usize] = byte as u8;
        byte += 1;
    }
    table
};

/// `SubBytes()`, section 5.1.1.
fn sub_bytes(s: &mut State) {
    for byte in s.as_flattened_mut() {
        *byte = S_BOX[usize::from(*byte)];
    }
}

/// `ShiftRows()`, section 5.1.2: row `r` is rotated to the left by `r` places.
fn shift_rows(s: &mut State) {
    for (r, row) in s.iter_mut().enumerate() {
        row.rotate_left(r);
    }
}

/// `MixColumns()`, section 5.1.3.
fn mix_columns(s: &mut State) {
    multiply_columns(s, [0x02, 0x03, 0x01, 0x01]);
}

/// Section 4.3: each column times the matrix whose first row is `row` and whose every further row
/// is the one above it rotated to the right by one place.
fn multiply_columns(s: &mut State, row: Word) {
    let old = *s;
    for (r, new_row) in s.iter_mut().enumerate() {
        let mut factors = row;
        factors.rotate_right(r);
        for (c, byte) in new_row.iter_mut().enumerate() {
            *byte = multiply(factors[0], old[0][c])
                ^ multiply(factors[1], old[1][c])
                ^ multiply(factors[2], old[2][c])
                ^ multiply(factors[3], old[3][c]);
        }
    }
}

/// `AddRoundKey()`, section 5.1.4; its own inverse (section 5.3.4).
fn add_round_key(s: &mut State, round_key: &[Word]) {
    for (c, word) in round_key.iter().enumerate() {
        for (r, byte) in word.iter().enumerate() {
            s[r][c] ^= byte;
        }
    }
}

/// `KeyExpansion()`, section 5.2.
fn key_expansion(key: &[u8]) -> Vec<Word> {
    assert!(matches!(key.len(), 16 | 24 | 32), "an AES key has 16, 24 or 32 bytes, not {}", key.len());
    let nk = key.len() / 4;
    let rounds = nk + 6;

    let mut w = key.as_chunks::<4>().0.to_vec();
    // Rcon[j] is the word (x^(j-1), 0, 0, 0), table 5.
    let mut rcon = 0x01;
    for i in nk..4 * (rounds + 1) {
        let mut temp = w[i - 1];
        if i % nk == 0 {
            temp = sub_word(rot_word(temp));
            temp[0] ^= rcon;
            rcon = x_times(rcon);
        } else if nk > 6 && i % nk == 4 {
            temp = sub_word(temp);
        }
        w.push(xor(w[i - nk], temp));
    }
    w
}

/// `RotWord()`, section 5.2.
fn rot_word([a0, a1, a2, a3]: Word) -> Word {
    [a1, a2, a3, a0]
}

/// `SubWord()`, section 5.2.
fn sub_word(word: Word) -> Word {
    word.map(|byte| S_BOX[usize::from(byte)])
}

/// Section 4.1: addition, which in a field of characteristic 2 is exclusive or.
fn xor(a: Word, b: Word) -> Word {
    [a[0] ^ b[0], a[1] ^ b[1], a[2] ^ b[2], a[3] ^ b[3]]
}

/// `InvShiftRows()`, section 5.3.1: row `r` is rotated to the right by `r` places.
fn inv_shift_rows(s: &mut State) {
    for (r, row) in s.iter_mut().enumerate() {
        row.rotate_right(r);
    }
}

/// `InvSubBytes()`, section 5.3.2.
fn inv_sub_bytes(s: &mut State) {
    for byte in s.as_flattened_mut() {
        *byte = INV_S_BOX[usize::from(*byte)];
    }
}

/// `InvMixColumns()`, section 5.3.3.
fn inv_mix_columns(s: &mut State) {
    multiply_columns(s, [0x0e, 0x0b, 0x0d, 0x09]);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One step of the cipher.
    type Step = fn(&mut State);

    #[test]
    fn products_of_section_4_2() {
        assert_eq!(multiply(0x57, 0x83), 0xc1);
        assert_eq!(multiply(0x57, 0x13), 0xfe);
        assert_eq!([0x57, 0xae, 0x47, 0x8e].map(x_times), [0xae, 0x47, 0x8e, 0x07]);
    }

    #[test]
    fn every_byte_but_zero_times_its_inverse_is_one() {
        assert_eq!(inverse(0), 0);
        for byte in 1..=255 {
            assert_eq!(multiply(byte, inverse(byte)), 1, "{byte:#04x}");
        }
    }

    #[test]
    fn corners_of_the_s_box() {
        // Section 5.1.1 works {53} -> {ed}; the others are the corners of table 4.
        let at = |byte: usize| S_BOX[byte];
        assert_eq!([at(0x53), at(0x00), at(0x0f), at(0xf0), at(0xff)], [0xed, 0x63, 0x76, 0x8c, 0x16]);
        for byte in 0..=255 {
            assert_eq!(INV_S_BOX[usize::from(at(byte))], byte as u8);
        }
    }

    #[test]
    fn key_schedules_of_appendix_a() {
        let key_128 = 0x2b7e151628aed2a6abf7158809cf4f3c_u128.to_be_bytes();
        let w = key_expansion(&key_128);
        assert_eq!(w.len(), 44);
        assert_eq!((w[4], w[43]), ([0xa0, 0xfa, 0xfe, 0x17], [0xb6, 0x63, 0x0c, 0xa6]));

        let mut key_192 = 0x8e73b0f7da0e6452c810f32b809079e5_u128.to_be_bytes().to_vec();
        key_192.extend(0x62f8ead2522c6b7b_u64.to_be_bytes());
        let w = key_expansion(&key_192);
        assert_eq!(w.len(), 52);
        assert_eq!((w[6], w[51]), ([0xfe, 0x0c, 0x91, 0xf7], [0x01, 0x00, 0x22, 0x02]));

        let mut key_256 = 0x603deb1015ca71be2b73aef0857d7781_u128.to_be_bytes().to_vec();
        key_256.extend(0x1f352c073b6108d72d9810a30914dff4_u128.to_be_bytes());
        let w = key_expansion(&key_256);
        assert_eq!(w.len(), 60);
        assert_eq!((w[8], w[59]), ([0x9b, 0xa3, 0x54, 0x11], [0x70, 0x6c, 0x63, 0x1e]));
    }

    #[test]
    fn first_round_of_appendix_b() {
        let mut s = state_from(&0x193de3bea0f4e22b9ac68d2ae9f84808_u128.to_be_bytes());
        let steps: [(Step, u128); 3] = [
            (sub_bytes, 0xd42711aee0bf98f1b8b45de51e415230),
            (shift_rows, 0xd4bf5d30e0b452aeb84111f11e2798e5),
            (mix_columns, 0x046681e5e0cb199a48f8d37a2806264c),
        ];
        for (step, after) in steps {
            step(&mut s);
            assert_eq!(u128::from_be_bytes(block_from(&s)), after);
        }
    }

    #[test]
    fn inverse_steps_undo_the_steps() {
        let start = state_from(&0x00112233445566778899aabbccddeeff_u128.to_be_bytes());
        let pairs: [(Step, Step); 3] =
            [(sub_bytes, inv_sub_bytes), (shift_rows, inv_shift_rows), (mix_columns, inv_mix_columns)];
        for (step, undo) in pairs {
            let mut s = start;
            step(&mut s);
            assert_ne!(s, start);
            undo(&mut s);
            assert_eq!(s, start);
        }
    }

    #[test]
    fn keys_do_not_print() {
        assert_eq!(format!("{:?}", Aes::new(&[0x42; 16])), "Aes { .. }");
    }

    #[test]
    #[should_panic(expected = "an AES key has 16, 24 or 32 bytes, not 20")]
    fn other_key_lengths_panic() {
        Aes::new(&[0; 20]);
    }
}
