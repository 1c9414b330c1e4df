//! What modes see of a cipher under a key.

use crate::ghash::GhashKey;
use crate::modes::gcm::{Direction, Running};
use crate::spec::Secrecy;
use crate::{Error, InOutBuf, Kernel};

pub(crate) mod sealed {
    /// Implemented by the ciphers of this crate, and by what points to them.
    pub trait Sealed {}
}

/// A block cipher under one key, with the kernel chosen for it.
///
/// Every method does many blocks, so that one virtual call and one match on the kernel serve them all;
/// `Box<dyn BlockCipher>` costs what a concrete type costs. The trait is closed: modes rely on what the
/// ciphers of this crate do inside.
pub trait BlockCipher: Send + Sync + sealed::Sealed {
    /// The name of the cipher with its key size, such as `aes-256`.
    fn name(&self) -> &'static str;

    /// The kernel that computes it.
    fn kernel(&self) -> Kernel;

    /// Bytes of a block.
    fn block_size(&self) -> usize;

    /// Encrypts whole blocks, each on its own, in place or from one buffer to another.
    ///
    /// This is the raw permutation, also known as ECB: equal blocks give equal blocks, so it is no way
    /// to encrypt a message.
    ///
    /// # Errors
    /// [`Error::PartialBlock`] if the length is no multiple of the block size; then nothing was done.
    fn encrypt_raw_blocks(&self, io: InOutBuf<'_, '_, u8>) -> Result<(), Error>;

    /// Decrypts whole blocks, each on its own; the converse of [`encrypt_raw_blocks`](Self::encrypt_raw_blocks).
    ///
    /// # Errors
    /// [`Error::PartialBlock`] if the length is no multiple of the block size; then nothing was done.
    fn decrypt_raw_blocks(&self, io: InOutBuf<'_, '_, u8>) -> Result<(), Error>;

    /// Xors the keystream of consecutive counter blocks, big-endian numbers, into the data. Their low 32
    /// bits count modulo 2^32; [`Ctr`](crate::modes::Ctr) knows the other widths and where to stop.
    #[doc(hidden)]
    fn xor_keystream(&self, counter: u128, secrecy: Secrecy, io: &mut InOutBuf<'_, '_, u8>);
}

/// A block cipher for [`Gcm`](crate::modes::Gcm): one with blocks of 128 bits.
pub trait GcmCipher: BlockCipher {
    #[doc(hidden)]
    fn gcm_key(&self) -> GhashKey;
    #[doc(hidden)]
    fn gcm_message(
        &self,
        key: &GhashKey,
        direction: Direction,
        nonce: &[u8],
        aad: &[u8],
        io: &mut InOutBuf<'_, '_, u8>,
    ) -> [u8; 16];
    #[doc(hidden)]
    fn gcm_begin(&self, key: &GhashKey, nonce: &[u8], aad: &[u8]) -> Running;
    #[doc(hidden)]
    fn gcm_piece(
        &self,
        key: &GhashKey,
        direction: Direction,
        running: &mut Running,
        io: &mut InOutBuf<'_, '_, u8>,
    );
    #[doc(hidden)]
    fn gcm_hash(&self, key: &GhashKey, running: &mut Running, data: &[u8]);
    #[doc(hidden)]
    fn gcm_finish(&self, key: &GhashKey, running: &Running, aad_len: u64, data_len: u64) -> [u8; 16];
}

#[cfg(feature = "alloc")]
use alloc::boxed::Box;

/// Makes a pointer to a cipher a cipher.
macro_rules! through_pointer {
    ($($pointer:ty),*) => {$(
        impl<C: BlockCipher + ?Sized> sealed::Sealed for $pointer {}

        impl<C: BlockCipher + ?Sized> BlockCipher for $pointer {
            fn name(&self) -> &'static str {
                (**self).name()
            }
            fn kernel(&self) -> Kernel {
                (**self).kernel()
            }
            fn block_size(&self) -> usize {
                (**self).block_size()
            }
            fn encrypt_raw_blocks(&self, io: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
                (**self).encrypt_raw_blocks(io)
            }
            fn decrypt_raw_blocks(&self, io: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
                (**self).decrypt_raw_blocks(io)
            }
            fn xor_keystream(&self, counter: u128, secrecy: Secrecy, io: &mut InOutBuf<'_, '_, u8>) {
                (**self).xor_keystream(counter, secrecy, io);
            }
        }

        impl<C: GcmCipher + ?Sized> GcmCipher for $pointer {
            fn gcm_key(&self) -> GhashKey {
                (**self).gcm_key()
            }
            fn gcm_message(
                &self,
                key: &GhashKey,
                direction: Direction,
                nonce: &[u8],
                aad: &[u8],
                io: &mut InOutBuf<'_, '_, u8>,
            ) -> [u8; 16] {
                (**self).gcm_message(key, direction, nonce, aad, io)
            }
            fn gcm_begin(&self, key: &GhashKey, nonce: &[u8], aad: &[u8]) -> Running {
                (**self).gcm_begin(key, nonce, aad)
            }
            fn gcm_piece(
                &self,
                key: &GhashKey,
                direction: Direction,
                running: &mut Running,
                io: &mut InOutBuf<'_, '_, u8>,
            ) {
                (**self).gcm_piece(key, direction, running, io);
            }
            fn gcm_hash(&self, key: &GhashKey, running: &mut Running, data: &[u8]) {
                (**self).gcm_hash(key, running, data);
            }
            fn gcm_finish(&self, key: &GhashKey, running: &Running, aad_len: u64, data_len: u64) -> [u8; 16] {
                (**self).gcm_finish(key, running, aad_len, data_len)
            }
        }
    )*};
}

through_pointer!(&C);
#[cfg(feature = "alloc")]
through_pointer!(Box<C>);
