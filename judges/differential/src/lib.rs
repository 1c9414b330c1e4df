//! A randomised differential tester: batches, streams and single calls of abreast, in Rust and through C, compared
//! with implementations that share no code with it.
//!
//! * [`subject`]: the ciphers, modes and kernels under test, and the ways to call them.
//! * [`oracle`]: the judges. They are slow, so [`pool`] keeps their answers for many batches.
//! * [`draw`]: from a seed of 64 bits to a [`case`]: the packets, their order and their faults.
//! * [`check`]: runs a case and compares everything; [`shrink`] makes one that fails small, and [`replay`] writes it
//!   down.
//! * [`arena`]: the memory of a case, in which every byte around a buffer is watched.
//! * [`session`]: case after case; [`tally`] counts the combinations that were run, and finds those that never were.
//!
//! A case is its seed. The upper 48 bits are the seed of the pool, the lower 16 the number of the case. It is the same
//! on every machine that has the same kernels.

mod alone;
pub mod arena;
mod batches;
pub mod c;
pub mod case;
pub mod check;
pub mod draw;
pub mod keys;
pub mod lengths;
pub mod oracle;
pub mod pool;
pub mod random;
pub mod replay;
pub mod session;
pub mod shrink;
pub mod subject;
pub mod tally;
