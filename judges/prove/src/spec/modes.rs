//! The modes, of any number of bytes.

use super::Cipher;
use super::gf128::{cmac_double, double};
use crate::bits::{swap_bytes, xors};
use crate::forms::{Bit, Word, ZERO, add, number};

/// The bits of a block.
fn size(cipher: &dyn Cipher) -> usize {
    8 * cipher.block()
}

/// ECB (SP 800-38A, section 6.1).
pub(crate) fn ecb(cipher: &dyn Cipher, encrypt: bool, data: &[Bit]) -> Word {
    let block = |block| if encrypt { cipher.encrypt(block) } else { cipher.decrypt(block) };
    data.chunks(size(cipher)).flat_map(block).collect()
}

/// CBC (section 6.2).
pub(crate) fn cbc(cipher: &dyn Cipher, encrypt: bool, iv: &[Bit], data: &[Bit]) -> Word {
    let mut chain = iv.to_vec();
    let mut out = Vec::new();
    for block in data.chunks(size(cipher)) {
        if encrypt {
            chain = cipher.encrypt(&xors(block, &chain));
            out.extend_from_slice(&chain);
        } else {
            out.extend(xors(&cipher.decrypt(block), &chain));
            chain = block.to_vec();
        }
    }
    out
}

/// CFB with segments of a block, the last of which may be shorter (section 6.3).
pub(crate) fn cfb(cipher: &dyn Cipher, encrypt: bool, iv: &[Bit], data: &[Bit]) -> Word {
    let mut chain = iv.to_vec();
    let mut out = Vec::new();
    for segment in data.chunks(size(cipher)) {
        let result = xors(segment, &cipher.encrypt(&chain));
        chain = if encrypt { result.clone() } else { segment.to_vec() };
        out.extend(result);
    }
    out
}

/// CFB with segments of a byte.
pub(crate) fn cfb8(cipher: &dyn Cipher, encrypt: bool, iv: &[Bit], data: &[Bit]) -> Word {
    let mut chain = iv.to_vec();
    let mut out = Vec::new();
    for segment in data.chunks(8) {
        let result = xors(segment, &cipher.encrypt(&chain));
        chain = [&chain[8..], if encrypt { &result } else { segment }].concat();
        out.extend(result);
    }
    out
}

/// OFB (section 6.4).
pub(crate) fn ofb(cipher: &dyn Cipher, iv: &[Bit], data: &[Bit]) -> Word {
    let mut chain = iv.to_vec();
    let mut out = Vec::new();
    for segment in data.chunks(size(cipher)) {
        chain = cipher.encrypt(&chain);
        out.extend(xors(segment, &chain));
    }
    out
}

/// Counter mode (section 6.5): the low bits of the first block count, as a number whose highest byte comes first.
pub(crate) fn ctr(cipher: &dyn Cipher, counting: usize, first: &[Bit], data: &[Bit]) -> Word {
    let number_of = swap_bytes(first);
    let counter = |i: usize| {
        let low = add(&number_of[..counting], &number(i as u128, counting));
        swap_bytes(&[&low, &number_of[counting..]].concat())
    };
    let segments = data.chunks(size(cipher)).enumerate();
    segments.flat_map(|(i, segment)| xors(segment, &cipher.encrypt(&counter(i)))).collect()
}

/// XTS of one data unit, with ciphertext stealing (IEEE 1619, section 5.3).
pub(crate) fn xts(data: &dyn Cipher, tweak: &dyn Cipher, encrypt: bool, unit: &[Bit], text: &[Bit]) -> Word {
    let crypt = |block: &[Bit], tweak: &[Bit]| {
        let inner = xors(block, tweak);
        xors(&if encrypt { data.encrypt(&inner) } else { data.decrypt(&inner) }, tweak)
    };
    let mut tweak = tweak.encrypt(unit);
    let whole = text.len() / 128;
    let rest = text.len() % 128;
    let mut out = Vec::new();
    for block in text.chunks(128).take(if rest == 0 { whole } else { whole - 1 }) {
        out.extend(crypt(block, &tweak));
        tweak = double(&tweak);
    }
    if rest > 0 {
        // The last whole block goes under the later tweak when decrypting.
        let next = double(&tweak);
        let (first, second) = if encrypt { (tweak, next) } else { (next, tweak) };
        let (block, tail) = text[128 * (whole - 1)..].split_at(128);
        let stolen = crypt(block, &first);
        out.extend(crypt(&[tail, &stolen[rest..]].concat(), &second));
        out.extend_from_slice(&stolen[..rest]);
    }
    out
}

/// CMAC (SP 800-38B, section 6.2).
pub(crate) fn cmac(cipher: &dyn Cipher, message: &[Bit]) -> Word {
    let size = size(cipher);
    let k1 = cmac_double(&cipher.encrypt(&vec![ZERO; size]));
    let whole = !message.is_empty() && message.len().is_multiple_of(size);
    let before = if whole { message.len() - size } else { message.len() / size * size };
    let mut chain = vec![ZERO; size];
    for block in message[..before].chunks(size) {
        chain = cipher.encrypt(&xors(&chain, block));
    }
    let mut last = message[before..].to_vec();
    if !whole {
        last.extend(number(0x80, 8));
        last.resize(size, ZERO);
    }
    let key = if whole { k1 } else { cmac_double(&k1) };
    cipher.encrypt(&xors(&chain, &xors(&last, &key)))
}
