//! The work that a mode gives to a cipher in one call: the way from a mode's public type to its loop.
//!
//! An enum, so that a cipher has one method for all modes, virtual or not, and a mode is added here and nowhere else. It is
//! handed on by reference and results go through references, as [`ModeLoop`](crate::engine::passes::ModeLoop) says: a move
//! would load as vectors the fields just stored word by word.

use crate::InOutBuf;
use crate::engine::backend::{Backward, ChainingValue, Direction, Forward, PassSizes};
use crate::engine::keyed::KeyedCipher;
use crate::engine::passes::Describe;
use crate::ghash::GhashKey;
use crate::loops::ecb;
use crate::loops::gcm::{self, GcmState};
#[cfg(feature = "modes")]
use crate::loops::{cbc, cfb, cmac, eax, ofb, xts};

/// Runs a loop in a direction: one for both where the rounds are calls, and otherwise one for each.
macro_rules! in_direction {
    ($keyed:expr, $direction:expr, $way:ident => $loop:expr) => {
        match ($direction, rounds_are_calls($keyed)) {
            ($way, true) => $keyed.visit($loop),
            (Direction::Encrypt, false) => {
                let $way = Forward;
                $keyed.visit($loop)
            }
            (Direction::Decrypt, false) => {
                let $way = Backward;
                $keyed.visit($loop)
            }
        }
    };
}

/// Returns a constant of the type of a key.
#[cfg_attr(not(abreast_unoptimized), inline(always))]
fn rounds_are_calls<K: KeyedCipher>(_: &K) -> bool {
    K::ROUNDS_ARE_CALLS
}

/// Work for any cipher. Data is whole blocks unless said.
#[doc(hidden)]
pub enum ModeCall<'a, 'i, 'o> {
    Ecb(Direction, &'a mut InOutBuf<'i, 'o, u8>),
    /// From the block before to the last block of ciphertext.
    #[cfg(feature = "modes")]
    Cbc(Direction, &'a mut ChainingValue, &'a mut InOutBuf<'i, 'o, u8>),
    /// From the block before to the last block of ciphertext, as for CBC.
    #[cfg(feature = "modes")]
    Cfb(Direction, &'a mut ChainingValue, &'a mut InOutBuf<'i, 'o, u8>),
    /// Bytes forward; from the last block of ciphertext to the one after it.
    #[cfg(feature = "modes")]
    Cfb8(&'a mut ChainingValue, &'a mut InOutBuf<'i, 'o, u8>),
    /// From the last block of keystream to the one after it.
    #[cfg(feature = "modes")]
    Ofb(&'a mut ChainingValue, &'a mut InOutBuf<'i, 'o, u8>),
    /// CBC-MAC: from the last block of output to the one after it.
    #[cfg(feature = "modes")]
    Mac(&'a mut ChainingValue, &'a [u8]),
    /// Counter mode, and CBC-MAC of the ciphertext.
    #[cfg(feature = "modes")]
    CtrMac(Direction, u128, &'a mut ChainingValue, &'a mut InOutBuf<'i, 'o, u8>),
    /// No data: how the kernel cuts it.
    PassLoop(&'a mut PassSizes),
}

impl ModeCall<'_, '_, '_> {
    /// Runs the job with the round keys given.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn run(&mut self, keyed: &impl KeyedCipher) {
        #[cfg(feature = "modes")]
        use Direction::{Decrypt, Encrypt};
        match self {
            ModeCall::Ecb(direction, io) => {
                in_direction!(keyed, *direction, way => ecb::EcbBlocks { way, io });
            }
            #[cfg(feature = "modes")]
            ModeCall::Cbc(Encrypt, chain, io) => keyed.visit(cbc::CbcEncrypt { chain, io }),
            #[cfg(feature = "modes")]
            ModeCall::Cbc(Decrypt, chain, io) => keyed.visit(cbc::CbcDecrypt { chain, io }),
            #[cfg(feature = "modes")]
            ModeCall::Cfb(Encrypt, chain, io) => keyed.visit(cfb::CfbEncrypt { chain, io }),
            #[cfg(feature = "modes")]
            ModeCall::Cfb(Decrypt, chain, io) => keyed.visit(cfb::CfbDecrypt { chain, io }),
            #[cfg(feature = "modes")]
            ModeCall::Cfb8(chain, io) => keyed.visit(cfb::Cfb8Encrypt { chain, io }),
            #[cfg(feature = "modes")]
            ModeCall::Ofb(chain, io) => keyed.visit(ofb::OfbKeystream { chain, io }),
            #[cfg(feature = "modes")]
            ModeCall::Mac(chain, data) => keyed.visit(cmac::CbcMac { chain, data }),
            #[cfg(feature = "modes")]
            ModeCall::CtrMac(direction, counter, chain, io) => {
                let counter = &(*counter).into();
                in_direction!(keyed, *direction, way => eax::CtrMac { way, counter, chain, io });
            }
            ModeCall::PassLoop(sizes) => **sizes = keyed.visit(Describe),
        }
    }
}

/// Work for ciphers with blocks of 128 bits.
#[doc(hidden)]
pub enum ModeCall128<'a, 'i, 'o> {
    /// Data units of a given size, the last of which may be shorter, and their encrypted tweaks. All of
    /// them are whole blocks.
    #[cfg(feature = "modes")]
    Xts(Direction, &'a [ChainingValue], usize, &'a mut InOutBuf<'i, 'o, u8>),
    GcmKey(&'a mut GhashKey),
    Gcm(gcm::GcmMessage<'a, 'i, 'o>),
    GcmBegin(gcm::GcmBegin<'a>),
    GcmPiece(gcm::GcmPiece<'a, 'i, 'o>),
    GcmHash(&'a GhashKey, &'a mut GcmState, &'a [u8]),
    GcmFinish(gcm::GcmFinish<'a>),
}

impl ModeCall128<'_, '_, '_> {
    /// Runs the job with the round keys given.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn run(&mut self, keyed: &impl KeyedCipher) {
        match self {
            #[cfg(feature = "modes")]
            ModeCall128::Xts(direction, tweaks, unit, io) => {
                in_direction!(keyed, *direction, way => xts::XtsUnits { way, tweaks, unit: *unit, io });
            }
            ModeCall128::GcmKey(key) => keyed.visit(gcm::GcmMakeKey { key }),
            ModeCall128::Gcm(message) => keyed.visit(message),
            ModeCall128::GcmBegin(begin) => keyed.visit(begin),
            ModeCall128::GcmPiece(piece) => keyed.visit(piece),
            ModeCall128::GcmHash(key, running, data) => keyed.visit(gcm::GcmHash { key, running, data }),
            ModeCall128::GcmFinish(finish) => keyed.visit(finish),
        }
    }
}
