//! Key wrap, KW and KWP, from SP 800-38F (2012), over ciphers with blocks of 16 bytes. RFC 3394 and RFC 5649 are the same for AES.

use crate::block::BlockCipher;

/// `ICV1`, section 6.2.
const ICV1: [u8; 8] = [0xa6; 8];
/// `ICV2`, section 6.3.
const ICV2: [u8; 4] = [0xa6, 0x59, 0x59, 0xa6];

/// `KW-AE`, algorithm 3: the wrapped key.
///
/// ```
/// use abreast_reference::{aes::Aes, key_wrap};
///
/// // RFC 3394, section 4.1.
/// let k = Aes::new(&0x000102030405060708090a0b0c0d0e0f_u128.to_be_bytes());
/// let p = 0x00112233445566778899aabbccddeeff_u128.to_be_bytes();
/// let c = key_wrap::wrap(&k, &p);
/// assert_eq!(c[..8], 0x1fa68b0a8112b447_u64.to_be_bytes());
/// assert_eq!(c[8..], 0xaef34bd8fb5a7b829d3e862371d2cfe5_u128.to_be_bytes());
/// assert_eq!(key_wrap::unwrap(&k, &c).unwrap(), p);
/// ```
///
/// # Panics
///
/// If the plaintext is not two semiblocks or more.
pub fn wrap(k: &impl BlockCipher<16>, p: &[u8]) -> Vec<u8> {
    assert!(p.len() >= 16 && p.len().is_multiple_of(8), "{} bytes are no two semiblocks or more", p.len());
    w(k, &[&ICV1, p].concat())
}

/// `KW-AD`, algorithm 4: the key, or `None`, the standard's `FAIL`.
pub fn unwrap(k: &impl BlockCipher<16>, c: &[u8]) -> Option<Vec<u8>> {
    if c.len() < 24 || !c.len().is_multiple_of(8) {
        return None;
    }
    let s = w_inverse(k, c);
    (s[..8] == ICV1).then(|| s[8..].to_vec())
}

/// `KWP-AE`, algorithm 5: the wrapped key.
///
/// ```
/// use abreast_reference::{aes::Aes, key_wrap};
///
/// let k = Aes::new(&[7; 16]);
/// let c = key_wrap::wrap_padded(&k, b"a key");
/// assert_eq!((c.len(), key_wrap::unwrap_padded(&k, &c).unwrap()), (16, b"a key".to_vec()));
/// ```
///
/// # Panics
///
/// If the plaintext is empty or longer than 2^32 - 1 bytes.
pub fn wrap_padded(k: &impl BlockCipher<16>, p: &[u8]) -> Vec<u8> {
    assert!(!p.is_empty(), "no bytes");
    let len = u32::try_from(p.len()).expect("less than 2^32 bytes");
    let padlen = p.len().next_multiple_of(8) - p.len();
    wrap_as(k, &[&ICV2, &len.to_be_bytes()[..], p, &vec![0; padlen]].concat())
}

/// `KWP-AE` after its first four steps: the wrapped key for a header and padding that need not be right.
///
/// # Panics
///
/// If the plaintext is not two semiblocks or more.
pub fn wrap_as(k: &impl BlockCipher<16>, s: &[u8]) -> Vec<u8> {
    match s.try_into() {
        Ok(block) => k.encrypt_block(block).to_vec(),
        Err(_) => w(k, s),
    }
}

/// `KWP-AD`, algorithm 6: the key, or `None`, the standard's `FAIL`.
pub fn unwrap_padded(k: &impl BlockCipher<16>, c: &[u8]) -> Option<Vec<u8>> {
    if c.len() < 16 || !c.len().is_multiple_of(8) {
        return None;
    }
    let s = match c.try_into() {
        Ok(block) => k.decrypt_block(block).to_vec(),
        Err(_) => w_inverse(k, c),
    };
    let (icv, rest) = s.split_at(4);
    let (len, p) = rest.split_at(4);
    let len = u32::from_be_bytes(len.try_into().expect("4 bytes")) as usize;
    let padlen = p.len().checked_sub(len)?;
    (icv == ICV2 && padlen < 8 && p[len..].iter().all(|byte| *byte == 0)).then(|| p[..len].to_vec())
}

/// `W`, algorithm 1, as figure 2 has it: a register of semiblocks that goes round.
fn w(k: &impl BlockCipher<16>, s: &[u8]) -> Vec<u8> {
    let mut r = semiblocks(s);
    let n = r.len() as u64;
    for t in 1..=6 * (n - 1) {
        let [a, rest @ ..] = &r[..] else { unreachable!("three semiblocks or more") };
        let [msb, lsb] = halves(k.encrypt_block(&joined(*a, rest[0])));
        let mut next = vec![msb ^ t];
        next.extend(&rest[1..]);
        next.push(lsb);
        r = next;
    }
    r.iter().flat_map(|semiblock| semiblock.to_be_bytes()).collect()
}

/// `W^-1`, algorithm 2.
fn w_inverse(k: &impl BlockCipher<16>, c: &[u8]) -> Vec<u8> {
    let mut r = semiblocks(c);
    let n = r.len() as u64;
    for t in (1..=6 * (n - 1)).rev() {
        let [a, rest @ .., last] = &r[..] else { unreachable!("three semiblocks or more") };
        let [msb, lsb] = halves(k.decrypt_block(&joined(*a ^ t, *last)));
        let mut next = vec![msb, lsb];
        next.extend(rest);
        r = next;
    }
    r.iter().flat_map(|semiblock| semiblock.to_be_bytes()).collect()
}

fn semiblocks(s: &[u8]) -> Vec<u64> {
    let (semiblocks, []) = s.as_chunks() else { panic!("{} bytes are no semiblocks", s.len()) };
    semiblocks.iter().map(|semiblock| u64::from_be_bytes(*semiblock)).collect()
}

fn joined(msb: u64, lsb: u64) -> [u8; 16] {
    (u128::from(msb) << 64 | u128::from(lsb)).to_be_bytes()
}

fn halves(block: [u8; 16]) -> [u64; 2] {
    let number = u128::from_be_bytes(block);
    [(number >> 64) as u64, number as u64]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aes::Aes;

    #[test]
    fn any_changed_bit_fails() {
        let k = Aes::new(&[7; 16]);
        for len in 1..=33 {
            let p = vec![3; len];
            let mut wrapped = vec![(true, wrap_padded(&k, &p))];
            if len >= 16 && len % 8 == 0 {
                wrapped.push((false, wrap(&k, &p)));
            }
            for (padded, c) in wrapped {
                let open = |c: &[u8]| if padded { unwrap_padded(&k, c) } else { unwrap(&k, c) };
                assert_eq!(open(&c).as_deref(), Some(&p[..]), "{len} bytes");
                for bit in 0..8 * c.len() {
                    let mut forged = c.clone();
                    forged[bit / 8] ^= 1 << (bit % 8);
                    assert_eq!(open(&forged), None, "{len} bytes, bit {bit}");
                }
                for end in 0..c.len() {
                    assert_eq!(open(&c[..end]), None, "{len} bytes, cut at {end}");
                }
            }
        }
    }

    #[test]
    #[should_panic(expected = "8 bytes are no two semiblocks or more")]
    fn no_single_semiblock() {
        wrap(&Aes::new(&[0; 16]), &[0; 8]);
    }
}
