//! IPsec ESP: security associations, and packets, alone or many in one call: `abreast.esp`.

use abreast::{Counted, Wiped};
use abreast_frames::PacketError;
use abreast_frames::ipsec::{self, Association, EspAlgorithms, EspPacket};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use std::iter::zip;

use crate::arguments::{flag, instance, text};
use crate::buffers::Input;
use crate::errors;
use crate::frames::{Given, Many, Operation, with_len};
use crate::numbers::number;
use crate::windows::{OneOrEach, in_windows, inputs};

/// Bytes of the longest vector, which CBC has.
const LONGEST_IV: usize = 16;

/// A security association of ESP: the keys of one direction.
#[pyclass(name = "Association", module = "abreast.esp", frozen)]
pub(crate) struct PyAssociation {
    /// In a box of its own: Python aligns objects to 16 bytes, and the powers of the hash key want 64. Its padding is wiped too.
    association: Box<Wiped<Association>>,
    algorithms: EspAlgorithms,
    extended: bool,
}

#[pymethods]
impl PyAssociation {
    #[new]
    #[pyo3(signature = (suite, spi, key, authentication_key=None, *, extended=false),
        text_signature = "(suite, spi, key, authentication_key=b'', *, extended=False)")]
    fn new(
        #[pyo3(from_py_with = text)] suite: &str,
        #[pyo3(from_py_with = number)] spi: u32,
        key: Input<'_>,
        authentication_key: Option<Input<'_>>,
        #[pyo3(from_py_with = flag)] extended: bool,
    ) -> PyResult<Self> {
        let algorithms = EspAlgorithms::ALL.into_iter().find(|one| one.name() == suite).ok_or_else(|| {
            PyValueError::new_err(format!(
                "there is no suite {suite:?}; there are: {}",
                EspAlgorithms::ALL.map(EspAlgorithms::name).join(", ")
            ))
        })?;
        let authentication_key = authentication_key.as_deref().unwrap_or_default();
        let made =
            algorithms.with_keys(&key, authentication_key).and_then(|suite| Association::new(spi, suite));
        let made = made.map_err(|_| wrong_key(algorithms, key.len(), authentication_key.len()))?;
        let made = Wiped::new(if extended { made.with_extended_numbers() } else { made });
        Ok(Self { association: Box::new(made), algorithms, extended })
    }

    /// The name of the suite.
    #[getter]
    fn suite(&self) -> &'static str {
        self.algorithms.name()
    }

    /// The number of the association.
    #[getter]
    fn spi(&self) -> u32 {
        self.association.spi()
    }

    /// True if sequence numbers have 64 bits.
    #[getter]
    fn extended(&self) -> bool {
        self.extended
    }

    /// Makes a packet of a text, with its padding: header, vector, encrypted text and tag. iv: 8 bytes that never repeat under a key,
    /// or in CBC 16 that nobody can predict; without one, the sequence number, or in CBC random bytes.
    #[pyo3(signature = (text, sequence, iv=None))]
    fn seal<'py>(
        &self,
        py: Python<'py>,
        text: Input<'_>,
        #[pyo3(from_py_with = number)] sequence: u64,
        iv: Option<Input<'_>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let given = OfAssociation { of: self, input: &text, sequence, iv: self.iv(sequence, iv.as_deref())? };
        sealing().one(py, given)
    }

    /// Returns the text of a packet, with its padding, or raises InvalidTag if it is not authentic. upper: the upper half of its sequence
    /// number, which is looked at if the association's are extended.
    #[pyo3(signature = (packet, upper=0))]
    fn open<'py>(
        &self,
        py: Python<'py>,
        packet: Input<'_>,
        #[pyo3(from_py_with = number)] upper: u32,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (sequence, iv) = (u64::from(upper) << 32, Iv::default());
        opening().one(py, OfAssociation { of: self, input: &packet, sequence, iv })
    }
}

impl PyAssociation {
    /// Returns the vector of a packet to be sealed.
    ///
    /// # Errors
    /// `OSError` if the system has no random bytes; `ValueError` for another length.
    fn iv(&self, sequence: u64, given: Option<&[u8]>) -> PyResult<Iv> {
        let mut iv = Iv { bytes: [0; LONGEST_IV], len: self.association.front() - 8 };
        let wanted = iv.len;
        match given {
            Some(given) if given.len() == wanted => iv.bytes[..wanted].copy_from_slice(given),
            Some(given) => {
                return Err(PyValueError::new_err(format!(
                    "the iv has {}; it has {wanted} in {}",
                    Counted(given.len(), "bytes"),
                    self.algorithms.name()
                )));
            }
            None if wanted == LONGEST_IV => {
                getrandom::fill(&mut iv.bytes).map_err(|error| PyOSError::new_err(error.to_string()))?;
            }
            None => iv.bytes[..wanted].copy_from_slice(&sequence.to_be_bytes()),
        }
        Ok(iv)
    }
}

/// The exception for keys whose lengths are not those of a suite.
#[cold]
fn wrong_key(algorithms: EspAlgorithms, key: usize, authentication_key: usize) -> PyErr {
    let (keys, other) = match algorithms {
        EspAlgorithms::CbcHmacSha1 => ("16, 24 or 32", 20),
        EspAlgorithms::CbcHmacSha256 => ("16, 24 or 32", 32),
        EspAlgorithms::CounterHmacSha1 => ("20, 28 or 36", 20),
        EspAlgorithms::CounterHmacSha256 => ("20, 28 or 36", 32),
        EspAlgorithms::Gcm => ("20, 28 or 36", 0),
    };
    PyValueError::new_err(format!(
        "the keys have {} and {authentication_key} to authenticate with; they have {keys} and {other} in {}",
        Counted(key, "bytes"),
        algorithms.name()
    ))
}

/// A vector.
#[derive(Default)]
struct Iv {
    bytes: [u8; LONGEST_IV],
    len: usize,
}

/// A text or a packet with its association.
struct OfAssociation<'a> {
    of: &'a PyAssociation,
    input: &'a [u8],
    sequence: u64,
    iv: Iv,
}

impl Given for OfAssociation<'_> {
    type Packet<'p> = EspPacket<'p>;
    type Done = usize;

    fn room(&self, opens: bool) -> usize {
        let association = &self.of.association;
        self.input.len() + if opens { 0 } else { association.front() + association.tag_len() }
    }

    fn in_place<'p>(&'p self, opens: bool, place: &'p mut [u8]) -> Result<EspPacket<'p>, PacketError> {
        let (association, len) = (&**self.of.association, self.input.len());
        if opens {
            place.copy_from_slice(self.input);
            return Ok(EspPacket::received(association, (self.sequence >> 32) as u32, place, len));
        }
        let (front, iv) = (association.front(), &self.iv.bytes[..self.iv.len]);
        place[front..front + len].copy_from_slice(self.input);
        Ok(EspPacket::new(association, self.sequence, iv, place, front + len))
    }

    fn done(packet: &EspPacket<'_>) -> Result<usize, PacketError> {
        packet.result
    }

    fn object<'py>(&self, py: Python<'py>, place: &[u8], len: usize) -> PyResult<Bound<'py, PyAny>> {
        // A packet that was sealed fills its place, and a text that was opened ends before the tag.
        let from = if len == place.len() { 0 } else { self.of.association.front() };
        Ok(PyBytes::new(py, &place[from..len]).into_any())
    }

    fn text(&self, error: PacketError) -> String {
        match error {
            PacketError::PartialBlock => format!("{error}; it has {}", Counted(self.input.len(), "bytes")),
            PacketError::Index => {
                format!(
                    "a sequence number that is not extended is 0 to {}, and not {}",
                    u32::MAX,
                    self.sequence
                )
            }
            error => with_len(error, self.input.len()),
        }
    }
}

fn sealing<'a>() -> Operation<OfAssociation<'a>> {
    Operation { run: ipsec::seal, opens: false }
}

fn opening<'a>() -> Operation<OfAssociation<'a>> {
    Operation { run: ipsec::open, opens: true }
}

/// An argument for associations.
fn associations<'a, 'py>(
    object: &'a Bound<'py, PyAny>,
) -> PyResult<OneOrEach<'a, 'py, Bound<'py, PyAssociation>>> {
    OneOrEach::new(object, "associations", instance)
}

/// Seals many texts side by side. associations, sequences: one for all, or an iterable with one for each text; a sequence number must not
/// repeat under an association. ivs: an iterable with one for each, or None for those of seal.
#[pyfunction]
#[pyo3(signature = (associations, texts, sequences, ivs=None))]
pub(crate) fn esp_seal_many<'py>(
    associations: &Bound<'py, PyAny>,
    texts: &Bound<'py, PyAny>,
    sequences: &Bound<'py, PyAny>,
    ivs: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyList>> {
    let py = texts.py();
    let associations = self::associations(associations)?;
    let sequences = OneOrEach::new(sequences, "sequences", number::<u64>)?;
    let mut many = Many::new(py);
    let others = [associations.each(), sequences.each(), ivs.map(|ivs| (ivs, "ivs"))];
    in_windows((texts, "texts"), others, |first, texts, [of_associations, of_sequences, of_ivs]| {
        let associations = associations.window(first, texts.len(), of_associations)?;
        let sequences = sequences.window(first, texts.len(), of_sequences)?;
        let ivs = inputs(of_ivs)?;
        let mut given = Vec::with_capacity(texts.len());
        for (at, ((association, input), sequence)) in zip(zip(&associations, texts), sequences).enumerate() {
            let of = association.get();
            let iv = of.iv(sequence, ivs.get(at).map(|iv| &**iv));
            let iv = iv.map_err(|error| errors::numbered(py, "packet", first + at, &error))?;
            given.push(OfAssociation { of, input, sequence, iv });
        }
        many.add(&sealing(), first, &given)
    })?;
    many.finish(false)
}

/// Opens many packets, as seal_many seals them. uppers: the upper half of the sequence number, one for all or one for each. If some are
/// malformed or not authentic, raises InvalidTag, whose rows are their numbers; with invalid="none", they are None in the list.
#[pyfunction]
#[pyo3(signature = (associations, packets, uppers=None, *, invalid="raise"),
    text_signature = "(associations, packets, uppers=0, *, invalid='raise')")]
pub(crate) fn esp_open_many<'py>(
    associations: &Bound<'py, PyAny>,
    packets: &Bound<'py, PyAny>,
    uppers: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = text)] invalid: &str,
) -> PyResult<Bound<'py, PyList>> {
    let py = packets.py();
    let to_none = errors::to_none(invalid)?;
    let associations = self::associations(associations)?;
    let zero = 0_u32.into_pyobject(py)?.into_any();
    let uppers = OneOrEach::new(uppers.unwrap_or(&zero), "uppers", number::<u32>)?;
    let mut many = Many::new(py);
    let others = [associations.each(), uppers.each()];
    in_windows((packets, "packets"), others, |first, packets, [of_associations, of_uppers]| {
        let associations = associations.window(first, packets.len(), of_associations)?;
        let uppers = uppers.window(first, packets.len(), of_uppers)?;
        let given: Vec<_> = zip(zip(&associations, packets), uppers)
            .map(|((association, input), upper)| OfAssociation {
                of: association.get(),
                input,
                sequence: u64::from(upper) << 32,
                iv: Iv::default(),
            })
            .collect();
        many.add(&opening(), first, &given)
    })?;
    many.finish(to_none)
}
