//! CMAC and EAX side by side.
//!
//! Both are CBC-MACs, chains that leave the CPU waiting: those of many packets go together. EAX is three of them
//! and a keystream.

#![allow(clippy::disallowed_methods, reason = "arrays are made here and not in kernels")]

use super::key::{CipherKey, CmacKey, EaxKey};
use super::modes::CtrBatch;
use super::packet::Packet;
use super::schedule::batch;
use super::schedule::batch_mode::{BatchItem, BatchMode, LaneUse};
use super::schedule::rows::{self, SerialLoop, beginnings, xor_blocks};
use crate::BlockCipher;
use crate::Error;
use crate::ciphers::CipherRef;
use crate::engine::backend::{ChainingValue, Direction};
use crate::engine::multibuf::{LaneGroup, MultiBuffer, ShortMessages};
use crate::loops::cmac::MacChain;
use crate::modes::cmac::{CmacSubkeys, before_last, write_tag};
use crate::modes::eax::OmacPart;
use crate::modes::tag::{check_len, same_tag};
use crate::wipe::wipe;
use abreast_simd::inlined::{CopyFrom, Flat, Zipped};
use abreast_simd::{AesIsa, Isa};

/// Packets whose chains go together.
pub(crate) const WINDOW: usize = 64;

/// A message, and the chain over it: its first value, and in the end the tag.
#[derive(Clone, Copy)]
pub(super) struct CmacInput<'m, 'k> {
    cipher: CipherRef<'k>,
    subkeys: &'k CmacSubkeys,
    pub(super) chain: ChainingValue,
    message: &'m [u8],
    /// The result of the whole message.
    pub(super) result: Result<(), Error>,
}

impl<'m, 'k> CmacInput<'m, 'k> {
    /// A message (SP 800-38B, section 6.2).
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(super) fn new(
        cipher: CipherRef<'k>,
        subkeys: &'k CmacSubkeys,
        chain: ChainingValue,
        message: &'m [u8],
    ) -> Self {
        Self { cipher, subkeys, chain, message, result: Err(Error::NotProcessed) }
    }

    /// One of the three strings that EAX authenticates. An empty one has no block after the block that names it.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn of_part(key: &EaxKey<'k>, part: OmacPart, string: &'m [u8]) -> Self {
        let (chain, message) = match string {
            [] => ([0; 16], part.block(key.cipher.block_size())),
            _ => (key.begun[part as usize], string),
        };
        Self::new(key.cipher, key.subkeys, chain, message)
    }

    /// Whole blocks, all but the last; and the last, with its subkey.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn split(&self, block: usize) -> (&'m [u8], ChainingValue) {
        let (head, last) = before_last(self.message, block);
        (head, self.subkeys.last_block(last, block))
    }
}

/// Wipes the chaining values.
pub(super) fn wipe_inputs(inputs: &mut [CmacInput<'_, '_>]) {
    for input in &mut *inputs {
        input.chain = [0; 16];
    }
    zeroize::optimization_barrier(inputs);
}

/// CBC-MAC.
#[derive(Clone, Copy)]
pub(super) struct CmacBatch;

impl<'k> BatchItem<'k> for CmacInput<'_, 'k> {
    const CHAINED: bool = true;

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn cipher(&self) -> CipherRef<'k> {
        self.cipher
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn finish(&mut self, result: Result<(), Error>) {
        self.result = result;
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn open<'a>(&'a mut self, group: &mut LaneGroup<'a>) {
        let size = self.cipher.block_size();
        let (head, last) = self.split(size);
        let mut tail = last;
        if head.len() % 16 == 8 {
            // A small block before the last.
            let (_, small) = head.as_chunks::<16>();
            tail[..8].copy_from(small);
            tail[8..].copy_from(&last[..8]);
        }
        group.push_source(self.chain, head, tail, head.len() + size);
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn take_chain(&mut self, chain: &ChainingValue) {
        self.chain = *chain;
    }
}

impl BatchMode<CmacInput<'_, '_>> for CmacBatch {
    const LANES: LaneUse = LaneUse::Chains;

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn check(&self, item: &CmacInput<'_, '_>, block: usize) -> Result<usize, Error> {
        Ok(item.message.len().div_ceil(block).max(1) * block)
    }
    fn single(&self, item: &mut CmacInput<'_, '_>) -> Result<(), Error> {
        item.chain = item.subkeys.mac(item.cipher.cipher(), item.chain, item.message);
        Ok(())
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn in_turn<I: AesIsa, S: ShortMessages<I>>(
        &self,
        isa: I,
        keys: &S::Keys,
        item: &mut CmacInput<'_, '_>,
    ) -> Result<(), Error> {
        let (head, mut last) = item.split(S::BLOCK);
        let mut mac = MacChain::<I::Narrow, S>::new(isa.narrow(), keys, &item.chain);
        mac.absorb(head);
        mac.absorb(&last);
        mac.finish(&mut item.chain);
        wipe(&mut last);
        Ok(())
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn run_chains<I: Isa, S: MultiBuffer<I>>(&self, isa: I, keys: &S::LaneKeys, group: &mut LaneGroup<'_>) {
        let mut chain = Absorbing(beginnings::<I, S>(isa, keys, group).as_ref()[0]);
        rows::chain::<I, S, _>(isa, keys, group, &mut chain);
    }
}

/// The chaining values of all messages, into which their blocks go.
struct Absorbing<V>(V);

impl<I: Isa, S: MultiBuffer<I>> SerialLoop<I, S> for Absorbing<S::Block> {
    const WRITES: bool = false;

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn next_row(&mut self, isa: I, keys: &S::LaneKeys, row: &mut S::Row) {
        for block in row.as_ref() {
            self.0 = S::encrypt_block(isa, keys, S::xor(self.0, *block));
        }
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn last(
        &mut self,
        isa: I,
        keys: &S::LaneKeys,
        row: &mut S::Row,
        number: usize,
        group: &mut LaneGroup<'_>,
    ) {
        for (i, block) in row.as_ref().iter().enumerate() {
            self.0 = S::encrypt_block(isa, keys, S::xor(self.0, *block));
            group.finish(
                number * (16 / S::BLOCK) + i,
                S::BLOCK,
                #[cfg_attr(not(abreast_unoptimized), inline(always))]
                |chains| {
                    let mut values = *row;
                    values.as_mut()[0] = self.0;
                    S::scatter(keys, values, chains);
                },
            );
        }
    }
}

/// Writes or compares the tags of packets' associated data.
pub(super) fn cmac(direction: Direction, packets: &mut [Packet<'_, CmacKey<'_>>]) {
    for packets in packets.chunks_mut(WINDOW) {
        let Some(CmacKey { cipher, subkeys, .. }) = packets.first().map(|packet| packet.key) else {
            continue;
        };
        let mut inputs = [CmacInput::new(cipher, subkeys, [0; 16], &[]); WINDOW];
        let inputs = &mut inputs[..packets.len()];
        for (input, packet) in inputs.iter_mut().zipped(&*packets) {
            let CmacKey { cipher, subkeys, .. } = packet.key;
            *input = CmacInput::new(cipher, subkeys, [0; 16], packet.associated_data);
        }
        batch::process(&CmacBatch, inputs);
        for (packet, input) in packets.iter_mut().zipped(&*inputs) {
            packet.result =
                (input.result).and_then(|()| tag(direction, packet.key.tag_len, &input.chain, packet.tag));
        }
        wipe_inputs(inputs);
    }
}

/// Writes or compares a tag.
fn tag(direction: Direction, tag_len: usize, full: &ChainingValue, tag: &mut [u8]) -> Result<(), Error> {
    check_len(tag, tag_len)?;
    match direction {
        Direction::Encrypt => {
            write_tag(full, tag);
            Ok(())
        }
        Direction::Decrypt => same_tag(full, tag),
    }
}

/// Encrypts or decrypts by a counter mode the packets of which nothing was wrong so far, from counter blocks whose first
/// bytes count if the cipher's blocks are shorter, `N` at a time.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn keystreams<'k, 'c, K, const N: usize>(
    mode: &CtrBatch,
    packets: &mut [Packet<'_, K>],
    cipher: impl Fn(&K) -> CipherRef<'k>,
    mut counters: impl Iterator<Item = &'c ChainingValue>,
    results: &mut [Result<(), Error>],
) {
    for (packets, results) in packets.chunks_mut(N).zipped(results.chunks_mut(N)) {
        some_keystreams::<K, N>(mode, packets, &cipher, &mut counters, results);
    }
}

/// Does up to `N` packets of [`keystreams`].
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn some_keystreams<'k, 'c, K, const N: usize>(
    mode: &CtrBatch,
    packets: &mut [Packet<'_, K>],
    cipher: impl Fn(&K) -> CipherRef<'k>,
    counters: impl Iterator<Item = &'c ChainingValue>,
    results: &mut [Result<(), Error>],
) {
    let len = packets.len();
    let Some(any) = packets.first().map(|first| cipher(&first.key)) else { return };
    let mut packets = packets.iter_mut().zipped(counters).zipped(&*results);
    let mut texts: [_; N] = core::array::from_fn(
        #[cfg_attr(not(abreast_unoptimized), inline(always))]
        |_| match packets.next() {
            Some(((packet, counter), Ok(()))) => {
                let key = cipher(&packet.key);
                Packet::new(CipherKey(key), &counter[..key.block_size()], packet.buffer.reborrow())
            }
            _ => Packet::new(CipherKey(any), &[0; 16][..any.block_size()], [].as_mut_slice()),
        },
    );
    batch::process(mode, &mut texts[..len]);
    for (result, text) in results.iter_mut().zipped(&texts) {
        *result = result.and(text.result);
    }
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

/// Packets of EAX that take half of the stack.
pub(crate) const FEW: usize = 32;

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
            CmacInput::of_part(&packet.key, OmacPart::Nonce, packet.iv),
            CmacInput::of_part(&packet.key, OmacPart::Header, packet.associated_data),
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
        *input = CmacInput::of_part(&packet.key, OmacPart::Ciphertext, ciphertext);
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
