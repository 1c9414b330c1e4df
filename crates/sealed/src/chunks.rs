//! The keys of one file, derived from its key, salt and context, and its chunks, sealed and opened
//! by number.
//!
//! ```text
//! AEAD key || base nonce[12] || commitment[32] =
//!     HKDF-Expand-SHA-512(key, "c2sp.org/chunked-encryption@v1+" || AEAD name || 0 || salt || context)
//! ```

use std::fmt;

use abreast::aes::{Aes128, Aes256};
use abreast::modes::Gcm;
use abreast::serpent::Serpent;
use abreast::{BlockCipher128, InOutBuf};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha512;
use zeroize::{Zeroize, Zeroizing};

use crate::format::{
    CHUNK, COMMITMENT, MAX_CHUNKS, NONCE, PART, PART_CHUNKS, SALT, SEALED_CHUNK, SEALED_PART, TAG, nonce,
};
use crate::{Aead, Error, Key};

/// Seals and opens the parts of one file, each independent of the others, from any thread. It is what a header and its
/// key make ([`Header::unlock`](crate::Header::unlock)), and it keeps no other state: workers on several machines have
/// one each.
///
/// A [part](PART) is 256 KiB of the message. All parts are full but the last one, which never is: it has 0 to
/// `PART - 1` bytes. So a message has `message / PART + 1` parts, and [`Layout`](crate::Layout) says where each one is.
///
/// Each part is to be sealed once. To seal the part of one number twice under one header, with different bytes, uses
/// nonces again: it gives away the XOR of both, and lets others forge parts of the file.
pub struct FileCipher {
    /// The AEAD with its key.
    gcm: Box<Gcm<Box<dyn BlockCipher128>>>,
    /// What the chunk numbers are XORed into.
    base_nonce: [u8; NONCE],
}

impl fmt::Debug for FileCipher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileCipher").finish_non_exhaustive()
    }
}

/// What [`FileCipher::open_chunks`] did.
pub(crate) struct Opened {
    /// Length of the plaintext of the chunks before the first bad one.
    pub(crate) len: usize,
    /// Why it went no further.
    pub(crate) error: Option<Error>,
}

impl FileCipher {
    /// Derives the cipher of a file, and the commitment that belongs in its header.
    pub(crate) fn derive(key: &Key, salt: &[u8; SALT], context: &[u8]) -> (FileCipher, [u8; COMMITMENT]) {
        let aead = key.aead();
        let mut derived = Zeroizing::new([0; 32 + NONCE + COMMITMENT]);
        let derived = &mut derived[..aead.key_len() + NONCE + COMMITMENT];
        let info = [b"c2sp.org/chunked-encryption@v1+", aead.name().as_bytes(), &[0], salt, context];
        hkdf_expand(key.bytes(), &info, derived);

        let (aead_key, rest) = derived.split_at(aead.key_len());
        let (base_nonce, commitment) = rest.split_at(NONCE);
        let sized = "the derived parts have their lengths";
        let cipher: Box<dyn BlockCipher128> = match aead {
            Aead::Aes128Gcm => Box::new(Aes128::new(aead_key.try_into().expect(sized))),
            Aead::Aes256Gcm => Box::new(Aes256::new(aead_key.try_into().expect(sized))),
            Aead::Serpent256Gcm => Box::new(Serpent::new(aead_key).expect(sized)),
        };
        let gcm = Box::new(Gcm::from_cipher(cipher));
        let base_nonce = base_nonce.try_into().expect(sized);
        (FileCipher { gcm, base_nonce }, commitment.try_into().expect(sized))
    }

    /// Seals part `index` of the message into the beginning of `out`, and says how many bytes that takes: at most
    /// [`SEALED_PART`]. `last` says that the message ends with it.
    ///
    /// # Errors
    /// [`Error::PartLength`] unless there are [`PART`] bytes, or fewer in the last part;
    /// [`Error::BufferTooShort`] if `out` has no room; [`Error::MessageTooLong`] if no message has such a part.
    pub fn seal_part(&self, index: u64, bytes: &[u8], last: bool, out: &mut [u8]) -> Result<usize, Error> {
        if (bytes.len() < PART) != last || bytes.len() > PART {
            return Err(Error::PartLength);
        }
        let needed = bytes.len() + (bytes.len() / CHUNK + usize::from(last)) * TAG;
        if out.len() < needed {
            return Err(Error::BufferTooShort(needed));
        }
        self.seal_chunks(first_chunk(index)?, bytes, last, out)
    }

    /// Opens part `index` of the file into the beginning of `out`, and says how many bytes of the message it holds: at
    /// most [`PART`]. `last` says that the file ends with it; a part that was sealed as the last one opens only as that.
    ///
    /// Which part is the last one is what the caller knows of the length of the file. A file is authentic as a whole if
    /// all of its parts have been opened, the last one as such.
    ///
    /// # Errors
    /// [`Error::Chunk`] with the number of the first chunk that was changed, or belongs elsewhere;
    /// [`Error::LastChunk`] if that is the last chunk of the last part;
    /// [`Error::Truncated`] if the last part ends where no file does; [`Error::PartLength`] unless there are
    /// [`SEALED_PART`] bytes, or fewer in the last part; [`Error::BufferTooShort`] if `out` has no room;
    /// [`Error::MessageTooLong`] if no message has such a part. Nothing of the part is left in `out` then.
    pub fn open_part(&self, index: u64, bytes: &[u8], last: bool, out: &mut [u8]) -> Result<usize, Error> {
        if (bytes.len() < SEALED_PART) != last || bytes.len() > SEALED_PART {
            return Err(Error::PartLength);
        }
        // A last chunk that cannot hold its tag takes no room, and is refused as cut off.
        let needed = bytes.len() / SEALED_CHUNK * CHUNK + (bytes.len() % SEALED_CHUNK).saturating_sub(TAG);
        if out.len() < needed {
            return Err(Error::BufferTooShort(needed));
        }
        let opened = self.open_chunks(first_chunk(index)?, bytes, last, out);
        if let Some(error) = opened.error {
            out[..needed].zeroize();
            return Err(error);
        }
        Ok(opened.len)
    }

    /// Seals the chunks from number `first` on into `out`, and says how many bytes that are. With
    /// `last`, what remains after the full chunks is the last chunk, even if nothing remains.
    pub(crate) fn seal_chunks(
        &self,
        first: u64,
        input: &[u8],
        last: bool,
        out: &mut [u8],
    ) -> Result<usize, Error> {
        let (full, rest) = input.as_chunks::<CHUNK>();
        debug_assert!(last || rest.is_empty());
        // A full chunk has one more after it.
        if first + full.len() as u64 >= MAX_CHUNKS {
            return Err(Error::MessageTooLong);
        }
        let (sealed, tail) = out.split_at_mut(full.len() * SEALED_CHUNK);
        let (sealed, _) = sealed.as_chunks_mut::<SEALED_CHUNK>();
        for (index, (plain, sealed)) in (first..).zip(full.iter().zip(sealed)) {
            self.seal_chunk(index, plain, sealed);
        }
        let mut len = full.len() * SEALED_CHUNK;
        if last {
            self.seal_chunk(first + full.len() as u64, rest, &mut tail[..rest.len() + TAG]);
            len += rest.len() + TAG;
        }
        Ok(len)
    }

    /// Opens the chunks from number `first` on into `out`, up to the first one that does not
    /// authenticate. With `last`, what remains after the full chunks is the last chunk, and a
    /// remainder that cannot hold a tag means that the file was cut off.
    pub(crate) fn open_chunks(&self, first: u64, input: &[u8], last: bool, out: &mut [u8]) -> Opened {
        let (full, rest) = input.as_chunks::<SEALED_CHUNK>();
        debug_assert!(last || rest.is_empty());
        if first + full.len() as u64 >= MAX_CHUNKS {
            return Opened { len: 0, error: Some(Error::MessageTooLong) };
        }
        let (plain, tail) = out.split_at_mut(full.len() * CHUNK);
        let (plain, _) = plain.as_chunks_mut::<CHUNK>();
        for (done, (sealed, plain)) in full.iter().zip(plain).enumerate() {
            let index = first + done as u64;
            if self.open_chunk(index, sealed, plain).is_err() {
                return Opened { len: done * CHUNK, error: Some(Error::Chunk(index)) };
            }
        }
        let len = full.len() * CHUNK;
        if !last {
            return Opened { len, error: None };
        }
        let Some(rest_len) = rest.len().checked_sub(TAG) else {
            return Opened { len, error: Some(Error::Truncated) };
        };
        let index = first + full.len() as u64;
        match self.open_chunk(index, rest, &mut tail[..rest_len]) {
            Ok(()) => Opened { len: len + rest_len, error: None },
            Err(_) => Opened { len, error: Some(Error::LastChunk(index)) },
        }
    }

    /// Seals one chunk into `sealed`, which has room for its tag too.
    fn seal_chunk(&self, index: u64, plain: &[u8], sealed: &mut [u8]) {
        let nonce = nonce(&self.base_nonce, index);
        let (ciphertext, tag) = sealed.split_at_mut(plain.len());
        let tag = tag.try_into().expect("room for a tag of 16 bytes");
        let io = InOutBuf::new(plain, ciphertext).expect("room for the chunk");
        let done = self.gcm.encrypt_detached(&nonce, &[], io, tag);
        done.expect("a chunk is within the limits of GCM");
    }

    /// Opens one chunk, which ends in its tag, into `plain`.
    fn open_chunk(&self, index: u64, sealed: &[u8], plain: &mut [u8]) -> Result<(), abreast::Error> {
        let nonce = nonce(&self.base_nonce, index);
        let (ciphertext, tag) = sealed.split_at(plain.len());
        let tag = tag.try_into().expect("a tag of 16 bytes");
        let io = InOutBuf::new(ciphertext, plain).expect("room for the chunk");
        self.gcm.decrypt_detached(&nonce, &[], io, tag)
    }
}

/// The number of the first chunk of a part.
fn first_chunk(part: u64) -> Result<u64, Error> {
    let first = part.checked_mul(PART_CHUNKS as u64).filter(|first| *first < MAX_CHUNKS);
    first.ok_or(Error::MessageTooLong)
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
    // Several times what these calls take.
    [0_u8; 16 << 10].zeroize();
}

/// The computation of [`hkdf_expand`], in a frame of its own.
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
    /// What is mapped at the address of a local variable, below it: the stack that calls have used.
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
    /// Calls something so far down the stack that the search for what it left there does not overwrite that.
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
        // What is left there is found.
        let part = &derived[20..32];
        deep_down(|| {
            let mut left = [0; 12];
            left.copy_from_slice(part);
            black_box(&left);
        });
        assert!(used_stack(&local).windows(12).any(|window| window == part));
    }

    fn cipher() -> FileCipher {
        let key = Key::new(Aead::Aes128Gcm, &[7; 16]).unwrap();
        FileCipher::derive(&key, &[1; SALT], b"").0
    }

    /// No chunk has a number beyond the last one of the format, and each up to that can be had.
    #[test]
    fn numbers_of_chunks_end() {
        let cipher = cipher();
        let mut sealed = vec![0; SEALED_CHUNK + TAG];
        let mut plain = vec![0; CHUNK + TAG];
        for (first, len, fits) in [
            (MAX_CHUNKS - 2, CHUNK, true),
            (MAX_CHUNKS - 1, CHUNK - 1, true),
            (MAX_CHUNKS - 1, CHUNK, false),
            (MAX_CHUNKS, 0, false),
        ] {
            let message = vec![3; len];
            // A full chunk is never the last, so that another one is to come.
            let last = len < CHUNK;
            let done = cipher.seal_chunks(first, &message, last, &mut sealed);
            assert_eq!(done.is_ok(), fits, "{first}, {len}");
            if let Ok(len) = done {
                let opened = cipher.open_chunks(first, &sealed[..len], last, &mut plain);
                assert!(opened.error.is_none() && plain[..opened.len] == message, "{first}, {len}");
            } else {
                assert!(matches!(done, Err(Error::MessageTooLong)));
                let body = vec![0; if last { TAG } else { SEALED_CHUNK }];
                let opened = cipher.open_chunks(first, &body, last, &mut plain);
                assert!(matches!(opened.error, Some(Error::MessageTooLong)), "{first}, {len}");
            }
        }
    }
}
