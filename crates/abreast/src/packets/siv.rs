//! SIV (RFC 5297) side by side: the strings of all packets by one batch of CMAC, the messages but for their ends by
//! another, the ends by a third, and counter mode by one more.

#![allow(clippy::disallowed_methods, reason = "arrays are made here and not in kernels")]

use super::cmac::{CmacBatch, CmacInput, WINDOW, wipe_inputs};
use super::key::SivKey;
use super::keystreams::keystreams;
use super::modes::CtrBatch;
use super::packet::Packet;
use super::schedule::batch;
use crate::Error;
use crate::engine::backend::{ChainingValue, Direction};
use crate::modes::CounterWidth;
use crate::modes::cmac::NO_SUBKEYS;
use crate::modes::siv::{LastString, first_counter, last_string, with_string};
use crate::modes::tag::{check_len, same_tag};
use crate::wipe::wipe;
use abreast_simd::inlined::{CopyFrom, Flat, Zipped};

/// Encrypts or decrypts packets by SIV.
pub(super) fn siv(direction: Direction, packets: &mut [Packet<'_, SivKey<'_>>]) {
    for packets in packets.chunks_mut(WINDOW) {
        window(direction, packets);
    }
}

/// Encrypts or decrypts up to [`WINDOW`] packets.
fn window(direction: Direction, packets: &mut [Packet<'_, SivKey<'_>>]) {
    let mut results = [Err(Error::NotProcessed); WINDOW];
    let results = &mut results[..packets.len()];
    for (packet, result) in packets.iter_mut().zipped(&mut *results) {
        packet.result = Err(Error::NotProcessed);
        *result = check_len(packet.tag, 16);
    }
    let mut sums = [[0; 16]; WINDOW];
    let mut vectors = [[0; 16]; WINDOW];
    add_strings(packets, &mut sums, results);
    match direction {
        Direction::Encrypt => {
            vectors_of(direction, packets, &sums, &mut vectors, results);
            for ((packet, vector), result) in packets.iter_mut().zipped(&vectors).zipped(&*results) {
                if result.is_ok() {
                    packet.tag.copy_from(vector);
                }
            }
            xor(packets, &vectors, results);
        }
        Direction::Decrypt => {
            for (packet, vector) in packets.iter().zipped(&mut vectors) {
                *vector = packet.tag.first_chunk().copied().unwrap_or_default();
            }
            let refused = wrong(results);
            xor(packets, &vectors, results);
            vectors_of(direction, packets, &sums, &mut vectors, results);
            let all = packets.iter_mut().zipped(&vectors).zipped(&mut *results).zipped(refused);
            for (((packet, vector), result), refused) in all {
                if !refused {
                    // A message that was not verified is never handed out.
                    *result = (result.and_then(|()| same_tag(vector, packet.tag)))
                        .inspect_err(|_| packet.buffer.get_out().fill(0));
                }
            }
        }
    }
    for (packet, result) in packets.iter_mut().zipped(results) {
        packet.result = *result;
    }
    wipe(sums.flat_mut());
    wipe(vectors.flat_mut());
}

/// Finds the packets that are refused.
fn wrong(results: &[Result<(), Error>]) -> [bool; WINDOW] {
    let mut wrong = [false; WINDOW];
    for (wrong, result) in wrong.iter_mut().zipped(results) {
        *wrong = result.is_err();
    }
    wrong
}

/// Returns the strings that are authenticated: the associated data, and the nonce if there is one.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn strings<'a>(packet: &Packet<'a, SivKey<'_>>) -> impl Iterator<Item = &'a [u8]> {
    let nonce = (!packet.iv.is_empty()).then_some(packet.iv);
    core::iter::once(packet.associated_data).chain(nonce)
}

/// Computes the sum of S2V of each packet before its message.
#[inline(never)]
fn add_strings(
    packets: &[Packet<'_, SivKey<'_>>],
    sums: &mut [ChainingValue; WINDOW],
    results: &mut [Result<(), Error>],
) {
    let Some(first) = packets.first().map(|packet| packet.key) else { return };
    for (packet, sum) in packets.iter().zipped(&mut *sums) {
        *sum = *packet.key.begun;
    }
    // The associated data of all, and then the nonces.
    for which in 0..2 {
        let mut inputs = [CmacInput::new(first.mac, first.subkeys, [0; 16], &[]); WINDOW];
        let mut owners = [0_u8; WINDOW];
        let mut count = 0;
        for (at, packet) in packets.iter().enumerate() {
            if let Some(string) = strings(packet).nth(which) {
                inputs[count] = CmacInput::new(packet.key.mac, packet.key.subkeys, [0; 16], string);
                owners[count] = at as u8;
                count += 1;
            }
        }
        if count == 0 {
            return;
        }
        batch::process(&CmacBatch, &mut inputs[..count]);
        for (mac, at) in inputs[..count].iter().zipped(owners) {
            let at = usize::from(at);
            sums[at] = with_string(&sums[at], &mac.chain);
            results[at] = results[at].and(mac.result);
        }
        wipe_inputs(&mut inputs);
    }
}

/// The vector of each packet, from the sum of S2V before its message.
fn vectors_of(
    direction: Direction,
    packets: &mut [Packet<'_, SivKey<'_>>],
    sums: &[ChainingValue; WINDOW],
    vectors: &mut [ChainingValue; WINDOW],
    results: &mut [Result<(), Error>],
) {
    let mut ends = [LastString::NONE; WINDOW];
    // The chains on the way.
    *vectors = [[0; 16]; WINDOW];
    chain_heads(direction, packets, sums, &mut ends, vectors, results);
    chain_ends(packets, &ends, vectors, results);
    for end in &mut ends {
        end.wipe();
    }
}

/// The chain of each message before its end.
// Like those below and above, never inlined: each has an array that is gone from the stack when the next has its own.
#[inline(never)]
fn chain_heads(
    direction: Direction,
    packets: &mut [Packet<'_, SivKey<'_>>],
    sums: &[ChainingValue; WINDOW],
    ends: &mut [LastString; WINDOW],
    chains: &mut [ChainingValue; WINDOW],
    results: &mut [Result<(), Error>],
) {
    let Some(first) = packets.first().map(|packet| packet.key) else { return };
    let mut heads = [CmacInput::new(first.mac, &NO_SUBKEYS, [0; 16], &[]); WINDOW];
    let mut owners = [0_u8; WINDOW];
    let mut count = 0;
    for (at, packet) in packets.iter_mut().enumerate() {
        let message = match direction {
            Direction::Encrypt => packet.buffer.get_in(),
            Direction::Decrypt => packet.buffer.get_out(),
        };
        let (head, end) = last_string(&sums[at], message);
        ends[at] = end;
        if !head.is_empty() {
            heads[count] = CmacInput::new(packet.key.mac, &NO_SUBKEYS, [0; 16], head);
            owners[count] = at as u8;
            count += 1;
        }
    }
    batch::process(&CmacBatch, &mut heads[..count]);
    for (head, at) in heads[..count].iter().zipped(owners) {
        let at = usize::from(at);
        chains[at] = head.chain;
        results[at] = results[at].and(head.result);
    }
    wipe_inputs(&mut heads);
}

/// The end of each chain, which is the vector.
#[inline(never)]
fn chain_ends(
    packets: &[Packet<'_, SivKey<'_>>],
    ends: &[LastString; WINDOW],
    chains: &mut [ChainingValue; WINDOW],
    results: &mut [Result<(), Error>],
) {
    let Some(first) = packets.first().map(|packet| packet.key) else { return };
    let mut inputs = [CmacInput::new(first.mac, first.subkeys, [0; 16], &[]); WINDOW];
    let inputs = &mut inputs[..packets.len()];
    for (at, (input, packet)) in inputs.iter_mut().zipped(packets).enumerate() {
        *input = CmacInput::new(packet.key.mac, packet.key.subkeys, chains[at], ends[at].bytes());
    }
    batch::process(&CmacBatch, inputs);
    for ((input, chain), result) in inputs.iter().zipped(chains).zipped(results) {
        *chain = input.chain;
        *result = result.and(input.result);
    }
    wipe_inputs(inputs);
}

/// Encrypts or decrypts the packets of which nothing is wrong, from their vectors.
fn xor(
    packets: &mut [Packet<'_, SivKey<'_>>],
    vectors: &[ChainingValue; WINDOW],
    results: &mut [Result<(), Error>],
) {
    let counters = vectors.map(|vector| first_counter(&vector));
    keystreams::<_, WINDOW>(
        &CtrBatch::new(CounterWidth::Bits128),
        packets,
        |key| key.text,
        counters.iter(),
        results,
    );
}
