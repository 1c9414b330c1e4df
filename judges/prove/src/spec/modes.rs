//! The modes, of any number of bytes.

use super::Cipher;
use super::gf128::{cmac_double, dot, double, polyval_double};
use crate::bits::{swap_bytes, xors};
use crate::forms::{Bit, ONE, Word, ZERO, add, assume, from_bytes, label, name, name_word, number};

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

/// Ciphertext and tag of GCM with a nonce of 96 bits, or plaintext and the right tag (SP 800-38D, sections 7.1 and 7.2).
///
/// Its hash is POLYVAL of reversed blocks, under the key times `x` (RFC 8452, appendix A), and a sum of products with powers of
/// that key (section 6.4 of SP 800-38D has the sum). Here they are names: a power is the product of the one of the highest power
/// of two below it and of the rest. `runs` says after how many blocks each the sum gets a name, and goes on from there.
pub(crate) fn gcm(
    cipher: &dyn Cipher,
    encrypt: bool,
    nonce: &[Bit],
    aad: &[Bit],
    data: &[Bit],
    runs: &[usize],
) -> (Word, Word) {
    let first = |i: u128| [nonce, &swap_bytes(&number(i, 32))].concat();
    let text = ctr(cipher, 32, &first(2), data);
    let text = if encrypt { name(&text) } else { text };
    let ciphertext = if encrypt { &text } else { data };
    let bits = |x: &[Bit]| from_bytes(&(x.len() as u64).to_be_bytes());
    let hashed = [padded(aad), padded(ciphertext), bits(aad), bits(ciphertext)].concat();
    let key = cipher.encrypt(&[ZERO; 128]);
    label(|| "the hash key".to_owned());
    let key = polyval_double(&swap_bytes(&name(&key)));
    let blocks: Vec<Word> = hashed.chunks(128).map(swap_bytes).collect();
    let sum = polyval(&key, &blocks, runs, POWERS);
    let tag = xors(&swap_bytes(&sum), &cipher.encrypt(&first(1)));
    (text, tag)
}

/// Zeros up to whole blocks.
fn padded(x: &[Bit]) -> Word {
    let mut x = x.to_vec();
    x.resize(x.len().next_multiple_of(128), ZERO);
    x
}

/// POLYVAL (RFC 8452, section 3), with names for powers of the key and for sums: see [`gcm`].
///
/// The powers that are named are as many as the library makes.
fn polyval(key: &[Bit], blocks: &[Word], runs: &[usize], most: usize) -> Word {
    let mut blocks = blocks.iter();
    let mut powers = vec![name_word(key)];
    for n in 2..=most {
        label(|| format!("power {n} of the hash key"));
        let highest = 1 << (n - 1).ilog2();
        powers.push(name_word(&dot(&powers[highest - 1], &powers[n - highest - 1])));
    }
    let mut sum = vec![ZERO; 128];
    for run in runs.iter().chain([&usize::MAX]) {
        label(|| format!("a sum of {run} products"));
        let run: Vec<&Word> = blocks.by_ref().take(*run).collect();
        let products = run.iter().enumerate().map(|(i, block)| {
            let block = if i == 0 { xors(block, &sum) } else { (*block).clone() };
            dot(&block, &powers[run.len() - 1 - i])
        });
        let total = products.fold(vec![ZERO; 128], |total, product| xors(&total, &product));
        sum = if run.is_empty() { sum } else { name_word(&total) };
    }
    sum
}

/// Ciphertext and tag of AES-GCM-SIV (RFC 8452, section 4), given AES and its key. `runs` is as in [`gcm`].
pub(crate) fn gcm_siv(
    aes: impl Fn(&[Bit]) -> Box<dyn Cipher>,
    key: &[Bit],
    nonce: &[Bit],
    aad: &[Bit],
    data: &[Bit],
    runs: &[usize],
) -> (Word, Word) {
    let generating = aes(key);
    let half = |i: usize| generating.encrypt(&[&number(i as u128, 32), nonce].concat())[..64].to_vec();
    label(|| "the hash key".to_owned());
    let hash_key = name(&[half(0), half(1)].concat());
    let cipher = aes(&(2..2 + key.len() / 64).flat_map(half).collect::<Word>());
    let bits = |x: &[Bit]| number(x.len() as u128, 64);
    let hashed = [padded(aad), padded(data), bits(aad), bits(data)].concat();
    let blocks: Vec<Word> = hashed.chunks(128).map(<[Bit]>::to_vec).collect();
    // Twice as many each time, and one for the last block of a pass.
    let last = blocks.len() - runs.iter().sum::<usize>().min(blocks.len());
    let most = runs.iter().copied().chain([last]).max().unwrap_or(1).next_power_of_two().min(POWERS);
    let mut sum = polyval(&hash_key, &blocks, runs, most);
    let low = xors(&sum, nonce);
    sum[..96].copy_from_slice(&low);
    sum[127] = ZERO;
    let tag = cipher.encrypt(&sum);
    let counter = |i: usize| {
        let low = add(&tag[..32], &number(i as u128, 32));
        [&low, &tag[32..127], &[ONE]].concat()
    };
    let segments = data.chunks(128).enumerate();
    let text = segments.flat_map(|(i, segment)| xors(segment, &cipher.encrypt(&counter(i)))).collect();
    (text, tag)
}

/// Ciphertext and tag of EAX (Bellare, Rogaway and Wagner, 2004), or plaintext and the right tag, for the nonces whose OMAC, the first
/// counter, has this number in its low 64 bits.
pub(crate) fn eax(
    cipher: &dyn Cipher,
    encrypt: bool,
    nonce: &[Bit],
    header: &[Bit],
    data: &[Bit],
    low: u64,
) -> (Word, Word) {
    let omac = |number_of: u128, message: &[Bit]| {
        let mut front = vec![ZERO; size(cipher)];
        let end = front.len() - 8;
        front[end..].copy_from_slice(&number(number_of, 8));
        cmac(cipher, &[&front, message].concat())
    };
    let mut first = omac(0, nonce);
    let from = first.len() - 64;
    let known = assume(&swap_bytes(&first[from..]), low);
    first[from..].copy_from_slice(&swap_bytes(&known));
    let text = ctr(cipher, first.len(), &first, data);
    let parts = xors(&omac(1, header), &omac(2, if encrypt { &text } else { data }));
    (text, xors(&first, &parts))
}

/// Blocks that the library hashes between two reductions, and a last one: as many powers of the hash key.
pub(crate) const PASS: usize = 32;
const POWERS: usize = PASS + 1;
