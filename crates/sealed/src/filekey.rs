//! The keys of one file, derived from its key, salt and context.
//!
//! ```text
//! AEAD key || base nonce[12] || commitment[32] =
//!     HKDF-Expand-SHA-512(key, "c2sp.org/chunked-encryption@v1+" || AEAD name || 0 || salt || context)
//! ```

use std::fmt;

use abreast::BlockCipher128;
use abreast::aes::{Aes128, Aes192, Aes256};
use abreast::modes::Gcm;
use abreast::serpent::Serpent;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha512;
use zeroize::{Zeroize, Zeroizing};

use crate::chunks::Framing;
use crate::format::{COMMITMENT, HEADER, NONCE, SALT};
use crate::salt::draw_salt;
use crate::{Aead, Error, FileCipher, Format, Key, random};

/// The keys of one file: the AEAD's key and the base nonce, and with them the salt and the commitment that the file
/// begins with. Whoever has it can seal and open this file, and no other one of the same [`Key`]: a worker on
/// another machine needs no other key. Of a file of [`Format::Ags1`] they are its key and AAD prefix. They are wiped when dropped.
///
/// ```
/// use abreast_sealed::{Aead, FileKey, Key};
///
/// let key = Key::generate(Aead::Aes256Gcm)?;
/// let (file_key, header) = FileKey::generate(&key, b"")?;
/// // To a worker, over a channel that nobody else reads:
/// let bytes = file_key.to_bytes();
/// let cipher = FileKey::from_bytes(&bytes)?.cipher();
/// // With the key itself, the header of the file leads to the same.
/// assert_eq!(FileKey::from_header(&key, &header, b"")?.to_bytes(), bytes);
/// # drop(cipher);
/// # Ok::<(), abreast_sealed::Error>(())
/// ```
pub struct FileKey {
    /// The cipher, under GCM.
    cipher: Cipher,
    /// The key, of as many bytes as the cipher's keys have.
    key: Zeroizing<Vec<u8>>,
    /// The rest of the file's format.
    framing: Framing,
}

/// The cipher of the keys of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cipher {
    /// AES with a key of any of its lengths.
    Aes,
    /// Serpent with a key of 32 bytes.
    Serpent,
}

impl fmt::Debug for FileKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileKey").field("aead", &self.name()).finish_non_exhaustive()
    }
}

impl FileKey {
    /// Derives the keys that belong to a salt, and the salt and commitment that the file begins with. The context is empty for
    /// files that are sealed with a key, and the passphrase line for those that are sealed with a passphrase; it is for
    /// other programs to use in another way.
    ///
    /// Two files with one key, one salt and one context give each other away, so for a new file there is
    /// [`generate`](FileKey::generate), or the salt of a new [`Plan`](crate::Plan). A salt must not begin with
    /// `abreast/`, as passphrase lines do.
    #[must_use]
    pub fn derive(key: &Key, salt: &[u8; SALT], context: &[u8]) -> (FileKey, [u8; HEADER]) {
        let aead = key.aead();
        let mut derived = Zeroizing::new([0; 32 + NONCE + COMMITMENT]);
        let derived = &mut derived[..aead.key_len() + NONCE + COMMITMENT];
        let info = [b"c2sp.org/chunked-encryption@v1+", aead.name().as_bytes(), &[0], salt, context];
        hkdf_expand(key.bytes(), &info, derived);

        let (aead_key, rest) = derived.split_at(aead.key_len());
        let (base_nonce, commitment) = rest.split_at(NONCE);
        let mut header = [0; HEADER];
        header[..SALT].copy_from_slice(salt);
        header[SALT..].copy_from_slice(commitment);
        (FileKey::from_parts(aead, aead_key, base_nonce, header), header)
    }

    /// Generates the keys of a new file, with a new salt. For the rest it is [`derive`](FileKey::derive).
    ///
    /// # Errors
    /// [`Error::Random`] and [`Error::NotRandom`] if the system has no random bytes.
    pub fn generate(key: &Key, context: &[u8]) -> Result<(FileKey, [u8; HEADER]), Error> {
        Ok(FileKey::derive(key, &draw_salt(random::fill)?, context))
    }

    /// Derives the keys of the file with this salt and commitment, if they were made with this key and context.
    ///
    /// # Errors
    /// [`Error::WrongKey`] if they were made with others, or were changed.
    pub fn from_header(key: &Key, header: &[u8; HEADER], context: &[u8]) -> Result<FileKey, Error> {
        let salt = header.first_chunk().expect("a header begins with its salt");
        let (file_key, derived) = FileKey::derive(key, salt, context);
        same(&derived, header).map(|()| file_key)
    }

    /// Takes the keys of a stream of [`Format::Ags1`]: its key, of 16, 24 or 32 bytes, and its AAD prefix, which is not secret.
    ///
    /// # Errors
    /// [`Error::AesKeyLength`] for a key of another length.
    pub fn ags1(key: &[u8], aad_prefix: &[u8]) -> Result<FileKey, Error> {
        if ![16, 24, 32].contains(&key.len()) {
            return Err(Error::AesKeyLength(key.len()));
        }
        let framing = Framing::Ags1 { aad_prefix: aad_prefix.to_vec() };
        Ok(FileKey { cipher: Cipher::Aes, key: Zeroizing::new(key.to_vec()), framing })
    }

    /// Returns the name for people of the AEAD that the keys are for.
    ///
    /// ```
    /// use abreast_sealed::{FileKey, Format};
    ///
    /// let keys = FileKey::ags1(&[7; 24], b"table/")?;
    /// assert_eq!((keys.name(), keys.format()), ("aes-192-gcm", Format::Ags1));
    /// // No AEAD of the other format has keys of that length.
    /// assert_eq!(keys.aead(), None);
    /// # Ok::<(), abreast_sealed::Error>(())
    /// ```
    #[must_use]
    pub fn name(&self) -> &'static str {
        // Streams of AGS1 alone have keys of 24 bytes.
        self.aead().map_or("aes-192-gcm", Aead::short_name)
    }

    /// Returns the AEAD that the keys are for; `None` for AES-192-GCM, which only [`Format::Ags1`] has.
    #[must_use]
    pub fn aead(&self) -> Option<Aead> {
        match (self.cipher, self.key.len()) {
            (Cipher::Serpent, _) => Some(Aead::Serpent256Gcm),
            (Cipher::Aes, 16) => Some(Aead::Aes128Gcm),
            (Cipher::Aes, 32) => Some(Aead::Aes256Gcm),
            (Cipher::Aes, _) => None,
        }
    }

    /// Returns the format of the file.
    #[must_use]
    pub fn format(&self) -> Format {
        self.framing.format()
    }

    /// Returns the beginning of the file, which is not secret: the salt and the commitment, or the header of a stream.
    #[must_use]
    pub fn header(&self) -> &[u8] {
        self.framing.header()
    }

    /// Returns the cipher that seals and opens the chunks and parts of the file.
    #[must_use]
    pub fn cipher(&self) -> FileCipher {
        let sized = "the keys have their lengths";
        let key = &self.key[..];
        let cipher: Box<dyn BlockCipher128> = match (self.cipher, key.len()) {
            (Cipher::Serpent, _) => Box::new(Serpent::new(key).expect(sized)),
            (Cipher::Aes, 16) => Box::new(Aes128::new(key.try_into().expect(sized))),
            (Cipher::Aes, 24) => Box::new(Aes192::new(key.try_into().expect(sized))),
            (Cipher::Aes, _) => Box::new(Aes256::new(key.try_into().expect(sized))),
        };
        FileCipher::new(Gcm::from_cipher(cipher), self.framing.clone())
    }

    /// Returns the keys as bytes, which are as secret as the keys: a byte that names the AEAD (1 for AES-128-GCM, 2 for
    /// AES-256-GCM, 3 for Serpent-256-GCM), its key, the base nonce, the salt and the commitment, 85 or 101 bytes together. Of a
    /// stream of [`Format::Ags1`] they are a byte 4, the length of the key, the key and the AAD prefix.
    #[must_use]
    pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        // At most 32.
        let length = [self.key.len() as u8];
        let (first, parts): (u8, [&[u8]; 3]) = match &self.framing {
            Framing::Cobblestone { base_nonce, header } => {
                (self.aead().map_or(0, number), [&self.key[..], &**base_nonce, header])
            }
            Framing::Ags1 { aad_prefix } => (AGS1, [&length, &self.key, aad_prefix]),
        };
        // Allocated at its whole length, since growing would leave a copy behind.
        let len = 1 + parts.iter().map(|part| part.len()).sum::<usize>();
        let mut bytes = Zeroizing::new(Vec::with_capacity(len));
        bytes.push(first);
        parts.iter().for_each(|part| bytes.extend_from_slice(part));
        bytes
    }

    /// Returns the keys that [`to_bytes`](FileKey::to_bytes) gave.
    ///
    /// # Errors
    /// [`Error::FileKey`] if they are of another length or name no AEAD. Other changes cannot be seen here.
    pub fn from_bytes(bytes: &[u8]) -> Result<FileKey, Error> {
        let (&first, rest) = bytes.split_first().ok_or(Error::FileKey)?;
        if first == AGS1 {
            let (&key_len, rest) = rest.split_first().ok_or(Error::FileKey)?;
            let (key, aad_prefix) = rest.split_at_checked(key_len.into()).ok_or(Error::FileKey)?;
            return FileKey::ags1(key, aad_prefix).map_err(|_| Error::FileKey);
        }
        let aead = Aead::ALL.into_iter().find(|aead| number(*aead) == first).ok_or(Error::FileKey)?;
        if rest.len() != aead.key_len() + NONCE + HEADER {
            return Err(Error::FileKey);
        }
        let (key, rest) = rest.split_at(aead.key_len());
        let (base_nonce, header) = rest.split_at(NONCE);
        let header = header.try_into().map_err(|_| Error::FileKey)?;
        Ok(FileKey::from_parts(aead, key, base_nonce, header))
    }

    /// Takes the keys of these bytes, which have their lengths.
    fn from_parts(aead: Aead, key: &[u8], base_nonce: &[u8], header: [u8; HEADER]) -> FileKey {
        let cipher = if aead == Aead::Serpent256Gcm { Cipher::Serpent } else { Cipher::Aes };
        let base_nonce = Zeroizing::new(base_nonce.try_into().expect("a nonce has its length"));
        FileKey {
            cipher,
            key: Zeroizing::new(key.to_vec()),
            framing: Framing::Cobblestone { base_nonce, header },
        }
    }
}

/// The first of the bytes of a stream's keys in [`FileKey::to_bytes`].
const AGS1: u8 = 4;

/// Returns the byte that names an AEAD in [`FileKey::to_bytes`].
fn number(aead: Aead) -> u8 {
    match aead {
        Aead::Aes128Gcm => 1,
        Aead::Aes256Gcm => 2,
        Aead::Serpent256Gcm => 3,
    }
}

/// Compares two headers. Looks at every byte, wherever the first difference is.
pub(crate) fn same(one: &[u8; HEADER], other: &[u8; HEADER]) -> Result<(), Error> {
    let difference = one.iter().zip(other).fold(0, |sum, (a, b)| sum | (a ^ b));
    if difference == 0 { Ok(()) } else { Err(Error::WrongKey) }
}

/// HKDF-Expand (RFC 5869) with SHA-512. The pseudorandom key is the key of the file as it is, shorter
/// than the hash.
fn hkdf_expand(key: &[u8], info: &[&[u8]], out: &mut [u8]) {
    expand(key, info, out);
    wipe_used_stack();
}

/// Writes zeros where the calls before this one had their local variables. The crates of HMAC and SHA-512 return
/// and move results by value, and the places that those leave are out of reach of `Drop`.
#[inline(never)]
fn wipe_used_stack() {
    // Several times the stack of these calls.
    [0_u8; 16 << 10].zeroize();
}

/// Computes [`hkdf_expand`], in a frame of its own.
#[inline(never)]
fn expand(key: &[u8], info: &[&[u8]], out: &mut [u8]) {
    let mut previous = Zeroizing::new([0; 64]);
    for (count, block) in (1..=255).zip(out.chunks_mut(64)) {
        let mut mac = Hmac::<Sha512>::new_from_slice(key).expect("HMAC takes keys of any length");
        if count > 1 {
            mac.update(&*previous);
        }
        info.iter().for_each(|part| mac.update(part));
        mac.update(&[count]);
        previous.copy_from_slice(&mac.finalize().into_bytes());
        block.copy_from_slice(&previous[..block.len()]);
    }
}

#[cfg(test)]
mod tests {
    #[cfg(target_os = "linux")]
    use std::{
        fs::{self, File},
        hint::black_box,
        os::unix::fs::FileExt,
    };

    use super::*;

    #[cfg(target_os = "linux")]
    /// Returns the memory below the address of a local variable: the stack that calls have used.
    fn used_stack(local: &u8) -> Vec<u8> {
        let end = std::ptr::from_ref(local) as usize as u64;
        let maps = fs::read_to_string("/proc/self/maps").unwrap();
        let address = |text: &str| u64::from_str_radix(text, 16).unwrap();
        let ranges = maps.lines().filter_map(|line| line.split(' ').next()?.split_once('-'));
        let mut ranges = ranges.map(|(start, end)| (address(start), address(end)));
        let (start, _) = ranges.find(|(start, stop)| (*start..*stop).contains(&end)).unwrap();
        let start = start.max(end - (64 << 10));
        let mut stack = vec![0; (end - start) as usize];
        File::open("/proc/self/mem").unwrap().read_exact_at(&mut stack, start).unwrap();
        stack
    }

    #[cfg(target_os = "linux")]
    /// Calls something so far down the stack that the search for its remains does not overwrite them.
    #[inline(never)]
    fn deep_down(call: impl FnOnce()) {
        /// With a frame of its own, below the room.
        #[inline(never)]
        fn below(call: impl FnOnce()) {
            call();
            black_box(());
        }
        let room = [0_u8; 32 << 10];
        black_box(&room);
        below(call);
        black_box(&room);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn derived_bytes_are_not_left_on_the_stack() {
        let mut derived = vec![0; 76];
        let local = 0;
        deep_down(|| hkdf_expand(&[7; 32], &[b"info"], &mut derived));
        let stack = used_stack(&local);
        // Whole blocks and the beginning of the last one, of which a part is handed out.
        for part in [&derived[..12], &derived[20..32], &derived[52..64], &derived[64..76]] {
            assert!(!stack.windows(12).any(|window| window == part));
        }
        // Bytes that are left there are found.
        let part = &derived[20..32];
        deep_down(|| {
            let mut left = [0; 12];
            left.copy_from_slice(part);
            black_box(&left);
        });
        assert!(used_stack(&local).windows(12).any(|window| window == part));
    }

    /// Keys sent to a worker as bytes make the same chunks there; bytes that are shorter, longer or of no AEAD are rejected.
    #[test]
    fn keys_of_a_file_as_bytes() {
        for aead in Aead::ALL {
            let key = Key::new(aead, &vec![7; aead.key_len()]).unwrap();
            let (file_key, header) = FileKey::derive(&key, &[1; SALT], b"context");
            assert_eq!(header[..SALT], [1; SALT]);
            assert_eq!(file_key.header(), header);
            let bytes = file_key.to_bytes();
            assert_eq!(bytes.len(), 1 + aead.key_len() + NONCE + HEADER);
            let again = FileKey::from_bytes(&bytes).unwrap();
            assert_eq!((again.to_bytes(), again.name()), (bytes.clone(), aead.short_name()));
            let seal = |file_key: &FileKey| {
                let mut out = [0; 21];
                assert_eq!(file_key.cipher().seal_chunks(3, b"hello", true, &mut out).unwrap(), 21);
                out
            };
            assert_eq!(seal(&file_key), seal(&again));
            let shown = format!("{file_key:?}");
            assert!(shown.contains("aead") && !shown.contains("key:") && !shown.contains("nonce"), "{shown}");

            for len in (0..bytes.len()).chain([bytes.len() + 1]) {
                let mut other = bytes.to_vec();
                other.resize(len, 0);
                assert!(matches!(FileKey::from_bytes(&other), Err(Error::FileKey)), "{len}");
            }
            for first in [0, 5, 255] {
                let mut other = bytes.to_vec();
                other[0] = first;
                assert!(matches!(FileKey::from_bytes(&other), Err(Error::FileKey)), "{first}");
            }

            assert_eq!(FileKey::from_header(&key, &header, b"context").unwrap().to_bytes(), bytes);
            assert!(matches!(FileKey::from_header(&key, &header, b""), Err(Error::WrongKey)));
            for at in 0..HEADER {
                let mut changed = header;
                changed[at] ^= 0x80;
                let refused = FileKey::from_header(&key, &changed, b"context");
                assert!(matches!(refused, Err(Error::WrongKey)), "{at}");
            }
            let (one, other) = (FileKey::generate(&key, b"").unwrap(), FileKey::generate(&key, b"").unwrap());
            assert_ne!(one.1, other.1);
        }
    }
}
