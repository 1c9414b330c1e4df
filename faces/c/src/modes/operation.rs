//! Modes and directions by their numbers.

use std::ffi::c_int;

use abreast::modes::{CounterWidth, Direction};

use crate::status::Status;

/// A mode, and the direction where the two differ. Functions take it as an int: abreast_cipher_crypt, abreast_stream_new
/// and abreast_packets, each of which says which of these it has.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Encrypts whole blocks, each on its own (ECB). Equal blocks give equal blocks, so this is only for protocols that
    /// prescribe it. There is no initialisation vector.
    EcbEncrypt = 1,
    /// The inverse of ABREAST_ECB_ENCRYPT.
    EcbDecrypt = 2,
    /// Encrypts whole blocks in CBC. The vector is a block; it must be unpredictable. ABREAST_MESSAGE_TOO_LONG for more
    /// than 2^32 blocks of 64 bits.
    CbcEncrypt = 3,
    /// The inverse of ABREAST_CBC_ENCRYPT.
    CbcDecrypt = 4,
    /// Encrypts a message of any length in CFB with segments of a block (CFB128, CFB64). The vector is a block; it must
    /// be unpredictable.
    CfbEncrypt = 5,
    /// The inverse of ABREAST_CFB_ENCRYPT.
    CfbDecrypt = 6,
    /// ABREAST_CFB_ENCRYPT with segments of a byte (CFB8).
    Cfb8Encrypt = 7,
    /// The inverse of ABREAST_CFB8_ENCRYPT.
    Cfb8Decrypt = 8,
    /// XORs the keystream of output feedback into a message of any length: encryption and decryption are the same. The
    /// vector is a block; it must never repeat under a key.
    Ofb = 9,
    /// XORs the keystream of counter mode into a message of any length: encryption and decryption are the same. The
    /// vector is the first counter block, of which the low 16 bits count, big-endian (SRTP). No counter block may
    /// repeat under a key. ABREAST_COUNTER_EXHAUSTED for more than 2^16 blocks.
    Ctr16 = 10,
    /// Counter mode with 32 bits that count (GCM, IPsec). With blocks of 64 bits (TEA, XTEA), a message of more than 2^32
    /// blocks is ABREAST_COUNTER_EXHAUSTED whatever the width is: beyond that, the lack of equal blocks tells the
    /// keystream from random bytes.
    Ctr32 = 11,
    /// Counter mode with 64 bits that count (LTE; TEA, XTEA).
    Ctr64 = 12,
    /// Counter mode with 128 bits that count, which blocks of 64 bits do not have (ABREAST_COUNTER_WIDTH).
    Ctr128 = 13,
    /// Encrypts a data unit in XTS.
    XtsEncrypt = 14,
    /// The inverse of ABREAST_XTS_ENCRYPT.
    XtsDecrypt = 15,
    /// Encrypts a message in GCM and writes its tag.
    GcmEncrypt = 16,
    /// Decrypts a message in GCM if its tag is right; otherwise the output is zeros.
    GcmDecrypt = 17,
    /// Encrypts a message in EAX and writes its tag.
    EaxEncrypt = 18,
    /// Decrypts a message in EAX if its tag is right; otherwise the output is zeros.
    EaxDecrypt = 19,
    /// Encrypts a message by AEZ and writes its tag.
    AezEncrypt = 20,
    /// Decrypts a message by AEZ if its tag is right; otherwise the output is zeros.
    AezDecrypt = 21,
    /// Writes the tag of a message by CMAC.
    Cmac = 22,
    /// Compares the tag of a message by CMAC, in constant time.
    CmacVerify = 23,
    /// Encrypts a message in AES-GCM-SIV and writes its tag.
    GcmSivEncrypt = 24,
    /// Decrypts a message in AES-GCM-SIV if its tag is right; otherwise the output is zeros.
    GcmSivDecrypt = 25,
    /// Encrypts a message in SIV and writes its tag.
    SivEncrypt = 26,
    /// Decrypts a message in SIV if its tag is right; otherwise the output is zeros.
    SivDecrypt = 27,
    /// Encrypts a message in HCTR2.
    Hctr2Encrypt = 28,
    /// The inverse of ABREAST_HCTR2_ENCRYPT.
    Hctr2Decrypt = 29,
    /// Wraps a key of 16 bytes or more, a multiple of 8 (KW, RFC 3394), by abreast_key_wrap or abreast_wrap_packets.
    KeyWrap = 30,
    /// The inverse of ABREAST_KEY_WRAP.
    KeyUnwrap = 31,
    /// Wraps a key of 1 to 2^32 - 1 bytes, with zeros up to a multiple of 8 (KWP, RFC 5649), by abreast_key_wrap or
    /// abreast_wrap_packets.
    KeyWrapPadded = 32,
    /// The inverse of ABREAST_KEY_WRAP_PADDED.
    KeyUnwrapPadded = 33,
    /// Writes the tag of a message by HMAC-SHA-1.
    HmacSha1 = 34,
    /// Compares the tag of a message by HMAC-SHA-1, in constant time.
    HmacSha1Verify = 35,
    /// Writes the tag of a message by HMAC-SHA-256.
    HmacSha256 = 36,
    /// Compares the tag of a message by HMAC-SHA-256, in constant time.
    HmacSha256Verify = 37,
}

impl Operation {
    /// An operation by its number.
    // A match that returns its own input, which compiles to a comparison.
    #[inline(always)]
    pub(crate) fn of(number: c_int) -> Result<Self, Status> {
        Ok(match number {
            1 => Self::EcbEncrypt,
            2 => Self::EcbDecrypt,
            3 => Self::CbcEncrypt,
            4 => Self::CbcDecrypt,
            5 => Self::CfbEncrypt,
            6 => Self::CfbDecrypt,
            7 => Self::Cfb8Encrypt,
            8 => Self::Cfb8Decrypt,
            9 => Self::Ofb,
            10 => Self::Ctr16,
            11 => Self::Ctr32,
            12 => Self::Ctr64,
            13 => Self::Ctr128,
            14 => Self::XtsEncrypt,
            15 => Self::XtsDecrypt,
            16 => Self::GcmEncrypt,
            17 => Self::GcmDecrypt,
            18 => Self::EaxEncrypt,
            19 => Self::EaxDecrypt,
            20 => Self::AezEncrypt,
            21 => Self::AezDecrypt,
            22 => Self::Cmac,
            23 => Self::CmacVerify,
            24 => Self::GcmSivEncrypt,
            25 => Self::GcmSivDecrypt,
            26 => Self::SivEncrypt,
            27 => Self::SivDecrypt,
            28 => Self::Hctr2Encrypt,
            29 => Self::Hctr2Decrypt,
            30 => Self::KeyWrap,
            31 => Self::KeyUnwrap,
            32 => Self::KeyWrapPadded,
            33 => Self::KeyUnwrapPadded,
            34 => Self::HmacSha1,
            35 => Self::HmacSha1Verify,
            36 => Self::HmacSha256,
            37 => Self::HmacSha256Verify,
            _ => return Err(Status::Operation),
        })
    }

    /// The bits that count in counter mode.
    #[inline]
    pub(crate) fn counter_width(self) -> Option<CounterWidth> {
        match self {
            Self::Ctr16 => Some(CounterWidth::Bits16),
            Self::Ctr32 => Some(CounterWidth::Bits32),
            Self::Ctr64 => Some(CounterWidth::Bits64),
            Self::Ctr128 => Some(CounterWidth::Bits128),
            _ => None,
        }
    }
}

/// The direction of a stream with a tag.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub enum WhichWay {
    /// From plaintext to ciphertext.
    Encrypt = 0,
    /// From ciphertext to plaintext.
    Decrypt = 1,
}

/// A direction by its number.
pub(crate) fn direction(number: c_int) -> Result<Direction, Status> {
    match number {
        _ if number == WhichWay::Encrypt as c_int => Ok(Direction::Encrypt),
        _ if number == WhichWay::Decrypt as c_int => Ok(Direction::Decrypt),
        _ => Err(Status::Direction),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_has_its_number() {
        for number in Operation::EcbEncrypt as c_int..=Operation::HmacSha256Verify as c_int {
            assert_eq!(Operation::of(number).map(|operation| operation as c_int), Ok(number));
        }
        for none in [c_int::MIN, -1, 0, 38, c_int::MAX] {
            assert_eq!(Operation::of(none), Err(Status::Operation), "{none}");
        }
    }
}
