//! CMAC side by side: CBC-MACs are chains that leave the CPU waiting, so those of many packets go together.

#![allow(clippy::disallowed_methods, reason = "arrays are made here and not in kernels")]

use super::key::CmacKey;
use super::packet::Packet;
use super::schedule::batch;
use super::schedule::batch_mode::{BatchItem, BatchMode, LaneUse};
use super::schedule::rows::{self, SerialLoop, beginnings};
use crate::BlockCipher;
use crate::Error;
use crate::ciphers::CipherRef;
use crate::engine::backend::{ChainingValue, Direction};
use crate::engine::multibuf::{LaneGroup, MultiBuffer, ShortMessages};
use crate::loops::cmac::MacChain;
use crate::modes::cmac::{CmacSubkeys, before_last, write_tag};
use crate::modes::tag::{check_len, same_tag};
use crate::wipe::wipe;
use abreast_simd::inlined::{CopyFrom, Zipped};
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
pub(super) fn tag(
    direction: Direction,
    tag_len: usize,
    full: &ChainingValue,
    tag: &mut [u8],
) -> Result<(), Error> {
    check_len(tag, tag_len)?;
    match direction {
        Direction::Encrypt => {
            write_tag(full, tag);
            Ok(())
        }
        Direction::Decrypt => same_tag(full, tag),
    }
}
