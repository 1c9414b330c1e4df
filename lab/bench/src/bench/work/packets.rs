//! Packets: a batch in one call, and the same messages one by one by what a user has for one.
//!
//! Each message has a key, an IV and a buffer of its own. Keys are ready, and the batch is put together, before the
//! clock starts. It keeps its IVs from lap to lap.
//!
//! A batch on several threads is done by `packets::in_parallel`, on the threads of the pool that the calls are made in.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use abreast::aez::Aez;
use abreast::kernels::{ByType, Registered};
use abreast::modes::{Cbc, Cmac, CounterWidth, Ctr, Eax, Gcm, GcmSiv, Hctr2, Ofb, Siv, Xts};
use abreast::packets::{
    self, AezKey, CipherKey, CmacKey, EaxKey, GcmKey, GcmSivKey, Hctr2Key, Packet, SivKey, XtsKey,
};
use abreast::rc4;
use abreast::table::Does;
use abreast::{BlockCipher, BlockCipher128, Error, InOutBuf, Kernel};

use super::{Calls, Header, InMode, Messages, Mode, Ran, Turn, halves};

/// The names that [`GROUP`] stands for.
const DEFAULT: [&str; 7] = [
    "packets-xtea-ecb",
    "packets-aes-128-ctr",
    "packets-aes-128-gcm",
    "packets-aes-128-cbc",
    "packets-serpent-256-ctr",
    "packets-aez",
    "packets-rc4",
];
/// The names that [`THREADS`] stands for.
const DEFAULT_THREADS: [&str; 4] =
    ["threads-aes-128-ctr", "threads-aes-128-gcm", "threads-serpent-256-ctr", "threads-xtea-ctr"];
/// The name of some that show what packets are.
pub(crate) const GROUP: &str = "packets";
/// The name of some that show what several threads do.
pub(crate) const THREADS: &str = "threads";
/// Messages of a batch where no number is asked for.
const BATCH: usize = 256;
/// Messages of a batch on several threads where no number is asked for. Each thread takes a piece of 32 messages at
/// least: enough for 64 threads.
const BATCH_ON_THREADS: usize = 2048;
/// Bytes of all messages of a batch.
const BATCH_BYTES: usize = 256 << 20;
/// Bytes of a nonce of GCM, EAX and AEZ.
const NONCE: usize = 12;
/// Bytes of a key of AEZ.
const AEZ_KEY: usize = 48;

/// A batch of so many messages, and what is done to them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Packets {
    /// The work on each message.
    pub(crate) how: How,
    /// Messages of a batch.
    pub(crate) batch: usize,
    /// The threads that it is done on, where it may be several.
    pub(crate) threads: Option<usize>,
}

/// The kinds of work on packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    /// A block cipher in a mode.
    InMode(InMode),
    /// AEZ, encryption.
    Aez,
    /// AEZ, verification and decryption.
    AezDecrypt,
    /// RC4 with a key schedule for each message.
    Rc4,
}

impl Packets {
    /// All of them, with batches of the usual number.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        Self::all_but_rc4().chain([How::Rc4]).map(|how| Self { how, batch: BATCH, threads: None })
    }

    /// Returns the batches that can run on several threads, on one for now. RC4 is left out: threads need a call that
    /// cannot fail, and RC4 has none.
    pub(crate) fn on_threads() -> impl Iterator<Item = Self> {
        Self::all_but_rc4().map(|how| Self { how, batch: BATCH_ON_THREADS, threads: Some(1) })
    }

    fn all_but_rc4() -> impl Iterator<Item = How> {
        let in_mode = InMode::all().filter(|what| is_for_packets(what.mode)).map(How::InMode);
        in_mode.chain([How::Aez, How::AezDecrypt])
    }

    /// Returns the batches that [`GROUP`] stands for, which show the use of packets.
    pub(crate) fn usual() -> impl Iterator<Item = Self> {
        Self::all().filter(|what| DEFAULT.contains(&what.to_string().as_str()))
    }

    /// Returns the batches that [`THREADS`] stands for, which show the use of several threads.
    pub(crate) fn usual_on_threads() -> impl Iterator<Item = Self> {
        Self::on_threads().filter(|what| DEFAULT_THREADS.contains(&what.to_string().as_str()))
    }

    /// The kernels that this CPU has for it, best first.
    pub(super) fn kernels(self) -> Vec<Kernel> {
        match self.how {
            How::InMode(what) => what.cipher.kernels(),
            How::Aez | How::AezDecrypt => Aez::kernels().collect(),
            How::Rc4 => rc4::Rc4::kernels().collect(),
        }
    }

    /// Returns the name of the cipher that the kernels belong to.
    pub(super) const fn owner(self) -> &'static str {
        match self.how {
            How::InMode(what) => what.cipher.name(),
            How::Aez | How::AezDecrypt => "aez",
            How::Rc4 => "rc4",
        }
    }

    /// Describes the messages that are accepted, if those of `size` bytes are not.
    pub(super) fn refuses(self, size: usize) -> Option<String> {
        let most = BATCH_BYTES / self.batch;
        let too_long =
            (size > most).then(|| format!("messages of up to {most} bytes in batches of {}", self.batch));
        let by_mode = || match self.how {
            How::InMode(what) => what.refuses(size),
            _ => None,
        };
        too_long.or_else(by_mode)
    }

    /// Returns the messages that calls work on. A ciphertext whose tag is verified stays where it is.
    pub(super) fn messages(self, size: usize) -> Messages {
        match self.sealing() {
            None => Messages::batch(size, self.batch),
            Some(_) => Messages::batch_with_output(size, self.batch),
        }
    }

    /// Encrypts messages that are to be verified and decrypted, each under its key.
    pub(super) fn prepare(self, kernel: Kernel, messages: &mut Messages) -> Result<(), Error> {
        let Some(sealing) = self.sealing() else { return Ok(()) };
        messages.keep_numbers();
        match sealing.calls(kernel)?.alone {
            Some(mut alone) => alone(messages, 1).map(drop),
            None => Ok(()),
        }
    }

    /// Returns the work that makes the tags that this verifies, if it verifies any.
    fn sealing(self) -> Option<Self> {
        let how = match self.how {
            How::AezDecrypt => How::Aez,
            How::InMode(what @ InMode { mode: Mode::GcmDecrypt, .. }) => How::InMode(what.with(Mode::Gcm)),
            How::InMode(what @ InMode { mode: Mode::EaxDecrypt, .. }) => How::InMode(what.with(Mode::Eax)),
            How::InMode(what @ InMode { mode: Mode::GcmSivDecrypt, .. }) => {
                How::InMode(what.with(Mode::GcmSiv))
            }
            How::InMode(what @ InMode { mode: Mode::SivDecrypt, .. }) => How::InMode(what.with(Mode::Siv)),
            How::InMode(_) | How::Aez | How::Rc4 => return None,
        };
        Some(Self { how, ..self })
    }

    /// Calls that take a batch, and those that take its messages one by one.
    pub(super) fn calls(self, kernel: Kernel) -> Result<Calls, Error> {
        let aez = || self.keys(AEZ_KEY, |key| Aez::with_kernel(key, kernel));
        let tagged = Fields::Tagged { aad: false, tag: 16 };
        match self.how {
            How::InMode(what) => self.in_mode(what, kernel),
            How::Aez => {
                Ok(self.both(aez()?, tagged, packets::aez_encrypt, |key, One { iv, io, tag, .. }| {
                    key.encrypt_detached(iv, &[], io, super::sized(tag)?)
                }))
            }
            How::AezDecrypt => {
                let opened = Fields::Opened { aad: false, tag: 16 };
                Ok(self.both(aez()?, opened, packets::aez_decrypt, |key, One { iv, io, tag, .. }| {
                    key.decrypt_detached(iv, &[], io, super::sized(tag)?)
                }))
            }
            How::Rc4 => Ok(with_rc4(kernel)),
        }
    }

    /// The calls of a block cipher by its own type, as a user has it.
    fn in_mode(self, what: InMode, kernel: Kernel) -> Result<Calls, Error> {
        what.cipher.by_type(Typed { packets: self, what, kernel })
    }

    /// Modes of blocks of 128 bits, and of all blocks.
    fn in_mode_128<C>(
        self,
        what: InMode,
        kernel: Kernel,
        make: impl Fn(&[u8]) -> Result<C, Error>,
    ) -> Result<Calls, Error>
    where
        C: BlockCipher128 + 'static,
    {
        let len = what.cipher.key_len();
        let gcm = || self.keys(len, |key| Ok(Gcm::from_cipher(make(key)?)));
        // Whose keys are not those of the cipher, which it brings along.
        let gcm_siv = || self.keys(len, |key| GcmSiv::with_kernel(key, kernel));
        let xts = || self.keys(2 * len, |key| Xts::new(make(&key[..len])?, make(&key[len..])?));
        let siv = || self.keys(2 * len, |key| Ok(Siv::from_ciphers(make(&key[..len])?, make(&key[len..])?)));
        let hctr2 = || self.keys(len, |key| Ok(Hctr2::from_cipher(make(key)?)));
        // A number is read as it is by packets, and by the mode alone as users have it: ready.
        let number = |iv: &[u8]| iv.try_into().map(u128::from_le_bytes).map_err(|_| Error::IvLength);
        Ok(match what.mode {
            Mode::Gcm => {
                let fields = Fields::Tagged { aad: true, tag: 16 };
                self.both(gcm()?, fields, packets::gcm_encrypt, |key, One { iv, aad, io, tag }| {
                    key.encrypt_detached(iv, aad, io, super::sized(tag)?)
                })
            }
            Mode::GcmDecrypt => {
                let fields = Fields::Opened { aad: true, tag: 16 };
                self.both(gcm()?, fields, packets::gcm_decrypt, |key, One { iv, aad, io, tag }| {
                    key.decrypt_detached(iv, aad, io, super::sized(tag)?)
                })
            }
            Mode::Xts => {
                self.both(xts()?, Fields::Iv(16), packets::xts_encrypt, move |key, One { iv, io, .. }| {
                    key.encrypt_units(number(iv)?, io.len(), io)
                })
            }
            Mode::XtsDecrypt => {
                self.both(xts()?, Fields::Iv(16), packets::xts_decrypt, move |key, One { iv, io, .. }| {
                    key.decrypt_units(number(iv)?, io.len(), io)
                })
            }
            Mode::Hctr2 => {
                self.both(hctr2()?, Fields::Iv(16), packets::hctr2_encrypt, |key, One { iv, io, .. }| {
                    key.encrypt(iv, io)
                })
            }
            Mode::Hctr2Decrypt => {
                self.both(hctr2()?, Fields::Iv(16), packets::hctr2_decrypt, |key, One { iv, io, .. }| {
                    key.decrypt(iv, io)
                })
            }
            Mode::GcmSiv => {
                let fields = Fields::Tagged { aad: true, tag: 16 };
                self.both(gcm_siv()?, fields, packets::gcm_siv_encrypt, |key, One { iv, aad, io, tag }| {
                    key.encrypt_detached(iv, aad, io, super::sized(tag)?)
                })
            }
            Mode::GcmSivDecrypt => {
                let fields = Fields::Opened { aad: true, tag: 16 };
                self.both(gcm_siv()?, fields, packets::gcm_siv_decrypt, |key, One { iv, aad, io, tag }| {
                    key.decrypt_detached(iv, aad, io, super::sized(tag)?)
                })
            }
            Mode::Siv => {
                let fields = Fields::Tagged { aad: true, tag: 16 };
                self.both(siv()?, fields, packets::siv_encrypt, |key, One { iv, aad, io, tag }| {
                    key.encrypt_detached(&[aad, iv], io, super::sized(tag)?)
                })
            }
            Mode::SivDecrypt => {
                let fields = Fields::Opened { aad: true, tag: 16 };
                self.both(siv()?, fields, packets::siv_decrypt, |key, One { iv, aad, io, tag }| {
                    key.decrypt_detached(&[aad, iv], io, super::sized(tag)?)
                })
            }
            _ => self.in_any_mode(what, make)?,
        })
    }

    /// Modes of all blocks.
    fn in_any_mode<C>(self, what: InMode, make: impl Fn(&[u8]) -> Result<C, Error>) -> Result<Calls, Error>
    where
        C: BlockCipher + 'static,
    {
        let block = what.cipher.block_size();
        let (len, iv) = (what.cipher.key_len(), Fields::Iv(block));
        let cipher = || self.keys(len, |key| make(key).map(Raw));
        let eax = || self.keys(len, |key| Ok(Eax::from_cipher(make(key)?)));
        let width = if block == 16 { CounterWidth::Bits128 } else { CounterWidth::Bits64 };
        Ok(match what.mode {
            Mode::Ecb => self.both(cipher()?, Fields::Raw, packets::ecb_encrypt, |key, one| {
                key.0.encrypt_raw_blocks(one.io)
            }),
            Mode::EcbDecrypt => self.both(cipher()?, Fields::Raw, packets::ecb_decrypt, |key, one| {
                key.0.decrypt_raw_blocks(one.io)
            }),
            Mode::Cbc => self.both(cipher()?, iv, packets::cbc_encrypt, |key, One { iv, io, .. }| {
                Cbc::from_cipher(&key.0, iv)?.encrypt(io)
            }),
            Mode::CbcDecrypt => self.both(cipher()?, iv, packets::cbc_decrypt, |key, One { iv, io, .. }| {
                Cbc::from_cipher(&key.0, iv)?.decrypt(io)
            }),
            Mode::Ofb => self.both(cipher()?, iv, packets::ofb, |key, One { iv, io, .. }| {
                Ofb::from_cipher(&key.0, iv).map(|mut ofb| ofb.apply(io))
            }),
            Mode::Eax => {
                let fields = Fields::Tagged { aad: true, tag: block };
                self.both(eax()?, fields, packets::eax_encrypt, |key, One { iv, aad, io, tag }| {
                    key.encrypt_detached(iv, aad, io, tag)
                })
            }
            Mode::EaxDecrypt => {
                let fields = Fields::Opened { aad: true, tag: block };
                self.both(eax()?, fields, packets::eax_decrypt, |key, One { iv, aad, io, tag }| {
                    key.decrypt_detached(iv, aad, io, tag)
                })
            }
            Mode::Cmac => {
                let keys = self.keys(len, |key| Ok(Cmac::from_cipher(make(key)?)))?;
                let fields = Fields::Mac { tag: block };
                self.both(keys, fields, packets::cmac, |key, One { aad, tag, .. }| key.mac(aad, tag))
            }
            // Counter mode; what else there is has no packets.
            _ => {
                let together = move |batch: &mut [Packet<'_, CipherKey<'_>>]| packets::ctr(batch, width);
                self.both(cipher()?, iv, together, move |key, One { iv, io, .. }| {
                    Ctr::from_cipher(&key.0, iv, width)?.apply(io)
                })
            }
        })
    }

    /// Calls that take a batch, and those that take its messages one by one.
    fn both<K: Keyed>(
        self,
        keys: Arc<[K]>,
        fields: Fields,
        together: impl for<'a> Fn(&mut [Packet<'a, K::Ref<'a>>]) + Send + Sync + 'static,
        alone: impl Fn(&K, One<'_>) -> Result<(), Error> + Send + 'static,
    ) -> Calls {
        let shared = Arc::clone(&keys);
        let run = move |messages: &mut Messages, laps| {
            let mut batch = batch(&shared, fields, messages);
            let start = Instant::now();
            for _ in 0..laps {
                match self.threads {
                    None => together(&mut batch),
                    Some(_) => packets::in_parallel(&mut batch, &together),
                }
            }
            let time = start.elapsed();
            batch.iter().try_for_each(|packet| packet.result)?;
            drop(batch);
            Ok(Ran { time, sum: sum_of_tags(messages) })
        };
        let alone = move |messages: &mut Messages, laps| {
            let mut batch = batch(&keys, fields, messages);
            let start = Instant::now();
            for _ in 0..laps {
                for (key, packet) in keys.iter().zip(&mut batch) {
                    let (iv, aad, io) = (packet.iv, packet.associated_data, packet.buffer.reborrow());
                    alone(key, One { iv, aad, io, tag: packet.tag })?;
                }
            }
            let time = start.elapsed();
            drop(batch);
            Ok(Ran { time, sum: sum_of_tags(messages) })
        };
        Calls { run: Box::new(run), alone: Some(Box::new(alone)) }
    }

    /// A key of so many bytes for each message.
    fn keys<K>(self, len: usize, make: impl Fn(&[u8]) -> Result<K, Error>) -> Result<Arc<[K]>, Error> {
        let key = |number: usize| {
            let mut bytes: Vec<u8> = (1..).take(len).collect();
            bytes.iter_mut().zip(number.to_le_bytes()).for_each(|(byte, own)| *byte ^= own);
            make(&bytes)
        };
        (0..self.batch).map(key).collect()
    }
}

impl fmt::Display for Packets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let group = if self.threads.is_some() { THREADS } else { GROUP };
        write!(f, "{group}-")?;
        match self.how {
            How::InMode(what) => what.fmt(f),
            How::Aez => f.write_str("aez"),
            How::AezDecrypt => f.write_str("aez-decrypt"),
            How::Rc4 => f.write_str("rc4"),
        }
    }
}

/// Returns true if packets have the mode, by the table of modes.
fn is_for_packets(mode: Mode) -> bool {
    let sectors = matches!(mode, Mode::XtsSectors | Mode::XtsSectorsDecrypt);
    !sectors && mode.row().is_some_and(|row| row.operations.contains(&Does::Batch))
}

/// The task of finding the calls, by the type of the cipher.
struct Typed {
    packets: Packets,
    what: InMode,
    kernel: Kernel,
}

impl ByType for Typed {
    type Out = Result<Calls, Error>;

    fn with_64<C: Registered>(self, variant: u8) -> Self::Out {
        self.packets.in_any_mode(self.what, |key| C::with_key(variant, key, self.kernel))
    }
    fn with_128<C: Registered + BlockCipher128>(self, variant: u8) -> Self::Out {
        self.packets.in_mode_128(self.what, self.kernel, |key| C::with_key(variant, key, self.kernel))
    }
}

/// A cipher as users hold it.
struct Raw<C>(C);

/// A key as users hold it, which packets refer to.
trait Keyed: Send + Sync + Sized + 'static {
    /// A reference to the key.
    type Ref<'a>: Send;

    /// Refers to it.
    fn reference(&self) -> Self::Ref<'_>;
}

impl<C: BlockCipher + 'static> Keyed for Raw<C> {
    type Ref<'a> = CipherKey<'a>;

    fn reference(&self) -> CipherKey<'_> {
        (&self.0).into()
    }
}

/// Types of keys, and of what refers to them.
macro_rules! keyed {
    ($([$($of:tt)*] $key:ty: $ref:ty;)*) => {
        $(impl<$($of)*> Keyed for $key {
            type Ref<'a> = $ref;

            fn reference(&self) -> Self::Ref<'_> {
                self.into()
            }
        })*
    };
}
keyed! {
    [] Aez: AezKey<'a>;
    [] GcmSiv: GcmSivKey<'a>;
    [C: BlockCipher128 + 'static] Gcm<C>: GcmKey<'a>;
    [C: BlockCipher128 + 'static] Siv<C>: SivKey<'a>;
    [C: BlockCipher128 + 'static] Xts<C>: XtsKey<'a>;
    [C: BlockCipher128 + 'static] Hctr2<C>: Hctr2Key<'a>;
    [C: BlockCipher + 'static] Eax<C>: EaxKey<'a>;
    [C: BlockCipher + 'static] Cmac<C>: CmacKey<'a>;
}

/// The mapping of a slot and its header to the fields of a message.
#[derive(Clone, Copy)]
enum Fields {
    /// A buffer alone.
    Raw,
    /// An IV of so many bytes.
    Iv(usize),
    /// A nonce and a tag of so many bytes; associated data or none.
    Tagged { aad: bool, tag: usize },
    /// A nonce and a tag of so many bytes, associated data or none; decrypted to another place.
    Opened { aad: bool, tag: usize },
    /// A message that stays, and a tag.
    Mac { tag: usize },
}

/// One message, as a call by itself takes it.
struct One<'a> {
    iv: &'a [u8],
    aad: &'a [u8],
    io: InOutBuf<'a, 'a, u8>,
    tag: &'a mut [u8],
}

impl Fields {
    fn of<'a>(self, Turn { header, data }: Turn<'a>, size: usize) -> One<'a> {
        let tagged = |header: &'a mut Header, has_aad: bool, tag: usize, io| {
            let Header { counter, aad, tags: [first, _], .. } = header;
            let aad: &[u8] = if has_aad { aad } else { &[] };
            One { iv: &counter[..NONCE], aad, io, tag: &mut first[..tag] }
        };
        match self {
            Self::Raw => One { iv: &[], aad: &[], io: data.into(), tag: &mut [] },
            Self::Iv(block) => One { iv: header.iv(block), aad: &[], io: data.into(), tag: &mut [] },
            Self::Tagged { aad, tag } => tagged(header, aad, tag, (&mut data[..size]).into()),
            Self::Opened { aad, tag } => {
                let (message, output) = halves(data, size);
                let io = InOutBuf::new(message, output).expect("both have that size");
                tagged(header, aad, tag, io)
            }
            Self::Mac { tag } => {
                One { iv: &[], aad: data, io: [].as_mut_slice().into(), tag: &mut header.tags[0][..tag] }
            }
        }
    }
}

/// Puts a batch together.
fn batch<'a, K: Keyed>(
    keys: &'a [K],
    fields: Fields,
    messages: &'a mut Messages,
) -> Vec<Packet<'a, K::Ref<'a>>> {
    let size = messages.size();
    let packets = keys.iter().zip(messages.turns()).map(|(key, turn)| {
        let One { iv, aad, io, tag } = fields.of(turn, size);
        Packet::new(key.reference(), iv, io).with_tag(aad, tag)
    });
    packets.collect()
}

/// All tags in one number, which depends on their order.
fn sum_of_tags(messages: &mut Messages) -> u128 {
    let tags = messages.turns().map(|turn| u128::from_le_bytes(turn.header.tags[0]));
    tags.fold(0, |sum: u128, tag| sum.rotate_left(5).wrapping_add(tag))
}

/// Returns the calls of RC4, whose keys are used up: they are the counter blocks of the headers.
fn with_rc4(kernel: Kernel) -> Calls {
    fn batch(messages: &mut Messages) -> Vec<rc4::Message<'_, '_, '_>> {
        let message = |Turn { header, data }| {
            let Header { counter, .. } = header;
            rc4::Message { key: counter, skip: 0, buffer: data.into() }
        };
        messages.turns().map(message).collect()
    }
    let run = move |messages: &mut Messages, laps| {
        let mut batch = batch(messages);
        let start = Instant::now();
        for _ in 0..laps {
            rc4::apply_keys_with_kernel(&mut batch, kernel)?;
        }
        Ok(Ran { time: start.elapsed(), sum: 0 })
    };
    let alone = |messages: &mut Messages, laps| {
        let mut batch = batch(messages);
        let start = Instant::now();
        for _ in 0..laps {
            for message in &mut batch {
                rc4::Rc4::new(message.key)?.apply(message.buffer.reborrow());
            }
        }
        Ok(Ran { time: start.elapsed(), sum: 0 })
    };
    Calls { run: Box::new(run), alone: Some(Box::new(alone)) }
}

#[cfg(test)]
mod tests;
