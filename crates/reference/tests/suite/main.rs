//! The tests of the reference against what others have computed.

mod differential;
mod known_answers;
