//! Contexts as OpenSSL uses them, from Rust and without OpenSSL, so that Miri can follow what becomes of the pointers. That the
//! bytes are right is tested with OpenSSL itself.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use crate::core::{Algorithm, Dispatch, Param, data_type, id, name};
use crate::names::ciphers;

/// The provider, loaded by an OpenSSL that offers nothing.
fn load() -> *mut c_void {
    let (mut functions, mut provider) = (null::<Dispatch>(), null_mut());
    // SAFETY: no handle and no functions, and places for the two results.
    assert_eq!(unsafe { crate::OSSL_provider_init(null(), null(), &mut functions, &mut provider) }, 1);
    provider
}

fn unload(provider: *mut c_void) {
    // SAFETY: it is the provider's own, and given back once.
    unsafe { drop(Box::from_raw(provider.cast::<crate::provider::Provider>())) };
}

/// A context of a cipher, freed with it.
struct Context {
    table: *const Dispatch,
    context: *mut c_void,
}

impl Context {
    fn new(name: &[u8], provider: *mut c_void) -> Self {
        let is_it = |cipher: &&Algorithm| {
            // SAFETY: the names are there for good.
            unsafe { std::ffi::CStr::from_ptr(cipher.names) }.to_bytes().starts_with(name)
        };
        let (_, all) = ciphers(true).split_last().expect("an end");
        let table = all.iter().find(is_it).expect("a cipher").implementation;
        let mut it = Self { table, context: null_mut() };
        // SAFETY: the type of this function.
        it.context = unsafe { (it.function(id::CIPHER_NEWCTX).new)(provider) };
        it
    }

    fn function(&self, id: i32) -> crate::core::Function {
        let mut at = self.table;
        // SAFETY: every table has the function, and ends after it.
        unsafe {
            while (*at).id != id {
                assert_ne!((*at).id, 0);
                at = at.add(1);
            }
            (*at).function
        }
    }

    fn begin(&self, id: i32, key: &[u8], iv: &[u8]) -> i32 {
        // SAFETY: the type of these functions, and slices.
        unsafe {
            let begin = self.function(id).init;
            begin(self.context, key.as_ptr(), key.len(), iv.as_ptr(), iv.len(), null())
        }
    }

    /// Begins without a key and without a vector.
    fn go_on(&self, id: i32) -> i32 {
        // SAFETY: the type of these functions, and nothing given.
        unsafe { (self.function(id).init)(self.context, null(), 0, null(), 0, null()) }
    }

    /// Takes a piece at some place of the memory to another place of it.
    fn update(&self, memory: &mut [u8], from: usize, to: usize, len: usize) -> Option<usize> {
        let (start, room, mut written) = (memory.as_mut_ptr(), memory.len() - to, 0);
        // SAFETY: the type of this function, and places in the memory.
        unsafe {
            let (input, output) = (start.add(from).cast_const(), start.add(to));
            let update = self.function(id::CIPHER_UPDATE).update;
            (update(self.context, output, &mut written, room, input, len) == 1).then_some(written)
        }
    }

    fn finish(&self, memory: &mut [u8]) -> Option<usize> {
        let mut written = 0;
        // SAFETY: the type of this function, and memory.
        unsafe {
            let finish = self.function(id::CIPHER_FINAL).finish;
            (finish(self.context, memory.as_mut_ptr(), &mut written, memory.len()) == 1).then_some(written)
        }
    }

    fn copy(&self) -> Self {
        // SAFETY: the type of this function.
        let context = unsafe { (self.function(id::CIPHER_DUPCTX).new)(self.context) };
        Self { table: self.table, context }
    }

    /// Asks for a parameter of some bytes.
    fn bytes(&self, key: &'static std::ffi::CStr, data: &mut [u8]) -> i32 {
        let mut asked = [Param::described(key, data_type::OCTET_STRING), Param::END];
        asked[0].data = data.as_mut_ptr().cast();
        asked[0].data_size = data.len();
        // SAFETY: the type of this function, and a list that ends.
        unsafe { (self.function(id::CIPHER_GET_CTX_PARAMS).get)(self.context, asked.as_mut_ptr()) }
    }

    fn set_number(&self, key: &'static std::ffi::CStr, mut number: u64) -> i32 {
        let mut given = [Param::described(key, data_type::UNSIGNED_INTEGER), Param::END];
        given[0].data = (&raw mut number).cast();
        given[0].data_size = size_of_val(&number);
        // SAFETY: the type of this function, and a list that ends.
        unsafe { (self.function(id::CIPHER_SET_CTX_PARAMS).set)(self.context, given.as_ptr()) }
    }

    fn set_bytes(&self, key: &'static std::ffi::CStr, data: &mut [u8]) -> i32 {
        let mut given = [Param::described(key, data_type::OCTET_STRING), Param::END];
        given[0].data = data.as_mut_ptr().cast();
        given[0].data_size = data.len();
        // SAFETY: the type of this function, and a list that ends.
        unsafe { (self.function(id::CIPHER_SET_CTX_PARAMS).set)(self.context, given.as_ptr()) }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: the type of this function.
        unsafe { (self.function(id::CIPHER_FREECTX).free)(self.context) };
    }
}

const KEY: [u8; 32] = [3; 32];
const IV: [u8; 16] = [9; 16];

#[test]
fn pieces_in_place_apart_and_overlapping() {
    let provider = load();
    for (name, key_len, iv_len) in [
        ("AES-128-CBC", 16, 16),
        ("XTEA-128-CTR", 16, 8),
        ("SERPENT-256-CFB", 32, 16),
        ("AES-256-ECB", 32, 0),
        ("RC4", 16, 0),
    ] {
        let encrypted = |from: usize, to: usize| {
            let context = Context::new(name.as_bytes(), provider);
            assert_eq!(context.begin(id::CIPHER_ENCRYPT_INIT, &KEY[..key_len], &IV[..iv_len]), 1);
            let mut memory = [0; 200];
            memory[from..from + 39].fill(7);
            let written = context.update(&mut memory, from, to, 39).expect("a piece");
            let mut all = memory[to..to + written].to_vec();
            // From another context, while this one is gone.
            let copy = context.copy();
            drop(context);
            memory[from..from + 9].fill(7);
            let written = copy.update(&mut memory, from, to, 9).expect("a piece");
            all.extend_from_slice(&memory[to..to + written]);
            let mut last = [0; 16];
            let written = copy.finish(&mut last).expect("the end");
            all.extend_from_slice(&last[..written]);
            all
        };
        let apart = encrypted(0, 100);
        assert!(apart.len() >= 48, "{name}");
        for (from, to) in [(50, 50), (50, 51), (50, 49), (50, 60), (60, 50)] {
            assert_eq!(encrypted(from, to), apart, "{name}, from {from} to {to}");
        }
    }
    unload(provider);
}

#[test]
fn messages_with_tags() {
    let provider = load();
    for name in ["AES-128-GCM", "ABREAST-AES-128-EAX"] {
        let context = Context::new(name.as_bytes(), provider);
        let mut memory = [7; 40];
        assert_eq!(context.update(&mut memory, 0, 0, 40), None);
        assert_eq!(context.begin(id::CIPHER_ENCRYPT_INIT, &KEY[..16], &IV[..12]), 1);
        assert_eq!(context.update(&mut memory, 0, 0, 17), Some(17));
        let copy = context.copy();
        for context in [context, copy] {
            let mut rest = [8; 23];
            assert_eq!(context.update(&mut rest, 0, 0, 23), Some(23));
            assert_eq!(context.finish(&mut []), Some(0));
            let mut tag = [0; 16];
            assert_eq!(context.bytes(name::TAG, &mut tag), 1);
            assert_eq!(context.bytes(name::TAG, &mut [0; 17]), 0);
            // The same key, expanded in its place or, as long as there is a copy, in another.
            assert_eq!(context.begin(id::CIPHER_DECRYPT_INIT, &KEY[..16], &IV[..12]), 1);
            assert_eq!(context.set_bytes(name::TAG, &mut tag), 1);
            let mut opened = [memory[..17].to_vec(), rest.to_vec()].concat();
            assert_eq!(context.update(&mut opened, 0, 0, 40), Some(40));
            assert_eq!(context.finish(&mut []), Some(0));
            assert_eq!(opened, [[7; 17].as_slice(), &[8; 23]].concat());
        }
    }
    unload(provider);
}

#[test]
fn messages_in_one_piece() {
    let provider = load();
    for (name, key_len) in [("AES-128-GCM-SIV", 16), ("AES-256-GCM-SIV", 32), ("ABREAST-AEZ", 48)] {
        let context = Context::new(name.as_bytes(), provider);
        let (key, iv) = ([3; 48], &IV[..12]);
        let mut memory = [7; 100];
        assert_eq!(context.update(&mut memory, 0, 0, 40), None);
        assert_eq!(context.begin(id::CIPHER_ENCRYPT_INIT, &key[..key_len], iv), 1);
        let copy = context.copy();
        // In place, and to another place that it overlaps.
        assert_eq!(context.update(&mut memory, 0, 0, 40), Some(40));
        assert_eq!(context.finish(&mut []), Some(0));
        let mut other = [7; 100];
        assert_eq!(copy.update(&mut other, 0, 13, 40), Some(40));
        assert_eq!(memory[..40], other[13..53], "{name}");
        // A second piece is none, and the end tells.
        assert_eq!(copy.update(&mut other, 0, 0, 1), None);
        assert_eq!(copy.finish(&mut []), None);
        let mut tag = [0; 16];
        assert_eq!(context.bytes(name::TAG, &mut tag), 1);
        for forged in [false, true] {
            tag[5] ^= u8::from(forged);
            assert_eq!(context.begin(id::CIPHER_DECRYPT_INIT, &key[..key_len], iv), 1);
            assert_eq!(context.set_bytes(name::TAG, &mut tag), 1);
            let mut opened = memory;
            assert_eq!(context.update(&mut opened, 0, 0, 40), (!forged).then_some(40));
            assert_eq!(context.finish(&mut []), (!forged).then_some(0));
            assert_eq!(opened[..40], if forged { [0; 40] } else { [7; 40] }, "{name}");
        }
        // Without a tag.
        assert_eq!(context.begin(id::CIPHER_DECRYPT_INIT, &key[..key_len], iv), 1);
        assert_eq!(context.update(&mut memory, 0, 0, 40), None);
    }
    unload(provider);
}

#[test]
fn keys_of_rc4_have_any_length() {
    let provider = load();
    for (name, usual) in [("RC4", 16), ("RC4-40", 5)] {
        let context = Context::new(name.as_bytes(), provider);
        let mut memory = [7; 40];
        assert_eq!(context.update(&mut memory, 0, 0, 40), None, "without a key");
        for len in [0, 257, u64::MAX] {
            assert_eq!(context.set_number(name::KEYLEN, len), 0, "{len}");
        }
        for len in [usual, 1, 256, 40, 13] {
            let key: Vec<u8> = (0..len).map(|at| (3 * at + len) as u8).collect();
            let mut whole = [7; 40];
            abreast::rc4::Rc4::new(&key).expect("a key").apply(whole.as_mut_slice());
            assert_eq!(context.set_number(name::KEYLEN, len as u64), 1);
            assert_eq!(context.begin(id::CIPHER_ENCRYPT_INIT, &key, &[]), 1);
            let mut memory = [7; 40];
            assert_eq!(context.update(&mut memory, 0, 0, 11), Some(11));
            // A copy goes on by itself, and what begins without a key goes on in the keystream.
            let copy = context.copy();
            for context in [&copy, &context] {
                assert_eq!(context.go_on(id::CIPHER_DECRYPT_INIT), 1);
                memory[11..].fill(7);
                assert_eq!(context.update(&mut memory, 11, 11, 29), Some(29));
                assert_eq!(context.finish(&mut []), Some(0));
                assert_eq!(memory, whole, "{name}, a key of {len} bytes");
            }
        }
        // A key that is refused leaves none.
        assert_eq!(context.begin(id::CIPHER_ENCRYPT_INIT, &[1; 257], &[]), 0);
        assert_eq!(context.update(&mut memory, 0, 0, 40), None);
    }
    unload(provider);
}
