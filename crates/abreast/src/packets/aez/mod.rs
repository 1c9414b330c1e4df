//! Many messages, each with its own key: which of them go side by side.
//!
//! The paper knows no batches, and each message gets the result that it would get singly. But a short one is mostly a
//! chain of rounds, which leaves most of a core idle. So each short one takes a lane of vectors ([`lanes`]), and
//! together they go the way that one message goes ([`group`]). Neighbours that are alike go as they come. Others are
//! sorted by their number of pairs, so that lanes end together. A message that lanes do not suit is processed singly.
//!
//! The schedule is not that of the modes ([`schedule`](super::schedule)), with which it has the counting sort in common: keys
//! of AEZ are of one kind and are not laid out by lanes, and neighbours that are alike need no sorting.

mod group;
mod inputs;
mod lanes;

use super::key::AezKey;
use super::packet::Packet;
use crate::Error;
use crate::aez::Keyed;
use crate::aez::instructions::Instructions;
use crate::aez::rounds::AezVectors;
use crate::engine::backend::Direction;
use crate::engine::counting_sort::CountingSort;
use abreast_simd::inlined::Zipped;
use abreast_simd::{AesIsa, AesLevel, Blocks as _, dispatch_aes};
use inputs::{LaneRun, Scratch};
pub(crate) use lanes::MOST_LANES;
use lanes::{Lane, Layout, Neighbours, Sorted};

/// The most messages that are sorted at a time.
pub(crate) const WINDOW: usize = 64;
/// The most pairs of a message that goes side by side with others. A longer one fills vectors by itself.
pub(crate) const MOST_PAIRS: usize = 24;
/// The most pairs of short messages, for which less memory is wiped.
pub(crate) const FEW_PAIRS: usize = 2;

/// No number of pairs.
const SINGLE: u8 = 255;

/// Encrypts or decrypts packets as [`Aez`](crate::aez::Aez) does them one by one. Short ones go side by side, so that
/// they hide each other's latency: as they come, as long as neighbours are alike, and then sorted.
pub(crate) fn batch(direction: Direction, packets: &mut [Packet<'_, AezKey<'_>>]) {
    let mut short = true;
    for packet in &mut *packets {
        packet.result = Err(Error::NotProcessed);
        short &= packet.buffer.len() < 16 + 32 * (FEW_PAIRS + 1);
    }
    if short {
        batch_with(direction, packets, Scratch::new(&mut [0; FEW_PAIRS * 48 * MOST_LANES]));
    } else {
        batch_with(direction, packets, Scratch::new(&mut [0; MOST_PAIRS * 48 * MOST_LANES]));
    }
}

fn batch_with(direction: Direction, packets: &mut [Packet<'_, AezKey<'_>>], mut rows: Scratch<'_>) {
    for window in packets.chunks_mut(WINDOW) {
        let Some(level) = window.iter().find_map(Packet::level) else {
            single_packets(direction, window);
            continue;
        };
        let done = dispatch_aes!(level, isa => neighbours::<_, 2>(isa, level, direction, window, &mut rows));
        let rest = &mut window[done..];
        if !rest.is_empty() {
            let mut sorted = [const { None }; WINDOW];
            let sorted = sort(level, direction, rest, &mut sorted);
            dispatch_aes!(level, isa => side_by_side::<_, 2>(isa, direction, sorted, &mut rows));
        }
    }
}

/// One packet after the other.
fn single_packets(direction: Direction, packets: &mut [Packet<'_, AezKey<'_>>]) {
    for packet in packets {
        packet.result = packet.aez(direction);
    }
}

/// Packets in the order of their numbers of pairs; those that do not go side by side are done.
fn sort<'s, 'l, 'p, 'k>(
    level: AesLevel,
    direction: Direction,
    packets: &'l mut [Packet<'p, AezKey<'k>>],
    sorted: &'s mut [Lane<'l, 'p, 'k>; WINDOW],
) -> &'s mut [Lane<'l, 'p, 'k>] {
    let mut classes = [SINGLE; WINDOW];
    let mut sort = CountingSort::<{ MOST_PAIRS + 1 }>::new();
    for (class, packet) in classes.iter_mut().zipped(&mut *packets) {
        match packet.pairs(level) {
            Some(pairs) => {
                *class = pairs as u8;
                sort.count(pairs);
            }
            None => packet.result = packet.aez(direction),
        }
    }
    let all = sort.begin();
    for (packet, class) in packets.iter_mut().zipped(classes) {
        if class != SINGLE {
            sorted[sort.place(usize::from(class))] = Some(packet);
        }
    }
    &mut sorted[..all]
}

impl Packet<'_, AezKey<'_>> {
    /// The level at which it can go side by side with others.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn level(&self) -> Option<AesLevel> {
        match self.key.aez.0.keyed {
            Keyed::AezVectors(level) => Some(level),
            Keyed::Sliced(..) => None,
        }
    }

    /// True if its tag is a block, and must be one.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn has_tag_of_16(&self) -> bool {
        self.tag.len() == 16 && self.key.tag_len == 16
    }

    /// Returns its number of pairs if it can go side by side with others at a level: with a tag of a block, after a
    /// block of the message at least, and a nonce of no more than one.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn pairs(&self, level: AesLevel) -> Option<usize> {
        let pairs = self.buffer.len().checked_sub(16)? / 32;
        let suits =
            pairs <= MOST_PAIRS && self.has_tag_of_16() && self.iv.len() <= 16 && self.level() == Some(level);
        suits.then_some(pairs)
    }
}

/// The first packets as they come, as many at a time as there are lanes, as long as these are alike. Gives how many
/// there were. Sorted like the others, messages of 16 to 64 bytes would take 56 to 60 % longer, and those of 512 bytes 38
/// (VAES, Zen 3).
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn neighbours<I: AesIsa, const N: usize>(
    isa: I,
    level: AesLevel,
    direction: Direction,
    packets: &mut [Packet<'_, AezKey<'_>>],
    rows: &mut Scratch<'_>,
) -> usize {
    // Registers of one block gain nothing: the core looks far enough ahead to see the next message.
    if I::Blocks::LANES == 1 {
        single_packets(direction, packets);
        return packets.len();
    }
    isa.align_frame();
    let lanes = <Instructions<N> as AezVectors<I>>::LANES;
    let mut done = 0;
    for packets in packets.chunks_exact_mut(lanes) {
        let bytes = packets[0].buffer.len();
        let Some(pairs) = packets[0].pairs(level).filter(|_| alike(level, packets)) else { break };
        let on = LaneRun::<I, _, N, true> { isa, packets: Neighbours(packets), layout: Layout { bytes } };
        on.together(direction, pairs, rows);
        done += lanes;
    }
    done
}

/// True if all lengths are those of the first packet, none has associated data, and all have keys of a level.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn alike(level: AesLevel, packets: &[Packet<'_, AezKey<'_>>]) -> bool {
    let (len, nonce) = (packets[0].buffer.len(), packets[0].iv.len());
    for packet in packets {
        if packet.buffer.len() != len
            || packet.iv.len() != nonce
            || !packet.has_tag_of_16()
            || !packet.associated_data.is_empty()
            || packet.level() != Some(level)
        {
            return false;
        }
    }
    true
}

/// Sorted packets, as many at a time as there are lanes.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn side_by_side<I: AesIsa, const N: usize>(
    isa: I,
    direction: Direction,
    packets: &mut [Lane<'_, '_, '_>],
    rows: &mut Scratch<'_>,
) {
    isa.align_frame();
    for packets in packets.chunks_mut(<Instructions<N> as AezVectors<I>>::LANES) {
        let layout = Layout { bytes: 0 };
        match packets {
            [Some(packet)] => packet.result = packet.aez(direction),
            [Some(_), ..] => {
                let mut most = 0;
                for packet in packets.iter().flatten() {
                    most = most.max(layout.pairs(packet.buffer.len()));
                }
                let on = LaneRun::<I, _, N, false> { isa, packets: Sorted(packets), layout };
                on.together(direction, most, rows);
            }
            _ => {}
        }
    }
}
