//! The two hashes, the kernels that compute them, and the choice of one for a number of messages.

use super::compress::{HashBlock, compress};
use super::lanes::{One, Several, Sha1Words, Sha256Words};
use crate::Error;
use crate::engine::kernel::{Choice, Kernel, lanes_of};
use abreast_simd::sha::Chain;
use abreast_simd::{Level, ShaIsa, ShaLevel, ShaRounds, WordsIsa, baseline, dispatch, dispatch_sha};

/// A hash function, known at run time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HashFunction {
    Sha1,
    Sha256,
}

/// The first chaining value of SHA-1 (FIPS 180-4, section 5.3.1).
const SHA1_INITIAL: Chain =
    initial([0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0, 0, 0, 0]);
/// The first chaining value of SHA-256 (section 5.3.3).
const SHA256_INITIAL: Chain = initial([
    0x6a09_e667,
    0xbb67_ae85,
    0x3c6e_f372,
    0xa54f_f53a,
    0x510e_527f,
    0x9b05_688c,
    0x1f83_d9ab,
    0x5be0_cd19,
]);

/// Words as a chaining value.
const fn initial(words: [u32; 8]) -> Chain {
    let mut chain = [[0; 16]; 2];
    let mut i = 0;
    while i < 32 {
        chain[i / 16][i % 16] = words[i / 4].to_le_bytes()[i % 4];
        i += 1;
    }
    chain
}

impl HashFunction {
    /// The first chaining value.
    pub(super) const fn initial(self) -> Chain {
        match self {
            Self::Sha1 => SHA1_INITIAL,
            Self::Sha256 => SHA256_INITIAL,
        }
    }

    /// Bytes of a digest.
    pub(crate) const fn digest_len(self) -> usize {
        match self {
            Self::Sha1 => 20,
            Self::Sha256 => 32,
        }
    }
}

/// The bytes of a digest: the words of a chaining value, big-endian. Those of SHA-1 end in zeros.
pub(super) fn digest(chain: &Chain) -> [u8; 32] {
    let mut digest = [0; 32];
    for (place, word) in digest.as_chunks_mut::<4>().0.iter_mut().zip(chain.as_flattened().as_chunks::<4>().0)
    {
        *place = u32::from_be_bytes(*word).to_le_bytes();
    }
    digest
}

/// A kernel of the hashes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum HashKernel {
    /// By instructions, with a few messages interleaved; where there are lanes too, by these when most of them are taken.
    Instructions(ShaLevel, Option<Level>),
    /// In lanes, and a single message in general registers.
    Lanes(Level),
}

/// Messages with which lanes of words are quicker than interleaved instructions, of as many as there are lanes: by counts of
/// instructions and measurements on a Zen 5, of SHA-1.
pub(crate) const WORTH_LANES_OF_SHA1: usize = 13;
/// Messages with which lanes of words are quicker than interleaved instructions, of SHA-256.
pub(crate) const WORTH_LANES_OF_SHA256: usize = 15;

/// The way of one step, and the messages that it takes.
#[derive(Clone, Copy, Debug)]
pub(super) enum HashWay {
    One,
    By1(ShaLevel),
    By2(ShaLevel),
    By4(ShaLevel),
    Lanes(Level),
}

impl HashWay {
    /// Returns the number of messages side by side.
    pub(super) fn lanes(self) -> usize {
        match self {
            Self::One | Self::By1(_) => 1,
            Self::By2(_) => 2,
            Self::By4(_) => 4,
            Self::Lanes(level) => lanes_of(level),
        }
    }
}

impl HashKernel {
    /// Returns what a kernel means for hashes.
    ///
    /// # Errors
    /// [`Error::KernelUnavailable`] if the kernel is of a cipher that hashes do not share it with.
    pub(crate) fn of(kernel: Kernel) -> Result<Self, Error> {
        match kernel.0 {
            Choice::Sha(level, lanes) => Ok(Self::Instructions(level, lanes)),
            Choice::Words(level) => Ok(Self::Lanes(level)),
            _ => Err(Error::KernelUnavailable),
        }
    }

    /// Returns the best one of this CPU.
    pub(super) fn best() -> Self {
        let best = Kernel::of_hashes().find_map(|kernel| Self::of(kernel).ok());
        best.unwrap_or(Self::Lanes(baseline().into()))
    }

    /// Returns the kernel that it is one of.
    pub(super) fn kernel(self) -> Kernel {
        Kernel(match self {
            Self::Instructions(level, lanes) => Choice::Sha(level, lanes),
            Self::Lanes(level) => Choice::Words(level),
        })
    }

    /// Returns the way to take a step with some messages, at least one.
    pub(super) fn way(self, hash: HashFunction, messages: usize) -> HashWay {
        let worth = match hash {
            HashFunction::Sha1 => WORTH_LANES_OF_SHA1,
            HashFunction::Sha256 => WORTH_LANES_OF_SHA256,
        };
        match self {
            Self::Instructions(_, Some(lanes)) if messages >= worth => HashWay::Lanes(lanes),
            Self::Instructions(level, _) => match (messages, hash) {
                (..=1, _) => HashWay::By1(level),
                (2, _) | (_, HashFunction::Sha256) => HashWay::By2(level),
                _ => HashWay::By4(level),
            },
            Self::Lanes(_) if messages <= 1 => HashWay::One,
            Self::Lanes(level) => HashWay::Lanes(level),
        }
    }
}

/// Hashes `blocks` blocks of each of the messages that a way takes.
pub(super) fn step(
    hash: HashFunction,
    way: HashWay,
    chains: &mut [Chain],
    sources: &[&[HashBlock]],
    blocks: usize,
) {
    let work = Work { chains, sources, blocks };
    match (hash, way) {
        (HashFunction::Sha1, HashWay::One) => work.compress::<Sha1Words<One>, 1>(baseline()),
        (HashFunction::Sha1, HashWay::By1(level)) => sha1_by::<1>(level, work),
        (HashFunction::Sha1, HashWay::By2(level)) => sha1_by::<2>(level, work),
        (HashFunction::Sha1, HashWay::By4(level)) => sha1_by::<4>(level, work),
        (HashFunction::Sha1, HashWay::Lanes(level)) => sha1_in_lanes(level, work),
        (HashFunction::Sha256, HashWay::One) => work.compress::<Sha256Words<One>, 1>(baseline()),
        (HashFunction::Sha256, HashWay::By1(level)) => sha256_by::<1>(level, work),
        // Two messages keep the instructions of SHA-256 busy.
        (HashFunction::Sha256, HashWay::By2(level) | HashWay::By4(level)) => sha256_by::<2>(level, work),
        (HashFunction::Sha256, HashWay::Lanes(level)) => sha256_in_lanes(level, work),
    }
}

/// Chaining values, the blocks to hash into them, and the number of blocks.
struct Work<'w> {
    chains: &'w mut [Chain],
    sources: &'w [&'w [HashBlock]],
    blocks: usize,
}

impl Work<'_> {
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn compress<R: ShaRounds, const N: usize>(self, isa: R::Isa) {
        compress::<R, N>(isa, self.chains, self.sources, self.blocks);
    }
}

/// SHA-1 of `N` messages by instructions.
fn sha1_by<const N: usize>(level: ShaLevel, work: Work<'_>) {
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn at<I: ShaIsa, const N: usize>(isa: I, work: Work<'_>) {
        work.compress::<I::Sha1, N>(isa);
    }
    dispatch_sha!(level, isa => at::<_, N>(isa, work));
}

/// SHA-256 of `N` messages by instructions.
fn sha256_by<const N: usize>(level: ShaLevel, work: Work<'_>) {
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn at<I: ShaIsa, const N: usize>(isa: I, work: Work<'_>) {
        work.compress::<I::Sha256, N>(isa);
    }
    dispatch_sha!(level, isa => at::<_, N>(isa, work));
}

/// SHA-1 of a message in each lane.
fn sha1_in_lanes(level: Level, work: Work<'_>) {
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn at<I: WordsIsa>(isa: I, work: Work<'_>) {
        work.compress::<Sha1Words<Several<I::Words>>, 1>(isa);
    }
    dispatch!(level, isa => at(isa, work));
}

/// SHA-256 of a message in each lane.
fn sha256_in_lanes(level: Level, work: Work<'_>) {
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    fn at<I: WordsIsa>(isa: I, work: Work<'_>) {
        work.compress::<Sha256Words<Several<I::Words>>, 1>(isa);
    }
    dispatch!(level, isa => at(isa, work));
}
