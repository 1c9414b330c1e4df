//! What modes see of a cipher under a key.

use crate::packets::CipherKey;
use crate::spec::{Direction, Job, Secrecy};
use crate::work::{Work, Work128};
use crate::{Error, InOutBuf, Kernel};
#[cfg(feature = "alloc")]
use alloc::boxed::Box;
#[cfg(all(feature = "alloc", target_has_atomic = "ptr"))]
use alloc::sync::Arc;

pub(crate) mod sealed {
    /// Implemented by the ciphers of this crate, and by references, boxes and `Arc`s of them.
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

    /// Bytes of a block: 8 or 16.
    fn block_size(&self) -> usize;

    /// Xors the keystream of consecutive counter blocks, big-endian numbers, into the data. Their low 32
    /// bits count modulo 2^32; [`Ctr`](crate::modes::Ctr) knows the other widths and where to stop.
    // Apart from the rest of the work because messages of a block or two notice every instruction.
    #[doc(hidden)]
    fn xor_keystream(&self, counter: u128, secrecy: Secrecy, io: &mut InOutBuf<'_, '_, u8>);

    /// A mode's loop.
    #[doc(hidden)]
    fn work(&self, work: &mut Work<'_, '_, '_>);

    /// Which cipher it is, as batches refer to it.
    #[doc(hidden)]
    fn key(&self) -> CipherKey<'_>;

    /// Encrypts whole blocks, each on its own, in place (`buffer.into()`) or from one buffer to another. It takes the
    /// [`InOutBuf`] itself, and not what becomes one, so that there are trait objects.
    ///
    /// This is the raw permutation, also known as ECB: equal blocks give equal blocks, so it is no way
    /// to encrypt a message.
    ///
    /// # Errors
    /// [`Error::PartialBlock`] if the length is no multiple of the block size; then nothing was done.
    fn encrypt_raw_blocks(&self, mut io: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
        whole_blocks(self.block_size(), &io)?;
        self.work(&mut Work::Ecb(Direction::Encrypt, &mut io));
        Ok(())
    }

    /// Decrypts whole blocks, each on its own; the converse of [`encrypt_raw_blocks`](Self::encrypt_raw_blocks).
    ///
    /// # Errors
    /// [`Error::PartialBlock`] if the length is no multiple of the block size; then nothing was done.
    fn decrypt_raw_blocks(&self, mut io: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
        whole_blocks(self.block_size(), &io)?;
        self.work(&mut Work::Ecb(Direction::Decrypt, &mut io));
        Ok(())
    }
}

/// A block cipher with blocks of 128 bits, as [`Gcm`](crate::modes::Gcm) and [`Xts`](crate::modes::Xts)
/// want it.
pub trait BlockCipher128: BlockCipher {
    /// The loop of a mode for such blocks.
    #[doc(hidden)]
    fn work_128(&self, work: &mut Work128<'_, '_, '_>);
}

/// Refuses data with a part of a block at its end.
#[inline(always)]
pub(crate) fn whole_blocks(size: usize, io: &InOutBuf<'_, '_, u8>) -> Result<(), Error> {
    if io.len().is_multiple_of(size) { Ok(()) } else { Err(Error::PartialBlock) }
}

/// What refers to a cipher is a cipher: `&T`, `Box<T>` and `Arc<T>`, of trait objects too. Not every `Deref`: one of
/// somebody else's could give another cipher at each call, and modes rely on its being the same.
macro_rules! pointer {
    ([$($parameter:tt)*] $pointer:ty, $target:ty, |$self:ident| $cipher:expr) => {
        impl<$($parameter)*> sealed::Sealed for $pointer where $target: BlockCipher {}

        impl<$($parameter)*> BlockCipher for $pointer
        where
            $target: BlockCipher,
        {
            fn name(&$self) -> &'static str {
                $cipher.name()
            }
            fn kernel(&$self) -> Kernel {
                $cipher.kernel()
            }
            #[inline(always)]
            fn block_size(&$self) -> usize {
                $cipher.block_size()
            }
            #[inline(always)]
            fn xor_keystream(&$self, counter: u128, secrecy: Secrecy, io: &mut InOutBuf<'_, '_, u8>) {
                $cipher.xor_keystream(counter, secrecy, io);
            }
            #[inline(always)]
            fn work(&$self, work: &mut Work<'_, '_, '_>) {
                $cipher.work(work);
            }
            #[inline(always)]
            fn key(&$self) -> CipherKey<'_> {
                $cipher.key()
            }
        }

        impl<$($parameter)*> BlockCipher128 for $pointer
        where
            $target: BlockCipher128,
        {
            #[inline(always)]
            fn work_128(&$self, work: &mut Work128<'_, '_, '_>) {
                $cipher.work_128(work);
            }
        }
    };
}
pointer!([T: ?Sized] &T, T, |self| (**self));
#[cfg(feature = "alloc")]
pointer!([T: ?Sized] Box<T>, T, |self| (**self));
#[cfg(all(feature = "alloc", target_has_atomic = "ptr"))]
pointer!([T: ?Sized] Arc<T>, T, |self| (**self));
pointer!([H: Holder] Held<H>, H::Cipher, |self| self.0.cipher());

/// What keeps a cipher alive and always gives the same one. Not part of the interface: the C interface has its keys
/// in handles of its own.
#[doc(hidden)]
pub trait Holder: Send + Sync {
    type Cipher: ?Sized;
    fn cipher(&self) -> &Self::Cipher;
}

/// The cipher of a [`Holder`].
#[doc(hidden)]
#[derive(Debug)]
pub struct Held<H>(pub H);

/// Round keys with the level that they are laid out for: what a public type of this crate contains.
pub(crate) trait Keyed {
    /// See [`BlockCipher::name`].
    fn name(&self) -> &'static str;
    /// See [`BlockCipher::kernel`].
    fn kernel(&self) -> Kernel;
    /// Runs a mode's loop on the kernel of this key.
    fn visit<J: Job>(&self, job: J) -> J::Out;
}

/// Makes a type that contains [`Keyed`] round keys a cipher. Not generic, so that its kernels are compiled
/// once, in this crate.
macro_rules! block_cipher {
    ($type:ident, block $block:literal $block_size:ty, pass $pass:ty) => {
        impl crate::block_cipher::sealed::Sealed for $type {}

        impl crate::BlockCipher for $type {
            fn name(&self) -> &'static str {
                self.0.name()
            }
            fn kernel(&self) -> crate::Kernel {
                self.0.kernel()
            }
            #[inline(always)]
            fn block_size(&self) -> usize {
                $block
            }
            fn xor_keystream(
                &self,
                counter: u128,
                secrecy: crate::spec::Secrecy,
                io: &mut crate::InOutBuf<'_, '_, u8>,
            ) {
                self.0.visit(crate::modes::ctr::Keystream { counter: &counter.into(), secrecy, io });
            }
            fn work(&self, work: &mut crate::work::Work<'_, '_, '_>) {
                work.run(&self.0);
            }
            #[inline(always)]
            fn key(&self) -> crate::packets::CipherKey<'_> {
                crate::packets::CipherKey(crate::packets::Cipher::$type(self))
            }
        }

        crate::rustcrypto::block_cipher!($type, $block_size, $pass);

        impl core::fmt::Debug for $type {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.debug_struct(stringify!($type)).field("kernel", &self.0.kernel()).finish_non_exhaustive()
            }
        }

        impl zeroize::ZeroizeOnDrop for $type {}
    };
}
pub(crate) use block_cipher;

/// As [`block_cipher!`], with blocks of 128 bits.
macro_rules! block_cipher_128 {
    ($type:ident, pass $pass:ty) => {
        crate::block_cipher::block_cipher!($type, block 16 cipher::consts::U16, pass $pass);

        impl crate::BlockCipher128 for $type {
            fn work_128(&self, work: &mut crate::work::Work128<'_, '_, '_>) {
                work.run(&self.0);
            }
        }
    };
}
pub(crate) use block_cipher_128;
