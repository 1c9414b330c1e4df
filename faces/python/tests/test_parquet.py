"""Parquet modular encryption: files for and of pyarrow, tampering, keys, and the key tools."""

from __future__ import annotations

import base64
import itertools
import json
import os
import pickle
import random
from pathlib import Path
from typing import Any

import pytest

import abreast
from abreast import parquet
from abreast.keyring import Keyring
from abreast.parquet import Encryption, InvalidTag, KeyTools, MissingKey, decrypt, encrypt, inspect, kms_client, rewrap

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
pe = pytest.importorskip("pyarrow.parquet.encryption")

KEY = bytes(range(32))
COLUMN_KEY = bytes(range(40, 56))
PREFIX = b"a prefix"


def table(rows: int, seed: int = 1) -> Any:
    """Rows of numbers, texts, lists, structs, nulls and columns without a value."""
    dice = random.Random(seed)
    return pa.table(
        {
            "id": pa.array(range(rows), pa.int64()),
            "name": [f"name {dice.randrange(max(1, rows // 10))}" for _ in range(rows)],
            "bytes": [None if dice.random() < 0.3 else dice.randbytes(dice.randrange(20)) for _ in range(rows)],
            "none": pa.nulls(rows, pa.float64()),
            "nested": [{"list": list(range(row % 5)), "text": f"{row:x}"} for row in range(rows)],
        }
    )


LEAVES = ["id", "name", "bytes", "none", "nested.list.list.element", "nested.text"]

# How pyarrow can write the same rows.
WAYS: dict[str, dict[str, Any]] = {
    "default": {},
    "small": {"row_group_size": 700, "data_page_size": 300, "write_batch_size": 20, "write_page_index": True},
    "checked": {"write_page_checksum": True, "data_page_version": "2.0", "compression": "zstd", "write_page_index": True},
    "old": {"version": "1.0", "use_dictionary": False, "write_statistics": False, "compression": "none"},
}


@pytest.fixture(params=list(WAYS))
def plain(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, Any]:
    rows = table(2000)
    pq.write_table(rows, tmp_path / "plain.parquet", **WAYS[request.param])
    return tmp_path / "plain.parquet", rows


@pytest.mark.parametrize("dictionaries", [True, False])
def test_tables_without_rows(tmp_path: Path, dictionaries: bool) -> None:
    # Pyarrow leaves the offset of the data page at 0 then, and writes a dictionary page all the same.
    empty = table(0)
    pq.write_table(empty, tmp_path / "plain.parquet", use_dictionary=dictionaries)
    for ways in ({}, {"plaintext_footer": True}, {"column_keys": {"id": COLUMN_KEY}}):
        encrypt(tmp_path / "plain.parquet", tmp_path / "sealed.parquet", footer_key=KEY, replace=True, **ways)
        keys = {None: KEY, **ways.get("column_keys", {})}
        decrypt(tmp_path / "sealed.parquet", tmp_path / "opened.parquet", keys=keys, replace=True)
        assert pq.read_table(tmp_path / "opened.parquet").equals(empty)


class Service(pe.KmsClient):
    """A key service of pyarrow: AES-GCM under master keys, with the key's name as associated data."""

    def __init__(self, _config: object = None) -> None:
        super().__init__()
        self.calls = 0

    def _cipher(self, name: str) -> abreast.AESGCM:
        return abreast.AESGCM(name.encode().ljust(16, b"."))

    def wrap_key(self, key: bytes, name: str) -> bytes:
        self.calls += 1
        nonce = os.urandom(12)
        return base64.b64encode(nonce + self._cipher(name).encrypt(nonce, key, name.encode()))

    def unwrap_key(self, wrapped: str | bytes, name: str) -> bytes:
        self.calls += 1
        wrapped = base64.b64decode(wrapped)
        return self._cipher(name).decrypt(wrapped[:12], wrapped[12:], name.encode())


ALL = list(itertools.product(["AES_GCM_V1", "AES_GCM_CTR_V1"], [16, 24, 32], [False, True], [None, True, False]))


@pytest.mark.parametrize(("algorithm", "size", "plaintext_footer", "stored"), ALL)
def test_pyarrow_reads_ours_and_ours_reads_it(
    plain: tuple[Path, Any], algorithm: Any, size: int, plaintext_footer: bool, stored: bool | None
) -> None:
    source, rows = plain
    ours, theirs, back = (source.with_name(name) for name in ("ours", "theirs", "back"))
    key, prefix = KEY[:size], None if stored is None else PREFIX
    kind: dict[str, Any] = {
        "plaintext_footer": plaintext_footer,
        "aad_prefix": prefix,
        "store_aad_prefix": stored is not False,
    }
    encrypt(source, ours, footer_key=key, algorithm=algorithm, **kind)
    given = prefix if stored is False else None
    properties = pe.create_decryption_properties(key, aad_prefix=given)
    assert pq.read_table(ours, decryption_properties=properties, page_checksum_verification=True).equals(rows)

    properties = pe.create_encryption_properties(key, encryption_algorithm=algorithm, **kind)
    pq.write_table(rows, theirs, encryption_properties=properties, row_group_size=900, write_page_index=True)
    for file in (ours, theirs):
        seen = inspect(file)
        assert seen is not None
        assert seen == Encryption(
            algorithm,
            not plaintext_footer,
            prefix if stored else None,
            seen.aad_file_unique,
            stored is False,
            None,
        )
        decrypt(file, back, keys=key, aad_prefix=given, replace=True)
        assert pq.read_table(back, page_checksum_verification=True).equals(rows)
        if file is ours:
            assert without_footer(back) == without_footer(source)
        with pytest.raises(InvalidTag, match="footer is not authentic"):
            decrypt(file, back, keys=bytes(size), aad_prefix=given, replace=True)
        if stored is False:
            with pytest.raises(ValueError, match="none was given"):
                decrypt(file, back, keys=key, replace=True)


def without_footer(path: Path) -> bytes:
    data = path.read_bytes()
    return data[: len(data) - 8 - int.from_bytes(data[-8:-4], "little")]


@pytest.mark.parametrize("plaintext_footer", [False, True])
@pytest.mark.parametrize("double_wrapping", [False, True])
def test_key_tools(plain: tuple[Path, Any], plaintext_footer: bool, double_wrapping: bool) -> None:
    source, rows = plain
    ours, theirs, back = (source.with_name(name) for name in ("ours", "theirs", "back"))
    service = Service()
    tools = KeyTools(service, double_wrapping=double_wrapping)
    encrypt(
        source,
        ours,
        footer_key=tools.new_key("footers", footer=True),
        column_keys={"name": tools.new_key("texts"), "nested": tools.new_key("texts", key_size=32)},
        plaintext_footer=plaintext_footer,
    )
    assert service.calls == (2 if double_wrapping else 3)
    factory, connection = pe.CryptoFactory(Service), pe.KmsConnectionConfig()
    properties = factory.file_decryption_properties(connection, pe.DecryptionConfiguration())
    assert pq.read_table(ours, decryption_properties=properties).equals(rows)

    config = pe.EncryptionConfiguration(
        footer_key="footers",
        column_keys={"texts": ["name", "nested.text"]},
        double_wrapping=double_wrapping,
        plaintext_footer=plaintext_footer,
    )
    properties = factory.file_encryption_properties(connection, config)
    pq.write_table(rows, theirs, encryption_properties=properties)
    for file in (ours, theirs):
        decrypt(file, back, keys=KeyTools(Service()), replace=True)
        assert pq.read_table(back).equals(rows)

    rewrap(ours, back, keys=tools, wrap=lambda metadata: tools.rewrap(metadata, "new"), replace=True)
    assert without_footer(back) == without_footer(ours)
    properties = factory.file_decryption_properties(connection, pe.DecryptionConfiguration())
    assert pq.read_table(back, decryption_properties=properties).equals(rows)
    seen = inspect(back)
    assert seen is not None and b'"masterKeyID":"new"' in (seen.footer_key_metadata or b"")

    def broken(_metadata: bytes) -> bytes:
        raise LookupError("no service")

    with pytest.raises(LookupError, match="no service"):
        rewrap(ours, back, keys=tools, wrap=broken, replace=True)

    seen = inspect(ours)
    assert seen is not None and seen.footer_key_metadata is not None
    wrapped = tools.rewrap(seen.footer_key_metadata, "other footers")
    assert json.loads(wrapped)["masterKeyID"] == "other footers"
    assert tools(wrapped) == tools(seen.footer_key_metadata)


@pytest.mark.parametrize("raised", [KeyboardInterrupt, LookupError("no such key")])
def test_exceptions_of_a_service(raised: BaseException) -> None:
    class Failing(Service):
        def unwrap_key(self, wrapped: str | bytes, name: str) -> bytes:
            raise raised

    metadata = KeyTools(Service()).new_key("master")[1]
    with pytest.raises(raised if isinstance(raised, type) else type(raised)):
        KeyTools(Failing())(metadata)


def test_material_beside_the_data(tmp_path: Path) -> None:
    rows, file = table(50), tmp_path / "file.parquet"
    factory = pe.CryptoFactory(Service)
    config = pe.EncryptionConfiguration(footer_key="footers", uniform_encryption=True, internal_key_material=False)
    properties = factory.file_encryption_properties(
        pe.KmsConnectionConfig(), config, parquet_file_path=str(file), filesystem=pa.fs.LocalFileSystem()
    )
    pq.write_table(rows, file, encryption_properties=properties)
    material = (tmp_path / "_KEY_MATERIAL_FOR_file.parquet.json").read_bytes()
    with pytest.raises(ValueError, match="is in another file, _KEY_MATERIAL_FOR_ .*which was not given"):
        decrypt(file, tmp_path / "back", keys=KeyTools(Service()))
    decrypt(file, tmp_path / "back", keys=KeyTools(Service(), material=material))
    assert pq.read_table(tmp_path / "back").equals(rows)


def test_keys(plain: tuple[Path, Any]) -> None:
    source, rows = plain
    ours, back = source.with_name("ours"), source.with_name("back")
    encrypt(source, ours, footer_key=(KEY, b"1"), column_keys={"nested": (COLUMN_KEY, b"2"), "id": KEY[:24]})
    with pytest.raises(MissingKey, match="met in row group 0") as caught:
        decrypt(ours, back, keys=KEY)
    assert (caught.value.column, caught.value.row_group) == ("id", 0)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.column, again.row_group) == (str(caught.value), "id", 0)
    with pytest.raises(MissingKey, match="no key for the footer") as caught:
        decrypt(ours, back, keys={"id": KEY})
    assert (caught.value.column, caught.value.row_group) == (None, None)
    assert not back.exists()
    asked: list[tuple[bytes | None, str | None]] = []

    def key_of(metadata: bytes | None, column: str | None) -> bytes:
        asked.append((metadata, column))
        return KEY if column is None else KEY[:24] if column == "id" else COLUMN_KEY

    decrypt(ours, back, keys=key_of)
    assert asked == [(b"1", None), (None, "id"), (b"2", "nested.list.list.element"), (b"2", "nested.text")]
    for keys in (
        {None: KEY, "id": KEY[:24], "nested": COLUMN_KEY},
        {b"1": KEY, "id": KEY[:24], b"2": COLUMN_KEY},
        {None: KEY, "id": KEY[:24], "nested.text": COLUMN_KEY, "nested.list.list": COLUMN_KEY},
    ):
        decrypt(ours, back, keys=keys, replace=True)
        assert pq.read_table(back).equals(rows)
    with pytest.raises(InvalidTag, match=r'of column 0 \("id"\) in row group 0'):
        decrypt(ours, back, keys={None: KEY, "id": KEY[:16], "nested": COLUMN_KEY}, replace=True)

    def broken(_metadata: bytes | None, _column: str | None) -> bytes:
        raise LookupError("no service")

    with pytest.raises(LookupError, match="no service"):
        decrypt(ours, back, keys=broken, replace=True)
    with pytest.raises(ValueError, match="no-such"):
        encrypt(source, back, footer_key=KEY, column_keys={"no-such": KEY}, replace=True)


def test_refusals(tmp_path: Path) -> None:
    source, ours, back = tmp_path / "plain", tmp_path / "ours", tmp_path / "back"
    pq.write_table(table(20), source)
    encrypt(source, ours, footer_key=KEY)
    with pytest.raises(FileExistsError, match="replace=True"):
        encrypt(source, ours, footer_key=KEY)
    with pytest.raises(ValueError, match="same file"):
        encrypt(source, source, footer_key=KEY, replace=True)
    with pytest.raises(ValueError, match="encrypted already"):
        encrypt(ours, back, footer_key=KEY)
    with pytest.raises(ValueError, match="not encrypted"):
        decrypt(source, back, keys=KEY)
    with pytest.raises(ValueError, match="a key has 17 bytes"):
        encrypt(source, back, footer_key=KEY[:17])
    with pytest.raises(ValueError, match="a key has 0 bytes"):
        decrypt(ours, back, keys=lambda _metadata, _column: b"")
    with pytest.raises(ValueError, match="AES_GCM_V2"):
        encrypt(source, back, footer_key=KEY, algorithm="AES_GCM_V2")  # type: ignore[arg-type]
    with pytest.raises(FileNotFoundError):
        inspect(tmp_path / "no such file")
    assert inspect(source) is None
    assert sorted(os.listdir(tmp_path)) == ["ours", "plain"]
    assert set(parquet.__all__) <= set(dir(parquet))


@pytest.mark.parametrize("plaintext_footer", [False, True])
def test_changed_files(tmp_path: Path, plaintext_footer: bool) -> None:
    source, ours, changed, back = (tmp_path / name for name in ("plain", "ours", "changed", "back"))
    pq.write_table(table(60), source, write_page_index=True)
    encrypt(source, ours, footer_key=KEY, plaintext_footer=plaintext_footer)
    data = ours.read_bytes()
    dice = random.Random(7)
    for _ in range(300):
        at = dice.randrange(len(data))
        changed.write_bytes(data[:at] + bytes([data[at] ^ 1 << dice.randrange(8)]) + data[at + 1 :])
        with pytest.raises((InvalidTag, ValueError)):
            decrypt(changed, back, keys=KEY)
        changed.write_bytes(data[: dice.randrange(len(data))])
        with pytest.raises((InvalidTag, ValueError)):
            decrypt(changed, back, keys=KEY)
        assert not back.exists()
    # A footer in clear tells no value.
    assert b"name 1" in source.read_bytes() and b"name 1" not in data


def test_files_of_duckdb(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    connection.execute("SET force_mbedtls_unsafe = 'true'")
    connection.execute(f"PRAGMA add_parquet_key('key', '{base64.b64encode(KEY).decode()}')")
    file, plain, ours, back = (tmp_path / name for name in ("duckdb", "plain", "ours", "back"))
    query = "SELECT i AS id, 'name ' || (i % 100) AS name FROM range(5000) t(i)"
    connection.execute(f"COPY ({query}) TO '{file}' (FORMAT parquet, ENCRYPTION_CONFIG {{footer_key: 'key'}}, ROW_GROUP_SIZE 2048)")
    connection.execute(f"COPY ({query}) TO '{plain}' (FORMAT parquet, ROW_GROUP_SIZE 2048)")
    with pytest.raises(InvalidTag, match="associated data empty"):
        decrypt(file, back, keys=KEY)
    decrypt(file, back, keys=KEY, empty_aad=True)
    assert pq.read_table(back).equals(pq.read_table(plain))
    # Ours opens there, but for the Bloom filters, which it takes for filters in clear.
    encrypt(plain, ours, footer_key=KEY)
    encrypted = f"read_parquet('{ours}', encryption_config={{footer_key: 'key'}})"
    assert connection.execute(f"SELECT count(*), sum(id) FROM {encrypted}").fetchall() == [(5000, 12497500)]
    decrypt(ours, back, keys=KEY, replace=True)
    assert without_footer(back) == without_footer(plain)
    probe = "SELECT bloom_filter_excludes FROM parquet_bloom_probe('{}', 'name', '{}')"
    for value in ("name 7", "no name"):
        there = connection.execute(probe.format(plain, value)).fetchall()
        assert there == connection.execute(probe.format(back, value)).fetchall()


@pytest.mark.parametrize("mode", ["gcm", "siv", "gcm-siv"])
@pytest.mark.parametrize("double_wrapping", [True, False])
def test_ring_as_a_key_service(tmp_path: Path, mode: Any, double_wrapping: bool) -> None:
    size = 64 if mode == "siv" else 32
    ring = Keyring()
    ring.add("footers", bytes(range(size)), mode=mode, id=1)
    ring.add("texts", bytes(range(1, size + 1)), mode=mode)
    rows, theirs, ours, back = table(300), tmp_path / "theirs", tmp_path / "ours", tmp_path / "back"
    factory, connection = pe.CryptoFactory(lambda config: kms_client(ring)), pe.KmsConnectionConfig()
    config = pe.EncryptionConfiguration(
        footer_key="footers", column_keys={"texts": ["name", "nested.text"]}, double_wrapping=double_wrapping
    )
    pq.write_table(rows, theirs, encryption_properties=factory.file_encryption_properties(connection, config))
    decrypt(theirs, back, keys=KeyTools(kms_client(ring)))
    assert pq.read_table(back).equals(rows)

    tools = KeyTools(kms_client(ring), double_wrapping=double_wrapping)
    columns = {"name": tools.new_key("texts"), "nested": tools.new_key("texts")}
    encrypt(back, ours, footer_key=tools.new_key("footers", footer=True), column_keys=columns)

    # A new generation of a master key: old files open as long as the ring has the old one, and a copy is wrapped by the new one.
    ring.add("footers", bytes(range(2, size + 2)), mode=mode, id=7)
    ring.add("texts", bytes(range(3, size + 3)), mode=mode, id=7)
    for file in (ours, theirs):
        properties = factory.file_decryption_properties(connection, pe.DecryptionConfiguration())
        assert pq.read_table(file, decryption_properties=properties).equals(rows)
        rewrap(file, back, keys=tools, wrap=lambda metadata: KeyTools(kms_client(ring)).rewrap(metadata), replace=True)
        young = Keyring()
        young.add("footers", bytes(range(2, size + 2)), mode=mode, id=7)
        young.add("texts", bytes(range(3, size + 3)), mode=mode, id=7)
        properties = pe.CryptoFactory(lambda config: kms_client(young)).file_decryption_properties(
            connection, pe.DecryptionConfiguration()
        )
        assert pq.read_table(back, decryption_properties=properties).equals(rows)
        with pytest.raises(InvalidTag):
            decrypt(file, tmp_path / "x", keys=KeyTools(kms_client(young)))
    client = kms_client(ring)
    with pytest.raises(ValueError, match="not base64"):
        client.unwrap_key("*", "footers")
    with pytest.raises(InvalidTag):
        client.unwrap_key(client.wrap_key(KEY, "footers"), "texts")
    with pytest.raises(LookupError, match="no key 'x'"):
        client.wrap_key(KEY, "x")


def test_material_beside_the_data_comes_into_the_file(tmp_path: Path) -> None:
    rows, file, back = table(50), tmp_path / "file.parquet", tmp_path / "back.parquet"
    factory = pe.CryptoFactory(Service)
    config = pe.EncryptionConfiguration(footer_key="footers", column_keys={"texts": ["name"]}, internal_key_material=False)
    properties = factory.file_encryption_properties(
        pe.KmsConnectionConfig(), config, parquet_file_path=str(file), filesystem=pa.fs.LocalFileSystem()
    )
    pq.write_table(rows, file, encryption_properties=properties)
    material = (tmp_path / "_KEY_MATERIAL_FOR_file.parquet.json").read_bytes()
    tools = KeyTools(Service(), material=material)
    rewrap(file, back, keys=tools, wrap=lambda metadata: tools.rewrap(metadata, "new"))
    properties = factory.file_decryption_properties(pe.KmsConnectionConfig(), pe.DecryptionConfiguration())
    assert pq.read_table(back, decryption_properties=properties).equals(rows)
    with pytest.raises(ValueError, match="_KEY_MATERIAL_FOR_"):
        rewrap(file, back, keys=tools, wrap=lambda metadata: KeyTools(Service()).rewrap(metadata), replace=True)


@pytest.mark.skipif(os.name != "posix", reason="pipes with names and modes of files")
def test_outputs_have_the_mode_of_the_umask_and_sources_are_files(tmp_path: Path) -> None:
    source, target, back = tmp_path / "plain", tmp_path / "target", tmp_path / "back"
    pq.write_table(table(9), source)
    for umask in (0o022, 0o077, 0o002):
        before = os.umask(umask)
        try:
            encrypt(source, target, footer_key=KEY, replace=True)
            decrypt(target, back, keys=KEY, replace=True)
        finally:
            os.umask(before)
        assert [path.stat().st_mode & 0o777 for path in (target, back)] == [0o666 & ~umask] * 2
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for call in (
        lambda: encrypt(pipe, tmp_path / "x", footer_key=KEY),
        lambda: decrypt(pipe, tmp_path / "x", keys=KEY),
        lambda: inspect(pipe),
        lambda: inspect(tmp_path),
    ):
        with pytest.raises(OSError, match="not a regular file"):
            call()
    assert not (tmp_path / "x").exists()
