//! The traits of the RustCrypto ecosystem (`cipher`, `aead`), so that code written for them accepts
//! these types unchanged.

#[cfg(feature = "modes")]
mod block_modes;
#[cfg(any(feature = "aead-05", feature = "cipher-04"))]
mod older;

use crate::ciphers::block_ciphers;
#[cfg(feature = "modes")]
use crate::modes::Eax;
#[cfg(feature = "siv")]
use crate::modes::GcmSiv;
use crate::modes::{CounterWidth, Ctr, Gcm};
use crate::{BlockCipher, BlockCipher128, InOutBuf};
use aead::{AeadCore, AeadInOut, TagPosition};
use cipher::array::Array;
use cipher::common::{InnerIvInit, InnerUser, IvSizeUser};
use cipher::consts::{U8, U12, U16, U32, U64, U128};
use cipher::inout::InOut;
use cipher::{
    Block, BlockCipherDecBackend, BlockCipherDecClosure, BlockCipherDecrypt, BlockCipherEncBackend,
    BlockCipherEncClosure, BlockCipherEncrypt, BlockSizeUser, InvalidLength, KeyInit, KeySizeUser,
    OverflowError, ParBlocks, ParBlocksSizeUser, SeekNum, StreamCipherError,
};

/// `BlockCipherEncrypt` and `BlockCipherDecrypt` for each row of the table of ciphers.
macro_rules! block_cipher_traits {
    ($($(#[$cfg:meta])? $module:ident::$type:ident, block $block:tt $size:ident, pass $pass:ident;)*) => {$(
        $(#[$cfg])?
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
        counting_all(inner, iv)
    }
}

/// Returns counter mode from a block of the cipher on, of which all bits count.
fn counting_all<C: BlockCipher>(cipher: C, block: &[u8]) -> Ctr<C> {
    let first = block.iter().fold(0, |number, byte| number << 8 | u128::from(*byte));
    let width = if block.len() == 8 { CounterWidth::Bits64 } else { CounterWidth::Bits128 };
    Ctr::from_number(cipher, first, width, block.len())
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

/// `aead` for a mode with nonces of `$nonce` bytes and tags of 16 after the ciphertext; the other lengths have methods of their
/// own.
macro_rules! aead {
    ([$($of:tt)*] $mode:ty, $nonce:ty) => {
        impl<$($of)*> AeadCore for $mode {
            type NonceSize = $nonce;
            type TagSize = U16;
            const TAG_POSITION: TagPosition = TagPosition::Postfix;
        }

        impl<$($of)*> AeadInOut for $mode {
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

/// `aead` for a mode over a cipher, whose keys are those of the cipher.
macro_rules! aead_over_cipher {
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

        aead!([C: BlockCipher128] $mode<C>, $nonce);
    };
}
aead_over_cipher!(Gcm, U12);
#[cfg(feature = "modes")]
aead_over_cipher!(Eax, U16);

#[cfg(feature = "siv")]
impl KeySizeUser for GcmSiv {
    type KeySize = U32;
}

/// A key of 32 bytes, for AES-256; by a slice, one of 16 for AES-128 too.
#[cfg(feature = "siv")]
impl KeyInit for GcmSiv {
    fn new(key: &cipher::Key<Self>) -> Self {
        Self::of_256(&key.0)
    }

    fn new_from_slice(key: &[u8]) -> Result<Self, InvalidLength> {
        Self::new(key).map_err(|_| InvalidLength)
    }
}

#[cfg(feature = "siv")]
aead!([] GcmSiv, U12);
