//! A message with room for its tag behind it, which may lie elsewhere.

use super::rounds::Rounds;
use crate::InOutBuf;
use abreast_simd::{Block, Isa};

/// A text in two pieces: what was handed in, and at most 32 bytes more.
pub(super) struct Text<'i, 'o, 't> {
    pub(super) io: InOutBuf<'i, 'o, u8>,
    /// The end of the input.
    pub(super) end: &'t [u8],
    /// The end of the output, as long.
    pub(super) end_out: &'t mut [u8],
}

impl Text<'_, '_, '_> {
    /// Bytes.
    #[inline(always)]
    pub(super) fn len(&self) -> usize {
        self.io.len() + self.end.len()
    }

    /// Its beginning, which is no longer than the first piece.
    #[inline(always)]
    pub(super) fn front(&mut self, len: usize) -> InOutBuf<'_, '_, u8> {
        self.io.reborrow().split_at(len).0
    }

    /// A block of the input.
    #[inline(always)]
    pub(super) fn block(&self, at: usize) -> Block {
        let src = self.io.get_in();
        let block = match at.checked_sub(src.len()) {
            Some(at) => self.end.get(at..).and_then(<[u8]>::first_chunk::<16>),
            None => src[at..].first_chunk::<16>(),
        };
        match block {
            Some(block) => Block::from_part(block),
            None => self.part(at, 16),
        }
    }

    /// At most 16 bytes of the input, zeros behind them.
    #[inline(always)]
    pub(super) fn part(&self, at: usize, len: usize) -> Block {
        let src = self.io.get_in();
        if at + len <= src.len() {
            Block::from_part(&src[at..][..len])
        } else if at >= src.len() {
            Block::from_part(&self.end[at - src.len()..][..len])
        } else {
            let here = src.len() - at;
            let mut block = [0; 16];
            block[..here].copy_from_slice(&src[at..]);
            block[here..len].copy_from_slice(&self.end[..len - here]);
            Block::from_part(&block)
        }
    }

    /// The first `len` bytes of a vector to the output.
    #[inline(always)]
    pub(super) fn store<I: Isa, R: Rounds<I>>(&mut self, at: usize, len: usize, vector: R::Vector) {
        let dst = self.io.get_out();
        let n = dst.len();
        if at + len <= n {
            R::store_partial(vector, &mut dst[at..][..len]);
        } else if at >= n {
            R::store_partial(vector, &mut self.end_out[at - n..][..len]);
        } else {
            let mut block = [0; 16];
            R::store_partial(vector, &mut block);
            dst[at..].copy_from_slice(&block[..n - at]);
            self.end_out[..len - (n - at)].copy_from_slice(&block[n - at..len]);
        }
    }
}
