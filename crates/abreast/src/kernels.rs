//! The kernels (all that exist, those that this CPU can run, the choice among them), and the registry of ciphers by name.
//!
//! A kernel is a way to compute a cipher on an instruction set. Every cipher has its own list, best first, and takes the
//! first that the CPU can run unless it is handed one. Nothing else chooses: no environment variable reaches the choice.

pub use crate::engine::kernel::Kernel;

/// Tokens: proofs that the CPU has an instruction set, from which [`Kernel`]s are made where nothing can be detected.
///
/// Each has `detect`, which asks the CPU (without the feature `std`: the features that the target is compiled for), and
/// all but `Portable` have the unsafe `assume`, with which the caller vouches for the CPU. Which of them there are
/// depends on the target; [`baseline`](tokens::baseline) gives the one that every CPU of the target has.
///
/// ```
/// use abreast::{Kernel, kernels::tokens::baseline, serpent::Serpent};
///
/// let serpent = Serpent::with_kernel(&[7; 32], Kernel::words(baseline()))?;
/// # Ok::<(), abreast::Error>(())
/// ```
pub mod tokens {
    #[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
    pub use abreast_simd::neon::{Neon, NeonAes, NeonSha};
    #[cfg(not(any(
        target_feature = "sse2",
        all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"),
        all(target_arch = "wasm32", target_feature = "simd128")
    )))]
    pub use abreast_simd::portable::Portable;
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    pub use abreast_simd::wasm::Simd128;
    #[cfg(target_feature = "sse2")]
    pub use abreast_simd::x86::{AesNi, AesNiAvx, Avx2, Avx512, Avx512Vaes, ShaNi, Sse2, Vaes};
    pub use abreast_simd::{Baseline, baseline};
}

#[cfg(feature = "alloc")]
pub use registry::{Algorithm, algorithms};
#[cfg(feature = "alloc")]
#[doc(hidden)]
pub use registry::{ByType, Registered};

#[cfg(feature = "alloc")]
mod registry {
    use crate::ciphers::block_ciphers;
    use crate::engine::kernel::Kernel;
    use crate::engine::keyed::KeyedCipher;
    use crate::{BlockCipher, BlockCipher128, Error};
    use alloc::boxed::Box;
    use alloc::vec::Vec;

    macro_rules! registry {
        ($($(#[$cfg:meta])? $module:ident::$type:ident, block $block:tt $size:ident, pass $pass:ident;)*) => {
            /// A cipher with its key size and byte order, for those who choose one at run time.
            ///
            /// ```
            /// use abreast::kernels::Algorithm;
            ///
            /// let algorithm = Algorithm::from_name("serpent-256").ok_or("there is no such cipher")?;
            /// assert_eq!((algorithm.key_len(), algorithm.block_size()), (32, 16));
            /// let cipher = algorithm.with_key(&[7; 32], None)?;
            /// assert_eq!((cipher.name(), Some(cipher.kernel())), (algorithm.name(), algorithm.best_kernel()));
            /// // At each kernel of this CPU, the best first, for a mode that needs blocks of 128 bits.
            /// for kernel in algorithm.kernels() {
            ///     let _gcm = abreast::modes::Gcm::from_cipher(algorithm.with_key_128(&[7; 32], Some(kernel))?);
            /// }
            /// assert_eq!(algorithm.kernel_at(0), algorithm.best_kernel());
            /// # Ok::<(), Box<dyn std::error::Error>>(())
            /// ```
            #[derive(Clone, Copy, Debug, PartialEq, Eq)]
            pub struct Algorithm(Of);

            /// The cipher, and the number of its variant.
            #[derive(Clone, Copy, Debug, PartialEq, Eq)]
            enum Of {
                $($(#[$cfg])? $type(u8),)*
            }

            const COUNT: usize = {
                let mut count = 0;
                $($(#[$cfg])? {
                    count += crate::ciphers::$module::$type::ALGORITHMS.len();
                })*
                count
            };

            const ALL: [Algorithm; COUNT] = {
                let mut all = [Algorithm(Of::Aes128(0)); COUNT];
                let mut at = 0;
                $($(#[$cfg])? {
                    let mut variant = 0;
                    while variant < crate::ciphers::$module::$type::ALGORITHMS.len() {
                        all[at] = Algorithm(Of::$type(variant as u8));
                        at += 1;
                        variant += 1;
                    }
                })*
                assert!(at == COUNT);
                all
            };

            impl Algorithm {
                /// Returns the name, such as `aes-256`, the same as [`BlockCipher::name`].
                #[must_use]
                pub const fn name(self) -> &'static str {
                    match self.0 {
                        $($(#[$cfg])? Of::$type(variant) => crate::ciphers::$module::$type::ALGORITHMS[variant as usize].name,)*
                    }
                }

                /// Returns the number of bytes of a key.
                #[must_use]
                pub const fn key_len(self) -> usize {
                    match self.0 {
                        $($(#[$cfg])? Of::$type(variant) => crate::ciphers::$module::$type::ALGORITHMS[variant as usize].key_len,)*
                    }
                }

                /// Returns the number of bytes of a block.
                #[must_use]
                pub const fn block_size(self) -> usize {
                    match self.0 {
                        $($(#[$cfg])? Of::$type(_) => crate::ciphers::$module::$type::BLOCK,)*
                    }
                }

                /// Returns the kernels that this CPU can run, best first.
                #[must_use]
                pub fn kernels(self) -> Vec<Kernel> {
                    match self.0 {
                        $($(#[$cfg])? Of::$type(_) => crate::ciphers::$module::$type::all_kernels().collect(),)*
                    }
                }

                /// Returns one of [`kernels`](Self::kernels) by its position, the best at 0, without allocating a list.
                #[must_use]
                pub fn kernel_at(self, index: usize) -> Option<Kernel> {
                    match self.0 {
                        $($(#[$cfg])? Of::$type(_) => crate::ciphers::$module::$type::all_kernels().nth(index),)*
                    }
                }

                /// Returns the best kernel of this cipher that this CPU can run.
                #[must_use]
                pub fn best_kernel(self) -> Option<Kernel> {
                    match self.0 {
                        $($(#[$cfg])? Of::$type(_) => <crate::ciphers::$module::$type as KeyedCipher>::best_kernel(),)*
                    }
                }

                /// Makes the cipher under a key, at the best kernel or at one of [`kernels`](Self::kernels).
                ///
                /// The round keys are wiped where the box has them. To share the cipher, take `Arc::new` of the box:
                /// `Arc::from` copies the round keys out of the box and frees its memory without wiping it.
                ///
                /// # Errors
                /// [`Error::KeyLength`]; [`Error::KernelUnavailable`] if the kernel is another cipher's.
                pub fn with_key(self, key: &[u8], kernel: Option<Kernel>) -> Result<Box<dyn BlockCipher>, Error> {
                    let kernel = self.kernel_or_best(kernel)?;
                    Ok(match self.0 {
                        $($(#[$cfg])? Of::$type(variant) => {
                            boxed::<crate::ciphers::$module::$type>(variant, key, kernel)?
                        })*
                    })
                }

                /// Hands the type of the cipher to a task, with the number of the variant. For benchmarks and tests, which
                /// must run the same code as a caller who names the type, and for the C interface, whose handles are as
                /// large as their ciphers.
                #[doc(hidden)]
                pub fn by_type<T: ByType>(self, task: T) -> T::Out {
                    match self.0 {
                        $($(#[$cfg])? Of::$type(variant) => {
                            registry!(@by_type $block, task, crate::ciphers::$module::$type, variant)
                        })*
                    }
                }

                /// Makes a cipher as [`with_key`](Self::with_key) does, for modes that want blocks of 128 bits.
                ///
                /// # Errors
                /// The errors of [`with_key`](Self::with_key); [`Error::BlockLength`] if the cipher has other blocks.
                pub fn with_key_128(
                    self,
                    key: &[u8],
                    kernel: Option<Kernel>,
                ) -> Result<Box<dyn BlockCipher128>, Error> {
                    let kernel = self.kernel_or_best(kernel)?;
                    match self.0 {
                        $($(#[$cfg])? Of::$type(variant) => registry!(@of_128 $block, crate::ciphers::$module::$type, variant, key, kernel),)*
                    }
                }
            }

            $($(#[$cfg])? impl Registered for crate::ciphers::$module::$type {
                #[cfg_attr(not(abreast_unoptimized), inline(always))]
                fn with_key(variant: u8, key: &[u8], kernel: Kernel) -> Result<Self, Error> {
                    let mut cipher = blank_for::<Self>(variant, key, kernel)?;
                    <Self as KeyedCipher>::set_key(&mut cipher, key);
                    Ok(cipher)
                }
                #[cfg_attr(not(abreast_unoptimized), inline(always))]
                fn blanks(variant: u8, kernel: Kernel) -> Result<impl Fn() -> Self + Copy, Error> {
                    <Self as KeyedCipher>::blanks(variant, kernel)
                }
                #[cfg_attr(not(abreast_unoptimized), inline(always))]
                fn reserve(&mut self) -> Result<(), Error> {
                    <Self as KeyedCipher>::reserve(self)
                }
                #[cfg_attr(not(abreast_unoptimized), inline(always))]
                fn rekey(&mut self, key: &[u8]) {
                    <Self as KeyedCipher>::set_key(self, key);
                }
                #[cfg_attr(not(abreast_unoptimized), inline(always))]
                fn set_keys<'a>(keyed: impl Iterator<Item = (&'a mut Self, &'a [u8])>) {
                    <Self as KeyedCipher>::set_keys(keyed);
                }
            })*
        };
        (@by_type 16, $task:ident, $type:ty, $variant:ident) => { $task.with_128::<$type>($variant) };
        (@by_type 8, $task:ident, $type:ty, $variant:ident) => { $task.with_64::<$type>($variant) };
        (@of_128 16, $type:ty, $variant:ident, $key:ident, $kernel:ident) => {
            Ok(boxed::<$type>($variant, $key, $kernel)?)
        };
        (@of_128 8, $type:ty, $variant:ident, $key:ident, $kernel:ident) => {{
            let _ = ($variant, $key, $kernel);
            Err(Error::BlockLength)
        }};
    }
    block_ciphers!(registry);

    /// A variant under a key that is expanded where it stays, so that no copy of the round keys is left on the stack.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn boxed<C: KeyedCipher>(variant: u8, key: &[u8], kernel: Kernel) -> Result<Box<C>, Error> {
        let mut cipher = Box::new(blank_for::<C>(variant, key, kernel)?);
        cipher.set_key(key);
        Ok(cipher)
    }

    /// A variant without a key yet, if the key will be as long as it has to be.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn blank_for<C: KeyedCipher>(variant: u8, key: &[u8], kernel: Kernel) -> Result<C, Error> {
        if key.len() != C::ALGORITHMS[usize::from(variant)].key_len {
            return Err(Error::KeyLength);
        }
        Ok(C::blanks(variant, kernel)?())
    }

    /// A task for a cipher by its type, for which it is compiled.
    #[doc(hidden)]
    pub trait ByType: Sized {
        /// The result.
        type Out;
        /// For a cipher with blocks of 64 bits.
        fn with_64<C: Registered>(self, variant: u8) -> Self::Out;
        /// For a cipher with blocks of 128 bits: the same, unless the task tells the two apart.
        fn with_128<C: Registered + BlockCipher128>(self, variant: u8) -> Self::Out {
            self.with_64::<C>(variant)
        }
    }

    /// A cipher of the registry by its type.
    #[doc(hidden)]
    pub trait Registered: BlockCipher + Sized + 'static {
        /// A variant under a key.
        ///
        /// # Errors
        /// [`Error::KeyLength`]; [`Error::KernelUnavailable`] if the kernel is another cipher's.
        fn with_key(variant: u8, key: &[u8], kernel: Kernel) -> Result<Self, Error>;
        /// Returns a constructor of ciphers without a key for a variant and a kernel, for callers with a place for them.
        /// The ciphers must not be used before they have a key.
        ///
        /// # Errors
        /// [`Error::KernelUnavailable`] if the kernel is another cipher's.
        fn blanks(variant: u8, kernel: Kernel) -> Result<impl Fn() -> Self + Copy, Error>;
        /// Allocates memory that the round keys need besides, so that no other call of the cipher allocates.
        ///
        /// # Errors
        /// [`Error::OutOfMemory`]; then the cipher has no key.
        fn reserve(&mut self) -> Result<(), Error>;
        /// Expands another key, as long as the variant's, where the cipher is.
        fn rekey(&mut self, key: &[u8]);
        /// Expands keys, as long as the variant's, where the ciphers are: of one variant and one kernel.
        fn set_keys<'a>(keyed: impl Iterator<Item = (&'a mut Self, &'a [u8])>);
    }

    /// Lists every cipher with each of its key sizes and byte orders.
    ///
    /// ```
    /// let names: Vec<_> = abreast::kernels::algorithms().iter().map(|algorithm| algorithm.name()).collect();
    /// assert!(names.contains(&"aes-256"));
    /// ```
    #[must_use]
    pub const fn algorithms() -> &'static [Algorithm] {
        &ALL
    }

    impl Algorithm {
        /// Returns the algorithm of a name.
        #[must_use]
        pub fn from_name(name: &str) -> Option<Self> {
            algorithms().iter().copied().find(|algorithm| algorithm.name() == name)
        }

        fn kernel_or_best(self, kernel: Option<Kernel>) -> Result<Kernel, Error> {
            kernel.or_else(|| self.best_kernel()).ok_or(Error::KernelUnavailable)
        }
    }
}
