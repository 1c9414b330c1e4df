//! The kernels: what exists, what this CPU can run, and what is chosen.
//!
//! A kernel is a way to compute a cipher on an instruction set. Every cipher has its own list, best
//! first, and takes the first that the CPU can run unless it is handed one. Nothing else chooses: no
//! environment variable reaches the choice.

#[cfg(feature = "legacy")]
use crate::rc4::Company;
use abreast_simd::{AesLevel, Level};
use core::fmt;

/// A way to compute a cipher on an instruction set that this CPU has.
///
/// Having one proves that the CPU can run it: kernels come from a cipher's list, such as
/// [`Aes128::kernels`](crate::aes::Aes128::kernels), or from a [token](tokens).
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Kernel(pub(crate) Choice);

/// Specification and instruction set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    AesRounds(AesLevel),
    AesSliced(Level),
    /// Serpent or XTEA.
    Words(Level),
    /// RC4, and how its streams go side by side.
    #[cfg(feature = "legacy")]
    Rc4(Company),
}

impl Kernel {
    /// AES by AES instructions, from a token such as [`tokens::AesNi`](tokens): for targets where nothing can be
    /// detected.
    #[must_use]
    pub fn aes_rounds(token: impl Into<AesLevel>) -> Self {
        Self(Choice::AesRounds(token.into()))
    }

    /// AES bit-sliced, from a token such as [`tokens::Avx2`](tokens): for targets where nothing can be detected.
    #[must_use]
    pub fn aes_sliced(token: impl Into<Level>) -> Self {
        Self(Choice::AesSliced(token.into()))
    }

    /// Serpent or XTEA, from a token such as [`tokens::Avx2`](tokens): for targets where nothing can be detected.
    #[must_use]
    pub fn words(token: impl Into<Level>) -> Self {
        Self(Choice::Words(token.into()))
    }

    /// The name, such as `avx512` or `sliced-avx2`: fixed, for scripts to use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self.0 {
            Choice::AesRounds(level) => level.name(),
            Choice::Words(level) => level.name(),
            #[cfg(feature = "legacy")]
            Choice::Rc4(company) => company.name(),
            Choice::AesSliced(level) => match level {
                Level::Portable(_) => "sliced-portable",
                #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
                Level::Sse2(_) => "sliced-sse2",
                #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
                Level::Avx2(_) => "sliced-avx2",
                #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
                Level::Avx512(_) => "sliced-avx512",
                #[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
                Level::Neon(_) => "sliced-neon",
            },
        }
    }

    /// Every kernel of AES that this CPU can run, best first.
    pub(crate) fn of_aes() -> impl Iterator<Item = Self> {
        let rounds = AesLevel::detect_all().rev().map(Self::aes_rounds);
        let sliced = Level::detect_all().rev().map(Self::aes_sliced);
        // AES-NI comes in two encodings under one name, of which the better one comes first.
        let mut before = "";
        rounds
            .chain(sliced)
            .filter(move |kernel| core::mem::replace(&mut before, kernel.name()) != kernel.name())
    }

    /// Every kernel of Serpent and of XTEA that this CPU can run, best first.
    pub(crate) fn of_words() -> impl Iterator<Item = Self> {
        Level::detect_all().rev().map(Self::words)
    }

    /// Every way to go about many streams of RC4 that this CPU has, best first.
    #[cfg(feature = "legacy")]
    pub(crate) fn of_rc4() -> impl Iterator<Item = Self> {
        Company::all().map(|company| Self(Choice::Rc4(company)))
    }
}

impl fmt::Debug for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Kernel({})", self.name())
    }
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Tokens: proofs that the CPU has an instruction set, from which [`Kernel`]s are made where nothing can be detected.
///
/// Each has `detect`, which asks the CPU (without the feature `std`: what the target is compiled for), and all but
/// [`Portable`](tokens::Portable) have the unsafe `assume`, with which the caller vouches for the CPU. Which of them
/// there are depends on the target.
///
/// ```
/// use abreast::{Kernel, kernels::tokens::Portable, serpent::Serpent};
///
/// let serpent = Serpent::with_kernel(&[7; 32], Kernel::words(Portable))?;
/// # Ok::<(), abreast::Error>(())
/// ```
pub mod tokens {
    #[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
    pub use abreast_simd::neon::{Neon, NeonAes};
    pub use abreast_simd::portable::Portable;
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    pub use abreast_simd::x86::{AesNi, AesNiAvx, Avx2, Avx512, Avx512Vaes, Sse2, Vaes};
}

#[cfg(feature = "alloc")]
pub use registry::{Cipher, ciphers};

#[cfg(feature = "alloc")]
mod registry {
    use super::Kernel;
    use crate::aes::{Aes128, Aes192, Aes256};
    use crate::serpent::Serpent;
    use crate::xtea::{ByteOrder, Xtea};
    use crate::{BlockCipher, BlockCipher128, Error};
    use alloc::boxed::Box;
    use alloc::vec::Vec;

    /// A cipher with its key size, for those who choose one at run time.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Cipher(Name);

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum Name {
        Aes128,
        Aes192,
        Aes256,
        Serpent128,
        Serpent192,
        Serpent256,
        Xtea,
        XteaBe,
    }

    /// Every cipher.
    #[must_use]
    pub fn ciphers() -> &'static [Cipher] {
        &[
            Cipher(Name::Aes128),
            Cipher(Name::Aes192),
            Cipher(Name::Aes256),
            Cipher(Name::Serpent128),
            Cipher(Name::Serpent192),
            Cipher(Name::Serpent256),
            Cipher(Name::Xtea),
            Cipher(Name::XteaBe),
        ]
    }

    impl Cipher {
        /// The name, such as `aes-256`: what [`BlockCipher::name`] gives.
        #[must_use]
        pub const fn name(self) -> &'static str {
            match self.0 {
                Name::Aes128 => "aes-128",
                Name::Aes192 => "aes-192",
                Name::Aes256 => "aes-256",
                Name::Serpent128 => "serpent-128",
                Name::Serpent192 => "serpent-192",
                Name::Serpent256 => "serpent-256",
                Name::Xtea => "xtea",
                Name::XteaBe => "xtea-be",
            }
        }

        /// The cipher of a name.
        #[must_use]
        pub fn from_name(name: &str) -> Option<Self> {
            ciphers().iter().copied().find(|cipher| cipher.name() == name)
        }

        /// Bytes of a key.
        #[must_use]
        pub const fn key_len(self) -> usize {
            match self.0 {
                Name::Aes128 | Name::Serpent128 | Name::Xtea | Name::XteaBe => 16,
                Name::Aes192 | Name::Serpent192 => 24,
                Name::Aes256 | Name::Serpent256 => 32,
            }
        }

        /// Bytes of a block.
        #[must_use]
        pub const fn block_size(self) -> usize {
            match self.0 {
                Name::Xtea | Name::XteaBe => 8,
                _ => 16,
            }
        }

        /// The kernels that this CPU can run, best first.
        #[must_use]
        pub fn kernels(self) -> Vec<Kernel> {
            match self.0 {
                Name::Aes128 | Name::Aes192 | Name::Aes256 => Kernel::of_aes().collect(),
                _ => Kernel::of_words().collect(),
            }
        }

        /// The cipher under a key, at the best kernel or at one of [`kernels`](Self::kernels).
        ///
        /// # Errors
        /// [`Error::KeyLength`]; [`Error::KernelUnavailable`] if the kernel is another cipher's.
        pub fn with_key(self, key: &[u8], kernel: Option<Kernel>) -> Result<Box<dyn BlockCipher>, Error> {
            let order = match self.0 {
                Name::Xtea => ByteOrder::LittleEndian,
                Name::XteaBe => ByteOrder::BigEndian,
                // A box of the narrower trait.
                _ => return Ok(self.with_key_128(key, kernel)?),
            };
            Ok(Box::new(Xtea::with_kernel(sized(key)?, order, 32, self.kernel_or_best(kernel)?)?))
        }

        /// As [`with_key`](Self::with_key), for modes that are defined for blocks of 128 bits alone.
        ///
        /// # Errors
        /// As there; [`Error::BlockLength`] if the cipher has other blocks.
        pub fn with_key_128(
            self,
            key: &[u8],
            kernel: Option<Kernel>,
        ) -> Result<Box<dyn BlockCipher128>, Error> {
            let kernel = self.kernel_or_best(kernel)?;
            Ok(match self.0 {
                Name::Aes128 => Box::new(Aes128::with_kernel(sized(key)?, kernel)?),
                Name::Aes192 => Box::new(Aes192::with_kernel(sized(key)?, kernel)?),
                Name::Aes256 => Box::new(Aes256::with_kernel(sized(key)?, kernel)?),
                Name::Serpent128 => Box::new(Serpent::with_kernel(sized::<16>(key)?, kernel)?),
                Name::Serpent192 => Box::new(Serpent::with_kernel(sized::<24>(key)?, kernel)?),
                Name::Serpent256 => Box::new(Serpent::with_kernel(sized::<32>(key)?, kernel)?),
                Name::Xtea | Name::XteaBe => return Err(Error::BlockLength),
            })
        }

        fn kernel_or_best(self, kernel: Option<Kernel>) -> Result<Kernel, Error> {
            kernel.or_else(|| self.kernels().first().copied()).ok_or(Error::KernelUnavailable)
        }
    }

    fn sized<const N: usize>(key: &[u8]) -> Result<&[u8; N], Error> {
        key.try_into().map_err(|_| Error::KeyLength)
    }
}
