//! Modes without tags, and CMAC: `CTR`, `CBC`, `CFB`, `CFB8` and `OFB` over any block cipher, `XTS` over one with blocks
//! of 128 bits. None of them authenticates its data.

use abreast::modes::{Cbc, Cfb, Cfb8, Cmac, CmacPieces, CounterWidth, Ctr, Direction, Ofb, Xts};
use abreast::packets::Buffer;
use abreast::{BlockCipher, BlockCipher128, Counted, Error, InOutBuf};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use self_cell::self_cell;
use std::sync::Arc;
use zeroize::Zeroizing;

use crate::arguments::instance;
use crate::buffers::{Input, NewBytes, Output, release};
use crate::ciphers::{PyCipher, whole};
use crate::errors;
use crate::numbers::{number, optional};
use crate::signals::{self, PIECE, PIECE_BYTEWISE, Stop, take_in};
use crate::turns::Turns;

type Cipher = Arc<dyn BlockCipher>;

/// A message at some point of its stream.
enum Stream {
    Ctr(Ctr<Cipher>),
    /// With the bytes of a block.
    Cbc(Direction, Cbc<Cipher>, usize),
    Cfb(Direction, Cfb<Cipher>),
    Cfb8(Direction, Cfb8<Cipher>),
    Ofb(Ofb<Cipher>),
}

impl Stream {
    /// The unit in which the next `len` bytes may be done: all of them, if they are to be refused as a whole.
    fn unit(&self, len: usize) -> usize {
        match self {
            Self::Cbc(.., size) => whole(len, *size),
            Self::Ctr(ctr) => {
                let end = ctr.position().and_then(|at| at.checked_add(len as u128));
                let fits = end.is_none_or(|end| ctr.clone().seek_to(end).is_ok());
                if fits { 1 } else { len }
            }
            Self::Cfb(..) | Self::Cfb8(..) | Self::Ofb(_) => 1,
        }
    }

    /// Returns the exception for an error of a piece of a length.
    #[cold]
    fn exception(&self, py: Python<'_>, error: Error, len: usize) -> PyErr {
        match (self, error) {
            (Self::Cbc(.., size), error) => errors::of_blocks(py, error, len, *size),
            (_, error) => errors::of(py, error),
        }
    }

    fn apply(&mut self, io: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
        match self {
            Self::Ctr(ctr) => return ctr.apply(io),
            Self::Cbc(Direction::Encrypt, cbc, _) => return cbc.encrypt(io),
            Self::Cbc(Direction::Decrypt, cbc, _) => return cbc.decrypt(io),
            Self::Cfb(Direction::Encrypt, cfb) => cfb.encrypt(io),
            Self::Cfb(Direction::Decrypt, cfb) => cfb.decrypt(io),
            Self::Cfb8(Direction::Encrypt, cfb) => cfb.encrypt(io),
            Self::Cfb8(Direction::Decrypt, cfb) => cfb.decrypt(io),
            Self::Ofb(ofb) => ofb.apply(io),
        }
        Ok(())
    }
}

/// A mode, with its parameters beside a key and a vector.
#[derive(Clone, Copy)]
enum Kind {
    Ctr(CounterWidth),
    Cbc,
    Cfb,
    Cfb8,
    Ofb,
}

/// A cipher in a mode without tags, with the vector or counter block of a message: the base class of CTR, CBC, CFB, CFB8
/// and OFB.
#[pyclass(name = "Mode", module = "abreast", subclass, frozen)]
pub(crate) struct PyMode {
    cipher: Cipher,
    kind: Kind,
    iv: Vec<u8>,
}

impl PyMode {
    fn new(cipher: &Bound<'_, PyCipher>, kind: Kind, iv: &[u8]) -> PyResult<PyClassInitializer<Self>> {
        let mode = Self { cipher: cipher.get().key.any(), kind, iv: iv.to_vec() };
        let (size, len) = (mode.cipher.block_size(), iv.len());
        if len != size {
            let name = if matches!(kind, Kind::Ctr(_)) { "counter_block" } else { "iv" };
            let cipher = mode.cipher.name();
            let len = Counted(len, "bytes");
            return Err(PyValueError::new_err(format!(
                "{name} has {len}, and a block of {cipher} has {size}"
            )));
        }
        // A counter that is too wide is told of here and not later.
        mode.stream(Direction::Encrypt).map_err(|error| errors::of(cipher.py(), error))?;
        Ok(mode.into())
    }

    fn stream(&self, direction: Direction) -> Result<Stream, Error> {
        let cipher = Arc::clone(&self.cipher);
        Ok(match self.kind {
            Kind::Ctr(width) => Stream::Ctr(Ctr::from_cipher(cipher, &self.iv, width)?),
            Kind::Cbc => {
                let size = cipher.block_size();
                Stream::Cbc(direction, Cbc::from_cipher(cipher, &self.iv)?, size)
            }
            Kind::Cfb => Stream::Cfb(direction, Cfb::from_cipher(cipher, &self.iv)?),
            Kind::Cfb8 => Stream::Cfb8(direction, Cfb8::from_cipher(cipher, &self.iv)?),
            Kind::Ofb => Stream::Ofb(Ofb::from_cipher(cipher, &self.iv)?),
        })
    }

    fn context(&self, py: Python<'_>, direction: Direction) -> PyResult<CipherContext> {
        let stream = self.stream(direction).map_err(|error| errors::of(py, error))?;
        Ok(CipherContext { stream: Turns::new(Some(stream)) })
    }

    fn cbc(&self, py: Python<'_>) -> PyResult<Cbc<&Cipher>> {
        Cbc::from_cipher(&self.cipher, &self.iv).map_err(|error| errors::of(py, error))
    }

    fn whole<'py>(
        &self,
        py: Python<'py>,
        direction: Direction,
        data: &[u8],
    ) -> PyResult<Bound<'py, PyBytes>> {
        self.context(py, direction)?.new_piece(py, data)
    }
}

#[pymethods]
impl PyMode {
    /// Encrypts a whole message.
    fn encrypt<'py>(&self, py: Python<'py>, data: Input<'_>) -> PyResult<Bound<'py, PyBytes>> {
        self.whole(py, Direction::Encrypt, &data)
    }

    /// Decrypts a whole message.
    fn decrypt<'py>(&self, py: Python<'py>, data: Input<'_>) -> PyResult<Bound<'py, PyBytes>> {
        self.whole(py, Direction::Decrypt, &data)
    }

    /// Encrypts a whole message into a buffer, which may be the data itself. Returns the number of bytes.
    fn encrypt_into(&self, py: Python<'_>, data: Input<'_>, buf: Output) -> PyResult<usize> {
        self.context(py, Direction::Encrypt)?.update_into(py, data, buf)
    }

    /// Decrypts a whole message into a buffer, which may be the data itself. Returns the number of bytes.
    fn decrypt_into(&self, py: Python<'_>, data: Input<'_>, buf: Output) -> PyResult<usize> {
        self.context(py, Direction::Decrypt)?.update_into(py, data, buf)
    }

    /// Begins a message to encrypt in pieces.
    fn encryptor(&self, py: Python<'_>) -> PyResult<CipherContext> {
        self.context(py, Direction::Encrypt)
    }

    /// Begins a message to decrypt in pieces.
    fn decryptor(&self, py: Python<'_>) -> PyResult<CipherContext> {
        self.context(py, Direction::Decrypt)
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        let cipher = &slf.get().cipher;
        Ok(format!("<{} of {} by {}>", slf.get_type().name()?, cipher.name(), cipher.kernel().name()))
    }
}

/// The width of a counter: a number of bits, or a block.
pub(crate) fn counter_width(bits: Option<u32>, block_size: usize) -> PyResult<CounterWidth> {
    let bits = bits.unwrap_or(8 * block_size as u32);
    let widths = [CounterWidth::Bits16, CounterWidth::Bits32, CounterWidth::Bits64, CounterWidth::Bits128];
    let width = widths.into_iter().find(|width| width.bits() == bits);
    width.ok_or_else(|| {
        let bits = Counted(bits as usize, "bits");
        PyValueError::new_err(format!("no counter has {bits}; counter_bits is 16, 32, 64 or 128"))
    })
}

/// Counter mode. counter_block: the first one, as long as a block, which must not repeat under a key. counter_bits: the bits of it that
/// count, 16, 32, 64 or 128; all of the block unless it is given. A message that would make the counter repeat is a ValueError.
#[pyclass(name = "CTR", module = "abreast", extends = PyMode, frozen)]
pub(crate) struct PyCtr;

#[pymethods]
impl PyCtr {
    #[new]
    #[pyo3(signature = (cipher, counter_block, *, counter_bits=None))]
    fn new(
        #[pyo3(from_py_with = instance)] cipher: Bound<'_, PyCipher>,
        counter_block: Input<'_>,
        #[pyo3(from_py_with = optional)] counter_bits: Option<u32>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let width = counter_width(counter_bits, cipher.get().key.cipher().block_size())?;
        Ok(PyMode::new(&cipher, Kind::Ctr(width), &counter_block)?.add_subclass(Self))
    }
}

/// Bytes of a message that are done before its last piece, which has the padding.
fn before_padding(len: usize, block_size: usize) -> usize {
    if len > PIECE { (len - block_size) / block_size * block_size } else { 0 }
}

/// Cipher block chaining. iv: a block, which nobody can predict. Messages are whole blocks, except with encrypt_padded.
#[pyclass(name = "CBC", module = "abreast", extends = PyMode, frozen)]
pub(crate) struct PyCbc;

#[pymethods]
impl PyCbc {
    #[new]
    fn new(
        #[pyo3(from_py_with = instance)] cipher: Bound<'_, PyCipher>,
        iv: Input<'_>,
    ) -> PyResult<PyClassInitializer<Self>> {
        Ok(PyMode::new(&cipher, Kind::Cbc, &iv)?.add_subclass(Self))
    }

    /// Encrypts a message of any length with PKCS#7 padding.
    fn encrypt_padded<'py>(slf: &Bound<'py, Self>, data: Input<'_>) -> PyResult<Bound<'py, PyBytes>> {
        let (py, mode) = (slf.py(), slf.as_super().get());
        let size = mode.cipher.block_size();
        let mut new = NewBytes::new(py, data.len() - data.len() % size + size)?;
        let (first, last) = data.split_at(before_padding(data.len(), size));
        let (buffer, room) = new.in_out(first);
        room[..last.len()].copy_from_slice(last);
        let mut cbc = mode.cbc(py)?;
        signals::through(py, buffer, PIECE, size, |io| cbc.encrypt(io)).map_err(|stop| stop.into_py(py))?;
        let done = release(py, last.len(), || cbc.encrypt_pkcs7(room, last.len()).map(drop));
        done.map_err(|error| errors::of(py, error))?;
        Ok(new.finish())
    }

    /// Decrypts a result of encrypt_padded, or raises ValueError. Whoever can see whether it does, and sends messages of
    /// his own, can decrypt (padding oracle): authenticate the ciphertext first.
    fn decrypt_padded<'py>(slf: &Bound<'py, Self>, data: Input<'_>) -> PyResult<Bound<'py, PyBytes>> {
        let (py, mode) = (slf.py(), slf.as_super().get());
        let size = mode.cipher.block_size();
        let of = |error| errors::of_blocks(py, error, data.len(), size);
        let head = if data.len().is_multiple_of(size) { before_padding(data.len(), size) } else { 0 };
        let (first, last) = data.split_at(head);
        // The padding says how long the message is, so it comes first: a long message is not copied to be shortened.
        let mut end = Zeroizing::new(last.to_vec());
        let vector = if head == 0 { &mode.iv[..] } else { &first[head - size..] };
        let cbc = Cbc::from_cipher(&mode.cipher, vector).map_err(of)?;
        let end = release(py, last.len(), || cbc.decrypt_pkcs7(&mut end)).map_err(of)?;
        let mut new = NewBytes::new(py, head + end.len())?;
        let (buffer, room) = new.in_out(first);
        room.copy_from_slice(end);
        let mut cbc = mode.cbc(py)?;
        signals::through(py, buffer, PIECE, size, |io| cbc.decrypt(io)).map_err(|stop| stop.into_py(py))?;
        Ok(new.finish())
    }
}

/// Cipher feedback of whole blocks. iv: a block, which nobody can predict. Messages have any length.
#[pyclass(name = "CFB", module = "abreast", extends = PyMode, frozen)]
pub(crate) struct PyCfb;

#[pymethods]
impl PyCfb {
    #[new]
    fn new(
        #[pyo3(from_py_with = instance)] cipher: Bound<'_, PyCipher>,
        iv: Input<'_>,
    ) -> PyResult<PyClassInitializer<Self>> {
        Ok(PyMode::new(&cipher, Kind::Cfb, &iv)?.add_subclass(Self))
    }
}

/// Cipher feedback of single bytes. iv: a block, which nobody can predict. Messages have any length.
#[pyclass(name = "CFB8", module = "abreast", extends = PyMode, frozen)]
pub(crate) struct PyCfb8;

#[pymethods]
impl PyCfb8 {
    #[new]
    fn new(
        #[pyo3(from_py_with = instance)] cipher: Bound<'_, PyCipher>,
        iv: Input<'_>,
    ) -> PyResult<PyClassInitializer<Self>> {
        Ok(PyMode::new(&cipher, Kind::Cfb8, &iv)?.add_subclass(Self))
    }
}

/// Output feedback. iv: a block, which must not repeat under a key. Messages have any length.
#[pyclass(name = "OFB", module = "abreast", extends = PyMode, frozen)]
pub(crate) struct PyOfb;

#[pymethods]
impl PyOfb {
    #[new]
    fn new(
        #[pyo3(from_py_with = instance)] cipher: Bound<'_, PyCipher>,
        iv: Input<'_>,
    ) -> PyResult<PyClassInitializer<Self>> {
        Ok(PyMode::new(&cipher, Kind::Ofb, &iv)?.add_subclass(Self))
    }
}

/// A message in pieces, in a mode without tags.
#[pyclass(name = "CipherContext", module = "abreast", frozen)]
pub(crate) struct CipherContext {
    /// None once it has ended.
    stream: Turns<Option<Stream>>,
}

impl CipherContext {
    /// The message has ended if a signal ends the call: nobody knows how far it got.
    fn piece(&self, py: Python<'_>, buffer: Buffer<'_>) -> PyResult<()> {
        self.stream.with(py, |place| {
            let stream = place.as_mut().ok_or_else(|| errors::finalized(py))?;
            let len = buffer.len();
            let piece = if matches!(stream, Stream::Cfb8(..)) { PIECE_BYTEWISE } else { PIECE };
            let unit = if len > piece { stream.unit(len) } else { 1 };
            match signals::through(py, buffer, piece, unit, |io| stream.apply(io)) {
                Ok(()) => Ok(()),
                Err(Stop::Failed(error)) => Err(stream.exception(py, error, len)),
                Err(signal @ Stop::Signal(_)) => {
                    *place = None;
                    Err(signal.into_py(py))
                }
            }
        })
    }

    fn new_piece<'py>(&self, py: Python<'py>, data: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
        let mut new = NewBytes::new(py, data.len())?;
        self.piece(py, new.in_out(data).0)?;
        Ok(new.finish())
    }

    fn with_ctr<T>(&self, py: Python<'_>, work: impl FnOnce(&mut Ctr<Cipher>) -> PyResult<T>) -> PyResult<T> {
        self.stream.with(py, |place| match place {
            Some(Stream::Ctr(ctr)) => work(ctr),
            Some(_) => Err(PyValueError::new_err("only counter mode can go to any byte of the stream")),
            None => Err(errors::finalized(py)),
        })
    }
}

#[pymethods]
impl CipherContext {
    /// Encrypts or decrypts the next piece, of any length; in CBC, of whole blocks.
    fn update<'py>(&self, py: Python<'py>, data: Input<'_>) -> PyResult<Bound<'py, PyBytes>> {
        self.new_piece(py, &data)
    }

    /// Processes a piece as update does, into a buffer, which may be the data itself. Returns the number of bytes.
    fn update_into(&self, py: Python<'_>, data: Input<'_>, mut buf: Output) -> PyResult<usize> {
        self.piece(py, buf.of(&data)?)?;
        Ok(data.len())
    }

    /// Ends the message. Returns no bytes.
    fn finalize<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.stream.with(py, |place| place.take().map(drop).ok_or_else(|| errors::finalized(py)))?;
        Ok(PyBytes::new(py, b""))
    }

    /// Goes to a byte of the stream, in counter mode.
    fn seek(&self, py: Python<'_>, #[pyo3(from_py_with = number)] position: u128) -> PyResult<()> {
        self.with_ctr(py, |ctr| {
            ctr.seek_to(position).map_err(|error| match error {
                Error::CounterExhausted => PyValueError::new_err(format!(
                    "byte {position} is beyond the end of the stream: the counter has no value for it"
                )),
                error => errors::of(py, error),
            })
        })
    }

    /// Returns the byte of the stream that comes next, in counter mode.
    fn tell(&self, py: Python<'_>) -> PyResult<Option<u128>> {
        self.with_ctr(py, |ctr| Ok(ctr.position()))
    }
}

/// Bytes that a data unit has at least.
const LEAST_UNIT: usize = 16;

/// XTS (IEEE 1619): data units, such as the sectors of a disk, under two keys.
#[pyclass(name = "XTS", module = "abreast", frozen)]
pub(crate) struct PyXts {
    xts: Xts<Arc<dyn BlockCipher128>>,
}

impl PyXts {
    fn units(
        &self,
        py: Python<'_>,
        direction: Direction,
        first: u128,
        size: Option<usize>,
        buffer: Buffer<'_>,
    ) -> PyResult<()> {
        let len = buffer.len();
        let size = size.unwrap_or(len);
        // The remainder for the last unit is checked before anything is done.
        let fits = size >= LEAST_UNIT && (len % size == 0 || len % size >= LEAST_UNIT);
        let mut number = first;
        signals::through(py, buffer, PIECE, if fits { size } else { len }, |io| {
            let units = io.len() / size.max(1);
            match direction {
                Direction::Encrypt => self.xts.encrypt_units(number, size, io),
                Direction::Decrypt => self.xts.decrypt_units(number, size, io),
            }?;
            number = number.wrapping_add(units as u128);
            Ok(())
        })
        .map_err(|stop| match stop {
            Stop::Failed(Error::UnitLength) => PyValueError::new_err(format!(
                "data of {} in units of {size} leaves one that is too short or too long; a unit has 16 bytes to 16 MiB",
                Counted(len, "bytes")
            )),
            stop => stop.into_py(py),
        })
    }
}

#[pymethods]
impl PyXts {
    #[new]
    fn new(
        #[pyo3(from_py_with = instance)] cipher: Bound<'_, PyCipher>,
        #[pyo3(from_py_with = instance)] tweak_cipher: Bound<'_, PyCipher>,
    ) -> PyResult<Self> {
        let py = cipher.py();
        let xts = Xts::new(cipher.get().key.of_128(py)?, tweak_cipher.get().key.of_128(py)?);
        Ok(Self { xts: xts.map_err(|error| errors::of(py, error))? })
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

type Pieces<'c> = Option<CmacPieces<'c, Cipher>>;

self_cell!(
    struct CmacCell {
        owner: Box<Cmac<Cipher>>,
        #[not_covariant]
        dependent: Pieces,
    }
);

/// CMAC (SP 800-38B) of a message in pieces. tag_length: 1 byte to a block, which is the default.
#[pyclass(name = "CMAC", module = "abreast", frozen)]
pub(crate) struct PyCmac {
    cell: Turns<CmacCell>,
    tag_len: usize,
}

impl PyCmac {
    fn with_pieces<T>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&Cmac<Cipher>, &mut Pieces<'_>) -> Option<T>,
    ) -> PyResult<T> {
        self.cell.with(py, |cell| {
            cell.with_dependent_mut(|cmac, pieces| work(cmac, pieces)).ok_or_else(|| errors::finalized(py))
        })
    }
}

#[pymethods]
impl PyCmac {
    #[new]
    #[pyo3(signature = (cipher, *, tag_length=None))]
    fn new(
        #[pyo3(from_py_with = instance)] cipher: Bound<'_, PyCipher>,
        #[pyo3(from_py_with = optional)] tag_length: Option<usize>,
    ) -> PyResult<Self> {
        let key = &cipher.get().key;
        let tag_len = tag_length.unwrap_or_else(|| key.cipher().block_size());
        let cell = CmacCell::try_new(Box::new(Cmac::from_cipher(key.any())), |cmac| {
            cmac.pieces().with_tag_len(tag_len).map(Some)
        });
        let block = key.cipher().block_size();
        let cell = cell.map_err(|error| errors::of_tags(cipher.py(), error, "cmac", block, tag_len))?;
        Ok(Self { cell: Turns::new(cell), tag_len })
    }

    /// Takes in the next piece of the message, of any length.
    fn update(&self, py: Python<'_>, data: Input<'_>) -> PyResult<()> {
        let done = self.with_pieces(py, |_, pieces| {
            let message = pieces.as_mut()?;
            let done = take_in(py, &data, |piece| message.update(piece));
            // Nobody knows how far it got when a signal ends it.
            if done.is_err() {
                *pieces = None;
            }
            Some(done)
        });
        done?
    }

    /// Returns a copy of the message as it is now, which goes on by itself.
    fn copy(&self, py: Python<'_>) -> PyResult<Self> {
        let copy = self.with_pieces(py, |cmac, pieces| {
            let (cipher, pieces) = (Arc::clone(cmac.cipher()), pieces.as_ref()?);
            Some(CmacCell::new(Box::new(Cmac::from_cipher(cipher)), |cmac| Some(pieces.clone_under(cmac))))
        })?;
        Ok(Self { cell: Turns::new(copy), tag_len: self.tag_len })
    }

    /// Ends the message, and returns its tag.
    fn finalize<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let mut tag = [0; 16];
        let out = &mut tag[..self.tag_len];
        self.with_pieces(py, |_, pieces| Some(pieces.take()?.finish(out)))?
            .map_err(|error| errors::of(py, error))?;
        Ok(PyBytes::new(py, &tag[..self.tag_len]))
    }

    /// Compares the tag with another one in constant time; raises InvalidSignature if they differ, be it in length. The
    /// message has ended then.
    fn verify(&self, py: Python<'_>, tag: Input<'_>) -> PyResult<()> {
        let expected = self.tag_len;
        self.with_pieces(py, |_, pieces| {
            let pieces = pieces.take()?;
            Some(if tag.len() == expected { pieces.verify(&tag) } else { Err(Error::TagMismatch) })
        })?
        .map_err(|error| match error {
            Error::TagMismatch => errors::invalid_signature(py, error.to_string()),
            error => errors::of(py, error),
        })
    }
}
