//! CMAC and EAX side by side.
//!
//! Both are CBC-MACs, chains that leave the CPU waiting: those of many packets go together. EAX is three of them
//! and a keystream.

#![allow(clippy::disallowed_methods, reason = "arrays are made here and not in kernels")]

use super::batch::{self, BatchMode, ChainMode, LaneMode, OneMode};
use super::key::{CipherKey, CmacKey, EaxKey};
use super::modes::Ctr;
use super::packet::Packet;
use super::rows::{self, Links, beginnings};
use crate::Error;
use crate::ciphers::CipherRef;
use crate::engine::backend::{Chain, Direction};
use crate::engine::multibuf::{ByRounds, Group, InLanes};
use crate::engine::passes::Job;
use crate::loops::cmac::Mac as MacJob;
use crate::mode_call::Work;
use crate::modes::cmac::{Subkeys, before_last, same_tag};
use crate::modes::eax::Part;
use crate::modes::tag::check_len;
use abreast_simd::{AesIsa, Isa};

/// Packets whose chains go together.
pub(crate) const WINDOW: usize = 64;

/// A message, and the chain over it: what it begins with, and in the end the tag.
struct Macked<'m, 'k> {
    cipher: CipherRef<'k>,
    chain: Chain,
    /// Whole blocks, all but the last.
    head: &'m [u8],
    /// The last, with its subkey.
    last: Chain,
    /// Whether the chain is that of the whole message.
    result: Result<(), Error>,
}

impl<'m, 'k> Macked<'m, 'k> {
    /// No message.
    fn none(cipher: CipherRef<'k>) -> Self {
        Self { cipher, chain: [0; 16], head: &[], last: [0; 16], result: Err(Error::NotProcessed) }
    }

    /// A message (SP 800-38B, section 6.2).
    #[inline(always)]
    fn new(cipher: CipherRef<'k>, subkeys: &Subkeys, chain: Chain, message: &'m [u8]) -> Self {
        let size = cipher.block_size();
        let (head, last) = before_last(message, size);
        let last = subkeys.last_block(last, size);
        Self { cipher, chain, head, last, result: Err(Error::NotProcessed) }
    }

    /// The final chaining value, from which the tag is taken.
    fn value(&self) -> Result<Chain, Error> {
        self.result.map(|()| self.chain)
    }
}

impl Drop for Macked<'_, '_> {
    fn drop(&mut self) {
        self.chain = [0; 16];
        self.last = [0; 16];
        zeroize::optimization_barrier(self);
    }
}

/// CBC-MAC.
#[derive(Clone, Copy)]
struct Mac;

impl<'m, 'k> BatchMode<'k, Macked<'m, 'k>> for Mac {
    #[inline(always)]
    fn cipher(item: &Macked<'m, 'k>) -> CipherRef<'k> {
        item.cipher
    }
    #[inline(always)]
    fn check(&self, item: &Macked<'m, 'k>, block: usize) -> Result<usize, Error> {
        Ok(item.head.len() + block)
    }
    #[inline(always)]
    fn done(item: &mut Macked<'m, 'k>, result: Result<(), Error>) {
        item.result = result;
    }
    fn alone(&self, item: &mut Macked<'m, 'k>) -> Result<(), Error> {
        let cipher = item.cipher.cipher();
        if !item.head.is_empty() {
            cipher.work(&mut Work::Mac(&mut item.chain, item.head));
        }
        cipher.work(&mut Work::Mac(&mut item.chain, &item.last[..item.cipher.block_size()]));
        Ok(())
    }
}

impl<'m, 'k> LaneMode<'k, Macked<'m, 'k>> for Mac {
    const DIRECTION: Direction = Direction::Encrypt;

    #[inline(always)]
    fn open<'a>(item: &'a mut Macked<'m, 'k>, group: &mut Group<'a>) {
        let size = item.cipher.block_size();
        let mut tail = item.last;
        if item.head.len() % 16 == 8 {
            // A small block in front of the last.
            let (_, small) = item.head.as_chunks::<16>();
            tail[..8].copy_from_slice(small);
            tail[8..].copy_from_slice(&item.last[..8]);
        }
        group.push_source(item.chain, item.head, tail, item.head.len() + size);
    }
    const CHAINED: bool = true;
    #[inline(always)]
    fn take_chain(item: &mut Macked<'m, 'k>, chain: &Chain) {
        item.chain = *chain;
    }
}

impl<'m, 'k> ChainMode<'k, Macked<'m, 'k>> for Mac {
    #[inline(always)]
    fn run<I: Isa, S: InLanes<I>>(&self, isa: I, keys: &S::LaneKeys, group: &mut Group<'_>) {
        let mut chain = Absorbing(beginnings::<I, S>(isa, keys, group).as_ref()[0]);
        rows::chain::<I, S, _>(isa, keys, group, &mut chain);
    }
}

/// The chaining values of all messages, into which their blocks go.
struct Absorbing<V>(V);

impl<I: Isa, S: InLanes<I>> Links<I, S> for Absorbing<S::Block> {
    const WRITES: bool = false;

    #[inline(always)]
    fn link(&mut self, isa: I, keys: &S::LaneKeys, row: &mut S::Row) {
        for block in row.as_ref() {
            self.0 = S::encrypt_block(isa, keys, S::add(self.0, *block));
        }
    }
    #[inline(always)]
    fn last(&mut self, isa: I, keys: &S::LaneKeys, row: &mut S::Row, number: usize, group: &mut Group<'_>) {
        for (i, block) in row.as_ref().iter().enumerate() {
            self.0 = S::encrypt_block(isa, keys, S::add(self.0, *block));
            group.finish(
                number * (16 / S::BLOCK) + i,
                S::BLOCK,
                #[inline(always)]
                |chains| {
                    let mut values = *row;
                    values.as_mut()[0] = self.0;
                    S::scatter(keys, values, chains);
                },
            );
        }
    }
}

impl<'m, 'k> OneMode<'k, Macked<'m, 'k>> for Mac {
    #[inline(always)]
    fn one<I: AesIsa, S: ByRounds<I>>(
        &self,
        isa: I,
        keys: &S::Keys,
        item: &mut Macked<'m, 'k>,
    ) -> Result<(), Error> {
        let isa = isa.narrow();
        MacJob { chain: &mut item.chain, data: item.head }.run::<I::Narrow, S>(isa, keys);
        MacJob { chain: &mut item.chain, data: &item.last }.run::<I::Narrow, S>(isa, keys);
        Ok(())
    }
}

/// Writes or compares the tags of packets' associated data.
pub(super) fn cmac(direction: Direction, packets: &mut [Packet<'_, CmacKey<'_>>]) {
    for packets in packets.chunks_mut(WINDOW) {
        let Some(first) = packets.first() else { continue };
        let any = first.key.cipher;
        let mut macs: [_; WINDOW] = core::array::from_fn(|n| match packets.get(n) {
            Some(packet) => {
                Macked::new(packet.key.cipher, packet.key.subkeys, [0; 16], packet.associated_data)
            }
            None => Macked::none(any),
        });
        batch::chains(&Mac, &mut macs[..packets.len()]);
        for (packet, mac) in packets.iter_mut().zip(&macs) {
            packet.result =
                mac.value().and_then(|full| tag(direction, packet.key.tag_len, &full, packet.tag));
        }
    }
}

/// Writes or compares a tag.
fn tag(direction: Direction, tag_len: usize, full: &Chain, tag: &mut [u8]) -> Result<(), Error> {
    check_len(tag, tag_len)?;
    match direction {
        Direction::Encrypt => {
            tag.copy_from_slice(&full[..tag.len()]);
            Ok(())
        }
        Direction::Decrypt => same_tag(full, tag),
    }
}

/// The hash of one part of each packet, or the error of a packet that was not hashed.
type Hashes = [Result<Chain, Error>; WINDOW];

/// Hashes one part of each packet.
fn hashes<'m, 'k: 'm>(
    packets: &'m mut [Packet<'_, EaxKey<'k>>],
    part: Part,
    message: impl Fn(&'m mut Packet<'_, EaxKey<'k>>) -> &'m [u8],
) -> Hashes {
    let mut hashes = [Err(Error::NotProcessed); WINDOW];
    let len = packets.len();
    let Some(first) = packets.first() else { return hashes };
    let any = first.key.cipher;
    let mut packets = packets.iter_mut();
    let mut macs: [_; WINDOW] = core::array::from_fn(|_| match packets.next() {
        Some(packet) => {
            let eax = packet.key;
            match message(packet) {
                [] => Macked::new(eax.cipher, eax.subkeys, [0; 16], part.block(eax.cipher.block_size())),
                message => Macked::new(eax.cipher, eax.subkeys, eax.begun[part as usize], message),
            }
        }
        None => Macked::none(any),
    });
    batch::chains(&Mac, &mut macs[..len]);
    for (hash, mac) in hashes.iter_mut().zip(&macs) {
        *hash = mac.value();
    }
    hashes
}

/// Encrypts or decrypts the packets that wait for it, from the hashes of their nonces, and gives their results.
fn keystreams(packets: &mut [Packet<'_, EaxKey<'_>>], nonces: &Hashes) -> [Result<(), Error>; WINDOW] {
    let len = packets.len();
    let Some(first) = packets.first() else { return [Err(Error::NotProcessed); WINDOW] };
    let any = first.key.cipher;
    let mut packets = packets.iter_mut().zip(nonces);
    let mut texts: [_; WINDOW] = core::array::from_fn(|_| match packets.next() {
        Some((packet, Ok(nonce))) if packet.result == Err(Error::NotProcessed) => {
            let key = packet.key.cipher;
            Packet::new(CipherKey(key), &nonce[..key.block_size()], packet.buffer.reborrow())
        }
        _ => Packet::new(CipherKey(any), &[0; 16][..any.block_size()], [].as_mut_slice()),
    });
    batch::rows(&Ctr::SECRET, &mut texts[..len]);
    texts.each_ref().map(|text| text.result)
}

/// Encrypts or decrypts packets by EAX.
///
/// Until the last step a packet has either the reason why it is refused or [`Error::NotProcessed`] as its result.
pub(super) fn eax(direction: Direction, packets: &mut [Packet<'_, EaxKey<'_>>]) {
    for packets in packets.chunks_mut(WINDOW) {
        for packet in &mut *packets {
            packet.result = check_len(packet.tag, packet.key.tag_len).and(Err(Error::NotProcessed));
        }
        let mut nonces = hashes(packets, Part::Nonce, |packet| packet.iv);
        let mut headers = hashes(packets, Part::Header, |packet| packet.associated_data);
        let mut encrypted = [Ok(()); WINDOW];
        if direction == Direction::Encrypt {
            encrypted = keystreams(packets, &nonces);
        }
        let mut ciphertexts = hashes(packets, Part::Ciphertext, |packet| match direction {
            Direction::Encrypt => packet.buffer.get_out(),
            Direction::Decrypt => packet.buffer.get_in(),
        });
        let mut checked = [Err(Error::NotProcessed); WINDOW];
        for (n, packet) in packets.iter_mut().enumerate() {
            if packet.result != Err(Error::NotProcessed) {
                checked[n] = packet.result;
                continue;
            }
            let full = encrypted[n].and_then(|()| Ok(full_tag([nonces[n]?, headers[n]?, ciphertexts[n]?])));
            checked[n] = full.and_then(|full| tag(direction, packet.key.tag_len, &full, packet.tag));
            if checked[n] == Err(Error::TagMismatch) {
                packet.buffer.get_out().fill(0);
                packet.result = checked[n];
            }
        }
        if direction == Direction::Decrypt {
            let decrypted = keystreams(packets, &nonces);
            for (checked, decrypted) in checked.iter_mut().zip(decrypted) {
                *checked = checked.and(decrypted);
            }
        }
        for (packet, result) in packets.iter_mut().zip(checked) {
            packet.result = result;
        }
        for hashes in [&mut nonces, &mut headers, &mut ciphertexts] {
            hashes.fill(Ok([0; 16]));
            zeroize::optimization_barrier(hashes);
        }
    }
}

/// The tag before it is cut: the xor of the three hashes (paper of EAX, figure 3).
fn full_tag(hashes: [Chain; 3]) -> Chain {
    let [a, b, c] = hashes.map(u128::from_ne_bytes);
    (a ^ b ^ c).to_ne_bytes()
}
