//! `abreast raw`: a cipher and mode as they are.
//!
//! A [`Job`] is the arguments for a block cipher decoded, and has the work of each mode; ciphers that take
//! no mode have a module each. A [`Pump`] takes the message from the input to the output.

mod aez;
mod arguments;
pub(crate) mod pump;
mod rc4;
mod sealing;

use abreast::kernels::Algorithm;
use abreast::modes::{
    Cbc, Cfb, Cfb8, Cmac, CounterWidth, Ctr, Decryptor, Direction, Eax, Encryptor, Gcm, Hctr2, Ofb,
    Streaming, Xts,
};
use abreast::{BlockCipher, BlockCipher128, Error, InOutBuf, Kernel};
use zeroize::Zeroizing;

use crate::args::{Mode, RawArgs, RawCipher, RawDirection, RawRun};
use crate::failure::{Exit, Failure};
use arguments::{NO_TAG, check_options, decode, decode_or_nothing, kernel_of};
use pump::{BATCH, Pump};
use sealing::Sealing;

/// Bytes of a data unit of XTS, unless told otherwise: a sector.
pub(crate) const UNIT: usize = 512;

/// Runs the command.
pub fn run(args: &RawArgs) -> Result<(), Failure> {
    let (run, direction) = match &args.direction {
        RawDirection::Encrypt(run) => (run, Direction::Encrypt),
        RawDirection::Decrypt(run) => (run, Direction::Decrypt),
    };
    let name = run.cipher.name();
    match (run.cipher, run.mode) {
        (RawCipher::Block(cipher), Some(mode)) => {
            Job::new(run, cipher, mode, direction, |kernels| kernel_of(run, kernels))?.run()
        }
        (RawCipher::Block(_), None) => Err(Failure::usage(format_args!("{name} needs --mode"))),
        (RawCipher::Aez, None) => aez::run(run, direction),
        (RawCipher::Rc4, None) => rc4::run(run),
        (RawCipher::Aez | RawCipher::Rc4, Some(_)) => {
            Err(Failure::usage(format_args!("{name} takes no --mode")))
        }
    }
}

/// The options that a mode takes beside cipher, key and kernel.
const fn options(mode: Mode) -> &'static [&'static str] {
    match mode {
        Mode::Ecb => &[],
        Mode::Cbc | Mode::CbcPkcs7 | Mode::Cfb | Mode::Cfb8 | Mode::Ofb | Mode::Hctr2 => &["--iv"],
        Mode::Ctr => &["--iv", "--counter-bits"],
        Mode::Xts => &["--iv", "--unit"],
        Mode::Eax | Mode::Gcm | Mode::Sealing(_) => &["--iv", "--aad", "--tag-len"],
        Mode::Cmac => &["--tag-len"],
    }
}

/// A run with its arguments decoded.
pub(crate) struct Job<'a> {
    /// The arguments.
    pub(crate) run: &'a RawRun,
    /// The direction.
    pub(crate) direction: Direction,
    /// The cipher.
    pub(crate) cipher: Algorithm,
    /// The mode.
    pub(crate) mode: Mode,
    /// The kernel, if one was asked for.
    kernel: Option<Kernel>,
    /// The key, as long as the mode wants it.
    pub(crate) key: Zeroizing<Vec<u8>>,
    /// The IV, counter block, nonce or tweak.
    pub(crate) iv: Zeroizing<Vec<u8>>,
    /// The associated data, which is authenticated with the message.
    aad: Zeroizing<Vec<u8>>,
}

impl<'a> Job<'a> {
    /// Checks the arguments as far as the modes do not.
    pub(crate) fn new(
        run: &'a RawRun,
        cipher: Algorithm,
        mode: Mode,
        direction: Direction,
        kernel: impl FnOnce(Vec<Kernel>) -> Result<Option<Kernel>, Failure>,
    ) -> Result<Job<'a>, Failure> {
        let key = decode("--key", &run.key)?;
        check_options(run, "this mode", options(mode))?;
        if mode == Mode::Cmac && direction == Direction::Decrypt {
            return Err(Failure::usage(
                "cmac leaves nothing to decrypt: make the tag with raw encrypt, and compare",
            ));
        }
        if mode.needs_blocks_of_16() && cipher.block_size() != 16 {
            let (mode, cipher, has) = (mode.name(), cipher.name(), cipher.block_size());
            let cause =
                format_args!("--mode: {mode} needs blocks of 16 bytes, and {cipher} has blocks of {has}");
            return Err(Failure::usage(cause));
        }
        if let Some(unit) = run.unit
            && !(16..=16 << 20).contains(&unit)
        {
            return Err(Failure::usage(format_args!(
                "--unit: a data unit has 16 bytes to 16 MiB, not {unit}"
            )));
        }
        let bits = 8 * cipher.block_size() as u32;
        if let Some(width) = run.counter_bits
            && width.bits() > bits
        {
            let (cipher, width) = (cipher.name(), width.bits());
            let cause =
                format_args!("--counter-bits: the blocks of {cipher} have {bits} bits, fewer than {width}");
            return Err(Failure::usage(cause));
        }
        let kernel = kernel(cipher.kernels())?;
        let (keys, len, name, given) = (mode.keys(), cipher.key_len(), cipher.name(), key.len());
        if key.len() != keys * len {
            return Err(match keys {
                1 => Failure::usage(format_args!("--key: {name} has keys of {len} bytes, not {given}")),
                _ => Failure::usage(format_args!(
                    "--key: this mode takes {keys} keys of {len} bytes, {} together and not {given}",
                    keys * len
                )),
            });
        }
        let iv = decode_or_nothing("--iv", run.iv.as_ref())?;
        if run.aad.len() > 1 {
            return Err(Failure::usage("this mode takes one --aad"));
        }
        let aad = decode_or_nothing("--aad", run.aad.first())?;
        Ok(Job { run, direction, cipher, mode, kernel, key, iv, aad })
    }

    /// Does it.
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let encrypt = self.direction == Direction::Encrypt;
        match self.mode {
            Mode::Ecb => {
                let cipher = self.keyed()?;
                self.stream(|io| {
                    if encrypt { cipher.encrypt_raw_blocks(io) } else { cipher.decrypt_raw_blocks(io) }
                })
            }
            Mode::Cbc => {
                let mut cbc = self.begin(Cbc::from_cipher)?;
                self.stream(|io| if encrypt { cbc.encrypt(io) } else { cbc.decrypt(io) })
            }
            Mode::CbcPkcs7 => self.cbc_pkcs7(),
            Mode::Cfb => {
                let mut cfb = self.begin(Cfb::from_cipher)?;
                self.stream(|io| {
                    if encrypt {
                        cfb.encrypt(io)
                    } else {
                        cfb.decrypt(io)
                    }
                    Ok(())
                })
            }
            Mode::Cfb8 => {
                let mut cfb = self.begin(Cfb8::from_cipher)?;
                self.stream(|io| {
                    if encrypt {
                        cfb.encrypt(io)
                    } else {
                        cfb.decrypt(io)
                    }
                    Ok(())
                })
            }
            Mode::Ofb => {
                let mut ofb = self.begin(Ofb::from_cipher)?;
                self.stream(|io| {
                    ofb.apply(io);
                    Ok(())
                })
            }
            Mode::Ctr => {
                let width = self.counter_width();
                let mut ctr = self.begin(|cipher, iv| Ctr::from_cipher(cipher, iv, width))?;
                self.stream(|io| ctr.apply(io))
            }
            Mode::Xts => self.xts(),
            Mode::Hctr2 => self.hctr2(),
            Mode::Eax => self.eax(),
            Mode::Gcm => self.gcm(),
            Mode::Cmac => self.cmac(),
            Mode::Sealing(name) => {
                let Self { run, direction, cipher, kernel, .. } = *self;
                let (key, nonce, aad) = (&*self.key, &*self.iv, &*self.aad);
                Sealing { run, direction, cipher, name, kernel, key, nonce, aad }.run()
            }
        }
    }

    /// Returns the number of bits of the counter block that count.
    pub(crate) fn counter_width(&self) -> CounterWidth {
        let whole = if self.cipher.block_size() == 8 { CounterWidth::Bits64 } else { CounterWidth::Bits128 };
        self.run.counter_bits.unwrap_or(whole)
    }

    /// CBC with padding. The last block is kept back for it.
    fn cbc_pkcs7(&self) -> Result<(), Failure> {
        let mut cbc = self.begin(Cbc::from_cipher)?;
        let mut pump = self.pump()?;
        if self.direction == Direction::Encrypt {
            pump.pass_full(|io| cbc.encrypt(io))?;
            pump.end_with(|buffer, len| Ok(cbc.encrypt_pkcs7(buffer, len)?.len()))
        } else {
            let block = self.cipher.block_size();
            let too_short = "shorter than a block, and a padded message has at least one";
            let withheld = pump.withhold(block, (Exit::Usage, too_short), |io| cbc.decrypt(io))?;
            withheld.release(|last| Ok(cbc.decrypt_pkcs7(last)?.len()))
        }
    }

    /// Data units under consecutive numbers, as many together as fill a buffer.
    fn xts(&self) -> Result<(), Failure> {
        let unit = self.run.unit.unwrap_or(UNIT);
        let first = self.first_unit()?;
        let (data_key, tweak_key) = self.key.split_at(self.cipher.key_len());
        let [data, tweaks] = [self.keyed_128(data_key)?, self.keyed_128(tweak_key)?];
        let xts = Xts::new(data, tweaks).map_err(Failure::usage)?;
        // A call without data rejects a bad length before anything is opened.
        xts.encrypt_units(0, unit, &mut [][..]).map_err(Failure::usage)?;
        let together = (BATCH / unit).max(1);
        let mut number = first;
        Pump::open(self.run, together * unit)?.stream(|io| {
            let first = number;
            number = number.wrapping_add(together as u128);
            match self.direction {
                Direction::Encrypt => xts.encrypt_units(first, unit, io),
                Direction::Decrypt => xts.decrypt_units(first, unit, io),
            }
        })
    }

    /// HCTR2: the message is in memory as a whole.
    fn hctr2(&self) -> Result<(), Failure> {
        let hctr2 = Hctr2::from_cipher(self.keyed_128(&self.key)?);
        let mut pump = self.pump()?;
        pump.gather(0)?;
        pump.end_with(|buffer, len| {
            let message = &mut buffer[..len];
            match self.direction {
                Direction::Encrypt => hctr2.encrypt(&self.iv, message),
                Direction::Decrypt => hctr2.decrypt(&self.iv, message),
            }?;
            Ok(len)
        })
    }

    /// The number of the first unit of XTS.
    pub(crate) fn first_unit(&self) -> Result<u128, Failure> {
        let tweak = <[u8; 16]>::try_from(&self.iv[..]);
        tweak.map(u128::from_le_bytes).map_err(|_| self.bad_iv("the number of a unit", 16))
    }

    /// EAX, with the tag after the message.
    fn eax(&self) -> Result<(), Failure> {
        let eax = Eax::from_cipher(self.keyed()?);
        let tag_len = self.tag_len_to_a_block()?;
        if self.direction == Direction::Encrypt {
            let stream = eax.encryptor(&self.iv, &self.aad);
            self.encrypt_stream(stream.with_tag_len(tag_len).map_err(Failure::usage)?, tag_len)
        } else {
            let stream = eax.decryptor(&self.iv, &self.aad);
            self.decrypt_stream(stream.with_tag_len(tag_len).map_err(Failure::usage)?, tag_len)
        }
    }

    /// GCM, with the tag after the message.
    fn gcm(&self) -> Result<(), Failure> {
        let gcm = Gcm::from_cipher(self.keyed_128(&self.key)?);
        let tag_len = self.run.tag_len.unwrap_or(16);
        if !matches!(tag_len, 4 | 8 | 12..=16) {
            let cause = "gcm has tags of 4, 8 or 12 to 16 bytes";
            return Err(Failure::usage(format_args!("--tag-len: {cause}, not {tag_len}")));
        }
        if self.iv.is_empty() {
            return Err(Failure::usage("--iv: the nonce is empty, and gcm takes at least one byte"));
        }
        if self.direction == Direction::Encrypt {
            let stream = gcm.encryptor(&self.iv, &self.aad).and_then(|stream| stream.with_tag_len(tag_len));
            self.encrypt_stream(stream.map_err(Failure::usage)?, tag_len)
        } else {
            let stream = gcm.decryptor(&self.iv, &self.aad).and_then(|stream| stream.with_tag_len(tag_len));
            self.decrypt_stream(stream.map_err(Failure::usage)?, tag_len)
        }
    }

    /// A message with its tag, in pieces.
    fn encrypt_stream<M: Streaming>(
        &self,
        mut stream: Encryptor<'_, M>,
        tag_len: usize,
    ) -> Result<(), Failure> {
        let mut pump = self.pump()?;
        pump.pass(|io| stream.update(io))?;
        pump.end_with(|buffer, _| stream.finish(&mut buffer[..tag_len]).map(|()| tag_len))
    }

    /// A message with its tag, in pieces that are kept back until the tag is verified.
    fn decrypt_stream<M: Streaming>(
        &self,
        mut stream: Decryptor<'_, M>,
        tag_len: usize,
    ) -> Result<(), Failure> {
        let withheld = self.pump()?.withhold(tag_len, NO_TAG, |io| stream.update(io))?;
        withheld.release(|tag| stream.verify(tag).map(|()| 0))
    }

    /// CMAC: the tag alone.
    fn cmac(&self) -> Result<(), Failure> {
        let cmac = Cmac::from_cipher(self.keyed()?);
        let tag_len = self.tag_len_to_a_block()?;
        let mut pieces = cmac.pieces().with_tag_len(tag_len).map_err(Failure::usage)?;
        let mut pump = self.pump()?;
        pump.read(|piece| pieces.update(piece))?;
        pump.end_with(|buffer, _| pieces.finish(&mut buffer[..tag_len]).map(|()| tag_len))
    }

    /// The length of a tag, any up to the size of a block.
    fn tag_len_to_a_block(&self) -> Result<usize, Failure> {
        let block = self.cipher.block_size();
        let tag_len = self.run.tag_len.unwrap_or(block);
        if !(1..=block).contains(&tag_len) {
            let cause = format_args!("--tag-len: this mode has tags of 1 to {block} bytes, not {tag_len}");
            return Err(Failure::usage(cause));
        }
        Ok(tag_len)
    }

    /// The cipher under the key.
    fn keyed(&self) -> Result<Box<dyn BlockCipher>, Failure> {
        self.cipher.with_key(&self.key, self.kernel).map_err(Failure::usage)
    }

    /// The cipher under a key, for modes that want blocks of 128 bits.
    fn keyed_128(&self, key: &[u8]) -> Result<Box<dyn BlockCipher128>, Failure> {
        self.cipher.with_key_128(key, self.kernel).map_err(Failure::usage)
    }

    /// A mode that begins with an initialisation vector.
    fn begin<M>(
        &self,
        mode: impl FnOnce(Box<dyn BlockCipher>, &[u8]) -> Result<M, Error>,
    ) -> Result<M, Failure> {
        mode(self.keyed()?, &self.iv).map_err(|error| match error {
            Error::IvLength => self.bad_iv("the initialisation vector", self.cipher.block_size()),
            Error::CounterLength => self.bad_iv("the first counter block", self.cipher.block_size()),
            _ => Failure::usage(error),
        })
    }

    /// Returns the error for an IV of another length than `len` bytes.
    pub(crate) fn bad_iv(&self, what: &str, len: usize) -> Failure {
        Failure::usage(format_args!("--iv: {what} has {len} bytes, not {}", self.iv.len()))
    }

    /// Input and output.
    fn pump(&self) -> Result<Pump, Failure> {
        Pump::open(self.run, BATCH)
    }

    /// Passes everything through `work`.
    fn stream(&self, work: impl FnMut(InOutBuf<'_, '_, u8>) -> Result<(), Error>) -> Result<(), Failure> {
        self.pump()?.stream(work)
    }
}
