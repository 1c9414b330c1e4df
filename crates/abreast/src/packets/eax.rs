//! EAX side by side: three CMACs, which are a batch of chains each, and a keystream.

#![allow(clippy::disallowed_methods, reason = "arrays are made here and not in kernels")]

use super::cmac::{CmacBatch, CmacInput, WINDOW, tag, wipe_inputs};
use super::key::EaxKey;
use super::keystreams::keystreams;
use super::modes::CtrBatch;
use super::packet::Packet;
use super::schedule::batch;
use super::schedule::rows::xor_blocks;
use crate::BlockCipher;
use crate::Error;
use crate::engine::backend::{ChainingValue, Direction};
use crate::modes::eax::OmacPart;
use crate::modes::tag::check_len;
use abreast_simd::inlined::{Flat, Zipped};

/// Packets that take half of the stack.
pub(crate) const FEW: usize = 32;

/// Returns the chain over one of the three strings that EAX authenticates. An empty one has no block after the block that
/// names it.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn part_input<'m, 'k>(key: &EaxKey<'k>, part: OmacPart, string: &'m [u8]) -> CmacInput<'m, 'k> {
    let (chain, message) = match string {
        [] => ([0; 16], part.block(key.cipher.block_size())),
        _ => (key.begun[part as usize], string),
    };
    CmacInput::new(key.cipher, key.subkeys, chain, message)
}

/// Encrypts or decrypts by EAX, from the hashes of the nonces.
fn eax_keystreams<const N: usize>(
    packets: &mut [Packet<'_, EaxKey<'_>>],
    begun: &[[CmacInput<'_, '_>; 2]],
    results: &mut [Result<(), Error>],
) {
    for (result, [nonce, _]) in results.iter_mut().zipped(begun) {
        *result = result.and(nonce.result);
    }
    let counters = begun.iter().map(|[nonce, _]| &nonce.chain);
    keystreams::<_, N>(&CtrBatch::SECRET, packets, |key| key.cipher, counters, results);
}

/// Encrypts or decrypts packets by EAX.
pub(super) fn eax(direction: Direction, packets: &mut [Packet<'_, EaxKey<'_>>]) {
    if packets.len() <= FEW {
        // Three levels of arrays and the rounds take 45 KiB of stack for a whole window, and callers from C have less.
        return eax_window::<FEW, { FEW / 2 }>(direction, packets);
    }
    for packets in packets.chunks_mut(WINDOW) {
        eax_window::<WINDOW, WINDOW>(direction, packets);
    }
}

/// Encrypts or decrypts up to `W` packets, of which `N` at a time get their keystreams.
#[inline(never)]
fn eax_window<const W: usize, const N: usize>(direction: Direction, packets: &mut [Packet<'_, EaxKey<'_>>]) {
    let len = packets.len();
    let Some(EaxKey { cipher, subkeys, .. }) = packets.first().map(|packet| packet.key) else { return };
    let mut results = [Err(Error::NotProcessed); W];
    let results = &mut results[..len];
    // Nonces and headers do not wait for each other.
    let mut begun = [[CmacInput::new(cipher, subkeys, [0; 16], &[]); 2]; W];
    let begun = &mut begun[..len];
    for ((packet, result), begun) in packets.iter_mut().zipped(&mut *results).zipped(&mut *begun) {
        packet.result = Err(Error::NotProcessed);
        *result = check_len(packet.tag, packet.key.tag_len);
        *begun = [
            part_input(&packet.key, OmacPart::Nonce, packet.iv),
            part_input(&packet.key, OmacPart::Header, packet.associated_data),
        ];
    }
    batch::process(&CmacBatch, begun.flat_mut());
    if direction == Direction::Encrypt {
        eax_keystreams::<N>(packets, begun, results);
    }
    add_ciphertexts::<W>(direction, packets, begun);
    for ((packet, result), hashes) in packets.iter_mut().zipped(&mut *results).zipped(&*begun) {
        *result = (result.and(full_tag(hashes)))
            .and_then(|full| tag(direction, packet.key.tag_len, &full, packet.tag));
        if *result == Err(Error::TagMismatch) {
            packet.buffer.get_out().fill(0);
        }
    }
    if direction == Direction::Decrypt {
        eax_keystreams::<N>(packets, begun, results);
    }
    for (packet, result) in packets.iter_mut().zipped(results) {
        packet.result = *result;
    }
    wipe_inputs(begun.flat_mut());
}

/// Hashes the ciphertexts, and adds each hash to that of the packet's header.
fn add_ciphertexts<const W: usize>(
    direction: Direction,
    packets: &mut [Packet<'_, EaxKey<'_>>],
    begun: &mut [[CmacInput<'_, '_>; 2]],
) {
    let Some(EaxKey { cipher, subkeys, .. }) = packets.first().map(|packet| packet.key) else { return };
    let mut inputs = [CmacInput::new(cipher, subkeys, [0; 16], &[]); W];
    let inputs = &mut inputs[..packets.len()];
    for (input, packet) in inputs.iter_mut().zipped(packets) {
        let ciphertext = match direction {
            Direction::Encrypt => packet.buffer.get_out(),
            Direction::Decrypt => packet.buffer.get_in(),
        };
        *input = part_input(&packet.key, OmacPart::Ciphertext, ciphertext);
    }
    batch::process(&CmacBatch, inputs);
    for ([_, header], ciphertext) in begun.iter_mut().zipped(&*inputs) {
        header.chain = xor_blocks(&header.chain, &ciphertext.chain);
        header.result = header.result.and(ciphertext.result);
    }
    wipe_inputs(inputs);
}

/// The tag before it is cut: the xor of the three hashes (paper of EAX, figure 3).
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn full_tag([nonce, others]: &[CmacInput<'_, '_>; 2]) -> Result<ChainingValue, Error> {
    nonce.result.and(others.result).map(|()| xor_blocks(&nonce.chain, &others.chain))
}
