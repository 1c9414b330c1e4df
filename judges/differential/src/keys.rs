//! Keys of the library, each at one kernel, in all the forms in which modes and batches take one.

use std::cell::OnceCell;
use std::rc::Rc;

use abreast::aes::{Aes128, Aes192, Aes256};
use abreast::aez::Aez;
use abreast::hmac::{Hmac, Sha1, Sha256};
use abreast::modes::{Cmac, Eax, Gcm, GcmSiv, Hctr2, Siv, WithTagLen, Xts};
use abreast::serpent::Serpent;
use abreast::xtea::Xtea;
use abreast::{BlockCipher, BlockCipher128, Error, Kernel};

use crate::subject::Kind;

/// The bytes of a key, and of a second one for XTS and SIV.
#[derive(Debug)]
pub struct Bytes {
    /// The key.
    pub key: Vec<u8>,
    /// The second key.
    pub tweak: Vec<u8>,
}

/// A key at a kernel. Each form is made when it is first asked for.
pub struct Keyed {
    kind: Kind,
    bytes: Rc<Bytes>,
    kernel: Kernel,
    cipher: OnceCell<Box<dyn BlockCipher>>,
    eax: OnceCell<Eax<Box<dyn BlockCipher>>>,
    cmac: OnceCell<Cmac<Box<dyn BlockCipher>>>,
    gcm: OnceCell<Gcm<Box<dyn BlockCipher128>>>,
    xts: OnceCell<Xts<Box<dyn BlockCipher128>>>,
    hctr2: OnceCell<Hctr2<Box<dyn BlockCipher128>>>,
    siv: OnceCell<Siv<Box<dyn BlockCipher128>>>,
    gcm_siv: OnceCell<GcmSiv>,
    aez: OnceCell<Aez>,
    sha1: OnceCell<Hmac<Sha1>>,
    sha256: OnceCell<Hmac<Sha256>>,
}

impl Keyed {
    /// A key of a cipher at one of its kernels.
    #[must_use]
    pub fn new(kind: Kind, bytes: Rc<Bytes>, kernel: Kernel) -> Self {
        Self {
            kind,
            bytes,
            kernel,
            cipher: OnceCell::new(),
            eax: OnceCell::new(),
            cmac: OnceCell::new(),
            gcm: OnceCell::new(),
            xts: OnceCell::new(),
            hctr2: OnceCell::new(),
            siv: OnceCell::new(),
            gcm_siv: OnceCell::new(),
            aez: OnceCell::new(),
            sha1: OnceCell::new(),
            sha256: OnceCell::new(),
        }
    }

    fn any(&self) -> Box<dyn BlockCipher> {
        match self.kind {
            Kind::Xtea(order, cycles) => Box::new(
                Xtea::with_kernel(sized(&self.bytes.key), order, cycles, self.kernel).expect("its kernel"),
            ),
            _ => self.wide(&self.bytes.key),
        }
    }

    fn wide(&self, key: &[u8]) -> Box<dyn BlockCipher128> {
        let kernel = self.kernel;
        match self.kind {
            Kind::Aes(16) => Box::new(Aes128::with_kernel(sized(key), kernel).expect("its kernel")),
            Kind::Aes(24) => Box::new(Aes192::with_kernel(sized(key), kernel).expect("its kernel")),
            Kind::Aes(_) => Box::new(Aes256::with_kernel(sized(key), kernel).expect("its kernel")),
            Kind::Serpent(_) => Box::new(Serpent::with_kernel(key, kernel).expect("its kernel")),
            other => panic!("{} has no blocks of 16 bytes", other.name()),
        }
    }

    /// The cipher.
    pub fn cipher(&self) -> &dyn BlockCipher {
        &**self.cipher.get_or_init(|| self.any())
    }

    /// In EAX.
    pub fn eax(&self) -> &Eax<Box<dyn BlockCipher>> {
        self.eax.get_or_init(|| Eax::from_cipher(self.any()))
    }

    /// For CMAC.
    pub fn cmac(&self) -> &Cmac<Box<dyn BlockCipher>> {
        self.cmac.get_or_init(|| Cmac::from_cipher(self.any()))
    }

    /// In GCM.
    pub fn gcm(&self) -> &Gcm<Box<dyn BlockCipher128>> {
        self.gcm.get_or_init(|| Gcm::from_cipher(self.wide(&self.bytes.key)))
    }

    /// In XTS.
    pub fn xts(&self) -> &Xts<Box<dyn BlockCipher128>> {
        self.xts.get_or_init(|| {
            Xts::new(self.wide(&self.bytes.key), self.wide(&self.bytes.tweak)).expect("different keys")
        })
    }

    /// In HCTR2.
    pub fn hctr2(&self) -> &Hctr2<Box<dyn BlockCipher128>> {
        self.hctr2.get_or_init(|| Hctr2::from_cipher(self.wide(&self.bytes.key)))
    }

    /// In SIV, whose second key is that of the message.
    pub fn siv(&self) -> &Siv<Box<dyn BlockCipher128>> {
        self.siv.get_or_init(|| Siv::from_ciphers(self.wide(&self.bytes.key), self.wide(&self.bytes.tweak)))
    }

    /// In AES-GCM-SIV.
    pub fn gcm_siv(&self) -> &GcmSiv {
        self.gcm_siv.get_or_init(|| {
            GcmSiv::with_kernel(&self.bytes.key, self.kernel).expect("a key of AES, its kernel")
        })
    }

    /// For HMAC-SHA-1.
    pub fn sha1(&self) -> &Hmac<Sha1> {
        self.sha1.get_or_init(|| Hmac::with_kernel(&self.bytes.key, self.kernel).expect("its kernel"))
    }

    /// For HMAC-SHA-256.
    pub fn sha256(&self) -> &Hmac<Sha256> {
        self.sha256.get_or_init(|| Hmac::with_kernel(&self.bytes.key, self.kernel).expect("its kernel"))
    }

    /// In AEZ.
    pub fn aez(&self) -> &Aez {
        self.aez.get_or_init(|| Aez::with_kernel(&self.bytes.key, self.kernel).expect("its kernel"))
    }

    /// In AEZ with tags of `tag_len` bytes, or without.
    ///
    /// # Errors
    /// None, but callers have a place for them.
    pub fn aez_with(&self, tag_len: usize) -> Result<WithTagLen<'_, Aez>, Error> {
        if tag_len == 0 { Ok(self.aez().unauthenticated()) } else { self.aez().with_tag_len(tag_len) }
    }

    /// The bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes.key
    }
}

fn sized<const N: usize>(key: &[u8]) -> &[u8; N] {
    key.try_into().expect("as long as the cipher wants it")
}
