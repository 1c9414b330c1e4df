//! AEZ: a message and its tag as one block of any length, and any number of strings of associated data.

use std::ops::RangeInclusive;

use abreast::aez::Aez;
use abreast::{Error, InOutBuf};

use super::aead::MOST_NONCE;
use super::whole::{MOST_TAG, WholeMode};
use crate::context::About;
use crate::core::evp_mode;

/// AEZ.
#[derive(Clone)]
pub(crate) struct AezKey;

impl WholeMode for AezKey {
    type Keyed = Aez;
    const ABOUT: About = About {
        cipher: "aez",
        mode: "v5",
        number: evp_mode::OTHER,
        // A key that is not hashed.
        key_len: 48,
        iv_len: 16,
        block: 1,
        aead: true,
        custom_iv: true,
    };
    /// Far beyond use.
    const KEYS: RangeInclusive<usize> = 1..=1024;
    const NONCES: RangeInclusive<usize> = 0..=MOST_NONCE;
    const TAGS: RangeInclusive<usize> = 1..=MOST_TAG;
    const STRINGS: bool = true;

    fn keyed(key: &[u8]) -> Result<Aez, Error> {
        Ok(Aez::new(key))
    }
    fn seal(
        aez: &Aez,
        nonce: &[u8],
        strings: &[&[u8]],
        io: InOutBuf<'_, '_, u8>,
        tag: &mut [u8],
    ) -> Result<(), Error> {
        aez.with_tag_len(tag.len())?.encrypt_detached(nonce, strings, io, tag)
    }
    fn open(
        aez: &Aez,
        nonce: &[u8],
        strings: &[&[u8]],
        io: InOutBuf<'_, '_, u8>,
        tag: &[u8],
    ) -> Result<(), Error> {
        aez.with_tag_len(tag.len())?.decrypt_detached(nonce, strings, io, tag)
    }
}
