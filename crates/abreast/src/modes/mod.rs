//! Modes of operation: each one loop over a cipher's passes, written once for all kernels.
//!
//! | mode | for | blocks |
//! |---|---|---|
//! | [`Gcm`] | messages, authenticated | 128 bits |
//! | [`Eax`] | messages, authenticated; nonces of any length | any |
//! | [`Siv`] | messages, authenticated; without a nonce | 128 bits |
//! | [`Xts`] | sectors of a disk | 128 bits |
//! | [`Ctr`] | keystream by number | any |
//! | [`Cbc`], [`Cfb`], [`Cfb8`], [`Ofb`] | existing protocols and formats | any |
//! | [`Cmac`] | tags without encryption | any |

#[cfg(feature = "modes")]
mod block_buffer;
#[cfg(feature = "modes")]
pub(crate) mod cbc;
#[cfg(feature = "modes")]
pub(crate) mod cfb;
#[cfg(feature = "modes")]
mod chain;
#[cfg(feature = "modes")]
pub(crate) mod cmac;
pub(crate) mod ctr;
#[cfg(feature = "modes")]
pub(crate) mod eax;
#[cfg(feature = "modes")]
mod eax_state;
pub(crate) mod gcm;
#[cfg(feature = "modes")]
pub(crate) mod ofb;
#[cfg(feature = "siv")]
pub(crate) mod siv;
mod stream;
pub(crate) mod tag;
#[cfg(feature = "modes")]
pub(crate) mod xts;

use crate::InOutBuf;
use abreast_simd::inlined::CopyFrom;

pub use crate::engine::backend::Direction;
#[cfg(feature = "modes")]
pub use block_buffer::BlockBuffer;
#[cfg(feature = "modes")]
pub use cbc::Cbc;
#[cfg(feature = "modes")]
pub use cfb::{Cfb, Cfb8};
#[cfg(feature = "modes")]
pub use cmac::{Cmac, CmacPieces};
pub use ctr::{CounterWidth, Ctr};
#[cfg(feature = "modes")]
pub use eax::Eax;
pub use gcm::Gcm;
#[cfg(feature = "modes")]
pub use ofb::Ofb;
#[cfg(feature = "siv")]
pub use siv::Siv;
pub use stream::{Decryptor, Encryptor, Streaming};
pub use tag::WithTagLen;
#[cfg(feature = "modes")]
pub use xts::Xts;

/// A block of a message that came in pieces: its keystream, and its ciphertext as far as it goes. Xors the
/// keystream into a piece of the block, from byte `at` on, and keeps the ciphertext.
fn part_of_block(
    direction: Direction,
    stream: &[u8; 16],
    ciphertext: &mut [u8; 16],
    at: usize,
    mut io: InOutBuf<'_, '_, u8>,
) {
    let part = at..at + io.len();
    if direction == Direction::Decrypt {
        ciphertext[part.clone()].copy_from(io.get_in());
    }
    io.xor_in2out(&stream[part.clone()]);
    if direction == Direction::Encrypt {
        ciphertext[part].copy_from(io.get_out());
    }
}
