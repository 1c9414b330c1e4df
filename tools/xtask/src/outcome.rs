//! Outcomes: what comes of a step, or of a part of one.

/// The reason why a step did not pass.
#[derive(Clone, Debug)]
pub(crate) enum Stop {
    /// The check found a fault, or could not be made.
    Failed(String),
    /// This machine lacks something it needs.
    Skipped(String),
}

impl From<String> for Stop {
    fn from(why: String) -> Self {
        Stop::Failed(why)
    }
}

/// The outcome of a step; `?` on a missing tool skips it.
pub(crate) type Outcome = Result<(), Stop>;

/// Fails if there are complaints, a line each.
pub(crate) fn none_of(complaints: &[String]) -> Outcome {
    if complaints.is_empty() { Ok(()) } else { Err(Stop::Failed(complaints.join("\n"))) }
}
