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
use crate::lanes::{self, ByRounds, RowsInLanes};
use crate::modes::{cfb, gcm, xts};
use crate::packets::{self, Batch, CipherKey};
use crate::spec::PassSizes;
use crate::work::Work;
use crate::{ghash, xtea};
use abreast_simd::{AesIsa, Isa};
use alloc::vec::Vec;

/// What a constant counts.
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
    /// The file below `src` and the name of the constant, such as `packets/batch.rs WINDOW`.
    pub name: &'static str,
    /// Its value.
    pub value: usize,
    /// What it counts.
    pub unit: Unit,
}

const fn boundary(name: &'static str, value: usize, unit: Unit) -> Boundary {
    Boundary { name, value, unit }
}

/// The constants that are the same for all kernels.
pub fn constants() -> Vec<Boundary> {
    use Unit::{Blocks, Bytes, Items, Packets, Rows};
    #[allow(unused_mut, reason = "without features nothing is added")]
    let mut list = Vec::from([
        boundary("packets/batch.rs WINDOW", packets::WINDOW, Packets),
        boundary("packets/batch.rs EXACT_ROWS", packets::EXACT_ROWS, Rows),
        boundary("packets/batch.rs SHORT_CHAIN", packets::SHORT_CHAIN, Bytes),
        boundary("packets/batch.rs SINGLES", packets::SINGLES, Packets),
        boundary("packets/mac.rs WINDOW", packets::MAC_WINDOW, Packets),
        boundary("packets/try_keys.rs LONGEST", packets::LONGEST, Bytes),
        boundary("packets/try_keys.rs AT_ONCE", packets::AT_ONCE, Items),
        boundary("lanes.rs MOST_LANES", lanes::MOST_LANES, Packets),
        boundary("ghash.rs PASS", ghash::PASS, Blocks),
        boundary("ghash.rs POWERS", ghash::POWERS, Blocks),
        boundary("modes/cfb.rs TOGETHER", cfb::TOGETHER, Bytes),
        boundary("modes/gcm/stitched.rs TURN", gcm::TURN, Bytes),
        boundary("modes/xts.rs TOGETHER", xts::TOGETHER, Items),
        boundary("xtea/rounds.rs FEW", xtea::FEW, Blocks),
    ]);
    #[cfg(feature = "aez")]
    list.extend([
        boundary("aez/pairs.rs TWEAKS", aez::TWEAKS, Unit::Pairs),
        boundary("aez/rounds.rs WIDEST", aez::WIDEST, Bytes),
        boundary("aez/mod.rs MAX_DETACHED", aez::MAX_DETACHED, Bytes),
        boundary("aez/batch/mod.rs WINDOW", aez::WINDOW, Packets),
        boundary("aez/batch/mod.rs MOST_PAIRS", aez::MOST_PAIRS, Unit::Pairs),
        boundary("aez/batch/mod.rs FEW_PAIRS", aez::FEW_PAIRS, Unit::Pairs),
        boundary("aez/batch/mod.rs MOST_LANES", aez::MOST_LANES, Packets),
    ]);
    #[cfg(feature = "rayon")]
    list.extend([
        boundary("packets/parallel.rs FEWEST", packets::FEWEST, Packets),
        boundary("packets/parallel.rs MOST", packets::MOST, Packets),
    ]);
    #[cfg(feature = "legacy")]
    list.extend([
        boundary("rc4/stream.rs BUFFER", crate::rc4::BUFFER, Bytes),
        boundary("rc4/stream.rs STEPS", crate::rc4::STEPS, Bytes),
        boundary("rc4/many.rs WORTH_MOVING", crate::rc4::WORTH_MOVING, Bytes),
    ]);
    #[cfg(all(feature = "legacy", target_arch = "x86_64", target_feature = "sse2"))]
    list.extend([
        boundary("rc4/lanes.rs LANES", crate::rc4::LANES, Packets),
        boundary("rc4/lanes.rs LEAST", crate::rc4::LEAST, Bytes),
    ]);
    list
}

/// The constants of the kernel of a key: its passes, and its lanes if batches have them.
pub fn of_kernel(key: CipherKey<'_>) -> Vec<Boundary> {
    let mut sizes = PassSizes::default();
    key.cipher().work(&mut Work::Passes(&mut sizes));
    let mut list = Vec::from([boundary("spec.rs BLOCK", sizes.block, Unit::Bytes)]);
    while sizes.depth > 0 {
        list.push(boundary("spec.rs GROUP, DEPTH", sizes.group * sizes.depth, Unit::Bytes));
        sizes.depth /= 2;
    }
    key.0.visit(Lanes(&mut list));
    list
}

/// Lists the lanes of a kernel.
struct Lanes<'l>(&'l mut Vec<Boundary>);

impl Batch for Lanes<'_> {
    #[inline(always)]
    fn in_lanes<I: Isa, S: RowsInLanes<I>>(self, _: I, _: S::Level) {
        self.0.extend([
            boundary("lanes.rs LANES", S::LANES, Unit::Packets),
            boundary("lanes.rs LEAST", S::LEAST, Unit::Packets),
            boundary("lanes.rs ENOUGH", S::ENOUGH, Unit::Rows),
            boundary("lanes.rs DEPTH", S::DEPTH, Unit::Rows),
        ]);
    }
    #[inline(always)]
    fn by_rounds<I: AesIsa, S: ByRounds<I>>(self, _: I, _: S::Level) {
        self.0.extend([
            boundary("lanes.rs LANES", S::LANES, Unit::Packets),
            boundary("lanes.rs LEAST", S::LEAST, Unit::Packets),
        ]);
    }
}
