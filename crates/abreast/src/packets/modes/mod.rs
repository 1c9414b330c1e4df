//! The modes of packets that have a cipher's key and nothing but a buffer, each written once for all kernels: a
//! group's loop, and the steps for one packet beside another.

#[cfg(feature = "modes")]
mod cbc;
mod cipher_packet;
mod ctr;
mod ecb;
#[cfg(feature = "modes")]
mod feedback;

#[cfg(feature = "modes")]
pub(super) use cbc::CbcDecryptBatch;
pub(super) use ctr::CtrBatch;
pub(super) use ecb::EcbBatch;
#[cfg(feature = "modes")]
pub(super) use feedback::FeedbackBatch;
