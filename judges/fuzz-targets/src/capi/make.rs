//! Handles: how a caller makes one of each kind.

use std::ffi::{CStr, CString, c_char};
use std::ptr::{null, null_mut};
use std::sync::LazyLock;

use abreast::kernels::algorithms;

use super::abi::*;
use super::caller::{Call, Caller, Kind};
use super::memory::Buffer;
use super::{NULL_POINTER, OK};
use crate::input::pick;

/// The most handles of a kind: keys of authenticated encryption are of four modes.
const MOST_HANDLES: usize = 6;

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
                1 if call.flag => match call.name % 4 {
                    0 => self
                        .keep(call, Kind::Cipher, |place| abreast_aes_new(key.start, key.len, kernel, place)),
                    1 => self.keep(call, Kind::Cipher, |place| {
                        abreast_serpent_new(key.start, key.len, kernel, place)
                    }),
                    2 => self.keep(call, Kind::Aead, |place| {
                        abreast_aes_gcm_new(key.start, key.len, kernel, place)
                    }),
                    _ => {
                        let Some(key) = fixed else { return };
                        self.keep(call, Kind::Cipher, |place| {
                            abreast_tea_new(key, i32::from(call.kernel % 2), kernel, place)
                        });
                    }
                },
                0 | 1 => self.keep(call, Kind::Cipher, |place| {
                    abreast_cipher_new(name, key.start, key.len, kernel, place)
                }),
                2 => self.keep(call, Kind::Aead, |place| abreast_gcm_new(one, place)),
                3 if call.flag => self.keep(call, Kind::Aead, |place| abreast_siv_new(one, two, place)),
                3 => self.keep(call, Kind::Aead, |place| abreast_eax_new(one, place)),
                4 if call.flag => self.keep(call, Kind::Hctr2, |place| abreast_hctr2_new(one, place)),
                4 => self.keep(call, Kind::Cmac, |place| abreast_cmac_new(one, place)),
                5 => self.keep(call, Kind::Xts, |place| abreast_xts_new(one, two, place)),
                6 if call.flag => self
                    .keep(call, Kind::Aead, |place| abreast_gcm_siv_new(key.start, key.len, kernel, place)),
                6 => self.keep(call, Kind::Aead, |place| abreast_aez_new(key.start, key.len, kernel, place)),
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
        for aead in &self.handles[Kind::Aead as usize] {
            // SAFETY: a handle that is not freed.
            assert!(!unsafe { abreast_aead_kernel(*aead) }.is_null());
        }
    }

    /// Begins a stream of one of the kinds.
    pub(super) fn new_stream(&mut self, which: u8, call: &Call, key: Buffer, iv: Buffer, aad: Buffer) {
        let slot = call.slots.0;
        let [cipher, aead, cmac] = [Kind::Cipher, Kind::Aead, Kind::Cmac].map(|kind| self.handle(kind, slot));
        let direction = (call.number % 3) as i32;
        // SAFETY: as for keys.
        unsafe {
            match which % 9 {
                0..4 => self.keep(call, Kind::Stream, |place| {
                    abreast_stream_new(cipher, operation(call.number), iv.start, iv.len, place)
                }),
                4 | 5 => self.keep(call, Kind::AeadStream, |place| {
                    abreast_aead_stream_new(aead, direction, iv.start, iv.len, aad.start, aad.len, place)
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

/// Operations without tags, of other calls, and numbers that are none.
pub(super) fn operation(number: u32) -> i32 {
    match number % 256 {
        which @ 0..200 => (which % 13) as i32 + 1,
        which @ 200..230 => (which % 24) as i32,
        _ => number as i32,
    }
}

/// A name of a cipher, or of none, or NULL.
pub(super) fn cipher_name(which: u8) -> *const c_char {
    static NAMES: LazyLock<Vec<CString>> = LazyLock::new(|| {
        let names = algorithms().iter().map(|cipher| cipher.name().as_bytes());
        let none: [&[u8]; 3] = [b"", b"aes-512", b"\xff"];
        names.chain(none).map(|name| CString::new(name).expect("no zero in a name")).collect()
    });
    if which == 255 { null() } else { NAMES[usize::from(which) % NAMES.len()].as_ptr() }
}

/// NULL for the best kernel, or a name of one, or of none.
fn kernel_name(which: u8) -> *const c_char {
    const NAMES: [&CStr; 6] = [c"sse2", c"avx2", c"sliced-sse2", c"aesni", c"vaes", c"none"];
    if which < 128 { null() } else { pick(&NAMES, which).as_ptr() }
}
