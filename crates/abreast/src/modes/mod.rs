//! Modes of operation: each one loop over a cipher's passes, written once for all kernels.
//!
//! | mode | for | blocks |
//! |---|---|---|
//! | [`Gcm`] | messages, authenticated | 128 bits |
//! | [`Eax`] | messages, authenticated; nonces of any length | any |
//! | [`Xts`] | sectors of a disk | 128 bits |
//! | [`Ctr`] | keystream by number | any |
//! | [`Cbc`], [`Cfb`], [`Cfb8`], [`Ofb`] | what others have laid down | any |
//! | [`Cmac`] | tags without encryption | any |

pub(crate) mod cbc;
pub(crate) mod cfb;
pub(crate) mod cmac;
pub(crate) mod ctr;
pub(crate) mod eax;
pub(crate) mod ecb;
pub(crate) mod gcm;
pub(crate) mod ofb;
pub(crate) mod xts;

pub use crate::spec::Direction;
pub use cbc::Cbc;
pub use cfb::{Cfb, Cfb8};
pub use cmac::{Cmac, CmacPieces};
pub use ctr::{CounterWidth, Ctr};
pub use eax::{Eax, EaxPieces};
pub use gcm::{Gcm, GcmDecryptor, GcmEncryptor};
pub use ofb::Ofb;
pub use xts::Xts;
