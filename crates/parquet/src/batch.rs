//! Modules in batches: encrypted and decrypted where they are, or from one place to another, each with its own key, short ones beside long ones.

use std::sync::atomic::{AtomicU64, Ordering};

use abreast::aes::Aes;
use abreast::modes::{CounterWidth, Gcm};
use abreast::packets::{self, CipherKey, GcmKey, Packet};
use abreast::{InOutBuf, Kernel};

use crate::error::Error;
use crate::module::{Algorithm, Fault, HEAD, LENGTH, MAX_SUFFIX, Module, NONCE, TAG};

/// Modules of a window: enough for a batch, few enough that their descriptions stay in the caches.
const WINDOW: usize = 128;
/// Messages that may be encrypted under one key with random nonces (SP 800-38D, section 8.3).
const MAX_SEALED: u64 = 1 << 32;

/// A key of modules: AES with 16, 24 or 32 bytes. It is wiped when it is dropped.
pub struct ModuleKey {
    gcm: Gcm<Aes>,
    /// Modules that were encrypted.
    sealed: AtomicU64,
}

impl ModuleKey {
    /// Makes a key of its bytes.
    ///
    /// # Errors
    /// [`Error::KeyLength`].
    pub fn new(key: &[u8]) -> Result<Self, Error> {
        Aes::new(key).map(Self::of_cipher).map_err(|_| Error::KeyLength(key.len()))
    }

    /// Makes a key for a kernel, for tests and measurements.
    ///
    /// # Errors
    /// [`abreast::Error`] if the kernel is not one of AES, or the key has another length.
    pub fn with_kernel(key: &[u8], kernel: Kernel) -> Result<Self, abreast::Error> {
        Aes::with_kernel(key, kernel).map(Self::of_cipher)
    }

    fn of_cipher(cipher: Aes) -> Self {
        Self { gcm: Gcm::from_cipher(cipher), sealed: AtomicU64::new(0) }
    }

    /// The mode, for keys that are wrapped.
    pub(crate) fn gcm(&self) -> &Gcm<Aes> {
        &self.gcm
    }
}

impl std::fmt::Debug for ModuleKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ModuleKey").finish_non_exhaustive()
    }
}

/// A module to encrypt or decrypt where it is, or from one place to another.
#[derive(Debug)]
pub struct Job<'a> {
    /// The key.
    pub key: &'a ModuleKey,
    /// The place of the module in its file.
    pub module: Module,
    /// The whole module as it is stored. Its text lies at [`Algorithm::text`].
    pub buffer: &'a mut [u8],
    /// The module that is read in place of the buffer, and has as many bytes.
    from: Option<&'a [u8]>,
    /// The result of the last batch.
    pub result: Result<(), Fault>,
}

impl<'a> Job<'a> {
    /// Returns a job that was not processed yet.
    pub fn new(key: &'a ModuleKey, module: Module, buffer: &'a mut [u8]) -> Self {
        Self { key, module, buffer, from: None, result: Err(Fault::NotProcessed) }
    }

    /// Returns a job that reads the module elsewhere, such as in a mapped file, and writes to the buffer, which has as many bytes. Of a
    /// buffer that a module is decrypted to, the text alone is written.
    ///
    /// ```
    /// use abreast_parquet::{Algorithm, FileContext, Job, Module, ModuleKey, ModuleKind};
    ///
    /// let context = FileContext::new(Algorithm::AesGcmV1, b"", b"the file's number");
    /// let key = ModuleKey::new(b"a key of 16 byte")?;
    /// let page = Module::of_column(ModuleKind::DataPage, 0, 3);
    /// let mut stored = *b"length......nonce, a page of the file, and the tag";
    /// let text = context.algorithm().text(page.kind, stored.len()).ok_or("too short")?;
    /// let plain = stored[text.clone()].to_vec();
    /// context.seal(&mut [Job::new(&key, page, &mut stored)])?;
    ///
    /// // The file is read where it is mapped, and stays as it is.
    /// let mut buffer = [0; 50];
    /// let mut jobs = [Job::from_stored(&key, page, &stored, &mut buffer)];
    /// context.open(&mut jobs);
    /// assert_eq!(jobs[0].result, Ok(()));
    /// assert_eq!(buffer[text.clone()], plain);
    /// assert_ne!(stored[text], plain);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_stored(key: &'a ModuleKey, module: Module, stored: &'a [u8], buffer: &'a mut [u8]) -> Self {
        Self { from: Some(stored), ..Self::new(key, module, buffer) }
    }

    /// The module that is read.
    fn stored(&self) -> &[u8] {
        self.from.unwrap_or(self.buffer)
    }
}

/// The algorithm of a file, and the associated data that its modules have in common.
///
/// ```
/// use abreast_parquet::{Algorithm, Fault, FileContext, Job, Module, ModuleKey, ModuleKind};
///
/// let context = FileContext::new(Algorithm::AesGcmV1, b"the AAD prefix", b"the file's number");
/// let key = ModuleKey::new(b"a key of 16 byte")?;
/// let page = Module::of_column(ModuleKind::DataPage, 0, 3);
/// let mut buffer = [0; 100];
/// let text = context.algorithm().text(page.kind, buffer.len()).ok_or("too short")?;
/// buffer[text].fill(7);
/// context.seal(&mut [Job::new(&key, page, &mut buffer)])?;
///
/// // A module that was moved to another page does not open.
/// let mut jobs = [Job::new(&key, Module { page: 1, ..page }, &mut buffer)];
/// context.open(&mut jobs);
/// assert_eq!(jobs[0].result, Err(Fault::NotAuthentic));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct FileContext {
    algorithm: Algorithm,
    /// Prefix and file number, or `None` for files whose modules have no associated data at all.
    common: Option<Vec<u8>>,
}

impl FileContext {
    /// Returns the context of a file with an AAD prefix, which may be empty, and its own number.
    #[must_use]
    pub fn new(algorithm: Algorithm, prefix: &[u8], file_unique: &[u8]) -> Self {
        Self { algorithm, common: Some([prefix, file_unique].concat()) }
    }

    /// Returns the context of a file whose writer left the associated data empty. Its modules are not bound to their places.
    ///
    /// ```
    /// use abreast_parquet::{Algorithm, FileContext, Module};
    ///
    /// let context = FileContext::with_empty_aad(Algorithm::AesGcmV1);
    /// assert!(context.aad(&Module::FOOTER).is_empty());
    /// assert_eq!(FileContext::new(Algorithm::AesGcmV1, b"p", b"n").aad(&Module::FOOTER), b"pn\0");
    /// ```
    #[must_use]
    pub fn with_empty_aad(algorithm: Algorithm) -> Self {
        Self { algorithm, common: None }
    }

    /// Returns the algorithm.
    #[must_use]
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// True if modules have no associated data.
    pub(crate) fn is_empty(&self) -> bool {
        self.common.is_none()
    }

    /// Returns the associated data of a module.
    #[must_use]
    pub fn aad(&self, module: &Module) -> Vec<u8> {
        let mut suffix = [0; MAX_SUFFIX];
        let len = module.write_suffix(&mut suffix);
        self.common.as_ref().map_or_else(Vec::new, |common| [common, &suffix[..len]].concat())
    }

    /// Decrypts modules of any kinds, each with its own key, side by side, where they are or into other buffers.
    ///
    /// Each job has its result. The text of a module that is not authentic is filled with zeros.
    pub fn open(&self, jobs: &mut [Job<'_>]) {
        for window in jobs.chunks_mut(WINDOW) {
            for job in &mut *window {
                job.result = self.check_stored(job);
            }
            self.run(false, window);
        }
    }

    /// Encrypts modules of any kinds, each with its own key, side by side: the texts lie where [`Algorithm::text`] says, and
    /// length, a new random nonce and the tag are put around them.
    ///
    /// Each job has its result. If it is an error, the buffer may still hold the plaintext.
    ///
    /// # Errors
    /// [`Error::Random`]: nothing is encrypted any more.
    pub fn seal(&self, jobs: &mut [Job<'_>]) -> Result<(), Error> {
        for window in jobs.chunks_mut(WINDOW) {
            let mut nonces = [[0; NONCE]; WINDOW];
            let nonces = &mut nonces[..window.len()];
            getrandom::fill(nonces.as_flattened_mut()).map_err(Error::random)?;
            for (job, nonce) in window.iter_mut().zip(nonces) {
                job.result = self.prepare(job, nonce);
            }
            self.run(true, window);
        }
        Ok(())
    }

    /// Checks the length of a stored module.
    fn check_stored(&self, job: &Job<'_>) -> Result<(), Fault> {
        let len = job.buffer.len();
        let declared = job.stored().first_chunk().map(|len| u32::from_le_bytes(*len) as usize);
        let same = job.stored().len() == len;
        let fits = same
            && declared == len.checked_sub(LENGTH)
            && self.algorithm.text(job.module.kind, len).is_some();
        if fits { Ok(()) } else { Err(Fault::Length) }
    }

    /// Checks a module that is to be encrypted, and writes its length and its nonce.
    fn prepare(&self, job: &mut Job<'_>, nonce: &[u8; NONCE]) -> Result<(), Fault> {
        job.module.check_ordinals()?;
        let len = job.buffer.len();
        self.algorithm
            .text(job.module.kind, len)
            .filter(|_| job.stored().len() == len)
            .ok_or(Fault::Length)?;
        let len = i32::try_from(len).map_err(|_| Fault::TooLong)?;
        if job.key.sealed.fetch_add(1, Ordering::Relaxed) >= MAX_SEALED {
            return Err(Fault::KeyUsedUp);
        }
        job.buffer[..LENGTH].copy_from_slice(&(len - LENGTH as i32).to_le_bytes());
        job.buffer[LENGTH..HEAD].copy_from_slice(nonce);
        Ok(())
    }

    /// Runs the jobs of a window that have no fault yet.
    fn run(&self, seal: bool, window: &mut [Job<'_>]) {
        // The common part is the same in each: only what follows it is written.
        let common = self.common.as_deref().unwrap_or(&[]);
        let mut strings = [common, &[0; MAX_SUFFIX]].concat().repeat(window.len());
        // Tags that are read elsewhere, and the first counter blocks of modules without tags.
        let mut tags = vec![[0; TAG]; window.len()];
        let mut counters =
            vec![[0; 16]; if self.algorithm == Algorithm::AesGcmV1 { 0 } else { window.len() }];
        let mut counters = counters.iter_mut();
        let (mut gcm, mut gcm_results) = (Vec::with_capacity(window.len()), Vec::with_capacity(window.len()));
        let (mut ctr, mut ctr_results) = (Vec::new(), Vec::new());
        let places = strings.chunks_exact_mut(common.len() + MAX_SUFFIX).zip(&mut tags);
        for (job, (aad, read_tag)) in window.iter_mut().zip(places) {
            let (true, Some(place)) =
                (job.result.is_ok(), self.algorithm.text(job.module.kind, job.buffer.len()))
            else {
                continue;
            };
            let (head, rest) = job.buffer.split_at_mut(HEAD);
            let (text, tag) = rest.split_at_mut(place.len());
            // The nonce of a module that is to be encrypted was written to the buffer.
            let stored = if seal { None } else { job.from };
            let nonce = &stored.unwrap_or(head)[LENGTH..HEAD];
            let text = match job.from {
                None => InOutBuf::from(text),
                // The lengths were compared before.
                Some(from) => match InOutBuf::new(&from[place.clone()], text) {
                    Ok(text) => text,
                    Err(_) => continue,
                },
            };
            if self.algorithm.authenticates(job.module.kind) {
                let tag = match stored {
                    None => tag,
                    Some(stored) => {
                        read_tag.copy_from_slice(&stored[place.end..]);
                        read_tag
                    }
                };
                let len = match aad.last_chunk_mut() {
                    Some(suffix) if self.common.is_some() => common.len() + job.module.write_suffix(suffix),
                    _ => 0,
                };
                let key = GcmKey::from(&job.key.gcm);
                gcm.push(Packet::<GcmKey<'_>>::new(key, nonce, text).with_tag(&aad[..len], tag));
                gcm_results.push(&mut job.result);
            } else if let Some(counter) = counters.next() {
                counter[..NONCE].copy_from_slice(nonce);
                counter[15] = 1;
                ctr.push(Packet::<CipherKey<'_>>::new(job.key.gcm.cipher(), counter, text));
                ctr_results.push(&mut job.result);
            }
        }
        if seal {
            packets::gcm_encrypt(&mut gcm);
        } else {
            packets::gcm_decrypt(&mut gcm);
        }
        packets::ctr(&mut ctr, CounterWidth::Bits32);
        let done = gcm.iter().map(|packet| packet.result).zip(gcm_results);
        for (done, result) in done.chain(ctr.iter().map(|packet| packet.result).zip(ctr_results)) {
            *result = done.map_err(|error| match error {
                abreast::Error::TagMismatch => Fault::NotAuthentic,
                abreast::Error::MessageTooLong | abreast::Error::CounterExhausted => Fault::TooLong,
                _ => Fault::NotProcessed,
            });
        }
    }
}
