"""Broken ciphers, for old protocols and formats that need them.

>>> from abreast.legacy import RC4, rc4_many
>>> RC4(b"Key").update(b"Plaintext").hex()
'bbf316e8d940af0ad3'
>>> rc4_many([b"Key", b"Wiki"], [b"Plaintext", b"pedia"])[1].hex()
'1021bf0420'
"""

from ._abreast import RC4, rc4_many

__all__ = ["RC4", "rc4_many"]
