//! Registers of SSE2, AVX2 and AVX-512 as words.

use super::registers::{number, register};
use super::{Avx2, Avx512, Sse2};
use crate::inlined::CopyFrom;
use crate::intrinsic::intrinsic;
use crate::partial;
use crate::portable::{TRANSPOSED, exactly, looked_up, rotated, shuffled, ternary_by_parts};
use crate::words::{Word, Words, WordsIsa};
#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;
use core::ops::{Add, BitAnd, BitOr, BitXor, Not, Sub};

impl WordsIsa for Sse2 {
    type Words = Sse2Words;
}
impl WordsIsa for Avx2 {
    type Words = Avx2Words;
}
impl WordsIsa for Avx512 {
    type Words = Avx512Words;
}

/// A register as words. What the instruction sets have in common under other names is passed by name;
/// what they do differently follows as a function of its own.
macro_rules! words {
    (
        $(#[$doc:meta])* $name:ident($register:ty), $isa:ident, lanes $lanes:literal, ternary $ternary:literal, lookup $lookup:literal,
        $add:ident $sub:ident $xor:ident $and:ident $or:ident $set1:ident $load:ident $store:ident $row:path, $gather:path,
        $shl:ident $shr:ident $low32:ident $high32:ident $low64:ident $high64:ident,
        $to_ps:ident $shuffle_ps:ident $from_ps:ident
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name($register, $isa);

        impl Add for $name {
            type Output = Self;
            #[inline(always)]
            fn add(self, other: Self) -> Self { Self(intrinsic!($add(self.0, other.0)), self.1) }
        }
        impl Sub for $name {
            type Output = Self;
            #[inline(always)]
            fn sub(self, other: Self) -> Self { Self(intrinsic!($sub(self.0, other.0)), self.1) }
        }
        impl BitXor for $name {
            type Output = Self;
            #[inline(always)]
            fn bitxor(self, other: Self) -> Self { Self(intrinsic!($xor(self.0, other.0)), self.1) }
        }
        impl BitAnd for $name {
            type Output = Self;
            #[inline(always)]
            fn bitand(self, other: Self) -> Self { Self(intrinsic!($and(self.0, other.0)), self.1) }
        }
        impl BitOr for $name {
            type Output = Self;
            #[inline(always)]
            fn bitor(self, other: Self) -> Self { Self(intrinsic!($or(self.0, other.0)), self.1) }
        }
        impl Not for $name {
            type Output = Self;
            #[inline(always)]
            fn not(self) -> Self { Self(intrinsic!($xor(self.0, $set1(-1))), self.1) }
        }

        impl Word for $name {
            #[inline(always)]
            fn rotl(self, n: u32) -> Self { self.rotated(n) }
            #[inline(always)]
            fn shl(self, n: u32) -> Self {
                Self(intrinsic!($shl(self.0, _mm_cvtsi32_si128(n as i32))), self.1)
            }
        }

        impl Words for $name {
            type Isa = $isa;
            type Plane = Self;
            const LANES: usize = $lanes;
            const TERNARY: bool = $ternary;
            const LOOKUP: bool = $lookup;

            #[inline(always)]
            fn splat(isa: $isa, x: u32) -> Self { Self(intrinsic!($set1(x as i32)), isa) }
            #[inline(always)]
            fn splat_row(isa: $isa, row: &[u8; 16]) -> Self {
                Self(intrinsic!($row(_mm_loadu_si128(row.as_ptr().cast()))), isa)
            }
            #[inline(always)]
            fn gather<'b>(isa: $isa, row: impl Fn(usize) -> &'b [u8; 16]) -> Self {
                let register = $gather(
                    #[inline(always)]
                    |i| intrinsic!(_mm_loadu_si128(row(i).as_ptr().cast())),
                );
                Self(register, isa)
            }
            #[inline(always)]
            fn load(isa: $isa, src: &[u8]) -> Self {
                assert_eq!(src.len(), Self::BYTES);
                Self(intrinsic!($load(src.as_ptr().cast())), isa)
            }
            #[inline(always)]
            fn store(self, dst: &mut [u8]) {
                assert_eq!(dst.len(), Self::BYTES);
                intrinsic!($store(dst.as_mut_ptr().cast(), self.0));
            }
            #[inline(always)]
            fn load_partial(isa: $isa, src: &[u8]) -> Self { Self::read(isa, src) }
            #[inline(always)]
            fn store_partial(self, dst: &mut [u8]) { self.write(dst); }
            #[inline(always)]
            fn shr(self, n: u32) -> Self {
                Self(intrinsic!($shr(self.0, _mm_cvtsi32_si128(n as i32))), self.1)
            }
            #[inline(always)]
            fn ternary<const TABLE: i32>(a: Self, b: Self, c: Self) -> Self {
                Self::ternary_of::<TABLE>(a, b, c)
            }
            #[inline(always)]
            fn swap_bytes(self) -> Self { self.swapped() }
            #[inline(always)]
            fn shuffle_bytes(self, pattern: [u8; 16]) -> Self { self.shuffled(pattern) }
            #[inline(always)]
            fn lookup(self, table: &[u8; 16]) -> Self { self.looked_up(table) }
            #[inline(always)]
            fn rotate_bytes(self, rows: usize, columns: usize) -> Self { self.bytes_rotated(rows, columns) }
            #[inline(always)]
            fn transpose_bytes(self) -> Self { self.transposed() }
            #[inline(always)]
            fn unzip(a: Self, b: Self) -> (Self, Self) {
                let (x, y) = intrinsic!(($to_ps(a.0), $to_ps(b.0)));
                let firsts = intrinsic!($from_ps($shuffle_ps::<0b10_00_10_00>(x, y)));
                let seconds = intrinsic!($from_ps($shuffle_ps::<0b11_01_11_01>(x, y)));
                (Self(firsts, a.1), Self(seconds, a.1))
            }
            #[inline(always)]
            fn zip(a: Self, b: Self) -> (Self, Self) {
                (Self(intrinsic!($low32(a.0, b.0)), a.1), Self(intrinsic!($high32(a.0, b.0)), a.1))
            }
            #[inline(always)]
            fn transpose([a, b, c, d]: [Self; 4]) -> [Self; 4] {
                let ((ab, ab2), (cd, cd2)) = (Self::zip(a, b), Self::zip(c, d));
                [
                    Self(intrinsic!($low64(ab.0, cd.0)), a.1),
                    Self(intrinsic!($high64(ab.0, cd.0)), a.1),
                    Self(intrinsic!($low64(ab2.0, cd2.0)), a.1),
                    Self(intrinsic!($high64(ab2.0, cd2.0)), a.1),
                ]
            }
            #[inline(always)]
            fn shift_in(self, before: Self, bytes: usize) -> Self { self.following(before, bytes) }
        }
    };
}

#[inline(always)]
fn same(x: __m128i) -> __m128i {
    x
}

words! {
    /// Four words in a register of SSE2.
    ///
    /// ```
    /// use abreast_simd::Words;
    /// use abreast_simd::x86::Sse2Words;
    ///
    /// // Functions of three bits and lookups are several instructions each.
    /// assert_eq!((Sse2Words::LANES, Sse2Words::TERNARY, Sse2Words::LOOKUP), (4, false, false));
    /// let mut data = *b"SSE2 is always there";
    /// Sse2Words::load_partial(abreast_simd::baseline(), b"Words").store_partial(&mut data[..4]);
    /// assert_eq!(&data, b"Word is always there");
    /// ```
    Sse2Words(__m128i), Sse2, lanes 4, ternary false, lookup false,
    _mm_add_epi32 _mm_sub_epi32 _mm_xor_si128 _mm_and_si128 _mm_or_si128 _mm_set1_epi32
    _mm_loadu_si128 _mm_storeu_si128 same, gathered_128,
    _mm_sll_epi32 _mm_srl_epi32 _mm_unpacklo_epi32 _mm_unpackhi_epi32 _mm_unpacklo_epi64 _mm_unpackhi_epi64,
    _mm_castsi128_ps _mm_shuffle_ps _mm_castps_si128
}
words! {
    /// Eight words in a register of AVX2.
    ///
    /// ```
    /// use abreast_simd::x86::{Avx2, Avx2Words};
    /// use abreast_simd::{Isa, Words};
    ///
    /// let Some(isa) = Avx2::detect() else { return };
    /// // Two rows of 16 bytes: bytes move within each.
    /// let mut bytes = *b"abcdefghijklmnop0123456789ABCDEF";
    /// isa.run(#[inline(always)] || Avx2Words::load(isa, &bytes).transpose_bytes().store(&mut bytes));
    /// assert_eq!(&bytes, b"aeimbfjncgkodhlp048C159D26AE37BF");
    /// ```
    Avx2Words(__m256i), Avx2, lanes 8, ternary false, lookup true,
    _mm256_add_epi32 _mm256_sub_epi32 _mm256_xor_si256 _mm256_and_si256 _mm256_or_si256 _mm256_set1_epi32
    _mm256_loadu_si256 _mm256_storeu_si256 _mm256_broadcastsi128_si256, gathered_256,
    _mm256_sll_epi32 _mm256_srl_epi32 _mm256_unpacklo_epi32 _mm256_unpackhi_epi32 _mm256_unpacklo_epi64 _mm256_unpackhi_epi64,
    _mm256_castsi256_ps _mm256_shuffle_ps _mm256_castps_si256
}
words! {
    /// Sixteen words in a register of AVX-512.
    ///
    /// ```
    /// use abreast_simd::x86::{Avx512, Avx512Words};
    /// use abreast_simd::{Isa, Words};
    ///
    /// assert_eq!((Avx512Words::LANES, Avx512Words::TERNARY), (16, true));
    ///
    /// let Some(isa) = Avx512::detect() else { return };
    /// let mut bytes = [0; 64];
    /// isa.run(#[inline(always)] || {
    ///     let [a, b, c] = [0b1100, 0b1010, 0b1001].map(|x| Avx512Words::splat(isa, x));
    ///     // The XOR of three words is one instruction.
    ///     Avx512Words::ternary::<0x96>(a, b, c).store(&mut bytes);
    /// });
    /// assert_eq!(bytes.as_chunks().0, [0b1111_u32.to_le_bytes(); 16]);
    /// ```
    Avx512Words(__m512i), Avx512, lanes 16, ternary true, lookup true,
    _mm512_add_epi32 _mm512_sub_epi32 _mm512_xor_si512 _mm512_and_si512 _mm512_or_si512 _mm512_set1_epi32
    _mm512_loadu_si512 _mm512_storeu_si512 _mm512_broadcast_i32x4, gathered_512,
    _mm512_sll_epi32 _mm512_srl_epi32 _mm512_unpacklo_epi32 _mm512_unpackhi_epi32 _mm512_unpacklo_epi64 _mm512_unpackhi_epi64,
    _mm512_castsi512_ps _mm512_shuffle_ps _mm512_castps_si512
}

/// Makes a register of its row.
#[inline(always)]
pub(super) fn gathered_128(row: impl Fn(usize) -> __m128i) -> __m128i {
    row(0)
}

/// Makes a register of AVX of its rows.
#[inline(always)]
pub(super) fn gathered_256(row: impl Fn(usize) -> __m128i) -> __m256i {
    intrinsic!(_mm256_inserti128_si256::<1>(_mm256_castsi128_si256(row(0)), row(1)))
}

/// Makes a register of AVX-512 of its rows.
#[inline(always)]
pub(super) fn gathered_512(row: impl Fn(usize) -> __m128i) -> __m512i {
    intrinsic!({
        let low = _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(row(0)), row(1));
        let high = _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(row(2)), row(3));
        _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high)
    })
}

/// Bytes of each word reversed, as a pattern for a byte shuffle.
const SWAPPED: [u8; 16] = [3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12];

impl Sse2Words {
    #[inline(always)]
    fn read(isa: Sse2, src: &[u8]) -> Self {
        Self(register(partial::read(src)), isa)
    }
    #[inline(always)]
    fn write(self, dst: &mut [u8]) {
        partial::write(number(self.0), dst);
    }
    #[inline(always)]
    fn rotated(self, n: u32) -> Self {
        self.shl(n) | self.shr(32 - n)
    }
    #[inline(always)]
    fn ternary_of<const TABLE: i32>(a: Self, b: Self, c: Self) -> Self {
        ternary_by_parts::<TABLE, Self>(a, b, c)
    }
    /// Shuffles 16-bit halves and shifts: SSE2 shuffles no bytes.
    #[inline(always)]
    fn swapped(self) -> Self {
        let x = self.0;
        Self(
            intrinsic!({
                let x = _mm_or_si128(_mm_slli_epi16::<8>(x), _mm_srli_epi16::<8>(x));
                _mm_shufflehi_epi16::<0b10_11_00_01>(_mm_shufflelo_epi16::<0b10_11_00_01>(x))
            }),
            self.1,
        )
    }
    /// Shuffles through memory: the instruction came with SSSE3.
    #[inline(always)]
    fn shuffled(self, pattern: [u8; 16]) -> Self {
        Self(register(u128::from_le_bytes(shuffled(number(self.0).to_le_bytes(), pattern))), self.1)
    }
    /// Looks up through memory: the instruction came with SSSE3.
    #[inline(always)]
    fn looked_up(self, table: &[u8; 16]) -> Self {
        Self(register(u128::from_le_bytes(looked_up(number(self.0).to_le_bytes(), table))), self.1)
    }
    #[inline(always)]
    fn bytes_rotated(self, rows: usize, columns: usize) -> Self {
        let x = self.0;
        let lanes = Self(
            match rows % 4 {
                0 => x,
                1 => intrinsic!(_mm_shuffle_epi32::<0b00_11_10_01>(x)),
                2 => intrinsic!(_mm_shuffle_epi32::<0b01_00_11_10>(x)),
                _ => intrinsic!(_mm_shuffle_epi32::<0b10_01_00_11>(x)),
            },
            self.1,
        );
        if columns.is_multiple_of(4) { lanes } else { lanes.rotated(32 - 8 * (columns as u32 % 4)) }
    }
    /// Shuffles the bytes of the halves perfectly, twice.
    #[inline(always)]
    fn transposed(self) -> Self {
        let x = self.0;
        Self(
            intrinsic!({
                let x = _mm_unpacklo_epi8(x, _mm_unpackhi_epi64(x, x));
                _mm_unpacklo_epi8(x, _mm_unpackhi_epi64(x, x))
            }),
            self.1,
        )
    }
    #[inline(always)]
    fn following(self, before: Self, bytes: usize) -> Self {
        if bytes == 16 {
            return before;
        }
        let (x, before) = intrinsic!((_mm_castsi128_pd(self.0), _mm_castsi128_pd(before.0)));
        Self(intrinsic!(_mm_castpd_si128(_mm_shuffle_pd::<0b01>(before, x))), self.1)
    }
}

impl Avx2Words {
    #[inline(always)]
    fn read(isa: Avx2, src: &[u8]) -> Self {
        Self(read_256(src), isa)
    }
    #[inline(always)]
    fn write(self, dst: &mut [u8]) {
        write_256(self.0, dst);
    }
    #[inline(always)]
    fn rotated(self, n: u32) -> Self {
        if n.is_multiple_of(8) {
            self.bytes_rotated(0, 4 - n as usize / 8)
        } else {
            self.shl(n) | self.shr(32 - n)
        }
    }
    #[inline(always)]
    fn ternary_of<const TABLE: i32>(a: Self, b: Self, c: Self) -> Self {
        ternary_by_parts::<TABLE, Self>(a, b, c)
    }
    #[inline(always)]
    fn swapped(self) -> Self {
        self.shuffled(SWAPPED)
    }
    #[inline(always)]
    fn shuffled(self, pattern: [u8; 16]) -> Self {
        let pattern = register(u128::from_le_bytes(pattern));
        Self(intrinsic!(_mm256_shuffle_epi8(self.0, _mm256_broadcastsi128_si256(pattern))), self.1)
    }
    #[inline(always)]
    fn looked_up(self, table: &[u8; 16]) -> Self {
        let table = register(u128::from_le_bytes(*table));
        Self(intrinsic!(_mm256_shuffle_epi8(_mm256_broadcastsi128_si256(table), self.0)), self.1)
    }
    #[inline(always)]
    fn bytes_rotated(self, rows: usize, columns: usize) -> Self {
        self.shuffled(rotated(rows, columns))
    }
    #[inline(always)]
    fn transposed(self) -> Self {
        self.shuffled(TRANSPOSED)
    }
    #[inline(always)]
    fn following(self, before: Self, bytes: usize) -> Self {
        let by_row = following_256(self.0, before.0);
        let x = if bytes == 16 { by_row } else { intrinsic!(_mm256_alignr_epi8::<8>(self.0, by_row)) };
        Self(x, self.1)
    }
}

/// Returns the upper half of `before` and the lower half of `x`.
#[inline(always)]
pub(super) fn following_256(x: __m256i, before: __m256i) -> __m256i {
    intrinsic!(_mm256_permute2x128_si256::<0x21>(before, x))
}

/// Reads at most 32 bytes into a register of AVX.
#[inline(always)]
pub(super) fn read_256(src: &[u8]) -> __m256i {
    if src.len() == 32 {
        intrinsic!(_mm256_loadu_si256(src.as_ptr().cast()))
    } else if let Some((first, rest)) = src.split_at_checked(16) {
        let (low, high) = (register(u128::from_le_bytes(exactly(first))), register(partial::read(rest)));
        intrinsic!(_mm256_inserti128_si256::<1>(_mm256_castsi128_si256(low), high))
    } else {
        intrinsic!(_mm256_zextsi128_si256(register(partial::read(src))))
    }
}

/// Writes the first bytes of a register of AVX, at most 32.
#[inline(always)]
pub(super) fn write_256(x: __m256i, dst: &mut [u8]) {
    if dst.len() == 32 {
        return intrinsic!(_mm256_storeu_si256(dst.as_mut_ptr().cast(), x));
    }
    let low = number(intrinsic!(_mm256_castsi256_si128(x)));
    if let Some((first, rest)) = dst.split_at_mut_checked(16) {
        first.copy_from(&low.to_le_bytes());
        partial::write(number(intrinsic!(_mm256_extracti128_si256::<1>(x))), rest);
    } else {
        partial::write(low, dst);
    }
}

impl Avx512Words {
    #[inline(always)]
    fn read(isa: Avx512, src: &[u8]) -> Self {
        Self(read_512(src), isa)
    }
    #[inline(always)]
    fn write(self, dst: &mut [u8]) {
        write_512(self.0, dst);
    }
    #[inline(always)]
    fn rotated(self, n: u32) -> Self {
        Self(intrinsic!(_mm512_rolv_epi32(self.0, _mm512_set1_epi32(n as i32))), self.1)
    }
    #[inline(always)]
    fn ternary_of<const TABLE: i32>(a: Self, b: Self, c: Self) -> Self {
        Self(intrinsic!(_mm512_ternarylogic_epi32::<TABLE>(a.0, b.0, c.0)), a.1)
    }
    #[inline(always)]
    fn swapped(self) -> Self {
        self.shuffled(SWAPPED)
    }
    #[inline(always)]
    fn shuffled(self, pattern: [u8; 16]) -> Self {
        let pattern = register(u128::from_le_bytes(pattern));
        Self(intrinsic!(_mm512_shuffle_epi8(self.0, _mm512_broadcast_i32x4(pattern))), self.1)
    }
    #[inline(always)]
    fn looked_up(self, table: &[u8; 16]) -> Self {
        let table = register(u128::from_le_bytes(*table));
        Self(intrinsic!(_mm512_shuffle_epi8(_mm512_broadcast_i32x4(table), self.0)), self.1)
    }
    #[inline(always)]
    fn bytes_rotated(self, rows: usize, columns: usize) -> Self {
        self.shuffled(rotated(rows, columns))
    }
    #[inline(always)]
    fn transposed(self) -> Self {
        self.shuffled(TRANSPOSED)
    }
    #[inline(always)]
    fn following(self, before: Self, bytes: usize) -> Self {
        let x = if bytes == 16 {
            intrinsic!(_mm512_alignr_epi64::<6>(self.0, before.0))
        } else {
            intrinsic!(_mm512_alignr_epi64::<7>(self.0, before.0))
        };
        Self(x, self.1)
    }
}

/// A table for each lane, of 256 words: row by row, and a row is a register in memory.
///
/// ```
/// use abreast_simd::x86::LaneTables;
///
/// // The word 5 of the table of lane 3.
/// let mut tables: LaneTables = [[0; 64]; 256];
/// tables[5][4 * 3..][..4].copy_from_slice(&1000_u32.to_le_bytes());
/// assert_eq!(size_of_val(&tables), 16 * 256 * size_of::<u32>());
/// ```
pub type LaneTables = [[u8; 64]; 256];

/// Tables that differ from lane to lane, in memory.
impl Avx512Words {
    /// Reads, in every lane, the word of its table at the number in this lane, modulo 256.
    ///
    /// ```
    /// use abreast_simd::x86::{Avx512, Avx512Words};
    /// use abreast_simd::{Isa, Words};
    ///
    /// let Some(isa) = Avx512::detect() else { return };
    /// let (mut tables, mut bytes) = ([[0; 64]; 256], [0; 64]);
    /// isa.run(#[inline(always)] || {
    ///     Avx512Words::splat(isa, 1000).put(Avx512Words::splat(isa, 5), &mut tables);
    ///     Avx512Words::splat(isa, 256 + 5).look_up(&tables).store(&mut bytes);
    /// });
    /// assert_eq!(bytes.as_chunks().0, [1000_u32.to_le_bytes(); 16]);
    /// // In memory, the words of all tables at one number are side by side.
    /// assert_eq!(tables[5], bytes);
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn look_up(self, tables: &LaneTables) -> Self {
        let words = self.in_tables();
        Self(intrinsic!(_mm512_i32gather_epi32::<4>(words, tables.as_ptr().cast())), self.1)
    }

    /// Replaces, in the table of every lane, the word at the number in the lane of `at`, modulo 256; see
    /// [`look_up`](Self::look_up).
    #[inline(always)]
    pub fn put(self, at: Self, tables: &mut LaneTables) {
        intrinsic!(_mm512_i32scatter_epi32::<4>(tables.as_mut_ptr().cast(), at.in_tables(), self.0));
    }

    /// Returns the numbers, modulo 256, as places in tables of words: below 4096, so that no access leaves them.
    #[inline(always)]
    fn in_tables(self) -> __m512i {
        intrinsic!({
            let lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
            // Lane or (row times 16 and mask).
            _mm512_ternarylogic_epi32::<0xf8>(lanes, _mm512_slli_epi32::<4>(self.0), _mm512_set1_epi32(0xff0))
        })
    }
}

/// Reads at most 64 bytes into a register of AVX-512.
///
/// Not by a masked move: the bytes that its mask leaves out still count when the CPU looks for a store
/// that a later load may need, so short messages side by side in memory wait for each other.
#[inline(always)]
pub(super) fn read_512(src: &[u8]) -> __m512i {
    if let Some((first, rest)) = src.split_at_checked(32) {
        let (low, high) = (read_256(first), read_256(rest));
        intrinsic!(_mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high))
    } else {
        intrinsic!(_mm512_zextsi256_si512(read_256(src)))
    }
}

/// Writes the first bytes of a register of AVX-512, at most 64.
#[inline(always)]
pub(super) fn write_512(x: __m512i, dst: &mut [u8]) {
    let low = intrinsic!(_mm512_castsi512_si256(x));
    if let Some((first, rest)) = dst.split_at_mut_checked(32) {
        write_256(low, first);
        write_256(intrinsic!(_mm512_extracti64x4_epi64::<1>(x)), rest);
    } else {
        write_256(low, dst);
    }
}
