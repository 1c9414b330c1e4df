//! The limits on the parts of a plan.

/// The limits on the parts of a plan.
///
/// ```
/// use abreast_sealed::{Limits, Plan};
///
/// // At most 100 parts, and none needs more than 1 MiB unless there would be too many.
/// let limits = Limits { min_part: 0, max_parts: 100, preferred_part: 1 << 20 };
/// assert_eq!(Plan::new(10 << 20, limits)?.parts().len(), 10);
/// assert_eq!(Plan::new(1 << 30, limits)?.parts().len(), 100);
/// # Ok::<(), abreast_sealed::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The smallest length of a part in the sealed file, in bytes. The last part may be shorter.
    pub min_part: u64,
    /// The most parts, at least 1.
    pub max_parts: u32,
    /// The bytes of the message in a part where the other two limits allow it, rounded down to whole chunks, of which a part
    /// has at least one.
    pub preferred_part: u64,
}

impl Default for Limits {
    /// Returns the limits of S3 on the parts of an upload, 5 MiB or more and at most 10 000 of them; and parts of 8 MiB, until
    /// there would be too many.
    fn default() -> Limits {
        Limits { min_part: 5 << 20, max_parts: 10_000, preferred_part: 8 << 20 }
    }
}
