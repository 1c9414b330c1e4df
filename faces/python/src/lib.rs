//! The Python module of abreast: `abreast._abreast`, from which the package `abreast` takes its classes.
//!
//! One module serves CPython 3.11 and all later versions (abi3). Names and errors are those of pyca/cryptography where it
//! has the same thing. The interpreter's lock is released for all work of more than about a microsecond.
#![deny(unsafe_op_in_unsafe_fn)]

mod aead;
mod aead_mode;
mod aead_stream;
mod arguments;
mod batches;
mod buffers;
mod cgo;
mod ciphers;
mod columns;
mod devices;
mod errors;
mod esp;
mod frames;
mod hctr2;
mod hmac;
mod keywrap;
mod legacy;
mod modes;
mod numbers;
mod parquet;
mod quic;
mod rings;
mod sealed;
mod sealed_files;
mod signals;
mod siv;
mod srtp;
mod turns;
mod windows;

/// The classes and functions of the package.
#[pyo3::pymodule(gil_used = false)]
mod _abreast {
    #[pymodule_export]
    use crate::aead_stream::AeadStream;
    #[pymodule_export]
    use crate::batches::{ecb_many, open_many, seal_many, xtea_many};
    #[pymodule_export]
    use crate::cgo::{PyClient, PyRelay, backward_many, forward_many, originate_many};
    #[pymodule_export]
    use crate::ciphers::{Aes, PyCipher, PyTea, PyXtea, Serpent, kernels};
    #[pymodule_export]
    use crate::columns::{AesGcmKeys, XteaKeys, column};
    #[pymodule_export]
    use crate::devices::{PyDevice, PyDeviceCipher, PyDeviceXts, device_rows};
    #[pymodule_export]
    use crate::esp::{PyAssociation, esp_open_many, esp_seal_many};
    #[pymodule_export]
    use crate::hctr2::PyHctr2;
    #[pymodule_export]
    use crate::hmac::{PyHmac, hmac_many};
    #[pymodule_export]
    use crate::keywrap::{
        aes_key_unwrap, aes_key_unwrap_many, aes_key_unwrap_with_padding, aes_key_wrap, aes_key_wrap_many,
        aes_key_wrap_with_padding,
    };
    #[pymodule_export]
    use crate::legacy::{PyRc4, rc4_many};
    #[pymodule_export]
    use crate::modes::{CipherContext, PyCbc, PyCfb, PyCfb8, PyCmac, PyCtr, PyMode, PyOfb, PyXts};
    #[pymodule_export]
    use crate::parquet::{PyKeyTools, decrypt_parquet, encrypt_parquet, inspect_parquet, rewrap_parquet};
    #[pymodule_export]
    use crate::quic::{PyPacketKeys, full_number, quic_open_many, quic_seal_many};
    #[pymodule_export]
    use crate::rings::{ring_column, ring_reencrypt};
    #[pymodule_export]
    use crate::sealed::{PyFileCipher, PyFileKey, PyKey, PyPart, PyPlan, message_len, unlock_passphrase};
    #[pymodule_export]
    use crate::sealed_files::{open_path, seal_path};
    #[pymodule_export]
    use crate::signals::{Halt, look};
    #[pymodule_export]
    use crate::siv::AesSiv;
    #[pymodule_export]
    use crate::srtp::{PySession, estimated_index, protect_many, unprotect_many};
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add("BATCH_WINDOW", crate::windows::WINDOW)?;
        crate::aead::export(module)?;
        crate::cgo::NUMBERS.iter().try_for_each(|(name, number)| module.add(*name, number))?;
        crate::sealed::SIZES.iter().try_for_each(|(name, size)| module.add(*name, size))
    }
}
