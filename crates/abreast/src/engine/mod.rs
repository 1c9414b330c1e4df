//! The engine: the interfaces that ciphers and modes are written against, and the cutting of data between them.
//!
//! * [`backend`]: a cipher on an instruction set, as its author writes it.
//! * [`passes`]: a mode's loop, as its author writes it, and the passes that a buffer is cut into.
//! * [`words`]: the common part of backends over vectors of 32-bit words.
//! * [`multibuf`]: a message per lane, each under its own key.
//! * [`two_words`]: block ciphers whose block is two words, but for their rounds.
//! * [`counting_sort`]: messages of a window by their lengths.
//! * [`keyed`], [`kernel`]: round keys and the kernel that they are laid out for.
//!
//! Nothing here knows a cipher or a mode.

pub(crate) mod backend;
#[cfg(any(feature = "batches", feature = "hmac"))]
pub(crate) mod counting_sort;
pub(crate) mod kernel;
pub(crate) mod keyed;
pub(crate) mod multibuf;
pub(crate) mod passes;
#[cfg(any(feature = "xtea", feature = "tea"))]
pub(crate) mod two_words;
pub(crate) mod words;
pub(crate) mod written;
