//! Batches of abreast, called from Rust: packets, keys to be wrapped and cells, each under a key of its own.

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
    fn run(items: &mut [Self::Item<'_>]);
}

/// Returns the work of a row.
pub(super) fn open(job: &Job) -> Option<Work> {
    Some(match (job.row.cipher, job.row.mode) {
        (Cipher::Aes128, Mode::Ctr) => batch::<AesCtr>(job),
        (Cipher::Aes128, Mode::CbcEncrypt) => batch::<AesCbc>(job),
        (Cipher::Aes128, Mode::Gcm) => batch::<AesGcm>(job),
        (Cipher::Aes128 | Cipher::Aes256, Mode::GcmSiv) => batch::<AesGcmSiv>(job),
        (Cipher::Aes256, Mode::Hctr2) => batch::<AesHctr2>(job),
        (Cipher::Aes256, Mode::KeyWrap) => batch::<AesKeyWrap>(job),
        (Cipher::Aes128, Mode::Srtp) => batch::<AesSrtp>(job),
        (Cipher::Aes128, Mode::EspCbc) => batch::<AesEsp>(job),
        (Cipher::Xtea, Mode::Ecb) => batch::<XteaEcb>(job),
        (Cipher::Aez, Mode::Itself) => batch::<Aez>(job),
        (Cipher::HmacSha1, Mode::Itself) => batch::<HmacCut<Sha1, 12>>(job),
        (Cipher::HmacSha256, Mode::Itself) => batch::<HmacCut<Sha256, 16>>(job),
        (Cipher::Cgo, Mode::Forward) => batch::<CgoForward>(job),
        (Cipher::Cgo, Mode::Originate) => batch::<CgoOriginate>(job),
        _ => return None,
    })
}

/// Makes the keys ready. Messages are described once for all calls of a sample.
fn batch<B: Batch + 'static>(job: &Job) -> Work {
    let mut keys: Vec<B::Key> = job.keys().map(B::key).collect();
    Box::new(move |job, calls| {
        let items = keys.iter_mut().zip(job.packets());
        let mut items: Vec<B::Item<'_>> = items.map(|(key, message)| B::item(key, message)).collect();
        (0..calls).for_each(|_| B::run(&mut items));
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

/// A message without a tag.
fn plain<'a, C: BlockCipher>(key: &'a C, message: Message<'a>) -> Packet<'a, CipherKey<'a>> {
    Packet::new(key, message.iv, message.text)
}

/// A message with a tag, and a nonce of `NONCE` bytes.
fn tagged<'a, const NONCE: usize, K>(key: impl Into<K>, message: Message<'a>) -> Packet<'a, K> {
    let Message { iv, associated_data, text, tag } = message;
    Packet::new(key, &iv[..NONCE], text).with_tag(associated_data, tag)
}

struct AesCtr;

impl Batch for AesCtr {
    type Key = Aes128;
    type Item<'a> = Packet<'a, CipherKey<'a>>;

    fn key(bytes: &[u8]) -> Aes128 {
        aes128(bytes)
    }

    fn item<'a>(key: &'a mut Aes128, message: Message<'a>) -> Self::Item<'a> {
        plain(key, message)
    }

    fn run(items: &mut [Self::Item<'_>]) {
        packets::ctr(items, CounterWidth::Bits32);
    }
}

struct AesCbc;

impl Batch for AesCbc {
    type Key = Aes128;
    type Item<'a> = Packet<'a, CipherKey<'a>>;

    fn key(bytes: &[u8]) -> Aes128 {
        aes128(bytes)
    }

    fn item<'a>(key: &'a mut Aes128, message: Message<'a>) -> Self::Item<'a> {
        plain(key, message)
    }

    fn run(items: &mut [Self::Item<'_>]) {
        packets::cbc_encrypt(items);
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

    fn run(items: &mut [Self::Item<'_>]) {
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

    fn run(items: &mut [Self::Item<'_>]) {
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

    fn run(items: &mut [Self::Item<'_>]) {
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

    fn run(items: &mut [WrapPacket<'_>]) {
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

    fn run(items: &mut [SrtpPacket<'_>]) {
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

    fn run(items: &mut [EspPacket<'_>]) {
        ipsec::seal(items);
    }
}

struct XteaEcb;

impl Batch for XteaEcb {
    type Key = Xtea;
    type Item<'a> = Packet<'a, CipherKey<'a>>;

    fn key(bytes: &[u8]) -> Xtea {
        Xtea::new(bytes.try_into().expect("16 bytes"))
    }

    fn item<'a>(key: &'a mut Xtea, message: Message<'a>) -> Self::Item<'a> {
        plain(key, message)
    }

    fn run(items: &mut [Self::Item<'_>]) {
        packets::ecb_encrypt(items);
    }
}

impl Batch for Aez {
    type Key = Aez;
    type Item<'a> = Packet<'a, AezKey<'a>>;

    fn key(bytes: &[u8]) -> Aez {
        Aez::new(bytes)
    }

    fn item<'a>(key: &'a mut Aez, message: Message<'a>) -> Self::Item<'a> {
        tagged::<16, _>(&*key, message.with_tag_after())
    }

    fn run(items: &mut [Self::Item<'_>]) {
        packets::aez_encrypt(items);
    }
}

/// HMAC with tags of `TAG` bytes.
struct HmacCut<H, const TAG: usize>(H);

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

    fn run(items: &mut [Self::Item<'_>]) {
        packets::hmac(items);
    }
}

/// The relay's end of a circuit, of which neither direction was used.
fn relay(keys: &[u8]) -> Relay<Aes128> {
    Relay::new(&Seeds::of(keys).expect("180 bytes"))
}

/// A cell with its circuit.
fn cell<'a>(relay: &'a mut Relay<Aes128>, message: Message<'a>) -> RelayCell<'a, Aes128> {
    RelayCell::new(relay, cgo::RELAY, message.text.try_into().expect("509 bytes"))
}

struct CgoForward;

impl Batch for CgoForward {
    type Key = Relay<Aes128>;
    type Item<'a> = RelayCell<'a, Aes128>;

    fn key(bytes: &[u8]) -> Self::Key {
        relay(bytes)
    }

    fn item<'a>(key: &'a mut Self::Key, message: Message<'a>) -> Self::Item<'a> {
        cell(key, message)
    }

    fn run(items: &mut [Self::Item<'_>]) {
        cgo::forward(items);
    }
}

struct CgoOriginate;

impl Batch for CgoOriginate {
    type Key = Relay<Aes128>;
    type Item<'a> = RelayCell<'a, Aes128>;

    fn key(bytes: &[u8]) -> Self::Key {
        relay(bytes)
    }

    fn item<'a>(key: &'a mut Self::Key, message: Message<'a>) -> Self::Item<'a> {
        cell(key, message)
    }

    fn run(items: &mut [Self::Item<'_>]) {
        cgo::originate(items);
    }
}
