//! Batches of abreast, called from Rust: packets, keys to be wrapped and cells, each under a key of its own.

use std::marker::PhantomData;

use abreast::BlockCipher;
use abreast::aes::{Aes128, Aes256};
use abreast::aez::Aez;
use abreast::hmac::{Hmac, HmacHash, Sha1, Sha256};
use abreast::modes::{CounterWidth, Gcm, GcmSiv, Hctr2};
use abreast::packets::{self, AezKey, CipherKey, GcmKey, GcmSivKey, Hctr2Key, HmacKey, Packet, WrapPacket};
use abreast::xtea::Xtea;
use abreast_frames::cgo::{self, Relay, RelayCell, Seeds};
use abreast_frames::ipsec::{self, Association, EspAuthentication, EspPacket, EspSuite};
use abreast_frames::srtp::{self, Profile, Session, SessionKeys, SrtpPacket};

use crate::job::{Job, Message};
use crate::peer::Work;
use crate::rows::{Cipher, Mode};

/// A batch: descriptions of messages, and the function that takes them.
trait Batch {
    /// A key that is ready.
    type Key: 'static;
    /// A message with its key.
    type Item<'a>;

    /// Makes a key ready.
    fn key(bytes: &[u8]) -> Self::Key;

    /// Describes a message.
    fn item<'a>(key: &'a mut Self::Key, message: Message<'a>) -> Self::Item<'a>;

    /// Does the work.
    fn run(&self, items: &mut [Self::Item<'_>]);
}

/// Returns the work of a row.
pub(super) fn open(job: &Job) -> Option<Work> {
    Some(match (job.row.cipher, job.row.mode) {
        (Cipher::Aes128, Mode::Ctr) => {
            batch(job, Plain::<Aes128>(|items| packets::ctr(items, CounterWidth::Bits32), PhantomData))
        }
        (Cipher::Aes128, Mode::CbcEncrypt) => {
            batch(job, Plain::<Aes128>(|items| packets::cbc_encrypt(items), PhantomData))
        }
        (Cipher::Aes128, Mode::Gcm) => batch(job, AesGcm),
        (Cipher::Aes128 | Cipher::Aes256, Mode::GcmSiv) => batch(job, AesGcmSiv),
        (Cipher::Aes256, Mode::Hctr2) => batch(job, AesHctr2),
        (Cipher::Aes256, Mode::KeyWrap) => batch(job, AesKeyWrap),
        (Cipher::Aes128, Mode::Srtp) => batch(job, AesSrtp),
        (Cipher::Aes128, Mode::EspCbc) => batch(job, AesEsp),
        (Cipher::Xtea, Mode::Ecb) => {
            batch(job, Plain::<Xtea>(|items| packets::ecb_encrypt(items), PhantomData))
        }
        (Cipher::Aez, Mode::Itself) => batch(job, AezMessages),
        (Cipher::HmacSha1, Mode::Itself) => batch(job, HmacCut::<Sha1, 12>(PhantomData)),
        (Cipher::HmacSha256, Mode::Itself) => batch(job, HmacCut::<Sha256, 16>(PhantomData)),
        (Cipher::Cgo, Mode::Forward) => batch(job, Cells(|items| cgo::forward(items))),
        (Cipher::Cgo, Mode::Originate) => batch(job, Cells(|items| cgo::originate(items))),
        _ => return None,
    })
}

/// Makes the keys ready. Messages are described once for all calls of a sample.
fn batch<B: Batch + 'static>(job: &Job, batch: B) -> Work {
    let mut keys: Vec<B::Key> = job.keys().map(B::key).collect();
    Box::new(move |job, calls| {
        let items = keys.iter_mut().zip(job.packets());
        let mut items: Vec<B::Item<'_>> = items.map(|(key, message)| B::item(key, message)).collect();
        (0..calls).for_each(|_| batch.run(&mut items));
    })
}

/// A key of AES-128.
fn aes128(key: &[u8]) -> Aes128 {
    Aes128::new(key.try_into().expect("16 bytes"))
}

/// A key of AES-256.
fn aes256(key: &[u8]) -> Aes256 {
    Aes256::new(key.try_into().expect("32 bytes"))
}

/// A message with a tag, and a nonce of `NONCE` bytes.
fn tagged<'a, const NONCE: usize, K>(key: impl Into<K>, message: Message<'a>) -> Packet<'a, K> {
    let Message { iv, associated_data, text, tag } = message;
    Packet::new(key, &iv[..NONCE], text).with_tag(associated_data, tag)
}

/// A cipher whose keys are made of their bytes alone.
trait OfBytes: BlockCipher + 'static {
    fn of_bytes(bytes: &[u8]) -> Self;
}

impl OfBytes for Aes128 {
    fn of_bytes(bytes: &[u8]) -> Self {
        aes128(bytes)
    }
}

impl OfBytes for Xtea {
    fn of_bytes(bytes: &[u8]) -> Self {
        Self::new(bytes.try_into().expect("16 bytes"))
    }
}

/// Messages without tags under a cipher, with the function that takes them.
struct Plain<C>(fn(&mut [Packet<'_, CipherKey<'_>>]), PhantomData<C>);

impl<C: OfBytes> Batch for Plain<C> {
    type Key = C;
    type Item<'a> = Packet<'a, CipherKey<'a>>;

    fn key(bytes: &[u8]) -> C {
        C::of_bytes(bytes)
    }

    fn item<'a>(key: &'a mut C, message: Message<'a>) -> Self::Item<'a> {
        Packet::new(&*key, message.iv, message.text)
    }

    fn run(&self, items: &mut [Self::Item<'_>]) {
        (self.0)(items);
    }
}

struct AesGcm;

impl Batch for AesGcm {
    type Key = Gcm<Aes128>;
    type Item<'a> = Packet<'a, GcmKey<'a>>;

    fn key(bytes: &[u8]) -> Self::Key {
        Gcm::from_cipher(aes128(bytes))
    }

    fn item<'a>(key: &'a mut Self::Key, message: Message<'a>) -> Self::Item<'a> {
        tagged::<12, _>(&*key, message)
    }

    fn run(&self, items: &mut [Self::Item<'_>]) {
        packets::gcm_encrypt(items);
    }
}

struct AesGcmSiv;

impl Batch for AesGcmSiv {
    type Key = GcmSiv;
    type Item<'a> = Packet<'a, GcmSivKey<'a>>;

    fn key(bytes: &[u8]) -> GcmSiv {
        GcmSiv::new(bytes).expect("16 or 32 bytes")
    }

    fn item<'a>(key: &'a mut GcmSiv, message: Message<'a>) -> Self::Item<'a> {
        tagged::<12, _>(&*key, message)
    }

    fn run(&self, items: &mut [Self::Item<'_>]) {
        packets::gcm_siv_encrypt(items);
    }
}

struct AesHctr2;

impl Batch for AesHctr2 {
    type Key = Hctr2<Aes256>;
    type Item<'a> = Packet<'a, Hctr2Key<'a>>;

    fn key(bytes: &[u8]) -> Self::Key {
        Hctr2::from_cipher(aes256(bytes))
    }

    fn item<'a>(key: &'a mut Self::Key, message: Message<'a>) -> Self::Item<'a> {
        Packet::new(&*key, message.iv, message.text)
    }

    fn run(&self, items: &mut [Self::Item<'_>]) {
        packets::hctr2_encrypt(items);
    }
}

struct AesKeyWrap;

impl Batch for AesKeyWrap {
    type Key = Aes256;
    type Item<'a> = WrapPacket<'a>;

    fn key(bytes: &[u8]) -> Aes256 {
        aes256(bytes)
    }

    fn item<'a>(key: &'a mut Aes256, message: Message<'a>) -> WrapPacket<'a> {
        let (input, output) = message.key_and_wrapped();
        WrapPacket::new(&*key, input, output)
    }

    fn run(&self, items: &mut [WrapPacket<'_>]) {
        packets::key_wrap(items);
    }
}

struct AesSrtp;

impl Batch for AesSrtp {
    type Key = Session;
    type Item<'a> = SrtpPacket<'a>;

    fn key(bytes: &[u8]) -> Session {
        let keys =
            SessionKeys { encryption: &bytes[..16], authentication: &bytes[16..36], salt: &bytes[36..] };
        Session::from_session_keys(Profile::Aes128CmSha1_80, keys, keys).expect("keys of the profile")
    }

    fn item<'a>(session: &'a mut Session, message: Message<'a>) -> SrtpPacket<'a> {
        let len = message.text.len() - 10;
        SrtpPacket::rtp(session, 0, message.text, len)
    }

    fn run(&self, items: &mut [SrtpPacket<'_>]) {
        srtp::protect(items);
    }
}

struct AesEsp;

impl Batch for AesEsp {
    type Key = Association;
    type Item<'a> = EspPacket<'a>;

    fn key(bytes: &[u8]) -> Association {
        let (key, authentication) = bytes.split_at(16);
        let authentication = EspAuthentication::HmacSha256(authentication);
        Association::new(1, EspSuite::Cbc { key, authentication }).expect("keys of these lengths")
    }

    fn item<'a>(association: &'a mut Association, message: Message<'a>) -> EspPacket<'a> {
        let len = message.text.len() - 16;
        EspPacket::new(association, 1, message.iv, message.text, len)
    }

    fn run(&self, items: &mut [EspPacket<'_>]) {
        ipsec::seal(items);
    }
}

struct AezMessages;

impl Batch for AezMessages {
    type Key = Aez;
    type Item<'a> = Packet<'a, AezKey<'a>>;

    fn key(bytes: &[u8]) -> Aez {
        Aez::new(bytes)
    }

    fn item<'a>(key: &'a mut Aez, message: Message<'a>) -> Self::Item<'a> {
        tagged::<16, _>(&*key, message.with_tag_after())
    }

    fn run(&self, items: &mut [Self::Item<'_>]) {
        packets::aez_encrypt(items);
    }
}

/// HMAC with tags of `TAG` bytes.
struct HmacCut<H, const TAG: usize>(PhantomData<H>);

impl<H: HmacHash, const TAG: usize> Batch for HmacCut<H, TAG> {
    type Key = Hmac<H>;
    type Item<'a> = Packet<'a, HmacKey<'a, H>>;

    fn key(bytes: &[u8]) -> Hmac<H> {
        Hmac::new(bytes)
    }

    fn item<'a>(key: &'a mut Hmac<H>, message: Message<'a>) -> Self::Item<'a> {
        let key = key.with_tag_len(TAG).expect("no longer than the hash");
        Packet::new(key, &[], &mut [][..]).with_tag(message.text, &mut message.tag[..TAG])
    }

    fn run(&self, items: &mut [Self::Item<'_>]) {
        packets::hmac(items);
    }
}

/// Cells of circuits at a relay, of which neither direction was used before, with the function that takes them.
struct Cells(fn(&mut [RelayCell<'_, Aes128>]));

impl Batch for Cells {
    type Key = Relay<Aes128>;
    type Item<'a> = RelayCell<'a, Aes128>;

    fn key(bytes: &[u8]) -> Self::Key {
        Relay::new(&Seeds::of(bytes).expect("180 bytes"))
    }

    fn item<'a>(relay: &'a mut Self::Key, message: Message<'a>) -> Self::Item<'a> {
        RelayCell::new(relay, cgo::RELAY, message.text.try_into().expect("509 bytes"))
    }

    fn run(&self, items: &mut [Self::Item<'_>]) {
        (self.0)(items);
    }
}
