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

import itertools
import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from . import columns
from ._errors import InvalidTag, UnknownKey
from ._extras import require

if TYPE_CHECKING:
    import pyarrow as pa
    from typing_extensions import Buffer

    from .columns import ColumnKey
    from .keyring import RingKey
else:
    pa = require("pyarrow", "arrow")

__all__ = ["decrypt_column", "encrypt_column", "reencrypt_column"]

T = TypeVar("T")

_FIX = ': pass "abc".encode() or b"abc"'


def encrypt_column(
    values: Any,
    key: ColumnKey,
    *,
    nonces: Buffer | None = None,
    associated_data: Any = b"",
    key_index: Any = None,
    threads: int = 1,
) -> Any:
    """Encrypts each value of an array or chunked array of binary or string values to an array of binary ones.

    Nulls stay null. ``key`` is a key for :func:`abreast.columns.encrypt`, and decides the form of encrypted values.
    ``associated_data`` is one bytes-like object for all rows or an array with a string for each, which is null at most where
    the value is; ``key_index`` is an array of integers that says which of several keys each row has; ``nonces`` are the
    nonces of all rows one after the other, null ones too. Where values become longer than offsets of 32 bits can say, pass
    ``large_binary`` or ``large_string`` values, which stay large. ``threads`` share long columns.
    """

    def work(piece: columns.Values, aad: Any, index: Any, own: Any) -> columns.MadeValues:
        return columns.encrypt(key, piece, nonces=own, associated_data=aad, key_index=index)

    key = _again(key)
    each_own = isinstance(key, (columns.AESGCMKeys, columns.XTEAKeys, list))
    return _each(values, work, (associated_data,), key_index, nonces, each_own, None, threads)


def decrypt_column(
    values: Any,
    key: ColumnKey,
    *,
    associated_data: Any = b"",
    key_index: Any = None,
    type: pa.DataType | None = None,
    invalid: Literal["raise", "null"] = "raise",
    threads: int = 1,
) -> Any:
    """Decrypts a column from :func:`encrypt_column`, to binary values or, with ``type=pyarrow.string()``, to text.

    If some rows are not authentic, raises InvalidTag, whose ``rows`` are their numbers; with ``invalid="null"`` they
    become null.
    """
    if invalid not in ("raise", "null"):
        raise ValueError(f"invalid is 'raise' or 'null', and not {invalid!r}")

    def work(piece: columns.Values, aad: Any, index: Any, own: Any) -> columns.MadeValues:
        return columns.decrypt(key, piece, associated_data=aad, key_index=index, invalid=invalid)

    key = _again(key)
    each_own = isinstance(key, (columns.AESGCMKeys, columns.XTEAKeys, list))
    return _each(values, work, (associated_data,), key_index, None, each_own, type, threads)


def reencrypt_column(
    values: Any,
    key: RingKey,
    *,
    to: RingKey | None = None,
    associated_data: Any = b"",
    to_associated_data: Any = None,
    key_index: Any = None,
    threads: int = 1,
) -> Any:
    """Decrypts each value with the generation that it names and encrypts it with the primary one; Python never has the plaintext.

    ``key`` and ``to`` are keys of :class:`abreast.keyring.Keyring`. Values of the primary stay as they are, without a look at their
    tags, unless ``to`` or ``to_associated_data`` changes the key or what values are bound to. The errors are those of
    :func:`decrypt_column`.
    """

    def work(piece: columns.Values, aad: Any, index: Any, own: Any) -> columns.MadeValues:
        return columns.reencrypt(key, piece, to=to, associated_data=aad, key_index=index)[0]

    def changed(piece: columns.Values, aad: Any, to_aad: Any, index: Any, own: Any) -> columns.MadeValues:
        made, _ = columns.reencrypt(
            key, piece, to=to, associated_data=aad, to_associated_data=to_aad, key_index=index
        )
        return made

    if to_associated_data is None:
        return _each(values, work, (associated_data,), key_index, None, False, None, threads)
    return _each(values, changed, (associated_data, to_associated_data), key_index, None, False, None, threads)


def _again(key: ColumnKey) -> ColumnKey:
    """A key that each chunk can go through, if it is an iterable."""
    return list(key) if isinstance(key, Iterable) else key


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


def _threads(threads: int | None) -> int:
    """The number of threads that a caller asks for: all cores for None."""
    if threads is None:
        threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not isinstance(threads, int) or threads < 1:
        raise ValueError(f"threads is at least 1, and not {threads!r}")
    return threads


def _in_order(tasks: list[Callable[[], T]], threads: int, done: Callable[[int], object] | None = None) -> list[T]:
    """The results of tasks, which threads share. After an exception, Ctrl-C too, no other task begins."""
    results: list[T] = []
    if threads == 1 or len(tasks) < 2:
        for number, task in enumerate(tasks):
            results.append(task())
            if done is not None:
                done(number)
        return results
    with ThreadPoolExecutor(min(threads, len(tasks)), "abreast-columns") as pool:
        futures = [pool.submit(task) for task in tasks]
        try:
            for number, future in enumerate(futures):
                results.append(future.result())
                if done is not None:
                    done(number)
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise
    return results


# Rows and bytes of a piece that a thread does: some 50 ms of work, which Ctrl-C waits for.
PIECE_ROWS, PIECE_BYTES = 1 << 18, 1 << 26


def _pieces(chunks: Iterable[pa.Array]) -> list[pa.Array]:
    """Chunks that are cut into pieces for threads."""
    found: list[pa.Array] = []
    for chunk in chunks:
        rows = min(PIECE_ROWS, max(1, len(chunk) * PIECE_BYTES // max(1, chunk.nbytes)))
        found += [chunk.slice(start, rows) for start in range(0, max(1, len(chunk)), rows)]
    return found


class _PerRow:
    """An argument with something for each row, or one for all."""

    def __init__(self, given: Any, rows: int) -> None:
        self._one, self._each = given, None
        if given is None:
            self._one = b""
        elif not _is_one(given):
            what = "associated_data is a bytes-like object or an array with a string for each row"
            self._each = _binary(_one(given, what))
            if len(self._each) != rows:
                raise ValueError(f"there are {rows} rows and {len(self._each)} strings of associated data")

    def of(self, start: int, count: int) -> Any:
        """The part for some rows."""
        return self._one if self._each is None else _values(self._each.slice(start, count))


def _gathered(refused: list[tuple[int, InvalidTag]]) -> InvalidTag:
    """The exception for pieces that were refused, each with the number of its first row."""
    unknown = [(start, error) for start, error in refused if isinstance(error, UnknownKey)]
    rows = [start + row for start, error in unknown or refused for row in error.rows]
    if unknown:
        return UnknownKey.of_ids(rows, sorted({id for _, error in unknown for id in error.ids}))
    return InvalidTag.of_rows(rows)


def _each(
    values: Any,
    work: Callable[..., columns.MadeValues],
    associated_data: tuple[Any, ...],
    key_index: Any,
    nonces: Buffer | None,
    each_own: bool,
    kind: pa.DataType | None,
    threads: int,
) -> Any:
    """Chunk by chunk; arguments of rows are cut as the rows are."""
    threads = _threads(threads)
    chunks, chunked, original = _chunks(values, "the values of a column are an array of binary or string values")
    rows = sum(len(chunk) for chunk in chunks)
    strings = [_PerRow(one, rows) for one in associated_data]
    index = None if key_index is None else _index(key_index, rows)
    pieces = chunks if threads == 1 else _pieces(chunks)
    if index is None and each_own and len(pieces) > 1:
        index = pa.array(range(rows), pa.uint32())
    view = None if nonces is None else _flat(nonces)
    if view is not None and rows and len(view) % rows:
        raise ValueError(f"nonces are of the same length for each of the {rows} rows")
    width = 0 if view is None or not rows else len(view) // rows

    def task(piece: pa.Array, at: int) -> Callable[[], pa.Array | InvalidTag]:
        def run() -> pa.Array | InvalidTag:
            array, count = _binary(piece), len(piece)
            numbers = None
            if index is not None:
                part = index.slice(at, count)
                raw = memoryview(part.buffers()[1]).cast("B")[part.offset * 4 : (part.offset + count) * 4]
                numbers = raw.cast("I")
            own = None if view is None else view[at * width : (at + count) * width]
            try:
                return _array(work(_values(array), *(one.of(at, count) for one in strings), numbers, own), kind)
            except InvalidTag as error:
                return error

        return run

    starts = [0, *itertools.accumulate(len(piece) for piece in pieces)]
    made = _in_order([task(piece, start) for piece, start in zip(pieces, starts, strict=False)], threads)
    refused = [(start, one) for one, start in zip(made, starts, strict=False) if isinstance(one, InvalidTag)]
    if refused:
        raise _gathered(refused)
    if not chunked:
        return made[0] if len(made) == 1 else pa.concat_arrays(made)
    # Without chunks, of the type that their results would have.
    return pa.chunked_array(made, kind or _array_type(_binary(pa.array([], original)).type))
