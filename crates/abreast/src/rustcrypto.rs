//! The traits of the RustCrypto ecosystem (`cipher`, `aead`), so that what is written for them takes
//! these types as they are.

use crate::ciphers::block_ciphers;
use crate::engine::backend::Direction;
use crate::modes::{Cbc, Cfb, Cfb8, CounterWidth, Ctr, Eax, Gcm, Ofb};
use crate::{BlockCipher, BlockCipher128, InOutBuf};
use aead::{AeadCore, AeadInOut, TagPosition};
use cipher::array::{Array, ArraySize};
use cipher::common::{InnerIvInit, InnerUser, IvSizeUser};
use cipher::consts::{U1, U8, U12, U16, U32, U64, U128};
use cipher::inout::InOut;
use cipher::{
    Block, BlockCipherDecBackend, BlockCipherDecClosure, BlockCipherDecrypt, BlockCipherEncBackend,
    BlockCipherEncClosure, BlockCipherEncrypt, BlockModeDecBackend, BlockModeDecClosure, BlockModeDecrypt,
    BlockModeEncBackend, BlockModeEncClosure, BlockModeEncrypt, BlockSizeUser, InvalidLength, KeyInit,
    KeySizeUser, OverflowError, ParBlocks, ParBlocksSizeUser, SeekNum, StreamCipherError,
};
use core::marker::PhantomData;

/// `BlockCipherEncrypt` and `BlockCipherDecrypt` for each row of the table of ciphers.
macro_rules! block_cipher_traits {
    ($($module:ident::$type:ident, block $block:tt $size:ident, pass $pass:ident;)*) => {$(
        const _: () = {
            impl BlockSizeUser for crate::ciphers::$module::$type {
                type BlockSize = $size;
            }

            struct CipherBackend<'k>(&'k crate::ciphers::$module::$type);

            impl BlockSizeUser for CipherBackend<'_> {
                type BlockSize = $size;
            }
            impl ParBlocksSizeUser for CipherBackend<'_> {
                type ParBlocksSize = $pass;
            }

            // Whole blocks by their type, so that neither call can fail.
            impl CipherBackend<'_> {
                fn encrypt(&self, blocks: &mut [Array<u8, $size>]) {
                    let bytes = Array::cast_slice_to_core_mut(blocks).as_flattened_mut();
                    let _: Result<(), crate::Error> = self.0.encrypt_raw_blocks(bytes.into());
                }
                fn decrypt(&self, blocks: &mut [Array<u8, $size>]) {
                    let bytes = Array::cast_slice_to_core_mut(blocks).as_flattened_mut();
                    let _: Result<(), crate::Error> = self.0.decrypt_raw_blocks(bytes.into());
                }
            }

            impl BlockCipherEncBackend for CipherBackend<'_> {
                fn encrypt_block(&self, block: InOut<'_, '_, Block<Self>>) {
                    self.encrypt(core::slice::from_mut(block.into_out_with_copied_in()));
                }
                fn encrypt_par_blocks(&self, blocks: InOut<'_, '_, ParBlocks<Self>>) {
                    self.encrypt(blocks.into_out_with_copied_in());
                }
                fn encrypt_tail_blocks(&self, blocks: InOutBuf<'_, '_, Block<Self>>) {
                    self.encrypt(blocks.into_out_with_copied_in());
                }
            }
            impl BlockCipherDecBackend for CipherBackend<'_> {
                fn decrypt_block(&self, block: InOut<'_, '_, Block<Self>>) {
                    self.decrypt(core::slice::from_mut(block.into_out_with_copied_in()));
                }
                fn decrypt_par_blocks(&self, blocks: InOut<'_, '_, ParBlocks<Self>>) {
                    self.decrypt(blocks.into_out_with_copied_in());
                }
                fn decrypt_tail_blocks(&self, blocks: InOutBuf<'_, '_, Block<Self>>) {
                    self.decrypt(blocks.into_out_with_copied_in());
                }
            }

            impl BlockCipherEncrypt for crate::ciphers::$module::$type {
                fn encrypt_with_backend(&self, f: impl BlockCipherEncClosure<BlockSize = $size>) {
                    f.call(&CipherBackend(self));
                }
            }
            impl BlockCipherDecrypt for crate::ciphers::$module::$type {
                fn decrypt_with_backend(&self, f: impl BlockCipherDecClosure<BlockSize = $size>) {
                    f.call(&CipherBackend(self));
                }
            }
        };
    )*};
}
block_ciphers!(block_cipher_traits);

impl<C: BlockCipher> InnerUser for Ctr<C> {
    type Inner = C;
}

impl<C: BlockCipher + BlockSizeUser> IvSizeUser for Ctr<C> {
    type IvSize = C::BlockSize;
}

/// Counts in all bits of the block, as `Ctr128BE` and `Ctr64BE` of the crate `ctr` do; with a key, this
/// gives `KeyIvInit`.
impl<C: BlockCipher + BlockSizeUser> InnerIvInit for Ctr<C> {
    fn inner_iv_init(inner: C, iv: &cipher::Iv<Self>) -> Self {
        let first = iv.iter().fold(0, |number, byte| number << 8 | u128::from(*byte));
        let width = if iv.len() == 8 { CounterWidth::Bits64 } else { CounterWidth::Bits128 };
        Self::from_number(inner, first, width, iv.len())
    }
}

impl<C: BlockCipher> cipher::StreamCipher for Ctr<C> {
    fn check_remaining(&self, data_len: usize) -> Result<(), StreamCipherError> {
        self.check(data_len).map_err(|_| StreamCipherError)
    }

    fn unchecked_apply_keystream_inout(&mut self, buf: InOutBuf<'_, '_, u8>) {
        self.apply_unchecked(buf);
    }

    fn unchecked_write_keystream(&mut self, buf: &mut [u8]) {
        buf.fill(0);
        self.apply_unchecked(buf.into());
    }
}

impl<C: BlockCipher> cipher::StreamCipherSeek for Ctr<C> {
    fn try_current_pos<T: SeekNum>(&self) -> Result<T, OverflowError> {
        let (block, byte) = self.block_and_byte();
        // `SeekNum` counts from the end of a block that has been begun: byte 16 of 16 is its last.
        T::from_block_byte(block, byte, self.block_size() as u8)
    }

    fn try_seek<T: SeekNum>(&mut self, pos: T) -> Result<(), StreamCipherError> {
        let size = self.block_size() as u8;
        let (block, byte) = pos.into_block_byte::<u128>(size).map_err(|_| StreamCipherError)?;
        let byte = block
            .checked_mul(size.into())
            .and_then(|at| at.checked_add(byte.into()))
            .ok_or(StreamCipherError)?;
        self.seek_to(byte).map_err(|_| StreamCipherError)
    }
}

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

/// `BlockModeEncrypt` and `BlockModeDecrypt` for a mode with segments of so many bytes, by two methods that
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

/// The stream never ends.
#[cfg(feature = "legacy")]
impl cipher::StreamCipher for crate::ciphers::rc4::Rc4 {
    fn check_remaining(&self, _: usize) -> Result<(), StreamCipherError> {
        Ok(())
    }

    fn unchecked_apply_keystream_inout(&mut self, buf: InOutBuf<'_, '_, u8>) {
        self.apply(buf);
    }

    fn unchecked_write_keystream(&mut self, buf: &mut [u8]) {
        self.write_keystream(buf);
    }
}

/// What [`Gcm`] and [`Eax`] have in common for `aead`, with nonces of `$nonce` bytes and tags of 16 after
/// the ciphertext; the other lengths have methods of their own.
macro_rules! aead {
    ($mode:ident, $nonce:ty) => {
        impl<C: KeySizeUser> KeySizeUser for $mode<C> {
            type KeySize = C::KeySize;
        }

        impl<C: BlockCipher128 + KeyInit> KeyInit for $mode<C> {
            fn new(key: &cipher::Key<Self>) -> Self {
                Self::from_cipher(C::new(key))
            }

            fn new_from_slice(key: &[u8]) -> Result<Self, InvalidLength> {
                C::new_from_slice(key).map(Self::from_cipher)
            }
        }

        impl<C: BlockCipher128> AeadCore for $mode<C> {
            type NonceSize = $nonce;
            type TagSize = U16;
            const TAG_POSITION: TagPosition = TagPosition::Postfix;
        }

        impl<C: BlockCipher128> AeadInOut for $mode<C> {
            fn encrypt_inout_detached(
                &self,
                nonce: &aead::Nonce<Self>,
                associated_data: &[u8],
                buffer: InOutBuf<'_, '_, u8>,
            ) -> aead::Result<aead::Tag<Self>> {
                let mut tag = aead::Tag::<Self>::default();
                self.encrypt_detached(nonce, associated_data, buffer, &mut tag.0).map_err(|_| aead::Error)?;
                Ok(tag)
            }

            fn decrypt_inout_detached(
                &self,
                nonce: &aead::Nonce<Self>,
                associated_data: &[u8],
                buffer: InOutBuf<'_, '_, u8>,
                tag: &aead::Tag<Self>,
            ) -> aead::Result<()> {
                self.decrypt_detached(nonce, associated_data, buffer, &tag.0).map_err(|_| aead::Error)
            }
        }
    };
}
aead!(Gcm, U12);
aead!(Eax, U16);
