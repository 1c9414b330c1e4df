//! The messages that calls work on: a ring or a batch of independent ones, or one that feeds itself.

use std::hint::black_box;

use abreast::Error;

/// The alignment of slots: no two share a cache line, and loads of whole registers cross none.
const LINE: usize = 64;
/// The longest message that gets a ring.
const SHORT: usize = 2048;
/// Bytes of a ring, which fits every first-level cache.
const RING: usize = 16 * 1024;
/// The most slots of a ring.
const SLOTS: usize = 64;

/// The data for one call.
pub(crate) struct Turn<'a> {
    /// All but the message.
    pub(crate) header: &'a mut Header,
    /// The message, or all of the slot if there is a place for the output in it: [`halves`] tells them apart.
    pub(crate) data: &'a mut [u8],
}

/// A message of a size, and the place for its output.
#[inline(always)]
pub(crate) fn halves(data: &mut [u8], size: usize) -> (&mut [u8], &mut [u8]) {
    let (message, output) = data.split_at_mut(data.len() / 2);
    (&mut message[..size], &mut output[..size])
}

/// The data beside a message, on one cache line. It is written well before the call that reads it, as the header of a
/// packet would be: loads that wait for stores right before them measure something else.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(crate) struct Header {
    /// The first counter block: a nonce, and 1 as the number of the block, as in IPsec. The nonce is a
    /// part that stays and the number of the message.
    pub(crate) counter: [u8; 16],
    /// Associated data: the number of the message, a type, a version and a length, as in TLS.
    pub(crate) aad: [u8; 13],
    /// The tags of a message that is decrypted in place over and over.
    ///
    /// Where the keystream of a nonce is xored in, decrypting twice gives back the same text. So there
    /// are two texts in turns: the one at first and what it is decrypted to, each with a tag.
    pub(crate) tags: [[u8; 16]; 2],
    /// The tag whose turn it is.
    pub(crate) turn: bool,
}

impl Header {
    /// The header of a message without tags.
    fn new(number: u64) -> Self {
        let mut header = Self {
            counter: *b"salt........\0\0\0\x01",
            aad: *b"........tvvll",
            tags: [[0; 16]; 2],
            turn: false,
        };
        header.renumber(number);
        header
    }

    /// Makes it the header of another message.
    #[inline(always)]
    fn renumber(&mut self, number: u64) {
        self.counter[4..12].copy_from_slice(&number.to_be_bytes());
        self.aad[..8].copy_from_slice(&number.to_be_bytes());
    }

    /// An IV of a block, of 8 or 16 bytes, with as much of the number as fits.
    #[inline(always)]
    pub(crate) fn iv(&self, block: usize) -> &[u8] {
        if block == 16 { &self.counter } else { &self.counter[8..] }
    }

    /// The number of a data unit, far from that of the next message.
    #[inline(always)]
    pub(crate) fn unit(&self) -> u128 {
        u128::from_be_bytes(self.counter)
    }

    /// The nonce of the message.
    #[inline(always)]
    pub(crate) fn nonce(&self) -> &[u8] {
        &self.counter[..12]
    }
}

/// Equally long messages in slots, and the order of calls on them.
pub(crate) struct Messages {
    /// The slots, from `start` on.
    bytes: Vec<u8>,
    /// The offset of the first slot, which is aligned.
    start: usize,
    /// Bytes from slot to slot.
    stride: usize,
    /// Bytes of a message.
    size: usize,
    /// Bytes of a slot that a call is given.
    given: usize,
    /// A header for each slot.
    headers: Vec<Header>,
    /// The number of the next message that has none.
    number: u64,
    /// Does each call wait for the one before?
    chained: bool,
    /// Do the messages keep their numbers, and so their tags?
    sealed: bool,
}

impl Messages {
    /// Messages of `size` bytes, in a ring if they are short, or one for `chained` calls.
    pub(crate) fn new(size: usize, chained: bool) -> Self {
        Self::in_turn(size, size, chained)
    }

    /// Returns messages as [`new`](Self::new) does, with a place for the output after each.
    pub(crate) fn with_output(size: usize, chained: bool) -> Self {
        Self::in_turn(size, 2 * size.next_multiple_of(LINE), chained)
    }

    /// Returns `slots` messages, for calls that take all of them.
    pub(crate) fn batch(size: usize, slots: usize) -> Self {
        Self::in_slots(size, size, slots, false)
    }

    /// Returns messages as [`batch`](Self::batch) does, with a place for the output after each.
    pub(crate) fn batch_with_output(size: usize, slots: usize) -> Self {
        Self::in_slots(size, 2 * size.next_multiple_of(LINE), slots, false)
    }

    /// Messages for calls that take one.
    fn in_turn(size: usize, given: usize, chained: bool) -> Self {
        let most = (RING / given.next_multiple_of(LINE)).min(SLOTS);
        Self::in_slots(size, given, if chained || size > SHORT { 1 } else { most }, chained)
    }

    /// Messages in so many slots.
    fn in_slots(size: usize, given: usize, slots: usize, chained: bool) -> Self {
        let stride = given.next_multiple_of(LINE);
        let bytes = vec![0; slots * stride + LINE];
        let start = bytes.as_ptr().align_offset(LINE).min(LINE);
        let headers = (0..slots as u64).map(Header::new).collect();
        let number = slots as u64;
        let mut messages =
            Self { bytes, start, stride, size, given, headers, number, chained, sealed: false };
        messages.reset();
        messages
    }

    /// Bytes of a message.
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// Messages in a lap.
    pub(crate) fn slots(&self) -> usize {
        self.headers.len()
    }

    /// Keeps the numbers of the messages from now on, since they have tags.
    pub(crate) fn keep_numbers(&mut self) {
        self.sealed = true;
    }

    /// Everything as it was at first, except the tags themselves and what was encrypted to be decrypted to a
    /// place after it.
    pub(crate) fn reset(&mut self) {
        let mut state = 1_u64;
        let mut scramble = |bytes: &mut [u8]| {
            for word in bytes.chunks_mut(8) {
                state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
                word.copy_from_slice(&state.to_le_bytes()[..word.len()]);
            }
        };
        if self.sealed && self.given > self.size {
            let size = self.size;
            self.turns().for_each(|turn| scramble(halves(turn.data, size).1));
        } else {
            scramble(&mut self.bytes[self.start..]);
        }
        for (number, header) in self.headers.iter_mut().enumerate() {
            header.renumber(number as u64);
            header.turn = false;
        }
        self.number = self.slots() as u64;
    }

    /// The slots, for looking at what calls have made of them.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes[self.start..]
    }

    /// Every slot in its turn.
    pub(crate) fn turns(&mut self) -> impl Iterator<Item = Turn<'_>> {
        let slots = self.bytes[self.start..].chunks_exact_mut(self.stride);
        slots.zip(&mut self.headers).map(|(data, header)| Turn { header, data: &mut data[..self.given] })
    }

    /// One call on every slot, `laps` times; the sum of what the calls returned.
    ///
    /// In a ring each message is followed by a new one, with another number. Chained calls work on one
    /// message over and over, whose place in memory is computed, always to the same result, from what
    /// the call before returned: nothing of it can be read before.
    #[inline(always)]
    pub(crate) fn run(
        &mut self,
        laps: u32,
        mut call: impl FnMut(Turn<'_>) -> Result<u128, Error>,
    ) -> Result<u128, Error> {
        let mut sum = 0_u128;
        let slots = &mut self.bytes[self.start..];
        if self.chained {
            let none = black_box(0);
            let mut output = 0;
            for _ in 0..laps {
                let slot = output as usize & none;
                let data = &mut slots[slot..][..self.given];
                output = call(Turn { header: &mut self.headers[slot], data })?;
                sum = sum.wrapping_add(output);
            }
        } else {
            for _ in 0..laps {
                for (data, header) in slots.chunks_exact_mut(self.stride).zip(&mut self.headers) {
                    let output = call(Turn { header, data: &mut data[..self.given] })?;
                    sum = sum.wrapping_add(output);
                    if !self.sealed {
                        header.renumber(self.number);
                        self.number += 1;
                    }
                }
            }
        }
        Ok(sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rings_fit_the_cache() {
        let slots = |size| Messages::new(size, false).slots();
        assert_eq!([16, 64, 256, 1600, 2048, 2049, 1 << 20].map(slots), [64, 64, 64, 10, 8, 1, 1]);
        assert_eq!(Messages::new(16, true).slots(), 1);
        assert_eq!(size_of::<Header>(), LINE);
        assert_eq!([64, 1600, 1 << 20].map(|size| Messages::with_output(size, false).slots()), [64, 5, 1]);
    }

    #[test]
    fn outputs_have_a_place_of_their_own() {
        let mut messages = Messages::with_output(100, false);
        for turn in messages.turns() {
            let (message, output) = halves(turn.data, 100);
            assert_eq!((message.len(), output.len()), (100, 100));
            assert_eq!(output.as_ptr().align_offset(LINE), 0);
            message.fill(2);
            output.fill(1);
        }
        messages.keep_numbers();
        messages.reset();
        for turn in messages.turns() {
            let (message, output) = halves(turn.data, 100);
            assert!(*message == [2; 100] && *output != [1; 100]);
        }
    }

    #[test]
    fn a_lap_is_a_call_on_every_slot() {
        for sealed in [false, true] {
            let mut messages = Messages::new(100, false);
            if sealed {
                messages.keep_numbers();
            }
            let mut seen = Vec::new();
            let run = messages.run(2, |turn| {
                assert_eq!(turn.data.len(), 100);
                assert_eq!(turn.data.as_ptr().align_offset(LINE), 0);
                assert_eq!(turn.header.nonce()[4..], turn.header.aad[..8]);
                seen.push(turn.header.aad[7]);
                Ok(1)
            });
            assert_eq!(run, Ok(128));
            assert_eq!(
                seen[..66],
                [(0..64).collect(), if sealed { vec![0, 1] } else { vec![64, 65] }].concat()
            );
        }
    }

    #[test]
    fn a_reset_brings_everything_back() {
        let mut messages = Messages::new(64, false);
        let before = (messages.bytes().to_vec(), messages.headers[3].aad);
        let run = messages.run(1, |turn| {
            turn.data.fill(0);
            turn.header.turn = true;
            Ok(0)
        });
        assert_eq!(run, Ok(0));
        assert_ne!((messages.bytes().to_vec(), messages.headers[3].aad), before);
        messages.reset();
        assert_eq!((messages.bytes().to_vec(), messages.headers[3].aad), before);
        assert!(!messages.headers[3].turn);
    }

    #[test]
    fn chained_calls_stay_on_one_message() {
        let mut messages = Messages::new(16, true);
        let mut calls = 0;
        let run = messages.run(3, |turn| {
            calls += 1;
            assert_eq!(turn.header.aad[7], 0);
            Ok(u128::MAX / 3)
        });
        assert_eq!((run, calls), (Ok(u128::MAX), 3));
    }
}
