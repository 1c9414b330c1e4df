//! `abreast raw`: a cipher and mode as they are.
//!
//! Messages go through one buffer, in place. Decryption that authenticates keeps back the tag at the
//! end of the input, and its output until the tag has been verified: under the temporary name of a
//! file, or in memory where the output shows at once.

use std::io::{self, Write};

use abreast::kernels::Cipher;
use abreast::modes::{CounterWidth, Ctr, Gcm, GcmDecryptor, GcmEncryptor};
use abreast::{Error, GcmCipher, InOutBuf};
use data_encoding::HEXLOWER_PERMISSIVE;
use zeroize::Zeroizing;

use crate::args::{Hex, Mode, RawArgs, RawDirection, RawRun};
use crate::failure::{Exit, Failure};
use crate::source::Source;
use crate::target::Target;

/// Bytes that go through at a time: whole blocks of any cipher, and small enough for the L2 cache.
const BATCH: usize = 128 * 1024;

/// The longest message that is held in memory until its tag has been verified.
const MAX_HELD: usize = 16 * 1024 * 1024;

/// Runs the command.
pub(crate) fn run(args: &RawArgs) -> Result<(), Failure> {
    let (run, encrypt) = match &args.direction {
        RawDirection::Encrypt(run) => (run, true),
        RawDirection::Decrypt(run) => (run, false),
    };
    let key = decode("--key", &run.key)?;
    let cipher = Cipher::from_name(&run.cipher).expect("clap knows the names");
    let cipher = with_key(cipher, &key, run.kernel.as_deref())?;
    let iv = run.iv.as_ref().map(|iv| decode("--iv", iv)).transpose()?;
    let aad = run.aad.as_ref().map(|aad| decode("--aad", aad)).transpose()?;
    let iv = |needed: bool| match &iv {
        Some(iv) if needed => Ok(&iv[..]),
        None if !needed => Ok(&[][..]),
        Some(_) => Err(Failure::usage("--iv means nothing in this mode")),
        None => Err(Failure::usage("this mode needs --iv")),
    };
    refuse(run.mode != Mode::Ctr && run.counter_bits.is_some(), "--counter-bits")?;
    refuse(run.mode != Mode::Gcm && run.tag_len.is_some(), "--tag-len")?;
    refuse(run.mode != Mode::Gcm && aad.is_some(), "--aad")?;

    match run.mode {
        Mode::Ecb => {
            iv(false)?;
            Pump::open(run)?.stream(|io| {
                if encrypt { cipher.encrypt_raw_blocks(io) } else { cipher.decrypt_raw_blocks(io) }
            })
        }
        Mode::Ctr => {
            let width = run.counter_bits.unwrap_or(CounterWidth::Bits128);
            let mut ctr = Ctr::new(cipher, iv(true)?, width).map_err(Failure::usage)?;
            Pump::open(run)?.stream(|io| ctr.apply(io))
        }
        Mode::Gcm => {
            let gcm = Gcm::new(cipher);
            let (nonce, aad) = (iv(true)?, aad.as_ref().map_or(&[][..], |aad| &aad[..]));
            let tag_len = run.tag_len.unwrap_or(16);
            if !matches!(tag_len, 4 | 8 | 12..=16) {
                return Err(Failure::usage(Error::TagLength));
            }
            if encrypt {
                let stream = gcm.encryptor(nonce, aad).map_err(Failure::usage)?;
                Pump::open(run)?.seal(stream, tag_len)
            } else {
                let stream = gcm.decryptor(nonce, aad).map_err(Failure::usage)?;
                Pump::open(run)?.open_sealed(stream, tag_len)
            }
        }
    }
}

/// Refuses an option that the mode does not have.
fn refuse(given: bool, option: &str) -> Result<(), Failure> {
    if given { Err(Failure::usage(format_args!("{option} means nothing in this mode"))) } else { Ok(()) }
}

/// Decodes hexadecimal, without ever printing it.
fn decode(option: &str, hex: &Hex) -> Result<Zeroizing<Vec<u8>>, Failure> {
    let bytes = HEXLOWER_PERMISSIVE.decode(hex.0.as_bytes());
    let bytes = bytes.map_err(|_| Failure::usage(format_args!("{option} is not hexadecimal")))?;
    Ok(Zeroizing::new(bytes))
}

/// The cipher with its key, on a kernel by name or on the best one.
fn with_key(cipher: Cipher, key: &[u8], kernel: Option<&str>) -> Result<Box<dyn GcmCipher>, Failure> {
    let kernel = match kernel {
        Some(name) => {
            let known = cipher.kernels().into_iter().find(|kernel| kernel.name() == name);
            let unknown =
                || Failure::usage(format_args!("--kernel: not one of {} on this CPU", cipher.name()));
            Some(known.ok_or_else(unknown)?)
        }
        None => None,
    };
    if key.len() != cipher.key_len() {
        return Err(Failure::usage(format_args!(
            "--key: {} has keys of {} bytes",
            cipher.name(),
            cipher.key_len()
        )));
    }
    cipher.with_key(key, kernel).map_err(Failure::usage)
}

/// From the input to the output.
struct Pump {
    /// The input.
    source: Source,
    /// The output.
    target: Target,
    /// What goes through.
    buffer: Zeroizing<Vec<u8>>,
}

impl Pump {
    /// Opens both.
    fn open(run: &RawRun) -> Result<Pump, Failure> {
        let source = Source::open(&run.input)?;
        let target = Target::create(&run.output, run.force, Some(source.metadata()))?;
        Ok(Pump { source, target, buffer: Zeroizing::new(vec![0; BATCH]) })
    }

    /// Fills the buffer from byte `start` on as far as the input goes, and says to where.
    fn fill(&mut self, start: usize) -> Result<usize, Failure> {
        let mut end = start;
        while end < self.buffer.len() {
            match self.source.reader().read(&mut self.buffer[end..]) {
                Ok(0) => break,
                Ok(len) => end += len,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Failure::io(self.source.path(), &error)),
            }
        }
        Ok(end)
    }

    /// Writes.
    fn write(&mut self, len: usize) -> Result<(), Failure> {
        let written = self.target.write_all(&self.buffer[..len]);
        written.map_err(|error| Failure::output(self.target.path(), &error))
    }

    /// What a refusal of the cipher means.
    fn refused(&self, error: Error) -> Failure {
        Failure::cipher(self.source.path(), error)
    }

    /// Passes everything through `work`, and ends.
    fn stream(mut self, work: impl FnMut(InOutBuf<'_, '_, u8>) -> Result<(), Error>) -> Result<(), Failure> {
        self.pass(work)?;
        self.target.commit()
    }

    /// Passes everything through `work`.
    fn pass(
        &mut self,
        mut work: impl FnMut(InOutBuf<'_, '_, u8>) -> Result<(), Error>,
    ) -> Result<(), Failure> {
        loop {
            let len = self.fill(0)?;
            work((&mut self.buffer[..len]).into()).map_err(|error| self.refused(error))?;
            self.write(len)?;
            if len < self.buffer.len() {
                return Ok(());
            }
        }
    }

    /// Encrypts everything, and writes the tag after it.
    fn seal<C: GcmCipher>(mut self, mut stream: GcmEncryptor<'_, C>, tag_len: usize) -> Result<(), Failure> {
        self.pass(|io| stream.update(io))?;
        stream.finish(&mut self.buffer[..tag_len]).map_err(|error| self.refused(error))?;
        self.write(tag_len)?;
        self.target.commit()
    }

    /// Decrypts everything but the tag at the end, which is to be verified before anything shows.
    fn open_sealed<C: GcmCipher>(
        mut self,
        mut stream: GcmDecryptor<'_, C>,
        tag_len: usize,
    ) -> Result<(), Failure> {
        let path = self.source.path().to_path_buf();
        let hold = self.target.shows_at_once();
        // Reserved at once, so that no plaintext stays behind where it grew from.
        let mut held = Zeroizing::new(Vec::with_capacity(if hold { MAX_HELD } else { 0 }));
        let mut kept = 0;
        loop {
            let end = self.fill(kept)?;
            let Some(len) = end.checked_sub(tag_len) else {
                return Err(Failure::new(Exit::Authentication, &path, "shorter than its tag"));
            };
            stream.update((&mut self.buffer[..len]).into()).map_err(|error| self.refused(error))?;
            if !hold {
                self.write(len)?;
            } else if held.len() + len <= MAX_HELD {
                held.extend_from_slice(&self.buffer[..len]);
            } else {
                let cause = "too long to hold back from a pipe until the tag is verified: use -o FILE";
                return Err(Failure::new(Exit::Io, &path, cause));
            }
            // What may be the tag moves to the front.
            self.buffer.copy_within(len..end, 0);
            kept = tag_len;
            if end < self.buffer.len() {
                break;
            }
        }
        stream.verify(&self.buffer[..tag_len]).map_err(|error| self.refused(error))?;
        let written = self.target.write_all(&held);
        written.map_err(|error| Failure::output(self.target.path(), &error))?;
        self.target.commit()
    }
}
