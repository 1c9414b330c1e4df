//! Encryption and authentication of many packets: windows of jobs, whose packets were parsed by SRTP or ESP.
//!
//! A window is encrypted by one batch of its mode and authenticated by one of its hash, or both at once by GCM, so that packets
//! lie in the caches in between.

use crate::PacketError;
use abreast::aes::Aes;
use abreast::hmac::{Hmac, HmacHash, Sha1, Sha256};
use abreast::modes::{CounterWidth, Gcm};
use abreast::packets::{self, CipherKey, GcmKey, HmacKey, HmacPacket, Packet};
use abreast::{ArrayList, Error, Kernel};
use core::ops::Range;

/// Packets of a window: enough for all lanes of HMAC, and few enough for a small stack.
pub(crate) const WINDOW: usize = 32;

/// Bytes of a tag of GCM.
pub(crate) const GCM_TAG: usize = 16;

/// The kernels of a key: of AES, and of the hash.
pub(crate) type Kernels = Option<[Kernel; 2]>;

/// Makes a key of AES of its bytes.
pub(crate) fn aes(key: &[u8], kernels: Kernels) -> Result<Aes, PacketError> {
    let made = kernels.map_or_else(|| Aes::new(key), |[kernel, _]| Aes::with_kernel(key, kernel));
    made.map_err(PacketError::from)
}

/// HMAC under a key.
pub(crate) enum Mac {
    Sha1(Hmac<Sha1>),
    Sha256(Hmac<Sha256>),
}

impl Mac {
    /// Makes a key of HMAC-SHA-1.
    pub(crate) fn sha1(key: &[u8], kernels: Kernels) -> Result<Self, PacketError> {
        hmac(key, kernels).map(Self::Sha1)
    }

    /// Makes a key of HMAC-SHA-256.
    pub(crate) fn sha256(key: &[u8], kernels: Kernels) -> Result<Self, PacketError> {
        hmac(key, kernels).map(Self::Sha256)
    }
}

fn hmac<H: HmacHash>(key: &[u8], kernels: Kernels) -> Result<Hmac<H>, PacketError> {
    Ok(match kernels {
        None => Hmac::new(key),
        Some([_, kernel]) => Hmac::with_kernel(key, kernel)?,
    })
}

/// The keys of one direction.
#[allow(clippy::large_enum_variant, reason = "nothing is allocated here, and a key is made once")]
pub(crate) enum Keys {
    /// Encryption, and authentication of what it puts out.
    Separate(Aes, Mac),
    /// Both at once.
    Gcm(Gcm<Aes>),
}

/// A mode of encryption with keys of its own.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextMode {
    Counter16,
    Counter32,
    Cbc,
}

/// The work on a window.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    Protect,
    Unprotect,
}

/// A packet that was parsed.
pub(crate) struct Job<'a> {
    pub(crate) keys: &'a Keys,
    /// The mode, unless the key is of GCM.
    pub(crate) mode: TextMode,
    /// The packet, with the place of its tag.
    pub(crate) buffer: &'a mut [u8],
    /// The first counter block, the vector, or the nonce in its first bytes.
    pub(crate) iv: [u8; 16],
    /// The bytes of the buffer that are encrypted.
    pub(crate) text: Range<usize>,
    /// The first bytes of the buffer that are authenticated: for HMAC with the text, for GCM without.
    pub(crate) authenticated: usize,
    /// The bytes of `more` that are authenticated too: for HMAC after those of the buffer, for GCM instead of them.
    pub(crate) more_len: usize,
    pub(crate) more: [u8; 12],
    /// The place of the tag, after all of these.
    pub(crate) tag: Range<usize>,
    /// The length of the packet afterwards.
    pub(crate) len: usize,
    /// The result of each step.
    pub(crate) done: Result<(), Error>,
    /// The place of the result.
    pub(crate) result: &'a mut Result<usize, PacketError>,
}

/// Jobs of a window, whose packets could be parsed: up to [`WINDOW`].
pub(crate) type Jobs<'a> = [Job<'a>];

/// Modes and hashes that a protocol has besides GCM. Each names its own, so that a program has those of the protocols that it
/// speaks.
pub(crate) struct Suites {
    pub(crate) modes: &'static [TextMode],
    pub(crate) hashes: &'static [fn(Direction, &mut Jobs<'_>)],
}

/// Works on a window: encrypts and then authenticates, or authenticates and then decrypts what is authentic.
pub(crate) fn run(direction: Direction, suites: &Suites, jobs: &mut Jobs<'_>) {
    let crypt =
        |jobs: &mut Jobs<'_>| suites.modes.iter().for_each(|mode| step(&TextStep(*mode), direction, jobs));
    let authenticate = |jobs: &mut Jobs<'_>| suites.hashes.iter().for_each(|hash| hash(direction, jobs));
    match direction {
        Direction::Protect => {
            crypt(jobs);
            authenticate(jobs);
        }
        Direction::Unprotect => {
            authenticate(jobs);
            crypt(jobs);
        }
    }
    step(&GcmStep, direction, jobs);
    for job in jobs {
        *job.result = job.done.map(|()| job.len).map_err(PacketError::from);
    }
}

/// Writes or compares tags by HMAC-SHA-1.
pub(crate) fn sha1(direction: Direction, jobs: &mut Jobs<'_>) {
    step(&HmacStep(of_sha1), direction, jobs);
}

/// Writes or compares tags by HMAC-SHA-256.
pub(crate) fn sha256(direction: Direction, jobs: &mut Jobs<'_>) {
    step(&HmacStep(of_sha256), direction, jobs);
}

/// A batch that some of the jobs of a window take part in.
trait Step {
    type Key<'p>: Copy;
    type Packet<'p>;

    /// Returns the key of a job that takes part.
    fn key<'p>(&self, job: &Job<'p>) -> Option<Self::Key<'p>>;
    /// Returns the packet of a job.
    fn packet<'p>(key: Self::Key<'p>, job: &'p mut Job<'_>) -> Self::Packet<'p>;
    /// Does the batch.
    fn run(&self, direction: Direction, packets: &mut [Self::Packet<'_>]);
    /// Returns the result of a packet.
    fn result(packet: &Self::Packet<'_>) -> Result<(), Error>;
}

/// Takes a step with all jobs that take part in it and have not failed before.
// A call, so that steps take turns on the stack.
#[inline(never)]
fn step<S: Step>(step: &S, direction: Direction, jobs: &mut Jobs<'_>) {
    let (mut batch, mut part) = (ArrayList::<S::Packet<'_>, WINDOW>::new(), 0_u32);
    for (number, job) in jobs.iter_mut().enumerate() {
        if job.done.is_ok()
            && let Some(key) = step.key(job)
        {
            batch.push(S::packet(key, job));
            part |= 1 << number;
        }
    }
    if part == 0 {
        return;
    }
    step.run(direction, batch.items_mut());
    let mut results = ArrayList::<_, WINDOW>::new();
    batch.items().iter().for_each(|packet| results.push(S::result(packet)));
    drop(batch);
    let participants = jobs.iter_mut().enumerate().filter(|(number, _)| part >> number & 1 != 0);
    for ((_, job), result) in participants.zip(results.items()) {
        job.done = *result;
    }
}

// The jobs that take part in a step are bits of a word.
const _: () = assert!(WINDOW <= u32::BITS as usize);

/// Encryption or decryption in a mode that does not authenticate.
struct TextStep(TextMode);

impl Step for TextStep {
    type Key<'p> = CipherKey<'p>;
    type Packet<'p> = Packet<'p, CipherKey<'p>>;

    fn key<'p>(&self, job: &Job<'p>) -> Option<CipherKey<'p>> {
        match job.keys {
            Keys::Separate(cipher, _) if job.mode == self.0 => Some(cipher.into()),
            _ => None,
        }
    }
    fn packet<'p>(key: CipherKey<'p>, job: &'p mut Job<'_>) -> Self::Packet<'p> {
        Packet::new(key, &job.iv, &mut job.buffer[job.text.clone()])
    }
    fn run(&self, direction: Direction, packets: &mut [Self::Packet<'_>]) {
        match (self.0, direction) {
            (TextMode::Counter16, _) => packets::ctr(packets, CounterWidth::Bits16),
            (TextMode::Counter32, _) => packets::ctr(packets, CounterWidth::Bits32),
            (TextMode::Cbc, Direction::Protect) => packets::cbc_encrypt(packets),
            (TextMode::Cbc, Direction::Unprotect) => packets::cbc_decrypt(packets),
        }
    }
    fn result(packet: &Self::Packet<'_>) -> Result<(), Error> {
        packet.result
    }
}

/// Tags by HMAC with the hash of a function that finds its keys.
struct HmacStep<H>(fn(&Mac) -> Option<&Hmac<H>>);

/// Returns the key if it is of SHA-1.
fn of_sha1(mac: &Mac) -> Option<&Hmac<Sha1>> {
    match mac {
        Mac::Sha1(hmac) => Some(hmac),
        Mac::Sha256(_) => None,
    }
}

/// Returns the key if it is of SHA-256.
fn of_sha256(mac: &Mac) -> Option<&Hmac<Sha256>> {
    match mac {
        Mac::Sha256(hmac) => Some(hmac),
        Mac::Sha1(_) => None,
    }
}

impl<H: HmacHash> Step for HmacStep<H> {
    type Key<'p> = HmacKey<'p, H>;
    type Packet<'p> = HmacPacket<'p, H>;

    fn key<'p>(&self, job: &Job<'p>) -> Option<HmacKey<'p, H>> {
        match job.keys {
            Keys::Separate(_, mac) => (self.0)(mac)?.with_tag_len(job.tag.len()).ok().map(HmacKey::from),
            Keys::Gcm(_) => None,
        }
    }
    fn packet<'p>(key: HmacKey<'p, H>, job: &'p mut Job<'_>) -> Self::Packet<'p> {
        let (packet, tag) = job.buffer[..job.tag.end].split_at_mut(job.tag.start);
        HmacPacket::new(key, [&packet[..job.authenticated], &job.more[..job.more_len], &[]], tag)
    }
    fn run(&self, direction: Direction, packets: &mut [Self::Packet<'_>]) {
        match direction {
            Direction::Protect => packets::hmac_of_parts(packets),
            Direction::Unprotect => packets::hmac_verify_of_parts(packets),
        }
    }
    fn result(packet: &Self::Packet<'_>) -> Result<(), Error> {
        packet.result
    }
}

/// Encryption and authentication by GCM.
struct GcmStep;

impl Step for GcmStep {
    type Key<'p> = GcmKey<'p>;
    type Packet<'p> = Packet<'p, GcmKey<'p>>;

    fn key<'p>(&self, job: &Job<'p>) -> Option<GcmKey<'p>> {
        match job.keys {
            Keys::Gcm(gcm) => Some(gcm.into()),
            Keys::Separate(..) => None,
        }
    }
    fn packet<'p>(key: GcmKey<'p>, job: &'p mut Job<'_>) -> Self::Packet<'p> {
        let (packet, tag) = job.buffer[..job.tag.end].split_at_mut(job.tag.start);
        let (clear, text) = packet.split_at_mut(job.text.start);
        let text = &mut text[..job.text.len()];
        let aad = if job.more_len > 0 { &job.more[..job.more_len] } else { &clear[..job.authenticated] };
        Packet::new(key, &job.iv[..12], text).with_tag(aad, tag)
    }
    fn run(&self, direction: Direction, packets: &mut [Self::Packet<'_>]) {
        match direction {
            Direction::Protect => packets::gcm_encrypt(packets),
            Direction::Unprotect => packets::gcm_decrypt(packets),
        }
    }
    fn result(packet: &Self::Packet<'_>) -> Result<(), Error> {
        packet.result
    }
}
