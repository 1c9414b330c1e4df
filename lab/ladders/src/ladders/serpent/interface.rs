//! The two interfaces of a block cipher that the article compares, and two modes on top of them.

use crate::ladder::Run;

/// Bytes of a block.
pub(super) const BLOCK: usize = 16;

/// The interface that Botan had before: a call is a block. A mode with many blocks to encrypt cannot say so.
pub(super) trait OneBlock {
    /// Encrypts a block.
    fn encrypt_block(&self, input: &[u8; BLOCK], output: &mut [u8; BLOCK]);
}

/// The interface that it has had since: a call is as many blocks as there are.
pub(super) trait ManyBlocks {
    /// Encrypts blocks, each by itself.
    fn encrypt_n(&self, input: &[u8], output: &mut [u8]);
}

/// Many blocks by way of the old interface. The call goes through a table of functions, as that of a mode does which
/// works for any cipher: the compiler cannot inline it.
pub(super) struct EachBlock(pub(super) Box<dyn OneBlock>);

impl ManyBlocks for EachBlock {
    fn encrypt_n(&self, input: &[u8], output: &mut [u8]) {
        for (input, output) in input.as_chunks().0.iter().zip(output.as_chunks_mut().0) {
            self.0.encrypt_block(input, output);
        }
    }
}

/// The electronic codebook: each block by itself.
pub(super) fn ecb(cipher: Box<dyn ManyBlocks>) -> Run {
    Box::new(move |input, output| cipher.encrypt_n(input, output))
}

/// The first counter block of the counter mode.
pub(super) const COUNTER: [u8; BLOCK] = *b"a first counter\xff";

/// Bytes of counter blocks that the counter mode makes for one call. (The article's modes made 128.)
const BATCH: usize = 8192;

/// The counter mode: the keystream is the encryption of a number of 128 bits that counts up, big-endian. The counter
/// blocks are written first, so that one call encrypts many of them.
pub(super) fn ctr(cipher: Box<dyn ManyBlocks>) -> Run {
    Box::new(move |input, output| {
        let mut counter = u128::from_be_bytes(COUNTER);
        let mut counters = [0; BATCH];
        for (input, output) in input.chunks(BATCH).zip(output.chunks_mut(BATCH)) {
            let counters = &mut counters[..input.len()];
            for block in counters.as_chunks_mut().0 {
                *block = counter.to_be_bytes();
                counter = counter.wrapping_add(1);
            }
            cipher.encrypt_n(counters, output);
            for (output, input) in output.iter_mut().zip(input) {
                *output ^= input;
            }
        }
    })
}
