//! The inputs of the block cipher vectors of NESSIE, which are the same rules for every cipher.
//!
//! Sets 1 to 4 encrypt the block, sets 5 to 8 decrypt it under the same keys.

use crate::BlockCase;

const BLOCK: usize = 16;

/// Key and block of the second vector of sets 4 and 8, repeated up to their lengths.
const KEY: u128 = 0x2bd6459f82c5b300952c49104881ff48;
const TEXT: u128 = 0xea024714ad5c4d84ea024714ad5c4d84;

/// The cases of one set for keys of `key_len` bytes, whose answers stand in `answers` one after the
/// other.
///
/// # Panics
///
/// If there is no such set, or if the answers are more or fewer than the inputs.
pub(crate) fn cases(name: &str, key_len: usize, set: u32, answers: &[u8]) -> Vec<BlockCase> {
    let inputs = inputs(key_len, set);
    let (answers, rest) = answers.as_chunks::<BLOCK>();
    assert!(answers.len() == inputs.len() && rest.is_empty(), "{name}: {} inputs", inputs.len());
    let mut cases = Vec::new();
    for (number, ((key, block), answer)) in inputs.into_iter().zip(answers).enumerate() {
        let (plaintext, ciphertext) =
            if set <= 4 { (block, answer.to_vec()) } else { (answer.to_vec(), block) };
        cases.push(BlockCase { name: format!("{name} vector {number}"), key, plaintext, ciphertext });
    }
    cases
}

/// Keys and blocks of one set.
fn inputs(key_len: usize, set: u32) -> Vec<(Vec<u8>, Vec<u8>)> {
    match set {
        1 | 5 => (0..8 * key_len).map(|bit| (one_bit(key_len, bit), vec![0; BLOCK])).collect(),
        2 | 6 => (0..8 * BLOCK).map(|bit| (vec![0; key_len], one_bit(BLOCK, bit))).collect(),
        3 | 7 => (0..=0xff).map(|byte| (vec![byte; key_len], vec![byte; BLOCK])).collect(),
        4 | 8 => {
            let ascending = ((0..).take(key_len).collect(), (0..).take(BLOCK).map(|i| 0x11 * i).collect());
            let random = (repeated(KEY, key_len), repeated(TEXT, BLOCK));
            vec![ascending, random]
        }
        _ => panic!("set {set} of 1 to 8"),
    }
}

/// `len` bytes with one bit set, counted from the highest of the first byte.
fn one_bit(len: usize, bit: usize) -> Vec<u8> {
    let mut bytes = vec![0; len];
    bytes[bit / 8] = 0x80 >> (bit % 8);
    bytes
}

fn repeated(word: u128, len: usize) -> Vec<u8> {
    word.to_be_bytes().into_iter().cycle().take(len).collect()
}
