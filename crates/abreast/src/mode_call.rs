//! The work that a mode gives to a cipher in one call: the way from a mode's public type to its loop.
//!
//! An enum, so that a cipher has one method for all modes, virtual or not, and a mode is added here and
//! nowhere else. It is handed on by reference and results go through references, as
//! [`Job`](crate::engine::passes::Job) says: to move it would be to load as vectors what was stored word by word.

use crate::InOutBuf;
use crate::engine::backend::{Chain, Direction, PassSizes};
use crate::engine::keyed::KeyedCipher;
use crate::engine::passes::Describe;
use crate::ghash::GhashKey;
use crate::loops::gcm::{self, Running};
use crate::loops::{cbc, cfb, cmac, eax, ecb, ofb, xts};

/// Work for any cipher. Data is whole blocks unless said.
#[doc(hidden)]
pub enum Work<'a, 'i, 'o> {
    Ecb(Direction, &'a mut InOutBuf<'i, 'o, u8>),
    /// From the block in front to the last block of ciphertext.
    Cbc(Direction, &'a mut Chain, &'a mut InOutBuf<'i, 'o, u8>),
    /// Likewise.
    Cfb(Direction, &'a mut Chain, &'a mut InOutBuf<'i, 'o, u8>),
    /// Bytes forward; from the last block of ciphertext to that behind.
    Cfb8(&'a mut Chain, &'a mut InOutBuf<'i, 'o, u8>),
    /// From the last block of keystream to that behind.
    Ofb(&'a mut Chain, &'a mut InOutBuf<'i, 'o, u8>),
    /// CBC-MAC: from the last block of output to that behind.
    Mac(&'a mut Chain, &'a [u8]),
    /// Counter mode, and CBC-MAC of the ciphertext.
    CtrMac(Direction, u128, &'a mut Chain, &'a mut InOutBuf<'i, 'o, u8>),
    /// No data: how the kernel cuts it.
    Passes(&'a mut PassSizes),
}

impl Work<'_, '_, '_> {
    /// Runs the job with the round keys given.
    #[inline(always)]
    pub(crate) fn run(&mut self, keyed: &impl KeyedCipher) {
        use Direction::{Decrypt, Encrypt};
        match self {
            Work::Ecb(Encrypt, io) => keyed.visit(ecb::Ecb::<true> { io }),
            Work::Ecb(Decrypt, io) => keyed.visit(ecb::Ecb::<false> { io }),
            Work::Cbc(Encrypt, chain, io) => keyed.visit(cbc::Encrypt { chain, io }),
            Work::Cbc(Decrypt, chain, io) => keyed.visit(cbc::Decrypt { chain, io }),
            Work::Cfb(Encrypt, chain, io) => keyed.visit(cfb::Encrypt { chain, io }),
            Work::Cfb(Decrypt, chain, io) => keyed.visit(cfb::Decrypt { chain, io }),
            Work::Cfb8(chain, io) => keyed.visit(cfb::Encrypt8 { chain, io }),
            Work::Ofb(chain, io) => keyed.visit(ofb::Keystream { chain, io }),
            Work::Mac(chain, data) => keyed.visit(cmac::Mac { chain, data }),
            Work::CtrMac(Encrypt, counter, chain, io) => {
                keyed.visit(eax::CtrMac::<true> { counter: &(*counter).into(), chain, io });
            }
            Work::CtrMac(Decrypt, counter, chain, io) => {
                keyed.visit(eax::CtrMac::<false> { counter: &(*counter).into(), chain, io });
            }
            Work::Passes(sizes) => **sizes = keyed.visit(Describe),
        }
    }
}

/// Work for ciphers with blocks of 128 bits.
#[doc(hidden)]
pub enum Work128<'a, 'i, 'o> {
    /// Data units of a given size, the last of which may be shorter, and their encrypted tweaks. All of
    /// them are whole blocks.
    Xts(Direction, &'a [Chain], usize, &'a mut InOutBuf<'i, 'o, u8>),
    GcmKey(&'a mut GhashKey),
    Gcm(gcm::Message<'a, 'i, 'o>),
    GcmBegin(gcm::Begin<'a>),
    GcmPiece(gcm::Piece<'a, 'i, 'o>),
    GcmHash(&'a GhashKey, &'a mut Running, &'a [u8]),
    GcmFinish(gcm::Finish<'a>),
}

impl Work128<'_, '_, '_> {
    /// Runs the job with the round keys given.
    #[inline(always)]
    pub(crate) fn run(&mut self, keyed: &impl KeyedCipher) {
        match self {
            Work128::Xts(Direction::Encrypt, tweaks, unit, io) => {
                keyed.visit(xts::Units::<true> { tweaks, unit: *unit, io });
            }
            Work128::Xts(Direction::Decrypt, tweaks, unit, io) => {
                keyed.visit(xts::Units::<false> { tweaks, unit: *unit, io });
            }
            Work128::GcmKey(key) => keyed.visit(gcm::MakeKey { key }),
            Work128::Gcm(message) => keyed.visit(message),
            Work128::GcmBegin(begin) => keyed.visit(begin),
            Work128::GcmPiece(piece) => keyed.visit(piece),
            Work128::GcmHash(key, running, data) => keyed.visit(gcm::Hash { key, running, data }),
            Work128::GcmFinish(finish) => keyed.visit(finish),
        }
    }
}
