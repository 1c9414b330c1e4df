//! The kernels there are: their names, which scripts rely on, their order, and who gets which.

use abreast::aes::{Aes128, Aes192, Aes256};
use abreast::aez::Aez;
use abreast::kernels::{Algorithm, algorithms};
use abreast::serpent::Serpent;
use abreast::xtea::Xtea;
use abreast::{BlockCipher, Counted, Error, Kernel};

/// The kernels of an architecture: those of AES and those of other ciphers, best first.
struct Known {
    aes: &'static [&'static str],
    words: &'static [&'static str],
}

/// Bit-sliced AES is on the vectors of the baseline alone, and so is the last kernel of the words.
const KNOWN: Known = if cfg!(target_feature = "sse2") {
    Known { aes: &["avx512", "vaes", "aesni", "sliced-sse2"], words: &["avx512", "avx2", "sse2"] }
} else if cfg!(all(target_arch = "aarch64", target_endian = "little")) {
    Known { aes: &["neon-aes", "sliced-neon"], words: &["neon"] }
} else if cfg!(all(target_arch = "wasm32", target_feature = "simd128")) {
    Known { aes: &["sliced-simd128"], words: &["simd128"] }
} else {
    Known { aes: &["sliced-portable"], words: &["portable"] }
};

/// The names for a cipher on this architecture.
fn known(cipher: Algorithm) -> &'static [&'static str] {
    if is_aes(cipher) { KNOWN.aes } else { KNOWN.words }
}

fn is_aes(cipher: Algorithm) -> bool {
    cipher.name().starts_with("aes-")
}

fn names(kernels: &[Kernel]) -> Vec<&'static str> {
    kernels.iter().map(|kernel| kernel.name()).collect()
}

#[test]
fn ciphers_have_names_and_sizes() {
    let all: Vec<_> = algorithms().iter().map(|c| (c.name(), c.key_len(), c.block_size())).collect();
    assert_eq!(
        all,
        [
            ("aes-128", 16, 16),
            ("aes-192", 24, 16),
            ("aes-256", 32, 16),
            ("serpent-128", 16, 16),
            ("serpent-192", 24, 16),
            ("serpent-256", 32, 16),
            ("tea", 16, 8),
            ("tea-be", 16, 8),
            ("xtea", 16, 8),
            ("xtea-be", 16, 8),
        ]
    );
    for cipher in algorithms() {
        assert_eq!(Algorithm::from_name(cipher.name()), Some(*cipher));
        let key = vec![0; cipher.key_len()];
        let made = cipher.with_key(&key, None).expect("a key");
        assert_eq!((made.name(), made.block_size()), (cipher.name(), cipher.block_size()));
        let made_16 = cipher.with_key_128(&key, None).map(|made| (made.name(), made.block_size()));
        let expected =
            if cipher.block_size() == 16 { Ok((cipher.name(), 16)) } else { Err(Error::BlockLength) };
        assert_eq!(made_16, expected);
    }
    for name in ["", "aes", "AES-128", "aes-128 ", "aes-512", "serpent", "xtea-le"] {
        assert_eq!(Algorithm::from_name(name), None, "{name:?}");
    }
}

#[test]
fn names_and_order_of_kernels() {
    for cipher in algorithms() {
        let names = names(&cipher.kernels());
        // A part of the list in its order: no unknown name, none twice, the best first.
        let in_order: Vec<_> = known(*cipher).iter().copied().filter(|name| names.contains(name)).collect();
        assert_eq!(names, in_order, "{}", cipher.name());
        // The baseline of an architecture is not a matter of detection.
        assert_eq!(names.last(), known(*cipher).last(), "{}", cipher.name());
    }
}

/// Checks that every kernel is there on a machine that is known to have every instruction set (`ABREAST_FLAGSHIP=1`). Otherwise
/// a mistake in the detection would make all the other tests pass on fewer kernels.
#[test]
fn the_flagship_has_every_kernel() {
    let flagship = std::env::var("ABREAST_FLAGSHIP").is_ok_and(|value| value == "1");
    if !flagship || !cfg!(target_feature = "sse2") {
        return;
    }
    for cipher in algorithms() {
        assert_eq!(names(&cipher.kernels()), known(*cipher), "{}", cipher.name());
    }
    // And AES-NI in both encodings.
    let levels: Vec<_> = abreast_simd::AesLevel::detect_all().map(|level| level.name()).collect();
    assert_eq!(levels, ["aesni", "aesni", "vaes", "avx512"]);
}

#[test]
fn kernels_print_as_their_names() {
    for cipher in algorithms() {
        for kernel in cipher.kernels() {
            assert_eq!(format!("{kernel}"), kernel.name());
            assert_eq!(format!("{kernel:>20}"), format!("{:>20}", kernel.name()));
            assert_eq!(format!("{kernel:?}"), format!("Kernel({})", kernel.name()));
        }
    }
}

#[test]
fn the_first_kernel_is_the_default_and_any_other_can_be_had() {
    let first = |kernels: &[Kernel]| kernels.first().copied().expect("at least the portable kernel");
    for cipher in algorithms() {
        let key = vec![1; cipher.key_len()];
        let kernels = cipher.kernels();
        assert_eq!(cipher.with_key(&key, None).expect("a key").kernel(), first(&kernels));
        for kernel in crate::common::kernels(*cipher) {
            assert_eq!(cipher.with_key(&key, Some(kernel)).expect("a kernel of it").kernel(), kernel);
        }
    }
    let of_name = |name| Algorithm::from_name(name).expect("a cipher").kernels();
    let listed = of_name("aes-128");
    assert_eq!(Aes128::new(&[1; 16]).kernel(), first(&listed));
    assert_eq!(Aes192::new(&[1; 24]).kernel(), first(&listed));
    assert_eq!(Aes256::new(&[1; 32]).kernel(), first(&listed));
    assert_eq!(Aes128::kernels().collect::<Vec<_>>(), listed);
    assert_eq!(Aes192::kernels().collect::<Vec<_>>(), listed);
    assert_eq!(Aes256::kernels().collect::<Vec<_>>(), listed);
    assert_eq!(Aez::new(b"key").kernel(), first(&listed));
    assert_eq!(Aez::kernels().collect::<Vec<_>>(), listed);
    let listed = of_name("xtea");
    assert_eq!(Serpent::new(&[1; 20]).expect("a key").kernel(), first(&listed));
    assert_eq!(Xtea::new(&[1; 16]).kernel(), first(&listed));
    assert_eq!(Xtea::big_endian(&[1; 16]).kernel(), first(&listed));
    assert_eq!(Serpent::kernels().collect::<Vec<_>>(), listed);
    assert_eq!(Xtea::kernels().collect::<Vec<_>>(), listed);
    assert_eq!(of_name("serpent-256"), listed);
}

/// A kernel of AES is none of the others', and the other way round.
#[test]
fn kernels_of_other_ciphers_are_refused() {
    for cipher in algorithms() {
        let key = vec![1; cipher.key_len()];
        for other in algorithms().iter().filter(|other| is_aes(**other) != is_aes(*cipher)) {
            for kernel in crate::common::kernels(*other) {
                let made = cipher.with_key(&key, Some(kernel)).map(|_| ());
                assert_eq!(made, Err(Error::KernelUnavailable), "{} on {kernel}", cipher.name());
            }
        }
    }
}

/// AEZ, which is no block cipher, has those of AES, AES-NI in both encodings.
#[test]
fn kernels_of_aez() {
    for cipher in algorithms() {
        for kernel in crate::common::kernels(*cipher) {
            let made = Aez::with_kernel(b"key", kernel).map(|aez| aez.kernel());
            let expected = if is_aes(*cipher) { Ok(kernel) } else { Err(Error::KernelUnavailable) };
            assert_eq!(made, expected, "{kernel} of {}", cipher.name());
        }
    }
}

#[test]
fn keys_of_other_lengths_are_refused() {
    for cipher in algorithms() {
        for len in (0..70).filter(|len| *len != cipher.key_len()) {
            for kernel in crate::common::kernels(*cipher).into_iter().map(Some).chain([None]) {
                let made = cipher.with_key(&vec![1; len], kernel).map(|_| ());
                assert_eq!(made, Err(Error::KeyLength), "{}, {len} bytes", cipher.name());
            }
        }
    }
}

#[test]
fn errors_are_sentences() {
    let all = [
        Error::KeyLength,
        Error::KernelUnavailable,
        Error::BufferLengths,
        Error::PartialBlock,
        Error::CounterLength,
        Error::CounterWidth,
        Error::CounterExhausted,
        Error::IvLength,
        Error::NonceLength,
        Error::TagLength,
        Error::BufferTooShort,
        Error::MessageTooLong,
        Error::MessageTooShort,
        Error::Padding,
        Error::EqualKeys,
        Error::DifferentCiphers,
        Error::UnitLength,
        Error::BlockLength,
        Error::AssociatedDataLate,
        Error::Cycles,
        Error::Permutation,
        Error::TagMismatch,
        Error::NotProcessed,
        Error::OutOfMemory,
    ];
    let mut sentences: Vec<String> = all.iter().map(Error::to_string).collect();
    for sentence in &sentences {
        assert!(
            (sentence.starts_with("the ") || sentence.starts_with("a ")) && !sentence.ends_with('.'),
            "{sentence}"
        );
    }
    sentences.sort();
    sentences.dedup();
    assert_eq!(sentences.len(), all.len());
}

#[test]
fn one_thing_is_in_the_singular() {
    for (number, text) in
        [(0_u64, "0 bytes"), (1, "1 byte"), (2, "2 bytes"), (11, "11 bytes"), (21, "21 bytes")]
    {
        assert_eq!(Counted(number, "bytes").to_string(), text);
    }
    let strings = |number: u32| Counted(number, "strings of associated data").to_string();
    assert_eq!(strings(1), "1 string of associated data");
    assert_eq!(strings(2), "2 strings of associated data");
}

/// Checks that kernels made from tokens by hand, as on systems without detection, are those of the lists.
#[test]
fn tokens_make_kernels() {
    use abreast::kernels::tokens;
    let words = Kernel::words(tokens::baseline());
    assert_eq!(Serpent::kernels().last(), Some(words));
    assert_eq!(Serpent::with_kernel(&[7; 32], words).map(|serpent| serpent.kernel()), Ok(words));
    assert_eq!(Aes128::kernels().last(), Some(Kernel::aes_sliced()));
    #[cfg(target_feature = "sse2")]
    if let Some(token) = tokens::Avx512Vaes::detect() {
        assert_eq!(Aes128::kernels().next(), Some(Kernel::aes_rounds(token)));
    }
    #[cfg(target_arch = "aarch64")]
    if let Some(token) = tokens::NeonAes::detect() {
        assert_eq!(Aes128::kernels().next(), Some(Kernel::aes_rounds(token)));
    }
}
