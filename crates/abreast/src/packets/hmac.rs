//! HMAC side by side.

use super::key::HmacKey;
use super::packet::Packet;
use crate::engine::backend::Direction;
use crate::hmac::{HmacHash, HmacMessage, WINDOW, tags, wipe_tags, write_tag};
use crate::modes::tag::{check_len, same_tag_of_32};
use abreast_simd::inlined::{ArrayList, Zipped};

/// Writes or compares the tags of packets' associated data. The kernel is that of the first key of a window: any one serves all
/// keys.
pub(super) fn hmac<H: HmacHash>(direction: Direction, packets: &mut [Packet<'_, HmacKey<'_, H>>]) {
    for packets in packets.chunks_mut(WINDOW) {
        let Some(first) = packets.first().map(|packet| packet.key.midstates) else {
            continue;
        };
        let mut messages = ArrayList::<_, WINDOW>::new();
        for packet in &*packets {
            messages.push(HmacMessage::new(packet.key.midstates, [packet.associated_data, &[], &[]]));
        }
        let messages = messages.items_mut();
        tags(H::FUNCTION, first.kernel(), messages);
        for (packet, message) in packets.iter_mut().zipped(&*messages) {
            packet.result = check_len(packet.tag, packet.key.tag_len).and_then(|()| match direction {
                Direction::Encrypt => {
                    write_tag(&message.tag, packet.tag);
                    Ok(())
                }
                Direction::Decrypt => same_tag_of_32(&message.tag, packet.tag),
            });
        }
        wipe_tags(messages);
    }
}
