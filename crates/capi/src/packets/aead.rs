//! Batches of the modes with tags.

use std::ffi::c_int;

use abreast::aez::Aez;
use abreast::packets::{self, CmacKey, EaxKey, GcmKey};

use super::{Items, PacketItem, Tag, each};

/// Encrypts each packet and writes its tag as abreast_gcm_encrypt does.
///
/// key: abreast_gcm. iv: the nonce. Statuses: ABREAST_NONCE_LENGTH, ABREAST_TAG_LENGTH, ABREAST_MESSAGE_TOO_LONG.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_packets_gcm_encrypt(
    packets: Items<PacketItem>,
    count: usize,
    packet_size: usize,
) -> c_int {
    each(&packets, count, packet_size, Tag::Written, GcmKey::from, packets::gcm_encrypt)
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
    each(&packets, count, packet_size, Tag::Compared, GcmKey::from, packets::gcm_decrypt)
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
    each(&packets, count, packet_size, Tag::Written, EaxKey::from, packets::eax_encrypt)
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
    each(&packets, count, packet_size, Tag::Compared, EaxKey::from, packets::eax_decrypt)
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
    each(&packets, count, packet_size, Tag::Written, CmacKey::from, packets::cmac)
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
    each(&packets, count, packet_size, Tag::Compared, CmacKey::from, packets::cmac_verify)
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
    each(&packets, count, packet_size, Tag::Written, |aez: &Aez| aez, packets::aez_encrypt)
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
    each(&packets, count, packet_size, Tag::Compared, |aez: &Aez| aez, packets::aez_decrypt)
}
