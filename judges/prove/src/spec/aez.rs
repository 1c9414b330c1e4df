//! AEZ v5 ("AEZ v5: Authenticated Encryption by Enciphering", Hoang, Krovetz and Rogaway, 2017), figures 3 and 4, under a key of 48
//! bytes, for messages that have at least 16 bytes with their authenticator. Its decryption needs none: it has to return what
//! encryption was given.

use super::aes::round;
use super::gf128::cmac_double;
use crate::bits::xors;
use crate::forms::{Bit, ONE, Word, ZERO, from_bytes};

/// The keys `I`, `J` and `L`.
struct Keys {
    i: Word,
    j: Word,
    l: Word,
    closed: bool,
}

/// A number as a block, the highest byte first.
fn block(number: u128) -> Word {
    from_bytes(&number.to_be_bytes())
}

/// `n X` (section 1.1).
fn times(n: u128, x: &[Bit]) -> Word {
    match n {
        0 => vec![ZERO; 128],
        1 => x.to_vec(),
        _ if n.is_multiple_of(2) => cmac_double(&times(n / 2, x)),
        _ => xors(&times(n - 1, x), x),
    }
}

/// `X10*` for less than a block, or a block as it is.
fn padded(x: &[Bit]) -> Word {
    let mut padded = x.to_vec();
    if x.len() < 128 {
        padded.resize(128, ZERO);
        padded[x.len() + 7] = ONE;
    }
    padded
}

impl Keys {
    /// `E^{j,i}` (figure 4, lines 400 to 405).
    fn e(&self, j: i32, i: u128, x: &[Bit]) -> Word {
        let none = vec![ZERO; 128];
        let (offset, keys) = match u128::try_from(j) {
            Err(_) => {
                let three = [&self.i, &self.j, &self.l];
                (times(i, &self.l), [&three[..], &three, &three, &[&self.i]].concat())
            }
            Ok(j) => {
                let high = (0..i.div_ceil(8)).fold(self.i.clone(), |x, _| times(2, &x));
                let offset = xors(&xors(&times(j, &self.j), &high), &times(i % 8, &self.l));
                (offset, vec![&self.j, &self.i, &self.l, &none])
            }
        };
        let state = xors(x, &offset);
        keys.iter().fold(state, |state, key| xors(&round(&state, false, self.closed), key))
    }

    /// `AEZ-hash` (lines 300 to 306).
    fn hash(&self, strings: &[&[Bit]]) -> Word {
        let mut delta = vec![ZERO; 128];
        for (j, string) in (3..).zip(strings) {
            let whole = string.chunks_exact(128);
            if string.is_empty() || !whole.remainder().is_empty() {
                delta = xors(&delta, &self.e(j, 0, &padded(whole.remainder())));
            }
            for (i, block) in (1..).zip(whole) {
                delta = xors(&delta, &self.e(j, i, block));
            }
        }
        delta
    }

    /// `Encipher-AEZ-tiny` of a block and more (figure 3, lines 210 to 216), whose halves may end within a byte.
    fn tiny(&self, delta: &[Bit], text: &[Bit]) -> Word {
        // The first bit of a byte is its highest.
        let turned = |x: &[Bit]| x.chunks(8).flat_map(|byte| byte.iter().rev().copied()).collect::<Word>();
        let text = turned(text);
        let n = text.len() / 2;
        let (mut left, mut right) = (text[..n].to_vec(), text[n..].to_vec());
        for j in 0..8 {
            let mut x = right.clone();
            x.push(ONE);
            x.resize(128, ZERO);
            let mixed = self.e(0, 6, &xors(&xors(&turned(&x), delta), &block(j)));
            (left, right) = (right, xors(&left, &turned(&mixed)[..n]));
        }
        turned(&[right, left].concat())
    }

    /// The bytes between the pairs and the last two blocks (lines 225 and 226).
    fn rest(&self, x: &[Bit]) -> Word {
        match x.len() {
            0 => vec![ZERO; 128],
            1..128 => self.e(0, 4, &padded(x)),
            _ => xors(&self.e(0, 4, &x[..128]), &self.e(0, 5, &padded(&x[128..]))),
        }
    }

    /// `Encipher-AEZ-core` (lines 220 to 233).
    fn core(&self, delta: &[Bit], text: &[Bit]) -> Word {
        let (pairs, end) = text.split_at(text.len() / 256 * 256 - 256);
        let (rest, last) = end.split_at(text.len() % 256);
        let mut x = self.rest(rest);
        let mut middle = Vec::new();
        for (i, pair) in (1..).zip(pairs.chunks(256)) {
            let (first, second) = pair.split_at(128);
            let w = xors(first, &self.e(1, i, second));
            let after = xors(second, &self.e(0, 0, &w));
            x = xors(&x, &after);
            middle.push((w, after));
        }
        let s_x = xors(&xors(&last[..128], delta), &xors(&x, &self.e(0, 1, &last[128..])));
        let s_y = xors(&last[128..], &self.e(-1, 1, &s_x));
        let s = xors(&s_x, &s_y);
        let mut out = Vec::new();
        let mut y = vec![ZERO; 128];
        for (i, (w, x)) in (1..).zip(middle) {
            let mask = self.e(2, i, &s);
            let (w, z) = (xors(&w, &mask), xors(&x, &mask));
            let second = xors(&w, &self.e(0, 0, &z));
            out.extend(xors(&z, &self.e(1, i, &second)));
            out.extend(second);
            y = xors(&y, &w);
        }
        let masks = [self.e(-1, 4, &s), self.e(-1, 5, &s)].concat();
        let rest = xors(rest, &masks);
        y = xors(&y, &self.rest(&rest));
        let c_y = xors(&s_x, &self.e(-1, 2, &s_y));
        let c_x = xors(&xors(&s_y, delta), &xors(&y, &self.e(0, 2, &c_y)));
        [out, rest, c_x, c_y].concat()
    }
}

/// `Encrypt` (lines 100 to 104) with an authenticator of so many bytes and at most one string of associated data, which is none if it
/// is empty: as long as both together.
pub(crate) fn encrypt(
    key: &[Bit],
    closed: bool,
    nonce: &[Bit],
    aad: &[Bit],
    data: &[Bit],
    tag: usize,
) -> Word {
    let [i, j, l] = [0, 1, 2].map(|n| key[128 * n..][..128].to_vec());
    let keys = Keys { i, j, l, closed };
    let tau = block(8 * tag as u128);
    let mut strings = vec![&tau[..], nonce];
    strings.extend((!aad.is_empty()).then_some(aad));
    let delta = keys.hash(&strings);
    if data.is_empty() {
        let blocks = (0..).map(|i| keys.e(-1, 3, &xors(&delta, &block(i))));
        return blocks.take(tag.div_ceil(16)).flatten().take(8 * tag).collect();
    }
    let text = [data, &vec![ZERO; 8 * tag]].concat();
    if text.len() < 256 { keys.tiny(&delta, &text) } else { keys.core(&delta, &text) }
}
