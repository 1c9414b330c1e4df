//! Packets in HCTR2. Those that follow each other under one key, as sectors and names do, go together.

#![allow(clippy::disallowed_methods, reason = "an array is made here and not in kernels")]

use super::key::Hctr2Key;
use super::packet::Packet;
use crate::engine::backend::Direction;
use crate::ghash::BLOCK;
use crate::loops::hctr2::{Hctr2Messages, Hctr2Part, TOGETHER, crypt};
use crate::modes::hctr2::check_len;
use crate::{Error, InOutBuf};

/// Encrypts or decrypts the packets of a batch.
pub(super) fn hctr2(direction: Direction, packets: &mut [Packet<'_, Hctr2Key<'_>>]) {
    let mut rest = packets;
    while let Some(first) = rest.first() {
        let key = first.key;
        let same = rest.iter().take(TOGETHER).take_while(|packet| packet.key.is(key)).count();
        let (run, after) = rest.split_at_mut(same);
        under_one_key(direction, key, run);
        rest = after;
    }
}

/// Encrypts or decrypts up to [`TOGETHER`] packets.
fn under_one_key(direction: Direction, key: Hctr2Key<'_>, packets: &mut [Packet<'_, Hctr2Key<'_>>]) {
    let mut parts: [_; TOGETHER] = core::array::from_fn(|_| Hctr2Part::new(&[], InOutBuf::from(&mut [][..])));
    let mut count = 0;
    for packet in &mut *packets {
        packet.result = check_len(packet.buffer.len() as u64).and(Err(Error::NotProcessed));
        if packet.result == Err(Error::NotProcessed) {
            parts[count] = Hctr2Part::new(packet.iv, packet.buffer.reborrow());
            count += 1;
        }
    }
    let (keys, mut blocks) = (key.keys, [[0; BLOCK]; TOGETHER]);
    let (parts, blocks) = (&mut parts[..count], &mut blocks[..count]);
    crypt(key.cipher, Hctr2Messages { direction, keys, parts, blocks });
    for packet in packets {
        if packet.result == Err(Error::NotProcessed) {
            packet.result = Ok(());
        }
    }
}
