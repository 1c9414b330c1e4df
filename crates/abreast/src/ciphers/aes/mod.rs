//! AES (FIPS 197) with keys of 128, 192 and 256 bits.
//!
//! Two specifications compute it. `rounds` uses the AES instructions of x86 and ARM, in registers of
//! one, two or four blocks; `sliced` is a constant-time circuit over registers of any width, for CPUs
//! without such instructions. Neither looks anything up in a table at a secret place. Which one a key
//! uses is settled when it is made, see [`kernels`](crate::kernels).

mod any;
mod apart;
#[cfg(all(feature = "siv", feature = "batches"))]
mod each;
mod lanes;
mod permuted;
mod permuted_tables;
mod round_keys;
mod rounds;
mod sbox;
mod schedule;
pub(crate) mod sliced;

use crate::engine::backend::{Direction, InOutBlock};
use crate::engine::kernel::Choice;
#[cfg(feature = "alloc")]
use crate::engine::keyed::in_groups;
use crate::engine::keyed::{KeyedCipher, Variant};
use crate::engine::multibuf::{Batch, MultiBufferSpec};
use crate::engine::passes::ModeLoop;
use crate::{Error, InOutBuf, Kernel};
use abreast_simd::inlined::Zipped;
use abreast_simd::{AesIsa as _, AesLevel, Isa as _, Wiped, baseline, dispatch_aes, dispatch_one_block};
#[cfg(feature = "alloc")]
use alloc::{vec, vec::Vec};
pub use any::Aes;
pub(crate) use any::OfSize;
pub(crate) use apart::Apart;
use cipher::consts::{U16, U24, U32};
#[cfg(all(feature = "siv", feature = "batches"))]
pub(crate) use each::{AesEach, ForwardKeys, LANES, Row};
use round_keys::AesRoundKeys;
use rounds::AesRounds;
#[cfg(feature = "alloc")]
use sbox::sub_word;
use schedule::expand_each;
#[cfg(feature = "alloc")]
use schedule::{expand, round_keys_of};
use sliced::{AesSliced, SlicedKeys};

/// The round keys as bytes, for kernels outside of this crate; none if AES has no key of this length.
#[cfg(feature = "alloc")]
pub(crate) fn round_keys(key: &[u8]) -> Option<Vec<u8>> {
    if !matches!(key.len(), 16 | 24 | 32) {
        return None;
    }
    let mut keys = vec![[0; 16]; round_keys_of(key.len())];
    expand(key, &mut keys, sub_word);
    Some(keys.into_flattened())
}

/// A key of up to `RK` round keys, laid out for the kernel that will use it: 11 for AES-128, 15 for AES-256 and AES-192, which
/// have one code.
///
/// At the beginning of a cache line: the kernel and the round keys of encryption then are three lines for AES-128
/// and four for the others, and a batch of short packets waits for no more.
// `u8`: the variant is told by the first byte, and not by a value that a level or a pointer after the keys cannot have.
#[repr(u8, align(64))]
#[allow(clippy::large_enum_variant, reason = "a box for the larger one would need an allocator")]
pub(crate) enum AesKey<const RK: usize> {
    /// The bytes up to the round keys are a field: a blank key without padding is filled where it stays. One with padding was copied
    /// twice, which took two fifths of the time of [`many`](Aes128::many).
    Rounds(AesLevel, #[allow(dead_code, reason = "in the place of padding")] [u8; BEFORE], AesRoundKeys<RK>),
    Sliced(Apart<SlicedKeys>),
}

/// The bytes between the level and the round keys.
// No boundary: the padding that there would be.
const BEFORE: usize = 14;

/// A kernel of AES.
#[derive(Clone, Copy)]
enum AesKernel {
    Rounds(AesLevel),
    Sliced,
}

impl AesKernel {
    fn of(kernel: Kernel) -> Result<Self, Error> {
        match kernel.0 {
            Choice::AesRounds(level) => Ok(Self::Rounds(level)),
            Choice::AesSliced => Ok(Self::Sliced),
            _ => Err(Error::KernelUnavailable),
        }
    }

    /// Returns the best one of this CPU. The bit-sliced one is always there.
    fn best() -> Self {
        Self::of(Kernel::best_of_aes()).unwrap_or(Self::Sliced)
    }
}

impl<const RK: usize> AesKey<RK> {
    /// Room for the round keys of a level.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    const fn blank_rounds(level: AesLevel) -> Self {
        Self::Rounds(level, [0; BEFORE], AesRoundKeys::ZERO)
    }

    /// Room for the round keys of a kernel. It is copied, since it may be one of two variants: [`blank_rounds`](Self::blank_rounds) is
    /// not.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn blank(kernel: AesKernel) -> Self {
        match kernel {
            AesKernel::Rounds(level) => Self::blank_rounds(level),
            AesKernel::Sliced => Self::Sliced(Apart::NONE),
        }
    }

    /// Allocates the memory of the round keys where they lie apart from the rest, if that was not done.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn reserve(&mut self) -> Result<(), Error> {
        match self {
            Self::Rounds(..) => Ok(()),
            Self::Sliced(keys) => keys.try_fill_place(SlicedKeys::ZERO),
        }
    }

    /// Expands a key where the round keys stay: copies of them took a third of the time.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn set(&mut self, key: &[u8]) {
        match self {
            Self::Rounds(level, _, keys) => {
                // With the registers of the whole level: without them a key takes 6 % longer.
                dispatch_aes!(*level, isa => expand_each::<_, RK, true>(isa.narrow(), &mut [Some((keys, key))]));
            }
            Self::Sliced(keys) => keys.place(SlicedKeys::ZERO).fill(key),
        }
    }

    /// Expands a key as [`set`](Self::set) does, for encryption alone where the directions have round keys of their own.
    #[cfg(feature = "siv")]
    fn expand_forward(level: AesLevel, keys: &mut AesRoundKeys<RK>, key: &[u8]) {
        dispatch_aes!(level, isa => expand_each::<_, RK, false>(isa.narrow(), &mut [Some((keys, key))]));
    }

    /// Expands keys for one kernel, as many side by side as its registers have lanes.
    #[cfg(feature = "alloc")]
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn set_each<'a>(keyed: impl Iterator<Item = (&'a mut Self, &'a [u8])>) {
        in_groups(keyed, Self::set_group);
    }

    /// Expands the keys of a group, filled from the front. A call, because there are many iterators.
    #[cfg(feature = "alloc")]
    #[inline(never)]
    fn set_group(group: &mut [Option<(&mut Self, &[u8])>; schedule::MOST_LANES]) {
        let mut expansions = [const { None }; schedule::MOST_LANES];
        let mut level = None;
        for (place, (cipher, key)) in expansions.iter_mut().zipped(group.iter_mut().flatten()) {
            match cipher {
                Self::Rounds(its_level, _, keys) => {
                    level = Some(*its_level);
                    *place = Some((keys, *key));
                }
                Self::Sliced(keys) => keys.place(SlicedKeys::ZERO).fill(key),
            }
        }
        if let Some(level) = level {
            dispatch_aes!(level, isa => expand_each::<_, RK, true>(isa, &mut expansions));
        }
    }

    fn kernel(&self) -> Kernel {
        match self {
            Self::Rounds(level, ..) => Kernel::aes_rounds(*level),
            Self::Sliced(_) => Kernel::aes_sliced(),
        }
    }

    /// The loops of modes find out how much of a group there is, and load and store it under a mask. That takes longer
    /// than the rounds of a block, which do not have to wait for those of the message before: AES-128-ECB of 16 bytes takes
    /// 24 cycles that way (Zen 5).
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn one_block<const ENCRYPT: bool>(&self, block: InOutBlock<'_, '_>) -> bool {
        match self {
            Self::Rounds(level, _, keys) => {
                dispatch_one_block!(level.one_block(), isa => keys.one_block::<ENCRYPT, _>(isa, block));
                true
            }
            Self::Sliced(..) => false,
        }
    }

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn visit<J: ModeLoop>(&self, job: J) -> J::Out {
        match self {
            Self::Rounds(level, _, keys) => Self::by_rounds(*level, keys, job),
            Self::Sliced(keys) => bit_sliced(keys, job),
        }
    }

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn by_rounds<J: ModeLoop>(level: AesLevel, keys: &AesRoundKeys<RK>, job: J) -> J::Out {
        if const { J::SERIAL } {
            dispatch_one_block!(level.one_block(), isa => job.run::<_, AesRounds<RK>>(isa, keys))
        } else {
            dispatch_aes!(level, isa => job.run::<_, AesRounds<RK>>(isa, keys))
        }
    }

    /// Runs the loop of a mode under a key that is used once, for encryption, and of which no more than the round keys of a kernel
    /// is made. Those of a whole key would be copied into it, which took a tenth of a short message.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] for the bit-sliced kernel.
    #[cfg(feature = "siv")]
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn visit_once<J: ModeLoop>(kernel: AesKernel, key: &[u8], job: J) -> Result<J::Out, Error> {
        match kernel {
            AesKernel::Rounds(level) => {
                let mut keys = Wiped::new(AesRoundKeys::ZERO);
                Self::expand_forward(level, &mut keys, key);
                Ok(Self::by_rounds(level, &keys, job))
            }
            AesKernel::Sliced => {
                let mut keys = Apart::<SlicedKeys>::NONE;
                keys.try_fill_place(SlicedKeys::ZERO)?;
                keys.fill(key);
                Ok(bit_sliced(&keys, job))
            }
        }
    }

    /// Runs a batch on the kernel of this key. Bit-sliced rounds take no batches.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn visit_batch(&self, batch: impl Batch) {
        if let Self::Rounds(level, _, keys) = self {
            let level = BatchLevel::of(*level, keys);
            dispatch_aes!(level.level, isa => batch.by_rounds::<_, AesRounds<RK>>(isa, level));
        }
    }
}

/// Runs the loop of a mode over bit-sliced rounds, whatever the size of the key. The round keys are looked for beyond the call:
/// registers that are saved for that would cost the kernels of AES instructions time.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn bit_sliced<J: ModeLoop>(keys: &Apart<SlicedKeys>, job: J) -> J::Out {
    let isa = baseline();
    isa.run(
        #[cfg_attr(not(abreast_unoptimized), inline(always))]
        || job.run::<_, AesSliced>(isa, keys),
    )
}

/// The common part of the keys of a batch: the instruction set and the number of rounds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct BatchLevel {
    level: AesLevel,
    left_out: usize,
}

impl BatchLevel {
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn of<const RK: usize>(level: AesLevel, keys: &AesRoundKeys<RK>) -> Self {
        Self { level, left_out: keys.left_out() }
    }
}

impl<const RK: usize> MultiBufferSpec for AesRounds<RK> {
    type Key = AesKey<RK>;
    type Level = BatchLevel;

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn keys_at(key: &AesKey<RK>, level: BatchLevel) -> Option<&AesRoundKeys<RK>> {
        match key {
            AesKey::Rounds(its_level, _, keys) if BatchLevel::of(*its_level, keys) == level => Some(keys),
            _ => None,
        }
    }
}

/// Defines the public type for one key size. All that differs is sizes and names; the methods are not
/// generic, so that kernels are compiled once, in this crate.
macro_rules! aes {
    ($(#[$doc:meta])* $type:ident $name:literal, key $key:literal $key_size:ty, round_keys $rk:literal) => {
        $(#[$doc])*
        pub struct $type(Wiped<AesKey<$rk>>);

        impl $type {
            /// Expands a key, for the best kernel of this CPU.
            #[must_use]
            pub fn new(key: &[u8; $key]) -> Self {
                let mut cipher = Self(Wiped::new(AesKey::blank(AesKernel::best())));
                cipher.0.set(key);
                cipher
            }

            /// Expands a key for a given kernel, one of [`kernels`](Self::kernels).
            ///
            /// # Errors
            /// [`Error::KernelUnavailable`] if the kernel is another cipher's; [`Error::OutOfMemory`] for a bit-sliced one.
            pub fn with_kernel(key: &[u8; $key], kernel: Kernel) -> Result<Self, Error> {
                let mut cipher = Self(Wiped::new(AesKey::blank(AesKernel::of(kernel)?)));
                cipher.0.reserve()?;
                cipher.0.set(key);
                Ok(cipher)
            }

            /// Expands many keys, for the best kernel of this CPU: side by side in its registers, in half to two thirds of the time
            /// that they take one after the other.
            #[cfg(feature = "alloc")]
            #[must_use]
            pub fn many(keys: &[[u8; $key]]) -> Vec<Self> {
                match AesKernel::best() {
                    AesKernel::Rounds(level) => Self::expand_many(
                        #[cfg_attr(not(abreast_unoptimized), inline(always))]
                        || Self(Wiped::new(AesKey::blank_rounds(level))),
                        keys,
                    ),
                    // One after the other, in memory of their own.
                    AesKernel::Sliced => keys.iter().map(Self::new).collect(),
                }
            }

            /// Returns the kernels that this CPU can run, best first.
            pub fn kernels() -> impl Iterator<Item = Kernel> {
                Kernel::of_aes()
            }

        }

        impl KeyedCipher for $type {
            const BLOCK: usize = 16;
            const ALGORITHMS: &'static [Variant] = &[Variant { name: $name, key_len: $key }];
            const ROUNDS_ARE_CALLS: bool = false;
            type BatchKey = AesKey<$rk>;

            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            fn batch_key(&self) -> &AesKey<$rk> {
                &self.0
            }

            #[cfg(feature = "alloc")]
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            fn blanks(_: u8, kernel: Kernel) -> Result<impl Fn() -> Self + Copy, Error> {
                let kernel = AesKernel::of(kernel)?;
                Ok(
                    #[cfg_attr(not(abreast_unoptimized), inline(always))]
                    move || Self(Wiped::new(AesKey::blank(kernel))),
                )
            }
            #[cfg(feature = "alloc")]
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            fn reserve(&mut self) -> Result<(), Error> {
                self.0.reserve()
            }
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            fn set_key(&mut self, key: &[u8]) {
                self.0.set(key);
            }
            #[cfg(feature = "alloc")]
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            fn set_keys<'a>(keyed: impl Iterator<Item = (&'a mut Self, &'a [u8])>) {
                AesKey::set_each(keyed.map(|(cipher, key)| (&mut *cipher.0, key)));
            }

            fn name(&self) -> &'static str {
                $name
            }
            fn kernel(&self) -> Kernel {
                self.0.kernel()
            }
            #[cfg(feature = "alloc")]
            fn all_kernels() -> impl Iterator<Item = Kernel> {
                Self::kernels()
            }
            #[cfg(feature = "alloc")]
            fn best_kernel() -> Option<Kernel> {
                Some(Kernel::best_of_aes())
            }
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            fn visit<J: ModeLoop>(&self, job: J) -> J::Out {
                self.0.visit(job)
            }
            /// One block, by AES instructions. Other kernels take it as a partial group.
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            fn few_blocks(&self, direction: Direction, io: &mut InOutBuf<'_, '_, u8>) -> bool {
                io.reborrow().try_into().is_ok_and(
                    #[cfg_attr(not(abreast_unoptimized), inline(always))]
                    |block| match direction {
                        Direction::Encrypt => self.0.one_block::<true>(block),
                        Direction::Decrypt => self.0.one_block::<false>(block),
                    },
                )
            }
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            fn visit_batch(&self, batch: impl Batch) {
                self.0.visit_batch(batch);
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
    Aes128 "aes-128", key 16 U16, round_keys 11
}
aes! {
    /// AES with a key of 24 bytes, twelve rounds.
    ///
    /// ```
    /// use abreast::{aes::Aes192, modes::{CounterWidth, Ctr}};
    ///
    /// let mut data = *b"attack at dawn";
    /// Ctr::from_block(Aes192::new(&[7; 24]), &[0; 16], CounterWidth::Bits32).apply(data.as_mut_slice())?;
    /// # Ok::<(), abreast::Error>(())
    /// ```
    Aes192 "aes-192", key 24 U24, round_keys 15
}
aes! {
    /// AES with a key of 32 bytes, fourteen rounds.
    ///
    /// ```
    /// use abreast::{BlockCipher, aes::Aes256};
    ///
    /// let aes = Aes256::new(&[7; 32]);
    /// let mut blocks = [[0; 16]; 3];
    /// aes.encrypt_raw_blocks(blocks.as_flattened_mut().into())?;
    /// assert_eq!(blocks[0], blocks[2]);
    /// # Ok::<(), abreast::Error>(())
    /// ```
    Aes256 "aes-256", key 32 U32, round_keys 15
}

/// Keys that only encrypt, for the sizes of modes that derive them. Decryption under them would be wrong.
#[cfg(feature = "siv")]
macro_rules! encrypt_only {
    ($($type:ident, key $key:literal, round_keys $rk:literal;)*) => {$(
        impl $type {
            /// Runs the loop of a mode under a key that is used once, for a given kernel.
            ///
            /// # Errors
            /// The errors of [`with_kernel`](Self::with_kernel).
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            pub(crate) fn visit_once<J: ModeLoop>(
                key: &[u8; $key],
                kernel: Kernel,
                job: J,
            ) -> Result<J::Out, Error> {
                AesKey::<$rk>::visit_once(AesKernel::of(kernel)?, key, job)
            }

            /// A place for keys of lanes.
            #[cfg(feature = "batches")]
            pub(crate) fn without_key() -> Self {
                Self(Wiped::new(AesKey::blank(AesKernel::Sliced)))
            }

            /// Takes the key of a lane, which is for AES instructions.
            #[cfg(feature = "batches")]
            pub(crate) fn set_from_lane(&mut self, each: &AesEach, lane: usize) {
                self.0.set_from_lane(each, lane);
            }
        }
    )*};
}
#[cfg(feature = "siv")]
encrypt_only! {
    Aes128, key 16, round_keys 11;
    Aes256, key 32, round_keys 15;
}
