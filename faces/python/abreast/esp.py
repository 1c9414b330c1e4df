"""IPsec ESP (RFC 4303): packets, sealed and opened one at a time or many side by side.

An association has the keys of one direction. A text is what ESP encrypts: the payload, padding, its length and the next header,
which are the caller's:

>>> from abreast.esp import Association, open_many, seal_many
>>> association = Association("aes-gcm", 0x4321, b"a key of 16 byte" + b"salt")
>>> text = b"an IP packet and its padding" + bytes([0, 4])
>>> packet = association.seal(text, 1)
>>> packet[:8].hex(), len(packet)
('0000432100000001', 62)
>>> association.open(packet) == text
True

Many packets go side by side, all under one association or each under its own:

>>> associations = [Association("aes-ctr-hmac-sha256-128", spi, bytes(20), bytes([spi]) * 32) for spi in range(100)]
>>> texts = [bytes([number]) * 160 for number in range(100)]
>>> open_many(associations, seal_many(associations, texts, range(1, 101))) == texts
True

The suites are aes-cbc-hmac-sha1-96, aes-cbc-hmac-sha256-128, the same with aes-ctr, and aes-gcm (RFC 3602, 3686, 4106; 2404,
4868). A key is that of AES, 16, 24 or 32 bytes, followed in counter mode and in GCM by the 4 bytes of nonce or salt; a key to
authenticate with has 20 bytes for SHA-1 and 32 for SHA-256. Vectors that the caller leaves out are the sequence number, or random
in CBC.

With ``extended=True`` sequence numbers have 64 bits, of which the upper half is authenticated and not sent. The caller infers it,
and keeps the list against replays.
"""

from ._abreast import Association
from ._abreast import esp_open_many as open_many
from ._abreast import esp_seal_many as seal_many
from ._errors import InvalidTag

__all__ = ["Association", "InvalidTag", "open_many", "seal_many"]
