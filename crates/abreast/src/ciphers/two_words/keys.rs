//! Keys of TEA, which has no key schedule, and of XTEA, whose schedule is worked out once per key.

#[cfg(feature = "xtea")]
use crate::Error;
use crate::engine::two_words::{ByteOrder, DELTA, USUAL_CYCLES};
use crate::wipe::wipe;
use abreast_simd::Wiped;
use abreast_simd::inlined::{CopyFrom, Flat, Zipped};
#[cfg(feature = "alloc")]
use alloc::vec::Vec;

/// The ciphers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum RoundFunction {
    #[cfg(feature = "xtea")]
    Xtea,
    #[cfg(feature = "tea")]
    Tea,
}

/// A cipher and the byte order of its words, by the registry's names: common to the keys of messages side by side.
/// One byte, which a batch compares for each message.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum TwoWordsVariant {
    #[cfg(feature = "xtea")]
    Xtea,
    #[cfg(feature = "xtea")]
    XteaBe,
    #[cfg(feature = "tea")]
    Tea,
    #[cfg(feature = "tea")]
    TeaBe,
}

impl TwoWordsVariant {
    /// Returns a cipher's variant of a byte order.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    const fn new(of: RoundFunction, order: ByteOrder) -> Self {
        match (of, order) {
            #[cfg(feature = "xtea")]
            (RoundFunction::Xtea, ByteOrder::LittleEndian) => Self::Xtea,
            #[cfg(feature = "xtea")]
            (RoundFunction::Xtea, ByteOrder::BigEndian) => Self::XteaBe,
            #[cfg(feature = "tea")]
            (RoundFunction::Tea, ByteOrder::LittleEndian) => Self::Tea,
            #[cfg(feature = "tea")]
            (RoundFunction::Tea, ByteOrder::BigEndian) => Self::TeaBe,
        }
    }

    /// Returns the cipher.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(super) const fn of(self) -> RoundFunction {
        match self {
            #[cfg(feature = "xtea")]
            Self::Xtea | Self::XteaBe => RoundFunction::Xtea,
            #[cfg(feature = "tea")]
            Self::Tea | Self::TeaBe => RoundFunction::Tea,
        }
    }

    /// Any variant that is compiled.
    #[cfg(feature = "xtea")]
    pub(super) const ANY: Self = Self::Xtea;
    /// Any variant that is compiled.
    #[cfg(not(feature = "xtea"))]
    pub(super) const ANY: Self = Self::Tea;
}

/// The words of a key, two round keys for each cycle of XTEA, and the byte order of the blocks' words. Fields that a
/// batch reads come first.
#[repr(C)]
pub(crate) struct TwoWordsKeys {
    pub(in super::super) variant: TwoWordsVariant,
    /// The byte order of the variant. It is here, too, since loops that derive it spill more registers: XTEA decrypts eight
    /// groups in 5 % more time by AVX2 (Zen 3).
    pub(in super::super) order: ByteOrder,
    /// The number of round keys in `pairs`; 0 if the key is [not expanded](Self::set_words).
    cycles: u8,
    /// True if `words` are the key's.
    has_words: bool,
    /// The four words of the key, little-endian, if the cycles are the usual ones: all that a lane needs.
    pub(super) words: [u8; 16],
    pairs: [[u32; 2]; USUAL_CYCLES],
    /// All of them, if there are more than the usual ones.
    #[cfg(feature = "alloc")]
    many: Option<Vec<[u32; 2]>>,
}

/// The sums of a cycle, before the sum grows and after, and the places of the key's words that they are added to.
pub(super) struct Cycle {
    pub(super) sums: [u32; 2],
    pub(super) words: [usize; 2],
}

/// The usual cycles.
pub(super) const CYCLES: [Cycle; USUAL_CYCLES] = {
    let mut cycles = [const { Cycle { sums: [0; 2], words: [0; 2] } }; USUAL_CYCLES];
    let (mut i, mut sum) = (0, 0u32);
    while i < USUAL_CYCLES {
        let next = sum.wrapping_add(DELTA);
        cycles[i] = Cycle { sums: [sum, next], words: [(sum & 3) as usize, (next >> 11 & 3) as usize] };
        sum = next;
        i += 1;
    }
    cycles
};

impl TwoWordsKeys {
    /// Expands a key of XTEA for any number of cycles; without memory to allocate, up to the usual one.
    #[cfg(feature = "xtea")]
    pub(in super::super) fn new(key: &[u8; 16], order: ByteOrder, cycles: u8) -> Result<Self, Error> {
        let mut keys = Self::zero(RoundFunction::Xtea, order);
        if usize::from(cycles) == USUAL_CYCLES {
            keys.set(key);
            return Ok(keys);
        }
        if cycles == 0 || cfg!(not(feature = "alloc")) && usize::from(cycles) > USUAL_CYCLES {
            return Err(Error::Cycles);
        }
        keys.cycles = cycles;
        #[cfg(feature = "alloc")]
        if usize::from(cycles) > USUAL_CYCLES {
            let mut many = Vec::new();
            many.try_reserve_exact(cycles.into()).map_err(|_| Error::OutOfMemory)?;
            many.resize(cycles.into(), [0; 2]);
            keys.many = Some(many);
        }
        let mut words = words_of(key, order);
        let mut sum = 0u32;
        // The places of the key's words follow from the number of the cycle alone.
        for pair in keys.pairs_mut() {
            pair[0] = sum.wrapping_add(words[(sum & 3) as usize]);
            sum = sum.wrapping_add(DELTA);
            pair[1] = sum.wrapping_add(words[(sum >> 11 & 3) as usize]);
        }
        wipe(&mut words);
        Ok(keys)
    }

    /// Expands a key of 16 bytes for the usual number of cycles.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(in super::super) fn set(&mut self, key: &[u8]) {
        let mut words = words_of(key, self.order);
        #[cfg(feature = "tea")]
        if self.variant.of() == RoundFunction::Tea {
            self.keep_words(&words);
            return wipe(&mut words);
        }
        for n in 0..8 {
            for i in 0..4 {
                let Cycle { sums, words: places } = &CYCLES[4 * n + i];
                self.pairs[4 * n + i] =
                    [sums[0].wrapping_add(words[places[0] & 3]), sums[1].wrapping_add(words[places[1] & 3])];
            }
        }
        self.cycles = USUAL_CYCLES as u8;
        self.keep_words(&words);
        wipe(&mut words);
    }

    /// Takes a key of 16 bytes for the usual number of cycles and does not expand it: lanes want no more than its words.
    #[cfg(feature = "alloc")]
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(in super::super) fn set_words(&mut self, key: &[u8; 16]) {
        // Not by way of words in registers, where the compiler reads the order together with the words just written
        // beside it: 7 ns for each key on Zen 5.
        self.words = *key;
        if self.order == ByteOrder::BigEndian {
            self.words.as_chunks_mut::<4>().0.iter_mut().for_each(|word| word.reverse());
        }
        (self.cycles, self.has_words) = (0, true);
    }

    /// Returns the key expanded if it is not.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(in super::super) fn expand(&self) -> Option<Wiped<Self>> {
        if self.cycles > 0 { None } else { Some(self.expanded_words()) }
    }

    /// Expands the words. A call, so that expanded keys do not pay for it.
    #[cold]
    #[inline(never)]
    fn expanded_words(&self) -> Wiped<Self> {
        // The words are little-endian whatever the order of the blocks.
        let mut keys = Wiped::new(Self::zero(self.variant.of(), ByteOrder::LittleEndian));
        keys.set(&self.words);
        (keys.variant, keys.order) = (self.variant, self.order);
        keys
    }

    /// Round keys of the usual number of cycles that were expanded elsewhere, in their order.
    #[cfg(feature = "xtea")]
    pub(in super::super) fn expanded(keys: &[u32; 2 * USUAL_CYCLES], order: ByteOrder) -> Self {
        let mut expanded = Self::zero(RoundFunction::Xtea, order);
        expanded.pairs.flat_mut().copy_from(keys);
        expanded.find_words();
        expanded
    }

    /// No key yet, for the usual number of cycles.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(in super::super) const fn zero(of: RoundFunction, order: ByteOrder) -> Self {
        Self {
            variant: TwoWordsVariant::new(of, order),
            order,
            cycles: USUAL_CYCLES as u8,
            has_words: false,
            words: [0; 16],
            pairs: [[0; 2]; USUAL_CYCLES],
            #[cfg(feature = "alloc")]
            many: None,
        }
    }

    /// Keeps the words of the key for lanes.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn keep_words(&mut self, words: &[u32; 4]) {
        self.has_words = true;
        for (bytes, word) in self.words.as_chunks_mut().0.iter_mut().zipped(words) {
            *bytes = word.to_le_bytes();
        }
    }

    /// Finds the words of the key that round keys of the usual number of cycles come from, if there are any.
    #[cfg(feature = "xtea")]
    fn find_words(&mut self) {
        let pairs = &self.pairs;
        // The first four cycles choose each word once.
        let mut words = [0; 4];
        for (cycle, pair) in CYCLES[..4].iter().zipped(pairs) {
            words[cycle.words[0]] = pair[0].wrapping_sub(cycle.sums[0]);
        }
        let mut difference = 0;
        for (cycle, pair) in CYCLES.iter().zipped(pairs) {
            for i in 0..2 {
                difference |= pair[i] ^ cycle.sums[i].wrapping_add(words[cycle.words[i]]);
            }
        }
        if difference == 0 {
            self.keep_words(&words);
        }
        wipe(&mut words);
    }

    /// The words of the key, if the cycles are the usual ones.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(in super::super) fn words(&self) -> Option<&[u8; 16]> {
        if self.has_words { Some(&self.words) } else { None }
    }

    /// The two keys of each cycle.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(in super::super) fn pairs(&self) -> &[[u32; 2]] {
        match self.pairs.get(..usize::from(self.cycles)) {
            Some(pairs) => pairs,
            #[cfg(feature = "alloc")]
            None => self.many.as_deref().unwrap_or_default(),
            #[cfg(not(feature = "alloc"))]
            None => &[],
        }
    }

    #[cfg(feature = "xtea")]
    fn pairs_mut(&mut self) -> &mut [[u32; 2]] {
        match self.pairs.get_mut(..usize::from(self.cycles)) {
            Some(pairs) => pairs,
            #[cfg(feature = "alloc")]
            None => self.many.as_deref_mut().unwrap_or_default(),
            #[cfg(not(feature = "alloc"))]
            None => &mut [],
        }
    }
}

/// The words of a key.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn words_of(key: &[u8], order: ByteOrder) -> [u32; 4] {
    let words = *key.as_chunks().0.first_chunk::<4>().unwrap_or(&[[0; 4]; 4]);
    words.map(|bytes| match order {
        ByteOrder::LittleEndian => u32::from_le_bytes(bytes),
        ByteOrder::BigEndian => u32::from_be_bytes(bytes),
    })
}

/// Wipes the round keys in the box. The others are wiped by [`Wiped`].
#[cfg(feature = "alloc")]
impl Drop for TwoWordsKeys {
    #[inline]
    fn drop(&mut self) {
        if let Some(many) = &mut self.many {
            wipe(many.flat_mut());
        }
    }
}
