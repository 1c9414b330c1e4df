//! The modes of packets that have a cipher's key and nothing but a buffer, each written once for all kernels: what a
//! group does, and what one packet does next to another.

mod buffer;
mod cbc;
mod ctr;
mod ecb;
mod ofb;

pub(super) use cbc::{CbcDecrypt, CbcEncrypt};
pub(super) use ctr::Ctr;
pub(super) use ecb::Ecb;
pub(super) use ofb::Ofb;
