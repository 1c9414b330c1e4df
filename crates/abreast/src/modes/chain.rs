//! The chaining value that CBC, CFB and OFB keep between calls.

use crate::engine::backend::ChainingValue;
use crate::wipe::wipe;
use crate::{BlockCipher, Error};
use abreast_simd::Block;
use abreast_simd::inlined::CopyFrom;

/// A chaining value, and the bytes of the cipher's blocks.
///
/// In this order, because the error of a `Result` takes the byte after `size`, where the spare values are that tell the
/// two apart. If that byte is a part of the value, the compiler moves the value in pieces of odd lengths. The load of the
/// whole then waits until the stores of the message before are done, and messages of a block do not overlap in the CPU:
/// CBC encryption of 16 bytes takes 64 cycles instead of 18 (AES-128, Zen 5).
#[derive(Clone)]
#[repr(C)]
pub(crate) struct Chain {
    size: BlockSize,
    aligned: Aligned,
}

/// Apart from the byte after `size`.
#[derive(Clone)]
#[repr(align(16))]
struct Aligned(ChainingValue);

#[derive(Clone, Copy)]
#[repr(u8)]
enum BlockSize {
    Eight = 8,
    Sixteen = 16,
}

impl Chain {
    /// An initialisation vector as the first chaining value.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn from_iv(cipher: &impl BlockCipher, iv: &[u8]) -> Result<Self, Error> {
        // By way of words, which are put together in a register.
        let (size, value) = match *iv {
            [a, b, c, d, e, f, g, h] => {
                (BlockSize::Eight, u64::from_le_bytes([a, b, c, d, e, f, g, h]).into())
            }
            [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] => {
                (BlockSize::Sixteen, u128::from_le_bytes([a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p]))
            }
            _ => return Err(Error::IvLength),
        };
        if iv.len() != cipher.block_size() {
            return Err(Error::IvLength);
        }
        // In one piece, as it is loaded.
        Ok(Self { size, aligned: Aligned(*Block::from(value).as_bytes()) })
    }

    /// The value, of which blocks of 64 bits use the first half.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn value(&mut self) -> &mut ChainingValue {
        &mut self.aligned.0
    }

    /// Writes the value into a buffer of one block.
    pub(crate) fn write_to(&self, iv: &mut [u8]) -> Result<(), Error> {
        if iv.len() != self.block_size() {
            return Err(Error::IvLength);
        }
        iv.copy_from(&self.aligned.0[..iv.len()]);
        Ok(())
    }

    /// The bytes of a message that are whole blocks, whose size is a power of two.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn whole_blocks(&self, len: usize) -> usize {
        len & !(self.block_size() - 1)
    }

    /// Bytes of a block.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn block_size(&self) -> usize {
        self.size as usize
    }
}

/// Xors a block into another one, both in one piece.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(crate) fn xor_block(block: &mut ChainingValue, other: &ChainingValue) {
    *block = *(Block::from(*block) ^ Block::from(*other)).as_bytes();
}

impl Drop for Chain {
    fn drop(&mut self) {
        wipe(self.value());
    }
}
