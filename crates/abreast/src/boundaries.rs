//! The constants that decide which path a message takes, in one list.
//!
//! A kernel, a mode or a batch treats a message of `n` bytes one way and a message of `n + 1` bytes another way where a
//! constant says so: the bytes of a pass, the packets of a window, the rows up to which lengths are sorted exactly. A
//! fault at such a place is found only by a test that goes there. So the tests take the lengths and counts that they
//! use from this list, and a test reads the sources of this crate and fails on a constant that is neither here nor
//! known to decide nothing.
//!
//! Not part of the interface: it may change with every version.

#[cfg(feature = "aez")]
use crate::aez;
use crate::ciphers::aes::sliced;
use crate::columns;
use crate::engine::backend::PassSizes;
use crate::engine::multibuf;
use crate::engine::multibuf::{Batch, ParallelMultiBuffer, ShortMessages};
use crate::engine::two_words;
use crate::hmac;
use crate::key_search;
use crate::loops::{gcm, hctr2};
use crate::mode_call::ModeCall;
use crate::modes::{cfb, uiv, xts};
use crate::packets::CipherKey;
use crate::{BlockCipher, ghash, packets};
use abreast_simd::{AesIsa, Isa};
use alloc::vec::Vec;

/// The unit of a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Bytes of a message.
    Bytes,
    /// Blocks of the cipher.
    Blocks,
    /// Rows of 16 bytes, as batches take them.
    Rows,
    /// Pairs of blocks of AEZ, 32 bytes.
    Pairs,
    /// Packets of a batch, or lanes.
    Packets,
    /// Keys, data units or segments of one call.
    Items,
}

/// A constant that decides a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Boundary {
    /// The file below `src` and the name of the constant, such as `packets/schedule/batch.rs WINDOW`.
    pub name: &'static str,
    /// Its value.
    pub value: usize,
    /// The unit that it counts.
    pub unit: Unit,
}

const fn boundary(name: &'static str, value: usize, unit: Unit) -> Boundary {
    Boundary { name, value, unit }
}

/// Returns the constants that are the same for all kernels.
pub fn constants() -> Vec<Boundary> {
    use Unit::{Blocks, Bytes, Items, Packets, Rows};
    #[allow(unused_mut, reason = "without features nothing is added")]
    let mut list = Vec::from([
        boundary("packets/schedule/batch.rs WINDOW", packets::WINDOW, Packets),
        boundary("packets/schedule/length_class.rs EXACT_ROWS", packets::EXACT_ROWS, Rows),
        boundary("packets/schedule/batch.rs SHORT_CHAIN", packets::SHORT_CHAIN, Bytes),
        boundary("packets/schedule/batch.rs SINGLES", packets::SINGLES, Packets),
        boundary("packets/eax.rs FEW", packets::FEW_OF_EAX, Packets),
        boundary("packets/cmac.rs WINDOW", packets::MAC_WINDOW, Packets),
        boundary("packets/key_wrap.rs WINDOW", packets::WRAP_WINDOW, Packets),
        boundary("columns/mod.rs WINDOW", columns::WINDOW, Packets),
        boundary("key_search.rs LONGEST", key_search::LONGEST, Bytes),
        boundary("key_search.rs AT_ONCE", key_search::AT_ONCE, Items),
        boundary("hmac/jobs.rs WINDOW", hmac::WINDOW, Packets),
        boundary("hmac/jobs.rs MOST_STAGED", hmac::MOST_STAGED, Bytes),
        boundary("hmac/lanes.rs MOST_LANES", hmac::MOST_LANES, Packets),
        boundary("hmac/hash.rs WORTH_LANES_OF_SHA1", hmac::WORTH_LANES_OF_SHA1, Packets),
        boundary("hmac/hash.rs WORTH_LANES_OF_SHA256", hmac::WORTH_LANES_OF_SHA256, Packets),
        boundary("hmac/tags.rs KEYS", hmac::KEYS, Items),
        boundary("engine/multibuf.rs MOST_LANES", multibuf::MOST_LANES, Packets),
        boundary("ghash.rs PASS", ghash::PASS, Blocks),
        boundary("ghash.rs POWERS", ghash::POWERS, Blocks),
        boundary("ghash.rs ONE_BY_ONE", ghash::ONE_BY_ONE, Blocks),
        boundary("modes/cfb.rs TOGETHER", cfb::TOGETHER, Bytes),
        boundary("loops/gcm/stitched.rs TURN", gcm::TURN, Bytes),
        boundary("packets/gcm_siv/mod.rs WINDOW", packets::gcm_siv::WINDOW, Packets),
        boundary("packets/gcm_siv/mod.rs LEAST", packets::gcm_siv::LEAST, Packets),
        boundary("packets/gcm_siv/short.rs MOST", packets::gcm_siv::short::MOST, Blocks),
        boundary("packets/gcm_siv/short.rs LONGEST", packets::gcm_siv::short::LONGEST, Blocks),
        boundary("packets/gcm_siv/short.rs PASS", packets::gcm_siv::short::PASS, Blocks),
        boundary("loops/hctr2.rs TOGETHER", hctr2::TOGETHER, Packets),
        boundary("modes/uiv.rs WINDOW", uiv::WINDOW, Packets),
        boundary("modes/xts.rs TOGETHER", xts::TOGETHER, Items),
        boundary("engine/two_words.rs FEW", two_words::FEW, Blocks),
        // Registers of one, two and four blocks.
        boundary("ciphers/aes/sliced.rs FEW", sliced::FEW, Blocks),
        boundary("ciphers/aes/sliced.rs FEW", 2 * sliced::FEW, Blocks),
        boundary("ciphers/aes/sliced.rs FEW", 4 * sliced::FEW, Blocks),
    ]);
    #[cfg(feature = "aez")]
    list.extend([
        boundary("aez/pairs.rs TWEAKS", aez::TWEAKS, Unit::Pairs),
        boundary("aez/rounds.rs WIDEST", aez::WIDEST, Bytes),
        boundary("aez/mod.rs MAX_DETACHED", aez::MAX_DETACHED, Bytes),
        boundary("packets/aez/mod.rs WINDOW", packets::AEZ_WINDOW, Packets),
        boundary("packets/aez/mod.rs MOST_PAIRS", packets::MOST_PAIRS, Unit::Pairs),
        boundary("packets/aez/mod.rs FEW_PAIRS", packets::FEW_PAIRS, Unit::Pairs),
        boundary("packets/aez/lanes.rs MOST_LANES", packets::MOST_AEZ_LANES, Packets),
    ]);
    #[cfg(feature = "rayon")]
    list.extend([
        boundary("packets/parallel.rs FEWEST", packets::FEWEST, Packets),
        boundary("packets/parallel.rs MOST", packets::MOST, Packets),
    ]);
    #[cfg(feature = "legacy")]
    list.extend([
        boundary("ciphers/rc4/stream.rs BUFFER", crate::ciphers::rc4::BUFFER, Bytes),
        boundary("ciphers/rc4/stream.rs STEPS", crate::ciphers::rc4::STEPS, Bytes),
        boundary("ciphers/rc4/many.rs WORTH_MOVING", crate::ciphers::rc4::WORTH_MOVING, Bytes),
    ]);
    #[cfg(all(feature = "legacy", target_feature = "sse2"))]
    list.extend([
        boundary("ciphers/rc4/lanes.rs LANES", crate::ciphers::rc4::LANES, Packets),
        boundary("ciphers/rc4/lanes.rs LEAST", crate::ciphers::rc4::LEAST, Bytes),
    ]);
    list
}

/// Returns the sizes by which the kernel of a key cuts data.
pub(crate) fn pass_sizes(cipher: &dyn BlockCipher) -> PassSizes {
    let mut sizes = PassSizes::default();
    cipher.mode_call(&mut ModeCall::PassLoop(&mut sizes));
    sizes
}

/// Returns the constants of the kernel of a key: its passes, and its lanes if batches have them.
pub fn of_kernel(key: CipherKey<'_>) -> Vec<Boundary> {
    let mut sizes = pass_sizes(key.cipher());
    let mut list = Vec::from([boundary("engine/backend.rs BLOCK", sizes.block, Unit::Bytes)]);
    list.push(boundary("loops/gcm/short.rs MOST_GROUPS", gcm::MOST_GROUPS * sizes.group, Unit::Bytes));
    while sizes.depth > 0 {
        list.push(boundary("engine/backend.rs GROUP, INTERLEAVE", sizes.group * sizes.depth, Unit::Bytes));
        sizes.depth /= 2;
    }
    key.0.visit_batch(ListLanes(&mut list));
    list
}

/// Lists the lanes of a kernel.
struct ListLanes<'l>(&'l mut Vec<Boundary>);

impl Batch for ListLanes<'_> {
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn in_lanes<I: Isa, S: ParallelMultiBuffer<I>>(self, _: I, _: S::Level) {
        self.0.extend([
            boundary("engine/multibuf.rs LANES", S::LANES, Unit::Packets),
            boundary("engine/multibuf.rs LEAST", S::LEAST, Unit::Packets),
            boundary("engine/multibuf.rs ENOUGH", S::ENOUGH, Unit::Rows),
            boundary("engine/multibuf.rs INTERLEAVE", S::INTERLEAVE, Unit::Rows),
        ]);
    }
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn by_rounds<I: AesIsa, S: ShortMessages<I>>(self, _: I, _: S::Level) {
        self.0.extend([
            boundary("engine/multibuf.rs LANES", S::LANES, Unit::Packets),
            boundary("engine/multibuf.rs LEAST", S::LEAST, Unit::Packets),
        ]);
    }
}
