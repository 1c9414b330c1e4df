//! The kernels, and the registry of ciphers by name: what there is, what this CPU can run, and what is chosen.
//!
//! A kernel is a way to compute a cipher on an instruction set. Every cipher has its own list, best first, and takes the
//! first that the CPU can run unless it is handed one. Nothing else chooses: no environment variable reaches the choice.

pub use crate::engine::kernel::Kernel;

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
pub use registry::{Algorithm, algorithms};

#[cfg(feature = "alloc")]
mod registry {
    use crate::ciphers::{aes, block_ciphers, serpent, xtea};
    use crate::engine::kernel::Kernel;
    use crate::engine::keyed::KeyedCipher;
    use crate::{BlockCipher, BlockCipher128, Error};
    use alloc::boxed::Box;
    use alloc::vec::Vec;

    macro_rules! registry {
        ($($module:ident::$type:ident, block $block:tt $size:ident, pass $pass:ident;)*) => {
            /// A cipher with its key size and byte order, for those who choose one at run time.
            #[derive(Clone, Copy, Debug, PartialEq, Eq)]
            pub struct Algorithm(Of);

            /// The cipher, and the number of its variant.
            #[derive(Clone, Copy, Debug, PartialEq, Eq)]
            enum Of {
                $($type(u8),)*
            }

            const COUNT: usize = 0 $(+ $module::$type::ALGORITHMS.len())*;

            const ALL: [Algorithm; COUNT] = {
                let mut all = [Algorithm(Of::Aes128(0)); COUNT];
                let mut at = 0;
                $(
                    let mut variant = 0;
                    while variant < $module::$type::ALGORITHMS.len() {
                        all[at] = Algorithm(Of::$type(variant as u8));
                        at += 1;
                        variant += 1;
                    }
                )*
                assert!(at == COUNT);
                all
            };

            impl Algorithm {
                /// Name, such as `aes-256`: what [`BlockCipher::name`] gives.
                #[must_use]
                pub const fn name(self) -> &'static str {
                    match self.0 {
                        $(Of::$type(variant) => $module::$type::ALGORITHMS[variant as usize].name,)*
                    }
                }

                /// Bytes of a key.
                #[must_use]
                pub const fn key_len(self) -> usize {
                    match self.0 {
                        $(Of::$type(variant) => $module::$type::ALGORITHMS[variant as usize].key_len,)*
                    }
                }

                /// Bytes of a block.
                #[must_use]
                pub const fn block_size(self) -> usize {
                    match self.0 {
                        $(Of::$type(_) => $module::$type::BLOCK,)*
                    }
                }

                /// The kernels that this CPU can run, best first.
                #[must_use]
                pub fn kernels(self) -> Vec<Kernel> {
                    match self.0 {
                        $(Of::$type(_) => $module::$type::all_kernels().collect(),)*
                    }
                }

                /// The cipher under a key, at the best kernel or at one of [`kernels`](Self::kernels).
                ///
                /// # Errors
                /// [`Error::KeyLength`]; [`Error::KernelUnavailable`] if the kernel is another cipher's.
                pub fn with_key(self, key: &[u8], kernel: Option<Kernel>) -> Result<Box<dyn BlockCipher>, Error> {
                    let kernel = self.kernel_or_best(kernel)?;
                    Ok(match self.0 {
                        $(Of::$type(variant) => {
                            Box::new(($module::$type::ALGORITHMS[usize::from(variant)].new)(key, kernel)?)
                        })*
                    })
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
                    match self.0 {
                        $(Of::$type(variant) => registry!(@of_128 $block, $module::$type, variant, key, kernel),)*
                    }
                }
            }
        };
        (@of_128 16, $type:path, $variant:ident, $key:ident, $kernel:ident) => {
            Ok(Box::new((<$type>::ALGORITHMS[usize::from($variant)].new)($key, $kernel)?))
        };
        (@of_128 8, $type:path, $variant:ident, $key:ident, $kernel:ident) => {{
            let _ = ($variant, $key, $kernel);
            Err(Error::BlockLength)
        }};
    }
    block_ciphers!(registry);

    /// Every cipher with each of its key sizes and byte orders.
    #[must_use]
    pub const fn algorithms() -> &'static [Algorithm] {
        &ALL
    }

    impl Algorithm {
        /// The algorithm of a name.
        #[must_use]
        pub fn from_name(name: &str) -> Option<Self> {
            algorithms().iter().copied().find(|algorithm| algorithm.name() == name)
        }

        fn kernel_or_best(self, kernel: Option<Kernel>) -> Result<Kernel, Error> {
            kernel.or_else(|| self.kernels().first().copied()).ok_or(Error::KernelUnavailable)
        }
    }
}
