//! [`BlockCipher`]: a cipher under a key as modes see it, and its implementation for each row of the table of ciphers.

use crate::ciphers::aes::{Aes, OfSize};
use crate::ciphers::{CipherRef, block_ciphers};
use crate::engine::backend::{Direction, Secrecy};
use crate::engine::kernel::Kernel;
use crate::engine::keyed::KeyedCipher;
use crate::loops::ctr::CtrKeystream;
use crate::mode_call::{ModeCall, ModeCall128};
use crate::{Error, InOutBuf};
#[cfg(feature = "alloc")]
use alloc::boxed::Box;
#[cfg(all(feature = "alloc", target_has_atomic = "ptr"))]
use alloc::sync::Arc;
use core::fmt;

pub(crate) mod sealed {
    /// Implemented by the ciphers of this crate, and by references, boxes and `Arc`s of them.
    pub trait Sealed {}
}

/// A block cipher under one key, with the kernel chosen for it.
///
/// Every method does many blocks, so that one virtual call and one match on the kernel serve them all;
/// `Box<dyn BlockCipher>` costs no more than a concrete type. The trait is closed: modes rely on
/// internals of this crate's ciphers.
///
/// ```
/// use abreast::{BlockCipher, aes::Aes256, modes::Cbc, xtea::Xtea};
///
/// // The cipher is chosen at run time.
/// let ciphers: [Box<dyn BlockCipher>; 2] = [Box::new(Aes256::new(&[7; 32])), Box::new(Xtea::new(&[7; 16]))];
/// for cipher in &ciphers {
///     let (mut data, iv) = ([0; 64], [1; 16]);
///     cipher.encrypt_raw_blocks(data.as_mut_slice().into())?;
///     cipher.decrypt_raw_blocks(data.as_mut_slice().into())?;
///     Cbc::from_cipher(cipher, &iv[..cipher.block_size()])?.encrypt(data.as_mut_slice())?;
/// }
/// assert_eq!(ciphers[0].name(), "aes-256");
/// # Ok::<(), abreast::Error>(())
/// ```
pub trait BlockCipher: Send + Sync + sealed::Sealed {
    /// Returns the name of the cipher with its key size, such as `aes-256`.
    fn name(&self) -> &'static str;

    /// Returns the kernel that computes it.
    fn kernel(&self) -> Kernel;

    /// Returns the number of bytes of a block: 8 or 16.
    fn block_size(&self) -> usize;

    /// Xors the keystream of consecutive counter blocks, big-endian numbers, into the data. Their low 32
    /// bits count modulo 2^32; [`Ctr`](crate::modes::Ctr) knows the other widths and where to stop.
    // Apart from the rest of the work because messages of a block or two notice every instruction.
    #[doc(hidden)]
    fn xor_keystream(&self, counter: u128, secrecy: Secrecy, io: &mut InOutBuf<'_, '_, u8>);

    /// A mode's loop.
    #[doc(hidden)]
    fn mode_call(&self, call: &mut ModeCall<'_, '_, '_>);

    /// Takes a message of a block or two forward or backward, if the cipher has a shorter way than the loop of a mode. True if
    /// it was done.
    #[doc(hidden)]
    fn few_blocks(&self, direction: Direction, io: &mut InOutBuf<'_, '_, u8>) -> bool;

    /// Returns the reference by which batches know the cipher.
    #[doc(hidden)]
    fn reference(&self) -> CipherRef<'_>;

    /// Encrypts whole blocks, each on its own, in place (`buffer.into()`) or from one buffer to another. The parameter is an
    /// [`InOutBuf`] instead of anything that converts into one, so that trait objects are possible.
    ///
    /// This is the raw permutation, also known as ECB: equal blocks give equal blocks, so it is no way
    /// to encrypt a message.
    ///
    /// # Errors
    /// [`Error::PartialBlock`] if the length is no multiple of the block size; then nothing was done.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn encrypt_raw_blocks(&self, mut io: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
        if self.few_blocks(Direction::Encrypt, &mut io) {
            return Ok(());
        }
        whole_blocks(self.block_size(), &io)?;
        self.mode_call(&mut ModeCall::Ecb(Direction::Encrypt, &mut io));
        Ok(())
    }

    /// Decrypts whole blocks, each on its own; the inverse of [`encrypt_raw_blocks`](Self::encrypt_raw_blocks).
    ///
    /// # Errors
    /// [`Error::PartialBlock`] if the length is no multiple of the block size; then nothing was done.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn decrypt_raw_blocks(&self, mut io: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
        if self.few_blocks(Direction::Decrypt, &mut io) {
            return Ok(());
        }
        whole_blocks(self.block_size(), &io)?;
        self.mode_call(&mut ModeCall::Ecb(Direction::Decrypt, &mut io));
        Ok(())
    }
}

/// A block cipher with blocks of 128 bits, as [`Gcm`](crate::modes::Gcm) and [`Xts`](crate::modes::Xts)
/// want it.
///
/// ```
/// use abreast::{BlockCipher128, Error, aes::Aes128, modes::Gcm};
///
/// fn seal(cipher: &dyn BlockCipher128, nonce: &[u8; 12], message: &mut Vec<u8>) -> Result<(), Error> {
///     Gcm::from_cipher(cipher).seal_in_place(nonce, b"", message)
/// }
/// let mut message = b"attack at dawn".to_vec();
/// seal(&Aes128::new(&[7; 16]), &[1; 12], &mut message)?;
/// assert_eq!(message.len(), 14 + 16);
/// # Ok::<(), Error>(())
/// ```
pub trait BlockCipher128: BlockCipher {
    /// The loop of a mode for such blocks.
    #[doc(hidden)]
    fn mode_call_128(&self, call: &mut ModeCall128<'_, '_, '_>);
}

/// Refuses data with a part of a block at its end. The size of a block is a power of two; a division, which the compiler
/// would have to make where it does not know which, takes as long as a third of the rounds of AES.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(crate) fn whole_blocks(size: usize, io: &InOutBuf<'_, '_, u8>) -> Result<(), Error> {
    if io.len() & (size - 1) == 0 { Ok(()) } else { Err(Error::PartialBlock) }
}

/// References to ciphers are ciphers: `&T`, `Box<T>` and `Arc<T>`, of trait objects too. Not every `Deref`: one of
/// somebody else's could give another cipher at each call, and modes rely on its being the same.
macro_rules! pointer {
    ([$($parameter:tt)*] $pointer:ty, to $target:ty, |$self:ident| $cipher:expr, $reference:expr) => {
        pointer!(@any [$($parameter)*] $pointer, [$target: BlockCipher], |$self| $cipher, $reference);

        impl<$($parameter)*> BlockCipher128 for $pointer
        where
            $target: BlockCipher128,
        {
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            fn mode_call_128(&$self, call: &mut ModeCall128<'_, '_, '_>) {
                $cipher.mode_call_128(call);
            }
        }
    };
    (@any [$($parameter:tt)*] $pointer:ty, [$($bound:tt)*], |$self:ident| $cipher:expr, $reference:expr) => {
        impl<$($parameter)*> sealed::Sealed for $pointer where $($bound)* {}

        impl<$($parameter)*> BlockCipher for $pointer
        where
            $($bound)*
        {
            fn name(&$self) -> &'static str {
                $cipher.name()
            }
            fn kernel(&$self) -> Kernel {
                $cipher.kernel()
            }
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            fn block_size(&$self) -> usize {
                $cipher.block_size()
            }
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            fn xor_keystream(&$self, counter: u128, secrecy: Secrecy, io: &mut InOutBuf<'_, '_, u8>) {
                $cipher.xor_keystream(counter, secrecy, io);
            }
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            fn mode_call(&$self, call: &mut ModeCall<'_, '_, '_>) {
                $cipher.mode_call(call);
            }
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            fn few_blocks(&$self, direction: Direction, io: &mut InOutBuf<'_, '_, u8>) -> bool {
                $cipher.few_blocks(direction, io)
            }
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            fn reference(&$self) -> CipherRef<'_> {
                $reference
            }
        }
    };
}
pointer!([T: ?Sized] &T, to T, |self| (**self), (**self).reference());
#[cfg(feature = "alloc")]
pointer!([T: ?Sized] Box<T>, to T, |self| (**self), (**self).reference());
#[cfg(all(feature = "alloc", target_has_atomic = "ptr"))]
pointer!([T: ?Sized] Arc<T>, to T, |self| (**self), (**self).reference());
pointer!([H: Holder] Held<H>, to H::Cipher, |self| self.0.cipher(), self.0.reference());
pointer!(@any [] Aes, [], |self| of_size(self), of_size(self));

impl BlockCipher128 for Aes {
    fn mode_call_128(&self, call: &mut ModeCall128<'_, '_, '_>) {
        match &self.0 {
            OfSize::Aes128(cipher) => cipher.mode_call_128(call),
            OfSize::Aes192(cipher) => cipher.mode_call_128(call),
            OfSize::Aes256(cipher) => cipher.mode_call_128(call),
        }
    }
}

/// Returns the cipher by the type of its key's length. Not as a trait object, whose methods a program would have twice.
#[inline]
fn of_size(aes: &Aes) -> CipherRef<'_> {
    match &aes.0 {
        OfSize::Aes128(cipher) => cipher.reference(),
        OfSize::Aes192(cipher) => cipher.reference(),
        OfSize::Aes256(cipher) => cipher.reference(),
    }
}

impl fmt::Debug for Aes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, kernel) = (self.name(), self.kernel());
        f.debug_struct("Aes").field("name", &name).field("kernel", &kernel).finish_non_exhaustive()
    }
}

/// A holder that keeps a cipher alive and always gives the same one. Not part of the interface: the C interface has its keys
/// in handles of its own.
#[doc(hidden)]
pub trait Holder: Send + Sync {
    type Cipher: ?Sized;
    fn cipher(&self) -> &Self::Cipher;
    /// Returns the same as [`BlockCipher::reference`].
    fn reference(&self) -> CipherRef<'_>;
}

/// The cipher of a [`Holder`].
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct Held<H>(pub H);

macro_rules! implementations {
    ($($(#[$cfg:meta])? $module:ident::$type:ident, block $block:tt $size:ident, pass $pass:ident;)*) => {
        $(
            $(#[$cfg])?
            impl sealed::Sealed for crate::ciphers::$module::$type {}

            // Not generic over the cipher, so that the kernels are compiled once, in this crate.
            $(#[$cfg])?
            impl BlockCipher for crate::ciphers::$module::$type {
                fn name(&self) -> &'static str {
                    KeyedCipher::name(self)
                }
                fn kernel(&self) -> Kernel {
                    KeyedCipher::kernel(self)
                }
                #[cfg_attr(not(abreast_unoptimized), inline(always))]
                fn block_size(&self) -> usize {
                    Self::BLOCK
                }
                fn xor_keystream(&self, counter: u128, secrecy: Secrecy, io: &mut InOutBuf<'_, '_, u8>) {
                    self.visit(CtrKeystream { counter: &counter.into(), secrecy, io });
                }
                fn mode_call(&self, call: &mut ModeCall<'_, '_, '_>) {
                    call.run(self);
                }
                #[cfg_attr(not(abreast_unoptimized), inline(always))]
                fn few_blocks(&self, direction: Direction, io: &mut InOutBuf<'_, '_, u8>) -> bool {
                    KeyedCipher::few_blocks(self, direction, io)
                }
                #[cfg_attr(not(abreast_unoptimized), inline(always))]
                fn reference(&self) -> CipherRef<'_> {
                    CipherRef::$type(self)
                }
            }

            $(#[$cfg])?
            impl fmt::Debug for crate::ciphers::$module::$type {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.debug_struct(stringify!($type)).field("kernel", &BlockCipher::kernel(self)).finish_non_exhaustive()
                }
            }

            $(#[$cfg])?
            impl zeroize::ZeroizeOnDrop for crate::ciphers::$module::$type {}

            $(#[$cfg])?
            implementations!(@of_128 $block, crate::ciphers::$module::$type);
        )*

        impl sealed::Sealed for CipherRef<'_> {}

        impl BlockCipher for CipherRef<'_> {
            fn name(&self) -> &'static str {
                match self {
                    $($(#[$cfg])? Self::$type(cipher) => BlockCipher::name(*cipher),)*
                }
            }
            fn kernel(&self) -> Kernel {
                match self {
                    $($(#[$cfg])? Self::$type(cipher) => BlockCipher::kernel(*cipher),)*
                }
            }
            #[inline]
            fn block_size(&self) -> usize {
                match self {
                    $($(#[$cfg])? Self::$type(_) => crate::ciphers::$module::$type::BLOCK,)*
                }
            }
            #[inline]
            fn xor_keystream(&self, counter: u128, secrecy: Secrecy, io: &mut InOutBuf<'_, '_, u8>) {
                match self {
                    $($(#[$cfg])? Self::$type(cipher) => cipher.xor_keystream(counter, secrecy, io),)*
                }
            }
            #[inline]
            fn mode_call(&self, call: &mut ModeCall<'_, '_, '_>) {
                match self {
                    $($(#[$cfg])? Self::$type(cipher) => cipher.mode_call(call),)*
                }
            }
            #[inline]
            fn few_blocks(&self, direction: Direction, io: &mut InOutBuf<'_, '_, u8>) -> bool {
                match self {
                    $($(#[$cfg])? Self::$type(cipher) => BlockCipher::few_blocks(*cipher, direction, io),)*
                }
            }
            #[inline]
            fn reference(&self) -> CipherRef<'_> {
                *self
            }
        }

        impl<'a> CipherRef<'a> {
            /// Runs a loop on the kernel of the key, if the blocks have 128 bits.
            #[cfg(feature = "hctr2")]
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            pub(crate) fn visit_128(self, _job: impl crate::engine::passes::ModeLoop<Out = ()>) {
                match self {
                    $($(#[$cfg])? Self::$type(_cipher) => implementations!(@visit $block, _cipher, _job),)*
                }
            }

            /// Returns the cipher.
            #[inline]
            pub(crate) fn cipher(self) -> &'a dyn BlockCipher {
                match self {
                    $($(#[$cfg])? Self::$type(cipher) => cipher,)*
                }
            }

            /// Returns the cipher if its blocks have 128 bits.
            #[doc(hidden)]
            #[must_use]
            pub fn cipher_128(self) -> Option<&'a dyn BlockCipher128> {
                match self {
                    $($(#[$cfg])? Self::$type(_cipher) => implementations!(@as_128 $block, _cipher),)*
                }
            }
        }
    };
    (@of_128 16, $type:path) => {
        impl BlockCipher128 for $type {
            fn mode_call_128(&self, call: &mut ModeCall128<'_, '_, '_>) {
                call.run(self);
            }
        }
    };
    (@of_128 8, $type:path) => {};
    (@visit 16, $cipher:ident, $job:ident) => {
        KeyedCipher::visit($cipher, $job)
    };
    (@visit 8, $cipher:ident, $job:ident) => {
        ()
    };
    (@as_128 16, $cipher:ident) => {
        Some($cipher)
    };
    (@as_128 8, $cipher:ident) => {
        None
    };
}
block_ciphers!(implementations);
