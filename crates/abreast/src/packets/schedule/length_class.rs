//! Classes of lengths, by which a window of packets is sorted so that messages of similar lengths share a group.

/// The class of an item, or its state. Up to [`EXACT_ROWS`] rows each number of rows is a class, beyond that each power of
/// two. Within a class, items keep the order of the batch; nothing may rely on an order of their lengths.
pub(super) type LengthClass = u8;

/// The most rows that are a class of their own.
pub(crate) const EXACT_ROWS: usize = 192;
/// The class of an item that is done.
pub(super) const DONE: LengthClass = 0;
/// The class of an item that has not been examined.
pub(super) const UNKNOWN: LengthClass = 255;
const _: () = assert!(EXACT_ROWS as u32 + (usize::MAX / 16).ilog2() < UNKNOWN as u32);

/// Returns the class of a message of some bytes, at least one.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
pub(super) fn class_of(bytes: usize) -> LengthClass {
    let rows = bytes.div_ceil(16);
    if rows <= EXACT_ROWS {
        rows as LengthClass
    } else {
        EXACT_ROWS as LengthClass + rows.ilog2() as LengthClass
    }
}

/// True if an item is not done. All are looked at, as many at a time as a vector holds.
pub(super) fn any_waits(classes: &[LengthClass]) -> bool {
    classes.iter().fold(DONE, |all, class| all | class) != DONE
}
