//! The end of a record of TLS in CBC: padding, and the MAC in front of it.
//!
//! If the time of their removal told whether the padding was right, the message could be found out (Vaudenay, EUROCRYPT
//! 2002; AlFardan and Paterson, "Lucky Thirteen", 2013). The module stands alone so that `judges/constant-time` compiles it,
//! too, and watches it.

//!
//! Bytes are looked at side by side, under masks that are computed: a comparison with a barrier for each byte, and for each byte of
//! the MAC with each place where it can be, took up to ten times as long as the decryption of the record.

use std::hint::black_box;

use subtle::{Choice, ConditionallySelectable as _, ConstantTimeEq as _};
use zeroize::{Zeroize as _, Zeroizing};

/// Bytes of padding at most, with their length.
const MOST_PADDING: usize = 256;

/// Bytes of the longest MAC of a record, SHA-512.
pub(crate) const MOST_MAC: usize = 64;

/// Returns all ones if a number is less than another, and otherwise zeros. Both differ by less than 2^15.
fn less(a: u16, b: u16) -> u16 {
    (a.wrapping_sub(b) as i16 >> 15) as u16
}

/// Removes padding and MAC from a decrypted record, in a time that depends on the lengths of record and MAC alone. Fills
/// `mac`, inverted if the padding is wrong, and returns the length of the message, and whether the padding was right: both
/// are secret. Returns nothing if the record is shorter than MAC and padding, or the MAC longer than any.
pub(crate) fn remove(record: &[u8], mac: &mut [u8]) -> Option<(u64, Choice)> {
    let (len, mac_len) = (record.len(), mac.len());
    let (padding, _) = record.split_last().filter(|_| len > mac_len && mac_len <= MOST_MAC)?;
    let padding = u16::from(*padding);
    let mut wrong = less((len - mac_len - 1).min(MOST_PADDING) as u16, padding);
    for (at, byte) in record.iter().rev().take(MOST_PADDING).enumerate() {
        wrong |= !less(padding, at as u16) & (u16::from(*byte) ^ padding);
    }
    let good = wrong.ct_eq(&0);
    let taken = u64::conditional_select(&0, &(u64::from(padding) + 1), good);
    let end = len as u64 - taken;
    take_mac(record, mac, end, good);
    Some((end - mac_len as u64, good))
}

/// Copies the MAC that ends at a secret place, and inverts it unless the padding was good.
///
/// All places where it can be are read, in rows as long as the MAC. A byte of the MAC is kept at its place in the row, which
/// leaves the MAC turned by as much as it was off the beginning of a row, and it is turned back in steps of 1, 2, 4 bytes and so on.
fn take_mac(record: &[u8], mac: &mut [u8], end: u64, good: Choice) {
    let mac_len = mac.len();
    mac.zeroize();
    if mac_len == 0 {
        return;
    }
    let from = record.len().saturating_sub(mac_len + MOST_PADDING);
    let start = (end - (from + mac_len) as u64) as u16;
    let mut turned = 0;
    for (row, bytes) in record[from..].chunks(mac_len).enumerate() {
        for (at, (mac, byte)) in mac.iter_mut().zip(bytes).enumerate() {
            let place = (row * mac_len + at) as u16;
            let after_start = !less(place, start);
            *mac |= byte & (after_start & less(place, start + mac_len as u16)) as u8;
            turned |= at as u16 & after_start & less(place, start + 1);
        }
    }
    let mut other = Zeroizing::new([0; MOST_MAC]);
    for step in 0.. {
        let by = 1 << step;
        if by >= mac_len {
            break;
        }
        let (front, back) = mac.split_at(by);
        other[..mac_len - by].copy_from_slice(back);
        other[mac_len - by..mac_len].copy_from_slice(front);
        // The compiler would have a loop for each of two values that it knows.
        let turn = black_box((turned >> step & 1).wrapping_neg() as u8);
        for (mac, other) in mac.iter_mut().zip(&*other) {
            *mac ^= turn & (*mac ^ other);
        }
    }
    let spoiler = u8::conditional_select(&0xff, &0, good);
    for byte in mac {
        *byte ^= spoiler;
    }
}
