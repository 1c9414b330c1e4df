"""Tables of Arrow of which some columns are encrypted: see :mod:`abreast.arrow`."""

from __future__ import annotations

import base64
import itertools
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

from . import _arguments, columns
from . import _arrow_types as types
from ._arrow_values import array_of, gathered, in_order, pieces_of, threads_of, values_of
from ._errors import InvalidTag
from ._extras import require
from .keyring import Keyring, KeyNotFound, RingKey

if TYPE_CHECKING:
    import pyarrow as pa

    pc: Any
else:
    pa, pc = require("pyarrow", "arrow"), require("pyarrow.compute", "arrow")

METADATA = b"abreast"
"""The name of the description among the metadata of a field."""

Progress: TypeAlias = Callable[[int, int], object]

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The key of a column, and what its values are bound to.

    ``key`` is the name of a key of the ring; ``key_column`` in its place is the name of a column of the table, not encrypted, that
    has the name of a key for each row. ``mode``, if given, has to be that of the key. Values are bound to the name of their column in
    UTF-8, or to the bytes ``associated_data``, or to the value that the column ``associated_data_column``, not encrypted, has in the
    same row, in the bytes that :mod:`abreast.arrow` lists for its type.
    """

    key: str | None = None
    key_column: str | None = None
    mode: Literal["gcm", "gcm-siv", "siv"] | None = None
    associated_data: bytes | None = None
    associated_data_column: str | None = None

    def __post_init__(self) -> None:
        if (self.key is None) == (self.key_column is None):
            given = "neither" if self.key is None else "both"
            raise ValueError(f"a policy has key, the name of a key, or key_column, a column with the name for each row: this one has {given}")
        for name in ("key", "key_column", "associated_data_column"):
            if getattr(self, name) is not None:
                _arguments.text(getattr(self, name), name)
        if self.mode is not None:
            _arguments.one_of(self.mode, "mode", ("gcm", "gcm-siv", "siv"))
        if self.associated_data is not None and self.associated_data_column is not None:
            raise ValueError("a policy has associated_data or associated_data_column, and not both")
        if self.associated_data is not None:
            object.__setattr__(self, "associated_data", bytes(_arguments.flat(self.associated_data)))


class EncryptedType(pa.ExtensionType):  # type: ignore[misc]
    """The type of an encrypted column: binary values with the description of what they were, as JSON.

    Its name among Arrow's extension types is ``abreast.encrypted``.
    """

    def __init__(self, storage: pa.DataType, description: str) -> None:
        _arguments.instance(storage, "storage", pa.DataType, "a type of pyarrow")
        self.description = _arguments.text(description, "description")
        super().__init__(storage, "abreast.encrypted")

    def __arrow_ext_serialize__(self) -> bytes:
        return self.description.encode()

    @classmethod
    def __arrow_ext_deserialize__(cls, storage: pa.DataType, serialized: bytes) -> EncryptedType:
        return cls(storage, serialized.decode())


try:
    pa.register_extension_type(EncryptedType(pa.binary(), "{}"))
except pa.ArrowKeyError:
    # This module was loaded twice.
    pass


@dataclass
class _Description:
    """The contents of the JSON text that describes an encrypted column."""

    key: str | None
    key_column: str | None
    mode: str
    ids: list[int | None]
    associated_data: bytes | None
    associated_data_column: str | None
    type: pa.DataType
    nullable: bool
    metadata: dict[bytes, bytes] | None
    categories: bytes | None = None

    def to_text(self) -> str:
        field = pa.field("v", self.type, self.nullable, self.metadata)
        return json.dumps(
            {
                "version": 1,
                "key": self.key,
                "key_column": self.key_column,
                "mode": self.mode,
                "ids": self.ids,
                "associated_data": _to_base64(self.associated_data),
                "associated_data_column": self.associated_data_column,
                "type": str(self.type),
                "field": _to_base64(pa.schema([field]).serialize().to_pybytes()),
                "categories": _to_base64(self.categories),
            }
        )

    @classmethod
    def of_text(cls, name: str, text: str | bytes) -> _Description:
        try:
            found = json.loads(text)
            if found["version"] != 1:
                raise ValueError(f"its version is {found['version']!r}, and the one that is known is 1")
            if (found["key"] is None) == (found["key_column"] is None):
                raise ValueError("it names no key, or two")
            field = pa.ipc.read_schema(pa.py_buffer(base64.b64decode(found["field"]))).field(0)
            return cls(
                _text(found["key"]),
                _text(found["key_column"]),
                str(found["mode"]),
                list(found["ids"]),
                _of_base64(found["associated_data"]),
                _text(found["associated_data_column"]),
                field.type,
                field.nullable,
                field.metadata,
                _of_base64(found["categories"]),
            )
        except (ValueError, KeyError, TypeError, IndexError, OSError, RecursionError, pa.ArrowException) as error:
            raise ValueError(f"column {name!r} has no description that can be read: {error}") from None


def _to_base64(data: bytes | None) -> str | None:
    return None if data is None else base64.b64encode(data).decode()


def _of_base64(text: str | None) -> bytes | None:
    return None if text is None else base64.b64decode(text, validate=True)


def _text(value: object) -> str | None:
    if value is not None and not isinstance(value, str):
        raise ValueError(f"a name is text, and not {type(value).__name__}")
    return value


def description_of(name: str, field: pa.Field) -> str | bytes | None:
    """Returns the text that describes a column, if it is encrypted."""
    if isinstance(field.type, EncryptedType):
        return field.type.description 
    return (field.metadata or {}).get(METADATA)


def table_of(table: Any) -> tuple[pa.Table, bool]:
    """Returns the table of an object, and whether it is a record batch."""
    if isinstance(table, pa.Table):
        return table, False
    if isinstance(table, pa.RecordBatch):
        return pa.Table.from_batches([table]), True
    if type(table).__module__.split(".")[0] == "pandas" and hasattr(table, "columns"):
        return pa.Table.from_pandas(table), False
    if hasattr(table, "__arrow_c_stream__"):
        return pa.table(table), False
    raise TypeError(f"a table is one of pyarrow or has Arrow's C data interface, and not {type(table).__name__}")


def _place(table: pa.Table, name: str, what: str) -> int:
    """Returns the place of the only column of a name."""
    _arguments.text(name, "the name of a column")
    places = table.schema.get_all_field_indices(name)
    if len(places) == 1:
        return int(places[0])
    if places:
        raise ValueError(f"{what} {name!r} is there {len(places)} times in the table")
    names = ", ".join(map(repr, table.column_names)) or "none"
    raise ValueError(f"{what} {name!r} is not in the table, whose columns are {names}")


def _plain(table: pa.Table, name: str, closed: Iterable[str], what: str) -> pa.ChunkedArray:
    """Returns a column that all rows read, which is not encrypted."""
    place = _place(table, name, what)
    if name in closed or description_of(name, table.schema.field(place)) is not None:
        raise ValueError(f"{what}, {name!r}, is encrypted itself")
    return table.column(place)


def _joined(column: pa.ChunkedArray) -> pa.Array:
    chunks = column.chunks
    return chunks[0] if len(chunks) == 1 else pa.concat_arrays(chunks) if chunks else pa.array([], column.type)


@dataclass
class _Bound:
    """The keys of a column and what its values are bound to, for each row or for all."""

    key: RingKey
    index: pa.Array | None
    associated_data: bytes | None
    strings: pa.Array | None
    own: bytes = field(init=False)

    @classmethod
    def of(
        cls, table: pa.Table, name: str, how: Policy | _Description, ring: Keyring, closed: Iterable[str]
    ) -> _Bound:
        key, index, strings = None, None, None
        try:
            if how.key_column is None:
                assert how.key is not None
                key = ring[how.key]
            else:
                key, index = _tenants(table, name, how.key_column, ring, closed)
        except KeyNotFound as error:
            raise KeyNotFound(f"column {name!r}: {error}") from None
        if how.associated_data_column is not None:
            given = _plain(table, how.associated_data_column, closed, "the column of associated data")
            if not types.has_one_encoding(given.type):
                raise TypeError(f"the column of associated data, {how.associated_data_column!r}, is of type {given.type}, which is nested")
            strings = types.encode(_joined(_without_dictionaries(given)))
            if not len(strings):
                strings = strings.cast(pa.binary())
        aad = name.encode() if how.associated_data is None else how.associated_data
        return cls(key, index, aad, strings)

    def parts(self, start: int, count: int) -> tuple[Any, Any]:
        """Returns the arguments for some rows."""
        aad: Any = self.associated_data
        numbers = None
        if self.strings is not None:
            aad = values_of(self.strings.slice(start, count))
        if self.index is not None:
            part = self.index.slice(start, count)
            raw = memoryview(part.buffers()[1]).cast("B")[part.offset * 4 : (part.offset + count) * 4]
            numbers = raw.cast("I")
        return aad, numbers


def _without_dictionaries(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Returns a column whose chunks can be joined."""
    if pa.types.is_dictionary(column.type):
        return column.unify_dictionaries()
    return column


def _tenants(
    table: pa.Table, name: str, key_column: str, ring: Keyring, closed: Iterable[str]
) -> tuple[RingKey, pa.Array]:
    """Returns the keys that a column names, and which of them each row has."""
    names = _plain(table, key_column, closed, "the column with the names of keys")
    if pa.types.is_dictionary(names.type):
        names = names.cast(names.type.value_type)
    try:
        coded = _joined(names.cast(pa.string())).dictionary_encode()
    except pa.ArrowException:
        raise TypeError(f"the column with the names of keys, {key_column!r}, is text, and not {names.type}") from None
    if coded.null_count:
        has_value = table.column(_place(table, name, "the column")).is_valid()
        wrong = pc.index(pc.and_(has_value, names.is_null()), pa.scalar(True)).as_py()
        if wrong >= 0:
            raise ValueError(f"column {name!r}: row {wrong} has a value, and in {key_column!r} no name of a key")
    found = coded.dictionary.to_pylist()
    if not found:
        # Nulls alone; any key will do, or there is none.
        found = list(ring)[:1]
    return ring.of(found), coded.indices.fill_null(0).cast(pa.uint32())


@dataclass
class _Work:
    """The pieces of a column, and what becomes of their results."""

    place: int
    name: str
    starts: list[int]
    tasks: list[Callable[[], Any]]
    finish: Callable[[list[Any]], tuple[pa.Field, pa.ChunkedArray]]


def _run(table: pa.Table, works: list[_Work], threads: int | None, progress: Progress | None) -> pa.Table:
    """Does the pieces of all columns, and puts the results in their places."""
    if progress is not None:
        _arguments.function(progress, "progress", "a function of two numbers, of the values done and of all")
    tasks = [task for work in works for task in work.tasks]
    ends = list(
        itertools.accumulate(
            stop - start for work in works for start, stop in itertools.pairwise([*work.starts, table.num_rows])
        )
    )

    def done(number: int) -> None:
        if progress is not None:
            progress(ends[number], ends[-1])

    results = iter(in_order(tasks, threads_of(threads), done))
    for work in works:
        field, column = work.finish([next(results) for _ in work.tasks])
        table = table.set_column(work.place, field, column)
    return table


def _cut(column: pa.ChunkedArray) -> tuple[list[pa.Array], list[int]]:
    """Returns the pieces of a column, and the number of the first row of each."""
    chunks = pieces_of(column.chunks)
    return chunks, [0, *itertools.accumulate(len(chunk) for chunk in chunks)][: len(chunks)]


def encrypt(
    table: Any,
    policies: Mapping[str, Policy],
    ring: Keyring,
    threads: int | None,
    progress: Progress | None,
    extension: bool,
) -> Any:
    given, batch = table_of(table)
    extension = _arguments.flag(extension, "extension")
    policies = _arguments.mapping(policies, "policies", "a mapping from names of columns to Policy")
    works = []
    for name, policy in policies.items():
        _arguments.instance(policy, f"the policy of column {name!r}", Policy, "a Policy")
        works.append(_encrypting(given, name, policy, ring, set(policies), extension))
    return _as_given(_run(given, works, threads, progress), batch)


def _encrypting(
    table: pa.Table, name: str, policy: Policy, ring: Keyring, closed: set[str], extension: bool
) -> _Work:
    place = _place(table, name, "the column")
    old = table.schema.field(place)
    if description_of(name, old) is not None:
        raise ValueError(f"column {name!r} is encrypted already")
    bound = _Bound.of(table, name, policy, ring, closed)
    primaries = [ring.primary(one) for one in bound.key.names]
    modes = {one.mode for one in primaries}
    if policy.mode is not None and modes - {policy.mode}:
        raise ValueError(f"column {name!r} is for mode {policy.mode}, and its key is of {', '.join(sorted(modes))}")
    if len(modes) > 1:
        raise ValueError(f"the keys of column {name!r} are of several modes: {', '.join(sorted(modes))}")
    column = table.column(place)
    categories = _categories(column, name, bound)
    described = _Description(
        policy.key,
        policy.key_column,
        modes.pop() if modes else "",
        [one.id for one in primaries] if policy.key_column is None else [],
        policy.associated_data,
        policy.associated_data_column,
        old.type,
        old.nullable,
        old.metadata,
        categories,
    )
    text = described.to_text()
    storage = types.stored(old.type)
    new_type = EncryptedType(storage, text) if extension else storage
    pieces, starts = _cut(_ordered(column, name))

    def task(piece: pa.Array, start: int) -> Callable[[], pa.Array]:
        def run() -> pa.Array:
            try:
                encoded = types.encode(piece)
            except (pa.ArrowException, NotImplementedError) as error:
                raise TypeError(f"column {name!r} of type {old.type} cannot be encrypted: {error}") from None
            aad, numbers = bound.parts(start, len(piece))
            try:
                made = columns.encrypt(bound.key, values_of(encoded), associated_data=aad, key_index=numbers)
            except (ValueError, OverflowError) as error:
                raise _named(error, name, start) from None
            return array_of(made, storage)

        return run

    def finish(made: list[pa.Array]) -> tuple[pa.Field, pa.ChunkedArray]:
        arrays = [pa.ExtensionArray.from_storage(new_type, one) for one in made] if extension else made
        metadata = {**(old.metadata or {}), METADATA: text.encode()}
        return pa.field(name, new_type, old.nullable, metadata), pa.chunked_array(arrays, new_type)

    return _Work(place, name, starts, [task(*one) for one in zip(pieces, starts, strict=True)], finish)


def _is_ordered(kind: pa.DataType) -> bool:
    return bool(pa.types.is_dictionary(kind)) and kind.ordered


def _by_dictionary(chunk: pa.DictionaryArray, whole: pa.Array) -> pa.DictionaryArray:
    """Returns the same values by a dictionary that has all of them."""
    index = pc.index_in(chunk.dictionary, whole).cast(chunk.type.index_type)
    return pa.DictionaryArray.from_arrays(index.take(chunk.indices), whole, ordered=True)


def _ordered(column: pa.ChunkedArray, name: str) -> pa.ChunkedArray:
    """Returns a column of which all chunks have one dictionary, if its order means something."""
    if not _is_ordered(column.type) or not column.chunks:
        return column
    first = column.chunk(0).dictionary
    if all(chunk.dictionary.equals(first) for chunk in column.chunks):
        return column
    try:
        whole = column.unify_dictionaries().chunk(0).dictionary
        # An order of all values that has the order of each chunk in it.
        follows = TopologicalSorter[int]()
        for chunk in column.chunks:
            places = pc.index_in(chunk.dictionary, whole).to_pylist()
            for before, place in zip([None, *places], places, strict=False):
                follows.add(place, *(() if before is None else (before,)))
        whole = whole.take(pa.array(follows.static_order(), pa.int64()))
        return pa.chunked_array([_by_dictionary(chunk, whole) for chunk in column.chunks], column.type)
    except CycleError:
        cause = "whose orders contradict each other"
    except pa.ArrowException as error:
        cause = f"and {error}"
    raise ValueError(
        f"column {name!r} has ordered dictionaries that differ between its chunks, {cause}; give all chunks one, or cast it"
    )


def _categories(column: pa.ChunkedArray, name: str, bound: _Bound) -> bytes | None:
    """Returns the dictionary of an ordered type, encrypted like a value."""
    if not _is_ordered(column.type):
        return None
    if bound.index is not None:
        raise TypeError(f"column {name!r} has an ordered dictionary, and so takes one key for all rows; cast it, or name one")
    chunks = _ordered(column, name).chunks
    dictionary = chunks[0].dictionary if chunks else pa.array([], column.type.value_type)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, pa.schema([pa.field("v", dictionary.type)])) as stream:
        stream.write_batch(pa.RecordBatch.from_arrays([dictionary], ["v"]))
    one = pa.array([sink.getvalue().to_pybytes()], pa.binary())
    made = columns.encrypt(bound.key, values_of(one), associated_data=_for_categories(name))
    return bytes(made.data)


def _for_categories(name: str) -> bytes:
    return b"categories of " + name.encode()


def _named(error: Exception, name: str, start: int) -> Exception:
    """Returns the exception with the name of its column."""
    more = f" (from row {start} on)" if start else ""
    return type(error)(f"column {name!r}: {error}{more}")


def decrypt(
    table: Any,
    ring: Keyring,
    only: Iterable[str] | None,
    schema: pa.Schema | None,
    invalid: Literal["raise", "null"],
    threads: int | None,
    progress: Progress | None,
) -> Any:
    given, batch = table_of(table)
    _arguments.one_of(invalid, "invalid", ("raise", "null"))
    described = _described(given, only, schema)
    works = [_decrypting(given, place, text, ring, described, invalid) for place, text in described.items()]
    return _as_given(_run(given, works, threads, progress), batch)


def _described(given: pa.Table, only: Iterable[str] | None, schema: pa.Schema | None) -> dict[int, str | bytes]:
    """Returns the places of encrypted columns, with the texts that describe them."""
    if schema is not None:
        _arguments.instance(schema, "schema", pa.Schema, "a schema of pyarrow")
    described: dict[int, str | bytes] = {}
    for place, field in enumerate(given.schema):
        if schema is not None:
            places = schema.get_all_field_indices(field.name)
            if len(places) != 1:
                continue
            field = schema.field(places[0])
        text = description_of(field.name, field)
        if text is not None:
            described[place] = text
    if only is None:
        if not described and schema is not None:
            raise ValueError("no column of the table has the name of one that the schema describes as an encrypted one")
        if not described:
            raise ValueError(
                "no column of the table is described as an encrypted one; if another program has dropped the description, "
                "pass the schema of the table as it was encrypted"
            )
        return described
    places = [_place(given, name, "the column") for name in _arguments.names(only, "columns", "email")]
    for place in places:
        if place not in described:
            raise ValueError(f"column {given.schema.field(place).name!r} is not described as an encrypted one")
    return {place: described[place] for place in places}


def storage_of(piece: pa.Array, name: str) -> pa.Array:
    """Returns the binary values of a piece of an encrypted column, whatever another program made of their type."""
    if isinstance(piece.type, pa.BaseExtensionType):
        piece = piece.storage
    if not types._is_text(piece.type):
        raise TypeError(f"column {name!r} is described as an encrypted one, and its type is {piece.type}")
    return types.encode(piece)


def _tried(piece: pa.Array, start: int, name: str, bound: _Bound, work: Callable[..., T]) -> T | InvalidTag:
    """Works on a piece of an encrypted column, and returns the result, or the exception for values that are not authentic."""
    sealed = storage_of(piece, name)
    aad, numbers = bound.parts(start, len(piece))
    try:
        return work(bound.key, values_of(sealed), associated_data=aad, key_index=numbers)
    except InvalidTag as error:
        return error
    except ValueError as error:
        raise _named(error, name, start) from None


def _authentic(made: list[Any], starts: list[int], name: str) -> None:
    """Raises one exception for all pieces with values that are not authentic."""
    refused = [(start, one) for start, one in zip(starts, made, strict=True) if isinstance(one, InvalidTag)]
    if refused:
        raise in_column(gathered(refused), name)


def _decrypting(
    table: pa.Table,
    place: int,
    text: str | bytes,
    ring: Keyring,
    described: Mapping[int, object],
    invalid: Literal["raise", "null"],
) -> _Work:
    name = table.schema.field(place).name
    how = _Description.of_text(name, text)
    closed = {table.schema.field(one).name for one in described}
    bound = _Bound.of(table, name, how, ring, closed)
    categories = _opened_categories(name, how, bound)
    pieces, starts = _cut(table.column(place))

    def open_piece(key: Any, values: Any, **given: Any) -> columns.MadeValues:
        return columns.decrypt(key, values, invalid=invalid, **given)

    def task(piece: pa.Array, start: int) -> Callable[[], pa.Array | InvalidTag]:
        def run() -> pa.Array | InvalidTag:
            opened = _tried(piece, start, name, bound, open_piece)
            if isinstance(opened, InvalidTag):
                return opened
            try:
                return types.decode(array_of(opened, None), how.type, categories)
            except types.WrongValue as error:
                raise ValueError(f"column {name!r}: row {start + error.row} is none of {how.type}: {error}") from None
            except (pa.ArrowException, NotImplementedError, OverflowError) as error:
                raise ValueError(f"column {name!r} is none of {how.type}: {error}") from None

        return run

    def finish(made: list[Any]) -> tuple[pa.Field, pa.ChunkedArray]:
        _authentic(made, starts, name)
        nullable = how.nullable or any(one.null_count for one in made)
        return pa.field(name, how.type, nullable, how.metadata), pa.chunked_array(made, how.type)

    return _Work(place, name, starts, [task(*one) for one in zip(pieces, starts, strict=True)], finish)


def _opened_categories(name: str, how: _Description, bound: _Bound) -> pa.Array | None:
    if how.categories is None or not _is_ordered(how.type):
        return None
    try:
        one = values_of(pa.array([how.categories], pa.binary()))
        opened = columns.decrypt(bound.key, one, associated_data=_for_categories(name))
        return pa.ipc.open_stream(pa.py_buffer(opened.data)).read_next_batch().column(0)
    except InvalidTag as error:
        raise in_column(error, name, "its categories, as ") from None
    except (pa.ArrowException, OSError, StopIteration) as error:
        raise ValueError(f"column {name!r} has no categories that can be read: {error}") from None


def in_column(error: InvalidTag, name: str, part: str = "") -> InvalidTag:
    """Returns the exception with the name of its column."""
    error.args = (f"column {name!r}: {part}{error}",)
    error.column = name
    return error


def reencrypt(
    table: Any, ring: Keyring, only: Iterable[str] | None, threads: int | None, progress: Progress | None
) -> Any:
    given, batch = table_of(table)
    described = _described(given, only, None)
    works = [_rotating(given, place, text, ring, described) for place, text in described.items()]
    return _as_given(_run(given, works, threads, progress), batch)


def _rotating(
    table: pa.Table, place: int, text: str | bytes, ring: Keyring, described: Mapping[int, object]
) -> _Work:
    old = table.schema.field(place)
    name = old.name
    how = _Description.of_text(name, text)
    bound = _Bound.of(table, name, how, ring, {table.schema.field(one).name for one in described})
    primaries = [ring.primary(one) for one in bound.key.names]
    if how.categories is not None:
        one = values_of(pa.array([how.categories], pa.binary()))
        how.categories = bytes(columns.reencrypt(bound.key, one, associated_data=_for_categories(name))[0].data)
    how.ids = [one.id for one in primaries] if how.key_column is None else []
    how.mode = primaries[0].mode if primaries else how.mode
    new_text = how.to_text()
    pieces, starts = _cut(table.column(place))

    def task(piece: pa.Array, start: int) -> Callable[[], pa.Array | InvalidTag]:
        def run() -> pa.Array | InvalidTag:
            made = _tried(piece, start, name, bound, columns.reencrypt)
            return made if isinstance(made, InvalidTag) else array_of(made[0], types.stored(how.type))

        return run

    def finish(made: list[Any]) -> tuple[pa.Field, pa.ChunkedArray]:
        _authentic(made, starts, name)
        kind = types.stored(how.type)
        if isinstance(old.type, EncryptedType):
            kind = EncryptedType(kind, new_text)
            made = [pa.ExtensionArray.from_storage(kind, one) for one in made]
        metadata = {**(old.metadata or {}), METADATA: new_text.encode()}
        return pa.field(name, kind, old.nullable, metadata), pa.chunked_array(made, kind)

    return _Work(place, name, starts, [task(*one) for one in zip(pieces, starts, strict=True)], finish)


def _as_given(table: pa.Table, batch: bool) -> Any:
    """Returns the table as what was passed."""
    if not batch:
        return table
    arrays = [_joined(_without_dictionaries(column)) for column in table.columns]
    return pa.RecordBatch.from_arrays(arrays, schema=table.schema)
