//! The AEZ of its authors in C with AES instructions, from the crate `aez`.

use std::ffi::c_uint;

// For its symbols: the functions of the crate itself do not work in place.
use aez as _;

use crate::job::Job;
use crate::peer::{Peer, Work, work};
use crate::rows::Cipher;

/// `aez_ctx_t`, which the crate has as 144 bytes.
#[repr(C, align(16))]
struct Context([u8; 144]);

unsafe extern "C" {
    fn aez_setup(key: *const u8, key_len: c_uint, context: *mut Context);
    fn aez_encrypt(
        context: *const Context,
        nonce: *const u8,
        nonce_len: c_uint,
        ad: *const u8,
        ad_len: c_uint,
        tag_len: c_uint,
        input: *const u8,
        input_len: c_uint,
        output: *mut u8,
    );
}

/// The authors' code.
pub(super) struct AezReference;

impl Peer for AezReference {
    fn name(&self) -> &'static str {
        "AEZ reference"
    }

    fn version(&self) -> String {
        format!("C code of crate aez {}", super::locked("aez"))
    }

    fn open(&self, job: &mut Job) -> Option<Work> {
        if job.row.cipher != Cipher::Aez {
            return None;
        }
        let make = |key: &[u8]| {
            let mut context = Context([0; 144]);
            // SAFETY: a key that is borrowed for the call, and a context that may be written.
            unsafe { aez_setup(key.as_ptr(), key.len() as c_uint, &mut context) };
            context
        };
        Some(work(job, make, |context, message| {
            let (ad, text) = (message.associated_data, message.text.as_mut_ptr());
            let len = message.text.len() as c_uint - 16;
            // SAFETY: a context that was set up, a nonce, associated data, and a message with room for 16 bytes of tag
            // after it, all borrowed for the call.
            unsafe {
                aez_encrypt(
                    context,
                    message.iv.as_ptr(),
                    16,
                    ad.as_ptr(),
                    ad.len() as c_uint,
                    16,
                    text,
                    len,
                    text,
                );
            };
        }))
    }
}
