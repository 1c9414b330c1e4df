//! RC4: a keystream without a vector, under keys of any length. A message that begins without a key goes on in it.

use abreast::modes::Direction;
use abreast::rc4::Rc4;

use crate::buffers::Buffers;
use crate::context::{About, CipherMode};
use crate::core::{Param, data_type, evp_mode, name};
use crate::fault::Fault;

/// Bytes of a key at most. More have no part in the key schedule.
const MOST_KEY: u64 = 256;

/// RC4 under keys of `KEY_LEN` bytes, unless another length is set.
#[derive(Clone)]
pub(crate) struct Keystream<const KEY_LEN: usize> {
    /// Absent until there is a key.
    stream: Option<Rc4>,
    key_len: usize,
    /// A flag and a length that programs may set and read, of no use to RC4.
    padding: bool,
    mac_len: usize,
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
    const ANSWERS: &'static [Param] = &[
        Param::described(name::KEYLEN, data_type::UNSIGNED_INTEGER),
        Param::described(name::IVLEN, data_type::UNSIGNED_INTEGER),
        Param::described(name::PADDING, data_type::UNSIGNED_INTEGER),
        Param::described(name::NUM, data_type::UNSIGNED_INTEGER),
        Param::described(name::IV, data_type::OCTET_STRING),
        Param::described(name::UPDATED_IV, data_type::OCTET_STRING),
        Param::described(name::TLS_MAC, data_type::OCTET_PTR),
        Param::END,
    ];
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
        Self { stream: None, key_len: KEY_LEN, padding: true, mac_len: 0 }
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
            it if it == name::PADDING => param.put_number_of_32_bits(self.padding.into()),
            it if it == name::NUM => param.put_number_of_32_bits(0),
            it if it == name::IV || it == name::UPDATED_IV => param.put_bytes(&[]),
            it if it == name::TLS_MAC => param.put_pointer(None, self.mac_len),
            _ => Ok(()),
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
            it if it == name::PADDING => self.padding = param.number_of_32_bits()? != 0,
            it if it == name::USE_BITS => drop(param.number_of_32_bits()?),
            // There are no blocks to be within, and RFC 7465 forbids it in TLS.
            it if it == name::NUM || it == name::TLS_VERSION => match param.number_of_32_bits()? {
                0 => {}
                _ => return Err(Fault::Parameter),
            },
            it if it == name::TLS_MAC_SIZE => {
                self.mac_len = param.number()?.try_into().map_err(|_| Fault::Parameter)?;
            }
            _ => {}
        }
        Ok(())
    }

    fn key_len(&self) -> usize {
        self.key_len
    }
}
