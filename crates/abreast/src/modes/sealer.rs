//! A key in some mode of authenticated encryption, for those who take the modes from the table.

use crate::{Error, InOutBuf, Kernel};
use core::any::Any;

/// A key in a mode of authenticated encryption with one string of associated data.
#[doc(hidden)]
pub trait Sealer: Any + Send + Sync {
    /// The name of the mode's row in the table.
    fn mode(&self) -> &'static str;
    /// Returns the kernel that computes it.
    fn kernel(&self) -> Kernel;
    /// Encrypts a message and writes its tag.
    ///
    /// # Errors
    /// The errors of the mode; then nothing was done.
    fn seal(&self, nonce: &[u8], aad: &[u8], io: InOutBuf<'_, '_, u8>, tag: &mut [u8]) -> Result<(), Error>;
    /// Decrypts a message whose tag is right; otherwise the output is zeros.
    ///
    /// # Errors
    /// [`Error::TagMismatch`]; the other errors of the mode, and then nothing was done.
    fn open(&self, nonce: &[u8], aad: &[u8], io: InOutBuf<'_, '_, u8>, tag: &[u8]) -> Result<(), Error>;
}
