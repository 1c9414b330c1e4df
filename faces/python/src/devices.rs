//! OpenCL devices: `abreast.devices`. Keys on a device have classes of their own: code over a `BlockCipher` may hand it
//! sixteen bytes, for which no device pays, and a device may fail in the middle of a message.

use abreast::modes::Direction;
use abreast::packets::Buffer;
use abreast::rc4::Message;
use abreast::xtea::ByteOrder;
use abreast::{Error as CipherError, InOutBuf};
use abreast_gpu::{
    Cipher, Costs, Error, Gpu, KeyedMessage, Options, Stopped, Times, Wanted, Xts, find_device,
    rc4_apply_keys, rc4_try_keys, xtea_decrypt_many, xtea_encrypt_many, xtea_try_keys,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::iter::zip;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::arguments::{flag, instance, optional_path, optional_seconds, optional_text, text};
use crate::buffers::{Input, NewBytes, OTHERS, Output};
use crate::ciphers::algorithm_named;
use crate::errors;
use crate::modes::counter_width;
use crate::numbers::{number, optional};
use crate::windows::iterator;

/// The name of the kernels on devices.
const OPENCL: &str = "opencl";

/// Describes every OpenCL device.
#[pyfunction]
pub(crate) fn device_rows(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let devices = match py.detach(abreast_gpu::devices) {
        Ok(devices) => devices,
        Err(error) => return Err(errors::of_device(py, &error, 0)),
    };
    let row = |device: &abreast_gpu::Device| {
        let row = PyDict::new(py);
        row.set_item("name", device.name())?;
        row.set_item("kind", device.kind().to_string())?;
        row.set_item("driver", device.driver())?;
        row.set_item("memory", device.memory())?;
        row.set_item("kernel", OPENCL)?;
        row.set_item("unusable", device.check().err().map(|error| error.to_string()))?;
        Ok(row)
    };
    devices.iter().map(row).collect()
}

/// An OpenCL device in use. Threads take turns on it.
#[pyclass(name = "Device", module = "abreast.devices", frozen)]
pub(crate) struct PyDevice {
    gpu: Arc<Gpu>,
}

/// The buffers of the objects of an iterable.
fn inputs(objects: &Bound<'_, PyAny>, what: &str) -> PyResult<Vec<Input<'static>>> {
    iterator(objects, what)?.map(|object| Input::exported(&object?)).collect()
}

/// Makes a place for the result of each message.
fn new_texts<'py>(py: Python<'py>, messages: &[Input<'_>]) -> PyResult<Vec<NewBytes<'py>>> {
    messages.iter().map(|message| NewBytes::new(py, message.len())).collect()
}

/// Returns the bytes of results, which other threads may write.
fn places<'r>(results: &'r mut [NewBytes<'_>]) -> Vec<&'r mut [u8]> {
    results.iter_mut().map(NewBytes::as_mut).collect()
}

/// Refuses keys that are not one for each message.
fn one_for_each(keys: usize, messages: usize) -> PyResult<()> {
    if keys == messages {
        return Ok(());
    }
    Err(PyValueError::new_err(format!(
        "there are {messages} messages and {keys} keys; there has to be one for each"
    )))
}

fn order_named(byteorder: &str) -> PyResult<ByteOrder> {
    match byteorder {
        "little" => Ok(ByteOrder::LittleEndian),
        "big" => Ok(ByteOrder::BigEndian),
        other => Err(PyValueError::new_err(format!("byteorder is 'little' or 'big', and not {other:?}"))),
    }
}

/// Keys of 16 bytes, one after the other.
fn keys_of_16<'k>(py: Python<'_>, keys: &'k [u8]) -> PyResult<&'k [[u8; 16]]> {
    match keys.as_chunks() {
        (keys, []) => Ok(keys),
        _ => Err(errors::of(py, CipherError::KeyLength)),
    }
}

fn wanted<'w>(text: &'w [u8], mask: Option<&'w Input<'_>>) -> PyResult<Wanted<'w>> {
    match mask {
        None => Ok(Wanted::beginning(text)),
        Some(mask) if mask.len() == text.len() => Ok(Wanted::masked(text, mask)),
        Some(mask) => Err(PyValueError::new_err(format!(
            "the mask has as many bytes as the text, {}, and not {}",
            text.len(),
            mask.len()
        ))),
    }
}

impl PyDevice {
    /// The results of a batch, if it is done.
    fn batch<'py>(
        py: Python<'py>,
        results: Vec<NewBytes<'py>>,
        done: Result<Times, Error>,
    ) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        done.map_err(|error| errors::of_device(py, &error, 0))?;
        Ok(results.into_iter().map(NewBytes::finish).collect())
    }
}

#[pymethods]
impl PyDevice {
    #[new]
    #[pyo3(signature = (name=None, *, cache=None, time_limit=None))]
    fn new(
        py: Python<'_>,
        #[pyo3(from_py_with = optional_text)] name: Option<&str>,
        #[pyo3(from_py_with = optional_path)] cache: Option<PathBuf>,
        #[pyo3(from_py_with = optional_seconds)] time_limit: Option<Duration>,
    ) -> PyResult<Self> {
        let mut options = Options { cache, ..Options::default() };
        if let Some(limit) = time_limit {
            options.time_limit = limit;
        }
        let opened = py.detach(|| {
            let device = match name {
                Some(name) => find_device(Some(name))?,
                None => {
                    let mut devices = abreast_gpu::devices()?;
                    let usable = devices.iter().position(|device| device.check().is_ok()).unwrap_or(0);
                    devices.swap_remove(usable)
                }
            };
            Gpu::open(&device, &options)
        });
        Ok(Self { gpu: opened.map_err(|error| errors::of_device(py, &error, 0))? })
    }

    /// Its name, as its driver has it.
    #[getter]
    fn name(&self) -> &str {
        self.gpu.device().name()
    }

    /// GPU, accelerator or CPU.
    #[getter]
    fn kind(&self) -> String {
        self.gpu.device().kind().to_string()
    }

    /// Encrypts or decrypts many messages by XTEA with 32 cycles, block by block (ECB), each under a key of its own: keys has 16
    /// bytes for each message, one after the other.
    #[pyo3(signature = (keys, messages, *, byteorder="little", decrypt=false))]
    fn xtea_many<'py>(
        &self,
        py: Python<'py>,
        keys: Input<'_>,
        messages: &Bound<'py, PyAny>,
        #[pyo3(from_py_with = text)] byteorder: &str,
        #[pyo3(from_py_with = flag)] decrypt: bool,
    ) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let messages = inputs(messages, "messages")?;
        let (order, keys) = (order_named(byteorder)?, keys_of_16(py, &keys)?);
        one_for_each(keys.len(), messages.len())?;
        let mut results = new_texts(py, &messages)?;
        let places = places(&mut results);
        let done = py.detach(|| {
            let mut batch: Vec<_> = zip(keys, zip(&messages, places))
                .map(|(key, (message, place))| KeyedMessage { key, buffer: io(message, place) })
                .collect();
            match decrypt {
                false => xtea_encrypt_many(&self.gpu, order, &mut batch),
                true => xtea_decrypt_many(&self.gpu, order, &mut batch),
            }
        });
        Self::batch(py, results, done)
    }

    /// Encrypts or decrypts many messages by RC4, each under a key of its own, with the first skip bytes of keystream left out.
    #[pyo3(signature = (keys, messages, *, skip=0))]
    fn rc4_many<'py>(
        &self,
        py: Python<'py>,
        keys: &Bound<'py, PyAny>,
        messages: &Bound<'py, PyAny>,
        #[pyo3(from_py_with = number)] skip: u64,
    ) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let (keys, messages) = (inputs(keys, "keys")?, inputs(messages, "messages")?);
        one_for_each(keys.len(), messages.len())?;
        let mut results = new_texts(py, &messages)?;
        let places = places(&mut results);
        let done = py.detach(|| {
            let mut batch: Vec<_> = zip(&keys, zip(&messages, places))
                .map(|(key, (message, place))| Message { key, skip, buffer: io(message, place) })
                .collect();
            rc4_apply_keys(&self.gpu, &mut batch)
        });
        Self::batch(py, results, done)
    }

    /// Returns the positions of the keys of XTEA, 16 bytes each, one after the other, under which a ciphertext of up to 64 bytes decrypts
    /// to a plaintext that begins with text, in the bits that are ones in mask.
    #[pyo3(signature = (keys, ciphertext, text, *, mask=None, byteorder="little"))]
    fn xtea_try_keys(
        &self,
        py: Python<'_>,
        keys: Input<'_>,
        ciphertext: Input<'_>,
        text: Input<'_>,
        mask: Option<Input<'_>>,
        #[pyo3(from_py_with = text)] byteorder: &str,
    ) -> PyResult<Vec<usize>> {
        let (order, keys) = (order_named(byteorder)?, keys_of_16(py, &keys)?);
        let wanted = wanted(&text, mask.as_ref())?;
        py.detach(|| xtea_try_keys(&self.gpu, order, keys, &ciphertext, &wanted))
            .map_err(|error| errors::of_device(py, &error, 0))
    }

    /// Returns the positions of the keys of RC4 under which a ciphertext of up to 64 bytes decrypts to a plaintext that begins
    /// with text, in the bits that are ones in mask, with the first skip bytes of keystream left out.
    #[pyo3(signature = (keys, ciphertext, text, *, mask=None, skip=0))]
    fn rc4_try_keys(
        &self,
        py: Python<'_>,
        keys: &Bound<'_, PyAny>,
        ciphertext: Input<'_>,
        text: Input<'_>,
        mask: Option<Input<'_>>,
        #[pyo3(from_py_with = number)] skip: u64,
    ) -> PyResult<Vec<usize>> {
        let wanted = wanted(&text, mask.as_ref())?;
        let keys = inputs(keys, "keys")?;
        let keys: Vec<&[u8]> = keys.iter().map(|key| &**key).collect();
        py.detach(|| rc4_try_keys(&self.gpu, &keys, skip, &ciphertext, &wanted))
            .map_err(|error| errors::of_device(py, &error, 0))
    }

    fn __repr__(&self) -> String {
        format!("<Device {:?}, {}>", self.name(), self.kind())
    }
}

/// A message and where its result goes.
pub(crate) fn io<'b>(message: &'b [u8], place: &'b mut [u8]) -> InOutBuf<'b, 'b, u8> {
    InOutBuf::new(message, place).unwrap_or_else(|_| unreachable!("they are equally long"))
}

/// The costs by which the CPU works too, if a kernel is to be chosen for each message.
fn costs(py: Python<'_>, device: &PyDevice, cipher: &str, kernel: &str) -> PyResult<Option<Costs>> {
    match kernel {
        OPENCL => Ok(None),
        "auto" => {
            let algorithm = algorithm_named(cipher)?;
            let costs = py.detach(|| Costs::of(&device.gpu, algorithm));
            Ok(Some(costs.map_err(|error| errors::of_device(py, &error, 0))?))
        }
        other => Err(PyValueError::new_err(format!(
            "there is no kernel {other:?} on devices; there are: opencl, auto"
        ))),
    }
}

/// Does a message without the interpreter's lock.
fn message(
    py: Python<'_>,
    mut buffer: Buffer<'_>,
    run: impl FnOnce(InOutBuf<'_, '_, u8>) -> Result<Times, Stopped> + Send,
) -> PyResult<()> {
    let done = py.detach(|| run(buffer.reborrow()));
    done.map(drop).map_err(|Stopped { error, done }| errors::of_device(py, &error, done))
}

/// A block cipher under a key on a device.
#[pyclass(name = "DeviceCipher", module = "abreast.devices", frozen)]
pub(crate) struct PyDeviceCipher {
    cipher: Cipher,
}

impl PyDeviceCipher {
    fn blocks(&self, py: Python<'_>, direction: Direction, buffer: Buffer<'_>) -> PyResult<()> {
        message(py, buffer, |io| match direction {
            Direction::Encrypt => self.cipher.encrypt_raw_blocks(io),
            Direction::Decrypt => self.cipher.decrypt_raw_blocks(io),
        })
    }

    fn counted(&self, py: Python<'_>, counter: &[u8], bits: Option<u32>, buffer: Buffer<'_>) -> PyResult<()> {
        let width = counter_width(bits, self.cipher.algorithm().block_size())?;
        message(py, buffer, |io| {
            self.cipher.ctr(counter, width).map_err(|error| Stopped { error, done: 0 })?.apply(io)
        })
    }
}

#[pymethods]
impl PyDeviceCipher {
    #[new]
    #[pyo3(signature = (device, cipher, key, *, kernel="opencl"))]
    fn new(
        py: Python<'_>,
        #[pyo3(from_py_with = instance)] device: Bound<'_, PyDevice>,
        #[pyo3(from_py_with = text)] cipher: &str,
        key: Input<'_>,
        #[pyo3(from_py_with = text)] kernel: &str,
    ) -> PyResult<Self> {
        let (device, algorithm) = (device.get(), algorithm_named(cipher)?);
        let costs = costs(py, device, cipher, kernel)?;
        let keyed = py.detach(|| Cipher::new(&device.gpu, algorithm, &key));
        let keyed = keyed.map_err(|error| errors::of_device(py, &error, 0))?;
        Ok(Self { cipher: costs.into_iter().fold(keyed, Cipher::with_costs) })
    }

    /// The name of the cipher with its key size, such as aes-256.
    #[getter]
    fn name(&self) -> &'static str {
        self.cipher.algorithm().name()
    }

    /// Bytes of a block: 8 or 16.
    #[getter]
    fn block_size(&self) -> usize {
        self.cipher.algorithm().block_size()
    }

    /// Encrypts whole blocks, each on its own (ECB).
    fn encrypt_blocks<'py>(&self, py: Python<'py>, data: Input<'_>) -> PyResult<Bound<'py, PyBytes>> {
        let mut new = NewBytes::new(py, data.len())?;
        self.blocks(py, Direction::Encrypt, new.in_out(&data).0)?;
        Ok(new.finish())
    }

    /// Decrypts whole blocks, each on its own (ECB).
    fn decrypt_blocks<'py>(&self, py: Python<'py>, data: Input<'_>) -> PyResult<Bound<'py, PyBytes>> {
        let mut new = NewBytes::new(py, data.len())?;
        self.blocks(py, Direction::Decrypt, new.in_out(&data).0)?;
        Ok(new.finish())
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

    /// Encrypts or decrypts a message in counter mode, which is the same, from a counter block of which counter_bits bits
    /// count.
    #[pyo3(signature = (counter_block, data, *, counter_bits=None))]
    fn ctr<'py>(
        &self,
        py: Python<'py>,
        counter_block: Input<'_>,
        data: Input<'_>,
        #[pyo3(from_py_with = optional)] counter_bits: Option<u32>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let mut new = NewBytes::new(py, data.len())?;
        self.counted(py, &counter_block, counter_bits, new.in_out(&data).0)?;
        Ok(new.finish())
    }

    /// Encrypts or decrypts as ctr does, into a buffer, which may be the data itself. Returns the number of bytes.
    #[pyo3(signature = (counter_block, data, buf, *, counter_bits=None))]
    fn ctr_into(
        &self,
        py: Python<'_>,
        counter_block: Input<'_>,
        data: Input<'_>,
        mut buf: Output,
        #[pyo3(from_py_with = optional)] counter_bits: Option<u32>,
    ) -> PyResult<usize> {
        buf.apart_from(&counter_block, OTHERS)?;
        self.counted(py, &counter_block, counter_bits, buf.of(&data)?)?;
        Ok(data.len())
    }

    fn __repr__(&self) -> String {
        format!("<DeviceCipher {} on {:?}>", self.name(), self.cipher.gpu().device().name())
    }
}

/// XTS under two keys of a cipher on a device.
#[pyclass(name = "DeviceXTS", module = "abreast.devices", frozen)]
pub(crate) struct PyDeviceXts {
    xts: Xts,
}

impl PyDeviceXts {
    fn units(
        &self,
        py: Python<'_>,
        direction: Direction,
        first: u128,
        size: Option<usize>,
        buffer: Buffer<'_>,
    ) -> PyResult<()> {
        let size = size.unwrap_or(buffer.len());
        message(py, buffer, |io| match direction {
            Direction::Encrypt => self.xts.encrypt_units(first, size, io),
            Direction::Decrypt => self.xts.decrypt_units(first, size, io),
        })
    }
}

#[pymethods]
impl PyDeviceXts {
    #[new]
    #[pyo3(signature = (device, cipher, key, tweak_key, *, kernel="opencl"))]
    fn new(
        py: Python<'_>,
        #[pyo3(from_py_with = instance)] device: Bound<'_, PyDevice>,
        #[pyo3(from_py_with = text)] cipher: &str,
        key: Input<'_>,
        tweak_key: Input<'_>,
        #[pyo3(from_py_with = text)] kernel: &str,
    ) -> PyResult<Self> {
        let (device, algorithm) = (device.get(), algorithm_named(cipher)?);
        let costs = costs(py, device, cipher, kernel)?;
        let xts = py.detach(|| Xts::new(&device.gpu, algorithm, &key, &tweak_key));
        let xts = xts.map_err(|error| errors::of_device(py, &error, 0))?;
        Ok(Self { xts: costs.into_iter().fold(xts, Xts::with_costs) })
    }

    /// Encrypts the data units that begin with a number, of unit_size bytes each; without unit_size, the data is one unit.
    #[pyo3(signature = (number, data, *, unit_size=None))]
    fn encrypt<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = number)] number: u128,
        data: Input<'_>,
        #[pyo3(from_py_with = optional)] unit_size: Option<usize>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let mut new = NewBytes::new(py, data.len())?;
        self.units(py, Direction::Encrypt, number, unit_size, new.in_out(&data).0)?;
        Ok(new.finish())
    }

    /// Decrypts a result of encrypt for the same number.
    #[pyo3(signature = (number, data, *, unit_size=None))]
    fn decrypt<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = number)] number: u128,
        data: Input<'_>,
        #[pyo3(from_py_with = optional)] unit_size: Option<usize>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let mut new = NewBytes::new(py, data.len())?;
        self.units(py, Direction::Decrypt, number, unit_size, new.in_out(&data).0)?;
        Ok(new.finish())
    }

    /// Encrypts as encrypt does, into a buffer, which may be the data itself. Returns the number of bytes.
    #[pyo3(signature = (number, data, buf, *, unit_size=None))]
    fn encrypt_into(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = number)] number: u128,
        data: Input<'_>,
        mut buf: Output,
        #[pyo3(from_py_with = optional)] unit_size: Option<usize>,
    ) -> PyResult<usize> {
        self.units(py, Direction::Encrypt, number, unit_size, buf.of(&data)?)?;
        Ok(data.len())
    }

    /// Decrypts as decrypt does, into a buffer, which may be the data itself. Returns the number of bytes.
    #[pyo3(signature = (number, data, buf, *, unit_size=None))]
    fn decrypt_into(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = number)] number: u128,
        data: Input<'_>,
        mut buf: Output,
        #[pyo3(from_py_with = optional)] unit_size: Option<usize>,
    ) -> PyResult<usize> {
        self.units(py, Direction::Decrypt, number, unit_size, buf.of(&data)?)?;
        Ok(data.len())
    }
}
