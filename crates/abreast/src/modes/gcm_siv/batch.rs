//! Messages side by side: the keys of several are derived one after the other, which the CPU overlaps, and expanded in lanes.

#![allow(clippy::disallowed_methods, reason = "arrays are made here and not in kernels")]

#[cfg(feature = "alloc")]
use super::message::SivMessage;
#[cfg(feature = "alloc")]
use super::{Derived, MessageCipher};
use super::{GcmSiv, check_lengths, check_nonce, verify};
#[cfg(feature = "alloc")]
use crate::ciphers::aes::{Aes128, Aes256};
use crate::engine::backend::Direction;
#[cfg(feature = "alloc")]
use crate::engine::keyed::KeyedCipher;
use crate::ghash::BLOCK;
use crate::modes::tag::check_len;
use crate::{Error, InOutBuf};
#[cfg(feature = "alloc")]
use abreast_simd::Wiped;
use abreast_simd::inlined::{CopyFrom, Zipped};

/// Messages that are done together.
// No boundary: messages, of which tests take more.
const WINDOW: usize = 16;

/// A message of a batch.
pub(crate) struct Parts<'a> {
    pub(crate) key: &'a GcmSiv,
    pub(crate) nonce: &'a [u8],
    pub(crate) aad: &'a [u8],
    pub(crate) io: InOutBuf<'a, 'a, u8>,
    pub(crate) tag: &'a mut [u8],
    pub(crate) result: &'a mut Result<(), Error>,
}

impl Parts<'_> {
    /// Finds what is wrong with the lengths.
    fn check(&self) -> Result<(), Error> {
        check_len(self.tag, BLOCK)?;
        check_nonce(self.nonce)?;
        check_lengths(self.aad.len() as u64, self.io.len() as u64)
    }

    /// Does the message by `crypt`, which turns the tag into the right one.
    fn finish(
        mut self,
        direction: Direction,
        crypt: impl FnOnce(&mut InOutBuf<'_, '_, u8>, &mut [u8; BLOCK]) -> Result<(), Error>,
    ) {
        let mut right = self.tag.first_chunk().copied().unwrap_or_default();
        let done = crypt(&mut self.io, &mut right);
        *self.result = match direction {
            Direction::Encrypt => done.inspect(|()| self.tag.copy_from(&right)),
            Direction::Decrypt => done.and_then(|()| verify(&mut right, self.tag, &mut self.io)),
        };
    }
}

/// Encrypts or decrypts the messages of a batch.
pub(crate) fn batch<T>(
    direction: Direction,
    items: &mut [T],
    parts: impl for<'t> Fn(&'t mut T) -> Parts<'t>,
) {
    for items in items.chunks_mut(WINDOW) {
        let mut waits = [false; WINDOW];
        for (item, waits) in items.iter_mut().zipped(&mut waits) {
            let parts = parts(item);
            let checked = parts.check();
            *waits = checked.is_ok();
            *parts.result = checked.and(Err(Error::NotProcessed));
        }
        #[cfg(feature = "alloc")]
        {
            together::<_, Aes128>(direction, items, &mut waits, &parts);
            together::<_, Aes256>(direction, items, &mut waits, &parts);
        }
        for (item, waits) in items.iter_mut().zipped(waits) {
            if waits {
                let parts = parts(item);
                let (key, nonce, aad) = (parts.key, parts.nonce, parts.aad);
                parts.finish(direction, |io, tag| key.crypt(direction, nonce, aad, io, tag));
            }
        }
    }
}

/// Does the messages that wait whose keys are of one type and at the kernel of the first of them, unless that is alone.
// A call, so that the keys of two types are not on the stack at once.
#[cfg(feature = "alloc")]
#[inline(never)]
fn together<T, C: MessageCipher>(
    direction: Direction,
    items: &mut [T],
    waits: &mut [bool; WINDOW],
    parts: &impl for<'t> Fn(&'t mut T) -> Parts<'t>,
) {
    let mut kernel = None;
    let mut members = [0; WINDOW];
    let mut derived = Wiped::new([Derived::ZERO; WINDOW]);
    let mut count = 0;
    for (at, item) in items.iter_mut().enumerate().filter(|(at, _)| waits[*at]) {
        let parts = parts(item);
        if let Some(cipher) = C::of(parts.key)
            && let Ok(nonce) = check_nonce(parts.nonce)
            && *kernel.get_or_insert(KeyedCipher::kernel(cipher)) == KeyedCipher::kernel(cipher)
        {
            derived[count].set(cipher, nonce);
            members[count] = at;
            count += 1;
        }
    }
    let Some(Ok(blank)) = kernel.filter(|_| count > 1).map(|kernel| C::blanks(0, kernel)) else { return };
    let mut ciphers: [C; WINDOW] = core::array::from_fn(|_| blank());
    if ciphers[..count].iter_mut().any(|cipher| cipher.reserve().is_err()) {
        for at in &members[..count] {
            waits[*at] = false;
            *parts(&mut items[*at]).result = Err(Error::OutOfMemory);
        }
        return;
    }
    C::set_keys(ciphers[..count].iter_mut().zip(derived.iter().map(|derived| &derived.cipher[..C::KEY])));
    for ((at, cipher), derived) in members[..count].iter().zip(&ciphers).zip(derived.iter()) {
        waits[*at] = false;
        let parts = parts(&mut items[*at]);
        if let Ok(nonce) = check_nonce(parts.nonce) {
            let (hash_key, aad) = (&derived.hash, parts.aad);
            parts.finish(direction, |io, tag| {
                cipher.visit(&mut SivMessage { direction, hash_key, nonce, aad, io, tag });
                Ok(())
            });
        }
    }
}
