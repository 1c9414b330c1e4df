"""Arrow's arrays as values of :mod:`abreast.columns`, and work on them by threads."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, SupportsIndex, TypeVar

from . import columns
from ._abreast import _Halt
from ._arguments import FIX, number
from ._errors import InvalidTag, UnknownKey
from ._extras import require

if TYPE_CHECKING:
    import pyarrow as pa
    from typing_extensions import Buffer
else:
    pa = require("pyarrow", "arrow")

T = TypeVar("T")

def chunks_of(values: Any, what: str) -> tuple[list[pa.Array], bool, pa.DataType]:
    """Returns the arrays that values consist of, and whether they are an array that is chunked."""
    if not isinstance(values, (pa.Array, pa.ChunkedArray)):
        if hasattr(values, "__arrow_c_stream__"):
            values = pa.chunked_array(values)
        else:
            # Python would go through text and bytes letter by letter, and through a set in any order.
            letters = isinstance(values, (str, bytes, bytearray, set, frozenset, dict, pa.Scalar))
            if letters or not any(hasattr(values, how) for how in ("__iter__", "__arrow_array__", "__arrow_c_array__")):
                raise TypeError(f"{what}, not {type(values).__name__}{FIX if isinstance(values, str) else ''}")
            values = pa.array(values)
    if isinstance(values, pa.ChunkedArray):
        return values.chunks, True, values.type
    return [values], False, values.type


def binary_of(array: pa.Array) -> pa.Array:
    """Returns an array with offsets and bytes of the same values."""
    kind = array.type
    if isinstance(kind, pa.BaseExtensionType):
        return binary_of(array.storage)
    if pa.types.is_dictionary(kind):
        return binary_of(array.dictionary_decode())
    if pa.types.is_string(kind) or pa.types.is_binary(kind):
        return array
    if pa.types.is_large_string(kind) or pa.types.is_large_binary(kind):
        return array
    if pa.types.is_fixed_size_binary(kind) or pa.types.is_null(kind):
        return array.cast(pa.binary())
    if kind in (pa.string_view(), pa.binary_view()):
        return array.cast(pa.large_binary())
    raise TypeError(f"the values of a column are binary or string, and these are {kind}; cast them first")


def is_large(kind: pa.DataType) -> bool:
    """True if offsets have 64 bits."""
    return bool(pa.types.is_large_string(kind) or pa.types.is_large_binary(kind))


def array_type(kind: pa.DataType) -> pa.DataType:
    """Returns the type of results for values of a type with offsets."""
    return pa.large_binary() if is_large(kind) else pa.binary()


class _Values(columns.Values):
    """Buffers of an array, whose results lie in Arrow's pool, which keeps memory that was freed. New memory of the system is mapped and
    cleared page by page, in a fifth of the time of encryption."""

    __slots__ = ()

    @property
    def _make(self) -> Callable[[int], Buffer]:
        make: Callable[[int], Buffer] = pa.allocate_buffer
        return make


def values_of(array: pa.Array) -> columns.Values:
    """Returns the buffers of an array, and no copies of them."""
    large = is_large(array.type)
    validity, offsets, data = array.buffers()
    width, count, first = (8 if large else 4), len(array), array.offset
    if offsets is None or offsets.size == 0:
        return _Values(memoryview(bytes(width)).cast("q" if large else "i"), b"")
    numbers = memoryview(offsets).cast("B")[first * width : (first + count + 1) * width]
    return _Values(
        numbers.cast("q" if large else "i"),
        b"" if data is None else memoryview(data),
        None if validity is None or array.null_count == 0 else memoryview(validity),
        first,
    )


def array_of(made: columns.MadeValues, kind: pa.DataType | None) -> pa.Array:
    """Returns an array over the buffers that were made."""
    large = made.offsets.itemsize == 8
    validity = None if made.validity is None else pa.py_buffer(made.validity)
    buffers = [validity, pa.py_buffer(made.offsets), pa.py_buffer(made.data)]
    array = pa.Array.from_buffers(pa.large_binary() if large else pa.binary(), made.rows, buffers)
    return array if kind is None else array.cast(kind)


def one_of(values: Any, what: str) -> pa.Array:
    """Returns an array in one piece."""
    chunks, _, kind = chunks_of(values, what)
    if len(chunks) == 1:
        return chunks[0]
    return pa.concat_arrays(chunks) if chunks else pa.array([], kind)


def is_one(associated_data: Any) -> bool:
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


def index_of(key_index: Any, rows: int) -> pa.Array:
    """Returns the numbers of the keys of rows."""
    index = one_of(key_index, f"key_index is an array of integers with one for each of the {rows} rows")
    if not pa.types.is_integer(index.type) and len(index):
        raise TypeError(f"key_index is an array of integers, not of {index.type}")
    index = index.cast(pa.uint32())
    if len(index) != rows or index.null_count:
        raise ValueError(f"key_index has a number for each of the {rows} rows and no nulls")
    return index


def threads_of(threads: SupportsIndex | None) -> int:
    """Returns the number of threads that a caller asks for: all cores for None."""
    if threads is None:
        threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return number(threads, "threads", 1)


def in_order(tasks: list[Callable[[], T]], threads: int, done: Callable[[int], object] | None = None) -> list[T]:
    """Runs tasks, which threads share, and returns their results. An exception, that of Ctrl-C too, ends all others soon."""
    results: list[T] = []
    if threads == 1 or len(tasks) < 2:
        for number, task in enumerate(tasks):
            results.append(task())
            if done is not None:
                done(number)
        return results
    halt, pool = _Halt(), ThreadPoolExecutor(min(threads, len(tasks)), "abreast-columns")
    try:
        futures = [pool.submit(halt.run, task) for task in tasks]
        for number, future in enumerate(futures):
            results.append(future.result())
            if done is not None:
                done(number)
    finally:
        halt.ask()
        pool.shutdown(wait=True, cancel_futures=True)
    return results


# Rows and bytes of a piece that a thread does: some 50 ms of work for values that need no work in Python.
PIECE_ROWS, PIECE_BYTES = 1 << 18, 1 << 26


def pieces_of(chunks: Iterable[pa.Array]) -> list[pa.Array]:
    """Chunks that are cut into pieces for threads."""
    found: list[pa.Array] = []
    for chunk in chunks:
        rows = min(PIECE_ROWS, max(1, len(chunk) * PIECE_BYTES // max(1, chunk.nbytes)))
        found += [chunk.slice(start, rows) for start in range(0, max(1, len(chunk)), rows)]
    return found


def gathered(refused: list[tuple[int, InvalidTag]]) -> InvalidTag:
    """Returns the exception for pieces that were refused, each with the number of its first row."""
    unknown = [(start, error) for start, error in refused if isinstance(error, UnknownKey)]
    rows = [start + row for start, error in unknown or refused for row in error.rows]
    if unknown:
        return UnknownKey.of_ids(rows, sorted({id for _, error in unknown for id in error.ids}))
    return InvalidTag.of_rows(rows)
