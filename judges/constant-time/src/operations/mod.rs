//! Everything that is done with a key: each cipher of the registry on each of its kernels, AEZ on each kernel of AES,
//! HMAC on each kernel of its hashes, and Counter Galois Onion on each kernel of AES.
//!
//! RC4 is left out by its name, since it is not in the registry of block ciphers: it looks tables up at secret places
//! (book/src/security.md).

mod aez;
mod batches;
mod c;
mod cgo;
mod columns;
mod hmac;
mod modes;
#[cfg(target_arch = "x86_64")]
mod sealed;
mod sealing;
mod tls;

use abreast::Kernel;
use abreast::aes::{Aes128, Aes256};
use abreast::aez::Aez;
use abreast::hmac::{Hmac, HmacHash, Sha1, Sha256};
use abreast::kernels::{Algorithm, algorithms};
use abreast::modes::UivCipher;
use abreast_simd::AesLevel;

use crate::examiner::{Examiner, Extent};

/// The operations of a subject.
type Operations = fn(&Examiner);

/// Subjects without kernels: their names and operations.
const OTHERS: &[(&str, Operations)] = &[
    ("tls records", tls::run),
    ("srtp", c::srtp),
    ("esp", c::esp),
    ("quic", c::quic),
    #[cfg(target_arch = "x86_64")]
    ("sealed files", sealed::run),
];

/// A kernel with a name that no other kernel of its cipher has.
struct NamedKernel {
    kernel: Kernel,
    label: String,
    /// True if C finds the kernel by its name.
    in_c: bool,
}

/// Runs everything that is wanted.
pub(crate) fn run(examiner: &Examiner) {
    for algorithm in algorithms() {
        for kernel in named(algorithm.kernels().into_iter()) {
            if examiner.begin(&format!("{} {}", algorithm.name(), kernel.label)) {
                cipher(examiner, *algorithm, &kernel);
                examiner.end();
            }
        }
    }
    for (subject, run) in OTHERS {
        if examiner.begin(subject) {
            run(examiner);
            examiner.end();
        }
    }
    for kernel in named(Aez::kernels()) {
        if examiner.begin(&format!("aez {}", kernel.label)) {
            aez::run(examiner, kernel.kernel);
            if kernel.in_c && !examiner.kernels_only() {
                c::aez(examiner, &kernel.label);
            }
            examiner.end();
        }
    }
    hashed::<Sha1>(examiner);
    hashed::<Sha256>(examiner);
    onions::<Aes128>(examiner, CGO_128);
    onions::<Aes256>(examiner, CGO_256);
    for (row, sealing) in sealing::rows() {
        for kernel in named(sealing.kernels()) {
            if examiner.begin(&format!("{} {}", row.name, kernel.label)) {
                sealing::run(examiner, row, sealing, kernel.kernel);
                if kernel.in_c && !examiner.kernels_only() {
                    c::sealing(examiner, row, sealing, &kernel.label);
                }
                examiner.end();
            }
        }
    }
}

/// Runs HMAC with one hash on each kernel.
fn hashed<H: HmacHash>(examiner: &Examiner) {
    for kernel in named(Hmac::<H>::kernels()) {
        if examiner.begin(&format!("{} {}", H::NAME, kernel.label)) {
            hmac::run::<H>(examiner, kernel.kernel);
            if kernel.in_c && !examiner.kernels_only() {
                c::hmac(examiner, H::NAME, &kernel.label);
            }
            examiner.end();
        }
    }
}

/// The names of Counter Galois Onion with each of its ciphers.
const CGO_128: &str = "cgo-128";
const CGO_256: &str = "cgo-256";

/// Runs Counter Galois Onion with one cipher on each kernel.
fn onions<C: UivCipher>(examiner: &Examiner, name: &str) {
    for kernel in named(Aes128::kernels()) {
        if examiner.begin(&format!("{name} {}", kernel.label)) {
            cgo::run::<C>(examiner, kernel.kernel);
            if name == CGO_128 && kernel.in_c && !examiner.kernels_only() {
                c::cgo(examiner, &kernel.label);
            }
            examiner.end();
        }
    }
}

/// The names of all subjects that this CPU has.
pub(crate) fn subjects() -> Vec<String> {
    let of = |name: &str, kernels: Vec<NamedKernel>| -> Vec<String> {
        kernels.iter().map(|kernel| format!("{name} {}", kernel.label)).collect()
    };
    let ciphers = algorithms().iter().flat_map(|it| of(it.name(), named(it.kernels().into_iter())));
    ciphers
        .chain(OTHERS.iter().map(|(subject, _)| (*subject).to_owned()))
        .chain(of("aez", named(Aez::kernels())))
        .chain(of(Sha1::NAME, named(Hmac::<Sha1>::kernels())))
        .chain(of(Sha256::NAME, named(Hmac::<Sha256>::kernels())))
        .chain([CGO_128, CGO_256].into_iter().flat_map(|name| of(name, named(Aes128::kernels()))))
        .chain(sealing::rows().flat_map(|(row, sealing)| of(row.name, named(sealing.kernels()))))
        .collect()
}

/// The kernels of a cipher, those too that the library lists one of: AES-NI with and without AVX.
fn named(listed: impl Iterator<Item = Kernel>) -> Vec<NamedKernel> {
    let mut kernels: Vec<Kernel> = listed.collect();
    let rounds: Vec<Kernel> = AesLevel::detect_all().map(Kernel::aes_rounds).collect();
    if kernels.iter().any(|kernel| rounds.contains(kernel)) {
        let more: Vec<Kernel> = rounds.into_iter().filter(|kernel| !kernels.contains(kernel)).collect();
        kernels.extend(more);
    }
    let mut named: Vec<NamedKernel> = Vec::new();
    for kernel in kernels {
        let name = kernel.name();
        let again = named.iter().any(|other| other.label == name);
        let label = if again { format!("{name}-legacy-encoding") } else { name.to_owned() };
        named.push(NamedKernel { kernel, label, in_c: !again });
    }
    named
}

/// A block cipher: its key schedule, and the modes over it.
#[inline(never)]
fn cipher(examiner: &Examiner, algorithm: Algorithm, kernel: &NamedKernel) {
    modes::key_schedule(examiner, algorithm, kernel.kernel);
    examiner.end_part("key schedule");
    // The ciphers of one family differ in their round keys alone, whose number is the same for all modes: the short form
    // goes through the modes for the longest key.
    if examiner.extent == Extent::Short && !is_longest(algorithm) {
        return;
    }
    // The modes of words and of bit-sliced AES take a million steps each: memcheck goes through them on lesser kernels, and
    // `--long` takes the steps.
    let is_aes_rounds = matches!(kernel.kernel.name(), "avx512" | "vaes") && is_aes(algorithm);
    if examiner.kernels_only() && !is_aes_rounds {
        return;
    }
    modes::any(examiner, algorithm, kernel.kernel);
    examiner.end_part("modes");
    batches::any(examiner, algorithm, kernel.kernel);
    examiner.end_part("batches");
    if algorithm.block_size() == 16 {
        modes::of_128(examiner, algorithm, kernel.kernel);
        examiner.end_part("modes for 128 bits");
        batches::of_128(examiner, algorithm, kernel.kernel);
        examiner.end_part("batches for 128 bits");
        if !examiner.kernels_only() {
            columns::run(examiner, algorithm, kernel.kernel);
            examiner.end_part("columns");
        }
    }
    if kernel.in_c && !examiner.kernels_only() {
        c::cipher(examiner, algorithm, &kernel.label);
    }
}

/// True if a cipher is computed by the AES instructions where the CPU has them.
fn is_aes(algorithm: Algorithm) -> bool {
    algorithm.name().starts_with("aes-")
}

/// True if the algorithm has the longest keys of its family, which is the first part of its name. Among several with keys of
/// that length, it is the last.
fn is_longest(algorithm: Algorithm) -> bool {
    let family = |algorithm: Algorithm| algorithm.name().split('-').next().unwrap_or_default();
    let of_family = algorithms().iter().filter(|other| family(**other) == family(algorithm));
    of_family.max_by_key(|other| other.key_len()) == Some(&algorithm)
}
