//! The C interface: every function of `abreast.h` that takes a key or a message, called as a C program calls it.
//!
//! The test `every_function_of_the_header_is_called` compares this file with the header.

#![allow(unsafe_code, reason = "functions of C are called, with pointers")]

use std::ffi::{CString, c_int, c_void};
use std::ptr::{null, null_mut};

use abreast_c_bindings::*;

use crate::examiner::{Examiner, Secret, public};
use abreast::kernels::Algorithm;
use abreast::table::{ModeRow, Sealing};

/// A handle of any kind.
type Handle = *mut c_void;
type Place = *mut Handle;

/// A call and the status that it has to give.
fn call(x: &Examiner, name: &str, wanted: c_int, work: impl FnOnce() -> c_int) {
    let status = x.run(format_args!("c, {name}"), work);
    x.publish(&status);
    assert_eq!(status, wanted, "c, {name}");
}

/// A call that makes a handle.
fn make(x: &Examiner, name: &str, work: impl FnOnce(Place) -> c_int) -> Handle {
    let mut handle = null_mut();
    call(x, name, 0, || work(&raw mut handle));
    assert!(!handle.is_null(), "c, {name}");
    handle
}

/// A block cipher through C.
// SAFETY, of every block below: handles were made by a function and not freed yet; pointers and lengths come from slices
// that are borrowed for the call, and output and input are apart or the same buffer.
#[inline(never)]
pub(super) fn cipher(x: &Examiner, algorithm: Algorithm, kernel: &str) {
    let name = CString::new(algorithm.name()).expect("a name");
    let kernel = CString::new(kernel).expect("a name");
    let key = x.secret(algorithm.key_len());
    let new = |key: &[u8]| {
        // SAFETY: as said above.
        make(x, "cipher", |place| unsafe {
            abreast_cipher_new(name.as_ptr(), key.as_ptr(), key.len(), kernel.as_ptr(), place)
        })
    };
    by_cipher(x, algorithm, &kernel);
    let cipher = new(&key);
    let size = algorithm.block_size();
    for &len in x.lengths() {
        messages(x, cipher, size, len);
        padded(x, cipher, size, len);
    }
    // SAFETY: as said above.
    unsafe {
        let cmac = make(x, "cmac", |place| abreast_cmac_new(cipher, place));
        let eax = make(x, "eax", |place| abreast_eax_new(cipher, place));
        for &len in x.lengths() {
            macs(x, cmac, size, len);
            aead(x, eax, size, len);
        }
        packets(x, cipher, &[1, 2, 3, 4, 9, 11, 12], size, 0);
        packets(x, eax, &[18, 19], 12, size);
        packets(x, cmac, &[22, 23], 0, size);
        abreast_cmac_free(cmac);
        abreast_aead_free(eax);
        if size == 16 {
            let gcm = make(x, "gcm", |place| abreast_gcm_new(cipher, place));
            let other = new(&x.secret(algorithm.key_len()));
            let xts = make(x, "xts", |place| abreast_xts_new(cipher, other, place));
            x.lengths().iter().for_each(|len| aead(x, gcm, size, *len));
            x.lengths().iter().filter(|len| **len >= 16).for_each(|len| units(x, xts, *len));
            packets(x, gcm, &[16, 17], 12, 16);
            column(x, gcm);
            packets(x, xts, &[14, 15], 16, 0);
            let siv = make(x, "siv", |place| abreast_siv_new(cipher, other, place));
            whole(x, "siv", siv);
            strings(x, "siv", siv);
            packets(x, siv, &[26, 27], 12, 16);
            abreast_aead_free(siv);
            key_wrap(x, cipher);
            abreast_xts_free(xts);
            let hctr2 = make(x, "hctr2", |place| abreast_hctr2_new(cipher, place));
            x.lengths().iter().filter(|len| **len >= 16).for_each(|len| wide(x, hctr2, *len));
            packets(x, hctr2, &[ABREAST_HCTR2_ENCRYPT, ABREAST_HCTR2_DECRYPT], 16, 0);
            abreast_hctr2_free(hctr2);
            abreast_cipher_free(other);
            abreast_aead_free(gcm);
        }
        x.run(format_args!("c, cipher, free"), || abreast_cipher_free(cipher));
        in_memory_of_the_caller(x, algorithm, &name, &kernel);
    }
    if algorithm.name().starts_with("xtea") {
        xtea(x, &kernel);
    }
}

/// A column of three rows by Arrow's C data interface, there and back.
#[inline(never)]
fn column(x: &Examiner, gcm: Handle) {
    unsafe extern "C" fn of_type(schema: *mut ArrowSchema) {
        // SAFETY: it is that of the caller, who hands it over.
        unsafe { (*schema).release = None };
    }
    unsafe extern "C" fn of_buffers(array: *mut ArrowArray) {
        // SAFETY: it is that of the caller, who hands it over.
        unsafe { (*array).release = None };
    }
    const NO_TYPE: ArrowSchema = ArrowSchema {
        format: c"z".as_ptr(),
        name: null(),
        metadata: null(),
        flags: 0,
        n_children: 0,
        children: null_mut(),
        dictionary: null_mut(),
        release: None,
        private_data: null_mut(),
    };
    const NO_ROWS: ArrowArray = ArrowArray {
        length: 0,
        null_count: 0,
        offset: 0,
        n_buffers: 0,
        n_children: 0,
        buffers: null_mut(),
        children: null_mut(),
        dictionary: null_mut(),
        release: None,
        private_data: null_mut(),
    };
    let (data, nonces, offsets) = (x.secret(70), public(36, 4), [0_i32, 5, 5, 70]);
    let mut buffers = [null(), offsets.as_ptr().cast::<c_void>(), data.as_ptr().cast()];
    let (plain, buffers) = (ArrowSchema { release: Some(of_type), ..NO_TYPE }, buffers.as_mut_ptr());
    let rows = ArrowArray { length: 3, n_buffers: 3, buffers, release: Some(of_buffers), ..NO_ROWS };
    let (mut sealed, mut opened) = ((NO_TYPE, NO_ROWS), (NO_TYPE, NO_ROWS));
    let (made, back) = ((&raw mut sealed.0, &raw mut sealed.1), (&raw mut opened.0, &raw mut opened.1));
    let (schema, array, none) = (&raw const plain, &raw const rows, null());
    // SAFETY: as for `cipher`; the structs are Arrow's, and those that are made are released once.
    unsafe {
        call(x, "column, encrypt", 0, || {
            let nonces = nonces.as_ptr();
            abreast_column_encrypt(
                gcm,
                schema,
                array,
                none,
                0,
                nonces,
                36,
                none,
                0,
                null(),
                null(),
                made.0,
                made.1,
            )
        });
        call(x, "column, decrypt", 0, || {
            let (schema, array) = (made.0.cast_const(), made.1.cast_const());
            abreast_column_decrypt(
                gcm,
                schema,
                array,
                none,
                0,
                none,
                0,
                null(),
                null(),
                null_mut(),
                back.0,
                back.1,
            )
        });
        for (schema, array) in [made, back] {
            if let Some(release) = (*schema).release {
                release(schema);
            }
            if let Some(release) = (*array).release {
                release(array);
            }
        }
    }
}

/// Key wrap, alone and in a batch: a key of 21 bytes, and a wrapped one that was changed.
#[inline(never)]
fn key_wrap(x: &Examiner, cipher: Handle) {
    const COUNT: usize = 5;
    let (key, mut wrapped, mut out) = (x.secret(21), x.secret(32), x.secret(24));
    let mut written = 0;
    // SAFETY: as for `cipher`.
    unsafe {
        call(x, "key wrap", 0, || {
            abreast_key_wrap(
                cipher,
                ABREAST_KEY_WRAP_PADDED,
                key.as_ptr(),
                21,
                wrapped.as_mut_ptr(),
                32,
                &raw mut written,
            )
        });
        let mut unwrap = |name, wanted, wrapped: &Secret| {
            call(x, name, wanted, || {
                abreast_key_wrap(
                    cipher,
                    ABREAST_KEY_UNWRAP_PADDED,
                    wrapped.as_ptr(),
                    32,
                    out.as_mut_ptr(),
                    24,
                    &raw mut written,
                )
            });
        };
        unwrap("key unwrap", 0, &wrapped);
        let (input, len) = (key.as_ptr(), key.len());
        let mut outputs: Vec<_> = (0..COUNT).map(|_| x.secret(32)).collect();
        let packet = |output: &mut Secret| {
            let (output, output_len) = (output.as_mut_ptr(), output.len());
            abreast_wrap_packet { key: cipher, input, len, output, output_len, written: 0, status: 0 }
        };
        let mut packets: Vec<_> = outputs.iter_mut().map(packet).collect();
        let size = size_of::<abreast_wrap_packet>();
        call(x, "key wrap, packets", 0, || {
            abreast_wrap_packets(ABREAST_KEY_WRAP_PADDED, packets.as_mut_ptr(), COUNT, size)
        });
        wrapped[0] ^= 1;
        unwrap("key unwrap, changed", 19, &wrapped);
        x.publish(&written);
    }
}

/// Keys where the caller wants them, one and several.
#[inline(never)]
fn in_memory_of_the_caller(x: &Examiner, algorithm: Algorithm, name: &CString, kernel: &CString) {
    const COUNT: usize = 5;
    let len = algorithm.key_len();
    let keys = x.secret(COUNT * len);
    // SAFETY: as for `cipher`; the memory is as large as the function asks for, and outlives the handles.
    unsafe {
        let size = abreast_cipher_size(name.as_ptr());
        let mut memory = vec![0; COUNT * size];
        let cipher = make(x, "cipher in memory of the caller", |place| {
            abreast_cipher_init(
                memory.as_mut_ptr(),
                size,
                name.as_ptr(),
                keys.as_ptr(),
                len,
                kernel.as_ptr(),
                place,
            )
        });
        modes_in_memory_of_the_caller(x, algorithm, cipher, &keys[..len], kernel);
        abreast_cipher_free(cipher);
        let mut ciphers = [null_mut(); COUNT];
        call(x, "ciphers in memory of the caller", 0, || {
            let (memory, places) = (memory.as_mut_ptr(), ciphers.as_mut_ptr());
            abreast_ciphers_init(
                memory,
                size,
                COUNT,
                name.as_ptr(),
                keys.as_ptr(),
                len,
                kernel.as_ptr(),
                places,
            )
        });
        ciphers.into_iter().for_each(|cipher| abreast_cipher_free(cipher));
    }
}

/// Makes a handle in memory of the caller, which is to be kept for as long as the handle.
fn make_in(
    x: &Examiner,
    name: &str,
    size: usize,
    work: impl FnOnce(*mut u8, Place) -> c_int,
) -> (Vec<u8>, Handle) {
    let mut memory = vec![0; size];
    let start = memory.as_mut_ptr();
    let handle = make(x, &format!("{name} in memory of the caller"), |place| work(start, place));
    (memory, handle)
}

/// Keys of modes and streams where the caller wants them.
#[inline(never)]
fn modes_in_memory_of_the_caller(
    x: &Examiner,
    algorithm: Algorithm,
    cipher: Handle,
    key: &[u8],
    kernel: &CString,
) {
    let (block, mut data) = (algorithm.block_size(), x.secret(96));
    let (iv, text) = (public(16, 4), data.as_mut_ptr());
    let iv = iv.as_ptr();
    // SAFETY: as for `cipher`; the memory is as large as the functions ask for, and outlives the handles.
    unsafe {
        let size = abreast_eax_size();
        let (_key, eax) =
            make_in(x, "eax", size, |memory, place| abreast_eax_init(memory, size, cipher, place));
        let size = abreast_aead_stream_size();
        let (_memory, stream) = make_in(x, "aead stream", size, |memory, place| {
            abreast_aead_stream_init(memory, size, eax, place)
        });
        call(x, "aead in memory of the caller, pieces, begin", 0, || {
            abreast_aead_stream_begin(stream, 0, iv, 3, text, 9)
                | abreast_aead_stream_update(stream, text, text, 96)
        });
        abreast_aead_stream_free(stream);
        abreast_aead_stream_free(make(x, "aead stream, idle", |place| {
            abreast_aead_stream_new_idle(eax, place)
        }));
        abreast_aead_free(eax);
        let size = abreast_stream_size();
        let (_memory, stream) = make_in(x, "stream", size, |memory, place| {
            abreast_stream_init(memory, size, cipher, ABREAST_OFB, iv, block, place)
        });
        call(x, "stream in memory of the caller", 0, || abreast_stream_apply(stream, text, text, 96));
        abreast_stream_free(stream);
        let size = abreast_padded_stream_size();
        let (_memory, stream) = make_in(x, "padded stream", size, |memory, place| {
            abreast_padded_stream_init(memory, size, cipher, ABREAST_CBC_ENCRYPT, 1, iv, block, place)
        });
        let mut written = 0;
        call(x, "padded stream in memory of the caller", 0, || {
            abreast_padded_stream_update(stream, text, 90, text, 96, &raw mut written)
        });
        abreast_padded_stream_free(stream);
        let cmac = make(x, "cmac", |place| abreast_cmac_new(cipher, place));
        let size = abreast_cmac_stream_size();
        let (_memory, stream) = make_in(x, "cmac stream", size, |memory, place| {
            abreast_cmac_stream_init(memory, size, cmac, place)
        });
        call(x, "cmac stream in memory of the caller", 0, || abreast_cmac_stream_update(stream, text, 96));
        abreast_cmac_stream_free(stream);
        abreast_cmac_free(cmac);
        if block == 16 {
            let size = abreast_gcm_size();
            let (_memory, gcm) =
                make_in(x, "gcm", size, |memory, place| abreast_gcm_init(memory, size, cipher, place));
            abreast_aead_free(gcm);
            let size = abreast_siv_size();
            let (_memory, siv) = make_in(x, "siv", size, |memory, place| {
                abreast_siv_init(memory, size, cipher, cipher, place)
            });
            abreast_aead_free(siv);
        }
        if ["aes-128", "aes-256"].contains(&algorithm.name()) {
            let size = abreast_gcm_siv_size();
            let (_memory, key) = make_in(x, "gcm-siv", size, |memory, place| {
                abreast_gcm_siv_init(memory, size, key.as_ptr(), key.len(), kernel.as_ptr(), place)
            });
            abreast_aead_free(key);
        }
    }
}

/// A message with strings of associated data in one buffer.
#[inline(never)]
fn strings(x: &Examiner, name: &str, aead: Handle) {
    let (iv, ad, mut data, mut tag) = (public(12, 2), x.secret(50), x.secret(70), x.secret(16));
    let lens = [20, 0, 30];
    let (iv, ad, lens) = (iv.as_ptr(), ad.as_ptr(), lens.as_ptr());
    let (text, mark) = (data.as_mut_ptr(), tag.as_mut_ptr());
    // SAFETY: as for `cipher`.
    unsafe {
        call(x, &format!("{name} strings, encrypt"), 0, || {
            abreast_aead_encrypt_strings(aead, iv, 12, ad, 50, lens, 3, text, text, 70, mark, 16)
        });
        call(x, &format!("{name} strings, decrypt"), 0, || {
            abreast_aead_decrypt_strings(aead, iv, 12, ad, 50, lens, 3, text, text, 70, mark, 16)
        });
    }
}

/// The constructors of one cipher each.
#[inline(never)]
fn by_cipher(x: &Examiner, algorithm: Algorithm, kernel: &CString) {
    let (key, kernel) = (x.secret(algorithm.key_len()), kernel.as_ptr());
    let (at, len) = (key.as_ptr(), key.len());
    let big = c_int::from(algorithm.name().ends_with("-be"));
    // SAFETY: as for `cipher`; each constructor has the key that it takes.
    unsafe {
        let cipher = match algorithm.name() {
            name if name.starts_with("aes") => {
                abreast_aead_free(make(x, "aes-gcm", |place| abreast_aes_gcm_new(at, len, kernel, place)));
                make(x, "aes", |place| abreast_aes_new(at, len, kernel, place))
            }
            name if name.starts_with("serpent") => {
                make(x, "serpent", |place| abreast_serpent_new(at, len, kernel, place))
            }
            name if name.starts_with("tea") => {
                make(x, "tea", |place| abreast_tea_new(at, big, kernel, place))
            }
            _ => make(x, "xtea", |place| abreast_xtea_new(at, big, 32, kernel, place)),
        };
        abreast_cipher_free(cipher);
    }
}

/// Runs the functions that only XTEA has.
#[inline(never)]
fn xtea(x: &Examiner, kernel: &CString) {
    let (key, mut data) = (x.secret(16), x.secret(48));
    let words = x.secret(256);
    // Round keys that were expanded elsewhere: words where words may be.
    let mut expanded = [0_u32; 64];
    for (word, bytes) in expanded.iter_mut().zip(words.chunks_exact(4)) {
        *word = u32::from_ne_bytes(bytes.try_into().expect("four bytes"));
    }
    let keys = expanded.as_ptr();
    // SAFETY: as for `cipher`; 64 words.
    unsafe {
        let cipher =
            make(x, "xtea, 16 cycles", |place| abreast_xtea_new(key.as_ptr(), 0, 16, kernel.as_ptr(), place));
        abreast_cipher_free(cipher);
        let cipher = make(x, "xtea, round keys", |place| abreast_xtea_new_expanded(keys, 0, place));
        abreast_cipher_free(cipher);
        let (text, len) = (data.as_mut_ptr(), data.len());
        call(x, "xtea, encrypt", 0, || abreast_xtea_encrypt(keys, text, text, len));
        call(x, "xtea, decrypt", 0, || abreast_xtea_decrypt(keys, text, text, len));
    }
    zeroize::Zeroize::zeroize(&mut expanded);
}

/// Operations without a tag: in one call, and as a stream.
#[inline(never)]
fn messages(x: &Examiner, cipher: Handle, size: usize, len: usize) {
    for operation in 1..=13 {
        if operation == 13 && size == 8 {
            continue;
        }
        // ECB has no vector; ECB and CBC want whole blocks.
        let iv = public(if operation <= 2 { 0 } else { size }, 4);
        let len = if operation <= 4 { len / size * size } else { len };
        let mut data = x.secret(len);
        let (iv, iv_len, text) = (or_null(&iv), iv.len(), data.as_mut_ptr());
        // SAFETY: as for `cipher`.
        unsafe {
            call(x, &format!("operation {operation}, {len}"), 0, || {
                abreast_cipher_crypt(cipher, operation, iv, iv_len, text, text, len)
            });
            let stream = make(x, "stream", |place| abreast_stream_new(cipher, operation, iv, iv_len, place));
            let first = len / 3 / size * size;
            call(x, &format!("operation {operation}, {len}, pieces"), 0, || {
                let status = abreast_stream_apply(stream, text, text, first);
                status | abreast_stream_apply(stream, text.add(first), text.add(first), len - first)
            });
            let clone = make(x, "stream, clone", |place| abreast_stream_clone(stream, place));
            if operation >= 10 {
                call(x, "stream, seek", 0, || abreast_stream_seek(stream, 5));
            }
            if operation > 2 {
                let mut running = x.secret(size);
                call(x, "stream, iv", 0, || abreast_stream_iv(stream, running.as_mut_ptr(), size));
            }
            call(x, "stream, reset", 0, || abreast_stream_reset(stream, iv, iv_len));
            x.run(format_args!("c, stream, free"), || abreast_stream_free(clone));
            abreast_stream_free(stream);
        }
    }
}

/// Padding.
#[inline(never)]
fn padded(x: &Examiner, cipher: Handle, size: usize, len: usize) {
    let iv = public(size, 4);
    let (iv, mut data) = (iv.as_ptr(), x.secret(len + size));
    let (capacity, buffer) = (data.len(), data.as_mut_ptr());
    let (mut padded, mut plain) = (0, 0);
    // SAFETY: as for `cipher`.
    unsafe {
        call(x, &format!("cbc padded, {len}, encrypt"), 0, || {
            abreast_cbc_encrypt_padded(cipher, iv, size, buffer, capacity, len, &raw mut padded)
        });
        x.publish(&padded);
        let mut out = x.secret(capacity + size);
        let stream =
            make(x, "padded stream", |place| abreast_padded_stream_new(cipher, 4, 1, iv, size, place));
        call(x, &format!("cbc padded, {len}, pieces"), 0, || {
            let (mut written, mut rest) = (0, 0);
            let (to, room) = (out.as_mut_ptr(), out.len());
            let status = abreast_padded_stream_update(stream, buffer, padded, to, room, &raw mut written);
            status | abreast_padded_stream_finish(stream, to.add(written), room - written, &raw mut rest)
        });
        call(x, "padded stream, reset", 0, || abreast_padded_stream_reset(stream, iv, size));
        let clone = make(x, "padded stream, clone", |place| abreast_padded_stream_clone(stream, place));
        abreast_padded_stream_free(clone);
        abreast_padded_stream_free(stream);
        call(x, &format!("cbc padded, {len}, decrypt"), 0, || {
            abreast_cbc_decrypt_padded(cipher, iv, size, buffer, padded, &raw mut plain)
        });
    }
    x.publish(&plain);
    assert_eq!(plain, len);
}

/// SRTP: packets of RTP and RTCP, whose headers are public.
#[inline(never)]
pub(super) fn srtp(x: &Examiner) {
    for (profile, key_len, salt_len) in
        [(ABREAST_SRTP_AES128_CM_SHA1_80, 16, 14), (ABREAST_SRTP_AES256_GCM, 32, 12)]
    {
        let (key, salt) = (x.secret(key_len), x.secret(salt_len));
        // SAFETY: as for `cipher`.
        let session = make(x, &format!("srtp {profile}"), |place| unsafe {
            abreast_srtp_new(profile, key.as_ptr(), key_len, salt.as_ptr(), salt_len, place)
        });
        let mut buffers: Vec<Secret> = (0..7).map(|i| x.secret(60 + 50 * i)).collect();
        let mut batch: Vec<abreast_srtp_packet> = (buffers.iter_mut().zip(0..))
            .map(|(buffer, number)| {
                buffer[..12].copy_from_slice(&public(12, 4));
                buffer[0] = 0x80;
                let (len, capacity) = (buffer.len() - 20, buffer.len());
                let protocol = number as c_int % 3;
                let packet = buffer.as_mut_ptr();
                abreast_srtp_packet {
                    session,
                    packet,
                    len,
                    capacity,
                    written: 0,
                    index: 0,
                    number,
                    protocol,
                    status: 77,
                }
            })
            .collect();
        let (items, count, size) = (batch.as_mut_ptr(), batch.len(), size_of::<abreast_srtp_packet>());
        // SAFETY: as for `cipher`, for each packet; no two have a buffer in common.
        unsafe {
            call(x, &format!("srtp {profile}, protect"), 0, || abreast_srtp_protect(items, count, size));
            for at in 0..count {
                (*items.add(at)).len = (*items.add(at)).written;
            }
            call(x, &format!("srtp {profile}, unprotect"), 0, || abreast_srtp_unprotect(items, count, size));
            call(x, &format!("srtp {profile}, protect again"), 0, || {
                for at in 0..count {
                    (*items.add(at)).len = (*items.add(at)).written;
                }
                abreast_srtp_protect(items, count, size)
            });
            for at in 0..count {
                let item = &mut *items.add(at);
                item.len = item.written;
                *item.packet.add(20) ^= 1;
            }
            call(x, &format!("srtp {profile}, wrong tags"), ABREAST_BATCH, || {
                abreast_srtp_unprotect(items, count, size)
            });
            x.run(format_args!("c, srtp {profile}, free"), || abreast_srtp_free(session));
        }
    }
}

/// ESP: packets of each suite, whose headers and vectors are public.
#[inline(never)]
pub(super) fn esp(x: &Examiner) {
    for (suite, key_len, auth_key_len, iv_len) in [
        (ABREAST_ESP_CBC_HMAC_SHA1, 16, 20, 16),
        (ABREAST_ESP_CTR_HMAC_SHA256, 36, 32, 8),
        (ABREAST_ESP_GCM, 36, 0, 8),
    ] {
        let (key, auth_key) = (x.secret(key_len), x.secret(auth_key_len));
        // SAFETY: as for `cipher`.
        let association = make(x, &format!("esp {suite}"), |place| unsafe {
            abreast_esp_new(suite, 7, key.as_ptr(), key_len, or_null(&auth_key), auth_key_len, 1, place)
        });
        let iv = public(iv_len, 3);
        let mut buffers: Vec<Secret> = (0..7).map(|i| x.secret(8 + iv_len + 32 * i + 16)).collect();
        let mut batch: Vec<abreast_esp_packet> = (buffers.iter_mut().zip(1..))
            .map(|(buffer, sequence)| {
                let (len, capacity, packet) = (buffer.len() - 16, buffer.len(), buffer.as_mut_ptr());
                let iv = iv.as_ptr();
                abreast_esp_packet {
                    association,
                    packet,
                    len,
                    capacity,
                    iv,
                    iv_len,
                    written: 0,
                    sequence,
                    status: 77,
                }
            })
            .collect();
        let (items, count, size) = (batch.as_mut_ptr(), batch.len(), size_of::<abreast_esp_packet>());
        let on = move || {
            for at in 0..count {
                // SAFETY: there are so many items.
                let item = unsafe { &mut *items.add(at) };
                item.len = item.written;
            }
        };
        // SAFETY: as for `cipher`, for each packet; no two have a buffer in common.
        unsafe {
            call(x, &format!("esp {suite}, seal"), 0, || abreast_esp_seal(items, count, size));
            on();
            call(x, &format!("esp {suite}, open"), 0, || abreast_esp_open(items, count, size));
            on();
            call(x, &format!("esp {suite}, seal again"), 0, || abreast_esp_seal(items, count, size));
            on();
            for at in 0..count {
                let item = &mut *items.add(at);
                *item.packet.add(item.len - 1) ^= 1;
            }
            let open = || abreast_esp_open(items, count, size);
            call(x, &format!("esp {suite}, wrong tags"), ABREAST_BATCH, open);
            x.run(format_args!("c, esp {suite}, free"), || abreast_esp_free(association));
        }
    }
}

/// QUIC. A header decides where the payload begins, so packets are opened whose bytes and masks are public; masks are made of secrets
/// when they are sealed.
#[inline(never)]
pub(super) fn quic(x: &Examiner) {
    for key_len in [16, 32] {
        let (key, iv, of_headers) = (x.secret(key_len), x.secret(12), x.secret(key_len));
        let (mut sample, mut mask, known) = (x.secret(16), x.secret(5), public(key_len, 6));
        // SAFETY: as for `cipher`.
        unsafe {
            let [hiding, open_one] = [of_headers.as_ptr(), known.as_ptr()].map(|from| {
                make(x, &format!("quic {key_len}, headers"), |place| {
                    abreast_quic_header_key_new(from, key_len, place)
                })
            });
            let key = make(x, &format!("quic {key_len}"), |place| {
                abreast_quic_key_new(key.as_ptr(), key_len, iv.as_ptr(), place)
            });
            let (from, to) = (sample.as_mut_ptr(), mask.as_mut_ptr());
            call(x, &format!("quic {key_len}, mask"), 0, || abreast_quic_mask(hiding, from, to));
            let mut buffers: Vec<Secret> = (0..7).map(|i| x.secret(60 + 50 * i)).collect();
            let mut batch: Vec<abreast_quic_packet> = (buffers.iter_mut().zip(0..))
                .map(|(buffer, number)| abreast_quic_packet {
                    header_key: hiding,
                    keys: [key.cast_const(); 2],
                    packet: buffer.as_mut_ptr(),
                    len: buffer.len(),
                    number_at: 9,
                    number,
                    header_len: 0,
                    status: 77,
                })
                .collect();
            let (items, count, size) = (batch.as_mut_ptr(), batch.len(), size_of::<abreast_quic_packet>());
            let seal = |what: &str| {
                for at in 0..count {
                    // A long header with a packet number of four bytes.
                    let header = [0xc3, 0, 0, 0, 1, 2, 7, 7, 0, 0, 0, 0, at as u8];
                    (*items.add(at)).packet.copy_from_nonoverlapping(header.as_ptr(), header.len());
                }
                call(x, &format!("quic {key_len}, {what}"), 0, || abreast_quic_seal(items, count, size));
            };
            let open = |what: &str, expected: c_int| {
                for at in 0..count {
                    let item = &*items.add(at);
                    (0..item.len).for_each(|byte| x.publish(&*item.packet.add(byte)));
                }
                let open = || abreast_quic_open(items, count, size);
                call(x, &format!("quic {key_len}, {what}"), expected, open);
            };
            seal("seal");
            (0..count).for_each(|at| (*items.add(at)).header_key = open_one);
            seal("seal with public masks");
            open("open", 0);
            seal("seal again");
            for at in 0..count {
                let item = &mut *items.add(at);
                *item.packet.add(item.len - 1) ^= 1;
            }
            open("wrong tags", ABREAST_BATCH);
            x.run(format_args!("c, quic {key_len}, free"), || {
                abreast_quic_key_free(key);
                abreast_quic_header_key_free(hiding);
                abreast_quic_header_key_free(open_one);
            });
        }
    }
}

/// HMAC with one hash.
#[inline(never)]
pub(super) fn hmac(x: &Examiner, name: &str, kernel: &str) {
    let kernel = CString::new(kernel).expect("a name");
    let (key, sha1) = (x.secret(70), name == "hmac-sha-1");
    let (size, operations) = if sha1 {
        (20, [ABREAST_HMAC_SHA1, ABREAST_HMAC_SHA1_VERIFY])
    } else {
        (32, [ABREAST_HMAC_SHA256, ABREAST_HMAC_SHA256_VERIFY])
    };
    // SAFETY: as for `cipher`.
    unsafe {
        let (key, len, kernel) = (key.as_ptr(), key.len(), kernel.as_ptr());
        let hmac = make(x, "hmac", |place| match sha1 {
            true => abreast_hmac_sha1_new(key, len, kernel, place),
            false => abreast_hmac_sha256_new(key, len, kernel, place),
        });
        for &len in x.lengths() {
            hashed(x, hmac, size, len);
        }
        packets(x, hmac, &operations, 0, size);
        let (room, data) = (abreast_hmac_stream_size(), x.secret(100));
        let (_memory, stream) = make_in(x, "hmac stream", room, |memory, place| {
            abreast_hmac_stream_init(memory, room, hmac, place)
        });
        call(x, "hmac stream in memory of the caller", 0, || {
            abreast_hmac_stream_update(stream, data.as_ptr(), 100)
        });
        abreast_hmac_stream_free(stream);
        x.run(format_args!("c, hmac, free"), || abreast_hmac_free(hmac));
    }
}

/// A message for HMAC.
#[inline(never)]
fn hashed(x: &Examiner, hmac: Handle, size: usize, len: usize) {
    let (data, mut tag) = (x.secret(len), x.secret(size));
    let (text, mark) = (data.as_ptr(), tag.as_mut_ptr());
    // SAFETY: as for `cipher`.
    unsafe {
        call(x, &format!("hmac {len}"), 0, || abreast_hmac_mac(hmac, text, len, mark, size));
        call(x, &format!("hmac {len}, verify"), 0, || abreast_hmac_verify(hmac, text, len, mark, size));
        let stream = make(x, "hmac stream", |place| abreast_hmac_stream_new(hmac, place));
        call(x, &format!("hmac {len}, pieces"), 0, || {
            let status = abreast_hmac_stream_update(stream, text, len / 3);
            status | abreast_hmac_stream_update(stream, text.add(len / 3), len - len / 3)
        });
        let clone = make(x, "hmac stream, clone", |place| abreast_hmac_stream_clone(stream, place));
        call(x, &format!("hmac {len}, pieces, verify"), 0, || abreast_hmac_stream_verify(clone, mark, size));
        call(x, &format!("hmac {len}, pieces, finish"), 0, || abreast_hmac_stream_finish(stream, mark, size));
        call(x, "hmac stream, reset", 0, || abreast_hmac_stream_reset(stream));
        abreast_hmac_stream_free(clone);
        abreast_hmac_stream_free(stream);
        *mark ^= 1;
        call(x, &format!("hmac {len}, a wrong tag"), ABREAST_TAG_MISMATCH, || {
            abreast_hmac_verify(hmac, text, len, mark, size)
        });
    }
}

/// CMAC.
#[inline(never)]
fn macs(x: &Examiner, cmac: Handle, size: usize, len: usize) {
    let (data, mut tag) = (x.secret(len), x.secret(size));
    let (text, mark) = (data.as_ptr(), tag.as_mut_ptr());
    // SAFETY: as for `cipher`.
    unsafe {
        call(x, &format!("cmac {len}"), 0, || abreast_cmac_mac(cmac, text, len, mark, size));
        call(x, &format!("cmac {len}, verify"), 0, || abreast_cmac_verify(cmac, text, len, mark, size));
        let stream = make(x, "cmac stream", |place| abreast_cmac_stream_new(cmac, place));
        call(x, &format!("cmac {len}, pieces"), 0, || {
            let status = abreast_cmac_stream_update(stream, text, len / 3);
            status | abreast_cmac_stream_update(stream, text.add(len / 3), len - len / 3)
        });
        let clone = make(x, "cmac stream, clone", |place| abreast_cmac_stream_clone(stream, place));
        call(x, &format!("cmac {len}, pieces, verify"), 0, || abreast_cmac_stream_verify(clone, mark, size));
        call(x, &format!("cmac {len}, pieces, finish"), 0, || abreast_cmac_stream_finish(stream, mark, size));
        call(x, "cmac stream, reset", 0, || abreast_cmac_stream_reset(stream));
        abreast_cmac_stream_free(clone);
        abreast_cmac_stream_free(stream);
        *mark ^= 1;
        call(x, &format!("cmac {len}, a wrong tag"), ABREAST_TAG_MISMATCH, || {
            abreast_cmac_verify(cmac, text, len, mark, size)
        });
    }
}

/// GCM and EAX.
#[inline(never)]
fn aead(x: &Examiner, aead: Handle, size: usize, len: usize) {
    let (nonce, aad, mut data, mut tag) = (public(12, 2), x.secret(len / 2), x.secret(len), x.secret(size));
    let (iv, ad, ad_len) = (nonce.as_ptr(), or_null(&aad), aad.len());
    let (text, mark) = (data.as_mut_ptr(), tag.as_mut_ptr());
    // SAFETY: as for `cipher`.
    unsafe {
        let encrypt = move || abreast_aead_encrypt(aead, iv, 12, ad, ad_len, text, text, len, mark, size);
        let decrypt = move || abreast_aead_decrypt(aead, iv, 12, ad, ad_len, text, text, len, mark, size);
        call(x, &format!("aead {len}, encrypt"), 0, encrypt);
        call(x, &format!("aead {len}, decrypt"), 0, decrypt);
        for direction in [0, 1] {
            let new = |place| abreast_aead_stream_new(aead, direction, iv, 12, ad, ad_len, place);
            let stream = make(x, "aead stream", new);
            call(x, &format!("aead {len}, pieces, {direction}"), 0, || {
                let status = abreast_aead_stream_aad(stream, ad, ad_len);
                let first = len / 3;
                status
                    | abreast_aead_stream_update(stream, text, text, first)
                    | abreast_aead_stream_update(stream, text.add(first), text.add(first), len - first)
            });
            let clone = make(x, "aead stream, clone", |place| abreast_aead_stream_clone(stream, place));
            if direction == 0 {
                call(x, "aead stream, finish", 0, || abreast_aead_stream_finish(stream, mark, size));
            } else {
                call(x, "aead stream, verify", 0, || abreast_aead_stream_verify(stream, mark, size));
            }
            call(x, "aead stream, reset", 0, || abreast_aead_stream_reset(clone, iv, 12, ad, ad_len));
            call(x, "aead stream, begin", 0, || {
                abreast_aead_stream_begin(clone, direction, iv, 12, ad, ad_len)
            });
            abreast_aead_stream_free(clone);
            abreast_aead_stream_free(stream);
        }
        call(x, &format!("aead {len}, encrypt again"), 0, encrypt);
        *mark ^= 1;
        call(x, &format!("aead {len}, a wrong tag"), ABREAST_TAG_MISMATCH, decrypt);
    }
}

/// XTS.
#[inline(never)]
fn units(x: &Examiner, xts: Handle, len: usize) {
    let (first, mut data) = (public(16, 3), x.secret(2 * len));
    let (first, text) = (first.as_ptr(), data.as_mut_ptr());
    // SAFETY: as for `cipher`.
    unsafe {
        let encrypt = || abreast_xts_encrypt(xts, first, len, text, text, 2 * len);
        call(x, &format!("xts, two units of {len}, encrypt"), 0, encrypt);
        let decrypt = || abreast_xts_decrypt(xts, first, len, text, text, 2 * len);
        call(x, &format!("xts, two units of {len}, decrypt"), 0, decrypt);
    }
}

/// HCTR2.
#[inline(never)]
fn wide(x: &Examiner, hctr2: Handle, len: usize) {
    let (tweak, mut data) = (public(16, 3), x.secret(len));
    let (tweak, text) = (tweak.as_ptr(), data.as_mut_ptr());
    // SAFETY: as for `cipher`.
    unsafe {
        let encrypt = || abreast_hctr2_encrypt(hctr2, tweak, 16, text, text, len);
        call(x, &format!("hctr2 {len}, encrypt"), 0, encrypt);
        let decrypt = || abreast_hctr2_decrypt(hctr2, tweak, 16, text, text, len);
        call(x, &format!("hctr2 {len}, decrypt"), 0, decrypt);
    }
}

/// Batches of seven packets under one key: their kernels are the same as in Rust.
#[inline(never)]
fn packets(x: &Examiner, key: Handle, operations: &[c_int], iv_len: usize, tag_len: usize) {
    let whole = matches!(operations[0], 1 | 14);
    let lens = (0..7_usize).map(|i| if whole { 16 * (1 + i % 3) } else { 16 + 7 * i });
    let has_aad = tag_len > 0;
    let no_text = matches!(operations[0], 22 | ABREAST_HMAC_SHA1 | ABREAST_HMAC_SHA256);
    let mut buffers: Vec<(Vec<u8>, Secret, Secret, Secret)> = lens
        .map(|len| {
            let text = x.secret(if no_text { 0 } else { len });
            (public(iv_len, 9), x.secret(if has_aad { 21 } else { 0 }), text, x.secret(tag_len))
        })
        .collect();
    let mut batch: Vec<abreast_packet> = buffers
        .iter_mut()
        .map(|(iv, aad, text, tag)| {
            // In place: both are one pointer, since one that was made from a shared reference could not be read once the
            // other has written.
            let output = if text.is_empty() { null_mut() } else { text.as_mut_ptr() };
            abreast_packet {
                key,
                iv: or_null(iv),
                iv_len: iv.len(),
                aad: or_null(aad),
                aad_len: aad.len(),
                input: output.cast_const(),
                output,
                len: text.len(),
                tag: if tag.is_empty() { null_mut() } else { tag.as_mut_ptr() },
                tag_len: tag.len(),
                status: 77,
            }
        })
        .collect();
    for operation in operations {
        // SAFETY: as for `cipher`, for each packet; no two have a buffer in common.
        call(x, &format!("packets, operation {operation}"), 0, || unsafe {
            abreast_packets(*operation, batch.as_mut_ptr(), batch.len(), size_of::<abreast_packet>())
        });
    }
    if has_aad {
        // Once more, to have tags, and then wrong ones.
        let [encrypt, decrypt] = [operations[0], operations[1]];
        // SAFETY: as above.
        unsafe { abreast_packets(encrypt, batch.as_mut_ptr(), batch.len(), size_of::<abreast_packet>()) };
        for packet in &mut batch {
            // SAFETY: a tag of at least one byte, in a buffer that nobody else uses.
            unsafe { *packet.tag ^= 1 };
        }
        // SAFETY: as above.
        call(x, &format!("packets, operation {decrypt}, wrong tags"), ABREAST_BATCH, || unsafe {
            abreast_packets(decrypt, batch.as_mut_ptr(), batch.len(), size_of::<abreast_packet>())
        });
    }
}

/// AEZ through C.
#[inline(never)]
pub(super) fn aez(x: &Examiner, kernel: &str) {
    let name = CString::new(kernel).expect("a name");
    let key = x.secret(48);
    // SAFETY: as for `cipher`.
    unsafe {
        let aez = make(x, "aez", |place| abreast_aez_new(key.as_ptr(), key.len(), name.as_ptr(), place));
        for &len in x.lengths() {
            let (nonce, aad, mut data, mut tag) =
                (public(12, 2), x.secret(len), x.secret(len + 16), x.secret(16));
            let strings =
                [abreast_string { data: or_null(&aad), len }, abreast_string { data: or_null(&aad), len }];
            let (iv, ad, text, mark) =
                (nonce.as_ptr(), strings.as_ptr(), data.as_mut_ptr(), tag.as_mut_ptr());
            let encrypt = move || abreast_aez_encrypt(aez, iv, 12, ad, 2, text, text, len, mark, 16);
            let decrypt = move || abreast_aez_decrypt(aez, iv, 12, ad, 2, text, text, len, mark, 16);
            call(x, &format!("aez {len}, encrypt"), 0, encrypt);
            call(x, &format!("aez {len}, decrypt"), 0, decrypt);
            call(x, &format!("aez {len}, joined, encrypt"), 0, || {
                abreast_aez_encrypt_joined(aez, iv, 12, ad, 2, 16, text, text, len + 16)
            });
            call(x, &format!("aez {len}, joined, decrypt"), 0, || {
                abreast_aez_decrypt_joined(aez, iv, 12, ad, 2, 16, text, text, len + 16)
            });
            *mark ^= 1;
            call(x, &format!("aez {len}, a wrong tag"), ABREAST_TAG_MISMATCH, decrypt);
        }
        packets(x, aez, &[20, 21], 12, 16);
        strings(x, "aez", aez);
        x.run(format_args!("c, aez, free"), || abreast_aead_free(aez));
        let size = abreast_aez_size();
        let (_memory, aez) = make_in(x, "aez", size, |memory, place| {
            abreast_aez_init(memory, size, key.as_ptr(), key.len(), name.as_ptr(), place)
        });
        abreast_aead_free(aez);
    }
}

/// Runs a mode of the library's table that brings its cipher along, through C: its key by the function that is named after it.
#[inline(never)]
pub(super) fn sealing(x: &Examiner, row: &ModeRow, sealing: Sealing, kernel: &str) {
    let name = CString::new(kernel).expect("a name");
    let function = format!("abreast_{}_new", row.name.replace('-', "_"));
    let (_, new) = AEAD_MAKERS.iter().find(|(maker, _)| *maker == function).expect("a function for the mode");
    for &key_len in sealing.key_lens {
        let key = x.secret(key_len);
        // SAFETY: as for `cipher`.
        unsafe {
            let handle = make(x, row.name, |place| new(key.as_ptr(), key_len, name.as_ptr(), place));
            whole(x, row.name, handle);
            x.run(format_args!("c, {}, free", row.name), || abreast_aead_free(handle));
        }
    }
}

/// Messages as a whole, in a mode without streams.
fn whole(x: &Examiner, name: &str, handle: Handle) {
    for &len in x.lengths() {
        let (nonce, aad, mut data, mut tag) = (public(12, 2), x.secret(len / 2), x.secret(len), x.secret(16));
        let (iv, ad, ad_len) = (nonce.as_ptr(), or_null(&aad), aad.len());
        let (text, mark) = (data.as_mut_ptr(), tag.as_mut_ptr());
        // SAFETY: as for `cipher`.
        unsafe {
            let encrypt = move || abreast_aead_encrypt(handle, iv, 12, ad, ad_len, text, text, len, mark, 16);
            let decrypt = move || abreast_aead_decrypt(handle, iv, 12, ad, ad_len, text, text, len, mark, 16);
            call(x, &format!("{name} {len}, encrypt"), 0, encrypt);
            call(x, &format!("{name} {len}, decrypt"), 0, decrypt);
            *mark ^= 1;
            call(x, &format!("{name} {len}, a wrong tag"), ABREAST_TAG_MISMATCH, decrypt);
        }
    }
}

/// A pointer to bytes, or NULL if there are none, which C programs have there.
fn or_null(bytes: &[u8]) -> *const u8 {
    if bytes.is_empty() { null() } else { bytes.as_ptr() }
}

/// A circuit of one hop in Counter Galois Onion, there and back.
#[inline(never)]
pub(super) fn cgo(x: &Examiner, kernel: &str) {
    let kernel = CString::new(kernel).expect("a name");
    let (keys, mut cell, mut tag, mut hop) = (x.secret(180), x.secret(509), x.secret(16), 0);
    let len = keys.len();
    // SAFETY: as said at `cipher`.
    unsafe {
        let (from, name) = (keys.as_ptr(), kernel.as_ptr());
        let relay = make(x, "cgo, relay", |place| abreast_cgo_relay_new(from, len, name, place));
        let client = make(x, "cgo, client", |place| abreast_cgo_client_new(place));
        call(x, "cgo, hop", 0, || abreast_cgo_client_add_hop(client, from, len, name));
        let (at, to) = (cell.as_mut_ptr(), tag.as_mut_ptr());
        call(x, "cgo, client, originate", 0, || abreast_cgo_client_originate(client, 0, 3, at, to));
        let mut item = abreast_cgo_cell { relay, cell: at, command: 3, has_tag: 0, tag: [0; 16], status: -1 };
        let (items, size) = (&raw mut item, size_of::<abreast_cgo_cell>());
        call(x, "cgo, forward", 0, || abreast_cgo_forward(items, 1, size));
        assert_eq!((*items).has_tag, 1);
        call(x, "cgo, originate", 0, || abreast_cgo_originate(items, 1, size));
        call(x, "cgo, client, backward", 0, || abreast_cgo_client_backward(client, 3, at, &raw mut hop, to));
        call(x, "cgo, backward", 0, || abreast_cgo_backward(items, 1, size));
        x.run(format_args!("c, cgo, free"), || {
            abreast_cgo_relay_free(relay);
            abreast_cgo_client_free(client);
        });
    }
}
