//! BLAKE2b without a key, from RFC 7693 (2015): the hash from which AEZ derives subkeys.
//!
//! The AEZ paper prints it too, in appendix A, but there a last block is not marked as such if it is a
//! whole one, and an empty message has no block. It refers to the RFC as the authority.

/// `IV[0..8]`, section 2.6.
const IV: [u64; 8] = [
    0x6a09e667f3bcc908,
    0xbb67ae8584caa73b,
    0x3c6ef372fe94f82b,
    0xa54ff53a5f1d36f1,
    0x510e527fade682d1,
    0x9b05688c2b3e6c1f,
    0x1f83d9abfb41bd6b,
    0x5be0cd19137e2179,
];

/// `SIGMA`, section 2.7; rounds 10 and 11 take the first two again.
const SIGMA: [[usize; 16]; 10] = [
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
    [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
    [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
    [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
    [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
    [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
    [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
    [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
    [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
];

/// `BLAKE2`, section 3.3, with no key: a digest of `nn` bytes, from 1 to 64.
pub(crate) fn blake2b(nn: usize, message: &[u8]) -> Vec<u8> {
    let mut h = IV;
    h[0] ^= 0x01010000 ^ nn as u64;
    // All blocks but the last, which is whole or in part or, of the empty message alone, empty.
    let (first, last) = message.split_at(message.len().saturating_sub(1) / 128 * 128);
    for (d, block) in first.as_chunks::<128>().0.iter().enumerate() {
        compress(&mut h, block, (d + 1) as u128 * 128, false);
    }
    let mut block = [0; 128];
    block[..last.len()].copy_from_slice(last);
    compress(&mut h, &block, message.len() as u128, true);
    h.map(u64::to_le_bytes).as_flattened()[..nn].to_vec()
}

/// `F`, section 3.2: takes up a block, the last byte of which is byte `t` of the message.
fn compress(h: &mut [u64; 8], block: &[u8; 128], t: u128, f: bool) {
    let mut m = [0; 16];
    for (m, bytes) in m.iter_mut().zip(block.as_chunks::<8>().0) {
        *m = u64::from_le_bytes(*bytes);
    }
    let mut v = [0; 16];
    v[..8].copy_from_slice(h);
    v[8..].copy_from_slice(&IV);
    v[12] ^= t as u64;
    v[13] ^= (t >> 64) as u64;
    if f {
        v[14] = !v[14];
    }
    for i in 0..12 {
        let s = SIGMA[i % 10];
        mix(&mut v, [0, 4, 8, 12], m[s[0]], m[s[1]]);
        mix(&mut v, [1, 5, 9, 13], m[s[2]], m[s[3]]);
        mix(&mut v, [2, 6, 10, 14], m[s[4]], m[s[5]]);
        mix(&mut v, [3, 7, 11, 15], m[s[6]], m[s[7]]);
        mix(&mut v, [0, 5, 10, 15], m[s[8]], m[s[9]]);
        mix(&mut v, [1, 6, 11, 12], m[s[10]], m[s[11]]);
        mix(&mut v, [2, 7, 8, 13], m[s[12]], m[s[13]]);
        mix(&mut v, [3, 4, 9, 14], m[s[14]], m[s[15]]);
    }
    for i in 0..8 {
        h[i] ^= v[i] ^ v[i + 8];
    }
}

/// `G`, section 3.1.
fn mix(v: &mut [u64; 16], [a, b, c, d]: [usize; 4], x: u64, y: u64) {
    v[a] = v[a].wrapping_add(v[b]).wrapping_add(x);
    v[d] = (v[d] ^ v[a]).rotate_right(32);
    v[c] = v[c].wrapping_add(v[d]);
    v[b] = (v[b] ^ v[c]).rotate_right(24);
    v[a] = v[a].wrapping_add(v[b]).wrapping_add(y);
    v[d] = (v[d] ^ v[a]).rotate_right(16);
    v[c] = v[c].wrapping_add(v[d]);
    v[b] = (v[b] ^ v[c]).rotate_right(63);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn example_of_appendix_a() {
        let digest = [
            0xba80a53f981c4d0d6a2797b69f12f6e9_u128,
            0x4c212f14685ac4b74b12bb6fdbffa2d1,
            0x7d87c5392aab792dc252d5de4533cc95,
            0x18d38aa8dbf1925ab92386edd4009923,
        ];
        assert_eq!(blake2b(64, b"abc"), digest.map(u128::to_be_bytes).as_flattened());
    }
}
