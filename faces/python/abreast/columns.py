"""Columns of values, each encrypted by itself: offsets and bytes as Arrow has them, in one call and without copies.

>>> from array import array
>>> import abreast
>>> from abreast.columns import Values, decrypt, encrypt
>>> names = Values(array("i", [0, 3, 3, 8]), b"Annbravo")
>>> key = abreast.AESGCM(abreast.AESGCM.generate_key())
>>> sealed = encrypt(key, names, associated_data=b"users.name")
>>> sealed.offsets.tolist()
[0, 31, 59, 92]
>>> bytes(decrypt(key, sealed, associated_data=b"users.name").data)
b'Annbravo'

What a value becomes depends on the key:

=============================================  ===========================  ==========  ==========================
key                                            a value becomes              longer by   equal values
=============================================  ===========================  ==========  ==========================
``AESGCM``, ``SerpentGCM``, ``AESGCMKeys``     nonce, ciphertext, tag       28 bytes    become different
``AESGCMSIV``                                  nonce, ciphertext, tag       28 bytes    become different
``AESSIV``                                     tag, ciphertext              16 bytes    become equal, so they join
``AEZ``                                        ciphertext                   16 bytes    become equal, so they join
``XTEAKeys``                                   first counter, ciphertext    8 bytes     become different; **no tag**
=============================================  ===========================  ==========  ==========================

One value by itself opens as ``AESGCM(key).decrypt(value[:12], value[12:], associated_data)``,
``AESSIV(key).decrypt(value, [associated_data])`` or ``AEZ(key).decrypt(b"", value, associated_data)``, where no associated data
is ``b""``: one empty string for AES-SIV.

Several keys of one class, in an iterable, are for rows with a key each. A key of :mod:`abreast.keyring` is one with several
generations, whose numbers are five bytes before each value.

A random nonce may be used for some 2^32 values under one key of GCM; AES-SIV and AEZ have no such limit, and show which
values are equal. Whoever can replace values can swap the values of two rows, unless ``associated_data`` is a column that says
which row each belongs to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from . import _arguments
from ._abreast import (
    AESGCM,
    AESGCMSIV,
    AESSIV,
    AEZ,
    AESGCMKeys,
    SerpentGCM,
    XTEAKeys,
    column,
    ring_column,
    ring_reencrypt,
)
from .keyring import RingKey

if TYPE_CHECKING:
    from typing import TypeAlias

    from typing_extensions import Buffer

    OneKey: TypeAlias = AESGCM | SerpentGCM | AESGCMSIV | AESSIV | AEZ
    ColumnKey: TypeAlias = OneKey | RingKey | AESGCMKeys | XTEAKeys | Iterable[OneKey]

__all__ = ["AESGCMKeys", "MadeValues", "Values", "XTEAKeys", "decrypt", "encrypt", "reencrypt"]


@dataclass(frozen=True, slots=True)
class Values:
    """A column. ``offsets`` are numbers of 32 or 64 bits, one more than there are rows; row ``i`` is
    ``data[offsets[i]:offsets[i + 1]]``.

    ``validity``, if there are nulls, has a bit for each row, the lowest of a byte first, from bit ``validity_offset`` on:
    0 for null.
    """

    offsets: Buffer
    data: Buffer
    validity: Buffer | None = None
    validity_offset: int = 0

    @property
    def rows(self) -> int:
        """The number of rows."""
        width = memoryview(self.offsets).itemsize
        return max(0, len(_arguments.flat(self.offsets)) // width - 1)

    def _parts(self) -> tuple[object, ...]:
        return self.offsets, self.data, self.validity, self.validity_offset, self._make

    @property
    def _make(self) -> Callable[[int], Buffer] | None:
        """The function that makes a buffer for the bytes of results, which are bytes without one."""
        return None


@dataclass(frozen=True, slots=True)
class MadeValues(Values):
    """A column that was encrypted or decrypted, with buffers of its own."""

    offsets: memoryview
    data: bytes
    validity: bytes | None = None


def encrypt(
    key: ColumnKey,
    values: Values,
    *,
    nonces: Buffer | None = None,
    associated_data: Buffer | Values | None = b"",
    key_index: Buffer | None = None,
) -> MadeValues:
    """Encrypts each value of a column by itself; nulls stay null.

    ``nonces`` are the nonces of all rows one after the other, 12 bytes each for GCM and GCM-SIV and 8 for XTEA; random ones unless
    they are given, and none for AES-SIV, AEZ and keys of a ring. ``associated_data`` is one string for all rows, or a column with one
    for each, null at most where the value is. ``key_index``, numbers of 32 bits without sign, says for each row which of several keys
    it has; without it, row ``i`` has key ``i``, and with one key of a ring all rows have that. Offsets stay as wide as they are;
    OverflowError says that 32 bits are too few for the result.
    """
    if isinstance(key, RingKey):
        if nonces is not None:
            raise ValueError("the nonces of values under the keys of a ring are random; leave out nonces")
        ring = _ring(key, key_index)
        return _made(values, ring_column(ring, _column(values), _strings(associated_data), key_index, False, False))
    return _made(values, column(key, _column(values), nonces, _strings(associated_data), key_index, False, False))


def decrypt(
    key: ColumnKey,
    values: Values,
    *,
    associated_data: Buffer | Values | None = b"",
    key_index: Buffer | None = None,
    invalid: Literal["raise", "null"] = "raise",
) -> MadeValues:
    """Decrypts a column from :func:`encrypt`.

    If some rows are not authentic, raises InvalidTag, whose ``rows`` are their numbers; with ``invalid="null"`` they
    become null, and their bytes zeros or none. Under a key of a ring, UnknownKey, which is an InvalidTag too, has the rows
    that name generations which the ring does not have.
    """
    to_null = _arguments.one_of(invalid, "invalid", ("raise", "null")) == "null"
    if isinstance(key, RingKey):
        ring = _ring(key, key_index)
        return _made(values, ring_column(ring, _column(values), _strings(associated_data), key_index, True, to_null))
    return _made(values, column(key, _column(values), None, _strings(associated_data), key_index, True, to_null))


def reencrypt(
    key: RingKey,
    values: Values,
    *,
    to: RingKey | None = None,
    associated_data: Buffer | Values | None = b"",
    to_associated_data: Buffer | Values | None = None,
    key_index: Buffer | None = None,
) -> tuple[MadeValues, int]:
    """Decrypts each value with the generation that it names and encrypts it with the primary one; Python never has the plaintext.

    ``to`` is another key of a ring, with as many names, for the new values, and ``to_associated_data`` what they are bound to, if that
    changes. Without a change of them, values that begin as those of the primary do stay as they are, **without a look at their
    tags**. Returns the column and the number of values that stayed. The errors are those of :func:`decrypt`, and then nothing is
    returned.
    """
    for name, given in (("key", key), ("to", key if to is None else to)):
        _arguments.instance(given, name, RingKey, "a key of a ring, such as Keyring()['name']")
    keep = to is None and to_associated_data is None
    old = _strings(associated_data)
    made, kept = ring_reencrypt(
        _ring(key, key_index),
        _ring(to or key, key_index),
        _column(values),
        old,
        old if to_associated_data is None else _strings(to_associated_data),
        key_index,
        keep,
    )
    return _made(values, made), kept


def _ring(key: RingKey, key_index: Buffer | None) -> list[list[tuple[bytes, object]]]:
    if len(key.names) != 1 and key_index is None:
        raise ValueError(f"there are {len(key.names)} keys; pass key_index")
    return key._ring


def _column(values: object) -> tuple[object, ...]:
    if not isinstance(values, Values):
        raise TypeError(f"the values of a column are abreast.columns.Values, and not {type(values).__name__}")
    return values._parts()


def _strings(associated_data: Buffer | Values | None) -> Buffer | tuple[object, ...]:
    if associated_data is None:
        return b""
    return associated_data._parts() if isinstance(associated_data, Values) else associated_data


def _made(values: Values, made: tuple[bytes, bytes, bytes | None]) -> MadeValues:
    offsets, data, validity = made
    width = memoryview(values.offsets).itemsize
    return MadeValues(memoryview(offsets).cast("i" if width == 4 else "q"), data, validity)
