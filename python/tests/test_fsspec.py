"""Sealed files in stores: what is fetched, what is written, and what is left of what failed."""

from __future__ import annotations

import random
from pathlib import Path

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import log_uniform
from fsspec.implementations.memory import MemoryFileSystem

import abreast
from abreast.fsspec import SealedFileSystem
from abreast.sealed import CHUNK, HEADER, SEALED_CHUNK, Key, SealedFile, open_file, seal_file

KEY = Key.generate()


class Counted(MemoryFileSystem):
    """A store that notes what is fetched."""

    store: dict[str, object] = {}
    pseudo_dirs: list[str] = [""]

    def __init__(self) -> None:
        super().__init__(global_store=False)
        self.store, self.fetched = {}, []

    def cat_file(self, path: str, start: int | None = None, end: int | None = None, **options: object) -> bytes:
        data = super().cat_file(path, start=start, end=end, **options)
        self.fetched.append(len(data))
        return data


@pytest.fixture
def counted() -> Counted:
    Counted.clear_instance_cache()
    return Counted()


# Chunks and what is written together are where something changes.
@pytest.mark.parametrize(
    "length",
    [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK, 256 * CHUNK - 1, 256 * CHUNK, 256 * CHUNK + 1, 600 * CHUNK + 5],
)
def test_what_is_written_is_read(length: int, counted: Counted, rng: random.Random, tmp_path: Path) -> None:
    fs, data = SealedFileSystem(KEY, counted), rng.randbytes(length)
    with fs.open("/file", "wb") as file:
        at = 0
        while at < length:
            piece = 1 + log_uniform(rng, 3 * CHUNK * 100)
            file.write(data[at : at + piece])
            at += piece
    assert fs.info("/file")["size"] == length
    with fs.open("/file", "rb") as file:
        assert file.read() == data
        for _ in range(20):
            start = rng.randrange(length + 1)
            size = log_uniform(rng, 5 * CHUNK)
            file.seek(start)
            assert file.read(size) == data[start : start + size]
    assert fs.cat_file("/file", start=length // 2) == data[length // 2 :]
    # The same file by the other functions.
    (tmp_path / "sealed").write_bytes(counted.cat_file("/file"))
    open_file(tmp_path / "sealed", tmp_path / "opened", KEY)
    assert (tmp_path / "opened").read_bytes() == data


def test_a_row_group_is_fetched_and_no_more(counted: Counted) -> None:
    fs = SealedFileSystem(KEY, counted)
    table = pa.table({"n": list(range(400_000)), "text": [f"row {n} of many" for n in range(400_000)]})
    with fs.open("/table.parquet", "wb") as file:
        pq.write_table(table, file, row_group_size=50_000, compression=None, use_dictionary=False)
    sealed = counted.info("/table.parquet")["size"]
    counted.fetched.clear()
    with fs.open("/table.parquet", "rb", cache_type="none") as file:
        group = pq.ParquetFile(file).read_row_group(3)
    assert group.equals(table.slice(150_000, 50_000))
    assert sum(counted.fetched) < sealed / 4, (sum(counted.fetched), sealed)


def test_what_fails_leaves_nothing(counted: Counted) -> None:
    fs = SealedFileSystem(KEY, counted)
    with pytest.raises(ZeroDivisionError), fs.open("/half", "wb") as file:
        file.write(bytes(10 * 1024 * CHUNK))
        1 / 0  # noqa: B018
    assert not counted.exists("/half")
    with pytest.raises(FileNotFoundError):
        fs.open("/none", "rb")
    with pytest.raises(ValueError, match="not opened as 'ab'"):
        fs.open("/file", "ab")
    counted.pipe_file("/text", b"this is no sealed file, and long enough to be one, as far as its length goes")
    with pytest.raises(abreast.InvalidTag):
        fs.open("/text", "rb")


def test_changes_are_seen_where_they_are(counted: Counted) -> None:
    fs = SealedFileSystem(KEY, counted)
    with fs.open("/file", "wb") as file:
        file.write(bytes(10 * CHUNK))
    sealed = bytearray(counted.cat_file("/file"))
    sealed[HEADER + 4 * SEALED_CHUNK] ^= 1
    counted.pipe_file("/file", bytes(sealed))
    with fs.open("/file", "rb", cache_type="none") as file:
        assert file.read(CHUNK) == bytes(CHUNK)
        file.seek(4 * CHUNK)
        with pytest.raises(abreast.InvalidTag, match="chunk 4"):
            file.read(1)
    counted.pipe_file("/file", bytes(sealed[:-SEALED_CHUNK]))
    with pytest.raises(abreast.InvalidTag):
        fs.open("/file", "rb")


def test_local_files_and_pandas(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    fs = SealedFileSystem(KEY, target_protocol="file")
    frame = pandas.DataFrame({"a": [1, 2, 3]})
    with fs.open(str(tmp_path / "frame.parquet"), "wb") as file:
        frame.to_parquet(file)
    with fs.open(str(tmp_path / "frame.parquet"), "rb") as file:
        assert pandas.read_parquet(file).equals(frame)
    assert [Path(name).name for name in fs.ls(str(tmp_path), detail=False)] == ["frame.parquet"]
    with SealedFile(tmp_path / "frame.parquet", KEY) as sealed:
        assert pandas.read_parquet(sealed).equals(frame)


def test_sealed_file_objects(tmp_path: Path, rng: random.Random) -> None:
    data = rng.randbytes(40 * CHUNK + 77)
    (tmp_path / "message").write_bytes(data)
    seal_file(tmp_path / "message", tmp_path / "sealed", KEY)
    with SealedFile(tmp_path / "sealed", KEY, buffer_size=100) as file:
        assert file.seek(0, 2) == len(data)
        for _ in range(100):
            at, size = rng.randrange(len(data)), log_uniform(rng, 3 * CHUNK)
            assert file.seek(at) == at
            assert file.read(size) == data[at : at + size]
    with pytest.raises(abreast.InvalidTag):
        SealedFile(tmp_path / "sealed", Key.generate())
    with pytest.raises(ValueError, match="key or with a passphrase"):
        SealedFile(tmp_path / "sealed")
    with pytest.raises(abreast.InvalidTag):
        SealedFile(tmp_path / "message", KEY)
    with fsspec.open(str(tmp_path / "sealed"), "rb") as inner, SealedFile(inner, KEY) as file:
        assert file.read() == data


def test_passphrases(tmp_path: Path) -> None:
    (tmp_path / "message").write_bytes(b"short")
    seal_file(tmp_path / "message", tmp_path / "sealed", passphrase=b"correct horse")
    with SealedFile(tmp_path / "sealed", passphrase=b"correct horse") as file:
        assert file.read() == b"short"
    open_file(tmp_path / "sealed", tmp_path / "opened", passphrase=b"correct horse")
    assert (tmp_path / "opened").read_bytes() == b"short"
    with pytest.raises(ValueError, match="passphrase"):
        SealedFile(tmp_path / "sealed", KEY)
    with pytest.raises(abreast.InvalidTag):
        open_file(tmp_path / "sealed", tmp_path / "other", passphrase=b"wrong")
    assert not (tmp_path / "other").exists()
    with pytest.raises(FileExistsError, match="replace=True"):
        open_file(tmp_path / "sealed", tmp_path / "opened", passphrase=b"correct horse")
    with pytest.raises(ValueError, match="same file"):
        seal_file(tmp_path / "message", tmp_path / "message", KEY, replace=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["message", "opened", "sealed"]
