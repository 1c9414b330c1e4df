//! CFB, OFB and CTR: messages of any length, of pieces split anywhere.

use abreast::modes::{Cfb, CounterWidth, Ctr, Direction, Ofb};
use abreast::{BlockCipher, Error, InOutBuf};

use crate::buffers::Buffers;
use crate::context::{About, CipherMode};
use crate::core::{Param, evp_mode, name};
use crate::fault::Fault;
use crate::keys::{Cipher, Key, Plain};
use crate::modes::passive::Passive;

/// A mode that xors a keystream.
pub(crate) trait StreamMode: Clone + Send + 'static {
    type Message<K: BlockCipher + Clone>: Clone + Send;
    const NAME: &'static str;
    const NUMBER: u32;
    /// Does a message that begins without a vector go on with the counter where the last one ended?
    const GOES_ON: bool = false;

    fn begin<K: BlockCipher + Clone>(key: K, iv: &[u8]) -> Result<Self::Message<K>, Error>;
    fn apply<K: BlockCipher + Clone>(
        message: &mut Self::Message<K>,
        direction: Direction,
        io: InOutBuf<'_, '_, u8>,
    ) -> Result<(), Error>;
    fn running_iv<K: BlockCipher + Clone>(message: &Self::Message<K>, iv: &mut [u8]) -> Result<(), Error>;
    /// Bytes done of a block that has been begun.
    fn within_block<K: BlockCipher + Clone>(message: &Self::Message<K>) -> usize;
}

#[derive(Clone)]
pub(crate) struct InCfb;

impl StreamMode for InCfb {
    type Message<K: BlockCipher + Clone> = Cfb<K>;
    const NAME: &'static str = "cfb";
    const NUMBER: u32 = evp_mode::CFB;

    fn begin<K: BlockCipher + Clone>(key: K, iv: &[u8]) -> Result<Cfb<K>, Error> {
        Cfb::from_cipher(key, iv)
    }
    fn apply<K: BlockCipher + Clone>(
        cfb: &mut Cfb<K>,
        direction: Direction,
        io: InOutBuf<'_, '_, u8>,
    ) -> Result<(), Error> {
        match direction {
            Direction::Encrypt => cfb.encrypt(io),
            Direction::Decrypt => cfb.decrypt(io),
        }
        Ok(())
    }
    fn running_iv<K: BlockCipher + Clone>(cfb: &Cfb<K>, iv: &mut [u8]) -> Result<(), Error> {
        cfb.running_iv(iv)
    }
    fn within_block<K: BlockCipher + Clone>(cfb: &Cfb<K>) -> usize {
        cfb.within_block()
    }
}

#[derive(Clone)]
pub(crate) struct InOfb;

impl StreamMode for InOfb {
    type Message<K: BlockCipher + Clone> = Ofb<K>;
    const NAME: &'static str = "ofb";
    const NUMBER: u32 = evp_mode::OFB;

    fn begin<K: BlockCipher + Clone>(key: K, iv: &[u8]) -> Result<Ofb<K>, Error> {
        Ofb::from_cipher(key, iv)
    }
    fn apply<K: BlockCipher + Clone>(
        ofb: &mut Ofb<K>,
        _: Direction,
        io: InOutBuf<'_, '_, u8>,
    ) -> Result<(), Error> {
        ofb.apply(io);
        Ok(())
    }
    fn running_iv<K: BlockCipher + Clone>(ofb: &Ofb<K>, iv: &mut [u8]) -> Result<(), Error> {
        ofb.running_iv(iv)
    }
    fn within_block<K: BlockCipher + Clone>(ofb: &Ofb<K>) -> usize {
        ofb.within_block()
    }
}

/// With all of the block as counter.
#[derive(Clone)]
pub(crate) struct InCtr;

impl StreamMode for InCtr {
    type Message<K: BlockCipher + Clone> = Ctr<K>;
    const NAME: &'static str = "ctr";
    const NUMBER: u32 = evp_mode::CTR;
    const GOES_ON: bool = true;

    fn begin<K: BlockCipher + Clone>(key: K, iv: &[u8]) -> Result<Ctr<K>, Error> {
        let width = if iv.len() == 8 { CounterWidth::Bits64 } else { CounterWidth::Bits128 };
        Ctr::from_cipher(key, iv, width)
    }
    fn apply<K: BlockCipher + Clone>(
        ctr: &mut Ctr<K>,
        _: Direction,
        io: InOutBuf<'_, '_, u8>,
    ) -> Result<(), Error> {
        ctr.apply(io)
    }
    fn running_iv<K: BlockCipher + Clone>(ctr: &Ctr<K>, iv: &mut [u8]) -> Result<(), Error> {
        ctr.running_counter(iv)
    }
    fn within_block<K: BlockCipher + Clone>(ctr: &Ctr<K>) -> usize {
        ctr.within_block()
    }
}

/// A cipher in one of these modes.
pub(crate) struct Streams<C: Cipher, M: StreamMode> {
    // Before the key, which is lent to it: the message is dropped first.
    message: Option<M::Message<&'static C::Type>>,
    key: Key<Plain<C>>,
    direction: Direction,
    /// The vector that was set. Zeros until there is one, as OpenSSL has it.
    iv: [u8; 16],
    /// True if a vector was set. Until then, a message begins where the last one has ended, as OpenSSL has it.
    has_iv: bool,
    /// The vector with which the message begins or goes on, for callers that ask.
    running_iv: [u8; 16],
    passive: Passive,
}

// Not derived, which would want keys that can be copied.
impl<C: Cipher, M: StreamMode> Clone for Streams<C, M> {
    fn clone(&self) -> Self {
        Self {
            message: self.message.clone(),
            key: self.key.clone(),
            direction: self.direction,
            iv: self.iv,
            has_iv: self.has_iv,
            running_iv: self.running_iv,
            passive: self.passive.clone(),
        }
    }
}

impl<C: Cipher, M: StreamMode> Streams<C, M> {
    /// Brings the running vector up to date.
    fn note_running_iv(&mut self) -> Result<(), Fault> {
        match &self.message {
            Some(message) => Ok(M::running_iv(message, &mut self.running_iv[..C::BLOCK])?),
            None => Ok(()),
        }
    }
}

impl<C: Cipher, M: StreamMode> CipherMode for Streams<C, M> {
    const ABOUT: About = About {
        cipher: C::NAME,
        mode: M::NAME,
        number: M::NUMBER,
        key_len: C::KEY_LEN,
        iv_len: C::BLOCK,
        block: 1,
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
            passive: Passive::NEW,
        }
    }

    fn begin(&mut self, direction: Direction, key: Option<&[u8]>, iv: Option<&[u8]>) -> Result<(), Fault> {
        if let Some(iv) = iv {
            let own = self.iv.get_mut(..C::BLOCK).filter(|own| own.len() == iv.len());
            own.ok_or(Fault::IvLength)?.copy_from_slice(iv);
            self.running_iv = self.iv;
            self.has_iv = true;
        } else if M::GOES_ON || !self.has_iv {
            self.note_running_iv()?;
        } else {
            self.running_iv = self.iv;
        }
        self.message = None;
        self.direction = direction;
        key.map_or(Ok(()), |key| self.key.set(key))
    }

    fn update(&mut self, buffers: &mut Buffers) -> Result<usize, Fault> {
        let message = match &mut self.message {
            Some(message) => message,
            none => {
                // SAFETY: the message is dropped before the key, by the order of the fields, and in `begin` before it is set.
                let key = unsafe { self.key.lend() }?;
                none.insert(M::begin(key, &self.running_iv[..C::BLOCK])?)
            }
        };
        buffers.in_out(|io| Ok(M::apply(message, self.direction, io)?))?;
        Ok(buffers.len())
    }

    fn finish(&mut self, _: &mut Buffers) -> Result<usize, Fault> {
        self.key.get().map(|_| 0)
    }

    fn get(&mut self, param: &mut Param) -> Result<(), Fault> {
        match param.name() {
            it if it == name::NUM => {
                let done = self.message.as_ref().map_or(0, |message| M::within_block(message));
                param.put_number_of_32_bits(done as u32)
            }
            it if it == name::IV => param.put_bytes(&self.iv[..C::BLOCK]),
            it if it == name::UPDATED_IV => {
                self.note_running_iv()?;
                param.put_bytes(&self.running_iv[..C::BLOCK])
            }
            _ => self.passive.get(param),
        }
    }

    fn set(&mut self, param: &Param) -> Result<(), Fault> {
        match param.name() {
            // The rest of the block that has been begun is passed over.
            it if it == name::NUM => {
                if param.number_of_32_bits()? != 0 {
                    return Err(Fault::Parameter);
                }
                self.note_running_iv()?;
                self.message = None;
            }
            _ => self.passive.set(param)?,
        }
        Ok(())
    }
}
