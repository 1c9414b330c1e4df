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
    iv: Option<[u8; 16]>,
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
    const ANSWERS: &'static [Param] = &[
        Param::described(name::KEYLEN, data_type::UNSIGNED_INTEGER),
        Param::described(name::IVLEN, data_type::UNSIGNED_INTEGER),
        Param::described(name::PADDING, data_type::UNSIGNED_INTEGER),
        Param::described(name::IV, data_type::OCTET_STRING),
        Param::described(name::UPDATED_IV, data_type::OCTET_STRING),
        Param::END,
    ];
    const TAKES: &'static [Param] =
        &[Param::described(name::PADDING, data_type::UNSIGNED_INTEGER), Param::END];

    fn new() -> Self {
        Self { key: Key::NONE, direction: Direction::Encrypt, iv: None }
    }

    fn begin(&mut self, direction: Direction, key: Option<&[u8]>, iv: Option<&[u8]>) -> Result<(), Fault> {
        self.direction = direction;
        if let Some(iv) = iv {
            self.iv = Some(iv.try_into().map_err(|_| Fault::IvLength)?);
        }
        key.map_or(Ok(()), |key| self.key.set(key))
    }

    fn update(&mut self, buffers: &mut Buffers) -> Result<usize, Fault> {
        let xts = (***self.key.get()?).as_ref().ok_or(Fault::NoKey)?;
        let number = u128::from_le_bytes(self.iv.ok_or(Fault::NoIv)?);
        let len = buffers.len();
        buffers.in_out(|io| {
            match self.direction {
                Direction::Encrypt => xts.encrypt_units(number, len, io)?,
                Direction::Decrypt => xts.decrypt_units(number, len, io)?,
            }
            Ok(())
        })?;
        Ok(len)
    }

    fn finish(&mut self, _: &mut Buffers) -> Result<usize, Fault> {
        self.key.get().map(|_| 0)
    }

    fn get(&mut self, param: &mut Param) -> Result<(), Fault> {
        match (param.name(), &self.iv) {
            (it, _) if it == name::PADDING => param.put_number(0),
            (it, Some(iv)) if it == name::IV || it == name::UPDATED_IV => param.put_bytes(iv),
            (it, None) if it == name::IV || it == name::UPDATED_IV => Err(Fault::NoIv),
            _ => Ok(()),
        }
    }

    /// Padding is taken and does nothing: programs set it whatever the mode is.
    fn set(&mut self, _: &Param) -> Result<(), Fault> {
        Ok(())
    }
}
