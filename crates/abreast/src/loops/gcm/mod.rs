//! The loops of GCM (SP 800-38D): counter mode stitched with GHASH, a whole message or a piece of one at a time.

mod message;
mod short;
mod stitched;

pub(crate) use message::{Begin, Finish, Hash, MakeKey, Message, Piece, Running, advance};
pub(crate) use short::short;
#[cfg(feature = "alloc")]
pub(crate) use stitched::TURN;
