//! The C interface, called as C calls it: by the symbols that the library exports.

mod abi;
mod caller;
pub(crate) mod handles;
mod make;
mod memory;
pub(crate) mod packets;

/// Statuses that a target looks at; the others are what a mode says.
const OK: i32 = abi::ABREAST_OK;
const IV_LENGTH: i32 = abi::ABREAST_IV_LENGTH;
const TAG_LENGTH: i32 = abi::ABREAST_TAG_LENGTH;
const TAG_MISMATCH: i32 = abi::ABREAST_TAG_MISMATCH;
const NOT_PROCESSED: i32 = abi::ABREAST_NOT_PROCESSED;
const NULL_POINTER: i32 = abi::ABREAST_NULL_POINTER;
const OVERLAP: i32 = abi::ABREAST_OVERLAP;
const ALIGNMENT: i32 = abi::ABREAST_ALIGNMENT;
const WRONG_KEY: i32 = abi::ABREAST_WRONG_KEY;
const DIRECTION: i32 = abi::ABREAST_DIRECTION;
const FINISHED: i32 = abi::ABREAST_FINISHED;
const BATCH: i32 = abi::ABREAST_BATCH;
const DIFFERENT_CIPHERS: i32 = abi::ABREAST_DIFFERENT_CIPHERS;
const OPERATION: i32 = abi::ABREAST_OPERATION;

/// True if a status means a fault in the library, such as ABREAST_PANIC. No call may return one: everything that a caller may
/// do has another status.
fn is_fault(status: i32) -> bool {
    !(OK..=TAG_MISMATCH).contains(&status)
        && !(NULL_POINTER..=BATCH).contains(&status)
        && !(DIFFERENT_CIPHERS..=OPERATION).contains(&status)
}
