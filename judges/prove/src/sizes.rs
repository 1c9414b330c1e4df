//! The sizes at which the paths of a kernel begin and end, in bytes.

/// The bytes of a vector of a kernel.
fn vector(kernel: &str) -> usize {
    match kernel {
        "avx512" => 64,
        "avx2" | "vaes" => 32,
        _ => 16,
    }
}

/// The bytes of a block of a cipher.
pub(crate) fn block(cipher: &str) -> usize {
    if cipher.contains("tea") { 8 } else { 16 }
}

/// The bytes of a group of blocks that a kernel encrypts side by side, and of its widest pass, in ECB or in other modes.
pub(crate) fn sizes(cipher: &str, kernel: &str, ecb: bool) -> (usize, usize) {
    let vector = vector(kernel);
    match cipher.split('-').next() {
        Some("aes") if kernel.starts_with("sliced") => (128, 256),
        Some("aes") if vector == 64 && ecb => (vector, 16 * vector),
        Some("aes") => (vector, 8 * vector),
        Some("serpent") => (4 * vector, 16 * vector),
        _ => (2 * vector, 16 * vector),
    }
}
