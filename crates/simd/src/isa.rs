//! Instruction sets as types: the tokens, and the functions that are compiled for them.

pub use crate::aes::AesIsa;
pub use crate::levels::{AesLevel, Baseline, Level, ShaLevel, baseline};
pub use crate::sha::ShaIsa;
pub use crate::words::WordsIsa;

/// Keeps [`Isa`] closed: a token made elsewhere would prove nothing.
pub(crate) mod sealed {
    /// Implemented by the tokens of this crate only.
    pub trait Sealed {}
}

/// An instruction set that the running CPU is proven to have.
///
/// ```
/// use abreast_simd::{Isa, baseline};
///
/// let isa = baseline();
/// let sum = isa.run(#[inline(always)] || (1..=100).sum::<u32>());
/// assert_eq!(sum, 5050);
/// ```
pub trait Isa: Copy + Send + Sync + core::fmt::Debug + sealed::Sealed + 'static {
    /// Runs `f` compiled for this instruction set. It is always a call, also where the caller has the instruction set:
    /// what chooses among kernels keeps a small frame, and of a pass that many modes and directions share there is one
    /// copy.
    ///
    /// A function that is inlined into the closure is compiled with it, and `isa` inside makes vectors of the set:
    ///
    /// ```
    /// use abreast_simd::{Isa, Level, Words, WordsIsa};
    ///
    /// #[inline(always)]
    /// fn xor<I: WordsIsa>(isa: I, data: &mut [u8], x: u32) {
    ///     for part in data.chunks_mut(I::Words::BYTES) {
    ///         (I::Words::load_partial(isa, part) ^ I::Words::splat(isa, x)).store_partial(part);
    ///     }
    /// }
    /// let (isa, mut data) = (abreast_simd::baseline(), [1; 50]);
    /// isa.run(#[inline(always)] || xor(isa, &mut data, 0x0303_0303));
    /// assert_eq!(data, [2; 50]);
    /// ```
    fn run<R>(self, f: impl FnOnce() -> R) -> R;

    /// The features of the CPU, as compilers name them, separated by commas; empty for what every CPU has.
    ///
    /// ```
    /// use abreast_simd::{Isa, portable::Portable};
    ///
    /// assert_eq!(Portable::FEATURES, "");
    /// # #[cfg(target_feature = "sse2")]
    /// assert_eq!(abreast_simd::x86::ShaNi::FEATURES, "sse4.1,sha");
    /// ```
    const FEATURES: &str = "";

    /// True if vectors are wider than what the stack of every function is aligned to.
    ///
    /// ```
    /// use abreast_simd::{Isa, portable::Portable};
    ///
    /// assert!(!Portable::WIDE);
    /// # #[cfg(target_feature = "sse2")]
    /// assert!(!abreast_simd::x86::Sse2::WIDE && abreast_simd::x86::Avx2::WIDE);
    /// ```
    const WIDE: bool = false;

    /// Aligns the frame of the function that this is inlined into, for a kernel whose wide vectors do not all fit into
    /// registers. It costs such a function about two cycles a call.
    ///
    /// LLVM decides about the alignment of a frame before it knows that there are vectors in it. Then these lie at multiples of
    /// 8, and at one place of the stack in twelve one of them crosses a page: a load of what was stored across the boundary
    /// waits 10 cycles longer (Zen 3), and a kernel can take twice the time.
    ///
    /// ```
    /// use abreast_simd::{Level, Words, WordsIsa, dispatch};
    ///
    /// /// XORs 32 vectors. If the CPU has fewer registers, some of them wait in the frame.
    /// #[inline(always)]
    /// fn xor_bits<I: WordsIsa>(isa: I, data: &mut [u8]) {
    ///     isa.align_frame();
    ///     let vectors: [I::Words; 32] = std::array::from_fn(|i| I::Words::splat(isa, 1 << i));
    ///     let sum = vectors.into_iter().fold(I::Words::splat(isa, 0), |sum, vector| sum ^ vector);
    ///     sum.store_partial(data);
    /// }
    /// for level in Level::detect_all() {
    ///     let mut data = [0; 16];
    ///     dispatch!(level, isa => xor_bits(isa, &mut data));
    ///     assert_eq!(data, [0xff; 16]);
    /// }
    /// ```
    #[inline(always)]
    fn align_frame(self) {
        if const { Self::WIDE } {
            align_to_line();
        }
    }
}

/// Puts something that is aligned to a cache line into the frame.
#[inline(always)]
fn align_to_line() {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        #[repr(align(64))]
        struct Line(core::mem::MaybeUninit<u8>);

        let line = Line(core::mem::MaybeUninit::uninit());
        // SAFETY: no instruction is emitted. The address keeps the line in the frame.
        unsafe {
            core::arch::asm!("/* {0} */", in(reg) &raw const line.0, options(readonly, nostack, preserves_flags));
        }
    }
}

/// True if a list of features has one that begins like this.
#[allow(dead_code, reason = "some targets have nothing but the portable set")]
pub(crate) const fn has_feature(features: &str, beginning: &str) -> bool {
    let (text, wanted) = (features.as_bytes(), beginning.as_bytes());
    let mut at = 0;
    while at + wanted.len() <= text.len() {
        let mut same = 0;
        while same < wanted.len() && text[at + same] == wanted[same] {
            same += 1;
        }
        if same == wanted.len() {
            return true;
        }
        at += 1;
    }
    false
}

/// A closure compiled for the instruction set `I`.
///
/// This is a trait of the closure, and not a function of the token, for the sake of the time that compiling takes: the
/// compiler puts a method into the codegen unit of the module that its `Self` type is from. Kernels lie in the modules
/// that write them then, and the cores compile them side by side. As functions of the tokens all of them were one
/// codegen unit, which one core compiled for minutes.
pub(crate) trait CompiledFor<I, R>: FnOnce() -> R + Sized {
    /// Does the work of [`Isa::run`].
    ///
    /// # Safety
    /// The CPU must have the instruction set.
    unsafe fn run(self) -> R;
}

/// Defines a token: a zero-sized proof that the CPU has the features named.
///
/// The features are spelled twice because `#[target_feature]` and the detection macro both want
/// literals; the two lists stand next to each other so that they can be compared. Without the second, nothing is
/// asked: the token is in a module that is there only if the target has them.
#[allow(unused_macros, reason = "some targets have nothing but the portable set")]
macro_rules! token {
    ($(#[$doc:meta])* $name:ident, $features:literal $(, $detected:ident![$($feature:tt),*])?) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $name(());

        impl $crate::isa::sealed::Sealed for $name {}

        impl $name {
            /// Returns the token if this CPU has the instruction set (without the feature `std`: if the
            /// target this was compiled for has it).
            ///
            /// ```
            /// use abreast_simd::Isa;
            #[doc = concat!("use ", module_path!(), "::", stringify!($name), ";")]
            ///
            /// #[inline(always)]
            /// fn sum(data: &[u32]) -> u32 {
            ///     data.iter().sum()
            /// }
            /// let data = [1, 2, 3];
            #[doc = concat!("let sum = match ", stringify!($name), "::detect() {")]
            ///     // Compiled for the instruction set.
            ///     Some(isa) => isa.run(#[inline(always)] || sum(&data)),
            ///     None => sum(&data),
            /// };
            /// assert_eq!(sum, 6);
            /// ```
            #[must_use]
            pub fn detect() -> Option<Self> {
                #[cfg(feature = "std")]
                let has = true $($(&& std::arch::$detected!($feature))*)?;
                #[cfg(not(feature = "std"))]
                let has = true $($(&& cfg!(target_feature = $feature))*)?;
                has.then_some(Self(()))
            }

            /// Returns the token on the caller's word: for a kernel that is chosen where nothing can be detected.
            ///
            /// ```
            #[doc = concat!("use ", module_path!(), "::", stringify!($name), ";")]
            ///
            #[doc = concat!("# if ", stringify!($name), "::detect().is_some() {")]
            /// // SAFETY: this firmware is for one board, whose CPU has it.
            #[doc = concat!("let isa = unsafe { ", stringify!($name), "::assume() };")]
            #[doc = concat!("assert_eq!(Some(isa), ", stringify!($name), "::detect());")]
            /// # }
            /// ```
            ///
            /// # Safety
            /// The CPU and the operating system must support every feature of the instruction set.
            #[must_use]
            pub const unsafe fn assume() -> Self {
                Self(())
            }
        }

        impl $crate::Isa for $name {
            const FEATURES: &str = $features;
            const WIDE: bool =
                $crate::isa::has_feature($features, "avx2") || $crate::isa::has_feature($features, "avx512");
            #[inline(always)]
            fn run<R>(self, f: impl FnOnce() -> R) -> R {
                // SAFETY: a token exists only if every feature was detected or vouched for.
                unsafe { $crate::isa::CompiledFor::<Self, R>::run(f) }
            }
        }

        impl<R, F: FnOnce() -> R> $crate::isa::CompiledFor<$name, R> for F {
            #[inline(never)]
            #[target_feature(enable = $features)]
            unsafe fn run(self) -> R {
                self()
            }
        }
    };
}
#[allow(unused_imports, reason = "as above")]
pub(crate) use token;
