//! Parameters that programs set and read whatever the mode is, and that do nothing in a mode without blocks.

use crate::core::{Param, name};
use crate::fault::Fault;

/// The flag for padding and the length of a MAC of TLS, kept to be read again.
#[derive(Clone)]
pub(super) struct Passive {
    padding: bool,
    mac_len: usize,
}

impl Passive {
    /// The values of a new context.
    pub(super) const NEW: Self = Self { padding: true, mac_len: 0 };

    /// Answers a parameter, as [`CipherMode`](crate::context::CipherMode) does.
    pub(super) fn get(&self, param: &mut Param) -> Result<(), Fault> {
        match param.name() {
            it if it == name::PADDING => param.put_number_of_32_bits(self.padding.into()),
            it if it == name::TLS_MAC => param.put_pointer(None, self.mac_len),
            _ => Ok(()),
        }
    }

    /// Takes a parameter, as [`CipherMode`](crate::context::CipherMode) does. No suite of TLS has these modes.
    pub(super) fn set(&mut self, param: &Param) -> Result<(), Fault> {
        match param.name() {
            it if it == name::PADDING => self.padding = param.number_of_32_bits()? != 0,
            it if it == name::USE_BITS => drop(param.number_of_32_bits()?),
            it if it == name::TLS_VERSION && param.number_of_32_bits()? != 0 => {
                return Err(Fault::Parameter);
            }
            it if it == name::TLS_MAC_SIZE => {
                self.mac_len = param.number()?.try_into().map_err(|_| Fault::Parameter)?;
            }
            _ => {}
        }
        Ok(())
    }
}
