"""A column of values, encrypted in pyarrow, Polars, DuckDB, pandas, Dask and Spark by one function.

    pip install './faces/python[arrow]' polars duckdb pandas 'dask[dataframe]'
    python examples/columns.py

With pyspark, which needs Java 17, Spark does it too; without it, what Spark's mapInArrow would take is called directly.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import dask.dataframe as dd
import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa

import abreast
from abreast.arrow import decrypt_column, encrypt_column

# AES-SIV shows which values are equal, so encrypted columns can be joined and grouped. AESGCM(key) shows nothing.
KEY_BYTES = abreast.AESSIV.generate_key()
KEY = abreast.AESSIV(KEY_BYTES)
CONTEXT = b"customers.email"


def sealed(emails: pa.Array) -> pa.Array:
    return encrypt_column(emails, KEY, associated_data=CONTEXT)


def opened(emails: pa.Array) -> pa.Array:
    return decrypt_column(emails, KEY, associated_data=CONTEXT, type=pa.string())


def workers_key(path: str) -> abreast.AESSIV:
    """The key where a task runs. Keys refuse to be pickled, so tasks that travel say where it is and do not carry it."""
    return abreast.AESSIV(Path(path).read_bytes())


def seal_partition(part: pd.DataFrame, path: str) -> pd.DataFrame:
    """frame.map_partitions(seal_partition, path, ..) of Dask."""
    column = encrypt_column(pa.array(part["email"]), workers_key(path), associated_data=CONTEXT)
    return pd.DataFrame({"email": pd.arrays.ArrowExtensionArray(column)}, index=part.index)


def for_spark(batches: Iterator[pa.RecordBatch], path: str) -> Iterator[pa.RecordBatch]:
    """frame.mapInArrow(functools.partial(for_spark, path=..), schema) of Spark: other columns stay as they are."""
    key = workers_key(path)
    for batch in batches:
        column = encrypt_column(batch.column("email"), key, associated_data=CONTEXT)
        yield batch.set_column(batch.schema.get_field_index("email"), "email", column)


def by_spark(emails: list[str | None], path: str) -> pa.Array:
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    try:
        frame = spark.createDataFrame(pa.table({"row": range(len(emails)), "email": emails}))
        made = frame.mapInArrow(functools.partial(for_spark, path=path), "row long, email binary")
        return made.toArrow().sort_by("row").column("email")
    finally:
        spark.stop()


def main() -> None:
    emails = [f"user{n}@example.org" if n % 7 else None for n in range(100_000)]

    # pyarrow
    array = pa.array(emails)
    start = time.perf_counter()
    column = sealed(array)
    took = time.perf_counter() - start
    assert opened(column).to_pylist() == emails
    print(f"pyarrow: {len(array)} values in {took * 1e3:.1f} ms, {len(array) / took / 1e6:.1f} million a second")

    # Polars
    frame = pl.DataFrame({"email": emails})
    secret = frame.select(
        pl.col("email").map_batches(lambda series: pl.from_arrow(sealed(series.to_arrow())), return_dtype=pl.Binary)
    )
    again = secret.select(
        pl.col("email").map_batches(lambda series: pl.from_arrow(opened(series.to_arrow())), return_dtype=pl.String)
    )
    assert again.equals(frame)
    print("Polars:", secret.schema)

    # DuckDB
    with duckdb.connect() as database:
        database.create_function("seal", sealed, ["VARCHAR"], "BLOB", type="arrow", null_handling="special")
        database.create_function("unseal", opened, ["BLOB"], "VARCHAR", type="arrow", null_handling="special")
        database.register("customers", pa.table({"email": array}))
        equal = database.sql("SELECT count(*) FROM customers WHERE unseal(seal(email)) IS NOT DISTINCT FROM email")
        assert equal.fetchall() == [(len(emails),)]
        print("DuckDB:", database.sql("SELECT seal(email) FROM customers LIMIT 1 OFFSET 1").fetchall()[0][0][:8].hex(), "..")

    # pandas
    series = pd.Series(emails, dtype=pd.ArrowDtype(pa.string()))
    secret_series = pd.Series(pd.arrays.ArrowExtensionArray(sealed(series.array.__arrow_array__())))
    assert opened(secret_series.array.__arrow_array__()).to_pylist() == emails
    print("pandas:", secret_series.dtype)

    # Dask and Spark, whose tasks run elsewhere
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "column.key")
        path.write_bytes(KEY_BYTES)
        path.chmod(0o600)
        meta = pd.DataFrame({"email": pd.Series([], dtype=pd.ArrowDtype(pa.binary()))})
        partitions = dd.from_pandas(pd.DataFrame({"email": series}), npartitions=4)
        made = partitions.map_partitions(seal_partition, str(path), meta=meta).compute(scheduler="processes")
        assert opened(pa.array(made["email"])).to_pylist() == emails
        print("Dask:", partitions.npartitions, "partitions")

        if importlib.util.find_spec("pyspark"):
            assert opened(by_spark(emails, str(path))).to_pylist() == emails
            print("Spark:", len(emails), "rows")
        else:
            batch = pa.RecordBatch.from_arrays([array], ["email"])
            (secret_batch,) = for_spark(iter([batch]), str(path))
            assert opened(secret_batch.column("email")).to_pylist() == emails
            print("mapInArrow, without Spark:", secret_batch.schema.to_string())


if __name__ == "__main__":
    main()
