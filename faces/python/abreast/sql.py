"""Encryption in SQL and in expressions: functions of DuckDB, expressions of Polars, and Arrow functions of Spark, over a ring of keys.

>>> import duckdb
>>> from abreast.keyring import Keyring
>>> from abreast.sql import register
>>> ring = Keyring()
>>> ring.add("ids", bytes(range(64)), mode="siv", id=1)
>>> database = duckdb.connect()
>>> register(database, ring)
>>> rows = database.sql("CREATE TABLE users AS SELECT abreast_encrypt('user' || i, 'ids') AS name FROM range(3) AS t(i)")
>>> database.sql("SELECT abreast_decrypt(name, 'ids') FROM users ORDER BY 1").fetchall()
[('user0',), ('user1',), ('user2',)]
>>> database.sql("SELECT count(*) FROM users WHERE name = abreast_encrypt('user1', 'ids')").fetchall()
[(1,)]

Statements name keys and never hold them: the ring stays in the process, and what is logged of a statement has no key. Values go through in
vectors, a call for each; nulls stay null. The functions and those of :mod:`abreast.arrow` open each other's values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ._arguments import flat, function, text, wrong
from ._extras import require
from .arrow import Policy, _ring, decrypt_column, encrypt_column, encrypt_table
from .keyring import Keyring, RingKey

if TYPE_CHECKING:
    import pyarrow as pa

    pc: Any
else:
    pa, pc = require("pyarrow", "arrow"), require("pyarrow.compute", "arrow")

__all__ = ["decrypted", "encrypted", "register", "spark_encrypt"]


def register(connection: Any, keyring: Keyring, *, prefix: str = "abreast_", associated_data: bytes = b"") -> None:
    """Registers functions in a connection of DuckDB.

    ============================================  ==========================================
    ``abreast_encrypt(value, key_name)``          a VARCHAR or BLOB to a BLOB
    ``abreast_decrypt(value, key_name)``          a BLOB to a VARCHAR
    ``abreast_decrypt_blob(value, key_name)``     a BLOB to a BLOB
    ============================================  ==========================================

    ``key_name`` is the name of a key of the ring, one for a statement or one for each row. A key of mode ``siv`` makes equal values equal,
    so that they join and group; the others make them different each time. A third argument is associated data, a VARCHAR or BLOB that the
    values are bound to, such as the number of the row; without it they are bound to ``associated_data``. A value that is not
    authentic, a key that the ring does not have and a null in place of a name end the statement with an error.
    """
    _ring(keyring)
    text(prefix, "prefix")
    flat(associated_data)
    if not hasattr(connection, "create_function"):
        raise wrong("connection", "a connection of DuckDB", connection)

    def encrypt(*arguments: Any) -> Any:
        values, key, index, aad = _arguments(keyring, arguments, associated_data, "encrypt")
        if pa.types.is_null(values.type):
            values = values.cast(pa.binary())
        if not _is_text(values.type):
            raise TypeError(f"{prefix}encrypt takes a VARCHAR or BLOB, and not {values.type}; cast it first")
        return encrypt_column(values, key, key_index=index, associated_data=aad)

    def decrypt(kind: pa.DataType, name: str) -> Callable[..., Any]:
        def run(*arguments: Any) -> Any:
            values, key, index, aad = _arguments(keyring, arguments, associated_data, name)
            if pa.types.is_null(values.type):
                values = values.cast(pa.binary())
            if not pa.types.is_binary(values.type) and not pa.types.is_large_binary(values.type):
                raise TypeError(f"{prefix}{name} takes a BLOB, and not {values.type}")
            return decrypt_column(values, key, key_index=index, associated_data=aad, type=kind)

        return run

    how: dict[str, Any] = {"type": "arrow", "null_handling": "special"}
    # Random nonces make each call different; without that DuckDB might compute a constant once for all rows.
    connection.create_function(f"{prefix}encrypt", encrypt, None, "BLOB", side_effects=True, **how)
    connection.create_function(f"{prefix}decrypt", decrypt(pa.string(), "decrypt"), None, "VARCHAR", **how)
    connection.create_function(f"{prefix}decrypt_blob", decrypt(pa.binary(), "decrypt_blob"), None, "BLOB", **how)


def _is_text(kind: pa.DataType) -> bool:
    checks: Iterable[Any] = (
        pa.types.is_string,
        pa.types.is_large_string,
        pa.types.is_binary,
        pa.types.is_large_binary,
    )
    return any(check(kind) for check in checks) or kind in (pa.string_view(), pa.binary_view())


def _arguments(
    keyring: Keyring, arguments: tuple[Any, ...], associated_data: bytes, name: str
) -> tuple[Any, RingKey, Any, Any]:
    """Returns the values, the keys that are named, the number of the key of each row unless there is one, and the associated data."""
    if len(arguments) not in (2, 3):
        raise TypeError(f"{name} takes a value, the name of a key and perhaps associated data, and not {len(arguments)} arguments")
    values, names = arguments[:2]
    if not pa.types.is_string(names.type) and not pa.types.is_large_string(names.type):
        raise TypeError(f"the name of a key is a VARCHAR, and not {names.type}")
    if names.null_count:
        raise ValueError("the name of a key is null")
    aad: Any = associated_data
    if len(arguments) == 3:
        aad = arguments[2]
        if not _is_text(aad.type):
            raise TypeError(f"associated data is a VARCHAR or BLOB, and not {aad.type}; cast it first")
        aad = aad.cast(pa.large_binary())
        if pc.any(pc.and_(pc.is_null(aad), pc.is_valid(values))).as_py():
            raise ValueError("the associated data of a value is null")
    distinct = pc.unique(names)
    if len(distinct) <= 1:
        # Of no rows any key will do, as long as there is one.
        wanted = distinct.to_pylist() or [*keyring][:1]
        return values, keyring.of(wanted), None if wanted else pa.array([], pa.uint32()), aad
    index = pc.index_in(names, distinct).cast(pa.uint32())
    return values, keyring.of(distinct.to_pylist()), index, aad


def encrypted(column: Any, keyring: Keyring, key: str, *, associated_data: bytes = b"") -> Any:
    """Returns a Polars expression of the encrypted values of a column of text or binary values.

    ``frame.with_columns(encrypted(pl.col("email"), ring, "ids"))`` encrypts a column of a frame. ``column`` is an expression or the
    name of a column. The key is looked up once, when the expression is made.
    """
    pl = require("polars", "sql")
    ring = _ring(keyring)[key]
    flat(associated_data)

    def run(series: Any) -> Any:
        return pl.Series(series.name, encrypt_column(series.to_arrow(), ring, associated_data=associated_data))

    return _expression(column).map_batches(run, return_dtype=pl.Binary)


def decrypted(column: Any, keyring: Keyring, key: str, *, associated_data: bytes = b"", dtype: Any = None) -> Any:
    """Returns a Polars expression of the values that :func:`encrypted` encrypted, as text unless ``dtype`` is ``pl.Binary``.

    A value that is not authentic is an error of the query.
    """
    pl = require("polars", "sql")
    ring, kind = _ring(keyring)[key], pl.String if dtype is None else dtype
    flat(associated_data)
    if kind not in (pl.String, pl.Binary):
        raise ValueError(f"dtype is polars.String or polars.Binary, and not {dtype}")
    arrow = pa.large_string() if kind == pl.String else pa.large_binary()

    def run(series: Any) -> Any:
        made = decrypt_column(series.to_arrow(), ring, associated_data=associated_data, type=arrow)
        return pl.Series(series.name, made, dtype=kind)

    return _expression(column).map_batches(run, return_dtype=kind)


def _expression(column: Any) -> Any:
    pl = require("polars", "sql")
    if not isinstance(column, str | pl.Expr):
        raise wrong("column", "an expression of Polars or the name of a column", column)
    return pl.col(column) if isinstance(column, str) else column


def spark_encrypt(
    batches: Iterator[pa.RecordBatch], *, policies: Mapping[str, Policy], load: Callable[[], Keyring]
) -> Iterator[pa.RecordBatch]:
    """Encrypts columns of record batches by their policies, as :func:`abreast.arrow.encrypt_table` does.

    It is a function for ``mapInArrow`` of Spark, by ``functools.partial(spark_encrypt, policies=.., load=..)``. Rings are not
    pickled, so that tasks carry ``load``, a function that returns the ring where they run, and no key. The columns are plain binary in
    the results; the schema for :func:`abreast.arrow.decrypt_table` is that of an encrypted table of no rows.
    """
    function(load, "load", "a function that returns a Keyring")
    if not hasattr(batches, "__iter__"):
        raise wrong("batches", "record batches of pyarrow in an iterable", batches)
    ring = load()
    for batch in batches:
        yield encrypt_table(batch, policies, ring, threads=1, extension=False)
