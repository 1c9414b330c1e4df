"""AES key wrap (NIST SP 800-38F): keys encrypted by other keys, one at a time or many side by side.

The functions for one key, and their exception, have the names of those of pyca/cryptography.

>>> from abreast.keywrap import aes_key_unwrap, aes_key_unwrap_many, aes_key_wrap, aes_key_wrap_many
>>> wrapping_key, key = bytes(32), b"a key of 16 byte"
>>> wrapped = aes_key_wrap(wrapping_key, key)
>>> len(wrapped)
24
>>> aes_key_unwrap(wrapping_key, wrapped)
b'a key of 16 byte'

A key by itself leaves the CPU waiting, and many go side by side, under one wrapping key or under a key each:

>>> keys = [bytes([number]) * 32 for number in range(100)]
>>> aes_key_unwrap_many(wrapping_key, aes_key_wrap_many(wrapping_key, keys)) == keys
True

``aes_key_wrap`` (KW, RFC 3394) takes keys of 16 bytes or more, a multiple of 8. With padding (KWP, RFC 5649), a key has any length
but 0. Equal keys are wrapped equally, which is all that is revealed.

A wrapping key is 16, 24 or 32 bytes, or an ``abreast.AES``, which expands the key once; also an ``abreast.Serpent``.
"""

from ._abreast import (
    aes_key_unwrap,
    aes_key_unwrap_many,
    aes_key_unwrap_with_padding,
    aes_key_wrap,
    aes_key_wrap_many,
    aes_key_wrap_with_padding,
)
from ._errors import InvalidUnwrap

__all__ = [
    "InvalidUnwrap",
    "aes_key_unwrap",
    "aes_key_unwrap_many",
    "aes_key_unwrap_with_padding",
    "aes_key_wrap",
    "aes_key_wrap_many",
    "aes_key_wrap_with_padding",
]
