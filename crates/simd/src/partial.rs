//! Fewer than sixteen bytes to a register and back, without a detour through memory.
//!
//! Bytes written one by one and then read as a vector miss store forwarding and stall; two
//! overlapping reads of a power of two do not.

/// Reads `src` (at most 16 bytes) into the low bytes of a little-endian number, with zeros above.
#[inline(always)]
pub(crate) fn read(src: &[u8]) -> u128 {
    let n = src.len();
    assert!(n <= 16);
    if let Ok(all) = <[u8; 16]>::try_from(src) {
        u128::from_le_bytes(all)
    } else if n == 12
        && let (Some(first), Some(last)) = (src.first_chunk(), src.last_chunk())
    {
        // A nonce, as a rule.
        u128::from(u64::from_le_bytes(*first)) | u128::from(u32::from_le_bytes(*last)) << 64
    } else if let (Some(first), Some(last)) = (src.first_chunk(), src.last_chunk()) {
        // In halves: a shift by a number that may reach over both is a dozen instructions.
        let high = u64::from_le_bytes(*last) >> 1 >> (127 - 8 * n);
        u128::from(u64::from_le_bytes(*first)) | u128::from(high) << 64
    } else if let (Some(first), Some(last)) = (src.first_chunk(), src.last_chunk()) {
        let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
        (u64::from(first) | u64::from(last) << (8 * (n - 4))).into()
    } else if let (Some(first), Some(last)) = (src.first_chunk(), src.last_chunk()) {
        let (first, last) = (u16::from_le_bytes(*first), u16::from_le_bytes(*last));
        (u32::from(first) | u32::from(last) << (8 * (n - 2))).into()
    } else {
        src.first().map_or(0, |&b| b.into())
    }
}

/// Writes the low bytes of `x` to `dst`, which takes at most 16.
#[inline(always)]
pub(crate) fn write(x: u128, dst: &mut [u8]) {
    let n = dst.len();
    assert!(n <= 16);
    let (low, high) = (x as u64, (x >> 64) as u64);
    if let Ok(all) = <&mut [u8; 16]>::try_from(&mut *dst) {
        *all = x.to_le_bytes();
    } else if n >= 8 {
        put(dst, low.to_le_bytes(), (low >> (8 * (n - 8)) | high << 1 << (127 - 8 * n)).to_le_bytes());
    } else if n >= 4 {
        put(dst, (low as u32).to_le_bytes(), ((low >> (8 * (n - 4))) as u32).to_le_bytes());
    } else if n >= 2 {
        put(dst, (low as u16).to_le_bytes(), ((low >> (8 * (n - 2))) as u16).to_le_bytes());
    } else if n == 1 {
        dst[0] = low as u8;
    }
}

/// Writes the first and the last `W` bytes of `dst`, which together cover it.
#[inline(always)]
fn put<const W: usize>(dst: &mut [u8], low: [u8; W], high: [u8; W]) {
    if let Some(first) = dst.first_chunk_mut::<W>() {
        *first = low;
    }
    if let Some(last) = dst.last_chunk_mut::<W>() {
        *last = high;
    }
}
