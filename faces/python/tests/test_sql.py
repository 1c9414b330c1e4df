"""SQL functions of DuckDB, expressions of Polars and the Arrow function for Spark, over rings of keys."""

from __future__ import annotations

import functools
import random
from typing import Any

import pytest

from abreast import AESSIV
from abreast.keyring import Keyring

pa = pytest.importorskip("pyarrow")
duckdb = pytest.importorskip("duckdb")
pl = pytest.importorskip("polars")

from abreast.arrow import Policy, decrypt_column, decrypt_table, encrypt_column, encrypt_table
from abreast.sql import decrypted, encrypted, register, spark_encrypt


def ring_of() -> Keyring:
    ring = Keyring()
    ring.add("ids", bytes(range(64)), mode="siv", id=1)
    ring.add("data", bytes(range(32)), mode="gcm", id=2)
    ring.add("plain", bytes(range(9, 73)), mode="siv")
    return ring


@pytest.fixture
def database() -> Any:
    with duckdb.connect() as connection:
        register(connection, ring_of())
        yield connection


def one(database: Any, statement: str) -> Any:
    return database.sql(statement).fetchall()[0][0]


@pytest.mark.parametrize("key", ["ids", "data", "plain"])
@pytest.mark.parametrize("rows", [0, 1, 2047, 2048, 2049, 10_000])
def test_duckdb(database: Any, key: str, rows: int) -> None:
    dice = random.Random(rows)
    values = [None if dice.random() < 0.1 else dice.randbytes(dice.randrange(40)).hex() for _ in range(rows)]
    database.register("given", pa.table({"row": pa.array(range(rows), pa.int64()), "value": pa.array(values, pa.string())}))
    database.sql(f"CREATE TABLE made AS SELECT row, abreast_encrypt(value, '{key}') AS value FROM given")
    statement = f"SELECT abreast_decrypt(value, '{key}'), abreast_decrypt_blob(value, '{key}') FROM made ORDER BY row"
    back = database.sql(statement).fetchall()
    assert [text for text, _ in back] == values
    assert [blob for _, blob in back] == [None if value is None else value.encode() for value in values]
    # The functions of columns open what SQL has made, and the other way round.
    made = database.sql("SELECT value FROM made ORDER BY row").to_arrow_table()["value"]
    assert decrypt_column(made, ring_of()[key], type=pa.string()).to_pylist() == values
    database.register("ours", pa.table({"value": encrypt_column(pa.array(values, pa.string()), ring_of()[key])}))
    texts = database.sql(f"SELECT abreast_decrypt(value, '{key}') FROM ours").fetchall()
    assert [text for (text,) in texts] == values


def test_duckdb_joins_and_randomness(database: Any) -> None:
    twice = "SELECT count(DISTINCT abreast_encrypt(v, '{}')) FROM (VALUES ('a'), ('a'), ('b')) AS t(v)"
    assert one(database, twice.format("ids")) == 2
    assert one(database, twice.format("data")) == 3
    # A constant is encrypted anew in each row.
    assert one(database, "SELECT count(DISTINCT abreast_encrypt('a', 'data')) FROM range(5000)") == 5000
    assert one(database, "SELECT count(*) FROM range(9) t(i) WHERE abreast_encrypt(i::VARCHAR, 'ids') = abreast_encrypt('7', 'ids')") == 1


def test_duckdb_a_key_for_each_row(database: Any) -> None:
    database.sql("CREATE TABLE t AS SELECT 'v' || i AS v, CASE WHEN i % 3 = 0 THEN 'ids' ELSE 'plain' END AS k FROM range(5000) t(i)")
    same = "SELECT count(*) FROM t WHERE abreast_decrypt(abreast_encrypt(v, k), k) = v"
    assert one(database, same) == 5000
    with pytest.raises(duckdb.Error, match="not authentic|another generation|no generation"):
        database.sql("SELECT abreast_decrypt(abreast_encrypt(v, 'ids'), 'plain') FROM t").fetchall()


def test_duckdb_keys_of_several_modes() -> None:
    """The primaries that a column names are of one mode, and retired generations of any."""
    ring = ring_of()
    with duckdb.connect() as connection:
        register(connection, ring)
        connection.sql("CREATE TABLE t AS SELECT 'v' || i AS v, CASE WHEN i % 2 = 0 THEN 'ids' ELSE 'data' END AS k FROM range(9) t(i)")
        with pytest.raises(duckdb.Error, match="of one mode, and these are of several"):
            connection.sql("SELECT abreast_encrypt(v, k) FROM t").fetchall()
        connection.sql("CREATE TABLE old AS SELECT abreast_encrypt('a', 'ids') AS v")
        ring.add("ids", bytes(32), mode="gcm", id=7)
        assert one(connection, "SELECT count(*) FROM old WHERE abreast_decrypt(v, 'ids') = 'a'") == 1
        assert len(connection.sql("SELECT abreast_encrypt(v, k) FROM t").fetchall()) == 9


def test_duckdb_associated_data(database: Any) -> None:
    database.sql("CREATE TABLE t AS SELECT i, abreast_encrypt('v' || i, 'data', i::VARCHAR) AS v FROM range(3000) t(i)")
    assert one(database, "SELECT count(*) FROM t WHERE abreast_decrypt(v, 'data', i::VARCHAR) = 'v' || i") == 3000
    with pytest.raises(duckdb.Error, match="not authentic"):
        database.sql("SELECT abreast_decrypt(v, 'data', (i + 1)::VARCHAR) FROM t").fetchall()
    register(database, ring_of(), prefix="bound_", associated_data=b"users")
    made = one(database, "SELECT bound_encrypt('x'::BLOB, 'ids')")
    assert decrypt_column(pa.array([made]), ring_of()["ids"], associated_data=b"users").to_pylist() == [b"x"]


@pytest.mark.parametrize(
    ("statement", "cause"),
    [
        ("SELECT abreast_encrypt('a', 'no such')", "no key 'no such'"),
        ("SELECT abreast_encrypt('a', NULL)", "name of a key"),
        ("SELECT abreast_encrypt(5, 'ids')", "VARCHAR or BLOB"),
        ("SELECT abreast_encrypt('a')", "not 1 arguments"),
        ("SELECT abreast_encrypt('a', 'ids', 5)", "associated data is a VARCHAR"),
        ("SELECT abreast_encrypt('a', 'ids', NULL::VARCHAR)", "associated data"),
        ("SELECT abreast_decrypt('a', 'ids')", "takes a BLOB"),
        ("SELECT abreast_decrypt('abc'::BLOB, 'ids')", "not authentic|generation"),
        ("SELECT abreast_decrypt(abreast_encrypt('\\xFF'::BLOB, 'ids'), 'ids')", "[Uu][Tt][Ff]"),
    ],
)
def test_duckdb_refuses(database: Any, statement: str, cause: str) -> None:
    with pytest.raises(duckdb.Error, match=cause):
        database.sql(statement).fetchall()


def test_duckdb_nulls(database: Any) -> None:
    assert one(database, "SELECT abreast_encrypt(NULL, 'ids')") is None
    assert one(database, "SELECT abreast_decrypt(NULL::BLOB, 'ids')") is None
    assert one(database, "SELECT abreast_decrypt(NULL, 'ids')") is None
    with pytest.raises(TypeError, match="keyring is a Keyring"):
        register(database, AESSIV(bytes(range(64))))  # type: ignore[arg-type]


@pytest.mark.parametrize("key", ["ids", "data"])
def test_polars(key: str) -> None:
    ring = ring_of()
    frame = pl.DataFrame({"v": ["a", None, "b", "a"], "b": [b"1", b"", None, b"\xff"]})
    made = frame.lazy().select(encrypted("v", ring, key, associated_data=b"v"), encrypted(pl.col("b"), ring, key)).collect()
    assert made.schema == {"v": pl.Binary, "b": pl.Binary}
    assert made["v"].n_unique() == (3 if key == "ids" else 4)
    back = made.select(
        decrypted("v", ring, key, associated_data=b"v"), decrypted("b", ring, key, dtype=pl.Binary)
    )
    assert back.equals(frame)
    # Groups have their own parts of a column.
    assert frame.group_by("v").agg(encrypted("b", ring, key)).select(pl.len()).item() == 3
    with pytest.raises(Exception, match="not authentic"):
        made.select(decrypted("v", ring, key, associated_data=b"w"))
    with pytest.raises(LookupError, match="no key 'x'"):
        encrypted("v", ring, "x")
    with pytest.raises(ValueError, match="dtype"):
        decrypted("v", ring, key, dtype=pl.Int64)


def test_spark() -> None:
    policies = {"name": Policy(key="ids"), "amount": Policy(key="data")}
    table = pa.table({"row": range(1000), "name": [f"n{row % 9}" for row in range(1000)], "amount": [row / 7 for row in range(1000)]})
    function = functools.partial(spark_encrypt, policies=policies, load=ring_of)
    made = pa.Table.from_batches(function(iter(table.to_batches(max_chunksize=300))))
    assert made.schema.types == [pa.int64(), pa.binary(), pa.binary()]
    # Spark drops metadata.
    bare = made.replace_schema_metadata(None).cast(pa.schema(list(zip(made.column_names, made.schema.types, strict=True))))
    schema = encrypt_table(table.schema.empty_table(), policies, ring_of()).schema
    assert decrypt_table(bare, ring_of(), schema=schema).equals(table)
