//! Registers of AES-NI, VAES and AVX-512 as blocks.

use super::registers::{number, register};
use super::words::{
    following_256, gathered_128, gathered_256, gathered_512, read_256, read_512, write_256, write_512,
};
use super::{AesNi, AesNiAvx, Avx512Vaes, Vaes};
use crate::aes::{AesBlocks, AesIsa};
use crate::blocks::{Blocks, Places};
use crate::clmul::Clmul;
use crate::intrinsic::intrinsic;
use crate::partial;
#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;
use core::ops::{BitAnd, BitXor};

impl AesIsa for AesNi {
    type Blocks = AesNiBlock;
    type Narrow = Self;

    #[inline(always)]
    fn narrow(self) -> Self {
        self
    }
}
impl AesIsa for AesNiAvx {
    type Blocks = AesNiAvxBlock;
    type Narrow = Self;

    #[inline(always)]
    fn narrow(self) -> Self {
        self
    }
}
impl AesIsa for Vaes {
    type Blocks = VaesBlocks;
    type Narrow = AesNiAvx;

    #[inline(always)]
    fn narrow(self) -> AesNiAvx {
        AesNiAvx(())
    }
}
impl AesIsa for Avx512Vaes {
    type Blocks = Avx512Blocks;
    type Narrow = AesNiAvx;

    #[inline(always)]
    fn narrow(self) -> AesNiAvx {
        AesNiAvx(())
    }
}

/// Bytes of a block reversed, as a pattern for a byte shuffle.
const REVERSED: u128 = 0x0001_0203_0405_0607_0809_0a0b_0c0d_0e0f;

/// A register as blocks; see the macro of the same kind in `words.rs`.
macro_rules! blocks {
    (
        $(#[$doc:meta])* $name:ident($register:ty), $isa:ident, lanes $lanes:literal,
        $broadcast:path, $gather:path, $load:ident $store:ident $xor:ident $and:ident $add:ident $shuffle8:ident $shuffle32:ident,
        $enc:ident $enclast:ident $dec:ident $declast:ident $clmul:ident,
        $shl64:ident $shr64:ident $bytes_up:ident $bytes_down:ident
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name($register, $isa);

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

        impl Blocks for $name {
            type Isa = $isa;
            const LANES: usize = $lanes;

            #[inline(always)]
            fn splat(isa: $isa, block: &[u8; 16]) -> Self {
                Self(intrinsic!($broadcast(_mm_loadu_si128(block.as_ptr().cast()))), isa)
            }
            #[inline(always)]
            fn first(isa: $isa, block: &[u8; 16]) -> Self {
                Self(Self::widened(intrinsic!(_mm_loadu_si128(block.as_ptr().cast()))), isa)
            }
            #[inline(always)]
            fn to_first(self) -> [u8; 16] {
                // In one piece; a number of 128 bits would be written in two.
                let mut block = [0; 16];
                intrinsic!(_mm_storeu_si128(block.as_mut_ptr().cast(), self.narrowed()));
                block
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
            fn load_partial(isa: $isa, src: &[u8]) -> Self { Self(Self::read(src), isa) }
            #[inline(always)]
            fn store_partial(self, dst: &mut [u8]) { self.write(dst); }
            #[inline(always)]
            fn reverse_bytes(self) -> Self {
                Self(intrinsic!($shuffle8(self.0, $broadcast(register(REVERSED)))), self.1)
            }
            #[inline(always)]
            fn add_words(self, other: Self) -> Self { Self(intrinsic!($add(self.0, other.0)), self.1) }
            #[inline(always)]
            fn count(isa: $isa, base: u32) -> Self {
                let base = Self(intrinsic!($broadcast(register(base.into()))), isa);
                base.add_words(Self(Self::iota(), isa))
            }
            #[inline(always)]
            fn fold(self) -> Self { Self(Self::widened(self.folded()), self.1) }
            #[inline(always)]
            fn broadcast(self) -> Self { Self(intrinsic!($broadcast(self.narrowed())), self.1) }
            #[inline(always)]
            fn total(self) -> Self { self.summed() }
            #[inline(always)]
            fn unzip(a: Self, b: Self) -> (Self, Self) {
                let (firsts, seconds) = Self::unzipped(a.0, b.0);
                (Self(firsts, a.1), Self(seconds, a.1))
            }
            #[inline(always)]
            fn zip(a: Self, b: Self) -> (Self, Self) {
                let (low, high) = Self::zipped(a.0, b.0);
                (Self(low, a.1), Self(high, a.1))
            }
            #[inline(always)]
            fn gather<'b>(isa: $isa, block: impl Fn(usize) -> &'b [u8; 16]) -> Self {
                let register = $gather(
                    #[inline(always)]
                    |lane| intrinsic!(_mm_loadu_si128(block(lane).as_ptr().cast())),
                );
                Self(register, isa)
            }
            #[inline(always)]
            fn gather_parts<'b>(isa: $isa, part: impl Fn(usize) -> &'b [u8]) -> Self {
                let register = $gather(
                    #[inline(always)]
                    |lane| register(partial::read(part(lane))),
                );
                Self(register, isa)
            }
            #[inline(always)]
            fn gather_pairs<'b>(isa: $isa, pair: impl Fn(usize) -> &'b [[u8; 16]; 2]) -> (Self, Self) {
                let (firsts, seconds) = Self::gathered_pairs(pair);
                (Self(firsts, isa), Self(seconds, isa))
            }
            #[inline(always)]
            fn scatter(self, places: &mut impl Places<[u8; 16]>) {
                self.scattered(
                    #[inline(always)]
                    |lane, block| {
                        if let Some(place) = places.of(lane) {
                            intrinsic!(_mm_storeu_si128(place.as_mut_ptr().cast(), block));
                        }
                    },
                );
            }
            #[inline(always)]
            fn scatter_pairs(firsts: Self, seconds: Self, places: &mut impl Places<[[u8; 16]; 2]>) {
                Self::scattered_pairs(firsts.0, seconds.0, places);
            }
            #[inline(always)]
            fn shift_in(self, before: Self) -> Self { Self(self.following(before.0), self.1) }
            /// Multiplies the bits that leave the top by the field's polynomial. Whole bytes move by shuffles, on ports that AES
            /// rounds leave alone.
            #[inline(always)]
            fn times_x(self, n: u32) -> Self {
                let field = Self::splat(self.1, &0x87u128.to_le_bytes());
                let x = self.0;
                let bytes = match n {
                    8 => Some(intrinsic!(($bytes_up::<1>(x), $bytes_down::<15>(x)))),
                    16 => Some(intrinsic!(($bytes_up::<2>(x), $bytes_down::<14>(x)))),
                    24 => Some(intrinsic!(($bytes_up::<3>(x), $bytes_down::<13>(x)))),
                    32 => Some(intrinsic!(($bytes_up::<4>(x), $bytes_down::<12>(x)))),
                    _ => None,
                };
                if let Some((up, out)) = bytes {
                    return Self(up, self.1) ^ Self(out, self.1).clmul_low(field);
                }
                let (here, n) = intrinsic!(($shl64(x, _mm_cvtsi32_si128(n as i32)), 64 - n as i32));
                let carries = intrinsic!($shr64(x, _mm_cvtsi32_si128(n)));
                let up = Self(intrinsic!($bytes_up::<8>(carries)), self.1);
                let out = Self(intrinsic!($clmul::<0x01>(carries, field.0)), self.1);
                Self(here, self.1) ^ up ^ out
            }
        }

        impl AesBlocks for $name {
            #[inline(always)]
            fn encrypt_round(self, key: Self) -> Self { Self(intrinsic!($enc(self.0, key.0)), self.1) }
            #[inline(always)]
            fn encrypt_last(self, key: Self) -> Self { Self(intrinsic!($enclast(self.0, key.0)), self.1) }
            #[inline(always)]
            fn decrypt_round(self, key: Self) -> Self { Self(intrinsic!($dec(self.0, key.0)), self.1) }
            #[inline(always)]
            fn decrypt_last(self, key: Self) -> Self { Self(intrinsic!($declast(self.0, key.0)), self.1) }
            #[inline(always)]
            fn shuffle_bytes(self, indices: &[u8; 16]) -> Self {
                Self(intrinsic!($shuffle8(self.0, $broadcast(_mm_loadu_si128(indices.as_ptr().cast())))), self.1)
            }
        }

        impl Clmul for $name {
            const INSTRUCTIONS: bool = true;

            #[inline(always)]
            fn clmul_low(self, other: Self) -> Self {
                Self(intrinsic!($clmul::<0x00>(self.0, other.0)), self.1)
            }
            #[inline(always)]
            fn clmul_high(self, other: Self) -> Self {
                Self(intrinsic!($clmul::<0x11>(self.0, other.0)), self.1)
            }
            #[inline(always)]
            fn swap_halves(self) -> Self { Self(intrinsic!($shuffle32::<0b01_00_11_10>(self.0)), self.1) }
        }
    };
}

#[inline(always)]
fn same(x: __m128i) -> __m128i {
    x
}

/// One AES block in a register of AES-NI: the same for both encodings, which differ in the token.
macro_rules! one_block {
    ($(#[$doc:meta])* $name:ident, $isa:ident) => {
        blocks! {
            $(#[$doc])* $name(__m128i), $isa, lanes 1,
            same, gathered_128, _mm_loadu_si128 _mm_storeu_si128 _mm_xor_si128 _mm_and_si128 _mm_add_epi32
            _mm_shuffle_epi8 _mm_shuffle_epi32,
            _mm_aesenc_si128 _mm_aesenclast_si128 _mm_aesdec_si128 _mm_aesdeclast_si128 _mm_clmulepi64_si128,
            _mm_sll_epi64 _mm_srl_epi64 _mm_bslli_si128 _mm_bsrli_si128
        }

        impl $name {
            #[inline(always)]
            fn read(src: &[u8]) -> __m128i { register(partial::read(src)) }
            #[inline(always)]
            fn write(self, dst: &mut [u8]) { partial::write(number(self.0), dst); }
            #[inline(always)]
            fn iota() -> __m128i { register(0) }
            #[inline(always)]
            fn widened(x: __m128i) -> __m128i { x }
            #[inline(always)]
            fn narrowed(self) -> __m128i { self.0 }
            #[inline(always)]
            fn folded(self) -> __m128i { self.0 }
            #[inline(always)]
            fn summed(self) -> Self { self }
            #[inline(always)]
            fn unzipped(a: __m128i, b: __m128i) -> (__m128i, __m128i) { (a, b) }
            #[inline(always)]
            fn zipped(a: __m128i, b: __m128i) -> (__m128i, __m128i) { (a, b) }
            #[inline(always)]
            fn scattered(self, mut to: impl FnMut(usize, __m128i)) { to(0, self.0); }
            #[inline(always)]
            fn gathered_pairs<'b>(pair: impl Fn(usize) -> &'b [[u8; 16]; 2]) -> (__m128i, __m128i) {
                let [first, second] = pair(0);
                intrinsic!((_mm_loadu_si128(first.as_ptr().cast()), _mm_loadu_si128(second.as_ptr().cast())))
            }
            #[inline(always)]
            fn scattered_pairs(first: __m128i, second: __m128i, places: &mut impl Places<[[u8; 16]; 2]>) {
                if let Some([to_first, to_second]) = places.of(0) {
                    intrinsic!({
                        _mm_storeu_si128(to_first.as_mut_ptr().cast(), first);
                        _mm_storeu_si128(to_second.as_mut_ptr().cast(), second);
                    });
                }
            }
            #[inline(always)]
            fn following(self, before: __m128i) -> __m128i { before }
        }
    };
}

one_block! {
    /// One block, instructions in their legacy encoding.
    ///
    /// ```
    /// use abreast_simd::x86::{AesNi, AesNiBlock};
    /// use abreast_simd::{AesBlocks, Blocks, Isa};
    ///
    /// let Some(isa) = AesNi::detect() else { return };
    /// // The S-box makes 0x63 of zero.
    /// let block = isa.run(#[inline(always)] || {
    ///     let zero = AesNiBlock::splat(isa, &[0; 16]);
    ///     zero.encrypt_last(zero).to_first()
    /// });
    /// assert_eq!(block, [0x63; 16]);
    /// ```
    AesNiBlock, AesNi
}
one_block! {
    /// One block, instructions in the encoding of AVX.
    ///
    /// ```
    /// use abreast_simd::x86::{AesNiAvx, AesNiAvxBlock};
    /// use abreast_simd::{AesBlocks, Blocks, Isa};
    ///
    /// let Some(isa) = AesNiAvx::detect() else { return };
    /// // The last rounds of both directions undo each other.
    /// let block = isa.run(#[inline(always)] || {
    ///     let (block, zero) = (AesNiAvxBlock::splat(isa, b"0123456789abcdef"), AesNiAvxBlock::splat(isa, &[0; 16]));
    ///     block.encrypt_last(zero).decrypt_last(zero).to_first()
    /// });
    /// assert_eq!(&block, b"0123456789abcdef");
    /// ```
    AesNiAvxBlock, AesNiAvx
}

/// Loads a pair of blocks.
#[inline(always)]
fn load_pair(pair: &[[u8; 16]; 2]) -> __m256i {
    intrinsic!(_mm256_loadu_si256(pair.as_ptr().cast()))
}

/// Stores a pair of blocks if there is a place.
#[inline(always)]
fn store_pair(pair: __m256i, place: Option<&mut [[u8; 16]; 2]>) {
    if let Some(place) = place {
        intrinsic!(_mm256_storeu_si256(place.as_mut_ptr().cast(), pair));
    }
}

blocks! {
    /// Two blocks in a register of AVX.
    ///
    /// ```
    /// use abreast_simd::x86::{Vaes, VaesBlocks};
    /// use abreast_simd::{Blocks, Isa};
    ///
    /// let Some(isa) = Vaes::detect() else { return };
    /// let mut bytes = *b"a block in frontand one behind it";
    /// isa.run(#[inline(always)] || VaesBlocks::load(isa, &bytes[..32]).broadcast().store(&mut bytes[..32]));
    /// assert_eq!(&bytes, b"a block in fronta block in frontt");
    /// ```
    VaesBlocks(__m256i), Vaes, lanes 2,
    _mm256_broadcastsi128_si256, gathered_256, _mm256_loadu_si256 _mm256_storeu_si256 _mm256_xor_si256 _mm256_and_si256
    _mm256_add_epi32 _mm256_shuffle_epi8 _mm256_shuffle_epi32,
    _mm256_aesenc_epi128 _mm256_aesenclast_epi128 _mm256_aesdec_epi128 _mm256_aesdeclast_epi128
    _mm256_clmulepi64_epi128,
    _mm256_sll_epi64 _mm256_srl_epi64 _mm256_bslli_epi128 _mm256_bsrli_epi128
}

impl VaesBlocks {
    #[inline(always)]
    fn read(src: &[u8]) -> __m256i {
        read_256(src)
    }
    #[inline(always)]
    fn write(self, dst: &mut [u8]) {
        write_256(self.0, dst);
    }
    #[inline(always)]
    fn iota() -> __m256i {
        intrinsic!(_mm256_set_epi64x(0, 1, 0, 0))
    }
    #[inline(always)]
    fn widened(x: __m128i) -> __m256i {
        intrinsic!(_mm256_zextsi128_si256(x))
    }
    #[inline(always)]
    fn narrowed(self) -> __m128i {
        intrinsic!(_mm256_castsi256_si128(self.0))
    }
    #[inline(always)]
    fn folded(self) -> __m128i {
        intrinsic!(_mm_xor_si128(_mm256_castsi256_si128(self.0), _mm256_extracti128_si256::<1>(self.0)))
    }
    #[inline(always)]
    fn summed(self) -> Self {
        self ^ Self(intrinsic!(_mm256_permute2x128_si256::<0x01>(self.0, self.0)), self.1)
    }
    #[inline(always)]
    fn unzipped(a: __m256i, b: __m256i) -> (__m256i, __m256i) {
        intrinsic!((_mm256_permute2x128_si256::<0x20>(a, b), _mm256_permute2x128_si256::<0x31>(a, b)))
    }
    /// Joins what [`unzipped`](Self::unzipped) separates: two by two, it undoes itself.
    #[inline(always)]
    fn zipped(a: __m256i, b: __m256i) -> (__m256i, __m256i) {
        Self::unzipped(a, b)
    }
    #[inline(always)]
    fn scattered(self, mut to: impl FnMut(usize, __m128i)) {
        to(0, intrinsic!(_mm256_castsi256_si128(self.0)));
        to(1, intrinsic!(_mm256_extracti128_si256::<1>(self.0)));
    }
    #[inline(always)]
    fn gathered_pairs<'b>(pair: impl Fn(usize) -> &'b [[u8; 16]; 2]) -> (__m256i, __m256i) {
        Self::unzipped(load_pair(pair(0)), load_pair(pair(1)))
    }
    #[inline(always)]
    fn scattered_pairs(firsts: __m256i, seconds: __m256i, places: &mut impl Places<[[u8; 16]; 2]>) {
        let (low, high) = Self::zipped(firsts, seconds);
        store_pair(low, places.of(0));
        store_pair(high, places.of(1));
    }
    #[inline(always)]
    fn following(self, before: __m256i) -> __m256i {
        following_256(self.0, before)
    }
}

blocks! {
    /// Four blocks in a register of AVX-512.
    ///
    /// ```
    /// use abreast_simd::x86::{Avx512Blocks, Avx512Vaes};
    /// use abreast_simd::{Blocks, Isa};
    ///
    /// let Some(isa) = Avx512Vaes::detect() else { return };
    /// let mut counters = [[0; 16]; 4];
    /// isa.run(#[inline(always)] || Avx512Blocks::count(isa, 7).store(counters.as_flattened_mut()));
    /// assert_eq!(counters.map(u128::from_le_bytes), [7, 8, 9, 10]);
    /// ```
    Avx512Blocks(__m512i), Avx512Vaes, lanes 4,
    _mm512_broadcast_i32x4, gathered_512, _mm512_loadu_si512 _mm512_storeu_si512 _mm512_xor_si512 _mm512_and_si512
    _mm512_add_epi32 _mm512_shuffle_epi8 _mm512_shuffle_epi32,
    _mm512_aesenc_epi128 _mm512_aesenclast_epi128 _mm512_aesdec_epi128 _mm512_aesdeclast_epi128
    _mm512_clmulepi64_epi128,
    _mm512_sll_epi64 _mm512_srl_epi64 _mm512_bslli_epi128 _mm512_bsrli_epi128
}

impl Avx512Blocks {
    #[inline(always)]
    fn read(src: &[u8]) -> __m512i {
        read_512(src)
    }
    #[inline(always)]
    fn write(self, dst: &mut [u8]) {
        write_512(self.0, dst);
    }
    #[inline(always)]
    fn iota() -> __m512i {
        intrinsic!(_mm512_set_epi64(0, 3, 0, 2, 0, 1, 0, 0))
    }
    #[inline(always)]
    fn widened(x: __m128i) -> __m512i {
        intrinsic!(_mm512_zextsi128_si512(x))
    }
    #[inline(always)]
    fn narrowed(self) -> __m128i {
        intrinsic!(_mm512_castsi512_si128(self.0))
    }
    #[inline(always)]
    fn folded(self) -> __m128i {
        intrinsic!({
            let half =
                _mm256_xor_si256(_mm512_castsi512_si256(self.0), _mm512_extracti64x4_epi64::<1>(self.0));
            _mm_xor_si128(_mm256_castsi256_si128(half), _mm256_extracti128_si256::<1>(half))
        })
    }
    #[inline(always)]
    fn summed(self) -> Self {
        let halves = Self(intrinsic!(_mm512_shuffle_i64x2::<0b01_00_11_10>(self.0, self.0)), self.1) ^ self;
        halves ^ Self(intrinsic!(_mm512_shuffle_i64x2::<0b10_11_00_01>(halves.0, halves.0)), self.1)
    }
    #[inline(always)]
    fn unzipped(a: __m512i, b: __m512i) -> (__m512i, __m512i) {
        intrinsic!((_mm512_shuffle_i64x2::<0b10_00_10_00>(a, b), _mm512_shuffle_i64x2::<0b11_01_11_01>(a, b)))
    }
    #[inline(always)]
    fn zipped(a: __m512i, b: __m512i) -> (__m512i, __m512i) {
        intrinsic!({
            let low = _mm512_set_epi64(11, 10, 3, 2, 9, 8, 1, 0);
            let high = _mm512_set_epi64(15, 14, 7, 6, 13, 12, 5, 4);
            (_mm512_permutex2var_epi64(a, low, b), _mm512_permutex2var_epi64(a, high, b))
        })
    }
    #[inline(always)]
    fn scattered(self, mut to: impl FnMut(usize, __m128i)) {
        to(0, intrinsic!(_mm512_castsi512_si128(self.0)));
        to(1, intrinsic!(_mm512_extracti32x4_epi32::<1>(self.0)));
        to(2, intrinsic!(_mm512_extracti32x4_epi32::<2>(self.0)));
        to(3, intrinsic!(_mm512_extracti32x4_epi32::<3>(self.0)));
    }
    #[inline(always)]
    fn gathered_pairs<'b>(pair: impl Fn(usize) -> &'b [[u8; 16]; 2]) -> (__m512i, __m512i) {
        let low = intrinsic!(_mm512_castsi256_si512(load_pair(pair(0))));
        let low = intrinsic!(_mm512_inserti64x4::<1>(low, load_pair(pair(1))));
        let high = intrinsic!(_mm512_castsi256_si512(load_pair(pair(2))));
        let high = intrinsic!(_mm512_inserti64x4::<1>(high, load_pair(pair(3))));
        Self::unzipped(low, high)
    }
    #[inline(always)]
    fn scattered_pairs(firsts: __m512i, seconds: __m512i, places: &mut impl Places<[[u8; 16]; 2]>) {
        let (low, high) = Self::zipped(firsts, seconds);
        store_pair(intrinsic!(_mm512_castsi512_si256(low)), places.of(0));
        store_pair(intrinsic!(_mm512_extracti64x4_epi64::<1>(low)), places.of(1));
        store_pair(intrinsic!(_mm512_castsi512_si256(high)), places.of(2));
        store_pair(intrinsic!(_mm512_extracti64x4_epi64::<1>(high)), places.of(3));
    }
    #[inline(always)]
    fn following(self, before: __m512i) -> __m512i {
        intrinsic!(_mm512_alignr_epi64::<6>(self.0, before))
    }
}
