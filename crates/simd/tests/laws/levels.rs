//! The lists of levels, and that the other laws were tried at more than one.

use abreast_simd::{AesLevel, Isa, Level, ShaLevel, dispatch, dispatch_aes, dispatch_sha};

/// Every level is listed if and only if the CPU has what it needs, by the names that the manuals use.
#[test]
#[cfg(all(target_feature = "sse2", feature = "std"))]
fn what_the_cpu_has_is_listed() {
    let words: Vec<_> = Level::detect_all().map(Level::name).collect();
    let aes: Vec<_> = AesLevel::detect_all().map(AesLevel::name).collect();
    let has = |name| words.contains(&name);
    let avx512 = is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl");
    let aesni = is_x86_feature_detected!("aes") && is_x86_feature_detected!("pclmulqdq");
    let vaes = is_x86_feature_detected!("vaes") && is_x86_feature_detected!("vpclmulqdq");
    assert!(has("sse2") && !has("portable"), "of {words:?}");
    assert_eq!(has("avx2"), is_x86_feature_detected!("avx2"), "of {words:?}");
    assert_eq!(has("avx512"), avx512, "of {words:?}");
    assert_eq!(aes.contains(&"aesni"), aesni, "of {aes:?}");
    assert_eq!(aes.contains(&"vaes"), aesni && vaes, "of {aes:?}");
    assert_eq!(aes.contains(&"avx512"), aesni && vaes && avx512, "of {aes:?}");
    let sha: Vec<_> = ShaLevel::detect_all().map(ShaLevel::name).collect();
    let sha_ni = is_x86_feature_detected!("sha") && is_x86_feature_detected!("sse4.1");
    assert_eq!(sha, &["sha-ni"][..usize::from(sha_ni)]);
}

/// On AArch64, NEON is always listed, and NEON with AES if and only if the CPU has it.
#[test]
#[cfg(all(target_arch = "aarch64", target_endian = "little", feature = "std"))]
fn what_the_cpu_has_is_listed() {
    let words: Vec<_> = Level::detect_all().map(Level::name).collect();
    let aes: Vec<_> = AesLevel::detect_all().map(AesLevel::name).collect();
    assert_eq!(words, ["neon"]);
    assert_eq!(aes.contains(&"neon-aes"), std::arch::is_aarch64_feature_detected!("aes"), "of {aes:?}");
    let sha: Vec<_> = ShaLevel::detect_all().map(ShaLevel::name).collect();
    assert_eq!(sha, &["neon-sha"][..usize::from(std::arch::is_aarch64_feature_detected!("sha2"))]);
}

/// WebAssembly has nothing to detect: what the target was compiled for is there.
#[test]
#[cfg(target_arch = "wasm32")]
fn what_the_target_has_is_listed() {
    let words: Vec<_> = Level::detect_all().map(Level::name).collect();
    let simd = cfg!(target_feature = "simd128");
    assert_eq!(words, [if simd { "simd128" } else { "portable" }]);
    assert_eq!(AesLevel::detect_all().count(), 0);
    assert_eq!(ShaLevel::detect_all().count(), 0);
}

/// A body is given the token of the level that it was dispatched to.
#[test]
#[allow(unreachable_code, reason = "a target may have no level with AES rounds")]
fn tokens_are_those_of_the_level() {
    for level in Level::detect_all() {
        let token = dispatch!(level, isa => format!("({isa:?})"));
        assert!(format!("{level:?}").ends_with(&token), "{level:?} gave {token}");
    }
    for level in AesLevel::detect_all() {
        let token: String = dispatch_aes!(level, isa => format!("({isa:?})"));
        assert!(format!("{level:?}").ends_with(&token), "{level:?} gave {token}");
    }
    for level in ShaLevel::detect_all() {
        let token: String = dispatch_sha!(level, isa => format!("({isa:?})"));
        assert!(format!("{level:?}").ends_with(&token), "{level:?} gave {token}");
    }
}

/// Bodies return their results, by way of a call too, and may borrow.
#[test]
fn bodies_may_borrow_and_return() {
    let mut log = Vec::new();
    for level in Level::detect_all() {
        let n = dispatch!(level, isa => isa.run(|| { log.push(level.name()); log.len() }));
        assert_eq!(n, log.len());
    }
    assert!(Level::detect_all().map(Level::name).eq(log));
}
