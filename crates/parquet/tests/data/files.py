"""Writes the files of this folder: pyarrow 26.0.1 and DuckDB 2.0.1, `python files.py` in this folder.

`plain.parquet` holds the rows, and each other file holds them encrypted. Its name says how: the algorithm, the bits of its keys,
`footer` for a footer in clear, `stored` or `given` for an AAD prefix, `columns` for keys of columns, by the key tools. Keys are the
first bytes of `KEY`, in columns of `KEY` backwards.
"""

from __future__ import annotations

import base64
import datetime
import itertools

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pyarrow.parquet.encryption as pe
from pyarrow import fs

KEY = bytes(range(100, 132))
PREFIX = b"the prefix of files"
ROWS = 120

TABLE = pa.table(
    {
        "id": pa.array(range(ROWS), pa.int64()),
        "name": [f"name {row % 23}" for row in range(ROWS)],
        "value": [row / 7 if row % 5 else None for row in range(ROWS)],
        "none": pa.nulls(ROWS, pa.int32()),
        "nested": [{"list": list(range(row % 4)), "text": f"{row:x}"} for row in range(ROWS)],
    }
)


class Kms(pe.KmsClient):
    """Wraps a key as base64 of the master key's name and the key, which hides nothing."""

    def __init__(self, _config: pe.KmsConnectionConfig) -> None:
        super().__init__()

    def wrap_key(self, key_bytes: bytes, master_key_identifier: str) -> bytes:
        return base64.b64encode(master_key_identifier.encode() + b":" + key_bytes)

    def unwrap_key(self, wrapped_key: bytes, master_key_identifier: str) -> bytes:
        name, _, key = base64.b64decode(wrapped_key).partition(b":")
        assert name == master_key_identifier.encode()
        return key


def write(name: str, properties: object | None, **options: object) -> None:
    pq.write_table(
        TABLE,
        f"{name}.parquet",
        encryption_properties=properties,
        row_group_size=80,
        data_page_size=250,
        write_batch_size=20,
        use_dictionary=["name", "nested.text"],
        write_page_index=True,
        compression="snappy",
        **options,
    )


def main() -> None:
    write("plain", None)
    write("plain-checksums", None, write_page_checksum=True)
    write("plain-v2", None, data_page_version="2.0")
    for algorithm, size, footer, prefix in itertools.product(["gcm", "ctr"], [16, 24, 32], ["", "-footer"], ["", "-stored", "-given"]):
        # Every value beside every other one would be 36 files: each pair is there.
        if (["gcm", "ctr"].index(algorithm) + size // 8 + bool(footer) + len(prefix)) % 3:
            continue
        properties = pe.create_encryption_properties(
            KEY[:size],
            aad_prefix=PREFIX if prefix else None,
            store_aad_prefix=prefix != "-given",
            encryption_algorithm="AES_GCM_CTR_V1" if algorithm == "ctr" else "AES_GCM_V1",
            plaintext_footer=bool(footer),
        )
        write(f"{algorithm}-{8 * size}{footer}{prefix}", properties, write_page_checksum=bool(prefix))
    factory, connection = pe.CryptoFactory(Kms), pe.KmsConnectionConfig()
    for algorithm, footer, double in [("gcm", False, True), ("gcm", True, False), ("ctr", False, False), ("ctr", True, True)]:
        config = pe.EncryptionConfiguration(
            footer_key="the footer",
            column_keys={"the names": ["name", "nested.text"], "the values": ["value"]},
            encryption_algorithm="AES_GCM_CTR_V1" if algorithm == "ctr" else "AES_GCM_V1",
            plaintext_footer=footer,
            double_wrapping=double,
            cache_lifetime=datetime.timedelta(minutes=5),
            data_key_length_bits=128,
        )
        name = f"{algorithm}-columns{'-footer' * footer}{'-double' * double}"
        write(name, factory.file_encryption_properties(connection, config))
    external = pe.EncryptionConfiguration(footer_key="the footer", uniform_encryption=True, internal_key_material=False)
    path = "gcm-uniform-external.parquet"
    write(path[:-8], factory.file_encryption_properties(connection, external, parquet_file_path=path, filesystem=fs.LocalFileSystem()))
    duck = duckdb.connect()
    duck.execute("SET force_mbedtls_unsafe = 'true'")
    duck.execute(f"PRAGMA add_parquet_key('key', '{base64.b64encode(KEY).decode()}')")
    query = "COPY (SELECT i AS id, 'name ' || (i % 7) AS name FROM range(90) t(i)) TO"
    duck.execute(f"{query} 'duckdb-plain.parquet'")
    duck.execute(f"{query} 'duckdb-empty-aad.parquet' (ENCRYPTION_CONFIG {{footer_key: 'key'}})")


if __name__ == "__main__":
    main()
