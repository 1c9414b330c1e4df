//! RC4: a keystream without a vector, under keys of any length. A message that begins without a key goes on in it.

use abreast::modes::Direction;
use abreast::rc4::Rc4;

use crate::buffers::Buffers;
use crate::context::{About, CipherMode};
use crate::core::{Param, data_type, evp_mode, name};
use crate::fault::Fault;
use crate::modes::passive::Passive;

/// Bytes of a key at most. More have no part in the key schedule.
const MOST_KEY: u64 = 256;

/// RC4 under keys of `KEY_LEN` bytes, unless another length is set.
#[derive(Clone)]
pub(crate) struct Keystream<const KEY_LEN: usize> {
    /// Absent until there is a key.
    stream: Option<Rc4>,
    key_len: usize,
    passive: Passive,
}

impl<const KEY_LEN: usize> CipherMode for Keystream<KEY_LEN> {
    const ABOUT: About = About {
        cipher: "rc4",
        mode: "stream",
        number: evp_mode::OTHER,
        key_len: KEY_LEN,
        iv_len: 0,
        block: 1,
        aead: false,
        custom_iv: false,
    };
    const TAKES: &'static [Param] = &[
        Param::described(name::PADDING, data_type::UNSIGNED_INTEGER),
        Param::described(name::NUM, data_type::UNSIGNED_INTEGER),
        Param::described(name::USE_BITS, data_type::UNSIGNED_INTEGER),
        Param::described(name::TLS_VERSION, data_type::UNSIGNED_INTEGER),
        Param::described(name::TLS_MAC_SIZE, data_type::UNSIGNED_INTEGER),
        Param::described(name::KEYLEN, data_type::UNSIGNED_INTEGER),
        Param::END,
    ];

    fn new() -> Self {
        Self { stream: None, key_len: KEY_LEN, passive: Passive::NEW }
    }

    fn begin(&mut self, _: Direction, key: Option<&[u8]>, _: Option<&[u8]>) -> Result<(), Fault> {
        if let Some(key) = key {
            // A key that is refused leaves none.
            self.stream = None;
            self.stream = Some(Rc4::new(key)?);
            self.key_len = key.len();
        }
        Ok(())
    }

    fn update(&mut self, buffers: &mut Buffers) -> Result<usize, Fault> {
        let stream = self.stream.as_mut().ok_or(Fault::NoKey)?;
        buffers.in_out(|io| {
            stream.apply(io);
            Ok(())
        })?;
        Ok(buffers.len())
    }

    fn finish(&mut self, _: &mut Buffers) -> Result<usize, Fault> {
        self.stream.as_ref().map(|_| 0).ok_or(Fault::NoKey)
    }

    fn get(&mut self, param: &mut Param) -> Result<(), Fault> {
        match param.name() {
            it if it == name::NUM => param.put_number_of_32_bits(0),
            it if it == name::IV || it == name::UPDATED_IV => param.put_bytes(&[]),
            _ => self.passive.get(param),
        }
    }

    fn set(&mut self, param: &Param) -> Result<(), Fault> {
        match param.name() {
            it if it == name::KEYLEN => {
                let len = Some(param.number()?).filter(|len| (1..=MOST_KEY).contains(len));
                let len = len.ok_or(Fault::KeyLength)? as usize;
                // The key that was set has another length.
                if len != self.key_len {
                    self.stream = None;
                }
                self.key_len = len;
            }
            // There are no blocks to be within.
            it if it == name::NUM => {
                if param.number_of_32_bits()? != 0 {
                    return Err(Fault::Parameter);
                }
            }
            _ => self.passive.set(param)?,
        }
        Ok(())
    }

    fn key_len(&self) -> usize {
        self.key_len
    }
}
