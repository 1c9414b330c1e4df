//! AES (FIPS 197) with keys of 128, 192 and 256 bits.
//!
//! Two specifications compute it. `rounds` uses the AES instructions of x86 and ARM, in registers of
//! one, two or four blocks; `sliced` is a constant-time circuit over registers of any width, for CPUs
//! without such instructions. Neither looks anything up in a table at a secret place. Which one a key
//! uses is settled when it is made, see [`kernels`](crate::kernels).

mod rounds;
mod sbox;
mod schedule;
mod sliced;

use crate::block_cipher::sealed::Sealed;
use crate::ghash::GhashKey;
use crate::kernels::Choice;
use crate::modes::gcm::{self, Direction, Running};
use crate::modes::{ctr::Keystream, ecb::Ecb};
use crate::spec::{Job, Secrecy};
use crate::{BlockCipher, Error, GcmCipher, InOutBuf, Kernel};
use abreast_simd::portable::Portable;
use abreast_simd::{AesLevel, Level, dispatch, dispatch_aes};
use cipher::consts::{U16, U24, U32};
use core::fmt;
use rounds::{AesRounds, RoundKeys};
use sliced::{AesSliced, SlicedKeys};

const BLOCK: usize = 16;

/// A key of `RK` round keys, laid out for the kernel that will use it.
enum Keyed<const RK: usize> {
    Rounds(AesLevel, RoundKeys<RK>),
    Sliced(Level, SlicedKeys<RK>),
}

impl<const RK: usize> Keyed<RK> {
    fn new(key: &[u8], kernel: Kernel) -> Result<Self, Error> {
        Ok(match kernel.0 {
            Choice::AesRounds(level) => {
                Self::Rounds(level, dispatch_aes!(level, isa => RoundKeys::new(isa, key)))
            }
            Choice::AesSliced(level) => Self::Sliced(level, SlicedKeys::new(key)),
        })
    }

    /// Expands a key for the best kernel. The portable one is always there.
    fn at_best(key: &[u8]) -> Self {
        Kernel::of_aes()
            .find_map(|kernel| Self::new(key, kernel).ok())
            .unwrap_or_else(|| Self::Sliced(Level::Portable(Portable), SlicedKeys::new(key)))
    }

    fn kernel(&self) -> Kernel {
        match self {
            Self::Rounds(level, _) => Kernel::aes_rounds(*level),
            Self::Sliced(level, _) => Kernel::aes_sliced(*level),
        }
    }

    /// Runs a mode's loop on the kernel of this key.
    #[inline(always)]
    fn visit<J: Job>(&self, job: J) -> J::Out {
        match self {
            Self::Rounds(level, keys) => {
                dispatch_aes!(*level, isa => job.run::<_, AesRounds<RK>>(isa, keys))
            }
            Self::Sliced(level, keys) => {
                dispatch!(*level, isa => job.run::<_, AesSliced<RK>>(isa, keys))
            }
        }
    }
}

fn whole_blocks(io: &InOutBuf<'_, '_, u8>) -> Result<(), Error> {
    if io.len().is_multiple_of(BLOCK) { Ok(()) } else { Err(Error::PartialBlock) }
}

/// Defines the public type for one key size. All that differs is sizes and names; the methods are not
/// generic, so that kernels are compiled once, in this crate.
macro_rules! aes {
    ($(#[$doc:meta])* $type:ident, $name:literal, key $key:literal $key_size:ty, round_keys $rk:literal) => {
        $(#[$doc])*
        pub struct $type(Keyed<$rk>);

        impl $type {
            /// Expands a key, for the best kernel of this CPU.
            #[must_use]
            pub fn new(key: &[u8; $key]) -> Self {
                Self(Keyed::at_best(key))
            }

            /// Expands a key for a given kernel, one of [`kernels`](Self::kernels).
            ///
            /// # Errors
            /// [`Error::KernelUnavailable`] if the kernel is another cipher's.
            pub fn with_kernel(key: &[u8; $key], kernel: Kernel) -> Result<Self, Error> {
                Keyed::new(key, kernel).map(Self)
            }

            /// The kernels that this CPU can run, best first.
            pub fn kernels() -> impl Iterator<Item = Kernel> {
                Kernel::of_aes()
            }
        }

        impl Sealed for $type {}

        impl BlockCipher for $type {
            fn name(&self) -> &'static str {
                $name
            }
            fn kernel(&self) -> Kernel {
                self.0.kernel()
            }
            fn block_size(&self) -> usize {
                BLOCK
            }
            fn encrypt_raw_blocks(&self, mut io: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
                whole_blocks(&io)?;
                self.0.visit(Ecb::<true> { io: &mut io });
                Ok(())
            }
            fn decrypt_raw_blocks(&self, mut io: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
                whole_blocks(&io)?;
                self.0.visit(Ecb::<false> { io: &mut io });
                Ok(())
            }
            fn xor_keystream(&self, counter: u128, secrecy: Secrecy, io: &mut InOutBuf<'_, '_, u8>) {
                self.0.visit(Keystream { counter: &counter.into(), secrecy, io });
            }
        }

        impl GcmCipher for $type {
            fn gcm_key(&self) -> GhashKey {
                self.0.visit(gcm::MakeKey)
            }
            fn gcm_message(
                &self,
                key: &GhashKey,
                direction: Direction,
                nonce: &[u8],
                aad: &[u8],
                io: &mut InOutBuf<'_, '_, u8>,
            ) -> [u8; 16] {
                self.0.visit(gcm::Message { key, direction, nonce, aad, io })
            }
            fn gcm_begin(&self, key: &GhashKey, nonce: &[u8], aad: &[u8]) -> Running {
                self.0.visit(gcm::Begin { key, nonce, aad })
            }
            fn gcm_piece(
                &self,
                key: &GhashKey,
                direction: Direction,
                running: &mut Running,
                io: &mut InOutBuf<'_, '_, u8>,
            ) {
                self.0.visit(gcm::Piece { key, direction, running, io });
            }
            fn gcm_hash(&self, key: &GhashKey, running: &mut Running, data: &[u8]) {
                self.0.visit(gcm::Hash { key, running, data });
            }
            fn gcm_finish(&self, key: &GhashKey, running: &Running, aad_len: u64, data_len: u64) -> [u8; 16] {
                self.0.visit(gcm::Finish { key, running, aad_len, data_len })
            }
        }

        impl cipher::KeySizeUser for $type {
            type KeySize = $key_size;
        }

        impl cipher::KeyInit for $type {
            fn new(key: &cipher::Key<Self>) -> Self {
                Self::new(key.as_ref())
            }
        }

        crate::rustcrypto::block_cipher!($type, U16, U32);

        impl fmt::Debug for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($type)).field("kernel", &self.kernel()).finish_non_exhaustive()
            }
        }

        impl zeroize::ZeroizeOnDrop for $type {}
    };
}

aes! {
    /// AES with a key of 16 bytes, ten rounds.
    ///
    /// ```
    /// use abreast::{BlockCipher, aes::Aes128};
    ///
    /// // FIPS 197, appendix C.1.
    /// let key = core::array::from_fn(|i| i as u8);
    /// let mut block: [u8; 16] = core::array::from_fn(|i| 0x11 * i as u8);
    /// Aes128::new(&key).encrypt_raw_blocks(block.as_mut_slice().into())?;
    /// assert_eq!(block[..4], [0x69, 0xc4, 0xe0, 0xd8]);
    /// # Ok::<(), abreast::Error>(())
    /// ```
    Aes128, "aes-128", key 16 U16, round_keys 11
}
aes! {
    /// AES with a key of 24 bytes, twelve rounds.
    Aes192, "aes-192", key 24 U24, round_keys 13
}
aes! {
    /// AES with a key of 32 bytes, fourteen rounds.
    Aes256, "aes-256", key 32 U32, round_keys 15
}
