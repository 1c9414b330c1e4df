"""Broken ciphers, for old protocols and formats that need them.

>>> from abreast.legacy import RC4
>>> RC4(b"Key").update(b"Plaintext").hex()
'bbf316e8d940af0ad3'
"""

from ._abreast import RC4

__all__ = ["RC4"]
