//! Placeholder.
pub(super) mod wide {
    use abreast_simd::Words;
    #[inline(always)]
    pub(in crate::serpent) fn s0<W: Words>([a, b, c, d]: [W; 4]) -> [W; 4] {
        [
            W::ternary::<0xca>(c, W::ternary::<0x4e>(a, b, d), W::ternary::<0x65>(a, b, d)),
            W::ternary::<0xca>(c, W::ternary::<0x53>(a, b, d), W::ternary::<0x87>(a, b, d)),
            W::ternary::<0xca>(c, W::ternary::<0x96>(a, b, d), W::ternary::<0x2e>(a, b, d)),
            W::ternary::<0xca>(c, W::ternary::<0xc9>(a, b, d), W::ternary::<0x36>(a, b, d)),
        ]
    }
    #[inline(always)]
    pub(in crate::serpent) fn inverse_s0<W: Words>([a, b, c, d]: [W; 4]) -> [W; 4] {
        [
            W::ternary::<0xca>(d, W::ternary::<0x63>(a, b, c), W::ternary::<0x1d>(a, b, c)),
            W::ternary::<0xca>(d, W::ternary::<0xd2>(a, b, c), W::ternary::<0x36>(a, b, c)),
            W::ternary::<0xca>(d, W::ternary::<0x56>(a, b, c), W::ternary::<0xa9>(a, b, c)),
            W::ternary::<0xca>(d, W::ternary::<0x3a>(a, b, c), W::ternary::<0x87>(a, b, c)),
        ]
    }
    #[inline(always)]
    pub(in crate::serpent) fn s1<W: Words>([a, b, c, d]: [W; 4]) -> [W; 4] {
        [
            W::ternary::<0xca>(c, W::ternary::<0x2d>(a, b, d), W::ternary::<0x63>(a, b, d)),
            W::ternary::<0xca>(c, W::ternary::<0x4a>(a, b, d), W::ternary::<0x6d>(a, b, d)),
            W::ternary::<0xca>(c, W::ternary::<0xa6>(a, b, d), W::ternary::<0x59>(a, b, d)),
            W::ternary::<0xca>(c, W::ternary::<0x61>(a, b, d), W::ternary::<0xb9>(a, b, d)),
        ]
    }
    #[inline(always)]
    pub(in crate::serpent) fn inverse_s1<W: Words>([a, b, c, d]: [W; 4]) -> [W; 4] {
        [
            W::ternary::<0xca>(d, W::ternary::<0x67>(a, b, c), W::ternary::<0x83>(a, b, c)),
            W::ternary::<0xca>(d, W::ternary::<0xd>(a, b, c), W::ternary::<0xe6>(a, b, c)),
            W::ternary::<0xca>(d, W::ternary::<0x34>(a, b, c), W::ternary::<0x6b>(a, b, c)),
            W::ternary::<0xca>(d, W::ternary::<0x69>(a, b, c), W::ternary::<0x5a>(a, b, c)),
        ]
    }
    #[inline(always)]
    pub(in crate::serpent) fn s2<W: Words>([a, b, c, d]: [W; 4]) -> [W; 4] {
        [
            W::ternary::<0xca>(c, W::ternary::<0x69>(a, b, d), W::ternary::<0x66>(a, b, d)),
            W::ternary::<0xca>(c, W::ternary::<0xe5>(a, b, d), W::ternary::<0x1c>(a, b, d)),
            W::ternary::<0xca>(c, W::ternary::<0x58>(a, b, d), W::ternary::<0x9e>(a, b, d)),
            W::ternary::<0xca>(c, W::ternary::<0x74>(a, b, d), W::ternary::<0x4b>(a, b, d)),
        ]
    }
    #[inline(always)]
    pub(in crate::serpent) fn inverse_s2<W: Words>([a, b, c, d]: [W; 4]) -> [W; 4] {
        [
            W::ternary::<0xca>(d, W::ternary::<0xd2>(a, b, c), W::ternary::<0x1e>(a, b, c)),
            W::ternary::<0xca>(d, W::ternary::<0x9c>(a, b, c), W::ternary::<0xa6>(a, b, c)),
            W::ternary::<0xca>(d, W::ternary::<0xc6>(a, b, c), W::ternary::<0x65>(a, b, c)),
            W::ternary::<0xca>(d, W::ternary::<0x68>(a, b, c), W::ternary::<0x37>(a, b, c)),
        ]
    }
    #[inline(always)]
    pub(in crate::serpent) fn s3<W: Words>([a, b, c, d]: [W; 4]) -> [W; 4] {
        [
            W::ternary::<0xca>(c, W::ternary::<0x78>(a, b, d), W::ternary::<0x36>(a, b, d)),
            W::ternary::<0xca>(c, W::ternary::<0xe6>(a, b, d), W::ternary::<0x1c>(a, b, d)),
            W::ternary::<0xca>(c, W::ternary::<0xad>(a, b, d), W::ternary::<0x92>(a, b, d)),
            W::ternary::<0xca>(c, W::ternary::<0x93>(a, b, d), W::ternary::<0x56>(a, b, d)),
        ]
    }
    #[inline(always)]
    pub(in crate::serpent) fn inverse_s3<W: Words>([a, b, c, d]: [W; 4]) -> [W; 4] {
        [
            W::ternary::<0xca>(d, W::ternary::<0x99>(a, b, c), W::ternary::<0xd2>(a, b, c)),
            W::ternary::<0xca>(d, W::ternary::<0x49>(a, b, c), W::ternary::<0x6e>(a, b, c)),
            W::ternary::<0xca>(d, W::ternary::<0x1e>(a, b, c), W::ternary::<0xe8>(a, b, c)),
            W::ternary::<0xca>(d, W::ternary::<0x2c>(a, b, c), W::ternary::<0xb6>(a, b, c)),
        ]
    }
    #[inline(always)]
    pub(in crate::serpent) fn s4<W: Words>([a, b, c, d]: [W; 4]) -> [W; 4] {
        [
            W::ternary::<0xca>(c, W::ternary::<0x8e>(a, b, d), W::ternary::<0x71>(a, b, d)),
            W::ternary::<0xca>(c, W::ternary::<0x6c>(a, b, d), W::ternary::<0xd2>(a, b, d)),
            W::ternary::<0xca>(c, W::ternary::<0xe9>(a, b, d), W::ternary::<0x38>(a, b, d)),
            W::ternary::<0xca>(c, W::ternary::<0xa7>(a, b, d), W::ternary::<0x94>(a, b, d)),
        ]
    }
    #[inline(always)]
    pub(in crate::serpent) fn inverse_s4<W: Words>([a, b, c, d]: [W; 4]) -> [W; 4] {
        [
            W::ternary::<0xca>(d, W::ternary::<0xac>(a, b, c), W::ternary::<0x69>(a, b, c)),
            W::ternary::<0xca>(d, W::ternary::<0x65>(a, b, c), W::ternary::<0xca>(a, b, c)),
            W::ternary::<0xca>(d, W::ternary::<0x7a>(a, b, c), W::ternary::<0x89>(a, b, c)),
            W::ternary::<0xca>(d, W::ternary::<0x3c>(a, b, c), W::ternary::<0xa6>(a, b, c)),
        ]
    }
    #[inline(always)]
    pub(in crate::serpent) fn s5<W: Words>([a, b, c, d]: [W; 4]) -> [W; 4] {
        [
            W::ternary::<0xca>(c, W::ternary::<0x8e>(a, b, d), W::ternary::<0x71>(a, b, d)),
            W::ternary::<0xca>(c, W::ternary::<0x38>(a, b, d), W::ternary::<0x6d>(a, b, d)),
            W::ternary::<0xca>(c, W::ternary::<0x6b>(a, b, d), W::ternary::<0x19>(a, b, d)),
            W::ternary::<0xca>(c, W::ternary::<0x56>(a, b, d), W::ternary::<0xc9>(a, b, d)),
        ]
    }
    #[inline(always)]
    pub(in crate::serpent) fn inverse_s5<W: Words>([a, b, c, d]: [W; 4]) -> [W; 4] {
        [
            W::ternary::<0xca>(d, W::ternary::<0x47>(a, b, c), W::ternary::<0x78>(a, b, c)),
            W::ternary::<0xca>(d, W::ternary::<0x5b>(a, b, c), W::ternary::<0x94>(a, b, c)),
            W::ternary::<0xca>(d, W::ternary::<0x36>(a, b, c), W::ternary::<0x9a>(a, b, c)),
            W::ternary::<0xca>(d, W::ternary::<0x29>(a, b, c), W::ternary::<0xd9>(a, b, c)),
        ]
    }
    #[inline(always)]
    pub(in crate::serpent) fn s6<W: Words>([a, b, c, d]: [W; 4]) -> [W; 4] {
        [
            W::ternary::<0xca>(c, W::ternary::<0x62>(a, b, d), W::ternary::<0xe9>(a, b, d)),
            W::ternary::<0xca>(c, W::ternary::<0x6c>(a, b, d), W::ternary::<0x93>(a, b, d)),
            W::ternary::<0xca>(c, W::ternary::<0x16>(a, b, d), W::ternary::<0xc7>(a, b, d)),
            W::ternary::<0xca>(c, W::ternary::<0x4b>(a, b, d), W::ternary::<0xa6>(a, b, d)),
        ]
    }
    #[inline(always)]
    pub(in crate::serpent) fn inverse_s6<W: Words>([a, b, c, d]: [W; 4]) -> [W; 4] {
        [
            W::ternary::<0xca>(d, W::ternary::<0xd0>(a, b, c), W::ternary::<0x67>(a, b, c)),
            W::ternary::<0xca>(d, W::ternary::<0xc6>(a, b, c), W::ternary::<0x39>(a, b, c)),
            W::ternary::<0xca>(d, W::ternary::<0x65>(a, b, c), W::ternary::<0x4b>(a, b, c)),
            W::ternary::<0xca>(d, W::ternary::<0xbc>(a, b, c), W::ternary::<0x51>(a, b, c)),
        ]
    }
    #[inline(always)]
    pub(in crate::serpent) fn s7<W: Words>([a, b, c, d]: [W; 4]) -> [W; 4] {
        [
            W::ternary::<0xca>(c, W::ternary::<0x6a>(a, b, d), W::ternary::<0x17>(a, b, d)),
            W::ternary::<0xca>(c, W::ternary::<0xe5>(a, b, d), W::ternary::<0x86>(a, b, d)),
            W::ternary::<0xca>(c, W::ternary::<0x89>(a, b, d), W::ternary::<0x3e>(a, b, d)),
            W::ternary::<0xca>(c, W::ternary::<0x53>(a, b, d), W::ternary::<0x9c>(a, b, d)),
        ]
    }
    #[inline(always)]
    pub(in crate::serpent) fn inverse_s7<W: Words>([a, b, c, d]: [W; 4]) -> [W; 4] {
        [
            W::ternary::<0xca>(d, W::ternary::<0x65>(a, b, c), W::ternary::<0x4b>(a, b, c)),
            W::ternary::<0xca>(d, W::ternary::<0xc6>(a, b, c), W::ternary::<0x2d>(a, b, c)),
            W::ternary::<0xca>(d, W::ternary::<0x59>(a, b, c), W::ternary::<0x6c>(a, b, c)),
            W::ternary::<0xca>(d, W::ternary::<0x16>(a, b, c), W::ternary::<0xea>(a, b, c)),
        ]
    }
}
pub(super) mod shallow {
    use abreast_simd::Words;
    #[inline(always)]
    pub(in crate::serpent) fn s0<W: Words>([a, b, c, d]: [W; 4]) -> [W; 4] {
        [
            W::ternary::<0xca>(c, W::ternary::<0x4e>(a, b, d), W::ternary::<0x65>(a, b, d)),
            W::ternary::<0xca>(c, W::ternary::<0x53>(a, b, d), W::ternary::<0x87>(a, b, d)),
            W::ternary::<0xca>(c, W::ternary::<0x96>(a, b, d), W::ternary::<0x2e>(a, b, d)),
            W::ternary::<0xca>(c, W::ternary::<0xc9>(a, b, d), W::ternary::<0x36>(a, b, d)),
        ]
    }
    #[inline(always)]
    pub(in crate::serpent) fn inverse_s0<W: Words>([a, b, c, d]: [W; 4]) -> [W; 4] {
        [
            W::ternary::<0xca>(d, W::ternary::<0x63>(a, b, c), W::ternary::<0x1d>(a, b, c)),
            W::ternary::<0xca>(d, W::ternary::<0xd2>(a, b, c), W::ternary::<0x36>(a, b, c)),
            W::ternary::<0xca>(d, W::ternary::<0x56>(a, b, c), W::ternary::<0xa9>(a, b, c)),
            W::ternary::<0xca>(d, W::ternary::<0x3a>(a, b, c), W::ternary::<0x87>(a, b, c)),
        ]
    }
    #[inline(always)]
    pub(in crate::serpent) fn s1<W: Words>([a, b, c, d]: [W; 4]) -> [W; 4] {
        [
            W::ternary::<0xca>(c, W::ternary::<0x2d>(a, b, d), W::ternary::<0x63>(a, b, d)),
            W::ternary::<0xca>(c, W::ternary::<0x4a>(a, b, d), W::ternary::<0x6d>(a, b, d)),
            W::ternary::<0xca>(c, W::ternary::<0xa6>(a, b, d), W::ternary::<0x59>(a, b, d)),
            W::ternary::<0xca>(c, W::ternary::<0x61>(a, b, d), W::ternary::<0xb9>(a, b, d)),
        ]
    }
    #[inline(always)]
    pub(in crate::serpent) fn inverse_s1<W: Words>([a, b, c, d]: [W; 4]) -> [W; 4] {
        [
            W::ternary::<0xca>(d, W::ternary::<0x67>(a, b, c), W::ternary::<0x83>(a, b, c)),
            W::ternary::<0xca>(d, W::ternary::<0xd>(a, b, c), W::ternary::<0xe6>(a, b, c)),
            W::ternary::<0xca>(d, W::ternary::<0x34>(a, b, c), W::ternary::<0x6b>(a, b, c)),
            W::ternary::<0xca>(d, W::ternary::<0x69>(a, b, c), W::ternary::<0x5a>(a, b, c)),
        ]
    }
    #[inline(always)]
    pub(in crate::serpent) fn s2<W: Words>([a, b, c, d]: [W; 4]) -> [W; 4] {
        [
            W::ternary::<0xca>(c, W::ternary::<0x69>(a, b, d), W::ternary::<0x66>(a, b, d)),
            W::ternary::<0xca>(c, W::ternary::<0xe5>(a, b, d), W::ternary::<0x1c>(a, b, d)),
            W::ternary::<0xca>(c, W::ternary::<0x58>(a, b, d), W::ternary::<0x9e>(a, b, d)),
            W::ternary::<0xca>(c, W::ternary::<0x74>(a, b, d), W::ternary::<0x4b>(a, b, d)),
        ]
    }
    #[inline(always)]
    pub(in crate::serpent) fn inverse_s2<W: Words>([a, b, c, d]: [W; 4]) -> [W; 4] {
        [
            W::ternary::<0xca>(d, W::ternary::<0xd2>(a, b, c), W::ternary::<0x1e>(a, b, c)),
            W::ternary::<0xca>(d, W::ternary::<0x9c>(a, b, c), W::ternary::<0xa6>(a, b, c)),
            W::ternary::<0xca>(d, W::ternary::<0xc6>(a, b, c), W::ternary::<0x65>(a, b, c)),
            W::ternary::<0xca>(d, W::ternary::<0x68>(a, b, c), W::ternary::<0x37>(a, b, c)),
        ]
    }
    #[inline(always)]
    pub(in crate::serpent) fn s3<W: Words>([a, b, c, d]: [W; 4]) -> [W; 4] {
        [
            W::ternary::<0xca>(c, W::ternary::<0x78>(a, b, d), W::ternary::<0x36>(a, b, d)),
            W::ternary::<0xca>(c, W::ternary::<0xe6>(a, b, d), W::ternary::<0x1c>(a, b, d)),
            W::ternary::<0xca>(c, W::ternary::<0xad>(a, b, d), W::ternary::<0x92>(a, b, d)),
            W::ternary::<0xca>(c, W::ternary::<0x93>(a, b, d), W::ternary::<0x56>(a, b, d)),
        ]
    }
    #[inline(always)]
    pub(in crate::serpent) fn inverse_s3<W: Words>([a, b, c, d]: [W; 4]) -> [W; 4] {
        [
            W::ternary::<0xca>(d, W::ternary::<0x99>(a, b, c), W::ternary::<0xd2>(a, b, c)),
            W::ternary::<0xca>(d, W::ternary::<0x49>(a, b, c), W::ternary::<0x6e>(a, b, c)),
            W::ternary::<0xca>(d, W::ternary::<0x1e>(a, b, c), W::ternary::<0xe8>(a, b, c)),
            W::ternary::<0xca>(d, W::ternary::<0x2c>(a, b, c), W::ternary::<0xb6>(a, b, c)),
        ]
    }
    #[inline(always)]
    pub(in crate::serpent) fn s4<W: Words>([a, b, c, d]: [W; 4]) -> [W; 4] {
        [
            W::ternary::<0xca>(c, W::ternary::<0x8e>(a, b, d), W::ternary::<0x71>(a, b, d)),
            W::ternary::<0xca>(c, W::ternary::<0x6c>(a, b, d), W::ternary::<0xd2>(a, b, d)),
            W::ternary::<0xca>(c, W::ternary::<0xe9>(a, b, d), W::ternary::<0x38>(a, b, d)),
            W::ternary::<0xca>(c, W::ternary::<0xa7>(a, b, d), W::ternary::<0x94>(a, b, d)),
        ]
    }
    #[inline(always)]
    pub(in crate::serpent) fn inverse_s4<W: Words>([a, b, c, d]: [W; 4]) -> [W; 4] {
        [
            W::ternary::<0xca>(d, W::ternary::<0xac>(a, b, c), W::ternary::<0x69>(a, b, c)),
            W::ternary::<0xca>(d, W::ternary::<0x65>(a, b, c), W::ternary::<0xca>(a, b, c)),
            W::ternary::<0xca>(d, W::ternary::<0x7a>(a, b, c), W::ternary::<0x89>(a, b, c)),
            W::ternary::<0xca>(d, W::ternary::<0x3c>(a, b, c), W::ternary::<0xa6>(a, b, c)),
        ]
    }
    #[inline(always)]
    pub(in crate::serpent) fn s5<W: Words>([a, b, c, d]: [W; 4]) -> [W; 4] {
        [
            W::ternary::<0xca>(c, W::ternary::<0x8e>(a, b, d), W::ternary::<0x71>(a, b, d)),
            W::ternary::<0xca>(c, W::ternary::<0x38>(a, b, d), W::ternary::<0x6d>(a, b, d)),
            W::ternary::<0xca>(c, W::ternary::<0x6b>(a, b, d), W::ternary::<0x19>(a, b, d)),
            W::ternary::<0xca>(c, W::ternary::<0x56>(a, b, d), W::ternary::<0xc9>(a, b, d)),
        ]
    }
    #[inline(always)]
    pub(in crate::serpent) fn inverse_s5<W: Words>([a, b, c, d]: [W; 4]) -> [W; 4] {
        [
            W::ternary::<0xca>(d, W::ternary::<0x47>(a, b, c), W::ternary::<0x78>(a, b, c)),
            W::ternary::<0xca>(d, W::ternary::<0x5b>(a, b, c), W::ternary::<0x94>(a, b, c)),
            W::ternary::<0xca>(d, W::ternary::<0x36>(a, b, c), W::ternary::<0x9a>(a, b, c)),
            W::ternary::<0xca>(d, W::ternary::<0x29>(a, b, c), W::ternary::<0xd9>(a, b, c)),
        ]
    }
    #[inline(always)]
    pub(in crate::serpent) fn s6<W: Words>([a, b, c, d]: [W; 4]) -> [W; 4] {
        [
            W::ternary::<0xca>(c, W::ternary::<0x62>(a, b, d), W::ternary::<0xe9>(a, b, d)),
            W::ternary::<0xca>(c, W::ternary::<0x6c>(a, b, d), W::ternary::<0x93>(a, b, d)),
            W::ternary::<0xca>(c, W::ternary::<0x16>(a, b, d), W::ternary::<0xc7>(a, b, d)),
            W::ternary::<0xca>(c, W::ternary::<0x4b>(a, b, d), W::ternary::<0xa6>(a, b, d)),
        ]
    }
    #[inline(always)]
    pub(in crate::serpent) fn inverse_s6<W: Words>([a, b, c, d]: [W; 4]) -> [W; 4] {
        [
            W::ternary::<0xca>(d, W::ternary::<0xd0>(a, b, c), W::ternary::<0x67>(a, b, c)),
            W::ternary::<0xca>(d, W::ternary::<0xc6>(a, b, c), W::ternary::<0x39>(a, b, c)),
            W::ternary::<0xca>(d, W::ternary::<0x65>(a, b, c), W::ternary::<0x4b>(a, b, c)),
            W::ternary::<0xca>(d, W::ternary::<0xbc>(a, b, c), W::ternary::<0x51>(a, b, c)),
        ]
    }
    #[inline(always)]
    pub(in crate::serpent) fn s7<W: Words>([a, b, c, d]: [W; 4]) -> [W; 4] {
        [
            W::ternary::<0xca>(c, W::ternary::<0x6a>(a, b, d), W::ternary::<0x17>(a, b, d)),
            W::ternary::<0xca>(c, W::ternary::<0xe5>(a, b, d), W::ternary::<0x86>(a, b, d)),
            W::ternary::<0xca>(c, W::ternary::<0x89>(a, b, d), W::ternary::<0x3e>(a, b, d)),
            W::ternary::<0xca>(c, W::ternary::<0x53>(a, b, d), W::ternary::<0x9c>(a, b, d)),
        ]
    }
    #[inline(always)]
    pub(in crate::serpent) fn inverse_s7<W: Words>([a, b, c, d]: [W; 4]) -> [W; 4] {
        [
            W::ternary::<0xca>(d, W::ternary::<0x65>(a, b, c), W::ternary::<0x4b>(a, b, c)),
            W::ternary::<0xca>(d, W::ternary::<0xc6>(a, b, c), W::ternary::<0x2d>(a, b, c)),
            W::ternary::<0xca>(d, W::ternary::<0x59>(a, b, c), W::ternary::<0x6c>(a, b, c)),
            W::ternary::<0xca>(d, W::ternary::<0x16>(a, b, c), W::ternary::<0xea>(a, b, c)),
        ]
    }
}
pub(super) mod narrow {
    use abreast_simd::Words;
    #[inline(always)]
    pub(in crate::serpent) fn s0<W: Words>([a, b, c, d]: [W; 4]) -> [W; 4] {
        let ones = !(a ^ a);
        [
            ones ^ (a) ^ (a & b) ^ (c) ^ (a & c) ^ (b & c) ^ (a & b & c) ^ (d) ^ (a & c & d) ^ (b & c & d),
            ones ^ (a) ^ (a & c) ^ (b & c) ^ (a & b & c) ^ (b & d) ^ (a & c & d) ^ (b & c & d),
            (b) ^ (a & b) ^ (a & c) ^ (a & b & c) ^ (d) ^ (b & d) ^ (b & c & d),
            (a) ^ (b) ^ (c) ^ (d) ^ (a & d),
        ]
    }
    #[inline(always)]
    pub(in crate::serpent) fn inverse_s0<W: Words>([a, b, c, d]: [W; 4]) -> [W; 4] {
        let ones = !(a ^ a);
        [
            ones ^ (a & b)
                ^ (c)
                ^ (b & c)
                ^ (a & d)
                ^ (b & d)
                ^ (a & b & d)
                ^ (c & d)
                ^ (a & c & d)
                ^ (b & c & d),
            (a) ^ (b) ^ (c) ^ (a & c) ^ (b & d) ^ (a & c & d) ^ (b & c & d),
            ones ^ (a) ^ (b) ^ (a & b) ^ (c) ^ (d),
            ones ^ (a) ^ (b & c) ^ (d) ^ (a & b & d) ^ (c & d) ^ (a & c & d) ^ (b & c & d),
        ]
    }
    #[inline(always)]
    pub(in crate::serpent) fn s1<W: Words>([a, b, c, d]: [W; 4]) -> [W; 4] {
        let ones = !(a ^ a);
        [
            ones ^ (a) ^ (b) ^ (b & c) ^ (a & d) ^ (c & d) ^ (a & c & d) ^ (b & c & d),
            ones ^ (a) ^ (a & b) ^ (c) ^ (a & c) ^ (d) ^ (b & d) ^ (a & b & d) ^ (a & c & d) ^ (b & c & d),
            ones ^ (b) ^ (a & b) ^ (c) ^ (d),
            ones ^ (b) ^ (a & c) ^ (d) ^ (a & d) ^ (a & b & d) ^ (a & c & d) ^ (b & c & d),
        ]
    }
    #[inline(always)]
    pub(in crate::serpent) fn inverse_s1<W: Words>([a, b, c, d]: [W; 4]) -> [W; 4] {
        let ones = !(a ^ a);
        [
            ones ^ (a) ^ (b) ^ (a & b) ^ (a & b & c) ^ (b & d) ^ (a & c & d) ^ (b & c & d),
            (b) ^ (c) ^ (a & b & c) ^ (d) ^ (a & d) ^ (b & d) ^ (a & c & d) ^ (b & c & d),
            ones ^ (a) ^ (b) ^ (a & c) ^ (b & c) ^ (a & b & c) ^ (d) ^ (a & c & d),
            (a) ^ (c) ^ (d) ^ (b & d),
        ]
    }
    #[inline(always)]
    pub(in crate::serpent) fn s2<W: Words>([a, b, c, d]: [W; 4]) -> [W; 4] {
        let ones = !(a ^ a);
        [
            (b) ^ (c) ^ (a & c) ^ (d),
            (a) ^ (b) ^ (c) ^ (b & c) ^ (a & b & c) ^ (a & d) ^ (a & b & d) ^ (c & d) ^ (a & c & d),
            (a) ^ (b) ^ (b & c) ^ (d) ^ (b & d) ^ (a & b & d) ^ (c & d) ^ (a & c & d),
            ones ^ (a) ^ (b) ^ (c) ^ (a & b & c) ^ (b & d),
        ]
    }
    #[inline(always)]
    pub(in crate::serpent) fn inverse_s2<W: Words>([a, b, c, d]: [W; 4]) -> [W; 4] {
        let ones = !(a ^ a);
        [
            (a) ^ (b) ^ (c) ^ (b & c) ^ (b & d),
            (b) ^ (a & b) ^ (c) ^ (a & d) ^ (a & b & d) ^ (c & d) ^ (a & c & d),
            ones ^ (a) ^ (a & b) ^ (c) ^ (d) ^ (a & d) ^ (b & d) ^ (a & b & d) ^ (a & c & d),
            ones ^ (a & b) ^ (b & c) ^ (a & b & c) ^ (d) ^ (a & c & d),
        ]
    }
    #[inline(always)]
    pub(in crate::serpent) fn s3<W: Words>([a, b, c, d]: [W; 4]) -> [W; 4] {
        [
            (a) ^ (b) ^ (b & c) ^ (d) ^ (a & d) ^ (c & d) ^ (a & c & d) ^ (b & c & d),
            (a) ^ (b) ^ (a & c) ^ (a & d) ^ (a & b & d) ^ (c & d) ^ (a & c & d),
            (a) ^ (a & b) ^ (c) ^ (a & b & c) ^ (d) ^ (b & d) ^ (a & b & d),
            (a) ^ (b) ^ (a & b) ^ (c) ^ (a & c) ^ (a & b & c) ^ (d) ^ (c & d) ^ (a & c & d),
        ]
    }
    #[inline(always)]
    pub(in crate::serpent) fn inverse_s3<W: Words>([a, b, c, d]: [W; 4]) -> [W; 4] {
        [
            (a) ^ (c) ^ (b & c) ^ (d) ^ (a & d) ^ (b & d) ^ (b & c & d),
            (b) ^ (c) ^ (b & c) ^ (a & b & c) ^ (d) ^ (a & d) ^ (a & c & d) ^ (b & c & d),
            (a & b) ^ (a & c) ^ (b & c) ^ (a & d) ^ (b & d) ^ (a & b & d) ^ (c & d) ^ (a & c & d),
            (a) ^ (b) ^ (c) ^ (a & c) ^ (a & b & c) ^ (a & d) ^ (a & b & d) ^ (c & d),
        ]
    }
    #[inline(always)]
    pub(in crate::serpent) fn s4<W: Words>([a, b, c, d]: [W; 4]) -> [W; 4] {
        let ones = !(a ^ a);
        [
            ones ^ (b) ^ (a & b) ^ (c) ^ (d) ^ (a & d) ^ (b & d),
            (a) ^ (a & c) ^ (b & c) ^ (d) ^ (b & d) ^ (c & d) ^ (a & c & d) ^ (b & c & d),
            (a) ^ (a & b) ^ (c) ^ (b & c) ^ (a & b & c) ^ (b & d) ^ (a & b & d) ^ (c & d) ^ (b & c & d),
            (a) ^ (b) ^ (c) ^ (b & c) ^ (a & d) ^ (b & d) ^ (a & b & d),
        ]
    }
    #[inline(always)]
    pub(in crate::serpent) fn inverse_s4<W: Words>([a, b, c, d]: [W; 4]) -> [W; 4] {
        let ones = !(a ^ a);
        [
            ones ^ (a) ^ (b) ^ (c) ^ (d) ^ (a & d) ^ (a & b & d) ^ (c & d) ^ (a & c & d),
            (a & b) ^ (c) ^ (a & c) ^ (d) ^ (a & d) ^ (a & c & d),
            ones ^ (a) ^ (b) ^ (a & b) ^ (c) ^ (a & c) ^ (a & b & c) ^ (d) ^ (b & d) ^ (a & b & d),
            (b) ^ (a & b) ^ (c) ^ (a & d) ^ (a & b & d) ^ (c & d),
        ]
    }
    #[inline(always)]
    pub(in crate::serpent) fn s5<W: Words>([a, b, c, d]: [W; 4]) -> [W; 4] {
        let ones = !(a ^ a);
        [
            ones ^ (b) ^ (a & b) ^ (c) ^ (d) ^ (a & d) ^ (b & d),
            ones ^ (a) ^ (a & b) ^ (c) ^ (d) ^ (b & d) ^ (a & b & d) ^ (c & d),
            ones ^ (b) ^ (a & c) ^ (d) ^ (a & b & d) ^ (c & d) ^ (a & c & d) ^ (b & c & d),
            ones ^ (a) ^ (b) ^ (c) ^ (a & b & c) ^ (d) ^ (a & d) ^ (a & c & d),
        ]
    }
    #[inline(always)]
    pub(in crate::serpent) fn inverse_s5<W: Words>([a, b, c, d]: [W; 4]) -> [W; 4] {
        let ones = !(a ^ a);
        [
            (a) ^ (b & c) ^ (d) ^ (a & b & d),
            (a) ^ (b) ^ (a & c) ^ (b & c) ^ (a & b & c) ^ (d) ^ (a & d) ^ (a & b & d),
            (a) ^ (a & b) ^ (c) ^ (b & d) ^ (a & b & d) ^ (a & c & d),
            ones ^ (b) ^ (a & b) ^ (c) ^ (a & b & c) ^ (a & d),
        ]
    }
    #[inline(always)]
    pub(in crate::serpent) fn s6<W: Words>([a, b, c, d]: [W; 4]) -> [W; 4] {
        let ones = !(a ^ a);
        [
            ones ^ (a) ^ (b) ^ (c) ^ (a & c) ^ (b & c) ^ (a & b & c) ^ (d) ^ (a & b & d) ^ (b & c & d),
            ones ^ (b) ^ (c) ^ (a & d),
            ones ^ (a)
                ^ (a & b)
                ^ (c)
                ^ (b & c)
                ^ (a & b & c)
                ^ (b & d)
                ^ (a & b & d)
                ^ (c & d)
                ^ (b & c & d),
            (b) ^ (a & b) ^ (c) ^ (a & c) ^ (a & b & c) ^ (d) ^ (c & d) ^ (b & c & d),
        ]
    }
    #[inline(always)]
    pub(in crate::serpent) fn inverse_s6<W: Words>([a, b, c, d]: [W; 4]) -> [W; 4] {
        let ones = !(a ^ a);
        [
            ones ^ (a) ^ (a & b) ^ (a & c) ^ (b & c) ^ (a & b & c) ^ (d) ^ (a & b & d) ^ (b & c & d),
            ones ^ (b) ^ (c) ^ (a & c) ^ (d),
            ones ^ (a) ^ (b) ^ (b & c) ^ (b & d) ^ (a & b & d) ^ (c & d) ^ (b & c & d),
            ones ^ (b)
                ^ (a & b)
                ^ (c)
                ^ (b & c)
                ^ (a & b & c)
                ^ (d)
                ^ (a & d)
                ^ (a & b & d)
                ^ (c & d)
                ^ (b & c & d),
        ]
    }
    #[inline(always)]
    pub(in crate::serpent) fn s7<W: Words>([a, b, c, d]: [W; 4]) -> [W; 4] {
        let ones = !(a ^ a);
        [
            ones ^ (a & b) ^ (c) ^ (a & d) ^ (b & d) ^ (c & d) ^ (a & c & d) ^ (b & c & d),
            (b) ^ (a & b) ^ (c) ^ (a & c) ^ (b & c) ^ (d) ^ (a & d) ^ (a & b & d) ^ (a & c & d),
            (a) ^ (b) ^ (c) ^ (a & b & c) ^ (d) ^ (a & d) ^ (b & d) ^ (a & b & d) ^ (b & c & d),
            (a) ^ (b) ^ (c) ^ (a & c) ^ (a & b & c) ^ (a & d),
        ]
    }
    #[inline(always)]
    pub(in crate::serpent) fn inverse_s7<W: Words>([a, b, c, d]: [W; 4]) -> [W; 4] {
        let ones = !(a ^ a);
        [
            ones ^ (a) ^ (b) ^ (b & c) ^ (b & d) ^ (a & b & d) ^ (c & d) ^ (b & c & d),
            ones ^ (a) ^ (c) ^ (b & c) ^ (d) ^ (a & d) ^ (b & d) ^ (a & c & d) ^ (b & c & d),
            (b) ^ (a & c) ^ (d) ^ (a & b & d) ^ (c & d) ^ (a & c & d),
            (a & b) ^ (c) ^ (a & b & c) ^ (a & d) ^ (b & d) ^ (a & b & d),
        ]
    }
}
