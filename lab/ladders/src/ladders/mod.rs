//! The ladders, a folder each.

mod aes;
mod aez;
mod packets;
pub mod rc4;
mod serpent;
pub mod xtea;

use crate::ladder::Ladder;

/// The names of the ladders, in the order of `all`.
pub const NAMES: [&str; 6] = ["xtea", "rc4", "aez", "aes", "serpent", "packets"];

/// Makes the ladder of a name: makes its data and keys, and probes its floors. `None` if no ladder has this name.
#[must_use]
pub fn by_name(name: &str) -> Option<Ladder> {
    match name {
        "xtea" => Some(xtea::ladder()),
        "rc4" => Some(rc4::ladder()),
        "aez" => Some(aez::ladder()),
        "aes" => Some(aes::ladder()),
        "serpent" => Some(serpent::ladder()),
        "packets" => Some(packets::ladder()),
        _ => None,
    }
}
