"""Values of Arrow's types as bytes, and back.

============================================  ==================================================================
type                                          the bytes of a value
============================================  ==================================================================
text, binary, fixed-size binary, views        the bytes themselves
numbers, decimals, times, intervals           as many bytes as the type has, as Arrow has them: little-endian
boolean                                       one byte, 0 or 1
dictionary, run-end encoded                   those of the value behind the index or run
extension types                               those of the storage
lists, structs, maps, unions                  a record batch of one row as a message of Arrow's IPC format
============================================  ==================================================================

A message of the IPC format has the value without its type; one whose type has dictionaries inside is a whole stream.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ._abreast import _look
from ._extras import require

if TYPE_CHECKING:
    import pyarrow as pa

    pc: Any
else:
    pa, pc = require("pyarrow", "arrow"), require("pyarrow.compute", "arrow")


class WrongValue(ValueError):
    """Decrypted bytes are none of a type: row ``row``, counted from the beginning of the piece, is the first."""

    def __init__(self, row: int, message: str) -> None:
        super().__init__(message)
        self.row = row


def _is_text(kind: pa.DataType) -> bool:
    """True if values are bytes of any length."""
    types = pa.types
    tests = ("is_string", "is_large_string", "is_binary", "is_large_binary", "is_string_view", "is_binary_view")
    return types.is_fixed_size_binary(kind) or any(hasattr(types, test) and getattr(types, test)(kind) for test in tests)


def _is_view(kind: pa.DataType) -> bool:
    return str(kind) in ("string_view", "binary_view")


def _is_fixed(kind: pa.DataType) -> bool:
    """True if values are whole bytes in one buffer, as many for each."""
    if pa.types.is_dictionary(kind) or kind.num_fields:
        return False
    try:
        return bool(kind.bit_width % 8 == 0 and kind.bit_width > 0)
    except ValueError:
        return False


def has_one_encoding(kind: pa.DataType) -> bool:
    """True if equal values have equal bytes, whatever wrote them: not so for messages of the IPC format."""
    if isinstance(kind, pa.BaseExtensionType):
        return has_one_encoding(kind.storage_type)
    if pa.types.is_dictionary(kind) or pa.types.is_run_end_encoded(kind):
        return has_one_encoding(kind.value_type)
    return not pa.types.is_nested(kind)


def is_large(kind: pa.DataType) -> bool:
    """True if encrypted values have offsets of 64 bits."""
    if isinstance(kind, pa.BaseExtensionType):
        return is_large(kind.storage_type)
    if pa.types.is_dictionary(kind) or pa.types.is_run_end_encoded(kind):
        return is_large(kind.value_type)
    return bool(pa.types.is_large_string(kind) or pa.types.is_large_binary(kind)) or _is_view(kind)


def stored(kind: pa.DataType) -> pa.DataType:
    """Returns the type of encrypted values."""
    return pa.large_binary() if is_large(kind) else pa.binary()


def encode(array: pa.Array) -> pa.Array:
    """Returns the bytes of each value, in an array with offsets."""
    kind = array.type
    if isinstance(kind, pa.BaseExtensionType):
        return encode(array.storage)
    if pa.types.is_dictionary(kind):
        if len(array.dictionary) > len(array) and not _is_text(kind.value_type) and _can_take(kind.value_type):
            return encode(array.dictionary.take(array.indices))
        # The bytes of each different value, once.
        return encode(array.dictionary).take(array.indices)
    if pa.types.is_run_end_encoded(kind):
        # The bytes of each run, once, by the number of the run of each row.
        runs = pa.array(range(len(array.values)), pa.int64())
        numbers = pa.RunEndEncodedArray.from_arrays(array.run_ends, runs).slice(array.offset, len(array))
        return encode(array.values).take(pc.run_end_decode(numbers))
    if pa.types.is_null(kind):
        return pa.nulls(len(array), pa.binary())
    if pa.types.is_boolean(kind):
        return encode(array.cast(pa.uint8()))
    if pa.types.is_string(kind) or pa.types.is_binary(kind):
        return array
    if pa.types.is_large_string(kind) or pa.types.is_large_binary(kind):
        return array
    if _is_text(kind):
        return array.cast(pa.large_binary() if _is_view(kind) else pa.binary())
    if _is_fixed(kind):
        width = kind.bit_width // 8
        validity, data = array.buffers()
        same = [validity if array.null_count else None, data]
        raw = pa.Array.from_buffers(pa.binary(width), len(array), same, offset=array.offset)
        return raw.cast(pa.binary())
    return pa.array([_message(array, row, kind) for row in range(len(array))], pa.binary())


def _message(array: pa.Array, row: int, kind: pa.DataType) -> bytes | None:
    """Returns a value in Arrow's IPC format."""
    _look()
    # Taken, and not cut: a slice may have bits of its neighbours.
    one = array.take(pa.array([row], pa.int64())) if _can_take(array.type) else pa.concat_arrays([array.slice(row, 1)])
    if one.null_count:
        return None
    if not _has_dictionary(kind):
        return bytes(pa.RecordBatch.from_arrays([one], ["v"]).serialize())
    # Dictionaries of this value alone, and not of the column.
    batch = pa.RecordBatch.from_arrays([with_dictionaries(one, _of_used)], ["v"])
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as stream:
        stream.write_batch(batch)
    return bytes(sink.getvalue())


def _can_take(kind: pa.DataType) -> bool:
    try:
        pa.array([], kind).take(pa.array([], pa.int64()))
    except (pa.ArrowException, NotImplementedError):
        return False
    return True


def taken(array: pa.Array, rows: pa.Array) -> pa.Array:
    """Returns the values of some rows, of any type."""
    if _can_take(array.type):
        return array.take(rows)
    pieces = [array.slice(row, 1) for row in rows.to_pylist()]
    return pa.concat_arrays(pieces) if pieces else nulls(0, array.type)


def _of_used(part: pa.DictionaryArray) -> pa.DictionaryArray:
    """Returns the same values by a dictionary of those that are used. A null is one of the index alone."""
    valid = pc.is_valid(part.dictionary) if part.dictionary.null_count else None
    used = part.indices.unique().drop_null()
    if valid is not None:
        used = used.filter(valid.take(used))
    dictionary = taken(part.dictionary, used)
    indices = pc.index_in(part.indices, used).cast(part.type.index_type)
    return pa.DictionaryArray.from_arrays(indices, dictionary, ordered=part.type.ordered)


def _shape(kind: pa.DataType) -> tuple[int, int] | None:
    """Returns the number of buffers that a nested type has beside those of its children, and the number of rows that a child has for a
    row: -1 if offsets tell it, or None of both for a type that is not nested."""
    types = pa.types
    if types.is_struct(kind):
        return 1, 1
    if types.is_fixed_size_list(kind):
        return 1, kind.list_size
    if types.is_list(kind) or types.is_large_list(kind) or types.is_map(kind):
        return 2, -1
    if types.is_list_view(kind) or types.is_large_list_view(kind):
        return 3, -1
    if types.is_union(kind):
        return (2, 1) if kind.mode == "sparse" else (3, -1)
    return None


def _children(array: pa.Array) -> list[pa.Array]:
    """Returns the children of an array of a nested type without an offset."""
    types, kind = pa.types, array.type
    if types.is_struct(kind) or types.is_union(kind):
        return [array.field(number) for number in range(kind.num_fields)]
    return [array.values]


def with_dictionaries(array: pa.Array, change: Callable[[pa.DictionaryArray], pa.DictionaryArray]) -> pa.Array:
    """Returns an array without an offset with other dictionaries for the same values, in whatever types they are nested."""
    kind = array.type
    if not _has_dictionary(kind):
        return array
    if isinstance(kind, pa.BaseExtensionType):
        return pa.ExtensionArray.from_storage(kind, with_dictionaries(array.storage, change))
    if pa.types.is_dictionary(kind):
        return change(array)
    if pa.types.is_run_end_encoded(kind):
        return pa.RunEndEncodedArray.from_arrays(array.run_ends, with_dictionaries(array.values, change))
    shape = _shape(kind)
    assert shape is not None
    children = [with_dictionaries(child, change) for child in _children(array)]
    return pa.Array.from_buffers(kind, len(array), array.buffers()[: shape[0]], children=children)


def nulls(count: int, kind: pa.DataType) -> pa.Array:
    """Makes nulls of a type. Those of pyarrow itself are invalid with run ends below another type."""
    if isinstance(kind, pa.BaseExtensionType):
        return pa.ExtensionArray.from_storage(kind, nulls(count, kind.storage_type))
    shape = _shape(kind)
    if shape is None:
        return pa.nulls(count, kind)
    buffers, rows = shape
    zeros = pa.py_buffer(bytes(8 * (count + 1)))
    own: list[pa.Buffer | None] = [zeros] * buffers
    if pa.types.is_union(kind):
        # Each row is a null of the first type.
        own = [None, pa.py_buffer(bytes([kind.type_codes[0]]) * count), *([zeros] if buffers == 3 else [])]
        fields = [kind.field(number) for number in range(kind.num_fields)]
        sizes = [count] * len(fields) if buffers == 2 else [min(count, 1), *[0] * (len(fields) - 1)]
        children = [nulls(size, field.type) for size, field in zip(sizes, fields, strict=True)]
    else:
        children = [nulls(max(0, rows) * count, kind.field(number).type) for number in range(kind.num_fields)]
        if pa.types.is_map(kind):
            entries = pa.struct([kind.key_field, kind.item_field])
            children = [nulls(0, entries)]
    return pa.Array.from_buffers(kind, count, own, children=children)


def _has_dictionary(kind: pa.DataType) -> bool:
    if isinstance(kind, pa.BaseExtensionType):
        return _has_dictionary(kind.storage_type)
    if pa.types.is_dictionary(kind):
        return True
    return any(_has_dictionary(kind.field(number).type) for number in range(kind.num_fields))


def decode(array: pa.Array, kind: pa.DataType, categories: pa.Array | None = None) -> pa.Array:
    """Returns the values of a type that have these bytes. ``categories`` is the dictionary of an ordered type."""
    if isinstance(kind, pa.BaseExtensionType):
        return pa.ExtensionArray.from_storage(kind, decode(array, kind.storage_type, categories))
    if pa.types.is_dictionary(kind):
        return _dictionary(array, kind, categories)
    if pa.types.is_run_end_encoded(kind):
        runs = pc.run_end_encode(array, run_end_type=kind.run_end_type)
        try:
            values = decode(runs.values, kind.value_type, categories)
        except WrongValue as error:
            raise WrongValue(0 if not error.row else runs.run_ends[error.row - 1].as_py(), str(error)) from None
        return pa.RunEndEncodedArray.from_arrays(runs.run_ends, values)
    if pa.types.is_null(kind):
        _check(array, pc.is_null(array), "a value of the null type is none")
        return pa.nulls(len(array))
    if pa.types.is_boolean(kind):
        numbers = decode(array, pa.uint8())
        _check(array, pc.less_equal(numbers, 1), "a boolean is the byte 0 or 1")
        return numbers.cast(pa.bool_())
    if pa.types.is_fixed_size_binary(kind):
        return _fixed(array, kind.byte_width).cast(kind)
    if _is_text(kind):
        try:
            return array.cast(kind)
        except pa.ArrowInvalid as error:
            raise WrongValue(_first(array, kind), f"it is no {kind}: {error}") from None
    if _is_fixed(kind):
        width = kind.bit_width // 8
        raw = _fixed(array, width)
        return pa.Array.from_buffers(kind, len(raw), raw.buffers(), offset=raw.offset)
    return _nested(array, kind)


def _check(array: pa.Array, right: pa.Array, what: str) -> None:
    """Refuses the first value for which something is not true."""
    wrong = pc.index(right, pa.scalar(False)).as_py()
    if wrong >= 0:
        raise WrongValue(wrong, what)


def _casts(array: pa.Array, kind: pa.DataType) -> bool:
    try:
        array.cast(kind)
    except pa.ArrowInvalid:
        return False
    return True


def _first(array: pa.Array, kind: pa.DataType) -> int:
    """Returns the first row that is no value of a type, in an array where one is not, found by halves."""
    low, high = 0, len(array)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _casts(array.slice(low, middle - low), kind) else (low, middle)
    return low


def _fixed(array: pa.Array, width: int) -> pa.Array:
    """Values of one length, one after the other."""
    _check(array, pc.equal(pc.binary_length(array), width), f"its bytes are not the {width} of its type")
    if pa.types.is_large_binary(array.type):
        array = array.cast(pa.binary())
    if width == 0:
        return pa.array(array.to_pylist(), pa.binary(0))
    return array.cast(pa.binary(width))


def _dictionary(array: pa.Array, kind: pa.DataType, categories: pa.Array | None) -> pa.Array:
    if categories is None:
        encoded = array.dictionary_encode()
        try:
            indices, values = encoded.indices, decode(encoded.dictionary, kind.value_type)
        except WrongValue as error:
            raise WrongValue(pc.index(encoded.indices, pa.scalar(error.row, encoded.indices.type)).as_py(), str(error)) from None
    else:
        indices, values = pc.index_in(array, value_set=encode(categories).cast(array.type)), categories
        _check(array, pc.or_(pc.is_null(array), pc.is_valid(indices)), "it is none of the categories")
    return pa.DictionaryArray.from_arrays(indices.cast(kind.index_type), values, ordered=kind.ordered)


def _nested(array: pa.Array, kind: pa.DataType) -> pa.Array:
    schema = pa.schema([pa.field("v", kind)])
    whole = _has_dictionary(kind)
    made = []
    for row, value in enumerate(array):
        _look()
        if not value.is_valid:
            made.append(nulls(1, kind))
            continue
        try:
            if whole:
                batch = pa.ipc.open_stream(value.as_buffer()).read_next_batch()
            else:
                batch = pa.ipc.read_record_batch(value.as_buffer(), schema)
            # A stream has its own schema; Arrow itself makes indices that are out of bounds below nulls.
            batch.validate(full=not whole)
            if batch.num_rows != 1 or batch.schema != schema:
                raise pa.ArrowInvalid("it is another batch")
        except (pa.ArrowException, OSError, StopIteration) as error:
            raise WrongValue(row, f"it is no {kind}: {error}") from None
        made.append(batch.column(0))
    while len(made) > 1:
        # A step of Arrow's own cannot be ended.
        made = [_joined(made[at : at + _JOINED], kind) for at in range(0, len(made), _JOINED)]
    return made[0] if made else nulls(0, kind)


# Arrays that are joined in one step, at most some ten milliseconds.
_JOINED = 1024


def _joined(arrays: list[pa.Array], kind: pa.DataType) -> pa.Array:
    """One array of several. Their dictionaries become one."""
    _look()
    if not _has_dictionary(kind):
        return pa.concat_arrays(arrays)
    try:
        return pa.chunked_array(arrays, kind).unify_dictionaries().combine_chunks()
    except pa.ArrowNotImplementedError:
        # Nulls among the values of a dictionary, or values of types that Arrow cannot compare.
        return _joined_by_bytes([with_dictionaries(one, _of_used) for one in arrays])


def _joined_by_bytes(arrays: list[pa.Array]) -> pa.Array:
    """One array of several, whose dictionaries become one by the bytes of their values."""
    found: list[pa.DictionaryArray] = []

    def seen(part: pa.DictionaryArray) -> pa.DictionaryArray:
        found.append(part)
        return part

    for one in arrays:
        with_dictionaries(one, seen)
    each, joined = len(found) // len(arrays), []
    for number in range(each):
        whole = pa.concat_arrays([part.dictionary for part in found[number::each]])
        places: dict[bytes, int] = {}
        firsts: list[int] = []
        codes: list[int] = []
        for row, value in enumerate(encode(whole).to_pylist()):
            if value not in places:
                places[value] = len(firsts)
                firsts.append(row)
            codes.append(places[value])
        joined.append((taken(whole, pa.array(firsts, pa.int64())), iter(codes)))
    numbers = itertools.cycle(range(len(joined)))

    def change(part: pa.DictionaryArray) -> pa.DictionaryArray:
        dictionary, codes = joined[next(numbers)]
        own = pa.array(itertools.islice(codes, len(part.dictionary)), part.type.index_type)
        return pa.DictionaryArray.from_arrays(own.take(part.indices), dictionary, ordered=part.type.ordered)

    return pa.concat_arrays([with_dictionaries(one, change) for one in arrays])
