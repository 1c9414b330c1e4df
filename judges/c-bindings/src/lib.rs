//! The declarations of `abreast.h`, by the names of C, for Rust code that calls the library as C does. `cargo xtask header`
//! writes this file; what the functions do is documented in the header.
//!
//! Handles are pointers to anything, so that tests may hand over one of a wrong type.

#![allow(unsafe_code, reason = "functions of C are declared")]
#![allow(missing_docs, reason = "abreast.h has the documentation")]
#![allow(non_camel_case_types, reason = "types have the names that C has for them")]

use std::ffi::{c_char, c_int, c_void};

// For its symbols, which the linker would leave out.
use abreast_capi as _;

pub const ARROW_FLAG_DICTIONARY_ORDERED: c_int = 1;
pub const ARROW_FLAG_NULLABLE: c_int = 2;
pub const ARROW_FLAG_MAP_KEYS_SORTED: c_int = 4;
pub const ABREAST_ABI_VERSION: c_int = 1;

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ArrowSchema {
    pub format: *const c_char,
    pub name: *const c_char,
    pub metadata: *const c_char,
    pub flags: i64,
    pub n_children: i64,
    pub children: *mut *mut ArrowSchema,
    pub dictionary: *mut ArrowSchema,
    pub release: Option<unsafe extern "C" fn(*mut ArrowSchema)>,
    pub private_data: *mut c_void,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ArrowArray {
    pub length: i64,
    pub null_count: i64,
    pub offset: i64,
    pub n_buffers: i64,
    pub n_children: i64,
    pub buffers: *mut *const c_void,
    pub children: *mut *mut ArrowArray,
    pub dictionary: *mut ArrowArray,
    pub release: Option<unsafe extern "C" fn(*mut ArrowArray)>,
    pub private_data: *mut c_void,
}
pub type abreast_cipher = c_void;
pub type abreast_aead = c_void;
pub type abreast_cmac = c_void;
pub type abreast_xts = c_void;
pub type abreast_hctr2 = c_void;
pub type abreast_hmac = c_void;
pub type abreast_srtp = c_void;
pub type abreast_esp = c_void;
pub type abreast_quic_key = c_void;
pub type abreast_quic_header_key = c_void;
pub type abreast_stream = c_void;
pub type abreast_padded_stream = c_void;
pub type abreast_aead_stream = c_void;
pub type abreast_cmac_stream = c_void;
pub type abreast_hmac_stream = c_void;
pub type abreast_rc4_stream = c_void;
pub type abreast_cgo_relay = c_void;
pub type abreast_cgo_client = c_void;
pub type abreast_device = c_void;
pub type abreast_device_cipher = c_void;
pub type abreast_device_xts = c_void;

pub type abreast_status = c_int;
pub const ABREAST_OK: c_int = 0;
pub const ABREAST_KEY_LENGTH: c_int = 1;
pub const ABREAST_KERNEL_UNAVAILABLE: c_int = 2;
pub const ABREAST_BUFFER_LENGTHS: c_int = 3;
pub const ABREAST_PARTIAL_BLOCK: c_int = 4;
pub const ABREAST_COUNTER_LENGTH: c_int = 5;
pub const ABREAST_COUNTER_WIDTH: c_int = 6;
pub const ABREAST_COUNTER_EXHAUSTED: c_int = 7;
pub const ABREAST_IV_LENGTH: c_int = 8;
pub const ABREAST_NONCE_LENGTH: c_int = 9;
pub const ABREAST_TAG_LENGTH: c_int = 10;
pub const ABREAST_BUFFER_TOO_SHORT: c_int = 11;
pub const ABREAST_MESSAGE_TOO_LONG: c_int = 12;
pub const ABREAST_PADDING: c_int = 13;
pub const ABREAST_EQUAL_KEYS: c_int = 14;
pub const ABREAST_UNIT_LENGTH: c_int = 15;
pub const ABREAST_BLOCK_LENGTH: c_int = 16;
pub const ABREAST_CYCLES: c_int = 17;
pub const ABREAST_PERMUTATION: c_int = 18;
pub const ABREAST_TAG_MISMATCH: c_int = 19;
pub const ABREAST_NOT_PROCESSED: c_int = 20;
pub const ABREAST_WRAP_LENGTH: c_int = 21;
pub const ABREAST_NULL_POINTER: c_int = 100;
pub const ABREAST_LENGTH: c_int = 101;
pub const ABREAST_OVERLAP: c_int = 102;
pub const ABREAST_ALIGNMENT: c_int = 103;
pub const ABREAST_STRUCT_SIZE: c_int = 104;
pub const ABREAST_UNKNOWN_CIPHER: c_int = 105;
pub const ABREAST_UNKNOWN_KERNEL: c_int = 106;
pub const ABREAST_WRONG_KEY: c_int = 107;
pub const ABREAST_DIRECTION: c_int = 108;
pub const ABREAST_FINISHED: c_int = 109;
pub const ABREAST_BATCH: c_int = 110;
pub const ABREAST_SELF_TEST: c_int = 111;
pub const ABREAST_PANIC: c_int = 112;
pub const ABREAST_OTHER: c_int = 113;
pub const ABREAST_DIFFERENT_CIPHERS: c_int = 114;
pub const ABREAST_OPERATION: c_int = 115;
pub const ABREAST_MEMORY_SIZE: c_int = 116;
pub const ABREAST_ASSOCIATED_DATA_LATE: c_int = 117;
pub const ABREAST_NO_OPENCL: c_int = 118;
pub const ABREAST_NO_DEVICE: c_int = 119;
pub const ABREAST_DEVICE_NAME: c_int = 120;
pub const ABREAST_DEVICE_UNSUITABLE: c_int = 121;
pub const ABREAST_DEVICE_KERNELS: c_int = 122;
pub const ABREAST_DEVICE_WRONG_RESULT: c_int = 123;
pub const ABREAST_DEVICE_MEMORY: c_int = 124;
pub const ABREAST_DEVICE_LOST: c_int = 125;
pub const ABREAST_DEVICE_TIMED_OUT: c_int = 126;
pub const ABREAST_DEVICE_DROPPED: c_int = 127;
pub const ABREAST_DEVICE_UNSUPPORTED: c_int = 128;
pub const ABREAST_OUT_OF_MEMORY: c_int = 129;
pub const ABREAST_MESSAGE_TOO_SHORT: c_int = 130;
pub const ABREAST_HEADER: c_int = 131;
pub const ABREAST_NO_HOP: c_int = 132;
pub const ABREAST_KEY_PHASE: c_int = 133;
pub const ABREAST_NOT_BEGUN: c_int = 134;
pub const ABREAST_STRING_LENGTHS: c_int = 135;
pub const ABREAST_COLUMN_TYPE: c_int = 136;
pub const ABREAST_COLUMN: c_int = 137;
pub const ABREAST_COLUMN_OFFSETS: c_int = 138;
pub const ABREAST_COLUMN_ROWS: c_int = 139;
pub const ABREAST_COLUMN_LENGTH: c_int = 140;

pub type abreast_operation = c_int;
pub const ABREAST_ECB_ENCRYPT: c_int = 1;
pub const ABREAST_ECB_DECRYPT: c_int = 2;
pub const ABREAST_CBC_ENCRYPT: c_int = 3;
pub const ABREAST_CBC_DECRYPT: c_int = 4;
pub const ABREAST_CFB_ENCRYPT: c_int = 5;
pub const ABREAST_CFB_DECRYPT: c_int = 6;
pub const ABREAST_CFB8_ENCRYPT: c_int = 7;
pub const ABREAST_CFB8_DECRYPT: c_int = 8;
pub const ABREAST_OFB: c_int = 9;
pub const ABREAST_CTR16: c_int = 10;
pub const ABREAST_CTR32: c_int = 11;
pub const ABREAST_CTR64: c_int = 12;
pub const ABREAST_CTR128: c_int = 13;
pub const ABREAST_XTS_ENCRYPT: c_int = 14;
pub const ABREAST_XTS_DECRYPT: c_int = 15;
pub const ABREAST_GCM_ENCRYPT: c_int = 16;
pub const ABREAST_GCM_DECRYPT: c_int = 17;
pub const ABREAST_EAX_ENCRYPT: c_int = 18;
pub const ABREAST_EAX_DECRYPT: c_int = 19;
pub const ABREAST_AEZ_ENCRYPT: c_int = 20;
pub const ABREAST_AEZ_DECRYPT: c_int = 21;
pub const ABREAST_CMAC: c_int = 22;
pub const ABREAST_CMAC_VERIFY: c_int = 23;
pub const ABREAST_GCM_SIV_ENCRYPT: c_int = 24;
pub const ABREAST_GCM_SIV_DECRYPT: c_int = 25;
pub const ABREAST_SIV_ENCRYPT: c_int = 26;
pub const ABREAST_SIV_DECRYPT: c_int = 27;
pub const ABREAST_HCTR2_ENCRYPT: c_int = 28;
pub const ABREAST_HCTR2_DECRYPT: c_int = 29;
pub const ABREAST_KEY_WRAP: c_int = 30;
pub const ABREAST_KEY_UNWRAP: c_int = 31;
pub const ABREAST_KEY_WRAP_PADDED: c_int = 32;
pub const ABREAST_KEY_UNWRAP_PADDED: c_int = 33;
pub const ABREAST_HMAC_SHA1: c_int = 34;
pub const ABREAST_HMAC_SHA1_VERIFY: c_int = 35;
pub const ABREAST_HMAC_SHA256: c_int = 36;
pub const ABREAST_HMAC_SHA256_VERIFY: c_int = 37;

pub type abreast_direction = c_int;
pub const ABREAST_ENCRYPT: c_int = 0;
pub const ABREAST_DECRYPT: c_int = 1;

pub type abreast_srtp_profile = c_int;
pub const ABREAST_SRTP_AES128_CM_SHA1_80: c_int = 1;
pub const ABREAST_SRTP_AES128_CM_SHA1_32: c_int = 2;
pub const ABREAST_SRTP_AES192_CM_SHA1_80: c_int = 3;
pub const ABREAST_SRTP_AES192_CM_SHA1_32: c_int = 4;
pub const ABREAST_SRTP_AES256_CM_SHA1_80: c_int = 5;
pub const ABREAST_SRTP_AES256_CM_SHA1_32: c_int = 6;
pub const ABREAST_SRTP_AES128_GCM: c_int = 7;
pub const ABREAST_SRTP_AES256_GCM: c_int = 8;

pub type abreast_srtp_protocol = c_int;
pub const ABREAST_SRTP_RTP: c_int = 0;
pub const ABREAST_SRTP_RTCP: c_int = 1;
pub const ABREAST_SRTP_CLEAR_RTCP: c_int = 2;

pub type abreast_esp_suite = c_int;
pub const ABREAST_ESP_CBC_HMAC_SHA1: c_int = 1;
pub const ABREAST_ESP_CBC_HMAC_SHA256: c_int = 2;
pub const ABREAST_ESP_CTR_HMAC_SHA1: c_int = 3;
pub const ABREAST_ESP_CTR_HMAC_SHA256: c_int = 4;
pub const ABREAST_ESP_GCM: c_int = 5;

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct abreast_string {
    pub data: *const u8,
    pub len: usize,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct abreast_packet {
    pub key: *const c_void,
    pub iv: *const u8,
    pub iv_len: usize,
    pub aad: *const u8,
    pub aad_len: usize,
    pub input: *const u8,
    pub output: *mut u8,
    pub len: usize,
    pub tag: *mut u8,
    pub tag_len: usize,
    pub status: c_int,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct abreast_wrap_packet {
    pub key: *const abreast_cipher,
    pub input: *const u8,
    pub len: usize,
    pub output: *mut u8,
    pub output_len: usize,
    pub written: usize,
    pub status: c_int,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct abreast_srtp_packet {
    pub session: *const abreast_srtp,
    pub packet: *mut u8,
    pub len: usize,
    pub capacity: usize,
    pub written: usize,
    pub index: u64,
    pub number: u32,
    pub protocol: c_int,
    pub status: c_int,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct abreast_esp_packet {
    pub association: *const abreast_esp,
    pub packet: *mut u8,
    pub len: usize,
    pub capacity: usize,
    pub iv: *const u8,
    pub iv_len: usize,
    pub written: usize,
    pub sequence: u64,
    pub status: c_int,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct abreast_quic_packet {
    pub header_key: *const abreast_quic_header_key,
    pub keys: [*const abreast_quic_key; 2],
    pub packet: *mut u8,
    pub len: usize,
    pub number_at: usize,
    pub number: u64,
    pub header_len: usize,
    pub status: c_int,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct abreast_rc4_piece {
    pub stream: *mut abreast_rc4_stream,
    pub input: *const u8,
    pub output: *mut u8,
    pub len: usize,
    pub status: c_int,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct abreast_rc4_message {
    pub key: *const u8,
    pub key_len: usize,
    pub skip: u64,
    pub input: *const u8,
    pub output: *mut u8,
    pub len: usize,
    pub status: c_int,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct abreast_xtea_message {
    pub key: *const u8,
    pub input: *const u8,
    pub output: *mut u8,
    pub len: usize,
    pub status: c_int,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct abreast_cgo_cell {
    pub relay: *mut abreast_cgo_relay,
    pub cell: *mut u8,
    pub command: u8,
    pub has_tag: u8,
    pub tag: [u8; 16],
    pub status: c_int,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct abreast_device_info {
    pub name: *const c_char,
    pub kind: *const c_char,
    pub driver: *const c_char,
    pub kernel: *const c_char,
    pub unusable: *const c_char,
    pub memory: u64,
}

#[rustfmt::skip]
unsafe extern "C" {
    pub fn abreast_version() -> *const c_char;
    pub fn abreast_abi_version() -> u32;
    pub fn abreast_self_test() -> c_int;
    pub fn abreast_cipher_at(index: usize) -> *const c_char;
    pub fn abreast_cipher_key_size(name: *const c_char) -> usize;
    pub fn abreast_kernel_at(cipher: *const c_char, index: usize) -> *const c_char;
    pub fn abreast_status_text(status: c_int) -> *const c_char;
    pub fn abreast_cipher_new(name: *const c_char, key: *const u8, key_len: usize, kernel: *const c_char, cipher: *mut *mut abreast_cipher) -> c_int;
    pub fn abreast_cipher_size(name: *const c_char) -> usize;
    pub fn abreast_cipher_init(memory: *mut u8, size: usize, name: *const c_char, key: *const u8, key_len: usize, kernel: *const c_char, cipher: *mut *mut abreast_cipher) -> c_int;
    pub fn abreast_ciphers_init(memory: *mut u8, stride: usize, count: usize, name: *const c_char, keys: *const u8, key_len: usize, kernel: *const c_char, ciphers: *mut *mut abreast_cipher) -> c_int;
    pub fn abreast_cipher_free(cipher: *mut abreast_cipher);
    pub fn abreast_cipher_block_size(cipher: *const abreast_cipher) -> usize;
    pub fn abreast_cipher_name(cipher: *const abreast_cipher) -> *const c_char;
    pub fn abreast_cipher_kernel(cipher: *const abreast_cipher) -> *const c_char;
    pub fn abreast_aes_new(key: *const u8, key_len: usize, kernel: *const c_char, cipher: *mut *mut abreast_cipher) -> c_int;
    pub fn abreast_serpent_new(key: *const u8, key_len: usize, kernel: *const c_char, cipher: *mut *mut abreast_cipher) -> c_int;
    pub fn abreast_tea_new(key: *const u8, big_endian: c_int, kernel: *const c_char, cipher: *mut *mut abreast_cipher) -> c_int;
    pub fn abreast_xtea_new(key: *const u8, big_endian: c_int, cycles: u8, kernel: *const c_char, cipher: *mut *mut abreast_cipher) -> c_int;
    pub fn abreast_xtea_new_expanded(round_keys: *const u32, big_endian: c_int, cipher: *mut *mut abreast_cipher) -> c_int;
    pub fn abreast_xtea_encrypt(round_keys: *const u32, input: *const u8, output: *mut u8, len: usize) -> c_int;
    pub fn abreast_xtea_decrypt(round_keys: *const u32, input: *const u8, output: *mut u8, len: usize) -> c_int;
    pub fn abreast_padded_stream_new(cipher: *const abreast_cipher, operation: c_int, padding: c_int, iv: *const u8, iv_len: usize, stream: *mut *mut abreast_padded_stream) -> c_int;
    pub fn abreast_padded_stream_size() -> usize;
    pub fn abreast_padded_stream_init(memory: *mut u8, size: usize, cipher: *const abreast_cipher, operation: c_int, padding: c_int, iv: *const u8, iv_len: usize, stream: *mut *mut abreast_padded_stream) -> c_int;
    pub fn abreast_padded_stream_reset(stream: *mut abreast_padded_stream, iv: *const u8, iv_len: usize) -> c_int;
    pub fn abreast_padded_stream_update(stream: *mut abreast_padded_stream, input: *const u8, len: usize, output: *mut u8, capacity: usize, written: *mut usize) -> c_int;
    pub fn abreast_padded_stream_finish(stream: *mut abreast_padded_stream, output: *mut u8, capacity: usize, written: *mut usize) -> c_int;
    pub fn abreast_padded_stream_clone(stream: *const abreast_padded_stream, clone: *mut *mut abreast_padded_stream) -> c_int;
    pub fn abreast_padded_stream_free(stream: *mut abreast_padded_stream);
    pub fn abreast_cipher_crypt(cipher: *const abreast_cipher, operation: c_int, iv: *const u8, iv_len: usize, input: *const u8, output: *mut u8, len: usize) -> c_int;
    pub fn abreast_cbc_encrypt_padded(cipher: *const abreast_cipher, iv: *const u8, iv_len: usize, buffer: *mut u8, capacity: usize, len: usize, padded_len: *mut usize) -> c_int;
    pub fn abreast_cbc_decrypt_padded(cipher: *const abreast_cipher, iv: *const u8, iv_len: usize, buffer: *mut u8, len: usize, plain_len: *mut usize) -> c_int;
    pub fn abreast_stream_new(cipher: *const abreast_cipher, operation: c_int, iv: *const u8, iv_len: usize, stream: *mut *mut abreast_stream) -> c_int;
    pub fn abreast_stream_size() -> usize;
    pub fn abreast_stream_init(memory: *mut u8, size: usize, cipher: *const abreast_cipher, operation: c_int, iv: *const u8, iv_len: usize, stream: *mut *mut abreast_stream) -> c_int;
    pub fn abreast_stream_reset(stream: *mut abreast_stream, iv: *const u8, iv_len: usize) -> c_int;
    pub fn abreast_stream_apply(stream: *mut abreast_stream, input: *const u8, output: *mut u8, len: usize) -> c_int;
    pub fn abreast_stream_seek(stream: *mut abreast_stream, byte: u64) -> c_int;
    pub fn abreast_stream_position(stream: *const abreast_stream, byte: *mut u64) -> c_int;
    pub fn abreast_stream_iv(stream: *const abreast_stream, iv: *mut u8, iv_len: usize) -> c_int;
    pub fn abreast_stream_clone(stream: *const abreast_stream, clone: *mut *mut abreast_stream) -> c_int;
    pub fn abreast_stream_free(stream: *mut abreast_stream);
    pub fn abreast_gcm_new(cipher: *const abreast_cipher, aead: *mut *mut abreast_aead) -> c_int;
    pub fn abreast_gcm_size() -> usize;
    pub fn abreast_gcm_init(memory: *mut u8, size: usize, cipher: *const abreast_cipher, aead: *mut *mut abreast_aead) -> c_int;
    pub fn abreast_aes_gcm_new(key: *const u8, key_len: usize, kernel: *const c_char, aead: *mut *mut abreast_aead) -> c_int;
    pub fn abreast_eax_new(cipher: *const abreast_cipher, aead: *mut *mut abreast_aead) -> c_int;
    pub fn abreast_eax_size() -> usize;
    pub fn abreast_eax_init(memory: *mut u8, size: usize, cipher: *const abreast_cipher, aead: *mut *mut abreast_aead) -> c_int;
    pub fn abreast_gcm_siv_new(key: *const u8, key_len: usize, kernel: *const c_char, aead: *mut *mut abreast_aead) -> c_int;
    pub fn abreast_gcm_siv_size() -> usize;
    pub fn abreast_gcm_siv_init(memory: *mut u8, size: usize, key: *const u8, key_len: usize, kernel: *const c_char, aead: *mut *mut abreast_aead) -> c_int;
    pub fn abreast_siv_new(mac: *const abreast_cipher, text: *const abreast_cipher, aead: *mut *mut abreast_aead) -> c_int;
    pub fn abreast_siv_size() -> usize;
    pub fn abreast_siv_init(memory: *mut u8, size: usize, mac: *const abreast_cipher, text: *const abreast_cipher, aead: *mut *mut abreast_aead) -> c_int;
    pub fn abreast_aead_free(aead: *mut abreast_aead);
    pub fn abreast_aead_kernel(aead: *const abreast_aead) -> *const c_char;
    pub fn abreast_aead_encrypt(aead: *const abreast_aead, nonce: *const u8, nonce_len: usize, aad: *const u8, aad_len: usize, input: *const u8, output: *mut u8, len: usize, tag: *mut u8, tag_len: usize) -> c_int;
    pub fn abreast_aead_decrypt(aead: *const abreast_aead, nonce: *const u8, nonce_len: usize, aad: *const u8, aad_len: usize, input: *const u8, output: *mut u8, len: usize, tag: *const u8, tag_len: usize) -> c_int;
    pub fn abreast_aead_stream_new(aead: *const abreast_aead, direction: c_int, nonce: *const u8, nonce_len: usize, aad: *const u8, aad_len: usize, stream: *mut *mut abreast_aead_stream) -> c_int;
    pub fn abreast_aead_stream_new_idle(aead: *const abreast_aead, stream: *mut *mut abreast_aead_stream) -> c_int;
    pub fn abreast_aead_stream_size() -> usize;
    pub fn abreast_aead_stream_init(memory: *mut u8, size: usize, aead: *const abreast_aead, stream: *mut *mut abreast_aead_stream) -> c_int;
    pub fn abreast_aead_stream_begin(stream: *mut abreast_aead_stream, direction: c_int, nonce: *const u8, nonce_len: usize, aad: *const u8, aad_len: usize) -> c_int;
    pub fn abreast_aead_stream_reset(stream: *mut abreast_aead_stream, nonce: *const u8, nonce_len: usize, aad: *const u8, aad_len: usize) -> c_int;
    pub fn abreast_aead_stream_aad(stream: *mut abreast_aead_stream, aad: *const u8, aad_len: usize) -> c_int;
    pub fn abreast_aead_stream_update(stream: *mut abreast_aead_stream, input: *const u8, output: *mut u8, len: usize) -> c_int;
    pub fn abreast_aead_stream_finish(stream: *mut abreast_aead_stream, tag: *mut u8, tag_len: usize) -> c_int;
    pub fn abreast_aead_stream_verify(stream: *mut abreast_aead_stream, tag: *const u8, tag_len: usize) -> c_int;
    pub fn abreast_aead_stream_clone(stream: *const abreast_aead_stream, clone: *mut *mut abreast_aead_stream) -> c_int;
    pub fn abreast_aead_stream_free(stream: *mut abreast_aead_stream);
    pub fn abreast_cmac_new(cipher: *const abreast_cipher, cmac: *mut *mut abreast_cmac) -> c_int;
    pub fn abreast_cmac_free(cmac: *mut abreast_cmac);
    pub fn abreast_cmac_mac(cmac: *const abreast_cmac, message: *const u8, len: usize, tag: *mut u8, tag_len: usize) -> c_int;
    pub fn abreast_cmac_verify(cmac: *const abreast_cmac, message: *const u8, len: usize, tag: *const u8, tag_len: usize) -> c_int;
    pub fn abreast_cmac_stream_new(cmac: *const abreast_cmac, stream: *mut *mut abreast_cmac_stream) -> c_int;
    pub fn abreast_cmac_stream_size() -> usize;
    pub fn abreast_cmac_stream_init(memory: *mut u8, size: usize, cmac: *const abreast_cmac, stream: *mut *mut abreast_cmac_stream) -> c_int;
    pub fn abreast_cmac_stream_reset(stream: *mut abreast_cmac_stream) -> c_int;
    pub fn abreast_cmac_stream_update(stream: *mut abreast_cmac_stream, data: *const u8, len: usize) -> c_int;
    pub fn abreast_cmac_stream_finish(stream: *mut abreast_cmac_stream, tag: *mut u8, tag_len: usize) -> c_int;
    pub fn abreast_cmac_stream_verify(stream: *mut abreast_cmac_stream, tag: *const u8, tag_len: usize) -> c_int;
    pub fn abreast_cmac_stream_clone(stream: *const abreast_cmac_stream, clone: *mut *mut abreast_cmac_stream) -> c_int;
    pub fn abreast_cmac_stream_free(stream: *mut abreast_cmac_stream);
    pub fn abreast_hctr2_new(cipher: *const abreast_cipher, hctr2: *mut *mut abreast_hctr2) -> c_int;
    pub fn abreast_hctr2_free(hctr2: *mut abreast_hctr2);
    pub fn abreast_hctr2_encrypt(hctr2: *const abreast_hctr2, tweak: *const u8, tweak_len: usize, input: *const u8, output: *mut u8, len: usize) -> c_int;
    pub fn abreast_hctr2_decrypt(hctr2: *const abreast_hctr2, tweak: *const u8, tweak_len: usize, input: *const u8, output: *mut u8, len: usize) -> c_int;
    pub fn abreast_hmac_sha1_new(key: *const u8, key_len: usize, kernel: *const c_char, hmac: *mut *mut abreast_hmac) -> c_int;
    pub fn abreast_hmac_sha256_new(key: *const u8, key_len: usize, kernel: *const c_char, hmac: *mut *mut abreast_hmac) -> c_int;
    pub fn abreast_hmac_free(hmac: *mut abreast_hmac);
    pub fn abreast_hmac_kernel(hmac: *const abreast_hmac) -> *const c_char;
    pub fn abreast_hmac_mac(hmac: *const abreast_hmac, message: *const u8, len: usize, tag: *mut u8, tag_len: usize) -> c_int;
    pub fn abreast_hmac_verify(hmac: *const abreast_hmac, message: *const u8, len: usize, tag: *const u8, tag_len: usize) -> c_int;
    pub fn abreast_hmac_stream_new(hmac: *const abreast_hmac, stream: *mut *mut abreast_hmac_stream) -> c_int;
    pub fn abreast_hmac_stream_size() -> usize;
    pub fn abreast_hmac_stream_init(memory: *mut u8, size: usize, hmac: *const abreast_hmac, stream: *mut *mut abreast_hmac_stream) -> c_int;
    pub fn abreast_hmac_stream_reset(stream: *mut abreast_hmac_stream) -> c_int;
    pub fn abreast_hmac_stream_update(stream: *mut abreast_hmac_stream, data: *const u8, len: usize) -> c_int;
    pub fn abreast_hmac_stream_finish(stream: *mut abreast_hmac_stream, tag: *mut u8, tag_len: usize) -> c_int;
    pub fn abreast_hmac_stream_verify(stream: *mut abreast_hmac_stream, tag: *const u8, tag_len: usize) -> c_int;
    pub fn abreast_hmac_stream_clone(stream: *const abreast_hmac_stream, clone: *mut *mut abreast_hmac_stream) -> c_int;
    pub fn abreast_hmac_stream_free(stream: *mut abreast_hmac_stream);
    pub fn abreast_key_wrap(wrapping: *const abreast_cipher, operation: c_int, input: *const u8, len: usize, output: *mut u8, output_len: usize, written: *mut usize) -> c_int;
    pub fn abreast_wrap_packets(operation: c_int, packets: *mut abreast_wrap_packet, count: usize, packet_size: usize) -> c_int;
    pub fn abreast_xts_new(data: *const abreast_cipher, tweak: *const abreast_cipher, xts: *mut *mut abreast_xts) -> c_int;
    pub fn abreast_xts_free(xts: *mut abreast_xts);
    pub fn abreast_xts_encrypt(xts: *const abreast_xts, first: *const u8, unit: usize, input: *const u8, output: *mut u8, len: usize) -> c_int;
    pub fn abreast_xts_decrypt(xts: *const abreast_xts, first: *const u8, unit: usize, input: *const u8, output: *mut u8, len: usize) -> c_int;
    pub fn abreast_aead_encrypt_strings(aead: *const abreast_aead, nonce: *const u8, nonce_len: usize, ad: *const u8, ad_len: usize, ad_lens: *const usize, ad_count: usize, input: *const u8, output: *mut u8, len: usize, tag: *mut u8, tag_len: usize) -> c_int;
    pub fn abreast_aead_decrypt_strings(aead: *const abreast_aead, nonce: *const u8, nonce_len: usize, ad: *const u8, ad_len: usize, ad_lens: *const usize, ad_count: usize, input: *const u8, output: *mut u8, len: usize, tag: *const u8, tag_len: usize) -> c_int;
    pub fn abreast_column_encrypt(aead: *const abreast_aead, schema: *const ArrowSchema, array: *const ArrowArray, prefix: *const u8, prefix_len: usize, nonces: *const u8, nonces_len: usize, aad: *const u8, aad_len: usize, aad_schema: *const ArrowSchema, aad_array: *const ArrowArray, schema_out: *mut ArrowSchema, array_out: *mut ArrowArray) -> c_int;
    pub fn abreast_column_decrypt(aead: *const abreast_aead, schema: *const ArrowSchema, array: *const ArrowArray, prefix: *const u8, prefix_len: usize, aad: *const u8, aad_len: usize, aad_schema: *const ArrowSchema, aad_array: *const ArrowArray, invalid: *mut usize, schema_out: *mut ArrowSchema, array_out: *mut ArrowArray) -> c_int;
    pub fn abreast_aez_new(key: *const u8, key_len: usize, kernel: *const c_char, aead: *mut *mut abreast_aead) -> c_int;
    pub fn abreast_aez_size() -> usize;
    pub fn abreast_aez_init(memory: *mut u8, size: usize, key: *const u8, key_len: usize, kernel: *const c_char, aead: *mut *mut abreast_aead) -> c_int;
    pub fn abreast_aez_encrypt(aead: *const abreast_aead, nonce: *const u8, nonce_len: usize, ad: *const abreast_string, ad_count: usize, input: *const u8, output: *mut u8, len: usize, tag: *mut u8, tag_len: usize) -> c_int;
    pub fn abreast_aez_decrypt(aead: *const abreast_aead, nonce: *const u8, nonce_len: usize, ad: *const abreast_string, ad_count: usize, input: *const u8, output: *mut u8, len: usize, tag: *const u8, tag_len: usize) -> c_int;
    pub fn abreast_aez_encrypt_joined(aead: *const abreast_aead, nonce: *const u8, nonce_len: usize, ad: *const abreast_string, ad_count: usize, tag_len: usize, input: *const u8, output: *mut u8, len: usize) -> c_int;
    pub fn abreast_aez_decrypt_joined(aead: *const abreast_aead, nonce: *const u8, nonce_len: usize, ad: *const abreast_string, ad_count: usize, tag_len: usize, input: *const u8, output: *mut u8, len: usize) -> c_int;
    pub fn abreast_cgo_relay_new(keys: *const u8, keys_len: usize, kernel: *const c_char, relay: *mut *mut abreast_cgo_relay) -> c_int;
    pub fn abreast_cgo_relay_free(relay: *mut abreast_cgo_relay);
    pub fn abreast_cgo_forward(cells: *mut abreast_cgo_cell, count: usize, cell_size: usize) -> c_int;
    pub fn abreast_cgo_backward(cells: *mut abreast_cgo_cell, count: usize, cell_size: usize) -> c_int;
    pub fn abreast_cgo_originate(cells: *mut abreast_cgo_cell, count: usize, cell_size: usize) -> c_int;
    pub fn abreast_cgo_client_new(client: *mut *mut abreast_cgo_client) -> c_int;
    pub fn abreast_cgo_client_add_hop(client: *mut abreast_cgo_client, keys: *const u8, keys_len: usize, kernel: *const c_char) -> c_int;
    pub fn abreast_cgo_client_originate(client: *mut abreast_cgo_client, hop: usize, command: u8, cell: *mut u8, tag: *mut u8) -> c_int;
    pub fn abreast_cgo_client_backward(client: *mut abreast_cgo_client, command: u8, cell: *mut u8, hop: *mut usize, tag: *mut u8) -> c_int;
    pub fn abreast_cgo_client_free(client: *mut abreast_cgo_client);
    pub fn abreast_rc4_apply(key: *const u8, key_len: usize, skip: u64, input: *const u8, output: *mut u8, len: usize) -> c_int;
    pub fn abreast_rc4_stream_new(key: *const u8, key_len: usize, stream: *mut *mut abreast_rc4_stream) -> c_int;
    pub fn abreast_rc4_stream_size() -> usize;
    pub fn abreast_rc4_stream_init(memory: *mut u8, size: usize, key: *const u8, key_len: usize, stream: *mut *mut abreast_rc4_stream) -> c_int;
    pub fn abreast_rc4_stream_import(state: *const u8, stream: *mut *mut abreast_rc4_stream) -> c_int;
    pub fn abreast_rc4_stream_export(stream: *const abreast_rc4_stream, state: *mut u8) -> c_int;
    pub fn abreast_rc4_stream_skip(stream: *mut abreast_rc4_stream, bytes: u64) -> c_int;
    pub fn abreast_rc4_stream_apply(stream: *mut abreast_rc4_stream, input: *const u8, output: *mut u8, len: usize) -> c_int;
    pub fn abreast_rc4_stream_free(stream: *mut abreast_rc4_stream);
    pub fn abreast_rc4_apply_streams(pieces: *mut abreast_rc4_piece, count: usize, piece_size: usize) -> c_int;
    pub fn abreast_rc4_apply_keys(messages: *mut abreast_rc4_message, count: usize, message_size: usize) -> c_int;
    pub fn abreast_packets(operation: c_int, packets: *mut abreast_packet, count: usize, packet_size: usize) -> c_int;
    pub fn abreast_srtp_new(profile: c_int, master_key: *const u8, key_len: usize, master_salt: *const u8, salt_len: usize, session: *mut *mut abreast_srtp) -> c_int;
    pub fn abreast_srtp_free(session: *mut abreast_srtp);
    pub fn abreast_srtp_estimated_index(rollovers: u32, highest: u16, sequence: u16) -> u64;
    pub fn abreast_srtp_protect(packets: *mut abreast_srtp_packet, count: usize, packet_size: usize) -> c_int;
    pub fn abreast_srtp_unprotect(packets: *mut abreast_srtp_packet, count: usize, packet_size: usize) -> c_int;
    pub fn abreast_esp_new(suite: c_int, spi: u32, key: *const u8, key_len: usize, auth_key: *const u8, auth_key_len: usize, extended: c_int, association: *mut *mut abreast_esp) -> c_int;
    pub fn abreast_esp_free(association: *mut abreast_esp);
    pub fn abreast_esp_seal(packets: *mut abreast_esp_packet, count: usize, packet_size: usize) -> c_int;
    pub fn abreast_esp_open(packets: *mut abreast_esp_packet, count: usize, packet_size: usize) -> c_int;
    pub fn abreast_quic_key_new(key: *const u8, key_len: usize, iv: *const u8, quic_key: *mut *mut abreast_quic_key) -> c_int;
    pub fn abreast_quic_key_free(quic_key: *mut abreast_quic_key);
    pub fn abreast_quic_header_key_new(key: *const u8, key_len: usize, header_key: *mut *mut abreast_quic_header_key) -> c_int;
    pub fn abreast_quic_header_key_free(header_key: *mut abreast_quic_header_key);
    pub fn abreast_quic_mask(header_key: *const abreast_quic_header_key, sample: *const u8, mask: *mut u8) -> c_int;
    pub fn abreast_quic_seal(packets: *mut abreast_quic_packet, count: usize, packet_size: usize) -> c_int;
    pub fn abreast_quic_open(packets: *mut abreast_quic_packet, count: usize, packet_size: usize) -> c_int;
    pub fn abreast_device_at(index: usize, info: *mut abreast_device_info, info_size: usize) -> c_int;
    pub fn abreast_device_new(name: *const c_char, cache: *const c_char, time_limit: u32, device: *mut *mut abreast_device) -> c_int;
    pub fn abreast_device_free(device: *mut abreast_device);
    pub fn abreast_device_cipher_new(device: *const abreast_device, name: *const c_char, key: *const u8, key_len: usize, kernel: *const c_char, cipher: *mut *mut abreast_device_cipher) -> c_int;
    pub fn abreast_device_cipher_free(cipher: *mut abreast_device_cipher);
    pub fn abreast_device_cipher_crypt(cipher: *const abreast_device_cipher, operation: c_int, iv: *const u8, iv_len: usize, input: *const u8, output: *mut u8, len: usize, done: *mut usize) -> c_int;
    pub fn abreast_device_xts_new(device: *const abreast_device, name: *const c_char, data: *const u8, tweak: *const u8, key_len: usize, kernel: *const c_char, xts: *mut *mut abreast_device_xts) -> c_int;
    pub fn abreast_device_xts_free(xts: *mut abreast_device_xts);
    pub fn abreast_device_xts_encrypt(xts: *const abreast_device_xts, first: *const u8, unit: usize, input: *const u8, output: *mut u8, len: usize, done: *mut usize) -> c_int;
    pub fn abreast_device_xts_decrypt(xts: *const abreast_device_xts, first: *const u8, unit: usize, input: *const u8, output: *mut u8, len: usize, done: *mut usize) -> c_int;
    pub fn abreast_device_xtea_apply_keys(device: *const abreast_device, direction: c_int, big_endian: c_int, messages: *mut abreast_xtea_message, count: usize, message_size: usize) -> c_int;
    pub fn abreast_device_rc4_apply_keys(device: *const abreast_device, messages: *mut abreast_rc4_message, count: usize, message_size: usize) -> c_int;
    pub fn abreast_device_xtea_try_keys(device: *const abreast_device, big_endian: c_int, keys: *const u8, count: usize, ciphertext: *const u8, len: usize, text: *const u8, mask: *const u8, text_len: usize, found: *mut usize, room: usize, found_count: *mut usize) -> c_int;
    pub fn abreast_device_rc4_try_keys(device: *const abreast_device, keys: *const u8, key_len: usize, count: usize, skip: u64, ciphertext: *const u8, len: usize, text: *const u8, mask: *const u8, text_len: usize, found: *mut usize, room: usize, found_count: *mut usize) -> c_int;
}

/// A function that makes a key of authenticated encryption of bytes, for a kernel.
pub type AeadMaker = unsafe extern "C" fn(*const u8, usize, *const c_char, *mut *mut abreast_aead) -> c_int;

/// These functions by their names, so that a test of all of them need not list them.
#[rustfmt::skip]
pub const AEAD_MAKERS: &[(&str, AeadMaker)] = &[
    ("abreast_aes_gcm_new", abreast_aes_gcm_new),
    ("abreast_gcm_siv_new", abreast_gcm_siv_new),
    ("abreast_aez_new", abreast_aez_new),
];
