//! The traits of `cipher` 0.4 and `aead` 0.5, the versions before those that the crate has always, for programs whose other
//! dependencies still use them.

/// The traits of `aead` 0.5.
#[cfg(feature = "aead-05")]
mod aead_05 {
    use crate::BlockCipher128;
    #[cfg(feature = "modes")]
    use crate::modes::Eax;
    use crate::modes::Gcm;
    #[cfg(feature = "siv")]
    use crate::modes::GcmSiv;
    use aead_05::consts::{U0, U12, U16, U32};
    use aead_05::generic_array::ArrayLength;
    use aead_05::{AeadCore, AeadInPlace, Error, Key, KeyInit, KeySizeUser, Nonce, Tag};

    /// The traits for a mode with nonces of `$nonce` bytes and tags of 16, whose keys have `$key` bytes and are made by the newer
    /// traits.
    macro_rules! aead {
        ([$($of:tt)*] $mode:ty, key $key:ty, nonce $nonce:ty) => {
            impl<$($of)*> KeySizeUser for $mode {
                type KeySize = $key;
            }

            impl<$($of)*> KeyInit for $mode {
                fn new(key: &Key<Self>) -> Self {
                    <Self as cipher::KeyInit>::new_from_slice(key).expect("a key of the length that the type tells")
                }
            }

            impl<$($of)*> AeadCore for $mode {
                type NonceSize = $nonce;
                type TagSize = U16;
                type CiphertextOverhead = U0;
            }

            impl<$($of)*> AeadInPlace for $mode {
                fn encrypt_in_place_detached(
                    &self,
                    nonce: &Nonce<Self>,
                    associated_data: &[u8],
                    buffer: &mut [u8],
                ) -> Result<Tag<Self>, Error> {
                    let mut tag = [0; 16];
                    self.encrypt_detached(nonce, associated_data, buffer, &mut tag).map_err(|_| Error)?;
                    Ok(tag.into())
                }

                fn decrypt_in_place_detached(
                    &self,
                    nonce: &Nonce<Self>,
                    associated_data: &[u8],
                    buffer: &mut [u8],
                    tag: &Tag<Self>,
                ) -> Result<(), Error> {
                    self.decrypt_detached(nonce, associated_data, buffer, tag.as_ref()).map_err(|_| Error)
                }
            }
        };
    }
    aead!([C: BlockCipher128 + cipher::KeyInit<KeySize: ArrayLength<u8>>] Gcm<C>, key C::KeySize, nonce U12);
    #[cfg(feature = "modes")]
    aead!([C: BlockCipher128 + cipher::KeyInit<KeySize: ArrayLength<u8>>] Eax<C>, key C::KeySize, nonce U16);
    #[cfg(feature = "siv")]
    aead!([] GcmSiv, key U32, nonce U12);
}

/// The traits of `cipher` 0.4.
#[cfg(feature = "cipher-04")]
mod cipher_04 {
    use crate::ciphers::block_ciphers;
    use crate::modes::Ctr;
    use crate::rustcrypto::counting_all;
    use crate::wipe::wipe;
    use crate::{BlockCipher, InOutBuf};
    use abreast_simd::inlined::{CopyFrom, Zipped};
    use cipher_04::consts::{U8, U16, U32, U64, U128};
    use cipher_04::crypto_common::InnerUser;
    use cipher_04::inout::{InOut, InOutBuf as OlderInOutBuf};
    use cipher_04::{
        Block, BlockBackend, BlockClosure, BlockDecrypt, BlockEncrypt, BlockSizeUser, InnerIvInit,
        InvalidLength, Iv, IvSizeUser, Key, KeyInit, KeySizeUser, ParBlocks, ParBlocksSizeUser, StreamCipher,
        StreamCipherError,
    };

    /// Bytes of a keystream that are xored at a time into another buffer.
    // No boundary: any number of blocks gives the same.
    const PIECE: usize = 1024;

    macro_rules! block_cipher_traits {
        ($($(#[$cfg:meta])? $module:ident::$type:ident, block $block:tt $size:ident, pass $pass:ident;)*) => {$(
            $(#[$cfg])?
            const _: () = {
                use crate::ciphers::$module::$type;

                impl BlockSizeUser for $type {
                    type BlockSize = $size;
                }
                impl cipher_04::BlockCipher for $type {}

                /// Blocks in whole bytes, forward or backward.
                struct Backend<F>(F);

                impl<F> BlockSizeUser for Backend<F> {
                    type BlockSize = $size;
                }
                impl<F> ParBlocksSizeUser for Backend<F> {
                    type ParBlocksSize = $pass;
                }

                impl<F: FnMut(InOutBuf<'_, '_, u8>) -> Result<(), crate::Error>> BlockBackend for Backend<F> {
                    fn proc_block(&mut self, mut block: InOut<'_, '_, Block<Self>>) {
                        let input = block.clone_in();
                        block.get_out().copy_from_slice(&input);
                        // A whole block by its type: nothing is refused.
                        let _: Result<(), crate::Error> = (self.0)(block.get_out().as_mut_slice().into());
                    }

                    fn proc_par_blocks(&mut self, mut blocks: InOut<'_, '_, ParBlocks<Self>>) {
                        let mut bytes = [[0; $block]; <$pass as cipher::typenum::Unsigned>::USIZE];
                        for (bytes, block) in bytes.iter_mut().zipped(blocks.get_in()) {
                            bytes.copy_from(block);
                        }
                        let _: Result<(), crate::Error> = (self.0)(bytes.as_flattened_mut().into());
                        for (bytes, block) in bytes.iter().zipped(blocks.get_out()) {
                            block.copy_from_slice(bytes);
                        }
                        wipe(bytes.as_flattened_mut());
                    }
                }

                impl BlockEncrypt for $type {
                    fn encrypt_with_backend(&self, f: impl BlockClosure<BlockSize = $size>) {
                        f.call(&mut Backend(|io: InOutBuf<'_, '_, u8>| self.encrypt_raw_blocks(io)));
                    }
                }
                impl BlockDecrypt for $type {
                    fn decrypt_with_backend(&self, f: impl BlockClosure<BlockSize = $size>) {
                        f.call(&mut Backend(|io: InOutBuf<'_, '_, u8>| self.decrypt_raw_blocks(io)));
                    }
                }

                impl KeySizeUser for $type {
                    type KeySize = <Self as cipher::KeySizeUser>::KeySize;
                }
                impl KeyInit for $type {
                    fn new(key: &Key<Self>) -> Self {
                        <Self as cipher::KeyInit>::new_from_slice(key).expect("a key of the length that the type tells")
                    }

                    fn new_from_slice(key: &[u8]) -> Result<Self, InvalidLength> {
                        <Self as cipher::KeyInit>::new_from_slice(key).map_err(|_| InvalidLength)
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

    /// Counts in all bits of the block, as with the newer traits.
    impl<C: BlockCipher + BlockSizeUser> InnerIvInit for Ctr<C> {
        fn inner_iv_init(inner: C, iv: &Iv<Self>) -> Self {
            counting_all(inner, iv)
        }
    }

    impl<C: BlockCipher> StreamCipher for Ctr<C> {
        fn try_apply_keystream_inout(
            &mut self,
            mut data: OlderInOutBuf<'_, '_, u8>,
        ) -> Result<(), StreamCipherError> {
            self.check(data.len()).map_err(|_| StreamCipherError)?;
            if core::ptr::eq(data.get_in(), &*data.reborrow().get_out()) {
                self.apply_unchecked(data.get_out().into());
                return Ok(());
            }
            let mut stream = [0; PIECE];
            while !data.is_empty() {
                let len = data.len().min(PIECE);
                let (mut piece, rest) = data.split_at(len);
                let stream = &mut stream[..len];
                stream.fill(0);
                self.apply_unchecked(stream.into());
                piece.xor_in2out(stream);
                data = rest;
            }
            wipe(&mut stream);
            Ok(())
        }
    }
}
