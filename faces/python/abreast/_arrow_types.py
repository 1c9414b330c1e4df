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
        return encode(pc.run_end_decode(array))
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
    if _has_dictionary(kind):
        array = _without_dictionaries(array)
    return pa.array([_message(array, row, kind) for row in range(len(array))], pa.binary())


def _without_dictionaries(array: pa.Array) -> pa.Array:
    """Returns the array with the values of dictionaries in place of their indices, if Arrow can cast it."""
    try:
        return array.cast(_without_dictionary(array.type))
    except pa.ArrowException:
        return array


def _without_dictionary(kind: pa.DataType) -> pa.DataType:
    """Returns the type with the values of dictionaries in their place."""

    def field(number: int) -> pa.Field:
        of = kind.field(number)
        return of.with_type(_without_dictionary(of.type))

    types = pa.types
    if types.is_dictionary(kind):
        return _without_dictionary(kind.value_type)
    if types.is_struct(kind):
        return pa.struct([field(number) for number in range(kind.num_fields)])
    if types.is_map(kind):
        return pa.map_(_without_dictionary(kind.key_type), _without_dictionary(kind.item_type), kind.keys_sorted)
    if types.is_fixed_size_list(kind):
        return pa.list_(field(0), kind.list_size)
    for test, made in (
        ("is_list", "list_"),
        ("is_large_list", "large_list"),
        ("is_list_view", "list_view"),
        ("is_large_list_view", "large_list_view"),
    ):
        if hasattr(types, test) and getattr(types, test)(kind):
            return getattr(pa, made)(field(0))
    return kind


def _message(array: pa.Array, row: int, kind: pa.DataType) -> bytes | None:
    """Returns a value in Arrow's IPC format."""
    _look()
    # Taken, and not cut: a slice may have bits of its neighbours.
    one = array.take(pa.array([row], pa.int64())) if _can_take(array.type) else pa.concat_arrays([array.slice(row, 1)])
    if one.null_count:
        return None
    # A dictionary of this value alone, and not of the column.
    one = one.cast(kind) if one.type != kind else one
    batch = pa.RecordBatch.from_arrays([one], ["v"])
    if not _has_dictionary(kind):
        return bytes(batch.serialize())
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
        return pc.run_end_encode(decode(array, kind.value_type, categories), run_end_type=kind.run_end_type)
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
        indices, values = encoded.indices, decode(encoded.dictionary, kind.value_type)
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
            made.append(pa.nulls(1, kind))
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
    return made[0] if made else pa.nulls(0, kind)


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
        # Nulls among the values of a dictionary.
        return pa.concat_arrays([_without_dictionaries(one) for one in arrays]).cast(kind)
