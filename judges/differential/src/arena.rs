//! Memory for a case: the buffers of all messages, unaligned, with bytes around each that nobody may write.

use std::ops::Range;

use abreast::InOutBuf;

use crate::case::{Case, Fault, Spec};
use crate::pool::Pool;
use crate::subject::{Direction, Mode};

/// The value of the bytes around buffers.
const CANARY: u8 = 0xa5;
/// The value of an output's bytes before a call.
pub(crate) const UNTOUCHED: u8 = 0x3c;
/// The value of a tag's bytes before it is written.
pub(crate) const NO_TAG: u8 = 0x77;

/// The ranges of a message's buffers.
struct Slot {
    input: Option<Range<usize>>,
    output: Range<usize>,
    tag: Range<usize>,
}

/// One piece of memory, used again for every case.
#[derive(Default)]
pub struct Arena {
    bytes: Vec<u8>,
    slots: Vec<Slot>,
}

/// The buffers of a message.
pub(crate) struct Parcel<'a> {
    /// Initialisation vector, nonce, counter block or number.
    pub(crate) iv: &'a [u8],
    /// The associated data: authenticated, and not encrypted.
    pub(crate) aad: &'a [u8],
    /// The message, if it is not where the output goes.
    pub(crate) input: Option<&'a [u8]>,
    /// The output.
    pub(crate) output: &'a mut [u8],
    /// The tag.
    pub(crate) tag: &'a mut [u8],
}

impl<'a> Parcel<'a> {
    /// The buffer as modes take it.
    pub(crate) fn io(self) -> (InOutBuf<'a, 'a, u8>, &'a mut [u8]) {
        let io = match self.input {
            None => self.output.into(),
            Some(input) => InOutBuf::new(input, self.output).expect("equal lengths"),
        };
        (io, self.tag)
    }
}

/// The input and the expected output of a message, as the case and the pool define them.
pub(crate) struct Contents<'p> {
    /// The input.
    pub(crate) input: &'p [u8],
    /// The output of a successful call.
    pub(crate) output: &'p [u8],
    /// The number of zeros that follow the output.
    pub(crate) zeros: usize,
    /// The tag.
    pub(crate) tag: &'p [u8],
}

/// Returns the contents of a message.
pub(crate) fn contents<'p>(pool: &'p Pool, case: &Case, spec: &Spec) -> Contents<'p> {
    let (mode, entry) = (case.mode, spec.entry(pool, case.mode));
    let none: &[u8] = &[];
    if mode.is_search() {
        return Contents { input: none, output: none, zeros: 0, tag: none };
    }
    if mode.only_authenticates() {
        // The message is elsewhere; sometimes there is a buffer at which nobody is to look.
        let buffer = &pool.plain(entry, 24)[..if spec.cuts.is_multiple_of(4) { 24 } else { 0 }];
        let tag = pool.answer(mode, spec.kind, entry).tag.as_slice();
        return Contents { input: buffer, output: buffer, zeros: 0, tag };
    }
    let zeros = if mode == Mode::AezJoined { entry.tag_len } else { 0 };
    let plain = &pool.plain(entry, zeros)[..spec.len + zeros];
    if matches!(case.verdict(spec), crate::case::Verdict::Refused(_)) {
        return Contents { input: plain, output: none, zeros: 0, tag: none };
    }
    let answer = pool.answer(mode, spec.kind, entry);
    let text = &answer.text[..spec.len + zeros];
    match case.direction {
        Direction::Encrypt => Contents { input: plain, output: text, zeros: 0, tag: &answer.tag },
        Direction::Decrypt => Contents { input: text, output: &plain[..spec.len], zeros, tag: &answer.tag },
    }
}

impl Arena {
    /// All memory of the case.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }

    /// Returns the ranges of the messages' buffers in the memory.
    pub fn buffers(&self) -> impl Iterator<Item = Range<usize>> {
        let of_slot =
            |slot: &Slot| slot.input.iter().chain([&slot.output, &slot.tag]).cloned().collect::<Vec<_>>();
        self.slots.iter().flat_map(of_slot)
    }

    /// Lays out the buffers of a case and fills them.
    pub fn fill(&mut self, pool: &Pool, case: &Case) {
        self.slots.clear();
        let mut end = 0;
        let all: Vec<_> = case.specs.iter().map(|spec| contents(pool, case, spec)).collect();
        for (spec, contents) in case.specs.iter().zip(&all) {
            let mut take = |len: usize| {
                end += 24 + spec.shift + len;
                end - len..end
            };
            let len = contents.input.len();
            let input = (!spec.in_place).then(|| take(len));
            self.slots.push(Slot { input, output: take(len), tag: take(spec.tag_len) });
        }
        self.bytes.clear();
        self.bytes.resize(end + 24, CANARY);
        for ((spec, contents), slot) in case.specs.iter().zip(&all).zip(&self.slots) {
            if spec.in_place {
                self.bytes[slot.output.clone()].copy_from_slice(contents.input);
            } else {
                self.bytes[slot.output.clone()].fill(UNTOUCHED);
            }
            let input = slot.input.as_ref().unwrap_or(&slot.output).clone();
            self.bytes[input.clone()].copy_from_slice(contents.input);
            if let Fault::TextBit(bit) = spec.fault {
                self.bytes[input.start + bit / 8] ^= 1 << (bit % 8);
            }
            let tag = &mut self.bytes[slot.tag.clone()];
            tag.fill(NO_TAG);
            if case.direction == Direction::Decrypt
                && let Some(right) = contents.tag.get(..spec.tag_len)
            {
                tag.copy_from_slice(right);
                if let Fault::TagBit(bit) = spec.fault {
                    tag[bit / 8] ^= 1 << (bit % 8);
                }
            }
        }
    }

    /// The buffers of all messages.
    pub(crate) fn parcels<'a>(&'a mut self, pool: &'a Pool, case: &Case) -> Vec<Parcel<'a>> {
        let (mut rest, mut at) = (self.bytes.as_mut_slice(), 0);
        let mut take = |range: &Range<usize>| {
            let whole = std::mem::take(&mut rest);
            let (taken, after) = whole[range.start - at..].split_at_mut(range.len());
            (rest, at) = (after, range.end);
            taken
        };
        let parcel = |(spec, slot): (&Spec, &Slot)| {
            let entry = spec.entry(pool, case.mode);
            let aad = pool.aad(entry);
            Parcel {
                iv: match spec.fault {
                    Fault::IvLength(len) | Fault::KeyLength(len) => &pool.plain(entry, 300)[..len],
                    _ => &entry.iv,
                },
                aad: if spec.fault == Fault::AadCut { &aad[..aad.len() - 1] } else { aad },
                input: slot.input.as_ref().map(|range| &*take(range)),
                output: take(&slot.output),
                tag: take(&slot.tag),
            }
        };
        case.specs.iter().zip(&self.slots).map(parcel).collect()
    }

    /// The input, the output, and the tag of one of the messages. The input is none if it was overwritten.
    pub(crate) fn after(&self, index: usize) -> (Option<&[u8]>, &[u8], &[u8]) {
        let slot = &self.slots[index];
        let bytes = |range: &Range<usize>| &self.bytes[range.clone()];
        (slot.input.as_ref().map(bytes), bytes(&slot.output), bytes(&slot.tag))
    }

    /// The first message around whose buffers something was written.
    pub fn trampled(&self) -> Option<usize> {
        let untouched = |bytes: &[u8]| bytes.iter().fold(0, |all, byte| all | (byte ^ CANARY)) == 0;
        let mut at = 0;
        for (index, slot) in self.slots.iter().enumerate() {
            for range in slot.input.iter().chain([&slot.output, &slot.tag]) {
                if !untouched(&self.bytes[at..range.start]) {
                    return Some(index);
                }
                at = range.end;
            }
        }
        (!untouched(&self.bytes[at..])).then(|| self.slots.len().saturating_sub(1))
    }
}
