//! The costs of a passphrase hash, and their bounds.

use std::fmt;

/// The bounds of costs in words, for errors.
macro_rules! bounds {
    () => {
        "8 MiB to 1 GiB of memory, 1 pass or more, at most 4 GiB in all passes together, and 1 to 16 lanes"
    };
}

/// The costs of a passphrase hash, Argon2id. A file may ask for 8 MiB to 1 GiB of memory, at most 4 GiB written in all
/// passes together, and 1 to 16 lanes.
///
/// ```
/// use abreast_sealed::Costs;
///
/// let more = Costs { memory: 256 << 10, ..Costs::DEFAULT };
/// assert!(more.in_bounds());
/// assert_eq!(more.memory_text(), "256 MiB");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Costs {
    /// Memory in KiB.
    pub memory: u32,
    /// Passes over the memory.
    pub passes: u32,
    /// Lanes.
    pub lanes: u32,
}

impl Costs {
    /// The costs of new files: the second choice of RFC 9106, 64 MiB.
    pub const DEFAULT: Costs = Costs { memory: 64 * 1024, passes: 3, lanes: 4 };

    /// The least memory in KiB, 8 MiB: with less, the hash protects little.
    pub const MIN_MEMORY: u32 = 8 * 1024;

    /// The most memory in KiB, 1 GiB, so that a file from somebody else does not tie up the machine.
    pub const MAX_MEMORY: u32 = 1024 * 1024;

    /// The most memory in KiB times passes, 4 GiB.
    pub const MAX_WORK: u32 = 4 * 1024 * 1024;

    /// The most lanes.
    pub const MAX_LANES: u32 = 16;

    /// The bounds in words, for people.
    pub const BOUNDS: &str = bounds!();

    /// Returns the memory in MiB, or in KiB if it is not a whole number of MiB.
    #[must_use]
    pub fn memory_text(self) -> String {
        let memory = self.memory;
        if memory.is_multiple_of(1024) { format!("{} MiB", memory / 1024) } else { format!("{memory} KiB") }
    }

    /// True if the costs are within the bounds.
    #[must_use]
    pub fn in_bounds(self) -> bool {
        let memory = (Costs::MIN_MEMORY..=Costs::MAX_MEMORY).contains(&self.memory);
        let lanes = (1..=Costs::MAX_LANES).contains(&self.lanes);
        let work = u64::from(self.memory) * u64::from(self.passes) <= u64::from(Costs::MAX_WORK);
        memory && lanes && work && self.passes >= 1
    }
}

/// Memory, passes and lanes.
impl fmt::Display for Costs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "memory {}, passes {}, lanes {}", self.memory_text(), self.passes, self.lanes)
    }
}

/// Error text for a line with other costs.
pub(crate) const BEYOND_BOUNDS: &str =
    concat!("the costs of the passphrase hash are out of bounds: ", bounds!(), " are accepted");
