//! TEA and XTEA: one specification, which a field of the key tells apart.
//!
//! Around their rounds everything is the same, and their rounds are calls, or chains so long that a branch before them costs
//! nothing. So loops and batches are compiled once for both, and messages under keys of both go through one code.

mod keys;
#[cfg(feature = "tea")]
mod tea;
#[cfg(feature = "xtea")]
mod xtea;

pub(super) use keys::{RoundFunction, TwoWordsKeys};

use keys::TwoWordsVariant;

use crate::InOutBuf;
use crate::engine::backend::Direction;
use crate::engine::multibuf::Batch;
use crate::engine::passes::ModeLoop;
use crate::engine::two_words::{
    ByteOrder, Halves, TwoWords, TwoWordsOn, decrypt_groups, decrypt_rows, decrypt_scalars, encrypt_groups,
    encrypt_halves, encrypt_rows, encrypt_scalars, few_blocks,
};
use abreast_simd::{Level, WordsIsa, dispatch};

/// A key, laid out for the kernel that will use it.
// In this order and place, so that a batch reads one cache line of a key.
#[repr(C, align(32))]
pub(crate) struct TwoWordsKey {
    pub(super) level: Level,
    pub(super) keys: TwoWordsKeys,
}

impl TwoWordsKey {
    /// Runs a mode's loop on the kernel of this key.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(super) fn visit<J: ModeLoop>(&self, job: J) -> J::Out {
        let expanded = self.keys.expand();
        let keys = expanded.as_deref().unwrap_or(&self.keys);
        dispatch!(self.level, isa => job.run::<_, Halves<TeaFamily>>(isa, keys))
    }

    /// Takes a message of one or two blocks forward or backward. True if it was one.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(super) fn few_blocks(&self, direction: Direction, io: &mut InOutBuf<'_, '_, u8>) -> bool {
        let few = matches!(io.len(), 8 | 16);
        if few {
            self.in_general_registers(direction, io);
        }
        few
    }

    /// Takes one or two blocks forward or backward. A call, and one for all instruction sets.
    #[inline(never)]
    fn in_general_registers(&self, direction: Direction, io: &mut InOutBuf<'_, '_, u8>) {
        let expanded = self.keys.expand();
        let keys = expanded.as_deref().unwrap_or(&self.keys);
        match io.len() {
            8 => few_blocks::<TeaFamily, 1>(keys, direction, io),
            _ => few_blocks::<TeaFamily, 2>(keys, direction, io),
        }
    }

    /// Runs a batch on the kernel of this key.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(super) fn visit_batch(&self, batch: impl Batch) {
        let level = (self.level, self.keys.variant);
        dispatch!(self.level, isa => batch.in_lanes::<_, Halves<TeaFamily>>(isa, level));
    }
}

/// TEA and XTEA.
pub(crate) struct TeaFamily;

/// Returns the cycles of a key of XTEA.
#[cfg(feature = "xtea")]
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn xtea_cycles(keys: &TwoWordsKeys) -> xtea::XteaOneKey<'_> {
    xtea::XteaOneKey(keys.pairs())
}

/// Returns the cycles of a key of TEA.
#[cfg(feature = "tea")]
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn tea_cycles(keys: &TwoWordsKeys) -> tea::TeaOneKey<'_> {
    tea::TeaOneKey(&keys.words)
}

impl TwoWords for TeaFamily {
    type Key = TwoWordsKey;
    type Keys = TwoWordsKeys;
    type Variant = TwoWordsVariant;
    const ANY: TwoWordsVariant = TwoWordsVariant::ANY;

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn keys_at(key: &TwoWordsKey, level: Level, variant: TwoWordsVariant) -> Option<&TwoWordsKeys> {
        (key.level == level && key.keys.variant == variant && key.keys.words().is_some()).then_some(&key.keys)
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn variant(keys: &TwoWordsKeys) -> TwoWordsVariant {
        keys.variant
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn order(keys: &TwoWordsKeys) -> ByteOrder {
        keys.order
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn words(keys: &TwoWordsKeys) -> Option<&[u8; 16]> {
        keys.words()
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn encrypt_scalars<const N: usize>(keys: &TwoWordsKeys, blocks: [[u32; 2]; N]) -> [[u32; 2]; N] {
        match keys.variant.of() {
            #[cfg(feature = "xtea")]
            RoundFunction::Xtea => encrypt_scalars(xtea_cycles(keys), blocks),
            #[cfg(feature = "tea")]
            RoundFunction::Tea => encrypt_scalars(tea_cycles(keys), blocks),
        }
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn decrypt_scalars<const N: usize>(keys: &TwoWordsKeys, blocks: [[u32; 2]; N]) -> [[u32; 2]; N] {
        match keys.variant.of() {
            #[cfg(feature = "xtea")]
            RoundFunction::Xtea => decrypt_scalars(xtea_cycles(keys), blocks),
            #[cfg(feature = "tea")]
            RoundFunction::Tea => decrypt_scalars(tea_cycles(keys), blocks),
        }
    }
}

impl<I: WordsIsa> TwoWordsOn<I> for TeaFamily {
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn encrypt<const N: usize>(isa: I, keys: &TwoWordsKeys, groups: &mut [[I::Words; 2]; N]) {
        match keys.variant.of() {
            #[cfg(feature = "xtea")]
            RoundFunction::Xtea => encrypt_groups::<_, Self, _, N>(isa, keys, xtea_cycles, groups),
            #[cfg(feature = "tea")]
            RoundFunction::Tea => encrypt_groups::<_, Self, _, N>(isa, keys, tea_cycles, groups),
        }
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn decrypt<const N: usize>(isa: I, keys: &TwoWordsKeys, groups: &mut [[I::Words; 2]; N]) {
        match keys.variant.of() {
            #[cfg(feature = "xtea")]
            RoundFunction::Xtea => decrypt_groups::<_, Self, _, N>(isa, keys, xtea_cycles, groups),
            #[cfg(feature = "tea")]
            RoundFunction::Tea => decrypt_groups::<_, Self, _, N>(isa, keys, tea_cycles, groups),
        }
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn encrypt_lanes(isa: I, variant: TwoWordsVariant, words: &[I::Words; 4], halves: &mut [[I::Words; 2]]) {
        match variant.of() {
            #[cfg(feature = "xtea")]
            RoundFunction::Xtea => encrypt_halves(isa, xtea::XteaKeyPerLane::<I::Words>(words), halves),
            #[cfg(feature = "tea")]
            RoundFunction::Tea => encrypt_halves(isa, tea::TeaKeyPerLane::<I::Words>(words), halves),
        }
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn encrypt_rows<const N: usize>(
        isa: I,
        variant: TwoWordsVariant,
        words: &[I::Words; 4],
        rows: &mut [[[I::Words; 2]; 2]; N],
    ) {
        match variant.of() {
            #[cfg(feature = "xtea")]
            RoundFunction::Xtea => encrypt_rows(isa, xtea::XteaKeyPerLane::<I::Words>(words), rows),
            #[cfg(feature = "tea")]
            RoundFunction::Tea => encrypt_rows(isa, tea::TeaKeyPerLane::<I::Words>(words), rows),
        }
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn decrypt_rows<const N: usize>(
        isa: I,
        variant: TwoWordsVariant,
        words: &[I::Words; 4],
        rows: &mut [[[I::Words; 2]; 2]; N],
    ) {
        match variant.of() {
            #[cfg(feature = "xtea")]
            RoundFunction::Xtea => decrypt_rows(isa, xtea::XteaKeyPerLane::<I::Words>(words), rows),
            #[cfg(feature = "tea")]
            RoundFunction::Tea => decrypt_rows(isa, tea::TeaKeyPerLane::<I::Words>(words), rows),
        }
    }
}
