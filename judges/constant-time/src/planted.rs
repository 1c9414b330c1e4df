//! Leaks that are planted, each to be caught by the tool that is meant for it: a check that misses one of them does
//! not work.

#![allow(unsafe_code, reason = "instructions of AVX2, AVX-512 and NEON whose addresses depend on secrets")]

use std::hint::black_box;
use std::mem::ManuallyDrop;

use abreast::serpent::Serpent;

use crate::examiner::Examiner;

/// The tools that must catch a leak.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum By {
    /// Memcheck and the steps.
    Both,
    /// The steps alone: memcheck does not know the instruction, or does not mind it.
    Steps,
}

/// The CPU features that a leak needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Needs {
    Nothing,
    Avx2,
    Avx512,
    Neon,
}

impl Needs {
    /// True if a CPU of an architecture has the features: this CPU, or one in an emulator.
    pub(crate) fn met(self, architecture: &str) -> bool {
        match self {
            Self::Nothing => true,
            Self::Avx2 => architecture == "x86_64" && has_avx2(),
            Self::Avx512 => architecture == "x86_64" && has_avx512(),
            Self::Neon => architecture == "aarch64",
        }
    }
}

/// A leak.
pub(crate) struct Leak {
    /// Its name.
    pub(crate) name: &'static str,
    /// The tools that must catch it.
    pub(crate) by: By,
    /// The CPU features that it needs.
    pub(crate) needs: Needs,
    work: fn(&[u8], &[u8; 256]),
}

/// All planted leaks.
pub(crate) const LEAKS: &[Leak] = &[
    Leak { name: "a branch", by: By::Both, needs: Needs::Nothing, work: branch },
    Leak { name: "a comparison that ends early", by: By::Both, needs: Needs::Nothing, work: comparison },
    Leak { name: "a table", by: By::Both, needs: Needs::Nothing, work: table },
    Leak {
        name: "an address by a variable shift",
        by: By::Both,
        needs: Needs::Nothing,
        work: shifted_address,
    },
    Leak { name: "a division", by: By::Steps, needs: Needs::Nothing, work: division },
    Leak { name: "a gather", by: By::Both, needs: Needs::Avx2, work: gather },
    Leak { name: "a gather of AVX-512", by: By::Steps, needs: Needs::Avx512, work: wide_gather },
    Leak { name: "a scatter", by: By::Steps, needs: Needs::Avx512, work: scatter },
    Leak { name: "a compressing store", by: By::Steps, needs: Needs::Avx512, work: compress },
    Leak { name: "a store of chosen lanes", by: By::Steps, needs: Needs::Avx512, work: masked_store },
    Leak { name: "loads of lanes", by: By::Steps, needs: Needs::Neon, work: lanes },
];

/// Harmless code, which must not be caught: it looks like a leak to a tool that is too strict.
pub(crate) const HARMLESS: Leak =
    Leak { name: "arithmetic, which is not a leak", by: By::Both, needs: Needs::Nothing, work: arithmetic };

/// A function that leaves some bytes of a secret in memory, with its name.
type Residue = (&'static str, fn(&[u8]));

/// Residues left in memory on purpose, each of which the comparison of memory must find.
pub(crate) const RESIDUES: &[Residue] =
    &[("a key that is not wiped", key_that_is_not_wiped), ("a copy on the heap", copy_on_the_heap)];

/// Leaves the residues in memory.
pub(crate) fn leave(x: &Examiner) {
    for (name, work) in RESIDUES {
        if x.begin(&format!("planted {name}")) {
            let secret = x.secret(32);
            work(&secret);
            drop(secret);
            x.end();
        }
    }
}

/// Gives the memory of a key back without dropping the key.
#[inline(never)]
fn key_that_is_not_wiped(secret: &[u8]) {
    let key = Serpent::new(secret).expect("32 bytes");
    drop(black_box(Box::new(ManuallyDrop::new(key))));
}

#[inline(never)]
fn copy_on_the_heap(secret: &[u8]) {
    drop(black_box(secret.repeat(4)));
}

/// Runs all that this CPU can do.
pub(crate) fn run(x: &Examiner) {
    let table: [u8; 256] = black_box([7; 256]);
    for leak in LEAKS.iter().chain([&HARMLESS]).filter(|leak| leak.needs.met(std::env::consts::ARCH)) {
        if x.begin(&format!("planted {}", leak.name)) {
            // A leak may show no difference between two secrets in some of their bytes, so there are several.
            let secret = x.secret(64);
            x.run(format_args!("{}", leak.name), || (leak.work)(&secret, &table));
            x.end();
        }
    }
}

#[inline(never)]
fn branch(secret: &[u8], table: &[u8; 256]) {
    for byte in secret {
        if black_box(*byte) & 1 == 1 {
            black_box(table);
        }
    }
}

#[inline(never)]
fn comparison(secret: &[u8], _: &[u8; 256]) {
    for pair in secret.chunks_exact(2) {
        // Like a comparison of two tags that stops at the first byte that differs.
        black_box(pair.iter().position(|byte| black_box(*byte) < 100));
    }
}

#[inline(never)]
fn table(secret: &[u8], table: &[u8; 256]) {
    for byte in secret {
        black_box(table[usize::from(*byte)]);
    }
}

#[inline(never)]
fn shifted_address(secret: &[u8], table: &[u8; 256]) {
    for byte in secret {
        black_box(table[1 << (byte & 7)]);
    }
}

#[inline(never)]
fn division(secret: &[u8], _: &[u8; 256]) {
    for byte in secret {
        black_box(black_box(1_000_000_007_u64) / black_box(u64::from(*byte) | 1));
    }
}

#[inline(never)]
fn arithmetic(secret: &[u8], _: &[u8; 256]) {
    for byte in secret {
        let wide = u64::from(*byte);
        black_box(wide.rotate_left((byte & 31).into()).wrapping_mul(wide) ^ (wide << (wide & 7)));
    }
}

#[cfg(target_arch = "x86_64")]
mod vectors {
    use std::arch::x86_64::*;
    use std::hint::black_box;

    pub(super) fn has_avx2() -> bool {
        std::arch::is_x86_feature_detected!("avx2")
    }

    pub(super) fn has_avx512() -> bool {
        std::arch::is_x86_feature_detected!("avx512f") && std::arch::is_x86_feature_detected!("avx512bw")
    }

    /// Sixteen indices below 64, of a secret.
    #[target_feature(enable = "avx512f,avx512bw")]
    fn indices(secret: &[u8]) -> __m512i {
        // SAFETY: 64 bytes.
        unsafe { _mm512_and_si512(_mm512_loadu_si512(secret[..64].as_ptr().cast()), _mm512_set1_epi32(63)) }
    }

    #[inline(never)]
    pub(super) fn gather(secret: &[u8], table: &[u8; 256]) {
        #[target_feature(enable = "avx2")]
        fn inside(secret: &[u8], table: &[u8; 256]) {
            // SAFETY: 32 bytes; eight words at places below 64 words of the table.
            unsafe {
                let places =
                    _mm256_and_si256(_mm256_loadu_si256(secret[..32].as_ptr().cast()), _mm256_set1_epi32(63));
                black_box(_mm256_i32gather_epi32::<4>(table.as_ptr().cast(), places));
            }
        }
        // SAFETY: the leak runs where the CPU has AVX2.
        unsafe { inside(secret, table) }
    }

    #[inline(never)]
    pub(super) fn wide_gather(secret: &[u8], table: &[u8; 256]) {
        #[target_feature(enable = "avx512f,avx512bw")]
        fn inside(secret: &[u8], table: &[u8; 256]) {
            // SAFETY: sixteen words at places below 64 words of the table.
            black_box(unsafe { _mm512_i32gather_epi32::<4>(indices(secret), table.as_ptr().cast()) });
        }
        // SAFETY: the leak runs where the CPU has AVX-512.
        unsafe { inside(secret, table) }
    }

    #[inline(never)]
    pub(super) fn scatter(secret: &[u8], table: &[u8; 256]) {
        #[target_feature(enable = "avx512f,avx512bw")]
        fn inside(secret: &[u8], table: &[u8; 256]) {
            let mut copy = *table;
            let places = indices(secret);
            // SAFETY: sixteen words at places below 64 words of the copy.
            unsafe { _mm512_i32scatter_epi32::<4>(copy.as_mut_ptr().cast(), places, _mm512_set1_epi32(1)) };
            black_box(copy);
        }
        // SAFETY: the leak runs where the CPU has AVX-512.
        unsafe { inside(secret, table) }
    }

    #[inline(never)]
    pub(super) fn compress(secret: &[u8], table: &[u8; 256]) {
        #[target_feature(enable = "avx512f,avx512bw")]
        fn inside(secret: &[u8], table: &[u8; 256]) {
            let mut copy = *table;
            let chosen = _mm512_test_epi32_mask(indices(secret), _mm512_set1_epi32(1));
            // SAFETY: at most sixteen words.
            unsafe {
                _mm512_mask_compressstoreu_epi32(copy.as_mut_ptr().cast(), chosen, _mm512_set1_epi32(1))
            };
            black_box(copy);
        }
        // SAFETY: the leak runs where the CPU has AVX-512.
        unsafe { inside(secret, table) }
    }

    #[inline(never)]
    pub(super) fn masked_store(secret: &[u8], table: &[u8; 256]) {
        #[target_feature(enable = "avx512f,avx512bw")]
        fn inside(secret: &[u8], table: &[u8; 256]) {
            let mut copy = *table;
            let chosen = _mm512_test_epi32_mask(indices(secret), _mm512_set1_epi32(1));
            // SAFETY: at most sixteen words.
            unsafe { _mm512_mask_storeu_epi32(copy.as_mut_ptr().cast(), chosen, _mm512_set1_epi32(1)) };
            black_box(copy);
        }
        // SAFETY: the leak runs where the CPU has AVX-512.
        unsafe { inside(secret, table) }
    }
}
#[cfg(target_arch = "x86_64")]
use vectors::{compress, gather, has_avx2, has_avx512, masked_store, scatter, wide_gather};

#[cfg(target_arch = "aarch64")]
mod vectors {
    use std::arch::aarch64::*;
    use std::hint::black_box;

    /// The nearest thing to a gather that NEON has.
    #[inline(never)]
    pub(super) fn lanes(secret: &[u8], table: &[u8; 256]) {
        let place = |number: usize| &raw const table[usize::from(secret[number])];
        // SAFETY: NEON is a part of AArch64, and each lane is loaded from a byte of the table.
        unsafe {
            let lanes = vld1q_lane_u8::<0>(place(0), vdupq_n_u8(0));
            black_box(vld1q_lane_u8::<9>(place(1), lanes));
        }
    }
}
#[cfg(target_arch = "aarch64")]
use vectors::lanes;

/// Elsewhere there are no such instructions.
fn nothing(_: &[u8], _: &[u8; 256]) {}
#[cfg(not(target_arch = "x86_64"))]
fn never() -> bool {
    false
}
#[cfg(not(target_arch = "aarch64"))]
use self::nothing as lanes;
#[cfg(not(target_arch = "x86_64"))]
use self::{
    never as has_avx2, never as has_avx512, nothing as compress, nothing as gather, nothing as masked_store,
    nothing as scatter, nothing as wide_gather,
};
