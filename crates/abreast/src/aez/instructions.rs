//! AES rounds of AEZ by AES instructions, on vectors of registers: from one key, or from a key for each lane.

use super::rounds::AezVectors;
use super::subkeys::AezSubkeys;
use abreast_simd::inlined::{Flat, Zipped};
use abreast_simd::{AesBlocks, AesIsa, Blocks, Places};

/// Vectors of `N` registers, by AES instructions.
pub(crate) struct Instructions<const N: usize>;

/// I, J and L, lane by lane.
#[derive(Clone, Copy)]
pub(crate) struct LaneSubkeys<V> {
    i: V,
    j: V,
    l: V,
}

impl<V: Copy> LaneSubkeys<V> {
    /// I, which is the offset of the tweak (0, 0) too.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn i(self) -> V {
        self.i
    }
}

impl<const N: usize> Instructions<N> {
    /// Returns other subkeys in every lane, and the value that is kept beside L.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn keys_of<'k, I: AesIsa>(
        isa: I,
        subkeys: impl Fn(usize) -> &'k AezSubkeys,
    ) -> (LaneSubkeys<[I::Blocks; N]>, [I::Blocks; N]) {
        let (i, j) = Self::gather_pairs(
            isa,
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            |lane| &subkeys(lane).i_j,
        );
        let (l, tag) = Self::gather_pairs(
            isa,
            #[cfg_attr(not(abreast_unoptimized), inline(always))]
            |lane| &subkeys(lane).l_tag,
        );
        (LaneSubkeys { i, j, l }, tag)
    }

    /// Lane by lane a block from somewhere.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn gather<'b, I: AesIsa>(isa: I, block: impl Fn(usize) -> &'b [u8; 16]) -> [I::Blocks; N] {
        let mut vector = <Self as AezVectors<I>>::splat(isa, &[0; 16]);
        for (n, register) in vector.iter_mut().enumerate() {
            *register = I::Blocks::gather(
                isa,
                #[cfg_attr(not(abreast_unoptimized), inline(always))]
                |lane| block(n * I::Blocks::LANES + lane),
            );
        }
        vector
    }

    /// Lane by lane at most 16 bytes from somewhere, zeros after them.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn gather_parts<'b, I: AesIsa>(isa: I, part: impl Fn(usize) -> &'b [u8]) -> [I::Blocks; N] {
        let mut vector = <Self as AezVectors<I>>::splat(isa, &[0; 16]);
        for (n, register) in vector.iter_mut().enumerate() {
            *register = I::Blocks::gather_parts(
                isa,
                #[cfg_attr(not(abreast_unoptimized), inline(always))]
                |lane| part(n * I::Blocks::LANES + lane),
            );
        }
        vector
    }

    /// Lane by lane two blocks from somewhere.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn gather_pairs<'b, I: AesIsa>(
        isa: I,
        pair: impl Fn(usize) -> &'b [[u8; 16]; 2],
    ) -> ([I::Blocks; N], [I::Blocks; N]) {
        let zero = <Self as AezVectors<I>>::splat(isa, &[0; 16]);
        let (mut firsts, mut seconds) = (zero, zero);
        for n in 0..N {
            (firsts[n], seconds[n]) = I::Blocks::gather_pairs(
                isa,
                #[cfg_attr(not(abreast_unoptimized), inline(always))]
                |lane| pair(n * I::Blocks::LANES + lane),
            );
        }
        (firsts, seconds)
    }

    /// Lane by lane a block to somewhere.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn scatter<I: AesIsa>(vector: [I::Blocks; N], places: &mut impl Places<[u8; 16]>) {
        for (n, register) in vector.iter().enumerate() {
            register.scatter(&mut LanesAfter { places, lanes: n * I::Blocks::LANES });
        }
    }

    /// Lane by lane two blocks to somewhere.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn scatter_pairs<I: AesIsa>(
        firsts: [I::Blocks; N],
        seconds: [I::Blocks; N],
        places: &mut impl Places<[[u8; 16]; 2]>,
    ) {
        for n in 0..N {
            let places = &mut LanesAfter { places, lanes: n * I::Blocks::LANES };
            I::Blocks::scatter_pairs(firsts[n], seconds[n], places);
        }
    }

    /// A round on every register.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn round<I: AesIsa>(mut x: [I::Blocks; N], key: [I::Blocks; N]) -> [I::Blocks; N] {
        for n in 0..N {
            x[n] = x[n].encrypt_round(key[n]);
        }
        x
    }
}

/// The places of lanes after some others.
struct LanesAfter<'p, P> {
    places: &'p mut P,
    lanes: usize,
}

impl<T, P: Places<T>> Places<T> for LanesAfter<'_, P> {
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn of(&mut self, lane: usize) -> Option<&mut T> {
        self.places.of(self.lanes + lane)
    }
}

/// The register of a number, all of it there or only a part.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn part<const WHOLE: bool, I: AesIsa>(isa: I, src: &[u8], n: usize) -> I::Blocks {
    let at = n * I::Blocks::BYTES;
    if WHOLE {
        return I::Blocks::load(isa, &src[at..][..I::Blocks::BYTES]);
    }
    let src = &src[at.min(src.len())..];
    I::Blocks::load_partial(isa, &src[..src.len().min(I::Blocks::BYTES)])
}

/// The inverse.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn set_part<const WHOLE: bool, I: AesIsa>(register: I::Blocks, dst: &mut [u8], n: usize) {
    let at = n * I::Blocks::BYTES;
    if WHOLE {
        return register.store(&mut dst[at..][..I::Blocks::BYTES]);
    }
    let at = at.min(dst.len());
    let len = (dst.len() - at).min(I::Blocks::BYTES);
    register.store_partial(&mut dst[at..][..len]);
}

impl<I: AesIsa, const N: usize> AezVectors<I> for Instructions<N> {
    type Vector = [I::Blocks; N];
    const LANES: usize = N * I::Blocks::LANES;
    type Kept = ();
    type Keys<'k> = LaneSubkeys<[I::Blocks; N]>;
    type One = Instructions<1>;

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn keys(isa: I, subkeys: &AezSubkeys, (): &()) -> LaneSubkeys<[I::Blocks; N]> {
        let splat = <Self as AezVectors<I>>::splat;
        LaneSubkeys { i: splat(isa, subkeys.i()), j: splat(isa, subkeys.j()), l: splat(isa, subkeys.l()) }
    }

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn splat(isa: I, block: &[u8; 16]) -> [I::Blocks; N] {
        [I::Blocks::splat(isa, block); N]
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn first(isa: I, block: &[u8; 16]) -> [I::Blocks; N] {
        [I::Blocks::first(isa, block); N]
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn broadcast(_: I, vector: [I::Blocks; N]) -> [I::Blocks; N] {
        [vector[0].broadcast(); N]
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn load(isa: I, src: &[u8]) -> [I::Blocks; N] {
        let mut vector = Self::splat(isa, &[0; 16]);
        for n in 0..N {
            vector[n] = I::Blocks::load(isa, &src[n * I::Blocks::BYTES..][..I::Blocks::BYTES]);
        }
        vector
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn load_partial(isa: I, src: &[u8]) -> [I::Blocks; N] {
        let mut vector = Self::splat(isa, &[0; 16]);
        for (register, src) in vector.iter_mut().zipped(src.chunks(I::Blocks::BYTES)) {
            *register = I::Blocks::load_partial(isa, src);
        }
        vector
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn store(vector: [I::Blocks; N], dst: &mut [u8]) {
        for n in 0..N {
            vector[n].store(&mut dst[n * I::Blocks::BYTES..][..I::Blocks::BYTES]);
        }
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn store_partial(vector: [I::Blocks; N], dst: &mut [u8]) {
        for (register, dst) in vector.iter().zipped(dst.chunks_mut(I::Blocks::BYTES)) {
            register.store_partial(dst);
        }
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn xor(mut a: [I::Blocks; N], b: [I::Blocks; N]) -> [I::Blocks; N] {
        for n in 0..N {
            a[n] = a[n] ^ b[n];
        }
        a
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn and(mut a: [I::Blocks; N], b: [I::Blocks; N]) -> [I::Blocks; N] {
        for n in 0..N {
            a[n] = a[n] & b[n];
        }
        a
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn widen([register]: [I::Blocks; 1]) -> [I::Blocks; N] {
        [register; N]
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn fold(vector: [I::Blocks; N]) -> [I::Blocks; 1] {
        let mut sum = vector[0];
        for &register in &vector[1..] {
            sum = sum ^ register;
        }
        [sum]
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn total(_: I, vector: [I::Blocks; N]) -> [I::Blocks; N] {
        let [sum] = <Self as AezVectors<I>>::fold(vector);
        [sum.total(); N]
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn load_pairs<const WHOLE: bool>(isa: I, src: &[u8]) -> ([I::Blocks; N], [I::Blocks; N]) {
        let mut pairs = (Self::splat(isa, &[0; 16]), Self::splat(isa, &[0; 16]));
        for n in 0..N {
            let (a, b) = (part::<WHOLE, I>(isa, src, 2 * n), part::<WHOLE, I>(isa, src, 2 * n + 1));
            (pairs.0[n], pairs.1[n]) = I::Blocks::unzip(a, b);
        }
        pairs
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn store_pairs<const WHOLE: bool>(_: I, left: [I::Blocks; N], right: [I::Blocks; N], dst: &mut [u8]) {
        for n in 0..N {
            let (a, b) = I::Blocks::zip(left[n], right[n]);
            set_part::<WHOLE, I>(a, dst, 2 * n);
            set_part::<WHOLE, I>(b, dst, 2 * n + 1);
        }
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn offsets(isa: I, octets: &[[u8; 16]; 8], multiples: &[[u8; 16]; 8], at: usize) -> [I::Blocks; N] {
        let mut vector = Self::splat(isa, &octets[at / 8 % 8]);
        for (n, register) in vector.iter_mut().enumerate() {
            // Written so that the compiler knows the place where it is the same for all vectors.
            let lanes = n * I::Blocks::LANES;
            let place = if <Self as AezVectors<I>>::LANES == 8 { lanes } else { (at + lanes) % 8 };
            let multiples = &multiples.flat()[16 * place..][..I::Blocks::BYTES];
            *register = *register ^ I::Blocks::load(isa, multiples);
        }
        vector
    }

    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn aes4(_: I, keys: Self::Keys<'_>, x: [I::Blocks; N], add: [I::Blocks; N]) -> [I::Blocks; N] {
        let LaneSubkeys { i, j, l } = keys;
        let x = Self::round::<I>(Self::round::<I>(x, j), i);
        Self::round::<I>(Self::round::<I>(x, l), add)
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn aes10(_: I, keys: Self::Keys<'_>, x: [I::Blocks; N], add: [I::Blocks; N]) -> [I::Blocks; N] {
        let LaneSubkeys { i, j, l } = keys;
        let mut x = x;
        for _ in 0..3 {
            x = Self::round::<I>(Self::round::<I>(Self::round::<I>(x, i), j), l);
        }
        Self::round::<I>(x, <Self as AezVectors<I>>::xor(i, add))
    }
}
