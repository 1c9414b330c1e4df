//! Parts that the self-tests share. They check every kernel against the CPU before anything else goes through a device.
//!
//! The reference is the library on the CPU, which shares no code with the kernels. Each test is beside the code that it tests:
//! block ciphers in `tested.rs`, XTEA with a key per message in `many.rs`, RC4 in `rc4.rs`.

use crate::Error;
use crate::gpu::Gpu;

/// Returns bytes without a pattern, the same each time.
pub(crate) fn some_bytes(len: usize, seed: u32) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9) | 1;
    let byte = |_| {
        // Xorshift (Marsaglia 2003).
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state.to_le_bytes()[1]
    };
    (0..len).map(byte).collect()
}

/// Returns the error of a device whose results differ from the CPU's.
pub(crate) fn wrong(gpu: &Gpu) -> Error {
    Error::WrongResult { device: gpu.device().name().to_owned() }
}
