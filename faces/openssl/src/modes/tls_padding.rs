//! The end of a record of TLS in CBC: padding, and the MAC in front of it.
//!
//! If the time of their removal told whether the padding was right, the message could be found out (Vaudenay, EUROCRYPT
//! 2002; AlFardan and Paterson, "Lucky Thirteen", 2013). The module stands alone so that `judges/constant-time` compiles it,
//! too, and watches it.

use subtle::{Choice, ConditionallySelectable as _, ConstantTimeEq as _, ConstantTimeGreater as _};
use zeroize::Zeroize as _;

/// Bytes of padding at most, with their length.
const MOST_PADDING: usize = 256;

/// Removes padding and MAC from a decrypted record, in a time that depends on the lengths of record and MAC alone. Fills
/// `mac`, inverted if the padding is wrong, and returns the length of the message, and whether the padding was right: both
/// are secret. Returns nothing if the record is shorter than MAC and padding.
pub(crate) fn remove(record: &[u8], mac: &mut [u8]) -> Option<(u64, Choice)> {
    let (len, mac_len) = (record.len(), mac.len());
    let (padding, _) = record.split_last().filter(|_| len > mac_len)?;
    let most = len - mac_len - 1;
    let mut good = !(u64::from(*padding)).ct_gt(&(most as u64));
    for (at, byte) in record.iter().rev().take(MOST_PADDING).enumerate() {
        let is_padding = !(at as u64).ct_gt(&u64::from(*padding));
        good &= !is_padding | byte.ct_eq(padding);
    }
    let taken = u64::conditional_select(&0, &(u64::from(*padding) + 1), good);
    let end = len as u64 - taken;
    take_mac(record, mac, end, good);
    Some((end - mac_len as u64, good))
}

/// Copies the MAC that ends at a secret place, and inverts it unless the padding was good. All places where it can be are
/// read.
fn take_mac(record: &[u8], mac: &mut [u8], end: u64, good: Choice) {
    mac.zeroize();
    let (mac_len, from) = (mac.len() as u64, record.len().saturating_sub(mac.len() + MOST_PADDING));
    for (at, byte) in record.iter().enumerate().skip(from) {
        let place = (at as u64).wrapping_sub(end - mac_len);
        for (to, mac) in mac.iter_mut().enumerate() {
            mac.conditional_assign(byte, place.ct_eq(&(to as u64)));
        }
    }
    let spoiler = u8::conditional_select(&0xff, &0, good);
    for byte in mac {
        *byte ^= spoiler;
    }
}
