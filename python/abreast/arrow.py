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


def encrypt_column(
    values: Any,
    key: ColumnKey,
    *,
    nonces: Buffer | None = None,
    associated_data: Any = b"",
    key_index: Any = None,
) -> Any:
    """Encrypts each value of an array or chunked array of binary or string values to an array of binary ones.

    Nulls stay null. ``key`` is what :func:`abreast.columns.encrypt` takes, and says what a value becomes.
    ``associated_data`` is one string for all rows or an array with one for each; ``key_index`` is an array of integers
    that says which of several keys each row has; ``nonces`` are those of all rows one after the other, null ones too. Where
    values become longer than offsets of 32 bits can say, pass ``large_binary`` or ``large_string`` values, which stay large.
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
    """Decrypts what :func:`encrypt_column` returned, to binary values or, with ``type=pyarrow.string()``, to text.

    If some rows are not authentic, raises InvalidTag, whose ``rows`` are their numbers; with ``invalid="null"`` they
    become null.
    """
    if invalid not in ("raise", "null"):
        raise ValueError(f"invalid is 'raise' or 'null', and not {invalid!r}")
    return _each(values, associated_data, key_index, None, key, invalid, type)


def _chunks(values: Any) -> tuple[list[pa.Array], bool, pa.DataType]:
    """The arrays that values consist of, and whether they are an array that is chunked."""
    if not isinstance(values, (pa.Array, pa.ChunkedArray)):
        if hasattr(values, "__arrow_c_stream__"):
            values = pa.chunked_array(values)
        else:
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


def _values(array: pa.Array) -> columns.Values:
    """The buffers of an array, and no copies of them."""
    large = pa.types.is_large_string(array.type) or pa.types.is_large_binary(array.type)
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


def _one(values: Any) -> pa.Array:
    """An array in one piece."""
    chunks, _, kind = _chunks(values)
    if len(chunks) == 1:
        return chunks[0]
    return pa.concat_arrays(chunks) if chunks else pa.array([], kind)


def _each(
    values: Any,
    associated_data: Any,
    key_index: Any,
    nonces: Buffer | None,
    key: ColumnKey,
    invalid: Literal["raise", "null"] | None,
    kind: pa.DataType | None,
) -> Any:
    """Chunk by chunk, so that what belongs to rows is cut as they are."""
    chunks, chunked, original = _chunks(values)
    rows = sum(len(chunk) for chunk in chunks)
    strings = None
    if not isinstance(associated_data, (bytes, bytearray, memoryview)):
        strings = _binary(_one(associated_data))
        if len(strings) != rows:
            raise ValueError(f"there are {rows} rows and {len(strings)} strings of associated data")
    index = None
    if key_index is not None:
        index = _one(key_index).cast(pa.uint32())
        if len(index) != rows or index.null_count:
            raise ValueError(f"key_index has a number for each of the {rows} rows and no nulls")
    one_by_one = index is None and isinstance(key, (columns.AESGCMKeys, columns.XTEAKeys, list, tuple))
    if one_by_one and len(chunks) > 1:
        index = pa.array(range(rows), pa.uint32())
    view = None if nonces is None else memoryview(nonces).cast("B")
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
    large = pa.types.is_large_string(original) or pa.types.is_large_binary(original)
    return pa.chunked_array(made, (kind or (pa.large_binary() if large else pa.binary())) if not made else None)
