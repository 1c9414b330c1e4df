//! The work that a mode gives to a cipher in one call: the way from a mode's public type to its loop.
//!
//! An enum, so that a cipher has one method for all modes, virtual or not, and a mode is added here and
//! nowhere else. It is handed on by reference and results go through references, as
//! [`ModeLoop`](crate::engine::passes::ModeLoop) says: to move it would be to load as vectors what was stored word by word.

use crate::InOutBuf;
use crate::engine::backend::{ChainingValue, Direction, PassSizes};
use crate::engine::keyed::KeyedCipher;
use crate::engine::passes::Describe;
use crate::ghash::GhashKey;
use crate::loops::gcm::{self, GcmState};
use crate::loops::{cbc, cfb, cmac, eax, ecb, ofb, xts};

/// Work for any cipher. Data is whole blocks unless said.
#[doc(hidden)]
pub enum ModeCall<'a, 'i, 'o> {
    Ecb(Direction, &'a mut InOutBuf<'i, 'o, u8>),
    /// From the block before to the last block of ciphertext.
    Cbc(Direction, &'a mut ChainingValue, &'a mut InOutBuf<'i, 'o, u8>),
    /// Likewise.
    Cfb(Direction, &'a mut ChainingValue, &'a mut InOutBuf<'i, 'o, u8>),
    /// Bytes forward; from the last block of ciphertext to the one after it.
    Cfb8(&'a mut ChainingValue, &'a mut InOutBuf<'i, 'o, u8>),
    /// From the last block of keystream to the one after it.
    Ofb(&'a mut ChainingValue, &'a mut InOutBuf<'i, 'o, u8>),
    /// CBC-MAC: from the last block of output to the one after it.
    Mac(&'a mut ChainingValue, &'a [u8]),
    /// Counter mode, and CBC-MAC of the ciphertext.
    CtrMac(Direction, u128, &'a mut ChainingValue, &'a mut InOutBuf<'i, 'o, u8>),
    /// No data: how the kernel cuts it.
    PassLoop(&'a mut PassSizes),
}

impl ModeCall<'_, '_, '_> {
    /// Runs the job with the round keys given.
    #[cfg_attr(not(abreast_unoptimized), inline(always))]
    pub(crate) fn run(&mut self, keyed: &impl KeyedCipher) {
        use Direction::{Decrypt, Encrypt};
        match self {
            ModeCall::Ecb(Encrypt, io) => keyed.visit(ecb::EcbBlocks::<true> { io }),
            ModeCall::Ecb(Decrypt, io) => keyed.visit(ecb::EcbBlocks::<false> { io }),
            ModeCall::Cbc(Encrypt, chain, io) => keyed.visit(cbc::CbcEncrypt { chain, io }),
            ModeCall::Cbc(Decrypt, chain, io) => keyed.visit(cbc::CbcDecrypt { chain, io }),
            ModeCall::Cfb(Encrypt, chain, io) => keyed.visit(cfb::CfbEncrypt { chain, io }),
            ModeCall::Cfb(Decrypt, chain, io) => keyed.visit(cfb::CfbDecrypt { chain, io }),
            ModeCall::Cfb8(chain, io) => keyed.visit(cfb::Cfb8Encrypt { chain, io }),
            ModeCall::Ofb(chain, io) => keyed.visit(ofb::OfbKeystream { chain, io }),
            ModeCall::Mac(chain, data) => keyed.visit(cmac::CbcMac { chain, data }),
            ModeCall::CtrMac(Encrypt, counter, chain, io) => {
                keyed.visit(eax::CtrMac::<true> { counter: &(*counter).into(), chain, io });
            }
            ModeCall::CtrMac(Decrypt, counter, chain, io) => {
                keyed.visit(eax::CtrMac::<false> { counter: &(*counter).into(), chain, io });
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
            ModeCall128::Xts(Direction::Encrypt, tweaks, unit, io) => {
                keyed.visit(xts::XtsUnits::<true> { tweaks, unit: *unit, io });
            }
            ModeCall128::Xts(Direction::Decrypt, tweaks, unit, io) => {
                keyed.visit(xts::XtsUnits::<false> { tweaks, unit: *unit, io });
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
