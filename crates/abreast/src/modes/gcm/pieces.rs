//! A message in GCM that comes in pieces, split anywhere.

use super::Gcm;
use super::limits::{check_lengths, check_nonce, check_tag_len};
use crate::engine::backend::{Direction, Secrecy};
use crate::ghash::BLOCK;
use crate::loops::gcm::{GcmBegin, GcmFinish, GcmPiece, GcmState, advance};
use crate::mode_call::ModeCall128;
use crate::modes::part_of_block;
use crate::modes::stream::{Streaming, sealed};
use crate::{BlockCipher128, Error, InOutBuf};
use abreast_simd::inlined::CopyFrom;

/// The state of a message between two pieces.
#[doc(hidden)]
#[derive(Clone)]
pub struct GcmPieces {
    running: GcmState,
    aad_len: u64,
    data_len: u64,
    /// The block that the last piece ended in: its keystream, and its ciphertext so far. Before the message, the
    /// associated data that does not fill a block yet.
    stream: [u8; BLOCK],
    ciphertext: [u8; BLOCK],
}

impl<C: BlockCipher128> Gcm<C> {
    /// The beginning of a message in pieces.
    pub(super) fn begin_with(&self, nonce: &[u8], aad: &[u8]) -> Result<GcmPieces, Error> {
        check_nonce(nonce)?;
        check_lengths(aad.len() as u64, 0)?;
        let mut state = GcmPieces {
            running: GcmState::default(),
            aad_len: aad.len() as u64,
            data_len: 0,
            stream: [0; BLOCK],
            ciphertext: [0; BLOCK],
        };
        // A part of a block is kept, since more may follow.
        let (aad, tail) = aad.split_at(aad.len() - aad.len() % BLOCK);
        state.ciphertext[..tail.len()].copy_from(tail);
        let begin = GcmBegin { key: &self.0.key, nonce, aad, running: &mut state.running };
        self.0.cipher.mode_call_128(&mut ModeCall128::GcmBegin(begin));
        Ok(state)
    }

    /// Hashes the rest of the associated data, when the message begins.
    #[inline]
    fn end_associated_data(&self, state: &mut GcmPieces) {
        let left = (state.aad_len % BLOCK as u64) as usize;
        if state.data_len == 0 && left > 0 {
            self.hash_block(state, left);
        }
    }

    /// Hashes the first bytes of the kept block of ciphertext.
    fn hash_block(&self, state: &mut GcmPieces, len: usize) {
        let block = &state.ciphertext[..len];
        self.0.cipher.mode_call_128(&mut ModeCall128::GcmHash(&self.0.key, &mut state.running, block));
    }
}

impl<C> sealed::SealedStreaming for Gcm<C> {}

impl<C: BlockCipher128> Streaming for Gcm<C> {
    type State = GcmPieces;

    fn begin(&self, nonce: &[u8]) -> Result<GcmPieces, Error> {
        self.begin_with(nonce, &[])
    }

    fn associated_data(&self, state: &mut GcmPieces, mut data: &[u8]) -> Result<(), Error> {
        if state.data_len > 0 {
            return Err(Error::AssociatedDataLate);
        }
        let len = state.aad_len.checked_add(data.len() as u64).ok_or(Error::MessageTooLong)?;
        check_lengths(len, 0)?;
        let filled = (state.aad_len % BLOCK as u64) as usize;
        state.aad_len = len;
        if filled > 0 {
            let (head, rest) = data.split_at(data.len().min(BLOCK - filled));
            state.ciphertext[filled..][..head.len()].copy_from(head);
            if filled + head.len() < BLOCK {
                return Ok(());
            }
            self.hash_block(state, BLOCK);
            data = rest;
        }
        let (whole, tail) = data.split_at(data.len() - data.len() % BLOCK);
        if !whole.is_empty() {
            self.0.cipher.mode_call_128(&mut ModeCall128::GcmHash(&self.0.key, &mut state.running, whole));
        }
        state.ciphertext[..tail.len()].copy_from(tail);
        Ok(())
    }

    fn update(
        &self,
        state: &mut GcmPieces,
        direction: Direction,
        mut io: InOutBuf<'_, '_, u8>,
    ) -> Result<(), Error> {
        let len = state.data_len.checked_add(io.len() as u64).ok_or(Error::MessageTooLong)?;
        check_lengths(state.aad_len, len)?;
        if io.is_empty() {
            return Ok(());
        }
        self.end_associated_data(state);
        let filled = (state.data_len % BLOCK as u64) as usize;
        state.data_len = len;
        if filled > 0 {
            let head = io.len().min(BLOCK - filled);
            let (head, rest) = io.split_at(head);
            let end = filled + head.len();
            part_of_block(direction, &state.stream, &mut state.ciphertext, filled, head);
            io = rest;
            if end < BLOCK {
                return Ok(());
            }
            self.hash_block(state, BLOCK);
        }
        let whole = io.len() - io.len() % BLOCK;
        let (mut whole, tail) = io.split_at(whole);
        if !whole.is_empty() {
            let piece = GcmPiece { key: &self.0.key, direction, running: &mut state.running, io: &mut whole };
            self.0.cipher.mode_call_128(&mut ModeCall128::GcmPiece(piece));
        }
        if !tail.is_empty() {
            state.stream = [0; BLOCK];
            let counter = state.running.counter;
            self.0.cipher.xor_keystream(counter, Secrecy::Secret, &mut state.stream.as_mut_slice().into());
            state.running.counter = advance(counter, 1);
            part_of_block(direction, &state.stream, &mut state.ciphertext, 0, tail);
        }
        Ok(())
    }

    fn full_tag(&self, state: &mut GcmPieces) -> [u8; BLOCK] {
        // Without a message, the associated data is what may end in a part of a block.
        let (aad_len, data_len) = (state.aad_len, state.data_len);
        let last = if data_len == 0 { aad_len } else { data_len };
        let tail = &state.ciphertext[..(last % BLOCK as u64) as usize];
        let mut tag = [0; BLOCK];
        let (key, running) = (&self.0.key, &state.running);
        let finish = GcmFinish { key, running, tail, aad_len, data_len, tag: &mut tag };
        self.0.cipher.mode_call_128(&mut ModeCall128::GcmFinish(finish));
        tag
    }

    fn full_tag_len(&self) -> usize {
        BLOCK
    }

    fn check_tag_len(&self, tag_len: usize) -> Result<(), Error> {
        check_tag_len(tag_len)
    }
}
