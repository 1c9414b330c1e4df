//! ECB and CBC: whole blocks, of pieces split anywhere, with or without padding.

use abreast::modes::{Cbc, Direction};
use abreast::{BlockCipher, Error, InOutBuf};

use super::pending::Pending;
use super::tls_cbc::Records;
use crate::buffers::Buffers;
use crate::context::{About, CipherMode};
use crate::core::{Param, evp_mode, name};
use crate::fault::Fault;
use crate::keys::{Cipher, Key, Plain};

/// A mode over whole blocks.
pub(crate) trait BlockMode: Clone + Send + 'static {
    type Message<K: BlockCipher + Clone>: Clone + Send;
    const NAME: &'static str;
    const NUMBER: u32;
    const HAS_IV: bool;

    fn begin<K: BlockCipher + Clone>(key: K, iv: &[u8]) -> Result<Self::Message<K>, Error>;
    fn apply<K: BlockCipher + Clone>(
        message: &mut Self::Message<K>,
        direction: Direction,
        io: InOutBuf<'_, '_, u8>,
    ) -> Result<(), Error>;
    fn running_iv<K: BlockCipher + Clone>(message: &Self::Message<K>, iv: &mut [u8]) -> Result<(), Error>;
}

#[derive(Clone)]
pub(crate) struct InEcb;

impl BlockMode for InEcb {
    type Message<K: BlockCipher + Clone> = K;
    const NAME: &'static str = "ecb";
    const NUMBER: u32 = evp_mode::ECB;
    const HAS_IV: bool = false;

    fn begin<K: BlockCipher + Clone>(key: K, _: &[u8]) -> Result<K, Error> {
        Ok(key)
    }
    #[inline(always)]
    fn apply<K: BlockCipher + Clone>(
        key: &mut K,
        direction: Direction,
        io: InOutBuf<'_, '_, u8>,
    ) -> Result<(), Error> {
        match direction {
            Direction::Encrypt => key.encrypt_raw_blocks(io),
            Direction::Decrypt => key.decrypt_raw_blocks(io),
        }
    }
    fn running_iv<K: BlockCipher + Clone>(_: &K, _: &mut [u8]) -> Result<(), Error> {
        Err(Error::IvLength)
    }
}

#[derive(Clone)]
pub(crate) struct InCbc;

impl BlockMode for InCbc {
    type Message<K: BlockCipher + Clone> = Cbc<K>;
    const NAME: &'static str = "cbc";
    const NUMBER: u32 = evp_mode::CBC;
    const HAS_IV: bool = true;

    fn begin<K: BlockCipher + Clone>(key: K, iv: &[u8]) -> Result<Cbc<K>, Error> {
        Cbc::from_cipher(key, iv)
    }
    #[inline(always)]
    fn apply<K: BlockCipher + Clone>(
        cbc: &mut Cbc<K>,
        direction: Direction,
        io: InOutBuf<'_, '_, u8>,
    ) -> Result<(), Error> {
        match direction {
            Direction::Encrypt => cbc.encrypt(io),
            Direction::Decrypt => cbc.decrypt(io),
        }
    }
    fn running_iv<K: BlockCipher + Clone>(cbc: &Cbc<K>, iv: &mut [u8]) -> Result<(), Error> {
        cbc.running_iv(iv)
    }
}

/// A cipher in one of these modes.
pub(crate) struct Blocks<C: Cipher, M: BlockMode> {
    // Before the key, which is lent to it: the message is dropped first.
    message: Option<M::Message<&'static C::Type>>,
    key: Key<Plain<C>>,
    direction: Direction,
    /// The vector of this message and, without another, of the next. Zeros until there is one, as OpenSSL has it.
    iv: [u8; 16],
    /// True if a vector was set. Until then, a message begins where the last one has ended, as OpenSSL has it.
    has_iv: bool,
    /// The vector with which the message begins or goes on, for callers that ask.
    running_iv: [u8; 16],
    pending: Pending,
    padding: bool,
    /// A number that programs may set and read, of no use to these modes.
    num: u32,
    records: Records,
}

// Not derived, which would want keys that can be copied.
impl<C: Cipher, M: BlockMode> Clone for Blocks<C, M> {
    fn clone(&self) -> Self {
        Self {
            message: self.message.clone(),
            key: self.key.clone(),
            direction: self.direction,
            iv: self.iv,
            has_iv: self.has_iv,
            running_iv: self.running_iv,
            pending: self.pending.clone(),
            padding: self.padding,
            num: self.num,
            records: self.records.clone(),
        }
    }
}

impl<C: Cipher, M: BlockMode> Blocks<C, M> {
    /// Brings the running vector up to date.
    fn note_running_iv(&mut self) -> Result<(), Fault> {
        match &self.message {
            Some(message) if M::HAS_IV => Ok(M::running_iv(message, &mut self.running_iv[..C::BLOCK])?),
            _ => Ok(()),
        }
    }

    /// The message, which is begun if it is not.
    fn message<'m>(
        message: &'m mut Option<M::Message<&'static C::Type>>,
        key: &Key<Plain<C>>,
        iv: &[u8; 16],
    ) -> Result<&'m mut M::Message<&'static C::Type>, Fault> {
        match message {
            Some(message) => Ok(message),
            None => {
                // SAFETY: the message is dropped before the key, by the order of the fields, and in `begin` before it is set.
                let key = unsafe { key.lend() }?;
                Ok(message.insert(M::begin(key, &iv[..C::BLOCK])?))
            }
        }
    }
}

/// Encrypts or decrypts whole blocks as [`BlockMode::apply`] does, by a call: it is worth its code at one place.
#[inline(never)]
fn apply<C: Cipher, M: BlockMode>(
    message: &mut M::Message<&'static C::Type>,
    direction: Direction,
    io: InOutBuf<'_, '_, u8>,
) -> Result<(), Error> {
    M::apply(message, direction, io)
}

impl<C: Cipher, M: BlockMode> CipherMode for Blocks<C, M> {
    const ABOUT: About = About {
        cipher: C::NAME,
        mode: M::NAME,
        number: M::NUMBER,
        key_len: C::KEY_LEN,
        iv_len: if M::HAS_IV { C::BLOCK } else { 0 },
        block: C::BLOCK,
        aead: false,
        custom_iv: false,
    };

    fn new() -> Self {
        Self {
            message: None,
            key: Key::NONE,
            direction: Direction::Decrypt,
            iv: [0; 16],
            has_iv: false,
            running_iv: [0; 16],
            pending: Pending::new(C::BLOCK),
            padding: true,
            num: 0,
            records: Records::default(),
        }
    }

    fn begin(&mut self, direction: Direction, key: Option<&[u8]>, iv: Option<&[u8]>) -> Result<(), Fault> {
        self.pending.forget();
        self.num = 0;
        if let Some(iv) = iv.filter(|_| M::HAS_IV) {
            self.iv
                .get_mut(..C::BLOCK)
                .filter(|own| own.len() == iv.len())
                .ok_or(Fault::IvLength)?
                .copy_from_slice(iv);
            self.has_iv = true;
        }
        if self.has_iv {
            self.running_iv = self.iv;
        } else {
            self.note_running_iv()?;
        }
        self.message = None;
        self.direction = direction;
        key.map_or(Ok(()), |key| self.key.set(key))
    }

    fn update(&mut self, buffers: &mut Buffers) -> Result<usize, Fault> {
        let Self { message, key, direction, running_iv, pending, .. } = self;
        let message = Self::message(message, key, running_iv)?;
        if self.records.asked() {
            let blocks = |io: InOutBuf<'_, '_, u8>| apply::<C, M>(message, *direction, io);
            return self.records.record(*direction, C::BLOCK, self.padding, buffers, blocks);
        }
        let keeps_last = self.padding && *direction == Direction::Decrypt;
        let written = pending.output_len(buffers.len(), keeps_last);
        if !pending.is_empty() {
            let blocks = |io: InOutBuf<'_, '_, u8>| apply::<C, M>(message, *direction, io);
            return Ok(buffers.apart(written, |input, output| pending.update(input, output, blocks))??);
        }
        // Whole blocks, as most messages are for most of their way, without the detour. The rest is set aside first: the
        // output may lie over it.
        if buffers.len() > written {
            pending.keep(&buffers.input()[written..]);
        }
        let done = buffers.front(written, |io| Ok(M::apply(message, *direction, io)?));
        if done.is_err() {
            pending.forget();
        }
        done.map(|()| written)
    }

    fn finish(&mut self, buffers: &mut Buffers) -> Result<usize, Fault> {
        let Self { message, key, direction, running_iv, pending, .. } = self;
        let message = Self::message(message, key, running_iv)?;
        // A record ends with its piece.
        if self.records.asked() {
            return Err(Fault::TlsRecord);
        }
        let last = pending.finish(*direction, self.padding, |io| apply::<C, M>(message, *direction, io))?;
        buffers.output(last.len())?.copy_from_slice(last);
        let len = last.len();
        pending.forget();
        Ok(len)
    }

    fn cipher(&mut self, buffers: &mut Buffers) -> Result<usize, Fault> {
        let Self { message, key, direction, running_iv, .. } = self;
        let message = Self::message(message, key, running_iv)?;
        buffers.in_out(|io| Ok(apply::<C, M>(message, *direction, io)?))?;
        Ok(buffers.len())
    }

    fn get(&mut self, param: &mut Param) -> Result<(), Fault> {
        match param.name() {
            it if it == name::PADDING => param.put_number_of_32_bits(self.padding.into()),
            it if it == name::NUM => param.put_number_of_32_bits(self.num),
            it if it == name::IV => param.put_bytes(&self.iv[..Self::ABOUT.iv_len]),
            it if it == name::UPDATED_IV => {
                self.note_running_iv()?;
                param.put_bytes(&self.running_iv[..Self::ABOUT.iv_len])
            }
            it if it == name::TLS_MAC => param.put_pointer(self.records.mac(), self.records.mac_len()),
            _ => Ok(()),
        }
    }

    fn set(&mut self, param: &Param) -> Result<(), Fault> {
        match param.name() {
            // The flag alone: what waits for the rest of its block goes on waiting.
            it if it == name::PADDING => self.padding = param.number_of_32_bits()? != 0,
            it if it == name::USE_BITS => drop(param.number_of_32_bits()?),
            it if it == name::NUM => {
                let num = param.number_of_32_bits()?;
                if num >= C::BLOCK as u32 {
                    return Err(Fault::Parameter);
                }
                self.num = num;
            }
            it if it == name::TLS_VERSION => self.records.set_version(param.number_of_32_bits()?.into())?,
            it if it == name::TLS_MAC_SIZE => self.records.set_mac_len(param.number()?)?,
            _ => {}
        }
        Ok(())
    }
}
