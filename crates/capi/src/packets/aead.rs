//! Batches of the modes with tags.

use std::ffi::c_int;

use abreast::Error;
use abreast::aez::Aez;
use abreast::modes::{Cmac, Eax, Gcm};
use abreast::packets::{self, AezKey, CmacKey, EaxKey, GcmKey};

use crate::aez::with_tag_len;
use crate::cipher::{Shared, Shared128};

use super::{Items, PacketItem, Tag, each_tagged};

#[inline]
fn gcm(gcm: &Gcm<Shared128>, tag_len: usize) -> Result<GcmKey<'_>, Error> {
    Ok(gcm.with_tag_len(tag_len)?.into())
}

#[inline]
fn eax(eax: &Eax<Shared>, tag_len: usize) -> Result<EaxKey<'_>, Error> {
    Ok(eax.with_tag_len(tag_len)?.into())
}

#[inline]
fn cmac(cmac: &Cmac<Shared>, tag_len: usize) -> Result<CmacKey<'_>, Error> {
    Ok(cmac.with_tag_len(tag_len)?.into())
}

#[inline]
fn aez(aez: &Aez, tag_len: usize) -> Result<AezKey<'_>, Error> {
    Ok(with_tag_len(aez, tag_len)?.into())
}

/// Encrypts each packet and writes its tag as abreast_gcm_encrypt does.
///
/// key: abreast_gcm. iv: the nonce. Statuses: ABREAST_NONCE_LENGTH, ABREAST_TAG_LENGTH, ABREAST_MESSAGE_TOO_LONG.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_packets_gcm_encrypt(
    packets: Items<PacketItem>,
    count: usize,
    packet_size: usize,
) -> c_int {
    each_tagged(&packets, count, packet_size, Tag::Written, gcm, packets::gcm_encrypt)
}

/// Decrypts each packet whose tag is right and fills the others with zeros; the converse of
/// abreast_packets_gcm_encrypt.
///
/// Statuses: ABREAST_TAG_MISMATCH, and as there.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_packets_gcm_decrypt(
    packets: Items<PacketItem>,
    count: usize,
    packet_size: usize,
) -> c_int {
    each_tagged(&packets, count, packet_size, Tag::Compared, gcm, packets::gcm_decrypt)
}

/// Encrypts each packet and writes its tag as abreast_eax_encrypt does.
///
/// key: abreast_eax. iv: the nonce. Statuses: ABREAST_TAG_LENGTH.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_packets_eax_encrypt(
    packets: Items<PacketItem>,
    count: usize,
    packet_size: usize,
) -> c_int {
    each_tagged(&packets, count, packet_size, Tag::Written, eax, packets::eax_encrypt)
}

/// Decrypts each packet whose tag is right and fills the others with zeros; the converse of
/// abreast_packets_eax_encrypt.
///
/// Statuses: ABREAST_TAG_MISMATCH, and as there.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_packets_eax_decrypt(
    packets: Items<PacketItem>,
    count: usize,
    packet_size: usize,
) -> c_int {
    each_tagged(&packets, count, packet_size, Tag::Compared, eax, packets::eax_decrypt)
}

/// Writes the tag of the aad of each packet as abreast_cmac_mac does. There is no input and no output.
///
/// key: abreast_cmac. aad: the message. Statuses: ABREAST_TAG_LENGTH.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_packets_cmac(
    packets: Items<PacketItem>,
    count: usize,
    packet_size: usize,
) -> c_int {
    each_tagged(&packets, count, packet_size, Tag::Written, cmac, packets::cmac)
}

/// Compares the tag of the aad of each packet, in constant time.
///
/// Statuses: ABREAST_TAG_MISMATCH, and as for abreast_packets_cmac.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_packets_cmac_verify(
    packets: Items<PacketItem>,
    count: usize,
    packet_size: usize,
) -> c_int {
    each_tagged(&packets, count, packet_size, Tag::Compared, cmac, packets::cmac_verify)
}

/// Encrypts each packet and writes its tag as abreast_aez_encrypt does with one string of associated data, aad, or with
/// none if that is empty.
///
/// key: abreast_aez. iv: the nonce. Statuses: ABREAST_TAG_LENGTH, ABREAST_MESSAGE_TOO_LONG.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_packets_aez_encrypt(
    packets: Items<PacketItem>,
    count: usize,
    packet_size: usize,
) -> c_int {
    each_tagged(&packets, count, packet_size, Tag::Written, aez, packets::aez_encrypt)
}

/// Decrypts each packet whose tag is right and fills the others with zeros; the converse of
/// abreast_packets_aez_encrypt.
///
/// Statuses: ABREAST_TAG_MISMATCH, and as there.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_packets_aez_decrypt(
    packets: Items<PacketItem>,
    count: usize,
    packet_size: usize,
) -> c_int {
    each_tagged(&packets, count, packet_size, Tag::Compared, aez, packets::aez_decrypt)
}
