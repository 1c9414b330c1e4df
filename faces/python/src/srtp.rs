//! SRTP: sessions, and packets of RTP and RTCP, alone or many in one call: `abreast.srtp`.

use abreast::Counted;
use abreast_frames::PacketError;
use abreast_frames::srtp::{self, Profile, Session, SrtpPacket};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyList};
use std::iter::zip;

use crate::arguments::{flag, instance, text};
use crate::buffers::Input;
use crate::errors;
use crate::frames::{Given, Many, Operation, with_len};
use crate::numbers::number;
use crate::windows::{OneOrEach, in_windows};

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
    fn new(
        #[pyo3(from_py_with = text)] profile: &str,
        master_key: Input<'_>,
        master_salt: Input<'_>,
    ) -> PyResult<Self> {
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
                    "the {what} has {}; it has {accepted} in {}",
                    Counted(given, "bytes"),
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
    ) -> PyResult<Bound<'py, PyAny>> {
        self.one(py, false, &packet, Kind::Rtp, rollovers)
    }

    /// Decrypts a packet of RTP, or raises InvalidTag if it is not authentic.
    fn unprotect<'py>(
        &self,
        py: Python<'py>,
        packet: Input<'_>,
        #[pyo3(from_py_with = number)] rollovers: u32,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.one(py, true, &packet, Kind::Rtp, rollovers)
    }

    /// Encrypts a packet of RTCP, or with encrypted=False authenticates it only, and appends its index and its tag. index: 0 to
    /// 2^31 - 1, which must not repeat under a session and a sender.
    #[pyo3(signature = (packet, index, *, encrypted=true))]
    fn protect_rtcp<'py>(
        &self,
        py: Python<'py>,
        packet: Input<'_>,
        #[pyo3(from_py_with = number)] index: u32,
        #[pyo3(from_py_with = flag)] encrypted: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.one(py, false, &packet, if encrypted { Kind::Rtcp } else { Kind::ClearRtcp }, index)
    }

    /// Decrypts a packet of RTCP, or raises InvalidTag if it is not authentic.
    fn unprotect_rtcp<'py>(&self, py: Python<'py>, packet: Input<'_>) -> PyResult<Bound<'py, PyAny>> {
        self.one(py, true, &packet, Kind::Rtcp, 0)
    }

    /// Returns the index that a protected packet of RTCP has, and True if it is encrypted. Anybody can have written both before
    /// unprotect_rtcp has found the packet authentic.
    fn rtcp_index(&self, packet: Input<'_>) -> PyResult<(u32, bool)> {
        let profile = self.session.profile();
        // At the end in GCM, and in front of the tag otherwise.
        let from_end = if is_gcm(profile) { 4 } else { profile.rtcp_overhead() };
        let sent = packet.len().checked_sub(from_end).and_then(|at| packet[at..].first_chunk());
        let sent = sent
            .filter(|_| packet.len() >= 8 + profile.rtcp_overhead())
            .ok_or_else(|| PyValueError::new_err(with_len(PacketError::TooShort, packet.len())))?;
        let sent = u32::from_be_bytes(*sent);
        Ok((sent & (u32::MAX >> 1), sent >> 31 != 0))
    }
}

impl PySession {
    /// Does one packet.
    fn one<'py>(
        &self,
        py: Python<'py>,
        opens: bool,
        input: &Input<'_>,
        kind: Kind,
        number: u32,
    ) -> PyResult<Bound<'py, PyAny>> {
        let given = OfSession { session: &self.session, input, kind, number };
        if opens { unprotecting() } else { protecting() }.one(py, given)
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
struct OfSession<'a> {
    session: &'a Session,
    input: &'a [u8],
    kind: Kind,
    number: u32,
}

impl Given for OfSession<'_> {
    type Packet<'p> = SrtpPacket<'p>;
    type Done = usize;

    fn room(&self, opens: bool) -> usize {
        let profile = self.session.profile();
        self.input.len()
            + match self.kind {
                _ if opens => 0,
                Kind::Rtp => profile.rtp_overhead(),
                Kind::Rtcp | Kind::ClearRtcp => profile.rtcp_overhead(),
            }
    }

    fn in_place<'p>(&'p self, _: bool, place: &'p mut [u8]) -> Result<SrtpPacket<'p>, PacketError> {
        let len = self.input.len();
        place[..len].copy_from_slice(self.input);
        Ok(match self.kind {
            Kind::Rtp => SrtpPacket::rtp(self.session, self.number, place, len),
            Kind::Rtcp => SrtpPacket::rtcp(self.session, self.number, place, len),
            Kind::ClearRtcp => SrtpPacket::rtcp(self.session, self.number, place, len).in_the_clear(),
        })
    }

    fn done(packet: &SrtpPacket<'_>) -> Result<usize, PacketError> {
        packet.result
    }

    fn object<'py>(&self, py: Python<'py>, place: &[u8], len: usize) -> PyResult<Bound<'py, PyAny>> {
        Ok(PyBytes::new(py, &place[..len]).into_any())
    }

    fn text(&self, error: PacketError) -> String {
        match error {
            PacketError::Index => {
                format!("the index of a packet of RTCP is 0 to {}, and not {}", u32::MAX >> 1, self.number)
            }
            error => with_len(error, self.input.len()),
        }
    }
}

fn protecting<'a>() -> Operation<OfSession<'a>> {
    Operation { run: srtp::protect, opens: false }
}

fn unprotecting<'a>() -> Operation<OfSession<'a>> {
    Operation { run: srtp::unprotect, opens: true }
}

/// Does many packets.
fn many<'py>(
    opens: bool,
    sessions: &Bound<'py, PyAny>,
    packets: &Bound<'py, PyAny>,
    numbers: &Bound<'py, PyAny>,
    rtcp: Option<&Bound<'py, PyAny>>,
) -> PyResult<Many<'py>> {
    let py = sessions.py();
    let sessions = OneOrEach::new(sessions, "sessions", instance::<PySession>)?;
    let numbers = OneOrEach::new(numbers, "numbers", number::<u32>)?;
    let rtp = PyBool::new(py, false).to_owned().into_any();
    let rtcp = OneOrEach::new(rtcp.unwrap_or(&rtp), "rtcp flags", flag)?;
    let mut many = Many::new(py);
    let others = [sessions.each(), numbers.each(), rtcp.each()];
    in_windows((packets, "packets"), others, |first, inputs, [of_sessions, of_numbers, of_rtcp]| {
        let count = inputs.len();
        let sessions = sessions.window(first, count, of_sessions)?;
        let numbers = numbers.window(first, count, of_numbers)?;
        let rtcp = rtcp.window(first, count, of_rtcp)?;
        let given: Vec<_> = zip(zip(&sessions, inputs), zip(numbers, rtcp))
            .map(|((session, input), (number, rtcp))| OfSession {
                session: &session.get().session,
                input,
                kind: if rtcp { Kind::Rtcp } else { Kind::Rtp },
                number,
            })
            .collect();
        many.add(&if opens { unprotecting() } else { protecting() }, first, &given)
    })?;
    Ok(many)
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
    many(false, sessions, packets, numbers, rtcp)?.finish(false)
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
    #[pyo3(from_py_with = text)] invalid: &str,
) -> PyResult<Bound<'py, PyList>> {
    let to_none = errors::to_none(invalid)?;
    many(true, sessions, packets, numbers, rtcp)?.finish(to_none)
}

/// Returns the index that a packet of RTP most likely has (RFC 3711, section 3.3.1): its number of roll-overs times 2^16, and its own number.
/// rollovers, highest: those of the packet with the highest index so far. sequence: the number of the packet, its third and fourth byte.
#[pyfunction]
pub(crate) fn estimated_index(
    #[pyo3(from_py_with = number)] rollovers: u32,
    #[pyo3(from_py_with = number)] highest: u16,
    #[pyo3(from_py_with = number)] sequence: u16,
) -> u64 {
    srtp::estimated_index(rollovers, highest, sequence)
}
