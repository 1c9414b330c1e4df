//! The state of a message in EAX between two pieces.

use super::part_of_block;
use crate::InOutBuf;
use crate::engine::backend::{ChainingValue, Direction};
use crate::wipe::wipe;
use zeroize::Zeroize;

/// The state of a message between two pieces.
#[doc(hidden)]
#[derive(Clone)]
pub struct EaxState {
    /// The next counter block, a big-endian number.
    pub(super) counter: u128,
    /// The tag but for the parts that have not ended: the ciphertext's, and the header's.
    pub(super) tag: ChainingValue,
    /// The header's part so far, and then the ciphertext's.
    pub(super) chain: ChainingValue,
    /// The end of the header or of the ciphertext so far, which may be its last block, and the keystream of that block.
    pub(super) held: [u8; 16],
    pub(super) stream: [u8; 16],
    pub(super) len: usize,
    /// True if there has been no header, or no ciphertext.
    pub(super) empty: bool,
    /// True while the header has not ended.
    pub(super) in_header: bool,
}

impl Drop for EaxState {
    fn drop(&mut self) {
        self.counter.zeroize();
        wipe(&mut self.tag);
        wipe(&mut self.chain);
        wipe(&mut self.held);
        wipe(&mut self.stream);
    }
}

impl EaxState {
    /// Goes on in the block whose keystream is in `stream`.
    pub(super) fn part_of_block(&mut self, direction: Direction, io: InOutBuf<'_, '_, u8>) {
        let end = self.len + io.len();
        part_of_block(direction, &self.stream, &mut self.held, self.len, io);
        self.len = end;
    }
}
