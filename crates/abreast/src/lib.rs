//! Symmetric encryption of many blocks, many messages and many keys side by side, as fast as the
//! hardware allows on every CPU it meets.
//!
//! ```
//! use abreast::{aes::Aes256, modes::Gcm};
//!
//! let gcm = Gcm::from_cipher(Aes256::new(b"thirty-two bytes of a secret key"));
//! let mut message = *b"many blocks go through the registers together";
//! let mut tag = [0; 16];
//! gcm.encrypt_detached(b"unique nonce", b"", message.as_mut_slice(), &mut tag)?;
//! gcm.decrypt_detached(b"unique nonce", b"", message.as_mut_slice(), &tag)?;
//! # Ok::<(), abreast::Error>(())
//! ```
//!
//! * [`aes`], [`serpent`], [`xtea`] and others: the ciphers. A key is prepared once, for the best kernel of the CPU,
//!   and used many times.
//! * [`modes`]: [`Gcm`](modes::Gcm) and [`Eax`](modes::Eax) for messages, [`Xts`](modes::Xts) for disks,
//!   [`Ctr`](modes::Ctr) for streams, and what others have laid down.
//! * [`aez`]: wide blocks. A message and its tag are one block of any length, and a nonce that repeats does little
//!   harm.
//! * [`packets`]: many messages, each with a key of its own, in one call.
//! * `columns`: values of a table, offsets and bytes, each encrypted by itself (feature `alloc`).
//! * [`kernels`]: what exists, what this CPU can run, and how one is forced.
//!
//! Buffers are [`InOutBuf`]: a `&mut [u8]` becomes one that is worked on in place, and [`InOutBuf::new`] makes one of
//! two buffers, from one to the other. The ciphers, and the modes for which there is one, implement
//! the traits of `cipher` 0.5 and `aead` 0.6.
//!
//! Keys are wiped when they are dropped, as far as memory goes: what the compiler spilled of them to the
//! stack, and what registers hold, is overwritten only by later work.
//!
//! # Features
//!
//! * `std` (default): instruction sets are detected at run time. Implies `alloc`.
//! * `alloc`: the registry of ciphers by name, the search among keys, columns, and XTEA with more than 32 cycles.
//! * `aez` (default): [`aez`] and its batches.
//! * `rayon`: `packets::in_parallel`, batches on all cores.
//! * `legacy`: RC4 (`abreast::rc4`), for what old protocols and formats need. It is broken for secrecy and by its
//!   nature not constant time.
//!
//! Without `std` and `alloc` the crate is `no_std`, takes for granted what the target is compiled for, and can be
//! handed more: [`Kernel::aes_rounds`], [`Kernel::aes_sliced`] and [`Kernel::words`] take a
//! [token](kernels::tokens) that was made by hand.

#![cfg_attr(not(feature = "std"), no_std)]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]
#![cfg_attr(
    not(any(
        target_feature = "sse2",
        all(target_arch = "aarch64", target_endian = "little", target_feature = "neon")
    )),
    allow(
        unused,
        reason = "a target without vectors has no kernels with AES instructions, and what only they use is unused there"
    )
)]

#[cfg(feature = "alloc")]
extern crate alloc;

#[cfg(feature = "aez")]
pub mod aez;
mod block_cipher;
#[cfg(feature = "alloc")]
#[doc(hidden)]
pub mod boundaries;
mod ciphers;
#[cfg(feature = "alloc")]
pub mod columns;
mod engine;
mod error;
#[cfg(feature = "alloc")]
#[doc(hidden)]
pub mod for_devices;
mod gf128;
mod ghash;
pub mod kernels;
#[cfg(feature = "alloc")]
mod key_search;
mod loops;
mod masks;
mod mode_call;
pub mod modes;
pub mod packets;
mod rustcrypto;
pub mod serpent;
mod wipe;

#[doc(hidden)]
pub use abreast_simd::prefetch;
pub use block_cipher::{BlockCipher, BlockCipher128};
#[doc(hidden)]
pub use block_cipher::{Held, Holder};
#[doc(hidden)]
pub use ciphers::CipherRef;
pub use ciphers::public::*;
pub use engine::kernel::Kernel;
pub use error::Error;
pub use inout::{self, InOutBuf};

/// The example of the crate's README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
