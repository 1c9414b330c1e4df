//! Fewer than sixteen bytes to a register and back, without a detour through memory.
//!
//! Bytes written one by one and then read as a vector miss store forwarding and stall; two
//! overlapping reads of a power of two do not.

/// `src` (at most 16 bytes) in the low bytes of a little-endian number, zeros above.
#[inline(always)]
pub(crate) fn read(src: &[u8]) -> u128 {
    let n = src.len();
    assert!(n <= 16);
    if let Ok(all) = <[u8; 16]>::try_from(src) {
        u128::from_le_bytes(all)
    } else if n >= 8 {
        overlapped::<8>(src, |b| u64::from_le_bytes(b).into())
    } else if n >= 4 {
        overlapped::<4>(src, |b| u32::from_le_bytes(b).into())
    } else if n >= 2 {
        overlapped::<2>(src, |b| u16::from_le_bytes(b).into())
    } else {
        src.first().map_or(0, |&b| b.into())
    }
}

/// The first and the last `W` bytes of `src`, which together cover it.
#[inline(always)]
fn overlapped<const W: usize>(src: &[u8], word: impl Fn([u8; W]) -> u128) -> u128 {
    let (Some(&first), Some(&last)) = (src.first_chunk::<W>(), src.last_chunk::<W>()) else {
        return 0;
    };
    word(first) | word(last) << (8 * (src.len() - W))
}

/// The low bytes of `x` to `dst`, which takes at most 16.
#[inline(always)]
pub(crate) fn write(x: u128, dst: &mut [u8]) {
    let n = dst.len();
    assert!(n <= 16);
    if n == 16 {
        put::<16>(x, dst);
    } else if n >= 8 {
        put::<8>(x, dst);
    } else if n >= 4 {
        put::<4>(x, dst);
    } else if n >= 2 {
        put::<2>(x, dst);
    } else if n == 1 {
        put::<1>(x, dst);
    }
}

/// The first and the last `W` bytes of `dst`, which together cover it.
#[inline(always)]
fn put<const W: usize>(x: u128, dst: &mut [u8]) {
    let shift = 8 * (dst.len() - W);
    if let (Some(first), Some(&low)) = (dst.first_chunk_mut::<W>(), x.to_le_bytes().first_chunk::<W>()) {
        *first = low;
    }
    if let (Some(last), Some(&high)) =
        (dst.last_chunk_mut::<W>(), (x >> shift).to_le_bytes().first_chunk::<W>())
    {
        *last = high;
    }
}
