//! The tests of the library, one module for each subject, in one program: linked once, with the shared code compiled once.

mod aead_negatives;
mod aez;
mod aez_batch;
mod aez_negatives;
mod boundaries;
mod ciphers;
mod columns;
mod columns_edges;
mod common;
mod counter_limits;
mod differential;
mod eax_counters;
mod guard_pages;
mod guard_pages_aez;
mod hctr2;
mod hmac;
mod in_place;
mod internals;
mod key_wiping;
mod key_wrap;
mod keys;
mod known_answers;
mod lengths;
#[cfg(all(feature = "aead-05", feature = "cipher-04"))]
mod older_traits;
mod packets;
mod packets_edges;
mod packets_memory;
mod padding;
mod parallel;
mod rc4;
mod registry;
mod sealers;
mod siv;
mod streaming;
mod traits;
mod try_keys;
mod uiv;
mod underway;
mod xts;

// For the sources of the library that `internals` compiles, which know it by this path.
use abreast::Error;
