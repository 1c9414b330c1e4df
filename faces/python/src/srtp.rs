//! SRTP: sessions, and packets of RTP and RTCP, alone or many in one call: `abreast.srtp`.

use abreast_frames::PacketError;
use abreast_frames::srtp::{self, Profile, Session, SrtpPacket};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyList};
use std::iter::zip;

use crate::batches::{OneOrEach, in_windows, instance};
use crate::buffers::{Input, release};
use crate::errors;
use crate::numbers::number;

/// The name of a profile, such as aes-128-cm-sha1-80.
fn name(profile: Profile) -> String {
    let bits = 8 * profile.key_len();
    if is_gcm(profile) {
        format!("aes-{bits}-gcm")
    } else {
        format!("aes-{bits}-cm-sha1-{}", 8 * profile.rtp_overhead())
    }
}

/// True if tags and indices are those of GCM, whose salts are shorter.
fn is_gcm(profile: Profile) -> bool {
    profile.salt_len() == 12
}

/// A session of SRTP: the keys of a master key and its salt, for packets of one direction.
#[pyclass(name = "Session", module = "abreast.srtp", frozen)]
pub(crate) struct PySession {
    /// In a box of its own: Python aligns objects to 16 bytes, and the powers of the hash key want 64.
    session: Box<Session>,
}

#[pymethods]
impl PySession {
    #[new]
    fn new(profile: &str, master_key: Input<'_>, master_salt: Input<'_>) -> PyResult<Self> {
        let named = Profile::ALL.into_iter().find(|one| name(*one) == profile);
        let profile = named.ok_or_else(|| {
            PyValueError::new_err(format!(
                "there is no profile {profile:?}; there are: {}",
                Profile::ALL.map(name).join(", ")
            ))
        })?;
        for (what, given, accepted) in [
            ("master key", master_key.len(), profile.key_len()),
            ("master salt", master_salt.len(), profile.salt_len()),
        ] {
            if given != accepted {
                return Err(PyValueError::new_err(format!(
                    "the {what} has {given} bytes; it has {accepted} in {}",
                    name(profile)
                )));
            }
        }
        let session = Session::new(profile, &master_key, &master_salt);
        let session = session.map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Self { session: Box::new(session) })
    }

    /// The name of the profile.
    #[getter]
    fn profile(&self) -> String {
        name(self.session.profile())
    }

    /// Encrypts a packet of RTP and appends its tag. rollovers: how often the sequence numbers have begun anew (ROC).
    fn protect<'py>(
        &self,
        py: Python<'py>,
        packet: Input<'_>,
        #[pyo3(from_py_with = number)] rollovers: u32,
    ) -> PyResult<Bound<'py, PyBytes>> {
        self.one(py, PROTECT, &packet, Kind::Rtp, rollovers)
    }

    /// Decrypts a packet of RTP, or raises InvalidTag if it is not authentic.
    fn unprotect<'py>(
        &self,
        py: Python<'py>,
        packet: Input<'_>,
        #[pyo3(from_py_with = number)] rollovers: u32,
    ) -> PyResult<Bound<'py, PyBytes>> {
        self.one(py, UNPROTECT, &packet, Kind::Rtp, rollovers)
    }

    /// Encrypts a packet of RTCP, or with encrypted=False authenticates it only, and appends its index and its tag. index: 0 to
    /// 2^31 - 1, which must not repeat under a session and a sender.
    #[pyo3(signature = (packet, index, *, encrypted=true))]
    fn protect_rtcp<'py>(
        &self,
        py: Python<'py>,
        packet: Input<'_>,
        #[pyo3(from_py_with = number)] index: u32,
        encrypted: bool,
    ) -> PyResult<Bound<'py, PyBytes>> {
        self.one(py, PROTECT, &packet, if encrypted { Kind::Rtcp } else { Kind::ClearRtcp }, index)
    }

    /// Decrypts a packet of RTCP, or raises InvalidTag if it is not authentic.
    fn unprotect_rtcp<'py>(&self, py: Python<'py>, packet: Input<'_>) -> PyResult<Bound<'py, PyBytes>> {
        self.one(py, UNPROTECT, &packet, Kind::Rtcp, 0)
    }

    /// The index that a protected packet of RTCP has, and True if it is encrypted. Anybody can have written both before
    /// unprotect_rtcp has found the packet authentic.
    fn rtcp_index(&self, packet: Input<'_>) -> PyResult<(u32, bool)> {
        let profile = self.session.profile();
        // At the end in GCM, and in front of the tag otherwise.
        let from_end = if is_gcm(profile) { 4 } else { profile.rtcp_overhead() };
        let sent = packet.len().checked_sub(from_end).and_then(|at| packet[at..].first_chunk());
        let sent = sent.filter(|_| packet.len() >= 8 + profile.rtcp_overhead()).ok_or_else(|| {
            PyValueError::new_err(format!("{}; it has {} bytes", PacketError::TooShort, packet.len()))
        })?;
        let sent = u32::from_be_bytes(*sent);
        Ok((sent & (u32::MAX >> 1), sent >> 31 != 0))
    }
}

impl PySession {
    /// Does one packet.
    fn one<'py>(
        &self,
        py: Python<'py>,
        operation: Operation,
        input: &Input<'_>,
        kind: Kind,
        number: u32,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let given = [Given { session: &self.session, input, kind, number }];
        let done = operation.run(py, &given).pop().unwrap_or(Err(PacketError::NotProcessed));
        done.map_err(|error| operation.failed(py, None, &given[0], error))
    }
}

/// The protocol of a packet.
#[derive(Clone, Copy)]
enum Kind {
    Rtp,
    Rtcp,
    /// Authenticated and not encrypted; a received packet says by itself if it is encrypted.
    ClearRtcp,
}

/// A packet with its session, and the number of its protocol.
struct Given<'a> {
    session: &'a Session,
    input: &'a [u8],
    kind: Kind,
    number: u32,
}

impl<'a> Given<'a> {
    /// Copies it to a place, which has room for the packet afterwards.
    fn in_place<'p>(&self, place: &'p mut [u8]) -> SrtpPacket<'p>
    where
        'a: 'p,
    {
        let len = self.input.len();
        place[..len].copy_from_slice(self.input);
        match self.kind {
            Kind::Rtp => SrtpPacket::rtp(self.session, self.number, place, len),
            Kind::Rtcp => SrtpPacket::rtcp(self.session, self.number, place, len),
            Kind::ClearRtcp => SrtpPacket::rtcp(self.session, self.number, place, len).in_the_clear(),
        }
    }
}

/// An operation of SRTP.
#[derive(Clone, Copy)]
struct Operation {
    run: fn(&mut [SrtpPacket<'_>]),
    unprotects: bool,
}

const PROTECT: Operation = Operation { run: srtp::protect, unprotects: false };
const UNPROTECT: Operation = Operation { run: srtp::unprotect, unprotects: true };

impl Operation {
    /// Bytes that the buffer of a packet has.
    fn room(self, given: &Given<'_>) -> usize {
        let profile = given.session.profile();
        given.input.len()
            + match given.kind {
                _ if self.unprotects => 0,
                Kind::Rtp => profile.rtp_overhead(),
                Kind::Rtcp | Kind::ClearRtcp => profile.rtcp_overhead(),
            }
    }

    /// Does packets. Returns the bytes that each has become.
    fn run<'py>(self, py: Python<'py>, given: &[Given<'_>]) -> Vec<Result<Bound<'py, PyBytes>, PacketError>> {
        let sizes: Vec<_> = given.iter().map(|given| self.room(given)).collect();
        let total = sizes.iter().sum();
        let mut room = vec![0; total];
        let mut rest = room.as_mut_slice();
        let mut batch: Vec<_> = zip(given, &sizes)
            .map(|(given, size)| given.in_place(rest.split_off_mut(..*size).unwrap_or_default()))
            .collect();
        release(py, total, || (self.run)(&mut batch));
        let done: Vec<_> = batch.into_iter().map(|packet| packet.result).collect();
        let mut rest = room.as_slice();
        zip(done, sizes)
            .map(|(done, size)| {
                let place = rest.split_off(..size).unwrap_or_default();
                done.map(|len| PyBytes::new(py, &place[..len]))
            })
            .collect()
    }

    /// An error of one packet, which is of those that are done alone, or has the given number. A packet that was received and is
    /// malformed is no more authentic than one with a wrong tag.
    #[cold]
    fn failed(self, py: Python<'_>, row: Option<usize>, given: &Given<'_>, error: PacketError) -> PyErr {
        let text = match error {
            PacketError::TooShort | PacketError::TooLong => {
                format!("{error}; it has {} bytes", given.input.len())
            }
            PacketError::Index => {
                format!("the index of a packet of RTCP is 0 to {}, and not {}", u32::MAX >> 1, given.number)
            }
            error => error.to_string(),
        };
        if self.unprotects {
            return errors::invalid_tag(py, text);
        }
        PyValueError::new_err(match row {
            Some(row) => format!("packet {row}: {text}"),
            None => text,
        })
    }

    /// Does many packets; returns the results, `None` for those that are not authentic, and the numbers of these.
    fn many<'py>(
        self,
        sessions: &Bound<'py, PyAny>,
        packets: &Bound<'py, PyAny>,
        numbers: &Bound<'py, PyAny>,
        rtcp: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyList>, Vec<usize>)> {
        let py = sessions.py();
        let sessions = OneOrEach::new(sessions, "sessions", |one| {
            instance::<PySession>(one, "an abreast.srtp.Session")
        })?;
        let numbers = OneOrEach::new(numbers, "numbers", number::<u32>)?;
        let rtp = PyBool::new(py, false).to_owned().into_any();
        let rtcp = OneOrEach::new(rtcp.unwrap_or(&rtp), "rtcp flags", |rtcp| rtcp.extract::<bool>())?;
        let (results, mut refused) = (PyList::empty(py), Vec::new());
        let others = [sessions.each(), numbers.each(), rtcp.each()];
        in_windows((packets, "packets"), others, |first, inputs, [of_sessions, of_numbers, of_rtcp]| {
            let count = inputs.len();
            let sessions = sessions.window(first, count, of_sessions)?;
            let numbers = numbers.window(first, count, of_numbers)?;
            let rtcp = rtcp.window(first, count, of_rtcp)?;
            let given: Vec<_> = zip(zip(&sessions, inputs), zip(numbers, rtcp))
                .map(|((session, input), (number, rtcp))| Given {
                    session: &session.get().session,
                    input,
                    kind: if rtcp { Kind::Rtcp } else { Kind::Rtp },
                    number,
                })
                .collect();
            for (row, (given, done)) in zip(first.., zip(&given, self.run(py, &given))) {
                match done {
                    Ok(made) => results.append(made)?,
                    Err(_) if self.unprotects => {
                        refused.push(row);
                        results.append(py.None())?;
                    }
                    Err(error) => return Err(self.failed(py, Some(row), given, error)),
                }
            }
            Ok(())
        })?;
        Ok((results, refused))
    }
}

/// Protects many packets side by side. sessions, numbers, rtcp: one for all, or an iterable with one for each packet. A number is that of
/// roll-overs of RTP, or the index of RTCP; rtcp is True for a packet of RTCP.
#[pyfunction]
#[pyo3(signature = (sessions, packets, numbers, *, rtcp=None),
    text_signature = "(sessions, packets, numbers, *, rtcp=False)")]
pub(crate) fn protect_many<'py>(
    sessions: &Bound<'py, PyAny>,
    packets: &Bound<'py, PyAny>,
    numbers: &Bound<'py, PyAny>,
    rtcp: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyList>> {
    Ok(PROTECT.many(sessions, packets, numbers, rtcp)?.0)
}

/// Unprotects many packets, as protect_many protects them; the number of a packet of RTCP is not looked at, which has its index. If some
/// are malformed or not authentic, raises InvalidTag, whose rows are their numbers; with invalid="none", they are None in the list.
#[pyfunction]
#[pyo3(signature = (sessions, packets, numbers, *, rtcp=None, invalid="raise"),
    text_signature = "(sessions, packets, numbers, *, rtcp=False, invalid='raise')")]
pub(crate) fn unprotect_many<'py>(
    sessions: &Bound<'py, PyAny>,
    packets: &Bound<'py, PyAny>,
    numbers: &Bound<'py, PyAny>,
    rtcp: Option<&Bound<'py, PyAny>>,
    invalid: &str,
) -> PyResult<Bound<'py, PyList>> {
    let to_none = errors::to_none(invalid)?;
    let (results, refused) = UNPROTECT.many(sessions, packets, numbers, rtcp)?;
    if refused.is_empty() || to_none {
        Ok(results)
    } else {
        Err(errors::invalid_rows(sessions.py(), refused))
    }
}

/// The index that a packet of RTP most likely has (RFC 3711, section 3.3.1): its number of roll-overs times 2^16, and its own number.
/// rollovers, highest: those of the packet with the highest index so far. sequence: the number of the packet, its third and fourth byte.
#[pyfunction]
pub(crate) fn estimated_index(
    #[pyo3(from_py_with = number)] rollovers: u32,
    #[pyo3(from_py_with = number)] highest: u16,
    #[pyo3(from_py_with = number)] sequence: u16,
) -> u64 {
    srtp::estimated_index(rollovers, highest, sequence)
}
