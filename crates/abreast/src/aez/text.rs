//! A message with room for its tag after it, which may lie elsewhere.

use super::rounds::AezVectors;
use crate::InOutBuf;
use abreast_simd::Isa;
use abreast_simd::inlined::{Flat, Zipped};

/// A text in two pieces: the caller's buffer, and at most 32 bytes more. So all but the last two blocks of
/// a text, which may be in either, are in the first piece.
pub(crate) struct Text<'i, 'o, 't> {
    pub(crate) io: InOutBuf<'i, 'o, u8>,
    /// The end of the input.
    pub(crate) end: &'t [u8],
    /// The end of the output, as long.
    pub(crate) end_out: &'t mut [u8],
}

impl Text<'_, '_, '_> {
    /// Bytes.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn len(&self) -> usize {
        self.io.len() + self.end.len()
    }

    /// The last two blocks of the input.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn last_blocks<I: Isa, R: AezVectors<I>>(&self, isa: I) -> (R::Vector, R::Vector) {
        // The tag is usually the last of them.
        match (self.io.get_in().last_chunk(), self.end.try_into()) {
            (Some(x), Ok(y)) => (R::first(isa, x), R::first(isa, y)),
            _ => {
                let [x, y] = self.last();
                (R::first(isa, &x), R::first(isa, &y))
            }
        }
    }

    /// Returns the last two blocks of the input; a text of less than 32 bytes has zeros before it.
    #[cold]
    pub(crate) fn last(&self) -> [[u8; 16]; 2] {
        let mut last = [[0; 16]; 2];
        let from = self.end.iter().rev().chain(self.io.get_in().iter().rev());
        last.flat_mut().iter_mut().rev().zipped(from).for_each(|(byte, from)| *byte = *from);
        last
    }

    /// The last two blocks of the output.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn set_last_blocks<I: Isa, R: AezVectors<I>>(&mut self, x: R::Vector, y: R::Vector) {
        match (self.io.get_out().last_chunk_mut::<16>(), <&mut [u8; 16]>::try_from(&mut *self.end_out)) {
            (Some(io), Ok(end)) => {
                R::store_partial(x, io);
                R::store_partial(y, end);
            }
            _ => self.set_last([R::to_first(x), R::to_first(y)]),
        }
    }

    /// Sets the last two blocks of the output; of a text of less than 32 bytes, the whole.
    #[cold]
    pub(crate) fn set_last(&mut self, last: [[u8; 16]; 2]) {
        let to = self.end_out.iter_mut().rev().chain(self.io.get_out().iter_mut().rev());
        to.zipped(last.flat().iter().rev()).for_each(|(byte, from)| *byte = *from);
    }
}
