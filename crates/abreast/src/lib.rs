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
//!   [`Ctr`](modes::Ctr) for streams, and others that existing formats use.
//! * [`aez`]: wide blocks. A message and its tag are one block of any length, and a nonce that repeats does little
//!   harm.
//! * `hmac`: tags by SHA-1 and SHA-256, of many messages side by side (feature `hmac`).
//! * [`packets`]: many messages, each with a key of its own, in one call.
//! * `columns`: values of a table, offsets and bytes, each encrypted on its own (feature `columns`).
//! * [`kernels`]: all that exist, those that this CPU can run, and how to force one.
//!
//! Buffers are [`InOutBuf`]s: a `&mut [u8]` converts into one that is processed in place, and [`InOutBuf::new`] makes one that
//! reads from one buffer and writes to another. `seal_in_place` and `open_in_place` of the modes with tags take a `Vec`. The ciphers,
//! and the modes for which there is one, implement the traits of `cipher` 0.5 and `aead` 0.6.
//!
//! Keys are wiped where they lie in memory when they are dropped; copies that the compiler left on the stack or in registers
//! are overwritten only by later work.
//!
//! # Features
//!
//! AES with counter mode, GCM and raw blocks is always there. The rest costs seconds of compilation and is asked for; `full`
//! is all of it but `rayon`, `legacy` and the older traits.
//!
//! * `std` (default): instruction sets are detected at run time. Implies `alloc`.
//! * `alloc`: the registry of ciphers by name, the search among keys, and XTEA with more than 32 cycles.
//! * `serpent`, `xtea`, `tea`, `aez`: one more cipher each.
//! * `modes`: CBC, CFB, OFB, XTS, EAX and CMAC, and buffers of blocks for data in pieces. `siv`: AES-SIV besides.
//! * `hmac`: HMAC with SHA-1 and SHA-256.
//! * `cgo`: UIV+, the wide block of Counter Galois Onion.
//! * `keywrap`: key wrap, for which no other mode is needed.
//! * `batches`: [`packets`], for all ciphers and modes that are there. `rayon`: batches on all cores.
//! * `columns`: [`columns`], the tables of data engineers. Implies `batches` and `siv`.
//! * `aead-05`, `cipher-04`: the traits of `aead` 0.5 and `cipher` 0.4 besides, for the ciphers, counter mode, GCM, EAX and GCM-SIV.
//! * `legacy`: RC4 (`abreast::rc4`), for old protocols and formats. It is broken for secrecy and by its nature
//!   not constant time.
//!
//! Without `std` the crate is `no_std`, detects nothing and uses the instruction sets that the target is compiled for. A caller
//! can vouch for more: [`Kernel::aes_rounds`] and [`Kernel::words`] take a [token](kernels::tokens) that was made by hand.

#![cfg_attr(not(feature = "std"), no_std)]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]
#![cfg_attr(
    any(
        not(feature = "full"),
        not(any(
            target_feature = "sse2",
            all(target_arch = "aarch64", target_endian = "little", target_feature = "neon")
        ))
    ),
    allow(
        unused,
        reason = "what ciphers and modes share, fewer of them do not use, and a target without vectors has no kernels with AES \
                  instructions"
    )
)]

#[cfg(feature = "alloc")]
extern crate alloc;

#[cfg(feature = "aez")]
pub mod aez;
mod block_cipher;
#[cfg(feature = "full")]
#[doc(hidden)]
pub mod boundaries;
mod ciphers;
#[cfg(feature = "columns")]
pub mod columns;
mod engine;
mod error;
#[cfg(all(feature = "alloc", feature = "serpent", feature = "xtea", feature = "modes"))]
#[doc(hidden)]
pub mod for_devices;
mod gf128;
mod ghash;
#[cfg(feature = "hmac")]
pub mod hmac;
mod in_place;
pub mod kernels;
#[cfg(all(feature = "alloc", any(feature = "batches", feature = "legacy")))]
mod key_search;
mod loops;
mod masks;
mod mode_call;
pub mod modes;
#[cfg(feature = "batches")]
pub mod packets;
mod rustcrypto;
#[cfg(feature = "serpent")]
pub mod serpent;
#[cfg(feature = "full")]
#[doc(hidden)]
pub mod table;
mod wipe;

#[doc(hidden)]
pub use abreast_simd::{Wiped, inlined::ArrayList, prefetch};
pub use block_cipher::{BlockCipher, BlockCipher128};
#[doc(hidden)]
pub use block_cipher::{Held, Holder};
#[doc(hidden)]
pub use ciphers::CipherRef;
pub use ciphers::public::*;
pub use engine::kernel::Kernel;
#[doc(hidden)]
pub use error::Counted;
pub use error::Error;
pub use inout::{self, InOutBuf};

/// The example of the crate's README.
#[cfg(all(doctest, feature = "full"))]
#[doc = include_str!("../README.md")]
struct Readme;
