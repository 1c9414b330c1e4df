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
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal

from . import _arguments, _arrow_tables, columns
from ._arrow_tables import EncryptedType, Policy, Progress
from ._arrow_values import (
    array_of,
    array_type,
    binary_of,
    chunks_of,
    gathered,
    in_order,
    index_of,
    is_one,
    one_of,
    pieces_of,
    threads_of,
    values_of,
)
from ._errors import InvalidTag
from ._extras import require

if TYPE_CHECKING:
    import pyarrow as pa
    from typing_extensions import Buffer

    from .columns import ColumnKey
    from .keyring import Keyring, RingKey
else:
    pa = require("pyarrow", "arrow")

__all__ = [
    "EncryptedType",
    "Policy",
    "decrypt_column",
    "decrypt_table",
    "encrypt_column",
    "encrypt_table",
    "reencrypt_column",
    "reencrypt_table",
]

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
    return _each(values, work, (associated_data,), key_index, nonces, _keys_of_rows(key), None, threads)


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
    _arguments.one_of(invalid, "invalid", ("raise", "null"))
    if type is not None:
        _arguments.instance(type, "type", pa.DataType, "a type of pyarrow")

    def work(piece: columns.Values, aad: Any, index: Any, own: Any) -> columns.MadeValues:
        return columns.decrypt(key, piece, associated_data=aad, key_index=index, invalid=invalid)

    key = _again(key)
    return _each(values, work, (associated_data,), key_index, None, _keys_of_rows(key), type, threads)


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
        return _each(values, work, (associated_data,), key_index, None, 0, None, threads)
    return _each(values, changed, (associated_data, to_associated_data), key_index, None, 0, None, threads)


def _again(key: ColumnKey) -> ColumnKey:
    """Returns a key that each chunk can go through, if it is an iterable."""
    return list(key) if isinstance(key, Iterable) else key


def _keys_of_rows(key: ColumnKey) -> int:
    """Returns the number of keys, if each row has its own, and 0 for one key for all rows."""
    return len(key) if isinstance(key, (columns.AESGCMKeys, columns.XTEAKeys, list)) else 0


def encrypt_table(
    table: Any,
    policies: Mapping[str, Policy],
    keyring: Keyring,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
    extension: bool = True,
) -> Any:
    """Encrypts columns of a table or record batch, of any type, each by its policy; the others stay as they are.

    ``table`` is one of pyarrow, which the result is too, or has Arrow's C data interface: a frame of Polars or pandas, a relation of
    DuckDB; then the result is a table of pyarrow. Values become binary ones, nulls stay null, and the metadata of each field says
    under ``abreast`` what the column was: type, key, numbers of generations, what values are bound to. With ``extension``, their type is
    Arrow's extension type ``abreast.encrypted``, which says the same. Nothing of it is authenticated: see :func:`decrypt_table`.

    ``threads``, all cores unless it is given, share columns and parts of them. ``progress`` is called with the number of values done
    and that of all. Raises ValueError for a column that is not there or is encrypted already, KeyNotFound for a key that the ring does
    not have, and TypeError for a type that Arrow itself cannot take apart.
    """
    return _arrow_tables.encrypt(table, policies, _ring(keyring), threads, progress, extension)


def decrypt_table(
    table: Any,
    keyring: Keyring,
    *,
    columns: Iterable[str] | None = None,
    schema: pa.Schema | None = None,
    invalid: Literal["raise", "null"] = "raise",
    threads: int | None = None,
    progress: Progress | None = None,
) -> Any:
    """Decrypts the columns that :func:`encrypt_table` encrypted, to the types that they had, or some of them.

    The description in the table is not authenticated: who can change the table can name another type, or other associated data
    and so have one column pass for another. ``schema``, the schema of the encrypted table from a trusted place, is used in its place, and
    also where another program has dropped the metadata.

    If values are not authentic, raises InvalidTag with their numbers, ``rows``, and the name ``column``, or UnknownKey if they name
    generations that the ring does not have; with ``invalid="null"`` they become null. ValueError says that a value or a
    description is none.
    """
    return _arrow_tables.decrypt(table, _ring(keyring), columns, schema, invalid, threads, progress)


def reencrypt_table(
    table: Any,
    keyring: Keyring,
    *,
    columns: Iterable[str] | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Any:
    """Encrypts the columns that :func:`encrypt_table` encrypted, or some of them, with the primary generations of their keys.

    Values of these stay as they are, as in :func:`reencrypt_column`, and Python never has the plaintext.
    """
    return _arrow_tables.reencrypt(table, _ring(keyring), columns, threads, progress)


def _ring(keyring: Keyring) -> Keyring:
    from .keyring import Keyring

    return _arguments.instance(keyring, "keyring", Keyring, "a Keyring")


class _PerRow:
    """An argument with something for each row, or one for all."""

    def __init__(self, given: Any, rows: int) -> None:
        self._one, self._each = given, None
        if given is None:
            self._one = b""
        elif not is_one(given):
            what = "associated_data is a bytes-like object or an array with a string for each row"
            self._each = binary_of(one_of(given, what))
            if len(self._each) != rows:
                raise ValueError(f"there are {rows} rows and {len(self._each)} strings of associated data")

    def of(self, start: int, count: int) -> Any:
        """Returns the part for some rows."""
        return self._one if self._each is None else values_of(self._each.slice(start, count))


def _each(
    values: Any,
    work: Callable[..., columns.MadeValues],
    associated_data: tuple[Any, ...],
    key_index: Any,
    nonces: Buffer | None,
    keys: int,
    kind: pa.DataType | None,
    threads: int,
) -> Any:
    """Works chunk by chunk; arguments of rows are cut as the rows are."""
    threads = threads_of(threads)
    chunks, chunked, original = chunks_of(values, "the values of a column are an array of binary or string values")
    rows = sum(len(chunk) for chunk in chunks)
    strings = [_PerRow(one, rows) for one in associated_data]
    index = None if key_index is None else index_of(key_index, rows)
    pieces = chunks if threads == 1 else pieces_of(chunks)
    if index is None and keys and len(pieces) > 1:
        if keys > rows:
            raise ValueError(f"there are {keys} keys for {rows} rows; pass one for each row, or key_index")
        index = pa.array(range(rows), pa.uint32())
    view = None if nonces is None else _arguments.flat(nonces)
    if view is not None and rows and len(view) % rows:
        raise ValueError(f"nonces are of the same length for each of the {rows} rows")
    width = 0 if view is None or not rows else len(view) // rows

    def task(piece: pa.Array, at: int) -> Callable[[], pa.Array | InvalidTag]:
        def run() -> pa.Array | InvalidTag:
            array, count = binary_of(piece), len(piece)
            numbers = None
            if index is not None:
                part = index.slice(at, count)
                raw = memoryview(part.buffers()[1]).cast("B")[part.offset * 4 : (part.offset + count) * 4]
                numbers = raw.cast("I")
            own = None if view is None else view[at * width : (at + count) * width]
            try:
                return array_of(work(values_of(array), *(one.of(at, count) for one in strings), numbers, own), kind)
            except InvalidTag as error:
                return error

        return run

    starts = [0, *itertools.accumulate(len(piece) for piece in pieces)]
    made = in_order([task(piece, start) for piece, start in zip(pieces, starts, strict=False)], threads)
    refused = [(start, one) for one, start in zip(made, starts, strict=False) if isinstance(one, InvalidTag)]
    if refused:
        raise gathered(refused)
    if not chunked:
        return made[0] if len(made) == 1 else pa.concat_arrays(made)
    # Without chunks, of the type that their results would have.
    return pa.chunked_array(made, kind or array_type(binary_of(pa.array([], original)).type))
