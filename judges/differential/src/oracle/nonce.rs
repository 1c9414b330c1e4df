//! Nonces of GCM with which its counter soon wraps.

use abreast_reference::gcm::multiply;

use super::{Question, answer};
use crate::subject::{Kind, Mode};

/// The nonce of 16 bytes with which GCM begins at a counter block given, here as a number. That block is the hash of
/// the nonce, which is undone.
#[must_use]
pub fn nonce_for(kind: Kind, key: &[u8], first: u128) -> Vec<u8> {
    let zeros = [0; 16];
    let question = Question {
        kind,
        mode: Mode::Ecb,
        key,
        tweak_key: &[],
        iv: &[],
        strings: &[],
        plain: &zeros,
        tag_len: 0,
        unit: 0,
        skip: 0,
    };
    let h: [u8; 16] = answer(&question).text.try_into().expect("a block");
    // J0 = (nonce H + lengths) H (SP 800-38D, section 7.1), and 1/H = H^(2^128 - 2).
    let (mut inverse, mut power) = ((1_u128 << 127).to_be_bytes(), h);
    for _ in 1..128 {
        power = multiply(&power, &power);
        inverse = multiply(&inverse, &power);
    }
    let lengths = 128;
    let inner = u128::from_be_bytes(multiply(&first.to_be_bytes(), &inverse)) ^ lengths;
    multiply(&inner.to_be_bytes(), &inverse).to_vec()
}
