//! The kinds of handles, and how a caller makes them.

use std::ffi::{CStr, c_char};
use std::ptr::{null, null_mut};

use super::abi::*;
use super::handles::{Call, Caller};
use super::memory::Buffer;
use super::{NULL_POINTER, OK};
use crate::input::pick;

/// What handles are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub(super) enum Kind {
    Cipher,
    Gcm,
    Eax,
    Cmac,
    Xts,
    Aez,
    Ctr,
    Cbc,
    Cfb,
    Ofb,
    GcmStream,
    EaxStream,
    CmacStream,
    Rc4,
}

/// What frees a handle of each kind: keys first, since streams keep them.
pub(super) const FREE: [(Kind, Free); 14] = [
    (Kind::Cipher, abreast_cipher_free),
    (Kind::Gcm, abreast_gcm_free),
    (Kind::Eax, abreast_eax_free),
    (Kind::Cmac, abreast_cmac_free),
    (Kind::Xts, abreast_xts_free),
    (Kind::Aez, abreast_aez_free),
    (Kind::Ctr, abreast_ctr_stream_free),
    (Kind::Cbc, abreast_cbc_stream_free),
    (Kind::Cfb, abreast_cfb_stream_free),
    (Kind::Ofb, abreast_ofb_stream_free),
    (Kind::GcmStream, abreast_gcm_stream_free),
    (Kind::EaxStream, abreast_eax_stream_free),
    (Kind::CmacStream, abreast_cmac_stream_free),
    (Kind::Rc4, abreast_rc4_stream_free),
];

/// The most handles of a kind.
const MOST_HANDLES: usize = 4;

impl Caller {
    /// Makes a handle, which has to be NULL if it fails.
    fn keep(&mut self, call: &Call, kind: Kind, function: impl FnOnce(*mut Handle) -> i32) {
        if self.handles[kind as usize].len() == MOST_HANDLES {
            return;
        }
        if call.flag && call.name.is_multiple_of(8) {
            let status = self.call(call, None, &[], &[], || function(null_mut()));
            return assert_eq!(status, NULL_POINTER, "{call:?}");
        }
        let mut handle = std::ptr::dangling_mut();
        let status = self.call(call, None, &[], &[], || function(&raw mut handle));
        assert_eq!(status == OK, !handle.is_null(), "{call:?}: status {status}");
        if status == OK {
            self.finished.remove(&handle);
            self.handles[kind as usize].push(handle);
        }
    }

    /// Makes a key of one of the kinds.
    pub(super) fn new_key(&mut self, which: u8, call: &Call, key: Buffer) {
        let (name, kernel) = (cipher_name(call.name), kernel_name(call.kernel));
        let [one, two] = [call.slots.0, call.slots.1].map(|slot| self.handle(Kind::Cipher, slot));
        let fixed = self.memory.fixed(call.key, 16);
        let mut words = [call.number; 65];
        words[0] = call.name.into();
        // SAFETY: names end with a zero, buffers are in the memory or refused, handles are not freed.
        unsafe {
            match which % 8 {
                0 | 1 => self.keep(call, Kind::Cipher, |place| {
                    abreast_cipher_new(name, key.start, key.len, kernel, place)
                }),
                2 => self.keep(call, Kind::Gcm, |place| abreast_gcm_new(one, place)),
                3 => self.keep(call, Kind::Eax, |place| abreast_eax_new(one, place)),
                4 => self.keep(call, Kind::Cmac, |place| abreast_cmac_new(one, place)),
                5 => self.keep(call, Kind::Xts, |place| abreast_xts_new(one, two, place)),
                6 => self.keep(call, Kind::Aez, |place| abreast_aez_new(key.start, key.len, kernel, place)),
                _ if call.flag => {
                    let Some(key) = fixed else { return };
                    let cycles = call.number as u8;
                    self.keep(call, Kind::Cipher, |place| {
                        abreast_xtea_new(key, i32::from(call.name % 2), cycles, kernel, place)
                    });
                }
                _ => {
                    let keys = words.as_ptr().wrapping_byte_add(usize::from(call.kernel % 4));
                    let keys = if call.kernel == 255 { null() } else { keys };
                    self.keep(call, Kind::Cipher, |place| {
                        abreast_xtea_new_expanded(keys, i32::from(call.name % 2), place)
                    });
                }
            }
        }
        if let Some(cipher) = self.handles[Kind::Cipher as usize].last() {
            // SAFETY: a handle that is not freed.
            assert!(matches!(unsafe { abreast_cipher_block_size(*cipher) }, 8 | 16));
        }
    }

    /// Begins a stream of one of the kinds.
    pub(super) fn new_stream(&mut self, which: u8, call: &Call, key: Buffer, iv: Buffer, aad: Buffer) {
        let slot = call.slots.0;
        let [cipher, gcm, eax, cmac] =
            [Kind::Cipher, Kind::Gcm, Kind::Eax, Kind::Cmac].map(|kind| self.handle(kind, slot));
        let direction = (call.number % 3) as i32;
        // SAFETY: as for keys.
        unsafe {
            match which % 9 {
                0 => self.keep(call, Kind::Ctr, |place| {
                    abreast_ctr_stream_new(cipher, width(call.number), iv.start, iv.len, place)
                }),
                1 => self
                    .keep(call, Kind::Cbc, |place| abreast_cbc_stream_new(cipher, iv.start, iv.len, place)),
                2 => self.keep(call, Kind::Cfb, |place| {
                    abreast_cfb_stream_new(cipher, direction, iv.start, iv.len, place)
                }),
                3 => self
                    .keep(call, Kind::Ofb, |place| abreast_ofb_stream_new(cipher, iv.start, iv.len, place)),
                4 => self.keep(call, Kind::GcmStream, |place| {
                    abreast_gcm_stream_new(gcm, direction, iv.start, iv.len, aad.start, aad.len, place)
                }),
                5 => self.keep(call, Kind::EaxStream, |place| {
                    abreast_eax_stream_new(eax, direction, iv.start, iv.len, aad.start, aad.len, place)
                }),
                6 => self.keep(call, Kind::CmacStream, |place| abreast_cmac_stream_new(cmac, place)),
                7 => self.keep(call, Kind::Rc4, |place| abreast_rc4_stream_new(key.start, key.len, place)),
                _ => {
                    let Some(state) = self.memory.fixed(call.key, 258) else { return };
                    self.keep(call, Kind::Rc4, |place| abreast_rc4_stream_import(state, place));
                }
            }
        }
    }
}

/// Widths of counters, mostly those that there are.
pub(super) fn width(number: u32) -> u32 {
    pick(&[16, 32, 64, 128, 128, number], (number >> 8) as u8)
}

/// A name of a cipher, or of none, or NULL.
pub(super) fn cipher_name(which: u8) -> *const c_char {
    const NAMES: [&CStr; 11] = [
        c"aes-128",
        c"aes-192",
        c"aes-256",
        c"serpent-128",
        c"serpent-192",
        c"serpent-256",
        c"xtea",
        c"xtea-be",
        c"",
        c"aes-512",
        c"\xff",
    ];
    if which == 255 { null() } else { pick(&NAMES, which).as_ptr() }
}

/// NULL for the best kernel, or a name of one, or of none.
fn kernel_name(which: u8) -> *const c_char {
    const NAMES: [&CStr; 8] =
        [c"portable", c"sse2", c"avx2", c"sliced-portable", c"sliced-avx2", c"aesni", c"vaes", c"none"];
    if which < 128 { null() } else { pick(&NAMES, which).as_ptr() }
}
