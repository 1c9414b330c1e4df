//! Messages of AEZ: their parts, their results in an independent implementation, and the ways to process them.

use super::{Random, both_ways, kernels, same};
use abreast::aez::Aez;
use abreast::kernels::Algorithm;
use abreast::modes::WithTagLen;
use abreast::{Error, InOutBuf, Kernel};

/// The longest tag that may be apart from the ciphertext.
pub(crate) const MAX_DETACHED: usize = 32;

/// Returns the kernels that AEZ lists, and AES-NI without AVX.
pub(crate) fn aez_kernels() -> Vec<Kernel> {
    kernels(Algorithm::from_name("aes-128").expect("a cipher"))
}

/// A key with tags of `tag_len` bytes, or without tags for 0.
pub(crate) fn at_len(aez: &Aez, tag_len: usize) -> WithTagLen<'_, Aez> {
    match tag_len {
        0 => aez.unauthenticated(),
        _ => aez.with_tag_len(tag_len).expect("any length but none"),
    }
}

/// A key at every kernel.
pub(crate) fn at_every_kernel(key: &[u8]) -> Vec<Aez> {
    let at = |kernel| Aez::with_kernel(key, kernel).expect("a kernel of AEZ");
    aez_kernels().into_iter().map(at).collect()
}

/// Strings as AEZ takes them.
pub(crate) fn slices(strings: &[Vec<u8>]) -> Vec<&[u8]> {
    strings.iter().map(Vec::as_slice).collect()
}

/// The lengths of a message, its key, nonce, associated data and tag.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    pub(crate) key: usize,
    pub(crate) nonce: usize,
    pub(crate) ads: Vec<usize>,
    pub(crate) tag: usize,
    pub(crate) message: usize,
}

impl Shape {
    /// The usual lengths, around a message.
    pub(crate) fn of(message: usize) -> Self {
        Self { key: 48, nonce: 12, ads: vec![5], tag: 16, message }
    }

    /// Any lengths around a message: those that are short or usual more often than others.
    pub(crate) fn random(random: &mut Random, message: usize) -> Self {
        let any_key = random.up_to(100);
        let (any_nonce, any_tag) = (random.up_to(64), random.up_to(MAX_DETACHED));
        let strings = random.up_to(5);
        let ads = (0..strings).map(|_| match random.up_to(3) {
            0 => 0,
            1 => 16 * random.up_to(9),
            _ => random.up_to(200),
        });
        Self {
            ads: ads.collect(),
            key: random.pick(&[48, 48, any_key]),
            nonce: random.pick(&[12, 16, any_nonce, any_nonce]),
            tag: random.pick(&[16, 16, any_tag, any_tag]),
            message,
        }
    }

    /// Keeps only the first string of associated data that is not empty: a packet has one string or none.
    pub(crate) fn of_packet(mut self) -> Self {
        self.ads.retain(|len| *len > 0);
        self.ads.truncate(1);
        self
    }
}

/// A message with all that belongs to it.
#[derive(Clone, Debug)]
pub(crate) struct Message {
    pub(crate) key: Vec<u8>,
    pub(crate) nonce: Vec<u8>,
    pub(crate) ads: Vec<Vec<u8>>,
    pub(crate) tag_len: usize,
    pub(crate) plaintext: Vec<u8>,
    /// The ciphertext with the tag after it.
    pub(crate) ciphertext: Vec<u8>,
}

impl Message {
    /// Makes a message of given lengths and random content, with the ciphertext of another implementation.
    pub(crate) fn new(random: &mut Random, shape: &Shape) -> Self {
        let [key, nonce, plaintext] = [shape.key, shape.nonce, shape.message].map(|len| random.bytes(len));
        let ads = shape.ads.iter().map(|len| random.bytes(*len)).collect();
        let message = Self { key, nonce, ads, tag_len: shape.tag, plaintext, ciphertext: Vec::new() };
        let ciphertext = message.by_another();
        Self { ciphertext, ..message }
    }

    /// The ciphertext as zears has it.
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    pub(crate) fn by_another(&self) -> Vec<u8> {
        let tag_len = u32::try_from(self.tag_len).expect("a length of a tag");
        zears::Aez::new(&self.key).encrypt(&self.nonce, &slices(&self.ads), tag_len, &self.plaintext)
    }

    /// The ciphertext as the reference has it: zears is for two architectures only.
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    pub(crate) fn by_another(&self) -> Vec<u8> {
        self.by_reference()
    }

    /// The ciphertext as the reference has it.
    pub(crate) fn by_reference(&self) -> Vec<u8> {
        let Self { key, nonce, ads, tag_len, plaintext, .. } = self;
        abreast_reference::aez::encrypt(key, nonce, &slices(ads), *tag_len, plaintext)
    }

    pub(crate) fn shape(&self) -> Shape {
        Shape {
            key: self.key.len(),
            nonce: self.nonce.len(),
            ads: self.ads.iter().map(Vec::len).collect(),
            tag: self.tag_len,
            message: self.plaintext.len(),
        }
    }

    /// Its associated data as a packet has it; see [`Shape::of_packet`].
    pub(crate) fn string(&self) -> &[u8] {
        match self.ads.as_slice() {
            [] => &[],
            [string] if !string.is_empty() => string,
            _ => panic!("no packet has {:?}", self.shape()),
        }
    }

    /// The ciphertext and the tag apart.
    pub(crate) fn parts(&self) -> (&[u8], &[u8]) {
        self.ciphertext.split_at(self.ciphertext.len() - self.tag_len)
    }

    /// The plaintext with room for the tag.
    pub(crate) fn with_room(&self, filled: u8) -> Vec<u8> {
        [self.plaintext.as_slice(), &vec![filled; self.tag_len]].concat()
    }

    /// Expects of every kernel that it does this message.
    #[track_caller]
    pub(crate) fn at_every_kernel(&self, what: &str) {
        for aez in at_every_kernel(&self.key) {
            self.at(&aez, what);
        }
    }

    /// Expects that a key does this message, both ways: with the tag apart, if it may be, and after the ciphertext.
    #[track_caller]
    pub(crate) fn at(&self, aez: &Aez, what: &str) {
        let Self { nonce, tag_len, plaintext, ciphertext, .. } = self;
        let (ads, at) = (&slices(&self.ads), plaintext.len() + tag_len);
        let what = |how: &str| format!("{what}, {how}, {:?} on {}", self.shape(), aez.kernel());
        if *tag_len <= MAX_DETACHED {
            let (message, tag) = self.parts();
            both_ways(
                plaintext,
                message,
                at,
                || what("encrypted"),
                |io| {
                    let mut made = vec![0x77; *tag_len];
                    assert_eq!(
                        at_len(aez, *tag_len).encrypt_detached(nonce, ads, io, &mut made),
                        Ok(()),
                        "{}",
                        what("encrypted")
                    );
                    same(&made, tag, || what("the tag"));
                },
            );
            both_ways(
                message,
                plaintext,
                at,
                || what("decrypted"),
                |io| {
                    assert_eq!(
                        at_len(aez, *tag_len).decrypt_detached(nonce, ads, io, tag),
                        Ok(()),
                        "{}",
                        what("decrypted")
                    );
                },
            );
        }
        both_ways(
            &self.with_room(0x9d),
            ciphertext,
            at,
            || what("encrypted, joined"),
            |io| {
                let done = at_len(aez, *tag_len).encrypt_joined(nonce, ads, io);
                assert_eq!(done, Ok(()), "{}", what("encrypted, joined"));
            },
        );
        both_ways(
            ciphertext,
            &self.with_room(0),
            at,
            || what("decrypted, joined"),
            |io| {
                let done = at_len(aez, *tag_len).decrypt_joined(nonce, ads, io);
                assert_eq!(done, Ok(()), "{}", what("decrypted, joined"));
            },
        );
    }

    /// Expects that a key refuses it as it is now, and that its output is zeros.
    #[track_caller]
    pub(crate) fn is_refused(&self, aez: &Aez, why: impl Fn() -> String) {
        let Self { nonce, tag_len, ciphertext, .. } = self;
        let ads = &slices(&self.ads);
        let what = || format!("{}, {:?} on {}", why(), self.shape(), aez.kernel());
        if *tag_len <= MAX_DETACHED {
            let (message, tag) = self.parts();
            both_ways(message, &vec![0; message.len()], ciphertext.len(), what, |io| {
                assert_eq!(
                    at_len(aez, *tag_len).decrypt_detached(nonce, ads, io, tag),
                    Err(Error::TagMismatch),
                    "{}",
                    what()
                );
            });
        }
        both_ways(ciphertext, &vec![0; ciphertext.len()], ciphertext.len(), what, |io| {
            let opened = at_len(aez, *tag_len).decrypt_joined(nonce, ads, io);
            assert_eq!(opened, Err(Error::TagMismatch), "{}, joined", what());
        });
    }
}

/// A buffer in place, or one to read and one to write.
pub(crate) fn in_place_or_not<'a>(
    in_place: bool,
    input: &'a mut [u8],
    output: &'a mut [u8],
) -> InOutBuf<'a, 'a, u8> {
    if in_place { input.into() } else { InOutBuf::new(input, output).expect("equal lengths") }
}
