//! The batch of each operation.

use std::ffi::c_int;

use abreast::Error;
use abreast::hmac::{Sha1, Sha256};
use abreast::modes::Cmac;
use abreast::packets::{self, CmacKey, Hctr2Key, XtsKey};

use super::{HALF, Items, PacketItem, QUARTER, Tag, each, each_tagged, prepared};
use crate::cipher::{Shared, of_packets};
use crate::modes::aead;
use crate::modes::hmac::of_packets as of_hmac;
use crate::modes::operation::Operation;
use crate::status::{Status, call};

#[inline]
fn cmac(cmac: &Cmac<Shared>, tag_len: usize) -> Result<CmacKey<'_>, Error> {
    Ok(cmac.with_tag_len(tag_len)?.into())
}

/// Does an operation for each of many packets. The fields that it uses:
///
/// * ABREAST_ECB_ENCRYPT to ABREAST_CBC_DECRYPT, ABREAST_OFB, ABREAST_CTR16 to ABREAST_CTR128: key is an abreast_cipher,
///   iv the vector. The statuses are those of abreast_cipher_crypt, except that ECB ignores iv.
/// * ABREAST_XTS_ENCRYPT, ABREAST_XTS_DECRYPT: key is an abreast_xts, iv the number of the data unit, 16 bytes,
///   little-endian; the message is that unit. ABREAST_IV_LENGTH; ABREAST_UNIT_LENGTH for less than 16 bytes (0 too) or
///   more than 2^24.
/// * ABREAST_HCTR2_ENCRYPT, ABREAST_HCTR2_DECRYPT: key is an abreast_hctr2, iv the tweak. The statuses are those of
///   abreast_hctr2_encrypt. Packets that follow each other under one key take less time.
/// * ABREAST_GCM_ENCRYPT to ABREAST_AEZ_DECRYPT, ABREAST_GCM_SIV_ENCRYPT to ABREAST_SIV_DECRYPT: key is an abreast_aead of
///   that mode, iv the nonce, aad the associated data. The statuses are those of abreast_aead_encrypt and abreast_aead_decrypt.
/// * ABREAST_CMAC, ABREAST_CMAC_VERIFY: key is an abreast_cmac, aad the message; there is no input and no output. The
///   statuses are those of abreast_cmac_mac and abreast_cmac_verify.
/// * ABREAST_HMAC_SHA1 to ABREAST_HMAC_SHA256_VERIFY: key is an abreast_hmac for that hash, aad the message; there is no input and
///   no output. The statuses are those of abreast_hmac_mac and abreast_hmac_verify.
///
/// packet_size: sizeof(struct abreast_packet).
///
/// ABREAST_BATCH if some were not done: each has its own status. ABREAST_OPERATION for CFB and for a number that is no
/// operation: then nothing was done, and all packets have ABREAST_NOT_PROCESSED.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_packets(
    operation: c_int,
    packets: Items<PacketItem>,
    count: usize,
    packet_size: usize,
) -> c_int {
    // A loop of its own for each operation, which is chosen once per call and not per packet.
    macro_rules! each {
        (None, $key:expr, $run:expr) => {
            each(&packets, count, packet_size, $key, $run)
        };
        ($tag:ident, $window:ident, $key:expr, $run:expr) => {
            each_tagged::<$window, _, _>(&packets, count, packet_size, Tag::$tag, $key, $run)
        };
    }
    let none = || call(|| prepared(&packets, count, packet_size).and(Err(Status::Operation)));
    let operation = Operation::of(operation);
    if let Some(width) = operation.ok().and_then(Operation::counter_width) {
        return each!(None, of_packets, |window| packets::ctr(window, width));
    }
    match operation {
        Ok(Operation::EcbEncrypt) => each!(None, of_packets, packets::ecb_encrypt),
        Ok(Operation::EcbDecrypt) => each!(None, of_packets, packets::ecb_decrypt),
        Ok(Operation::CbcEncrypt) => each!(None, of_packets, packets::cbc_encrypt),
        Ok(Operation::CbcDecrypt) => each!(None, of_packets, packets::cbc_decrypt),
        Ok(Operation::Ofb) => each!(None, of_packets, packets::ofb),
        Ok(Operation::XtsEncrypt) => each!(None, XtsKey::from, packets::xts_encrypt),
        Ok(Operation::XtsDecrypt) => each!(None, XtsKey::from, packets::xts_decrypt),
        Ok(Operation::Hctr2Encrypt) => each!(None, Hctr2Key::from, packets::hctr2_encrypt),
        Ok(Operation::Hctr2Decrypt) => each!(None, Hctr2Key::from, packets::hctr2_decrypt),
        Ok(Operation::Cmac) => each!(Written, HALF, cmac, packets::cmac),
        Ok(Operation::CmacVerify) => each!(Compared, HALF, cmac, packets::cmac_verify),
        Ok(Operation::HmacSha1) => each!(Written, QUARTER, of_hmac::<Sha1>, packets::hmac),
        Ok(Operation::HmacSha1Verify) => each!(Compared, QUARTER, of_hmac::<Sha1>, packets::hmac_verify),
        Ok(Operation::HmacSha256) => each!(Written, QUARTER, of_hmac::<Sha256>, packets::hmac),
        Ok(Operation::HmacSha256Verify) => each!(Compared, QUARTER, of_hmac::<Sha256>, packets::hmac_verify),
        Ok(operation) => aead::batch(operation, &packets, count, packet_size).unwrap_or_else(none),
        Err(_) => none(),
    }
}
