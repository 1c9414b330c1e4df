//! Block ciphers under a key: `AES`, `Serpent`, `XTEA` and `TEA`, and the kernels of this CPU.

use abreast::aez::Aez;
use abreast::kernels::{Algorithm, algorithms};
use abreast::modes::Direction;
use abreast::packets::Buffer;
use abreast::table::OneOf;
use abreast::xtea::{ByteOrder, Xtea};
use abreast::{BlockCipher, BlockCipher128, Error, Kernel};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::sync::Arc;

use crate::arguments::{optional_text, text};
use crate::buffers::{Input, NewBytes, Output};
use crate::errors;
use crate::numbers;
use crate::signals::{self, Stop};

/// Returns the kernel of a name.
pub(crate) fn named(kernels: &[Kernel], name: &str) -> PyResult<Kernel> {
    kernels.iter().copied().find(|kernel| kernel.name() == name).ok_or_else(|| {
        let names: Vec<_> = kernels.iter().map(|kernel| kernel.name()).collect();
        PyValueError::new_err(format!(
            "there is no kernel {name:?} on this CPU; there are: {}",
            names.join(", ")
        ))
    })
}

/// The algorithm of a name with its key size, such as aes-256.
pub(crate) fn algorithm_named(name: &str) -> PyResult<Algorithm> {
    Algorithm::from_name(name).ok_or_else(|| {
        let names: Vec<_> = algorithms().iter().map(|algorithm| algorithm.name()).collect();
        PyValueError::new_err(format!("there is no cipher {name:?}; there are: {}", names.join(", ")))
    })
}

/// The algorithm of a cipher whose keys have this length.
pub(crate) fn algorithm(cipher: &str, key: &[u8]) -> PyResult<Algorithm> {
    let of_cipher = || {
        let named = |algorithm: &&Algorithm| {
            algorithm.name().strip_prefix(cipher).is_some_and(|rest| rest.starts_with('-') || rest.is_empty())
        };
        algorithms().iter().filter(named)
    };
    of_cipher().copied().find(|algorithm| algorithm.key_len() == key.len()).ok_or_else(|| {
        let mut lengths: Vec<_> = of_cipher().map(|algorithm| algorithm.key_len()).collect();
        lengths.sort_unstable();
        lengths.dedup();
        let (lengths, len) = (OneOf(&lengths), key.len());
        PyValueError::new_err(format!("a key of {cipher} has {lengths} bytes, and this one has {len}"))
    })
}

/// A cipher under a key, as modes want it.
#[derive(Clone)]
pub(crate) enum Key {
    Of64(Arc<dyn BlockCipher>),
    Of128(Arc<dyn BlockCipher128>),
}

impl Key {
    /// A key of a cipher and its length.
    pub(crate) fn new(py: Python<'_>, cipher: &str, key: &[u8], kernel: Option<&str>) -> PyResult<Self> {
        Self::of_algorithm(py, algorithm(cipher, key)?, key, kernel)
    }

    /// A key of a cipher whose words have a byte order; `key` has the right length.
    fn of_algorithm(
        py: Python<'_>,
        algorithm: Algorithm,
        key: &[u8],
        kernel: Option<&str>,
    ) -> PyResult<Self> {
        let kernel = kernel.map(|name| named(&algorithm.kernels(), name)).transpose()?;
        let of = |error| errors::of(py, error);
        // The box itself is shared. `Arc::from` would copy the round keys out of the box, and free it without wiping them.
        Ok(match algorithm.block_size() {
            16 => Self::Of128(Arc::new(algorithm.with_key_128(key, kernel).map_err(of)?)),
            _ => Self::Of64(Arc::new(algorithm.with_key(key, kernel).map_err(of)?)),
        })
    }

    /// The key of an argument: the bytes of a key of AES, or a block cipher.
    pub(crate) fn of_argument(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        match object.cast::<PyCipher>() {
            Ok(cipher) => Ok(cipher.get().key.clone()),
            Err(_) => Self::new(object.py(), "aes", &object.extract::<Input<'_>>()?, None),
        }
    }

    pub(crate) fn any(&self) -> Arc<dyn BlockCipher> {
        match self {
            Self::Of64(cipher) => Arc::clone(cipher),
            Self::Of128(cipher) => Arc::<dyn BlockCipher128>::clone(cipher),
        }
    }

    /// For modes that are defined for blocks of 128 bits alone.
    pub(crate) fn of_128(&self, py: Python<'_>) -> PyResult<Arc<dyn BlockCipher128>> {
        match self {
            Self::Of64(_) => Err(errors::of(py, Error::BlockLength)),
            Self::Of128(cipher) => Ok(Arc::clone(cipher)),
        }
    }

    pub(crate) fn cipher(&self) -> &dyn BlockCipher {
        match self {
            Self::Of64(cipher) => &**cipher,
            Self::Of128(cipher) => &**cipher,
        }
    }
}

/// The unit of a message that has to be whole blocks: a block, or all of a message that is to be refused as a whole.
pub(crate) fn whole(len: usize, block_size: usize) -> usize {
    if len.is_multiple_of(block_size) { block_size } else { len }
}

/// A block cipher under a key: the base class of AES, Serpent, XTEA and TEA.
///
/// A key of another length is a ValueError. kernel: one of kernels() for the cipher, the best one unless it is given.
#[pyclass(name = "BlockCipher", module = "abreast", subclass, frozen)]
pub(crate) struct PyCipher {
    pub(crate) key: Key,
}

impl PyCipher {
    fn with(key: Key) -> PyClassInitializer<Self> {
        Self { key }.into()
    }

    fn blocks(&self, py: Python<'_>, direction: Direction, buffer: Buffer<'_>) -> PyResult<()> {
        let (cipher, len) = (self.key.cipher(), buffer.len());
        let unit = whole(len, cipher.block_size());
        signals::through(py, buffer, signals::PIECE, unit, |io| match direction {
            Direction::Encrypt => cipher.encrypt_raw_blocks(io),
            Direction::Decrypt => cipher.decrypt_raw_blocks(io),
        })
        .map_err(|stop| match stop {
            Stop::Failed(error) => errors::of_blocks(py, error, len, cipher.block_size()),
            signal @ Stop::Signal(_) => signal.into_py(py),
        })
    }

    fn new_blocks<'py>(
        &self,
        py: Python<'py>,
        direction: Direction,
        data: &[u8],
    ) -> PyResult<Bound<'py, PyBytes>> {
        let mut new = NewBytes::new(py, data.len())?;
        self.blocks(py, direction, new.in_out(data).0)?;
        Ok(new.finish())
    }
}

#[pymethods]
impl PyCipher {
    /// The name of the cipher with its key size, such as aes-256.
    #[getter]
    fn name(&self) -> &'static str {
        self.key.cipher().name()
    }

    /// The kernel that computes it.
    #[getter]
    fn kernel(&self) -> &'static str {
        self.key.cipher().kernel().name()
    }

    /// Bytes of a block: 8 or 16.
    #[getter]
    fn block_size(&self) -> usize {
        self.key.cipher().block_size()
    }

    /// Encrypts whole blocks, each on its own (ECB).
    fn encrypt_blocks<'py>(&self, py: Python<'py>, data: Input<'_>) -> PyResult<Bound<'py, PyBytes>> {
        self.new_blocks(py, Direction::Encrypt, &data)
    }

    /// Decrypts whole blocks, each on its own (ECB).
    fn decrypt_blocks<'py>(&self, py: Python<'py>, data: Input<'_>) -> PyResult<Bound<'py, PyBytes>> {
        self.new_blocks(py, Direction::Decrypt, &data)
    }

    /// Encrypts as encrypt_blocks does, into a buffer, which may be the data itself. Returns the number of bytes.
    fn encrypt_blocks_into(&self, py: Python<'_>, data: Input<'_>, mut buf: Output) -> PyResult<usize> {
        self.blocks(py, Direction::Encrypt, buf.of(&data)?)?;
        Ok(data.len())
    }

    /// Decrypts as decrypt_blocks does, into a buffer, which may be the data itself. Returns the number of bytes.
    fn decrypt_blocks_into(&self, py: Python<'_>, data: Input<'_>, mut buf: Output) -> PyResult<usize> {
        self.blocks(py, Direction::Decrypt, buf.of(&data)?)?;
        Ok(data.len())
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        let this = slf.get();
        Ok(format!("<{} {} by {}>", slf.get_type().name()?, this.name(), this.kernel()))
    }
}

/// AES under a key of 16, 24 or 32 bytes.
#[pyclass(name = "AES", module = "abreast", extends = PyCipher, frozen)]
pub(crate) struct Aes;

#[pymethods]
impl Aes {
    #[new]
    #[pyo3(signature = (key, *, kernel=None))]
    fn new(
        py: Python<'_>,
        key: Input<'_>,
        #[pyo3(from_py_with = optional_text)] kernel: Option<&str>,
    ) -> PyResult<PyClassInitializer<Self>> {
        Ok(PyCipher::with(Key::new(py, "aes", &key, kernel)?).add_subclass(Self))
    }
}

/// Serpent under a key of 16, 24 or 32 bytes.
#[pyclass(name = "Serpent", module = "abreast", extends = PyCipher, frozen)]
pub(crate) struct Serpent;

#[pymethods]
impl Serpent {
    #[new]
    #[pyo3(signature = (key, *, kernel=None))]
    fn new(
        py: Python<'_>,
        key: Input<'_>,
        #[pyo3(from_py_with = optional_text)] kernel: Option<&str>,
    ) -> PyResult<PyClassInitializer<Self>> {
        Ok(PyCipher::with(Key::new(py, "serpent", &key, kernel)?).add_subclass(Self))
    }
}

/// The algorithm of TEA or XTEA with words in a byte order.
fn of_byte_order(little_endian: &str, byteorder: &str, key: &[u8]) -> PyResult<Algorithm> {
    let little = algorithm(little_endian, key)?;
    match byteorder {
        "little" => Ok(little),
        "big" => Ok(Algorithm::from_name(&format!("{little_endian}-be")).unwrap_or(little)),
        other => Err(PyValueError::new_err(format!("byteorder is 'little' or 'big', and not {other:?}"))),
    }
}

/// Returns a number of cycles of XTEA.
fn cycles_of(object: &Bound<'_, PyAny>) -> PyResult<u8> {
    let number = numbers::whole(object)?;
    match number.extract() {
        Ok(cycles @ 1..) => Ok(cycles),
        _ => Err(PyValueError::new_err(format!("XTEA does not take {number} cycles; it takes 1 to 255"))),
    }
}

/// XTEA under a key of 16 bytes. byteorder: that of the words of keys and blocks. cycles: 1 to 255; one cycle is two rounds.
#[pyclass(name = "XTEA", module = "abreast", extends = PyCipher, frozen)]
pub(crate) struct PyXtea;

#[pymethods]
impl PyXtea {
    #[new]
    #[pyo3(signature = (key, *, byteorder="little", cycles=32, kernel=None))]
    fn new(
        py: Python<'_>,
        key: Input<'_>,
        #[pyo3(from_py_with = text)] byteorder: &str,
        #[pyo3(from_py_with = cycles_of)] cycles: u8,
        #[pyo3(from_py_with = optional_text)] kernel: Option<&str>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let algorithm = of_byte_order("xtea", byteorder, &key)?;
        if cycles == 32 {
            return Ok(PyCipher::with(Key::of_algorithm(py, algorithm, &key, kernel)?).add_subclass(Self));
        }
        let of = |error| errors::of(py, error);
        let array = (&key[..]).try_into().map_err(|_| of(Error::KeyLength))?;
        let order = if byteorder == "big" { ByteOrder::BigEndian } else { ByteOrder::LittleEndian };
        let kernels = algorithm.kernels();
        let best = || kernels.first().copied().ok_or_else(|| of(Error::KernelUnavailable));
        let kernel = kernel.map_or_else(best, |name| named(&kernels, name))?;
        let cipher = Xtea::with_kernel(array, order, cycles, kernel).map_err(of)?;
        Ok(PyCipher::with(Key::Of64(Arc::new(Box::new(cipher)))).add_subclass(Self))
    }
}

/// TEA under a key of 16 bytes. byteorder: that of the words of keys and blocks.
#[pyclass(name = "TEA", module = "abreast", extends = PyCipher, frozen)]
pub(crate) struct PyTea;

#[pymethods]
impl PyTea {
    #[new]
    #[pyo3(signature = (key, *, byteorder="little", kernel=None))]
    fn new(
        py: Python<'_>,
        key: Input<'_>,
        #[pyo3(from_py_with = text)] byteorder: &str,
        #[pyo3(from_py_with = optional_text)] kernel: Option<&str>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let algorithm = of_byte_order("tea", byteorder, &key)?;
        Ok(PyCipher::with(Key::of_algorithm(py, algorithm, &key, kernel)?).add_subclass(Self))
    }
}

/// Returns the names of the kernels that this CPU can run, best first, for each cipher with its key size, and for AEZ.
#[pyfunction]
pub(crate) fn kernels(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let all = PyDict::new(py);
    for algorithm in algorithms() {
        let names: Vec<_> = algorithm.kernels().iter().map(|kernel| kernel.name()).collect();
        all.set_item(algorithm.name(), names)?;
    }
    all.set_item("aez", Aez::kernels().map(|kernel| kernel.name()).collect::<Vec<_>>())?;
    Ok(all)
}
