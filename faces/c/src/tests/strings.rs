//! Strings of associated data in one buffer: as AEZ has them by descriptors, and as the library has them in SIV.

use std::ffi::c_int;
use std::ptr::null;

use abreast::aes::Aes128;
use abreast::modes::Siv;

use super::orders::Random;
use super::{OK, key, made};
use crate::aez::{AdString, AdStrings, abreast_aez_encrypt, abreast_aez_new};
use crate::buffers::{In, Out};
use crate::cipher::abreast_cipher_free;
use crate::modes::aead::{
    AeadHandle, abreast_aead_encrypt, abreast_aead_free, abreast_gcm_new, abreast_siv_new,
};
use crate::names::Text;
use crate::status::Status;
use crate::strings::{FEW, Lengths, abreast_aead_decrypt_strings, abreast_aead_encrypt_strings};

fn at(bytes: &[u8]) -> In {
    In::from(bytes.as_ptr())
}

/// A message with its strings.
struct Case {
    nonce: Vec<u8>,
    ad: Vec<u8>,
    lens: Vec<usize>,
    text: Vec<u8>,
}

impl Case {
    fn draw(random: &mut Random) -> Self {
        let (nonce_len, text_len) = (random.below(20), random.below(60));
        let few = if cfg!(miri) { 3 } else { FEW };
        let count =
            if random.below(4) == 0 && !cfg!(miri) { FEW + random.below(3) } else { random.below(few) };
        let lens: Vec<_> =
            (0..count).map(|_| if random.below(3) == 0 { 0 } else { random.below(30) }).collect();
        let ad = random.bytes(lens.iter().sum());
        Self { nonce: random.bytes(nonce_len), ad, lens, text: random.bytes(text_len) }
    }

    /// The strings by themselves.
    fn strings(&self) -> Vec<&[u8]> {
        let mut rest = self.ad.as_slice();
        let cut = |len: &usize| rest.split_off(..*len).expect("all of them");
        self.lens.iter().map(cut).collect()
    }

    fn lens(&self) -> Lengths {
        Lengths::from(self.lens.as_ptr())
    }

    /// Encrypts the message in place, and puts the tag after it.
    fn seal(&self, aead: *mut AeadHandle) -> Vec<u8> {
        let len = self.text.len();
        let mut all = [self.text.as_slice(), &[0; 16]].concat();
        let start = all.as_mut_ptr();
        let (nonce, ad, count) = (at(&self.nonce), at(&self.ad), self.lens.len());
        let (input, output, tag) =
            (In::from(start.cast_const()), Out::from(start), Out::from(start.wrapping_add(len)));
        let status = abreast_aead_encrypt_strings(
            aead.into(),
            nonce,
            self.nonce.len(),
            ad,
            self.ad.len(),
            self.lens(),
            count,
            input,
            output,
            len,
            tag,
            16,
        );
        assert_eq!(status, OK);
        all
    }

    /// Decrypts a message in place.
    fn open(&self, aead: *mut AeadHandle, sealed: &mut [u8], ad: &[u8]) -> c_int {
        let len = self.text.len();
        let start = sealed.as_mut_ptr();
        let (input, output) = (In::from(start.cast_const()), Out::from(start));
        let tag = In::from(start.wrapping_add(len).cast_const());
        let (nonce, count) = (at(&self.nonce), self.lens.len());
        abreast_aead_decrypt_strings(
            aead.into(),
            nonce,
            self.nonce.len(),
            at(ad),
            ad.len(),
            self.lens(),
            count,
            input,
            output,
            len,
            tag,
            16,
        )
    }

    /// Opens what was sealed, and refuses what was changed.
    fn back(&self, random: &mut Random, aead: *mut AeadHandle, sealed: &[u8]) {
        let mut opened = sealed.to_vec();
        assert_eq!(self.open(aead, &mut opened, &self.ad), OK);
        assert_eq!(opened[..self.text.len()], self.text);
        let (mut changed, mut ad) = (sealed.to_vec(), self.ad.clone());
        if ad.is_empty() || random.below(2) == 0 {
            let place = random.below(changed.len());
            changed[place] ^= 1;
        } else {
            let place = random.below(ad.len());
            ad[place] ^= 1;
        }
        assert_eq!(self.open(aead, &mut changed, &ad), Status::TagMismatch as c_int);
        assert!(changed[..self.text.len()].iter().all(|byte| *byte == 0));
    }
}

#[test]
fn strings_in_one_buffer() {
    let secret = [7; 16];
    let (mac, text) = (key(c"aes-128", 1), key(c"aes-128", 2));
    let siv: *mut AeadHandle = made(|place| abreast_siv_new(mac.into(), text.into(), place));
    let aez: *mut AeadHandle = made(|place| abreast_aez_new(In::from(&secret), 16, Text::none(), place));
    let model = Siv::from_ciphers(Aes128::new(&[1; 16]), Aes128::new(&[2; 16]));
    for seed in 1..=if cfg!(miri) { 1 } else { 500 } {
        let random = &mut Random::of(seed);
        let case = Case::draw(random);
        let mut strings = case.strings();
        // SIV: the nonce is the last string.
        let sealed = case.seal(siv);
        let (mut expected, mut tag) = (case.text.clone(), [0; 16]);
        if !case.nonce.is_empty() {
            strings.push(&case.nonce);
        }
        model.encrypt_detached(&strings, expected.as_mut_slice(), &mut tag).expect("a message");
        assert_eq!(sealed, [expected.as_slice(), &tag].concat());
        case.back(random, siv, &sealed);

        // AEZ, by descriptors.
        let sealed = case.seal(aez);
        let described: Vec<_> =
            case.strings().iter().map(|string| AdString { data: at(string), len: string.len() }).collect();
        let mut all = [case.text.as_slice(), &[0; 16]].concat();
        let (start, len) = (all.as_mut_ptr(), case.text.len());
        let (input, output, tag) =
            (In::from(start.cast_const()), Out::from(start), Out::from(start.wrapping_add(len)));
        let (nonce, ad) = (at(&case.nonce), AdStrings::from(described.as_ptr()));
        let (nonce_len, count) = (case.nonce.len(), described.len());
        let status =
            abreast_aez_encrypt(aez.into(), nonce, nonce_len, ad, count, input, output, len, tag, 16);
        assert_eq!(status, OK);
        assert_eq!(sealed, all);
        case.back(random, aez, &sealed);
    }
    abreast_cipher_free(mac.into());
    abreast_cipher_free(text.into());
    abreast_aead_free(siv.into());
    abreast_aead_free(aez.into());
}

#[test]
fn one_string_is_that_of_other_calls() {
    let (mac, text) = (key(c"aes-128", 1), key(c"aes-128", 2));
    let siv: *mut AeadHandle = made(|place| abreast_siv_new(mac.into(), text.into(), place));
    let case = Case { nonce: vec![1; 12], ad: vec![2; 33], lens: vec![33], text: vec![3; 50] };
    let (mut expected, mut tag) = ([0; 50], [0; 16]);
    let (output, place) = (Out::from(expected.as_mut_ptr()), Out::from(tag.as_mut_ptr()));
    let (nonce, ad, input) = (at(&case.nonce), at(&case.ad), at(&case.text));
    let status = abreast_aead_encrypt(siv.into(), nonce, 12, ad, 33, input, output, 50, place, 16);
    assert_eq!(status, OK);
    assert_eq!(case.seal(siv), [expected.as_slice(), &tag].concat());
    abreast_cipher_free(mac.into());
    abreast_cipher_free(text.into());
    abreast_aead_free(siv.into());
}

#[test]
fn strings_that_are_refused() {
    let (mac, text) = (key(c"aes-128", 1), key(c"aes-128", 2));
    let siv: *mut AeadHandle = made(|place| abreast_siv_new(mac.into(), text.into(), place));
    let gcm: *mut AeadHandle = made(|place| abreast_gcm_new(mac.into(), place));
    let mut data = [9_u8; 64];
    let memory = data.as_mut_ptr();
    let (bytes, mut lens) = ([5_u8; 200], vec![1_usize; 200]);
    let lens_at = lens.as_mut_ptr();
    let mut tag = [9; 16];
    let tag_at = tag.as_mut_ptr();
    let seal = |aead: *mut AeadHandle,
                nonce_len,
                ad: *const u8,
                lens: *const usize,
                count: usize,
                output: *mut u8,
                tag_len| {
        let (nonce, input, tag) = (at(&bytes), In::from(memory.cast_const()), Out::from(tag_at));
        let (ad, lens, output) = (In::from(ad), Lengths::from(lens), Out::from(output));
        abreast_aead_encrypt_strings(
            aead.into(),
            nonce,
            nonce_len,
            ad,
            count.min(200),
            lens,
            count,
            input,
            output,
            8,
            tag,
            tag_len,
        )
    };
    let ad = bytes.as_ptr();
    let inside = memory.wrapping_add(4).cast_const();
    let crooked = lens_at.wrapping_byte_add(1).cast_const();
    for (status, expected) in [
        (seal(gcm, 12, ad, lens_at, 2, memory, 16), Status::WrongKey),
        (seal(siv, 0, ad, lens_at, 127, memory, 16), Status::MessageTooLong),
        (seal(siv, 1, ad, lens_at, 126, memory, 16), Status::MessageTooLong),
        (seal(siv, 0, ad, lens_at, 2, memory, 15), Status::TagLength),
        (seal(siv, 0, null(), lens_at, 2, memory, 16), Status::NullPointer),
        (seal(siv, 0, ad, null(), 2, memory, 16), Status::NullPointer),
        (seal(siv, 0, ad, crooked, 2, memory, 16), Status::Alignment),
        (seal(siv, 0, ad, lens_at, usize::MAX, memory, 16), Status::Length),
        (seal(siv, 0, inside, lens_at, 2, memory, 16), Status::Overlap),
        (seal(siv, 0, tag_at.cast_const(), lens_at, 2, memory, 16), Status::Overlap),
        // The output is where the lengths are.
        (seal(siv, 0, ad, lens_at, 2, lens_at.cast(), 16), Status::Overlap),
    ] {
        assert_eq!(status, expected as c_int);
    }
    // SAFETY: places of this function, which nobody else uses now.
    unsafe {
        for wrong in [0, 2, 3, usize::MAX / 2, usize::MAX] {
            lens_at.write(wrong);
            assert_eq!(seal(siv, 0, ad, lens_at, 2, memory, 16), Status::StringLengths as c_int);
        }
        lens_at.write(1);
    }
    assert_eq!((data, tag), ([9; 64], [9; 16]));
    // A minute under Miri.
    if !cfg!(miri) {
        as_many_strings_as_there_may_be(siv);
    }
    for aead in [siv, gcm] {
        abreast_aead_free(aead.into());
    }
    abreast_cipher_free(mac.into());
    abreast_cipher_free(text.into());
}

/// Encrypts a message with 126 strings, after which there is room for its nonce.
fn as_many_strings_as_there_may_be(siv: *mut AeadHandle) {
    let case = Case { nonce: vec![1; 12], ad: vec![5; 125], lens: vec![1; 125], text: vec![9; 8] };
    let sealed = case.seal(siv);
    case.back(&mut Random::of(1), siv, &sealed);
    let without_nonce = Case { nonce: Vec::new(), ad: vec![5; 126], lens: vec![1; 126], ..case };
    assert_ne!(without_nonce.seal(siv), sealed);
}
