//! The traits of `cipher` for CBC, CFB and OFB.

use crate::engine::backend::Direction;
use crate::modes::{Cbc, Cfb, Cfb8, Ofb};
use crate::{BlockCipher, InOutBuf};
use cipher::array::{Array, ArraySize};
use cipher::common::{InnerIvInit, InnerUser, IvSizeUser};
use cipher::consts::{U1, U8, U16, U128};
use cipher::inout::InOut;
use cipher::{
    Block, BlockModeDecBackend, BlockModeDecClosure, BlockModeDecrypt, BlockModeEncBackend,
    BlockModeEncClosure, BlockModeEncrypt, BlockSizeUser, ParBlocks, ParBlocksSizeUser, StreamCipherError,
};
use core::marker::PhantomData;

/// The blocks that `cipher` hands a mode, as bytes.
#[doc(hidden)]
pub trait Bytes: ArraySize<ArrayType<u8>: Copy> {
    /// The bytes of blocks side by side.
    fn of(blocks: &mut [Array<u8, Self>]) -> &mut [u8];
}

macro_rules! bytes {
    ($($size:ty),*) => {$(
        impl Bytes for $size {
            fn of(blocks: &mut [Array<u8, Self>]) -> &mut [u8] {
                Array::cast_slice_to_core_mut(blocks).as_flattened_mut()
            }
        }
    )*};
}
bytes!(U1, U8, U16);

/// A mode as a backend: whatever number of blocks it is handed, they are one call of the mode's own method.
struct ModeBackend<F, B>(F, PhantomData<B>);

impl<F: FnMut(InOutBuf<'_, '_, u8>), B: Bytes> ModeBackend<F, B> {
    fn run(&mut self, blocks: &mut [Array<u8, B>]) {
        (self.0)(B::of(blocks).into());
    }
}

impl<F, B: ArraySize> BlockSizeUser for ModeBackend<F, B> {
    type BlockSize = B;
}

/// The widest pass of any cipher by any kernel, or some of them.
impl<F, B: ArraySize> ParBlocksSizeUser for ModeBackend<F, B> {
    type ParBlocksSize = U128;
}

impl<F: FnMut(InOutBuf<'_, '_, u8>), B: Bytes> BlockModeEncBackend for ModeBackend<F, B> {
    fn encrypt_block(&mut self, block: InOut<'_, '_, Block<Self>>) {
        self.run(core::slice::from_mut(block.into_out_with_copied_in()));
    }
    fn encrypt_par_blocks(&mut self, blocks: InOut<'_, '_, ParBlocks<Self>>) {
        self.run(blocks.into_out_with_copied_in());
    }
    fn encrypt_tail_blocks(&mut self, blocks: InOutBuf<'_, '_, Block<Self>>) {
        self.run(blocks.into_out_with_copied_in());
    }
}

impl<F: FnMut(InOutBuf<'_, '_, u8>), B: Bytes> BlockModeDecBackend for ModeBackend<F, B> {
    fn decrypt_block(&mut self, block: InOut<'_, '_, Block<Self>>) {
        self.run(core::slice::from_mut(block.into_out_with_copied_in()));
    }
    fn decrypt_par_blocks(&mut self, blocks: InOut<'_, '_, ParBlocks<Self>>) {
        self.run(blocks.into_out_with_copied_in());
    }
    fn decrypt_tail_blocks(&mut self, blocks: InOutBuf<'_, '_, Block<Self>>) {
        self.run(blocks.into_out_with_copied_in());
    }
}

/// `InnerIvInit` for a mode whose initialisation vector is a block; with a key, this gives `KeyIvInit`.
macro_rules! from_iv {
    ($($mode:ident),*) => {$(
        impl<C: BlockCipher> InnerUser for $mode<C> {
            type Inner = C;
        }

        impl<C: BlockCipher + BlockSizeUser> IvSizeUser for $mode<C> {
            type IvSize = C::BlockSize;
        }

        impl<C: BlockCipher + BlockSizeUser> InnerIvInit for $mode<C> {
            fn inner_iv_init(inner: C, iv: &cipher::Iv<Self>) -> Self {
                // Only a pointer type of others can be wrong about this.
                Self::from_cipher(inner, iv).expect("a block of the cipher has the size that its type says")
            }
        }
    )*};
}
from_iv!(Cbc, Cfb, Cfb8, Ofb);

/// `BlockModeEncrypt` and `BlockModeDecrypt` for a mode with segments of a fixed length, by two methods that
/// cannot fail: segments are whole by their type.
macro_rules! block_mode {
    ($mode:ident, $segment:ty, |$self:ident, $io:ident| $encrypt:expr, $decrypt:expr) => {
        impl<C: BlockCipher + BlockSizeUser> BlockSizeUser for $mode<C> {
            type BlockSize = $segment;
        }

        impl<C: BlockCipher + BlockSizeUser<BlockSize: Bytes>> BlockModeEncrypt for $mode<C> {
            fn encrypt_with_backend(&mut $self, f: impl BlockModeEncClosure<BlockSize = $segment>) {
                f.call(&mut ModeBackend(|$io: InOutBuf<'_, '_, u8>| $encrypt, PhantomData));
            }
        }

        impl<C: BlockCipher + BlockSizeUser<BlockSize: Bytes>> BlockModeDecrypt for $mode<C> {
            fn decrypt_with_backend(&mut $self, f: impl BlockModeDecClosure<BlockSize = $segment>) {
                f.call(&mut ModeBackend(|$io: InOutBuf<'_, '_, u8>| $decrypt, PhantomData));
            }
        }
    };
}
block_mode!(
    Cbc,
    C::BlockSize,
    |self, io| self.unlimited(Direction::Encrypt, io),
    self.unlimited(Direction::Decrypt, io)
);
block_mode!(Cfb, C::BlockSize, |self, io| self.encrypt(io), self.decrypt(io));
block_mode!(Cfb8, U1, |self, io| self.encrypt(io), self.decrypt(io));

/// The stream never ends.
impl<C: BlockCipher> cipher::StreamCipher for Ofb<C> {
    fn check_remaining(&self, _: usize) -> Result<(), StreamCipherError> {
        Ok(())
    }

    fn unchecked_apply_keystream_inout(&mut self, buf: InOutBuf<'_, '_, u8>) {
        self.apply(buf);
    }

    fn unchecked_write_keystream(&mut self, buf: &mut [u8]) {
        buf.fill(0);
        self.apply(buf);
    }
}
