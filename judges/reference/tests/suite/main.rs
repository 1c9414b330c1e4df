//! The tests of the reference against results computed by others.

mod differential;
mod known_answers;
mod onion;
