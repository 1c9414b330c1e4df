"""QUIC (RFC 9001): packets, encrypted with their headers one at a time or many side by side.

Keys are those of one direction of a connection, made of what TLS derived: a key of AES-128-GCM or AES-256-GCM, its IV, and a key
for headers. A header is in clear and ends with the packet number, whose length its first byte says:

>>> from abreast.quic import PacketKeys, open_many, seal_many
>>> keys = PacketKeys(b"a key of 16 byte", b"iv, 12 bytes", b"for headers only")
>>> header = bytes([0x41]) + b"its id" + bytes([0, 7])
>>> packet = keys.seal(header, b"frames of a packet", 7)
>>> len(packet)
43
>>> keys.open(packet, 7, 5) == (header, b"frames of a packet", 7)
True

Many packets go side by side, all under one connection's keys or each under its own:

>>> connections = [PacketKeys(bytes([number]) * 16, bytes(12), bytes(16)) for number in range(100)]
>>> payloads = [bytes([number]) * 1200 for number in range(100)]
>>> packets = seal_many(connections, [header] * 100, payloads, 7)
>>> [payload for _, payload, _ in open_many(connections, packets, 7, 7)] == payloads
True

After an update of keys, ``keys.updated(key, iv)`` opens packets of both phases. The reserved bits of an authentic header must be
zero, which is left to the caller, as are the secrets that keys come from.
"""

from ._abreast import PacketKeys, full_number
from ._abreast import quic_open_many as open_many
from ._abreast import quic_seal_many as seal_many
from ._errors import InvalidTag

__all__ = ["InvalidTag", "PacketKeys", "full_number", "open_many", "seal_many"]
