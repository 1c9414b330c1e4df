//! Sessions: the keys of a profile, and where everything lies in a packet.

use super::{Label, derive, shifted};
use crate::PacketError;
use crate::protection::{GCM_TAG, Kernels, Keys, Mac, aes};
use abreast::modes::Gcm;
use abreast::{Kernel, Wiped};
use core::fmt;
use zeroize::{Zeroize, Zeroizing};

/// Bytes of a key for HMAC-SHA-1.
const MAC_KEY: usize = 20;

/// A protection profile: encryption, and the length of tags.
///
/// ```
/// use abreast_frames::srtp::{Profile, Session};
///
/// let profile = Profile::Aes256Gcm;
/// let (key, salt) = (vec![1; profile.key_len()], vec![2; profile.salt_len()]);
/// let session = Session::new(profile, &key, &salt)?;
/// assert_eq!((session.profile(), profile.rtp_overhead(), profile.rtcp_overhead()), (profile, 16, 20));
/// # Ok::<(), abreast_frames::PacketError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Profile {
    /// AES-128 in counter mode, HMAC-SHA-1, tags of 10 bytes (RFC 3711).
    Aes128CmSha1_80,
    /// AES-128 in counter mode, HMAC-SHA-1, tags of 4 bytes in RTP, and of 10 in RTCP.
    Aes128CmSha1_32,
    /// AES-192 in counter mode, HMAC-SHA-1, tags of 10 bytes (RFC 6188).
    Aes192CmSha1_80,
    /// AES-192 in counter mode, HMAC-SHA-1, tags of 4 bytes in RTP, and of 10 in RTCP.
    Aes192CmSha1_32,
    /// AES-256 in counter mode, HMAC-SHA-1, tags of 10 bytes (RFC 6188).
    Aes256CmSha1_80,
    /// AES-256 in counter mode, HMAC-SHA-1, tags of 4 bytes in RTP, and of 10 in RTCP.
    Aes256CmSha1_32,
    /// AES-128 in GCM, tags of 16 bytes (RFC 7714).
    Aes128Gcm,
    /// AES-256 in GCM, tags of 16 bytes (RFC 7714).
    Aes256Gcm,
}

impl Profile {
    /// All profiles.
    pub const ALL: [Self; 8] = [
        Self::Aes128CmSha1_80,
        Self::Aes128CmSha1_32,
        Self::Aes192CmSha1_80,
        Self::Aes192CmSha1_32,
        Self::Aes256CmSha1_80,
        Self::Aes256CmSha1_32,
        Self::Aes128Gcm,
        Self::Aes256Gcm,
    ];

    /// Returns the bytes of a key: of the master key and of the session key.
    #[must_use]
    pub const fn key_len(self) -> usize {
        match self {
            Self::Aes128CmSha1_80 | Self::Aes128CmSha1_32 | Self::Aes128Gcm => 16,
            Self::Aes192CmSha1_80 | Self::Aes192CmSha1_32 => 24,
            Self::Aes256CmSha1_80 | Self::Aes256CmSha1_32 | Self::Aes256Gcm => 32,
        }
    }

    /// Returns the bytes of a salt: 14, in GCM 12.
    #[must_use]
    pub const fn salt_len(self) -> usize {
        if self.is_gcm() { 12 } else { 14 }
    }

    /// Returns the bytes that protection appends to a packet of RTP: its tag.
    #[must_use]
    pub const fn rtp_overhead(self) -> usize {
        match self {
            Self::Aes128CmSha1_32 | Self::Aes192CmSha1_32 | Self::Aes256CmSha1_32 => 4,
            Self::Aes128CmSha1_80 | Self::Aes192CmSha1_80 | Self::Aes256CmSha1_80 => 10,
            Self::Aes128Gcm | Self::Aes256Gcm => GCM_TAG,
        }
    }

    /// Returns the bytes that protection appends to a packet of RTCP: its index and its tag.
    #[must_use]
    pub const fn rtcp_overhead(self) -> usize {
        4 + if self.is_gcm() { GCM_TAG } else { 10 }
    }

    pub(super) const fn is_gcm(self) -> bool {
        matches!(self, Self::Aes128Gcm | Self::Aes256Gcm)
    }
}

/// The keys of RTP or of RTCP.
pub(super) struct Half {
    pub(super) keys: Wiped<Keys>,
    /// The salt in front of the 16 bits that count in counter mode; one of GCM ends in zeros.
    pub(super) salt: u128,
}

impl Half {
    /// Makes keys of their bytes.
    fn new(profile: Profile, bytes: SessionKeys<'_>, kernels: Kernels) -> Result<Self, PacketError> {
        let SessionKeys { encryption, authentication, salt } = bytes;
        if encryption.len() != profile.key_len() {
            return Err(PacketError::KeyLength);
        }
        let salt = shifted(&*padded(profile, salt)?);
        if !profile.is_gcm() && authentication.len() != MAC_KEY {
            return Err(PacketError::KeyLength);
        }
        let cipher = aes(encryption, kernels)?;
        // Wrapped at once, since copies of keys would take the stack that a call of C has.
        let keys = Wiped::new(if profile.is_gcm() {
            Keys::Gcm(Gcm::from_cipher(cipher))
        } else {
            Keys::Separate(cipher, Mac::sha1(authentication, kernels)?)
        });
        Ok(Self { keys, salt })
    }
}

impl Drop for Half {
    fn drop(&mut self) {
        self.salt.zeroize();
    }
}

/// Appends zeros to a salt of GCM (RFC 7714, section 11).
fn padded(profile: Profile, salt: &[u8]) -> Result<Zeroizing<[u8; 14]>, PacketError> {
    if salt.len() != profile.salt_len() {
        return Err(PacketError::SaltLength);
    }
    let mut padded = Zeroizing::new([0; 14]);
    padded[..salt.len()].copy_from_slice(salt);
    Ok(padded)
}

/// The session keys of RTP or of RTCP, as bytes.
///
/// ```
/// use abreast_frames::srtp::{Profile, Session, SessionKeys};
///
/// let rtp = SessionKeys { encryption: &[1; 16], authentication: &[2; 20], salt: &[3; 14] };
/// let rtcp = SessionKeys { encryption: &[4; 16], authentication: &[5; 20], salt: &[6; 14] };
/// let session = Session::from_session_keys(Profile::Aes128CmSha1_80, rtp, rtcp)?;
/// # Ok::<(), abreast_frames::PacketError>(())
/// ```
#[derive(Clone, Copy)]
pub struct SessionKeys<'k> {
    /// The key to encrypt with, as long as the profile's.
    pub encryption: &'k [u8],
    /// The key of HMAC-SHA-1, 20 bytes; in GCM it is not looked at.
    pub authentication: &'k [u8],
    /// The salt, as long as the profile's.
    pub salt: &'k [u8],
}

impl fmt::Debug for SessionKeys<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionKeys").finish_non_exhaustive()
    }
}

/// Derives the keys of RTP and of RTCP, each to encrypt with, to authenticate with, and a salt. They are as long as the longest, of
/// which a profile takes the first bytes.
// A call, so that the master key is off the stack when the keys are made.
#[inline(never)]
fn session_bytes(
    master_key: &[u8],
    master_salt: &[u8; 14],
    kernels: Kernels,
) -> Result<Zeroizing<[[[u8; 32]; 3]; 2]>, PacketError> {
    const LABELS: [[Label; 3]; 2] = [
        [Label::RtpEncryption, Label::RtpAuthentication, Label::RtpSalt],
        [Label::RtcpEncryption, Label::RtcpAuthentication, Label::RtcpSalt],
    ];
    let (master, mut bytes) = (aes(master_key, kernels)?, Zeroizing::new([[[0; 32]; 3]; 2]));
    for (label, place) in LABELS.as_flattened().iter().zip(bytes.as_flattened_mut()) {
        derive(&master, master_salt, *label, 0, place)?;
    }
    Ok(bytes)
}

/// The keys of one master key, for packets of RTP and of RTCP in one direction.
///
/// No packet changes a session: the caller counts roll-overs and refuses replays.
pub struct Session {
    profile: Profile,
    pub(super) rtp: Half,
    pub(super) rtcp: Half,
}

impl Session {
    /// Derives the session keys of a master key and its salt, once for all packets (RFC 3711, section 4.3, with a rate of 0).
    ///
    /// # Errors
    /// [`PacketError::KeyLength`] or [`PacketError::SaltLength`] if one is not as long as the profile's.
    pub fn new(profile: Profile, master_key: &[u8], master_salt: &[u8]) -> Result<Self, PacketError> {
        Self::derived(profile, master_key, master_salt, None)
    }

    /// Derives session keys as [`new`](Self::new) does, for a kernel of AES and one of HMAC.
    ///
    /// # Errors
    /// [`PacketError::Kernel`], and those of [`new`](Self::new).
    pub fn with_kernels(
        profile: Profile,
        master_key: &[u8],
        master_salt: &[u8],
        kernels: [Kernel; 2],
    ) -> Result<Self, PacketError> {
        Self::derived(profile, master_key, master_salt, Some(kernels))
    }

    /// Takes session keys that were derived elsewhere, for RTP and for RTCP.
    ///
    /// # Errors
    /// [`PacketError::KeyLength`] or [`PacketError::SaltLength`] if one has another length than it should.
    pub fn from_session_keys(
        profile: Profile,
        rtp: SessionKeys<'_>,
        rtcp: SessionKeys<'_>,
    ) -> Result<Self, PacketError> {
        Self::made(profile, [rtp, rtcp], None)
    }

    fn derived(
        profile: Profile,
        master_key: &[u8],
        master_salt: &[u8],
        kernels: Kernels,
    ) -> Result<Self, PacketError> {
        if master_key.len() != profile.key_len() {
            return Err(PacketError::KeyLength);
        }
        let bytes = session_bytes(master_key, &*padded(profile, master_salt)?, kernels)?;
        let [rtp, rtcp] = bytes.each_ref().map(|[encryption, authentication, salt]| SessionKeys {
            encryption: &encryption[..profile.key_len()],
            authentication: &authentication[..MAC_KEY],
            salt: &salt[..profile.salt_len()],
        });
        Self::made(profile, [rtp, rtcp], kernels)
    }

    fn made(
        profile: Profile,
        [rtp, rtcp]: [SessionKeys<'_>; 2],
        kernels: Kernels,
    ) -> Result<Self, PacketError> {
        Ok(Self { profile, rtp: Half::new(profile, rtp, kernels)?, rtcp: Half::new(profile, rtcp, kernels)? })
    }

    /// Returns the profile.
    #[must_use]
    pub fn profile(&self) -> Profile {
        self.profile
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("profile", &self.profile).finish_non_exhaustive()
    }
}
