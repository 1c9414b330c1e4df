//! QUIC: keys of connections, and packets with their headers, alone or many in one call: `abreast.quic`.

use abreast::aes::Aes;
use abreast::{Counted, Wiped};
use abreast_frames::PacketError;
use abreast_frames::quic::{self, PacketKey, QuicPacket, header_key};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use std::iter::zip;
use std::sync::Arc;

use crate::arguments::{instance, text};
use crate::buffers::Input;
use crate::errors;
use crate::frames::{Given, Many, Operation, with_len};
use crate::numbers::number;
use crate::windows::{OneOrEach, in_windows, inputs};

/// Bytes of a tag.
const TAG: usize = 16;

/// The keys of QUIC for one direction and encryption level, of one phase or of two that follow each other.
#[pyclass(name = "PacketKeys", module = "abreast.quic", frozen)]
pub(crate) struct PyPacketKeys {
    // Shared with the keys that are made of these. The padding of a key for headers is wiped too.
    header: Arc<Wiped<Aes>>,
    /// The keys of packets, by their phases.
    packets: [Option<Arc<PacketKey>>; 2],
    phase: usize,
}

#[pymethods]
impl PyPacketKeys {
    #[new]
    fn new(key: Input<'_>, iv: Input<'_>, header_key: Input<'_>) -> PyResult<Self> {
        let packets = [Some(packet_key(&key, &iv)?), None];
        let header = self::header_key(&header_key).map_err(|_| wrong_key("header key", header_key.len()))?;
        Ok(Self { header: Arc::new(Wiped::new(header)), packets, phase: 0 })
    }

    /// Returns the keys after an update (RFC 9001, section 6): of the next phase, with those of the phase before, and the same key for headers.
    fn updated(&self, key: Input<'_>, iv: Input<'_>) -> PyResult<Self> {
        let (mut packets, phase) = (self.packets.clone(), 1 - self.phase);
        packets[phase] = Some(packet_key(&key, &iv)?);
        Ok(Self { header: self.header.clone(), packets, phase })
    }

    /// The phase of the keys that came last, 0 or 1: the bit that short headers have.
    #[getter]
    fn phase(&self) -> usize {
        self.phase
    }

    /// Encrypts a payload and protects its header. header: in clear, with the packet number at its end, whose length its first byte says;
    /// number: the full packet number. Number and payload have at least 4 bytes together.
    fn seal<'py>(
        &self,
        py: Python<'py>,
        header: Input<'_>,
        payload: Input<'_>,
        #[pyo3(from_py_with = number)] number: u64,
    ) -> PyResult<Bound<'py, PyAny>> {
        sealing().one(py, OfConnection { keys: self, header: &header, input: &payload, at: 0, number })
    }

    /// Opens a packet, whose number begins at number_at. Returns its header in clear, its payload and its full number, or raises
    /// InvalidTag if it is not authentic. expected: the largest number so far plus 1.
    fn open<'py>(
        &self,
        py: Python<'py>,
        packet: Input<'_>,
        #[pyo3(from_py_with = number)] number_at: usize,
        #[pyo3(from_py_with = number)] expected: u64,
    ) -> PyResult<Bound<'py, PyAny>> {
        let given = OfConnection { keys: self, header: &[], input: &packet, at: number_at, number: expected };
        opening().one(py, given)
    }

    /// Returns the mask of a header, 5 bytes, made of a sample of 16 bytes.
    fn mask<'py>(&self, py: Python<'py>, sample: Input<'_>) -> PyResult<Bound<'py, PyBytes>> {
        let sample = (*sample).try_into().map_err(|_| {
            PyValueError::new_err(format!("the sample has {}; it has 16", Counted(sample.len(), "bytes")))
        })?;
        Ok(PyBytes::new(py, &quic::mask(&**self.header, sample)))
    }
}

/// Makes a key for packets.
fn packet_key(key: &[u8], iv: &[u8]) -> PyResult<Arc<PacketKey>> {
    let iv = iv.try_into().map_err(|_| {
        PyValueError::new_err(format!("the iv has {}; it has 12", Counted(iv.len(), "bytes")))
    })?;
    PacketKey::new(key, iv).map(Arc::new).map_err(|_| wrong_key("key", key.len()))
}

#[cold]
fn wrong_key(what: &str, len: usize) -> PyErr {
    PyValueError::new_err(format!("the {what} has {}; it has 16 or 32", Counted(len, "bytes")))
}

/// A payload with its header, or a packet, with the keys of its connection.
struct OfConnection<'a> {
    keys: &'a PyPacketKeys,
    /// The header in clear of a packet that is to be sealed.
    header: &'a [u8],
    input: &'a [u8],
    /// The place of the number in a packet that is to be opened.
    at: usize,
    number: u64,
}

impl Given for OfConnection<'_> {
    type Packet<'p> = QuicPacket<'p>;
    /// The bytes before the payload, and the full number.
    type Done = (usize, u64);

    fn room(&self, opens: bool) -> usize {
        self.header.len() + self.input.len() + if opens { 0 } else { TAG }
    }

    fn in_place<'p>(&'p self, opens: bool, place: &'p mut [u8]) -> Result<QuicPacket<'p>, PacketError> {
        let (header, payload) = place.split_at_mut(self.header.len());
        header.copy_from_slice(self.header);
        payload[..self.input.len()].copy_from_slice(self.input);
        let number_len = usize::from(self.header.first().unwrap_or(&0) & 3) + 1;
        let at = if opens { self.at } else { self.header.len().saturating_sub(number_len) };
        let packets = self.keys.packets.each_ref().map(Option::as_deref);
        // There is a key.
        let keys = quic::PacketKeys::of_phases(&**self.keys.header, packets).ok_or(PacketError::KeyPhase)?;
        QuicPacket::new(keys, self.number, place, at).map_err(|_| PacketError::TooShort)
    }

    fn done(packet: &QuicPacket<'_>) -> Result<(usize, u64), PacketError> {
        packet.result.map(|()| (packet.header_len(), packet.number))
    }

    fn object<'py>(&self, py: Python<'py>, place: &[u8], done: (usize, u64)) -> PyResult<Bound<'py, PyAny>> {
        if place.len() > self.header.len() + self.input.len() {
            return Ok(PyBytes::new(py, place).into_any());
        }
        let (header, rest) = place.split_at(done.0);
        let payload = PyBytes::new(py, &rest[..rest.len() - TAG]);
        Ok((PyBytes::new(py, header), payload, done.1).into_pyobject(py)?.into_any())
    }

    fn text(&self, error: PacketError) -> String {
        match error {
            PacketError::TooShort if !self.header.is_empty() => format!(
                "the packet is too short for a sample of it: the header has {} and the payload {}",
                Counted(self.header.len(), "bytes"),
                self.input.len()
            ),
            PacketError::TooShort => {
                let len = Counted(self.input.len(), "bytes");
                format!("the packet is too short for a sample of it; it has {len}")
            }
            error => with_len(error, self.input.len()),
        }
    }
}

fn sealing<'a>() -> Operation<OfConnection<'a>> {
    Operation { run: quic::seal, opens: false }
}

fn opening<'a>() -> Operation<OfConnection<'a>> {
    Operation { run: quic::open, opens: true }
}

/// An argument for keys.
fn keys<'a, 'py>(object: &'a Bound<'py, PyAny>) -> PyResult<OneOrEach<'a, 'py, Bound<'py, PyPacketKeys>>> {
    OneOrEach::new(object, "keys", instance)
}

/// Seals many packets side by side. keys, numbers: one for all, or an iterable with one for each packet; a full number must not repeat
/// under a key. headers, payloads: an iterable with one for each.
#[pyfunction]
pub(crate) fn quic_seal_many<'py>(
    keys: &Bound<'py, PyAny>,
    headers: &Bound<'py, PyAny>,
    payloads: &Bound<'py, PyAny>,
    numbers: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyList>> {
    let keys = self::keys(keys)?;
    let numbers = OneOrEach::new(numbers, "numbers", number::<u64>)?;
    let mut many = Many::new(payloads.py());
    let others = [keys.each(), Some((headers, "headers")), numbers.each()];
    in_windows((payloads, "payloads"), others, |first, payloads, [of_keys, headers, of_numbers]| {
        let keys = keys.window(first, payloads.len(), of_keys)?;
        let numbers = numbers.window(first, payloads.len(), of_numbers)?;
        let headers = inputs(headers)?;
        let given: Vec<_> = zip(zip(&keys, &headers), zip(payloads, numbers))
            .map(|((keys, header), (input, number))| OfConnection {
                keys: keys.get(),
                header,
                input,
                at: 0,
                number,
            })
            .collect();
        many.add(&sealing(), first, &given)
    })?;
    many.finish(false)
}

/// Opens many packets, as seal_many seals them. numbers_at, expected: where the number of a packet begins, and the number that is
/// expected, one for all or one for each. A result is a header in clear, a payload and a full number. If some are malformed or not
/// authentic, raises InvalidTag, whose rows are their numbers; with invalid="none", they are None in the list.
#[pyfunction]
#[pyo3(signature = (keys, packets, numbers_at, expected, *, invalid="raise"))]
pub(crate) fn quic_open_many<'py>(
    keys: &Bound<'py, PyAny>,
    packets: &Bound<'py, PyAny>,
    numbers_at: &Bound<'py, PyAny>,
    expected: &Bound<'py, PyAny>,
    #[pyo3(from_py_with = text)] invalid: &str,
) -> PyResult<Bound<'py, PyList>> {
    let to_none = errors::to_none(invalid)?;
    let keys = self::keys(keys)?;
    let places = OneOrEach::new(numbers_at, "places of numbers", number::<usize>)?;
    let expected = OneOrEach::new(expected, "expected numbers", number::<u64>)?;
    let mut many = Many::new(packets.py());
    let others = [keys.each(), places.each(), expected.each()];
    in_windows((packets, "packets"), others, |first, packets, [of_keys, of_places, of_expected]| {
        let keys = keys.window(first, packets.len(), of_keys)?;
        let places = places.window(first, packets.len(), of_places)?;
        let expected = expected.window(first, packets.len(), of_expected)?;
        let given: Vec<_> = zip(zip(&keys, packets), zip(places, expected))
            .map(|((keys, input), (at, number))| OfConnection {
                keys: keys.get(),
                header: &[],
                input,
                at,
                number,
            })
            .collect();
        many.add(&opening(), first, &given)
    })?;
    many.finish(to_none)
}

/// Returns the full number of a packet (RFC 9000, A.3): the one nearest to the expected one, the largest so far plus 1, that ends in the
/// bytes that were sent. length: 1 to 4, the number of these bytes.
#[pyfunction]
pub(crate) fn full_number(
    #[pyo3(from_py_with = number)] expected: u64,
    #[pyo3(from_py_with = number)] sent: u32,
    #[pyo3(from_py_with = number)] length: usize,
) -> PyResult<u64> {
    if !(1..=4).contains(&length) {
        return Err(PyValueError::new_err(format!(
            "a packet number is sent in 1 to 4 bytes, and not in {length}"
        )));
    }
    Ok(quic::full_number(expected, sent, length))
}
