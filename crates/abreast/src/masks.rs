//! Masks that keep the first bytes of a vector, as windows of one table.

/// The most bytes that a mask keeps, and that follow them.
const MOST: usize = 1024;

/// Ones and then zeros.
static ONES_THEN_ZEROS: [u8; 2 * MOST] = {
    let mut bytes = [0; 2 * MOST];
    let mut i = 0;
    while i < MOST {
        bytes[i] = 255;
        i += 1;
    }
    bytes
};

/// A mask of `len` bytes whose first `ones` bytes are ones and the others zeros; each up to 1024.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(crate) fn first_bytes(ones: usize, len: usize) -> &'static [u8] {
    &ONES_THEN_ZEROS[MOST - ones..][..len]
}
