"""SRTP (RFC 3711): packets of RTP and RTCP, protected one at a time or many side by side.

A session has the keys of one direction, made of a master key and its salt:

>>> from abreast.srtp import Session, protect_many, unprotect_many
>>> session = Session("aes-128-cm-sha1-80", b"the master's key", b"a master salt.")
>>> header = bytes.fromhex("800012670000000012345678")
>>> protected = session.protect(header + b"twenty milliseconds", 0)
>>> len(protected)
41
>>> session.unprotect(protected, 0)[12:]
b'twenty milliseconds'

Many packets go side by side, all under one session or each under its own. A number is how often the sequence numbers of RTP have
begun anew, or the index of a packet of RTCP:

>>> sessions = [Session("aes-128-gcm", bytes([number]) * 16, bytes(12)) for number in range(100)]
>>> packets = [header + bytes([number]) * 160 for number in range(100)]
>>> unprotect_many(sessions, protect_many(sessions, packets, 0), 0) == packets
True

The profiles are aes-128-cm-sha1-80, aes-128-cm-sha1-32, the same with aes-192 and aes-256, aes-128-gcm and aes-256-gcm (RFC 3711, 6188,
7714). Salts have 14 bytes, in GCM 12. There are neither master key identifiers (MKI) nor encrypted headers, and no list against replays:
the caller gives the number of roll-overs (``estimated_index(...) >> 16``), and keeps the indices of packets that were authentic.
"""

from ._abreast import Session, estimated_index, protect_many, unprotect_many
from ._errors import InvalidTag

__all__ = ["InvalidTag", "Session", "estimated_index", "protect_many", "unprotect_many"]
