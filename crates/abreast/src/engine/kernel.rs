//! The kernels: all that exist, those that this CPU can run, and the choice among them.
//!
//! A kernel is a way to compute a cipher on an instruction set. Every cipher has its own list, best
//! first, and takes the first that the CPU can run unless it is handed one. Nothing else chooses: no
//! environment variable reaches the choice.

use crate::Error;
use abreast_simd::{AesLevel, Level};
#[cfg(feature = "hmac")]
use abreast_simd::{ShaLevel, Words, WordsIsa, dispatch};
use core::fmt;

#[cfg(all(feature = "legacy", target_feature = "sse2"))]
use abreast_simd::x86::Avx512;

/// A way to compute a cipher on an instruction set that this CPU has.
///
/// Having one proves that the CPU can run it: kernels come from a cipher's list, such as
/// [`Aes128::kernels`](crate::aes::Aes128::kernels), or from a [token](crate::kernels::tokens).
///
/// ```
/// use abreast::{BlockCipher, Kernel, aes::Aes128};
///
/// // Each kernel that this CPU can run gives the same result.
/// let mut blocks = Vec::new();
/// for kernel in Aes128::kernels() {
///     let aes = Aes128::with_kernel(&[7; 16], kernel)?;
///     assert_eq!(aes.kernel(), kernel);
///     let mut block = [0; 16];
///     aes.encrypt_raw_blocks(block.as_mut_slice().into())?;
///     blocks.push((kernel.name(), block));
/// }
/// assert!(blocks.iter().all(|(_, block)| *block == blocks[0].1));
/// assert_eq!(blocks.last().map(|last| last.0), Some(Kernel::aes_sliced().name()));
/// # Ok::<(), abreast::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Kernel(pub(crate) Choice);

/// Specification and instruction set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    AesRounds(AesLevel),
    /// On the vectors of the baseline.
    AesSliced,
    /// Serpent or XTEA.
    Words(Level),
    /// SHA-1 and SHA-256, by instructions, and in lanes where there are as many messages as a wide vector has lanes.
    #[cfg(feature = "hmac")]
    Sha(ShaLevel, Option<Level>),
    /// RC4, and how its streams go side by side.
    #[cfg(feature = "legacy")]
    Rc4(Interleave),
}

impl Kernel {
    /// Returns AES by AES instructions, from a [token](crate::kernels::tokens) such as `AesNi`: for targets where nothing can be
    /// detected.
    ///
    /// ```
    /// use abreast::{BlockCipher, Kernel, aes::Aes128};
    ///
    /// # #[cfg(target_arch = "x86_64")]
    /// if let Some(token) = abreast::kernels::tokens::AesNi::detect() {
    ///     let kernel = Kernel::aes_rounds(token);
    ///     assert_eq!(Aes128::with_kernel(&[7; 16], kernel)?.kernel().name(), "aesni");
    /// }
    /// # Ok::<(), abreast::Error>(())
    /// ```
    #[must_use]
    pub fn aes_rounds(token: impl Into<AesLevel>) -> Self {
        Self(Choice::AesRounds(token.into()))
    }

    /// Returns AES bit-sliced, on the vectors that every CPU of the target has.
    #[must_use]
    pub const fn aes_sliced() -> Self {
        Self(Choice::AesSliced)
    }

    /// Returns a cipher or a hash over words, such as Serpent and XTEA, from a [token](crate::kernels::tokens) such as `Avx2`: for
    /// targets where nothing can be detected.
    #[must_use]
    pub fn words(token: impl Into<Level>) -> Self {
        Self(Choice::Words(token.into()))
    }

    /// Returns SHA-1 and SHA-256 by their instructions, from a [token](crate::kernels::tokens) such as `ShaNi`: for targets
    /// where nothing can be detected.
    ///
    /// ```
    /// use abreast::Kernel;
    /// use abreast::hmac::{Hmac, Sha256};
    ///
    /// # #[cfg(target_arch = "x86_64")]
    /// if let Some(token) = abreast::kernels::tokens::ShaNi::detect() {
    ///     let hmac = Hmac::<Sha256>::with_kernel(b"a key", Kernel::sha(token))?;
    ///     assert_eq!(hmac.kernel().name(), "sha-ni");
    /// }
    /// # Ok::<(), abreast::Error>(())
    /// ```
    #[cfg(feature = "hmac")]
    #[must_use]
    pub fn sha(token: impl Into<ShaLevel>) -> Self {
        Self(Choice::Sha(token.into(), None))
    }

    /// Returns the name, such as `avx512` or `sliced-sse2`: fixed, for scripts to use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self.0 {
            Choice::AesRounds(level) => level.name(),
            Choice::Words(level) => level.name(),
            #[cfg(feature = "hmac")]
            Choice::Sha(level, None) => level.name(),
            #[cfg(feature = "hmac")]
            Choice::Sha(..) => "sha-ni-avx512",
            #[cfg(feature = "legacy")]
            Choice::Rc4(interleave) => interleave.name(),
            Choice::AesSliced if cfg!(target_feature = "sse2") => "sliced-sse2",
            Choice::AesSliced if cfg!(all(target_feature = "neon", target_endian = "little")) => {
                "sliced-neon"
            }
            Choice::AesSliced if cfg!(target_feature = "simd128") => "sliced-simd128",
            Choice::AesSliced => "sliced-portable",
        }
    }

    /// The instruction set of a kernel of a cipher over words.
    ///
    /// # Errors
    /// [`Error::KernelUnavailable`] if the kernel is of another kind of cipher.
    pub(crate) const fn words_level(self) -> Result<Level, Error> {
        match self.0 {
            Choice::Words(level) => Ok(level),
            _ => Err(Error::KernelUnavailable),
        }
    }

    /// The best kernel of AES that this CPU can run. The list of all took a fifth of the time of a key of AES-128.
    pub(crate) fn best_of_aes() -> Self {
        AesLevel::detect_all().next_back().map_or(Self::aes_sliced(), Self::aes_rounds)
    }

    /// Every kernel of AES that this CPU can run, best first.
    pub(crate) fn of_aes() -> impl Iterator<Item = Self> {
        let rounds = AesLevel::detect_all().rev().map(Self::aes_rounds);
        // AES-NI comes in two encodings under one name, of which the better one comes first.
        let mut before = "";
        rounds
            .chain([Self::aes_sliced()])
            .filter(move |kernel| core::mem::replace(&mut before, kernel.name()) != kernel.name())
    }

    /// Every kernel of Serpent and of XTEA that this CPU can run, best first.
    pub(crate) fn of_words() -> impl Iterator<Item = Self> {
        Level::detect_all().rev().map(Self::words)
    }

    /// Every kernel of SHA-1 and SHA-256 that this CPU can run, best first.
    #[cfg(feature = "hmac")]
    pub(crate) fn of_hashes() -> impl Iterator<Item = Self> {
        let both = ShaLevel::detect_all().flat_map(|level| {
            let wide = Level::detect_all().rev().find(|level| lanes_of(*level) == 16);
            wide.map(Some).into_iter().chain([None]).map(move |lanes| Self(Choice::Sha(level, lanes)))
        });
        both.chain(Self::of_words())
    }

    /// Every way to go about many streams of RC4 that this CPU has, best first.
    #[cfg(feature = "legacy")]
    pub(crate) fn of_rc4() -> impl Iterator<Item = Self> {
        Interleave::all().map(|interleave| Self(Choice::Rc4(interleave)))
    }
}

/// Returns the lanes of the vectors of a level.
#[cfg(feature = "hmac")]
pub(crate) fn lanes_of(level: Level) -> usize {
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn of<I: WordsIsa>(_: I) -> usize {
        I::Words::LANES
    }
    dispatch!(level, isa => of(isa))
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

/// The number of streams of RC4 in one loop.
#[cfg(feature = "legacy")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Interleave {
    /// Not at all.
    One,
    /// Two, step by step in turn.
    Two,
    /// Three.
    Three,
    /// Sixteen, in the lanes of registers.
    #[cfg(target_feature = "sse2")]
    Lanes(Avx512),
}

#[cfg(feature = "legacy")]
impl Interleave {
    /// Returns all there are, best first.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        #[cfg(target_feature = "sse2")]
        let lanes = Avx512::detect().map(Self::Lanes);
        #[cfg(not(target_feature = "sse2"))]
        let lanes = None;
        [Self::Three, Self::Two, Self::One].into_iter().chain(lanes)
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::One => "one",
            Self::Two => "two",
            Self::Three => "three",
            #[cfg(target_feature = "sse2")]
            Self::Lanes(_) => "lanes-avx512",
        }
    }
}
