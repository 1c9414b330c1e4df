"""Columns of Arrow: pyarrow arrays, and whatever has Arrow's C data interface, such as the series of Polars and pandas.

>>> import pyarrow as pa
>>> import abreast
>>> from abreast.arrow import decrypt_column, encrypt_column
>>> key = abreast.AESSIV(abreast.AESSIV.generate_key())
>>> sealed = encrypt_column(pa.array(["Ann", None, "bravo"]), key, associated_data=b"users.name")
>>> sealed.type, sealed.null_count
(DataType(binary), 1)
>>> decrypt_column(sealed, key, associated_data=b"users.name", type=pa.string()).to_pylist()
['Ann', None, 'bravo']

The same two functions work in Polars (``map_batches``), DuckDB (Arrow functions), pandas, Spark (``mapInArrow``) and Dask
(``map_partitions``); see ``examples/columns.py``. The input is not copied, slices neither.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal

from . import columns
from ._errors import InvalidTag
from ._extras import require

if TYPE_CHECKING:
    import pyarrow as pa
    from typing_extensions import Buffer

    from .columns import ColumnKey
else:
    pa = require("pyarrow", "arrow")

__all__ = ["decrypt_column", "encrypt_column"]

_FIX = ': pass "abc".encode() or b"abc"'


def encrypt_column(
    values: Any,
    key: ColumnKey,
    *,
    nonces: Buffer | None = None,
    associated_data: Any = b"",
    key_index: Any = None,
) -> Any:
    """Encrypts each value of an array or chunked array of binary or string values to an array of binary ones.

    Nulls stay null. ``key`` is a key for :func:`abreast.columns.encrypt`, and decides the form of encrypted values.
    ``associated_data`` is one bytes-like object for all rows or an array with a string for each, which is null at most where
    the value is; ``key_index`` is an array of integers that says which of several keys each row has; ``nonces`` are the
    nonces of all rows one after the other, null ones too. Where values become longer than offsets of 32 bits can say, pass
    ``large_binary`` or ``large_string`` values, which stay large.
    """
    return _each(values, associated_data, key_index, nonces, key, None, None)


def decrypt_column(
    values: Any,
    key: ColumnKey,
    *,
    associated_data: Any = b"",
    key_index: Any = None,
    type: pa.DataType | None = None,
    invalid: Literal["raise", "null"] = "raise",
) -> Any:
    """Decrypts a column from :func:`encrypt_column`, to binary values or, with ``type=pyarrow.string()``, to text.

    If some rows are not authentic, raises InvalidTag, whose ``rows`` are their numbers; with ``invalid="null"`` they
    become null.
    """
    if invalid not in ("raise", "null"):
        raise ValueError(f"invalid is 'raise' or 'null', and not {invalid!r}")
    return _each(values, associated_data, key_index, None, key, invalid, type)


def _chunks(values: Any, what: str) -> tuple[list[pa.Array], bool, pa.DataType]:
    """The arrays that values consist of, and whether they are an array that is chunked."""
    if not isinstance(values, (pa.Array, pa.ChunkedArray)):
        if hasattr(values, "__arrow_c_stream__"):
            values = pa.chunked_array(values)
        else:
            # Python would go through text and bytes letter by letter, and through a set in any order.
            if isinstance(values, (str, bytes, bytearray, set, frozenset, dict, pa.Scalar)) or values is None:
                raise TypeError(f"{what}, not {type(values).__name__}{_FIX if isinstance(values, str) else ''}")
            values = pa.array(values)
    if isinstance(values, pa.ChunkedArray):
        return values.chunks, True, values.type
    return [values], False, values.type


def _binary(array: pa.Array) -> pa.Array:
    """An array with offsets and bytes of the same values."""
    kind = array.type
    if pa.types.is_dictionary(kind):
        return _binary(array.dictionary_decode())
    if pa.types.is_string(kind) or pa.types.is_binary(kind):
        return array
    if pa.types.is_large_string(kind) or pa.types.is_large_binary(kind):
        return array
    if pa.types.is_fixed_size_binary(kind) or pa.types.is_null(kind):
        return array.cast(pa.binary())
    if kind in (pa.string_view(), pa.binary_view()):
        return array.cast(pa.large_binary())
    raise TypeError(f"the values of a column are binary or string, and these are {kind}; cast them first")


def _is_large(kind: pa.DataType) -> bool:
    """True if offsets have 64 bits."""
    return bool(pa.types.is_large_string(kind) or pa.types.is_large_binary(kind))


def _array_type(kind: pa.DataType) -> pa.DataType:
    """The type of results for values of a type with offsets."""
    return pa.large_binary() if _is_large(kind) else pa.binary()


def _values(array: pa.Array) -> columns.Values:
    """The buffers of an array, and no copies of them."""
    large = _is_large(array.type)
    validity, offsets, data = array.buffers()
    width, count, first = (8 if large else 4), len(array), array.offset
    if offsets is None or offsets.size == 0:
        return columns.Values(memoryview(bytes(width)).cast("q" if large else "i"), b"")
    numbers = memoryview(offsets).cast("B")[first * width : (first + count + 1) * width]
    return columns.Values(
        numbers.cast("q" if large else "i"),
        b"" if data is None else memoryview(data),
        None if validity is None or array.null_count == 0 else memoryview(validity),
        first,
    )


def _array(made: columns.MadeValues, kind: pa.DataType | None) -> pa.Array:
    """An array over the buffers that were made."""
    large = made.offsets.itemsize == 8
    validity = None if made.validity is None else pa.py_buffer(made.validity)
    buffers = [validity, pa.py_buffer(made.offsets), pa.py_buffer(made.data)]
    array = pa.Array.from_buffers(pa.large_binary() if large else pa.binary(), made.rows, buffers)
    return array if kind is None else array.cast(kind)


def _one(values: Any, what: str) -> pa.Array:
    """An array in one piece."""
    chunks, _, kind = _chunks(values, what)
    if len(chunks) == 1:
        return chunks[0]
    return pa.concat_arrays(chunks) if chunks else pa.array([], kind)


def _is_one(associated_data: Any) -> bool:
    """True if this is one string for all rows: it has a buffer, and is no array of strings."""
    if isinstance(associated_data, (pa.Array, pa.ChunkedArray)):
        return False
    if getattr(getattr(associated_data, "dtype", None), "kind", "") in ("O", "S", "T", "U"):
        return False
    try:
        memoryview(associated_data).release()
    except (TypeError, ValueError):
        return False
    return True


def _flat(buffer: Buffer) -> memoryview:
    """The bytes of a buffer, which is copied if its items have a type that Python does not know."""
    if isinstance(buffer, str):
        raise TypeError(f"a bytes-like object is required, not str{_FIX}")
    view = memoryview(buffer)
    if not view.c_contiguous:
        raise BufferError("the buffer is not in one piece of memory; bytes(buffer) copies it into one")
    try:
        return view.cast("B")
    except (TypeError, ValueError, NotImplementedError):
        return memoryview(view.tobytes())


def _index(key_index: Any, rows: int) -> pa.Array:
    """The numbers of the keys of rows."""
    index = _one(key_index, f"key_index is an array of integers with one for each of the {rows} rows")
    if not pa.types.is_integer(index.type) and len(index):
        raise TypeError(f"key_index is an array of integers, not of {index.type}")
    index = index.cast(pa.uint32())
    if len(index) != rows or index.null_count:
        raise ValueError(f"key_index has a number for each of the {rows} rows and no nulls")
    return index


def _each(
    values: Any,
    associated_data: Any,
    key_index: Any,
    nonces: Buffer | None,
    key: ColumnKey,
    invalid: Literal["raise", "null"] | None,
    kind: pa.DataType | None,
) -> Any:
    """Chunk by chunk; arguments of rows are cut as the rows are."""
    chunks, chunked, original = _chunks(values, "the values of a column are an array of binary or string values")
    rows = sum(len(chunk) for chunk in chunks)
    strings = None
    if associated_data is None:
        associated_data = b""
    elif not _is_one(associated_data):
        strings = _binary(
            _one(associated_data, "associated_data is a bytes-like object or an array with a string for each row")
        )
        if len(strings) != rows:
            raise ValueError(f"there are {rows} rows and {len(strings)} strings of associated data")
    if isinstance(key, Iterable):
        # Each chunk goes through the keys again.
        key = list(key)
    index = None if key_index is None else _index(key_index, rows)
    one_by_one = index is None and isinstance(key, (columns.AESGCMKeys, columns.XTEAKeys, list))
    if one_by_one and len(chunks) > 1:
        index = pa.array(range(rows), pa.uint32())
    view = None if nonces is None else _flat(nonces)
    if view is not None and rows and len(view) % rows:
        raise ValueError(f"nonces are of the same length for each of the {rows} rows")
    width = 0 if view is None or not rows else len(view) // rows
    made, refused, at = [], [], 0
    for chunk in chunks:
        array = _binary(chunk)
        count = len(array)
        aad = associated_data if strings is None else _values(strings.slice(at, count))
        numbers = None
        if index is not None:
            piece = index.slice(at, count)
            raw = memoryview(piece.buffers()[1]).cast("B")[piece.offset * 4 : (piece.offset + count) * 4]
            numbers = raw.cast("I")
        if invalid is None:
            own = None if view is None else view[at * width : (at + count) * width]
            done = columns.encrypt(key, _values(array), nonces=own, associated_data=aad, key_index=numbers)
            made.append(_array(done, None))
        else:
            try:
                opened = columns.decrypt(
                    key, _values(array), associated_data=aad, key_index=numbers, invalid=invalid
                )
                made.append(_array(opened, kind))
            except InvalidTag as error:
                refused += [at + row for row in error.rows]
        at += count
    if refused:
        raise InvalidTag.of_rows(refused)
    if not chunked:
        return made[0]
    # Without chunks, of the type that their results would have.
    return pa.chunked_array(made, kind or _array_type(_binary(pa.array([], original)).type))
