//! AEZ, from "AEZ v5: Authenticated Encryption by Enciphering" (Hoang, Krovetz and Rogaway, 2017-03-21),
//! figures 3, 4 and 10.
//!
//! A message and its authenticator, a string of zero bytes, are enciphered as one string. There is no separate tag: all of
//! the ciphertext changes with any bit. A string is a number of bytes, a block a number of 128 bits, whose first bit is the
//! most significant one.
//!
//! Figure 3 and the text differ where the rest between the pairs and the last two blocks has exactly 16 bytes: the figure
//! goes on to hash an empty second part, the text does not. The authors' implementation follows the figure, and so does
//! this one.

use std::ops::Range;

use crate::aes;
use crate::blake2b::blake2b;
use crate::block;

/// The bit in front of `10*`, where nothing stands before it.
const ONE_ZEROS: u128 = 1 << 127;

/// `Encrypt(K, N, A, τ, M)`, figure 3, lines 100 to 104: the ciphertext, `tau_bytes` longer than the
/// message. Key, nonce and message have any length, zero included, and so has each of any number of
/// strings of associated data. None of them and a single empty one are not the same.
///
/// ```
/// use abreast_reference::aez;
///
/// let ciphertext = aez::encrypt(b"key", b"nonce", &[b"data", b"more data"], 16, b"secret");
/// assert_eq!(ciphertext.len(), 6 + 16);
/// let decrypt = |nonce| aez::decrypt(b"key", nonce, &[b"data", b"more data"], 16, &ciphertext);
/// assert_eq!(decrypt(b"nonce").unwrap(), b"secret");
/// assert_eq!(decrypt(b"twice"), None);
/// ```
pub fn encrypt(key: &[u8], nonce: &[u8], ads: &[&[u8]], tau_bytes: usize, message: &[u8]) -> Vec<u8> {
    let k = Subkeys::new(key);
    let tau = tau_block(tau_bytes);
    let t = tweak(&tau, nonce, ads);
    if message.is_empty() {
        return aez_prf(&k, &t, tau_bytes);
    }
    encipher(&k, &t, &[message, &vec![0; tau_bytes]].concat())
}

/// `Decrypt(K, N, A, τ, C)`, figure 3, lines 110 to 116: the message, or `None`, the paper's `⊥`.
///
/// ```
/// use abreast_reference::aez;
///
/// // Without an authenticator every ciphertext is one of some message.
/// assert!(aez::decrypt(b"key", b"nonce", &[], 0, b"any").is_some());
/// assert_eq!(aez::decrypt(b"key", b"nonce", &[], 4, b"any"), None);
/// ```
pub fn decrypt(
    key: &[u8],
    nonce: &[u8],
    ads: &[&[u8]],
    tau_bytes: usize,
    ciphertext: &[u8],
) -> Option<Vec<u8>> {
    let k = Subkeys::new(key);
    let tau = tau_block(tau_bytes);
    let t = tweak(&tau, nonce, ads);
    let message_len = ciphertext.len().checked_sub(tau_bytes)?;
    if message_len == 0 {
        return (ciphertext == aez_prf(&k, &t, tau_bytes)).then(Vec::new);
    }
    let mut x = decipher(&k, &t, ciphertext);
    let z = x.split_off(message_len);
    z.iter().all(|&byte| byte == 0).then_some(x)
}

/// `AEZ-hash(K, T)`, figure 4, lines 300 to 306, of any vector of strings: of `[τ]_128` with `τ` in
/// bits, the nonce and each string of associated data, where a message is encrypted.
///
/// ```
/// use abreast_reference::aez;
///
/// let no_data = aez::hash(b"key", &[b"a tau of a block", b"nonce"]);
/// let empty_data = aez::hash(b"key", &[b"a tau of a block", b"nonce", b""]);
/// assert_ne!(no_data, empty_data);
/// ```
pub fn hash(key: &[u8], t: &[&[u8]]) -> [u8; 16] {
    aez_hash(&Subkeys::new(key), t).to_be_bytes()
}

/// `Extract(K)`, figure 4, lines 410 to 412: the 48 bytes of the three subkeys.
///
/// ```
/// use abreast_reference::aez;
///
/// assert_eq!(aez::extract(&[7; 48]), [7; 48]);
/// assert_ne!(aez::extract(&[7; 47])[..47], [7; 47]);
/// ```
pub fn extract(key: &[u8]) -> [u8; 48] {
    key.try_into().unwrap_or_else(|_| blake2b(48, key).try_into().expect("a digest of 48 bytes"))
}

/// `[τ]_128`: the length of the authenticator in bits.
fn tau_block(tau_bytes: usize) -> [u8; 16] {
    (8 * tau_bytes as u128).to_be_bytes()
}

/// `T`, lines 102 and 111: all that a message is encrypted with, besides the key.
fn tweak<'a>(tau: &'a [u8; 16], nonce: &'a [u8], ads: &[&'a [u8]]) -> Vec<&'a [u8]> {
    [&[tau, nonce], ads].concat()
}

/// `Encipher(K, T, X)`, figure 3, lines 200 to 202.
fn encipher(k: &Subkeys, t: &[&[u8]], x: &[u8]) -> Vec<u8> {
    if x.len() < 32 { encipher_tiny(k, t, x) } else { aez_core(k, t, x, [1, 2]) }
}

/// `Decipher(K, T, C)`, figure 10, lines 600 to 602. AEZ-core deciphers with the tweaks of its last two
/// blocks in the reverse order.
fn decipher(k: &Subkeys, t: &[&[u8]], c: &[u8]) -> Vec<u8> {
    if c.len() < 32 { decipher_tiny(k, t, c) } else { aez_core(k, t, c, [2, 1]) }
}

/// `Encipher-AEZ-tiny(K, T, M)`, figure 3, lines 210 to 216.
fn encipher_tiny(k: &Subkeys, t: &[&[u8]], m: &[u8]) -> Vec<u8> {
    let delta = aez_hash(k, t);
    let c = feistel(k, delta, m, 0..tiny_rounds(m.len()));
    correct_parity(k, delta, c)
}

/// `Decipher-AEZ-tiny(K, T, C)`, figure 10, lines 610 to 616.
fn decipher_tiny(k: &Subkeys, t: &[&[u8]], c: &[u8]) -> Vec<u8> {
    let delta = aez_hash(k, t);
    let c = correct_parity(k, delta, c.to_vec());
    feistel(k, delta, &c, (0..tiny_rounds(c.len())).rev())
}

/// Lines 212 and 613: `k`, the number of rounds for a string of `len` bytes.
fn tiny_rounds(len: usize) -> u128 {
    match len {
        1 => 24,
        2 => 16,
        3..16 => 10,
        _ => 8,
    }
}

/// Lines 213 to 215 and 614 to 616: rounds with the numbers `j`, on halves that may end within a byte.
fn feistel(k: &Subkeys, delta: u128, string: &[u8], j: impl Iterator<Item = u128>) -> Vec<u8> {
    let mu = 8 * string.len();
    let n = mu / 2;
    let i = if mu >= 128 { 6 } else { 7 };
    let mut l = bits(string, 0..n);
    let mut r = bits(string, n..mu);
    for j in j {
        let f = e(k, 0, i, delta ^ r ^ ONE_ZEROS >> n ^ j);
        (l, r) = (r, l ^ f & !(u128::MAX >> n));
    }
    let mut swapped = vec![0; string.len()];
    for (half, from) in [(r, 0), (l, n)] {
        for bit in 0..n {
            let one = half << bit & ONE_ZEROS != 0;
            swapped[(from + bit) / 8] |= u8::from(one) << (7 - (from + bit) % 8);
        }
    }
    swapped
}

/// Lines 215 and 612: of strings of less than a block the first bit may change, since the rounds make
/// even permutations alone.
fn correct_parity(k: &Subkeys, delta: u128, mut c: Vec<u8>) -> Vec<u8> {
    if c.len() < 16 {
        let change = e(k, 0, 3, delta ^ (bits(&c, 0..8 * c.len()) | ONE_ZEROS)) & ONE_ZEROS;
        c[0] ^= change.to_be_bytes()[0];
    }
    c
}

/// `Encipher-AEZ-core(K, T, M)`, figure 3, lines 220 to 233, where the tweaks `(0, first)` and `(-1,
/// first)` come before `(0, second)` and `(-1, second)`. These are 1 and 2; with 2 and 1 it is
/// `Decipher-AEZ-core`, figure 10, lines 620 to 633.
fn aez_core(k: &Subkeys, t: &[&[u8]], m: &[u8], [first, second]: [u128; 2]) -> Vec<u8> {
    let delta = aez_hash(k, t);
    let (m_i, m_uvxy) = m.split_at(m.len() / 32 * 32 - 32);
    let (m_uv, m_xy) = m_uvxy.split_at(m.len() % 32);
    let (m_u, m_v) = m_uv.split_at(m_uv.len().min(16));
    let m_x = block(&m_xy[..16]);
    let m_y = block(&m_xy[16..]);

    let mut w_x = Vec::new();
    let mut x = hash_uv(k, m_u, m_v);
    for (i, pair) in (1..).zip(m_i.chunks(32)) {
        let (m, m_prime) = (block(&pair[..16]), block(&pair[16..]));
        let w_i = m ^ e(k, 1, i, m_prime);
        let x_i = m_prime ^ e(k, 0, 0, w_i);
        w_x.push((w_i, x_i));
        x ^= x_i;
    }

    let s_x = m_x ^ delta ^ x ^ e(k, 0, first, m_y);
    let s_y = m_y ^ e(k, -1, first, s_x);
    let s = s_x ^ s_y;

    let mut c = Vec::new();
    let mut y = 0;
    for (i, (w_i, x_i)) in (1..).zip(w_x) {
        let s_prime = e(k, 2, i, s);
        let y_i = w_i ^ s_prime;
        let z_i = x_i ^ s_prime;
        let c_prime = y_i ^ e(k, 0, 0, z_i);
        let c_i = z_i ^ e(k, 1, i, c_prime);
        c.extend([c_i, c_prime].map(u128::to_be_bytes).as_flattened());
        y ^= y_i;
    }

    let c_u = xor(m_u, e(k, -1, 4, s));
    let c_v = xor(m_v, e(k, -1, 5, s));
    y ^= hash_uv(k, &c_u, &c_v);

    let c_y = s_x ^ e(k, -1, second, s_y);
    let c_x = s_y ^ delta ^ y ^ e(k, 0, second, c_y);
    [c, c_u, c_v, [c_x, c_y].map(u128::to_be_bytes).as_flattened().to_vec()].concat()
}

/// Lines 225 and 226, 229 to 231: the contribution of the bytes between the pairs and the last two blocks to the sum. There
/// are fewer than 32 of them, and `u` has up to 16.
fn hash_uv(k: &Subkeys, u: &[u8], v: &[u8]) -> u128 {
    match u.len() {
        0 => 0,
        1..16 => e(k, 0, 4, pad(u)),
        _ => e(k, 0, 4, block(u)) ^ e(k, 0, 5, pad(v)),
    }
}

/// `AEZ-hash(K, T)`, figure 4, lines 300 to 306.
fn aez_hash(k: &Subkeys, t: &[&[u8]]) -> u128 {
    let mut delta = 0;
    for (j, string) in (3..).zip(t) {
        let (z, rest) = string.as_chunks::<16>();
        for (i, z_i) in (1..).zip(z) {
            delta ^= e(k, j, i, block(z_i));
        }
        // An empty string is a part of a block, one that is whole blocks ends with a whole one.
        if string.is_empty() || !rest.is_empty() {
            delta ^= e(k, j, 0, pad(rest));
        }
    }
    delta
}

/// `AEZ-prf(K, T, τ)`, figure 4, lines 310 to 312.
fn aez_prf(k: &Subkeys, t: &[&[u8]], tau_bytes: usize) -> Vec<u8> {
    let delta = aez_hash(k, t);
    let blocks = (0..).map(|counter| e(k, -1, 3, delta ^ counter));
    blocks.flat_map(u128::to_be_bytes).take(tau_bytes).collect()
}

/// `E^{j,i}_K(X)`, figure 4, lines 400 to 405.
fn e(k: &Subkeys, j: i32, i: u128, x: u128) -> u128 {
    let Subkeys { i: key_i, j: key_j, l: key_l } = *k;
    if j == -1 {
        let keys =
            [0, key_i, key_j, key_l, key_i, key_j, key_l, key_i, key_j, key_l, key_i].map(u128::to_be_bytes);
        return aes(&keys, x ^ times(i, key_l));
    }
    let keys = [0, key_j, key_i, key_l, 0].map(u128::to_be_bytes);
    let mut delta = key_i;
    for _ in 0..i.div_ceil(8) {
        delta = times(2, delta);
    }
    aes(&keys, x ^ times(j as u128, key_j) ^ delta ^ times(i % 8, key_l))
}

/// `I`, `J` and `L`, line 401.
struct Subkeys {
    i: u128,
    j: u128,
    l: u128,
}

impl Subkeys {
    fn new(key: &[u8]) -> Self {
        let extracted = extract(key);
        Self { i: block(&extracted[..16]), j: block(&extracted[16..32]), l: block(&extracted[32..]) }
    }
}

/// Section 1.1, `AES4` with five keys and `AES10` with eleven: the last round is no other than the rest.
fn aes(keys: &[[u8; 16]], x: u128) -> u128 {
    let mut state = x.to_be_bytes();
    state = block::xor(&state, &keys[0]);
    for key in &keys[1..] {
        state = aes::round(&state, key);
    }
    u128::from_be_bytes(state)
}

/// Section 1.1, `n·X`.
fn times(n: u128, x: u128) -> u128 {
    match n {
        0 => 0,
        1 => x,
        2 => x << 1 ^ if x & ONE_ZEROS != 0 { 135 } else { 0 },
        _ if n.is_multiple_of(2) => times(2, times(n / 2, x)),
        _ => times(n - 1, x) ^ x,
    }
}

/// The block that 16 bytes are.
fn block(bytes: &[u8]) -> u128 {
    u128::from_be_bytes(bytes.try_into().expect("a block has 16 bytes"))
}

/// `X10*` for a string of less than a block.
fn pad(string: &[u8]) -> u128 {
    bits(string, 0..8 * string.len()) | ONE_ZEROS >> (8 * string.len())
}

/// `X[i..j]0*` for some bits of a string, fewer than a block, counted from zero.
fn bits(string: &[u8], range: Range<usize>) -> u128 {
    let mut block = 0;
    for (at, bit) in range.enumerate() {
        let one = string[bit / 8] << (bit % 8) & 0x80 != 0;
        block |= if one { ONE_ZEROS >> at } else { 0 };
    }
    block
}

/// The sum of a string and as many of the first bytes of a block.
fn xor(string: &[u8], block: u128) -> Vec<u8> {
    string.iter().zip(block.to_be_bytes()).map(|(string, block)| string ^ block).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks some of the published vectors of `E`, generated by the authors' implementation: both kinds of rounds, and `i`
    /// around multiples of 8.
    #[test]
    fn tweakable_blockcipher() {
        for (key, j, i, x, y) in [
            (
                [
                    0x9cb6899b75d23eb9b67cd35d9bd584f1,
                    0x0b1a6925139c5724aa6bc41fae51520e,
                    0xdc0153c21839e48408543e9473d1a583,
                ],
                -1,
                9,
                0x74047584bf59dec4f2cfeaa3e94b924a,
                0xdd3d5cc3d856aaced154694b3fc4f9ec,
            ),
            (
                [
                    0x718b5416d24501f16f0b4a5b486c2659,
                    0x6d9f4b590a256ca607640206ff2ce8bc,
                    0xcde677cd31b227476ddb0d308ab3f2ec,
                ],
                0,
                0,
                0x7d30674062620da4ef3582d5024662a8,
                0xfd55f35f2aa3e0e7b022b1e50e1b33c2,
            ),
            (
                [
                    0x27324f830ee2557fb10ab8335fb9edf3,
                    0x06794e892670f28d1677ad25db9822cd,
                    0xe6fb22e8ba545ccb5b41d65aa97d7c91,
                ],
                0,
                8,
                0x0d1a9eb26fde3512e563fe5ff50c5897,
                0xefe9eb907e8f8b4ac4b77b852782545b,
            ),
            (
                [
                    0x649861a92b4f9a2fb49e20c468562c28,
                    0xc32a9c9108fe1b30b3afd2dcc233c7d2,
                    0x5c2a10d0ba720cf131fff045cb6edfee,
                ],
                17,
                17,
                0x79c29085e3bdc227782b3314a6669dd6,
                0x3c8f7a2d3bf174b011785dfd5162b6a4,
            ),
        ] {
            let key: [u128; 3] = key;
            let k = Subkeys::new(key.map(u128::to_be_bytes).as_flattened());
            assert_eq!(e(&k, j, i, x), y, "E^({j},{i})");
        }
    }

    #[test]
    fn multiples() {
        assert_eq!([0, 1, 2, 3, 6, 7].map(|n| times(n, 1)), [0, 1, 2, 3, 6, 7]);
        assert_eq!(times(2, ONE_ZEROS | 1), 135 ^ 2);
        assert_eq!(times(5, ONE_ZEROS), times(4, ONE_ZEROS) ^ ONE_ZEROS);
        assert_eq!(times(4, ONE_ZEROS), 2 * 135);
    }

    #[test]
    fn strings_as_bits() {
        assert_eq!(bits(&[0xab, 0xcd, 0xef], 0..12), 0xabc << 116);
        assert_eq!(bits(&[0xab, 0xcd, 0xef], 12..24), 0xdef << 116);
        assert_eq!(pad(&[]), 1 << 127);
        assert_eq!(pad(&[0xff; 15]), u128::MAX << 8 | 0x80);
    }

    #[test]
    fn every_length_returns() {
        let text = [0x5a; 100];
        for len in 0..=100 {
            for tau in [0, 1, 16, 20] {
                let ads: [&[u8]; 2] = [&text[..len * 3 % (len + 1)], b"data"];
                let ciphertext = encrypt(b"key", &text[..len * 5 % (len + 1)], &ads, tau, &text[..len]);
                let message = decrypt(b"key", &text[..len * 5 % (len + 1)], &ads, tau, &ciphertext);
                assert_eq!(message.as_deref(), Some(&text[..len]), "{len} bytes, tag of {tau}");
            }
        }
    }

    #[test]
    fn any_changed_bit_fails() {
        for message in [&b""[..], b"a few", b"a plaintext of 23 bytes"] {
            let parts = |genuine: &[Vec<u8>; 4]| {
                let [key, nonce, ad, ciphertext] = genuine;
                decrypt(key, nonce, &[ad], 8, ciphertext)
            };
            let (key, nonce, ad) = (vec![7; 5], vec![1; 12], b"data".to_vec());
            let ciphertext = encrypt(&key, &nonce, &[&ad], 8, message);
            let genuine = [key, nonce, ad, ciphertext];
            assert_eq!(parts(&genuine).as_deref(), Some(message));
            for part in 0..4 {
                for bit in 0..8 * genuine[part].len() {
                    let mut forged = genuine.clone();
                    forged[part][bit / 8] ^= 1 << (bit % 8);
                    assert_eq!(parts(&forged), None, "part {part}, bit {bit}");
                }
            }
        }
    }

    /// All of one and the same bytes, cut into strings in other places.
    #[test]
    fn strings_do_not_run_together() {
        let cuts: [(&[u8], &[&[u8]]); 6] = [
            (b"ab", &[]),
            (b"ab", &[b""]),
            (b"ab", &[b"", b""]),
            (b"a", &[b"b"]),
            (b"", &[b"a", b"b"]),
            (b"", &[b"ab"]),
        ];
        let mut seen = Vec::new();
        for (nonce, ads) in cuts {
            for tau in [15, 16] {
                let start = encrypt(b"key", nonce, ads, tau, b"")[..15].to_vec();
                assert!(!seen.contains(&start), "{nonce:?}, {ads:?}, tag of {tau}");
                seen.push(start);
            }
        }
    }

    #[test]
    fn nothing_at_all() {
        assert_eq!(encrypt(b"", b"", &[], 0, b""), []);
        assert_eq!(decrypt(b"", b"", &[], 0, b""), Some(vec![]));
        assert_eq!(decrypt(b"", b"", &[], 1, b""), None);
    }
}
