//! The kinds of circuits, of which the library has one for each S-box.

/// The property that a circuit is optimised for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Wide,
    Shallow,
    Narrow,
    Timed,
}

impl Kind {
    pub(super) const ALL: [Self; 4] = [Self::Wide, Self::Shallow, Self::Narrow, Self::Timed];

    /// Returns the prefix of the functions' names.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Wide => "ternary",
            Self::Shallow => "shallow",
            Self::Narrow => "two_input",
            Self::Timed => "timed",
        }
    }
}
