//! Batches of the modes that are no more than encryption.

use std::ffi::c_int;

use abreast::packets::{self, XtsKey};

use super::{Items, PacketItem, each, prepared};
use crate::cipher::Keyed;
use crate::modes::ctr::width_of;
use crate::status::call;

/// Encrypts the blocks of each packet as abreast_ecb_encrypt does.
///
/// key: abreast_cipher. Statuses: ABREAST_PARTIAL_BLOCK.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_packets_ecb_encrypt(
    packets: Items<PacketItem>,
    count: usize,
    packet_size: usize,
) -> c_int {
    each(&packets, count, packet_size, Keyed::of_packets, packets::ecb_encrypt)
}

/// Decrypts the blocks of each packet; the converse of abreast_packets_ecb_encrypt.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_packets_ecb_decrypt(
    packets: Items<PacketItem>,
    count: usize,
    packet_size: usize,
) -> c_int {
    each(&packets, count, packet_size, Keyed::of_packets, packets::ecb_decrypt)
}

/// Encrypts each packet as abreast_cbc_encrypt does.
///
/// key: abreast_cipher. iv: a block. Statuses: ABREAST_IV_LENGTH, ABREAST_PARTIAL_BLOCK, ABREAST_MESSAGE_TOO_LONG.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_packets_cbc_encrypt(
    packets: Items<PacketItem>,
    count: usize,
    packet_size: usize,
) -> c_int {
    each(&packets, count, packet_size, Keyed::of_packets, packets::cbc_encrypt)
}

/// Decrypts each packet; the converse of abreast_packets_cbc_encrypt.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_packets_cbc_decrypt(
    packets: Items<PacketItem>,
    count: usize,
    packet_size: usize,
) -> c_int {
    each(&packets, count, packet_size, Keyed::of_packets, packets::cbc_decrypt)
}

/// Xors the keystream of counter mode into each packet as abreast_ctr_apply does, with counters of width bits.
///
/// key: abreast_cipher. iv: the first counter block. Statuses: ABREAST_COUNTER_LENGTH, ABREAST_COUNTER_WIDTH,
/// ABREAST_COUNTER_EXHAUSTED. The call itself gives ABREAST_COUNTER_WIDTH for a width that there is not; then nothing
/// was done, and all packets have ABREAST_NOT_PROCESSED.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_packets_ctr(
    packets: Items<PacketItem>,
    count: usize,
    packet_size: usize,
    width: u32,
) -> c_int {
    match width_of(width) {
        Ok(width) => {
            each(&packets, count, packet_size, Keyed::of_packets, |window| packets::ctr(window, width))
        }
        Err(status) => call(|| prepared(&packets, count, packet_size).and(Err(status))),
    }
}

/// Xors the keystream of output feedback into each packet as abreast_ofb_apply does.
///
/// key: abreast_cipher. iv: a block. Statuses: ABREAST_IV_LENGTH.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_packets_ofb(packets: Items<PacketItem>, count: usize, packet_size: usize) -> c_int {
    each(&packets, count, packet_size, Keyed::of_packets, packets::ofb)
}

/// Encrypts each packet, a data unit, as abreast_xts_encrypt does.
///
/// key: abreast_xts. iv: the number of the unit, 16 bytes, little-endian. Statuses: ABREAST_IV_LENGTH;
/// ABREAST_UNIT_LENGTH for less than 16 bytes (0 too) or more than 2^24.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_packets_xts_encrypt(
    packets: Items<PacketItem>,
    count: usize,
    packet_size: usize,
) -> c_int {
    each(&packets, count, packet_size, XtsKey::from, packets::xts_encrypt)
}

/// Decrypts each packet; the converse of abreast_packets_xts_encrypt.
#[unsafe(no_mangle)]
pub extern "C" fn abreast_packets_xts_decrypt(
    packets: Items<PacketItem>,
    count: usize,
    packet_size: usize,
) -> c_int {
    each(&packets, count, packet_size, XtsKey::from, packets::xts_decrypt)
}
