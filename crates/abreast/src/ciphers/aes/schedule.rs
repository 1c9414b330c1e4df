//! The key expansion (FIPS 197, section 5.2), for every key size.

/// Expands a key of 16, 24 or 32 bytes to `RK` round keys: 11, 13 or 15.
///
/// `sub_word` is the S-box on each byte of a little-endian word: the CPU's where it has one.
#[inline(always)]
pub(super) fn expand<const RK: usize>(key: &[u8], sub_word: impl Fn(u32) -> u32) -> [[u8; 16]; RK] {
    let words_in_key = key.len() / 4;
    let mut keys = [[0; 16]; RK];
    let words = keys.as_flattened_mut();
    words[..key.len()].copy_from_slice(key);
    let mut previous = word(words, words_in_key - 1);
    let mut constant = 1u32;
    for i in words_in_key..4 * RK {
        if i % words_in_key == 0 {
            // A word of FIPS 197 has its first byte on top; on little-endian words RotWord turns right.
            previous = sub_word(previous.rotate_right(8)) ^ constant;
            constant = constant << 1 ^ if constant == 0x80 { 0x11b } else { 0 };
        } else if words_in_key > 6 && i % words_in_key == 4 {
            previous = sub_word(previous);
        }
        previous ^= word(words, i - words_in_key);
        words[4 * i..4 * i + 4].copy_from_slice(&previous.to_le_bytes());
    }
    keys
}

#[inline(always)]
fn word(bytes: &[u8], i: usize) -> u32 {
    u32::from_le_bytes([bytes[4 * i], bytes[4 * i + 1], bytes[4 * i + 2], bytes[4 * i + 3]])
}
