//! Messages side by side: the blocks that their keys are made of pass the cipher together, keys are expanded in lanes, and short
//! messages are hashed in lanes, too.

#![allow(clippy::disallowed_methods, reason = "arrays are made here and not in kernels")]

#[cfg(feature = "alloc")]
pub(crate) mod short;

use super::key::GcmSivKey;
use super::packet::Packet;
#[cfg(feature = "alloc")]
use crate::Kernel;
#[cfg(feature = "alloc")]
use crate::ciphers::aes::{Aes128, Aes256};
use crate::engine::backend::Direction;
#[cfg(feature = "alloc")]
use crate::engine::keyed::KeyedCipher;
use crate::ghash::BLOCK;
#[cfg(feature = "alloc")]
use crate::mode_call::ModeCall;
#[cfg(feature = "alloc")]
use crate::modes::gcm_siv::{Derived, MOST_DERIVED, MessageCipher, SivMessage};
use crate::modes::gcm_siv::{check_lengths, check_nonce, verify};
use crate::modes::tag::check_len;
use crate::{Error, InOutBuf};
#[cfg(feature = "alloc")]
use abreast_simd::Wiped;
use abreast_simd::inlined::CopyFrom;
#[cfg(feature = "alloc")]
use abreast_simd::inlined::{Flat, Zipped};
#[cfg(feature = "alloc")]
use short::{HashEach, Short, encrypt_each};

/// Messages that are done together.
pub(crate) const WINDOW: usize = 16;

type Item<'p, 'k> = Packet<'p, GcmSivKey<'k>>;

/// Encrypts or decrypts the messages of a batch.
pub(crate) fn batch(direction: Direction, items: &mut [Item<'_, '_>]) {
    #[cfg(feature = "alloc")]
    let (mut of_128, mut of_256) = (None, None);
    for items in items.chunks_mut(WINDOW) {
        let mut window: [Option<&mut Item<'_, '_>>; WINDOW] = [const { None }; WINDOW];
        for (item, place) in items.iter_mut().zip(&mut window) {
            item.result = check(item);
            if item.result == Err(Error::NotProcessed) {
                *place = Some(item);
            }
        }
        #[cfg(feature = "alloc")]
        {
            together::<Aes128>(direction, &mut window, &mut of_128);
            together::<Aes256>(direction, &mut window, &mut of_256);
        }
        for item in window.into_iter().flatten() {
            let (key, nonce, aad) = (item.key, item.iv, item.associated_data);
            finish(direction, item, |io, tag| key.crypt(direction, nonce, aad, io, tag));
        }
    }
}

/// Returns what is wrong with the lengths of a message, or that it is not processed.
fn check(item: &Item<'_, '_>) -> Result<(), Error> {
    check_len(item.tag, BLOCK)?;
    check_nonce(item.iv)?;
    check_lengths(item.associated_data.len() as u64, item.buffer.len() as u64)?;
    Err(Error::NotProcessed)
}

/// Does a message by `crypt`, which turns its tag into the right one.
fn finish(
    direction: Direction,
    item: &mut Item<'_, '_>,
    crypt: impl FnOnce(&mut InOutBuf<'_, '_, u8>, &mut [u8; BLOCK]) -> Result<(), Error>,
) {
    let mut right = item.tag.first_chunk().copied().unwrap_or_default();
    let mut io = item.buffer.reborrow();
    let done = crypt(&mut io, &mut right);
    item.result = match direction {
        Direction::Encrypt => done.inspect(|()| item.tag.copy_from(&right)),
        Direction::Decrypt => done.and_then(|()| verify(&mut right, item.tag, &mut io)),
    };
}

/// The memory of a window, which the next one takes over.
#[cfg(feature = "alloc")]
struct Place<C> {
    kernel: Kernel,
    ciphers: [C; WINDOW],
    derived: Wiped<[Derived; WINDOW]>,
    shorts: Wiped<[Short; WINDOW]>,
}

/// Does the messages that wait whose keys are of one type and at the kernel of the first of them, unless they are too few: to make the
/// memory ready takes as long as seven messages by themselves.
// A call, so that the keys of two types are not on the stack at once.
#[cfg(feature = "alloc")]
#[inline(never)]
fn together<C: MessageCipher>(
    direction: Direction,
    window: &mut [Option<&mut Item<'_, '_>>; WINDOW],
    place: &mut Option<Place<C>>,
) {
    let kernel_of = |item: &&mut Item<'_, '_>| C::of(item.key).map(KeyedCipher::kernel);
    let Some(kernel) = window.iter().flatten().find_map(kernel_of) else { return };
    let count = window.iter().flatten().filter(|item| kernel_of(item) == Some(kernel)).count();
    let ready = place.as_ref().is_some_and(|place| place.kernel == kernel);
    if count == 1 || count < WINDOW && !ready {
        return;
    }
    if !ready {
        let Ok(blank) = C::blanks(0, kernel) else { return };
        *place = Some(Place {
            kernel,
            ciphers: core::array::from_fn(|_| blank()),
            derived: Wiped::new([Derived::ZERO; WINDOW]),
            shorts: Wiped::new([Short::ZERO; WINDOW]),
        });
    }
    let Some(Place { ciphers, derived, shorts, .. }) = place else { return };
    let mut members: [Option<(&C, &mut Item<'_, '_>)>; WINDOW] = [const { None }; WINDOW];
    let mut count = 0;
    for waiting in &mut *window {
        if let Some(item) = waiting.take_if(|item| kernel_of(item) == Some(kernel))
            && let Some(cipher) = C::of(item.key)
        {
            members[count] = Some((cipher, item));
            count += 1;
        }
    }
    if ciphers[..count].iter_mut().any(|cipher| cipher.reserve().is_err()) {
        return members.iter_mut().flatten().for_each(|(_, item)| item.result = Err(Error::OutOfMemory));
    }
    derive(&members, count, derived);
    C::set_keys(ciphers[..count].iter_mut().zip(derived.iter().map(|derived| &derived.cipher[..C::KEY])));

    let mut places = [None; WINDOW];
    let mut short = 0;
    for ((at, member), derived) in members.iter_mut().enumerate().take(count).zip(derived.iter()) {
        let Some((_, item)) = member else { continue };
        let Ok(nonce) = check_nonce(item.iv) else { continue };
        if shorts[short].begin(&derived.hash, nonce, item.associated_data, item.buffer.get_in()) {
            places[short] = Some(at);
            short += 1;
        } else {
            let (hash_key, aad, cipher) = (&derived.hash, item.associated_data, &ciphers[at]);
            finish(direction, item, |io, tag| {
                cipher.visit(&mut SivMessage { direction, hash_key, nonce, aad, io, tag });
                Ok(())
            });
        }
    }
    let shorts = &mut shorts[..short];
    let cipher_of = |at: usize| &ciphers[places[at].unwrap_or(0)];
    // Both ways by one text: only the order differs.
    for hashes in [direction == Direction::Encrypt, direction == Direction::Decrypt] {
        if hashes {
            ciphers[0].visit(HashEach(shorts));
            encrypt_each(&cipher_of, shorts, Short::tag);
        } else {
            for (short, at) in shorts.iter_mut().zip(&places) {
                if let Some((_, item)) = at.and_then(|at| members[at].as_mut()) {
                    let theirs = item.tag.first_chunk().copied().unwrap_or_default();
                    short.count(if direction == Direction::Encrypt { *short.tag_made() } else { theirs });
                }
            }
            encrypt_each(&cipher_of, shorts, Short::stream);
            for (short, at) in shorts.iter_mut().zip(&places) {
                if let Some((_, item)) = at.and_then(|at| members[at].as_mut()) {
                    short.apply(&mut item.buffer.reborrow());
                }
            }
        }
    }
    for (short, at) in shorts.iter().zip(&places) {
        if let Some((_, item)) = at.and_then(|at| members[at].as_mut()) {
            finish(direction, item, |_, tag| {
                tag.copy_from(short.tag_made());
                Ok(())
            });
        }
    }
}

/// Derives the keys of messages, by one call where all have one key.
#[cfg(feature = "alloc")]
fn derive<C: MessageCipher>(
    members: &[Option<(&C, &mut Item<'_, '_>)>; WINDOW],
    count: usize,
    derived: &mut [Derived; WINDOW],
) {
    let mut blocks = Wiped::new([[0; BLOCK]; WINDOW * MOST_DERIVED]);
    let each = 2 + C::KEY / 8;
    for (member, blocks) in members[..count].iter().zip(blocks.chunks_mut(each)) {
        if let Some((_, item)) = member
            && let Ok(nonce) = check_nonce(item.iv)
        {
            Derived::ask(nonce, blocks);
        }
    }
    let first = members[0].as_ref().map(|(cipher, _)| *cipher);
    let blocks = &mut blocks[..count * each];
    let same = |member: &Option<(&C, &mut Item<'_, '_>)>| {
        member.as_ref().zip(first).is_some_and(|((cipher, _), first)| core::ptr::eq(*cipher, first))
    };
    if members[..count].iter().all(same) {
        if let Some(cipher) = first {
            cipher.mode_call(&mut ModeCall::Ecb(Direction::Encrypt, &mut blocks.flat_mut().into()));
        }
    } else {
        for (member, blocks) in members[..count].iter().zip(blocks.chunks_mut(each)) {
            if let Some((cipher, _)) = member {
                cipher.mode_call(&mut ModeCall::Ecb(Direction::Encrypt, &mut blocks.flat_mut().into()));
            }
        }
    }
    for (derived, blocks) in derived.iter_mut().zipped(blocks.chunks(each)) {
        derived.take(blocks);
    }
}
