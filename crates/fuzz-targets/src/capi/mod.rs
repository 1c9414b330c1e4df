//! The C interface, called as C calls it: by the symbols that the library exports.

mod abi;
pub(crate) mod handles;
mod make;
mod memory;
pub(crate) mod packets;

// Linked for its symbols.
use abreast_capi as _;

/// Statuses that a target looks at; the others are what a mode says.
const OK: i32 = 0;
const IV_LENGTH: i32 = 8;
const TAG_LENGTH: i32 = 10;
const TAG_MISMATCH: i32 = 19;
const NOT_PROCESSED: i32 = 20;
const NULL_POINTER: i32 = 100;
const OVERLAP: i32 = 102;
const ALIGNMENT: i32 = 103;
const WRONG_KEY: i32 = 107;
const DIRECTION: i32 = 108;
const FINISHED: i32 = 109;
const BATCH: i32 = 110;
const DIFFERENT_CIPHERS: i32 = 114;
const OPERATION: i32 = 115;

/// True if a status means a fault in the library, such as ABREAST_PANIC. No call may return one: everything that a caller may
/// do has another status.
fn is_fault(status: i32) -> bool {
    !(OK..=TAG_MISMATCH).contains(&status)
        && !(NULL_POINTER..=BATCH).contains(&status)
        && !(DIFFERENT_CIPHERS..=OPERATION).contains(&status)
}
