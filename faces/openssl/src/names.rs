//! The ciphers that the provider has, by the names under which programs ask for them: cipher, bits of the key and mode, as
//! OpenSSL's own and as cryptsetup puts them together. Case does not matter.
//!
//! The object identifiers are NIST's for AES and IEEE's for XTS, as OpenSSL has them, and GNU's for Serpent, as libgcrypt
//! has them. XTEA counts bytes big-endian, as in Botan and most other libraries. What nobody else has begins with
//! `ABREAST-`.
//!
//! RC4 has the names and the identifier of OpenSSL's legacy provider, and `ARC4` besides.

use std::ffi::CStr;

use crate::context::functions;
use crate::core::{Algorithm, Dispatch};
use crate::keys::{Aes128, Aes192, Aes256, EaxKey, GcmKey, Serpent128, Serpent192, Serpent256, XteaBe};
use crate::modes::aead::Aead;
use crate::modes::aez::AezKey;
use crate::modes::blocks::{Blocks, InCbc, InEcb};
use crate::modes::gcm_siv::GcmSivKey;
use crate::modes::rc4::Keystream;
use crate::modes::streams::{InCfb, InCtr, InOfb, Streams};
use crate::modes::whole::Whole;
use crate::modes::xts::InXts;

type Ecb<C> = Blocks<C, InEcb>;
type Cbc<C> = Blocks<C, InCbc>;
type Cfb<C> = Streams<C, InCfb>;
type Ofb<C> = Streams<C, InOfb>;
type Ctr<C> = Streams<C, InCtr>;
type Gcm<C> = Aead<GcmKey<C>>;
type Eax<C> = Aead<EaxKey<C>>;
type GcmSiv<C> = Whole<GcmSivKey<C>>;

const AES: &CStr = c"AES of abreast";
const SERPENT: &CStr = c"Serpent of abreast";
const RC4: &CStr = c"RC4 of abreast, which is broken";
const XTEA: &CStr = c"XTEA of abreast, big-endian";

const fn cipher(names: &'static CStr, functions: &'static [Dispatch], what: &'static CStr) -> Algorithm {
    Algorithm::new(names, functions, what)
}

/// Rows in front that are broken ciphers, which the configuration has to ask for.
const LEGACY: usize = 2;

/// The ciphers of a provider, with or without those that are broken.
pub(crate) fn ciphers(legacy: bool) -> &'static [Algorithm] {
    if legacy { CIPHERS } else { &CIPHERS[LEGACY..] }
}

/// All of them.
static CIPHERS: &[Algorithm] = &[
    cipher(c"RC4:ARC4:1.2.840.113549.3.4", functions::<Keystream<16>>(), RC4),
    cipher(c"RC4-40", functions::<Keystream<5>>(), RC4),
    cipher(c"AES-128-ECB:2.16.840.1.101.3.4.1.1", functions::<Ecb<Aes128>>(), AES),
    cipher(c"AES-192-ECB:2.16.840.1.101.3.4.1.21", functions::<Ecb<Aes192>>(), AES),
    cipher(c"AES-256-ECB:2.16.840.1.101.3.4.1.41", functions::<Ecb<Aes256>>(), AES),
    cipher(c"AES-128-CBC:AES128:2.16.840.1.101.3.4.1.2", functions::<Cbc<Aes128>>(), AES),
    cipher(c"AES-192-CBC:AES192:2.16.840.1.101.3.4.1.22", functions::<Cbc<Aes192>>(), AES),
    cipher(c"AES-256-CBC:AES256:2.16.840.1.101.3.4.1.42", functions::<Cbc<Aes256>>(), AES),
    cipher(c"AES-128-OFB:2.16.840.1.101.3.4.1.3", functions::<Ofb<Aes128>>(), AES),
    cipher(c"AES-192-OFB:2.16.840.1.101.3.4.1.23", functions::<Ofb<Aes192>>(), AES),
    cipher(c"AES-256-OFB:2.16.840.1.101.3.4.1.43", functions::<Ofb<Aes256>>(), AES),
    cipher(c"AES-128-CFB:2.16.840.1.101.3.4.1.4", functions::<Cfb<Aes128>>(), AES),
    cipher(c"AES-192-CFB:2.16.840.1.101.3.4.1.24", functions::<Cfb<Aes192>>(), AES),
    cipher(c"AES-256-CFB:2.16.840.1.101.3.4.1.44", functions::<Cfb<Aes256>>(), AES),
    cipher(c"AES-128-CTR", functions::<Ctr<Aes128>>(), AES),
    cipher(c"AES-192-CTR", functions::<Ctr<Aes192>>(), AES),
    cipher(c"AES-256-CTR", functions::<Ctr<Aes256>>(), AES),
    cipher(c"AES-128-XTS:1.3.111.2.1619.0.1.1", functions::<InXts<Aes128>>(), AES),
    cipher(c"AES-192-XTS", functions::<InXts<Aes192>>(), AES),
    cipher(c"AES-256-XTS:1.3.111.2.1619.0.1.2", functions::<InXts<Aes256>>(), AES),
    cipher(c"AES-128-GCM:id-aes128-GCM:2.16.840.1.101.3.4.1.6", functions::<Gcm<Aes128>>(), AES),
    cipher(c"AES-192-GCM:id-aes192-GCM:2.16.840.1.101.3.4.1.26", functions::<Gcm<Aes192>>(), AES),
    cipher(c"AES-256-GCM:id-aes256-GCM:2.16.840.1.101.3.4.1.46", functions::<Gcm<Aes256>>(), AES),
    cipher(c"AES-128-GCM-SIV", functions::<GcmSiv<Aes128>>(), AES),
    cipher(c"AES-256-GCM-SIV", functions::<GcmSiv<Aes256>>(), AES),
    cipher(c"SERPENT-128-ECB:1.3.6.1.4.1.11591.13.2.1", functions::<Ecb<Serpent128>>(), SERPENT),
    cipher(c"SERPENT-192-ECB:1.3.6.1.4.1.11591.13.2.21", functions::<Ecb<Serpent192>>(), SERPENT),
    cipher(c"SERPENT-256-ECB:1.3.6.1.4.1.11591.13.2.41", functions::<Ecb<Serpent256>>(), SERPENT),
    cipher(c"SERPENT-128-CBC:1.3.6.1.4.1.11591.13.2.2", functions::<Cbc<Serpent128>>(), SERPENT),
    cipher(c"SERPENT-192-CBC:1.3.6.1.4.1.11591.13.2.22", functions::<Cbc<Serpent192>>(), SERPENT),
    cipher(c"SERPENT-256-CBC:1.3.6.1.4.1.11591.13.2.42", functions::<Cbc<Serpent256>>(), SERPENT),
    cipher(c"SERPENT-128-OFB:1.3.6.1.4.1.11591.13.2.3", functions::<Ofb<Serpent128>>(), SERPENT),
    cipher(c"SERPENT-192-OFB:1.3.6.1.4.1.11591.13.2.23", functions::<Ofb<Serpent192>>(), SERPENT),
    cipher(c"SERPENT-256-OFB:1.3.6.1.4.1.11591.13.2.43", functions::<Ofb<Serpent256>>(), SERPENT),
    cipher(c"SERPENT-128-CFB:1.3.6.1.4.1.11591.13.2.4", functions::<Cfb<Serpent128>>(), SERPENT),
    cipher(c"SERPENT-192-CFB:1.3.6.1.4.1.11591.13.2.24", functions::<Cfb<Serpent192>>(), SERPENT),
    cipher(c"SERPENT-256-CFB:1.3.6.1.4.1.11591.13.2.44", functions::<Cfb<Serpent256>>(), SERPENT),
    cipher(c"SERPENT-128-CTR", functions::<Ctr<Serpent128>>(), SERPENT),
    cipher(c"SERPENT-192-CTR", functions::<Ctr<Serpent192>>(), SERPENT),
    cipher(c"SERPENT-256-CTR", functions::<Ctr<Serpent256>>(), SERPENT),
    cipher(c"SERPENT-128-XTS", functions::<InXts<Serpent128>>(), SERPENT),
    cipher(c"SERPENT-192-XTS", functions::<InXts<Serpent192>>(), SERPENT),
    cipher(c"SERPENT-256-XTS", functions::<InXts<Serpent256>>(), SERPENT),
    cipher(c"SERPENT-128-GCM", functions::<Gcm<Serpent128>>(), SERPENT),
    cipher(c"SERPENT-192-GCM", functions::<Gcm<Serpent192>>(), SERPENT),
    cipher(c"SERPENT-256-GCM", functions::<Gcm<Serpent256>>(), SERPENT),
    cipher(c"XTEA-128-ECB:XTEA-ECB", functions::<Ecb<XteaBe>>(), XTEA),
    cipher(c"XTEA-128-CBC:XTEA-CBC", functions::<Cbc<XteaBe>>(), XTEA),
    cipher(c"XTEA-128-CTR:XTEA-CTR", functions::<Ctr<XteaBe>>(), XTEA),
    cipher(c"ABREAST-AES-128-EAX", functions::<Eax<Aes128>>(), AES),
    cipher(c"ABREAST-AES-192-EAX", functions::<Eax<Aes192>>(), AES),
    cipher(c"ABREAST-AES-256-EAX", functions::<Eax<Aes256>>(), AES),
    cipher(c"ABREAST-SERPENT-128-EAX", functions::<Eax<Serpent128>>(), SERPENT),
    cipher(c"ABREAST-SERPENT-192-EAX", functions::<Eax<Serpent192>>(), SERPENT),
    cipher(c"ABREAST-SERPENT-256-EAX", functions::<Eax<Serpent256>>(), SERPENT),
    cipher(c"ABREAST-AEZ", functions::<Whole<AezKey>>(), c"AEZ v5 of abreast"),
    Algorithm::END,
];
