//! The loops of GCM (SP 800-38D): counter mode stitched with GHASH, a whole message or a piece of one at a time.

mod message;
mod short;
mod stitched;

pub(crate) use message::{GcmBegin, GcmFinish, GcmHash, GcmMakeKey, GcmMessage, GcmPiece, GcmState, advance};
#[cfg(feature = "alloc")]
pub(crate) use short::MOST_GROUPS;
#[cfg(feature = "alloc")]
pub(crate) use stitched::TURN;
