//! XTS: each piece is a data unit, whose number is the vector.

use abreast::BlockCipher128;
use abreast::modes::Direction;

use crate::buffers::Buffers;
use crate::context::{About, CipherMode};
use crate::core::{Param, data_type, evp_mode, name};
use crate::fault::Fault;
use crate::keys::{Cipher, Key, KeyKind as _, XtsKey};

/// A cipher in XTS.
#[derive(Clone)]
pub(crate) struct InXts<C: Cipher<Type: BlockCipher128>> {
    key: Key<XtsKey<C>>,
    direction: Direction,
    /// Zeros until there is one, as OpenSSL has it.
    iv: [u8; 16],
    has_iv: bool,
}

impl<C: Cipher<Type: BlockCipher128>> CipherMode for InXts<C> {
    const ABOUT: About = About {
        cipher: C::NAME,
        mode: "xts",
        number: evp_mode::XTS,
        key_len: XtsKey::<C>::LEN,
        iv_len: 16,
        block: 1,
        aead: false,
        custom_iv: true,
    };
    const TAKES: &'static [Param] =
        &[Param::described(name::KEYLEN, data_type::UNSIGNED_INTEGER), Param::END];

    fn new() -> Self {
        Self { key: Key::NONE, direction: Direction::Decrypt, iv: [0; 16], has_iv: false }
    }

    fn begin(&mut self, direction: Direction, key: Option<&[u8]>, iv: Option<&[u8]>) -> Result<(), Fault> {
        self.direction = direction;
        if let Some(iv) = iv {
            self.iv = iv.try_into().map_err(|_| Fault::IvLength)?;
            self.has_iv = true;
        }
        key.map_or(Ok(()), |key| self.key.set(key))
    }

    fn update(&mut self, buffers: &mut Buffers) -> Result<usize, Fault> {
        let xts = self.key.get()?;
        if !self.has_iv {
            return Err(Fault::NoIv);
        }
        let number = u128::from_le_bytes(self.iv);
        let len = buffers.len();
        // No bytes are no unit.
        if len == 0 {
            return Err(Fault::UnitLength);
        }
        buffers.in_out(|io| {
            match self.direction {
                Direction::Encrypt => xts.encrypt_units(number, len, io)?,
                Direction::Decrypt => xts.decrypt_units(number, len, io)?,
            }
            Ok(())
        })?;
        Ok(len)
    }

    /// A unit ends with its piece, so that there is nothing to be done.
    fn finish(&mut self, _: &mut Buffers) -> Result<usize, Fault> {
        Ok(0)
    }

    fn cipher(&mut self, buffers: &mut Buffers) -> Result<usize, Fault> {
        self.update(buffers)
    }

    fn get(&mut self, param: &mut Param) -> Result<(), Fault> {
        match param.name() {
            it if it == name::PADDING => param.put_number_of_32_bits(1),
            it if it == name::NUM => param.put_number_of_32_bits(0),
            it if it == name::IV || it == name::UPDATED_IV => param.put_bytes(&self.iv),
            it if it == name::TLS_MAC => param.put_pointer(None, 0),
            _ => Ok(()),
        }
    }

    /// The length of the key is taken if it is the one that there is. Padding is passed over: programs set it whatever the
    /// mode is.
    fn set(&mut self, param: &Param) -> Result<(), Fault> {
        if param.name() == name::KEYLEN && param.number()? != XtsKey::<C>::LEN as u64 {
            return Err(Fault::KeyLength);
        }
        Ok(())
    }
}
